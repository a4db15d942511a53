"""What people and programs see: color and tables on a terminal, plain text when piped, one JSON document if asked.

All that a command prints goes through here, and is made safe on its way: whose words they are need not be known. Only
this module may color, move the cursor and end a line.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from lerim.cli.streams import columns_of, wants_color
from lerim.printable import json_text, one_line, printable, without_line_ends

Style = str
BOLD: Style = "1"
DIM: Style = "2"
RED: Style = "31"
GREEN: Style = "32"
YELLOW: Style = "33"
CYAN: Style = "36"
# A bar that flashes up and disappears again helps nobody.
PROGRESS_AFTER_SECONDS = 0.4
# Often enough to see it move; and where nobody sees it move, a line now and then.
_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0
_BAR = 20
# What people read needs this much of a line, and no column is cut to less than that.
_LEAST_TEXT = 40
_LEAST_COLUMN = 6


class Output:
    """Where a command's words go. `say` is the answer, `note` is about it, `data` is the whole answer as JSON."""

    def __init__(self, *, as_json: bool = False, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        for stream in (self._out, self._err):
            # A character that the terminal cannot encode is shown as its number instead of ending the command.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        #: When each step began, and when the last one was shown.
        self._started: dict[str, float] = {}
        self._shown = 0.0
        #: Whether a progress bar is on the last line, where the next text would run into it.
        self._bar = False
        self._colors = {id(stream): wants_color(stream) for stream in (self._out, self._err)}
        # Nobody can write a mark of ours into a text: styles become escape sequences at the very end.
        self._mark = f"<{os.urandom(8).hex()}:"
        self._marks = re.compile(f"{self._mark}([0-9;]+)>")

    @property
    def is_terminal(self) -> bool:
        return self._out.isatty()

    def say(self, text: str = "") -> None:
        """One line of the answer, whatever is in it; on a terminal wrapped between words."""
        if not self.as_json:
            self._print(self._out, self._wrapped(self._out, without_line_ends(text)))

    def fact(self, name: str, value: str, width: int = 9) -> None:
        """A line that names what it tells; on a terminal, what does not fit stands below the value."""
        if not self.as_json:
            line = f"{self.style(f'{name:<{width}}', DIM)}{without_line_ends(value)}"
            self._print(self._out, self._wrapped(self._out, line, " " * width))

    def block(self, text: str) -> None:
        """A text of several lines, such as the body of a memory."""
        if not self.as_json:
            lines = ((line, " " * (len(line) - len(line.lstrip(" ")))) for line in printable(text).split("\n"))
            self._print(self._out, "\n".join(self._wrapped(self._out, line, indent) for line, indent in lines))

    def json_lines(self, lines: Iterable[str]) -> None:
        """Documents of one line each, which are the answer for people, too."""
        if not self.as_json:
            for line in lines:
                self._print(self._out, json_text(line))

    def note(self, text: str) -> None:
        """One line about the answer."""
        self._print(self._err, self._wrapped(self._err, without_line_ends(text)))

    def data(self, value: Any) -> None:
        if self.as_json:
            document = json.dumps(value, ensure_ascii=False, indent=2 if self.is_terminal else None)
            self._print(self._out, json_text(document))

    def fail(self, message: str, hint: str | None) -> None:
        self.note(f"{self.style('lerim:', RED, self._err)} {message}")
        if hint:
            self.note(f"  {self.style('try:', DIM, self._err)} {hint}")

    def warn(self, message: str) -> None:
        self.note(f"{self.style('lerim:', YELLOW, self._err)} {message}")

    def ask(self, prompt: str) -> str:
        """What somebody types. Raises EOFError when nobody does."""
        self._wipe()
        return input(one_line(prompt) + " ")

    def prompt(self, text: str) -> None:
        """A question, with the answer to be typed behind it on standard input."""
        self._wipe()
        self._err.write(self._styled(self.style(one_line(text), BOLD, self._err)) + " ")
        self._err.flush()

    def style(self, text: str, style: Style, stream: TextIO | None = None) -> str:
        return f"{self._mark}{style}>{text}{self._mark}0>" if self._colors[id(stream or self._out)] else text

    def _print(self, stream: TextIO, safe: str) -> None:
        self._wipe()
        stream.write(self._styled(safe) + "\n")

    def _wrapped(self, stream: TextIO, line: str, below: str | None = None) -> str:
        """The line in pieces that fit the terminal, cut between words and set in as far as it is, and a little more.

        A word that is longer, as a path, stays whole: it can be copied.
        """
        plain = self._marks.sub("", line)
        if not stream.isatty() or _width(plain) <= (room := columns_of(stream)):
            return line
        indent = " " * min(len(plain) - len(plain.lstrip(" ")) + 2, room // 2) if below is None else below
        pieces, used = [""], 0
        for word in re.split(r"( +)", line):
            width = _width(self._marks.sub("", word))
            fits = len(indent) + width <= room
            if used + width > room and word.strip() and pieces[-1].strip() and (fits or used > room // 2):
                pieces[-1] = pieces[-1].rstrip(" ")
                pieces.append(indent)
                used = len(indent)
            pieces[-1] += word
            used += width
        return "\n".join(pieces)

    def _styled(self, safe: str) -> str:
        return self._marks.sub("\033[\\1m", safe)

    def table(
        self, header: Sequence[str], rows: Iterable[Sequence[str]], flexible: int, spare: Sequence[int] = ()
    ) -> None:
        """Aligned columns. On a terminal a row stays one line: to give the `flexible` column room, the `spare` ones are
        left out, the first of them first; then it is cut, and at last the widest of the others."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        widths = [max(map(_width, column)) for column in zip(header, *cells, strict=True)]
        if self.is_terminal:
            widths = _fitted(widths, columns_of(self._out), flexible, spare)
        self._row(self.style(_row(header, widths), BOLD))
        for row in cells:
            self._row(_row(row, widths))

    def _row(self, text: str) -> None:
        if not self.as_json:
            self._print(self._out, without_line_ends(text))

    def progress(self, step: str, done: int, total: int) -> None:
        """How far a step has come: one line on a terminal that is updated in place, from its beginning when that is
        told (nothing `done`), else once it takes a moment; a line now and then where nobody sees it move."""
        now = time.monotonic()
        started = self._started.setdefault(step, now)
        if total and done >= total:
            del self._started[step]
            self._wipe()
        elif self._err.isatty():
            is_due = now - started > PROGRESS_AFTER_SECONDS and now - self._shown > _REDRAW_SECONDS
            if not done or is_due:
                self._draw(_progress_line(step, done, total, now - started))
        elif not self.as_json and now - max(started, self._shown) > _LINE_SECONDS:
            self._shown = now
            self.note(f"{step}: {done:,} of {total:,}")

    def _draw(self, line: str) -> None:
        room = columns_of(self._err) - 1
        self._err.write(f"\r\033[K{_fit(one_line(line), room).rstrip()}")
        self._err.flush()
        self._bar, self._shown = True, time.monotonic()

    def _wipe(self) -> None:
        if self._bar:
            self._err.write("\r\033[K")
            self._err.flush()
            self._bar = False


def _progress_line(step: str, done: int, total: int, seconds: float) -> str:
    if not total:
        return f"{step} …"
    filled = _BAR * done // total
    rate = done / seconds if seconds > 0 else 0.0
    facts = [f"{step} [{'#' * filled}{'.' * (_BAR - filled)}] {done:,}/{total:,}"]
    # The first one waits for all that is loaded once, and says nothing of the others.
    if done > 1 and rate:
        left = (total - done) / rate
        facts += [f"{rate:.1f}/s", f"{left:.0f} s left" if left < 90 else f"{left / 60:.0f} min left"]
    return " · ".join(facts)


def _fitted(widths: Sequence[int], room: int, flexible: int, spare: Sequence[int]) -> list[int]:
    """The widths of columns in a row of this length; one that is left out has none."""
    fitted = list(widths)
    wanted = min(fitted[flexible], max(5 * room // 8, _LEAST_TEXT))

    def lacking() -> int:
        return sum(fitted) + 2 * (sum(width > 0 for width in fitted) - 1) - room

    for column in spare:
        if fitted[flexible] - lacking() < wanted:
            fitted[column] = 0
    fitted[flexible] = max(fitted[flexible] - max(lacking(), 0), min(fitted[flexible], _LEAST_TEXT // 2))
    while lacking() > 0 and max(fitted) > _LEAST_COLUMN:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (_fit(cell, width) for cell, width in zip(cells, widths, strict=True) if width)
    return "  ".join(padded).rstrip()


def _fit(text: str, width: int) -> str:
    if _width(text) > width:
        while _width(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns on a terminal: wide letters take two, joining marks none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    none = sum(unicodedata.combining(character) != 0 or unicodedata.category(character) == "Cf" for character in text)
    return len(text) + wide - none
