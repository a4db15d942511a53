"""What a run lets others see: short status lines for people, OpenTelemetry spans and metrics for machines.

Both are off unless asked for. Spans carry no words of a conversation unless asked for that, too; metrics never do.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from lerim.dataclass import dataclass
from lerim.errors import ConfigError, LerimError
from lerim.printable import one_line
from lerim.private import make_private

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricExporter as _MetricExporter
    from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter as _SpanExporter
    from opentelemetry.sdk.trace.export import SpanExportResult
    from opentelemetry.trace import Span
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.models.instrumented import InstrumentationSettings
else:
    # Start-up: who traces nothing must not load the tracing stack. An exporter is known by its methods, not its base.
    _SpanExporter = _MetricExporter = object

Tell = Callable[[str], None]
Redact = Callable[[str], str]
Value = str | int | float | bool

#: A collector that does not answer by then is not waited for: spans are worth less than the run.
TIMEOUT_SECONDS = 2.0
#: Characters kept of an HTTP body.
MAX_BODY = 65_536
_OFF = frozenset({"0", "false", "no", "off"})
_INSTALL = "pip install 'lerim[tracing]'"
#: The regions of Logfire, as its tokens name them: `pylf_v1_eu_…`.
_LOGFIRE = {"us": "https://logfire-us.pydantic.dev", "eu": "https://logfire-eu.pydantic.dev"}


def _nobody(text: str) -> None:
    """Tell nobody."""


# --- for people -------------------------------------------------------------------------------------------------------


class StatusLine:
    """Short lines on standard error about what goes on. Silent when nobody watches, unless wanted all the same."""

    def __init__(self, stream: TextIO | None = None, *, wanted: bool | None = None) -> None:
        self._stream = stream or sys.stderr
        self.speaks = self._stream.isatty() if wanted is None else wanted

    def say(self, text: str) -> None:
        """One line. What could move a terminal's cursor is spelled out; a stream that is gone is no failure."""
        if self.speaks:
            with suppress(OSError, ValueError):
                self._stream.write(one_line(text) + "\n")
                self._stream.flush()


# --- for machines -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TracingOptions:
    """What the settings say about tracing. `exporter` is "file", "otlp" or "logfire"."""

    enabled: bool = False
    exporter: str = "file"
    endpoint: str = ""
    #: HTTP requests are spans, too; and they and the spans of models carry the conversation, redacted.
    include_httpx: bool = False


def start_tracing(
    options: TracingOptions, home: Path, env: Mapping[str, str], *, redact: Redact = str, tell: Tell = _nobody
) -> Tracing | None:
    """Tracing, or None when it is off. `LERIM_TRACING` in the environment wins over the settings.

    Raises LerimError when a package is missing, ConfigError when the exporter lacks its endpoint or token.
    What goes wrong later is reported once through `tell` and stops nobody.
    """
    if not _is_wanted(options, env):
        return None
    try:
        # Start-up: a tenth of a second that only tracing pays for.
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        resource = Resource.create({"service.name": "lerim"})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        provider.add_span_processor(_processor(options, home, env, redact, tell))
        meters = _meters(options, home, env, resource, tell)
    except ImportError as error:
        raise LerimError(f"tracing needs a package that is not installed: {error.name}", hint=_INSTALL) from error
    return Tracing(provider, content=options.include_httpx, redact=redact, meters=meters)


def _is_wanted(options: TracingOptions, env: Mapping[str, str]) -> bool:
    value = env.get("LERIM_TRACING", "").strip().lower()
    return value not in _OFF if value else options.enabled


@contextmanager
def span(tracing: Tracing | None, name: str, **attributes: Value | None) -> Iterator[Mark]:
    """A span around a piece of work, such as `lerim.sync`; nothing at all without tracing."""
    if tracing is None:
        yield Mark(None)
        return
    with tracing.span(name, **attributes) as mark:
        yield mark


def note(tracing: Tracing | None, metric: Metric, value: float = 1, **attributes: Value | None) -> None:
    """Count, time or state something, such as `Metric.SESSIONS`; nothing at all without tracing."""
    if tracing is not None:
        tracing.note(metric, value, _named(attributes))


