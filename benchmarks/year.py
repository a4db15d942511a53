"""A year of a team: from a few thousand sessions a day to 200,000, and where it breaks.

    python benchmarks/year.py [--days 5] [--workers 64] [--peak 200000] [--people 100] [--reading model|embedded]
        [--day-usd 1000] [--tokens-a-minute 4e6] [--skew 0.7] [--every 8] [--whole 325] [--carry 1000] [--seed 7]
        [--url postgresql://…] [--json FILE] [--png FILE]

Two things are told apart, line by line:

- measured: `--days` days of the year, spread over it, pass event by event through the real queue with its leases and
  tokens, and the real ledger and budget (year_day.py), on a database of their own. Only the clock, the models, their
  outages and the deaths of workers are made up. Each begins with what earlier days left, up to `--carry` sessions.
  With `--every 8` it is every eighth project, the busiest among them, with that share of workers, rate and budget.
  `--whole 325` is a healthy day at the peak with all of its 200,000 sessions, which takes a few minutes.
- simulated from it: all 365 days, hour by hour and project by project, as flows: what arrives, and what workers, the
  one-at-a-time rule of a project, the provider's rate and the budget let through. Where a day was measured, both are
  printed, so that one sees how far they are apart.

At the end it says what each part can carry in sessions a day, which one gives way first, and on which day.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from pathlib import Path

from lerim.llm.prices import Tokens
from lerim.llm.usage import ModelCall, Spending, UsageLedger
from lerim.sessions.queue import Queue
from lerim.storage.database import Database
from lerim.storage.engine import open_database, open_shared

sys.path.insert(0, str(Path(__file__).parent))
from plot import BLACK, COLORS, GRAY, Canvas, Color, Point
from year_day import ARRIVE, DAY, EMBEDDED, HOUR, Arrival, DayCount, Means, Provided, Reading, TeamDay, daily

#: A Monday, at midnight UTC.
BEGAN = datetime(2026, 1, 5, tzinfo=UTC).timestamp()
DAYS = 365
#: A weekday at the peak when nothing is wrong, and one on which the provider is out for hours.
GOOD_DAY, BAD_DAY = 325, 330
ONE_AT_A_TIME = "one at a time in a project"
#: How much of a day's sessions ends in each hour: people by day, fleets also at night.
_HOURS = (2, 2, 2, 2, 2, 2, 3, 4, 6, 8, 8, 8, 7, 8, 8, 8, 7, 6, 5, 4, 4, 3, 3, 2)
_WEEK = (1.0, 1.0, 1.0, 1.0, 0.95, 0.4, 0.35)


@dataclass(frozen=True)
class Load:
    """What a team's agents leave behind."""

    people: int = 100
    peak: int = 200_000
    #: Sessions that one person starts in a day, before there are fleets.
    each: int = 20
    #: Repositories for each person.
    projects_each: int = 4
    #: How unevenly work is spread over projects: 0 for evenly, 1 as words are in a text.
    skew: float = 0.7
    #: The day on which growth ends.
    grown: int = 300
    #: Outages of the provider by day: the first hour, and the hours.
    outages: Mapping[int, tuple[float, float]] = field(
        default_factory=lambda: dict.fromkeys(range(45, 300, 60), (14.0, 2.0)) | {BAD_DAY: (12.0, 4.0)}
    )

    def sessions(self, day: int) -> int:
        """How many end on a day."""
        first = self.people * self.each
        grown = first * (self.peak / first) ** min(1.0, day / self.grown)
        return round(grown * _WEEK[day % 7])

    def shares(self) -> list[float]:
        """Of each project, the busiest first."""
        weights = [1 / (rank**self.skew) for rank in range(1, self.people * self.projects_each + 1)]
        return [weight / sum(weights) for weight in weights]

    def arrivals(self, day: int, seed: int, every: int = 1) -> Iterator[Arrival]:
        """The sessions of a day, one by one; of every so many projects, with the busiest of all among them."""
        chance = random.Random(f"{seed}-{day}")
        shares = self.shares()[::every]
        bounds = list(accumulate(shares))
        names = [_project(number * every) for number in range(len(bounds))]
        for hour, weight in enumerate(_HOURS):
            for _ in range(round(self.sessions(day) * sum(shares) * weight / sum(_HOURS))):
                at = BEGAN + day * DAY + (hour + chance.random()) * HOUR
                yield Arrival(at, chance.choices(names, cum_weights=bounds)[0])

    def outage(self, day: int) -> list[tuple[float, float]]:
        if day not in self.outages:
            return []
        first, hours = self.outages[day]
        return [(BEGAN + day * DAY + first * HOUR, BEGAN + day * DAY + (first + hours) * HOUR)]


