"""Cline and its forks Roo Code and Kilo Code, extensions of VS Code and of editors built on it.

Each task is a folder `<editor>/User/globalStorage/<extension>/tasks/<id>/` with `ui_messages.json` (what the person
saw) and `api_conversation_history.json` (what the model saw). `<editor>` is Code, Code - Insiders, VSCodium, Cursor or
Windsurf in ~/.config, ~/Library/Application Support or %APPDATA%; on a remote machine the data folder of its server.
Cline's own home is ~/.cline (`CLINE_DIR`), with the same tasks in `data/tasks` and those of its command line in
`data/sessions/<id>/<id>.messages.json`.

The first file is read, because only there it is plain what the person typed; the second where it is missing. Both are
JSON lists, rewritten after each message. Messages still being written are marked `partial`, and a request is filled in
as it goes, so the last message is left until another one follows it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.cline_history import HistoryReader
from lerim.sources.cline_request import TALKING, cwd_in, is_denied, model_in, outcome, pieces
from lerim.sources.json_file import read_document
from lerim.sources.pieces import Outcome, Pen, Record, answered, container, picture, translated
from lerim.sources.plain_file import read_bytes, read_head
from lerim.sources.trace import Happening, Header, Injection, Line, ToolCall, Via
from lerim.sources.values import as_object, call_text, compact, count, instant, objects, parsed, payload, string

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_SCREEN = "ui_messages.json"
_HISTORY = "api_conversation_history.json"
# Names they had before 2025.
_OLD_SCREEN, _OLD_HISTORY = "claude_messages.json", "claude_api_conversation_history.json"

_STILL_WRITTEN = "still being written"
_PARTIAL = "partial, repeated in full later"
_PASSED_OVER = {
    "api_req_finished": "request",
    "api_req_retried": "retry",
    "api_req_retry_delayed": "retry",
    "error_retry": "retry",
    "checkpoint_created": "checkpoint",
    "checkpoint_saved": "checkpoint",
    "task_progress": "checklist",
    "resume_completed_task": "resumed",
    "mcp_server_request_started": "tool progress",
    "load_mcp_documentation": "tool progress",
    "hook_status": "hook progress",
    "hook_output_stream": "hook progress",
    "shell_integration_warning": "editor notice",
    "shell_integration_warning_with_suggestion": "editor notice",
    "auto_approval_max_req_reached": "editor notice",
    "info": "editor notice",
}
# Tools whose message already carries what they found.
_FOUND_IN_CALL = {"listFilesTopLevel", "listFilesRecursive", "listCodeDefinitionNames", "searchFiles"}


class ClineSource:
    """Cline, Roo Code and Kilo Code."""

    name = "cline"
    title = "Cline"

    def roots(self, machine: Machine) -> list[Path]:
        users = [machine.app_support / editor / "User" for editor in _EDITORS]
        users += [machine.home / server / "data" / "User" for server in _SERVERS]
        home = Path(machine.env.get("CLINE_DIR") or machine.home / ".cline")
        tasks = [user / "globalStorage" / extension / "tasks" for user in users for extension in _EXTENSIONS]
        return [*tasks, home / "data" / "tasks", home / "data" / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            names = (_SCREEN, _OLD_SCREEN, _HISTORY, _OLD_HISTORY, f"{folder.name}.messages.json")
            for name in names:
                found = list(container(self.name, folder / name))
                yield from found
                if found:
                    break

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.parent.name)

    def accepts(self, path: Path) -> bool:
        head = read_head(path)
        return _is_screen(head) or _is_history(head)

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        document = read_document(ref.path, account, "messages", _is_message)
        if not document.items:
            raise SourceError(f"no Cline task in {ref.path}")
        reader: _Screen | HistoryReader
        if any("say" in item or "ask" in item for _, item in document.items):
            reader = _Screen(document.items, account)
        else:
            reader = HistoryReader(account)
        header = _header(ref, document.items, document.facts)
        return Reading(header, translated(document.items, account, reader.translate), account)


SOURCE = ClineSource()


def _is_message(item: Record) -> bool:
    return "ts" in item or isinstance(item.get("role"), str)


def _is_screen(head: bytes) -> bool:
    is_list = head.startswith(b"[")
    return is_list and b'"ts"' in head and (b'"say"' in head or b'"ask"' in head)


def _is_history(head: bytes) -> bool:
    """Messages for a model could be anybody's. Cline's begin with a task between tags, or name its own keys."""
    if head.startswith(b"{"):
        return b'"messages"' in head and b'"sessionId"' in head and b'"system_prompt"' in head
    return head.startswith(b"[") and b'"role"' in head and (b"<task>" in head or b"<user_message>" in head)


def _header(ref: SessionRef, items: list[tuple[int, Record]], facts: Record) -> Header:
    about = _about(ref)
    requests = (_request_text(item) for _, item in items)
    request = next((text for text in requests if cwd_in(text)), "")
    started = next((at for _, item in items if (at := instant(item.get("ts")))), None)
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=about.cwd or cwd_in(request),
        model=_model(items) or about.model or model_in(request),
        version=string(facts.get("version")) or None,
        started=started or (instant(int(ref.run_id)) if ref.run_id.isdecimal() else None),
        title=about.title,
    )


def _model(items: list[tuple[int, Record]]) -> str | None:
    for _, item in items:
        info = as_object(item.get("modelInfo"))
        if model := string(info.get("modelId")) or string(info.get("id")):
            return model
    return None


def _request_text(item: Record) -> str:
    if item.get("say") == "api_req_started":
        return string(as_object(item.get("text")).get("request"))
    content = item.get("content")
    return content if isinstance(content, str) else "\n".join(string(part.get("text")) for part in objects(content))


@dataclass(frozen=True)
class _About:
    cwd: str | None = None
    model: str | None = None
    title: str | None = None


def _about(ref: SessionRef) -> _About:
    """What the files beside a task say about it. Roo keeps a file per task, Cline a list of all of them."""
    folder = ref.path.parent
    item = _beside(folder / "history_item.json")
    if not item:
        listed = objects(_beside(folder.parent.parent / "state" / "taskHistory.json"))
        item = next((task for task in listed if task.get("id") == ref.run_id), {})
    if not item:
        item = _beside(folder / f"{folder.name}.json")
    task = as_object(item)
    cwd = string(task.get("workspace") or task.get("cwdOnTaskInitialization") or task.get("cwd"))
    used = objects(as_object(_beside(folder / "task_metadata.json")).get("model_usage"))
    model = string(used[0].get("model_id")) if used else string(task.get("model") or task.get("modelId"))
    return _About(cwd or None, model or None, None)


def _beside(path: Path) -> object:
    try:
        return parsed(read_bytes(path))
    except SourceError:
        return None


@dataclass
class _Screen:
    """Reads what the person saw. Calls have no ids, so each is named by its message and answered in order."""

    messages: list[tuple[int, Record]]
    account: Account
    pen: Pen = field(default_factory=Pen)
    #: Calls whose results are still to come, oldest first: id and tool.
    waiting: list[tuple[str, str]] = field(default_factory=list)
    command: str = ""
    question: str = ""
    is_begun: bool = False
    is_cancelled: bool = False

    def translate(self, number: int, message: Record) -> Outcome:
        kind = string(message.get("say") or message.get("ask"))
        text = string(message.get("text"))
        self.pen = Pen(number, instant(message.get("ts")))
        if reason := self._unfinished(number, message):
            return reason
        if kind in _PASSED_OVER:
            return _PASSED_OVER[kind]
        known = self._handlers.get(kind)
        return known(text, message) if known else f"unknown: {message.get('type')} {kind}"

    @property
    def _handlers(self) -> dict[str, Callable[[str, Record], Outcome]]:
        return {
            "task": self._task_or_text,
            "text": self._task_or_text,
            "user_feedback": self._user,
            "user_feedback_diff": self._edited,
            "user_edit_todos": self._todos,
            "reasoning": lambda text, _: [self.pen.reasoning(text)] if text.strip() else "empty",
            "completion_result": self._completion,
            "followup": self._asked,
            "plan_mode_respond": self._asked,
            "act_mode_respond": self._asked,
            "new_task": self._completion,
            "report_bug": self._completion,
            "tool": self._tool,
            "command": self._command,
            "command_output": self._command_output,
            "use_mcp_server": self._mcp,
            "mcp_server_response": self._result_of_last,
            "mcp_notification": lambda text, _: [self.pen.injected(text, Injection.NOTIFICATION)],
            "browser_action_launch": self._browser,
            "browser_action": self._browser,
            "browser_action_result": self._browsed,
            "error": self._failed,
            "diff_error": self._failed,
            "clineignore_error": self._failed,
            "rooignore_error": self._failed,
            "api_req_failed": self._error,
            "mistake_limit_reached": self._error,
            "payment_required_prompt": self._error,
            "api_req_started": self._request,
            "deleted_api_reqs": self._deleted,
            "resume_task": self._resumed,
            "condense": self._condensed,
            "summarize_task": self._condensed,
            "condense_context": self._condensed,
        }

    def _unfinished(self, number: int, message: Record) -> str:
        """Why a message is not read yet, or not at all: the last one may still change, a partial one be repeated."""
        following = next(self._after(number), None)
        text = string(message.get("text"))
        if following is None:
            is_open = message.get("partial") is True or text.rstrip('"}').endswith("Loading...")
            return _STILL_WRITTEN if is_open else ""
        kinds = [item.get("say") or item.get("ask") for item in (message, following)]
        is_repeated = kinds[0] == kinds[1] and string(following.get("text")).startswith(text)
        return _PARTIAL if message.get("partial") is True and text and is_repeated else ""

    def _after(self, number: int) -> Iterator[Record]:
        # Damaged messages have no place in the list, so a number is not an index.
        first = bisect_right(self.messages, number, key=lambda numbered: numbered[0])
        return (self.messages[at][1] for at in range(first, len(self.messages)))

    # Who speaks

    def _task_or_text(self, text: str, message: Record) -> Outcome:
        # The task a person gives is the first message, under the same name as the agent's words.
        if not self.is_begun:
            self.is_begun = True
            return [self.pen.user(_with_attachments(text, message))]
        return self.pen.said(text) or "empty"

    def _user(self, text: str, message: Record) -> Outcome:
        prompt = _with_attachments(text, message)
        question, self.question = self.question, ""
        if not prompt.strip():
            return "empty"
        if question:
            return [self.pen.user(answered([(question, prompt)]), Via.ANSWER)]
        is_refusal = self.waiting and any(
            is_denied(piece.tool, piece.text) for piece in pieces(self._next_request()) if piece.tool
        )
        return [self.pen.user(prompt, Via.REJECTION if is_refusal else Via.TYPED)]

    def _next_request(self) -> str:
        later = self._after(self.pen.src)
        return next((_request_text(message) for message in later if message.get("say") == "api_req_started"), "")

    def _edited(self, text: str, _: Record) -> Outcome:
        change = as_object(text)
        where = f"{string(change.get('path'))}, edited by the user:\n{string(change.get('diff'))}"
        return [self.pen.event(Happening.ACCEPTED, where)]

    def _todos(self, text: str, _: Record) -> Outcome:
        todos = objects(as_object(text).get("todos"))
        lines = [f"- [{'x' if todo.get('status') == 'completed' else ' '}] {todo.get('content')}" for todo in todos]
        return [self.pen.user("\n".join(lines), Via.PLAN)] if lines else "empty"

    def _completion(self, text: str, _: Record) -> Outcome:
        result = text.removesuffix("HAS_CHANGES")
        return self.pen.said(result) or "empty"

    def _asked(self, text: str, _: Record) -> Outcome:
        """A question or a plan. An option that was picked by a click is noted in the question itself."""
        asked = as_object(text)
        question = string(asked.get("question") or asked.get("response")) or ("" if asked else text)
        options = asked.get("options") or [item.get("answer") for item in objects(asked.get("suggest"))]
        listed = [f"- {option}" for option in options if option] if isinstance(options, list) else []
        lines: list[Line] = self.pen.said("\n".join([question, *listed])) if question else []
        self.question = question if "question" in asked or not asked else ""
        if picked := string(asked.get("selected")):
            lines.append(self.pen.user(answered([(question, picked)]), Via.ANSWER))
            self.question = ""
        return lines

    # Tools

    def _tool(self, text: str, _: Record) -> Outcome:
        arguments = as_object(text)
        tool = string(arguments.pop("tool", "")) or "tool"
        arguments.pop("operationIsLocatedInWorkspace", None)
        found = string(arguments.pop("content", "")) if tool in _FOUND_IN_CALL else ""
        if tool == "readFile":
            arguments.pop("content", None)  # Only the path again, in full.
        lines: list[Line] = [self._call(tool, call_text(arguments) if arguments else text)]
        if found:
            lines.append(self._answer(found, ok=True))
        return lines

    def _command(self, text: str, _: Record) -> Outcome:
        call = self._call("execute_command", text.removesuffix("REQ_APP"))
        self.command = call.call
        return [call]

    def _command_output(self, text: str, _: Record) -> Outcome:
        """Output comes in pieces, each a message. The request after them repeats it, and is then skipped."""
        if not text.strip():
            return "empty"
        self.waiting = [waiting for waiting in self.waiting if waiting[0] != self.command]
        if not self.command:
            return [self.pen.injected(text, Injection.OUTPUT)]
        return [self.pen.result(self.command, text)]

    def _mcp(self, text: str, _: Record) -> Outcome:
        request = as_object(text)
        name = "/".join(filter(None, (string(request.get("serverName")), string(request.get("toolName")))))
        return [self._call(name or "mcp", compact(request.get("arguments") or request.get("uri")))]

    def _browser(self, text: str, _: Record) -> Outcome:
        return [self._call("browser_action", call_text(text))]

    def _browsed(self, text: str, message: Record) -> Outcome:
        shown = as_object(text)
        screenshot = string(shown.get("screenshot"))
        seen = [string(shown.get("logs")), payload("image/*", screenshot) if screenshot else ""]
        return self._result_of_last("\n".join(filter(None, seen)), message)

    def _call(self, tool: str, text: str) -> ToolCall:
        call = f"message-{self.pen.src}"
        self.waiting.append((call, tool))
        return self.pen.call(call, tool, text)

    def _answer(self, text: str, *, ok: bool | None) -> Line:
        call, _ = self.waiting.pop()
        return self.pen.result(call, text, ok)

    def _result_of_last(self, text: str, _: Record) -> Outcome:
        return [self._answer(text, ok=None)] if self.waiting else [self.pen.injected(text, Injection.OUTPUT)]

    def _failed(self, text: str, message: Record) -> Outcome:
        return [self._answer(text, ok=False)] if self.waiting else self._error(text, message)

    def _error(self, text: str, _: Record) -> Outcome:
        message = string(as_object(text).get("message")) or text
        return [self.pen.event(Happening.ERROR, message)]

    # What goes to the model and back

    def _request(self, text: str, _: Record) -> Outcome:
        """The results of most tools are only here. The user's words in it came before."""
        info = as_object(text)
        self._count_tokens(info)
        self.is_cancelled = info.get("cancelReason") == "user_cancelled"
        self.question = ""
        lines: list[Line] = []
        for piece in pieces(string(info.get("request"))):
            if piece.kind == "environment_details" and piece.text:
                lines.append(self.pen.injected(piece.text, Injection.ENVIRONMENT))
            elif piece.tool and piece.tool not in TALKING and self.waiting:
                lines += self._returned(piece.tool, piece.text)
        return lines or "request"

    def _returned(self, tool: str, text: str) -> list[Line]:
        call, shown_as = self.waiting.pop(0)
        ok, code = outcome(tool, text)
        result = self.pen.result(call, text, ok, code)
        return [result, self.pen.event(Happening.REJECTED, shown_as)] if is_denied(tool, text) else [result]

    def _deleted(self, text: str, _: Record) -> Outcome:
        self._count_tokens(as_object(text))
        return "deleted requests"

    def _count_tokens(self, info: Record) -> None:
        self.account.input_tokens += sum(count(info.get(key)) for key in ("tokensIn", "cacheWrites", "cacheReads"))
        self.account.output_tokens += count(info.get("tokensOut"))

    def _resumed(self, text: str, _: Record) -> Outcome:
        # That a request was stopped is written into it afterwards; the task then waits to be resumed.
        was_cancelled, self.is_cancelled = self.is_cancelled, False
        return [self.pen.event(Happening.INTERRUPTED, text)] if was_cancelled else "resumed"

    def _condensed(self, text: str, message: Record) -> Outcome:
        summary = string(as_object(message.get("contextCondense")).get("summary")) or text
        lines: list[Line] = [self.pen.event(Happening.COMPACTED)]
        return [*lines, self.pen.injected(summary, Injection.COMPACTION)] if summary.strip() else lines


def _with_attachments(text: str, message: Record) -> str:
    images, files = message.get("images"), message.get("files")
    shown = [picture({"type": "image", "data": image}) for image in images] if isinstance(images, list) else []
    named = [f"[file {name}]" for name in files] if isinstance(files, list) else []
    return "\n".join(filter(None, [text, *shown, *named]))
