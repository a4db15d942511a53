"""A second opinion: a configured model decides on candidates for review, one by one, and what it says is not trusted.

It can keep a candidate, drop it or leave it to a person, and word it better. What a kept one rests on is not its to
say: the evidence is the candidate's own, checked once more.

Loads pydantic-ai: only who wants an opinion imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from lerim.context.place import Kept
from lerim.context.records import Record
from lerim.context.review import Edits, Proposed, Review, ReviewCandidate
from lerim.errors import Conflict, InvalidRecord, ModelError, SourceError
from lerim.ingest.evidence import ungrounded as foreign
from lerim.ingest.evidence import verify
from lerim.ingest.findings import Candidate, Quote, Rejection
from lerim.ingest.rendering import fenced, rendered
from lerim.ingest.rewording import own_quotes
from lerim.ingest.transcript import Numbered, Transcript
from lerim.llm import failure_behind
from lerim.text.backing import Backing

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
        self, review: Review, model: Callable[[], Model], trace_of: Callable[[Proposed], Path], run_id: str
    ) -> None:
        self._review = review
        self._model = model
        self._trace_of = trace_of
        self._run_id = run_id

    def judge(self, waiting: Sequence[Proposed]) -> Iterator[JudgedCandidate]:
        """What became of each candidate, as it is decided. Raises ModelError; what was decided before stays so."""
        for proposed in waiting:
            yield self._judge(proposed)

    def _judge(self, proposed: Proposed) -> JudgedCandidate:
        try:
            transcript = Transcript.read(self._trace_of(proposed))
        except (OSError, SourceError):
            return JudgedCandidate(proposed, "unsure", "its session is not in the archive any more")
        verified = verify(_candidate(proposed.candidate), transcript)
        if isinstance(verified, Rejection):
            return JudgedCandidate(proposed, "unsure", f"its evidence does not hold any more: {verified.reason}")
        opinion = _ran(self._ask(_task(verified, transcript)))
        reason = " ".join(opinion.reason.split())
        try:
            return self._carried_out(proposed, opinion, reason, _better(opinion, verified, transcript))
        except Conflict as error:
            # Somebody was faster, or a memory says it already.
            return JudgedCandidate(proposed, "unsure", error.message)

    def _carried_out(self, proposed: Proposed, opinion: Opinion, reason: str, edits: Edits) -> JudgedCandidate:
        review, run_id = self._review, self._run_id
        match opinion.answer:
            case "keep":
                record = self._record(proposed, edits)
                kept = review.accept(proposed, record, author="lerim", reason=reason, run_id=run_id)
                return JudgedCandidate(proposed, "keep", reason, kept)
            case "drop":
                rejected = review.reject(proposed, author="lerim", reason=reason, run_id=run_id)
                return JudgedCandidate(rejected, "drop", reason)
            case "unsure":
                return JudgedCandidate(proposed, "unsure", reason)

    def _record(self, proposed: Proposed, edits: Edits) -> Record:
        """The memory in the model's words, or in the engine's when those cannot be a memory."""
        try:
            return self._review.record_of(proposed, edits, confirmed=False)
        except InvalidRecord:
            return self._review.record_of(proposed, confirmed=False)

    async def _ask(self, task: str) -> Opinion:
        agent: Agent[None, Opinion] = Agent(
            self._model(),
            output_type=Opinion,
            instructions=PROMPT.read_text(encoding="utf-8"),
            retries=RETRIES,
            name="lerim-second-opinion",
        )
        try:
            run = await agent.run(task, usage_limits=UsageLimits(request_limit=RETRIES + 1))
        except (AgentRunError, UserError) as error:
            problem = f"the model gave no usable opinion: {error}"
            raise failure_behind(error) or ModelError(problem, hint="lerim models check") from error
        return run.output


def _ran(work: Coroutine[Any, Any, _T]) -> _T:
    # In a thread of its own: whoever asks may be within an event loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _candidate(waiting: ReviewCandidate) -> Candidate:
    quotes = tuple(Quote(e.first_line, e.last_line, e.quote, e.speaker) for e in waiting.evidence)
    return Candidate(
        waiting.id,
        waiting.primitive,
        waiting.title,
        waiting.body,
        quotes,
        waiting.kind,
        waiting.confidence,
        waiting.tags,
        signals=waiting.signals,
        trust=waiting.trust,
    )


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


def _better(opinion: Opinion, candidate: Candidate, transcript: Transcript) -> Edits:
    """The model's wording, if it says nothing that was not said; else none: the engine's words stay."""
    title = opinion.title or candidate.title
    body = candidate.body if opinion.body is None else opinion.body
    backing = Backing([f"{candidate.title}\n{candidate.body}", *own_quotes(candidate.quotes)], also="user agent")
    is_backed = backing.gap(title) is None and backing.gap(body) is None
    if not is_backed or foreign(replace(candidate, title=title, body=body), transcript):
        return Edits()
    return Edits(title=title, body=body)
