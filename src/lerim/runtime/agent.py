"""The lead agent: it drives sync through guarded tools. One run, read from top to bottom; maintain is in curator.py.

A run gets a task (prompts.py), tools for its mode (tools.py) and a board to stage its writes on (board.py). A model
plays it: a configured one, or the embedded policy (policy.py). When the board says that nothing is missing, Python
writes everything at once. A run that fails writes nothing but its artifacts, which say so. Questions are in asking.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lerim.context.place import Place
from lerim.context.records import Record
from lerim.curate.branches import is_open
from lerim.errors import SourceError, StoreError
from lerim.ingest.choice import prepare
from lerim.ingest.extract import extract
from lerim.ingest.findings import Digest, Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize, summary_record
from lerim.ingest.transcript import Transcript
from lerim.llm import Spending
from lerim.observability import span
from lerim.runtime.board import Board, Committed
from lerim.runtime.bounds import explorer_model, step_seconds
from lerim.runtime.curator import Curator, common
from lerim.runtime.deps import RunDeps, SyncDeps
from lerim.runtime.failing import failing, resumable
from lerim.runtime.holdings import Holdings
from lerim.runtime.metering import metered, note_wait
from lerim.runtime.playing import play
from lerim.runtime.prompts import sync_task
from lerim.runtime.results import SyncResult, WrittenRecord
from lerim.runtime.roots import Roots
from lerim.runtime.runs.accounts import RunAccount, paths_in
from lerim.runtime.runs.artifacts import MemoryCounts
from lerim.runtime.runs.folder import AGENT_LOG, SESSION_LOG, SUBAGENTS_LOG, Run, RunKind
from lerim.runtime.runs.memory_actions import memory_actions, nowhere
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.tools import tools_of
from lerim.runtime.wire import AgentTask

if TYPE_CHECKING:
    # Start-up: a run that no model leads does without their framework.
    from pydantic_ai import UsageLimits

_MAX_ANSWER = 20_000


class LeadAgent(Curator):
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
            metered(self._rooms.tracing, RunKind.SYNC, run.id, self._models.books.ledger) as did,
        ):
            note_wait(self._rooms.tracing, transcript, self._rooms.clock())
            account = self._account(run, transcript.name)
            known = (Holdings(place), self._rooms.clock(), self._rooms.random)
            board = SyncBoard(*known, transcript=transcript, is_open=partial(is_open, place.project.root))
            told = partial(_tell_actions, account, board)
            with failing(run, told), resumable(self._models, run.id):
                spending = Spending(run.id, place.project.id, resumes=True)
                roots = self._roots(place.folder.root, workspace, run, extra=(trace,))
                deps = self._sync_deps(board, roots, account, spending, place, trace)
                text = self._drive(deps, sync_task(transcript, trace, roots), spending)
                committed = self._commit(board, place, run, f"sync of {transcript.name}")
            result = _sync_result(account, board, place, roots, trace, text, committed, deps.digest)
            mark.set(**result.counts)
            did(result.counts)
            return result

    # Steps

    def _drive(self, deps: SyncDeps, task: AgentTask, spending: Spending) -> str:
        """Let the model work until it is finished. Its last words are returned."""
        models, tools = self._models, tuple(tools_of("sync"))
        if deps.limits is None:
            return play(task.text(), tools, _unfinished, deps, models)
        # Start-up: as above.
        from lerim.runtime.driving import drive, lead_agent
        from lerim.runtime.policy_model import LeadPolicy

        agent = lead_agent(tools, _unfinished, step_seconds(models), self._rooms.tracing)
        model = LeadPolicy() if models.is_embedded("lead") else models.model("lead", spending)
        return drive(agent, model, task, deps, deps.limits, models)

    def _limits(self) -> UsageLimits | None:
        """How far the framework for models may go; None when it is not needed: the spans of a run are its own."""
        if self._models.is_embedded("lead") and self._rooms.tracing is None:
            return None
        from lerim.runtime.driving import run_limits  # Start-up: as above.

        return run_limits(self._models)

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
            limits=self._limits(),
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


def _unfinished(deps: RunDeps, text: str) -> str | None:
    """What is missing: a run is finished when its board says so, whatever the model thinks."""
    problem = None
    if len(text) > _MAX_ANSWER:
        problem = f"{len(text):,} characters are too many. A few sentences are enough."
    elif isinstance(deps, SyncDeps) and (missing := deps.board.missing()):
        problem = "The run is not finished. " + " ".join(missing)
    if problem is not None:
        deps.last_refusal = problem
    return problem


# What is handed back


def _tell_actions(account: RunAccount, board: SyncBoard, error: str) -> None:
    account.write_memory_actions(memory_actions(board, nowhere), error)


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
        account.write_memory_actions(memory_actions(board, path_of))
    except StoreError as error:
        # The memory is written; that its artifact is not must not undo the session's turn.
        notice = error.message
    actions = memory_actions(board, path_of)
    titles = _titles(place, [one for action in actions for one in action.replaces])
    written = [
        WrittenRecord(a.record, a.title, a.path, a.action, tuple((one, titles[one]) for one in a.replaces))
        for a in actions
        if a.record is not None and a.action != "no-op"
    ]
    return SyncResult(
        **common(account, roots, text, notice, RunKind.SYNC),
        written=tuple(written),
        counts=MemoryCounts.of(actions).model_dump(),
        session=board.transcript.name,
        trace_path=str(trace),
        summary=WrittenRecord(summary.id, summary.title, path_of(summary), str(board.summary.operation)),
        noted=board.noted,
    )


def _titles(place: Place, ids: Sequence[str]) -> dict[str, str]:
    """The titles of records by their ids."""
    if not ids:
        return {}
    with place.store.read() as snapshot:
        return {one: snapshot.fetch(one).title for one in ids}
