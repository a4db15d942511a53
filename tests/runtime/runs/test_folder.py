"""A run's folder survives crashes, and reading runs survives whatever lies in a folder."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lerim
from lerim.errors import Conflict, NotFound, StoreError
from lerim.runtime.runs.folder import RunKind, Runs, RunStatus, files_of, open_run, read_run, read_tail

NOW = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)
PACKAGE = str(Path(lerim.__file__).parents[1])
DONE: dict[str, Any] = {
    "status": "done",
    "session": "claude/4f2a",
    "model": "small",
    "provider": "ollama",
    "engine": "model",
    "seconds": 2.5,
    "counts": {"added": 1, "updated": 0, "unchanged": 2},
    "usage": {"requests": 3, "input_tokens": 1200, "output_tokens": 80, "cost_usd": 0.01},
}


def letters(text: str) -> Any:
    """A source of randomness that makes these six letters, over and over."""
    return lambda count: bytes("abcdefghijklmnopqrstuvwxyz234567".index(c) for c in text)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / ".lerim" / "workspace"


def finished(workspace: Path, name: str = "aaaaaa", kind: RunKind = RunKind.SYNC, **more: Any) -> Path:
    with open_run(workspace, kind, NOW, letters(name)) as run:
        run.write_json(kind.artifacts[-1], {**DONE, **more})
        return run.folder


# Writing


def test_a_run_has_a_folder_of_its_own(workspace):
    """Named by kind, time and six letters, and closed to everybody else."""
    run = open_run(workspace, RunKind.SYNC, NOW, letters("xy72ab"))

    assert "sync-20260220-103000-xy72ab" == run.id == run.folder.name
    assert 0o700 == stat.S_IMODE(run.folder.stat().st_mode)


def test_two_runs_of_one_second_do_not_share_a_folder(workspace):
    """When the letters are taken, others are drawn."""
    drawn = iter([b"\0" * 6, b"\0" * 6, b"\1" * 6])

    ids = [open_run(workspace, RunKind.MAINTAIN, NOW, lambda count: next(drawn)).id for _ in range(2)]

    assert ["maintain-20260220-103000-aaaaaa", "maintain-20260220-103000-bbbbbb"] == ids


def test_when_every_name_is_taken_it_says_so(workspace):
    """Rather than trying for ever."""
    open_run(workspace, RunKind.SYNC, NOW, letters("aaaaaa"))

    with pytest.raises(StoreError, match="names for a run were taken"):
        open_run(workspace, RunKind.SYNC, NOW, letters("aaaaaa"))


def test_a_workspace_behind_a_link_is_refused(workspace, tmp_path):
    """A repository can bring a link along; private artifacts do not go where it points."""
    workspace.parent.mkdir()
    workspace.symlink_to(tmp_path, target_is_directory=True)

    with pytest.raises(StoreError, match="symbolic link"):
        open_run(workspace, RunKind.SYNC, NOW)


def test_a_document_is_put_in_place_whole_and_private(workspace):
    """No trace of the writing is left, and only the owner reads it."""
    run = open_run(workspace, RunKind.SYNC, NOW)

    path = run.write_json("extract.json", {"words": "naïve \ud83d"})

    assert {"words": "naïve \ud83d"} == json.loads(path.read_bytes())
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert ["extract.json"] == os.listdir(run.folder)


def test_a_document_that_cannot_be_written_leaves_the_old_one(workspace):
    """What JSON cannot say is refused before anything is touched."""
    run = open_run(workspace, RunKind.SYNC, NOW)
    path = run.write_json("extract.json", {"n": 1})

    with pytest.raises(ValueError, match="JSON"):
        run.write_json("extract.json", {"n": float("nan")})

    assert {"n": 1} == json.loads(path.read_text())
    assert ["extract.json"] == os.listdir(run.folder)


@pytest.mark.parametrize("name", ["../extract.json", "/etc/passwd", "", ".hidden", "a/b.json", "a\nb"])
def test_a_file_of_a_run_is_a_plain_name(name, workspace):
    """No way leads out of the folder."""
    run = open_run(workspace, RunKind.SYNC, NOW)

    with pytest.raises(ValueError, match="no name for a file"):
        run.write_json(name, {})


def test_a_log_is_one_object_per_line(workspace):
    """With its time and event; text that spans lines or is odd stays on one."""
    run = open_run(workspace, RunKind.SYNC, NOW)
    log = run.log("agent.log", lambda: NOW)

    log.line("tool", name="grep", query="a\nb", path=Path("x"))
    log.line("done", words="\ud83d")

    lines = [json.loads(line) for line in run.path("agent.log").read_bytes().splitlines()]
    assert {
        "at": "2026-02-20T10:30:00.000Z",
        "event": "tool",
        "name": "grep",
        "query": "a\nb",
        "path": "x",
    } == lines[0]
    assert "\ud83d" == lines[1]["words"]


def test_a_log_goes_on_after_half_a_line(workspace):
    """What a crash left unfinished does not swallow the next line."""
    run = open_run(workspace, RunKind.SYNC, NOW)
    run.path("agent.log").write_text('{"at": "20')

    run.log("agent.log", lambda: NOW).line("again")

    assert "again" == json.loads(run.path("agent.log").read_text().splitlines()[-1])["event"]


KILLED = f"""
import os, sys, time
sys.path.insert(0, {PACKAGE!r})
from datetime import UTC, datetime
from pathlib import Path
from lerim.runtime.runs.folder import RunKind, open_run
run = open_run(Path(sys.argv[1]), RunKind.SYNC, datetime(2026, 2, 20, 10, 30, tzinfo=UTC))
log = run.log("agent.log", lambda: datetime.now(UTC))
for number in range(50):
    log.line("step", number=number)
