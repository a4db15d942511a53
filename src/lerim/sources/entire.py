"""Entire's compact transcripts.

Entire keeps the sessions of other agents in a branch of the repository, `entire/checkpoints/v1`, for each checkpoint
`<2 hex>/<10 hex>/<number>/`: the agent's own file as `full.jsonl`, and the same in Entire's own form as
`transcript.jsonl`, with `metadata.json` beside them. A line is `{v: 1, agent, cli_version, type, ts, content}` of the
type `user` or `assistant`; results stand in the calls that they answer, thoughts are left out. They lie in git and not
in files, so nothing is looked for: what was taken out of the branch is ingested, or its folder added.

What the program puts under the user's type is what the agent had there, templates and notices among it. They are told
by the marks of those agents.

Written down from the program's own source (entireio/cli, `transcript/README.md`, 2026); never seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.claude_words import speakers
from lerim.sources.codex_words import kind_of
from lerim.sources.jsonl import records
from lerim.sources.pieces import Outcome, Pen, Record, command_line, container, translated, words
from lerim.sources.plain_file import read_bytes
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

_TRANSCRIPT, _METADATA = "transcript.jsonl", "metadata.json"
_FIRST = 3


class EntireSource:
    name = "entire"
    title = "Entire"

    def roots(self, machine: Machine) -> list[Path]:
        """None: its files are in git."""
        return []

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.rglob(_TRANSCRIPT)):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, _run_id(container.path))

    def accepts(self, path: Path) -> bool:
        try:
            return any(_is_ours(record) for _, record in islice(records(path, Account()), _FIRST))
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        lines = (record for _, record in records(ref.path, Account()))
        first = next((record for record in lines if _is_ours(record)), None)
        if first is None:
            raise SourceError(f"no transcript of Entire in {ref.path}")
        account = Account()
        reader = _EntireReader(account)
        return Reading(_header(ref, first), translated(records(ref.path, account), account, reader.translate), account)


SOURCE = EntireSource()


def _is_ours(record: Record) -> bool:
    has_version = isinstance(record.get("v"), int) and not isinstance(record.get("v"), bool)
    return has_version and isinstance(record.get("type"), str) and {"cli_version", "content"} <= record.keys()


def _metadata(path: Path) -> Record:
    try:
        return as_object(read_bytes(path.with_name(_METADATA)))
    except SourceError:
        return {}


def _run_id(path: Path) -> str:
    """The session by what stands beside it; else by its place in the branch, as every file has the same name."""
    if named := string(_metadata(path).get("session_id")):
        return named
    return "-".join(path.parent.parts[-3:]).strip("/\\") if path.name == _TRANSCRIPT else path.stem


def _header(ref: SessionRef, first: Record) -> Header:
    facts = _metadata(ref.path)
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        branch=string(facts.get("branch")) or None,
        model=string(facts.get("model")) or None,
        started=instant(first.get("ts")) or instant(facts.get("created_at")),
    )


class _EntireReader:
    """Turns lines of a transcript into lines of ours."""

    def __init__(self, account: Account) -> None:
        self.account = account

    def translate(self, number: int, record: Record) -> Outcome:
        if record.get("v") != 1:
            return "unknown: another version"
        pen = Pen(number, instant(record.get("ts")))
        content = record.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects(content)
        match record.get("type"):
            case "user":
                return [line for block in blocks for line in _user(block, pen)]
            case "assistant":
                self.account.input_tokens += count(record.get("input_tokens"))
                self.account.output_tokens += count(record.get("output_tokens"))
                return [line for block in blocks for line in _said(block, pen)]
            case other:
                return f"unknown: {other}"


def _user(block: Record, pen: Pen) -> Iterator[Line]:
    text = words(block)
    if kind := kind_of(text):
        yield pen.injected(text, kind)
        return
    if "text" not in block:
        if text:
            yield pen.injected(text, Injection.ENVIRONMENT)
        return
    for speaker, piece in speakers([text]):
        if isinstance(speaker, Happening):
            yield pen.event(speaker)
        elif isinstance(speaker, Injection):
            yield pen.injected(piece, speaker)
        elif piece.strip():
            yield from pen.typed(piece) if speaker is Via.TYPED else [pen.user(piece, speaker)]


def _said(block: Record, pen: Pen) -> Iterator[Line]:
    if block.get("type") != "tool_use":
        yield from pen.said(words(block))
        return
    call = string(block.get("id")) or f"{pen.src}"
    yield pen.call(call, string(block.get("name")) or "tool", command_line(block.get("input")))
    result = block.get("result")
    if isinstance(result, dict):
        output = string(result.get("output")) or compact(result.get("output"))
        yield pen.result(call, output, result.get("status") != "error")
