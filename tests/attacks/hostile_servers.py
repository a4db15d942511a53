"""Servers of models that mean harm, as real sockets: each writes what it likes on the wire, whatever was asked.

As a program: asks the server of a name through lerim, and prints by how many megabytes this process grew.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import os
import socketserver
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

KEY = "key-0123456789-do-not-tell"
Write = Callable[[bytes], None]
Attack = Callable[[Write], None]
CHUNKED = "Transfer-Encoding: chunked\r\n"
#: Seconds that the client gives a server.
PATIENCE = 2


def head(status: int = 200, headers: str = "", kind: str = "application/json") -> bytes:
    return f"HTTP/1.1 {status} Whatever\r\nContent-Type: {kind}\r\nConnection: close\r\n{headers}\r\n".encode("latin-1")


def plain(body: bytes, status: int = 200, headers: str = "", kind: str = "application/json") -> Attack:
    return lambda write: write(head(status, f"Content-Length: {len(body)}\r\n{headers}", kind) + body)


def completion(message: Any = None, **more: Any) -> bytes:
    said = {"role": "assistant", "content": "ok"} if message is None else message
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return json.dumps({**body, **more}).encode()


def answers(message: Any = None, **more: Any) -> Attack:
    return plain(completion(message, **more))


def called(*calls: Any) -> Attack:
    return answers({"role": "assistant", "content": None, "tool_calls": list(calls)})


def call(name: Any, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def failed(status: int, message: Any = "no", headers: str = "") -> Attack:
    return plain(json.dumps({"error": {"message": message}}).encode(), status, headers)


def packed(encoding: str, pack: Callable[[], Iterator[bytes]]) -> Attack:
    def attack(write: Write) -> None:
        write(head(headers=f"Content-Encoding: {encoding}\r\n"))
        for piece in pack():
            write(piece)

    return attack


def gzip_bomb() -> Iterator[bytes]:
    """Two gigabytes of blanks in two megabytes."""
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    blanks = b" " * (1 << 20)
    yield from (stream.compress(blanks) for _ in range(2048))
    yield stream.flush()


def zlib_bomb() -> Iterator[bytes]:
    stream = zlib.compressobj(9)
    yield from (stream.compress(b" " * (1 << 20)) for _ in range(512))


def nothing_packed() -> Iterator[bytes]:
    """An archive that ended, and bytes behind it without end."""
    yield gzip.compress(b"{}")
    while True:
        yield b"\0" * 65536


def endless(piece: bytes, opening: bytes = b"", pause: float = 0.0) -> Attack:
    def attack(write: Write) -> None:
        write(opening)
        while True:
            write(piece)
            if pause:
                time.sleep(pause)

    return attack


def event(data: Any) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def silent(write: Write) -> None:
    time.sleep(4 * PATIENCE)


USAGES: dict[str, Any] = {
    "negative": {"prompt_tokens": -5_000_000, "completion_tokens": -1, "total_tokens": -1},
    "huge": {"prompt_tokens": 10**30, "completion_tokens": 10**18, "total_tokens": 1},
    "words": {"prompt_tokens": "many", "completion_tokens": [], "total_tokens": {}},
    "fractions": {"prompt_tokens": 1.5, "completion_tokens": 1e308, "total_tokens": 0},
    "a list": [1, 2, 3],
    "a negative price": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "cost": -1e9},
}
BOMBS: dict[str, Attack] = {
    "gzip bomb": packed("gzip", gzip_bomb),
    "deflate bomb": packed("deflate", zlib_bomb),
    "bytes behind an archive": packed("gzip", nothing_packed),
    "endless chunks": endless(b"10000\r\n" + b" " * 65536 + b"\r\n", head(headers=CHUNKED)),
    "endless body": endless(b"[" * 65536, head()),
    "endless error": endless(b"x" * 65536, head(500)),
    "endless headers": endless(b"X-More: " + b"x" * 1000 + b"\r\n", b"HTTP/1.1 200 OK\r\n"),
    "one endless header": endless(b"x" * 65536, b"HTTP/1.1 200 OK\r\nX-More: "),
    "endless interim answers": endless(b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "endless events": endless(event(" ") * 1000, head(kind="text/event-stream")),
}
SERVERS: dict[str, Attack] = {
    **BOMBS,
    "brotli": packed("br", lambda: iter([b"\x1b\x00\x00" * 1000])),
    "zstandard": packed("zstd", lambda: iter([b"\x28\xb5\x2f\xfd" * 1000])),
    "packed five times": packed("gzip, gzip, gzip, gzip, gzip", lambda: iter([gzip.compress(b"{}")])),
    "a broken archive": packed("gzip", lambda: iter([b"\x1f\x8b\x08\x00garbage"])),
    "drip": endless(b"1\r\n \r\n", head(headers=CHUNKED), 0.05),
    "silence": silent,
    "redirect elsewhere": plain(b"", 302, "Location: http://198.51.100.7/v1/chat/completions\r\n"),
    "redirect to a file": plain(b"", 307, "Location: file:///etc/passwd\r\n"),
    "redirect to metadata": plain(b"", 308, "Location: http://169.254.169.254/latest/meta-data/\r\n"),
    "invalid UTF-8": plain(b'{"id": "\xff\xfe"}'),
    "NaN": plain(completion().replace(b'"created": 1', b'"created": NaN')),
    "a number of 10,000 digits": plain(completion().replace(b'"created": 1', b'"created": ' + b"9" * 10_000)),
    "deep nesting": plain(b"[" * 200_000 + b"]" * 200_000),
    "deep nesting in a call": called(call("final_result", "[" * 100_000)),
    "half a surrogate": plain(completion().replace(b'"ok"', b'"\\ud800"')),
    "a web page": plain(b"<html>sign in</html>", kind="text/html"),
    "truncated JSON": plain(completion()[:60]),
    "events nobody asked for": plain(b"data: {garbage\n\n\x00\x01", kind="text/event-stream"),
    "duplicate keys": plain(completion().replace(b'"id": "1"', b'"id": "1", "choices": 3, "id": []')),
    "wrong types": answers(None, id=[], created={}, model=7, choices={"a": 1}),
    "no choices": answers(None, choices=[]),
    "a choice that is none": answers(None, choices=[None, 3, "x"]),
    "a message that is none": answers([1, 2]),
    "content that is none": answers({"role": "assistant", "content": {"a": [None]}}),
    "a year nobody knows": answers(None, created=10**17),
    "calls of odd names": called(call(None, "{}"), call(7, "{}"), call("../../etc", "{}"), call("x" * 100_000, "{}")),
    "calls with odd arguments": called(call("final_result", None), call("final_result", 3), call("final_result", "{")),
    "a call that is none": called(None, "x", {"type": "function"}),
    "reset in the middle": plain(completion()[:30], headers="X: y\r\n"),
    "less than announced": lambda write: write(head(headers="Content-Length: 9999\r\n") + completion()),
    "no protocol": lambda write: write(b"\x16\x03\x01\x02\x00garbage" * 100),
    "HTTP/0.9": lambda write: write(completion()),
    "a negative length": plain(completion(), headers="Content-Length: -5\r\n"),
    "escape sequences": failed(400, "\x1b]0;owned\x07\x1b[2J\u202eelif\U000e0041"),
    "a key in an error": failed(400, f"your key is {KEY}, {KEY[::-1]} and {KEY[:16]}"),
    "a key in base64": failed(400, base64.b64encode(f"Bearer {KEY}".encode()).decode()),
    "a key in a header": plain(b"{}", 400, f"X-Key: {KEY}\r\nRetry-After: {KEY}\r\n"),
    "a key in an answer": answers({"role": "assistant", "content": None, "tool_calls": [call(KEY, "{}")]}),
    "a long error": failed(400, "no " * 20_000),
    "an error that is a list": plain(b"[[[[1]]]]", 500),
    **{f"status {status}": failed(status) for status in (401, 403, 404, 408, 409, 413, 418, 500, 503, 599)},
    **{
        f"Retry-After {value}": failed(429, "slow", f"Retry-After: {value}\r\n")
        for value in ("9e99", "-1", "99999999999999999999", "NaN", "Fri, 31 Dec 9999 23:59:59 GMT", "soon")
    },
    **{f"usage: {name}": answers(None, usage=usage) for name, usage in USAGES.items()},
}


@contextmanager
def serving(attack: Attack) -> Iterator[str]:
    """The address of a server that answers everything with an attack."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(10)
            try:
                self.request.recv(1 << 20)
                attack(self.request.sendall)
            except OSError:
                return

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    # It speaks plain HTTP: who asks it need not read all certificates of this machine first, which takes longer.
    none = patch.dict(os.environ, {"SSL_CERT_FILE": "", "SSL_CERT_DIR": os.devnull})
    with none, Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def _grown(name: str) -> float:
    """Ask one server, and say by how many megabytes this process grew at most."""
    import resource
    from dataclasses import replace
    from datetime import UTC, datetime

    from pydantic_ai import Agent

    from lerim.config.layers import load
    from lerim.config.settings import Provider
    from lerim.llm import Models, Spending, UsageLedger

    home = Path(tempfile.mkdtemp())
    settings = load(home, None, {}).settings

    async def nap(seconds: float) -> None:
        pass

    def ask(url: str) -> None:
        asked = replace(
            settings.roles.lead, provider=Provider.OPENAI_COMPATIBLE, model="m", base_url=url, timeout_seconds=PATIENCE
        )
        roles = replace(settings.roles, lead=asked)
        ledger = UsageLedger(home, lambda: datetime.now(UTC))
        models = Models(roles, settings.budget, {"OPENAI_COMPATIBLE_API_KEY": KEY}, ledger, nap)
        try:
            asyncio.run(Agent(models.model("lead", Spending("r"))).run("hello"))
        except Exception as error:
            print(type(error).__name__, error, file=sys.stderr)

    with serving(plain(completion())) as url:
        ask(url)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with serving(BOMBS[name]) as url:
        ask(url)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


if __name__ == "__main__":
    print(_grown(sys.argv[1]), flush=True)
    os._exit(0)
