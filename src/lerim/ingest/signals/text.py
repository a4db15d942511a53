"""Plain text as blocks with their places, without its marks, and what a text is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lerim.text.recall import recalled
from lerim.text.sentences import TextSpan, trimmed
from lerim.text.stems import stem
from lerim.text.words import STOP, is_unspaced, words

#: What a line of a list begins with, in what agents and people write: a bullet, a number or a letter.
LIST_MARK = r"(?:[-*+•·–]|\(?(?:\d{1,3}|[a-zA-Z])[.)])"
#: The same wherever text is cut into blocks: headings are blocks of their own, and "1: so" counts as well.
_ITEM = re.compile(r"\s*(?:[-*•‣◦–]\s+|#{1,6}\s+|(?:[qQ#]?\d{1,3}|[a-zA-Z])[.):]\s+|\[[ xX]\]\s+|\d{1,2}\)\s*)")
#: Marks of emphasis, but not the stars of `src/**/*.py`, `.env*` and `*.log`, nor the lines of `__init__.py`.
_BOLD = re.compile(r"(?<!/)\*\*(?!/)")
_UNDERLINED = re.compile(r"(?<!\w)__(\S[^_\n]*\s[^_\n]*\S)__(?!\w)")
_SLANTED = re.compile(r"(?<![\w*./\\])\*(?=[^\s*./])([^*\n]*?[^\s*/])\*(?![\w*])")
_FENCE = re.compile(r"\s*(```|~~~)")

# What people say while they work, whatever they work on.
_TALK = """
    actually add after again already aren't before can't cannot couldn't didn't doesn't don't else even first go going
    good isn't know lets look maybe need new next no nor not off ok okay one really right same see shouldn't still sure
    thanks thing things think want wasn't way well without won't wouldn't yeah yep yes
"""
#: Words too common to say what a text is about.
COMMON = STOP | frozenset(_TALK.split())


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A paragraph, list item, heading, table row or line of code."""

    span: TextSpan
    kind: str  # "paragraph", "item", "heading", "table", "code"
    #: How a list item is counted: "1", "b"; empty for a bullet.
    mark: str = ""


def unmarked(text: str) -> str:
    """The text without marks of emphasis. In code marks a star is a star: every second piece of the split is code."""
    if "*" not in text and "__" not in text:
        return text
    pieces = text.split("`")
    pieces[::2] = [_UNDERLINED.sub(r"\1", _SLANTED.sub(r"\1", _BOLD.sub("", piece))) for piece in pieces[::2]]
    return "`".join(pieces)


@recalled
def topics(text: str) -> frozenset[str]:
    """What a text is about: its stems without the common words."""
    return frozenset(filter(None, map(_topic, set(words(text)) - COMMON)))


#: They say how much a rule holds, and nothing of what it is about: "always 30, never less".
RULE_WORDS = frozenset({"alway", "never", "less", "ever", "only"})


@lru_cache(maxsize=32_768)
def _topic(word: str) -> str:
    """The word's stem, or nothing when it is too short to tell anything."""
    return "" if len(word) <= 2 and not is_unspaced(word) else stem(word)


@lru_cache(maxsize=256)  # What the agent said is cut into statements, and its items and passages are looked for.
def blocks(text: str) -> tuple[TextBlock, ...]:
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
    return tuple(found)


def _counted(sign: str) -> str:
    bare = sign.strip("-*•‣◦–#[]().: ").lower()
    return bare.lstrip("q") if bare[1:] else bare


def clipped(text: str, limit: int) -> str:
    """The text's first words, at most `limit` of them."""
    ends = [match.end() for match in re.finditer(r"\S+", text)][:limit]
    return text[: ends[-1]] if ends else ""
