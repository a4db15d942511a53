"""What becomes of a candidate, given what is known already: add, update or nothing, with the reason. Pure.

An update is a revision (the same point, better said) or a supersession (it cannot hold together with the old one).
What contradicts never rewrites: the old record is closed, the new one created, and both stay to be read.

Of two that contradict each other, the one holds that has more authority: what a person wrote, then the user's words in
a session, then the agent's. Of equals, what was said later holds, whichever was read first: a candidate that
something known has overruled since is kept as history, closed from the start, and so is what says the same. What a
candidate gives up is closed even when what it takes up is known. What may contradict, and what has no authority to, is
left for a person to decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from lerim.context.authority import Authority
from lerim.context.records import MAX_TAGS, Kind, Moment, Primitive, Record, RecordId, Status, Trust
from lerim.context.standing import are_choices, ruled, ruled_words
from lerim.ingest.findings import Candidate, RelationKind
from lerim.ingest.words import covered, jaccard, stems
from lerim.text.alike import missing, overlaps
from lerim.text.bearing import Bearing, Judgment
from lerim.text.besides import besides
from lerim.text.common import DENIES
from lerim.text.statements import Statement, statement
from lerim.text.stems import stem
from lerim.text.words import words

#: Before anything was said.
LONG_AGO = datetime.min.replace(tzinfo=UTC)
#: A second session that says the same makes a record surer by this share of what is missing.
_CONFIRMED = 0.3
_SURE = 0.95
#: Titles that share this much say the same.
_SAME_TITLE = 0.75
#: A candidate of which this much is said already is known.
_KNOWN_SHARE = 0.8
#: A candidate that says this much of a record, and more, can stand for it.
_COVERS = 0.6
_NEW_WORDS = 3
#: A reader is believed about two texts when this much of the record's title stands in the candidate.
_ONE_THING = 0.3
#: What turns a title around, and says nothing of its subject.
_TURNING = frozenset(map(stem, (*DENIES, "do", "must", "should", "instead", "rather")))
_DIGITS = frozenset("0123456789")


#: Whether somebody else believes what the rules make of a later and an earlier text, each a title and a body.
Believed = Callable[[tuple[str, str], tuple[str, str], Judgment], bool]


class Action(StrEnum):
    ADD = "add"
    UPDATE = "update"
    NO_OP = "no_op"
    #: Somebody has to say whether it holds.
    REVIEW = "review"


class WriteMode(StrEnum):
    CREATE = "create"
    REVISE = "revise"
    SUPERSEDE = "supersede"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record as far as the comparison needs it: one that holds today, or was replaced by something said later."""

    id: RecordId
    primitive: Primitive
    title: str
    body: str
    kind: Kind | None = None
    confidence: float = 0.8
    tags: tuple[str, ...] = ()
    source: str = "sync"
    trust: Trust = Trust.USER
    #: Whether its evidence is of the candidate's session, and whether it cites some of the same lines.
    same_session: bool = False
    overlaps: bool = False
    #: Whether it was said after the candidate, and whether it holds still.
    said_later: bool = False
    holds: bool = True
    #: When it was last said, and whether it held when the candidate was said and was replaced since.
    said: datetime = LONG_AGO
    replaced_since: bool = False

    @classmethod
    def of(cls, record: Record, said: Moment, *, same_session: bool = False, overlaps: bool = False) -> KnownRecord:
        """A record beside a candidate that was said at a moment."""
        return cls(
            id=record.id,
            primitive=record.primitive,
            title=record.title,
            body=record.body,
            kind=record.kind,
            confidence=record.confidence,
            tags=record.tags,
            source=record.source,
            trust=record.trust,
            same_session=same_session,
            overlaps=overlaps,
            said_later=record.last_said > said,
            holds=record.holds,
            said=record.last_said.at,
            replaced_since=was_replaced_since(record, said),
        )

    @property
    def is_by_hand(self) -> bool:
        return self.authority is Authority.PERSON

    @property
    def authority(self) -> Authority:
        return Authority.of(self.trust, self.source)


