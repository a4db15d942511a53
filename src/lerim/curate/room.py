"""The door: `Curation` keeps one place's memory true. It plans, applies a plan as far as it still fits, and takes back.

A look costs what changed since the last one (due.py). What changed is held against what is near it (neighbors.py);
each group is judged (judging.py, or a model: asking.py), then each record by itself (health.py). Whoever proposed it,
the same rules say what may be done (validation.py), and what is done is one change (applying.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from lerim.context.decay import DecayRule
from lerim.context.grounds import GroundSuspicion
from lerim.context.place import Place
from lerim.context.records import Clock, Record, RecordId, time_text, utc_now
from lerim.curate.applying import AppliedItem, apply_all
from lerim.curate.due import MOST, DueRecords, due_records, note_looked
from lerim.curate.health import unsound
from lerim.curate.history import was_taken_back, worth_restoring
from lerim.curate.judging import proposals_for
from lerim.curate.neighbors import RecordCluster, Vicinity
from lerim.curate.proposals import CurationProposal, CurationVerb
from lerim.curate.unwanted import was_declined
from lerim.curate.validation import CurationRules
from lerim.curate.waiting import open_doubts
from lerim.dataclass import dataclass
from lerim.errors import FileDelayed
from lerim.search.search import Searcher

#: What somebody proposes for a cluster: the embedded judge, or a model.
ClusterJudge = Callable[[RecordCluster], Iterable[CurationProposal]]


@dataclass(frozen=True)
class LookedAt:
    """What a look took in."""

    records: int
    clusters: int
    #: Records that changed since somebody last looked, and when that was; None at the first time.
    changed: int
    since: datetime | None
    #: Versions that are left for the next look.
    left: int = 0

    @property
    def told(self) -> str:
        """The same in a sentence."""
        news = f"changed since {time_text(self.since)}" if self.since else "for the first time"
        left = f"; {_count(self.left, 'change')} left for the next time" if self.left else ""
        seen = f"looked at {_count(self.records, 'record')} in {_count(self.clusters, 'cluster')}"
        return f"{seen}, {self.changed:,} {news}{left}"


@dataclass(frozen=True)
class CurationPlan:
    """What could be done about one place's memory, and what was looked at for it. Making it changes nothing."""

    project: str
    items: tuple[CurationProposal, ...]
    looked_at: LookedAt
    made: datetime
    #: What somebody proposed and the rules do not allow, with the reason.
    refused: tuple[AppliedItem, ...] = ()
    #: What was looked at, to be noted once the plan is carried out; None for a plan that was read from a file.
    due: DueRecords | None = None
    #: Records that wait for a branch to be merged: they are looked at again.
    early: frozenset[RecordId] = frozenset()


@dataclass(frozen=True)
class CurationRun:
    """What was done, what was not and why, and what is left to a person."""

    plan: CurationPlan
    applied: tuple[AppliedItem, ...]
    #: What nobody may do without a person.
    open: tuple[CurationProposal, ...] = ()
    #: What people should know although it is done.
    notice: str | None = None

    @property
    def done(self) -> tuple[CurationProposal, ...]:
        return tuple(item.proposal for item in self.applied if item.is_done)


