"""A worker of the drill: claims, works a moment, completes; run as a process of its own, to be killed at any time."""

from __future__ import annotations

import contextlib
import random
import sys
import time
from pathlib import Path
from typing import Any

from lerim.errors import Conflict
from lerim.sessions.queue import Queue, Rules, database_clock

EFFECT = "INSERT INTO effects (session, token, worker) VALUES (?, ?, ?)"
RULES = Rules(lease_seconds=0.4, max_attempts=10_000, first_wait=0.01, longest_wait=0.05)


def main(opening: str, where: Path, name: str, skew: float) -> None:
    chance = random.Random(name)
    found: dict[str, Any] = {}
    exec(opening, found)  # The engine's own words.
    database = found["open_database"](where, "sessions")
    queue = Queue(database, chance.random, RULES, clock=lambda tx: database_clock(tx) + skew)
    while any(count for state, count in queue.counts().items() if state in ("pending", "running", "failed")):
        job = queue.claim(name)
        if job is None:
            time.sleep(0.01)
            continue
        session, token = job.session.id, job.token
        # Refused: somebody took the session meanwhile. That one will finish it.
        with contextlib.suppress(Conflict):
            time.sleep(chance.random() * 0.02)
            queue.heartbeat(job)
            time.sleep(chance.random() * 0.02)
            if chance.random() < 0.1:
                queue.fail(job, "bad luck")
            else:
                queue.complete(job, lambda tx, values=(session, token, name): tx.run(EFFECT, values))
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
