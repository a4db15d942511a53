"""`lerim status`: the state of the memory, and what to type next."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import BOLD, YELLOW, Output
from lerim.cli.report import plural, waiting_words
from lerim.config.scope import ScopeMode
from lerim.context.place import PlaceStatus
from lerim.context.records import Primitive, Status
from lerim.payloads.status import status_payload
from lerim.search.health import IndexHealth
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.flows.overview import Overview

COMMANDS = Commands()


@COMMANDS.add(
    "status",
    "Show the state of the memory here, and what to do next.",
    example="lerim status --json",
    arguments=[
        argument("--slo", action="store_true", help="show service objectives and whether they are kept, instead"),
    ],
)
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    if args.slo:
        from lerim.cli.objectives import tell_objectives  # Start-up: seldom asked.

        tell_objectives(lerim.objectives(), out)
    else:
        _tell_status(lerim.status(), out)


def _tell_status(view: Overview, out: Output) -> None:
    out.data(status_payload(view))
    out.fact("project", str(view.scope.project) if view.scope.project else "none here")
    for place in view.places:
        _tell_place(place, out)
    if view.waiting.total:
        out.fact("review", waiting_words(view.waiting))
    if view.sessions:
        found = ", ".join(f"{count:,} {state}" for state, count in view.sessions.items())
        out.fact("sessions", f"{found} (of all projects)" if view.projects > 1 else found)
    _tell_index(view.index, out)
    facts = f"{plural(view.record_count, 'record')} in {plural(view.projects, 'project')}"
    usual = view.scope.mode is ScopeMode.PROJECT_FALLBACK_GLOBAL
    out.fact("home", f"{view.home}: {facts}{'' if usual else f', scope {view.scope.mode}'}")
    if view.is_shared:
        out.fact("store", f"{view.store}, shared")
    out.say()
    out.say("next: " + out.style(view.next_steps[0], BOLD))
    for step in view.next_steps[1:]:
        out.say("      " + step)


def _tell_place(view: PlaceStatus, out: Output) -> None:
    holding = Counter({primitive: count for (primitive, state), count in view.counts.items() if state is Status.ACTIVE})
    closed = Counter(dict.fromkeys((Status.SUPERSEDED, Status.ARCHIVED), 0))
    for (_, state), count in view.counts.items():
        closed[state] += count
    words = [plural(holding[primitive], str(primitive)) for primitive in Primitive]
    gone = [f"{closed[state]:,} {state}" for state in (Status.SUPERSEDED, Status.ARCHIVED) if closed[state]]
    rest = f" ({', '.join(gone)})" if gone else ""
    out.fact("memory", f"{view.place.scope}: {', '.join(words)}{rest}")
    if view.problems:
        need = "needs" if view.problems == 1 else "need"
        out.say(out.style(f"         {plural(view.problems, 'file')} {need} attention: lerim memory check", YELLOW))


def _tell_index(health: IndexHealth, out: Output) -> None:
    """One line on what a search can rely on, and the command that improves it."""
    facts = [f"{health.fts:,} of {health.records:,} by words", f"{health.embedded:,} by meaning"]
    if health.lag:
        facts.append(f"{health.lag:,} changed since the last index file")
    out.fact("index", f"{health.state}: {', '.join(facts)}")
    if health.reason:
        out.say(out.style(f"         search uses words only: {health.reason}; {health.fix}", YELLOW))
