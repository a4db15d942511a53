"""Candidates for review: proposed once, decided once, and in step with the memory they become."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.context import upkeep
from lerim.context.filters import ANY
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.records import LIKELY, Draft, Evidence, Kind, Primitive, RecordId, Status, Trust
from lerim.context.review.candidates import (
    MAY_OPPOSE,
    TELLS_NEWS,
    TOLD,
    Edits,
    ReviewCandidate,
    ReviewState,
    new_review_id,
)
from lerim.context.review.deciding import ReviewList
from lerim.context.review.desk import Proposed
from lerim.context.review.room import Review
from lerim.context.review.waiting import Waiting
from lerim.errors import Conflict, FileNotWritten, InvalidRecord, NotFound
from lerim.storage.database import Database, migrations
from lerim.storage.engine import open_database

SESSION = "claude/s-1"
NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)


def candidate(title: str = "Prefer pnpm over npm", line: int = 4, quote: str = "", **fields: Any) -> ReviewCandidate:
    session = fields.pop("session", SESSION)
    agent, _, run_id = session.partition("/")
    fields = {
        "body": "It is faster.",
        "confidence": 0.55,
        "kind": Kind.PREFERENCE,
        "tags": ("tooling",),
        "evidence": (Evidence(agent, run_id, line, line, quote or f"{title}, I think", Trust.AGENT),),
        "trust": Trust.AGENT,
        "signals": ("prefers one thing",),
        **fields,
    }
    return ReviewCandidate(new_review_id(), session, "sync-1", Primitive.LEARNING, title, created=NOW, **fields)


def save_with_record(place: Place, found: ReviewCandidate, run_id: str) -> list[ReviewCandidate]:
    """As a run does, which always leaves something, if only a summary."""
    with place.change("lerim", "sync", run_id) as change:
        change.create(Draft(Primitive.DECISION, f"From {run_id}").record(change.now))
        return ReviewList(change).save_all(SESSION, [found])


def save(place: Place, *found: ReviewCandidate, session: str = SESSION) -> list[ReviewCandidate]:
    with place.change("lerim", f"sync of {session}", "sync-1") as change:
        return ReviewList(change).save_all(session, found)


@pytest.fixture
def review(memory: Memory, place: Place) -> Review:
    return Review(memory)


@pytest.fixture
def waiting(review: Review, place: Place) -> Proposed:
    """One candidate that waits."""
    save(place, candidate())
    (item,) = review.select()
    return item


def states(review: Review) -> dict[str, str]:
    return {item.candidate.title: str(item.candidate.state) for item in review.select(None)}


# Proposing


def test_a_candidate_is_kept_as_it_was_proposed(review, place):
    """Every field comes back, evidence with its quote and its speaker."""
    (saved,) = save(place, candidate())

    assert [saved] == [item.candidate for item in review.select()]
    assert place.project.id == saved.project
    assert 1 == review.waiting().total


@pytest.mark.parametrize(
    ("fields", "is_likely"),
    [
        ({"confidence": LIKELY}, True),
        ({"confidence": LIKELY - 0.01}, False),
        ({"confidence": 0.1, "signals": (f"{MAY_OPPOSE} dec-x2pq",)}, True),
        ({"confidence": 0.1, "signals": ("gives a reason", TELLS_NEWS)}, False),
        ({"confidence": 0.1, "against": (RecordId("dec-aaaaaaaaaa"),)}, True),
        ({"confidence": 0.1, "run_id": f"{TOLD}1"}, True),
    ],
)
def test_the_database_and_the_candidate_agree_on_what_is_likely(review, place, fields, is_likely):
    """One counts and orders, the other is told."""
    save(place, replace(candidate(), **fields))

    (item,) = review.select()

    assert (is_likely, (1, int(is_likely))) == (item.candidate.is_likely, review.waiting())


def test_what_is_likely_comes_first_whenever_it_was_proposed(review, place):
    later = NOW + timedelta(days=1)
    save(place, candidate("Likely", confidence=0.3), candidate("Hardly", confidence=0.2))
    newer = replace(candidate("Newer", confidence=0.2, session="claude/s-2"), created=later)
    save(place, newer, session="claude/s-2")

    assert ["Likely", "Newer", "Hardly"] == [item.candidate.title for item in review.select()]
    assert ["Likely", "Newer"] == [item.candidate.title for item in review.select(limit=2)]


def test_what_was_said_last_comes_first_and_then_what_is_surer(review, place):
    """Whenever its session was read, and whatever its id is."""
    old, new = NOW - timedelta(days=9), NOW
    found = [
        candidate(title, confidence=sure, evidence=(Evidence("claude", "s-1", 4, 4, title, Trust.AGENT, when),))
        for title, sure, when in [
            ("Old and sure", 0.2, old),
            ("New and less sure", 0.1, new),
            ("New and sure", 0.15, new),
            ("Old and likely", 0.5, old),
        ]
    ]
    save(place, *found)

    titles = [item.candidate.title for item in review.select()]
    assert titles == ["Old and likely", "New and sure", "New and less sure", "Old and sure"]
    assert titles[:2] == [item.candidate.title for item in review.select(limit=2)]


def test_of_what_is_likely_the_surest_comes_first_whenever_it_was_said(review, place):
    """Whoever stops after ten has seen the best ten."""
    found = [
        candidate(title, confidence=sure, evidence=(Evidence("claude", "s-1", 4, 4, title, Trust.USER, when),))
        for title, sure, when in [
            ("New", 0.22, NOW),
            ("Old and surest", 0.4, NOW - timedelta(days=9)),
            ("Older", 0.22, NOW - timedelta(days=2)),
        ]
    ]
    save(place, *found)

    assert ["Old and surest", "New", "Older"] == [item.candidate.title for item in review.select()]


def test_a_candidate_is_no_memory(review, place, waiting):
    """No record, no file: nothing that searches or answers can see it."""
    with place.store.read() as snapshot:
        assert [] == snapshot.select(ANY)
    assert [] == list(place.folder.root.rglob("*.md"))


def test_a_session_that_is_taken_again_doubles_nothing(review, place):
    """The same words keep their id, whatever the engine calls them now."""
    (first,) = save(place, candidate(quote="pnpm is nicer than npm, I think"))

    save(place, candidate("Prefer pnpm, which is nicer", quote="pnpm is nicer than npm", confidence=0.6))

    (item,) = review.select()
    assert (first.id, "Prefer pnpm, which is nicer", 0.6) == (
        item.candidate.id,
        item.candidate.title,
        item.candidate.confidence,
    )


def test_what_did_not_change_is_left_alone(review, place):
    """A second look that says the same writes no row."""
    (first,) = save(place, candidate())

    (again,) = save(place, replace(candidate(), run_id="sync-2"))

    assert first == again
    assert "sync-1" == review.select()[0].candidate.run_id


def test_two_things_of_one_line_stay_two(review, place):
    """A person says several things in a message; each is a candidate, also the second time."""
    one, two = candidate("Prefer pnpm", 4, "use pnpm"), candidate("Prefer tabs", 4, "and tabs please")
    first = save(place, one, two)

    again = save(place, candidate("Prefer tabs", 4, "and tabs please"), candidate("Prefer pnpm", 4, "use pnpm"))

    assert {saved.id for saved in first} == {saved.id for saved in again}
    assert 2 == review.waiting().total


def test_the_same_title_twice_in_a_session_is_one_candidate(review, place):
    """However an engine came to propose it twice."""
    save(place, candidate("Prefer pnpm", 4), candidate("prefer pnpm.", 9))

    assert 1 == review.waiting().total


def test_what_is_not_found_again_is_outdated(review, place):
    """Later words of the session may have taken it back. It can still be accepted by name."""
    save(place, candidate("Prefer pnpm", 4), candidate("Prefer tabs", 6))

    save(place, candidate("Prefer tabs", 6))

    assert {"Prefer pnpm": "outdated", "Prefer tabs": "pending"} == states(review)


def test_what_is_found_again_later_waits_again(review, place):
    """Outdated is not decided."""
    save(place, candidate())
    save(place)

    save(place, candidate())

    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_a_session_whose_name_begins_like_another_is_another(review, place):
    """`s-1` is not `s-10`."""
    save(place, candidate("Prefer pnpm"))

    save(place, candidate("Prefer tabs", session="claude/s-10"), session="claude/s-10")
    save(place, session="claude/s-10")

    assert {"Prefer pnpm": "pending", "Prefer tabs": "outdated"} == states(review)


@pytest.mark.parametrize("session", [SESSION, "codex/another"])
@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_what_was_decided_on_is_not_proposed_again(review, place, waiting, decision, session):
    """Neither by its own session nor by another that says the same, in other letters."""
    getattr(review, decision)(waiting)

    saved = save(place, candidate("prefer PNPM over npm!", session=session), session=session)

    assert [] == saved
    assert 0 == review.waiting().total


def test_a_rejected_one_in_other_words_is_not_proposed_again(review, place):
    """Its evidence gives it away."""
    save(place, candidate(quote="pnpm is nicer than npm, I think"))
    review.reject(review.select()[0])

    saved = save(place, candidate("Something about package managers", quote="pnpm is nicer than npm"))

    assert [] == saved


def test_another_thing_of_a_rejected_ones_line_is_proposed(review, place):
    """Only the same words are the same thing."""
    save(place, candidate(quote="pnpm is nicer than npm"))
    review.reject(review.select()[0])

    save(place, candidate("Indent by tabs", quote="indent with tabs everywhere"))

    assert ["Indent by tabs"] == [item.candidate.title for item in review.select()]


def test_what_waits_already_is_not_proposed_by_another_session(review, place, waiting):
    """One question is asked once."""
    save(place, candidate(session="codex/x"), session="codex/x")

    assert [SESSION] == [item.candidate.session for item in review.select()]


def test_what_is_a_memory_already_is_not_proposed(review, place):
    """Somebody may have written it down by hand."""
    with place.change("person", "by hand") as change:
        change.create(Draft(Primitive.DECISION, "Prefer pnpm over npm").record(change.now))

    assert [] == save(place, candidate())


def test_what_somebody_put_away_is_not_proposed(memory, review, place):
    """Archiving a memory is an answer, too."""
    kept = memory.add(Draft(Primitive.DECISION, "Prefer pnpm over npm"))
    memory.archive(kept, reason="not any more")

    assert [] == save(place, candidate())


def test_what_was_accepted_and_taken_back_still_waits_when_its_session_is_taken_again(memory, review, place, waiting):
    """The archived memory that an undo left is nobody's answer."""
    review.accept(waiting)
    memory.undo()

    save(place, candidate())

    assert [waiting.candidate] == [item.candidate for item in review.select()]


