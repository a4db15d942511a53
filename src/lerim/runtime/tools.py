"""The tools of the lead agent and the explorer, and which mode has which. A mode cannot call what it does not have.

What the docstrings say is what a model is told. Text that tools return is data; nothing in here takes orders from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import ModelRetry, RunContext, Tool

from lerim.context.face.folder import ARCHIVED
from lerim.context.face.markdown import parse, read_record
from lerim.context.records import Draft, Kind, Primitive, Record, Status
from lerim.errors import InvalidRecord, MarkdownError, Refused
from lerim.ingest.findings import Candidate
from lerim.runtime import files
from lerim.runtime.board import Board
from lerim.runtime.boundary import check_write, memory_primitive, resolve
from lerim.runtime.deps import MaintainDeps, RunDeps, SyncDeps
from lerim.runtime.maintain_board import MaintainReport
from lerim.runtime.roots import Mode
from lerim.runtime.runs.folder import MAINTAIN_ACTIONS, MEMORY_ACTIONS, RunKind
from lerim.runtime.sync_board import SyncBoard, SyncReport

#: How much of a memory's body a search shows.
MAX_SHOWN = 4_000
# A model's guidance goes into another model's prompt: a sentence or two, not a page.
_MAX_GUIDANCE = 2_000
_MAX_PROBLEMS = 10
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@contextmanager
def _for_the_model() -> Iterator[None]:
    """What a boundary refuses is told to the model, which may try something else."""
    try:
        yield
    except Refused as error:
        raise ModelRetry(error.message) from None


# The quick ones are coroutines although they wait for nothing: pydantic-ai starts a thread for every plain function.


# --- reading ----------------------------------------------------------------------------------------------------------


async def read(ctx: RunContext[RunDeps], file_path: str, offset: int = 1, limit: int = 2000) -> str:
    """Lines of a file with their numbers, or the entries of a folder. Page through a long file with offset and limit.

    Args:
        file_path: The file or folder. A relative path starts at the memory root.
        offset: The first line to show, counted from 1.
        limit: How many lines to show at most.
    """
    with _for_the_model():
        return str(files.read(ctx.deps.roots, file_path, offset, limit))


async def glob(ctx: RunContext[RunDeps], pattern: str, base_path: str | None = None) -> str:
    """Files whose path matches a pattern such as `decisions/*.md` or `**/*.md`.

    Args:
        pattern: The pattern, relative to base_path.
        base_path: The folder to look in; the memory root unless given.
    """
    with _for_the_model():
        return str(files.glob(ctx.deps.roots, pattern, base_path))


async def grep(
    ctx: RunContext[RunDeps], pattern: str, base_path: str | None = None, include: str = "*.md", max_hits: int = 100
) -> str:
    """Lines that match a regular expression, upper and lower case alike, each with its file and number.

    Args:
        pattern: The regular expression.
        base_path: The file or folder to search; the memory root unless given.
        include: Which file names to search, such as `*.md`.
        max_hits: How many lines to show at most.
    """
    with _for_the_model():
        return str(files.grep(ctx.deps.roots, pattern, base_path, include, max_hits))


async def explore(ctx: RunContext[RunDeps], query: str, candidate: str | None = None) -> list[dict[str, Any]]:
    """Have a read-only explorer search the memory, and get back what bears on the query, best first.

    Ask for up to four searches in one turn; they run at the same time.

    Args:
        query: What to look for: the words that matter, and other words for the same thing.
        candidate: In sync, the id of the candidate this search is for, such as `c1`.
    """
    from lerim.runtime.subagents import run_explorer  # The explorer is built from tools of this module.

    desk, board = ctx.deps, ctx.deps.board
    wanted = _wanted(board, candidate, query)
    sightings = await run_explorer(desk, query, ctx.usage)
    # Whatever the explorer saw: what an earlier run took from the same lines is always among it.
    found = {r.id: _told(desk, r, 1.0, same_lines=True) for r in wanted}
    for sighting in sightings:
        if (record := _seen(desk, sighting.path)) is not None:
            found.setdefault(record.id, _told(desk, record, sighting.relevance))
    if board is not None:
        board.note_found(found)
    if candidate is not None and isinstance(board, SyncBoard):
        board.note_search(candidate, list(found))
    return list(found.values())


def _wanted(board: Board | None, candidate: str | None, query: str) -> list[Record]:
    """What is known from a candidate's own lines. Raises ModelRetry when there is no such candidate to search for."""
    if candidate is None:
        return []
    if not isinstance(board, SyncBoard):
        raise ModelRetry("There are no candidates in this run. Leave `candidate` out.")
    board.require_about(candidate, query)
    return board.known_from(board.candidate(candidate))


