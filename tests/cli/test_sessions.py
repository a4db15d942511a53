"""`lerim sources`, `sessions`, `trace`, `queue` and their neighbors, on sessions agents left in a home of our own."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

RUN = "4f2a1b3c-0000-4000-8000-000000000001"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"


def record(kind: str, number: int, cwd: Path, content: Any, **more: Any) -> str:
    record = {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "isSidechain": False,
        "cwd": str(cwd),
        "sessionId": RUN,
        "version": "2.1.49",
        "gitBranch": "main",
        "timestamp": f"2026-11-01T10:00:{number:02}.000Z",
        "message": {"role": kind, "content": content, **({"id": f"m{number}"} if kind == "assistant" else {})},
        **more,
    }
    return json.dumps(record) + "\n"


def call(number: int, cwd: Path, command: str) -> str:
    block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    return record("assistant", number, cwd, [block])


def result(number: int, cwd: Path, text: str, *, failed: bool = False) -> str:
    block = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": text, "is_error": failed}
    return record("user", number, cwd, [block])


@pytest.fixture
def claude(shell: Any, tmp_path: Path) -> Path:
    """A Claude Code session about the shop, with a secret in a tool's output."""
    file = tmp_path / ".claude" / "projects" / "-shop" / f"{RUN}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(
        record("user", 1, shell.project, "use pnpm, not npm")
        + call(2, shell.project, "env")
        + result(3, shell.project, f"TOKEN={SECRET}")
        + record("assistant", 4, shell.project, [{"type": "text", "text": "Switched to pnpm."}])
    )
    return file


@pytest.fixture(autouse=True)
def all_sessions(shell: Any) -> None:
    """However old the sessions of a test are, they are inside the window."""
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text("[sources]\nwindow_days = 0\n")


def test_connect_finds_the_agents_that_are_there(shell, claude):
    """One command names each agent with its files; the others are listed as not found."""
    found = shell.ok("sources", "auto", "--json").json
    everyone = {item["agent"]: item for item in shell.ok("sources", "list", "--json").json}

    assert [("claude", 1)] == [(item["agent"], item["files"]) for item in found["agents"]]
    assert 1 == found["new"]
    assert {
        "claude",
        "codex",
        "cursor",
        "opencode",
        "gemini",
        "copilot",
        "pi",
        "cline",
        "aider",
        "droid",
        "kiro",
    } <= set(everyone)
    assert 0 == shell("sources", "doctor").code


def test_the_doctor_says_what_is_there_and_what_cannot_be_read(shell, claude, tmp_path):
    """Each agent has its line: where, how many, the last one, what is wrong and why, and the command that helps."""
    store = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"SQLite format 3\0 and then something else")
    told = shell("sources", "doctor")
    everyone = {item["agent"]: item for item in shell("sources", "doctor", "--json").json}

    assert 1 == told.code
    assert (1, "lerim sync") == (everyone["claude"]["sessions"], everyone["claude"]["command"])
    assert everyone["claude"]["last"].startswith("20")
    assert "lerim sources add codex --path DIR" == everyone["codex"]["command"]
    [problem] = everyone["opencode"]["problems"]
    assert str(store) in problem
    assert "1 session, the last one of" in told.out
    assert str(store) in told.out


def test_the_doctor_looks_into_older_sessions_too(shell, claude, tmp_path):
    """Neither a damaged file that is not the newest nor a database that is none is passed over."""
    damaged = claude.with_name("5c9a5c1e-1111-4c4c-8a8a-000000000009.jsonl")
    damaged.write_bytes(b"\0\0\0 no session\n")
    os.utime(damaged, (1, 1))
    store = tmp_path / ".local" / "share" / "opencode" / "opencode.db"
    store.parent.mkdir(parents=True)
    store.write_text("no database")
    told = shell("sources", "doctor")

    assert 1 == told.code
    assert f"cannot read {damaged}: not JSON" in told.out
    assert f"cannot read {store}: file is not a database" in told.out
    assert "2 problems found" in told.out


def test_a_session_is_listed_with_its_project_and_waits(shell, claude):
    """It belongs to the project its directory is in, and is next in the queue."""
    [session] = shell.ok("sessions", "list", "--json").json

    assert (f"claude/{RUN}", "pending") == (session["name"], session["state"])
    assert str(shell.project) == session["project_root"]
    assert [RUN] == [item["run_id"] for item in shell.ok("queue", "--json").json["sessions"]]


