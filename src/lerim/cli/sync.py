"""`lerim sync` and `lerim ingest`: remember what the agents' sessions teach."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.project import ask_for_trust
from lerim.cli.report import plural
from lerim.cli.sessions import WINDOW, open_sessions
from lerim.errors import LerimError, UsageError
from lerim.payloads.runs import due_payload, sync_payload
from lerim.service import Due, Lerim

if TYPE_CHECKING:
    from lerim.runtime.worker import Taken
    from lerim.sessions.session import Session

COMMANDS = Commands()
PARTLY_DONE = 3
#: Sessions named one by one; of more, the number says enough.
_MOST_DEAD = 5


@COMMANDS.add(
    "sync",
    "Find new sessions and ingest them: what each one taught, with its evidence, and a summary.",
    example="lerim sync --since 2026-11-01",
    arguments=[
        argument("--project", metavar="NAME", help="only this project's sessions (default: all projects)"),
        argument("--limit", type=int, metavar="N", help="at most this many sessions, oldest first"),
        argument("--dry-run", action="store_true", help="only show what would be ingested and what it would cost"),
        *WINDOW,
    ],
)
def sync(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit must be at least 1", hint="lerim sync --limit 10")
    adopted = lerim.adopt()
    if adopted is not None:
        out.note(f"{adopted.root} is now a project (to undo: lerim project remove {adopted.name})")
    root = lerim.house.project_root
    if root is not None and (here := lerim.projects.at(root)) is not None:
        ask_for_trust(lerim, here, out)
    sessions = open_sessions(lerim, args, out)
    project = lerim.project(args.project) if args.project else None
    if args.dry_run:
        _tell_due(lerim.due(sessions, project, args.limit), out)
        return 0
    due = sessions.queue.due_count(project.id if project else None)
    report = Report(out, min(due, args.limit or due))
    try:
        for taken in lerim.sync(sessions, project=project, limit=args.limit):
            report.tell(taken)
    except KeyboardInterrupt:
        report.end("stopped; finished sessions are kept, the rest stay in the queue: lerim sync")
        return 130
    except LerimError as error:
        report.end("ended early; finished sessions are kept, the rest stay in the queue", error)
        out.fail(error.message, error.hint)
        return error.exit_code
    code = report.end(_homeless(lerim), dead=lerim.given_up(sessions, project))
    _back_up(lerim, out)
    return code


@COMMANDS.add(
    "ingest",
    "Ingest one session or trace file now, even if it was ingested before; without one, does the same as sync.",
    example="lerim ingest ~/.claude/projects/app/4f2a1c9e.jsonl",
    arguments=[
        argument("traces", nargs="*", metavar="TRACE", help="a session (agent/run_id) or a session file of any agent"),
        argument("--cwd", type=Path, help="the folder a file of your own belongs to (default: here)"),
    ],
)
def ingest(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if not args.traces:
        defaults = {"project": None, "limit": None, "dry_run": False, "since": None, "all": False}
        return sync(lerim, argparse.Namespace(**defaults), out) or 0
    lerim.adopt()
    found = [session for trace in args.traces for session in lerim.traces.find(trace, args.cwd)]
    report = Report(out, len(found))
    try:
        for session in found:
            report.tell(lerim.ingest(session))
    except LerimError as error:
        report.end("", error)
        out.fail(error.message, error.hint)
        return error.exit_code
    return report.end("")


class Report:
    """A line for each session as it finishes, and the totals."""

    def __init__(self, out: Output, total: int) -> None:
        self._out = out
        self._total = total
        self._done: list[Taken] = []
        self._progress()

    def tell(self, taken: Taken) -> None:
        self._done.append(taken)
        mark, words, style = _outcome(taken)
        self._out.say(f"{self._out.style(mark, style)} {self._out.style(short_name(taken.session), CYAN)}  {words}")
        for written in taken.result.written if taken.result else ():
            self._out.say(
                f"    {_SIGNS.get(written.action, '+')} {self._out.style(written.record_id, DIM)}  {written.title}"
            )
        if taken.result and taken.result.notice:
            self._out.warn(taken.result.notice)
        self._progress()

    def end(self, note: str, error: LerimError | None = None, dead: Sequence[Session] = ()) -> int:
        """Print the totals and return the exit code. `error` ended the work early, `dead` is what was given up."""
        failed = sum(taken.result is None and taken.state in ("failed", "dead", "running") for taken in self._done)
        counts: Counter[str] = Counter()
        for taken in self._done:
            counts.update(taken.result.counts if taken.result else {})
        waiting = max(self._total - len(self._done), 0)
        self._out.data(sync_payload(self._done, counts, failed, waiting, error, dead))
        if self._done or error is None:
            self._out.say(self._sum(counts, failed))
        self._tell_dead(dead)
        if note:
            self._out.note(note)
        # What cannot be read at all was warned of; what was tried and given up is work that is not done.
        return PARTLY_DONE if failed or any(session.attempts for session in dead) else 0

    def _tell_dead(self, dead: Sequence[Session]) -> None:
        for session in dead[:_MOST_DEAD]:
            again = f"lerim retry {session.name}, or " if session.project_id else ""
            self._out.warn(f"given up: {session.name}: {session.reason}; {again}lerim skip {session.name}")
        if len(dead) > _MOST_DEAD:
            self._out.warn(f"{len(dead) - _MOST_DEAD} more were given up: lerim queue --state dead")

    def _progress(self) -> None:
        # Once all are done, the totals say so.
        if len(self._done) < self._total:
            self._out.progress("reading sessions", len(self._done), self._total)

    def _sum(self, counts: Counter[str], failed: int) -> str:
        if not self._done:
            held = f"nothing can be ingested right now; {plural(self._total, 'session')} in the queue: lerim queue"
            return held if self._total else "no new sessions"
        facts = [plural(len(self._done), "session")]
        facts += [f"{counts[name]} {name}" for name in ("added", "updated", "unchanged") if counts[name]]
        if not counts["added"] and not counts["updated"]:
            facts.append("nothing new learned")
        skipped = sum(taken.result is None for taken in self._done) - failed
        facts += [f"{skipped} skipped"] * bool(skipped) + [f"{failed} failed (lerim queue)"] * bool(failed)
        cost = sum(taken.result.cost_usd or 0.0 for taken in self._done if taken.result)
        facts += [f"{sum(taken.seconds for taken in self._done):.1f} s"] + [f"${cost:.4f}"] * bool(cost)
        return self._out.style(" · ".join(facts), BOLD)


def short_name(session: Session) -> str:
    """Enough of a session's name to find it again: the first part of an id made of hex digits, else most of it."""
    run_id = session.run_id
    head = run_id.partition("-")[0]
    is_hex = len(head) >= 8 and all(character in "0123456789abcdef" for character in head)
    return f"{session.agent}/{run_id[:8] if is_hex else run_id[:32]}"


