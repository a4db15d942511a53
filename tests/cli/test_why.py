"""`lerim why`: the words a memory rests on, what spoke for it, and what was rejected."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.ingest.findings import Candidate, Digest, Extraction, Quote, Rejection
from lerim.runtime.runs.folder import Run, RunKind, open_run
from lerim.service import Lerim
from lerim.sources.trace import Assistant, Header, Line, ToolResult, User, encode_all

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
RUN = "4f2a1b3c-0000-4000-8000-000000000001"
SESSION = f"claude/{RUN}"
ESCAPE = "\x1b[2J\x1b]0;owned\x07\u202e"
LINES: tuple[Line, ...] = (
    User(text="Which package manager do we use here?"),
    Assistant(text="The lock file is npm's."),
    User(text=f"From now on: use pnpm,\n  not npm. {'It is so much faster. ' * 20}"),
    ToolResult(text=f"installed{ESCAPE} 12 packages", call="t1"),
    Assistant(text="Done."),
)


def trace(shell: Any, *lines: Line, name: str = RUN) -> Path:
    """Put a session into the archive."""
    path = shell.project / ".lerim" / "meta" / "traces" / "sessions" / "claude" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in encode_all(Header(agent="claude", run_id=RUN), lines or LINES)))
    return Path(path)


def evidence(line: int = 4, quote: str = "use pnpm, not npm") -> Evidence:
    return Evidence("claude", RUN, line, line, quote, Trust.USER)


def learn(*pieces: Evidence, run_id: str = "sync-20260220-103000-aaaaaa", title: str = "Use pnpm") -> str:
    """A memory as a run writes it; its id."""
    with Lerim() as lerim, lerim.memory.target().change("lerim", f"sync of {SESSION}", run_id) as change:
        draft = Draft(Primitive.DECISION, title, "Not npm.", source="sync", evidence=pieces or (evidence(),))
        return str(change.create(draft.record(change.now)).id)


def leave_run(shell: Any, record: str | None = None, moment: datetime = NOW, **more: Any) -> Run:
    """The folder of a run that learned one thing, left one for review and turned one down."""
    from lerim.runtime.runs.artifacts import (
        About,
        ExtractArtifact,
        MemoryAction,
        MemoryActionsArtifact,
        SummaryArtifact,
    )

    quotes = (Quote(4, 4, "use pnpm, not npm", Trust.USER),)
    extraction = Extraction(
        "embedded",
        1,
        candidates=(
            Candidate("c1", Primitive.DECISION, "Use pnpm", "Not npm.", quotes, signals=("says what not to do",)),
        ),
        review=(Candidate("c2", Primitive.DECISION, "Maybe Deno", "", quotes, signals=("a question",)),),
        rejected=(Rejection(f"Node is fast{ESCAPE}", f"nobody said so{ESCAPE}", quotes),),
    )
    with open_run(shell.project / ".lerim" / "workspace", RunKind.SYNC, moment, lambda count: b"\0" * 6) as run:
        about = {"run_id": run.id, "session": SESSION, "started": NOW, "seconds": 1.0, "engine": "embedded"}
        head = About.model_validate({**about, "provider": "embedded", "model": "policy", **more})
        ExtractArtifact.of(head, extraction).write(run)
        SummaryArtifact.of(head, Digest("Switched", "To pnpm.", "- done")).write(run)
        action = MemoryAction(
            candidate="c1", action="add", how="create", record=record, title="Use pnpm", reason="nothing known says so"
        )
        MemoryActionsArtifact.of(head, [action]).write(run)
        for name in RunKind.SYNC.logs:
            run.log(name, lambda: NOW).line("started")
    return run


# A memory


def test_quotes_are_shown_where_they_stand(shell):
    """In their line, marked, with the lines around them and who said it; a long line is cut around them."""
    trace(shell)

    out = shell.ok("why", learn()).out

    assert "Use pnpm" in out
    assert f"{SESSION}#L4-L4  said by the user" in out
    assert ">     4  user      From now on: »use pnpm, not npm«. It is so much faster." in out
    assert "      3  agent     The lock file is npm's." in out
    assert max(map(len, out.splitlines())) < 400


def test_the_run_tells_what_spoke_for_it(shell):
    """Its signals, what was done and why, and the history in one line each."""
    trace(shell)
    record = learn()
    leave_run(shell, record)

    out = shell.ok("why", record[:8]).out

    assert "action   add (create)" in out
    assert "reason   nothing known says so" in out
    assert "signals  says what not to do" in out
    assert f"create by lerim  sync of {SESSION} (sync-20260220-103000-aaaaaa)" in out


def test_later_changes_are_told_in_a_line(shell):
    """Whoever made them."""
    record = learn()
    shell.ok("memory", "archive", record, "--reason", "we use bun now")

    out = shell.ok("why", record).out

    assert "archive by person  we use bun now" in out


def test_what_was_cleared_away_is_said(shell):
    """The store keeps the words when the trace is gone, and says when the run's folder is."""
    record = learn()

    out = shell.ok("why", record).out

    assert "the archived trace is missing; the store still has the quote" in out
    assert "»use pnpm, not npm«" in out
    assert "the folder of run sync-20260220-103000-aaaaaa is gone" in out


