"""The settings: merged from their layers, checked, each with the layer it came from.

A setting is a field of a dataclass here, with its range and its documentation beside it, and a value in `default.toml`.
"""

# No `from __future__ import annotations`: the checks read each field's type, and need the type rather than its name.
import os
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum, StrEnum
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from lerim.config.scope import ScopeMode, lerim_dir
from lerim.dataclass import dataclass, field, fields, is_dataclass
from lerim.errors import ConfigError, UnsafePath
from lerim.openat import LERIM, read_own
from lerim.openat import read as read_below

Value = bool | int | float | str | tuple[str, ...]

#: The setting that says where a shared store is, and the variable that says it instead.
STORAGE_URL, STORAGE_VARIABLE = "storage.url", "LERIM_STORAGE_URL"
#: A file of settings is a page. What is larger is none.
MAX_FILE = 1_000_000
# Upper ends keep arithmetic on dates and timeouts from overflowing; nobody should meet them.
_MANY_DAYS = 365_000
_WEEK_IN_SECONDS = 604_800
_MANY_ITERATIONS = 10_000
_MANY_TOKENS = 1_000_000_000_000
_MANY_DOLLARS = 1_000_000
# A repository's patterns run on every text of its sessions. Linear is not yet fast.
_MANY_PATTERNS = 50
_MANY_STEPS = 10_000


def _about(
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    address: bool = False,
    regex: bool = False,
    server: bool = False,
) -> dict[str, Any]:
    return {"doc": doc, "low": low, "high": high, "address": address, "regex": regex, "server": server}


class Provider(StrEnum):
    """Who runs a role's model."""

    EMBEDDED = "embedded"
    OPENROUTER = "openrouter"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    ZAI = "zai"
    OLLAMA = "ollama"
    OPENAI_COMPATIBLE = "openai_compatible"
    # Agents' own programs, called once per request.
    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    COPILOT = "copilot"
    OPENCODE = "opencode"
    CURSOR = "cursor"


#: Providers that are programs on this machine. They have models of their own choice, and logins of their own.
PROGRAM_PROVIDERS = frozenset(
    {Provider.CLAUDE, Provider.CODEX, Provider.GEMINI, Provider.COPILOT, Provider.OPENCODE, Provider.CURSOR}
)
#: The environment variable that holds a provider's key. Keys are never read from a file.
API_KEYS: Mapping[Provider, str] = {
    Provider.OPENROUTER: "OPENROUTER_API_KEY",
    Provider.OPENAI: "OPENAI_API_KEY",
    Provider.ANTHROPIC: "ANTHROPIC_API_KEY",
    Provider.ZAI: "ZAI_API_KEY",
}
#: The same for providers that may do without: models at home.
OPTIONAL_API_KEYS: Mapping[Provider, str] = {
    Provider.OLLAMA: "OLLAMA_API_KEY",
    Provider.OPENAI_COMPATIBLE: "OPENAI_COMPATIBLE_API_KEY",
}


class EngineChoice(StrEnum):
    """Who finds what is worth keeping in a trace."""

    AUTO = "auto"
    EMBEDDED = "embedded"
    MODEL = "model"
    RLM = "rlm"


class Exporter(StrEnum):
    """Where spans go."""

    FILE = "file"
    OTLP = "otlp"
    LOGFIRE = "logfire"


@dataclass(frozen=True)
class MemorySettings:
    """Where memories are kept, and which of them git sees."""

    scope: ScopeMode = field(metadata=_about("Which memory is read and written."))
    separate_worktrees: bool = field(metadata=_about("Each git worktree is a project of its own."))
    share_summaries: bool = field(metadata=_about("The generated .gitignore lets session summaries into git."))
    share_traces: bool = field(metadata=_about("The generated .gitignore lets archived traces into git."))


class UnscopedPolicy(StrEnum):
    """What becomes of sessions that belong to no project."""

    SKIP = "skip"
    GLOBAL = "global"


@dataclass(frozen=True)
class SourceSettings:
    """Whose sessions are read, and how far back."""

    window_days: int = field(
        metadata=_about("Only sessions active within this many days are ingested; 0 for all.", 0, _MANY_DAYS)
    )
    disabled: tuple[str, ...] = field(metadata=_about("Agents that are not read, such as 'cursor'."))
    custom: tuple[str, ...] = field(metadata=_about("Folders with traces of your own, in the documented form."))
    unscoped: UnscopedPolicy = field(
        metadata=_about("Sessions without a project: left out, or taught to the global memory.")
    )


