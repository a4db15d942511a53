"""How a browser gets in: by a link that works once, and by the cookie it is given for it.

Kept in memory alone: when the server ends, every browser is logged out. What is looked up is a digest of what was
brought, so that how long it takes tells nothing about what would have been right.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256

from lerim.dataclass import dataclass, field

_BYTES = 32
#: How long a link waits for its browser, and how long a browser that asks nothing stays logged in.
LINK_SECONDS = 120.0
IDLE_SECONDS = 12 * 3600.0
#: More browsers than anybody has; the one that asked longest ago is forgotten.
_MOST = 64


@dataclass
class Logins:
    """The links that wait, and the browsers that came by one."""

    random: Callable[[int], bytes]
    clock: Callable[[], float]
    #: Each with the moment when it stops to count.
    _links: dict[bytes, float] = field(default_factory=dict)
    _browsers: dict[bytes, float] = field(default_factory=dict)

    def link(self) -> str:
        """A code that lets one browser in, once."""
        return self._put(self._links, LINK_SECONDS)

    def enter(self, code: str) -> str | None:
        """The cookie for whoever brings a code; None for one that is used, too old or made up."""
        until = self._links.pop(_digest(code), 0.0)
        return self._put(self._browsers, IDLE_SECONDS) if self.clock() < until else None

    def is_in(self, cookie: str) -> bool:
        """Whether a browser with this cookie is logged in. Asking keeps it so."""
        known = _digest(cookie)
        if self.clock() >= self._browsers.pop(known, 0.0):
            return False
        self._browsers[known] = self.clock() + IDLE_SECONDS
        return True

    def leave(self, cookie: str) -> None:
        self._browsers.pop(_digest(cookie), None)

    @staticmethod
    def form_token(cookie: str) -> str:
        """What a form of ours has and a form of another page cannot: made from a cookie that no script can read."""
        return hmac.new(cookie.encode(), b"form", sha256).hexdigest()

    def _put(self, where: dict[bytes, float], seconds: float) -> str:
        code = self.random(_BYTES).hex()
        where[_digest(code)] = self.clock() + seconds
        while len(where) > _MOST:
            del where[next(iter(where))]
        return code


def _digest(code: str) -> bytes:
    return sha256(code.encode("utf-8", "surrogateescape")).digest()
