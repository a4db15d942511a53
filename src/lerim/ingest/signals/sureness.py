"""Whether a candidate is sure: plainly said to last, with a title that stands alone."""

from __future__ import annotations

import re

from lerim.context.records import LIKELY
from lerim.ingest.findings import Tier
from lerim.ingest.signals.asked import leaves_it
from lerim.ingest.signals.causes import FOUND_CAUSE, MENDED, reports_fault
from lerim.ingest.signals.cues import PUTS_RIGHT_AT_ONCE, agent_cues, lasts_in_english, user_cues
from lerim.ingest.signals.forms import settles as settles_question
from lerim.ingest.signals.model import Curve, between
from lerim.ingest.signals.passing import (
    LASTING,
    is_seen,
)
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.rulings import rules_surely, tells_how
from lerim.ingest.signals.subjects import lacks_subject
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import (
    asks,
    has_tasks,
    is_errand,
    is_for_once,
    is_passing,
    is_task,
    is_whole,
    points_back,
    settles,
    stands_alone,
    wonders,
)
from lerim.ingest.signals.units import UnitRole
from lerim.ingest.signals.weighing import OWN_POINT, SURE, Weighed
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: So much speaks for it that it is sure without a word of a rule, and though something is asked beside it.
STRONG = 0.6
#: Signs that say as much together: what we do and what not, what not and why, a choice and why.
_TOGETHER = tuple(
    frozenset(both.split())
    for both in ("fact instead", "fact prohibit", "decide prohibit", "prohibit reason", "decide reason", "rule reason")
)
#: So much more often than its form tells, what a user settled and is likely to be worth keeping is; what an agent says
#: is as its form tells. So the user's words come first (`evals/extract.py --review` on everyday sessions).
_USERS_WORD = 0.15
#: Who says so says that it lasts, whatever the title is left with.
_FROM_NOW_ON = re.compile(
    r"\bfrom (?:now|here) on\b|\bgoing forward\b|\bforever\b|\bfor good\b"
    r"|(?:\bfrom now|(?:^|[.;:!,] )in (?:the )?future),? (?:please|pls|always|never|only|use|keep|run|ask|do"
    r"|don['’]?t)\b",
    re.I,
)
#: "Whether we should allow it" without an answer tells nothing.
_OPEN_QUESTION = re.compile(
    r"\bwhether (?:to|(?:we|i|you|it|they|the \w+) (?:should|shall|can|could|may))\b[^:]*\Z", re.I
)


def tier_of(one: Weighed, title: str, session: SessionReading) -> Tier:
    """What is plainly said to last, with a title that stands alone, is sure; all else is for somebody with judgment."""
    reading = one.reading
    if reading.unit.sort is UnitRole.ANSWER:
        # How an option happens to be worded says nothing of whether it holds.
        is_sure = settles_question(reading.unit.question, reading.unit.answer) and is_whole(title)
        return Tier.SURE if is_sure and _is_in_english(reading, title) else Tier.REVIEW
    if not reading.unit.is_users or one.score < SURE or _is_doubtful(reading, title):
        return Tier.REVIEW
    is_strong = one.score >= STRONG
    if _is_asked(reading, title, beside=not is_strong):
        return Tier.REVIEW
    if session.is_thin and not (is_settled(reading) and _lasts_itself(reading, title)):
        return Tier.REVIEW
    if reading.cues & LASTING and not (is_english(reading.unit.text) and lasts_in_english(reading.unit.text)):
        # In other languages only the plainest rules are known, and not how a title stands.
        is_named = is_whole(title) and not (lacks_subject(title) or points_back(title))
        return Tier.SURE if is_named and _keeps_that_it_lasts(title, reading.unit.text) else Tier.REVIEW
    is_to_last = _FROM_NOW_ON.search(reading.unit.text) is not None
    is_ruled = _rules(reading, title) or is_to_last
    is_said = is_ruled or is_strong
    # "Run make gen before …" is no errand when it is said to be done from now on.
    is_over = is_passing(title) and not (is_to_last and is_errand(title))
    # Of several orders some are done once, and whoever forbids with them speaks of one wrong step.
    is_clear = (
        (is_to_last or not has_tasks(title))
        and stands_alone(title)
        and not lacks_subject(title)
        and not is_over
        and _is_in_english(reading, title)
        and not is_seen(title)
    )
    if not is_to_last and _LOOKS.search(title) is not None and not reading.cues & LASTING:
        return Tier.REVIEW
    # A short ruling may be all names that nobody knows: "no jpeg, use webp".
    is_garbled = not reading.rules_itself and session.speller.is_garbled(title)
    return Tier.SURE if is_said and is_clear and not is_garbled else Tier.REVIEW


