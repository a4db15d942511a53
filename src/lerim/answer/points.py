"""What of a record answers a question: its point, said once and first, and at most a detail. Pure."""

from __future__ import annotations

import re
from collections.abc import Set

from lerim.answer.focus import Asked
from lerim.answer.force import Force, befell, complains, force_of
from lerim.answer.kindred import is_meant
from lerim.answer.noted import is_noted
from lerim.answer.passages import answering, passages, settles
from lerim.answer.reasons import BECAUSE, gives_reason, has_ground, tells_how_it_was
from lerim.answer.sayings import Purpose, Saying, sayings
from lerim.answer.support import LITTLE, TROUBLE, ParsedQuestion
from lerim.answer.tongues import is_same_word
from lerim.context.records import Primitive, Record
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.search.terms import terms

# A sentence that leans on the one before it is not said alone.
_LEANS = compile_later(r"(?:it|its|they|their|them|this|that|these|those|he|she|there|per|so|and|then)\b", re.I)
#: What is said of the place, or the case, that the sentence before it names.
_THERE = compile_later(r"(?:(?!is|was|are|were)[\w.+-]+ ){1,3}there\b", re.I)
# Words that are small behind a colon.
_SMALL_WORDS = "otherwise because since it its this that they these those the a an we there if when then so and as our"
_SMALL = frozenset(_SMALL_WORDS.split())
#: What a sentence is worth beside each word of the question that it has.
_SHOWS = 1.5
_REASON = 3.0
#: What a word is worth less that the title has, too.
_SAID = 0.6
_SEEN = 5.0
#: A word of the question that is said by another.
_KIN = 0.5
#: What tools did is worth more to who asks for it.
_ASKED_DEED = 1.4
_DEEDS = compile_later(r"\b(?:prs?|pull requests?|commit(?:s|ted)?|push(?:ed)?|merged?|files?|branch(?:es)?)\b", re.I)
#: Who asks whether they may or must do something does not ask what was done.
_COUNTED = compile_later(r"(?:Changed|Committed|Opened|opened|`)")
_MAY = compile_later(r"\W*(?:should|may|can|could|must|do (?:i|we) (?:need|have)|am i|are we) ", re.I)
_CUE = 1.5
#: A figure, to who asks what or how much something is.
_VALUE = 1.6
_WANTS_VALUE = compile_later(
    r"\W*(?:and )?(?:what(?:['’]?s| is| are| was)\b|which\b|how (?:long|many|much|often|big|large|far|high|fast|old)\b"
    r"|what \w+)",
    re.I,
)
_FIGURE = compile_later(r"(?<![\w#.-])\d[\d.,:]*(?:[a-z%]{1,3}\b)?", re.I)
_ASKS = compile_later(r"(?:where|what|whats|which|who|how|why|when|is|are|do|does|did|can|should)\b", re.I)
#: A sentence with fewer words that tell something is said along with another, or not at all.
_FEWEST = 2
_PURPOSE_WORTHS = {
    Purpose.WISH: -1.2,
    Purpose.CHOICE: 0.2,
    Purpose.DEED: -2.0,
    Purpose.ASIDE: -0.4,
    Purpose.REASON: 0.25,
}
#: What was ruled answers before what was wanted, complained of or asked.
_FORCE_WORTHS = {Force.ASKED: -1.5, Force.COMPLAINED: -0.4, Force.WANTED: -0.6, Force.RULED: 0.4}
_OF_A_SESSION = frozenset({Purpose.WISH, Purpose.CHOICE, Purpose.TOLD})
#: The share of a question that stands in what was chosen, whose reason stands beside it.
_MOST = 0.65
#: The share of it that stands in a sentence with a reason: what just has a reason may be of something else.
_HALF = 0.5
#: A sentence that was cut off says less than a whole one.
_CUT = -0.75
#: How much more a sentence must be worth than the title to be said in its place.
_BETTER = 1.4
#: What is turned down, with its reason, is no reason of why it is so.
_DENIES = compile_later(r"\W*(?:no|not|never|don['’]?t|do not)\b", re.I)
_DENIED = compile_later(r"\b(?:no|not|never|without|against|(?:avoid|drop|reject|refuse)\w*)\b|n['’]?t\b", re.I)
#: What somebody tells the one who works, beside what shall hold.
_ERRAND = compile_later(
    r"\W*(?:(?:and|so|then|ok|please|now) )*(?:you (?:can|could|may|should)|can you|could you|please)\b", re.I
)


