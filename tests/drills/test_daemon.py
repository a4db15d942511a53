"""The daemon under bad conditions: killed, in a crowd, without room, without an agent's folder, with far too much.

Nothing is lost, and nothing is done twice. A small sample of each runs in the default suite.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.daemon.machine import CLAUDE, OTHER_WORLD, DaemonMachine, wait_for

pytestmark = pytest.mark.timeout(1800)

UV = "From now on always use uv instead of pip in this repository, because pip resolves too slowly in CI."


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[DaemonMachine]:
    made = DaemonMachine(tmp_path.resolve())
    yield made
    made.end()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """What the two sessions leave when nobody disturbs the daemon."""
    machine = DaemonMachine(tmp_path_factory.mktemp("undisturbed").resolve())
    machine.said("daemon", "run", "--once")
    left = machine.memories()
    assert len(left) > 3 and {1} == set(left.values())
    return left


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def memory_of(pid: int) -> float:
    """The megabytes that a process has to itself, and its share of what it has with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


# --- killed -----------------------------------------------------------------------------------------------------------


@pytest.mark.drill
@pytest.mark.skipif(sys.platform != "linux", reason="its workers are found in /proc")
@pytest.mark.parametrize(("rounds", "seed"), [(1, 20260220), *((3, seed) for seed in range(2))])
def test_whenever_it_or_its_worker_is_killed_the_next_one_finishes(
    tmp_path: Path, undisturbed: Counter[tuple[str, str]], rounds: int, seed: int
) -> None:
    """At random moments: the daemon, its worker, or both at once; up to three times before one is left alone."""
    dice = random.Random(seed)
    for number in range(rounds):
        folder = tmp_path.resolve() / str(number)
        folder.mkdir()
        machine = DaemonMachine(folder)
        try:
            disturb(machine, dice)
            machine.other_daemon()
            # A worker that was seen alive a moment before it died keeps its session for its lease, and a while more.
            wait_for(machine.are("done", "done"), 900)
        finally:
            machine.end()
        assert undisturbed == machine.memories()
        machine.is_sound()
        shutil.rmtree(folder)


def disturb(machine: DaemonMachine, dice: random.Random) -> None:
    """A daemon that lost its worker goes on, after a while; in the end, nobody is left."""
    daemon = machine.other_daemon()
    for number in range(1, dice.randint(2, 4)):
        time.sleep(dice.uniform(0.0, 3.0))
        victims = dice.choice((["daemon"], ["worker"], ["worker", "daemon"]))
        for pid in [*children(daemon.pid) * ("worker" in victims), *[daemon.pid] * ("daemon" in victims)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if "daemon" in victims:
            daemon.wait()
            daemon = machine.other_daemon()
        (machine.folder / "slept").write_text(str(number * 7200.0))
    daemon.kill()
    daemon.wait()


@pytest.mark.drill
def test_of_many_that_start_at_once_one_stays_however_often(machine: DaemonMachine) -> None:
    for _ in range(10):
        many = [machine.command("daemon", "run") for _ in range(6)]
        wait_for(lambda many=many: 5 == sum(process.poll() is not None for process in many))
        stays = next(process for process in many if process.poll() is None)
        wait_for(lambda pid=stays.pid: (state := machine.state()) and state.pid == pid)
        stays.kill()
        stays.wait()
    machine.daemon()
    wait_for(machine.are("done", "done"))
    assert {1} == set(machine.memories().values())
    machine.is_sound()


# --- the clock --------------------------------------------------------------------------------------------------------


@pytest.mark.drill
def test_a_clock_that_jumps_back_and_forth_brings_one_night_a_day(machine: DaemonMachine) -> None:
    """In a daemon that lives: three days pass, and the clock on the wall is set by weeks in between."""
    machine.other_daemon()
    wait_for(machine.rests)
    log, slept, wrong = machine.home / "daemon" / "daemon.log", machine.folder / "slept", machine.folder / "wrong"
    for day in range(1, 4):
        for jump in (21 * 86400.0, -21 * 86400.0, 0.0):
            wrong.write_text(str(jump))
            time.sleep(1.0)
        slept.write_text(str(day * 86400.0))
        wait_for(lambda day=day: log.read_text().count("info maintained") == day)
        wait_for(machine.rests)

    assert 3 == log.read_text().count("info maintained")


# --- no room ----------------------------------------------------------------------------------------------------------


@pytest.mark.drill
def test_on_a_full_disk_it_lives_on_and_catches_up_when_there_is_room(
    machine: DaemonMachine, undisturbed: Counter[tuple[str, str]]
) -> None:
    """No file may grow beyond what it needs to be opened: a write fails as on a disk without room."""
    slept = machine.folder / "slept"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, hard))
    try:
        daemon = machine.command(str(machine.folder), program=OTHER_WORLD)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    machine.there(daemon)
    errors = wait_for(lambda: (state := machine.state()) and state.errors)
    assert daemon.poll() is None
    assert "Traceback" not in errors[-1].message

    if sys.platform == "linux":
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (soft, hard))
        slept.write_text("7200")  # Its wait is over.
    else:
        daemon.kill()
        machine.daemon()
    wait_for(machine.are("done", "done"), 250)

    assert undisturbed == machine.memories()
    machine.is_sound()


