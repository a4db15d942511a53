"""Whether two titles in two languages may clash: German, French or Spanish, and English. Pure.

Nothing is translated. Names, figures, weekdays and words that look alike are in both; where they meet and one title
denies, or tells another figure, day or thing of a kind, a person is asked.
"""

from __future__ import annotations

from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.abroad import day_of
from lerim.text.assertions import is_content
from lerim.text.common import DENIES
from lerim.text.kinds import rivals, things
from lerim.text.permits import Permit, permit_of
from lerim.text.statements import statement
from lerim.text.tongues import SmallWords, is_denied_in, is_english, told, tongue_alone
from lerim.text.words import words

#: So many letters of two words make them one that two languages have: "Deployments", "deploys".
_BEGINNING, _SHORTEST = 5, 3
_FIGURE = compile_later(r"(?<![\w.,])\d+(?:[.,:]\d+)?")
_DAY_WORDS = "monday tuesday wednesday thursday friday saturday sunday"
_DAYS = {day: at for at, name in enumerate(_DAY_WORDS.split()) for day in (name, f"{name}s")}


@dataclass(frozen=True, slots=True)
class _Side:
    names: frozenset[str]
    days: frozenset[int]
    figures: frozenset[str]
    kinds: frozenset[str]
    is_denied: bool


def clashes_across(later: str, earlier: str) -> str:
    """Why two titles of which one is in English and the other is not may not both hold; nothing where they may."""
    new, old = _side(later), _side(earlier)
    if new is None or old is None or (tongue_alone(later) is None) == (tongue_alone(earlier) is None):
        return ""
    choice = rivals(new.kinds, old.kinds)
    named = {name for one in ((choice.new, choice.old) if choice else ()) for name in one.split("+")}
    shared = _shared(new.names - named, old.names - named)
    is_of_one = bool(shared or new.days & old.days)
    if not is_of_one:
        return ""
    if new.is_denied != old.is_denied:
        return f"it says “{later}” where “{earlier}” was said"
    if choice is not None and not choice.is_of_deed:
        return f"it says {choice.new} instead of {choice.old}".replace("+", " ")
    if new.days and old.days and new.days.isdisjoint(old.days):
        return "it says another day"
    if new.figures and old.figures and new.figures.isdisjoint(old.figures):
        return f"it says {min(new.figures)} instead of {min(old.figures)}"
    return ""


def _shared(mine: frozenset[str], theirs: frozenset[str]) -> frozenset[str]:
    begun = {word[:_BEGINNING] for word in theirs if len(word) >= _BEGINNING}
    return frozenset(word for word in mine if word in theirs or word[:_BEGINNING] in begun)


@lru_cache(maxsize=4096)  # One title is held against many.
def _side(title: str) -> _Side | None:
    tongue = tongue_alone(title)
    if tongue is None and not is_english(title):
        return None
    line = told(title) if tongue else tuple(words(title))
    small = (tongue.small | tongue.denies | tongue.ends | tongue.excepts) if tongue else frozenset[str]()
    names = (
        word
        for word in line
        if len(word) >= _SHORTEST and not word[0].isdigit() and word not in small and (tongue or is_content(word))
    )
    days = frozenset(at for word in line if (at := day_of(word) if tongue else _DAYS.get(word)) is not None)
    figures = frozenset(figure.replace(",", ".") for figure in _FIGURE.findall(title))
    return _Side(frozenset(names), days, figures, things(words(title)), _is_denied(title, tongue))


def _is_denied(title: str, tongue: SmallWords | None) -> bool:
    if tongue is not None:
        return is_denied_in(title, tongue)
    one = statement(title, "")
    is_ended = bool(one.given_up) or any(said.is_over for said in one.main[:1])
    return is_ended or permit_of(title) is Permit.FORBIDDEN or not DENIES.isdisjoint(words(title))
