"""What Lerim keeps for itself is for its owner's eyes only, however it was made and whatever it was before."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.context.records import Draft, Primitive
from lerim.errors import StoreError
from lerim.examples import install
from lerim.private import make_home, make_private, open_private, sweep, tighten
from lerim.service import Lerim
from lerim.storage.engine import open_database


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o027])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def open_to_others(folder: Path) -> dict[str, str]:
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): oct(mode(path)) for path in found if mode(path) & 0o077}


def used(folder: Path) -> Lerim:
    """A home and a project in which everything was done once that leaves a file."""
    project = folder / "shop"
    project.mkdir()
    install(folder, project, datetime.now(UTC))
    lerim = Lerim(project, env={"HOME": str(folder), "LERIM_HOME": str(folder / ".lerim")})
    lerim.setup.init()
    list(lerim.sync(limit=1))
    lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"), "global")
    lerim.traces.add("User: We use tabs.\nAssistant: Understood.\n", "mine")
    lerim.index.refresh()
    lerim.backups.make()
    return lerim


def test_whatever_the_umask_nobody_else_can_read_it(tmp_path: Path, umask: int) -> None:
    """Store, log, catalog, index, archive, runs, exports, backups; and memory files are made as the user's others."""
    with used(tmp_path) as lerim:
        assert (tmp_path / ".lerim" / "context.sqlite3-wal").exists()
        lerim.memory.export_to(tmp_path / "all.jsonl")
        lerim.memory.export_to(tmp_path / "all")
        assert {} == open_to_others(tmp_path / ".lerim")
        assert {} == open_to_others(tmp_path / "all")
        assert 0o600 == mode(tmp_path / "all.jsonl")
        own = tmp_path / "shop" / ".lerim"
        assert {} == open_to_others(own / "meta") | open_to_others(own / "workspace")
        shared = next((own / "memory").rglob("*.md"))
        assert (0o666 & ~umask, 0o777 & ~umask) == (mode(shared), mode(shared.parent))


def test_what_was_open_to_others_is_closed(tmp_path: Path) -> None:
    """As an older Lerim, a careless copy or a backup program left it: the folder, and all that is ours in it."""
    used(tmp_path).close()
    home = tmp_path / ".lerim"
    for path in [home, *home.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)

    with Lerim(tmp_path / "shop", env={"HOME": str(tmp_path), "LERIM_HOME": str(home)}) as lerim:
        lerim.memory.select()
        assert {} == open_to_others(home)


def test_a_store_that_alone_was_open_is_closed(tmp_path: Path) -> None:
    """With the log beside it."""
    store = tmp_path / "context.sqlite3"
    first = open_database(store, "context")
    with first.write() as tx:
        tx.run("UPDATE identity SET id = 'x'")
    for path in tmp_path.glob("context*"):
        path.chmod(0o666)

    second = open_database(store, "context")

    assert {"context.sqlite3", "context.sqlite3-shm", "context.sqlite3-wal"} == {p.name for p in tmp_path.glob("con*")}
    assert {0o600} == {mode(path) for path in tmp_path.glob("context*")}
    second.close()
    first.close()


def test_a_backup_closes_what_was_opened_since(tmp_path: Path) -> None:
    """One file in the middle, and what lies in a project."""
    with used(tmp_path) as lerim:
        traces = next((tmp_path / "shop" / ".lerim" / "meta").rglob("*.jsonl"))
        imported = next((tmp_path / ".lerim" / "imports").iterdir())
        for path in (traces, imported):
            path.chmod(0o644)
        lerim.backups.make()
    assert (0o600, 0o600) == (mode(traces), mode(imported))


def test_a_folder_that_is_not_ours_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own home, and other things beside ours."""
    monkeypatch.setenv("HOME", str(tmp_path))
    script = tmp_path / "run.sh"
    script.write_text("echo")
    for path in (tmp_path, script):
        path.chmod(0o755)
    make_home(tmp_path)
    assert (0o755, 0o755) == (mode(tmp_path), mode(script))
    other = tmp_path / "data"
    other.mkdir(mode=0o755)
    (other / "run.sh").write_text("echo")
    (other / "run.sh").chmod(0o755)
    make_home(other)
    assert (0o700, 0o755) == (mode(other), mode(other / "run.sh"))


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither closed nor written through."""
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    outside.chmod(0o644)
    folder = make_private(tmp_path / "ours")
    (folder / "link").symlink_to(outside)

    assert not tighten(folder / "link")
    with pytest.raises(OSError, match="link"):
        open_private(folder / "link")
    assert (0o644, "theirs") == (mode(outside), outside.read_text())


def test_what_killed_processes_left_goes_once_it_is_old(tmp_path: Path) -> None:
    """Not what somebody is writing now, nor anything that only looks like it."""
    old, young, visible = tmp_path / ".a.1.tmp", tmp_path / ".b.2.tmp", tmp_path / "c.tmp"
    for path in (old, young, visible):
        path.write_text("half")
    os.utime(old, (time.time() - 7200,) * 2)
    os.utime(visible, (time.time() - 7200,) * 2)

    assert [old] == sweep(tmp_path)
    assert [young, visible] == sorted(tmp_path.iterdir())


def test_leftovers_go_with_the_next_start(tmp_path: Path) -> None:
    """Ours, once they are old; whatever else lies in the folder stays."""
    with used(tmp_path):
        pass
    home = tmp_path / ".lerim"
    ours = [home / ".redaction.salt.77.tmp", home / ".lerim-7-8.tmp"]
    others = [home / ".editor.tmp", home / "notes.tmp", home / ".lerim-9-9.tmp"]
    for path in (*ours, *others):
        path.write_text("half")
        os.utime(path, (time.time() - 7200,) * 2)
    os.utime(others[-1])
    with Lerim(tmp_path / "shop", env={"HOME": str(tmp_path), "LERIM_HOME": str(home)}) as lerim:
        lerim.memory.select()

    assert [False, False, True, True, True] == [path.exists() for path in (*ours, *others)]


def test_a_memory_file_keeps_its_mode(tmp_path: Path) -> None:
    """Whoever changed it meant it."""
    with used(tmp_path) as lerim:
        kept = lerim.memory.add(Draft(Primitive.DECISION, "Use Postgres"))
        assert kept.path is not None
        kept.path.chmod(0o640)
        lerim.memory.revise(kept, reason="drill", body="It is solid.")
        assert 0o640 == mode(kept.path)


def test_a_database_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Where a folder stands in its place."""
    (tmp_path / "context.sqlite3").mkdir()
    with pytest.raises(StoreError, match="nothing was changed"):
        open_database(tmp_path / "context.sqlite3", "context")
