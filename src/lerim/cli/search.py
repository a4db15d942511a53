"""`lerim search`: find memories by words."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.memory import FILTERS, filter_from
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.cli.report import day, kept_json, label
from lerim.context.search import Hit
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "search",
    "Find memories by words: those with all of them first, then those with any, project before global.",
    example="lerim search auth tokens --kind pitfall",
    arguments=[
        argument("words", nargs="+", metavar="WORDS", help="what to look for"),
        *FILTERS,
        argument("--limit", type=int, default=10, help="at most so many (default 10)"),
    ],
)
def search(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    hits = lerim.search(" ".join(args.words), filter_from(args), max(args.limit, 1))
    out.data([{"matched": list(hit.words), **kept_json(hit.kept)} for hit in hits])
    if not hits:
        out.note(f"no memory matches '{' '.join(args.words)}'")
    for hit in hits:
        _tell(hit, out)


def _tell(hit: Hit, out: Output) -> None:
    record = hit.kept.record
    out.say(f"{out.style(record.id, CYAN)}  {out.style(record.title, BOLD)}")
    if hit.excerpt:
        out.say(f"  {hit.excerpt}")
    matched = f"matched {', '.join(hit.words)}" if hit.words else "matched"
    facts = [label(record), f"{record.confidence:.2f}", day(record.updated), hit.kept.place.scope, matched]
    out.say(out.style(f"  {' · '.join(facts)}", DIM))
