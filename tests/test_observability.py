"""Status lines and spans: what a run shows, what it keeps to itself, and that watching never breaks it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

import lerim
from lerim.errors import ConfigError, LerimError
from lerim.examples import install
from lerim.observability import Metric, StatusLine, Tracing, TracingOptions, instrumentation, note, span, start_tracing
from lerim.service import Lerim

PACKAGE = str(Path(lerim.__file__).parents[1])
SECRET = "hunter2-in-the-prompt"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


# Status lines


def test_status_lines_are_for_those_who_watch():
    """A terminal gets them, a pipe only when asked for, and nobody when not wanted."""
    said = []
    for stream, wanted in ((Terminal(), None), (io.StringIO(), None), (io.StringIO(), True), (Terminal(), False)):
        StatusLine(stream, wanted=wanted).say("reading claude/4f2a")
        said.append(stream.getvalue())

    assert ["reading claude/4f2a\n", "", "reading claude/4f2a\n", ""] == said


def test_a_status_line_is_one_line_of_plain_text():
    """Whatever a title holds, the cursor stays where it belongs."""
    stream = Terminal()

    StatusLine(stream).say("a\nb\x1b[2J\u202e")

    assert "a b\\x1b[2J\\u202e\n" == stream.getvalue()


def test_a_closed_stream_is_no_failure():
    """Whoever watched went away."""
    stream = Terminal()
    stream.close()

    StatusLine(stream).say("anybody?")


# Off


def test_without_tracing_nothing_is_loaded_and_a_span_is_nothing():
    """No package of OpenTelemetry comes into memory, and no agent is given anything."""
    code = f"""
import sys
sys.path.insert(0, {PACKAGE!r})
from pathlib import Path
from lerim.observability import TracingOptions, instrumentation, span, start_tracing
tracing = start_tracing(TracingOptions(), Path("nowhere"), {{}})
with span(tracing, "lerim.sync", session="a/b") as mark:
    mark.set(added=3)
