"""The tools of the lead agent, and which mode has which. A mode cannot call what it does not have.

The docstrings are what a model reads. Text that tools return is data; nothing in here takes orders from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from lerim.context.records import Draft, Primitive, Record
from lerim.errors import InvalidRecord
from lerim.ingest.findings import Candidate
from lerim.runtime import files
from lerim.runtime.board import Board
from lerim.runtime.boundary import check_write, memory_primitive, resolve
from lerim.runtime.declining import Declined
from lerim.runtime.deps import RunDeps, SyncDeps, ToolContext
from lerim.runtime.read_tools import READ_TOOLS, RunTool, for_the_model
from lerim.runtime.roots import Mode
from lerim.runtime.runs.folder import MAINTAIN_ACTIONS, MEMORY_ACTIONS, RunKind
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.wire import (
    Explore,
    Explored,
    Extract,
    Extracted,
    Found,
    Nearby,
    Staged,
    Summarize,
    Summarized,
    SyncAccount,
    WriteFile,
    WriteMemory,
)
from lerim.search.similar import Similar

# A model's guidance goes into another model's prompt: a sentence or two, not a page.
_T = TypeVar("_T")
_MAX_GUIDANCE = 2_000
_MAX_PROBLEMS = 10
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


# --- searching --------------------------------------------------------------------------------------------------------


async def explore(ctx: ToolContext[RunDeps], search: Explore) -> Explored:
    """Have a read-only explorer search the memory, and get back what bears on the query, best first.

    Ask for up to four searches in one turn; they run at the same time.
    """
    deps, board = ctx.deps, ctx.deps.board
    candidate = _searched_for(board, search)
    known = board.known_from(candidate) if candidate and isinstance(board, SyncBoard) else []
    # Whatever a search finds: what an earlier run took from the same lines is always among it.
    found = {record.id: _found(deps, record, 1.0, candidate, same_lines=True) for record in known}
    for one in await _explored(ctx, search.query, _near(deps, search.query, candidate)):
        if one.record.id not in found:
            found[one.record.id] = _found(deps, one.record, one.relevance, candidate)
    if board is not None:
        board.note_found(found)
    if candidate is not None and isinstance(board, SyncBoard):
        board.note_search(candidate.id, list(found))
    return Explored.of(found.values())


def _searched_for(board: Board | None, search: Explore) -> Candidate | None:
    """The candidate that a search is for. Raises Declined when there is none, or the query is not about it."""
    if search.candidate is None:
        return None
    if not isinstance(board, SyncBoard):
        raise Declined("There are no candidates in this run. Leave `candidate` out.")
    board.require_about(search.candidate, search.query)
    return board.candidate(search.candidate)


def _near(deps: RunDeps, query: str, candidate: Candidate | None) -> list[Similar]:
    """What the memory's own search finds: for a candidate, by all it says."""
    title, body = (candidate.title, candidate.body) if candidate else (query, "")
    # A summary tells what happened; only a question is about that.
    summaries = deps.board is None
    near = [one for holdings in deps.holdings for one in holdings.near(title, body, summaries=summaries)]
    if candidate is not None and isinstance(deps, SyncDeps):
        near += deps.sync.replaced_since(candidate)
    return near


async def _explored(ctx: ToolContext[RunDeps], query: str, near: Sequence[Similar]) -> Sequence[Similar]:
    """What an explorer makes of what is near and of the files; without one, what is near."""
    deps = ctx.deps
    if deps.explorer is None:
        deps.subagents_log_line("searched", query=query[:200], found=[one.record.id for one in near])
        return near
    nearby = [
        Nearby(path=str(path), title=one.record.title) for one in near if (path := deps.path_of(one.record)) is not None
    ]
    from lerim.runtime.subagents import memory_file, run_explorer  # Start-up: only where a model explores.

    sightings = await run_explorer(deps, deps.explorer, query, nearby, ctx.usage)
    seen = ((memory_file(deps, sighting.path), sighting.relevance) for sighting in sightings)
    found = ((deps.record_at(file), relevance) for file, relevance in seen if file is not None)
    return [Similar(record, relevance) for record, relevance in found if record is not None]


