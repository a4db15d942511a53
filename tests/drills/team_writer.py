"""One of several machines that write to a shared store while everything around them breaks. Run as a program.

python team_writer.py URL PROJECT NAME COUNT LOG

A memory is in the log once its commit was acknowledged. Whatever goes wrong with the server, the same store is used
again: there is nothing to reopen.
"""

from __future__ import annotations

import json
import os
import sys
import time

from lerim.context.records import Draft, Primitive, utc_now
from lerim.context.store import ContextStore
from lerim.errors import StoreBusy, StoreUncertain, StoreUnreachable
from lerim.storage.engine import open_shared


def patiently(work):
    """Do it, and again while the server is away."""
    while True:
        try:
            return work()
        except (StoreUnreachable, StoreBusy):
            time.sleep(0.05)


def main(url: str, project: str, name: str, count: int, log: str) -> None:
    database = patiently(lambda: open_shared(url, "context"))
    store = ContextStore(database, project)

    def write(title: str) -> None:
        with store.change("person", "drill") as change:
            change.create(Draft(Primitive.DECISION, title, "x").record(utc_now(), os.urandom))

    def is_there(title: str) -> bool:
        with store.read() as snapshot:
            return snapshot.tx.row("SELECT 1 FROM records WHERE title = ?", (title,)) is not None

    def write_once(title: str) -> None:
        try:
            write(title)
        except StoreUncertain:
            # The server crashed in the middle of it: whoever needs to know looks.
            if not patiently(lambda: is_there(title)):
                write_once(title)

    with open(log, "a") as acknowledged:
        for number in range(count):
            title = f"{name} says {number}"
            patiently(lambda title=title: write_once(title))
            print(json.dumps(title), file=acknowledged, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