def test_show_counts_what_a_session_amounts_to(shell, claude):
    """Turns, tool calls and the model come from reading it."""
    session = shell.ok("sessions", "show", "4f2a", "--json").json

    assert (1, 1, 0) == (session["turns"], session["tool_calls"], session["errors"])


def test_a_transcript_has_line_numbers_speakers_and_no_secret(shell, claude):
    """What the archive keeps is redacted, in the file and on the screen."""
    done = shell.ok("trace", "show", "4f2a")
    lines = shell.ok("trace", "show", "4f2a", "--json").json
    archived = shell.project / ".lerim" / "meta" / "traces" / "sessions" / "claude" / f"{RUN}.jsonl"

    assert ["session", "user", "tool_call", "tool_result", "assistant"] == [line["type"] for line in lines]
    assert "use pnpm, not npm" in done.out
    assert "1 secret redacted" in done.err
    assert SECRET not in done.out + archived.read_text()
    assert "[redacted:" in archived.read_text()
    assert 0o600 == archived.stat().st_mode & 0o777


def test_only_the_users_words_on_request(shell, claude):
    """--who and --lines narrow the transcript without renumbering it."""
    [user] = shell.ok("trace", "show", "4f2a", "--who", "user", "--json").json

    assert (2, "use pnpm, not npm") == (user["line"], user["text"])
    assert [4, 5] == [line["line"] for line in shell.ok("trace", "show", "4f2a", "--lines", "4-9", "--json").json]
    assert [3, 4, 5] == [line["line"] for line in shell.ok("trace", "show", "4f2a", "--lines", "3-", "--json").json]
    assert [2, 2] == [shell("trace", "show", "4f2a", "--lines", lines).code for lines in ("x", "4-2")]


def test_a_session_that_grew_keeps_its_line_numbers(shell, claude):
    """New words come after the old ones; an agent that rewrites history does not touch what was cited."""
    before = shell.ok("trace", "show", "4f2a", "--json").json
    with claude.open("a") as file:
        file.write(record("user", 5, shell.project, "and lock the version"))
    after = shell.ok("trace", "show", "4f2a", "--json").json
    assert before == after[: len(before)]
    assert "and lock the version" == after[-1]["text"]

    claude.write_text(record("user", 1, shell.project, "something else entirely"))
    shell.ok("trace", "show", "4f2a")
    folder = shell.project / ".lerim" / "meta" / "traces" / "sessions" / "claude"
    assert {f"{RUN}.jsonl", f"{RUN}.1.jsonl"} == {path.name for path in folder.iterdir()}
    assert "use pnpm" in (folder / f"{RUN}.1.jsonl").read_text()


def test_all_folders_that_sessions_ran_in_become_projects_by_one_command(shell, claude, tmp_path):
    """A home that Lerim comes to late has dozens of repositories. Their names may need quotes."""
    folders = [tmp_path / "other", tmp_path / "the third"]
    for number, folder in enumerate(folders):
        folder.mkdir()
        claude.with_name(f"{number}{claude.name}").write_text(record("user", 1, folder, "hello"))

    said = shell.ok("unscoped").out.splitlines()[-1]
    assert said.startswith("all of them: lerim ")
    made = shell.ok(*shlex.split(said.removeprefix("all of them: lerim ")), "--no-sync", "--json").json
    assert [str(folder) for folder in folders] == [one["root"] for one in made]
    assert [] == shell.ok("unscoped", "--json").json
    done = shell("project", "add", *map(str, folders), "--name", "shop")
    assert (2, True) == (done.code, "--name is for one folder" in done.err)


def test_sessions_without_a_project_are_listed_with_the_command_that_helps(shell, claude, tmp_path):
    """And adding the project routes them."""
    other = tmp_path / "other"
    other.mkdir()
    claude.write_text(record("user", 1, other, "hello"))

    [group] = shell.ok("unscoped", "--json").json
    assert (str(other), f"lerim project add {other}") == (group["folder"], group["fix"])
    assert "lerim unscoped" in shell.ok("status").out

    shell.ok("project", "add", str(other), "--no-sync")
    assert [] == shell.ok("unscoped", "--json").json
    assert ["pending"] == [session["state"] for session in shell.ok("sessions", "list", "--json").json]


