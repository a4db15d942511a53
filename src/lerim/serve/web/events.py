"""What goes on, as it goes on: server-sent events about syncs and runs, whoever started them.

Nothing is booked for it: the queue and the runs' folders are asked once a second, for all who listen together, and only
while somebody listens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.responses import StreamingResponse

from lerim.errors import LerimError
from lerim.payloads.progress import ProgressPayload, progress_payload
from lerim.serve.web.opened import Opener, project_of
from lerim.serve.web.refusals import HttpRefusal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.service import Lerim

_EVERY_SECONDS = 1.0
#: A line that is silent for longer is thought dead by what lies between.
_SILENT_SECONDS = 15.0
#: A browser shows few pages at once.
_MOST = 32
_RUNS = 5
_WORKING = 20


class Watchers:
    """Those who listen, by the project they look at; and the one look for all of them."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._latest: dict[str, str] = {}
        self._listening: dict[str, int] = {}
        self._news = asyncio.Condition()
        self._poller: asyncio.Task[None] | None = None

    @property
    def is_polling(self) -> bool:
        return self._poller is not None

    def require_room(self) -> None:
        """Raises HttpRefusal."""
        if sum(self._listening.values()) >= _MOST:
            raise HttpRefusal(503, f"{_MOST} pages are listening already; close some")

    async def listen(self, project: str) -> AsyncIterator[str]:
        """What there is to tell now, and whenever it changes; an empty text now and then when it does not."""
        self._listening[project] = self._listening.get(project, 0) + 1
        told = ""
        try:
            if self._poller is None:
                self._poller = asyncio.create_task(self._poll())
            while True:
                try:
                    async with asyncio.timeout(_SILENT_SECONDS):
                        told = await self._other_than(told, project)
                    yield told
                except TimeoutError:
                    yield ""
        finally:
            self._leave(project)

    async def _other_than(self, told: str, project: str) -> str:
        async with self._news:
            await self._news.wait_for(lambda: self._latest.get(project, told) != told)
        return self._latest[project]

    def _leave(self, project: str) -> None:
        self._listening[project] -= 1
        if not self._listening[project]:
            del self._listening[project]
            self._latest.pop(project, None)
        if not self._listening and self._poller is not None:
            self._poller.cancel()
            self._poller = None

    async def _poll(self) -> None:
        while True:
            for project in [*self._listening]:
                with suppress(LerimError):  # A store that is busy now is asked again in a second.
                    found = await self._opener.run(project, progress, writes=False)
                    if project in self._listening:
                        self._latest[project] = json.dumps(found, ensure_ascii=False)
            async with self._news:
                self._news.notify_all()
            await asyncio.sleep(_EVERY_SECONDS)


def progress(lerim: Lerim) -> ProgressPayload:
    """How far the work at hand has come, on this machine and in this project."""
    from lerim.sessions.session import SessionState

    queue = lerim.sessions.queue
    working = queue.list(SessionState.RUNNING, limit=_WORKING)
    return progress_payload(queue.counts(), working, lerim.runs.list(_RUNS))


async def events(request: Request) -> Response:
    """`/events`: listen."""
    watchers: Watchers = request.app.state.watchers
    project = project_of(request)
    watchers.require_room()
    await anyio.to_thread.run_sync(request.app.state.opener.folder, project)

    async def stream() -> AsyncIterator[str]:
        yield "retry: 3000\n\n"
        async for text in watchers.listen(project):
            yield f"event: progress\ndata: {text}\n\n" if text else ": still here\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")
