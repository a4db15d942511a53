"""A request to a model: within the budget, entered in the books, tried again, explained when it fails.

Loads pydantic-ai: only who asks a model imports this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai import RunContext, exceptions
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from lerim.config.settings import Provider
from lerim.errors import HeldBack, LerimError, ModelError, ModelNotReady, ModelUnavailable
from lerim.llm.answers import AskedRequest, KeptAnswers, canonical
from lerim.llm.books import Books
from lerim.llm.endpoints import CHECK, Endpoint
from lerim.llm.prices import Tokens, tokens_of
from lerim.llm.programs import PROGRAMS, ProgramFailure
from lerim.llm.transport import BoundedClient, UnfitAnswer, printable, without_key
from lerim.llm.usage import LONGEST_HOLD, Spending

#: How a request waits before it is tried again.
Sleep = Callable[[float], Awaitable[None]]

#: How often a request is made at most before the next model is asked.
TRIES = 3
#: Seconds before the second try, and the third, when the provider does not say.
WAITS = (1.0, 4.0)
#: A provider that asks for a longer wait is given up.
LONGEST_WAIT = 60.0
#: So often a request waits for its turn when all runs together may make only so many in a minute.
_MOST_MINUTES = 20
_LONGEST_QUOTE = 200
_MOST_READ = 20_000
#: More than any model reads or says at once, and more than any request costs: what is above is not counted but made up.
_MOST_TOKENS = 20_000_000
_MOST_USD = 1_000.0
#: Failures that pass. A timeout is none of them: the request had all the time the settings give it.
_PASSING = (
    exceptions.ModelRateLimitError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
)


@dataclass(frozen=True)
class RequestMeter:
    """Where the requests of one model in one run are approved and paid."""

    books: Books
    endpoint: Endpoint
    model: str
    spending: Spending
    timeout_seconds: int
    answers: KeptAnswers | None = None
    #: How a request waits before it is tried again; None for the real thing.
    sleep: Sleep | None = None

    @property
    def name(self) -> str:
        return f"{self.endpoint.provider} {self.model}".strip()

    def enter(self, input_tokens: int) -> int:
        return self.books.enter(self.endpoint, self.model, input_tokens, self.spending)

    def hold(self, seconds: float) -> None:
        """The provider wants no more requests for so long: whoever else asks it waits as well."""
        self.books.ledger.hold(str(self.endpoint.provider), self.model, seconds)

    def held(self) -> float:
        """Seconds for which the provider wanted no more requests, whoever asked."""
        return self.books.ledger.held(str(self.endpoint.provider), self.model)

    def settle(self, number: int, response: ModelResponse, estimated: int) -> ModelResponse:
        """Enter what a response really used; the response, with figures that can be added up."""
        tokens = _counted(response.usage)
        if not tokens.input and not tokens.output:
            # Some servers do not count. An estimate is nearer to the truth than nothing.
            tokens = Tokens(estimated, response_tokens(response))
        self.books.ledger.settle(number, tokens, self._cost(response, tokens))
        usage = RequestUsage(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cache_read,
            cache_write_tokens=tokens.cache_write,
        )
        return replace(response, usage=usage)

    def cancel(self, number: int) -> None:
        self.books.ledger.cancel(number)

    def asked(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> AskedRequest | None:
        """What is asked, by which an earlier answer is found; None when there is none to look for."""
        if self.answers is None or not self.spending.resumes:
            return None
        tools = [*parameters.function_tools, *parameters.output_tools]
        document = {
            "whom": (str(self.endpoint.provider), self.endpoint.base_url, self.model),
            "settings": settings or {},
            "tools": [(tool.name, tool.description, tool.parameters_json_schema) for tool in tools],
            "output": (parameters.output_mode, parameters.output_object, parameters.allow_text_output),
            "messages": [_told(message) for message in messages],
        }
        return AskedRequest(canonical(document))

    def known(self, asked: AskedRequest | None) -> ModelResponse | None:
        """The answer to it, if it was paid for before. It uses nothing this time."""
        if asked is None or self.answers is None:
            return None
        if (text := self.answers.find(asked, self.spending.run_id, self.spending.project_id)) is None:
            return None
        try:
            (response,) = ModelMessagesTypeAdapter.validate_json(text)
        except ValueError:  # of an older release, or not ours
            return None
        return replace(response, usage=RequestUsage()) if isinstance(response, ModelResponse) else None

    def kept(self, asked: AskedRequest | None, response: ModelResponse) -> ModelResponse:
        """The response, known from now on."""
        if asked is not None and self.answers is not None:
            answer = ModelMessagesTypeAdapter.dump_json([response]).decode()
            self.answers.keep(asked, answer, self.spending.run_id, self.spending.project_id)
        return response

    def _cost(self, response: ModelResponse, tokens: Tokens) -> float | None:
        # OpenRouter says what it charged, which is better than any list.
        charged = (response.provider_details or {}).get("cost")
        if isinstance(charged, int | float) and 0 <= charged <= _MOST_USD:
            return float(charged)
        return self.books.cost(self.endpoint, self.model, tokens)


def chain(meters: Sequence[RequestMeter]) -> Model:
    """A model that asks the first one, and the others in order when it fails."""
    asked = [Accounted(meter) for meter in meters]
    if len(asked) == 1:
        return asked[0]
    return _Chain(FallbackModel(asked[0], *asked[1:], fallback_on=(ModelUnavailable,)))


class _Chain(WrapperModel):
    """Fallbacks, with one error at the end instead of a group of them."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        try:
            return await super().request(messages, model_settings, model_request_parameters)
        except exceptions.FallbackExceptionGroup as group:
            failed = group.exceptions
        raise _all_failed(failed)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        opened = super().request_stream(messages, model_settings, model_request_parameters, run_context)
        try:
            async with opened as stream:
                yield stream
                return
        except exceptions.FallbackExceptionGroup as group:
            failed = group.exceptions
        raise _all_failed(failed)


