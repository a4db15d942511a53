"""What a session may have taught and nobody is sure of: it waits until a person, or a model, accepts or rejects it.

A candidate is no memory: no search, brief or answer sees it. Deciding writes candidate and record in one change, and
both hang on it: when the change is undone, the candidate waits again. So undoing needs no code here.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar

from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import (
    CONFIRMED,
    LIKELY,
    Draft,
    Evidence,
    Kind,
    Primitive,
    Random,
    Record,
    RecordId,
    Status,
    Trust,
    is_choice,
    new_id,
    parse_time,
    time_text,
    valid,
)
from lerim.context.rows import evidence_from, evidence_text
from lerim.context.store import Change, Snapshot
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound, UsageError, VerdictRefused
from lerim.lazy_regex import compile_later
from lerim.storage.database import Row, Value
from lerim.storage.entries import entries
from lerim.text.bearing import judge
from lerim.text.statements import statement

SOURCE = "review"
# Kept in the store, and compared with it: these very words.
_NOT_FOUND_AGAIN = "the session was taken in again, and this was not proposed again"
_UNDONE = "the run that proposed it was undone"
_WORDS = compile_later(r"\w+")
#: A paragraph that says why, or what was chosen; and so many of a title's words tell it again.
_REASON = compile_later(r"\s*(?:why|chosen|reason|because|instead of)\b", re.I)
_TOLD_AGAIN = 0.8
#: Characters of a memory's words that a signal quotes.
_QUOTED = 300
_T = TypeVar("_T")


#: How the run ids begin of what agents asked to remember: no session brings it back, so no session outdates it.
TOLD = "told-"
#: How the signal begins of a candidate that disagrees with a memory, as far as one can tell.
MAY_OPPOSE = "may stand against"
STANDS_AGAINST = "stands against"
_DOUBTS = compile_later(rf"{MAY_OPPOSE} ((?:dec|lrn)-[a-z2-7]{{10}}) “")
#: The signal of the user's words that tell what was not so before: what is read later may be what it ends.
TELLS_NEWS = "says what is otherwise now"


class ReviewState(StrEnum):
    """How a candidate stands."""

    PENDING = "pending"  # waits for somebody to decide
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OUTDATED = "outdated"  # its session was ingested again and no longer says so, or its run was undone


@dataclass(frozen=True)
class ReviewCandidate:
    """A memory that could be one, with the words it rests on. `run_id` is the run that proposed it."""

    id: str
    session: str
    run_id: str
    primitive: Primitive
    title: str
    body: str
    confidence: float
    created: datetime
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trust: Trust = Trust.USER
    #: Why the engine took it for a memory, in words people can read.
    signals: tuple[str, ...] = ()
    #: Its place's project, once it is kept.
    project: str = ""
    state: ReviewState = ReviewState.PENDING
    decided: datetime | None = None
    #: Who decided: `person`, `lerim` or `agent`.
    author: str | None = None
    reason: str = ""
    #: What it became.
    record_id: RecordId | None = None
    #: The records that it cannot hold together with: whoever accepts it closes those that were said before it.
    against: tuple[RecordId, ...] = ()

    @property
    def said(self) -> datetime:
        """When its words were said, by their session; else when it was noted."""
        return max((piece.said for piece in self.evidence if piece.said), default=self.created)

    @property
    def doubts(self) -> tuple[RecordId, ...]:
        """The records that may not hold beside it: told as open, and closed by nobody who accepts it."""
        named = map(_doubted_by, self.signals)
        return tuple(found for found in named if found is not None)

    @property
    def opposed(self) -> frozenset[RecordId]:
        """The records that it does not, or may not, hold together with."""
        return frozenset((*self.against, *self.doubts))

    @property
    def is_likely(self) -> bool:
        """Whether it is worth looking at first: by its confidence, or because something known may end by it, or
        because somebody asked for it. What is not likely waits behind these."""
        is_opposed = bool(self.against) or any(signal.startswith(MAY_OPPOSE) for signal in self.signals)
        return self.confidence >= LIKELY or is_opposed or self.run_id.startswith(TOLD)


class LaterWord(NamedTuple):
    """What the user said later than a record and may end it, while nobody has said whether it does: a candidate that
    waits, or a memory that was accepted beside it."""

    name: str
    title: str
    said: datetime
    is_sure: bool = False


class Opposition(NamedTuple):
    """The records that a candidate surely does not hold together with, and those that it perhaps does not."""

    surely: tuple[RecordId, ...] = ()
    perhaps: tuple[RecordId, ...] = ()


class WaitingCount(NamedTuple):
    """How many candidates wait for a decision, and how many of them are likely."""

    total: int = 0
    likely: int = 0


@dataclass(frozen=True)
class Edits:
    """What somebody says otherwise than the candidate. What is None stays."""

    title: str | None = None
    body: str | None = None
    primitive: Primitive | None = None
    kind: Kind | None = None
    tags: tuple[str, ...] | None = None


class ReviewVerdict(StrEnum):
    """What can be said of a candidate."""

    ACCEPT = "accept"  # it is a memory, as it stands or in other words
    REJECT = "reject"
    SAME = "same"  # a memory says it already
    UPDATES = "updates"  # a memory says less of the same: it gets the rest
    REPLACES = "replaces"  # a memory holds no more because of it


#: After these it is no memory of its own.
_REJECTING = frozenset({ReviewVerdict.REJECT, ReviewVerdict.SAME})


@dataclass(frozen=True)
class ReviewDecision:
    """A verdict on a candidate, the words for it, and the memory it speaks of besides."""

    id: str
    verdict: ReviewVerdict
    edits: Edits = Edits()
    #: The id of the memory that it is the same as, updates or replaces.
    record: str | None = None
    reason: str = ""


def _doubted_by(signal: str) -> RecordId | None:
    found = _DOUBTS.match(signal)
    return RecordId(found[1]) if found is not None else None


def _is_against(signal: str, records: Iterable[Record]) -> bool:
    return any(signal.startswith(f"{STANDS_AGAINST} {one.id} ") for one in records)


def signal_of(record: Record, *, is_sure: bool) -> str:
    """What a candidate says of a memory that it does not, or may not, hold together with: both sides are quoted."""
    # The words it rests on, not what an agent made of them.
    quotes = [piece.quote for piece in record.own_evidence if piece.quote]
    said = " ".join((quotes[-1] if quotes else record.body or record.title).split())
    shown = said if len(said) <= _QUOTED else f"{said[:_QUOTED].rsplit(' ', 1)[0]} …"
    stands = STANDS_AGAINST if is_sure else MAY_OPPOSE
    return f"{stands} {record.id} “{record.title}”, said on {record.last_said.at:%Y-%m-%d}: “{shown}”"


def new_review_id(random: Random = os.urandom) -> str:
    """A fresh id: `rev-` and ten letters, like a record's."""
    return f"rev-{new_id(Primitive.DECISION, random).partition('-')[2]}"


