"""Whether it helps: what sessions made of the memories they were given, and what a brief would have spared them."""

from typing import TYPE_CHECKING, TypedDict

from lerim.context.records import time_text

if TYPE_CHECKING:
    from lerim.runtime.replay import ReplayedPoint, ReplayedSession, ReplayScore
    from lerim.sessions.served import Usefulness


class MemoryUsePayload(TypedDict):
    id: str
    title: str | None
    given: int
    followed: int
    ignored: int
    contradicted: int


class SaidAgainPayload(TypedDict):
    session: str
    line: int
    id: str
    given: bool


class UsefulnessPayload(TypedDict):
    sessions: int
    judged: int
    tokens: int
    followed: int
    ignored: int
    contradicted: int
    tokens_per_useful: float | None
    memories: list[MemoryUsePayload]
    never_used: list[str]
    said_again: list[SaidAgainPayload]


class ReplayedPointPayload(TypedDict):
    line: int
    text: str
    prevented_by: str | None


class ReplayedSessionPayload(TypedDict):
    session: str
    title: str
    project: str | None
    started: str
    brief: str
    records: list[str]
    corrections: list[ReplayedPointPayload]
    errors: list[ReplayedPointPayload]


class ReplayScorePayload(TypedDict):
    project: str | None
    sessions: int
    corrections: int
    corrections_prevented: int
    errors: int
    errors_prevented: int
    share: float | None


class ReplayPayload(TypedDict):
    sessions: list[ReplayedSessionPayload]
    scores: list[ReplayScorePayload]
    skipped: list[str]


def usefulness_payload(found: "Usefulness", titles: dict[str, str]) -> UsefulnessPayload:
    return {
        "sessions": found.sessions,
        "judged": found.judged,
        "tokens": found.tokens,
        "followed": found.followed,
        "ignored": found.ignored,
        "contradicted": found.contradicted,
        "tokens_per_useful": found.tokens_per_useful,
        "memories": [
            {
                "id": one.record,
                "title": titles.get(one.record),
                "given": one.given,
                "followed": one.followed,
                "ignored": one.ignored,
                "contradicted": one.contradicted,
            }
            for one in found.memories
        ],
        "never_used": list(found.never_used),
        "said_again": [
            {"session": one.session, "line": one.line, "id": one.record, "given": one.is_given}
            for one in found.said_again
        ],
    }


def replay_payload(replayed: "list[ReplayedSession]", scores: "list[ReplayScore]", skipped: list[str]) -> ReplayPayload:
    return {
        "sessions": [_session(one) for one in replayed],
        "scores": [_score(one) for one in scores],
        "skipped": skipped,
    }


def _session(one: "ReplayedSession") -> ReplayedSessionPayload:
    return {
        "session": one.session,
        "title": one.title,
        "project": str(one.project) if one.project else None,
        "started": time_text(one.started),
        "brief": one.brief,
        "records": list(one.records),
        "corrections": [_point(point) for point in one.corrections],
        "errors": [_point(point) for point in one.errors],
    }


def _point(point: "ReplayedPoint") -> ReplayedPointPayload:
    return {"line": point.line, "text": point.text, "prevented_by": point.record}


def _score(score: "ReplayScore") -> ReplayScorePayload:
    return {
        "project": str(score.project) if score.project else None,
        "sessions": score.sessions,
        "corrections": score.corrections,
        "corrections_prevented": score.corrections_prevented,
        "errors": score.errors,
        "errors_prevented": score.errors_prevented,
        "share": score.share,
    }
