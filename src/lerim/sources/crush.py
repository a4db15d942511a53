"""Crush, which the Go program that was OpenCode became.

It keeps `.crush/crush.db` in the folder it works in, or where `data_directory` of its settings says. The tables are
those of `opencode_legacy`, with a provider for each message; since 2026 the parts are compressed with zstd.

Written down from the program's own source (charmbracelet/crush, `internal/db` and `parts_codec.go`, as of 2026); never
seen on real data.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lerim.dataclass import replace
from lerim.errors import SourceError
from lerim.sources import opencode_legacy, sqlite_file
from lerim.sources.base import Container, Machine, Reading, SessionRef

_DATABASE = "crush.db"
_FOLDER = ".crush"


class CrushSource:
    """Crush. Its databases lie in repositories, so whoever knows those passes them as roots."""

    name = "crush"
    title = "Crush"

    def roots(self, machine: Machine) -> list[Path]:
        return [Path(machine.env.get("CRUSH_GLOBAL_DATA") or machine.data_home / "crush")]

    def containers(self, root: Path) -> Iterator[Container]:
        for path in (root / _DATABASE, root / _FOLDER / _DATABASE):
            if state := sqlite_file.state(path):
                yield Container(self.name, path, state)

    def sessions(self, container: Container) -> Iterator[SessionRef]:
        with sqlite_file.opened(container.path) as database:
            found = opencode_legacy.listed(database)
            if not found:
                database.require_sound()
        for run_id, fingerprint in found:
            yield SessionRef(self.name, container.path, run_id, fingerprint)

    def accepts(self, path: Path) -> bool:
        """Its tables, with the column that the older program does not have."""
        try:
            if not sqlite_file.is_database(path):
                return False
            with sqlite_file.opened(path) as database:
                return opencode_legacy.is_legacy(database) and "provider" in database.columns("messages")
        except SourceError:
            return False

    def read(self, ref: SessionRef) -> Reading:
        reading = opencode_legacy.read(ref)
        where = ref.path.parent
        cwd = str(where.parent) if where.name == _FOLDER else None
        return replace(reading, header=replace(reading.header, agent=self.name, cwd=cwd))


SOURCE = CrushSource()
