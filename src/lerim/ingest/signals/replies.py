"""What a reply answers, and what the agent made of it: "A please" is the option it names, "yes" what was proposed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from unicodedata import normalize

from lerim.glance import seldom
from lerim.ingest.listed_points import listed_points
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, agent_cues, user_says
from lerim.ingest.signals.teaching import is_teaching
from lerim.ingest.signals.text import TextBlock, blocks
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.turns import Turn, Utterance
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.text.sentences import TextSpan, sentence_spans
from lerim.text.words import words

_MARKED = re.compile(
    r"[#*_ >\[]{0,8}"
    r"(?:option|opt|q|question|issue|approach|alternative|task|finding|gap|item|point|choice|variant)?[ #*]{0,4}"
    r"(?P<mark>\d{1,2}|[A-Ha-h])(?:[.):*\]]| ?[—–-] |\*\*| \()",
    re.I,
)
# A row of a table of options: "| B | Ask the user |".
_ROW = re.compile(r"\|[ *`]{0,4}(?:option |opt )?(?P<mark>\d{1,2}|[A-H])[.):*` ]{0,4}\|(?= *[^\s|-])", re.I)
_RANGE = re.compile(r"\b(\d{1,2}) ?(?:-|–|to|through) ?(\d{1,2})\b")
_NAMED = re.compile(
    r"(?:\b(?:option|opt|approach|alternative|choice|variant|number|no|q|question|item|point)\.? ?"
    r"|#)(\d{1,2}|[a-h])\b",
    re.I,
)
_ALONE = re.compile(
    r"^\W*(?:(?:yes|yep|ok|okay|sure|let'?s|lets|go|do|with|for|i(?:'d)? (?:like|prefer|vote|pick"
    r"|choose)|use|pick|take|maybe|agree|approved?)[ ,:]+)*(\d{1,2}[a-h]?|[a-h])(?:\b(?!['’])|\))(?:[ ,]*(?:and|&|\+"
    r"|,)[ ,]*(\d{1,2}[a-h]?|[b-h]|a(?! (?!and\b|or\b|but\b|please\b|pls\b|then\b)\w))\b"
    r"(?! (?:as|bit|few|lot|new)\b))*",
    re.I,
)
#: Who begins so has chosen, however much they have to say to it.
_LED_BY_CHOICE = re.compile(r"\W*(?:(?:ok|yes|then)[ ,]+)?(?:(?P<mark>[b-h])(?: but\b|, |\. (?!g\.)))", re.I)
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "former": "1", "last": "-1", "latter": "-1"}
_ORDINAL = re.compile(r"\bthe (first|second|third|fourth|former|last|latter)\b(?: one| option| approach)?", re.I)
_EXCEPT = re.compile(
    r"\b(?:all|everything|all of (?:them|it))\b.{0,12}\b(?:but|except"
    r"|apart from)\b ?(?:for )?#?(\d{1,2}|[a-h])\b(?=\W*(?:$|[,.;:!)(–—-]|(?:and|but|please|pls|then|because|for|is"
    r"|are|now)\b))",
    re.I,
)
_ALL = re.compile(r"\b(?:all of (?:them|it|the above)|do (?:them )?all|all (?:three|four|five|\d))\b", re.I)
#: Both of what was offered, not "both worktree tests".
_BOTH = re.compile(
    r"\bboth\b(?=\W*$|\s*[.,;:!?)]"
    r"|\s+(?:please|of (?:them|these|those|the)|options?|approaches|ways|are|look|sound|work)\b)",
    re.I,
)
#: An option by its place in the list.
BY_PLACE = rf"(?:the |(?=\w+ (?:one|option|way)\b))(?P<place>{'|'.join(_ORDINALS)})(?: one| option| approach| way)?"
#: Who goes on so has chosen: "b but with retries".
_AFTER_A_LETTER_WORDS = "please sounds is looks but and with without then because since for though it"
_AFTER_A_LETTER = frozenset(_AFTER_A_LETTER_WORDS.split())
#: Who begins so has chosen, however much follows.
_BEGINS_ORDINAL = re.compile(
    r"\W*(?:(?:ok(?:ay)?|yes|yep|sure|i(?:'d| would)? (?:take|go with|prefer)|let'?s (?:go with|do|take)|go with|take)"
    rf"[, ]+)*{BY_PLACE}(?=\W*(?:$|[.,;:!–—-]|\b(?:but|with|and|please|pls|then|because|since)\b))",
    re.I,
)
#: Options counted within a line: "either a) keep the table, or b) split it".
_COUNTED_INLINE = re.compile(
    r"(?:^|(?<=[\s:]))\(?(?P<mark>[a-e]|[1-5])\)\s+(?P<text>.{2,240}?)"
    r"(?=[,;.]?\s+(?:(?:or|and)\s+)?\(?(?:[a-e]|[1-5])\)\s|[?\n]|[.;]\s|[.;]?$)",
    re.M,
)
_OFFERS = (
    r"(?:(?:i|we) (?:can|could|might) (?:either )?|either |(?:should|shall) (?:i|we) (?:either )?"
    r"|(?:do|would) you (?:want|like|prefer)(?: me| us)? to )"
)
#: Two ways in prose: "I can keep the table, or split it by year". Of three, nobody knows how they are counted.
_TWO_WAYS = re.compile(
    rf"\b{_OFFERS}(?P<first>[^,?.;:\n]{{6,160}}?)(?:,|[.;?]|\s[–—-])?\s+(?:or|alternatively,?)\s+(?:{_OFFERS})?"
    r"(?P<second>[^?.;:\n]{6,160}?)(?=[?.;:\n]|$)",
    re.I,
)
#: The mark of the first option, and how a question begins whose options end it: "Which runtime: 1) …, or 2) …?".
_COUNT = re.compile(r"(?:^|[\s(*])[a1][.)]\**\s*$", re.I)
_WH = re.compile(
    r"(?:which|what|where|when|how|who|should|shall|do you|would you|welche\w*|wo|wohin|wann|wie|wer|soll\w*|quel\w*|où"
    r"|quand|comment|qué|cuál|dónde|cuándo|cómo|quale|dove|come|qual|onde|welk\w*|waar|hoe)\b",
    re.I,
)
_MAX_ITEMS = 4
_SAID = 400
#: "Done. The limit is 20 now": what it is, not that it is done.
_LEADS_IN = seldom(r"\s*(?:done|ok(?:ay)?|great|perfect|good|sure|fine)[.!]+\s+(?=\S)", re.I)
_FEW_TOPICS = 3
#: An image is no item: "[Image #1] is the old screen".
_IMAGE = re.compile(r"\[(?:image|pasted|file|screenshot)[^\]]{0,80}\]", re.I)


class ReplyMatch(StrEnum):
    """How a reply was matched with what it answers."""

    ITEM = "item"  # by its number or letter
    QUESTION = "question"  # a question put through a tool
    SAME_WORDS = "same words"
    ASKED = "asked"  # the last question or recommendation
    NOTHING = "nothing"


@dataclass(frozen=True)
class Passage:
    """Some of the agent's words, verbatim, and their line."""

    message: Utterance
    span: TextSpan

    @cached_property
    def text(self) -> str:
        return self.span.of(self.message.text)

    @property
    def number(self) -> int:
        return self.message.number


