"""A shared store while its server is killed, restarted, replaced and cut off: no acknowledged write is lost, none is
there twice, and everybody goes on by themselves."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from lerim.context.records import Draft, Primitive, utc_now
from lerim.context.store import ContextStore
from lerim.errors import StoreBusy, StoreError, StoreUnreachable
from lerim.storage import connections
from lerim.storage.database import Database
from lerim.storage.engine import open_shared
from lerim.storage.postgres import _ALONE, PostgresTransaction

from ..postgres_server import MISSING, Server, programs

pytestmark = pytest.mark.skipif(programs() == Path(), reason=MISSING)
HERE = Path(__file__).parent
PROJECTS = ("prj-one", "prj-two")


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server().make()
    with closing(open_shared(server.url, "context")) as database:
        for project in PROJECTS:
            add_project(database, project)
    yield server
    connections.close_pools()
    server.remove()


def add_project(database: Database, project: str) -> None:
    with database.write() as tx:
        tx.run("INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, '')", (project, project, project))


def add(database: Database, title: str, project: str = PROJECTS[0]) -> None:
    with ContextStore(database, project).change("person", "drill") as change:
        change.create(Draft(Primitive.DECISION, title, "x").record(utc_now(), os.urandom))


def titles(url: str) -> list[str]:
    with psycopg.connect(url, autocommit=True) as connection:
        return sorted(row[0] for row in connection.execute("SELECT title FROM lerim_context.records").fetchall())


class Writers:
    """Several processes that write, and what was acknowledged to them."""

    def __init__(self, url: str, folder: Path, count: int, each: int) -> None:
        self.logs = [folder / f"{number}.log" for number in range(count)]
        self.wanted = sorted(f"writer-{number} says {line}" for number in range(count) for line in range(each))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.processes = [
            subprocess.Popen(
                [
                    *(sys.executable, str(HERE / "team_writer.py"), url),
                    *(PROJECTS[number % 2], f"writer-{number}", str(each), str(log)),
                ],
                env=environment,
                stderr=subprocess.PIPE,
            )
            for number, log in enumerate(self.logs)
        ]

    @property
    def are_done(self) -> bool:
        return all(process.poll() is not None for process in self.processes)

    def acknowledged(self) -> int:
        return sum(len(log.read_text().splitlines()) for log in self.logs if log.exists())

    def finish(self) -> list[str]:
        """What they were told was saved, once they have ended by themselves."""
        said = [process.communicate(timeout=240)[1].decode() for process in self.processes]
        assert [""] * len(said) == said
        return sorted(json.loads(line) for log in self.logs for line in log.read_text().splitlines())


def wait_for(condition) -> None:
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


@pytest.mark.drill
@pytest.mark.parametrize(("blows", "each"), [(3, 40), (15, 150)])
def test_a_server_that_is_killed_and_connections_that_are_cut_lose_no_acknowledged_write(
    server: Server, tmp_path: Path, blows: int, each: int
) -> None:
    chance = random.Random(19)
    writers = Writers(server.url, tmp_path, 3, each)
    total = len(writers.wanted)
    for number in range(blows):
        # Spread over the work: whatever each of them is doing then, it is in the middle of it.
        wait_for(lambda number=number: writers.are_done or writers.acknowledged() >= total * number // blows)
        [server.kill, server.stop, lambda: cut(server.url)][number % 3]()
        time.sleep(chance.random() * 0.2)
        server.start()

    assert writers.wanted == writers.finish()
    assert writers.wanted == titles(server.url)
    with closing(open_shared(server.url, "context")) as database:
        assert [] == database.problems()


def cut(url: str) -> None:
    """End every connection but this one."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


def test_a_commit_whose_answer_is_lost_is_told_as_what_became_of_it(server: Server) -> None:
    """The server commits, and the line is cut before it can say so."""
    with closing(open_shared(server.url, "context")) as database:
        add(database, "before")

        class Cut:
            """A connection that breaks after its commit arrived."""

            def __init__(self, connection):
                self.connection = connection

            def execute(self, sql, *values):
                done = self.connection.execute(sql, *values)
                if sql == "COMMIT":
                    raise psycopg.OperationalError("server closed the connection unexpectedly")
                return done

        new = "INSERT INTO projects VALUES (?, ?, ?, '', 'trusted', '')"
        with connections.borrowed(database.address) as connection:
            begun = database._take_turn(connection, _ALONE, "")
            tx = PostgresTransaction(Cut(connection), database.address)
            tx.run(new, ("late",) * 3)
            database._commit(tx, *begun)
        with connections.borrowed(database.address) as connection:
            begun = database._take_turn(connection, _ALONE, "")
            tx = PostgresTransaction(connection, database.address)
            tx.run(new, ("never",) * 3)
            cut(server.url)
            with pytest.raises(StoreUnreachable, match="nothing was changed"):
                database._commit(tx, *begun)
        with database.read() as tx:
            assert [("late",), *((name,) for name in PROJECTS)] == tx.rows("SELECT id FROM projects ORDER BY id")


