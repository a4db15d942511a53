"""The books: every call of a model, what it used and cost; and the budgets that are kept with them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from lerim.config.settings import BudgetSettings
from lerim.dataclass import dataclass
from lerim.errors import BudgetReached, HeldBack, NotAllowed, StoreCorrupt
from lerim.llm.prices import Tokens
from lerim.storage.database import Database, Transaction
from lerim.storage.engine import open_beside
from lerim.storage.entries import entries
from lerim.storage.quarantine import set_aside

NAME = "usage"
_T = TypeVar("_T")


def _silent(notice: str) -> None:
    pass


@dataclass(frozen=True)
class Spending:
    """On whose account a call goes."""

    run_id: str
    #: The id of the project that it is for; '' for none.
    project_id: str = ""
    #: Whether what was answered before counts: a run that is tried again pays for nothing twice.
    resumes: bool = False


@dataclass(frozen=True)
class ModelCall:
    """A request that is about to be made, with what its input is thought to use and cost."""

    spending: Spending
    role: str
    provider: str
    model: str
    input_tokens: int
    cost_usd: float | None


@dataclass(frozen=True)
class Spent:
    """A sum over calls. Calls whose price nobody knows are counted, and cost nothing here."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class By(StrEnum):
    """What `lerim cost` adds up by."""

    DAY = "day"
    MODEL = "model"
    ROLE = "role"
    RUN = "run"


@dataclass(frozen=True)
class BillLine:
    """One line of the bill. `stopped` says which budget ended a run."""

    name: str
    spent: Spent
    stopped: str | None = None


@dataclass(frozen=True)
class Bill:
    """What was used since a moment, line by line, and today's use against the budget."""

    lines: tuple[BillLine, ...]
    total: Spent
    today: Spent
    budget: BudgetSettings


_SUMS = """count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
  coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_tokens), 0),
  coalesce(sum(cost_usd), 0.0), coalesce(sum(CASE WHEN cost_usd IS NULL THEN 1 ELSE 0 END), 0)"""
_NAMES = {By.DAY: "substr(at, 1, 10)", By.MODEL: "provider || ' ' || model", By.ROLE: "role", By.RUN: "run_id"}