@dataclass(frozen=True, slots=True)
class Answered:
    """What a unit answers, and how much the two have in common."""

    how: ReplyMatch
    passages: tuple[Passage, ...] = ()
    overlap: float = 0.0
    #: Whether it is a point of somebody else's that the user shows.
    is_shown: bool = False

    @property
    def text(self) -> str:
        return " ".join(passage.text for passage in self.passages)


def answered(unit: Unit, vocabulary: Vocabulary) -> Answered:
    """The proposal, question or numbered item a user's unit answers; nothing when the agent said nothing before."""
    if unit.sort is UnitRole.ANSWER:
        return Answered(ReplyMatch.QUESTION)
    turn = unit.turn
    if (refused := _refused_point(unit)) is not None:
        return Answered(ReplyMatch.ITEM, (refused,), 1.0, is_shown=True)
    if turn is None or not turn.before or unit.sort in {UnitRole.PLAN, UnitRole.DOCUMENT}:
        return Answered(ReplyMatch.NOTHING)
    about = vocabulary.about(unit.text)
    items = _named_items(unit, turn)
    if items and not _is_of_another_list(unit, items, about, vocabulary):
        return Answered(ReplyMatch.ITEM, tuple(items[:_MAX_ITEMS]), 1.0)
    best = _best(turn.before[-3:], about, vocabulary)
    is_short = len(about) < 4 or user_says("agree", unit.text.lower())
    if best is not None and (best[0] >= 0.34 or not is_short) and best[0] > 0.12:
        return Answered(ReplyMatch.SAME_WORDS, (best[1],), best[0])
    if (asked := _asked(turn.before[-1])) is not None:
        return Answered(ReplyMatch.ASKED, (asked,), best[0] if best else 0.0)
    return Answered(ReplyMatch.NOTHING)


