"""What a statement claims, rejects and adopts, as stems: what somebody who keeps to it does and does not do. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from lerim.ingest.words import SMALL, stems
from lerim.text.contraries import CHOICES
from lerim.text.stems import stem
from lerim.text.words import words

_STOP = (
    r"(?=[,.;:()\n!?]|\s[-–—]\s|\b(?:but|because|since|instead|when|if|unless|until|so|as|we|it|use|using|prefer)\b|$)"
)
_THING = r"(?:(?:the|a|an|our|any|to|be|using|use|ever)\s+)*(?P<thing>[^,.;:()\n!?]{1,60}?)"
# A title that begins so rejects what follows. In a body such words are about something else too often.
_NEGATION = re.compile(
    r"(?i)\b(?:do not|don['’]t|does not|doesn['’]t|never|not|no|avoid|without|stop|cannot|can['’]t|must not|should not"
    rf"|shouldn['’]t|no more|drop|dropped|remove|removed|abandon|abandoned|ban|forbid|get rid of)\s+{_THING}{_STOP}"
)
# These say in any place that something else is gone.
_REPLACED = re.compile(
    rf"(?i)\b(?:instead of|rather than|no longer|away from|reverts?|reverted|replac(?:e|es|ed|ing)|supersedes?"
    rf"|retire[sd]?|deprecate[sd]?|stopped using|stop using|in place of)\s+{_THING}"
    r"(?=[,.;:()\n!?]|\s[-–—]\s|\b(?:with|by|but|because|since|for|in|on|when|and|to|we|it)\b|$)"
)
_PREFERRED = re.compile(rf"(?i)\b(?:prefer|choose|chose|pick|favou?r)\w*\b[^.;\n]{{1,60}}?\bover\s+{_THING}{_STOP}")
_FROM_TO = re.compile(
    r"(?i)\b(?:switch|move|migrate|migrat|chang|go|went|convert|upgrad|downgrad|bump|port)\w*\b[^.;\n]{0,40}?\bfrom\s+"
    r"(?P<thing>[^,.;:()\n]{1,40}?)\s+to\b"
)
_ARROW = re.compile(r"(?P<thing>[\w.@/-]+)\s*(?:→|->|=>)\s*[\w.@/-]+")
_GONE = re.compile(
    r"(?i)(?:^|[.;,\n]\s*)(?P<thing>[\w.@/ -]{2,40}?)\s+(?:is|are|was|were|has been)\s+"
    r"(?:no longer|gone|removed|dropped|out)\b"
)
# What a choice is a choice of: the thing right behind its verb, before what it is for and why.
_ADOPTED = re.compile(
    r"(?i)^(?:let['’]?s |we(?:['’]ll| will| should)? )?"
    r"(?:use|adopt|choose|keep|pick|go with|take|run|deploy(?: to| on)?|host(?: on)?"
    r"|(?:switch|move|migrate)(?: over)? to|standardi[sz]e on)"
    r"\s+(?:the |a |an |our |only )?(?P<thing>[^,.;:()\n!?]{1,40}?)"
    r"(?=[,.;:()\n!?]|\s(?:with|for|because|since|in|on|to|as|when|so|and|everywhere|instead|rather|over|from|at)\b|$)"
)
_NEGATION_WORDS = """
not never no don't do doesn't avoid without stop cannot can't must should shouldn't instead rather
"""
_NEGATIONS = frozenset(map(stem, _NEGATION_WORDS.split()))
_NUMBER = re.compile(r"v?\d[\d.,_]*(?:ms|s|m|h|d|kb|mb|gb|k|%|px)?", re.IGNORECASE)
# A number after one of these names a thing; it is no value that could change.
_NUMBERED_WORDS = """
phase step task issue pr ticket item milestone sprint section adr rfc part stage wave bug case option
"""
_NUMBERED = frozenset(_NUMBERED_WORDS.split())


@dataclass(frozen=True, slots=True)
class Stance:
    """What a title and a body come to: the subject, what is claimed of it, and what is rejected."""

    title: frozenset[str]
    everything: frozenset[str]
    claims: frozenset[str]
    rejects: frozenset[str]
    numbers: frozenset[str]
    #: Numbers that name a thing: phase 14.
    names: frozenset[str]
    #: What the title chooses, when it is a choice.
    adopts: frozenset[str] = frozenset()


@lru_cache(maxsize=2048)  # One candidate is compared with many records, and these with the next candidate.
def stance(title: str, body: str) -> Stance:
    """The stance a memory takes."""
    rejected_in_title = _things(title, (_NEGATION, _REPLACED, _PREFERRED, _FROM_TO, _ARROW, _GONE))
    rejected = rejected_in_title | _things(body, (_REPLACED, _PREFERRED, _FROM_TO, _GONE))
    meaning = stems(title) - _NEGATIONS or stems(title)
    numbers, names = _numbers(title)
    return Stance(
        title=meaning - numbers,
        everything=(meaning | stems(body)) - _NEGATIONS,
        claims=meaning - rejected_in_title - numbers,
        # Whatever the title claims in the same breath is not rejected: "use pnpm instead of npm" keeps pnpm.
        rejects=rejected - (meaning - rejected_in_title),
        numbers=numbers,
        names=names,
        adopts=_things(title, (_ADOPTED,)),
    )


def is_choosable(word: str) -> bool:
    """Whether it is one of the things of which a project has one, such as a package manager."""
    return any(stem(word) in choices for choices in CHOICES)


def rivals(chosen: frozenset[str]) -> frozenset[str]:
    """What cannot be used where these were chosen, as stems."""
    groups = [choices for choices in CHOICES if choices & chosen]
    return frozenset(word for choices in groups for word in choices) - chosen


def _things(text: str, patterns: tuple[re.Pattern[str], ...]) -> frozenset[str]:
    found = (match["thing"] for pattern in patterns for match in pattern.finditer(text))
    return frozenset(word for thing in found for word in map(stem, words(thing)) if word not in SMALL) - _NEGATIONS


def _numbers(title: str) -> tuple[frozenset[str], frozenset[str]]:
    values: set[str] = set()
    names: set[str] = set()
    line = words(title)
    for before, word in zip(["", *line], line, strict=False):
        if _NUMBER.fullmatch(word):
            if before in _NUMBERED:
                names.add(f"{before} {word}")
            else:
                values.add(word)
    return frozenset(values), frozenset(names)
