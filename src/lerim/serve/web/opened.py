"""How a request gets at the memory: a fresh `Lerim` in a thread of its own, so that nothing grows stale."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from lerim.context.projects import GLOBAL, Project
from lerim.dataclass import dataclass
from lerim.errors import Conflict, NotFound
from lerim.payloads.connect import ConnectionPayload
from lerim.serve.web.gate import MEMBER_KEY, SAFE_METHODS
from lerim.service import Lerim

if TYPE_CHECKING:
    from starlette.requests import Request

    from lerim.serve.web.site import Site

_T = TypeVar("_T")
#: How the agents here are connected: asked of whoever may know, which is not a server's business.
Connections = Callable[[Lerim], list[ConnectionPayload]]
#: How a request names the project of the folder where the server was started.
HERE = "here"
#: What members of a shared store ask that is about no project of theirs.
NO_PROJECT = ""
_OF_NO_PROJECT = ("/api/v1/team", "/api/v1/projects")
#: Those who read do so side by side; those who write, one by one; and what takes long, beside both.
_READERS = 4
#: A look at many files takes as much CPU as all else that a page needs. Where it takes longer than this, in seconds, it
#: is not taken again for so many times as long: an edit by hand shows up a few seconds later there.
_DEAR, _SPARED = 0.04, 10.0
#: What takes memories out as a whole, and what only asks though it is posted.
_EXPORTS, _QUESTIONS = ("/export", "/backups"), ("/ask",)


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
        self._long = anyio.CapacityLimiter(1)
        #: Until when what the files of a project say is known.
        self._looks: dict[str, float] = {}

    async def run(self, project: str, work: Callable[[Lerim], _T], *, writes: bool, takes_long: bool = False) -> _T:
        """Do some work in the memory of a project. Raises LerimError."""
        limiter = self._long if takes_long else self._writer if writes else self._readers
        step = self._in_thread if writes else self._read
        return await anyio.to_thread.run_sync(partial(step, project, work), limiter=limiter)

    def _read(self, project: str, work: Callable[[Lerim], _T]) -> _T:
        """Read, and look at the files once for all that is read; not again where that took long a moment ago."""
        looked = self._looks.get(project)
        is_known = looked is not None and time.monotonic() < looked

        def reading(lerim: Lerim) -> _T:
            memory = lerim.house.memory
            memory.look_once(known=is_known)
            done = work(lerim)
            if (took := memory.look_seconds or 0.0) > _DEAR:
                self._looks[project] = time.monotonic() + _SPARED * took
            return done

        return self._in_thread(project, reading)

    def _in_thread(self, project: str, work: Callable[[Lerim], _T]) -> _T:
        with Lerim(self.folder(project), env=self.site.env) as lerim:
            lerim.config  # noqa: B018 - settings that cannot be read are said, whatever is asked
            self._note(lerim, is_here=project == HERE)
            return work(lerim)

    def _note(self, lerim: Lerim, *, is_here: bool) -> None:
        projects = tuple(lerim.projects.all())
        root = lerim.house.project_root if is_here else self.known.here and self.known.here.root
        self.known = KnownProjects(next((one for one in projects if one.root == root), None), projects)

    def folder(self, project: str) -> str:
        """The folder of a project: only of those that are registered. Raises NotFound."""
        if project == HERE:
            return self.site.folder
        with Lerim(self.site.folder, env=self.site.env) as lerim:
            if project == GLOBAL:
                return str(lerim.house.home)
            found = [one for one in lerim.projects.all() if project in (one.id, one.name, str(one.root))]
        if len(found) > 1:
            raise Conflict(f"several projects are called '{project}'", hint="name it by its id: lerim project list")
        if not found:
            raise NotFound(f"no project '{project}'", hint="lerim project list")
        return str(found[0].root)


def project_of(request: Request) -> str:
    """The project that a request names: pages in their path, programs in their query."""
    is_page = request.url.path.startswith("/p/")
    named = request.path_params.get("project") if is_page else request.query_params.get("project")
    return named or HERE


async def in_lerim(request: Request, work: Callable[[Lerim], _T], *, takes_long: bool = False) -> _T:
    """Do what a request asks in the memory of its project. Raises LerimError."""
    door = request.scope.get(MEMBER_KEY)
    opener: Opener = door.opener if door else request.app.state.opener
    writes = request.method not in SAFE_METHODS

    def noted(lerim: Lerim) -> _T:
        lerim.house.note_access(f"{request.method} {request.url.path}", _kind(request))
        return work(lerim)

    project = NO_PROJECT if door and request.url.path.startswith(_OF_NO_PROJECT) else project_of(request)
    return await opener.run(project, noted, writes=writes, takes_long=takes_long)


def _kind(request: Request) -> str:
    """What a request does, for the log of a shared store."""
    path = request.url.path
    if path.endswith(_EXPORTS):
        return "export"
    return "read" if request.method in SAFE_METHODS or path.endswith(_QUESTIONS) else "write"
