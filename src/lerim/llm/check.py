"""Whether each role can do its work: settings, packages, keys, and a word from each model."""

from __future__ import annotations

from dataclasses import dataclass

from lerim.errors import BudgetReached, ModelError, ModelUnavailable
from lerim.llm.endpoints import CHECK, is_installed, packages
from lerim.llm.models import ROLE_NAMES, Models, RoleName
from lerim.llm.usage import Spending

# Enough for models that think before they speak, and next to nothing in money.
_A_WORD = 16
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


def check(models: Models, spending: Spending, *, offline: bool) -> list[RoleCheck]:
    """Every role in turn. Unless offline, each model is asked for a word; one that several roles share, once."""
    asked: dict[tuple[str, str, str], ModelCheck] = {}
    return [_check_role(models, name, spending, offline, asked) for name in ROLE_NAMES]


def _check_role(
    models: Models, name: RoleName, spending: Spending, offline: bool, asked: dict[tuple[str, str, str], ModelCheck]
) -> RoleCheck:
    role, endpoint = models.role(name), models.endpoint(name)
    problems = () if models.is_embedded(name) else (*models.problems(name), *endpoint.problems)
    answers = []
    for model in (role.model, *role.fallback_models) if role.model and not models.is_embedded(name) else ():
        key = (str(role.provider), endpoint.base_url, model)
        if problems or offline:
            answers.append(ModelCheck(model, None))
        else:
            answers.append(asked[key] if key in asked else asked.setdefault(key, _ask(models, name, model, spending)))
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


def _ask(models: Models, role: RoleName, model: str, spending: Spending) -> ModelCheck:
    """Ask one model for a word."""
    import asyncio

    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest

    from lerim.llm.requests import Accounted

    meter = models.meter(role, model, spending, _PATIENCE)
    try:
        question = [ModelRequest.user_text_prompt("Answer with the one word: ok")]
        asked = model_request(Accounted(meter), question, model_settings={"max_tokens": _A_WORD})
        asyncio.run(asyncio.wait_for(asked, _PATIENCE))
    except BudgetReached as error:
        return ModelCheck(model, None, error)
    except ModelError as error:
        return ModelCheck(model, False, error)
    except TimeoutError:
        problem = f"{meter.name} did not answer within {_PATIENCE} seconds, in all its tries"
        return ModelCheck(model, False, ModelUnavailable(problem, hint=CHECK))
    return ModelCheck(model, True)