# Finding


def test_a_candidate_is_found_by_the_beginning_of_its_id(review, waiting):
    """As a record is."""
    assert waiting.candidate == review.find(waiting.candidate.id[:7]).candidate
    assert waiting.candidate == review.find(waiting.candidate.id).candidate


def test_an_unclear_or_unknown_id_is_refused(review, place):
    """With the names it could be, or the command that lists them."""
    save(place, candidate("Prefer pnpm", 4), candidate("Prefer tabs", 6))

    with pytest.raises(Conflict, match="could be rev-"):
        review.find("rev-")
    with pytest.raises(NotFound) as caught:
        review.find("rev-nothing")
    assert "lerim review list --all" == caught.value.hint


def test_candidates_are_listed_by_session_and_number(review, place):
    """A session by its name, or the beginning of its run id."""
    save(place, candidate("Prefer pnpm", 4), candidate("Prefer tabs", 6))
    save(place, candidate("Prefer make", session="codex/t-2"), session="codex/t-2")

    assert 2 == len(review.select(limit=2))
    assert ["Prefer make"] == [item.candidate.title for item in review.select(session="t-2")]
    assert 2 == len(review.select(session="claude/s-1"))


# Deciding


def test_accepting_makes_a_memory_with_its_evidence(review, place, waiting):
    """The record rests on the candidate's own words, is sure of itself since a person said so, and has its file."""
    kept = review.accept(waiting)

    record = kept.record
    assert ("review", 0.9, Trust.AGENT) == (record.source, record.confidence, record.trust)
    assert waiting.candidate.evidence == record.evidence
    assert kept.path is not None and kept.path.is_file()
    found = review.find(waiting.candidate.id).candidate
    assert (ReviewState.ACCEPTED, record.id, "person") == (found.state, found.record_id, found.author)
    assert found == review.of_record(kept)


