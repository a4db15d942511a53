"""What waits for a decision, over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from lerim.context.records import Kind, Primitive, clean_tags, time_text
from lerim.context.review.candidates import Edits, ReviewState
from lerim.context.review.desk import Proposed, ReviewDecision, ReviewVerdict
from lerim.errors import ModelError
from lerim.payloads.memory import KeptPayload, kept_payload
from lerim.payloads.review import (
    CandidatePayload,
    DecidedPayload,
    JudgmentsPayload,
    ReviewItemPayload,
    candidate_payload,
    decided_payload,
    item_payload,
    judgments_payload,
)
from lerim.payloads.web import PagePayload, page_payload
from lerim.payloads.why import WhyCandidatePayload, why_candidate_payload
from lerim.serve.api.asking import Call, Limited, Nothing
from lerim.serve.api.pages_of import paged
from lerim.serve.api.table import ApiTable

REVIEWING = ApiTable()
_SESSION = "only from this session: agent/run_id, or the beginning of the run id"


class ReviewListAsked(Limited):
    session: NotRequired[Annotated[str, _SESSION]]
    all: NotRequired[Annotated[bool, "with those already decided on or outdated"]]


class NextAsked(TypedDict):
    session: NotRequired[Annotated[str, _SESSION]]
    limit: NotRequired[Annotated[int, "at most this many (default 5)"]]


class EditedCandidate(TypedDict):
    title: NotRequired[str]
    body: NotRequired[str]


class AcceptAsked(EditedCandidate):
    primitive: NotRequired[Literal[Primitive.DECISION, Primitive.LEARNING]]
    kind: NotRequired[Kind]
    tags: NotRequired[list[str]]
    allow_secret: NotRequired[bool]


class DecideAsked(EditedCandidate):
    verdict: ReviewVerdict
    record: NotRequired[Annotated[str, "the memory it is the same as, updates or replaces"]]
    primitive: NotRequired[Annotated[Literal[Primitive.DECISION], "what it is, if it is no learning"]]
    kind: NotRequired[Kind]
    reason: NotRequired[Annotated[str, "why, for later"]]


class RejectAsked(TypedDict):
    reason: NotRequired[Annotated[str, "why, for later"]]


class JudgeAsked(TypedDict):
    session: NotRequired[Annotated[str, _SESSION]]
    limit: NotRequired[Annotated[int, "at most this many (default 20)"]]


@REVIEWING.get("/review", "review list", "review go")
def list_review(call: Call[ReviewListAsked]) -> PagePayload[CandidatePayload]:
    """The candidates that wait for a decision, each with the quotes it is based on; the likely ones first."""
    asked = call.asked
    found = call.lerim.review.select(None if asked.get("all") else ReviewState.PENDING, asked.get("session"), 0)

    def key(item: Proposed) -> tuple[str, str]:
        return time_text(item.candidate.created), item.candidate.id

    items, after = paged(sorted(found, key=key, reverse=True), key, asked, str, str)
    return page_payload(items, candidate_payload, after)


@REVIEWING.get("/review/next", "review next")
def next_review(call: Call[NextAsked]) -> list[ReviewItemPayload]:
    """The next candidates with what it takes to judge them: the words around each, and the memories near it."""
    items = call.lerim.review.next(min(max(call.asked.get("limit", 5), 1), 100), call.asked.get("session"))
    return [item_payload(item) for item in items]


@REVIEWING.get("/review/{id}/why", "why")
def why_candidate(call: Call[Nothing]) -> WhyCandidatePayload:
    """What a candidate is based on."""
    item = call.lerim.review.find(call.named("id"))
    return why_candidate_payload(item, call.lerim.why_waiting(item))


@REVIEWING.post("/review/judge", "review judge", takes_long=True)
def judge_review(call: Call[JudgeAsked]) -> JudgmentsPayload:
    """Let the model of the extract role decide on candidates."""
    limit, done = min(max(call.asked.get("limit", 20), 1), 1000), []
    try:
        for judged in call.lerim.second_opinion(
            call.lerim.review.select(ReviewState.PENDING, call.asked.get("session"), limit)
        ):
            done.append(judged)
    except ModelError as error:
        if not done:
            raise
        # What was decided stays decided.
        return judgments_payload(done, error)
    return judgments_payload(done, None)


@REVIEWING.post("/review/{id}/accept", "review accept", "review edit")
def accept_candidate(call: Call[AcceptAsked]) -> KeptPayload:
    """Turn a candidate into a memory, as it is or changed."""
    asked, review = call.asked, call.lerim.review
    edits = Edits(
        asked.get("title"),
        asked.get("body"),
        Primitive(asked["primitive"]) if "primitive" in asked else None,
        asked.get("kind"),
        clean_tags(asked["tags"]) if "tags" in asked else None,
    )
    item = review.find(call.named("id"))
    return kept_payload(
        review.accept(item, review.record_of(item, edits), allow_secret=asked.get("allow_secret", False))
    )


@REVIEWING.post("/review/{id}/decide", "review decide")
def decide_candidate(call: Call[DecideAsked]) -> DecidedPayload:
    """Accept or reject a candidate, or say which memory it is the same as, updates or replaces."""
    asked = call.asked
    primitive = Primitive.DECISION if "primitive" in asked else None
    edits = Edits(asked.get("title"), asked.get("body"), primitive, asked.get("kind"))
    decision = ReviewDecision(call.named("id"), asked["verdict"], edits, asked.get("record"), asked.get("reason", ""))
    return decided_payload(call.lerim.review.decide(decision))


@REVIEWING.post("/review/{id}/reject", "review reject")
def reject_candidate(call: Call[RejectAsked]) -> CandidatePayload:
    """Reject a candidate. It is not proposed again."""
    review = call.lerim.review
    return candidate_payload(review.reject(review.find(call.named("id")), reason=call.asked.get("reason", "")))


@REVIEWING.post("/review/{id}/restore", "review restore")
def restore_candidate(call: Call[Nothing]) -> CandidatePayload:
    """Put a rejected or outdated candidate back up for review."""
    return candidate_payload(call.lerim.review.restore(call.lerim.review.find(call.named("id"))))
