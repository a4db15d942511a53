"""What a session may have taught and nobody is sure of: it waits until a person, or a model, accepts or rejects it.

A candidate is no memory: no search, brief or answer sees it. Deciding writes candidate and record in one change, and
both hang on it: when the change is undone, the candidate waits again. So undoing needs no code here.
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import TypeVar

from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import (
    Draft,
    Evidence,
    Kind,
    Primitive,
    Random,
    Record,
    RecordId,
    Status,
    Trust,
    new_id,
    parse_time,
    time_text,
    valid,
)
from lerim.context.rows import evidence_from, evidence_text
from lerim.context.store import Change, Snapshot
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, NotFound
from lerim.lazy_regex import compile_later
from lerim.storage.database import Row, Value
from lerim.storage.entries import entries

#: What a person confirmed is at least this sure.
CONFIRMED = 0.9
SOURCE = "review"
# Kept in the store, and compared with it: these very words.
_NOT_FOUND_AGAIN = "the session was taken in again, and this was not proposed again"
_UNDONE = "the run that proposed it was undone"
_WORDS = compile_later(r"\w+")
_T = TypeVar("_T")


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
    #: Who decided: `person` or `lerim`.
    author: str | None = None
    reason: str = ""
    #: What it became.
    record_id: RecordId | None = None


@dataclass(frozen=True)
class Edits:
    """What somebody says otherwise than the candidate. What is None stays."""

    title: str | None = None
    body: str | None = None
    primitive: Primitive | None = None
    kind: Kind | None = None
    tags: tuple[str, ...] | None = None


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
    *("proposed_change", "decided_change"),
)
# A decision counts as long as its change does. One whose record was restored by hand counts again.
_IS_UNDONE = (
    "v.state IN ('accepted', 'rejected') AND d.undone_by IS NOT NULL AND coalesce(r.status, '') IN ('', 'archived')"
)
_STATE = f"""CASE WHEN (v.state = 'pending' OR ({_IS_UNDONE})) AND p.undone_by IS NOT NULL THEN 'outdated'
  WHEN {_IS_UNDONE} THEN 'pending' ELSE v.state END"""
_NOW = f"""SELECT {", ".join(f"{_STATE} AS state" if name == "state" else f"v.{name}" for name in _COLUMNS)}
  FROM review v JOIN changes p ON p.id = v.proposed_change LEFT JOIN changes d ON d.id = v.decided_change
  LEFT JOIN records r ON r.project_id = v.project_id AND r.id = v.record_id WHERE v.project_id = ?"""
_SELECT = f"SELECT * FROM ({_NOW}) AS now"
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
        self._tx = snapshot.tx
        self._project = snapshot.project_id

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[ReviewCandidate]:
        """The candidates in a state, or in any; of a session by `agent/run_id`, or the beginning of its run id."""
        conditions, values = ["TRUE"], list[Value]()
        if state is not None:
            conditions.append("state = ?")
            values.append(str(state))
        sql = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY created DESC, confidence DESC, id"
        found = (_decode(row) for row in self._tx.rows(sql, (self._project, *values)))
        if session is not None:
            found = (each for each in found if _is_of(each, session))
        return list(islice(found, limit or None))

    def starting_with(self, prefix: str) -> list[ReviewCandidate]:
        """Candidates whose id begins with `prefix`, or the one that has it as its id."""
        sql = f"{_SELECT} WHERE id >= ? AND id < ? ORDER BY id LIMIT 5"
        return [_decode(row) for row in self._tx.rows(sql, (self._project, prefix, prefix + "\x7f"))]

    def of_record(self, record_id: str) -> ReviewCandidate | None:
        """The candidate that became this record; None when it came another way."""
        row = self._tx.row(f"{_SELECT} WHERE record_id = ?", (self._project, record_id))
        return _decode(row) if row else None

    def count(self) -> int:
        row = self._tx.row(f"SELECT count(*) FROM ({_NOW}) AS now WHERE state = 'pending'", (self._project,))
        return int(row[0]) if row else 0

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
            if old.state is ReviewState.PENDING and old.id not in ids:
                self._put(replace(old, state=ReviewState.OUTDATED, reason=_NOT_FOUND_AGAIN), self._change.id)
        return kept

    def accept(self, candidate_id: str, record: Record, author: str = "person", reason: str = "") -> Record:
        """Make a memory of it: `record` is what it shall say. Its evidence and trust are the candidate's own.

        Raises Conflict when it is one already, or when a memory with this title holds.
        """
        candidate = self.fetch(candidate_id)
        if candidate.state is ReviewState.ACCEPTED:
            raise Conflict(
                f"'{candidate.id}' is accepted already, as '{candidate.record_id}'",
                hint=f"lerim memory show {candidate.record_id}",
            )
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
        if (twin := self._titles("r.status = 'active'").get(title_words(record.title))) is not None:
            raise Conflict(
                f"'{twin}' has this very title already",
                hint=f"lerim review reject {candidate.id}, or accept it with another --title",
            )
        record = self._change.create(record)
        self._decide(replace(candidate, state=ReviewState.ACCEPTED, record_id=record.id), author, reason)
        return record

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
        decided = replace(candidate, decided=self._change.now, author=author, reason=reason)
        row = self._tx.row(
            "SELECT proposed_change FROM review WHERE project_id = ? AND id = ?", (self._project, candidate.id)
        )
        assert row is not None
        return self._put(decided, int(row[0]), self._change.id)

    def _put(self, candidate: ReviewCandidate, proposed: int, decided: int | None = None) -> ReviewCandidate:
        self._tx.run(_INSERT, (*_encode(candidate), proposed, decided))
        return candidate


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


@entries
class Review:
    """The candidates of all places of a scope, and what becomes of them."""

    def __init__(self, memory: Memory, random: Random = os.urandom) -> None:
        self._memory = memory
        self._random = random

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._memory.enter(work)

    def select(
        self, state: ReviewState | None = ReviewState.PENDING, session: str | None = None, limit: int = 0
    ) -> list[Proposed]:
        """The candidates in a state, or in any with None; newest first, place by place."""
        lists = self._in_each(lambda waiting: waiting.select(state, session, limit))
        found = [Proposed(candidate, place) for place, candidates in lists for candidate in candidates]
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
        with kept.place.store.read() as snapshot:
            return Waiting(snapshot).of_record(kept.record.id)

    def waiting(self) -> int:
        """How many wait for a decision."""
        return sum(count for _, count in self._in_each(Waiting.count))

    def record_of(self, proposed: Proposed, edits: Edits = Edits(), *, confirmed: bool = True) -> Record:  # noqa: B008 - frozen
        """The memory it would become, not written yet. Raises InvalidRecord."""
        draft = draft_of(proposed.candidate, edits, confirmed=confirmed)
        return draft.record(proposed.place.store.clock(), self._random)

    def accept(
        self,
        proposed: Proposed,
        record: Record | None = None,
        *,
        author: str = "person",
        reason: str = "",
        run_id: str | None = None,
        allow_secret: bool = False,
    ) -> Kept:
        """Make a memory of it, as it stands or as `record` says. Raises Conflict."""
        record = record or self.record_of(proposed)
        if allow_secret:
            from lerim.context.disclosure import allowed  # Start-up: few memories hold a secret.

            record = allowed(record)
        why = f"accepted {proposed.candidate.id}" + (f": {reason}" if reason else "")
        with proposed.place.change(author, why, run_id) as change:
            record = ReviewList(change).accept(proposed.candidate.id, record, author, reason)
        return Kept(record, proposed.place, change.masked.get(record.id, ()))

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
