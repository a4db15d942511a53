"""`lerim memory`: add, read and change memories. Moving them in and out, and upkeep, is in `upkeep.py`."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.filters import AS_OF, FILTERS, filter_from
from lerim.cli.output import CYAN, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import ALLOW_SECRET, day, head, label, list_records, plural, tell_kept
from lerim.context.place import Kept
from lerim.context.records import (
    LESSONS,
    Draft,
    Kind,
    Primitive,
    Status,
    clean_tags,
    parse_last_moment,
    time_text,
)
from lerim.dataclass import replace
from lerim.errors import UsageError
from lerim.payloads.memory import diff_payload, kept_payload, undone_payload, version_payload
from lerim.service import Lerim

COMMANDS = Commands()
# Memories listed at a time.
_PAGE = 50


def complete_ids(prefix: str, **_: Any) -> list[str]:
    """Record ids of this scope, for the shell."""
    with Lerim() as lerim:
        return lerim.memory.ids(prefix)


ID = argument("id", metavar="ID", help="a record's id, or the beginning of it", completer=complete_ids)
SCOPE = argument("--scope", choices=["project", "global"], help="where to write (default: set by the scope mode)")


def reason_argument(default: str) -> Any:
    return argument("--reason", default=default, help="why, for the history")


@COMMANDS.add(
    "add",
    "Remember one decision or learning.",
    example='lerim memory add --primitive learning --kind pitfall --title "pytest hangs without -p no:cacheprovider"'
    ' --body "The cache folder is on NFS." --tags testing,ci',
    arguments=[
        argument("words", nargs="?", metavar="TITLE", help="one line that makes sense on its own"),
        argument("--title", help="the same as a flag"),
        argument("--primitive", choices=[*LESSONS], help="decision (the default) or learning (--kind implies it)"),
        argument("--kind", choices=[*Kind], help="what kind of learning"),
        argument("--body", default="", help="reasons and details, in Markdown; - reads standard input"),
        argument("--tags", default="", help="words, separated by commas"),
        argument("--confidence", type=float, default=0.8, help="how certain it is, 0.0 to 1.0 (default 0.8)"),
        ALLOW_SECRET,
        SCOPE,
    ],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if (args.words is None) is (args.title is None):
        told = "what shall be remembered?" if args.title is None else "there are two titles"
        raise UsageError(told, hint='lerim memory add "Use pnpm in this repository"')
    draft = Draft(
        primitive=Primitive(args.primitive or (Primitive.LEARNING if args.kind else Primitive.DECISION)),
        title=args.title if args.words is None else args.words,
        body=_body(args.body),
        kind=Kind(args.kind) if args.kind else None,
        tags=tuple(args.tags.split(",")),
        confidence=args.confidence,
    )
    kept = lerim.memory.add(draft, args.scope, allow_secret=args.allow_secret)
    tell_kept(kept, "remembered", out)
    if args.scope is None and kept.place.scope == "global" and lerim.house.project_root is None:
        out.note("this folder belongs to no project, so it went to the global memory (lerim init makes it a project)")


@COMMANDS.add(
    "list",
    "List memories, last changed first, project before global.",
    example="lerim memory list --kind preference --tag testing",
    arguments=[
        *FILTERS,
        argument("--scope", choices=["project", "global"], help="only this scope"),
        argument("--limit", type=whole_number, default=_PAGE, help=f"at most this many (default {_PAGE}; 0 is all)"),
        argument("--offset", type=whole_number, default=0, help="leave out the first so many"),
        argument("--all", action="store_true", help="all of them"),
        AS_OF,
    ],
)
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    as_of = parse_last_moment(args.as_of, "--as-of") if args.as_of else None
    limit = None if args.all or not args.limit else args.limit
    page = lerim.memory.page(filter_from(args), limit=limit, offset=args.offset, where=args.scope, as_of=as_of)
    out.data([kept_payload(item) for item in page.items])
    if not page.total:
        out.note("nothing matches" if _is_filtered(args) else "nothing active here (lerim memory list --status all)")
        return
    if not out.as_json:
        list_records(page.items, out)
    shown = args.offset + len(page.items)
    if shown < page.total:
        out.note(f"{page.total - shown:,} more (--offset {shown} for the next, --all for all)")


@COMMANDS.add(
    "show",
    "Show one memory: what it says, whether it is current, and where it comes from.",
    example="lerim memory show dec-k3v7 --as-of 2026-02-20",
    arguments=[
        ID,
        argument("--version", type=int, metavar="N", help="as of this version"),
        argument("--current", action="store_true", help="follow a superseded record to the current one"),
        AS_OF,
    ],
)
def show(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    kept = lerim.memory.find(args.id)
    if args.current:
        kept = lerim.memory.current(kept)
    if args.version is not None:
        kept = Kept(lerim.memory.version(kept, args.version).record, kept.place)
    elif args.as_of:
        kept = lerim.memory.as_of(kept, parse_last_moment(args.as_of, "--as-of"))
    else:
        lerim.memory.touch([kept])
    out.data(kept_payload(kept))
    if not out.as_json:
        _show(lerim, kept, out)


@COMMANDS.add(
    "edit",
    "Change a memory in $EDITOR, or with flags.",
    example="lerim memory edit dec-k3v7 --confidence 0.9",
    arguments=[
        ID,
        argument("--title", help="the new title"),
        argument("--body", help="the new body; - reads standard input"),
        argument("--tags", help="the new tags, separated by commas"),
        argument("--confidence", type=float, help="the new confidence"),
        argument("--kind", choices=[*Kind], help="the new kind"),
        ALLOW_SECRET,
        reason_argument("edited by hand"),
    ],
)
def edit(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    kept = lerim.memory.find(args.id)
    changes = _changes(args)
    if changes or args.allow_secret:
        base, allow = kept.record.version, args.allow_secret
        new = lerim.memory.revise(kept, reason=args.reason, base=base, allow_secret=allow, **changes)
    else:
        from lerim.cli.editor import edit_file  # An editor is rarely wanted.

        new = edit_file(lerim, kept, out)
    tell_kept(new, "changed" if new.record.version != kept.record.version else "unchanged", out)


@COMMANDS.add(
    "archive",
    "Archive a memory. It keeps its history and can be restored.",
    example='lerim memory archive lrn-x2m4 --reason "that bug is fixed"',
    arguments=[ID, reason_argument("archived by hand")],
)
def archive(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    tell_kept(lerim.memory.archive(lerim.memory.find(args.id), reason=args.reason), "archived", out)


@COMMANDS.add(
    "restore",
    "Bring an archived memory back, or make a superseded one active again.",
    example="lerim memory restore lrn-x2m4",
    arguments=[ID, reason_argument("restored by hand")],
)
def restore(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    tell_kept(lerim.memory.restore(lerim.memory.find(args.id), reason=args.reason), "restored", out)


@COMMANDS.add(
    "supersede",
    "Replace one memory by another. The old one is kept, marked as superseded.",
    example='lerim memory supersede dec-oldone --by dec-newone --reason "sessions survive restarts"',
    arguments=[
        ID,
        argument("--by", required=True, metavar="ID", help="the record that replaces it", completer=complete_ids),
        reason_argument("superseded by hand"),
    ],
)
def supersede(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    old, new = lerim.memory.find(args.id), lerim.memory.find(args.by)
    tell_kept(lerim.memory.supersede(old, new, reason=args.reason), f"superseded by {new.record.id}:", out)


@COMMANDS.add(
    "history",
    "List every version of a memory: who changed it, when and why.",
    example="lerim memory history dec-k3v7",
    arguments=[ID],
)
def history(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    versions = lerim.memory.history(lerim.memory.find(args.id))
    out.data([version_payload(version) for version in versions])
    if not out.as_json:
        rows = [
            [str(v.record.version), time_text(v.at), v.operation, v.author, v.reason, str(v.change), v.run_id or "-"]
            for v in versions
        ]
        out.table(["V", "WHEN", "WHAT", "WHO", "WHY", "CHANGE", "RUN"], rows, flexible=4, spare=(6,))


@COMMANDS.add(
    "diff",
    "Show what changed between two versions of a memory.",
    example="lerim memory diff dec-k3v7 1 3",
    arguments=[
        ID,
        argument("old", nargs="?", type=int, metavar="FROM", help="a version (default: the one before TO)"),
        argument("new", nargs="?", type=int, metavar="TO", help="a version (default: the newest)"),
    ],
)
def diff(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.context.face.markdown import diff as record_diff  # Start-up: YAML, for this command alone.

    kept = lerim.memory.find(args.id)
    new = kept.record.version if args.new is None else args.new
    old = max(new - 1, 1) if args.old is None else args.old
    lines = record_diff(*(lerim.memory.version(kept, number).record for number in (old, new)))
    out.data(diff_payload(kept, old, new, lines))
    if not lines:
        out.note(f"versions {old} and {new} are the same")
    for line in lines:
        style = {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1])
        out.say(out.style(line, style) if style else line)


@COMMANDS.add(
    "undo",
    "Undo the last change, a given one, or a whole run.",
    example="lerim memory undo --run sync-20260301-143022-a3f9b1",
    arguments=[
        argument("--change", type=int, metavar="N", help="this change (its number is in the history)"),
        argument("--run", metavar="RUN_ID", help="everything this run changed"),
        SCOPE,
    ],
)
def undo(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    done = lerim.memory.undo(args.scope, change_id=args.change, run_id=args.run)
    out.data(undone_payload(done))
    for change in done.changes:
        out.say(f"undid change {change.id} ({change.reason}):")
    for record in done.records:
        out.say(f"  {out.style(record.id, CYAN)} {record.title} {out.style(f'(now {record.status})', DIM)}")
    for record in done.kept:
        out.warn(
            f"{record.id} '{record.title}' was changed again later; left as it is (lerim memory history {record.id})"
        )
    return 3 if done.kept else 0


def _is_filtered(args: argparse.Namespace) -> bool:
    return any([args.primitive, args.kind, args.tag, args.since, args.until, args.as_of, args.status != "active"])


def _body(text: str) -> str:
    return sys.stdin.read().removesuffix("\n") if text == "-" else text


def _changes(args: argparse.Namespace) -> dict[str, Any]:
    changes: dict[str, Any] = {
        name: getattr(args, name) for name in ("title", "confidence") if getattr(args, name) is not None
    }
    if args.body is not None:
        changes["body"] = _body(args.body)
    if args.tags is not None:
        changes["tags"] = clean_tags(args.tags.split(","))
    if args.kind is not None:
        changes["kind"] = Kind(args.kind)
    return changes


def _show(lerim: Lerim, kept: Kept, out: Output) -> None:
    record = kept.record
    head(record, out)
    out.say(out.style(f"{record.id}  {label(record)}  {kept.place.scope}  version {record.version}", CYAN))
    for name, value in _facts(lerim, kept):
        out.fact(name, value, 12)
    if record.status is Status.SUPERSEDED:
        now = lerim.memory.current(kept).record
        words = "replaced by" if now.holds else "what replaced it is archived too:"
        out.say(out.style(f"no longer current; {words} {now.id} '{now.title}'", YELLOW))
    if record.body:
        out.say()
        out.block(record.body)


def _facts(lerim: Lerim, kept: Kept) -> list[tuple[str, str]]:
    from lerim.context.decay import effective_confidence

    record, now = kept.record, lerim.house.clock()
    attention = effective_confidence(record, lerim.house.decay, now)
    confidence = f"{record.confidence:.2f}" + (
        f" ({attention:.2f} after decay)" if record.confidence - attention > 0.005 else ""
    )
    facts = [
        ("confidence", confidence),
        ("tags", ", ".join(record.tags)),
        ("said", time_text(record.valid_from) if record.valid_from and record.valid_from != record.created else ""),
        ("created", f"{time_text(record.created)} by {record.source}"),
        ("updated", time_text(record.updated)),
        ("valid until", day(record.valid_until) if record.valid_until else ""),
        ("session", f"{record.coding_agent}/{record.run_id}" if record.run_id else ""),
        (
            "used",
            f"{plural(record.uses, 'time')}, last {day(record.last_used)}" if record.uses and record.last_used else "",
        ),
        ("evidence", ", ".join(item.reference for item in record.evidence)),
        ("trust", "shared: it came with a repository that you do not trust" if record.is_hearsay else ""),
        ("doubt", kept.doubt),
        ("file", str(kept.path or "none (the history is kept)")),
    ]
    return [(name, value) for name, value in facts if value]


# One noun, several files: its commands are too many for one, and people look for `search` here, too.
from lerim.cli import search, upkeep  # noqa: E402

COMMANDS.all.append(
    replace(search.COMMANDS.all[0], help="The same as lerim search.", example="lerim memory search tokens")
)
COMMANDS.all += upkeep.COMMANDS.all
