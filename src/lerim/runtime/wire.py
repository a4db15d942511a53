"""What crosses between the lead agent and its tools: every task, call and answer, as a typed value.

A model reads and writes these as JSON, and so they are described to it; the embedded policy gets the very values. Each
message is encoded and decoded here and nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from lerim.context.records import Draft, Kind, Primitive, Record, RecordId, Status, Trust
from lerim.ingest.findings import Candidate
from lerim.ingest.reconcile import LONG_AGO, KnownRecord

#: How much of a memory's body a search shows.
MAX_SHOWN = 4_000
#: The most an explorer may return.
MAX_EVIDENCE = 20
_EXCERPT = 2_000
# What a task tells as data stands in one such block: a model reads it, and so does the embedded policy.
_OPEN, _CLOSE = "```json\n", "\n```"


class WireMessage(BaseModel):
    """Something that is shown to a model. An empty field is left out."""

    model_config = ConfigDict(frozen=True)

    def json_text(self, indent: int | None = None) -> str:
        # Half a surrogate pair, which a path or a session may hold, has no bytes: pydantic's own writer refuses it.
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=indent)

    @model_serializer(mode="wrap")
    def _spoken(self, encode: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in encode(self).items() if value is not None}


# --- calls ------------------------------------------------------------------------------------------------------------


class ToolArguments(WireMessage):
    """The arguments of a tool. Their fields' descriptions are what a model reads."""

    model_config = ConfigDict(extra="forbid")
    tool: ClassVar[str]


class ReadPage(ToolArguments):
    tool = "read"
    file_path: Annotated[str, Field(description="The file or folder. A relative path starts at the memory root.")]
    offset: Annotated[int, Field(description="The first line to show, counted from 1.")] = 1
    limit: Annotated[int, Field(description="How many lines to show at most.")] = 2000


class FindFiles(ToolArguments):
    tool = "glob"
    pattern: Annotated[str, Field(description="The pattern, relative to base_path.")]
    base_path: Annotated[str | None, Field(description="The folder to look in; the memory root unless given.")] = None


class FindLines(ToolArguments):
    tool = "grep"
    pattern: Annotated[str, Field(description="The regular expression.")]
    base_path: Annotated[
        str | None, Field(description="The file or folder to search; the memory root unless given.")
    ] = None
    include: Annotated[str, Field(description="Which file names to search, such as `*.md`.")] = "*.md"
    max_hits: Annotated[int, Field(description="How many lines to show at most.")] = 100


class Explore(ToolArguments):
    tool = "explore"
    query: Annotated[
        str, Field(description="What to look for: the words that matter, and other words for the same thing.")
    ]
    candidate: Annotated[
        str | None, Field(description="In sync, the id of the candidate this search is for, such as `c1`.")
    ] = None


class ReadSession(ToolArguments):
    """What both pipelines take."""

    guidance: Annotated[
        str | None,
        Field(description="What to look at in particular, in a sentence. Leave it out unless there is a reason."),
    ] = None


class Extract(ReadSession):
    tool = "extract_pipeline"


class Summarize(ReadSession):
    tool = "summarize_pipeline"


class WriteMemory(ToolArguments):
    tool = "write_memory"
    primitive: Annotated[Primitive, Field(description="`decision` or `learning`.")]
    title: Annotated[str, Field(description="One line that stands alone, at most 200 characters.")]
    body: Annotated[str, Field(description="Markdown without frontmatter.")]
    confidence: Annotated[float, Field(description="How sure, from 0 to 1.")] = 0.8
    tags: Annotated[tuple[str, ...] | None, Field(description="A few words to find it by.")] = None
    kind: Annotated[
        Kind | None,
        Field(description="For learnings, which need one: insight, procedure, friction, pitfall or preference."),
    ] = None
    candidate: Annotated[
        str | None, Field(description="In sync, the candidate it comes from, such as `c1`. Needed.")
    ] = None
    updates: Annotated[
        str | None, Field(description="The id of the active record that this is a better version of.")
    ] = None
    replaces: Annotated[
        tuple[str, ...] | None,
        Field(description="Ids of active records that hold no more because of this."),
    ] = None
    replaced_by: Annotated[
        str | None,
        Field(
            description="In sync, the id of a record with `said_later` that holds instead of this one: it is kept as"
            " history."
        ),
    ] = None

    def draft(self) -> Draft:
        return Draft(self.primitive, self.title, self.body, self.kind, self.tags or (), self.confidence)