def _all_failed(failed: Sequence[Exception]) -> ModelError:
    return ModelUnavailable("no model answered: " + "; ".join(map(str, failed)), hint=CHECK)


class Accounted(WrapperModel):
    """One model whose requests are checked against the budget, entered in the books and tried again."""

    def __init__(self, meter: RequestMeter) -> None:
        super().__init__(_build(meter.endpoint, meter.model, BoundedClient(meter.endpoint.key)))
        self._meter = meter
        self._nap = meter.sleep or asyncio.sleep

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        asked = self._meter.asked(messages, model_settings, model_request_parameters)
        if (known := self._meter.known(asked)) is not None:
            return known
        estimated = request_tokens(messages, model_request_parameters)
        await self._wait_for_others()
        for wait in (*WAITS[: TRIES - 1], None):
            number = await self._enter(estimated)
            try:
                response = await self._ask(messages, model_settings, model_request_parameters)
                return self._meter.kept(asked, self._meter.settle(number, response, estimated))
            except LerimError:
                raise
            # A provider's package may stumble over an odd answer in any way: whatever it raises, this request failed.
            except Exception as error:
                # AskedRequest for again once: each answer that nobody can read may have been paid for.
                again = wait if wait == WAITS[0] or not _is_garbled(error) else None
                failure, pause = self._failed(number, error), _pause(error, again)
                if isinstance(error, exceptions.ModelRateLimitError):
                    self._meter.hold(_asked_wait(error, pause))
            if pause is None:
                break
            await self._nap(pause)
        # Outside of the handler: the provider's message may hold a key, and would stay attached to the error.
        raise failure

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Like `request`, without further tries: what was streamed cannot be taken back."""
        estimated = request_tokens(messages, model_request_parameters)
        number = self._meter.enter(estimated)
        settings = self._bounded(model_settings)
        try:
            async with asyncio.timeout(self._meter.timeout_seconds), BoundedClient(self._meter.endpoint.key) as wire:
                model = _build(self._meter.endpoint, self._meter.model, wire)
                async with model.request_stream(messages, settings, model_request_parameters, run_context) as stream:
                    yield stream
                    self._meter.settle(number, stream.get(), estimated)
                    return
        except (exceptions.AgentRunError, UnfitAnswer, TimeoutError) as error:
            failure = self._failed(number, error)
        raise failure

    async def _wait_for_others(self) -> None:
        """What a provider said to another run holds for this one. Raises HeldBack when that is too long to wait."""
        seconds = self._meter.held()
        if seconds > LONGEST_WAIT:
            raise HeldBack(f"{self._meter.name} accepts no more requests for now", seconds=seconds)
        if seconds:
            await self._nap(seconds)

    async def _enter(self, estimated: int) -> int:
        """Enter a request as soon as the minute has room for it. Raises HeldBack when others take it all."""
        for _ in range(_MOST_MINUTES):
            try:
                return self._meter.enter(estimated)
            except HeldBack as held:
                seconds = held.seconds
            await self._nap(seconds)
        return self._meter.enter(estimated)

    async def _ask(
        self, messages: list[ModelMessage], settings: ModelSettings | None, parameters: ModelRequestParameters
    ) -> ModelResponse:
        # A wire for each request: nothing stays open, and the next one may come from another event loop.
        async with asyncio.timeout(self._meter.timeout_seconds), BoundedClient(self._meter.endpoint.key) as wire:
            model = _build(self._meter.endpoint, self._meter.model, wire)
            return await model.request(messages, self._bounded(settings), parameters)

    def _bounded(self, settings: ModelSettings | None) -> ModelSettings:
        # The package would try again by itself, unseen by budget and books.
        ours: ModelSettings = {"max_retries": 0, "timeout": float(self._meter.timeout_seconds)}
        return {**(settings or {}), **ours}

    def _failed(self, number: int, error: Exception) -> ModelError:
        if _was_not_served(error):
            self._meter.cancel(number)
        return explain(error, self._meter)


def _was_not_served(error: Exception) -> bool:
    """Whether a failed request surely cost nothing. One whose answer got lost may have been worked on, and be paid."""
    if _unfit(error) is not None:
        return False
    if isinstance(error, ProgramFailure):
        return error.kind in ("missing", "login", "limit")
    if isinstance(error, exceptions.ModelConnectionError):
        return error.phase in ("pool", "connect")
    return isinstance(error, exceptions.ModelHTTPError)


def _asked_wait(error: Exception, pause: float | None) -> float:
    """Seconds that a provider wants to be left alone."""
    asked = getattr(error, "retry_after", None)
    seconds = asked if isinstance(asked, int | float) and asked >= 0 else pause or WAITS[0]
    return min(float(seconds), LONGEST_HOLD)


def _pause(error: Exception, wait: float | None) -> float | None:
    """Seconds until the next try; None without one."""
    passes = isinstance(error, _PASSING) and not isinstance(error, exceptions.ModelTimeoutError)
    if wait is None or not (_is_garbled(error) or (passes and _unfit(error) is None)):
        return None
    asked = getattr(error, "retry_after", None)
    if asked is None:
        return wait
    return max(asked, 0.0) if asked <= LONGEST_WAIT else None


def _is_garbled(error: Exception) -> bool:
    """Whether an answer came that cannot be read: half of it, no JSON, JSON of another shape."""
    if (unfit := _unfit(error)) is not None:
        return unfit.passes
    if isinstance(error, ProgramFailure):
        return error.kind == "garbled"
    if isinstance(error, exceptions.UnexpectedModelBehavior):
        return True
    # Whatever else a provider's package stumbles over is in the answer.
    return not isinstance(error, exceptions.AgentRunError | exceptions.UserError | OSError)


def _unfit(error: BaseException) -> UnfitAnswer | None:
    """What was wrong with an answer that the wire would not hand on, however often it was wrapped since."""
    inner: BaseException | None = error
    while inner is not None and not isinstance(inner, UnfitAnswer):
        inner = inner.__cause__ or inner.__context__
    return inner


def _counted(usage: RequestUsage) -> Tokens:
    """What a server says it counted, as far as these can be counts."""
    return Tokens(*_counts(usage))


def _counts(usage: RequestUsage) -> Iterator[int]:
    for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"):
        count = getattr(usage, name, 0)
        is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS
        yield count if is_count else 0


def request_tokens(messages: list[ModelMessage], parameters: ModelRequestParameters) -> int:
    """About how many tokens a request takes to read."""
    tools = [*parameters.function_tools, *parameters.output_tools]
    described = [f"{tool.name}{tool.description or ''}{tool.parameters_json_schema}" for tool in tools]
    texts = [_text(part) for message in messages for part in message.parts]
    # Every message remembers the instructions of its time; only the newest are sent.
    instructions = [message.instructions or "" for message in messages if isinstance(message, ModelRequest)][-1:]
    return tokens_of(sum(map(len, [*described, *texts, *instructions])))


def response_tokens(response: ModelResponse) -> int:
    """About how many tokens an answer is."""
    return tokens_of(sum(len(_text(part)) for part in response.parts))


def _told(message: ModelMessage) -> tuple[object, ...]:
    """What a message says, without ids and times."""
    parts = [(part.part_kind, getattr(part, "tool_name", None), _text(part)) for part in message.parts]
    return message.kind, getattr(message, "instructions", None), parts


def _text(part: object) -> str:
    """What a part says, or what a tool is called with."""
    return str(getattr(part, "content", None) or getattr(part, "args", None) or "")


# What failed, in words


def explain(error: Exception, meter: RequestMeter) -> ModelError:
    """An error of a provider as one of ours: what failed, on which model, what to do; without any key."""
    name, reason = meter.name, _reason(error, meter.endpoint.key)
    if _unfit(error) is not None:
        return ModelUnavailable(f"{name} gave an unreadable answer: {reason}", hint=CHECK)
    match error:
        case ProgramFailure():
            return _program_failed(error, name, reason)
        case exceptions.ModelAuthenticationError():
            return _refused(meter, error)
        case exceptions.ModelNotFoundError():
            hint = f"look at roles.{meter.endpoint.role}.model and base_url in your config.toml, then: {CHECK}"
            return ModelUnavailable(f"{name} was not found: {reason}", hint=hint)
        case exceptions.ModelQuotaExceededError():
            return ModelUnavailable(f"{name}: the account has no credit left: {reason}", hint="top it up, or wait")
        case exceptions.ModelRateLimitError():
            return ModelUnavailable(f"{name} accepts no more requests for now: {reason}", hint="try again later")
        case exceptions.ModelTimeoutError() | exceptions.ModelRequestTimeout() | TimeoutError():
            hint = f"raise roles.{meter.endpoint.role}.timeout_seconds, or choose a faster model"
            return ModelUnavailable(f"{name} did not answer within {meter.timeout_seconds} seconds", hint=hint)
        case exceptions.ModelConnectionError():
            where = f"{name} at {meter.endpoint.base_url}"
            broke = (
                "cannot be reached" if _was_not_served(error) else "closed the connection in the middle of its answer"
            )
            return ModelUnavailable(f"{where} {broke}", hint=CHECK)
        case exceptions.ModelHTTPError():
            return ModelUnavailable(f"{name} answered with an error ({error.status_code}): {reason}", hint=CHECK)
        case exceptions.UnexpectedModelBehavior() | exceptions.ModelAPIError():
            return ModelUnavailable(f"{name} gave an unreadable answer: {reason}", hint=CHECK)
    return ModelUnavailable(f"{name} failed: {reason}", hint=CHECK)


def _program_failed(error: ProgramFailure, name: str, reason: str) -> ModelError:
    match error.kind:
        case "missing" | "login":
            return ModelNotReady(f"{name} cannot be asked: {reason}", hint=f"start it once and log in, then: {CHECK}")
        case "limit":
            return ModelUnavailable(f"{name} accepts no more requests for now: {reason}", hint="try again later")
        case "garbled":
            return ModelUnavailable(f"{name} gave an unreadable answer: {reason}", hint=CHECK)
    return ModelUnavailable(f"{name} failed: {reason}", hint=CHECK)


def _refused(meter: RequestMeter, error: exceptions.ModelAuthenticationError) -> ModelError:
    """The same key opens no other model, so no other is tried. What the provider says often holds part of the key."""
    status = f" ({error.status_code})" if isinstance(error, exceptions.ModelHTTPError) else ""
    variable = meter.endpoint.variable
    which = f"the key in {variable}" if meter.endpoint.key else "a request without a key"
    return ModelNotReady(f"{meter.name} refused {which}{status}", hint=f"set {variable} to a valid key, then: {CHECK}")


def _reason(error: Exception, key: str | None) -> str:
    """The provider's own words, in one short line that steers no terminal. A key that it repeats is taken out."""
    error = _unfit(error) or error
    body = error.body if isinstance(error, exceptions.ModelAPIError) else None
    if isinstance(body, dict):
        inner = body.get("error", body)
        words = inner.get("message") if isinstance(inner, dict) else inner
    else:
        words = body
    message = str(words or (error.message if isinstance(error, exceptions.AgentRunError) else _named(error)))
    text = without_key(printable(message[:_MOST_READ]), key)
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