def _project(number: int) -> str:
    return f"prj-{number:04}"


@dataclass(frozen=True)
class Cost:
    """What one session takes on average, drawn as the measured days draw it."""

    seconds: float
    tokens: float
    input_tokens: float
    usd: float


def session_cost(means: Means, draws: int = 20_000) -> Cost:
    chance = random.Random(1)
    drawn = [means.reading.draw(chance) for _ in range(draws)]
    # What fails is read again.
    again = 1 + means.reading.unlucky + 4 * means.reading.bad
    requests = again * sum(one for one, _ in drawn) / draws
    used = means.reading.input_tokens * requests, means.reading.output_tokens * requests
    budget = means.budget
    usd = (used[0] * budget.input_usd_per_million + used[1] * budget.output_usd_per_million) / 1e6
    return Cost(again * sum(seconds for _, seconds in drawn) / draws, sum(used), used[0], usd)


# --- simulated: the whole year, as flows ------------------------------------------------------------------------------


@dataclass
class YearDay:
    """One day of the year as the flows have it."""

    day: int
    arrived: int
    done: int = 0
    backlog: int = 0
    backlog_of_busiest: int = 0
    wait_p50: float = 0.0
    wait_p95: float = 0.0
    #: Of the projects that are measured, among which the busiest weighs more.
    part_p95: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    held_by: str = ""


class Year:
    """Sessions as water: what flows in each hour, and what every part lets through."""

    def __init__(self, load: Load, means: Means, every: int = 1) -> None:
        self._load, self._means, self.cost = load, means, session_cost(means)
        self._every = every
        self._shares = load.shares()
        self.waiting = [0.0] * len(self._shares)
        self._spent = 0.0

    def pass_day(self, day: int) -> YearDay:
        one = YearDay(day, self._load.sessions(day))
        waits: list[tuple[float, float]] = []
        self._spent, held = 0.0, defaultdict[str, float](float)
        outage = self._load.outages.get(day, (0.0, 0.0))
        done = 0.0
        for hour, weight in enumerate(_HOURS):
            coming = one.arrived * weight / sum(_HOURS)
            out = max(0.0, min(hour + 1, sum(outage)) - max(hour, outage[0]))
            left = max(0.0, sum(outage) - hour - 0.5) * HOUR if out else 0.0
            done += self._pass_hour(coming, 1.0 - out, left, waits, held)
        one.done, one.backlog = round(done), round(sum(self.waiting))
        one.backlog_of_busiest = round(self.waiting[0])
        one.wait_p50, one.wait_p95 = (_weighted(waits, share) for share in (0.5, 0.95))
        projects = len(self._shares)
        one.part_p95 = _weighted(
            [wait for at, wait in enumerate(waits) if at % projects % self._every == 0] if self._every > 1 else waits,
            0.95,
        )
        one.tokens, one.usd = round(done * self.cost.tokens), round(done * self.cost.usd, 2)
        one.held_by = self._held(held, one)
        return one

    def _pass_hour(
        self, coming: float, up: float, left: float, waits: list[tuple[float, float]], held: dict[str, float]
    ) -> float:
        # One after the other inside a project; a model that is out lets nobody through.
        most = HOUR / self.cost.seconds * up
        wanted = [
            min(waiting + coming * share, most) for waiting, share in zip(self.waiting, self._shares, strict=True)
        ]
        asked = sum(wanted)
        name, limit = min(self._hourly(up).items(), key=lambda pair: pair[1])
        through = min(asked, limit)
        part = through / asked if asked else 0.0
        for number, share in enumerate(self._shares):
            served = wanted[number] * part
            self.waiting[number] = max(0.0, self.waiting[number] + coming * share - served)
            seconds = HOUR / served if served and not left else self.cost.seconds
            waits.append((left + self.waiting[number] * seconds, coming * share))
        self._spent += through * self.cost.usd
        held[name if asked > limit else ONE_AT_A_TIME] += sum(self.waiting)
        return through

    def _hourly(self, up: float) -> dict[str, float]:
        """What each shared part lets through in an hour."""
        means, cost = self._means, self.cost
        limits = {"workers": means.workers * HOUR / cost.seconds * up}
        if means.tokens_a_minute and cost.input_tokens:
            limits["model rate"] = means.tokens_a_minute * 60 / cost.input_tokens * up
        if means.budget.day_usd and cost.usd:
            limits["budget"] = max(0.0, means.budget.day_usd - self._spent) / cost.usd
        return limits

    def _held(self, held: Mapping[str, float], one: YearDay) -> str:
        """What kept most sessions waiting for most of the time."""
        if one.backlog < max(20, one.arrived / 100):
            return ""
        return "outage" if one.day in self._load.outages else max(held, key=lambda name: held[name])


