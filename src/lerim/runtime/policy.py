"""The embedded policy: it leads a sync through the same tools as a model would, without a network or a key.

Each turn is decided from the conversation alone, so the same memory and session give the same run. A tool that refuses
is a surprise: a refused write is reported as not done, anything else ends the run. The policy never tries twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from lerim.context.records import Primitive, Status
from lerim.curate.bearings import believed
from lerim.ingest.findings import Candidate
from lerim.ingest.reconcile import Action, Decision, WriteMode, decide
from lerim.ingest.words import covered, stems
from lerim.runtime.runs.folder import MEMORY_ACTIONS
from lerim.runtime.wire import (
    Explore,
    Extract,
    Extracted,
    Found,
    Staged,
    Summarize,
    SyncAccount,
    SyncReport,
    SyncVerb,
    ToolArguments,
    WriteFile,
    WriteMemory,
)

SEARCHES_AT_ONCE = 4
_QUERY = 600

#: What it is called in logs.
NAME = "policy"
#: What it does next: calls of tools, or its last word.
Move = Sequence[ToolArguments] | str
AnyCall = TypeVar("AnyCall", bound=ToolArguments)


class PolicyStuck(Exception):
    """The policy knows no way to go on."""


@dataclass(frozen=True)
class Called(Generic[AnyCall]):
    """A call of a tool and what came of it: the tool's own value, or in words why it refused."""

    call: AnyCall
    answer: Any
    refused: bool


@dataclass(frozen=True)
class RunHistory:
    """The conversation so far, as the policy needs it."""

    task: str
    turns: int
    calls: tuple[Called[ToolArguments], ...]
    #: Whether the last word is out already.
    is_done: bool

    def each(self, kind: type[AnyCall]) -> Iterator[Called[AnyCall]]:
        """The calls of one tool, in their order."""
        return (Called(c.call, c.answer, c.refused) for c in self.calls if isinstance(c.call, kind))

    def was_called(self, kind: type[ToolArguments]) -> bool:
        return any(isinstance(called.call, kind) for called in self.calls)


def next_move(history: RunHistory) -> Move:
    """What the policy does next. Raises PolicyStuck."""
    for called in history.calls:
        # A write that is refused is noted in the account; the run goes on without it.
        if called.refused and not isinstance(called.call, WriteMemory):
            raise PolicyStuck(f"{called.call.tool} refused: {str(called.answer)[:300]}")
    if history.is_done:
        # It knows that the run is not finished, and knows no other way to finish it.
        raise PolicyStuck("the policy is done, but the run is not finished")
    return _sync(history)


# --- sync -------------------------------------------------------------------------------------------------------------

#: What was found for each candidate.
Searches = Mapping[str | None, Sequence[Found]]


def _sync(history: RunHistory) -> Move:
    """Extract and summarize; search for each candidate, four at once; write what is new; give account; say so."""
    if not history.calls:
        return [Extract(), Summarize()]
    extracted: Extracted = next(history.each(Extract)).answer
    candidates = extracted.candidates
    searches: Searches = {called.call.candidate: called.answer.found for called in history.each(Explore)}
    if waiting := [candidate for candidate in candidates if candidate.id not in searches]:
        return [_search(candidate) for candidate in waiting[:SEARCHES_AT_ONCE]]
    decisions = _decide_all(candidates, searches, extracted.unmerged or "")
    writes = [c for c in candidates if decisions[c.id].how is not None]
    if writes and not history.was_called(WriteMemory):
        return [_write(candidate, decisions[candidate.id], searches) for candidate in writes]
    account = SyncAccount(actions=tuple(_reports(history, candidates, decisions)))
    if not history.was_called(WriteFile):
        return [WriteFile(file_path=MEMORY_ACTIONS, content=account.json_text())]
    return _last_word(account)


def _search(candidate: Candidate) -> Explore:
    # A title of small words alone says nothing: what the body says comes with it.
    near = f"{candidate.relation.title}\n" if candidate.relation else ""
    return Explore(query=f"{near}{candidate.title}\n{candidate.body}"[:_QUERY], candidate=candidate.id)


