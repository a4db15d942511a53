"""What a maintain run should look at: records that faded, and records that say the same. Pure; it changes nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from lerim.context.authority import Authority
from lerim.context.decay import DecayRule, is_faded, last_touched
from lerim.context.records import Record
from lerim.ingest.findings import Candidate
from lerim.ingest.reconcile import Action, KnownRecord, WriteMode, decide, likeness
from lerim.ingest.words import jaccard, stems
from lerim.runtime.maintain_board import ReviewItem
from lerim.runtime.wire import MaintainVerb

#: At most so many items at once: a run decides on each of them. The next run takes the rest.
MAX_ITEMS = 40
# Two titles that share a word this many others have too are not compared for it.
_COMMON = 50
_SAME_TITLE = 0.6
_ALIKE = 0.75


def review(records: Iterable[Record], rule: DecayRule, now: datetime) -> tuple[ReviewItem, ...]:
    """What is due, the same every time for the same records. A record is on the list once."""
    active = sorted(records, key=lambda record: record.id)
    faded = [record for record in active if is_faded(record, rule, now)]
    gone = {record.id for record in faded}
    items = [_faded(record, now) for record in sorted(faded, key=last_touched)]
    items += [_same(group) for group in _groups([r for r in active if r.id not in gone])]
    return tuple(items[:MAX_ITEMS])


def _faded(record: Record, now: datetime) -> ReviewItem:
    days = (now - last_touched(record)).days
    return ReviewItem(MaintainVerb.ARCHIVE, (record.id,), f"faded: nobody used or changed it for {days} days")


def _same(group: Sequence[Record]) -> ReviewItem:
    return ReviewItem(MaintainVerb.MERGE, tuple(record.id for record in group), "they seem to say the same")


def _groups(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Records that say the same, in groups; each is in one group at most."""
    taken: set[str] = set()
    near = _neighbors(records)
    for record in records:
        if record.id in taken:
            continue
        group = [record, *(o for o in near[record.id] if o.id not in taken and says_the_same(record, o))]
        if len(group) > 1:
            taken.update(one.id for one in group)
            yield group


def _neighbors(records: Sequence[Record]) -> dict[str, list[Record]]:
    """For each record those after it that share a word of the title: all others are not worth a comparison."""
    by_word: dict[str, list[int]] = defaultdict(list)
    # All words of a title together are one more: the same title is compared, however common its words.
    words = [frozenset((*(found := stems(r.title)), " ".join(sorted(found)))) for r in records]
    for index, found in enumerate(words):
        for word in found:
            by_word[word].append(index)
    near: dict[str, list[Record]] = {}
    for index, record in enumerate(records):
        others = {o for word in words[index] if len(by_word[word]) <= _COMMON for o in by_word[word] if o > index}
        near[record.id] = [records[other] for other in sorted(others)]
    return near


def says_the_same(one: Record, two: Record) -> bool:
    """Whether each of two records could stand for the other. What contradicts is never the same.

    Stricter than sync is: there a person sees what was updated, here two records become one.
    """
    if (one.primitive, one.kind) != (two.primitive, two.kind) or any(map(_is_a_persons, (one, two))):
        return False  # What a person wrote is theirs: nobody else makes it one with something.
    if (
        jaccard(stems(one.title), stems(two.title)) < _SAME_TITLE
        or likeness(_as_candidate(one), _as_candidate(two)) < _ALIKE
    ):
        return False
    return _covers(one, two) and _covers(two, one)


def _is_a_persons(record: Record) -> bool:
    return Authority.of(record.trust, record.source) is Authority.PERSON


def _covers(one: Record, two: Record) -> bool:
    known = KnownRecord(two.id, two.primitive, two.title, two.body, two.kind, two.confidence, two.tags)
    decision = decide(_as_candidate(one), [known])
    return decision.action is Action.NO_OP or decision.how is WriteMode.REVISE


def _as_candidate(record: Record) -> Candidate:
    return Candidate("c1", record.primitive, record.title, record.body, (), record.kind, record.confidence, record.tags)
