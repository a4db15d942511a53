"""Who decides on something, and who only says something: a person's name is no subject that two statements share. Pure.

"We stay with Sentry" is not what "Ines decides which Sentry alerts are on" says, though both speak of Sentry.
"""

from __future__ import annotations

from functools import lru_cache

from lerim.lazy_regex import compile_later
from lerim.text.alike import missing
from lerim.text.grammar import FUNCTION_WORDS
from lerim.text.statements import Statement
from lerim.text.stems import stem
from lerim.text.words import words

_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_NAME = rf"[^\W\d_][\w'’-]*(?: {_CAPITAL}[\w'’-]*)?"
#: What is decided on may stand first, and who decides behind the verb: "Über die Preise entscheidet Selma".
_DECIDES = compile_later(
    r"(?:^|\W)(?:(?i:über|bei|für|in|von|zu[mr]?) (?:[\w-]+ ){1,4}?(?:entscheide[nt]|bestimmt)"
    r"|(?i:sobre|en|del?) (?:[\w-]+ ){1,4}?decide)"
    rf"(?: (?:immer|nur|allein|siempre|solo|der|die|das|el|la))* (?P<behind>{_NAME})"
    rf"|\b(?P<who>{_NAME}) (?:(?:alone|allein|qui|quien|always|immer) )?"
    r"(?:decides?|owns?|approves?|signs? off|has the (?:last|final) (?:word|say)|is (?:responsible|in charge)"
    r"|entscheidet|genehmigt|verantwortet|hat das letzte Wort|décide|approuve|valide|decide|aprueba)\b"
    rf"|\b(?:(?:decided|approved|owned|signed off) by(?: the| our)?|entscheidet(?: immer| nur)?) (?P<by>{_NAME})"
)
_SAYS = compile_later(
    rf"(?:^|[.;:]\s+)(?P<who>{_CAPITAL}[\w'’-]*(?: {_CAPITAL}[\w'’-]*)?) (?:(?:just|also|has|hat|a) )?"
    r"(?:came back|says?|said|tells?|told|wants?|wanted|asks?|asked|wrote|writes|thinks?|prefers?|insists?|reported"
    r"|answered|replied|confirmed|complained|sagt|sagte|gesagt|will|möchte|meint|schreibt|dit|veut|demande"
    r"|dice|quiere|pide)\b"
)


@lru_cache(maxsize=4096)  # One title is held against many.
def deciders(title: str) -> frozenset[str]:
    """The names, as stems, of whoever a title says decides on something."""
    named = (found["behind"] or found["who"] or found["by"] for found in _DECIDES.finditer(title))
    return frozenset(stem(word) for name in named for word in words(name) if word not in FUNCTION_WORDS)


@lru_cache(maxsize=4096)
def _speakers(title: str) -> frozenset[str]:
    named = (found["who"] for found in _SAYS.finditer(title))
    return deciders(title) | frozenset(stem(word) for name in named for word in words(name))


def tells_who_decides(one: Statement, other: Statement) -> bool:
    """Whether one of the two says who decides, and the other does not: they never say the same."""
    return bool(deciders(one.title)) != bool(deciders(other.title))


def share_a_name_alone(later: Statement, earlier: Statement) -> bool:
    """Whether all that two have in common is who speaks or decides in both, and the later one does not end that."""
    named = _speakers(later.title) & _speakers(earlier.title)
    if not named or not named.isdisjoint(later.ended) or (deciders(later.title) and deciders(earlier.title)):
        return False
    told = later.heavy - named
    return missing(told, earlier.bag | earlier.ended) == told
