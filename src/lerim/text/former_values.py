"""Which figure of a text another one tells as the former one: "from 14 to 30 days", "the 60 were too few". Pure.

Whoever names both figures speaks of one thing, however differently the two sentences are built.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.common import NUMBER_WORDS, UNITS
from lerim.text.quantities import PHYSICAL, counted

_FIGURE = r"(?<![\w.,:/-])\d[\d.,_]*(?<![.,_])"
_UNIT = r"(?: ?(?:%|[^\W\d_]{1,12}))?"
#: What a figure stands behind, or in front of, that is no more.
_FORMER = compile_later(
    r"\b(?:from|instead of|rather than|not|no longer|used to be|was|were|up from|down from|replaces|statt|anstatt"
    r"|anstelle von|nicht mehr|von|au lieu de|plus|en vez de|en lugar de|ya no|invece di|in plaats van|zamiast)"
    rf" (?:the |only |just )?(?P<behind>{_FIGURE})"
    rf"|\b(?:the|die|der|das|les|los|las|i|de) (?P<called>{_FIGURE}){_UNIT}"
    r" (?:was|were|is|are|turned out|proved|war|waren|sind|étaient|eran)\b"
    rf"|\b(?:complain\w*|moan\w*|angry|unhappy|trouble) (?:about|with|over) (?:the )?(?P<blamed>{_FIGURE})"
    rf"|(?P<first>{_FIGURE}){_UNIT} ?(?:->|=>|→) ?{_FIGURE}"
    rf"|(?P<refused>{_FIGURE}){_UNIT}(?: (?:for|of|as|on|in|per|für|pro|pour|de|para) (?:[\w-]+ ){{0,3}}[\w-]+)?"
    r" (?:is|are|was|were|isn['’]t|aren['’]t|ist|sind|war|waren|est|sont|es|son) (?:\w+ )?"
    r"(?:too|more than enough|not enough|enough(?<=n['’]t enough)|zu|trop|demasiad[oa]s?)\b"
    r"|\b(?:change|raise|lower|increase|reduce|decrease|bump|extend|shorten|cut|turn|make|move|ändere?|erhöhe?|senke?)"
    rf" (?:the |our |die |das |den )?(?P<set>{_FIGURE}){_UNIT} (?:in)?(?:to|auf|zu) {_FIGURE}",
    re.I,
)
_ANY = compile_later(_FIGURE)
#: "One of them" counts nothing, and "a week" is one of them.
_IN_WORDS = compile_later(rf"\b(?:(?:{'|'.join(NUMBER_WORDS)})\b|an?(?= (?:minute|hour|day|week|month|year)\b))", re.I)
_DAYS = compile_later(r"\d (?:days?|Tagen?)\b", re.I)
_WEEKS = compile_later(r"(?<![\w.,:/-])(\d{1,3}) (?:weeks?|Wochen?)\b", re.I)
_WITH_UNIT = compile_later(rf"(?P<figure>{_FIGURE}) ?(?P<unit>%|[^\W\d_]{{1,12}})")
#: What units measure that cannot be of one thing.
_MEASURED = PHYSICAL | {"share", "time"}
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|enero|feb(?:ruary|ruar|rero)?|février|mar(?:ch|s|zo)|märz|apr(?:il)?|avril|abril|mai|mayo"
    r"|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust)?|août|agosto|sep(?:t(?:ember|embre|iembre)?)?"
    r"|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|iembre)?|décembre|(?-i:May))"
)
#: A day of the year: the 15 of "15 January" counts nothing.
_DAY = compile_later(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of |de )?{_MONTH}\b\.?(?:,? (?:de )?\d{{4}}\b)?"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b\d{{4}}-\d\d(?:-\d\d)?\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class FigureChange:
    """The figure that holds, and the one that it tells as gone."""

    new: str
    old: str


def figure_changed(later: str, earlier: str) -> FigureChange | None:
    """Which figure of the earlier text the later one tells as the former one, and by which it replaces it."""
    earlier = _in_figures(earlier)
    if _ANY.search(earlier) is None:
        return None  # So it is with nearly all that are held against each other.
    later = _in_figures(later)
    if _DAYS.search(earlier) or _DAYS.search(later):
        earlier, later = _in_days(earlier), _in_days(later)
    if not (_DAY.search(earlier) and _DAY.search(later)):
        # A day takes the place of a day alone.
        earlier, later = _DAY.sub(" ", earlier), _DAY.sub(" ", later)
    # What was gone before is nobody's figure any more.
    known = set(map(_plain, _ANY.findall(earlier))) - _told_as_gone(earlier)
    told = _told_as_gone(later)
    gone = known & told
    new = [figure for figure in map(_plain, _ANY.findall(later)) if figure not in known | told]
    if len(gone) != 1 or len(set(new)) != 1:
        return None
    (old,) = gone
    changed, before = (_kinds_of(figures, text) for figures, text in (({old, new[0]}, later), ({old}, earlier)))
    if changed and before and changed.isdisjoint(before):
        return None  # "From 40 to 0 percent" is nothing that befell 40 minutes.
    return FigureChange(_with_unit(new[0], later), _with_unit(old, earlier))


@lru_cache(maxsize=4096)  # One is compared with many.
def _told_as_gone(text: str) -> frozenset[str]:
    return frozenset(_plain(figure) for found in _FORMER.finditer(text) for figure in found.groups() if figure)


@lru_cache(maxsize=4096)
def _in_figures(text: str) -> str:
    """A text with what it counts in words as figures."""
    return _IN_WORDS.sub(lambda found: NUMBER_WORDS.get(found[0].lower(), "1"), text)


def _in_days(text: str) -> str:
    return _WEEKS.sub(lambda found: f"{7 * int(found[1])} days", text)


def _kinds_of(figures: Collection[str], text: str) -> set[str]:
    """What is measured by the units behind some figures of a text; a figure without a unit tells nothing of that."""
    behind = (found["unit"] for found in _WITH_UNIT.finditer(text) if _plain(found["figure"]) in figures)
    return {one.kind for unit in behind for one in counted(("1", unit.lower())).quantities if one.kind in _MEASURED}


def _with_unit(figure: str, text: str) -> str:
    behind = (found["unit"] for found in _WITH_UNIT.finditer(text) if _plain(found["figure"]) == figure)
    return next((f"{figure} {unit}" for unit in behind if unit.lower() in UNITS), figure)


def _plain(figure: str) -> str:
    return figure.replace("_", "").replace(",", ".")
