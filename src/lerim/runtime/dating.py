"""Records of earlier versions, which are dated by when their session was read: dated anew by when it was said, once.

The session's archive knows when each line was said; where it is gone, the catalog knows when the session began. What
neither knows stays as it is. Every record gets a version for it, and its file follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from lerim.context.place import Place
from lerim.context.records import Evidence, Record, RecordId, Status
from lerim.context.store import Change
from lerim.dataclass import dataclass, replace
from lerim.errors import SourceError
from lerim.ingest.transcript import Transcript

#: When a session began, by its agent and run id; None when nobody knows.
SessionStart = Callable[[str, str], datetime | None]
REASON = "dated by when it was said"


@dataclass(frozen=True)
class Dating:
    """Dates the records of one place. `trace` is where a session is archived."""

    place: Place
    trace: Callable[[str, str], Path]
    started: SessionStart

    def run(self) -> int:
        """Date what is due. How many records got another date."""
        due = self._due()
        dated = {record.id: changes for record in due if (changes := self._dated(record))}
        with self.place.change("lerim", REASON) as change:
            for record_id, changes in dated.items():
                # Nobody said anything anew: that it was changed is no news of it.
                change.revise(record_id, updated=change.fetch(record_id).updated, **changes)
            self._close_anew(change, dated)
            change.tx.run(
                "DELETE FROM undated WHERE record_seq IN (SELECT seq FROM records WHERE project_id = ?)",
                (change.project_id,),
            )
        return len(dated)

    def _due(self) -> list[Record]:
        sql = "SELECT r.id FROM undated u JOIN records r ON r.seq = u.record_seq WHERE r.project_id = ? ORDER BY r.seq"
        with self.place.store.read() as snapshot:
            return [snapshot.fetch(row[0]) for row in snapshot.tx.rows(sql, (snapshot.project_id,))]

    def _dated(self, record: Record) -> dict[str, Any]:
        """What of a record has to change, if anything is known of its sessions."""
        evidence = tuple(self._with_time(piece, record) for piece in record.evidence)
        said = [piece.said for piece in evidence if piece.said]
        if not evidence and record.coding_agent and record.run_id:
            said = [moment for moment in [self.started(record.coding_agent, record.run_id)] if moment]
        if not said:
            return {}
        began = min(*said, record.valid_from or record.created)
        return {"evidence": evidence, "valid_from": began}

    def _with_time(self, piece: Evidence, record: Record) -> Evidence:
        if piece.said is not None:
            return piece
        transcript = self._transcript(piece.agent, piece.run_id)
        said = transcript.said(piece.last_line) if transcript else None
        said = said or self.started(piece.agent, piece.run_id)
        # A clock that says it was after it was read is wrong.
        return piece if said is None else replace(piece, said=min(said, record.created))

    def _transcript(self, agent: str, run_id: str) -> Transcript | None:
        return _read(self.trace(agent, run_id))

    def _close_anew(self, change: Change, dated: Iterable[RecordId]) -> None:
        """What was replaced by something that is dated now, held until that was said."""
        wanted = set(dated)
        for old_id, new_id in change.successors().items():
            old, new = change.fetch(old_id), change.fetch(new_id)
            if new_id not in wanted or not new.evidence or old.status is not Status.SUPERSEDED:
                continue
            end = max(new.last_said.at, old.valid_from or old.created)
            if old.valid_until is not None and end < old.valid_until:
                change.revise(old_id, updated=old.updated, valid_until=end)


def _read(path: Path) -> Transcript | None:
    with suppress(OSError, SourceError):
        state = path.stat()
        return _read_once(path, state.st_mtime_ns, state.st_size)
    return None


@lru_cache(maxsize=4)  # Records of one session mostly follow each other; one that grew is read again.
def _read_once(path: Path, modified: int, size: int) -> Transcript:
    return Transcript.read(path)
