"""The daemon as people run it: what it does by itself, that there is one, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.daemon.chores import Stop, do
from lerim.daemon.report import DaemonState, DaemonTrouble, decoded_state, encoded_state
from lerim.daemon.schedule import ChoreKind
from lerim.daemon.talk import HelperRequest, ask, this_code

from .machine import CLAUDE, CODEX, PACKAGE, DaemonMachine, wait_for

#: Many processes, on machines that may be busy with others.
pytestmark = pytest.mark.timeout(900)

UV = "From now on always use uv instead of pip in this repository, because pip resolves too slowly in CI."

#: A session that takes as long to read as a file says, in every process that is started.
SLOW = """
import os, time
from lerim.sessions.room import Sessions
def read(self, session, read=Sessions.read):
    here = os.environ["SLOW"]
    open(f"{here}/reads", "w").close()
    time.sleep(float(open(f"{here}/seconds").read()))
    return read(self, session)
Sessions.read = read
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[DaemonMachine]:
    made = DaemonMachine(tmp_path.resolve())
    yield made
    made.end()


@pytest.fixture
def idle(tmp_path: Path) -> Iterator[DaemonMachine]:
    """There is nothing to read."""
    made = DaemonMachine(tmp_path.resolve(), sessions=False)
    yield made
    made.end()


def ended(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=120)
    return out.strip()


# --- what it does -----------------------------------------------------------------------------------------------------


def test_it_takes_in_what_is_there_what_grows_and_what_is_new(machine: DaemonMachine) -> None:
    """By itself, and without being asked again: the system tells it."""
    new = machine.file(CODEX)
    text = new.read_text("utf-8")
    new.unlink()
    daemon = machine.daemon()
    wait_for(machine.are("done"))
    before = machine.memories()

    machine.say_more(CLAUDE, UV)
    new.write_text(text, "utf-8")

    wait_for(lambda: any("uv" in title for _, title in machine.memories()))
    wait_for(machine.are("done", "done"))
    assert sum(before.values()) < sum(machine.memories().values())
    daemon.send_signal(signal.SIGTERM)
    assert "ended: it was stopped" == ended(daemon)
    machine.is_sound()


@pytest.mark.drill
def test_where_nobody_tells_of_changes_it_looks(machine: DaemonMachine) -> None:
    machine.other_daemon("deaf")
    wait_for(machine.are("done", "done"))

    machine.say_more(CLAUDE, UV)

    wait_for(lambda: any("uv" in title for _, title in machine.memories()))
    state = machine.state()
    assert state is not None and not state.hears


def test_a_session_that_somebody_writes_to_is_left_alone(tmp_path: Path) -> None:
    """It is looked at again when it has fallen quiet; another one is not held up."""
    machine = DaemonMachine(tmp_path.resolve(), quiet_minutes=60)
    os.utime(machine.file(CODEX), (time.time() - 7200,) * 2)
    os.utime(machine.file(CLAUDE))
    try:
        machine.daemon()
        wait_for(lambda: machine.states().get(CODEX) == "done")
        state = wait_for(machine.rests)
    finally:
        machine.end()

    assert "pending" == machine.states()[CLAUDE]
    assert "sync" in state.due


@pytest.mark.drill
def test_a_session_that_a_hook_named_is_taken_at_once(tmp_path: Path) -> None:
    """However young it is. The hook's own worker is kept away: the daemon does it."""
    machine = DaemonMachine(tmp_path.resolve(), quiet_minutes=60)
    os.utime(machine.file(CLAUDE))
    try:
        machine.daemon()
        wait_for(machine.rests)
        assert "pending" == machine.states()[CLAUDE]
        (machine.home / "spool").mkdir(mode=0o700, exist_ok=True)
        event = {"at": "2026-01-01T00:00:00Z", "event": "session-end", "agent": "claude", "cwd": str(machine.project)}
        event |= {"session": machine.file(CLAUDE).stem, "transcript": str(machine.file(CLAUDE))}
        (machine.home / "spool" / "events.jsonl").write_text(json.dumps(event) + "\n")

        wait_for(lambda: machine.states()[CLAUDE] == "done")
    finally:
        machine.end()


