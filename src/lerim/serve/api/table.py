"""The table of routes: what each is called, what it asks and answers, and which commands it stands for. The router and
the OpenAPI document are both made of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from starlette.routing import Route

from lerim.dataclass import dataclass
from lerim.serve.api.answering import answer
from lerim.serve.api.asking import Call, asked_of
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.service import Lerim

Handler = Callable[[Call[Any]], Any]


@dataclass(frozen=True)
class ApiRoute:
    """One thing that can be asked over HTTP."""

    method: str
    path: str
    run: Handler
    #: The commands that do the same.
    does: tuple[str, ...]
    #: The code of an answer when all went well.
    code: int
    takes_long: bool

    @property
    def summary(self) -> str:
        return (inspect.getdoc(self.run) or "").replace("\n", " ")

    @property
    def asks(self) -> type[Any]:
        """What it takes: of the query if it reads, else of the body."""
        kind: type[Any] = get_args(_hints(self.run)["call"])[0]
        return kind

    @property
    def answers(self) -> Any:
        return _hints(self.run)["return"]

    async def handle(self, request: Request) -> Response:
        asked = await asked_of(request, self.asks)

        def work(lerim: Lerim) -> Any:
            return self.run(Call(request, lerim, asked))

        done = await in_lerim(request, work, takes_long=self.takes_long)
        version = done.get("version") if isinstance(done, dict) and "primitive" in done else None
        return answer(request, done, self.code, version)


class ApiTable:
    """The routes of one noun, in the order they are declared."""

    def __init__(self) -> None:
        self.all: list[ApiRoute] = []

    def get(self, path: str, *does: str, takes_long: bool = False) -> Callable[[Handler], Handler]:
        """Declare the decorated function as what answers a read."""
        return self._declared("GET", path, does, 200, takes_long)

    def post(self, path: str, *does: str, code: int = 200, takes_long: bool = False) -> Callable[[Handler], Handler]:
        """Declare the decorated function as what changes something."""
        return self._declared("POST", path, does, code, takes_long)

    def patch(self, path: str, *does: str) -> Callable[[Handler], Handler]:
        """The same, of something that is there."""
        return self._declared("PATCH", path, does, 200, False)

    def delete(self, path: str, *does: str) -> Callable[[Handler], Handler]:
        """The same, of something that shall no longer be there."""
        return self._declared("DELETE", path, does, 200, False)

    def _declared(
        self, method: str, path: str, does: tuple[str, ...], code: int, takes_long: bool
    ) -> Callable[[Handler], Handler]:
        def declare(run: Handler) -> Handler:
            self.all.append(ApiRoute(method, path, run, does, code, takes_long))
            return run

        return declare


def starlette_routes(table: list[ApiRoute]) -> list[Route]:
    return [Route(route.path, route.handle, methods=[route.method]) for route in table]


def _hints(run: Handler) -> dict[str, Any]:
    return get_type_hints(run, include_extras=True)
