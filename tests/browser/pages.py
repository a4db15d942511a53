"""The pages of the dashboard, by name, and where each is."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from .served import Served

#: All that is in the menu, and one of each kind of thing that it leads to.
PAGES = ("today", "memory", "record", "review", "sessions", "session", "graph", "clinic", "runs", "run", "health")
#: What is looked at closely by default; the drill does so with all.
SAMPLE = ("today", "graph")
CLOSELY = [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.drill) for name in PAGES]


@cache
def path_of(site: Served, name: str) -> str:
    """The path of a page; of a record, session or run, the page of the first."""
    if name == "today":
        return "/"
    if name == "record":
        return f"/memory/{_first(site, 'memory')['id']}"
    if name == "session":
        first = _first(site, "sessions")
        return f"/sessions/{first['agent']}/{first['run_id']}"
    return f"/runs/{_first(site, 'runs')['id']}" if name == "run" else f"/{name}"


def _first(site: Served, noun: str) -> Any:
    return site.machine.json(noun, "list")[0]
