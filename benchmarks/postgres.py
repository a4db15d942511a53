"""PostgreSQL against SQLite, in one run on the same machine: sessions an hour, claims, writes and searches.

    python benchmarks/postgres.py [--quick | --full] [sessions] [claims] [writes] [search]

The server is one of its own, started and removed with the run, and as durable as SQLite is here: a commit is on disk
before it counts. Everything else on the machine slows both down, so what compares is the last column. Texts and vectors
to be searched are made up, since embedding a million takes hours. `--quick` takes a minute or two and has less of
everything, `--full` has a million records to search, too.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import NamedTuple

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import conversations  # noqa: E402
from measure import LERIM  # noqa: E402
from tests.postgres_server import Server  # noqa: E402

from lerim.context.recovery import open_store  # noqa: E402
from lerim.sessions.database import open_catalog  # noqa: E402
from lerim.storage.database import Database  # noqa: E402
from lerim.storage.engine import open_shared  # noqa: E402

#: As a server is set up that has something to do; nothing that a power cut would take.
_SERVER = {"shared_buffers": "512MB", "maintenance_work_mem": "3GB", "max_wal_size": "4GB"}
# A graph is made in that memory, about 2 KB a vector; what does not fit takes ten times as long.
# One process makes the graph of vectors: pgvector as it comes from PyPI does not survive several on every processor.
_SERVER["max_parallel_maintenance_workers"] = "0"
PARTS = ("sessions", "claims", "writes", "search")
CLIENTS, PROCESSES = 50, 10
#: Sessions that wait while claims are counted.
_DEEP = 20_000


@dataclass(frozen=True)
class Extent:
    """How much of everything."""

    workers: tuple[int, ...] = (1, 2, 4, 8)
    sessions: int = 48
    session_bytes: int = 50_000
    projects: int = 12
    seconds: float = 15.0
    sizes: tuple[int, ...] = (10_000, 100_000)
    questions: int = 100


QUICK = Extent(workers=(1, 2), sessions=12, projects=6, seconds=4.0, sizes=(2_000,), questions=40)
FULL = Extent(sizes=(10_000, 100_000, 1_000_000))


class Figure(NamedTuple):
    """One row of the table: what SQLite does, and what PostgreSQL does."""

    what: str
    sqlite: str
    postgres: str
    ratio: float


@dataclass(frozen=True)
class Side:
    """One of the two engines: a folder with its files, or a database of the server."""

    home: Path
    url: str = ""

    def context(self) -> Database:
        return open_shared(self.url, "context") if self.url else open_store(self.home)

    def sessions(self) -> Database:
        return open_shared(self.url, "sessions") if self.url else open_catalog(self.home, "now")[0]

    @property
    def words(self) -> list[str]:
        """How a process is told about it."""
        return [str(self.home), self.url]


class Bench:
    """The server of this run, and a folder for everything else."""

    def __init__(self, server: Server, folder: Path, extent: Extent) -> None:
        self.server, self.folder, self.extent = server, folder, extent
        self._made = 0

    def sides(self) -> tuple[Side, Side]:
        """Both engines, with nothing in them."""
        import psycopg

        self._made += 1
        name = f"bench_{self._made}"
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        homes = [self.folder / f"{name}-{engine}" for engine in ("sqlite", "postgres")]
        for home in homes:
            home.mkdir()
        return Side(homes[0]), Side(homes[1], self.server.url.replace("/postgres?", f"/{name}?"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which parts (default: all)")
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--quick", action="store_const", dest="extent", const=QUICK, help="less of everything")
    much.add_argument("--full", action="store_const", dest="extent", const=FULL, help="a million records, too")
    args = parser.parse_args()
    # Of the disk, for both: what is in memory only would be no store.
    with tempfile.TemporaryDirectory(prefix="lerim-bench-") as folder:
        server = Server(**_SERVER).make()
        try:
            tell(Bench(server, Path(folder), args.extent or Extent()), args.parts or PARTS)
        finally:
            server.remove()
    return 0


def tell(bench: Bench, parts: Sequence[str]) -> None:
    print(f"{os.cpu_count()} cores, {os.getloadavg()[0]:.1f} processes wanted them when this began")
    print("\n| what | SQLite | PostgreSQL | PostgreSQL / SQLite |\n|---|---|---|---|", flush=True)
    for part in parts:
        for row in measured(part, bench):
            print(f"| {row.what} | {row.sqlite} | {row.postgres} | {row.ratio:.2f} |", flush=True)


def measured(part: str, bench: Bench) -> Iterator[Figure]:
    if part == "search":
        from postgres_search import searches

        yield from searches(bench)
    else:
        yield from {"sessions": sessions, "claims": claims, "writes": writes}[part](bench)


# Sessions an hour.


def sessions(bench: Bench) -> Iterator[Figure]:
    """Made-up sessions of several projects, from being found to being memories."""
    for number in bench.extent.workers:
        sqlite, postgres = (_Machine(side, bench.extent) for side in bench.sides())
        alone = sqlite.hourly("sync", "--all", "--jobs", str(number))
        upload = postgres.hourly("sync", "--all")
        team = postgres.elsewhere().hourly("worker", "--once", "--concurrency", str(number))
        name = f"sessions an hour, {number} worker{'s' if number > 1 else ''}"
        yield Figure(name, f"{alone:,.0f}", f"{team:,.0f} (uploaded: {upload:,.0f})", team / alone)
        for machine in (sqlite, postgres):
            shutil.rmtree(machine.side.home)


class _Machine:
    """Somebody's machine with sessions on it."""

    def __init__(self, side: Side, extent: Extent, *, is_filled: bool = True) -> None:
        self.side, self._extent = side, extent
        self._env = {name: value for name, value in os.environ.items() if not name.startswith("LERIM_")}
        self._env |= {"HOME": str(side.home), "LERIM_HOME": str(side.home / "lerim"), "LERIM_STORAGE_URL": side.url}
        if is_filled:
            self._fill()

    def _fill(self) -> None:
        from lerim import Lerim

        written = self.side.home / ".claude" / "projects" / "all"
        written.mkdir(parents=True)
        roots = [self.side.home / f"project-{number}" for number in range(self._extent.projects)]
        for root in roots:
            (root / ".git").mkdir(parents=True)
            with Lerim(root, env=self._env) as lerim:
                lerim.setup.init(root)
        for number in range(self._extent.sessions):
            path, root = written / f"session-{number:03}.jsonl", roots[number % len(roots)]
            taught = conversations.TEACHING[: 1 + number % 4]
            conversations.write(path, self._extent.session_bytes, root, number, taught)

    def elsewhere(self) -> _Machine:
        """A machine that has none of it, at the same store."""
        home = self.side.home / "elsewhere"
        home.mkdir()
        return _Machine(Side(home, self.side.url), self._extent, is_filled=False)

    def hourly(self, *command: str) -> float:
        """How many sessions a command works off in an hour, by the clock."""
        began = time.perf_counter()
        done = subprocess.run([LERIM, *command], cwd=self.side.home, env=self._env, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"lerim {' '.join(command)}: {done.stdout.decode()}{done.stderr.decode()}")
        return 3600 * self._extent.sessions / (time.perf_counter() - began)


