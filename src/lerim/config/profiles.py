"""Profiles: what counts as durable in a kind of work, whose word counts, what is private, and how views are headed.

Shipped ones are data files in `profiles/`; a user's own lie in `profiles/` of Lerim's home. A repository brings none:
it can only name one that the user has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.errors import ConfigError, NotFound, UsageError
from lerim.openat import read_own

CODING = "coding"
#: The file that a profile of one's own begins with.
TEMPLATE = "custom"
MAX_FILE = 200_000
_SHIPPED = Path(__file__).parents[1] / "profiles"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_MOST_TEXT, _MOST_WORD, _MOST_WORDS, _MOST_PATTERNS = 6_000, 80, 200, 50
_BEFORE_ROLE = re.compile(r".*\(([^()]*)\)\s*", re.DOTALL)

#: What a reader is told, in this order.
READER_PARTS = ("task", "keep", "must", "test", "hints", "skip", "amount")
#: The sections of the brief, in the order they stand in unless a profile says otherwise.
SECTIONS = ("start", "decisions", "rules", "facts", "risks")
_WORD_LISTS = ("lasting", "telling", "passing")


class SpeakerStanding(StrEnum):
    """What somebody's words are worth in a session."""

    USER = "user"  # decides
    AGENT = "agent"  # reports
    DATA = "data"  # is only read


class PrivateKind(StrEnum):
    """What of people can be taken out before anything is kept."""

    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"
    CARD = "card"
    IBAN = "iban"
    ACCOUNT = "account"
    ORDER = "order"
    ADDRESS = "address"


@dataclass(frozen=True)
class Profile:
    """How sessions of one kind of work are read and told."""

    name: str
    about: str
    #: The file it came from.
    path: Path
    reader: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    #: Plain words for the embedded reader: what lasts, tells, passes, and what is of a kind.
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    speakers: Mapping[str, SpeakerStanding] = field(default_factory=dict)
    #: Who is not named there; by their role when that is not said.
    others: SpeakerStanding | None = None
    private: tuple[PrivateKind, ...] = ()
    patterns: tuple[str, ...] = ()
    headings: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = SECTIONS

    @property
    def is_coding(self) -> bool:
        """Whether it is the one that holds unless somebody says otherwise."""
        return self.path == _SHIPPED / f"{CODING}.toml"

    @property
    def is_shipped(self) -> bool:
        return self.path.parent == _SHIPPED

    def standing(self, speaker: str | None, role: str) -> SpeakerStanding:
        """What the words of a speaker are worth, who speaks under a role: "user" or "assistant".

        A speaker is what somebody is, or "name (what they are)".
        """
        by_role = self.speakers.get(role, SpeakerStanding.USER if role == "user" else SpeakerStanding.AGENT)
        if not speaker:
            return by_role
        inner = _BEFORE_ROLE.fullmatch(speaker)
        known = self.speakers.get((inner[1] if inner else speaker).strip().casefold())
        return known or self.others or by_role


class Profiles:
    """The profiles there are: those that are shipped, and the user's own."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "profiles"

    def names(self) -> list[str]:
        """Every profile by name, the shipped ones first."""
        shipped = sorted(path.stem for path in _SHIPPED.glob("*.toml"))
        own = sorted(path.stem for path in self.folder.glob("*.toml") if _NAME.fullmatch(path.stem))
        return [*shipped, *(name for name in own if name not in shipped)]

    def find(self, name: str) -> Profile:
        """A profile by name. Raises NotFound, and ConfigError for one that cannot be read."""
        if not _NAME.fullmatch(name):
            raise NotFound(f"no profile {name!r:.60}", hint=f"one of {', '.join(self.names())}")
        if (_SHIPPED / f"{name}.toml").is_file():
            return _shipped(name)
        path = self.folder / f"{name}.toml"
        if not path.is_file():
            hint = f"one of {', '.join(self.names())}; or add the file: lerim profile add FILE"
            raise NotFound(f"no profile '{name}'", hint=hint)
        return read_profile(path)

    def get(self, name: str | None) -> Profile:
        """The profile a trace was read by. One that is gone, or cannot be read any more, is the one of coding: whose
        word counts and what is private was settled when the trace was kept."""
        try:
            return self.find(name or CODING)
        except (NotFound, ConfigError):
            return _shipped(CODING)

    def add(self, source: Path) -> Profile:
        """Take a file in as one of the user's own, checked, under its name. Raises ConfigError, UsageError."""
        name = source.stem.lower()
        found = read_profile(source)
        self._put(name, read_own(source, MAX_FILE).decode("utf-8"))
        return self.find(found.name)

    def new(self, name: str) -> Path:
        """A file of one's own to edit, as the commented one is. Raises UsageError when there is one of that name."""
        text = (_SHIPPED / f"{TEMPLATE}.toml").read_text(encoding="utf-8")
        if (self.folder / f"{name}.toml").exists():
            raise UsageError(f"there is a profile '{name}' already", hint=f"lerim profile show {name}")
        return self._put(name, text)

    def _put(self, name: str, text: str) -> Path:
        from lerim.config.writing import write_settings  # Start-up: it loads the parser.

        if not _NAME.fullmatch(name):
            raise UsageError(f"'{name}' is no name for a profile", hint="small letters, digits and dashes")
        if (_SHIPPED / f"{name}.toml").exists():
            raise UsageError(f"'{name}' is a profile that comes with Lerim", hint="give yours another name")
        path = self.folder / f"{name}.toml"
        write_settings(path, text)
        return path


