"""`lerim team`, and the everyday commands of those who were let in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lerim.examples import install

from ..postgres_server import MISSING, execute, server, url_of

_ME, _NUMBERS = f"t{os.getpid()}", count()
_EVERYDAY = """
memory list
memory check
status
brief
review list
project list
sync
index
graph show
cost
queue
maintain
"""


class Office:
    """People with a machine each, who share a store."""

    def __init__(self, folder: Path, url: str, shell: Any, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.url = {"ada": url}
        self._shell = shell
        self._patch = patch

    def sit(self, who: str, repository: str = "shop") -> None:
        """Let somebody type, in their clone of a repository."""
        home, clone = self.folder / who, self.folder / who / repository
        self._patch.setenv("HOME", str(home))
        self._patch.setenv("LERIM_HOME", str(home / ".lerim"))
        self._patch.setenv("LERIM_STORAGE_URL", self.url[who])
        if not clone.exists():
            clone.mkdir(parents=True)
            address = f"https://git.example.com/team/{repository}.git"
            subprocess.run(["git", "init", "-q"], cwd=clone, check=True)
            subprocess.run(["git", "remote", "add", "origin", address], cwd=clone, check=True)
        self._patch.chdir(clone)

    def add(self, who: str) -> str:
        """Let the owner add somebody; what they are called there."""
        self.sit("ada")
        added = self._shell.ok("team", "add", f"{who}_{_ME}", "--json").json
        self.url[who] = added["url"]
        return str(added["name"])


@pytest.fixture
def office(shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    if not server():
        pytest.skip(MISSING)
    name = f"lerim_office_{os.getpid()}_{next(_NUMBERS)}"
    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    made = Office(tmp_path, url_of(name), shell, monkeypatch)
    made.sit("ada")
    yield made
    made.sit("ada")
    for member in shell("team", "list", "--json").json:
        shell.ok("team", "remove", member["name"], "--yes")


def test_a_team_from_the_first_member_to_the_last(office: Office, shell: Any) -> None:
    shell.ok("init", "--no-sync")
    shell.add("Pay by invoice only")
    assert "nobody but you yet" in shell("team", "list").err
    assert "owner" in shell.ok("team", "whoami").out
    bob = office.add("bob")
    assert "is writer of shop" in shell.ok("team", "grant", bob, "writer", "--project", "shop").out
    shell.ok("team", "grant", bob, "reader", "--json")
    assert shell.ok("team", "list", "--json").json[0]["grants"] == [
        {"role": "reader", "project_id": None, "project": None},
        {"role": "writer", "project_id": shell("project", "list", "--json").json[0]["id"], "project": "shop"},
    ]
    assert f"{bob} is no longer reader of all projects" in shell.ok("team", "revoke", bob).out
    office.sit("bob")
    assert shell.ok("team", "whoami", "--json").json["name"] == bob
    made = shell.ok("team", "token", "create", "--label", "ci", "--project", "shop", "--json").json
    assert made["token"].startswith("lerim_") and made["role"] == "reader"
    assert shell.ok("team", "token", "list", "--json").json[0]["holds"] is True
    assert shell.ok("team", "token", "revoke", "ci", "--json").json["holds"] is False
    office.sit("ada")
    assert {entry["action"] for entry in shell.ok("team", "audit", "--json").json} >= {"rights", "read"}
    assert shell.ok("team", "audit", "--who", bob, "--action", "rights", "--limit", "1").out.count("token") == 1
    assert shell.ok("team", "remove", bob, "--yes", "--json").json == {"name": bob}
    office.sit("bob")
    assert "there is no such user" in shell("memory", "list").err


def test_a_member_works_as_ever(office: Office, shell: Any) -> None:
    """Each of the everyday commands, as a writer of one project."""
    shell.ok("init", "--no-sync")
    shell.add("Pay by invoice only")
    office.sit("ada", "orchard")
    shell.ok("init", "--no-sync")
    shell.add("Kestrel is the code name")
    bob = office.add("bob")
    shell.ok("team", "grant", bob, "writer", "--project", "shop")
    office.sit("bob")
    shell.ok("init", "--no-sync")
    added = shell.add("Ship on Fridays")
    shell.ok("memory", "add", "--primitive", "decision", "--title", "My own way", "--scope", "global")
    assert "Ship on Fridays" in shell.ok("search", "fridays").out
    assert "invoice" in shell.ok("search", "how do we pay").out
    assert "Kestrel" not in shell.ok("search", "kestrel").out
    shell.ok("memory", "archive", added["id"], "--reason", "for now")
    shell.ok("memory", "undo")
    for line in _EVERYDAY.strip().splitlines():
        shell.ok(*line.split())
    assert shell("project", "remove", "shop", "--yes").code == 1
    assert shell("memory", "reset", "--scope", "project", "--yes", "--shared", "shop").code == 1
    assert "Ship on Fridays" in shell.ok("memory", "list").out
    # What is not theirs is as what there is not.
    refused = []
    for repository in ("orchard", "nowhere"):
        office.sit("bob", repository)
        done = shell("init", "--no-sync")
        refused.append((done.code, done.err.replace(repository, "")))
    assert refused[0] == refused[1] and refused[0][0] == 1


@pytest.mark.drill
def test_sessions_of_a_member_are_uploaded_and_learned_from(office: Office, shell: Any) -> None:
    """From one member's machine to another's worker; those who only read take none."""
    shell.ok("init", "--no-sync")
    bob, eve = office.add("bob"), office.add("eve")
    shell.ok("team", "grant", bob, "writer", "--project", "shop")
    shell.ok("team", "grant", eve, "reader", "--project", "shop")
    office.sit("bob")
    shell.ok("init", "--no-sync")
    install(office.folder / "bob", office.folder / "bob" / "shop", datetime.now(UTC))
    shell.ok("sync")
    office.sit("eve")
    shell.ok("init", "--no-sync")
    assert shell.ok("memory", "list", "--json").json == []
    shell("worker", "--once")
    assert shell.ok("memory", "list", "--json").json == []
    office.sit("bob")
    shell.ok("worker", "--once")
    learned = {one["id"] for one in shell.ok("memory", "list", "--json").json}
    assert learned
    office.sit("eve")
    assert {one["id"] for one in shell.ok("memory", "list", "--json").json} == learned
    office.sit("ada")
    wrote = {entry["who"] for entry in shell.ok("team", "audit", "--action", "write", "--limit", "0", "--json").json}
    assert f"lerim_m_{bob}" in wrote and f"lerim_m_{eve}" not in wrote


def test_what_cannot_be_is_said_with_the_next_step(office: Office, shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.ok("init", "--no-sync")
    bob = office.add("bob")
    for words, said in {
        ("add", "Not A Name"): "cannot be a member's name",
        ("add", bob): "a member already",
        ("grant", "nobody", "reader"): "no member 'nobody'",
        ("grant", bob, "reader", "--project", "nowhere"): "no project 'nowhere'",
        ("revoke", bob): "has no role",
        ("remove", "nobody", "--yes"): "no member 'nobody'",
        ("token", "create"): "what the token is for",
        ("token", "create", "--label", "x"): "say whose",
        ("token", "create", "--label", "x", "--for", bob, "--days", "9999"): "1 to 366 days",
        ("token", "revoke"): "which token",
        ("token", "revoke", "none"): "no token 'none'",
    }.items():
        done = shell("team", *words)
        assert done.code in (1, 2) and said in done.err and "try:" in done.err, (words, done)
    monkeypatch.delenv("LERIM_STORAGE_URL")
    done = shell("team", "list")
    assert done.code == 2 and "yours alone" in done.err
