"""Aider.

It appends to `.aider.chat.history.md` in the root of the repository it works in, or in the directory it was started in
when that is none; the same on Linux, macOS and Windows. `AIDER_CHAT_HISTORY_FILE` (or `--chat-history-file`) moves it.
All sessions of a repository stand in one file, one after the other.

The file is Markdown without any markup for who speaks, except by the start of a line:
- `# aider chat started at 2025-04-01 18:41:01` opens a session. The time is local; no time zone is written anywhere, so
  it is read as a time of the machine that reads it. Nothing else has a time.
- `#### ` is what the user typed, line by line. `/commands` and `!shell lines` are the user's as well.
- `> ` is the console: notices, the output of commands, questions with the answer given to them.
- The rest is the agent; what it thought stands between `<thinking-content-…>` tags.
Aider ends the lines it marks with two blanks. That tells its marks from the headings and quotations of the agent, and
so does where they stand: no prompt is typed in the middle of an answer.

The console becomes injected output, not as tool results: the commands are the user's own, aider does not say where
the output of one ends, and there is no call to link to. What stands in it about edits, commits and commands that aider
ran becomes tool calls.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from lerim.dataclass import dataclass, field
from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.pieces import Pen, container
from lerim.sources.plain_file import opened_file
from lerim.sources.trace import Happening, Header, Injection, Line, Via

FILE_NAME = ".aider.chat.history.md"
_MAX_LINE_BYTES = 1024 * 1024
_HEAD_LINES = 50

_START = compile_later(rb"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_VERSION = compile_later(r"Aider v(?P<version>\S+)")
_MODEL = compile_later(r"(?:Main model|Model): (?P<model>\S+)")
_QUESTION = compile_later(r"(?P<question>.*\?) \(Y\)es/\(N\)o.*\[\w+\]: ?(?P<answer>.*)")
_TOKENS = compile_later(r"Tokens: (?P<sent>[\d.]+[kM]?) sent, .*?(?P<received>[\d.]+[kM]?) received")
_EDIT = compile_later(r"Applied edit to (?P<path>.+)")
_COMMIT = compile_later(r"Commit (?P<commit>[0-9a-f]{7,40} .*)")
_RUN = compile_later(r"Running (?P<command>.+)")
_INTERRUPTED = ("^C again to exit", "^C KeyboardInterrupt")
_UNDONE = compile_later(r"Removed: [0-9a-f]{7,40} ")
_ERROR = compile_later(r"litellm\.\S*(?:Error|Exception)|.* has hit a token limit!|The LLM did not conform to the edit")
_NO = {"n", "no", "s", "skip", "d", "don't", "don't ask again"}
_BLANK_PROMPT = "<blank>"
#: Why a block of a kind has no line.
_SILENT = {"user": "empty prompt", "echo": "question shown again", "console": "token count", "assistant": "empty"}


class AiderSource:
    """Aider. Its files lie in repositories, so whoever knows those passes them as roots."""

    name = "aider"
    title = "Aider"

    def __init__(self, zone: tzinfo | None = None) -> None:
        #: Of the times in the files; None is the zone of this machine.
        self._zone = zone

    def roots(self, machine: Machine) -> list[Path]:
        # A relative path is meant from each repository, and those are not known here.
        moved = Path(machine.env.get("AIDER_CHAT_HISTORY_FILE") or ".")
        return [*([moved] if moved.is_absolute() else []), machine.home]

    def containers(self, root: Path) -> Iterator[Container]:
        """The history of the repository at a root, or the root itself when it is a history."""
        yield from container(self.name, root if root.is_file() else root / FILE_NAME)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        for found in _spans(container.path):
            yield SessionRef(self.name, container.path, found.run_id, found.fingerprint)

    def accepts(self, path: Path) -> bool:
        try:
            with opened_file(path) as file:
                return any(_START.match(file.readline(_MAX_LINE_BYTES)) for _ in range(_HEAD_LINES))
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        span = next((span for span in _spans(ref.path) if span.run_id == ref.run_id), None)
        if span is None:
            raise SourceError(f"no session {ref.run_id} in {ref.path}")
        account = Account()
        return Reading(self._header(ref, span), _lines(ref.path, span, account), account)

    def _header(self, ref: SessionRef, span: _Span) -> Header:
        return Header(
            agent=ref.agent,
            run_id=ref.run_id,
            cwd=str(ref.path.parent) if ref.path.name == FILE_NAME else None,
            model=span.model,
            version=span.version,
            started=self._instant(span.started),
        )

    def _instant(self, local: str) -> str | None:
        try:
            moment = datetime.strptime(local, "%Y-%m-%d %H:%M:%S").replace(tzinfo=self._zone)
            return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        except (ValueError, OverflowError, OSError):
            return None


SOURCE = AiderSource()


# --- where the sessions are ----------------------------------------------------------------------------------------


@dataclass
class _Span:
    """A session's lines in the file. Its id is made of times alone, so that a moved or cloned repository keeps it."""

    run_id: str
    started: str
    first: int
    offset: int
    end: int = 0
    version: str | None = None
    model: str | None = None
    #: Whether the two blanks at the end of aider's own lines were stripped, as some editors do.
    is_stripped: bool | None = None
    #: Whether an answer is ended by a line that counts its tokens, as newer versions do.
    counts_tokens: bool = False
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    @property
    def fingerprint(self) -> str:
        return self.digest.hexdigest()[:16]

    def note(self, raw: bytes) -> None:
        self.end += len(raw)
        self.digest.update(raw)
        if raw.startswith((b"> ", b"#### ")):
            if self.is_stripped is None:
                self.is_stripped = not raw.rstrip(b"\r\n").endswith(b"  ")
            self._note_facts(raw)

    def _note_facts(self, raw: bytes) -> None:
        text = raw[2:].decode("utf-8", "replace")
        self.counts_tokens = self.counts_tokens or _TOKENS.match(text) is not None
        if self.version is None and (found := _VERSION.match(text)):
            self.version = found["version"]
        if self.model is None and (found := _MODEL.match(text)):
            self.model = found["model"]


