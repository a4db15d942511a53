"""In which order what was found is told: the last word first, and what was said before it as history. Pure."""

from __future__ import annotations

from collections.abc import Sequence, Set

from lerim.answer.focus import Asked
from lerim.answer.force import Force, befell, force_of
from lerim.answer.kindred import is_meant
from lerim.answer.passages import passages, settles
from lerim.answer.points import Point, point_of
from lerim.answer.retrieval import CitedRecord
from lerim.answer.support import ParsedQuestion
from lerim.answer.tongues import is_same_word
from lerim.answer.words import SMALL
from lerim.context.records import Record, Trust
from lerim.context.standing import ruled
from lerim.dataclass import dataclass, replace
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms
from lerim.text.bearing import Bearing, judge
from lerim.text.statements import Statement, statement

#: What of a question stands in a sentence that tells a later value, and how much of it says that it is of the same.
_HALF, _MOST = 0.5, 0.65
#: What says that it was otherwise before.
_NEWS = compile_later(
    r"(?i)\b(?:now|from (?:now|today) on|no longer|any ?more|instead of|rather than|back to|down to|up to|again)\b"
    r"|\b(?:changed|raised|lowered|switched|moved|bumped) (?:\w+ ){0,4}?to\b"
)
_FIGURE = compile_later(r"(?<![\w.-])\d[\d.,]*(?:e[-+]?\d+)?[ -]?([a-zA-Z%°€$£]*)")
#: "Less than 4" gives up nothing, nor does "rather than the default".
_MEASURES = frozenset(["less", "more", "fewer", "default"])
#: Who says so leaves the rule as it is.
_EXCEPTION = compile_later(
    r"(?i)\b(?:exceptions?|except(?:ing)?|exempt\w*|ausnahmen?|ausgenommen|ausser|außer|sauf|hormis|excepci\w+|excepto)\b"
)
_OF_ALL = compile_later(
    r"(?i)\b(?:all|always|any|every\w*|each|alle[sn]?|immer|jede[rsnm]?|toujours|tou(?:s|tes)|siempre|tod[oa]s)\b"
)
_TIME = compile_later(r"(?:m?s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|years?)")
_MONEY = compile_later(r"€|\$|£|euros?|eur|cents?|dollars?|usd|pounds?|gbp|francs?|franken|chf")


@dataclass(frozen=True)
class PointToTell:
    """A record to tell of, with its point."""

    item: CitedRecord
    point: Point
    #: Another record that was said later and says otherwise, while nobody has decided which holds.
    rival: Record | None = None
    #: What sessions told of the same matter before this, latest first; or after it, where the past is asked for.
    others: tuple[PointToTell, ...] = ()
    #: What was said last of the same, by a sentence that would be no answer alone.
    later: PointToTell | None = None

    @property
    def record(self) -> Record:
        return self.item.kept.record


def in_order(
    question: ParsedQuestion, items: Sequence[CitedRecord], beside: Sequence[CitedRecord] = ()
) -> list[PointToTell]:
    """What to tell, first what answers: what was ruled before what was wanted, the last word before the first. What was
    found `beside` it is told where it gives another value later."""
    told = [PointToTell(item, point_of(question, item.kept.record)) for item in items]
    told = [replace(one, rival=_rival(question, one, told)) for one in told]
    told = _with_history(question, _last_word_first(_ruled_first(question, told)))
    return [_with_later(question, one, told, beside) if one is told[0] else one for one in told]


def _with_later(
    question: ParsedQuestion, one: PointToTell, told: Sequence[PointToTell], beside: Sequence[CitedRecord]
) -> PointToTell:
    """What answers first, with the last value or person that was said since beside half of what is asked: in front,
    when it says that it is so now."""
    if question.is_of_past or not _has_sort(question, one.point.text):
        return one
    last = max(other.record.last_said for other in told)
    kept = [item.kept.record for item in beside if not item.is_history]
    since = [
        item
        for item in beside
        if item.kept.record.last_said > last
        and item.kept.record.holds
        and not any(same_session(item.kept.record, other.record) for other in told)
        # What was kept of a session counts for more than what it is summed up with.
        and not (item.is_history and any(same_session(item.kept.record, other) for other in kept))
    ]
    found = ((item, text) for item in since if (text := _value_in(question, item.kept.record, one.point.text)))
    best = max(found, key=lambda pair: pair[0].kept.record.last_said, default=None)
    if best is None:
        return one
    later = PointToTell(best[0], Point(best[1]))
    is_otherwise = judge(statement(best[1], ""), statement(one.point.text, "")).bearing.replaces
    if one.item.is_history and (is_otherwise or _NEWS.search(best[1]) is not None):
        return replace(later, others=(one, *one.others))
    return replace(one, later=later)