def instrumentation(tracing: Tracing | None) -> list[AbstractCapability[Any]]:
    """What an agent is given as `capabilities`, so that its requests and tools are spans: [] without tracing."""
    return [] if tracing is None else [tracing.instrumentation()]


class Metric(StrEnum):
    """What is counted and timed. Names are those that collectors show."""

    SESSIONS = "lerim.sessions"
    SESSION_WAIT = "lerim.session.wait"
    WAITING = "lerim.sessions.waiting"
    RUNS = "lerim.runs"
    RUN_DURATION = "lerim.run.duration"
    TOKENS = "lerim.tokens"
    WRITES = "lerim.writes"
    SEARCHES = "lerim.searches"
    SEARCH_DURATION = "lerim.search.duration"


class Mark:
    """A span while it is open: what becomes known during the work is added to it."""

    def __init__(self, span: Span | None) -> None:
        self._span = span

    def set(self, **attributes: Value | None) -> None:
        """Add what is known now. None is left out."""
        if self._span is not None:
            self._span.set_attributes(_named(attributes))


class Tracing:
    """Spans and metrics on their way to one exporter. `close` sends what is left, and waits for it only briefly."""

    def __init__(
        self, provider: TracerProvider, *, content: bool, redact: Redact, meters: MeterProvider | None = None
    ) -> None:
        self.provider = provider
        self._meters = meters
        self._instruments: dict[Metric, Callable[[float, Mapping[str, Value]], None]] = {}
        self.content = content
        self._redact = redact
        self._tracer = provider.get_tracer("lerim")
        self._undo = _watch_http(self) if content else []

    def __enter__(self) -> Tracing:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def span(self, name: str, **attributes: Value | None) -> Iterator[Mark]:
        """An open span. An error is marked by its class alone: its message may quote the conversation."""
        with self._open(name, _named(attributes)) as opened:
            yield Mark(opened)

    def note(self, metric: Metric, value: float, attributes: Mapping[str, Value]) -> None:
        """Add to a counter, note one value of a distribution, or say how many there are now: as the metric is."""
        if self._meters is not None:
            if metric not in self._instruments:
                self._instruments[metric] = _instrument(self._meters, metric)
            self._instruments[metric](value, attributes)

    def instrumentation(self) -> AbstractCapability[Any]:
        """pydantic-ai's spans for this exporter: one per run, per request with its tokens, and per tool call."""
        from pydantic_ai.capabilities import Instrumentation  # Start-up: only a run has agents.

        return Instrumentation(self.of_agents())

    def of_agents(self) -> InstrumentationSettings:
        """How pydantic-ai makes its spans."""
        from pydantic_ai.models.instrumented import InstrumentationSettings  # As above.

        # The parameters repeat every tool's schema in each span; with words off they are noise.
        content = self.content
        return InstrumentationSettings(
            tracer_provider=self.provider,
            include_content=content,
            include_binary_content=False,
            include_model_request_parameters=content,
        )

    def close(self) -> None:
        """Send what is left. Never raises, and waits about as long as one request may take."""
        for undo in self._undo:
            undo()
        self._undo = []
        with suppress(Exception):  # Whatever an exporter does at the end, the run is over and was fine.
            self.provider.shutdown()
        with suppress(Exception):
            if self._meters is not None:
                self._meters.shutdown(timeout_millis=TIMEOUT_SECONDS * 1000)

    @contextmanager
    def _open(self, name: str, attributes: Mapping[str, Value]) -> Iterator[Span]:
        from opentelemetry.trace import StatusCode

        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as opened:
            try:
                yield opened
            except BaseException as error:
                opened.set_attribute("error.type", type(error).__qualname__)
                opened.set_status(StatusCode.ERROR)
                raise

    @contextmanager
    def request(self, request: Any, *, streamed: bool) -> Iterator[Callable[[Any], None]]:
        """A span around one HTTP request. What is yielded takes the response."""
        url = request.url
        address = self._redact(f"{url.scheme}://{url.netloc.decode('ascii', 'replace').rpartition('@')[2]}{url.path}")
        about = {"http.request.method": request.method, "url.full": address, "server.address": url.host}
        with self._open(f"{request.method} {url.host}", about) as opened:
            self._add_body(opened, "request", request)

            def answered(response: Any) -> None:
                opened.set_attribute("http.response.status_code", response.status_code)
                if not streamed:  # A stream belongs to whoever asked for it; reading it here would hold it up.
                    self._add_body(opened, "response", response)

            yield answered

    def _add_body(self, opened: Span, which: str, message: Any) -> None:
        # Headers are never looked at: they carry the keys. A body that is still to be streamed is left alone.
        with suppress(RuntimeError):
            body: bytes = message.content
            opened.set_attribute(f"http.{which}.body.size", len(body))
            # Redacted before it is cut, or half a secret would not be known for one.
            text = self._redact(body.decode("utf-8", "backslashreplace"))
            opened.set_attribute(f"http.{which}.body", text[:MAX_BODY])