heavy = ("opentelemetry", "pydantic")
print(tracing, instrumentation(tracing), [name for name in sys.modules if name.startswith(heavy)])
"""
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)

    assert "None [] []\n" == done.stdout


@pytest.mark.parametrize(
    ("enabled", "said", "on"),
    [
        (False, "", False),
        (False, "1", True),
        (False, "true", True),
        (True, "", True),
        (True, "0", False),
        (True, "off", False),
    ],
)
def test_the_environment_wins_over_the_settings(enabled, said, on, tmp_path):
    """`LERIM_TRACING` turns it on and off for once."""
    tracing = start_tracing(TracingOptions(enabled=enabled), tmp_path, {"LERIM_TRACING": said})

    assert on == (tracing is not None)
    if tracing:
        tracing.close()


# Spans of a run, in a file


def traced(home: Path, **options: Any) -> Tracing:
    tracing = start_tracing(
        TracingOptions(enabled=True, **options), home, {}, redact=lambda text: text.replace(SECRET, "[redacted]")
    )
    assert tracing is not None
    return tracing


def spans_in(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted((home / "traces").glob("*")) for line in file.read_text().splitlines()]


def run_agent(tracing: Tracing | None, prompt: str = SECRET) -> None:
    """A run as the runtime makes one: a span around an agent with a tool."""
    agent = Agent(TestModel(), name="lead", instructions=f"Be {SECRET}.", capabilities=instrumentation(tracing))

    @agent.tool_plain
    def grep(pattern: str) -> str:
        """Find words."""
        return f"found {SECRET} in {prompt}"

    with span(tracing, "lerim.sync", session="claude/4f2a", branch=None) as mark:
        # Not `run_sync`: it leaves its event loop open.
        asyncio.run(agent.run(prompt))
        mark.set(added=2, unchanged=1)


def test_a_run_leaves_spans_for_itself_its_requests_and_its_tools(tmp_path):
    """One tree: the run above the agent above requests, with their tokens, and tool calls."""
    with traced(tmp_path) as tracing:
        run_agent(tracing)

    spans = {found["name"]: found for found in spans_in(tmp_path)}
    run, agent = spans["lerim.sync"], spans["invoke_agent lead"]
    assert {"lerim.sync", "invoke_agent lead", "chat test", "execute_tool grep"} == set(spans)
    assert {"lerim.session": "claude/4f2a", "lerim.added": 2, "lerim.unchanged": 1} == run["attributes"]
    assert 1 == len({found["trace_id"] for found in spans.values()})
    assert (None, run["span_id"]) == (run["parent_id"], agent["parent_id"])
    assert spans["chat test"]["attributes"]["gen_ai.usage.input_tokens"] > 0
    assert spans["chat test"]["attributes"]["gen_ai.usage.output_tokens"] > 0
    assert agent["attributes"]["gen_ai.aggregated_usage.input_tokens"] > 0


def test_the_file_of_spans_is_private_and_named_by_day(tmp_path):
    """Nobody but its owner can read it."""
    with traced(tmp_path) as tracing, span(tracing, "lerim.maintain"):
        pass

    (file,) = (tmp_path / "traces").iterdir()
    assert file.name == f"otel-{spans_in(tmp_path)[0]['start'][:10]}.jsonl"
    assert (0o600, 0o700) == tuple(stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent))


def test_spans_carry_no_words_of_a_conversation(tmp_path):
    """Not the prompt, the instructions, what tools took and gave, nor what an error quotes."""

    def stubborn(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart(f"{SECRET} it is")])
        return ModelResponse([ToolCallPart("refuse", {"word": SECRET})])

    with traced(tmp_path) as tracing:
        run_agent(tracing)
        agent = Agent(FunctionModel(stubborn), capabilities=instrumentation(tracing))

        @agent.tool_plain
        def refuse(word: str) -> str:
            """Refuse."""
            raise ModelRetry(f"not {word}")

        asyncio.run(agent.run(SECRET))
        with pytest.raises(LerimError), span(tracing, "lerim.sync"):
            raise LerimError(SECRET)

    text = (next((tmp_path / "traces").iterdir())).read_text()
    assert "execute_tool refuse" in text
    assert "hunter2" not in text


def test_an_error_is_marked_by_its_class(tmp_path):
    """The span says that it failed, and the error goes on its way."""
    with traced(tmp_path) as tracing, pytest.raises(LerimError), span(tracing, "lerim.sync"):
        raise LerimError("no")

    (found,) = spans_in(tmp_path)
    assert ("error", "LerimError") == (found["status"], found["attributes"]["error.type"])


def test_with_content_words_are_there_but_secrets_are_not(tmp_path):
    """Everything that leaves goes through the redaction."""
    with traced(tmp_path, include_httpx=True) as tracing:
        run_agent(tracing, prompt=f"where is {SECRET} kept?")

    text = (next((tmp_path / "traces").iterdir())).read_text()
    assert "where is [redacted] kept?" in text
    assert "hunter2" not in text


# HTTP


def answer(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, json={"said": f"{SECRET} indeed"})


def test_http_requests_are_spans_without_keys(tmp_path):
    """Method, address without its query, status, sizes and redacted bodies; no header, no key."""
    headers = {"Authorization": "Bearer sk-the-key"}
    with traced(tmp_path, include_httpx=True) as tracing, span(tracing, "lerim.sync"):
        client = httpx2.Client(transport=httpx2.MockTransport(answer), headers=headers)
        client.post("https://ada:pass@api.example:8443/v1/chat?key=sk-in-query", json={"prompt": SECRET})
        client.close()

    found = next(item for item in spans_in(tmp_path) if item["name"] == "POST api.example")
    assert {
        "http.request.method": "POST",
        "url.full": "https://api.example:8443/v1/chat",
        "server.address": "api.example",
        "http.request.body.size": len(SECRET) + 13,
        "http.request.body": '{"prompt":"[redacted]"}',
        "http.response.status_code": 200,
        "http.response.body.size": len(SECRET) + 18,
        "http.response.body": '{"said":"[redacted] indeed"}',
    } == found["attributes"]
    text = (next((tmp_path / "traces").iterdir())).read_text()
    assert not [word for word in ("sk-the-key", "sk-in-query", "ada:pass", "hunter2") if word in text]


def test_requests_of_async_clients_are_spans_and_streams_are_left_alone(tmp_path):
    """Providers' clients are asynchronous; a stream still reaches whoever asked for it, piece by piece."""

    async def talk() -> str:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
            await client.get("https://api.example/whole")
            async with client.stream("GET", "https://api.example/stream") as response:
                return "".join([piece async for piece in response.aiter_text()])

    with traced(tmp_path, include_httpx=True):
        streamed = asyncio.run(talk())

    whole, stream = (item["attributes"] for item in spans_in(tmp_path))
    assert f'{{"said":"{SECRET} indeed"}}' == streamed
    assert '{"said":"[redacted] indeed"}' == whole["http.response.body"]
    assert 200 == stream["http.response.status_code"]
    assert "http.response.body" not in stream