def _weighted(values: Sequence[tuple[float, float]], share: float) -> float:
    total, sofar = sum(weight for _, weight in values), 0.0
    for value, weight in sorted(values):
        sofar += weight
        if sofar >= share * total:
            return round(value, 1)
    return 0.0


# --- measured: some days, through the real queue ----------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """One day that really passed through the queue and the ledger."""

    day: int
    #: The share of all sessions that was measured, with the same share of workers, rate and budget.
    part: float
    arrived: int
    carried: int
    done: int
    dead: int
    failures: int
    killed: int
    refused: int
    twice: int
    stopped_by_budget: int
    unanswered: int
    backlog: int
    most_waiting: int
    wait_p50: float
    wait_p95: float
    wait_p99: float
    fresh_p50: float
    fresh_p95: float
    fresh_p99: float
    workers_busy: float
    tokens: int
    usd: float
    #: CPU milliseconds of one call of the queue (a claim, a renewal, an end) and of one entry of the ledger.
    queue_ms: float
    ledger_ms: float
    cpu_seconds: float


def measure(
    load: Load,
    means: Means,
    day: int,
    waiting: Sequence[float],
    carry: int,
    seed: int,
    *,
    every: int = 1,
    url: str = "",
) -> Measured:
    """Let one day pass, event by event; of every so many projects."""
    part = sum(load.shares()[::every])
    means = means if every == 1 else _part_of(means, part)
    arrivals = [*_carried(load, day, waiting, carry, every), *load.arrivals(day, seed, every)]
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder, queue_database(url, Path(folder)) as database:
        provided = Provided(means, load.outage(day))
        one = TeamDay(database, Path(folder) / "home", means, BEGAN + day * DAY, provided, seed)
        count = one.run(arrivals)
    return _measured(day, part, count, means, time.process_time() - began)


@contextmanager
def queue_database(url: str, folder: Path) -> Iterator[Database]:
    """A database without a session: a file, or the one on a server, which is left as empty as it was."""
    if not url:
        # What is derived is not flushed to the disk: the queue's own work is what is timed.
        with closing(open_database(folder / "sessions.sqlite3", "sessions", derived=True)) as database:
            yield database
        return
    with closing(open_shared(url, "sessions")) as database:
        with database.read() as tx:
            if tx.rows("SELECT id FROM containers LIMIT 1"):
                raise SystemExit("there are sessions in that database; name one that is empty")
        try:
            yield database
        finally:
            with database.write() as tx:
                tx.run("DELETE FROM sessions WHERE agent = 'fleet'")
                tx.run("DELETE FROM containers WHERE agent = 'fleet'")


def _part_of(means: Means, part: float) -> Means:
    budget = replace(means.budget, day_usd=means.budget.day_usd * part)
    workers = max(1, round(means.workers * part))
    return replace(means, workers=workers, tokens_a_minute=means.tokens_a_minute * part, budget=budget)


def _carried(load: Load, day: int, waiting: Sequence[float], most: int, every: int) -> Iterator[Arrival]:
    """What earlier days left: of each project its newest sessions, as many as wait, and no more than `most` in all."""
    kept, shares = min(1.0, most / max(sum(waiting[::every]), 1.0)), load.shares()
    for number in range(0, len(shares), every):
        pace = load.sessions(day - 1) * shares[number] / DAY if day else 1.0
        for place in range(round(waiting[number] * kept)):
            yield Arrival(BEGAN + day * DAY - (place + 1) / max(pace, 1e-9), _project(number))


