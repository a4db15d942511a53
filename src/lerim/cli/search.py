"""`lerim search`: find memories by words and meaning."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.filters import AS_OF, FILTERS, filter_from
from lerim.cli.output import BOLD, CYAN, DIM, YELLOW, Output
from lerim.cli.report import day, label, plural
from lerim.context.filters import Filter
from lerim.context.records import parse_last_moment
from lerim.dataclass import replace
from lerim.payloads.search import hit_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.search.search import Hit

COMMANDS = Commands()
# Each search makes a few missing vectors itself; more than this are worth a separate process.
MANY = 64


@COMMANDS.add(
    "search",
    "Find memories by words and meaning, project before global. Prints nothing when nothing is relevant.",
    example="lerim search why did we move to bearer tokens --kind pitfall",
    arguments=[
        argument("words", nargs="+", metavar="WORDS", help="what to look for: a question, or a few words"),
        *FILTERS,
        argument("--agent", help="only from this agent's sessions, e.g. claude"),
        argument("--branch", help="only from sessions on this git branch"),
        AS_OF,
        argument("--limit", type=whole_number, default=10, help="at most this many (default 10), and what is linked"),
        argument("--explain", action="store_true", help="show how each result was scored"),
    ],
)
def search(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    query, as_of = " ".join(args.words), parse_last_moment(args.as_of, "--as-of") if args.as_of else None
    wanted, limit = _filter(lerim, args, out), max(args.limit, 1)
    # As one entry: a large folder of files is looked through once.
    hits, missing = lerim.enter(lambda: (lerim.search(query, wanted, limit, as_of=as_of), lerim.index.missing()))
    out.data([hit_payload(hit, explain=args.explain) for hit in hits])
    if not hits:
        out.note(f"no memory matches '{query}'")
    for hit in hits:
        _tell(hit, out, explain=args.explain)
    if missing:
        out.note(missing_note(lerim, missing))
    start_helper_for(lerim)


def _filter(lerim: Lerim, args: argparse.Namespace, out: Output) -> Filter:
    wanted = replace(filter_from(args), agent=args.agent)
    if args.branch is None:
        return wanted
    sessions = lerim.sessions_on(args.branch)
    if not sessions:
        out.note(f"no known session was on branch '{args.branch}' (lerim sessions list)")
    return replace(wanted, sessions=sessions)


def _tell(hit: Hit, out: Output, *, explain: bool) -> None:
    record = hit.kept.record
    out.say(f"{out.style(record.id, CYAN)}  {out.style(record.title, BOLD)}")
    if hit.excerpt:
        out.say(f"  {hit.excerpt}")
    if hit.doubt:
        out.say(out.style(f"  {hit.doubt}", YELLOW))
    dated = day(record.valid_from or record.created)
    facts = [label(record), f"{record.confidence:.2f}", dated, hit.kept.place.scope, hit.why]
    out.say(out.style(f"  {' · '.join(filter(None, facts))}", DIM))
    if path := hit.kept.path:
        out.say(out.style(f"  {path}", DIM))
    if explain:
        for line in hit.explained():
            out.say(f"    {line}")


def missing_note(lerim: Lerim, missing: int, *, many: int = MANY) -> str:
    """Which memories cannot be compared by meaning yet; more than `many` of them are indexed in the background."""
    started = missing > many and lerim.index.start_in_background()
    how = "; indexing them in the background" if started else " (lerim index)"
    return f"{plural(missing, 'memory')} not yet compared by meaning{how}"


def start_helper_for(lerim: Lerim) -> None:
    """The next search need not load the model: no helper answered this one."""
    from lerim.daemon.address import address_in
    from lerim.search.embeddings import Embedder

    wanted = lerim.house.user_config.settings.helper.enabled and isinstance(lerim.index.embedder, Embedder)
    if wanted and (address := address_in(lerim.house.env)) is not None:
        from lerim.daemon.helper import start_helper  # Start-up: who searches by words needs none.

        start_helper(address, lerim.house.env)
