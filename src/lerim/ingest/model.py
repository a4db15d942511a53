"""Extraction by a model of any provider: typed answers, a request per window, and no trust in what comes back.

Loads pydantic-ai: only who extracts with a model imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from lerim.context.records import Kind, Lesson
from lerim.errors import ModelError
from lerim.ingest.findings import Act, Candidate, Digest, Finding, Proposal, Quote, Tier
from lerim.ingest.prompts import prompt_file, prompt_text
from lerim.ingest.rendering import fenced, packed, rendered
from lerim.ingest.rewording import backed_digest, gap_in, reworded, unbacked_sentences
from lerim.ingest.summarize import plain
from lerim.ingest.transcript import Numbered, Transcript
from lerim.ingest.windows import WINDOW_CHARS, Window
from lerim.llm import failure_behind
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation

#: How often an answer of the wrong shape may be given again.
RETRIES = 2
#: Windows that are read at the same time.
AT_ONCE = 3
#: The strongest findings are synthesized; the rest of a session that has more is noise.
MAX_FINDINGS = 150
#: Messages of the window before that a window is shown as well.
_MESSAGES_BEFORE = 2
#: Sentences without support that are named at once.
_MAX_PROBLEMS = 10
_CHECK = "lerim models check"
_PROMPTS = ("model_find", "model_synthesize", "model_summarize", "model_note")


class QuoteAnswer(BaseModel):
    """Words of the session and the number of their line."""

    line: int = Field(ge=1)
    text: str = Field(min_length=1, max_length=2_000)


class FindingAnswer(BaseModel):
    """One thing that may be worth remembering."""

    act: Act
    statement: str = Field(min_length=1, max_length=600)
    quotes: list[QuoteAnswer] = Field(max_length=8)
    strength: float = Field(ge=0, le=1)


class Findings(BaseModel):
    """What one part of the session holds. Empty when it holds nothing that lasts."""

    findings: list[FindingAnswer] = Field(default_factory=list, max_length=60)


class MemoryAnswer(BaseModel):
    """One memory, resting on findings by their numbers."""

    primitive: Lesson
    kind: Kind | None = None
    title: str = Field(min_length=1, max_length=200)
    body: str = Field(max_length=4_000)
    findings: list[int] = Field(min_length=1, max_length=20)
    confidence: float = Field(ge=0, le=1)
    tags: list[str] = Field(default_factory=list, max_length=8)
    sure: bool = True
    why: str = Field(default="", max_length=300)


class Memories(BaseModel):
    """The memories of the session. Empty when it taught nothing that lasts."""

    memories: list[MemoryAnswer] = Field(default_factory=list, max_length=60)


class SummaryAnswer(BaseModel):
    """One summary of the session."""

    title: str = Field(min_length=1, max_length=300)
    description: str = Field(max_length=1_000)
    body: str = Field(min_length=1, max_length=20_000)
    tags: list[str] = Field(default_factory=list, max_length=12)


class NotesAnswer(BaseModel):
    """What happened in one part of the session, in order."""

    notes: list[str] = Field(default_factory=list, max_length=30)


_Answer = TypeVar("_Answer", bound=BaseModel)
_T = TypeVar("_T")


class ModelEngine:
    """An `Engine` that asks a model. `model_for` gives the model of a role: "extract" or "summarize".

    It is asked for a new one at each step, since a model's connections belong to one event loop.
    """

    name = "model"

    def __init__(
        self,
        model_for: Callable[[str], Model],
        *,
        retries: int = RETRIES,
        at_once: int = AT_ONCE,
        tracing: Tracing | None = None,
    ) -> None:
        self._model_for = model_for
        self._retries = retries
        self._at_once = at_once
        self._texts = {name: prompt_text(name) for name in _PROMPTS}
        self._tracing = tracing
        self._sent: dict[str, str] = {}
        #: What all requests so far have used.
        self.usage = RunUsage()

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """The prompts that were sent, by file and SHA-256, for the run's evidence."""
        return tuple(self._sent.items())

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What each window holds, a request each. Raises ModelError."""
        model = self._model_for("extract")
        before = [_last_messages(transcript, window) for window in windows]
        asked = [
            partial(self._findings, model, window, last, guidance)
            for window, last in zip(windows, before, strict=True)
            if rendered(window.lines)
        ]
        return [finding for found in _ran(_in_order(asked, self._at_once)) for finding in found]

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """Candidates from all findings, in one request. Raises ModelError."""
        if not findings:
            return Proposal()
        chosen = _strongest(findings)
        listed = "\n\n".join(_listed(number, finding) for number, finding in enumerate(chosen, 1))
        task = _task(fenced(listed, "findings"), guidance)

        def judge(answer: Memories) -> list[str]:
            found = (_candidate(memory, chosen) for memory in answer.memories)
            return [f"'{one.title[:80]}': {gap}" for one in found if (gap := gap_in(one, transcript)) is not None]

        answer = _ran(self._ask(self._model_for("extract"), "model_synthesize", task, Memories, judge))
        return reworded((_candidate(memory, chosen) for memory in answer.memories), transcript)

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """One summary; of a long session, made from notes on each of its windows. Raises ModelError."""

        def judge(answer: SummaryAnswer) -> list[str]:
            return unbacked_sentences(_digest(answer), transcript)

        summary = _ran(self._summary(self._model_for("summarize"), windows, guidance, judge))
        return backed_digest(_digest(summary), transcript, plain(transcript))

    async def _findings(self, model: Model, window: Window, before: Sequence[Numbered], guidance: str) -> list[Finding]:
        task = _task(fenced(rendered((*before, *window.lines)), "session"), guidance)
        answer = await self._ask(model, "model_find", task, Findings)
        return [_finding(found, window.index) for found in answer.findings]

    async def _summary(
        self, model: Model, windows: Sequence[Window], guidance: str, judge: Callable[[SummaryAnswer], list[str]]
    ) -> SummaryAnswer:
        texts = [rendered(window.lines) for window in windows]
        # As long as notes are shorter than what they tell, this ends; a model that only talks is stopped by the count.
        for _ in range(4):
            if sum(map(len, texts)) <= WINDOW_CHARS or len(texts) == 1:
                break
            texts = list(packed(await self._noted(model, texts, guidance), WINDOW_CHARS))
        session = "\n\n".join(texts)[: 2 * WINDOW_CHARS]
        task = _task(fenced(session, "session"), guidance)
        return await self._ask(model, "model_summarize", task, SummaryAnswer, judge)

    async def _noted(self, model: Model, texts: Sequence[str], guidance: str) -> list[str]:
        tasks = [_task(fenced(text, "session"), guidance) for text in texts]
        asked = [partial(self._ask, model, "model_note", task, NotesAnswer) for task in tasks]
        answers = await _in_order(asked, self._at_once)
        return ["\n".join(f"- {' '.join(note.split())[:600]}" for note in answer.notes) for answer in answers]

    async def _ask(
        self,
        model: Model,
        prompt: str,
        task: str,
        answer: type[_Answer],
        judge: Callable[[_Answer], list[str]] | None = None,
    ) -> _Answer:
        """One request, given again when its shape is wrong or it says what nobody said. Raises ModelError.

        What it says at last is not an error: whoever asked leaves out what does not hold.
        """
        digest = sha256(self._texts[prompt].encode()).hexdigest()
        sent = SendingNotes(lambda ctx: self._sent.update({prompt_file(prompt): digest}))
        agent: Agent[None, _Answer] = Agent(
            model,
            output_type=answer,
            instructions=self._texts[prompt],
            retries=self._retries,
            name=f"lerim-{prompt}",
            capabilities=[sent, *instrumentation(self._tracing)],
        )
        if judge is not None:
            agent.output_validator(_judged_by(judge))
        try:
            run = await agent.run(task, usage_limits=UsageLimits(request_limit=self._retries + 1))
        except (AgentRunError, UserError) as error:
            problem = f"the model gave no usable answer to {prompt}: {error}"
            raise failure_behind(error) or ModelError(problem, hint=_CHECK) from error
        self.usage += run.usage
        return run.output


def _judged_by(judge: Callable[[_Answer], list[str]]) -> Callable[[RunContext[None], _Answer], _Answer]:
    def judged(ctx: RunContext[None], answer: _Answer) -> _Answer:
        problems = judge(answer)
        if problems and not ctx.retry:
            listed = " ".join(f"{problem}." for problem in problems[:_MAX_PROBLEMS])
            raise ModelRetry(f"Nobody said so: {listed} Keep to the words of the quotes, or leave it out.")
        return answer

    return judged


def _digest(summary: SummaryAnswer) -> Digest:
    return Digest(summary.title, summary.description, summary.body, tuple(summary.tags))


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


def _last_messages(transcript: Transcript, window: Window) -> list[Numbered]:
    """What was said right before a window: its first line may be the answer to it."""
    return [numbered for numbered in transcript.messages if numbered.number < window.first][-_MESSAGES_BEFORE:]


def _task(data: str, guidance: str) -> str:
    hint = " ".join(guidance.split())
    return f"{data}\n\nWhere to look closely: {hint}" if hint else data


def _finding(found: FindingAnswer, window: int) -> Finding:
    return Finding(found.act, found.statement, tuple(map(_quote, found.quotes)), found.strength, (), window)


def _quote(quote: QuoteAnswer) -> Quote:
    return Quote(quote.line, quote.line, quote.text)


def _strongest(findings: Sequence[Finding]) -> list[Finding]:
    """The strongest findings in the order of the session: what was said last must be seen to be last."""
    ranked = sorted(range(len(findings)), key=lambda index: -findings[index].strength)[:MAX_FINDINGS]
    return [findings[index] for index in sorted(ranked)]


def _listed(number: int, finding: Finding) -> str:
    quotes = "\n".join(f"   L{quote.first} {quote.speaker}: {' '.join(quote.text.split())}" for quote in finding.quotes)
    return f"{number}. {finding.act} ({finding.strength:.2f}): {finding.statement}\n{quotes}"


def _candidate(memory: MemoryAnswer, findings: Sequence[Finding]) -> Candidate:
    """The candidate with its findings' quotes. A number that names no finding gives none: evidence will be missed."""
    meant = [findings[number - 1] for number in memory.findings if 0 < number <= len(findings)]
    quotes = tuple(dict.fromkeys(quote for finding in meant for quote in finding.quotes))
    return Candidate(
        id="",
        primitive=memory.primitive,
        title=memory.title,
        body=memory.body,
        quotes=quotes,
        kind=memory.kind,
        confidence=memory.confidence,
        tags=tuple(memory.tags),
        tier=Tier.SURE if memory.sure else Tier.REVIEW,
        signals=(memory.why,) if memory.why else (),
    )
