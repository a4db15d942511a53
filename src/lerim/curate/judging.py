"""What a group of records that lie near each other calls for, by their words alone. It changes nothing.

Which of two was said later decides what replaces what, not which was read first. What is not sure is for a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lerim.context.authority import Authority
from lerim.context.records import MAX_BODY_BYTES, MAX_TAGS, Record, RecordId, time_text
from lerim.context.standing import ruled
from lerim.curate.bearings import judged
from lerim.curate.neighbors import RecordCluster
from lerim.curate.proposals import UNSURE, CurationProposal, CurationVerb, RecordWording
from lerim.curate.validation import authority_of, in_order, is_exact, lost_with, says_the_same
from lerim.text.backing import Backing
from lerim.text.statements import states_change

_QUOTED = 300


def proposals_for(cluster: RecordCluster) -> Iterator[CurationProposal]:
    """What to do about a cluster. A record is closed or worded anew by one of them at most."""
    same: list[tuple[Record, Record]] = []
    opposed: list[tuple[Record, Record, CurationProposal]] = []
    for pair in cluster.pairs:
        one, two = pair.one, pair.two
        if is_exact(one, two) or says_the_same(one, two):
            same.append((one, two))
        elif (proposal := _contradiction(one, two, is_close=pair.is_close)) is not None:
            # Of two that were said at once, the proposal knows which is taken for the later one.
            earlier, later = (one, two) if proposal.records[0] == one.id else (two, one)
            opposed.append((later, earlier, proposal))
    # What was said last first: of several that overrule one, the last word counts.
    opposed.sort(key=lambda item: (item[0].last_said, item[0].id), reverse=True)
    closed: set[RecordId] = set()
    for later, earlier, proposal in opposed:
        if earlier.id not in closed:
            yield proposal
        # Whose word counts for less closes nothing: that is for a person, and meanwhile twins still become one.
        if proposal.verb is CurationVerb.SUPERSEDE and authority_of(later) >= authority_of(earlier):
            closed.add(earlier.id)
    for group in _groups([pair for pair in same if closed.isdisjoint(record.id for record in pair)]):
        yield from _one_of(group)


def quoted(record: Record) -> str:
    """A record's own words, whose they are and when they were said."""
    spoken = next((piece for piece in record.evidence if piece.quote and piece.speaker is record.trust), None)
    text = " ".join((spoken.quote if spoken else f"{record.title}. {record.body}").split())
    who = {Authority.PERSON: "a person wrote", Authority.USER: "the user said", Authority.AGENT: "the agent said"}
    where = f", {spoken.reference}" if spoken else ""
    shown = text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"
    by = who.get(authority_of(record), "somebody said")
    return f"{record.id}: {by} on {time_text(record.last_said.at)[:10]}{where}: “{shown.strip()}”"


# -- what cannot both hold


def _contradiction(one: Record, two: Record, *, is_close: bool) -> CurationProposal | None:
    order = in_order(one, two)
    if order is None:
        return _said_at_once(one, two)
    later, earlier = order
    judgment = judged(later, earlier, is_close=is_close)
    if not judgment.bearing.replaces:
        return None
    reason = f"what was said later holds: {judgment.reason}"
    if not judgment.is_sure:
        return for_a_person(later, earlier, f"{UNSURE}: {judgment.reason}", CurationVerb.SUPERSEDE)
    return CurationProposal(
        CurationVerb.SUPERSEDE, (earlier.id, later.id), reason, into=later.id, evidence=_both(earlier, later)
    )


def _said_at_once(one: Record, two: Record) -> CurationProposal | None:
    """What nobody can order by time, the one that was kept first before the other: one that plainly gives up the other
    is taken for the later one, by a person. Of a person's own notes it is the one that was written last."""
    there, back = ruled(one, two), ruled(two, one)
    if not there.bearing.replaces and not back.bearing.replaces:
        return None
    told = there if there.bearing.replaces else back
    if back.bearing.replaces and all(authority_of(record) is Authority.PERSON for record in (one, two)):
        return for_a_person(two, one, f"it was written right after the other: {back.reason}", CurationVerb.SUPERSEDE)
    reason = f"they contradict each other, and were said at the same moment: {told.reason}"
    turns = [
        judgment.bearing.replaces and states_change(record.title, record.body)
        for judgment, record in ((there, one), (back, two))
    ]
    if turns[0] == turns[1]:
        return for_a_person(one, two, reason, None)
    later, earlier = (one, two) if turns[0] else (two, one)
    return for_a_person(later, earlier, reason, CurationVerb.SUPERSEDE)


