"""Team: who works with a shared store, what each of them may do, their tokens, and who did what."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from lerim.errors import UsageError
from lerim.payloads.team import access_payload, member_payload, myself_payload, token_payload
from lerim.serve.pages.shell import Flash, form_of, page, see_other
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.service import Lerim

_ENTRIES = 50


async def team(request: Request) -> Response:
    return page(request, "team.html", **await in_lerim(request, _found))


async def change(request: Request) -> Response:
    """Give or take a role, or take back a token."""
    form = await form_of(request)
    given = {name: str(form.get(name, "")) for name in ("action", "name", "role", "in_project", "token")}
    if given["action"] not in _CHANGES:
        raise UsageError("there is nothing like that to change", hint=f"one of {', '.join(_CHANGES)}")
    return see_other(request, "/team", await in_lerim(request, partial(_changed, given)))


def _found(lerim: Lerim) -> dict[str, Any]:
    if lerim.house.shared is None:
        return {"is_shared": False}
    desk = lerim.team
    return {
        "is_shared": True,
        "me": myself_payload(desk.people.me()),
        "members": [member_payload(one) for one in desk.people.members()],
        "tokens": [token_payload(one) for one in desk.tokens.all()],
        "entries": [access_payload(one) for one in desk.entries(_ENTRIES)],
    }


def _changed(given: dict[str, str], lerim: Lerim) -> Flash:
    return _CHANGES[given["action"]](lerim, given)


def _grant(lerim: Lerim, given: dict[str, str]) -> Flash:
    if given["role"] not in ("reader", "writer", "admin"):
        raise UsageError("a member is a reader, a writer or an admin")
    done = lerim.team.grant(given["name"], given["role"], given["in_project"] or None)
    return Flash(f"{given['name']} is {done.role} of {done.project or 'all projects'}.")


def _revoke(lerim: Lerim, given: dict[str, str]) -> Flash:
    done = lerim.team.revoke(given["name"], given["in_project"] or None)
    return Flash(f"{given['name']} is no longer {done.role} of {done.project or 'all projects'}.")


def _take_back(lerim: Lerim, given: dict[str, str]) -> Flash:
    done = lerim.team.tokens.revoke(given["token"])
    return Flash(f"The token for {done.label} lets nobody in any more.")


_CHANGES = {"grant": _grant, "revoke": _revoke, "token": _take_back}
ROUTES = [Route("/team", team), Route("/team", change, methods=["POST"])]
