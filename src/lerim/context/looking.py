"""How often the files of a memory are looked at by whoever works for a while: never for most of the time it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

#: A look at the files is due when so many times as long has passed as the last one took.
_REST = 10


class Looks:
    """When each place's files were last looked at in this process, and how long that took.

    Every entry looks, so that what a person just wrote counts. Who takes in one session after the other makes a dozen
    entries in a second, and looking at ten thousand files takes longer than all the rest: such work is `paced`. What a
    person writes meanwhile is met a moment later, and is never written over: see `MarkdownFace.publish`.
    """

    def __init__(self) -> None:
        self._is_paced = False
        #: By project: until when another look would be too many.
        self._rests: dict[str, float] = {}

    @contextmanager
    def paced(self) -> Iterator[None]:
        """Within, the files are looked at for a tenth of the time at most."""
        before, self._is_paced = self._is_paced, True
        try:
            yield
        finally:
            self._is_paced = before

    def is_due(self, project_id: str) -> bool:
        """Whether a project's files are to be looked at now."""
        return not self._is_paced or time.monotonic() >= self._rests.get(project_id, 0.0)

    @contextmanager
    def looking(self, project_id: str) -> Iterator[None]:
        """While the files are looked at. One that fails does not count."""
        began = time.monotonic()
        yield
        ended = time.monotonic()
        self._rests[project_id] = ended + _REST * (ended - began)
