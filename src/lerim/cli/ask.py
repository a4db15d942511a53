"""`lerim ask`: a question to the memory, answered from it. `answer` is the same command."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import CYAN, DIM, Output
from lerim.service import Lerim

COMMANDS = Commands()
QUESTION = argument("question", nargs="+", metavar="QUESTION", help="what you want to know")


@COMMANDS.add(
    "ask", "Answer a question from the memory, citing it.", example="lerim ask why JWT?", arguments=[QUESTION]
)
@COMMANDS.add("answer", "The same as ask.", example="lerim answer why JWT?", arguments=[QUESTION])
def ask(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    answer = lerim.ask(" ".join(args.question))
    out.data(answer.payload())
    out.say(answer.text)
    for source in answer.sources:
        out.say(f"  {out.style(source.record_id, CYAN)}  {source.title}  {out.style(source.path or '', DIM)}")
