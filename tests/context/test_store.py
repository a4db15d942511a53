"""The Context Store: versions, validity, replacement and undo, against the database and against a simple model."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lerim.context.changes import versions_between
from lerim.context.filters import ANY, Filter
from lerim.context.records import Draft, Evidence, Kind, Primitive, Record, RecordId, Status, Trust
from lerim.context.store import ContextStore
from lerim.errors import Conflict, InvalidRecord, NotFound, SupersedeCycle

from ..conftest import examples

T0 = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)


@pytest.fixture
def store(database, clock) -> ContextStore:
    return store_of(database, "prj-one", clock)


def store_of(database, project_id: str, clock) -> ContextStore:
    with database.write() as tx:
        tx.run(
            "INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, '') ON CONFLICT DO NOTHING",
            (project_id, f"/{project_id}", project_id),
        )
    return ContextStore(database, project_id, clock)


def decision(title: str = "Use JWT", body: str = "Because.", **fields) -> Record:
    return replace(Draft(Primitive.DECISION, title, body).record(T0), **fields)


def create(store: ContextStore, title: str = "Use JWT", body: str = "Because.", **fields) -> Record:
    with store.change("person", f"add {title}") as change:
        return change.create(decision(title, body, created=store.clock(), updated=store.clock(), **fields))


def do(store: ContextStore, operation: str, *args, run_id: str | None = None, **kwargs):
    with store.change("person", operation, run_id) as change:
        return getattr(change, operation)(*args, **kwargs)


def ask(store: ContextStore, question: str, *args, **kwargs):
    with store.read() as snapshot:
        return getattr(snapshot, question)(*args, **kwargs)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    records=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 3)), max_size=8),
    limit=st.integers(1, 4),
    hearsay=st.booleans(),
)
def test_pages_put_together_are_what_is_selected(engine, records, limit, hearsay):
    """The user's own before hearsay, last changed first, none twice and none left out, however long the pages are."""
    with fresh_store(engine, lambda: T0) as store:
        with store.change("person", "fill") as change:
            for number, (is_shared, is_archived, day) in enumerate(records):
                status, trust = (
                    (Status.ARCHIVED if is_archived else Status.ACTIVE),
                    Trust.SHARED if is_shared else Trust.USER,
                )
                at = T0 + timedelta(days=day)
                change.create(decision(f"Choice {number}", created=T0, updated=at, status=status, trust=trust))
        wanted = Filter(hearsay=hearsay)
        with store.read() as snapshot:
            everything = sorted(snapshot.select(wanted), key=lambda record: record.is_hearsay)
            pages = [snapshot.page(wanted, limit, offset) for offset in range(0, len(records) + 1, limit)]
            assert (everything, len(everything)) == (
                [record for page in pages for record in page],
                snapshot.count(wanted),
            )


