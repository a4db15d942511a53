"""What says nothing that lasts, whatever words it has: questions, reports, what is for once, and what leads in."""

from __future__ import annotations

import re

from lerim.ingest.signals.cues import tells_change
from lerim.ingest.signals.plain_words import is_of_now
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.summary_later import is_left_for_later
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import has_a_verb
from lerim.ingest.signals.units import Unit, UnitRole
from lerim.ingest.words import is_english
from lerim.text.sentences import sentences

#: Who says so says that it lasts.
LASTING = frozenset({"standing", "remember"})
#: What rules in every language whose words are known.
RULES_ANYWHERE = frozenset({"standing", "remember", "prohibit", "rule", "should", "instead"})
#: So few words without a verb are no statement.
_FRAGMENT_WORDS = 5
#: What an agent says of its working tree holds until the next command.
_OF_THE_MOMENT = re.compile(
    r"\bworking (?:tree|directory|copy) (?:is|has|was)\b|\b(?:un)?staged\b|\buntracked\b|\buncommitted\b"
    r"|\b(?:net|[-+−]) ?[-+−]?\d+ lines\b|\b(?:is|was|are) (?:now )?(?:checked out|stashed|rebased)\b"
    r"|\ball tests? (?:now )?pass",
    re.I,
)
#: How a question begins that asks for nothing to be done.
_WONDERS = re.compile(
    r"\W*(?:(?:and|so|but|ok(?:ay)?|hm+|wait|also|then|btw)[ ,]+)*"
    r"(?:what|whats|what['’]s|why|how|where|which|who|when|is|are|am|was|were|do|does|did|has|have)\b",
    re.I,
)


def says_nothing_lasting(reading: UnitReading) -> bool:
    """Whether form alone says that nothing of it will matter in the next session."""
    return (
        reading.is_passing
        or _only_leads_in(reading.unit)
        or _only_asks(reading)
        or _is_fragment(reading)
        or _is_of_the_moment(reading)
        or _is_for_once(reading)
        or _only_reports(reading)
    )


def _only_leads_in(unit: Unit) -> bool:
    """Whether its line ends with a colon: it leads in what follows, and says nothing itself."""
    if unit.sort is not UnitRole.WORDS or not unit.text.rstrip(" *_").endswith((":", "：")):
        return False
    return not unit.message.text[unit.span.end :].partition("\n")[0].strip(" *_")


def _is_fragment(reading: UnitReading) -> bool:
    """Whether the user only names something, in a few words that state nothing: "the mail subject", "inngest or so"."""
    unit, how = reading.unit, reading.proposal.how
    if unit.sort is not UnitRole.WORDS or how in {ReplyMatch.ITEM, ReplyMatch.QUESTION} or unit.mark:
        return False
    if reading.gives_figures:
        return False
    is_short = len(unit.text.split()) <= _FRAGMENT_WORDS and is_english(unit.text) and not reading.has_ruling
    return is_short and not reading.cues and not tells_change(unit.text) and not has_a_verb(unit.text)


def _is_of_the_moment(reading: UnitReading) -> bool:
    """Whether an agent tells how the working tree stands, or how much it wrote."""
    unit = reading.unit
    return unit.sort is UnitRole.AGENT and not reading.is_telling and _OF_THE_MOMENT.search(unit.text) is not None


