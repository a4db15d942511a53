"""What runs did, over HTTP: their artifacts, what they used, and what keeps the memory true."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from lerim.context.records import parse_time
from lerim.errors import LerimError, NotFound
from lerim.llm.usage import By
from lerim.payloads.maintain import (
    DeclinedItemPayload,
    MaintainResultPayload,
    PlanPayload,
    UndoableRunPayload,
    UndoneRunPayload,
    declined_payload,
    maintain_payload,
    plan_payload,
    undo_payload,
    undoable_payload,
)
from lerim.payloads.models import BillPayload, bill_payload
from lerim.payloads.runs import LoadedRunPayload, RunPayload, loaded_run_payload, run_payload
from lerim.payloads.usefulness import ReplayPayload, UsefulnessPayload, replay_payload, usefulness_payload
from lerim.payloads.web import PagePayload, page_payload
from lerim.runtime.runs.folder import RunKind, files_of, read_tail
from lerim.serve.api.asking import Call, Limited, Nothing
from lerim.serve.api.pages_of import cursor_after, key_of, limit_of
from lerim.serve.api.sessions import the_session
from lerim.serve.api.table import ApiTable

WORK = ApiTable()
_LOG_LINES = 20


class RunListAsked(Limited):
    kind: NotRequired[Annotated[RunKind, "only runs of this kind"]]
    failed: NotRequired[Annotated[bool, "only runs that failed, were interrupted or are damaged"]]


class RunAsked(TypedDict):
    log: NotRequired[Annotated[bool, "with the last lines of each log"]]


class MaintainAsked(TypedDict):
    unattended: NotRequired[Annotated[bool, "do only what needs nobody's eye; plan the rest"]]


class ApplyAsked(TypedDict):
    plan: Annotated[str, "the `path` of a plan"]
    items: NotRequired[Annotated[list[int], "only these items of it"]]


class DeclineAsked(TypedDict):
    plan: Annotated[str, "the `path` of a plan"]
    items: Annotated[list[int], "the items of it that shall not be done"]


class CostAsked(TypedDict):
    since: NotRequired[Annotated[str, "only calls made since then (default: all)"]]
    by: NotRequired[Annotated[By, "how to group the totals (default: day)"]]


class UsefulnessAsked(TypedDict):
    all: NotRequired[Annotated[bool, "of all projects on this machine (default: of this one)"]]


@WORK.get("/runs", "runs list")
def list_runs(call: Call[RunListAsked]) -> PagePayload[RunPayload]:
    """The runs, newest first: what each added, updated and left unchanged."""
    asked, limit, key = call.asked, limit_of(call.asked), key_of(call.asked.get("cursor"), str)
    after = str(key[0]) if key else None
    found = call.lerim.runs.list(limit + 1, asked.get("kind"), failed=asked.get("failed", False), after=after)
    more = cursor_after((found[limit - 1].id,)) if len(found) > limit else None
    return page_payload(found[:limit], run_payload, more)


@WORK.get("/runs/undoable", "undo")
def undoable_runs(call: Call[Nothing]) -> list[UndoableRunPayload]:
    """The runs that can be taken back."""
    return undoable_payload(call.lerim.curation.undoable())


@WORK.get("/runs/{id}", "runs show")
def show_run(call: Call[RunAsked]) -> LoadedRunPayload:
    """One run: what it learned and from which quotes, what it rejected, and what it used."""
    from lerim.runtime.runs.artifacts import load_run

    run = call.lerim.runs.find(call.named("id"))
    logs = {name: read_tail(run.folder, name, _LOG_LINES) for name in run.kind.logs} if call.asked.get("log") else {}
    return loaded_run_payload(load_run(run.folder), files_of(run.folder), logs)


@WORK.post("/runs/{id}/undo", "undo", takes_long=True)
def undo_run(call: Call[Nothing]) -> list[UndoneRunPayload]:
    """Take back all that a run did, in files and store."""
    return undo_payload(call.lerim.curation.undo(call.named("id")))


@WORK.post("/maintain", "maintain", "curate", takes_long=True)
def maintain_memory(call: Call[MaintainAsked]) -> list[MaintainResultPayload]:
    """Keep the memory true: merge what says the same, close what was overruled, archive what has faded."""
    return maintain_payload(call.lerim.maintain(unattended=call.asked.get("unattended", False)))


@WORK.post("/maintain/plan", "maintain", "curate", takes_long=True)
def plan_maintenance(call: Call[Nothing]) -> PlanPayload:
    """Write down what would be done, and change nothing."""
    return plan_payload(call.lerim.plan())


@WORK.post("/maintain/apply", "maintain", "curate", takes_long=True)
def apply_plan(call: Call[ApplyAsked]) -> list[MaintainResultPayload]:
    """Do what a plan says, as far as it still fits."""
    return maintain_payload(call.lerim.curation.apply(Path(call.asked["plan"]), call.asked.get("items", [])))


@WORK.post("/maintain/decline", "maintain", "curate")
def decline_items(call: Call[DeclineAsked]) -> list[DeclinedItemPayload]:
    """Say no to items of a plan: they are not proposed again while their memories say what they say."""
    return declined_payload(call.lerim.curation.decline(Path(call.asked["plan"]), call.asked["items"]))


@WORK.get("/cost", "cost")
def show_cost(call: Call[CostAsked]) -> BillPayload:
    """What models used on this machine: calls, tokens, dollars, and today's use against the budget."""
    since = parse_time(call.asked["since"], "since") if "since" in call.asked else None
    by = call.asked.get("by", By("day"))
    return bill_payload(call.lerim.usage.bill(since, by, call.lerim.config.settings.budget), str(by))


@WORK.get("/usefulness", "usefulness")
def show_usefulness(call: Call[UsefulnessAsked]) -> UsefulnessPayload:
    """Whether the memories given to sessions were followed, and what had to be said again."""
    lerim = call.lerim
    found = lerim.serving.usefulness(everywhere=call.asked.get("all", False))
    titles = {}
    for one in found.memories:
        try:
            titles[one.record] = lerim.memory.find(one.record).record.title
        except LerimError:  # A memory that is gone has no title.
            continue
    return usefulness_payload(found, titles)


@WORK.get("/sessions/{agent}/{run}/replay", "replay")
def replay_session(call: Call[Nothing]) -> ReplayPayload:
    """What the brief would have said before a session, and which errors and corrections it would have prevented."""
    from lerim.runtime.replay import scores

    session = the_session(call)
    replayed = call.lerim.serving.replay(session)
    if replayed is None:
        raise NotFound(f"{session.name} does not say when it began")
    return replay_payload([replayed], scores([replayed]), [])
