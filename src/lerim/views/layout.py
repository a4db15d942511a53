"""Sections of cited lines as Markdown: within a budget of characters, cut between lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lerim.context.records import RecordId
from lerim.views.view import ViewLine, ViewSection


def cited(line: ViewLine) -> str:
    """A line as it is written: what it says, and the ids it rests on."""
    return f"- {line.text} [{', '.join((*line.records, *line.sessions))}]"


def document(title: str, opening: Sequence[str], sections: Iterable[ViewSection], closing: Sequence[str]) -> str:
    """A view as Markdown. A section without a line is left out."""
    parts = [f"# {title}", *opening]
    for section in sections:
        if section.lines:
            parts.append("\n".join((f"## {section.title}", "", *map(cited, section.lines))))
    return "\n\n".join((*parts, *closing)) + "\n"


def read_lines(text: str) -> tuple[ViewLine, ...]:
    """The cited lines of a view that was written, with what each cites."""
    found = (line[2:-1].rpartition(" [") for line in text.split("\n") if line.startswith("- ") and line.endswith("]"))
    return tuple(_read(said, ids.split(", ")) for said, _, ids in found)


def _read(text: str, cited_ids: Sequence[str]) -> ViewLine:
    records = tuple(RecordId(one) for one in cited_ids if "/" not in one)
    return ViewLine(text, records, tuple(one for one in cited_ids if "/" in one))


def all_lines(sections: Iterable[ViewSection]) -> tuple[ViewLine, ...]:
    """The lines of all sections, in order."""
    return tuple(line for section in sections for line in section.lines)


def all_records(lines: Iterable[ViewLine]) -> tuple[RecordId, ...]:
    """Every record that some lines cite, each once, in order."""
    return tuple(dict.fromkeys(record for line in lines for record in line.records))


class ViewText(NamedTuple):
    """A view as Markdown, and the lines in it."""

    text: str
    sections: tuple[ViewSection, ...]
    #: The same as numbers and lists, where a view has such.
    data: Mapping[str, Any] = {}


def fitted(
    title: str,
    opening: Sequence[str],
    sections: Iterable[ViewSection],
    closing: Sequence[str],
    empty: str,
    budget: int,
) -> ViewText:
    """A view whose lines are taken in their order until it is full; `empty` when there is none."""
    space = Space(budget, document(title, opening, (), closing))
    kept = []
    for section in sections:
        lines: list[ViewLine] = []
        for line in section.lines:
            if space.takes(line, heading="" if lines else section.title):
                lines.append(line)
        if lines:
            kept.append(ViewSection(section.title, tuple(lines)))
    if not kept:
        return ViewText(document(title, (empty,), (), ()), ())
    return ViewText(document(title, opening, kept, closing), tuple(kept))


class Space:
    """What a document still has room for: each line counts with its mark and its line end, each heading once."""

    def __init__(self, budget: int, frame: str) -> None:
        """`frame` is the document without any section."""
        self.left = budget - len(frame)

    def takes(self, line: ViewLine, *, heading: str = "") -> bool:
        """Whether a line fits, with the heading it needs when it is the first of its section; if so, it is taken."""
        needed = len(cited(line)) + 1 + (len(heading) + len("## \n\n\n") if heading else 0)
        if needed > self.left:
            return False
        self.left -= needed
        return True

    def grows(self, line: ViewLine, longer: ViewLine) -> bool:
        """Whether a line that was taken may become a longer one; if so, it does."""
        needed = len(longer.text) - len(line.text)
        if needed > self.left:
            return False
        self.left -= needed
        return True
