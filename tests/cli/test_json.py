"""What programs read: every command answers with the document that docs/json.md promises for it."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.context.records import Evidence, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.service import Lerim

from .conftest import documents, is_documented


@pytest.fixture
def world(shell: Any, synced: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A project whose agents' sessions were taken in, with candidates that wait; what commands refer to, by name."""
    monkeypatch.setenv("EDITOR", "sed -i.bak s/faster/safer/")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "notes.md").write_text("# Notes\n\n- Always run the linter before a commit.\n")
    (tmp_path / "talk.txt").write_text("User: We use tabs.\nAssistant: Understood.\n")
    (tmp_path / "ward.toml").write_text('about = "Work of a ward."\n')
    session = shell.ok("sessions", "list", "--json").json[0]
    first, second = (shell.add(title) for title in ("Use JWT bearer tokens", "Use sessions instead"))
    found = dict(zip(("waiting", "other", "third"), propose(session["name"]), strict=True))
    return {
        "session": session["name"],
        "first": first["id"],
        "second": second["id"],
        "folder": str(tmp_path / "elsewhere"),
        "notes": str(tmp_path / "notes.md"),
        "talk": str(tmp_path / "talk.txt"),
        "profile": str(tmp_path / "ward.toml"),
        "jsonl": str(tmp_path / "out.jsonl"),
        "home": os.environ["LERIM_HOME"],
        "copy": str(tmp_path / "copy"),
        **found,
    }


def propose(session: str) -> list[str]:
    agent, _, run_id = session.partition("/")
    found = [
        ReviewCandidate(
            new_review_id(),
            session,
            "sync-20260220-103000-aaaaaa",
            Primitive.DECISION,
            title,
            "It is faster.",
            confidence=0.55,
            created=datetime(2026, 2, 20, 10, 30, tzinfo=UTC),
            evidence=(Evidence(agent, run_id, 2, 2, title, Trust.USER),),
        )
        for title in ("Prefer pnpm", "Prefer uv", "Prefer just")
    ]
    with Lerim() as lerim, lerim.memory.target().change("lerim", "sync", "sync-1") as change:
        return [saved.id for saved in ReviewList(change).save_all(session, found)]


#: One line a command, in an order in which each has something to say; more lines where it has several documents.
LINES = """
init
project add {folder}
project list
project alias elsewhere /nowhere/before
project profile
project profile support
project profile coding
profile list
profile show sales
profile new clinic
profile add {profile}
project untrust
project trust
project show
project remove elsewhere --yes
status
config show
completion bash
hook session-start --agent claude
grounding
grounding check
grounding show {first}
grounding check {second}
usefulness
replay --all
replay {session}
models check --offline
models use embedded --yes
cost
connect list
connect add claude --yes
connect
disconnect claude --yes
connect doctor
sources auto
sources list
sources doctor
sources remove cursor
sources add cursor
sessions list
sessions show {session}
trace show {session}
trace sheet {session}
trace import {talk}
unscoped
audit
queue
skip {session}
retry {session}
sync --dry-run
sync
ingest {talk}
runs list
runs show --log
memory list
memory show {first}
memory edit {first} --title Use-short-tokens
memory history {first}
memory diff {first}
memory archive {first}
memory restore {first}
memory supersede {first} --by {second}
memory undo
memory export {jsonl}
memory export - --history
memory import {notes}
memory check
memory check --share
memory scan
memory rebuild --from files
memory rebuild --from store
search tokens --explain
memory search tokens
graph
graph show
graph neighbors {second}
graph clusters
graph path {second} {second}
graph export
graph export --format json --output -
graph rebuild
--version
index
helper status
helper stop
helper run
daemon run --once
daemon status
daemon start
daemon stop
daemon install --dry-run
daemon uninstall
ask which tokens do we use --explain
answer which tokens do we use
chat which tokens do we use
feedback {second} useful
brief show
brief
brief status
brief path
brief refresh --force
working-memory show
working-memory status
working-memory path
working-memory refresh
clinic show --budget 2000
clinic status
clinic path
clinic refresh
status --slo
maintain
maintain --unattended
maintain --plan
curate
undo
review
review go
review list
review next
why {waiting}
review reject {waiting} --reason no
review restore {waiting}
review decide {waiting} same --record {first}
review accept {other}
review edit {third}
why {second}
why --rejected {session}
memory add --primitive decision --title Last
backup make
backup list
restore
storage status
storage check
storage upgrade
storage copy {home} {copy} --dry-run
storage copy {home} {copy}
memory reset --scope project --yes
"""


def test_every_command_answers_with_its_document(shell: Any, world: dict[str, str]) -> None:
    """Field by field, with nothing missing and nothing more.

    `review judge` needs a model, `mcp` a client, `worker` and `project join` a store that is shared, and `serve` and
    `dashboard` go on: they are tried beside it.
    """
    answered: dict[str, Any] = {}
    for line in LINES.strip().splitlines():
        words = [word.format(**world) for word in line.split()]
        done = shell(*words, "--json", stdin="")
        assert done.code in (0, 3), f"{line}: {done.out}{done.err}"
        answered[line] = done.json

    wrong = {line: json.dumps(found) for line, found in answered.items() if not is_documented(line.split(), found)}
    assert {} == wrong
    tried = {command for command in documents() if any(f"{line} ".startswith(f"{command} ") for line in answered)}
    # Those of `lerim team` are tried in test_team.py, where a store is shared.
    tried |= {command for command in documents() if command.startswith("team ")}
    assert {"review judge", "mcp", "worker", "serve", "dashboard", "project join"} == set(documents()) - tried


def test_a_failure_is_a_document_too(shell: Any) -> None:
    """With what went wrong, and what to type next."""
    assert {
        "error": "no record 'dec-abc' in this scope",
        "hint": "lerim memory list --status all",
    } == shell("memory", "show", "dec-abc", "--json").json


@pytest.mark.parametrize(
    ("words", "document"),
    [
        ("completion", {"shell": "bash", "script": "…", "more": 1}),
        ("completion", {"shell": "bash"}),
        ("completion", {"shell": "bash", "script": None}),
        ("completion", [{"shell": "bash", "script": "…"}]),
        ("memory list", [{"id": "dec-k3v9q2m7xa"}]),
    ],
)
def test_another_document_is_told_apart(words: str, document: Any) -> None:
    """The check that all of these tests rely on does not let everything pass."""
    assert not is_documented(words.split(), document)
