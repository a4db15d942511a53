"""The file by which the system's service manager starts the daemon with the session: written whole, and taken back.

A systemd user unit or a launchd agent. Nothing in it goes through a shell, and it names the very interpreter that wrote
it. A file of that name which somebody else wrote is left alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import NamedTuple
from xml.sax.saxutils import escape

from lerim.config.layers import user_home
from lerim.daemon.helper import RUN
from lerim.errors import Conflict, UsageError
from lerim.private import TEMP_SUFFIX

UNIT, LABEL = "lerim.service", "lerim.daemon"
MARK = "Written by 'lerim daemon install'; 'lerim daemon uninstall' removes it."
_SECONDS = 30.0
#: What of the environment the daemon needs: where Lerim and the agents keep things, and where programs are. No key.
_PASSED = (
    *("PATH", "LERIM_HOME", "LERIM_CONFIG", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TZ", "AIDER_CHAT_HISTORY_FILE"),
    *("CLAUDE_CONFIG_DIR", "CLINE_DIR", "CODEX_HOME", "CONTINUE_GLOBAL_DIR", "COPILOT_HOME", "CRUSH_GLOBAL_DATA"),
    *("CURSOR_CONFIG_DIR", "GEMINI_CLI_HOME", "GOOSE_PATH_ROOT", "GROK_HOME", "KIMI_CODE_HOME", "KIMI_SHARE_DIR"),
    *("KIRO_HOME", "OPENCLAW_STATE_DIR", "OPENHANDS_CONVERSATIONS_DIR", "OPENHANDS_PERSISTENCE_DIR"),
    *("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "QWEN_RUNTIME_DIR"),
)


Commands = tuple[tuple[str, ...], ...]


class ServiceFile(NamedTuple):
    """The file, what is in it, and the commands that make the service manager take it and leave it."""

    path: Path
    text: str
    activate: Commands
    deactivate: Commands
    #: What the manager does about a file that is not as it was; it may well not know it yet.
    renew: Commands = ()
    #: What it has to hear of once the file is gone.
    forget: Commands = ()


class ServiceChange(NamedTuple):
    """What was done: whether the file changed, and which command failed and why, if one did."""

    path: Path
    has_changed: bool
    failed: str | None = None


def service_file(home: Path, env: Mapping[str, str], platform: str = sys.platform) -> ServiceFile:
    """The one of this system. Raises UsageError where no service manager is known."""
    passed = {name: env[name] for name in _PASSED if env.get(name)}
    for name, value in passed.items():
        if any(ord(character) < 32 for character in value):
            raise UsageError(f"{name} has a line end or another control character in it", hint=f"unset {name}")
    argv = [sys.executable, "-P", "-c", RUN, "daemon", "run"]
    if platform == "darwin":
        return _launchd(home, argv, passed)
    if platform == "linux":
        config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
        return _systemd(config / "systemd" / "user" / UNIT, argv, passed)
    raise UsageError("no service manager of this system is known", hint="lerim daemon run")


def _systemd(path: Path, argv: Sequence[str], env: Mapping[str, str]) -> ServiceFile:
    lines = [
        f"# {MARK}",
        "[Unit]",
        "Description=Lerim, the memory of your coding agents",
        "",
        "[Service]",
        f"ExecStart={' '.join(map(_quoted_argument, argv))}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in env.items()),
        "Restart=on-failure",
        "RestartSec=30",
        # The daemon lets the session at hand be finished or given back; who is left after that is ended.
        "KillMode=mixed",
        "TimeoutStopSec=60",
        "NoNewPrivileges=yes",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    control = ("systemctl", "--user")
    return ServiceFile(
        path,
        "\n".join(lines),
        ((*control, "daemon-reload"), (*control, "enable", "--now", UNIT)),
        ((*control, "disable", "--now", UNIT),),
        renew=((*control, "daemon-reload"), (*control, "try-restart", UNIT)),
        forget=((*control, "daemon-reload"),),
    )


def _quoted(text: str) -> str:
    """A word as systemd reads it: in quotes, with nothing that it would replace."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _quoted_argument(text: str) -> str:
    return _quoted(text).replace("$", "$$")


