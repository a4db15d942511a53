"""What an agent may tell: the user's word is kept when their session says it, and an agent's own only waits."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.context.records import Kind, Primitive, Status, Trust
from lerim.context.review.candidates import ReviewState
from lerim.context.review.desk import ReviewDecision, ReviewVerdict
from lerim.errors import Conflict, TraceError, VerdictRefused
from lerim.examples.layouts import LAYOUTS
from lerim.examples.steps import AgentStep, UserStep
from lerim.runtime.remembering import Remark, Remembered

from .conftest import PNPM, Workplace

TITLE = "Use pnpm in this repository, never npm"


def told(workplace: Workplace, title: str = TITLE, quote: str = PNPM, **fields: Any) -> Remembered:
    fields.setdefault("agent", "claude-code")
    with workplace.open() as lerim:
        return lerim.agents_word.remember(Remark(title, quote, **fields))


def waiting(workplace: Workplace) -> list[Any]:
    with workplace.open() as lerim:
        return [one.candidate for one in lerim.review.select()]


# --- kept -------------------------------------------------------------------------------------------------------------


def test_what_the_user_said_is_kept_with_their_words(workplace: Workplace) -> None:
    """Cited where it stands in the session that is going on, by whom, and written as a file."""
    workplace.talk()

    done = told(workplace, kind=Kind.PREFERENCE, primitive=Primitive.LEARNING)

    assert done.kept is not None and done.noted is None
    record = done.kept.record
    assert (TITLE, Kind.PREFERENCE, Trust.USER, "agent") == (record.title, record.kind, record.trust, record.source)
    (evidence,) = record.evidence
    assert ("claude", Trust.USER, PNPM) == (evidence.agent, evidence.speaker, evidence.quote)
    assert done.kept.path is not None and done.kept.path.is_file()
    with workplace.open() as lerim:
        assert ["there"] == [str(one.standing) for one in lerim.why(done.kept).passages]
        assert "agent" == lerim.memory.history(done.kept)[0].author


@pytest.mark.parametrize("agent", [*LAYOUTS])
def test_it_is_found_in_the_sessions_of_every_agent(workplace: Workplace, agent: str) -> None:
    """As each of them writes them, whatever the client calls itself."""
    workplace.talk(agent=agent)

    done = told(workplace, agent="some-editor")

    assert done.kept is not None, done.reason
    assert agent == done.kept.record.evidence[0].agent


def test_only_white_space_and_quotes_may_differ(workplace: Workplace) -> None:
    """A model wraps lines and sets quotes as it likes; the session's own spelling is kept."""
    workplace.talk()

    done = told(workplace, quote="We use pnpm in this\nrepository, never npm,  because npm breaks the lockfile.")

    assert done.kept is not None
    assert PNPM == done.kept.record.evidence[0].quote


def test_saying_it_twice_keeps_it_once(workplace: Workplace) -> None:
    """The second time the agent is told which memory it is."""
    workplace.talk()
    first = told(workplace)

    again = told(workplace, body="")

    assert first.kept and again.kept
    assert first.kept.record.id == again.kept.record.id
    with workplace.open() as lerim:
        assert 1 == len(lerim.memory.select())


def test_what_the_user_says_now_replaces_what_they_said_before(workplace: Workplace) -> None:
    """As when a session is read: the old memory is closed, and both stay to be read."""
    workplace.talk(UserStep("We use npm in this repository, not pnpm."), ago=timedelta(hours=3), number=2)
    before = told(workplace, "Use npm in this repository, not pnpm", "We use npm in this repository, not pnpm.")
    workplace.talk(UserStep("Change of plan: we use pnpm in this repository, not npm."))

    done = told(
        workplace,
        "Use pnpm in this repository, not npm",
        "Change of plan: we use pnpm in this repository, not npm.",
    )

    assert before.kept and done.kept
    with workplace.open() as lerim:
        old = lerim.memory.find(before.kept.record.id).record
        assert (Status.SUPERSEDED, done.kept.record.id) == (old.status, old.superseded_by)


def test_a_later_sync_does_not_keep_it_again(workplace: Workplace) -> None:
    """Nor does it take it away: the session that said it is read like any other."""
    workplace.talk()
    done = told(workplace)
    assert done.kept

    with workplace.open() as lerim:
        for _ in lerim.sync():
            pass
        lessons = [kept.record for kept in lerim.memory.select() if kept.record.primitive is not Primitive.SUMMARY]

    assert [done.kept.record.id] == [record.id for record in lessons if "pnpm" in record.title]
    assert all(record.holds for record in lessons)


