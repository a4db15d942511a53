"""Memories in and out: JSON lines, folders of Markdown, and a person's own notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lerim import openat
from lerim.context.face.edits import bad_links
from lerim.context.face.folder import MAX_FILE_BYTES, path_for
from lerim.context.face.markdown import Document, parse, read_record, render
from lerim.context.filters import ANY
from lerim.context.place import Kept, Place
from lerim.context.progress import Progress, silent
from lerim.context.records import (
    FIELDS,
    Evidence,
    Kind,
    Record,
    RecordId,
    Status,
    Trust,
    implied_trust,
    parse_time,
    primitive_of,
    time_text,
    valid,
)
from lerim.context.store import Change, Version
from lerim.dataclass import dataclass, field, fields, replace
from lerim.errors import InvalidRecord, MarkdownError, UnsafePath, UsageError
from lerim.private import make_private, open_private

if TYPE_CHECKING:
    from lerim.context.disclosure import SuspectedSecret
    from lerim.context.notes import Notes

NOTE_SUFFIXES = frozenset({".md", ".markdown", ".mdc", ".txt", ".cursorrules"})
# Hidden, yet where people keep what their agents should know.
_OPEN_FOLDERS = frozenset({".cursorrules", ".cursor", ".claude", ".github"})
# One transaction a batch: short enough that other processes get their turn, long enough to be fast.
BATCH = 2000


@dataclass(frozen=True)
class NotPlaced:
    """A piece of the input that became no memory, where it stands, and why."""

    path: str
    line: int
    reason: str


@dataclass
class Imported:
    """What an import did."""

    created: list[Record] = field(default_factory=list)
    updated: list[Record] = field(default_factory=list)
    #: Already there with the same content.
    same: int = 0
    not_placed: list[NotPlaced] = field(default_factory=list)
    #: What looked like a secret and was masked, by record.
    masked: dict[RecordId, tuple[SuspectedSecret, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Incoming:
    """A record read from outside, and where."""

    record: Record
    path: str
    line: int
    #: Written by hand without an id: known again by its words, not by its id.
    draft: bool = False

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def as_json(record: Record) -> dict[str, Any]:
    """A record as JSON values: every field that says something."""
    payload: dict[str, Any] = {name: _json(getattr(record, name)) for name in FIELDS}
    payload["evidence"] = [_evidence_json(piece) for piece in record.evidence]
    if record.last_used is not None:
        payload |= {"last_used": time_text(record.last_used), "uses": record.uses}
    return {name: value for name, value in payload.items() if value is not None}


def from_json(payload: Any) -> Record:
    """A record from its JSON values. Raises InvalidRecord naming the field."""
    if not isinstance(payload, Mapping):
        raise InvalidRecord("record", "is not a JSON object")
    try:
        record_id = str(payload["id"])
        values: dict[str, Any] = {name: payload[name] for name in FIELDS if name in payload}
        values["primitive"] = primitive_of(record_id)
        for name in ("created", "updated", "valid_from", "valid_until", "worded"):
            if values.get(name) is not None:
                values[name] = parse_time(values[name], name)
        values.setdefault("updated", values["created"])
        values.setdefault("body", "")
        values["valid_from"] = values.get("valid_from") or values["created"]
        values["evidence"] = tuple(_evidence(item) for item in values.get("evidence", ()))
        values["tags"] = tuple(str(tag) for tag in values.get("tags", ()))
        for name, choices in (("kind", Kind), ("status", Status), ("trust", Trust)):
            if values.get(name) is not None:
                values[name] = _choice(name, choices, values[name])
        values.setdefault("trust", implied_trust(values["primitive"], values["evidence"]))
        return valid(Record(**values))
    except KeyError as error:
        raise InvalidRecord(str(error.args[0]), "is missing") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise InvalidRecord("record", f"has a value of the wrong type: {error}") from None


def export_jsonl(kept: Iterable[Kept], history: Callable[[Kept], list[Version]] | None = None) -> Iterator[str]:
    """One line a record; with `history`, each carries all its versions too."""
    for item in kept:
        payload = {"scope": item.place.scope, **as_json(item.record)}
        if history is not None:
            payload["versions"] = [version_json(version) for version in history(item)]
        yield json.dumps(payload, ensure_ascii=False)


def version_json(version: Version) -> dict[str, Any]:
    return {
        "version": version.record.version,
        "operation": version.operation,
        "at": time_text(version.at),
        "author": version.author,
        "reason": version.reason,
        "change": version.change,
        "run_id": version.run_id,
        "record": as_json(version.record),
    }


def export_folder(kept: Iterable[Kept], target: Path) -> int:
    """The memory layout under `target`, which must be new or empty. The number of files written."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is not an empty folder", hint="name a new folder; an export never overwrites")
    written: set[str] = set()
    for item in kept:
        path = path_for(item.record, written.__contains__)
        written.add(path)
        file = target / path
        make_private(file.parent, below=target)
        with open_private(file) as out:
            out.write(_file_of(item) or render(item.record))
    return len(written)


