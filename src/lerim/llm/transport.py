"""The wire to a model's server, with nothing believed that comes over it: bodies, redirects and headers have bounds.

A server may be anybody's. What it sends is read up to a limit, unpacked by us so that a small body cannot become a big
one, and freed of our own key before anybody else sees it. Loads httpx2: only who asks a model imports this module.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import httpx2
from pydantic_core import from_json

#: Bytes of an answer, unpacked. The longest answer of any model is a fraction of it.
MAX_BODY = 8 << 20
#: Bytes of a stream of events: each word of an answer comes in an envelope of its own.
MAX_STREAM = 32 << 20
#: Bytes of an error's body that are read: only its first words are told.
MAX_ERROR = 64 << 10
#: Seconds until somebody must be there.
_CONNECT = 5.0
#: A shorter key may be a common word, and taking that out of an answer would change what it says.
_TELLING_KEY = 12
_EVENTS = "text/event-stream"
#: What the providers' packages need to know of an answer besides its body.
_HEADERS = ("content-type", "retry-after", "retry-after-ms")
_LONGEST_HEADER = 200

# At its lowest level the wire's own log repeats every header, a key that a server echoes among them.
for _name in ("httpcore", "httpcore2", "httpx", "httpx2", "openai", "anthropic"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class UnfitAnswer(Exception):
    """An answer that is not read any further, and why. `passes` when the next one may well be fit."""

    def __init__(self, why: str, *, passes: bool = False) -> None:
        super().__init__(why)
        self.passes = passes


class BoundedClient(httpx2.AsyncClient):
    """An HTTP client whose answers are bounded and never lead elsewhere. `key` is taken out of all it hands on."""

    def __init__(self, key: str | None) -> None:
        super().__init__(timeout=httpx2.Timeout(600.0, connect=_CONNECT), follow_redirects=False)
        self._hidden = hidden_in_bytes(key)

    async def send(self, request: httpx2.Request, *, stream: bool = False, **more: Any) -> httpx2.Response:
        """The answer, whole unless it is a stream of events. Raises UnfitAnswer."""
        request.headers["Accept-Encoding"] = "identity"
        timeouts = request.extensions.get("timeout", {})
        timeouts["connect"] = min(timeouts.get("connect") or _CONNECT, _CONNECT)
        more["follow_redirects"] = False
        raw = await super().send(request, stream=True, **more)
        if stream and raw.status_code == 200 and raw.headers.get("content-type", "").startswith(_EVENTS):
            return self._handed_on(raw, stream=_Events(raw, self._hidden))
        try:
            return self._handed_on(raw, content=await self._whole(raw))
        finally:
            await raw.aclose()

    async def _whole(self, raw: httpx2.Response) -> bytes:
        if raw.is_redirect:
            raise UnfitAnswer(f"it sends us elsewhere ({raw.status_code}), and no model is asked by a redirect")
        is_error = raw.status_code >= 400
        pieces = _unpacked(raw, MAX_ERROR if is_error else MAX_BODY, cut=is_error)
        body = self._hidden(b"".join([piece async for piece in pieces]))
        if not is_error and not raw.headers.get("content-type", "").startswith(_EVENTS):
            _require_json(body)
        return body

    def _handed_on(self, raw: httpx2.Response, **body: Any) -> httpx2.Response:
        kept = {name: raw.headers[name][:_LONGEST_HEADER] for name in _HEADERS if name in raw.headers}
        headers = {name: self._hidden(value.encode()).decode() for name, value in kept.items()}
        return httpx2.Response(raw.status_code, headers=headers, request=raw.request, **body)


class _Events(httpx2.AsyncByteStream):
    """A stream of events, line by line: a key never falls between two pieces of one line."""

    def __init__(self, raw: httpx2.Response, hidden: Callable[[bytes], bytes]) -> None:
        self._raw = raw
        self._hidden = hidden

    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest = b""
        async for piece in _unpacked(self._raw, MAX_STREAM):
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > MAX_BODY:
                raise UnfitAnswer(f"one event has more than {MAX_BODY:,} bytes")
            for line in lines:
                yield self._hidden(line) + b"\n"
        if rest:
            yield self._hidden(rest)

    async def aclose(self) -> None:
        await self._raw.aclose()


async def _unpacked(raw: httpx2.Response, most: int, *, cut: bool = False) -> AsyncGenerator[bytes]:
    """The body in pieces, unpacked: never more than `most` bytes. What is more is cut off, or raises UnfitAnswer."""
    unpack = _unpacker(raw.headers.get("content-encoding", ""))
    left = packed = most
    async for chunk in raw.aiter_raw():
        piece = unpack(chunk, left + 1)
        # What unpacks to nothing could go on without end as well.
        packed -= len(chunk)
        yield piece[:left]
        if len(piece) > left or packed < 0:
            if cut:
                return
            raise UnfitAnswer(f"it has more than {most:,} bytes")
        left -= len(piece)


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    """What unpacks a piece of the body, up to a number of bytes. Raises UnfitAnswer for packing nobody asked for."""
    packed = encoding.strip().lower()
    if packed in ("", "identity"):
        return lambda piece, most: piece
    if packed not in ("gzip", "x-gzip", "deflate"):
        raise UnfitAnswer(f"it is packed in a way nobody asked for: {printable(encoding)[:40]}")
    # 32: a gzip or a zlib header, whichever is there.
    stream = zlib.decompressobj(32 + zlib.MAX_WBITS)

    def unpack(piece: bytes, most: int) -> bytes:
        try:
            return stream.decompress(piece, most)
        except zlib.error as error:
            raise UnfitAnswer(f"it cannot be unpacked: {error}", passes=True) from None

    return unpack


def _require_json(body: bytes) -> None:
    """Raises UnfitAnswer for what Python's own parser would stumble over: too deep, half a character, no JSON."""
    try:
        from_json(body, allow_inf_nan=False)
    except ValueError as error:
        raise UnfitAnswer(str(error), passes=True) from None


