"""The records of Claude Code's sessions, told as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lerim.lazy_regex import compile_later
from lerim.sources import claude_harness as harness
from lerim.sources import claude_words as say
from lerim.sources import jsonl
from lerim.sources.base import Account
from lerim.sources.claude_background import BackgroundCommands
from lerim.sources.claude_begun import EXIT_CODE, BegunCalls
from lerim.sources.claude_queue import PromptQueue
from lerim.sources.claude_records import (
    RECORD,
    SYNTHETIC,
    ClaudeMessage,
    ClaudeRecord,
    ContentBlock,
    Decided,
    decoded,
    line_of,
    moment,
)
from lerim.sources.claude_sketch import Sketch
from lerim.sources.pieces import Outcome, Pen, answered, picture, words
from lerim.sources.trace import MAX_TOOL_TEXT, Happening, Injected, Injection, Line, Via
from lerim.sources.values import as_object, call_text

_TOOL_ERROR = compile_later(r"</?tool_use_error>")
_QUEUE = "queue bookkeeping"
#: Where a prompt came from that Claude Code wrote itself.
_SYSTEM = "system"
#: What stands beside the result of a call that the user refused.
_REFUSED = "User rejected tool use"
#: Tools whose failures are worded by Claude Code alone, to the first word.
_OWN_FAILURES = frozenset({"AskUserQuestion", "ExitPlanMode", "Edit", "MultiEdit", "Write", "NotebookEdit"})


class ClaudeReader:
    """Turns the records of one session into lines, keeping what one record needs to know of those before it."""

    def __init__(self, sketch: Sketch, account: Account) -> None:
        self._sketch = sketch
        self._account = account
        self._pen = Pen()
        self._folder = (sketch.first.get("cwd"), sketch.first.get("branch"))
        self._queue = PromptQueue()
        self._usage: dict[str, tuple[int, int]] = {}
        #: What records said whose ids come more than once.
        self._said: set[tuple[str | None, bytes]] = set()
        #: The tool of each call: whose result it is decides whether it can hold the user's words.
        self._tools: dict[str, str] = {}
        self._background = BackgroundCommands()
        self._begun = BegunCalls()
        self._after_command = False
        self._after_boundary = False
        self._tell: dict[str, Callable[[ClaudeRecord], Outcome]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": self._attachment,
            "queue-operation": self._queue_operation,
        }

    def lines(self, path: Path) -> Iterator[Line]:
        for place, record in decoded(path, self._account, RECORD):
            try:
                outcome = self._outcome(place, record) or "empty"
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                self._account.trouble(line_of(place), f"unexpected shape: {type(error).__name__}: {error}")
                continue
            if isinstance(outcome, str):
                self._account.skip(outcome)
            else:
                self._account.used += 1
                for line in outcome:
                    yield line
                    yield from self._ended(line)
        yield from self._left_waiting()

    def _ended(self, line: Line) -> Iterator[Line]:
        """What a notice tells of a command that ran in the background."""
        end = self._background.told(line.text) if isinstance(line, Injected) else None
        if end is not None:
            yield self._pen.result(end.call, "", end.ok, end.exit_code)

    def _outcome(self, place: int, record: ClaudeRecord) -> Outcome:
        is_known = (record.type or "") in self._tell
        if is_known and record.uuid in self._sketch.chain.repeated and self._repeats(record):
            return "repeated record"
        if record.isSidechain and not self._sketch.is_subagent:
            return "subagent's turn inside its parent's file"
        tell = self._tell.get(record.type or "")
        if tell is None:
            if record.type == "progress":
                self._begun.note(record)
            return harness.SILENT.get(record.type or "") or f"unknown: {record.type or 'no type'}"
        # Queue records have no place in the tree: they share the fate of what stands before them.
        undone = self._pen.undone if record.operation else place in self._sketch.undone
        self._pen = Pen(line_of(place), moment(record.timestamp), undone)
        outcome = tell(record)
        return [*self._turns(place, record), *outcome] if outcome and not isinstance(outcome, str) else outcome

    def _repeats(self, record: ClaudeRecord) -> bool:
        """Whether a record with this id said the same before: the first of the two may be damaged."""
        said = record.uuid, msgspec.json.encode(record.message)
        is_known = said in self._said
        self._said.add(said)
        return is_known

    def _turns(self, place: int, record: ClaudeRecord) -> Iterator[Line]:
        """Where a record says that the session moved or went back."""
        folder = (record.cwd, record.gitBranch or self._folder[1])
        if record.cwd and folder != self._folder:
            self._folder = folder
            yield self._pen.moved(record.cwd, folder[1])
        if place in self._sketch.chain.returns:
            yield self._pen.event(Happening.REWOUND, "went back to an earlier point")

    # The user's role.

    def _user(self, record: ClaudeRecord) -> Outcome:
        blocks = _blocks(record.message)
        if not blocks:
            return "user record without content"
        if record.isCompactSummary:
            return self._compaction(_text(blocks))
        lines = [line for block in blocks if block.type == "tool_result" for line in self._result(block, record)]
        spoken = [text for block in blocks if block.type != "tool_result" and (text := _block_text(block).strip())]
        if not spoken:
            return lines
        return lines + (self._injected("\n".join(spoken), record) if record.isMeta else self._spoken(spoken, record))

    def _compaction(self, summary: str) -> list[Line]:
        # Old versions write no boundary before the summary.
        announced, self._after_boundary = self._after_boundary, False
        event = [] if announced else [self._pen.event(Happening.COMPACTED, "compacted")]
        return [*event, self._pen.injected(summary, Injection.COMPACTION)]

    def _injected(self, text: str, record: ClaudeRecord) -> list[Line]:
        kind = say.unspoken(text)
        if kind is None and record.sourceToolUseID:
            kind = Injection.SKILL
        elif kind is None:
            kind = Injection.TEMPLATE if self._after_command else Injection.OTHER
        return [self._pen.injected(text, kind)]

    def _spoken(self, blocks: list[str], record: ClaudeRecord) -> list[Line]:
        text = "\n".join(blocks)
        lines = self._lost(text)
        if self._queue.was_handed_over(text):
            return lines
        self._after_command = text.startswith("<command-")
        if record.promptSource == _SYSTEM or not self._is_typed(record.origin):
            return [*lines, self._pen.injected(text, say.unspoken(text) or Injection.NOTIFICATION)]
        late = self._queue.was_late(text) or record.promptSource == "queued"
        return lines + self._pieces(blocks, Via.QUEUED if late else Via.TYPED)

    def _is_typed(self, origin: Any) -> bool:
        """Whether a person may have typed it. The prompts of a subagent are written by its parent."""
        return _is_human(origin) and not (self._sketch.is_subagent and origin is None)

    def _lost(self, text: str) -> list[Line]:
        """Prompts that still waited when the agent ended: a new prompt from elsewhere shows that they are lost."""
        if not self._queue.waiting or not say.is_typed(text) or self._queue.delivers(text):
            return []
        return self._left_waiting()

    def _left_waiting(self) -> list[Line]:
        """What the user said that no agent got to see, told by the records that queued it."""
        pen, lines = self._pen, []
        for prompt in self._queue.drain():
            self._pen = prompt.pen
            lines += self._waited(prompt.text)
        self._pen = pen
        return lines

    def _waited(self, text: str) -> list[Line]:
        """What a prompt says that was typed while the agent worked; nothing for none."""
        if text and not self._is_typed(None):
            return [self._pen.injected(text, Injection.NOTIFICATION)]
        return self._pieces([text], Via.QUEUED)

    def _pieces(self, blocks: list[str], via: Via) -> list[Line]:
        return [self._line(via if speaker is Via.TYPED else speaker, piece) for speaker, piece in say.speakers(blocks)]

    def _line(self, speaker: say.Speaker, text: str) -> Line:
        match speaker:
            case Via():
                return self._pen.user(text, speaker)
            case Injection():
                return self._pen.injected(text, speaker)
            case Happening():
                return self._pen.event(speaker, text)

    # Words typed while the agent works.

    def _queue_operation(self, record: ClaudeRecord) -> Outcome:
        match record.operation:
            case "enqueue":
                self._queue.add(words(record.content), self._pen)
            case "dequeue":
                self._queue.take()
            case "popAll":
                self._queue.drain()
            case "remove":
                # Handed over in the middle of a turn. Old versions keep no other record of it.
                return self._waited(self._queue.hand_over()) or _QUEUE
            case other:
                return f"unknown: queue {other}"
        return _QUEUE

    def _queued_command(self, attachment: dict[str, Any]) -> Outcome:
        text = words(attachment.get("prompt"))
        if not self._queue.attach(text):
            return _QUEUE
        mode = attachment.get("commandMode")
        if attachment.get("isMeta") or mode == "task-notification" or not self._is_typed(attachment.get("origin")):
            return [self._pen.injected(text, Injection.NOTIFICATION)]
        return self._pieces([text], Via.COMMAND if mode == "bash" else Via.QUEUED)

    # The agent and its tools.

    def _assistant(self, record: ClaudeRecord) -> Outcome:
        message, blocks = record.message, _blocks(record.message)
        if not message or not blocks:
            return "assistant record without content"
        self._after_command = False
        self._queue.worked()
        self._count(message, record)
        if record.isApiErrorMessage:
            return [self._pen.event(Happening.ERROR, _text(blocks))]
        if message.model == SYNTHETIC:
            return "synthetic reply"
        return [line for block in blocks for line in self._agent_block(block)] or "empty thinking"

    def _agent_block(self, block: ContentBlock) -> Iterator[Line]:
        if block.type in {"tool_use", "server_tool_use"}:
            yield self._call(block)
        elif block.thinking and not block.thinking.isspace():
            yield self._pen.reasoning(block.thinking)
        elif block.type and block.type.endswith("tool_result"):
            yield self._pen.result(block.tool_use_id or "", words(block.content))
        elif block.text and not block.text.isspace() and block.text != "(no content)":
            yield from self._pen.said(block.text)

    def _call(self, block: ContentBlock) -> Line:
        name, call, given = block.name or "", block.id or "", bytes(block.input).decode("utf-8", "replace")
        self._tools[call] = name
        self._background.note(call, name, given)
        return self._pen.call(call, name, _input(given))

    def _result(self, block: ContentBlock, record: ClaudeRecord) -> Iterator[Line]:
        text, call = words(block.content), block.tool_use_id or ""
        if block.is_error:
            text = _TOOL_ERROR.sub("", text)
        self._queue.worked()
        yield self._printed(call, text, is_error=bool(block.is_error))
        yield from self._decided(block, record, text)

    def _printed(self, call: str, text: str, *, is_error: bool) -> Line:
        """What a tool printed, and how it ended: of a command in the background, the call that began it."""
        if (end := self._background.ended(call, text)) is not None:
            return self._pen.result(end.call, text, end.ok, end.exit_code)
        if not is_error and self._background.begins(call, self._tools.get(call, ""), text):
            return self._pen.so_far(call, text)
        exit_code = EXIT_CODE.match(text) if is_error else None
        return self._pen.result(call, text, not is_error, int(exit_code[1]) if exit_code else None)

    def _decided(self, block: ContentBlock, record: ClaudeRecord, text: str) -> Iterator[Line]:
        """What the user decided about a call: by the tool's exact name and what stands beside the result, not in it.

        Any tool can print "the user said". A server's tool can be called like one of Claude Code's, but not exactly.
        """
        tool = self._tools.get(block.tool_use_id or "", "")
        if block.is_error:
            call = block.tool_use_id or ""
            is_own = tool in _OWN_FAILURES or self._begun.never(call, tool, text)
            refused = say.refusal(text) if _is_refused(text, record, is_own=is_own) else []
            self._begun.failed(tool, text)
            yield from (self._line(speaker, piece) for speaker, piece in refused)
        elif tool == "AskUserQuestion" and (pairs := _pairs(_kept(record, Decided))):
            yield self._pen.user(answered(pairs.items()), Via.ANSWER)
        elif tool == "ExitPlanMode" and (kept := _kept(record, Decided)) and kept.plan is not None:
            yield from self._approved(kept.plan.strip(), kept)

    def _approved(self, plan: str, kept: Decided) -> Iterator[Line]:
        """A plan that was approved as it was is the agent's words, though it wrote them for a tool."""
        if not kept.planWasEdited and not kept.isAgent:
            yield from self._pen.said(plan)
        yield self._pen.event(Happening.ACCEPTED, "plan approved")
        if kept.planWasEdited:
            yield self._pen.user(plan, Via.PLAN)

    def _count(self, message: ClaudeMessage, record: ClaudeRecord) -> None:
        """Each line of an API message repeats its usage, and the last one has the final figure: count what is new."""
        usage, key = message.usage, f"{message.id} {record.requestId}"
        if usage is None:
            return
        seen = self._usage.get(key, (0, 0))
        now = max(seen[0], usage.read), max(seen[1], usage.output_tokens or 0)
        self._account.input_tokens += now[0] - seen[0]
        self._account.output_tokens += now[1] - seen[1]
        self._usage[key] = now

    # The harness.

    def _system(self, record: ClaudeRecord) -> Outcome:
        match record.subtype:
            case "compact_boundary":
                self._after_boundary = True
                return [self._pen.event(Happening.COMPACTED, harness.compaction(record.compactMetadata))]
            case "local_command":
                return self._local_command(words(record.content))
            case "api_error" | "api_refusal" | "error":
                return [self._pen.event(Happening.ERROR, harness.failure(record))]
            case "stop_hook_summary":
                text = harness.joined(record.hookAdditionalContext)
                return [self._pen.injected(text, Injection.HOOK)] if text else "hook without output"
            case other:
                return f"{'system' if other in harness.SILENT_SYSTEM else 'unknown: system'} {other}"

    def _local_command(self, text: str) -> list[Line]:
        """A command the user ran, or what it printed, each in its tags. What stands in none was not typed."""
        is_typed = text.lstrip().startswith(("<command-", "<bash-input>"))
        if is_typed or say.unspoken(text):
            return self._pieces([text], Via.COMMAND)
        return [self._pen.injected(text, Injection.OUTPUT)] if text.strip() else []

    def _attachment(self, record: ClaudeRecord) -> Outcome:
        attachment = _object(record.attachment)
        kind = str(attachment.get("type"))
        if kind == "queued_command":
            return self._queued_command(attachment)
        if kind in harness.SILENT_ATTACHMENTS:
            return f"attachment {kind}"
        found = harness.attached(kind, attachment)
        if found is None:
            return f"unknown: attachment {kind}"
        return [self._pen.injected(found[1], found[0])] if found[1].strip() else f"attachment {kind}"


