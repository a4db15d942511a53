"""Traces of your own: canonical traces, lists of messages, plain transcripts, and exports of platforms.

docs/trace.md describes each form. `read_traces` takes a file in and is strict: whoever writes a trace wants to know
which line is wrong. A folder of traces is read like any agent's: a bad line costs only itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, replace
from lerim.digests import blake2b
from lerim.errors import SourceError, TraceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.chat import AGENTS, HINT, PEOPLE, ChatReader, is_message
from lerim.sources.exports import HEAD_BYTES, export_of, is_marked, may_be_export
from lerim.sources.json_file import read_document
from lerim.sources.jsonl import counted
from lerim.sources.loose_json import decoded
from lerim.sources.pieces import Record, container
from lerim.sources.plain_file import read_bytes, read_head
from lerim.sources.talks import Talk
from lerim.sources.trace import LINES, MAX_SPOKEN_TEXT, MAX_TOOL_TEXT, SCHEMA, Header, Line, decode, shorten
from lerim.sources.values import as_object, instant, parsed, string

AGENT = "custom"
_SUFFIXES = {".jsonl", ".json", ".txt"}
_LONG_LINE = 400
_LABEL = compile_later(rf"(User|Assistant|Tool|System|{'|'.join(sorted(PEOPLE | AGENTS))}):[ \t]*", re.IGNORECASE)
#: A text cannot say where a message ends: whoever is in it may open another's paragraph. So a label there is no proof.
_AS_LABELED = "as labeled"
_LISTED = compile_later(rb'"(messages|input|conversation)"\s*:\s*\[')
_MESSAGES = compile_later(
    rb'^(?:\{.*?"messages"\s*:\s*)?\[\s*\{\s*(?:"\w+"\s*:\s*[^{}\[\]]*)?"role"\s*:\s*"', re.DOTALL
)
_HEAD_BYTES = 65_536
# Of this many lines one has a role, when they are messages: a damaged line or two must not hide it.
_FIRST = 5
_TIMES = "ISO 8601, or seconds or milliseconds since 1970"

#: A piece of a trace with its line or place in a list, still to be understood.
Item = tuple[int, Any]


def read_traces(trace: str | Path, name: str) -> list[Reading]:
    """The traces in a text or a file, in any of the documented forms; several where it is an export of conversations.

    Raises TraceError with the line of the first thing that is wrong, and SourceError when the file cannot be read. What
    an export has that cannot be read is noted: nobody wrote it by hand.
    """
    raw = read_bytes(trace) if isinstance(trace, Path) else trace.encode("utf-8", "replace")
    talks = [] if _is_labeled(raw) or _is_canonical(raw) else export_of(raw)
    if talks:
        return [_told(talk, name if len(talks) == 1 else _run_id(name, talk)) for talk in talks]
    return [_read_one(raw, name)]


def read_trace(trace: str | Path, name: str) -> Reading:
    """The one trace in a text or a file. `name` is its run id, unless it has one. Raises TraceError, SourceError."""
    found = read_traces(trace, name)
    if len(found) > 1:
        raise TraceError(f"{len(found)} conversations, not one", hint="lerim trace import FILE takes them all")
    return found[0]


def _read_one(raw: bytes, name: str) -> Reading:
    account = Account()
    form = _whole(raw, account, name) if _is_document(raw) else _form(raw, account, name)
    if account.bad:
        raise TraceError(account.bad[0].reason, line=account.bad[0].line, hint=HINT)
    if not form.items:
        raise TraceError("the trace is empty", hint=HINT)
    return Reading(form.header, list(_lines(form, account, is_strict=True)), account)


class CustomSource:
    """Traces in a folder, and in folders inside it: *.jsonl, *.json and *.txt."""

    name = AGENT
    title = "Custom traces"
    reads_one_file = True

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def roots(self, machine: Machine) -> list[Path]:
        return [self._folder] if self._folder else []

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.rglob("*")):
            if path.suffix in _SUFFIXES:
                yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        path = container.path
        talks = _talks_at(path)
        # A single conversation keeps its name when a second one joins it.
        for talk in talks:
            yield SessionRef(self.name, path, _run_id(path.stem, talk), talk.fingerprint)
        if not talks:
            yield SessionRef(self.name, path, path.stem)

    def accepts(self, path: Path) -> bool:
        head = read_head(path)
        if not head.startswith((b"{", b"[")):
            return _LABEL.match(head.decode("utf-8", "replace")) is not None
        first = as_object(head.partition(b"\n")[0])
        is_canonical = first.get("type") == "session" and "run_id" in first
        if is_canonical or is_message(first) or _MESSAGES.search(head) is not None:
            return True
        return bool(_talks_at(path))

    def read(self, ref: SessionRef) -> Reading:
        talks = _talks_at(ref.path)
        if talks:
            talk = next((talk for talk in talks if _run_id(ref.path.stem, talk) == ref.run_id), talks[0])
            return _told(talk, ref.run_id)
        account = Account()
        raw = read_bytes(ref.path)
        form = _listed(ref, raw, account) if _is_document(raw) else None
        if form is None:
            # Also what only begins as a document does: with a damaged line.
            account = Account()
            form = _form(raw, account, ref.run_id)
        if not form.items:
            raise SourceError(f"no trace in {ref.path}", hint=HINT)
        header = replace(form.header, agent=ref.agent, run_id=ref.run_id)
        return Reading(header, _lines(form, account), account)


SOURCE = CustomSource()


# --- exports -------------------------------------------------------------------------------------------------------


def _talks_at(path: Path) -> Sequence[Talk]:
    """The conversations of a file that is an export. Kept for the next question: a file may hold thousands of them."""
    head = read_head(path, HEAD_BYTES)
    if _is_labeled(head) or _is_canonical(head) or not may_be_export(head):
        return ()
    try:
        found = path.stat()
    except OSError:
        return ()
    return _exported(path, (found.st_mtime_ns, found.st_size, found.st_ino))


def _is_labeled(head: bytes) -> bool:
    """Whether it begins as a transcript does, whatever is pasted into it."""
    return _LABEL.match(head[:40].decode("utf-8", "replace").lstrip("\ufeff\0\r\n\t ")) is not None


def _is_canonical(head: bytes) -> bool:
    """Whether a line at the beginning is one of a canonical trace, also when those before it are damaged."""
    return _has_canonical(map(as_object, head[:_HEAD_BYTES].split(b"\n")))


def _has_canonical(records: Iterable[Record | None]) -> bool:
    """Whether one of the first that are whole is a line of a canonical trace."""
    first = islice(filter(None, records), _FIRST)
    return any(string(record.get("type")) in LINES and isinstance(record.get("text"), str) for record in first)


@lru_cache(maxsize=1)
def _exported(path: Path, state: tuple[int, int, int]) -> tuple[Talk, ...]:
    return tuple(export_of(read_bytes(path)))


def _run_id(name: str, talk: Talk) -> str:
    """A conversation of a file by name: short, and the same however the file grows."""
    return f"{name}-{blake2b(talk.id.encode('utf-8', 'replace'), digest_size=4).hexdigest()}"


def _told(talk: Talk, run_id: str) -> Reading:
    account = Account(talk.account.records, talk.account.used, talk.account.skipped.copy(), [*talk.account.bad])
    lines = talk.lines(account)
    facts = {key: value for key, value in talk.facts.items() if value}
    return Reading(_plain_header(run_id, facts), lines, account)


# --- which form it is ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Form:
    """A trace whose form is known: its header, and how each of its items becomes lines."""

    header: Header
    items: Sequence[Item]
    understand: Callable[[int, Any], list[Line]]


def _lines(form: _Form, account: Account, *, is_strict: bool = False) -> Iterator[Line]:
    for number, item in form.items:
        try:
            lines = form.understand(number, item)
        except TraceError as error:
            if is_strict:
                raise
            account.trouble(number, error.message)
            continue
        if lines:
            account.used += 1
            yield from lines
        else:
            account.skip("empty")


def _is_document(raw: bytes) -> bool:
    """Whether it is a single document with messages in it, rather than one object on each line."""
    text = raw.lstrip()
    if text.startswith(b"[") and _is_canonical(raw):
        return False
    if text.startswith(b"["):
        # A list on a line of its own among objects on theirs is a damaged line.
        lines = _first_lines(raw)
        return len(lines) < 2 or not lines[1].startswith(b"{") or not isinstance(parsed(lines[0]), list)
    first = as_object(text.partition(b"\n")[0])
    if first:
        return "messages" in first
    head = text[:_HEAD_BYTES]
    # A list of messages within the only record of an export, which is cut, is no trace.
    return text.startswith(b"{") and _LISTED.search(head) is not None and not is_marked(head)


def _listed(ref: SessionRef, raw: bytes, account: Account) -> _Form | None:
    """A document with a list of messages; None when there is no message in it."""
    try:
        document = read_document(ref.path, account, _listing(raw), is_message)
    except SourceError:
        return None
    if not any(is_message(item) for _, item in document.items):
        return None
    items = [*_instructions(document.facts, account), *document.items]
    return _Form(_plain_header(ref.run_id, document.facts), items, ChatReader().understand)


def _listing(raw: bytes) -> str:
    """The key of a document's list of messages."""
    found = _LISTED.search(raw[:_HEAD_BYTES])
    return found[1].decode() if found else "messages"