class WriteFile(ToolArguments):
    tool = "write"
    file_path: Annotated[str, Field(description="Where to. `memory_actions.json` is the run's own account.")]
    content: Annotated[str, Field(description="The whole text of the file.")]


#: Every call there is, by the name of its tool.
CALLS: Mapping[str, type[ToolArguments]] = {
    call.tool: call for call in (ReadPage, FindFiles, FindLines, Explore, Extract, Summarize, WriteMemory, WriteFile)
}


# --- answers ----------------------------------------------------------------------------------------------------------


class Extracted(WireMessage):
    """What a session taught."""

    engine: str
    candidates: tuple[Candidate, ...]
    #: By candidate: the records that an earlier run took from its lines.
    taken_before: dict[str, tuple[RecordId, ...]] = {}
    rejected: int = 0
    left_for_review: int = 0
    #: The branch of the session, where it is not merged: what was decided on it replaces nothing yet.
    unmerged: str | None = None


class Summarized(WireMessage):
    """The summary that waits for the end of the run."""

    record_id: RecordId
    title: str
    description: str | None


class Found(WireMessage):
    """A record that a search found: from the store, not from what an explorer says it read."""

    record_id: RecordId
    path: str | None = None
    primitive: Primitive
    kind: Kind | None = None
    title: str
    body: str
    tags: tuple[str, ...] = ()
    confidence: float
    status: Status
    superseded_by: RecordId | None = None
    updated: str
    source: str
    trust: Trust
    sessions: tuple[str, ...] = ()
    relevance: float = 1.0
    #: Whether it cites the session of this run, and whether some of the very lines the candidate rests on.
    same_session: bool | None = None
    same_lines: bool | None = None
    #: Whether it was said after the candidate: then it holds, and the candidate is history.
    said_later: bool | None = None
    #: When it was last said, and whether it held when the candidate was said and was replaced since.
    said: datetime | None = None
    replaced_since: bool | None = None

    @classmethod
    def of(
        cls,
        record: Record,
        path: str | None,
        relevance: float,
        *,
        session: tuple[str, str] | None,
        same_lines: bool = False,
        said_later: bool = False,
        replaced_since: bool = False,
    ) -> Self:
        """A record as the lead sees it. `session` is the one that the run ingests."""
        cited = {(piece.agent, piece.run_id) for piece in record.evidence}
        return cls(
            record_id=record.id,
            path=path,
            primitive=record.primitive,
            kind=record.kind,
            title=record.title,
            body=record.body[:MAX_SHOWN],
            tags=record.tags,
            confidence=record.confidence,
            status=record.status,
            superseded_by=record.superseded_by,
            updated=record.updated.isoformat(),
            source=record.source,
            trust=record.trust,
            sessions=tuple(sorted(f"{agent}/{run_id}" for agent, run_id in cited)),
            relevance=round(relevance, 3),
            same_session=session in cited or None,
            same_lines=same_lines or None,
            said_later=said_later or None,
            said=record.last_said.at,
            replaced_since=replaced_since or None,
        )

    def known(self) -> KnownRecord:
        """What a comparison needs of it."""
        return KnownRecord(
            id=self.record_id,
            primitive=self.primitive,
            title=self.title,
            body=self.body,
            kind=self.kind,
            confidence=self.confidence,
            tags=self.tags,
            source=self.source,
            trust=self.trust,
            same_session=bool(self.same_session),
            overlaps=bool(self.same_lines),
            said_later=bool(self.said_later),
            holds=self.status is Status.ACTIVE,
            said=self.said or LONG_AGO,
            replaced_since=bool(self.replaced_since),
        )


