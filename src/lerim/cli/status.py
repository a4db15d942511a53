"""`lerim status`: how the memory stands, and what to type next."""

from __future__ import annotations

import argparse
from collections import Counter

from lerim.cli.command import Commands
from lerim.cli.output import BOLD, DIM, YELLOW, Output
from lerim.cli.report import plural
from lerim.context.memory import PlaceStatus
from lerim.context.records import Primitive, Status
from lerim.service import Lerim, Overview

COMMANDS = Commands()


@COMMANDS.add("status", "How the memory stands here, and what to do next.", example="lerim status --json")
def status(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    view = lerim.status()
    out.data(_json(view))
    project = str(view.scope.project) if view.scope.project else "none here"
    for name, value in (("project", project), ("scope", str(view.scope.mode)), ("home", str(view.home))):
        out.say(f"{out.style(f'{name:<9}', DIM)}{value}")
    for place in view.places:
        _tell_place(place, out)
    index = "fresh" if view.record_count == view.fts_count else "stale"
    facts = f"{plural(view.record_count, 'record')} in {plural(view.projects, 'project')}, text index {index}"
    out.say(f"{out.style('store    ', DIM)}{facts}")
    if view.sessions:
        told = ", ".join(f"{count} {state}" for state, count in view.sessions.items())
        out.say(f"{out.style('sessions ', DIM)}{told}")
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
        out.say(out.style(f"         {plural(view.problems, 'file')} {need} a look: lerim memory check", YELLOW))


def _json(view: Overview) -> dict[str, object]:
    return {
        "home": str(view.home),
        "project": str(view.scope.project) if view.scope.project else None,
        "scope": str(view.scope.mode),
        "places": [
            {
                "scope": place.place.scope,
                "root": str(place.place.project.root),
                "records": {f"{primitive}.{state}": count for (primitive, state), count in place.counts.items()},
                "problems": place.problems,
            }
            for place in view.places
        ],
        "projects": view.projects,
        "record_count": view.record_count,
        "fts_count": view.fts_count,
        "sessions": view.sessions,
        "review": view.waiting,
        "next": view.next_steps,
    }