# Claims a second.


def claims(bench: Bench) -> Iterator[Figure]:
    """A claim and its completion, by processes that do nothing else."""
    for number in bench.extent.workers:
        counted = []
        for side in bench.sides():
            _fill_queue(side)
            said = _at_once(number, "claim", side, bench.extent.seconds)
            counted.append(sum(one["count"] for one in said) / bench.extent.seconds)
        name = f"claims a second, {number} claimer{'s' if number > 1 else ''}"
        yield Figure(name, f"{counted[0]:,.0f}", f"{counted[1]:,.0f}", counted[1] / counted[0])


def _fill_queue(side: Side) -> None:
    columns = ("agent", "run_id", "container_id", "fingerprint", "active", "project_id", "state")
    at = "2026-01-01T00:00:00Z"
    rows = (
        ("fleet", f"run-{number}", 1, "as it ended", at, f"prj-{number % 500}", "pending") for number in range(_DEEP)
    )
    with side.sessions().write() as tx:
        tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'fleet', 'fleet', 0, 0)")
        tx.load("sessions", columns, rows)


def claim(side: Side, seconds: float, name: str) -> dict[str, float]:
    from random import random

    from lerim.sessions.queue import Queue

    queue = Queue(side.sessions(), random)
    _wait_for_word()
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        job = queue.claim(name)
        assert job is not None, "there were too few sessions"
        queue.complete(job)
        count += 1
    return {"count": count}


