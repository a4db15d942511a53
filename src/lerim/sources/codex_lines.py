"""The records of Codex as lines, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lerim.sources import codex_words as say
from lerim.sources.base import Account
from lerim.sources.codex_survey import CodexFacts, is_bare_head, spawned
from lerim.sources.codex_tools import Tools
from lerim.sources.pieces import Outcome, Pen, Record, picture, words
from lerim.sources.templates import typed_in
from lerim.sources.trace import Happening, Injection, Line, Via
from lerim.sources.values import count, instant, texts

# Records that only accompany others, or hold nothing that was said or done.
_PASSED_OVER = {
    "agent_reasoning_section_break": "turn marker",
    "context_compacted": say.REPEATED,
    "web_search_end": say.REPEATED,
    "image_generation_end": say.REPEATED,
    "view_image_tool_call": say.REPEATED,
    "dynamic_tool_call_request": say.REPEATED,
    "dynamic_tool_call_response": say.REPEATED,
    "exited_review_mode": say.REPEATED,
    "collab_agent_spawn_end": "subagent activity",
    "collab_agent_interaction_end": "subagent activity",
    "collab_waiting_end": "subagent activity",
    "collab_close_end": "subagent activity",
    "collab_resume_end": "subagent activity",
    "sub_agent_activity": "subagent activity",
    "inter_agent_communication_metadata": "subagent activity",
    "guardian_assessment": "safety check",
    "security_risk_score": "safety check",
    "ghost_snapshot": "snapshot",
    "world_state": "snapshot",
    "thread_name_updated": "session title",
    "compaction": "encrypted compaction",
    "compaction_summary": "encrypted compaction",
    "context_compaction": "encrypted compaction",
}


class Reader:
    """Turns records into lines, in file order."""

    def __init__(self, facts: CodexFacts, account: Account) -> None:
        self.facts = facts
        self.account = account
        #: The number of the record, as the survey counts them.
        self.record = 0
        self.pen = Pen()
        self.tools = Tools()
        self.echo = say.Echo()
        self.cwd = facts.cwd
        self.is_subagent = spawned(facts.meta) is not None
        self.is_running = False
        self.is_begun = False
        self.items = self._item_readers()
        self.events = self._event_readers()

    def translate(self, number: int, record: Record) -> Outcome:
        self.record += 1
        payload = record.get("payload")
        at = instant(record.get("timestamp") or record.get("created_at"))
        self.pen = self.tools.pen = Pen(number, at, self.facts.is_undone(self.record))
        self.tools.cwd = self.cwd
        if is_bare_head(record) or record.get("type") == "session_meta":
            return "session header"
        if self.record < self.facts.own_from:
            return "history of the session this was forked from"
        if not isinstance(payload, dict):
            return self._bare(record)
        match record.get("type"):
            case "response_item":
                return self._dispatch(self.items, payload)
            case "event_msg":
                return self._dispatch(self.events, payload)
            case "turn_context":
                return self._settings(payload)
            case "compacted":
                return self._compacted(payload)
            case "inter_agent_communication":
                return self._from_agent(payload)
            case other:
                return _PASSED_OVER.get(str(other), f"unknown: {other}")

    def _dispatch(self, readers: dict[str, Callable[[Record], Outcome]], body: Record) -> Outcome:
        kind = str(body.get("type"))
        if kind in readers:
            return readers[kind](body)
        return _PASSED_OVER.get(kind, f"unknown: {kind}")

    def _item_readers(self) -> dict[str, Callable[[Record], Outcome]]:
        return {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self.tools.call,
            "custom_tool_call": self.tools.call,
            "tool_call": self.tools.call,
            "local_shell_call": self.tools.call,
            "tool_search_call": self.tools.call,
            "web_search_call": self.tools.call,
            "image_generation_call": self.tools.image,
            "function_call_output": self.tools.output,
            "custom_tool_call_output": self.tools.output,
            "function_result": self.tools.output,
            "tool_result": self.tools.output,
            "tool_search_output": self.tools.found,
            "agent_message": self._from_agent,
        }

    def _event_readers(self) -> dict[str, Callable[[Record], Outcome]]:
        return {
            "user_message": self._user_event,
            "agent_message": lambda event: self._assistant("event", str(event.get("message") or "")),
            "agent_reasoning": lambda event: self._thoughts("event", [str(event.get("text") or "")]),
            "agent_reasoning_raw_content": lambda event: self._thoughts("event", [str(event.get("text") or "")]),
            "item_completed": self._completed,
            "exec_command_end": self.tools.command_end,
            "patch_apply_end": self.tools.end,
            "mcp_tool_call_end": self.tools.end,
            "token_count": self._tokens,
            "task_started": self._turn_start,
            "turn_started": self._turn_start,
            "task_complete": self._turn_end,
            "turn_complete": self._turn_end,
            "turn_aborted": self._aborted,
            "thread_rolled_back": self._rolled_back,
            "thread_settings_applied": lambda event: self._settings(event.get("thread_settings") or {}),
            "thread_goal_updated": self._goal,
            "entered_review_mode": self._review,
            "undo_completed": self._undo,
            "error": lambda event: [self.pen.event(Happening.ERROR, str(event.get("message") or ""))],
            "stream_error": lambda event: [self.pen.event(Happening.ERROR, str(event.get("message") or ""))],
        }

    # Who and where

    def _settings(self, settings: Record) -> Outcome:
        cwd = settings.get("cwd")
        if not isinstance(cwd, str) or cwd == self.cwd:
            return "turn settings"
        self.cwd = cwd
        return [self.pen.moved(cwd)]

    def _bare(self, record: Record) -> Outcome:
        if record.get("record_type") == "state":
            return "state marker"
        if "type" not in record and "role" in record:
            return self._message(record)
        return self._dispatch(self.items, record)

    # What was said

    def _message(self, item: Record) -> Outcome:
        match item.get("role"):
            case "user":
                return self._user_item(item)
            case "assistant":
                return self._assistant("item", "\n".join(filter(None, map(words, say.parts(item)))))
            case _:
                texts = filter(None, map(words, say.parts(item)))
                return [self.pen.injected(text, Injection.INSTRUCTIONS) for text in texts]

    def _user_item(self, item: Record) -> Outcome:
        """The parts of an item under the user's role, in order; typed parts and images together are the prompt."""
        lines: list[Line] = []
        spoken: list[str] = []
        pictures: list[str] = []
        for part in say.parts(item):
            text = words(part)
            if isinstance(part, dict) and (marker := picture(part)) and "text" not in part:
                pictures.append(marker)
            elif shell := say.shell_line(text):
                lines += self._shell_line(*shell)
            elif kind := say.kind_of(text):
                lines.append(self.pen.injected(text, kind))
            elif say.is_typed(text):
                spoken.append(text)
        if not spoken and not pictures:
            return lines
        outcome = self._spoken_in_item("\n".join(spoken), pictures)
        return lines or outcome if isinstance(outcome, str) else lines + outcome

    def _spoken_in_item(self, text: str, pictures: list[str]) -> Outcome:
        if self.facts.typed:
            if say.key(text) not in self.facts.typed:
                # The events know what was typed, and this was not. At the very end its event may still be coming.
                is_last = self.record >= self.facts.last_item
                return "waiting for its event" if is_last else [self.pen.injected(text, Injection.OTHER)]
            if self.echo.repeats("user", "item", text):
                return say.REPEATED
        return self._spoken(text, pictures)

    def _user_event(self, event: Record) -> Outcome:
        text = say.typed_text(event)
        if text is None:
            return [self.pen.injected(str(event.get("message") or ""), Injection.ENVIRONMENT)]
        if self.echo.repeats("user", "event", text):
            return say.REPEATED
        images = [picture({"type": "image", "image_url": url}) for url in texts(event.get("images"))]
        local = [f"[image {path}]" for path in texts(event.get("local_images"))]
        return self._spoken(text, images + local)

    def _spoken(self, text: str, pictures: Iterable[str]) -> list[Line]:
        """The user's words, apart from the context an editor put before them; in a subagent, the task it was given."""
        lines: list[Line] = []
        context, request = say.without_context(text)
        if context:
            lines.append(self.pen.injected(context, Injection.ENVIRONMENT))
        via = Via.TYPED if self.is_subagent else self._via(request)
        if (typed := typed_in(request)) is not None and not self.is_subagent:
            lines.append(self.pen.injected(request, Injection.TEMPLATE))
            request, via = typed, Via.COMMAND
        prompt = "\n".join(filter(None, [request, *pictures]))
        if prompt and self.is_subagent:
            lines.append(self.pen.injected(prompt, Injection.NOTIFICATION))
        elif prompt:
            lines.append(self.pen.user(prompt, via))
        return lines

    def _via(self, request: str) -> Via:
        if say.is_plan(request):
            return Via.PLAN
        was_begun, self.is_begun = self.is_begun, self.is_running
        return Via.QUEUED if was_begun else Via.TYPED

    def _shell_line(self, command: str, printed: str) -> list[Line]:
        output: list[Line] = [self.pen.injected(printed, Injection.OUTPUT)] if printed else []
        return [self.pen.user(command, Via.COMMAND), *output]

    def _assistant(self, channel: str, text: str) -> Outcome:
        if not text.strip():
            return "empty"
        # A plan comes as an item of its own, and again in the message that proposes it.
        fresh = [piece for piece in say.with_plan_apart(text) if not self.echo.repeats("assistant", channel, piece)]
        return [line for piece in fresh for line in self.pen.said(piece)] or say.REPEATED

    def _reasoning(self, item: Record) -> Outcome:
        readable = [*say.parts({"content": item.get("summary")}), *say.parts({"content": item.get("content")})]
        return self._thoughts("item", [text for text in map(words, readable) if text])

    def _thoughts(self, channel: str, texts: list[str]) -> Outcome:
        if not any(text.strip() for text in texts):
            return "encrypted reasoning"
        fresh = [text for text in texts if not self.echo.repeats("reasoning", channel, text)]
        return [self.pen.reasoning(text) for text in fresh] or say.REPEATED

    def _from_agent(self, item: Record) -> Outcome:
        """A message from one agent to another; its content is often encrypted."""
        text = words(item.get("content"))
        return [self.pen.injected(text, Injection.NOTIFICATION)] if text else "encrypted message of an agent"

    def _goal(self, event: Record) -> Outcome:
        """Goals are set by the person with a command, or by the agent with a tool; each update repeats them."""
        objective = (event.get("goal") or {}).get("objective")
        if not isinstance(objective, str) or not self.tools.note_goal(objective):
            return say.REPEATED
        # While the agent works, it may have set the goal by a tool that we do not know.
        is_own = not self.is_running and not self.is_subagent
        return [self.pen.user(objective, Via.COMMAND) if is_own else self.pen.injected(objective, Injection.OTHER)]

    def _review(self, event: Record) -> Outcome:
        target = event.get("target")
        asked = target.get("instructions") if isinstance(target, dict) else None
        return [self.pen.user(asked, Via.COMMAND)] if isinstance(asked, str) and asked else "review marker"

    def _completed(self, event: Record) -> Outcome:
        """Newer sessions write finished items of a turn in place of the single events."""
        item = event.get("item") or {}
        match item.get("type"):
            case "UserMessage":
                return self._user_event(event)
            case "AgentMessage" | "Plan":
                return self._assistant("event", words(item.get("content")) or str(item.get("text") or ""))
            case "Reasoning":
                return self._thoughts("event", [*texts(item.get("summary_text")), *texts(item.get("raw_content"))])
            case "CommandExecution":
                return self.tools.command_end(item)
            case "FileChange" | "McpToolCall":
                return self.tools.end(item)
            case "Extension" | "WebSearch" | "ImageView" | "ImageGeneration" | "ContextCompaction":
                return say.REPEATED
            case other:
                return f"unknown: item_completed {other}"

    # What happened

    def _tokens(self, event: Record) -> Outcome:
        # Totals of the session so far: the last one counts, not their sum.
        total = (event.get("info") or {}).get("total_token_usage") or {}
        self.account.input_tokens = count(total.get("input_tokens", self.account.input_tokens))
        self.account.output_tokens = count(total.get("output_tokens", self.account.output_tokens))
        return "token count"

    def _turn_start(self, _: Record) -> Outcome:
        self.is_running, self.is_begun = True, False
        return "turn marker"

    def _turn_end(self, event: Record) -> Outcome:
        self.is_running, self.is_begun = False, False
        error = event.get("error")
        text = error.get("message") if isinstance(error, dict) else error
        return [self.pen.event(Happening.ERROR, str(text))] if text else "turn marker"

    def _aborted(self, event: Record) -> Outcome:
        self.is_running, self.is_begun = False, False
        reason = str(event.get("reason") or "")
        return "turn marker" if reason == "review_ended" else [self.pen.event(Happening.INTERRUPTED, reason)]

    def _rolled_back(self, event: Record) -> Outcome:
        turns = event.get("num_turns")
        return [self.pen.event(Happening.REWOUND, f"{turns} turn{'' if turns == 1 else 's'} undone")]

    def _undo(self, event: Record) -> Outcome:
        if not event.get("success"):
            return "undo that failed"
        return [self.pen.event(Happening.REWOUND, str(event.get("message") or ""))]

    def _compacted(self, body: Record) -> Outcome:
        # `replacement_history` repeats old messages for the model. They stand earlier in the file.
        lines: list[Line] = [self.pen.event(Happening.COMPACTED)]
        if summary := body.get("message"):
            lines.append(self.pen.injected(str(summary), Injection.COMPACTION))
        return lines
