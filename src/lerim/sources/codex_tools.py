"""The tools of Codex: calls, outputs, and the events that report how they ended."""

from __future__ import annotations

from lerim.dataclass import dataclass, field
from lerim.lazy_regex import compile_later
from lerim.sources.codex_words import REPEATED
from lerim.sources.pieces import Outcome, Pen, Record, answered, command_line, picture, words
from lerim.sources.trace import Happening, Line, Via
from lerim.sources.values import as_object, compact, objects

# Before the output itself: "Chunk ID: …\nWall time: …\nProcess exited with code 0\n…\nOutput:\n".
_OUTPUT_HEAD = compile_later(r"(?:(?:Chunk ID|Exit code|Wall time): .*\n(?:.*\n){0,6}?)Output:\n")
_EXIT_CODE = compile_later(r"(?:Process exited with code|[Ee]xit code:) (-?\d+)")
#: A command that takes long goes on in a session of its own, and is asked for later.
_RUNNING = compile_later(r"Process running with session ID (\d+)")
_ASKS_AGAIN = "write_stdin"
_FAILURES = (
    "failed in sandbox",
    "failed to parse function arguments",
    "error:",
    "execution error:",
    "apply_patch verification failed",
    "unsupported call:",
    "aborted by user",
    "exec command rejected",
    "patch rejected",
    "rejected by user",
)
# All that Codex says when the user refused a call. What a tool prints has a head before it.
_REFUSALS = frozenset({"exec command rejected by user", "patch rejected by user", "rejected by user"})
#: Calls of functions; other kinds are never Codex's questions.
_CALLS = frozenset({"function_call", "local_shell_call", "custom_tool_call"})


@dataclass
class _End:
    """How a tool ended, from an event that comes before the output."""

    ok: bool | None = None
    exit_code: int | None = None


@dataclass
class Tools:
    """Calls and what became of them. `pen` and `cwd` are set for every record."""

    pen: Pen = field(default_factory=Pen)
    #: Where the session works: what runs there does not say so.
    cwd: str | None = None
    #: Goals that are known: the agent sets them with a tool, and events repeat them.
    _goals: set[str] = field(default_factory=set)
    #: Calls of tools that are Codex's own.
    _own: set[str] = field(default_factory=set)
    _ends: dict[str, _End] = field(default_factory=dict)
    #: Commands that go on, by the session they run in, and the calls that ask for what they print.
    _running: dict[str, str] = field(default_factory=dict)
    _asked: dict[str, str] = field(default_factory=dict)
    _questions: dict[str, dict[str, str]] = field(default_factory=dict)
    _unnamed: str = ""

    def call(self, item: Record) -> Outcome:
        call = str(item.get("call_id") or item.get("id") or f"line-{self.pen.src}")
        if not item.get("call_id"):
            self._unnamed = call
        function = item.get("function") or {}
        tool = str(item.get("name") or function.get("name") or str(item.get("type")).removesuffix("_call"))
        given: object = next((item[key] for key in ("arguments", "input", "action") if key in item), {})
        if item.get("type") in _CALLS and not item.get("namespace"):
            self._own.add(call)
            self._note_own(call, tool, given)
        return [self.pen.call(call, tool, _query(given) or command_line(given, self.cwd))]

    def _note_own(self, call: str, tool: str, given: object) -> None:
        """A call of one of Codex's own tools; those of servers have a namespace, or it in their name."""
        asked = as_object(given)
        if tool == _ASKS_AGAIN:
            self._asked[call] = str(asked.get("session_id"))
        elif tool == "create_goal":
            self.note_goal(str(asked.get("objective") or ""))
        elif tool == "request_user_input":
            self._questions[call] = {
                str(question.get("id")): str(question.get("question") or "")
                for question in objects(asked.get("questions"))
            }

    def note_goal(self, objective: str) -> bool:
        """Whether a goal is new."""
        plain = " ".join(objective.split())
        is_new = plain not in self._goals
        self._goals.add(plain)
        return is_new

    def output(self, item: Record) -> Outcome:
        call = str(item.get("call_id") or self._unnamed or f"line-{self.pen.src}")
        output = item.get("output", item.get("result"))
        text, end = _ended(output, self._ends.pop(call, _End()))
        lines: list[Line] = [self._printed(call, text, end)]
        if call in self._own and text in _REFUSALS:
            lines.append(self.pen.event(Happening.REJECTED, "tool call refused"))
        return lines + self._answers(call, output)

    def _printed(self, call: str, text: str, end: _End) -> Line:
        """What a command printed, and how it ended: of one that took long, the call that began it."""
        shown, asked = _OUTPUT_HEAD.sub("", text, count=1), self._asked.pop(call, "")
        if found := _RUNNING.search(text.partition("Output:\n")[0][:300]):
            self._running[found[1]] = self._running.get(asked, call)
            return self.pen.so_far(call, shown)
        return self.pen.result(self._running.pop(asked, call), shown, end.ok, end.exit_code)

    def _answers(self, call: str, output: object) -> list[Line]:
        questions = self._questions.pop(call, {})
        answers = as_object(output).get("answers") if questions else None
        pairs = []
        for name, given in (answers or {}).items():
            answer = given.get("answers") if isinstance(given, dict) else given
            text = "\n".join(map(str, answer)) if isinstance(answer, list) else str(answer)
            pairs.append((questions.get(name, name), text))
        return [self.pen.user(text, Via.ANSWER)] if (text := answered(pairs)) else []

    def command_end(self, event: Record) -> Outcome:
        if event.get("source") == "user_shell":
            return REPEATED
        call, code = str(event.get("call_id") or event.get("id")), event.get("exit_code")
        end = _End(code == 0 if isinstance(code, int) else None, code if isinstance(code, int) else None)
        session = next((session for session, began in self._running.items() if began == call), None)
        if session is None:
            self._ends[call] = end
            return "reported by the tool's output"
        # The output came while the command was still running; only now is it known how it ended.
        del self._running[session]
        return [self.pen.result(call, str(event.get("aggregated_output") or ""), end.ok, end.exit_code)]

    def end(self, event: Record) -> Outcome:
        call = str(event.get("call_id") or event.get("id"))
        self._ends[call] = _End(_succeeded(event))
        return "reported by the tool's output"

    def found(self, item: Record) -> Outcome:
        names = [str(tool.get("name")) for tool in item.get("tools") or []]
        return [self.pen.result(str(item.get("call_id")), ", ".join(names), item.get("status") == "completed")]

    def image(self, item: Record) -> Outcome:
        call = str(item.get("id") or f"line-{self.pen.src}")
        prompt = str(item.get("revised_prompt") or "")
        made = picture({"type": "image", "data": str(item.get("result") or "")})
        ok = item.get("status") == "completed"
        return [self.pen.call(call, "image_generation", prompt), self.pen.result(call, made, ok)]


