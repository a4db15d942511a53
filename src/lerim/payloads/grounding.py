"""What memories rest on in their repository, and which of them are doubted for it."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from lerim.context.grounds import NamedGround
    from lerim.curate.grounding import GroundedRecord, GroundingReport


class GroundPayload(TypedDict):
    kind: str
    name: str
    state: str
    since_commit: NotRequired[str]
    since: NotRequired[str]
    what: NotRequired[str]


class GroundedPayload(TypedDict):
    id: str
    title: str
    grounds: list[GroundPayload]
    suspect: NotRequired[str]
    since_commit: NotRequired[str]
    since: NotRequired[str]
    provisional: NotRequired[str]
    branch: NotRequired[str]


class GroundingPayload(TypedDict):
    reason: NotRequired[str]
    head: str
    grounded: int
    suspects: list[GroundedPayload]
    provisional: list[GroundedPayload]
    untold: list[GroundedPayload]


def grounding_payload(report: "GroundingReport") -> GroundingPayload:
    payload: GroundingPayload = {
        "head": report.head,
        "grounded": report.grounded,
        "suspects": [*map(grounded_payload, report.suspects)],
        "provisional": [*map(grounded_payload, report.provisional)],
        "untold": [*map(grounded_payload, report.untold)],
    }
    if report.reason:
        payload["reason"] = report.reason
    return payload


def grounded_payload(one: "GroundedRecord") -> GroundedPayload:
    from lerim.context.records import time_text  # Only machine output needs it.

    record = one.kept.record
    payload: GroundedPayload = {"id": record.id, "title": record.title, "grounds": [*map(_ground, one.grounds)]}
    if one.suspicion is not None:
        payload["suspect"], payload["since_commit"] = one.suspicion.what, one.suspicion.since_commit
        if one.suspicion.since is not None:
            payload["since"] = time_text(one.suspicion.since)
    if one.provisional is not None:
        payload["provisional"], payload["branch"] = one.provisional.told, one.provisional.branch
    return payload


def _ground(ground: "NamedGround") -> GroundPayload:
    from lerim.context.records import time_text  # As above.

    payload: GroundPayload = {"kind": str(ground.name.kind), "name": ground.name.name, "state": ground.state}
    if ground.state == "gone":
        payload["what"], payload["since_commit"] = ground.what, ground.since_commit
        if ground.since is not None:
            payload["since"] = time_text(ground.since)
    return payload