@pytest.mark.parametrize("line", ["[1]", "{", '{"type":"session","color":"red"}', '{"type":"user","text":7,"x":1}'])
def test_a_damaged_trace_counts_as_gone(shell, line):
    """Whatever it holds, the memory can be explained."""
    trace(shell).write_text(f"{line}\n")

    (passage,) = shell.ok("why", learn(), "--json").json["passages"]

    assert "gone" == passage["standing"]


def test_a_run_that_does_not_speak_of_it_is_said(shell):
    """A folder may have been tampered with."""
    trace(shell)
    record = learn()
    run = leave_run(shell, record)
    (run.folder / "extract.json").write_text("{}")

    assert "its extract.json does not speak of it" in shell.ok("why", record).out
    (run.folder / "memory_actions.json").write_text("{}")
    assert "does not speak of it" in shell.ok("why", record).out


@pytest.mark.parametrize(
    ("lines", "standing", "number"),
    [
        ((*LINES[:2], User(text="One more thing."), *LINES[2:]), "moved", 5),
        ((*LINES[:2], User(text="Something else."), *LINES[3:]), "missing", 4),
    ],
)
def test_a_line_that_moved_or_changed_is_said(shell, lines, standing, number):
    """With the line where it stands now, if it stands anywhere."""
    trace(shell, *lines)

    (passage,) = shell.ok("why", learn(), "--json").json["passages"]

    assert standing == passage["standing"]
    assert number in [line["number"] for line in passage["lines"]]
    quoted = [line["number"] for line in passage["lines"] if line["end"] > line["start"]]
    assert ([number] if standing == "moved" else []) == quoted


def test_an_earlier_trace_that_was_cited_is_found(shell):
    """An agent that rewrote its history leaves the one that was cited beside the new one."""
    kept = trace(shell, name=f"{RUN}.1")
    trace(shell, User(text="A new beginning."))

    (passage,) = shell.ok("why", learn(), "--json").json["passages"]

    assert ("earlier", str(kept)) == (passage["standing"], passage["trace"])


def test_words_that_were_taken_back_are_told_so(shell):
    """The user rewound the session after the memory was made."""
    trace(shell, *LINES[:2], User(text="use pnpm, not npm", undone=True))

    assert "undone later in the session" in shell.ok("why", learn()).out


def added_again(shell) -> None:
    """The project is forgotten and added again: only what its files say is left."""
    shell.ok("project", "remove", "shop", "--yes")
    shell.ok("project", "add", str(shell.project))