def _file_of(kept: Kept) -> bytes | None:
    """The file as it stands, which keeps a person's comments; None for a record without one."""
    try:
        return openat.read(kept.path, MAX_FILE_BYTES) if kept.path else None
    except (OSError, UnsafePath):
        return None


def read_source(path: Path, now: datetime) -> tuple[list[Incoming], list[NotPlaced]]:
    """Everything under a file or folder that can become a memory, and what cannot. Raises UsageError."""
    if not path.exists():
        raise UsageError(f"{path} does not exist", hint="lerim memory import --help")
    files = sorted(_source_files(path)) if path.is_dir() else [path]
    incoming: list[Incoming] = []
    refused: list[NotPlaced] = []
    for file in files:
        name = str(file.relative_to(path)) if path.is_dir() else file.name
        found, bad = _read_file(file, name, now)
        incoming += found
        refused += bad
    return incoming, refused


def _decoded(line: str) -> Any:
    """What a line says. Raises ValueError or RecursionError for what could not be written down again."""
    found = _decode(line)
    # Half an emoji, a number of thousands of digits, or more brackets than Python can follow.
    if "\\u" in line or len(line) > _SHORT_LINE:
        json.dumps(found, ensure_ascii=False).encode()
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number")


# Made once, for tens of thousands of lines.
_decode = json.JSONDecoder(parse_constant=_no_number).decode
# A line of so many characters has no number that Python would not write, and no more brackets than it follows.
_SHORT_LINE = 1000


def read_jsonl(lines: Iterable[str], name: str) -> tuple[list[Incoming], list[NotPlaced]]:
    """Records from JSON lines. A bad line is refused with its number; the others go on."""
    incoming, refused = [], []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            incoming.append(Incoming(from_json(_decoded(line)), name, number))
        except (ValueError, RecursionError) as error:
            refused.append(NotPlaced(name, number, f"not JSON: {error}"))
        except InvalidRecord as error:
            refused.append(NotPlaced(name, number, error.message))
    return incoming, refused


def import_records(
    place: Place,
    incoming: list[Incoming],
    *,
    overwrite: bool,
    reason: str,
    progress: Progress = silent,
) -> Imported:
    """Store what came in. Doing it twice changes nothing; a record that differs is left alone unless `overwrite`."""
    done = Imported()
    for start in range(0, len(incoming), BATCH):
        batch = incoming[start : start + BATCH]
        with place.change("import", reason) as change:
            _import_batch(change, batch, done, coming=incoming, overwrite=overwrite)
        done.masked |= change.masked
        progress("importing", min(start + BATCH, len(incoming)), len(incoming))
    return done


def _import_batch(
    change: Change, batch: list[Incoming], done: Imported, *, coming: list[Incoming], overwrite: bool
) -> None:
    # What is compared is compared as the store keeps it: what was masked the first time is known again.
    by_words = any(item.draft for item in batch)
    known_words = {(r.title, r.body) for r in change.select(ANY)} if by_words else set()
    batch = [_screened(item, done) for item in batch] if by_words else batch
    bad = bad_links(change, {item.place: item.record for item in coming}) if _has_links(batch) else {}
    known_ids = change.ids()
    fresh: dict[RecordId, Record] = {}
    there: list[Incoming] = []
    for item in batch:
        if item.place in bad:
            done.not_placed.append(NotPlaced(item.path, item.line, bad[item.place]))
        elif item.draft and (item.record.title, item.record.body) in known_words:
            done.same += 1
        elif item.record.id in fresh or item.record.id in known_ids:
            there.append(item if by_words else _screened(item, done))
        else:
            fresh[item.record.id] = _first_version(item.record)
            known_words.add((item.record.title, item.record.body))
    change.create_all(list(fresh.values()), "import")
    done.created += [change.touched[record_id].record for record_id in fresh]
    for item in there:
        _import_again(change, item, done, overwrite=overwrite)


def allowing(item: Incoming) -> Incoming:
    """The same, with a person's word that what looks like a secret in it stays."""
    from lerim.context.disclosure import allowed  # Start-up: this module also says what a record is in JSON.

    return replace(item, record=allowed(item.record))


