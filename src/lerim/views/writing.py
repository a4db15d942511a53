"""A view on disk: its text, its manifest and what it said before. Written whole or not at all, for its owner's eyes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lerim.context.records import stamp_text, time_text
from lerim.dataclass import dataclass
from lerim.private import lock_file, make_private, open_private, put_private, sweep
from lerim.views.shelf import FILES, VIEWS, digest_of, folder, read_view
from lerim.views.view import RenderedView, ViewName

#: Copies of what a view said before, at most.
MOST_COPIES = 20


@dataclass(frozen=True)
class Shelf:
    """The views of one project on disk, or of the global memory when it has no root."""

    home: Path
    root: Path | None

    @property
    def folder(self) -> Path:
        return Path(folder(str(self.home), None if self.root is None else str(self.root)))

    def path(self, name: ViewName) -> Path:
        return self.folder / f"{FILES[name]}.md"

    def read(self, name: ViewName) -> tuple[str, dict[str, Any]] | None:
        """What is there, and its manifest; None when there is nothing whole."""
        return read_view(str(self.home), None if self.root is None else str(self.root), name)

    def write(self, view: RenderedView, manifest: Mapping[str, Any]) -> None:
        """Put a view in place, and a dated copy of it when it says something new. Raises OSError."""
        data = view.text.encode("utf-8")
        told = {
            "view": str(view.name),
            "root": None if self.root is None else str(self.root),
            "generated_at": time_text(view.generated),
            "as_of": None if view.as_of is None else time_text(view.as_of),
            "digest": digest_of(data),
            "records": list(view.records),
            "characters": len(view.text),
            **manifest,
        }
        make_private(self.folder, below=self.home / VIEWS)
        with self._alone():
            before = self.read(view.name)
            if view.data:
                put_private(self.path(view.name).with_suffix(".json"), _json(view.data))
            put_private(self.path(view.name), data)
            # Last: whoever finds it finds the rest.
            put_private(self.path(view.name).with_suffix(".manifest.json"), _json(told))
            if before is None or before[0] != view.text:
                self.keep_copy(view)

    def copies(self, name: ViewName) -> list[Path]:
        """What a view said before and says now, oldest first."""
        return sorted((self.folder / "history").glob(f"*-{FILES[name]}.md"))

    def forget(self) -> None:
        """Remove all views, with what they said before: what they were made from is gone."""
        _remove(self.folder)

    def keep_copy(self, view: RenderedView) -> Path:
        """A dated copy of a view; the oldest make room for it. Raises OSError."""
        history = make_private(self.folder / "history", below=self.home / VIEWS)
        moment = f"-of-{stamp_text(view.as_of)}" if view.as_of else ""
        path = history / f"{stamp_text(view.generated)}{moment}-{FILES[view.name]}.md"
        put_private(path, view.text.encode("utf-8"))
        for old in self.copies(view.name)[:-MOST_COPIES]:
            with suppress(OSError):
                old.unlink()
        return path

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One writer at a time: text and manifest are two files, and belong together."""
        with open_private(self.folder / ".lock", append=True) as lock:
            lock_file(lock.fileno())  # Kept for the time of a few renames, and never by the dead.
            yield
        sweep(self.folder)


def forget_all(home: Path) -> None:
    """Remove the views of all projects."""
    with suppress(OSError):
        for folder_of_one in list((home / VIEWS).iterdir()):
            _remove(folder_of_one)


def _remove(folder_of_one: Path) -> None:
    """Remove a folder of views with what is in it; nothing through a link, and nothing that is not ours."""
    for place in (folder_of_one / "history", folder_of_one):
        with suppress(OSError):
            if not place.is_symlink():
                for path in list(place.iterdir()):
                    with suppress(OSError):
                        path.unlink()
                place.rmdir()


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