def test_what_is_surer_than_a_person_stays_so(review, place):
    """Confirming never makes a memory less sure."""
    save(place, candidate(confidence=0.97))

    assert 0.97 == review.accept(review.select()[0]).record.confidence


def test_accepting_takes_edits(review, waiting):
    """Title, body, tags and what it is; its evidence cannot be edited away."""
    edits = Edits("Use pnpm", "Never npm.", Primitive.DECISION, None, ("node",))

    record = review.accept(waiting, replace(review.record_of(waiting, edits), evidence=(), trust=Trust.USER)).record

    assert ("Use pnpm", "Never npm.", Primitive.DECISION, None, ("node",)) == (
        *(record.title, record.body, record.primitive, record.kind, record.tags),
    )
    assert (waiting.candidate.evidence, Trust.AGENT) == (record.evidence, record.trust)


def test_a_kind_makes_a_decision_a_learning(review, place):
    """As it does when somebody adds a memory; a learning without a kind is refused."""
    save(place, replace(candidate(), primitive=Primitive.DECISION, kind=None))
    (item,) = review.select()

    assert Primitive.LEARNING is review.record_of(item, Edits(kind=Kind.PITFALL)).primitive
    with pytest.raises(InvalidRecord):
        review.record_of(item, Edits(primitive=Primitive.LEARNING))


