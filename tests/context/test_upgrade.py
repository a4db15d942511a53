"""A store of an earlier Lerim: opening it moves what is about one machine out of it, and loses nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lerim.context.filters import ANY
from lerim.context.memory import Kept, Memory, Place
from lerim.context.projects import Project
from lerim.context.records import Draft, Primitive
from lerim.storage.database import Database, migrations
from lerim.storage.engine import open_database

from ..conftest import SqliteEngine

# The last step of the schema that kept files and index in the store.
BEFORE = 3


@pytest.fixture
def engine() -> SqliteEngine:
    """A store that is shared is upgraded when somebody says so, and never had what is about one machine."""
    return SqliteEngine()


@pytest.fixture
def files(memory: Memory) -> list[Kept]:
    """A project with memories of every sort: as it is, renamed by a person, archived, and archived by deletion."""
    kept = [memory.add(Draft(Primitive.DECISION, f"Decision {number}", "text")) for number in range(5)]
    memory.archive(kept[1], reason="old")
    path, gone = kept[2].path, kept[3].path
    assert path and gone
    path.rename(path.with_name("a-persons-name.md"))
    gone.unlink()
    memory.reconcile()
    return kept


def downgraded(database: Database, place: Place, target: Path) -> Path:
    """The store as the earlier Lerim had it: its schema, with the same rows."""
    with closing(sqlite3.connect(target)) as old:
        for step in migrations("sqlite", "context"):
            if step.number <= BEFORE:
                old.executescript(step.path.read_text("utf-8"))
        old.execute(f"PRAGMA user_version = {BEFORE}")
        old.execute("ATTACH ? AS new", (database.location,))
        for table in ("projects", "records", "changes", "versions", "sessions"):
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
            old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        for path, file in place.face.known().items():
            old.execute(
                "INSERT INTO files SELECT ?, ?, seq, 1, 1, 1, 1, ?, NULL, NULL FROM records WHERE id = ?",
                (place.project.id, path, file.digest, file.record_id),
            )
        old.commit()
    return target


def content(place: Place) -> tuple[object, ...]:
    folder = place.folder
    with place.store.read() as snapshot:
        history = {r.id: [v.record for v in snapshot.history(r.id)] for r in snapshot.select(ANY)}
    return history, {path: (folder.read(path), state) for path, state in folder.scan().files.items()}


@pytest.fixture
def upgraded(files: list[Kept], database: Database, place: Place, home: Path, tmp_path: Path):
    """The same place, over the earlier store opened by this Lerim, on a machine without notes."""
    path = downgraded(database, place, tmp_path / "old.sqlite3")
    with (
        closing(open_database(path, "context")) as store,
        closing(open_database(tmp_path / "local.sqlite3", "local")) as local,
    ):
        yield Place(Project(place.project.id, place.project.root, "x"), store, local, place.folder.root)


def test_an_upgrade_makes_no_version_and_writes_no_file(upgraded: Place, place: Place) -> None:
    """The files are looked at again, found by their ids under whatever name, and say what the store says."""
    before = content(place)

    done = upgraded.face.take_in()

    assert (0, []) == (done.changes, done.problems)
    assert before == content(upgraded)
    assert place.face.known().keys() == upgraded.face.known().keys()


def test_an_upgrade_knows_which_records_have_no_file(upgraded: Place, files: list[Kept]) -> None:
    """What a person deleted stays deleted: it was archived, and no file comes back."""
    upgraded.face.take_in()

    with upgraded.store.read() as snapshot:
        filed = {touched.record.id for touched in snapshot.filed()}
    assert {kept.record.id for kept in files} - {files[3].record.id} == filed


def test_a_file_that_was_still_to_be_written_is_written_after_an_upgrade(
    files: list[Kept], database: Database, place: Place, tmp_path: Path
) -> None:
    """A crash came before the upgrade: the file says an older version, which is no edit."""
    with place.store.change("lerim", "sync") as change:
        change.revise(files[0].record.id, body="newer")
    path = downgraded(database, place, tmp_path / "old.sqlite3")
    with closing(open_database(path, "context")) as store, closing(open_database(tmp_path / "l", "local")) as local:
        upgraded = Place(place.project, store, local, place.folder.root)
        upgraded.face.take_in()

        assert "newer" in (upgraded.path_of(files[0].record) or Path()).read_text()
        with upgraded.store.read() as snapshot:
            assert ["text", "newer"] == [version.record.body for version in snapshot.history(files[0].record.id)]


def test_an_upgraded_store_is_sound(upgraded: Place) -> None:
    """No table is left that nobody reads."""
    with upgraded.store.database.read() as tx:
        tables = {row[0] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    assert [] == upgraded.store.database.problems()
    assert set() == tables & {"files", "pending_files"}
