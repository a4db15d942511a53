"""Models: whether each role is ready, and what was used."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from lerim.payloads.runs import EstimatePayload, estimate_payload

if TYPE_CHECKING:
    from lerim.config.settings import BudgetSettings
    from lerim.llm import Estimate
    from lerim.llm.check import RoleCheck
    from lerim.llm.readers import SessionReader
    from lerim.llm.usage import Bill, BillLine, Spent
    from lerim.llm.use import ReaderPlan


class CheckedModelPayload(TypedDict):
    model: str
    works: bool | None
    problem: str | None


class RoleProblemPayload(TypedDict):
    problem: str
    hint: str | None


class RolePayload(TypedDict):
    role: str
    provider: str
    base_url: str | None
    key_variable: str | None
    key_set: bool
    missing_packages: list[str]
    models: list[CheckedModelPayload]
    problems: list[RoleProblemPayload]
    warning: str | None
    ok: bool


class ReaderPayload(TypedDict):
    name: str
    provider: str
    where: str
    base_url: str | None
    models: list[str]
    local: bool


class ReaderPlanPayload(TypedDict):
    reader: ReaderPayload
    model: str | None
    roles: list[str]
    file: str
    change: list[str]
    estimates: dict[str, EstimatePayload]
    checks: list[RolePayload]
    used: bool


class SpentPayload(TypedDict):
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float | None
    calls_without_price: int


class BillLinePayload(SpentPayload):
    day: NotRequired[str]
    model: NotRequired[str]
    role: NotRequired[str]
    run: NotRequired[str]
    stopped: str | None


class BudgetPayload(TypedDict):
    run_tokens: int | None
    run_usd: float | None
    day_tokens: int | None
    day_usd: float | None


class BillPayload(TypedDict):
    by: str
    lines: list[BillLinePayload]
    total: SpentPayload
    today: SpentPayload
    budget: BudgetPayload


def reader_payload(reader: "SessionReader") -> ReaderPayload:
    return {
        "name": reader.name,
        "provider": str(reader.provider),
        "where": reader.where,
        "base_url": reader.base_url or None,
        "models": list(reader.models),
        "local": reader.is_local,
    }


def reader_plan_payload(
    plan: "ReaderPlan", estimates: "Mapping[str, Estimate]", checks: "Sequence[RoleCheck]", *, used: bool
) -> ReaderPlanPayload:
    return {
        "reader": reader_payload(plan.reader),
        "model": plan.model or None,
        "roles": list(plan.roles),
        "file": str(plan.path),
        "change": plan.diff,
        "estimates": {role: estimate_payload(one) for role, one in estimates.items()},
        "checks": [role_payload(one) for one in checks],
        "used": used,
    }


def role_payload(role: "RoleCheck") -> RolePayload:
    return {
        "role": role.role,
        "provider": role.provider,
        "base_url": role.base_url or None,
        "key_variable": role.variable,
        "key_set": role.key_set,
        "missing_packages": list(role.missing),
        "models": [
            {"model": m.model, "works": m.works, "problem": m.problem.message if m.problem else None}
            for m in role.models
        ],
        "problems": [{"problem": problem.message, "hint": problem.hint} for problem in role.problems],
        "warning": role.warning,
        "ok": role.ok,
    }


def bill_payload(bill: "Bill", by: str) -> BillPayload:
    return {
        "by": by,
        "lines": [_line_payload(line, by) for line in bill.lines],
        "total": _spent_payload(bill.total),
        "today": _spent_payload(bill.today),
        "budget": _budget_payload(bill.budget),
    }


def _line_payload(line: "BillLine", by: str) -> BillLinePayload:
    # Named by what it adds up, as `day` or `model`.
    return {by: line.name, **_spent_payload(line.spent), "stopped": line.stopped}  # type: ignore[misc]


def _spent_payload(spent: "Spent") -> SpentPayload:
    return {
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cache_read_tokens": spent.cache_read_tokens,
        "cache_write_tokens": spent.cache_write_tokens,
        "cost_usd": None if spent.calls and spent.unpriced == spent.calls else round(spent.cost_usd, 6),
        "calls_without_price": spent.unpriced,
    }


def _budget_payload(budget: "BudgetSettings") -> BudgetPayload:
    return {
        "run_tokens": budget.run_tokens or None,
        "run_usd": budget.run_usd or None,
        "day_tokens": budget.day_tokens or None,
        "day_usd": budget.day_usd or None,
    }