def draft_of(candidate: ReviewCandidate, edits: Edits = Edits(), *, confirmed: bool = True) -> Draft:  # noqa: B008 - frozen
    """The memory it would become: its own evidence and trust, and a person's confidence when one `confirmed` it."""
    # As everywhere, a kind makes it a learning, and a decision has none.
    primitive = edits.primitive or (Primitive.LEARNING if edits.kind else candidate.primitive)
    kept_kind = candidate.kind if primitive is Primitive.LEARNING else None
    return Draft(
        primitive,
        candidate.title if edits.title is None else edits.title,
        candidate.body if edits.body is None else edits.body,
        edits.kind or kept_kind,
        candidate.tags if edits.tags is None else edits.tags,
        max(candidate.confidence, CONFIRMED) if confirmed else candidate.confidence,
        SOURCE,
        candidate.evidence,
        candidate.trust,
    )


def title_words(title: str) -> str:
    """A title as it is compared: two that differ in case, spaces or punctuation only are the same."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", title).casefold()))


# --- one place, in one transaction ------------------------------------------------------------------------------------

_COLUMNS = (
    *("project_id", "id", "session", "run_id", "primitive", "kind", "title", "title_words", "body", "confidence"),
    *("tags", "evidence", "trust", "signals", "created", "state", "decided", "author", "reason", "record_id"),
    "against",
    *("proposed_change", "decided_change"),
)
# A decision counts as long as its change does. One whose record was restored by hand counts again; but not one that
# only added to a record that there was before.
_IS_UNDONE = """v.state IN ('accepted', 'rejected') AND d.undone_by IS NOT NULL
  AND (coalesce(r.status, '') IN ('', 'archived') OR NOT EXISTS (SELECT 1 FROM versions c
    WHERE c.record_seq = r.seq AND c.version = 1 AND c.change_id = v.decided_change))"""
_STATE = f"""CASE WHEN (v.state = 'pending' OR ({_IS_UNDONE})) AND p.undone_by IS NOT NULL THEN 'outdated'
  WHEN {_IS_UNDONE} THEN 'pending' ELSE v.state END"""
_NOW = f"""SELECT {", ".join(f"{_STATE} AS state" if name == "state" else f"v.{name}" for name in _COLUMNS)}
  FROM review v JOIN changes p ON p.id = v.proposed_change LEFT JOIN changes d ON d.id = v.decided_change
  LEFT JOIN records r ON r.project_id = v.project_id AND r.id = v.record_id WHERE v.project_id = ?"""
_SELECT = f"SELECT * FROM ({_NOW}) AS now"
#: Whether it does not, or may not, hold together with some memory.
_OPPOSES = f"""(against <> '[]' OR signals LIKE '%"{MAY_OPPOSE}%')"""
#: What `ReviewCandidate.is_likely` says, for the database.
IS_LIKELY = f"(confidence >= {LIKELY} OR {_OPPOSES} OR run_id LIKE '{TOLD}%')"
# What it stands against is found out, and settled, beside what was decided on it.
_STAND = "UPDATE review SET against = ?, signals = ? WHERE project_id = ? AND id = ?"
_INSERT = (
    f"INSERT INTO review ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (project_id, id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS[2:])}"
)
# What somebody archived must not come back as a question; what an undo archived may.
_PUT_AWAY = """r.status = 'archived' AND NOT EXISTS (SELECT 1 FROM versions w
  WHERE w.record_seq = r.seq AND w.version = r.version AND w.operation = 'undo')"""


def _is_of(candidate: ReviewCandidate, session: str) -> bool:
    """Whether it came from a session, by `agent/run_id` or by the beginning of its run id."""
    return candidate.session.startswith(session) or candidate.session.partition("/")[2].startswith(session)


class Waiting:
    """The candidates of one place, as a transaction sees them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._tx = snapshot.tx
        self._project = snapshot.project_id

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[ReviewCandidate]:
        """The candidates in a state, or in any; of a session by `agent/run_id`, or the beginning of its run id.

        Of those that wait, the likely ones come first.
        """
        conditions, values = ["TRUE"], list[Value]()
        if state is not None:
            conditions.append("state = ?")
            values.append(str(state))
        first = f"{IS_LIKELY} DESC, " if state is ReviewState.PENDING else ""
        sql = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY {first}created DESC, session, confidence DESC, id"
        found = (_decode(row) for row in self._tx.rows(sql, (self._project, *values)))
        if session is not None:
            found = (each for each in found if _is_of(each, session))
        return list(islice(found, limit or None))

    def starting_with(self, prefix: str) -> list[ReviewCandidate]:
        """Candidates whose id begins with `prefix`, or the one that has it as its id."""
        sql = f"{_SELECT} WHERE id >= ? AND id < ? ORDER BY id LIMIT 5"
        return [_decode(row) for row in self._tx.rows(sql, (self._project, prefix, prefix + "\x7f"))]

    def of_record(self, record_id: str) -> ReviewCandidate | None:
        """The candidate that became this record, before others added to it; None when it came another way."""
        row = self._tx.row(f"{_SELECT} WHERE record_id = ? ORDER BY decided_change", (self._project, record_id))
        return _decode(row) if row else None

    def against(self, ids: Collection[RecordId]) -> dict[RecordId, LaterWord]:
        """Of these records, those that the user's later words stand against, surely or perhaps, each with the last such
        words."""
        sql = f"{_SELECT} WHERE {_OPPOSES} AND state IN ('pending', 'accepted') AND trust = ?"
        found = [_decode(row) for row in self._tx.rows(sql, (self._project, str(Trust.USER)))]
        by_time = sorted(found, key=lambda one: (one.said, one.id))
        told = [(record_id, self._later(one, record_id)) for one in by_time for record_id in one.opposed & {*ids}]
        # Whoever accepted old words accepted them beside what was said since.
        told += [(one.record_id, self._since(one)) for one in by_time if one.record_id and one.record_id in {*ids}]
        return {record_id: later for record_id, later in told if later is not None}

    def _since(self, one: ReviewCandidate) -> LaterWord | None:
        """The last word that was said after a memory, and that it was accepted beside although it may not hold with
        it."""
        found = (self._snapshot.find(record_id) for record_id in one.doubts if record_id != one.record_id)
        later = [record for record in found if record is not None and record.holds and record.last_said.at > one.said]
        last = max(later, key=lambda record: record.last_said, default=None)
        return LaterWord(last.id, last.title, last.last_said.at) if last is not None else None

    def _later(self, one: ReviewCandidate, record_id: RecordId) -> LaterWord | None:
        is_sure = record_id in one.against
        if one.state is ReviewState.PENDING:
            return LaterWord(one.id, one.title, one.said, is_sure)
        if one.record_id == record_id:
            return None  # It is part of that by now.
        # Whoever accepted it closed what it surely ended.
        kept = self._snapshot.find(one.record_id) if one.record_id and record_id in one.doubts else None
        return LaterWord(kept.id, kept.title, kept.last_said.at) if kept and kept.holds else None

    def accepted_in_doubt(self) -> list[ReviewCandidate]:
        """What was accepted beside memories that may not hold with it."""
        sql = f"{_SELECT} WHERE {_OPPOSES} AND state = 'accepted' ORDER BY id"
        return [one for one in (_decode(row) for row in self._tx.rows(sql, (self._project,))) if one.doubts]

    def news(self, since: datetime | None = None) -> list[ReviewCandidate]:
        """What waits and tells that something is otherwise now, in the user's words; of what was noted since then."""
        sql = f"{_SELECT} WHERE signals LIKE ? AND created >= ? AND state = 'pending' AND trust = ? ORDER BY id"
        values = (self._project, f"%{TELLS_NEWS}%", time_text(since) if since else "", str(Trust.USER))
        return [_decode(row) for row in self._tx.rows(sql, values)]

    def count(self) -> WaitingCount:
        likely = f"coalesce(sum(CASE WHEN {IS_LIKELY} THEN 1 ELSE 0 END), 0)"
        sql = f"SELECT count(*), {likely} FROM ({_NOW}) AS now WHERE state = 'pending'"
        row = self._tx.row(sql, (self._project,))
        return WaitingCount(int(row[0]), int(row[1])) if row else WaitingCount()

    def fetch(self, candidate_id: str) -> ReviewCandidate:
        """The candidate with this very id. Raises NotFound."""
        row = self._tx.row(f"{_SELECT} WHERE id = ?", (self._project, candidate_id))
        if row is None:
            raise NotFound(f"no candidate '{candidate_id}' in this scope", hint="lerim review list --all")
        return _decode(row)


