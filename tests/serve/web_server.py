"""A server on a port of this machine, as `lerim serve` runs it, and what asks it over a real socket."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from lerim.serve.http import http_server, listen_on, token_in
from lerim.serve.web.app import application, link_into
from lerim.serve.web.limits import Patience
from lerim.serve.web.logins import Logins
from lerim.serve.web.site import Site

from .conftest import Workplace

WAIT = 60.0


class Reply(NamedTuple):
    """What came back."""

    code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class WebServer:
    """A server that runs, and how it is asked: by programs with the token, by a browser with its cookie."""

    def __init__(self, site: Site, logins: Logins, workplace: Workplace) -> None:
        self.site = site
        self.logins = logins
        self.workplace = workplace
        self.port = site.port
        self.token = site.token

    def ask(self, method: str, path: str, body: Any = None, *, bare: bool = False, **headers: str) -> Reply:
        """A request of a program that has the token; `bare` is one of somebody who has not. A header that is empty is
        left out; what is no bytes is sent as JSON."""
        given = {"Host": f"127.0.0.1:{self.port}"}
        if not bare:
            given["Authorization"] = f"Bearer {self.token}"
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        try:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                if value:
                    line.putheader(name, value)
            if data is not None:
                line.putheader("Content-Length", str(len(data)))
            line.endheaders()
            with suppress(BrokenPipeError, ConnectionResetError):  # Refused before it was heard.
                if data is not None:
                    line.send(data)
            reply = line.getresponse()
            return Reply(reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read())
        finally:
            line.close()

    def get(self, path: str, **query: Any) -> Reply:
        return self.ask("GET", f"/api/v1{path}" + (f"?{urlencode(query, doseq=True)}" if query else ""))

    def post(self, path: str, method: str = "POST", /, **asked: Any) -> Reply:
        return self.ask(method, f"/api/v1{path}", asked)

    def browser(self) -> Browser:
        """A browser that was logged in by a link."""
        link = link_into(self.site, self.logins)
        reply = self.ask("GET", link.removeprefix(self.site.url), bare=True)
        assert 303 == reply.code, reply
        return Browser(self, reply.headers["set-cookie"].partition(";")[0])

    def raw(self, sent: bytes, *, wait: float = WAIT) -> bytes:
        """What comes back for bytes that no library would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as line:
            line.sendall(sent)
            heard = b""
            with suppress(ConnectionResetError):
                while piece := line.recv(65_536):
                    heard += piece
            return heard


class Browser:
    """A browser that is logged in: it has the cookie, and says where its requests come from."""

    def __init__(self, server: WebServer, cookie: str) -> None:
        self.server = server
        self.cookie = cookie
        self.form_token = Logins.form_token(cookie.partition("=")[2])

    def get(self, path: str, **headers: str) -> Reply:
        headers = {"Cookie": self.cookie, "Accept": "text/html", **headers}
        return self.server.ask("GET", path, bare=True, **headers)

    def submit(self, path: str, fields: Mapping[str, str], method: str = "POST", **headers: str) -> Reply:
        """What a form sends, as it is: without its token, unless that is among the fields."""
        given = {
            "Cookie": self.cookie,
            "Accept": "text/html",
            "Origin": self.server.site.url,
            "Content-Type": "application/x-www-form-urlencoded",
            **headers,
        }
        return self.server.ask(method, path, urlencode(fields).encode(), bare=True, **given)

    def post(self, path: str, **fields: str) -> Reply:
        """A form of ours."""
        return self.submit(path, {**fields, "form_token": self.form_token})


@contextmanager
def served(
    workplace: Workplace, *, patience: Patience | None = None, is_read_only: bool = False
) -> Iterator[WebServer]:
    """A server for a workplace, on a port of its own, in a thread of this process."""
    import os

    token, logins, patience = (
        token_in(workplace.home, os.urandom),
        Logins(os.urandom, time.monotonic),
        patience or Patience(),
    )
    line = listen_on(0)
    site = Site(line.getsockname()[1], token, str(workplace.project), workplace.env, is_read_only=is_read_only)
    server = http_server(application(site, logins=logins, patience=patience), patience)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[line])))
    thread.start()
    try:
        until(lambda: server.started)
        yield WebServer(site, logins, workplace)
    finally:
        server.should_exit = True
        thread.join(WAIT)
        line.close()
        assert not thread.is_alive()


def until(is_so: Any) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + WAIT
    while not is_so():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.01)


def path_of(session: str) -> str:
    """A session's name as a part of a path."""
    return "/".join(quote(part, safe="") for part in session.split("/", 1))
