"""`lerim index`: bring the search index up to date, or rebuild it."""

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
    "Bring the search index up to date: the words and the meaning of every memory. Safe to stop and start at any time.",
    example="lerim index",
    arguments=[
        argument("--rebuild", action="store_true", help="rebuild the index files from the records"),
        argument(
            "--download",
            metavar="MODEL",
            help="first download this embedding model from the hub, if your settings allow it",
        ),
    ],
)
def index(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.download:
        out.note(f"downloaded {lerim.index.download_model(args.download)}")
    done = lerim.index.refresh(rebuild=args.rebuild)
    lerim.graph.follow(lerim.projects.all())
    health = lerim.index.health()
    out.data(indexed_payload(done, health))
    out.say(f"{plural(done.records, 'record')} indexed, {plural(done.vectors, 'vector')} made: {health.state}")
    if health.reason:
        out.say(out.style(f"  search uses words only: {health.reason}; {health.fix}", DIM))