def not_allowing(item: Incoming) -> Incoming:
    """The same without the word of whoever wrote the file, which is not the user's."""
    from lerim.context.disclosure import ALLOWED  # As above.

    if ALLOWED not in item.record.extra:
        return item
    extra = {key: value for key, value in item.record.extra.items() if key != ALLOWED}
    return replace(item, record=replace(item.record, extra=extra))


def _screened(item: Incoming, done: Imported) -> Incoming:
    from lerim.context.disclosure import is_allowed, screen  # As above.

    if is_allowed(item.record):
        return item
    record, found = screen(item.record)
    if found:
        done.masked[record.id] = found
    return replace(item, record=record)


def _has_links(batch: list[Incoming]) -> bool:
    return any(item.record.superseded_by for item in batch)


def _first_version(record: Record) -> Record:
    return record if record.version == 1 else replace(record, version=1)


def _import_again(change: Change, item: Incoming, done: Imported, *, overwrite: bool) -> None:
    """A record whose id is here already: from before, or from an earlier line."""
    old = change.fetch(item.record.id)
    if _same_content(old, item.record):
        done.same += 1
    elif overwrite:
        values = {name: getattr(item.record, name) for name in FIELDS if name not in {"id", "primitive", "version"}}
        done.updated.append(change.revise(old.id, "import", **values))
    else:
        reason = f"'{old.id}' is here already with other content; --overwrite takes the imported one"
        done.not_placed.append(NotPlaced(item.path, item.line, reason))


def _same_content(old: Record, new: Record) -> bool:
    return replace(new, version=old.version, updated=old.updated, last_used=old.last_used, uses=old.uses) == old


def _source_files(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        parts = file.relative_to(folder).parts
        hidden = any(part.startswith(".") and part not in _OPEN_FOLDERS for part in parts) or "node_modules" in parts
        if file.is_file() and not hidden and (file.suffix in NOTE_SUFFIXES | {".jsonl"} or file.name in NOTE_SUFFIXES):
            yield file


def _read_file(file: Path, name: str, now: datetime) -> tuple[list[Incoming], list[NotPlaced]]:
    if not file.is_file():
        return [], [NotPlaced(name, 1, "cannot be read: not a file")]
    try:
        data = file.read_bytes()
        if file.suffix == ".jsonl":
            return read_jsonl(data.decode("utf-8").splitlines(), name)
        document = parse(data)
        if "id" in document.values:
            return [Incoming(_read_memory(document, now), name, 1)], []
    except OSError as error:
        return [], [NotPlaced(name, 1, f"cannot be read: {error.strerror}")]
    except UnicodeDecodeError:
        return [], [NotPlaced(name, 1, "not UTF-8 text")]
    except MarkdownError as error:
        return [], [NotPlaced(name, error.line, error.problem)]
    from lerim.context.notes import read_notes  # Only an import of plain notes needs their grammar.

    return _drafts(read_notes(data.decode("utf-8"), name), now)


def _read_memory(document: Document, now: datetime) -> Record:
    """A memory file of ours, from wherever it lay: its id says what it is."""
    try:
        primitive = primitive_of(str(document.values["id"]))
    except InvalidRecord as error:
        raise MarkdownError(error.message, line=document.line_of("id")) from None
    blank = Record(
        RecordId(str(document.values["id"])), primitive, "untitled", "", now, now, kind=primitive.default_kind
    )
    return read_record(document, None, blank)


def _drafts(notes: Notes, now: datetime) -> tuple[list[Incoming], list[NotPlaced]]:
    incoming = [Incoming(note.draft.record(now), note.path, note.line, draft=True) for note in notes.found]
    return incoming, [NotPlaced(item.path, item.line, item.reason) for item in notes.unplaced]


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, str) else value


def _evidence_json(piece: Evidence) -> dict[str, Any]:
    known = {f.name: _json(getattr(piece, f.name)) for f in fields(Evidence)}
    return {name: value for name, value in known.items() if value is not None}


def _evidence(payload: Mapping[str, Any]) -> Evidence:
    said = parse_time(payload["said"], "evidence") if payload.get("said") else None
    speaker = _choice("evidence", Trust, payload.get("speaker", "unknown"))
    return Evidence(**{**payload, "speaker": speaker, "said": said})


def _choice(name: str, choices: type[Kind] | type[Status] | type[Trust], value: Any) -> Any:
    try:
        return choices(value)
    except ValueError:
        raise InvalidRecord(name, f"'{value}' is not one of {', '.join(choices)}") from None
