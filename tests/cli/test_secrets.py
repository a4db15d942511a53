"""Secrets and the command line: what is masked is told, and a scan answers with its exit code."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from lerim.cli.main import main

from .conftest import Shell

PASSWORD = "Kestrel-4711!"
TOLD = f"The staging password is {PASSWORD}"
TOKEN = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def test_adding_a_secret_warns_and_names_the_way_to_keep_it(shell: Shell) -> None:
    """The line and the kind are told, the secret is not."""
    done = shell.ok("memory", "add", "--primitive", "decision", "--title", "Staging", "--body", TOLD)

    assert "looks like a secret (password)" in done.err
    assert "--allow-secret" in done.err
    assert PASSWORD not in done.out + done.err
    assert PASSWORD not in "".join(path.read_text() for path in shell.memory.rglob("*.md"))


def test_a_person_keeps_it_with_a_flag(shell: Shell) -> None:
    """Without a warning, and the file says whose word it is."""
    done = shell.ok("memory", "add", "--primitive", "decision", "--title", "Staging", "--body", TOLD, "--allow-secret")
    (text,) = [path.read_text() for path in shell.memory.rglob("*.md") if PASSWORD in path.read_text()]

    assert "looks like a secret" not in done.err
    assert "allow_secret: true" in text


def test_a_scan_of_a_clean_memory_succeeds(shell: Shell) -> None:
    """Nothing to tell, and an empty list for programs."""
    shell.add("Deploy on Tuesdays")

    assert 0 == shell("memory", "scan").code
    assert [] == shell("memory", "scan", "--json").json["findings"]


def _file_with_secret(shell: Shell) -> Path:
    shell.add("Deploy on Tuesdays")
    (path,) = (shell.memory / "decisions").glob("*.md")
    path.write_text(path.read_text() + f"\n{TOLD}\n")
    return path


def test_a_scan_that_finds_something_fails_and_says_where(shell: Shell) -> None:
    """One for what is left, three when the fix leaves what is a person's to change."""
    path = _file_with_secret(shell)
    found, fixed = shell("memory", "scan"), shell("memory", "scan", "--fix")

    assert (1, 3) == (found.code, fixed.code)
    assert f"{path}:{len(path.read_text().splitlines())}" in found.out
    assert PASSWORD not in found.out + found.err + fixed.out + fixed.err


def test_a_scan_tells_programs_the_same(shell: Shell) -> None:
    """Path, line and kind of each, and never the secret."""
    path = _file_with_secret(shell)
    done = shell("memory", "scan", "--json")

    assert 1 == done.code
    assert [(str(path), "password")] == [(item["where"], item["kind"]) for item in done.json["findings"]]
    assert PASSWORD not in done.out


def test_a_scan_of_traces_finds_what_older_rules_left(shell: Shell) -> None:
    """Only when asked."""
    shell.add("Deploy on Tuesdays")
    folder = shell.project / ".lerim" / "meta" / "traces" / "sessions" / "2026"
    folder.mkdir(parents=True)
    (folder / "old.jsonl").write_text(
        json.dumps({"text": "hello"}) + "\n" + json.dumps({"text": f"use {TOKEN}"}) + "\n"
    )
    without, done = shell("memory", "scan"), shell("memory", "scan", "--traces")

    assert (0, 1) == (without.code, done.code)
    assert "old.jsonl:2" in done.out
    assert TOKEN not in done.out + done.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_scan_opens_no_link_and_no_pipe(shell: Shell, tmp_path: Path) -> None:
    """Whoever laid out a repository must not have other files read, nor the command wait."""
    shell.add("Deploy on Tuesdays")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "theirs.jsonl").write_text(f"use {TOKEN}\n")
    folder = shell.project / ".lerim" / "meta" / "traces" / "sessions"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "endless.jsonl")
    (folder / "link.jsonl").symlink_to(outside / "theirs.jsonl")

    assert 0 == shell("memory", "scan", "--traces").code
    shutil.rmtree(folder)
    folder.symlink_to(outside)
    assert 0 == shell("memory", "scan", "--traces").code


# --- From a session to the screen -------------------------------------------------------------------------------------


def _session(home: Path, project: Path, run_id: str, *texts: str) -> None:
    folder = home / ".claude" / "projects" / str(project).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, text in enumerate(texts):
        record = {
            "type": "user",
            "sessionId": run_id,
            "uuid": f"00000000-0000-4000-8000-00000000000{number}",
            "timestamp": f"2026-01-05T10:00:0{number}.000Z",
            "cwd": str(project),
            "gitBranch": f"fix/{TOKEN}",
            "version": "2.0.0",
            "message": {"role": "user", "content": text},
        }
        lines.append(json.dumps(record))
    (folder / f"{run_id}.jsonl").write_text("\n".join(lines) + "\n")


def test_a_session_named_by_a_secret_never_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its id, its title and its branch: not in the catalog, the archive or the store, nor on the screen."""
    home, project = tmp_path / "home", tmp_path / "shop"
    for folder in (home, project / ".git"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("LERIM_HOME", raising=False)
    monkeypatch.chdir(project)
    _session(home, project, TOKEN, f"Deploy with {TOKEN} please", "We decided to deploy on Tuesdays, always.")

    assert 0 == main(["sync"])
    synced = capsys.readouterr()
    assert 0 == main(["sessions", "list", "--json"])
    shown = capsys.readouterr()
    (listed,) = json.loads(shown.out)
    run_id = listed["run_id"]
    assert run_id.startswith("redacted-")
    assert 0 == main(["trace", "show", run_id])
    printed = capsys.readouterr()

    assert "Deploy with [redacted:github-token" in printed.out
    assert TOKEN not in synced.out + synced.err + printed.out + printed.err
    # Where the agent keeps its file is told as it is: it is read from there.
    told = {name: value for name, value in listed.items() if not str(value).startswith(str(home / ".claude"))}
    assert TOKEN not in json.dumps(told)
    kept = [path for root in (home / ".lerim", project / ".lerim") for path in root.rglob("*") if path.is_file()]
    # Nor does the catalog forget that place.
    kept = [path for path in kept if not path.name.startswith("sessions.sqlite3")]
    assert [] == [path for path in kept if TOKEN.encode() in path.read_bytes() or TOKEN in str(path)]
