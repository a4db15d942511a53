"""What is promised against what is: service objectives, measured from what the databases keep anyway.

Nothing is written down for it. When a session ended stands in the catalog, when its memories were there in the store,
and which run a budget ended in the books. Only a search leaves no trace: some are made on the spot, and timed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.pace import growth, read_since, registered
from lerim.context.records import parse_time, time_text
from lerim.dataclass import dataclass
from lerim.errors import InvalidRecord, LerimError
from lerim.flows.flow import Flow

if TYPE_CHECKING:
    from lerim.config.settings import SloSettings
    from lerim.sessions.pace import EndedSession
    from lerim.storage.database import Database

#: The days that are looked back at.
WINDOW_DAYS = 7
#: Searches that are made to time one.
SEARCHES = 9
#: More than ten years is no figure, but an answer.
LONG_DAYS = 3_650.0
#: From so much of what is allowed on, an objective is at risk.
_RISK = 0.8


class ObjectiveState(StrEnum):
    """How an objective stands."""

    OK = "ok"
    AT_RISK = "at risk"
    MISSED = "missed"
    NO_DATA = "no data"


class ObjectiveUnit(StrEnum):
    """What an objective is measured in."""

    SECONDS = "seconds"
    PERCENT = "percent"
    DAYS = "days"
    RUNS = "runs"


@dataclass(frozen=True)
class ServiceObjective:
    """One promise: what is measured, what it shall be, what it is, and what to type when it is not kept."""

    name: str
    #: What is measured, in words.
    what: str
    unit: ObjectiveUnit
    objective: float
    #: None: there is nothing to measure it by.
    measured: float | None
    #: Half of what was measured is not above it; None where that says nothing.
    median: float | None
    #: Days that are looked back at; 0: how it stands now.
    days: int
    #: How many things were measured.
    count: int
    #: Whether the objective is a least, as a share is, or a most, as a time is.
    is_least: bool
    #: What improves it, when it is missed or at risk.
    fix: str
    #: What should be known about the figure.
    note: str = ""

    @property
    def state(self) -> ObjectiveState:
        if self.measured is None:
            return ObjectiveState.NO_DATA
        used = self._used(self.measured)
        if used > 1.0:
            return ObjectiveState.MISSED
        return ObjectiveState.AT_RISK if used > _RISK else ObjectiveState.OK

    @property
    def next_step(self) -> str | None:
        """What to type when it is not kept, or hardly."""
        return self.fix if self.state in (ObjectiveState.MISSED, ObjectiveState.AT_RISK) else None

    def _used(self, measured: float) -> float:
        """How much of what is allowed is used up: 1 is all of it. Of a share, that is what is missing from all."""
        if not self.is_least:
            return _part(measured, self.objective)
        if self.unit is ObjectiveUnit.PERCENT:
            return _part(100.0 - measured, 100.0 - self.objective)
        return _part(self.objective, measured)


def _part(used: float, allowed: float) -> float:
    return used / allowed if allowed else (inf if used else 0.0)


@dataclass(frozen=True)
class ServiceReport:
    """All objectives, and what to type for those that are not kept."""

    at: datetime
    objectives: tuple[ServiceObjective, ...]

    def of(self, state: ObjectiveState) -> list[ServiceObjective]:
        return [one for one in self.objectives if one.state is state]

    @property
    def next_steps(self) -> list[str]:
        wrong = (*self.of(ObjectiveState.MISSED), *self.of(ObjectiveState.AT_RISK))
        return list(dict.fromkeys(one.fix for one in wrong))


class Promises(Flow):
    """Holds what is promised against what is. Changes nothing."""

    def report(self) -> ServiceReport:
        """Every objective, as it stands now."""
        now = self._house.clock()
        since, promised = now - timedelta(days=WINDOW_DAYS), self._house.user_config.settings.slo
        return ServiceReport(now, tuple(self._measured(promised, now, since)))

    def _measured(self, promised: SloSettings, now: datetime, since: datetime) -> Iterator[ServiceObjective]:
        ended = self._ended(since)
        yield from self._fresh(promised, ended, since)
        yield self._waiting(promised, now)
        yield _read(promised, ended)
        yield self._searched(promised)
        yield self._findable()
        yield self._given(promised, since)
        yield self._room(promised, since)
        yield self._budget(since)

    # Sessions

    def _ended(self, since: datetime) -> list[EndedSession]:
        """What ended since then, and after its project was registered: what lay there before was no promise."""
        from lerim.sessions.pace import ended_since

        catalog = self._queue()
        if catalog is None:
            return []
        begun = registered(self._house.database)
        found = catalog.guarded(lambda: ended_since(catalog, time_text(since)))
        return [one for one in found if one.ended >= max(time_text(since), begun.get(one.project_id, ""))]

    def _queue(self) -> Database | None:
        """Where sessions wait: in the store that machines share, else on this one; None before the first look."""
        if self._house.shared is not None:
            return self._house.team_catalog
        from lerim.sessions.database import catalog_path

        return self._house.catalog if catalog_path(self._house.home).exists() else None

    def _fresh(
        self, promised: SloSettings, ended: Sequence[EndedSession], since: datetime
    ) -> Iterator[ServiceObjective]:
        from lerim.sessions.pace import MOST_SESSIONS

        read = read_since(self._house.database, time_text(since), MOST_SESSIONS)
        done = [(_moment(one.ended), read.get((one.agent, one.run_id))) for one in ended if one.state == "done"]
        known = [(over, found) for over, found in done if over and found]
        whole = [_between(over, _moment(found.at)) for over, found in known]
        waits = [_between(over, _run_began(found.run)) for over, found in known]
        most, days = promised.freshness_minutes * 60.0, WINDOW_DAYS
        fix = "lerim daemon install"
        yield _times("freshness", "from the end of a session to its memories, p95", most, whole, days, fix)
        yield _times("turn", "from the end of a session to its turn, p95", most, waits, days, fix)

    def _waiting(self, promised: SloSettings, now: datetime) -> ServiceObjective:
        from lerim.sessions.pace import waiting

        catalog = self._queue()
        count, oldest = catalog.guarded(lambda: waiting(catalog)) if catalog else (0, None)
        began = _moment(oldest) if oldest else None
        age = _between(began, now) if began else 0.0
        what, most = "how long the session that waits longest has waited", promised.waiting_minutes * 60.0
        measured = age if catalog else None
        return ServiceObjective(
            "backlog", what, ObjectiveUnit.SECONDS, most, measured, None, 0, count, False, "lerim sync"
        )

    # Reading

    def _searched(self, promised: SloSettings) -> ServiceObjective:
        note = "no search is recorded: some were made now, for titles of the newest memories"
        seconds = self._search_times()
        most = promised.search_ms / 1000.0
        return _times("search", "a search by words and meaning, p95", most, seconds, 0, "lerim index", note)

    def _search_times(self) -> list[float]:
        """Seconds of some searches, after one that loads what all of them need."""
        from lerim.context.filters import Filter
        from lerim.search.search import Searcher, search

        if self._house.scope.is_empty:
            return []
        memory, index = self._house.memory, self._house.index
        titles = [kept.record.title for kept in memory.page(Filter(), limit=SEARCHES).items]
        searcher, seconds = Searcher(index.embedder, index.folder), []
        for title in titles[:1] + titles:
            began = time.perf_counter()
            with suppress(LerimError):  # A title without a word, as some languages have.
                search(memory, title, Filter(), searcher=searcher)
                seconds.append(time.perf_counter() - began)
        return seconds[1:]

    def _findable(self) -> ServiceObjective:
        health = self._house.index.health()
        measured = 100.0 * health.fts / health.records if health.records else None
        what, fix = "records that a search by words can find", "lerim memory rebuild --from store"
        return ServiceObjective(
            "index", what, ObjectiveUnit.PERCENT, 100.0, measured, None, 0, health.records, True, fix
        )

    def _given(self, promised: SloSettings, since: datetime) -> ServiceObjective:
        from lerim.sessions.database import catalog_path
        from lerim.sessions.pace import given_since, hook_errors_since

        catalog, home = self._house.catalog, self._house.home
        given = catalog.guarded(lambda: given_since(catalog, time_text(since))) if catalog_path(home).exists() else 0
        errors = hook_errors_since(home, time_text(since))
        count = given + errors
        note = "a hook ends itself after 2 s, and does not record how long it took"
        measured = 100.0 * given / count if count else None
        what, least = "sessions that were given their brief without an error", promised.brief_percent
        fix, known = "lerim connect doctor", note if count else ""
        return ServiceObjective(
            "hooks", what, ObjectiveUnit.PERCENT, least, measured, None, WINDOW_DAYS, count, True, fix, known
        )

    # Room and money

    def _room(self, promised: SloSettings, since: datetime) -> ServiceObjective:
        home = self._house.home
        records, new = growth(self._house.database, time_text(since))
        size = sum(_size(path) for path in (*home.glob("*.sqlite3*"), *home.glob("index/**/*")))
        each_day = size / records * new / WINDOW_DAYS if records else 0.0
        free = shutil.disk_usage(home).free if records else 0
        days = min(free / each_day, LONG_DAYS) if each_day else (LONG_DAYS if records else None)
        note = (
            f"databases and index hold {size / 1e6:.3g} MB, and records: {records:,}; archived traces are not counted"
        )
        what, fix = "days until the disk is full at this week's growth", "lerim backup list"
        return ServiceObjective(
            "room",
            what,
            ObjectiveUnit.DAYS,
            promised.disk_days,
            days,
            None,
            WINDOW_DAYS,
            new,
            True,
            fix,
            note if records else "",
        )

    def _budget(self, since: datetime) -> ServiceObjective:
        from lerim.llm.usage import By

        usage, budget = self._house.usage, self._house.config.settings.budget
        what, fix = "runs that a budget has ended", "lerim cost --by run"
        if not usage.is_kept:
            return ServiceObjective("budget", what, ObjectiveUnit.RUNS, 0, None, None, WINDOW_DAYS, 0, False, fix)
        bill, stops = usage.bill(since, By.RUN, budget), usage.stops(since)
        left = _left(bill.today.tokens, bill.today.cost_usd, budget.day_tokens, budget.day_usd)
        runs = len(bill.lines)
        return ServiceObjective(
            "budget", what, ObjectiveUnit.RUNS, 0, float(stops), None, WINDOW_DAYS, runs, False, fix, left
        )


def _read(promised: SloSettings, ended: Sequence[EndedSession]) -> ServiceObjective:
    tried = [one for one in ended if one.state in ("done", "failed", "dead")]
    failed, dead = (sum(one.state == state for one in tried) for state in ("failed", "dead"))
    measured = 100.0 * (len(tried) - failed - dead) / len(tried) if tried else None
    note = f"{failed:,} failed and will be tried again, {dead:,} given up" if failed or dead else ""
    fix = "lerim retry --all" if dead else "lerim queue --state failed"
    what = "sessions that were read without a failure"
    return ServiceObjective(
        "read",
        what,
        ObjectiveUnit.PERCENT,
        promised.read_percent,
        measured,
        None,
        WINDOW_DAYS,
        len(tried),
        True,
        fix,
        note,
    )


def _times(
    name: str, what: str, most: float, seconds: Sequence[float | None], days: int, fix: str, note: str = ""
) -> ServiceObjective:
    ordered = sorted(one for one in seconds if one is not None)
    worst, median = (_at(ordered, share) for share in (0.95, 0.5)) if ordered else (None, None)
    return ServiceObjective(
        name, what, ObjectiveUnit.SECONDS, most, worst, median, days, len(ordered), False, fix, note if ordered else ""
    )


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _left(tokens: int, usd: float, most_tokens: int, most_usd: float) -> str:
    """What is left of today's budget, in words."""
    left = [f"{max(most_tokens - tokens, 0):,} of {most_tokens:,} tokens"] if most_tokens else []
    left += [f"${max(most_usd - usd, 0.0):.2f} of ${most_usd:.2f}"] if most_usd else []
    return f"left today: {' and '.join(left)}" if left else "no budget for a day is set"


def _moment(text: str) -> datetime | None:
    with suppress(InvalidRecord):  # Some agent's own words.
        return parse_time(text)
    return None


def _run_began(run: str) -> datetime | None:
    """When a run began, as its name tells: `sync-20261115-173053-abc234`."""
    with suppress(ValueError):
        return datetime.strptime(run[5:20], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    return None


def _between(start: datetime, end: datetime | None) -> float | None:
    return max((end - start).total_seconds(), 0.0) if end else None


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size if path.is_file() else 0
    return 0
