"""`lerim maintain`: keep the memory true. `curate` is the same command; `undo` takes a run back."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.output import BOLD, DIM, Output
from lerim.cli.report import plural
from lerim.context.records import time_text
from lerim.errors import UsageError
from lerim.lazy_regex import compile_later
from lerim.payloads.maintain import declined_payload, maintain_payload, plan_payload, undo_payload, undoable_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.curate.proposals import CurationProposal
    from lerim.runtime.maintenance import WrittenPlan
    from lerim.runtime.results import CuratedItem, MaintainResult

COMMANDS = Commands()
_ARGUMENTS = [
    argument(
        "--plan",
        nargs="?",
        const="",
        metavar="FILE",
        help="write what would be done into a file, and change nothing",
    ),
    argument("--apply", metavar="PLAN", help="do what a plan says, as far as it still fits"),
    argument(
        "--decline",
        metavar="PLAN",
        help="say no to items of a plan: they are not proposed again while their memories say what they say",
    ),
    argument(
        "items",
        nargs="*",
        metavar="ITEM",
        type=whole_number,
        help="with --apply and --decline: these items of the plan",
    ),
    argument(
        "--unattended",
        action="store_true",
        help="do only what needs nobody's eye: exact duplicates, and what has faded; plan the rest",
    ),
]
_PLAN = "lerim maintain --plan"
#: What each action is called once it is done.
_DONE = {
    "merged": "merged",
    "superseded": "replaced",
    "revised": "reworded",
    "archived": "archived",
    "restored": "restored",
}


#: Items that are told one by one, and sides of each; the plan has all of them.
_SHOWN, _SIDES, _LINE = 3, 2, 170
_REFERENCE = compile_later(r", [\w-]+/[\w.-]+#L\d+(?:-L\d+)?(?=: )")


@COMMANDS.add(
    "maintain",
    "Keep the memory true: merge what says the same, close what was overruled, archive what has faded. Nothing is"
    " deleted, and 'lerim undo' takes it back.",
    example="lerim maintain --plan",
    arguments=_ARGUMENTS,
)
@COMMANDS.add("curate", "The same as maintain.", example="lerim curate --unattended", arguments=_ARGUMENTS)
def maintain(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    _require_one_way(args)
    if args.plan is not None:
        written = lerim.plan(Path(args.plan).absolute() if args.plan else None)
        out.data(plan_payload(written))
        _tell_plan(written, out)
        return 0
    if args.decline:
        return _decline(lerim, args, out)
    if args.apply:
        results = lerim.curation.apply(Path(args.apply), args.items)
    else:
        results = lerim.maintain(unattended=args.unattended)
    out.data(maintain_payload(results))
    if not results:
        out.say("no memories here yet (lerim sync)")
    for result in results:
        _tell(result, out)
    _tell_waiting(results, out, args)
    return int(bool(args.apply) and any(_refused(result) for result in results))


def _decline(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    found = declined_payload(lerim.curation.decline(Path(args.decline), args.items))
    out.data(found)
    for item in found:
        if item["refusal"]:
            out.warn(f"not declined: {item['what']}: {item['refusal']}")
        else:
            out.say(f"declined: {item['what']}")
    if not all(item["refusal"] for item in found):
        out.note("not proposed again while these memories say what they say; --apply with its number still does it")
    return int(any(item["refusal"] for item in found))


def _require_one_way(args: argparse.Namespace) -> None:
    if sum((args.plan is not None, bool(args.apply), bool(args.decline))) > 1:
        raise UsageError(
            "--plan writes a plan, --apply carries one out and --decline says no to items; give one of them", hint=_PLAN
        )
    if args.decline and not args.items:
        raise UsageError("say which items of the plan you decline", hint=f"lerim maintain --decline {args.decline} 1 3")
    if args.unattended and (args.plan is not None or args.apply or args.decline):
        raise UsageError(
            "--unattended is for runs that nobody watches; it plans by itself", hint="lerim maintain --unattended"
        )
    if args.items and not args.apply and not args.decline:
        raise UsageError("items are numbers of a plan's items", hint="lerim maintain --apply PLAN 1 3")


def _tell(result: MaintainResult, out: Output) -> None:
    counts = [f"{result.counts[name]} {word}" for name, word in _DONE.items() if result.counts.get(name)]
    nothing = "nothing changed" if result.waiting or result.refused else "nothing to do"
    out.say(f"{out.style(', '.join(counts) or nothing, BOLD)}  {out.style(result.run_id, DIM)}")
    if result.looked_at.get("records"):
        out.say(f"  {result.text}")
    titles = {one.record_id: one.title for one in result.written}
    for done in result.done:
        # What is replaced stands first, what several became one in stands last.
        order = done.records if done.action == "supersede" else done.records[::-1]
        named = next((titles[one] for one in order if one in titles), "")
        out.say(f"  {done.what}: {named}")
        out.say(f"    {out.style(done.reason, DIM)}")
    if already := len(result.refused) - len(_refused(result)):
        out.say(f"  {plural(already, 'item')} {'was' if already == 1 else 'were'} done already")
    for refused in _refused(result):
        out.warn(f"not done: {refused.what}: {refused.reason}")
    if result.notice:
        out.warn(result.notice)
    if counts:
        out.note(f"to take it back: lerim undo {result.run_id}")


def _refused(result: MaintainResult) -> list[CuratedItem]:
    return [one for one in result.refused if one.reason != "it is done already"]


def _tell_waiting(results: list[MaintainResult], out: Output, args: argparse.Namespace) -> None:
    waiting, plan = sum(one.waiting for one in results), next((one.plan for one in results if one.plan), None)
    if waiting and plan and not args.apply:
        from lerim.curate.plan_file import heading  # Start-up: as below.

        out.say(f"{plural(waiting, 'item')} for you to decide: {plan}")
        items = [item for one in results if one.left for item in one.left.items]
        for number, item in enumerate(items[:_SHOWN], 1):
            out.say(f"  {number}. {heading(item).replace('`', '')}: {out.style(item.reason, DIM)}")
            _tell_by_hand(item, out)
            _tell_sides(item, out)
        if len(items) > _SHOWN:
            out.say(out.style(f"  and {len(items) - _SHOWN} more", DIM))
        if (first := next((number for number, item in enumerate(items, 1) if not item.by_hand), None)) is not None:
            out.note(f"to do item {first} of it: lerim maintain --apply {plan} {first}")
        out.note(f"to say no to item 1 of it: lerim maintain --decline {plan} 1")
    elif waiting and args.apply and not args.items:
        out.note(f"{plural(waiting, 'item')} of the plan for you to decide: name the number to have it done")


def _tell_by_hand(item: CurationProposal, out: Output) -> None:
    """What a person types where there is nothing to apply."""
    if item.by_hand:
        out.say(f"     do: {item.by_hand}")


def _tell_sides(item: CurationProposal, out: Output) -> None:
    """The words of each side, as far as a line has room."""
    # Which line of which session it was is in the plan; here the words need the room.
    for side in (_REFERENCE.sub("", one) for one in item.evidence[:_SIDES]):
        out.say(out.style(f"     {side if len(side) <= _LINE else side[: _LINE - 1] + '…'}", DIM))


def _tell_plan(written: WrittenPlan, out: Output) -> None:
    from lerim.curate.plan_file import heading  # Start-up: only who plans needs it.

    for place in written.document.places:
        out.say(out.style(place.name, BOLD))
        out.say(f"  {place.plan.looked_at.told}")
        for number, owner, item in written.document.numbered():
            if owner is place:
                yours = " (for you to decide)" if item.would or item.verb == "review" else ""
                out.say(f"  {number}. {heading(item).replace('`', '')}{yours}")
                out.say(f"     {out.style(item.reason, DIM)}")
                _tell_by_hand(item, out)
                _tell_sides(item, out)
    has_items = any(written.document.numbered())
    if not has_items:
        out.say("nothing to do")
    if written.path:
        out.say(f"plan: {written.path}")
    if not has_items:
        return
    if any(item.verb != "review" for _, _, item in written.document.numbered()):
        out.note(f"to do all that is not left to you: lerim maintain --apply {written.path}")
    can_do = (number for number, _, item in written.document.numbered() if not item.by_hand)
    if (first := next(can_do, None)) is not None:
        out.note(f"to do item {first}: lerim maintain --apply {written.path} {first}")
    out.note(f"to say no to item 1: lerim maintain --decline {written.path} 1")


@COMMANDS.add(
    "undo",
    "Take back all that a run did, in files and store; without a run, list those that can be taken back.",
    example="lerim undo maintain-20260301-143022-a3f9b1",
    arguments=[
        argument("run", nargs="?", metavar="RUN", help="the run's id, its beginning or its last six letters"),
        argument("only", nargs="*", metavar="ID", help="only what a maintenance run did to these memories"),
    ],
)
def undo(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.run is None:
        from lerim.runtime.maintenance import UNDOABLE  # Start-up: only who lists them needs it.

        runs = lerim.curation.undoable()
        out.data(undoable_payload(runs))
        for run in runs:
            about = f"{time_text(run.at)}, {plural(run.records, 'record')}"
            out.say(f"{run.run_id}  {out.style(about, DIM)}")
        if not runs:
            out.say("no run changed anything here that can be taken back")
        if len(runs) >= UNDOABLE:
            out.note(f"the newest {UNDOABLE}; 'lerim runs list' has all, with what each did")
        return 0
    done = lerim.curation.undo(args.run, args.only)
    out.data(undo_payload(done))
    for place in done:
        for item in place.undone:
            out.say(f"taken back: {item.what}  {out.style(' '.join(item.records), DIM)}")
        for item in place.refused:
            out.warn(f"not taken back: {item.what}: {item.refusal}")
        if place.notice:
            out.warn(place.notice)
    if any(place.undone for place in done) and args.run and not args.only:
        out.note("what is taken back is not proposed again by itself")
    return int(any(place.refused for place in done))
