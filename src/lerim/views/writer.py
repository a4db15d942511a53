"""A view's lines in a model's words: taken line by line, as far as the memories that a line cites say the same.

What a model may change is how a thing is said. Which lines there are, their order and what each cites is not its to
say; a line that says more than its memories, or the opposite, stays as it was.

Loads pydantic-ai: only who asks a model imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from lerim.context.records import Record, RecordId
from lerim.errors import ModelError
from lerim.lazy_regex import compile_later
from lerim.llm import failure_behind
from lerim.text.backing import Backing
from lerim.views.view import ViewLine
from lerim.views.wording import MAX_REASON, MAX_STATEMENT, one_line, stands_alone

PROMPT = Path(__file__).with_suffix(".md")
RETRIES = 2
#: Characters of a memory's body that are shown.
_SHOWN = 600
# What marks may say that no memory does.
_ALSO = "why because"
# Whose word a line is, at its end: not the model's to say.
_MARKS = compile_later(r"(?: \((?:agent|global)\))+$")


class WordedLine(BaseModel):
    """A line, by its number, said better."""

    number: int
    text: str = Field(min_length=3, max_length=MAX_STATEMENT + MAX_REASON)


class WordedPage(BaseModel):
    """The lines that are said better."""

    lines: list[WordedLine]


def worded(
    lines: Sequence[ViewLine], records: Mapping[RecordId, Record], model: Callable[[], Model]
) -> dict[int, ViewLine]:
    """Lines that a model says better, by their place. Raises ModelError when it gives no answer."""
    # In a thread of its own: whoever asks may be within an event loop.
    with ThreadPoolExecutor(1) as thread:
        page = thread.submit(copy_context().run, asyncio.run, _asked(_task(lines, records), model())).result()
    found = {}
    for one in page.lines:
        line = lines[one.number - 1] if 1 <= one.number <= len(lines) else None
        text = _MARKS.sub("", one_line(one.text)).rstrip(".")
        if line is not None and is_backed(text, [records[cited] for cited in line.records if cited in records]):
            marked = f"{text}{''.join(_MARKS.findall(line.text))}"
            found[one.number - 1] = ViewLine(marked, line.records, line.sessions)
    return found


def is_backed(text: str, cited: Sequence[Record]) -> bool:
    """Whether a line says only what the records say that it cites, and stands alone."""
    # A summary's line says more than its words: that it was left open, and when.
    passages = [f"{record.title}\n{record.body}" for record in cited if record.primitive.is_lesson]
    return bool(passages) and "[" not in text and stands_alone(text) and Backing(passages, _ALSO).gap(text) is None


async def _asked(task: str, model: Model) -> WordedPage:
    agent: Agent[None, WordedPage] = Agent(
        model, output_type=WordedPage, instructions=PROMPT.read_text("utf-8"), retries=RETRIES, name="lerim-brief"
    )
    try:
        return (await agent.run(task, usage_limits=UsageLimits(request_limit=RETRIES + 1))).output
    except (AgentRunError, UserError) as error:
        problem = f"the model gave no usable lines: {error}"
        raise failure_behind(error) or ModelError(problem, hint="lerim models check") from error


def _task(lines: Sequence[ViewLine], records: Mapping[RecordId, Record]) -> str:
    parts = []
    for number, line in enumerate(lines, 1):
        known = [records[cited] for cited in line.records if cited in records]
        told = "\n".join(f"  memory: {one_line(one.title)}. {one_line(one.body)[:_SHOWN]}" for one in known)
        parts.append(f"{number}. {line.text}\n{told}")
    return "\n\n".join(parts)
