"""The dashboard as a person starts it, and a browser without script: links are followed, forms are filled in."""

from __future__ import annotations

import http.client
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from lerim.context.records import Evidence, Kind, Primitive, Trust
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList

from .conftest import PNPM, Workplace

WAIT = 60
_VOID = {"area", "br", "hr", "img", "input", "link", "meta", "source"}
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


class Shown(NamedTuple):
    """A page that came back."""

    code: int
    html: str
    headers: dict[str, str]
    path: str

    @property
    def text(self) -> str:
        """What a person reads: words without tags, each blank once."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.html)).split())

    @property
    def has_forms(self) -> bool:
        """Whether anything here changes something."""
        return 'method="post"' in self.html


class Visitor:
    """A browser that is logged in and runs no script."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self._cookie = ""
        link = json.loads(self._send("POST", "/login/link", authorization=f"Bearer {token}").html)["url"]
        parts = urlsplit(link)
        entered = self._send("GET", f"{parts.path}?{parts.query}")
        self._cookie = entered.headers["set-cookie"].partition(";")[0]

    def get(self, path: str, **query: str) -> Shown:
        """A page of the project here, redirections followed."""
        return self.at(f"/p/here{path}" + (f"?{urlencode(query)}" if query else ""))

    def at(self, path: str) -> Shown:
        shown = self._send("GET", path)
        return self.at(shown.headers["location"]) if shown.code in (302, 303) else shown

    def without_login(self, path: str) -> Shown:
        cookie, self._cookie = self._cookie, ""
        try:
            return self._send("GET", path)
        finally:
            self._cookie = cookie

    def post(self, path: str, *, form: str = "/memory/new", **fields: str) -> Shown:
        """Send a form and see where that leads. The token is taken from a page that has one."""
        found = _TOKEN.search(self.get(form).html)
        done = self.send(path, form_token=found[1] if found else "", **fields)
        return self.at(done.headers["location"]) if done.code == 303 else done

    def send(self, path: str, **fields: str) -> Shown:
        """Just what is given, and where it leads is not followed."""
        return self._send("POST", f"/p/here{path}", urlencode(fields).encode(), origin=f"http://127.0.0.1:{self.port}")

    def _send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Shown:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        kind = {"content-type": "application/x-www-form-urlencoded"} if body else {}
        cookie = {"cookie": self._cookie} if self._cookie else {}
        try:
            line.request(method, path, body or None, {**kind, **cookie, **headers})
            reply = line.getresponse()
            given = {name.lower(): value for name, value in reply.getheaders()}
            assert reply.status != 500, f"{method} {path} is a fault of ours"
            return Shown(reply.status, reply.read().decode(), given, path)
        finally:
            line.close()


@contextmanager
def dashboard(workplace: Workplace, *, is_read_only: bool = False) -> Iterator[Visitor]:
    """The pages of a workplace on a port of this machine, and somebody who looks at them."""
    from anyio.from_thread import start_blocking_portal

    from lerim.serve.http import listen_on, serve_http, token_in
    from lerim.serve.web.app import application
    from lerim.serve.web.site import Site

    with listen_on(0) as line, start_blocking_portal() as portal:
        token = token_in(workplace.home, os.urandom)
        site = Site(line.getsockname()[1], token, str(workplace.project), workplace.env, is_read_only=is_read_only)
        served = portal.start_task_soon(serve_http, application(site), line)
        try:
            yield Visitor(site.port, token)
        finally:
            served.cancel()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something to be so."""
    end = time.monotonic() + WAIT
    while not is_so():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.2)


class _Tags(HTMLParser):
    """What a browser would make of a page: its tags, and whether each is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")


def tags_of(html: str) -> list[tuple[str, dict[str, str | None]]]:
    """Every tag of a page with what it says. The page must be well formed."""
    parser = _Tags()
    parser.feed(html)
    assert not parser.wrong and not parser.open, (parser.wrong, parser.open)
    return parser.seen


def require_sound(shown: Shown) -> None:
    """What holds for every page: well formed, one heading, each field named, nothing inline that the policy forbids."""
    tags = tags_of(shown.html)
    names = [tag for tag, _ in tags]
    ids = [said["id"] for _, said in tags if "id" in said]
    labelled = {said.get("for") for tag, said in tags if tag == "label"}
    fields = [said for tag, said in tags if tag in ("input", "select", "textarea")]
    visible = [said for said in fields if said.get("type") not in ("hidden", "checkbox", "submit")]
    assert 1 == names.count("h1") == names.count("main")
    assert len(ids) == len(set(ids)), "an id that is there twice"
    assert all(said.get("id") in labelled for said in visible), "a field without a label"
    assert all(said.get("src") for tag, said in tags if tag == "script"), "a script in the page"
    assert "style" not in names
    assert not [said for _, said in tags if "style" in said or any(name.startswith("on") for name in said)]
    assert "script-src 'self'" in shown.headers["content-security-policy"]
    levels = [int(tag[1]) for tag in names if re.fullmatch("h[1-6]", tag)]
    assert all(later - before <= 1 for before, later in pairwise(levels)), levels


def propose(workplace: Workplace, *titles: str, **fields: Any) -> list[str]:
    """Candidates that wait, each with the user's word for it in a real session. Their ids, the newest first."""
    workplace.talk()
    with workplace.open() as lerim:
        sessions = lerim.sessions
        sessions.discover()
        one = sessions.queue.list()[0]
        sessions.read(one)
        lines = {line.text: number for number, line in sessions.show(one).items[1:] if hasattr(line, "text")}
        evidence = Evidence(one.agent, one.run_id, lines[PNPM], lines[PNPM], PNPM, Trust.USER)
        said = {"body": PNPM, "kind": Kind.PREFERENCE, "evidence": (evidence,), "signals": ("states a rule",), **fields}
        made = [
            ReviewCandidate(
                id=new_review_id(),
                session=one.name,
                run_id="sync-1",
                primitive=Primitive.LEARNING,
                title=title,
                confidence=0.5,
                created=lerim.house.clock(),
                **said,
            )
            for title in titles
        ]
        with lerim.memory.target().change("lerim", "sync", "sync-1") as change:
            ReviewList(change).save_all(one.name, made)
        return [item.candidate.id for item in lerim.review.select()]