def _has_sort(question: ParsedQuestion, text: str) -> bool:
    """Whether a text has the value or the person that is asked for."""
    is_person = question.focus.asked is Asked.PERSON and question.focus.shows_in_all(text, question.said)
    return is_person or question.gives_value(text)


def _value_in(question: ParsedQuestion, record: Record, told: str) -> str | None:
    """The sentence of a record that gives another value of what is asked than was told, and half of its words."""
    needed = [term for term in question.terms if term not in question.measured] or question.terms
    known, said = frozenset(_figures(told)), set(terms(told))
    for passage in passages(record):
        text, words = passage.saying.text, set(terms(passage.saying.text))
        share = sum(is_meant(term, words) for term in needed) / len(needed)
        if share < _HALF or words.isdisjoint(needed) or not _has_sort(question, text) or not settles(question, text):
            continue
        is_person = question.focus.asked is Asked.PERSON
        if share < _MOST and not is_person and not is_of_same(text, told):
            continue
        if befell(text) and not befell(told):
            continue
        if is_person:
            return text if not words <= said else None
        if _is_otherwise(text, known) and may_be_of_one(text, told):
            return text
    return None


def _ruled_first(question: ParsedQuestion, told: Sequence[PointToTell]) -> list[PointToTell]:
    """What only was wanted, complained of or asked comes behind what was ruled or told."""
    if question.focus.asked in (Asked.REASON, Asked.EFFECT):
        return list(told)
    return sorted(
        told,
        key=lambda one: (
            one.item.is_history and (force_of(one.point.text) < Force.TOLD or befell(one.point.text)),
            question.gives_value(one.point.text) and not set(question.terms) <= set(terms(one.point.text)),
        ),
    )


def _last_word_first(told: Sequence[PointToTell]) -> list[PointToTell]:
    """What was said later and says otherwise is told first."""
    ordered = list(told)
    for one in told:
        if one.rival is None:
            continue
        later = next(other for other in told if other.record is one.rival)
        at = [other.record.id for other in ordered]
        if at.index(later.record.id) > at.index(one.record.id):
            ordered.insert(at.index(one.record.id), ordered.pop(at.index(later.record.id)))
    return ordered


def _with_history(question: ParsedQuestion, told: Sequence[PointToTell]) -> list[PointToTell]:
    """Of what sessions told of one matter, the last word with what was said before; or the first with what came after
    it, where that is asked for."""
    kept: list[PointToTell] = []
    for one in sorted(told, key=lambda one: one.record.last_said.at, reverse=not question.is_of_past):
        at = next((at for at, other in enumerate(kept) if _is_of_one_matter(question, other, one)), None)
        if at is None:
            kept.append(one)
        else:
            kept[at] = replace(kept[at], others=(*kept[at].others, one))
    places = [one.record.id for one in told]

    def place(one: PointToTell) -> int:
        return min(places.index(other.record.id) for other in (one, *one.others))

    return sorted(kept, key=place)


def _is_of_one_matter(question: ParsedQuestion, one: PointToTell, other: PointToTell) -> bool:
    """Whether two tell the same thing otherwise, and one of them only tells what a session did or both are asked as
    history."""
    if same_session(one.record, other.record) or not (
        one.item.is_history or other.item.is_history or question.is_of_past
    ):
        return False
    earlier, later = sorted((one, other), key=lambda one: one.record.last_said.at)
    return later.record.last_said.at > earlier.record.last_said.at and _overrules(question, later, earlier)


def same_session(one: Record, other: Record) -> bool:
    """Whether one sums up the session that the other was said in: then it tells the same, and nothing before it."""
    said = {piece.run_id for record in (one, other) for piece in record.evidence}
    return bool(said & {record.run_id for record in (one, other) if record.run_id is not None})


def _overrules(question: ParsedQuestion, later: PointToTell, earlier: PointToTell) -> bool:
    new, old = statement(later.point.text, ""), statement(earlier.point.text, "")
    return not stands_beside(new, old) and (
        _has_other_value(question, later.point.text, earlier.point.text)
        or judge(new, old).replaces
        or gives_up(new, old)
    )


