"""What a memory is: its fields, the values they may have, and the ids they go by.

`FIELDS` is the one list of fields. Store, Markdown, export and search read it,
so a new field is a line here and a migration.
"""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, NamedTuple, NewType, get_args

from lerim.dataclass import dataclass, field, fields, replace
from lerim.errors import InvalidRecord

RecordId = NewType("RecordId", str)
Clock = Callable[[], datetime]
Random = Callable[[int], bytes]

MAX_TITLE = 200
MAX_TAGS = 32
#: What a person confirmed is at least this sure.
CONFIRMED = 0.9
#: From this confidence on a candidate is likely to be worth keeping: of the embedded engine's two in five are, of the
#: others one in five (`evals/extract.py --review` on everyday sessions).
LIKELY = 0.21
MAX_TAG = 64
# A memory is a page, not an archive. Larger text belongs in the repository, with a memory that points at it.
MAX_BODY_BYTES = 1024 * 1024


class PrimitiveTraits(NamedTuple):
    """All that is particular to one primitive."""

    #: What its ids begin with, and the folder its files lie in.
    prefix: str
    folder: str
    #: For people and models: what it is.
    meaning: str
    #: Other words for it in a question.
    also: tuple[str, ...] = ()
    #: What people label such a note with, besides all of the above.
    labels: tuple[str, ...] = ()


class Primitive(StrEnum):
    """The three things Lerim keeps."""

    DECISION = "decision"
    LEARNING = "learning"
    SUMMARY = "summary"

    @property
    def traits(self) -> PrimitiveTraits:
        return _PRIMITIVES[self]

    @property
    def is_lesson(self) -> bool:
        """Whether it is drawn from part of a session, or written by hand. A summary tells all of one."""
        return self is not Primitive.SUMMARY

    @property
    def default_kind(self) -> Kind | None:
        """The kind it has when nobody says which. Only learnings have one."""
        return Kind.INSIGHT if self is Primitive.LEARNING else None


class KindTraits(NamedTuple):
    """All that is particular to one kind."""

    #: For people and models: what it is.
    meaning: str
    #: A project has one answer at a time, as with decisions: a new one replaces the old one.
    is_choice: bool = False
    #: It tells people what to do. An agent that only read it somewhere has not learned it.
    is_rule: bool = False
    #: Other words for it in a question.
    also: tuple[str, ...] = ()
    #: What people label such a note with, besides all of the above.
    labels: tuple[str, ...] = ()


class Kind(StrEnum):
    """What sort of learning it is. A new one is a line here, its traits below, and a row in docs/memory.md."""

    INSIGHT = "insight"
    PROCEDURE = "procedure"
    FRICTION = "friction"
    PITFALL = "pitfall"
    PREFERENCE = "preference"

    @property
    def traits(self) -> KindTraits:
        return _KINDS[self]


_PRIMITIVES: Mapping[Primitive, PrimitiveTraits] = {
    Primitive.DECISION: PrimitiveTraits("dec", "decisions", "a choice that was made, and why", labels=("adr",)),
    Primitive.LEARNING: PrimitiveTraits("lrn", "learnings", "what was understood, by kind", also=("lesson",)),
    Primitive.SUMMARY: PrimitiveTraits("sum", "summaries", "what happened in one session"),
}
_KINDS: Mapping[Kind, KindTraits] = {
    Kind.INSIGHT: KindTraits("how things really are"),
    Kind.PROCEDURE: KindTraits(
        "steps that worked",
        is_rule=True,
        labels=("technique", "method", "process", "howto", "how-to", "step", "runbook"),
    ),
    Kind.FRICTION: KindTraits("what costs time again and again", labels=("pain",)),
    Kind.PITFALL: KindTraits(
        "a trap, and how to avoid it",
        also=("gotcha", "trap"),
        labels=("issue", "problem", "bug", "warning", "risk"),
    ),
    Kind.PREFERENCE: KindTraits("how the user wants things done", is_choice=True, is_rule=True, labels=("style",)),
}

#: What a session can teach and a person can write down.
Lesson = Literal[Primitive.DECISION, Primitive.LEARNING]
LESSONS: tuple[Lesson, ...] = get_args(Lesson)


def is_choice(primitive: Primitive, kind: Kind | None) -> bool:
    """Whether a project has one of these at a time: what was chosen last counts."""
    return primitive is Primitive.DECISION or (kind is not None and kind.traits.is_choice)


def is_rule(primitive: Primitive, kind: Kind | None) -> bool:
    """Whether it tells people what to do."""
    return primitive is Primitive.DECISION or (kind is not None and kind.traits.is_rule)