def _measured(day: int, part: float, count: DayCount, means: Means, cpu_seconds: float) -> Measured:
    waits = [round(_quantile(count.waits, share), 1) for share in (0.5, 0.95, 0.99)]
    fresh = [round(_quantile(count.fresh, share), 1) for share in (0.5, 0.95, 0.99)]
    same = ("arrived", "carried", "done", "dead", "failures", "killed", "refused", "twice", "stopped_by_budget")
    return Measured(
        day,
        round(part, 4),
        *(getattr(count, name) for name in same),
        count.unanswered,
        count.backlog[-1],
        max(count.backlog),
        *waits,
        *fresh,
        round(count.busy_seconds / (means.workers * DAY), 3),
        count.tokens,
        round(count.usd, 2),
        round(1000 * count.queue_seconds / max(count.queue_calls, 1), 3),
        round(1000 * count.ledger_seconds / max(count.ledger_calls, 1), 2),
        round(cpu_seconds, 1),
    )


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


# --- where it breaks --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limit:
    """What one part can carry, and the first day that asks for more."""

    part: str
    sessions_a_day: int
    first_day: int | None
    how: str


#: So many entries of one day the ledger holds when it is timed again.
LEDGER_SIZE = 100_000


def limits(load: Load, means: Means, measured: Sequence[Measured], size: int = LEDGER_SIZE) -> list[Limit]:
    """What each part can carry in sessions a day, least first."""
    cost, queue_ms = session_cost(means), max([one.queue_ms for one in measured] or [1.0])
    found = [
        (ONE_AT_A_TIME, DAY / cost.seconds / load.shares()[0], "by the busiest project's share"),
        ("workers", means.workers * DAY / cost.seconds, f"{means.workers} workers, day and night"),
        # A claim, an end and, for the longer ones, a renewal: one writer at a time.
        ("queue", DAY * 1000 / (3 * queue_ms), f"three calls of {queue_ms:.2f} ms a session, one writer"),
    ]
    behind = claim_ms(BEHIND)
    how = f"a claim takes {behind:.1f} ms while {BEHIND:,} sessions wait in projects that are worked on"
    found.append(("queue, with a backlog", DAY * 1000 / (behind + 2 * queue_ms), how))
    if means.tokens_a_minute and cost.input_tokens:
        found.append(("model rate", means.tokens_a_minute * 1440 / cost.input_tokens, "tokens a minute, day and night"))
    if means.budget.day_usd and cost.usd:
        found.append(("budget", means.budget.day_usd / cost.usd, f"${means.budget.day_usd:,.0f} a day"))
    if cost.input_tokens:
        few, many = ledger_ms(means, 100), ledger_ms(means, size)
        entries = _most_entries(few, (many - few) / size)
        how = f"an entry takes {few:.1f} ms, and {many:.1f} ms after {size:,} that day; one writer"
        found.append(("ledger", entries * means.reading.input_tokens / cost.input_tokens, how))
    rows = sorted(found, key=lambda one: one[1])
    return [Limit(part, round(most), _first_day(load, most), how) for part, most, how in rows]


_FILL = """
INSERT INTO calls (at, run_id, role, provider, model, input_tokens, output_tokens, cost_usd, settled)
VALUES (?, ?, 'extract', 'openai_compatible', 'reader', 6500, 600, 0.0, 1)
"""


#: So many sessions wait in projects that are worked on when a claim is timed.
BEHIND = 10_000


