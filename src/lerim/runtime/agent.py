"""The lead agent: it drives sync and maintain through guarded tools. One run, read from top to bottom.

A run gets a task (prompts.py), tools for its mode (tools.py) and a board to stage its writes on (board.py). A model
plays it: a configured one, or the embedded policy (policy.py). When the board says that nothing is missing, Python
writes everything at once. A run that fails writes nothing but its artifacts, which say so. Questions are in asking.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, ModelRetry, RunContext

from lerim.context.place import Place
from lerim.context.records import Record, stamp_text, time_text
from lerim.curate.plan_file import heading
from lerim.curate.proposals import CurationProposal
from lerim.curate.room import Curation, CurationPlan, CurationRun
from lerim.curate.validation import CurationRules
from lerim.dataclass import replace
from lerim.errors import SourceError, StoreError
from lerim.ingest.choice import prepare
from lerim.ingest.extract import extract
from lerim.ingest.findings import Digest, Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize, summary_record
from lerim.ingest.transcript import Transcript
from lerim.llm import Spending
from lerim.observability import Tracing, span
from lerim.runtime.asking import Asker
from lerim.runtime.board import Board, Committed
from lerim.runtime.deps import RunDeps, SyncDeps
from lerim.runtime.driving import (
    build_agent,
    drive,
    driven,
    explorer_model,
    failing,
    resumable,
    run_limits,
    step_seconds,
)
from lerim.runtime.holdings import Holdings
from lerim.runtime.playing import Performance
from lerim.runtime.policy import LeadPolicy
from lerim.runtime.prompts import Prompt, sync_task
from lerim.runtime.results import CuratedItem, MaintainResult, SyncResult, WrittenRecord
from lerim.runtime.roots import Roots
from lerim.runtime.runs.accounts import RunAccount, memory_actions, nowhere, paths_in
from lerim.runtime.runs.artifacts import MemoryCounts
from lerim.runtime.runs.folder import AGENT_LOG, SESSION_LOG, SUBAGENTS_LOG, Run, RunKind, open_run
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.tools import tools_of
from lerim.runtime.wire import AgentTask

_MAX_ANSWER = 20_000


class LeadAgent(Asker):
    """The lead agent of one directory. Each call is one run, start to end; not for use inside a running event loop."""

    def sync(
        self,
        trace_path: str | Path,
        memory_root: str | Path | None = None,
        workspace_root: str | Path | None = None,
    ) -> SyncResult:
        """Ingest one archived session: all of its memories and its summary, or nothing. Raises RunFailed."""
        trace = Path(trace_path).expanduser().resolve()
        if not trace.is_file():
            raise SourceError(f"there is no trace at {trace}", hint="lerim sessions list")
        transcript = Transcript.read(trace)
        place, workspace = self._where(memory_root, workspace_root)
        with (
            self._opened(RunKind.SYNC, workspace) as run,
            span(self._rooms.tracing, "lerim.sync", run_id=run.id, session=transcript.name) as mark,
        ):
            account = self._account(run, transcript.name)
            board = SyncBoard(Holdings(place), self._rooms.clock(), self._rooms.random, transcript=transcript)
            told = partial(account.write_memory_actions, board, nowhere)
            with failing(run, told), resumable(self._models, run.id):
                spending = Spending(run.id, place.project.name, resumes=True)
                roots = self._roots(place.folder.root, workspace, run, extra=(trace,))
                deps = self._sync_deps(board, roots, account, spending, place, trace)
                text = self._drive(deps, sync_task(transcript, trace, roots), spending)
                committed = self._commit(board, place, run, f"sync of {transcript.name}")
            result = _sync_result(account, board, place, roots, trace, text, committed, deps.digest)
            mark.set(**result.counts)
            return result

    def maintain(
        self,
        memory_root: str | Path | None = None,
        workspace_root: str | Path | None = None,
        *,
        unattended: bool = False,
    ) -> MaintainResult:
        """Keep the memory true, all of it or nothing; unattended, only what needs nobody's eye. Raises RunFailed."""

        def work(curation: Curation, run: Run) -> CurationRun:
            plan = curation.plan()
            self._rooms.before_commit()
            return curation.apply(plan, run_id=run.id, unattended=unattended)

        return self._curate(memory_root, workspace_root, work)

    def plan(self, memory_root: str | Path | None = None) -> CurationPlan:
        """What `maintain` would do. Changes nothing."""
        place = self._where(memory_root, None)[0]
        spending = Spending(f"plan-{stamp_text(self._rooms.clock())}", place.project.name, resumes=True)
        return self._curation(place, spending).plan(most=None)

    def apply(
        self,
        plan: CurationPlan,
        items: Sequence[CurationProposal] | None = None,
        memory_root: str | Path | None = None,
        workspace_root: str | Path | None = None,
    ) -> MaintainResult:
        """Do what a plan says as far as it still fits: all that may be done, or these items, since a person says so.

        Raises RunFailed.
        """
        return self._curate(
            memory_root, workspace_root, lambda curation, run: curation.apply(plan, items, run_id=run.id)
        )

    def _curate(
        self,
        memory_root: str | Path | None,
        workspace_root: str | Path | None,
        work: Callable[[Curation, Run], CurationRun],
    ) -> MaintainResult:
        place, workspace = self._where(memory_root, workspace_root)
        with (
            self._opened(RunKind.MAINTAIN, workspace) as run,
            span(self._rooms.tracing, "lerim.maintain", run_id=run.id) as mark,
        ):
            account = self._account(run)
            logs = [run.log(name, self._rooms.log_clock) for name in RunKind.MAINTAIN.logs]
            with failing(run, account.write_maintain_failure), resumable(self._models, run.id):
                spending = Spending(run.id, place.project.name, resumes=True)
                done = work(self._curation(place, spending, account), run)
            result = _maintain_result(account, done, place, self._roots(place.folder.root, workspace, run))
            logs[0].line("curated", **result.looked_at, **result.counts)
            mark.set(**result.counts)
            return result

    def _curation(self, place: Place, spending: Spending, account: RunAccount | None = None) -> Curation:
        """What keeps a place true: judged by the model that leads, or by words alone when there is none."""
        rooms = self._rooms
        known = (place, rooms.searcher(), rooms.decay, rooms.clock)
        if self._models.is_embedded("lead"):
            return Curation(*known)
        from lerim.curate.asking import ModelJudge  # Start-up: only a model needs it.

        self._models.model("lead", spending)  # What is missing is reported before the work begins.
        note = (lambda name, text: account.note_prompt(Prompt(name, text))) if account else lambda name, text: None
        rules = CurationRules(rooms.decay, rooms.clock())
        return Curation(*known, ModelJudge(lambda: self._models.model("lead", spending), rules, note, rooms.tracing))

    # Steps

    def _drive(self, deps: SyncDeps, task: AgentTask, spending: Spending) -> str:
        """Let the model work until it is finished. Its last words are returned."""
        models = self._models
        agent = _lead_agent(step_seconds(models), self._rooms.tracing)
        if not models.is_embedded("lead"):
            return drive(agent, models.model("lead", spending), task, deps, deps.limits, models)
        if self._rooms.tracing is not None:
            # The spans of a run are the framework's.
            return drive(agent, LeadPolicy(), task, deps, deps.limits, models)
        performance = Performance(LeadPolicy(), tools_of("sync"), deps, step_seconds(models))
        return driven(performance.play(task.text(), _finished), deps, models)

    def _commit(self, board: Board, place: Place, run: Run, reason: str) -> Committed:
        # Whoever lost the work meanwhile must not write any more.
        self._rooms.before_commit()
        return board.commit(place, run.id, reason)

    def _sync_deps(
        self, board: SyncBoard, roots: Roots, account: RunAccount, spending: Spending, place: Place, trace: Path
    ) -> SyncDeps:
        transcript = board.transcript
        engine = self._rooms.engine(spending)
        prepare(engine, transcript)
        account.engine = engine.name
        account.engine_prompts = lambda: getattr(engine, "prompts", ())

        known = self._rooms.read_ahead(trace)

        def extracted(guidance: str) -> Extraction:
            extraction = known.extraction if known and not guidance else extract(transcript, engine, guidance)
            account.write_extract(extraction)
            return extraction

        def summarized(guidance: str) -> tuple[Digest, Record]:
            digest = known.digest if known and not guidance else summarize(transcript, engine, guidance)
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

        log = account.run.log(SESSION_LOG, self._rooms.log_clock)
        log.line("session", session=transcript.name, trace=str(trace), lines=transcript.last, engine=engine.name)
        return SyncDeps(
            roots,
            (board.holdings,),
            **self._tools_of_a_run(account, spending),
            sync=board,
            extract=extracted,
            summarize=summarized,
            limits=run_limits(self._models),
            is_embedded=isinstance(engine, EmbeddedEngine),
        )

    def _tools_of_a_run(self, account: RunAccount, spending: Spending) -> dict[str, Any]:
        run = account.run
        return {
            "tracing": self._rooms.tracing,
            "note_prompt": account.note_prompt,
            "explorer": explorer_model(self._models, spending),
            "explorer_steps": self._models.role("explorer").max_iterations,
            "agent_log": run.log(AGENT_LOG, self._rooms.log_clock),
            "subagents_log": run.log(SUBAGENTS_LOG, self._rooms.log_clock),
        }

    def _account(self, run: Run, session: str | None = None) -> RunAccount:
        return RunAccount(run, self._models, self._rooms.clock(), session)

    def _where(self, memory_root: str | Path | None, workspace_root: str | Path | None) -> tuple[Place, Path]:
        # What people did to its files was picked up by whoever gave the place: the run reads both faces, which agree.
        place = self._rooms.place(Path(memory_root).expanduser() if memory_root is not None else None)
        workspace = Path(workspace_root).expanduser().resolve() if workspace_root else self._rooms.workspace(place)
        return place, workspace

    def _opened(self, kind: RunKind, workspace: Path) -> Run:
        return open_run(workspace, kind, self._rooms.clock(), self._rooms.random)


