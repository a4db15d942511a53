"""`lerim completion`: the script that teaches a shell to complete commands, flags and ids."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import Output
from lerim.payloads.setup import completion_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "completion",
    "Print the tab completion script for your shell; source it from the shell's start-up file.",
    example='eval "$(lerim completion bash)"',
    arguments=[argument("shell", choices=["bash", "zsh", "fish"], help="your shell")],
)
def completion(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    from argcomplete.shell_integration import shellcode  # Start-up: only this command writes shell code.

    script = shellcode(["lerim"], shell=args.shell)
    out.block(script)
    out.data(completion_payload(args.shell, script))