def _object(raw: msgspec.Raw) -> dict[str, Any]:
    try:
        return jsonl.objects(bytes(raw))[0]
    except ValueError:
        return {}


def _blocks(message: ClaudeMessage | None) -> list[ContentBlock]:
    content = message.content if message else None
    return [ContentBlock(type="text", text=content)] if isinstance(content, str) else content or []


def _text(blocks: list[ContentBlock]) -> str:
    return "\n".join(filter(None, (_block_text(block) for block in blocks)))


def _block_text(block: ContentBlock) -> str:
    return block.text if block.text is not None else picture({"type": block.type, "source": block.source})


def _input(written: str) -> str:
    """The command or path when nothing else matters; other input stays the compact JSON that the agent wrote."""
    # Only a command is worth looking for in a long input; a file written as a whole is cut anyway.
    return call_text(written) if len(written) < MAX_TOOL_TEXT or '"command":' in written[:200] else written


def _is_human(origin: Any) -> bool:
    # Versions that say where a prompt came from name the others: task notifications, channels, coordinators.
    return as_object(origin).get("kind") in (None, "human", "cli")


def _is_refused(text: str, record: ClaudeRecord, *, is_own: bool) -> bool:
    """Whether the user refused a call that failed. Old versions say so only in the words of the failure itself, which
    count where they surely are Claude Code's own: what fails in an editor, a server or a shell may print anything."""
    if record.toolDenialKind is not None:
        return record.toolDenialKind == "user-rejected"
    kept = _kept(record, str)
    return kept == _REFUSED or (is_own and kept == f"Error: {text}")


_Kept = TypeVar("_Kept", str, Decided)


def _kept(record: ClaudeRecord, kind: type[_Kept]) -> _Kept | None:
    """What stands beside the one result of a record; None when it is something else, or there are several results."""
    if sum(block.type == "tool_result" for block in _blocks(record.message)) != 1:
        return None
    try:
        return msgspec.json.decode(record.toolUseResult, type=kind)
    except msgspec.MsgspecError:
        return None


def _pairs(found: Decided | None) -> dict[str, str]:
    """Question and answer, with the notes the user added."""
    if found is None:
        return {}
    pairs = {question: str(answer) for question, answer in (found.answers or {}).items() if answer}
    for question, extra in (found.annotations or {}).items():
        if notes := as_object(extra).get("notes"):
            pairs[question] = f"{pairs.get(question, '')} ({notes})".strip()
    return pairs