@contextmanager
def fresh_store(engine, clock) -> Iterator[ContextStore]:
    """An empty store, for one example of many."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(engine.open(Path(folder), "context")) as database:
            yield store_of(database, "prj-one", clock)
        engine.done()


def undo(store: ContextStore):
    return do(store, "undo", [ask(store, "last_change")])


def operations(store: ContextStore, record_id: str) -> list[str]:
    return [version.operation for version in ask(store, "history", record_id)]


# --- writing and reading ----------------------------------------------------------------------------------------------


def test_every_field_survives_the_database(store):
    """A record comes back as it went in."""
    full = Record(
        id=RecordId("sum-aaaaaaaaaa"),
        primitive=Primitive.SUMMARY,
        title="T",
        body="B\r\n\n",
        created=T0,
        updated=T0 + timedelta(days=1),
        source="sync",
        confidence=0.25,
        tags=("a", "é"),
        status=Status.SUPERSEDED,
        valid_from=T0 - timedelta(days=1),
        valid_until=T0 + timedelta(days=2),
        superseded_by=RecordId("sum-bbbbbbbbbb"),
        evidence=(Evidence("claude", "r1", 3, 4, 'said "so"', Trust.AGENT),),
        trust=Trust.AGENT,
        description="d",
        date="2026-02-20",
        time="10:30:00",
        coding_agent="claude",
        raw_trace_path="p",
        run_id="r1",
        repo_name="n",
        extra={"mine": [1, {"x": None}], "on": True},
    )

    do(store, "create", full)

    assert full == ask(store, "fetch", full.id) == ask(store, "history", full.id)[0].record


def test_a_learning_keeps_its_kind(store):
    """Enums come back as enums."""
    record = do(store, "create", Draft(Primitive.LEARNING, "T", kind=Kind.PITFALL).record(T0))

    assert Kind.PITFALL is ask(store, "fetch", record.id).kind


def test_an_unknown_record_is_not_found(store):
    """By every way of asking."""
    for question in ("fetch", "current", "history", "row_of"):
        with pytest.raises(NotFound):
            ask(store, question, "dec-nowhere234")
    assert ask(store, "find", "dec-nowhere234") is None


def test_an_id_cannot_be_created_twice(store):
    """Nothing is overwritten by creating."""
    record = create(store)

    with pytest.raises(Conflict):
        do(store, "create", replace(record, body="other"))

    assert "Because." == ask(store, "fetch", record.id).body


def test_a_revision_is_a_new_version(store, clock):
    """The old one stays readable, with who made the new one, when and why."""
    record = create(store)
    clock.tick()
    with store.change("lerim", "found a better reason", "sync-1") as change:
        new = change.revise(record.id, body="Better.")

    history = ask(store, "history", record.id)

    assert (["Because.", "Better."], [1, 2]) == (
        [version.record.body for version in history],
        [version.record.version for version in history],
    )
    last = history[-1]
    assert ("revise", clock.now, "lerim", "found a better reason", "sync-1") == (
        *(last.operation, last.at, last.author),
        *(last.reason, last.run_id),
    )
    assert (2, clock.now) == (new.version, new.updated)


def test_a_revision_without_a_difference_writes_nothing(store, clock):
    """No version, no change, no new time."""
    record = create(store)
    before = ask(store, "last_change")
    clock.tick()

    same = do(store, "revise", record.id, body=record.body, tags=record.tags)

    assert (record, ["create"], before) == (same, operations(store, record.id), ask(store, "last_change"))


def test_a_revision_based_on_an_older_version_is_refused(store):
    """Somebody was faster; nothing is written."""
    record = create(store)
    do(store, "revise", record.id, body="theirs")

    with pytest.raises(Conflict) as caught:
        do(store, "revise", record.id, base=1, body="mine")

    assert "version 2 now, not 1" in caught.value.message
    assert "theirs" == ask(store, "fetch", record.id).body
    assert "mine" == do(store, "revise", record.id, base=2, body="mine").body


def test_an_invalid_revision_is_refused_and_the_whole_change_with_it(store):
    """All that happened inside one change goes together."""
    one, two = create(store, "One"), create(store, "Two")

    with pytest.raises(InvalidRecord), store.change("person", "both") as change:
        change.revise(one.id, body="new")
        change.revise(two.id, confidence=7.0)

    assert [["create"], ["create"]] == [operations(store, record.id) for record in (one, two)]


def test_two_revisions_in_one_change_are_two_versions(store):
    """Each step is kept; what the change touched is the last."""
    record = create(store)
    with store.change("person", "twice") as change:
        change.revise(record.id, body="a")
        change.revise(record.id, body="b")
        touched = change.touched

    assert ["create", "revise", "revise"] == operations(store, record.id)
    assert ["b"] == [item.record.body for item in touched.values()]


def test_records_of_two_projects_with_one_id_do_not_meet(database, clock):
    """Two clones share their files, and so their ids, without being one project."""
    one, two = store_of(database, "prj-one", clock), store_of(database, "prj-two", clock)
    record = decision()
    do(one, "create", record)
    do(two, "create", record)

    do(one, "revise", record.id, body="only here")
    do(two, "archive", record.id)

    assert ("only here", Status.ACTIVE) == (
        ask(one, "fetch", record.id).body,
        ask(one, "fetch", record.id).status,
    )
    assert ("Because.", Status.ARCHIVED) == (
        ask(two, "fetch", record.id).body,
        ask(two, "fetch", record.id).status,
    )
    undo(two)
    assert (2, 3) == (len(ask(one, "history", record.id)), len(ask(two, "history", record.id)))
    assert [record.id] == [found.id for found in ask(one, "starting_with", record.id[:6])]


def test_undo_stays_inside_its_project(database, clock):
    """The last change of one project is not the last change of another."""
    one, two = store_of(database, "prj-one", clock), store_of(database, "prj-two", clock)
    record = create(one)
    create(two)

    undo(one)

    assert Status.ARCHIVED is ask(one, "fetch", record.id).status
    with pytest.raises(NotFound):
        undo(one)


def test_a_use_is_counted_without_a_version(store, clock):
    """Attention is not truth."""
    record = create(store)
    clock.tick()
    for _ in range(2):
        do(store, "touch", [record.id, "dec-nowhere234"])

    used = ask(store, "fetch", record.id)

    assert (2, clock.now, 1) == (used.uses, used.last_used, used.version)
    assert (2, 2) == (do(store, "revise", record.id, body="x").uses, ask(store, "fetch", record.id).uses)


def test_a_filter_takes_what_all_its_parts_take(store, clock):
    """Primitive, kind, tags, status and time narrow each other; last changed comes first."""
    old = create(store, "Old", tags=("a",))
    clock.tick()
    both = create(store, "Both", tags=("a", "b"))
    away = create(store, "Away", tags=("a", "b"))
    do(store, "archive", away.id)
    lesson = do(store, "create", Draft(Primitive.LEARNING, "L", kind=Kind.PITFALL, tags=("a",)).record(clock.now))

    def titles(**wanted) -> list[str]:
        return [record.title for record in ask(store, "select", Filter(**wanted))]

    assert ["L", "Both", "Old"] == titles()
    assert ["Both", "Old"] == titles(primitive=Primitive.DECISION)
    assert ["L"] == titles(kind=Kind.PITFALL)
    assert ["Both"] == titles(tags=("b", "a"))
    assert ["Away"] == titles(statuses=(Status.ARCHIVED,))
    assert ["L", "Away", "Both", "Old"] == titles(statuses=())
    assert ["L", "Both"] == titles(since=clock.now)
    assert ["Old"] == titles(until=T0)
    assert {(Primitive.DECISION, Status.ACTIVE): 2, (Primitive.DECISION, Status.ARCHIVED): 1}.items() <= ask(
        store, "counts"
    ).items()
    assert (old.id, lesson.id, both.id) == tuple(ask(store, "fetch", record.id).id for record in (old, lesson, both))


# --- replacing, putting away, bringing back ---------------------------------------------------------------------------


def test_superseded_decision_leads_to_its_replacement(store, clock):
    """Asking for an old decision yields the one that holds now, however many steps away."""
    one, two, three = (create(store, title) for title in ("One", "Two", "Three"))
    clock.tick()
    do(store, "supersede", one.id, by=two.id)
    clock.tick()
    do(store, "supersede", two.id, by=three.id)

    old = ask(store, "fetch", one.id)

    assert (Status.SUPERSEDED, two.id, T0 + timedelta(minutes=1)) == (old.status, old.superseded_by, old.valid_until)
    assert [three.id] * 3 == [ask(store, "current", record.id).id for record in (one, two, three)]
    assert [three.id] == [record.id for record in ask(store, "select")]


def test_a_circle_of_replacements_is_refused(store):
    """Directly, over others, and with itself."""
    one, two, three = (create(store, title) for title in ("One", "Two", "Three"))
    do(store, "supersede", one.id, by=two.id)
    do(store, "supersede", two.id, by=three.id)

    for old, new in ((three, one), (three, two), (three, three), (two, one)):
        with pytest.raises(SupersedeCycle):
            do(store, "supersede", old.id, by=new.id)

    assert three.id == ask(store, "current", one.id).id


def test_an_archived_record_replaces_nothing(store):
    """No active truth disappears by replacing it with something archived."""
    one, two = create(store, "One"), create(store, "Two")
    do(store, "archive", two.id)

    with pytest.raises(Conflict):
        do(store, "supersede", one.id, by=two.id)
    with pytest.raises(NotFound):
        do(store, "supersede", one.id, by="dec-nowhere234")

    assert Status.ACTIVE is ask(store, "fetch", one.id).status


def test_archiving_and_restoring_leave_the_content_alone(store):
    """It was archived, not refuted: its window stays open."""
    record = create(store)

    archived = do(store, "archive", record.id)
    restored = do(store, "restore", record.id)

    assert (Status.ARCHIVED, None) == (archived.status, archived.valid_until)
    assert replace(record, version=3) == restored
    assert ["create", "archive", "restore"] == operations(store, record.id)


def test_a_superseded_record_that_was_archived_is_restored_as_superseded(store):
    """Bringing it back from the archive does not make it true again; restoring once more does."""
    one, two = create(store, "One"), create(store, "Two")
    do(store, "supersede", one.id, by=two.id)
    do(store, "archive", one.id)

    first = do(store, "restore", one.id)
    second = do(store, "restore", one.id)

    assert (Status.SUPERSEDED, two.id) == (first.status, first.superseded_by)
    assert (Status.ACTIVE, None, None) == (second.status, second.superseded_by, second.valid_until)


# --- the past ---------------------------------------------------------------------------------------------------------


def test_a_record_reads_as_it_stood(store, clock):
    """Before it existed it did not exist; between two versions the earlier one held."""
    record = create(store, body="one")
    first = clock.now
    clock.tick()
    do(store, "revise", record.id, body="two")
    between = clock.now + timedelta(seconds=30)
    clock.tick()
    do(store, "archive", record.id)

    def body(moment: datetime) -> str:
        return ask(store, "fetch_as_of", record.id, moment).body

    assert ["one", "one", "two"] == [body(first), body(first + timedelta(seconds=59)), body(between)]
    assert Status.ACTIVE is ask(store, "fetch_as_of", record.id, between).status
    assert Status.ARCHIVED is ask(store, "fetch_as_of", record.id, clock.now).status
    with pytest.raises(NotFound):
        ask(store, "fetch_as_of", record.id, first - timedelta(seconds=1))
    assert [] == ask(store, "select_as_of", first - timedelta(seconds=1), ANY)
    assert ["two"] == [found.body for found in ask(store, "select_as_of", between)]
    assert [] == ask(store, "select_as_of", clock.now)


def test_a_record_that_was_learned_before_it_came_here_held_before_it_came_here(store, clock):
    """A pulled file has its own date of creation."""
    record = create(store, body="x", valid_from=T0 - timedelta(days=9))
    older = do(store, "create", decision("Older", created=T0 - timedelta(days=9), updated=T0 - timedelta(days=9)))

    found = [item.id for item in ask(store, "select_as_of", T0 - timedelta(days=1))]

    assert ([older.id], "Because.") == (found, ask(store, "fetch_as_of", older.id, T0 - timedelta(days=1)).body)
    assert record.id not in found


def said(session: str, at: datetime, words: str = "use JWT") -> Evidence:
    return Evidence("claude", session, 2, 2, words, Trust.USER, said=at)


def test_what_a_session_said_held_since_it_was_said(store, clock):
    """A session of January that is read in February: asked for the end of January, its memory is there."""
    january, later = T0 - timedelta(days=40), T0 - timedelta(days=20)
    record = create(store, evidence=(said("s-1", january),), valid_from=None)

    assert [record.id] == [found.id for found in ask(store, "select_as_of", later)]
    assert record.title == ask(store, "fetch_as_of", record.id, january).title
    assert [] == ask(store, "select_as_of", january - timedelta(seconds=1))


def test_what_replaced_it_did_so_when_that_was_said(store, clock):
    """Both sessions are read late: in between only the older decision held, and after it only the newer one."""
    january, june = T0 - timedelta(days=300), T0 - timedelta(days=100)
    old = create(store, "Use date-fns", evidence=(said("s-1", january),), valid_from=None)
    new = create(store, "Use Luxon", evidence=(said("s-2", june),), valid_from=None)
    clock.tick()
    do(store, "supersede", old.id, by=new.id, at=june)

    def holding(moment: datetime) -> list[str]:
        return [found.title for found in ask(store, "select_as_of", moment)]

    assert [[], ["Use date-fns"], ["Use Luxon"], ["Use Luxon"]] == [
        holding(moment) for moment in (january - timedelta(days=1), january + timedelta(days=9), june, clock.now)
    ]
    assert new.id == ask(store, "fetch_as_of", old.id, june).superseded_by


def test_what_a_person_changed_counts_from_their_change(store, clock):
    """The words are old, the better title is new."""
    january = T0 - timedelta(days=40)
    record = create(store, "use it", evidence=(said("s-1", january),), valid_from=None)
    clock.tick(hours=1)
    do(store, "revise", record.id, title="Use JWT for the API")

    assert "use it" == ask(store, "fetch_as_of", record.id, clock.now - timedelta(minutes=1)).title
    assert "Use JWT for the API" == ask(store, "fetch_as_of", record.id, clock.now).title


def test_an_older_session_read_last_takes_its_memory_back_to_when_it_was_said(store, clock):
    """Said in June, found again in a session of January: it held in March, as far as anybody can tell."""
    january, march, june = (T0 - timedelta(days=days) for days in (300, 200, 100))
    record = create(store, evidence=(said("s-2", june),), valid_from=None)
    clock.tick()
    do(store, "revise", record.id, evidence=(said("s-2", june), said("s-1", january)), valid_from=january)

    assert record.id == ask(store, "fetch_as_of", record.id, march).id


def test_a_clock_that_goes_backwards_does_not_reorder_history(store, clock):
    """Versions follow each other in time, whatever the clock says."""
    record = create(store)
    clock.tick(hours=1)
    do(store, "revise", record.id, body="a")
    clock.tick(hours=-3)
    do(store, "revise", record.id, body="b")
    clock.tick(minutes=1)
    do(store, "archive", record.id)

    moments = [version.at for version in ask(store, "history", record.id)]

    assert moments == sorted(moments)
    assert T0 + timedelta(hours=1) == ask(store, "fetch", record.id).updated
    assert Status.ARCHIVED is ask(store, "fetch_as_of", record.id, T0 + timedelta(hours=1)).status


def test_what_was_taken_back_never_was(store, clock):
    """On no day, and it is not told as a change either; one that came before is."""
    june = clock.now
    old, new = create(store, "Always squash"), create(store, "Never squash")
    clock.now += timedelta(days=30)
    before = clock.now
    do(store, "supersede", old.id, by=new.id)
    clock.now += timedelta(days=30)
    undo(store)
    after = clock.now

    assert Status.ACTIVE is ask(store, "fetch_as_of", old.id, before + timedelta(days=1)).status
    assert {old.id, new.id} == {one.id for one in ask(store, "select_as_of", before + timedelta(days=1))}
    with store.read() as snapshot:
        told = [(one.record.id, one.operation) for one in versions_between(snapshot, june, None)]
        since = [(one.record.id, one.operation) for one in versions_between(snapshot, after, None)]
    assert [(old.id, "create"), (new.id, "create")] == told
    assert [(old.id, "undo")] == since


# --- undo -------------------------------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_change_with_a_new_version(store, clock):
    """History grows; nothing is erased."""
    record = create(store)
    clock.tick()
    do(store, "revise", record.id, body="new", tags=("x",))
    clock.tick()

    undone = undo(store)

    assert [replace(record, version=3)] == undone.records == [ask(store, "fetch", record.id)]
    assert ["create", "revise", "undo"] == operations(store, record.id)


def test_undo_walks_back_step_by_step(store, clock):
    """Each undo takes back the change before the one it took back last."""
    record = create(store, body="0")
    for number in range(1, 4):
        clock.tick()
        do(store, "revise", record.id, body=str(number))

    seen = []
    for _ in range(3):
        undo(store)
        seen.append(ask(store, "fetch", record.id).body)
    undo(store)

    assert (["2", "1", "0"], Status.ARCHIVED) == (seen, ask(store, "fetch", record.id).status)
    with pytest.raises(NotFound):
        undo(store)


def test_undo_after_a_new_change_takes_back_the_new_one(store):
    """What was undone stays undone."""
    record = create(store, body="0")
    do(store, "revise", record.id, body="1")
    undo(store)
    do(store, "revise", record.id, body="2")

    undo(store)

    assert "0" == ask(store, "fetch", record.id).body


def test_undo_of_a_run_takes_back_all_it_did(store):
    """Several changes of one run, over several records; other changes stay."""
    record = create(store, body="before")
    with store.change("lerim", "sync", "sync-1") as change:
        new = change.create(decision("New"))
        change.revise(record.id, body="run 1")
    do(store, "revise", record.id, body="run 2", run_id="sync-1")
    other = create(store, "Other")

    undone = do(store, "undo", ask(store, "changes_of_run", "sync-1"))

    assert {record.id, new.id} == {item.id for item in undone.records}
    assert ("before", Status.ARCHIVED, Status.ACTIVE) == (
        ask(store, "fetch", record.id).body,
        ask(store, "fetch", new.id).status,
        ask(store, "fetch", other.id).status,
    )
    assert [] == ask(store, "changes_of_run", "sync-1")


def test_undo_keeps_what_somebody_changed_since(store):
    """A person's later edit is not taken back with the machine's change; the rest of that change is."""
    one, two = create(store, "One"), create(store, "Two")
    with store.change("lerim", "maintain", "run") as change:
        change.revise(one.id, body="machine")
        change.revise(two.id, body="machine")
    do(store, "revise", one.id, body="person")

    undone = do(store, "undo", ask(store, "changes_of_run", "run"))

    assert ([one.id], [two.id]) == ([item.id for item in undone.kept], [item.id for item in undone.records])
    assert ("person", "Because.") == (ask(store, "fetch", one.id).body, ask(store, "fetch", two.id).body)


def test_undo_of_a_replacement_makes_the_old_record_hold_again(store, clock):
    """Status, successor and end go together."""
    one, two = create(store, "One"), create(store, "Two")
    clock.tick()
    do(store, "supersede", one.id, by=two.id)

    undo(store)

    assert replace(one, version=3) == ask(store, "fetch", one.id)


def test_undo_of_a_creation_removes_the_file_and_puts_the_record_away(memory, place):
    """`restore` still finds it."""
    kept = memory.add(Draft(Primitive.DECISION, "Use JWT", "text"))
    path = kept.path

    undone = memory.undo()

    assert [kept.record.id] == [record.id for record in undone.records]
    assert (False, None, Status.ARCHIVED) == (
        path.exists(),
        place.path_of(kept.record),
        memory.find(kept.record.id).record.status,
    )
    restored = memory.restore(memory.find(kept.record.id), reason="needed after all")
    assert b"text" in restored.path.read_bytes()


def test_undo_keeps_the_count_of_uses(store):
    """Attention is not part of what a change changed."""
    record = create(store)
    do(store, "revise", record.id, body="x")
    do(store, "touch", [record.id])

    undo(store)

    assert 1 == ask(store, "fetch", record.id).uses


def test_undo_of_an_older_change_does_not_close_a_circle(store):
    """What was true when it was written may be a circle by now: that undo is refused, and reading always ends."""
    one, two = create(store, "One"), create(store, "Two")
    do(store, "supersede", one.id, by=two.id)
    do(store, "restore", one.id)
    restored = ask(store, "last_change")
    do(store, "supersede", two.id, by=one.id)

    with pytest.raises(Conflict):
        do(store, "undo", [restored])

    assert_no_circle(store)


def test_an_unknown_change_is_not_found(store):
    """By number."""
    with pytest.raises(NotFound):
        ask(store, "find_change", 99)


def assert_no_circle(store: ContextStore) -> None:
    links = ask(store, "successors")
    known = {record.id for record in ask(store, "select", ANY)}
    for start in links:
        seen, at = {start}, links.get(start)
        while at is not None:
            assert at in known
            assert at not in seen, f"{start} leads in a circle"
            seen.add(at)
            at = links.get(at)


# --- against a model --------------------------------------------------------------------------------------------------


@dataclass
class Model:
    """What the store promises, in memory: for each record its versions as (at, body, status, superseded_by)."""

    records: dict[str, list[tuple]] = field(default_factory=dict)
    #: Changes not undone and not undos: for each record its state before, None when it was created.
    changes: list[dict[str, tuple | None]] = field(default_factory=list)
    #: Versions that were taken back, as a record and their number.
    back: set[tuple[str, int]] = field(default_factory=set)
    #: For each change of `changes`, its version's number.
    made: list[int] = field(default_factory=list)

    def write(self, at: datetime, record_id: str, body: str, status: Status, successor: str | None) -> None:
        versions = self.records.setdefault(record_id, [])
        if versions and versions[-1][1:] == (body, status, successor):
            return
        self.add(record_id, (at, body, status, successor))

    def add(self, record_id: str, version: tuple) -> None:
        versions = self.records[record_id]
        self.changes.append({record_id: versions[-1] if versions else None})
        self.made.append(len(versions))
        versions.append(version)

    def chain(self, record_id: str) -> list[str]:
        found = [record_id]
        while (successor := self.records[found[-1]][-1][3]) is not None:
            found.append(successor)
        return found

    def undo(self, at: datetime) -> None:
        number = self.made.pop()
        for record_id, before in self.changes.pop().items():
            self.back.add((record_id, number))
            _, body, _, successor = self.records[record_id][-1]
            self.records[record_id].append((at, *before[1:]) if before else (at, body, Status.ARCHIVED, successor))


@contextmanager
def opened(engine, folder: Path, clock) -> Iterator[ContextStore]:
    with closing(engine.open(folder, "context")) as database:
        yield store_of(database, "prj", clock)


def states(record: Record) -> tuple:
    return record.body, record.status, record.superseded_by


_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "revise", "supersede", "archive", "restore", "undo", "reopen"]),
        st.integers(0, 4),
        st.integers(0, 4),
    ),
    max_size=14,
)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
@example(
    steps=[
        ("create", 0, 0),
        ("create", 0, 0),
        ("supersede", 0, 1),
        ("archive", 0, 0),
        ("undo", 0, 0),
        ("restore", 0, 0),
    ]
)
def test_the_store_does_what_the_model_does(engine, steps):
    """Over any sequence of operations: the records that are current, all of their past, and what undo leads back to."""
    now = [T0]
    with tempfile.TemporaryDirectory() as folder:
        model = Model()
        stack = opened(engine, Path(folder), lambda: now[0])
        store = stack.__enter__()
        try:
            for what, one, two in [("create", 0, 0), *steps]:
                now[0] += timedelta(minutes=1)
                if what == "reopen":
                    stack.__exit__(None, None, None)
                    stack = opened(engine, Path(folder), lambda: now[0])
                    store = stack.__enter__()
                else:
                    step(store, model, what, one, two, now[0])
            compare(store, model, now[0])
        finally:
            stack.__exit__(None, None, None)
            engine.done()


def step(store: ContextStore, model: Model, what: str, one: int, two: int, at: datetime) -> None:
    ids = list(model.records)
    first, second = ids[one % len(ids)] if ids else "", ids[two % len(ids)] if ids else ""
    _, body, status, successor = model.records[first][-1] if ids else (at, "", Status.ACTIVE, None)
    match what:
        case "create":
            record = create(store, "T", f"body {two}")
            model.write(at, record.id, record.body, Status.ACTIVE, None)
        case "revise":
            do(store, "revise", first, body=f"body {two}")
            model.write(at, first, f"body {two}", status, successor)
        case "archive":
            do(store, "archive", first)
            model.write(at, first, body, Status.ARCHIVED, successor)
        case "restore":
            do(store, "restore", first)
            back = status is Status.ARCHIVED and successor is not None
            model.write(at, first, body, Status.SUPERSEDED if back else Status.ACTIVE, successor if back else None)
        case "supersede":
            supersede(store, model, first, second, at)
        case "undo":
            if model.changes:
                undo(store)
                model.undo(at)
            else:
                with pytest.raises(NotFound):
                    undo(store)


def supersede(store: ContextStore, model: Model, old: str, new: str, at: datetime) -> None:
    chain = model.chain(new)
    if old in chain:
        with pytest.raises(SupersedeCycle):
            do(store, "supersede", old, by=new)
    elif model.records[chain[-1]][-1][2] is not Status.ACTIVE:
        with pytest.raises(Conflict):
            do(store, "supersede", old, by=new)
    else:
        do(store, "supersede", old, by=new)
        # The same replacement said again later has a later end: a version of its own.
        model.add(old, (at, model.records[old][-1][1], Status.SUPERSEDED, new))


def compare(store: ContextStore, model: Model, now: datetime) -> None:
    with store.read() as snapshot:
        found = {record.id: record for record in snapshot.select(ANY)}
        assert {key: versions[-1][1:] for key, versions in model.records.items()} == {
            key: states(record) for key, record in found.items()
        }
        moments = {version[0] for versions in model.records.values() for version in versions} | {now}
        for record_id, versions in model.records.items():
            assert len(versions) == found[record_id].version == len(snapshot.history(record_id))
            assert model.chain(record_id)[-1] == snapshot.current(record_id).id
        for moment in moments:
            then = {
                key: held[-1][1:]
                for key, versions in model.records.items()
                if (
                    held := [
                        version
                        for number, version in enumerate(versions)
                        if version[0] <= moment and (key, number) not in model.back
                    ]
                )
            }
            assert then == {record.id: states(record) for record in snapshot.select_as_of(moment, ANY)}
            assert then == {key: states(snapshot.fetch_as_of(key, moment)) for key in then}


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    attempts=st.lists(
        st.tuples(
            st.sampled_from(["supersede", "supersede", "restore", "archive", "undo"]),
            st.integers(0, 3),
            st.integers(0, 3),
        ),
        max_size=16,
    )
)
@example(attempts=[("supersede", 0, 1), ("restore", 0, 0), ("supersede", 1, 0), ("undo", 0, 1)])
def test_following_replacements_always_ends(engine, attempts):
    """Whatever is tried, undoing any older change included, no record leads in a circle or nowhere."""
    now = [T0]
    with fresh_store(engine, lambda: now[0]) as store:
        ids = [create(store, f"R{number}").id for number in range(4)]
        made: list[int] = []
        for what, one, two in attempts:
            now[0] += timedelta(minutes=1)
            try:
                match what:
                    case "supersede":
                        do(store, "supersede", ids[one], by=ids[two])
                    case "undo" if made:
                        do(store, "undo", [ask(store, "find_change", made[(one * 4 + two) % len(made)])])
                    case "archive" | "restore":
                        do(store, what, ids[one])
            except Conflict:
                pass
            else:
                made.append(ask(store, "history", ids[one])[-1].change)
            assert_no_circle(store)
