"""What was left to do, and which of it later words tell as done. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from lerim.lazy_regex import compile_later
from lerim.text.sentences import sentences
from lerim.text.stems import stem
from lerim.text.words import STOP, words

#: Several things are named in one breath: "the script, and test it on a board".
_BETWEEN = compile_later(r"(?:[.;]|, (?:and|und|then))\s+|,\s+(?=test|write|add|fix|update|remove|check)", re.I)
#: What begins so tells what is still to be done, and rules on nothing.
LEFT_OVER = compile_later(
    r"\W*(?:what(?:'s| is) )?(?:(?:still |now )?(?:left|open|missing|remaining|to do|todos?)|next(?: up| steps?)?"
    r"|for later)(?: now| open| over| to do| for later| points?| items?| questions?| work)?\s*:",
    re.I,
)
_DONE = compile_later(
    r"\b(?:done|works|worked|tested|verified|closed|fixed|merged|finished|shipped|landed|deployed|solved|written|added"
    r"|wired up|built|implemented|moved|renamed|removed|updated|rotated|replaced|reset|erledigt"
    r"|fertig|getestet|funktioniert)\b",
    re.I,
)
_UNDONE = compile_later(r"\b(?:not|n['’]t|never|still|yet|until|once|when|if|to be|will|should|noch|nicht)\b|\?", re.I)
#: So much of what was left, and so many words of it, have to be told as done.
_SHARE, _LEAST = 0.5, 2
#: A thing in one word is known by a longer one.
_LONG = 5
_NUMBER = compile_later(r"(?<![\w&])#\d+\b")
_WHEN = compile_later(r"\([^()]*\)|\b(?:first|later|tomorrow|today|still failing:)(?!\w)", re.I)


def without_label(left: str) -> str:
    """What was left, without the words that only say so: "left now: the docs"."""
    label = LEFT_OVER.match(left)
    return left[label.end() :].lstrip() or left if label else left


#: Where only words were changed, there is nothing to test.
_NO_NEED = compile_later(
    r"\bnot (?:been )?run\b.*\b(?:(?:doc\w*|readme|markdown|comments?|text|wording|typos?)[ -]only"
    r"|(?:only|just) (?:the )?(?:docs?|documentation|comments?|text|wording)|no code)\b",
    re.I,
)
#: Commands that only look at a machine, move about on it or tidy it up: that one failed says nothing of the work.
LOOKS_ONLY = (
    r"cd|ls|cat|touch|del|env|printenv|ssh-add|e?grep|rg|ag|find|fd|head|tail|sed|awk|which|command|type|test|\[|echo"
    r"|printf|pwd|rm|mkdir|cp|mv|kill|pkill|killall|lsof|ps|jq|wc|diff|stat|file|man|sleep|true|export|source|set|read"
    r"|ping|wget|tree|date|whoami|gh"
)
_PROBE = compile_later(rf"^still failing: `(?:{LOOKS_ONLY})(?: [^`]*)?`\W*$", re.I)
_QUESTION = compile_later(r"^(?:(?:asked|offered|announced),? not (?:answered|done)|not answered)\s*:\s*", re.I)
_SAYS_NOTHING_WORDS = """
go going goes ahead continue proceed start begin ready want prefer option options ok okay yes right sound good look
like thing next shall should would one pick choose happy fine please know let move work do which sure think
"""
_SAYS_NOTHING = frozenset(map(stem, _SAYS_NOTHING_WORDS.split()))


def without_noise(left: str) -> str:
    """What was left, without what nobody has to do: tests that only words were not tried with, a look at the machine
    that failed, a question that says nothing of what it asks."""
    said = sentences(left)
    kept = [one for one in said if not _is_noise(one)]
    return left if len(kept) == len(said) else " ".join(kept).rstrip(".")


def _is_noise(left: str) -> bool:
    if _NO_NEED.search(left) is not None or _PROBE.search(left) is not None:
        return True
    asked = _QUESTION.match(left)
    return asked is not None and _telling(left[asked.end() :]) <= _SAYS_NOTHING


def still_left(left: str, later: Iterable[str]) -> str:
    """What is left of what was left open, by what was told later; nothing when all of it is done."""
    things = [thing for thing in _BETWEEN.split(left) if thing.strip(" .")]
    later = [*later]
    told = [bag for text in later for bag in _told_done(text)] if things else []
    closed = frozenset(number for text in later for number in _closed(text)) if things else frozenset()
    kept = [thing for thing in things if not _is_closed(thing, closed)]
    kept = [thing for thing in kept if not any(_is_among(_thing(thing), bag) for bag in told)]
    return left if len(kept) == len(things) else "; ".join(thing.strip(" .") for thing in kept)


def is_told_done(left: str, later: Iterable[str]) -> bool:
    """Whether all of what was left open was told as done later."""
    return not still_left(left, later)


@lru_cache(maxsize=1024)  # Each later text is held against all that was left before it.
def _told_done(text: str) -> tuple[frozenset[str], ...]:
    """The words of each thing that a text tells as done."""
    lines = (line for line in _BETWEEN.split(text) if _DONE.search(line) and not _UNDONE.search(line))
    return tuple(bag for line in lines if (bag := _telling(line)))


@lru_cache(maxsize=1024)
def _closed(text: str) -> frozenset[str]:
    """The numbers of issues that a text tells as done."""
    lines = (line for line in _BETWEEN.split(text) if _DONE.search(line) and not _UNDONE.search(line))
    return frozenset(number for line in lines for number in _NUMBER.findall(line))


def _is_closed(thing: str, closed: frozenset[str]) -> bool:
    """Whether all issues that it names are."""
    numbers = frozenset(_NUMBER.findall(thing))
    return bool(numbers) and numbers <= closed


def _thing(left: str) -> frozenset[str]:
    """What was left, without when, and without who takes it up."""
    return _telling(_WHEN.sub("", left)) or _telling(left)


def _is_among(thing: frozenset[str], told: frozenset[str]) -> bool:
    shared = len(thing & told)
    is_all = shared == len(thing) == 1 and all(len(word) >= _LONG for word in thing)
    return is_all or (shared >= _LEAST and shared >= _SHARE * len(thing))


def _telling(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP and len(word) > 1)
