"""What hooks leave is taken in once, by one process at a time, and nothing of it is lost, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lerim
from lerim import Lerim
from lerim.examples import install
from lerim.sessions.session import SessionState
from lerim.sessions.spool import MOST_EVENTS, claim, note_event, spool_path
from lerim.sessions.spooled import MOST_TRIES, Spool
from lerim.views.shelf import read_view

PACKAGE = str(Path(lerim.__file__).parents[1])
PROGRAM = f"import sys; sys.path.insert(0, {PACKAGE!r}); from lerim.cli.main import run; run()"
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def event(session: str = "s1", what: str = "session-end", agent: str = "claude", ago: float = 0.0) -> dict[str, Any]:
    at = f"{NOW - timedelta(seconds=ago):%Y-%m-%dT%H:%M:%SZ}"
    return {"at": at, "event": what, "agent": agent, "session": session, "cwd": "/x", "transcript": ""}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def ended(home: Path, now: datetime = NOW) -> list[str]:
    return [one.session for one in Spool(home).take(now).ended]


def test_a_session_that_ended_is_named_once(home):
    for what, ago in (("turn-end", 30), ("turn-end", 20), ("session-end", 10)):
        note_event(str(home), event("s1", what, ago=ago))
    note_event(str(home), event("s2"))

    assert ["s1", "s2"] == ended(home)


def test_a_session_that_goes_on_waits_until_it_is_quiet(home):
    note_event(str(home), event("s1", "session-end", ago=100))
    note_event(str(home), event("s1", "turn-end", ago=60))
    spool = Spool(home)

    assert not spool.has_ended(NOW)
    taken = spool.take(NOW)
    spool.settle(taken, taken.waiting)
    assert ["s1"] == ended(home, NOW + timedelta(minutes=10))


def test_what_is_damaged_costs_only_itself(home):
    note_event(str(home), event("s1"))
    with (home / "spool" / "events.jsonl").open("ab") as file:
        file.write(b'{"at": "2026\n[]\nnull\n\xff\xfe\n' + b"[" * 5000 + b"\n" + b"x" * 100_000 + b"\n")
        file.write(json.dumps({**event("s2"), "session": 5}).encode() + b"\n")
        file.write(json.dumps(event("s3"))[:-5].encode())  # A full disk cut it short.
    note_event(str(home), event("s4"))

    assert ["s1", "s4"] == ended(home)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_who_is_killed_on_the_way_leaves_all_to_the_next(home, steps):
    note_event(str(home), event("s1"))
    note_event(str(home), event("s2", "turn-end"))
    spool = Spool(home)
    taken = spool.take(NOW)
    if steps > 1:
        for left in taken.waiting:
            note_event(str(home), {name: getattr(left, name) for name in event()})
    if steps > 2:
        note_event(str(home), event("s3"))

    again = Spool(home).take(NOW)

    assert {"s1", *(["s3"] if steps > 2 else [])} == {one.session for one in again.ended}
    assert ["s2"] == [one.session for one in again.waiting]
    Spool(home).settle(again, ())
    assert [] == list((home / "spool").glob("*.jsonl"))


def test_what_is_appended_while_others_read_is_not_lost(home):
    """Several processes append while another one takes everything, again and again."""
    code = f"""
import sys; sys.path.insert(0, {PACKAGE!r})
from lerim.sessions.spool import note_event
for number in range(200):
    note_event(sys.argv[1], {{**{event()!r}, "session": f"{{sys.argv[2]}}-{{number}}"}})
"""
    writers = [subprocess.Popen([sys.executable, "-c", code, str(home), str(name)]) for name in range(3)]
    spool, found = Spool(home), set()
    while any(writer.poll() is None for writer in writers) or spool.has_ended(NOW):
        taken = spool.take(NOW)
        found |= {one.session for one in taken.ended}
        spool.settle(taken, ())

    assert {f"{name}-{number}" for name in range(3) for number in range(200)} == found


def test_events_are_bounded(home):
    line = {**event(), "cwd": "/" + "x" * 60_000}
    for _ in range(2 * MOST_EVENTS // 60_000):
        note_event(str(home), line)

    assert os.path.getsize(spool_path(str(home), "events.jsonl")) < MOST_EVENTS + 100_000


def test_one_process_takes_things_in(home):
    with Spool(home).alone() as first, Spool(home).alone() as second:
        assert (True, False) == (first, second)
    with Spool(home).alone() as third:
        assert third


def test_a_process_that_was_killed_holds_nobody_up(home):
    code = f"""
import sys, time; sys.path.insert(0, {PACKAGE!r})
from pathlib import Path; from lerim.sessions.spooled import Spool
with Spool(Path(sys.argv[1])).alone() as held:
    print(held, flush=True); time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", code, str(home)], stdout=subprocess.PIPE)
    assert other.stdout is not None and b"True\n" == other.stdout.readline()
    with Spool(home).alone() as held:
        assert not held
    other.kill()
    other.communicate()

    with Spool(home).alone() as held:
        assert held


def test_what_was_given_is_handed_over_and_still_keeps_the_session_from_more(home):
    note = claim(str(home), "s1", {"at": "2026", "session": "s1"}, again=False)
    (home / "spool" / "served" / "damaged.json").write_text("{")
    spool = Spool(home)

    assert [(Path(note or ""), {"at": "2026", "session": "s1"})] == spool.served()
    spool.keep_as_lock(Path(note or ""))
    assert [] == spool.served()
    assert claim(str(home), "s1", {}, again=False) is None
    spool.sweep(datetime.now(UTC))
    assert claim(str(home), "s1", {}, again=False) is None
    spool.sweep(datetime.now(UTC) + timedelta(days=61))
    assert claim(str(home), "s1", {}, again=False)


