"""Damaged databases of agents: any page, any value. No traceback, and what is whole is read."""

from __future__ import annotations

import importlib.util
import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import ModuleType

import pytest

from lerim.cli.main import main
from lerim.errors import SourceError
from lerim.sources.base import Source
from lerim.sources.registry import source_for
from lerim.sources.trace import Assistant, Line, User

from ..samples import sampled
from .mutations import PART, PARTS

SEED = 20261115
HERE = Path(__file__).parent
GOLDEN = HERE.parent / "sources"


def _loaded(path: Path) -> ModuleType:
    name = f"for_attacks_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


mutations = _loaded(HERE / "mutations.py")
cursor, opencode = _loaded(GOLDEN / "test_cursor.py"), _loaded(GOLDEN / "test_opencode.py")
crush, goose = _loaded(GOLDEN / "test_crush.py"), _loaded(GOLDEN / "test_goose.py")
openclaw, zed = _loaded(GOLDEN / "test_openclaw.py"), _loaded(GOLDEN / "test_zed.py")


def kiro_database(into: Path) -> Path:
    path = into / "data.sqlite3"
    into.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript((GOLDEN / "kiro" / "database.sql").read_text())
    return path


def built(build: Callable[[Path, Path], Path], quirk: str, into: Path) -> Path:
    """The first of the databases that a golden folder of Cursor describes."""
    files = sorted(path for path in build(GOLDEN / "cursor" / quirk, into).rglob("*") if path.is_file())
    return next(path for path in files if path.read_bytes().startswith(b"SQLite"))


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


Build = Callable[[Path], Path]
DATABASES: dict[str, tuple[str, Build]] = {
    "cursor": ("cursor", lambda into: built(cursor.build_databases, "composer_rows", into)),
    "cursor tabs": ("cursor", lambda into: built(cursor.build_databases, "chat_tabs", into)),
    "cursor store": ("cursor", lambda into: built(cursor.build_stores, "store", into)),
    "opencode": ("opencode", lambda into: opencode.build(GOLDEN / "opencode" / "database", into / "opencode.db")),
    "opencode legacy": (
        "opencode",
        lambda into: opencode.build_legacy(GOLDEN / "opencode" / "legacy", into / "x" / "opencode.db"),
    ),
    "kilo": ("opencode", lambda into: opencode.build(GOLDEN / "opencode" / "database", into / "kilo.db")),
    "kiro": ("kiro", kiro_database),
    "crush": ("crush", crush.build),
    "goose": ("goose", lambda into: goose.build(made(into))),
    "openclaw": ("openclaw", openclaw.build),
    "zed": ("zed", zed.build),
}
#: Databases with a row for each message, or each part of one, and where it stands.
ROWS = {
    "cursor": ("cursorDiskKV", "value"),
    "cursor store": ("blobs", "data"),
    "opencode": ("part", "data"),
    "opencode legacy": ("messages", "parts"),
    "kilo": ("part", "data"),
    "crush": ("messages", "parts"),
    "goose": ("messages", "content_json"),
    "openclaw": ("transcript_events", "event_json"),
}
each_database = pytest.mark.parametrize("name", sampled(DATABASES, 3))
each_amount = pytest.mark.parametrize("amount", [25, pytest.param(600, marks=pytest.mark.drill)])


def read(source: Source, path: Path) -> tuple[list[Line], list[str]]:
    """The lines of all sessions that can be read, and what is said of the others. Nothing else may be raised."""
    lines: list[Line] = []
    told: list[str] = []
    assert isinstance(source.accepts(path), bool)
    try:
        held = [found for found in source.containers(path) if found.path == path] or list(_as_container(source, path))
        refs = [ref for found in held for ref in source.sessions(found)]
    except SourceError as error:
        return [], [error.message]
    for ref in refs:
        try:
            reading = source.read(ref)
            lines += list(reading.lines)
            assert reading.account.is_balanced, (ref, reading.account)
            told += [trouble.reason for trouble in reading.account.bad]
        except SourceError as error:
            told.append(error.message)
    return lines, told


def _as_container(source: Source, path: Path) -> Iterator[object]:
    from lerim.sources.pieces import container

    return container(source.name, path)


def spoken(lines: list[Line]) -> list[str]:
    return [line.text for line in lines if isinstance(line, User | Assistant)]


