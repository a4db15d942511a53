"""The ledger: every session and every byte has a fate, and the sums are whole."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from lerim.sessions.audit import NO_SESSION, AuditEntry, Fate, audit
from lerim.sessions.session import Held


def entries(laptop) -> list[AuditEntry]:
    found = audit(laptop.database)
    assert found.is_whole
    return list(found.entries)


def test_nothing_is_nothing(laptop):
    """An empty catalog is whole."""
    assert [] == entries(laptop)


def test_every_fate_is_listed_with_its_reason(laptop):
    """One of each: ingested, waiting, skipped for three reasons, failed, vanished."""
    sizes = {}
    for name in ("done", "failed", "waiting", "gone", "bad", "skipped"):
        path = laptop.write(f"{name}.log", "words" * len(name), started=f"2026-0{len(sizes) + 1}")
        sizes[name] = path.stat().st_size
    lost = laptop.write("lost.log", cwd="/nowhere/x").stat().st_size
    bad = laptop.file("bad.log")
    bad.write_text("broken\n")
    laptop.discover()
    queue = laptop.queue(first_wait=1000)
    queue.complete(queue.claim("w"))
    queue.fail(queue.claim("w"), "no model")
    queue.skip(laptop.catalog.find("skipped").id, "private")
    laptop.file("gone.log").unlink()
    laptop.discover()

    assert [
        AuditEntry(Fate.FAILED, f"cannot read {bad}: no header", 1, 7),
        AuditEntry(Fate.FAILED, "no model", 1, sizes["failed"]),
        AuditEntry(Fate.INGESTED, None, 1, sizes["done"]),
        AuditEntry(Fate.SKIPPED, Held.NO_PROJECT, 1, lost),
        AuditEntry(Fate.SKIPPED, "private", 1, sizes["skipped"]),
        AuditEntry(Fate.VANISHED, None, 1, sizes["gone"]),
        AuditEntry(Fate.WAITING, None, 1, sizes["waiting"]),
    ] == entries(laptop)


def test_what_a_session_grew_by_is_waiting(laptop):
    """The part that is in stays in; a rewritten session waits as a whole."""
    path = laptop.write("one.log", "hello")
    before = path.stat().st_size
    laptop.discover()
    laptop.work_off()

    laptop.append(path, "12345")
    laptop.discover()
    assert [AuditEntry(Fate.INGESTED, None, 0, before), AuditEntry(Fate.WAITING, None, 1, 6)] == entries(laptop)

    path.write_text(path.read_text().replace("hello", "HELLO"))
    laptop.touch(path)
    laptop.discover()
    assert [AuditEntry(Fate.WAITING, None, 1, before + 6)] == entries(laptop)


def test_a_database_is_shared_out_and_what_holds_nothing_is_named(laptop):
    """Bytes of a database are divided among its sessions; a copy, an empty database and a locked one have entries."""
    path = laptop.write_database("agent.db", a="1", b="1", c="1")
    empty, locked = laptop.write_database("empty.db"), laptop.file("locked.db")
    locked.write_text("locked")
    laptop.write("one.log", "hello", "again", started="2027-01-01T00:00:00Z")
    copy = laptop.write("copy/one.log", "hello")
    laptop.touch(copy, 1)
    laptop.discover()
    queue = laptop.queue()
    queue.complete(queue.claim("w"))

    found = audit(laptop.database)

    assert found.is_whole
    assert (4, 1) == (found.sessions, found.of(Fate.INGESTED).sessions)
    assert found.of(Fate.INGESTED).bytes in (path.stat().st_size // 3, path.stat().st_size // 3 + 1)
    assert {
        (Fate.SKIPPED, NO_SESSION, 0, empty.stat().st_size),
        (Fate.SKIPPED, "an older copy of the same session", 0, copy.stat().st_size),
        (Fate.FAILED, f"{locked} is locked", 0, 6),
    } == {(e.fate, e.reason, e.sessions, e.bytes) for e in found.entries if e.fate in (Fate.SKIPPED, Fate.FAILED)}


@pytest.mark.parametrize("seed", range(5))
def test_the_sums_are_whole_whatever_happens(new_laptop, seed):
    """A hundred random events on disk and in the queue; the books balance after each."""
    chance, laptop = Random(seed), new_laptop(f"laptop{seed}")
    queue = laptop.queue(max_attempts=2, first_wait=1, lease_seconds=5)
    names = [f"s{n}.log" for n in range(4)] + ["copy/s1.log", "copy/s2.log"]
    jobs = []

    def event() -> None:
        name = chance.choice(names)
        path = laptop.file(name)
        match chance.randrange(9):
            case 0:
                laptop.write(name, "x" * chance.randrange(50), cwd=chance.choice([laptop.app, "/nowhere/x"]))
            case 1 if path.exists():
                laptop.append(path, "y" * chance.randrange(50))
            case 2 if path.exists():
                path.unlink()
            case 3:
                runs = {run: str(chance.randrange(3)) for run in chance.sample(["s1", "s9", "t"], chance.randrange(4))}
                laptop.write_database("agent.db", **runs)
            case 4 if job := queue.claim("w"):
                jobs.append(job)
            case 5 if jobs:
                queue.complete(jobs.pop())
            case 6 if jobs:
                queue.fail(jobs.pop(), "no model")
            case 7:
                laptop.since = chance.choice(
                    [None, datetime(2023, 11, 14, 22, 13, 45 + chance.randrange(15), tzinfo=UTC)]
                )
            case 8 if path.exists():
                path.write_text("broken\n")
                laptop.touch(path)

    for _ in range(100):
        event()
        laptop.discover()
        found = audit(laptop.database)
        assert found.is_whole
        on_disk = sum(p.stat().st_size for p in laptop.file("x").parent.rglob("*") if p.suffix in {".log", ".db"})
        with laptop.database.read() as tx:
            assert (on_disk,) == tx.row("SELECT coalesce(sum(size), 0) FROM containers WHERE gone = 0")
    laptop.database.close()
