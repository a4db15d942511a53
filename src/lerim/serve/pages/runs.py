"""Runs and cost: what each run did and left behind, how to take it back, and what models used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from lerim.dataclass import dataclass
from lerim.errors import NotFound, UsageError
from lerim.payloads.maintain import undo_payload
from lerim.payloads.models import bill_payload
from lerim.payloads.runs import loaded_run_payload, run_payload
from lerim.printable import printable
from lerim.serve.pages.charts import Chart, calendar, columns, size_told
from lerim.serve.pages.sessions import session_path
from lerim.serve.pages.shell import count as counted
from lerim.serve.pages.shell import form_of, page, see_other
from lerim.serve.web.opened import in_lerim

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from lerim.llm.usage import Bill
    from lerim.payloads.maintain import UndoneRunPayload
    from lerim.payloads.models import BillPayload
    from lerim.service import Lerim

PER_PAGE = 20
KINDS = ("sync", "maintain")
LEDGERS = ("day", "role", "model", "run")
#: Bytes of a file that are shown, and lines of a log.
_MOST_BYTES = 200_000
_LOG_LINES = 40
#: Lines of a bill that are shown, the newest.
_MOST_LINES = 12
_TONES = {"input": "accent", "output": "teal"}


@dataclass(frozen=True)
class BudgetMeter:
    """How much of a budget is used, of one that is set."""

    name: str
    used: str
    limit: str
    share: float


# --- the list


async def runs(request: Request) -> Response:
    query = request.query_params
    kind, by = query.get("kind", ""), query.get("by", "day")
    if kind and kind not in KINDS:
        raise UsageError(f"no run is a '{kind[:40]}'", hint=f"one of {', '.join(KINDS)}")
    if by not in LEDGERS:
        raise UsageError(f"nothing is added up by '{by[:40]}'", hint=f"one of {', '.join(LEDGERS)}")
    found = await in_lerim(request, partial(_listed, kind, "failed" in query, query.get("before", ""), by))
    return page(
        request,
        "runs.html",
        kind=kind,
        failed="failed" in query,
        before=query.get("before", ""),
        by=by,
        ledgers=LEDGERS,
        session_path=_session_path,
        **found,
    )


def _listed(kind: str, failed: bool, before: str, by: str, lerim: Lerim) -> dict[str, Any]:
    from lerim.llm.usage import By
    from lerim.runtime.runs.folder import RunKind

    found = lerim.runs.list(PER_PAGE + 1, RunKind(kind) if kind else None, failed=failed, after=before or None)
    budget = lerim.config.settings.budget
    bill = lerim.usage.bill(None, By(by), budget)
    by_day = bill if by == "day" else lerim.usage.bill(None, By.DAY, budget)
    return {
        "runs": [run_payload(run) for run in found[:PER_PAGE]],
        "has_more": len(found) > PER_PAGE,
        "undoable": {run.run_id: run.records for run in lerim.curation.undoable(200)},
        "bill": _newest(bill_payload(bill, by)),
        "left": max(0, len(bill.lines) - _MOST_LINES),
        "meters": _meters(bill),
        "spent": _spent(by_day),
    }


def _newest(bill: BillPayload) -> BillPayload:
    """The last lines of a bill, the newest first."""
    lines = sorted(bill["lines"], key=lambda line: line.get("day", ""))
    bill["lines"] = lines[-_MOST_LINES:][::-1]
    return bill


def _meters(bill: Bill) -> list[BudgetMeter]:
    """Today's use against what a day may use. What is not limited is not shown."""
    budget, today = bill.budget, bill.today
    found = []
    if budget.day_tokens:
        share = today.tokens / budget.day_tokens
        found.append(BudgetMeter("Tokens today", f"{today.tokens:,}", f"{budget.day_tokens:,}", share))
    if budget.day_usd:
        share = today.cost_usd / budget.day_usd
        found.append(BudgetMeter("Dollars today", f"${today.cost_usd:.4f}", f"${budget.day_usd:.2f}", share))
    return found