_LATELY = """
SELECT count(*), coalesce(sum(input_tokens + output_tokens), 0), min(at) FROM calls WHERE provider = ? AND at > ?
"""
_STOP = "INSERT INTO stops (project_id, run_id, at, reason) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_HOLD = """
INSERT INTO holds (provider, model, until) VALUES (?, ?, ?)
ON CONFLICT (provider, model) DO UPDATE
SET until = CASE WHEN excluded.until > holds.until THEN excluded.until ELSE holds.until END
"""
_MINUTE = 60.0
#: Seconds that a provider is left alone at most, whatever it asks for: it may have meant another unit.
LONGEST_HOLD = 3600.0


@entries
class UsageLedger:
    """All calls of this machine, in `index/usage.sqlite3`; or those of all machines, in the store that they share.

    The file is opened for each entry and closed again: a call takes seconds, this takes milliseconds, and threads and
    processes have nothing to share. A damaged file is set aside, and `tell` hears of it.
    """

    def __init__(
        self,
        home: Path,
        clock: Callable[[], datetime],
        tell: Callable[[str], None] = _silent,
        shared: Callable[[], Database] | None = None,
    ) -> None:
        self.path = home / "index" / f"{NAME}.sqlite3"
        self._clock = clock
        self._tell = tell
        self._shared = shared

    @property
    def is_kept(self) -> bool:
        """Whether there are books at all: asking for what is in them makes a file."""
        return self._shared is not None or self.path.exists()

    def enter(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except StoreCorrupt:
            # Each entry is one transaction, which did not happen.
            self._replace_damaged()
            return work()

    def open_call(self, call: ModelCall, budget: BudgetSettings) -> int:
        """Enter a call before it is made; the number to settle it by. Raises BudgetReached if it would exceed one, and
        HeldBack while the provider has enough to do."""
        is_limited = any((budget.run_tokens, budget.run_usd, budget.day_tokens, budget.day_usd))
        is_paced = bool(budget.minute_requests or budget.minute_tokens)
        # Whoever looks before he enters must be the only one.
        with self._write(alone=is_limited or is_paced) as tx:
            now = self._now(tx)
            reason = self._stopped(tx, call.spending.run_id) or self._exceeded(tx, call, budget, _text(now)[:10])
            if reason is None:
                if is_paced and (wait := _too_soon(tx, call, budget, now)):
                    raise HeldBack(f"{call.provider} is asked often enough for now", seconds=wait)
                return _insert(tx, call, _text(now))
            values = (call.spending.project_id, call.spending.run_id, _text(now), reason)
            tx.run(_STOP, values)
        raise BudgetReached(reason, hint="lerim cost --by run; raise the budget in your config.toml")

    def settle(self, number: int, tokens: Tokens, cost_usd: float | None) -> None:
        """Replace a call's estimate by what it really used."""
        sql = """UPDATE calls SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?,
          cost_usd = ?, settled = 1 WHERE id = ?"""
        with self._write() as tx:
            tx.run(sql, (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write, cost_usd, number))

    def cancel(self, number: int) -> None:
        """Take back a call that used nothing: it was refused, or nobody was there."""
        with self._write() as tx:
            tx.run("DELETE FROM calls WHERE id = ?", (number,))

    def hold(self, provider: str, model: str, seconds: float) -> None:
        """A provider wants no more requests for so long, whoever asks."""
        # Who may not say so for all waits by himself.
        with contextlib.suppress(NotAllowed), self._write() as tx:
            tx.run(_HOLD, (provider, model, self._now(tx).timestamp() + seconds))

    def held(self, provider: str, model: str) -> float:
        """Seconds until a provider may be asked again; 0 when it may."""
        with self._read() as tx:
            row = tx.row("SELECT until FROM holds WHERE provider = ? AND model = ?", (provider, model))
            left = float(row[0]) - self._now(tx).timestamp() if row else 0.0
            # One that is longer than any can be was noted before a clock was put right.
            return left if 0 < left <= LONGEST_HOLD else 0.0

    def spent(self, run_id: str) -> Spent:
        """What one run has used so far."""
        with self._read() as tx:
            return _sum(tx, "run_id = ?", run_id)

    def stopped(self, run_id: str) -> str | None:
        """Which budget ended a run; None when none did."""
        with self._read() as tx:
            return self._stopped(tx, run_id)

    def stops(self, since: datetime) -> int:
        """How many runs a budget has ended since then."""
        with self._read() as tx:
            row = tx.row("SELECT count(*) FROM stops WHERE at >= ?", (_text(since),))
        assert row is not None
        return int(row[0])

    def bill(self, since: datetime | None, by: By, budget: BudgetSettings) -> Bill:
        """What was used since a moment, or ever."""
        if not self.is_kept:
            # Nothing was ever used: that is no reason to begin books, least of all where nothing can be written.
            return Bill((), Spent(), Spent(), budget)
        start = _text(since) if since else ""
        sql = f"SELECT {_NAMES[by]}, {_SUMS} FROM calls WHERE at >= ? GROUP BY 1 ORDER BY min(id)"
        with self._read() as tx:
            stops = {str(run): str(why) for run, why in tx.rows("SELECT run_id, reason FROM stops")}
            lines = [
                BillLine(str(name), Spent(*sums), stops.get(str(name)) if by is By.RUN else None)
                for name, *sums in tx.rows(sql, (start,))
            ]
            today = _text(self._now(tx))[:10]
            return Bill(tuple(lines), _sum(tx, "at >= ?", start), _sum(tx, "at >= ?", today), budget)

    def _stopped(self, tx: Transaction, run_id: str) -> str | None:
        row = tx.row("SELECT reason FROM stops WHERE run_id = ?", (run_id,))
        return str(row[0]) if row else None

    def _exceeded(self, tx: Transaction, call: ModelCall, budget: BudgetSettings, today: str) -> str | None:
        """The budget this call would exceed, in words."""
        for kind, name, tokens, usd in (
            ("run", call.spending.run_id, budget.run_tokens, budget.run_usd),
            ("day", today, budget.day_tokens, budget.day_usd),
        ):
            if not tokens and not usd:
                continue
            used, spent = _so_far(tx, kind, name)
            if tokens and used + call.input_tokens > tokens:
                told = f"{used:,} tokens are used, the next request takes about {call.input_tokens:,}"
                return f"budget.{kind}_tokens is {tokens:,}: {told}"
            if usd and spent + (call.cost_usd or 0.0) > usd:
                return f"budget.{kind}_usd is {usd:.2f}: ${spent:.4f} is spent"
        return None

    def _now(self, tx: Transaction) -> datetime:
        """Machines need not agree on the time: what they share is dated by its own clock."""
        return self._clock() if self._shared is None else datetime.fromtimestamp(tx.now(), UTC)

    @contextlib.contextmanager
    def _write(self, *, alone: bool = False) -> Iterator[Transaction]:
        with contextlib.closing(self._open()) as database, _writing(database, alone=alone) as tx:
            yield tx

    @contextlib.contextmanager
    def _read(self) -> Iterator[Transaction]:
        with contextlib.closing(self._open()) as database, database.read() as tx:
            yield tx

    def _open(self) -> Database:
        if self._shared is not None:
            return self._shared()
        return open_beside(self.path, NAME, self._replace_damaged)

    def _replace_damaged(self) -> None:
        """Keep a damaged file aside; the books start from zero. Nothing happens to a sound one."""
        if self._shared is not None or not self.path.exists():
            return
        stamp = _text(self._clock()).translate({ord(mark): None for mark in "-:Z"}).replace("T", "-")
        if kept := set_aside(self.path, NAME, stamp):
            self._tell(f"the record of costs was damaged: it is kept as {kept}; counting starts from zero")


