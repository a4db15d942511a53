"""From a question to an answer: understand, plan, read, tell. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lerim.answer.compose import Sentence, compose, nothing
from lerim.answer.conversation import Exchange, resolve
from lerim.answer.plan import Plan, make_plan
from lerim.answer.retrieval import CitedRecord, Retrieved, SearchMemory, carry_out
from lerim.context.memory import Kept, Memory
from lerim.context.records import RecordId
from lerim.errors import UsageError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

#: Records that an answer tells of, at most.
LIMIT = 3
#: Records that a model is shown.
_SHOWN = 8


@dataclass(frozen=True)
class Answer:
    """An answer and all that it rests on."""

    #: The question as it was put, and as it was understood: there a follow-up stands on its own feet.
    asked: str
    question: str
    text: str
    sentences: tuple[Sentence, ...]
    #: The records that the sentences cite, in their order.
    sources: tuple[Kept, ...]
    plan: Plan
    #: Whether anything stored supports an answer.
    supported: bool
    #: What was looked at and found wanting, with the reason; nearest first.
    rejected: tuple[CitedRecord, ...] = ()

    @property
    def used(self) -> tuple[Kept, ...]:
        """The records that were of use: those that hold. One that is merely counted or listed was not."""
        return () if self.plan.is_exact else tuple(kept for kept in self.sources if kept.record.holds)

    @property
    def turn(self) -> Exchange:
        """What a follow-up question needs to know of this one."""
        return Exchange(self.question, tuple(kept.record.title for kept in self.sources))

    def explained(self) -> list[str]:
        """The plan in words, and why the nearest records were not enough."""
        lines = [f"{number}. {told}" for number, told in enumerate(self.plan.told(), 1)]
        if self.question != self.asked.strip():
            lines.insert(0, f"understood as: {self.question}")
        return lines + [f"not {told.kept.record.id}: {told.verdict.why}" for told in self.rejected[:3]]


def answer(
    question: str,
    memory: Memory,
    search: SearchMemory,
    *,
    now: datetime,
    as_of: datetime | None = None,
    history: Sequence[Exchange] = (),
    model: Model | None = None,
    limit: int = LIMIT,
) -> Answer:
    """What the memory answers to a question, as things stand or as they stood at `as_of`.

    Without a model the answer is put together from the records' own sentences. With one, the model words what was
    found; counts, lists and dates are exact either way. Raises UsageError for a question without a word.
    """
    understood = resolve(question, history)
    if not any(letter.isalnum() for letter in understood):
        raise UsageError(f"'{question}' has no word to look for", hint='lerim ask "why did we choose JWT?"')
    plan = make_plan(understood, now if as_of is None else as_of)
    found = carry_out(plan, memory, search, as_of)
    if model is None or plan.is_exact:
        sentences = [sentence for part in found for sentence in compose(part, limit)]
    else:
        sentences = _worded(understood, found, model)
    return _answer((question, understood), plan, found, sentences, memory)


def _worded(question: str, found: Sequence[Retrieved], model: Model) -> list[Sentence]:
    """What a model makes of all that was found near; it may find that nothing of it answers."""
    near = [told for part in found for told in (*part.supporting, *part.rejected)][:_SHOWN]
    if not near:
        return []
    from lerim.answer.model import write  # Start-up: pydantic-ai is wanted only by those who have a model.

    return write(question, near, model)


def _answer(
    asked: tuple[str, str], plan: Plan, found: Sequence[Retrieved], sentences: Sequence[Sentence], memory: Memory
) -> Answer:
    text = "\n".join(sentence.text for sentence in sentences) or nothing(found)
    known = _known(found)
    ids = dict.fromkeys(record_id for sentence in sentences for record_id in sentence.ids)
    sources = tuple(known[record_id] if record_id in known else memory.find(record_id) for record_id in ids)
    rejected = tuple(told for part in found for told in part.rejected)
    return Answer(*asked, text, tuple(sentences), sources, plan, bool(sentences), rejected)


def _known(found: Sequence[Retrieved]) -> dict[RecordId, Kept]:
    """Every record that was read, by its id: as it stood when that was asked for."""
    known = {kept.record.id: kept for part in found for kept in part.records}
    for part in found:
        known |= {version.record.id: Kept(version.record, place) for place, version in part.versions}
        for told in (*part.supporting, *part.rejected):
            known |= {old.id: Kept(old, told.kept.place) for old in told.before}
            known[told.kept.record.id] = told.kept
    return known
