"""The engine that reads sheets with a model of any provider: one request a sheet, one more that merges several.

Loads pydantic-ai: only who reads with a model imports this module.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from pydantic_ai import Agent, ModelRetry, RunContext, TextOutput, ToolOutput
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from lerim.config.profiles import Profile, coding_profile, profile_of_trace
from lerim.config.settings import Provider
from lerim.errors import ModelError, ModelUnavailable
from lerim.ingest.findings import Act, Candidate, Digest, Finding, Proposal, Rejection
from lerim.ingest.prompts import prompt_file, prompt_text
from lerim.ingest.reader.answer import (
    Importance,
    MemoryAnswer,
    MemoryType,
    MergeAnswer,
    MergedMemory,
    SheetAnswer,
    StoryAnswer,
    json_schema,
    parsed,
)
from lerim.ingest.reader.wording import SheetWording
from lerim.ingest.rendering import fenced
from lerim.ingest.sheet.making import beside, sheets
from lerim.ingest.sheet.page import NearRecord, Sheet, SheetUnit, clip
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import Window
from lerim.llm import failure_behind
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation

#: Sheets that are read at the same time.
AT_ONCE = 3
#: An answer that cannot be read, or says what nobody said, is given again once.
_REPAIRS = 1
_MAX_PROBLEMS = 10
#: So much is shown of the words that a part's memory rests on.
_SHOWN = 240
_CHECK = "lerim models check"
#: Servers that take a JSON schema with a request, in OpenAI's form.
_WITH_SCHEMA = frozenset(
    map(str, (Provider.OPENAI, Provider.OPENAI_COMPATIBLE, Provider.OPENROUTER, Provider.OLLAMA, Provider.ZAI))
)
#: How a server says that it does not.
_NO_SCHEMA = re.compile(r"\((?:400|404|405|415|422|501)\)")
_ACTS = {
    MemoryType.DECISION: Act.DECISION,
    MemoryType.PREFERENCE: Act.PREFERENCE,
    MemoryType.PROCEDURE: Act.PROCEDURE,
    MemoryType.PITFALL: Act.CAUSE,
    MemoryType.INSIGHT: Act.FACT,
    MemoryType.FRICTION: Act.FACT,
}
_STRENGTH = {Importance.MUST: 0.95, Importance.SHOULD: 0.75, Importance.NICE: 0.5}

_Answer = TypeVar("_Answer", SheetAnswer, MergeAnswer)
_T = TypeVar("_T")


def no_records(made: Sequence[Sheet]) -> Sequence[NearRecord]:
    """Nothing is known yet."""
    return ()


@dataclass(frozen=True)
class SheetReading:
    """What a reader made of a session: memories, what was refused, and the story."""

    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejection, ...]
    findings: tuple[Finding, ...]
    story: StoryAnswer
    wording: SheetWording


class SheetReader:
    """An `Engine` that asks a model. `model_for` gives the model of a role: "extract" or "summarize".

    It is asked for a new one at each step, since a model's connections belong to one event loop. When both roles have
    the same model (`is_one_model`), the summary comes with the memories and costs no request.
    """

    name = "model"

    def __init__(
        self,
        model_for: Callable[[str], Model],
        *,
        known_for: Callable[[Sequence[Sheet]], Sequence[NearRecord]] = no_records,
        is_one_model: bool = True,
        tracing: Tracing | None = None,
        profile_for: Callable[[str | None], Profile] = profile_of_trace,
    ) -> None:
        self._model_for = model_for
        self._profile_for = profile_for
        self._known_for = known_for
        self._is_one_model = is_one_model
        self._tracing = tracing
        self._sent: dict[str, str] = {}
        self._has_schemas = True
        self._profile = coding_profile()
        self._sheets: tuple[Transcript, tuple[Sheet, ...]] | None = None
        self._last: tuple[Transcript, str, SheetReading] | None = None
        #: What all requests so far have used.
        self.usage = RunUsage()

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """The prompts that were sent, by file and SHA-256, for the run's evidence."""
        return tuple(self._sent.items())

    def prepare(self, transcript: Transcript) -> None:
        """Lay the session out on sheets, and look up what is known beside them.

        To be called where the memory may be read: a database's connection belongs to one thread, and a model is
        waited for in another.
        """
        made = sheets(transcript)
        self._sheets = transcript, beside(made, self._known_for(made))

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What the session taught. Raises ModelError."""
        return list(self._read(transcript, "extract", guidance).findings)

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """The memories whose findings passed, as candidates; and what was refused."""
        reading = self._read(transcript, "extract", guidance)
        passed = {finding.statement for finding in findings}
        kept = tuple(one for one in reading.candidates if " ".join(one.title.split()) in passed)
        return Proposal(kept, reading.rejected)

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """The summary that came with the memories, or one of the role's own model. Raises ModelError."""
        role = "extract" if self._is_one_model and self._was_read(transcript, "extract") else "summarize"
        reading = self._read(transcript, role, guidance)
        return reading.wording.digest(reading.story)

    # --- one session ---

    def _was_read(self, transcript: Transcript, role: str) -> bool:
        return self._last is not None and self._last[0] is transcript and self._last[1] == role

    def _read(self, transcript: Transcript, role: str, guidance: str) -> SheetReading:
        if self._last is None or not self._was_read(transcript, role):
            self._last = transcript, role, self._reading(transcript, role, guidance)
        return self._last[2]

    def _reading(self, transcript: Transcript, role: str, guidance: str) -> SheetReading:
        if self._sheets is None or self._sheets[0] is not transcript:
            self.prepare(transcript)
        assert self._sheets is not None
        made = self._sheets[1]
        units = {number: unit for sheet in made for number, unit in sheet.units.items()}
        wording = SheetWording(transcript, units, {near.id: near for near in made[0].known})
        self._profile = self._profile_for(transcript.header.profile)
        answer = _ran(self._answer(self._model_for(role), made, guidance, wording)) if units else SheetAnswer()
        found = [(memory, wording.candidate(memory)) for memory in answer.memories]
        return SheetReading(
            tuple(one for _, one in found if isinstance(one, Candidate)),
            tuple(one for _, one in found if isinstance(one, Rejection)),
            tuple(_finding(memory, one) for memory, one in found if isinstance(one, Candidate)),
            answer.summary,
            wording,
        )

    async def _answer(self, model: Model, made: Sequence[Sheet], guidance: str, wording: SheetWording) -> SheetAnswer:
        def judge(answer: SheetAnswer) -> list[str]:
            return [problem for memory in answer.memories for problem in wording.problems(memory)]

        tasks = [_task(fenced(sheet.text(), "sheet"), guidance) for sheet in made]
        asked = [partial(self._ask, model, "reader", task, SheetAnswer, judge) for task in tasks]
        answers = await _in_order(asked, AT_ONCE)
        return answers[0] if len(answers) == 1 else await self._merged(model, answers, guidance, wording)

    async def _merged(
        self, model: Model, answers: Sequence[SheetAnswer], guidance: str, wording: SheetWording
    ) -> SheetAnswer:
        """One list and one summary of what the parts gave."""
        memories = [memory for answer in answers for memory in answer.memories]
        told = [_told(memory, wording.cited(memory)) for memory in memories]
        task = _task(fenced(_listed(told, [answer.summary for answer in answers]), "parts"), guidance)
        merged = await self._ask(model, "reader_merge", task, MergeAnswer, lambda answer: [])
        kept = [_sourced(one, memories) for one in merged.memories]
        return SheetAnswer(memories=[one for one in kept if one is not None], summary=merged.summary)

    # --- one request ---

    async def _ask(
        self, model: Model, prompt: str, task: str, answer: type[_Answer], judge: Callable[[_Answer], list[str]]
    ) -> _Answer:
        """One request; one more when the answer cannot be read or says what nobody said. Raises ModelError."""
        if self._has_schemas and model.system in _WITH_SCHEMA:
            try:
                return await self._asked(model, prompt, task, answer, judge, with_schema=True)
            except ModelUnavailable as error:
                if not _NO_SCHEMA.search(error.message):
                    raise
                self._has_schemas = False
        return await self._asked(model, prompt, task, answer, judge, with_schema=False)

    async def _asked(
        self,
        model: Model,
        prompt: str,
        task: str,
        answer: type[_Answer],
        judge: Callable[[_Answer], list[str]],
        *,
        with_schema: bool,
    ) -> _Answer:
        text = prompt_text(prompt, self._profile)
        digest = sha256(text.encode()).hexdigest()
        sent = SendingNotes(lambda ctx: self._sent.update({prompt_file(prompt): digest}))
        written: Any = TextOutput(_reader_of(answer))
        agent: Agent[None, Any] = Agent(
            model,
            output_type=written if with_schema else [ToolOutput(answer, name="final_result"), written],
            instructions=text,
            model_settings=_schema_settings(answer) if with_schema else None,
            retries=_REPAIRS,
            name=f"lerim-{prompt}",
            capabilities=[sent, *instrumentation(self._tracing)],
        )
        first: list[_Answer] = []
        agent.output_validator(_judged_by(judge, first))
        try:
            run = await agent.run(task, usage_limits=UsageLimits(request_limit=_REPAIRS + 1))
        except (AgentRunError, UserError) as error:
            if first and failure_behind(error) is None:
                # What could be read stands, when the better answer that was asked for cannot.
                return first[0]
            problem = f"the model gave no usable answer to {prompt}: {error}"
            raise failure_behind(error) or ModelError(problem, hint=_CHECK) from error
        self.usage += run.usage
        output: _Answer = run.output
        return output


