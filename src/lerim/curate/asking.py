"""A model's judgment on a group of records: one typed request for each, with all that they say.

What it answers is proposed like anything else: the same rules say what may be done. What the rules do not allow is sent
back with the reason, and said again it is refused. The very same said twice needs no model.

Loads pydantic-ai: only who asks a model imports this module.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from lerim.context.authority import Authority
from lerim.context.records import Kind, Record, RecordId, time_text
from lerim.context.standing import ruled
from lerim.curate.judging import merge_of, proposals_for, quoted
from lerim.curate.neighbors import RecordCluster
from lerim.curate.proposals import CurationProposal, CurationVerb, RecordWording
from lerim.curate.validation import CurationRules, authority_of, in_order
from lerim.dataclass import dataclass, replace
from lerim.errors import ModelError
from lerim.llm import failure_behind
from lerim.llm.sending import SendingNotes
from lerim.observability import Tracing, instrumentation
from lerim.text.bearing import Bearing

PROMPT = Path(__file__).with_suffix(".md")
#: What it is called where prompts are accounted for.
PROMPT_NAME = "curate/asking.md"
RETRIES = 2
#: Characters of a body that are shown.
_SHOWN = 4_000
#: From here on two records lie so near that a model may see what words do not show.
_NEAR = 0.5
_WHO = {Authority.PERSON: "a person", Authority.USER: "the user", Authority.AGENT: "the agent"}


class ClusterAction(BaseModel):
    """Something that a group of records calls for."""

    verb: Literal["merge", "supersede", "revise", "review"]
    records: list[str] = Field(min_length=1, max_length=20)
    into: str | None = None
    title: str | None = Field(default=None, max_length=200)
    body: str | None = Field(default=None, max_length=20_000)
    kind: Kind | None = None
    reason: str = Field(min_length=1, max_length=400)


class ClusterOpinion(BaseModel):
    """All that a group of records calls for."""

    actions: list[ClusterAction] = Field(max_length=20)


@dataclass(frozen=True)
class ModelJudge:
    """Asks a model about each group that is not settled without one. `model` gives one for one request."""

    model: Callable[[], Model]
    rules: CurationRules
    #: Hears of the prompt when it is sent.
    note_prompt: Callable[[str, str], None] = lambda name, text: None
    tracing: Tracing | None = None

    def __call__(self, cluster: RecordCluster) -> Iterator[CurationProposal]:
        """What a group calls for. Raises ModelError when the model gives no usable answer."""
        safe = [one for one in proposals_for(cluster) if one.is_safe]
        yield from safe
        done = {record for one in safe for record in one.targets}
        open_pairs = [pair for pair in _worth_asking(cluster) if done.isdisjoint(record.id for record in pair)]
        if not open_pairs:
            return
        records = {record.id: record for pair in open_pairs for record in pair}
        names = {f"R{number}": record for number, record in enumerate(records.values(), 1)}
        # In a thread of its own: whoever asks may be within an event loop.
        with ThreadPoolExecutor(1) as thread:
            opinion = thread.submit(copy_context().run, asyncio.run, self._asked(names)).result()
        yield from (_proposal(action, names) for action in opinion.actions if not _unnamed(action, names))

    async def _asked(self, names: Mapping[str, Record]) -> ClusterOpinion:
        prompt = PROMPT.read_text("utf-8")
        agent: Agent[None, ClusterOpinion] = Agent(
            self.model(),
            output_type=ClusterOpinion,
            instructions=prompt,
            retries=RETRIES,
            name="lerim-maintain",
            capabilities=[
                SendingNotes(lambda _: self.note_prompt(PROMPT_NAME, prompt)),
                *instrumentation(self.tracing),
            ],
        )

        @agent.output_validator
        def checked(ctx: RunContext[None], opinion: ClusterOpinion) -> ClusterOpinion:
            if not ctx.last_attempt and (problems := list(self._problems(opinion, names))):
                raise ModelRetry(" ".join(problems))
            return opinion

        try:
            return (await agent.run(_task(names), usage_limits=UsageLimits(request_limit=RETRIES + 1))).output
        except (AgentRunError, UserError) as error:
            problem = f"the model gave no usable judgment: {error}"
            raise failure_behind(error) or ModelError(problem, hint="lerim models check") from error

    def _problems(self, opinion: ClusterOpinion, names: Mapping[str, Record]) -> Iterator[str]:
        records = {record.id: record for record in names.values()}
        for number, action in enumerate(opinion.actions, 1):
            if unnamed := _unnamed(action, names):
                yield f"Action {number}: there is no record {unnamed}."
                continue
            ruling = self.rules.ruling(_proposal(action, names), records)
            if not ruling and not ruling.is_for_a_person:
                yield f"Action {number} cannot be done: {ruling.refusal}. Leave it out, or use the records' own words."


def _worth_asking(cluster: RecordCluster) -> Iterator[tuple[Record, Record]]:
    """The pairs that a model is paid to look at: those that words relate, or that lie near each other."""
    for pair in cluster.pairs:
        later, earlier = in_order(pair.one, pair.two) or (pair.one, pair.two)
        if pair.nearness >= _NEAR or ruled(later, earlier).bearing is not Bearing.UNRELATED:
            yield pair.one, pair.two


def _task(names: Mapping[str, Record]) -> str:
    told = [
        {
            "name": name,
            "type": str(record.kind or record.primitive),
            "who": _WHO.get(authority_of(record), "nobody knows"),
            "said": time_text(record.last_said.at),
            "title": record.title,
            "body": record.body[:_SHOWN],
        }
        for name, record in names.items()
    ]
    return "Judge these records.\n\n" + json.dumps(told, ensure_ascii=False, indent=1)


def _unnamed(action: ClusterAction, names: Mapping[str, Record]) -> str:
    """A record that an action speaks of and nobody showed."""
    return next((one for one in (*action.records, action.into) if one is not None and one not in names), "")


def _proposal(action: ClusterAction, names: Mapping[str, Record]) -> CurationProposal:
    into = names[action.into] if action.into else None
    records = list(dict.fromkeys((*([action.into] if action.into else []), *action.records)))
    found, reason = [names[one] for one in records], " ".join(action.reason.split())
    verb = CurationVerb(action.verb)
    if verb is CurationVerb.MERGE and into is not None and len(found) > 1:
        return _worded(merge_of(found, reason), action, into)
    proposal = CurationProposal(
        verb,
        tuple(RecordId(record.id) for record in found),
        reason,
        into=into.id if into and verb is CurationVerb.SUPERSEDE else None,
        evidence=tuple(map(quoted, found)),
    )
    return _worded(proposal, action, found[0]) if verb is CurationVerb.REVISE else proposal


def _worded(proposal: CurationProposal, action: ClusterAction, record: Record) -> CurationProposal:
    before = proposal.wording or RecordWording.of(record)
    title = before.title if action.title is None else action.title
    body = before.body if action.body is None else action.body
    wording = RecordWording(title, body, action.kind or before.kind, before.tags)
    return replace(proposal, wording=wording, is_safe=False)