def test_skip_and_retry_are_remembered(shell, claude):
    """A skipped session stays out when it changes, until it is asked for."""
    shell.ok("sessions", "list")
    shell.ok("skip", "4f2a", "--reason", "not mine")
    with claude.open("a") as file:
        file.write(record("user", 5, shell.project, "more"))

    [session] = shell.ok("sessions", "list", "--json").json
    assert ("skipped", "not mine") == (session["state"], session["reason"])
    shell.ok("retry", "4f2a")
    assert ["pending"] == [session["state"] for session in shell.ok("sessions", "list", "--json").json]
    assert 2 == shell("retry").code


def test_the_audit_accounts_for_every_byte(shell, claude):
    """Whatever happened to a file, the sum is whole."""
    (claude.parent / "broken.jsonl").write_bytes(b"\x00\xff not json\n")
    (claude.parent / "empty.jsonl").write_bytes(b"")

    view = shell.ok("audit", "--json").json

    size = sum(path.stat().st_size for path in claude.parent.iterdir())
    assert view["whole"]
    assert size == view["bytes"] == sum(entry["bytes"] for entry in view["entries"])


def test_a_removed_agent_is_not_read_until_it_is_added_again(shell, claude):
    """Removing touches nothing of the agent's own."""
    shell.ok("sources", "remove", "claude")
    assert [] == shell.ok("sessions", "list", "--json").json
    assert claude.exists()
    shell.ok("sources", "add", "claude")
    assert 1 == len(shell.ok("sessions", "list", "--json").json)
    assert 2 == shell("sources", "add", "clude").code


def test_a_history_inside_the_repository_is_found(shell):
    """Some agents keep their sessions where they worked: every project is looked into."""
    (shell.project / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-11-01 10:00:00\n\n#### use tabs  \n\nOk, tabs it is.\n"
    )

    [session] = shell.ok("sessions", "list", "--json").json

    assert ("aider", str(shell.project)) == (session["agent"], session["project_root"])


def test_another_folder_of_an_agent_can_be_added(shell, claude, tmp_path):
    """A backup of an old laptop is read like the real thing."""
    old = tmp_path / "backup"
    (old / "projects").mkdir(parents=True)
    claude.parent.rename(old / "projects" / "-shop")

    assert [] == shell.ok("sessions", "list", "--json").json
    shell.ok("sources", "add", "claude", "--path", str(old))
    assert 1 == len(shell.ok("sessions", "list", "--json").json)


@pytest.mark.parametrize(
    "text",
    [
        "User: always use tabs\n\nAssistant: Done.\n",
        '[{"role": "user", "content": "always use tabs"}, {"role": "assistant", "content": "Done."}]',
        '{"role": "user", "content": "always use tabs"}\n{"role": "assistant", "content": "Done."}\n',
    ],
)
def test_a_trace_of_ones_own_is_imported(shell, text):
    """Plain text, a list of messages and JSON lines all become a session of this project."""
    (imported,) = shell.ok("trace", "import", "-", "--name", "review", "--json", stdin=text).json

    assert ("custom/review", "pending") == (imported["name"], imported["state"])
    lines = shell.ok("trace", "show", "custom/review", "--json").json
    assert [("user", "always use tabs"), ("assistant", "Done.")] == [(line["type"], line["text"]) for line in lines[1:]]


def test_a_trace_that_breaks_the_schema_is_refused_at_its_line(shell):
    """The message names the line, and nothing is kept."""
    bad = '{"role": "user", "content": "fine"}\n{"role": "wizard", "content": "no"}\n'

    done = shell("trace", "import", "-", "--name", "bad", stdin=bad)

    assert 2 == done.code
    assert "wizard" in done.err
    assert 1 == shell("trace", "show", "custom/bad").code


def test_the_window_holds_old_sessions_back(shell, claude):
    """Sessions outside the window are skipped with that reason; --all takes them."""
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text("[sources]\nwindow_days = 30\n")
    os.utime(claude, (1_600_000_000, 1_600_000_000))

    [session] = shell.ok("sessions", "list", "--json").json
    assert ("skipped", "outside the window") == (session["state"], session["reason"])
    [session] = shell.ok("sessions", "list", "--all", "--json").json
    assert "pending" == session["state"]


def test_a_secret_in_a_title_reaches_nothing(shell, claude, tmp_path):
    """Not the catalog, not the screen: redaction comes before anything is stored."""
    with claude.open("a") as file:
        file.write(json.dumps({"type": "ai-title", "aiTitle": f"token {SECRET} fails", "sessionId": RUN}) + "\n")

    listed = shell.ok("sessions", "list")

    assert SECRET not in listed.out + listed.err
    for path in (tmp_path / "lerim-home").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


