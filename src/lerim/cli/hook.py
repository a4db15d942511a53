"""`lerim hook`: what agents call. Declared here for those who read; `connect/hook.py` answers before this is loaded."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import Output
from lerim.connect.hook import AGENTS, EVENTS, run_hook
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
def hook(lerim: Lerim, args: argparse.Namespace, out: Output) -> int:
    return run_hook([args.event, "--agent", args.agent])
