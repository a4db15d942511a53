"""The API: everything the command line can read and change, as the same documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import NOUNS
from lerim.serve.api.routes import API_ROUTES, NOT_SERVED

from .conftest import PNPM, Workplace
from .web_server import WebServer, path_of, served, until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    workplace = Workplace(tmp_path_factory.mktemp("api"))
    workplace.add("Use JWT bearer tokens", "Short expiry.")
    workplace.talk()
    with served(workplace) as found:
        yield found


def commands() -> Iterator[str]:
    """Every command there is, as it is typed."""
    for noun, (module, _) in NOUNS.items():
        found = import_module(module).COMMANDS.all
        if any(command.name == noun for command in found):
            yield noun
            continue
        yield from (
            f"{noun} {command.name}"
            for command in found
            if command.name not in NOUNS or NOUNS[command.name][0] != module
        )


def test_every_command_can_be_asked_for_or_has_a_reason_why_not() -> None:
    done = {name for route in API_ROUTES for name in route.does}
    known = set(commands())

    missing = {name for name in known if name not in done and not {name, name.split()[0]} & set(NOT_SERVED)}

    assert not missing
    assert done <= known, "a route names a command that there is not"
    assert set(NOT_SERVED) <= known | {name.split()[0] for name in known}, "a reason for what there is not"
    assert not done & set(NOT_SERVED)


def test_the_document_describes_every_route(server: WebServer) -> None:
    document = server.ask("GET", "/openapi.json").json

    assert "3.1.0" == document["openapi"]
    assert len(API_ROUTES) == sum(map(len, document["paths"].values()))
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids))
    for schema in _refs(document["paths"]):
        assert schema in document["components"]["schemas"]
    for operations in document["paths"].values():
        for one in operations.values():
            assert one["summary"]


def _refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for item in value.values():
            yield from _refs(item)
    elif isinstance(value, list):
        for item in value:
            yield from _refs(item)


def test_every_read_answers_as_its_schema_says(server: WebServer) -> None:
    """Of those that need no name: each answers, and with the fields that the document promises."""
    document = server.ask("GET", "/openapi.json").json
    queries = {"/memories/search": {"q": "tokens"}}

    for route in API_ROUTES:
        if route.path.startswith("/team"):
            continue  # There is a team where a store is shared: see test_team_tokens.py.
        if route.method == "GET" and "{" not in route.path and route.path != "/graph/path":
            reply = server.get(route.path, **queries.get(route.path, {}))
            assert 200 == reply.code, (route.path, reply.text)
            operation = document["paths"][f"/api/v1{route.path}"]["get"]
            fits(reply.json, operation["responses"]["200"]["content"]["application/json"]["schema"], document)


def fits(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> None:
    """That a value is what a schema says, as far as the schemas here say anything."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        assert any(_does_fit(value, one, document) for one in schema["anyOf"]), (value, schema)
        return
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    kind = schema.get("type")
    if kind == "object":
        assert isinstance(value, dict)
        assert set(schema.get("required", ())) <= set(value), (value, schema)
        fields = schema.get("properties", {})
        if "additionalProperties" not in schema:
            assert set(value) <= set(fields), set(value) - set(fields)
        for name, item in value.items():
            fits(item, fields.get(name) or schema.get("additionalProperties", {}), document)
    elif kind == "array":
        assert isinstance(value, list)
        for item in value:
            fits(item, schema["items"], document)
    elif kind in kinds:
        assert isinstance(value, kinds[kind]), (value, schema)


