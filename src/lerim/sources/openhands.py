"""The OpenHands CLI, and programs made with its kit.

A conversation is a folder `conversations/<id>` under ~/.openhands on every system (OPENHANDS_PERSISTENCE_DIR, or
OPENHANDS_CONVERSATIONS_DIR for the conversations themselves): `base_state.json` with the folder worked in and the
model, written anew again and again, and `events/event-<number>-<id>.json`, a file for each event. An event has a
`kind` and a `source`: messages, actions (calls) with the thought before, observations (results), refusals of the user
or of a hook, condensations. Times are those of the machine, without a zone.

A message under the source `user` is a person's, unless it has a sender, or is one of those that the program writes when
a model answers what it cannot use.

Seen on conversations that the program itself wrote (CLI 1.16.0, kit 1.21.0, of 2026) with an invented model.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from lerim.errors import SourceError
from lerim.lazy_regex import compile_later
from lerim.sources.base import Account, Container, Machine, Reading, SessionRef
from lerim.sources.pieces import Outcome, Pen, Record, command_line, translated, words
from lerim.sources.plain_file import read_bytes
from lerim.sources.trace import Happening, Header, Injection, Line, Via
from lerim.sources.values import as_object, compact, count, instant, objects, string

_STATE, _EVENTS = "base_state.json", "events"
#: How the program's own words to the model begin, which it keeps under the user's name.
_PROGRAMS = compile_later(
    r"Your last response did not include a function call|The task appears incomplete \(iteration "
    r"|Function '[^']*' not found in available tools|Missing required parameters for function '"
    r"|Parameter '[^']*' is (?:not allowed|expected to be) "
)
#: What is no reason, but what stands there without one.
_NO_REASON = frozenset({"", "User rejected the action", "User rejected the actions"})
_PASSED_OVER = {
    "ConversationStateUpdateEvent": "state",
    "LLMCompletionLogEvent": "token count",
    "TokenEvent": "token count",
    "StreamingDeltaEvent": "progress",
    "CondensationRequest": "progress",
    "CondensationSummaryEvent": "repeats another record",
}


class OpenHandsSource:
    name = "openhands"
    title = "OpenHands"

    def roots(self, machine: Machine) -> list[Path]:
        if named := machine.env.get("OPENHANDS_CONVERSATIONS_DIR"):
            return [Path(named)]
        return [Path(machine.env.get("OPENHANDS_PERSISTENCE_DIR") or machine.home / ".openhands") / "conversations"]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in sorted(root.glob(f"*/{_STATE}")):
            try:
                state, events = path.stat(), (path.parent / _EVENTS).stat()
            except OSError:
                continue
            # A file more in the folder is an event more.
            yield Container(self.name, path, (max(state.st_mtime_ns, events.st_mtime_ns), state.st_size, state.st_ino))

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        found = _event_files(container.path)
        last = found[-1].name if found else ""
        yield SessionRef(self.name, container.path, container.path.parent.name, f"{len(found)}-{last}")

    def accepts(self, path: Path) -> bool:
        return path.name == _STATE and bool(_event_files(path))

    def read(self, ref: SessionRef) -> Reading:
        files = _event_files(ref.path)
        if not files:
            raise SourceError(f"no OpenHands conversation in {ref.path.parent}: no events")
        account = Account()
        state = _state(ref.path)
        for spent in map(as_object, as_object(as_object(state.get("stats")).get("usage_to_metrics")).values()):
            usage = as_object(spent.get("accumulated_token_usage"))
            account.input_tokens += count(usage.get("prompt_tokens"))
            account.output_tokens += count(usage.get("completion_tokens"))
        return Reading(_header(ref, state, files), translated(_events(files, account), account, _translate), account)


SOURCE = OpenHandsSource()


def _event_files(state: Path) -> list[Path]:
    """The events beside the file of a conversation's state, in their order."""
    return sorted((state.parent / _EVENTS).glob("event-*.json"))


def _state(path: Path) -> Record:
    """Nothing of it when it is damaged, or being written: the events do without."""
    try:
        return as_object(read_bytes(path))
    except SourceError:
        return {}


def _events(files: list[Path], account: Account) -> Iterator[tuple[int, Record]]:
    for number, path in enumerate(files, 1):
        account.records += 1
        try:
            event = as_object(read_bytes(path))
        except SourceError as error:
            account.trouble(number, error.message)
            continue
        if event:
            yield number, event
        else:
            account.trouble(number, f"{path.name} is not JSON")


def _header(ref: SessionRef, state: Record, files: list[Path]) -> Header:
    first = next((event for _, event in _events(files[:3], Account())), {})
    return Header(
        agent=ref.agent,
        run_id=ref.run_id,
        cwd=string(as_object(state.get("workspace")).get("working_dir")) or None,
        model=string(as_object(as_object(state.get("agent")).get("llm")).get("model")).rpartition("/")[2] or None,
        started=_moment(first.get("timestamp")),
        title=string(state.get("title")) or None,
    )