@pytest.mark.parametrize("name", ["../../escape", "a/b", "", ".hidden", "sp ace"])
def test_an_imported_trace_has_a_plain_name(shell, tmp_path, name):
    """A name is a file's name: it leads nowhere else."""
    before = sorted(tmp_path.rglob("*.jsonl"))

    done = shell("trace", "import", "-", "--name", name, stdin="User: hi\n")

    assert 2 == done.code
    assert before == sorted(tmp_path.rglob("*.jsonl"))


def test_a_schema_error_names_file_and_line(shell, tmp_path):
    """The second line is the one that is wrong."""
    file = tmp_path / "bad.jsonl"
    file.write_text('{"role": "user", "content": "fine"}\n{"role": "wizard", "content": "no"}\n')

    assert f"{file}:2: " in shell("trace", "import", str(file)).err


def test_a_damaged_catalog_is_kept_aside_and_found_again(shell, claude, tmp_path):
    """Sessions are listed as before, and the memory is not touched."""
    added = shell.add("Stays")
    shell.ok("sessions", "list")
    catalog = tmp_path / "lerim-home" / "index" / "sessions.sqlite3"
    catalog.write_bytes(b"no database at all" * 100)

    done = shell.ok("sessions", "list", "--json")

    assert [RUN] == [session["run_id"] for session in done.json]
    assert "damaged" in done.err
    assert any(".damaged-" in path.name for path in catalog.parent.iterdir())
    assert [added["id"]] == [item["id"] for item in shell.ok("memory", "list", "--json").json]


def test_a_moved_project_keeps_its_sessions(shell, claude, tmp_path, monkeypatch):
    """They still name the old place, and belong to the project all the same."""
    shell.add("Known by its files")
    shell.ok("sessions", "list")
    moved = tmp_path / "renamed"
    shell.project.rename(moved)
    (moved / ".git").mkdir()
    monkeypatch.chdir(moved)
    shell.ok("status")

    [session] = shell.ok("sessions", "list", "--json").json

    assert (str(moved.resolve()), "pending") == (session["project_root"], session["state"])


def test_a_database_can_be_added_by_itself(shell, tmp_path):
    """Where an agent keeps all its sessions in one file, that file is as good as its folder; any other file is not."""
    store = tmp_path / "old-laptop" / "kilo.db"
    store.parent.mkdir()
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.executescript("CREATE TABLE session (id TEXT); CREATE TABLE message (id TEXT)")

    shell.ok("sources", "add", "opencode", "--path", str(store))
    refused = shell("sources", "add", "claude", "--path", str(store))

    assert 2 == refused.code
    assert "is not a folder of Claude Code" in refused.err


@pytest.mark.parametrize(
    ("is_known", "told"), [(False, ["draft the schema", "add soft deletes"]), (True, ["add soft deletes"])]
)
def test_a_fork_of_a_session_that_is_gone_tells_its_history_once(shell, tmp_path, is_known, told):
    """What was copied from a session whose file is gone is told, unless it was when that session was ingested."""
    folder = tmp_path / ".pi" / "agent" / "sessions" / "--shop--"
    folder.mkdir(parents=True)
    parent = folder / "2026-10-19T08-00-00-000Z_019e3f00-0000-7000-8000-000000000009.jsonl"
    fork = folder / "2026-10-20T10-00-00-000Z_019e44d4-0000-7000-8000-000000000001.jsonl"
    head = {"type": "session", "version": 3, "cwd": str(shell.project)}
    old, new = (
        {
            "type": "message",
            "id": name,
            "parentId": above,
            "timestamp": at,
            "message": {"role": "user", "content": text},
        }
        for name, above, at, text in (
            ("u1", None, "2026-10-19T08:00:01.000Z", "draft the schema"),
            ("u2", "u1", "2026-10-20T10:00:01.000Z", "add soft deletes"),
        )
    )
    if is_known:
        first = head | {"id": parent.stem.rpartition("_")[2], "timestamp": "2026-10-19T08:00:00.000Z"}
        parent.write_text(f"{json.dumps(first)}\n{json.dumps(old)}\n")
        shell.ok("sync")
        parent.unlink()
    second = head | {"id": fork.stem.rpartition("_")[2], "timestamp": "2026-10-20T10:00:00.000Z"}
    fork.write_text("".join(f"{json.dumps(item)}\n" for item in (second | {"parentSession": str(parent)}, old, new)))

    lines = shell.ok("trace", "show", "019e44d4", "--json").json

    assert told == [line["text"] for line in lines if line["type"] == "user"]


