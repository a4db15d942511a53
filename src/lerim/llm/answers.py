"""Answers that were paid for, kept by the hash of what was asked: whoever asks the very same again does not pay again.

A run that a budget ended, that was killed or that failed asks the same things when it is tried again, and a session
that has grown begins with the same windows. Only runs are answered so; a question of a person is asked each time.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from lerim.errors import StoreError
from lerim.storage.database import Database, Transaction
from lerim.storage.engine import open_beside

NAME = "answers"
#: Days that an answer is kept.
DAYS = 30
# What was kept before answers had a project is found by all.
_FIND = "SELECT answer FROM answers WHERE project_id IN (?, '') AND key = ?"
_KEEP = "INSERT INTO answers (project_id, key, at, answer) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
# What differs from run to run although the same is asked: the run's name, and ids that were made in it.
_OF_A_RUN = re.compile(r"\b(?:(?:sync|maintain)-\d{8}-\d{6}-[a-z0-9]{4,12}|(?:dec|lrn|sum)-[a-z0-9]{10})\b")


class AskedRequest:
    """What is asked, without what differs from run to run; and the way back."""

    def __init__(self, text: str) -> None:
        names = dict.fromkeys(_OF_A_RUN.findall(text))
        self._marks = {name: f"@@{number}@@" for number, name in enumerate(names)}
        self.key = sha256(self.general(text).encode("utf-8", "surrogatepass")).hexdigest()

    def general(self, text: str) -> str:
        """A text with marks for the names that this request has."""
        return _OF_A_RUN.sub(lambda match: self._marks.get(match[0], match[0]), text)

    def particular(self, text: str) -> str:
        """The same with the names again."""
        names = {mark: name for name, mark in self._marks.items()}
        return re.sub(r"@@\d+@@", lambda match: names.get(match[0], match[0]), text)


class KeptAnswers:
    """The answers of this machine's runs, in `index/answers.sqlite3`, or those of all machines that share a store.
    Whatever is wrong with it, one pays again."""

    def __init__(self, home: Path, clock: Callable[[], datetime], shared: Callable[[], Database] | None = None) -> None:
        self.path = home / "index" / f"{NAME}.sqlite3"
        self._clock = clock
        self._shared = shared
        self._used: defaultdict[str, set[str]] = defaultdict(set)

    def find(self, asked: AskedRequest, run_id: str, project_id: str = "") -> str | None:
        """What was answered, or None when it was never asked in this project."""
        with contextlib.suppress(StoreError), self._write() as tx:
            if (row := tx.row(_FIND, (project_id, asked.key))) is not None:
                self._used[run_id].add(asked.key)
                return asked.particular(str(row[0]))
        return None

    def keep(self, asked: AskedRequest, answer: str, run_id: str, project_id: str = "") -> None:
        now = self._clock()
        self._used[run_id].add(asked.key)
        values = (project_id, asked.key, _text(now), asked.general(answer))
        with contextlib.suppress(StoreError), self._write() as tx:
            tx.run("DELETE FROM answers WHERE at < ?", (_text(now - timedelta(days=DAYS)),))
            tx.run(_KEEP, values)

    def forget(self, run_id: str) -> None:
        """Forget what a run was answered: with the same answers it would fail in the same way again."""
        with contextlib.suppress(StoreError), self._write() as tx:
            for key in self._used.pop(run_id, ()):
                tx.run("DELETE FROM answers WHERE key = ?", (key,))

    @contextlib.contextmanager
    def _write(self) -> Iterator[Transaction]:
        with contextlib.closing(self._open()) as database, database.write_among() as tx:
            yield tx

    def _open(self) -> Database:
        if self._shared is not None:
            return self._shared()
        return open_beside(self.path, NAME, lambda: remove_answers(self.path.parents[1]), derived=True)


def remove_answers(home: Path) -> None:
    """Forget all answers."""
    for ending in ("", "-wal", "-shm"):
        (home / "index" / f"{NAME}.sqlite3{ending}").unlink(missing_ok=True)


def canonical(document: Mapping[str, object]) -> str:
    """A document as one text, the same whenever it says the same."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False, default=str)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