def _spans(path: Path) -> Iterator[_Span]:
    """The sessions of a file, in one pass. Words before the first start are a session too, if there are any."""
    names = _SessionIds()
    span: _Span | None = None
    offset = 0
    for number, raw in _raw_lines(path):
        started = _START.match(raw)
        if started or (span is None and raw.strip()):
            if span:
                yield span
            time = started[1].decode() if started else ""
            span = _Span(names.next(time), time, number, offset, offset)
        if span:
            span.note(raw)
        offset += len(raw)
    if span:
        yield span


class _SessionIds:
    """Ids for sessions: their time, and a hash of it with the time of the file's first session.

    Two repositories begun at different times never share an id; sessions begun within one second are counted.
    """

    def __init__(self) -> None:
        self._born = ""
        self._seen: dict[str, int] = {}

    def next(self, started: str) -> str:
        self._born = self._born or started
        nth = self._seen[started] = self._seen.get(started, 0) + 1
        digest = hashlib.sha256(f"{self._born}\n{started}\n{nth}".encode()).hexdigest()[:8]
        time = re.sub(r"[-:]", "", started).replace(" ", "-") or "undated"
        return f"{time}-{digest}"


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with opened_file(path) as file:
        number = 0
        is_whole = True
        while raw := file.readline(_MAX_LINE_BYTES):
            # A longer line comes in pieces under one number.
            number += is_whole
            is_whole = raw.endswith(b"\n")
            yield number, raw


# --- who speaks ----------------------------------------------------------------------------------------------------


@dataclass
class _Block:
    """Lines of one kind that follow each other: one record of the file."""

    kind: str
    first: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def _lines(path: Path, span: _Span, account: Account) -> Iterator[Line]:
    reader = _AiderReader(account)
    for block in _blocks(path, span):
        account.records += 1
        lines = reader.read(block)
        if lines:
            account.used += 1
            yield from lines
        else:
            account.skip(_SILENT[block.kind])


def _blocks(path: Path, span: _Span) -> Iterator[_Block]:
    block: _Block | None = None
    last = ""
    for number, text in _span_lines(path, span):
        kind = _kind(text, bool(span.is_stripped))
        if kind == "user" and _QUESTION.match(_bare(text, kind)):
            # A question answered once and for all is shown again each time, as if it had been typed.
            kind = "echo"
        elif kind == "user" and last == "assistant" and span.counts_tokens:
            # The answer has not ended: what looks like a prompt is a heading in it, or in a file it shows.
            kind = "assistant"
        last = kind if kind != "blank" else last
        if kind == "blank":
            # Blank lines belong to the agent's text; before and after the others they only separate.
            if block and block.kind == "assistant":
                block.lines.append("")
            elif block:
                yield block
                block = None
            continue
        if block is None or block.kind != kind:
            if block:
                yield block
            block = _Block(kind, number)
        block.lines.append(_bare(text, kind))
    if block:
        yield block


