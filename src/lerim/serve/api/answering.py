"""How the API answers: JSON with an ETag, nothing when it is known already, and errors as one document."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from lerim.errors import BudgetReached, Conflict, LerimError, NotAllowed, NotFound, ScopeError, StoreBusy, UsageError
from lerim.payloads.web import ApiErrorPayload, api_error_payload, conflict_payload

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.context.place import Kept

_KINDS = (
    (NotFound, 404),
    (NotAllowed, 403),
    (UsageError, 400),
    (Conflict, 409),
    (ScopeError, 409),
    (StoreBusy, 503),
    (BudgetReached, 429),
)


class Outdated(Conflict):
    """Somebody changed a memory since whoever asks has read it: both sides are shown, and nothing was written."""

    def __init__(self, kept: Kept, base: int, mine: dict[str, Any], *, by_header: bool) -> None:
        super().__init__(
            f"{kept.record.id} was changed meanwhile: it is at version {kept.record.version}, yours is from {base}",
            hint="look at both, and send what shall hold with the current version",
        )
        self.kept = kept
        self.mine = mine
        self.by_header = by_header


def status_of(error: LerimError) -> int:
    """How HTTP calls what went wrong."""
    if isinstance(error, Outdated) and error.by_header:
        return 412
    return next((code for kind, code in _KINDS if isinstance(error, kind)), 500)


def api_failure(error: LerimError) -> Response:
    """What went wrong, as JSON."""
    code = status_of(error)
    told: ApiErrorPayload = api_error_payload(error.message, error.hint, code)
    body = conflict_payload(told, error.mine, error.kept) if isinstance(error, Outdated) else told
    return Response(_json(body), code, media_type="application/json")


def answer(request: Request, document: Any, code: int, version: int | None = None) -> Response:
    """A document, or that it has not changed. `version` is that of the memory it shows, to be named by whoever
    changes it."""
    body = _json(document)
    digest = sha256(body).hexdigest()[:32]
    tag = f'"{digest}"' if version is None else f'"v{version}-{digest}"'
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    headers = {"etag": tag}
    if request.method in ("GET", "HEAD") and (tag in known or "*" in known):
        return Response(status_code=304, headers=headers)
    return Response(body, code, headers, media_type="application/json")


def version_asked_for(request: Request) -> int | None:
    """The version of a memory that If-Match names. Raises UsageError."""
    given = request.headers.get("if-match", "").strip()
    if not given or given == "*":
        return None
    number = given.removeprefix("W/").strip('"').partition("-")[0].removeprefix("v")
    if not number.isascii() or not number.isdecimal():
        raise UsageError("If-Match names no version", hint="send the ETag with which you got the memory")
    return int(number)


def _json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
