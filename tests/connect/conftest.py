"""A home with a rendered brief, and the real hook, called as agents call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lerim
from lerim.views.shelf import digest_of, folder

PACKAGE = str(Path(lerim.__file__).parents[1])
PROGRAM = f"import sys; sys.path.insert(0, {PACKAGE!r}); from lerim.cli.main import run; run()"
BRIEF = "# Brief\n\n- Install with pnpm, never with npm. (mem-1)\n- Tests need the database. (mem-2)\n"


class Hooks:
    """Hooks of one home, called in one project."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "lerim home", folder / "my project"
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir(mode=0o700)
        self.env = {"HOME": str(folder), "LERIM_HOME": str(self.home), "PATH": os.defpath, "PYTHONUTF8": "1"}
        self.put_brief(self.project, BRIEF)

    def put_brief(self, root: Path | None, text: str) -> None:
        """As the views leave one on disk."""
        place = Path(folder(str(self.home), None if root is None else str(root)))
        place.mkdir(parents=True, exist_ok=True)
        data, said = text.encode(), None if root is None else str(root)
        (place / "CONTEXT_BRIEF.md").write_bytes(data)
        manifest = {"view": "brief", "root": said, "digest": digest_of(data), "records": ["mem-1", "mem-2"]}
        (place / "CONTEXT_BRIEF.manifest.json").write_text(json.dumps(manifest))

    def argv(self, event: str, agent: str) -> list[str]:
        return [sys.executable, "-P", "-c", PROGRAM, "hook", event, "--agent", agent]

    def call(self, event: str, agent: str, said: Any = None, **more: Any) -> str:
        """What a hook prints. It fails nobody and complains to nobody."""
        payload = said if isinstance(said, bytes) else json.dumps(said or {}).encode()
        more = {"input": payload, "cwd": self.project, "env": self.env, **more}
        done = subprocess.run(self.argv(event, agent), capture_output=True, timeout=30, check=False, **more)
        assert (0, b"") == (done.returncode, done.stderr)
        return done.stdout.decode()

    def start(self, session: str = "s1", agent: str = "claude", event: str = "session-start", **said: Any) -> str:
        """What a session is told when it starts."""
        named = {"session_id": session, "cwd": str(self.project), "source": "startup", **said}
        return told(self.call(event, agent, named))

    @property
    def spool(self) -> Path:
        return self.home / "spool"

    def events(self) -> list[dict[str, Any]]:
        path = self.spool / "events.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def served(self) -> list[dict[str, Any]]:
        return [json.loads(file.read_text()) for file in sorted(self.spool.glob("served/*.json"))]

    def errors(self) -> str:
        path = self.spool / "errors.log"
        return path.read_text() if path.exists() else ""


def told(printed: str) -> str:
    """The text in what a hook printed, whatever shape it has."""
    if not printed.startswith("{"):
        return printed
    answer = json.loads(printed)
    nested = answer.get("hookSpecificOutput", {})
    names = ("additionalContext", "additional_context", "contextModification")
    return next((found[name] for found in (nested, answer) for name in names if name in found), "")


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path.resolve())