def test_a_request_that_fails_is_a_span_with_the_error(tmp_path):
    """The error reaches the caller as it was."""

    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route")

    client = httpx2.Client(transport=httpx2.MockTransport(refuse))
    with traced(tmp_path, include_httpx=True), pytest.raises(httpx2.ConnectError), client:
        client.get("https://api.example/")

    (found,) = spans_in(tmp_path)
    assert "ConnectError" == found["attributes"]["error.type"]


def test_http_is_left_alone_when_tracing_ends_and_when_not_asked_for(tmp_path):
    """The clients are as they were before."""
    before = httpx2.Client.send, httpx2.AsyncClient.send
    with traced(tmp_path):
        without = httpx2.Client.send, httpx2.AsyncClient.send
    traced(tmp_path, include_httpx=True).close()

    assert before == without == (httpx2.Client.send, httpx2.AsyncClient.send)


def test_a_providers_own_client_is_traced(tmp_path, collector):
    """The client of OpenAI, as pydantic-ai uses it, on a real socket."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=collector.url, api_key="sk-the-key")
    with traced(tmp_path, include_httpx=True) as tracing:
        agent = Agent(OpenAIChatModel("small", provider=provider), capabilities=instrumentation(tracing))
        assert "yes" == asyncio.run(agent.run(f"is {SECRET} there?")).output

    text = (next((tmp_path / "traces").iterdir())).read_text()
    found = {item["name"]: item["attributes"] for item in spans_in(tmp_path)}
    assert f"{collector.url}/chat/completions" == found["POST 127.0.0.1"]["url.full"]
    assert "is [redacted] there?" in found["POST 127.0.0.1"]["http.request.body"]
    assert not [word for word in ("sk-the-key", "hunter2") if word in text]


# Collectors


@dataclass
class Collector:
    """A server on this machine that takes spans, and answers as a model does."""

    url: str = ""
    status: int = 200
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def metrics(self) -> dict[str, list[Any]]:
        """The points of each metric, as they came."""
        bodies = [body for path, _, body in self.got if path.endswith("/v1/metrics")]
        found = [ExportMetricsServiceRequest.FromString(body) for body in bodies]
        metrics = [
            item for batch in found for r in batch.resource_metrics for s in r.scope_metrics for item in s.metrics
        ]
        return {item.name: list(getattr(item, str(item.WhichOneof("data"))).data_points) for item in metrics}

    def spans(self) -> list[Any]:
        found = [ExportTraceServiceRequest.FromString(body) for path, _, body in self.got if "traces" in path]
        return [item for batch in found for r in batch.resource_spans for s in r.scope_spans for item in s.spans]


ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "small",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes"}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8},
}


@pytest.fixture
def collector() -> Iterator[Collector]:
    taken = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.got.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            said = json.dumps(ANSWER).encode() if self.path.endswith("completions") else b""
            self.send_response(taken.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *words: object) -> None:
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        taken.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield taken
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("by", ["settings", "environment"])
def test_an_otlp_collector_receives_the_spans(by, collector, tmp_path):
    """As protobuf, at the path the protocol names, wherever the endpoint is said."""
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url} if by == "environment" else {}
    endpoint = collector.url if by == "settings" else ""
    tracing = start_tracing(TracingOptions(True, "otlp", endpoint), tmp_path, env)
    assert tracing is not None

    with tracing:
        run_agent(tracing)

    assert {"/v1/traces"} == {path for path, _, _ in collector.got}
    assert {"lerim.sync", "invoke_agent lead", "chat test", "execute_tool grep"} == {s.name for s in collector.spans()}
    assert b"hunter2" not in b"".join(body for _, _, body in collector.got)


def test_logfire_receives_the_spans_with_the_token(collector, tmp_path):
    """The token is read from the environment; the address may be that of one's own server."""
    env = {"LOGFIRE_TOKEN": "pylf_v1_eu_abc", "LOGFIRE_BASE_URL": collector.url}
    tracing = start_tracing(TracingOptions(True, "logfire"), tmp_path, env)
    assert tracing is not None

    with tracing, span(tracing, "lerim.ask"):
        pass

    ((path, headers, _),) = collector.got
    assert ("/v1/traces", "pylf_v1_eu_abc") == (path, headers["authorization"])
    assert ["lerim.ask"] == [found.name for found in collector.spans()]


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_collector_that_refuses_is_told_once(status, collector, tmp_path, capfd):
    """One line, and the run is none the worse."""
    collector.status, told = status, list[str]()
    tracing = start_tracing(TracingOptions(True, "otlp", collector.url), tmp_path, {}, tell=told.append)
    assert tracing is not None

    with tracing:
        run_agent(tracing)

    assert [f"no spans reach {collector.url}/v1/traces (not taken); the run goes on without them"] == told
    assert ("", "") == capfd.readouterr()