print(run.id, flush=True)
time.sleep(60)
"""


def test_a_killed_run_keeps_its_log_and_shows_as_interrupted(workspace):
    """While its process lives it is running; after `kill -9` every line that was written is there."""
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(workspace)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    folder = workspace / process.stdout.readline().strip()
    alive = read_run(folder).status

    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()

    assert (RunStatus.RUNNING, RunStatus.INTERRUPTED) == (alive, read_run(folder).status)
    assert list(range(50)) == [json.loads(line)["number"] for line in read_tail(folder, "agent.log", 100)]


# Reading


def test_a_run_is_read_from_its_last_artifact(workspace):
    """Everything a list of runs needs."""
    run = read_run(finished(workspace))

    assert (RunStatus.DONE, "claude/4f2a", "small", 1200, 80, 0.01, 2.5) == (
        *(run.status, run.session, run.model, run.input_tokens, run.output_tokens, run.cost_usd),
        run.seconds,
    )
    assert {"added": 1, "updated": 0, "unchanged": 2} == run.counts
    assert NOW == run.started


def test_a_run_that_failed_early_says_why(workspace):
    """The last artifact is missing, but an earlier one knows."""
    with open_run(workspace, RunKind.SYNC, NOW) as run:
        run.write_json("extract.json", {"status": "failed", "error": "the model said nothing"})

    info = read_run(run.folder)

    assert (RunStatus.FAILED, "the model said nothing") == (info.status, info.error)


def test_runs_are_listed_newest_first_over_all_workspaces(workspace, tmp_path):
    """The kind does not matter for the order, and a limit takes the newest."""
    other = tmp_path / "home"
    times = [(workspace, RunKind.SYNC, 10), (other, RunKind.MAINTAIN, 11), (workspace, RunKind.SYNC, 12)]
    for place, kind, hour in times:
        open_run(place, kind, NOW.replace(hour=hour), letters("aaaaaa")).close()
    runs = Runs([workspace, other, tmp_path / "nowhere"])

    assert [12, 11, 10] == [run.started.hour for run in runs.list()]
    assert [12, 11] == [run.started.hour for run in runs.list(2)]
    assert [11] == [run.started.hour for run in runs.list(kind=RunKind.MAINTAIN)]


def test_failed_runs_can_be_picked_out(workspace):
    """Those that failed or broke off, not those that are done or going on."""
    finished(workspace, "aaaaaa")
    finished(workspace, "bbbbbb", status="failed", error="no")
    open_run(workspace, RunKind.SYNC, NOW, letters("cccccc")).close()
    with open_run(workspace, RunKind.SYNC, NOW, letters("dddddd")):
        found = {run.id[-6:]: run.status for run in Runs([workspace]).list(failed=True)}

    assert {"bbbbbb": "failed", "cccccc": "interrupted"} == found


def test_a_run_is_found_by_its_beginning_or_its_letters(workspace):
    """The newest without a name."""
    finished(workspace, "aaaaaa")
    finished(workspace, "bbbbbb", RunKind.MAINTAIN)
    runs = Runs([workspace])

    assert "maintain-20260220-103000-bbbbbb" == runs.find("maint").id == runs.find("bbbbbb").id == runs.find().id
    assert "sync-20260220-103000-aaaaaa" == runs.find("sync-20260220-103000-aaaaaa").id


def test_a_run_that_is_not_there_or_not_the_only_one(workspace):
    """Errors say what to type next."""
    with pytest.raises(NotFound, match="no runs yet") as none:
        Runs([workspace]).find()
    finished(workspace, "aaaaaa")
    finished(workspace, "bbbbbb")

    with pytest.raises(NotFound, match="no run is called 'x'") as missing:
        Runs([workspace]).find("x")
    with pytest.raises(Conflict, match="2 runs") as several:
        Runs([workspace]).find("sync-")
    assert ("lerim sync", "lerim runs list") == (none.value.hint, missing.value.hint)
    assert several.value.hint == "lerim runs show sync-20260220-103000-bbbbbb"


# Hostile and broken folders


def test_a_linked_run_is_shown_as_damaged_and_not_read(workspace, tmp_path):
    """Neither a folder nor an artifact that is a link is followed."""
    elsewhere = finished(tmp_path / "elsewhere")
    workspace.mkdir(parents=True)
    (workspace / "sync-20260220-103000-linked").symlink_to(elsewhere, target_is_directory=True)
    run = open_run(workspace, RunKind.SYNC, NOW, letters("aaaaaa"))
    run.path("memory_actions.json").symlink_to(elsewhere / "memory_actions.json")

    found = Runs([workspace]).list()

    assert [RunStatus.DAMAGED] * 2 == [info.status for info in found]
    assert [None, None] == [info.session for info in found]
    assert [] == files_of(workspace / "sync-20260220-103000-linked")
    assert [] == read_tail(workspace / "sync-20260220-103000-linked", "memory_actions.json", 5)


def test_a_pipe_is_not_waited_for(workspace):
    """An artifact that is no file would otherwise stop every list of runs."""
    run = open_run(workspace, RunKind.SYNC, NOW, letters("aaaaaa"))
    os.mkfifo(run.path("memory_actions.json"))

    assert "memory_actions.json is a FIFO, which is never opened" == read_run(run.folder).error


def test_names_that_are_no_runs_are_left_alone(workspace):
    """Other people's folders, and dates that never were."""
    for name in ("notes", "sync-20261399-103000-aaaaaa", "sync-20260220-103000-AAAAAA", "ask-20260220-103000-aaaaaa"):
        (workspace / name).mkdir(parents=True)

    assert [] == Runs([workspace]).list()


