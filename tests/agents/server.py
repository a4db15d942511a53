"""A model's server for real agent programs: it speaks each one's protocol, answers from a script, keeps every request.

Whatever a program wants from the network besides its model is asked for through a proxy, which is this server, too: it
lets nobody through, and keeps the names.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Event = tuple[str | None, dict[str, Any]]


@dataclass(frozen=True)
class Say:
    """The model says something, and its turn is over."""

    text: str

    def __call__(self, asked: Asked) -> Say:
        """A script that says nothing else."""
        return self


@dataclass(frozen=True)
class Call:
    """The model calls a tool, by the name that the program gave it."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request of a program to its model."""

    path: str
    body: dict[str, Any]
    #: Names of the tools that came with it.
    tools: tuple[str, ...]
    #: What tools returned so far.
    returned: tuple[str, ...]

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def call_id(self) -> str:
        """What a call is known by that answers this; programs drop one that they had before."""
        return f"call_{len(self.returned) + 1}"

    @property
    def text(self) -> str:
        """All the words in it, as the model would read them: without the quoting of JSON."""
        return "\n".join(_strings(self.body))


Script = Callable[[Asked], Say | Call]


@dataclass
class Calling:
    """Calls one of Lerim's tools once, which it may have to look up first, and then says something."""

    tool: str
    arguments: Mapping[str, Any]
    text: str
    _is_called: bool = False

    def __call__(self, asked: Asked) -> Say | Call:
        # Claude Code names the tools of servers, and keeps how they are called until its model asks for it.
        if not asked.returned and "ToolSearch" in asked.tools and self.tool in asked.text:
            return Call("ToolSearch", {"query": f"select:{self.tool}", "max_results": 5})
        if self._is_called or not (asked.returned or self.tool in asked.tools):
            return Say(self.text)
        self._is_called = True
        return Call(self.tool, self.arguments)


@dataclass
class ScriptedServer:
    """Speaks Anthropic's messages, OpenAI's responses and chat completions, and Gemini's content, all as streams."""

    script: Script = Say("Done.")
    asked: list[Asked] = field(default_factory=list)
    #: Other hosts that a program wanted to reach.
    refused: list[str] = field(default_factory=list)

    def __enter__(self) -> ScriptedServer:
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def take(self) -> list[Asked]:
        """The requests since the last time."""
        with self._lock:
            taken, self.asked = self.asked, []
        return taken

    def answer(self, path: str, body: dict[str, Any]) -> bytes | None:
        """The stream for a request; None when it is none to a model."""
        wire = next((wire for end, wire in _WIRES.items() if path.partition("?")[0].endswith(end)), None)
        if wire is None:
            return None
        asked = Asked(path, body, tuple(wire.tools(body)), tuple(wire.returned(body)))
        with self._lock:
            self.asked.append(asked)
        return b"".join(_event(*event) for event in wire.speak(self.script(asked), asked))