@dataclass(frozen=True)
class RedactionSettings:
    """What is taken out of a trace before anything is stored, besides the known kinds of secrets."""

    patterns: tuple[str, ...] = field(metadata=_about("Regular expressions; what they match is redacted.", regex=True))


@dataclass(frozen=True)
class ProfileSettings:
    """What kind of work the sessions are."""

    name: str = field(metadata=_about("How sessions are read: what lasts, whose word counts, what is private."))


@dataclass(frozen=True)
class DecaySettings:
    """How attention to a memory fades. Its truth does not."""

    period_days: int = field(
        metadata=_about("Days without access after which a memory has faded to the floor.", 1, _MANY_DAYS)
    )
    # A floor above the threshold is not an error: it is how one says that nothing is archived for its age.
    floor: float = field(metadata=_about("Effective confidence never fades below this.", 0, 1))
    archive_threshold: float = field(metadata=_about("A memory that faded below this may be archived.", 0, 1))
    grace_days: int = field(metadata=_about("A memory accessed within this many days is not archived.", 0, _MANY_DAYS))


@dataclass(frozen=True)
class EmbeddingSettings:
    """How meanings are compared. Read from your own files only: the store is one for all projects."""

    enabled: bool = field(metadata=_about("Search by meaning too; without, by words alone."))
    model: str = field(
        metadata=_about("The bundled model if empty; else a folder, or its name under models/embeddings.")
    )
    background: bool = field(metadata=_about("Many missing vectors are made by a process in the background."))
    download: bool = field(metadata=_about("'lerim index --download' may fetch models from the hub."))
    hub: str = field(metadata=_about("The address models are fetched from.", address=True))


@dataclass(frozen=True)
class RoleSettings:
    """The model that plays one role, and how long it may."""

    provider: Provider = field(metadata=_about("Who runs the model; 'embedded' needs no key and no network."))
    model: str = field(
        metadata=_about("The provider's name of the model; may be empty with 'embedded' and agents' programs only.")
    )
    base_url: str = field(
        metadata=_about("Where the provider is, if not at its own address; 'openai_compatible' needs it.", address=True)
    )
    timeout_seconds: int = field(metadata=_about("Seconds one run of the role may take.", 1, _WEEK_IN_SECONDS))
    max_iterations: int = field(metadata=_about("Steps one run of the role may take.", 1, _MANY_ITERATIONS))
    fallback_models: tuple[str, ...] = field(
        metadata=_about("Models of the same provider to try, in order, when the first one fails.")
    )


@dataclass(frozen=True)
class RolesSettings:
    """Who does what in a run."""

    lead: RoleSettings
    explorer: RoleSettings
    extract: RoleSettings
    summarize: RoleSettings


@dataclass(frozen=True)
class IngestSettings:
    """How a trace becomes memories."""

    engine: EngineChoice = field(
        metadata=_about("Who extracts; 'auto' is the model of roles.extract, or 'embedded' when that has none.")
    )


def _tokens(doc: str) -> Any:
    return field(metadata=_about(doc, 0, _MANY_TOKENS))


def _dollars(doc: str) -> Any:
    return field(metadata=_about(doc, 0, _MANY_DOLLARS))


@dataclass(frozen=True)
class BudgetSettings:
    """What models may use up. Embedded runs use up nothing."""

    run_tokens: int = _tokens("Tokens one run may use, both ways together; 0 for no limit.")
    run_usd: float = _dollars("Dollars one run may cost; 0 for no limit.")
    day_tokens: int = _tokens("Tokens all runs of a day (UTC) may use together; 0 for no limit.")
    day_usd: float = _dollars("Dollars all runs of a day (UTC) may cost together; 0 for no limit.")
    minute_requests: int = _tokens("Requests that all runs may make to one provider in a minute; 0 for no limit.")
    minute_tokens: int = _tokens("Tokens that all runs may use of one provider in a minute; 0 for no limit.")
    input_usd_per_million: float = _dollars("Price of a million input tokens, for models whose price is not known.")
    output_usd_per_million: float = _dollars("Price of a million output tokens, for models whose price is not known.")