_SIGNS = {"add": "+", "update": "~"}


def _outcome(taken: Taken) -> tuple[str, str, str]:
    """A mark, what happened in words, and the color of the mark."""
    title = taken.session.title or ""
    if taken.result is None:
        if taken.state == "skipped":
            return "-", f"skipped: {taken.reason}", DIM
        return "!", f"{taken.state}: {taken.reason}", RED
    title = taken.result.summary.title if taken.result.summary else title
    counts = taken.result.counts
    learned = [f"{counts[name]} {name}" for name in ("added", "updated", "unchanged") if counts.get(name)]
    new = counts.get("added") or counts.get("updated")
    words = f"{title}  ({', '.join(learned) or 'routine, nothing to remember'})"
    return ("+", words, GREEN) if new else ("·", words, YELLOW if learned else DIM)


def _tell_due(due: Due, out: Output) -> None:
    out.data(due_payload(due))
    if not due.sessions:
        out.say("no new sessions")
        return
    out.say(f"{plural(len(due.sessions), 'session')} would be ingested, {due.size / 1e6:.1f} MB")
    for session in due.sessions[:20]:
        out.say(f"  {out.style(session.name, CYAN)}  {session.title or ''}")
    if len(due.sessions) > 20:
        out.say(out.style(f"  … and {len(due.sessions) - 20} more", DIM))
    for role, estimate in due.estimates.items():
        if not estimate.tokens:
            out.say(f"{role}: embedded, costs nothing")
            continue
        price = f"about ${estimate.usd:.2f}" if estimate.usd is not None else "at an unknown price"
        out.say(f"{role}: at most {estimate.tokens:,} tokens, {price}")


def _back_up(lerim: Lerim, out: Output) -> None:
    """The backup of the day. The sync is done, whatever becomes of it."""
    try:
        lerim.backups.make_if_due()
    except LerimError as error:
        out.warn(f"{error.message} ({error.hint})" if error.hint else error.message)


def _homeless(lerim: Lerim) -> str:
    waiting = lerim.session_counts().get("no project", 0)
    verb = "belongs" if waiting == 1 else "belong"
    return f"{plural(waiting, 'session')} {verb} to no project: lerim unscoped" if waiting else ""
