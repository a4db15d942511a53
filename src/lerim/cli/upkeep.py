"""`lerim memory`, second half: in and out, check, rebuild, reset."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, GREEN, Output
from lerim.cli.report import (
    ALLOW_SECRET,
    YES,
    is_sure,
    kept_only_in_store,
    plural,
    tell_masked,
    tell_reconciled,
)
from lerim.context.filters import Filter, statuses_named
from lerim.context.records import Status
from lerim.errors import UsageError
from lerim.payloads.upkeep import (
    check_payload,
    export_payload,
    exported_payload,
    import_payload,
    rebuilt_files_payload,
    rebuilt_store_payload,
    reset_payload,
    scan_payload,
    share_payload,
)
from lerim.printable import one_line
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.context.share_check import Revelation

COMMANDS = Commands()
SHOWN = 20


@COMMANDS.add(
    "export",
    "Export memories as JSON lines, or as a folder of Markdown files.",
    example="lerim memory export backup.jsonl --history",
    arguments=[
        argument("target", metavar="FILE|FOLDER|-", help="a .jsonl file, a new folder, or - for standard output"),
        argument("--status", choices=[*(str(s) for s in Status), "all"], default="all", help="default: all"),
        argument(
            "--scope",
            choices=["project", "global", "both"],
            help="default: the scope that memories are written to here",
        ),
        argument("--history", action="store_true", help="include every version (JSON lines only)"),
    ],
)
def export(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    wanted = Filter(statuses=statuses_named(args.status))
    if args.target == "-":
        lines = lerim.memory.export_lines(wanted, args.scope, history=args.history)
        out.data(exported_payload(lines))
        out.json_lines(lines)
        return
    target = Path(args.target)
    count = lerim.memory.export_to(target, wanted, args.scope, history=args.history)
    out.say(f"exported {plural(count, 'memory')} to {target}")
    out.data(export_payload(count, target))


@COMMANDS.add(
    "import",
    "Import memories from JSON lines, memory files, or plain notes such as CLAUDE.md.",
    example="lerim memory import ~/notes",
    arguments=[
        argument("source", metavar="FILE|FOLDER|-", help="a file, a folder, or - for JSON lines from standard input"),
        argument("--scope", choices=["project", "global"], help="where to (default: set by the scope mode)"),
        argument(
            "--overwrite", action="store_true", help="if an id exists with different content, take the imported one"
        ),
        ALLOW_SECRET,
    ],
)
def import_(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    lines = sys.stdin.read().splitlines() if args.source == "-" else None
    source = None if args.source == "-" else Path(args.source)
    done = lerim.memory.import_from(source, lines, args.scope, overwrite=args.overwrite, allow_secret=args.allow_secret)
    out.data(import_payload(done))
    out.say(f"{len(done.created):,} new, {len(done.updated):,} updated, {done.same:,} already here")
    for record_id, found in done.masked.items():
        tell_masked(record_id, found, out)
    if done.not_placed:
        out.note(f"{plural(len(done.not_placed), 'piece')} could not be imported:")
        for item in done.not_placed[:SHOWN]:
            out.note(f"  {item.path}:{item.line}: {item.reason}")
        if len(done.not_placed) > SHOWN:
            out.note(f"  and {len(done.not_placed) - SHOWN} more; --json lists all")
    _have_indexed(lerim, out)
    return 3 if done.not_placed else 0


def _have_indexed(lerim: Lerim, out: Output) -> None:
    """Have much that came in at once indexed in the background; of a little, the next search takes care."""
    from lerim.cli.search import MANY, missing_note  # Start-up: only what brings much in needs it.

    if (missing := lerim.index.missing()) > MANY:
        out.note(missing_note(lerim, missing))


@COMMANDS.add(
    "check",
    "Check that the memory is consistent: versions, links, files, indexes; or what sharing it would reveal.",
    example="lerim memory check --share",
    arguments=[
        argument("--share", action="store_true", help="what a commit of .lerim would reveal, file by file"),
        argument("--fix", action="store_true", help="with --share: say again, without it, what Lerim wrote"),
    ],
)
def check(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if args.share:
        return _check_share(lerim, out, fix=args.fix)
    if args.fix:
        raise UsageError("--fix goes with --share", hint="lerim memory check --share --fix")
    found = lerim.memory.check()
    out.data(check_payload(found))
    for item in found:
        out.say(f"{item.where}: {item.what}")
        out.say(out.style(f"  fix: {item.fix}", DIM))
    if not found:
        out.say(out.style("the memory is consistent", GREEN))
    return 1 if found else 0


def _check_share(lerim: Lerim, out: Output, *, fix: bool) -> int:
    found = lerim.setup.would_reveal(fix=fix)
    out.data(share_payload(found))
    for path, items in groupby(found, key=lambda item: item.path):
        out.say(str(path))
        for item in items:
            state = out.style("  (taken out)", DIM) if item.fixed else ""
            out.say(f"  {item.line:>4}  {item.kind:<7} {one_line(item.text)}{state}")
    left = [item for item in found if item.is_open]
    if not left:
        out.say(out.style("a commit would reveal nothing of the conversation, this machine or you", GREEN))
        return 0
    out.note(_way_out(left))
    return 3 if fix else 1


def _way_out(left: Sequence[Revelation]) -> str:
    """The command that helps with most of what is left."""
    count = plural(len(left), "finding")
    if any(item.ours for item in left):
        return f"{count}; to have what Lerim wrote said again without: lerim memory check --share --fix"
    if any(item.kind == "secret" for item in left):
        return f"{count}; to mask what looks like a secret: lerim memory scan --fix"
    if any(item.kind == "trace" for item in left):
        return f"{count}; to keep traces on this machine, set share_traces = false below [memory]: lerim config show"
    if left[0].record_id is None:
        return f"{count} in files that are yours to change: {left[0].path}"
    return f"{count} in what people wrote; to change it: lerim memory edit {left[0].record_id}"


@COMMANDS.add(
    "scan",
    "Scan the memory for what looks like a secret: records, files, and their history if asked.",
    example="lerim memory scan --fix",
    arguments=[
        argument("--fix", action="store_true", help="mask what is found in current memories"),
        argument("--versions", action="store_true", help="also earlier versions, which history keeps"),
        argument("--traces", action="store_true", help="also the archived traces, by the rules they were redacted by"),
    ],
)
def scan(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    found = lerim.memory.scan(versions=args.versions, traces=args.traces, fix=args.fix)
    out.data(scan_payload(found))
    for item in found:
        place = f"version {item.version}, {item.where}" if item.version else item.where
        state = " (allowed)" if item.allowed else " (masked)" if item.masked else ""
        out.say(f"{item.record_id or '-'}  {place}:{item.line}  {item.kind}{out.style(state, DIM)}")
    left = [item for item in found if item.is_open]
    if not left:
        out.say(out.style("nothing that looks like a secret is left in current memories", GREEN))
    elif args.fix:
        out.note("what is left stands in files that are yours to change: take it out, or add 'allow_secret: true'")
    else:
        out.note("mask it: lerim memory scan --fix; keep one: lerim memory edit ID --allow-secret")
    return 0 if not left else 3 if args.fix else 1


@COMMANDS.add(
    "rebuild",
    "Rebuild the store from the files, or the files from the store.",
    example="lerim memory rebuild --from files",
    arguments=[argument("--from", dest="origin", choices=["files", "store"], required=True, help="the side to trust")],
)
def rebuild(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.origin == "files":
        done = lerim.memory.rebuild_store()
        for place, reconciled in done:
            tell_reconciled(place, reconciled, out)
        changes = sum(item.changes for _, item in done)
        out.say(f"read every file again: {plural(changes, 'change')} picked up, indexes rebuilt")
        out.data(rebuilt_store_payload(changes))
        _have_indexed(lerim, out)
        return
    written = lerim.memory.rebuild_files()
    out.say(f"wrote {plural(sum(written.values()), 'file')} from the store")
    out.data(rebuilt_files_payload(written))


@COMMANDS.add(
    "reset",
    "Delete everything in a scope: records, history and files. Keeps a backup unless told not to.",
    example="lerim memory reset --scope project --yes",
    arguments=[
        argument("--scope", choices=["project", "global", "both"], required=True, help="what to delete"),
        YES,
        argument("--no-backup", action="store_true", help="do not keep a backup"),
        argument("--shared", metavar="NAME", default="", help="the project, where others use the store, too"),
    ],
)
def reset(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    if not args.yes:
        lost = [
            f"the {scope} memory: {kept_only_in_store(found)}"
            for scope, found in lerim.setup.would_lose(args.scope).items()
        ]
        whose = " For every machine that shares it." if lerim.house.shared else ""
        what = f"This deletes {'; '.join(lost)}, files included.{whose}" if lost else "There is nothing to delete."
        if not is_sure(what, f"lerim memory reset --scope {args.scope} --yes", out):
            return 1
    done = lerim.setup.reset(args.scope, backup=not args.no_backup, shared=args.shared)
    out.data(reset_payload(done))
    for scope, count in done.records.items():
        out.say(f"deleted {plural(count, 'record')} from the {scope} memory")
    if not done.records:
        out.say("there was nothing to delete")
    if done.backup:
        out.say(out.style(f"  backup: {done.backup}", DIM))
    if done.restore:
        out.say(out.style(f"  everything as it was: lerim restore {done.restore}", DIM))
    if done.queue_kept:
        out.warn("the session queue is global and was not reset; use --scope global or --scope both for that")
    return 0
