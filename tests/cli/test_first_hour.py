"""The first hour of a user: what is old is taken in, what happens is seen, and every end names the next command."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import pytest

from lerim import Lerim, __version__
from lerim.cli.main import main
from lerim.cli.output import Output, _width
from lerim.examples import install
from lerim.flows.intake import PATIENCE


def lay_out(home: Path, project: Path, days: int) -> None:
    """The example sessions, the newest of which ended so many days ago."""
    when = datetime.now(UTC) - timedelta(days=days)
    install(home, project, when)
    for path in home.rglob("*"):
        if path.is_file() and ".lerim" not in path.parts:
            os.utime(path, (when.timestamp(), when.timestamp()))


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colors are no letters, and are not counted."""
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def old(shell: Any, tmp_path: Path) -> Path:
    """A project whose agents last worked half a year ago."""
    lay_out(tmp_path, shell.project, 180)
    return tmp_path


# --- sessions from before the window -------------------------------------------------------------------------------


def test_the_first_sync_of_a_project_takes_what_is_there(shell, old):
    """The window is for those who come again: somebody who comes for the first time gets the memory of half a year."""
    done = shell.ok("sync")

    assert "6 sessions" in done.out
    assert {"done": 6} == shell.ok("status", "--json").json["sessions"]
    assert "lerim review" in done.err


def test_the_newest_session_is_read_first_and_the_last_word_holds(shell, old):
    """A user who watches sees what they remember; the queue that was chosen last holds although it was read first."""
    done = shell.ok("sync", "--json").json

    started = {s["name"]: s["started"] for s in shell.ok("sessions", "list", "--json").json}
    order = [started[taken["session"]] for taken in done["sessions"]]
    assert sorted(order, reverse=True) == order
    titles = [memory["title"] for memory in shell.ok("memory", "list", "--json").json]
    assert any("procrastinate" in title for title in titles)
    [celery] = shell.ok("memory", "list", "--json", "--status", "superseded").json
    assert "Celery" in celery["title"]
    assert celery["valid_from"] < celery["valid_until"] < celery["created"]


def test_whoever_has_synced_before_is_told_what_is_older(shell, old, tmp_path):
    """How many there are, the command that takes them, and how long that would take."""
    shell.ok("sync", "--limit", "1")

    done = shell.ok("sync")

    assert "no new sessions" in done.out
    assert re.search(r"5 sessions are older than 30 days: lerim sync --all \(about \d+ s\)", done.err)
    assert 5 == shell.ok("status", "--json").json["sessions"]["outside the window"]
    assert 5 == shell.ok("sync", "--json").json["outside_window"]
    assert "5 sessions" in shell.ok("sync", "--all").out


def test_whoever_names_a_window_has_it(shell, old):
    """`--since` means that, on the first day as well."""
    done = shell.ok("sync", "--since", datetime.now(UTC).strftime("%Y-%m-%d"))

    assert "no new sessions" in done.out
    assert "6 sessions are older" in done.err


def test_a_first_sync_ends_when_nobody_would_wait_longer(shell, old):
    """What is left waits outside the window, and a later sync without it takes the rest."""
    with Lerim() as lerim:
        assert [] == list(lerim.sync(patience=0.0))
        assert 6 == lerim.sessions.queue.outside_window()[0]
        first = next(iter(lerim.sync(patience=PATIENCE)))
        assert first.result is not None
    assert 5 == shell.ok("status", "--json").json["sessions"]["outside the window"]


def test_an_empty_memory_with_old_sessions_is_led_to_them(shell, old):
    """No advice to write memories by hand beside half a year of work."""
    shell.ok("sessions", "list")

    assert "lerim sync --all" == shell.ok("status", "--json").json["next"][0]


def test_init_takes_what_the_agents_left(shell, tmp_path):
    """Whoever makes a repository a project sees at once what is known of it, and nothing of another one."""
    project = tmp_path / "repo"
    (project / ".git").mkdir(parents=True)
    lay_out(tmp_path, project, 100)

    done = shell.ok("init", str(project))

    assert "repo is ready" in done.out
    assert "6 sessions" in done.out
    assert "next: lerim" in done.err


