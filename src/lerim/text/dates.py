"""The dates that a text names, as far as it names them. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from lerim.lazy_regex import compile_later

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
#: How people write a month, a day of it and a year; for patterns that are compiled without regard to case.
MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
DAY = r"\d{1,2}(?:st|nd|rd|th)?"
YEAR = r"(?:19|20)\d\d"
_DAY_OF = rf"(?P<day>{DAY})(?:\s+of)?\s+(?P<month>{MONTH})(?:,?\s+(?P<year>{YEAR}))?"
_OF_DAY = rf"(?P<month>{MONTH})\s+(?P<day>{DAY})(?:,?\s+(?P<year>{YEAR}))?"
_OF_YEAR = rf"(?P<month>{MONTH}),?\s+(?:of\s+)?(?P<year>{YEAR})"
_NUMBERS = rf"(?P<year>{YEAR})-(?P<number>\d\d)(?:-(?P<day>\d\d))?"
_YEAR_ALONE = rf"(?P<year>{YEAR})"
# The most telling form first: what it takes is not read again as another. Within a text "may" and "march" are verbs
# unless something beside them says otherwise.
_IN_TEXT = tuple(
    compile_later(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        _NUMBERS,
        _DAY_OF,
        _OF_DAY,
        _OF_YEAR,
        rf"(?:in|since|until|during|early|late|mid|last|by|of)\s+(?P<month>{MONTH})",
        _YEAR_ALONE,
    )
)
_ALONE = tuple(
    compile_later(form, re.IGNORECASE)
    for form in (_NUMBERS, _DAY_OF, _OF_DAY, _OF_YEAR, rf"(?P<month>{MONTH})", _YEAR_ALONE)
)


class NamedDate(NamedTuple):
    """A date as far as it was given."""

    year: int | None
    month: int | None
    day: int | None

    def closeness(self, other: date) -> float:
        """How well a day fits: 2 the day itself, 1 its month, less when only a year was given; 0 when it is another."""
        if self.year not in (None, other.year) or self.month not in (None, other.month):
            return 0.0
        if self.month is None:
            return 0.3
        return 2.0 if self.day == other.day else 1.0


def named_dates(text: str) -> list[NamedDate]:
    """The dates that a text names, each once."""
    found: dict[NamedDate, None] = {}
    # Most questions name none, and the patterns take longer to compile than a search takes.
    if not any(map(str.isdecimal, text)) and not any(month in text.lower() for month in _MONTHS):
        return []
    for form in _IN_TEXT:
        for match in form.finditer(text):
            if (named := _named(match)) is not None:
                found[named] = None
        text = form.sub(" ", text)
    return list(found)


def read_date(text: str) -> NamedDate | None:
    """The date that a text is; None when it is not one, or one that no calendar has."""
    matches = (form.fullmatch(text.strip()) for form in _ALONE)
    return next((_named(match) for match in matches if match is not None), None)


def _named(match: re.Match[str]) -> NamedDate | None:
    found = match.groupdict()
    name = (found.get("month") or "").lower().rstrip(".")
    month = int(found["number"]) if found.get("number") else _MONTHS.get(name)
    day = int(re.sub(r"\D", "", found["day"])) if found.get("day") else None
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return NamedDate(int(found["year"]) if found.get("year") else None, month, day)