def _span_lines(path: Path, span: _Span) -> Iterator[tuple[int, str]]:
    with opened_file(path) as file:
        file.seek(span.offset)
        number, left = span.first, span.end - span.offset
        while left > 0 and (raw := file.readline(min(left, _MAX_LINE_BYTES))):
            left -= len(raw)
            if not _START.match(raw):
                yield number, raw.decode("utf-8", "replace").replace("\0", "").rstrip("\r\n")
            number += raw.endswith(b"\n")


def _kind(text: str, is_stripped: bool) -> str:
    if not text.strip():
        return "blank"
    if is_stripped or text.endswith("  "):
        if text.startswith("#### ") or text == "####":
            return "user"
        if text.startswith("> ") or text == ">":
            return "console"
    return "assistant"


def _bare(text: str, kind: str) -> str:
    if kind == "assistant":
        return text
    return text.removeprefix(">" if kind == "console" else "####").removeprefix(" ").rstrip()


@dataclass
class _AiderReader:
    account: Account
    pen: Pen = field(default_factory=Pen)
    #: Whether the agent has been asked and has not finished its answer.
    is_answering: bool = False

    def read(self, block: _Block) -> list[Line]:
        self.pen = Pen(block.first)
        match block.kind:
            case "user":
                return self._user(block.text)
            case "console":
                return list(self._console(block))
            case "echo":
                return []
            case _:
                return self.pen.said(block.text)

    def _user(self, text: str) -> list[Line]:
        if not text.strip() or text == _BLANK_PROMPT:
            return []
        is_command = text.startswith(("/", "!"))
        self.is_answering = not is_command or text.startswith(("/ask ", "/code ", "/architect "))
        return [self.pen.user(text, Via.COMMAND if is_command else Via.TYPED)]

    def _console(self, block: _Block) -> Iterator[Line]:
        """Plain lines stay together as one output; between them stands what a line says happened."""
        plain: list[str] = []
        first = block.first
        for number, text in enumerate(block.lines, block.first):
            self.pen = Pen(number)
            lines = self._happening(text)
            if lines is None:
                first = first if plain else number
                plain.append(text)
                continue
            yield from self._output(first, plain)
            plain = []
            self.pen = Pen(number)
            yield from lines
        yield from self._output(first, plain)

    def _output(self, number: int, lines: list[str]) -> Iterator[Line]:
        text = "\n".join(lines).strip("\n")
        if text.strip():
            self.pen = Pen(number)
            yield self.pen.injected(text, Injection.OUTPUT)

    def _happening(self, text: str) -> list[Line] | None:
        """What a console line says that is more than a notice: its lines, none for a count; None for a notice."""
        if found := _TOKENS.match(text):
            self.account.input_tokens += _amount(found["sent"])
            self.account.output_tokens += _amount(found["received"])
            self.is_answering = False
            return []
        if found := _QUESTION.match(text):
            return [self._answered(found["question"], found["answer"])]
        if found := _EDIT.match(text):
            return self._done("edit", found["path"])
        if found := _COMMIT.match(text):
            return self._done("commit", found["commit"])
        if found := _RUN.match(text):
            return [self.pen.call(f"line-{self.pen.src}", "shell", found["command"])]
        if text in _INTERRUPTED:
            # At the prompt it only leaves the program.
            was_answering, self.is_answering = self.is_answering, False
            return [self.pen.event(Happening.INTERRUPTED, text)] if was_answering else None
        if _UNDONE.match(text):
            return [self.pen.event(Happening.REWOUND, text)]
        return [self.pen.event(Happening.ERROR, text)] if _ERROR.match(text) else None

    def _answered(self, question: str, answer: str) -> Line:
        is_refused = answer.strip().lower() in _NO
        self.is_answering = not is_refused and question.startswith("Add file to the chat")
        return self.pen.event(Happening.REJECTED if is_refused else Happening.ACCEPTED, f"{question} {answer}")

    def _done(self, tool: str, what: str) -> list[Line]:
        call = f"line-{self.pen.src}"
        return [self.pen.call(call, tool, what), self.pen.result(call, "", True)]


def _amount(figure: str) -> int:
    scale = {"k": 1_000, "M": 1_000_000}.get(figure[-1:], 1)
    return round(float(figure.rstrip("kM").strip(".") or 0) * scale)
