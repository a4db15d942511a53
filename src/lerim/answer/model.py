"""An answer worded by a model: typed, and refused when it cites what was not retrieved.

Loads pydantic-ai: only who answers with a model imports this module.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.exceptions import AgentRunError, UnexpectedModelBehavior, UserError
from pydantic_ai.models import Model

from lerim.answer.compose import Sentence, cite
from lerim.answer.retrieval import CitedRecord
from lerim.answer.wanted import began
from lerim.context.records import Record, RecordId
from lerim.errors import AnswerRefused, LerimError

#: How often an answer that does not hold may be given again.
RETRIES = 2
_MOST_BODY = 4_000
_PROMPT = Path(__file__).with_suffix(".md")
_ID = re.compile(r"\b(?:dec|lrn|sum)-[a-z0-9]{3,32}\b")


class CitedSentence(BaseModel):
    """One sentence, and the ids of the memories that say it."""

    text: str = Field(min_length=1, max_length=1_000)
    ids: list[str] = Field(min_length=1, max_length=12)


class AnswerDraft(BaseModel):
    """The answer. No sentences when no memory answers the question."""

    sentences: list[CitedSentence] = Field(default_factory=list, max_length=12)


def write(question: str, retrieved: Sequence[CitedRecord], model: Model, *, retries: int = RETRIES) -> list[Sentence]:
    """The sentences a model makes of what was retrieved; none when it finds no answer there.

    Raises AnswerRefused when it keeps citing what was not retrieved, and the model's own error when it cannot be asked.
    """
    allowed = {record.id for told in retrieved for record in (told.kept.record, *told.before)}
    agent = Agent(model, output_type=AnswerDraft, instructions=_PROMPT.read_text("utf-8"), retries=retries)

    @agent.output_validator
    def check(written: AnswerDraft) -> AnswerDraft:
        if problem := problem_of(written, allowed):
            raise ModelRetry(problem)
        return written

    try:
        # Not run_sync, which leaves its event loop open.
        written = asyncio.run(agent.run(_prompt(question, retrieved))).output
    except (AgentRunError, UserError) as error:
        raise _told(error) from error
    return [_sentence(said) for said in written.sentences]


def problem_of(written: AnswerDraft, allowed: set[RecordId]) -> str | None:
    """Why an answer cannot be taken, in words for the model; None when every citation was retrieved."""
    for said in written.sentences:
        named = [*said.ids, *_ID.findall(said.text)]
        unknown = [name for name in named if name not in allowed]
        if unknown:
            return f"{', '.join(unknown)} is not among the memories. Cite only: {', '.join(sorted(allowed))}."
    return None


def _prompt(question: str, retrieved: Sequence[CitedRecord]) -> str:
    # JSON on one line each: a memory cannot end the list, whatever it says.
    lines = [json.dumps(_shown(told), ensure_ascii=False) for told in retrieved]
    return "\n".join((f"Question: {json.dumps(question, ensure_ascii=False)}", "Memories:", *lines))


def _shown(told: CitedRecord) -> dict[str, object]:
    shown = _fields(told.kept.record)
    if told.before:
        shown["replaced"] = [{**_fields(old), "until": _day(old)} for old in told.before]
    return shown


def _fields(record: Record) -> dict[str, object]:
    return {
        "id": record.id,
        "date": f"{began(record):%Y-%m-%d}",
        "title": record.title,
        "body": record.body[:_MOST_BODY],
    }


def _day(record: Record) -> str:
    return f"{record.valid_until:%Y-%m-%d}" if record.valid_until else ""


def _sentence(said: CitedSentence) -> Sentence:
    ids = tuple(RecordId(name) for name in dict.fromkeys(said.ids))
    return Sentence(f"{said.text.rstrip('. ')} {cite(ids)}.", ids)


def _told(error: BaseException) -> LerimError:
    """The error people see: ours when there is one behind it, else that the answer was refused."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, LerimError):
            return inner
        inner = inner.__cause__ or inner.__context__
    if isinstance(error, UnexpectedModelBehavior):
        why = "the model kept citing memories that were not retrieved, or gave no answer of the right shape"
        return AnswerRefused(f"answer refused: {why}", hint="ask without a model: lerim ask --embedded QUESTION")
    return AnswerRefused(f"the model could not be asked: {error}", hint="lerim models check")
