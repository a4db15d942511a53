"""Prompts typed while Claude Code works, followed through its `queue-operation` records."""

from __future__ import annotations

from collections import deque

from lerim.dataclass import dataclass
from lerim.sources.pieces import Pen

# Enough to know a text again when its delivery follows; a session never has more in flight.
_REMEMBERED = 32


@dataclass(frozen=True)
class QueuedPrompt:
    """A prompt that waits, how much the agent had done when it was typed, and the record that says so."""

    text: str
    work: int
    pen: Pen


class PromptQueue:
    """Which prompts wait, were taken, were handed over.

    `dequeue` hands the first prompt over as a user record of its own, `remove` in the middle of a turn, `popAll` gives
    all back to the user for editing. The queue lives in memory only: what waits when the agent ends never reaches it,
    and yet the user said it.
    """

    def __init__(self) -> None:
        self.waiting: list[QueuedPrompt] = []
        self._work = 0
        self._late: deque[str] = deque(maxlen=_REMEMBERED)
        self._taken: deque[str] = deque(maxlen=_REMEMBERED)
        self._handed_over: deque[str] = deque(maxlen=_REMEMBERED)
        self._ahead = 0

    def worked(self) -> None:
        """The agent did something: what waits now was typed meanwhile."""
        self._work += 1

    def add(self, text: str, pen: Pen) -> None:
        if text.strip():
            self.waiting.append(QueuedPrompt(text.strip(), self._work, pen))

    def take(self) -> None:
        """The first prompt becomes a user record. Wrapper apps send every prompt through the queue, at once."""
        if self.waiting:
            prompt = self.waiting.pop(0)
            self._taken.append(prompt.text)
            if prompt.work != self._work:
                self._late.append(prompt.text)

    def hand_over(self) -> str:
        """The first prompt, given to the agent in the middle of a turn; empty when an attachment showed it already."""
        if self._ahead:
            self._ahead -= 1
            return ""
        if not self.waiting:
            return ""
        text = self.waiting.pop(0).text
        self._handed_over.append(text)
        return text

    def attach(self, text: str) -> bool:
        """Whether an attachment with a queued prompt is the first to show it."""
        text = text.strip()
        if _removed(self._handed_over, text):
            return False
        left = [prompt for prompt in self.waiting if prompt.text != text]
        self._ahead += len(self.waiting) - len(left)
        self.waiting = left
        return True

    def drain(self) -> list[QueuedPrompt]:
        found, self.waiting = self.waiting, []
        return found

    def delivers(self, text: str) -> bool:
        """Whether a user record comes from the queue: taken from it before, or with what waits as lines of its own."""
        if text.strip() in self._taken:
            return True
        left = [prompt for prompt in self.waiting if f"\n{prompt.text}\n" not in f"\n{text.strip()}\n"]
        found = len(left) < len(self.waiting)
        self.waiting = left
        return found

    def was_late(self, text: str) -> bool:
        """Whether this prompt was typed while the agent worked."""
        return _removed(self._late, text)

    def was_handed_over(self, text: str) -> bool:
        """Whether this prompt was handed over before; a second time it is a new one."""
        return _removed(self._handed_over, text)


def _removed(texts: deque[str], text: str) -> bool:
    try:
        texts.remove(text.strip())
    except ValueError:
        return False
    return True