def _found(
    deps: RunDeps, record: Record, relevance: float, candidate: Candidate | None, *, same_lines: bool = False
) -> Found:
    header = deps.sync.transcript.header if isinstance(deps, SyncDeps) else None
    session = (header.agent, header.run_id) if header else None
    path = str(found) if (found := deps.path_of(record)) else None
    if not isinstance(deps, SyncDeps) or candidate is None:
        return Found.of(record, path, relevance, session=session, same_lines=same_lines)
    return Found.of(
        record,
        path,
        relevance,
        session=session,
        same_lines=same_lines,
        said_later=deps.sync.is_later(record, candidate),
        replaced_since=deps.sync.was_replaced_since(record, candidate),
    )


# --- the session ------------------------------------------------------------------------------------------------------


async def extract_pipeline(ctx: ToolContext[SyncDeps], asked: Extract) -> Extracted:
    """Read the session and get the candidates for memories, each with the words it rests on.

    The session, its paths and its evidence are taken care of. Only these candidates can be written.
    """
    deps, board = ctx.deps, ctx.deps.sync
    if board.extraction is None:
        board.extracted(await _read(deps, deps.extract, asked.guidance))
        _widen(deps)
    extraction = board.extraction
    assert extraction is not None
    taken = {c.id: tuple(record.id for record in board.known_from(c)) for c in extraction.candidates}
    return Extracted(
        engine=extraction.engine,
        candidates=extraction.candidates,
        taken_before={candidate: records for candidate, records in taken.items() if records},
        rejected=len(extraction.rejected),
        unmerged=board.unmerged or None,
        left_for_review=len(extraction.review),
    )


async def summarize_pipeline(ctx: ToolContext[SyncDeps], asked: Summarize) -> Summarized:
    """Have the session summarized. The summary is written for you at the end of the run."""
    deps, board = ctx.deps, ctx.deps.sync
    if board.summary is None:
        deps.digest, record = await _read(deps, deps.summarize, asked.guidance)
        board.summarized(record)
    assert board.summary is not None
    record = board.summary.record
    return Summarized(record_id=record.id, title=record.title, description=record.description)


async def _read(deps: SyncDeps, work: Callable[[str], _T], guidance: str | None) -> _T:
    said = (guidance or "")[:_MAX_GUIDANCE]
    # Code of ours waits for nobody: in two threads at once, it would find out everything twice.
    if deps.is_embedded:
        return work(said)
    # In a thread: it takes long, and an engine may have a loop of its own.
    return await asyncio.to_thread(work, said)


def _widen(deps: SyncDeps) -> None:
    """The more there is to decide on, the more steps it takes. Nobody knows before the extraction."""
    count = len(deps.sync.candidates)
    limits = deps.limits
    if limits is None:
        return
    if limits.request_limit is not None:
        limits.request_limit += count * (deps.explorer_steps + 2)
    if limits.tool_calls_limit is not None:
        limits.tool_calls_limit += count * (deps.explorer_steps * 4 + 4)


# --- writing ----------------------------------------------------------------------------------------------------------


async def write_memory(ctx: ToolContext[SyncDeps], memory: WriteMemory) -> Staged:
    """Write a memory. Give its fields; the file is made for you, at the end of the run."""
    deps = ctx.deps
    draft = _draft(memory)
    replaces = list(memory.replaces or ())
    record = deps.sync.stage(draft, memory.candidate, memory.updates, replaces, memory.replaced_by)
    return Staged(record_id=record.id, title=record.title)


