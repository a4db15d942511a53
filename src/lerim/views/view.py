"""What a view is: its name, its lines with the records each cites, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from lerim.context.records import RecordId
from lerim.dataclass import dataclass, field


class ViewName(StrEnum):
    """The views there are."""

    BRIEF = "brief"
    WORKING_MEMORY = "working-memory"
    CLINIC = "clinic"


@dataclass(frozen=True)
class ViewLine:
    """A line that says something, without its citations, and what it rests on."""

    text: str
    records: tuple[RecordId, ...]
    #: As `agent/run_id`.
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ViewSection:
    """Lines below one heading, best first."""

    title: str
    lines: tuple[ViewLine, ...]


@dataclass(frozen=True)
class RenderedView:
    """A view as it is read."""

    name: ViewName
    text: str
    #: When it was made, and the moment it tells of; None for the present.
    generated: datetime
    as_of: datetime | None
    #: Every record it cites, in the order of the lines.
    records: tuple[RecordId, ...]
    lines: tuple[ViewLine, ...]
    #: Whether the memory has not changed since.
    is_fresh: bool
    path: Path
    #: The same as numbers and lists, where a view has such.
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ViewStatus:
    """How a view stands on disk."""

    name: ViewName
    path: Path
    exists: bool
    is_fresh: bool
    #: Why it is not fresh, in words; empty when it is.
    reason: str = ""
    generated: datetime | None = None
    as_of: datetime | None = None
    records: int = 0
    characters: int = 0
    budget: int = 0
    #: Dated copies that are kept.
    copies: int = 0
