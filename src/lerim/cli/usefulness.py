"""`lerim usefulness` and `lerim replay`: whether handing out memories helps, and what it would have spared."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, CYAN, DIM, GREEN, YELLOW, Output
from lerim.cli.report import plural
from lerim.errors import Conflict, LerimError, NotFound, UsageError
from lerim.payloads.usefulness import replay_payload, usefulness_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.runtime.replay import ReplayedPoint, ReplayedSession, ReplayScore
    from lerim.sessions.served import Usefulness
    from lerim.sessions.session import Session

COMMANDS = Commands()
#: Memories named one by one; `--json` has all of them.
_MOST = 10


@COMMANDS.add(
    "usefulness",
    "Show whether the memories given to sessions were followed, and what had to be said again.",
    example="lerim usefulness",
    arguments=[argument("--all", action="store_true", help="of all projects on this machine (default: of this one)")],
)
def usefulness(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.serving.usefulness(everywhere=args.all)
    titles = _titles(lerim, (one.record for one in found.memories))
    out.data(usefulness_payload(found, titles))
    if out.as_json:
        return
    if not found.sessions:
        out.say("no session was given a memory yet")
        out.note("next: lerim connect")
        return
    _tell_sums(found, out)
    used = [one for one in found.memories if one.followed]
    for one in used[:_MOST]:
        out.say(
            f"  {out.style(one.record, CYAN)}  {titles.get(one.record, '')}  (followed {one.followed} of {one.given})"
        )
    if found.never_used:
        out.say(out.style("never used, though given to several sessions", BOLD))
        for record in found.never_used[:_MOST]:
            out.say(f"  {out.style(record, CYAN)}  {titles.get(record, '')}")
    if found.said_again:
        out.say(out.style("said again although a memory said it", BOLD))
    for repeat in found.said_again[:_MOST]:
        given = "" if repeat.is_given else "  (it was not given)"
        where = out.style(f"{repeat.session}#L{repeat.line}", DIM)
        out.say(f"  {out.style(repeat.record, CYAN)}  {titles.get(repeat.record, '')}  {where}{given}")


def _tell_sums(found: Usefulness, out: Output) -> None:
    waiting = found.sessions - found.judged
    out.say(
        f"{plural(found.sessions, 'session')} {'was' if found.sessions == 1 else 'were'} given memories"
        + (f"; {waiting} of them {'was' if waiting == 1 else 'were'} not read yet" if waiting else "")
    )
    if found.judged:
        facts = [f"{found.followed} followed", f"{found.ignored} ignored", f"{found.contradicted} contradicted"]
        out.say(out.style(" · ".join(facts), BOLD))
        each = found.tokens_per_useful
        price = f", {each:,.0f} for each memory that was followed" if each is not None else ""
        out.say(f"about {found.tokens:,} tokens were given{price}")


def _titles(lerim: Lerim, records: Iterable[str]) -> dict[str, str]:
    found = {}
    for record in records:
        with suppress(NotFound, Conflict):
            found[record] = lerim.memory.find(record).record.title
    return found


@COMMANDS.add(
    "replay",
    "Show what the brief would have said before a session, and which errors and corrections it would have prevented.",
    example="lerim replay --all",
    arguments=[
        argument("session", nargs="?", metavar="SESSION", help="agent/run_id, or the beginning of the run id"),
        argument(
            "--all", action="store_true", help="all sessions of the project here that were read, or of all projects"
        ),
        argument("--project", metavar="NAME", help="with --all: of this project"),
    ],
)
def replay(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from lerim.runtime.replay import scores  # Start-up: the pages of all commands load this module.

    if (args.session is None) == (not args.all):
        raise UsageError("name a session, or --all", hint="lerim replay --all, or: lerim sessions list")
    if args.project and not args.all:
        raise UsageError("--project goes with --all", hint=f"lerim replay --all --project {args.project}")
    chosen = _chosen(lerim, args)
    replayed, skipped = _replayed(lerim, chosen, out)
    found = scores(replayed)
    out.data(replay_payload(replayed, found, skipped))
    if out.as_json:
        return
    for one in replayed:
        _tell_session(one, out, with_brief=not args.all)
    for score in found if args.all else ():
        _tell_score(score, out)
    for reason in skipped:
        out.warn(reason)
    if not replayed and not skipped:
        out.say("no session was read yet")
        out.note("next: lerim sync")


def _chosen(lerim: Lerim, args: argparse.Namespace) -> list[Session]:
    if args.session is not None:
        lerim.sessions.discover()
        return [lerim.sessions.find(args.session)]
    root = lerim.house.project_root
    here = lerim.project(args.project) if args.project else lerim.projects.at(root) if root else None
    listed = lerim.sessions.queue.list(project_id=here.id if here else None)
    return [session for session in listed if session.turns and session.project_root]


def _replayed(lerim: Lerim, chosen: list[Session], out: Output) -> tuple[list[ReplayedSession], list[str]]:
    """Those that can be replayed, and why the others cannot."""
    replayed, skipped = [], []
    for done, session in enumerate(chosen):
        out.progress("replaying sessions", done, len(chosen))
        try:
            one = lerim.serving.replay(session)
        except LerimError as error:
            if len(chosen) == 1:
                raise
            skipped.append(f"{session.name}: {error.message}")
            continue
        if one is None:
            skipped.append(f"{session.name}: it does not say when it began")
        else:
            replayed.append(one)
    return replayed, skipped


def _tell_session(one: ReplayedSession, out: Output, *, with_brief: bool) -> None:
    if with_brief:
        out.block(one.brief)
        out.say("")
    outcome = f"{one.prevented} of {len(one.points)} prevented" if one.points else "nothing went wrong"
    out.say(f"{out.style(one.session, CYAN)}  {one.title}  {out.style(f'({outcome})', BOLD)}")
    for point in one.points:
        out.say(_line(point, out))


def _line(point: ReplayedPoint, out: Output) -> str:
    mark = out.style("+", GREEN) if point.record else out.style("-", YELLOW)
    by = f"  {out.style(point.record, CYAN)}" if point.record else ""
    return f"  {mark} {out.style(f'L{point.line}', DIM)}  {point.text}{by}"


def _tell_score(score: ReplayScore, out: Output) -> None:
    name = score.project.name if score.project else "global"
    share = "nothing went wrong" if score.share is None else f"{score.share:.0%} prevented"
    parts = (
        f"{score.corrections_prevented} of {plural(score.corrections, 'correction')}",
        f"{score.errors_prevented} of {plural(score.errors, 'error')}",
    )
    out.say(f"{out.style(name, BOLD)}  {share}  ({', '.join(parts)}; {plural(score.sessions, 'session')})")
