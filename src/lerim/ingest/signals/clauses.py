"""The clauses of a sentence that could stand alone: where it may be cut, and where it must not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.ingest.signals.phrasing import SINCE_WHEN
from lerim.ingest.signals.text import COMMON, topics
from lerim.ingest.signals.titles import asks
from lerim.text.sentences import sentence_spans
from lerim.text.words import words

CLAUSE = re.compile(
    # What is not why, or not all of it, is not cut off: "not because of the price".
    rf"(?<!\bnot)(?<!\bonly)(?<!\bjust)(?<!mainly)(?<!partly),? (?:because|since(?! {SINCE_WHEN})|so that"
    r"|otherwise(?! (?:because|since|as)\b|\W*(?:$|[.;]))|bcz|in case"
    r"|which (?:means|is why))\b|\s[–—-]{1,2}\s|; "
    r"| so (?=(?:all|every|any|no|each|never|always|please)\b)"
    r"|(?<=\w)\.\s|(?<=\w): |, (?:and|but|so|then|which|or|while|where)\b|\.{2,}"
    r"|\? |\n(?!\s*[a-z])|, (?=(?:we|all|any|every|each|no|always|don['’]?t|do not"
    r"|never(?! (?:with|from|in|on|by|via|for|through|at|to|as)\b)|please|use|keep|let['’]?s"
    r"|maybe)\b)"
)
_RUNS_ON = re.compile(
    r" (?=(?:this|that|it|they|we|also|please) (?:also |only )?(?:should|must|needs?|is|are|has)\b)", re.I
)
#: After these a clause goes on: "the page must ensure it is never shown".
_TAKES_CLAUSE_WORDS = """
    ensure ensures says say said mean means meant shows show hope assume feel believe guess wish expect confirm check
    verify ask asks asked told tell remember note everything anything something whatever every time moment because
    until unless whether though although while where when once before after given case fact sure
"""
_TAKES_CLAUSE = frozenset(_TAKES_CLAUSE_WORDS.split())
_LEAST_RUN = 25
_DEPENDS = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|yes|also|then)\W+)*(?:if|when|whenever|unless|until|once|while|before|after|for"
    r"|in case)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\W*(?:(?:so|and|but|ok|okay|yes|also|then|at least)\W+)*(?:if|when|whenever|unless|until|till|once|while"
    r"|as soon as|as long as|in case|up to (?:version )?v?\d)\b",
    re.I,
)
_THEN = re.compile(r"\b(?:must|should|never|always|only|do not|don['’]?t)\b", re.I)
_GIVES_REASON = re.compile(r"because|since|so that|otherwise|bcz|in case|which", re.I)
_AND = re.compile(r", (?:and|or)\b")
_RESTRICTS = re.compile(r"[\s,;:.–—-]*(?:but |and )?(?:only|unless|except|if|when|until|as long as|but not)\b", re.I)
_BRACKETS = re.compile(r"\([^()\n]{0,300}\)?")


_NEVER = re.compile(r"(?:never|no|not)\b", re.I)
_SETTLES = re.compile(r"\b(?:only|always|just|must)\b", re.I)


def clauses_of(text: str) -> Iterator[tuple[str, float]]:
    """The sentence, then its clauses when it is long for a title. What stands in brackets is no clause, and what holds
    on a condition is none without it."""
    yield text, 0.5
    if len(text) <= 60:
        return
    open_text = _BRACKETS.sub(lambda match: " " * len(match.group()), text)
    # Within a sentence a full stop is part of a word: "max. 5", "the shop. prefix".
    ends_at = {span.end for span in sentence_spans(text)}
    found = (cut for cut in CLAUSE.finditer(open_text) if cut.group()[0] != "." or cut.start() + 1 in ends_at)
    cuts = sorted((*found, *_run_on(open_text)), key=re.Match.start)
    starts = [0, *(match.end() for match in cuts)]
    ends = [*(match.start() for match in cuts), len(text)]
    is_conditional = _DEPENDS.match(open_text) is not None or asks(open_text)
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        led_by = cuts[place - 1].group() if place else ""
        is_bound = (is_conditional and start > 0) or _RESTRICTS.match(open_text, end) is not None
        # A reason is no title, and neither is the end of a list.
        is_part = _GIVES_REASON.search(led_by) or (_AND.match(led_by) and ", " in open_text[: cuts[place - 1].start()])
        is_bound = is_bound or is_only_condition(open_text[start:end])
        # "Jobs only get ids, never whole rows": what is never so is said of what stands before it.
        is_half = place > 0 and _NEVER.match(open_text, start) and _SETTLES.search(open_text, starts[place - 1], start)
        is_part = is_part or is_half
        if len(topics(open_text[start:end])) >= 2 and not is_bound and not is_part:
            yield text[start:end], 0.0


def is_only_condition(text: str) -> bool:
    """Whether a clause says when something holds, and not what: "until the library has moved"."""
    return _CONDITION.match(text) is not None and ", " not in text and _THEN.search(text) is None


def _run_on(text: str) -> Iterator[re.Match[str]]:
    """Where a new sentence begins without a mark: "… beyond its name this should be a plain tool"."""
    for found in _RUNS_ON.finditer(text):
        before = words(text[: found.start()])[-1:]
        if before and before[0] not in COMMON and before[0] not in _TAKES_CLAUSE and found.start() > _LEAST_RUN:
            yield found
