"""What every engine must keep, once, and what is SQLite's own business.

The store, the queue and the review have tests of their own, which run on every engine too: their databases come from
the same fixture.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lerim.errors import StoreBusy, StoreCorrupt, StoreError, StoreTooNew
from lerim.storage.database import Database, migrations
from lerim.storage.engine import open_database
from lerim.storage.sqlite import schema_number

PROJECT = "INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, '2026-02-20T10:30:00Z')"
RECORD = (
    "INSERT INTO records (project_id, id, primitive, title, body, created, updated, source, confidence, tags, status,"
    " version, valid_from, evidence, trust, extra) VALUES ('prj', ?, 'decision', ?, ?, '2026-02-20T10:30:00Z',"
    " '2026-02-20T10:30:00Z', 'manual', 0.8, ?, 'active', 1, '2026-02-20T10:30:00Z', '[]', 'user', '{}') RETURNING seq"
)


# Another process: it opens the database at the given moment and adds a project.
AT_ONCE = """
import sys, time
from pathlib import Path
where, start, name = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
{opening}
time.sleep(max(0, start - time.time()))
database = open_database(where, "context")
with database.write() as tx:
    tx.run("INSERT INTO projects (id, root, name, created) VALUES (?, ?, ?, '')", (name, name, name))
database.close()
"""


class TestDatabase:
    """The promises, held against every engine there is."""

    @pytest.fixture(autouse=True)
    def where(self, engine: Any, tmp_path: Path) -> Path:
        self.engine = engine
        return tmp_path

    def open(self, where: Path, **settings: float) -> Database:
        """Another connection to the same, possibly new, database."""
        return self.engine.open(where, "context", **settings)

    @pytest.fixture
    def database(self, where: Path):
        with closing(self.open(where)) as database:
            yield database

    @pytest.fixture
    def other(self, database: Database, where: Path):
        with closing(self.open(where, busy_seconds=0.2)) as other:
            yield other

    # Transactions

    def test_what_was_committed_is_seen_by_others(self, database, other):
        """A commit is visible to every connection from the next transaction on."""
        add_project(database, "one")

        assert ["one"] == projects(other)

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
    def test_any_exception_rolls_back(self, database, other, error):
        """All of it becomes visible, or none; the connection stays usable."""
        with pytest.raises(error), database.write() as tx:
            tx.run(PROJECT, ("one", "/one", "one"))
            raise error

        add_project(database, "two")
        assert ["two"] == projects(database) == projects(other)

    def test_a_statement_that_fails_rolls_back_what_came_before(self, database):
        """A broken rule of the schema is a StoreError, and nothing of its transaction stays."""
        with pytest.raises(StoreError), database.write() as tx:
            tx.run(PROJECT, ("one", "/one", "one"))
            tx.run(PROJECT, ("one", "/other", "twice"))

        assert [] == projects(database)

    def test_a_reader_does_not_see_what_is_not_committed(self, database, other):
        """Half a change is no change."""
        with database.write() as tx:
            tx.run(PROJECT, ("one", "/one", "one"))

            assert [] == projects(other)
        assert ["one"] == projects(other)

    def test_a_reader_keeps_its_view_while_others_commit(self, database, other):
        """Two questions inside one read get answers from one moment."""
        with other.read() as tx:
            before = tx.rows("SELECT id FROM projects")
            add_project(database, "one")

            assert before == tx.rows("SELECT id FROM projects")
        assert ["one"] == projects(other)

    def test_a_reader_does_not_keep_a_writer_waiting(self, database, other):
        """A long read and a short write do not meet."""
        with database.read() as tx:
            tx.rows("SELECT id FROM projects")

            add_project(other, "one")

        assert ["one"] == projects(database)

    def test_a_writer_that_waits_too_long_gives_up(self, database, other):
        """StoreBusy, exit code 4, and nothing written."""
        with database.write() as tx:
            tx.run(PROJECT, ("one", "/one", "one"))
            start = time.monotonic()
            with pytest.raises(StoreBusy) as caught, other.write():
                pass

        assert (4, True) == (caught.value.exit_code, time.monotonic() - start < 5)
        assert caught.value.hint is not None

    def test_a_writer_waits_for_its_turn(self, database, where):
        """A short wait is no error."""
        taken, done = threading.Event(), []

        def wait_and_write() -> None:
            with closing(self.open(where)) as second:
                taken.set()
                add_project(second, "second")
                done.append("second")

        thread = threading.Thread(target=wait_and_write)
        with database.write() as tx:
            tx.run(PROJECT, ("first", "/first", "first"))
            thread.start()
            assert taken.wait(10)
            time.sleep(0.05)
            done.append("first")
        thread.join(30)

        assert (["first", "second"], ["first", "second"]) == (done, projects(database))

    def test_writers_are_serialized(self, database, where):
        """What one reads inside its transaction no other has changed when it writes: no count gets lost."""
        add_project(database, "0")

        def count() -> None:
            with closing(self.open(where)) as mine:
                for _ in range(10):
                    with mine.write() as tx:
                        row = tx.row("SELECT name FROM projects")
                        number = 0 if row[0] == "0" else int(row[0])
                        tx.run("UPDATE projects SET name = ?", (str(number + 1),))

        threads = [threading.Thread(target=count) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)

        with database.read() as tx:
            assert ("30",) == tx.row("SELECT name FROM projects")

    # Statements

    def test_run_says_how_many_rows_it_changed(self, database):
        """None, one or several."""
        with database.write() as tx:
            counts = [tx.run(PROJECT, (name, f"/{name}", name)) for name in ("one", "two")]
            counts.append(tx.run("UPDATE projects SET name = 'x'"))
            counts.append(tx.run("DELETE FROM projects WHERE id = 'nobody'"))

        assert [1, 1, 2, 0] == counts

    def test_run_many_runs_each(self, database):
        """One statement, many values, from any iterable."""
        with database.write() as tx:
            tx.run_many(PROJECT, ((name, f"/{name}", name) for name in "abc"))

        assert ["a", "b", "c"] == projects(database)

    def test_a_row_is_one_or_none(self, database):
        """`row` gives the first, `rows` all of them."""
        with database.write() as tx:
            tx.run_many(PROJECT, [(name, f"/{name}", name) for name in "ab"])
            found = tx.row("SELECT id, name FROM projects ORDER BY id"), tx.rows("SELECT id FROM projects ORDER BY id")
            nothing = tx.row("SELECT id FROM projects WHERE id = ?", ("c",)), tx.rows("SELECT 1 FROM uses")

        assert (("a", "a"), [("a",), ("b",)]) == found
        assert (None, []) == nothing

    def test_an_insert_can_return_what_it_made(self, database):
        """Row numbers grow and are returned."""
        first, second = add_records(database, ("dec-a", "A", ""), ("dec-b", "B", ""))

        assert second > first

    def test_any_text_comes_back_as_it_went_in(self, database):
        """Emoji, line endings, quotes, and characters no keyboard has."""
        text = "é e\u0301 👨\u200d👩 \r\n\t' \" \\ \u2028 \U0010ffff ?"
        add_records(database, ("dec-a", text, text))

        with database.read() as tx:
            assert (text, text) == tx.row("SELECT title, body FROM records")

    # What engines say in words of their own

    def test_a_transaction_has_the_databases_clock(self, database):
        """Seconds since 1970, and it goes on."""
        with database.read() as tx:
            first = tx.now()
            time.sleep(0.01)

            assert abs(time.time() - first) < 5
            assert tx.now() > first

    @pytest.mark.parametrize(
        ("pairs", "found"),
        [
            ([], []),
            ([["one", "One"]], ["one"]),
            ([["two", "One"]], []),
            ([["two", "T'wo\""], ["one", "One"]], ["one", "two"]),
        ],
    )
    def test_columns_can_be_looked_up_in_a_list(self, database, pairs, found):
        """However long it is, it is one value; a pair is found as a pair."""
        with database.write() as tx:
            tx.run_many(PROJECT, [("one", "/one", "One"), ("two", "/two", "T'wo\"")])
            sql = f"SELECT id FROM projects p WHERE {tx.among('p.id', 'p.name')} ORDER BY id"
            many = [[f"no-{number}", "x"] for number in range(40_000)]

            assert found == [row[0] for row in tx.rows(sql, (json.dumps(pairs),))]
            assert found == [row[0] for row in tx.rows(sql, (json.dumps(many + pairs),))]

    def test_a_records_evidence_can_be_asked(self, database):
        """Which sessions it cites, and where its first evidence stands."""
        evidence = [["claude", "run-1", 7, 9, "q", "user"], ["codex", "run-2", 1, 1, "q", "agent"]]
        add_records(database, ("dec-a", "A", ""), ("dec-b", "B", ""))
        with database.write() as tx:
            tx.run("UPDATE records SET evidence = ? WHERE id = 'dec-a'", (json.dumps(evidence),))
            cited = tx.rows(
                "SELECT r.id, c.agent, c.run_id FROM cited_sessions c JOIN records r ON r.seq = c.record_seq ORDER BY 2"
            )
            first = tx.rows("SELECT first_agent, first_run, first_line FROM records ORDER BY id")

        assert [("dec-a", "claude", "run-1"), ("dec-a", "codex", "run-2")] == cited
        assert [("claude", "run-1", 7), (None, None, None)] == first

    # Text search

    def found(self, database: Database, words: list[str], *, every: bool) -> list[str]:
        match = database.match(words, every=every, of="prj")
        with database.read() as tx:
            sql = f"SELECT r.id FROM {match.source} WHERE {match.where} ORDER BY {match.rank}, r.seq"
            return [row[0] for row in tx.rows(sql, (match.value,))]

    def test_search_finds_any_or_every_word(self, database):
        """`any` finds more than `every`; nothing is found by a word nobody wrote."""
        add_records(
            database,
            ("dec-both", "tokens", "bearer tokens expire"),
            ("dec-one", "sessions", "a bearer of news"),
            ("dec-none", "other", "text"),
        )

        assert ["dec-both"] == self.found(database, ["bearer", "tokens"], every=True)
        assert {"dec-both", "dec-one"} == set(self.found(database, ["bearer", "tokens"], every=False))
        assert [] == self.found(database, ["nobody"], every=False)
        assert [] == self.found(database, ["bearer", "nobody"], every=True)

    def test_a_word_in_the_title_ranks_over_one_in_the_body(self, database):
        """Titles say most."""
        add_records(
            database,
            ("dec-body", "Another thing", "kafka and more words here"),
            ("dec-title", "kafka", "Another text and more words here"),
            ("dec-filler", "Nothing", "to see"),
        )

        assert ["dec-title", "dec-body"] == self.found(database, ["kafka"], every=True)

    def test_search_folds_case_accents_and_endings(self, database):
        """People do not type what they wrote."""
        add_records(database, ("dec-a", "Déployer les Migrations", ""))

        assert ["dec-a"] == self.found(database, ["deployer", "migration"], every=True)

    @pytest.mark.parametrize("word", ['"', "a AND b", "NEAR(", "title:x", "*", "-x", "a'b", "(", "日本", "^a", "{a}"])
    def test_words_are_words_never_operators(self, database, word):
        """What a person types cannot break the search."""
        add_records(database, ("dec-a", f"The word {word} stands here", ""))

        assert self.found(database, [word, "stands"], every=False) == ["dec-a"]

    def test_search_follows_every_change(self, database):
        """The index is in step with inserted, changed and deleted records, cascades included."""
        add_records(database, ("dec-a", "old", ""), ("dec-b", "old", ""))
        with database.write() as tx:
            tx.run("UPDATE records SET title = 'new' WHERE id = 'dec-a'")
        assert (["dec-a"], ["dec-b"]) == (
            self.found(database, ["new"], every=True),
            self.found(database, ["old"], every=True),
        )
        assert 2 == text_count(database)

        with database.write() as tx:
            tx.run("DELETE FROM projects")

        assert ([], 0, []) == (
            self.found(database, ["old"], every=True),
            text_count(database),
            database.problems(),
        )

    def test_the_text_index_can_be_remade(self, database):
        """Derived rows are rebuilt to the same content."""
        add_records(database, ("dec-a", "alpha", "x"), ("dec-b", "beta", "x"))
        before = self.found(database, ["x"], every=True), text_count(database)
        with database.write() as tx:
            database.rebuild_text(tx)

        assert before == (self.found(database, ["x"], every=True), text_count(database))
        assert [] == database.problems()

    # The whole database

    def test_a_sound_database_has_no_problems(self, database):
        """Empty or full."""
        assert [] == database.problems()
        add_records(database, ("dec-a", "A", "text"))
        assert [] == database.problems()

    def test_data_survives_reopening(self, database, where):
        """Closing loses nothing."""
        add_records(database, ("dec-a", "A", "text"))
        database.close()

        with closing(self.open(where)) as again:
            assert ["dec-a"] == self.found(again, ["text"], every=True)

    def test_a_backup_is_a_consistent_copy(self, database, other, tmp_path):
        """Taken while another writes: what was committed is in it, the rest is not, and it opens like any other."""
        add_records(database, ("dec-a", "A", "text"))
        with other.write() as tx:
            tx.run(PROJECT, ("late", "/late", "late"))
            target = tmp_path / "copy"
            target.mkdir()
            database.backup(self.engine.file_in(target, "context"))

        with closing(self.engine.restored(target, "context")) as copy:
            assert (["prj"], ["dec-a"], []) == (
                projects(copy),
                self.found(copy, ["text"], every=True),
                copy.problems(),
            )

    def test_a_database_knows_its_place(self, database, where):
        """For people and error messages."""
        assert self.engine.place(where) in database.location

    def test_several_processes_may_open_a_new_database_at_once(self, where):
        """The schema is applied once; everybody gets a database they can write to."""
        start = str(time.time() + 0.5)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", AT_ONCE.format(opening=self.engine.opening(where)), str(where), start]
        processes = [subprocess.Popen([*command, str(number)], env=environment) for number in range(4)]

        assert [0, 0, 0, 0] == [process.wait(60) for process in processes]
        with closing(self.open(where)) as database:
            assert ["0", "1", "2", "3"] == projects(database)
            assert [] == database.problems()


def add_project(database: Database, name: str) -> None:
    with database.write() as tx:
        tx.run(PROJECT, (name, f"/{name}", name))


def projects(database: Database) -> list[str]:
    with database.read() as tx:
        return [row[0] for row in tx.rows("SELECT id FROM projects ORDER BY id")]


def add_records(database: Database, *texts: tuple[str, str, str]) -> list[int]:
    with database.write() as tx:
        tx.run("INSERT INTO projects (id, root, name, created) VALUES ('prj', '/prj', 'p', '')")
        return [tx.row(RECORD, (record_id, title, body, "[]"))[0] for record_id, title, body in texts]


def text_count(database: Database) -> int:
    with database.read() as tx:
        return database.text_count(tx)


class TestSqlite:
    """What is the default engine's own business."""

    @pytest.fixture
    def where(self, tmp_path: Path) -> Path:
        return tmp_path

    @pytest.fixture
    def path(self, where: Path) -> Path:
        return where / "context.sqlite3"

    @pytest.fixture
    def database(self, where: Path):
        with closing(self.open(where)) as database:
            yield database

    def open(self, where: Path) -> Database:
        return open_database(where / "context.sqlite3", "context")

    def test_a_database_of_a_newer_lerim_is_left_untouched(self, where, path):
        """Not a byte of it changes, no file appears beside it, and the hint is the command that helps."""
        self.open(where).close()
        newest = migrations("sqlite", "context")[-1].number
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {newest + 1}")
        data, listing = path.read_bytes(), sorted(os.listdir(where))

        with pytest.raises(StoreTooNew) as caught:
            self.open(where)

        assert (data, listing) == (path.read_bytes(), sorted(os.listdir(where)))
        assert "pip install --upgrade lerim" == caught.value.hint
        assert f"schema {newest + 1}, this one knows {newest}" in caught.value.message

    def test_a_newer_schema_that_only_the_log_knows_is_refused_too(self, where, path):
        """A newer Lerim that is still running has not written everything into the main file."""
        self.open(where).close()
        newest = migrations("sqlite", "context")[-1].number
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {newest + 1}")
            data = path.read_bytes()

            with pytest.raises(StoreTooNew):
                self.open(where)

            assert data == path.read_bytes()

    @pytest.mark.parametrize("data", [b"hello", b"garbage " * 4096, b"SQLite format 3\0" + b"\xff" * 5000])
    def test_a_file_that_is_no_database_is_left_untouched(self, where, path, data):
        """It says what it is, and which command makes a new one from the files."""
        path.write_bytes(data)

        with pytest.raises(StoreCorrupt) as caught:
            self.open(where)

        assert (data, ["context.sqlite3"]) == (path.read_bytes(), os.listdir(where))
        assert "lerim memory rebuild --from files" == caught.value.hint

    def test_an_empty_file_becomes_a_database(self, where, path):
        """A crash before the first write leaves one."""
        path.touch()

        with closing(self.open(where)) as database:
            assert [] == database.problems()

    def test_a_place_that_cannot_be_written_is_named(self, where):
        """The message names the path, the hint says what to do."""
        (where / "file").write_text("in the way")

        with pytest.raises(StoreError) as caught:
            self.open(where / "file")

        assert str(where / "file") in caught.value.message
        assert "LERIM_HOME" in (caught.value.hint or "")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_read_only_folder_is_named(self, where):
        """Nothing was changed, and the hint says what to check."""
        where.chmod(0o500)
        try:
            with pytest.raises(StoreError) as caught:
                self.open(where)
        finally:
            where.chmod(0o700)

        assert "check its permissions" in (caught.value.hint or "")

    def test_it_writes_ahead_and_keeps_foreign_keys(self, database, path):
        """WAL lets readers and a writer work at once; a row cannot point at nothing."""
        with closing(sqlite3.connect(path)) as connection:
            assert ("wal",) == connection.execute("PRAGMA journal_mode").fetchone()
        with pytest.raises(StoreError), database.write() as tx:
            tx.run("INSERT INTO changes (project_id, at, author, reason) VALUES ('nobody', '', '', '')")

    def test_versions_are_never_changed(self, database):
        """The table itself refuses, whoever asks."""
        (seq,) = add_records(database, ("dec-a", "A", ""))
        with database.write() as tx:
            tx.run("INSERT INTO changes (id, project_id, at, author, reason) VALUES (1, 'prj', '', '', '')")
            tx.run("INSERT INTO versions VALUES (?, 1, 1, 'create', '', '{}')", (seq,))

        with pytest.raises(StoreError, match="append-only"), database.write() as tx:
            tx.run("UPDATE versions SET snapshot = '{\"x\": 1}'")

    def test_an_index_out_of_step_is_a_problem_that_a_rebuild_solves(self, database):
        """The records are the truth, the index is their picture."""
        add_records(database, ("dec-a", "alpha", ""))
        with database.write() as tx:
            tx.run("INSERT INTO records_fts (records_fts) VALUES ('delete-all')")

        assert ["the full-text index does not match the records"] == database.problems()
        with database.write() as tx:
            database.rebuild_text(tx)
        assert [] == database.problems()

    def test_a_damaged_page_is_a_problem(self, database, where, path):
        """Found by looking, and reported; or the damage is such that nothing can be read."""
        add_records(database, *((f"dec-{number}", "T", "text " * 200) for number in range(50)))
        database.close()
        data = bytearray(path.read_bytes())
        middle = len(data) // 2 // 4096 * 4096
        data[middle : middle + 4096] = b"\xff" * 4096
        path.write_bytes(data)

        try:
            with closing(self.open(where)) as again:
                problems = again.problems()
        except StoreCorrupt as error:
            problems = [error.message]

        assert problems

    def test_a_checkpoint_that_is_under_way_is_no_damage(self, database, where, path):
        """Another process has moved the first page from the log into the file, and the others not yet."""
        log = path.with_name(path.name + "-wal").read_bytes()
        frames = [log[at : at + 24 + 4096] for at in range(32, len(log), 24 + 4096)]
        first = [frame[24:] for frame in frames if frame[:4] == (1).to_bytes(4)][-1]
        with path.open("r+b") as file:
            file.write(first)

        with closing(self.open(where)) as again:
            add_project(again, "a")
            assert ["a"] == projects(again)

    def test_a_second_look_leaves_the_first_connection_its_locks(self, database, where, path):
        """Whoever closes a file takes away all locks that the process has on it. The next process would think that it
        is alone, throw the log away that this one goes on to write, and ruin both."""
        with database.read() as tx:
            tx.row("SELECT count(*) FROM projects")
        schema_number(path)
        self.open(where).close()

        code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE more (a)'); c.close()"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)

        assert path.with_name(f"{path.name}-wal").stat().st_size > 0
        with database.write() as tx:
            tx.run("INSERT INTO more VALUES (1)")
        with closing(sqlite3.connect(path)) as other:
            assert [(1,)] == other.execute("SELECT a FROM more").fetchall()
            assert [("ok",)] == other.execute("PRAGMA integrity_check").fetchall()

    def test_two_opened_objects_apply_no_migration_twice(self, where, path):
        """The number in the file says what was done."""
        for _ in range(2):
            self.open(where).close()

        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
        assert migrations("sqlite", "context")[-1].number == found
