"""One day of a team, event by event, through the real queue and the real budget. Clock and models are made up.

Sessions end, workers claim, read, renew, finish and fail as `lerim` does it: every claim, renewal and end is a call of
`Queue`, every request of a model is entered into a `UsageLedger`. What takes time is drawn by chance: how long a model
answers, when it does not, when a worker is killed or its machine falls asleep.
"""

from __future__ import annotations

import heapq
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from lerim.config.settings import BudgetSettings, Provider
from lerim.daemon.schedule import ChorePace
from lerim.errors import BudgetReached, Conflict
from lerim.llm.books import Books
from lerim.llm.endpoints import Endpoint
from lerim.llm.prices import Tokens
from lerim.llm.usage import By, Spending, UsageLedger
from lerim.runtime.worker import UNANSWERED
from lerim.sessions.lease import RENEW_EVERY
from lerim.sessions.queue import Job, Queue
from lerim.sessions.session import SessionState, time_text
from lerim.storage.database import Database

_T = TypeVar("_T")
HOUR, DAY = 3600.0, 86_400.0
#: So many seconds may pass before a worker without work looks again.
POLL = 15.0
#: A killed worker is started again after so long.
REBIRTH = 60.0
_PACE = ChorePace(quiet=0.0, period=0.0)
_ENDPOINT = Endpoint("extract", Provider.OPENAI_COMPATIBLE, "https://models.example.com/v1", None, None)
ARRIVE = """
INSERT INTO sessions (agent, run_id, container_id, fingerprint, active, started, project_id, state)
VALUES ('fleet', ?, 1, 'as it ended', ?, ?, ?, 'pending')
"""


@dataclass(frozen=True)
class Reading:
    """What reading a session takes: requests to a model, their tokens and their time."""

    #: Requests are one and a share of more, as sessions of several sheets need.
    more_requests: float = 0.5
    input_tokens: int = 6_500
    output_tokens: int = 600
    #: Seconds of one request: half of them take less, and one in forty more than three times as long.
    median_seconds: float = 6.0
    spread: float = 0.6
    #: What Lerim does itself.
    own_seconds: float = 0.4
    #: Sessions that fail whenever they are read, and attempts that fail by chance.
    bad: float = 0.002
    unlucky: float = 0.01

    def draw(self, chance: random.Random) -> tuple[int, float]:
        """The requests of one session, and their seconds together."""
        requests = 1
        while requests < 8 and chance.random() < self.more_requests:
            requests += 1
        middle = math.log(self.median_seconds) if self.median_seconds else 0.0
        seconds = sum(chance.lognormvariate(middle, self.spread) for _ in range(requests)) if self.median_seconds else 0
        return requests, seconds + self.own_seconds

    def tokens(self, requests: int) -> Tokens:
        return Tokens(requests * self.input_tokens, requests * self.output_tokens)


#: Without a model: half a second of one core, and nothing to pay.
EMBEDDED = Reading(0.0, 0, 0, 0.0, 0.0, own_seconds=0.5)


def daily(usd: float) -> BudgetSettings:
    """So many dollars a day, and no other budget; at the prices of a small model."""
    return BudgetSettings(
        run_tokens=0,
        run_usd=0.0,
        day_tokens=0,
        day_usd=usd,
        minute_requests=0,
        minute_tokens=0,
        input_usd_per_million=0.25,
        output_usd_per_million=2.0,
    )


@dataclass(frozen=True)
class Means:
    """What works on the sessions."""

    workers: int = 64
    #: Tokens that the provider takes in a minute, of all workers together; 0 for any number.
    tokens_a_minute: float = 4_000_000.0
    budget: BudgetSettings = field(default_factory=lambda: daily(1_000.0))
    reading: Reading = field(default_factory=Reading)
    #: Hours of work after which a worker is killed, on average; every fifth only sleeps, and wakes up too late.
    hours_to_kill: float = 24.0
    #: So many sessions of a day are entered into the ledger, each with the tokens of all those it stands for.
    entries: int = 1_000


@dataclass(frozen=True)
class Arrival:
    """A session that ended at a moment."""

    at: float
    project: str


@dataclass
class DayCount:
    """What became of the sessions of one day."""

    arrived: int = 0
    carried: int = 0
    done: int = 0
    dead: int = 0
    failures: int = 0
    #: Workers that were killed or slept, and results that the queue refused because another had the session by then.
    killed: int = 0
    refused: int = 0
    #: Sessions that took effect more than once. There must be none.
    twice: int = 0
    #: Workers that found the budget spent, or no model to answer.
    stopped_by_budget: int = 0
    unanswered: int = 0
    #: Seconds from the end of a session to the first claim, and to the moment when it was read.
    waits: list[float] = field(default_factory=list)
    fresh: list[float] = field(default_factory=list)
    #: Waiting sessions at each full hour.
    backlog: list[int] = field(default_factory=list)
    busy_seconds: float = 0.0
    tokens: int = 0
    usd: float = 0.0
    #: CPU seconds of all calls of the queue and of the ledger, and how many there were.
    queue_seconds: float = 0.0
    queue_calls: int = 0
    ledger_seconds: float = 0.0
    ledger_calls: int = 0


