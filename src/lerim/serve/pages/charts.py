"""Charts as places and sizes that a template draws as SVG: no library, no script, and a table says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from math import ceil, floor, log10

from lerim.dataclass import dataclass

#: The drawing in units of its own: about as many pixels as it has on a page with two columns.
WIDTH, HEIGHT = 460, 210
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 12, 24
_LABELS = 6
_WIDEST = 28.0
#: Columns that can still be told apart.
_MOST_DAYS, _MOST_WEEKS = 45, 60


@dataclass(frozen=True)
class Period:
    """A day, a week or a month: a column of a chart."""

    #: As the table names it, and as fits below a column.
    name: str
    short: str


@dataclass(frozen=True)
class Calendar:
    """Periods without a gap between the first day and the last."""

    periods: tuple[Period, ...]
    #: `day`, `week` or `month`.
    unit: str
    _at: Mapping[str, int]

    def sums(self, counted: Iterable[tuple[str, float]]) -> list[float]:
        """Values of days, added up by period."""
        found = [0.0] * len(self.periods)
        for day, value in counted:
            if (at := self._at.get(_key(day, self.unit))) is not None:
                found[at] += value
        return found


@dataclass(frozen=True)
class ChartMark:
    """A rectangle or a point, and what it says when one points at it."""

    x: float
    y: float
    width: float
    height: float
    series: int
    tip: str


@dataclass(frozen=True)
class Tick:
    """A line across, or a label below."""

    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    """What is drawn, and the same as a table."""

    title: str
    #: What it shows, in a sentence.
    says: str
    names: tuple[str, ...]
    #: The color of each, by what it means: good, warn, bad, accent, teal, dim.
    tones: tuple[str, ...]
    marks: tuple[ChartMark, ...]
    #: Points that follow each other, as `x,y x,y`; of charts of lines alone.
    lines: tuple[str, ...]
    across: tuple[Tick, ...]
    below: tuple[Tick, ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return WIDTH

    @property
    def height(self) -> int:
        return HEIGHT

    @property
    def left(self) -> int:
        return LEFT

    @property
    def is_empty(self) -> bool:
        return not self.marks


def calendar(days: Iterable[str]) -> Calendar:
    """The periods that some days lie in: days when there are few, else weeks, else months."""
    known = sorted(at for day in days if (at := _date(day)) is not None)
    if not known:
        return Calendar((), "day", {})
    first, last = known[0], known[-1]
    span = (last - first).days + 1
    unit = "day" if span <= _MOST_DAYS else "week" if span <= 7 * _MOST_WEEKS else "month"
    found: dict[str, Period] = {}
    # The last years are enough to see, and a date from nowhere must not draw a million columns.
    day = max(first, last - timedelta(days=366 * 5))
    while day <= last:
        found.setdefault(_key(day.isoformat(), unit), _period(day, unit))
        day += timedelta(days=1)
    return Calendar(tuple(found.values()), unit, {key: at for at, key in enumerate(found)})


def columns(
    title: str, says: str, when: Calendar, series: Mapping[str, Sequence[float]], tones: Mapping[str, str]
) -> Chart:
    """Stacked columns, a period each."""
    series = {name: values for name, values in series.items() if any(values)}
    names, values = tuple(series), tuple(series.values())
    totals = [sum(at) for at in zip(*values, strict=True)]
    top, across = _scale(max(totals, default=0))
    step = _step(when)
    marks = []
    for at, period in enumerate(when.periods):
        height = 0.0
        for number, one in enumerate(values):
            if one[at]:
                tall = one[at] / top * _inner_height()
                height += tall
                tip = f"{period.name}: {told(one[at])} {names[number]}"
                wide = min(step * 0.76, _WIDEST)
                marks.append(_mark(LEFT + step * (at + 0.5) - wide / 2, _floor() - height, wide, tall, number, tip))
    rows = [(period.name, *(told(one[at]) for one in values)) for at, period in enumerate(when.periods)]
    return Chart(
        *(title, says, names, tuple(tones[name] for name in names), tuple(marks), (), across, _below(when, step)),
        *((when.unit, *names), tuple(row for row in rows if any(cell != "0" for cell in row[1:]))),
    )


def lines(title: str, says: str, when: Calendar, series: Mapping[str, Sequence[float | None]]) -> Chart:
    """Points joined by a line, for each series one; a period of which nothing is known has none."""
    names, values = tuple(series), tuple(series.values())
    top, across = _scale(max((v for one in values for v in one if v is not None), default=0))
    step = _step(when)
    marks, drawn = [], []
    for number, one in enumerate(values):
        points = []
        for at, value in enumerate(one):
            if value is not None:
                x, y = LEFT + step * (at + 0.5), _floor() - value / top * _inner_height()
                points.append(f"{x:.1f},{y:.1f}")
                marks.append(_mark(x, y, 0, 0, number, f"{when.periods[at].name}: {told(value)} {names[number]}"))
        drawn.append(" ".join(points))
    rows = [
        (period.name, *("–" if one[at] is None else told(one[at] or 0) for one in values))
        for at, period in enumerate(when.periods)
    ]
    return Chart(
        *(title, says, names, ("accent",) * len(names), tuple(marks), tuple(drawn), across, _below(when, step)),
        *((when.unit, *names), tuple(row for row in rows if any(cell != "–" for cell in row[1:]))),
    )


def told(value: float) -> str:
    """A number as people read it."""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:,.1f}"


def size_told(number: int) -> str:
    """Bytes as people read them."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number} bytes"


