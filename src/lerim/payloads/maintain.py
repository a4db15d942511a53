"""What keeping the memory true did, would do, and took back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, cast

from lerim.context.records import time_text
from lerim.payloads.runs import RunResultPayload

if TYPE_CHECKING:
    from lerim.context.store import RunChanges
    from lerim.curate.applying import AppliedItem
    from lerim.curate.proposals import CurationProposal
    from lerim.curate.room import LookedAt
    from lerim.curate.undo import UndoneItem, UndoneRun
    from lerim.runtime.maintenance import WrittenPlan
    from lerim.runtime.results import MaintainResult


class LookedAtPayload(TypedDict):
    records: int
    clusters: int
    changed: int
    since: str | None
    left: int


class CuratedPayload(TypedDict):
    action: str
    what: str
    records: list[str]
    reason: str


class MaintainResultPayload(RunResultPayload):
    looked_at: LookedAtPayload
    done: list[CuratedPayload]
    refused: list[CuratedPayload]
    waiting: int
    plan: str | None


class PlanItemPayload(TypedDict):
    number: int
    place: str
    verb: str
    would: str | None
    records: list[str]
    into: str | None
    reason: str
    evidence: list[str]
    title: str | None
    body: str | None
    is_safe: bool


class PlanPayload(TypedDict):
    path: str | None
    made: str
    looked_at: dict[str, LookedAtPayload]
    items: list[PlanItemPayload]


class UndoneItemPayload(TypedDict):
    what: str
    records: list[str]
    refusal: str


class UndoneRunPayload(TypedDict):
    run_id: str
    undone: list[UndoneItemPayload]
    refused: list[UndoneItemPayload]
    notice: str | None


class UndoableRunPayload(TypedDict):
    run_id: str
    at: str
    records: int


class DeclinedItemPayload(TypedDict):
    what: str
    records: list[str]
    refusal: str


def declined_payload(items: Sequence["AppliedItem"]) -> list[DeclinedItemPayload]:
    from lerim.curate.plan_file import heading  # Start-up: few decline.

    return [
        {
            "what": heading(item.proposal).replace("`", ""),
            "records": list(item.proposal.records),
            "refusal": item.refusal,
        }
        for item in items
    ]


def maintain_payload(results: Sequence["MaintainResult"]) -> list[MaintainResultPayload]:
    return [cast(MaintainResultPayload, result.payload()) for result in results]


def plan_payload(written: "WrittenPlan") -> PlanPayload:
    document = written.document
    return {
        "path": str(written.path) if written.path else None,
        "made": time_text(document.made),
        "looked_at": {place.name: looked_at_payload(place.plan.looked_at) for place in document.places},
        "items": [_item_payload(number, place.name, item) for number, place, item in document.numbered()],
    }


def looked_at_payload(look: "LookedAt") -> LookedAtPayload:
    return {
        "records": look.records,
        "clusters": look.clusters,
        "changed": look.changed,
        "since": time_text(look.since) if look.since else None,
        "left": look.left,
    }


def _item_payload(number: int, place: str, item: "CurationProposal") -> PlanItemPayload:
    return {
        "number": number,
        "place": place,
        "verb": str(item.verb),
        "would": str(item.would) if item.would else None,
        "records": list(item.records),
        "into": item.into,
        "reason": item.reason,
        "evidence": list(item.evidence),
        "title": item.wording.title if item.wording else None,
        "body": item.wording.body if item.wording else None,
        "is_safe": item.is_safe,
    }


def undo_payload(done: Sequence["UndoneRun"]) -> list[UndoneRunPayload]:
    return [
        {
            "run_id": place.run_id,
            "undone": [_undone_payload(item) for item in place.undone],
            "refused": [_undone_payload(item) for item in place.refused],
            "notice": place.notice,
        }
        for place in done
    ]


def _undone_payload(item: "UndoneItem") -> UndoneItemPayload:
    return {"what": item.what, "records": list(item.records), "refusal": item.refusal}


def undoable_payload(runs: Sequence["RunChanges"]) -> list[UndoableRunPayload]:
    return [{"run_id": run.run_id, "at": time_text(run.at), "records": run.records} for run in runs]