def test_a_project_that_moved_takes_its_old_sessions_along(shell, claude, tmp_path):
    """What `unscoped` offers for a folder that is gone works, and the folder that is there is refused."""
    text = claude.read_text().replace(str(shell.project), "/nowhere/old/shop")
    claude.write_text(text)
    shell.ok("init", "--no-sync", "--name", "shop")
    [group] = shell.ok("unscoped", "--json").json
    moved = shell.ok("project", "alias", "shop", "/nowhere/old/shop", "--json").json

    assert f"lerim project alias {shell.project} /nowhere/old/shop" == group["fix"]
    assert ("/nowhere/old/shop", 1) == (moved["old_root"], moved["sessions"])
    assert [] == shell.ok("unscoped", "--json").json
    assert "still there" in shell("project", "alias", "shop", str(shell.project)).err


def test_messages_that_do_not_say_where_belong_to_the_folder_they_lie_in(shell, tmp_path):
    """A folder of traces inside a project is that project's."""
    traces = shell.project / "traces"
    traces.mkdir()
    (traces / "call.json").write_text('[{"role": "user", "content": "always use tabs"}]')
    config = Path(os.environ["LERIM_HOME"]) / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f"[sources]\ncustom = ['{traces}']\n")
    shell.ok("init", "--no-sync")

    [session] = shell.ok("sessions", "list", "--json").json

    assert (str(shell.project), "pending") == (session["project_root"], session["state"])


def test_an_agent_disabled_in_the_settings_is_shown_as_such(shell, claude, tmp_path):
    """It is listed, not read, and the command that cannot change that says where it is set."""
    settings = tmp_path / "lerim-home" / "config.toml"
    settings.write_text('[sources]\nwindow_days = 0\ndisabled = ["claude"]\n')

    listed = {item["agent"]: item["enabled"] for item in shell.ok("sources", "list", "--json").json}
    assert (False, True) == (listed["claude"], listed["codex"])
    assert [] == shell.ok("sessions", "list", "--json").json
    assert "sources.disabled" in shell("sources", "add", "claude").err
    settings.write_text('[sources]\ndisabled = ["clode"]\n')
    assert "clode" in shell("sessions", "list").err


def test_a_pattern_of_ones_own_is_redacted(shell, claude):
    """The user's and the project's patterns both count."""
    with claude.open("a") as file:
        file.write(record("user", 5, shell.project, "ticket ACME-12345 and house Ferret"))
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text(
        '[sources]\nwindow_days = 0\n[redaction]\npatterns = ["ACME-[0-9]+"]\n'
    )
    (shell.project / ".lerim" / "config.toml").write_text('[redaction]\npatterns = ["Ferret"]\n')

    text = shell.ok("trace", "show", "4f2a", "--who", "user", "--json").json[-1]["text"]

    assert "ACME-12345" not in text
    assert "Ferret" not in text
    assert 2 == text.count("[redacted:custom:")


def test_a_fork_tells_only_what_is_new(shell, claude):
    """What it repeats of its parent session is skipped; the rest follows."""
    from lerim.service import Lerim

    fork = claude.with_name("9e8d7c6b-0000-4000-8000-000000000002.jsonl")
    fork.write_text(claude.read_text().replace(RUN, fork.stem) + record("user", 5, shell.project, "try yarn instead"))
    os.utime(claude, (1_700_000_000, 1_700_000_000))
    with Lerim(shell.project) as lerim:
        sessions = lerim.sessions
        sessions.discover()
        job = sessions.queue.claim("test")
        assert job is not None
        assert RUN == job.session.run_id
        sessions.complete(job, sessions.read(job.session))

    lines = shell.ok("trace", "show", fork.stem, "--json").json

    assert ["try yarn instead"] == [line["text"] for line in lines if line["type"] == "user"]
    assert RUN == lines[0]["forked_from"]
    assert "done" == shell.ok("sessions", "show", RUN, "--json").json["state"]


def test_reading_never_writes_into_an_agents_folder(shell, claude):
    """Not a byte, not a file."""
    before = {path: path.read_bytes() for path in claude.parent.parent.rglob("*") if path.is_file()}

    for argv in (["sources", "doctor"], ["sessions", "list"], ["trace", "show", "4f2a"], ["audit"]):
        shell.ok(*argv)

    assert before == {path: path.read_bytes() for path in claude.parent.parent.rglob("*") if path.is_file()}
