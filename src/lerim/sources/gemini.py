"""Gemini CLI.

Sessions are `session-<UTC time>-<first 8 of the id>.json`, since 0.40 `.jsonl`, in `.gemini/tmp/<project>/chats/` under
the home directory or `$GEMINI_CLI_HOME`, the same on Linux, macOS and Windows. `<project>` is a short name, with the
directory written in a `.project_root` file beside `chats`, or in older versions the SHA-256 of the directory. Subagents
lie in `chats/<id of the parent session>/`.

The JSON form is one document with a list of messages. The JSONL form starts with the session's facts, then appends:
messages, `{"$set": …}` for facts that changed, `{"$rewindTo": id}` when a message and all after it were taken back, and
a message again under its id when it changed, the last one counting. Either form may carry either file name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from lerim.dataclass import dataclass, field, replace
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import read_document
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, answered, command_line, container, show_all, translated, words
from lerim.sources.plain_file import opened_file, read_head
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

_HEAD_BYTES = 1024 * 1024
# The facts of a session come first, in either form.
_FACTS_BYTES = 4096
_MAX_CANDIDATES = 5_000

_REFERENCED = "--- Content from referenced files ---"
_HOOK, _HOOK_END = "<hook_context>", "</hook_context>"
_INJECTED = (
    (_REFERENCED, Injection.ENVIRONMENT),
    ("Here is the user's editor context", Injection.ENVIRONMENT),
    ("Here is a summary of changes in the user's editor context", Injection.ENVIRONMENT),
    ("<session_context>", Injection.ENVIRONMENT),
    ("This is the Gemini CLI. We are setting up the context", Injection.ENVIRONMENT),
    (_HOOK, Injection.HOOK),
    ("<state_snapshot>", Injection.COMPACTION),
)
# What stands in one text with the words: behind them, or what a hook gave, before them.
_AROUND = compile_later(rf"(?m)^{re.escape(_REFERENCED)}|{_HOOK}")
_SHELL_LINE = compile_later(
    r"I ran the following shell command:\n```\w*\n(?P<command>.*?)\n```\s*"
    r"This produced the following output:\s*(?P<output>.*)",
    re.DOTALL,
)
_PLAN_FEEDBACK = compile_later(r"Plan rejected\. User feedback: (?P<words>.+)", re.DOTALL)
# What a call that needed the user's leave answers when they refuse it.
_DENIED = "User denied execution."
_EXIT_CODE = compile_later(r"Exit Code: (-?\d+)")
_FACT = compile_later(r"\"(sessionId|projectHash|startTime|kind)\"\s*:\s*\"([^\"]*)\"")
_PATH = compile_later(r"(?:[A-Za-z]:\\\\?|/)[^\s\"'`:*?<>|,;()\[\]{}]+")


class GeminiSource:
    """Gemini CLI, in both of its formats."""

    name = "gemini"
    title = "Gemini CLI"

    def roots(self, machine: Machine) -> list[Path]:
        return [Path(machine.env.get("GEMINI_CLI_HOME") or machine.home) / ".gemini" / "tmp"]

    def containers(self, root: Path) -> Iterator[Container]:
        found = [*root.glob("*/chats/*"), *root.glob("*/chats/*/*")]
        for path in sorted(path for path in found if path.suffix in {".json", ".jsonl"}):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        try:
            head = _head(path)
        except SourceError:
            return False
        start = head.lstrip()[:_FACTS_BYTES]
        return start.startswith(b"{") and b'"sessionId"' in start and b'"projectHash"' in start

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        if _has_lines(ref.path):
            survey = _GeminiSurvey.of(records(ref.path, Account()))
            found: Iterable[tuple[int, Record]] = records(ref.path, account)
        else:
            facts, found = _document(ref.path, account)
            survey = _GeminiSurvey.of([(0, facts), *found])
        if not survey.is_session:
            raise SourceError(f"no Gemini session in {ref.path}")
        is_subagent = survey.meta.get("kind") == "subagent" or _is_nested(ref.path)
        reader = _GeminiReader(survey, account, is_subagent=is_subagent)
        return Reading(_header(ref, survey), translated(found, account, reader.translate), account)


SOURCE = GeminiSource()


def _head(path: Path) -> bytes:
    with opened_file(path) as file:
        return file.read(_HEAD_BYTES)


def _has_lines(path: Path) -> bool:
    """Whether the first line that can be read is an object of its own, but not the whole session."""
    found = (as_object(line.replace(b"\0", b"")) for line in _head(path).split(b"\n") if b"{" in line)
    first = next(filter(None, found), {})
    return bool(first) and not ({"messages", "history"} & first.keys())


def _document(path: Path, account: Account) -> tuple[Record, list[tuple[int, Record]]]:
    """The facts and the messages of a session that is one document. A damaged one gives what is whole."""
    head = _head(path).decode("utf-8", "replace")
    key = "history" if '"history"' in head and '"messages"' not in head else "messages"
    found = read_document(path, account, key, lambda item: "type" in item and "timestamp" in item)
    # The facts stand before the messages, so they are known even when the document is cut.
    return found.facts or dict(_FACT.findall(head[:_FACTS_BYTES])), found.items


def _is_nested(path: Path) -> bool:
    return path.parent.parent.name == "chats"


def _header(ref: SessionRef, survey: _GeminiSurvey) -> Header:
    meta = survey.meta
    folder = ref.path.parent
    is_nested = _is_nested(ref.path)
    return Header(
        agent=ref.agent,
        run_id=string(meta.get("sessionId")) or ref.run_id,
        cwd=_project_root(folder.parent.parent if is_nested else folder.parent) or survey.cwd,
        model=survey.model or string(as_object(meta.get("meta")).get("model")) or None,
        started=instant(meta.get("startTime") or meta.get("start_time")),
        title=string(meta.get("summary")) or None,
        parent=folder.name if is_nested else None,
    )


def _project_root(project: Path) -> str | None:
    return read_head(project / ".project_root").decode("utf-8", "replace").strip() or None


# --- first pass -----------------------------------------------------------------------------------------------------


@dataclass
class _GeminiSurvey:
    """What the whole session says about each of its messages."""

    meta: Record = field(default_factory=dict)
    model: str | None = None
    cwd: str | None = None
    is_session: bool = False
    #: The text each message ended with, and where it first stood.
    final: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    undone: list[range] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, found: Iterable[tuple[int, Record]]) -> _GeminiSurvey:
        surveyed = cls()
        show_all(found, surveyed.note)
        return surveyed

    def note(self, number: int, record: Record) -> None:
        if "$rewindTo" in record:
            since = self.first.get(str(record["$rewindTo"]))
            self.undone += [range(since, number)] if since is not None else []
        elif _is_message(record):
            self.is_session = True
            self._note_message(number, record)
        else:
            self.is_session = self.is_session or "sessionId" in record or "messages" in record or "history" in record
            facts = as_object(record.get("$set")) or record
            self.meta |= {name: value for name, value in facts.items() if name not in {"messages", "history"}}

    def _note_message(self, number: int, message: Record) -> None:
        self.model = self.model or string(message.get("model")) or None
        name = _name(number, message)
        self.first.setdefault(name, number)
        self.final[name] = hash(_text(message))
        if not self.cwd:
            self.cwd = self._directory_in(compact(message.get("toolCalls")))

    def _directory_in(self, text: str) -> str | None:
        """The directory whose hash names the project, if a path in the text lies in it."""
        wanted = self.meta.get("projectHash")
        for found in _PATH.findall(text) if wanted else ():
            pure = PurePosixPath(found) if found.startswith("/") else PureWindowsPath(found.replace("\\\\", "\\"))
            for candidate in map(str, (pure, *pure.parents)):
                if candidate in self.tried or len(self.tried) > _MAX_CANDIDATES:
                    break
                self.tried.add(candidate)
                if hashlib.sha256(candidate.encode()).hexdigest() == wanted:
                    return candidate
        return None


def _is_message(record: Record) -> bool:
    return "type" in record or "role" in record


def _name(number: int, message: Record) -> str:
    """The id of a message. Tools that hide secrets take some ids for one, and make them all equal."""
    name = string(message.get("id"))
    return name if name not in {"", "REDACTED"} else f"line-{number}"


def _content(message: Record) -> object:
    return message.get("content", message.get("parts"))


def _text(message: Record) -> str:
    return words(message.get("displayContent") or _content(message))


# --- second pass ----------------------------------------------------------------------------------------------------


class _GeminiReader:
    """Turns messages into lines. A message that comes again adds only what it did not have before."""

    def __init__(self, survey: _GeminiSurvey, account: Account, *, is_subagent: bool) -> None:
        self.survey = survey
        self.is_subagent = is_subagent
        self.account = account
        self.pen = Pen()
        self.seen: set[tuple[str, int]] = set()
        self.tokens: dict[str, tuple[int, int]] = {}

    def translate(self, number: int, record: Record) -> Outcome:
        at = instant(record.get("timestamp") or record.get("ts"))
        self.pen = Pen(number, at, any(number in turns for turns in self.survey.undone))
        if "$rewindTo" in record:
            return [self.pen.event(Happening.REWOUND)]
        if "$set" in record:
            return "session facts"
        if not _is_message(record):
            return "session header" if "sessionId" in record else f"unknown: {sorted(record)[:1]}"
        name = _name(number, record)
        match record.get("type", record.get("role")):
            case "user":
                return self._user(name, record)
            case "gemini" | "model" | "assistant":
                return self._gemini(name, record)
            case "error":
                return [self.pen.event(Happening.ERROR, words(_content(record)))]
            case "info" | "warning":
                return self._notice(words(_content(record)))
            case other:
                return f"unknown: {other}"

    def _is_new(self, name: str, *texts: str) -> bool:
        key = name, hash(texts)
        is_new = key not in self.seen
        self.seen.add(key)
        return is_new

    def _last_wins(self, name: str, message: Record) -> None:
        """Words that a later record of the same message replaces were not the last word."""
        if self.survey.final.get(name, hash(_text(message))) != hash(_text(message)):
            self.pen = replace(self.pen, undone=True)

    def _user(self, name: str, message: Record) -> Outcome:
        if not self._is_new(name, _text(message)):
            return "repeats another record"
        self._last_wins(name, message)
        lines: list[Line] = []
        shown = words(message.get("displayContent"))
        for kind, text in _apart(_content(message)):
            if kind:
                lines.append(self.pen.injected(text, kind))
                continue
            lines += self._spoken(shown or text)
            if shown.startswith("/") and shown != text:
                # A command of the user's own: its template went to the model in place of what was typed.
                lines.append(self.pen.injected(text, Injection.TEMPLATE))
        return lines

    def _spoken(self, text: str) -> list[Line]:
        if shell := _SHELL_LINE.match(text):
            output = self.pen.injected(shell["output"].strip().strip("`").strip(), Injection.OUTPUT)
            return [self.pen.user(shell["command"], Via.COMMAND), output]
        if self.is_subagent:
            return [self.pen.injected(text, Injection.NOTIFICATION)] if text.strip() else []
        via = Via.COMMAND if re.match(r"/[a-z][\w:-]*(\s|$)", text) else Via.TYPED
        return [self.pen.user(text, via)] if text.strip() else []

    def _gemini(self, name: str, message: Record) -> Outcome:
        self._count(name, as_object(message.get("tokens")))
        lines: list[Line] = []
        for thought in objects(message.get("thoughts")):
            text = "\n".join(filter(None, (string(thought.get(key)).strip() for key in ("subject", "description"))))
            if text and self._is_new(name, "thought", text):
                lines.append(self.pen.reasoning(text))
        if (text := _text(message)).strip() and self._is_new(name, "text", text):
            pen = self.pen
            self._last_wins(name, message)
            lines += self.pen.said(text)
            self.pen = pen
        for call in objects(message.get("toolCalls")):
            lines += self._tool(name, call)
        return lines or "repeats another record"

    def _tool(self, name: str, call: Record) -> Iterator[Line]:
        identifier, tool = str(call.get("id") or name), str(call.get("name") or "")
        asked = command_line(call.get("args") or {})
        # With its input: a message that comes again may have been damaged the first time.
        if self._is_new(name, "call", identifier, asked):
            yield self.pen.call(identifier, tool, asked)
        if "result" not in call and "resultDisplay" not in call:
            return
        text = _output(call)
        if not self._is_new(name, "result", identifier, text):
            return
        pen = replace(self.pen, at=instant(call.get("timestamp")) or self.pen.at)
        exit_code = int(found[1]) if tool == "run_shell_command" and (found := _EXIT_CODE.search(text)) else None
        ok = None if call.get("status") is None else call.get("status") == "success" and not exit_code
        yield pen.result(identifier, text, ok, exit_code)
        yield from _answers(pen, tool, call, text)

    def _notice(self, text: str) -> Outcome:
        if text.startswith("Request cancelled"):
            return [self.pen.event(Happening.INTERRUPTED, text)]
        if "compressed" in text and "history" in text:
            return [self.pen.event(Happening.COMPACTED, text)]
        return "notice of the program"

    def _count(self, name: str, tokens: Record) -> None:
        """Each message is one request with its own count; a message that comes again repeats it."""
        before = self.tokens.get(name, (0, 0))
        now = count(tokens.get("input")), count(tokens.get("output"))
        self.account.input_tokens += now[0] - before[0]
        self.account.output_tokens += now[1] - before[1]
        self.tokens[name] = now


def _apart(content: object) -> list[tuple[Injection | None, str]]:
    """What was typed (None) and what the program put around it. The text of files named with @ follows a heading."""
    pieces: list[tuple[Injection | None, str]] = []
    is_file = False
    for text in _split(map(words, content if isinstance(content, list) else [content])):
        start = text.lstrip()
        is_file = is_file or start.startswith(_REFERENCED)
        kind = next((kind for opening, kind in _INJECTED if start.startswith(opening)), None)
        kind = Injection.ENVIRONMENT if is_file else kind
        if pieces and pieces[-1][0] is kind:
            pieces[-1] = kind, f"{pieces[-1][1]}\n{text}"
        elif text:
            pieces.append((kind, text.strip("\n")))
    return pieces


def _split(texts: Iterable[str]) -> Iterator[str]:
    """The texts, cut where the program put something before or behind what was typed."""
    for text in texts:
        found = _AROUND.search(text)
        yield text[: found.start()] if found else text
        if found is None:
            continue
        rest = text[found.start() :]
        # To the last mark: what a hook says may close its block and go on talking.
        end = rest.rfind(_HOOK_END) if found[0] == _HOOK else -1
        cut = end + len(_HOOK_END) if end >= 0 else len(rest)
        yield rest[:cut]
        if cut < len(rest):
            yield from _split([rest[cut:]])


def _output(call: Record) -> str:
    """What a tool answered: the text the model got, else what the person was shown."""
    texts = []
    for part in objects(call.get("result")):
        response = as_object(as_object(part.get("functionResponse")).get("response"))
        texts.append(compact(response.get("output", response.get("error"))) if response else words(part))
    display = call.get("resultDisplay")
    return "\n".join(filter(None, texts)) or words(display) or compact(display)


def _answers(pen: Pen, tool: str, call: Record, text: str) -> Iterator[Line]:
    """What the person said through a tool: answers to a question, a plan's fate, a refusal."""
    if string(call.get("displayName")).endswith("MCP Server)"):
        # Servers may call their tools as they like; their names are shown with the server's.
        return
    if tool == "ask_user":
        asked = objects(as_object(call.get("args")).get("questions"))
        pairs = []
        for index, answer in as_object(as_object(text).get("answers")).items():
            position = int(index) if str(index).isdigit() else len(asked)
            question = string(asked[position].get("question")) if position < len(asked) else ""
            pairs.append((question, compact(answer)))
        if answers := answered(pairs):
            yield pen.user(answers, Via.ANSWER)
    elif tool == "exit_plan_mode" and (feedback := _PLAN_FEEDBACK.match(text)):
        yield pen.user(feedback["words"].strip(), Via.PLAN)
    elif call.get("status") == "cancelled" or (call.get("status") == "error" and text.strip() == _DENIED):
        is_refused = "did not allow" in text or "rejected" in text or _DENIED in text
        what = (Happening.REJECTED, "tool call refused") if is_refused else (Happening.INTERRUPTED, text)
        yield pen.event(*what)
