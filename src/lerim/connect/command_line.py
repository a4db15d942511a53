"""The words that agents start Lerim with, quoted for the shell that will read them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lerim.dataclass import dataclass

#: What marks a command as ours, whatever program path stands before it.
HOOK_WORDS = "hook {event} --agent {agent}"


@dataclass(frozen=True)
class Launcher:
    """How Lerim is started: its program, and the folder it keeps its things in when that is not the usual one."""

    program: str
    home: str | None = None
    windows: bool = False

    def hook(self, event: str, agent: str) -> str:
        """The command of a hook, for a shell: `sh`, `bash`, or `cmd` on Windows."""
        words = HOOK_WORDS.format(event=event, agent=agent)
        if self.windows:
            # Slashes and double quotes are what cmd, bash and PowerShell all take.
            return f"{windows_quoted(self.program)} {words}"
        prefix = f"LERIM_HOME={shlex.quote(self.home)} " if self.home else ""
        return f"{prefix}{shlex.quote(self.program)} {words}"

    def powershell(self, event: str, agent: str) -> str:
        """The same for PowerShell, which would print a path in quotes instead of running it."""
        prefix = f"$env:LERIM_HOME={_powershell_quoted(self.home)}; " if self.home else ""
        program = self.program.replace("\\", "/") if self.windows else self.program
        return f"{prefix}& {_powershell_quoted(program)} {HOOK_WORDS.format(event=event, agent=agent)}"

    @property
    def env(self) -> dict[str, str]:
        """What the environment of a server must say."""
        return {"LERIM_HOME": self.home} if self.home else {}

    def mcp(self, **more: object) -> dict[str, object]:
        """The entry of the server, as most agents want it."""
        kind = {"type": more.pop("type")} if "type" in more else {}
        env = {"env": self.env} if self.env else {}
        return {**kind, "command": self.program, "args": ["mcp"], **env, **more}


def windows_quoted(program: str) -> str:
    return f'"{program.replace(chr(92), "/")}"'


def _powershell_quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def find_program(argv: Sequence[str], env: Mapping[str, str]) -> str:
    """The absolute path of the `lerim` that runs. A link to it is kept: it survives updates, and agents that trust a
    command trust its words."""
    typed = Path(argv[0]) if argv else Path()
    if typed.name.lower() in ("lerim", "lerim.exe"):
        found = str(typed) if typed.parent.name or typed.is_absolute() else _on_path(typed.name, env)
        if found and Path(found).is_file():
            return str(Path(found).absolute())
    beside = Path(sys.executable).parent / ("lerim.exe" if os.name == "nt" else "lerim")
    return str(beside) if beside.is_file() else _on_path("lerim", env) or "lerim"


def is_passing(program: str) -> bool:
    """Whether a program lies in a cache, from which it may be gone tomorrow: as with `uvx` and `pipx run`."""
    return any(part == ".cache" or part.startswith("archive-v") for part in Path(program).parts)


def _on_path(name: str, env: Mapping[str, str]) -> str | None:
    from shutil import which  # Start-up: only who connects an agent needs it.

    return which(name, path=env.get("PATH"))
