"""Text → its sentences, with their places, so that every quote is a verbatim slice. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from lerim.lazy_regex import compile_later
from lerim.text.recall import SHORT, recalled

# A sentence ends at its mark before white space; "e.g. this", "J. Doe" and "v1.2 works" do not end one, and "in adc.c."
# does. "Max. 5" and "the shop. prefix" go on.
# The mark comes first: what begins with one of a few characters is found many times as fast.
_MARK = "[.!?…]"
_SHORT = (
    # "It takes 6 s. Then" ends one.
    r"[^\d]\s[a-zA-Z]",
    r"\b[a-zA-Z]\.[a-zA-Z]",
    r"\be\.g",
    r"\bi\.e",
    r"\betc",
    r"\bvs",
    r"\bcf",
    r"\bapprox",
    r"\bincl",
)
_END = compile_later(
    rf"[.!?…。！？\n](?:(?<={_MARK}){''.join(rf'(?<!{short}{_MARK})' for short in _SHORT)}"
    rf"{_MARK}{{0,4}}[)\"'”’*_\]]{{0,4}}(?=\s)"
    r"(?!(?:(?<=\b(?:max|min|fig|sec|eqn)\.)|(?<=\b(?:nr|ca|eq|pp|ch)\.)) [$€~]?\d)"
    # Nor does what somebody is called by.
    r"(?!(?:(?<=\b(?:Mr|Ms|Mx|Dr|Sr|St)\.)|(?<=\b(?:Mrs|Mme|Sra)\.)|(?<=\b(?:Prof)\.)) [A-ZÀ-ÖØ-Þ])"
    r"(?!(?<=\w\.) (?:prefix(?:es)?|suffix(?:es)?|namespaces?|notation|extension)\b"
    r"(?! (?:all|any|each|every|the|an?|it|them|these|those|your|our|with)\b))"
    r"|(?<=[。！？\n]))"
)


class TextSpan(NamedTuple):
    """A slice of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[TextSpan]:
    """The sentences of a slice, trimmed, in order."""
    if end is None and not start and len(text) <= SHORT:
        return iter(_all_spans(text))
    return _found(text, start, len(text) if end is None else end)


@recalled
def _all_spans(text: str) -> tuple[TextSpan, ...]:
    return tuple(_found(text, 0, len(text)))


def _found(text: str, start: int, end: int) -> Iterator[TextSpan]:
    at = start
    for match in _END.finditer(text, start, end):
        if (span := trimmed(text, at, match.end())) is not None:
            yield span
        at = match.end()
    if (span := trimmed(text, at, end)) is not None:
        yield span


def joined_spans(text: str, start: int, end: int, is_new: Callable[[TextSpan, TextSpan], bool]) -> Iterator[TextSpan]:
    """The sentences of a slice, joined until one is new: `is_new` is asked with what is joined so far and with it."""
    current: TextSpan | None = None
    for span in sentence_spans(text, start, end):
        if current is None:
            current = span
        elif is_new(current, span):
            yield current
            current = span
        else:
            current = TextSpan(current.start, span.end)
    if current is not None:
        yield current


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its mark. A line ends one, too."""
    return [span.of(text) for span in sentence_spans(text)]


def first_sentence(text: str) -> str:
    """The first sentence, or nothing."""
    return next((span.of(text) for span in sentence_spans(text)), "")


def trimmed(text: str, start: int, end: int) -> TextSpan | None:
    """The slice without the white space around it, or None when nothing is left."""
    if start >= end:
        return None
    # Nearly every slice has a blank at most before and behind its words.
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return TextSpan(start, end) if end > start else None
