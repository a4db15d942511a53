"""Health: the audit, the queue, the index, the agents and the store; with what mends each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from lerim.context.records import LESSONS, Primitive
from lerim.dataclass import dataclass
from lerim.errors import UsageError
from lerim.payloads.sessions import audit_payload, session_payload, unscoped_payload
from lerim.payloads.sources import agent_payload
from lerim.payloads.status import StatusPayload, status_payload
from lerim.payloads.upkeep import check_payload
from lerim.serve.pages.charts import size_told
from lerim.serve.pages.sessions import STATE_WORDS, session_path
from lerim.serve.pages.shell import count as counted
from lerim.serve.pages.shell import form_of, page, see_other
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.payloads.connect import ConnectionPayload
    from lerim.payloads.daemon import DaemonPayload
    from lerim.payloads.sessions import AuditPayload, SessionPayload, UnscopedPayload
    from lerim.serve.web.opened import Connections
    from lerim.service import Lerim

#: Sessions that went wrong, and folders without a project, that are named one by one.
_MOST = 20
_FATE_TONES = {"ingested": "good", "waiting": "accent", "skipped": "dim", "failed": "bad", "vanished": "warn"}
#: The largest memory that is checked without being asked: a second or so.
_CHECKED_BY_ITSELF = 2_000


@dataclass(frozen=True)
class Ailment:
    """Something that is not as it should be, what mends it, and whether a button here may."""

    what: str
    why: str
    command: str
    #: `retry`, `index` …, or nothing.
    action: str = ""
    label: str = ""
    tone: str = "warn"


async def health(request: Request) -> Response:
    asked: Connections | None = request.app.state.connections
    found = await in_lerim(request, partial(_found, asked, is_checked="check" in request.query_params))
    return page(
        request,
        "health.html",
        size=size_told,
        words=STATE_WORDS,
        session_path=session_path,
        tones=_FATE_TONES,
        **found,
    )


async def mend(request: Request) -> Response:
    """What is safe to do by a button."""
    action = str((await form_of(request)).get("action", ""))
    if action not in _REMEDIES:
        raise UsageError("there is no such remedy", hint=f"one of {', '.join(_REMEDIES)}")
    return see_other(request, "/health", await in_lerim(request, _REMEDIES[action], takes_long=True))


def _found(connections: Connections | None, lerim: Lerim, *, is_checked: bool) -> dict[str, Any]:
    status = status_payload(lerim.status())
    sessions = lerim.sessions
    audit = audit_payload(sessions.audit())
    wrong = [session_payload(one) for one in _wrong(lerim)]
    unscoped = [unscoped_payload(one) for one in sessions.unscoped()]
    agents = [agent_payload(one) for one in sessions.examine(thoroughly=False)]
    is_checked = is_checked or status["record_count"] <= _CHECKED_BY_ITSELF
    check = check_payload(lerim.memory.check()) if is_checked and not lerim.house.scope.is_empty else None
    connected = connections(lerim) if connections else None
    daemon = _daemon(lerim)
    found = {
        "status": status,
        "kept": [_kept(place["records"]) for place in status["places"]],
        "counts": {str(state): number for state, number in sessions.queue.counts().items()},
        "audit": audit,
        "parts": _parts(audit),
        "wrong": wrong[:_MOST],
        "unscoped": unscoped[:_MOST],
        "agents": sorted(agents, key=lambda one: (-one["files"], one["agent"])),
        "check": check,
        "connected": connected,
        "daemon": daemon,
        "is_shared": lerim.house.shared is not None,
    }
    return {**found, "ailments": [*_ailments(status, audit, wrong, unscoped, check, connected)]}


def _daemon(lerim: Lerim) -> DaemonPayload | None:
    """How the daemon is; None where there can be none."""
    from lerim.daemon.address import daemon_address
    from lerim.daemon.report import daemon_state
    from lerim.payloads.daemon import daemon_payload

    address = daemon_address(lerim.house.env)
    return daemon_payload(lerim, daemon_state(address)) if address is not None else None


def _kept(records: Mapping[str, int]) -> str:
    """`4 decisions, 7 learnings; 2 superseded`: what holds, and what does not any more."""
    sums: dict[str, int] = {}
    for name, number in records.items():
        primitive, _, status = name.partition(".")
        key = primitive if status == "active" else status
        sums[key] = sums.get(key, 0) + number
    plurals = {str(one): f"{one}s" for one in LESSONS} | {str(Primitive.SUMMARY): "summaries"}
    words = [f"{number:,} {plurals.get(key, key) if number != 1 else key}" for key, number in sums.items() if number]
    return ", ".join(words) or "empty"


def _wrong(lerim: Lerim) -> list[Any]:
    from lerim.sessions.session import SessionState

    queue = lerim.sessions.queue
    return [one for state in (SessionState.DEAD, SessionState.FAILED) for one in queue.list(state, limit=_MOST)]


def _parts(audit: AuditPayload) -> list[tuple[float, str, str]]:
    """Every byte as a part of one bar."""
    sums: dict[str, int] = {}
    for entry in audit["entries"]:
        sums[entry["fate"]] = sums.get(entry["fate"], 0) + entry["bytes"]
    whole = audit["bytes"] or 1
    return [
        (number / whole, _FATE_TONES.get(fate, "dim"), f"{fate}: {size_told(number)}, {number / whole:.1%}")
        for fate, number in sums.items()
        if number
    ]


# --- what is not as it should be


def _ailments(
    status: StatusPayload,
    audit: AuditPayload,
    wrong: Sequence[SessionPayload],
    unscoped: Sequence[UnscopedPayload],
    check: Any,
    connected: Sequence[ConnectionPayload] | None,
) -> list[Ailment]:
    """The worst first."""
    found = []
    if not audit["whole"]:
        found.append(Ailment("The audit does not add up", "This is a bug.", "lerim audit --json", tone="bad"))
    if check and not check["sound"]:
        verb = "does" if len(check["findings"]) == 1 else "do"
        what = f"{counted(len(check['findings']), 'promise')} about the memory {verb} not hold"
        found.append(Ailment(what, check["findings"][0]["what"], check["findings"][0]["fix"], tone="bad"))
    elif check is None and (problems := sum(place["problems"] for place in status["places"])):
        verb = "needs" if problems == 1 else "need"
        found.append(Ailment(f"{counted(problems, 'memory file')} {verb} a look", "", "lerim memory check", tone="bad"))
    found += _of_sessions(status, wrong, unscoped)
    index = status["index"]
    if index["state"] != "fresh":
        button = ("index", "Index now") if index["state"] in ("warming", "stale") else ("", "")
        why = index["reason"] or f"{index['missing']:,} of {index['records']:,} memories have no vector yet."
        found.append(
            Ailment(f"The search index is {index['state']}", why, index["fix"] or "lerim index refresh", *button)
        )
    if connected is not None and not any(one["standing"] == "connected" for one in connected):
        here = next((one["agent"] for one in connected if one["found"]), "AGENT")
        found.append(
            Ailment("No agent is handed the memory", "New sessions begin without it.", f"lerim connect {here}")
        )
    return found


def _of_sessions(
    status: StatusPayload, wrong: Sequence[SessionPayload], unscoped: Sequence[UnscopedPayload]
) -> list[Ailment]:
    counts, found = status["sessions"], []
    dead, failed = counts.get("dead", 0), counts.get("failed", 0)
    if dead or failed:
        parts = [f"{dead:,} given up"] * bool(dead) + [f"{failed:,} to be tried again"] * bool(failed)
        what = f"{counted(dead + failed, 'session')} could not be read: {', '.join(parts)}"
        button = ("retry", "Try them again")
        found.append(Ailment(what, wrong[0]["reason"] or "" if wrong else "", "lerim retry --all", *button, "bad"))
    if pending := counts.get("pending", 0):
        verb = "waits" if pending == 1 else "wait"
        found.append(Ailment(f"{counted(pending, 'session')} {verb} to be read", "", "lerim sync", tone="accent"))
    if unscoped:
        total = sum(one["sessions"] for one in unscoped)
        verb = "belongs" if total == 1 else "belong"
        why = f"In {counted(len(unscoped), 'folder')}; nothing is learned from them."
        found.append(Ailment(f"{counted(total, 'session')} {verb} to no project", why, "lerim unscoped"))
    return found


# --- what a button may do


def _retry(lerim: Lerim) -> str:
    return f"{counted(lerim.sessions.queue.retry(), 'session')} will be tried again at the next sync."


def _look(lerim: Lerim) -> str:
    found = lerim.sessions.discover()
    return f"Looked at {counted(found.containers, 'file')}: {counted(found.new, 'new session')}, {found.grown:,} grown."


def _index(lerim: Lerim) -> str:
    if lerim.index.missing() > _CHECKED_BY_ITSELF and lerim.index.start_in_background():
        return "The index is being made in the background."
    lerim.index.refresh()
    return "The index is up to date."


_REMEDIES: dict[str, Callable[[Lerim], str]] = {"retry": _retry, "look": _look, "index": _index}

ROUTES = [Route("/health", health), Route("/health", mend, methods=["POST"])]
