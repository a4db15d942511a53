"""The catalog: what changed on disk, told apart; the window; copies; and what a scan costs."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.errors import Conflict, NotFound
from lerim.sessions.catalog import BATCH
from lerim.sessions.catalog_update import next_state
from lerim.sessions.facts import describe
from lerim.sessions.session import SessionState
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Event, Happening, Header, Moved, ToolCall, ToolResult, User

# --- what changed -----------------------------------------------------------------------------------------------------


def test_a_new_session_is_cataloged_with_its_facts(desk):
    """One look gives everything the header says, and puts the session in line."""
    path = desk.write("one.log", "hello", branch="main", title="First", started="2026-01-01T00:00:00Z", model="m1")

    found = desk.discover()
    session = desk.catalog.find("one")

    assert (1, 1, 0) == (found.containers, found.new, found.unchanged)
    assert (path, SessionState.PENDING, "prj-app", desk.app) == (
        session.path,
        session.state,
        session.project_id,
        session.project_root,
    )
    assert ("main", "First", "m1", "2026-01-01T00:00:00Z") == (
        session.branch,
        session.title,
        session.model,
        session.started,
    )
    assert path.stat().st_size == session.size


def test_an_unchanged_session_is_not_opened(desk):
    """A second look costs a stat and reads nothing."""
    desk.write("one.log")
    desk.discover()
    desk.agent.reads.clear()

    found = desk.discover()

    assert (1, 1, 0) == (found.containers, found.unchanged, found.new)
    assert [] == desk.agent.reads


def test_a_session_that_grew_goes_back_in_line(desk):
    """What was added is waiting; what was ingested before counts as ingested."""
    path = desk.write("one.log", "hello")
    desk.discover()
    desk.work_off()

    desk.append(path, "more")
    found = desk.discover()

    assert (1, 0) == (found.grown, found.rewritten)
    assert {"one": "pending"} == desk.states()
    assert not desk.catalog.find("one").rewritten


@pytest.mark.parametrize("how", ["shrunk", "edited", "replaced"])
def test_a_rewritten_session_is_known_as_such(desk, how):
    """Shorter, different in its earlier part, or another file under the same name."""
    path = desk.write("one.log", "hello", "world")
    desk.discover()
    desk.work_off()

    text = path.read_text()
    if how == "replaced":
        path.rename(path.with_suffix(".bak"))
    path.write_text(
        {"shrunk": text[:-6], "edited": text.replace("hello", "HELLO") + "x\n", "replaced": text + "x\n"}[how]
    )
    desk.touch(path)
    found = desk.discover()

    assert (0, 1) == (found.grown, found.rewritten)
    assert desk.catalog.find("one").rewritten
    assert ["one"] == desk.work_off()
    assert not desk.catalog.find("one").rewritten


def test_a_touched_or_restored_file_is_not_ingested_again(desk):
    """A new time, or a new inode with the same content, is no change of the session."""
    path = desk.write("one.log", "hello")
    desk.discover()
    desk.work_off()

    desk.touch(path)
    copy = path.with_suffix(".tmp")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    found = desk.discover()

    assert (0, 0, 0, 0) == (found.new, found.grown, found.rewritten, found.changed)
    assert {"one": "done"} == desk.states()


def test_a_vanished_session_is_told_and_comes_back(desk):
    """A session that was not ingested waits for its file; one that was stays ingested."""
    old, new = desk.write("old.log"), desk.write("new.log")
    desk.discover()
    job = desk.queue().claim("w")
    desk.queue().complete(job)

    for path in (old, new):
        path.rename(path.with_suffix(".away"))
    assert 2 == desk.discover().vanished
    assert {"old": "done", "new": "skipped: its file is gone"} == desk.states()
    assert 0 == desk.discover().vanished

    for path in (old, new):
        path.with_suffix(".away").rename(path)
    desk.discover()
    assert {"old": "done", "new": "pending"} == desk.states()


def test_a_moved_file_is_the_same_session(desk):
    """Archiving a session elsewhere under the same root does not ingest it again."""
    path = desk.write("one.log", "hello")
    desk.discover()
    desk.work_off()

    target = desk.file("archive/one.log")
    path.rename(target)
    desk.discover()

    assert {"one": "done"} == desk.states()
    assert target == desk.catalog.find("one").path


def test_a_root_that_cannot_be_read_loses_nothing(desk):
    """A folder without permission says nothing about what is in it: sessions are not declared gone."""
    desk.write("one.log")
    desk.discover()

    def refuse(root):
        raise PermissionError(13, "Permission denied", str(root))
        yield

    desk.agent.containers = refuse
    found = desk.discover()

    assert 0 == found.vanished
    assert 2 == len(found.troubles)
    assert {"one": "pending"} == desk.states()


def test_a_busy_database_does_not_requeue_all_of_its_sessions(desk):
    """Only the session whose fingerprint changed is read and put back in line."""
    desk.write_database("agent.db", a="1", b="1", c="1")
    desk.discover()
    desk.work_off()
    desk.agent.reads.clear()

    desk.write_database("agent.db", a="1", b="2", c="1", d="1")
    found = desk.discover()

    assert (1, 1) == (found.new, found.changed)
    assert {"a": "done", "b": "pending", "c": "done", "d": "pending"} == desk.states()
    assert ["b", "d"] == sorted(desk.agent.reads)


def test_a_session_deleted_inside_a_database_is_gone(desk):
    """The database lives on; the session is told as vanished."""
    desk.write_database("agent.db", a="1", b="1")
    desk.discover()

    desk.write_database("agent.db", a="1")
    found = desk.discover()

    assert 1 == found.vanished
    assert {"a": "pending", "b": "skipped: its file is gone"} == desk.states()


def test_a_database_that_is_locked_now_is_read_next_time(desk):
    """What could not be listed is reported, and looked at again without having changed."""
    path = desk.write_database("agent.db", a="1")
    text, stat = path.read_text(), path.stat()
    path.write_text("x" * len(text))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    (trouble,) = desk.discover().troubles
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert f"{path} is locked" == trouble.reason
    assert () == desk.discover().troubles
    assert {"a": "pending"} == desk.states()


def test_a_session_that_cannot_be_read_fails_with_its_error_until_it_can(desk):
    """It is dead in the queue, is looked at again with every scan, and stops nobody else."""
    desk.write("good.log")
    path = desk.write("bad.log")
    good = path.read_bytes()
    path.write_text("no json\n")

    for _ in range(2):
        (trouble,) = desk.discover().troubles
        assert f"cannot read {path}: no header" == trouble.reason
    assert {"good": "pending", "bad": f"dead: cannot read {path}: no header"} == desk.states()

    path.write_bytes(good)
    desk.discover()
    assert {"good": "pending", "bad": "pending"} == desk.states()


def test_a_session_that_was_damaged_and_restored_is_as_ingested_as_before(desk):
    """Nothing of it is new, so nothing is to be done."""
    path = desk.write("one.log", "hello")
    good = path.read_bytes()
    desk.discover()
    desk.work_off()

    path.write_text("no json\n")
    desk.discover()
    path.write_bytes(good)
    desk.discover()

    assert {"one": "done"} == desk.states()
    assert not desk.catalog.find("one").rewritten


def test_a_reader_that_breaks_costs_only_its_file(desk):
    """Even a bug in a source is recorded against the file that meets it."""
    desk.write("good.log")
    desk.write("odd.log", surprise="an unexpected key")

    desk.discover()

    states = desk.states()
    assert "pending" == states["good"]
    assert states["odd"].startswith("dead: TypeError")


def test_a_file_name_that_is_no_text_is_cataloged(desk):
    """File systems hold any bytes; the session behind them can be read all the same."""
    folder = os.fsencode(desk.file("x").parent)
    path = Path(os.fsdecode(folder + b"/caf\xe9"))
    path.mkdir()
    (path / "one.log").write_text(json.dumps({"cwd": str(desk.app), "title": "half \ud83d"}) + "\n")

    desk.discover()

    assert 1 == desk.discover().unchanged
    assert (path / "one.log", "half ?") == (desk.catalog.find("one").path, desk.catalog.find("one").title)


def test_a_huge_inode_number_is_not_taken_for_a_change(desk):
    """Some file systems use all 64 bits, more than an integer column holds."""
    desk.write("one.log")
    plain = desk.agent.containers

    def huge(root):
        for container in plain(root):
            yield type(container)(container.agent, container.path, (*container.state[:2], 2**64 - 5))

    desk.agent.containers = huge
    desk.discover()

    assert 1 == desk.discover().unchanged


def test_a_scan_that_was_killed_goes_on_where_it_stopped(desk):
    """Every finished batch stays; the next scan does the rest."""
    for number in range(BATCH + 5):
        desk.write(f"s{number:03}.log")
    plain = desk.agent.read

    def killed(ref):
        if ref.run_id == f"s{BATCH + 2:03}":
            raise KeyboardInterrupt
        return plain(ref)

    desk.agent.read = killed
    with pytest.raises(KeyboardInterrupt):
        desk.discover()
    assert BATCH == desk.queue().counts()[SessionState.PENDING]

    desk.agent.read = plain
    assert (BATCH, 5) == ((found := desk.discover()).unchanged, found.new)
    assert BATCH + 5 == desk.queue().counts()[SessionState.PENDING]


# --- the window -------------------------------------------------------------------------------------------------------


def test_sessions_outside_the_window_come_back_when_it_widens(desk):
    """The window is on the last activity. Widening it reads no file again; narrowing it holds what did not run yet."""
    old, new = desk.write("old.log"), desk.write("new.log")
    for path, day in ((old, 1), (new, 20)):
        desk.touch(path, int(datetime(2026, 1, day, tzinfo=UTC).timestamp()))
    outside, inside = {"old": "skipped: outside the window", "new": "pending"}, {"old": "pending", "new": "pending"}

    desk.since = datetime(2026, 1, 10, tzinfo=UTC)
    desk.discover()
    assert outside == desk.states()

    desk.agent.reads.clear()
    desk.since = None
    desk.discover()
    assert inside == desk.states()

    desk.since = datetime(2026, 1, 10, tzinfo=UTC)
    desk.discover()
    assert outside == desk.states()
    assert [] == desk.agent.reads


def test_an_old_session_that_goes_on_is_inside_the_window(desk):
    """What counts is when it was last used, not when it began."""
    path = desk.write("old.log", started="2020-01-01T00:00:00Z")
    desk.touch(path, int(datetime(2020, 1, 1, tzinfo=UTC).timestamp()))
    desk.since = datetime(2026, 1, 10, tzinfo=UTC)
    desk.discover()

    desk.append(path, "and on it goes")
    desk.touch(path, int(datetime(2026, 1, 11, tzinfo=UTC).timestamp()))
    desk.discover()

    assert {"old": "pending"} == desk.states()


def test_a_database_used_today_does_not_make_all_its_sessions_new(desk):
    """A session seen for the first time in a database is as old as it says; one that changes there is active now."""
    desk.since = datetime(2026, 1, 10, tzinfo=UTC)
    path = desk.write_database("agent.db", a="1", b="1")
    desk.touch(path, int(datetime(2026, 2, 1, tzinfo=UTC).timestamp()))
    desk.discover()
    assert 2 == desk.queue().counts()[SessionState.SKIPPED]

    path = desk.write_database("agent.db", a="1", b="2")
    desk.touch(path, int(datetime(2026, 2, 2, tzinfo=UTC).timestamp()))
    desk.discover()

    assert {"a": "skipped: outside the window", "b": "pending"} == desk.states()


# --- copies -----------------------------------------------------------------------------------------------------------


def test_a_session_in_two_stores_is_one_session(desk):
    """The newer one is taken and the other noted; when the newer one goes, the older takes over."""
    old = desk.write("one.log", "hello")
    new = desk.write("again/one.log", "hello", "world")

    assert (1, 1) == ((found := desk.discover()).new, found.duplicates)
    assert new == desk.catalog.find("one").path
    assert {"one": "pending"} == desk.states()
    assert 2 == desk.discover().unchanged

    new.unlink()
    desk.discover()
    assert old == desk.catalog.find("one").path
    assert {"one": "pending"} == desk.states()


def test_a_copy_that_is_used_again_becomes_the_session(desk):
    """Whichever store the agent writes to now is the one that is read."""
    old = desk.write("one.log", "hello")
    desk.write("again/one.log", "hello", "world")
    desk.discover()

    desk.append(old, "more", "and more")
    desk.discover()

    assert old == desk.catalog.find("one").path
    assert 1 == len(desk.queue().list())


# --- finding, and facts -----------------------------------------------------------------------------------------------


def test_a_session_is_found_by_as_little_as_is_unique(desk):
    """By agent and run id, or the beginning of the run id; what is ambiguous is said."""
    for name in ("alpha-1", "alpha-2", "beta", "be"):
        desk.write(f"{name}.log")
    desk.discover()
    find = desk.catalog.find

    assert "alpha-1" == find("fake/alpha-1").run_id == find("alpha-1").run_id
    assert ("be", "beta") == (find("be").run_id, find("bet").run_id)
    with pytest.raises(Conflict, match="fake/alpha-1, fake/alpha-2"):
        find("alpha")
    for name in ("gamma", "other/beta", ""):
        with pytest.raises(NotFound):
            find(name)


def test_reading_a_session_tells_what_it_amounts_to(desk):
    """Turns, tool calls and errors are counted; later directories are noted beside the first."""
    desk.write("one.log")
    desk.discover()
    header = Header(agent="fake", run_id="one", cwd=str(desk.app), title="Named later")
    lines = [
        User(text="go", at="2026-01-01T00:00:05Z"),
        User(text="no, stop", undone=True),
        ToolCall(text="ls", tool="bash", call="1"),
        ToolResult(text="", call="1", ok=False),
        ToolResult(text="", call="2", exit_code=1),
        ToolResult(text="", call="3", ok=True, exit_code=1),
        Moved(text="/elsewhere"),
        Moved(text=str(desk.app)),
        Event(text="overloaded", kind=Happening.ERROR, at="2026-01-01T00:00:04Z"),
    ]
    session = desk.catalog.find("one")

    desk.catalog.note(session.id, describe(Reading(header, iter(lines), Account(input_tokens=7, output_tokens=3))))
    session = desk.catalog.find("one")

    assert (1, 1, 3) == (session.turns, session.tool_calls, session.errors)
    assert ("2026-01-01T00:00:05Z", ("/elsewhere",)) == (session.ended, session.other_cwds)
    assert (7, 3, "Named later") == (session.input_tokens, session.output_tokens, session.title)


@pytest.mark.parametrize(
    ("state", "has_project", "is_ingested", "expected"),
    [
        (SessionState.DONE, True, False, SessionState.PENDING),
        (SessionState.DONE, True, True, SessionState.DONE),
        (SessionState.DEAD, True, False, SessionState.PENDING),
        (SessionState.FAILED, True, False, SessionState.FAILED),
        (SessionState.SKIPPED, True, False, SessionState.PENDING),
        (SessionState.SKIPPED, False, False, SessionState.SKIPPED),
    ],
)
def test_where_a_changed_session_goes(state, has_project, is_ingested, expected):
    """The table of what a change does to each state."""
    assert expected == next_state(state, has_project=has_project, is_ingested=is_ingested)