def confirmed(unit: Unit, proposal: Answered, vocabulary: Vocabulary) -> Passage | None:
    """Where the agent takes the user's words up: the sentences after it that say most of the same."""
    if unit.turn is None or not unit.turn.after:
        return None
    # "No wait, legal says 30" speaks of what was said right before it.
    said = unit.message.text[: unit.span.end][-_SAID:] if PUTS_RIGHT_AT_ONCE.match(unit.text) else unit.text
    about = vocabulary.about(f"{said} {unit.question} {proposal.text[:400]}")
    after = unit.turn.after
    # Who answers item by item is taken up item by item.
    mark = unit.mark if proposal.how is ReplyMatch.ITEM else ""
    best: tuple[float, Passage] | None = None
    for order, message in enumerate((*after[:2], *after[2:][-2:])):
        for passage in passages(message):
            if mark and _mark_above(passage) not in {"", mark}:
                continue
            text = passage.text
            score = vocabulary.shared(about, vocabulary.about(text)) * (1.1 if order == 0 else 1.0)
            # At most half as much again is to be had below; looking for cues is what takes time.
            if score * 1.5 <= max(1.5, best[0] if best else 0.0):
                continue
            score *= _telling(text)
            if score > 1.5 and (best is None or score > best[0]):
                best = score, passage
    return best[1] if best else None


def _mark_above(passage: Passage) -> str:
    """The mark of the item that a passage belongs to; nothing where none stands above it."""
    begun = [mark for start, mark in _marked(passage.message) if start <= passage.span.start]
    return begun[-1] if begun else ""


@lru_cache(maxsize=64)
def _marked(message: Utterance) -> tuple[tuple[int, str], ...]:
    """Where each counted block of a message begins, and its mark."""
    listed = (block for block in blocks(message.text) if block.kind != "code")
    return tuple((block.span.start, mark) for block in listed if (mark := _mark_of(block, message.text)))


@lru_cache(maxsize=4096)  # Each statement of a message is held against what was answered.
def _telling(text: str) -> float:
    """How well a passage tells what came of it."""
    text = _LEADS_IN.sub("", text, count=1)
    cues = agent_cues(text)
    worth = (0.4 if cues & {"narrate", "offer"} else 1.0) * (1.2 if "**" in text else 1.0)
    worth *= 1.15 if cues & {"decided", "because", "ack", "limit"} else 1.0
    worth *= 0.6 if text.startswith("|") else 1.0
    return worth * (0.5 if text.rstrip().endswith(":") or len(words(text)) < 6 else 1.0)


@lru_cache(maxsize=64)
def passages(message: Utterance, limit: int = 58) -> tuple[Passage, ...]:
    """The agent's message as passages: sentences together as long as they fit."""
    return tuple(_passages(message, limit))


def _passages(message: Utterance, limit: int) -> Iterator[Passage]:
    for block in blocks(message.text):
        if block.kind == "code" or is_teaching(message.text, block.span.start):
            continue
        current: TextSpan | None = None
        for span in sentence_spans(message.text, block.span.start, block.span.end):
            if current is not None and len(message.text[current.start : span.end].split()) <= limit:
                current = TextSpan(current.start, span.end)
            else:
                if current is not None:
                    yield Passage(message, current)
                current = span
        if current is not None:
            yield Passage(message, current)


# --- by number or letter -------------------------------------------------------------------------------------------


