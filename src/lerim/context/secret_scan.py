"""`lerim memory scan`: everything that is kept, looked at once more by the rules of the gate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lerim import openat
from lerim.context.disclosure import SCREENED, is_allowed, lines_of, screen
from lerim.context.face.folder import ID_LINE, MAX_FILE_BYTES
from lerim.context.filters import ANY
from lerim.context.place import Place
from lerim.context.progress import Progress, silent, with_progress
from lerim.context.records import Record, RecordId
from lerim.context.store import Snapshot
from lerim.errors import UnsafePath
from lerim.sources.redact import secrets_of


@dataclass(frozen=True)
class SecretFinding:
    """Something kept that looks like a secret: where, and what kind. Never the secret itself."""

    where: str
    line: int
    kind: str
    record_id: RecordId | None = None
    #: An earlier version, which history keeps.
    version: int | None = None
    #: A person said that it stays.
    allowed: bool = False
    #: It was masked just now.
    masked: bool = False

    @property
    def is_open(self) -> bool:
        return not (self.allowed or self.masked or self.version)


def scan(place: Place, *, versions: bool = False, progress: Progress = silent) -> list[SecretFinding]:
    """What looks like a secret in one place: its records, its files, and its history when asked."""
    with place.store.read() as snapshot:
        records = snapshot.select(ANY)
        earlier = _earlier(snapshot, records) if versions else []
    found: list[SecretFinding] = []
    for record in with_progress(records, "scanning memories", progress):
        found += _in_record(place, record)
    known = {finding.where for finding in found}
    return found + [item for item in _in_files(place) if item.where not in known] + earlier


def scan_traces(place: Place, progress: Progress = silent) -> list[SecretFinding]:
    """What the rules of today find in the archived traces of a place: those of the day they came in may have been
    fewer. By the rules for traces, which are private."""
    folder = place.folder.root.parent / "meta" / "traces" / "sessions"
    found: list[SecretFinding] = []
    for path in with_progress(_traces(folder), "scanning traces", progress):
        # A link or a FIFO there is nobody's trace.
        with suppress(OSError, UnsafePath), openat.below(path.parent) as inside, inside.open(path.name) as file:
            found += _in_trace(path, file)
    return found


def _traces(folder: Path) -> list[Path]:
    try:
        with openat.below(folder):
            return sorted(folder.rglob("*.jsonl"))
    except (FileNotFoundError, UnsafePath):
        return []


def _in_trace(path: Path, lines: Iterable[bytes]) -> Iterator[SecretFinding]:
    for number, line in enumerate(lines, 1):
        for span in secrets_of(line.decode("utf-8", "replace")):
            yield SecretFinding(str(path), number, span.kind)


def mask(place: Place, found: Sequence[SecretFinding]) -> list[SecretFinding]:
    """Mask what was found in records, as one change. Files that were not taken in are a person's to change."""
    # Of a file that was not taken in, the record is not changed either.
    unread = {place.folder.absolute(problem.path) for problem in place.face.problems()}
    wanted = {item.record_id for item in found if item.is_open and item.record_id}
    done: set[RecordId | None] = set()
    with place.change("person", "masked by memory scan") as change:
        for record_id in wanted:
            record = change.find(str(record_id))
            if record is None or place.path_of(record) in unread:
                continue
            screened, _ = screen(record)
            values = {name: getattr(screened, name) for name in SCREENED}
            change.revise(record.id, "mask", **values)
            change.forget_images(record.id)
            done.add(record.id)
    return [replace(item, masked=True) if item.record_id in done and item.is_open else item for item in found]


def _in_record(place: Place, record: Record) -> Iterator[SecretFinding]:
    suspicions = screen(record)[1]
    if not suspicions:
        return
    path = place.path_of(record)
    allowed = is_allowed(record)
    lines = list(lines_of(_read(path).decode("utf-8", "replace"))) if path else []
    if lines:
        for line, kind in lines:
            yield SecretFinding(str(path), line, kind, record.id, allowed=allowed)
        return
    for found in suspicions:
        yield SecretFinding(found.field, found.line, found.kind, record.id, allowed=allowed)


def _in_files(place: Place) -> Iterator[SecretFinding]:
    """Files that were not taken in, or say something else than their record."""
    for name in sorted(place.folder.scan().files) if place.folder.exists() else []:
        path = place.folder.absolute(name)
        data = _read(path)
        for line, kind in lines_of(data.decode("utf-8", "replace")):
            yield SecretFinding(str(path), line, kind, _id_in(data))


def _read(path: Path) -> bytes:
    """A memory file; nothing of what cannot be read, or is no file."""
    try:
        return openat.read(path, MAX_FILE_BYTES)
    except (OSError, UnsafePath):
        return b""


def _id_in(data: bytes) -> RecordId | None:
    found = ID_LINE.search(data)
    return RecordId(found[1].decode()) if found else None


def _earlier(snapshot: Snapshot, records: list[Record]) -> list[SecretFinding]:
    return [
        SecretFinding(item.field, item.line, item.kind, record.id, version.record.version)
        for record in records
        for version in snapshot.history(record.id)[:-1]
        for item in screen(version.record)[1]
    ]