def _first_lines(raw: bytes) -> list[bytes]:
    lines = raw.lstrip()[:_HEAD_BYTES].split(b"\n", _FIRST)
    return [line for line in lines[:_FIRST] if line.strip()]


def _whole(raw: bytes, account: Account, name: str) -> _Form:
    try:
        document = decoded(raw)
    except ValueError as error:
        line = error.lineno if isinstance(error, JSONDecodeError) else 1
        raise TraceError(f"not JSON: {error}", line=line, hint=HINT) from None
    facts = document if isinstance(document, dict) else {}
    listed = facts["messages"] if facts else document
    if not isinstance(listed, list):
        raise TraceError(f"messages: a {type(listed).__name__}, not a list", hint=HINT)
    account.records = len(listed)
    items = [*_instructions(facts, account), *enumerate(listed, 1)]
    return _Form(_plain_header(name, facts), items, ChatReader().understand)


def _instructions(facts: Record, account: Account) -> list[Item]:
    """What a request tells the model beside its messages, as Anthropic's do."""
    told = facts.get("system")
    if not isinstance(told, str | list) or not told:
        return []
    account.records += 1
    return [(0, {"role": "system", "content": told})]


def _form(raw: bytes, account: Account, name: str) -> _Form:
    """A trace of lines. What is wrong with it as a whole is noted as bad."""
    if _is_labeled(raw) or not any(line.lstrip().startswith(b"{") for line in _first_lines(raw)):
        return _transcript(raw, account, name)
    lines = enumerate(raw.split(b"\n"), 1)
    read = Account()
    items = [(number, item) for number, line in lines if line.strip() for item in counted(number, line, read)]
    if not any(item for _, item in items) and any(map(_is_labeled, raw.split(b"\n"))):
        # Of a transcript, a line that only begins as a record does.
        return _transcript(raw, account, name)
    account.records, account.bad = account.records + read.records, [*account.bad, *read.bad]
    first = [item for _, item in items[:_FIRST]]
    is_chat = any(map(is_message, first)) and not any(item.get("type") == "session" for item in first)
    if is_chat and not _has_canonical(item for _, item in items):
        return _Form(_plain_header(name, {}), items, ChatReader().understand)
    return _canonical(items, account, name)


