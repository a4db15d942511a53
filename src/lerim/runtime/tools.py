"""The tools of the lead agent, and which mode has which. A mode cannot call what it does not have.

The docstrings are what a model reads. Text that tools return is data; nothing in here takes orders from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_ai import ModelRetry, RunContext, Tool
from pydantic_ai.usage import RunUsage

from lerim.context.face.folder import ARCHIVED
from lerim.context.face.markdown import parse, read_record
from lerim.context.records import Draft, Primitive, Record, Status
from lerim.errors import InvalidRecord, MarkdownError
from lerim.ingest.findings import Candidate
from lerim.runtime import files
from lerim.runtime.board import Board
from lerim.runtime.boundary import check_write, memory_primitive, resolve
from lerim.runtime.deps import MaintainDeps, RunDeps, SyncDeps
from lerim.runtime.read_tools import READ_TOOLS, for_the_model, tool
from lerim.runtime.roots import Mode
from lerim.runtime.runs.folder import MAINTAIN_ACTIONS, MEMORY_ACTIONS, RunKind
from lerim.runtime.subagents import memory_file, run_explorer
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.wire import (
    EditFile,
    Explore,
    Explored,
    Extract,
    Extracted,
    Found,
    MaintainAccount,
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
_MAX_GUIDANCE = 2_000
_MAX_PROBLEMS = 10
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


# --- searching --------------------------------------------------------------------------------------------------------


async def explore(ctx: RunContext[RunDeps], search: Explore) -> Explored:
    """Have a read-only explorer search the memory, and get back what bears on the query, best first.

    Ask for up to four searches in one turn; they run at the same time.
    """
    deps, board = ctx.deps, ctx.deps.board
    candidate = _searched_for(board, search)
    known = board.known_from(candidate) if candidate and isinstance(board, SyncBoard) else []
    # Whatever a search finds: what an earlier run took from the same lines is always among it.
    found = {record.id: _found(deps, record, 1.0, candidate, same_lines=True) for record in known}
    for one in await _explored(deps, search.query, _near(deps, search.query, candidate), ctx.usage):
        if one.record.id not in found:
            found[one.record.id] = _found(deps, one.record, one.relevance, candidate)
    if board is not None:
        board.note_found(found)
    if candidate is not None and isinstance(board, SyncBoard):
        board.note_search(candidate.id, list(found))
    return Explored.of(found.values())


def _searched_for(board: Board | None, search: Explore) -> Candidate | None:
    """The candidate that a search is for. Raises ModelRetry when there is none, or the query is not about it."""
    if search.candidate is None:
        return None
    if not isinstance(board, SyncBoard):
        raise ModelRetry("There are no candidates in this run. Leave `candidate` out.")
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


async def _explored(deps: RunDeps, query: str, near: Sequence[Similar], usage: RunUsage) -> Sequence[Similar]:
    """What an explorer makes of what is near and of the files; without one, what is near."""
    if deps.explorer is None:
        deps.subagents_log_line("searched", query=query[:200], found=[one.record.id for one in near])
        return near
    nearby = [
        Nearby(path=str(path), title=one.record.title) for one in near if (path := deps.path_of(one.record)) is not None
    ]
    sightings = await run_explorer(deps, deps.explorer, query, nearby, usage)
    seen = ((_seen(deps, sighting.path), sighting.relevance) for sighting in sightings)
    return [Similar(record, relevance) for record, relevance in seen if record is not None]


def _seen(deps: RunDeps, path: str) -> Record | None:
    file = memory_file(deps, path)
    return deps.record_at(file) if file is not None else None


def _found(
    deps: RunDeps, record: Record, relevance: float, candidate: Candidate | None, *, same_lines: bool = False
) -> Found:
    header = deps.sync.transcript.header if isinstance(deps, SyncDeps) else None
    session = (header.agent, header.run_id) if header else None
    later = isinstance(deps, SyncDeps) and candidate is not None and deps.sync.is_later(record, candidate)
    path = str(found) if (found := deps.path_of(record)) else None
    return Found.of(record, path, relevance, session=session, same_lines=same_lines, said_later=later)


# --- the session ------------------------------------------------------------------------------------------------------


async def extract_pipeline(ctx: RunContext[SyncDeps], asked: Extract) -> Extracted:
    """Read the session and get the candidates for memories, each with the words it rests on.

    The session, its paths and its evidence are taken care of. Only these candidates can be written.
    """
    deps, board = ctx.deps, ctx.deps.sync
    if board.extraction is None:
        # In a thread: it takes long, and an engine may have a loop of its own.
        board.extracted(await asyncio.to_thread(deps.extract, (asked.guidance or "")[:_MAX_GUIDANCE]))
        _widen(deps)
    extraction = board.extraction
    assert extraction is not None
    taken = {c.id: tuple(record.id for record in board.known_from(c)) for c in extraction.candidates}
    return Extracted(
        engine=extraction.engine,
        candidates=extraction.candidates,
        taken_before={candidate: records for candidate, records in taken.items() if records},
        rejected=len(extraction.rejected),
        left_for_review=len(extraction.review),
    )


async def summarize_pipeline(ctx: RunContext[SyncDeps], asked: Summarize) -> Summarized:
    """Have the session summarized. The summary is written for you at the end of the run."""
    deps, board = ctx.deps, ctx.deps.sync
    if board.summary is None:
        deps.digest, record = await asyncio.to_thread(deps.summarize, (asked.guidance or "")[:_MAX_GUIDANCE])
        board.summarized(record)
    assert board.summary is not None
    record = board.summary.record
    return Summarized(record_id=record.id, title=record.title, description=record.description)


def _widen(deps: SyncDeps) -> None:
    """The more there is to decide on, the more steps it takes. Nobody knows before the extraction."""
    count = len(deps.sync.candidates)
    limits = deps.limits
    if limits.request_limit is not None:
        limits.request_limit += count * (deps.explorer_steps + 2)
    if limits.tool_calls_limit is not None:
        limits.tool_calls_limit += count * (deps.explorer_steps * 4 + 4)


# --- writing ----------------------------------------------------------------------------------------------------------


async def write_memory(ctx: RunContext[SyncDeps | MaintainDeps], memory: WriteMemory) -> Staged:
    """Write a memory. Give its fields; the file is made for you, at the end of the run."""
    deps = ctx.deps
    draft = _draft(memory)
    replaces = list(memory.replaces or ())
    if isinstance(deps, SyncDeps):
        record = deps.sync.stage(draft, memory.candidate, memory.updates, replaces, memory.replaced_by)
    else:
        if memory.candidate is not None or memory.replaced_by is not None:
            raise ModelRetry("There are no candidates in maintain. Leave `candidate` and `replaced_by` out.")
        record = deps.maintain.stage(draft, memory.updates, replaces)
    return Staged(record_id=record.id, title=record.title)


def _draft(memory: WriteMemory) -> Draft:
    if memory.primitive is Primitive.SUMMARY:
        raise ModelRetry("Summaries are not written with write_memory. Use summarize_pipeline.")
    draft = memory.draft()
    try:
        # Cheap, and before anything is compared: ten megabytes are not worth a look.
        draft.record(_ANY_TIME, bytes)
    except InvalidRecord as error:
        raise ModelRetry(f"write_memory refused: {error.message}.") from None
    return draft


async def write(ctx: RunContext[SyncDeps | MaintainDeps], file: WriteFile) -> str:
    """Write a file into the run folder. Memories are not written with this: use write_memory."""
    deps = ctx.deps
    with for_the_model():
        path = resolve(file.file_path, _writing_start(deps, file.file_path))
        if (problem := check_write(path, deps.roots)) is not None:
            raise ModelRetry(str(problem))
        if (primitive := _memory_at(deps, path)) is not None:
            return _write_to_memory(deps, path, primitive, file.content)
        if path.is_relative_to(deps.roots.memory) or deps.roots.run_folder is None:
            raise ModelRetry("Only files of the run folder are written with this. Use write_memory for memories.")
        kind = RunKind.SYNC if isinstance(deps, SyncDeps) else RunKind.MAINTAIN
        if path.parent in _spellings(deps, deps.roots.run_folder):
            if path.name in (MEMORY_ACTIONS, MAINTAIN_ACTIONS):
                return _report(deps, path.name, file.content)
            if path.name in (*kind.artifacts, *kind.logs):
                raise ModelRetry(f"{path.name} is written for you.")
        return str(files.write(deps.roots, str(path), file.content))


async def edit(ctx: RunContext[MaintainDeps], change: EditFile) -> str:
    """Replace a text in a file by another. In a memory's file: title, body, tags, confidence and kind may change."""
    deps = ctx.deps
    with for_the_model():
        path = resolve(change.file_path, _writing_start(deps, change.file_path))
        if (problem := check_write(path, deps.roots)) is not None:
            raise ModelRetry(str(problem))
        primitive = _memory_at(deps, path)
        if primitive is not None:
            return _edit_memory(deps, path, change.old_string, change.new_string)
        if path.name in (MAINTAIN_ACTIONS, *RunKind.MAINTAIN.logs):
            raise ModelRetry(f"Write {path.name} again instead of editing it.")
        return str(files.edit(deps.roots, str(path), change.old_string, change.new_string))


