"""`lerim backup` and `lerim restore`: copies of all that cannot be made again, and the way back."""

from __future__ import annotations

import argparse
from typing import Any

from lerim.cli.command import Commands, argument
from lerim.cli.output import CYAN, DIM, Output
from lerim.cli.report import plural
from lerim.context.records import time_text
from lerim.payloads.backup import backup_payload, restored_payload
from lerim.service import Lerim

COMMANDS = Commands()


def complete_names(prefix: str, **_: Any) -> list[str]:
    """The names of backups, for the shell."""
    with Lerim() as lerim:
        return [backup.name for backup in lerim.backups.all() if backup.name.startswith(prefix)]


@COMMANDS.add(
    "make",
    "Copy all memories with their history, the review, the queue and the memory files. Works while others write.",
    example="lerim backup make",
)
def make(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    made = lerim.backups.make()
    out.data(backup_payload(made))
    out.say(f"backed up {plural(made.records, 'memory')} as {out.style(made.name, CYAN)}")
    out.say(out.style(f"  {made.folder}", DIM))


@COMMANDS.add("list", "List the backups, newest first.", example="lerim backup list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    backups = lerim.backups.all()
    out.data([backup_payload(backup) for backup in backups])
    if not backups:
        out.note("no backups yet (lerim backup makes one)")
    elif not out.as_json:
        rows = [[b.name, time_text(b.created), f"{b.records:,}", f"{b.size / 1e6:.1f} MB", b.reason] for b in backups]
        out.table(["BACKUP", "WHEN", "MEMORIES", "SIZE", "WHY"], rows, flexible=4)


@COMMANDS.add(
    "restore",
    "Go back to a backup: memories, history, files, review and queue. What is there now is backed up first.",
    example="lerim restore backup-20260220-103000",
    arguments=[
        argument(
            "backup", nargs="?", metavar="BACKUP", help="its name (default: the newest)", completer=complete_names
        ),
        argument("--yes", "-y", action="store_true", help="for everybody, where others use the store, too"),
    ],
)
def restore(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    done = lerim.backups.restore(lerim.backups.find(args.backup), for_all=args.yes)
    out.data(restored_payload(done))
    out.say(
        f"restored {plural(done.backup.records, 'memory')} from {out.style(done.backup.name, CYAN)};"
        f" {plural(done.files, 'file')} changed"
    )
    out.say(out.style(f"  what was there before: lerim restore {done.before.name}", DIM))