@dataclass(frozen=True)
class TracingSettings:
    """Spans of runs, for whoever watches them with OpenTelemetry."""

    enabled: bool = field(metadata=_about("Runs leave spans."))
    exporter: Exporter = field(metadata=_about("Where spans go: a file of the run, an OTLP endpoint, or Logfire."))
    endpoint: str = field(metadata=_about("The address of the OTLP endpoint.", address=True))
    include_httpx: bool = field(metadata=_about("HTTP requests to providers are spans, too."))


@dataclass(frozen=True)
class TrustSettings:
    """Whose settings are believed. Read from your own files only."""

    projects: tuple[str, ...] = field(
        metadata=_about("Projects that are trusted, and may choose models, budgets, tracing and the engine.")
    )


@dataclass(frozen=True)
class BackupSettings:
    """How often the memory is copied, and how many copies stay. Read from your own files only: the store is one."""

    every_hours: int = field(metadata=_about("A sync makes a backup when the last one is older; 0 for never.", 0, 8760))
    keep: int = field(metadata=_about("How many backups stay; the oldest go first.", 1, 10_000))


@dataclass(frozen=True)
class HelperSettings:
    """The process that stays to answer searches. Read from your own files only: it serves all projects."""

    enabled: bool = field(metadata=_about("A search by meaning may start the helper, and ask the one that is there."))
    idle_minutes: int = field(metadata=_about("The helper ends when nobody asked it for so long.", 1, 1440))


@dataclass(frozen=True)
class DaemonSettings:
    """The process that does by itself what is due. Read from your own files only: it works for all projects."""

    quiet_minutes: int = field(
        metadata=_about(
            "A session that nobody wrote to for so long is read; one that a hook said has ended, at once.", 0, 1440
        )
    )
    poll_minutes: int = field(
        metadata=_about("How often it looks for sessions where the system does not tell of changed files.", 1, 1440)
    )
    maintain_hour: int = field(
        metadata=_about("The hour of the night at which memories are maintained, local time.", 0, 23)
    )
    pause_on_battery: bool = field(metadata=_about("It does nothing by itself while the machine runs on its battery."))


@dataclass(frozen=True)
class ViewSettings:
    """The documents that are made from the memory."""

    budget: int = field(
        metadata=_about("Characters of a view, at most: many agents cut what they are given at 10,000.", 500, 100_000)
    )


@dataclass(frozen=True)
class SloSettings:
    """What is promised, for `lerim status --slo` to hold against what is. Read from your own files only."""

    freshness_minutes: int = field(
        metadata=_about("From the end of a session to its memories, for 95 of 100 sessions.", 1, 100_000)
    )
    waiting_minutes: int = field(metadata=_about("How long the session that waits longest may wait.", 1, 100_000))
    read_percent: float = field(metadata=_about("How many of 100 sessions are read without a failure.", 0, 100))
    search_ms: int = field(metadata=_about("How long a search may take, for 95 of 100 searches.", 1, 600_000))
    brief_percent: float = field(metadata=_about("How many of 100 calls of hooks end without an error.", 0, 100))
    disk_days: int = field(metadata=_about("The disk has room for so many days like those of this week.", 0, 100_000))


@dataclass(frozen=True)
class McpSettings:
    """What agents may do over MCP. Read from your own files only: no repository widens what is open to its agents."""

    write: bool = field(
        metadata=_about("Agents may write over MCP: remember, give feedback, decide on candidates, submit traces.")
    )


@dataclass(frozen=True)
class StorageSettings:
    """Where the memory is kept. Read from your own files and the environment only: no repository moves it."""

    url: str = field(
        metadata=_about("A PostgreSQL that several machines share; without, files on this machine.", server=True)
    )
    machine: str = field(
        metadata=_about(
            "What this machine is called among the others, as in `lerim queue --team`; its host name if empty."
        )
    )


@dataclass(frozen=True)
class Settings:
    """Everything that can be configured."""

    memory: MemorySettings
    sources: SourceSettings
    redaction: RedactionSettings
    profile: ProfileSettings
    decay: DecaySettings
    roles: RolesSettings
    ingest: IngestSettings
    budget: BudgetSettings
    tracing: TracingSettings
    trust: TrustSettings
    embeddings: EmbeddingSettings
    backup: BackupSettings
    helper: HelperSettings
    daemon: DaemonSettings
    views: ViewSettings
    slo: SloSettings
    mcp: McpSettings
    storage: StorageSettings

    @property
    def engine(self) -> EngineChoice:
        """Who extracts, 'auto' decided."""
        if self.ingest.engine is not EngineChoice.AUTO:
            return self.ingest.engine
        embedded = self.roles.extract.provider is Provider.EMBEDDED
        return EngineChoice.EMBEDDED if embedded else EngineChoice.MODEL


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
        return _toml(self.shown)


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
        return [SettingEntry(s.key, attrgetter(s.key)(self.settings), self.origins[s.key]) for s in _specs(Settings)]


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
        _check_server(url, STORAGE_VARIABLE)
        values[STORAGE_URL], origins[STORAGE_URL] = url, Layer("environment", Path(STORAGE_VARIABLE))
    return Config(_build(Settings, values), origins, tuple(ignored), named)


