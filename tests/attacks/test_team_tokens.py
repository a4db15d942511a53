"""Members of a shared store who come over HTTP with a token of theirs, and try to get further with it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

from lerim.context.team import TeamRole
from lerim.context.tokens import ApiTokens
from lerim.errors import NotAllowed, NotFound, UsageError
from lerim.serve.api.routes import API_ROUTES
from lerim.serve.web.logins import Logins
from lerim.serve.web.members import SERVED
from lerim.storage.engine import open_shared

from ..postgres_server import MISSING, server
from .team_world import SECRETS, TeamWorld, logged_in, team_world

_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {}},
    "clientInfo": {"name": "x", "version": "1"},
}


class Served(NamedTuple):
    """A server that runs for the store's owner, and the world around it."""

    port: int
    token: str
    world: TeamWorld

    def ask(self, token: str, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str, str]:
        """The code, what was said, and the session that it names."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
        try:
            line.request(method, path, json.dumps(body) if body is not None else None, given)
            reply = line.getresponse()
            return reply.status, reply.read().decode(), reply.headers.get("mcp-session-id", "")
        finally:
            line.close()

    def api(self, token: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        code, said, _ = self.ask(token, method, f"/api/v1{path}", body)
        return code, json.loads(said)

    def tool(self, token: str, name: str, arguments: Any, query: str = "") -> str:
        """What an agent is told by a tool."""
        accept = {"Accept": "application/json, text/event-stream"}
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _INITIALIZE}
        code, said, session = self.ask(token, "POST", f"/mcp{query}", first, **accept)
        assert code == 200, said
        known = {**accept, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25"}
        greeted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.ask(token, "POST", f"/mcp{query}", greeted, **known)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return self.ask(token, "POST", f"/mcp{query}", call, **known)[1]

    def make(self, who: str, role: TeamRole = TeamRole.ADMIN, **more: Any) -> str:
        """A token of a member, made by the owner."""
        tokens = ApiTokens(self.world.databases["team"], os.urandom)
        return tokens.create("for a test", role, member=self.world.members[who], **more).secret


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not server():
        pytest.skip(MISSING)
    folder = tmp_path_factory.mktemp("served")
    home = folder / "owner"
    home.mkdir()
    with team_world(folder / "world") as world:
        env = {**os.environ, "HOME": str(home), "LERIM_STORAGE_URL": world.url, "ANTHROPIC_API_KEY": "sk-owners"}
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from lerim.cli.main import run; run()", "serve", "--port", "0", "--json"],
            cwd=home,
            env={**env, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        try:
            told = json.loads(process.stdout.readline())
            yield Served(int(told["url"].rpartition(":")[2]), Path(told["token_file"]).read_text(), world)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def test_what_is_served_to_members_are_routes_that_there_are() -> None:
    assert set(SERVED) <= {f"{route.method} {route.path}" for route in API_ROUTES}


def test_a_reader_finds_what_is_theirs_and_nothing_else(served: Served) -> None:
    token = served.make("reader")
    code, found = served.api(token, "GET", "/memories/search?q=invoice")
    assert code == 200 and "Pay by invoice only" in json.dumps(found)
    code, nothing = served.api(token, "GET", "/memories/search?q=Kestrel")
    code, never = served.api(token, "GET", "/memories/search?q=Gibberish")
    assert "Kestrel is" not in json.dumps(nothing) and len(nothing) == len(never)
    assert [one["name"] for one in served.api(token, "GET", "/projects")[1]] == ["shop"]


@pytest.mark.parametrize(
    "path",
    [
        "/memories?project={orchard}",
        "/memories?project=orchard-backend",
        "/memories/search?q=Kestrel&project={orchard}",
        "/export?project=orchard-backend",
        "/graph?project={orchard}",
        "/views/brief?project=orchard-backend",
        "/review?project={orchard}",
        "/memories?project=prj-0000000000",
        "/team/audit?in_project=orchard-backend",
    ],
)
def test_another_project_is_as_one_that_there_is_not(served: Served, path: str) -> None:
    code, said = served.api(served.make("reader"), "GET", path.format(orchard=served.world.orchard.id))
    assert code == 404
    assert not [word for word in SECRETS if word in json.dumps(said).replace("orchard-backend'", "")]


def test_another_projects_memory_is_as_one_that_there_is_not(served: Served) -> None:
    row = served.world.owner("SELECT id FROM lerim_context.records WHERE title LIKE 'Kestrel%%'")
    token = served.make("reader")
    there, nowhere = (served.api(token, "GET", f"/memories/{one}") for one in (row[0][0], "dec-0000000000"))
    assert there[0] == nowhere[0] == 404
    assert there[1]["error"].replace(row[0][0], "") == nowhere[1]["error"].replace("dec-0000000000", "")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/config"),
        ("GET", "/api/v1/sessions"),
        ("GET", "/api/v1/status"),
        ("GET", "/api/v1/backups"),
        ("POST", "/api/v1/projects"),
        ("POST", "/api/v1/sync"),
        ("POST", "/api/v1/import"),
        ("POST", "/api/v1/reset"),
        ("POST", "/api/v1/models/use"),
        ("POST", "/api/v1/profiles/add"),
        ("POST", "/api/v1/team/members"),
        ("POST", "/api/v1/team/tokens"),
        ("GET", "/p/here/"),
        ("GET", "/events"),
        ("POST", "/login/link"),
        ("GET", "/static/../../../etc/passwd"),
    ],
)
def test_the_servers_own_machine_is_not_for_members(served: Served, method: str, path: str) -> None:
    code, said, _ = served.ask(served.make("other"), method, path, {} if method == "POST" else None)
    assert code == 403
    assert "members ask for memories" in said


def test_a_reader_writes_nothing_over_http(served: Served) -> None:
    new = {"primitive": "decision", "title": "Readers decide", "body": "They do not."}
    assert served.api(served.make("reader"), "POST", "/memories", new)[0] == 403
    assert served.api(served.make("writer", TeamRole.READER), "POST", "/memories", new)[0] == 403


def test_a_writer_writes_where_they_may(served: Served) -> None:
    new = {"primitive": "decision", "title": "Writers decide", "body": "In the shop alone."}
    token = served.make("writer")
    assert served.api(token, "POST", "/memories", new)[0] == 201
    assert served.api(token, "POST", "/memories?project=orchard-backend", new)[0] == 404
    titles = served.world.owner("SELECT project_id FROM lerim_context.records WHERE title = 'Writers decide'")
    assert titles == [(served.world.shop.id,)]
    noted = served.world.owner(
        "SELECT via, token, address FROM lerim_team.audit WHERE what = 'insert records' AND who = %s",
        (f"lerim_m_{served.world.members['writer']}",),
    )
    assert ("http", token.split("_")[1], "127.0.0.1") in noted


def test_a_token_for_one_project_opens_no_other_of_its_member(served: Served) -> None:
    token = served.make("other", TeamRole.WRITER, projects=[served.world.shop])
    assert [one["name"] for one in served.api(token, "GET", "/projects")[1]] == ["shop"]
    assert served.api(token, "GET", "/memories?project=orchard-backend")[0] == 404
    mine = {"primitive": "decision", "title": "My own diary", "body": "For nobody else."}
    whole = served.make("other")
    assert served.api(whole, "POST", "/memories?project=global", mine)[0] == 201
    assert "diary" in json.dumps(served.api(whole, "GET", "/memories?project=global"))
    assert served.api(token, "GET", "/memories?project=global")[1]["items"] == []
    # It is a writer's: its member is an admin, and it gives nobody rights.
    grant = {"role": "admin", "in_project": "shop"}
    name = served.world.members["reader"]
    assert served.api(token, "POST", f"/team/members/{name}/grant", grant)[0] == 403


def test_a_token_that_does_not_hold_lets_nobody_in(served: Served) -> None:
    good = served.make("reader")
    assert served.api(good, "GET", "/memories")[0] == 200
    served.world.owner(
        "UPDATE lerim_team.tokens SET expires = now() - interval '1 second' WHERE id = %s", (good.split("_")[1],)
    )
    # At once, though the server knew it a moment ago: the store looks at it in every transaction.
    assert served.api(good, "GET", "/memories")[0] in (401, 404)
    tokens, revoked = ApiTokens(served.world.databases["team"], os.urandom), served.make("reader")
    tokens.revoke(revoked.split("_")[1])
    swapped = good.split("_")[1].join(revoked.split(revoked.split("_")[1]))
    for wrong in (
        revoked,
        swapped,
        revoked[:-1],
        "lerim_",
        "lerim__",
        f"lerim_{'0' * 16}_",
        good.upper(),
        "lerim_%00_x",
    ):
        assert served.api(wrong, "GET", "/memories")[0] == 401


def test_a_member_who_was_removed_is_out_at_once(served: Served) -> None:
    served.world.member("leaver")
    served.world.team.grant(served.world.members["leaver"], TeamRole.ADMIN, None)
    token = served.make("leaver")
    assert served.api(token, "GET", "/memories?project=shop")[0] == 200
    served.world.team.remove(served.world.members.pop("leaver"))
    code, said = served.api(token, "GET", "/memories?project=shop")
    assert code in (401, 403) and "invoice" not in json.dumps(said)


def test_tokens_are_kept_so_that_a_copy_of_the_store_lets_nobody_in(served: Served) -> None:
    secret = served.make("reader").split("_", 2)[2]
    kept = repr(served.world.owner("SELECT * FROM lerim_team.tokens"))
    assert secret not in kept


@pytest.mark.drill
def test_agents_of_a_member_are_told_what_is_theirs(served: Served) -> None:
    token = served.make("reader")
    assert "Pay by invoice only" in served.tool(token, "search", {"query": "invoice"})
    assert "Kestrel" not in served.tool(token, "search", {"query": "code name"})
    for query in ("?project=orchard-backend", f"?project={served.world.orchard.id}"):
        assert "Kestrel" not in served.tool(token, "search", {"query": "code name"}, query)
        assert "Kestrel" not in served.tool(token, "brief", {}, query)
    noted = served.world.owner("SELECT DISTINCT via, what FROM lerim_team.audit WHERE what = 'mcp search'")
    assert noted == [("mcp", "mcp search")]


def test_nothing_of_the_person_who_serves_is_in_a_members_home(served: Served) -> None:
    code, said = served.api(served.make("other"), "GET", "/team/me")
    assert code == 200 and said["name"] == served.world.members["other"]
    assert served.api(served.make("writer"), "GET", "/memories?project=global") == (200, {"items": [], "next": None})


def test_a_member_makes_tokens_for_themselves_alone(served: Served) -> None:
    tokens = ApiTokens(open_shared(served.world.reader, "team"), os.urandom)
    made = tokens.create("mine", TeamRole.READER)
    assert [one.label for one in tokens.all() if one.id == made.token.id] == ["mine"]
    with pytest.raises(UsageError):
        tokens.create("theirs", TeamRole.ADMIN, member=served.world.members["other"])
    with pytest.raises(NotFound):
        tokens.revoke(served.make("other").split("_")[1])
    with pytest.raises(UsageError):
        tokens.create("for ever", TeamRole.READER, days=100_000)
    acting = open_shared(served.world.reader, "team", variables=(("token", made.token.id),))
    with pytest.raises(NotAllowed):
        ApiTokens(acting, os.urandom).create("by a token", TeamRole.ADMIN)
    with logged_in(served.world.reader) as connection:
        connection.execute("SET lerim.token = '0000000000000000'")
        assert connection.execute("SELECT count(*) FROM lerim_context.records").fetchone() == (0,)


def test_reading_is_noted_too(served: Served) -> None:
    served.api(served.make("reader"), "GET", "/export")
    served.api(served.make("reader"), "GET", "/memories")
    who = f"lerim_m_{served.world.members['reader']}"
    noted = served.world.owner("SELECT action, what FROM lerim_team.audit WHERE who = %s AND via = 'http'", (who,))
    assert ("export", "GET /api/v1/export") in noted
    assert ("read", "GET /api/v1/memories") in noted


@pytest.mark.drill
def test_the_owner_sees_the_team_in_a_browser(served: Served) -> None:
    """By the link that logs a browser in, as ever; roles are given and taken by its forms."""
    link = json.loads(served.ask(served.token, "POST", "/login/link")[1])["url"]
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    line.request("GET", link.partition(str(served.port))[2])
    cookie = (line.getresponse().headers["set-cookie"] or "").partition(";")[0]
    line.close()
    name = served.world.members["reader"]

    def seen(method: str = "GET", **fields: str) -> tuple[int, str]:
        form = urlencode({**fields, "form_token": Logins.form_token(cookie.partition("=")[2])})
        origin = f"http://127.0.0.1:{served.port}"
        given = {"Cookie": cookie, "Origin": origin, "Content-Type": "application/x-www-form-urlencoded"}
        line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        try:
            line.request(method, "/p/here/team", form if fields else None, given)
            reply = line.getresponse()
            return reply.status, reply.read().decode()
        finally:
            line.close()

    code, page = seen()
    assert code == 200 and name in page and "Who did what" in page
    assert seen("POST", action="grant", name=name, role="writer", in_project=served.world.orchard.id)[0] == 303
    assert "writer" in json.dumps(served.api(served.token, "GET", "/team")[1])
    assert seen("POST", action="revoke", name=name, in_project=served.world.orchard.id)[0] == 303
    assert seen("POST", action="grant", name=name, role="god")[0] == 400
    assert seen("POST", action="reign", name=name)[0] == 400