def confidence_of(one: Weighed, title: str, session: SessionReading, sure: Curve) -> float:
    """Which share of what is said like this was right: what is sure has a curve of its own. What waits is likely when
    the user rules on something in a title that stands alone, whatever else speaks for it; a task is not. Of two
    that are likely, the user's is the likelier."""
    if sure:
        return between(sure, one.score)
    if _is_idle(one.reading, title):
        return min(one.confidence, LIKELY - 0.01)
    found = max(one.confidence, LIKELY) if _is_plain(one.reading, title, session) else one.confidence
    may_be_taken = _may_be_taken(one.reading, title)
    is_word = found >= LIKELY and one.reading.unit.sort in {UnitRole.WORDS, UnitRole.PLAN}
    if not is_word or title.endswith(MENDED):
        return found if may_be_taken else min(found, LIKELY)
    # A title that has to be put otherwise takes time, and says nothing against what was said.
    return _USERS_WORD + (found if may_be_taken else (found + LIKELY) / 2)


def _may_be_taken(reading: UnitReading, title: str) -> bool:
    """Whether somebody may accept it as it stands: the title says what holds, and is neither of the moment, mended nor
    how things were before a plan. Such are looked at before the others."""
    if title.endswith(MENDED) or (reading.unit.sort is UnitRole.PLAN and not settles(title)):
        return False
    if not is_english(title):
        return is_whole(title)
    return stands_alone(title) and not (is_passing(title) or lacks_subject(title))


def _is_idle(reading: UnitReading, title: str) -> bool:
    """Whether the title is a task, a question, a thought or a fault: nothing that somebody should look at first."""
    is_chosen = reading.proposal.how is ReplyMatch.ITEM or reading.settles_question
    if is_chosen or reading.unit.sort is UnitRole.ANSWER or FOUND_CAUSE in reading.cues:
        return False
    is_users = reading.unit.is_users and ": " not in title
    if reading.cues & LASTING:
        # Who asks whether something is forever says nothing of what shall last.
        return is_users and asks(title)
    is_question = is_users and (asks(title) or wonders(title))
    is_question = is_question or (reading.unit.is_users and _UNDECIDED.search(title) is not None)
    # What goes wrong is over when it is mended: its cause is told.
    is_fault = reading.unit.is_users and not title.endswith(MENDED) and reports_fault(title)
    # What an agent tells of itself is how it went.
    is_tale = not reading.unit.is_users and _OF_ITSELF.search(title) is not None
    return is_question or is_fault or is_tale or is_task(title) or has_tasks(title) or is_for_once(title)


#: Who says so has not settled it.
_UNDECIDED = re.compile(
    r"\b(?:there )?needs? to be (?:a decision|decided)\b|\bwe (?:still |first )?(?:need|have) to (?:decide|validate"
    r"|find out"
    r"|figure out|clarify)\b|\b(?:on|about) whether or not\b",
    re.I,
)
_OF_ITSELF = re.compile(r"\b(?:I|I['’](?:m|ve|ll|d)|my|me)\b")


def _is_plain(reading: UnitReading, title: str, session: SessionReading) -> bool:
    """Whether the user rules on something, as far as form tells, in a title that stands alone."""
    if not reading.unit.is_users or reading.unit.sort is not UnitRole.WORDS or _is_doubtful(reading, title):
        return False
    if _is_asked(reading, title, beside=True) or not (_is_in_english(reading, title) and _rules(reading, title)):
        return False
    is_named = stands_alone(title) and not lacks_subject(title) and not session.speller.is_garbled(title)
    return is_named and not is_passing(title) and not is_seen(title) and _LOOKS.search(title) is None


#: Who says so says that a rule follows.
_ANNOUNCES = re.compile(
    r"\W*(?:[\w'’]+[, ]+){0,3}?"
    r"(?:(?:(?:our|the|a|one|ground|house|golden) (?:[\w-]+ )?)?(?:rule|convention|policy|principle|agreement"
    r"|requirement)"
    r"(?::| (?:here )?is(?: that|:)?) (?!(?:broken|wrong|not|missing|unclear|too|still|also|in|on|at|there|gone|new|old"
    r"|fine|ok|that (?:it|i|you|this)|it)\b)"
    r"|(?:make|take) (?:this|that|it) (?:a|our|your|the) (?:habit|rule|standard|default|convention|policy): "
    r"|(?:it is|it['’]s) (?:very |really |so )?(?:important|crucial|essential|vital|critical) (?:for \w+ )?that"
    r" (?!(?:i|you|it|this|that|we (?:finish|fix|do|get|ship|hurry|start))\b)"
    r"|(?:we|i)(?: have|['’]ve)? (?:just )?decided (?:that|to|on|against) "
    r"|(?:the|a) (?:most |very |really )?important (?:thing|point|part) is that (?!(?:i|you|it|this|that)\b))\w",
    re.I,
)


