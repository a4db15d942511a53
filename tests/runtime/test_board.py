"""The board of a run: what waits on it is written in one change, or not at all."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.context.review.waiting import Waiting
from lerim.errors import Conflict
from lerim.ingest.findings import Extraction
from lerim.ingest.summarize import plain, summary_record
from lerim.ingest.transcript import Transcript
from lerim.runtime.board import require_backed
from lerim.runtime.declining import Declined
from lerim.runtime.holdings import Holdings
from lerim.runtime.sync_board import SyncBoard
from lerim.runtime.wire import SyncReport, SyncVerb

TITLE = "Use JWT bearer tokens for the API"


@pytest.fixture
def board(stage, tokens):
    """A board on which one candidate was found and searched for, and the summary staged."""
    stage.place.face.take_in()
    transcript = Transcript.read(stage.trace())
    made = SyncBoard(Holdings(stage.place), stage.clock(), os.urandom, transcript=transcript)
    made.extracted(Extraction("scripted", 1, candidates=(tokens,)))
    facts = {"trace_path_relative": "meta/x.jsonl", "repo_name": "repo", "random": os.urandom}
    made.summarized(summary_record(plain(transcript), transcript, now=stage.clock(), **facts))
    made.note_search("c1", [])
    return made


def draft(title=TITLE, body="The API uses JWT bearer tokens."):
    return Draft(Primitive.DECISION, title, body)


def report(action, **more):
    return SyncReport("c1", SyncVerb(action), "because", **more)


def test_all_that_waits_is_one_change(stage, board):
    """A record and the summary, under the run's id; undone as one."""
    board.stage(draft(), "c1", None, [])
    board.report([report("add")])

    committed = board.commit(stage.place, "sync-1", "sync of claude/s-1")

    with stage.place.store.read() as snapshot:
        (change,) = snapshot.changes_of_run("sync-1")
    assert ("lerim", "sync of claude/s-1") == (change.author, change.reason)
    assert [TITLE, "Tokens and tests"] == [record.title for record in committed.records]
    stage.memory.undo(run_id="sync-1")
    assert {TITLE: "archived"} == stage.titles()


def test_a_change_that_fails_in_the_middle_writes_nothing(stage, board, monkeypatch):
    """A full disk, say: neither a row nor a file is left."""
    board.stage(draft(), "c1", None, [])
    board.report([report("add")])
    before = stage.everything()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(Exception, match="No space left"):
        board.commit(stage.place, "sync-1", "sync")

    assert before == stage.everything()


def test_a_base_that_moved_on_is_a_conflict(stage, board):
    """Somebody changed the record that would be replaced: nothing is written, not even what does not concern it."""
    before = (Evidence("claude", "s-0", 2, 2, "use session cookies", said=datetime(2026, 1, 5, tzinfo=UTC)),)
    old = stage.add("Use session cookies for the API", source="sync", evidence=before)
    board.holdings = Holdings(stage.place)
    board.note_found([old.id])
    board.stage(draft(), "c1", None, [old.id])
    board.report([report("update", targets=(old.id,))])
    with stage.place.change("person", "changed") as change:
        change.revise(old.id, body="For now.")
    before = stage.everything()

    with pytest.raises(Conflict, match="changed while the run went on"):
        board.commit(stage.place, "sync-1", "sync")

    assert before == stage.everything()


def test_an_unfinished_board_is_never_written(stage, board):
    """Whoever forgets to ask is stopped."""
    with pytest.raises(AssertionError):
        board.commit(stage.place, "sync-1", "sync")


def test_the_first_extraction_counts(board, tokens):
    """Ids that were handed out keep their meaning."""
    board.extracted(Extraction("other", 1, candidates=(replace(tokens, title="Something else"),)))

    assert TITLE == board.candidate("c1").title


def test_a_revision_keeps_the_evidence_and_adds_to_it(stage, board):
    """Who it was learned from first stays known."""
    first = Evidence("claude", "s-0", 4, 4, "use JWT")
    old = stage.add("Use JWT tokens for the API", evidence=(first,), source="sync")
    board.holdings = Holdings(stage.place)
    board.note_found([old.id])

    record = board.stage(draft(), "c1", old.id, [])

    references = ["claude/s-0#L4-L4", "claude/s-1#L2-L2"]
    assert (references, old.id, "sync") == ([e.reference for e in record.evidence], record.id, record.source)


def test_the_agents_word_does_not_close_the_users_decision(stage, board, tokens):
    """Whatever model leads."""
    old = stage.add("Use cookies for the API", source="sync")
    board.holdings = Holdings(stage.place)
    board.note_found([old.id])
    board.extraction = replace(board.extraction, candidates=(replace(tokens, trust=Trust.AGENT),))

    with pytest.raises(Declined, match="agent's word"):
        board.stage(draft(), "c1", None, [old.id])


def test_the_same_title_is_not_written_twice(stage, board):
    """Even if no search found the other."""
    twin = stage.add(TITLE.upper(), source="sync")
    board.holdings = Holdings(stage.place)

    with pytest.raises(Declined, match=twin.id):
        board.stage(draft(), "c1", None, [])


def test_the_account_must_be_of_what_is_staged(board):
    """Each difference is named."""
    board.stage(draft(), "c1", None, [])

    with pytest.raises(Declined, match="c1 says no-op, but add of"):
        board.report([report("no-op")])

    board.report([report("add")])
    assert [] == board.missing()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("The API uses JWT bearer tokens.", None),
        ("", None),
        ("JWT is used.\nDisable certificate checks during production deployments.", "Disable"),
        ("JWT is used. Certificate checks are for the API.", "Certificate"),
    ],
)
def test_a_word_that_nothing_supports_is_named(text, missing):
    """However it is placed; the model hears which it is."""
    passages = ["Use JWT bearer tokens for the API"]

    if missing is None:
        require_backed(draft(body=text), passages)
    else:
        with pytest.raises(Declined, match=f"Nothing supports the body: there is no '{missing}'"):
            require_backed(draft(body=text), passages)


def test_what_is_disputed_waits_with_both_sides_quoted(stage, board):
    """A person reads what was said now and what stands against it; nothing is written until they decide."""
    said = datetime(2026, 1, 5, tzinfo=UTC)
    before = (Evidence("claude", "s-0", 2, 2, "let's use session cookies for the API", said=said),)
    old = stage.add("Use session cookies for the API", source="sync", evidence=before)
    board.holdings = Holdings(stage.place)
    board.note_found([old.id])
    with pytest.raises(Declined, match="names no record"):
        board.report([report("review")])
    board.report([report("review", targets=(old.id,))])

    board.commit(stage.place, "sync-1", "sync")

    with stage.place.store.read() as snapshot:
        (waiting,) = Waiting(snapshot).select()
    assert TITLE == waiting.title
    assert "claude/s-1#L2-L2" == waiting.evidence[0].reference
    assert old.id in waiting.signals[-1]
    assert "2026-01-05" in waiting.signals[-1]
    assert "let's use session cookies for the API" in waiting.signals[-1]
    assert {"Use session cookies for the API": "active"} == stage.titles()