# --- our key, wherever a server repeats it


def hidden_in_bytes(key: str | None) -> Callable[[bytes], bytes]:
    """What takes a key out of bytes, as far as it is long enough to tell."""
    if key is None or len(key) < _TELLING_KEY:
        return lambda text: text
    pattern = re.compile(b"|".join(re.escape(one.encode()) for one in _spellings(key)), re.IGNORECASE)
    return lambda text: pattern.sub(b"[key]", text)


def without_key(text: str, key: str | None) -> str:
    """A text of a server without the key: however it is spelled, and a part of it, too."""
    if not key:
        return text
    for spelling in _spellings(key) if len(key) >= _TELLING_KEY else (key,):
        text = re.sub(re.escape(spelling), "[key]", text, flags=re.IGNORECASE)
    if len(key) < _TELLING_KEY:
        return text
    return _WORD.sub(lambda match: "[key]" if _is_part(match[0], key) else match[0], text)


_WORD = re.compile(r"[^\s\"'<>(),;\[\]]{8,}")
_PART = 8


def _is_part(word: str, key: str) -> bool:
    """Whether a word shares so many characters in a row with a key that it can only be a piece of it."""
    low, secret = word.lower(), key.lower()
    return any(secret[at : at + _PART] in low for at in range(len(secret) - _PART + 1))


@lru_cache(maxsize=8)
def _spellings(key: str) -> tuple[str, ...]:
    """The ways in which a server may repeat a key: as it is, backwards, escaped, in base64 or hexadecimal."""
    raw = key.encode()
    return tuple(dict.fromkeys((key, key[::-1], quote(key, safe=""), json.dumps(key)[1:-1], *_encoded(raw), raw.hex())))


def _encoded(raw: bytes) -> Iterator[str]:
    for before in (b"", b"Bearer ", b":", b"x:"):
        # The last group depends on what follows.
        yield base64.b64encode(before + raw).decode().rstrip("=")[:-2]


def printable(text: str) -> str:
    """A text of a server in one line, without what could steer a terminal or hide."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