def _schema_settings(answer: type[_Answer]) -> ModelSettings:
    form = {"name": answer.__name__, "schema": json_schema(answer), "strict": True}
    return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": form}}}


def _reader_of(answer: type[_Answer]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return parsed(text, answer)
        except ValueError as error:
            raise ModelRetry(f"This is not the JSON object that was asked for. {error} Answer with it alone.") from None

    return read


def _judged_by(judge: Callable[[Any], list[str]], first: list[_Answer]) -> Callable[[RunContext[None], Any], Any]:
    """Sends an answer with problems back, once; it is noted in `first`."""

    def judged(ctx: RunContext[None], answer: Any) -> Any:
        problems = judge(answer)
        first.append(answer)
        if problems and not ctx.retry:
            listed = " ".join(f"{problem}." for problem in problems[:_MAX_PROBLEMS])
            raise ModelRetry(f"Keep to the units, or leave it out: {listed} Give the whole answer again.")
        return answer

    return judged


def _task(data: str, guidance: str) -> str:
    hint = " ".join(guidance.split())
    return f"{data}\n\nWhere to look closely: {hint}" if hint else data


def _finding(memory: MemoryAnswer, candidate: Candidate) -> Finding:
    act, strength = _ACTS[memory.type], _STRENGTH[memory.importance]
    return Finding(act, candidate.title, candidate.quotes, strength, candidate.signals)


def _listed(told: Sequence[str], stories: Sequence[StoryAnswer]) -> str:
    """What the parts of a session gave, as the one who merges them reads it."""
    lines = [f"{number}. {memory}" for number, memory in enumerate(told, 1)]
    for number, story in enumerate(stories, 1):
        lines += ["", f"Part {number}: {_one_line(story.title)}. {_one_line(story.description)}", story.body.strip()]
    return "\n".join(lines)


def _told(memory: MemoryAnswer, cited: Sequence[SheetUnit]) -> str:
    facts = [memory.type, memory.importance, " ".join(memory.units), *([memory.known] if memory.known else [])]
    said = f" [{cited[0].id}: “{clip(cited[0].text, _SHOWN)}”]" if cited else ""
    return f"{', '.join(facts)}: {_one_line(memory.title)} — {_one_line(memory.body)}{said}"


def _sourced(merged: MergedMemory, memories: Sequence[MemoryAnswer]) -> MemoryAnswer | None:
    """The merged memory with the units of those it is made of; None when it is made of none."""
    sources = [memories[number - 1] for number in merged.sources if 0 < number <= len(memories)]
    if not sources:
        return None
    return MemoryAnswer(
        units=list(dict.fromkeys(unit for source in sources for unit in (source.main, *source.units))),
        main=sources[0].main,
        type=merged.type,
        importance=merged.importance,
        title=merged.title,
        body=merged.body,
        known=merged.known or next((source.known for source in sources if source.known), ""),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ran(work: Coroutine[Any, Any, _T]) -> _T:
    # In a thread of its own: a tool of the lead agent calls this from within an event loop, a script from outside.
    # It belongs to the span that is open here.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


async def _in_order(work: Iterable[Callable[[], Awaitable[_T]]], at_once: int) -> list[_T]:
    """The results in the order of the work, however the answers come in."""
    turn = asyncio.Semaphore(at_once)

    async def one(task: Callable[[], Awaitable[_T]]) -> _T:
        async with turn:
            return await task()

    return await asyncio.gather(*(one(task) for task in work))
