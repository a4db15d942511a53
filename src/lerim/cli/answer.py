"""`lerim ask`, `answer`, `chat` and `feedback`: ask the memory, and tell it how good its answers are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lerim.cli.command import Commands, argument, whole_number
from lerim.cli.filters import AS_OF
from lerim.cli.output import CYAN, DIM, Output
from lerim.cli.report import tell_kept
from lerim.context.records import parse_last_moment
from lerim.payloads.answer import AnswerPayload, answer_payload
from lerim.service import Lerim

if TYPE_CHECKING:
    from lerim.answer.conversation import Exchange
    from lerim.answer.pipeline import Answer
    from lerim.context.place import Kept

COMMANDS = Commands()
#: How many sources are listed below an answer.
_SOURCES = 5
FLAGS = (
    AS_OF,
    argument("--limit", type=whole_number, default=3, help="use at most this many memories (default 3)"),
    argument("--explain", action="store_true", help="show how the answer was found, step by step"),
    argument("--embedded", action="store_true", help="compose the answer without a model"),
)
QUESTION = argument("question", nargs="+", metavar="QUESTION", help="what you want to know")


@COMMANDS.add(
    "ask",
    "Answer a question from memory, citing the memories behind each sentence. Says so when nothing answers it.",
    example="lerim ask how many decisions did we make since March?",
    arguments=[QUESTION, *FLAGS],
)
@COMMANDS.add(
    "answer", "The same as ask.", example="lerim answer why did we leave Heroku?", arguments=[QUESTION, *FLAGS]
)
def ask(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    answer = _ask(lerim, " ".join(args.question), (), args)
    out.data(answer_payload(answer, explain=args.explain))
    _tell(answer, out, explain=args.explain)
    if not answer.plan.is_exact:
        from lerim.cli.search import start_helper_for  # Start-up: only who had to search.

        start_helper_for(lerim)


@COMMANDS.add(
    "chat",
    "Ask several questions in a row; each may refer to the one before. An empty line ends the chat.",
    example="lerim chat which database do we use",
    arguments=[argument("question", nargs="*", metavar="QUESTION", help="the first question"), *FLAGS],
)
def chat(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    history: list[Exchange] = []
    payloads: list[AnswerPayload] = []
    for question in _questions(" ".join(args.question), out):
        answer = _ask(lerim, question, tuple(history), args)
        history.append(answer.turn)
        payloads.append(answer_payload(answer, explain=args.explain))
        _tell(answer, out, explain=args.explain)
    out.data(payloads)


@COMMANDS.add(
    "feedback",
    "Mark a memory as useful, wrong or outdated. Adjusts its confidence; nothing is deleted.",
    example="lerim feedback dec-k3v9q2m7xa outdated --note 'we moved to sessions'",
    arguments=[
        argument("id", metavar="ID", help="the memory's id, or the beginning of it"),
        argument(
            "verdict", metavar="VERDICT", choices=["useful", "wrong", "outdated"], help="useful, wrong or outdated"
        ),
        argument("--note", default="", help="why, for the history"),
    ],
)
def feedback(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    before = lerim.memory.find(args.id)
    kept = lerim.feedback(args.id, args.verdict, note=args.note)
    verb = "archived" if before.record.holds and not kept.record.holds else "noted for"
    tell_kept(kept, verb, out)
    out.note(f"confidence {before.record.confidence:.2f} → {kept.record.confidence:.2f}")
    if args.verdict == "outdated":
        out.note(f"if another memory replaces it: lerim memory supersede {kept.record.id} --by ID")


def _ask(lerim: Lerim, question: str, history: tuple[Exchange, ...], args: argparse.Namespace) -> Answer:
    as_of = parse_last_moment(args.as_of, "--as-of") if args.as_of else None
    return lerim.ask(question, as_of=as_of, history=history, limit=max(args.limit, 1), embedded=args.embedded)


def _questions(first: str, out: Output) -> Iterator[str]:
    """The first question, then one per line, until an empty line."""
    if first:
        yield first
    while True:
        if sys.stdin.isatty():
            out.prompt("?")
        line = sys.stdin.readline().strip()
        if not line or line.lower() in ("exit", "quit"):
            return
        yield line


def _mark(kept: Kept) -> str:
    return " (shared: it came with a repository that you do not trust)" if kept.record.is_hearsay else ""


def _tell(answer: Answer, out: Output, *, explain: bool) -> None:
    from lerim.answer.voices import told_by_whom  # Start-up: only who asks needs it.

    out.block(answer.text)
    for kept in answer.sources[:_SOURCES]:
        path = out.style(str(kept.path or ""), DIM)
        title = "" if kept.record.title in answer.text else f"{kept.record.title}, "
        origin = f"{title}{told_by_whom(kept.record)}"
        out.say(f"  {out.style(kept.record.id, CYAN)}  {origin}{_mark(kept)}  {path}")
    if len(answer.sources) > _SOURCES:
        out.say(out.style(f"  and {len(answer.sources) - _SOURCES} more", DIM))
    if answer.dropped:
        count = len(answer.dropped)
        told = "a sentence" if count == 1 else f"{count} sentences"
        out.note(f"{told} of the model left out: no memory cited says so (--explain shows what, and why)")
    if not answer.supported and answer.rejected and not explain:
        nearest = answer.rejected[0].kept.record
        out.note(f"the nearest memory is {nearest.id} '{nearest.title}' (--explain shows why it does not answer this)")
    for line in answer.explained() if explain else ():
        out.say(out.style(f"  {line}", DIM))