@pytest.mark.parametrize(("speaker", "trusted"), [(Trust.USER, True), (Trust.AGENT, True), (Trust.USER, False)])
def test_files_that_come_back_say_who_spoke(shell, speaker, trusted):
    """Once the user trusts them: a repository cannot put words into their mouth."""
    record = learn(Evidence("claude", RUN, 4, 4, "use pnpm, not npm", speaker))
    added_again(shell)
    if trusted:
        shell.ok("project", "trust")

    out = shell.ok("why", record).out

    said = f"said by the {speaker}" if trusted else "speaker not confirmed"
    assert f"{SESSION}#L4-L4  {said}" in out
    assert trusted == ("said by" in out)
    assert "the store still has" not in out
    note = "neither the quote nor the trace is here" if trusted else "a shared file says so"
    assert note in out


def test_a_speaker_that_nobody_wrote_down_is_not_made_up(shell):
    """A file of an earlier Lerim names the place alone."""
    record = learn()
    (file,) = shell.memory.rglob("*.md")
    added_again(shell)
    file.write_text(file.read_text().replace(" (user)", ""))
    shell.ok("project", "trust")

    assert f"{SESSION}#L4-L4  speaker not recorded" in shell.ok("why", record).out
    done = shell.ok("why", record, "--json").json
    assert ("unknown", "unknown") == (done["trust"], done["passages"][0]["speaker"])
    trace(shell)
    assert f"{SESSION}#L4-L4  said by the user" in shell.ok("why", record).out


def test_a_trace_that_came_with_a_strangers_file_proves_nothing(shell):
    """Both are theirs: what the trace calls the user was not the user here."""
    trace(shell)
    record = learn()
    added_again(shell)

    (passage,) = shell.ok("why", record, "--json").json["passages"]

    assert ("hearsay", "shared", []) == (passage["standing"], passage["speaker"], passage["lines"])


def test_what_a_run_wrote_is_no_persons_word_after_its_files_came_back(shell):
    with Lerim() as lerim, lerim.memory.target().change("lerim", "sync", "sync-1") as change:
        record = str(change.create(Draft(Primitive.DECISION, "Use pnpm", source="sync").record(change.now)).id)
    added_again(shell)
    shell.ok("project", "trust")

    done = shell.ok("why", record)

    assert "A person wrote it" not in done.out
    assert not shell.ok("why", record, "--json").json["by_hand"]


def test_evidence_without_its_quote_shows_the_lines(shell):
    """A memory that came by git brings its references, not its words."""
    trace(shell)

    done = shell.ok("why", learn(evidence(quote="")))

    assert "only the location is known here" in done.out
    assert ">     4  user" in done.out


def test_a_memory_by_hand_rests_on_a_persons_word(shell):
    """It has no session to show."""
    record = shell.add("Use make")

    assert "A person wrote it: added by hand" in shell.ok("why", record["id"]).out
    payload = shell.ok("why", record["id"], "--json").json
    assert (True, [], None) == (payload["by_hand"], payload["passages"], payload["origin"])


def test_programs_get_all_of_it(shell):
    """One document, with the span of the quoted words."""
    trace(shell)
    record = learn()
    leave_run(shell, record)

    payload = shell.ok("why", record, "--json").json

    line = next(line for line in payload["passages"][0]["lines"] if line["number"] == 4)
    assert "use pnpm,\n  not npm" == line["text"][line["start"] : line["end"]]
    assert ["says what not to do"] == payload["origin"]["signals"]
    assert ["create"] == [version["operation"] for version in payload["history"]]


def test_nothing_of_a_trace_reaches_the_terminal_raw(shell):
    """Neither beside the quote nor in it."""
    trace(shell)
    record = learn(evidence(), evidence(5, f"installed{ESCAPE} 12"))

    out = shell.ok("why", record).out

    assert "»installed\\x1b[2J" in out
    assert [] == [character for character in out if not character.isprintable() and character != "\n"]


# A candidate for review