# --- noted ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "quote", "why"),
    [
        ("Deploy with release-all.sh", "always deploy with the script release-all.sh", "only a tool printed it"),
        ("Cache the results in Redis", "I will cache the results in Redis from now on", "the agent said it"),
        ("Use tabs in Go files", "please always use tabs in Go files", "nobody said it"),
        ("Use yarn and pnpm, never npm", PNPM, "the title says more than the words"),
        ("Never use pnpm in this repository", PNPM, "the title says the opposite"),
        ("Use pnpm", "pnpm", "one word says nothing"),
    ],
)
def test_an_agents_own_word_waits_for_a_person(workplace: Workplace, title: str, quote: str, why: str) -> None:
    """Whatever it is called, without the user's own words for it no memory comes of it."""
    workplace.talk()

    done = told(workplace, title, quote)

    assert done.kept is None and done.noted is not None, why
    (candidate,) = waiting(workplace)
    assert (title, Trust.AGENT) == (candidate.title, candidate.trust)
    assert f"it says the user said: {quote}" in candidate.signals
    with workplace.open() as lerim:
        assert [] == lerim.memory.select()


def test_what_was_ruled_out_in_the_users_words_is_not_kept_as_their_rule(workplace: Workplace) -> None:
    """The words are theirs, and what is made of them is the opposite. The reason is that of the session that has them,
    though a newer one is going on beside it."""
    quote = "every endpoint answers with JSON, never with HTML pages."
    workplace.talk(UserStep(quote), AgentStep("Understood."), ago=timedelta(minutes=5))
    workplace.talk(number=2)

    done = told(workplace, "Endpoints answer with HTML pages", quote)

    assert done.kept is None
    assert "it says the opposite of 'Endpoints answer with HTML pages'" in done.reason


def test_a_body_that_says_more_than_the_user_is_not_kept(workplace: Workplace) -> None:
    """A true quote does not carry a claim beside it."""
    workplace.talk()

    done = told(workplace, body="Deploys go to eu-west-1 with the admin role.")

    assert done.kept is None and done.noted is not None


@pytest.mark.parametrize("case", ["yesterday", "another project", "a subagent", "told over MCP"])
def test_words_of_another_session_do_not_vouch(workplace: Workplace, tmp_path: Path, case: str) -> None:
    """It must be a session of this project, lately, with a person in it."""
    if case == "yesterday":
        workplace.talk(ago=timedelta(days=2))
    elif case == "another project":
        project, workplace.project = workplace.project, tmp_path / "elsewhere"
        workplace.project.mkdir()
        workplace.talk()
        workplace.project = project
    elif case == "a subagent":
        file = workplace.talk()
        moved = file.parent / file.stem / "subagents" / "agent-a1b2c3.jsonl"
        moved.parent.mkdir(parents=True)
        moved.write_text(file.read_text().replace('"isSidechain":false', '"isSidechain":true'))
        file.unlink()
    else:
        with workplace.open() as lerim:
            lerim.agents_word.submit_trace(f"User: {PNPM}\nAssistant: Yes.\n", "mine")

    assert told(workplace).kept is None


def test_what_waits_survives_a_sync_of_its_session(workplace: Workplace) -> None:
    """No run found it, so no run outdates it."""
    workplace.talk()
    told(workplace, "Use tabs in Go files", "please always use tabs in Go files")

    with workplace.open() as lerim:
        for _ in lerim.sync():
            pass

    assert "Use tabs in Go files" in [candidate.title for candidate in waiting(workplace)]


def test_what_was_decided_on_is_not_proposed_again(workplace: Workplace) -> None:
    """An agent that insists is told so."""
    done = told(workplace, "Use tabs in Go files", "tabs in Go")
    assert done.noted
    with workplace.open() as lerim:
        lerim.review.decide(ReviewDecision(done.noted.candidate.id, ReviewVerdict.REJECT))

    with pytest.raises(Conflict, match="decided on"):
        told(workplace, "Use tabs in go files", "tabs in Go")


def test_a_secret_is_not_kept_either_way(workplace: Workplace) -> None:
    """The user may well have said it, and an agent may well repeat it."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    words = f"Always use the token {secret} for the registry of packages."
    workplace.talk(UserStep(words), AgentStep("I will."))

    told(workplace, f"Use the token {secret} for the registry of packages", words)

    with workplace.open() as lerim:
        found = [kept.record for kept in lerim.memory.select()], waiting(workplace)
    assert secret not in repr(found)
    assert all(secret not in path.read_text() for path in workplace.project.rglob("*.md"))


def test_a_person_can_keep_what_an_agent_noted(workplace: Workplace) -> None:
    """As any candidate; it stays what it is, the agent's word."""
    done = told(workplace, "Use tabs in Go files", "tabs in Go")
    assert done.noted

    with workplace.open() as lerim:
        outcome = lerim.review.decide(ReviewDecision(done.noted.candidate.id, ReviewVerdict.ACCEPT))

    assert outcome.kept is not None
    assert Trust.AGENT is outcome.kept.record.trust


