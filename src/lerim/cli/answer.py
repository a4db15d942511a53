"""`lerim ask`, `answer`, `chat` and `feedback`: questions to the memory, and a word back on what it said."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument
from lerim.cli.memory import AS_OF
from lerim.cli.output import BOLD, CYAN, DIM, Output
from lerim.cli.report import tell_kept
from lerim.context.records import parse_last_moment
from lerim.payloads.answer import AnswerPayload, answer_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.answer.conversation import Exchange
    from lerim.answer.pipeline import Answer

COMMANDS = Commands()
#: Sources that are named below an answer.
_SOURCES = 5
FLAGS = (
    AS_OF,
    argument("--limit", type=int, default=3, help="tell of so many memories at most (default 3)"),
    argument("--explain", action="store_true", help="say how the answer was found, step by step"),
    argument("--embedded", action="store_true", help="put the answer together without a model"),
)
QUESTION = argument("question", nargs="+", metavar="QUESTION", help="what you want to know")


@COMMANDS.add(
    "ask",
    "Answer a question from the memory, each sentence citing the memories it rests on. Says so when nothing does.",
    example="lerim ask how many decisions did we make since March?",
    arguments=[QUESTION, *FLAGS],
)
@COMMANDS.add(
    "answer", "The same as ask.", example="lerim answer why did we leave Heroku?", arguments=[QUESTION, *FLAGS]
)
def ask(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    told = _ask(lerim, " ".join(args.question), (), args)
    out.data(answer_payload(told, explain=args.explain))
    _tell(told, out, explain=args.explain)


@COMMANDS.add(
    "chat",
    "Ask one question after the other; each may refer to the one before. Ends with an empty line.",
    example="lerim chat which database do we use",
    arguments=[argument("question", nargs="*", metavar="QUESTION", help="the first question"), *FLAGS],
)
def chat(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    history: list[Exchange] = []
    payloads: list[AnswerPayload] = []
    for question in _questions(" ".join(args.question), out):
        told = _ask(lerim, question, tuple(history), args)
        history.append(told.turn)
        payloads.append(answer_payload(told, explain=args.explain))
        _tell(told, out, explain=args.explain)
    out.data(payloads)


@COMMANDS.add(
    "feedback",
    "Say of a memory that it was useful, is wrong, or is outdated. Corrects its confidence; nothing is deleted.",
    example="lerim feedback dec-k3v9q2m7xa outdated --note 'we moved to sessions'",
    arguments=[
        argument("id", metavar="ID", help="which memory; the beginning of its id will do"),
        argument(
            "verdict", metavar="VERDICT", choices=["useful", "wrong", "outdated"], help="useful, wrong or outdated"
        ),
        argument("--note", default="", help="why, for the history"),
    ],
)
def feedback(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    before = lerim.memory.find(args.id)
    kept = lerim.feedback(args.id, args.verdict, note=args.note)
    verb = "put away" if before.record.holds and not kept.record.holds else "noted for"
    tell_kept(kept, verb, out)
    out.note(f"confidence {before.record.confidence:.2f} → {kept.record.confidence:.2f}")
    if args.verdict == "outdated":
        out.note(f"when another memory holds instead: lerim memory supersede {kept.record.id} --by ID")


def _ask(lerim: Lerim, question: str, history: tuple[Exchange, ...], args: argparse.Namespace) -> Answer:
    as_of = parse_last_moment(args.as_of, "--as-of") if args.as_of else None
    return lerim.ask(question, as_of=as_of, history=history, limit=max(args.limit, 1), embedded=args.embedded)


def _questions(first: str, out: Output) -> Iterator[str]:
    """The first question, then a line each; nothing more once a line is empty."""
    if first:
        yield first
    while True:
        if sys.stdin.isatty():
            sys.stderr.write(out.style("? ", BOLD, sys.stderr) if out.is_terminal else "? ")
            sys.stderr.flush()
        line = sys.stdin.readline().strip()
        if not line or line.lower() in ("exit", "quit"):
            return
        yield line


def _tell(told: Answer, out: Output, *, explain: bool) -> None:
    out.say(told.text)
    for kept in told.sources[:_SOURCES]:
        out.say(f"  {out.style(kept.record.id, CYAN)}  {kept.record.title}  {out.style(str(kept.path or ''), DIM)}")
    if len(told.sources) > _SOURCES:
        out.say(out.style(f"  and {len(told.sources) - _SOURCES} more", DIM))
    if not told.supported and told.rejected and not explain:
        nearest = told.rejected[0].kept.record
        out.note(f"the nearest memory is {nearest.id} '{nearest.title}' (--explain says why it is no answer)")
    for line in told.explained() if explain else ():
        out.say(out.style(f"  {line}", DIM))
