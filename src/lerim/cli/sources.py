"""`lerim sources`: which agents are read, and whether their sessions can be found."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, GREEN, YELLOW, Output
from lerim.cli.report import plural
from lerim.cli.sessions import known_agent
from lerim.errors import UsageError
from lerim.payloads.sources import (
    agent_folder_payload,
    agent_payload,
    examined_agent_payload,
    found_agents_payload,
    unread_agent_payload,
)
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.sessions.connections import Health

COMMANDS = Commands()
AGENT = argument("agent", help="the agent's short name: claude, codex, cursor, opencode …")


@COMMANDS.add("auto", "Find the agents on this machine and list their sessions.", example="lerim sources auto")
def auto(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    found = lerim.sessions.discover()
    health = [item for item in lerim.sessions.examine(thoroughly=False) if item.containers]
    out.data(found_agents_payload(health, found))
    for item in health:
        _tell(item, out)
    if not health:
        out.say("no sessions of any agent were found on this machine")
        out.note("lerim sources list shows where Lerim looks; lerim sources add AGENT --path DIR adds a folder")
    else:
        out.say(f"{plural(found.new, 'new session')} found (lerim sessions list, lerim unscoped)")


@COMMANDS.add("list", "List the agents that can be read, and where their sessions are.", example="lerim sources list")
def list_(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    health = lerim.sessions.examine(thoroughly=False)
    out.data([agent_payload(item) for item in health])
    for item in health:
        _tell(item, out)


@COMMANDS.add(
    "add",
    "Read an agent that was removed again, or add another of its folders.",
    example="lerim sources add claude --path /mnt/old-laptop/.claude",
    arguments=[
        AGENT,
        argument("--path", type=Path, help="a folder laid out like the agent's own, or a file of its sessions"),
        argument("--profile", help="how the sessions in it are read (default: as their project's; lerim profile list)"),
    ],
)
def add(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    name, sessions = args.agent, lerim.sessions
    known_agent(sessions, name)
    if sessions.is_disabled(name):
        raise UsageError(
            f"'{name}' is disabled in the settings", hint="take it out of sources.disabled (lerim config show)"
        )
    source = next(source for source in sessions.sources if source.name == name)
    path = args.path.resolve() if args.path else None
    has_sessions = path is not None and any(True for _ in source.containers(path))
    if path is not None and not path.is_dir() and not has_sessions:
        raise UsageError(f"{args.path} is not a folder of {source.title}", hint=f"lerim sources add {name} --path DIR")
    if args.profile and path is None:
        raise UsageError("a profile belongs to a folder", hint=f"lerim sources add {name} --path DIR --profile NAME")
    if args.profile:
        lerim.house.rules.profiles.find(args.profile)
    sessions.connections.add(name, path, args.profile)
    read_as = f" as {args.profile}" if args.profile else ""
    out.say(f"{name} is read{f', also from {args.path}{read_as}' if args.path else ''}")
    if path is not None and not has_sessions:
        out.warn(f"no {name} sessions in {args.path} yet")
    out.data(agent_folder_payload(name, args.path))


@COMMANDS.add(
    "remove",
    "Stop reading an agent. What was already ingested stays; the agent's own files are never touched.",
    example="lerim sources remove cursor",
    arguments=[AGENT],
)
def remove(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    name = args.agent
    known_agent(lerim.sessions, name)
    lerim.sessions.connections.remove(name)
    out.say(f"{name} is no longer read (to read it again: lerim sources add {name})")
    out.data(unread_agent_payload(name))


@COMMANDS.add(
    "doctor",
    "Say for each agent where its sessions are, how many, the last one, and what cannot be read.",
    example="lerim sources doctor",
)
def doctor(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    from lerim.sessions.connections import MOST_EXAMINED  # Start-up: this command alone needs it.

    health = lerim.sessions.examine(thoroughly=True)
    out.data([examined_agent_payload(item) for item in health])
    for item in health:
        _tell(item, out)
        if item.containers or item.problems or not item.enabled:
            last = f", the last one of {item.last[:10]}" if item.last else ""
            out.say(f"          {plural(item.sessions or 0, 'session')}{last}: {out.style(item.command or '', DIM)}")
    if any(not item.containers for item in health):
        out.note("an agent's sessions lie elsewhere? lerim sources add AGENT --path DIR")
    problems = sum(len(item.problems) for item in health)
    is_all = all((item.sessions or 0) <= MOST_EXAMINED for item in health)
    sound = "everything found can be read" if is_all else f"the newest {MOST_EXAMINED} sessions of each can be read"
    out.say(sound if not problems else f"{plural(problems, 'problem')} found")
    return 1 if problems else 0


def _tell(item: Health, out: Output) -> None:
    if not item.enabled:
        state = out.style(f"{'not read':<12}", YELLOW)
    else:
        state = out.style(f"{plural(item.containers, 'file'):<12}", GREEN if item.containers else DIM)
    places = [str(root) for root in (item.roots if item.containers else item.searched)]
    more = f" and {len(places) - 2} more" if len(places) > 2 else ""
    looked = "looked in " if places else f"has no place of its own: lerim sources add {item.source.name} --path DIR"
    place = ("" if item.containers else looked) + ", ".join(places[:2]) + more
    out.say(f"{item.source.name:<10}{state}{out.style(place, DIM)}")
    for problem in item.problems:
        out.say(f"          {out.style(problem, YELLOW)}")
