"""`lerim grounding`: which memories name something that the repository no longer has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, YELLOW, Output
from lerim.cli.report import plural
from lerim.payloads.grounding import grounded_payload, grounding_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.context.grounds import NamedGround
    from lerim.curate.grounding import GroundedRecord, GroundingReport

COMMANDS = Commands()
_ID = argument("id", nargs="?", metavar="ID", help="only this memory: all that it names, and how that stands")


@COMMANDS.add(
    "show",
    "Show the memories that name something the repository no longer has, and the decisions whose branch is not merged,"
    " as of the last check.",
    example="lerim grounding show",
    arguments=[_ID],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.id:
        _show_one(lerim, args.id, out)
    else:
        _tell(lerim.grounding.show(), out)


@COMMANDS.add(
    "check",
    "Check the paths, symbols, commands, dependencies and branches that memories name against the repository. Every"
    " sync and maintain does so, too.",
    example="lerim grounding check",
    arguments=[_ID],
)
def check(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    report = lerim.check_grounds()
    if not args.id:
        _tell(report, out)
        return
    if report.reason:
        out.warn(report.reason)
    _show_one(lerim, args.id, out)


def _show_one(lerim: Lerim, reference: str, out: Output) -> None:
    found = lerim.grounding.of(reference)
    out.data(grounded_payload(found))
    out.say(f"{out.style(found.kept.record.id, CYAN)}  {out.style(found.kept.record.title, BOLD)}")
    _tell_doubts(found, out)
    for ground in found.grounds:
        out.say(f"  {ground.name.kind:<10} {ground.name.name}  {out.style(_standing(ground), DIM)}")
    if not found.grounds:
        out.say(out.style("  names nothing of the repository that was checked (lerim grounding check)", DIM))


def _standing(ground: NamedGround) -> str:
    if ground.state == "gone":
        return f"gone when it was said: {ground.what}" if ground.is_late else f"gone: {ground.what}"
    return "there" if ground.state == "there" else "never seen here"


def _tell(report: GroundingReport, out: Output) -> None:
    out.data(grounding_payload(report))
    if report.reason:
        out.warn(report.reason)
    if not report.head:
        out.say("nothing was checked yet (lerim grounding check)")
        return
    counts = [
        f"{plural(report.grounded, 'memory')} checked at {report.head[:10]}",
        f"{len(report.suspects)} suspect",
        f"{len(report.provisional)} provisional",
    ]
    out.say(out.style(", ".join(counts), BOLD))
    for one in (*report.suspects, *report.provisional, *report.untold):
        out.say(f"{out.style(one.kept.record.id, CYAN)}  {one.kept.record.title}")
        _tell_doubts(one, out)
    if report.suspects:
        out.note("next: lerim maintain --plan, lerim memory edit ID or lerim memory archive ID")


def _tell_doubts(one: GroundedRecord, out: Output) -> None:
    for doubt in (one.suspicion, one.provisional):
        if doubt is not None:
            out.say(out.style(f"  {doubt.told}", YELLOW))
