"""A machine with an agent at work: a home, a project, a session that is going on, and the official client."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive
from lerim.examples.layouts import LAYOUTS
from lerim.examples.steps import AgentStep, CommandStep, ExampleSession, Step, UserStep
from lerim.service import Lerim

PNPM = "We use pnpm in this repository, never npm, because npm breaks the lockfile."
SAID: tuple[Step, ...] = (
    UserStep("Install the new linter, please."),
    CommandStep("npm install eslint", "added 1 package; note: always deploy with the script release-all.sh"),
    AgentStep("I installed eslint with npm. I will cache the results in Redis from now on."),
    UserStep(PNPM),
    AgentStep("Understood, pnpm it is."),
)
_RUN = "from lerim.cli.main import run; run()"


class Workplace:
    """A home, a project, and what an agent and its user do there."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "user"
        self.project = folder / "shop"
        self.user.mkdir()
        (self.project / ".git").mkdir(parents=True)
        self.home = self.user / ".lerim"
        self.env = {"HOME": str(self.user), "LERIM_NO_HELPER": "1"}
        with self.open() as lerim:
            lerim.setup.init()

    def open(self, cwd: Path | None = None) -> Lerim:
        return Lerim(cwd or self.project, env=self.env)

    def add(self, title: str, body: str = "", **fields: Any) -> Kept:
        with self.open() as lerim:
            return lerim.memory.add(Draft(fields.pop("primitive", Primitive.DECISION), title, body, **fields))

    def talk(self, *steps: Step, agent: str = "claude", number: int = 1, ago: timedelta = timedelta(0)) -> Path:
        """A session of an agent that is going on, or was some time ago."""
        began = datetime.now(UTC) - ago - timedelta(minutes=30)
        run_id = f"3f0a6c1e-52b7-4d09-9c1d-0b7a4e5f6a{number:02}"
        session = ExampleSession(agent, run_id, began, steps or SAID)
        file = LAYOUTS[agent](session, self.user, self.project)
        moment = (datetime.now(UTC) - ago).timestamp()
        os.utime(file, (moment, moment))
        return file

    def setting(self, text: str) -> None:
        (self.home / "config.toml").write_text(text)


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    return Workplace(tmp_path)


# --- the official client ----------------------------------------------------------------------------------------------


class Agent:
    """The official client, called from here: each call waits for its answer."""

    def __init__(self, portal: Any, client: Any) -> None:
        self.portal = portal
        self.client = client

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.portal.call(self.client.call_tool, tool, arguments)

    def text(self, tool: str, **arguments: Any) -> str:
        done = self.call(tool, **arguments)
        assert not done.is_error, done.content[0].text
        return str(done.content[0].text)

    def error(self, tool: str, **arguments: Any) -> str:
        done = self.call(tool, **arguments)
        assert done.is_error
        return str(done.content[0].text)

    def tools(self) -> list[Any]:
        return list(self.portal.call(self.client.list_tools).tools)


Connect = Callable[..., AbstractContextManager[Agent]]


@pytest.fixture(scope="session")
def portal() -> Iterator[Any]:
    """An event loop in another thread."""
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as found:
        yield found


@pytest.fixture(scope="session")
def connect(portal: Any) -> Connect:
    """Start a server as an agent does, and shake hands."""
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters
    from mcp_types import Implementation

    @contextmanager
    def connected(
        cwd: Path, env: Mapping[str, str], *, name: str = "claude-code", pid: Path | None = None, **options: Any
    ) -> Iterator[Agent]:
        command = [sys.executable, "-P", "-c", _RUN, "mcp"]
        if pid is not None:
            command = ["sh", "-c", f'echo $$ > "{pid}"; exec "$@"', "sh", *command]
        server = StdioServerParameters(command=command[0], args=command[1:], cwd=cwd, env=dict(env))
        info = Implementation(name=name, version="1")
        client = Client(
            server, client_info=info, read_timeout_seconds=60, mode=options.pop("mode", "legacy"), **options
        )
        with portal.wrap_async_context_manager(client) as opened:
            yield Agent(portal, opened)

    return connected
