"""How much is taken from whom: how long a client may take, how large a body is, and how often one may ask."""

from __future__ import annotations

from collections.abc import Callable

from lerim.dataclass import dataclass, field


@dataclass(frozen=True)
class Patience:
    """Seconds that a client may take, and how many are served at once."""

    #: From the first byte to the last of a request's head, and as long between two requests.
    head: float = 15.0
    #: For a whole body.
    body: float = 60.0
    #: Without reading a byte of its answer.
    reading: float = 60.0
    #: Lines that are open at once, and requests at work: whoever comes then is told so.
    lines: int = 256
    requests: int = 128


#: Room for the longest trace that can be submitted; and for what people type into a form.
MAX_BODY = 8 * 1024 * 1024
MAX_FORM = 4 * 1024 * 1024


@dataclass
class Pace:
    """So many at once, and then so many a second."""

    burst: float
    per_second: float
    clock: Callable[[], float]
    _left: float = field(default=-1.0)
    _since: float = field(default=0.0)

    def take(self) -> bool:
        """Whether one more is within it."""
        now = self.clock()
        left = self.burst if self._left < 0 else self._left + (now - self._since) * self.per_second
        self._since, self._left = now, min(left, self.burst)
        if self._left < 1:
            return False
        self._left -= 1
        return True
