"""What an agent teaches beside the work: "★ Insight ────" boxes and headed asides. It is evidence of nothing. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from lerim.text.sentences import TextSpan

_LESSON = (
    r"(?:(?:key|educational|technical|quick) )?(?:insights?|did you know|learning (?:note|moment|point)s?|lessons?"
    r"|explainer|wusstest du|erkenntnis(?:se)?|hinweis zum lernen|le saviez-vous|(?:sab[ií]as|você sabia) que)"
)
_RULED = "[─━═—_-]{3,}"
#: A box opens with its name between rules, or behind a star and before a rule, and closes with a rule.
_OPENS = re.compile(
    rf"^[ \t>*`|]*(?:[★☆✦✨💡📘📚🎓][ \t*]*[^\n─━═]{{0,40}}?{_RULED}"
    rf"|{_RULED}[ \t*]*{_LESSON}[ \t*:?]*{_RULED})[ \t*`|]*$"
    rf"|^[ \t>*`|]*{_LESSON}[ \t*:?]*[─━═]{{5,}}[ \t*`|]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES = re.compile(r"^[ \t>*`|]*[─━═—_-]{5,}[ \t*`|]*$", re.MULTILINE)
#: An aside under a heading of its own, as far as the next one or a rule.
_HEADED = re.compile(
    rf"^[ \t>]*(?:#{{1,6}}[ \t]+|\*\*)[ \t]*(?:[★☆✦✨💡📘📚🎓][ \t]*)?(?:{_LESSON}|why (?:this|that|it) matters)"
    r"[ \t]*[:?.]?(?:\*\*)?[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEAD = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*:?[ \t]*$|[─━═-]{3,}[ \t]*$)", re.MULTILINE)
_GAP = re.compile(r"\n[ \t]*\n")


@lru_cache(maxsize=256)  # Each sentence of a message asks.
def teaching_spans(text: str) -> tuple[TextSpan, ...]:
    """The asides of a message that teach, in order, with their marks."""
    found: list[TextSpan] = []
    at = 0
    while (opened := _opened(text, at)) is not None:
        start, end = opened
        found.append(TextSpan(start, end))
        at = end
    return tuple(found)


def is_teaching(text: str, at: int) -> bool:
    """Whether what stands at a place of a message is part of an aside that teaches."""
    spans = teaching_spans(text)
    place = bisect_right(spans, at, key=lambda span: span.start) - 1
    return place >= 0 and at < spans[place].end


def without_teaching(text: str) -> str:
    """The message with blanks for what teaches: all else stands where it stood."""
    for start, end in teaching_spans(text):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _opened(text: str, at: int) -> tuple[int, int] | None:
    """Where the next aside begins and ends."""
    box, headed = _OPENS.search(text, at), _HEADED.search(text, at)
    if box is not None and (headed is None or box.start() <= headed.start()):
        closed = _CLOSES.search(text, box.end())
        # One that is never closed is its first paragraph.
        gap = _GAP.search(text, box.end())
        end = closed.end() if closed is not None else gap.start() if gap is not None else len(text)
        return box.start(), end
    if headed is None:
        return None
    following = _NEXT_HEAD.search(text, headed.end())
    return headed.start(), following.start() if following is not None else len(text)
