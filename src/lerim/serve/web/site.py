"""Where the memory is served, and for whom."""

from __future__ import annotations

from collections.abc import Mapping

from lerim.dataclass import dataclass

HOST = "127.0.0.1"
LOOPBACK = (HOST, "::1", "localhost")
#: Addresses that stand for all of a machine's: nobody names one to reach it.
_ANY = ("0.0.0.0", "::", "")
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Site:
    """What a request has to name, and the secret it has to bring."""

    port: int
    token: str
    #: The folder where it was started, and the environment: whose memory is served when a request names no project.
    folder: str
    env: Mapping[str, str]
    host: str = HOST
    has_tls: bool = False
    is_read_only: bool = False
    #: Other names by which it is reached, as a machine's on its network.
    also_named: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that requests may name."""
        reached = (*(name for name in (self.host, *self.also_named) if name not in _ANY), HOST, "localhost")
        named = [f"{_bracketed(name)}:{self.port}" for name in reached]
        if self.port == _USUAL_PORTS[self.scheme]:
            named += map(_bracketed, reached)
        return tuple(dict.fromkeys(name.lower() for name in named))

    @property
    def origins(self) -> tuple[str, ...]:
        """The pages that requests may come from."""
        return tuple(f"{self.scheme}://{name}" for name in self.names)

    @property
    def url(self) -> str:
        """How a browser on this machine reaches it."""
        name = next(name for name in (*self.also_named, self.host, HOST) if name not in _ANY)
        return f"{self.scheme}://{_bracketed(name)}:{self.port}"

    @property
    def cookie(self) -> str:
        """What its cookie is called: browsers send those of all ports of a machine to each of them."""
        return f"lerim_{self.port}"

    @property
    def scheme(self) -> str:
        return "https" if self.has_tls else "http"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name