def _spent(bill: Bill) -> Chart:
    when = calendar(line.name for line in bill.lines)
    series = {
        "input": when.sums((line.name, line.spent.input_tokens) for line in bill.lines),
        "output": when.sums((line.name, line.spent.output_tokens) for line in bill.lines),
    }
    total, says = bill.total, "No model was called. What Lerim reads by itself costs nothing."
    if total.calls:
        price = f"{dollars(total.cost_usd)} as far as prices are known"
        says = f"{total.tokens:,} tokens in {counted(total.calls, 'call')}, {price}."
    return columns("Tokens", says, when, series, _TONES)


def dollars(cost: float | None) -> str:
    if cost is None:
        return "price unknown"
    return f"${cost:.2f}" if cost >= 1 or cost == 0 else f"${cost:.4f}"


# --- one run


async def run(request: Request) -> Response:
    found = await in_lerim(request, partial(_run, request.path_params["run"]))
    return page(request, "run.html", size=size_told, dollars=dollars, session_path=_session_path, **found)


def _run(name: str, lerim: Lerim) -> dict[str, Any]:
    from lerim.runtime.runs.artifacts import load_run
    from lerim.runtime.runs.folder import files_of, read_tail

    info = lerim.runs.find(name)
    loaded = load_run(info.folder)
    undoable = {one.run_id: one.records for one in lerim.curation.undoable(10_000)}
    return {
        "run": loaded_run_payload(loaded, files_of(info.folder), {}),
        "requests": loaded.artifacts[-1].usage.requests if loaded.artifacts else 0,
        "logs": {
            name: [printable(line) for line in read_tail(info.folder, name, _LOG_LINES)] for name in info.kind.logs
        },
        "undoable": undoable.get(info.id, 0),
    }


async def file(request: Request) -> Response:
    """A file that a run left, as text."""
    found = await in_lerim(request, partial(_file, request.path_params["run"], request.path_params["name"]))
    return page(request, "run_file.html", size=size_told, **found)


def _file(run_name: str, name: str, lerim: Lerim) -> dict[str, Any]:
    from lerim.runtime.runs.folder import Unreadable, files_of, read_bytes

    info = lerim.runs.find(run_name)
    about = next((one for one in files_of(info.folder) if one.name == name), None)
    if about is None:
        raise NotFound(f"run {info.id} left no file of that name", hint=f"lerim runs show {info.id}")
    try:
        data = read_bytes(info.folder, about.name)
    except (FileNotFoundError, Unreadable) as error:
        raise NotFound(f"{about.name} cannot be shown: {error}", hint=f"lerim runs show {info.id}") from error
    text = printable(data[:_MOST_BYTES].decode("utf-8", "backslashreplace"))
    return {"run_id": info.id, "name": about.name, "bytes": about.bytes, "text": text, "shown": _MOST_BYTES}


async def undo(request: Request) -> Response:
    """Take back all that a run did."""
    await form_of(request)
    name = request.path_params["run"]

    def work(lerim: Lerim) -> list[UndoneRunPayload]:
        return undo_payload(lerim.curation.undo(name))

    done = await in_lerim(request, work)
    undone = sum(len(place["undone"]) for place in done)
    refused = [item for place in done for item in place["refused"]]
    kept = f" {counted(len(refused), 'item')} stayed: {refused[0]['refusal']}." if refused else ""
    return see_other(request, f"/runs/{name}", f"Taken back: {counted(undone, 'item')}.{kept}")


def _session_path(name: str) -> str:
    agent, _, run_id = name.partition("/")
    return session_path(agent, run_id)


ROUTES = [
    Route("/runs", runs),
    Route("/runs/{run}", run),
    Route("/runs/{run}/files/{name}", file),
    Route("/runs/{run}/undo", undo, methods=["POST"]),
]