def damaged_pages(raw: bytes, dice: random.Random) -> bytes:
    changed = bytearray(raw)
    size = 4096
    for _ in range(dice.choice((1, 1, 2, 5))):
        page = dice.randrange(max(1, len(raw) // size)) * size
        match dice.randrange(5):
            case 0:
                changed[page : page + size] = bytes(len(changed[page : page + size]))
            case 1:
                changed[page : page + size] = dice.randbytes(len(changed[page : page + size]))
            case 2:
                for _ in range(20):
                    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
            case 3:
                # The head of a page says what it is and where its cells are.
                for at in range(page, min(page + 16, len(changed))):
                    changed[at] = dice.randrange(256)
            case _:
                return bytes(changed[: dice.randrange(len(changed))])
    return bytes(changed)


@each_database
@each_amount
def test_damaged_pages_give_no_traceback(name: str, amount: int, tmp_path: Path) -> None:
    """Whatever SQLite says of them: a word of ours, and the sessions that can be read."""
    dice = random.Random(SEED)
    agent, build = DATABASES[name]
    source, path = source_for(agent), build(tmp_path / "agent")
    raw = path.read_bytes()
    clean = spoken(read(source, path)[0])
    assert clean
    for _ in range(amount):
        path.write_bytes(damaged_pages(raw, dice))
        lines, told = read(source, path)
        # Nothing is missing in silence, unless the damage is to a name, which SQLite finds nothing wrong with.
        assert told or lines or raw[:16] != path.read_bytes()[:16] or _is_sound(path)


def _is_sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False


@each_database
@each_amount
def test_mutated_values_cost_only_themselves(name: str, amount: int, tmp_path: Path) -> None:
    """Any value of any row, of any type: the other messages are read, and the account is balanced."""
    dice = random.Random(SEED)
    agent, build = DATABASES[name]
    source, path = source_for(agent), build(tmp_path / "agent")
    raw = path.read_bytes()
    for _ in range(amount):
        path.write_bytes(raw)
        _mutate_value(path, dice)
        read(source, path)


def _mutate_value(path: Path, dice: random.Random) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.text_factory = bytes
        tables = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = dice.choice(tables)
        columns = [row[1].decode() for row in connection.execute(f'PRAGMA table_info("{table}")')]
        rows = connection.execute(f'SELECT rowid, * FROM "{table}"').fetchall()
        if not rows:
            return
        row, column = dice.choice(rows), dice.randrange(len(columns))
        value = row[1 + column]
        sql = f'UPDATE OR REPLACE "{table}" SET "{columns[column]}" = ? WHERE rowid = ?'
        # A constraint is the database's own defense.
        with suppress(sqlite3.IntegrityError):
            connection.execute(sql, (_mutated(value, dice), row[0]))


def _mutated(value: object, dice: random.Random) -> object:
    if isinstance(value, bytes) and dice.random() < 0.7:
        changed: bytes = mutations.mutated(value, dice)
        return changed if dice.random() < 0.5 else changed.decode("utf-8", "replace")
    return dice.choice((None, 0, -1, 2**63 - 1, 1e308, b"\xff\xfe", "", "x" * 40_000, b"{" * 3_000, "\0", "../.."))


#: Damaged rows in the default suite and, part by part, in the drill.
DAMAGED = [(60, 0), *(pytest.param(PART, part, marks=pytest.mark.drill) for part in PARTS)]


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(("rows", "part"), DAMAGED)
def test_damaged_rows_cost_only_themselves(name: str, rows: int, part: int, tmp_path: Path) -> None:
    """A part of the rows of a session, damaged as the lines of files are: what the others say is read."""
    dice = random.Random(SEED + part)
    (agent, build), (table, column) = DATABASES[name], ROWS[name]
    source, path = source_for(agent), build(tmp_path / "agent")
    clean = spoken(read(source, path)[0])
    damaged, lost = 0, set[str]()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        held = connection.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} IS NOT NULL").fetchall()
        # A store has nodes among its messages, which name those below them.
        kept = {row: value for row, value in held if value[:1] in ("{", "[", b"{", b"[")}
        while damaged < rows:
            hit = [row for row in kept if dice.random() < dice.choice((0.2, 0.6))] or [dice.choice([*kept])]
            _put(connection, table, column, {row: _damaged(kept[row], dice) for row in hit})
            damaged += len(hit)
            found = {squeezed(text) for text in spoken(read(source, path)[0])}
            lost |= {text for text in clean if _is_elsewhere(text, kept, hit) and squeezed(text) not in found}
            _put(connection, table, column, {row: kept[row] for row in hit})
    assert set() == lost


def _put(connection: sqlite3.Connection, table: str, column: str, values: dict[int, str | bytes]) -> None:
    """All at once: a journal for each row would take longer than all else."""
    connection.execute("BEGIN")
    connection.executemany(
        f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [(value, row) for row, value in values.items()]
    )
    connection.execute("COMMIT")


def _damaged(value: str | bytes, dice: random.Random) -> str | bytes:
    if isinstance(value, bytes):
        changed: bytes = mutations.mutated(value, dice)
        return changed
    return mutations.mutated(value.encode(), dice).decode("utf-8", "replace")


def squeezed(text: str) -> str:
    return "".join(text.split())


def _is_elsewhere(text: str, kept: dict[int, str | bytes], hit: list[int]) -> bool:
    """Whether words stand in rows that were left alone, and only there."""
    written = json.dumps(text)[1:-1]
    holders = [
        row for row, value in kept.items() if (written.encode() if isinstance(value, bytes) else written) in value
    ]
    return bool(holders) and not set(holders) & set(hit)


@each_database
def test_a_damaged_database_is_ingested_without_a_traceback(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`lerim ingest FILE` says in a line what is wrong and what to do next."""
    dice = random.Random(SEED)
    _, build = DATABASES[name]
    path = build(tmp_path / "agent")
    raw = path.read_bytes()
    project = tmp_path / "project"
    project.mkdir()
    for variable, value in {"HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / ".lerim")}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(project)
    assert main(["init"]) == 0
    for _ in range(3):
        path.write_bytes(damaged_pages(raw, dice))
        capsys.readouterr()
        code = main(["ingest", str(path)])
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        assert code in {0, 3} or ("lerim: " in said.err and "try: " in said.err), (code, said)
        assert "\ufffd" not in said.err