# --- an agent's folder ------------------------------------------------------------------------------------------------


@pytest.mark.drill
@pytest.mark.skipif(sys.platform != "linux", reason="the next look may be an hour away")
def test_an_agents_folder_that_vanishes_and_comes_back_is_heard_of(
    machine: DaemonMachine, undisturbed: Counter[tuple[str, str]]
) -> None:
    """What was known of it stays, nothing is read twice, and what is new there is read."""
    machine.other_daemon()
    wait_for(machine.are("done", "done"))
    wait_for(machine.rests)
    agent, away = machine.folder / ".claude", machine.folder / "away"

    agent.rename(away)
    wait_for(lambda: machine.sessions()[CLAUDE].gone)
    assert undisturbed == machine.memories()
    away.rename(agent)
    wait_for(lambda: not machine.sessions()[CLAUDE].gone)
    machine.say_more(CLAUDE, UV)

    wait_for(lambda: any("uv" in title for _, title in machine.memories()))
    wait_for(machine.are("done", "done"))
    assert undisturbed == Counter({key: count for key, count in machine.memories().items() if key in undisturbed})
    machine.is_sound()


@pytest.mark.skipif(sys.platform != "linux", reason="the next look may be an hour away")
def test_an_agents_folder_that_comes_back_before_it_is_waited_for_is_heard_of(machine: DaemonMachine) -> None:
    agent, usual = machine.folder / "agents" / ".claude", machine.folder / ".claude"
    agent.parent.mkdir()
    usual.rename(agent)
    usual.symlink_to(agent)
    machine.env["CLAUDE_CONFIG_DIR"] = str(agent)
    machine.other_daemon("late")
    wait_for(machine.are("done", "done"))
    wait_for(machine.rests)

    agent.rename(machine.folder / "away")
    wait_for(agent.exists)
    machine.say_more(CLAUDE, UV)

    wait_for(lambda: any("uv" in title for _, title in machine.memories()), 30)
    assert not machine.sessions()[CLAUDE].gone


# --- far too much -----------------------------------------------------------------------------------------------------


@pytest.mark.drill
@pytest.mark.skipif(sys.platform != "linux", reason="its memory is read in /proc")
@pytest.mark.parametrize("count", [300, 50_000])
def test_however_many_sessions_are_found_at_once_it_stays_small(machine: DaemonMachine, count: int) -> None:
    """They come while it runs. It stays below 60 MB, answers, ends when told to, and no session is lost or twice.

    All but a few are older than the window: found, and not read.
    """
    daemon = machine.daemon()
    wait_for(machine.are("done", "done"))
    wait_for(machine.rests)
    old, file = time.time() - 90 * 86400, machine.file(CLAUDE)
    for number in range(count):
        made = file.with_name(f"{number:08x}-0000-4000-8000-000000000000.jsonl")
        line = {"type": "user", "sessionId": made.stem, "cwd": str(machine.project), "uuid": f"u{number}"}
        line |= {"timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": f"hello {number}"}}
        fresh = made.with_suffix(".new")  # It is old when it appears, however soon somebody looks.
        fresh.write_text(json.dumps(line) + "\n")
        os.utime(fresh, (old, old))
        fresh.rename(made)
    machine.say_more(CLAUDE, UV)

    wait_for(lambda: len(machine.states()) == count + 2, 1500)
    wait_for(lambda: any("uv" in title for _, title in machine.memories()), 600)
    assert memory_of(daemon.pid) < 60.0
    assert machine.state() is not None

    daemon.send_signal(signal.SIGTERM)
    daemon.wait(120)
    found = Counter(machine.states().values())
    assert {"done", "skipped"} >= set(found), found
    assert count == found["skipped"]
    machine.is_sound()
