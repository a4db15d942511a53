"""Workers on two machines, killed, frozen and cut off from the server. Each session is taken in exactly once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from lerim.service import Lerim
from lerim.sessions.archive import archive
from lerim.sessions.session import Session, SessionState
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Assistant, Header, User
from lerim.storage.connections import close_pools

from ..conftest import ENGINES
from ..postgres_server import MISSING, PostgresEngine, Server, execute, programs, server

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]
#: Machines are shared: only a queue that stands still takes as long as this.
PATIENCE = 240
THINGS = ("retries", "mails", "exports", "uploads", "logins", "reports", "imports", "backups")


class TeamOfMachines:
    """Machines with a home each, and one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._engine = ENGINES["postgres"]
        assert isinstance(self._engine, PostgresEngine)
        self.url = self._engine.url_in(folder)
        self.database = self._engine.name_of(folder)

    def env(self, name: str) -> dict[str, str]:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        keep = {key: value for key, value in os.environ.items() if not key.startswith("LERIM_")}
        return {**keep, "HOME": str(home), "LERIM_STORAGE_URL": self.url, "LERIM_NO_HELPER": "1"}

    def fill(self, projects: int, each: int) -> None:
        """A laptop uploads so many sessions of so many projects."""
        with Lerim(self.folder, env=self.env("laptop")) as laptop:
            assert laptop.house.team is not None
            for number in range(projects):
                root = self.folder / f"p{number}"
                root.mkdir()
                project = laptop.projects.add(root)
                for turn in range(each):
                    session = _session(f"{number}-{turn}", project.id)
                    archived = archive(_reading(session, number, turn), self.folder / "archive" / f"{number}-{turn}")
                    laptop.house.team.upload(session, archived)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return execute(sql, self.database)

    def holders(self) -> list[int]:
        """The processes that hold a session."""
        found = self.rows("SELECT worker FROM lerim_sessions.sessions WHERE state = 'running'")
        return [int(name.rpartition(":")[2]) for (name,) in found]

    def let_time_pass(self) -> None:
        """Leases run out, and waits are over."""
        self.rows("UPDATE lerim_sessions.sessions SET leased_at = leased_at - 1000 WHERE state = 'running'")
        self.rows("UPDATE lerim_sessions.sessions SET due = 0 WHERE state = 'failed'")

    def cut(self) -> None:
        """The server ends all connections but ours, as when it restarts."""
        own = "pid <> pg_backend_pid() AND datname = current_database()"
        self.rows(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {own}")

    @contextmanager
    def worker(self, machine: str, *words: str) -> Iterator[subprocess.Popen[str]]:
        program = [sys.executable, "-P", "-c", "from lerim.cli.main import run; run()", "worker", *words]
        process = subprocess.Popen(
            program, env=self.env(machine), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()


def _session(run_id: str, project_id: str) -> Session:
    numbers: dict[str, Any] = dict.fromkeys(("turns", "tool_calls", "errors", "input_tokens", "output_tokens", "size"))
    texts: dict[str, Any] = dict.fromkeys(("reason", "branch", "model", "version", "title", "started", "ended"))
    return Session(
        id=0,
        agent="claude",
        run_id=run_id,
        path=Path("/x"),
        state=SessionState.RUNNING,
        project_id=project_id,
        project_root=None,
        cwd="/app",
        other_cwds=(),
        active="2026-01-01T00:00:00Z",
        fingerprint="",
        parent=None,
        forked_from=None,
        rewritten=False,
        gone=False,
        attempts=1,
        deaths=0,
        **numbers,
        **texts,
    )


def _reading(session: Session, number: int, turn: int) -> Reading:
    began = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=turn, hours=number)

    def at(minutes: int) -> str:
        return (began + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")

    thing = THINGS[turn % len(THINGS)]
    said = f"From now on we keep {thing} in table_{number}_{turn}, because the {thing} of last month got lost."
    lines = [
        User(text=f"Where should the {thing} go?", at=at(0)),
        Assistant(text=f"They could stay in memory or go to the database. What do you prefer for {thing}?", at=at(1)),
        User(text=said, at=at(2)),
        Assistant(text=f"Done: {thing} are kept in table_{number}_{turn} now, and the tests pass.", at=at(3)),
    ]
    return Reading(Header(agent="claude", run_id=session.run_id, cwd="/app", started=at(0)), lines, Account())


@pytest.fixture
def team(tmp_path: Path) -> Iterator[TeamOfMachines]:
    if not server():
        pytest.skip(MISSING)
    yield TeamOfMachines(tmp_path)
    ENGINES["postgres"].done()


def until(what: Callable[[], Any], told: Callable[[], object]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline, told()
        time.sleep(0.05)
    return found


def states(team: TeamOfMachines) -> dict[str, int]:
    rows = team.rows("SELECT state, count(*) FROM lerim_sessions.sessions GROUP BY state")
    return dict(rows)


def strike(team: TeamOfMachines, how: str) -> None:
    """Hit whoever holds a session just now."""
    if how == "cut":
        team.cut()
        return
    pid = until(team.holders, lambda: states(team))[0]
    with suppress(ProcessLookupError):
        if how == "kill":
            os.kill(pid, signal.SIGKILL)
            return
        os.kill(pid, signal.SIGSTOP)
        team.let_time_pass()
        # Somebody else takes it, or it is nearly over; then it wakes up and goes on as if nothing had happened.
        with suppress(AssertionError):
            deadline = time.monotonic() + 5
            while pid in team.holders() and time.monotonic() < deadline:
                time.sleep(0.05)
        os.kill(pid, signal.SIGCONT)


@pytest.mark.drill
@pytest.mark.parametrize(
    ("each", "blows"),
    [(3, ["kill", "freeze", "cut"]), (12, ["kill", "freeze", "cut", "kill"] * 5)],
    ids=["a few", "many"],
)
def test_killed_frozen_and_cut_off_workers_take_each_session_once(team, each, blows):
    team.fill(projects=3, each=each)
    total, chance = 3 * each, random.Random(5)
    with team.worker("one", "--concurrency", "2") as one, team.worker("two") as two:
        for how in blows:
            if states(team).get("done", 0) >= total - 1:
                break
            strike(team, how)
            time.sleep(chance.random() * 0.3)

        def is_done() -> bool:
            team.rows("UPDATE lerim_sessions.sessions SET due = 0 WHERE state = 'failed'")
            return states(team) == {"done": total}

        told = "SELECT run_id, state, reason, attempts, deaths FROM lerim_sessions.sessions WHERE state <> 'done'"
        until(is_done, lambda: team.rows(told))
        for process in (one, two):
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(PATIENCE) for process in (one, two)]

    assert set(codes) <= {0, 3}
    summaries = team.rows("SELECT run_id, count(*) FROM lerim_context.records WHERE primitive = 'summary' GROUP BY 1")
    assert {(f"{number}-{turn}", 1) for number in range(3) for turn in range(each)} == set(summaries)
    decided = team.rows("SELECT title, count(*) FROM lerim_context.records WHERE primitive = 'decision' GROUP BY 1")
    assert total == len(decided) == sum(count for _, count in decided)


def test_a_worker_that_is_stopped_gives_its_session_back(team):
    """It is stopped in the middle: the session waits again, as if nobody had tried."""
    team.fill(projects=1, each=1)
    with team.worker("one") as one:
        pid = until(team.holders, lambda: states(team))[0]
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
        one.send_signal(signal.SIGTERM)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
        assert 0 == one.wait(PATIENCE)

    ((state, attempts, deaths),) = team.rows("SELECT state, attempts, deaths FROM lerim_sessions.sessions")
    assert (state, attempts, deaths) in {("pending", 0, 0), ("done", 0, 0)}


class TeamOfServer(TeamOfMachines):
    """The same on a server of its own, which can be stopped."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.folder, self.url = folder, server.url

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(sql)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []


@pytest.mark.drill
def test_a_worker_goes_on_when_its_server_is_back(tmp_path):
    """The same process: what it held is finished or taken again, and what comes later is taken as ever."""
    if programs() == Path():
        pytest.skip(MISSING)
    server = Server().make()
    try:
        team = TeamOfServer(tmp_path, server)
        team.fill(projects=2, each=2)
        with team.worker("one") as one:
            until(team.holders, lambda: states(team))
            server.stop()
            time.sleep(2)
            assert one.poll() is None
            server.start()
            close_pools()
            until(lambda: states(team) == {"done": 4}, lambda: states(team))
            one.send_signal(signal.SIGTERM)
            assert 0 == one.wait(PATIENCE)
        counted = team.rows("SELECT count(*), count(DISTINCT run_id) FROM lerim_context.records WHERE run_id <> ''")
        assert counted[0][0] == counted[0][1] == 4
    finally:
        close_pools()
        server.remove()
