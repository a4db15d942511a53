"""Sessions written by hand: who said what, in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.trace import Assistant, Event, Happening, Header, Injected, Injection, Line, ToolResult, User, Via

Talk = Callable[..., Transcript]

_KINDS: dict[str, Callable[[str], Line]] = {
    "user": lambda text: User(text=text),
    "queued": lambda text: User(text=text, via=Via.QUEUED),
    "answer": lambda text: User(text=text, via=Via.ANSWER),
    "plan": lambda text: User(text=text, via=Via.PLAN),
    "agent": lambda text: Assistant(text=text),
    "tool": lambda text: ToolResult(text=text, call="1", ok=True, exit_code=0),
    "failed": lambda text: ToolResult(text=text, call="1", ok=False, exit_code=1),
    "injected": lambda text: Injected(text=text, kind=Injection.INSTRUCTIONS),
    "stopped": lambda text: Event(text=text, kind=Happening.INTERRUPTED),
}


@pytest.fixture
def talk() -> Talk:
    """Makes a transcript of pairs: who speaks ("user", "agent", "tool", …) and the words."""

    def make(*messages: tuple[str, str], parent: str | None = None) -> Transcript:
        lines = tuple(Numbered(number, _KINDS[who](text)) for number, (who, text) in enumerate(messages, 2))
        return Transcript(Header(agent="claude", run_id="r1", parent=parent), lines)

    return make
