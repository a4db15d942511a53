"""Whether a title says something to somebody who was not there. Pure."""

from __future__ import annotations

from lerim.lazy_regex import compile_later
from lerim.text.stems import stem
from lerim.text.words import STOP, words

#: How a title begins that goes on with something else, and how it ends when it was cut off.
_LEANS = compile_later(
    # "It is fine to …" speaks of nothing that came before.
    r"(?i)^(?!it(?:['’]s| is| was) (?:\w+ ){1,2}(?:to|that)\b)"
    r"(?:it|this|that|these|those|they|he|she|same|also|but|and|so|then|yes|ok|okay|sure"
    r"|as (?:above|said|before|discussed)|see above|the (?:above|latter|former|same|other one))\b"
)
_CUT = compile_later(
    r"(?:…|\.\.\.|[,:;(\-–]|\b(?:and|or|the|a|an|to|of|with|for|because|(?<!do )(?<!does )that|which))$"
)
#: "One thing less to pay for" ends as sentences may.
_ENDS_ON_A_VERB = compile_later(r"(?i)\b(?:to|we|you|they|i|can|must|have|has|be|is|are)\s+\w+\s+(?:for|with|of|to)$")
_LEAST_WORDS = 2


def stands_alone(title: str, least: int = _LEAST_WORDS) -> bool:
    """Whether a title can be understood without what came before it, and says so many words that tell something."""
    telling = _telling(title)
    said = title.strip().rstrip(".")
    is_cut = _CUT.search(title.strip()) is not None or _CUT.search(said) is not None
    is_whole = len(telling) >= least and (not is_cut or _ENDS_ON_A_VERB.search(said) is not None)
    return is_whole and _LEANS.search(title) is None


def told_stems(title: str) -> frozenset[str]:
    """The words of a title that tell something."""
    return frozenset(map(stem, _telling(title)))


def _telling(title: str) -> list[str]:
    return [word for word in words(title) if word not in STOP and not word.isdecimal()]
