"""What `lerim brief`, `lerim working-memory` and `lerim clinic` have in common: one view each, four verbs."""

from __future__ import annotations

import argparse
from datetime import datetime
from functools import partial

from lerim.cli.command import Argument, Commands, argument, whole_number
from lerim.cli.output import GREEN, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.records import parse_last_moment, time_text
from lerim.payloads.views import view_path_payload, view_payload, view_status_payload
from lerim.service import Lerim
from lerim.views.view import RenderedView, ViewName

AS_OF = argument("--as-of", metavar="DATE", help="as it would have been then")
BUDGET = argument("--budget", type=whole_number, metavar="N", help="at most so many characters (default: views.budget)")
FORCE = argument("--force", action="store_true", help="make it anew although nothing changed")
_WIDTH = 12


def view_commands(name: ViewName, what: str, *more: Argument) -> Commands:
    """The commands of one view, which is called `what` in sentences; with `more` flags for its refresh."""
    commands = Commands()
    commands.add(
        "show",
        f"Print the {what} as it lies on disk, and first whether it is fresh. With a date or a budget: as it would be.",
        example=f"lerim {name} show",
        arguments=[AS_OF, BUDGET],
    )(partial(_show, name))
    commands.add(
        "status",
        f"Show whether the {what} is fresh, how large it is and when it was made.",
        example=f"lerim {name} status",
    )(partial(_status, name))
    commands.add("path", f"Print where the {what} lies, for programs that read it.", example=f"lerim {name} path")(
        partial(_path, name)
    )
    commands.add(
        "refresh",
        f"Make the {what} anew from the memory. When nothing changed since, it is left as it is.",
        example=f"lerim {name} refresh --force",
        arguments=[FORCE, AS_OF, BUDGET, *more],
    )(partial(_refresh, name))
    return commands


def _show(name: ViewName, lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    as_of = _as_of(args)
    if as_of is None and args.budget is None:
        view = lerim.views.show(name)
    else:
        view = lerim.views.render(name, as_of=as_of, budget=args.budget)
    _tell(view, out)


def _status(name: ViewName, lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.views.status(name)
    out.data(view_status_payload(found))
    state = out.style("fresh", GREEN) if found.is_fresh else f"{out.style('stale', YELLOW)}: {found.reason}"
    out.fact("state", state if found.exists else found.reason, _WIDTH)
    if found.generated is not None:
        out.fact("made", f"{time_text(found.generated)} from {plural(found.records, 'memory')}", _WIDTH)
        out.fact("size", f"{found.characters:,} of {found.budget:,} characters", _WIDTH)
        out.fact("copies", f"{found.copies:,}", _WIDTH)
    out.fact("path", str(found.path), _WIDTH)
    if not found.is_fresh:
        out.note(f"next: lerim {name} refresh")


def _path(name: ViewName, lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.views.path(name)
    out.data(view_path_payload(name, str(found), exists=found.exists()))
    out.say(str(found))


def _refresh(name: ViewName, lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if getattr(args, "model", False):
        view = lerim.reword_brief()
    else:
        view = lerim.views.refresh(name, force=args.force, as_of=_as_of(args), budget=args.budget)
    out.data(view_payload(view))
    if not view.path.exists():
        out.note("nothing is remembered here yet, so nothing was written (lerim sync)")
        return
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
