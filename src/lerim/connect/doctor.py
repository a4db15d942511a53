"""Whether a connection works, found out by doing what the agent would do: its hook is run as its settings say, in a
folder of its own with a brief that nobody else has; its server is greeted; Codex is asked what it trusts.

Nothing is left behind: no session, no note, no line in the spool.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lerim.connect.agents import ConnectableAgent, Ground
from lerim.connect.edits_json import JsonHook, JsonMember
from lerim.connect.edits_text import OwnFile
from lerim.connect.edits_toml import TomlHook, TomlTable
from lerim.connect.edits_yaml import YamlMember
from lerim.connect.files import AgentFile
from lerim.connect.jsonc import NotJson, parse
from lerim.connect.room import AgentStanding, Connector, LinkState, PartStanding
from lerim.dataclass import dataclass
from lerim.views.shelf import digest_of

#: Seconds for a hook, a server and a program to answer.
_HOOK, _SERVER, _CODEX = 20.0, 30.0, 30.0
_CANARY = "lerim-doctor-canary"
#: Where each host looks for what is put into its context.
_CONTEXT = {
    "claude": ("hookSpecificOutput", "additionalContext"),
    "codex": ("hookSpecificOutput", "additionalContext"),
    "gemini": ("hookSpecificOutput", "additionalContext"),
    "droid": ("hookSpecificOutput", "additionalContext"),
    "copilot": ("additionalContext",),
    "vscode": ("hookSpecificOutput", "additionalContext"),
    "cursor": ("additional_context",),
    "cline": ("contextModification",),
}
#: Agents that take what a hook prints as it is.
_PLAIN = ("opencode", "pi", "kiro")


@dataclass(frozen=True)
class ConnectionCheck:
    """One thing that was tried, and what came of it."""

    agent: str
    name: str
    ok: bool
    said: str
    hint: str = ""


def examine(connector: Connector, ground: Ground, agents: Sequence[ConnectableAgent]) -> Iterator[ConnectionCheck]:
    """Try the connections of these agents, or of all that are connected, in part or in full."""
    for each in connector.standing(agents):
        wanted = bool(agents) or connector.is_booked(each.agent.name)
        if each.standing is LinkState.NO and not wanted:
            continue
        yield from _entries(each, connector)
        yield from _switched_off(each, ground)
        yield from _hooks(each, ground)
        yield from _servers(each, ground)
        if each.agent.name == "codex" and each.standing is not LinkState.NO:
            yield from _codex_trust(ground)


def _entries(each: AgentStanding, connector: Connector) -> Iterator[ConnectionCheck]:
    """Whether everything is where it was put. Some agents write their files anew, and forget."""
    name, again = each.agent.name, f"lerim connect {each.agent.name}"
    gone = [part for part in each.parts if part.standing is not LinkState.CONNECTED]
    for part in gone:
        dropped = "was dropped" if connector.is_booked(name) else "is not there"
        why = part.problem or (dropped if part.standing is LinkState.NO else "was changed")
        yield ConnectionCheck(name, part.part.edit.label, False, f"{part.part.path}: {why}", again)
    if not gone:
        yield ConnectionCheck(name, "entries", True, f"all {len(each.parts)} are in place")


#: Where an agent's settings say that no hook is to be run, and the value that does.
_SWITCHES: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "claude": (("disableAllHooks",), True),
    "gemini": (("hooksConfig", "enabled"), False),
}


def _switched_off(each: AgentStanding, ground: Ground) -> Iterator[ConnectionCheck]:
    """Whether the user turned hooks off: theirs to decide, and worth a word."""
    name = each.agent.name
    path, off = _SWITCHES.get(name, ((), False))
    for file in dict.fromkeys(part.part.path for part in each.parts if isinstance(part.part.edit, JsonHook)):
        data = AgentFile(file, ground.project).read() if path else None
        if data is None:
            continue
        with suppress(NotJson):
            found = parse(data.decode("utf-8", "replace")).at(path)
            if found is not None and found.value is off:
                hint = f"take {'.'.join(path)} out of {file}"
                yield ConnectionCheck(name, "switch", False, f"hooks are turned off in {file}", hint)


# --- hooks ------------------------------------------------------------------------------------------------------------


def _hooks(each: AgentStanding, ground: Ground) -> Iterator[ConnectionCheck]:
    for part in each.parts:
        call = _hook_of(part, ground) if part.standing is not LinkState.NO else None
        if call is not None:
            yield _tried(each.agent.name, part.part.edit.label, *call, ground)


def _hook_of(part: PartStanding, ground: Ground) -> tuple[list[str], str] | None:
    """The command that a file of the agent's would start, and our event."""
    edit, path = part.part.edit, part.part.path
    data = AgentFile(path, ground.project).read()
    if data is None:
        return None
    if isinstance(edit, (JsonHook, TomlHook)):
        command = edit.command_in(data.decode("utf-8", "replace"))
        return (_shell(command, ground), edit.mark.split()[1]) if command else None
    if isinstance(edit, OwnFile) and edit.label.startswith("hook "):
        return [str(path)], "session-start" if edit.label.endswith("TaskStart") else "turn-end"
    if isinstance(edit, OwnFile) and edit.label in ("plugin", "extension") and path.suffix in (".js", ".ts"):
        # The agent runs the file itself; what the file starts can be tried.
        agent = "pi" if path.suffix == ".ts" else "opencode"
        return [ground.launcher.program, "hook", "session-start", "--agent", agent], "session-start"
    return None