class ReviewList(Waiting):
    """The candidates of one place, to be decided on: whatever happens here is part of the change."""

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        self._change = change

    def save_all(self, session: str, found: Sequence[ReviewCandidate]) -> list[ReviewCandidate]:
        """Make these the candidates of a session, and return those that wait now.

        One that was proposed before keeps its id; one that somebody decided on, in whatever session, is not proposed
        again; one that is not found again is outdated.
        """
        known = [_decode(row) for row in self._tx.rows(f"{_SELECT} WHERE session = ?", (self._project, session))]
        settled, kept = self._settled(session) if found else set[str](), list[ReviewCandidate]()
        before = _paired(known, found)
        for candidate in found:
            old, words = before.get(candidate.id), title_words(candidate.title)
            if words in settled or (old is not None and old.state in _DECIDED):
                continue
            settled.add(words)
            kept.append(self._propose(candidate, old))
        ids = {candidate.id for candidate in kept}
        for old in known:
            if old.state is ReviewState.PENDING and old.id not in ids and not old.run_id.startswith(TOLD):
                self._put(replace(old, state=ReviewState.OUTDATED, reason=_NOT_FOUND_AGAIN), self._change.id)
        return kept

    def note(self, candidate: ReviewCandidate) -> ReviewCandidate:
        """Let one wait that no run found. Raises Conflict when its title needs no proposal."""
        if title_words(candidate.title) in self._settled(""):
            raise Conflict(
                f"'{candidate.title}' is known already, or was decided on", hint="lerim review list --all shows it"
            )
        return self._propose(candidate, None)

    def settle(self, ids: Collection[RecordId]) -> None:
        """A person says that these hold beside each other: what was accepted as one of them casts no doubt any more."""
        for one in (self.of_record(record_id) for record_id in ids):
            if one is not None and not set(one.doubts).isdisjoint(ids):
                left = tuple(signal for signal in one.signals if _doubted_by(signal) not in ids)
                self.oppose(replace(one, signals=left))
                self._change.leave_row()

    def oppose(self, opposed: ReviewCandidate) -> None:
        """Keep what a candidate was found to stand against after it was proposed, or does no more."""
        stands = json.dumps(opposed.against), json.dumps(opposed.signals, ensure_ascii=False)
        self._tx.run(_STAND, (*stands, self._project, opposed.id))

    def accept(
        self,
        candidate_id: str,
        record: Record,
        author: str = "person",
        reason: str = "",
        *,
        replaces: RecordId | None = None,
        against: Opposition | None = None,
    ) -> Record:
        """Make a memory of it: `record` is what it shall say. Its evidence and trust are the candidate's own. What
        surely stands against it and was said before is closed in its favor: both sides cannot hold. What was said after
        it holds, and makes it history from the start. Whoever says what it `replaces` says what is closed: that, and
        nothing else. `against` is what stands against it in the words of `record`; else what did when it was noted.
        What may stand against it and stays is told as open.

        Raises Conflict when it is one already, or when a memory with this title holds.
        """
        candidate = self._undecided(candidate_id)
        noted = _as_noted(candidate) if against is None else against
        closing = noted.surely if replaces is None else (replaces,)
        record = valid(
            replace(
                record,
                source=SOURCE,
                evidence=candidate.evidence,
                trust=candidate.trust,
                status=Status.ACTIVE,
                superseded_by=None,
                valid_until=None,
            )
        )
        twin = self._titles("r.status = 'active'").get(title_words(record.title))
        if twin is not None and twin not in closing:
            raise Conflict(
                f"'{twin}' has this very title already",
                hint=f"lerim review reject {candidate.id}, or accept it with another --title",
            )
        record = self._change.create(record)
        overruling: list[Record] = []
        for rival in self._rivals(closing, replaces):
            if rival.id != replaces and rival.last_said > record.last_said:
                overruling.append(rival)
            else:
                # Whoever says that it replaces something says so now, whatever was said between the two.
                self._change.supersede(rival.id, by=record.id, at=max(record.last_said.at, rival.last_said.at))
        if overruling:
            first = min(overruling, key=lambda rival: rival.last_said)
            record = self._change.supersede(record.id, by=first.id, at=first.last_said.at)
        left = [one for one in (*noted.surely, *noted.perhaps) if one not in closing]
        settled = self._beside(candidate, left, closing)
        self._decide(replace(settled, state=ReviewState.ACCEPTED, record_id=record.id), author, reason)
        return record

    def _beside(
        self, candidate: ReviewCandidate, left: Sequence[RecordId], closed: Collection[RecordId]
    ) -> ReviewCandidate:
        """A candidate with what it leaves standing although it may not hold with it, and no other doubts."""
        found = [self._change.find(one) for one in dict.fromkeys(left)]
        # What was said with it stands beside it.
        open_ = [one for one in found if one is not None and one.holds and one.last_said.at != candidate.said]
        kept = [one for one in candidate.signals if not _doubted_by(one) and not _is_against(one, open_)]
        against = tuple(one for one in candidate.against if one in closed)
        return replace(candidate, against=against, signals=(*kept, *(signal_of(one, is_sure=False) for one in open_)))

    def _rivals(self, closing: Sequence[RecordId], replaces: RecordId | None) -> list[Record]:
        """What holds and does so no more once the candidate does."""
        found = (self._change.find(one) for one in dict.fromkeys(closing))
        return [record for record in found if record is not None and (record.holds or record.id == replaces)]

    def add_to(self, candidate_id: str, known: Record, edits: Edits, author: str, reason: str) -> Record:
        """Have a memory say what the candidate adds to it, in these words or its own. Raises Conflict.

        Another title may take the place of what the old one says: then that goes from the body with its reasons, and
        the memory holds since the candidate was said. What it said before is in its versions.
        """
        candidate = self._undecided(candidate_id)
        is_other = (
            edits.title is not None and _says_otherwise(edits.title, known) and known.last_said.at < candidate.said
        )
        kept = _without_title(known) if is_other else known.body
        since: dict[str, Any] = {"valid_from": candidate.said} if is_other else {}
        record = self._change.revise(
            known.id,
            base=known.version,
            title=edits.title or known.title,
            body=_joined(kept, candidate) if edits.body is None else edits.body,
            evidence=tuple(dict.fromkeys((*known.evidence, *candidate.evidence))),
            **since,
        )
        self._decide(replace(candidate, state=ReviewState.ACCEPTED, record_id=record.id), author, reason)
        return record

    def _undecided(self, candidate_id: str) -> ReviewCandidate:
        """A candidate that is no memory yet. Raises Conflict."""
        candidate = self.fetch(candidate_id)
        if candidate.state is ReviewState.ACCEPTED:
            raise Conflict(
                f"'{candidate.id}' is accepted already, as '{candidate.record_id}'",
                hint=f"lerim memory show {candidate.record_id}",
            )
        return candidate

    def reject(self, candidate_id: str, author: str = "person", reason: str = "") -> ReviewCandidate:
        """Turn it down; it is not proposed again. Raises Conflict when it is decided on already."""
        candidate = self.fetch(candidate_id)
        if candidate.state is ReviewState.ACCEPTED:
            raise Conflict(
                f"'{candidate.id}' is accepted, as '{candidate.record_id}'",
                hint=f"lerim memory archive {candidate.record_id}",
            )
        if candidate.state is ReviewState.REJECTED:
            raise Conflict(f"'{candidate.id}' is rejected already", hint=f"lerim review restore {candidate.id}")
        return self._decide(replace(candidate, state=ReviewState.REJECTED), author, reason)

    def restore(self, candidate_id: str) -> ReviewCandidate:
        """Let it wait again. Raises Conflict when it does, or when it is a memory by now."""
        candidate = self.fetch(candidate_id)
        if candidate.state is ReviewState.PENDING:
            raise Conflict(f"'{candidate.id}' waits already", hint=f"lerim review accept {candidate.id}")
        if candidate.state is ReviewState.ACCEPTED:
            raise Conflict(
                f"'{candidate.id}' is a memory, '{candidate.record_id}'",
                hint=f"lerim memory archive {candidate.record_id}",
            )
        return self._put(_undecided(candidate), self._change.id)

    def _settled(self, session: str) -> set[str]:
        """Titles that need no proposal: decided on, waiting from another session, or a memory, if only archived."""
        sql = (
            f"SELECT title_words FROM ({_NOW}) AS now WHERE state IN ('accepted', 'rejected')"
            " OR (state = 'pending' AND session <> ?)"
        )
        decided = {row[0] for row in self._tx.rows(sql, (self._project, session))}
        return decided | set(self._titles("r.status = 'active'")) | set(self._titles(_PUT_AWAY))

    def _titles(self, condition: str) -> dict[str, str]:
        sql = f"SELECT title, id FROM records r WHERE r.project_id = ? AND r.primitive <> 'summary' AND {condition}"
        return {title_words(title): record_id for title, record_id in self._tx.rows(sql, (self._project,))}

    def _propose(self, candidate: ReviewCandidate, old: ReviewCandidate | None) -> ReviewCandidate:
        if old is None:
            return self._put(replace(candidate, project=self._project), self._change.id)
        new = replace(candidate, id=old.id, project=old.project, created=old.created)
        if old == replace(new, run_id=old.run_id):
            return old
        return self._put(new, self._change.id)

    def _decide(self, candidate: ReviewCandidate, author: str, reason: str) -> ReviewCandidate:
        if candidate.record_id is not None and author != "lerim":
            # Somebody says that it holds: it does not fade tomorrow, however long ago its session was.
            self._change.touch([candidate.record_id], counted=False)
        decided = replace(candidate, decided=self._change.now, author=author, reason=reason)
        row = self._tx.row(
            "SELECT proposed_change FROM review WHERE project_id = ? AND id = ?", (self._project, candidate.id)
        )
        assert row is not None
        return self._put(decided, int(row[0]), self._change.id)

    def _put(self, candidate: ReviewCandidate, proposed: int, decided: int | None = None) -> ReviewCandidate:
        self._tx.run(_INSERT, (*_encode(candidate), proposed, decided))
        return candidate


