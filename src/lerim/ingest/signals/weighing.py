"""How much speaks for a reading: the model's score, and what plain words are worth whatever else speaks for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lerim.context.records import LIKELY
from lerim.ingest.passed_on import relayed_from
from lerim.ingest.signals.asked import ASKS_WHAT_NEXT
from lerim.ingest.signals.causes import reports_fault
from lerim.ingest.signals.cues import FOUND_OUT, PUTS_RIGHT_AT_ONCE, tells_change, user_cues
from lerim.ingest.signals.model import Model
from lerim.ingest.signals.passing import (
    LASTING,
    RULES_ANYWHERE,
    is_looked_at,
    is_symptom,
    says_nothing_lasting,
    tells_what_is_there,
)
from lerim.ingest.signals.plain_words import statement
from lerim.ingest.signals.put_off import is_put_off
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch, asked_above
from lerim.ingest.signals.rulings import tells_how
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import is_errand
from lerim.ingest.signals.units import Unit, UnitRole, rules_too
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: From which score on words are worth a look.
REVIEW = {"user": 0.15, "agent": 0.19}
#: Questions and nods need more: they state nothing themselves.
REVIEW_TALK = 0.16
#: From which score on the user's words are sure, if form and title allow.
SURE = 0.25
#: Who speaks of so many things says what they mean; a rule speaks of fewer.
OWN_POINT, FEWEST_TOPICS = 3, 2
#: A session in which little was said teaches only what was said to be lasting. What else the user states in it is noted
#: from this score on: it may well change what was said before.
THIN_SCORE = 0.2
#: What is said to be lasting, with how or why, needs no further sign.
_HOW_OR_WHY = frozenset({"reason", "prohibit", "instead", "want", "rule"})
PLAIN_ENOUGH = 0.5
#: How the agent shall speak to the user: nobody says that for one answer alone.
_MANNERS = re.compile(
    r"\b(?:keep|make|write) (?:your|the|all) (?:\w+ )?(?:answers|replies|responses|explanations|summaries|messages)\b"
    r"|\bno (?:essays|emojis?|walls? of text)\b|\banswer me in\b|\bexplain (?:\w+ ){0,4}in detail\b",
    re.I,
)
_NEXT_CHARS = 200
#: May also be of a date ("two weeks from now"): sure enough to be looked at, no more.
_FROM_NOW = re.compile(r"\bfrom now\b", re.I)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A reading and how much speaks for it."""

    reading: UnitReading
    score: float
    confidence: float
    reasons: tuple[str, ...]
    #: What it says together with what it answers and how it was taken up.
    about: frozenset[str]
    #: Another statement of the user's on the same point.
    related: UnitReading | None = None
    #: Whether the user said that this was it.
    is_confirmed: bool = False

    @property
    def whose(self) -> str:
        return "user" if self.reading.unit.is_users else "agent"

    @property
    def rank(self) -> float:
        """Its score against what its kind of words needs."""
        return self.score / (REVIEW_TALK if _is_talk(self.reading) else REVIEW[self.whose])


def _is_talk(reading: UnitReading) -> bool:
    is_choice = reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    return reading.unit.is_users and not is_choice and ("?" in reading.unit.text or reading.is_nod)


def _is_passed_on(unit: Unit) -> bool:
    """Whether the user tells what somebody else ruled: they may, and somebody should look."""
    begins = relayed_from(unit.message.text)
    return begins is not None and unit.span.end > begins


def weighed(reading: UnitReading, model: Model, features: dict[str, float]) -> Weighed:
    """The reading with its score."""
    score = (
        0.0 if says_nothing_lasting(reading) else max(model.score(features), _floor(reading), _answer_floor(reading))
    )
    confidence = min(model.confidence(score), LIKELY - 0.01) if _is_unlikely(reading) else model.confidence(score)
    if score and _is_a_word_given(reading):
        confidence = max(confidence, LIKELY)
    return Weighed(reading, score, confidence, tuple(model.reasons(features)), reading.whole)


