"""A record as a line: one statement that stands alone, and a short reason where there is room for one. Pure."""

from __future__ import annotations

from typing import NamedTuple

from lerim.context.records import Record
from lerim.lazy_regex import compile_later
from lerim.printable import one_line as printable_line
from lerim.text.common import DENIES
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import STOP, words

#: A statement is a line, not a paragraph; a reason is shorter still.
MAX_STATEMENT = 220
MAX_REASON = 140
_CUT = ("…", "...")
#: How much of the smaller of two statements the other has to say for them to be the same.
_SAME = 0.8
_RULE = compile_later(
    r"^(?:please )?(?:always|never|do not|don['’]t|avoid|only|must|no )\b"
    r"|\b(?:always|never|must(?: not|n['’]t)?|do not|don['’]t|should not|shouldn['’]t|cannot be|may not|from now on"
    r"|(?:is|are) (?:required|forbidden|mandatory|not allowed)|required to|off[- ]limits|under no circumstances)\b",
    2,  # re.IGNORECASE, without loading `re` for its name.
)
_WHY = compile_later(r"(?:^|\n)\s*(?:why|because|reason|rationale)\s*:\s*([^\n]+)", 2)
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
    """Why, in the record's own words: what its body names as the reason, or a first sentence that adds something."""
    named = _WHY.search(record.body)
    candidates = [named.group(1)] if named else sentences(record.body)[:2]
    for candidate in candidates:
        line = one_line(candidate)
        is_whole = 12 <= len(line) <= MAX_REASON and not line.endswith((*_CUT, ":")) and not _ASKS.search(line)
        if is_whole and not is_same(gist(line), gist(said)):
            return line.rstrip(".")
    return ""


def stands_alone(text: str) -> bool:
    """Whether somebody who was not there can use it: whole, and no question."""
    return not text.endswith(_CUT) and not _ASKS.search(text) and len(gist(text).stems) >= 2


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
    return Gist(frozenset(stem(word) for word in found if word not in STOP), denies)


def is_same(one: Gist, other: Gist) -> bool:
    """Whether two statements say the same in other words: most of the shorter one stands in the longer, and neither
    denies what the other says."""
    smaller, larger = sorted((one.stems, other.stems), key=len)
    if one.denies != other.denies:
        return False
    shared = len(smaller & larger) / len(smaller) if smaller else 1.0
    return shared >= _SAME and (len(smaller) > 2 or len(larger) <= len(smaller) + 2)
