"""One of several processes that write at once. Run as a program; prints what it did as JSON.

python crowd.py PROJECT ROUNDS COUNTER_ID NAME
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lerim.context.records import Draft, Primitive
from lerim.errors import Conflict
from lerim.service import Lerim


def work(project: Path, rounds: int, counter: str, name: str) -> dict[str, object]:
    added, collisions = [], 0
    for number in range(rounds):
        # A new Lerim each time, as a new command would be.
        with Lerim(project) as lerim:
            lerim.memory.reconcile()
            added.append(lerim.memory.add(Draft(Primitive.DECISION, f"{name} says {number}", "x")).record.id)
            while True:
                kept = lerim.memory.find(counter)
                try:
                    count = int(kept.record.body) + 1
                    lerim.memory.revise(kept, reason=name, base=kept.record.version, body=str(count))
                    break
                except Conflict:
                    collisions += 1
    return {"added": added, "collisions": collisions}


if __name__ == "__main__":
    print(json.dumps(work(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4])))
