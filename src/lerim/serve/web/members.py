"""Members of a shared store who come with a token: each is served from a home of its own on this machine.

Whose token it is decides everything: the connection to the store takes on that member's role, narrowed to what the
token allows, and what is derived from it, as files and index, lies where no other token is served from. So nothing of
the person who runs the server, and nothing of another member, is there to be found. What is about the machine itself,
its settings, sessions and programs, is not served to members at all.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from lerim.config.acting import coming_by
from lerim.config.layers import STORAGE_VARIABLE
from lerim.context.projects import GLOBAL
from lerim.context.tokens import PREFIX, ApiTokens, Bearer
from lerim.dataclass import dataclass, replace
from lerim.errors import LerimError, NotAllowed, NotFound, UsageError
from lerim.private import make_private
from lerim.serve.web.limits import Pace
from lerim.serve.web.opened import HERE, NO_PROJECT, Opener
from lerim.serve.web.refusals import API, HttpRefusal, Scope
from lerim.service import Lerim
from lerim.storage.connections import Address
from lerim.storage.engine import open_shared

if TYPE_CHECKING:
    from lerim.context.shared_projects import SharedProject
    from lerim.serve.web.site import Site

#: What members may ask for: memories, and what is made of them.
SERVED = (
    "GET /memories",
    "POST /memories",
    "GET /memories/search",
    "POST /memories/undo",
    "GET /memories/{id}",
    "PATCH /memories/{id}",
    "POST /memories/{id}/archive",
    "POST /memories/{id}/restore",
    "POST /memories/{id}/supersede",
    "POST /memories/{id}/feedback",
    "GET /memories/{id}/history",
    "GET /memories/{id}/diff",
    "GET /memories/{id}/why",
    "GET /export",
    "POST /ask",
    "GET /views/{view}",
    "GET /views/{view}/status",
    "GET /graph",
    "GET /graph/export",
    "GET /graph/neighbors/{id}",
    "GET /graph/clusters",
    "GET /graph/clusters/{cluster}",
    "GET /graph/path",
    "GET /review",
    "GET /review/next",
    "GET /review/{id}/why",
    "POST /review/{id}/accept",
    "POST /review/{id}/decide",
    "POST /review/{id}/reject",
    "POST /review/{id}/restore",
    "GET /projects",
    "GET /team",
    "GET /team/me",
    "GET /team/tokens",
    "GET /team/audit",
    "DELETE /team/tokens/{id}",
    "POST /team/members/{name}/grant",
    "POST /team/members/{name}/revoke",
)
_PLAIN = ("/openapi.json", "/mcp")
_SERVED = re.compile("|".join(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(one)) for one in SERVED))
_VERSION = f"{API}v1"
#: Where their homes lie, below that of whoever serves.
_FOLDER = "served"
#: Of the server's own environment, what a member's work needs: no key and no setting of the person who runs it.
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LERIM_NO_HELPER", "OPENBLAS_NUM_THREADS")
#: Seconds that somebody is known by. The store itself looks at the token in every transaction, and has the last word.
_KNOWN_SECONDS = 5.0
_ASKED = (600.0, 200.0)
_MOST = 256


class MemberOpener(Opener):
    """Opens what one token may see. Projects that do not lie on this machine get folders of their own."""

    def folder(self, project: str) -> str:
        with Lerim(self.site.folder, env=self.site.env) as lerim:
            if project == GLOBAL:
                return str(lerim.house.home)
            found = self._placed(lerim)
        if project == NO_PROJECT:
            return self.site.folder
        wanted = found if project == HERE else [one for one in found if project in (one.id, one.name)]
        if len(wanted) == 1:
            return self._root(wanted[0].id)
        if project == HERE and found:
            names = ", ".join(sorted(one.name for one in found))
            raise UsageError(f"say which project: {names}", hint="?project=NAME")
        raise NotFound(f"no project '{'' if project == HERE else project}' that you may see", hint="GET /projects")

    def _placed(self, lerim: Lerim) -> list[SharedProject]:
        """Every project that the token opens, each with a folder here; those that it opens no more are forgotten."""
        from lerim.context.shared_projects import SharedProjects

        projects = lerim.projects
        assert isinstance(projects, SharedProjects), "members are served from a shared store only"
        projects.refresh()
        found = [one for one in projects.everywhere() if one.id != projects.global_id]
        for one in found:
            if one.here is None:
                root = Path(self._root(one.id))
                make_private(root)
                projects.join(root, one.id)
        return found

    def _root(self, project_id: str) -> str:
        return str(Path(self.site.folder) / "projects" / project_id)


@dataclass
class MemberDoor:
    """What one member is served with who comes by one token from one address."""

    bearer: Bearer
    opener: MemberOpener
    pace: Pace
    until: float

    @property
    def env(self) -> Mapping[str, str]:
        return self.opener.site.env


class MemberDoors:
    """Lets members in, by their tokens."""

    def __init__(
        self, site: Site, home: Path, address: Address, random: Callable[[int], bytes], clock: Callable[[], float]
    ) -> None:
        """`address` is the store's, with a login that may act for members."""
        self._site = site
        self._home = home
        self._address = address
        self._random = random
        self._clock = clock
        self._open: dict[tuple[bytes, str], MemberDoor] = {}
        self._is_swept = False

    async def door(self, given: bytes, scope: Scope) -> MemberDoor | None:
        """For who brings this; None when it is no token of a member, or one that does not hold. Raises HttpRefusal."""
        kind, _, text = given.decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not text.startswith(PREFIX):
            return None
        host = str((scope.get("client") or ("",))[0])
        key = (sha256(text.encode()).digest(), host)
        known = self._open.get(key)
        if known is None or self._clock() >= known.until:
            bearer = await anyio.to_thread.run_sync(self._bearer_of, text)
            self._open.pop(key, None)
            if bearer is None:
                return None
            known = self._made(bearer, host, known)
            self._open[key] = known
            while len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        if not known.pace.take():
            raise HttpRefusal(429, "so many requests in so short a time; ask again in a moment")
        return known

    def serves(self, scope: Scope) -> bool:
        path = scope["path"]
        return path in _PLAIN or bool(_SERVED.fullmatch(f"{scope['method']} {path.removeprefix(_VERSION)}"))

    def _bearer_of(self, text: str) -> Bearer | None:
        try:
            tokens = ApiTokens(open_shared(self._address.url, "team"), self._random)
            self._sweep(tokens)
            return tokens.bearer_of(text)
        except NotAllowed:
            return None  # Whoever serves is a member, and may not look at others' tokens.
        except LerimError as error:
            raise HttpRefusal(503, error.message, error.hint) from None

    def _sweep(self, tokens: ApiTokens) -> None:
        """Remove the homes of tokens that hold no more. Once: a server is started again now and then."""
        if self._is_swept:
            return
        self._is_swept = True
        held = {token.id for token in tokens.all() if token.holds}
        for home in (self._home / _FOLDER).glob("*"):
            if home.name not in held:
                shutil.rmtree(home, ignore_errors=True)

    def _made(self, bearer: Bearer, host: str, before: MemberDoor | None) -> MemberDoor:
        until = self._clock() + _KNOWN_SECONDS
        if before is not None:
            return replace(before, until=until)
        home = self._home / _FOLDER / bearer.token
        make_private(home / "projects", below=self._home)
        site = replace(self._site, folder=str(home), env=self._env(bearer, home, host))
        return MemberDoor(bearer, MemberOpener(site), Pace(*_ASKED, self._clock), until)

    def _env(self, bearer: Bearer, home: Path, host: str) -> dict[str, str]:
        kept = {name: self._site.env[name] for name in _KEPT if name in self._site.env}
        own = {"HOME": str(home), "LERIM_HOME": str(home / ".lerim"), STORAGE_VARIABLE: self._address.url}
        identity = {"role": bearer.login, "token": bearer.token, **({"address": host} if host else {})}
        return coming_by({**kept, **own}, "http", **identity)
