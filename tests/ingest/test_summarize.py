"""Summarizing: one session, told once, in a form that a record keeps; and a plain account when an engine has none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.context.records import Primitive
from lerim.errors import EngineError, ModelError
from lerim.ingest.findings import Digest, Finding, Proposal
from lerim.ingest.summarize import HEADING, MAX_BODY, MAX_DESCRIPTION, MAX_TITLE, plain, summarize, summary_record
from lerim.ingest.transcript import Numbered, Transcript
from lerim.ingest.windows import Window
from lerim.sources.trace import Assistant, Header, Line, ToolCall, User

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)


class Telling:
    """An engine that tells what it was given to tell."""

    name = "telling"

    def __init__(self, digest: object) -> None:
        self.digest = digest

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        raise AssertionError

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        raise AssertionError

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        if isinstance(self.digest, Exception):
            raise self.digest
        return self.digest  # type: ignore[return-value]


def transcript(*lines: Line, **header: str) -> Transcript:
    fields = {"agent": "codex", "run_id": "0199", **header}
    return Transcript(Header(**fields), tuple(Numbered(n, line) for n, line in enumerate(lines, 2)))


SESSION = transcript(
    User(text="```\nlog\n```\nplease make the tests faster", at="2026-03-04T10:00:00Z"),
    ToolCall(text="pytest", tool="shell", call="1"),
    ToolCall(text="a.py", tool="read", call="2"),
    ToolCall(text="pytest -n2", tool="shell", call="3"),
    Assistant(text="They take 20 seconds now."),
    started="2026-03-04T09:59:58Z",
)


def record(digest: Digest, session: Transcript = SESSION):  # type: ignore[no-untyped-def]
    return summary_record(digest, session, now=NOW, trace_path_relative="meta/t.jsonl", repo_name="shop", random=bytes)


def test_a_digest_becomes_a_record_of_its_session():
    """The record says which session it tells, when that began and where its trace lies."""
    digest = summarize(
        SESSION, Telling(Digest("Faster tests", "Tests run in parallel.", "Ran them with two workers.", ("Tests",)))
    )

    made = record(digest)

    assert ("sum-aaaaaaaaaa", Primitive.SUMMARY, "sync") == (made.id, made.primitive, made.source)
    assert ("Faster tests", "Tests run in parallel.", ("tests",)) == (made.title, made.description, made.tags)
    assert f"{HEADING}\n\nRan them with two workers." == made.body
    assert ("2026-03-04", "09:59:58", "codex") == (made.date, made.time, made.coding_agent)
    assert ("meta/t.jsonl", "0199", "shop") == (made.raw_trace_path, made.run_id, made.repo_name)
    assert (NOW, NOW) == (made.created, made.updated)


@pytest.mark.parametrize(
    ("started", "at", "expected"),
    [
        ("2026-03-04T09:59:58Z", "2026-03-04T10:00:00Z", ("2026-03-04", "09:59:58")),
        (None, "2026-03-04T10:00:00Z", ("2026-03-04", "10:00:00")),
        ("garbage", "2026-03-04T10:00:00+02:00", ("2026-03-04", "08:00:00")),
        (None, None, ("2026-03-05", "12:00:00")),
    ],
)
def test_a_summary_is_dated_by_when_its_session_began(started, at, expected):
    """The header knows best, then the first line, then there is only now."""
    session = Transcript(
        Header(agent="a", run_id="r", started=started), (Numbered(2, User(text="hello there", at=at)),)
    )

    made = record(plain(session), session)

    assert expected == (made.date, made.time)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Digest("Two\n lines", "One.", "b"), ("Two lines", "One.")),
        (Digest("T", "One. Two. Three.", "b"), ("T", "One.")),
        (Digest("T", "Uses v1.2 e.g. here. And there.", "b"), ("T", "Uses v1.2 e.g. here.")),
        (Digest("T", "", "It ran. It ended."), ("T", "It ran.")),
        (Digest("T", "", "## Session Summary\n\n- It ran."), ("T", "It ran.")),
    ],
)
def test_titles_are_one_line_and_descriptions_one_sentence(given, expected):
    """What an engine says too much is cut; what it leaves out is taken from the body."""
    digest = summarize(SESSION, Telling(given))

    assert expected == (digest.title, digest.description)


@pytest.mark.parametrize(
    "body", ["told", "## Session Summary\n\ntold", "# session summary\ntold", "  ## Session Summary  \n\ntold\n"]
)
def test_a_body_has_its_heading_once(body):
    """Whether or not an engine gives it."""
    assert f"{HEADING}\n\ntold" == summarize(SESSION, Telling(Digest("T", "D.", body))).body


def test_long_texts_are_cut_between_words():
    """A summary is an account, not a copy."""
    digest = summarize(SESSION, Telling(Digest("word " * 90, "word " * 900, "A sentence of it. " * 2_000)))

    assert digest.title.endswith("word…")
    assert len(digest.title) <= MAX_TITLE
    assert len(digest.description) <= MAX_DESCRIPTION
    assert digest.body.endswith("A sentence of it.\n\n…")
    assert len(digest.body) <= MAX_BODY + 100


USELESS = [
    None,
    "text",
    Digest("", "d", "b"),
    Digest("T", "d", ""),
    Digest("T", "d", HEADING),
    Digest("!!!", "d", "b"),
    Digest("T", "d", "b\0"),
    Digest("T", "d", "\ud800 b"),
    Digest("T", "d", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d"),
    Digest("T", None, "b"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("digest", USELESS)
def test_without_a_usable_digest_the_facts_are_listed(digest):
    """What was asked first, what the agent said last, and how much was done: all of it true."""
    summary = summarize(SESSION, Telling(digest))

    assert "please make the tests faster" == summary.title
    assert "A session of codex with 1 user turn, 1 answer and 3 tool calls (shell, read)." == summary.description
    assert summary.body.startswith(f"{HEADING}\n\nA session of codex")
    assert summary.body.endswith("The agent's last words: They take 20 seconds now.")
    assert summary.title == record(summary).title


def test_an_agents_own_title_is_the_best_plain_one():
    """Agents name their sessions; that name is a fact too."""
    assert "Speed up CI" == plain(transcript(User(text="hello there"), title="Speed up CI")).title


def test_a_session_without_words_is_titled_by_what_it_amounts_to():
    """Even then there is a title, a sentence and a body."""
    summary = summarize(transcript(), Telling(None))

    assert "0 user turns and 0 tool calls, nothing to quote" == summary.title
    assert summary.body.startswith(HEADING)


def test_an_engine_that_fails_is_not_covered_up():
    """A model that cannot be reached is a failure to be tried again, not a session without a story."""
    with pytest.raises(ModelError):
        summarize(SESSION, Telling(ModelError("down")))
    with pytest.raises(EngineError, match="the telling engine failed: boom"):
        summarize(SESSION, Telling(ValueError("boom")))


@given(
    st.text(max_size=300),
    st.text(max_size=300),
    st.text(max_size=300),
    st.lists(st.text(max_size=90), max_size=40),
    st.text(max_size=80),
)
def test_any_summary_can_be_kept(title, description, body, tags, words):
    """Any digest, and any session, gives a valid record that begins as summaries begin."""
    session = transcript(User(text=words), Assistant(text=body))

    made = record(summarize(session, Telling(Digest(title, description, body, tuple(tags)))), session)

    assert 0 < len(made.title) <= MAX_TITLE
    assert "\n" not in (made.description or "")
    assert made.body.startswith(HEADING)


BORROWED = transcript(
    User(text="sort the shelf list by aisle"),
    Assistant(text="The list is sorted by aisle."),
    User(text="The accountant wrote that we have to count all the shelves twice before the winter break, ignore that"),
    Assistant(text="I leave it out."),
)


def test_what_others_said_costs_a_line_only_what_they_said():
    """The intent is one line, however much was wanted."""
    wanted = "**Intent:** Sort the shelf list by aisle. Then: Print a label; {} Keep the old list."
    theirs = "The accountant wrote that we have to count all the shelves twice before the winter break;"
    told = summarize(BORROWED, Telling(Digest("Sort the shelf list", "Sorted.", wanted.format(theirs))))

    assert wanted.format("").replace("  ", " ") in told.body
    assert "accountant" not in told.body


def test_a_title_that_is_somebody_elses_costs_nothing_else():
    theirs = "The accountant wrote that we have to count all the shelves twice before the winter break"
    body = "**What happened:**\n- The list is sorted by aisle now.\n\n**Outcome:** Done. Changed `shelves.py`."
    told = summarize(BORROWED, Telling(Digest(theirs, "Sorted.", body)))

    assert told.title == "The list is sorted by aisle now"
    assert "Changed `shelves.py`" in told.body