def _launchd(home: Path, argv: Sequence[str], env: Mapping[str, str]) -> ServiceFile:
    path = home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    words = "".join(f"\n    <string>{escape(word)}</string>" for word in argv)
    passed = "".join(f"\n    <key>{escape(name)}</key><string>{escape(value)}</string>" for name, value in env.items())
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key><string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>{words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>{passed}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ThrottleInterval</key><integer>30</integer>
  <key>ExitTimeOut</key><integer>60</integer>
</dict>
</plist>
"""
    domain = f"gui/{os.getuid()}"
    control = "launchctl"
    return ServiceFile(
        path,
        text,
        ((control, "bootstrap", domain, str(path)),),
        ((control, "bootout", f"{domain}/{LABEL}"),),
        renew=((control, "bootout", f"{domain}/{LABEL}"),),
    )


def installed_in(env: Mapping[str, str]) -> Path | None:
    """Where the file of this system and user lies; None when it is not there, or there can be none."""
    try:
        return installed_at(service_file(user_home(env), env))
    except UsageError:
        return None


def installed_at(file: ServiceFile) -> Path | None:
    """Where the file of ours lies; None when it is not there."""
    return file.path if _is_ours(file.path) else None


def install(file: ServiceFile, env: Mapping[str, str]) -> ServiceChange:
    """Write the file and have it taken. Raises Conflict for a file that is not ours, and OSError."""
    before = _read(file.path)
    _require_ours(file.path, before)
    has_changed = before != file.text
    if has_changed:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        _put(file.path, file.text)
    if before is not None:
        _run_all(file.renew, env)  # One that runs by the file of before; one that is known is not taken a second time.
    return ServiceChange(file.path, has_changed, _run_all(file.activate, env))


def uninstall(file: ServiceFile, env: Mapping[str, str]) -> ServiceChange:
    """Have it left, and take the file away. Raises Conflict for a file that is not ours, and OSError."""
    before = _read(file.path)
    if before is None:
        return ServiceChange(file.path, False)
    _require_ours(file.path, before)
    failed = _run_all(file.deactivate, env)
    file.path.unlink()
    for folder in (file.path.parent, file.path.parent.parent):
        with suppress(OSError):  # Only what is empty, and as far as it is the manager's.
            if folder.name in ("user", "systemd"):
                folder.rmdir()
    return ServiceChange(file.path, True, failed or _run_all(file.forget, env))


def _put(path: Path, text: str) -> None:
    """Whole or not at all; for everybody to read, as other units are, and for nobody else to write."""
    fresh = path.with_name(f".{path.name}{TEMP_SUFFIX}")
    fresh.write_text(text, "utf-8")
    fresh.chmod(0o644)
    fresh.replace(path)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None


def _is_ours(path: Path) -> bool:
    try:
        return MARK in (_read(path) or "")
    except OSError:
        return False


def _require_ours(path: Path, text: str | None) -> None:
    if text is not None and MARK not in text:
        raise Conflict(
            f"{path} is there, and Lerim did not write it; it was left as it is", hint=f"mv {path} {path}.away"
        )


def _run_all(commands: Sequence[Sequence[str]], env: Mapping[str, str]) -> str | None:
    """Run commands until one fails: what went wrong, in words."""
    for command in commands:
        program = which(command[0], path=env.get("PATH"))
        if program is None:
            return f"{command[0]} is not here"
        try:
            done = subprocess.run([program, *command[1:]], capture_output=True, env=dict(env), timeout=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{' '.join(command)}: {error}"
        if done.returncode:
            errors = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return f"{' '.join(command)}: {errors[-1] if errors else f'exit code {done.returncode}'}"
    return None
