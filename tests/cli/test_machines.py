"""Several machines with one memory: the real command line, a home for each machine, and a real PostgreSQL."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from select import select
from typing import Any

import pytest

from lerim import Lerim
from lerim.context.records import Draft, Primitive
from lerim.daemon.chores import Stop, do
from lerim.daemon.schedule import ChoreKind
from lerim.storage.connections import Address
from lerim.storage.listening import CHANGES, Listener

from ..conftest import ENGINES
from ..postgres_server import MISSING, PostgresEngine, execute, server
from .conftest import Done, Shell

ORIGIN = '[remote "origin"]\n\turl = {url}\n'
PASSWORD = "open-sesame"
#: Cuts every connection that Lerim has to the server.
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lerim'"
THREE = "First line.\n\nSecond line.\n\nThird line."


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[str]:
    """The address of an empty store, as machines are given it: with a password."""
    if not server():
        pytest.skip(MISSING)
    engine = ENGINES["postgres"]
    assert isinstance(engine, PostgresEngine)
    yield engine.url_in(tmp_path).replace("postgres@", f"postgres:{PASSWORD}@", 1)
    engine.done()


class Machine:
    """A home, and a clone of the team's repository."""

    def __init__(self, folder: Path, url: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.url = url
        self._shell = shell
        self._monkeypatch = monkeypatch
        self.app = clone(folder / "app", "git@example.com:team/app.git")
        (folder / "home").mkdir()
        (folder / "home" / "config.toml").write_text("[embeddings]\nenabled = false\n")

    def sit(self, folder: Path | None = None) -> None:
        self._monkeypatch.setenv("HOME", str(self.folder))
        self._monkeypatch.setenv("LERIM_HOME", str(self.folder / "home"))
        self._monkeypatch.setenv("LERIM_STORAGE_URL", self.url)
        self._monkeypatch.chdir(folder or self.app)

    def __call__(self, *argv: str, at: Path | None = None) -> Done:
        self.sit(at)
        done = self._shell(*argv)
        assert PASSWORD not in done.out + done.err
        return done

    def ok(self, *argv: str, at: Path | None = None) -> Done:
        done = self(*argv, at=at)
        assert 0 == done.code, done.err
        return done

    def json(self, *argv: str, at: Path | None = None) -> Any:
        return self.ok(*argv, "--json", at=at).json

    def add(self, title: str, body: str = "text", at: Path | None = None) -> str:
        words = ("--primitive", "decision", "--title", title, "--body", body)
        return str(self.json("memory", "add", *words, at=at)["id"])

    def titles(self, at: Path | None = None) -> list[str]:
        return [record["title"] for record in self.json("memory", "list", at=at)]

    def body(self, record_id: str) -> str:
        return str(self.json("memory", "show", record_id)["body"])

    def file(self, name: str) -> Path:
        return self.app / ".lerim/memory/decisions" / name

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        text = self.file(name).read_text()
        for before, after in changes:
            assert before in text
            text = text.replace(before, after)
        self.file(name).write_text(text)


def name_in(url: str) -> str:
    """The database that an address names."""
    found = re.search(r"/(lerim_\w+)\?", url)
    assert found
    return found[1]


def clone(folder: Path, url: str | None) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text(ORIGIN.format(url=url) if url else "")
    return folder


@pytest.fixture
def machine(
    shared: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Machine]:
    """A machine of this name, with the store at hand."""
    shell = Shell(tmp_path, capsys, monkeypatch)
    return lambda name: Machine(tmp_path / name, shared, shell, monkeypatch)


@pytest.fixture
def one(machine: Callable[[str], Machine]) -> Machine:
    found = machine("one")
    found.ok("init")
    return found


@pytest.fixture
def two(machine: Callable[[str], Machine]) -> Machine:
    return machine("two")


def test_every_command_of_the_memory_works_on_a_shared_store(one: Machine, two: Machine, tmp_path: Path) -> None:
    """What one machine does is there on the other, as if there were only one."""
    kept = one.add("Use pnpm", THREE)
    one.ok("memory", "add", "--kind", "pitfall", "--title", "Never run migrations by hand", "--body", "It locks.")

    assert {"Use pnpm", "Never run migrations by hand"} == set(two.titles())
    assert two.file("use-pnpm.md").read_bytes() == one.file("use-pnpm.md").read_bytes()
    two.ok("memory", "edit", kept, "--title", "Use pnpm everywhere")
    assert "Use pnpm everywhere" in one.titles()
    assert ["create", "revise"] == [version["operation"] for version in one.json("memory", "history", kept)]
    assert kept == one.json("search", "pnpm")[0]["id"]
    assert "pnpm" in two.ok("ask", "what do we use everywhere?").out
    two.ok("memory", "undo")
    assert "Use pnpm" in one.titles()
    assert [] == one.json("review", "list")
    one.ok("maintain")
    two.ok("graph", "rebuild")
    assert "Use pnpm" in two.ok("brief", "show").out
    two.ok("memory", "archive", kept)
    assert "Use pnpm" not in one.titles()
    one.ok("memory", "restore", kept)
    assert "Use pnpm" in two.titles()
    one.ok("memory", "export", str(tmp_path / "all.jsonl"), "--history")
    assert 2 == two.json("memory", "import", str(tmp_path / "all.jsonl"))["same"]
    for command in ("check", "scan"):
        one.ok("memory", command)
    two.ok("memory", "rebuild", "--from", "files")
    two.ok("memory", "rebuild", "--from", "store")
    assert "Use pnpm" in two.ok("working-memory", "show").out
    one.ok("why", kept)
    assert ["create", "revise", "undo", "archive", "restore"] == [
        version["operation"] for version in two.json("memory", "history", kept)
    ]


def test_a_machine_that_is_new_is_told_what_it_got(one: Machine, two: Machine) -> None:
    """Nothing was missing there. A folder that somebody took away is another thing."""
    one.ok("init")
    one.add("Use JWT bearer tokens")

    new = two.ok("init")
    shutil.rmtree(two.app / ".lerim" / "memory")
    again = two.ok("memory", "list")

    assert "wrote 1 memory file of app from the store" in new.err
    assert "missing" not in new.out + new.err
    assert "was missing; restored 1 file from the store" in again.err


@pytest.mark.parametrize("who", ["worker", "daemon"])
def test_what_killed_uploads_left_goes_when_there_is_time(one: Machine, shared: str, who: str) -> None:
    """By a worker that finds nothing to do, and at night. What is young may still go on."""
    one.ok("init")
    one.ok("queue", "--team")
    young = "extract(epoch FROM now())"
    pieces = f"VALUES ('p', 'old', '', 0), ('p', 'young', '', {young})"
    execute(f"INSERT INTO lerim_sessions.pieces (project_id, digest, content, at) {pieces}", name_in(shared))

    one.sit()
    if who == "worker":
        with Lerim(one.app) as lerim:
            assert [] == list(lerim.team_work.work(once=True))
    else:
        assert 0 == do(ChoreKind.MAINTAIN, 0.0, os.environ, lambda said: None, Stop())

    assert [("young",)] == execute("SELECT digest FROM lerim_sessions.pieces", name_in(shared))


def test_the_teams_queue_says_which_machine_is_at_a_session(one: Machine, shared: str, tmp_path: Path) -> None:
    """By the name that the machine was given."""
    one.ok("trace", "import", str(_trace(tmp_path)), "--name", "talk", "--cwd", str(one.app))
    with (one.folder / "home" / "config.toml").open("a") as config:
        config.write('[storage]\nmachine = "build box"\n')
    one.ok("sync")
    one.sit()
    with Lerim(one.app) as lerim:
        worker = lerim.workforce.team_worker().name
        assert lerim.house.team is not None and lerim.house.team.queue.claim(worker)

        told = one.ok("queue", "--team").out

    assert " on build box" in told and "-" not in told.partition(" on build box")[2]


def test_an_edit_of_a_file_is_a_version_for_all(one: Machine, two: Machine) -> None:
    """The other machine's file says it with the next command."""
    kept = one.add("Use pnpm")
    two.titles()

    one.edit("use-pnpm.md", ("text", "It is fast."))
    one.titles()

    assert "It is fast." == two.body(kept)
    assert "It is fast." in two.file("use-pnpm.md").read_text()
    assert ["create", "edit"] == [version["operation"] for version in two.json("memory", "history", kept)]


def test_a_deleted_file_puts_its_memory_away_for_all(one: Machine, two: Machine) -> None:
    """And takes the other machine's file along."""
    one.add("Use pnpm")
    two.titles()

    one.file("use-pnpm.md").unlink()
    one.titles()

    assert ([], False) == (two.titles(), two.file("use-pnpm.md").exists())


def test_edits_of_different_parts_are_put_together(one: Machine, two: Machine) -> None:
    """Neither machine knew of the other's: fields and lines that only one of them changed are taken from that one."""
    kept = one.add("Use pnpm", THREE)
    two.titles()

    one.edit("use-pnpm.md", ("First line", "First, by one"), ("title: Use pnpm", "title: Use pnpm here"))
    two.edit("use-pnpm.md", ("Third line", "Third, by two"), ("confidence: 0.8", "confidence: 0.6"))
    one.titles()
    two.titles()

    shown = one.json("memory", "show", kept)
    assert ("Use pnpm here", 0.6) == (shown["title"], shown["confidence"])
    assert "First, by one.\n\nSecond line.\n\nThird, by two." == shown["body"]
    assert one.file("use-pnpm.md").read_bytes() == two.file("use-pnpm.md").read_bytes()
    assert [] == one.json("memory", "check")["findings"] == two.json("memory", "check")["findings"]


@pytest.mark.drill
def test_edits_of_the_same_part_are_shown_side_by_side(one: Machine, two: Machine) -> None:
    """The store keeps the first, the file of the second shows both, and nothing is decided until a person has."""
    kept = one.add("Use pnpm", THREE)
    two.titles()
    one.edit("use-pnpm.md", ("Second line", "Second, by one"), ("confidence: 0.8", "confidence: 0.9"))
    two.edit("use-pnpm.md", ("Second line", "Second, by two"), ("confidence: 0.8", "confidence: 0.4"))
    one.titles()

    said = two("memory", "list").err

    assert "use-pnpm.md:7: edited here and elsewhere at once; keep what holds and take the marks out" in said
    assert "First line.\n\nSecond, by one.\n\nThird line." == one.body(kept)
    shown = two.file("use-pnpm.md").read_text()
    assert "<<<<<<< edited here\nconfidence: 0.4\n=======\nconfidence: 0.9\n>>>>>>> version 2\n" in shown
    assert "<<<<<<< edited here\nSecond, by two.\n=======\nSecond, by one.\n>>>>>>> version 2\n" in shown
    assert 1 == two("memory", "edit", kept, "--title", "x").code

    two.file("use-pnpm.md").write_text(re.sub(r"<<<<<<<.*\n([^=]*)=======\n[^>]*>>>>>>>.*\n", r"\1", shown))

    assert "First line.\n\nSecond, by two.\n\nThird line." == two.body(kept) == one.body(kept)
    versions = [version["record"]["body"] for version in one.json("memory", "history", kept)]
    assert ["Second line", "Second, by one", "Second, by two"] == [body.split("\n")[2].rstrip(".") for body in versions]


@pytest.mark.drill
def test_an_old_file_that_git_brings_is_no_edit(one: Machine, two: Machine) -> None:
    """A machine that meets the project for the first time has the files of some commit: the store knows better."""
    kept = one.add("Use pnpm", "old")
    old = one.file("use-pnpm.md").read_bytes()
    one.ok("memory", "edit", kept, "--body", "new")
    two.file("").mkdir(parents=True)
    two.file("use-pnpm.md").write_bytes(old)

    assert "new" == two.body(kept) == one.body(kept)
    assert 2 == len(two.json("memory", "history", kept))


def test_a_clone_that_git_brings_is_not_believed_before_it_is_trusted(one: Machine, two: Machine) -> None:
    """What its files say against the team's memory changes nothing."""
    kept = one.add("Use pnpm", "as the team says")
    two.file("").mkdir(parents=True)
    two.file("use-pnpm.md").write_text(one.file("use-pnpm.md").read_text().replace("as the team says", "otherwise"))

    two.titles()

    assert "as the team says" == one.body(kept)
    assert "unasked" == two.json("project", "show")["trust"]
    assert "trusted" == one.json("project", "show")["trust"]


@pytest.mark.drill
def test_a_clone_made_anew_deletes_nothing(one: Machine, two: Machine) -> None:
    """Its summaries are not in git, nor is whatever was not committed: that they are missing is nobody's decision."""
    one.add("Use pnpm")
    two.titles()
    shutil.rmtree(two.app)
    other = clone(two.folder / "again", "https://ada:key@example.com/team/app")
    (other / ".lerim/memory/decisions").mkdir(parents=True)

    assert ["Use pnpm"] == two.titles(at=other) == one.titles()
    assert (other / ".lerim/memory/decisions/use-pnpm.md").exists()


@pytest.mark.drill
def test_a_second_clone_on_a_machine_belongs_to_the_first(one: Machine) -> None:
    """One place has the files, so that neither clone undoes what the other did."""
    one.add("Use pnpm")
    other = clone(one.folder / "other", "https://example.com/team/app.git")

    assert ["Use pnpm"] == one.titles(at=other)
    one.add("Use ruff", at=other)

    assert not (other / ".lerim").exists()
    assert one.file("use-ruff.md").exists()
    assert str(one.app) == one.json("status", at=other)["project"]
    assert 1 == len(one.json("project", "list"))


@pytest.mark.drill
def test_a_package_of_a_repository_is_the_same_package_elsewhere(one: Machine, two: Machine) -> None:
    """It is known by its folder in the repository; the repository itself is another project."""
    for machine in (one, two):
        (machine.app / "packages/web").mkdir(parents=True)
    one.ok("project", "add", str(one.app / "packages/web"), "--no-sync")
    one.add("Use CSS grid", at=one.app / "packages/web")
    two.ok("init")

    two.ok("project", "add", str(two.app / "packages/web"), "--no-sync")

    assert (["Use CSS grid"], []) == (two.titles(at=two.app / "packages/web"), two.titles())


@pytest.mark.drill
def test_a_folder_without_a_remote_is_one_machines_own_until_it_is_joined(one: Machine, two: Machine) -> None:
    """Folders of the same name are not the same; a person can say that they are."""
    notes = [clone(machine.folder / "notes", None) for machine in (one, two)]
    one.ok("init", at=notes[0])
    one.add("Water the plants", at=notes[0])

    assert [] == two.titles(at=notes[1])
    listed = two.json("project", "list", at=notes[1])
    assert [True] == [found["elsewhere"] for found in listed if found["name"] == "notes"]
    assert "no project 'nots'" in two("project", "join", "nots", at=notes[1]).err
    two.ok("project", "join", "notes", at=notes[1])
    assert ["Water the plants"] == two.titles(at=notes[1])
    assert (notes[1] / ".lerim/memory/decisions/water-the-plants.md").exists()


def test_a_project_is_joined_in_a_shared_store_only(shell: Any) -> None:
    """Elsewhere there is nobody to join."""
    done = shell("project", "join", "shop")

    assert (2, True) == (done.code, "kept on this machine alone" in done.err)


def test_a_global_memory_is_a_persons_own(one: Machine, two: Machine, shared: str) -> None:
    """It follows them from machine to machine, and is nobody else's."""
    one.ok("memory", "add", "--kind", "preference", "--title", "Tabs", "--body", "x", "--scope", "global")

    assert ["Tabs"] == [found["title"] for found in two.json("memory", "list", "--scope", "global")]
    database = name_in(shared)
    found = execute("SELECT id, root FROM lerim_context.projects WHERE name = 'global'", database)
    assert [("global-postgres", "person:postgres")] == found


def test_no_path_of_a_machine_is_in_the_store(one: Machine, two: Machine, shared: str, tmp_path: Path) -> None:
    """Others could do nothing with it, and need not know it."""
    one.ok("trace", "import", str(_trace(tmp_path)), "--name", "talk", "--cwd", str(one.app))
    one.ok("sync")
    one.add("Use pnpm")
    one.edit("use-pnpm.md", ("text", "It is fast."))
    two.titles()
    (tmp_path / "notes.jsonl").write_text(one.ok("memory", "export", "-").out)
    two.ok("memory", "import", str(tmp_path / "notes.jsonl"))
    database = name_in(shared)
    tables = execute(f"SELECT {_TABLE} FROM pg_tables WHERE starts_with(schemaname, 'lerim_')", database)

    rows = {name: [str(row) for row in execute(f"SELECT t::text FROM {name} t", database)] for (name,) in tables}

    assert rows["lerim_context.records"] and rows["lerim_sessions.sessions"]
    assert {} == {
        name: told for name, found in rows.items() if (told := [row for row in found if str(tmp_path) in row])
    }


_TABLE = "schemaname || '.' || tablename"


def _trace(folder: Path) -> Path:
    path = folder / "talk.txt"
    path.write_text("User: Always use pnpm in this repository, never npm. Remember that.\nAssistant: pnpm it is.\n")
    return path


def test_without_the_server_a_command_says_so_and_hooks_answer(one: Machine, two: Machine, tmp_path: Path) -> None:
    """In one line with the next command, and without the password; what is on disk is still told."""
    one.add("Use pnpm")
    one.ok("brief", "refresh")
    (tmp_path / "nowhere").mkdir()
    real, one.url = one.url, f"postgresql://postgres:{PASSWORD}@/gone?host={tmp_path / 'nowhere'}"

    for command in (("memory", "list"), ("status",), ("search", "pnpm"), ("sync",), ("init",)):
        done = one(*command)
        assert (4, 2) == (done.code, len(done.err.strip().splitlines())), done.err
        assert "cannot reach postgresql://postgres@/gone" in done.err
        assert "try: lerim storage check" in done.err
    assert "postgresql://postgres@/gone" in one.ok("config", "show").out

    one.url = real
    one.ok("status")
    execute(f"ALTER DATABASE {name_in(real)} ALLOW_CONNECTIONS false")
    execute(CUT)
    try:
        assert 0 != one("memory", "list").code
        assert "Use pnpm" in one.ok("brief", "show").out
        assert "Use pnpm" in one.ok("hook", "session-start", "--agent", "claude", "--json").out
        assert [str(one.app)] == [found["root"] for found in one.json("project", "list")]
    finally:
        execute(f"ALTER DATABASE {name_in(real)} ALLOW_CONNECTIONS true")
    assert ["Use pnpm"] == one.titles()


@pytest.mark.drill
def test_work_goes_on_when_connections_were_cut(one: Machine) -> None:
    """Whoever holds a memory open notices nothing, and every write is there once."""
    one.sit()
    with Lerim() as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Before", "x"))
        execute(CUT)
        lerim.memory.add(Draft(Primitive.DECISION, "After", "x"))
        assert {"Before", "After"} == {kept.record.title for kept in lerim.memory.select()}
    assert 2 == len(one.titles())


@pytest.mark.drill
def test_a_look_of_the_daemon_brings_what_others_did(one: Machine, two: Machine) -> None:
    """Files and views of this machine follow, though nobody types a command: hooks read them."""
    one.add("Use pnpm")
    two.titles()
    two.ok("brief", "refresh")
    one.add("Use ruff")
    two.sit()
    told: list[Any] = []

    assert 0 == do(ChoreKind.SYNC, 0.0, os.environ, told.append, Stop()), told

    assert two.file("use-ruff.md").exists()
    assert "Use ruff" in Path(two.json("brief", "path")["path"]).read_text()


@pytest.mark.drill
def test_a_listener_hears_of_changes_and_of_a_line_that_is_cut(one: Machine, shared: str) -> None:
    """On a connection of its own, which a selector can wait on; it is made again when it is asked for."""
    with closing(Listener(Address(shared), CHANGES)) as listener:
        descriptor = listener.fileno()
        assert descriptor is not None
        assert listener.heard() is False
        one.add("Use pnpm")
        assert next_word(listener, descriptor) is True
        execute(CUT)
        assert next_word(listener, descriptor) is None
        assert listener.fileno() is not None


def next_word(listener: Listener, descriptor: int) -> bool | None:
    """What is heard next: the server may say more than one thing before it means anything."""
    while select([descriptor], [], [], 60)[0]:
        if (heard := listener.heard()) is not False:
            return heard
    raise TimeoutError


def test_a_project_cannot_say_where_the_memory_is_kept(one: Machine) -> None:
    """A clone would send its reader's memory to a stranger."""
    (one.app / ".lerim/config.toml").write_text('[storage]\nurl = "postgresql://evil.example.com/x"\n')

    done = one("memory", "list")

    assert 2 == done.code
    assert f"{one.app}/.lerim/config.toml: key 'storage.url': a project does not say where" in done.err


@pytest.mark.parametrize("url", ["mysql://host/db", "postgresql://", "not an address", "/var/lib/lerim"])
def test_an_address_that_is_none_is_refused_without_repeating_it(one: Machine, url: str) -> None:
    """It may hold a password."""
    one.url = url.replace("host", f"me:{PASSWORD}@host")

    done = one("memory", "list")

    assert (2, "LERIM_STORAGE_URL: expected the address of a PostgreSQL") == (
        done.code,
        done.err.splitlines()[0].removeprefix("lerim: "),
    )