def _draft(memory: WriteMemory) -> Draft:
    if memory.primitive is Primitive.SUMMARY:
        raise Declined("Summaries are not written with write_memory. Use summarize_pipeline.")
    draft = memory.draft()
    try:
        # Cheap, and before anything is compared: ten megabytes are not worth a look.
        draft.record(_ANY_TIME, bytes)
    except InvalidRecord as error:
        raise Declined(f"write_memory refused: {error.message}.") from None
    return draft


_NOT_A_FILE = {
    True: "Summaries cannot be written directly. Use summarize_pipeline.",
    False: "Use write_memory for memories. It takes primitive, title, body, confidence, tags and kind.",
}


async def write(ctx: ToolContext[SyncDeps], file: WriteFile) -> str:
    """Write a file into the run folder. Memories are not written with this: use write_memory."""
    deps = ctx.deps
    with for_the_model():
        path = resolve(file.file_path, _writing_start(deps, file.file_path))
        if (problem := check_write(path, deps.roots)) is not None:
            raise Declined(str(problem))
        if (primitive := _memory_at(deps, path)) is not None:
            raise Declined(_NOT_A_FILE[primitive is Primitive.SUMMARY])
        if path.is_relative_to(deps.roots.memory) or deps.roots.run_folder is None:
            raise Declined("Only files of the run folder are written with this. Use write_memory for memories.")
        if path.parent in _spellings(deps, deps.roots.run_folder):
            if path.name == MEMORY_ACTIONS:
                return _report(deps, file.content)
            if path.name in (MAINTAIN_ACTIONS, *RunKind.SYNC.artifacts, *RunKind.SYNC.logs):
                raise Declined(f"{path.name} is written for you.")
        return str(files.write(deps.roots, str(path), file.content))


def _writing_start(deps: RunDeps, file_path: str) -> Path:
    """A bare file name means the run folder: that is where an agent writes. Anything longer starts at the memory."""
    assert deps.roots.run_folder is not None
    return deps.roots.run_folder if "/" not in file_path else deps.roots.memory


def _spellings(deps: RunDeps, root: Path) -> tuple[Path, Path]:
    return root, deps.roots.real.get(root, root)


def _memory_at(deps: RunDeps, path: Path) -> Primitive | None:
    found = (memory_primitive(path, root) for root in _spellings(deps, deps.roots.memory))
    return next((primitive for primitive in found if primitive is not None), None)


# --- the run's own account --------------------------------------------------------------------------------------------


def _report(deps: SyncDeps, content: str) -> str:
    """The account is checked now and written at the end, with what really happened."""
    if len(content) > files.MAX_WRITE:
        raise Declined(f"{MEMORY_ACTIONS} is too long: one short sentence per reason is enough.")
    try:
        deps.sync.report(SyncAccount.model_validate_json(content).actions)
    except ValidationError as error:
        raise Declined(f"{MEMORY_ACTIONS} is not as it should be: {_problems(error)}") from None
    return f"{MEMORY_ACTIONS} agrees with what is staged."


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'document'}: {item['msg']}" for item in found)


# --- which mode has which ---------------------------------------------------------------------------------------------


ASK_TOOLS: Sequence[RunTool] = (*READ_TOOLS, RunTool(explore))
_WRITING = (RunTool(write, alone=True), RunTool(write_memory, alone=True))
# One engine serves both pipelines, and engines need not be ready for two threads.
_PIPELINES = (RunTool(extract_pipeline, alone=True), RunTool(summarize_pipeline, alone=True))
SYNC_TOOLS: Sequence[RunTool] = (*ASK_TOOLS, *_WRITING, *_PIPELINES)
_READING: Mapping[str, RunTool] = {one.name: one for one in ASK_TOOLS}


def tools_of(mode: Mode, only: Sequence[str] | None = None) -> Sequence[RunTool]:
    """The tools of a mode; of `ask`, those that are named."""
    if mode == "sync":
        return SYNC_TOOLS
    return ASK_TOOLS if only is None else [_READING[name] for name in dict.fromkeys(only)]
