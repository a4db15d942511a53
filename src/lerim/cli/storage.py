"""`lerim storage`: where the memory is kept, whether that place is sound, and copies from one to another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import CYAN, DIM, GREEN, RED, Output
from lerim.cli.report import plural
from lerim.payloads.storage import (
    storage_check_payload,
    storage_copy_payload,
    storage_payload,
    storage_upgrade_payload,
)
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.flows.moving import StorageCopy
    from lerim.storage.moving import CopiedDatabase

COMMANDS = Commands()
WHERE = argument(
    "where",
    nargs="?",
    metavar="WHERE",
    help="a folder, a file or a postgresql:// address (default: where your memory is)",
)


@COMMANDS.add(
    "status",
    "Show where the memory is kept: on this machine, or on a server.",
    example="lerim storage status",
    arguments=[WHERE],
)
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    state = lerim.moving.state(args.where)
    out.data(storage_payload(state))
    kind = "a server that several machines may share" if state.where.address else "files on this machine"
    out.say(f"{out.style(str(state.where), CYAN)} ({kind})")
    if state.problem is not None:
        out.say(out.style(f"  {state.problem.message}", RED))
        out.say(out.style(f"  next: {state.problem.hint or 'lerim storage check'}", DIM))
        return state.problem.exit_code
    out.say(f"  {plural(state.records or 0, 'memory')} in {plural(state.projects or 0, 'project')}")
    for step in state.steps:
        if step.found:
            behind = "" if step.found == step.needed else f"; this Lerim needs {step.needed}: lerim storage upgrade"
            out.say(out.style(f"  {step.name}: schema {step.found}{behind}", DIM))
    return 0


@COMMANDS.add(
    "check",
    "Check that the memory can be kept there: connection, version, schema, rights, clock. Changes nothing.",
    example="lerim storage check",
    arguments=[WHERE],
)
def check(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    found = lerim.moving.check(args.where)
    out.data(storage_check_payload(found))
    width = max(len(one.name) for one in found)
    for one in found:
        mark = out.style("ok  ", GREEN) if one.ok else out.style("FAIL", RED)
        out.say(f"{mark}  {one.name:<{width}}  {one.detail}")
        if one.fix:
            out.say(out.style(f"      {'':<{width}}  next: {one.fix}", DIM))
    return 0 if all(one.ok for one in found) else 1


@COMMANDS.add(
    "upgrade",
    "Bring a shared store up to what this Lerim needs. Machines with an older Lerim are refused from then on.",
    example="lerim storage upgrade",
    arguments=[WHERE],
)
def upgrade(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    before = lerim.moving.upgrade(args.where)
    where = str(lerim.moving.here(args.where))
    out.data(storage_upgrade_payload(where, before))
    for step in before:
        out.say(f"{step.name}: schema {step.found} is now {step.needed}")
    if not before:
        out.say(f"{where} is up to date")


@COMMANDS.add(
    "copy",
    "Copy a memory from one place to another, verified; run again after an interruption, it goes on where it stood.",
    example="lerim storage copy ~/.lerim postgresql://me@db.example.com/lerim",
    arguments=[
        argument("source", metavar="FROM", help="a folder such as ~/.lerim, a file, or a postgresql:// address"),
        argument("target", metavar="TO", help="the same; it must be empty"),
        argument("--overwrite", action="store_true", help="replace what is there; it is kept as a file first"),
        argument("--dry-run", action="store_true", help="show what would be copied; change nothing"),
    ],
)
def copy(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    done = lerim.moving.copy(args.source, args.target, overwrite=args.overwrite, dry_run=args.dry_run)
    out.data(storage_copy_payload(done))
    for one in done.databases:
        _tell_database(one, out, is_dry=done.is_dry)
    if done.problems:
        out.warn(f"the copy is exact, but what was copied breaks {plural(len(done.problems), 'promise')}:")
        for problem in done.problems[:5]:
            out.note(f"  {problem}")
        out.note("  lerim memory check tells more")
    elif not done.is_dry:
        out.say(out.style("verified: every row arrived, and the memory is consistent", GREEN))
        _tell_next(done, out)
    return 3 if done.problems else 0


def _tell_database(one: CopiedDatabase, out: Output, *, is_dry: bool) -> None:
    what = "would copy" if is_dry else "already there:" if one.was_there else "copied"
    out.say(f"{one.name}: {what} {plural(one.rows, 'row')} in {plural(len(one.tables), 'table')}")
    for table, found in one.tables.items():
        if found.rows:
            out.say(out.style(f"  {table:<16} {found.rows:>9,}  {found.digest}", DIM))
    if one.left_out:
        named = ", ".join(f"{table} ({count:,})" for table, count in one.left_out.items())
        out.note(f"  left where they are: {named}")
    if one.replaced:
        out.say(out.style(f"  what was there before: {one.replaced}", DIM))


def _tell_next(done: StorageCopy, out: Output) -> None:
    if "://" in done.target:
        out.say(out.style('  to use it: set url = "…" below [storage] in your config.toml, or LERIM_STORAGE_URL', DIM))