def _refused_point(unit: Unit) -> Passage | None:
    """The point of another's that the user shows in the same message, and says no to in the unit."""
    points = listed_points(unit.message.text) if unit.mark and unit.sort is UnitRole.WORDS else None
    if points is None or unit.span.start < points.end:
        return None
    span = points.refused_at(unit.mark)
    return None if span is None else Passage(unit.message, span)


def _named_items(unit: Unit, turn: Turn) -> list[Passage]:
    # Who asks something about the options first has not chosen yet.
    for message in (*reversed(turn.before[-4:]), *reversed(turn.asked_about[-2:])):
        items = _items(message)
        if len(items) < 2:
            found = _way_named(unit, message)
        else:
            found = [items[mark] for mark in _marks(unit, list(items)) if mark in items]
        if found:
            return found
    return []


def _way_named(unit: Unit, message: Utterance) -> list[Passage]:
    """Of two ways that the agent offered in prose, the one that a reply names by its place."""
    if (ordinal := _BEGINS_ORDINAL.match(unit.text.strip())) is None:
        return []
    ways = list(_TWO_WAYS.finditer(message.text))
    if len(ways) != 1 or not (named := _by_place(ordinal["place"].lower(), ["first", "second"])):
        return []
    return [Passage(message, TextSpan(*ways[0].span(named[0])))]


def _is_of_another_list(unit: Unit, items: list[Passage], about: frozenset[str], vocabulary: Vocabulary) -> bool:
    """Whether a counted line only has the number of an item: who answers one says little, or speaks of the same."""
    is_question = any(item.text.rstrip().endswith("?") for item in items)
    if not unit.mark or unit.is_lone_item or is_question or len(about) <= _FEW_TOPICS:
        return False
    return not any(about & vocabulary.about(item.text) for item in items)


def options(message: Utterance) -> tuple[Passage, ...]:
    """The numbered or lettered items of a message, in order: what a reply can choose from."""
    return tuple(sorted(_items(message).values(), key=lambda passage: passage.span.start))


def asked_above(message: Utterance) -> str:
    """The question that stands right above the options of a message, with its mark; an empty text where none does."""
    offered = options(message)
    above = _COUNT.sub("", message.text[: offered[0].span.start]).rstrip(" \n*") if offered else ""
    if not above.endswith(("?", ":")):
        return ""
    *_, last = sentence_spans(above)
    question = last.of(above).rpartition("\n")[2].strip(" *_#")
    if question.endswith("?"):
        return question
    is_asked = _WH.match(question) is not None and message.text.rstrip().endswith("?")
    return f"{question.rstrip(':')}?" if is_asked else ""


@lru_cache(maxsize=64)
def _items(message: Utterance) -> dict[str, Passage]:
    """The numbered or lettered items of a message by their mark; the last list wins."""
    found: dict[str, Passage] = {}
    listed = blocks(message.text)
    for block, following in zip(listed, [*listed[1:], None], strict=False):
        if block.kind != "code" and (mark := _mark_of(block, message.text)):
            end = following.span.end if block.kind == "heading" and following is not None else block.span.end
            span = TextSpan(block.span.start, min(end, block.span.start + 400))
            found[mark] = Passage(message, _without_the_question(message.text, span))
    return found if len(found) > 1 else _counted_inline(message) or found


def _without_the_question(text: str, span: TextSpan) -> TextSpan:
    """An item without the line below it that asks to choose."""
    lines = span.of(text).rstrip().split("\n")
    is_asked_below = len(lines) > 1 and lines[-1].rstrip("* ").endswith("?") and not lines[-1][:1].isspace()
    return TextSpan(span.start, span.start + len("\n".join(lines[:-1]).rstrip())) if is_asked_below else span


def _counted_inline(message: Utterance) -> dict[str, Passage]:
    """Options that are counted within a line, from the first on."""
    found = {one["mark"]: one for one in _COUNTED_INLINE.finditer(message.text)}
    is_counted = any("".join(found) == marks[: len(found)] for marks in ("abcde", "12345"))
    if len(found) < 2 or not is_counted:
        return {}
    return {mark: Passage(message, TextSpan(*one.span("text"))) for mark, one in found.items()}


def is_option(text: str, block: TextBlock) -> bool:
    """Whether a block is counted, so that a reply can name it."""
    return bool(_mark_of(block, text))


