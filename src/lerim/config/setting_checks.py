"""What a file of settings may say: names, types and ranges, and no secrets. A mistake is told with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from lerim.config.settings import API_KEYS, OPTIONAL_API_KEYS, Settings, Value
from lerim.dataclass import fields, is_dataclass
from lerim.errors import ConfigError

# A repository's patterns run on every text of its sessions. Linear is not yet fast.
_MANY_PATTERNS = 50
_MANY_STEPS = 10_000

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


class SettingSpec(NamedTuple):
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


def specs(cls: Any, prefix: str = "") -> Iterator[SettingSpec]:
    """The settings below a dataclass, flat, in the order they are declared."""
    for f in fields(cls):
        key = prefix + f.name
        if is_dataclass(f.type):
            yield from specs(f.type, f"{key}.")
        else:
            yield SettingSpec(key, f.type, **f.metadata)


class SettingsFile(NamedTuple):
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


def checked_values(
    file: SettingsFile, table: Mapping[str, Any], cls: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, Value]]:
    """The dotted keys and checked values of a table that is to fill the dataclass `cls`."""
    known = {f.name: f for f in fields(cls)}
    for name, value in table.items():
        here = (*path, name)
        setting = known.get(name)
        if setting is None:
            raise _unknown(file, here, value)
        if not is_dataclass(setting.type):
            yield ".".join(here), _checked(file, here, SettingSpec(name, setting.type, **setting.metadata), value)
        elif isinstance(value, dict):
            yield from checked_values(file, value, setting.type, here)
        else:
            raise file.error(here, f"expected a table, got {_kind(value)}", f"start a table with [{_dotted(here)}]")


def _checked(file: SettingsFile, path: tuple[str, ...], spec: SettingSpec, value: Any) -> Value:
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
        check_server(value, f"{file.path}: key '{_dotted(path)}'")
    if isinstance(value, list):
        return tuple(value)
    return float(value) if spec.type is float else value


def _check_address(file: SettingsFile, path: tuple[str, ...], text: str) -> None:
    """Raises ConfigError for what is no address. It is not repeated: a name and a password may be in it."""
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    if "@" in host:
        raise _secret(file, path, ".".join(path))
    plain = text.isascii() and text.isprintable() and not set(" ?#\\") & set(text)
    if scheme not in ("http", "https") or not host.strip("[]:.") or not plain:
        raise file.error(path, "expected an address", 'write it as "https://host/path"')


def check_server(text: str, where: str) -> None:
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


def _check_patterns(file: SettingsFile, path: tuple[str, ...], patterns: Sequence[str]) -> None:
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


def _unknown(file: SettingsFile, path: tuple[str, ...], value: Any) -> ConfigError:
    keys = [s.key for s in specs(Settings)]
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


def refuse_secrets(file: SettingsFile, value: Any, path: tuple[str, ...] = (), near: str = "") -> None:
    """Raises ConfigError at an API key, by its name or by its looks. Its value is repeated nowhere."""
    if isinstance(value, dict):
        for name, inner in value.items():
            # A number is no key: max_tokens is merely unknown. Nor is a setting of ours that counts tokens.
            named = _names_secret(name) and not isinstance(inner, int | float) and not _is_known((*path, name))
            if named or _looks_secret(name):
                raise _secret(file, (*path, name), f"{near} {name} {value.get('provider')} {str(inner)[:8]}")
            refuse_secrets(file, inner, (*path, name), f"{near} {name} {value.get('provider')}")
    elif isinstance(value, list):
        for inner in value:
            refuse_secrets(file, inner, path, near)
    elif isinstance(value, str) and _looks_secret(value):
        raise _secret(file, path, f"{near} {value[:8]}")


def _is_known(path: tuple[str, ...]) -> bool:
    return ".".join(path) in (s.key for s in specs(Settings))


def _names_secret(name: str) -> bool:
    plain = name.lower().replace("-", "").replace("_", "").replace(" ", "")
    return any(word in plain for word in _SECRET_NAMES)


def _looks_secret(text: str) -> bool:
    head, _, tail = text.partition(".")
    if len(head) == 32 and len(tail) >= 16 and head.isalnum() and tail.isalnum():  # Z.AI's keys have no prefix
        return True
    words = text.replace("=", " ").replace(":", " ").split()
    return any(word.startswith(_SECRET_STARTS) and len(word) >= _SECRET_LENGTH for word in words)


def _secret(file: SettingsFile, path: tuple[str, ...], clues: str) -> ConfigError:
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
    return name if bare else toml_text(name)


def toml_text(value: Value) -> str:
    """A value as one writes it in a file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        import json

        return json.dumps(str(value), ensure_ascii=False)
    return f"[{', '.join(map(toml_text, value))}]" if isinstance(value, tuple) else str(value)
