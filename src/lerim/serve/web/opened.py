"""How a request gets at the memory: a fresh `Lerim` in a thread of its own, so that nothing grows stale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from lerim.context.projects import GLOBAL, Project
from lerim.dataclass import dataclass
from lerim.serve.web.gate import SAFE_METHODS
from lerim.service import Lerim

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.serve.web.site import Site

_T = TypeVar("_T")
#: How a request names the project of the folder where the server was started.
HERE = "here"
#: Those who read do so side by side; those who write, one by one.
_READERS = 4


@dataclass(frozen=True)
class KnownProjects:
    """The projects that can be looked at, as the last request found them; `here` is None outside of any."""

    here: Project | None = None
    all: tuple[Project, ...] = ()


class Opener:
    """Opens the memory for requests."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.known = KnownProjects()
        self._readers = anyio.CapacityLimiter(_READERS)
        self._writer = anyio.CapacityLimiter(1)

    async def run(self, project: str, work: Callable[[Lerim], _T], *, writes: bool) -> _T:
        """Do some work in the memory of a project. Raises LerimError."""
        limiter = self._writer if writes else self._readers
        return await anyio.to_thread.run_sync(partial(self._in_thread, project, work), limiter=limiter)

    def _in_thread(self, project: str, work: Callable[[Lerim], _T]) -> _T:
        with Lerim(self._folder(project), env=self.site.env) as lerim:
            lerim.config  # noqa: B018 - settings that cannot be read are said, whatever is asked
            self._note(lerim, is_here=project == HERE)
            return work(lerim)

    def _note(self, lerim: Lerim, *, is_here: bool) -> None:
        projects = tuple(lerim.projects.all())
        root = lerim.house.project_root if is_here else self.known.here and self.known.here.root
        self.known = KnownProjects(next((one for one in projects if one.root == root), None), projects)

    def _folder(self, project: str) -> str:
        """The folder of a project: only of those that are registered. Raises NotFound."""
        if project == HERE:
            return self.site.folder
        with Lerim(self.site.folder, env=self.site.env) as lerim:
            return str(lerim.house.home if project == GLOBAL else lerim.projects.find(project).root)


def project_of(request: Request) -> str:
    """The project that a request names: pages in their path, programs in their query."""
    named: str = request.path_params.get("project") or request.query_params.get("project") or HERE
    return named


async def in_lerim(request: Request, work: Callable[[Lerim], _T]) -> _T:
    """Do what a request asks in the memory of its project. Raises LerimError."""
    opener: Opener = request.app.state.opener
    return await opener.run(project_of(request), work, writes=request.method not in SAFE_METHODS)
