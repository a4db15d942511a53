"""The time a question names → a span from a first to a last moment. Pure: the clock is an argument."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.text.dates import DAY, MONTH, YEAR, read_date

_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBER_WORDS = "zero a two three four five six seven eight nine ten"
_COUNTS = {word: number for number, word in enumerate(_NUMBER_WORDS.split())}
_COUNTS |= {"an": 1, "one": 1, "couple of": 2, "few": 3}

_COUNT = rf"(?:\d{{1,3}}|{'|'.join(_COUNTS)})"
# What names a period by itself; then what does only after a word such as "in" or "since".
_PLAIN = (
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d(?!\d)"
    rf"|{DAY}(?: of)? {MONTH}(?:,? {YEAR})?|{MONTH} {DAY}(?:,? {YEAR})(?!\d)|{MONTH},?(?: of)? {YEAR}"
    rf"|today|yesterday|q[1-4](?:,? {YEAR})?"
    rf"|(?:last|past|previous|this) (?:week|month|quarter|year|{'|'.join(_DAY_NAMES)})"
    rf"|(?:the )?(?:last|past|previous) {_COUNT} (?:days?|weeks?|months?|years?)"
    rf"|{_COUNT} (?:days?|weeks?|months?|years?) ago|recently|lately"
)
_NAMED = rf"{_PLAIN}|{MONTH} {DAY}|{MONTH}|{YEAR}|{'|'.join(_DAY_NAMES)}"
_FORMS = tuple(
    compile_later(form, re.IGNORECASE)
    for form in (
        rf"\b(?:between|from)\s+(?P<first>{_NAMED})\s+(?:and|to|until|till|through)\s+(?P<last>{_NAMED})\b",
        rf"\b(?P<word>since|after|before|until|till|through|by)\s+(?P<named>(?:the\s+)?(?:{_NAMED}))\b",
        rf"\b(?:in|during|on|of|over|within|from)\s+(?P<within>(?:the\s+)?(?:{_NAMED}))\b",
        rf"\b(?P<plain>{_PLAIN})(?:'s)?\b",
    )
)
#: Who asks what may be done on a Friday asks of every Friday.
_RULED = compile_later(
    r"\W*(?:(?:so|and|but|ok|hey)[ ,]+)*(?:can|may|could|should|must|shall|do|does|are|is)\b", re.IGNORECASE
)
_SECOND = timedelta(seconds=1)
#: How far back "recently" reaches.
RECENT = timedelta(days=14)


@dataclass(frozen=True)
class TimeSpan:
    """From a first to a last moment, both included; open where it says None. `phrase` is how the question puts it."""

    since: datetime | None
    until: datetime | None
    phrase: str = ""

    def holds(self, moment: datetime) -> bool:
        return (self.since is None or self.since <= moment) and (self.until is None or moment <= self.until)

    def overlaps(self, first: datetime, last: datetime | None) -> bool:
        """Whether something that lasted from `first` to `last`, or lasts still, was there within it."""
        return (self.until is None or first <= self.until) and (
            self.since is None or last is None or last >= self.since
        )

    def describe(self) -> str:
        """In days, for people."""
        first = f"{self.since:%Y-%m-%d}" if self.since else ""
        last = f"{self.until:%Y-%m-%d}" if self.until else ""
        if first and last:
            return f"on {first}" if first == last else f"from {first} to {last}"
        return f"since {first}" if first else f"until {last}"


def find_span(text: str, now: datetime) -> tuple[TimeSpan | None, str]:
    """The span that a text names, and the text without it; None when it names none."""
    for form in _FORMS:
        for match in form.finditer(text):
            if (match.groupdict().get("within") or "").lower() in _DAY_NAMES and _RULED.match(text):
                continue
            span = _span(match, now)
            if span is not None:
                return span, f"{text[: match.start()]} {text[match.end() :]}"
    return None, text


def _span(match: re.Match[str], now: datetime) -> TimeSpan | None:
    groups = match.groupdict()
    if groups.get("first"):
        first, last = _period(groups["first"], now), _period(groups["last"] or "", now)
        return TimeSpan(first[0], last[1], match[0]) if first and last else None
    period = _period(groups.get("named") or groups.get("within") or groups.get("plain") or "", now)
    if period is None:
        return None
    start, end = period
    match (groups.get("word") or "").lower():
        case "since":
            return TimeSpan(start, None, match[0])
        case "after":
            return TimeSpan(end + _SECOND, None, match[0])
        case "before":
            return TimeSpan(None, start - _SECOND, match[0])
        case "until" | "till" | "through" | "by":
            return TimeSpan(None, end, match[0])
    return TimeSpan(start, end, match[0])


def _period(name: str, now: datetime) -> tuple[datetime, datetime] | None:
    """The first and last second of what a name means; None when there is no such day."""
    # "Last week" is the calendar's; "the last week" and "the past week" are seven days.
    name = re.sub(
        r"^(?:the last|(?:the )?past) (week|month|quarter|year)$", r"last 1 \1", " ".join(name.lower().split())
    )
    words = re.sub(r"[.,]", " ", name).split()
    words = [word for word in words if word not in ("of", "the")]
    try:
        for read in _READERS:
            if (found := read(words, now)) is not None:
                start, after = found
                return start, after - _SECOND
    except ValueError:  # 31 February
        return None
    return None


_Period = tuple[datetime, datetime] | None


def _calendar(words: list[str], now: datetime) -> _Period:
    """A day, month or year as it is called. Without a year, the last time there was such a month."""
    named = read_date(" ".join(words))
    if named is None:
        return None
    if named.month is None:
        return (_day(named.year, 1, 1), _day(named.year + 1, 1, 1)) if named.year else None
    year = named.year or now.year - (named.month > now.month)
    if named.day is None:
        return _month(year, named.month)
    start = _day(year, named.month, named.day)
    return start, start + timedelta(days=1)


def _quarter_named(words: list[str], now: datetime) -> _Period:
    if not re.fullmatch(r"q[1-4]", words[0]):
        return None
    return _quarter(int(words[1]) if words[1:] else now.year, int(words[0][1]))


def _relative(words: list[str], now: datetime) -> _Period:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    tomorrow = today + timedelta(days=1)
    match words:
        case ["today"]:
            return today, tomorrow
        case ["yesterday"]:
            return today - timedelta(days=1), today
        case ["recently" | "lately"]:
            return now - RECENT, tomorrow
        case ["last" | "past" | "previous" | "this" as which, unit] if unit in _UNITS:
            return _UNITS[unit](today, which == "this")
        case [*_, day] if day in _DAY_NAMES:
            back = (today.weekday() - _DAY_NAMES.index(day)) % 7
            start = today - timedelta(days=back or (7 if len(words) > 1 else 0))
            return start, start + timedelta(days=1)
        case [*count, unit, "ago"]:
            start = _back(today, _count(count), unit)
            return start, start + timedelta(days=1)
        case ["last" | "past" | "previous", *count, unit]:
            return _back(today, _count(count), unit), tomorrow
    return None


def _week(today: datetime, this: bool) -> tuple[datetime, datetime]:
    start = today - timedelta(days=today.weekday() + (0 if this else 7))
    return start, start + timedelta(days=7)


def _month_of(today: datetime, this: bool) -> tuple[datetime, datetime]:
    day = today if this else today.replace(day=1) - timedelta(days=1)
    return _month(day.year, day.month)


def _quarter_of(today: datetime, this: bool) -> tuple[datetime, datetime]:
    number = today.year * 4 + (today.month - 1) // 3 - (0 if this else 1)
    return _quarter(number // 4, number % 4 + 1)


def _year_of(today: datetime, this: bool) -> tuple[datetime, datetime]:
    year = today.year - (0 if this else 1)
    return _day(year, 1, 1), _day(year + 1, 1, 1)


_UNITS: dict[str, Callable[[datetime, bool], tuple[datetime, datetime]]] = {
    "week": _week,
    "month": _month_of,
    "quarter": _quarter_of,
    "year": _year_of,
}
_READERS: tuple[Callable[[list[str], datetime], _Period], ...] = (_calendar, _relative, _quarter_named)


def _count(words: list[str]) -> int:
    text = " ".join(words)
    return int(text) if text.isdigit() else _COUNTS.get(text, 1)


def _back(today: datetime, count: int, unit: str) -> datetime:
    match unit.rstrip("s"):
        case "day":
            return today - timedelta(days=count)
        case "week":
            return today - timedelta(weeks=count)
        case "month" | "quarter" as name:
            count *= 3 if name == "quarter" else 1
            number = today.year * 12 + today.month - 1 - count
            return today.replace(year=number // 12, month=number % 12 + 1, day=min(today.day, 28))
    return today.replace(year=today.year - count, day=min(today.day, 28))


def _month(year: int, month: int) -> tuple[datetime, datetime]:
    return _day(year, month, 1), _day(year + month // 12, month % 12 + 1, 1)


def _quarter(year: int, quarter: int) -> tuple[datetime, datetime]:
    return _month(year, quarter * 3 - 2)[0], _month(year, quarter * 3)[1]


def _day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)
