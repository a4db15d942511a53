"""A plan as a file: for people a readable difference with numbered items, for `--apply` one line at its end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from lerim.context.records import Kind, Record, RecordId, parse_time, time_text
from lerim.curate.proposals import CurationProposal, CurationVerb, RecordWording
from lerim.curate.room import CurationPlan, LookedAt
from lerim.dataclass import dataclass
from lerim.errors import InvalidRecord, UsageError

#: What the line begins and ends with that is for the program.
_OPEN, _CLOSE = "<!-- lerim-plan ", " -->"
_VERSION = 1
#: More than any plan has.
_MAX_BYTES = 64 * 1024 * 1024
_HINT = "lerim maintain --plan"
#: The record of a place with this id, as it stands; None when there is none.
Find = Callable[[str, RecordId], Record | None]


@dataclass(frozen=True)
class PlacePlan:
    """The plan for one place, and what people call that."""

    name: str
    plan: CurationPlan


@dataclass(frozen=True)
class PlanDocument:
    """The plans of all places, as one file has them. Items are numbered through all of it, from 1."""

    made: datetime
    places: tuple[PlacePlan, ...]

    def numbered(self) -> Iterator[tuple[int, PlacePlan, CurationProposal]]:
        every = ((place, item) for place in self.places for item in place.plan.items)
        yield from ((number, place, item) for number, (place, item) in enumerate(every, 1))

    def chosen(self, numbers: Sequence[int]) -> dict[str, list[CurationProposal]]:
        """The items with these numbers, by project. Raises UsageError for a number that there is not."""
        known = {number: (place.plan.project, item) for number, place, item in self.numbered()}
        if unknown := [number for number in numbers if number not in known]:
            has = f"its items are 1 to {len(known)}" if known else "it has no items"
            raise UsageError(f"the plan has no item {unknown[0]}: {has}", hint="open the plan to see its items")
        chosen: dict[str, list[CurationProposal]] = {}
        for number in dict.fromkeys(numbers):
            project, item = known[number]
            chosen.setdefault(project, []).append(item)
        return chosen


# --- for people -------------------------------------------------------------------------------------------------------

_HEADINGS = {
    CurationVerb.MERGE: "Make {targets} one with {into}",
    CurationVerb.SUPERSEDE: "Replace {targets} by {into}",
    CurationVerb.REVISE: "Reword {records}",
    CurationVerb.ARCHIVE: "Archive {records}",
    CurationVerb.RESTORE: "Restore {records}",
    CurationVerb.REVIEW: "Look at {records}",
}


def render_plan(document: PlanDocument, find: Find, path: Path) -> str:
    """The whole file."""
    items = list(document.numbered())
    can_do = [str(number) for number, _, item in items if not item.by_hand]
    lines = [
        f"# What `lerim maintain` would do, {time_text(document.made)}",
        "",
        "Nothing of this is done yet.",
        "",
        f"    lerim maintain --apply {path}        does all that is not left to you",
        *(
            [f"    lerim maintain --apply {path} {can_do[0]}      does item {can_do[0]}, whatever it is"]
            if can_do
            else []
        ),
        f"    lerim maintain --decline {path} 1    says no to item 1: it is not proposed again",
        "    lerim undo                           lists what was done, and takes a run of it back",
        "",
    ]
    for place in document.places:
        told = place.plan.looked_at.told
        lines += [f"## {_plain(place.name)}", "", f"{told[:1].upper()}{told[1:]}.", ""]
        own = [(number, item) for number, owner, item in items if owner is place]
        for number, item in own:
            lines += _item(number, item, partial(find, place.plan.project))
        lines += [] if own else ["Nothing to do.", ""]
    return "\n".join([*lines, f"{_OPEN}{_machine(document)}{_CLOSE}", ""])


def _item(number: int, item: CurationProposal, find: Callable[[RecordId], Record | None]) -> Iterator[str]:
    yield f"### {number}. {heading(item)}"
    yield ""
    if item.verb is CurationVerb.REVIEW:
        yield "**For you to decide.**"
        yield ""
    yield f"Why: {_plain(item.reason)}."
    yield ""
    if item.by_hand:
        yield f"By hand: `{item.by_hand}`"
        yield ""
    for words in item.evidence:
        yield f"> {_plain(words)}"
        yield ">"
    if item.evidence:
        yield ""
    found = [record for one in item.records if (record := find(one)) is not None]
    yield "```diff"
    yield from _difference(item, found)
    yield "```"
    yield ""


def heading(item: CurationProposal) -> str:
    """What an item would do, in a line."""
    names = {
        "records": _names(item.records),
        "targets": _names(item.targets),
        "into": f"`{item.into}`",
    }
    return _HEADINGS[item.operation].format(**names)


def _names(records: Sequence[RecordId]) -> str:
    return ", ".join(f"`{one}`" for one in records)


#: How lines are marked that neither go nor come.
_MARKS = {CurationVerb.RESTORE: "+", CurationVerb.REVIEW: "!"}


def _difference(item: CurationProposal, records: Sequence[Record]) -> Iterator[str]:
    """What goes and what comes; every line is marked, so that none can end the block."""
    after = item.wording
    for record in records:
        stays = record.id == item.into and item.operation is CurationVerb.SUPERSEDE
        mark = "+" if stays else _MARKS.get(item.operation, "-")
        yield from _marked(mark, record.title, record.body)
    if after is not None:
        yield from _marked("+", after.title, after.body)
        before = records[0].kind if records else after.kind
        if after.kind is not None and after.kind is not before:
            yield from (f"- kind: {before}", f"+ kind: {after.kind}")


def _marked(mark: str, title: str, body: str) -> Iterator[str]:
    for line in (title, *body.strip().splitlines()):
        yield f"{mark} {line}"


def _plain(text: str) -> str:
    """Others' words on one line, with nothing that Markdown would take for more."""
    return " ".join(text.split()).replace("<", "&lt;").rstrip(".")