def test_init_can_be_told_not_to(shell, tmp_path):
    """A script that only registers reads nothing."""
    project = tmp_path / "repo"
    (project / ".git").mkdir(parents=True)
    lay_out(tmp_path, project, 0)

    assert "session" not in shell.ok("init", str(project), "--no-sync").out
    assert shell.ok("project", "add", str(project), "--no-sync", "--json").json["root"] == str(project)


def test_init_spends_nothing_unasked(shell, old, monkeypatch):
    """Where a model reads, it says what there is and how to see the price."""
    settings = '[roles.extract]\nprovider = "openai"\nmodel = "small"\n'
    (Path(os.environ["LERIM_HOME"]) / "config.toml").write_text(settings, "utf-8")

    done = shell.ok("init")

    assert "6 sessions are here; what reading costs: lerim sync --dry-run" in done.err
    assert "done" not in shell.ok("status", "--json").json["sessions"]


# --- the end of a sync ---------------------------------------------------------------------------------------------


def test_the_end_of_a_sync_says_what_came_of_it(shell, tmp_path):
    """Kept, noted for review, skipped and why, and the next command."""
    lay_out(tmp_path, shell.project, 1)
    silent = next((tmp_path / ".claude").rglob("*.jsonl")).with_name("00000000-0000-4000-8000-000000000000.jsonl")
    said = {"role": "assistant", "content": "Ready."}
    about = {"uuid": "u1", "cwd": str(shell.project), "sessionId": silent.stem, "timestamp": "2026-11-01T10:00:00Z"}
    silent.write_text(json.dumps({"type": "assistant", **about, "message": said}) + "\n")

    done = shell.ok("sync")

    assert re.search(r"7 sessions · \d+ added .* · \d+ noted for review", done.out)
    assert "1 skipped: the user said nothing" in done.out
    assert re.search(r"\d+ candidates wait for your decision", done.err)
    assert done.err.rstrip().endswith("next: lerim review")
    waiting = re.search(r"(\d+) candidates wait", done.err)
    assert waiting is not None and int(waiting[1]) == len(shell.ok("review", "list", "--json").json)


# --- what is seen while it works -----------------------------------------------------------------------------------


def on_terminal(columns: int, work: Callable[[TextIO], object]) -> str:
    """What a real terminal of this width is sent."""
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with open(writer, "w", encoding="utf-8") as terminal:
        work(terminal)
    sent = b""
    with suppress(OSError):  # At its end, a terminal that nobody writes to any more says so.
        while piece := os.read(reader, 65_536):
            sent += piece
    os.close(reader)
    return sent.decode().replace("\r\n", "\n")


def watched(*moves: tuple[str, int, int] | str | float) -> str:
    """What is sent while something works: steps as they move, notes between them, and time that passes."""

    def work(terminal: TextIO) -> None:
        out = Output(out=terminal, err=terminal)
        for move in moves:
            if isinstance(move, float):
                time.sleep(move)
            elif isinstance(move, str):
                out.note(move)
            else:
                out.progress(*move)

    return on_terminal(60, work)


def test_a_step_is_seen_as_soon_as_it_begins():
    """Nothing is done yet, and nobody knows how much there is: the line is there."""
    assert "looking for sessions …" in watched(("looking for sessions", 0, 0))
    assert "reading sessions [....................] 0/12" in watched(("reading sessions", 0, 12))


def test_a_line_that_moves_stays_one_line_and_goes():
    """It is written over in place, is never longer than the terminal, and leaves nothing behind."""
    step = "reading the sessions of an agent with a very long name indeed"
    sent = watched((step, 0, 9), "a word", (step, 9, 9))

    assert "\n" not in sent.split("a word")[0]
    assert max(len(part) for part in re.split(r"[\r\n]|\x1b\[K", sent)) < 60
    assert "\r\x1b[Ka word" in sent


def test_rates_are_told_once_they_mean_something():
    """Two of ten in a second: so many a second, and how long it will take."""
    sent = watched(("reading", 0, 10), 0.6, ("reading", 2, 10))

    assert re.search(r"2/10 · \d\.\d/s · \d+ s left", sent)