@pytest.mark.drill
def test_what_slept_through_the_night_maintains_when_it_wakes_up(idle: DaemonMachine) -> None:
    """Once: the clock on the wall and the one that counts sleep have gone on; no timer has."""
    idle.other_daemon()
    wait_for(idle.rests)

    (idle.folder / "slept").write_text(str(36 * 3600.0))
    runs = idle.home / "workspace"
    projects = idle.project / ".lerim" / "workspace"
    wait_for(lambda: [path for folder in (runs, projects) for path in folder.rglob("maintain_actions.json")])
    log = idle.home / "daemon" / "daemon.log"
    wait_for(lambda: "maintained" in log.read_text())
    wait_for(idle.rests)

    assert 1 == log.read_text().count("info maintained")
    assert (idle.home / "daemon" / "last-night").exists()


@pytest.mark.drill
def test_on_its_battery_it_pauses_and_says_so(machine: DaemonMachine) -> None:
    battery = machine.folder / "battery"
    battery.touch()
    machine.other_daemon()

    assert "the machine runs on its battery" == wait_for(lambda: (state := machine.state()) and state.paused)
    assert {} == machine.states()
    assert "paused: the machine runs on its battery" in machine.said("daemon", "status")
    battery.unlink()
    wait_for(machine.are("done", "done"))


def test_once_it_does_what_is_due_and_ends(machine: DaemonMachine) -> None:
    assert "ended: nothing is left to do\n" == machine.said("daemon", "run", "--once")
    assert machine.are("done", "done")()


@pytest.mark.drill
def test_what_goes_wrong_is_told_and_tried_again_later(idle: DaemonMachine) -> None:
    """A setting that nobody understands, from one day to the next: it goes on by what it knew, and says so."""
    idle.other_daemon("deaf")
    wait_for(idle.rests)
    config = idle.home / "config.toml"
    good = config.read_text()
    config.write_text("[roles.lead]\nprovider = 'nobody'\n")

    errors = wait_for(lambda: (state := idle.state()) and state.errors)

    assert "roles.lead.provider" in errors[-1].message
    config.write_text(good)
    status = json.loads(idle.said("daemon", "status", "--json"))
    assert "roles.lead.provider" in status["errors"][-1]["message"]
    assert status["next"]["sync"] > status["errors"][-1]["at"]


# --- that there is one ------------------------------------------------------------------------------------------------


@pytest.mark.drill
def test_of_many_that_start_at_once_one_stays(idle: DaemonMachine) -> None:
    many = [idle.command("daemon", "run") for _ in range(4)]
    wait_for(lambda: 3 == sum(process.poll() is not None for process in many))
    stays = next(process for process in many if process.poll() is None)

    assert {"ended: another one is running"} == {ended(process) for process in many if process is not stays}
    assert stays.pid == wait_for(idle.state).pid


@pytest.mark.drill
def test_after_a_kill_the_next_one_starts_and_the_session_is_taken_once(machine: DaemonMachine) -> None:
    daemon = machine.daemon()
    daemon.kill()
    daemon.wait()

    machine.daemon()
    wait_for(machine.are("done", "done"))

    assert {1} == set(machine.memories().values())


def test_start_and_stop_say_what_they_did(idle: DaemonMachine) -> None:
    assert "not running\n" == idle.said("daemon", "stop")
    started = json.loads(idle.said("daemon", "start", "--json"))
    try:
        assert f"it runs already, as process {started['pid']}\n" == idle.said("daemon", "start")
        assert started["pid"] == json.loads(idle.said("daemon", "status", "--json"))["pid"]
    finally:
        assert "stopped\n" == idle.said("daemon", "stop")
    assert not json.loads(idle.said("daemon", "status", "--json"))["running"]


def test_only_its_owner_gets_to_it(idle: DaemonMachine) -> None:
    idle.daemon()

    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (idle.address.folder, idle.address.daemon)]
    assert [0o700, 0o600] == modes
    for noise in (b"", b"\0", b"\xff" * 100, b"\0" * 1000):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(idle.address.daemon)
            line.sendall(noise)
    assert None is ask(idle.address, HelperRequest("search", code=this_code()), idle.address.daemon)
    assert idle.state() is not None


def test_how_it_is_survives_the_way() -> None:
    state = DaemonState(7, "s", "d", "p", {"sync": "x"}, (DaemonTrouble("a", "m"),), True, 8)

    assert state == decoded_state(encoded_state(state))


# --- how it ends ------------------------------------------------------------------------------------------------------


@pytest.fixture
def slow(machine: DaemonMachine) -> DaemonMachine:
    """Reading a session takes a while."""
    lure = machine.folder / "lure"
    lure.mkdir()
    (lure / "sitecustomize.py").write_text(SLOW)
    machine.env |= {"PYTHONPATH": f"{lure}{os.pathsep}{PACKAGE}", "SLOW": str(machine.folder)}
    return machine