def _is_unlikely(reading: UnitReading) -> bool:
    """Whether the user's words do not rule, as far as one can tell, and either are of a language of which little is
    known, or report what goes wrong or was measured, or only wonder, or tell the agent who it is."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING:
        return False
    if is_symptom(unit.text) or _ROLE.match(unit.text) is not None:
        return True
    if (not reading.has_ruling and is_looked_at(unit.text)) or tells_what_is_there(unit.text):
        return True
    return not reading.cues & RULES_ANYWHERE and not is_english(unit.text)


_ROLE = re.compile(r"\W*(?:you are (?:an?|the)|your (?:job|role|task) is|act as)\b", re.I)


def _floor(reading: UnitReading) -> float:
    """What is plainly said to last is taken, whatever else speaks for it."""
    unit, cues = reading.unit, reading.cues
    if reading.is_telling and not unit.is_users and "?" not in unit.text:
        return REVIEW["agent"]
    if unit.sort is not UnitRole.WORDS or unit.is_reviewing or not reading.about:
        return 0.0
    if unit.is_under_rules and "?" not in unit.text:
        return PLAIN_ENOUGH if "standing" in cues and cues & _HOW_OR_WHY else THIN_SCORE
    if len(reading.about) < FEWEST_TOPICS:
        return THIN_SCORE if _is_of_manners(unit) else 0.0
    if "?" in unit.text:
        # "That stays so, forever. What does it cost?": the question does not take back what was said before it.
        cues = user_cues(" ".join(one for one in sentences(unit.text) if not one.endswith("?")))
        if not cues & LASTING:
            return 0.0
    if "standing" in cues and cues & _HOW_OR_WHY:
        return PLAIN_ENOUGH
    is_found = len(reading.about) >= OWN_POINT and FOUND_OUT.search(unit.text) is not None
    if _is_of_manners(unit) or ("?" not in unit.text and (is_found or tells_change(unit.text))):
        return THIN_SCORE
    if len(reading.about) < OWN_POINT:
        return 0.0
    if "?" not in unit.text and _FROM_NOW.search(unit.text):
        return SURE
    if "remember" in cues:
        return PLAIN_ENOUGH if cues & {"standing", "prohibit", "reason", "instead"} else REVIEW["user"]
    return 0.0


def _states(text: str) -> bool:
    """Whether it says how something is or shall be, and neither asks, reports nor sends on an errand."""
    said = statement(text)
    return "?" not in text and len(topics(said)) >= FEWEST_TOPICS and not is_errand(said) and not reports_fault(text)


def _is_a_word_given(reading: UnitReading) -> bool:
    """Whether the user rules in plain words, or answers what they were asked to choose or to say."""
    if reading.unit.sort is UnitRole.ANSWER:
        return "?" not in reading.unit.text.rpartition("\nA:")[2]
    is_value = reading.settles_question or reading.sets_anew or reading.swaps or reading.unit.is_agreed
    return is_value or _picks(reading) or (reading.has_ruling and not reading.unit.is_of_a_page)


def _answer_floor(reading: UnitReading) -> float:
    """What the user chose, or passes on from somebody whose word they go by, is worth a look."""
    unit = reading.unit
    tells = unit.sort is UnitRole.WORDS and tells_how(unit.text)
    if (reading.has_ruling or tells) and not (unit.is_of_a_page or unit.is_reviewing):
        return SURE if reading.rules_surely or tells else THIN_SCORE
    if _picks(reading) or (unit.sort is UnitRole.ANSWER and _is_a_word_given(reading)):
        return REVIEW["user"]
    is_refused_with_more = reading.proposal.is_shown and bool(reading.about)
    if _stands_with_more(reading) or reading.swaps or unit.is_agreed or is_refused_with_more:
        return THIN_SCORE
    if reading.settles_question or reading.sets_anew or (PUTS_RIGHT_AT_ONCE.match(unit.text) and "?" not in unit.text):
        return REVIEW_TALK
    is_point = unit.sort is UnitRole.WORDS and len(reading.about) >= OWN_POINT and "?" not in unit.text
    return THIN_SCORE if is_point and _is_passed_on(unit) else 0.0


def _stands_with_more(reading: UnitReading) -> bool:
    """Whether a rule is added to it, it is put off until something, or it is one of some things that are announced."""
    unit, about = reading.unit, reading.about
    if unit.sort is not UnitRole.WORDS or len(about) < FEWEST_TOPICS:
        return False
    is_put_off_whole = len(about) >= OWN_POINT and is_put_off(unit.text)
    return is_put_off_whole or _is_ruled_on(unit) or (unit.is_under_things and _states(unit.text))


def _is_ruled_on(unit: Unit) -> bool:
    """Whether a rule is added to it right behind it: "no globs in the rules. and no regexes either"."""
    after = sentences(unit.message.text[unit.span.end : unit.span.end + _NEXT_CHARS])
    return bool(after) and rules_too(after[0])


def _picks(reading: UnitReading) -> bool:
    """Whether the user chooses a way that they were asked to choose from; what shall be done next is no such choice."""
    if reading.proposal.how is not ReplyMatch.ITEM or not reading.is_nod or "?" in reading.unit.text:
        return False
    if _APPROVES.match(reading.unit.text):
        return True
    if any(_OF_THE_AGENT.search(passage.text) for passage in reading.proposal.passages):
        return False
    if _is_wanted_choice(reading):
        return True
    message = reading.proposal.passages[0].message
    if (above := asked_above(message)) and not (ASKS_WHAT_NEXT.search(above) or _OF_NOW.search(above)):
        return True
    offered = message.text[-_QUESTION_TAIL:]
    return _ASKS_TO_CHOOSE.search(offered) is not None and ASKS_WHAT_NEXT.search(offered) is None


def _is_wanted_choice(reading: UnitReading) -> bool:
    """Whether the user had asked which to take, or the agent says that this is it now: "Kafka it is"."""
    turn, item = reading.unit.turn, reading.proposal.passages[0].text
    if turn is None or ASKS_WHAT_NEXT.search(turn.proposal[-_QUESTION_TAIL:]) is not None:
        return False
    taken = _IT_IS.match(turn.after[0].text) if turn.after else None
    return _ASKS_WHICH.search(turn.asked) is not None or (
        taken is not None and bool(topics(taken["what"]) & topics(item))
    )


#: How the agent goes about its own work now is no choice that lasts.
_OF_THE_AGENT = re.compile(
    r"\bI(?:['’]ll)? (?:dispatch|execute|run|go|start|keep going|proceed|spawn)\b|\b(?:in|for) this session\b"
)
#: What shall be done now is no choice that lasts.
_OF_NOW = re.compile(
    r"\b(?:should|shall|can|could) i do\b|\b(?:want|like) me to do\b|\bdo (?:now|with|about)\b|\bgo on\b|\belse\b", re.I
)
#: Who asks so chooses from the answer.
_ASKS_WHICH = re.compile(
    r"\b(?:which|what) (?!(?:is|are|was|were|does|do(?! (?:we|you)\b)|did|happens?|the"
    r"|about|files?|lines?|tests?)\b)[^?\n]{0,80}\?",
    re.I,
)
_IT_IS = re.compile(
    r"\W*(?:(?:ok(?:ay)?|great|good|fine|then|done)[,.! ]+)*(?P<what>(?:[\w.`'’/-]+ ){1,5})it is\b", re.I
)
_APPROVES = re.compile(r"\W*(?:ok(?:ay)?,? |yes,? )?approved?\b", re.I)
#: Who asks to choose does so at the end of what they say.
_QUESTION_TAIL = 400
_ASKS_TO_CHOOSE = re.compile(
    r"\b(?:which(?=\W*$)|which (?:one|way|option|approach|do you|would you|of)|(?:do|would) you (?:prefer|rather)"
    r"|what do you prefer|your (?:choice|preference|pick)|(?:pick|choose) one|\(?(?:a|1)\)? or \(?(?:b|2)\)?)\b",
    re.I,
)


def _is_of_manners(unit: Unit) -> bool:
    return "?" not in unit.text and _MANNERS.search(unit.text) is not None
