"""Plain text as words, sentences and blocks, with their places, so that every quote is a verbatim slice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_](?:[\w'’./:@#+-]*[\w+#])?|_[\w.]+|--?[a-z][\w-]+")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A sentence ends at its mark before white space; "e.g. this" and "v1.2 works" do not end one.
# Looking for the mark first spares looking back from every character.
_END = re.compile(
    r"(?=[.!?…])(?<![\s.][a-zA-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)"
    r"[.!?…]{1,5}[)\"'”’*_]{0,4}(?=\s)|[。！？]|\n"
)
_ITEM = re.compile(r"\s*(?:[-*•‣◦–]\s+|#{1,6}\s+|(?:[qQ#]?\d{1,3}|[a-zA-Z])[.):]\s+|\[[ xX]\]\s+|\d{1,2}\)\s*)")
_FENCE = re.compile(r"\s*(```|~~~)")

_COMMON = """
    a an the this that these those it its i me my we us our you your he she they them their is are was were be been
    being am do does did done have has had having will would can could should shall may might must not no nor so and
    or but if then else than as at by for from in into of off on onto out over to up with without about after again
    all also any because before both each few more most other some such only own same too very just now here there
    when where which who whom whose why what how let lets let's i'm i'll i've it's that's we're we'll we've you're
    you'll don't doesn't didn't isn't aren't wasn't won't can't cannot couldn't shouldn't wouldn't there's here's
    they're one ok okay yes yeah yep please thanks like get got make made use used using want need still way thing
    things really actually maybe already even well good right first next new sure look see think know going go add
"""
#: Words too common to say what a text is about.
STOP = frozenset(_COMMON.split())


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A slice of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, list item, heading, table row or line of code."""

    span: TextSpan
    kind: str  # "paragraph", "item", "heading", "table", "code"
    #: How a list item is counted: "1", "b"; empty for a bullet.
    mark: str = ""


def words(text: str) -> list[str]:
    """The words of a text in lower case; a script without spaces gives pairs of its characters."""
    low = text.lower().replace("’", "'")
    found: list[str] = _WORD.findall(low)
    if low.isascii() or _WIDE.search(low) is None:
        return found
    return [part for word in found for part in _parts(word)]


def _parts(word: str) -> list[str]:
    return [word[i : i + 2] for i in range(max(1, len(word) - 1))] if _WIDE.search(word) else [word]


def topics(text: str) -> frozenset[str]:
    """What a text is about: its stems without the common words."""
    return frozenset(filter(None, map(_topic, set(words(text)))))


@lru_cache(maxsize=32_768)
def _topic(word: str) -> str:
    """The word's stem, or nothing when it is too common or too short to tell anything."""
    if word in STOP or (len(word) <= 2 and not _WIDE.match(word)):
        return ""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def sentences(text: str, start: int = 0, end: int | None = None) -> Iterator[TextSpan]:
    """The sentences of a slice, trimmed, in order."""
    end = len(text) if end is None else end
    at = start
    for match in _END.finditer(text, start, end):
        if (span := trimmed(text, at, match.end())) is not None:
            yield span
        at = match.end()
    if (span := trimmed(text, at, end)) is not None:
        yield span


def trimmed(text: str, start: int, end: int) -> TextSpan | None:
    """The slice without the white space around it, or None when nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return TextSpan(start, end) if end > start else None


def blocks(text: str) -> list[TextBlock]:
    """The text's blocks in order. A list item keeps the indented lines below it."""
    found: list[TextBlock] = []
    begin: int | None = None
    kind, mark, at, in_code = "paragraph", "", 0, False

    def close(end: int) -> None:
        nonlocal begin
        if begin is not None and (span := trimmed(text, begin, end)) is not None:
            found.append(TextBlock(span, kind, mark))
        begin = None

    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if _FENCE.match(line):
            close(start)
            in_code = not in_code
        elif in_code:
            if (span := trimmed(text, start, at)) is not None:
                found.append(TextBlock(span, "code"))
        elif not line.strip():
            close(start)
        elif line.lstrip().startswith("|"):
            close(start)
            begin, kind, mark = start, "table", ""
            close(at)
        elif (item := _ITEM.match(line)) is not None:
            close(start)
            sign = item.group().strip()
            kind = "heading" if sign.startswith("#") and not sign[1:2].isdigit() else "item"
            begin, mark = start + item.end(), _counted(sign)
            if kind == "heading":
                close(at)
        elif begin is None:
            begin, kind, mark = start, "paragraph", ""
    close(len(text))
    return found


def _counted(sign: str) -> str:
    bare = sign.strip("-*•‣◦–#[]().: ").lower()
    return bare.lstrip("q") if bare[1:] else bare


def clipped(text: str, limit: int) -> str:
    """The text's first words, at most `limit` of them."""
    ends = [match.end() for match in re.finditer(r"\S+", text)][:limit]
    return text[: ends[-1]] if ends else ""