@lru_cache(maxsize=8)  # Its schemas are made once a process; the model is named at each run.
def _lead_agent(seconds: float, tracing: Tracing | None) -> Agent[Any, str]:
    agent = build_agent("sync", tools_of("sync"), str, seconds, tracing)
    agent.output_validator(_finished)
    return agent


async def _finished(ctx: RunContext[RunDeps], text: str) -> str:
    """A run is finished when its board says so, whatever the model thinks. Raises ModelRetry with what is missing."""
    deps, problem = ctx.deps, None
    if len(text) > _MAX_ANSWER:
        problem = f"{len(text):,} characters are too many. A few sentences are enough."
    elif isinstance(deps, SyncDeps) and (missing := deps.board.missing()):
        problem = "The run is not finished. " + " ".join(missing)
    if problem is not None:
        deps.last_refusal = problem
        raise ModelRetry(problem)
    return text


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
    written = [
        WrittenRecord(a.record, a.title, a.path, a.action)
        for a in actions
        if a.record is not None and a.action != "no-op"
    ]
    return SyncResult(
        **_common(account, roots, text, notice, RunKind.SYNC),
        written=tuple(written),
        counts=MemoryCounts.of(actions).model_dump(),
        session=board.transcript.name,
        trace_path=str(trace),
        summary=WrittenRecord(summary.id, summary.title, path_of(summary), str(board.summary.operation)),
        noted=board.noted,
    )


