"""How the databases of a house are opened, and made anew where one is damaged."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.scope import STORE
from lerim.context.records import stamp_text
from lerim.context.recovery import open_store, replace_damaged
from lerim.private import is_writable, sweep_top
from lerim.storage.database import Database

if TYPE_CHECKING:
    from lerim.context.projects import Projects
    from lerim.context.records import Clock
    from lerim.shared import SharedStore


class Openings:
    """What opens the databases of a house, and mends them."""

    def __init__(
        self,
        home: Path,
        clock: Clock,
        tell: Callable[[str], None],
        *,
        shared: Callable[[], SharedStore | None],
        projects_in: Callable[[Database], Projects],
        find_sessions: Callable[[Database], object],
        let_go: Callable[[], None],
    ) -> None:
        """`tell` hears what people should know; `find_sessions` fills a catalog that had to be made anew, and `let_go`
        closes the one that is open."""
        self._home = home
        self._clock = clock
        self._tell = tell
        self._shared = shared
        self._projects_in = projects_in
        self._find_sessions = find_sessions
        self._let_go = let_go

    def store(self) -> Database:
        """The records of all projects."""
        home, shared = self._home, self._shared()
        opened = shared.open_context if shared else partial(open_store, home)
        # What a killed restore left: looked for here, so that nobody sees a half of it.
        if (home / "backups" / "restoring").exists() and (shared or is_writable(home / STORE)):
            from lerim.context.backups import finish_restore  # Start-up: hardly ever needed.

            if notice := finish_restore(home, opened, self._projects_in, self.catalog_alone, self._clock):
                self._tell(notice)
        for folder in (home, home / "index"):
            sweep_top(folder)
        return opened()

    def mended_store(self) -> Database:
        """The store, made anew from the files when it was damaged."""
        if (shared := self._shared()) is not None:
            return shared.open_context()
        from lerim.context.backups import newest_sound  # Start-up: as above.
        from lerim.context.review.rescue import rescue

        return self._with_notice(*replace_damaged(self._home, self._clock, self._stamp(), newest_sound, rescue))

    def catalog(self) -> Database:
        """The sessions of this machine."""
        from lerim.sessions.database import open_catalog  # Start-up: as for sessions.

        return self._refilled(*open_catalog(self._home, self._stamp()))

    def catalog_alone(self) -> Database:
        """The same, for who mends and needs nothing found in it."""
        from lerim.sessions.database import open_catalog  # Start-up: as for sessions.

        self._let_go()
        return open_catalog(self._home, self._stamp())[0]

    def mended_catalog(self) -> Database:
        """The catalog, made anew when it was damaged."""
        from lerim.sessions.database import replace_catalog  # As above.

        return self._refilled(*replace_catalog(self._home, self._stamp()))

    def team_catalog(self) -> Database:
        """The sessions that machines share."""
        shared = self._shared()
        assert shared is not None, "who asks for it knows that there is one"
        return shared.open("sessions")

    def _refilled(self, catalog: Database, notice: str | None) -> Database:
        """The catalog; one that had to be made again has found the sessions again."""
        if notice:
            self._find_sessions(catalog)
        return self._with_notice(catalog, notice)

    def _with_notice(self, database: Database, notice: str | None) -> Database:
        if notice:
            self._tell(notice)
        return database

    def _stamp(self) -> str:
        return stamp_text(self._clock())