def was_replaced_since(record: Record, said: Moment) -> bool:
    """Whether a record held at a moment, or was said after it, and something else took its place since."""
    if record.status is not Status.SUPERSEDED or record.valid_until is None:
        return False
    return record.last_said > said or record.valid_until > said.at


@dataclass(frozen=True, slots=True)
class Revision:
    """What a revised record says: nothing the old one said is lost."""

    title: str
    body: str
    confidence: float
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a candidate. `targets` are the records it touches; the first one becomes the `revision`, if there
    is one, and the others hold no more since the candidate was said."""

    action: Action
    how: WriteMode | None
    targets: tuple[RecordId, ...]
    reason: str
    revision: Revision | None = None
    #: What was said later and holds instead of the candidate, which is history.
    replaced_by: RecordId | None = None


class _Relation(StrEnum):
    SAME = "same"
    OPPOSED = "opposed"
    DOUBTED = "doubted"
    MORE = "more"
    OTHER = "other"


#: What a reader may say of a candidate and a record.
_TOLD = {
    RelationKind.SAME: _Relation.SAME,
    RelationKind.MORE: _Relation.MORE,
    RelationKind.REPLACES: _Relation.OPPOSED,
}


@dataclass(frozen=True, slots=True)
class _Match:
    known: KnownRecord
    relation: _Relation
    #: How near their subjects are: titles first, then all words.
    weight: tuple[float, float]
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Gist:
    """What a text is about, as stems: its title's, without what denies and counts, and all of them."""

    title: frozenset[str]
    everything: frozenset[str]
    statement: Statement

    @classmethod
    def of(cls, item: Candidate | KnownRecord) -> _Gist:
        return cls(*_gist_words(item.title, item.body), statement(item.title, item.body))

    def names_besides(self, other: _Gist) -> frozenset[str]:
        """The names in the title of this text, without what it gives up, that nothing in the other one has."""
        given_up = frozenset(one for given in self.statement.given_up for one in given.thing)
        mine = [
            name for name in self.statement.named & frozenset(words(self.statement.title)) if stem(name) not in given_up
        ]
        known = frozenset(words(f"{other.statement.title} {other.statement.body}"))
        return frozenset(name for name in mine if name not in known and stem(name) not in other.everything)

    def is_of_another_thing(self, other: _Gist) -> bool:
        """Whether each title has a telling word that nothing in the other text says: invoices that are kept for ten
        years, and contracts. However much else the two share, were they one, one of the things would be forgotten."""
        mine, its = self.statement, other.statement
        return bool(missing(mine.heavy, its.bag) and missing(its.heavy, mine.bag))


def decide(
    candidate: Candidate,
    known: Iterable[KnownRecord],
    *,
    unmerged: str = "",
    is_believed: Believed = lambda later, earlier, judgment: True,
) -> Decision:
    """Add, update or nothing. The order of `known` does not matter; only records given are ever touched.

    `unmerged` is the branch that it was decided on, where that is not merged: until then it closes nothing. A second
    reader says whether a contradiction that the rules see `is_believed`.
    """
    matches = sorted((_compare(candidate, one, is_believed) for one in known if _is_comparable(one)), key=_order)
    if unmerged:
        return _on_a_branch(candidate, matches, unmerged, is_believed)
    mine = Authority.of(candidate.trust)
    same = [match for match in matches if match.relation is _Relation.SAME and match.known.holds]
    given_up = list(_given_up(matches, mine))
    return (
        _overruled(candidate, matches)
        or _said_in_part(candidate, same)
        or (_already_known(candidate, same[0].known, given_up) if same else None)
        or _said_again(candidate, matches, given_up)
        or (_contradicts(candidate, given_up) if given_up else None)
        or _says_more(candidate, matches)
        or _doubted(candidate, matches)
        or Decision(Action.ADD, WriteMode.CREATE, (), "Nothing that is known says this.")
    )