def _as_noted(candidate: ReviewCandidate) -> Opposition:
    return Opposition(candidate.against, candidate.doubts)


def _joined(body: str, candidate: ReviewCandidate) -> str:
    """A body and what a candidate says, each paragraph once."""
    parts = (*body.split("\n\n"), *(candidate.body or candidate.title).split("\n\n"))
    return "\n\n".join(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _says_otherwise(title: str, known: Record) -> bool:
    """Whether a title takes the place of a memory's own: it turns it around, or leaves out a number or a name of it."""
    if judge(statement(title, ""), statement(known.title, "")).bearing.replaces:
        return True
    said = {*title_words(title).split()}
    return any(any(map(str.isdigit, word)) and word not in said for word in title_words(known.title).split())


def _without_title(known: Record) -> str:
    """A body without the paragraphs that tell the title again, and those that say why."""
    told = {*title_words(known.title).split()}
    parts = (part for part in known.body.split("\n\n") if not _REASON.match(part))
    return "\n\n".join(part for part in parts if len(told & {*title_words(part).split()}) < _TOLD_AGAIN * len(told))


_DECIDED = frozenset({ReviewState.ACCEPTED, ReviewState.REJECTED})


def _undecided(candidate: ReviewCandidate) -> ReviewCandidate:
    return replace(candidate, state=ReviewState.PENDING, decided=None, author=None, reason="", record_id=None)


def _encode(candidate: ReviewCandidate) -> tuple[Value, ...]:
    """Its column values, in the order of the columns, without the two changes."""
    return (
        candidate.project,
        candidate.id,
        candidate.session,
        candidate.run_id,
        str(candidate.primitive),
        str(candidate.kind) if candidate.kind else None,
        candidate.title,
        title_words(candidate.title),
        candidate.body,
        candidate.confidence,
        json.dumps(candidate.tags, ensure_ascii=False),
        evidence_text(candidate.evidence),
        str(candidate.trust),
        json.dumps(candidate.signals, ensure_ascii=False),
        time_text(candidate.created),
        str(candidate.state),
        time_text(candidate.decided) if candidate.decided else None,
        candidate.author,
        candidate.reason,
        candidate.record_id,
        json.dumps(candidate.against),
    )


def _decode(row: Row) -> ReviewCandidate:
    columns = dict(zip(_COLUMNS, row, strict=True))
    candidate = ReviewCandidate(
        id=columns["id"],
        session=columns["session"],
        run_id=columns["run_id"],
        primitive=Primitive(columns["primitive"]),
        title=columns["title"],
        body=columns["body"],
        confidence=columns["confidence"],
        created=parse_time(columns["created"]),
        kind=Kind(columns["kind"]) if columns["kind"] else None,
        tags=tuple(json.loads(columns["tags"])),
        evidence=evidence_from(columns["evidence"]),
        trust=Trust(columns["trust"]),
        signals=tuple(json.loads(columns["signals"])),
        project=columns["project_id"],
        state=ReviewState(columns["state"]),
        decided=parse_time(columns["decided"]) if columns["decided"] else None,
        author=columns["author"],
        reason=columns["reason"],
        record_id=columns["record_id"],
        against=tuple(map(RecordId, json.loads(columns["against"]))),
    )
    # A decision that was undone is history: what waits, or did so in vain, has none.
    match candidate.state:
        case ReviewState.PENDING:
            return _undecided(candidate)
        case ReviewState.OUTDATED if candidate.reason != _NOT_FOUND_AGAIN:
            return replace(_undecided(candidate), state=ReviewState.OUTDATED, reason=_UNDONE)
        case _:
            return candidate


# --- the same thing, proposed again -----------------------------------------------------------------------------------


def _paired(known: Sequence[ReviewCandidate], found: Sequence[ReviewCandidate]) -> dict[str, ReviewCandidate]:
    """Which known candidate each found one is, by the found one's id. Each is taken once: a line can say two things."""
    pairs: dict[str, ReviewCandidate] = {}
    free = {old.id: old for old in known}
    for is_same in (_says_the_same, _rests_on_the_same):
        for new in found:
            twins = (old for old in free.values() if new.id not in pairs and is_same(old, new))
            if (twin := next(twins, None)) is not None:
                pairs[new.id] = free.pop(twin.id)
    return pairs


def _says_the_same(one: ReviewCandidate, two: ReviewCandidate) -> bool:
    return title_words(one.title) == title_words(two.title)


def _rests_on_the_same(one: ReviewCandidate, two: ReviewCandidate) -> bool:
    return any(_overlap(mine, yours) for mine in one.evidence for yours in two.evidence)


def _overlap(one: Evidence, two: Evidence) -> bool:
    """Whether two pieces of evidence are the same lines and mostly the same words."""
    if (one.agent, one.run_id) != (two.agent, two.run_id):
        return False
    if one.first_line > two.last_line or two.first_line > one.last_line:
        return False
    mine, yours = set(title_words(one.quote).split()), set(title_words(two.quote).split())
    return 2 * len(mine & yours) >= min(len(mine), len(yours))


# --- what a scope sees ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proposed:
    """A candidate and the place that keeps it."""

    candidate: ReviewCandidate
    place: Place


@dataclass(frozen=True)
class UnitAround:
    """Words that stand near a candidate's own in its session, with their number on the sheet and who says them."""

    id: str
    who: str
    line: int
    text: str
    #: Whether the candidate rests on them.
    is_quoted: bool = False


@dataclass(frozen=True)
class WaitingItem:
    """A candidate with what it takes to judge it: the words around it, and the memories that are near."""

    proposed: Proposed
    units: tuple[UnitAround, ...]
    near: tuple[Kept, ...]


@dataclass(frozen=True)
class ReviewOutcome:
    """What a decision came to: the candidate as it stands now, and the memory that it became or was added to."""

    proposed: Proposed
    verdict: ReviewVerdict
    kept: Kept | None = None


class ReviewDesk(Protocol):
    """Where candidates are held against their sessions: somebody else's room, since this one knows no sessions."""

    def around(self, proposed: Proposed) -> tuple[UnitAround, ...]: ...

    def near(self, proposed: Proposed) -> tuple[Kept, ...]: ...

    def rivals(self, proposed: Proposed, record: Record, noted: Sequence[RecordId] = ()) -> Opposition:
        """The memories that do not hold together with what it shall say, of those near it and those that were noted."""
        ...

    def refusal(self, proposed: Proposed, edits: Edits, known: Record | None) -> str:
        """Why it cannot become a memory in these words, by what its session says; nothing when it can."""
        ...


def closing_refused(candidate: ReviewCandidate, record: Record) -> str:
    """Why whoever is no person may not close a record in favor of a candidate; nothing when they may."""
    if record.is_hearsay:
        return f"'{record.id}' came with a repository that is not trusted, and stays as it is"
    if candidate.trust is Trust.USER:
        said = max((piece.said for piece in candidate.evidence if piece.said), default=None)
        is_late = said is not None and said < record.last_said.at
        return f"'{record.id}' was said after it and holds" if is_late and record.trust is Trust.USER else ""
    if record.source == "manual":
        return f"a person wrote '{record.id}', and only the user's own words can replace that"
    if record.trust is Trust.USER and is_choice(record.primitive, record.kind):
        return f"the user decided '{record.id}', and the agent's words do not replace that"
    return ""


def adding_refused(record: Record) -> str:
    """Why whoever is no person may not add to a record; nothing when they may."""
    if record.is_hearsay:
        return f"'{record.id}' came with a repository that is not trusted, and stays as it is"
    return f"a person wrote '{record.id}', and only a person adds to that" if record.source == "manual" else ""


@entries
class Review:
    """The candidates of all places of a scope, and what becomes of them."""

    def __init__(
        self, memory: Memory, random: Random = os.urandom, desk: Callable[[], ReviewDesk] | None = None
    ) -> None:
        self._memory = memory
        self._random = random
        self._desk = desk

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._memory.enter(work)

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[Proposed]:
        """The candidates in a state, or in any with None; newest first, place by place, and what waits by whether it is
        likely before that."""
        lists = self._in_each(lambda waiting: waiting.select(state, session, limit))
        found = [Proposed(candidate, place) for place, candidates in lists for candidate in candidates]
        if state is ReviewState.PENDING:
            found.sort(key=lambda one: not one.candidate.is_likely)
        return found[:limit] if limit else found

    def find(self, reference: str) -> Proposed:
        """A candidate by id or the beginning of one. Raises NotFound, or Conflict when it is unclear."""
        for place, near in self._in_each(lambda waiting: waiting.starting_with(reference)):
            exact = [candidate for candidate in near if candidate.id == reference]
            if len(near) > 1 and not exact:
                names = ", ".join(candidate.id for candidate in near)
                raise Conflict(f"'{reference}' could be {names}", hint="type one more letter")
            if near:
                return Proposed((exact or near)[0], place)
        raise NotFound(f"no candidate '{reference}' in this scope", hint="lerim review list --all")

    def of_record(self, kept: Kept) -> ReviewCandidate | None:
        """The candidate that became this memory; None when it came another way."""
        if kept.record.source != SOURCE:
            return None  # One that added to it did not become it.
        with kept.place.store.read() as snapshot:
            return Waiting(snapshot).of_record(kept.record.id)

    def rivals(self, proposed: Proposed) -> list[Kept]:
        """The memories that surely do not hold together with a candidate, by now."""
        against = self._against(proposed, self.record_of(proposed))
        with proposed.place.store.read() as snapshot:
            found = [snapshot.find(one) for one in against.surely]
        return [Kept(record, proposed.place) for record in found if record is not None and record.holds]

    def replaced_by(self, kept: Kept) -> list[RecordId]:
        """What a memory took the place of."""
        with kept.place.store.read() as snapshot:
            return [old for old, new in snapshot.successors().items() if new == kept.record.id]

    def waiting(self) -> WaitingCount:
        """How many wait for a decision."""
        counts = [count for _, count in self._in_each(Waiting.count)]
        return WaitingCount(sum(one.total for one in counts), sum(one.likely for one in counts))

    def record_of(self, proposed: Proposed, edits: Edits = Edits(), *, confirmed: bool = True) -> Record:  # noqa: B008 - frozen
        """The memory it would become, not written yet. Raises InvalidRecord."""
        draft = draft_of(proposed.candidate, edits, confirmed=confirmed)
        return draft.record(proposed.place.store.clock(), self._random)

    def next(self, limit: int = 5, session: str | None = None) -> list[WaitingItem]:
        """What waits for a decision, the likely ones and then the newest first, each with what it takes to judge it."""
        return [self.looked_at(one) for one in self.select(ReviewState.PENDING, session, limit)]

    def looked_at(self, proposed: Proposed) -> WaitingItem:
        """A candidate with the words around it, and the memories near it."""
        if self._desk is None:
            return WaitingItem(proposed, (), ())
        desk = self._desk()
        return WaitingItem(proposed, desk.around(proposed), desk.near(proposed))

    def decide(self, decision: ReviewDecision, *, author: str = "person", run_id: str | None = None) -> ReviewOutcome:
        """Do what somebody decided. Raises Conflict.

        Whoever is no person is held to what was said: raises VerdictRefused for words that the session does not back,
        and for what would take away from a person's memory.
        """
        proposed = self.find(decision.id)
        known = self._spoken_of(decision, proposed)
        if author != "person":
            self._require_allowed(decision, proposed, known.record if known else None)
        reason = decision.reason
        if decision.verdict in _REJECTING:
            if known is not None:
                reason = f"the same as {known.record.id}" + (f": {reason}" if reason else "")
            done = self.reject(proposed, author=author, reason=reason, run_id=run_id)
            return ReviewOutcome(done, decision.verdict, known)
        if known is not None and decision.verdict is ReviewVerdict.UPDATES:
            kept = self._update(proposed, known, decision, author, run_id)
        else:
            record = self.record_of(proposed, decision.edits, confirmed=author == "person")
            replaces = known.record.id if known else None
            kept = self.accept(proposed, record, author=author, reason=reason, run_id=run_id, replaces=replaces)
        return ReviewOutcome(self.find(proposed.candidate.id), decision.verdict, kept)

    def _spoken_of(self, decision: ReviewDecision, proposed: Proposed) -> Kept | None:
        """The memory that a verdict speaks of besides the candidate. Raises UsageError, NotFound or Conflict."""
        if decision.verdict in (ReviewVerdict.ACCEPT, ReviewVerdict.REJECT):
            return None
        if not decision.record:
            raise UsageError(
                f"'{decision.verdict}' needs the memory it speaks of: one of the near memories, by its id",
                hint=f"lerim review decide {decision.id} {decision.verdict} --record ID",
            )
        known = self._memory.find(decision.record)
        if known.place.project != proposed.place.project:
            raise Conflict(
                f"'{known.record.id}' is {known.place.scope} memory and '{decision.id}' is not",
                hint="accept it, or name a memory of its own scope",
            )
        if not known.record.holds or not known.record.primitive.is_lesson:
            raise Conflict(
                f"'{known.record.id}' is no active decision or learning", hint=f"lerim memory show {known.record.id}"
            )
        return known

    def _require_allowed(self, decision: ReviewDecision, proposed: Proposed, known: Record | None) -> None:
        """Raises VerdictRefused for what only a person may decide."""
        why = ""
        if known is not None and decision.verdict is ReviewVerdict.UPDATES:
            why = adding_refused(known)
        elif known is not None and decision.verdict is ReviewVerdict.REPLACES:
            why = closing_refused(proposed.candidate, known)
        if not why and decision.verdict is ReviewVerdict.ACCEPT:
            why = self._rivals_refused(proposed, decision.edits)
        if not why and decision.verdict not in _REJECTING and self._desk:
            why = self._desk().refusal(proposed, decision.edits, known)
        if why:
            hint = f"word it in the session's own words, or leave it to a person: lerim review accept {decision.id}"
            raise VerdictRefused(why, hint=hint)

    def _rivals_refused(self, proposed: Proposed, edits: Edits) -> str:
        """Why what stands against a candidate may not be closed by whoever is no person; nothing when it may."""
        against = self._against(proposed, self.record_of(proposed, edits, confirmed=False))
        with proposed.place.store.read() as snapshot:
            rivals = [record for one in against.surely if (record := snapshot.find(one)) and record.holds]
        return next(filter(None, (closing_refused(proposed.candidate, rival) for rival in rivals)), "")

    def _update(
        self, proposed: Proposed, known: Kept, decision: ReviewDecision, author: str, run_id: str | None
    ) -> Kept:
        why = f"{proposed.candidate.id} adds to it" + (f": {decision.reason}" if decision.reason else "")
        with proposed.place.change(author, why, run_id) as change:
            candidate_id = proposed.candidate.id
            record = ReviewList(change).add_to(candidate_id, known.record, decision.edits, author, decision.reason)
        return Kept(record, proposed.place, change.masked.get(record.id, ()))

    def accept(
        self,
        proposed: Proposed,
        record: Record | None = None,
        *,
        author: str = "person",
        reason: str = "",
        run_id: str | None = None,
        allow_secret: bool = False,
        replaces: RecordId | None = None,
    ) -> Kept:
        """Make a memory of it, as it stands or as `record` says. Raises Conflict."""
        record = record or self.record_of(proposed)
        if allow_secret:
            from lerim.context.disclosure import allowed  # Start-up: few memories hold a secret.

            record = allowed(record)
        why = f"accepted {proposed.candidate.id}" + (f": {reason}" if reason else "")
        against = self._against(proposed, record)
        with proposed.place.change(author, why, run_id) as change:
            record = ReviewList(change).accept(
                proposed.candidate.id, record, author, reason, replaces=replaces, against=against
            )
        return Kept(record, proposed.place, change.masked.get(record.id, ()))

    def _against(self, proposed: Proposed, record: Record) -> Opposition:
        """What stands against a candidate in these words by now: memories came and went since it was noted."""
        candidate = proposed.candidate
        if self._desk is None:
            return _as_noted(candidate)
        return self._desk().rivals(proposed, record, (*candidate.against, *candidate.doubts))

    def reject(
        self, proposed: Proposed, *, author: str = "person", reason: str = "", run_id: str | None = None
    ) -> Proposed:
        """Turn it down for good. Raises Conflict."""
        why = f"rejected {proposed.candidate.id}" + (f": {reason}" if reason else "")
        with proposed.place.change(author, why, run_id) as change:
            return replace(proposed, candidate=ReviewList(change).reject(proposed.candidate.id, author, reason))

    def restore(self, proposed: Proposed) -> Proposed:
        """Let one that was rejected, or is outdated, wait again. Raises Conflict."""
        with proposed.place.change("person", f"restored {proposed.candidate.id}") as change:
            return replace(proposed, candidate=ReviewList(change).restore(proposed.candidate.id))

    def _in_each(self, ask: Callable[[Waiting], _T]) -> Iterator[tuple[Place, _T]]:
        for place in self._memory.places():
            with place.store.read() as snapshot:
                answer = ask(Waiting(snapshot))
            yield place, answer