class Explored(WireMessage):
    """What a search found, best first. A model must read that nothing was found: an empty list reaches it as ""."""

    found: tuple[Found, ...] = ()
    note: str | None = None

    @classmethod
    def of(cls, found: Iterable[Found]) -> Self:
        listed = tuple(found)
        return cls(found=listed, note=None if listed else "Nothing in the memory bears on this.")


class Staged(WireMessage):
    """A memory that waits for the end of the run."""

    record_id: RecordId
    title: str
    staged: bool = True


class Sighting(WireMessage):
    """A memory that bears on the query, as the explorer tells it."""

    path: Annotated[str, Field(max_length=4096, description="The file, as the tools gave it.")]
    record_id: Annotated[str | None, Field(max_length=64, description="The id in its frontmatter.")] = None
    title: Annotated[str, Field(max_length=400)] = ""
    excerpt: Annotated[str, Field(max_length=_EXCERPT, description="A part of it, copied.")] = ""
    relevance: Annotated[float, Field(ge=0, le=1)] = 0.5


class ExplorerEnvelope(WireMessage):
    """What the explorer returns: evidence, best first. An empty list is an answer, too."""

    evidence: Annotated[tuple[Sighting, ...], Field(max_length=MAX_EVIDENCE)] = ()


# --- the run's own account --------------------------------------------------------------------------------------------


class SyncVerb(StrEnum):
    """What becomes of a candidate."""

    ADD = "add"
    UPDATE = "update"
    NO_OP = "no-op"
    #: A person has to say which of the two holds: nothing is written, and the candidate waits.
    REVIEW = "review"


@dataclass(frozen=True)
class SyncReport:
    """What the run says it did about one candidate, and why."""

    candidate: str
    action: SyncVerb
    reason: str
    record: str | None = None
    #: What it updated or replaced; for a no-op, what says the same already; for a review, what stands against it.
    targets: tuple[str, ...] = ()


class SyncAccount(WireMessage):
    """What `memory_actions.json` says, as the agent writes it."""

    actions: tuple[SyncReport, ...]


# --- tasks ------------------------------------------------------------------------------------------------------------


class AgentTask(WireMessage):
    """What an agent is asked to do: an order, and the data it needs."""

    order: ClassVar[str]

    def text(self) -> str:
        """The task as it is sent."""
        return f"{self.order}\n\n{_OPEN}{self.json_text(indent=1)}{_CLOSE}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The task that was sent."""
        return cls.model_validate(json.loads(text[text.index(_OPEN) + len(_OPEN) : text.rindex(_CLOSE)]))


class ShownMemory(WireMessage):
    """A memory that was retrieved for a question, with what it replaced."""

    id: RecordId
    #: The day since when it holds, and until when.
    date: str
    until: str | None = None
    title: str
    body: str
    replaced: tuple[ShownMemory, ...] | None = None


class AskTask(AgentTask):
    """A question, and what was retrieved for it."""

    order = "Answer this question from the memory."
    question: str
    memories: tuple[ShownMemory, ...]


class SyncTask(AgentTask):
    """Taking in one session: where it lies, whose it is, and where to write."""

    order = "Take in this session."
    session: str
    trace: str
    lines: int
    started: str | None
    cwd: str | None
    branch: str | None
    memory_root: str
    run_folder: str
    actions_file: str


class Nearby(WireMessage):
    """A memory that has words of the query, for an explorer to begin with."""

    path: str
    title: str


class ExploreTask(AgentTask):
    """What an explorer looks for, the folders that matter in each memory, and where to begin."""

    order = "Find what bears on this query."
    query: str
    memory_roots: tuple[str, ...]
    folders: tuple[str, ...]
    nearest: tuple[Nearby, ...] = ()
