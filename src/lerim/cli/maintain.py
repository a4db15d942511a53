"""`lerim maintain`: keep the memory true. `curate` is the same command."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands
from lerim.cli.output import BOLD, DIM, Output
from lerim.payloads.runs import maintain_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add("maintain", "Merge what is said twice, archive what has faded.", example="lerim maintain --json")
@COMMANDS.add("curate", "The same as maintain.", example="lerim curate")
def maintain(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    results = lerim.maintain()
    out.data(maintain_payload(results))
    if not results:
        out.say("there is no memory here yet (lerim sync)")
    for result in results:
        done = [f"{count} {name}" for name, count in result.counts.items() if count and name != "unchanged"]
        out.say(f"{out.style(', '.join(done) or 'nothing to do', BOLD)}  {out.style(result.run_id, DIM)}")
        for written in result.written:
            out.say(f"  {written.action:<8} {written.record_id}  {written.title}")
        if result.notice:
            out.warn(result.notice)
