"""Today: what was learned, what waits, what is suspect, and the next step."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.routing import Route

from lerim.context.filters import Filter
from lerim.context.records import LESSONS, Primitive, Status
from lerim.dataclass import dataclass
from lerim.serve.pages.shell import form_of, in_memory, page, see_other
from lerim.serve.web.opened import project_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.context.place import Kept
    from lerim.context.review.desk import Proposed
    from lerim.flows.overview import Outlook
    from lerim.service import Lerim

_WEEK = timedelta(days=7)
#: What is shown of each; the rest is a page away.
_LEARNED = 30
_WAITING = 4
_SUSPECT = 5
#: Why a step is worth taking.
_REASONS = {
    "lerim memory check": "Some memory files need a look.",
    "lerim queue --state dead": "Some sessions were given up after several tries.",
    "lerim queue": "Some sessions could not be read; they will be tried again.",
    "lerim sync": "Sessions of your coding agents wait to be read.",
    "lerim sync --all": "Your sessions are older than the window that is read.",
    "lerim review": "Some candidates wait for your decision: nobody is sure of them but you.",
    "lerim project trust": "This project came with memories of its own: say whether you trust them.",
    "lerim unscoped": "Some sessions belong to no project yet.",
    "lerim sources list": "No session was found: see where Lerim looks.",
    "lerim init": "This folder belongs to no project yet.",
}


@dataclass(frozen=True)
class Learned:
    """What was learned on one day."""

    day: date
    items: list[Kept]


@dataclass(frozen=True)
class TodayNumbers:
    """A few numbers. What nobody knows is None."""

    decisions: int
    learnings: int
    sessions_read: int
    sessions_waiting: int
    tokens: int
    cost_usd: float
    followed: int | None
    given: int


@dataclass(frozen=True)
class Suspect:
    """A memory whose ground is gone, and what changed."""

    kept: Kept
    what: str


@dataclass(frozen=True)
class Day:
    """All that the page tells."""

    today: date
    learned: list[Learned]
    learned_count: int
    waiting: list[Proposed]
    waiting_count: int
    likely_count: int
    suspects: list[Suspect]
    suspect_count: int
    numbers: TodayNumbers
    #: The command worth typing next; nothing when all is done.
    step: str


async def today(request: Request) -> Response:
    day = await in_memory(request, lambda lerim: _day(lerim))
    return page(request, "today.html", day=day, reasons=_REASONS)


def _day(lerim: Lerim) -> Day:
    now, outlook = lerim.house.clock(), lerim.outlook()
    learned, learned_count = _learned(lerim, now - _WEEK)
    suspects, suspect_count = _suspects(lerim)
    return Day(
        today=now.astimezone().date(),
        learned=learned,
        learned_count=learned_count,
        waiting=lerim.review.select(limit=_WAITING) if outlook.waiting.total else [],
        waiting_count=outlook.waiting.total,
        likely_count=outlook.waiting.likely,
        suspects=suspects,
        suspect_count=suspect_count,
        numbers=_numbers(lerim, outlook, now - _WEEK),
        step=next((step for step in outlook.next_steps if step in _REASONS), ""),
    )


def _learned(lerim: Lerim, since: datetime) -> tuple[list[Learned], int]:
    """Decisions and learnings that came or changed since, by day, the newest first; and how many there are."""
    pages = [lerim.memory.page(Filter(primitive=one, since=since), limit=_LEARNED) for one in LESSONS]
    found = sorted((kept for one in pages for kept in one.items), key=lambda kept: kept.record.updated, reverse=True)
    days = groupby(found[:_LEARNED], key=lambda kept: kept.record.updated.astimezone().date())
    return [Learned(day, list(items)) for day, items in days], sum(one.total for one in pages)


def _suspects(lerim: Lerim) -> tuple[list[Suspect], int]:
    shown, total = list[Suspect](), 0
    for place in lerim.memory.places():
        doubted = place.grounds.suspects()
        total += len(doubted)
        for record_id, doubt in [*doubted.items()][: _SUSPECT - len(shown)]:
            shown.append(Suspect(lerim.memory.find(record_id), doubt.told))
    return shown, total


def _numbers(lerim: Lerim, outlook: Outlook, since: datetime) -> TodayNumbers:
    from lerim.llm.usage import By

    counts = [place.status().counts for place in lerim.memory.places()]
    decisions, learnings = (
        sum(one.get((primitive, Status.ACTIVE), 0) for one in counts)
        for primitive in (Primitive.DECISION, Primitive.LEARNING)
    )
    spent = lerim.usage.bill(since, By.DAY, lerim.config.settings.budget).total
    uses = lerim.house.served.uses(lerim.house.project_root) if outlook.sessions else []
    followed = sum(one.followed for one in uses)
    return TodayNumbers(
        *(decisions, learnings, outlook.sessions.get("done", 0), outlook.sessions.get("pending", 0)),
        *(spent.tokens, spent.cost_usd, followed if uses else None, sum(one.given for one in uses)),
    )


async def sync(request: Request) -> Response:
    """Have what waits read, in the background: the strip above every page tells how far that has come."""
    await form_of(request)
    state = request.app.state

    def start() -> bool:
        _, is_new = state.syncs.start(state.opener.folder(project_of(request)), ())
        return bool(is_new)

    is_new = await anyio.to_thread.run_sync(start)
    return see_other(request, "/", "Looking for new sessions." if is_new else "A sync is under way already.")


ROUTES = [Route("/", today), Route("/sync", sync, methods=["POST"])]
