"""Attacks on the server over real sockets: without a token, from other pages, with strange paths and bytes, with text
that wants to be script, with giants, slow ones and crowds."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount, Route

from lerim.serve.api.routes import API_ROUTES
from lerim.serve.web.app import routes
from lerim.serve.web.limits import MAX_BODY, MAX_FORM, Patience

from ..serve.conftest import SAID, Workplace
from ..serve.web_server import WAIT, Browser, Reply, WebServer, served, until

SCRIPT = "<script>alert(1)</script>"
EVIL = f"\"'><img src=x onerror=alert(1)>{SCRIPT}"
HEADERS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    from lerim.examples.steps import UserStep

    workplace = Workplace(tmp_path_factory.mktemp("attacked"))
    workplace.add(f"Use tokens {EVIL}", f"Because {EVIL}", tags=(SCRIPT,))
    workplace.talk(*SAID, UserStep(f"We always write {EVIL} into the header."))
    evil = workplace.project.parent / "<img src=x onerror=alert(1)>"
    (evil / ".git").mkdir(parents=True)
    with workplace.open(evil) as lerim:
        lerim.setup.init()
    with workplace.open() as lerim:
        lerim.sessions.discover()
        assert list(lerim.sync())
    with served(workplace) as found:
        yield found


@pytest.fixture(scope="module")
def browser(server: WebServer) -> Browser:
    return server.browser()


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[WebServer]:
    """A server of little patience and few lines."""
    with served(Workplace(tmp_path), patience=Patience(head=0.3, body=0.3, lines=8, requests=4)) as found:
        yield found


def every_path() -> Iterator[tuple[str, str]]:
    """Every address of the application, with the methods it takes; names in it filled in."""
    for method, path in _routes(routes(), ""):
        for name in ("{project}", "{id}", "{agent}", "{run}", "{run:path}", "{name}", "{view}", "{cluster}"):
            path = path.replace(name, "here" if name == "{project}" else "brief" if name == "{view}" else "none")
        yield method, path.partition("{")[0]


def _routes(found: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for route in found:
        if isinstance(route, Mount):
            yield from _routes(route.routes or [], prefix + route.path)
        elif isinstance(route, Route):
            yield from ((method, prefix + route.path) for method in route.methods or () if method != "HEAD")


PATHS = sorted(set(every_path()))
WRITES = [(method, path) for method, path in PATHS if method != "GET"]


def is_guarded(reply: Reply) -> None:
    """What every answer says to browsers, whatever it is."""
    for name, value in HEADERS.items():
        assert value in reply.headers[name], name
    assert "access-control-allow-origin" not in reply.headers


def test_the_walk_sees_pages_and_api() -> None:
    assert ("GET", "/p/here/") in PATHS
    assert ("PATCH", "/api/v1/memories/none") in PATHS
    assert len(API_ROUTES) <= len(PATHS) + 5


# --- no token, a wrong one --------------------------------------------------------------------------------------------


def test_nothing_is_served_to_whoever_brings_nothing(tmp_path: Path) -> None:
    """Every address there is, without a token and with a wrong one: refused, with nothing of the memory in it."""
    workplace = Workplace(tmp_path)
    workplace.add("The secret of the house")
    with served(workplace) as server:
        for method, path in PATHS:
            for header in ("", "Bearer " + "0" * 64):
                reply = server.ask(method, path, bare=True, Authorization=header)
                is_open = path in ("/login", "/hello") and not header
                assert reply.code in ((200, 401, 429) if is_open else (401, 429)), (method, path, reply.code)
                is_guarded(reply)
                assert "secret of the house" not in reply.text


def test_wrong_tokens_are_answered_slower_and_slower(tmp_path: Path) -> None:
    """But whoever has the right one is never kept out by somebody who has not."""
    with served(Workplace(tmp_path)) as server:
        codes = [server.ask("GET", "/api/v1/status", bare=True, Authorization="Bearer x").code for _ in range(40)]

        assert {401, 429} == set(codes)
        assert 200 == server.get("/config").code
        guesses = [server.ask("GET", f"/login?once={'0' * 64}", bare=True).code for _ in range(3)]
        assert 429 in guesses
        assert 200 == server.browser().get("/p/here/").code


def test_a_browser_without_a_login_is_told_what_to_type(server: WebServer) -> None:
    reply = server.ask("GET", "/p/here/", bare=True, Accept="text/html,application/xhtml+xml")

    assert reply.code in (401, 429)
    assert reply.headers["content-type"].startswith("text/html")
    assert "lerim dashboard" in reply.text or 429 == reply.code


def test_a_link_logs_one_browser_in_once(server: WebServer) -> None:
    made = server.ask("POST", "/login/link").json["url"].removeprefix(server.site.url)

    first, second = (server.ask("GET", made, bare=True) for _ in range(2))

    assert 303 == first.code
    cookie = first.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
    assert second.code in (401, 429)
    assert "set-cookie" not in second.headers


def test_a_browser_makes_no_links_and_talks_to_no_agents_door(server: WebServer, browser: Browser) -> None:
    assert 403 == browser.post("/login/link").code
    assert browser.submit("/mcp", {"form_token": browser.form_token}).code in (401, 429)


def test_a_browser_can_be_logged_out(server: WebServer) -> None:
    leaving = server.browser()
    assert 200 == leaving.get("/p/here/").code

    assert 200 == leaving.post("/logout").code

    assert leaving.get("/p/here/").code in (401, 429)


def test_a_cookie_of_another_port_is_nobodys(server: WebServer, browser: Browser) -> None:
    value = browser.cookie.partition("=")[2]

    reply = server.ask("GET", "/p/here/", bare=True, Cookie=f"lerim_1={value}; lerim={value}")

    assert reply.code in (401, 429)


def test_a_proof_of_the_token_shows_nothing_of_it(server: WebServer) -> None:
    one, other = (server.ask("GET", f"/hello?nonce={nonce}", bare=True).json["proof"] for nonce in ("a", "b"))

    assert one != other
    assert server.token not in (one, other)


# --- from other pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "[::1]:{port}",
    ],
)
def test_a_name_that_was_pointed_here_is_refused(server: WebServer, browser: Browser, host: str) -> None:
    """DNS rebinding: whatever the page brings, its host gives it away; even with the right token."""
    named = host.format(port=server.port)

    assert 421 == server.ask("GET", "/api/v1/config", Host=named).code
    assert 421 == browser.get("/p/here/", Host=named).code


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_page_of_another_origin_is_refused(server: WebServer, browser: Browser, origin: str) -> None:
    origin = origin.format(port=server.port)

    assert 403 == server.ask("GET", "/api/v1/config", Origin=origin).code
    assert 403 == browser.submit("/logout", {"form_token": browser.form_token}, Origin=origin).code


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_loads_from_here_is_refused(browser: Browser, site: str) -> None:
    """Another port of this machine is the same site to a browser, which sends the cookie along."""
    assert 403 == browser.get("/p/here/", Sec_Fetch_Site=site).code
    assert 200 == browser.get("/p/here/", Sec_Fetch_Site="same-origin").code


def test_no_other_page_may_ask_beforehand(server: WebServer) -> None:
    asked = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}

    for headers in ({}, asked):
        reply = server.ask("OPTIONS", "/api/v1/memories", **headers)
        assert 405 == reply.code
        is_guarded(reply)


def test_no_form_is_taken_that_is_not_ours(server: WebServer, browser: Browser) -> None:
    """CSRF: every address that changes something, with the cookie, refuses what has no token of ours; whoever wrote
    its handler."""
    ours = {"form_token": browser.form_token}
    for method, path in WRITES:
        tries = [
            browser.submit(path, {}, method),
            browser.submit(path, {"form_token": "0" * 64}, method),
            browser.submit(path, ours, method, Origin=""),
            browser.submit(path, ours, method, Content_Type="text/plain"),
        ]
        assert path == "/mcp" or [403] * 4 == [one.code for one in tries], (method, path, tries)


def test_a_script_of_ours_sends_its_token_in_a_header(browser: Browser) -> None:
    body = json.dumps({"primitive": "decision", "title": "Written by a script of ours"}).encode()
    headers = {"Cookie": browser.cookie, "Origin": browser.server.site.url, "Content_Type": "application/json"}

    refused = browser.server.ask("POST", "/api/v1/memories", body, bare=True, **headers)
    taken = browser.server.ask("POST", "/api/v1/memories", body, bare=True, **headers, X_Lerim_Form=browser.form_token)

    assert (403, 201) == (refused.code, taken.code)


def test_a_server_that_only_reads_changes_nothing(tmp_path: Path) -> None:
    with served(Workplace(tmp_path), is_read_only=True) as server:
        before = server.get("/memories").json
        for method, path in WRITES:
            if path != "/login/link":
                assert 405 == server.ask(method, path, {}).code, path
        assert before == server.get("/memories").json
        assert 200 == server.browser().get("/p/here/").code


# --- strange paths and bytes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fshell.py",
        "/static/%2e%2e/shell.py",
        "/static/..%5cshell.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/....//shell.py",
        "/static/app.css%00.html",
        "/static/",
        "//evil.example/",
        "/p/../../etc/passwd",
        "/p/%2e%2e/%2e%2e/",
        "/p/..%2f..%2f/memory",
        "/p/here/../../api/v1/config",
        "/p/nobody/",
        "/p/%00/",
        "/p/%0d%0aset-cookie:%20a=b/",
        "/api/v1/../v1/config",
        "/api/v1/memories/..%2f..%2fetc",
        "/api/v1/runs/..%2f..%2f..",
        "/api/v1/sessions/claude/..%2f..%2fetc%2fpasswd/trace",
        "/%ff%fe",
    ],
)
def test_no_path_leads_out(server: WebServer, browser: Browser, path: str) -> None:
    for reply in (server.ask("GET", path), browser.get(path)):
        assert reply.code in (400, 404, 405), (path, reply.code)
        is_guarded(reply)
        assert "root:" not in reply.text
        assert "import" not in reply.text
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nOrigin: http://evil.example\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1e3\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nX: a\nSet-Cookie: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nX : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\n folded\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: {host}\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00" * 100 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"a" * 200_000,
        b"GET /ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ],
)
def test_what_is_no_plain_request_is_refused_and_hung_up(server: WebServer, sent: bytes) -> None:
    """Smuggling, folded and doubled headers, other protocols: one answer, no second one, and the line is closed."""
    heard = server.raw(sent.replace(b"{host}", f"127.0.0.1:{server.port}".encode()))

    if heard:
        code = int(heard.split(b" ")[1])
        assert 400 <= code < 500, heard[:200]
        assert 1 == heard.count(b"HTTP/1.1 ")
        assert b"x-content-type-options: nosniff" in heard
        assert b"set-cookie" not in heard.lower().split(b"\r\n\r\n")[0]
    assert 200 == server.get("/config").code


def test_a_second_request_hidden_in_the_first_is_not_heard(server: WebServer) -> None:
    """Whoever is refused is hung up on: what follows on the line is nobody's request."""
    host = f"127.0.0.1:{server.port}".encode()
    hidden = b"GET /api/v1/config HTTP/1.1\r\nHost: " + host + b"\r\nAuthorization: Bearer " + server.token.encode()

    heard = server.raw(
        b"GET / HTTP/1.1\r\nHost: " + host + b"\r\nContent-Length: 5\r\n\r\nhello" + hidden + b"\r\n\r\n"
    )

    assert 1 == heard.count(b"HTTP/1.1 ")
    assert b" 401 " in heard or b" 429 " in heard


