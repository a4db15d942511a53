"""Where the memory is served, and for whom."""

from __future__ import annotations

from collections.abc import Mapping

from lerim.dataclass import dataclass

HOST = "127.0.0.1"


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

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts that requests may name."""
        return tuple(dict.fromkeys(f"{name}:{self.port}" for name in (self.host, HOST, "localhost")))

    @property
    def origins(self) -> tuple[str, ...]:
        """The pages that requests may come from."""
        return tuple(f"{self._scheme}://{name}" for name in self.names)

    @property
    def url(self) -> str:
        return f"{self._scheme}://{self.host}:{self.port}"

    @property
    def cookie(self) -> str:
        """What its cookie is called: browsers send those of all ports of a machine to each of them."""
        return f"lerim_{self.port}"

    @property
    def _scheme(self) -> str:
        return "https" if self.has_tls else "http"
