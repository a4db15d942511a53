"""`lerim status --slo`: what is promised, what is, and what to type where they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lerim.cli.output import BOLD, DIM, GREEN, RED, YELLOW, Output
from lerim.cli.report import plural
from lerim.flows.objectives import LONG_DAYS, ObjectiveState, ObjectiveUnit, ServiceObjective
from lerim.payloads.objectives import objectives_payload

if TYPE_CHECKING:
    from lerim.flows.objectives import ServiceReport

_COLORS = {
    ObjectiveState.OK: GREEN,
    ObjectiveState.AT_RISK: YELLOW,
    ObjectiveState.MISSED: RED,
    ObjectiveState.NO_DATA: DIM,
}


def tell_objectives(report: ServiceReport, out: Output) -> None:
    """A line for each objective, with what should be known about it, and then what to do."""
    out.data(objectives_payload(report))
    for one in report.objectives:
        out.fact(one.name, f"{out.style(f'{one.state:<8}', _COLORS[one.state])} {_told(one)}", 10)
        if one.note:
            out.say(out.style(f"                   {one.note}", DIM))
    out.say()
    counts = [f"{len(report.of(state))} {state}" for state in ObjectiveState if report.of(state)]
    out.say(f"{plural(len(report.objectives), 'objective')}: {', '.join(counts)}")
    for number, step in enumerate(report.next_steps):
        out.say(f"next: {out.style(step, BOLD)}" if not number else f"      {step}")


def _told(one: ServiceObjective) -> str:
    bound = f"{'at least' if one.is_least else 'at most'} {_value(one.objective, one.unit)}"
    if one.measured is None:
        return f"{bound}: {one.what}"
    median = f" (p50 {_value(one.median, one.unit)})" if one.median is not None else ""
    over = f"{one.count:,} in {plural(one.days, 'day')}" if one.days else f"{one.count:,} now"
    return f"{_value(one.measured, one.unit)}{median}, {bound}: {one.what}; {over}"


def _value(value: float, unit: ObjectiveUnit) -> str:
    match unit:
        case ObjectiveUnit.SECONDS:
            return _duration(value)
        case ObjectiveUnit.PERCENT:
            return f"{value:.4g} %"
        case ObjectiveUnit.DAYS:
            return "10 years or more" if value >= LONG_DAYS else plural(round(value), "day")
        case ObjectiveUnit.RUNS:
            return plural(round(value), "run")


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms" if seconds else "0 s"
    for size, name in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds:.3g} s"