def test_no_header_of_an_answer_is_written_by_a_request(server: WebServer, browser: Browser) -> None:
    for path in (
        "/login?once=a%0d%0aSet-Cookie:%20x=y",
        "/p/here/?x=%0d%0aX-Evil:%201",
        "/login?once=1&project=%0d%0aX:1",
    ):
        reply = browser.get(path)
        assert "x-evil" not in reply.headers
        assert "x" not in reply.headers


# --- text that wants to be script -------------------------------------------------------------------------------------


def test_stored_script_is_text_on_every_page(server: WebServer, browser: Browser) -> None:
    """Titles, bodies, tags, session text, file and folder names: on no page is any of it anything but text."""
    shown = 0
    memory = next(one["id"] for one in server.get("/memories").json["items"] if EVIL in one["title"])
    session = server.get("/sessions").json["items"][0]
    run = server.get("/runs").json["items"][0]["id"]
    paths = [path for method, path in PATHS if method == "GET" and path.startswith("/p/")]
    paths += [f"/p/here/memory/{memory}", f"/p/here/memory/{memory}/edit", f"/p/here/runs/{run}"]
    paths += [f"/p/here/sessions/{session['agent']}/{session['run_id']}", "/p/here/memory?q=%3Cscript%3Ealert(1)"]
    paths += ["/p/%3Cscript%3E/", "/api", "/p/here/sessions/%3Cscript%3E/x"]

    for path in paths:
        reply = browser.get(path)
        assert reply.code in (200, 303, 404, 405), (path, reply.code)
        is_guarded(reply)
        if reply.headers.get("content-type") == "application/json":
            continue
        assert "<script>alert" not in reply.text, path
        assert "<img src=x" not in reply.text, path
        shown += "&lt;script&gt;alert(1)" in reply.text

    assert shown


