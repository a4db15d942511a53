"""What agents say, and how far it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lerim.dataclass import replace
from lerim.errors import VerdictRefused
from lerim.flows.flow import Flow
from lerim.storage.entries import entries

if TYPE_CHECKING:
    from lerim.context.feedback import Verdict
    from lerim.context.place import Kept
    from lerim.runtime.remembering import Remark, Remembered
    from lerim.sessions.session import Session

#: How the names begin of sessions that agents told.
TOLD_NAMES = "told-"


@entries
class AgentsWord(Flow):
    """What agents say of the user and of memories. None of it counts for more than the user's own words behind it."""

    def remember(self, remark: Remark) -> Remembered:
        """Keep what an agent says the user said, when a session that is going on has their own words for it; else let
        it wait for review. Raises InvalidRecord, and Conflict when it was decided on already."""
        from lerim.runtime.remembering import going_on, keep, note, vouched  # Start-up: reads sessions.

        house, place = self._house, self._house.memory.target()
        # As the trace was, before anything is compared with it: what is told to people must hold no secret either.
        clean = house.traces.redactor(str(place.project.root)).clean
        remark = replace(remark, title=clean(remark.title), quote=clean(remark.quote), body=clean(remark.body))
        among = going_on(house.sessions, place, str(house.cwd), house.clock(), remark.agent)
        found = vouched(remark, house.sessions, among, house.clock())
        if not isinstance(found, str):
            return keep(found, place, remark.agent, house.random)
        return note(remark, found, place, house.stamp(), house.random)

    def feedback(
        self, record_id: str, verdict: Verdict | str, *, note: str = "", quote: str = "", agent: str = ""
    ) -> Kept:
        """An agent's word on a memory. One that is the user's own is not lessened by it: that takes the user's words,
        as `quote`, in a session that is going on. Raises VerdictRefused."""
        from lerim.context import feedback as verdicts  # Start-up: as above.
        from lerim.runtime.remembering import AUTHOR, going_on, is_theirs, unsaid

        kept, house = self._house.memory.find(record_id), self._house
        quote = house.traces.redactor(str(kept.place.project.root)).clean(quote) if quote else ""
        if (given := verdicts.Verdict(verdict)) is not verdicts.Verdict.USEFUL and is_theirs(kept.record):
            among = going_on(house.sessions, kept.place, str(house.cwd), house.clock(), agent) if quote else []
            if not quote or (why := unsaid(quote, kept.record, house.sessions, among)):
                raise VerdictRefused(
                    f"'{kept.record.id}' is the user's own, and an agent's word does not lessen it"
                    + (f": {why}" if quote else ""),
                    hint=f"give the user's words as quote, or let them say: lerim feedback {kept.record.id} {verdict}",
                )
        return verdicts.feedback(kept, given, note=note, author=AUTHOR)

    def submit_trace(self, text: str, name: str) -> Session:
        """Take in a session as an agent tells it, as one of this folder. Its user may be anybody, so what it teaches
        waits for review. Raises TraceError with the line."""
        here = self._house.project_root or self._house.cwd
        # A name of its own: what a person imported is not overwritten.
        return self._house.traces.add(text, f"{TOLD_NAMES}{name}", here, told=True)
