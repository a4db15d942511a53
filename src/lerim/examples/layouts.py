"""How four coding agents keep a session on disk, as far as the example sessions need it. The sources read them back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from lerim.examples.steps import AgentStep, CommandStep, EditStep, ExampleSession, ReadStep, Step, UserStep

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json] | None"
Record: TypeAlias = dict[str, Json]


def _claude(session: ExampleSession, home: Path, project: Path) -> Path:
    """`~/.claude/projects/<directory>/<id>.jsonl`: a record per message, each naming the one before."""
    records: list[Record] = []

    def add(number: int, kind: str, message: Record) -> None:
        records.append(
            {
                "parentUuid": records[-1]["uuid"] if records else None,
                "isSidechain": False,
                "userType": "external",
                "cwd": str(project),
                "sessionId": session.id,
                "version": "2.1.90",
                "gitBranch": session.branch,
                "type": kind,
                "uuid": f"{session.id[:-12]}{len(records):012d}",
                "timestamp": _millis(session.at(number)),
                "message": message,
            }
        )

    for number, step in enumerate(session.steps):
        match step:
            case UserStep(text):
                add(number, "user", {"role": "user", "content": text})
            case AgentStep(text):
                add(number, "assistant", _claude_says(number, {"type": "text", "text": text}))
            case _:
                name, given, output, code = _used(step, project, _CLAUDE_TOOLS)
                call = f"toolu_{number:04d}"
                add(
                    number,
                    "assistant",
                    _claude_says(number, {"type": "tool_use", "id": call, "name": name, "input": given}),
                )
                shown = f"Exit code {code}\n{output}" if code else output
                result: Record = {"type": "tool_result", "tool_use_id": call, "content": shown, "is_error": bool(code)}
                add(number, "user", {"role": "user", "content": [result]})
    folder = re.sub(r"[^A-Za-z0-9]", "-", str(project))
    return _write(home / ".claude" / "projects" / folder / f"{session.id}.jsonl", records)


def _claude_says(number: int, part: Record) -> Record:
    return {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [part],
    }


def _codex(session: ExampleSession, home: Path, project: Path) -> Path:
    """`~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`: items for the model, events for people."""
    records: list[Record] = []

    def add(at: datetime, kind: str, payload: Record) -> None:
        records.append({"timestamp": _millis(at), "type": kind, "payload": payload})

    began = session.began
    meta: Record = {"id": session.id, "timestamp": _millis(began), "cwd": str(project), "originator": "codex_cli_rs"}
    add(began, "session_meta", {**meta, "cli_version": "0.140.0", "source": "cli", "git": {"branch": session.branch}})
    add(began, "turn_context", {"cwd": str(project), "model": "gpt-5.5", "approval_policy": "never"})
    for number, step in enumerate(session.steps):
        at = session.at(number)
        match step:
            case UserStep(text):
                add(at, "response_item", _codex_message("user", "input_text", text))
                add(at, "event_msg", {"type": "user_message", "message": text, "images": []})
            case AgentStep(text):
                add(at, "event_msg", {"type": "agent_message", "message": text})
                add(at, "response_item", _codex_message("assistant", "output_text", text))
            case _:
                for payload in _codex_call(step, f"call_{number:04d}", project):
                    add(at, "response_item", payload)
    name = f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{session.id}.jsonl"
    return _write(home / ".codex" / "sessions" / f"{began:%Y}" / f"{began:%m}" / f"{began:%d}" / name, records)


def _codex_message(role: str, kind: str, text: str) -> Record:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _codex_call(step: Step, call: str, project: Path) -> Iterable[Record]:
    if isinstance(step, EditStep):
        added = "\n".join(f"+{line}" for line in step.new.splitlines())
        removed = "".join(f"-{line}\n" for line in step.old.splitlines())
        head = f"*** Update File: {step.path}\n@@\n{removed}" if step.old else f"*** Add File: {step.path}\n"
        patch = f"*** Begin Patch\n{head}{added}\n*** End Patch\n"
        yield {
            "type": "custom_tool_call",
            "call_id": call,
            "name": "apply_patch",
            "input": patch,
            "status": "completed",
        }
        done = f"Success. Updated the following files:\n{'M' if step.old else 'A'} {step.path}\n"
        yield {"type": "custom_tool_call_output", "call_id": call, "output": done}
        return
    _, given, output, code = _used(step, project, _CODEX_TOOLS)
    arguments = json.dumps({"cmd": given["cmd"], "workdir": str(project)})
    yield {"type": "function_call", "name": "exec_command", "call_id": call, "arguments": arguments}
    text = f"Wall time: 0.4 seconds\nProcess exited with code {code}\nOutput:\n{output}\n"
    yield {"type": "function_call_output", "call_id": call, "output": text}


def _gemini(session: ExampleSession, home: Path, project: Path) -> Path:
    """`~/.gemini/tmp/<name>/chats/session-<time>-<id>.jsonl`, and the directory in a file beside `chats`."""
    folder = home / ".gemini" / "tmp" / project.name
    began = _millis(session.began)
    facts: Record = {"sessionId": session.id, "projectHash": hashlib.sha256(str(project).encode()).hexdigest()}
    records: list[Record] = [{**facts, "startTime": began, "lastUpdated": _millis(session.ended), "kind": "main"}]
    for number, step in enumerate(session.steps):
        head: Record = {"id": f"m{number:04d}", "timestamp": _millis(session.at(number))}
        match step:
            case UserStep(text):
                records.append({**head, "type": "user", "content": [{"text": text}]})
            case AgentStep(text):
                records.append({**head, "type": "gemini", "content": text, "model": "gemini-3-pro"})
            case _:
                calls: list[Json] = [_gemini_call(step, f"t{number:04d}", project)]
                records.append({**head, "type": "gemini", "content": "", "model": "gemini-3-pro", "toolCalls": calls})
    _write_text(folder / ".project_root", f"{project}\n")
    return _write(folder / "chats" / f"session-{session.began:%Y-%m-%dT%H-%M}-{session.id[:8]}.jsonl", records)


def _gemini_call(step: Step, call: str, project: Path) -> Record:
    name, given, output, code = _used(step, project, _GEMINI_TOOLS)
    text = f"Output: {output}\nExit Code: {code}" if isinstance(step, CommandStep) else output
    response: Record = {"functionResponse": {"id": call, "name": name, "response": {"output": text}}}
    return {"id": call, "name": name, "args": given, "status": "success", "result": [response]}


def _pi(session: ExampleSession, home: Path, project: Path) -> Path:
    """`~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl`: entries that form a chain."""
    began = _millis(session.began)
    records: list[Record] = [
        {"type": "session", "version": 3, "id": session.id, "timestamp": began, "cwd": str(project)},
        {
            "type": "model_change",
            "id": "e0",
            "parentId": None,
            "timestamp": began,
            "provider": "openai",
            "modelId": "gpt-5.5",
        },
    ]

    def add(number: int, message: Record) -> None:
        head: Record = {"type": "message", "id": f"e{len(records) - 1}", "parentId": f"e{len(records) - 2}"}
        records.append({**head, "timestamp": _millis(session.at(number)), "message": message})

    for number, step in enumerate(session.steps):
        match step:
            case UserStep(text):
                add(number, {"role": "user", "content": [{"type": "text", "text": text}]})
            case AgentStep(text):
                add(number, _pi_says({"type": "text", "text": text}))
            case _:
                name, given, output, code = _used(step, project, _PI_TOOLS)
                call = f"c{number:04d}"
                add(number, _pi_says({"type": "toolCall", "id": call, "name": name, "arguments": given}))
                text = f"{output}\n\nCommand exited with code {code}" if code else output
                shown: Record = {"role": "toolResult", "toolCallId": call, "toolName": name, "isError": bool(code)}
                add(number, {**shown, "content": [{"type": "text", "text": text}]})
    folder = "--" + str(project).strip("/\\").replace("/", "-").replace("\\", "-").replace(":", "-") + "--"
    name = f"{session.began:%Y-%m-%dT%H-%M-%S}-000Z_{session.id}.jsonl"
    return _write(home / ".pi" / "agent" / "sessions" / folder / name, records)


def _pi_says(part: Record) -> Record:
    return {"role": "assistant", "content": [part], "model": "gpt-5.5", "stopReason": "stop"}


#: Where each agent writes its sessions.
LAYOUTS: Mapping[str, Callable[[ExampleSession, Path, Path], Path]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "pi": _pi,
}

# The names each agent gives to running, reading, changing and creating, and to what is run, read and changed.
_Tools = tuple[tuple[str, str], tuple[str, str], tuple[str, str, str, str], tuple[str, str, str]]
_CLAUDE_TOOLS: _Tools = (
    ("Bash", "command"),
    ("Read", "file_path"),
    ("Edit", "file_path", "old_string", "new_string"),
    ("Write", "file_path", "content"),
)
_CODEX_TOOLS: _Tools = (("exec_command", "cmd"), ("exec_command", "cmd"), ("", "", "", ""), ("", "", ""))
_GEMINI_TOOLS: _Tools = (
    ("run_shell_command", "command"),
    ("read_file", "file_path"),
    ("replace", "file_path", "old_string", "new_string"),
    ("write_file", "file_path", "content"),
)
_PI_TOOLS: _Tools = (
    ("bash", "command"),
    ("read", "path"),
    ("edit", "path", "oldText", "newText"),
    ("write", "path", "content"),
)


def _used(step: Step, project: Path, tools: _Tools) -> tuple[str, Record, str, int]:
    """A step as a tool call: the tool's name, what it was given, what came back, and the exit code."""
    run, read, edit, write = tools
    match step:
        case CommandStep(command, output, code):
            return run[0], {run[1]: command}, output, code
        case ReadStep(path, content):
            shown = f"cat {path}" if read == run else str(project / path)
            return read[0], {read[1]: shown}, content, 0
        case EditStep(path, new, "") if write[0]:
            return write[0], {write[1]: str(project / path), write[2]: new}, f"File created: {path}", 0
        case EditStep(path, new, old):
            given: Record = {edit[1]: str(project / path), edit[2]: old, edit[3]: new}
            return edit[0], given, f"The file {path} has been updated.", 0
        case _:
            raise AssertionError(step)


def _millis(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def _write(path: Path, records: Iterable[Record]) -> Path:
    return _write_text(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))


def _write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
