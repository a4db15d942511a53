"""The lead agent: it drives ask, sync and maintain through guarded tools. One run, read from top to bottom.

A run gets a task (prompts.py), tools for its mode (tools.py) and a board to stage its writes on (board.py). A model
plays it: a configured one, or the embedded policy (policy.py). When the board says that nothing is missing, Python
writes everything at once. A run that fails writes nothing but its artifacts, which say so.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, AgentRetries, ModelRetry, RunContext, UsageLimits
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from lerim.config.scope import memory_dir
from lerim.config.settings import Provider
from lerim.context.memory import Place
from lerim.context.records import Record
from lerim.errors import (
    BudgetReached,
    ConfigError,
    LerimError,
    ModelError,
    RunFailed,
    SourceError,
    StoreBusy,
    StoreError,
    UsageError,
)
from lerim.ingest.extract import extract
from lerim.ingest.findings import Digest, Extraction
from lerim.ingest.summarize import summarise, summary_record
from lerim.ingest.transcript import Transcript
from lerim.llm import Models, Spending, failure_behind
from lerim.observability import instrumentation, span
from lerim.runtime.agenda import review
from lerim.runtime.board import Board, Committed
from lerim.runtime.deps import MaintainDeps, RunDeps, SyncDeps
from lerim.runtime.holdings import Holdings
from lerim.runtime.maintain_board import MaintainBoard, ReviewItem, maintain_verb_of
from lerim.runtime.policy import ExplorerPolicy, LeadPolicy
from lerim.runtime.prompts import ask_task, explorer_prompt, lead_prompts, maintain_task, sync_task
from lerim.runtime.results import Answer, CitedSource, MaintainResult, SyncResult, WrittenRecord
from lerim.runtime.rooms import Rooms
from lerim.runtime.roots import Mode, Roots
from lerim.runtime.runs.accounts import RunAccount, maintain_actions, memory_actions, nowhere, paths_in
from lerim.runtime.runs.artifacts import MaintainCounts, MemoryCounts
from lerim.runtime.runs.folder import AGENT_LOG, SESSION_LOG, SUBAGENTS_LOG, Run, RunKind, open_run
from lerim.runtime.runs.logbook import Logbook
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.tools import tools_of

#: How often a model may be told the same thing again before the run is given up.
_RETRIES = AgentRetries(tools=4, output=3)
_MAX_ANSWER = 20_000
_CITED = re.compile(r"\[((?:dec|lrn|sum)-[a-z0-9]{3,32})\]")
# These are nobody's failure to do the work: whoever asked for the run decides what becomes of it.
_PASSED_ON = (BudgetReached, ConfigError, StoreBusy)


class LerimAgent:
    """The lead agent of one directory. Each call is one run, start to end; not for use inside a running event loop."""

    def __init__(
        self,
        model: str | None = None,
        provider: str | None = None,
        timeout_seconds: int | None = None,
        single_tools: Sequence[str] | None = None,
        allowed_read_dirs: Sequence[str | Path] | None = None,
        default_cwd: str | Path | None = None,
        *,
        rooms: Rooms | None = None,
    ) -> None:
        """`model`, `provider` and `timeout_seconds` say otherwise than the lead role of the settings.

        `single_tools` are the tools of `ask`, fewer than all; `allowed_read_dirs` may be read besides the memory.
        Raises UsageError for what there is not.
        """
        rooms = rooms or Rooms.here(default_cwd)
        self._rooms = replace(rooms, models=_with_lead(rooms.models, model, provider, timeout_seconds))
        self._reads = tuple(Path(folder).expanduser().resolve() for folder in allowed_read_dirs or ())
        self._cwd = Path(default_cwd).resolve() if default_cwd is not None else None
        self._single_tools = single_tools
        try:
            tools_of("ask", single_tools)
        except ValueError as error:
            raise UsageError(str(error)) from None

    # The three modes

    def ask(self, question: str) -> Answer:
        """Answer from the memory, citing it. Reads only. Raises RunFailed when no answer came."""
        places = self._rooms.memory.places()
        holdings = tuple(map(_taken_in, places)) or (_empty(self._rooms),)
        roots = self._roots(holdings[0].root, holdings[0].root.parent / "workspace", None, holdings[1:])
        with span(self._rooms.tracing, "lerim.ask"), _failing(None):
            spending = Spending(f"ask-{self._rooms.random(5).hex()}")
            desk = RunDeps(roots, holdings, self._explorer(spending), self._models.role("explorer").max_iterations)
            text = self._drive("ask", desk, ask_task(question), self._limits(extra=4), spending)
        cited = [record for record_id in _cited(text) if (record := desk.record(record_id)) is not None]
        _touch(places, cited)
        return Answer(text, tuple(_source(desk, record) for record in cited))

    def sync(
        self,
        trace_path: str | Path,
        memory_root: str | Path | None = None,
        workspace_root: str | Path | None = None,
    ) -> SyncResult:
        """Take in one archived session: all of its memories and its summary, or nothing. Raises RunFailed."""
        trace = Path(trace_path).expanduser().resolve()
        if not trace.is_file():
            raise SourceError(f"there is no trace at {trace}", hint="lerim sessions list")
        transcript = Transcript.read(trace)
        place, workspace = self._where(memory_root, workspace_root)
        with self._opened(RunKind.SYNC, workspace) as run, span(self._rooms.tracing, "lerim.sync", run_id=run.id):
            account = self._account(run, "sync", transcript.name)
            board = SyncBoard(_taken_in(place), self._rooms.clock(), self._rooms.random, transcript=transcript)
            with _failing(run, lambda error: account.write_memory_actions(board, nowhere, error)):
                spending = Spending(run.id, place.project.name)
                roots = self._roots(place.folder.root, workspace, run, extra=(trace,))
                desk = self._sync_desk(board, roots, account, spending, place, trace)
                text = self._drive("sync", desk, sync_task(transcript, trace, roots), desk.limits, spending)
                committed = self._commit(board, place, run, f"sync of {transcript.name}")
            return _sync_result(account, board, place, roots, trace, text, committed, desk.digest)

    def maintain(
        self, memory_root: str | Path | None = None, workspace_root: str | Path | None = None
    ) -> MaintainResult:
        """Keep the memory true: merge, revise and archive, all of it or nothing. Raises RunFailed."""
        place, workspace = self._where(memory_root, workspace_root)
        with (
            self._opened(RunKind.MAINTAIN, workspace) as run,
            span(self._rooms.tracing, "lerim.maintain", run_id=run.id),
        ):
            account = self._account(run, "maintain")
            holdings, now = _taken_in(place), self._rooms.clock()
            due = review(holdings.active(), self._rooms.decay, now)
            board = MaintainBoard(holdings, now, self._rooms.random, review=due)
            with _failing(run, lambda error: account.write_maintain_actions(board, error)):
                spending = Spending(run.id, place.project.name)
                roots = self._roots(place.folder.root, workspace, run)
                desk = MaintainDeps(roots, (holdings,), **self._tools_of_a_run(run, spending), maintain=board)
                task = maintain_task(roots, [_review_item(holdings, item) for item in due])
                text = self._drive("maintain", desk, task, self._limits(extra=len(due)), spending)
                committed = self._commit(board, place, run, "maintain")
            return _maintain_result(account, board, place, roots, text, committed)

    # Steps

    def _drive(self, mode: Mode, desk: RunDeps, task: str, limits: UsageLimits, spending: Spending) -> str:
        """Let the model work until it is finished. Its last words are returned."""
        models = self._models
        model = LeadPolicy(mode) if models.is_embedded("lead") else models.model("lead", spending)
        agent = self._agent(mode, model)
        seconds = sum(models.role(role).timeout_seconds for role in ("lead", "extract", "summarize"))

        async def run() -> str:
            async with asyncio.timeout(seconds):
                return (await agent.run(task, deps=desk, usage_limits=limits)).output

        try:
            return asyncio.run(run())
        except AgentRunError as error:
            # That a tool refused too often says little; why it did is what people need to know.
            why = f"; the last refusal was: {desk.last_refusal}" if desk.last_refusal else ""
            raise ModelError(f"{error.message.partition('. ')[0]}{why}") from error

    def _agent(self, mode: Mode, model: Model) -> Agent[Any, str]:
        """The agent of a mode, with that mode's tools and no others."""
        agent = Agent[Any, str](
            model,
            output_type=str,
            deps_type=RunDeps,
            name=f"lerim-{mode}",
            instructions=[prompt.text for prompt in lead_prompts(mode)],
            tools=tools_of(mode, self._single_tools),
            retries=_RETRIES,
            tool_timeout=float(max(self._models.role(r).timeout_seconds for r in ("lead", "extract", "summarize"))),
            capabilities=[Logbook(lambda desk: desk.agent_log), *instrumentation(self._rooms.tracing)],
        )
        agent.output_validator(_finished)
        return agent

    def _commit(self, board: Board, place: Place, run: Run, reason: str) -> Committed:
        # Whoever lost the work meanwhile must not write any more.
        self._rooms.before_commit()
        return board.commit(place, run.id, reason)

    def _sync_desk(
        self, board: SyncBoard, roots: Roots, account: RunAccount, spending: Spending, place: Place, trace: Path
    ) -> SyncDeps:
        transcript = board.transcript
        engine = self._rooms.engine(spending)
        account.engine = engine.name
        # An engine that asks a model has prompts of its own.
        account.prompts = (*account.prompts, *getattr(engine, "prompts", ()))

        def extracted(guidance: str) -> Extraction:
            extraction = extract(transcript, engine, guidance)
            account.write_extract(extraction)
            return extraction

        def summarised(guidance: str) -> tuple[Digest, Record]:
            digest = summarise(transcript, engine, guidance)
            account.write_summary(digest)
            record = summary_record(
                digest,
                transcript,
                now=board.now,
                trace_path_relative=self._rooms.relative(place, trace),
                repo_name=place.project.name,
                random=board.random,
            )
            return digest, record

        log = account.run.log(SESSION_LOG, self._rooms.clock)
        log.line("session", session=transcript.name, trace=str(trace), lines=transcript.last, engine=engine.name)
        return SyncDeps(
            roots,
            (board.holdings,),
            **self._tools_of_a_run(account.run, spending),
            sync=board,
            extract=extracted,
            summarise=summarised,
            limits=self._limits(),
        )

    def _tools_of_a_run(self, run: Run, spending: Spending) -> dict[str, Any]:
        return {
            "explorer": self._explorer(spending),
            "explorer_steps": self._models.role("explorer").max_iterations,
            "agent_log": run.log(AGENT_LOG, self._rooms.clock),
            "subagents_log": run.log(SUBAGENTS_LOG, self._rooms.clock),
        }

    def _explorer(self, spending: Spending) -> Model:
        models = self._models
        return ExplorerPolicy() if models.is_embedded("explorer") else models.model("explorer", spending)

    def _limits(self, extra: int = 0) -> UsageLimits:
        """How many requests and calls a run may take. `extra` counts what there is to look at from the beginning."""
        lead, explorer = self._models.role("lead"), self._models.role("explorer")
        # Tokens and money are the ledger's business: it knows what other runs used, and ends the work cleanly.
        return UsageLimits(
            request_limit=lead.max_iterations + extra * explorer.max_iterations,
            tool_calls_limit=8 * lead.max_iterations + extra * (8 + 4 * explorer.max_iterations),
        )

    @property
    def _models(self) -> Models:
        return self._rooms.models

    def _account(self, run: Run, mode: Mode, session: str | None = None) -> RunAccount:
        prompts = [(prompt.name, prompt.sha256) for prompt in (*lead_prompts(mode), explorer_prompt())]
        return RunAccount(run, self._models, self._rooms.clock(), prompts, session)

    def _where(self, memory_root: str | Path | None, workspace_root: str | Path | None) -> tuple[Place, Path]:
        place = self._rooms.place(Path(memory_root).expanduser() if memory_root is not None else None)
        workspace = Path(workspace_root).expanduser().resolve() if workspace_root else self._rooms.workspace(place)
        return place, workspace

    def _opened(self, kind: RunKind, workspace: Path) -> Run:
        return open_run(workspace, kind, self._rooms.clock(), self._rooms.random)

    def _roots(
        self,
        memory: Path,
        workspace: Path,
        run: Run | None,
        others: Sequence[Holdings] = (),
        extra: Sequence[Path] = (),
    ) -> Roots:
        reads = (*(holdings.root for holdings in others), *extra, *self._reads)
        folder = run.folder if run else None
        return Roots(memory.resolve(), workspace, folder, self._rooms.home / "cache", reads, self._cwd)


