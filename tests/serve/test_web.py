"""The server as people meet it: what goes on, the link into a browser, other machines, and its bounds."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.serve.web.events import Watchers
from lerim.serve.web.limits import Pace, Patience
from lerim.serve.web.logins import IDLE_SECONDS, LINK_SECONDS, Logins
from lerim.serve.web.opened import HERE, Opener
from lerim.serve.web.running import NOTE, link_from_running
from lerim.serve.web.site import Site

from .conftest import Workplace
from .web_server import WAIT, WebServer, served, until

_LERIM = [sys.executable, "-P", "-c", "from lerim.cli.main import run; run()"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    workplace = Workplace(tmp_path_factory.mktemp("web"))
    workplace.talk()
    with served(workplace) as found:
        yield found


# --- what goes on -----------------------------------------------------------------------------------------------------


class Listener:
    """Somebody who listens to `/events`."""

    def __init__(self, server: WebServer) -> None:
        self._line = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        host, token = f"127.0.0.1:{server.port}", server.token
        self._line.sendall(f"GET /events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        self._heard = self._line.makefile("rb")
        self.code = int(self._heard.readline().split()[1])

    def next(self) -> Any:
        """The next thing that is told."""
        for line in self._heard:
            if line.startswith(b"data: "):
                return json.loads(line[6:])
        raise AssertionError("it was hung up")

    def until(self, state: str) -> Any:
        while not (told := self.next())["sessions"].get(state):
            pass
        return told

    def close(self) -> None:
        self._heard.close()
        self._line.close()


def test_work_that_somebody_else_does_is_told_as_it_goes_on(server: WebServer) -> None:
    """Another process takes a session, and then has done it: whoever listens hears both, from the database alone."""
    workplace = server.workplace
    with workplace.open() as lerim:
        lerim.sessions.discover()
    one, other = Listener(server), Listener(server)
    try:
        assert 200 == one.code == other.code
        assert not one.next()["working"]
        with workplace.open() as elsewhere:
            job = elsewhere.sessions.queue.claim("somebody else")
            assert job is not None
            for listener in (one, other):
                told = listener.until("running")
                assert [job.session.name] == [at_work["name"] for at_work in told["working"]]
            elsewhere.sessions.queue.complete(job)
        assert not one.until("done")["working"]
    finally:
        one.close()
        other.close()


def test_one_look_serves_all_who_listen_and_none_is_taken_when_nobody_does(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    watchers = Watchers(Opener(Site(1, "", str(workplace.project), workplace.env)))

    async def listen() -> None:
        assert not watchers.is_polling
        listeners = [watchers.listen(HERE) for _ in range(3)]
        told = [await anext(one) for one in listeners]
        assert 1 == len(set(told))
        looking = [task for task in asyncio.all_tasks() if "_poll" in repr(task)]
        assert 1 == len(looking)
        for one in listeners:
            await one.aclose()  # type: ignore[attr-defined]
        assert not watchers.is_polling

    asyncio.run(listen())


def test_a_project_that_there_is_not_has_no_events(server: WebServer) -> None:
    assert 404 == server.ask("GET", "/events?project=nobody").code


# --- the link into a browser ------------------------------------------------------------------------------------------


@contextmanager
def running(workplace: Workplace, *words: str) -> Iterator[dict[str, Any]]:
    """A command that serves until it is ended; what it says first."""
    process = subprocess.Popen(
        [*_LERIM, *words, "--json"],
        cwd=workplace.project,
        env={**os.environ, **workplace.env, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=WAIT)
        assert "Traceback" not in errors


def said(workplace: Workplace, *words: str, cwd: Path | None = None) -> Any:
    done = subprocess.run(
        [*_LERIM, *words, "--json"],
        cwd=cwd or workplace.project,
        env={**os.environ, **workplace.env},
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT,
    )
    return json.loads(done.stdout)


def test_a_dashboard_that_runs_is_opened_and_not_started_twice(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    with workplace.open(other) as lerim:
        project = lerim.setup.init().id

    with running(workplace, "dashboard", "--port", "0") as first:
        note = workplace.home / NOTE
        assert 0o600 == stat.S_IMODE(note.stat().st_mode)
        second = said(workplace, "dashboard", "--port", "0", cwd=other)

        assert first["pid"] == json.loads(note.read_text())["pid"]
        assert second["pid"] is None
        assert first["link"].partition("/login")[0] == second["link"].partition("/login")[0]
        assert second["link"].endswith(f"&project={project}")
        assert f"/p/{project}/" == logged_in(second["link"])
        assert "/p/here/" == logged_in(first["link"])
    assert not note.exists()


def logged_in(link: str) -> str:
    """Where a link leads."""
    import http.client
    from urllib.parse import urlsplit

    url = urlsplit(link)
    line = http.client.HTTPConnection(url.hostname or "", url.port, timeout=WAIT)
    line.request("GET", f"{url.path}?{url.query}")
    reply = line.getresponse()
    reply.read()
    line.close()
    return reply.getheader("location") or str(reply.status)


def test_an_impostor_at_the_noted_port_never_sees_the_token(tmp_path: Path) -> None:
    """Whoever took the port of a server that is gone gets a question that only the token answers."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as door:

        def answer() -> None:
            line, _ = door.accept()
            with line:
                heard.append(line.recv(65_536))
                body = b'{"proof": "0000", "url": "http://evil.example"}'
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{door.getsockname()[1]}"
        (tmp_path / NOTE).write_text(json.dumps({"pid": os.getpid(), "url": url}))
        assert link_from_running(tmp_path, "the token", None, os.urandom) is None
        thread.join(WAIT)

    assert heard
    assert not any(b"the token" in one or b"Authorization" in one for one in heard)


