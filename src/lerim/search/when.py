"""The dates a question names. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split(), 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
# The most telling form first: what it takes is not read again as another.
_FORMS = tuple(
    re.compile(rf"\b{form}\b", re.IGNORECASE)
    for form in (
        r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)(?:-(?P<day>\d\d))?",
        rf"{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?",
        rf"{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        rf"(?:in|since|until|during|early|late|mid|last|by|of)\s+{_MONTH}",
        _YEAR,
    )
)


class Named(NamedTuple):
    """A date as far as it was said."""

    year: int | None
    month: int | None
    day: int | None

    def closeness(self, other: date) -> float:
        """How well a day fits: 2 the day itself, 1 its month, less when only a year was said; 0 when it is another."""
        if self.year not in (None, other.year) or self.month not in (None, other.month):
            return 0.0
        if self.month is None:
            return 0.3
        return 2.0 if self.day == other.day else 1.0


def named_dates(text: str) -> list[Named]:
    """The dates that a text names, each once."""
    found: dict[Named, None] = {}
    for form in _FORMS:
        for match in form.finditer(text):
            if (named := _named(match)) is not None:
                found[named] = None
        text = form.sub(" ", text)
    return list(found)


def _named(match: re.Match[str]) -> Named | None:
    said = match.groupdict()
    month = int(said["number"]) if said.get("number") else _MONTHS.get((said.get("month") or "").lower())
    day = int(said["day"]) if said.get("day") else None
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return None
    return Named(int(said["year"]) if said.get("year") else None, month, day)