# Steps


def _mark(x: float, y: float, width: float, height: float, series: int, tip: str) -> ChartMark:
    return ChartMark(round(x, 1), round(y, 1), round(width, 1), round(height, 1), series, tip)


def _floor() -> int:
    return HEIGHT - BOTTOM


def _inner_height() -> int:
    return HEIGHT - BOTTOM - TOP


def _step(when: Calendar) -> float:
    """The width of a column: a few of them are not blown up to fill the drawing."""
    return (WIDTH - LEFT - RIGHT) / max(len(when.periods), 6)


def _scale(most: float) -> tuple[float, tuple[Tick, ...]]:
    """A round number that nothing exceeds, and lines across up to it."""
    if most <= 0:
        return 1, (Tick(_floor(), "0"),)
    power = 10.0 ** floor(log10(most / 4)) if most > 4 else 1.0
    step = next(
        power * factor for factor in (1, 2, 2.5, 5, 10, 20) if power * factor * 4 >= most and _is_whole(power * factor)
    )
    count = max(1, ceil(most / step))
    top = step * count
    return top, tuple(
        Tick(round(_floor() - _inner_height() * at / count, 1), _short(step * at)) for at in range(count + 1)
    )


def _is_whole(step: float) -> bool:
    return step == int(step)


def _short(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g}M"
    return f"{value / 1_000:g}k" if value >= 10_000 else f"{value:,.0f}"


def _below(when: Calendar, step: float) -> tuple[Tick, ...]:
    every = max(1, ceil(len(when.periods) / _LABELS))
    return tuple(
        Tick(round(LEFT + step * (at + 0.5), 1), period.short)
        for at, period in enumerate(when.periods)
        if at % every == 0
    )


def _date(text: str) -> date | None:
    try:
        found = date.fromisoformat(text[:10])
    except ValueError:
        return None
    # What a clock that was never set says, or a file system that knows no better, is no day to draw.
    return found if 1990 <= found.year <= 2200 else None


def _key(day: str, unit: str) -> str:
    found = _date(day)
    if found is None:
        return ""
    if unit == "week":
        found -= timedelta(days=found.weekday())
    return found.isoformat()[:7] if unit == "month" else found.isoformat()


def _period(day: date, unit: str) -> Period:
    if unit == "month":
        return Period(f"{day:%Y-%m}", f"{day:%b} {day:%y}")
    if unit == "week":
        day -= timedelta(days=day.weekday())
        return Period(f"week of {day:%Y-%m-%d}", f"{day:%b} {day.day}")
    return Period(f"{day:%Y-%m-%d}", f"{day:%b} {day.day}")
