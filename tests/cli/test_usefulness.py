"""`lerim usefulness` and `lerim replay`, on the bundled examples and a session that has to be told the same again."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.connect.hook import run_hook


def talk(home: Path, project: Path, *said: tuple[str, str]) -> None:
    """A session of today, as Claude Code leaves it."""
    file = home / ".claude" / "projects" / "-berths" / "today.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "type": who,
            "uuid": f"u{number}",
            "sessionId": "today",
            "cwd": str(project),
            "timestamp": f"{datetime.now(UTC):%Y-%m-%dT%H:%M}:{number:02}Z",
            "message": {"role": who, "content": text if who == "user" else [{"type": "text", "text": text}]},
        }
        for number, (who, text) in enumerate(said)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(file, (time.time() - 60,) * 2)


def test_before_anybody_was_given_a_brief_there_is_nothing_to_say(shell):
    done = shell.ok("usefulness")

    assert "no session was given a memory yet" in done.out
    assert "lerim connect" in done.err


def give_brief(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Claude Code calls the hook when the session of today starts."""
    reading, writing = os.pipe()
    os.write(writing, json.dumps({"session_id": "today", "cwd": str(project)}).encode())
    os.close(writing)
    monkeypatch.setattr("lerim.connect.hook_payload.read_payload.__defaults__", (reading,))
    assert 0 == run_hook(["session-start", "--agent", "claude"])
    os.close(reading)


def test_what_a_session_was_given_does_not_fade(shell, monkeypatch):
    """Handed out is used, though nobody can say that it helped."""
    shell.add("Use Luxon for dates", "--body", "It knows zones.")
    shell.ok("brief", "refresh", "--force")
    give_brief(shell.project, monkeypatch)

    shell.ok("usefulness")

    (kept,) = shell.ok("memory", "list", "--json").json
    assert (True, 0) == (bool(kept["last_used"]), kept["uses"])


def test_the_examples_tell_whether_it_helps(shell, synced, tmp_path, monkeypatch):
    """The examples are taken in; a session of today is given the brief, and has to be told one of its lines again."""
    known = [one for one in shell.ok("memory", "list", "--json").json if one["primitive"] == "decision"]
    again = known[0]["title"]
    give_brief(shell.project, monkeypatch)
    correction = ("user", f"no, as I said: {again[0].lower()}{again[1:]}")
    talk(tmp_path, shell.project, ("user", "add a map of the harbor"), ("assistant", "Done."), correction)
    shell.ok("sync")

    replayed_as_of_then(shell, shell.ok("replay", "--all", "--json").json)
    brief, _, outcome = shell.ok("replay", "claude/today").out.partition("claude/today")
    assert again in " ".join(brief.split()) and "1 of 1 prevented" in outcome
    said_again(shell.ok("usefulness").out, shell.ok("usefulness", "--json").json, known[0]["id"])


def replayed_as_of_then(shell: Any, found: Any) -> None:
    """The first session had nothing to go by, the last ones what had been settled; nobody knew what came later."""
    sessions = sorted(found["sessions"], key=lambda one: one["started"])
    assert 7 == len(sessions)
    assert [] == sessions[0]["records"] and sessions[-1]["records"]
    said = {one["id"]: one["valid_from"] for one in shell.ok("memory", "list", "--json").json}
    for session in sessions:
        assert all(said[record] < session["started"] for record in session["records"] if record in said)
    (score,) = found["scores"]
    assert 0 < score["corrections_prevented"] < score["corrections"] and 0 < score["share"] < 1


def said_again(text: str, found: Any, record: str) -> None:
    assert "1 session was given memories" in text
    assert "said again although a memory said it" in text and "claude/today#L" in text
    assert (1, 1) == (found["sessions"], found["judged"])
    assert [(record, True)] == [(one["id"], one["given"]) for one in found["said_again"]]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["replay"], "lerim replay --all"),
        (["replay", "claude/x", "--all"], "lerim replay --all"),
        (["replay", "claude/x", "--project", "y"], "lerim replay --all --project y"),
        (["replay", "claude/nobody"], "lerim sessions list"),
    ],
)
def test_what_cannot_be_replayed_is_said_with_the_next_command(shell, words, hint):
    done = shell(*words)

    assert done.code in (1, 2)
    assert hint in done.err