def _writing(database: Database, *, alone: bool) -> contextlib.AbstractContextManager[Transaction]:
    return database.write() if alone else database.write_among()


def _insert(tx: Transaction, call: ModelCall, at: str) -> int:
    sql = """INSERT INTO calls (at, run_id, project_id, role, provider, model, input_tokens, cost_usd)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
    who = (at, call.spending.run_id, call.spending.project_id, call.role, call.provider, call.model)
    row = tx.row(sql, (*who, call.input_tokens, call.cost_usd))
    assert row is not None
    return int(row[0])


def _so_far(tx: Transaction, kind: str, name: str) -> tuple[int, float]:
    """Tokens and dollars of a run or a day."""
    row = tx.row("SELECT tokens, usd FROM sums WHERE kind = ? AND name = ?", (kind, name))
    if row is not None:
        return int(row[0]), float(row[1])
    # Nothing yet; or nothing that we may see of others, where many share the books.
    known = _sum(tx, "run_id = ?" if kind == "run" else "at >= ?", name)
    return known.tokens, known.cost_usd


def _too_soon(tx: Transaction, call: ModelCall, budget: BudgetSettings, now: datetime) -> float:
    """Seconds until a provider's minute has room for a call; 0 when it has."""
    since = datetime.fromtimestamp(now.timestamp() - _MINUTE, UTC)
    row = tx.row(_LATELY, (call.provider, _text(since)))
    assert row is not None
    requests, tokens, first = row
    is_full = 0 < budget.minute_requests <= requests
    # One that is larger than a minute's share goes alone.
    is_full = is_full or (tokens > 0 and 0 < budget.minute_tokens < tokens + call.input_tokens)
    if not is_full:
        return 0.0
    return max(datetime.fromisoformat(first).timestamp() + _MINUTE - now.timestamp(), 1.0)


def _sum(tx: Transaction, where: str, value: str) -> Spent:
    row = tx.row(f"SELECT {_SUMS} FROM calls WHERE {where}", (value,))
    assert row is not None
    return Spent(*row)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
