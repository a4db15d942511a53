"""Whether each role can do its work: settings, packages, keys, and a proof from each model.

A model that says "ok" may still not be able to call a tool or to answer in a given shape. Each role asks its model for
what it will need: the lead and the explorer for a call of a tool and a typed answer, the readers for a typed answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from lerim.config.settings import PROGRAM_PROVIDERS, EngineChoice
from lerim.errors import BudgetReached, ModelError, ModelUnavailable
from lerim.llm.endpoints import CHECK, is_installed, packages
from lerim.llm.models import ROLE_NAMES, Models, RoleName, failure_behind
from lerim.llm.usage import Spending

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

# Enough for models that think before they speak, and next to nothing in money.
_A_FEW_WORDS = 2_000
#: What no model guesses.
_SECRET = 4187
# Seconds. A role may take its time; whoever types a command waits for it.
_PATIENCE = 60


@dataclass(frozen=True)
class ModelCheck:
    """One model of a role. `works` is None when it was not asked."""

    model: str
    works: bool | None
    problem: ModelError | None = None


@dataclass(frozen=True)
class RoleCheck:
    """One role: what is configured, what is missing, and how each of its models answered."""

    role: str
    provider: str
    base_url: str
    #: The variable of the key, and whether it holds something; None where no key exists.
    variable: str | None
    key_set: bool
    #: Packages that are missing.
    missing: tuple[str, ...]
    problems: tuple[ModelError, ...]
    warning: str | None
    models: tuple[ModelCheck, ...]

    @property
    def ok(self) -> bool:
        return not self.problems and all(model.works is not False for model in self.models)


class Need(StrEnum):
    """What a role needs of its model. Who can do one can do those above it."""

    TEXT = "text"
    TYPED = "typed answers"
    TOOLS = "tools"


#: What was asked already: of which provider, where, which model, for what.
_Asked = dict[tuple[str, str, str, Need], ModelCheck]


def check(
    models: Models, spending: Spending, *, offline: bool, engine: EngineChoice = EngineChoice.AUTO
) -> list[RoleCheck]:
    """Every role in turn. Unless offline, each model proves what the role needs; one that several share, once."""
    asked: _Asked = {}
    return [_check_role(models, name, need_of(name, engine), spending, offline, asked) for name in ROLE_NAMES]


def need_of(role: RoleName, engine: EngineChoice) -> Need:
    """What a role needs. The engine rlm asks in plain text, and reads code out of it."""
    if role in ("lead", "explorer"):
        return Need.TOOLS
    return Need.TEXT if engine is EngineChoice.RLM else Need.TYPED


def _check_role(
    models: Models, name: RoleName, need: Need, spending: Spending, offline: bool, asked: _Asked
) -> RoleCheck:
    role, endpoint = models.role(name), models.endpoint(name)
    problems = () if models.is_embedded(name) else (*models.problems(name), *endpoint.problems)
    answers = []
    is_set = role.model or role.provider in PROGRAM_PROVIDERS
    for model in (role.model, *role.fallback_models) if is_set and not models.is_embedded(name) else ():
        whom = (str(role.provider), endpoint.base_url, model)
        if problems or offline:
            answers.append(ModelCheck(model, None))
        elif (known := _known(asked, whom, need)) is not None:
            answers.append(known)
        else:
            answers.append(asked.setdefault((*whom, need), _ask(models, name, model, need, spending)))
    return RoleCheck(
        role=name,
        provider=str(role.provider),
        base_url=endpoint.base_url,
        variable=endpoint.variable,
        key_set=endpoint.key is not None,
        missing=tuple(package for package in packages(role.provider) if not is_installed(package)),
        problems=problems,
        warning=endpoint.warning,
        models=tuple(answers),
    )


def _known(asked: _Asked, whom: tuple[str, str, str], need: Need) -> ModelCheck | None:
    """What was asked of a model already: the same, or something harder that it could do."""
    if (same := asked.get((*whom, need))) is not None:
        return same
    harder = list(Need)[list(Need).index(need) + 1 :]
    return next((one for more in harder if (one := asked.get((*whom, more))) is not None and one.works), None)


def _ask(models: Models, role: RoleName, model: str, need: Need, spending: Spending) -> ModelCheck:
    """Let one model prove what a role needs."""
    import asyncio

    from pydantic_ai.exceptions import AgentRunError, UserError

    from lerim.llm.requests import Accounted

    meter = models.meter(role, model, spending, _PATIENCE)
    try:
        asyncio.run(asyncio.wait_for(_proof(Accounted(meter), need), _PATIENCE))
    except BudgetReached as error:
        return ModelCheck(model, None, error)
    except ModelError as error:
        return ModelCheck(model, False, error)
    except TimeoutError:
        problem = f"{meter.name} did not answer within {_PATIENCE} seconds, in all its tries"
        return ModelCheck(model, False, ModelUnavailable(problem, hint=CHECK))
    except (AgentRunError, UserError) as error:
        if (behind := failure_behind(error)) is not None:
            return ModelCheck(model, isinstance(behind, BudgetReached) and None, behind)
        return ModelCheck(model, False, _cannot(meter.name, role, need))
    return ModelCheck(model, True)


async def _proof(model: Model, need: Need) -> None:
    """One small piece of work. Raises AgentRunError when the model cannot do it."""
    from pydantic import BaseModel, Field
    from pydantic_ai import Agent, ModelRetry, RunContext

    class Proof(BaseModel):
        """The answer."""

        number: int = Field(description="The number.")

    settings: ModelSettings = {"max_tokens": _A_FEW_WORDS}
    if need is Need.TEXT:
        await Agent(model, model_settings=settings, retries=1).run("Answer with the one word: ok")
        return
    agent = Agent(model, output_type=Proof, model_settings=settings, retries=1, name="lerim-check")
    if need is Need.TYPED:
        await agent.run("Give the number 7.")
        return
    called = []

    @agent.tool_plain
    def secret_number() -> int:
        """The secret number."""
        called.append(True)
        return _SECRET

    @agent.output_validator
    def from_the_tool(ctx: RunContext[object], proof: Proof) -> Proof:
        if not called or proof.number != _SECRET:
            raise ModelRetry("Call the tool secret_number first, and give the number that it returns.")
        return proof

    await agent.run("Call the tool secret_number, then give the number that it returned.")


def _cannot(name: str, role: RoleName, need: Need) -> ModelError:
    what = "call a tool and use what it returns" if need is Need.TOOLS else "answer in the form it is asked for"
    problem = f"{name} answers, but cannot {what}, which the {role} role needs"
    return ModelUnavailable(problem, hint=f"choose another roles.{role}.model in your config.toml, then: {CHECK}")