def _query(action: object) -> str:
    """What a web search looked for; empty when it is not one."""
    if not isinstance(action, dict) or action.get("type") not in {"search", "open_page", "find_in_page"}:
        return ""
    return " ".join(str(action[key]) for key in ("query", "url", "pattern") if action.get(key))


def _ended(output: object, end: _End) -> tuple[str, _End]:
    """The text of a tool's output and how it ended, from the output itself or what an event said of it before."""
    wrapped = as_object(output)
    code = (wrapped.get("metadata") or {}).get("exit_code", wrapped.get("exitCode"))
    ok = wrapped.get("success", end.ok)
    text = _text_of(output, wrapped)
    if code is None and (found := _EXIT_CODE.search(text.partition("Output:\n")[0][:400])):
        code = int(found[1])
    code = code if isinstance(code, int) else end.exit_code
    if code is not None:
        return text, _End(code == 0, code)
    return text, _End(False if text.startswith(_FAILURES) else ok)


def _text_of(output: object, wrapped: Record) -> str:
    if "output" in wrapped:
        return words(wrapped["output"]) or str(wrapped["output"] or "")
    if "content" in wrapped:
        return words(wrapped["content"])
    if "stdout" in wrapped:
        return "\n".join(filter(None, [str(wrapped["stdout"]), str(wrapped.get("stderr") or "")]))
    return words(output) or ("" if output is None or isinstance(output, str | list) else compact(output))


def _succeeded(event: Record) -> bool | None:
    if isinstance(event.get("success"), bool):
        return bool(event["success"])
    if event.get("status") in {"completed", "failed", "declined"}:
        return bool(event["status"] == "completed")
    result = event.get("result")
    if not isinstance(result, dict):
        return None
    return not result.get("Ok", {}).get("isError") if "Ok" in result else "Err" not in result and None
