"""How records, changes and problems are put into words. Shared by the commands; no rule lives here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from lerim.cli.command import argument
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.context.records import Primitive, Record, Status, Trust, time_text
from lerim.errors import UsageError

if TYPE_CHECKING:
    from lerim.context.disclosure import SuspectedSecret
    from lerim.context.face.edits import Reconciled
    from lerim.context.place import Kept, Place
    from lerim.context.projects import OnlyInStore
    from lerim.context.review.waiting import WaitingCount

MAX_PROBLEMS = 3
ALLOW_SECRET = argument(
    "--allow-secret", action="store_true", help="keep what looks like a secret instead of masking it"
)

YES = argument("--yes", action="store_true", help="do not ask for confirmation")


def is_sure(what: str, command: str, out: Output) -> bool:
    """Whether a person at the terminal confirms what is about to be lost. Raises UsageError when nobody can be asked:
    `command` is what says so beforehand."""
    if not sys.stdin.isatty():
        raise UsageError(f"{what} Confirm it with --yes; nothing was changed", hint=command)
    out.note(what)
    return out.ask("Type 'yes' to continue:").strip().lower() == "yes"


def kept_only_in_store(found: OnlyInStore) -> str:
    """What is lost when a store forgets a project, in words."""
    counts = (
        (found.quotes, "quote"),
        (found.earlier_versions, "earlier version"),
        (found.review, "review candidate"),
    )
    parts = ", ".join(plural(number, noun) for number, noun in counts if number)
    return f"{plural(found.records, 'memory')} ({parts})" if parts else plural(found.records, "memory")


def waiting_words(waiting: WaitingCount) -> str:
    """How many candidates wait, and how many of them are worth looking at first."""
    verb = "waits" if waiting.total == 1 else "wait"
    likely = f", {waiting.likely or 'none'} of them likely" if waiting.likely < waiting.total else ""
    return f"{plural(waiting.total, 'candidate')} {verb} for your decision{likely}"


def tell_reconciled(place: Place, done: Reconciled, out: Output) -> None:
    """Print which edits were picked up from the files of a place, and which could not be, if any."""
    for verb, records in (
        ("new", done.added),
        ("edited", done.edited),
        ("moved", done.moved),
        ("deleted", done.deleted),
    ):
        if records:
            names = ", ".join(f"{record.id} '{record.title}'" for record in records[:2])
            more = f" and {len(records) - 2} more" if len(records) > 2 else ""
            way_back = " (to bring it back: lerim memory undo)" if verb == "deleted" else ""
            out.note(f"picked up {plural(len(records), f'{verb} file')}: {names}{more}{way_back}")
    if done.rewritten and done.is_first:
        out.note(f"wrote {plural(done.rewritten, 'memory file')} of {place.project.name} from the store")
    elif done.rewritten:
        out.warn(f"{place.folder.root} was missing; restored {plural(done.rewritten, 'file')} from the store")
    for problem in done.problems[:MAX_PROBLEMS]:
        where = f"{place.folder.absolute(problem.path)}:{problem.line}: " if problem.path else ""
        out.warn(f"{where}{problem.text} (left as it is)")
    if len(done.problems) > MAX_PROBLEMS:
        rest = len(done.problems) - MAX_PROBLEMS
        out.warn(f"{plural(rest, 'more file')} {'needs' if rest == 1 else 'need'} attention: lerim memory check")


def tell_kept(kept: Kept, verb: str, out: Output) -> None:
    """One line on what happened to one record, and where its file is; for programs, the record."""
    from lerim.payloads.memory import kept_payload  # Start-up: most commands change no record.

    out.data(kept_payload(kept))
    say_kept(kept, verb, out)


def say_kept(kept: Kept, verb: str, out: Output) -> None:
    """The same for people alone."""
    record = kept.record
    out.say(f"{verb} {out.style(record.id, CYAN)} {record.title}")
    path = kept.path
    out.say(out.style(f"  {path if path else 'its file is gone; its history is kept'}", DIM))
    tell_masked(record.id, kept.masked, out)


def tell_masked(record_id: str, found: Sequence[SuspectedSecret], out: Output) -> None:
    """A warning for what looked like a secret and was masked."""
    for item in found:
        out.warn(f"{record_id}: {item.words} was masked; --allow-secret keeps it")


def list_records(items: Sequence[Kept], out: Output) -> None:
    scopes = {item.place.scope for item in items}
    header = ["ID", "KIND", "TITLE", "TAGS", "CONF", "SAID"] + (["SCOPE"] if len(scopes) > 1 else [])
    rows = []
    for item in items:
        record = item.record
        row = [
            record.id,
            label(record),
            record.title,
            " ".join(record.tags),
            f"{record.confidence:.2f}",
            day(record.last_said.at),
        ]
        rows.append(row + ([item.place.scope] if len(scopes) > 1 else []))
    out.table(header, rows, flexible=2, spare=(3, 4, 5))


def label(record: Record) -> str:
    """What it is, in a word or two: `pitfall`, `decision (superseded)`, `decision (shared)`."""
    name = str(record.kind) if record.primitive is Primitive.LEARNING else str(record.primitive)
    remarks = [str(Trust.SHARED)] * record.is_hearsay + [str(record.status)] * (record.status is not Status.ACTIVE)
    return f"{name} ({', '.join(remarks)})" if remarks else name


def day(moment: datetime) -> str:
    return time_text(moment)[:10]


def head(record: Record, out: Output) -> None:
    out.say(out.style(record.title, BOLD))


def plural(count: int, word: str) -> str:
    """'1 memory', '3 memories', '30 days'."""
    if count == 1:
        return f"1 {word}"
    is_changed = word.endswith("y") and word[-2:-1] not in "aeiou"
    return f"{count:,} {word[:-1]}ies" if is_changed else f"{count:,} {word}s"
