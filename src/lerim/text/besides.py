"""What a statement rules on besides that which a later one takes the place of: it would be lost with it. Pure.

"Upload timeout is 5 s and there are 3 retries" says two things. A longer timeout ends one of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.lazy_regex import compile_later
from lerim.text.assertions import assertions, is_content
from lerim.text.bearing import Bearing, judge
from lerim.text.rewrites import spelled_out
from lerim.text.sentences import sentences
from lerim.text.statements import SENTENCES, Statement, statement
from lerim.text.stems import stem
from lerim.text.words import words

#: Where a title goes on with something else.
_PART = compile_later(r"[;,]\s+(?:(?:and|but)\s+)?|\s(?:and|but|while|whereas)\s+|\.\s+")
#: What begins so belongs to what stands before it, or says why.
_GOES_WITH = compile_later(
    r"\W*(?:it|its|they|that|this|these|those|which|who|as|so|to|for|because|since|otherwise|due|not|instead|rather"
    r"|like|e\.g|i\.e|why|than|or|the (?:old|other|first|former|latter)|everybody|everyone|nobody)\b",
    re.I,
)
_BETWEEN = compile_later(r"\b(between \S+) and (?=\S)", re.I)
_DENIES = compile_later(r"\W*(?:no|not|never|don['’]t|do not|avoid|stop)\b", re.I)
#: What says plainly what has to be, and not how it is.
_DUTY = compile_later(r"\b(?:never|always|must|shall|has to|have to|do not|don['’]t|mustn['’]t)\b", re.I)
#: What only praises, blames or tells.
_SAYS_WHY = compile_later(
    r"\b(?:than|faster|slower|better|worse|cheaper|easier|simpler|safer|too \w+|was|were|had|said|asked|told|wants?"
    r"|hangs?|fails?|breaks?|crash\w*|leaks?|slow|flaky|broken|annoying|painful|expensive|deprecated|works? well)\b",
    re.I,
)
#: So many words that tell something rule on something, where no amount stands with them.
_LEAST = 2
_ALIKE = 4


def besides(later: Statement, earlier: Statement) -> str:
    """The part of the earlier title, or the sentence below it, that rules on what the later one has no word of, while
    another part is spoken of; nothing when there is none."""
    spoken = _telling(f"{later.title}. {later.body}") | later.bag | later.ended
    parts = [(part, _telling(part)) for part in _parts(earlier.title)]
    met = [telling for _, telling in parts if _meets(telling, spoken)]
    if not met:
        return ""
    known = spoken.union(*met)
    is_denied = any(_DENIES.match(part) for part, telling in parts if _meets(telling, spoken))
    left = (part for part, telling in parts if _rules(part, telling) and not _meets(telling, known))
    # "No Tailwind, write CSS modules": whoever allows the one does not need the other.
    told = next((part for part in left if not is_denied or _DENIES.match(part) or any(map(str.isdigit, part))), "")
    return told or _below(later, earlier, spoken)


def _below(later: Statement, earlier: Statement, spoken: frozenset[str]) -> str:
    """A sentence below the earlier title that rules on something else, and that the later one neither says nor ends.
    What shares a word with the title says more of it, and goes with it."""
    title = _telling(earlier.title)
    for line in sentences(earlier.body)[:SENTENCES]:
        telling = _telling(line)
        if _DUTY.search(line) is None or _GOES_WITH.match(line) or _SAYS_WHY.search(line) or len(telling) < _LEAST:
            continue
        if not _meets(telling, title | spoken):
            return line
        new = {word for said in statement(line, "").main for word in said.nouns} - title - spoken
        is_denied = _DENIES.match(line) is not None
        if (
            is_denied
            and new
            and not title <= telling
            and judge(later, statement(line, "")).bearing is Bearing.UNRELATED
        ):
            return line
    return ""


def _parts(title: str) -> Iterator[str]:
    joined = _BETWEEN.sub(r"\1-", title)
    for part in _PART.split(joined):
        if part.strip(" ."):
            yield part.strip(" .")


def _rules(part: str, telling: frozenset[str]) -> bool:
    """Whether a part says what holds, and not only why."""
    if _GOES_WITH.match(part) or _SAYS_WHY.search(part):
        return False
    said = list(assertions(spelled_out(part)))
    has_amount = bool(telling) and any(one.quantities for one in said)
    is_told = any(one.verb or one.has_copula or len(one.phrases) > 1 for one in said)
    return has_amount or (is_told and len(telling) >= _LEAST)


def _telling(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if is_content(word) and not word[0].isdigit())


def _meets(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether they share a word, or two that begin alike: "yarn" and "yarn.lock"."""
    begun = {word[:_ALIKE] for word in other if len(word) >= _ALIKE}
    return not one.isdisjoint(other) or any(word[:_ALIKE] in begun for word in one if len(word) >= _ALIKE)
