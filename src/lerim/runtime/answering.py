"""An answer written by the model that leads: it is shown what was retrieved, and may look further with read-only tools.

What it says is judged by what it may rest on (lerim.answer.grounds): a sentence that does not hold is sent back with
the reason, and is not shown when it comes again. Loads pydantic-ai: only who answers with a model imports this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import ModelMessage, ToolReturnPart

from lerim.answer.grounds import Claim, Grounds, ids_in
from lerim.answer.retrieval import CitedRecord
from lerim.answer.wanted import began
from lerim.context.place import Kept, Place
from lerim.context.records import Record
from lerim.llm import Spending
from lerim.runtime.bounds import explorer_model, step_seconds
from lerim.runtime.deps import RunDeps
from lerim.runtime.driving import build_agent, drive, run_limits
from lerim.runtime.failing import failing
from lerim.runtime.holdings import Holdings
from lerim.runtime.rooms import Rooms
from lerim.runtime.roots import Roots
from lerim.runtime.tools import tools_of
from lerim.runtime.wire import AskTask, ShownMemory

_MOST_BODY = 4_000
#: Searches that a question may take besides the steps of the lead.
_SEARCHES = 4


class CitedSentence(BaseModel):
    """One sentence, and the ids of the memories that say it."""

    text: str = Field(min_length=1, max_length=1_000)
    ids: list[str] = Field(min_length=1, max_length=12)


class AnswerDraft(BaseModel):
    """The answer. No sentences when no memory answers the question."""

    sentences: list[CitedSentence] = Field(default_factory=list, max_length=12)

    @property
    def claims(self) -> list[Claim]:
        return [Claim(sentence.text, tuple(sentence.ids)) for sentence in self.sentences]


@dataclass(frozen=True)
class LeadWriter:
    """Writes answers with the model of the lead role and those of `ask`'s tools that it is given."""

    rooms: Rooms
    #: The places that may be read and what each keeps, the preferred one first.
    kept: tuple[tuple[Place, Holdings], ...]
    roots: Roots
    tools: tuple[str, ...]

    def __call__(self, question: str, grounds: Grounds) -> list[Claim]:
        """What the model says, with what it found added to the grounds. Raises RunFailed when it gave no answer."""
        if not grounds.retrieved and not (self.tools and not all(holdings.is_empty for _, holdings in self.kept)):
            return []
        task = AskTask(question=question, memories=tuple(map(_shown, grounds.retrieved)))
        models = self.rooms.models
        with failing(None):
            spending = self._spending()
            explorer = explorer_model(models, spending)
            holdings = tuple(holdings for _, holdings in self.kept)
            steps = models.role("explorer").max_iterations
            deps = RunDeps(self.roots, holdings, explorer, steps, tracing=self.rooms.tracing)
            model, limits = models.model("lead", spending), run_limits(models, extra=_SEARCHES)
            return drive(self._agent(grounds), model, task, deps, limits, models).claims

    def _agent(self, grounds: Grounds) -> Agent[Any, AnswerDraft]:
        seconds, tools = step_seconds(self.rooms.models), tools_of("ask", self.tools)
        agent = build_agent("ask", tools, AnswerDraft, seconds, self.rooms.tracing)

        @agent.output_validator
        async def judged(ctx: RunContext[RunDeps], draft: AnswerDraft) -> AnswerDraft:
            grounds.add(self._found(ctx.messages))
            problems = [problem for claim in draft.claims if (problem := grounds.problem(claim)) is not None]
            # Said again, it is left out by whoever asked: what holds of the answer is not lost with it.
            if problems and not ctx.last_attempt:
                ctx.deps.last_refusal = problems[0]
                raise ModelRetry(" ".join((*problems, "Use the memories' own words, or leave the sentence out.")))
            return draft

        return agent

    def _found(self, messages: Sequence[ModelMessage]) -> Iterator[Kept]:
        """The records that tools returned, as the store knows them."""
        parts = (part for message in messages for part in message.parts)
        texts = (part.model_response_str() for part in parts if isinstance(part, ToolReturnPart))
        for record_id in dict.fromkeys(name for text in texts for name in ids_in(text)):
            for place, holdings in self.kept:
                if (record := holdings.find(record_id)) is not None:
                    yield Kept(record, place)
                    break

    def _spending(self) -> Spending:
        run_id = f"ask-{self.rooms.clock():%Y%m%d-%H%M%S}-{self.rooms.random(3).hex()}"
        return Spending(run_id, self.kept[0][0].project.id)


def _shown(item: CitedRecord) -> ShownMemory:
    """A record as a model sees it, with what it replaced."""
    replaced = tuple(_as_shown(old, until=_until(old)) for old in item.before)
    return _as_shown(item.kept.record, replaced=replaced or None)


def _as_shown(
    record: Record, *, until: str | None = None, replaced: tuple[ShownMemory, ...] | None = None
) -> ShownMemory:
    day, body = f"{began(record):%Y-%m-%d}", record.body[:_MOST_BODY]
    return ShownMemory(id=record.id, date=day, until=until, title=record.title, body=body, replaced=replaced)


def _until(record: Record) -> str:
    return f"{record.valid_until:%Y-%m-%d}" if record.valid_until else ""