def kinds_explained() -> str:
    """The kinds of learnings with their meaning, as prompts tell them."""
    return "\n".join(f"- `{kind}`: {kind.traits.meaning}" for kind in Kind)


class Status(StrEnum):
    """Whether a record holds. Nothing is ever deleted by curation, only replaced or archived."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class Trust(StrEnum):
    """Whose words a record rests on. Of what a session says, only the first two can create a memory."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    INJECTED = "injected"
    #: It came as a file with a repository that the user does not trust: hearsay until they do.
    SHARED = "shared"
    #: Nobody wrote down whose words they are.
    UNKNOWN = "unknown"


#: Who speaks in a session: what a file may say of its evidence.
VOICES = (Trust.USER, Trust.AGENT, Trust.TOOL, Trust.INJECTED)


def named_speaker(name: str) -> Trust:
    """The speaker a file or a document names; unknown when that is nobody who speaks in a session."""
    return next((speaker for speaker in VOICES if speaker == name), Trust.UNKNOWN)


class Moment(NamedTuple):
    """When something was said. Of two things said in the same second, session and line tell which counts as later:
    the order in which sessions are read must not."""

    at: datetime
    session: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where in a session it comes from: `<agent>/<run_id>#L120-L124`, the words themselves, and whose they are."""

    agent: str
    run_id: str
    first_line: int
    last_line: int
    quote: str = ""
    speaker: Trust = Trust.UNKNOWN
    #: When the words were said, by the session's own clock. Where they stand is what tells two pieces apart.
    said: datetime | None = field(default=None, compare=False)

    @property
    def reference(self) -> str:
        return f"{self.agent}/{self.run_id}#L{self.first_line}-L{self.last_line}"

    @property
    def citation(self) -> str:
        """What a file says of it: the reference and, when that is known, who speaks there. Never the words."""
        return f"{self.reference} ({self.speaker})" if self.speaker in VOICES else self.reference

    @classmethod
    def parse(cls, citation: str) -> Evidence:
        """The evidence a file cites, without its quote: quotes stay in the store. Raises InvalidRecord."""
        reference, _, who = citation.rpartition(" (") if citation.endswith(")") else (citation, "", "")
        session, _, lines = reference.rpartition("#")
        agent, _, run_id = session.partition("/")
        first, _, last = lines.partition("-")
        last = last or first
        numbers = first[1:], last[1:]
        counted = all(n.isdecimal() and len(n) < 19 for n in numbers)
        if not (agent and run_id and first[:1] == last[:1] == "L" and counted):
            raise InvalidRecord("evidence", f"'{citation}' is not of the form 'agent/run_id#L120-L124 (user)'")
        return cls(agent, run_id, int(numbers[0]), int(numbers[1]), speaker=named_speaker(who.removesuffix(")")))


@dataclass(frozen=True, slots=True)
class Record:
    """One memory as it stands in one version."""

    id: RecordId
    primitive: Primitive
    title: str
    body: str
    created: datetime
    updated: datetime
    source: str = "manual"
    confidence: float = 0.8
    tags: tuple[str, ...] = ()
    #: Only learnings have one.
    kind: Kind | None = None
    status: Status = Status.ACTIVE
    version: int = 1
    valid_from: datetime | None = None
    #: Set when something replaced it. An archived record keeps its window open: it was archived, not refuted.
    valid_until: datetime | None = None
    superseded_by: RecordId | None = None
    #: When a person last gave it other words. Tags, feedback and its status say nothing anew.
    worded: datetime | None = None
    evidence: tuple[Evidence, ...] = ()
    trust: Trust = Trust.USER
    # The next seven belong to summaries: one per session.
    description: str | None = None
    date: str | None = None
    time: str | None = None
    coding_agent: str | None = None
    raw_trace_path: str | None = None
    run_id: str | None = None
    repo_name: str | None = None
    #: Frontmatter keys of a person's own. Kept and written back, never interpreted.
    extra: Mapping[str, Any] = field(default_factory=dict)
    #: When it was last of use, and how often. Attention, not truth: it has no versions.
    last_used: datetime | None = None
    uses: int = 0

    @property
    def holds(self) -> bool:
        """Whether it is current truth."""
        return self.status is Status.ACTIVE

    @property
    def last_said(self) -> Moment:
        """When it was last said: by whom it rests on, in its sessions; else when a person wrote it."""
        began = self.valid_from or self.created
        # What a person wrote, they said when they wrote it or gave it other words; sessions may have said it before, or
        # again since. A file may tell of a day long before it was first read.
        is_written = self.source == "manual"
        if not self.evidence:
            return Moment(max(began, self.worded or began) if is_written else began)
        said = max(Moment(e.said or began, f"{e.agent}/{e.run_id}", e.last_line) for e in self.own_evidence)
        return max(said, Moment(self.worded or self.created)) if is_written else said

    @property
    def own_evidence(self) -> Sequence[Evidence]:
        """The words of whom it rests on: an agent that repeats the user's word does not make it the user's last one."""
        return [piece for piece in self.evidence if piece.speaker is self.trust] or self.evidence

    @property
    def is_hearsay(self) -> bool:
        """Whether it came with a repository that the user does not trust: shown and marked, never above their own."""
        return self.trust is Trust.SHARED

    @property
    def may_brief(self) -> bool:
        """Whether an agent may be told so before it starts, with nobody looking."""
        return self.holds and not self.is_hearsay


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory about to be written: what a person or a model says. Ids, times and versions are ours to give."""

    primitive: Primitive
    title: str
    body: str = ""
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    confidence: float = 0.8
    source: str = "manual"
    evidence: tuple[Evidence, ...] = ()
    trust: Trust = Trust.USER

    def record(self, now: datetime, random: Random = os.urandom) -> Record:
        """The record this draft becomes. Raises InvalidRecord."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return valid(Record(id=new_id(self.primitive, random), created=now, updated=now, **values))


def implied_trust(primitive: Primitive, evidence: tuple[Evidence, ...]) -> Trust:
    """Whose words a record rests on as far as its evidence tells. What cites nothing was written by whoever keeps it,
    and a summary is the agent's or Lerim's."""
    if not primitive.is_lesson:
        return Trust.AGENT
    if not evidence:
        return Trust.USER
    return evidence[0].speaker if evidence[0].speaker in (Trust.USER, Trust.AGENT) else Trust.UNKNOWN


#: What a version keeps: every field but the two that count attention.
FIELDS: tuple[str, ...] = tuple(f.name for f in fields(Record) if f.name not in {"last_used", "uses"})

_BY_PREFIX = {primitive.traits.prefix: primitive for primitive in Primitive}
_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_CONFLICT_MARKERS = ("<<<<<<< ", "=======", ">>>>>>> ")


def new_id(primitive: Primitive, random: Random = os.urandom) -> RecordId:
    """A fresh id: the primitive's prefix and ten lower-case base32 characters (50 bits)."""
    letters = "".join(_BASE32[byte & 31] for byte in random(10))
    return RecordId(f"{primitive.traits.prefix}-{letters}")


