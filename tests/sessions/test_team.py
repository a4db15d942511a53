"""What machines share: traces that are uploaded once, whatever happens, and a queue that any worker takes from."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from lerim.dataclass import replace
from lerim.errors import Conflict, NotFound, SourceError
from lerim.sessions.archive import Archived, archive
from lerim.sessions.session import Session, SessionState
from lerim.sessions.team import TeamSessions
from lerim.sessions.traces import PIECE, CutTrace
from lerim.sources.base import Account, Reading
from lerim.sources.trace import Header, User


class SharingMachine:
    """A machine that archives and uploads, and may be a worker."""

    def __init__(self, folder: Path, database: Any, name: str) -> None:
        self.folder = folder / name
        self.team = TeamSessions(database, name, lambda project_id: self.folder / project_id)

    def upload(self, run_id: str, *said: str, project_id: str = "prj-app", title: str | None = None) -> bool:
        header = Header(agent="fake", run_id=run_id, cwd="/app", started="2026-01-01T00:00:00Z", title=title)
        reading = Reading(header, [User(text=text) for text in said], Account())
        archived = archive(reading, self.folder / "archive" / f"{run_id}.jsonl")
        return self.team.upload(_session(run_id, project_id), archived).is_news

    def take(self, worker: str = "w") -> str:
        """Claim what is next, read it and complete it: what its users said."""
        job = self.team.queue.claim(worker)
        assert job is not None
        archived = self.team.read(job.session)
        self.team.complete(job, archived)
        return said_in(archived.path)


def said_in(path: Path) -> str:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return " ".join(line["text"] for line in lines if line["type"] == "user")


def _session(run_id: str, project_id: str) -> Session:
    nothing: dict[str, Any] = dict.fromkeys(
        ("reason", "branch", "model", "version", "title", "started", "ended", "turns", "tool_calls", "errors")
    )
    rest: dict[str, Any] = dict.fromkeys(("input_tokens", "output_tokens", "size", "parent", "forked_from"))
    return Session(
        id=1,
        agent="fake",
        run_id=run_id,
        path=Path("/x"),
        state=SessionState.RUNNING,
        project_id=project_id,
        project_root=Path("/app"),
        cwd="/app",
        other_cwds=(),
        active="2026-01-01T00:00:00Z",
        fingerprint="local",
        rewritten=False,
        gone=False,
        attempts=1,
        deaths=0,
        **nothing,
        **rest,
    )


@pytest.fixture
def laptop(tmp_path, sessions_database):
    return SharingMachine(tmp_path, sessions_database, "laptop")


@pytest.fixture
def server(tmp_path, sessions_database):
    return SharingMachine(tmp_path, sessions_database, "server")


def pieces(database) -> int:
    with database.read() as tx:
        return tx.row("SELECT count(*) FROM pieces")[0]


def test_any_machine_reads_what_another_one_uploaded(laptop, server):
    assert laptop.upload("one", "use pnpm here")

    assert "use pnpm here" == server.take()
    assert SessionState.DONE == server.team.find("fake/one").state


def test_the_same_upload_twice_takes_effect_once(laptop, server, sessions_database):
    laptop.upload("one", "use pnpm here")
    server.take()

    assert not laptop.upload("one", "use pnpm here")
    assert server.team.queue.claim("w") is None
    assert 2 == pieces(sessions_database)


def test_a_session_that_grew_comes_back_and_sends_what_is_new(laptop, server, sessions_database):
    long = [f"{number:x>1000}" for number in range(PIECE // 500)]
    laptop.upload("one", *long)
    before = pieces(sessions_database)
    server.take()

    assert laptop.upload("one", *long, "and one more", title="it has a title by now")
    assert server.take().endswith(f"{long[-1]} and one more")
    assert before == pieces(sessions_database)
    assert not server.team.find("fake/one").rewritten


def test_what_grows_while_a_worker_is_at_it_is_taken_again(laptop, server):
    laptop.upload("one", "first")
    job = server.team.queue.claim("w")
    archived = server.team.read(job.session)
    laptop.upload("one", "first", "second")

    assert SessionState.PENDING == server.team.complete(job, archived)
    assert "first second" == server.take()


def test_a_worker_may_read_the_trace_it_claimed_although_the_session_grew(laptop, server):
    laptop.upload("one", "first")
    job = server.team.queue.claim("w")
    laptop.upload("one", "first", "second")

    assert "first" == said_in(server.team.read(job.session).path)


def test_what_an_agent_rewrote_is_kept_as_it_was_cited(laptop, server, tmp_path, sessions_database):
    laptop.upload("one", "the old words")
    server.take()
    laptop.upload("one", "other words")
    server.take()

    elsewhere = SharingMachine(tmp_path, sessions_database, "third")
    path = elsewhere.team.fetch("prj-app", "fake", "one")
    assert ("other words", "the old words") == (said_in(path), said_in(path.with_name("one.1.jsonl")))
    assert server.team.find("fake/one").state is SessionState.DONE


def test_a_copy_on_another_machine_counts_when_it_says_more(laptop, tmp_path, sessions_database):
    other = SharingMachine(tmp_path, sessions_database, "desk")
    laptop.upload("one", "a", "b")

    assert not other.upload("one", "a", "B")
    assert other.upload("one", "a", "B", "c")
    assert not laptop.upload("one", "a", "b")
    assert "a B c" == other.take()


def test_an_upload_goes_on_where_a_killed_one_ended(laptop, server, sessions_database, monkeypatch):
    long = [f"{number:y>1000}" for number in range(PIECE // 250)]
    cut = _cut(laptop, long)
    sent = laptop.team.traces.send("prj-app", replace(cut, pieces=cut.pieces[:2]))
    assert (2, 2) == (sent, pieces(sessions_database))

    assert len(cut.pieces) - 2 == laptop.team.traces.send("prj-app", cut)
    assert laptop.upload("one", *long)
    assert len(long) == server.take().count(" ") + 1


def _cut(machine: SharingMachine, said: list[str]) -> CutTrace:
    header = Header(agent="fake", run_id="one", cwd="/app", started="2026-01-01T00:00:00Z")
    path = archive(Reading(header, [User(text=text) for text in said], Account()), machine.folder / "cut.jsonl").path
    return CutTrace.of(path.read_bytes())


def test_pieces_of_abandoned_uploads_are_swept_after_a_while(laptop, sessions_database):
    laptop.upload("one", "kept")
    laptop.team.traces.send("prj-app", CutTrace.of(b"{}\n"))
    assert 0 == laptop.team.traces.sweep()
    with sessions_database.write() as tx:
        tx.run("UPDATE pieces SET at = 0")

    assert 1 == laptop.team.traces.sweep()
    assert 2 == pieces(sessions_database)


@pytest.mark.parametrize(
    "content",
    [b"no json\n", b'{"type": "user", "text": "no header"}\n', b"[]\n", b'{"type": "session", "agent": "x"}\n'],
)
def test_what_is_no_trace_of_the_session_fails_it(laptop, server, tmp_path, content):
    path = tmp_path / "forged.jsonl"
    path.write_bytes(content)
    header = Header(agent="fake", run_id="one", cwd="/app")
    good = archive(Reading(header, [User(text="hello")], Account()), tmp_path / "good.jsonl")
    laptop.team.upload(_session("one", "prj-app"), replace(good, path=path))

    with pytest.raises(SourceError):
        server.team.read(server.team.queue.claim("w").session)


def test_another_sessions_trace_is_no_evidence_of_this_one(laptop, server, tmp_path):
    other = Reading(Header(agent="fake", run_id="other", cwd="/app"), [User(text="hello")], Account())
    laptop.team.upload(_session("one", "prj-app"), archive(other, tmp_path / "other.jsonl"))

    with pytest.raises(SourceError, match="another session's"):
        server.team.read(server.team.queue.claim("w").session)


def test_a_piece_that_unpacks_without_end_is_refused(laptop, server, sessions_database):
    laptop.upload("one", "hello")
    with sessions_database.write() as tx:
        tx.run("UPDATE pieces SET content = ?", (zlib.compress(b"0" * (40 << 20)),))

    with pytest.raises(SourceError, match="too large"):
        server.team.read(server.team.queue.claim("w").session)


def test_a_damaged_trace_is_not_read(laptop, server, sessions_database):
    laptop.upload("one", "hello")
    with sessions_database.write() as tx:
        tx.run("UPDATE pieces SET content = ?", (zlib.compress(b"{}"),))

    with pytest.raises(SourceError, match="damaged"):
        server.team.read(server.team.queue.claim("w").session)


def test_what_was_ingested_stays_in_its_project(laptop, server):
    laptop.upload("one", "a")
    server.take()
    laptop.upload("one", "a", "b", project_id="prj-other")

    assert "prj-app" == server.team.find("fake/one").project_id
    assert "a b" == server.take()


def test_a_failed_session_keeps_its_wait_when_it_grows(laptop, server):
    laptop.upload("one", "a")
    server.team.queue.fail(server.team.queue.claim("w"), "no model")
    laptop.upload("one", "a", "b")

    assert SessionState.FAILED == server.team.find("fake/one").state


def test_what_nobody_uploaded_is_not_found(laptop):
    with pytest.raises(NotFound):
        laptop.team.fetch("prj-app", "fake", "none")
    with pytest.raises(NotFound):
        laptop.team.find("fake/none")


def test_a_worker_that_lost_its_session_completes_nothing(laptop, server):
    laptop.upload("one", "a")
    job = server.team.queue.claim("w")
    archived = server.team.read(job.session)
    server.team.queue.release(job)

    with pytest.raises(Conflict):
        server.team.complete(job, archived)
    assert isinstance(archived, Archived)