# --- for the program --------------------------------------------------------------------------------------------------


def _machine(document: PlanDocument) -> str:
    places = [
        {"project": place.plan.project, "name": place.name, "items": [_encoded(item) for item in place.plan.items]}
        for place in document.places
    ]
    text = json.dumps({"version": _VERSION, "made": time_text(document.made), "places": places})
    # Nothing in it may end the comment.
    return text.replace(">", "\\u003e")


def _encoded(item: CurationProposal) -> dict[str, Any]:
    wording = item.wording
    return {
        "verb": str(item.verb),
        "records": list(item.records),
        "versions": dict(item.versions),
        "reason": item.reason,
        "into": item.into,
        "evidence": list(item.evidence),
        "wording": {
            "title": wording.title,
            "body": wording.body,
            "kind": str(wording.kind) if wording.kind else None,
            "tags": list(wording.tags),
        }
        if wording
        else None,
        "is_safe": item.is_safe,
        "would": str(item.would) if item.would else None,
    }


def read_plan(path: Path) -> PlanDocument:
    """The plan in a file. Raises UsageError when there is none."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint=_HINT) from None
    lines = data.decode("utf-8", "replace").splitlines()
    found = next((line for line in reversed(lines) if line.startswith(_OPEN) and line.endswith(_CLOSE)), None)
    if found is None or len(data) > _MAX_BYTES:
        raise UsageError(f"{path} is no plan of `lerim maintain`", hint=_HINT)
    try:
        return _decoded(json.loads(found[len(_OPEN) : -len(_CLOSE)]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InvalidRecord):
        raise UsageError(f"the plan in {path} is damaged: its last line is for Lerim alone", hint=_HINT) from None


def _decoded(document: Mapping[str, Any]) -> PlanDocument:
    if document["version"] != _VERSION:
        raise ValueError
    made = parse_time(document["made"])
    places = tuple(
        PlacePlan(
            str(place["name"]),
            CurationPlan(str(place["project"]), tuple(map(_item_from, place["items"])), LookedAt(0, 0, 0, None), made),
        )
        for place in document["places"]
    )
    return PlanDocument(made, places)


def _item_from(item: Mapping[str, Any]) -> CurationProposal:
    records = tuple(RecordId(_text(one)) for one in item["records"])
    wording = item["wording"]
    proposal = CurationProposal(
        CurationVerb(item["verb"]),
        records,
        _text(item["reason"]),
        RecordId(_text(item["into"])) if item["into"] is not None else None,
        tuple(map(_text, item["evidence"])),
        _wording_from(wording) if wording is not None else None,
        item["is_safe"] is True,
        CurationVerb(item["would"]) if item["would"] is not None else None,
        {RecordId(one): int(item["versions"][one]) for one in records},
    )
    if not records or (proposal.into is not None and proposal.into not in records):
        raise ValueError
    return proposal


def _wording_from(wording: Mapping[str, Any]) -> RecordWording:
    kind = Kind(wording["kind"]) if wording["kind"] is not None else None
    return RecordWording(_text(wording["title"]), _text(wording["body"]), kind, tuple(map(_text, wording["tags"])))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