def reference() -> list[Setting]:
    """Every setting there is, with its default."""
    defaults = _read(_DEFAULT)
    return [Setting(s.key, s.expected, _toml(defaults[s.key]), s.doc) for s in _specs(Settings)]


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
    file = _File(layer.path, text)
    document = file.parse()
    _refuse_secrets(file, document)
    return dict(_walk(file, document, Settings))


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
    return dict(_walk(_File(_DEFAULT.path, text), document, Settings))


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


# --- checks -----------------------------------------------------------------------------------------------------------

_TYPES: Mapping[Any, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    tuple[str, ...]: "a list of strings",
}
_HOW_TO_WRITE: Mapping[Any, str] = {
    bool: "write true or false, without quotes",
    int: "write a whole number, without quotes or a decimal point",
    float: "write a number such as 0.5, without quotes",
    str: 'write text in quotes, such as "text"',
    tuple[str, ...]: 'write strings in brackets, such as ["first", "second"]',
}
_TOML_TYPES: Mapping[Any, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    str: "a string",
    list: "a list",
    dict: "a table",
}


class _Spec(NamedTuple):
    """What one setting may be."""

    key: str
    type: Any
    doc: str
    low: float | None
    high: float | None
    address: bool
    regex: bool
    server: bool

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.type) if isinstance(self.type, type) and issubclass(self.type, StrEnum) else ()

    @property
    def expected(self) -> str:
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        between = "" if self.low is None else f" from {self.low} to {self.high}"
        return _TYPES[self.type] + between


def _specs(cls: Any, prefix: str = "") -> Iterator[_Spec]:
    """The settings below a dataclass, flat, in the order they are declared."""
    for f in fields(cls):
        key = prefix + f.name
        if is_dataclass(f.type):
            yield from _specs(f.type, f"{key}.")
        else:
            yield _Spec(key, f.type, **f.metadata)


class _File(NamedTuple):
    """A settings file that is there, able to say where in it something is wrong."""

    path: Path
    text: str

    def parse(self) -> dict[str, Any]:
        # Imported late: only who reads settings pays for the parser.
        import tomllib

        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            problem, line = _split_position(str(error), self.text)
        except (ValueError, RecursionError):
            problem, line = "a number too long or brackets too deep to read", 1
        raise ConfigError(f"{self.path}:{line}: not valid TOML: {problem}", hint="correct the line, or delete it")

    def error(self, path: tuple[str, ...], problem: str, hint: str) -> ConfigError:
        from lerim.config.lines import line_of  # Only a mistake needs its place.

        line = line_of(self.text, path)
        return ConfigError(f"{self.path}:{line}: key '{_dotted(path)}': {problem}", hint=hint)


def _split_position(message: str, text: str) -> tuple[str, int]:
    """What the parser found wrong, and the line. It says `… (at line 3, column 7)` or `… (at end of document)`."""
    problem, _, position = message.rpartition(" (at ")
    number = position.removeprefix("line ").partition(",")[0]
    return problem or message, int(number) if number.isdecimal() else text.rstrip().count("\n") + 1


def _walk(file: _File, table: Mapping[str, Any], cls: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Value]]:
    """The dotted keys and checked values of a table that is to fill the dataclass `cls`."""
    known = {f.name: f for f in fields(cls)}
    for name, value in table.items():
        here = (*path, name)
        setting = known.get(name)
        if setting is None:
            raise _unknown(file, here, value)
        if not is_dataclass(setting.type):
            yield ".".join(here), _checked(file, here, _Spec(name, setting.type, **setting.metadata), value)
        elif isinstance(value, dict):
            yield from _walk(file, value, setting.type, here)
        else:
            raise file.error(here, f"expected a table, got {_kind(value)}", f"start a table with [{_dotted(here)}]")


