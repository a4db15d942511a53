"""A machine for one agent: its real program, a home, a project, and a scripted server as its model."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .hosts import HOSTS, Ended, Host, path, run
from .install import PACKAGES
from .server import ScriptedServer

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Machine:
    """Nothing of the real machine is seen but the program."""

    host: Host
    folder: Path
    server: ScriptedServer

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def env(self) -> dict[str, str]:
        """Whatever is not on this machine is refused by the server, which is the proxy."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), self.server.address)
        found = {"PATH": path(self.folder / "bin"), "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}
        own = {"LERIM_NO_HELPER": "1", "NO_PROXY": "127.0.0.1,localhost", "TMPDIR": str(self.folder / "tmp")}
        return {**found, **proxies, **own, **self.host.environment(self.server.address)}

    def lerim(self, *words: str, code: int = 0) -> Ended:
        ended = run((str(self.folder / "bin" / "lerim"), *words), self.project, self.env)
        assert code == ended.code, f"lerim {' '.join(words)}: {ended.out} {ended.err}"
        return ended

    def json(self, *words: str) -> Any:
        return json.loads(self.lerim(*words, "--json").out)

    def agent(self, *words: str, text: str) -> Ended:
        ended = run((*self.host.start, *words), self.project, self.env, text)
        assert ended.code == 0, f"{self.host.name}: {ended.out[-2000:]} {ended.err[-2000:]}"
        return ended


def build(name: str, folder: Path, server: ScriptedServer) -> Machine:
    if PACKAGES[name].program is None:
        pytest.skip(f"no {name} {PACKAGES[name].version}")
    machine = Machine(HOSTS[name], folder, server)
    for made in (machine.project / ".git", folder / "bin", folder / "tmp"):
        made.mkdir(parents=True)
    (folder / "bin" / "lerim").symlink_to(Path(sys.executable).parent / "lerim")
    machine.host.install(folder / "bin", machine.home, server.address)
    return machine


def each_agent(group: str) -> list[Any]:
    """One after the other, by the program: they are heavy."""
    marks = (pytest.mark.slow, pytest.mark.agents)
    return [pytest.param(name, marks=(*marks, pytest.mark.xdist_group(f"{group}-{name}"))) for name in HOSTS]


@pytest.fixture
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine with one agent, which nothing was done to yet."""
    with ScriptedServer() as server:
        yield build(request.param, tmp_path, server)