@dataclass(frozen=True)
class Point:
    """What answers, as a sentence without its full stop, and what else is worth saying."""

    text: str
    detail: str | None = None


def point_of(question: ParsedQuestion, record: Record) -> Point:
    """The sentence of a record that answers a question best, and a detail that adds to it: each with what goes on from
    it and says nothing alone."""
    point = _point_of(question, record)
    if record.primitive is Primitive.SUMMARY:
        return point
    detail = point.detail and _with_rest(record, point.detail)
    return Point(_with_rest(record, point.text), detail)


def _with_rest(record: Record, text: str) -> str:
    """A sentence with the one behind it that is said of the same place: "no cash at the gate: cards there"."""
    said = sayings(record)
    at = next((at for at, one in enumerate(said) if one.text.rstrip("!. ") == text.rstrip("!. ")), len(said))
    rest = said[at + 1] if at + 1 < len(said) else None
    if rest is None or rest.message != said[at].message or _THERE.match(rest.text) is None:
        return text
    return f"{text.rstrip('!. ')}: {rest.text}"


def _point_of(question: ParsedQuestion, record: Record) -> Point:
    known = set(terms(record.title))
    said = [one for one in sayings(record) if _may_answer(question, one) and not _repeats(one.text, record.title)]
    ranked = sorted(said, key=lambda one: -_worth(question, one, known))
    title = record.title.rstrip(". ")
    best = ranked[0] if ranked else None
    if question.focus.asked is Asked.EFFECT and (effect := _effect(question, record)) is not None:
        return effect
    if question.focus.asked is Asked.REASON:
        reason = reason_of(question, record)
        return Point(title) if reason is None else reason
    answers = answering(question, record)
    if answers and (record.primitive is Primitive.SUMMARY or is_noted(record)):
        return Point(answers[0].text)
    if answers and question.gives_value(answers[0].text) and title not in [one.text for one in answers]:
        return Point(answers[0].text, None if _repeats(answers[0].text, title) else title)
    if best is None:
        return Point(title)
    if record.primitive is Primitive.SUMMARY and not settles(
        question, title if not _leads(question, record, best) else best.text
    ):
        settled = next((one for one in ranked if _may_lead(question, one)), None)
        return Point(title if settled is None else settled.text)
    if _leads(question, record, best):
        return Point(f"{title}: {_lowered(best.text)}" if _LEANS.match(best.text) else best.text)
    return Point(title, best.text if _adds(question, record, best) else None)


def _may_lead(question: ParsedQuestion, saying: Saying) -> bool:
    """Whether a sentence could stand for a session whose title only asks: which files were changed says nothing."""
    is_count = saying.purpose is Purpose.DEED and _COUNTED.match(saying.text) is not None
    return not is_count and settles(question, saying.text) and _shared(question, saying.text) > 0