@cache
def _shipped(name: str) -> Profile:
    return read_profile(_SHIPPED / f"{name}.toml")


def shipped_profile(name: str | None) -> Profile:
    """A profile that comes with Lerim; the one of coding without a name. Raises NotFound."""
    if name is not None and (not _NAME.fullmatch(name) or not (_SHIPPED / f"{name}.toml").is_file()):
        raise NotFound(f"no profile '{name:.60}' comes with Lerim", hint="lerim profile list")
    return _shipped(name or CODING)


def profile_of_trace(name: str | None) -> Profile:
    """The profile that a kept trace names, of those that come with Lerim; else the one of coding."""
    try:
        return shipped_profile(name)
    except NotFound:
        return _shipped(CODING)


@cache
def memory_kinds() -> tuple[str, ...]:
    """The kinds of memories, in the order they are told of: those that the shipped profile says the meaning of."""
    return tuple(_document(_SHIPPED / f"{CODING}.toml")["kinds"])


def coding_profile() -> Profile:
    """The profile that holds unless somebody says otherwise."""
    return _shipped(CODING)


def read_profile(path: Path) -> Profile:
    """The profile in a file. Raises ConfigError at the first thing that is wrong."""
    return _Reading(path, _document(path)).profile()


def _document(path: Path) -> dict[str, Any]:
    import tomllib  # Start-up: most people read coding sessions, and need no file for it.

    try:
        return tomllib.loads(read_own(path, MAX_FILE).decode("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file", hint="lerim profile list") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}", hint="make it a text file you may read") from None
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}", hint="correct the line, or delete it") from None