def _plain_header(name: str, facts: Record) -> Header:
    keys = ("cwd", "branch", "model", "version", "title")
    texts = {key: facts[key] for key in keys if isinstance(facts.get(key), str)}
    return Header(
        agent=AGENT, run_id=string(facts.get("run_id")) or name, started=instant(facts.get("started")), **texts
    )


# --- canonical traces ----------------------------------------------------------------------------------------------


def _canonical(items: list[Item], account: Account, name: str) -> _Form:
    at = next((at for at, (_, item) in enumerate(items) if item.get("type") == "session"), None)
    if at != 0:
        account.records += 1
        account.trouble(items[0][0] if items else 1, 'the first line is not the header {"type":"session",…}')
    if at is None:
        return _Form(_plain_header(name, {}), items, _canonical_line)
    number, record = items.pop(at)
    try:
        header = _header(number, record)
        account.used += 1
    except TraceError as error:
        account.trouble(number, error.message)
        header = _plain_header(name, {})
    return _Form(header, items, _canonical_line)


def _header(number: int, record: Record) -> Header:
    if record.get("schema") != SCHEMA:
        raise TraceError(f"schema: {record.get('schema')!r:.60} is not {SCHEMA}", line=number, hint=HINT)
    facts = {key: value for key, value in record.items() if key not in {"type", "schema"}}
    _check(number, Header, facts)
    return Header(**facts | {"started": _moment(number, "started", facts.get("started"))})


def _canonical_line(number: int, record: Record) -> list[Line]:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in LINES:
        problem = "a second header" if kind == "session" else f"unknown line type {kind!r:.60}"
        raise TraceError(f"type: {problem}", line=number, hint=f"one of {', '.join(LINES)}")
    _check(number, LINES[kind], {key: value for key, value in record.items() if key != "type"})
    import orjson  # Start-up: a look at the disk reads nothing.

    line = decode(orjson.dumps(record).decode())
    assert isinstance(line, Line)
    return [_within_limit(replace(line, src=line.src or number, at=_moment(number, "at", line.at)))]


def _moment(number: int, key: str, value: object) -> str | None:
    at = instant(value)
    if value is not None and at is None:
        raise TraceError(f"{key}: {value!r:.60} is not a time", line=number, hint=_TIMES)
    return at


