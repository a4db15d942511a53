"""Which part of a message its author wrote, and which was pasted: code, quotes, logs, blocks of a program. Pure.

A user's message may also introduce another's words (`quotes=True`): a mail to translate, what somebody said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lerim.glance import Together, seldom
from lerim.ingest.listed_points import agreed_spans
from lerim.ingest.printouts import LOG, LOG_INLINE, among, has_logs, printed
from lerim.ingest.quoted_speech import quoted
from lerim.ingest.templates import template_parts

Spans = tuple[tuple[int, int], ...]

_FENCE = re.compile(r"\s{0,12}(?:[-*>]\s+)?(`{3,}|~{3,})")
# What a compiler or a traceback draws below a line of code is no fence.
_SQUIGGLE = re.compile(r"\s*~*\^[~^]*\s*\Z|\s{4,}~+\s*\Z")
# "> said so" quotes; ">= 3" does not. ">>>" of a console counts as pasted, too.
_QUOTED = re.compile(r"\s{0,8}(?:>(?![=>])|>>>\s|>\s*>)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]{1,40})(?:\s[^<>]{0,500})?>")
# What programs wrap their text in. One that begins a line and is never closed goes on to the end.
_PROGRAM_TAG = seldom(
    r"(?i)system|reminder|instruction|context|environment|notification|command-|local-command|stdout|stderr|hook"
    r"|attachment|attached|tool_|tool-|function_|file_|ide_|task-|teammate|pasted|transcript|persisted"
)
_INDENTED = re.compile(r"(?:\t| {2,})[^\s*•-]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PUT_IN = Together()
# What an editor adds to a plan that it hands over, and a patch as agents write it.
_ADDED = _PUT_IN.seldom(
    r"(?s)Implement the plan as specified, it is attached for your reference\.(?:.{0,400}?completed all the to-dos\.)?"
    r"|To-do's from the plan have already been created\.(?:.{0,300}?completed all the to-dos\.)?"
    r"|(?m:^)\*\*\* Begin Patch.*?(?:\*\*\* End Patch|\Z)"
)
# A conversation that somebody pasted: from its first speaker on, nobody can tell who says what.
_FORGED = _PUT_IN.seldom(
    r"(?im)^\s{0,4}(?:\*\*|#+\s*)?(?:human|user|assistant|system|developer|ai)(?:\*\*)?\s?:(?:\*\*)?(?=\s)"
)


#: What is mostly code is no talk.
_MOSTLY = 0.5


@lru_cache(maxsize=2048)  # Every line is looked at several times, by one who reads the session and the next.
def own_spans(text: str, *, quotes: bool = False) -> Spans:
    """The slices of a message that its author wrote, in order. What stands between them was put there."""
    if quotes and (typed := template_parts(text)) is not None:
        return typed
    foreign = [*_foreign(text)]
    if quotes:
        shown = list(_merged((*foreign, *(log.span() for log in LOG_INLINE.finditer(text)), *printed(text))))
        foreign += (*_quoted(text), *shown, *among(text, shown))
    return _without(len(text), _merged(foreign))


def own_share(text: str, start: int, end: int, *, quotes: bool = False) -> float:
    """How much of a slice its author wrote, from 0 to 1, counted in characters that are no white space."""
    whole = _ink(text[start:end])
    spans = own_spans(text, quotes=quotes)
    own = sum(_ink(text[max(a, start) : min(b, end)]) for a, b in spans if a < end and b > start)
    return own / whole if whole else 0.0


def own_text(text: str, *, quotes: bool = False) -> str:
    """What its author wrote, and a blank line where something stood between."""
    return "\n\n".join(text[a:b] for a, b in own_spans(text, quotes=quotes))


@lru_cache(maxsize=512)
def beside_shown(text: str) -> str:
    """What stands beside the texts of others that a message shows. Code and what programs printed stay: whoever pastes
    much of them says less."""
    kept = _without(len(text), _merged(_quoted(text)))
    return "\n\n".join(text[a:b] for a, b in kept).strip()


def shown_spans(text: str) -> Spans:
    """The slices that a message shows of others, in order, without code and what programs printed."""
    return tuple((start, end) for start, end in _merged(_quoted(text)) if own_share(text, start, end) > _MOSTLY)


@lru_cache(maxsize=512)  # Looking for them takes long, and both what is own and what stands beside them is asked for.
def _quoted(text: str) -> Spans:
    return tuple(quoted(text))


def _foreign(text: str) -> Iterator[tuple[int, int]]:
    fences = list(_fences(text))
    yield from fences
    yield from _blocks(text, fences)
    yield from (comment.span() for comment in _COMMENT.finditer(text))
    yield from (added.span() for added in _ADDED.finditer(text))
    if (forged := _FORGED.search(text)) is not None:
        yield forged.start(), len(text)
    is_log, may_be_log = False, has_logs(text)
    for start, line in _lines(text) if may_be_log or ">" in text else ():
        # What a program prints goes on in the lines that are indented below.
        is_log = (may_be_log and LOG.match(line) is not None) or (is_log and _INDENTED.match(line) is not None)
        if is_log or (_QUOTED.match(line) and not _is_agreed(text, start, start + len(line))):
            yield start, start + len(line)


def _is_agreed(text: str, start: int, end: int) -> bool:
    """Whether a line that is marked as another's is a point that the user says yes to."""
    return any(start <= span.start and span.end <= end for span in agreed_spans(text))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Fenced code. A fence that is never closed goes on to the end: better to lose words than to invent a speaker."""
    opened, mark = 0, ""
    for start, line in _lines(text) if "```" in text or "~~~" in text else ():
        if (fence := _FENCE.match(line)) is None or (not mark and _SQUIGGLE.match(line)):
            continue
        if not mark:
            opened, mark = start, fence[1]
        elif fence[1].startswith(mark) and not line[fence.end() :].strip():
            yield opened, start + len(line)
            mark = ""
    if mark:
        yield opened, len(text)


def _blocks(text: str, fences: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Elements such as `<system-reminder>…</system-reminder>`: an element over several lines, or a program's."""
    hidden = list(fences)
    tags = [tag for tag in _TAG.finditer(text) if not any(a <= tag.start() < b for a, b in hidden[:50])]
    closings: dict[str, list[int]] = {}
    for tag in tags:
        if tag[1]:
            closings.setdefault(tag[2], []).append(tag.end())
    done = 0
    for tag in tags:
        if tag[1] or tag.start() < done:
            continue
        ends = closings.get(tag[2], [])
        later = bisect_right(ends, tag.start())
        is_program = _PROGRAM_TAG.search(tag[2]) is not None
        if later < len(ends):
            end = ends[later]
            if is_program or "\n" in text[tag.start() : end]:
                yield tag.start(), end
                done = end
        elif is_program and _begins_a_line(text, tag.start()):
            yield tag.start(), len(text)
            return


def _begins_a_line(text: str, start: int) -> bool:
    return not text[text.rfind("\n", 0, start) + 1 : start].strip()


def _merged(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if last is not None and start <= last[1] + 1:
            last = (last[0], max(last[1], end))
        else:
            if last is not None:
                yield last
            last = (start, end)
    if last is not None:
        yield last


def _without(length: int, holes: Iterable[tuple[int, int]]) -> Spans:
    kept = []
    at = 0
    for start, end in holes:
        if start > at:
            kept.append((at, start))
        at = end
    if at < length:
        kept.append((at, length))
    return tuple(kept)


def _ink(text: str) -> int:
    return len("".join(text.split()))