def for_a_person(later: Record, earlier: Record, reason: str, would: CurationVerb | None) -> CurationProposal:
    """The question which of two holds; `would` is done when a person says so, who hears what would be lost."""
    records = (earlier.id, later.id)
    if would is CurationVerb.SUPERSEDE and (lost := lost_with(later, earlier)):
        reason = f"{reason}; {lost}"
    into = later.id if would else None
    return CurationProposal(
        CurationVerb.REVIEW, records, reason, into=into, evidence=_both(earlier, later), would=would
    )


def _both(*records: Record) -> tuple[str, ...]:
    return tuple(map(quoted, records))


# -- what says the same


def _groups(pairs: Sequence[tuple[Record, Record]]) -> list[list[Record]]:
    """Records that all say the same: who says the same as one of them is not enough."""
    said = {frozenset((one.id, two.id)) for one, two in pairs}
    records = {record.id: record for pair in pairs for record in pair}
    groups: list[list[Record]] = []
    for record in sorted(records.values(), key=_worth, reverse=True):
        for group in groups:
            if all(frozenset((record.id, other.id)) in said or says_the_same(record, other) for other in group):
                group.append(record)
                break
        else:
            groups.append([record])
    return [group for group in groups if len(group) > 1]


def _worth(record: Record) -> tuple[object, ...]:
    """Which of several stands for all: whose word counts most, then by the evidence, by what it says, and the first."""
    sessions = {(piece.agent, piece.run_id) for piece in record.evidence}
    evidence = (len(sessions), len(record.evidence))
    return authority_of(record), *evidence, len(record.body), record.confidence, -record.created.timestamp(), record.id


def _one_of(group: Sequence[Record]) -> Iterator[CurationProposal]:
    """One that stands for all: with the others' evidence if their words count alike, else as it is."""
    best, *others = group
    alike = [one for one in others if authority_of(one) == authority_of(best) and one.primitive is best.primitive]
    if alike:
        yield merge_of(_very_same([best, *alike]) or [best, *alike])
    below = [one for one in others if authority_of(one) < authority_of(best)]
    for one in below:
        who = "a person wrote" if authority_of(best) is Authority.PERSON else "the user said"
        yield CurationProposal(
            CurationVerb.SUPERSEDE,
            (one.id, best.id),
            f"{who} the same, and their word counts for more",
            into=best.id,
            evidence=_both(one, best),
            is_safe=is_exact(one, best),
        )


def _very_same(group: Sequence[Record]) -> list[Record]:
    """Those that say the very same, if there are any: nobody has to look at that. The rest is for the next time."""
    same = ([one, *(two for two in group[at + 1 :] if is_exact(one, two))] for at, one in enumerate(group))
    return next((found for found in same if len(found) > 1), [])


def merge_of(group: Sequence[Record], reason: str = "") -> CurationProposal:
    """The merge of records into the first of them."""
    best, *others = group
    exact = all(is_exact(best, one) for one in others)
    reason = reason or ("they say the very same" if exact else "they say the same in other words")
    return CurationProposal(
        CurationVerb.MERGE,
        tuple(record.id for record in group),
        reason,
        into=best.id,
        evidence=_both(*group),
        wording=RecordWording(best.title, _together(best, others), best.kind, _tags(group)),
        is_safe=exact,
    )


def _tags(group: Sequence[Record]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for record in group for tag in record.tags))[:MAX_TAGS]


def _together(best: Record, others: Iterable[Record]) -> str:
    """The body of the first, and what the others say that it does not."""
    body = best.body.strip()
    for other in others:
        for part in (other.title, *other.body.split("\n\n")):
            text = part.strip()
            if text and Backing([best.title, body]).gap(text) is not None:
                longer = f"{body}\n\n{text}".strip()
                body = longer if len(longer.encode()) <= MAX_BODY_BYTES else body
    return body
