"""What every tool of a run is given: where it may read and write, and what the run has done so far."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from lerim.dataclass import dataclass, field
from lerim.openat import split

Mode = Literal["ask", "sync"]
#: The tools that only read: all that `ask` has.
READ_TOOLS = ("read", "grep", "glob", "explore")


@dataclass(frozen=True)
class Roots:
    """The folders of a run. All are absolute; those that may be written are the memory root and the run folder."""

    memory: Path
    #: `.lerim/workspace` of the project: runs can be read, only the own one written.
    workspace: Path
    #: None in `ask`, which leaves no artifacts and can write nowhere.
    run_folder: Path | None = None
    #: `~/.lerim/cache`.
    cache: Path | None = None
    extra_reads: tuple[Path, ...] = field(default=())
    #: What relative paths start from: the memory root unless told otherwise.
    cwd: Path | None = None
    #: Each root without links. Resolved once, when the run begins: what becomes a link later is not followed.
    real: Mapping[Path, Path] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        real = {root: _real(root) for root in self.readable}
        object.__setattr__(self, "real", MappingProxyType(real))

    @property
    def readable(self) -> tuple[Path, ...]:
        known = (self.memory, self.workspace, self.run_folder, self.cache, *self.extra_reads)
        return tuple(dict.fromkeys(root for root in known if root is not None))

    @property
    def writable(self) -> tuple[Path, ...]:
        return () if self.run_folder is None else (self.memory, self.run_folder)

    @property
    def start(self) -> Path:
        return self.cwd or self.memory


def _real(root: Path) -> Path:
    """A root without links on the way to the `.lerim` it lies in. From there on none is followed: a clone may bring one
    in place of its workspace."""
    ground, names = split(root)
    return Path(os.path.realpath(ground), *names)
