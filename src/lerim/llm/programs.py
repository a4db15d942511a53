"""Agents' own command-line programs as models: one call each, without tools, hooks, servers or a session left behind.

`Program.ask(system, user, schema)` gives the JSON that was asked for. A program runs in an empty folder with a scrubbed
environment and gets the prompt on its standard input; no shell is involved. What it prints is bounded, searched for the
envelope it is known to print, and freed of what it says before its JSON. The folder's name marks the call as ours: a
session that a program keeps all the same belongs to no project (sessions/routing.py).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lerim.config.settings import Provider
from lerim.dataclass import dataclass
from lerim.llm.prices import Tokens
from lerim.private import OWN_CALL

#: Bytes of output that are read of a program, and of what it complains of.
MOST_OUTPUT, MOST_COMPLAINT = 8 << 20, 64 << 10
#: Characters of a prompt: the least that any of the programs takes.
MOST_PROMPT = 1_000_000
_LONGEST_REASON = 300
#: What every program needs to start, to find its login and to reach its server.
_PASSED_NAMES = """
PATH HOME USER LOGNAME LANG TZ TMPDIR TEMP TMP SYSTEMROOT APPDATA LOCALAPPDATA USERPROFILE COMSPEC PATHEXT
XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSL_CERT_FILE SSL_CERT_DIR
NODE_EXTRA_CA_CERTS HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
"""
_PASSED = frozenset(_PASSED_NAMES.split())
_LIMITED = re.compile(r"(?i)rate.?limit|usage limit|\b429\b|too many requests|quota|overloaded|limit reached")
_LOGGED_OUT = re.compile(r"(?i)log ?in\b|logged out|not authenticated|unauthori[sz]ed|\b401\b|api key|credential")


class ProgramFailure(Exception):
    """A program gave no answer. `kind` is missing, login, limit, failed or garbled."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


@dataclass(frozen=True)
class ProgramAnswer:
    """What a program answered: the JSON that was asked for, and what it says it used."""

    json: dict[str, Any]
    tokens: Tokens
    usd: float | None = None


@dataclass(frozen=True)
class ProgramSpeech:
    """What stands in a program's envelope."""

    text: str = ""
    structured: dict[str, Any] | None = None
    tokens: Tokens = Tokens(0)
    usd: float | None = None
    problem: str | None = None


@dataclass(frozen=True)
class ProgramCall:
    """One call that is about to be made: what a program's arguments are made of."""

    system: str
    schema: Mapping[str, Any]
    model: str
    folder: Path
    env: Mapping[str, str]