def _moment(value: object) -> str | None:
    """The program writes the time of its machine, without a zone."""
    try:
        given = datetime.fromisoformat(string(value))
        return instant((given if given.tzinfo else given.astimezone()).astimezone(UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None


def _translate(number: int, event: Record) -> Outcome:
    pen = Pen(number, _moment(event.get("timestamp")))
    match event.get("kind"):
        case "MessageEvent":
            return [*_message(event, pen)]
        case "ActionEvent":
            return [*_action(event, pen)]
        case "ObservationEvent":
            return [*_observation(event, pen)]
        case "UserRejectObservation":
            return [*_refusal(event, pen)]
        case "AgentErrorEvent":
            return [pen.result(string(event.get("tool_call_id")), string(event.get("error")), False)]
        case "ACPToolCallEvent":
            return [*_other_agents_call(event, pen)]
        case "SystemPromptEvent":
            prompt = "\n".join(filter(None, (words(event.get("system_prompt")), words(event.get("dynamic_context")))))
            return [pen.injected(prompt, Injection.INSTRUCTIONS)] if prompt.strip() else []
        case "Condensation":
            summary = string(event.get("summary"))
            told: list[Line] = [pen.injected(summary, Injection.COMPACTION)] if summary.strip() else []
            return [pen.event(Happening.COMPACTED), *told]
        case "PauseEvent" | "InterruptEvent":
            return [pen.event(Happening.INTERRUPTED)]
        case "ConversationErrorEvent":
            return [pen.event(Happening.ERROR, string(event.get("detail")) or string(event.get("code")))]
        case "HookExecutionEvent":
            added = string(event.get("additional_context"))
            return [pen.injected(added, Injection.HOOK)] if added.strip() else "hook"
        case other:
            return _PASSED_OVER.get(str(other), f"unknown: {other}")


def _message(event: Record, pen: Pen) -> Iterator[Line]:
    message = as_object(event.get("llm_message"))
    text = words(message.get("content"))
    yield from _thoughts(message, pen)
    if event.get("source") == "agent":
        yield from pen.said(text)
    elif text.strip():
        is_persons = event.get("source") == "user" and not event.get("sender") and not _PROGRAMS.match(text)
        yield from pen.typed(text) if is_persons else [pen.injected(text, Injection.NOTIFICATION)]
    yield from _extension(event, pen)


def _thoughts(message: Record, pen: Pen) -> Iterator[Line]:
    blocks = (string(block.get("thinking")) for block in objects(message.get("thinking_blocks")))
    thought = string(message.get("reasoning_content")) or "\n".join(filter(None, blocks))
    item = as_object(message.get("responses_reasoning_item"))
    if thought := thought or "\n".join(part for part in item.get("summary") or () if isinstance(part, str)):
        yield pen.reasoning(thought)


def _extension(event: Record, pen: Pen) -> Iterator[Line]:
    """What the program adds to words: skills, and context from hooks."""
    if (added := words(event.get("extended_content"))).strip():
        yield pen.injected(added, Injection.SKILL)


def _action(event: Record, pen: Pen) -> Iterator[Line]:
    yield from _thoughts(event, pen)
    given = {name: value for name, value in as_object(event.get("action")).items() if name != "kind"}
    kind, name = string(as_object(event.get("action")).get("kind")), string(event.get("tool_name"))
    if (thought := words(event.get("thought"))).strip():
        yield from pen.said(thought)
    if kind == "FinishAction" and (said := string(given.get("message"))).strip():
        yield from pen.said(said)
    elif kind == "ThinkAction" and (thought := string(given.get("thought"))).strip():
        yield pen.reasoning(thought)
    else:
        told = {key: value for key, value in given.items() if value not in (None, False)}
        call = as_object(event.get("tool_call"))
        yield pen.call(_call(event), name or "tool", command_line(told or call.get("arguments")))


def _call(event: Record) -> str:
    return string(event.get("tool_call_id"))


def _observation(event: Record, pen: Pen) -> Iterator[Line]:
    observation = as_object(event.get("observation"))
    if observation.get("kind") in ("FinishObservation", "ThinkObservation"):
        return
    text = words(observation.get("content")) or string(observation.get("output")) or string(observation.get("error"))
    code = observation.get("exit_code")
    exit_code = code if isinstance(code, int) and not isinstance(code, bool) and code >= 0 else None
    ok = not observation.get("is_error") and not exit_code
    yield pen.result(_call(event), text or compact(observation or None), ok, exit_code)
    yield from _extension(event, pen)


def _refusal(event: Record, pen: Pen) -> Iterator[Line]:
    reason = string(event.get("rejection_reason"))
    if event.get("rejection_source", "user") != "user":
        yield pen.result(_call(event), reason, False)
        return
    yield pen.result(_call(event), reason, False)
    yield pen.event(Happening.REJECTED, string(event.get("tool_name")))
    if reason.strip() not in _NO_REASON:
        yield pen.user(reason, Via.REJECTION)


def _other_agents_call(event: Record, pen: Pen) -> Iterator[Line]:
    """A call of an agent that OpenHands only runs: told again with each change of it, and whole when it has ended."""
    if event.get("status") not in ("completed", "failed"):
        return
    yield pen.call(_call(event), string(event.get("title")) or "tool", command_line(event.get("raw_input")))
    text = compact(event.get("raw_output")) or words(event.get("content"))
    yield pen.result(_call(event), text, event.get("status") == "completed")
