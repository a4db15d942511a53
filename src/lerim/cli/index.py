"""`lerim index`: bring the search index up to date, or make it anew."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, Output
from lerim.cli.report import plural
from lerim.payloads.search import indexed_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "index",
    "Bring the search index up to date: words and meanings of every memory. May be stopped and started at any time.",
    example="lerim index",
    arguments=[
        argument("--anew", action="store_true", help="make its files from the records again"),
        argument(
            "--download", metavar="MODEL", help="first fetch this embedding model from the hub, if you allowed it"
        ),
    ],
)
def index(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.download:
        out.note(f"fetched {lerim.index.download_model(args.download)}")
    done = lerim.index.refresh(anew=args.anew)
    health = lerim.index.health()
    out.data(indexed_payload(done, health))
    out.say(f"{plural(done.records, 'record')} indexed, {plural(done.vectors, 'vector')} made: {health.state}")
    if health.reason:
        out.say(out.style(f"  search is by words alone: {health.reason}; {health.fix}", DIM))