def reason_of(question: ParsedQuestion, record: Record) -> Point | None:
    """What a record says of why; nothing where it only tells that it is so."""
    known = set(terms(record.title))
    title = record.title.rstrip(". ")
    said = [one for one in sayings(record) if _may_answer(question, one)]
    if record.primitive is not Primitive.SUMMARY:
        given = [one for one in said if _gives_reason(one) and not _repeats(one.text, record.title)]
        if is_puzzle := complains(title):
            given = [one for one in given if one.purpose is Purpose.REASON or tells_how_it_was(one.text)]
        best = max(given, key=lambda one: _worth(question, one, known), default=None)
        if best is None:
            return None if is_puzzle and not gives_reason(title, question.said) else Point(title)
        return Point(_joined(title, best.text))
    if question.is_why_of_one and (chosen := _reason_of_choice(question, record)) is not None:
        return chosen
    # What was proved is the reason of what the session was about; what just has a reason may be of something else.
    proved = [one for one in said if one.purpose is Purpose.REASON]
    of_it = [one for one in proved if _shared(question, one.text)]
    beside = [one for one in proved if _may_come_of(record, _effect_told(question, record, one), one.text)]
    beside = beside if len(proved) == 1 else []  # Of several, it says itself what it is the cause of.
    given = of_it or [*beside, *(one for one in said if _has_cause(question, one))]
    if given:
        best = max(given, key=lambda one: _worth(question, one, known))
        told = _effect_told(question, record, best)
        if any(one.text == told for one in proved) and best in proved and not _tells_both(question, best):
            # Two causes: each says itself what it is the cause of.
            return Point(max((best.text, told), key=lambda text: _shared(question, text)))
        cause = _cause_found(question, record) if complains(best.text) and best.purpose is not Purpose.REASON else None
        return cause or Point(best.text if _tells_both(question, best) else _joined(told, best.text))
    return _cause_found(question, record) or _reason_of_choice(question, record) or _reason_beside(question, record)


def _reason_of_choice(question: ParsedQuestion, record: Record) -> Point | None:
    """What somebody chose, and why, where what is asked about was among what they could take."""
    for passage in passages(record):
        text = passage.saying.text
        is_of_it = passage.asked.issuperset(question.terms) and passage.saying.purpose is not Purpose.HAPPENED
        if is_of_it and gives_reason(text, question.said):
            return Point(f"{passage.lead} {text}" if passage.lead.endswith("?") else text)
    return None


def _cause_found(question: ParsedQuestion, record: Record) -> Point | None:
    """What the agent reports of a session in which it looked for the cause of what is asked why."""
    said = sayings(record)
    asked = (one for one in said if one.purpose not in (Purpose.HAPPENED, Purpose.DEED))
    puzzles = (one for one in asked if _is_puzzle(one.text))
    puzzle = max(puzzles, key=lambda one: _shared(question, one.text), default=None)
    if puzzle is None or _shared(question, puzzle.text) < _MOST * len(question.terms):
        return None
    found = [one.text for one in said if one.purpose is Purpose.HAPPENED and tells_how_it_was(one.text)]
    # Of many things that happened, only what says so is the cause.
    words = (set(terms(puzzle.text)) | set(question.terms)) - LITTLE - TROUBLE
    if len(found) > 1:
        found = [text for text in found if BECAUSE.search(text) and not words.isdisjoint(terms(text))]
    cause = next((text for text in found if _may_come_of(record, puzzle.text, text)), None)
    return Point(_joined(puzzle.text, cause)) if cause is not None else None


def _is_puzzle(text: str) -> bool:
    """Whether a sentence tells or asks something that may have a cause; a ruling has none but its reason."""
    return force_of(text) < Force.RULED or (complains(text) and _ERRAND.match(text) is None)


def _may_come_of(record: Record, effect: str, cause: str) -> bool:
    """Whether what was found in a session may be why something is so: that is what the session was about, it is asked
    or goes wrong, or both speak of one thing. A rule said in passing comes of nothing that was found."""
    if force_of(effect) in (Force.ASKED, Force.COMPLAINED, Force.WANTED) or befell(effect):
        return True
    words = set(terms(effect)) - LITTLE - TROUBLE
    return _repeats(effect, record.title) or not words.isdisjoint(terms(cause))


def _has_cause(question: ParsedQuestion, saying: Saying) -> bool:
    """Whether a sentence on what is asked gives a reason; what the question says itself is none."""
    is_puzzle = complains(saying.text) and _shared(question, saying.text) >= _MOST * len(question.terms)
    if is_puzzle and force_of(saying.text) < Force.RULED and not has_ground(saying.text):
        return BECAUSE.search(saying.text) is not None
    is_reason = gives_reason(saying.text, question.said) and not denies(question, saying.text)
    words = set(terms(saying.text))
    own = sum(is_same_word(term, words) for term in question.terms)
    return is_reason and own >= _HALF * len(question.terms)


