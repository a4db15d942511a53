"""A record as a line: one statement that stands alone, and a short reason where there is room for one. Pure."""

from __future__ import annotations

from typing import NamedTuple

from lerim.context.records import Record
from lerim.lazy_regex import compile_later
from lerim.printable import one_line as printable_line
from lerim.text.common import DENIES
from lerim.text.sentences import first_sentence, sentences
from lerim.text.stems import stem
from lerim.text.words import STOP, words

#: A statement is a line, not a paragraph; a reason is shorter still.
MAX_STATEMENT = 220
MAX_REASON = 140
_CUT = ("…", "...")
#: One word in so many may be more, for two statements to be the same.
_ADDS = 3
# Said as an order that lasts: at the start, behind a comma or a colon, or of what must or must not be.
_RULE = compile_later(
    r"(?:^|[,;:(] |[-–—] |\band |\bbut )(?:please )?(?:always|never|do not|don['’]t|avoid|must(?: not)?)\b"
    r"|^only \w|^no \w+ing\b|^from now on\b|\bmust(?: not|n['’]t| never| always| only)? (?!have been\b|be wrong\b)\w"
    r"|\b(?:should|shall|may|can) (?:never|always|only)\b|\b(?:should not|shouldn['’]t|shall not|may not|must not)\b"
    r"|\b(?:is|are) (?:required|forbidden|mandatory|prohibited|not allowed|off[- ]limits)\b|\bunder no circumstances\b",
    2,  # re.IGNORECASE, without loading `re` for its name.
)
_WHY = compile_later(r"(?:^|\n|\. )\s*(?:why|reason|rationale)\s*:\s*(?:because )?([^\n]+)", 2)
_BECAUSE = compile_later(r"\bbecause ([^\n.;]+)", 2)
# How people speak to somebody who is there: what they point at is gone when the session is.
_TALK_WORDS = (
    "i i'm i'd i've i'll my you've you're you who why what how canyou this that that's these those it its it's they he"
    " she her his ok okay yes yeah nope reviewed fixed wrote like same also then so and but or"
)
_TALK_PHRASES = ("can you", "could you", "would you", "let me", "not sure", "figure out", "first,", "no need to ask")
_TALK = compile_later(rf"^(?:(?:{'|'.join(_TALK_WORDS.split())})(?![\w'-])|{'|'.join(_TALK_PHRASES)})", 2)
_MARKUP = compile_later(r"^[#>*\-\s]+|\*\*|__")
_ASKS = compile_later(r"[?？]\s*$")


def statement(record: Record) -> str:
    """What a record says, as one line: its title; one that was cut is made whole from the body if that can be."""
    title = one_line(record.title)
    if not title.endswith(_CUT):
        return title
    begun = title.rstrip("….").rstrip().casefold()
    for sentence in sentences(record.body):
        line = one_line(sentence)
        if line.casefold().startswith(begun) and not line.endswith(_CUT):
            return line if len(line) <= MAX_STATEMENT else title
    return title


def reason(record: Record, said: str) -> str:
    """Why, in the record's own words; of what a person wrote down, else how they go on. Nothing where neither is
    short, whole, and more than what was said already."""
    if not record.primitive.is_lesson:
        return ""
    named = _WHY.search(record.body) or _BECAUSE.search(record.body)
    goes_on = "" if record.evidence else first_sentence(record.body)
    for found, mark in ((named[1] if named else "", "why: "), (goes_on, "")):
        line = first_sentence(one_line(found)).rstrip(" .")
        is_whole = 8 <= len(line) <= MAX_REASON and not line.endswith((*_CUT, ":")) and not _ASKS.search(line)
        if is_whole and not is_same(gist(line), gist(said)):
            return f"{mark}{line}"
    return ""


def stands_alone(text: str) -> bool:
    """Whether somebody who was not there can use it: whole, no question, nothing that points at what only those saw
    who were there."""
    is_whole = "…" not in text and not text.endswith((*_CUT, ":")) and text.count('"') % 2 == 0
    is_talk = _ASKS.search(text) or _TALK.search(text.replace("’", "'"))
    return is_whole and not is_talk and any(word not in STOP for word in words(text))


def is_binding(text: str) -> bool:
    """Whether it is said as something that must or must not be done."""
    return _RULE.search(text) is not None


def one_line(text: str) -> str:
    """Text without line ends and marks of Markdown that would turn a line into something else."""
    return _MARKUP.sub("", printable_line(text)).strip()


class Gist(NamedTuple):
    """What a statement is about, as stems, and whether it denies."""

    stems: frozenset[str]
    denies: bool


def gist(text: str) -> Gist:
    found = words(text)
    denies = sum(word in DENIES for word in found) % 2 == 1
    stems = frozenset(stem(word) for word in found if word not in STOP)
    # What is all glue is about nothing but itself.
    return Gist(stems or frozenset({text.casefold()}), denies)


def is_same(one: Gist, other: Gist) -> bool:
    """Whether two statements say the same in other words: all of the shorter one stands in the longer, which adds
    little, and neither denies what the other says. A word that differs may be the very point."""
    smaller, larger = sorted((one.stems, other.stems), key=len)
    if one.denies != other.denies or not smaller <= larger:
        return False
    return len(larger) <= len(smaller) + max(len(smaller) // _ADDS, 1)
