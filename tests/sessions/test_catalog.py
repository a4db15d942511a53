"""The catalog: kinds of changes on disk; the window; copies; and what a scan costs."""

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


def test_a_new_session_is_cataloged_with_its_facts(laptop):
    """One look gives everything the header says, and queues the session."""
    path = laptop.write("one.log", "hello", branch="main", title="First", started="2026-01-01T00:00:00Z", model="m1")

    found = laptop.discover()
    session = laptop.catalog.find("one")

    assert (1, 1, 0) == (found.containers, found.new, found.unchanged)
    assert (path, SessionState.PENDING, "prj-app", laptop.app) == (
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


def test_an_unchanged_session_is_not_opened(laptop):
    """A second look costs a stat and reads nothing."""
    laptop.write("one.log")
    laptop.discover()
    laptop.agent.reads.clear()

    found = laptop.discover()

    assert (1, 1, 0) == (found.containers, found.unchanged, found.new)
    assert [] == laptop.agent.reads


def test_a_session_that_grew_goes_back_in_the_queue(laptop):
    """What was added is waiting; what was ingested before counts as ingested."""
    path = laptop.write("one.log", "hello")
    laptop.discover()
    laptop.work_off()

    laptop.append(path, "more")
    found = laptop.discover()

    assert (1, 0) == (found.grown, found.rewritten)
    assert {"one": "pending"} == laptop.states()
    assert not laptop.catalog.find("one").rewritten


@pytest.mark.parametrize("how", ["shrunk", "edited", "replaced"])
def test_a_rewritten_session_is_known_as_such(laptop, how):
    """Shorter, different in its earlier part, or another file under the same name."""
    path = laptop.write("one.log", "hello", "world")
    laptop.discover()
    laptop.work_off()

    text = path.read_text()
    if how == "replaced":
        path.rename(path.with_suffix(".bak"))
    path.write_text(
        {"shrunk": text[:-6], "edited": text.replace("hello", "HELLO") + "x\n", "replaced": text + "x\n"}[how]
    )
    laptop.touch(path)
    found = laptop.discover()

    assert (0, 1) == (found.grown, found.rewritten)
    assert laptop.catalog.find("one").rewritten
    assert ["one"] == laptop.work_off()
    assert not laptop.catalog.find("one").rewritten


def test_a_touched_or_restored_file_is_not_ingested_again(laptop):
    """A new time, or a new inode with the same content, is no change of the session."""
    path = laptop.write("one.log", "hello")
    laptop.discover()
    laptop.work_off()

    laptop.touch(path)
    copy = path.with_suffix(".tmp")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    found = laptop.discover()

    assert (0, 0, 0, 0) == (found.new, found.grown, found.rewritten, found.changed)
    assert {"one": "done"} == laptop.states()


def test_a_vanished_session_is_reported_and_comes_back(laptop):
    """A session that was not ingested waits for its file; one that was stays ingested."""
    old, new = laptop.write("old.log"), laptop.write("new.log")
    laptop.discover()
    job = laptop.queue().claim("w")
    laptop.queue().complete(job)

    for path in (old, new):
        path.rename(path.with_suffix(".away"))
    assert 2 == laptop.discover().vanished
    assert {"old": "done", "new": "skipped: its file is gone"} == laptop.states()
    assert 0 == laptop.discover().vanished

    for path in (old, new):
        path.with_suffix(".away").rename(path)
    laptop.discover()
    assert {"old": "done", "new": "pending"} == laptop.states()


def test_a_moved_file_is_the_same_session(laptop):
    """Archiving a session elsewhere under the same root does not ingest it again."""
    path = laptop.write("one.log", "hello")
    laptop.discover()
    laptop.work_off()

    target = laptop.file("archive/one.log")
    path.rename(target)
    laptop.discover()

    assert {"one": "done"} == laptop.states()
    assert target == laptop.catalog.find("one").path


def test_a_root_that_cannot_be_read_loses_nothing(laptop):
    """A folder without permission says nothing about what is in it: sessions are not declared gone."""
    laptop.write("one.log")
    laptop.discover()

    def refuse(root):
        raise PermissionError(13, "Permission denied", str(root))
        yield

    laptop.agent.containers = refuse
    found = laptop.discover()

    assert 0 == found.vanished
    assert 2 == len(found.troubles)
    assert {"one": "pending"} == laptop.states()


def test_a_busy_database_does_not_requeue_all_of_its_sessions(laptop):
    """Only the session whose fingerprint changed is read and queued again."""
    laptop.write_database("agent.db", a="1", b="1", c="1")
    laptop.discover()
    laptop.work_off()
    laptop.agent.reads.clear()

    laptop.write_database("agent.db", a="1", b="2", c="1", d="1")
    found = laptop.discover()

    assert (1, 1) == (found.new, found.changed)
    assert {"a": "done", "b": "pending", "c": "done", "d": "pending"} == laptop.states()
    assert ["b", "d"] == sorted(laptop.agent.reads)


def test_a_session_deleted_inside_a_database_is_gone(laptop):
    """The database lives on; the session is reported as vanished."""
    laptop.write_database("agent.db", a="1", b="1")
    laptop.discover()

    laptop.write_database("agent.db", a="1")
    found = laptop.discover()

    assert 1 == found.vanished
    assert {"a": "pending", "b": "skipped: its file is gone"} == laptop.states()


def test_a_database_that_is_locked_now_is_read_next_time(laptop):
    """What could not be listed is reported, and looked at again without having changed."""
    path = laptop.write_database("agent.db", a="1")
    text, stat = path.read_text(), path.stat()
    path.write_text("x" * len(text))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    (trouble,) = laptop.discover().troubles
    path.write_text(text)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    assert f"{path} is locked" == trouble.reason
    assert () == laptop.discover().troubles
    assert {"a": "pending"} == laptop.states()


def test_a_session_that_cannot_be_read_fails_with_its_error_until_it_can(laptop):
    """It is dead in the queue, is looked at again with every scan, and stops nobody else."""
    laptop.write("good.log")
    path = laptop.write("bad.log")
    good = path.read_bytes()
    path.write_text("no json\n")

    for _ in range(2):
        (trouble,) = laptop.discover().troubles
        assert f"cannot read {path}: no header" == trouble.reason
    assert {"good": "pending", "bad": f"dead: cannot read {path}: no header"} == laptop.states()

    path.write_bytes(good)
    laptop.discover()
    assert {"good": "pending", "bad": "pending"} == laptop.states()


def test_a_session_that_was_damaged_and_restored_is_as_ingested_as_before(laptop):
    """Nothing of it is new, so nothing is to be done."""
    path = laptop.write("one.log", "hello")
    good = path.read_bytes()
    laptop.discover()
    laptop.work_off()

    path.write_text("no json\n")
    laptop.discover()
    path.write_bytes(good)
    laptop.discover()

    assert {"one": "done"} == laptop.states()
    assert not laptop.catalog.find("one").rewritten


def test_a_reader_that_breaks_costs_only_its_file(laptop):
    """Even a bug in a source is recorded against the file that meets it."""
    laptop.write("good.log")
    laptop.write("odd.log", surprise="an unexpected key")

    laptop.discover()

    states = laptop.states()
    assert "pending" == states["good"]
    assert states["odd"].startswith("dead: TypeError")


def test_a_file_name_that_is_no_text_is_cataloged(laptop):
    """File systems hold any bytes; the session behind them can be read all the same."""
    folder = os.fsencode(laptop.file("x").parent)
    path = Path(os.fsdecode(folder + b"/caf\xe9"))
    path.mkdir()
    (path / "one.log").write_text(json.dumps({"cwd": str(laptop.app), "title": "half \ud83d"}) + "\n")

    laptop.discover()

    assert 1 == laptop.discover().unchanged
    assert (path / "one.log", "half ?") == (laptop.catalog.find("one").path, laptop.catalog.find("one").title)


def test_a_huge_inode_number_is_not_taken_for_a_change(laptop):
    """Some file systems use all 64 bits, more than an integer column holds."""
    laptop.write("one.log")
    plain = laptop.agent.containers

    def huge(root):
        for container in plain(root):
            yield type(container)(container.agent, container.path, (*container.state[:2], 2**64 - 5))

    laptop.agent.containers = huge
    laptop.discover()

    assert 1 == laptop.discover().unchanged


def test_a_scan_that_was_killed_goes_on_where_it_stopped(laptop):
    """Every finished batch stays; the next scan does the rest."""
    for number in range(BATCH + 5):
        laptop.write(f"s{number:03}.log")
    plain = laptop.agent.read

    def killed(ref):
        if ref.run_id == f"s{BATCH + 2:03}":
            raise KeyboardInterrupt
        return plain(ref)

    laptop.agent.read = killed
    with pytest.raises(KeyboardInterrupt):
        laptop.discover()
    assert BATCH == laptop.queue().counts()[SessionState.PENDING]

    laptop.agent.read = plain
    assert (BATCH, 5) == ((found := laptop.discover()).unchanged, found.new)
    assert BATCH + 5 == laptop.queue().counts()[SessionState.PENDING]


# --- the window -------------------------------------------------------------------------------------------------------


def test_sessions_outside_the_window_come_back_when_it_widens(laptop):
    """The window is on the last activity. Widening it reads no file again; narrowing it holds what did not run yet."""
    old, new = laptop.write("old.log"), laptop.write("new.log")
    for path, day in ((old, 1), (new, 20)):
        laptop.touch(path, int(datetime(2026, 1, day, tzinfo=UTC).timestamp()))
    outside, inside = {"old": "skipped: outside the window", "new": "pending"}, {"old": "pending", "new": "pending"}

    laptop.since = datetime(2026, 1, 10, tzinfo=UTC)
    laptop.discover()
    assert outside == laptop.states()

    laptop.agent.reads.clear()
    laptop.since = None
    laptop.discover()
    assert inside == laptop.states()

    laptop.since = datetime(2026, 1, 10, tzinfo=UTC)
    laptop.discover()
    assert outside == laptop.states()
    assert [] == laptop.agent.reads


def test_an_old_session_that_goes_on_is_inside_the_window(laptop):
    """What counts is when it was last used, not when it began."""
    path = laptop.write("old.log", started="2020-01-01T00:00:00Z")
    laptop.touch(path, int(datetime(2020, 1, 1, tzinfo=UTC).timestamp()))
    laptop.since = datetime(2026, 1, 10, tzinfo=UTC)
    laptop.discover()

    laptop.append(path, "and on it goes")
    laptop.touch(path, int(datetime(2026, 1, 11, tzinfo=UTC).timestamp()))
    laptop.discover()

    assert {"old": "pending"} == laptop.states()


def test_a_database_used_today_does_not_make_all_its_sessions_new(laptop):
    """A session seen for the first time in a database is as old as it says; one that changes there is active now."""
    laptop.since = datetime(2026, 1, 10, tzinfo=UTC)
    path = laptop.write_database("agent.db", a="1", b="1")
    laptop.touch(path, int(datetime(2026, 2, 1, tzinfo=UTC).timestamp()))
    laptop.discover()
    assert 2 == laptop.queue().counts()[SessionState.SKIPPED]

    path = laptop.write_database("agent.db", a="1", b="2")
    laptop.touch(path, int(datetime(2026, 2, 2, tzinfo=UTC).timestamp()))
    laptop.discover()

    assert {"a": "skipped: outside the window", "b": "pending"} == laptop.states()


# --- copies -----------------------------------------------------------------------------------------------------------


def test_a_session_in_two_stores_is_one_session(laptop):
    """The newer one is taken and the other noted; when the newer one goes, the older takes over."""
    old = laptop.write("one.log", "hello")
    new = laptop.write("again/one.log", "hello", "world")

    assert (1, 1) == ((found := laptop.discover()).new, found.duplicates)
    assert new == laptop.catalog.find("one").path
    assert {"one": "pending"} == laptop.states()
    assert 2 == laptop.discover().unchanged

    new.unlink()
    laptop.discover()
    assert old == laptop.catalog.find("one").path
    assert {"one": "pending"} == laptop.states()


def test_a_copy_that_is_used_again_becomes_the_session(laptop):
    """Whichever store the agent writes to now is the one that is read."""
    old = laptop.write("one.log", "hello")
    laptop.write("again/one.log", "hello", "world")
    laptop.discover()

    laptop.append(old, "more", "and more")
    laptop.discover()

    assert old == laptop.catalog.find("one").path
    assert 1 == len(laptop.queue().list())


# --- finding, and facts -----------------------------------------------------------------------------------------------


def test_a_session_is_found_by_as_little_as_is_unique(laptop):
    """By agent and run id, or the beginning of the run id; what is ambiguous is refused."""
    for name in ("alpha-1", "alpha-2", "beta", "be"):
        laptop.write(f"{name}.log")
    laptop.discover()
    find = laptop.catalog.find

    assert "alpha-1" == find("fake/alpha-1").run_id == find("alpha-1").run_id
    assert ("be", "beta") == (find("be").run_id, find("bet").run_id)
    with pytest.raises(Conflict, match="fake/alpha-1, fake/alpha-2"):
        find("alpha")
    for name in ("gamma", "other/beta", ""):
        with pytest.raises(NotFound):
            find(name)


def test_reading_a_session_gives_what_it_amounts_to(laptop):
    """Turns, tool calls and errors are counted; later directories are noted beside the first."""
    laptop.write("one.log")
    laptop.discover()
    header = Header(agent="fake", run_id="one", cwd=str(laptop.app), title="Named later")
    lines = [
        User(text="go", at="2026-01-01T00:00:05Z"),
        User(text="no, stop", undone=True),
        ToolCall(text="ls", tool="bash", call="1"),
        ToolResult(text="", call="1", ok=False),
        ToolResult(text="", call="2", exit_code=1),
        ToolResult(text="", call="3", ok=True, exit_code=1),
        Moved(text="/elsewhere"),
        Moved(text=str(laptop.app)),
        Event(text="overloaded", kind=Happening.ERROR, at="2026-01-01T00:00:04Z"),
    ]
    session = laptop.catalog.find("one")

    laptop.catalog.note(session.id, describe(Reading(header, iter(lines), Account(input_tokens=7, output_tokens=3))))
    session = laptop.catalog.find("one")

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