def test_an_edit_that_cannot_be_a_memory_changes_nothing(review, waiting):
    """The candidate waits as before."""
    with pytest.raises(InvalidRecord):
        review.accept(waiting, replace(review.record_of(waiting), title="x" * 300))

    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_accepting_twice_is_refused(review, waiting):
    """The message names the memory it became."""
    kept = review.accept(waiting)

    with pytest.raises(Conflict, match=kept.record.id):
        review.accept(waiting)


def test_a_title_that_a_memory_has_is_refused(review, place, waiting):
    """Nothing is written, and another title may be given."""
    with place.change("person", "by hand") as change:
        change.create(Draft(Primitive.DECISION, "Prefer PNPM over npm").record(change.now))

    with pytest.raises(Conflict, match="this very title"):
        review.accept(waiting)
    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_rejecting_keeps_the_reason_and_writes_no_memory(review, place, waiting):
    """It is remembered, with who and why."""
    review.reject(waiting, reason="a joke")

    found = review.find(waiting.candidate.id).candidate
    assert (ReviewState.REJECTED, "person", "a joke") == (found.state, found.author, found.reason)
    with place.store.read() as snapshot:
        assert [] == snapshot.select(ANY)


def test_a_rejected_one_can_be_restored_or_accepted_after_all(review, waiting):
    """People change their minds."""
    review.reject(waiting, reason="a joke")
    with pytest.raises(Conflict, match="rejected already"):
        review.reject(waiting)

    review.restore(waiting)

    found = review.find(waiting.candidate.id).candidate
    assert (ReviewState.PENDING, "", None) == (found.state, found.reason, found.decided)
    review.reject(waiting)
    assert Status.ACTIVE is review.accept(waiting).record.status


def test_only_what_does_not_wait_can_be_restored(review, waiting):
    """And what became a memory is archived as one."""
    with pytest.raises(Conflict, match="waits already"):
        review.restore(waiting)
    kept = review.accept(waiting)
    with pytest.raises(Conflict) as caught:
        review.restore(waiting)
    assert f"lerim memory archive {kept.record.id}" == caught.value.hint
    with pytest.raises(Conflict):
        review.reject(waiting)


# Taking back


def test_undoing_an_acceptance_lets_it_wait_again(memory, review, waiting):
    """The record is archived, the candidate can be accepted again."""
    kept = review.accept(waiting)

    memory.undo()

    assert Status.ARCHIVED is memory.find(kept.record.id).record.status
    assert {"Prefer pnpm over npm": "pending"} == states(review)
    assert None is review.find(waiting.candidate.id).candidate.record_id
    assert kept.record.id != review.accept(waiting).record.id


def test_a_record_that_is_brought_back_makes_it_accepted_again(memory, review, waiting):
    """Or it could become two memories."""
    kept = review.accept(waiting)
    memory.undo()

    memory.restore(memory.find(kept.record.id), reason="after all")

    assert {"Prefer pnpm over npm": "accepted"} == states(review)
    with pytest.raises(Conflict):
        review.accept(waiting)