def _mark_of(block: TextBlock, text: str) -> str:
    if block.mark:
        return block.mark
    matched = (_ROW if block.kind == "table" else _MARKED).match(block.span.of(text))
    return matched["mark"].lower() if matched else ""


def _marks(unit: Unit, known: list[str]) -> list[str]:
    """The marks a unit names, in order."""
    text = normalize("NFKC", _IMAGE.sub("", unit.text)).strip()  # "２" is typed where such letters are at hand.
    if unit.mark and unit.siblings > 2 * len(known):
        return []  # Somebody counts what they have to say themselves.
    if unit.mark and unit.mark in known:
        return [unit.mark]
    if (ordinal := _BEGINS_ORDINAL.match(text)) is not None:
        return _by_place(ordinal["place"].lower(), known)
    if len(words(text)) > 30:
        named = [match.group(1).lower() for match in _NAMED.finditer(text)][:1]
        led = _LED_BY_CHOICE.match(text)
        return named or ([led["mark"].lower()] if led is not None else [])
    if excepted := _EXCEPT.search(text):
        return [mark for mark in known if mark != excepted.group(1).lower()]
    if _ALL.search(text) or (len(known) == 2 and _BOTH.search(text)):
        return known
    if (between := _RANGE.search(text)) and int(between.group(1)) < int(between.group(2)) < 20:
        return [str(number) for number in range(int(between.group(1)), int(between.group(2)) + 1)]
    named = [match.group(1).lower() for match in _NAMED.finditer(text)]
    if not named and (alone := _ALONE.match(text)) and _is_choice(alone, text):
        named = [_known(mark.lower(), known) for mark in re.findall(r"\b(?:\d{1,2}[a-h]?|[a-hA-H])\b", alone.group())]
    if not named and (ordinal := _ORDINAL.search(text.lower())) and len(words(text)) < 12:
        named = _by_place(ordinal.group(1), known)
    return named


def _known(mark: str, known: list[str]) -> str:
    """The item that a mark names: "4a" is a part of the fourth."""
    return mark if mark in known else mark.rstrip("abcdefgh") or mark


def _by_place(ordinal: str, known: list[str]) -> list[str]:
    """The mark of an item by its place: options may be counted in letters."""
    place = int(_ORDINALS[ordinal])
    at = place if place < 0 else place - 1
    return [known[at]] if at < len(known) else []


def _is_choice(match: re.Match[str], text: str) -> bool:
    """Whether a letter or number is a choice: "A please", "2", not "a few more"."""
    mark, rest = match.group(1), text[match.end() :].strip().lower()
    if mark == "a" or (mark.lower() == "a" and not mark.isupper()):
        return not rest or bool(re.match(r"[).:,]|(?:please|is|sounds|it is|looks|but|then)\b", rest))
    if mark.isdigit():
        return not re.match(r"(?:[.:]\d|%|k\b|min|sec|hour|day|px|mb|gb|ms|x\b|of\b|files?|tests?|more|times?)", rest)
    return not rest or not rest[0].isalpha() or mark.isupper() or rest.split()[0].rstrip(",.") in _AFTER_A_LETTER


# --- by words ------------------------------------------------------------------------------------------------------


def _best(before: Iterable[Utterance], about: frozenset[str], vocabulary: Vocabulary) -> tuple[float, Passage] | None:
    """The passage that shares most with what the unit speaks of. Later messages come first when equal."""
    best: tuple[float, Passage] | None = None
    for age, message in enumerate(reversed(list(before))):
        for passage in passages(message):
            score = vocabulary.overlap(about, vocabulary.about(passage.text)) * (0.9**age)
            if best is None or score > best[0]:
                best = score, passage
    return best


@lru_cache(maxsize=64)
def _asked(message: Utterance) -> Passage | None:
    """The message's last question or recommendation that says something, else its last passage that does."""
    found = [passage for passage in passages(message) if len(words(passage.text)) > 3]
    telling = [passage for passage in found if len({*words(passage.text)}) > 6]
    for passage in reversed(telling[-6:]):
        if "?" in passage.text or agent_cues(passage.text) & {"recommend", "offer"}:
            return passage
    return telling[-1] if telling else found[-1] if found else None
