"""`lerim worker`: take what machines uploaded to a shared store, and learn from it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, Output
from lerim.cli.report import plural
from lerim.errors import LerimError, UsageError
from lerim.payloads.worker import worker_payload
from lerim.service import Lerim

COMMANDS = Commands()
PARTLY_DONE = 3
#: More processes than any machine of ours has use for.
_MOST_WORKERS = 64


@COMMANDS.add(
    "worker",
    "Ingest the sessions that machines uploaded to a shared store, until it is stopped. Any number of machines may.",
    example="lerim worker --concurrency 4",
    arguments=[
        argument("--concurrency", type=int, default=1, metavar="N", help="so many sessions at once (default: 1)"),
        argument("--once", action="store_true", help="end when nothing is left to take"),
    ],
)
def worker(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if not 1 <= args.concurrency <= _MOST_WORKERS:
        raise UsageError(f"--concurrency must be from 1 to {_MOST_WORKERS}", hint="lerim worker --concurrency 4")
    from lerim.daemon.crew import Crew  # Start-up: what is wrong with the words is said first.

    # Where nothing is shared, or the address is wrong, that is said here and at once. Later, a server may be gone.
    lerim.workforce.team_worker()
    _waiting(lerim)
    lerim.close()  # What stays for days holds no file open.
    crew = Crew(args.concurrency, lerim.house.env, args.once, lambda message: _tell(message, out))
    done = crew.run()
    waiting = 0
    with suppress(LerimError):  # The work is done, whatever becomes of this.
        waiting = _waiting(lerim)
    out.data(worker_payload(args.concurrency, done, waiting))
    if done.error is not None:
        out.fail(done.error, done.hint)
        return done.code
    failed = [f"{done.failed} failed (lerim queue --team)"] if done.failed else []
    facts = [plural(done.taken, "session"), f"{done.written} written", *failed]
    out.say(out.style(" · ".join(facts) if done.taken else "no sessions to take", BOLD))
    if waiting:
        out.note(f"{plural(waiting, 'session')} in the team's queue: lerim queue --team")
    return PARTLY_DONE if done.failed else 0


def _waiting(lerim: Lerim) -> int:
    return lerim.house.team.queue.due_count() if lerim.house.team else 0


def _tell(message: Mapping[str, Any], out: Output) -> None:
    if "taken" in message:
        out.say(_line(message, out))
    elif "waits" in message:
        out.warn(f"{message['waits']}; trying again in {message['seconds']:g} s")
    elif "crash" in message:
        out.warn(f"a worker ended without a word ({message['crash']}); another one begins")


def _line(message: Mapping[str, Any], out: Output) -> str:
    counts = [f"{message['counts'][name]} {name}" for name in ("added", "updated") if message["counts"].get(name)]
    if message["state"] in ("failed", "dead", "running"):
        mark, words, style = "!", f"{message['state']}: {message['reason']}", RED
    elif message["state"] == "skipped":
        mark, words, style = "-", f"skipped: {message['reason']}", DIM
    else:
        title = message["title"] or ""
        mark, words, style = ("+" if counts else "·"), f"{title}  ({', '.join(counts) or 'nothing new'})", GREEN
    return f"{out.style(mark, style)} {out.style(message['taken'], CYAN)}  {words}"
