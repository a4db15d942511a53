"""A project with a memory, seen through its views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim import Lerim
from lerim.context.records import Evidence, Kind, Primitive, Record, RecordId, Trust
from lerim.dataclass import replace

from ..conftest import HandClock


class World:
    """A home, a repository, and a clock that is moved by hand."""

    def __init__(self, folder: Path, clock: HandClock) -> None:
        self.clock = clock
        self.home = folder / "home"
        self.project = folder / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.env = {"HOME": str(folder), "LERIM_HOME": str(self.home)}
        self._writer = self.open()
        self._writer.setup.init()
        self._count = 0

    def open(self, cwd: Path | None = None) -> Lerim:
        return Lerim(cwd or self.project, env=self.env, clock=self.clock)

    def close(self) -> None:
        self._writer.close()

    def say(
        self,
        title: str,
        body: str = "",
        *,
        kind: Kind | None = None,
        trust: Trust = Trust.USER,
        sessions: Sequence[str] = ("one",),
        day: int = 1,
        by_hand: bool = False,
        is_global: bool = False,
        tags: tuple[str, ...] = (),
        confidence: float = 0.8,
    ) -> Record:
        """A memory that a session taught on a day of February, or that somebody wrote down then."""
        at = datetime(2026, 2, day, 9, tzinfo=UTC)
        evidence = tuple(Evidence("claude", run, 3, 4, title, trust, at) for run in sessions)
        primitive = Primitive.DECISION if kind is None else Primitive.LEARNING
        source = "manual" if by_hand else "sync"
        record = Record(self.new_id(primitive), primitive, title, body, at, at, source, confidence, tags, kind)
        fields = {"trust": trust, "evidence": () if by_hand else evidence, "valid_from": at}
        return self.put(record, is_global=is_global, **fields)

    def sum_up(self, title: str, body: str, *, session: str, day: int) -> Record:
        """A summary of a session of a day of February."""
        at = datetime(2026, 2, day, 8, tzinfo=UTC)
        text = f"## Session Summary\n\n{body}\n"
        record = Record(self.new_id(Primitive.SUMMARY), Primitive.SUMMARY, title, text, at, at, "sync")
        fields = {
            "trust": Trust.AGENT,
            "valid_from": at,
            "description": title,
            "date": f"{at:%Y-%m-%d}",
            "time": "08:00:00",
            "coding_agent": "claude",
            "run_id": session,
            "raw_trace_path": f"claude/{session}.jsonl",
            "repo_name": "shop",
        }
        return self.put(record, **fields)

    def put(self, record: Record, *, is_global: bool = False, **fields: object) -> Record:
        """Keep a record as it is. Views are left alone: one that is asked for is made then."""
        with self._writer.memory.target("global" if is_global else "project").change("lerim", "sync") as change:
            return change.create(replace(record, **fields))

    def new_id(self, primitive: Primitive) -> RecordId:
        """Ids that are the same at every run: golden pages name them."""
        self._count += 1
        letters = "".join("abcdefghij"[int(digit)] for digit in f"{self._count:010}")
        return RecordId(f"{primitive.traits.prefix}-{letters}")


@pytest.fixture
def world(tmp_path: Path, clock: HandClock) -> Iterator[World]:
    world = World(tmp_path, clock)
    yield world
    world.close()
