"""A model's server for tests: real sockets on this machine, answers from a script, and every request kept."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from unittest.mock import patch

#: The servers of tests speak plain HTTP: whoever asks them need not read all of a machine's certificates first.
NO_CERTIFICATES = {"SSL_CERT_FILE": "", "SSL_CERT_DIR": os.devnull}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass(frozen=True)
class Reply:
    """One answer. `cut` ends the connection in the middle of it; `silent` never answers at all."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    silent: bool = False


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    json: dict[str, Any]

    @property
    def model(self) -> str:
        return str(self.json["model"])


@dataclass
class ModelServer:
    """Answers from `script`, one reply a request, then as a model that can do what `models check` asks for."""

    script: list[Reply] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def __enter__(self) -> ModelServer:
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        self._environment = patch.dict(os.environ, NO_CERTIFICATES)
        self._environment.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._environment.stop()
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """Without a path, as Anthropic's client wants it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    @property
    def models(self) -> list[str]:
        """The models that were asked, in order."""
        return [request.model for request in self.seen]

    def _handler(server) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.seen.append(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                    reply = server.script.pop(0) if server.script else able(body)
                self._answer(reply)

            def _answer(self, reply: Reply) -> None:
                self.close_connection = True
                if reply.silent:
                    server._closing.wait(30)
                    return
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **dict(reply.headers)}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def text(content: str, **more: Any) -> Reply:
    """The model says something."""
    return _completion({"role": "assistant", "content": content}, "stop", **more)


def able(request: dict[str, Any]) -> Reply:
    """What a model says to a check that can call a tool and answer in a given form; else the word 'ok'."""
    tools = {tool["function"]["name"] for tool in request.get("tools") or ()}
    if "final_result" not in tools:
        return text("ok")
    returned = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if "secret_number" in tools and not returned:
        return tool_calls(("secret_number", {}))
    return tool_calls(("final_result", {"number": int(returned[-1]) if returned else 7}))


def tool_calls(*calls: tuple[str, dict[str, Any]]) -> Reply:
    """The model calls tools, all at once."""
    listed = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return _completion({"role": "assistant", "content": None, "tool_calls": listed}, "tool_calls")


def failure(status: int, message: str = "no", **headers: str) -> Reply:
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return Reply(status, body, tuple((name.replace("_", "-"), value) for name, value in headers.items()))


def cut() -> Reply:
    """The connection breaks in the middle of the answer."""
    return Reply(body=text("never read to the end").body, cut=True)


def claude(content: str) -> Reply:
    """An answer in the form of Anthropic's API, which is asked for a stream of events."""
    opening = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-8", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**opening, "usage": {"input_tokens": 100, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": content}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Reply(body=body.encode(), headers=(("Content-Type", "text/event-stream"),))


def _completion(message: dict[str, Any], reason: str, **more: Any) -> Reply:
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": "test-model",
        "provider": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": USAGE,
        **more,
    }
    return Reply(body=json.dumps(body).encode())
