"""A store that several machines share: where it is, and how this machine gets in."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from lerim.config.acting import acting_in
from lerim.context.access_log import AccessKind, AccessLog
from lerim.context.places import Membership, carry_places, follow_names, keep_membership, membership_at
from lerim.context.projects import Project, person_of
from lerim.errors import NotAllowed, StoreError, UsageError
from lerim.printable import shell_word
from lerim.storage.connections import Address, connect
from lerim.storage.database import Database, Value
from lerim.storage.engine import open_shared
from lerim.storage.listening import Listener

#: The databases of a store beside the records.
_BESIDES = ("sessions", "usage", "answers")
_SAID = ("token", "via", "address")
#: Stores that nobody but their owner uses, and until when that is believed.
_UNSHARED: dict[str, float] = {}
_ALONE_SECONDS = 60.0


def address_of(url: str, env: Mapping[str, str]) -> Address:
    """An address, and for whom one comes there."""
    given = acting_in(env)
    return Address(url, given.get("role", ""), tuple((name, given[name]) for name in _SAID if given.get(name)))


#: How long somebody waits for the server who can do without.
PATIENCE_SECONDS = 1.5


class SharedStore:
    """The server behind `storage.url`, as this machine sees it. Nothing is asked of it before it is opened."""

    def __init__(self, address: Address, local: Database) -> None:
        self.address = address
        self._local = local
        self._is_open = False

    def open(self, name: str) -> Database:
        """One of its databases. Raises StoreUnreachable, StoreTooNew, StoreTooOld, StoreBusy or StoreError."""
        return open_shared(self.address.url, name, role=self.address.role, variables=self.address.variables)

    def listener(self, channel: str) -> Listener:
        """Hears of what others do there."""
        return Listener(self.address, channel)

    def note(self, kind: AccessKind, what: str, project_id: str | None = None) -> None:
        """Have it noted that somebody looked, where there is a team; where there is none, that is asked once a minute.
        Raises StoreError."""
        known = _UNSHARED.get(self.address.url, 0.0)
        if time.monotonic() < known:
            return
        log = AccessLog(self.open("team"))
        if log.is_kept():
            log.note(kind, what, project_id)
        else:
            _UNSHARED[self.address.url] = time.monotonic() + _ALONE_SECONDS

    def open_context(self) -> Database:
        """The Context Store; which one it is, is noted for when the server is silent."""
        database = self.open("context")
        found = _membership_in(database)
        # Once: whoever comes back after the server was away may be in the middle of noting something.
        if not self._is_open:
            self._note_membership(found)
            follow_names(database, self._local, found.store)
        self.__dict__["membership"], self._is_open = found, True
        return database

    def _note_membership(self, found: Membership) -> None:
        with self._local.read() as local:
            noted = membership_at(local, self._key)
        if noted != found:
            for name in _BESIDES:
                # Made by whoever comes first: those who are let in later may not.
                with suppress(NotAllowed):
                    self.open(name).close()
            with self._local.write() as local:
                keep_membership(local, self._key, found)
                if noted is not None:
                    # It went back to a backup, or was copied there: what is known of folders holds all the same.
                    carry_places(local, noted.store, found.store)

    def is_silent(self) -> bool:
        """Whether the server does not answer at once. Waits for a moment, and not for as long as a command would."""
        if self._is_open:
            return False
        from threading import Thread  # Start-up: only who shares a store needs it.

        answers: list[bool] = []

        def ask() -> None:
            with suppress(StoreError):
                connect(self.address).close()
                answers.append(True)

        asking = Thread(target=ask, daemon=True)
        asking.start()
        asking.join(PATIENCE_SECONDS)
        return not answers

    @cached_property
    def membership(self) -> Membership:
        """Which store it is, and who this machine's user is there; asked once, then known."""
        with self._local.read() as local:
            noted = membership_at(local, self._key)
        if noted is None:
            self.open_context().close()
            return self.membership
        return noted

    def guard_restore(self, *, for_all: bool) -> None:
        """Raise unless the whole store may be brought back to a backup: what everybody wrote since is gone then."""
        if not for_all:
            raise UsageError(
                f"{self.address} may be used by others, too: a restore takes back what everybody wrote since",
                hint="lerim restore BACKUP --yes",
            )
        self._require(_OWNS, (), "only the owner of a store can bring all of it back")

    def guard_removal(self, project: Project, named: str = "") -> None:
        """Raise unless a project's memory may be deleted for everybody, by an admin who names it."""
        what = f"the memory of {project.name}"
        if not project.is_global and named not in (project.name, project.id):
            raise UsageError(
                f"{what} is not this machine's alone: it is everybody's who uses {self.address}",
                hint=f"to delete it for all of them: --yes --shared {shell_word(project.name)}",
            )
        self._require(_ADMINISTERS, (project.id, project.id), f"only an admin can delete {what}")

    def _require(self, sql: str, values: Sequence[Value], otherwise: str) -> None:
        with self.open("context").read() as tx:
            if tx.row(sql, values) != (True,):
                raise NotAllowed(f"{self.address}: {otherwise}; nothing was changed", hint="lerim team whoami")

    @property
    def _key(self) -> str:
        return f"{self.address} {self.address.role}".strip()


_OWNS = "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = current_schema()"
# As the server's own rules have it, which let a deletion pass that deletes nothing.
_ADMINISTERS = (
    "SELECT lerim_team.member() IS NULL OR ? = ANY (lerim_team.has_some(3))"
    " OR (lerim_team.has_all(3) AND NOT lerim_team.is_private(?))"
)


def _membership_in(database: Database) -> Membership:
    with database.read() as tx:
        row = tx.row("SELECT i.id, current_user FROM identity i")
    if row is None:
        raise StoreError(f"{database.location} does not say which store it is", hint="lerim storage check")
    return Membership(row[0], person_of(str(row[1])))
