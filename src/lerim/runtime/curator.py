"""Runs that keep the memory true: judged by the model that leads, or by words alone when there is none.

Loads no framework for models unless one leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lerim.context.place import Place
from lerim.context.records import stamp_text, time_text
from lerim.curate.plan_file import heading
from lerim.curate.proposals import CurationProposal
from lerim.curate.room import Curation, CurationPlan, CurationRun
from lerim.curate.validation import CurationRules
from lerim.dataclass import replace
from lerim.errors import StoreError
from lerim.llm import Spending
from lerim.observability import span
from lerim.runtime.asking import Asker
from lerim.runtime.failing import failing, resumable
from lerim.runtime.metering import metered
from lerim.runtime.results import CuratedItem, MaintainResult, WrittenRecord
from lerim.runtime.roots import Roots
from lerim.runtime.runs.accounts import RunAccount, paths_in
from lerim.runtime.runs.folder import Run, RunKind, open_run


class Curator(Asker):
    """Keeps the memory of one directory true. Each call is one run, start to end; not for use in an event loop."""

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
        spending = Spending(f"plan-{stamp_text(self._rooms.clock())}", place.project.id, resumes=True)
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
            metered(self._rooms.tracing, RunKind.MAINTAIN, run.id, self._models.books.ledger) as did,
        ):
            account = self._account(run)
            logs = [run.log(name, self._rooms.log_clock) for name in RunKind.MAINTAIN.logs]
            with failing(run, account.write_maintain_failure), resumable(self._models, run.id):
                spending = Spending(run.id, place.project.id, resumes=True)
                done = work(self._curation(place, spending, account), run)
            result = _maintain_result(account, done, place, self._roots(place.folder.root, workspace, run))
            logs[0].line("curated", **result.looked_at, **result.counts)
            mark.set(**result.counts)
            did(result.counts)
            return result

    def _curation(self, place: Place, spending: Spending, account: RunAccount | None = None) -> Curation:
        """What keeps a place true: judged by the model that leads, or by words alone when there is none."""
        rooms = self._rooms
        known = (place, rooms.searcher(), rooms.decay, rooms.clock)
        if self._models.is_embedded("lead"):
            return Curation(*known)
        from lerim.curate.asking import ModelJudge  # Start-up: only a model needs it.
        from lerim.runtime.prompts import Prompt

        self._models.model("lead", spending)  # What is missing is reported before the work begins.
        note = (lambda name, text: account.note_prompt(Prompt(name, text))) if account else lambda name, text: None
        rules = CurationRules(rooms.decay, rooms.clock())
        return Curation(*known, ModelJudge(lambda: self._models.model("lead", spending), rules, note, rooms.tracing))

    def _account(self, run: Run, session: str | None = None) -> RunAccount:
        return RunAccount(run, self._models, self._rooms.clock(), session)

    def _where(self, memory_root: str | Path | None, workspace_root: str | Path | None) -> tuple[Place, Path]:
        # What people did to its files was picked up by whoever gave the place: the run reads both faces, which agree.
        place = self._rooms.place(Path(memory_root).expanduser() if memory_root is not None else None)
        workspace = Path(workspace_root).expanduser().resolve() if workspace_root else self._rooms.workspace(place)
        return place, workspace

    def _opened(self, kind: RunKind, workspace: Path) -> Run:
        return open_run(workspace, kind, self._rooms.clock(), self._rooms.random)


def _maintain_result(account: RunAccount, done: CurationRun, place: Place, roots: Roots) -> MaintainResult:
    notice, artifact = done.notice, None
    try:
        artifact = account.write_maintain_actions(done)
    except StoreError as error:
        notice = error.message
    look = done.plan.looked_at
    return MaintainResult(
        **common(account, roots, done.plan.looked_at.told, notice, RunKind.MAINTAIN),
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


def common(account: RunAccount, roots: Roots, text: str, notice: str | None, kind: RunKind) -> dict[str, Any]:
    """What every finished run hands back."""
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
