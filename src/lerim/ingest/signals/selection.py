"""Which readings become candidates: the strongest, each point once, no more than a session of this length can teach."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lerim.context.records import LIKELY
from lerim.ingest.findings import Tier
from lerim.ingest.reported_speech import relayed_from
from lerim.ingest.signals.cues import FOUND_OUT, PUTS_RIGHT_AT_ONCE, agent_cues, tells_change, user_cues
from lerim.ingest.signals.features import agent_features, user_features
from lerim.ingest.signals.model import Model, Weights, weights
from lerim.ingest.signals.passing import (
    LASTING,
    RULES_ANYWHERE,
    is_looked_at,
    is_seen,
    is_symptom,
    says_nothing_lasting,
)
from lerim.ingest.signals.proofs import doubts, says_it_is_proved, seeks_cause, tells_proof
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.rulings import rules_surely
from lerim.ingest.signals.subjects import lacks_subject
from lerim.ingest.signals.text import RULE_WORDS, topics
from lerim.ingest.signals.titles import (
    asks,
    is_errand,
    is_passing,
    is_said_in_english,
    is_whole,
    settles,
    stands_alone,
    wonders,
)
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.turns import Turn, Utterance
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: From which score on words are worth a look.
REVIEW = {"user": 0.15, "agent": 0.19}
#: Questions and nods need more: they state nothing themselves.
REVIEW_TALK = 0.16
#: From which score on the user's words are sure, if form and title allow.
SURE = 0.25
#: So much speaks for it that it is sure without a word of a rule, and though something is asked beside it.
STRONG = 0.6
#: Two readings that are this likely one point are taken once; the agent's words repeat themselves more. The user's are
#: parted when in doubt: a ruling that is hidden behind its sibling is lost, and whoever judges sees both.
ONE_POINT = {"user": 0.9, "agent": 0.4}
_FOUND_OUT = 0.75
#: Two causes are one when they share so much; that both are causes says nothing.
_SAME_CAUSE = 0.2
_CAUSE_WORDS = frozenset(
    {"root", "caus", "issu", "problem", "bug", "actual", "real", "found", "reason", "fix", "culprit"}
)
#: What is likely part of the same point goes with it.
_RELATED, _RELATED_SCORE = 0.35, 0.1
_CAP, _CAP_GROWTH = 1.0, 8.0
#: Who speaks of so many things says what they mean; a rule speaks of fewer.
_OWN_POINT, _FEWEST_TOPICS = 3, 2
#: A session in which little was said teaches only what was said to be lasting. What else the user states in it is noted
#: from this score on: it may well change what was said before.
_THIN_SCORE = 0.2
#: Signs that say as much together: what we do and what not, what not and why, a choice and why.
_TOGETHER = tuple(
    frozenset(both.split())
    for both in ("fact instead", "fact prohibit", "decide prohibit", "prohibit reason", "decide reason", "rule reason")
)
#: What is said to be lasting, with how or why, needs no further sign.
_HOW_OR_WHY = frozenset({"reason", "prohibit", "instead", "want", "rule"})
_PLAIN_ENOUGH = 0.5
#: How the agent shall speak to the user: nobody says that for one answer alone.
_MANNERS = re.compile(
    r"\b(?:keep|make|write) (?:your|the|all) (?:\w+ )?(?:answers|replies|responses|explanations|summaries|messages)\b"
    r"|\bno (?:essays|emojis?|walls? of text)\b|\banswer me in\b|\bexplain (?:\w+ ){0,4}in detail\b",
    re.I,
)
#: Where something may hold that does not elsewhere, each in the words for it.
_PLACES = "prod production live|staging stage|dev development|local locally|ci|ios|android|windows|linux|macos"
_PLACE_OF = {name: names for names in _PLACES.split("|") for name in names.split()}
_PLACE = re.compile(rf"\b(?:{'|'.join(_PLACE_OF)})\b", re.I)
#: Who says so says that it lasts, whatever the title is left with.
_FROM_NOW_ON = re.compile(r"\bfrom (?:now|here) on\b|\bgoing forward\b|\bforever\b|\bfor good\b", re.I)
#: Who leaves it to the agent has not decided, and "whether we should allow it" without an answer tells nothing.
_LEAVES_IT = re.compile(
    r"\b(?:you decide|up to you|your (?:call|choice)|what ?ever (?:you|u) (?:think|like|prefer|want|say|feel))\b", re.I
)
_OPEN_QUESTION = re.compile(
    r"\bwhether (?:to|(?:we|i|you|it|they|the \w+) (?:should|shall|can|could|may))\b[^:]*\Z", re.I
)
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


def tier_of(one: Weighed, title: str, session: SessionReading) -> Tier:
    """What is plainly said to last, with a title that stands alone, is sure; all else is for somebody with judgment."""
    reading = one.reading
    if not reading.unit.is_users or one.score < SURE or _is_doubtful(reading, title):
        return Tier.REVIEW
    is_strong = one.score >= STRONG
    if _is_asked(reading, title, beside=not is_strong):
        return Tier.REVIEW
    if session.is_thin and not (_is_settled(reading) and _lasts_itself(reading, title)):
        return Tier.REVIEW
    if reading.cues & LASTING and not (is_english(reading.unit.text) and is_said_in_english(reading.unit.text)):
        # In other languages only the plainest rules are known, and not how a title stands.
        is_named = is_whole(title) and not lacks_subject(title)
        return Tier.SURE if is_named and _keeps_that_it_lasts(title, reading.unit.text) else Tier.REVIEW
    is_to_last = _FROM_NOW_ON.search(reading.unit.text) is not None
    is_ruled = settles(title) or rules_surely(title) or is_to_last
    is_said = is_ruled or is_strong or reading.unit.sort is UnitRole.ANSWER
    # "Run make gen before …" is no errand when it is said to be done from now on.
    is_over = is_passing(title) and not (is_to_last and is_errand(title))
    is_clear = (
        stands_alone(title) and not lacks_subject(title) and not is_over and is_english(title) and not is_seen(title)
    )
    if not is_to_last and _LOOKS.search(title) is not None and not reading.cues & LASTING:
        return Tier.REVIEW
    # A short ruling may be all names that nobody knows: "no jpeg, use webp".
    is_garbled = not reading.rules_itself and session.speller.is_garbled(title)
    return Tier.SURE if is_said and is_clear and not is_garbled else Tier.REVIEW


def _is_passed_on(unit: Unit) -> bool:
    """Whether the user tells what somebody else ruled: they may, and somebody should look."""
    begins = relayed_from(unit.message.text)
    return begins is not None and unit.span.end > begins


def _lasts_itself(reading: UnitReading, title: str) -> bool:
    """Whether "always" and "never" are said of what the title says, and not of something beside it. The words of a kind
    of work are not looked for here."""
    about = topics(title)
    told = [one for one in sentences(reading.unit.text) if "standing" in user_cues(one)]
    is_said = any(2 * len(about & topics(one)) >= len(about) for one in told)
    return is_said or not told or reading.unit.sort is not UnitRole.WORDS


def _keeps_that_it_lasts(title: str, text: str) -> bool:
    """Whether a title still says "always" where the text did; the words of a kind of work need none."""
    return bool(user_cues(title) & LASTING) or not user_cues(text) & LASTING


def _is_doubtful(reading: UnitReading, title: str) -> bool:
    """Whether form alone forbids to take it for the user's ruling: a page, a program's words, a plan, what may be
    another's, or a nod."""
    unit = reading.unit
    if unit.is_reviewing or unit.is_of_a_page or unit.is_printed or unit.is_perhaps_anothers:
        return True
    if unit.is_of_a_brief and not reading.cues & LASTING:
        return True
    if reading.is_nod and reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
        return True
    if reading.has_ruling and not reading.rules_itself:
        # On what, only the agent may have said.
        return True
    if _LEAVES_IT.search(unit.text) is not None or _OPEN_QUESTION.search(title) is not None:
        return True
    # A plan tells what is wrong as plainly as what shall be.
    return unit.sort is UnitRole.PLAN


