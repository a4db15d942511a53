"""What somebody asks if it was done, and which sentence of a session tells that it was. Pure.

Who asks if something was pushed wants to hear of the push, also where that stands in the sentence behind the one on the
thing, or in what tools did; and whether something is still there is told by what did away with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from lerim.lazy_regex import compile_later
from lerim.search.terms import terms

_ENDED = (
    r"scrap(?:s|ped|ping)?|drop(?:s|ped|ping)?|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|revert(?:s|ed|ing)?"
    r"|roll(?:s|ed|ing)? back|rollback|undo(?:ne|ing)?|undid|abandon(?:s|ed|ing)?|discard(?:s|ed|ing)?"
    r"|g[eo]t(?:ting)? rid of|ditch(?:es|ed|ing)?|strip(?:s|ped|ping)?(?: out)?|t(?:ake|aken|ook) back"
    r"|thr(?:ow|ew|own) (?:away|out)|retir(?:e|es|ed|ing)|no longer"
)


class Deed(Enum):
    """A deed that is asked after; its value is what tells of it."""

    PUSHED = compile_later(r"(?i)\bpush(?:es|ed|ing)?\b")
    MERGED = compile_later(r"(?i)\bmerg(?:e|es|ed|ing)\b")
    COMMITTED = compile_later(r"(?i)\bcommit(?:s|ted|ting)?\b")
    RELEASED = compile_later(
        r"(?i)\b(?:deploy(?:s|ed|ing|ment)?|releas(?:e|es|ed|ing)|publish(?:es|ed|ing)?|ship(?:s|ped|ping)?"
        r"|roll(?:s|ed|ing)? out|went live|is live)\b"
    )
    #: What was there is gone.
    ENDED = compile_later(rf"(?i)\b(?:{_ENDED})\b")

    def is_told_in(self, text: str) -> bool:
        return self.value.search(text) is not None

    def is_told_of(self, text: str, words: Sequence[str]) -> bool:
        """Whether a text tells the deed of a thing. What ended stands behind the verb, or right before it; the last
        word, which only says of what sort it is, may be missing: "remove all mosaic tiles" ends the mosaic layout."""
        if self is not Deed.ENDED:
            return self.is_told_in(text) and len(set(terms(text)).intersection(words)) >= _MOST * len(words)
        needed = set(words[:-1] if len(words) > 1 else words)
        return not text.endswith("?") and any(needed <= set(terms(part)) for part in _ended_things(text))


#: So much of what is asked stands in the sentence on the deed.
_MOST = 0.66
#: What is gone back to comes again.
_BACK_TO = compile_later(
    r"(?i)\b(?:revert\w*|roll\w* ?back|(?:go|goes|went) back|back):? to (?:[\w./-]+ ?){1,6}?(?=and\b|[,.;:“”\"]|$)"
)
_CLAUSE = compile_later(r"[.;:“”\"] ?|, (?=\w+ed\b)|\b(?:but|so that|because|instead|when|while|if)\b")
_PASSIVE = compile_later(rf"(?i)\b(?:is|are|was|were|been|be|got|get) (?:\w+ly )?(?:{_ENDED})\b|\b(?:{_ENDED})\W*$")


def _ended_things(text: str) -> Iterator[str]:
    """The pieces of a text that name what it does away with."""
    for clause in _CLAUSE.split(_BACK_TO.sub(" ", text)):
        verb = Deed.ENDED.value.search(clause)
        if verb is not None:
            yield clause[verb.end() :]
            if _PASSIVE.search(clause) is not None:
                yield clause[: verb.start()]


#: How a question names them.
_ASKED = {
    Deed.PUSHED: r"push(?:ed)?",
    Deed.MERGED: r"merged?",
    Deed.COMMITTED: r"commit(?:ted)?",
    Deed.RELEASED: r"deploy(?:ed)?|released?|publish(?:ed)?|ship(?:ped)?|roll(?:ed)? out",
    Deed.ENDED: _ENDED,
}


def deed_named(verb: str) -> Deed | None:
    """The deed that a verb of a question names."""
    return next((deed for deed, names in _ASKED.items() if re.fullmatch(names, verb.strip(), re.IGNORECASE)), None)
