"""`lerim sessions`, `lerim unscoped` and `lerim audit`: the agents' sessions, and what became of them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.records import parse_time
from lerim.errors import UsageError
from lerim.payloads.sessions import audit_payload, queue_payload, queued_payload, session_payload, unscoped_payload
from lerim.printable import shell_word
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.sessions.queue import Queue
    from lerim.sessions.room import Sessions
    from lerim.sessions.session import Session
    from lerim.sessions.team import TeamSessions

COMMANDS = Commands()
# Letters of a run id that are shown, as many as it takes.
_SHORT = (8, 13, 18, 24)

STATES = ("pending", "running", "done", "failed", "dead", "skipped")
TEAM = argument("--team", action="store_true", help="the queue of all machines that share a store")
SESSION = argument("id", metavar="ID", help="agent/run_id, or the beginning of the run id")
WINDOW = (
    argument("--since", metavar="DATE", help="only sessions active since then (default: the configured window)"),
    argument("--all", action="store_true", help="all sessions, no matter how old"),
)


def open_sessions(lerim: Lerim, args: argparse.Namespace, out: Output) -> Sessions:
    """The sessions within the window the flags ask for, after discovering new ones on disk."""
    if args.all and args.since:
        raise UsageError("--all and --since cannot be used together", hint="drop one of them")
    if args.all:
        sessions = lerim.sessions.since(None)
    elif args.since:
        sessions = lerim.sessions.since(parse_time(args.since, "--since"))
    else:
        sessions = lerim.sessions
    found = sessions.discover()
    for trouble in found.troubles[:3]:
        where = "" if str(trouble.path) in trouble.reason else f"{trouble.path}: "
        out.warn(f"{where}{trouble.reason}")
    return sessions


def known_agent(sessions: Sessions, name: str | None) -> None:
    """Raise if no agent has this name."""
    names = [source.name for source in sessions.sources]
    if name is not None and name not in names:
        raise UsageError(f"unknown agent '{name}'", hint=f"one of {', '.join(names)}")


def session_title(session: Session) -> str:
    """What a session is called; in parentheses, what is known instead when nobody gave it a title."""
    if session.title:
        return session.title
    known = session.reason or (plural(session.turns, "turn") if session.turns else "")
    size = f"{session.size / 1e3:,.0f} kB" if session.size else ""
    return f"({', '.join(filter(None, (known, size))) or 'untitled'})"


def list_sessions(sessions: list[Session], out: Output) -> None:
    rows = [
        [
            name,
            str(session.state),
            (session.started or session.active)[:10],
            session.project_root.name if session.project_root else "-",
            session_title(session),
        ]
        for name, session in zip(_short_names(sessions), sessions, strict=True)
    ]
    out.table(["SESSION", "STATE", "STARTED", "PROJECT", "TITLE"], rows, flexible=4, spare=(3,))


def _short_names(sessions: Sequence[Session]) -> list[str]:
    """As much of each name as tells it from the others that are listed."""
    counted = [Counter(f"{s.agent}/{s.run_id[:length]}" for s in sessions) for length in _SHORT]
    return [
        next(
            (
                name
                for length, known in zip(_SHORT, counted, strict=True)
                if known[name := f"{s.agent}/{s.run_id[:length]}"] == 1
            ),
            s.name,
        )
        for s in sessions
    ]


@COMMANDS.add(
    "list",
    "List the agents' sessions on this machine, oldest first.",
    example="lerim sessions list --agent claude --state skipped",
    arguments=[
        argument("--agent", help="only this agent's sessions"),
        argument("--state", choices=STATES, help="only sessions in this state"),
        argument(
            "--limit", type=whole_number, default=50, help="at most this many, the newest (default 50; 0 for all)"
        ),
        *WINDOW,
    ],
)
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.sessions.session import SessionState

    sessions = open_sessions(lerim, args, out)
    state = SessionState(args.state) if args.state else None
    known_agent(sessions, args.agent)
    found = [s for s in sessions.queue.list(state) if args.agent in (None, s.agent)]
    shown = lerim.titled(sessions.named(found[-args.limit :] if args.limit > 0 else found))
    out.data([session_payload(session) for session in shown])
    if not found:
        filtered = args.agent or args.state
        out.note(
            "no matching sessions" if filtered else "no sessions found (lerim sources list shows where Lerim looks)"
        )
    elif not out.as_json:
        list_sessions(shown, out)
        if len(shown) < len(found):
            out.note(f"{len(found) - len(shown)} older; --limit 0 shows all")


@COMMANDS.add(
    "show",
    "Show one session: where it comes from, its size, and its state.",
    example="lerim sessions show claude/4f2a",
    arguments=[SESSION],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    sessions = lerim.sessions
    sessions.discover()
    session = sessions.find(args.id)
    if session.turns is None and not session.gone:
        sessions.read(session)
        session = sessions.find(session.name)
    out.data(session_payload(session))
    out.say(out.style(session.title or "(untitled session)", BOLD))
    for name, value in _facts(session):
        out.fact(name, value, 11)


def _facts(session: Session) -> list[tuple[str, str]]:
    counts = [(session.turns, "turn"), (session.tool_calls, "tool call"), (session.errors, "error")]
    tokens = f"{session.input_tokens or 0:,} in, {session.output_tokens or 0:,} out"
    facts = [
        ("session", session.name),
        ("state", f"{session.state}{f': {session.reason}' if session.reason else ''}"),
        ("project", str(session.project_root or "none (lerim unscoped)")),
        ("directory", ", then ".join([session.cwd or "unknown", *session.other_cwds])),
        ("branch", session.branch or ""),
        ("model", session.model or ""),
        ("time", f"{session.started or '?'} to {session.ended or session.active}"),
        ("size", ", ".join(plural(count, word) for count, word in counts if count is not None)),
        ("tokens", tokens if session.input_tokens or session.output_tokens else ""),
        ("parent", session.parent or ""),
        ("fork of", session.forked_from or ""),
        ("file", f"{session.path}{' (gone)' if session.gone else ''}"),
    ]
    return [(name, value) for name, value in facts if value]


@COMMANDS.add(
    "unscoped",
    "List sessions that belong to no project, and the command that assigns one.",
    example="lerim unscoped",
    arguments=WINDOW,
)
def unscoped(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    groups = open_sessions(lerim, args, out).unscoped()
    out.data([unscoped_payload(group) for group in groups])
    if not groups:
        out.say("every session belongs to a project")
    for group in groups:
        where = str(group.folder) if group.folder else "an unknown folder"
        out.say(
            f"{plural(group.sessions, 'session')} in {out.style(where, CYAN)}, last active {group.last_active[:10]}"
        )
        if group.similar:
            out.say(f"  moved? a project with this name is at {group.similar}")
        if group.fix:
            out.say(f"  {out.style('try:', DIM)} {group.fix}")
        elif group.reason:
            out.say(out.style(f"  {group.reason}", DIM))
    new = [group.folder for group in groups if group.folder and not (group.reason or group.similar)]
    if len(new) > 1:
        out.say(f"all of them: lerim project add {' '.join(shell_word(str(folder)) for folder in new)}")


@COMMANDS.add(
    "audit",
    "Account for every discovered session and byte: ingested, waiting, skipped or failed. Adds up to 100 %.",
    example="lerim audit",
    arguments=WINDOW,
)
def audit(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    view = open_sessions(lerim, args, out).audit()
    out.data(audit_payload(view))
    if not out.as_json:
        rows = [
            [
                str(e.fate),
                f"{e.sessions:,}",
                f"{e.bytes:,}",
                f"{100 * e.bytes / max(view.bytes, 1):.1f} %",
                e.reason or "",
            ]
            for e in view.entries
        ]
        rows.append(["all", f"{view.sessions:,}", f"{view.bytes:,}", "100.0 %" if view.bytes else "-", ""])
        out.table(["FATE", "SESSIONS", "BYTES", "SHARE", "REASON"], rows, flexible=4)
    if not view.is_whole:
        out.fail("the numbers do not add up; this is a bug", "lerim audit --json")
    return 0 if view.is_whole else 1


@COMMANDS.add(
    "queue",
    "Show which sessions are waiting, running and failed, with their errors.",
    example="lerim queue --state dead",
    arguments=[argument("--state", choices=STATES, help="only sessions in this state"), TEAM, *WINDOW],
)
def queue(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.sessions.lease import machine_of
    from lerim.sessions.session import SessionState

    sessions = None if args.team else open_sessions(lerim, args, out)
    waiting = sessions.queue if sessions else _team(lerim).queue
    counts = waiting.counts()
    wanted = (
        [SessionState(args.state)]
        if args.state
        else [SessionState.RUNNING, SessionState.FAILED, SessionState.DEAD, SessionState.PENDING]
    )
    listed = [session for state in wanted for session in waiting.list(state, limit=50)]
    listed = sessions.named(listed) if sessions else listed
    out.data(queue_payload(counts, listed))
    out.say(", ".join(f"{count} {_colored(state, out)}" for state, count in counts.items()))
    for session in listed:
        error = (
            f": {session.reason}"
            if session.reason and session.state in (SessionState.FAILED, SessionState.DEAD)
            else ""
        )
        title = f" {out.style(session.title, DIM)}" if session.title else ""
        where = f" on {machine_of(session.worker)}" if args.team and session.worker else ""
        out.say(f"  {_colored(session.state, out)} {session.name}{title}{where}{error}")
    if counts[SessionState.DEAD] or counts[SessionState.FAILED]:
        team = " --team" if args.team else ""
        tries = f"lerim retry{team} --all (or ID) tries failed and dead sessions again"
        out.note(f"{tries}; lerim skip{team} ID excludes one")


def _team(lerim: Lerim) -> TeamSessions:
    if lerim.house.team is None:
        raise UsageError("no store is shared here: there is only this machine's queue", hint="lerim queue")
    return lerim.house.team


def _queue_of(lerim: Lerim, args: argparse.Namespace) -> tuple[Queue, Callable[[str], Session]]:
    """The queue that is meant, and how a session is found in it."""
    if args.team:
        team = _team(lerim)
        return team.queue, team.find
    lerim.sessions.discover()
    return lerim.sessions.queue, lerim.sessions.find


@COMMANDS.add(
    "retry",
    "Try failed and dead sessions again, now.",
    example="lerim retry claude/4f2a",
    arguments=[
        argument("id", nargs="?", metavar="ID", help="one session, even if it was skipped or is done"),
        argument("--all", action="store_true", help="all failed and dead sessions"),
        TEAM,
    ],
)
def retry(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if bool(args.id) == args.all:
        raise UsageError("name a session, or use --all", hint="lerim queue --state dead")
    waiting, find = _queue_of(lerim, args)
    count = waiting.retry() if args.all else 1
    if args.id:
        waiting.enqueue(find(args.id).id)
    out.say(f"{plural(count, 'session')} will be tried again")
    out.data(queued_payload(count))


@COMMANDS.add(
    "skip",
    "Exclude a session for good, even when it changes. `lerim retry ID` includes it again.",
    example='lerim skip claude/4f2a --reason "somebody else\'s work"',
    arguments=[SESSION, argument("--reason", default="skipped by hand", help="why, for the audit"), TEAM],
)
def skip(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    waiting, find = _queue_of(lerim, args)
    session = waiting.skip(find(args.id).id, args.reason)
    out.say(f"skipped {out.style(session.name, CYAN)}: {session.reason}")
    out.data(session_payload(session))


def _colored(state: Any, out: Output) -> str:
    styles = {"done": GREEN, "failed": YELLOW, "dead": RED, "running": CYAN}
    return out.style(str(state), styles.get(str(state), DIM))
