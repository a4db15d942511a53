"""Backups: whole and verified, rotated, due once a day; a restore brings both faces back."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.context.backups import Backup, verify
from lerim.context.filters import ANY
from lerim.context.records import Draft, Primitive
from lerim.errors import LerimError, NotFound, StoreBusy, StoreCorrupt, StoreError
from lerim.service import Lerim


class Box:
    """A home, a project, and a clock that a test moves by hand."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home" / ".lerim"
        self.project = folder / "shop"
        self.project.mkdir()
        self.env = {"HOME": str(folder / "home"), "LERIM_HOME": str(self.home)}
        self.now = datetime(2026, 2, 20, 10, 30, tzinfo=UTC)

    def open(self) -> Lerim:
        return Lerim(self.project, env=self.env, clock=lambda: self.now)

    def tick(self, **step: float) -> None:
        self.now += timedelta(**step)

    def titles(self) -> set[str]:
        with self.open() as lerim:
            return {kept.record.title for kept in lerim.memory.select()}

    def files(self) -> dict[str, bytes]:
        folder = self.project / ".lerim" / "memory"
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def is_sound(self) -> None:
        with self.open() as lerim:
            assert [] == lerim.memory.check()

    def left_behind(self) -> list[Path]:
        return [
            path for path in (self.home / "backups").iterdir() if path.name.endswith(".tmp") or "restoring" in path.name
        ]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    with box.open() as lerim:
        lerim.setup.init()
        lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens", "Short expiry."))
        lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres"))
        lerim.memory.add(Draft(Primitive.DECISION, "Write in plain English"), "global")
        lerim.sessions.discover()
    yield box


def made(box: Box) -> Backup:
    with box.open() as lerim:
        return lerim.backups.make()


def test_a_backup_holds_all_that_cannot_be_made_again(box: Box) -> None:
    """The store, the catalog, settings and salt, and the files of every project; for the owner's eyes only."""
    (box.home / "config.toml").write_text("[backup]\nkeep = 3\n")
    os.umask(previous := os.umask(0))
    os.umask(0)
    try:
        backup = made(box)
    finally:
        os.umask(previous)

    names = {path.name for path in backup.folder.iterdir()}
    assert {"context.sqlite3", "sessions.sqlite3", "config.toml", "manifest.json", "memory-global.tar"} <= names
    assert 2 == sum(name.startswith("memory-") for name in names)
    assert 3 == backup.records
    modes = {stat.S_IMODE(path.stat().st_mode) for path in backup.folder.iterdir()}
    assert ({0o600}, 0o700) == (modes, stat.S_IMODE(backup.folder.stat().st_mode))
    verify(backup)
    assert [] == box.left_behind()


def test_a_backup_is_taken_while_others_write(box: Box) -> None:
    """Each of many is sound, and holds a state that was."""
    stop = threading.Event()

    def write() -> None:
        with box.open() as lerim:
            number = 0
            while not stop.is_set():
                lerim.memory.add(Draft(Primitive.DECISION, f"Decision {number}"))
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with box.open() as lerim:
            backups = [lerim.backups.make() for _ in range(5)]
    finally:
        stop.set()
        writer.join()
    for backup in backups:
        verify(backup)
    assert sorted(backup.records for backup in backups) == [backup.records for backup in backups]