class _Reading:
    """Checks a profile's document, table by table. What is left out is as in the template."""

    def __init__(self, path: Path, document: Mapping[str, Any]) -> None:
        self.path = path
        self.document = document

    def profile(self) -> Profile:
        known = ("about", "reader", "kinds", "words", "speakers", "private", "headings")
        self._only(self.document, known, "")
        about = self._text("", "about", self.document.get("about"), 300)
        speakers = {**self._default_speakers(), **dict(self._speakers())}
        headings = self._table("headings")
        return Profile(
            name=self.path.stem.lower(),
            about=about,
            path=self.path,
            reader={**self._default("reader"), **dict(self._texts("reader", READER_PARTS))},
            kinds={**self._default("kinds"), **dict(self._texts("kinds", memory_kinds()))},
            words=dict(self._words()),
            speakers={name: value for name, value in speakers.items() if name != "others"},
            others=speakers.get("others"),
            private=tuple(self._private_kinds()),
            patterns=self._patterns(),
            headings={**self._default("headings"), **dict(self._texts("headings", SECTIONS, {"order"}))},
            order=self._order(headings),
        )

    def _default(self, table: str) -> dict[str, str]:
        if self.path == _SHIPPED / f"{TEMPLATE}.toml":
            return {}
        template = _shipped(TEMPLATE)
        return dict({"reader": template.reader, "kinds": template.kinds, "headings": template.headings}[table])

    def _default_speakers(self) -> dict[str, SpeakerStanding]:
        """Who counts for what in a profile of one's own, where it does not say so: as in the template."""
        if self.path.parent == _SHIPPED:
            return {}
        template = _shipped(TEMPLATE)
        return {**template.speakers, **({"others": template.others} if template.others else {})}

    def _error(self, key: str, problem: str, hint: str) -> ConfigError:
        from lerim.config.lines import line_of  # Only a mistake needs its place.

        try:
            line = line_of(self.path.read_text(encoding="utf-8"), tuple(key.split(".")))
        except (OSError, ValueError):
            line = 1
        return ConfigError(f"{self.path}:{line}: key '{key}': {problem}", hint=hint)

    def _table(self, name: str) -> Mapping[str, Any]:
        found = self.document.get(name, {})
        if not isinstance(found, dict):
            raise self._error(name, "expected a table", f"start a table with [{name}]")
        return found

    def _only(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in table:
            if key not in known:
                raise self._error(f"{where}{key}", "unknown key", f"one of {', '.join(known)}; see docs/profiles.md")

    def _text(self, table: str, key: str, value: Any, most: int = _MOST_TEXT) -> str:
        name = f"{table}.{key}" if table else key
        if not isinstance(value, str) or not value.strip():
            raise self._error(name, "expected a text", 'write text in quotes, such as "text"')
        if len(value) > most:
            raise self._error(name, f"{len(value):,} characters; at most {most:,}", "say it in fewer words")
        return value.strip("\n")

    def _texts(
        self, table: str, known: Sequence[str], besides: frozenset[str] | set[str] = frozenset()
    ) -> Iterator[tuple[str, str]]:
        found = self._table(table)
        self._only(found, (*known, *besides), f"{table}.")
        most = _MOST_WORD if table == "headings" else _MOST_TEXT
        for key in known:
            if key in found:
                yield key, self._text(table, key, found[key], most)

    def _list(self, table: str, key: str, value: Any, most: int) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            hint = 'write strings in brackets, such as ["first", "second"]'
            raise self._error(f"{table}.{key}", "expected a list of strings", hint)
        if len(value) > most:
            raise self._error(f"{table}.{key}", f"{len(value)} of them; at most {most}", "drop some")
        return tuple(value)

    def _words(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        found = self._table("words")
        self._only(found, (*_WORD_LISTS, *memory_kinds()), "words.")
        for key, value in found.items():
            words = self._list("words", key, value, _MOST_WORDS)
            if any(len(word) > _MOST_WORD for word in words):
                raise self._error(f"words.{key}", f"a phrase of more than {_MOST_WORD} characters", "shorten it")
            if words:
                yield key, tuple(" ".join(word.casefold().split()) for word in words)

    def _speakers(self) -> Iterator[tuple[str, SpeakerStanding]]:
        for name, value in self._table("speakers").items():
            if value not in tuple(SpeakerStanding):
                raise self._error(f"speakers.{name}", "expected user, agent or data", 'such as customer = "data"')
            yield name.strip().casefold(), SpeakerStanding(value)

    def _private_kinds(self) -> Iterator[PrivateKind]:
        found = self._table("private")
        self._only(found, ("kinds", "patterns"), "private.")
        default = [] if self.path.parent == _SHIPPED else list(_shipped(TEMPLATE).private)
        for kind in self._list("private", "kinds", found.get("kinds", default), len(PrivateKind)):
            if kind not in tuple(PrivateKind):
                raise self._error("private.kinds", f"'{kind:.40}' is unknown", f"of {', '.join(PrivateKind)}")
            yield PrivateKind(kind)

    def _patterns(self) -> tuple[str, ...]:
        patterns = self._list("private", "patterns", self._table("private").get("patterns", []), _MOST_PATTERNS)
        if patterns:
            from lerim.regex import PatternError, Regex  # Start-up: takes a library.

            for pattern in patterns:
                try:
                    Regex(pattern)
                except PatternError as error:
                    hint = "write a regular expression as RE2 knows it, in single quotes; see docs/redaction.md"
                    raise self._error("private.patterns", f"the pattern {pattern!r} {error}", hint) from error
        return patterns

    def _order(self, headings: Mapping[str, Any]) -> tuple[str, ...]:
        given = self._list("headings", "order", headings.get("order", list(SECTIONS)), len(SECTIONS))
        if sorted(given) != sorted(SECTIONS):
            raise self._error("headings.order", "expected each section once", f"{', '.join(SECTIONS)}, in any order")
        return given


def name_profile(folder: Path, name: str) -> Path:
    """Name the profile of a project in the settings of its `.lerim` folder; the file. Raises ConfigError."""
    from lerim import openat
    from lerim.config.writing import changed  # Start-up: it loads the parser.

    path = folder / "config.toml"
    try:
        text = openat.read(path, MAX_FILE).decode("utf-8")
    except FileNotFoundError:
        text = ""
    openat.write(path, changed(text, {"profile": {"name": name}}).encode(), 0o644)
    return path
