"""What tools of the MCP server answer to programs, beside the text that agents read."""

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from lerim.context.place import Kept
    from lerim.runtime.remembering import Remembered
    from lerim.sessions.session import Session


class RememberedPayload(TypedDict):
    kept: str | None
    noted: str | None
    reason: str


class FeedbackPayload(TypedDict):
    id: str
    status: str
    confidence: float


class SubmittedPayload(TypedDict):
    session: str
    state: str


class ServingPayload(TypedDict):
    url: str
    token_file: str
    pid: int


class DashboardPayload(TypedDict):
    link: str
    pid: int | None


def remembered_payload(done: "Remembered") -> RememberedPayload:
    return {
        "kept": done.kept.record.id if done.kept else None,
        "noted": done.noted.candidate.id if done.noted else None,
        "reason": done.reason,
    }


def feedback_payload(kept: "Kept") -> FeedbackPayload:
    return {"id": kept.record.id, "status": str(kept.record.status), "confidence": kept.record.confidence}


def submitted_payload(session: "Session") -> SubmittedPayload:
    return {"session": session.name, "state": str(session.state)}


def serving_payload(url: str, token_file: "Path", pid: int) -> ServingPayload:
    return {"url": url, "token_file": str(token_file), "pid": pid}


def dashboard_payload(link: str, pid: int | None) -> DashboardPayload:
    """`pid` is the server's, when it was started for this."""
    return {"link": link, "pid": pid}
