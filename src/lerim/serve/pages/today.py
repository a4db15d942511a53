"""Today: what was learned, what waits, what is suspect, and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from lerim.payloads.status import StatusPayload, status_payload
from lerim.serve.pages.shell import page
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.service import Lerim


async def today(request: Request) -> Response:
    def work(lerim: Lerim) -> StatusPayload:
        return status_payload(lerim.status())

    return page(request, "today.html", status=await in_lerim(request, work))


ROUTES = [Route("/", today)]
