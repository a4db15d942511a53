"""A configured role becomes a model: with its fallbacks, its budget and its books."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

from lerim.config.settings import PROGRAM_PROVIDERS, BudgetSettings, Provider, RoleSettings, RolesSettings
from lerim.errors import ModelError, ModelNotReady
from lerim.llm.answers import KeptAnswers
from lerim.llm.books import Books
from lerim.llm.endpoints import CHECK, Endpoint, endpoint_of, is_installed
from lerim.llm.prices import Estimate, Tokens
from lerim.llm.usage import Spending, UsageLedger

if TYPE_CHECKING:
    import dspy  # type: ignore[import-untyped]
    from pydantic_ai.models import Model

    from lerim.llm.requests import RequestMeter, Sleep
    from lerim.observability import Tracing

RoleName = Literal["lead", "explorer", "extract", "summarize"]
ROLE_NAMES: tuple[RoleName, ...] = get_args(RoleName)


def failure_behind(error: BaseException) -> ModelError | None:
    """The error of ours that another library wrapped in one of its own, as dspy does; None without one."""
    inner: BaseException | None = error
    while inner is not None and not isinstance(inner, ModelError):
        inner = inner.__cause__ or inner.__context__
    return inner


class Models:
    """The models of all roles. Nothing is loaded or asked before somebody wants one."""

    def __init__(
        self,
        roles: RolesSettings,
        budget: BudgetSettings,
        env: Mapping[str, str],
        ledger: UsageLedger,
        sleep: Sleep | None = None,
        answers: KeptAnswers | None = None,
    ) -> None:
        self.roles = roles
        self.books = Books(budget, ledger)
        #: What runs were answered before; without, all is asked.
        self.answers = answers
        self._env = env
        #: How requests wait; None for the real thing.
        self._sleep = sleep

    def is_embedded(self, role: RoleName) -> bool:
        return self.role(role).provider is Provider.EMBEDDED

    def is_same(self, one: RoleName, other: RoleName) -> bool:
        """Whether two roles have one model, at one place."""
        mine, theirs = self.role(one), self.role(other)
        return (mine.provider, mine.model, mine.base_url) == (theirs.provider, theirs.model, theirs.base_url)

    def role(self, name: RoleName) -> RoleSettings:
        role: RoleSettings = getattr(self.roles, name)
        return role

    def model(self, role: RoleName, spending: Spending) -> Model:
        """The role's model for one run: budgeted, entered in the books, tried again and replaced by its fallbacks.

        Build one per run: its connections belong to one event loop. Raises ModelError when something is missing to ask
        it. Its requests raise BudgetReached and ModelError.
        """
        configured = self.role(role)
        endpoint = self.endpoint(role)
        for problem in (*self.problems(role), *endpoint.problems):
            raise problem
        from lerim.llm.requests import chain  # Start-up: providers' packages take a second to load.

        return chain([self.meter(role, name, spending) for name in (configured.model, *configured.fallback_models)])

    def meter(self, role: RoleName, model: str, spending: Spending, patience: int | None = None) -> RequestMeter:
        """What approves and pays the requests to one model of a role; each may take `patience` seconds at most."""
        from lerim.llm.requests import RequestMeter  # Start-up, too.

        seconds = self.role(role).timeout_seconds
        seconds = seconds if patience is None else min(seconds, patience)
        return RequestMeter(self.books, self.endpoint(role), model, spending, seconds, self.answers, self._sleep)

    def language_model(self, role: RoleName, spending: Spending, tracing: Tracing | None = None) -> dspy.LM:
        """The same model for dspy, with the same budget, books and fallbacks. Raises ModelError like `model`."""
        if not is_installed("dspy"):
            raise ModelNotReady("the package 'dspy' is not installed", hint="pip install 'lerim[rlm]'")
        self.model(role, spending)  # Report what is missing before the work begins.
        from lerim.llm.language_model import language_model  # Start-up, too.

        return language_model(lambda: self.model(role, spending), self.role(role).model, tracing)

    def estimate(self, role: RoleName, requests: int, tokens: Tokens) -> Estimate:
        """What so many requests cost. Nothing, when the role is embedded."""
        if self.is_embedded(role):
            return Estimate(0, 0, 0, 0.0)
        usd = self.books.cost(self.endpoint(role), self.role(role).model, tokens)
        return Estimate(requests, tokens.input, tokens.output, usd)

    def endpoint(self, role: RoleName) -> Endpoint:
        return endpoint_of(role, self.role(role), self._env)

    def problems(self, role: RoleName) -> list[ModelError]:
        """What the settings of a role leave open."""
        configured = self.role(role)
        if self.is_embedded(role):
            without = "" if role in ("lead", "explorer") else ', or ingest.engine = "auto", which needs none'
            hint = f"set roles.{role}.provider and roles.{role}.model in your config.toml{without}; then: {CHECK}"
            return [ModelNotReady(f"roles.{role}.provider is 'embedded', which has no model to ask", hint=hint)]
        if configured.provider in PROGRAM_PROVIDERS:
            from lerim.llm.programs import PROGRAMS  # Start-up: few have an agent's program read.

            missing = PROGRAMS[configured.provider].problem(self._env)
            return [ModelNotReady(missing, hint=f"install it or log in, then: {CHECK}")] if missing else []
        if not configured.model:
            problem = f"roles.{role}.provider is '{configured.provider}', but roles.{role}.model is empty"
            return [ModelNotReady(problem, hint=f"set roles.{role}.model in your config.toml, then: {CHECK}")]
        return []