# Writes.


def writes(bench: Bench) -> Iterator[Figure]:
    """One memory a commit, by clients that write as soon as the last one is in."""
    for what, projects in (("the same project", 1), ("projects of their own", CLIENTS)):
        shares = []
        for side in bench.sides():
            _fill_projects(side)
            said = _at_once(PROCESSES, "write", side, bench.extent.seconds, str(projects))
            shares.append(sorted(took for one in said for took in one["took"]))
        texts = [
            f"{_share(took, 0.5):,.0f} / {_share(took, 0.95):,.0f} ms, {len(took) / bench.extent.seconds:,.0f} a second"
            for took in shares
        ]
        # Of writes a second: with SQLite a few clients have most turns, and their median says nothing of the others.
        ratio = len(shares[1]) / len(shares[0])
        yield Figure(f"a write, p50 / p95, {CLIENTS} clients, {what}", *texts, ratio)


def _fill_projects(side: Side) -> None:
    sql = "INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, '2026-01-01T00:00:00Z')"
    with side.context().write() as tx:
        tx.run_many(sql, [(f"prj-{number}", f"/{number}", str(number)) for number in range(CLIENTS)])


def write(side: Side, seconds: float, name: str, projects: str) -> dict[str, list[float]]:
    """Several clients, a thread each: a process for each would measure the machine."""
    from concurrent.futures import ThreadPoolExecutor

    each = CLIENTS // PROCESSES
    numbers = [int(name) * each + number for number in range(each)]
    ready = Barrier(each + 1)
    with ThreadPoolExecutor(each) as threads:
        clients = [
            threads.submit(_write_for, seconds, side, f"prj-{number % int(projects)}", number, ready)
            for number in numbers
        ]
        ready.wait()
        _wait_for_word()
        ready.wait()
        return {"took": [took for client in clients for took in client.result()]}


def _write_for(seconds: float, side: Side, project: str, client: int, ready: Barrier) -> list[float]:
    from memories import memories

    from lerim.context.records import Draft, Primitive, utc_now
    from lerim.context.store import ContextStore

    store, took = ContextStore(side.context(), project), []
    ready.wait()
    ready.wait()
    end = time.monotonic() + seconds
    for said in memories(100_000, seed=client):
        if time.monotonic() >= end:
            break
        draft = Draft(Primitive.DECISION, str(said["title"]), str(said["body"]))
        began = time.perf_counter()
        with store.change("benchmark", "made up") as change:
            change.create(draft.record(utc_now()))
        took.append(1000 * (time.perf_counter() - began))
    return took


def _share(took: Sequence[float], share: float) -> float:
    return took[int(len(took) * share)] if took else float("nan")


# Processes that start together.


def _at_once(number: int, what: str, side: Side, seconds: float, *more: str) -> list[dict[str, list[float]]]:
    """What processes report that all begin when the last of them is ready."""
    argv = [sys.executable, __file__, "--as", what, *side.words, str(seconds)]
    running = [
        subprocess.Popen([*argv, str(name), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in range(number)
    ]
    pipes = [(one.stdin, one.stdout) for one in running]
    for _, said in pipes:
        assert said is not None and said.readline() == "ready\n"
    for told, _ in pipes:
        assert told is not None
        told.write("go\n")
        told.flush()
    found = [json.loads(one.communicate()[0]) for one in running]
    assert not any(one.returncode for one in running)
    return found


def _wait_for_word() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def be(what: str, home: str, url: str, seconds: str, *more: str) -> None:
    work = {"claim": claim, "write": write}[what]
    print(json.dumps(work(Side(Path(home), url), float(seconds), *more)))  # type: ignore[operator]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        be(*sys.argv[2:])
    else:
        sys.exit(main())
