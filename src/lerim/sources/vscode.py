"""Copilot Chat in VS Code and in editors built on it.

Sessions are `workspaceStorage/<hash>/chatSessions/<uuid>.json` below the editor's `User` folder, and those of windows
without a folder `globalStorage/emptyWindowChatSessions/<uuid>.json`. One document each: `requests`, each with the
`message` that was typed, the parts of the `response` and a `result`. Since early 2026 they are `.jsonl`, a log of
changes to that document: `{"kind": 0, "v": whole}`, then `1` sets the value at a path `k`, `2` appends the values `v`
to the list there (cutting it at `i` first), `3` deletes. What a tool was given and gave back is in the `metadata` of
the result, as far as the editor keeps it; else only in the words shown for it.

Written down from the editor's own source (microsoft/vscode, `chatModel.ts` and `objectMutationLog.ts`, as of 2026);
never seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.cursor_editor import workspace_folder
from lerim.sources.json_file import read_document
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, translated, words
from lerim.sources.plain_file import read_head
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, instant, objects, string

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_SERVERS = (".vscode-server", ".vscode-server-insiders")
_PATTERNS = (
    "workspaceStorage/*/chatSessions/*.json*",
    "globalStorage/emptyWindowChatSessions/*.json*",
    "globalStorage/transferredChatSessions/*.json*",
)
_HEAD_BYTES = 65_536
#: How a call was confirmed, when a person was asked.
_DENIED, _ALLOWED = 0, 4
#: States of a response that is over: complete, canceled, failed.
_ENDED = (1, 2, 3)
#: Parts of a response that repeat others, or only say that something is going on.
_SILENT = frozenset(
    {"undoStop", "codeblockUri", "progressMessage", "progressTaskSerialized", "prepareToolInvocation", "references"}
    | {"mcpServersStarting", "mcpServersStartingSerialized", "usedContext", "agentMention", "pullRequest", "extensions"}
)


class VsCodeSource:
    """Copilot Chat; in the terminal, Copilot keeps its sessions elsewhere."""

    name = "vscode"
    title = "VS Code Copilot Chat"

    def roots(self, machine: Machine) -> list[Path]:
        users = [machine.app_support / editor / "User" for editor in _EDITORS]
        return [*users, *(machine.home / server / "data" / "User" for server in _SERVERS)]

    def containers(self, root: Path) -> Iterator[Container]:
        for pattern in _PATTERNS:
            for path in sorted(root.glob(pattern)):
                if path.suffix in {".json", ".jsonl"}:
                    yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        head = read_head(path, _HEAD_BYTES)
        is_log = head.lstrip().startswith((b'{"kind":0,', b'{"kind": 0,'))
        return b'"requests"' in head and b'"sessionId"' in head and (is_log or b'"responderUsername"' in head)

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        document, items = _logged(ref.path, account) if _is_log(ref.path) else _whole(ref.path, account)
        if not document and not items:
            raise SourceError(f"no chat in {ref.path}")
        live = items[-1][0] if items and _is_log(ref.path) and not _is_answered(items[-1][1]) else 0

        def translate(number: int, request: Record) -> Outcome:
            return _request(number, request, is_live=number == live)

        return Reading(_header(ref, document, items), translated(items, account, translate), account)


SOURCE = VsCodeSource()


def _is_log(path: Path) -> bool:
    head = read_head(path, _HEAD_BYTES).lstrip()
    return path.suffix == ".jsonl" or head.startswith((b'{"kind":', b'{"kind" '))


def _whole(path: Path, account: Account) -> tuple[Record, list[tuple[int, Record]]]:
    document = read_document(path, account, "requests", lambda item: "message" in item)
    return document.facts, document.items


def _logged(path: Path, account: Account) -> tuple[Record, list[tuple[int, Record]]]:
    """The document that a log of changes leads to, and its requests; those that were cut away come last, as undone. A
    change that cannot be made costs only itself."""
    state: Record = {}
    cut: list[Any] = []
    for number, change in records(path, account):
        try:
            state = _changed(state, change, cut)
        except (KeyError, IndexError, TypeError, ValueError):
            account.trouble(number, "a change of something that is not there")
        else:
            account.skip("change of the document")
    items = list(enumerate([*objects(state.get("requests")), *_taken_back(state, cut)], 1))
    account.records += len(items)
    return state, items


def _taken_back(state: Record, cut: list[Any]) -> Iterator[Record]:
    """Requests that were cut away, and did not come again."""
    known = {compact(request.get("message")) for request in objects(state.get("requests"))}
    for request in objects(cut):
        if (said := compact(request.get("message"))) not in known:
            known.add(said)
            yield {**request, "shouldBeRemovedOnSend": True}


def _changed(state: Record, change: Record, cut: list[Any]) -> Record:
    kind, path, value = change.get("kind"), change.get("k"), change.get("v")
    if kind == 0 and isinstance(as_object(value).get("requests"), list):
        return as_object(value)
    if kind not in (1, 2, 3) or not isinstance(path, list) or not path:
        raise ValueError(f"unknown change {kind}")
    if path == ["requests"] and kind != 2:
        raise ValueError("requests come and go one by one")
    holder: Any = state
    for step in path[:-1]:
        holder = holder[step]
    if kind == 1:
        holder[path[-1]] = value
    elif kind == 3:
        del holder[path[-1]]
    else:
        listed = holder.setdefault(path[-1], []) if isinstance(holder, dict) else holder[path[-1]]
        if not isinstance(listed, list):
            raise ValueError("what grows is no list")
        if not isinstance(value, list):
            raise ValueError("what it grows by is no list")
        if "i" in change:
            kept = change["i"]
            if type(kept) is not int or not 0 <= kept <= len(listed):
                raise ValueError("it does not say how much is kept")
            cut += listed[kept:] if path == ["requests"] else ()
            del listed[kept:]
        listed.extend(value)
    return state


def _header(ref: SessionRef, document: Record, items: Iterable[tuple[int, Record]]) -> Header:
    models = (string(request.get("modelId")) for _, request in items)
    folder = ref.path.parent.parent if ref.path.parent.name == "chatSessions" else None
    return Header(
        agent=ref.agent,
        run_id=string(document.get("sessionId")) or ref.run_id,
        cwd=workspace_folder(folder) if folder else None,
        model=next(filter(None, models), "").removeprefix("copilot/") or None,
        started=instant(document.get("creationDate")),
        title=string(document.get("customTitle")) or None,
    )


def _is_answered(request: Record) -> bool:
    """Whether the response to a request is all there: a log tells of every piece of it."""
    is_over = as_object(request.get("modelState")).get("value") in _ENDED
    return bool(request.get("result") or request.get("isCanceled") or is_over)


def _request(number: int, request: Record, *, is_live: bool) -> Outcome:
    pen = Pen(number, instant(request.get("timestamp")), bool(request.get("shouldBeRemovedOnSend")))
    lines = [*_prompt(request, pen)]
    if is_live:
        # A text that grows and calls that end are told when they are what they will be.
        return lines or "being answered"
    known = _known_calls(request)
    for position, part in enumerate(_joined(objects(request.get("response")))):
        lines += _part(part, pen, known, f"{number}.{position}")
    return [*lines, *_ending(request, pen)]


def _joined(parts: list[Record]) -> Iterator[Record]:
    """The parts of a response, text that is only interrupted by the names of files in one piece."""
    text = ""
    for part in parts:
        match part.get("kind"):
            case None | "markdownContent" | "markdownVuln":
                text += _shown(part.get("content")) or _shown(part.get("value"))
            case "inlineReference":
                found = as_object(part.get("inlineReference"))
                where = string(found.get("path")) or string(as_object(found.get("uri")).get("path"))
                text += string(part.get("name")) or string(found.get("name")) or where.rpartition("/")[2]
            case _:
                if text:
                    yield {"value": text}
                text = ""
                yield part
    if text:
        yield {"value": text}


def _prompt(request: Record, pen: Pen) -> Iterator[Line]:
    message = request.get("message")
    typed = message if isinstance(message, str) else string(as_object(message).get("text"))
    if typed.strip():
        command = string(as_object(request.get("slashCommand")).get("name")) or typed.startswith("/")
        yield from [pen.user(typed, Via.COMMAND)] if command else pen.typed(typed)
    attached = objects(as_object(request.get("variableData")).get("variables"))
    names = [string(item.get("name")) for item in attached if not item.get("isMarkedReadonly")]
    if named := "\n".join(f"[file {name}]" for name in names if name):
        yield pen.injected(named, Injection.ENVIRONMENT)


def _known_calls(request: Record) -> dict[str, tuple[object, str]]:
    """What each tool was given and gave back, by the id of its call."""
    metadata = as_object(as_object(request.get("result")).get("metadata"))
    results = as_object(metadata.get("toolCallResults"))
    found: dict[str, tuple[object, str]] = {}
    for turn in objects(metadata.get("toolCallRounds")):
        for call in objects(turn.get("toolCalls")):
            name = string(call.get("id"))
            found[_plain_id(name)] = call.get("arguments"), _shown(as_object(results.get(name)).get("content"))
    return found


def _plain_id(name: str) -> str:
    # The editor adds a count of its own to the model's ids.
    return name.partition("__vscode")[0]


def _shown(content: object) -> str:
    """Text of a message, of a part or of a list of them: `value` holds it, or what holds it."""
    if isinstance(content, list):
        return "\n".join(filter(None, map(_shown, content)))
    if isinstance(content, dict):
        return _shown(content.get("value")) if "value" in content else words(content)
    return string(content)


def _part(part: Record, pen: Pen, known: dict[str, tuple[object, str]], place: str) -> Iterator[Line]:
    match part.get("kind"):
        case None:
            yield from pen.said(string(part.get("value")))
        case "thinking":
            if (thought := _shown(part.get("value"))).strip():
                yield pen.reasoning(thought)
        case "toolInvocationSerialized" | "toolInvocation":
            yield from _tool(part, pen, known, place)
        case "textEditGroup" | "notebookEditGroup":
            uri = as_object(part.get("uri"))
            yield pen.call(place, "edit", string(uri.get("fsPath")) or string(uri.get("path")) or compact(uri))
        case other if other not in _SILENT and (text := _shown(part.get("content")) or _shown(part.get("value"))):
            # Of a kind that we do not know: kept, but as nobody's words.
            yield pen.injected(text, Injection.OTHER)


def _tool(part: Record, pen: Pen, known: dict[str, tuple[object, str]], place: str) -> Iterator[Line]:
    call = string(part.get("toolCallId")) or place
    details, special = as_object(part.get("resultDetails")), as_object(part.get("toolSpecificData"))
    given, output = known.get(_plain_id(call), (None, ""))
    lines = as_object(special.get("commandLine"))
    command = string(lines.get("userEdited")) or string(lines.get("original")) or string(special.get("command"))
    given = given or special.get("rawInput")
    told = command or (command_line(given) if given else "") or string(details.get("input"))
    yield pen.call(call, string(part.get("toolId")) or "tool", told or _shown(part.get("invocationMessage")))
    printed = string(as_object(special.get("terminalCommandOutput")).get("text"))
    code = as_object(special.get("terminalCommandState")).get("exitCode")
    exit_code = code if isinstance(code, int) else None
    text = output or printed or _shown(details.get("output")) or _shown(part.get("pastTenseMessage"))
    confirmed = part.get("isConfirmed")
    decision = as_object(confirmed).get("type")
    is_refused = confirmed is False or decision == _DENIED
    if part.get("isComplete") or text:
        ok = not details.get("isError") and not exit_code and not is_refused
        yield pen.result(call, text, ok, exit_code)
    if is_refused:
        yield pen.event(Happening.REJECTED, string(part.get("toolId")))
    elif decision == _ALLOWED:
        yield pen.event(Happening.ACCEPTED, string(part.get("toolId")))


def _ending(request: Record, pen: Pen) -> Iterator[Line]:
    if request.get("isCanceled"):
        yield pen.event(Happening.INTERRUPTED)
    elif text := string(as_object(as_object(request.get("result")).get("errorDetails")).get("message")):
        yield pen.event(Happening.ERROR, text)
