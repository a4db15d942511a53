"""Our own house, damaged: settings, memory files, small files and databases, by any byte and any type.

Every command ends with words and the next command, never a traceback; nothing that a person wrote is overwritten, and
an unrelated project works on.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.examples import install

from . import mutations

SEED = 20261115


SETTINGS = b"""# Settings of a person.
[memory]
scope = "project_fallback_global"
share_summaries = false

[redaction]
patterns = ["berth-[0-9]+"]

[sources]
window_days = 3650
disabled = ["aider"]

[embeddings]
enabled = false

[backup]
keep = 3
"""
PROJECT_SETTINGS = b'[memory]\nshare_summaries = true\n\n[redaction]\npatterns = ["quay-[0-9]+"]\n'
#: Written by hand, in a folder where Lerim looks for memories.
BY_HAND = b"""---
title: Ships are numbered by quay
tags: [ships, quays]
confidence: 0.7
created: 2026-02-03T10:00:00Z
---

A number has the quay first. Words that only a person wrote.
"""
#: What reads, and what writes something that has nothing to do with the damage.
COMMANDS = (
    ["status"],
    ["memory", "list"],
    ["memory", "check"],
    ["search", "ships"],
    ["sessions", "list", "--all"],
    ["queue"],
    ["config", "show"],
    ["project", "list"],
    ["backup", "list"],
    ["cost"],
    ["runs", "list"],
    ["memory", "add", "--primitive", "decision", "--title", "A title of today", "--body", "Said today."],
    ["memory", "export"],
    ["index"],
    ["backup"],
)


class Port:
    """A home with two projects, as often as it is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._copy = folder / "port", folder / "copy"
        self.home, self.project, self.other = (self.folder / name for name in (".lerim", "berths", "other"))
        self.project.mkdir(parents=True)
        self.other.mkdir()
        install(self.folder, self.project, datetime.now(UTC))
        self.home.mkdir()
        (self.home / "config.toml").write_bytes(SETTINGS)
        for project, title in ((self.project, "Moor ships at the long quay"), (self.other, "Paint the other boats")):
            for command in (
                ["init"],
                ["memory", "add", "--primitive", "decision", "--title", title, "--body", f"{title}, since the storm."],
                ["memory", "add", "--kind", "pitfall", "--title", f"Not: {title}", "--body", "It was tried."],
            ):
                self.said(command, project)
        self.by_hand = self.project / ".lerim" / "memory" / "decisions" / "by-hand.md"
        self.by_hand.write_bytes(BY_HAND)
        (self.project / ".lerim" / "config.toml").write_bytes(PROJECT_SETTINGS)
        for command in (["project", "trust"], ["sessions", "list", "--all"], ["index"], ["backup"]):
            self.said(command, self.project)
        shutil.copytree(self.folder, self._copy)

    def anew(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self._copy, self.folder)

    def said(self, command: list[str], project: Path) -> tuple[int, str]:
        """What a command ends with. Whatever it raises is a traceback."""
        out, err = io.StringIO(), io.StringIO()
        os.chdir(project)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(command)
        except SystemExit as ended:
            code = int(str(ended.code))
        (out.getvalue() + err.getvalue()).encode()
        assert "Traceback" not in err.getvalue()
        is_told = "lerim: " in err.getvalue() and "try: " in err.getvalue()
        is_found = command == ["memory", "check"] and "  fix: " in out.getvalue()
        assert code in {0, 3} or is_told or is_found, (code, out.getvalue(), err.getvalue())
        return code, out.getvalue() + err.getvalue()

    def written(self) -> dict[Path, bytes]:
        """What people wrote, or may have written."""
        files = (path for root in (self.project, self.other) for path in (root / ".lerim" / "memory").rglob("*.md"))
        return {path: path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Port]:
    folder, before = tmp_path_factory.mktemp("port").resolve(), Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("LERIM_CONFIG", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(folder / "port"))
        patch.setenv("LERIM_HOME", str(folder / "port" / ".lerim"))
        yield Port(folder)
        os.chdir(before)


@pytest.fixture
def port(built: Port) -> Port:
    built.anew()
    return built


#: How many cases of each kind: in the default suite, and in the drill.
each_amount = pytest.mark.parametrize("amount", [2, pytest.param(100, marks=pytest.mark.drill)])


def still_works(
    port: Port, command_count: int, dice: random.Random, elsewhere: list[str] | None = None
) -> Iterator[str]:
    """Run some commands in the damaged project, and some in the other: what went wrong."""
    for command in dice.sample(COMMANDS, command_count):
        try:
            port.said(command, port.project)
        except Exception as error:
            yield f"{' '.join(command)}: {type(error).__name__}: {error!s:.300}"
    try:
        code, said = port.said(["memory", "list"], port.other)
    except Exception as error:
        yield f"elsewhere: {type(error).__name__}: {error!s:.300}"
    else:
        if elsewhere is None and (code or "Paint the other boats" not in said):
            yield f"elsewhere: {code} {said:.300}"


# --- settings and memory files ----------------------------------------------------------------------------------------

