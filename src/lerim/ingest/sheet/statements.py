"""A turn of the user's as statements, one by one, and what stands between them that is not theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lerim.ingest.own_words import Spans, own_spans
from lerim.ingest.sheet.page import SheetNote, clip
from lerim.ingest.sheet.wholes import WHOLE, with_wholes
from lerim.ingest.signals.cues import user_cues
from lerim.ingest.signals.text import blocks
from lerim.ingest.signals.turns import Turn
from lerim.ingest.signals.units import ANSWER, PLAN, Unit, UnitRole, is_pasted
from lerim.ingest.templates import template_parts
from lerim.sources.trace import Via
from lerim.text.sentences import TextSpan, joined_spans, trimmed

#: Words and characters of one statement. Longer paragraphs are cut between sentences.
_WORDS, _CHARS = 45, 500
#: A shorter item of a list says little by itself.
_SHORT_WORDS = 12
#: Of one message so many characters are shown; of a longer one what tells most.
_MESSAGE = 6_000
#: How much of what is not the user's is shown, so that a reader knows what it was.
_SHOWN = 110
_SHORTEST_PASTE = 12
#: Of a text that the user takes up its rulings are shown, each so far and all of them so far.
_RULING_CHARS, _RULINGS = 300, 1_500
# The user makes a text theirs: it is to be done, or they agree with it.
_TAKES_UP = re.compile(
    r"(?i)\b(?:implement|apply|follow|adopt|incorporate|address|make the following|do (?:this|that|the following|as)"
    r"|go with (?:this|that|it)|(?:i|we) (?:fully |totally )?(?:agree|accept|approve)|agreed|approved"
    r"|we (?:have )?decided"
    r"|(?:our|my|the) (?:final )?(?:decisions?|plan|spec(?:ification)?|requirements|constraints|rules)"
    r"|(?:use|take) (?:this|these|the following|it) (?:as|for)|i (?:am )?giv(?:e|ing) you"
    r"|based on (?:this|these|the following)"
    r"|align(?:ed)? (?:it |them )?with (?:this|these|the following)|must match|correct(?:ed|ions?)?\b)"
)
_RULING = re.compile(
    r"(?i)\b(?:decisions?|decided|must(?:n['’]t)?|never|always|shall|only|constraints?|rationale|required?"
    r"|not allowed|forbidden|do not|don['’]t|instead of|owns?|keep|stays?|remains?|no longer|out of scope"
    r"|non-goals?|by default)\b"
)
_TELLING = re.compile(
    r"context|goal|why|overview|problem|background|summary|decision|motivation|constraint|non-goal|approach|design"
    r"|principle|requirement|rationale|rule|must|convention|stack|security|scope|standard|polic",
    re.I,
)
_WEIGHTY = frozenset(
    {"rule", "prohibit", "instead", "reason", "standing", "decide", "should", "want", "remember", "absolute"}
)
_STEPS = re.compile(r"\b\w+\.\w{1,4}:\d+|^\s*(?:- \[.\]|\d+\.\d+)|\b(?:line|lines|step) \d+", re.I)
_LETTERS = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class UserStatement:
    """A unit of the user's and how it came: a choice, an answer, a rejection, a plan, or nothing in particular."""

    unit: Unit
    manner: str = ""


def of_turn(turn: Turn, earlier: str) -> list[UserStatement | SheetNote]:
    """What the user said in a turn, in order, between notes on what is not theirs. `earlier` is what the agent said."""
    found = list(_parts(turn, earlier))
    statements = [one for one in found if isinstance(one, UserStatement)]
    left_out = _too_many(statements)
    places = {id(one): place for place, one in enumerate(statements)}
    kept = [
        replace(one, unit=replace(one.unit, place=places[id(one)], siblings=len(statements)))
        if isinstance(one, UserStatement)
        else one
        for one in found
        if not (isinstance(one, UserStatement) and id(one) in left_out)
    ]
    if left_out:
        size = sum(len(one.unit.text) for one in statements if id(one) in left_out)
        kept.append(SheetNote(turn.message.number, f"{size:,} more characters of this message are left out"))
    return kept


def _parts(turn: Turn, earlier: str) -> Iterator[UserStatement | SheetNote]:
    text = turn.text
    if turn.via is Via.ANSWER and (pairs := list(ANSWER.finditer(text))):
        for pair in pairs:
            span = trimmed(text, pair.start(), pair.end())
            if span is not None and pair["answer"].strip():
                question = pair["question"].strip()
                yield UserStatement(Unit(UnitRole.ANSWER, turn, turn.message, span, question=question), "answer")
        return
    is_plan = turn.via is Via.PLAN or PLAN.match(text) is not None
    own = ((0, len(text)),) if turn.via is Via.PLAN else own_spans(text, quotes=True)
    what = "template" if template_parts(text) is not None and not is_plan else "pasted"
    role = UnitRole.PLAN if is_plan else UnitRole.WORDS
    spans = list(_joined(text, own))
    is_taken_up = what == "pasted" and any(_TAKES_UP.search(text, start, end) for start, end in spans)
    at = 0
    for start, end in (*spans, (len(text), len(text))):
        yield from _foreign(turn, at, start, what)
        if is_taken_up:
            yield from _rulings(turn, at, start)
        yield from _said(turn, start, end, earlier, role)
        at = end