def _named(error: Exception) -> str:
    """An error that nobody foresaw: what kind of error it is says more than an empty message."""
    known = isinstance(error, UnfitAnswer | OSError | ProgramFailure)
    return str(error) if known else f"{type(error).__name__}: {error}"


# The models of pydantic-ai


def _build(endpoint: Endpoint, model: str, wire: BoundedClient) -> Model:
    try:
        return _of_provider(endpoint, model, wire)
    except exceptions.UserError as error:  # such as an OpenRouter name without its maker
        problem = f"roles.{endpoint.role}: {' '.join(error.message.split())[:_LONGEST_QUOTE]}"
    raise ModelNotReady(problem, hint=f"correct roles.{endpoint.role}.model in your config.toml, then: {CHECK}")


def _of_provider(endpoint: Endpoint, model: str, wire: BoundedClient) -> Model:
    # Each provider's package is slow, and wanted by its own role only. A server without a key is sent a word instead.
    url, key = endpoint.base_url, endpoint.key or "none"
    if endpoint.provider in PROGRAMS:
        from lerim.llm.program_model import ProgramModel

        return ProgramModel(PROGRAMS[endpoint.provider], model, endpoint.env)
    match endpoint.provider:
        case Provider.ANTHROPIC:
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(model, provider=AnthropicProvider(base_url=url, api_key=key, http_client=wire))
        case Provider.OPENROUTER:
            from pydantic_ai.models.openrouter import OpenRouterModel
            from pydantic_ai.providers.openrouter import OpenRouterProvider

            openrouter = OpenRouterProvider(api_key=key, http_client=wire)
            openrouter.client.base_url = url
            return OpenRouterModel(model, provider=openrouter)
        case Provider.ZAI:
            from pydantic_ai.models.zai import ZaiModel
            from pydantic_ai.providers.zai import ZaiProvider

            return ZaiModel(model, provider=ZaiProvider(base_url=url, api_key=key, http_client=wire))
        case Provider.OLLAMA:
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.providers.ollama import OllamaProvider

            return OllamaModel(model, provider=OllamaProvider(base_url=url, api_key=key, http_client=wire))
        case Provider.OPENAI:
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIChatModel(model, provider=OpenAIProvider(base_url=url, api_key=key, http_client=wire))
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    compatible = OpenAICompatibleProvider(str(endpoint.provider), base_url=url, api_key=key, http_client=wire)
    return OpenAIChatModel(model, provider=compatible)