def _rules(reading: UnitReading, title: str) -> bool:
    """Whether a title rules by itself, or tells how something is done, as the user said it."""
    if settles(title) or rules_surely(title) or "standing" in user_cues(title):
        return True
    if _ANNOUNCES.match(_point(reading.unit.text, title)) is not None:
        return True
    return tells_how(title) and any(map(tells_how, sentences(reading.unit.text)))


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
    if reading.proposal.is_shown:
        # The title is another's, turned around.
        return True
    if unit.is_of_a_brief and not reading.cues & LASTING:
        return True
    if reading.is_nod and reading.proposal.how not in {ReplyMatch.ITEM, ReplyMatch.QUESTION}:
        return True
    if reading.has_ruling and not reading.rules_itself:
        # On what, only the agent may have said.
        return True
    if leaves_it(unit.text) or reports_fault(unit.text) or _OPEN_QUESTION.search(title) is not None:
        return True
    # A plan tells what is wrong as plainly as what shall be.
    return unit.sort is UnitRole.PLAN


def _is_asked(reading: UnitReading, title: str, *, beside: bool) -> bool:
    """Whether the user asks, asks for something or is not sure in it: in the sentence that the title is of, or also in
    what they say `beside` it."""
    if reading.unit.sort is not UnitRole.WORDS:
        return False
    text = _without_reproach(reading.unit.text, title)
    if reading.cues & LASTING:
        text = " ".join(one for one in sentences(text) if not _asks_of_other(one, title))
    if beside:
        return wonders(text)
    # "Should we say that?" asks of what is said beside it.
    asks_of_it = (one.endswith("?") and _ASKS_OF_IT.search(one) is not None for one in sentences(text))
    return wonders(_point(text, title)) or any(asks_of_it)


def _asks_of_other(sentence: str, title: str) -> bool:
    """Whether a question is on something else: "always use tabs. and what about the footer?"."""
    is_of_it = _ASKS_OF_IT.search(sentence) is not None or not topics(title).isdisjoint(topics(sentence))
    return sentence.endswith("?") and _ASKS_WHAT.match(sentence) is not None and not is_of_it


_ASKS_WHAT = re.compile(
    r"\W*(?:(?:and|but|so|also|ok(?:ay)?|btw)[ ,]+)*(?:what|how|where|when|which|who)\b(?! (?:about|of)? ?(?:it"
    r"|that)\b)",
    re.I,
)


def _point(text: str, title: str) -> str:
    """The sentence of a text that a title is of."""
    about = topics(title)
    return max(sentences(text), key=lambda one: len(about & topics(one)), default=text)


def _is_in_english(reading: UnitReading, title: str) -> bool:
    """Whether a title, or the sentence that it was made of, is English: "Value short functions over clever ones" has
    hardly a small word."""
    return is_english(title) or is_english(_point(reading.unit.text, title))


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
#: Who is asked why they did it has done it.
_REPROACH = re.compile(
    r"\W*(?:(?:no|hey|stop|wait|argh+|ugh|omg|wtf|man|and|but|so)\W+)*"
    r"(?:why (?:do|did|are|would|the (?:hell|heck) (?:do|did|are)) you|what are you doing|who told you"
    r"|how (?:often|many times) (?:do|did) i)\b[^?]*\?+$",
    re.I,
)
#: How something on a screen shall look or lie. Said once, of one thing, it is work.
_LOOKS = re.compile(
    r"\b(?:should|must|needs? to|has to|have to) (?:also |just |not |always )?(?:be|show|look|stand|sit|appear)\b"
    r"(?: \w+){0,2}? (?:round|square|gr[ea]y|red|green|blue|white|black|yellow|orange|pale|dark(?:er)?|light(?:er)?"
    r"|big(?:ger)?|small(?:er)?|large(?:r)?|wid(?:e|er)|narrow(?:er)?|tall(?:er)?|thin(?:ner)?|thick(?:er)?|higher|lower"
    r"|bold|italic|cent(?:er|re)d|aligned|left|right|first|clickable|sticky|transparent|rounded|sharp(?:er)?"
    r"|full[- ]?screen)\b"
    r"|\b(?:should|must|needs? to|has to) (?:also |just |only )?say (?!(?:what|how|why|where|who|whether|if"
    r"|that"
    r"|from|only|no)\b)\S",
    re.I,
)


def is_settled(reading: UnitReading) -> bool:
    """Whether even few words settle something: they are said to last, tell, rule and say why, or choose from what was
    offered."""
    return (
        bool(reading.cues & LASTING)
        or (len(reading.about) >= OWN_POINT and any(both <= reading.cues for both in _TOGETHER))
        or reading.is_telling
        or _accepts_advice(reading)
        or reading.has_ruling
        or PUTS_RIGHT_AT_ONCE.match(reading.unit.text) is not None
        or reading.settles_question
        or reading.sets_anew
        or reading.swaps
        or reading.unit.is_agreed
        or reading.proposal.how in {ReplyMatch.ITEM, ReplyMatch.QUESTION}
    )


def _accepts_advice(reading: UnitReading) -> bool:
    """Whether the user says yes to what the agent advised and gave a reason for."""
    is_yes = reading.is_nod and "agree" in reading.cues and "?" not in reading.unit.text
    return is_yes and {"recommend", "because"} <= agent_cues(reading.proposal.text)
