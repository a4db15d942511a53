"""What a place keeps, as a run sees it: each record is fetched when it is asked for, never all of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path

from lerim.context.filters import BRIEF
from lerim.context.place import Place
from lerim.context.records import Primitive, Record, RecordId
from lerim.ingest.findings import Quote
from lerim.search.similar import Similar, similar, titled


class Holdings:
    """The records of one place, whatever their status, and where their files lie. A run decides on these.

    A record that was fetched stays what it was: when somebody changes it meanwhile, the commit finds out. The files
    people changed must have been picked up.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._fetched: dict[RecordId, Record] = {}
        self._cited: dict[tuple[str, str], list[Record]] = {}

    @cached_property
    def root(self) -> Path:
        """The memory folder, absolute."""
        return self._place.folder.root.resolve()

    def find(self, record_id: str) -> Record | None:
        """The record with this id; None when there is none."""
        if (known := self._fetched.get(RecordId(record_id))) is not None:
            return known
        with self._place.store.read() as snapshot:
            record = snapshot.find(record_id)
        return self._kept(record) if record else None

    def at(self, path: Path) -> Record | None:
        """The record whose file this is; None when it is no memory's."""
        try:
            relative = path.relative_to(self.root).as_posix()
        except ValueError:
            return None
        known = self._place.face.file_at(relative)
        # A file that cannot be read speaks for no record.
        return self.find(known.record_id) if known and known.record_id and not known.problem else None

    def path_of(self, record: Record) -> Path | None:
        path = self._place.path_of(record)
        return self.root / path.relative_to(self._place.folder.root) if path else None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is kept here."""
        with self._place.store.read() as snapshot:
            return not snapshot.counts()

    def active(self) -> list[Record]:
        """Every decision and learning that holds, hearsay left out: for those who look after all of them."""
        with self._place.store.read() as snapshot:
            return [self._kept(r) for r in snapshot.select(BRIEF) if r.primitive is not Primitive.SUMMARY]

    def near(self, title: str, body: str = "", *, summaries: bool = False) -> list[Similar]:
        """The active records nearest to a text, best first."""
        found = similar(self._place, title, body, summaries=summaries)
        return [Similar(self._kept(one.record), one.relevance) for one in found]

    def replaced_since(self, moment: datetime, title: str, body: str) -> list[Similar]:
        """The records nearest to a text that were replaced after a moment, by something that holds."""
        found = similar(self._place, title, body, replaced_since=moment)
        return [Similar(self._kept(one.record), one.relevance) for one in found if self._leads_to_truth(one.record)]

    def _leads_to_truth(self, record: Record) -> bool:
        with self._place.store.read() as snapshot:
            return snapshot.current(record.id).holds

    def titled(self, title: str) -> list[Record]:
        """Active decisions and learnings with this very title."""
        return list(map(self._kept, titled(self._place, title)))

    def summary_of(self, agent: str, run_id: str) -> Record | None:
        """The summary of a session, if it was ingested before."""
        with self._place.store.read() as snapshot:
            record = snapshot.summary_of(agent, run_id)
        return self._kept(record) if record else None

    def quoting(self, agent: str, run_id: str, quotes: Sequence[Quote]) -> list[Record]:
        """Decisions and learnings that rest on these very lines of this session, whatever became of them since.

        What a person archived is among them: the same words must not bring it back.
        """
        return [
            record
            for record in self._citing(agent, run_id)
            if any(
                (e.agent, e.run_id) == (agent, run_id) and e.first_line <= q.last and q.first <= e.last_line
                for e in record.evidence
                for q in quotes
            )
        ]

    def _citing(self, agent: str, run_id: str) -> list[Record]:
        if (agent, run_id) not in self._cited:
            with self._place.store.read() as snapshot:
                found = snapshot.citing(agent, run_id)
            self._cited[agent, run_id] = [self._kept(r) for r in found if r.primitive is not Primitive.SUMMARY]
        return self._cited[agent, run_id]

    def _kept(self, record: Record) -> Record:
        return self._fetched.setdefault(record.id, record)
