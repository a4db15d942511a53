"""The flags that choose memories, shared by `list` and `search`, and the filter they describe."""

from __future__ import annotations

import argparse

from lerim.cli.command import argument
from lerim.context.filters import Filter
from lerim.context.records import Kind, Primitive, Status

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
    dates = args.since or None, args.until or None
    return Filter.asked(args.primitive, args.kind, args.tag, args.status, *dates, flag="--")