_ONCE = re.compile(
    r"\b(?:just|only) (?:for )?this (?:time|once)\b|\bfor this (?:one )?(?:time|run|once)\b|\bthis once\b", re.I
)
_LOOK_INTO = re.compile(
    r"\b(?:(?:find|figure) out (?:why|what|how)|look into (?:it|this|that|why)|check why|see why"
    r"|debug (?:it|this|that)|investigate (?:it|this|that|why|the)"
    r"|(?:pls|please|can you|,) fix(?: (?:it|this|that|pls|please|asap))?\W*$)",
    re.I,
)
#: What somebody wants mended: "…, it always jumps back to USD". Nobody rules on that.
_GOES_WRONG = re.compile(
    r"[,.;:(-]\s*(?:it|they|this|that|which|because it|die|der|das|es|er|sie)\b[^,.;!?]{0,24}?"
    r"\b(?:always|never|keeps?|immer|nie|ständig|dauernd)\b[^,.;!?]*",
    re.I,
)
#: What does not end, or goes wrong each time, as somebody sees it: "the spinner never goes away".
_NEVER_ENDS = re.compile(
    r"\bnever (?:goes away|finish(?:es)?|ends|stops|loads|responds|works|completes|closes|returns|comes back)\b"
    r"|\b(?:always|keeps?|constantly) (?:crash|fail|break|hang|freez|flicker|jump|reset|overlap|tim(?:es|ing) out"
    r"|gets? stuck|getting stuck|disappear|goes blank|going blank)\w*",
    re.I,
)
_RULES_WORD = re.compile(
    r"\b(?:always|never|must|from now on|every time|immer|nie(?:mals)?|ab jetzt|should|don['’]?t|do not)\b", re.I
)
#: A question without its mark: "why do we get the old index in the tests now", "what about the purge".
_ASKS_UNMARKED = re.compile(
    r"\W*(?:(?:and|so|but|ok(?:ay)?|hm+|wait|also|then|btw)[ ,]+)*(?:(?:why|how|when|where|who) (?:do|does|did"
    r"|is|are|was|were|can|could|would|has|have)|what about|what (?:do|does|did|is|are|was|were))\b[^.?!\n]*$",
    re.I,
)
#: A question of one sentence, as Japanese and Chinese end theirs.
_ASKS_ELSEWHERE = re.compile(r"^[^。！!\n]{0,80}(?:(?:です|ます|でしょう|ない|の)か|吗|嗎|呢)[？?。]?$")


def _only_asks(reading: UnitReading) -> bool:
    """Whether each sentence of the user's asks what, how or whether it is: who asks for something wants it."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING:
        return False
    if _ASKS_ELSEWHERE.search(unit.text) or _ASKS_UNMARKED.match(unit.text):
        return True
    if "?" not in unit.text:
        return False
    return all(one.endswith("?") and _WONDERS.match(one) for one in sentences(unit.text))


def _only_reports(reading: UnitReading) -> bool:
    """Whether the user tells what goes wrong and wants it looked into: that is over when it is mended."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS:
        return False
    if "request" in reading.cues and _GOES_WRONG.search(unit.text):
        return not _RULES_WORD.search(_GOES_WRONG.sub("", unit.text))
    if _NEVER_ENDS.search(unit.text) and not _RULES_WORD.search(_NEVER_ENDS.sub("", unit.text)):
        return True
    if reading.cues & RULES_ANYWHERE:
        return False
    if all(map(is_of_now, sentences(unit.text))):
        return True
    return _LOOK_INTO.search(unit.text) is not None and not tells_change(unit.text)


def _is_for_once(reading: UnitReading) -> bool:
    """Whether the user says that it is for this time, or puts off what is left to do."""
    unit = reading.unit
    if unit.sort is not UnitRole.WORDS or reading.cues & LASTING:
        return False
    if _is_at_it_themselves(unit.text) and not reading.has_ruling:
        return True
    if _ONCE.search(unit.text) is not None or is_left_for_later(unit.text):
        return True
    # "Next week. Not in this sprint": what was offered is no decision yet.
    return reading.is_nod and any(map(is_left_for_later, sentences(unit.text)[:1]))


_SOME_DAY = (
    r"(?:myself|tonight|tomorrow|later(?: today)?|this (?:evening|afternoon|weekend|week)|next week"
    r"|after (?:lunch|work|dinner)|(?:on |next |till |until )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
#: What somebody does alone, once, or why they will not be there.
_AT_IT_THEMSELVES = re.compile(
    rf"\bi(?:['’]?ll| will|['’]?m going to| am going to|['’]?m gonna| can)? (?!always|never|want|need|prefer|expect)"
    rf"(?:[\w'’-]+ ){{1,7}}?{_SOME_DAY}\b"
    r"|\bi(?:['’]?m| am)(?: \w+)? "
    r"(?:on (?:vacation|holidays?|leave)|away|out of office|offline|sick|back (?:on|in|at))\b",
    re.I,
)


def _is_at_it_themselves(text: str) -> bool:
    said = [one for one in sentences(text) if topics(one)]
    return "?" not in text and bool(said) and all(map(_AT_IT_THEMSELVES.search, said))
