"""Machines that share a store: one uploads what its agents left, another one learns from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from lerim.context.filters import ANY
from lerim.errors import NotFound, StoreUnreachable
from lerim.runtime.worker import UPLOADED, Worker
from lerim.service import Lerim
from lerim.sessions.session import SessionState
from lerim.storage.reopening import ReopeningDatabase

from ..conftest import ENGINES
from ..postgres_server import MISSING, server
from ..sessions.test_team import SharingMachine

SAID = "From now on we keep sessions in Redis, because the ones in memory got lost with each deploy."
MORE = "And we keep uploads in S3, because the disk of the server was full twice last month."


class SharingTeam:
    """Homes of several machines, all with the address of one store."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self._url = url
        self.repository = folder / "laptop" / "app"
        (self.repository / ".git").mkdir(parents=True)
        config = '[remote "origin"]\n\turl = https://git.example/team/app.git\n'
        (self.repository / ".git" / "config").write_text(config)

    def machine(self, name: str, cwd: Path | None = None) -> Lerim:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        env = {"HOME": str(home), "LERIM_STORAGE_URL": self._url, "PATH": os.environ["PATH"]}
        return Lerim(cwd or home, env=env)

    def laptop(self) -> Lerim:
        return self.machine("laptop", self.repository)

    def say(self, *texts: str) -> None:
        """What a coding agent on the laptop wrote so far."""
        file = self.folder / "laptop" / ".claude" / "projects" / "app" / "4f2a1b3c-5d6e-4f70-8192-a3b4c5d6e7f8.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [line for number, text in enumerate(texts) for line in self._turn(number, text)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    def _turn(self, number: int, text: str) -> Iterator[dict[str, Any]]:
        common = {"cwd": str(self.repository), "sessionId": "4f2a1b3c-5d6e-4f70-8192-a3b4c5d6e7f8", "version": "2.0.1"}
        for who, what, second in (("user", text, 0), ("assistant", [{"type": "text", "text": "Done."}], 1)):
            yield {
                "type": who,
                "uuid": f"{who}-{number}",
                "timestamp": f"2026-11-01T10:{number:02}:0{second}Z",
                "message": {"role": who, "content": what},
                **common,
            }


@pytest.fixture
def team(tmp_path: Path) -> Iterator[SharingTeam]:
    if not server():
        pytest.skip(MISSING)
    engine: Any = ENGINES["postgres"]
    yield SharingTeam(tmp_path, engine.url_in(tmp_path))
    engine.done()


def test_a_laptop_uploads_and_another_machine_learns(team):
    team.say(SAID)
    with team.laptop() as laptop:
        laptop.setup.init()
        laptop.sessions.since(None).discover()
        (uploaded,) = laptop.sync(laptop.sessions.since(None))
        assert (UPLOADED, SessionState.DONE, None) == (uploaded.reason, uploaded.state, uploaded.result)
        assert [] == laptop.memory.select(ANY)

    with team.machine("worker") as worker:
        (taken,) = worker.team_work.work(once=True)
        assert (SessionState.DONE, 1) == (taken.state, len(taken.result.written))
        assert [] == list(worker.team_work.work(once=True))

    with team.laptop() as laptop:
        kept = next(kept for kept in laptop.memory.select(ANY) if kept.record.primitive == "decision")
        assert "Redis" in kept.record.title
        assert kept.path is not None and kept.path.is_relative_to(team.repository)
    _grows(team)


def _grows(team: SharingTeam) -> None:
    """The same session, later on the same day."""
    team.say(SAID, MORE)
    with team.laptop() as laptop:
        sessions = laptop.sessions.since(None)
        sessions.discover()
        assert [UPLOADED] == [done.reason for done in laptop.sync(sessions)]
    with team.machine("another") as worker:
        (taken,) = worker.team_work.work(once=True)
        assert SessionState.DONE == taken.state
        # It has neither the repository nor the session: the trace is fetched.
        shown = worker.house.show_trace("claude/4f2a1b3c")
        assert [SAID, MORE] == [line.text for _, line in shown.items if getattr(line, "type", "") == "user"]
    with team.laptop() as laptop:
        found = [kept.record for kept in laptop.memory.select(ANY)]
        assert ["Redis" in record.title for record in found if record.primitive == "decision"].count(True) == 1
        (summary,) = [record for record in found if record.primitive == "summary"]
        assert 2 == summary.version and "S3" in summary.body


def test_who_asks_for_one_session_has_it_at_once(team):
    team.say(SAID)
    with team.laptop() as laptop:
        laptop.setup.init()
        sessions = laptop.sessions.since(None)
        sessions.discover()
        taken = laptop.ingest(sessions.find("4f2a"), sessions)

        assert (SessionState.DONE, 1) == (taken.state, len(taken.result.written))
        assert laptop.house.team is not None
        assert SessionState.DONE == laptop.house.team.find("claude/4f2a1b3c").state


def test_there_is_nothing_to_work_on_where_nothing_is_shared(tmp_path):
    with Lerim(tmp_path, env={"HOME": str(tmp_path)}) as lerim, pytest.raises(NotFound, match="no store is shared"):
        list(lerim.team_work.work(once=True))


def test_what_could_not_be_given_back_is_given_back_later(engine, tmp_path):
    """The server is gone in the middle of a session, and comes back: nobody waits for a lease to run out."""
    is_gone = False

    def opened() -> Any:
        if is_gone:
            raise StoreUnreachable("the server does not answer")
        return engine.open(tmp_path, "sessions")

    database = ReopeningDatabase(opened, opened)
    machine = SharingMachine(tmp_path, database, "one")
    machine.upload("one", "hello")

    class Interrupted:
        def sync(self, trace_path: Path) -> Any:
            nonlocal is_gone
            is_gone = True
            database.close()
            return machine.team.queue.counts()

    worker = Worker("w", machine.team, lambda session, before: Interrupted(), lambda job: nullcontext())  # type: ignore[arg-type, return-value]
    with pytest.raises(StoreUnreachable):
        list(worker.work())
    with pytest.raises(StoreUnreachable):
        list(worker.work())
    is_gone = False
    assert SessionState.RUNNING == machine.team.find("fake/one").state

    assert [] == list(worker.work("no such project"))
    session = machine.team.find("fake/one")
    assert (SessionState.PENDING, 0, 0) == (session.state, session.attempts, session.deaths)
    database.close()
