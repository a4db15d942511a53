"""`lerim maintain`: merge duplicates and archive what has faded. `curate` is the same command."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands
from lerim.cli.output import BOLD, DIM, Output
from lerim.payloads.runs import maintain_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "maintain", "Merge duplicates and archive what has faded. Nothing is deleted.", example="lerim maintain --json"
)
@COMMANDS.add("curate", "The same as maintain.", example="lerim curate")
def maintain(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    results = lerim.maintain()
    out.data(maintain_payload(results))
    if not results:
        out.say("no memories here yet (lerim sync)")
    for result in results:
        done = [f"{count} {name}" for name, count in result.counts.items() if count and name != "unchanged"]
        out.say(f"{out.style(', '.join(done) or 'nothing to do', BOLD)}  {out.style(result.run_id, DIM)}")
        for written in result.written:
            out.say(f"  {written.action:<8} {written.record_id}  {written.title}")
        if result.notice:
            out.warn(result.notice)