def _on_a_branch(candidate: Candidate, matches: Sequence[_Match], branch: str, is_believed: Believed) -> Decision:
    """What is decided, without what would be closed: that holds until the branch is merged."""
    ended = [match.known for match in _given_up(matches, Authority.of(candidate.trust))]
    left = [match.known for match in matches if match.known not in ended]
    decision = decide(candidate, left, is_believed=is_believed)
    if not ended or decision.how is not WriteMode.CREATE:
        return decision
    until = f"It was decided on branch {branch}; until that is merged, this holds, too: {_named(ended[0])}"
    return replace(decision, reason=until)


def _overrules(known: KnownRecord, mine: Authority) -> bool:
    """Whether a record that contradicts words of this authority holds instead of them."""
    return known.said_later and known.authority >= mine


def says_the_same(candidate: Candidate, record: Record) -> bool:
    """Whether a candidate says what a record says, and nothing else."""
    told = (record.id, record.primitive, record.title, record.body, record.kind)
    return _compare(candidate, KnownRecord(*told), lambda later, earlier, judgment: True).relation is _Relation.SAME


def opposition(candidate: Candidate, record: Record, *, is_later: bool) -> Judgment | None:
    """Why a candidate and a record cannot both hold, surely or perhaps; None when one only says the same as the other,
    or more of it."""
    found = ruled(candidate, record) if is_later else ruled(record, candidate)
    return found if found.bearing.replaces else None


def are_alike(one: Candidate, two: Candidate, least: float) -> bool:
    """Whether two candidates of one session share so much of their words: what says opposite things does not."""
    mine, other = _gist_words(one.title, one.body), _gist_words(two.title, two.body)
    # What they state takes far longer to tell than which words they share.
    if max(map(jaccard, mine, other)) < least or _numbers(one.title) != _numbers(two.title):
        return False
    return not ruled(two, one).bearing.replaces and not _Gist.of(one).is_of_another_thing(_Gist.of(two))


