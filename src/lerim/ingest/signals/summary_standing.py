"""Where a sentence stands in an agent's message: below which headings, in whose list, on its own or as a label. Pure.

"Restart the server" below "What I can't do from here:" is no deed, and only its place says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lerim.ingest.signals.summary_words import line_statements, plain, unfenced, visible, without_addresses
from lerim.ingest.signals.text import LIST_MARK

_HEADING = re.compile(r"\s{0,3}(?P<level>#{1,6})\s+\S")
#: A line in bold is a heading, too.
_BOLD = re.compile(r"\s{0,3}(?P<level>\*\*|__)[^*\n]{2,120}?(?:\*\*|__)[^.!?\n]{0,80}$")
_ITEM = re.compile(rf"\s*{LIST_MARK}\s+\S")
_ENDS = re.compile(r"[.!?…;][\s)\"'”’*_`\]]*$")
_LEVEL_OF_BOLD = 7
#: Stands for an address that a sentence loses, and where it may go without being missed.
_GONE = "\ue000"
_UNMISSED = re.compile(rf"\(\s*{_GONE}\s*\)|[:–—-]\s*{_GONE}[\s.)]*$")


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """A sentence's place: what it stands below, outermost first."""

    below: tuple[str, ...] = ()
    is_item: bool = False
    #: Whether it is the first sentence of a point.
    begins_item: bool = False
    #: Whether it only names what the list below it holds.
    is_label: bool = False
    #: Whether an address was cut out of it that it needs.
    is_torn: bool = False


NOWHERE = SentencePlace()


@lru_cache(maxsize=256)  # A message is asked for each of its sentences.
def standings(reply: str) -> Mapping[str, SentencePlace]:
    """The place of every sentence of a message; of one that it says twice, the first."""
    found: dict[str, SentencePlace] = {}
    for text, standing in _placed(reply):
        found.setdefault(text, standing)
    return found


def _placed(reply: str) -> Iterator[tuple[str, SentencePlace]]:
    lines = [line for line in unfenced(visible(reply)) if line.strip()]
    headings: list[tuple[int, str]] = []
    parents: list[tuple[int, str]] = []
    lead = ""
    for line, after in pairwise([*lines, ""]):
        indent, is_item = _indent(line), _ITEM.match(line) is not None
        is_lead = _ITEM.match(after) is not None and (not is_item or _indent(after) > indent)
        parents = [one for one in parents if one[0] < indent]
        if (level := _level(line)) and not is_item:
            headings = [*(one for one in headings if one[0] < level), (level, plain(line.strip("#*_ ")))]
            lead = ""
        if line.lstrip()[:1] in {"#", "|", ">"}:
            continue
        said = line_statements(line)
        below = tuple(one for one in (*(text for _, text in headings), lead, *(text for _, text in parents)) if one)
        is_of_list = is_item or indent > 0
        torn = _torn(line, said)
        for place, text in enumerate(said):
            is_last = place == len(said) - 1
            yield (
                text,
                SentencePlace(
                    below if is_of_list or not lead else below[:-1],
                    is_item,
                    begins_item=is_item and not place,
                    is_label=is_last and is_lead and _ENDS.search(line) is None,
                    is_torn=text in torn,
                ),
            )
        if is_item and said:
            parents.append((indent, said[0]))
        elif not indent:
            lead = said[-1] if said and not level and (is_lead or line.rstrip(" *_").endswith(":")) else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _level(line: str) -> int:
    """How far down a heading stands; 0 for what is none."""
    if found := _HEADING.match(line):
        return len(found["level"])
    return _LEVEL_OF_BOLD if _BOLD.match(line) else 0


def _torn(line: str, said: list[str]) -> frozenset[str]:
    """The sentences of a line that an address was taken out of, and that limp without it."""
    if "://" not in line:
        return frozenset()
    marked = line_statements(without_addresses(line, _GONE))
    pairs = zip(said, marked, strict=True) if len(said) == len(marked) else ((one, _GONE) for one in said)
    return frozenset(text for text, whole in pairs if _GONE in _UNMISSED.sub("", whole))
