"""What a person does who is asked by Codex whether hooks may run: look at them, and say yes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def hooks_of_codex(project: Path, env: Mapping[str, str]) -> list[dict[str, Any]]:
    """The hooks that Codex knows of, each with whether it is trusted."""
    with _app_server(project, env) as process:
        assert process.stdin is not None and process.stdout is not None
        for message in (
            {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "lerim-tests", "version": "1"}}},
            {"method": "initialized"},
            {"id": 1, "method": "hooks/list", "params": {"cwds": [str(project)]}},
        ):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        listed = next(answer["result"] for answer in answers if answer.get("id") == 1)
    return [hook for place in listed["data"] for hook in place["hooks"]]


def trust_hooks_of_codex(project: Path, env: Mapping[str, str]) -> None:
    """Write down the yes as Codex does."""
    said = [
        f"\n[hooks.state.{json.dumps(hook['key'])}]\ntrusted_hash = {json.dumps(hook['currentHash'])}\n"
        for hook in hooks_of_codex(project, env)
    ]
    with (Path(env["HOME"]) / ".codex" / "config.toml").open("a") as settings:
        settings.write("".join(said))


@contextlib.contextmanager
def _app_server(project: Path, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        ("codex", "app-server"),
        cwd=project,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