def claim_ms(behind: int, times: int = 20) -> float:
    """CPU milliseconds of a claim and its end, when the oldest `behind` sessions are of projects that are worked on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.sqlite3"
        with closing(open_database(path, "sessions", derived=True)) as database:
            rows = [(_project(0), number) for number in range(behind + 1)]
            rows += [(_project(1), behind + 1 + number) for number in range(times)]
            with database.write() as tx:
                tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'fleet', 'traces', 0, 0)")
                moments = (f"2026-01-01T{number:09}" for _, number in rows)
                tx.run_many(
                    ARRIVE, ((f"s{at}", when, when, name) for (name, at), when in zip(rows, moments, strict=True))
                )
            queue = Queue(database, random.Random(1).random)
            queue.claim("busy")
            began = time.process_time()
            for _ in range(times):
                job = queue.claim("free")
                assert job is not None
                queue.complete(job)
            return 1000 * (time.process_time() - began) / times


def ledger_ms(means: Means, before: int, times: int = 20) -> float:
    """CPU milliseconds of one entry and its settling in the real ledger, when a day has so many already."""
    now = datetime.fromtimestamp(BEGAN, UTC)
    with tempfile.TemporaryDirectory() as home:
        ledger = UsageLedger(Path(home), lambda: now)
        ledger.spent("nobody")
        with closing(open_database(ledger.path, "usage")) as database, database.write() as tx:
            moment = now.strftime("%Y-%m-%dT%H:%M:%SZ")
            tx.run_many(_FILL, ((moment, f"sync-{number}") for number in range(before)))
        began = time.process_time()
        for number in range(times):
            call = ModelCall(Spending(f"sync-new-{number}"), "extract", "openai_compatible", "reader", 6_500, 0.0)
            ledger.settle(ledger.open_call(call, means.budget), Tokens(6_500, 600), 0.0)
        return 1000 * (time.process_time() - began) / times


def _most_entries(first: float, more: float) -> float:
    """How many entries fit into a day when the first takes `first` milliseconds, and each one `more` than the last."""
    if more <= 1e-9:
        return DAY * 1000 / first
    return (math.sqrt(first * first + 2 * more * DAY * 1000) - first) / more


def _first_day(load: Load, most: float) -> int | None:
    return next((day for day in range(DAYS) if load.sessions(day) > most), None)


# --- the picture ------------------------------------------------------------------------------------------------------

_LEFT, _TOP, _WIDTH, _HEIGHT = 130, 60, 520, 340


class Panel:
    """A year from left to right, and logarithmic from `least` up."""

    def __init__(self, canvas: Canvas, place: int, title: str, least: float, most: float) -> None:
        self._canvas = canvas
        self._left = _LEFT + place % 2 * (_WIDTH + 200)
        self._top = _TOP + place // 2 * (_HEIGHT + 250)
        self._least, self._powers = least, max(1, math.ceil(math.log10(max(most, least * 10) / least)))
        canvas.text(self._left, self._top - 40, title)
        for power in range(self._powers + 1):
            _, y = self._at((0, least * 10**power))
            canvas.line((self._left, y), (self._left + _WIDTH, y), GRAY)
            canvas.text(self._left - 120, y - 7, f"{least * 10**power:,.0f}".rjust(9))
        for month in range(0, 13, 3):
            x, y = self._at((month * DAYS / 12, least))
            canvas.line((x, self._top), (x, y), GRAY)
            canvas.text(x - 20, y + 12, f"{round(month * DAYS / 12)}", BLACK)

    def curve(self, points: Sequence[Point], color: Color, size: int = 2) -> None:
        for start, end in pairwise(self._at(point) for point in points):
            self._canvas.line(start, end, color, size)

    def dots(self, points: Sequence[Point], color: Color) -> None:
        for x, y in map(self._at, points):
            self._canvas.dot(x, y, color, 9)

    def label(self, row: int, text: str, color: Color) -> None:
        self._canvas.text(self._left, self._top + _HEIGHT + 40 + 24 * row, text, color)

    def _at(self, point: Point) -> Point:
        up = math.log10(max(point[1], self._least) / self._least) / self._powers
        return self._left + point[0] / DAYS * _WIDTH, self._top + (1 - min(up, 1.0)) * _HEIGHT


def draw(path: Path, year: Sequence[YearDay], measured: Sequence[Measured], found: Sequence[Limit]) -> None:
    """Sessions against what the parts can carry, what waits, for how long, and what it costs."""
    canvas = Canvas(1480, 1160)
    sessions = Panel(canvas, 0, "sessions a day, and what each part can carry", 1_000, 10_000_000)
    sessions.curve([(one.day, one.arrived) for one in year], BLACK, 3)
    for row, limit in enumerate(found[: len(COLORS)]):
        sessions.curve([(0, limit.sessions_a_day), (DAYS, limit.sessions_a_day)], COLORS[row], 2)
        sessions.label(row, f"{limit.part}: {limit.sessions_a_day:,}", COLORS[row])
    curves: Sequence[tuple[str, float, Sequence[tuple[str, Callable[[YearDay | Measured], float]]]]] = (
        ("waiting at midnight", 1, (("sessions", lambda one: one.backlog),)),
        ("seconds from the end of a session to its turn", 1, (("p50", _p50), ("p95", _p95))),
        ("dollars a day", 1, (("model", lambda one: one.usd / _part(one)),)),
    )
    for place, (title, least, named) in enumerate(curves, 1):
        most = max(value(one) for _, value in named for one in (*year, *measured))
        panel = Panel(canvas, place, title, least, most)
        for row, (name, value) in enumerate(named):
            panel.curve([(one.day, value(one)) for one in year], COLORS[row])
            panel.dots([(one.day, value(one)) for one in measured], COLORS[row])
            panel.label(row, f"{name}: line simulated, dots measured", COLORS[row])
    path.write_bytes(canvas.png())


def _part(one: YearDay | Measured) -> float:
    return one.part if isinstance(one, Measured) else 1.0


def _p50(one: YearDay | Measured) -> float:
    return one.wait_p50


def _p95(one: YearDay | Measured) -> float:
    """Of the projects that are measured, in either."""
    return one.wait_p95 if isinstance(one, Measured) else one.part_p95


# --- all of it --------------------------------------------------------------------------------------------------------


def sampled(load: Load, days: int) -> list[int]:
    """The days that are measured: a bad one and a good one at the peak, and weekdays spread over the growth."""
    spread = [round((number + 0.5) * load.grown / max(days - 2, 1)) for number in range(days - 2)]
    return sorted([BAD_DAY, GOOD_DAY, *(day - max(0, day % 7 - 4) for day in spread)][:days])


def live(
    load: Load,
    means: Means,
    days: int,
    tell: Callable[[YearDay, Measured | None], None],
    *,
    carry: int = 1_000,
    seed: int = 7,
    every: int = 1,
    whole: int | None = None,
    url: str = "",
) -> tuple[list[YearDay], list[Measured]]:
    """The whole year as flows, with some of its days measured as they come, `whole` with all projects."""
    year, passed, measured = Year(load, means, every), [], []
    chosen = {*sampled(load, days), *([] if whole is None else [whole])}
    for day in range(DAYS):
        waiting = list(year.waiting)
        passed.append(year.pass_day(day))
        each = 1 if day == whole else every
        found = measure(load, means, day, waiting, carry, seed, every=each, url=url) if day in chosen else None
        if found:
            measured.append(found)
        tell(passed[-1], found)
    return passed, measured


def _tell(one: YearDay, measured: Measured | None) -> None:
    if measured:
        print(json.dumps({"measured": asdict(measured)}), flush=True)
    if measured or one.day % 30 == 0 or one.day == DAYS - 1:
        print(json.dumps({"simulated": asdict(one)}), flush=True)


def _means(args: argparse.Namespace) -> Means:
    reading = EMBEDDED if args.reading == "embedded" else Reading()
    return Means(args.workers, args.tokens_a_minute, daily(args.day_usd), reading)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=5, help="how many days of the year are measured")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--peak", type=int, default=200_000, help="sessions a day in the end")
    parser.add_argument("--reading", choices=("model", "embedded"), default="model")
    parser.add_argument("--day-usd", type=float, default=1_000.0, help="the budget of a day; 0 for none")
    parser.add_argument("--tokens-a-minute", type=float, default=4e6, help="the provider's rate; 0 for any")
    parser.add_argument("--skew", type=float, default=0.7, help="0: all projects are as busy; 1: as words in a text")
    parser.add_argument("--carry", type=int, default=1_000, help="so many waiting sessions a measured day begins with")
    parser.add_argument("--every", type=int, default=8, help="measure every so many projects; 1 for all of them")
    parser.add_argument(
        "--whole", type=int, metavar="DAY", help="measure this day with all projects; 325 is a good one"
    )
    parser.add_argument("--url", default="", help="have the queue on this PostgreSQL, in a database without sessions")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, help="where to write all of it")
    parser.add_argument("--png", type=Path, help="where to draw it")
    args = parser.parse_args()
    load, means = replace(Load(), people=args.people, peak=args.peak, skew=args.skew), _means(args)
    how = {"carry": args.carry, "seed": args.seed, "every": args.every}
    year, measured = live(load, means, args.days, _tell, whole=args.whole, url=args.url, **how)
    found = limits(load, means, measured)
    for limit in found:
        print(json.dumps({"limit": asdict(limit)}))
    if args.json:
        whole = {"measured": measured, "simulated": year, "limits": found}
        args.json.write_text(json.dumps({name: [asdict(one) for one in rows] for name, rows in whole.items()}))
    if args.png:
        draw(args.png, year, measured, found)


if __name__ == "__main__":
    main()