def _named(attributes: Mapping[str, Value | None]) -> dict[str, Value]:
    return {f"lerim.{name}": value for name, value in attributes.items() if value is not None}


# --- HTTP -------------------------------------------------------------------------------------------------------------


def _watch_http(tracing: Tracing) -> list[Callable[[], None]]:
    """Make every request of the providers' clients a span. What is returned takes that back."""
    # The clients of OpenAI and Anthropic are built on httpx2, older ones on httpx. Each is watched where all its
    # requests pass, because the clients build their own and take no hooks from us.
    found = []
    for name in ("httpx2", "httpx"):
        with suppress(ImportError):
            module = import_module(name)
            found += [_watch(module.Client, tracing, _sent), _watch(module.AsyncClient, tracing, _sent_async)]
    return found


def _watch(client: Any, tracing: Tracing, wrap: Callable[[Any, Tracing], Any]) -> Callable[[], None]:
    original = client.send
    client.send = wrap(original, tracing)
    return lambda: setattr(client, "send", original)


def _sent(original: Any, tracing: Tracing) -> Any:
    def send(client: Any, request: Any, **options: Any) -> Any:
        with tracing.request(request, streamed=bool(options.get("stream"))) as answered:
            response = original(client, request, **options)
            answered(response)
            return response

    return send


def _sent_async(original: Any, tracing: Tracing) -> Any:
    async def send(client: Any, request: Any, **options: Any) -> Any:
        with tracing.request(request, streamed=bool(options.get("stream"))) as answered:
            response = await original(client, request, **options)
            answered(response)
            return response

    return send


# --- metrics ----------------------------------------------------------------------------------------------------------

#: Seconds between two deliveries of a process that goes on; one that ends delivers then.
DELIVERY_SECONDS = 60.0
#: From a search of some milliseconds to a session that waits for a day.
_SECONDS = (
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
    60.0,
    300.0,
    900.0,
    3600.0,
    14_400.0,
    86_400.0,
)


def _instrument(meters: MeterProvider, metric: Metric) -> Callable[[float, Mapping[str, Value]], None]:
    meter = meters.get_meter("lerim")
    if metric is Metric.WAITING:
        return meter.create_gauge(metric).set
    if metric in (Metric.RUN_DURATION, Metric.SESSION_WAIT, Metric.SEARCH_DURATION):
        return meter.create_histogram(metric, "s", explicit_bucket_boundaries_advisory=_SECONDS).record
    return meter.create_counter(metric).add


def _meters(
    options: TracingOptions, home: Path, env: Mapping[str, str], resource: Resource, tell: Tell
) -> MeterProvider | None:
    """Metrics to where spans go; None where the environment names an address for spans alone."""
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    exporter = _metric_exporter(options, home, env, tell)
    if exporter is None:
        return None
    reader = PeriodicExportingMetricReader(exporter, DELIVERY_SECONDS * 1000, TIMEOUT_SECONDS * 1000)
    return MeterProvider([reader], resource, shutdown_on_exit=False)


def _metric_exporter(options: TracingOptions, home: Path, env: Mapping[str, str], tell: Tell) -> CarefulMetrics | None:
    if options.exporter == "file":
        return CarefulMetrics(MetricFile(home / "traces"), str(home / "traces"), tell)
    headers = None
    if options.exporter == "logfire":
        address, token = _logfire_address(env)
        headers = {"Authorization": token}
    else:
        address = _otlp_address(options.endpoint, env)
    address = _metrics_address(address, options.endpoint, env)
    if not address:
        return None
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    sender = OTLPMetricExporter(
        endpoint=address, headers=headers, timeout=TIMEOUT_SECONDS, preferred_temporality=_deltas()
    )
    return CarefulMetrics(sender, address, tell)