def _within_limit(line: Line) -> Line:
    limit = MAX_SPOKEN_TEXT if line.type in {"user", "assistant", "reasoning"} else MAX_TOOL_TEXT
    # A text that was cut before has a marker in it and is a little longer than the limit.
    text, cut = (line.text, 0) if line.cut else shorten(line.text, limit)
    return replace(line, text=text, cut=cut) if cut else line


def _check(number: int, kind: type[Header] | type[Line], facts: Record) -> None:
    wanted = _keys()[kind]
    for key, value in facts.items():
        if key not in wanted:
            raise TraceError(f"{key:.60}: unknown key", line=number, hint=f"its keys are {', '.join(wanted)}")
        if not wanted[key].allows(value):
            raise TraceError(f"{key}: {value!r:.60} is not {wanted[key].words}", line=number, hint=HINT)
    for key, rule in wanted.items():
        if rule.is_required and key not in facts:
            raise TraceError(f"{key}: missing", line=number, hint=f"it is {rule.words}")


@dataclass(frozen=True)
class _Key:
    """What a key of a line may hold, as the line's own type says."""

    types: tuple[Any, ...]
    is_required: bool

    def allows(self, value: object) -> bool:
        # By type, not by class: True is an int to Python, but no number in a trace.
        return type(value) in self.types or any(value == each for each in self._closed)

    @property
    def words(self) -> str:
        if self._closed:
            return f"one of {', '.join(self._closed)}"
        names = {str: "text", int: "a number", bool: "true or false", type(None): "null"}
        return " or ".join(names[kind] for kind in self.types)

    @property
    def _closed(self) -> list[str]:
        """The values of a closed set; none when the key holds something else."""
        return [each for kind in self.types if kind is not str and issubclass(kind, str) for each in kind]


@cache
def _keys() -> dict[type[Header] | type[Line], dict[str, _Key]]:
    return {Header: _keys_of(Header), **{kind: _keys_of(kind) for kind in LINES.values()}}


def _keys_of(kind: type[Header] | type[Line]) -> dict[str, _Key]:
    from dataclasses import MISSING, fields  # Start-up: only who reads a trace of their own needs it.
    from typing import get_type_hints

    hints = get_type_hints(kind)
    return {
        item.name: _Key(getattr(hints[item.name], "__args__", (hints[item.name],)), item.default is MISSING)
        for item in fields(kind)
    }


# --- transcripts ---------------------------------------------------------------------------------------------------


def _transcript(raw: bytes, account: Account, name: str) -> _Form:
    """Paragraphs that begin with who speaks. A label inside a paragraph is text."""
    items: list[tuple[int, Record]] = []
    nobodys: list[tuple[int, Record]] = []
    is_start, is_talk = True, False
    for number, line in enumerate(raw.decode("utf-8", "replace").replace("\0", "").split("\n"), 1):
        text = line.rstrip("\r")
        label = _LABEL.match(text)
        is_talk = is_talk or label is not None
        if label and is_start:
            items.append((number, {"role": label[1].lower(), "content": text[label.end() :]}))
        elif items:
            items[-1][1]["content"] += f"\n{text}"
        elif text.strip():
            nobodys.append((number, {"role": "system", "content": text}))
        is_start = not text.strip()
    if nobodys:
        number, message = nobodys[0]
        account.records += 1
        account.trouble(number, f"{message['content']!r:.60} does not begin with User:, Assistant:, Tool: or System:")
    # A label that is damaged does not cost what stands below it; text without any label is no talk.
    items = [*nobodys, *items] if is_talk else []
    account.records += len(items)
    trimmed = [(number, message | {"content": _without_long_lines(message)}) for number, message in items]
    if any(message["role"] in PEOPLE for _, message in trimmed):
        trimmed = [(number, message | _labeled(message)) for number, message in trimmed]
    return _Form(_plain_header(name, {}), trimmed, ChatReader().understand)


def _without_long_lines(message: Record) -> str:
    """A paragraph; where it would be cut, its longest lines are: a label below one that swelled may be damaged."""
    text = str(message["content"]).strip()
    if message["role"] not in {"system", "tool"} or len(text) <= MAX_TOOL_TEXT or "\n" not in text:
        return text
    return "\n".join(shorten(line, _LONG_LINE)[0] for line in text.split("\n"))


def _labeled(message: Record) -> Record:
    """Who speaks in a text with several people: as its label says, which proves nothing."""
    role = message["role"]
    return {"speaker": f"{role} ({_AS_LABELED})"} if role == "user" or role in PEOPLE else {}
