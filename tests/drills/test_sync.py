"""`lerim sync` under bad conditions: killed, interrupted, in a crowd, on changing files. Nothing is lost or twice."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.context.filters import ANY
from lerim.context.records import Draft, Primitive
from lerim.examples import install
from lerim.examples.sessions import SESSIONS
from lerim.runtime.runs.folder import RunStatus
from lerim.service import Lerim
from lerim.sessions.queue import Rules
from lerim.sessions.session import Session

HERE = Path(__file__).parent
COMMAND = "import sys; from lerim.cli.main import main; sys.exit(main(sys.argv[1:]))"
CLAUDE = "3f0a6c1e"
CODEX = "019e8f41"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Box:
    """A home with agents' sessions, and a project they were held in."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str] | None) -> None:
        self.folder = folder
        self.project = folder / "berths"
        self.env = {"HOME": str(folder), "LERIM_HOME": str(folder / ".lerim")}
        self._capsys = capsys
        self.project.mkdir()

    def type(self, *argv: str) -> Done:
        """A command, in this process."""
        assert self._capsys is not None
        self._capsys.readouterr()
        code = main(argv)
        said = self._capsys.readouterr()
        return Done(code, said.out, said.err)

    def ok(self, *argv: str) -> Done:
        done = self.type(*argv)
        assert 0 == done.code, done.out + done.err
        return done

    def start(self, *argv: str, cwd: Path | None = None, command: str = COMMAND) -> subprocess.Popen[str]:
        """A command in a process of its own, with its words as they come."""
        return subprocess.Popen(
            [sys.executable, "-u", "-c", command, *argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd or self.project,
            env={**os.environ, **self.env},
        )

    def file(self, name: str) -> Path:
        """The file of an example session."""
        return next(path for folder in (".claude", ".codex") for path in (self.folder / folder).rglob(f"*{name}*"))

    def keep(self, *names: str) -> None:
        """Only these sessions; the others are deleted."""
        for folder in (".claude", ".codex", ".gemini", ".pi"):
            for path in (self.folder / folder).rglob("*.json*"):
                if not any(name in path.name for name in names):
                    path.unlink()

    def memories(self, project: Path | None = None) -> Counter[tuple[str, str]]:
        with Lerim(project or self.project, env=self.env) as lerim:
            records = [kept.record for kept in lerim.memory.select(ANY)]
        return Counter((str(record.primitive), record.title) for record in records)

    def sessions(self) -> dict[str, Session]:
        """What the catalog says, by the beginning of the run id; nothing is looked for anew."""
        with Lerim(self.project, env=self.env) as lerim:
            return {session.run_id[:8]: session for session in lerim.sessions.queue.list()}

    def wait_is_over(self) -> None:
        """As if the time until the next attempt had passed."""
        with sqlite3.connect(self.folder / ".lerim" / "index" / "sessions.sqlite3") as database:
            database.execute("UPDATE sessions SET due = 0")
        database.close()

    def is_sound(self) -> None:
        self.ok("memory", "check")
        self.ok("audit")

    def runs(self, project: Path | None = None) -> list[RunStatus]:
        with Lerim(project or self.project, env=self.env) as lerim:
            return [run.status for run in lerim.runs.list()]


@pytest.fixture
def box(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Box:
    box = Box(tmp_path.resolve(), capsys)
    monkeypatch.delenv("LERIM_CONFIG", raising=False)
    for name, value in box.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(box.project)
    install(box.folder, box.project, datetime.now(UTC))
    box.ok("init", "--no-sync")
    return box


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Counter[tuple[str, str]]:
    """What a sync of the first Claude session and the first Codex session leaves, wherever and whenever it is."""
    folder = tmp_path_factory.mktemp("undisturbed").resolve()
    box = Box(folder, None)
    install(folder, box.project, datetime.now(UTC))
    box.keep(CLAUDE, CODEX)
    with Lerim(box.project, env=box.env) as lerim:
        lerim.setup.init()
        assert {"done"} == {str(taken.state) for taken in lerim.sync()}
    left = box.memories()
    assert len(left) > 3
    return left


@pytest.fixture
def expected(box: Box, undisturbed: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Only those two sessions are there, and nothing is taken yet."""
    box.keep(CLAUDE, CODEX)
    return undisturbed


def ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).strftime("%Y-%m-%d")


def append(file: Path, words: str) -> None:
    """The user goes on in a Claude Code session."""
    last = json.loads(file.read_text("utf-8").splitlines()[-1])
    more = {**last, "type": "user", "uuid": f"more-{len(words)}", "parentUuid": last.get("uuid")}
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps({**more, "message": {"role": "user", "content": words}}) + "\n")


# --- killed -----------------------------------------------------------------------------------------------------------


@pytest.mark.drill
@pytest.mark.parametrize(
    ("kinds", "kills"),
    [
        ("stepped,commit,random", 1),
        *((kind, 14) for kind in ("stepped", "commit", "random")),
    ],
)
def test_whenever_a_sync_is_killed_the_next_one_finishes_it(tmp_path: Path, kinds: str, kills: int) -> None:
    """Each session is done once, its memories and its one summary are there once, and no half run counts as done.

    Stepped: at lines all over the code. Commit: between the commit of the memory and the session's completion.
    """
    words = [sys.executable, str(HERE / "syncing.py"), kinds, str(kills), "20260220"]
    env = {**os.environ, "TMPDIR": str(tmp_path), "LERIM_CONFIG": ""}
    done = subprocess.run(words, capture_output=True, text=True, env=env, timeout=290)

    assert 0 == done.returncode, done.stderr
    reports = json.loads(done.stdout)
    assert [] == [wrong for report in reports for wrong in report["wrong"]]
    assert kills * (kinds.count(",") + 1) <= sum(report["kills"] for report in reports)


#: A session that ends whatever process reads it, as a crash in a C library or a killer of memory hogs does.
POISON = """
import os, signal
from lerim.sessions.room import Sessions
def read(self, session, read=Sessions.read):
    if session.run_id.startswith(os.environ.get("POISON", "-")):
        os.kill(os.getpid(), signal.SIGKILL)
    return read(self, session)
Sessions.read = read
"""


def stop_workers(box: Box, run_id: str, count: int) -> None:
    """So many workers claim a session, and are killed."""
    for _ in range(count):
        victim = subprocess.Popen(["sleep", "60"])
        with Lerim(box.project, env=box.env) as lerim:
            lerim.sessions.discover()
            session = lerim.sessions.find(run_id)
            assert lerim.sessions.queue.claim(f"{platform.node()}:{victim.pid}", session_id=session.id) is not None
        victim.kill()
        victim.wait()


@pytest.fixture
def poison(box: Box, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Every process that is started reads the sessions there are, but for one that ends it."""
    box.keep(CLAUDE, CODEX)
    lure = box.folder / "lure"
    lure.mkdir()
    (lure / "sitecustomize.py").write_text(POISON)
    for name, value in {"PYTHONPATH": str(lure), "POISON": CLAUDE}.items():
        monkeypatch.setenv(name, value)
    yield monkeypatch


def test_however_often_its_workers_are_killed_a_session_is_not_given_up(box: Box) -> None:
    """A kill is not the session's fault. The next sync that is left alone ingests it and exits with 0."""
    box.keep(CLAUDE, CODEX)
    stop_workers(box, CLAUDE, 7)

    done = box.ok("sync")

    assert Counter({"done": 2}) == Counter(str(session.state) for session in box.sessions().values()), done.out
    # It came last, in a process of its own, and is told like any other.
    assert done.out.index(CODEX) < done.out.index(CLAUDE)
    box.is_sound()


def test_a_session_that_ends_its_process_is_named_until_somebody_retries_it(
    box: Box, poison: pytest.MonkeyPatch
) -> None:
    """Its attempts end by themselves, the sync lives on, and no later one keeps quiet about it."""
    stop_workers(box, CLAUDE, 3)
    with sqlite3.connect(box.folder / ".lerim" / "index" / "sessions.sqlite3") as database:
        database.execute("UPDATE sessions SET attempts = ?", (Rules().max_attempts,))
    database.close()

    done = box.type("sync")

    assert (3, "dead") == (done.code, str(box.sessions()[CLAUDE].state)), done
    is_named(box)
    poison.delenv("POISON")
    box.ok("retry", box.sessions()[CLAUDE].name)
    box.ok("sync")
    assert Counter({"done": 2}) == Counter(str(session.state) for session in box.sessions().values())


def is_named(box: Box) -> None:
    """A sync that has nothing to do still says what is not done, and how to get it done."""
    name = box.sessions()[CLAUDE].name
    done = box.type("sync")
    assert 3 == done.code
    assert "ended the process" in done.err and "SIGKILL" in done.err
    assert f"lerim retry {name}" in done.err and f"lerim skip {name}" in done.err
    assert [name] == box.type("sync", "--json").json["dead"]
    assert "lerim queue --state dead" in box.ok("status").out
    queue = box.ok("queue")
    assert f"dead {name}" in queue.out and "lerim retry" in queue.err


@pytest.mark.drill
def test_a_session_that_kills_every_process_blocks_nobody(box: Box, poison: pytest.MonkeyPatch) -> None:
    """It ends three syncs; then the others pass, it is tried in a process of its own, and given up by name."""
    codes = []
    for _ in range(3 + Rules().max_attempts):
        process = box.start("sync")
        process.communicate(timeout=60)
        codes.append(process.returncode)
        box.wait_is_over()

    assert [-signal.SIGKILL] * 3 + [3] * 5 == codes
    assert {CLAUDE: "dead", CODEX: "done"} == {key: str(session.state) for key, session in box.sessions().items()}
    is_named(box)


# --- in a crowd -------------------------------------------------------------------------------------------------------


def several_projects(box: Box, count: int) -> list[Path]:
    """The two sessions again and again, each time held in another project under an id of its own."""
    projects = [box.project]
    for number in range(1, count):
        project, home, letter = box.folder / f"berths-{number}", box.folder / f"user-{number}", "abcdef"[number]
        project.mkdir()
        install(home, project, datetime.now(UTC))
        for path in [path for name in (CLAUDE, CODEX) for path in home.rglob(f"*{name}*")]:
            ids = [session.id for session in SESSIONS if session.id in path.name]
            text, name = path.read_text("utf-8"), str(path.relative_to(home))
            # Ids of messages, too: what has the same id is a copy, and told only once.
            text = re.sub(r'("[uU]uid": ?"|"parentUuid": ?")(.)', rf"\g<1>{letter}", text)
            for run_id in ids:
                text = text.replace(run_id, f"{run_id[:-1]}{letter}")
                name = name.replace(run_id, f"{run_id[:-1]}{letter}")
            target = box.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        shutil.rmtree(home)
        with Lerim(project, env=box.env) as lerim:
            lerim.setup.init()
        projects.append(project)
    return projects


@pytest.mark.drill
@pytest.mark.parametrize("processes", [2, 3])
def test_syncs_at_once_take_each_session_once(box: Box, expected: Any, processes: int) -> None:
    """Whoever comes first takes it; nobody is shown a lock or a traceback, and each project has its memories once."""
    projects = several_projects(box, 3)

    crowd = [box.start("sync", cwd=projects[number]) for number in range(processes)]
    done = [(*process.communicate(timeout=250), process.returncode) for process in crowd]

    assert {code for *_, code in done} <= {0, 4}, done
    assert not [said for out, err, _ in done for said in (out, err) if "Traceback" in said or "locked" in said]
    box.ok("sync")
    with Lerim(box.project, env=box.env) as lerim:
        sessions = lerim.sessions.queue.list()
    assert [("done", None)] * 6 == [(str(session.state), session.reason) for session in sessions]
    for project in projects:
        assert expected == box.memories(project)
        assert [RunStatus.DONE] * 2 == box.runs(project)
    box.is_sound()


# --- interrupted ------------------------------------------------------------------------------------------------------


#: A command that is interrupted when the N-th run writes its first file, however fast or slow the machine is.
INTERRUPTED = """
import os, signal, sys
from lerim.cli.main import main

runs, at_run = set(), int(sys.argv[1])

def interrupt(event, arguments):
    if event == "open" and os.path.basename(os.path.dirname(os.path.dirname(str(arguments[0])))) == "workspace":
        before = len(runs)
        runs.add(os.path.dirname(arguments[0]))
        if before < len(runs) == at_run:
            signal.raise_signal(signal.SIGINT)

# Who runs the tests in the background of a shell has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.addaudithook(interrupt)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("at_run", [1, pytest.param(2, marks=pytest.mark.drill)])
def test_an_interrupt_gives_the_session_back(box: Box, at_run: int) -> None:
    """Exit code 130, no attempt is counted, and the next sync finishes."""
    process = box.start(str(at_run), "sync", command=INTERRUPTED)
    out, err = process.communicate(timeout=250)

    assert 130 == process.returncode, out + err
    assert "stopped; finished sessions are kept" in err
    assert "Traceback" not in err
    left = box.sessions().values()
    assert {"pending"} == {str(session.state) for session in left} - {"done"}
    assert {0} == {session.attempts for session in left}
    box.ok("sync")
    assert {1} == set(box.memories().values())
    assert 6 == sum(primitive == "summary" for primitive, _ in box.memories())
    assert {"done"} == {str(session.state) for session in box.sessions().values()}
    assert {RunStatus.DONE, RunStatus.FAILED, RunStatus.INTERRUPTED} >= set(box.runs())
    box.is_sound()


# --- sessions that change between the look and the reading ------------------------------------------------------------


@pytest.fixture
def found(box: Box) -> Iterator[Callable[[], list[Any]]]:
    """Two sessions, looked at already. What comes now comes after the look; then `found()` takes them in."""
    box.keep(CLAUDE, CODEX)
    with Lerim(box.project, env=box.env) as lerim:
        sessions = lerim.sessions
        sessions.discover()
        yield lambda: list(lerim.sync(sessions))


UV = "From now on always use uv instead of pip in this repository, because pip resolves too slowly in CI."


def test_a_session_that_grew_since_is_taken_as_it_is_and_once(box: Box, found: Any) -> None:
    """The next sync sees the rest of it and adds nothing twice."""
    append(box.file(CLAUDE), UV)

    found()
    box.ok("sync")

    assert {1} == set(box.memories().values())
    assert 1 == sum("uv instead of pip" in title for _, title in box.memories())
    assert 2 == sum(primitive == "summary" for primitive, _ in box.memories())
    assert {"done"} == {str(session.state) for session in box.sessions().values()}
    box.is_sound()


def test_a_session_that_was_rewound_since_does_no_harm(box: Box, found: Any) -> None:
    """Only what still stands in it is taken, and its citations hold."""
    file = box.file(CLAUDE)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]), "utf-8")

    found()
    box.ok("sync")

    assert {1} == set(box.memories().values())
    assert 2 == sum(primitive == "summary" for primitive, _ in box.memories())
    assert {"done"} == {str(session.state) for session in box.sessions().values()}
    box.is_sound()


def test_a_session_that_was_taken_and_then_rewound_is_told_once(box: Box) -> None:
    """Its memories stay, since somebody did say them; its summary is not doubled."""
    box.keep(CLAUDE)
    box.ok("sync")
    before = box.memories()
    file = box.file(CLAUDE)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 2]), "utf-8")

    box.ok("sync")

    after = box.memories()
    assert {1} == set(after.values())
    assert [m for m in before if m[0] != "summary"] == [m for m in after if m in before and m[0] != "summary"]
    assert 1 == sum(primitive == "summary" for primitive, _ in after)
    box.is_sound()


def test_a_session_that_vanished_since_fails_by_itself(box: Box, found: Any) -> None:
    """The other one passes; the next look says that its file is gone."""
    box.file(CLAUDE).unlink()

    taken = {done.session.run_id[:8]: done for done in found()}

    assert ("failed", "done") == (str(taken[CLAUDE].state), str(taken[CODEX].state))
    assert CLAUDE in str(taken[CLAUDE].reason)
    box.ok("sync")
    assert ("skipped", "its file is gone") == (box.sessions()[CLAUDE].state, box.sessions()[CLAUDE].reason)


# --- what cannot be read or written -----------------------------------------------------------------------------------


def test_a_session_that_cannot_be_archived_dies_after_five_attempts(box: Box, expected: Any) -> None:
    """The other passes, exit code 3, the error is in the queue; when the cause is gone, `lerim retry` takes it."""
    blocked = box.project / ".lerim" / "meta" / "traces" / "sessions" / "claude"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("a file where a folder should be")

    codes = []
    for _ in range(5):
        codes.append(box.type("sync").code)
        box.wait_is_over()

    assert [3] * 5 == codes
    dead = next(s for s in box.ok("queue", "--json").json["sessions"] if CLAUDE in s["name"])
    assert ("dead", 5) == (dead["state"], dead["attempts"])
    assert str(blocked) in dead["reason"]
    again = box.type("sync")
    assert (3, "no new sessions\n") == (again.code, again.out)
    assert f"lerim retry claude/{CLAUDE}" in again.err
    blocked.unlink()
    box.ok("retry", f"claude/{CLAUDE}")
    box.ok("sync")
    assert expected == box.memories()
    box.is_sound()


def test_a_file_of_rubbish_is_told_and_stops_nobody(box: Box) -> None:
    """The catalog says what is wrong with it, the other sessions are taken."""
    box.keep(CLAUDE, CODEX)
    box.file(CLAUDE).write_bytes(os.urandom(4096))

    done = box.ok("sync")

    assert CODEX in done.out
    assert "Traceback" not in done.err
    assert {"done"} == {str(s.state) for s in box.sessions().values() if s.run_id.startswith(CODEX)}
    box.is_sound()


def test_a_wait_is_told_apart_from_nothing_to_do(box: Box) -> None:
    """Whoever syncs again at once learns that something failed and waits."""
    box.keep(CLAUDE)
    blocked = box.project / ".lerim" / "meta" / "traces"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("")
    box.type("sync")

    done = box.ok("sync")

    assert "1 session in the queue: lerim queue" in done.out


def test_a_project_that_is_gone_is_not_made_anew(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 3 and its folder in the reason; when it is back, its sessions are taken."""
    elsewhere = box.folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    box.keep(CLAUDE)
    box.project.rename(box.folder / "unmounted")

    done = box.type("sync")

    assert 3 == done.code
    assert str(box.project) in done.out
    assert not box.project.exists()
    (box.folder / "unmounted").rename(box.project)
    box.ok("retry", "--all")
    assert "1 session" in box.ok("sync").out
    assert box.memories()


def test_a_project_that_cannot_be_written_keeps_its_sessions_waiting(box: Box) -> None:
    """Neither memory nor run folder can be made: the session fails with the reason, and nothing is half there."""
    box.keep(CLAUDE)
    (box.project / ".lerim" / "workspace").write_text("no folder")

    done = box.type("sync")

    assert 3 == done.code
    assert ".lerim/workspace is no folder but a file" in done.out
    assert not box.memories()
    (box.project / ".lerim" / "workspace").unlink()
    box.wait_is_over()
    box.ok("sync")
    assert box.memories()
    box.is_sound()


# --- people at work meanwhile -----------------------------------------------------------------------------------------


def test_what_a_person_writes_during_the_run_is_kept(box: Box, expected: Any) -> None:
    """They edit one memory and write another, right before the run commits: both are there, and so is the session."""
    with Lerim(box.project, env=box.env) as lerim:
        kept = lerim.memory.add(Draft(Primitive.DECISION, "Use Celery with Redis", "Because of the retries."))
        file = kept.path
    assert file is not None
    edited = file.read_text("utf-8").replace("Because of the retries.", "Because of the retries, says Ann.")
    note = "---\ntitle: Berth 14 stays free\nprimitive: decision\n---\n\nFor the harbour master.\n"

    def person() -> None:
        file.write_text(edited, "utf-8")
        if not list(file.parent.glob("berth-14*")):
            (file.parent / "berth-14.md").write_text(note, "utf-8")

    codes = [sync_with(box, person) for _ in range(2)]

    assert set(codes) <= {"done", "failed"}
    box.wait_is_over()
    box.ok("sync")
    with Lerim(box.project, env=box.env) as lerim:
        records = [kept.record for kept in lerim.memory.select(ANY)]
    assert any("says Ann" in record.body for record in records)
    assert any("Berth 14 stays free" == record.title for record in records)
    assert {"done"} == {str(session.state) for session in box.sessions().values()}
    assert {1} == set(box.memories().values())
    box.is_sound()


def sync_with(box: Box, before_commit: Callable[[], None]) -> str:
    """Take one session; `before_commit` happens when all is decided and nothing is written."""
    from contextlib import nullcontext

    from lerim.runtime.worker import Worker

    with Lerim(box.project, env=box.env) as lerim:
        sessions = lerim.sessions
        sessions.discover()

        def agent_for(session: Session, before: Callable[[], None]) -> Any:
            assert session.project_id is not None
            return lerim.workforce.agent(
                lerim.projects.find(session.project_id), lambda: (before_commit(), before())[1]
            )

        taken = next(Worker("tester", sessions, agent_for, lambda job: nullcontext()).work())
    return str(taken.state)


def test_a_memory_file_that_a_person_broke_stops_nobody(box: Box, expected: Any) -> None:
    """It stays as it is and is reported; the sessions are taken in."""
    broken = box.project / ".lerim" / "memory" / "decisions" / "broken.md"
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_text("---\ntitle: [unclosed\n---\n\nHalf a thought.\n")

    done = box.ok("sync")

    assert "broken.md" in done.err
    assert "---\ntitle: [unclosed\n---\n\nHalf a thought.\n" == broken.read_text()
    assert expected == box.memories()
    broken.unlink()
    box.is_sound()


# --- what is asked for ------------------------------------------------------------------------------------------------


def test_json_is_one_document_and_nothing_else(box: Box) -> None:
    """When all goes well, when nothing is to do, when one session fails, and when the work ends early."""
    box.keep(CLAUDE, CODEX)
    blocked = box.project / ".lerim" / "meta" / "traces" / "sessions" / "claude"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("")

    failed = box.type("sync", "--json")
    blocked.unlink()
    box.wait_is_over()
    good = box.type("sync", "--json")
    nothing = box.type("sync", "--json")

    assert (3, 1, 2) == (failed.code, failed.json["failed"], len(failed.json["sessions"]))
    assert (0, 0, 1) == (good.code, good.json["failed"], len(good.json["sessions"]))
    assert (0, []) == (nothing.code, nothing.json["sessions"])


def test_a_limit_takes_the_next(box: Box) -> None:
    """Those that a dry run named, which takes nothing."""
    dry = box.ok("sync", "--dry-run", "--limit", "2", "--json").json
    taken = box.ok("sync", "--limit", "2", "--json").json

    assert 2 == len(dry["sessions"])
    assert dry["sessions"] == [session["session"] for session in taken["sessions"]]
    assert Counter({"done": 2, "pending": 4}) == Counter(str(s.state) for s in box.sessions().values())
    assert 2 == box.type("sync", "--limit", "0").code


def test_only_one_project_is_synced_when_it_is_named(box: Box) -> None:
    """The sessions of the other wait; a project nobody knows is an error with a next step."""
    box.keep(CLAUDE, CODEX)
    projects = several_projects(box, 2)

    box.ok("sync", "--project", "berths-1")

    assert 2 == sum(primitive == "summary" for primitive, _ in box.memories(projects[1]))
    assert not box.memories(projects[0])
    unknown = box.type("sync", "--project", "nobody")
    assert 1 == unknown.code
    assert "try:" in unknown.err


def test_the_window_decides_what_is_due(box: Box) -> None:
    """`--since` takes the younger ones, `--all` everything however old; both together are refused. The first sync of a
    project goes back further than its window."""
    year = 365 * 86400
    for path in [path for name in (".claude", ".codex", ".gemini", ".pi") for path in (box.folder / name).rglob("*")]:
        if path.is_file() and CODEX in path.name:
            os.utime(path, (time.time() - year, time.time() - year))

    assert 6 == len(box.ok("sync", "--dry-run", "--json").json["sessions"])
    assert 5 == len(box.ok("sync", "--dry-run", "--since", ago(90), "--json").json["sessions"])
    assert 0 == len(box.ok("sync", "--dry-run", "--since", "2099-01-01", "--json").json["sessions"])
    assert 6 == len(box.ok("sync", "--dry-run", "--all", "--json").json["sessions"])
    assert 2 == box.type("sync", "--all", "--since", "2026-01-01").code
    box.ok("sync", "--all")
    assert Counter({"done": 6}) == Counter(str(s.state) for s in box.sessions().values())


@pytest.mark.drill
def test_a_terminal_shows_each_session_on_a_line_of_its_own(box: Box) -> None:
    """Colors, a line per session, a bar that does not run into them, and the sum."""
    import pty

    box.keep(CLAUDE, CODEX)
    # As a person's terminal has it: libraries behave in tests and pipelines.
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "PYTEST_VERSION")}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "sync"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=box.project,
        env={**plain, **box.env, "TERM": "xterm"},
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # The other end is closed.
            break
        if not chunk:
            break
        said += chunk
    os.close(ours)

    assert 0 == process.wait(timeout=60)
    # What stays on a line: a bar is wiped before the next words.
    lines = said.decode().replace("\r\n", "\n").split("\n")
    shown = [line.rpartition("\r")[2].removeprefix("\x1b[K") for line in lines]
    assert 2 == sum(line.startswith(("\x1b[32m+\x1b[0m ", "\x1b[33m·\x1b[0m ")) for line in shown), shown
    assert any("2 sessions" in line for line in shown), shown
    assert not [line for line in shown if "pydantic" in line.lower()]
