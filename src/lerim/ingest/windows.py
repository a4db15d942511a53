"""A transcript cut into windows of bounded size, the same every time: what fits a model's view at once."""

from __future__ import annotations

from dataclasses import dataclass

from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.trace import User

#: Characters of text per window: some 15,000 tokens, so that a small model sees it whole beside its instructions.
WINDOW_CHARS = 60_000
#: A window that is at least this full ends before the next user turn, so that a turn and its answer stay together.
_FULL_ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines in a row. `index` counts from 0."""

    index: int
    lines: tuple[Numbered, ...]

    @property
    def first(self) -> int:
        return self.lines[0].number

    @property
    def last(self) -> int:
        return self.lines[-1].number


def cut(transcript: Transcript, limit: int = WINDOW_CHARS) -> list[Window]:
    """The transcript's lines in windows: each line in exactly one, in order; only a single line exceeds `limit`."""
    windows: list[Window] = []
    lines: list[Numbered] = []
    size = 0
    for numbered in transcript.lines:
        length = len(numbered.line.text)
        is_turn = isinstance(numbered.line, User) and size >= limit * _FULL_ENOUGH
        if lines and (size + length > limit or is_turn):
            windows.append(Window(len(windows), tuple(lines)))
            lines, size = [], 0
        lines.append(numbered)
        size += length
    if lines:
        windows.append(Window(len(windows), tuple(lines)))
    return windows
