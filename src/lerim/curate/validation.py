"""What may be done to records, whoever proposes it: one set of rules for the embedded judge and for a model.

What a person wrote is theirs: only they, or new words of the user that say so, change it. What was said later replaces
what was said before, never the other way round, and nobody overrules somebody whose word counts for more. Words that
the records do not say are not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from lerim.context.authority import Authority
from lerim.context.decay import DecayRule, is_faded
from lerim.context.grounds import Provisional
from lerim.context.records import Record, RecordId, Status, valid
from lerim.context.standing import ruled
from lerim.curate.bearings import judged
from lerim.curate.proposals import CurationProposal, CurationVerb, RecordWording
from lerim.curate.titles import stands_alone
from lerim.dataclass import dataclass, replace
from lerim.errors import InvalidRecord
from lerim.text.alike import missing
from lerim.text.backing import Backing
from lerim.text.bearing import Bearing, ends_some_of, judge
from lerim.text.besides import besides
from lerim.text.statements import statement

#: Whose words a memory rests on may be said.
_SPEAKERS = "user agent"
#: How what says the same bears on each other.
_SAME = frozenset({Bearing.DUPLICATE, Bearing.REFINEMENT})


@dataclass(frozen=True)
class Ruling:
    """Whether something may be done; if not, why, and whether a person may still have it done, or it has to wait."""

    refusal: str = ""
    is_for_a_person: bool = False
    is_early: bool = False

    def __bool__(self) -> bool:
        return not self.refusal


ALLOWED = Ruling()


def authority_of(record: Record) -> Authority:
    return Authority.of(record.trust, record.source)


def in_order(one: Record, two: Record) -> tuple[Record, Record] | None:
    """The two, the one that was said later first; None when nobody can tell."""
    if one.last_said == two.last_said:
        return None
    return (one, two) if one.last_said > two.last_said else (two, one)


class CurationRules:
    """The rules at one moment. `records` are those a proposal speaks of, as they stand; `provisional` are decisions
    that were made on a branch which is not merged."""

    def __init__(
        self, rule: DecayRule, now: datetime, provisional: Mapping[RecordId, Provisional] = MappingProxyType({})
    ) -> None:
        self._decay = rule
        self._now = now
        self._provisional = provisional

    def ruling(self, proposal: CurationProposal, records: Mapping[RecordId, Record]) -> Ruling:
        """Whether a proposal may be carried out by whoever is no person."""
        found = [records[one] for one in proposal.records if one in records]
        if len(found) < len(proposal.records):
            missing = next(one for one in proposal.records if one not in records)
            return Ruling(f"there is no '{missing}'")
        if any(record.is_hearsay or not record.primitive.is_lesson for record in found):
            return Ruling("a summary, or what came with a repository that is not trusted, stays as it is")
        match proposal.operation:
            case CurationVerb.RESTORE:
                return ALLOWED if found[0].status is Status.ARCHIVED else Ruling(f"'{found[0].id}' is not archived")
            case _ if any(not record.holds for record in found):
                gone = next(record for record in found if not record.holds)
                return Ruling(f"'{gone.id}' is {gone.status}")
            case CurationVerb.ARCHIVE:
                return self._archive(found[0])
            case CurationVerb.REVISE:
                return _revise(found, proposal.wording)
            case CurationVerb.SUPERSEDE:
                early = self._early(proposal, records)
                return _supersede(proposal, records) if early is None else early
            case CurationVerb.MERGE:
                return _merge(proposal, records, found)
            case CurationVerb.REVIEW:
                return Ruling("it is for a person to decide", is_for_a_person=True)

    def _early(self, proposal: CurationProposal, records: Mapping[RecordId, Record]) -> Ruling | None:
        """What is decided on a branch replaces what holds elsewhere once the branch is merged, and not before."""
        by = self._provisional.get(proposal.into) if proposal.into else None
        if by is None or proposal.into is None:
            return None
        others = [one for one in proposal.targets if not self._is_of_branch(one, by.branch)]
        if not others or says_the_same(records[proposal.into], records[others[0]]):
            return None
        return Ruling(f"'{by.record}' was decided on branch {by.branch}, {by.what}", is_early=True)

    def _is_of_branch(self, record: RecordId, branch: str) -> bool:
        known = self._provisional.get(record)
        return known is not None and known.branch == branch

    def _archive(self, record: Record) -> Ruling:
        if authority_of(record) is Authority.PERSON:
            return Ruling(_THEIRS.format(record.id), is_for_a_person=True)
        if not is_faded(record, self._decay, self._now):
            return Ruling(f"'{record.id}' has not faded", is_for_a_person=True)
        return ALLOWED


_THEIRS = "a person wrote '{}', and only they change it"


def _revise(found: Sequence[Record], wording: RecordWording | None) -> Ruling:
    record = found[0]
    if len(found) != 1 or wording is None:
        return Ruling("one record is worded anew, in words that say how")
    if authority_of(record) is Authority.PERSON:
        return Ruling(_THEIRS.format(record.id), is_for_a_person=True)
    return _worded(wording, record, found)


def _supersede(proposal: CurationProposal, records: Mapping[RecordId, Record]) -> Ruling:
    if proposal.into is None or not proposal.targets:
        return Ruling("what replaces what is not said")
    new = records[proposal.into]
    for one in proposal.targets:
        if not (ruling := _replaces(new, records[one])):
            return ruling
    return ALLOWED


def _replaces(new: Record, old: Record) -> Ruling:
    mine, yours = authority_of(new), authority_of(old)
    if says_the_same(new, old):
        if yours is Authority.PERSON or mine < yours:
            return Ruling(_THEIRS.format(old.id) if yours is Authority.PERSON else _LESS[yours], is_for_a_person=True)
        return ALLOWED
    if lost := lost_with(new, old):
        return Ruling(lost, is_for_a_person=True)
    if in_order(new, old) != (new, old):
        return Ruling(f"'{new.id}' was not said after '{old.id}'", is_for_a_person=True)
    # New words of the user's may replace what a person wrote before, if they say so; nobody else's may.
    if mine < yours and not (mine is Authority.USER and _says_so_plainly(new, old)):
        return Ruling(_LESS[yours], is_for_a_person=True)
    if yours is Authority.PERSON and not _says_so_plainly(new, old):
        return Ruling(_THEIRS.format(old.id), is_for_a_person=True)
    return ALLOWED


def _says_so_plainly(new: Record, old: Record) -> bool:
    """Whether rules and model are of one mind that it replaces the other: what only the model hears, a person may not
    have meant."""
    return ruled(new, old).bearing.replaces and judged(new, old).replaces


def lost_with(new: Record, old: Record) -> str:
    """What nobody says any more once a record takes the place of another; nothing when it says all of it."""
    lost = besides(statement(new.title, new.body), statement(old.title, old.body))
    return _LOST.format(lost, old.id) if lost else ""


_LOST = "“{}” would be lost with it (lerim memory edit {} keeps that)"
_LESS = {
    Authority.PERSON: "a person wrote otherwise, and only new words of the user replace that",
    Authority.USER: "the user said otherwise, and the agent's words do not replace that",
    Authority.AGENT: "the agent said otherwise, and words of nobody do not replace that",
}


def _merge(proposal: CurationProposal, records: Mapping[RecordId, Record], found: Sequence[Record]) -> Ruling:
    if proposal.into is None or len(found) < 2 or proposal.wording is None:
        return Ruling("several records become one of them, in words that say all of it")
    if len({record.primitive for record in found}) > 1:
        return Ruling("a decision and a learning do not become one")
    if _are_one_to_the_letter(found, proposal.wording):
        return ALLOWED  # Whoever wrote it twice loses nothing.
    for record in found:
        if authority_of(record) is Authority.PERSON:
            return Ruling(_THEIRS.format(record.id), is_for_a_person=True)
    if len({record.trust for record in found}) > 1:
        return Ruling("words of the user and of an agent do not become one", is_for_a_person=True)
    for one in found:
        for other in found:
            if one is not other and (order := in_order(one, other)) and ruled(*order).bearing.replaces:
                return Ruling(f"'{order[0].id}' contradicts '{order[1].id}'", is_for_a_person=True)
    return _worded(proposal.wording, records[proposal.into], found)


def _are_one_to_the_letter(found: Sequence[Record], wording: RecordWording) -> bool:
    """Whether all of them say the very same with the same authority, and what they become says so, too."""
    said = {(_folded(one.title), _folded(one.body), one.kind, authority_of(one), one.trust) for one in found}
    first = found[0]
    return len(said) == 1 and any(
        (wording.title, wording.body, wording.kind) == (one.title, one.body, first.kind) for one in found
    )


def _worded(wording: RecordWording, record: Record, found: Sequence[Record]) -> Ruling:
    """Whether a record may say so: what the records say, all that each says in its title, and nothing else."""
    try:
        valid(replace(record, title=wording.title, body=wording.body, kind=wording.kind, tags=wording.tags))
    except InvalidRecord as error:
        return Ruling(error.message)
    backing = Backing((_text(one) for one in found), also=_SPEAKERS)
    for text in (wording.title, wording.body):
        if (gap := backing.gap(text)) is not None:
            return Ruling(f"the records do not say that: {gap}")
    if unknown := set(wording.tags) - {tag for one in found for tag in one.tags} - {*backing.tags(wording.tags)}:
        return Ruling(f"the records do not say '{min(unknown)}'")
    new = statement(wording.title, wording.body)
    for one in found:
        if judge(new, statement(one.title, one.body)).bearing.replaces:
            return Ruling(f"that turns '{one.id}' around")
        if stands_alone(one.title) and Backing([wording.title, wording.body]).gap(one.title) is not None:
            return Ruling(f"that does not say any more what '{one.id}' says")
    return ALLOWED


def says_the_same(one: Record, two: Record) -> bool:
    """Whether each says what the other says, or the later one says nothing that the earlier one does not. One that says
    more of the same stands beside it."""
    if is_exact(one, two):
        return True
    back = ruled(two, one).bearing
    if _folded(one.title) == _folded(two.title) and one.kind is two.kind:
        # One choice, said with another reason each time.
        return not back.replaces and not ruled(one, two).bearing.replaces
    # Nearly all pairs are told apart by one look.
    if back not in _SAME or not _speak_of_one_thing(one, two):
        return False
    sides = [statement(record.title, record.body) for record in (one, two)]
    if ends_some_of(*sides) or ends_some_of(*reversed(sides)):
        return False
    there = ruled(one, two).bearing
    if there not in _SAME:
        return False
    match in_order(one, two):
        case (later, _):
            return Bearing.DUPLICATE is (there if later is one else back)
        case _:
            return Bearing.DUPLICATE in (there, back)


def _speak_of_one_thing(one: Record, two: Record) -> bool:
    """Whether their titles have a word in common that tells something: what one says below, the other may say of
    something else."""
    titles = [statement(record.title, "").heavy for record in (one, two)]
    return bool(titles[0] - missing(titles[0], titles[1]))


def is_exact(one: Record, two: Record) -> bool:
    """Whether two say the very same: the same title, and no body that says what the other does not."""
    if (one.primitive, one.kind) != (two.primitive, two.kind) or _folded(one.title) != _folded(two.title):
        return False
    mine, yours = _folded(one.body), _folded(two.body)
    return mine == yours or not mine or not yours


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _text(record: Record) -> str:
    return f"{record.title}\n{record.body}\n{' '.join(record.tags)}"