def test_a_server_that_is_not_there_is_named_at_once(server: Server) -> None:
    with closing(open_shared(server.url, "context")) as database:
        add(database, "before")
        server.stop()
        with pytest.raises(StoreUnreachable) as caught:
            add(database, "while it is away")
        assert ("lerim storage check", 4) == (caught.value.hint, caught.value.exit_code)
        server.start()

        add(database, "after")

    assert ["after", "before"] == titles(server.url)


@pytest.mark.drill
def test_a_wrong_password_is_told_and_never_shown(server: Server) -> None:
    """What to put right, in words of ours; the right one gets in without anything else."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE ROLE ada LOGIN SUPERUSER PASSWORD 'right-word'")
        (server.data / "pg_hba.conf").write_text("local all ada scram-sha-256\nlocal all all trust\n")
        connection.execute("SELECT pg_reload_conf()")
    connections.close_pools()
    url = server.url.replace("postgres@", "ada:{}@", 1)
    without = url.replace(":{}", "")

    for given, why in (
        (url.format("wrong-word"), "the user or the password is wrong"),
        (without, "it takes a password"),
    ):
        with pytest.raises(StoreError) as caught:
            open_shared(given, "context")
        said = f"{caught.value.message} {caught.value.hint}"
        assert why in said and "nothing was changed" in said and "storage.url" in said
        assert "word@" not in said and "wrong-word" not in said + repr(caught.value)

    with closing(open_shared(url.format("right-word"), "context")) as database:
        add(database, "in")
    assert ["in"] == titles(server.url)


@pytest.mark.drill
def test_more_than_the_pool_has_wait_their_turn(server: Server) -> None:
    """Threads of one process share its connections: each waits for one, and none gets another's transaction."""
    with closing(open_shared(server.url, "context")) as database:
        failed: list[BaseException] = []

        def write(number: int) -> None:
            try:
                add(database, f"thread {number}", PROJECTS[number % 2])
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(connections.MOST_CONNECTIONS * 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)

    assert [] == failed
    assert sorted(f"thread {number}" for number in range(len(threads))) == titles(server.url)


@pytest.mark.drill
def test_a_pool_that_stays_exhausted_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "CONNECT_SECONDS", 0.2)
    with closing(open_shared(server.url, "context")) as database:
        held = [database.read() for _ in range(connections.MOST_CONNECTIONS)]
        for transaction in held:
            transaction.__enter__()
        try:
            with pytest.raises(StoreBusy, match=f"all {connections.MOST_CONNECTIONS} connections"):
                add(database, "one too many")
        finally:
            for transaction in held:
                transaction.__exit__(None, None, None)

        add(database, "one more")

    assert ["one more"] == titles(server.url)


@pytest.mark.drill
@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="only root can make a small disk")
def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    """What does not fit is refused as a whole; once there is space, everybody goes on."""
    server = Server()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96m", "lerim", str(server.folder)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        shutil.chown(server.folder, *_owner())
        server.folder.chmod(0o755)
        server.make()
        with closing(open_shared(server.url, "context")) as database:
            add_project(database, PROJECTS[0])
            add(database, "before")
            ballast = server.folder / "ballast"
            ballast.write_bytes(b"x" * (shutil.disk_usage(server.folder).free - 64 * 1024))
            saved = fill(database)
            ballast.unlink()
            wait_for(server.answers)
            add_patiently(database, "after")
        assert sorted([*saved, "before", "after"]) == titles(server.url)
    finally:
        connections.close_pools()
        server.stop()
        subprocess.run(["umount", str(server.folder)], check=True)
        server.remove()


def _owner() -> tuple[str, str]:
    from ..postgres_server import _user

    return _user(), _user()


def fill(database: Database) -> list[str]:
    """Write until it is refused; what was acknowledged."""
    saved: list[str] = []
    for number in range(10_000):
        try:
            with ContextStore(database, PROJECTS[0]).change("person", "drill") as change:
                body = random.Random(number).randbytes(20_000).hex()
                change.create(Draft(Primitive.DECISION, f"big {number}", body).record(utc_now(), os.urandom))
        except StoreError as error:
            assert error.hint
            return saved
        saved.append(f"big {number}")
    raise AssertionError("the disk never got full")


def add_patiently(database: Database, title: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            return add(database, title)
        except StoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.mark.drill
def test_when_a_copy_is_promoted_everybody_goes_on_there(server: Server, tmp_path: Path) -> None:
    """The address names both: whoever takes writes is found."""
    copy = Server()
    copy.run("pg_basebackup", "-h", str(server.folder), "-U", "postgres", "-D", str(copy.data), "-R", "-c", "fast")
    copy.start()
    hosts = f"{server.folder},{copy.folder}"
    url = f"postgresql://postgres@/postgres?host={hosts}&port=5432,5432&target_session_attrs=read-write"
    writers = Writers(url, tmp_path, 2, 60)
    wait_for(lambda: writers.acknowledged() >= 20)
    # Everything that was acknowledged has to be there too: that is what a failover that loses nothing waits for.
    server.stop()
    copy.run("pg_ctl", "promote", "-w", "-D", str(copy.data))

    assert writers.wanted == writers.finish()
    assert writers.wanted == titles(copy.url)
    copy.remove()
