"""The settings in force: merged from their layers, each with the layer it came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from lerim.config.scope import lerim_dir
from lerim.config.setting_checks import (
    SettingsFile,
    check_server,
    checked_values,
    public_address,
    refuse_secrets,
    specs,
    toml_text,
)
from lerim.config.settings import Settings, Value
from lerim.dataclass import dataclass, fields, is_dataclass
from lerim.errors import ConfigError, UnsafePath
from lerim.openat import LERIM, read_own
from lerim.openat import read as read_below

#: The setting that says where a shared store is, and the variable that says it instead.
STORAGE_URL, STORAGE_VARIABLE = "storage.url", "LERIM_STORAGE_URL"
#: A file of settings is a page. What is larger is none.
MAX_FILE = 1_000_000


@dataclass(frozen=True)
class Layer:
    """One file of settings. `name` is "default", "user", "project" or "LERIM_CONFIG"; of "environment", `path` is the
    variable."""

    name: str
    path: Path


# Named tuples where nothing needs a dataclass: seven times cheaper to define, and every command waits for it.
class SettingEntry(NamedTuple):
    """One effective setting and the layer that decided it."""

    key: str
    value: Value
    layer: Layer

    @property
    def shown(self) -> Value:
        """The value for people: without what nobody else may know."""
        return public_address(self.value) if self.key == STORAGE_URL and isinstance(self.value, str) else self.value

    @property
    def text(self) -> str:
        """The value as one writes it in a file, without what nobody else may know."""
        return toml_text(self.shown)


class Ignored(NamedTuple):
    """A key that a project's file sets and that does not count, because the project is not trusted."""

    key: str
    layer: Layer


class Setting(NamedTuple):
    """One setting as the reference page states it. `type` says what values it may have, `default` is TOML."""

    key: str
    type: str
    default: str
    doc: str


@dataclass(frozen=True)
class Config:
    """The settings in force, and for each dotted key the layer that decided it."""

    settings: Settings
    origins: Mapping[str, Layer]
    #: What the project's file sets in vain.
    ignored: tuple[Ignored, ...] = ()
    #: Whether the user's own files name the project as one of theirs.
    named: bool = False

    def entries(self) -> list[SettingEntry]:
        """Every setting in force, in the order of the reference page."""
        return [SettingEntry(s.key, attrgetter(s.key)(self.settings), self.origins[s.key]) for s in specs(Settings)]


def home_dir(env: Mapping[str, str]) -> Path:
    """The folder of the global memory and the store: LERIM_HOME, or `.lerim` in the user's home directory.

    Raises ConfigError where neither is a full path: seen from a repository, the store would come to lie in it.
    """
    named = env.get("LERIM_HOME")
    if not named:
        return user_home(env) / LERIM
    if not named.startswith("~") and not Path(named).is_absolute():
        raise ConfigError(
            f"LERIM_HOME is {_shown(named)}, which is no full path",
            hint='export LERIM_HOME="$HOME/.lerim", or unset it',
        )
    return _absolute(named, env)


def user_home(env: Mapping[str, str]) -> Path:
    """The user's home directory. Raises ConfigError when HOME is no full path, or nobody knows one."""
    named = env.get("HOME")
    if named is None:
        named = _home_by_account()
    if not Path(named).is_absolute():
        raise ConfigError(
            f"HOME is {_shown(named)}, which is no full path",
            hint="set HOME to your home directory, or LERIM_HOME to a folder of Lerim's own",
        )
    return Path(named)


def _home_by_account() -> str:
    """What the system knows of the user, without a word of the environment."""
    try:
        import pwd  # Only where HOME is not set.

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, AttributeError):  # Windows
        return str(Path("~").expanduser())
    except KeyError:
        return ""


def _shown(text: str) -> str:
    return f"'{text}'" if text else "empty"


def load(home: Path, project_root: Path | None, env: Mapping[str, str], *, trusted: bool = False) -> Config:
    """The settings for a project, or outside any with None. Raises ConfigError at the first thing that is wrong.

    `trusted` says whether the user trusts the project; the user's own files may do so, too.
    """
    read = [(layer, _read(layer)) for layer in _layers(home, project_root, env)]
    named = project_root is not None and _is_named(project_root, read, env)
    own = TrustLevel.NAMED if named else TrustLevel.TRUSTED if trusted else TrustLevel.STRANGER
    values: dict[str, Value] = {}
    origins: dict[str, Layer] = {}
    ignored: list[Ignored] = []
    for layer, layer_values in read:
        for key, value in layer_values.items():
            if layer.name == "project" and key.startswith("storage."):
                raise ConfigError(
                    f"{layer.path}: key '{key}': a project does not say where your memory is kept",
                    hint=f"delete the line there; set it in {home / 'config.toml'} if you mean it",
                )
            if layer.name == "project" and may_set(key) > own:
                ignored.append(Ignored(key, layer))
            else:
                values[key], origins[key] = value, layer
    if url := env.get(STORAGE_VARIABLE):
        check_server(url, STORAGE_VARIABLE)
        values[STORAGE_URL], origins[STORAGE_URL] = url, Layer("environment", Path(STORAGE_VARIABLE))
    return Config(_build(Settings, values), origins, tuple(ignored), named)


def reference() -> list[Setting]:
    """Every setting there is, with its default."""
    defaults = _read(_DEFAULT)
    return [Setting(s.key, s.expected, toml_text(defaults[s.key]), s.doc) for s in specs(Settings)]


# --- layers -----------------------------------------------------------------------------------------------------------

_DEFAULT = Layer("default", Path(__file__).with_name("default.toml"))


