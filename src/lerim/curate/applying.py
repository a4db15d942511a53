"""Carrying out what was proposed: item by item within one change, as far as each still fits. All of it, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from lerim.context.authority import lowest_trust
from lerim.context.records import Record, RecordId, Status
from lerim.context.store import Change
from lerim.curate.proposals import UNSURE, CurationProposal, CurationVerb
from lerim.curate.validation import CurationRules
from lerim.dataclass import dataclass


@dataclass(frozen=True)
class AppliedItem:
    """What became of a proposal: done, or why not."""

    proposal: CurationProposal
    is_done: bool
    #: Why it was not done.
    refusal: str = ""


def apply_all(
    change: Change, items: Sequence[CurationProposal], rules: CurationRules, *, by_person: bool = False
) -> list[AppliedItem]:
    """Do what still fits, in order; the rest with the reason why not. A person may have done what is only theirs."""
    before = {one: found for item in items for one in item.records if (found := change.find(one)) is not None}
    done: list[AppliedItem] = []
    changed: set[RecordId] = set()
    for item in items:
        refusal = stale(item, before, changed) or _forbidden(item, before, rules, by_person=by_person)
        if not refusal:
            change.begin_part(f"maintain: {item.operation}: {_reason(item, by_person=by_person)}")
            _carry_out(change, item, before)
            changed |= set(item.touched)
        done.append(AppliedItem(item, not refusal, refusal))
    return done


def _reason(item: CurationProposal, *, by_person: bool) -> str:
    """Why it is done. What nobody could tell for sure, a person has decided."""
    if not by_person or item.verb is not CurationVerb.REVIEW:
        return item.reason
    return f"a person decided so; {item.reason.removeprefix(f'{UNSURE}: ')}"


def stale(item: CurationProposal, before: Mapping[RecordId, Record], changed: Set[RecordId] = frozenset()) -> str:
    """Why an item is not about its records any more, as they are now or as another item `changed` them; else empty."""
    for one in item.records:
        record = before.get(one)
        if record is None:
            return f"'{one}' is not there any more"
        if record.version == item.versions.get(one, record.version):
            continue
        if _is_done(item, before):
            return "it is done already"
        return f"'{one}' was changed since: it is at version {record.version}, not {item.versions[one]}"
    if again := changed & set(item.touched):
        return f"'{min(again)}' was changed by another item just now"
    return ""


def _is_done(item: CurationProposal, records: Mapping[RecordId, Record]) -> bool:
    found = [records[one] for one in item.targets or item.records if one in records]
    match item.operation:
        case CurationVerb.MERGE | CurationVerb.SUPERSEDE:
            return all(record.superseded_by == item.into for record in found)
        case CurationVerb.ARCHIVE:
            return all(record.status is Status.ARCHIVED for record in found)
        case CurationVerb.RESTORE:
            return all(record.holds for record in found)
        case _:
            wording = item.wording
            return wording is not None and all((r.title, r.body) == (wording.title, wording.body) for r in found)


def _forbidden(
    item: CurationProposal, records: Mapping[RecordId, Record], rules: CurationRules, *, by_person: bool
) -> str:
    if item.operation is CurationVerb.REVIEW:
        return f"it says what to look at, and not what to do ({item.by_hand})"
    ruling = rules.ruling(item, records)
    return "" if ruling or (by_person and ruling.is_for_a_person) else ruling.refusal


def _carry_out(change: Change, item: CurationProposal, before: Mapping[RecordId, Record]) -> None:
    match item.operation:
        case CurationVerb.ARCHIVE:
            for one in item.records:
                change.archive(one)
        case CurationVerb.RESTORE:
            for one in item.records:
                change.restore(one)
        case CurationVerb.REVISE:
            assert item.wording is not None
            wording = item.wording
            change.revise(item.records[0], title=wording.title, body=wording.body, kind=wording.kind, tags=wording.tags)
        case CurationVerb.SUPERSEDE:
            _close(change, item, before)
        case CurationVerb.MERGE:
            _merge(change, item, before)
            _close(change, item, before)


def _close(change: Change, item: CurationProposal, before: Mapping[RecordId, Record]) -> None:
    assert item.into is not None
    for one in item.targets:
        change.supersede(one, by=item.into, at=before[item.into].last_said.at)


def _merge(change: Change, item: CurationProposal, before: Mapping[RecordId, Record]) -> None:
    """It holds since the first of them held, rests on all their evidence, and counts for no more than the least."""
    assert item.into is not None and item.wording is not None
    group = [before[item.into], *(before[one] for one in item.targets)]
    change.revise(
        item.into,
        "merge",
        title=item.wording.title,
        body=item.wording.body,
        kind=item.wording.kind,
        tags=item.wording.tags,
        confidence=max(record.confidence for record in group),
        evidence=tuple(dict.fromkeys(piece for record in group for piece in record.evidence)),
        trust=lowest_trust(group),
        valid_from=min(record.valid_from or record.created for record in group),
    )