@dataclass(frozen=True)
class Program:
    """One agent's program: how it is called so that nothing but an answer comes of it, and how it answers."""

    provider: Provider
    command: str
    title: str
    #: Its arguments, all but the command itself.
    arguments: Callable[[ProgramCall], list[str]]
    #: Reads its envelope from the JSON objects that it printed.
    read: Callable[[Sequence[dict[str, Any]]], ProgramSpeech]
    #: Variables that it is passed besides the common ones, by how they begin.
    variables: tuple[str, ...]
    #: A variable that names the folder of its state, set to an empty one; then its login must be in the environment.
    state: str | None = None
    #: Variables one of which is a login then.
    logins: tuple[str, ...] = ()
    #: Whether the schema goes out of band; else it stands in the prompt.
    takes_schema: bool = False
    takes_system: bool = False
    #: Variables that make it quiet.
    sets: tuple[tuple[str, str], ...] = ()

    def path(self, env: Mapping[str, str]) -> str | None:
        """Where the program is; None when it is not installed."""
        return shutil.which(self.command, path=env.get("PATH"))

    def problem(self, env: Mapping[str, str]) -> str | None:
        """What is missing before it can be called."""
        if self.path(env) is None:
            return f"the program '{self.command}' is not installed"
        if self.state and not any(env.get(name) for name in self.logins):
            keys = " or ".join(self.logins)
            return f"{self.title} would keep each call as a session unless its key is in the environment: set {keys}"
        return None

    async def ask(
        self, system: str, user: str, schema: Mapping[str, Any], *, model: str, env: Mapping[str, str]
    ) -> ProgramAnswer:
        """One call. Raises ProgramFailure; whoever calls it bounds its time, and it ends with that."""
        with tempfile.TemporaryDirectory(prefix=OWN_CALL) as name:
            call = ProgramCall(system, schema, model, Path(name), env)
            (call.folder / "schema.json").write_text(json.dumps(strict(schema)))
            prompt = self._prompt(call, user)
            if len(prompt) > MOST_PROMPT:
                raise ProgramFailure("failed", f"the prompt has {len(prompt):,} characters, more than it takes")
            code, printed, complaint = await self._run(call, prompt, env)
        spoken = self.read(list(objects_in(printed)))
        if (why := self._why(code, spoken, complaint)) is not None:
            raise why
        answer = spoken.structured if spoken.structured is not None else answer_in(spoken.text)
        if answer is None:
            raise ProgramFailure("garbled", f"there is no JSON in what it said: {_short(spoken.text) or 'nothing'}")
        return ProgramAnswer(answer, spoken.tokens, spoken.usd)

    def _prompt(self, call: ProgramCall, user: str) -> str:
        parts = [user] if self.takes_system else [call.system, user]
        if not self.takes_schema:
            parts.append(f"Answer with one JSON object of this schema, and nothing else:\n{json.dumps(call.schema)}")
        return "\n\n".join(filter(None, parts))

    async def _run(self, call: ProgramCall, prompt: str, env: Mapping[str, str]) -> tuple[int, str, str]:
        path = self.path(env)
        if path is None:
            raise ProgramFailure("missing", f"'{self.command}' is not installed")
        work = call.folder / "work"
        work.mkdir()
        try:
            process = await asyncio.create_subprocess_exec(
                *(path, *self.arguments(call)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=work,
                env=self.environment(env, call.folder),
                start_new_session=True,
                limit=MOST_OUTPUT,
            )
        except OSError as error:
            raise ProgramFailure("missing", f"'{path}' cannot be started: {error.strerror}") from None
        try:
            printed, complaint, _ = await asyncio.gather(
                _read(process.stdout, MOST_OUTPUT),
                _read(process.stderr, MOST_COMPLAINT, cut=True),
                _feed(process, prompt),
            )
            return await process.wait(), printed, complaint
        finally:
            await _end(process)

    def environment(self, env: Mapping[str, str], folder: Path) -> dict[str, str]:
        """What the program sees of the environment: what it needs to start and to find its login."""
        passed = {
            name: value
            for name, value in env.items()
            if name in _PASSED or name.startswith(("LC_", *self.variables, *self.logins))
        }
        state = {self.state: str(folder / "state")} if self.state else {}
        return {**passed, **state, **dict(self.sets), "LERIM_CHILD": "1", "NO_COLOR": "1", "TERM": "dumb"}

    def _why(self, code: int, spoken: ProgramSpeech, complaint: str) -> ProgramFailure | None:
        """Why there is no answer, by its envelope, its exit code and what it complains of."""
        if code == 0 and spoken.problem is None:
            return None
        if spoken.problem is None and (spoken.structured or answer_in(spoken.text)) is not None:
            return None
        why = _short(spoken.problem or complaint or f"it ended with code {code}")
        if _LIMITED.search(why):
            return ProgramFailure("limit", why)
        return ProgramFailure("login" if _LOGGED_OUT.search(why) else "failed", why)


# --- processes --------------------------------------------------------------------------------------------------------


async def _read(stream: asyncio.StreamReader | None, most: int, *, cut: bool = False) -> str:
    assert stream is not None
    pieces, left = [], most
    while piece := await stream.read(65_536):
        if len(piece) > left and not cut:
            raise ProgramFailure("failed", f"it printed more than {most:,} bytes")
        pieces.append(piece[: max(left, 0)])
        left -= len(piece)
    return b"".join(pieces).decode("utf-8", "replace")


async def _feed(process: asyncio.subprocess.Process, prompt: str) -> None:
    assert process.stdin is not None
    # One that ends before it has read everything says why itself.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(prompt.encode("utf-8", "replace"))
        await process.stdin.drain()
    with contextlib.suppress(OSError):
        process.stdin.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a program and all it started, however far it came."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(ProcessLookupError):
        await process.wait()


# --- what they print --------------------------------------------------------------------------------------------------


def objects_in(printed: str) -> Iterator[dict[str, Any]]:
    """The JSON objects that a program printed, one after the other, whatever stands between them."""
    decoder = json.JSONDecoder()
    at = printed.find("{")
    while at >= 0:
        try:
            found, at = decoder.raw_decode(printed, at)
        except (ValueError, RecursionError):
            # Not the beginning of one: the next line may be.
            line = printed.find("\n", at)
            at = printed.find("{", line) if line >= 0 else -1
            continue
        if isinstance(found, dict):
            yield found
        at = printed.find("{", at)


def answer_in(text: str) -> dict[str, Any] | None:
    """The JSON object in a text: alone, fenced, or after some talk. The largest counts."""
    found = list(objects_in(text)) or list(_anywhere(text))
    return max(found, key=lambda one: len(str(one)), default=None)


def _anywhere(text: str) -> Iterator[dict[str, Any]]:
    """The first object that begins at any brace: talk may hold braces, too."""
    decoder = json.JSONDecoder()
    for match in list(re.finditer(r"\{", text))[:200]:
        with contextlib.suppress(ValueError, RecursionError):
            found, _ = decoder.raw_decode(text, match.start())
            if isinstance(found, dict):
                yield found
                return


def strict(schema: Any) -> Any:
    """The schema as strict readers want it: nothing beyond its properties, and all of them there."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    inner = {name: strict(value) for name, value in schema.items() if name != "default"}
    if isinstance(inner.get("properties"), Mapping):
        inner["additionalProperties"] = False
        inner["required"] = list(inner["properties"])
    return inner


def _short(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _LONGEST_REASON else line[:_LONGEST_REASON] + "…"


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 20_000_000 else 0


def _of(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _last(printed: Sequence[dict[str, Any]], kind: str) -> Mapping[str, Any]:
    return next((one for one in reversed(printed) if one.get("type") == kind), {})


def _read_result(printed: Sequence[dict[str, Any]]) -> ProgramSpeech:
    """The envelope of Claude Code and Cursor: one object of the type `result`."""
    result = _last(printed, "result")
    if not result:
        return ProgramSpeech(problem=None if not printed else "it printed no result")
    usage, cost = _of(result.get("usage")), result.get("total_cost_usd")
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    tokens = Tokens(sum(_count(usage.get(name)) for name in read), _count(usage.get("output_tokens")))
    text, structured = result.get("result"), result.get("structured_output")
    failed = result.get("is_error") or str(result.get("subtype", "success")).startswith("error")
    return ProgramSpeech(
        text if isinstance(text, str) else "",
        structured if isinstance(structured, dict) else None,
        tokens,
        float(cost) if isinstance(cost, int | float) else None,
        str(text or result.get("subtype") or "it failed") if failed else None,
    )


def _read_codex(printed: Sequence[dict[str, Any]]) -> ProgramSpeech:
    """Events. Items of the type `error` are warnings of a run that succeeds."""
    items = [_of(one.get("item")) for one in printed if one.get("type") == "item.completed"]
    text = next((str(item.get("text", "")) for item in reversed(items) if item.get("type") == "agent_message"), "")
    usage = _of(_last(printed, "turn.completed").get("usage"))
    failed = _last(printed, "turn.failed") or (_last(printed, "error") if not text else {})
    why = _of(failed.get("error")).get("message") or failed.get("message")
    tokens = Tokens(_count(usage.get("input_tokens")), _count(usage.get("output_tokens")))
    return ProgramSpeech(text, tokens=tokens, problem=str(why or "it failed") if failed else None)


def _read_gemini(printed: Sequence[dict[str, Any]]) -> ProgramSpeech:
    envelope = next((one for one in printed if "response" in one or "error" in one), {})
    models = [_of(_of(one).get("tokens")) for one in _of(_of(envelope.get("stats")).get("models")).values()]
    tokens = Tokens(sum(_count(m.get("prompt")) for m in models), sum(_count(m.get("candidates")) for m in models))
    error = envelope.get("error")
    why = str(_of(error).get("message") or error) if error else None
    return ProgramSpeech(str(envelope.get("response") or ""), tokens=tokens, problem=why)


def _read_copilot(printed: Sequence[dict[str, Any]]) -> ProgramSpeech:
    texts = [_of(one.get("data")).get("content") for one in printed if one.get("type") == "assistant.message"]
    text = next((part for part in reversed(texts) if isinstance(part, str) and part.strip()), "")
    error = _of(_last(printed, "session.error").get("data")).get("message") if not text else None
    return ProgramSpeech(text, problem=str(error) if error else None)


def _read_opencode(printed: Sequence[dict[str, Any]]) -> ProgramSpeech:
    parts = [_of(one.get("part")) for one in printed if one.get("type") == "text"]
    text = "".join(str(part.get("text", "")) for part in parts)
    steps = [_of(one.get("part")) or one for one in printed if one.get("type") == "step_finish"]
    used = [_of(step.get("tokens")) for step in steps]
    tokens = Tokens(sum(_count(u.get("input")) for u in used), sum(_count(u.get("output")) for u in used))
    error = _last(printed, "error")
    why = _of(_of(error.get("error")).get("data")).get("message") or error.get("message") or "it failed"
    return ProgramSpeech(text, tokens=tokens, problem=str(why) if error else None)


# --- how they are called ----------------------------------------------------------------------------------------------


def _chosen(flag: str, model: str) -> list[str]:
    return [flag, model] if model else []


def _claude(call: ProgramCall) -> list[str]:
    isolated = ["--tools", "", "--no-session-persistence", "--setting-sources", "", "--strict-mcp-config"]
    isolated += ["--disable-slash-commands"]
    asked = ["--system-prompt", call.system or "Answer as you are asked.", "--json-schema", json.dumps(call.schema)]
    return ["-p", "--output-format", "json", *isolated, *asked, *_chosen("--model", call.model)]


def _codex(call: ProgramCall) -> list[str]:
    off = ("hooks", "shell_tool", "unified_exec", "multi_agent", "goals", "apps", "plugins")
    isolated = ["--ephemeral", "--skip-git-repo-check", "-s", "read-only", "--ignore-user-config"]
    isolated += [word for feature in off for word in ("--disable", feature)]
    settings = ["-c", "web_search=disabled", "-c", "project_doc_max_bytes=0"]
    schema = ["--output-schema", str(call.folder / "schema.json")]
    return ["exec", "--json", *isolated, *settings, *schema, *_chosen("-m", call.model), "-"]


def _gemini(call: ProgramCall) -> list[str]:
    state = call.folder / "state" / ".gemini"
    state.mkdir(parents=True)
    # It takes a key for what it is only when it is told so: another address, or a key of Vertex, confuses it.
    login = {"auth": {"selectedType": "gemini-api-key" if call.env.get("GEMINI_API_KEY") else "vertex-ai"}}
    quiet = {"hooksConfig": {"enabled": False}, "tools": {"core": []}, "mcpServers": {}, "security": login}
    (state / "settings.json").write_text(json.dumps(quiet))
    # What comes on its standard input is put before this.
    asked = ["-p", "Answer as asked above.", "-o", "json", "--approval-mode", "plan", "--skip-trust"]
    return [*asked, *_chosen("-m", call.model)]


def _copilot(call: ProgramCall) -> list[str]:
    # An empty list of tools means all of them; one that there is not means none.
    isolated = ["--available-tools=nosuchtool", "--no-custom-instructions", "--disable-builtin-mcps", "--no-ask-user"]
    return ["-s", "--output-format", "json", *isolated, *_chosen("--model", call.model)]


def _opencode(call: ProgramCall) -> list[str]:
    return ["run", "--format", "json", "--pure", "--title", "lerim", *_chosen("-m", call.model)]


def _cursor(call: ProgramCall) -> list[str]:
    where = ["--mode", "ask", "--trust", "--workspace", str(call.folder / "work")]
    return ["-p", "--output-format", "json", *where, *_chosen("--model", call.model)]


_GITHUB = ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL")
_CLOUDS = ("AWS_", "CLOUD_ML_REGION", "GOOGLE_APPLICATION_CREDENTIALS")
_CLAUDES = ("ANTHROPIC_", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_", *_CLOUDS)
_GEMINIS = ("GOOGLE_CLOUD_", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "GOOGLE_GENAI_")
_OPENCODES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "XDG_")
_NO_TOOLS = (
    ("OPENCODE_PERMISSION", json.dumps({"*": "deny", "edit": "deny", "bash": "deny", "webfetch": "deny"})),
    ("OPENCODE_DISABLE_CLAUDE_CODE", "1"),
    # Its database of sessions: this one is gone with the call.
    ("OPENCODE_DB", ":memory:"),
)

#: The programs there are, by the provider that settings name.
PROGRAMS: Mapping[Provider, Program] = {
    program.provider: program
    for program in (
        Program(
            Provider.CLAUDE,
            "claude",
            "Claude Code",
            _claude,
            _read_result,
            _CLAUDES,
            takes_schema=True,
            takes_system=True,
        ),
        Program(
            Provider.CODEX,
            "codex",
            "Codex",
            _codex,
            _read_codex,
            ("CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY"),
            takes_schema=True,
        ),
        Program(
            Provider.GEMINI,
            "gemini",
            "Gemini CLI",
            _gemini,
            _read_gemini,
            _GEMINIS,
            state="GEMINI_CLI_HOME",
            logins=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
        Program(
            Provider.COPILOT,
            "copilot",
            "Copilot CLI",
            _copilot,
            _read_copilot,
            ("COPILOT_PROVIDER_", "COPILOT_MODEL", "COPILOT_OFFLINE"),
            state="COPILOT_HOME",
            logins=_GITHUB,
        ),
        Program(Provider.OPENCODE, "opencode", "OpenCode", _opencode, _read_opencode, _OPENCODES, sets=_NO_TOOLS),
        Program(Provider.CURSOR, "cursor-agent", "Cursor", _cursor, _read_result, ("CURSOR_API_KEY",)),
    )
}
