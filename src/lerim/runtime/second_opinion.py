"""A second opinion: a configured model decides on candidates for review, one by one, and what it says is not trusted.

It can keep a candidate, drop it or leave it to a person, word it better and correct its kind. What a kept one rests on
is not its to say: the evidence is the candidate's own, checked once more. Words that nobody said are sent back with the
reason; said again, they are not taken, and what the model found badly titled is left to a person.

Loads pydantic-ai: only who wants an opinion imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from lerim.context.place import Kept
from lerim.context.records import Kind, Primitive, kinds_explained
from lerim.context.review.candidates import Edits
from lerim.context.review.desk import Proposed
from lerim.context.review.room import Review
from lerim.errors import Conflict, InvalidRecord, ModelError, SourceError
from lerim.ingest.evidence import verify
from lerim.ingest.findings import Candidate, Rejection
from lerim.ingest.rendering import fenced, rendered
from lerim.ingest.restating import QuotedWords, as_candidate
from lerim.ingest.transcript import Numbered, Transcript
from lerim.llm import failure_behind
from lerim.observability import Tracing, instrumentation, span

#: Lines of the session that are shown before and after each quote.
LINES_AROUND = 6
RETRIES = 2
PROMPT = Path(__file__).with_suffix(".md")
_T = TypeVar("_T")


class Opinion(BaseModel):
    """What becomes of the candidate, and why."""

    answer: Literal["keep", "drop", "unsure"]
    reason: str = Field(min_length=1, max_length=400)
    title: str | None = Field(default=None, max_length=200)
    body: str | None = Field(default=None, max_length=4_000)
    kind: Kind | Literal[Primitive.DECISION] | None = None


@dataclass(frozen=True)
class JudgedCandidate:
    """A candidate, the verdict on it, and the memory it became if it was kept."""

    proposed: Proposed
    answer: Literal["keep", "drop", "unsure"]
    reason: str
    kept: Kept | None = None


class SecondOpinion:
    """Asks a model about candidates, and does what it says as far as that is allowed.

    `model` gives the model for one request; `trace_of` says where a candidate's session is archived.
    """

    def __init__(
        self,
        review: Review,
        model: Callable[[], Model],
        trace_of: Callable[[Proposed], Path],
        run_id: str,
        tracing: Tracing | None = None,
    ) -> None:
        self._review = review
        self._model = model
        self._trace_of = trace_of
        self._run_id = run_id
        self._tracing = tracing

    def judge(self, waiting: Sequence[Proposed]) -> Iterator[JudgedCandidate]:
        """What became of each candidate, as it is decided. Raises ModelError; what was decided before stays so."""
        for proposed in waiting:
            with span(self._tracing, "lerim.review", run_id=self._run_id) as mark:
                judged = self._judge(proposed)
                mark.set(answer=judged.answer)
            yield judged

    def _judge(self, proposed: Proposed) -> JudgedCandidate:
        try:
            transcript = Transcript.read(self._trace_of(proposed))
        except (OSError, SourceError):
            return JudgedCandidate(proposed, "unsure", "its session is not in the archive any more")
        verified = verify(as_candidate(proposed.candidate), transcript)
        if isinstance(verified, Rejection):
            return JudgedCandidate(proposed, "unsure", f"its evidence does not hold any more: {verified.reason}")
        words = QuotedWords(verified, transcript)
        opinion = _ran(self._ask(_task(verified, transcript), words))
        reason = " ".join(opinion.reason.split())
        if opinion.answer == "keep" and (gap := words.gap_in_title(opinion.title)) is not None:
            why = f"it would be kept as '{opinion.title}', but {gap}"
            return JudgedCandidate(proposed, "unsure", why)
        try:
            return self._carried_out(proposed, opinion, reason, _edits(opinion, words))
        except (Conflict, InvalidRecord) as error:
            # Somebody was faster, a memory says it already, or these words cannot be one.
            return JudgedCandidate(proposed, "unsure", error.message)

    def _carried_out(self, proposed: Proposed, opinion: Opinion, reason: str, edits: Edits) -> JudgedCandidate:
        review, run_id = self._review, self._run_id
        match opinion.answer:
            case "keep":
                record = review.record_of(proposed, edits, confirmed=False)
                kept = review.accept(proposed, record, author="lerim", reason=reason, run_id=run_id)
                return JudgedCandidate(proposed, "keep", reason, kept)
            case "drop":
                rejected = review.reject(proposed, author="lerim", reason=reason, run_id=run_id)
                return JudgedCandidate(rejected, "drop", reason)
            case "unsure":
                return JudgedCandidate(proposed, "unsure", reason)

    async def _ask(self, task: str, words: QuotedWords) -> Opinion:
        agent: Agent[None, Opinion] = Agent(
            self._model(),
            output_type=Opinion,
            instructions=PROMPT.read_text(encoding="utf-8").replace("{kinds}", f"\n\n{kinds_explained()}"),
            retries=RETRIES,
            name="lerim-second-opinion",
            capabilities=instrumentation(self._tracing),
        )

        @agent.output_validator
        def judged(ctx: RunContext[None], opinion: Opinion) -> Opinion:
            problems = _problems(opinion, words) if opinion.answer == "keep" else ()
            if problems and not ctx.last_attempt:
                raise ModelRetry(
                    f"Nobody said so: {' '.join(problems)} Keep to the words of the session, or say unsure."
                )
            return opinion

        try:
            run = await agent.run(task, usage_limits=UsageLimits(request_limit=RETRIES + 1))
        except (AgentRunError, UserError) as error:
            problem = f"the model gave no usable opinion: {error}"
            raise failure_behind(error) or ModelError(problem, hint="lerim models check") from error
        return run.output


def _ran(work: Coroutine[Any, Any, _T]) -> _T:
    # In a thread of its own: whoever asks may be within an event loop. It belongs to the span that is open here.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


def _task(candidate: Candidate, transcript: Transcript) -> str:
    kind = f" ({candidate.kind})" if candidate.kind else ""
    quotes = [f"L{quote.first} {quote.speaker}: {' '.join(quote.text.split())}" for quote in candidate.quotes]
    lines = [f"{candidate.primitive}{kind}: {candidate.title}", candidate.body, "quotes:", *quotes]
    about = "\n".join(filter(None, lines))
    return f"{fenced(about, 'candidate')}\n\n{fenced(rendered(_around(candidate, transcript)), 'session')}"


def _around(candidate: Candidate, transcript: Transcript) -> list[Numbered]:
    found = {
        numbered.number: numbered
        for quote in candidate.quotes
        for numbered in transcript.between(quote.first - LINES_AROUND, quote.last + LINES_AROUND)
    }
    return [found[number] for number in sorted(found)]


def _problems(opinion: Opinion, words: QuotedWords) -> list[str]:
    """What the model's words say that nobody said, for the model."""
    gaps = (("title", words.gap_in_title(opinion.title)), ("body", words.gap_in_body(opinion.title, opinion.body)))
    return [f"{name}: {gap}." for name, gap in gaps if gap is not None]


def _edits(opinion: Opinion, words: QuotedWords) -> Edits:
    """The model's title, its body as far as it is backed, and its kind."""
    body = None if words.gap_in_body(opinion.title, opinion.body) is not None else opinion.body
    if opinion.kind is Primitive.DECISION:
        return Edits(title=opinion.title, body=body, primitive=Primitive.DECISION)
    return Edits(title=opinion.title, body=body, kind=opinion.kind)