class Provided:
    """The provider of models: answers in its time, so much a minute, and not at all in an outage."""

    def __init__(self, means: Means, outages: Sequence[tuple[float, float]]) -> None:
        self._seconds_a_token = 60.0 / means.tokens_a_minute if means.tokens_a_minute else 0.0
        self._outages = outages
        self._free_at = 0.0

    def is_out(self, now: float) -> bool:
        return any(begin <= now < end for begin, end in self._outages)

    def answered_at(self, now: float, seconds: float, tokens: int) -> float:
        """When requests of so many seconds are answered: who is over the rate waits for its turn."""
        self._free_at = max(self._free_at, now) + tokens * self._seconds_a_token
        return max(now + seconds, self._free_at)


class TeamDay:
    """A day of workers at a queue. `run` it once."""

    def __init__(
        self, database: Database, ledger_home: Path, means: Means, start: float, provided: Provided, seed: int
    ) -> None:
        self.now = self._start = start
        self.count = DayCount()
        self._database, self._means, self._provided = database, means, provided
        self._chance = random.Random(seed)
        self._queue = Queue(database, self._chance.random, clock=lambda tx: self.now)
        self._books = Books(means.budget, UsageLedger(ledger_home, lambda: datetime.fromtimestamp(self.now, UTC)))
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._arrivals: list[Arrival] = []
        self._next = 0
        self._ended: dict[str, float] = {}
        self._claimed: set[str] = set()
        self._bad: set[str] = set()
        self._effects: Counter[str] = Counter()
        self._idle: list[str] = []
        self._lives: dict[str, float] = {}
        self._failed_in_a_row: Counter[str] = Counter()
        self._pauses: Counter[str] = Counter()
        self._each = 1

    def run(self, arrivals: Sequence[Arrival], *, hours: float = 24.0) -> DayCount:
        """Let the day pass. Sessions that ended before it were carried over."""
        self._arrivals = sorted(arrivals, key=lambda one: one.at)
        self._each = max(1, len(arrivals) // self._means.entries)
        self.count.carried = sum(one.at < self._start for one in self._arrivals)
        self.count.arrived = len(self._arrivals) - self.count.carried
        with self._database.write() as tx:
            tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'fleet', 'traces', 0, 0)")
        for number in range(self._means.workers):
            self._born(f"worker-{number}")
        end = self._start + hours * HOUR
        for tick in range(int(hours * HOUR / POLL)):
            self._at(self._start + tick * POLL, self._look)
        for hour in range(int(hours)):
            self._at(self._start + hour * HOUR, self._note_backlog)
        while self._events and self._events[0][0] <= end:
            self.now, _, happen = heapq.heappop(self._events)
            happen()
        self.now = end
        return self._counted()

    # What happens

    def _at(self, moment: float, happen: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (moment, self._number, happen))

    def _born(self, worker: str) -> None:
        hours = self._means.hours_to_kill
        self._lives[worker] = self.now + (self._chance.expovariate(1 / (hours * HOUR)) if hours else math.inf)
        self._idle.append(worker)

    def _look(self) -> None:
        """Sessions have ended meanwhile. Workers without work claim until there is nothing to have."""
        first = self._next
        while self._next < len(self._arrivals) and self._arrivals[self._next].at <= self.now:
            self._next += 1
        self._insert(first)
        while self._idle and self._next > self.count.done + self.count.dead and self._claim(self._idle.pop()):
            pass

    def _insert(self, first: int) -> None:
        rows = []
        for number in range(first, self._next):
            one, name = self._arrivals[number], f"s{number:07}"
            moment = time_text(datetime.fromtimestamp(one.at, UTC))
            rows.append((name, moment, moment, one.project))
            self._ended[name] = one.at
            if self._chance.random() < self._means.reading.bad:
                self._bad.add(name)
        if rows:
            with self._database.write() as tx:
                tx.run_many(ARRIVE, rows)

    def _note_backlog(self) -> None:
        self.count.backlog.append(self._queue.due_count())

    def _claim(self, worker: str) -> bool:
        """Claim for a worker and begin to read; it is idle when there is nothing for it."""
        job = self._timed(lambda: self._queue.claim(worker))
        if job is None:
            self._idle.append(worker)
            return False
        name = job.session.run_id
        if name not in self._claimed:
            self._claimed.add(name)
            self.count.waits.append(self.now - self._ended[name])
        self._read(worker, job)
        return True

    def _read(self, worker: str, job: Job) -> None:
        if self._provided.is_out(self.now):
            # The client tries a few times before it gives up.
            self._at(self.now + 20.0, lambda: self._not_answered(worker, job))
            return
        requests, seconds = self._means.reading.draw(self._chance)
        tokens = self._means.reading.tokens(requests)
        try:
            self._enter(job, tokens)
        except BudgetReached:
            self.count.stopped_by_budget += 1
            self._timed(lambda: self._queue.release(job))
            self._pause(worker)
            return
        end = self._provided.answered_at(self.now, seconds, tokens.input)
        self.count.busy_seconds += end - self.now
        if self._lives[worker] < end:
            self._at(max(self._lives[worker], self.now), lambda: self._killed(worker, job, end))
            self._renew_until(job, self._lives[worker])
            return
        self._renew_until(job, end)
        self._at(end, lambda: self._finish(worker, job))

    def _enter(self, job: Job, tokens: Tokens) -> None:
        """Every so many sessions, one pays for all of them."""
        if job.session.id % self._each or not tokens.input:
            return
        whole = Tokens(tokens.input * self._each, tokens.output * self._each)
        began = time.process_time()
        try:
            number = self._books.enter(
                _ENDPOINT, "reader", whole.input, Spending(f"sync-{job.session.run_id}-{job.token}")
            )
            self._books.ledger.settle(number, whole, self._books.cost(_ENDPOINT, "reader", whole))
        finally:
            self.count.ledger_seconds += time.process_time() - began
            self.count.ledger_calls += 1

    def _renew_until(self, job: Job, end: float) -> None:
        renewals = int((end - self.now) / RENEW_EVERY)
        for number in range(1, renewals + 1):
            self._at(self.now + number * RENEW_EVERY, lambda: self._try(lambda: self._queue.heartbeat(job)))

    def _finish(self, worker: str, job: Job, *, awake: bool = True) -> None:
        name = job.session.run_id
        if name in self._bad or self._chance.random() < self._means.reading.unlucky:
            self._failed(job, "the model's answer is not what was asked for")
        elif self._try(lambda: self._queue.complete(job)):
            self._effects[name] += 1
            self.count.done += 1
            self.count.fresh.append(self.now - self._ended[name])
        self._failed_in_a_row[worker] = self._pauses[worker] = 0
        if awake:
            self._claim(worker)

    def _failed(self, job: Job, why: str, *, unanswered: bool = False) -> None:
        states: list[SessionState] = []
        if self._try(lambda: states.append(self._queue.fail(job, why, unanswered=unanswered))):
            self.count.failures += 1
            self.count.dead += states[0] is SessionState.DEAD

    def _not_answered(self, worker: str, job: Job) -> None:
        """As `Worker.work` has it: so many in a row without an answer end the work, until later."""
        self.count.unanswered += 1
        self._failed(job, "the model did not answer", unanswered=True)
        self._failed_in_a_row[worker] += 1
        if self._failed_in_a_row[worker] < UNANSWERED:
            self._claim(worker)
        else:
            self._failed_in_a_row[worker] = 0
            self._pause(worker)

    def _pause(self, worker: str) -> None:
        """As the daemon has it: twice as long after each time in vain."""
        self._pauses[worker] += 1
        wait = _PACE.wait(self._pauses[worker])
        self._at(self.now + wait, lambda: self._resume(worker))

    def _resume(self, worker: str) -> None:
        self._claim(worker)

    def _killed(self, worker: str, job: Job, end: float) -> None:
        self.count.killed += 1
        if self._chance.random() < 0.2:
            # Its machine sleeps for longer than any lease; then it goes on as if nothing had happened.
            self._at(end + 600.0, lambda: self._finish(worker, job, awake=False))
        self._at(self.now + REBIRTH, lambda: self._born(f"{worker.partition('+')[0]}+{self._number}"))

    # How it is counted

    def _try(self, work: Callable[[], object]) -> bool:
        try:
            self._timed(work)
        except Conflict:
            self.count.refused += 1
            return False
        return True

    def _timed(self, work: Callable[[], _T]) -> _T:
        began = time.process_time()
        try:
            return work()
        finally:
            self.count.queue_seconds += time.process_time() - began
            self.count.queue_calls += 1

    def _counted(self) -> DayCount:
        self._note_backlog()
        self.count.twice = sum(times > 1 for times in self._effects.values())
        since = datetime.fromtimestamp(self._start, UTC)
        bill = self._books.ledger.bill(since, By.DAY, self._means.budget).total
        self.count.tokens, self.count.usd = bill.tokens, bill.cost_usd
        return self.count
