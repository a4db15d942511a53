"""`lerim sync` and `lerim ingest`: remember what the agents' sessions teach."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural, waiting_words
from lerim.cli.sessions import WINDOW, open_sessions, session_title
from lerim.cli.trust import ask_for_trust
from lerim.errors import LerimError, UsageError
from lerim.flows.intake import PATIENCE, Due
from lerim.flows.overview import Outlook
from lerim.payloads.runs import due_payload, sync_payload
from lerim.printable import shell_word
from lerim.runtime.worker import UPLOADED
from lerim.service import Lerim
from lerim.sessions.session import SessionState

if TYPE_CHECKING:
    from lerim.context.projects import Project
    from lerim.llm import Estimate
    from lerim.runtime.worker import Taken
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session

COMMANDS = Commands()
PARTLY_DONE = 3
#: More processes than any machine of ours has use for.
_MOST_JOBS = 64
#: Sessions named one by one; of more, the number says enough.
_MOST_DEAD = 5
_MOST_DUE = 20
# What a session takes, before any was measured: a guess that is right within a factor of two on most machines.
_SESSION_SECONDS = 0.15
_BYTE_SECONDS = 0.3e-6
#: After more than so many sessions, what one takes is known.
_MEASURED = 2


@COMMANDS.add(
    "sync",
    "Find new sessions and ingest them: what each one taught, with its evidence, and a summary.",
    example="lerim sync --since 2026-11-01",
    arguments=[
        argument("--project", metavar="NAME", help="only this project's sessions (default: all projects)"),
        argument("--limit", type=int, metavar="N", help="at most this many sessions, oldest first"),
        argument(
            "--jobs",
            type=int,
            metavar="N",
            help="read so many sessions at once (default: as many as fit)",
        ),
        argument("--dry-run", action="store_true", help="only show what would be ingested and what it would cost"),
        argument("--spooled", action="store_true", help="only sessions that agents' hooks said have ended"),
        *WINDOW,
    ],
)
def sync(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit must be at least 1", hint="lerim sync --limit 10")
    if args.jobs is not None and not 1 <= args.jobs <= _MOST_JOBS:
        raise UsageError(f"--jobs must be from 1 to {_MOST_JOBS}", hint="lerim sync --jobs 4")
    if args.spooled:
        return _take_spooled(lerim, out)
    out.progress("looking for sessions", 0, 0)
    adopted = lerim.setup.adopt()
    if adopted is not None:
        out.note(f"{adopted.root} is now a project (to undo: lerim project remove {adopted.name})")
    root = lerim.house.project_root
    if root is not None and (here := lerim.projects.at(root)) is not None:
        ask_for_trust(lerim, here, out)
    sessions = open_sessions(lerim, args, out)
    project = lerim.project(args.project) if args.project else None
    is_first = not sessions.queue.counts().get(SessionState.DONE)
    code = take_in(lerim, sessions, project, args, out)
    if is_first and sessions.queue.counts().get(SessionState.DONE):
        tell_readers(lerim, out)
    return code


def tell_readers(lerim: Lerim, out: Output) -> None:
    """Who on this machine could read sessions with judgment, while nobody does: one line, and the command."""
    if out.as_json or not lerim.models.is_embedded("extract"):
        return
    names = [reader.name for reader in lerim.readers.find(at_a_glance=True)]
    if names:
        listed = ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]
        out.note(f"here, and able to read sessions with judgment: {listed} (to use one: lerim models use {names[0]})")


def _take_spooled(lerim: Lerim, out: Output) -> int:
    """As the process does it that a hook started: nobody waits for it."""
    report = Report(out, 0)
    try:
        for taken in lerim.intake.spooled():
            report.tell(taken)
    except LerimError as error:
        report.end(["ended early; what is left is taken in later"], error)
        out.fail(error.message, error.hint)
        return error.exit_code
    code = report.end([])
    _back_up(lerim, out)
    return code


def take_in(lerim: Lerim, sessions: Sessions, project: Project | None, args: argparse.Namespace, out: Output) -> int:
    """Ingest what is due and tell about it: each session, what came of all, and what is left."""
    # Whoever names a window has it; else a project's first sync goes back further.
    patience = None if args.since or args.all else PATIENCE
    if args.dry_run:
        due = lerim.intake.due(sessions, project, args.limit, older=patience is not None)
        outside = "" if due.is_first else _left_outside(sessions, project, _window(lerim, args))
        _tell_due(due, lerim.intake.forecast(sessions, due), sessions.named(due.sessions[:_MOST_DUE]), outside, out)
        return 0
    count = sessions.queue.due_count(project.id if project else None, older=patience is not None)
    report = Report(out, min(count, args.limit or count))
    try:
        for taken in lerim.sync(sessions, project=project, limit=args.limit, patience=patience, jobs=args.jobs):
            report.tell(taken)
    except KeyboardInterrupt:
        report.end(["stopped; finished sessions are kept, the rest stay in the queue: lerim sync"])
        return 130
    except LerimError as error:
        report.end(["ended early; finished sessions are kept, the rest stay in the queue"], error)
        out.fail(error.message, error.hint)
        return error.exit_code
    pace = report.seconds / report.taken if report.taken > _MEASURED else None
    left = _unindexed(lerim, report) + _left(lerim, _left_outside(sessions, project, _window(lerim, args), pace))
    code = report.end(left, dead=lerim.intake.given_up(sessions, project), outside=sessions.queue.outside_window()[0])
    _back_up(lerim, out)
    return code


def begin(lerim: Lerim, project: Project, out: Output) -> int:
    """The first sync of a new project: what its agents left is taken in, where that costs nothing."""
    from lerim.llm.models import ROLE_NAMES  # Start-up: only who makes a project asks for models.

    out.progress("looking for sessions", 0, 0)
    sessions = lerim.sessions
    sessions.discover()
    due = lerim.intake.due(sessions, project, older=True)
    if not due.sessions:
        out.note("next: lerim status")
        return 0
    if not all(map(lerim.models.is_embedded, ROLE_NAMES)):
        verb = "is" if len(due.sessions) == 1 else "are"
        out.note(f"{plural(len(due.sessions), 'session')} {verb} here; what reading costs: lerim sync --dry-run")
        return 0
    args = argparse.Namespace(since=None, all=False, limit=None, jobs=None, dry_run=False)
    return take_in(lerim, sessions, project, args, out)


def _left(lerim: Lerim, outside: str) -> list[str]:
    """What is left to do after a sync, and the command to go on with."""
    view = lerim.outlook()
    lines = [outside, _homeless(view), _left_to_workers(lerim)]
    if view.waiting.total:
        # A sync takes in the sessions of all projects, and tells of the review of one.
        root = lerim.house.project_root
        lines.append(waiting_words(view.waiting) + (f" in {root.name}" if root is not None else ""))
    step = next((step for step in view.next_steps if not step.startswith("lerim sync")), None)
    return [*filter(None, lines), *([f"next: {step}"] if step else ())]


def _left_outside(sessions: Sessions, project: Project | None, window: str, pace: float | None = None) -> str:
    """How many sessions the window leaves out, the command that takes them, and how long that would take.

    `pace` is the seconds that a session took, if that was measured.
    """
    count, size = sessions.queue.outside_window(project.id if project else None)
    if not count:
        return ""
    needed = count * _SESSION_SECONDS + size * _BYTE_SECONDS if pace is None else count * pace
    command = f"lerim sync --all{f' --project {shell_word(project.name)}' if project else ''}"
    verb = "is" if count == 1 else "are"
    return f"{plural(count, 'session')} {verb} older than {window}: {command} ({_about(needed)})"


def _window(lerim: Lerim, args: argparse.Namespace) -> str:
    """How far back the window goes, in words."""
    return args.since or plural(lerim.house.user_config.settings.sources.window_days, "day")


def _about(seconds: float) -> str:
    if seconds < 60:
        return f"about {max(round(seconds), 1)} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


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
        defaults = {"project": None, "limit": None, "jobs": None, "dry_run": False, "since": None, "all": False}
        return sync(lerim, argparse.Namespace(**defaults, spooled=False), out) or 0
    lerim.setup.adopt()
    found = [session for trace in args.traces for session in lerim.traces.find(trace, args.cwd)]
    report = Report(out, len(found))
    try:
        for session in found:
            report.tell(lerim.ingest(session))
    except LerimError as error:
        report.end([], error)
        out.fail(error.message, error.hint)
        return error.exit_code
    return report.end([])


class Report:
    """A line for each session as it finishes, and the totals."""

    def __init__(self, out: Output, total: int) -> None:
        self._out = out
        self._total = total
        self._done: list[Taken] = []
        self._began = time.monotonic()
        self._progress()

    @property
    def taken(self) -> int:
        return len(self._done)

    @property
    def wrote(self) -> bool:
        return any(taken.wrote for taken in self._done)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def tell(self, taken: Taken) -> None:
        self._done.append(taken)
        mark, words, style = _outcome(taken)
        self._out.say(f"{self._out.style(mark, style)} {self._out.style(short_name(taken.session), CYAN)}  {words}")
        for written in taken.result.written if taken.result else ():
            self._out.say(
                f"    {_SIGNS.get(written.action, '+')} {self._out.style(written.record_id, DIM)}  {written.title}"
            )
            for record_id, title in written.replaced:
                self._out.say(f"        replaces {self._out.style(record_id, DIM)}  {title}")
        if taken.result and taken.result.notice:
            self._out.warn(taken.result.notice)
        self._progress()

    def end(
        self, notes: Sequence[str], error: LerimError | None = None, dead: Sequence[Session] = (), outside: int = 0
    ) -> int:
        """Print the totals and return the exit code. `error` ended the work early, `dead` is what was given up."""
        failed = sum(
            taken.result is None and taken.reason != UPLOADED and taken.state in ("failed", "dead", "running")
            for taken in self._done
        )
        counts: Counter[str] = Counter()
        for taken in self._done:
            counts.update(taken.result.counts if taken.result else {})
        waiting = max(self._total - len(self._done), 0)
        self._out.data(sync_payload(self._done, counts, failed, waiting, error, dead, outside))
        if self._done or error is None:
            self._out.say(self._sum(counts, failed))
        for reason, count in Counter(t.reason for t in self._done if t.state == "skipped").most_common():
            self._out.say(self._out.style(f"  {count} skipped: {reason}", DIM))
        self._tell_dead(dead)
        for note in notes:
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
        if self._total:
            self._out.progress("reading sessions", len(self._done), max(self._total, len(self._done)))

    def _sum(self, counts: Counter[str], failed: int) -> str:
        if not self._done:
            held = f"nothing can be ingested right now; {plural(self._total, 'session')} in the queue: lerim queue"
            return held if self._total else "no new sessions"
        uploaded = sum(taken.reason == UPLOADED for taken in self._done)
        facts = [plural(len(self._done), "session")] + [f"{uploaded} uploaded"] * bool(uploaded)
        facts += [f"{counts[name]} {name}" for name in ("added", "updated", "unchanged") if counts[name]]
        noted = sum(taken.result.noted for taken in self._done if taken.result)
        if not counts["added"] and not counts["updated"] and not noted and not uploaded:
            facts.append("nothing new learned")
        facts += [f"{noted} noted for review"] * bool(noted) + [f"{failed} failed (lerim queue)"] * bool(failed)
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
        if taken.reason == UPLOADED:
            return "↑", f"{title}  (uploaded)" if title else "uploaded", GREEN
        if taken.state == "skipped":
            return "-", f"skipped: {taken.reason}", DIM
        return "!", f"{taken.state}: {taken.reason}", RED
    title = taken.result.summary.title if taken.result.summary else title
    counts = taken.result.counts
    learned = [f"{counts[name]} {name}" for name in ("added", "updated", "unchanged") if counts.get(name)]
    learned += [f"{taken.result.noted} for review"] * bool(taken.result.noted)
    new = counts.get("added") or counts.get("updated")
    words = f"{title}  ({', '.join(learned) or 'routine, nothing to remember'})"
    return ("+", words, GREEN) if new else ("·", words, YELLOW if learned else DIM)


def _tell_due(due: Due, estimates: Mapping[str, Estimate], shown: Sequence[Session], outside: str, out: Output) -> None:
    out.data(due_payload(due, estimates))
    if outside:
        out.note(outside)
    if not due.sessions:
        out.say("no new sessions")
        return
    out.say(f"{plural(len(due.sessions), 'session')} would be ingested, {due.size / 1e6:.1f} MB")
    for session in shown:
        out.say(f"  {out.style(short_name(session), CYAN)}  {out.style(session_title(session), DIM)}")
    if len(due.sessions) > len(shown):
        out.say(out.style(f"  … and {len(due.sessions) - len(shown):,} more", DIM))
    for role, estimate in estimates.items():
        if not estimate.tokens:
            out.say(f"{role}: embedded, costs nothing")
            continue
        price = f"about ${estimate.usd:.2f}" if estimate.usd is not None else "at an unknown price"
        read, written = f"{estimate.input_tokens:,} tokens read", f"{estimate.output_tokens:,} written"
        out.say(f"{role}: about {plural(estimate.requests, 'request')}, {read}, {written}, {price}")


def _unindexed(lerim: Lerim, report: Report) -> list[str]:
    """What of a long sync is still to be indexed, which goes on in the background."""
    from lerim.cli.search import missing_note  # Start-up: most syncs find nothing new.

    missing = lerim.index.missing() if report.wrote else 0
    return [missing_note(lerim, missing, many=0)] if missing else []


def _back_up(lerim: Lerim, out: Output) -> None:
    """The backup of the day. The sync is done, whatever becomes of it."""
    try:
        lerim.backups.make_if_due()
    except LerimError as error:
        out.warn(f"{error.message} ({error.hint})" if error.hint else error.message)


def _left_to_workers(lerim: Lerim) -> str:
    """What was uploaded and waits for a worker."""
    with suppress(LerimError):
        waiting = lerim.house.team.queue.due_count() if lerim.house.team else 0
        verb = "waits" if waiting == 1 else "wait"
        return f"{plural(waiting, 'session')} {verb} for a worker: lerim worker" if waiting else ""
    return ""


def _homeless(view: Outlook) -> str:
    waiting = view.sessions.get("no project", 0)
    verb = "belongs" if waiting == 1 else "belong"
    return f"{plural(waiting, 'session')} {verb} to no project yet; the folders: lerim unscoped" if waiting else ""