def _is_asked(reading: UnitReading, title: str, *, beside: bool) -> bool:
    """Whether the user asks, asks for something or is not sure in it: in the sentence that the title is of, or also in
    what they say `beside` it."""
    if reading.unit.sort is not UnitRole.WORDS:
        return False
    text = _without_reproach(reading.unit.text, title)
    if beside:
        return wonders(text)
    about, said = topics(title), sentences(text)
    point = max(said, key=lambda one: len(about & topics(one)), default=text)
    # "Should we say that?" asks of what is said beside it.
    return wonders(point) or any(one.endswith("?") and _ASKS_OF_IT.search(one) is not None for one in said)


_ASKS_OF_IT = re.compile(r"\b(?:it|that|this|these|those|them|so|ok(?:ay)?|right|agree)\b", re.I)


def _without_reproach(text: str, title: str) -> str:
    """What was said, without a question that asks nothing: "why do you edit vendor? never touch vendor/"; and without
    what is asked for besides: "net prices stay, always. can you write an answer"."""
    said = sentences(text)
    about = topics(title)
    rest = [one for one in said if not (_REPROACH.match(one) and about - topics(one)) and not _is_beside(one, about)]
    return " ".join(rest) if said else text


def _is_beside(sentence: str, about: frozenset[str]) -> bool:
    """Whether a sentence asks the agent for some work on something else than what was ruled."""
    return _ASKS_FOR_WORK.match(sentence) is not None and about.isdisjoint(topics(sentence))


