"""The catalog's database file. A damaged one is kept aside; the sessions themselves are still where they were."""

from __future__ import annotations

from pathlib import Path

from lerim.errors import StoreCorrupt
from lerim.private import make_home, make_private
from lerim.storage.database import Database
from lerim.storage.engine import open_database
from lerim.storage.quarantine import SIDE_FILES, is_unsound, set_aside


def catalog_path(home: Path) -> Path:
    return home / "index" / "sessions.sqlite3"


def open_catalog(home: Path, stamp: str) -> tuple[Database, str | None]:
    """The catalog's database, and a notice when the old one was damaged."""
    path = catalog_path(home)
    make_home(home)
    make_private(path.parent)
    try:
        return open_database(path, "sessions"), None
    except StoreCorrupt:
        return replace_catalog(home, stamp)


def replace_catalog(home: Path, stamp: str) -> tuple[Database, str | None]:
    """A new catalog in place of a damaged one. Only what a person skipped or retried is lost with it."""
    kept = set_aside(catalog_path(home), "sessions", stamp)
    notice = f"the session catalog was damaged: it is kept as {kept}; the sessions are found again" if kept else None
    return open_database(catalog_path(home), "sessions"), notice


def is_catalog_damaged(home: Path) -> bool:
    return catalog_path(home).exists() and is_unsound(catalog_path(home), "sessions")


def remove_catalog(home: Path, backup: Path | None) -> None:
    """Forget which sessions there are and what became of them; into `backup`, when there is one."""
    for suffix in SIDE_FILES:
        file = catalog_path(home).with_name(catalog_path(home).name + suffix)
        if file.exists():
            file.replace(backup / file.name) if backup else file.unlink()


def counts(database: Database) -> dict[str, int]:
    """Sessions by state; those that only lack a project, or are too old for the window, by that."""
    # The words of `Held`, which is not loaded for a look at the state.
    held = "'no project', 'outside the window'"
    sql = f"SELECT CASE WHEN reason IN ({held}) THEN reason ELSE state END, count(*) FROM sessions GROUP BY 1"
    with database.read() as tx:
        return {str(state): int(count) for state, count in tx.rows(sql)}


def branches(database: Database) -> dict[tuple[str, str], str]:
    """The git branch that each session worked on, by agent and run id; of those that say."""
    with database.read() as tx:
        rows = tx.rows("SELECT agent, run_id, branch FROM sessions WHERE branch <> ''")
        return {(str(agent), str(run_id)): str(branch) for agent, run_id, branch in rows}


def starts(database: Database) -> dict[tuple[str, str], str]:
    """When each session began, by agent and run id; of those that say."""
    with database.read() as tx:
        rows = tx.rows("SELECT agent, run_id, coalesce(started, ended) FROM sessions")
        return {(str(agent), str(run_id)): str(moment) for agent, run_id, moment in rows if moment}


def on_branch(database: Database, branch: str) -> frozenset[tuple[str, str]]:
    """The sessions that worked on a git branch, as (agent, run id)."""
    with database.read() as tx:
        rows = tx.rows("SELECT agent, run_id FROM sessions WHERE branch = ?", (branch,))
        return frozenset((str(agent), str(run_id)) for agent, run_id in rows)
