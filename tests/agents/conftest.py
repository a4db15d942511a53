"""A machine for one agent: its real program, a home, a project, and a scripted server as its model."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .hosts import HOSTS, PATIENCE, Ended, Host, path, run
from .install import PACKAGES
from .server import Asked, Say, Script, ScriptedServer
from .trust import trust_hooks_of_codex

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Machine:
    """Nothing of the real machine is seen but the program. Its folders have names that have to be quoted."""

    host: Host
    folder: Path
    server: ScriptedServer

    @property
    def home(self) -> Path:
        return self.folder / "the home of ada"

    @property
    def programs(self) -> Path:
        return self.folder / "my programs"

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def env(self) -> dict[str, str]:
        """Whatever is not on this machine is refused by the server, which is the proxy."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), self.server.address)
        found = {"PATH": path(self.programs), "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}
        own = {"LERIM_NO_HELPER": "1", "NO_PROXY": "127.0.0.1,localhost", "TMPDIR": str(self.folder / "tmp")}
        return {**found, **proxies, **own, **self.host.environment(self.server.address)}

    def lerim(self, *words: str, code: int = 0) -> Ended:
        ended = run((str(self.programs / "lerim"), *words), self.project, self.env)
        assert code == ended.code, f"lerim {' '.join(words)}: {ended.out} {ended.err}"
        return ended

    def json(self, *words: str) -> Any:
        return json.loads(self.lerim(*words, "--json").out)

    def session(self, text: str, *words: str, resumed: bool = False, script: Script | None = None) -> list[Asked]:
        """Let the agent do something, and give what its model was asked for it."""
        self.server.script = script or Say("Done.")
        self.server.take()
        command = self.host.resume if resumed else self.host.start
        ended = run((*command, *words), self.project, self.env, text)
        assert ended.code == 0, f"{self.host.name}: {ended.out[-2000:]} {ended.err[-2000:]}"
        # Besides, some ask for a title.
        return [asked for asked in self.server.take() if asked.tools]

    def brief(self) -> str:
        """The brief as it lies on the shelf."""
        return Path(self.lerim("brief", "path").out.strip()).read_text()

    def trust(self) -> None:
        """Do what a person does who is asked whether the hooks may run. Codex alone asks."""
        if self.host.name == "codex":
            trust_hooks_of_codex(self.project, self.env)

    def sessions(self) -> list[dict[str, Any]]:
        """The sessions that Lerim knows, as soon as nothing is left to do about them."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            # Gemini has files for a moment that are gone when it ends.
            listed: list[dict[str, Any]] = self.json("sessions", "list", "--all")
            known = [session for session in listed if Path(session["path"]).exists()]
            if known and not {"pending", "running"} & {session["state"] for session in known}:
                break
            time.sleep(1)
        return known

    def noted(self) -> set[str]:
        """The sessions that hooks noted something of."""
        spool = self.home / ".lerim" / "spool"
        files = (*spool.glob("*.jsonl"), *spool.glob("served/*.json"))
        return {json.loads(line)["session"] for path in files for line in path.read_text().splitlines()}

    def end(self) -> None:
        """End what was left running, process by process, known by its home."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"HOME={self.home}\0".encode() in (folder / "environ").read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)


def build(name: str, folder: Path, server: ScriptedServer) -> Machine:
    if PACKAGES[name].program is None:
        pytest.skip(f"no {name} {PACKAGES[name].version}")
    machine = Machine(HOSTS[name], folder, server)
    for made in (machine.project / ".git", machine.programs, folder / "tmp"):
        made.mkdir(parents=True)
    (machine.programs / "lerim").symlink_to(Path(sys.executable).parent / "lerim")
    machine.host.install(machine.programs, machine.home, server.address)
    return machine


def each_agent(*names: str) -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.agents) for name in names or HOSTS]


@pytest.fixture
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine with one agent, which nothing was done to yet."""
    with ScriptedServer() as server:
        yield build(request.param, tmp_path, server)
