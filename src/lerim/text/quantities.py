"""The quantities that a line of words names: how much, how many, how often, which version. Pure.

A quantity can be compared with another of its kind: "an hour" is 60 minutes, "nightly" is every day, two approvals are
other than one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lerim.dataclass import dataclass
from lerim.text.common import NUMBER_WORDS
from lerim.text.stems import stem

_NUMBER = re.compile(r"(v?)(\d[\d,_]*(?:\.\d+)*)(%|[a-z/]{1,5})?")
#: "1e-10" and a day: each is one amount.
_POWER = re.compile(r"\d+(?:\.\d+)?e[+-]?\d{1,2}")
_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(am|pm)?")
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_TIMES = {
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), _MINUTE),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), _HOUR),
    **dict.fromkeys(("d", "day", "days", "night", "nights"), _DAY),
    **dict.fromkeys(("w", "week", "weeks"), 7 * _DAY),
    **dict.fromkeys(("month", "months"), 30 * _DAY),
    **dict.fromkeys(("quarter", "quarters"), 90 * _DAY),
    **dict.fromkeys(("y", "year", "years"), 365 * _DAY),
}
_SIZES = {
    "b": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    "kb": 1e3,
    "kib": 1e3,
    "mb": 1e6,
    "mib": 1e6,
    "gb": 1e9,
    "gib": 1e9,
    "tb": 1e12,
}
_PHYSICAL_UNITS = """
current na=1e-9 ua=1e-6 µa=1e-6 μa=1e-6 ma=1e-3 amp=1 amps=1 ampere=1 amperes=1
voltage uv=1e-6 mv=1e-3 v=1 volt=1 volts=1
frequency hz=1 khz=1e3 mhz=1e6 ghz=1e9
power uw=1e-6 mw=1e-3 watt=1 watts=1 kw=1e3
charge mah=1e-3 ah=1
length mm=1e-3 cm=1e-2 km=1e3
level dbm=1
gain db=1
pixels px=1
frames fps=1
rate rps=1 qps=1 req/s=1
speed km/h=1 kmh=1 kph=1 mph=1.609344 m/s=3.6
temperature celsius=1
fahrenheit fahrenheit=1
eur eur=1 euro=1 euros=1
usd usd=1 dollar=1 dollars=1
gbp gbp=1
"""
#: Units of what machines measure, and of money: each kind is compared with its like alone.
_PHYSICAL = {
    unit: (kind, float(scale))
    for kind, *units in map(str.split, _PHYSICAL_UNITS.strip().splitlines())
    for unit, scale in (one.split("=") for one in units)
}
_OFTEN = {
    "hourly": _HOUR, "daily": _DAY, "nightly": _DAY, "weekly": 7 * _DAY, "biweekly": 14 * _DAY,
    "fortnightly": 14 * _DAY, "monthly": 30 * _DAY, "quarterly": 90 * _DAY, "yearly": 365 * _DAY,
}  # fmt: skip
_WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
#: Whoever means less than that writes it as a power of ten.
_SMALLEST = 1e-12
_ONCE = {"once": "1", "twice": "2"}
_BEHIND_ONCE = frozenset({"and", "in", "on", "at", "for", "before", "after", "when", "if", "with", "by", "or", "then"})
_PEOPLE = frozenset({"people", "person", "persons"})
_EVERY = frozenset({"every", "each", "per"})
_ARTICLES = frozenset({"a", "an", "one"})
#: A number behind one of these names a thing; it is no value that could change.
_NAMING_WORDS = """
phase step task issue pr ticket item milestone sprint section adr rfc part stage wave bug case option iso chapter level
figure table appendix http error code status
"""
_NAMING = frozenset(_NAMING_WORDS.split())
_GAP_WORDS = (
    "is are was were be of than to at on the a an and or in for with stays too also again from by below above"
    " over under"
    " more less"
)
_GAPS = frozenset(_GAP_WORDS.split())
_TIME, _SIZE, _SHARE, _PERIOD, _HOUR_OF_DAY, _DAY_OF_YEAR = "time", "size", "share", "period", "clock", "date"
#: What has no kind but the words around it: a version, a port, a length.
_PLAIN = "number"
#: Kinds that say nothing of what is measured.
MEASURES = frozenset({_HOUR_OF_DAY, _DAY_OF_YEAR, _TIME, _PERIOD, _PLAIN, _SHARE, _SIZE}) | {
    kind for kind, _ in _PHYSICAL.values()
}
#: Kinds of which each is compared with its like alone: how often something is done, a number of times may say, too.
PHYSICAL = frozenset(kind for kind, _ in _PHYSICAL.values()) - {"frequency", "rate"} | {_SIZE}
_BOUND_WORDS = """
default/normally/usually minimum/min/least/floor/lowest/smallest maximum/max/most/limit/cap/ceiling/highest/largest
average/mean/median soft/warning/warn hard/error/block
"""
#: What an amount is of: the most is no other value of the least.
_BOUNDS = tuple(frozenset(map(stem, group.split("/"))) for group in _BOUND_WORDS.split())


@dataclass(frozen=True, slots=True)
class Quantity:
    """How much of what: the kind tells with which others it can be compared."""

    kind: str
    value: str
    shown: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A line of words, apart from the quantities in it, and the names that numbers are part of."""

    words: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    names: frozenset[str]


