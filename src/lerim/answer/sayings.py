"""What a record says, sentence by sentence, and what each sentence is there for. Pure.

Bodies carry marks that are no words of theirs: headings, labels, what a reply answers. An answer quotes sentences, so
the marks are read here and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from lerim.context.records import Primitive, Record
from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.sentences import sentences
from lerim.text.statements import statement


class Purpose(Enum):
    """What a sentence is there for."""

    POINT = "what holds"
    #: What the agent reports of a session.
    HAPPENED = "what happened"
    REASON = "why"
    #: What somebody wanted of a session: it says what was asked for, not what came of it.
    WISH = "what was wanted"
    #: What somebody chose or ruled in between.
    CHOICE = "what somebody chose"
    #: How things are, as somebody says in between of what they want done.
    TOLD = "what somebody said"
    #: What tools did, as a summary counts it.
    DEED = "what was done"
    #: What stands beside the point: what an agent reported when it had followed.
    ASIDE = "what stands beside it"
    LEFT = "what is left to do"


@dataclass(frozen=True)
class Saying:
    """A sentence without its marks and its full stop."""

    text: str
    purpose: Purpose
    #: Which of the messages it was said in: what stands beside it there is of the same matter.
    message: int = 0


_CODE = compile_later(r"```.*?(?:```|\Z)", re.S)
_HEADING = compile_later(r"^\s*#{1,6}\s")
_BULLET = compile_later(r"^(?:[-*+•]|\d+[.)]|>)\s+")
_LABEL = compile_later(r"^(?:\*\*)?(?P<label>[A-Z][A-Za-z ]{1,24}?)(?:\*\*)?:(?:\*\*)?(?:\s+|$)")
_PURPOSES = {
    "why": Purpose.REASON,
    "reason": Purpose.REASON,
    "because": Purpose.REASON,
    "intent": Purpose.WISH,
    "then": Purpose.WISH,
    "what happened": Purpose.HAPPENED,
    "outcome": Purpose.DEED,
    "open": Purpose.LEFT,
    "put right later": Purpose.POINT,
    str(Primitive.DECISION): Purpose.POINT,
    "agent": Purpose.ASIDE,
    "user": Purpose.POINT,
}
_RULE = compile_later(r"(?i)^rule\b|^from now on\b|\b(?:belongs?|must|never|always)\b")
#: Who says so chooses, in the form of an order.
_CHOICE = compile_later(
    r"(?i)^(?:(?:ok|okay|yes|no|hm+|let['’]?s)[,.]? )*"
    r"(?:go (?:for it|with|for|back to)|use|stay|stick|keep|drop|replace|switch|take|no (?!\d)|only|back to|limit|skip"
    r"|leave|whether )\b|\b(?:after all|instead of|rather than)\b|\bwins?$"
)
_IS_SO_MUCH = compile_later(r"(?i)\b(?:is|are|stays?|goes to|put it (?:back )?to|make it|set it to) (?:at |now )?\d")
_ERRAND = compile_later(
    r"(?i)(?:please )?(?:check|find|look|see|figure|explain|tell|show|fix|debug|investigate|add|make|write|create"
    r"|update)\b"
)
#: What says of itself that it is the cause of something.
PROVED = compile_later(
    r"(?i)\b(?:root cause|(?:is|was|were) the (?:cause|reason|culprit)|caused by|(?:is|was) (?:to blame|due to)"
    r"|(?:comes?|came) from|turns? out|turned out|because)\b|\bit (?:is|was) the \w+ (?:that|which)\b"
)
_IS_THE_CAUSE = compile_later(
    r"(?i)(?:\w+ ){0,3}?(?:that['’]?s|that is|this is|there['’]?s) "
    r"(?:it(?! for\b| then\b| from\b)|why|(?:the|our) (?:root )?(?:cause|reason|culprit))\b"
)
_NAMED_CAUSE = compile_later(
    r"(?i)(?:(?:the|die|der|la|el) )?(?:root )?(?:cause|reason|ursache|grund|causa|motivo)"
    r"(?: (?:found|gefunden|trouvée)| \(agent\))?:"
    # "The root cause was a lost lock", "the problem is that the disk is full"
    r"|(?:the )?(?:(?:root|actual|real|likely) )?(?:cause|reason|culprit)(?: of [\w ]{1,40}?)? (?:is|was) "
    r"|the (?:issue|problem|bug|trouble) (?:is|was) (?:that|because|in how|caused by)\b"
)
_STILL_FAILING = compile_later(r"^Still failing: `")
_CAUSE_LABEL = compile_later(r"^Cause \(agent\): (?:Problem: )?")
#: How an outcome counts what tools did. What else stands there, the agent said last.
_DEED = compile_later(
    r"(?:done|partly done|failed|interrupted|changed|committed|pushed|opened|merged|`|\d+ (?:other )?files?\b)", re.I
)
_NAMING = frozenset({Purpose.POINT, Purpose.HAPPENED})
_CLAUSE = compile_later(r",\s+(?=(?:and|but|so|because|which|since)\b)")
#: Words that a sentence needs to be said without its last clause.
_LEAST = 6
#: What happened is told of the past. What only says what to do was offered to somebody, and who knows if it was taken.
_HAPPENED = compile_later(r"\s*\*\*What happened:\*\*")
_TO_DO = compile_later(r"(?i)(?:stay|stick|go (?:with|for|back|down|up|to)|leave|keep|switch|use|take|try|do)\b(?! ?:)")
#: Verbs whose past looks no different.
_EITHER_TIME = frozenset(("set", "put", "cut", "let", "hit", "read", "reset", "split", "shut", "run", "build", "test"))
#: What a reply answers was said by somebody else, and is no point of the record's.
_ANSWERED = "in reply to"


def sayings(record: Record) -> list[Saying]:
    """What the body of a record says, in its order, each sentence once."""
    found: dict[str, Saying] = {}
    paragraphs = [text for text in re.split(r"\n\s*\n", _CODE.sub("", record.body)) if text.strip()]
    for at, paragraph in enumerate(paragraphs):
        # Below what somebody said in a session stands what the agent reported when it had done so.
        is_summary = record.primitive is Primitive.SUMMARY
        reported = at > 0 and not is_summary and bool(record.evidence)
        first = max((one.message for one in found.values()), default=0) + 1
        told = _without_options(paragraph) if is_summary else paragraph
        for saying in _said_in(told, Purpose.ASIDE if reported else Purpose.POINT, first):
            is_of_a_session = saying.purpose in (Purpose.WISH, Purpose.CHOICE, Purpose.TOLD, Purpose.DEED)
            if is_of_a_session and not is_summary:
                saying = Saying(saying.text, Purpose.POINT, saying.message)
            found.setdefault(saying.text, saying)
    return _announced(list(found.values()))


def _said_in(paragraph: str, purpose: Purpose, message: int) -> Iterator[Saying]:
    """The sentences of a paragraph. A label is for what follows it, to the end of the paragraph or the next label."""
    for line in paragraph.splitlines():
        if _HEADING.match(line):
            continue
        message += 1
        for sentence in sentences(_BULLET.sub("", line.strip())):
            label = _LABEL.match(sentence)
            name = label["label"].lower() if label else ""
            if name == _ANSWERED:
                return
            if label and name in _PURPOSES:
                purpose, sentence, message = _PURPOSES[name], sentence[label.end() :], message + 1
            # Wishes of a session are told in a row. What somebody wants to hold from then on is a point.
            for at, text in enumerate(sentence.split("; ") if purpose is Purpose.WISH else [sentence]):
                message += at > 0
                if bare := text.strip().rstrip(" .;"):
                    yield Saying(_whole(_CAUSE_LABEL.sub("", bare)), _purpose(bare, purpose), message)


def _without_options(paragraph: str) -> str:
    """What happened in a session, without the items of a list that somebody was offered."""
    if _HAPPENED.match(paragraph) is None:
        return paragraph
    lines = paragraph.splitlines()
    items = [_BULLET.sub("", line.strip()) if _BULLET.match(line.strip()) else "" for line in lines]
    offered = [bool(item) and _is_offered(item) for item in items]
    for at, item in enumerate(items):
        # "Stay with Hive", "Drift with WAL": an item beside it that tells nothing is of the same list.
        if item and any(offered[max(at - 1, 0) : at + 2]) and not _has_verb(item):
            offered[at] = True
    return "\n".join(line for line, is_option in zip(lines, offered, strict=True) if not is_option)


def _is_offered(item: str) -> bool:
    return _TO_DO.match(item) is not None or is_order(item)


def is_order(item: str) -> bool:
    """Whether a sentence begins with what somebody is to do."""
    first = item.split(maxsplit=1)[0].lower().strip(",.;:")
    orders = (part for part in statement(item, "").main[:1] if part.is_order)
    return first not in _EITHER_TIME and any(part.verb == first for part in orders)


def _has_verb(item: str) -> bool:
    return any(part.is_whole or part.verb for part in statement(item, "").main)


def _announced(said: Sequence[Saying]) -> list[Saying]:
    """The sayings; what "that's the cause" is said of in its message is the reason: what follows it, else what stands
    before it."""
    found = list(said)
    for at, one in enumerate(said):
        if _IS_THE_CAUSE.match(one.text) is None:
            continue
        beside = [place for place in (at + 1, at - 1) if 0 <= place < len(said) and said[place].message == one.message]
        if beside and found[beside[0]].purpose is not Purpose.REASON:
            found[beside[0]] = Saying(said[beside[0]].text, Purpose.REASON, one.message)
    return found


def _purpose(text: str, labelled: Purpose) -> Purpose:
    if labelled is Purpose.WISH:
        return _wished(text)
    if _STILL_FAILING.match(text) is not None:
        return Purpose.DEED
    if labelled is Purpose.DEED and _DEED.match(text) is None:
        return Purpose.TOLD
    return Purpose.REASON if labelled in _NAMING and _NAMED_CAUSE.match(text) is not None else labelled


def _wished(text: str) -> Purpose:
    if PROVED.search(text) is not None and not text.endswith("?"):
        return Purpose.REASON
    if _RULE.search(text) is not None:
        return Purpose.POINT
    if _CHOICE.search(text) is not None and not text.endswith("?"):
        return Purpose.CHOICE
    return Purpose.TOLD if _tells(text) else Purpose.WISH


def _tells(text: str) -> bool:
    """Whether somebody says how things are, in between of what they want done."""
    if _IS_SO_MUCH.search(text) is not None and not text.endswith("?"):
        return True
    said = statement(text, "").main if not text.endswith("?") and _ERRAND.match(text) is None else ()
    return bool(said) and said[0].is_whole and not said[0].is_order and bool(said[0].verb)


def _whole(text: str) -> str:
    """A sentence that was cut off, without the clause that misses its end; as it is when nothing would be left."""
    clauses = _CLAUSE.split(text) if text.endswith("…") else []
    return ", ".join(clauses[:-1]) if len(" ".join(clauses[:-1]).split()) >= _LEAST else text
