"""Keys on a server: the project leads each, so that a sharding layer can distribute by it; and the way there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lerim.storage.connections import Address, close_pools
from lerim.storage.database import migrations
from lerim.storage.postgres import PostgresDatabase, upgrade

from ..postgres_server import MISSING, PostgresEngine, execute, server, url_of

SCHEMAS = ("team", "context", "sessions", "usage", "answers")
TEAMS = Path(__file__).parents[2] / "docs" / "teams.md"
#: How far the schemas were before the project led every key.
BEFORE = {"team": 1, "context": 4, "sessions": 3, "usage": 4, "answers": 3}

_UNIQUE = """
SELECT n.nspname || '.' || c.relname, i.indexrelid::regclass::text,
       (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.indkey[0])
FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE i.indisunique AND starts_with(n.nspname, 'lerim_')
"""


@pytest.fixture
def engine() -> Iterator[PostgresEngine]:
    if not server():
        pytest.skip(MISSING)
    engine = PostgresEngine()
    yield engine
    engine.done()


@pytest.fixture
def named(engine: PostgresEngine, tmp_path: Path) -> str:
    """A database with everything in it."""
    for schema in SCHEMAS:
        engine.open(tmp_path, schema)
    return engine.name_of(tmp_path)


def told(command: str) -> set[str]:
    """The tables that the page has somebody call a command of Citus for."""
    lines = TEAMS.read_text("utf-8").splitlines()
    found = {line.split("'")[1] for line in lines if line.startswith(f"SELECT {command}(")}
    assert found, command
    return found


def test_the_project_leads_every_key(named: str) -> None:
    """But for the tables that belong to no project, which the page lists."""
    reference = told("create_reference_table")
    wrong = [
        f"{index} of {table} begins with {first}"
        for table, index, first in execute(_UNIQUE, named)
        if first != "project_id" and table not in reference and not table.endswith(".steps")
    ]

    assert [] == wrong


def test_the_page_lists_every_table_once(named: str) -> None:
    """Distributed by its project, or the same everywhere. A distributed one points at nothing else."""
    tables = {name for (name,) in execute(_TABLES, named)}
    distributed, reference = told("create_distributed_table"), told("create_reference_table")

    assert tables == distributed | reference
    assert set() == distributed & reference
    for table, target, columns in execute(_POINTING, named):
        assert target in reference or "project_id" in columns, f"{table} points at {target}"
        assert table in distributed or target in reference, f"{table} points at {target}"


_TABLES = """
SELECT schemaname || '.' || tablename FROM pg_tables WHERE starts_with(schemaname, 'lerim_') AND tablename <> 'steps'
"""
_POINTING = """
SELECT x.conrelid::regclass::text, x.confrelid::regclass::text,
       (SELECT array_agg(a.attname::text) FROM pg_attribute a
        WHERE a.attrelid = x.conrelid AND a.attnum = ANY (x.conkey))
FROM pg_constraint x JOIN pg_namespace n ON n.oid = x.connamespace
WHERE x.contype = 'f' AND starts_with(n.nspname, 'lerim_')
"""


@pytest.fixture
def older() -> Iterator[str]:
    """A database as the release before made it."""
    if not server():
        pytest.skip(MISSING)
    import psycopg

    name = f"older_{id(object())}"
    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    for schema in SCHEMAS:
        steps = [step for step in migrations("postgres", schema) if step.number <= BEFORE[schema]]
        made = "CREATE TABLE steps (number INTEGER PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())"
        words = [f"CREATE SCHEMA lerim_{schema}; SET search_path = lerim_{schema}, public; {made}"]
        words += [
            f"{step.path.read_text('utf-8')}; INSERT INTO steps (number) VALUES ({step.number})" for step in steps
        ]
        with psycopg.connect(url_of(name), autocommit=True) as connection:
            connection.execute("; ".join(words))  # type: ignore[call-overload]
    yield name
    close_pools()
    execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_store_of_the_release_before_is_upgraded_with_all_it_holds(older: str) -> None:
    """Sessions, calls, answers and the log are there, under the keys that are new; policies hold."""
    execute(_OLD_ROWS, older)
    address = Address(url_of(older))

    for schema in SCHEMAS:
        upgrade(address, schema)

    assert _sessions(older) == [("claude", "a", "shop", "pending", "uploaded"), ("claude", "b", "", "skipped", "/x")]
    assert execute("SELECT project_id, run_id, cost_usd FROM lerim_usage.calls ORDER BY id", older) == [
        ("shop", "sync-1", 0.25),
        ("", "ask-1", 0.5),
    ]
    assert execute("SELECT kind, name, usd FROM lerim_usage.sums ORDER BY 1, 2", older) == [
        ("day", "2026-01-01", 0.75),
        ("run", "ask-1", 0.5),
        ("run", "sync-1", 0.25),
    ]
    assert execute("SELECT project_id, run_id FROM lerim_usage.stops", older) == [("shop", "sync-1")]
    assert execute("SELECT project_id, key, answer FROM lerim_answers.answers", older) == [("", "k", "that")]
    assert execute("SELECT project_id, what FROM lerim_team.audit ORDER BY id", older) == [("", "x"), ("shop", "y")]
    assert [] == [problem for schema in SCHEMAS[1:] for problem in PostgresDatabase(address, schema).problems()]


def _sessions(name: str) -> list[tuple[Any, ...]]:
    sql = """SELECT s.agent, s.run_id, s.project_id, s.state, c.path FROM lerim_sessions.sessions s
             JOIN lerim_sessions.containers c ON c.id = s.container_id ORDER BY s.run_id"""
    return execute(sql, name)


_OLD_ROWS = """
SET search_path = lerim_context, public;
INSERT INTO projects (id, root, name, created) VALUES ('shop', 'git:shop', 'Shop', '2026'),
  ('one', 'git:one', 'Twice', '2026'), ('two', 'git:two', 'Twice', '2026');
SET search_path = lerim_sessions, public;
INSERT INTO containers (agent, path, project_id, size, inode)
  VALUES ('claude', 'uploaded/shop', 'shop', 0, 0), ('claude', '/x', NULL, 1, 1);
INSERT INTO sessions (agent, run_id, container_id, fingerprint, active, project_id, state) VALUES
  ('claude', 'a', 1, 'f', '2026-01-01', 'shop', 'pending'), ('claude', 'b', 2, 'g', '2026-01-01', NULL, 'skipped');
SET search_path = lerim_usage, public;
INSERT INTO calls (at, run_id, project, role, provider, model, input_tokens, cost_usd) VALUES
  ('2026-01-01T00:00:00Z', 'sync-1', 'Shop', 'extract', 'p', 'm', 10, 0.25),
  ('2026-01-01T00:00:00Z', 'ask-1', 'Twice', 'extract', 'p', 'm', 10, 0.5);
INSERT INTO stops (run_id, at, reason) VALUES ('sync-1', '2026-01-01', 'budget');
INSERT INTO lerim_answers.answers (key, at, answer) VALUES ('k', '2026-01-01', 'that');
INSERT INTO lerim_team.audit (who, via, action, what, project_id)
  VALUES ('ada', 'cli', 'read', 'x', NULL), ('ada', 'cli', 'read', 'y', 'shop');
"""
