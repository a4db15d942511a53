"""`lerim trace`: a session's transcript, as evidence cites it, and traces of your own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.cli.sessions import SESSION
from lerim.errors import TraceError, UsageError
from lerim.payloads.sessions import session_payload, sheet_payload, trace_payload
from lerim.printable import one_line
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.sessions.session import Session
    from lerim.sources.trace import Header, Line

COMMANDS = Commands()
#: Sessions of one import that are named one by one.
_MOST_TOLD = 10
WHO = ("user", "assistant", "reasoning", "tool_call", "tool_result", "injected", "event", "moved")


@COMMANDS.add(
    "show",
    "Print a session as a readable transcript, with the line numbers that evidence refers to.",
    example="lerim trace show claude/4f2a --who user",
    arguments=[
        SESSION,
        argument("--who", action="append", choices=WHO, help="only these lines; repeat for several"),
        argument("--lines", metavar="FROM-TO", help="only these line numbers, e.g. 120-140"),
        argument("--full", action="store_true", help="print whole texts, not just their first lines"),
    ],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.sources.trace import Header

    first, last = _range(args.lines)
    lerim.sessions.discover()
    done = lerim.house.show_trace(args.id)
    shown = [
        (number, item)
        for number, item in done.items
        if first <= number <= last and (not args.who or (not isinstance(item, Header) and item.type in args.who))
    ]
    if out.as_json:
        out.data(trace_payload(shown))
        return
    for number, item in shown:
        _tell(number, item, out, full=args.full)
    notes = [f"{len(shown)} of {plural(len(done.items), 'line')} in {done.path}"]
    if done.account.redactions:
        notes.append(f"{plural(sum(done.account.redactions.values()), 'secret')} redacted")
    if done.account.bad:
        notes.append(f"{plural(len(done.account.bad), 'line')} of the source could not be read")
    out.note("; ".join(notes))


@COMMANDS.add(
    "sheet",
    "Print a session as the readers of memories get it: numbered statements, what each answers, and what came of it.",
    example="lerim trace sheet claude/4f2a",
    arguments=[SESSION],
)
def sheet(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    sessions = lerim.sessions
    sessions.discover()
    made = lerim.sheet(sessions.find(args.id), sessions)
    if out.as_json:
        out.data([sheet_payload(one) for one in made])
        return
    for one in made:
        out.block(one.text().rstrip())
    size = sum(one.tokens for one in made)
    out.note(f"about {size:,} tokens on {plural(len(made), 'sheet')}")


@COMMANDS.add(
    "import",
    "Import traces of your own: canonical JSON lines, messages, plain text, or an export of a platform.",
    example="lerim trace import review.txt --name review-2026-02-20",
    arguments=[
        argument("sources", nargs="+", metavar="FILE|-", help="files, or - for standard input"),
        argument("--name", help="its name (default: the file name)"),
        argument("--cwd", type=Path, help="the folder it belongs to (default: here)"),
        argument("--profile", help="how it is read (default: as its project's sessions; lerim profile list)"),
    ],
)
def import_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if "-" in args.sources and not args.name:
        raise UsageError("a trace from standard input needs a name", hint="lerim trace import - --name NAME")
    if args.name and len(args.sources) > 1:
        raise UsageError("several files cannot have one name", hint="leave --name out: each has its file's name")
    for source in args.sources:
        if source != "-" and not Path(source).is_file():
            raise UsageError(f"{source} is not a file", hint="lerim trace import --help")
    if args.profile:
        lerim.house.rules.profiles.find(args.profile)
    found: list[Session] = []
    for source in args.sources:
        found += _imported(lerim, source, args)
    out.data([session_payload(session) for session in found])
    for session in found[:_MOST_TOLD]:
        out.say(f"imported {out.style(session.name, CYAN)} ({session.state})")
        out.say(out.style(f"  lerim trace show {session.name}", DIM))
    if len(found) > _MOST_TOLD:
        out.say(f"and {plural(len(found) - _MOST_TOLD, 'session')} more: lerim sessions list --agent custom")


def _imported(lerim: Lerim, source: str, args: argparse.Namespace) -> list[Session]:
    text = sys.stdin.read() if source == "-" else Path(source)
    try:
        return lerim.traces.add_all(text, args.name or Path(source).stem, args.cwd, args.profile)
    except TraceError as error:
        raise UsageError(f"{source}:{error.line}: {error.message}", hint=error.hint) from error


def _range(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, sys.maxsize
    first, dash, last = text.partition("-")
    last = last or (str(sys.maxsize) if dash else first)
    if not first.isdecimal() or not last.isdecimal() or int(first) > int(last):
        raise UsageError(f"'{text}' is not a range of lines", hint="--lines 120-140, or 120- to the end")
    return int(first), int(last)


def _tell(number: int, item: Header | Line, out: Output, *, full: bool) -> None:
    from lerim.sources.trace import Header

    if isinstance(item, Header):
        facts = [item.agent, item.run_id, item.cwd or "", item.branch or "", item.model or "", item.started or ""]
        out.say(out.style(f"{number:>5}  {'  '.join(fact for fact in facts if fact)}", BOLD))
        return
    who, style = _who(item)
    mark = " (undone)" if item.undone else ""
    text = item.text if full else _shortened(item.text)
    # Line ends of any kind: what stands at the beginning of a line is ours to say.
    body = ("\n" + " " * 21).join(text.splitlines())
    out.block(f"{out.style(f'{number:>5}', DIM)}  {out.style(f'{one_line(who) + mark:<12}', style)}  {body}")


def _who(item: Line) -> tuple[str, str]:
    from lerim.sources.trace import Assistant, Event, Injected, Moved, Reasoning, ToolCall, ToolResult, User

    match item:
        case User() | Assistant() if item.outside:
            return item.speaker or "outside", DIM
        case User():
            who = item.speaker or "USER"
            return who if item.via == "typed" else f"{who} {item.via}", f"{BOLD};{GREEN}"
        case Assistant():
            return item.speaker or "assistant", CYAN
        case Reasoning():
            return "thinking", DIM
        case ToolCall():
            return f"> {item.tool}"[:12], YELLOW
        case ToolResult():
            if item.has_failed:
                return "failed", RED
            return "so far" if item.running else "result", DIM
        case Injected():
            return "injected", DIM
        case Event():
            return str(item.kind), YELLOW
        case Moved():
            return "moved to", DIM
    return item.type, DIM


def _shortened(text: str) -> str:
    lines = text.strip().splitlines()
    more = f" [+{len(lines) - 6} lines]" if len(lines) > 6 else ""
    return "\n".join(line[:240] for line in lines[:6]) + more
