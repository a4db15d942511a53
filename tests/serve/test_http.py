"""The server on a port: for whoever has the token, from this machine, and for no page of a browser."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lerim.errors import StoreError, UsageError
from lerim.serve.http import listen_on, token_in

from .conftest import Agent, Workplace

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


class Served(NamedTuple):
    """A server that runs, and what is needed to reach it."""

    url: str
    port: int
    token: str
    workplace: Workplace


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """As a person starts it."""
    with started(tmp_path_factory.mktemp("http"), "mcp", "--http") as running:
        yield running


@contextmanager
def started(folder: Path, *command: str) -> Iterator[Served]:
    workplace = Workplace(folder)
    workplace.add("Use JWT bearer tokens", "Short expiry.")
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from lerim.cli.main import run; run()", *command, "--port", "0", "--json"],
        cwd=workplace.project,
        env={**os.environ, **workplace.env, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    told = json.loads(process.stdout.readline())
    assert process.pid == told["pid"]
    path = Path(told["token_file"])
    try:
        yield Served(told["url"], int(told["url"].split(":")[2].split("/")[0]), path.read_text(), workplace)
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors


def posted(served: Served, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """What comes back for a request; a header of None is left out."""
    given = {
        "Host": f"127.0.0.1:{served.port}",
        "Authorization": f"Bearer {served.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    try:
        line.putrequest("POST", "/mcp", skip_host=True)
        for name, value in given.items():
            if value:
                line.putheader(name, value)
        data = json.dumps(INITIALIZE).encode() if body is None else body
        line.putheader("Content-Length", str(len(data)))
        line.endheaders()
        with suppress(BrokenPipeError, ConnectionResetError):  # Refused before it was heard.
            line.send(data)
        reply = line.getresponse()
        return reply.status, reply.read().decode()
    finally:
        line.close()


def test_the_official_client_is_served(served: Served, portal: Any) -> None:
    """Handshake, tools and a call, over a real socket, twice at once."""
    asked_twice(served, served.url, portal)


def test_agents_are_served_beside_the_pages(tmp_path: Path, portal: Any) -> None:
    """`lerim serve` answers them on the same port."""
    with started(tmp_path, "serve") as running:
        asked_twice(running, f"{running.url}/mcp", portal)


def test_agents_who_all_come_first_are_all_served(tmp_path: Path) -> None:
    """What agents need is loaded when the first one comes, and others come meanwhile."""
    with started(tmp_path, "serve") as running, ThreadPoolExecutor() as pool:
        assert {200} == {code for code, _ in pool.map(lambda _: posted(running), range(4))}


def test_pages_load_nothing_that_only_agents_need() -> None:
    """The SDK takes longer to load than all the rest: who looks at a page does not wait for it."""
    script = "import sys, lerim.serve.web.app, lerim.serve.web.later; sys.exit('mcp' in sys.modules)"

    assert 0 == subprocess.run([sys.executable, "-P", "-c", script], check=False).returncode


def asked_twice(served: Served, url: str, portal: Any) -> None:
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    web = httpx2.AsyncClient(headers={"Authorization": f"Bearer {served.token}"}, timeout=60)

    def client() -> Any:
        transport = streamable_http_client(url, http_client=web)
        return portal.wrap_async_context_manager(Client(transport, mode="legacy", read_timeout_seconds=60))

    with portal.wrap_async_context_manager(web), client() as one, client() as two:
        for agent in (Agent(portal, one), Agent(portal, two)):
            assert 10 == len(agent.tools())
            assert "JWT" in agent.text("search", query="bearer tokens")
            assert f"Project: {served.workplace.project}" in agent.text("status")


def test_whoever_has_the_token_is_answered(served: Served) -> None:
    code, text = posted(served)

    assert 200 == code
    assert "serverInfo" in text
    assert 200 == posted(served, Host=f"localhost:{served.port}")[0]
    assert 200 == posted(served, Origin=f"http://localhost:{served.port}")[0]


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Bearer {upper}", "Basic {token}", "{token}"])
def test_nobody_else_is(served: Served, given: str) -> None:
    """Without a word about what is here."""
    header = given.format(token=served.token, upper=served.token.upper() + "0")

    code, text = posted(served, Authorization=header)

    assert 401 == code
    assert "jsonrpc" not in text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil:{port}"]
)
def test_a_name_that_only_leads_here_is_refused(served: Served, host: str) -> None:
    """A page whose name was pointed at this machine brings its own host, whatever token it may have."""
    assert 421 == posted(served, Host=host.format(port=served.port))[0]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_is_refused(served: Served, origin: str) -> None:
    assert 403 == posted(served, Origin=origin.format(port=served.port))[0]


def test_a_body_has_an_end(served: Served) -> None:
    """Said or not, what is larger is not read."""
    assert 413 == posted(served, b"x" * (9 * 1024 * 1024))[0]
    assert 200 == posted(served)[0]


def test_no_other_machine_can_reach_it(served: Served) -> None:
    """It listens on the loopback alone, so the same port is free on every other address."""
    with socket.socket() as other:
        other.bind(("127.0.0.2", served.port))


def test_the_token_is_for_its_owner_alone_and_stays(tmp_path: Path) -> None:
    """Made once, as random as it gets."""
    home = tmp_path / ".lerim"

    first = token_in(home, os.urandom)

    assert first == token_in(home, os.urandom)
    assert 64 == len(first)
    assert 0o600 == stat.S_IMODE((home / "mcp.token").stat().st_mode)


@pytest.mark.parametrize("case", ["a link", "open to others", "empty", "a folder"])
def test_a_token_that_others_may_know_is_not_used(tmp_path: Path, case: str) -> None:
    home = tmp_path / ".lerim"
    token = token_in(home, os.urandom)
    path = home / "mcp.token"
    if case == "open to others":
        path.chmod(0o644)
    else:
        path.unlink()
        if case == "a link":
            (tmp_path / "theirs").write_text(token)
            (tmp_path / "theirs").chmod(0o600)
            path.symlink_to(tmp_path / "theirs")
        elif case == "empty":
            path.touch(0o600)
        else:
            path.mkdir(0o700)

    with pytest.raises(StoreError, match=r"mcp\.token"):
        token_in(home, os.urandom)


@pytest.mark.drill
def test_a_port_that_is_taken_is_said() -> None:
    with listen_on(0) as line, pytest.raises(UsageError, match="cannot be used"):
        listen_on(line.getsockname()[1])
    with pytest.raises(UsageError, match="no such port"):
        listen_on(99_999)


def test_where_no_token_can_be_made_it_is_said(tmp_path: Path) -> None:
    """What could not be written, and what to do about it."""
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be made") as refused:
        token_in(tmp_path / "file" / "home", os.urandom)
    assert "LERIM_HOME" in (refused.value.hint or "")