TEXT_JUNK = (
    *(
        b"\x00",
        b"\x00" * 300,
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\xbd",
        b"\r",
        b"\r\n",
        b"\x1b[2J",
        b"\xe2\x80\xae",
    ),
    *(
        b"---\n",
        b"\n---\n",
        b"[[",
        b"]]\n",
        b"= =",
        b'"""',
        b"'''",
        b"&a *a",
        b"<<: *a\n",
        b"!!python/object:os.system x",
    ),
    *(b"\t", b"%", b"{", b"}", b"? x\n", b"- ", b"|\n", b"#", b"\\", b'"\\ud83d"', b'"\\uD83D\\n"', b"\xf0\x9f\x98"),
)
VALUES = (
    *(
        b"[]",
        b"{}",
        b"null",
        b"true",
        b"-1",
        b"0",
        b"1e999",
        b"nan",
        b"inf",
        b"9" * 400,
        b"9" * 5_000,
        b"0x" + b"f" * 60,
    ),
    *(b'""', b'"x"', b'["x", 7]', b"[[[]]]", b'"\\u0000"', b'"\\ud83d"', b"2026-13-45T99:99:99Z", b"0001-01-01", b"~"),
    *(
        b"9999-12-31T23:59:59+23:59",
        b'"../../../etc/passwd"',
        b'"' + b"x" * 30_000 + b'"',
        b'"(a+)+$"',
        b'"("',
        b"1970",
    ),
    *(b"[" * 300 + b"]" * 300, b"[" * 5_000, b"{a: " * 400 + b"1" + b"}" * 400, b"{a = " * 900 + b"1" + b"}" * 900),
)


def damaged_text(raw: bytes, dice: random.Random) -> bytes:
    """Settings or a memory file with one to three kinds of damage."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        raw = dice.choice(DAMAGES)(raw, dice)
    return raw


def _stuffed(raw: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(raw))
    return raw[:at] + dice.choice(TEXT_JUNK) + raw[at:]


def _retyped(raw: bytes, dice: random.Random) -> bytes:
    """Another value behind a name, whatever is between the two in this kind of file."""
    lines = raw.split(b"\n")
    named = [number for number, line in enumerate(lines) if b" = " in line or b": " in line]
    if not named:
        return raw
    at = dice.choice(named)
    sign = b" = " if b" = " in lines[at] else b": "
    lines[at] = lines[at].split(sign)[0] + sign + dice.choice(VALUES)
    return b"\n".join(lines)


def _shuffled(raw: bytes, dice: random.Random) -> bytes:
    """Lines twice, gone, or elsewhere."""
    lines = raw.split(b"\n")
    at = dice.randrange(len(lines))
    line = lines.pop(at)
    for _ in range(dice.choice((0, 1, 2))):
        lines.insert(dice.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _other_line_ends(raw: bytes, dice: random.Random) -> bytes:
    return dice.choice((b"", b"\xef\xbb\xbf")) + raw.replace(b"\n", dice.choice((b"\r\n", b"\r", b"\n\n", b"\x0b")))


def _other_encoding(raw: bytes, dice: random.Random) -> bytes:
    return raw.decode("utf-8", "replace").encode(dice.choice(("utf-16", "utf-16-le", "utf-32")))


def _replaced(raw: bytes, dice: random.Random) -> bytes:
    return dice.choice(
        (b"", b"\n", b"\0" * 4_096, bytes(range(256)), b"---\n", b"---\n---\n", b"SQLite format 3\0", b"x")
    )


DAMAGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(mutations.flipped, mutations.flipped, mutations.cut, mutations.repeated, _stuffed, _stuffed, _retyped, _retyped),
    *(_retyped, _shuffled, _other_line_ends, _other_encoding, _replaced),
)


@each_amount
@pytest.mark.parametrize("whose", ["the user's", "the project's"])
def test_damaged_settings_are_told_in_words(port: Port, whose: str, amount: int) -> None:
    """And stay as they are; a project's damage is no other project's."""
    dice = random.Random(SEED)
    path = (port.home if whose == "the user's" else port.project / ".lerim") / "config.toml"
    sound, wrong = path.read_bytes(), list[str]()
    for number in range(amount):
        raw = damaged_text(sound, dice)
        path.write_bytes(raw)
        told = [] if whose == "the user's" else None
        wrong += [f"{number}: {text}" for text in still_works(port, 2, dice, told)]
        assert path.read_bytes() == raw
    assert [] == wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


@each_amount
def test_damaged_memory_files_are_told_in_words(port: Port, amount: int) -> None:
    """Whatever happened to a file: its words stay where they are, and the other memories are there."""
    dice = random.Random(SEED)
    wrong = list[str]()
    for number in range(amount):
        path = dice.choice(sorted(port.written()))
        raw = damaged_text(path.read_bytes(), dice)
        path.write_bytes(raw)
        before = port.written()
        wrong += [f"{number} {path.name}: {text}" for text in still_works(port, 2, dice, [])]
        after = port.written()
        for other, words in before.items():
            if not _has_all(after.get(other, b""), words):
                wrong.append(f"{number} {other.name} was {words[:400]!r}, is {after.get(other, b'gone')[:400]!r}")
        port.anew()
    assert [] == wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


def _has_all(found: bytes, words: bytes) -> bool:
    """A file without an id is given one, and front matter if it has none: every line stays."""
    return set(words.split(b"\n")) <= set(found.split(b"\n"))


# --- small files ------------------------------------------------------------------------------------------------------


@each_amount
def test_damaged_small_files_are_told_in_words(port: Port, amount: int) -> None:
    """The salt, the manifest of a backup, rules for git, a lock, a note of a restore."""
    dice = random.Random(SEED)
    wrong = list[str]()
    (port.home / "backups" / "restoring").write_bytes(b"")
    small = sorted(
        path.relative_to(port.folder)
        for path in (*port.home.rglob("*"), *port.project.joinpath(".lerim").rglob("*"))
        if path.is_file() and path.suffix not in (".sqlite3", ".md", ".toml")
    )
    port.anew()
    for number in range(amount):
        path = port.folder / dice.choice(small)
        path.write_bytes(damaged_text(path.read_bytes() if path.exists() else b"backup-x", dice))
        wrong += [f"{number} {path.name}: {text}" for text in still_works(port, 3, dice)]
        port.anew()
    assert [] == wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


# --- databases --------------------------------------------------------------------------------------------------------

DATABASES = ("context.sqlite3", "index/local.sqlite3", "index/sessions.sqlite3", "index/usage.sqlite3")
PAGE = 4096


def _with_page(raw: bytes, at: int, page: bytes) -> bytes:
    return raw[: at * PAGE] + page + raw[at * PAGE + PAGE :]


def _some_page(raw: bytes, dice: random.Random) -> int:
    return dice.randrange(1, max(2, len(raw) // PAGE))


def _foreign(raw: bytes, dice: random.Random) -> bytes:
    """A database of somebody else."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE records (word TEXT)")
        connection.execute(f"PRAGMA user_version = {dice.choice((0, 1, 7))}")
        connection.commit()
        return connection.serialize()


