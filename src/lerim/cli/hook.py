"""`lerim hook`: what agents call. `connect/hook.py` answers before this is loaded; people see here what it says."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import Output
from lerim.connect.hook import AGENTS, EVENTS, preview
from lerim.payloads.hook import hook_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "hook",
    "Answer an agent's hook: give the session that starts its brief, and note the one that ends.",
    example="lerim hook session-start --agent claude",
    arguments=[
        argument("event", choices=EVENTS, metavar="EVENT", help=f"what happens: {', '.join(EVENTS)}"),
        argument("--agent", choices=AGENTS, metavar="NAME", required=True, help=f"who calls: {', '.join(AGENTS)}"),
    ],
)
def hook(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    house = lerim.house
    printed = preview(args.event, args.agent, str(house.home), str(house.cwd))
    out.data(hook_payload(args.event, args.agent, printed))
