"""A database that mends itself: opened when it is first used, again after it was closed or its server went away, and
replaced when damaged.

Whoever holds one holds it for good: rooms need not know that the file behind it was replaced.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from lerim.errors import StoreCorrupt, StoreUnreachable
from lerim.storage.database import Database, KeptVectors, TextMatch, Transaction

_T = TypeVar("_T")
#: How long it is waited, each time, for a server that was there a moment ago: restarting one takes seconds.
PAUSES = (0.1, 0.4, 1.0, 2.0, 4.0, 4.0)


class ReopeningDatabase:
    """Opens with `open_database`; when that or a transaction finds damage, the next use has `mend` replace the file."""

    def __init__(self, open_database: Callable[[], Database], mend: Callable[[], Database]) -> None:
        self._open = open_database
        self._mend = mend
        self._database: Database | None = None
        self._is_suspect = False
        self._is_guarded = False
        #: Transactions that were committed here so far.
        self.commits = 0
        #: What was found last, and how often that happened.
        self._damage: StoreCorrupt | None = None
        self._damages = 0
        #: How often its server went away in the middle of something.
        self._losses = 0

    def guarded(self, work: Callable[[], _T], *, repeatable: bool = False) -> _T:
        """Do the work, and do it again on a mended database if this one turned out to be damaged, or when its server is
        back.

        Not when something was committed before, unless the work is `repeatable`: then the error is raised.
        """
        if self._is_guarded:
            return work()
        # Now, while nobody is inside a transaction: mending this one may take writing to another.
        self._opened()
        self._is_guarded = True
        try:
            return self._insisted(work, repeatable=repeatable)
        finally:
            self._is_guarded = False

    def _insisted(self, work: Callable[[], _T], *, repeatable: bool) -> _T:
        commits, pauses, was_mended = self.commits, iter(PAUSES), False
        while True:
            damages, losses = self._damages, self._losses
            try:
                return work()
            except StoreCorrupt:
                # Damage of another database is somebody else's to mend.
                if was_mended or self._damages == damages or (self.commits > commits and not repeatable):
                    raise
                self._damage, was_mended = None, True
                self._opened()
            except StoreUnreachable as error:
                if self._losses == losses or (self.commits > commits and not repeatable):
                    raise
                self._wait(error, pauses)

    def _wait(self, error: StoreUnreachable, pauses: Iterator[float]) -> None:
        """Wait until the server is back. Raises the error when it does not come back in time."""
        for pause in pauses:
            time.sleep(pause)
            with contextlib.suppress(StoreUnreachable):
                self._opened()
                return
        raise error

    def suspect(self) -> None:
        """Have the next use look whether it is damaged, and mend it."""
        self.close()
        self._is_suspect = True

    @property
    def location(self) -> str:
        return self._opened().location

    @property
    def was_used(self) -> bool:
        """Whether it is open, or something was committed."""
        return self._database is not None or self.commits > 0

    @property
    def is_read_only(self) -> bool:
        return self._opened().is_read_only

    @contextlib.contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._watched(), self._opened().read() as tx:
            yield tx

    @contextlib.contextmanager
    def write(self, of: str = "") -> Iterator[Transaction]:
        with self._watched(), self._opened().write(of) as tx:
            yield tx
        self.commits += 1

    @contextlib.contextmanager
    def write_among(self) -> Iterator[Transaction]:
        with self._watched(), self._opened().write_among() as tx:
            yield tx
        self.commits += 1

    def match(self, words: Sequence[str], *, every: bool, of: str) -> TextMatch:
        return self._opened().match(words, every=every, of=of)

    def held(self, tx: Transaction, words: Sequence[str], of: str, most: int) -> dict[str, int]:
        return self._opened().held(tx, words, of, most)

    def text_count(self, tx: Transaction) -> int:
        return self._opened().text_count(tx)

    def rebuild_text(self, tx: Transaction) -> None:
        self._opened().rebuild_text(tx)

    def vectors(self, project_id: str, model: str) -> KeptVectors | None:
        return self._opened().vectors(project_id, model)

    def problems(self) -> list[str]:
        with self._watched():
            return self._opened().problems()

    def backup(self, target: Path) -> None:
        with self._watched():
            self._opened().backup(target)

    def become(self, source: Path, meanwhile: Callable[[], None]) -> None:
        with self._watched():
            self._opened().become(source, meanwhile)
        self.commits += 1

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _opened(self) -> Database:
        if self._database is None:
            if self._damage is not None and self._is_guarded:
                # Somebody went on in spite of it, perhaps in the middle of something: whoever guards the work mends.
                raise self._damage
            self._database = self._mend() if self._is_suspect else self._sound()
            self._is_suspect, self._damage = False, None
        return self._database

    def _sound(self) -> Database:
        try:
            return self._open()
        except StoreCorrupt:
            return self._mend()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except StoreCorrupt as error:
            if self._database is None or error.location in ("", self._database.location):
                self._damage, self._damages = error, self._damages + 1
                self.suspect()
            raise
        except StoreUnreachable:
            # What comes next looks first whether it is the same store, and its schema.
            self._losses += 1
            self.close()
            raise