def _joined(text: str, own: Spans) -> Iterator[tuple[int, int]]:
    """The slices somebody wrote; a saying within one of their lines does not part it."""
    last: tuple[int, int] | None = None
    for start, end in own:
        if last is not None and "\n" not in text[last[1] : start] and start - last[1] < last[1] - last[0] + end - start:
            last = last[0], end
        else:
            if last is not None:
                yield last
            last = start, end
    if last is not None:
        yield last


def _foreign(turn: Turn, start: int, end: int, what: str) -> Iterator[SheetNote]:
    shown = turn.text[start:end].strip()
    if len(shown) >= _SHORTEST_PASTE:
        yield SheetNote(turn.message.number, f"{what}, {len(shown):,} characters: {clip(shown, _SHOWN)}")


def _rulings(turn: Turn, start: int, end: int) -> Iterator[SheetNote]:
    """What a text that the user takes up rules, line by line: what was decided, and what has to be or must not be."""
    room = _RULINGS
    for block in blocks(turn.text[start:end]) if end - start > _SHOWN else ():
        said = block.span.of(turn.text[start:end])
        if block.kind not in {"paragraph", "item"} or is_pasted(said, "") or not _RULING.search(said):
            continue
        room -= min(len(said), _RULING_CHARS)
        if room < 0:
            return
        yield SheetNote(turn.message.number, f"pasted and taken up: {clip(said, _RULING_CHARS)}")


def _said(turn: Turn, start: int, end: int, earlier: str, role: UnitRole) -> Iterator[UserStatement | SheetNote]:
    text = turn.text
    manner = "plan" if role is UnitRole.PLAN else _MANNERS.get(turn.via, "")
    for part, mark in _gathered(text, start, end):
        said = part.of(text)
        if role is not UnitRole.PLAN and _LETTERS.search(said) and is_pasted(said, earlier):
            yield SheetNote(turn.message.number, f"pasted: {clip(said, _SHOWN)}")
        elif any(map(str.isalnum, said)):
            unit = Unit(role, turn, turn.message, part, mark)
            yield UserStatement(unit, manner or (_UNSURE if unit.is_perhaps_anothers else ""))


def _gathered(text: str, start: int, end: int) -> Iterator[tuple[TextSpan, str]]:
    """The statements of a slice with their marks. Short items of a list stay together, a label with what follows; a
    table or some code is one."""
    last: tuple[TextSpan, str, str] | None = None
    for block in with_wholes(text[start:end]):
        whole = TextSpan(start + block.span.start, start + block.span.end)
        is_whole = block.kind in WHOLE
        for span in (whole,) if is_whole else _grouped(text, whole.start, whole.end):
            if last is not None and not block.mark and not is_whole and _belongs(text, last, span, block.kind):
                last = TextSpan(last[0].start, span.end), last[1], last[2]
                continue
            if last is not None:
                yield last[0], last[1]
            last = span, block.mark, block.kind
    if last is not None:
        yield last[0], last[1]


def _belongs(text: str, last: tuple[TextSpan, str, str], span: TextSpan, kind: str) -> bool:
    before, mark, kind_before = last
    if kind_before in WHOLE:
        return False
    whole = text[before.start : span.end]
    if len(whole.split()) > _WORDS or len(whole) > _CHARS or len(span.of(text).split()) > _SHORT_WORDS:
        return False
    is_label = kind_before == "heading" or before.of(text).rstrip("* ").endswith(":")
    return is_label or (kind == kind_before == "item" and not mark)


#: What stands behind a name, or below a letter that is shown.
_UNSURE = "perhaps another's words"
_MANNERS = {Via.REJECTION: "rejects the call", Via.QUEUED: "while the agent worked", Via.COMMAND: "to a command"}


def _grouped(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """The sentences of a slice, joined as long as they are a statement's length."""

    def is_new(current: TextSpan, span: TextSpan) -> bool:
        return len(text[current.start : span.end].split()) > _WORDS or span.end - current.start > _CHARS

    return joined_spans(text, start, end, is_new)


def _too_many(statements: list[UserStatement]) -> frozenset[int]:
    """The statements of a long document that tell least, beyond what there is room for."""
    room = _MESSAGE
    if sum(len(one.unit.text) for one in statements) <= room:
        return frozenset()
    section, weights = "", []
    for place, one in enumerate(statements):
        text = one.unit.text
        is_heading = one.unit.message.text[: one.unit.span.start].endswith("# ")
        section = text if is_heading else section
        weight = len(user_cues(text) & _WEIGHTY) + 1.5 * bool(_TELLING.search(section)) + is_heading
        weights.append((-(weight - 1.5 * bool(_STEPS.search(text)) - place / len(statements)), place))
    left_out: set[int] = set()
    for _, place in sorted(weights):
        room -= len(statements[place].unit.text)
        if room < 0:
            left_out.add(id(statements[place]))
    return frozenset(left_out)