def test_stored_script_in_json_is_json_and_never_sniffed(server: WebServer) -> None:
    found = server.get("/memories").json["items"]
    assert any(EVIL in item["title"] for item in found)

    for route in API_ROUTES:
        if route.method == "GET" and "{" not in route.path:
            reply = server.get(route.path, **({"q": "tokens"} if route.path.endswith("search") else {}))
            assert "application/json" == reply.headers["content-type"]
            is_guarded(reply)
    strange = server.get("/nothing%3Cscript%3E")
    assert (404, "application/json") == (strange.code, strange.headers["content-type"])


# --- giants, slow ones and crowds -------------------------------------------------------------------------------------


def test_a_body_has_an_end_said_or_not(server: WebServer, browser: Browser) -> None:
    assert 413 == server.ask("POST", "/api/v1/memories", b"x" * (MAX_BODY + 1)).code
    assert 413 == browser.submit("/logout", {"x": "y" * (MAX_FORM + 1)}).code
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    head = (
        f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as line:
        line.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(MAX_BODY // 65_536 + 2):
                line.sendall(chunk)
            heard = line.recv(65_536)
        except (BrokenPipeError, ConnectionResetError):
            heard = b" 413 "
    assert b" 413 " in heard
    assert 200 == server.get("/config").code


def test_a_giant_that_nobody_let_in_is_not_heard(server: WebServer) -> None:
    assert server.ask("POST", "/api/v1/memories", b"x" * (9 * 2**20), bare=True).code in (401, 429)


def test_a_head_that_drips_is_given_up(patient: WebServer) -> None:
    """A letter now and then does not keep a line open."""
    with socket.create_connection(("127.0.0.1", patient.port), timeout=WAIT) as line:
        heard = b""
        try:
            for letter in b"GET / HTTP/1.1\r\nX-Slow: " + b"a" * 10_000:
                line.sendall(bytes([letter]))
                line.settimeout(0.02)
                try:
                    heard = line.recv(65_536)
                    break
                except TimeoutError:
                    continue
        except (BrokenPipeError, ConnectionResetError):
            heard = heard or b" 408 "
    assert b" 408 " in heard


def test_a_line_on_which_nobody_says_anything_is_given_up(patient: WebServer) -> None:
    with socket.create_connection(("127.0.0.1", patient.port), timeout=WAIT) as line:
        assert b" 408 " in line.recv(65_536)
        assert not line.recv(1)


@pytest.mark.drill
def test_a_body_that_drips_is_given_up(patient: WebServer) -> None:
    head = (
        f"POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{patient.port}\r\nAuthorization: Bearer {patient.token}\r\n"
    )
    with socket.create_connection(("127.0.0.1", patient.port), timeout=WAIT) as line:
        line.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
        assert b" 408 " in line.recv(65_536)


def test_a_crowd_is_told_that_there_is_no_room(patient: WebServer) -> None:
    """More lines than there is room for: each of the others hears so at once, and whoever comes later is served."""
    lines = [socket.create_connection(("127.0.0.1", patient.port), timeout=WAIT) for _ in range(30)]
    try:
        heard = [line.recv(65_536) for line in lines]
    finally:
        for line in lines:
            line.close()

    assert all(b" 503 " in one or b" 408 " in one for one in heard)
    assert any(b" 503 " in one for one in heard)
    until(lambda: 200 == patient.get("/config").code)


def test_two_hundred_at_once_are_all_answered(server: WebServer) -> None:
    """Each is served, or told to come again; and the server lives."""
    codes: list[int] = []
    gate = threading.Barrier(200)

    def ask() -> None:
        gate.wait(WAIT)
        codes.append(server.ask("GET", "/api/v1/server").code)

    threads = [threading.Thread(target=ask) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)

    assert 200 == len(codes)
    assert set(codes) <= {200, 503}
    assert 200 in codes
    assert 200 == server.get("/config").code


def test_two_writers_at_once_lose_nothing(server: WebServer) -> None:
    """Of all who change one version of a memory, one is heard; the others are shown what was written, and try again."""
    made = server.post("/memories", primitive="decision", title="Contended: 0").json
    name = f"/api/v1/memories/{made['id']}"
    codes: list[int] = []

    def write(number: int) -> None:
        while True:
            tag = server.ask("GET", name).headers["etag"]
            body = server.ask("GET", name).json["body"]
            reply = server.ask("PATCH", name, {"body": f"{body}\nline {number}"}, If_Match=tag)
            codes.append(reply.code)
            if reply.code == 200:
                return
            assert 412 == reply.code or 409 == reply.code, reply.text

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)

    final = server.ask("GET", name).json
    versions = server.ask("GET", f"{name}/history").json
    assert 5 == len(versions) == final["version"]
    said = " ".join(version["record"]["body"] for version in versions)
    assert all(f"line {number}" in said for number in range(4))