def test_a_file_where_a_run_should_be_is_damaged(workspace):
    """It is listed, so that somebody wonders about it."""
    workspace.mkdir(parents=True)
    (workspace / "sync-20260220-103000-aaaaaa").write_text("what?")

    assert [RunStatus.DAMAGED] == [run.status for run in Runs([workspace]).list()]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"status": "fine"}',
        b'{"status": ["done"]}',
        b"[" * 100_000,
        b"9" * 9999,
    ],
    ids=range(9),
)
def test_an_artifact_that_makes_no_sense_is_damaged(content, workspace):
    """Half-written, hostile or of another program."""
    with open_run(workspace, RunKind.SYNC, NOW) as run:
        run.path("memory_actions.json").write_bytes(content)

    info = read_run(run.folder)

    assert RunStatus.DAMAGED == info.status
    assert info.error


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(document=st.fixed_dictionaries({}, optional=dict.fromkeys([*DONE, "error"], json_values)))
def test_whatever_an_artifact_says_a_run_can_be_shown(document, tmp_path_factory):
    """Values of the wrong kind are left out; none of them raises."""
    workspace = tmp_path_factory.mktemp("workspace")
    with open_run(workspace, RunKind.SYNC, NOW) as run:
        run.path("memory_actions.json").write_text(json.dumps({**document, "status": "done"}))

    info = read_run(run.folder)

    assert RunStatus.DONE == info.status
    assert all(isinstance(value, str | None) for value in (info.session, info.model, info.error))
    assert info.input_tokens >= 0
    assert info.cost_usd is None or info.cost_usd >= 0