def _writing_start(deps: RunDeps, file_path: str) -> Path:
    """A bare file name means the run folder: that is where an agent writes. Anything longer starts at the memory."""
    assert deps.roots.run_folder is not None
    return deps.roots.run_folder if "/" not in file_path else deps.roots.memory


def _spellings(deps: RunDeps, root: Path) -> tuple[Path, Path]:
    return root, deps.roots.real.get(root, root)


def _memory_at(deps: RunDeps, path: Path) -> Primitive | None:
    found = (memory_primitive(path, root) for root in _spellings(deps, deps.roots.memory))
    return next((primitive for primitive in found if primitive is not None), None)


def _write_to_memory(deps: SyncDeps | MaintainDeps, path: Path, primitive: Primitive, content: str) -> str:
    if primitive is Primitive.SUMMARY:
        raise ModelRetry("Summaries cannot be written directly. Use summarize_pipeline; only sync has it.")
    inside = _inside(deps, path)
    if isinstance(deps, SyncDeps) or inside.parts[0] != ARCHIVED:
        raise ModelRetry("Use write_memory for memories. It takes primitive, title, body, confidence, tags and kind.")
    home = Path(*inside.parts[1:])
    record = deps.maintain.holdings.at(deps.maintain.holdings.root / home)
    if record is None or len(home.parts) != 2:
        raise ModelRetry(
            f"No memory lies at {home}. To archive one, write its unchanged text to archived/{home.parent}/."
        )
    if content.rstrip() != _text(deps, home).rstrip():
        raise ModelRetry(f"Archiving changes nothing: write exactly the text of {home}.")
    deps.maintain.archive(record)
    return f"'{record.id}' will be archived at the end of the run."