# The sessions themselves


class World:
    """The example sessions in a home of their own, and the hooks that speak of them."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "berths"
        (self.project / ".git").mkdir(parents=True)
        install(folder, self.project, datetime.now(UTC))
        self.home = folder / ".lerim"
        self.env = {"HOME": str(folder), "PATH": os.defpath, "LERIM_NO_HELPER": "1", "PYTHONUTF8": "1"}
        with self.open() as lerim:
            lerim.setup.init()
            lerim.sessions.discover()
            self.names = [session.name for session in lerim.sessions.queue.list()]

    def open(self) -> Lerim:
        return Lerim(self.project, env=self.env)

    def end(self, name: str) -> None:
        agent, _, session = name.partition("/")
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        note_event(str(self.home), {**event(session, agent=agent), "at": at, "cwd": str(self.project)})

    def states(self) -> dict[str, SessionState]:
        with self.open() as lerim:
            return {session.name: session.state for session in lerim.sessions.queue.list()}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


def test_the_sessions_that_ended_are_taken_in_and_no_others(world):
    first, *others = world.names
    world.end(first)
    waits: list[float] = []

    with world.open() as lerim:
        taken = [done.session.name for done in lerim.intake.spooled(waits.append)]

    assert [first] == taken
    states = world.states()
    assert SessionState.DONE == states[first] or SessionState.SKIPPED == states[first]
    assert {SessionState.PENDING} == {states[name] for name in others}
    # The next session is told what this one taught.
    assert read_view(str(world.home), str(world.project), "brief")
    assert [] == list((world.home / "spool").glob("*.jsonl"))


def test_a_session_that_did_not_change_since_is_not_taken_again(world):
    for _ in range(2):
        world.end(world.names[0])
        with world.open() as lerim:
            taken = list(lerim.intake.spooled(lambda wait: None))

    assert [] == taken


def test_a_session_that_cannot_be_found_is_looked_for_a_while(world):
    world.end("claude/nobody-knows-it")
    waits: list[float] = []

    with world.open() as lerim:
        assert [] == list(lerim.intake.spooled(waits.append))
    assert sorted(waits) == waits and len(waits) == len(set(waits)) > 1
    for _ in range(MOST_TRIES):
        with world.open() as lerim:
            list(lerim.intake.spooled(lambda wait: None))

    assert [] == list((world.home / "spool").glob("*.jsonl"))


def test_a_session_of_an_agent_that_nobody_reads_is_not_looked_for(world):
    world.end("nobody/x")
    waits: list[float] = []

    with world.open() as lerim:
        assert [] == list(lerim.intake.spooled(waits.append))

    assert 1 == len(waits)
    assert [] == list((world.home / "spool").glob("*.jsonl"))


def test_where_somebody_is_at_it_nothing_is_done(world):
    world.end(world.names[0])

    with Spool(world.home).alone(), world.open() as lerim:
        assert [] == list(lerim.intake.spooled(lambda wait: None))
    assert Spool(world.home).has_ended(datetime.now(UTC))


def test_a_session_without_a_name_is_the_newest_of_its_folder(world):
    note_event(str(world.home), {**event("", agent="claude"), "cwd": str(world.project)})

    with world.open() as lerim:
        (taken,) = lerim.intake.spooled(lambda wait: None)

    newest = [name for name in world.names if name.startswith("claude/")][-1]
    assert newest == taken.session.name


def test_a_session_whose_worker_was_killed_is_taken_by_the_next(world):
    world.end(world.names[0])
    code = f"""
import sys; sys.path.insert(0, {PACKAGE!r})
from lerim import Lerim
with Lerim() as lerim:
    session = lerim.sessions.find(sys.argv[1])
    assert lerim.sessions.queue.claim(lerim.workforce.worker(lerim.sessions).name, session_id=session.id)
    import os; os._exit(9)
"""
    subprocess.run([sys.executable, "-c", code, world.names[0]], cwd=world.project, env=world.env, check=False)
    assert SessionState.RUNNING == world.states()[world.names[0]]

    with world.open() as lerim:
        (taken,) = lerim.intake.spooled(lambda wait: None)

    assert world.names[0] == taken.session.name


@pytest.mark.parametrize(
    "blows",
    [(0.3, 0.9), pytest.param(tuple(number / 10 for number in range(2, 40)), marks=pytest.mark.drill)],
)
def test_however_often_it_is_killed_every_session_is_taken_in_once(world, blows):
    """The real process, killed with -9 at various moments."""
    for name in world.names[:2]:
        world.end(name)
    argv = [sys.executable, "-P", "-c", PROGRAM, "sync", "--spooled", "--json"]
    for seconds in blows:
        process = subprocess.Popen(argv, cwd=world.home, env=world.env, stdout=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()

    with world.open() as lerim:
        list(lerim.intake.spooled(lambda wait: time.sleep(0.1)))

    states = world.states()
    assert set() == {states[name] for name in world.names[:2]} - {SessionState.DONE, SessionState.SKIPPED}
    assert [] == list((world.home / "spool").glob("*.jsonl"))