_ASKS_FOR_WORK = re.compile(
    r"\W*(?:(?:and|also|then|so|ok(?:ay)?|now|please|pls)[ ,]+)*(?:can|could|would|will) (?:you|u) (?:\w+ )?"
    r"(?:add|write|make|run|fix|update|commit|push|change|put|create|send|move|rename|draft|answer|open|regenerate)\b",
    re.I,
)
#: Within so many turns an exception is made from a rule: "wait, the spawn table has to stay in Resources".
_SOON = 2
_STAYS = re.compile(
    r"\W*(?:(?:hm+|wait|no|oh|ah|well|ok(?:ay)?|but|and|actually|hang on|sorry)\W+)+"
    r"(?:except\b|[^.?!\n]{2,60}?\b"
    r"(?:stays?|remains?|(?:has|have|needs?) to stay|(?:is|are) (?:ok|fine|allowed|an exception))\b)",
    re.I,
)
#: Who is asked why they did it has done it.
_REPROACH = re.compile(
    r"\W*(?:(?:no|hey|stop|wait|argh+|ugh|omg|wtf|man|and|but|so)\W+)*"
    r"(?:why (?:do|did|are|would|the (?:hell|heck) (?:do|did|are)) you|what are you doing|who told you"
    r"|how (?:often|many times) (?:do|did) i)\b[^?]*\?+$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What became a candidate, and what did not and why."""

    kept: tuple[Weighed, ...] = ()
    refused: tuple[tuple[Weighed, str], ...] = ()


def weigh(session: SessionReading, known: Weights | None = None) -> list[Weighed]:
    """Every reading with its score, in the session's order."""
    known = known or weights()
    found = [
        weighed(reading, known.models["user"], user_features(reading, session)) for reading in session.user_readings
    ]
    found += [
        weighed(reading, known.models["agent"], agent_features(reading, session)) for reading in session.agent_readings
    ]
    found.sort(key=lambda one: (one.reading.unit.number, one.reading.unit.span.start))
    return _with_confirmed(_with_proved(_with_remembered(_with_taken_values(_with_concluded(found))), session))


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
    if not reading.has_ruling and is_looked_at(unit.text):
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
        return _PLAIN_ENOUGH if "standing" in cues and cues & _HOW_OR_WHY else _THIN_SCORE
    if len(reading.about) < _FEWEST_TOPICS:
        return _THIN_SCORE if _is_of_manners(unit) else 0.0
    if "?" in unit.text:
        # "That stays so, forever. What does it cost?": the question does not take back what was said before it.
        cues = user_cues(" ".join(one for one in sentences(unit.text) if not one.endswith("?")))
        if not cues & LASTING:
            return 0.0
    if "standing" in cues and cues & _HOW_OR_WHY:
        return _PLAIN_ENOUGH
    is_found = len(reading.about) >= _OWN_POINT and FOUND_OUT.search(unit.text) is not None
    if _is_of_manners(unit) or ("?" not in unit.text and (is_found or tells_change(unit.text))):
        return _THIN_SCORE
    if len(reading.about) < _OWN_POINT:
        return 0.0
    if "?" not in unit.text and _FROM_NOW.search(unit.text):
        return SURE
    if "remember" in cues:
        return _PLAIN_ENOUGH if cues & {"standing", "prohibit", "reason", "instead"} else REVIEW["user"]
    return 0.0


def _is_a_word_given(reading: UnitReading) -> bool:
    """Whether the user rules in plain words, or answers what they were asked to choose or to say."""
    if reading.unit.sort is UnitRole.ANSWER:
        return "?" not in reading.unit.text.rpartition("\nA:")[2]
    return _picks(reading) or reading.gives_figures or (reading.has_ruling and not reading.unit.is_of_a_page)


def _answer_floor(reading: UnitReading) -> float:
    """What the user chose, or passes on from somebody whose word they go by, is worth a look."""
    unit = reading.unit
    if reading.has_ruling and not (unit.is_of_a_page or unit.is_reviewing):
        return SURE if reading.rules_surely else _THIN_SCORE
    if _picks(reading) or (unit.sort is UnitRole.ANSWER and _is_a_word_given(reading)):
        return REVIEW["user"]
    if reading.gives_figures or (PUTS_RIGHT_AT_ONCE.match(unit.text) and "?" not in unit.text):
        return REVIEW_TALK
    is_point = unit.sort is UnitRole.WORDS and len(reading.about) >= _OWN_POINT and "?" not in unit.text
    return _THIN_SCORE if is_point and _is_passed_on(unit) else 0.0


def _picks(reading: UnitReading) -> bool:
    """Whether the user chooses a way that they were asked to choose from; what shall be done next is no such choice."""
    if reading.proposal.how is not ReplyMatch.ITEM or not reading.is_nod or "?" in reading.unit.text:
        return False
    if _APPROVES.match(reading.unit.text):
        return True
    if _is_wanted_choice(reading):
        return True
    offered = reading.proposal.passages[0].message.text[-_QUESTION_TAIL:]
    return _ASKS_TO_CHOOSE.search(offered) is not None and _ASKS_WHAT_NEXT.search(offered) is None


def _is_wanted_choice(reading: UnitReading) -> bool:
    """Whether the user had asked which to take, or the agent says that this is it now: "Kafka it is"."""
    turn, item = reading.unit.turn, reading.proposal.passages[0].text
    if turn is None or _ASKS_WHAT_NEXT.search(turn.proposal[-_QUESTION_TAIL:]) is not None:
        return False
    taken = _IT_IS.match(turn.after[0].text) if turn.after else None
    return _ASKS_WHICH.search(turn.asked) is not None or (
        taken is not None and bool(topics(taken["what"]) & topics(item))
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
_ASKS_WHAT_NEXT = re.compile(r"\bnext\b|\bstart with\b|\bfirst\?|\bproceed\b|\bcontinue\b", re.I)


#: How something on a screen shall look or lie. Said once, of one thing, it is work.
_LOOKS = re.compile(
    r"\b(?:should|must|needs? to|has to|have to) (?:also |just |not |always )?(?:be|show|look|stand|sit|appear)\b"
    r"(?: \w+){0,2}? (?:round|square|gr[ea]y|red|green|blue|white|black|yellow|orange|pale|dark(?:er)?|light(?:er)?"
    r"|big(?:ger)?|small(?:er)?|large(?:r)?|wid(?:e|er)|narrow(?:er)?|tall(?:er)?|thin(?:ner)?|thick(?:er)?|higher|lower"
    r"|bold|italic|cent(?:er|re)d|aligned|left|right|first|clickable|sticky|transparent|rounded|sharp(?:er)?"
    r"|full[- ]?screen)\b",
    re.I,
)


def _is_of_manners(unit: Unit) -> bool:
    return "?" not in unit.text and _MANNERS.search(unit.text) is not None


#: A value that the agent named, and the user takes: "5 then", "0.35 then. write it into the config".
_TAKES_VALUE = re.compile(
    r"\W*(?:(?:ok(?:ay)?|good|hm+|so|let['’]?s (?:take|say|do|use)|take|make it|we take|i take)[, ]+)*"
    r"(?P<value>\d[\d_.,]*\d|\d)\s?(?:%|[a-zµ]{1,7})?(?:,? (?:then|it is|please|pls))\W*(?:$|(?<=[.,;!] )|\s)",
    re.I,
)


def _with_taken_values(found: list[Weighed]) -> list[Weighed]:
    """ "5 then" says of nothing what it is 5 of: the agent's sentence on what is 5 now does."""
    changed: dict[int, Weighed] = {}
    for one in found:
        turn, said = one.reading.unit.turn, _TAKES_VALUE.match(one.reading.unit.text)
        if one.whose != "user" or turn is None or said is None or one.reading.unit.place:
            continue
        value = re.compile(rf"(?<![\w.]){re.escape(said['value'])}(?![\w]|\.\d)")
        told = [other for other in found if other.whose == "agent" and _is_soon_after(other.reading, turn)]
        named = next((other for other in told if _is_said_of(value, other.reading)), None)
        if named is not None and value.search(turn.proposal) is not None and not one.reading.rules_itself:
            changed[id(named)] = replace(_as_proved(named), reasons=("taken up",), related=one.reading)
            changed[id(one)] = replace(one, score=0.0)
    return [changed.get(id(one), one) for one in found]


def _is_soon_after(reading: UnitReading, turn: Turn) -> bool:
    """Whether the agent says it in answer to the turn, or to the next one or two: it does as it is told in between."""
    answers = reading.unit.turn
    return answers is not None and 0 <= answers.index - turn.index <= _SOON


def _is_said_of(value: re.Pattern[str], reading: UnitReading) -> bool:
    """Whether an agent's sentence says what has the value."""
    text = reading.unit.text
    return value.search(text) is not None and "?" not in text and len(reading.about) >= _FEWEST_TOPICS


def _with_concluded(found: list[Weighed]) -> list[Weighed]:
    """What is ruled for a reason is at least as strong as its reason, which stands before it and says more."""
    changed = list(found)
    for place in range(1, len(found)):
        reason, ruling = changed[place - 1 : place + 1]
        is_one = reason.reading.unit.message == ruling.reading.unit.message
        if is_one and ruling.reading.unit.is_conclusion and 0 < ruling.score < reason.score:
            changed[place - 1] = replace(reason, score=ruling.score, confidence=ruling.confidence)
            changed[place] = replace(ruling, score=reason.score, confidence=max(reason.confidence, ruling.confidence))
    return changed


def _with_remembered(found: list[Weighed]) -> list[Weighed]:
    """ "Remember this" speaks of what was said before it: the strongest statement of the turns before is taken."""
    raised: dict[int, Weighed] = {}
    for place, one in enumerate(found):
        if one.whose != "user" or "remember" not in one.reading.cues or len(one.reading.about) > 3:
            continue
        turn = one.reading.unit.turn
        earlier = [
            (other.score, before)
            for before, other in enumerate(found[:place])
            if other.whose == "user"
            and turn
            and other.reading.unit.turn
            and turn.index - other.reading.unit.turn.index <= 2
        ]
        if earlier:
            best = found[max(earlier)[1]]
            score = max(best.score, _PLAIN_ENOUGH)
            raised[id(best)] = replace(best, score=score, reasons=("cue:remember", *best.reasons))
    return [raised.get(id(one), one) for one in found]


#: How somebody says that what was found out is true.
_CONFIRMS = re.compile(
    r"\W*(?:(?:yep|yes|yeah|yup|ok(?:ay)?|ah+|oh|great|nice|perfect|cool|right|indeed|exactly|wow|ha|and)[ ,.!]+)*"
    r"(?:(?:that|this)(?:['’]?s| is| was| were) (?:it|the (?:one|cause|problem|issue|bug|culprit|reason))\b"
    r"|(?:that|this|it) (?:did it|fixed it|solved it|works(?: now| again)?\b)|confirmed\b|works (?:now|again)\b"
    r"|(?:that |it )?makes (?:total |perfect |a lot of )?sense\b|of course\b"
    r"|(?:that |this )?explains (?:it|a lot|everything)"
    r"|(?:great|good|nice|super|excellent|brilliant|awesome|amazing) (?:find|detective work|sleuthing)\b"
    r"|(?:well|good) spotted\b|nice catch\b)",
    re.I,
)
_REMEMBER_THAT = re.compile(
    r"\b(?:remember|note|keep|save|write) (?:that|this|it)(?: down| in mind)?"
    r"(?=\W*$|[,.;!]| (?:for|when|if|please|pls|somewhere)\b)",
    re.I,
)
_FOUND_IT = re.compile(
    r"\W*(?:found (?:it|the \w+)|got it|reproduced|confirmed|there it is|that explains it)\W+\w"
    r"|\W*it(?:['’]?s| is| was) (?:the|an?) [\w -]{2,30}: \w",
    re.I,
)
#: How many turns of the user's before that the agent may have told the cause.
_TOLD_BEFORE = 3


def _with_proved(found: list[Weighed], session: SessionReading) -> list[Weighed]:
    """What the agent says it proved, after a check and without contradiction, is likely worth a look: it is the answer
    that the session was for."""
    proofs = {id(one): one.reading.unit.message for one in found if _is_proved(one, session)}
    told = tuple(proofs.values())
    return [
        _as_proved(one) if id(one) in proofs else replace(one, score=0.0) if _only_nods_at(one, told) else one
        for one in found
    ]


def _only_nods_at(one: Weighed, told: Collection[Utterance]) -> bool:
    """Whether the user says no more to it than "ok, put it in": what they take up is kept in the agent's words."""
    reading = one.reading
    if one.whose != "user" or not reading.is_nod or reading.has_ruling or reading.cues & (LASTING | {"instead"}):
        return False
    return any(passage.message in told for passage in reading.proposal.passages[:1])


def _as_proved(one: Weighed) -> Weighed:
    return replace(
        one,
        score=max(one.score, REVIEW["agent"]),
        confidence=max(one.confidence, LIKELY),
        reasons=("proved by the agent", *one.reasons),
        is_confirmed=True,
    )


def _is_proved(one: Weighed, session: SessionReading) -> bool:
    unit, turn, is_cause = one.reading.unit, one.reading.unit.turn, "cause" in one.reading.cues
    if unit.is_users or turn is None or len(one.reading.about) < _OWN_POINT or one.reading.is_reversed:
        return False
    if not (turn.passed or turn.failed) or not tells_proof(unit.text, is_cause=is_cause):
        return False
    is_sought = (
        is_cause or says_it_is_proved(unit.text) or any(seeks_cause(asked.text) for asked in _so_far(turn, session))
    )
    reply = session.after(unit)
    return is_sought and (reply is None or not doubts(reply.text))


def _so_far(turn: Turn, session: SessionReading) -> Sequence[Turn]:
    """A turn and those before it that led to what it was answered."""
    return session.talk.turns[max(0, turn.index - _TOLD_BEFORE) : turn.index + 1]


def _with_confirmed(found: list[Weighed]) -> list[Weighed]:
    """ "Yep, that was it" speaks of the cause that the agent found: that is what somebody may keep, not the nod."""
    changed: dict[int, Weighed] = {}
    for place, one in enumerate(found):
        turn = one.reading.unit.turn
        if one.whose != "user" or turn is None or not _takes_up_cause(one.reading.unit.text):
            continue
        told = [(other.score, before) for before, other in enumerate(found[:place]) if _tells_cause(other, turn.index)]
        if not told:
            continue
        cause = found[max(told)[1]]
        score, confidence = max(cause.score, REVIEW["agent"]), max(cause.confidence, LIKELY)
        reasons = ("confirmed by the user", *cause.reasons)
        changed[id(cause)] = replace(
            cause, score=score, confidence=confidence, reasons=reasons, related=one.reading, is_confirmed=True
        )
        if not one.reading.cues & (LASTING | {"instead"}):
            changed[id(one)] = replace(one, score=0.0)
    return [changed.get(id(one), one) for one in found]


def _takes_up_cause(text: str) -> bool:
    """Whether the user says that this was it, or that it is to be remembered."""
    return _CONFIRMS.match(text) is not None or _REMEMBER_THAT.search(text) is not None


def _tells_cause(one: Weighed, at: int) -> bool:
    turn, text = one.reading.unit.turn, one.reading.unit.text
    is_near = turn is not None and 0 < at - turn.index <= _TOLD_BEFORE
    is_cause = "cause" in one.reading.cues or _FOUND_IT.match(text) is not None
    return is_near and one.whose == "agent" and is_cause and "?" not in text


def choose(readings: Iterable[Weighed], session: SessionReading, known: Weights | None = None) -> Chosen:
    """The strongest readings, each point once, up to a number that grows with the square root of the turns."""
    known = known or weights()
    same = _Sameness(session.vocabulary, known)
    kept: list[Weighed] = []
    refused: list[tuple[Weighed, str]] = []
    cap = _CAP + _CAP_GROWTH * math.sqrt(len(session.talk.turns) + session.talk.outside)
    for one in sorted(readings, key=_order):
        if one.rank < 1:
            refused.append((one, "Too little supports it."))
        elif one.reading.is_reversed:
            refused.append((one, "It was taken back later in the session."))
        elif session.is_thin and not (one.is_confirmed or _is_settled(one.reading) or _is_stated(one)):
            refused.append((one, "The session is too short, and nothing says that this should last."))
        elif twin := next(
            (other for other in kept if same.may_be_one(one, other) and same.of(one, other) > _one_point(one)), None
        ):
            refused.append((one, f"It makes the same point as “{_excerpt(twin)}”."))
        elif len(kept) >= cap:
            refused.append((one, "Others in this session are stronger."))
        else:
            kept.append(one)
    return Chosen(tuple(_with_related(kept, [one for one, _ in refused], same)), tuple(refused))


def _one_point(one: Weighed) -> float:
    """From when on it makes a point that was made: what was found out is more than how a ruling was taken up."""
    return _FOUND_OUT if one.reading.is_telling or one.is_confirmed else ONE_POINT[one.whose]


def _order(one: Weighed) -> tuple[bool, float, int, int]:
    """The user's statements come before the agent's: what an agent says of a point must not stand for its user's."""
    unit = one.reading.unit
    return not unit.is_users, -one.rank, unit.number, unit.span.start


def _is_settled(reading: UnitReading) -> bool:
    """Whether even few words settle something: they are said to last, tell, rule and say why, or choose from what was
    offered."""
    return (
        bool(reading.cues & LASTING)
        or (len(reading.about) >= _OWN_POINT and any(both <= reading.cues for both in _TOGETHER))
        or reading.is_telling
        or _accepts_advice(reading)
        or reading.has_ruling
        or PUTS_RIGHT_AT_ONCE.match(reading.unit.text) is not None
        or reading.gives_figures
        or reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    )


def _accepts_advice(reading: UnitReading) -> bool:
    """Whether the user says yes to what the agent advised and gave a reason for."""
    is_yes = reading.is_nod and "agree" in reading.cues and "?" not in reading.unit.text
    return is_yes and {"recommend", "because"} <= agent_cues(reading.proposal.text)


def _is_stated(one: Weighed) -> bool:
    """Whether the user says in their own words how it is, or shall be: no question, nothing that a program printed."""
    unit = one.reading.unit
    is_own = unit.is_users and "?" not in unit.text and not unit.is_printed and not asks(unit.text)
    # "Paypal we throw out" says in two words what it ends.
    least = _FEWEST_TOPICS if tells_change(unit.text) else _OWN_POINT
    return is_own and one.score >= _THIN_SCORE and len(one.reading.about) >= least


def _excerpt(one: Weighed) -> str:
    return " ".join(one.reading.unit.text.split())[:80]


def _are_elsewhere(one: str, other: str) -> bool:
    """Whether each names where it holds, and it is not the same place."""
    mine, theirs = _places(one), _places(other)
    return bool(mine and theirs) and mine.isdisjoint(theirs)


@lru_cache(maxsize=4096)  # Each reading is held against many.
def _places(text: str) -> frozenset[str]:
    return frozenset(_PLACE_OF[name.lower()] for name in _PLACE.findall(text))


class _Sameness:
    """How likely two readings make one point: by the words they share and how near they stand."""

    def __init__(self, vocabulary: Vocabulary, known: Weights) -> None:
        self._vocabulary = vocabulary
        self._weights = known.same

    def may_be_one(self, one: Weighed, other: Weighed) -> bool:
        """A cause that an agent tells is told by nothing that speaks of something else, however near it stands; one
        that the user confirmed by no ruling that came of it, and by no guess that was wrong."""
        if one.is_confirmed and "cause" not in other.reading.cues:
            return False
        if one.whose != "agent" or "cause" not in one.reading.cues:
            return True
        mine, theirs = one.reading.about - _CAUSE_WORDS, other.reading.about - _CAUSE_WORDS
        return self._vocabulary.likeness(mine, theirs) >= _SAME_CAUSE

    def of(self, one: Weighed, other: Weighed) -> float:
        mine, theirs = one.reading.unit, other.reading.unit
        if mine.turn is theirs.turn and mine.mark and theirs.mark and mine.mark != theirs.mark and mine.is_users:
            # Rulings on different items of a list stay apart, however alike they sound.
            return 0.0
        if mine.question != theirs.question and mine.sort is theirs.sort is UnitRole.ANSWER:
            return 0.0
        if _are_elsewhere(mine.text, theirs.text):
            # What holds in staging is no second word on what holds in production.
            return 0.0
        if _speak_for_themselves(one, other) and not (one.reading.about & other.reading.about) - RULE_WORDS:
            # What two statements answer, and what the agent made of them, makes them no more alike.
            return 0.0
        bias, *rest = self._weights
        total = bias + sum(w * f for w, f in zip(rest, nearness(one, other, self._vocabulary), strict=True))
        return 1 / (1 + math.exp(-total))


def _speak_for_themselves(*both: Weighed) -> bool:
    return all(one.reading.unit.is_users and len(one.reading.about) >= _OWN_POINT for one in both)


def nearness(one: Weighed, other: Weighed, vocabulary: Vocabulary) -> tuple[float, float, float]:
    """What two readings share in all, in their own words, and how near their turns are."""
    mine, theirs = one.reading.unit, other.reading.unit
    apart = abs((mine.turn.index if mine.turn else -1) - (theirs.turn.index if theirs.turn else -1))
    return (
        vocabulary.contained(one.about, other.about),
        vocabulary.likeness(one.reading.about, other.reading.about),
        1 / (1 + apart),
    )


def _excepts_from(later: Weighed, rule: Weighed) -> bool:
    """Whether the user takes something out of a rule soon after it: without that the rule would be false."""
    ruled, said = rule.reading.unit.turn, later.reading.unit.turn
    if later.whose != "user" or "standing" not in rule.reading.cues or ruled is None or said is None:
        return False
    if not 0 < said.index - ruled.index <= _SOON:
        return False
    text = later.reading.unit.text
    is_of_it = bool(topics(text) & topics(rule.reading.unit.text) - RULE_WORDS)
    return is_of_it and "?" not in text and _STAYS.match(text) is not None


def _with_related(kept: Sequence[Weighed], others: Sequence[Weighed], same: _Sameness) -> Iterable[Weighed]:
    """Each kept reading with the user's nearest other statement on its point. One statement stands once, and one that
    was taken back nowhere."""
    holds = [one for one in others if one.whose == "user" and not one.reading.is_reversed]
    free = [one for one in holds if one.score >= _RELATED_SCORE and len(one.reading.about) > 3]
    for one in kept:
        if one.related is not None:
            yield one
            continue
        if (but := next((other for other in (*kept, *holds) if _excepts_from(other, one)), None)) is not None:
            yield replace(one, related=but.reading)
            continue
        if one.whose == "user" and one.reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
            likely = [(same.of(other, one), -index, other) for index, other in enumerate(free)]
            chance, _, best = max(likely, default=(0.0, 0, one), key=lambda found: found[:2])
            if chance > _RELATED:
                free.remove(best)
                yield replace(one, related=best.reading)
                continue
        yield one
