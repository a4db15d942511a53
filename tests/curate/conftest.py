"""What tests of curation stand on: a place, and records that were said by somebody at some time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lerim.context.filters import ANY
from lerim.context.place import Place
from lerim.context.records import FIELDS, Draft, Evidence, Kind, Primitive, Record, Trust
from lerim.curate.room import Curation


class Desk:
    """A place whose memory is curated."""

    def __init__(self, place: Place, clock: Any) -> None:
        self.place = place
        self.clock = clock
        self._sessions = 0

    @property
    def curation(self) -> Curation:
        return Curation(self.place, clock=self.clock)

    def say(
        self,
        title: str,
        body: str = "",
        *,
        days: float = 10,
        who: Trust = Trust.USER,
        kind: Kind | None = None,
        read: float = 2,
        **fields: Any,
    ) -> Record:
        """What the user, or an agent, said so many days ago, in a session of its own that was read since."""
        self._sessions += 1
        said = self.clock() - timedelta(days=days)
        evidence = Evidence("claude", f"s{self._sessions}", 3, 4, title, who, said)
        draft = Draft(
            Primitive.LEARNING if kind else Primitive.DECISION,
            title,
            body,
            kind,
            **{"source": "sync", "evidence": (evidence,), "trust": who, **fields},
        )
        with self.place.change("lerim", "sync", f"sync-20260101-000000-aaaa{self._sessions:02}") as change:
            return change.create(draft.record(self.clock() - timedelta(days=read)))

    def write(self, title: str, body: str = "", **fields: Any) -> Record:
        """What a person wrote down."""
        with self.place.change("person", "by hand") as change:
            return change.create(Draft(Primitive.DECISION, title, body, **fields).record(self.clock()))

    def maintain(self, run_id: str = "maintain-20260220-103000-aaaaaa", **how: Any):
        curation = self.curation
        return curation.apply(curation.plan(), run_id=run_id, **how)

    def fetch(self, record: Record) -> Record:
        with self.place.store.read() as snapshot:
            return snapshot.fetch(record.id)

    def titles(self) -> dict[str, str]:
        return {record.title: str(record.status) for record in self.records()}

    def records(self) -> list[Record]:
        with self.place.store.read() as snapshot:
            return snapshot.select(ANY)

    def files(self) -> dict[str, bytes]:
        root = self.place.folder.root
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.md")}

    def store(self) -> dict[str, dict[str, object]]:
        """All that is said of each record; which version says so is history."""
        names = [name for name in FIELDS if name != "version"]
        return {record.id: {name: getattr(record, name) for name in names} for record in self.records()}


@pytest.fixture
def desk(place: Place, clock: Any) -> Desk:
    return Desk(place, clock)


@pytest.fixture
def desks(tmp_path, clock) -> Callable[[], Desk]:
    """Fresh ones, as many as a test with many examples wants."""
    from lerim.config.scope import Scope, ScopeMode
    from lerim.context.memory import Memory
    from lerim.context.projects import Projects
    from lerim.context.recovery import open_local
    from lerim.storage.engine import open_database

    numbers = iter(range(10**6))

    def fresh() -> Desk:
        root = tmp_path / str(next(numbers))
        home, project = root / "home", root / "project"
        (project / ".git").mkdir(parents=True)
        home.mkdir()
        database, local = open_database(home / "context.sqlite3", "context"), open_local(home)
        projects = Projects(database, home, clock)
        scope = Scope(ScopeMode.PROJECT_ONLY, project, home)
        memory = Memory(database, local, scope, projects, projects.lay_out, clock)
        return Desk(memory.target(), clock)

    return fresh
