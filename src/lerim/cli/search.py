"""`lerim search`: find memories by what they say and mean."""

from __future__ import annotations

import argparse
from dataclasses import replace

from lerim.cli.command import Commands, argument
from lerim.cli.memory import AS_OF, FILTERS, filter_from
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.cli.report import day, label, plural
from lerim.context.filters import Filter
from lerim.context.records import parse_last_moment
from lerim.payloads.search import hit_payload
from lerim.search.search import Hit
from lerim.service import Lerim

COMMANDS = Commands()
# Each search makes a few missing vectors itself; so many are worth a process of their own.
_MANY = 64


@COMMANDS.add(
    "search",
    "Find memories by what they say and mean, project before global. Nothing comes when nothing has to do with it.",
    example="lerim search why did we move to bearer tokens --kind pitfall",
    arguments=[
        argument("words", nargs="+", metavar="WORDS", help="what to look for: a question, or a few words"),
        *FILTERS,
        argument("--agent", help="only what came from this agent's sessions, e.g. claude"),
        argument("--branch", help="only what came from sessions on this git branch"),
        AS_OF,
        argument("--limit", type=int, default=10, help="at most so many (default 10)"),
        argument("--explain", action="store_true", help="say what speaks for each, part by part"),
    ],
)
def search(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    query, as_of = " ".join(args.words), parse_last_moment(args.as_of, "--as-of") if args.as_of else None
    hits = lerim.search(query, _filter(lerim, args, out), max(args.limit, 1), as_of=as_of)
    out.data([hit_payload(hit, explain=args.explain) for hit in hits])
    if not hits:
        out.note(f"no memory matches '{query}'")
    for hit in hits:
        _tell(hit, out, explain=args.explain)
    _tell_missing(lerim, out)


def _filter(lerim: Lerim, args: argparse.Namespace, out: Output) -> Filter:
    wanted = replace(filter_from(args), agent=args.agent)
    if args.branch is None:
        return wanted
    sessions = lerim.sessions_on(args.branch)
    if not sessions:
        out.note(f"no session is known to have worked on '{args.branch}' (lerim sessions lists them)")
    return replace(wanted, sessions=sessions)


def _tell(hit: Hit, out: Output, *, explain: bool) -> None:
    record = hit.kept.record
    out.say(f"{out.style(record.id, CYAN)}  {out.style(record.title, BOLD)}")
    if hit.excerpt:
        out.say(f"  {hit.excerpt}")
    facts = [label(record), f"{record.confidence:.2f}", day(record.updated), hit.kept.place.scope, hit.why]
    out.say(out.style(f"  {' · '.join(facts)}", DIM))
    if path := hit.kept.path:
        out.say(out.style(f"  {path}", DIM))
    if explain:
        for line in hit.explained():
            out.say(f"    {line}")


def _tell_missing(lerim: Lerim, out: Output) -> None:
    """Say what the answer could not take into account, and have it made in the background."""
    missing = lerim.index.missing()
    if missing:
        started = missing > _MANY and lerim.index.start_in_background()
        how = "; that is being done in the background" if started else " (lerim index)"
        out.note(f"{plural(missing, 'memory')} not yet compared by meaning{how}")
