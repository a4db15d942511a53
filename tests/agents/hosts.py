"""How each agent's program is started without a person, and pointed at the scripted server.

A program is put on the path as a small script that sets the server's address and starts the real one: whoever starts
it (a test, or Lerim that lets it read) need not know.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lerim.config.settings import Provider

from .install import PACKAGES

#: Seconds after which a program is ended. The slowest takes eight on a small machine.
PATIENCE = 60


@dataclass(frozen=True)
class Host:
    """One agent's program: what it is told about the server, and how a session is begun and gone on with."""

    name: str
    provider: Provider
    #: A session that begins, and one that goes on; what is said comes by standard input.
    start: tuple[str, ...]
    resume: tuple[str, ...]
    #: Variables, with the server's address for {url}.
    variables: Mapping[str, str] = field(default_factory=dict)
    #: Arguments that name the server, before all others.
    arguments: tuple[str, ...] = ()
    #: Files in the home that stand there since the agent was first used.
    files: Mapping[str, str] = field(default_factory=dict)
    #: What its model calls Lerim's tools, with {} for the name.
    tools: str = "{}"
    #: Words that let it call them though nobody is there to be asked.
    allow: tuple[str, ...] = ()

    def install(self, folder: Path, home: Path, url: str) -> None:
        """Put the program on the path."""
        program = PACKAGES[self.name].program
        assert program is not None
        for path, text in self.files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text)
        sets = [f"export {name}={shlex.quote(value)}" for name, value in self.environment(url).items()]
        started = " ".join(shlex.quote(word.replace("{url}", url)) for word in (str(program), *self.arguments))
        script = folder / self.name
        script.write_text("\n".join(("#!/bin/sh", *sets, f'exec {started} "$@"', "")))
        script.chmod(0o755)

    def environment(self, url: str) -> dict[str, str]:
        """What a person would have set who uses the program with this server."""
        return {name: value.replace("{url}", url) for name, value in self.variables.items()}


@dataclass(frozen=True)
class Ended:
    """What a program did."""

    code: int
    out: str
    err: str


def run(command: tuple[str, ...], folder: Path, env: Mapping[str, str], text: str = "") -> Ended:
    """Run a program to its end, and end whatever it left behind."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        out, err = process.communicate(text, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        _kill(process.pid)
        out, err = process.communicate()
        raise AssertionError(f"{command[0]} did not end in {PATIENCE} seconds: {out[-500:]} {err[-500:]}") from None
    finally:
        _kill(process.pid)
    return Ended(process.returncode, out, err)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def path(folder: Path) -> str:
    """The scripts, what they need, and nothing else of the machine's."""
    node = shutil.which("node")
    return os.pathsep.join((str(folder), *([str(Path(node).parent)] if node else []), "/usr/bin", "/bin"))


_OPENCODE = {
    "provider": {
        "local": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "local",
            "options": {"baseURL": "{url}/v1", "apiKey": "key-of-nobody"},
            "models": {"scripted": {"name": "scripted"}},
        }
    },
    "model": "local/scripted",
}
# OpenCode fetches this package for the folder of its plugins, unless it is there; nothing of ours needs it.
_PLUGIN = {"dependencies": {"@opencode-ai/plugin": PACKAGES["opencode"].version}}
_GEMINI = ("gemini", "-o", "json", "--skip-trust", "-m", "gemini-2.5-pro")

HOSTS = {
    host.name: host
    for host in (
        Host(
            "claude",
            Provider.CLAUDE,
            start=("claude", "-p", "--output-format", "json"),
            resume=("claude", "-p", "--output-format", "json", "--continue"),
            variables={
                "ANTHROPIC_BASE_URL": "{url}",
                "ANTHROPIC_API_KEY": "key-of-nobody",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            },
            tools="mcp__lerim__{}",
            allow=("--allowedTools", "mcp__lerim"),
        ),
        Host(
            "codex",
            Provider.CODEX,
            start=("codex", "exec", "--json", "--skip-git-repo-check", "-"),
            resume=("codex", "exec", "resume", "--last", "--json", "--skip-git-repo-check", "-"),
            arguments=(
                "-c",
                'model_providers.local={name="local",base_url="{url}/v1",wire_api="responses"}',
                "-c",
                'model_provider="local"',
                "-c",
                'model="scripted"',
            ),
            tools="mcp__lerim.{}",
            allow=("-c", 'mcp_servers.lerim.default_tools_approval_mode="approve"'),
        ),
        Host(
            "gemini",
            Provider.GEMINI,
            start=_GEMINI,
            resume=(*_GEMINI, "--resume", "latest"),
            variables={
                "GOOGLE_GEMINI_BASE_URL": "{url}",
                "GEMINI_API_KEY": "key-of-nobody",
            },
            files={".gemini/settings.json": json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}})},
            tools="mcp_lerim_{}",
            allow=("--allowed-tools", "mcp_lerim_search", "--allowed-tools", "mcp_lerim_remember"),
        ),
        Host(
            "copilot",
            Provider.COPILOT,
            start=("copilot", "-s", "--output-format", "json"),
            resume=("copilot", "-s", "--output-format", "json", "--continue"),
            variables={
                "COPILOT_PROVIDER_BASE_URL": "{url}/v1",
                "COPILOT_PROVIDER_API_KEY": "key-of-nobody",
                "COPILOT_MODEL": "scripted",
                "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false",
            },
            tools="lerim-{}",
            allow=("--allow-tool=lerim",),
        ),
        Host(
            "opencode",
            Provider.OPENCODE,
            start=("opencode", "run", "--format", "json"),
            resume=("opencode", "run", "--format", "json", "--continue"),
            variables={
                "OPENCODE_CONFIG_CONTENT": json.dumps(_OPENCODE),
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
            },
            files={
                ".config/opencode/node_modules/.keep": "",
                ".config/opencode/package.json": json.dumps(_PLUGIN),
                ".config/opencode/package-lock.json": json.dumps({"packages": {"": _PLUGIN}}),
            },
            tools="lerim_{}",
        ),
    )
}
