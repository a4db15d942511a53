"""The first reading of a Claude Code file: the facts of the session, and which turns were rewound."""

from __future__ import annotations

from array import array
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, SessionRef
from lerim.sources.claude_records import MESSAGES, OUTLINE, SYNTHETIC, Outline, decoded, moment
from lerim.sources.claude_words import is_typed
from lerim.sources.trace import Header
from lerim.sources.values import as_object, string

_UUID = compile_later(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Chain:
    """The tree of records by `uuid` and `parentUuid`, kept as numbers.

    Rewinding in Claude Code returns to before a prompt: two prompts then follow the same message, with only the
    harness's records between, and the earlier one is abandoned with all that follows it. Parallel tool results make
    siblings too, but no prompts. A prompt without a known parent starts over (a cleared context, a lost line).
    """

    numbers: dict[str, int] = field(default_factory=dict)
    places: array[int] = field(default_factory=lambda: array("q"))
    parents: array[int] = field(default_factory=lambda: array("q"))
    #: For each record the message it stands at: itself, or the nearest one before it.
    anchors: array[int] = field(default_factory=lambda: array("q"))
    prompts: dict[int, int] = field(default_factory=dict)
    abandoned: set[int] = field(default_factory=set)
    #: Places where the session went on from an earlier point.
    returns: set[int] = field(default_factory=set)
    #: Ids of records that stand in the file more than once.
    repeated: set[str] = field(default_factory=set)

    def add(self, place: int, record: Outline) -> None:
        uuid = record.uuid
        assert uuid
        if uuid in self.numbers:
            # Other short ids than UUIDs may be placeholders that collide.
            if len(uuid) == 36:
                self.repeated.add(uuid)
            return
        parent = self.numbers.get(record.parentUuid, -1) if record.parentUuid else -1
        number = self.numbers[uuid] = len(self.places)
        before = self.anchors[parent] if parent >= 0 else -1
        is_message = record.type in MESSAGES and not record.isSidechain
        self.places.append(place)
        self.parents.append(parent)
        self.anchors.append(number if is_message or parent < 0 else before)
        if before >= 0 and is_message and _is_prompt(record):
            self._follow(place, number, before)

    def _follow(self, place: int, number: int, anchor: int) -> None:
        earlier = self.prompts.get(anchor)
        if earlier is not None:
            self.abandoned.add(earlier)
            self.returns.add(place)
        self.prompts[anchor] = number

    def undone(self) -> set[int]:
        """The places of abandoned prompts and of all that follows them."""
        if not self.abandoned:
            return set()
        dead = bytearray(len(self.places))
        for number, parent in enumerate(self.parents):
            dead[number] = number in self.abandoned or (parent >= 0 and dead[parent])
        return {self.places[number] for number, gone in enumerate(dead) if gone}


def _is_prompt(record: Outline) -> bool:
    if record.type != "user" or record.isMeta or record.isCompactSummary or not record.message:
        return False
    content = record.message.content
    if isinstance(content, list):
        if any(block.type == "tool_result" for block in content):
            return False
        content = "\n".join(block.text for block in content if block.text)
    return is_typed(content or "")


@dataclass
class Sketch:
    """What is known of a session before its lines are read."""

    first: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    chain: Chain = field(default_factory=Chain)
    undone: set[int] = field(default_factory=set)
    fork: str | None = None
    main_messages: int = 0
    side_messages: int = 0
    is_subagent: bool = False

    @classmethod
    def of(cls, path: Path, most: int | None = None) -> Sketch:
        """Of a whole file, or of its first `most` records; of more while they do not say where the session ran."""
        sketch, account, records = cls(), Account(), 0
        for place, record in decoded(path, account, OUTLINE):
            records += 1
            sketch._note(record)
            if record.uuid:
                sketch.chain.add(place, record)
            if most and records >= most and "cwd" in sketch.first:
                break
        if account.bad and not records:
            raise SourceError(f"cannot read {path}: {account.bad[0].reason} in line {account.bad[0].line}")
        sketch.undone = sketch.chain.undone()
        sketch.is_subagent = path.stem.startswith("agent-") or (not sketch.main_messages and sketch.side_messages > 0)
        return sketch

    def header(self, ref: SessionRef) -> Header:
        first = self.first
        parent, forked = self._origin(ref)
        return Header(
            agent=ref.agent,
            run_id=ref.run_id,
            cwd=first.get("cwd"),
            branch=first.get("branch"),
            model=first.get("model"),
            version=first.get("version"),
            started=first.get("started"),
            title=self.titles.get("custom") or self.titles.get("ai") or self.titles.get("summary"),
            parent=parent,
            forked_from=forked,
        )

    def _origin(self, ref: SessionRef) -> tuple[str | None, str | None]:
        """The parent of a subagent, or the session that a fork was taken from."""
        session = self.first.get("session")
        other = session if session != ref.run_id else None
        if self.is_subagent:
            return (ref.path.parent.parent.name if ref.path.parent.name == "subagents" else other), None
        return None, self.fork or (other if _UUID.fullmatch(ref.run_id) else None)

    def _note(self, record: Outline) -> None:
        message = record.message
        if record.type in MESSAGES:
            self.main_messages += not record.isSidechain
            self.side_messages += bool(record.isSidechain)
            if message and message.model and message.model != SYNTHETIC and "model" not in self.first:
                self.first["model"] = message.model
        elif record.type in {"custom-title", "ai-title", "summary"}:
            self._note_title(record)
        if len(self.first) < 6:
            self._note_first(record)
        if record.forkedFrom and not self.fork:
            self.fork = string(as_object(record.forkedFrom).get("sessionId")) or string(record.forkedFrom) or None

    def _note_first(self, record: Outline) -> None:
        found = {
            "cwd": record.cwd,
            "branch": record.gitBranch,
            "version": record.version,
            "session": record.sessionId,
            "started": moment(record.timestamp),
        }
        for name, value in found.items():
            if value:
                self.first.setdefault(name, value)

    def _note_title(self, record: Outline) -> None:
        if record.customTitle:
            self.titles["custom"] = record.customTitle
        elif record.aiTitle:
            self.titles["ai"] = record.aiTitle
        # Resuming prepends the summaries of other sessions; ours names one of our own records, which stands before it.
        elif record.summary and record.leafUuid in self.chain.numbers:
            self.titles["summary"] = record.summary