def test_a_collector_that_is_down_is_told_once(tmp_path, capfd):
    """Nobody listens there: the run goes on, and nothing else is printed."""
    told = list[str]()
    tracing = start_tracing(TracingOptions(True, "otlp", "http://ada:pw@127.0.0.1:9"), tmp_path, {}, tell=told.append)
    assert tracing is not None

    with tracing:
        run_agent(tracing)

    assert ["no spans reach 127.0.0.1:9/v1/traces (not taken); the run goes on without them"] == told
    assert ("", "") == capfd.readouterr()


def test_a_disk_that_refuses_is_told_once(tmp_path):
    """A file lies where the folder should be."""
    (tmp_path / "traces").write_text("in the way")
    told = list[str]()
    tracing = start_tracing(TracingOptions(True), tmp_path, {}, tell=told.append)
    assert tracing is not None

    with tracing:
        run_agent(tracing)

    assert [f"no spans reach {tmp_path}/traces (FileExistsError); the run goes on without them"] == told


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path):
    """Spans do not land where somebody points."""
    with traced(tmp_path) as tracing, span(tracing, "lerim.sync"):
        pass
    (file,) = (tmp_path / "traces").iterdir()
    file.unlink()
    os.symlink(tmp_path / "elsewhere", file)

    with traced(tmp_path) as tracing, span(tracing, "lerim.sync"):
        pass

    assert not (tmp_path / "elsewhere").exists()


# What is missing


@pytest.mark.parametrize(
    ("exporter", "words"), [("otlp", "no endpoint"), ("logfire", "no token"), ("carrier pigeon", "is none")]
)
def test_what_an_exporter_lacks_is_said_before_the_run(exporter, words, tmp_path):
    """With the setting or variable that helps."""
    with pytest.raises(ConfigError, match=words) as raised:
        start_tracing(TracingOptions(True, exporter), tmp_path, {})

    assert raised.value.hint


