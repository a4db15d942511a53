"""Sessions as the agents themselves write them: one short script of who says what, in each of the real formats.

A script is a list of steps. `Raw` is a record of one format, put in as it is: that is how a case forges what only that
format has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Says:
    """The user's own words."""

    text: str


@dataclass(frozen=True)
class Replies:
    """The agent's words."""

    text: str


@dataclass(frozen=True)
class Uses:
    """A call of a tool and what came back."""

    tool: str
    given: dict[str, Any]
    output: str
    ok: bool = True


@dataclass(frozen=True)
class Raw:
    """Records of one format, as they are."""

    records: tuple[Any, ...]


Step = Says | Replies | Uses | Raw


@dataclass
class _Clock:
    at: int = 0
    calls: int = 0

    def tick(self) -> str:
        self.at += 1
        return f"2026-03-02T09:{self.at // 60:02}:{self.at % 60:02}.000Z"

    def ms(self) -> int:
        self.at += 1
        return 1_772_442_000_000 + self.at * 1000

    def call(self) -> str:
        self.calls += 1
        return f"call_{self.calls}"


@dataclass
class _Rows:
    """Records in order, with a clock."""

    rows: list[Any] = field(default_factory=list)
    clock: _Clock = field(default_factory=_Clock)

    def jsonl(self, path: Path) -> Path:
        return jsonl(path, self.rows)


def jsonl(path: Path, rows: Sequence[object]) -> Path:
    """A file with a record on each line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def document(path: Path, content: object) -> Path:
    """A file that is one JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


# --- Claude Code ------------------------------------------------------------------------------------------------------


def claude_record(kind: str, content: Any, number: int, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": f"00000000-0000-4000-8000-{number - 1:012}" if number > 1 else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/w/shop",
        "sessionId": "5e0c1a52-0d3b-4d7e-9a61-2f4b8c7d9e10",
        "version": "2.1.205",
        "gitBranch": "main",
        "timestamp": f"2026-03-02T09:{number // 60 % 60:02}:{number % 60:02}.000Z",
        "message": {"role": kind, "content": content, **({"model": "claude-opus"} if kind == "assistant" else {})},
        **more,
    }