class Curation:
    """One place's memory, kept true. The files people changed must have been picked up before."""

    def __init__(
        self,
        place: Place,
        searcher: Searcher | None = None,
        decay: DecayRule = DecayRule(),  # noqa: B008 - frozen
        clock: Clock = utc_now,
        judge: ClusterJudge = proposals_for,
    ) -> None:
        self._place = place
        self._searcher = searcher
        self._decay = decay
        self._clock = clock
        self._judge = judge

    def plan(self, *, most: int | None = MOST) -> CurationPlan:
        """What could be done. Changes nothing; at most so many versions are looked at."""
        now = self._clock()
        suspects = self._place.grounds.suspects()
        due = due_records(self._place, now, most, suspects)
        clusters = Vicinity(self._place, self._searcher).clusters({**due.changed, **due.timed})
        records = due.records | {record.id: record for cluster in clusters for record in cluster.records}
        rules = CurationRules(self._decay, now, self._place.grounds.provisional())
        early: set[RecordId] = set()
        items, refused = self._ruled(self._proposed(due, clusters, suspects, now), records, rules, early)
        looked_at = LookedAt(len(records), len(clusters), len(due.changed), due.since, due.left)
        known = (tuple(items), looked_at, now, tuple(refused), due, frozenset(early))
        return CurationPlan(self._place.project.id, *known)

    def apply(
        self,
        plan: CurationPlan,
        items: Sequence[CurationProposal] | None = None,
        *,
        run_id: str | None = None,
        unattended: bool = False,
    ) -> CurationRun:
        """Do what a plan says, as far as it still fits: all but what is for a person; unattended, only what is safe.

        With `items`, a person names what shall be done, and only that is.
        """
        by_person = items is not None
        wanted = plan.items if items is None else tuple(items)
        chosen = [one for one in wanted if by_person or _is_for_all(one, unattended=unattended)]
        applied, notice = self._write(chosen, run_id, by_person=by_person)
        done = {id(item.proposal) for item in applied if item.is_done}
        still_open = tuple(one for one in plan.items if id(one) not in done)
        if plan.due is not None and not by_person:
            waiting = {one for item in still_open for one in item.records} | plan.early
            note_looked(self._place, plan.due, waiting, self._decay, plan.made)
        return CurationRun(plan, tuple(applied), still_open, notice)

    def _proposed(
        self,
        due: DueRecords,
        clusters: Sequence[RecordCluster],
        suspects: Mapping[RecordId, GroundSuspicion],
        now: datetime,
    ) -> Iterator[CurationProposal]:
        """First what the groups call for, then what each record does that no group spoke of."""
        targeted: set[RecordId] = set()
        asked: set[RecordId] = set()
        told: set[frozenset[RecordId]] = set()
        for cluster in clusters:
            for proposal in self._judge(cluster):
                is_open = proposal.verb is CurationVerb.REVIEW
                (asked if is_open else targeted).update(proposal.records if is_open else proposal.touched)
                told.add(frozenset(proposal.records))
                yield proposal
        for proposal in open_doubts(self._place):
            if frozenset(proposal.records) not in told and targeted.isdisjoint(proposal.touched):
                asked.update(proposal.records)
                yield proposal
        for record in due.records.values():
            # While a person is asked which side holds, neither fades; that the ground of one is gone they should hear.
            if record.id in targeted or (record.id in asked and record.id not in suspects):
                continue
            if (found := unsound(record, self._decay, now, suspicion=suspects.get(record.id))) is not None:
                yield found
        yield from (
            CurationProposal(CurationVerb.RESTORE, (one,), "it was archived as faded, and used since")
            for one in worth_restoring(self._place)
        )

    def _ruled(
        self,
        proposed: Iterable[CurationProposal],
        records: Mapping[RecordId, Record],
        rules: CurationRules,
        early: set[RecordId],
    ) -> tuple[list[CurationProposal], list[AppliedItem]]:
        """What may be done, and what a person may have done; each record is changed by one item at most. What has to
        wait is noted in `early`."""
        items: list[CurationProposal] = []
        refused: list[AppliedItem] = []
        busy: set[RecordId] = set()
        known = dict(records)
        for proposal in proposed:
            known |= {one: self._fetch(one) for one in proposal.records if one not in known}
            ruling = rules.ruling(proposal, known)
            early |= set(proposal.records) if ruling.is_early else set()
            if not ruling and not ruling.is_for_a_person:
                refused.append(AppliedItem(proposal, is_done=False, refusal=ruling.refusal))
                continue
            item = (proposal if ruling else proposal.for_review(ruling.refusal)).seen(known)
            is_review = item.verb is CurationVerb.REVIEW
            if not is_review and busy.intersection(item.touched):
                continue
            said = [known[one] for one in item.records]
            if was_taken_back(self._place, item) or was_declined(self._place, item, said):
                continue
            busy |= set() if is_review else set(item.touched)
            items.append(item)
        return items, refused

    def _fetch(self, record_id: RecordId) -> Record:
        with self._place.store.read() as snapshot:
            return snapshot.fetch(record_id)

    def _write(
        self, items: Sequence[CurationProposal], run_id: str | None, *, by_person: bool
    ) -> tuple[list[AppliedItem], str | None]:
        if not items:
            return [], None
        # What a person did meanwhile to the files of what is about to change comes first: it wins.
        if not self._place.face.is_as_noted({one for item in items for one in item.records}):
            self._place.face.take_in()
        applied: list[AppliedItem] = []
        rules = CurationRules(self._decay, self._clock())
        try:
            with self._place.change("lerim", "maintain", run_id) as change:
                applied += apply_all(change, items, rules, by_person=by_person)
        except FileDelayed as error:
            return applied, error.message
        return applied, None


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _is_for_all(item: CurationProposal, *, unattended: bool) -> bool:
    """Whether it may be done without asking anybody."""
    return item.verb is not CurationVerb.REVIEW and (item.is_safe or not unattended)
