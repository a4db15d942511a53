"""Continue, in editors and as the program `cn`.

Sessions are `sessions/<uuid>.json` under ~/.continue on every system (CONTINUE_GLOBAL_DIR); `sessions.json` beside them
lists when each began. A session is one document, written anew after each step: `workspaceDirectory` (a path or a URI)
and `history`, whose items have a `message` of a role, `contextItems` that went with it, and for each call of a tool
its state in `toolCallStates` with what came back. Editors give results as messages of the role `tool`, too. Compaction
puts `conversationSummary` in the place of what was before, and the program says "continue" for the user then.

Seen on sessions that the program itself wrote (`cn` 1.5.47, of 2026) with an invented model; those of editors never.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lerim.errors import SourceError
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.json_file import JsonDocument, read_document
from lerim.sources.pieces import Outcome, Pen, Record, answered, command_line, container, translated, words
from lerim.sources.plain_file import read_bytes, read_head
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, parsed, path_of, string

_LIST = "sessions.json"
_HEAD_BYTES = 16_384
_SETTLED = frozenset({"done", "errored", "canceled"})
_ASKS = "AskQuestion"
#: What the program writes around an answer.
_ANSWERS = ("User answered: ", "User provided custom answer: ", "User selected option ")
_REFUSED = "Permission denied by user"
_UNTITLED = frozenset({"Untitled Session", "New Session"})


class ContinueSource:
    name = "continue"
    title = "Continue"

    def roots(self, machine: Machine) -> list[Path]:
        return [Path(machine.env.get("CONTINUE_GLOBAL_DIR") or machine.home / ".continue") / "sessions"]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.glob("*.json")):
            if path.name != _LIST:
                yield from container(self.name, path)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        yield SessionRef(self.name, container.path, container.path.stem)

    def accepts(self, path: Path) -> bool:
        head = read_head(path, _HEAD_BYTES)
        return head.startswith(b"{") and all(f'"{key}"'.encode() in head for key in ("sessionId", "history", "message"))

    def read(self, ref: SessionRef) -> Reading:
        account = Account()
        document = read_document(ref.path, account, "history", lambda item: isinstance(item.get("message"), dict))
        usage = as_object(document.facts.get("usage"))
        account.input_tokens = count(usage.get("promptTokens"))
        account.output_tokens = count(usage.get("completionTokens"))
        reader = _ContinueReader(document)
        return Reading(_header(ref, document), translated(document.items, account, reader.translate), account)


SOURCE = ContinueSource()


def _header(ref: SessionRef, document: JsonDocument) -> Header:
    facts = document.facts
    usages = (as_object(as_object(item.get("message")).get("usage")) for _, item in document.items)
    model = next(filter(None, (string(usage.get("model")) for usage in usages)), "")
    title = string(facts.get("title"))
    return Header(
        agent=ref.agent,
        run_id=string(facts.get("sessionId")) or ref.run_id,
        cwd=path_of(facts.get("workspaceDirectory")),
        model=model or string(facts.get("chatModelTitle")) or None,
        started=_began(ref),
        title=title if title not in _UNTITLED else None,
    )


def _began(ref: SessionRef) -> str | None:
    """From the list beside the session: in itself it has no time."""
    try:
        listed = objects(parsed(read_bytes(ref.path.with_name(_LIST))))
    except SourceError:
        return None
    made = next((item.get("dateCreated") for item in listed if item.get("sessionId") == ref.path.stem), None)
    return instant(int(made) if isinstance(made, str) and made.isdecimal() and len(made) < 20 else made)


class _ContinueReader:
    """Turns the items of a history into lines."""

    def __init__(self, document: JsonDocument) -> None:
        self.last = document.items[-1][0] if document.items else 0
        self.is_compacted = False
        self.told: dict[str, str] = {}

    def translate(self, number: int, item: Record) -> Outcome:
        message, pen = as_object(item.get("message")), Pen(number)
        was_compacted, self.is_compacted = self.is_compacted, bool(item.get("conversationSummary"))
        match message.get("role"):
            case "user":
                return [*_user(item, pen, is_programs=was_compacted and message.get("content") == "continue")]
            case "assistant" if self.is_compacted:
                summary = pen.injected(words(message.get("content")), Injection.COMPACTION)
                return [pen.event(Happening.COMPACTED), summary]
            case "assistant":
                return [*self._assistant(item, message, pen)]
            case "thinking":
                thought = words(message.get("content"))
                return [pen.reasoning(thought)] if thought.strip() else "encrypted reasoning"
            case "tool":
                return self._tool(message, pen)
            case "system":
                text = words(message.get("content"))
                return [pen.injected(text, Injection.INSTRUCTIONS)] if text.strip() else []
            case other:
                return f"unknown: message of {other}"

    def _assistant(self, item: Record, message: Record, pen: Pen) -> Iterator[Line]:
        if (thought := string(as_object(item.get("reasoning")).get("text"))).strip():
            yield pen.reasoning(thought)
        yield from pen.said(words(message.get("content")))
        states = objects(item.get("toolCallStates")) or objects([item.get("toolCallState")])
        calls = objects(message.get("toolCalls")) or [as_object(state.get("toolCall")) for state in states]
        for call in calls:
            asked = as_object(call.get("function"))
            given = command_line(asked.get("arguments"))
            yield pen.call(string(call.get("id")), string(asked.get("name")) or "tool", given)
        # Calls end in any order, and lines keep theirs: those of the last item are told when all have.
        if pen.src != self.last or all(state.get("status") in _SETTLED for state in states):
            for state in states:
                yield from self._outcome(state, pen)

    def _outcome(self, state: Record, pen: Pen) -> Iterator[Line]:
        call, status = string(state.get("toolCallId")), state.get("status")
        text = "\n".join(filter(None, (string(part.get("content")) for part in objects(state.get("output")))))
        asked = as_object(as_object(state.get("toolCall")).get("function"))
        if status not in _SETTLED or not (text or status != "done" or isinstance(state.get("output"), list)):
            return
        self.told[call] = "".join(text.split())
        yield pen.result(call, text, status == "done")
        if status == "done" and asked.get("name") == _ASKS:
            yield from _answer(as_object(asked.get("arguments")), text, pen)
        elif status == "canceled":
            yield pen.event(Happening.REJECTED if text in ("", _REFUSED) else Happening.ERROR, text)

    def _tool(self, message: Record, pen: Pen) -> Outcome:
        call = string(message.get("toolCallId"))
        text = words(message.get("content")) or compact(message.get("content"))
        # What says something else than the state of the call: one of the two is damaged.
        if call in self.told and "".join(text.split()) in self.told[call]:
            return "repeats another record"
        return [pen.result(call, text)]


def _user(item: Record, pen: Pen, *, is_programs: bool) -> Iterator[Line]:
    content = as_object(item.get("message")).get("content")
    typed = words([_shown(part) for part in content] if isinstance(content, list) else content)
    if is_programs:
        yield pen.injected(typed, Injection.REMINDER)
    elif typed.strip():
        yield from [pen.user(typed, Via.COMMAND)] if typed.startswith("/") else pen.typed(typed)
    for context in objects(item.get("contextItems")):
        if (text := string(context.get("content"))).strip():
            yield pen.injected(f"[{string(context.get('name')) or 'context'}]\n{text}", Injection.ENVIRONMENT)


def _shown(part: object) -> object:
    return "[image]" if as_object(part).get("type") == "imageUrl" else part


def _answer(asked: Record, text: str, pen: Pen) -> Iterator[Line]:
    """The user's answer, of which the program tells which form it has."""
    if not text.startswith(_ANSWERS) or not text.endswith('"'):
        return
    said = text.partition('"')[2][:-1]
    if said.strip():
        yield pen.user(answered([(string(asked.get("question")), said)]), Via.ANSWER)