def _layers(home: Path, project_root: Path | None, env: Mapping[str, str]) -> Iterator[Layer]:
    """The layers there may be, lowest first."""
    yield _DEFAULT
    yield Layer("user", home / "config.toml")
    if project_root is not None and (folder := lerim_dir(project_root, home)) not in (home, home.resolve()):
        yield Layer("project", folder / "config.toml")
    if named := env.get("LERIM_CONFIG"):
        yield Layer("LERIM_CONFIG", _absolute(named, env))


class TrustLevel(IntEnum):
    """How far the user goes along with a project; and how far one must, for its file to set a key."""

    STRANGER = 0
    TRUSTED = 1
    NAMED = 2
    NOBODY = 3


#: What a project's file may set. The longest beginning that fits counts; docs/config.md has the same table.
_MAY_SET: Mapping[str, TrustLevel] = {
    # It adds to what is hidden of the project's own sessions, and takes nothing away.
    "redaction.patterns": TrustLevel.STRANGER,
    # Where talk lands, what git sees of it, and what fades from sight.
    "memory.": TrustLevel.TRUSTED,
    "decay.": TrustLevel.TRUSTED,
    # Whose word counts, and what is private. It names a profile that the user has, and brings none.
    "profile.": TrustLevel.TRUSTED,
    "views.": TrustLevel.TRUSTED,
    # Where conversations are sent, and what is spent. A pull may change that any day: it takes a word of its own.
    "roles.": TrustLevel.NAMED,
    "budget.": TrustLevel.NAMED,
    "tracing.": TrustLevel.NAMED,
    "ingest.": TrustLevel.NAMED,
    # One for all projects of the machine, or about trust itself: nobody vouches for themselves, nor for others.
    "memory.separate_worktrees": TrustLevel.NOBODY,
    "sources.": TrustLevel.NOBODY,
    "embeddings.": TrustLevel.NOBODY,
    "mcp.": TrustLevel.NOBODY,
    "storage.": TrustLevel.NOBODY,
    "trust.": TrustLevel.NOBODY,
}


def may_set(key: str) -> TrustLevel:
    """How far a user must go along with a project for its file to set a key. What nobody thought of, nobody may."""
    fitting = [beginning for beginning in _MAY_SET if key.startswith(beginning)]
    return _MAY_SET[max(fitting, key=len)] if fitting else TrustLevel.NOBODY


def _is_named(root: Path, read: Sequence[tuple[Layer, Mapping[str, Value]]], env: Mapping[str, str]) -> bool:
    """Whether the user's own files name a project as one of theirs."""
    key = "trust.projects"
    named = [values[key] for layer, values in read if layer.name != "project" and key in values][-1]
    assert isinstance(named, tuple)
    return root.resolve() in named_projects(named, env)


def named_projects(named: Sequence[str], env: Mapping[str, str]) -> frozenset[Path]:
    """The folders that `trust.projects` names. Full paths only: "." would trust any folder one happens to be in."""
    full = [text for text in named if text.startswith("~") or Path(text).is_absolute()]
    return frozenset(_absolute(text, env).resolve() for text in full)


def _absolute(text: str, env: Mapping[str, str]) -> Path:
    if text == "~" or text.startswith("~/"):
        return user_home(env) / text[2:]
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:  # no such user, or a user without a home directory
        raise ConfigError(f"'{text}': there is no such home directory", hint="write a full path") from None


def _read(layer: Layer) -> dict[str, Value]:
    """What a layer sets, by dotted key; nothing when its file is not there."""
    if layer is _DEFAULT:
        return _defaults()
    text = _text(layer)
    if not text:
        return {}
    file = SettingsFile(layer.path, text)
    document = file.parse()
    refuse_secrets(file, document)
    return dict(checked_values(file, document, Settings))


@cache
def _defaults() -> dict[str, Value]:
    """What `default.toml` sets. Every command reads it, most read nothing else, and the parser takes time to load: so
    it has nothing but tables, and keys whose value is JSON too."""
    import json

    text = _text(_DEFAULT)
    document: dict[str, Any] = {}
    table = document
    for line in text.splitlines():
        name, is_key, value = line.partition(" = ")
        if is_key:
            table[name] = json.loads(value)
        elif line.startswith("["):
            table = document
            for part in line.strip("[]").split("."):
                table = table.setdefault(part, {})
    return dict(checked_values(SettingsFile(_DEFAULT.path, text), document, Settings))


def _text(layer: Layer) -> str:
    try:
        # What lies in a repository may be anything; the user's own file may well be a link.
        data = (read_below if layer.name == "project" else read_own)(layer.path, MAX_FILE)
    except UnsafePath as error:
        raise ConfigError(error.message, hint=error.hint) from None
    except (FileNotFoundError, NotADirectoryError):
        if layer.name in ("user", "project"):
            return ""
        problem = f"{layer.path}: the file {layer.name} names does not exist"
        raise ConfigError(problem, hint=f"create the file, or unset {layer.name}") from None
    except OSError as error:
        problem = f"{layer.path}: cannot be read: {error.strerror}"
        raise ConfigError(problem, hint="make it a file you may read, or move it away") from None
    try:
        # Some editors put a byte order mark first. The codec that knows it would be one more import.
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{layer.path}:{line}: not UTF-8 text", hint="save the file as UTF-8") from None


def _build(cls: Any, values: Mapping[str, Value], prefix: str = "") -> Any:
    """An instance of a settings dataclass, its fields taken from dotted keys."""
    parts: dict[str, Any] = {}
    for f in fields(cls):
        key = prefix + f.name
        parts[f.name] = _build(f.type, values, f"{key}.") if is_dataclass(f.type) else values[key]
    return cls(**parts)
