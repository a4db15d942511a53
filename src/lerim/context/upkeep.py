"""Keeping the memory sound: verify every promise, remake one face from the other, start over with a backup."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lerim.config.scope import STORE
from lerim.context.face.edits import Look, Reconciled, differences, look_at, read_look
from lerim.context.face.folder import MemoryFolder
from lerim.context.face.known_files import KnownFile
from lerim.context.filters import ANY
from lerim.context.place import Place
from lerim.context.progress import Progress, silent, with_progress
from lerim.context.records import Record, RecordId, utc_now
from lerim.context.rows import encode, from_snapshot
from lerim.context.store import Snapshot
from lerim.dataclass import dataclass, replace
from lerim.errors import MarkdownError, NotAllowed, StoreError
from lerim.private import make_private, tighten_all
from lerim.storage.connections import is_address
from lerim.storage.database import Database


@dataclass(frozen=True)
class CheckFinding:
    """A promise that does not hold, where, and what to do about it."""

    what: str
    where: str
    fix: str


@dataclass(frozen=True)
class Reset:
    """What a reset forgot by scope, where its backup lies, and whether the session queue was left as it was."""

    records: dict[str, int]
    backup: Path | None = None
    queue_kept: bool = True
    #: The backup to restore, by name.
    restore: str | None = None


def check(place: Place, progress: Progress = silent) -> list[CheckFinding]:
    """Every broken promise of one place. Empty when all is well."""
    with place.store.read() as snapshot:
        known = place.face.known()
        found = [*_check_versions(snapshot), *_check_links(snapshot)]
        found += map(_unfinished, place.face.unfinished(snapshot))
        found += _check_filed(snapshot, known)
        for file in with_progress(list(known.values()), "checking files", progress):
            found += _check_file(snapshot, place.folder, file)
    return found + list(_check_folder(place.folder))


def check_database(place: Place) -> list[CheckFinding]:
    """What is wrong inside the database and its derived rows. They are the same for every place."""
    database = place.store.database
    # No machine makes anew what others use, too.
    fix = "lerim storage check" if is_address(database.location) else "lerim memory rebuild --from files"
    found = [CheckFinding(problem, database.location, fix) for problem in database.problems()]
    with database.read() as tx:
        row = tx.row("SELECT count(*) FROM records")
        records, indexed = int(row[0]) if row else 0, database.text_count(tx)
    if records != indexed:
        text = f"the full-text index holds {indexed} of {records} records"
        found.append(CheckFinding(text, database.location, fix))
    return found


def check_rows(database: Database) -> list[str]:
    """What does not hold between the rows of a store, whatever project they are of and wherever that lies."""
    with database.read() as tx:
        projects = [row[0] for row in tx.rows("SELECT id FROM projects ORDER BY id")]
        snapshots = [Snapshot(tx, project_id, utc_now()) for project_id in projects]
        found = [finding for one in snapshots for finding in (*_check_versions(one), *_check_links(one))]
    return [f"{finding.where} {finding.what}" for finding in found]


def rebuild_store(place: Place) -> Reconciled:
    """Make the store say what the files say: every file is read again, derived rows are remade, history stays."""
    place.face.forget_states()
    done = place.face.take_in()
    with place.store.database.write(place.project.id) as tx:
        place.store.database.rebuild_text(tx)
    return done


def rebuild_files(place: Place) -> int:
    """Make the files say what the store says. The number of files written."""
    return place.face.rewrite()


def reset_all(places: Sequence[Place], backup: Path | None) -> Reset:
    """Forget everything of these places; what they held is kept in `backup`, unless it is None."""
    kept = backup if places else None
    if kept is not None:
        make_private(kept, below=kept.parent)
        places[0].store.database.backup(kept / STORE)
    return Reset({place.scope: reset(place, kept / place.project.name if kept else None) for place in places}, kept)


def reset(place: Place, backup: Path | None) -> int:
    """Forget everything of one place: rows and files. The number of records forgotten.

    The folder is moved away in one step before any row goes: whatever happens in between, nothing is half there.
    """
    _require_right(place)
    try:
        if place.folder.exists():
            _move_away(place.folder.root, backup)
    except OSError as error:
        raise StoreError(f"cannot clear {place.folder.root}: {error.strerror}; nothing was forgotten") from error
    with place.store.database.write(place.project.id) as tx:
        row = tx.row("SELECT count(*) FROM records WHERE project_id = ?", (place.project.id,))
        for table in ("records", "changes", "sessions"):
            tx.run(f"DELETE FROM {table} WHERE project_id = ?", (place.project.id,))
    place.face.forget()
    return int(row[0]) if row else 0


class _TakenBack(Exception):
    """Ends a trial, whatever came of it."""


def _require_right(place: Place) -> None:
    """Raises NotAllowed for whoever may not delete what others share with them: rows that somebody has no right to
    stay where they are, without a word."""
    database, mine = place.store.database, (place.project.id,)
    if not is_address(database.location):
        return
    left = 0
    with suppress(_TakenBack), database.write(place.project.id) as tx:
        tx.run("DELETE FROM records WHERE project_id = ?", mine)
        row = tx.row("SELECT count(*) FROM records WHERE project_id = ?", mine)
        left = int(row[0]) if row else 0
        raise _TakenBack
    if left:
        raise NotAllowed(
            f"only admins of {place.project.name} may forget it; nothing was changed", hint="lerim team whoami"
        )


def _move_away(folder: Path, backup: Path | None) -> None:
    if backup is None:
        aside = folder.with_name(f"{folder.name}.reset")
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
        shutil.rmtree(aside)
        return
    make_private(backup)
    target = backup / "memory"
    number = 1
    while target.exists():
        number += 1
        target = backup / f"memory-{number}"
    shutil.move(folder, target)
    tighten_all(target)


def _check_versions(snapshot: Snapshot) -> Iterator[CheckFinding]:
    rows = snapshot.tx.rows(
        "SELECT r.id, r.version, count(v.version), max(v.version) FROM records r"
        " LEFT JOIN versions v ON v.record_seq = r.seq WHERE r.project_id = ?"
        " GROUP BY r.id, r.version",
        (snapshot.project_id,),
    )
    for record_id, version, count, newest in rows:
        if not version == count == newest:
            text = f"is at version {version}, but the history has {count} versions up to {newest}"
            yield CheckFinding(text, record_id, "lerim memory rebuild --from files")
    for record, newest_record in _newest_versions(snapshot):
        if encode(record) != encode(newest_record):
            yield CheckFinding("differs from its newest version", record.id, "lerim memory rebuild --from files")


def _newest_versions(snapshot: Snapshot) -> Iterator[tuple[Record, Record]]:
    rows = snapshot.tx.rows(
        "SELECT r.id, v.snapshot FROM records r JOIN versions v ON v.record_seq = r.seq AND v.version = r.version"
        " WHERE r.project_id = ?",
        (snapshot.project_id,),
    )
    newest: dict[str, str] = {row[0]: row[1] for row in rows}
    for record in snapshot.select(ANY):
        if record.id in newest:
            try:
                yield replace(record, last_used=None, uses=0), from_snapshot(newest[record.id])
            except (json.JSONDecodeError, KeyError, TypeError, ValueError):
                yield record, replace(record, title="")


def _check_links(snapshot: Snapshot) -> Iterator[CheckFinding]:
    links = snapshot.successors()
    for start in links:
        seen, at = {start}, links[start]
        while at in links and at not in seen:
            seen.add(at)
            at = links[at]
        if at in seen:
            yield CheckFinding("superseded_by forms a circle", start, f"lerim memory restore {start}")
        elif snapshot.find(at) is None:
            yield CheckFinding(
                f"superseded_by leads to '{at}', which does not exist", start, f"lerim memory restore {start}"
            )


def _unfinished(record_id: RecordId) -> CheckFinding:
    return CheckFinding("its file is still to be written", record_id, "lerim status")


def _check_filed(snapshot: Snapshot, known: dict[str, KnownFile]) -> Iterator[CheckFinding]:
    has_file = {file.record_id for file in known.values()}
    for touched in snapshot.filed():
        if touched.record.id not in has_file:
            yield CheckFinding("has no file", touched.record.id, "lerim memory rebuild --from store")


def _check_file(snapshot: Snapshot, folder: MemoryFolder, known: KnownFile) -> Iterator[CheckFinding]:
    where = str(folder.absolute(known.path))
    if known.problem is not None:
        yield CheckFinding(
            known.problem, f"{where}:{known.line}", "fix the file, or: lerim memory rebuild --from store"
        )
        return
    look = look_at(folder, known.path)
    if look is None:
        yield CheckFinding("the file is gone", where, "lerim status")
    elif look.problem is not None:
        yield CheckFinding(look.problem.problem, f"{where}:{look.problem.line}", "fix the file")
    else:
        yield from _check_content(snapshot, known, look, where)


def _check_content(snapshot: Snapshot, known: KnownFile, look: Look, where: str) -> Iterator[CheckFinding]:
    record = snapshot.find(known.record_id or "")
    if record is None:
        yield CheckFinding("belongs to no record", where, "lerim memory rebuild --from files")
        return
    try:
        different = differences(record, read_look(snapshot, known, look))
    except MarkdownError as error:
        yield CheckFinding(error.problem, f"{where}:{error.line}", "fix the file")
        return
    if look.record_id != record.id:
        yield CheckFinding(f"names '{look.record_id}', not '{record.id}'", where, "lerim memory rebuild --from files")
    elif different:
        yield CheckFinding(
            f"file and store differ in {', '.join(different)}", where, "lerim memory rebuild --from files"
        )


def _check_folder(folder: MemoryFolder) -> Iterator[CheckFinding]:
    if not folder.exists():
        return
    listing = folder.scan()
    for temp in listing.temps:
        yield CheckFinding("a leftover of an interrupted write", str(folder.absolute(temp)), "lerim status")
    for path, reason in sorted(listing.strays.items()):
        yield CheckFinding(reason, str(folder.absolute(path)), f"move or remove {path}")