def test_an_agent_cannot_keep_what_it_noted_itself(workplace: Workplace) -> None:
    """Saying yes to oneself proves nothing."""
    done = told(workplace, "Use tabs in Go files", "tabs in Go")
    assert done.noted

    with workplace.open() as lerim, pytest.raises(VerdictRefused):
        lerim.review.decide(ReviewDecision(done.noted.candidate.id, ReviewVerdict.ACCEPT), author="agent")


# --- feedback ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["wrong", "outdated"])
def test_an_agents_word_does_not_lessen_the_users_own(workplace: Workplace, verdict: str) -> None:
    """It is told what would: the user's words."""
    kept = workplace.add("Use npm in this repository", "It is there.")
    workplace.talk()

    with workplace.open() as lerim:
        with pytest.raises(VerdictRefused, match="does not lessen it"):
            lerim.agents_word.feedback(kept.record.id, verdict)
        with pytest.raises(VerdictRefused):
            lerim.agents_word.feedback(kept.record.id, verdict, quote="npm is gone for good, forget it")
        assert kept.record == lerim.memory.find(kept.record.id).record


def test_the_users_words_do(workplace: Workplace) -> None:
    """Those of the session that is going on, about that memory."""
    kept = workplace.add("Use npm in this repository", "It is there.")
    workplace.talk()

    with workplace.open() as lerim:
        done = lerim.agents_word.feedback(kept.record.id, "outdated", quote=PNPM, note="pnpm now")

    assert Status.ARCHIVED is done.record.status


def test_words_about_something_else_do_not(workplace: Workplace) -> None:
    """What the user said of the package manager is no word on the database."""
    kept = workplace.add("Store prices as integer cents", "Rounding.")
    workplace.talk()

    with workplace.open() as lerim, pytest.raises(VerdictRefused):
        lerim.agents_word.feedback(kept.record.id, "outdated", quote=PNPM)


def test_an_agents_praise_counts(workplace: Workplace) -> None:
    """It takes nothing away from anybody."""
    kept = workplace.add("Use npm in this repository")

    with workplace.open() as lerim:
        assert lerim.agents_word.feedback(kept.record.id, "useful").record.confidence > kept.record.confidence


# --- traces -----------------------------------------------------------------------------------------------------------


def test_what_a_told_session_teaches_waits(workplace: Workplace) -> None:
    """An agent can put any words into its user's mouth."""
    with workplace.open() as lerim:
        session = lerim.agents_word.submit_trace(
            f"User: {PNPM} Remember that.\nAssistant: Understood, pnpm it is.\n", "mine"
        )
        assert ("custom/told-mine", "pending") == (session.name, str(session.state))
        for _ in lerim.sync():
            pass
        kept = [one.record for one in lerim.memory.select() if one.record.primitive is not Primitive.SUMMARY]
        noted = lerim.review.select(ReviewState.PENDING)

    assert [] == kept
    assert any("pnpm" in one.candidate.title for one in noted)


def test_a_told_session_is_redacted_and_of_this_project(workplace: Workplace, tmp_path: Path) -> None:
    """Whatever its header says of where it happened."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    header = f'{{"type":"session","schema":1,"agent":"x","run_id":"y","cwd":"{tmp_path / "elsewhere"}"}}'
    line = f'{{"type":"user","text":"the token is {secret}"}}'

    with workplace.open() as lerim:
        session = lerim.agents_word.submit_trace(f"{header}\n{line}\n", "mine")

    assert workplace.project == session.project_root
    assert secret not in session.path.read_text()


def test_a_told_session_overwrites_no_imported_one(workplace: Workplace) -> None:
    """What a person brought has another name."""
    with workplace.open() as lerim:
        mine = lerim.traces.add("User: We use tabs.\nAssistant: Yes.\n", "notes")
        lerim.agents_word.submit_trace("User: We use spaces.\nAssistant: Yes.\n", "notes")

    assert "tabs" in mine.path.read_text()


def test_what_is_no_trace_is_said(workplace: Workplace) -> None:
    with workplace.open() as lerim, pytest.raises(TraceError):
        lerim.agents_word.submit_trace("", "mine")