def _checked(file: _File, path: tuple[str, ...], spec: _Spec, value: Any) -> Value:
    if spec.choices:
        if value not in spec.choices:
            # The value is not repeated: what was meant to be a provider may turn out to be somebody's key.
            got = "another string" if isinstance(value, str) else _kind(value)
            raise file.error(path, f"expected {spec.expected}; got {got}", _nearest(str(value), spec.choices))
        return spec.type(value)  # type: ignore[no-any-return]
    if not _fits(spec.type, value):
        raise file.error(path, f"expected {spec.expected}, got {_kind(value)}", _HOW_TO_WRITE[spec.type])
    # Written as "not inside", so that nan is refused too.
    if spec.low is not None and spec.high is not None and not spec.low <= value <= spec.high:
        hint = f"choose a value from {spec.low} to {spec.high}"
        raise file.error(path, f"expected {spec.expected}, got {_number(value)}", hint)
    if spec.address and value:
        _check_address(file, path, value)
    if spec.regex and value:
        _check_patterns(file, path, value)
    if spec.server and value:
        _check_server(value, f"{file.path}: key '{_dotted(path)}'")
    if isinstance(value, list):
        return tuple(value)
    return float(value) if spec.type is float else value


def _check_address(file: _File, path: tuple[str, ...], text: str) -> None:
    """Raises ConfigError for what is no address. It is not repeated: a name and a password may be in it."""
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    if "@" in host:
        raise _secret(file, path, ".".join(path))
    plain = text.isascii() and text.isprintable() and not set(" ?#\\") & set(text)
    if scheme not in ("http", "https") or not host.strip("[]:.") or not plain:
        raise file.error(path, "expected an address", 'write it as "https://host/path"')


def _check_server(text: str, where: str) -> None:
    """Raises ConfigError for what is no address of a server. It is not repeated: a password may be in it."""
    if not public_address(text):
        raise ConfigError(
            f"{where}: expected the address of a PostgreSQL", hint='write it as "postgresql://user@host/database"'
        )


def public_address(url: str) -> str:
    """The address of a server without what nobody else may know; nothing when it is none."""
    scheme, _, rest = url.partition("://")
    place, _, query = rest.partition("?")
    servers, _, database = place.partition("/")
    login, at, hosts = servers.rpartition("@")
    # Of what stands behind the question mark, only where the server is.
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] in _WHERE)
    if scheme not in SCHEMES or not (hosts or database or kept) or not url.isprintable() or " " in url:
        return ""
    return f"{scheme}://{login.partition(':')[0]}{at}{hosts}/{database}{'?' if kept else ''}{kept}"


#: What the address of a server begins with.
SCHEMES = ("postgresql", "postgres")
_WHERE = ("host", "hostaddr", "port", "dbname", "user")


def _check_patterns(file: _File, path: tuple[str, ...], patterns: Sequence[str]) -> None:
    """Raises ConfigError for a pattern that cannot be looked for."""
    from lerim.regex import PatternError, Regex  # Start-up: takes a library, and most people have no patterns.

    if len(patterns) > _MANY_PATTERNS:
        raise file.error(path, f"{len(patterns)} patterns; at most {_MANY_PATTERNS}", "join some of them with '|'")
    steps = 0
    for pattern in patterns:
        try:
            steps += Regex(pattern).steps
        except PatternError as error:
            hint = "write a regular expression as RE2 knows it, in single quotes; see docs/redaction.md"
            raise file.error(path, f"the pattern {pattern!r} {error}", hint) from error
    if steps > _MANY_STEPS:
        raise file.error(path, "together the patterns take too long to look for", "drop some, or large counts in them")


def _fits(kind: Any, value: Any) -> bool:
    # Compared by exact type: to Python a boolean is an integer, to the person who wrote it it is a mistake.
    if kind is float:
        return type(value) in (int, float)
    if kind == tuple[str, ...]:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return type(value) is kind


def _kind(value: Any) -> str:
    odd = [item for item in value if not isinstance(item, str)] if isinstance(value, list) else []
    return f"a list that holds {_kind(odd[0])}" if odd else _TOML_TYPES.get(type(value), "a date or time")


def _number(value: Any) -> str:
    # Python refuses to spell an integer of thousands of digits.
    return str(value) if isinstance(value, float) or abs(value) < 10**15 else "a much larger one"


