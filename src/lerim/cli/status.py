"""`lerim status`: the state of the memory, and what to type next."""

from __future__ import annotations

import argparse
from collections import Counter

from lerim.cli.command import Commands
from lerim.cli.output import BOLD, DIM, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.place import PlaceStatus
from lerim.context.records import Primitive, Status
from lerim.payloads.status import status_payload
from lerim.search.health import IndexHealth
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add("status", "Show the state of the memory here, and what to do next.", example="lerim status --json")
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    view = lerim.status()
    out.data(status_payload(view))
    project = str(view.scope.project) if view.scope.project else "none here"
    for name, value in (("project", project), ("scope", str(view.scope.mode)), ("home", str(view.home))):
        out.say(f"{out.style(f'{name:<9}', DIM)}{value}")
    for place in view.places:
        _tell_place(place, out)
    facts = f"{plural(view.record_count, 'record')} in {plural(view.projects, 'project')}"
    out.say(f"{out.style('store    ', DIM)}{facts}")
    _tell_index(view.index, out)
    if view.sessions:
        states = ", ".join(f"{count} {state}" for state, count in view.sessions.items())
        out.say(f"{out.style('sessions ', DIM)}{states}")
    if view.waiting:
        out.say(f"{out.style('review   ', DIM)}{plural(view.waiting, 'candidate')} to decide on: lerim review")
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
    rest = f" ({closed[Status.SUPERSEDED]} superseded, {closed[Status.ARCHIVED]} archived)"
    out.say(f"{out.style('memory   ', DIM)}{view.place.scope}: {', '.join(words)}{rest}")
    if view.problems:
        need = "needs" if view.problems == 1 else "need"
        out.say(out.style(f"         {plural(view.problems, 'file')} {need} attention: lerim memory check", YELLOW))


def _tell_index(health: IndexHealth, out: Output) -> None:
    """One line on what a search can rely on, and the command that improves it."""
    facts = [f"{health.fts:,} of {health.records:,} by words", f"{health.embedded:,} by meaning"]
    if health.lag:
        facts.append(f"{health.lag:,} changed since the last index file")
    out.say(f"{out.style('index    ', DIM)}{health.state}: {', '.join(facts)}")
    if health.reason:
        out.say(out.style(f"         search uses words only: {health.reason}; {health.fix}", YELLOW))
