"""What a memory, a candidate or the findings of a session are based on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from lerim.context.records import time_text
from lerim.payloads.review import CandidatePayload, candidate_payload
from lerim.payloads.runs import RunPayload, run_payload

if TYPE_CHECKING:
    from lerim.context.place import Kept
    from lerim.context.records import Record
    from lerim.context.review.desk import Proposed
    from lerim.context.store import Version
    from lerim.ingest.findings import Candidate, Quote
    from lerim.runtime.runs.artifacts import MemoryAction
    from lerim.runtime.why import Considered, Origin, QuotedPassage, Why


class ShownLinePayload(TypedDict):
    number: int
    who: str
    text: str
    start: int
    end: int


class PassagePayload(TypedDict):
    reference: str
    quote: str
    speaker: str
    standing: str
    undone: bool
    trace: str | None
    lines: list[ShownLinePayload]


class OriginPayload(TypedDict):
    run_id: str
    action: str | None
    reason: str | None
    signals: list[str]
    missing: str | None


class ReasonsPayload(TypedDict):
    passages: list[PassagePayload]
    origin: OriginPayload | None


class StepPayload(TypedDict):
    version: int
    at: str
    operation: str
    author: str
    reason: str
    run_id: str | None


class WhyRecordPayload(ReasonsPayload):
    id: str
    scope: str
    title: str
    status: str
    source: str
    trust: str
    by_hand: bool
    history: list[StepPayload]


class WhyCandidatePayload(CandidatePayload, ReasonsPayload):
    pass


class QuotePayload(TypedDict):
    first: int
    last: int
    text: str
    speaker: str


class KeptFindingPayload(TypedDict):
    candidate: str
    action: str
    how: str | None
    record: str | None
    path: str | None
    replaces: list[str]
    title: str
    reason: str
    signals: list[str]


class ReviewFindingPayload(TypedDict):
    id: str
    primitive: str
    title: str
    body: str
    quotes: list[QuotePayload]
    kind: str | None
    confidence: float
    tags: list[str]
    tier: str
    signals: list[str]
    trust: str


class RejectedFindingPayload(TypedDict):
    title: str
    reason: str
    quotes: list[QuotePayload]


class ConsideredPayload(TypedDict):
    session: str
    run: RunPayload
    kept: list[KeptFindingPayload]
    review: list[ReviewFindingPayload]
    rejected: list[RejectedFindingPayload]
    problems: list[str]


def why_record_payload(kept: "Kept", history: Sequence["Version"], found: "Why") -> WhyRecordPayload:
    record = kept.record
    return {
        "id": record.id,
        "scope": kept.place.scope,
        "title": record.title,
        "status": str(record.status),
        "source": record.source,
        "trust": str(record.trust),
        "by_hand": not record.evidence and is_by_hand(record, history[0]),
        **_reasons_payload(found),
        "history": [_step_payload(version) for version in history],
    }


def is_by_hand(record: "Record", first: "Version") -> bool:
    """Whether a person wrote it. One that a run made and a file brought back was not."""
    return first.author == "person" and record.source == "manual"


def why_candidate_payload(item: "Proposed", found: "Why") -> WhyCandidatePayload:
    return {**candidate_payload(item), **_reasons_payload(found)}


def considered_payload(found: "Considered") -> ConsideredPayload:
    return {
        "session": found.session,
        "run": run_payload(found.run),
        "kept": [_kept_finding_payload(action, candidate) for action, candidate in found.actions],
        "review": [_review_finding_payload(candidate) for candidate in found.review],
        "rejected": [
            {"title": item.title, "reason": item.reason, "quotes": _quotes(item.quotes)} for item in found.rejected
        ],
        "problems": list(found.problems),
    }


def _step_payload(version: "Version") -> StepPayload:
    return {
        "version": version.record.version,
        "at": time_text(version.at),
        "operation": version.operation,
        "author": version.author,
        "reason": version.reason,
        "run_id": version.run_id,
    }


def _reasons_payload(found: "Why") -> ReasonsPayload:
    return {
        "passages": [_passage_payload(passage) for passage in found.passages],
        "origin": _origin_payload(found.origin) if found.origin else None,
    }


def _passage_payload(passage: "QuotedPassage") -> PassagePayload:
    evidence = passage.evidence
    return {
        "reference": evidence.reference,
        "quote": evidence.quote,
        "speaker": str(evidence.speaker),
        "standing": str(passage.standing),
        "undone": passage.undone,
        "trace": str(passage.trace) if passage.trace else None,
        "lines": [
            {"number": line.number, "who": line.who, "text": line.text, "start": line.start, "end": line.end}
            for line in passage.lines
        ],
    }


def _origin_payload(origin: "Origin") -> OriginPayload:
    return {
        "run_id": origin.run_id,
        "action": origin.action,
        "reason": origin.reason,
        "signals": list(origin.signals),
        "missing": origin.missing,
    }


def _kept_finding_payload(action: "MemoryAction", candidate: "Candidate | None") -> KeptFindingPayload:
    return {
        "candidate": action.candidate,
        "action": action.action,
        "how": action.how,
        "record": action.record,
        "path": action.path,
        "replaces": list(action.replaces),
        "title": action.title,
        "reason": action.reason,
        "signals": list(candidate.signals) if candidate else [],
    }


def _review_finding_payload(candidate: "Candidate") -> ReviewFindingPayload:
    return {
        "id": candidate.id,
        "primitive": str(candidate.primitive),
        "title": candidate.title,
        "body": candidate.body,
        "quotes": _quotes(candidate.quotes),
        "kind": str(candidate.kind) if candidate.kind else None,
        "confidence": candidate.confidence,
        "tags": list(candidate.tags),
        "tier": str(candidate.tier),
        "signals": list(candidate.signals),
        "trust": str(candidate.trust),
    }


def _quotes(quotes: Sequence["Quote"]) -> list[QuotePayload]:
    return [
        {"first": quote.first, "last": quote.last, "text": quote.text, "speaker": str(quote.speaker)}
        for quote in quotes
    ]
