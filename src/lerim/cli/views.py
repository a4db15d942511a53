"""`lerim brief`, `lerim working-memory` and `lerim clinic`: what the memory hands to the next session."""

from __future__ import annotations

import argparse
from datetime import datetime

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import GREEN, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.records import parse_last_moment, time_text
from lerim.payloads.views import view_path_payload, view_payload, view_status_payload
from lerim.service import Lerim
from lerim.views.view import RenderedView, ViewName

COMMANDS = Commands()
AS_OF = argument("--as-of", metavar="DATE", help="as it would have been then")
BUDGET = argument("--budget", type=whole_number, metavar="N", help="at most so many characters (default: views.budget)")


@COMMANDS.add(
    "show",
    "Print the view as it was last made, and first whether it is fresh. With a date or a budget: as it would be.",
    example="lerim brief show",
    arguments=[AS_OF, BUDGET],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    name, as_of = ViewName(args.noun), _as_of(args)
    if as_of is None and args.budget is None:
        view = lerim.views.show(name)
    else:
        view = lerim.views.render(name, as_of=as_of, budget=args.budget)
    _tell(view, out)


@COMMANDS.add(
    "status", "Show whether the view is fresh, how large it is and when it was made.", example="lerim brief status"
)
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.views.status(ViewName(args.noun))
    out.data(view_status_payload(found))
    state = out.style("fresh", GREEN) if found.is_fresh else out.style("stale", YELLOW) + f": {found.reason}"
    out.fact("state", state if found.exists else f"{found.reason} (lerim {found.name} refresh)", 12)
    if found.generated is not None:
        out.fact("made", f"{time_text(found.generated)} from {plural(found.records, 'memory')}", 12)
        out.fact("size", f"{found.characters:,} of {found.budget:,} characters", 12)
        out.fact("history", plural(found.copies, "copy"), 12)
    out.fact("path", str(found.path), 12)
    if found.exists and not found.is_fresh:
        out.note(f"lerim {found.name} refresh brings it up to date")


@COMMANDS.add("path", "Print where the view lies, for programs that read it.", example="lerim brief path")
def path(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.views.path(ViewName(args.noun))
    out.data(view_path_payload(ViewName(args.noun), str(found), exists=found.exists()))
    out.say(str(found))


@COMMANDS.add(
    "refresh",
    "Make the view anew from the memory. When nothing changed since, it is left as it is.",
    example="lerim brief refresh --force",
    arguments=[
        argument("--force", action="store_true", help="make it anew although nothing changed"),
        AS_OF,
        BUDGET,
    ],
)
def refresh(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    name = ViewName(args.noun)
    view = lerim.views.refresh(name, force=args.force, as_of=_as_of(args), budget=args.budget)
    out.data(view_payload(view))
    out.say(f"{plural(len(view.records), 'memory')} in {len(view.text):,} characters")
    out.say(f"  {view.path}")


def _as_of(args: argparse.Namespace) -> datetime | None:
    return parse_last_moment(args.as_of, "--as-of") if args.as_of else None


def _tell(view: RenderedView, out: Output) -> None:
    out.data(view_payload(view))
    made = f"made {time_text(view.generated)} from {plural(len(view.records), 'memory')}"
    if view.as_of is not None:
        out.say(out.style(f"as of {time_text(view.as_of)}, {made}", YELLOW))
    elif view.is_fresh:
        out.say(f"{out.style('fresh', GREEN)}, {made}")
    else:
        out.say(f"{out.style('stale', YELLOW)}, {made}: lerim {view.name} refresh")
    out.say()
    out.block(view.text.rstrip("\n"))