def claude(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    for step in steps:
        number = len(rows.rows) + 1
        match step:
            case Says(text):
                rows.rows.append(claude_record("user", text, number))
            case Replies(text):
                rows.rows.append(claude_record("assistant", [{"type": "text", "text": text}], number))
            case Uses():
                call = rows.clock.call()
                use = {"type": "tool_use", "id": call, "name": step.tool, "input": step.given}
                result = {"type": "tool_result", "tool_use_id": call, "content": step.output, "is_error": not step.ok}
                kept: Any = {"stdout": step.output, "stderr": ""} if step.ok else f"Error: {step.output}"
                rows.rows.append(claude_record("assistant", [use], number))
                rows.rows.append(claude_record("user", [result], number + 1, toolUseResult=kept))
            case Raw(records):
                for one in records:
                    given = dict(one)
                    number = len(rows.rows) + 1
                    kind, content = given.pop("type", "user"), given.pop("content", None)
                    if kind in {"user", "assistant"}:
                        rows.rows.append(claude_record(kind, content, number, **given))
                    else:
                        row = claude_record(kind, "", number, **given)
                        row.pop("message")
                        rows.rows.append(row | ({"content": content} if content is not None else {}))
    return rows.jsonl(folder / "projects" / "-w-shop" / "5e0c1a52-0d3b-4d7e-9a61-2f4b8c7d9e10.jsonl")


# --- Codex ------------------------------------------------------------------------------------------------------------


def codex(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()

    def add(kind: str, payload: dict[str, Any]) -> None:
        rows.rows.append({"timestamp": rows.clock.tick(), "type": kind, "payload": payload})

    add("session_meta", {"id": "0199aaaa-0000-7000-8000-000000000001", "cwd": "/w/shop", "cli_version": "0.142.0"})
    for step in steps:
        match step:
            case Says(text):
                part = [{"type": "input_text", "text": text}]
                add("response_item", {"type": "message", "role": "user", "content": part})
                add("event_msg", {"type": "user_message", "message": text})
            case Replies(text):
                part = [{"type": "output_text", "text": text}]
                add("response_item", {"type": "message", "role": "assistant", "content": part})
                add("event_msg", {"type": "agent_message", "message": text})
            case Uses():
                call = rows.clock.call()
                given = {"name": step.tool, "arguments": json.dumps(step.given), "call_id": call}
                add("response_item", {"type": "function_call", **given})
                add("response_item", {"type": "function_call_output", "call_id": call, "output": step.output})
            case Raw(records):
                for one in records:
                    add(one["type"], one["payload"])
    return rows.jsonl(
        folder / "sessions/2026/03/02/rollout-2026-03-02T09-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl"
    )


# --- Cursor -----------------------------------------------------------------------------------------------------------


def cursor(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    for step in steps:
        match step:
            case Says(text):
                block = {"type": "text", "text": f"<user_query>\n{text}\n</user_query>"}
                rows.rows.append({"role": "user", "message": {"content": [block]}})
            case Replies(text):
                rows.rows.append({"role": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
            case Uses():
                call = rows.clock.call()
                use = {"type": "tool_use", "id": call, "name": step.tool, "input": step.given}
                result = {
                    "type": "tool_result",
                    "tool_use_id": call,
                    "toolName": step.tool,
                    "content": step.output,
                    "is_error": not step.ok,
                }
                rows.rows.append({"role": "assistant", "message": {"content": [use]}})
                rows.rows.append({"role": "tool", "message": {"content": [result]}})
            case Raw(records):
                rows.rows.extend(records)
    return rows.jsonl(folder / "projects/w-shop/agent-transcripts/c1/c1.jsonl")


# --- OpenCode ---------------------------------------------------------------------------------------------------------


def opencode(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()

    def add(role: str, *parts: dict[str, Any], **more: Any) -> None:
        number = len(rows.rows) + 1
        info = {"id": f"msg_{number:04}", "sessionID": "ses_1", "role": role, "time": {"created": rows.clock.ms()}}
        named = [{"id": f"prt_{number:04}_{at:02}", **part} for at, part in enumerate(parts)]
        rows.rows.append({"info": {**info, **more}, "parts": named})

    for step in steps:
        match step:
            case Says(text):
                add("user", {"type": "text", "text": text})
            case Replies(text):
                add("assistant", {"type": "text", "text": text})
            case Uses():
                state: dict[str, Any] = {"status": "completed" if step.ok else "error", "input": step.given}
                state["output" if step.ok else "error"] = step.output
                add("assistant", {"type": "tool", "tool": step.tool, "callID": rows.clock.call(), "state": state})
            case Raw(records):
                for one in records:
                    add(one["role"], *one["parts"], **one.get("info", {}))
    facts = {"id": "ses_1", "directory": "/w/shop", "title": "Work", "version": "1.18.21", "time": {"created": 1}}
    return document(folder / "ses_1.json", {"info": facts, "messages": rows.rows})


# --- Gemini CLI -------------------------------------------------------------------------------------------------------


def gemini(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    facts = {"sessionId": "g-1", "projectHash": "0" * 64, "startTime": rows.clock.tick(), "kind": "main"}
    rows.rows.append(facts)

    def add(**message: Any) -> None:
        rows.rows.append({"id": f"m{len(rows.rows)}", "timestamp": rows.clock.tick(), **message})

    for step in steps:
        match step:
            case Says(text):
                add(type="user", content=[{"text": text}])
            case Replies(text):
                add(type="gemini", content=text)
            case Uses():
                call = rows.clock.call()
                answer = {"functionResponse": {"id": call, "name": step.tool, "response": {"output": step.output}}}
                done = {"id": call, "name": step.tool, "args": step.given, "result": [answer]}
                add(type="gemini", content="", toolCalls=[{**done, "status": "success" if step.ok else "error"}])
            case Raw(records):
                for one in records:
                    add(**one)
    return rows.jsonl(folder / "tmp/shop/chats/session-2026-03-02T09-00-g1.jsonl")


# --- Copilot CLI ------------------------------------------------------------------------------------------------------


def copilot(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()

    def add(kind: str, data: dict[str, Any]) -> None:
        number = len(rows.rows) + 1
        rows.rows.append({"type": kind, "data": data, "id": f"e{number}", "timestamp": rows.clock.tick()})

    add("session.start", {"sessionId": "cp-1", "startTime": rows.clock.tick(), "context": {"cwd": "/w/shop"}})
    for step in steps:
        match step:
            case Says(text):
                add("user.message", {"content": text})
            case Replies(text):
                add("assistant.message", {"content": text})
            case Uses():
                call = rows.clock.call()
                asked = {"toolCallId": call, "name": step.tool, "arguments": step.given}
                add("assistant.message", {"content": "", "toolRequests": [asked]})
                result = {"result": {"content": step.output}} if step.ok else {"error": {"message": step.output}}
                add("tool.execution_complete", {"toolCallId": call, "success": step.ok, **result})
            case Raw(records):
                for one in records:
                    add(one["type"], one["data"])
    return rows.jsonl(folder / "session-state/cp-1/events.jsonl")


# --- pi ---------------------------------------------------------------------------------------------------------------


def pi(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    rows.rows.append({"type": "session", "version": 1, "id": "pi-1", "timestamp": rows.clock.tick(), "cwd": "/w/shop"})

    def add(**message: Any) -> None:
        rows.rows.append({"type": "message", "timestamp": rows.clock.tick(), "message": message})

    for step in steps:
        match step:
            case Says(text):
                add(role="user", content=[{"type": "text", "text": text}])
            case Replies(text):
                add(role="assistant", content=[{"type": "text", "text": text}])
            case Uses():
                call = rows.clock.call()
                use = {"type": "toolCall", "id": call, "name": step.tool, "arguments": step.given}
                add(role="assistant", content=[use])
                part = [{"type": "text", "text": step.output}]
                add(role="toolResult", toolCallId=call, toolName=step.tool, content=part, isError=not step.ok)
            case Raw(records):
                for one in records:
                    add(**one)
    return rows.jsonl(folder / "--w-shop--/2026-03-02_pi-1.jsonl")


# --- Droid ------------------------------------------------------------------------------------------------------------


def droid(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    rows.rows.append(
        {"type": "session_start", "id": "d-1", "title": "Work", "owner": "ada", "version": 2, "cwd": "/w/shop"}
    )

    def add(role: str, *content: dict[str, Any], **more: Any) -> None:
        message = {"role": role, "content": list(content), **more}
        number = len(rows.rows)
        rows.rows.append({"type": "message", "id": f"m{number}", "timestamp": rows.clock.tick(), "message": message})

    for step in steps:
        match step:
            case Says(text):
                add("user", {"type": "text", "text": text})
            case Replies(text):
                add("assistant", {"type": "text", "text": text})
            case Uses():
                call = rows.clock.call()
                add("assistant", {"type": "tool_use", "id": call, "name": step.tool, "input": step.given})
                result = {"type": "tool_result", "tool_use_id": call, "content": step.output, "is_error": not step.ok}
                add("user", result)
            case Raw(records):
                for one in records:
                    add(one["role"], *one["content"])
    return rows.jsonl(folder / "-w-shop/d-1.jsonl")


# --- Kiro -------------------------------------------------------------------------------------------------------------


def kiro(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()

    def add(user: dict[str, Any] | None, assistant: dict[str, Any] | None) -> None:
        said = {"content": user, "timestamp": rows.clock.tick()} if user else {}
        rows.rows.append({"user": said, "assistant": assistant or {}})

    for step in steps:
        match step:
            case Says(text):
                add({"Prompt": {"prompt": text}}, None)
            case Replies(text):
                add(None, {"Response": {"content": text}})
            case Uses():
                call = rows.clock.call()
                add(
                    None,
                    {"ToolUse": {"content": "", "tool_uses": [{"id": call, "name": step.tool, "args": step.given}]}},
                )
                part = {"tool_use_id": call, "content": [{"Text": step.output}]}
                result = {**part, "status": "Success" if step.ok else "Error"}
                add({"ToolUseResults": {"tool_use_results": [result]}}, None)
            case Raw(records):
                rows.rows.extend(records)
    return document(folder / "k-1.json", {"conversation_id": "k-1", "history": rows.rows})


# --- Cline ------------------------------------------------------------------------------------------------------------


def cline(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()

    def add(kind: str, text: str, way: str = "say", **more: Any) -> None:
        rows.rows.append({"ts": rows.clock.ms(), "type": way, way: kind, "text": text, **more})

    is_begun = False
    for step in steps:
        match step:
            case Says(text):
                add("user_feedback" if is_begun else "task", text)
                is_begun = True
            case Replies(text):
                add("text", text)
            case Uses():
                add("tool", json.dumps({"tool": step.tool, **step.given}))
                add("api_req_started", json.dumps({"request": f"[{step.tool} for 'x'] Result:\n{step.output}"}))
            case Raw(records):
                for one in records:
                    add(**one)
    add("api_req_finished", "")
    return document(folder / "tasks/1767600000000/ui_messages.json", rows.rows)


def cline_history(folder: Path, steps: Sequence[Step]) -> Path:
    """What Cline sent to the model, read where the screen's file is missing."""
    rows = _Rows()

    def add(role: str, *content: dict[str, Any]) -> None:
        rows.rows.append({"role": role, "content": list(content), "ts": rows.clock.ms()})

    is_begun = False
    for step in steps:
        match step:
            case Says(text):
                tag = "user_message" if is_begun else "task"
                add("user", {"type": "text", "text": f"<{tag}>\n{text}\n</{tag}>"})
                is_begun = True
            case Replies(text):
                add("assistant", {"type": "text", "text": text})
            case Uses():
                call = rows.clock.call()
                add("assistant", {"type": "tool_use", "id": call, "name": step.tool, "input": step.given})
                add(
                    "user",
                    {"type": "tool_result", "tool_use_id": call, "content": step.output, "is_error": not step.ok},
                )
            case Raw(records):
                for one in records:
                    add(one["role"], *one["content"])
    return document(folder / "tasks/1767600000000/api_conversation_history.json", rows.rows)


# --- Aider ------------------------------------------------------------------------------------------------------------


def aider(folder: Path, steps: Sequence[Step]) -> Path:
    lines = ["", "# aider chat started at 2026-03-02 09:00:00", "", "> Aider v0.86.0  ", "> Main model: opus  ", ""]
    for step in steps:
        match step:
            case Says(text):
                lines += ["", *(f"#### {line}  " for line in text.split("\n")), ""]
            case Replies(text):
                lines += [text, "", "> Tokens: 2.1k sent, 300 received.  ", ""]
            case Uses():
                shown = [f"> {line}  " for line in step.output.split("\n")]
                lines += [f"> Running {json.dumps(step.given)}  ", *shown, ""]
            case Raw(records):
                lines += records
    path = folder / ".aider.chat.history.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


# --- messages of anybody ----------------------------------------------------------------------------------------------


def custom(folder: Path, steps: Sequence[Step]) -> Path:
    rows = _Rows()
    for step in steps:
        match step:
            case Says(text):
                rows.rows.append({"role": "user", "content": text})
            case Replies(text):
                rows.rows.append({"role": "assistant", "content": text})
            case Uses():
                call = rows.clock.call()
                function = {"name": step.tool, "arguments": json.dumps(step.given)}
                rows.rows.append(
                    {"role": "assistant", "content": None, "tool_calls": [{"id": call, "function": function}]}
                )
                rows.rows.append({"role": "tool", "content": step.output, "tool_call_id": call, "ok": step.ok})
            case Raw(records):
                rows.rows.extend(records)
    return rows.jsonl(folder / "run.jsonl")


#: How each agent's sessions are written. Cline has two files, and either may be all that is left.
WRITERS: dict[str, Callable[[Path, Sequence[Step]], Path]] = {
    "claude": claude,
    "codex": codex,
    "cursor": cursor,
    "opencode": opencode,
    "gemini": gemini,
    "copilot": copilot,
    "pi": pi,
    "droid": droid,
    "kiro": kiro,
    "cline": cline,
    "cline-history": cline_history,
    "aider": aider,
    "custom": custom,
}


def agent_of(writer: str) -> str:
    """The name of the source that reads what a writer wrote."""
    return writer.partition("-")[0]
