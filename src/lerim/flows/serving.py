"""What was handed out: taken in, judged, and played back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lerim.context.records import time_text
from lerim.digests import blake2b
from lerim.errors import Conflict, LerimError, NotFound
from lerim.flows.flow import Flow
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from lerim.context.records import Record, RecordId
    from lerim.runtime.replay import ReplayedSession
    from lerim.sessions.served import ServedDay, Usefulness
    from lerim.sessions.session import Session


def _key(agent: str, cwd: Path, at: str, random: Callable[[int], bytes]) -> str:
    """A name for a note without a session: what an agent is given in one folder on one day counts as one, until it is
    known better."""
    same = blake2b(f"mcp {agent} {cwd} {at[:10]}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return f"{same}-{random(6).hex()}"


@entries
class Serving(Flow):
    """What sessions were given before they began, and what they made of it."""

    @not_an_entry
    def take(self) -> int:
        """Take in what hooks gave to sessions, and judge what became of it in those that were read since. How many."""
        if self._house.catalog.is_read_only:
            return 0
        # Start-up: most homes have no hooks, and no agent that asks.
        if not (self._house.home / "spool").is_dir():
            return self._judge() if self._was_any_asked_for() else 0
        spool, served = self._house.spool, self._house.served
        notes = spool.served()
        served.take_in((note.stem, note_fields) for note, note_fields in notes)
        for _, note_fields in notes:
            self._keep_from_fading(note_fields)
        for note, _ in notes:
            spool.keep_as_lock(note)
        spool.sweep(self._house.clock())
        return self._judge()

    def _was_any_asked_for(self) -> bool:
        with self._house.catalog.read() as tx:
            return tx.row("SELECT 1 FROM served WHERE digest = '' LIMIT 1") is not None

    def _judge(self) -> int:
        served = self._house.served
        served.name_sessions()
        if not (read := served.read_since()):
            return 0
        from lerim.runtime.usefulness import ServingJudge  # Start-up: most syncs find nothing new.

        return ServingJudge(served, self._house.memory_at, self._house.sessions.trace_of).judge(read)

    @not_an_entry
    def note_given(self, view: str, records: Iterable[str], characters: int, agent: str) -> None:
        """Note what an agent was given that asked for it: that keeps memories from fading, and they are judged with the
        session that was going on. Where nothing can be written, nobody counts."""
        ids, house = list(dict.fromkeys(records)), self._house
        if not ids:
            return
        with suppress(LerimError):
            house.memory.note_given(ids)
            if not house.catalog.is_read_only:
                at, root = time_text(house.clock()), house.project_root
                fields: dict[str, Any] = {
                    "at": at,
                    "agent": agent,
                    "cwd": str(house.cwd),
                    "root": str(root) if root else None,
                }
                fields |= {"view": view, "characters": characters, "records": ids}
                house.served.take_in([(_key(agent, house.cwd, at, house.random), fields)])

    def _keep_from_fading(self, fields: Mapping[str, Any]) -> None:
        """Note that memories were handed to a session. What a note says of them is not trusted to make sense."""
        root, records = fields.get("root"), fields.get("records")
        if not records or not isinstance(records, list):
            return
        memory = self._house.memory_at(Path(root) if isinstance(root, str) and root else None)
        with suppress(LerimError):
            memory.note_given(record for record in records if isinstance(record, str))

    def usefulness(self, *, everywhere: bool = False) -> Usefulness:
        """What handing out memories was good for: in this project, or `everywhere` on this machine."""
        self.take()
        return self._house.served.usefulness(self._house.project_root, everywhere=everywhere)

    def by_day(self) -> list[ServedDay]:
        """The same day by day, for this project."""
        self.take()
        return self._house.served.by_day(self._house.project_root)

    def replay(self, session: Session) -> ReplayedSession | None:
        """What the brief would have said before a session, and what of it that would have spared. None when nobody
        knows when it began. Raises Conflict when it belongs to no project, SourceError when it cannot be read."""
        from lerim.ingest.transcript import Transcript  # Start-up: few ask.
        from lerim.runtime.replay import replay
        from lerim.views.view import ViewName

        if session.project_root is None:
            raise Conflict(f"{session.name} belongs to no project", hint="lerim unscoped")
        path, root = self._house.sessions.trace_of(session), session.project_root
        trace = Transcript.read(path) if path.is_file() else Transcript.of(self._house.sessions.show(session).items)
        views, memory = (
            self._house.views_of(self._house.projects.at(root) or self._house.projects.find(str(root))),
            self._house.memory_at(root),
        )

        def record(record_id: RecordId) -> Record | None:
            with suppress(NotFound, Conflict):
                return memory.find(record_id).record
            return None

        return replay(session, trace, lambda moment: views.render(ViewName.BRIEF, as_of=moment), record)
