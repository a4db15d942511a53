"""Windows: the same cut every time, each line once, and an old cut that a growing session does not move."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lerim.ingest.transcript import Numbered, Transcript
from lerim.ingest.windows import cut
from lerim.sources.trace import Assistant, Header, Line, ToolResult, User

TEXTS = st.text(alphabet="ab \n", max_size=60)
LINES = st.one_of(
    st.builds(lambda text: User(text=text), TEXTS),
    st.builds(lambda text: Assistant(text=text), TEXTS),
    st.builds(lambda text: ToolResult(text=text, call="c"), TEXTS),
)


def transcript(lines: list[Line]) -> Transcript:
    return Transcript(Header(agent="test", run_id="r"), tuple(Numbered(n, line) for n, line in enumerate(lines, 2)))


@given(st.lists(LINES, max_size=40), st.integers(1, 200))
def test_each_line_is_in_one_window_in_order(lines, limit):
    """Nothing is lost, doubled or reordered by cutting."""
    session = transcript(lines)

    windows = cut(session, limit)

    assert list(session.lines) == [line for window in windows for line in window.lines]
    assert list(range(len(windows))) == [window.index for window in windows]


@given(st.lists(LINES, max_size=40), st.integers(1, 200))
def test_a_window_is_bounded(lines, limit):
    """Only a single line may be larger than a window."""
    windows = cut(transcript(lines), limit)

    assert all(len(w.lines) == 1 or sum(len(n.line.text) for n in w.lines) <= limit for w in windows)
    assert all(window.lines for window in windows)


@given(st.lists(LINES, max_size=40), st.lists(LINES, max_size=10), st.integers(1, 200))
def test_a_session_that_grew_keeps_its_windows(lines, more, limit):
    """All windows but the last stay what they were, so that what was found in them stays found."""
    before = cut(transcript(lines), limit)

    after = cut(transcript(lines + more), limit)

    assert before[:-1] == after[: max(0, len(before) - 1)]
    assert all(line in after[len(before) - 1].lines for line in before[-1].lines) if before else True


def test_a_turn_and_its_answer_stay_together():
    """A window that is full enough ends before the next user turn."""
    lines: list[Line] = [User(text="a" * 40), Assistant(text="b" * 30), User(text="c" * 10), Assistant(text="d" * 10)]

    windows = cut(transcript(lines), 100)

    assert [(2, 3), (4, 5)] == [(window.first, window.last) for window in windows]


def test_an_empty_session_has_no_window():
    """There is nothing to read."""
    assert [] == cut(transcript([]))