def _does_fit(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> bool:
    try:
        fits(value, schema, document)
    except AssertionError:
        return False
    return True


def test_a_memory_is_written_read_changed_and_put_away(server: WebServer) -> None:
    made = server.post("/memories", primitive="decision", title="Deploy on Fridays", tags=["ops"])
    assert 201 == made.code
    name = f"/memories/{made.json['id']}"

    edited = server.post(name, "PATCH", title="Deploy on Mondays", base=1, reason="a bad weekend")
    assert (200, "Deploy on Mondays", 2) == (edited.code, edited.json["title"], edited.json["version"])
    assert "a bad weekend" == server.get(f"{name}/history").json[-1]["reason"]
    assert any("Mondays" in line for line in server.get(f"{name}/diff").json["diff"])
    assert "archived" == server.post(f"{name}/archive").json["status"]
    assert "active" == server.post(f"{name}/restore").json["status"]
    assert server.post(f"{name}/feedback", verdict="wrong", note="no").json["confidence"] < 0.8
    assert server.get(f"{name}/why").json["by_hand"]
    assert server.post("/memories/undo").json["undone"] == [made.json["id"]]


def test_a_long_list_comes_page_by_page_and_what_is_added_meanwhile_moves_nothing(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    titles = [f"Decision number {number}" for number in range(7)]
    for title in titles:
        workplace.add(title)
    with served(workplace) as server:
        seen: list[str] = []
        cursor = None
        while True:
            reply = server.get("/memories", limit=2, **({"cursor": cursor} if cursor else {})).json
            seen += [item["title"] for item in reply["items"]]
            cursor = reply["next"]
            if cursor is None:
                break
            workplace.add(f"Added after page {len(seen)}")

    assert titles[::-1] == seen


@pytest.mark.parametrize("path", ["/memories", "/review", "/sessions", "/runs"])
@pytest.mark.parametrize(
    "query", [{"cursor": "nonsense"}, {"cursor": "WzFd"}, {"limit": "0"}, {"limit": "x"}, {"limit": "99999"}]
)
def test_a_cursor_that_was_not_given_out_is_refused(server: WebServer, path: str, query: dict[str, str]) -> None:
    reply = server.get(path, **query)

    assert 400 == reply.code
    assert set(reply.json) == {"error", "hint", "code"}


def test_what_is_known_already_is_not_sent_again(server: WebServer) -> None:
    first = server.get("/config")

    again = server.ask("GET", "/api/v1/config", If_None_Match=first.headers["etag"])

    assert (304, b"") == (again.code, again.body)
    assert first.headers["etag"] == again.headers["etag"]
    assert 200 == server.ask("GET", "/api/v1/config", If_None_Match='"other"').code


def test_a_head_is_a_get_without_its_body(server: WebServer) -> None:
    reply = server.ask("HEAD", "/api/v1/config")

    assert (200, b"") == (reply.code, reply.body)
    assert server.get("/config").headers["content-length"] == reply.headers["content-length"]


def test_two_writers_of_one_memory_are_shown_both_sides(server: WebServer) -> None:
    """Whoever comes second is told what the first wrote, keeps what they wrote, and nothing is lost."""
    made = server.post("/memories", primitive="decision", title="Cache in Redis").json
    name = f"/api/v1/memories/{made['id']}"
    tag = server.ask("GET", name).headers["etag"]

    first = server.ask("PATCH", name, {"title": "Cache in Valkey"}, If_Match=tag)
    second = server.ask("PATCH", name, {"title": "Cache in memory"}, If_Match=tag)
    third = server.ask("PATCH", name, {"title": "Cache on disk", "base": 1})

    assert 200 == first.code
    for reply, code, mine in ((second, 412, "Cache in memory"), (third, 409, "Cache on disk")):
        assert code == reply.code
        assert mine == reply.json["yours"]["title"]
        assert "Cache in Valkey" == reply.json["current"]["title"]
    assert "Cache in Valkey" == server.ask("GET", name).json["title"]
    assert 200 == server.ask("PATCH", name, {"title": "Cache in memory"}, If_Match=first.headers["etag"]).code


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "/memories/dec-nowhere", None, 404),
        ("GET", "/nothing/here", None, 404),
        ("DELETE", "/memories", {}, 405),
        ("POST", "/memories", {"primitive": "decision"}, 400),
        ("POST", "/memories", {"title": "What is it?"}, 400),
        ("POST", "/memories", {"title": "x", "primitive": "poem"}, 400),
        ("POST", "/memories", {"title": 7, "primitive": "decision"}, 400),
        ("POST", "/memories", {"title": "x", "primitive": "decision", "confidence": True}, 400),
        ("POST", "/memories", {"title": "x\0y", "primitive": "decision"}, 400),
        ("POST", "/memories", {"title": "x", "primitive": "decision", "confidense": 1}, 400),
        ("POST", "/memories", ["no object"], 400),
        ("POST", "/memories", b"{no json", 400),
        ("POST", "/memories", b"[" * 100_000, 400),
        ("POST", "/reset", {"scope": "project", "yes": False}, 400),
        ("GET", "/memories?since=yesterdayish", None, 400),
        ("GET", "/memories?limit=1&limit=2", None, 400),
        ("GET", "/status?project=prj-nobody", None, 404),
        ("GET", "/status?project=..%2f..", None, 404),
        ("GET", "/status?project=%00", None, 404),
        ("GET", "/views/nothing", None, 404),
        ("GET", "/sessions/claude/none", None, 404),
        ("POST", "/projects", {"path": "relative"}, 400),
    ],
)
def test_what_goes_wrong_is_said_in_one_document(
    server: WebServer, method: str, path: str, body: Any, code: int
) -> None:
    reply = server.ask(method, f"/api/v1{path}", body)

    assert code == reply.code, reply.text
    assert "application/json" == reply.headers["content-type"]
    assert {"error", "hint", "code"} == set(reply.json)
    assert code == reply.json["code"]
    assert "Traceback" not in reply.text


def test_what_nobody_expected_is_a_plain_word_and_the_log_has_the_rest(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever breaks below, nobody outside learns how."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr("lerim.service.Lerim.status", broken)
    for path in ("/api/v1/status", "/p/here/health"):
        reply = server.ask("GET", path)
        assert 500 == reply.code
        assert "secret" not in reply.text
        assert "nosniff" == reply.headers["x-content-type-options"]
    # It is written down once the answer is on its way.
    until(lambda: "the secret of the house" in caplog.text)


def test_a_project_is_named_in_the_query(server: WebServer) -> None:
    projects = server.get("/projects").json
    assert [projects[0]["root"]] == [str(server.workplace.project)]

    there = server.get("/status", project=projects[0]["id"])
    everywhere = server.get("/status", project="global")

    assert str(server.workplace.project) == there.json["project"]
    assert everywhere.json["project"] != there.json["project"]


def test_a_sync_is_started_and_what_it_learned_is_there(server: WebServer) -> None:
    started = server.post("/sync")

    assert 202 == started.code
    until(lambda: server.get("/runs").json["items"])
    until(lambda: server.get("/queue").json["counts"]["done"])
    until(lambda: has_ended(started.json["pid"]))
    session = server.get("/sessions").json["items"][0]
    name = f"/sessions/{path_of(session['name'])}"
    assert PNPM in [line.get("text") for line in server.get(f"{name}/trace").json["items"]]
    assert 2 == len(server.get(f"{name}/trace", limit=2).json["items"])
    assert 200 == server.get(f"{name}/sheet").code
    assert session["name"] == server.get(f"{name}/considered").json["session"]
    run = server.get("/runs").json["items"][0]["id"]
    assert run == server.get(f"/runs/{run}", log=1).json["id"]


def has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_was_exported_can_be_imported(server: WebServer) -> None:
    import json

    lines = [json.dumps(record) for record in server.get("/export").json]

    assert len(lines) == server.post("/import", lines=lines).json["same"]