def test_where_nobody_sees_it_move_a_line_comes_now_and_then(monkeypatch):
    """In a log there are a few plain lines, and none for a program that reads one document."""
    monkeypatch.setattr("lerim.cli.output._LINE_SECONDS", 0.0)
    log, document = StringIO(), StringIO()
    for out in (Output(out=StringIO(), err=log), Output(as_json=True, out=StringIO(), err=document)):
        for done in range(4):
            out.progress("reading sessions", done, 9)

    assert "reading sessions: 3 of 9" == log.getvalue().splitlines()[-1]
    assert "\r" not in log.getvalue()
    assert "" == document.getvalue()


def test_where_nobody_watches_nothing_moves(shell, old):
    """A log is not filled with bars, and a program's document stays one."""
    done = shell.ok("sync", "--json")

    assert "reading sessions" not in done.out + done.err


# --- titles and tables ---------------------------------------------------------------------------------------------


def test_a_session_is_listed_by_what_was_asked_for(shell, old):
    """Before it was read as well as after, and in what a sync would ingest."""
    before = shell.ok("sessions", "list", "--json").json
    plan = shell.ok("sync", "--dry-run").out
    shell.ok("sync")
    after = shell.ok("sessions", "list", "--json").json

    assert all(session["title"] for session in (*before, *after))
    assert all(session["title"][:30] in plan for session in before)


ROWS = [
    ["dec-56r2h22spe", "decision (superseded)", "Store and compare all times in UTC and convert only in the API layer"],
    ["dec-g4eudonunu", "decision", "データベースはPostgreSQLを使い、キューにはprocrastinateを使うことに決めました"],
    ["sum-khllk5ki32", "summary", "Send it " + "x" * 90],
]


@pytest.mark.parametrize("columns", [30, 80, 100, 120])
def test_a_row_is_one_line_and_the_title_has_the_room(columns):
    """Whatever else there is to tell comes second, whatever script it is in and however long an id or path."""
    rows = [[*row, "some tags here", "0.80", "/a/path/that/is/quite/" + "long/" * 9, "2026-11-16"] for row in ROWS]
    header = ["ID", "KIND", "TITLE", "TAGS", "CONF", "FILE", "UPDATED"]
    sent = on_terminal(
        columns, lambda terminal: Output(out=terminal).table(header, rows, flexible=2, spare=(3, 4, 5, 6))
    )

    lines = sent.splitlines()
    assert 4 == len(lines)
    assert max(map(_width, lines)) <= columns
    if columns >= 80:
        title = next(line for line in lines if "Store" in line)
        assert "Store and compare all times in UTC" in title
        assert all(line.startswith(row[0]) for line, row in zip(lines[1:], ROWS, strict=True))


def test_a_memory_is_listed_with_its_title(shell, synced, monkeypatch):
    """On 80 columns a title has fifty of them."""

    def work(terminal: TextIO) -> None:
        monkeypatch.setattr(sys, "stdout", terminal)
        main(["memory", "list"])

    lines = on_terminal(80, work).splitlines()
    monkeypatch.undo()
    assert max(map(_width, lines)) <= 80
    assert any("Write tests as plain pytest functions with fixtures" in line for line in lines)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_text_is_wrapped_between_words(columns):
    """In as far as it was, and a little more; a path that is longer than a line stays whole and can be copied."""
    text = "  We drop Celery and use procrastinate on our Postgres instead, see " + "/a/very/long/path" * 9
    text += " and データベースはPostgreSQL を使い キューには procrastinate"
    sent = on_terminal(columns, lambda terminal: Output(out=terminal).say(text)).rstrip("\n")

    lines = sent.split("\n")
    assert text.split() == sent.split()
    assert all(line.startswith("    ") for line in lines[1:])
    assert all(_width(line) <= columns or "/a/very/long/path" in line for line in lines)


def test_each_hit_says_why_it_was_found(shell, synced):
    """In words, or not at all: a bare "matched" tells nobody anything."""
    found = shell.ok("search", "where do mails get sent", "--json").json
    shown = shell.ok("search", "where do mails get sent").out

    assert found
    assert "matched" not in [hit["why"] for hit in found]
    assert "· \n" not in shown
    assert not re.search(r"· (?:matched)?$", shown, re.MULTILINE)


def test_lerim_runs_as_a_module_too(tmp_path):
    """Where pip put the script is not on everybody's PATH."""
    done = subprocess.run(
        [sys.executable, "-m", "lerim", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert __version__ in done.stdout