def _with_lead(models: Models, model: str | None, provider: str | None, timeout: int | None) -> Models:
    lead = models.role("lead")
    try:
        lead = replace(lead, provider=Provider(provider)) if provider is not None else lead
    except ValueError:
        raise UsageError(f"'{provider}' is no provider", hint=f"one of {', '.join(Provider)}") from None
    lead = replace(lead, model=model) if model is not None else lead
    lead = replace(lead, timeout_seconds=timeout) if timeout is not None else lead
    changed = copy(models)
    changed.roles = replace(models.roles, lead=lead)
    return changed


def _taken_in(place: Place) -> Holdings:
    """What a place keeps, after what people did to its files was taken in: the run reads both, and they must agree."""
    place.face.take_in()
    return Holdings.of(place)


def _finished(ctx: RunContext[RunDeps], text: str) -> str:
    """A run is finished when its board says so, whatever the model thinks. Raises ModelRetry with what is missing."""
    desk, problem = ctx.deps, None
    if len(text) > _MAX_ANSWER:
        problem = f"{len(text):,} characters are too many. A few sentences are enough."
    elif isinstance(desk, SyncDeps | MaintainDeps) and (missing := desk.board.missing()):
        problem = "The run is not finished. " + " ".join(missing)
    elif desk.board is None and (unknown := [i for i in _cited(text) if desk.record(i) is None]):
        problem = f"There is no {', '.join(unknown)}. Cite only memories that explore found."
    if problem is not None:
        desk.last_refusal = problem
        raise ModelRetry(problem)
    return text