def counted(line: Sequence[str]) -> Counted:
    """The quantities of a line, and the words that are left."""
    left: list[str] = []
    found: list[Quantity] = []
    names: set[str] = set()
    at = 0
    while at < len(line):
        used, quantity = _at(line, at)
        if used and quantity is None:
            names.add(f"{line[at - 1]} {line[at]}")
        elif quantity is not None:
            found.append(quantity)
            left.append("")
            if quantity.kind not in MEASURES:
                left.append(line[at + used - 1])
        else:
            left.append(line[at])
        at += used or 1
    return Counted(tuple(left), tuple(found), frozenset(names))


def are_of_two_bounds(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether both say of which bound they speak, the least, the most, what is usual, and it is not the same."""
    bounds = [{number for number, group in enumerate(_BOUNDS) if not group.isdisjoint(bag)} for bag in (one, two)]
    return all(bounds) and bounds[0].isdisjoint(bounds[1])


def _at(line: Sequence[str], at: int) -> tuple[int, Quantity | None]:
    """The quantity that begins here and how many words it takes; none of a number that is part of a name."""
    word = line[at]
    if word in _OFTEN:
        return 1, Quantity(_PERIOD, _plain(_OFTEN[word]), word)
    if word in _EVERY or word in _ONCE:
        return _often(line, at)
    if word == "half" and (unit := _unit(line, at + 2)):
        return 3, _measured(unit, 0.5, line[at : at + 3])
    if word in _ARTICLES and (unit := _unit(line, at + 1)):
        return 2, _measured(unit, 1.0, line[at : at + 2])
    if (clock := _clock(line, at)) is not None:
        return clock
    if (joined := _joined(word)) is not None:
        return 1, joined
    if _DATE.fullmatch(word):
        return 1, Quantity(_DAY_OF_YEAR, word, word)
    if _POWER.fullmatch(word):
        return 1, Quantity(_PLAIN, _written_out(float(word)), word)
    number = _number(line, at)
    if number is None:
        return 0, None
    value, glued = number
    if at and line[at - 1] in _NAMING and not glued:
        return 1, None
    return _of_number(line, at, value, glued)


def _clock(line: Sequence[str], at: int) -> tuple[int, Quantity] | None:
    """ "4 pm", "16:00"."""
    match = _CLOCK.fullmatch(line[at])
    half = (match[3] or _word(line, at + 1)) if match else ""
    if match is None or not (match[2] or half in ("am", "pm")):
        return None
    used = 2 if half in ("am", "pm") and not match[3] else 1
    hour = int(match[1]) % 12 + 12 * (half == "pm") if half in ("am", "pm") else int(match[1])
    return used, Quantity(_HOUR_OF_DAY, f"{hour}:{match[2] or '00'}", " ".join(line[at : at + used]))


def _joined(word: str) -> Quantity | None:
    """ "A three-week sprint", "a 30-day trial"."""
    head, mark, tail = word.partition("-")
    number = _number((head,), 0) if mark else None
    unit, amount = _unit_of(tail), _float(number[0]) if number else None
    return _measured(unit, amount, (word,)) if unit and amount is not None else None


def _of_number(line: Sequence[str], at: int, value: str, glued: str) -> tuple[int, Quantity | None]:
    amount = _float(value)
    if glued == "%" or _word(line, at + 1) in ("percent", "%"):
        return (1 if glued else 2), Quantity(_SHARE, value, " ".join(line[at : at + (1 if glued else 2)]))
    if glued and amount is not None and (unit := _unit_of(glued)):
        return 1, _measured(unit, amount, line[at : at + 1])
    if glued:
        return 0, None
    if amount is not None and (unit := _unit(line, at + 1)):
        return 2, _measured(unit, amount, line[at : at + 2])
    following = _word(line, at + 1)
    if (
        following.isalpha()
        and following not in _GAPS
        and line[at] not in ("one",)
        and (following.endswith("s") or following in _PEOPLE)
    ):
        return 2, Quantity(_counted_kind(following), value, " ".join(line[at : at + 2]))
    if line[at] == "one":
        ok = following.isalpha() and following not in _GAPS and not following.endswith("s")
        return (2, Quantity(_counted_kind(following), value, f"one {following}")) if ok else (0, None)
    return 1, Quantity(_PLAIN, value, line[at])


def _counted_kind(word: str) -> str:
    return "person" if word in _PEOPLE else stem(word)


def _often(line: Sequence[str], at: int) -> tuple[int, Quantity | None]:
    """ "Every night", "every two weeks", "once a week"; "once" by itself is one time."""
    word, following = line[at], _word(line, at + 1)
    if word in _EVERY:
        if word != "per" and (unit := _unit(line, at + 1)) and unit[0] == _TIME:
            return 2, Quantity(_PERIOD, _plain(unit[1]), f"{word} {following}")
        if word != "per" and following in _WEEKDAYS:
            return 1, Quantity(_PERIOD, _plain(7 * _DAY), f"{word} {following}")
        number = _number(line, at + 1)
        if (
            word != "per"
            and number
            and (amount := _float(number[0]))
            and (unit := _unit(line, at + 2))
            and unit[0] == _TIME
        ):
            return 3, Quantity(_PERIOD, _plain(amount * unit[1]), " ".join(line[at : at + 3]))
        return 0, None
    if following in ("a", "an", "per", "every", "each") and (unit := _unit(line, at + 2)) and unit[0] == _TIME:
        return 3, Quantity(_PERIOD, _plain(unit[1] / float(_ONCE[word])), " ".join(line[at : at + 3]))
    if word == "once" and following and following not in _BEHIND_ONCE:
        return 0, None  # "Once it is green" tells when.
    return 1, Quantity(stem("times"), _ONCE[word], word)


def _number(line: Sequence[str], at: int) -> tuple[str, str] | None:
    word = _word(line, at)
    if word in NUMBER_WORDS and word not in ("twice", "dozen"):
        return NUMBER_WORDS[word], ""
    if word == "one":
        return "1", ""
    if (match := _NUMBER.fullmatch(word)) is not None and not (match[1] and "." not in match[2]):
        return match[2].replace(",", "").replace("_", ""), match[3] or ""
    return None


def _word(line: Sequence[str], at: int) -> str:
    return line[at] if at < len(line) else ""


def _unit(line: Sequence[str], at: int) -> tuple[str, float] | None:
    return _unit_of(_word(line, at))


def _unit_of(word: str) -> tuple[str, float] | None:
    if word in _TIMES:
        return _TIME, _TIMES[word]
    if word in _PHYSICAL:
        return _PHYSICAL[word]
    size = word.partition("/")[0]
    return (_SIZE, _SIZES[size]) if size in _SIZES else None


def _measured(unit: tuple[str, float], amount: float, shown: Sequence[str]) -> Quantity:
    return Quantity(unit[0], _plain(amount * unit[1]), " ".join(shown))


def _float(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _written_out(value: float) -> str:
    """Without a power of ten, as others write the same number."""
    return f"{value:.15f}".rstrip("0").rstrip(".") if value >= _SMALLEST else f"{value:g}"


def _plain(value: float) -> str:
    return f"{value:g}"