def _handler(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                stream = server.answer(self.path, json.loads(_plain(raw, self.headers.get("Content-Encoding"))))
            except ValueError:
                stream = None
            if stream is None:
                self._reply(200, "application/json", b"{}")
            else:
                self._reply(200, "text/event-stream", stream)

        def do_GET(self) -> None:
            if self.path.startswith("http"):
                self._refuse()
            else:
                # Lists of models and the like: programs go on without them.
                self._reply(404, "application/json", b'{"error":{"message":"there is no such thing here"}}')

        def do_HEAD(self) -> None:
            self._reply(200, "text/plain", b"")

        def do_CONNECT(self) -> None:
            self._refuse()

        def _refuse(self) -> None:
            server.refused.append(self.path)
            self._reply(403, "text/plain", b"")

        def _reply(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _plain(raw: bytes, coding: str | None) -> bytes:
    match coding:
        case "gzip":
            return gzip.decompress(raw)
        case "deflate":
            return zlib.decompress(raw)
        case "zstd":
            # Loaded here: one of the programs alone packs its requests so.
            import zstandard

            return zstandard.ZstdDecompressor().decompressobj().decompress(raw)
    return raw


def _event(name: str | None, data: dict[str, Any]) -> bytes:
    return f"{f'event: {name}' + chr(10) if name else ''}data: {json.dumps(data)}\n\n".encode()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


# --- protocols --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wire:
    """One protocol: the tools in a request, what tools returned, and how an answer is spoken."""

    tools: Callable[[dict[str, Any]], Iterator[str]]
    returned: Callable[[dict[str, Any]], Iterator[str]]
    speak: Callable[[Say | Call, Asked], Iterator[Event]]


def _anthropic_tools(body: dict[str, Any]) -> Iterator[str]:
    yield from (tool["name"] for tool in body.get("tools") or ())


def _anthropic_returned(body: dict[str, Any]) -> Iterator[str]:
    for message in body.get("messages") or ():
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("type") == "tool_result":
                yield "\n".join(_strings(block.get("content")))


def _anthropic(answer: Say | Call, asked: Asked) -> Iterator[Event]:
    opening = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": []}
    usage = {"input_tokens": 100, "output_tokens": 1}
    if isinstance(answer, Say):
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta, reason = {"type": "text_delta", "text": answer.text}, "end_turn"
    else:
        block = {"type": "tool_use", "id": asked.call_id, "name": answer.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
        reason = "tool_use"
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**opening, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]
    for event in events:
        yield event["type"], event


def _responses_tools(body: dict[str, Any]) -> Iterator[str]:
    listed = list(body.get("tools") or ())
    # Some models are given their tools as an item of the conversation.
    for item in body.get("input") or ():
        listed += item.get("tools") or () if isinstance(item, dict) else ()
    for tool in listed:
        if tool.get("type") == "namespace":
            yield from (f"{tool['name']}.{inner['name']}" for inner in tool.get("tools") or ())
        else:
            yield str(tool.get("name") or tool.get("type"))


def _responses_returned(body: dict[str, Any]) -> Iterator[str]:
    for item in body.get("input") or ():
        if isinstance(item, dict) and str(item.get("type")).endswith("_call_output"):
            yield "\n".join(_strings(item.get("output")))


def _responses(answer: Say | Call, asked: Asked) -> Iterator[Event]:
    if isinstance(answer, Say):
        said = {"type": "output_text", "text": answer.text, "annotations": []}
        item: dict[str, Any] = {"type": "message", "id": "item_1", "role": "assistant", "content": [said]}
    else:
        *space, name = answer.tool.rsplit(".", 1)
        item = {"type": "function_call", "id": "item_1", "call_id": asked.call_id, "name": name}
        item |= {"arguments": json.dumps(answer.arguments), **({"namespace": space[0]} if space else {})}
    item["status"] = "completed"
    usage = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    opened = {"id": "resp_1", "object": "response", "status": "in_progress", "model": asked.model, "output": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": opened},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**opened, "status": "completed", "output": [item], "usage": usage}},
    ]
    for event in events:
        yield event["type"], event


def _chat_tools(body: dict[str, Any]) -> Iterator[str]:
    yield from (tool["function"]["name"] for tool in body.get("tools") or () if "function" in tool)


def _chat_returned(body: dict[str, Any]) -> Iterator[str]:
    for message in body.get("messages") or ():
        if message.get("role") == "tool":
            yield "\n".join(_strings(message.get("content")))


def _chat(answer: Say | Call, asked: Asked) -> Iterator[Event]:
    if isinstance(answer, Say):
        delta: dict[str, Any] = {"role": "assistant", "content": answer.text}
    else:
        function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        delta = {"role": "assistant", "content": None}
        delta["tool_calls"] = [{"index": 0, "id": asked.call_id, "type": "function", "function": function}]
    chunk = {"id": "chat_1", "object": "chat.completion.chunk", "created": 1_780_000_000, "model": asked.model}
    end = {"index": 0, "delta": {}, "finish_reason": "stop" if isinstance(answer, Say) else "tool_calls"}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    yield None, {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield None, {**chunk, "choices": [end]}
    yield None, {**chunk, "choices": [], "usage": usage}


def _gemini_tools(body: dict[str, Any]) -> Iterator[str]:
    for group in body.get("tools") or ():
        yield from (tool["name"] for tool in group.get("functionDeclarations") or ())


def _gemini_returned(body: dict[str, Any]) -> Iterator[str]:
    for turn in body.get("contents") or ():
        for part in turn.get("parts") or ():
            if "functionResponse" in part:
                yield "\n".join(_strings(part["functionResponse"]))


def _gemini(answer: Say | Call, asked: Asked) -> Iterator[Event]:
    if isinstance(answer, Say):
        part: dict[str, Any] = {"text": answer.text}
    else:
        part = {"functionCall": {"name": answer.tool, "args": dict(answer.arguments)}}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    yield None, {"candidates": [candidate], "usageMetadata": usage}


_WIRES = {
    "/messages": Wire(_anthropic_tools, _anthropic_returned, _anthropic),
    "/responses": Wire(_responses_tools, _responses_returned, _responses),
    "/chat/completions": Wire(_chat_tools, _chat_returned, _chat),
    "streamGenerateContent": Wire(_gemini_tools, _gemini_returned, _gemini),
}
