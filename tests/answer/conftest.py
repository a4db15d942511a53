"""A memory to ask: real store, real search by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import pytest

from lerim.answer.conversation import Exchange
from lerim.answer.pipeline import Answer, answer
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.records import Clock, Draft, Kind, Primitive
from lerim.search.search import Hit, search

Ask = Callable[..., Answer]
Keep = Callable[..., Kept]


@pytest.fixture
def keep(memory: Memory) -> Keep:
    """Remember something now: a decision, or a learning when it has a kind."""

    def keep(title: str, body: str = "", *, kind: Kind | None = None, tags: Sequence[str] = ()) -> Kept:
        primitive = Primitive.LEARNING if kind else Primitive.DECISION
        return memory.add(Draft(primitive, title, body, kind, tuple(tags)))

    return keep


@pytest.fixture
def ask(memory: Memory, clock: Clock) -> Ask:
    def find(query: str, wanted: Filter, limit: int, *, as_of: datetime | None = None) -> list[Hit]:
        return search(memory, query, wanted, limit, as_of=as_of)

    def ask(question: str, history: Sequence[Exchange] = (), **options: Any) -> Answer:
        return answer(question, memory, find, now=clock(), history=history, **options)

    return ask
