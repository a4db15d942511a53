"""The line to a client: how long it may say nothing, how long it may not listen, and how many there are.

uvicorn waits for the head of a request as long as it takes, and for a client that does not read its answer, too.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from lerim.serve.web.gate import HEADERS

if TYPE_CHECKING:
    from lerim.serve.web.limits import Patience

_FULL = "too many connections; try again in a moment\n"
_STRANGE = "this is no HTTP that can be understood\n"
_LATE = "what you ask takes too long to arrive\n"


def plain_answer(status: str, words: str) -> bytes:
    """An answer to somebody who has not asked anything that can be understood."""
    head = [f"HTTP/1.1 {status}", "content-type: text/plain; charset=utf-8", f"content-length: {len(words)}"]
    head += [f"{name.decode()}: {value.decode()}" for name, value in HEADERS]
    return "\r\n".join((*head, "cache-control: no-store", "connection: close", "", words)).encode()


class PatientLine(H11Protocol):
    """A connection with ends to its patience."""

    patience: Patience
    _late: asyncio.TimerHandle | None = None
    _deaf: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.patience.lines:
            transport.write(plain_answer("503 Service Unavailable\r\nretry-after: 2", _FULL))
            transport.close()
        else:
            self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # While a request is at work its body is the gate's to wait for; else a head has begun, and must end.
        if self._is_at_work():
            self._stop_waiting()
        elif self._late is None:
            self._wait_for_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._is_at_work():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self.transport.write(plain_answer("400 Bad Request", _STRANGE))
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._deaf = self.loop.call_later(self.patience.reading, self.transport.abort)

    def resume_writing(self) -> None:
        if self._deaf is not None:
            self._deaf.cancel()
            self._deaf = None
        super().resume_writing()

    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._late = self.loop.call_later(self.patience.head, self._give_up)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if not self.transport.is_closing():
            self.transport.write(plain_answer("408 Request Timeout", _LATE))
            self.transport.close()


def lines_with(patience: Patience) -> type[Any]:
    """The lines of a server with so much patience."""
    return type("PatientLine", (PatientLine,), {"patience": patience})