def test_a_copy_that_is_not_sound_is_no_backup(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy without the last rows, as a disk could leave it."""
    from lerim.storage.sqlite import SqliteDatabase

    whole = SqliteDatabase.backup

    def short(self: SqliteDatabase, target: Path) -> None:
        whole(self, target)
        with sqlite3.connect(target) as connection:
            connection.execute("DELETE FROM uses")
            connection.execute("DELETE FROM versions")
        connection.close()

    monkeypatch.setattr(SqliteDatabase, "backup", short)
    with box.open() as lerim, pytest.raises(StoreError, match="not sound"):
        lerim.backups.make()
    assert [] == [path for path in (box.home / "backups").iterdir() if path.is_dir()]


def test_the_oldest_backups_go_first(box: Box) -> None:
    """As many stay as the settings say."""
    (box.home / "config.toml").write_text("[backup]\nkeep = 3\n")
    names = []
    for _ in range(5):
        box.tick(hours=1)
        names.append(made(box).name)

    with box.open() as lerim:
        assert names[:1:-1] == [backup.name for backup in lerim.backups.all()]


def test_a_backup_is_due_once_a_day(box: Box) -> None:
    """Not of a store that is younger than that; never when it is switched off."""
    with box.open() as lerim:
        assert lerim.backups.make_if_due() is None
        box.tick(hours=25)
        assert lerim.backups.make_if_due() is not None
        assert lerim.backups.make_if_due() is None
        box.tick(hours=23)
        assert not lerim.backups.due()
        box.tick(hours=1)
        assert lerim.backups.due()
    (box.home / "config.toml").write_text("[backup]\nevery_hours = 0\n")
    with box.open() as lerim:
        assert not lerim.backups.due()


def test_a_restore_brings_both_faces_back(box: Box) -> None:
    """Records, versions and files as they were, byte for byte; and what was there can be brought back the same way."""
    path = next((box.project / ".lerim" / "memory" / "decisions").glob("use-jwt*"))
    path.write_text(path.read_text().replace("tags: []", "tags: []  # mine"))
    box.titles()
    before, titles, backup = box.files(), box.titles(), made(box)
    with box.open() as lerim:
        kept = next(kept for kept in lerim.memory.select() if "JWT" in kept.record.title)
        lerim.memory.revise(kept, reason="drill", title="Use opaque tokens")
        lerim.memory.add(Draft(Primitive.DECISION, "A newer one"))
    next((box.project / ".lerim" / "memory" / "decisions").glob("use-postgres*")).unlink()
    later, later_titles = box.files(), box.titles()

    with box.open() as lerim:
        done = lerim.backups.restore(backup)
        assert [] == lerim.memory.check()
        assert "Use Postgres" in {hit.kept.record.title for hit in lerim.search("postgres")}

    assert (titles, before) == (box.titles(), box.files())
    assert 3 == done.files
    box.is_sound()
    with box.open() as lerim:
        lerim.backups.restore(done.before)
    assert (later_titles, later) == (box.titles(), box.files())
    box.is_sound()
    assert [] == box.left_behind()


def test_a_restore_brings_sessions_back_into_the_queue(box: Box) -> None:
    """What was taken in since is taken in again by the next sync: its memories are gone with the store."""
    from lerim.examples import install

    install(box.home.parent, box.project, box.now)
    with box.open() as lerim:
        lerim.sessions.discover()
        backup = lerim.backups.make()
        list(lerim.sync())
        titles = {kept.record.title for kept in lerim.memory.select(ANY)}
        lerim.backups.restore(backup)
        assert {"pending"} == {str(s.state) for s in lerim.sessions.queue.list()}
        list(lerim.sync())
        assert titles == {kept.record.title for kept in lerim.memory.select(ANY)}
        assert [] == lerim.memory.check()


@pytest.mark.parametrize("loss", ["gone", "garbage", "cut"])
def test_a_lost_store_comes_back_with_its_history(box: Box, loss: str) -> None:
    """Deleted, overwritten or cut: the files alone would bring the memories, but not how they came to be."""
    with box.open() as lerim:
        kept = lerim.memory.select()[0]
        lerim.memory.revise(kept, reason="drill", body="Again.")
        versions = len(lerim.memory.history(kept))
    backup, store = made(box), box.home / "context.sqlite3"
    for side in ("-wal", "-shm"):
        store.with_name(store.name + side).unlink(missing_ok=True)
    if loss == "gone":
        store.unlink()
    else:
        store.write_bytes(os.urandom(5000) if loss == "garbage" else store.read_bytes()[:5000])

    with box.open() as lerim:
        lerim.backups.restore(backup)
        assert versions == len(lerim.memory.history(lerim.memory.find(kept.record.id)))
    box.is_sound()


@pytest.mark.parametrize("damage", ["store", "files", "cut", "gone"])
def test_a_damaged_backup_is_refused_and_changes_nothing(box: Box, damage: str) -> None:
    """Whatever in it is not what it was."""
    backup, before = made(box), box.files()
    store = backup.folder / "context.sqlite3"
    match damage:
        case "store":
            data = bytearray(store.read_bytes())
            data[-100:] = b"x" * 100
            store.write_bytes(data)
        case "files":
            next(backup.folder.glob("memory-prj*")).write_bytes(b"no")
        case "cut":
            store.write_bytes(store.read_bytes()[:-4096])
        case "gone":
            store.unlink()

    with box.open() as lerim, pytest.raises(StoreCorrupt, match="nothing was changed"):
        lerim.backups.restore(backup)
    assert before == box.files()
    box.is_sound()


def test_a_restore_is_refused_while_another_process_is_at_it(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its writes would be lost; nothing is changed, and afterwards it works."""
    monkeypatch.setattr("lerim.storage.sqlite.ALONE_SECONDS", 0.2)
    backup, before = made(box), box.files()
    code = "import sys; from lerim.service import Lerim; it = Lerim(sys.argv[1]); it.memory.select(); print(1); input()"
    other = subprocess.Popen(
        [sys.executable, "-u", "-c", code, str(box.project)],
        env={**os.environ, **box.env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    other.stdout.readline()
    with box.open() as lerim:
        with pytest.raises(StoreBusy, match="open"):
            lerim.backups.restore(backup)
        assert before == box.files()
        lerim.memory.add(Draft(Primitive.DECISION, "Still works"))
        other.communicate(b"\n")
        lerim.backups.restore(backup)
    assert before == box.files()
    box.is_sound()


def test_files_that_cannot_be_written_stop_a_restore_and_nothing_is_changed(box: Box) -> None:
    """A folder where a link or a file stands in the way."""
    backup = made(box)
    decisions = box.project / ".lerim" / "memory" / "decisions"
    with box.open() as lerim:
        for kept in lerim.memory.select():
            if kept.place.scope == "project":
                lerim.memory.archive(kept, reason="drill")
    shutil.rmtree(decisions)
    decisions.write_text("in the way")
    before = box.files()

    with box.open() as lerim, pytest.raises(LerimError):
        lerim.backups.restore(backup)
    assert before == box.files()
    assert [] == box.left_behind()


def test_a_backup_that_is_not_there_is_told(box: Box) -> None:
    """With what to type."""
    with box.open() as lerim:
        with pytest.raises(NotFound) as none:
            lerim.backups.find()
        with pytest.raises(NotFound) as other:
            lerim.backups.find("backup-1999")
    assert ("lerim backup", "lerim backup list") == (none.value.hint, other.value.hint)


def test_a_deletion_by_a_vanished_file_can_be_undone(box: Box) -> None:
    """A person's `rm`, or `git checkout`: the record is put away, and `undo` brings it and its file back."""
    path = next((box.project / ".lerim" / "memory" / "decisions").glob("use-jwt*"))
    before: Any = path.read_bytes()
    path.unlink()

    assert "Use JWT bearer tokens" not in box.titles()
    with box.open() as lerim:
        done = lerim.memory.undo()
        assert ["Use JWT bearer tokens"] == [record.title for record in done.records]
        assert ["active"] == [str(record.status) for record in done.records]
    assert before == path.read_bytes()
    box.is_sound()