def _maintain_result(account: RunAccount, done: CurationRun, place: Place, roots: Roots) -> MaintainResult:
    notice, artifact = done.notice, None
    try:
        artifact = account.write_maintain_actions(done)
    except StoreError as error:
        notice = error.message
    look = done.plan.looked_at
    return MaintainResult(
        **_common(account, roots, done.plan.looked_at.told, notice, RunKind.MAINTAIN),
        written=tuple(_written(done, place)),
        counts=artifact.counts.model_dump() if artifact else {},
        looked_at={
            "records": look.records,
            "clusters": look.clusters,
            "changed": look.changed,
            "since": time_text(look.since) if look.since else None,
            "left": look.left,
        },
        done=tuple(_curated(item, item.reason) for item in done.done),
        refused=tuple(_curated(one.proposal, one.refusal) for one in done.applied if not one.is_done),
        waiting=len(done.open),
        left=replace(done.plan, items=done.open, due=None),
    )


def _curated(item: CurationProposal, reason: str) -> CuratedItem:
    what = heading(item).replace("`", "")
    return CuratedItem(str(item.operation), what, tuple(map(str, item.records)), reason)


def _written(done: CurationRun, place: Place) -> Iterator[WrittenRecord]:
    path_of = paths_in(place)
    for item in done.done:
        for one in item.touched:
            with place.store.read() as snapshot:
                record = snapshot.fetch(one)
            yield WrittenRecord(one, record.title, path_of(record), item.operation)


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
