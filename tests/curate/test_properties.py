"""Whatever history a memory has: nothing goes in circles, no truth is lost, and every step can be taken back."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from lerim.context.records import Status, Trust
from lerim.curate.undo import undo_run
from lerim.curate.validation import is_exact

RUN = "maintain-20260220-103000-aaaa{:02}"
#: Subjects, each with values that rule each other out.
SUBJECTS = {
    "dates": [
        "Use date-fns for dates",
        "From now on we use Luxon instead of date-fns",
        "Drop Luxon, use Temporal for dates",
    ],
    "port": ["The api listens on port 7000", "The api listens on port 8000", "The api listens on port 9000"],
    "push": ["Never push to main", "It's fine to push to main now"],
    "expiry": ["Tokens expire after 15 minutes", "Tokens expire after 60 minutes"],
    "queue": ["Use Redis for the job queue"],
    "cache": ["Use Redis for the session cache"],
}
SAID = [(subject, value) for subject, values in SUBJECTS.items() for value in values]
statements = st.tuples(st.sampled_from(SAID), st.integers(3, 120), st.sampled_from([Trust.USER, Trust.AGENT]))
histories = st.lists(statements, min_size=1, max_size=8, unique_by=lambda one: one[1])
users = st.lists(
    st.tuples(st.sampled_from(SAID), st.integers(3, 120), st.just(Trust.USER)),
    min_size=1,
    max_size=6,
    unique_by=lambda one: one[1],
)


def quietly(whole: int) -> settings:
    """So many examples in the drill, each in a memory of its own."""
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples(whole), suppress_health_check=checks)


def remembered(desks, history):
    desk = desks()
    for (_, title), days, who in history:
        desk.say(title, days=days, who=who, read=2)
    return desk


def settle(desk):
    """Look until there is nothing to do."""
    for number in range(12):
        if not desk.maintain(RUN.format(number)).done:
            return
    raise AssertionError("it never comes to an end")


@quietly(32)
@given(histories)
def test_following_what_replaced_what_always_ends_at_something_that_holds(desks, history):
    """No circle, and nothing that leads nowhere."""
    desk = remembered(desks, history)

    settle(desk)

    records = {record.id: record for record in desk.records()}
    for record in records.values():
        seen = set()
        while record.superseded_by is not None:
            assert record.id not in seen
            seen.add(record.id)
            record = records[record.superseded_by]
        assert record.status is not Status.SUPERSEDED


@quietly(32)
@given(users)
def test_what_the_user_said_last_of_each_subject_holds(desks, history):
    """Nothing that is still true is closed."""
    desk = remembered(desks, history)

    settle(desk)

    held = {record.title for record in desk.records() if record.holds}
    for subject in SUBJECTS:
        told = [(days, title) for (about, title), days, _ in history if about == subject]
        assert not told or min(told)[1] in held, (subject, held)


@quietly(16)
@given(users, st.randoms(use_true_random=False))
def test_the_order_of_reading_changes_nothing(desks, history, dice):
    """The same sessions, read in any order, leave the same truths active."""
    other = list(history)
    dice.shuffle(other)
    ends = []
    for told in (history, other):
        desk = remembered(desks, told)
        settle(desk)
        ends.append(sorted(record.title for record in desk.records() if record.holds))

    assert ends[0] == ends[1]


@quietly(24)
@given(histories, st.booleans())
def test_undo_is_exact_and_a_plan_applied_twice_changes_nothing(desks, history, unattended):
    """In files and store."""
    desk = remembered(desks, history)
    before = desk.files(), desk.store()
    curation = desk.curation
    plan = curation.plan()
    assert before == (desk.files(), desk.store())
    run = curation.apply(plan, run_id=RUN.format(1), unattended=unattended)
    after = desk.files(), desk.store()

    desk.curation.apply(plan, run_id=RUN.format(2), unattended=unattended)
    assert after == (desk.files(), desk.store())

    if run.done:
        assert () == undo_run(desk.place, RUN.format(1)).refused
    assert before == (desk.files(), desk.store())


@quietly(24)
@given(histories)
@example([(SAID[0], 4, Trust.USER), (SAID[0], 5, Trust.USER), (SAID[1], 3, Trust.AGENT)])
def test_all_evidence_is_kept(desks, history):
    """What a closed record rested on, the user's word or that which stands for it, is found from what holds."""
    desk = remembered(desks, history)
    said = {piece.reference for record in desk.records() for piece in record.evidence}

    settle(desk)

    assert said == {piece.reference for record in desk.records() for piece in record.evidence}
    for record in desk.records():
        assert all(piece.speaker is record.trust for piece in record.evidence), "nobody's word is another's"
        twins = [one for one in desk.records() if one.holds and one.id != record.id and is_exact(one, record)]
        assert not (record.holds and any(twin.trust is record.trust for twin in twins))


@quietly(24)
@given(histories, st.data())
def test_archiving_and_restoring_are_inverse(desks, history, data):
    """Whatever the record is at that time."""
    desk = remembered(desks, history)
    settle(desk)
    record = data.draw(st.sampled_from([one for one in desk.records() if one.status is not Status.ARCHIVED]))
    before = desk.files().keys(), without_date(desk)

    with desk.place.change("person", "away") as change:
        change.archive(record.id)
    with desk.place.change("person", "back") as change:
        change.restore(record.id)

    assert before == (desk.files().keys(), without_date(desk))


def without_date(desk):
    """What the store says, but for when it was last changed."""
    return {one: {**said, "updated": None} for one, said in desk.store().items()}
