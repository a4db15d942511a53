"""Grok Build, xAI's program.

A session is a folder `sessions/<folder worked in, as in a URL>/<uuid>` under ~/.grok (GROK_HOME): `chat_history.jsonl`
with what the model gets, `summary.json` with the folder, the title and the repository, and more that repeats them. A
record has a `type`: `user` with parts, `assistant` with a text and `tool_calls`, `reasoning`, `tool_result`,
`backend_tool_call`, `system`. What the program itself put under the user's type has a `synthetic_reason`; words may
stand in `<user_query>`. There are no times in it. Sessions of the kind `subagent` were started by an agent.

Written down from what is publicly known of the program (1.0, of 2026) and small samples; never seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

from lerim.config.identity import normalized_remote
from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.jsonl import records
from lerim.sources.pieces import (
    Outcome,
    Pen,
    Record,
    command_line,
    container,
    show_all,
    taken_apart,
    translated,
    words,
)
from lerim.sources.plain_file import read_bytes
from lerim.sources.trace import Happening, Header, Injection, Line
from lerim.sources.values import as_object, compact, instant, objects, path_of, string, texts

_CHAT, _SUMMARY = "chat_history.jsonl", "summary.json"
_FIRST = 8
_TYPES = frozenset({"system", "user", "assistant", "reasoning", "tool_result", "backend_tool_call"})
#: Fields that only its records have.
_OWN = frozenset({"prompt_index", "synthetic_reason", "model_id", "model_fingerprint"})
_HUMAN = frozenset({"", "human"})
_REASONS = {
    "environment_context": Injection.ENVIRONMENT,
    "project_instructions": Injection.INSTRUCTIONS,
    "system_reminder": Injection.REMINDER,
    "compaction_meta": Injection.COMPACTION,
    "compaction_summary": Injection.COMPACTION,
}


class GrokSource:
    name = "grok"
    title = "Grok Build"

    def roots(self, machine: Machine) -> list[Path]:
        return [Path(machine.env.get("GROK_HOME") or machine.home / ".grok") / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.glob(f"*/*/{_CHAT}")):
            yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        path = container.path
        yield SessionRef(self.name, path, path.parent.name if path.name == _CHAT else path.stem)

    def accepts(self, path: Path) -> bool:
        try:
            head = [record for _, record in islice(records(path, Account()), _FIRST)]
        except SourceError:
            return False
        return any(_is_ours(record) for record in head)

    def read(self, ref: SessionRef) -> Reading:
        facts = _facts(ref.path)
        found: list[Record] = []
        show_all(records(ref.path, Account()), lambda _, record: _noted(record, found))
        if not found:
            raise SourceError(f"no Grok session in {ref.path}")
        account = Account()
        reader = _GrokReader(is_programs=facts.get("session_kind") == "subagent")
        header = _header(ref, facts, found)
        return Reading(header, translated(records(ref.path, account), account, reader.translate), account)


SOURCE = GrokSource()


def _is_ours(record: Record) -> bool:
    return string(record.get("type")) in _TYPES and not _OWN.isdisjoint(record) and "uuid" not in record


def _noted(record: Record, found: list[Record]) -> None:
    """Which records are there at all; of the answers, which model gave them."""
    if string(record.get("type")) in _TYPES and len(found) < _FIRST:
        found.append({"model": record.get("model_id")})


def _facts(path: Path) -> Record:
    try:
        return as_object(read_bytes(path.with_name(_SUMMARY)))
    except SourceError:
        return {}


def _header(ref: SessionRef, facts: Record, found: list[Record]) -> Header:
    info = as_object(facts.get("info"))
    models = filter(None, (string(record.get("model")) for record in found))
    remotes = texts(facts.get("git_remotes"))
    folder = path_of(unquote(ref.path.parent.parent.name)) if ref.path.name == _CHAT else None
    return Header(
        agent=ref.agent,
        run_id=string(info.get("id")) or ref.run_id,
        cwd=string(info.get("cwd")) or folder,
        branch=string(facts.get("head_branch")) or None,
        model=string(facts.get("current_model_id")) or next(models, None),
        started=instant(facts.get("created_at")),
        title=string(facts.get("generated_title")) or string(facts.get("session_summary")) or None,
        parent=string(facts.get("parent_session_id")) or None,
        remote=normalized_remote(remotes[0]) or None if remotes else None,
    )


class _GrokReader:
    """Turns records into lines."""

    def __init__(self, *, is_programs: bool) -> None:
        self.is_programs = is_programs

    def translate(self, number: int, record: Record) -> Outcome:
        pen = Pen(number)
        match record.get("type"):
            case "user":
                return [*self._user(record, pen)]
            case "assistant":
                return [*_assistant(record, pen)]
            case "reasoning":
                thought = words(record.get("summary")) or words(record.get("content"))
                return [pen.reasoning(thought)] if thought.strip() else "encrypted reasoning"
            case "tool_result":
                text = words(record.get("content")) or compact(record.get("content"))
                is_error = record.get("is_error")
                ok = not is_error if isinstance(is_error, bool) else None
                return [pen.result(string(record.get("tool_call_id")), text, ok)]
            case "backend_tool_call":
                return [*_backend_call(as_object(record.get("kind")), pen)]
            case "system":
                text = words(record.get("content"))
                return [pen.injected(text, Injection.INSTRUCTIONS)] if text.strip() else []
            case other:
                return f"unknown: {other}"

    def _user(self, record: Record, pen: Pen) -> Iterator[Line]:
        if record.get("prior_turn_interrupt"):
            yield pen.event(Happening.INTERRUPTED)
        text = words([_shown(part) for part in objects(record.get("content"))] or record.get("content"))
        reason = string(record.get("synthetic_reason")).lower()
        if not text.strip():
            return
        if self.is_programs or reason not in _HUMAN:
            yield pen.injected(text, _REASONS.get(reason, Injection.NOTIFICATION))
            return
        before, query, after = taken_apart(text, "<user_query>", "</user_query>")
        if not query:
            yield from pen.typed(text)
            return
        for around in (before, after):
            if around.strip():
                yield pen.injected(around.strip(), Injection.ENVIRONMENT)
        typed = query.removeprefix("<user_query>").removesuffix("</user_query>").strip()
        if typed:
            yield from pen.typed(typed)


def _shown(part: Record) -> Record | str:
    return "[image]" if part.get("type") == "image" else part


def _assistant(record: Record, pen: Pen) -> Iterator[Line]:
    yield from pen.said(words(record.get("content")))
    for call in objects(record.get("tool_calls")):
        yield pen.call(string(call.get("id")), string(call.get("name")) or "tool", command_line(call.get("arguments")))


def _backend_call(kind: Record, pen: Pen) -> Iterator[Line]:
    """A tool that xAI's own servers run: a search, with what was looked for and no result."""
    if kind:
        action = as_object(kind.get("action"))
        asked = string(action.get("query")) or string(action.get("url")) or compact(action)
        yield pen.call(string(kind.get("id")), string(kind.get("tool_type")) or "tool", asked)