@lru_cache(maxsize=512)  # Each is compared with many.
def _gist_words(title: str, body: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a title that say what it is about, and those of all."""
    named = stems(title)
    about = frozenset(word for word in named - _TURNING if not _DIGITS & {*word[:2]}) or named
    return about, (about | stems(body)) - _TURNING


def _numbers(title: str) -> frozenset[str]:
    return frozenset(word for word in words(title) if word[0] in _DIGITS)


def _is_comparable(known: KnownRecord) -> bool:
    return known.primitive is not Primitive.SUMMARY


def _order(match: _Match) -> tuple[float, float, str]:
    return -match.weight[0], -match.weight[1], match.known.id


# -- how two texts relate


def _compare(candidate: Candidate, known: KnownRecord, is_believed: Believed) -> _Match:
    new, old = _Gist.of(candidate), _Gist.of(known)
    weight = jaccard(new.title, old.title), jaccard(new.everything, old.everything)
    if _letters(candidate) == _letters(known):
        return _Match(known, _Relation.SAME, (1.0, 1.0))
    if (told := _told(candidate, known, new, old)) is not None:
        return told
    # Whether the later one overrules the earlier one is asked, and not the other way round.
    judgment = ruled(known, candidate) if known.said_later else ruled(candidate, known)
    mine, other = (candidate.title, candidate.body), (known.title, known.body)
    later, earlier = (other, mine) if known.said_later else (mine, other)
    if judgment.bearing.replaces and is_believed(later, earlier, judgment):
        lost = besides(statement(*later), statement(*earlier)) if judgment.is_sure else ""
        relation = _Relation.OPPOSED if judgment.is_sure and not lost else _Relation.DOUBTED
        why = f"{judgment.reason}, and has no word of “{lost}”" if lost else judgment.reason
        return _Match(known, relation, weight, why)
    relation = _relation(new, old, known)
    if relation is _Relation.OTHER:
        relation = _of_bearing(judgment.bearing, is_later=not known.said_later)
    return _Match(known, relation, weight)


def _of_bearing(bearing: Bearing, *, is_later: bool) -> _Relation:
    """What a candidate is to a record: one that refines what was said before says more, if it is the later one."""
    if bearing is Bearing.DUPLICATE:
        return _Relation.SAME
    if bearing is Bearing.REFINEMENT:
        return _Relation.MORE if is_later else _Relation.SAME
    return _Relation.OTHER


def _told(candidate: Candidate, known: KnownRecord, new: _Gist, old: _Gist) -> _Match | None:
    """What a reader says of the two, when they speak of one thing: nobody closes a record by merely naming it."""
    relation = candidate.relation
    if relation is None or relation.record != known.id or covered(old.title, new.everything) < _ONE_THING:
        return None
    weight = 1.0, jaccard(new.everything, old.everything)
    return _Match(known, _TOLD[relation.kind], weight, "a reader says that it takes the place of")


def _letters(item: Candidate | KnownRecord) -> tuple[str, str]:
    return " ".join(item.title.casefold().split()), " ".join(item.body.casefold().split())


def _relation(new: _Gist, old: _Gist, known: KnownRecord) -> _Relation:
    if new.statement.numbered != old.statement.numbered or not _is_one_subject(new, old, known):
        return _Relation.OTHER
    if not known.overlaps and new.is_of_another_thing(old):
        return _Relation.OTHER
    added = len(new.everything - old.everything)
    is_same_title = jaccard(new.title, old.title) >= _SAME_TITLE
    if new.names_besides(old):
        # In the frame of what is known, another name is another value; with the known one, it is more.
        return _Relation.MORE if is_same_title and not old.names_besides(new) else _Relation.OTHER
    if covered(new.everything, old.everything) >= _KNOWN_SHARE or (is_same_title and added < _NEW_WORDS):
        return _Relation.SAME
    if is_same_title or (covered(old.everything, new.everything) >= _COVERS and added >= _NEW_WORDS):
        return _Relation.MORE
    return _Relation.SAME if known.overlaps else _Relation.OTHER


def _is_one_subject(new: _Gist, old: _Gist, known: KnownRecord) -> bool:
    title = jaccard(new.title, old.title)
    # The same lines of the same session, read twice: less has to agree. Two rulings of one turn still differ.
    ease = 0.15 if known.same_session and known.overlaps else 0.0
    if title >= 0.6 - ease:
        return True
    if title >= 0.35 - ease:
        return jaccard(new.everything, old.everything) >= 0.45 - ease
    is_covered = len(new.title) >= 3 and covered(new.title, old.everything) >= 0.8
    return is_covered and covered(new.everything, old.everything) >= 0.75


# -- what follows from it


def _already_known(candidate: Candidate, known: KnownRecord, given_up: Sequence[_Match]) -> Decision:
    """It says what is known. What it gives up besides is closed all the same, by what is known."""
    closed = tuple(match.known.id for match in given_up if _may_close(candidate, match.known))
    if not known.is_by_hand and Authority.of(candidate.trust) > known.authority:
        # What the agent said first, the user says now: it is the user's word, and counts as that.
        targets = known.id, *closed
        return Decision(Action.UPDATE, WriteMode.SUPERSEDE, targets, f"The user says so, too: {_named(known)}")
    found = _confirmed(known)
    if closed or (found.how is not None and _gives_up_more(candidate, known)):
        return _with_what_it_ends(candidate, known, found, closed)
    return found


def _confirmed(known: KnownRecord) -> Decision:
    if known.is_by_hand:
        return _rests_on_more(known, "A person wrote it already, and a session says so, too")
    if known.same_session and known.overlaps:
        return _nothing(known, "It was taken from these lines before")
    if known.same_session:
        return _rests_on_more(known, "This session said it before")
    if known.confidence >= _SURE:
        return _rests_on_more(known, "Already known")
    surer = round(known.confidence + (1 - known.confidence) * _CONFIRMED, 4)
    revision = Revision(known.title, known.body, surer, known.tags)
    reason = f"A second session says so independently: {_named(known)}"
    return Decision(Action.UPDATE, WriteMode.REVISE, (known.id,), reason, revision)


def _with_what_it_ends(
    candidate: Candidate, known: KnownRecord, found: Decision, closed: tuple[RecordId, ...]
) -> Decision:
    """A repetition that ends something: what is known says so from now on, and closes that."""
    revision = found.revision or Revision(known.title, known.body, known.confidence, known.tags)
    if not known.is_by_hand and _gives_up_more(candidate, known):
        body = f"{_sentence(candidate.title)}\n\n{revision.body}".strip()
        revision = replace(revision, body=body)
    is_change = closed or revision.body != known.body or found.action is Action.UPDATE
    action = Action.UPDATE if is_change else Action.NO_OP
    return replace(found, action=action, how=WriteMode.REVISE, targets=(known.id, *closed), revision=revision)


def _gives_up_more(one: Candidate | KnownRecord, other: Candidate | KnownRecord) -> bool:
    """Whether a title gives up something that the other text does not: that would be forgotten with it."""
    given_up = statement(one.title, "").given_up
    known = statement(other.title, other.body).given_up
    return any(not any(overlaps(given.thing, also.thing) for also in known) for given in given_up)


def _sentence(title: str) -> str:
    return title if title.endswith((".", "!", "?")) else f"{title}."


def _says_more(candidate: Candidate, matches: Sequence[_Match]) -> Decision | None:
    match = next((one for one in matches if one.relation is _Relation.MORE and one.known.holds), None)
    if match is None:
        return None
    known = match.known
    if known.is_by_hand and candidate.trust is Trust.USER:
        return _left(match, "It says more than what a person wrote, and only a person adds to that")
    if known.is_by_hand:
        return _nothing(known, "A person wrote it, and only a person adds to that")
    # Nothing is lost, and the later words lead.
    lead, more = (known, candidate) if known.said_later else (candidate, known)
    revision = Revision(
        title=lead.title,
        body=_together(lead, more),
        confidence=max(known.confidence, candidate.confidence),
        tags=tuple(dict.fromkeys((*known.tags, *candidate.tags)))[:MAX_TAGS],
    )
    return Decision(Action.UPDATE, WriteMode.REVISE, (known.id,), f"It says more than {_named(known)}", revision)


def _overruled(candidate: Candidate, matches: Sequence[_Match]) -> Decision | None:
    """Something that was said later holds instead: of the candidate, and of what says the same and was said before."""
    mine = Authority.of(candidate.trust)
    later = [m.known for m in matches if m.relation is _Relation.OPPOSED and _overrules(m.known, mine)]
    if not later:
        return None
    since = max(later, key=lambda one: (one.said, one.holds, one.id))
    again = [m.known for m in matches if m.relation in (_Relation.SAME, _Relation.MORE) and m.known.holds]
    if any(one.said >= since.said or one.authority > mine for one in again):
        return None  # It was said again after that, or by somebody who counts for more.
    above = next((one for one in _given_up(matches, mine) if not _may_close(candidate, one.known)), None)
    if above is not None:
        return _left(above, _NO_AUTHORITY[above.known.authority])
    closed = (*(one.known for one in _given_up(matches, mine)), *again)
    reason = f"It was said before {_named(since)}, and what was said later holds"
    action = Action.UPDATE if closed else Action.NO_OP
    targets = tuple(dict.fromkeys(one.id for one in closed))
    return Decision(action, WriteMode.HISTORY, targets, reason, replaced_by=since.id)


def _said_in_part(candidate: Candidate, same: Sequence[_Match]) -> Decision | None:
    """What was said later says more: what was said before is history, in its own words. Those of the later one were not
    said then."""
    for known in (match.known for match in same):
        if (
            not known.said_later
            or known.same_session
            or known.is_by_hand
            or known.authority < Authority.of(candidate.trust)
        ):
            continue
        found = ruled_words((known.title, ""), (candidate.title, ""), is_choice=are_choices(candidate))
        if found.bearing is Bearing.REFINEMENT:
            reason = f"It was said in more words later: {_named(known)}"
            return Decision(Action.NO_OP, WriteMode.HISTORY, (), reason, replaced_by=known.id)
    return None


def _given_up(matches: Iterable[_Match], mine: Authority) -> Iterator[_Match]:
    """What holds, and a candidate contradicts: it was said before, or by somebody who counts for less."""
    for match in matches:
        if match.relation is _Relation.OPPOSED and match.known.holds and not _overrules(match.known, mine):
            yield match


def _may_close(candidate: Candidate, known: KnownRecord) -> bool:
    """New words of the user's may replace what a person wrote before; nobody else's may."""
    mine = Authority.of(candidate.trust)
    return mine is Authority.USER or known.authority <= mine


def _contradicts(candidate: Candidate, given_up: Sequence[_Match]) -> Decision:
    above = next((one for one in given_up if not _may_close(candidate, one.known)), None)
    if above is not None:
        return _left(above, _NO_AUTHORITY[above.known.authority])
    first = given_up[0]
    reason = f"{first.why[:1].upper()}{first.why[1:]}: {_named(first.known)}"
    return Decision(Action.UPDATE, WriteMode.SUPERSEDE, tuple(one.known.id for one in given_up), reason)


_NO_AUTHORITY = {
    Authority.PERSON: "A person wrote otherwise, and only the user's own words can replace that",
    Authority.USER: "The user said otherwise, and the agent's words do not replace that",
}


def _doubted(candidate: Candidate, matches: Sequence[_Match]) -> Decision | None:
    """It may contradict what is known. What the user says does not wait because an agent says otherwise."""
    mine = Authority.of(candidate.trust)
    doubted = (one for one in matches if one.relation is _Relation.DOUBTED and one.known.holds)
    match = next((one for one in doubted if one.known.authority >= mine), None)
    return _left(match, f"It may be that {match.why}, and nobody can tell for sure") if match else None


def _left(match: _Match, reason: str) -> Decision:
    """Leave it for a person, with what stands against it."""
    return Decision(Action.REVIEW, None, (match.known.id,), f"{reason}: {_named(match.known)}")


def _said_again(candidate: Candidate, matches: Sequence[_Match], given_up: Sequence[_Match]) -> Decision | None:
    """It says what held when it was said, and was replaced since. What it ended in its time is closed."""
    mine = Authority.of(candidate.trust)
    gone = (m.known for m in matches if m.relation is _Relation.SAME and m.known.replaced_since)
    known = next((one for one in gone if one.authority >= mine), None)
    if known is None:
        return None
    closed = tuple(match.known.id for match in given_up if _may_close(candidate, match.known))
    reason = "It was said again later, and replaced since" if known.said_later else "It was replaced since"
    if not closed:
        return _nothing(known, reason)
    told = f"{reason}: {_named(known)}"
    return Decision(Action.UPDATE, WriteMode.HISTORY, closed, told, replaced_by=known.id)


def _rests_on_more(known: KnownRecord, reason: str) -> Decision:
    """Nothing is said anew: the record stays to the letter, and keeps the evidence."""
    revision = Revision(known.title, known.body, known.confidence, known.tags)
    return Decision(Action.NO_OP, WriteMode.REVISE, (known.id,), f"{reason}: {_named(known)}", revision)


def _nothing(known: KnownRecord, reason: str) -> Decision:
    return Decision(Action.NO_OP, None, (known.id,), f"{reason}: {_named(known)}")


def _named(known: KnownRecord) -> str:
    return f"“{known.title}” ({known.id})"


def _together(lead: Candidate | KnownRecord, more: Candidate | KnownRecord) -> str:
    """The body that leads; before it the other one's paragraphs, where they say what it does not."""
    new = stems(f"{lead.title} {lead.body}")
    kept = [part for part in more.body.split("\n\n") if part.strip() and covered(stems(part), new) < _KNOWN_SHARE]
    # What it took the place of is told by its title alone.
    ended = [_sentence(more.title)] if _gives_up_more(more, lead) else []
    return "\n\n".join((*ended, *kept, lead.body)).strip()
