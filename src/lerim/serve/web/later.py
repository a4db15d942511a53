"""An application that takes long to load, and is loaded when somebody first asks it: many servers are never asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from lerim.serve.web.refusals import Receive, Scope, Send

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from starlette.applications import Starlette


class LoadedLater:
    """Stands for an application until it is loaded, and lives as long as the server does."""

    def __init__(self, load: Callable[[], Starlette]) -> None:
        self._load = load
        self._app: Starlette | None = None
        self._lock = anyio.Lock()
        self._life: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await (await self._loaded())(scope, receive, send)

    async def _loaded(self) -> Starlette:
        async with self._lock:
            if self._app is None:
                assert self._life is not None, "a server that takes requests is alive"
                app = await anyio.to_thread.run_sync(self._load)
                await self._life.start(_keep_alive, app)
                self._app = app
            return self._app

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()  # That the server starts.
        async with anyio.create_task_group() as self._life:
            await send({"type": "lifespan.startup.complete"})
            await receive()  # That it ends.
            self._life.cancel_scope.cancel()
        await send({"type": "lifespan.shutdown.complete"})


async def _keep_alive(app: Starlette, *, task_status: TaskStatus[None]) -> None:
    """Hold what an application needs as long as it is asked, in one task from beginning to end."""
    async with app.router.lifespan_context(app):
        task_status.started()
        await anyio.sleep_forever()