@pytest.mark.parametrize(
    ("exporter", "package"),
    [("file", "opentelemetry.sdk.trace"), ("otlp", "opentelemetry.exporter.otlp.proto.http.trace_exporter")],
)
def test_a_missing_package_says_what_to_install(exporter, package, tmp_path, monkeypatch):
    """Tracing is an extra."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(LerimError, match="not installed") as raised:
        start_tracing(TracingOptions(True, exporter, "http://127.0.0.1:9"), tmp_path, {})

    assert "pip install 'lerim[tracing]'" == raised.value.hint


# Metrics


def attributes(point: Any) -> dict[str, str]:
    return {item.key: item.value.string_value for item in point.attributes}


def test_an_otlp_collector_receives_what_was_counted_timed_and_stated(collector, tmp_path):
    """A counter adds up, a distribution has its values, and a gauge its last."""
    with start_tracing(TracingOptions(True, "otlp", collector.url), tmp_path, {}) as tracing:
        for agent in ("claude", "claude", "codex"):
            note(tracing, Metric.SESSIONS, agent=agent)
        for seconds in (0.02, 0.2):
            note(tracing, Metric.SEARCH_DURATION, seconds)
        for waiting in (7, 3):
            note(tracing, Metric.WAITING, waiting)

    found = collector.metrics()
    assert {"lerim.sessions", "lerim.search.duration", "lerim.sessions.waiting"} == set(found)
    assert {"claude": 2, "codex": 1} == {
        attributes(point)["lerim.agent"]: point.as_int for point in found["lerim.sessions"]
    }
    (times,) = found["lerim.search.duration"]
    assert (2, pytest.approx(0.22)) == (times.count, times.sum)
    assert [3] == [point.as_int or point.as_double for point in found["lerim.sessions.waiting"]]
    assert {"/v1/metrics"} == {path for path, _, _ in collector.got}


@pytest.mark.parametrize(
    ("env", "path"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "{url}"}, "/v1/metrics"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "{url}", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "{url}/mine"}, "/mine"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "{url}/spans"}, None),
    ],
)
def test_metrics_go_where_the_environment_says(env, path, collector, tmp_path):
    """Beside the spans, to an address of their own, or nowhere when only that of the spans is named."""
    told = {name: value.format(url=collector.url) for name, value in env.items()}
    with start_tracing(TracingOptions(True, "otlp"), tmp_path, told) as tracing:
        note(tracing, Metric.RUNS)

    assert [path] * bool(path) == [one for one, _, _ in collector.got]


def test_without_anything_to_count_nothing_is_sent(collector, tmp_path):
    """No empty delivery at the end."""
    with start_tracing(TracingOptions(True, "otlp", collector.url), tmp_path, {}):
        pass

    assert [] == collector.got


def test_logfire_receives_metrics_with_the_token(collector, tmp_path):
    """The same address and token as for spans."""
    env = {"LOGFIRE_TOKEN": "pylf_v1_eu_abc", "LOGFIRE_BASE_URL": collector.url}
    with start_tracing(TracingOptions(True, "logfire"), tmp_path, env) as tracing:
        note(tracing, Metric.SEARCHES)

    ((path, headers, _),) = collector.got
    assert ("/v1/metrics", "pylf_v1_eu_abc") == (path, headers["authorization"])


def test_a_collector_that_refuses_metrics_is_told_once(collector, tmp_path, capfd):
    """And the run goes on."""
    collector.status, told = 400, list[str]()
    tracing = start_tracing(TracingOptions(True, "otlp", collector.url), tmp_path, {}, tell=told.append)
    note(tracing, Metric.SEARCHES)
    tracing.close()

    assert [f"no metrics reach {collector.url}/v1/metrics (not taken); the run goes on without them"] == told
    assert ("", "") == capfd.readouterr()


def test_metrics_in_a_file_are_private_lines_named_by_day(tmp_path):
    """Beside the spans, one point a line."""
    with traced(tmp_path) as tracing:
        note(tracing, Metric.TOKENS, 120, direction="input", run="sync")
        note(tracing, Metric.SESSION_WAIT, 90.5, agent="claude")

    (file,) = (tmp_path / "traces").iterdir()
    points = {found["name"]: found for found in map(json.loads, file.read_text().splitlines())}
    assert file.name == f"metrics-{points['lerim.tokens']['at'][:10]}.jsonl"
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert (120, {"lerim.direction": "input", "lerim.run": "sync"}) == (
        points["lerim.tokens"]["value"],
        points["lerim.tokens"]["attributes"],
    )
    assert (1, 90.5, "s") == tuple(points["lerim.session.wait"][name] for name in ("count", "sum", "unit"))


def test_a_sync_and_a_search_are_counted(collector, tmp_path):
    """Sessions and runs, what they wrote, how long they waited and took, what waits still; by the settings."""
    home, project = tmp_path / "home", tmp_path / "shop"
    project.mkdir()
    home.mkdir()
    (home / "config.toml").write_text(f'[tracing]\nenabled = true\nexporter = "otlp"\nendpoint = "{collector.url}"\n')
    install(tmp_path, project, datetime.now(UTC))
    with Lerim(project, env={"HOME": str(tmp_path), "LERIM_HOME": str(home)}) as one:
        one.setup.init()
        (taken,) = one.sync(limit=1)
        one.search("pytest")

    found = collector.metrics()
    assert taken.result is not None
    assert [taken.session.agent] == [attributes(point)["lerim.agent"] for point in found["lerim.sessions"]]
    assert {("sync", "done")} == {
        (attributes(point)["lerim.run"], attributes(point)["lerim.outcome"]) for point in found["lerim.runs"]
    }
    assert 1 == sum(point.count for point in found["lerim.run.duration"])
    assert all(point.sum > 3_600 for point in found["lerim.session.wait"])
    assert sum(taken.result.counts.values()) == sum(point.as_int for point in found["lerim.writes"])
    assert [5] == [point.as_int or point.as_double for point in found["lerim.sessions.waiting"]]
    assert 1 == sum(point.as_int for point in found["lerim.searches"])
    assert 1 == sum(point.count for point in found["lerim.search.duration"])
