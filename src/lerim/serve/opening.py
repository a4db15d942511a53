"""The words with a client before the SDK is loaded; with many that is all.

Agents give a server one second (Codex) to three (Claude Code) to list its tools, and then begin without them; loading
the SDK takes most of a second on a fast machine. What a client asks first is data, so it is answered at once: the
greeting, and the lists of what there is. So is a call that only reads, one after the other, where nothing has to be
asked back: of a client with roots of its own these are asked first. Whatever else comes is the SDK's, which hears of
the greeting, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

from lerim import __version__
from lerim.dataclass import dataclass
from lerim.serve.greeting import NAME, instructions

#: The revisions of the protocol that begin with a greeting, and the one in which each request stands for itself.
GREETED, GREETLESS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"), "2026-07-28"
_VERSION = "io.modelcontextprotocol/protocolVersion"
_ABOUT = {"name": NAME, "version": __version__}
_ABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
#: What every answer says where nobody was greeted.
_STAMP = {
    "cacheScope": "private",
    "resultType": "complete",
    "ttlMs": 0,
    "_meta": {"io.modelcontextprotocol/serverInfo": _ABOUT},
}

Say = Callable[[bytes], None]
#: What a client may ask for a list of, and the list.
Lists = Mapping[str, Callable[[], dict[str, Any]]]
#: What comes of a call with these parameters, by an agent of this name; None when that is for the SDK.
Calls = Callable[[Mapping[str, Any], str], "dict[str, Any] | None"]


@dataclass(frozen=True)
class Opened:
    """How far it came without the SDK: what that has to hear, and the number of the greeting that was answered."""

    heard: tuple[bytes, ...] = ()
    greeting: object = None


class Opening:
    """Answers what can be answered at once."""

    def __init__(self, say: Say, lists: Lists, calls: Calls) -> None:
        self._say = say
        self._lists = lists
        self._calls = calls
        self._heard: list[bytes] = []
        self._greeting: object = None
        #: Who greeted, as far as it is known who that is and where they work.
        self._agent: str | None = None

    def listen(self, lines: Iterable[bytes]) -> Opened:
        """Answer, until something comes that only the SDK can answer, or nothing comes any more."""
        for line in lines:
            message = _Message(line)
            if self._greeting is not None and message.method == "notifications/initialized":
                self._heard.append(line)
            elif (result := self._result(message)) is None:
                return Opened((*self._heard, line), self._greeting)
            else:
                self._say(_as_line({"jsonrpc": "2.0", "id": message.number, "result": result}))
            if message.method == "initialize":
                self._heard.append(line)
        return Opened()

    def _result(self, message: _Message) -> dict[str, Any] | None:
        """What is answered to a request; None when that is for the SDK."""
        if type(message.number) not in (str, int) or message.params.get("cursor"):
            return None
        told = {"capabilities": _ABILITIES, "instructions": instructions()}
        if message.greetless:
            if message.method == "server/discover":
                return {**told, "supportedVersions": [GREETLESS], **_STAMP}
            return {**self._lists[message.method](), **_STAMP} if message.method in self._lists else None
        version = message.params.get("protocolVersion")
        if message.method == "initialize" and self._greeting is None and version in GREETED:
            self._greeting = message.number
            self._agent = _rootless(message.params)
            return {"protocolVersion": version, "serverInfo": _ABOUT, **told}
        if message.method == "tools/call" and self._agent is not None:
            return self._calls(message.params, self._agent)
        return self._lists[message.method]() if self._greeting is not None and message.method in self._lists else None


def _as_line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def agent_named(name: str) -> str:
    """Which agent asks, as it names itself: for the history, in few and plain characters."""
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_. ")[:40].strip()


def _rootless(params: Mapping[str, Any]) -> str | None:
    """Who greets, when nothing has to be asked back: the name of a client that has no roots."""
    match params:
        case {"capabilities": dict(able), "clientInfo": {"name": str(name)}} if "roots" not in able:
            return agent_named(name)
    return None


class _Message:
    """A request or a notification; an empty one for what the SDK has to make sense of."""

    def __init__(self, line: bytes) -> None:
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            document = None
        whole = document if isinstance(document, dict) else {}
        method, params = whole.get("method"), whole.get("params")
        self.method = method if isinstance(method, str) else ""
        self.number = whole.get("id")
        self.params: dict[str, Any] = params if isinstance(params, dict) else {}

    @property
    def greetless(self) -> bool:
        about = self.params.get("_meta")
        return isinstance(about, dict) and about.get(_VERSION) == GREETLESS


# --- what the SDK reads and writes ------------------------------------------------------------------------------------


class Heard:
    """The line to the client as the SDK reads it: first what was heard already.

    What is no message the SDK passes over, and whoever sent it would wait for an answer until their time is up: it is
    answered here.
    """

    def __init__(self, opened: Opened, rest: IO[bytes], say: Say) -> None:
        self._heard = list(opened.heard)
        self._rest = rest
        self._say = say

    def readline(self) -> str:
        while line := self._heard.pop(0) if self._heard else self._rest.readline():
            if not line.strip():
                continue
            if (fault := fault_in(line)) is None:
                return _whole_characters(line.decode("utf-8", "replace"))
            self._say(_as_line(fault))
        return ""


_NO_JSON, _NO_REQUEST, _NO_PARAMS = -32700, -32600, -32602


def fault_in(line: bytes) -> dict[str, Any] | None:
    """The answer to a line that is no message of the protocol; None for one that is."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return _fault(None, _NO_JSON, "this line is no JSON")
    if not isinstance(document, dict):
        return _fault(None, _NO_REQUEST, "a message is a JSON object, one a line")
    number = document.get("id")
    if document.get("jsonrpc") != "2.0" or ("id" in document and type(number) not in (str, int)):
        return _fault(number, _NO_REQUEST, 'a message says "jsonrpc": "2.0"; the id of a request is a text or a number')
    if not isinstance(document.get("method"), str) and not document.keys() & {"result", "error"}:
        return _fault(number, _NO_REQUEST, "a request names its method")
    if not isinstance(document.get("params", {}), dict):
        return _fault(number, _NO_PARAMS, "params are an object")
    return None


def _fault(number: object, code: int, message: str) -> dict[str, Any]:
    told = number if type(number) in (str, int) else None
    return {"jsonrpc": "2.0", "id": told, "error": {"code": code, "message": message}}


_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?:\\\\)+|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)


def _whole_characters(line: str) -> str:
    """The line without halves of characters, which JSON may write, models do write, and the SDK takes for no JSON."""
    if "\\u" not in line:
        return line
    return _ESCAPE.sub(lambda found: "\\ufffd" if len(found[0]) == 6 and found[0][1] == "u" else found[0], line)


class Unsaid:
    """The line to the client as the SDK writes it: all but the greeting, which the client has."""

    def __init__(self, opened: Opened, say: Say) -> None:
        self._greeting = opened.greeting
        self._say = say

    def write(self, text: str) -> int:
        if self._greeting is not None and _Message(text.encode()).number == self._greeting:
            self._greeting = None
        else:
            self._say(text.encode())
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""