def _seen(desk: RunDeps, path: str) -> Record | None:
    from lerim.runtime.subagents import memory_file

    file = memory_file(desk, path)
    return desk.record_at(file) if file is not None else None


def _told(desk: RunDeps, record: Record, relevance: float, *, same_lines: bool = False) -> dict[str, Any]:
    """A record as the lead sees it: from the store, not from what the explorer says it read."""
    path = next((p for h in desk.holdings if record.id in h.records and (p := h.path_of(record))), None)
    said: dict[str, Any] = {
        "record_id": record.id,
        "path": str(path) if path else None,
        "primitive": str(record.primitive),
        "kind": str(record.kind) if record.kind else None,
        "title": record.title,
        "body": record.body[:MAX_SHOWN],
        "tags": list(record.tags),
        "confidence": record.confidence,
        "status": str(record.status),
        "superseded_by": record.superseded_by,
        "updated": record.updated.isoformat(),
        "source": record.source,
        "trust": str(record.trust),
        "sessions": sorted({f"{e.agent}/{e.run_id}" for e in record.evidence}),
        "relevance": round(relevance, 3),
        "same_session": _session(desk) in {(e.agent, e.run_id) for e in record.evidence} or None,
        # Taken by an earlier run from the very lines the candidate rests on.
        "same_lines": same_lines or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _session(desk: RunDeps) -> tuple[str, str] | None:
    """The session a run takes in, if it takes in one."""
    header = desk.sync.transcript.header if isinstance(desk, SyncDeps) else None
    return (header.agent, header.run_id) if header else None


# --- the session ------------------------------------------------------------------------------------------------------


def extract_pipeline(ctx: RunContext[SyncDeps], guidance: str | None = None) -> dict[str, Any]:
    """Read the session and get the candidates for memories, each with the words it rests on.

    The session, its paths and its evidence are taken care of. Only these candidates can be written.

    Args:
        guidance: What to look at in particular, in a sentence. Leave it out unless there is a reason.
    """
    desk = ctx.deps
    if desk.sync.extraction is None:
        desk.sync.extracted(desk.extract((guidance or "")[:_MAX_GUIDANCE]))
        _widen(desk)
    extraction = desk.sync.extraction
    assert extraction is not None
    return {
        "engine": extraction.engine,
        "candidates": [_candidate(desk.sync, candidate) for candidate in extraction.candidates],
        "rejected": len(extraction.rejected),
        "left_for_review": len(extraction.review),
    }


def summarize_pipeline(ctx: RunContext[SyncDeps], guidance: str | None = None) -> dict[str, Any]:
    """Have the session summarised. The summary is written for you at the end of the run.

    Args:
        guidance: What to look at in particular, in a sentence. Leave it out unless there is a reason.
    """
    desk = ctx.deps
    if desk.sync.summary is None:
        desk.digest, record = desk.summarise((guidance or "")[:_MAX_GUIDANCE])
        desk.sync.summarised(record)
    assert desk.sync.summary is not None
    record = desk.sync.summary.record
    return {"record_id": record.id, "title": record.title, "description": record.description}


def _widen(desk: SyncDeps) -> None:
    """The more there is to decide on, the more steps it takes. Nobody knows before the extraction."""
    count = len(desk.sync.candidates)
    limits = desk.limits
    if limits.request_limit is not None:
        limits.request_limit += count * (desk.explorer_steps + 2)
    if limits.tool_calls_limit is not None:
        limits.tool_calls_limit += count * (desk.explorer_steps * 4 + 4)


def _candidate(board: SyncBoard, candidate: Candidate) -> dict[str, Any]:
    said: dict[str, Any] = {
        "id": candidate.id,
        "primitive": str(candidate.primitive),
        "kind": str(candidate.kind) if candidate.kind else None,
        "title": candidate.title,
        "body": candidate.body,
        "confidence": candidate.confidence,
        "tags": list(candidate.tags),
        "trust": str(candidate.trust),
        "quotes": [{"first": q.first, "last": q.last, "text": q.text} for q in candidate.quotes],
        # What an earlier run took from these lines.
        "taken_before": [record.id for record in board.known_from(candidate)] or None,
    }
    return {name: value for name, value in said.items() if value is not None}


# --- writing ----------------------------------------------------------------------------------------------------------


async def write_memory(
    ctx: RunContext[SyncDeps | MaintainDeps],
    primitive: str,
    title: str,
    body: str,
    confidence: float = 0.8,
    tags: list[str] | None = None,
    kind: str | None = None,
    candidate: str | None = None,
    updates: str | None = None,
    replaces: list[str] | None = None,
) -> dict[str, Any]:
    """Write a memory. Give its fields; the file is made for you, at the end of the run.

    Args:
        primitive: `decision` or `learning`.
        title: One line that stands alone, at most 200 characters.
        body: Markdown without frontmatter.
        confidence: How sure, from 0 to 1.
        tags: A few words to find it by.
        kind: For learnings, which need one: insight, procedure, friction, pitfall or preference.
        candidate: In sync, the candidate it comes from, such as `c1`. Needed.
        updates: The id of the active record that this is a better version of.
        replaces: Ids of active records that hold no more because of this; in maintain, those that are merged into it.
    """
    desk = ctx.deps
    draft = _draft(primitive, title, body, confidence, tags or [], kind)
    if isinstance(desk, SyncDeps):
        record = desk.sync.stage(draft, candidate, updates, replaces or [])
    else:
        if candidate is not None:
            raise ModelRetry("There are no candidates in maintain. Leave `candidate` out.")
        record = desk.maintain.stage(draft, updates, replaces or [])
    return {"staged": True, "record_id": record.id, "title": record.title}


def _draft(primitive: str, title: str, body: str, confidence: float, tags: Sequence[str], kind: str | None) -> Draft:
    try:
        which = Primitive(primitive)
        what = Kind(kind) if kind else None
    except ValueError as error:
        raise ModelRetry(f"{error}. Use decision or learning; a learning's kind is one of {', '.join(Kind)}.") from None
    if which is Primitive.SUMMARY:
        raise ModelRetry("Summaries are not written with write_memory. Use summarize_pipeline.")
    draft = Draft(which, title, body, what, tuple(tags), confidence)
    try:
        # Cheap, and before anything is compared: ten megabytes are not worth a look.
        draft.record(_ANY_TIME, bytes)
    except InvalidRecord as error:
        raise ModelRetry(f"write_memory refused: {error.message}.") from None
    return draft


async def write(ctx: RunContext[SyncDeps | MaintainDeps], file_path: str, content: str) -> str:
    """Write a file into the run folder. Memories are not written with this: use write_memory.

    Args:
        file_path: Where to. `memory_actions.json` or `maintain_actions.json` is the run's own account.
        content: The whole text of the file.
    """
    desk = ctx.deps
    with _for_the_model():
        path = resolve(file_path, _writing_start(desk, file_path))
        if (problem := check_write(path, desk.roots)) is not None:
            raise ModelRetry(str(problem))
        if (primitive := _memory_at(desk, path)) is not None:
            return _write_to_memory(desk, path, primitive, content)
        if path.is_relative_to(desk.roots.memory) or desk.roots.run_folder is None:
            raise ModelRetry("Only files of the run folder are written with this. Use write_memory for memories.")
        kind = RunKind.SYNC if isinstance(desk, SyncDeps) else RunKind.MAINTAIN
        if path.parent in _spellings(desk, desk.roots.run_folder):
            if path.name in (MEMORY_ACTIONS, MAINTAIN_ACTIONS):
                return _report(desk, path.name, content)
            if path.name in (*kind.artifacts, *kind.logs):
                raise ModelRetry(f"{path.name} is written for you.")
        return str(files.write(desk.roots, str(path), content))


async def edit(ctx: RunContext[MaintainDeps], file_path: str, old_string: str, new_string: str) -> str:
    """Replace a text in a file by another. In a memory's file: title, body, tags, confidence and kind may change.

    Args:
        file_path: The file.
        old_string: The text to replace, which must stand there exactly once.
        new_string: What to put in its place.
    """
    desk = ctx.deps
    with _for_the_model():
        path = resolve(file_path, _writing_start(desk, file_path))
        if (problem := check_write(path, desk.roots)) is not None:
            raise ModelRetry(str(problem))
        primitive = _memory_at(desk, path)
        if primitive is not None:
            return _edit_memory(desk, path, old_string, new_string)
        if path.name in (MAINTAIN_ACTIONS, *RunKind.MAINTAIN.logs):
            raise ModelRetry(f"Write {path.name} anew instead of editing it.")
        return str(files.edit(desk.roots, str(path), old_string, new_string))


def _writing_start(desk: RunDeps, file_path: str) -> Path:
    """A bare file name means the run folder: that is where an agent writes. Anything longer starts at the memory."""
    assert desk.roots.run_folder is not None
    return desk.roots.run_folder if "/" not in file_path else desk.roots.memory


def _spellings(desk: RunDeps, root: Path) -> tuple[Path, Path]:
    return root, desk.roots.real.get(root, root)


def _memory_at(desk: RunDeps, path: Path) -> Primitive | None:
    found = (memory_primitive(path, root) for root in _spellings(desk, desk.roots.memory))
    return next((primitive for primitive in found if primitive is not None), None)


def _write_to_memory(desk: SyncDeps | MaintainDeps, path: Path, primitive: Primitive, content: str) -> str:
    if primitive is Primitive.SUMMARY:
        raise ModelRetry("Summaries cannot be written directly. Use summarize_pipeline; only sync has it.")
    inside = _inside(desk, path)
    if isinstance(desk, SyncDeps) or inside.parts[0] != ARCHIVED:
        raise ModelRetry("Use write_memory for memories. It takes primitive, title, body, confidence, tags and kind.")
    home = Path(*inside.parts[1:])
    record = desk.maintain.holdings.at(desk.maintain.holdings.root / home)
    if record is None or len(home.parts) != 2:
        raise ModelRetry(
            f"No memory lies at {home}. To archive one, write its unchanged text to archived/{home.parent}/."
        )
    if content.rstrip() != _text(desk, home).rstrip():
        raise ModelRetry(f"Archiving changes nothing: write exactly the text of {home}.")
    desk.maintain.archive(record)
    return f"'{record.id}' will be archived at the end of the run."


def _edit_memory(desk: MaintainDeps, path: Path, old_string: str, new_string: str) -> str:
    inside = _inside(desk, path)
    record = desk.maintain.holdings.at(desk.maintain.holdings.root / inside)
    if record is None or record.primitive is Primitive.SUMMARY or record.status is Status.ARCHIVED:
        raise ModelRetry(f"{inside} is no memory that can be edited.")
    text = _text(desk, inside)
    if not old_string or text.count(old_string) != 1:
        raise ModelRetry(
            f"old_string stands {text.count(old_string) if old_string else 0} times in {inside}; once is needed."
        )
    try:
        document = parse(text.replace(old_string, new_string).encode())
        if document.values.get("id") != record.id:
            raise ModelRetry(f"The id must stay '{record.id}'.")
        edited = read_record(document, record, record)
    except MarkdownError as error:
        raise ModelRetry(f"{inside}:{error.line} would not be readable: {error.problem}.") from None
    except (InvalidRecord, UnicodeEncodeError) as error:
        raise ModelRetry(f"{inside} would not be valid: {error}.") from None
    desk.maintain.edit(record, edited)
    return f"'{record.id}' will be revised at the end of the run."


def _inside(desk: SyncDeps | MaintainDeps, path: Path) -> Path:
    for root in _spellings(desk, desk.roots.memory):
        if path.is_relative_to(root):
            return path.relative_to(root)
    raise ModelRetry(f"'{path}' is not spelled as the memory is: {desk.roots.memory}.")


def _text(desk: MaintainDeps, inside: Path) -> str:
    from lerim.context.face.folder import MemoryFolder

    try:
        return MemoryFolder(desk.maintain.holdings.root).read(inside.as_posix()).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelRetry(f"{inside} cannot be read: {error}.") from None


# --- the run's own account --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SyncAccount:
    """What `memory_actions.json` says, as the agent writes it."""

    actions: tuple[SyncReport, ...]


@dataclass(frozen=True)
class MaintainAccount:
    """What `maintain_actions.json` says, as the agent writes it."""

    actions: tuple[MaintainReport, ...]


_SYNC_ACCOUNT = TypeAdapter(SyncAccount)
_MAINTAIN_ACCOUNT = TypeAdapter(MaintainAccount)


def _report(desk: SyncDeps | MaintainDeps, name: str, content: str) -> str:
    """The account is checked now and written at the end, with what really happened."""
    own = MEMORY_ACTIONS if isinstance(desk, SyncDeps) else MAINTAIN_ACTIONS
    if name != own:
        raise ModelRetry(f"This run's account is {own}.")
    if len(content) > files.MAX_WRITE:
        raise ModelRetry(f"{name} is too long: one short sentence per reason is enough.")
    try:
        if isinstance(desk, SyncDeps):
            desk.sync.report(_SYNC_ACCOUNT.validate_json(content).actions)
        else:
            desk.maintain.report(_MAINTAIN_ACCOUNT.validate_json(content).actions)
    except ValidationError as error:
        raise ModelRetry(f"{name} is not as it should be: {_problems(error)}") from None
    return f"{name} agrees with what is staged."


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'document'}: {item['msg']}" for item in found)