def primitive_of(record_id: str) -> Primitive:
    """Which primitive an id speaks of. Raises InvalidRecord when it is no record id."""
    prefix, _, rest = record_id.partition("-")
    well_formed = 3 <= len(rest) <= 32 and rest.isascii() and rest.isalnum() and rest == rest.lower()
    if prefix not in _BY_PREFIX or not well_formed:
        raise InvalidRecord("id", f"'{record_id}' is not a record id such as 'dec-k3v9q2m7xa'")
    return _BY_PREFIX[prefix]


def utc_now() -> datetime:
    """Now, to the second: what people read, sort and compare in files."""
    return datetime.now(UTC).replace(microsecond=0)


def utc_moment() -> datetime:
    """Now, as exactly as the machine knows: for logs, where much happens within a second."""
    return datetime.now(UTC)


@lru_cache(maxsize=1024)  # One record says the same moment several times.
def time_text(moment: datetime) -> str:
    """ISO 8601, UTC, `Z`, to the second."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="seconds")[:19] + "Z"


def stamp_text(moment: datetime) -> str:
    """A moment as a part of a file's name: `20261115-173053`."""
    return time_text(moment).translate({ord(mark): None for mark in "-:Z"}).replace("T", "-")


def parse_time(text: str, name: str = "time") -> datetime:
    """A moment from ISO 8601. A date alone means its first second; no zone means UTC. Raises InvalidRecord."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise InvalidRecord(name, f"'{text}' is not a time such as 2026-02-20T10:30:00Z") from None
    return moment.replace(microsecond=0)


def parse_last_moment(text: str, name: str = "time") -> datetime:
    """Like `parse_time`, but a date alone means its last second: `--until` a day includes it."""
    moment = parse_time(text, name)
    return moment.replace(hour=23, minute=59, second=59) if len(text.strip()) <= 10 else moment


def valid(record: Record) -> Record:
    """The record with its text normalized, or InvalidRecord naming the field. All that is stored came through here."""
    if primitive_of(record.id) is not record.primitive:
        raise InvalidRecord("id", f"'{record.id}' does not name a {record.primitive}")
    default = record.primitive.default_kind
    if default and record.kind is None:
        raise InvalidRecord(
            "kind", f"a {record.primitive} needs one of {', '.join(Kind)}", hint=f"add --kind {default}"
        )
    if not default and record.kind is not None:
        raise InvalidRecord(
            "kind", f"only learnings have a kind; this is a {record.primitive}", hint="drop --kind, or say learning"
        )
    if record.superseded_by == record.id:
        raise InvalidRecord("superseded_by", f"'{record.id}' cannot supersede itself")
    if record.status is Status.SUPERSEDED and record.superseded_by is None:
        raise InvalidRecord("status", "a superseded record names what replaced it in superseded_by")
    clean: dict[str, Any] = {
        "title": clean_title(record.title),
        "body": _clean_body(record.body),
        "source": _clean_line("source", record.source),
        "confidence": _clean_confidence(record.confidence),
        "tags": clean_tags(record.tags),
        "valid_from": record.valid_from or _first_said(record.evidence) or record.created,
    }
    # Most records are clean already, and a copy of this many fields is not free. The type counts: 1 is not yet 1.0.
    current = {name: getattr(record, name) for name in clean}
    is_clean = current == clean and type(record.confidence) is float
    return record if is_clean else replace(record, **clean)


def _first_said(evidence: tuple[Evidence, ...]) -> datetime | None:
    return min((piece.said for piece in evidence if piece.said), default=None)


def clean_title(title: str) -> str:
    """One line, single spaces, composed Unicode. Raises InvalidRecord when nothing is left or it is too long."""
    line = _clean_line("title", title)
    if len(line) > MAX_TITLE:
        raise InvalidRecord("title", f"{len(line)} characters; at most {MAX_TITLE}. Put the detail into the body")
    return line


def clean_tags(tags: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Lower case, dashes for spaces, no leading '#', each once, in the order given."""
    cleaned = dict.fromkeys(tag for tag in map(_clean_tag, tags) if tag)
    if len(cleaned) > MAX_TAGS:
        raise InvalidRecord("tags", f"{len(cleaned)} tags; at most {MAX_TAGS}")
    return tuple(cleaned)