def _shell(command: str, ground: Ground) -> list[str]:
    """The command as a shell gets it; what names Lerim's folder is left out, since a folder of its own is used."""
    home = f"LERIM_HOME={ground.launcher.home}"
    words = command.removeprefix(f"{home} ") if ground.launcher.home else command
    if words.startswith("LERIM_HOME="):
        words = words.split(" ", 1)[1]
    return ["powershell", "-NoProfile", "-Command", words] if ground.windows else ["/bin/sh", "-c", words]


def _tried(agent: str, label: str, argv: Sequence[str], event: str, ground: Ground) -> ConnectionCheck:
    with tempfile.TemporaryDirectory(prefix="lerim-doctor-") as folder:
        starts = event == "session-start"
        _plant(Path(folder))
        env = {**ground.env, "LERIM_HOME": folder} | ({} if starts else {"LERIM_CHILD": "1"})
        env = {name: value for name, value in env.items() if name != "LERIM_CHILD" or not starts}
        try:
            done = subprocess.run(
                [*argv],
                input=_stdin(agent, folder),
                env=env,
                cwd=folder,
                capture_output=True,
                timeout=_HOOK,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return ConnectionCheck(agent, label, False, f"it does not run: {error}", f"lerim connect {agent}")
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        return ConnectionCheck(
            agent, label, False, f"it ended with {done.returncode}: {complaint}", f"lerim connect {agent}"
        )
    if not starts or agent == "goose":
        return ConnectionCheck(agent, label, True, "runs")
    found = _context(agent, done.stdout.decode("utf-8", "replace"))
    verdict = "gives a new session its brief" if found else "runs, but what it prints is not what the agent takes"
    return ConnectionCheck(agent, label, found, verdict, "" if found else f"lerim connect {agent}")


def _plant(home: Path) -> None:
    """A brief of the global memory that says nothing but a word to look for."""
    shelf = home / "views" / "global"
    shelf.mkdir(parents=True)
    text = f"- {_CANARY}\n".encode()
    (shelf / "CONTEXT_BRIEF.md").write_bytes(text)
    manifest: dict[str, object] = {"view": "brief", "root": None, "digest": digest_of(text), "records": [_CANARY]}
    (shelf / "CONTEXT_BRIEF.manifest.json").write_text(json.dumps(manifest), "utf-8")


def _stdin(agent: str, folder: str) -> bytes:
    """What this agent would say of a session that begins."""
    session = f"{_CANARY}-{os.urandom(4).hex()}"
    payload: dict[str, Any] = {
        "session_id": session,
        "cwd": folder,
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    if agent in ("copilot", "vscode"):
        payload = {"sessionId": session, "timestamp": 0, "cwd": folder, "source": "new"}
    elif agent == "cursor":
        payload = {"conversation_id": session, "workspace_roots": [folder], "cursor_version": "0"}
    elif agent == "cline":
        payload = {"hookName": "TaskStart", "taskId": session, "workspaceRoots": [folder], "taskStart": {}}
    return json.dumps(payload).encode()


def _context(agent: str, printed: str) -> bool:
    """Whether what a hook printed would reach the agent."""
    if agent in _PLAIN:
        return _CANARY in printed
    try:
        found = json.loads(printed)
        for name in _CONTEXT[agent]:
            found = found[name]
    except (ValueError, KeyError, TypeError):
        return False
    return isinstance(found, str) and _CANARY in found


# --- servers ----------------------------------------------------------------------------------------------------------


def _servers(each: AgentStanding, ground: Ground) -> Iterator[ConnectionCheck]:
    for part in each.parts:
        if part.standing not in (LinkState.NO, LinkState.BROKEN):
            entry = _entry_of(part, ground)
            if entry is not None:
                yield _greeted(each.agent.name, *entry, ground)


def _entry_of(part: PartStanding, ground: Ground) -> tuple[list[str], Mapping[str, str]] | None:
    """The server's command as a file of the agent's has it."""
    edit = part.part.edit
    data = AgentFile(part.part.path, ground.project).read()
    if data is None or not isinstance(edit, (JsonMember, TomlTable, YamlMember)):
        return None
    entry = edit.value_in(data.decode("utf-8", "replace"))
    command = entry.get("command", entry.get("cmd", ""))
    words = [*map(str, command)] if isinstance(command, list) else [str(command), *map(str, entry.get("args") or ())]
    env = entry.get("env") or entry.get("environment") or entry.get("envs") or {}
    return words, {str(name): str(value) for name, value in env.items()}


def _greeted(agent: str, words: Sequence[str], more: Mapping[str, str], ground: Ground) -> ConnectionCheck:
    greeting = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "lerim-doctor", "version": "0"},
    }
    try:
        with _Dialog(words, {**ground.env, **more}) as server:
            answer = server.ask("initialize", greeting, _SERVER)
            server.tell("notifications/initialized")
            tools = server.ask("tools/list", {}, _SERVER).get("tools") or []
    except (OSError, TimeoutError, ValueError) as error:
        return ConnectionCheck(agent, "mcp", False, f"the server does not answer: {error}", f"lerim connect {agent}")
    name = (answer.get("serverInfo") or {}).get("name", "")
    return ConnectionCheck(agent, "mcp", True, f"the server {name} answers, with {len(tools)} tools")