BROKEN: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "head": lambda raw, dice: dice.randbytes(100) + raw[100:],
    "magic": lambda raw, dice: b"SQLite format 4\0" + raw[16:],
    "zeroed head": lambda raw, dice: bytes(PAGE) + raw[PAGE:],
    "middle page": lambda raw, dice: _with_page(raw, _some_page(raw, dice), dice.randbytes(PAGE)),
    "zeroed page": lambda raw, dice: _with_page(raw, _some_page(raw, dice), bytes(PAGE)),
    "swapped pages": lambda raw, dice: _with_page(raw, _some_page(raw, dice), raw[PAGE : 2 * PAGE]),
    "bits": lambda raw, dice: mutations.flipped(mutations.flipped(raw, dice), dice),
    "cut": lambda raw, dice: raw[: dice.randrange(len(raw))],
    "cut page": lambda raw, dice: raw[:-PAGE],
    "empty": lambda raw, dice: b"",
    "text": lambda raw, dice: b"no database at all\n" * 40,
    "foreign": _foreign,
}
#: Beside a sound database.
WALS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "empty": lambda raw, dice: b"",
    "noise": lambda raw, dice: dice.randbytes(9_000),
    "cut": lambda raw, dice: raw[: len(raw) // 2],
    "of another file": lambda raw, dice: raw,
}


def _wal_of_another(folder: Path) -> bytes:
    path = folder / "another.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE another (word TEXT)")
        connection.execute("INSERT INTO another VALUES ('x')")
        connection.commit()
        return path.with_name(f"{path.name}-wal").read_bytes()


CASES: list[Any] = [
    pytest.param(name, kind, marks=[] if (one + two) % 12 == 0 else pytest.mark.drill)
    for one, name in enumerate(DATABASES)
    for two, kind in enumerate((*BROKEN, *(f"log {kind}" for kind in WALS)))
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_damaged_database_costs_no_memory(port: Port, name: str, kind: str, tmp_path: Path) -> None:
    """Whichever of ours it is: commands say what they did about it, files are what they were, the next one works."""
    dice = random.Random(SEED)
    path = port.home / name
    if kind.startswith("log "):
        wal = WALS[kind.removeprefix("log ")](_wal_of_another(tmp_path), dice)
        path.with_name(f"{path.name}-wal").write_bytes(wal)
    else:
        path.write_bytes(BROKEN[kind](path.read_bytes() if path.exists() else bytes(2 * PAGE), dice))
    before = port.written()
    wrong = list(still_works(port, 4, dice, []))
    after = port.written()
    wrong += [f"{file.name} changed" for file in before if after.get(file) != before[file]]
    code, said = port.said(["memory", "list"], port.project)
    wrong += [] if code == 0 and "Moor ships" in said else [f"then: {code} {said:.300}"]
    code, said = port.said(["memory", "list"], port.other)
    wrong += [] if code == 0 and "Paint the other boats" in said else [f"elsewhere: {code} {said:.300}"]
    assert [] == wrong
