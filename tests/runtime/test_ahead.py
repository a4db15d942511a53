"""Sessions that other processes read ahead: the same memories in the same order, whoever reads, dies or is late."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.dataclass import replace
from lerim.examples import install
from lerim.house.workforce import LEAST_SESSIONS
from lerim.ingest.transcript import Transcript
from lerim.runtime.ahead import Ahead, ReadAhead, fitting_jobs
from lerim.service import Lerim
from lerim.sessions.archive import ReadTrace
from lerim.sessions.facts import Tally
from lerim.sessions.room import TraceAhead
from lerim.sources.base import Account
from lerim.sources.trace import Assistant, Header, User, encode_all

TOLD = "From now on always put the {} fixtures into conftest.py, because other test files do not find them."
NOW = datetime.now(UTC)
THINGS = ("sail", "rope", "anchor", "lamp", "chart", "pump", "buoy", "winch", "compass")


def trace(thing: str, run_id: str = "s-1") -> bytes:
    lines = encode_all(Header(agent="claude", run_id=run_id), [User(text=TOLD.format(thing)), Assistant(text="Done.")])
    return "".join(f"{line}\n" for line in lines).encode()


def ahead_of(trace: bytes) -> TraceAhead:
    account = Account()
    facts = Tally(Header(agent="claude", run_id="s-1")).facts(account)
    return TraceAhead(ReadTrace(trace, facts, account), None, frozenset())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return furnished(tmp_path)


def furnished(home: Path) -> Path:
    """A home with a project in which more was said than is worth reading one by one."""
    project = home / "berths"
    project.mkdir(parents=True)
    install(home, project, NOW)
    with Lerim(project, env=env_of(home)) as lerim:
        lerim.setup.init()
        for number, thing in enumerate(THINGS):
            file = home / f"told-{number}.jsonl"
            file.write_bytes(trace(thing, f"told-{number}"))
            lerim.traces.find(str(file), project)
    return home


def env_of(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "LERIM_HOME": str(home / ".lerim")}


def nobody(session_id: int) -> TraceAhead | None:
    """Nothing is read here."""
    return None


def test_what_was_read_ahead_counts_for_the_very_same_trace_only(tmp_path):
    found = ReadAhead.of(ahead_of(trace("sail")))
    (tmp_path / "same.jsonl").write_bytes(trace("sail"))
    (tmp_path / "grown.jsonl").write_bytes(trace("sail") + b'{"type":"user","text":"No, not any more."}\n')
    assert found.is_of(tmp_path / "same.jsonl") and not found.is_of(tmp_path / "grown.jsonl")
    assert [candidate.title for candidate in (*found.extraction.candidates, *found.extraction.review)]
    assert Transcript.parse(trace("sail")) == Transcript.read(tmp_path / "same.jsonl")


@pytest.mark.drill
def test_the_helpers_change_nothing_but_who_reads(tmp_path):
    """The same sessions in the same order leave the same records, candidates and reasons."""
    outcomes = []
    for jobs in (1, 2):
        home = furnished(tmp_path / f"jobs-{jobs}")
        with Lerim(home / "berths", env=env_of(home)) as lerim:
            taken = [(t.session.name, t.state, t.reason) for t in lerim.sync(jobs=jobs)]
            records = [(kept.record.title, kept.record.body) for kept in lerim.memory.select()]
            waiting = [(one.candidate.title, one.candidate.session) for one in lerim.review.select()]
        outcomes.append((taken, sorted(records), sorted(waiting)))
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0][0]) >= LEAST_SESSIONS and len(outcomes[0][1]) >= LEAST_SESSIONS


def test_helpers_find_what_a_worker_would(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        session = lerim.sessions.queue.due()[0]
        archived = lerim.sessions.read(session)
        with Ahead([session.id], 1, home / "berths", env_of(home), nobody) as ahead:
            found = ahead.found(session.id, archived.path)
        assert found is not None and found == ReadAhead.of(lerim.sessions.read_ahead(session))
        assert found.trace.read.trace == archived.path.read_bytes()


def test_who_waits_for_a_helper_reads_another_one_meanwhile(home):
    """The last of those that wait is read here, the very same; what no helper has begun is for nobody to wait for."""
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        first, second, third = lerim.sessions.queue.due()[:3]
        archived = {one.id: lerim.sessions.read(one).path for one in (first, second, third)}
        read_here: list[int] = []

        def trace_of(session_id: int) -> bytes | None:
            read_here.append(session_id)
            return lerim.workforce.trace_ahead(session_id)

        with Ahead(list(archived), 1, home / "berths", env_of(home), trace_of) as ahead:
            while not ahead._helpers:
                time.sleep(0.01)
            found = [ahead.found(session_id, path) for session_id, path in archived.items()]
        assert found[0] == ReadAhead.of(lerim.sessions.read_ahead(first))
        assert read_here[0] == third.id and found[2] == ReadAhead.of(lerim.sessions.read_ahead(third))


def test_a_session_that_was_read_ahead_is_kept_as_if_it_were_read_now(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        for session in lerim.sessions.queue.due():
            ahead = lerim.sessions.read_ahead(session)
            read = lerim.sessions.read(session)
            trace = read.path.read_bytes()
            read.path.unlink()
            assert (lerim.sessions.read(session, ahead), read.path.read_bytes()) == (read, trace)


def test_what_was_read_ahead_is_read_again_when_its_file_changed(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        session = next(one for one in lerim.sessions.queue.due() if one.run_id == "told-0")
        ahead = lerim.sessions.read_ahead(session)
        assert ahead.source is not None
        state = session.path.stat()
        session.path.write_bytes(session.path.read_bytes().replace(b"sail", b"hull"))
        # A clock that stands still hides nothing.
        os.utime(session.path, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert b"hull" in lerim.sessions.read(session, ahead).path.read_bytes()


def test_what_was_read_ahead_is_read_again_when_another_session_gave_its_lines_meanwhile(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        first = next(one for one in lerim.sessions.queue.due() if one.agent == "claude")
        twin = first.path.with_name("77777777-0000-4000-8000-000000000000.jsonl")
        twin.write_bytes(first.path.read_bytes().replace(first.path.stem.encode(), twin.stem.encode()))
        lerim.sessions.discover()
        second = lerim.sessions.find(f"claude/{twin.stem}")
        ahead = lerim.sessions.read_ahead(second)
        lerim.ingest(first)
        kept = lerim.sessions.read(second, ahead)
        assert kept.lines < ahead.read.trace.count(b"\n")
        assert lerim.sessions.read_ahead(second).copied


def test_as_many_read_as_what_is_due_is_worth(home):
    """A few small sessions are read sooner by one process; of many none takes the whole machine."""
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        due = lerim.sessions.queue.due()
        assert fitting_jobs(due) == 1 and lerim.workforce.helpers(due, None) is None
        large = [replace(session, size=50_000_000) for session in due]
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        assert fitting_jobs(large) == min(4, usable)


def test_a_session_that_nobody_can_read_is_left_to_the_worker(home):
    with Ahead([99_999], 1, home / "berths", env_of(home), nobody) as ahead:
        assert ahead.found(99_999, home / "nothing.jsonl") is None
        assert ahead.found(7, home / "nothing.jsonl") is None


def test_no_helper_is_started_for_a_handful_of_sessions(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        due = lerim.sessions.queue.due()
        assert lerim.workforce.helpers(due[: LEAST_SESSIONS - 1], 4) is None
        assert lerim.workforce.helpers(due, 1) is None


def test_a_helper_ends_with_its_input():
    """Whoever started it may be killed: nothing is left behind."""
    program = "from lerim.runtime.ahead import run_helper; run_helper(lambda session: None)"
    done = subprocess.run([sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_helpers_that_die_are_missed_by_nobody(home):
    with Lerim(home / "berths", env=env_of(home)) as lerim:
        session = lerim.sessions.queue.due()[0]
        archived = lerim.sessions.read(session)
        with Ahead([session.id], 1, home / "berths", env_of(home), nobody) as ahead:
            while not ahead._helpers:
                time.sleep(0.01)
            ahead._helpers[0].send_signal(signal.SIGKILL)
            assert ahead.found(session.id, archived.path) is None