@contextmanager
def _failing(run: Run | None, tell: Any = None) -> Iterator[None]:
    """Whatever ends the block early, the run's artifacts say so, and the caller gets one kind of error."""
    try:
        yield
    except BaseException as error:
        known = failure_behind(error) if isinstance(error, Exception) else None
        cause = known or error
        _tell(tell, _words(cause))
        if isinstance(cause, _PASSED_ON) or not isinstance(cause, Exception):
            raise cause from None
        where = f"run {run.id}" if run else "the run"
        hint = f"lerim runs show {run.id}" if run else getattr(cause, "hint", None)
        raise RunFailed(f"{where} failed: {_words(cause)}", run_id=run.id if run else None, hint=hint) from error


def _tell(tell: Any, words: str) -> None:
    if tell is not None:
        try:
            tell(words)
        except (OSError, StoreError):
            # The disk that failed the run takes no news either. A run without its last artifact counts as interrupted.
            return


def _words(error: BaseException) -> str:
    if isinstance(error, LerimError):
        return error.message
    if isinstance(error, TimeoutError):
        return "it took too long"
    return f"{type(error).__name__}: {error}"[:1000] if str(error) else type(error).__name__


# What is handed back


def _sync_result(
    account: RunAccount,
    board: SyncBoard,
    place: Place,
    roots: Roots,
    trace: Path,
    text: str,
    committed: Committed,
    digest: Digest | None,
) -> SyncResult:
    path_of = paths_in(place)
    assert board.summary is not None
    summary = board.summary.record
    notice = committed.notice
    try:
        if digest is not None:
            account.write_summary(digest, summary.id, path_of(summary))
        account.write_memory_actions(board, path_of)
    except StoreError as error:
        # The memory is written; that its artifact is not must not undo the session's turn.
        notice = error.message
    actions = memory_actions(board, path_of)
    written = [WrittenRecord(a.record, a.title, a.path, a.action) for a in actions if a.record is not None]
    return SyncResult(
        **_common(account, roots, text, notice, RunKind.SYNC),
        written=tuple(written),
        counts=MemoryCounts.of(actions).model_dump(),
        session=board.transcript.name,
        trace_path=str(trace),
        summary=WrittenRecord(summary.id, summary.title, path_of(summary), str(board.summary.operation)),
    )


