"""Service objectives: what is promised, what is, and what to type where they differ."""

from typing import TYPE_CHECKING, TypedDict

from lerim.context.records import time_text

if TYPE_CHECKING:
    from lerim.flows.objectives import ServiceObjective, ServiceReport


class ObjectivePayload(TypedDict):
    name: str
    what: str
    unit: str
    objective: float
    is_least: bool
    measured: float | None
    median: float | None
    days: int
    count: int
    state: str
    next: str | None
    note: str


class ObjectivesPayload(TypedDict):
    at: str
    objectives: list[ObjectivePayload]
    states: dict[str, int]
    next: list[str]


def objectives_payload(report: "ServiceReport") -> ObjectivesPayload:
    states = [str(one.state) for one in report.objectives]
    return {
        "at": time_text(report.at),
        "objectives": [_objective_payload(one) for one in report.objectives],
        "states": {state: states.count(state) for state in dict.fromkeys(states)},
        "next": report.next_steps,
    }


def _objective_payload(one: "ServiceObjective") -> ObjectivePayload:
    return {
        "name": one.name,
        "what": one.what,
        "unit": str(one.unit),
        "objective": one.objective,
        "is_least": one.is_least,
        "measured": _rounded(one.measured),
        "median": _rounded(one.median),
        "days": one.days,
        "count": one.count,
        "state": str(one.state),
        "next": one.next_step,
        "note": one.note,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
