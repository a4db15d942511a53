"""Proposing and deciding: candidates in one change with the memories that they become."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from lerim.context.records import Record, RecordId, Status, valid
from lerim.context.review.candidates import (
    SOURCE,
    STANDS_AGAINST,
    TOLD,
    Edits,
    Opposition,
    ReviewCandidate,
    ReviewState,
    doubted_by,
    signal_of,
    title_words,
)
from lerim.context.review.rows import INSERT, NOT_FOUND_AGAIN, NOW, SELECT, STAND, decode, encode, waiting_again
from lerim.context.review.sameness import paired
from lerim.context.review.waiting import Waiting
from lerim.context.store import Change
from lerim.dataclass import replace
from lerim.errors import Conflict
from lerim.lazy_regex import compile_later
from lerim.text.bearing import judge
from lerim.text.statements import statement

#: A paragraph that says why, or what was chosen; and so many of a title's words tell it again.
_REASON = compile_later(r"\s*(?:why|chosen|reason|because|instead of)\b", re.I)
_TOLD_AGAIN = 0.8
# What somebody archived must not come back as a question; what an undo archived may.
_PUT_AWAY = """r.status = 'archived' AND NOT EXISTS (SELECT 1 FROM versions w
  WHERE w.record_seq = r.seq AND w.version = r.version AND w.operation = 'undo')"""
_DECIDED = frozenset({ReviewState.ACCEPTED, ReviewState.REJECTED})


def _is_against(signal: str, records: Iterable[Record]) -> bool:
    return any(signal.startswith(f"{STANDS_AGAINST} {one.id} ") for one in records)


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
        known = [decode(row) for row in self._tx.rows(f"{SELECT} WHERE session = ?", (self._project, session))]
        settled, kept = self._settled(session) if found else set[str](), list[ReviewCandidate]()
        before = paired(known, found)
        for candidate in found:
            old, words = before.get(candidate.id), title_words(candidate.title)
            if words in settled or (old is not None and old.state in _DECIDED):
                continue
            settled.add(words)
            kept.append(self._propose(candidate, old))
        ids = {candidate.id for candidate in kept}
        for old in known:
            if old.state is ReviewState.PENDING and old.id not in ids and not old.run_id.startswith(TOLD):
                self._put(replace(old, state=ReviewState.OUTDATED, reason=NOT_FOUND_AGAIN), self._change.id)
        return kept

    def take_over(self, candidates: Iterable[ReviewCandidate]) -> None:
        """Make these candidates of this place, decided on as they are; what is a memory meanwhile waits no more."""
        known = set(self._titles("r.status = 'active'"))
        for one in candidates:
            if one.state in _DECIDED:
                self._put(one, self._change.id, self._change.id)
            elif one.state is ReviewState.PENDING and title_words(one.title) not in known:
                self._put(one, self._change.id)

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
                left = tuple(signal for signal in one.signals if doubted_by(signal) not in ids)
                self.oppose(replace(one, signals=left))
                self._change.leave_row()

    def oppose(self, opposed: ReviewCandidate) -> None:
        """Keep what a candidate was found to stand against after it was proposed, or does no more."""
        stands = json.dumps(opposed.against), json.dumps(opposed.signals, ensure_ascii=False)
        self._tx.run(STAND, (*stands, self._project, opposed.id))

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
        noted = candidate.noted if against is None else against
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
        kept = [one for one in candidate.signals if not doubted_by(one) and not _is_against(one, open_)]
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
        return self._put(waiting_again(candidate), self._change.id)

    def _settled(self, session: str) -> set[str]:
        """Titles that need no proposal: decided on, waiting from another session, or a memory, if only archived."""
        sql = (
            f"SELECT title_words FROM ({NOW}) AS now WHERE state IN ('accepted', 'rejected')"
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
        self._tx.run(INSERT, (*encode(candidate), proposed, decided))
        return candidate


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
