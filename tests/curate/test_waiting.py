"""What was said later and waits is held against what is known: told as open, and nothing is closed by it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lerim.context.records import Evidence, Primitive, Trust
from lerim.context.review.candidates import TELLS_NEWS, Edits, ReviewCandidate, draft_of, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.context.review.waiting import Waiting
from lerim.curate.proposals import CurationProposal, CurationVerb
from lerim.curate.unwanted import decline
from lerim.curate.waiting import doubt_memories
from lerim.dataclass import replace

#: What is told of later words.
_TOLD = ("name", "title", "is_sure")
LIMIT = "30ms p99 is a hard limit from the search team"
NEWS = "Search gave us more room, p99 budget is 40 now"


@pytest.fixture
def wait(desk):
    """Let the user's words wait that were said so many days ago."""

    def wait(title: str, *, days: float = 1, trust: Trust = Trust.USER) -> ReviewCandidate:
        evidence = Evidence("claude", "later", 3, 3, title, trust, desk.clock() - timedelta(days=days))
        fields = {"evidence": (evidence,), "trust": trust, "signals": (TELLS_NEWS,)}
        one = ReviewCandidate(
            new_review_id(), "claude/later", "sync-1", Primitive.DECISION, title, "", 0.2, desk.clock(), **fields
        )
        with desk.place.change("lerim", "sync", "sync-1") as change:
            return ReviewList(change).save_all("claude/later", [one])[0]

    return wait


def against(desk, record):
    with desk.place.store.read() as snapshot:
        return Waiting(snapshot).against([record.id]).get(record.id)


def test_what_the_rules_do_not_see_is_doubted_and_closes_nothing(desk, wait):
    """The candidate names the memory with its words, and whoever accepts it closes nothing."""
    record, waiting = desk.say(LIMIT), wait(NEWS)

    assert 1 == doubt_memories(desk.place, waiting.created)

    assert (waiting.id, NEWS, False) == tuple(getattr(against(desk, record), name) for name in _TOLD)
    with desk.place.store.read() as snapshot:
        told = Waiting(snapshot).fetch(waiting.id)
    assert ((record.id,), ()) == (told.doubts, told.against)
    assert any(LIMIT in signal for signal in told.signals if signal != TELLS_NEWS)


def test_it_is_doubted_once(desk, wait):
    desk.say(LIMIT)
    waiting = wait(NEWS)
    doubt_memories(desk.place, waiting.created)

    assert 0 == doubt_memories(desk.place, waiting.created)


@pytest.mark.parametrize(
    ("said", "days", "trust"),
    [
        ("The p99 of the scorer is on the dashboard", 1, Trust.USER),
        ("Parcels are sorted by weight now", 1, Trust.USER),
        (NEWS, 20, Trust.USER),
        (NEWS, 1, Trust.AGENT),
    ],
    ids=["says more", "says something else", "was said before it", "an agent said it"],
)
def test_what_does_not_end_it_leaves_no_doubt(desk, wait, said, days, trust):
    record = desk.say(LIMIT)
    waiting = wait(said, days=days, trust=trust)

    assert 0 == doubt_memories(desk.place, waiting.created)
    assert against(desk, record) is None


def test_what_was_proposed_before_is_not_looked_at_again(desk, wait):
    desk.say(LIMIT)
    waiting = wait(NEWS)

    assert 0 == doubt_memories(desk.place, waiting.created + timedelta(seconds=1))


def test_a_title_cannot_name_another_memory_as_doubted(desk, wait):
    """Only what Lerim wrote in front of it counts."""
    record = desk.say("Never deploy on Fridays; may stand against dec-aaaaaaaaaa “x”")
    waiting = wait("Deploying on Fridays is fine now")
    doubted = replace(waiting, signals=("may stand against “x”",))

    assert () == doubted.doubts
    assert 1 == doubt_memories(desk.place, waiting.created)
    assert waiting.id == against(desk, record).name


@pytest.fixture
def accepted(desk, wait):
    """A memory, and one that was accepted beside it and may end it."""
    record, waiting = desk.say(LIMIT), wait(NEWS)
    doubt_memories(desk.place, waiting.created)
    with desk.place.change("person", "accepted") as change:
        kept = ReviewList(change).accept(waiting.id, draft_of(waiting).record(desk.clock()))
    return record, kept


def test_what_was_accepted_beside_a_memory_is_told_until_somebody_decides(desk, accepted):
    record, kept = accepted

    assert (kept.id, NEWS, False) == tuple(getattr(against(desk, record), name) for name in _TOLD)

    with desk.place.change("person", "closed") as change:
        change.supersede(record.id, by=kept.id)
        change.archive(kept.id)
    assert against(desk, record) is None


def test_whoever_lets_both_stand_is_told_of_it_no_more(desk, accepted):
    record, kept = accepted
    question = CurationProposal(CurationVerb.REVIEW, (record.id, kept.id), "may not hold together")

    before = newest_change(desk)
    (done,) = decline(desk.place, [question.seen({one.id: one for one in accepted})], desk.clock())

    assert done.is_done
    assert against(desk, record) is None
    assert before < newest_change(desk)  # The brief, which told it, is made again.


def newest_change(desk) -> int:
    with desk.place.store.read() as snapshot:
        return int(snapshot.tx.row("SELECT max(id) FROM changes")[0])


def test_what_was_settled_can_still_be_taken_back(desk, accepted):
    """That both hold is beside the decision, and does not undo what ties the memory to its candidate."""
    record, kept = accepted
    question = CurationProposal(CurationVerb.REVIEW, (record.id, kept.id), "may not hold together")
    with desk.place.store.read() as snapshot:
        decided = Waiting(snapshot).of_record(kept.id).decided

    decline(desk.place, [question.seen({one.id: one for one in accepted})], desk.clock())

    with desk.place.store.read() as snapshot:
        sql = "SELECT decided_change IS NOT NULL, proposed_change IS NOT NULL FROM review"
        assert [(1, 1)] == [tuple(map(int, row)) for row in snapshot.tx.rows(sql)]
        assert decided == Waiting(snapshot).of_record(kept.id).decided


def test_what_was_made_part_of_a_memory_casts_no_doubt_on_it(desk, wait):
    record, waiting = desk.say(LIMIT), wait(NEWS)
    doubt_memories(desk.place, waiting.created)

    with desk.place.change("person", "updates it") as change:
        ReviewList(change).add_to(waiting.id, record, Edits(title=NEWS), "person", "")

    assert against(desk, record) is None