def _metrics_address(spans: str, endpoint: str, env: Mapping[str, str]) -> str:
    """Beside the address of the spans, unless the environment names one; nothing where it names that of spans only."""
    if not endpoint and (whole := env.get("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")):
        return whole
    return f"{spans.removesuffix('/v1/traces')}/v1/metrics" if spans.endswith("/v1/traces") else ""


def _deltas() -> dict[type, Any]:
    # Most processes live for seconds: what each adds is added up by whoever collects.
    from opentelemetry.sdk.metrics import Counter, Histogram
    from opentelemetry.sdk.metrics.export import AggregationTemporality

    return dict.fromkeys((Counter, Histogram), AggregationTemporality.DELTA)


class CarefulMetrics(_MetricExporter):
    """An exporter that says a failure once, and then gives up instead of failing on."""

    def __init__(self, inner: Any, where: str, tell: Tell) -> None:
        self._inner = inner
        self._where = where.rpartition("@")[2]  # An address may carry a password.
        self._tell = tell
        self._given_up = False
        # What readers of metrics ask of an exporter.
        self._preferred_temporality = _deltas()
        self._preferred_aggregation: dict[type, Any] = {}

    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **more: Any) -> MetricExportResult:
        from opentelemetry.sdk.metrics.export import MetricExportResult

        if self._given_up:
            return MetricExportResult.FAILURE
        try:
            result, why = self._inner.export(metrics_data, timeout_millis), "not taken"
        except Exception as error:  # Whatever it is, a run must not fail by being watched.
            result, why = MetricExportResult.FAILURE, type(error).__name__
        if result is not MetricExportResult.SUCCESS:
            self._given_up = True
            self._tell(f"no metrics reach {self._where} ({why}); the run goes on without them")
        return MetricExportResult(result)

    def shutdown(self, timeout_millis: float = 30_000, **more: Any) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return True


class MetricFile:
    """What a process counted as JSON lines in `metrics-<date>.jsonl`, readable by its owner only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000) -> MetricExportResult:
        from opentelemetry.sdk.metrics.export import MetricExportResult

        make_private(self.folder)
        for day, line in _metric_lines(metrics_data):
            _append(self.folder / f"metrics-{day}.jsonl", line)
        return MetricExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing is held back."""


def _metric_lines(data: MetricsData) -> Iterator[tuple[str, str]]:
    """The day of each point, and the point as one line of JSON."""
    metrics = [one for parts in data.resource_metrics for scope in parts.scope_metrics for one in scope.metrics]
    for metric in metrics:
        for point in metric.data.data_points:
            fields: dict[str, Any] = {"name": metric.name, "at": _moment(point.time_unix_nano), "unit": metric.unit}
            for name in ("value", "count", "sum", "min", "max"):
                if hasattr(point, name):
                    fields[name] = getattr(point, name)
            fields["attributes"] = dict(point.attributes or {})
            yield _day(point.time_unix_nano), json.dumps(fields, ensure_ascii=False, default=str)


# --- where spans go ---------------------------------------------------------------------------------------------------


def _processor(
    options: TracingOptions, home: Path, env: Mapping[str, str], redact: Redact, tell: Tell
) -> SpanProcessor:
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    clean = redact if options.include_httpx else None
    match options.exporter:
        case "file":
            # Written as each span ends: cheap, and a killed run leaves what it had.
            return SimpleSpanProcessor(Careful(FileExporter(home / "traces"), str(home / "traces"), clean, tell))
        case "otlp":
            address = _otlp_address(options.endpoint, env)
            return BatchSpanProcessor(Careful(_otlp(address, None), address, clean, tell))
        case "logfire":
            address, token = _logfire_address(env)
            return BatchSpanProcessor(Careful(_otlp(address, {"Authorization": token}), address, clean, tell))
        case other:
            raise ConfigError(f"tracing.exporter: '{other}' is none", hint="choose one of file, otlp, logfire")


def _otlp(address: str, headers: dict[str, str] | None) -> _SpanExporter:
    import logging

    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    # It reports each failed attempt to standard error; `Careful` says it once, in a line.
    logging.getLogger("opentelemetry.exporter.otlp").addHandler(logging.NullHandler())
    logging.getLogger("opentelemetry.exporter.otlp").propagate = False
    return OTLPSpanExporter(endpoint=address, headers=headers, timeout=TIMEOUT_SECONDS)