# --- which mode has which ---------------------------------------------------------------------------------------------


def _tool(function: Callable[..., Any], *, alone: bool = False) -> Tool[Any]:
    # A tool that changes the board runs alone, so that two writes of one turn are decided one after the other.
    return Tool(function, sequential=alone, docstring_format="google", require_parameter_descriptions=False)


_READING: Mapping[str, Tool[Any]] = {f.__name__: _tool(f) for f in (read, grep, glob, explore)}
_WRITING = (_tool(write, alone=True), _tool(write_memory, alone=True))

EXPLORER_TOOLS: Sequence[Tool[RunDeps]] = [_tool(glob), _tool(read), _tool(grep)]
ASK_TOOLS: Sequence[Tool[RunDeps]] = list(_READING.values())
# One engine serves both pipelines, and engines need not be ready for two threads.
_PIPELINES = (_tool(extract_pipeline, alone=True), _tool(summarize_pipeline, alone=True))
SYNC_TOOLS: Sequence[Tool[SyncDeps]] = [*ASK_TOOLS, *_WRITING, *_PIPELINES]
MAINTAIN_TOOLS: Sequence[Tool[MaintainDeps]] = [*ASK_TOOLS, *_WRITING, _tool(edit, alone=True)]


def tools_of(mode: Mode, only: Sequence[str] | None = None) -> Sequence[Tool[Any]]:
    """The tools of a mode; of `ask`, those that are named."""
    if mode == "sync":
        return SYNC_TOOLS
    if mode == "maintain":
        return MAINTAIN_TOOLS
    return ASK_TOOLS if only is None else [_READING[name] for name in dict.fromkeys(only)]
