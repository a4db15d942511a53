"""What a user introduces as somebody else's words: a mail to translate, what a colleague said, a text to judge. Pure.

"Bob said: …", "Is this phishing? …" and "Summarize this article" all say whose words follow, and they are not the
user's. Nobody can tell where such words end, so they go on to the end of the message: better to lose words than to
invent a speaker. Only a last paragraph that turns against them ("I don't agree. …") is the user's again. "Decision: …",
"Remember: …" and "as I said: …" introduce the user's own. Where the user seems to answer below a letter, and where only
a name stands before a colon, nobody can tell: such words are weighed as the user's, and never sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from lerim.ingest.introductions import OWN_HEADING, hinted, introduced
from lerim.ingest.letters import answered_from, chats, forwarded, is_all_letter, letters
from lerim.ingest.listed_points import listed_points
from lerim.ingest.pages import pages, typed_end
from lerim.ingest.passed_on import relayed_from
from lerim.ingest.reported_speech import paragraphs, reported
from lerim.ingest.shown_texts import headed, spoken_of_below
from lerim.ingest.text_work import ABOUT_WORK
from lerim.ingest.words import EVER

#: Several numbered lines and nothing else: answers to as many questions.
_NUMBERED_LINE = re.compile(r"(?m)^(?P<number>\d{1,2})[.)] [^\n]+")
_UNNUMBERED_LINE = re.compile(r"(?m)^(?!\d{1,2}[.)] ).*\S")
_LEAST_ITEMS = 3
# A longer clause before a colon, and a question that ends a paragraph.
_COLON = re.compile(r"[^:：?？.!。！\n]++[:：](?=\s|[^\x00-\x7f])")
_LAST_QUESTION = re.compile(r"(?<=[.!?。！])[^.!?。！？\n]{2,120}[?？]\W*$")
#: A label is shorter.
_CLAUSE_WORDS = 3
_LONG_QUOTE = re.compile(
    r"(?=[“„«「『\"])(?:[“„«「『](?P<one>[^“”„«»「」『』\n]{12,2000})[”“»」』]|(?<![\w=(])\"(?P<two>[^\"\n]{12,2000})\"(?!\w))"
)
# Before a quotation: a wording that the user orders, "the button should read …".
_ORDERED = re.compile(
    r"(?i)\b(?:(?:should|must|shall|has to|needs to|to) (?:say|read|show|print)|(?:call|name|rename|label|title"
    r"|print|pattern|format|template|wording)\b[^\"“”\n.!?]{0,60}?)\W*$"
)
#: What the user says that their own program shows: "the empty page just says …".
_SHOWN = re.compile(
    r"(?i)\b(?:page|screen|view|button|label|banner|toast|footer|header|heading|headline|dialog|modal|popup|tooltip|badge"
    r"|placeholder|caption|subject|title|tab|column|cell|field|state|box|form|app|bot|legend|axis|card|splash|menu|board|list"
    r"|panel|sidebar|widget|overlay|hud|display|lcd|prompt|notification)s?"
    r"\b[^\"“”\n.!?]{0,40}?\b(?:shows?|displays?|reads?|prints?|says?|gets?|becomes?|is|stays?)"
    r"(?: (?:just|only|always|now|then|simply|the text))*\W*$"
)
_LEAD = 90
#: From so many words on, what stands in quotation marks is a saying and not a name.
_SAYING = 5
#: A rule is a saying in fewer.
_RULE_WORDS = 3
_RULE = re.compile(rf"(?i)\b(?:{EVER}|from now on)\b")


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """The slices of a user's message that are introduced as another's words, or look like nothing else."""
    if _is_asked(text) or relayed_from(text) is not None:
        return
    points = listed_points(text)
    if points is not None:
        yield from points.others
        if points.verdicts:
            for start, end in ((0, points.start), (points.end, len(text))):
                yield from ((start + a, start + b) for a, b in _quoted(text[start:end]))
            return
    for start, end in _items(text):
        yield from ((start + a, start + b) for a, b in _quoted(text[start:end]))


def _is_asked(text: str) -> bool:
    """Whether it is an answer given through a question tool: question and answer are marked already."""
    return text.startswith("Q: ") and "\nA: " in text


def _items(text: str) -> Iterator[tuple[int, int]]:
    """The answers of somebody who numbers them, one line each, from the first to the last: what introduces another's
    words in one of them does so to its end. Of any other text, all of it."""
    lines = [*_NUMBERED_LINE.finditer(text)]
    numbers = [int(line["number"]) for line in lines]
    if len(lines) < _LEAST_ITEMS or numbers != [*range(1, len(lines) + 1)] or _UNNUMBERED_LINE.search(text):
        yield 0, len(text)
    else:
        yield from (line.span() for line in lines)


def _quoted(text: str) -> Iterator[tuple[int, int]]:
    end = _end_of_shown(text)
    yield from ((start, max(start, min(stop, end))) for start, stop in _shown(text))
    if (asked := spoken_of_below(text)) is not None:
        yield 0, asked
    yield from _questioned(text)
    yield from reported(text)
    yield from pages(text)
    yield from _sayings(text)


def _shown(text: str) -> Iterator[tuple[int, int]]:
    """The texts that go on to the end, as far as they tell."""
    typed = typed_end(text)
    if (begins := forwarded(text)) is not None:
        yield begins, len(text)
    if (below := headed(text)) is not None:
        yield below, max(below, typed)
    yield from ((start, max(start, min(end, typed))) for start, end in introduced(text))
    yield from letters(text)
    yield from chats(text)


def _end_of_shown(text: str) -> int:
    """Where the user seems to answer to a text that they show; the end where they do not."""
    answered = answered_from(text)
    is_below = answered is not None and any(start < answered <= end for start, end in _shown(text))
    return answered if answered is not None and is_below else len(text)


@lru_cache(maxsize=256)  # Each statement of a message is asked about.
def doubted(text: str) -> tuple[tuple[int, int], ...]:
    """The slices of a user's message that may be theirs or another's: where only a name stands before them, below a
    letter or a chat, and what is passed on. Somebody should look."""
    relayed = relayed_from(text)
    passed_on = () if relayed is None else ((relayed, len(text)),)
    if _is_asked(text):
        return passed_on
    if (points := listed_points(text)) is not None and points.verdicts:
        return *passed_on, (points.start, points.end)
    if is_all_letter(text):
        return ((0, len(text)),)
    answered = ((start + _end_of_shown(text[start:end]), end) for start, end in _items(text))
    return *passed_on, *((start, end) for start, end in answered if start < end), *hinted(text)


def is_doubted(text: str, start: int, end: int) -> bool:
    """Whether a slice of a user's message may be another's words."""
    return any(start < stop and begin < end for begin, stop in doubted(text))


def _questioned(text: str) -> Iterator[tuple[int, int]]:
    """What stands between a colon and a last question about it: "The plan they have: … Is that wise?"."""
    for start, paragraph in paragraphs(text):
        colon = _COLON.search(paragraph) if "?" in paragraph or "？" in paragraph else None
        asked = _LAST_QUESTION.search(paragraph.rstrip()) if colon else None
        if not colon or not asked or colon.end() > asked.start() or ABOUT_WORK.search(asked.group()):
            continue
        is_label = colon.group().isascii() and len(colon.group().split()) < _CLAUSE_WORDS
        if not is_label and not OWN_HEADING.search(colon.group()):
            yield start + colon.end(), start + asked.start()


def _sayings(text: str) -> Iterator[tuple[int, int]]:
    for found in _LONG_QUOTE.finditer(text):
        said = found["one"] or found["two"]
        before = text[max(0, found.start() - _LEAD) : found.start()]
        is_rule = _RULE.search(said) is not None
        if _ORDERED.search(before) or (_SHOWN.search(before) and not is_rule):
            continue
        if len(said.split()) >= (_RULE_WORDS if is_rule else _SAYING):
            yield found.span()
