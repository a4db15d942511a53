"""The Markdown face of one project's memory, both ways: records become files, and files people changed become versions.

The store leads. A record and the intent to write its file are committed together, with the new file already lying
beside its place; then it is put there. A crash in between is finished by the next command. Both halves hold the
database's write lock, so two processes never write one file at a time.
"""

from __future__ import annotations

import os
import time
from functools import cached_property

from lerim.context.face.edits import EditIntake, Look, Reconciled, bad_links, look_at, read_look
from lerim.context.face.folder import FileState, Listing, MemoryFolder, folder_for, path_for, temp_path, temp_tag
from lerim.context.face.known_files import KnownFile, KnownFiles, NowNs, Pending, Problem, digest_of, tag
from lerim.context.face.markdown import Document, parse, render
from lerim.context.progress import Progress, silent, told
from lerim.context.records import Record
from lerim.context.store import Change, ContextStore, Snapshot, Touched
from lerim.errors import Conflict, FileDelayed, FileNotWritten, MarkdownError
from lerim.storage.database import Transaction

# Above this many files at once, one flush of everything is cheaper than one per file.
SYNC_EACH = 64


class MarkdownFace:
    """The files of one project. `now_ns` is the clock that file times are held against."""

    def __init__(
        self, store: ContextStore, folder: MemoryFolder, now_ns: NowNs = time.time_ns, progress: Progress = silent
    ) -> None:
        self.store = store
        self.folder = folder
        self._now_ns = now_ns
        self._progress = progress

    def take_in(self) -> Reconciled:
        """Make the store agree with the files, and finish what a crash left. Unchanged files cost a `stat`."""
        if not self.folder.exists():
            return self._replace_folder()
        listing = self.folder.scan()
        changed, gone, unfinished = self._compare(listing)
        done = self._reconcile(listing, changed) if changed or gone else Reconciled()
        if unfinished or listing.temps or changed:
            done.problems += self._finish(listing)
        with self.store.database.read() as tx:
            done.problems += self._ledger(tx).problems()
        done.problems += [Problem(path, 1, reason) for path, reason in sorted(listing.strays.items())]
        return done

    def prepare(self, change: Change) -> None:
        """Lay the files of all touched records beside their places, inside the change's transaction.

        Raises FileNotWritten or Conflict: the change is rolled back then, and nothing has happened.
        """
        sync = len(change.touched) <= SYNC_EACH
        ledger = self._ledger(change.tx)
        names = _FreeNames(self.folder, ledger)
        files = ledger.files_of([touched.seq for touched in change.touched.values()])
        intents: list[tuple[int, str | None, str]] = []
        temps: list[str] = []
        try:
            for touched in told(list(change.touched.values()), "writing files", self._progress):
                path, data = self._file_for(names, files.get(touched.seq), touched)
                intents.append((touched.seq, path, digest_of(data)))
                if path is not None:
                    version = tag(touched.record.id, touched.record.version)
                    temps.append(self.folder.prepare(path, data, version, sync=sync))
            ledger.intend(intents)
            if temps and not sync and hasattr(os, "sync"):
                os.sync()
        except BaseException:
            for temp in temps:
                self.folder.remove(temp)
            raise

    def publish(self) -> None:
        """Put every prepared file in its place. What a person changed meanwhile stays for the next `take_in`.

        Raises FileDelayed when a file cannot be put there; the next command tries again.
        """
        with self.store.database.read() as tx:
            if not self._ledger(tx).pending():
                return
        try:
            with self.store.database.write() as tx:
                self._publish(tx, self._ledger(tx))
        except FileNotWritten as error:
            raise FileDelayed(
                error.message.replace("; nothing was changed", "; kept in the store"), hint=error.hint
            ) from error

    def rewrite(self) -> int:
        """Write every record's file from the store. A file that could not be read is kept beside it as `.bak`."""
        with self.store.change("lerim", "files written again from the store") as change:
            change.touched = {touched.record.id: touched for touched in change.filed()}
            ledger = self._ledger(change.tx)
            for known in ledger.known().values():
                if known.problem is not None:
                    self.folder.set_aside(known.path)
                    ledger.forget(known.path)
            self.prepare(change)
        self.publish()
        return len(change.touched)

    def verify(self, snapshot: Snapshot, record: Record, data: bytes) -> None:
        """Raise MarkdownError with the line when `data` could not be this record's file."""
        known = self._ledger(snapshot.tx).file_of(snapshot.row_of(record.id)[0])
        look = Look(known.path if known else "", (0, 0, 0), "", parse(data))
        if look.record_id != record.id:
            raise MarkdownError(f"the id must stay '{record.id}'", line=look.line_of("id"))
        said = read_look(snapshot, known, look)
        for problem in bad_links(snapshot, {look.path: said}).values():
            raise MarkdownError(problem, line=look.line_of("superseded_by"))

    def replace_text(self, record: Record, before: bytes, after: bytes) -> None:
        """Write a person's text into a record's file, if it still is what they started from. Raises Conflict."""
        with self.store.database.write() as tx:
            known = self._ledger(tx).file_of(
                Snapshot(tx, self.store.project_id, self.store.clock()).row_of(record.id)[0]
            )
            if known is None or self.folder.read(known.path) != before:
                raise Conflict(f"the file of '{record.id}' changed meanwhile", hint=f"lerim memory show {record.id}")
            temp = self.folder.prepare(known.path, after, tag(record.id, record.version))
            self.folder.publish(temp, known.path, replaces=True)

    def forget_states(self) -> None:
        """Have the next `take_in` read every file again."""
        with self.store.database.write() as tx:
            self._ledger(tx).forget_states()

    def _ledger(self, tx: Transaction) -> KnownFiles:
        return KnownFiles(tx, self.store.project_id, self._now_ns)

    # Files to store

    def _compare(self, listing: Listing) -> tuple[list[str], bool, bool]:
        """The files that look different from last time, whether any is gone, and whether any is still to be written."""
        with self.store.database.read() as tx:
            ledger = self._ledger(tx)
            settled = ledger.settled()
            changed = [path for path, state in listing.files.items() if settled.get(path) != state]
            # As many known as there are, and each of them as it was: then none can be missing.
            complete = not changed and ledger.count() == len(listing.files)
            gone = not complete and any(path not in listing.files for path in ledger.paths())
            return changed, gone, bool(ledger.pending())

    def _reconcile(self, listing: Listing, changed: list[str]) -> Reconciled:
        with self.store.database.read() as tx:
            known = self._ledger(tx).known()
        paths = told(sorted(changed), "reading files", self._progress)
        looks = [look for path in paths if (look := look_at(self.folder, path, known.get(path)))]
        with self.store.change("person", "memory files changed on disk") as change:
            intake = EditIntake(change, self._ledger(change.tx), self.folder)
            intake.take(looks)
            intake.forget_gone(listing.files)
            # Only these need writing: the other files are what the person made them.
            change.touched = {record_id: Touched(*change.row_of(record_id)) for record_id in intake.unsettled}
            self.prepare(change)
        return intake.done

    def _finish(self, listing: Listing) -> list[Problem]:
        try:
            self.publish()
        except FileDelayed as error:
            return [Problem("", 1, error.message)]
        if listing.temps:
            self._sweep(listing.temps)
        return []

    def _replace_folder(self) -> Reconciled:
        """`git clean` and a careless `rm` take whole folders. That says nothing about any memory: write it again."""
        done = Reconciled()
        with self.store.database.read() as tx:
            known, pending = self._ledger(tx).known(), self._ledger(tx).pending()
        # Without the folder around it, the project itself has moved or gone, and it is not ours to bring back.
        if (known or pending) and self.folder.root.parent.parent.is_dir():
            done.rewritten = self.rewrite()
        return done

    def _sweep(self, temps: list[str]) -> None:
        """Remove what a crash left. Whoever prepares a file holds the write lock, so under it these are nobody's."""
        with self.store.database.write() as tx:
            intended = {pending.tag for pending in self._ledger(tx).pending()}
            for temp in temps:
                if temp_tag(temp) not in intended:
                    self.folder.remove(temp)

    # Store to files

    def _file_for(self, names: _FreeNames, known: KnownFile | None, touched: Touched) -> tuple[str | None, bytes]:
        """Where a record's file belongs and what it says; no path when it shall have none."""
        if known is not None and known.problem is not None:
            place = f"{self.folder.absolute(known.path)}:{known.line}"
            raise Conflict(
                f"{place}: {known.problem}; '{touched.record.id}' was not changed",
                hint="fix the file, or take the store's word for it: lerim memory rebuild --from store",
            )
        if not touched.filed:
            return None, b""
        return names.for_record(touched.record, touched.seq, known), render(touched.record, self._document(known))

    def _document(self, known: KnownFile | None) -> Document | None:
        """The file about to be written over, for what a person put into it. None when there is nothing to keep."""
        if known is None:
            return None
        try:
            return parse(self.folder.read(known.path))
        except (OSError, MarkdownError):
            return None

    def _publish(self, tx: Transaction, ledger: KnownFiles) -> None:
        waiting = ledger.pending()
        files = ledger.files_of([pending.seq for pending in waiting])
        names = _FreeNames(self.folder, ledger)
        first: list[tuple[str, FileState, str, int]] = []
        for pending in waiting:
            known = files.get(pending.seq)
            if known is None and pending.path is not None:
                first.append(self._put(tx, names, None, pending))
            elif known is not None and self._is_ours(known, pending):
                self._replace(tx, ledger, names, known, pending)
        ledger.keep_new(first)
        ledger.settle_all()

    def _replace(
        self, tx: Transaction, ledger: KnownFiles, names: _FreeNames, known: KnownFile, pending: Pending
    ) -> None:
        path = None
        if pending.path is not None:
            path, state, digest, seq = self._put(tx, names, known, pending)
            ledger.keep(path, state, digest, seq, (None, None))
        if known.path != path:
            self.folder.remove(known.path)
            ledger.forget(known.path)

    def _is_ours(self, known: KnownFile, pending: Pending) -> bool:
        """Whether the file still is what the store saw last, or already what it should become, or gone."""
        if known.problem is not None:
            # What the store saw last is a person's half-done edit: its bytes are known, but they are not ours.
            return False
        try:
            return digest_of(self.folder.read(known.path)) in {known.digest, pending.digest}
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _put(
        self, tx: Transaction, names: _FreeNames, known: KnownFile | None, pending: Pending
    ) -> tuple[str, FileState, str, int]:
        """Put one file in its place; where that was, how it looks there, what it holds, and whose it is."""
        assert pending.path is not None
        path, digest = pending.path, pending.digest
        replaces = known is not None and known.path == path
        temp = temp_path(path, pending.tag)
        # Putting a file in its place changes neither its time nor its size nor its inode.
        state = self.folder.state(temp)
        if state is None and not self._is_there(path, digest):
            data = render(self._record(tx, pending), self._document(known))
            digest = digest_of(data)
            self.folder.prepare(path, data, pending.tag)
            state = self.folder.state(temp)
        while state is not None and not self.folder.publish(temp, path, replaces=replaces):
            if self._is_there(path, digest):
                self.folder.remove(temp)
                state = None
                break
            # A person's new file took the name between the two halves: theirs stays.
            path = names.for_record(self._record(tx, pending), pending.seq, None)
        state = state or self.folder.state(path)
        assert state is not None
        return path, state, digest, pending.seq

    def _record(self, tx: Transaction, pending: Pending) -> Record:
        return Snapshot(tx, self.store.project_id, self.store.clock()).by_seq(pending.seq)

    def _is_there(self, path: str, digest: str) -> bool:
        try:
            return digest_of(self.folder.read(path)) == digest
        except OSError:
            return False


class _FreeNames:
    """Hands out file names that nobody has, on disk or in the store."""

    def __init__(self, folder: MemoryFolder, ledger: KnownFiles) -> None:
        self._folder = folder
        self._ledger = ledger

    def for_record(self, record: Record, seq: int, known: KnownFile | None) -> str:
        """Where it stands already, unless its status moves it. A new title keeps the old name: links stay good."""
        if known is not None and known.path.rpartition("/")[0] == folder_for(record):
            return known.path
        path = path_for(record, lambda path: self._taken.get(path, seq) != seq or self._folder.state(path) is not None)
        self._taken[path] = seq
        return path

    @cached_property
    def _taken(self) -> dict[str, int]:
        return self._ledger.taken()