class _Dialog:
    """A program that is talked to in JSON-RPC, a line each."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [*words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(env)
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> _Dialog:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, method: str, params: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The result of a call. Raises TimeoutError, ValueError when it is an error, OSError when nobody listens."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                raise TimeoutError(f"nothing within {seconds:.0f} s") from None
            if not line:
                raise ValueError(f"it ended with {self._process.wait()}")
            answer = _object(line)
            if answer.get("id") == self._number and "method" not in answer:
                if "error" in answer:
                    raise ValueError(str(answer["error"])[:200])
                result = answer.get("result")
                return result if isinstance(result, dict) else {}

    def tell(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put(b"")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


# --- Codex ------------------------------------------------------------------------------------------------------------

_TRUST = "start codex and say yes when it asks about hooks, or type /hooks"


def _codex_trust(ground: Ground) -> Iterator[ConnectionCheck]:
    """Whether Codex would run our hooks: it alone knows, and skips what it does not trust without a word."""
    from shutil import which

    program = which("codex", path=ground.env.get("PATH"))
    if program is None:
        yield ConnectionCheck(
            "codex", "trust", True, "codex is not on the PATH; whether it trusts the hooks is not known"
        )
        return
    about = {"clientInfo": {"name": "lerim-doctor", "title": None, "version": "0"}, "capabilities": None}
    place = str(ground.project or Path.cwd())
    try:
        with _Dialog([program, "app-server"], ground.env) as codex:
            codex.ask("initialize", about, _CODEX)
            codex.tell("initialized")
            answer = codex.ask("hooks/list", {"cwds": [place]}, _CODEX)
    except (OSError, TimeoutError, ValueError) as error:
        yield ConnectionCheck("codex", "trust", True, f"codex does not tell which hooks it trusts ({error})", _TRUST)
        return
    ours = [hook for hook in _hooks_in(answer) if "--agent codex" in str(hook.get("command", ""))]
    if not ours:
        yield ConnectionCheck("codex", "trust", False, "codex does not see the hooks", "lerim connect codex")
    for hook in ours:
        status = str(hook.get("trustStatus", "unknown"))
        ok = status in ("trusted", "managed")
        name = f"trust {hook.get('eventName', '')}".strip()
        yield ConnectionCheck("codex", name, ok, status if ok else f"{status}: codex skips it", "" if ok else _TRUST)


def _hooks_in(answer: Any) -> Iterator[dict[str, Any]]:
    """Whatever in an answer looks like a hook: where they stand in it has changed between versions."""
    if isinstance(answer, dict):
        if "trustStatus" in answer:
            yield answer
        for value in answer.values():
            yield from _hooks_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from _hooks_in(value)
