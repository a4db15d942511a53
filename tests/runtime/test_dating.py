"""A store of an earlier version, its records dated by when they were read: dated anew from their sessions, once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Record, Status, Trust
from lerim.service import Lerim
from lerim.sources.trace import Assistant, Header, User, encode_all

JANUARY, FEBRUARY = datetime(2026, 1, 5, 8, 0, 5, tzinfo=UTC), datetime(2026, 2, 10, 9, 0, 5, tzinfo=UTC)


class OldHome:
    """A home whose store is as the version before had it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "shop"
        self.root.mkdir()
        self.env = {"HOME": str(folder / "home")}
        with self.open() as lerim:
            lerim.setup.init(self.root)

    def open(self) -> Lerim:
        return Lerim(self.root, env=self.env)

    def write(self, title: str, run_id: str, source: str = "sync") -> Record:
        evidence = (Evidence("claude", run_id, 2, 2, title, Trust.USER),)
        with self.open() as lerim:
            return lerim.memory.add(Draft(Primitive.DECISION, title, evidence=evidence, source=source)).record

    def archive(self, run_id: str, said: datetime, words: str) -> None:
        folder = self.root / ".lerim" / "meta" / "traces" / "sessions" / "claude"
        folder.mkdir(parents=True, exist_ok=True)
        lines = (User(text=words, at=said.isoformat()), Assistant(text="Done."))
        encoded = encode_all(Header(agent="claude", run_id=run_id), lines)
        (folder / f"{run_id}.jsonl").write_text("".join(f"{line}\n" for line in encoded))

    def downgrade(self) -> None:
        with self.open() as lerim:
            store = lerim.house.database.location
        with closing(sqlite3.connect(store)) as old:
            old.execute("DROP INDEX records_by_primitive")
            old.execute("DROP TABLE undated")
            old.execute("ALTER TABLE review DROP COLUMN against")
            old.execute("ALTER TABLE records DROP COLUMN worded")
            old.execute("PRAGMA user_version = 10")
            old.commit()


@pytest.fixture
def old_home(tmp_path: Path) -> OldHome:
    return OldHome(tmp_path)


def test_records_are_dated_by_when_their_session_said_them(old_home: OldHome) -> None:
    npm, pnpm = old_home.write("Use npm", "s-1"), old_home.write("Use pnpm, not npm", "s-2")
    with old_home.open() as lerim:
        lerim.memory.supersede(lerim.memory.find(npm.id), lerim.memory.find(pnpm.id), reason="it was said")
    old_home.archive("s-1", JANUARY, "Use npm")
    old_home.archive("s-2", FEBRUARY, "Use pnpm, not npm")
    old_home.downgrade()

    with old_home.open() as lerim:
        before, after = (lerim.memory.find(one.id) for one in (npm, pnpm))
        assert (JANUARY, FEBRUARY) == (before.record.valid_from, before.record.valid_until)
        assert (FEBRUARY, FEBRUARY) == (after.record.valid_from, after.record.last_said.at)
        assert pnpm.updated == after.record.updated
        assert ["create", "revise"] == [version.operation for version in lerim.memory.history(after)]
        assert "dated by when it was said" == lerim.memory.history(after)[-1].reason
        assert "2026-02-10" in (after.path.read_text() if after.path else "")
        assert [] == lerim.memory.check()
        assert Status.ACTIVE is lerim.memory.as_of(before, JANUARY).record.status


def test_it_happens_once(old_home: OldHome) -> None:
    record = old_home.write("Use npm", "s-1")
    old_home.archive("s-1", JANUARY, "Use npm")
    old_home.downgrade()
    for _ in range(2):
        with old_home.open() as lerim:
            assert 2 == lerim.memory.find(record.id).record.version


def test_what_nobody_knows_stays_as_it_is(old_home: OldHome) -> None:
    gone = old_home.write("Use npm", "s-1")
    with old_home.open() as lerim:
        own = lerim.memory.add(Draft(Primitive.DECISION, "Use JWT")).record
    old_home.downgrade()
    with old_home.open() as lerim:
        assert [gone, own] == [lerim.memory.find(one.id).record for one in (gone, own)]
        assert [] == lerim.memory.check()


def test_where_the_archive_is_gone_the_catalog_tells(old_home: OldHome) -> None:
    record = old_home.write("Use npm", "s-1")
    with old_home.open() as lerim, lerim.house.catalog.write() as tx:
        tx.run("INSERT INTO containers (id, agent, path, size, inode) VALUES (1, 'claude', '/x', 1, 1)")
        tx.run(
            "INSERT INTO sessions (agent, run_id, container_id, fingerprint, active, state, started)"
            " VALUES ('claude', 's-1', 1, '', '', 'done', '2026-01-05T08:00:05Z')"
        )
    old_home.downgrade()
    with old_home.open() as lerim:
        assert JANUARY == lerim.memory.find(record.id).record.last_said.at


def test_what_a_person_worded_anew_before_counts_from_then(old_home: OldHome) -> None:
    """And what was only tagged counts from when it was written."""
    with old_home.open() as lerim:
        worded, tagged = (lerim.memory.add(Draft(Primitive.DECISION, title)) for title in ("Use npm", "Use JWT"))
        with lerim.memory.target(None).change("person", "by hand") as change:
            change.revise(worded.record.id, title="Use pnpm")
            change.revise(tagged.record.id, tags=("auth",))
        edited = lerim.memory.find(worded.record.id).record
    old_home.downgrade()

    with old_home.open() as lerim:
        assert edited.worded == lerim.memory.find(worded.record.id).record.worded
        assert edited.worded is not None
        assert lerim.memory.find(tagged.record.id).record.worded is None