def _maintain_result(
    account: RunAccount, board: MaintainBoard, place: Place, roots: Roots, text: str, committed: Committed
) -> MaintainResult:
    notice = committed.notice
    try:
        account.write_maintain_actions(board)
    except StoreError as error:
        notice = error.message
    path_of = paths_in(place)
    written = [
        WrittenRecord(w.record.id, w.record.title, path_of(w.record), maintain_verb_of(w))
        for w in board.writes.values()
    ]
    return MaintainResult(
        **_common(account, roots, text, notice, RunKind.MAINTAIN),
        written=tuple(written),
        counts=MaintainCounts.of(maintain_actions(board)).model_dump(),
    )


def _common(account: RunAccount, roots: Roots, text: str, notice: str | None, kind: RunKind) -> dict[str, Any]:
    run = account.run
    left = [name for name in (*kind.artifacts, *kind.logs) if run.path(name).exists()]
    return {
        "run_id": run.id,
        "run_folder": str(run.folder),
        "memory_root": str(roots.memory),
        "workspace_root": str(roots.workspace),
        "text": text,
        "artifacts": {name: str(run.path(name)) for name in left},
        "seconds": account.seconds,
        "cost_usd": account.usage.cost_usd,
        "notice": notice,
    }


def _review_item(holdings: Holdings, item: ReviewItem) -> dict[str, object]:
    """An item of the review list as the task tells it."""
    records = [holdings.records[record_id] for record_id in item.records]
    return {
        "suggests": str(item.why),
        "reason": item.reason,
        "records": [
            {
                "record_id": record.id,
                "path": str(holdings.path_of(record)),
                "primitive": str(record.primitive),
                "kind": str(record.kind) if record.kind else None,
                "title": record.title,
                "confidence": record.confidence,
                "updated": record.updated.isoformat(),
            }
            for record in records
        ],
    }


def _cited(text: str) -> list[str]:
    return list(dict.fromkeys(_CITED.findall(text)))


def _source(desk: RunDeps, record: Record) -> CitedSource:
    path = next((p for h in desk.holdings if record.id in h.records and (p := h.path_of(record))), None)
    return CitedSource(record.id, record.title, str(path) if path else None)


def _touch(places: Sequence[Place], cited: Sequence[Record]) -> None:
    """An answer is a use: what is asked for does not fade."""
    for place in places if cited else ():
        with place.store.change("lerim", "used in an answer") as change:
            change.touch(record.id for record in cited)


def _empty(rooms: Rooms) -> Holdings:
    return Holdings(memory_dir(rooms.home, rooms.home), {}, {})