@pytest.mark.drill
def test_told_to_end_it_gives_the_session_at_hand_back(slow: DaemonMachine) -> None:
    """It counts as no attempt, and whoever comes next takes it once."""
    (slow.folder / "seconds").write_text("600")
    daemon = slow.daemon()
    wait_for((slow.folder / "reads").exists)

    daemon.send_signal(signal.SIGTERM)

    assert "ended: it was stopped" == ended(daemon)
    found = slow.sessions().values()
    assert {("pending", 0, 0)} == {(str(session.state), session.attempts, session.deaths) for session in found}
    (slow.folder / "seconds").write_text("0")
    slow.said("daemon", "run", "--once")
    assert slow.are("done", "done")()
    assert {1} == set(slow.memories().values())


def test_told_to_end_a_chore_finishes_what_takes_a_moment(machine: DaemonMachine) -> None:
    """The session at hand is done, and no other is begun."""
    stop, said = Stop(), []
    stop.is_asked = True

    assert 0 == do(ChoreKind.SYNC, 0.0, machine.env, said.append, stop)

    assert machine.are("done", "pending")()
    assert ["taken"] == [next(iter(one)) for one in said]


@pytest.mark.drill
def test_when_it_is_killed_its_worker_gives_back_and_goes(slow: DaemonMachine) -> None:
    """Nobody is left behind who would work on."""
    (slow.folder / "seconds").write_text("600")
    daemon = slow.daemon()
    wait_for((slow.folder / "reads").exists)

    daemon.kill()
    daemon.wait()

    wait_for(slow.are("pending", "pending"))
    assert {0} == {session.attempts for session in slow.sessions().values()}


@pytest.mark.drill
def test_it_ends_when_its_folder_is_gone(idle: DaemonMachine) -> None:
    daemon = idle.other_daemon()
    wait_for(idle.rests)

    # In one step: whatever it may be writing there at that moment.
    idle.home.rename(idle.home.with_name("moved away"))

    assert "its folder is gone" == ended(daemon)


# --- searches ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def searched(machine: DaemonMachine) -> DaemonMachine:
    del machine.env["LERIM_NO_HELPER"]
    (machine.home / "config.toml").write_text("[daemon]\nquiet_minutes = 0\n")
    return machine


@pytest.mark.drill
def test_it_answers_searches_in_the_helpers_place(searched: DaemonMachine) -> None:
    """A helper that runs makes room, no second one is started, and what is said is the same word for word."""
    helper = searched.command("helper", "run")
    wait_for(lambda: ask(searched.address, HelperRequest("status", code=this_code())))
    searched.daemon()
    assert "ended: it was stopped" == ended(helper)
    wait_for(searched.are("done", "done"))

    first = searched.said("search", "which", "queue", "--json", LERIM_NO_HELPER="1")
    assert first == searched.said("search", "which", "queue", "--json")
    assert "ended: another one is running\n" == searched.said("helper", "run")
    pid = wait_for(lambda: json.loads(searched.said("helper", "status", "--json"))["pid"])
    state = searched.state()
    assert state is not None and state.searcher == pid
    assert first == searched.said("search", "which", "queue", "--json")
    assert 1 <= json.loads(searched.said("helper", "status", "--json"))["answered"]

    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: (state := searched.state()) and state.searcher is None)
    assert first == searched.said("search", "which", "queue", "--json")


@pytest.mark.drill
def test_it_begins_anew_when_its_code_changed(searched: DaemonMachine) -> None:
    """The same process with the new files: whoever watches over it sees no end."""
    copy = searched.folder / "copy"
    shutil.copytree(Path(PACKAGE) / "lerim", copy / "lerim", ignore=shutil.ignore_patterns("__pycache__", "models"))
    searched.env |= {"PYTHONPATH": str(copy), "LERIM_NO_HELPER": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    (searched.home / "config.toml").write_text("[embeddings]\nenabled = false\n[daemon]\nquiet_minutes = 0\n")
    daemon = searched.daemon()
    wait_for(searched.rests)
    before = searched.state()
    assert before is not None

    file = copy / "lerim" / "daemon" / "nights.py"
    file.write_text(file.read_text() + "\n# newer\n")
    searched.say_more(CLAUDE, UV)  # It wakes up, and looks around.

    wait_for(lambda: (state := searched.state()) and state.answers and state.since != before.since)
    state = searched.state()
    assert state is not None and state.pid == daemon.pid
    log = (searched.home / "daemon" / "daemon.log").read_text()
    assert "ended: its code changed" in log
    assert 2 == log.count(f"started as process {daemon.pid}"), sys.version
