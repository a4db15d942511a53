"""What the user says is otherwise now and nobody has decided on, held against the memories near it.

The rules do so as a session is read, and only they make sure. Here the small model reads the nearest of what is new: a
memory that may hold no more is told as open until somebody decides, and nothing is closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from lerim.context.place import Place
from lerim.context.records import Record
from lerim.context.review.candidates import ReviewCandidate, is_of_session, signal_of
from lerim.context.review.deciding import ReviewList
from lerim.context.review.waiting import Waiting
from lerim.curate.bearings import judged
from lerim.curate.judging import for_a_person
from lerim.curate.proposals import UNSURE, CurationProposal, CurationVerb
from lerim.curate.validation import in_order
from lerim.dataclass import dataclass, replace
from lerim.search.similar import similar
from lerim.text.bearing import meet
from lerim.text.statements import statement

#: Candidates that are looked at, the newest; memories that are held against each; and pairs that the model reads.
_NEWEST, _NEAREST, _MOST_PAIRS = 24, 3, 16


@dataclass(frozen=True)
class _Pair:
    """Words that wait, and a memory that was said before them."""

    waiting: ReviewCandidate
    record: Record
    nearness: float


def doubt_memories(place: Place, since: datetime) -> int:
    """Note which memories may not hold beside what was proposed since then; how many they are."""
    with place.store.read() as snapshot:
        news = sorted(Waiting(snapshot).news(since), key=lambda one: one.said, reverse=True)
    pairs = sorted((pair for one in news[:_NEWEST] for pair in _pairs(place, one)), key=lambda pair: -pair.nearness)
    found: dict[str, list[str]] = {}
    for pair in pairs[:_MOST_PAIRS]:
        if (judgment := judged(pair.waiting, pair.record)).bearing.replaces:
            told = signal_of(pair.record, is_sure=False, why=judgment.reason)
            found.setdefault(pair.waiting.id, []).append(told)
    if found:
        with place.change("lerim", "held what waits against what is known") as change:
            review = ReviewList(change)
            for candidate_id, signals in found.items():
                one = review.fetch(candidate_id)
                review.oppose(replace(one, signals=(*one.signals, *signals)))
    return sum(map(len, found.values()))


def open_doubts(place: Place) -> Iterator[CurationProposal]:
    """What somebody accepted beside a memory that may not hold with it: a person is asked until they say so."""
    with place.store.read() as snapshot:
        doubted = [(one.record_id, doubt) for one in Waiting(snapshot).accepted_in_doubt() for doubt in one.doubts]
        pairs = [(snapshot.find(kept), snapshot.find(doubt)) for kept, doubt in doubted if kept and kept != doubt]
    for one, two in pairs:
        if one is not None and two is not None and one.holds and two.holds and (order := in_order(one, two)):
            yield for_a_person(
                *order, f"{UNSURE}: both were accepted, and may not hold together", CurationVerb.SUPERSEDE
            )


def _pairs(place: Place, waiting: ReviewCandidate) -> Iterator[_Pair]:
    known, said = {*waiting.against, *waiting.doubts}, statement(waiting.title, waiting.body)
    for near in similar(place, waiting.title, waiting.body, limit=_NEAREST):
        is_new = near.record.id not in known and near.record.last_said.at < waiting.said
        is_new = is_new and not is_of_session(near.record, waiting.session)
        if is_new and meet(said, statement(near.record.title, near.record.body)):
            yield _Pair(waiting, near.record, near.relevance)