def test_archiving_the_memory_leaves_it_accepted(memory, review, place, waiting):
    """What a person archived must not come back as a question."""
    kept = review.accept(waiting)

    memory.archive(memory.find(kept.record.id), reason="enough")

    assert {"Prefer pnpm over npm": "accepted"} == states(review)
    assert [] == save(place, candidate())


def test_undoing_a_run_takes_its_proposals_back(memory, review, place):
    """They are outdated, and wait again when the session is taken in again."""
    save_with_record(place, candidate(), "sync-9")

    memory.undo(run_id="sync-9")

    assert {"Prefer pnpm over npm": "outdated"} == states(review)
    assert "the run that proposed it was undone" == review.select(None)[0].candidate.reason
    save_with_record(place, candidate(), "sync-10")
    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_undoing_a_run_that_only_rejected_lets_them_wait_again(memory, review, waiting):
    """A change may decide on candidates and write no record."""
    review.reject(waiting, author="lerim", run_id="review-1")

    memory.undo(run_id="review-1")

    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_the_last_change_to_undo_is_one_of_the_memory(memory, review, place, waiting):
    """A rejection is restored by name, not by a careless undo."""
    with place.change("person", "by hand") as change:
        change.create(Draft(Primitive.DECISION, "Use make").record(change.now))
    review.reject(waiting)

    memory.undo()

    assert {"Prefer pnpm over npm": "rejected"} == states(review)


# In step


def test_nothing_is_proposed_when_the_change_fails(review, place):
    """Candidates and records of a session are one transaction."""
    with pytest.raises(RuntimeError), place.change("lerim", "sync", "sync-1") as change:
        ReviewList(change).save_all(SESSION, [candidate()])
        raise RuntimeError("the disk is full")

    assert 0 == review.waiting().total


def test_an_acceptance_whose_file_cannot_be_written_decides_nothing(review, place, waiting):
    """Both faces or none."""
    (place.folder.root / "learnings").write_text("in the way")

    with pytest.raises(FileNotWritten):
        review.accept(waiting)

    assert {"Prefer pnpm over npm": "pending"} == states(review)


def test_a_check_finds_nothing_wrong_after_decisions(review, place, waiting):
    """Every promise about the memory still holds."""
    review.accept(waiting)

    assert [] == upkeep.check(place) + upkeep.check_database(place)


def test_a_reset_forgets_candidates(review, place, waiting, tmp_path):
    """With everything else of the place."""
    review.reject(waiting)

    upkeep.reset(place, tmp_path / "backup")

    assert [] == review.select(None)
    assert [] == place.store.database.problems()


def test_a_store_of_before_gets_room_for_candidates(tmp_path: Path) -> None:
    """Opening it adds the table; what was in it stays."""
    path, first = tmp_path / "old.sqlite3", migrations("sqlite", "context")[0]
    with closing(sqlite3.connect(path)) as old:
        old.executescript(first.path.read_text("utf-8"))
        old.execute("INSERT INTO projects VALUES ('prj', '/w/shop', 'shop', '2026-02-20T10:30:00Z')")
        old.execute(f"PRAGMA user_version = {first.number}")
        old.commit()

    with closing(open_database(path, "context")) as database, database.read() as tx:
        assert [("prj",)] == tx.rows("SELECT id FROM projects")
        assert [] == tx.rows("SELECT * FROM review")


def test_removing_a_project_takes_its_candidates_along(
    review: Review, place: Place, waiting: Proposed, database: Database, home: Path
) -> None:
    """No row points at nothing."""
    review.accept(waiting)

    Projects(database, home).remove(place.project)

    with database.read() as tx:
        assert [(0,)] == tx.rows("SELECT count(*) FROM review")
    assert [] == database.problems()


