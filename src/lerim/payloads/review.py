"""Candidates waiting for a decision, and what was decided."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from lerim.context.records import time_text
from lerim.payloads.memory import KeptPayload, kept_payload

if TYPE_CHECKING:
    from lerim.context.review.desk import Proposed, ReviewOutcome, WaitingItem
    from lerim.errors import LerimError, ModelError
    from lerim.runtime.second_opinion import JudgedCandidate


class CitationPayload(TypedDict):
    reference: str
    quote: str
    speaker: str


class CandidatePayload(TypedDict):
    id: str
    scope: str
    state: str
    primitive: str
    kind: str | None
    title: str
    body: str
    confidence: float
    likely: bool
    tags: list[str]
    session: str
    run_id: str
    created: str
    trust: str
    signals: list[str]
    evidence: list[CitationPayload]
    decided: str | None
    author: str | None
    reason: str | None
    record_id: str | None


class UnitPayload(TypedDict):
    id: str | None
    who: str
    line: int
    text: str
    quoted: bool


class ReviewItemPayload(CandidatePayload):
    units: list[UnitPayload]
    near: list[KeptPayload]


class DecidedPayload(TypedDict):
    id: str
    verdict: str
    state: str
    record: str | None


class UndecidedPayload(TypedDict):
    id: str
    error: str
    hint: str | None


class JudgedPayload(TypedDict):
    id: str
    answer: str
    reason: str
    record: KeptPayload | None


class JudgmentsPayload(TypedDict):
    judged: list[JudgedPayload]
    error: str | None


def candidate_payload(item: "Proposed") -> CandidatePayload:
    candidate = item.candidate
    return {
        "id": candidate.id,
        "scope": item.place.scope,
        "state": str(candidate.state),
        "primitive": str(candidate.primitive),
        "kind": str(candidate.kind) if candidate.kind else None,
        "title": candidate.title,
        "body": candidate.body,
        "confidence": candidate.confidence,
        "likely": candidate.is_likely,
        "tags": list(candidate.tags),
        "session": candidate.session,
        "run_id": candidate.run_id,
        "created": time_text(candidate.created),
        "trust": str(candidate.trust),
        "signals": list(candidate.signals),
        "evidence": [
            {"reference": piece.reference, "quote": piece.quote, "speaker": str(piece.speaker)}
            for piece in candidate.evidence
        ],
        "decided": time_text(candidate.decided) if candidate.decided else None,
        "author": candidate.author,
        "reason": candidate.reason or None,
        "record_id": candidate.record_id,
    }


def item_payload(item: "WaitingItem") -> ReviewItemPayload:
    units: list[UnitPayload] = [
        {"id": one.id or None, "who": one.who, "line": one.line, "text": one.text, "quoted": one.is_quoted}
        for one in item.units
    ]
    return {**candidate_payload(item.proposed), "units": units, "near": [kept_payload(kept) for kept in item.near]}


def decided_payload(done: "ReviewOutcome") -> DecidedPayload:
    candidate = done.proposed.candidate
    record = done.kept.record.id if done.kept else None
    return {"id": candidate.id, "verdict": str(done.verdict), "state": str(candidate.state), "record": record}


def refused_payload(candidate_id: str, error: "LerimError") -> UndecidedPayload:
    return {"id": candidate_id, "error": error.message, "hint": error.hint}


def judgments_payload(done: Sequence["JudgedCandidate"], failure: "ModelError | None") -> JudgmentsPayload:
    return {"judged": [_judged_payload(judged) for judged in done], "error": failure.message if failure else None}


def _judged_payload(judged: "JudgedCandidate") -> JudgedPayload:
    return {
        "id": judged.proposed.candidate.id,
        "answer": judged.answer,
        "reason": judged.reason,
        "record": kept_payload(judged.kept) if judged.kept else None,
    }
