"""What a reply chose or refused, by its name: "B, no second database" means what B is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from lerim.ingest.signals.phrasing import as_subject, capital, is_order, lower
from lerim.ingest.signals.plain_words import agents_statement, ended, fitting, headline, lead_off, plain, statement
from lerim.ingest.signals.reading import UnitReading
from lerim.ingest.signals.replies import BY_PLACE, Passage, ReplyMatch
from lerim.ingest.signals.subjects import doing
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.titles import is_errand
from lerim.ingest.signals.units import Unit
from lerim.ingest.signals.verdicts import without_left_out
from lerim.text.sentences import sentence_spans

#: So much of what was offered stands beside what was said to it.
CONTEXT_WORDS = 28
#: An item's name is short, and a colon stands behind it.
_NAME_WORDS = 5
#: So short is a label, and so long an item with what it means, alone and among others.
_LABEL_WORDS, _ITEM_CHARS, _ITEMS_CHARS = 3, 110, 150
_CHOOSING = r"(?:let['’]?s )?(?:use|go with|go for|choose|pick|take|approved?)"
CHOICE = re.compile(
    rf"(?:(?:(?:{_CHOOSING} )?(?:option |opt ))?#?\(?(?:\d{{1,2}}|[A-H])\)?"
    rf"|{_CHOOSING} (?-i:\d{{1,2}}|[A-H])\b)"
    r"(?:(?=[,.:)])[,.:)](?!\d)\s*|\s+(?=please\b|because\b|since\b"
    r"|and\b|is (?:fine|ok(?:ay)?|good|great|it|best|better)\b|but\b|then\b|for now\b"
    r"|without\b)|$)(?:please\b|it is\b|then\b)?[ ,.]*"
    rf"|(?:{_CHOOSING} )?{BY_PLACE}(?: please| pls| then)?(?:[.,;:!]+\s*|$)",
    re.I,
)
#: Several of them: "2, 3, 4a and 5. …"
CHOICES = re.compile(
    r"#?(?:\d{1,2}[a-h]?|[a-h])(?:(?:\s*,\s*(?:and |& )?|\s+(?:and|&|\+)\s+)"
    r"#?(?:\d{1,2}[a-h]?|[b-h]|a(?! (?!and\b|or\b|but\b|please\b|pls\b|then\b)\w))\b"
    r"(?! (?:as|bit|few|lot|new)\b)(?! ?(?:%|[munµ]?s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?"
    r"|years?|times?|[kmgt]i?b|px)\b))+"
    r"[.,;:]?\s*",
    re.I,
)
#: "Second one but with sqlite".
_ONE_OF_THEM = re.compile(rf"(?:{_CHOOSING} )?{BY_PLACE}\s+(?=(?:but|with|without|and|because|since)\b)", re.I)
#: "B, …" and "2 please" choose; "1. …" may answer a question that has a number.
_CHOOSES = re.compile(
    rf"(?:{_CHOOSING}|option|opt)\b.{{0,10}}?\b(?-i:\d{{1,2}}|[A-H])\b"
    r"|\(?(?-i:[A-H])\)?[,.: ]|(?:\d{1,2}|[a-h]),? (?:please|pls|then|but)\b|\d{1,2}, "
    rf"|(?:{_CHOOSING} )?{BY_PLACE}(?: please| pls| then)?(?:[.,;:!]|$)",
    re.I,
)
#: Who says so takes nothing of what was offered.
_REFUSES = re.compile(
    r"\W*(?:\d{1,2}[.):]?\s+|[a-h][.):]\s+)?(?:no|nope|nah|skip|don['’]?t|do not|nein|non|rather not|out)\b"
    r"(?! (?:problem|worries|objections?|need to ask|doubt|matter)\b)",
    re.I,
)
#: "1. No Redis, …" refuses something, and perhaps not what 1 is: this is what.
RULES_OUT = re.compile(
    r"\W*(?:\d{1,2}[.):]?\s+|[a-h][.):]\s+)?(?:no|kein\w*) (?!(?:that|it|its|it['’]s|this|these|those|we|i|they|you|he"
    r"|she|thanks|need|not|because|since|as|for|but|leave|keep|let|way|longer|more|point|use|reason|time|one|and|or|so)\b)"
    r"(?P<what>[^,.;:!?]+?)(?= (?:as long as|while|since|because|as|if|when|until|unless)\b|[,.;:!?]|$)",
    re.I,
)
#: Who refuses a ban allows what it forbids: nobody says "do not never".
_BANNED = re.compile(r"(?:never|do not|don['’]?t|dont) (?:ever )?(?=[a-z])", re.I)
_IS_CLAUSE = re.compile(
    r"\w (?:must|should|shall|may|can|needs? to|ha(?:s|ve) to|muss|müssen|soll(?:en|te)?|doit|doivent|debe)\b", re.I
)
_POLITE = re.compile(r"(?:please|pls|bitte),? |(?:we|i|you) (?:should|must|need to|have to) (?=always |never )", re.I)
#: What an agent offers to do, besides what a team rules: "no" to it is "do not".
_DOES = re.compile(
    r"(?:allow|archive|block|build|change|check|encrypt|expose|extend|extract|fix|hash|hide|inline|let|log|make|notify"
    r"|raise|retry|return|rewrite|round|run|send|show|sort|support|throw|truncate|update|upgrade|verify|wrap)"
    r" (?!of\b|is\b|are\b)",
    re.I,
)
#: What is chosen, and otherwise than it was offered.
CHANGES_CHOICE = re.compile(
    r"\W*(?:but|with|without|except|minus|plus|only)\b(?! (?:that|it|this|please|what|why|how)\b)", re.I
)
#: What somebody wants done besides what they chose: "2, and do the index as well while you're at it".
BESIDES = re.compile(
    r"^\W*(?:and|also|plus)\b.*\b(?:while (?:you|u)\b|as well|can['’]?t hurt)|\bwhile (?:you['’]?re|ur) at it\b", re.I
)
_OR = re.compile(r"\bor\b", re.I)
#: A question on something that was named before it: "should I add one?"
_ON_IT = re.compile(
    r"\b(?:it|one|ones|that|this|them|those|these|so|both)(?: (?:now|too|as well|here|there|first|instead|for you))*$",
    re.I,
)
#: What asks for a thing, an amount or a time, in a few languages; and what makes it a matter of the talk alone.
_OPEN = re.compile(
    r"(?:(?:for|in|on|at|from|to|with|until|since) )?(?:which|what|where|when|how (?:many|much|long|often|big|large|far"
    r"|old|fast))\b|(?:(?:für|in|auf|bis|ab|seit) )?(?:welche\w*|wie (?:viele?|lange|oft|groß|weit)|wo|wann|wohin)\b"
    r"|combien\b|quel(?:le)?s?\b|où\b|quand\b|cuánt\w+|cuál\w*|dónde\b|cuándo\b|quant[aeio]s?\b|qua(?:l|is|le|li)\b",
    re.I,
)
_OF_TALK = re.compile(
    r"\b(?:you|your|me|i|it|its|this|that|these|those|them|they|one|ones|next|else|first|wrong|happened|du|dir|sie|ihr"
    r"|ich|es|das|tu|vous|je|ça|tú|usted|yo|eso)\b",
    re.I,
)
_LEAST_NAMED = 2
_HEAD_CHARS = 90
#: So many words of an item's name in a row name it again.
_NAME_AGAIN = 3
_WORDS = re.compile(r"[\w'’-]+")


def asked_for(text: str) -> str:
    """What the agent asked last, as what the answer is about; nothing when that cannot be said otherwise."""
    question = last_question(text).rstrip("? ")
    # "Next are snapshot tests: do you want me to add them?"
    for asked in dict.fromkeys((question, question.rpartition(": ")[2])):
        subject = as_subject(asked)
        if subject != asked and _ON_IT.search(subject) is None and (name := _as_deed(subject)):
            return headline(name, 90)
    # "Which database holds the rows: A or B?"
    open_one = question.partition(": ")[0].strip()
    is_named = _OPEN.match(open_one) is not None and _OF_TALK.search(open_one) is None
    return headline(capital(open_one), 90) if is_named and len(topics(open_one)) >= _LEAST_NAMED else ""


def _as_deed(subject: str) -> str:
    """ "Whether to add an index" names no more than "adding an index" does, and asks. Of two ways nothing is named."""
    head, _, deed = subject.partition("hether to ")
    if head.lower() != "w":
        return subject
    first, joint, second = deed.partition(" and ")
    is_two = joint and is_deed(second)
    return "" if _OR.search(deed) else capital(f"{doing(first)}{joint}{doing(second) if is_two else second}")


def last_question(text: str) -> str:
    """The last sentence that asks, or an empty text."""
    asked = [span.of(text) for span in sentence_spans(text) if span.of(text).endswith("?")]
    return plain(asked[-1]) if asked else ""


def without_choice(text: str) -> str:
    """What is said to what was chosen, without the number or letter that chose it."""
    for several in (CHOICES, _ONE_OF_THEM):
        if (named := several.match(text)) is not None:
            return text[named.end() :]
    found = CHOICE.match(text)
    return text[found.end() :] if found is not None and not text[found.end() :].startswith("is ") else text


def with_ruling(item: str, ruling: str) -> str:
    """The item and what the user said to it, without its name again and without what is only done next."""
    ruling = _without_name(item, ruling)
    if len(topics(ruling)) < 1:
        return item
    if topics(item) <= topics(ruling):
        return capital(ruling)
    if ruling.lower().startswith(("because", "since", "as ")):
        return f"{item}, {lower(ruling)}"
    return f"{item}{'; ' if ': ' in item else ': '}{lower(ruling)}"


def _without_name(item: str, ruling: str) -> str:
    """What is said behind the name of an item that is chosen by it: "a keep the old order, let's merge"."""
    named, said = _WORDS.findall(item), list(_WORDS.finditer(ruling))
    begins = 1 if said and len(said[0][0]) == 1 else 0
    pairs = zip((one[0].lower() for one in said[begins:]), map(str.lower, named), strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if shared < _NAME_AGAIN:
        return ruling
    rest = statement(ruling[said[begins + shared - 1].end() :])
    return "" if is_errand(rest) else rest


def replied_to(reading: UnitReading) -> str:
    """The item that a reply is to, denied where the reply says no."""
    text = reading.proposal.passages[0].text
    item = capital(_POLITE.sub("", _head(text), count=1))
    if not is_refused(reading):
        return without_left_out(_told(item, text, _ITEM_CHARS), reading.unit.text)
    if item.lower().startswith("no "):
        # Who is told that something is missing and says "not needed" leaves it so.
        return item
    if (banned := _BANNED.match(item)) is not None:
        return f"It is fine to {item[banned.end() :]}"
    if is_deed(item):
        return f"Do not {lower(item)}"
    # "Cookies must be strict" is no thing that there could be none of.
    return f"Refused: {lower(item)}" if _IS_CLAUSE.search(item) is not None else f"No {lower(item)}"


def is_deed(text: str) -> bool:
    """Whether it names something that may be done, and not a thing."""
    return is_order(text) or _DOES.match(text) is not None


def option_name(reading: UnitReading) -> str:
    """What the item is called that a reply is to, without what it means: "Debounce: wait until …" is "debounce"."""
    item = replied_to(reading)
    name, mark, _ = plain(reading.proposal.passages[0].text).partition(": ")
    name = agents_statement(name)
    is_name = mark and 0 < len(name.split()) <= _NAME_WORDS and topics(name) and item.lower().startswith(name.lower())
    return name if is_name else item


def is_refused(reading: UnitReading) -> bool:
    """Whether the user says no to an item that was no question."""
    if reading.proposal.is_shown:
        return True
    if reading.proposal.how is not ReplyMatch.ITEM or _REFUSES.match(reading.unit.text) is None:
        return False
    item, ruled_out = plain(reading.proposal.passages[0].text), RULES_OUT.match(reading.unit.text)
    if ruled_out is not None and topics(ruled_out["what"]).isdisjoint(topics(item)):
        return False
    return not item.endswith("?")


def heads(passages: Sequence[Passage]) -> str:
    """What several items are called."""
    limit = _ITEM_CHARS if len(passages) < 2 else _ITEMS_CHARS // len(passages)
    return "; ".join(_told(_head(passage.text), passage.text, limit) for passage in passages)


def _told(label: str, text: str, limit: int) -> str:
    """The item with what it means, where its name is a label that says nothing by itself: "Split + join: cut …"."""
    if len(label.split()) > _LABEL_WORDS:
        return label
    whole = next((plain(span.of(text)) for span in sentence_spans(text)), "").rstrip(".")
    means = whole[len(label) :].lstrip(" :–—-") if whole.lower().startswith(label.lower()) else ""
    is_told = len(topics(means)) > 1 and not means.endswith("?")
    return headline(f"{label}: {lower(means)}", limit) if is_told else label


def _head(text: str) -> str:
    """What an item of a list is called: its bold beginning, or its first clause."""
    bold = re.match(r"\W{0,4}\*\*([^*\n]{4,90})\*\*", text)
    called = re.sub(r"^(?:item|option|q) ?\w{1,2}[:.] *", "", plain(bold.group(1) if bold else text), flags=re.I)
    found = as_subject(called.rstrip("? ")) if called.endswith("?") else agents_statement(called)
    return headline(found, _HEAD_CHARS).rstrip(" ?")


def answers_openly(reading: UnitReading) -> bool:
    """Whether the reply says something, and more than yes to the last question: "15 min is fine"."""
    is_said = reading.answer is not None or bool(topics(lead_off(reading.unit.text)))
    return reading.proposal.how is not ReplyMatch.ITEM and is_said


def is_choice(unit: Unit) -> bool:
    """Whether the user names one of several, or is asked for no more."""
    said = lead_off(unit.text)
    return unit.is_lone_item or any(one.match(said) for one in (_CHOOSES, CHOICES, _ONE_OF_THEM))


def what_was_chosen(passages: Sequence[Passage], said: str) -> str:
    """What the agent offered, without the question that follows it, and without what the user takes it without."""
    lines = [line for passage in passages for line in passage.text.split("\n") if not line.rstrip().endswith("?")]
    offered = "\n".join(lines) or " ".join(passage.text for passage in passages)
    return fitting(without_left_out(agents_statement(" ".join(map(plain, offered.split("\n")))), said), CONTEXT_WORDS)


def with_what_was_added(offered: str, reading: UnitReading) -> str:
    """What was chosen, with what the user changed of it, or ruled besides: "1 and 3. no redis"."""
    text = without_choice(lead_off(reading.unit.text)).strip(" .")
    own = statement(text)
    if not topics(own) or topics(own) <= topics(offered) or BESIDES.search(text):
        return offered
    if CHANGES_CHOICE.match(text):
        return ended(f"{offered.rstrip('.')}, {lower(text)}")
    return f"{ended(offered)} {ended(own)}"
