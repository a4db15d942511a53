"""What Lerim's own hook gave a session: some hosts put it into the user's message, and it is nobody's word there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.dataclass import replace
from lerim.sources.trace import Injected, Injection, Line, User

#: How a hook marks it (connect/hook_shapes.py).
GIVEN = "<project-memory>"
_GIVEN = re.compile(rf"{GIVEN}.*?(?:</project-memory>|\Z)", re.DOTALL)


def told_apart(line: Line) -> Iterator[Line]:
    """A line of the user's, and before it what a hook put into it."""
    if not isinstance(line, User) or GIVEN not in line.text:
        yield line
        return
    for found in _GIVEN.findall(line.text):
        yield Injected(text=found, at=line.at, src=line.src, undone=line.undone, kind=Injection.HOOK)
    if rest := _GIVEN.sub("", line.text).strip():
        yield replace(line, text=rest)