def _clean_tag(tag: str) -> str:
    if tag.isascii() and tag.isalnum() and tag.islower() and len(tag) <= MAX_TAG:
        return tag
    text = "".join(c for c in tag if c.isprintable() or c.isspace())
    words = unicodedata.normalize("NFC", text).casefold().split()
    while words and not words[0].strip("#"):
        del words[0]
    text = "-".join(words).lstrip("#")
    if len(text) > MAX_TAG:
        raise InvalidRecord("tags", f"a tag of {len(text)} characters; at most {MAX_TAG}")
    return text


def _clean_line(name: str, text: str) -> str:
    line = " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())
    if not line:
        raise InvalidRecord(name, "is empty")
    for character in "" if line.isprintable() else line:
        # Cc: a terminal would obey it; Cs: UTF-8 cannot say it. Cf stays: emoji families are joined with it.
        if unicodedata.category(character) in {"Cc", "Cs"}:
            raise InvalidRecord(name, f"holds the control character U+{ord(character):04X}")
    return line


def _clean_body(body: str) -> str:
    if "\0" in body:
        raise InvalidRecord("body", "holds a NUL byte; a memory is text")
    try:
        size = len(body.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidRecord("body", "holds half a surrogate pair, which UTF-8 cannot say") from None
    if size > MAX_BODY_BYTES:
        raise InvalidRecord(
            "body", f"{size:,} bytes; at most {MAX_BODY_BYTES:,}. Keep the text in the repository and point at it"
        )
    if conflict_line(body):
        raise InvalidRecord("body", "holds git conflict markers; resolve them first")
    return body


def _clean_confidence(confidence: float) -> float:
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise InvalidRecord("confidence", f"'{confidence}' is not a number")
    if math.isnan(confidence) or not 0 <= confidence <= 1:
        raise InvalidRecord("confidence", f"{confidence} is not between 0.0 and 1.0")
    # Four digits are more than anyone can mean, and keep the file free of 0.30000000000000004.
    return round(float(confidence), 4)


def conflict_line(text: str) -> int | None:
    """The line (from 1) where git left an unresolved conflict, or None."""
    if "<<<<<<< " not in text:
        return None
    found = 0
    first = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_CONFLICT_MARKERS[found]):
            first = first or number
            found += 1
            if found == len(_CONFLICT_MARKERS):
                return first
    return None