def _decide_all(candidates: Sequence[Candidate], searches: Searches, unmerged: str) -> dict[str, Decision]:
    """What becomes of each. A record is changed once in a run: the second who wants it leaves it as it is."""
    decisions = {c.id: _decide(c, tuple(searches[c.id]), unmerged) for c in candidates}
    busy: set[str] = set()
    # What changes a record comes before what it only rests on, too.
    for name, decision in sorted(decisions.items(), key=lambda item: item[1].action is Action.NO_OP):
        if decision.how is None:
            continue
        if busy & set(decision.targets):
            reason = "Another candidate of this session changes the same record"
            decisions[name] = Decision(Action.NO_OP, None, decision.targets, reason)
        busy |= set(decision.targets)
    return decisions


@lru_cache(maxsize=256)  # Each turn decides again, on what was found once.
def _decide(candidate: Candidate, found: tuple[Found, ...], unmerged: str) -> Decision:
    about = stems(candidate.title)
    for one in found:
        # What was taken from these lines and does not hold any more was replaced or archived since: it stays so.
        is_gone = one.same_lines and one.status is not Status.ACTIVE
        if is_gone and covered(about, stems(f"{one.title} {one.body}")) >= 0.5:
            reason = f"It was taken from these lines before and is {one.status} now"
            return Decision(Action.NO_OP, None, (one.record_id,), reason)
    known = [one.known() for one in found if one.status is Status.ACTIVE or one.replaced_since]
    branch = unmerged if candidate.primitive is Primitive.DECISION else ""
    return decide(candidate, known, unmerged=branch, is_believed=believed)


def _write(candidate: Candidate, decision: Decision, searches: Searches) -> WriteMemory:
    if decision.how is WriteMode.REVISE and decision.revision is not None:
        new, target = decision.revision, decision.targets[0]
        old = next(one for one in searches[candidate.id] if one.record_id == target)
        return WriteMemory(
            primitive=old.primitive,
            title=new.title,
            body=new.body,
            confidence=new.confidence,
            tags=new.tags,
            kind=old.kind,
            candidate=candidate.id,
            updates=target,
            replaces=decision.targets[1:] or None,
        )
    return WriteMemory(
        primitive=candidate.primitive,
        title=candidate.title,
        body=candidate.body,
        confidence=candidate.confidence,
        tags=candidate.tags,
        kind=candidate.kind,
        candidate=candidate.id,
        replaces=decision.targets or None,
        replaced_by=decision.replaced_by,
    )


def _reports(
    history: RunHistory, candidates: Sequence[Candidate], decisions: Mapping[str, Decision]
) -> Iterator[SyncReport]:
    written = {called.call.candidate: called for called in history.each(WriteMemory)}
    for candidate in candidates:
        decision, called = decisions[candidate.id], written.get(candidate.id)
        if called is None:
            verb = _VERBS[decision.action] if decision.how is None else SyncVerb.NO_OP
            yield SyncReport(candidate.id, verb, decision.reason, targets=decision.targets)
        elif called.refused:
            reason = f"It was not written: {str(called.answer)[:300]}"
            yield SyncReport(candidate.id, SyncVerb.NO_OP, reason, targets=decision.targets)
        else:
            staged: Staged = called.answer
            targets = (*decision.targets, *([decision.replaced_by] if decision.replaced_by else ()))
            yield SyncReport(candidate.id, _VERBS[decision.action], decision.reason, staged.record_id, targets)


_VERBS = {
    Action.ADD: SyncVerb.ADD,
    Action.UPDATE: SyncVerb.UPDATE,
    Action.NO_OP: SyncVerb.NO_OP,
    Action.REVIEW: SyncVerb.REVIEW,
}


def _last_word(account: SyncAccount) -> str:
    counts = Counter(report.action for report in account.actions)
    done = ", ".join(f"{count} {verb}" for verb, count in sorted(counts.items()))
    return f"The session is ingested: {done}." if done else "The session is ingested: its summary, and nothing to keep."