def _otlp_address(endpoint: str, env: Mapping[str, str]) -> str:
    if not endpoint and (whole := env.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")):
        return whole
    base = (endpoint or env.get("OTEL_EXPORTER_OTLP_ENDPOINT") or "").rstrip("/")
    if not base:
        hint = "set tracing.endpoint, or OTEL_EXPORTER_OTLP_ENDPOINT in the environment"
        raise ConfigError("tracing.exporter is 'otlp' and no endpoint is set", hint=hint)
    return base if base.endswith("/v1/traces") else f"{base}/v1/traces"


def _logfire_address(env: Mapping[str, str]) -> tuple[str, str]:
    """Logfire's OTLP address for the token's region, and the token. It is read from the environment only."""
    token = env.get("LOGFIRE_TOKEN", "").strip()
    if not token:
        hint = "set LOGFIRE_TOKEN in the environment"
        raise ConfigError("tracing.exporter is 'logfire' and there is no token", hint=hint)
    base = env.get("LOGFIRE_BASE_URL") or _LOGFIRE["eu" if "_eu_" in token else "us"]
    return f"{base.rstrip('/')}/v1/traces", token


class Careful(_SpanExporter):
    """An exporter that takes secrets out first, says a failure once, and then gives up instead of failing on."""

    def __init__(self, inner: _SpanExporter, where: str, redact: Redact | None, tell: Tell) -> None:
        self._inner = inner
        self._where = where.rpartition("@")[2]  # An address may carry a password.
        self._redact = redact
        self._tell = tell
        self._given_up = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        from opentelemetry.sdk.trace.export import SpanExportResult

        if self._given_up:
            return SpanExportResult.FAILURE
        try:
            clean = [_redacted(span, self._redact) for span in spans] if self._redact else spans
            result, why = self._inner.export(clean), "not taken"
        except Exception as error:  # Whatever it is, a run must not fail by being watched.
            result, why = SpanExportResult.FAILURE, type(error).__name__
        if result is not SpanExportResult.SUCCESS:
            self._given_up = True
            self._tell(f"no spans reach {self._where} ({why}); the run goes on without them")
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)


def _redacted(span: ReadableSpan, redact: Redact) -> ReadableSpan:
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.trace import Status

    def clean(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
        return {key: redact(value) if isinstance(value, str) else value for key, value in (attributes or {}).items()}

    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=clean(span.attributes),
        events=[Event(event.name, clean(event.attributes), event.timestamp) for event in span.events],
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code, redact(span.status.description) if span.status.description else None),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


class FileExporter(_SpanExporter):
    """Finished spans as JSON lines in `otel-<date>.jsonl`, readable by their owner only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        from opentelemetry.sdk.trace.export import SpanExportResult

        make_private(self.folder)
        for finished in spans:
            _append(self.folder / f"otel-{_day(finished.end_time)}.jsonl", span_line(finished))
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing is held back."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True


def _append(path: Path, line: str) -> None:
    # One appending call per line, so that runs that go on at once do not mix. No link is followed.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        os.write(file, line.encode("utf-8", "backslashreplace") + b"\n")
    finally:
        os.close(file)


def span_line(finished: ReadableSpan) -> str:
    """A span as one line of JSON, with the names OpenTelemetry gives its parts."""
    context, parent = finished.context, finished.parent
    started, ended = finished.start_time or 0, finished.end_time or 0
    fields = {
        "trace_id": f"{context.trace_id:032x}" if context else None,
        "span_id": f"{context.span_id:016x}" if context else None,
        "parent_id": f"{parent.span_id:016x}" if parent else None,
        "name": finished.name,
        "start": _moment(started),
        "ms": round((ended - started) / 1e6, 3),
        "status": finished.status.status_code.name.lower(),
        "attributes": dict(finished.attributes or {}),
        "events": [{"name": event.name, "attributes": dict(event.attributes or {})} for event in finished.events],
    }
    return json.dumps(fields, ensure_ascii=False, default=str)


def _moment(nanoseconds: int) -> str:
    moment = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _day(nanoseconds: int | None) -> str:
    return _moment(nanoseconds or 0)[:10]
