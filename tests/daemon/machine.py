"""A machine with agents' sessions on it and a daemon that works there, as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lerim
from lerim.context.filters import ANY
from lerim.daemon.address import daemon_address
from lerim.daemon.report import DaemonState, daemon_state
from lerim.examples import install
from lerim.service import Lerim
from lerim.sessions.session import Session

PACKAGE = str(Path(lerim.__file__).parents[1])
RUN = "from lerim.cli.main import run; run()"
CLAUDE, CODEX = "3f0a6c1e", "019e8f41"

#: A daemon whose surroundings a test can change: its battery is a file, files say how long it slept and how wrong the
#: clock on the wall is, and events may be missing.
OTHER_WORLD = """
import os, sys
from datetime import timedelta
from pathlib import Path
from lerim.daemon.address import daemon_address
from lerim.daemon.folder_events import FolderEvents, folder_events
from lerim.daemon.log import DaemonLog
from lerim.daemon.supervisor import Daemon, DaemonWorld, Habits, awake_ticks, local_now

here, is_deaf = Path(sys.argv[1]), "deaf" in sys.argv
address = daemon_address(os.environ)

def said(name):
    try:
        return float((here / name).read_text())
    except (OSError, ValueError):
        return 0.0

class LateEvents(FolderEvents):
    # Somebody puts an agent's folder back just before it is waited for.
    def watch(self, wanted):
        if ".claude" in wanted.born.get(str(here / "agents"), ()) and (here / "away").exists():
            (here / "away").rename(here / "agents" / ".claude")
        return super().watch(wanted)

world = DaemonWorld(
    address,
    dict(os.environ),
    lambda: Habits(0.0, 1.0 if is_deaf else 3600.0, 3, True, False),
    lambda: False,
    DaemonLog(Path(address.home)),
    ticks=lambda: awake_ticks() + said("slept"),
    wall=lambda: local_now() + timedelta(seconds=said("slept") + said("wrong")),
    on_battery=(here / "battery").exists,
    events=(lambda: None) if is_deaf else LateEvents if "late" in sys.argv else folder_events,
    tick=0.2,
    burst=0.1,
)
print(Daemon(world).run())
"""


def wait_for(what: Callable[[], Any], seconds: float = 240.0) -> Any:
    """What comes sooner or later; a hung process is a failure, not a hang."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := what():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


class DaemonMachine:
    """A home, a project, sessions of agents, and `lerim` as people run it."""

    def __init__(self, folder: Path, *, quiet_minutes: int = 0, sessions: bool = True) -> None:
        self.folder = folder
        self.project = folder / "berths"
        self.home = folder / ".lerim"
        self.project.mkdir()
        self.env = {**os.environ, "HOME": str(folder), "LERIM_HOME": str(self.home), "LERIM_NO_HELPER": "1"}
        self.env.pop("LERIM_CONFIG", None)
        self.started: list[subprocess.Popen[str]] = []
        if sessions:
            install(folder, self.project, datetime.now(UTC) - timedelta(hours=1))
            self.keep(CLAUDE, CODEX)
        with Lerim(self.project, env=self.env) as opened:
            opened.setup.init()
        (self.home / "config.toml").write_text(
            f"[daemon]\nquiet_minutes = {quiet_minutes}\n[embeddings]\nenabled = false\n"
        )
        address = daemon_address(self.env)
        assert address is not None
        self.address = address

    def keep(self, *names: str) -> None:
        for folder in (".claude", ".codex", ".gemini", ".pi"):
            for path in (self.folder / folder).rglob("*.json*"):
                if not any(name in path.name for name in names):
                    path.unlink()

    def file(self, name: str) -> Path:
        return next(path for folder in (".claude", ".codex") for path in (self.folder / folder).rglob(f"*{name}*"))

    # Processes

    def command(self, *words: str, program: str = RUN, **env: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, *words],
            cwd=self.project,
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.started.append(process)
        return process

    def said(self, *words: str, code: int = 0, **env: str) -> str:
        process = self.command(*words, **env)
        out, _ = process.communicate(timeout=120)
        assert code == process.returncode, out
        return out

    def daemon(self, **env: str) -> subprocess.Popen[str]:
        """One that runs, once it is there."""
        return self.there(self.command("daemon", "run", **env))

    def other_daemon(self, *words: str) -> subprocess.Popen[str]:
        return self.there(self.command(str(self.folder), *words, program=OTHER_WORLD))

    def there(self, process: subprocess.Popen[str]) -> subprocess.Popen[str]:
        wait_for(lambda: process.poll() is not None or ((state := self.state()) and state.pid == process.pid))
        return process

    def state(self) -> DaemonState | None:
        return daemon_state(self.address)

    def rests(self) -> DaemonState | None:
        """The daemon, once it has looked and waits."""
        state = self.state()
        return state if state and state.answers and not state.doing and self.catalog.exists() else None

    def end(self) -> None:
        """Nobody outlives a test."""
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(60)
                process.kill()
            process.communicate()

    # What there is

    @property
    def catalog(self) -> Path:
        return self.home / "index" / "sessions.sqlite3"

    def states(self) -> dict[str, str]:
        """The states of the sessions, by the beginning of their ids; nothing is looked for anew."""
        if not self.catalog.exists():
            return {}
        with closing(sqlite3.connect(self.catalog, timeout=60)) as database:
            try:
                return {run_id[:8]: state for run_id, state in database.execute("SELECT run_id, state FROM sessions")}
            except sqlite3.OperationalError:
                return {}

    def are(self, *states: str) -> Callable[[], bool]:
        return lambda: sorted(states) == sorted(self.states().values())

    def sessions(self) -> dict[str, Session]:
        with Lerim(self.project, env=self.env) as opened:
            return {session.run_id[:8]: session for session in opened.sessions.queue.list()}

    def memories(self) -> Counter[tuple[str, str]]:
        with Lerim(self.project, env=self.env) as opened:
            return Counter((str(k.record.primitive), k.record.title) for k in opened.memory.select(ANY))

    def is_sound(self) -> None:
        with Lerim(self.project, env=self.env) as opened:
            assert [] == [f"{found.where}: {found.what}" for found in opened.memory.check()]
            assert opened.sessions.audit().is_whole

    def say_more(self, name: str, words: str) -> None:
        """The user goes on in a Claude Code session."""
        file = self.file(name)
        last = json.loads(file.read_text("utf-8").splitlines()[-1])
        more = {**last, "type": "user", "uuid": f"more-{len(words)}", "parentUuid": last.get("uuid")}
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps({**more, "message": {"role": "user", "content": words}}) + "\n")
