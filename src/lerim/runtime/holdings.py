"""What a place keeps when a run begins: its records, their files, and what an earlier look at the same session left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lerim.context.filters import ANY
from lerim.context.place import Place
from lerim.context.records import Primitive, Record
from lerim.ingest.findings import Quote


@dataclass(frozen=True)
class Holdings:
    """The records of one place, whatever their status, and where their files lie. A run decides on these."""

    #: The memory folder, absolute.
    root: Path
    records: Mapping[str, Record]
    #: Record id by the file's path, relative to `root`.
    files: Mapping[str, str]

    @classmethod
    def of(cls, place: Place) -> Holdings:
        """What the place keeps now. The files people changed must have been taken in."""
        with place.store.read() as snapshot:
            records: dict[str, Record] = {record.id: record for record in snapshot.select(ANY)}
        known = place.face.known()
        files = {path: file.record_id for path, file in known.items() if file.record_id in records and not file.problem}
        return cls(place.folder.root.resolve(), records, {path: str(record_id) for path, record_id in files.items()})

    def at(self, path: Path) -> Record | None:
        """The record whose file this is; None when it is no memory's."""
        try:
            relative = path.relative_to(self.root).as_posix()
        except ValueError:
            return None
        record_id = self.files.get(relative)
        return self.records[record_id] if record_id else None

    def path_of(self, record: Record) -> Path | None:
        path = self._paths.get(record.id)
        return self.root / path if path else None

    def active(self) -> Iterator[Record]:
        """Decisions and learnings that hold."""
        return (r for r in self.records.values() if r.holds and r.primitive is not Primitive.SUMMARY)

    def summary_of(self, agent: str, run_id: str) -> Record | None:
        """The summary of a session, if it was taken in before."""
        told = (r for r in self.records.values() if r.primitive is Primitive.SUMMARY)
        return next((r for r in told if (r.coding_agent, r.run_id) == (agent, run_id)), None)

    def said_at(self, agent: str, run_id: str, quotes: Sequence[Quote]) -> list[Record]:
        """Decisions and learnings that rest on these very lines of this session, whatever became of them since.

        What a person put away is among them: the same words must not bring it back.
        """
        return [
            record
            for record in self.records.values()
            if record.primitive is not Primitive.SUMMARY
            and any(
                (e.agent, e.run_id) == (agent, run_id) and e.first_line <= q.last and q.first <= e.last_line
                for e in record.evidence
                for q in quotes
            )
        ]

    @cached_property
    def _paths(self) -> Mapping[str, str]:
        return {record_id: path for path, record_id in self.files.items()}
