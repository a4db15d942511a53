"""The books of what was put where: `connect/connections.json` in Lerim's own folder, and beside it each file as it was
before. With them a file that nobody touched since is restored byte for byte; without them entries are still found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lerim.dataclass import dataclass, field
from lerim.digests import blake2b
from lerim.private import lock_file, make_private, open_private, put_private

_BOOKS = "connections.json"
_BEFORE = "before"
_KEPT = "kept"
_LOCK = ".lock"
_MOST = 4 << 20


@dataclass(frozen=True)
class BookedFile:
    """A file that holds something of ours."""

    path: Path
    #: The agents it was written for, and what each has in it.
    agents: Mapping[str, Sequence[str]]
    #: The digest of its bytes before, None when there was no such file; and after.
    before: str | None
    after: str
    #: The folders that were made for it.
    folders: Sequence[Path] = ()
    project: Path | None = None

    def labels(self, agents: Sequence[str] | None = None) -> set[str]:
        """What these agents have in it, or all."""
        return {label for name, some in self.agents.items() if agents is None or name in agents for label in some}


@dataclass
class ConnectionBooks:
    folder: Path
    files: dict[Path, BookedFile] = field(default_factory=dict)

    @classmethod
    def open(cls, home: Path) -> ConnectionBooks:
        """The books as they are; empty ones when there are none, or none that can be read."""
        books = cls(home / "connect")
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            path = books.folder / _BOOKS
            if path.stat().st_size <= _MOST:
                books.files = {file.path: file for file in _read(json.loads(path.read_bytes()))}
        return books

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Have the books alone while files are changed, as they are now: others may have written since they were
        opened."""
        make_private(self.folder, below=self.folder.parent)
        with open_private(self.folder / _LOCK, append=True) as lock:
            lock_file(lock.fileno())
            self.files = ConnectionBooks.open(self.folder.parent).files
            yield

    def of(self, agent: str, project: Path | None) -> list[BookedFile]:
        return [file for file in self.files.values() if agent in file.agents and file.project == project]

    def made_above(self, path: Path) -> list[Path]:
        """The folders above a path that were made for it or another file: whoever goes last takes them away."""
        made = {folder for file in self.files.values() for folder in file.folders}
        return sorted(made.intersection(path.parents))

    def keep(self, data: bytes | None) -> str | None:
        """Keep what a file was before it is changed, and give its digest."""
        if data is None:
            return None
        name = digest(data)
        path = make_private(self.folder / _BEFORE, below=self.folder.parent) / name
        if not path.exists():
            with open_private(path) as file:
                file.write(data)
        return name

    def bytes_of(self, name: str | None) -> bytes | None:
        """What a file was before; None when there was none, or it cannot be had any more."""
        if name is None:
            return None
        try:
            data = (self.folder / _BEFORE / name).read_bytes()
        except OSError:
            return None
        return data if digest(data) == name else None

    def enter(self, file: BookedFile) -> None:
        self.files[file.path] = file
        self._save()

    def strike(self, path: Path) -> None:
        """Forget a file."""
        if self.files.pop(path, None) is not None:
            self._save()

    def set_aside(self, path: Path, data: bytes, stamp: str) -> Path:
        """Keep a file of ours that somebody changed, now that it goes."""
        kept = make_private(self.folder / _KEPT, below=self.folder.parent) / f"{stamp}-{path.name}"
        with open_private(kept) as file:
            file.write(data)
        return kept

    def _save(self) -> None:
        make_private(self.folder, below=self.folder.parent)
        text = json.dumps({"version": 1, "files": [*map(_written, self.files.values())]}, indent=1)
        put_private(self.folder / _BOOKS, text.encode(), durable=True)
        self._sweep()

    def _sweep(self) -> None:
        """Of files that hold nothing of ours any more, no copy is left lying around."""
        used = {file.before for file in self.files.values()}
        with suppress(OSError):
            for path in (self.folder / _BEFORE).iterdir():
                if path.name not in used:
                    path.unlink()


def digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _written(file: BookedFile) -> dict[str, Any]:
    return {
        "path": str(file.path),
        "agents": {name: [*labels] for name, labels in file.agents.items()},
        "before": file.before,
        "after": file.after,
        "folders": [str(folder) for folder in file.folders],
        "project": str(file.project) if file.project else None,
    }


def _read(document: Any) -> Iterator[BookedFile]:
    for file in document["files"]:
        yield BookedFile(
            Path(file["path"]),
            {str(name): [*map(str, labels)] for name, labels in file["agents"].items()},
            file["before"],
            file["after"],
            [*map(Path, file["folders"])],
            Path(file["project"]) if file["project"] else None,
        )