@pytest.fixture
def candidate(shell) -> ReviewCandidate:
    """A candidate that waits."""
    candidate = ReviewCandidate(
        new_review_id(),
        SESSION,
        "sync-20260220-103000-aaaaaa",
        Primitive.DECISION,
        "Use pnpm",
        "Not npm.",
        0.5,
        NOW,
        evidence=(evidence(),),
        signals=("says what not to do",),
    )
    with Lerim() as lerim, lerim.memory.target().change("lerim", "sync", candidate.run_id) as change:
        return ReviewList(change).save_all(SESSION, [candidate])[0]


def test_a_candidate_is_explained_too(shell, candidate):
    """By its own id, with the signals that are kept with it."""
    trace(shell)

    out = shell.ok("why", candidate.id).out

    assert "»use pnpm, not npm«" in out
    assert "signals  says what not to do" in out
    assert ["says what not to do"] == shell.ok("why", candidate.id, "--json").json["origin"]["signals"]


def test_a_memory_that_was_accepted_tells_what_it_was_as_a_candidate(shell, candidate):
    """The signals are the candidate's, and the history says who accepted it."""
    trace(shell)
    record = shell.ok("review", "accept", candidate.id, "--json").json["id"]

    out = shell.ok("why", record).out

    assert "action   review" in out
    assert "signals  says what not to do" in out
    assert f"create by person  accepted {candidate.id}" in out


# A whole session


def test_all_that_was_considered_is_listed(shell):
    """Kept, for review and rejected, each with its reason."""
    leave_run(shell, "dec-aaaaaaaaaa")

    out = shell.ok("why", "--rejected", SESSION).out

    kept, rest = out.split("for review")
    review, rejected = rest.split("\nrejected\n")
    assert "+ dec-aaaaaaaaaa Use pnpm" in kept
    assert "because: says what not to do" in kept
    assert "? Maybe Deno" in review
    assert "x Node is fast" in rejected
    assert "nobody said so" in rejected
    assert [] == [character for character in out if not character.isprintable() and character != "\n"]


@pytest.mark.parametrize("name", ["claude/4f2a", "4f2a1b3c"])
def test_a_session_goes_by_the_beginning_of_its_name(shell, name):
    """As everywhere."""
    leave_run(shell, "dec-aaaaaaaaaa")

    payload = shell.ok("why", "--rejected", name, "--json").json

    assert (SESSION, 1, 1, 1) == (
        payload["session"],
        len(payload["kept"]),
        len(payload["review"]),
        len(payload["rejected"]),
    )


def test_the_newest_finished_run_counts(shell):
    """A later one that failed kept nothing."""
    leave_run(shell, "dec-aaaaaaaaaa", NOW)
    newest = leave_run(shell, "dec-bbbbbbbbbb", NOW.replace(hour=11))
    leave_run(shell, "dec-cccccccccc", NOW.replace(hour=12), status="failed", error="no")

    assert newest.id == shell.ok("why", "--rejected", SESSION, "--json").json["run"]["id"]
    shutil.rmtree(newest.folder)
    assert "dec-aaaaaaaaaa" in shell.ok("why", "--rejected", SESSION).out


def test_an_unclear_or_unknown_session_is_refused(shell):
    """With the names it could be, or the command that lists runs."""
    leave_run(shell, "dec-aaaaaaaaaa")
    leave_run(shell, "dec-aaaaaaaaaa", NOW.replace(hour=11), session="claude/4f2b")

    assert "could be" in shell("why", "--rejected", "claude/4f2").err
    assert "lerim runs list" in shell("why", "--rejected", "codex/x").err


@pytest.mark.parametrize("words", [(), ("dec-x", "--rejected", "y")])
def test_it_wants_a_memory_or_a_session(shell, words):
    """One of them."""
    assert 2 == shell("why", *words).code


def test_an_unknown_memory_is_refused(shell):
    """With the command that lists them."""
    assert "lerim memory list" in shell("why", "dec-nothing").err
    assert "lerim review list" in shell("why", "rev-nothing").err