@pytest.mark.parametrize(("said", "holds"), [(2026, "the candidate"), (2024, "what was said later")])
def test_of_two_that_cannot_both_hold_what_was_said_last_does(
    review: Review, place: Place, said: int, holds: str
) -> None:
    """Whoever accepts what an old session said does not overrule what was said since; that is another verdict."""
    words = Evidence("claude", "s-0", 3, 3, "pushing to main is fine now", Trust.USER, datetime(2025, 6, 2, tzinfo=UTC))
    with place.change("lerim", "sync", "sync-0") as change:
        known = change.create(
            Draft(Primitive.DECISION, "Pushing to main is fine", evidence=(words,)).record(change.now)
        )
    old = replace(words, run_id="s-1", quote="never push to main", said=datetime(said, 12, 10, tzinfo=UTC))
    [waiting] = save(place, candidate("Never push to main", evidence=(old,), trust=Trust.USER, against=(known.id,)))

    record = review.accept(review.find(waiting.id)).record

    with place.store.read() as snapshot:
        known, record = snapshot.fetch(known.id), snapshot.fetch(record.id)
    one, other = (record, known) if holds == "the candidate" else (known, record)
    assert one.holds
    assert other.superseded_by == one.id
    assert other.valid_until == one.last_said.at


def test_what_replaces_does_so_whenever_it_was_said(review: Review, place: Place) -> None:
    words = Evidence("claude", "s-0", 3, 3, "pushing to main is fine now", Trust.USER, datetime(2025, 6, 2, tzinfo=UTC))
    with place.change("lerim", "sync", "sync-0") as change:
        known = change.create(
            Draft(Primitive.DECISION, "Pushing to main is fine", evidence=(words,)).record(change.now)
        )
    old = replace(words, run_id="s-1", quote="never push to main", said=datetime(2024, 12, 10, tzinfo=UTC))
    [waiting] = save(place, candidate("Never push to main", evidence=(old,), trust=Trust.USER, against=(known.id,)))

    record = review.accept(review.find(waiting.id), replaces=known.id).record

    assert record.holds
    with place.store.read() as snapshot:
        assert snapshot.fetch(known.id).superseded_by == record.id


def test_whoever_says_what_it_replaces_closes_nothing_else(review: Review, place: Place) -> None:
    """What may not hold either stays, and is told as open; so does a plain acceptance of what is only doubted."""
    old = Evidence("claude", "s-0", 3, 3, "by hand", Trust.USER, datetime(2025, 6, 2, tzinfo=UTC))
    with place.change("lerim", "sync", "sync-0") as change:
        drafts = [Draft(Primitive.DECISION, title, evidence=(old,)) for title in ("Tag by hand", "Write notes by hand")]
        named, other = [change.create(draft.record(change.now)) for draft in drafts]
    words = replace(old, run_id="s-1", quote="a bot tags", said=datetime(2026, 1, 10, tzinfo=UTC))
    [waiting] = save(place, candidate("A bot tags", evidence=(words,), trust=Trust.USER, against=(other.id, named.id)))

    record = review.accept(review.find(waiting.id), replaces=named.id).record

    with place.store.read() as snapshot:
        assert snapshot.fetch(named.id).superseded_by == record.id
        assert snapshot.fetch(other.id).holds
        assert {other.id: record.id} == {one: word.name for one, word in Waiting(snapshot).against([other.id]).items()}
    assert ((other.id,), (named.id,)) == (lambda one: (one.doubts, one.against))(review.find(waiting.id).candidate)


def test_what_was_said_before_and_is_accepted_late_is_told_as_open(review: Review, place: Place) -> None:
    """It is the older one that may hold no more, whichever was accepted first."""
    later = Evidence("claude", "s-0", 3, 3, "one mode", Trust.USER, datetime(2025, 8, 4, tzinfo=UTC))
    with place.change("lerim", "sync", "sync-0") as change:
        known = change.create(Draft(Primitive.DECISION, "One mode for all", evidence=(later,)).record(change.now))
    words = replace(later, run_id="s-1", quote="two modes", said=datetime(2025, 5, 10, tzinfo=UTC))
    doubt = f"{MAY_OPPOSE} {known.id} “One mode for all”, said on 2025-08-04: “one mode”"
    [waiting] = save(place, candidate("Two modes", evidence=(words,), trust=Trust.USER, signals=(doubt,)))

    record = review.accept(review.find(waiting.id)).record

    with place.store.read() as snapshot:
        told = Waiting(snapshot).against([record.id])
    assert (known.id, known.last_said.at) == (told[record.id].name, told[record.id].said)