def _edit_memory(deps: MaintainDeps, path: Path, old_string: str, new_string: str) -> str:
    inside = _inside(deps, path)
    record = deps.maintain.holdings.at(deps.maintain.holdings.root / inside)
    if record is None or record.primitive is Primitive.SUMMARY or record.status is Status.ARCHIVED:
        raise ModelRetry(f"{inside} is no memory that can be edited.")
    text = _text(deps, inside)
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
    deps.maintain.edit(record, edited)
    return f"'{record.id}' will be revised at the end of the run."


def _inside(deps: SyncDeps | MaintainDeps, path: Path) -> Path:
    for root in _spellings(deps, deps.roots.memory):
        if path.is_relative_to(root):
            return path.relative_to(root)
    raise ModelRetry(f"'{path}' is not spelled as the memory is: {deps.roots.memory}.")


def _text(deps: MaintainDeps, inside: Path) -> str:
    from lerim.context.face.folder import MemoryFolder

    try:
        return MemoryFolder(deps.maintain.holdings.root).read(inside.as_posix()).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ModelRetry(f"{inside} cannot be read: {error}.") from None


# --- the run's own account --------------------------------------------------------------------------------------------


def _report(deps: SyncDeps | MaintainDeps, name: str, content: str) -> str:
    """The account is checked now and written at the end, with what really happened."""
    own = MEMORY_ACTIONS if isinstance(deps, SyncDeps) else MAINTAIN_ACTIONS
    if name != own:
        raise ModelRetry(f"This run's account is {own}.")
    if len(content) > files.MAX_WRITE:
        raise ModelRetry(f"{name} is too long: one short sentence per reason is enough.")
    try:
        if isinstance(deps, SyncDeps):
            deps.sync.report(SyncAccount.model_validate_json(content).actions)
        else:
            deps.maintain.report(MaintainAccount.model_validate_json(content).actions)
    except ValidationError as error:
        raise ModelRetry(f"{name} is not as it should be: {_problems(error)}") from None
    return f"{name} agrees with what is staged."


def _problems(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'document'}: {item['msg']}" for item in found)


# --- which mode has which ---------------------------------------------------------------------------------------------


ASK_TOOLS: Sequence[Tool[RunDeps]] = (*READ_TOOLS, tool(explore))
_WRITING = (tool(write, alone=True), tool(write_memory, alone=True))
# One engine serves both pipelines, and engines need not be ready for two threads.
_PIPELINES = (tool(extract_pipeline, alone=True), tool(summarize_pipeline, alone=True))
SYNC_TOOLS: Sequence[Tool[SyncDeps]] = (*ASK_TOOLS, *_WRITING, *_PIPELINES)
MAINTAIN_TOOLS: Sequence[Tool[MaintainDeps]] = (*ASK_TOOLS, *_WRITING, tool(edit, alone=True))
_READING: Mapping[str, Tool[RunDeps]] = {one.name: one for one in ASK_TOOLS}


def tools_of(mode: Mode, only: Sequence[str] | None = None) -> Sequence[Tool[Any]]:
    """The tools of a mode; of `ask`, those that are named."""
    if mode == "sync":
        return SYNC_TOOLS
    if mode == "maintain":
        return MAINTAIN_TOOLS
    return ASK_TOOLS if only is None else [_READING[name] for name in dict.fromkeys(only)]