def denies(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence turns down what a question takes for so."""
    return _DENIES.match(text) is not None and _DENIED.search(question.text) is None


def _reason_beside(question: ParsedQuestion, record: Record) -> Point | None:
    """What goes on in the same message with what was chosen, which is asked about."""
    said = [one for one in sayings(record) if one.purpose is not Purpose.DEED]
    about = max(said, key=lambda one: _shared(question, one.text), default=None)
    if about is None or _shared(question, about.text) < _MOST * len(question.terms):
        return None
    beside = (one for one in said if one.message == about.message and one.text != about.text)
    reasons = (one.text for one in beside if force_of(one.text) not in (Force.WANTED, Force.ASKED))
    # What goes on behind a puzzle tells more of it, and not why.
    is_chosen = force_of(about.text) is Force.RULED and not complains(about.text)
    reason = next(reasons, None) if is_chosen else None
    return Point(_joined(about.text, reason)) if reason is not None else None


def _tells_both(question: ParsedQuestion, saying: Saying) -> bool:
    """Whether a reason says itself what it is the reason of."""
    words = set(terms(saying.text))
    return all(is_meant(term, words) for term in question.terms)


def _effect_told(question: ParsedQuestion, record: Record, reason: Saying) -> str:
    """What a session says of what is asked why: the sentence with most of its words."""
    title = record.title.rstrip(". ")
    others = [one for one in sayings(record) if one.purpose is not Purpose.DEED and one.text != reason.text]
    # What was only announced tells nothing that could have a cause.
    told = [one.text for one in others if one.purpose is not Purpose.HAPPENED or force_of(one.text) is not Force.WANTED]
    return max((title, *told), key=lambda text: _shared(question, text))


def _effect(question: ParsedQuestion, record: Record) -> Point | None:
    """What came of what is asked about, and that: what somebody complained of, where a session proved the cause."""
    said = sayings(record)
    causes = [one for one in said if one.purpose is Purpose.REASON and _shared(question, one.text)]
    if record.primitive is not Primitive.SUMMARY or not causes:
        return None
    effects = [one.text for one in said if force_of(one.text) is Force.COMPLAINED and one not in causes]
    return Point(_joined(effects[0], causes[0].text)) if effects else None


def _shared(question: ParsedQuestion, text: str) -> int:
    words = set(terms(text))
    return sum(is_meant(term, words) for term in question.terms)


def _joined(first: str, second: str) -> str:
    """Two sentences as one; the second alone when it says the first, too, or the first only asks."""
    is_alone = _repeats(first, second) or first.endswith("?") or force_of(first) is Force.ASKED
    return second if is_alone else f"{first}: {_lowered(second)}"


def _may_answer(question: ParsedQuestion, saying: Saying) -> bool:
    """Whether a sentence could answer at all: who asks why something broke does not want to hear that it did."""
    if len(set(terms(saying.text))) < _FEWEST:
        return False  # "While I think of it" and "2 then" answer nothing.
    if question.focus.asked is not Asked.REASON:
        return True
    is_reason = saying.purpose not in (Purpose.TOLD, Purpose.CHOICE) or gives_reason(saying.text)
    # What goes wrong is a reason; what is asked for, none.
    is_asked = force_of(saying.text) in (Force.ASKED, Force.WANTED)
    is_wish = saying.purpose is Purpose.WISH and (not gives_reason(saying.text) or is_asked)
    return is_reason and not is_wish and saying.purpose is not Purpose.DEED


def _worth(question: ParsedQuestion, saying: Saying, known: Set[str] = frozenset()) -> float:
    """How well a sentence answers: its words of the question, most of all those that are not `known` from the title,
    and the sort of thing that is asked for."""
    words = set(terms(saying.text))
    shared = set(question.terms) & words
    kin = sum(is_meant(term, words) for term in question.terms if term not in words)
    worth = len(shared) + _KIN * kin - _SAID * len(shared & known) + _PURPOSE_WORTHS.get(saying.purpose, 0.0)
    if saying.purpose is Purpose.DEED and _DEEDS.search(question.text) and not _MAY.match(question.text):
        worth += _ASKED_DEED
    if saying.text.endswith("…"):
        worth += _CUT
    if saying.purpose in _OF_A_SESSION:
        worth += _FORCE_WORTHS.get(force_of(saying.text), 0.0)
    if question.focus.asked is Asked.REASON:
        return worth + (_REASON if saying.purpose is Purpose.REASON else _CUE * gives_reason(saying.text))
    worth += _VALUE * (_WANTS_VALUE.match(question.text) is not None and _has_value(saying.text, question.text))
    shows = _SEEN if question.focus.is_told_by_look else _SHOWS
    # A time or a number in a sentence on something else is hardly the one that is asked for.
    shows *= 1.0 if shared or question.focus.is_told_by_look else 0.5
    return worth + shows * question.focus.shows_only_in(saying.text, question.said)


def _title_worth(question: ParsedQuestion, record: Record) -> float:
    worth = _worth(question, Saying(record.title, Purpose.POINT))
    if record.primitive is Primitive.SUMMARY and _ASKS.match(record.title):
        worth -= _VALUE  # Somebody's question is no answer.
    # The title of a session says what it was about, that of any other record what holds.
    return worth - (1.0 if record.primitive is Primitive.SUMMARY else 0.0)


def _leads(question: ParsedQuestion, record: Record, best: Saying) -> bool:
    """Whether a sentence is said in place of the title: of a session, or when it alone has what is asked for."""
    more = _worth(question, best) - _title_worth(question, record)
    if not question.focus.shows_in_all(record.title, question.said):
        return more > 0 and question.focus.shows_in_all(best.text, question.said)
    return more >= _BETTER and record.primitive is Primitive.SUMMARY


def _has_value(text: str, question: str) -> bool:
    """Whether a sentence has a figure that the question does not have."""
    asked = set(_FIGURE.findall(question))
    return any(figure not in asked for figure in _FIGURE.findall(text))


def _gives_reason(saying: Saying) -> bool:
    return saying.purpose in (Purpose.REASON, Purpose.POINT)


def _adds(question: ParsedQuestion, record: Record, saying: Saying) -> bool:
    """Whether a sentence is worth saying beside the title: a reason, the person's own words, or words asked for."""
    if saying.purpose in (Purpose.WISH, Purpose.DEED) or saying.text.endswith("…"):
        return False
    if saying.purpose is Purpose.ASIDE or record.primitive is Primitive.SUMMARY:
        new = set(terms(saying.text)) - set(terms(record.title))
        return bool(new & set(question.terms))
    return saying.purpose is Purpose.REASON or _is_of_one_matter(question, record, saying)


def _is_of_one_matter(question: ParsedQuestion, record: Record, saying: Saying) -> bool:
    """Whether a sentence of somebody's message goes on with what its title says, or answers: the rest of a message is
    of other things, and some of it is told to whoever works."""
    words = set(terms(saying.text)) - LITTLE
    known = set(terms(record.title))
    if (words - known) & set(question.terms):
        return True
    is_on = _LEANS.match(saying.text) is not None or bool(words & known)
    return is_on and _ERRAND.match(saying.text) is None


def _repeats(text: str, title: str) -> bool:
    """Whether a sentence says the title again: a body often begins by saying it in full."""
    said, titled = set(terms(text)) - LITTLE, set(terms(title))
    return len(said - titled) <= 0.2 * len(said)


def _lowered(text: str) -> str:
    """A sentence as it goes on behind a colon: a small word that began it is written small."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[0].lower() + text[1:] if first.lower() in _SMALL else text