def _unknown(file: _File, path: tuple[str, ...], value: Any) -> ConfigError:
    keys = [s.key for s in _specs(Settings)]
    table, name = ".".join(path[:-1]), path[-1]
    if isinstance(value, dict):
        tables = ("roles", *dict.fromkeys(_split(key)[0] for key in keys))
        return file.error(path, "unknown table", _nearest(".".join(path), tables))
    # A right name in the wrong table is the likeliest slip, and can be too far from its dotted key to look similar.
    if moved := next((key for key in keys if _split(key)[1] == name), None):
        return file.error(path, "unknown key", f"did you mean '{moved}'?")
    siblings = ", ".join(_split(key)[1] for key in keys if _split(key)[0] == table)
    otherwise = f"the table [{table}] has {siblings}" if siblings else "delete it; docs/config.md lists every key"
    return file.error(path, "unknown key", _nearest(".".join(path), keys, otherwise))


def _split(key: str) -> tuple[str, str]:
    table, _, name = key.rpartition(".")
    return table, name


def _nearest(word: str, known: Sequence[str], otherwise: str = "") -> str:
    # Imported late: only a mistake pays for it.
    from difflib import get_close_matches

    # Stricter for dotted keys: those of one table look similar by its name alone.
    found = get_close_matches(word, known, n=1, cutoff=0.75 if "." in word else 0.6)
    return f"did you mean '{found[0]}'?" if found else otherwise or f"choose one of {', '.join(known)}"


# --- secrets ----------------------------------------------------------------------------------------------------------

_SECRET_NAMES = ("apikey", "secret", "token", "password")
_SECRET_STARTS = (
    *("sk-", "sk_live_", "pk-lf-", "gsk_", "hf_", "AIza", "eyJ"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA"),
)
# Shorter than any key, longer than the chance beginning of a model's name.
_SECRET_LENGTH = 12


def _refuse_secrets(file: _File, value: Any, path: tuple[str, ...] = (), near: str = "") -> None:
    """Raises ConfigError at an API key, by its name or by its looks. Its value is repeated nowhere."""
    if isinstance(value, dict):
        for name, inner in value.items():
            # A number is no key: max_tokens is merely unknown. Nor is a setting of ours that counts tokens.
            named = _names_secret(name) and not isinstance(inner, int | float) and not _is_known((*path, name))
            if named or _looks_secret(name):
                raise _secret(file, (*path, name), f"{near} {name} {value.get('provider')} {str(inner)[:8]}")
            _refuse_secrets(file, inner, (*path, name), f"{near} {name} {value.get('provider')}")
    elif isinstance(value, list):
        for inner in value:
            _refuse_secrets(file, inner, path, near)
    elif isinstance(value, str) and _looks_secret(value):
        raise _secret(file, path, f"{near} {value[:8]}")


def _is_known(path: tuple[str, ...]) -> bool:
    return ".".join(path) in (s.key for s in _specs(Settings))


def _names_secret(name: str) -> bool:
    plain = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    return any(word in plain for word in _SECRET_NAMES)


def _looks_secret(text: str) -> bool:
    head, _, tail = text.partition(".")
    if len(head) == 32 and len(tail) >= 16 and head.isalnum() and tail.isalnum():  # Z.AI's keys have no prefix
        return True
    words = text.replace("=", " ").replace(":", " ").split()
    return any(word.startswith(_SECRET_STARTS) and len(word) >= _SECRET_LENGTH for word in words)


def _secret(file: _File, path: tuple[str, ...], clues: str) -> ConfigError:
    variables = _variables(clues.lower().replace("sk-ant-", "anthropic").replace("sk-or-", "openrouter"))
    hint = f"set {variables} in the environment and delete this line"
    return file.error(path, "API keys are read from the environment only", hint)


def _variables(clues: str) -> str:
    """The variable of the provider that the clues name, or all of them."""
    if optional := [name for provider, name in OPTIONAL_API_KEYS.items() if provider in clues]:
        return optional[0]
    *others, last = [name for provider, name in API_KEYS.items() if provider in clues] or API_KEYS.values()
    return f"{', '.join(others)} or {last}" if others else last


# --- spelling ----------------------------------------------------------------------------------------------


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(map(_spelled, path))


def _spelled(name: str) -> str:
    if _looks_secret(name):
        return "…"
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else _toml(name)


def _toml(value: Value) -> str:
    """A value as one writes it in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        import json

        return json.dumps(str(value), ensure_ascii=False)
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, tuple) else str(value)