def gives_up(later: Statement, earlier: Statement) -> bool:
    """Whether a statement gives up what another names."""
    ended = [one for one in later.given_up if not one.is_aside and not one.is_place]
    gone = frozenset(word for one in ended for word in one.thing)
    return bool(gone - _MEASURES) and gone <= earlier.bag


def stands_beside(later: Statement, earlier: Statement) -> bool:
    """Whether what was said before stands beside what is said later: one tells what befell somebody, and the other does
    not; the later one says of itself that it is an exception, or does to one sort of thing otherwise what a rule does
    to all."""
    if befell(later.title) != befell(earlier.title):
        return True
    if _EXCEPTION.search(f"{later.title}. {later.body}") is not None:
        return True
    if _NEWS.search(later.title) is not None or not later.given_up:
        return False
    done = {part.verb for part in earlier.main} | {word for part in earlier.main for word in part.heavy}
    links = ("subject", "for") if _OF_ALL.search(earlier.title) is not None else ("subject",)
    return any(
        phrase.link in links
        and bool(phrase.telling - earlier.bag)
        and (part.verb in done or not (part.heavy - phrase.bag).isdisjoint(done))
        for part in later.main
        for phrase in part.phrases
    )


def _has_other_value(question: ParsedQuestion, later: str, earlier: str) -> bool:
    """Whether both give the value that is asked for, and of the same thing."""
    is_figure = bool(_figures(later) and _figures(earlier)) and question.focus.asked is Asked.THING
    if not is_figure and not (question.gives_value(later) and question.gives_value(earlier)):
        return False
    needed = [term for term in question.terms if term not in question.measured] or question.terms
    old = set(terms(earlier))
    both = {term for term in terms(later) if is_same_word(term, old)}
    return all(question.is_said(term, both) for term in needed) and _are_of_one_unit(later, earlier)


def _are_of_one_unit(one: str, other: str) -> bool:
    """Whether figures of two texts may be of one thing: a bare one may be of any."""
    mine, theirs = _units(one), _units(other)
    return not mine.isdisjoint(theirs) or bool(mine and theirs and "" in mine | theirs)


def is_of_same(one: str, other: str) -> bool:
    """Whether two texts speak of the same matter, however they bear on each other."""
    return judge(statement(one, ""), statement(other, "")).bearing is not Bearing.UNRELATED


def may_be_of_one(one: str, other: str) -> bool:
    """Whether two texts may give the value of one thing: "every minute" has no figure, and is one, too."""
    return not (_units(one) and _units(other)) or _are_of_one_unit(one, other)


def _is_otherwise(text: str, known: Set[str]) -> bool:
    """Whether a text has other figures than are known; "every minute" has none, and is another value, too."""
    return not (found := set(_figures(text))) or not found <= known


def _figures(text: str) -> list[str]:
    """The figures of a text, as they stand."""
    return [found[0].strip().lower() for found in _FIGURE.finditer(text)]


def _units(text: str) -> set[str]:
    """In what the figures of a text are counted; spans of time are of one sort, and so is money."""
    return {_unit((found[1] or "").lower()) for found in _FIGURE.finditer(text)}


def _unit(word: str) -> str:
    if _TIME.fullmatch(word):
        return "time"
    return "money" if _MONEY.fullmatch(word) else "" if word in SMALL else word


def _rival(question: ParsedQuestion, one: PointToTell, told: Sequence[PointToTell]) -> Record | None:
    record = one.record
    others = [other for other in told if not other.item.is_history and other.record.last_said > record.last_said]
    opposed = [
        other.record
        for other in others
        if record.holds and other.record.may_brief and _says_otherwise(question, other, one)
    ]
    return max(opposed, key=lambda other: other.last_said, default=None)


def overruled_by(question: ParsedQuestion, one: PointToTell, item: CitedRecord) -> bool:
    """Whether what only waits was said later than what is told, and says otherwise."""
    if item.kept.record.last_said <= one.record.last_said:
        return False
    waiting = PointToTell(item, point_of(question, item.kept.record))
    return _says_otherwise(question, waiting, one) or _overrules(question, waiting, one)


def _says_otherwise(question: ParsedQuestion, later: PointToTell, earlier: PointToTell) -> bool:
    """Whether they cannot both hold. Whose word counts for less says nothing against the user's."""
    new, old = later.record, earlier.record
    if not old.primitive.is_lesson or (old.trust is Trust.USER) > (new.trust is Trust.USER):
        return False
    if stands_beside(statement(new.title, new.body), statement(old.title, "")):
        return False
    return ruled(new, old).bearing.replaces or _has_other_value(question, later.point.text, earlier.point.text)
