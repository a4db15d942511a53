"""Conversations of Kiro CLI and Amazon Q become traces, from the database, a journal or an export."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.kiro import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "kiro"
FILES = {"conversation": "c-1.json", "journal": "9f1c.jsonl", "no_ids": "export.json"}


@pytest.mark.parametrize("quirk", FILES)
def test_a_session_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk, _ref(HERE / quirk / FILES[quirk]))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "data.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript((HERE / "database.sql").read_text())
    connection.close()
    return path


def test_a_database_holds_conversations_of_two_generations(database: Path) -> None:
    """One that was copied from the old table to the new one is found once; each is changed by its content alone."""
    before = _found(database.parent)
    _change(database, "UPDATE conversations_v2 SET value = replace(value, 'Again', 'Once more'), updated_at = 1")
    after = _found(database.parent)

    assert ["new-1", "cut-1", "old-1"] == [ref.run_id for ref in before]
    assert [False, True, True] == [old == new for old, new in zip(before, after, strict=True)]


def test_a_conversation_in_a_database_is_read(database: Path) -> None:
    """The directory is its key; entries without names are pairs; a damaged entry is counted."""
    refs = {ref.run_id: ref for ref in _found(database.parent)}
    new, old = SOURCE.read(refs["new-1"]), SOURCE.read(refs["old-1"])

    assert ["second words", "Again."] == [line.text for line in new.lines]
    assert ("/work/shop", "2026-03-04T09:00:00Z") == (new.header.cwd, new.header.started)
    assert ["first words", "Hello."] == [line.text for line in old.lines]
    assert "/work/old" == old.header.cwd
    assert [2] == [trouble.line for trouble in old.account.bad]
    assert old.account.is_balanced


def test_a_damaged_conversation_is_an_error_of_its_own(database: Path) -> None:
    """The others are read as before."""
    with pytest.raises(SourceError, match="cut-1"):
        SOURCE.read(SessionRef("kiro", database, "cut-1"))
    with pytest.raises(SourceError, match="gone-1"):
        SOURCE.read(SessionRef("kiro", database, "gone-1"))


def test_a_database_is_recognized_by_its_tables(database: Path, tmp_path: Path) -> None:
    """Other programs have databases too."""
    other = tmp_path / "other.db"
    _change(other, "CREATE TABLE conversations (id TEXT)")

    assert SOURCE.accepts(database)
    assert not SOURCE.accepts(other)


@pytest.mark.parametrize("quirk", FILES)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever an exported session is called, its content tells that it is Kiro's."""
    loose = tmp_path / "full.txt"
    shutil.copy(HERE / quirk / FILES[quirk], loose)

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize(
    "content", [b"", b"\x00", b"[]", b'{"history":"x"}', b'{"kind":"x","data":{}}\n', b'{"role":"user"}']
)
def test_other_files_are_not_recognized(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "c-1.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.json")


def test_a_growing_journal_only_adds_lines(tmp_path: Path) -> None:
    """After whichever line a live journal is read, its lines are the first lines of the finished session."""
    whole = HERE / "journal" / "9f1c.jsonl"
    expected = _lines(whole)
    records = whole.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records) + 1):
        live = tmp_path / whole.name
        live.write_bytes(b"".join(records[:count]))
        lines = _lines(live)

        assert expected[: len(lines)] == lines


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (Machine(Path("/h"), {}, "linux"), "/h/.local/share/kiro-cli"),
        (Machine(Path("/h"), {"XDG_DATA_HOME": "/d"}, "linux"), "/d/amazon-q"),
        (Machine(Path("/h"), {}, "darwin"), "/h/Library/Application Support/kiro-cli"),
        (Machine(Path("/h"), {"LOCALAPPDATA": "/local"}, "win32"), "/local/kiro-cli"),
        (Machine(Path("/h"), {}, "win32"), "/h/.kiro/sessions/cli"),
        (Machine(Path("/h"), {"KIRO_HOME": "/k"}, "linux"), "/k/sessions/cli"),
    ],
)
def test_sessions_lie_where_the_system_keeps_data(machine: Machine, expected: str) -> None:
    """The database follows the system's conventions, the journals do not."""
    assert Path(expected) in SOURCE.roots(machine)


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b'{"history":7}', b"[1"])
def test_a_file_with_nothing_readable_is_an_error(content: bytes, tmp_path: Path) -> None:
    """There is no session to speak of, and the error says in which file."""
    broken = tmp_path / "x.json"
    broken.write_bytes(content)

    with pytest.raises(SourceError, match=r"x\.json"):
        _lines(broken)
    with pytest.raises(SourceError, match=r"missing\.json"):
        _lines(tmp_path / "missing.json")


def _change(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(sql)
    connection.close()


def _found(root: Path) -> list[SessionRef]:
    return [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)


def _lines(path: Path) -> list[Line]:
    return list(SOURCE.read(_ref(path)).lines)
