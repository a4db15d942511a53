"""The flags that choose memories, shared by `list` and `search`, and the filter they describe."""

from __future__ import annotations

import argparse

from lerim.cli.command import argument
from lerim.context.filters import Filter
from lerim.context.records import Kind, Primitive, Status, clean_tags, parse_last_moment, parse_time

AS_OF = argument("--as-of", metavar="DATE", help="as of this date, e.g. 2026-02-20 or 2026-02-20T10:30:00Z")
FILTERS = (
    argument("--primitive", choices=[str(item) for item in Primitive], help="only this primitive"),
    argument("--kind", choices=[*Kind], help="only learnings of this kind"),
    argument("--tag", action="append", default=[], help="only with this tag; repeat to require several"),
    argument("--status", choices=[*(str(s) for s in Status), "all"], default="active", help="default: active"),
    argument("--since", metavar="DATE", help="changed on or after this date"),
    argument("--until", metavar="DATE", help="changed on or before this date"),
)


def filter_from(args: argparse.Namespace) -> Filter:
    """The filter that list and search flags describe."""
    return Filter(
        primitive=Primitive(args.primitive) if args.primitive else None,
        kind=Kind(args.kind) if args.kind else None,
        tags=clean_tags(args.tag),
        statuses=() if args.status == "all" else (Status(args.status),),
        since=parse_time(args.since, "--since") if args.since else None,
        until=parse_last_moment(args.until, "--until") if args.until else None,
    )