@pytest.mark.parametrize(
    "note", ["", "no json", "[]", '{"pid": 0}', '{"pid": "x", "url": 1}', '{"pid": 4194305, "url": ""}']
)
def test_a_note_that_is_none_is_no_server(tmp_path: Path, note: str) -> None:
    (tmp_path / NOTE).write_text(note)

    assert link_from_running(tmp_path, "token", None, os.urandom) is None


def test_links_and_cookies_do_not_last() -> None:
    now = [0.0]
    logins = Logins(os.urandom, lambda: now[0])
    late, used = logins.link(), logins.link()

    cookie = logins.enter(used)
    assert cookie
    assert logins.is_in(cookie)
    assert logins.enter(used) is None
    now[0] = LINK_SECONDS
    assert logins.enter(late) is None
    now[0] += IDLE_SECONDS - 1
    assert not logins.is_in(cookie)


def test_so_many_at_once_and_then_so_many_a_second() -> None:
    now = [100.0]
    pace = Pace(3, 1, lambda: now[0])

    assert [True, True, True, False] == [pace.take() for _ in range(4)]
    now[0] += 2
    assert [True, True, False] == [pace.take() for _ in range(3)]


# --- elsewhere than on this machine -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--host", "0.0.0.0"], "would read along"),
        (["--host", "::"], "would read along"),
        (["--host", " "], "needs an address"),
        (["--tls-cert", "cert.pem"], "goes with its key"),
        (["--tls-cert", "cert.pem", "--tls-key", "key.pem"], "no certificate"),
        (["--host", "no.such.host.invalid", "--insecure-bind"], "no host"),
        (["--port", "99999"], "no such port"),
    ],
)
def test_nothing_is_bound_that_others_could_read_along(
    tmp_path: Path,
    words: list[str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    workplace = Workplace(tmp_path)
    monkeypatch.chdir(workplace.project)
    monkeypatch.setenv("HOME", str(workplace.user))

    assert 2 == main(["serve", *words, "--json"])

    assert told in json.loads(capsys.readouterr().out)["error"]


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine, signed by itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert, secret = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return cert, secret


@pytest.mark.drill
def test_with_tls_it_is_reached_by_the_names_it_was_given(tmp_path: Path) -> None:
    import http.client
    import ssl

    workplace = Workplace(tmp_path)
    cert, key = certificate(tmp_path)
    words = ("--port", "0", "--name", "localhost", "--tls-cert", str(cert), "--tls-key", str(key))

    with running(workplace, "serve", *words) as told:
        port = int(told["url"].rpartition(":")[2])
        assert f"https://localhost:{port}" == told["url"]
        context = ssl.create_default_context(cafile=str(cert))
        line = http.client.HTTPSConnection("localhost", port, timeout=WAIT, context=context)
        line.request(
            "GET", "/api/v1/server", headers={"Authorization": f"Bearer {Path(told['token_file']).read_text()}"}
        )
        assert 200 == line.getresponse().status
        line.close()
        link = said(workplace, "dashboard", "--port", "0")["link"]
        assert link.startswith(f"https://localhost:{port}/login")


def test_a_site_is_named_by_what_reaches_it() -> None:
    def site(**given: Any) -> Site:
        return Site(7437, "", "/", {}, **given)

    assert ("127.0.0.1:7437", "localhost:7437") == site().names
    assert "memory.lan:7437" in site(host="0.0.0.0", also_named=("memory.lan",)).names
    assert not any("0.0.0.0" in name for name in site(host="0.0.0.0").names)
    assert "[::1]:7437" in site(host="::1").names
    assert "http://[::1]:7437" == site(host="::1").url


# --- bounds of a line -------------------------------------------------------------------------------------------------


def test_whoever_does_not_read_the_answers_is_hung_up_on(tmp_path: Path) -> None:
    """Asking on and on without reading a byte fills every buffer; then the line is cut."""
    with served(Workplace(tmp_path), patience=Patience(reading=0.3)) as server:
        host, token = f"127.0.0.1:{server.port}", server.token
        ask = f"GET /openapi.json HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n"
        line = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
        with line, pytest.raises((BrokenPipeError, ConnectionResetError)):
            while True:
                line.sendall(ask.encode())
        until(lambda: 200 == server.get("/server").code)


def test_a_page_that_is_not_there_is_a_page(server: WebServer) -> None:
    browser = server.browser()

    reply = browser.get("/p/here/nothing")

    assert 404 == reply.code
    assert "<h1>" in reply.text
    assert browser.get("/p/nobody/").code == 404


def test_the_page_of_the_api_shows_every_address(server: WebServer) -> None:
    from lerim.serve.api.routes import API_ROUTES

    page = server.browser().get("/api")

    assert 200 == page.code
    assert len(API_ROUTES) == page.text.count("<summary><code>") - page.text.count('<details id="schema-')
    assert page.text.count("<h1>") == 1


def test_a_link_from_another_page_still_logs_in(server: WebServer) -> None:
    """A terminal in a browser has links, too: the cookie is sent only where a page of ours leads."""
    link = server.ask("POST", "/login/link").json["url"].removeprefix(server.site.url)

    reply = server.ask("GET", link, bare=True, Sec_Fetch_Site="cross-site")

    assert 200 == reply.code
    assert "/p/here/" in reply.text
    assert "samesite=strict" in reply.headers["set-cookie"].lower()
