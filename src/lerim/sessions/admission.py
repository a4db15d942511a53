"""Which sessions may be ingested at all: their file is there, they have a project, and they are inside the window.

The rule is one pair of statements that can run at any time. A session is held with the reason that applies,
and let go when none does any more: when the window widens, a project is added, or a lost disk is back.
"""

from __future__ import annotations

from collections.abc import Iterable

from lerim.sessions.session import Held
from lerim.storage.database import Transaction

_REASONS = ", ".join(f"'{reason}'" for reason in Held)

# Why a session cannot be taken; NULL when it can. What a person asked for is taken from outside the window too.
_WHY = f"""
CASE WHEN gone = 1 THEN '{Held.GONE}'
     WHEN coalesce(project_id, '') = '' THEN '{Held.NO_PROJECT}'
     WHEN active < ? AND coalesce(choice, '') <> 'take' THEN '{Held.OUTSIDE_WINDOW}' END
"""

# Rows that are held for the right reason already stay untouched: most scans change nothing.
HOLD = f"""
UPDATE sessions SET state = 'skipped', reason = {_WHY}
WHERE (state IN ('pending', 'failed')
       OR (state = 'skipped' AND reason IN ({_REASONS}) AND coalesce(choice, '') <> 'leave'))
  AND {_WHY} IS NOT NULL AND (state <> 'skipped' OR reason <> {_WHY})
"""

# What was in already and came back unchanged is done, not waiting.
LET_GO = f"""
UPDATE sessions SET state = CASE WHEN ingested = fingerprint THEN 'done' ELSE 'pending' END, reason = NULL
WHERE state = 'skipped' AND reason IN ({_REASONS}) AND coalesce(choice, '') <> 'leave' AND {_WHY} IS NULL
"""


def settle(tx: Transaction, since: str, only: Iterable[int] | None = None) -> None:
    """Hold and let go, for all sessions or the given ones. `since` is the begin of the window; empty for no limit."""
    if only is None:
        tx.run(HOLD, (since, since, since))
        tx.run(LET_GO, (since,))
        return
    ids = [(session_id,) for session_id in only]
    tx.run_many(f"{HOLD} AND id = ?", [(since, since, since, *one) for one in ids])
    tx.run_many(f"{LET_GO} AND id = ?", [(since, *one) for one in ids])
