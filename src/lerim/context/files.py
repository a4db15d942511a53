"""The Markdown face of one project's memory, both ways: records become files, and files people changed become versions.

The store leads. A record and the intent to write its file are committed together, with the new file already lying
beside its place; then it is put there. A crash in between is finished by the next command. Both halves hold the
database's write lock, so two processes never write one file at a time.
"""

from __future__ import annotations

import os
import time

from lerim.context.folder import Listing, MemoryFolder, folder_for, path_for, temp_path, temp_tag
from lerim.context.intake import Intake, Look, Reconciled, bad_links, look_at, read_look
from lerim.context.ledger import KnownFile, Ledger, NowNs, Pending, Problem, digest_of, tag
from lerim.context.markdown import Document, parse, render
from lerim.context.records import Record
from lerim.context.store import Change, ContextStore, Snapshot, Touched
from lerim.errors import Conflict, FileDelayed, FileNotWritten, MarkdownError
from lerim.storage.database import Transaction

# Above this many files at once, one flush of everything is cheaper than one per file.
SYNC_EACH = 64


class MarkdownFace:
    """The files of one project. `now_ns` is the clock that file times are held against."""

    def __init__(self, store: ContextStore, folder: MemoryFolder, now_ns: NowNs = time.time_ns) -> None:
        self.store = store
        self.folder = folder
        self._now_ns = now_ns

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
        temps: list[str] = []
        try:
            for touched in change.touched.values():
                if temp := self._prepare(ledger, touched, sync=sync):
                    temps.append(temp)
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
                ledger = self._ledger(tx)
                for pending in ledger.pending():
                    self._publish(tx, ledger, pending)
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

    def _ledger(self, tx: Transaction) -> Ledger:
        return Ledger(tx, self.store.project_id, self._now_ns)

    # Files to store

    def _compare(self, listing: Listing) -> tuple[list[str], bool, bool]:
        """The files that look different from last time, whether any is gone, and whether any is still to be written."""
        with self.store.database.read() as tx:
            ledger = self._ledger(tx)
            settled = ledger.settled()
            changed = [path for path, state in listing.files.items() if settled.get(path) != state]
            gone = any(path not in listing.files for path in ledger.paths())
            return changed, gone, bool(ledger.pending())

    def _reconcile(self, listing: Listing, changed: list[str]) -> Reconciled:
        with self.store.database.read() as tx:
            known = self._ledger(tx).known()
        looks = [look for path in sorted(changed) if (look := look_at(self.folder, path, known.get(path)))]
        with self.store.change("person", "memory files changed on disk") as change:
            intake = Intake(change, self._ledger(change.tx), self.folder)
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

    def _prepare(self, ledger: Ledger, touched: Touched, *, sync: bool) -> str | None:
        known = ledger.file_of(touched.seq)
        if known is not None and known.problem is not None:
            place = f"{self.folder.absolute(known.path)}:{known.line}"
            raise Conflict(
                f"{place}: {known.problem}; '{touched.record.id}' was not changed",
                hint="fix the file, or take the store's word for it: lerim memory rebuild --from store",
            )
        if not touched.filed:
            ledger.intend(touched.seq, None, "")
            return None
        record = touched.record
        path = self._path_for(ledger, known, touched.seq, record)
        data = render(record, self._document(known))
        ledger.intend(touched.seq, path, digest_of(data))
        return self.folder.prepare(path, data, tag(record.id, record.version), sync=sync)

    def _path_for(self, ledger: Ledger, known: KnownFile | None, seq: int, record: Record) -> str:
        """Where it stands already, unless its status moves it. A new title keeps the old name: links stay good."""
        if known is not None and known.path.rpartition("/")[0] == folder_for(record):
            return known.path
        return path_for(record, lambda path: self.folder.state(path) is not None or ledger.is_taken(path, seq))

    def _document(self, known: KnownFile | None) -> Document | None:
        """The file about to be written over, for what a person put into it. None when there is nothing to keep."""
        if known is None:
            return None
        try:
            return parse(self.folder.read(known.path))
        except (OSError, MarkdownError):
            return None

    def _publish(self, tx: Transaction, ledger: Ledger, pending: Pending) -> None:
        known = ledger.file_of(pending.seq)
        if known is None or self._is_ours(known, pending):
            path = self._put(tx, ledger, known, pending) if pending.path is not None else None
            if known is not None and known.path != path:
                self.folder.remove(known.path)
                ledger.forget(known.path)
        ledger.settle(pending.seq)

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

    def _put(self, tx: Transaction, ledger: Ledger, known: KnownFile | None, pending: Pending) -> str:
        assert pending.path is not None
        path, digest = pending.path, pending.digest
        replaces = known is not None and known.path == path
        temp = temp_path(path, pending.tag)
        waits = self.folder.state(temp) is not None
        if not waits and not self._is_there(path, digest):
            data = render(self._record(tx, pending), self._document(known))
            digest = digest_of(data)
            self.folder.prepare(path, data, pending.tag)
            waits = True
        while waits and not self.folder.publish(temp, path, replaces=replaces):
            if self._is_there(path, digest):
                self.folder.remove(temp)
                break
            # A person's new file took the name between the two halves: theirs stays.
            path = self._path_for(ledger, None, pending.seq, self._record(tx, pending))
        state = self.folder.state(path)
        assert state is not None
        ledger.keep(path, state, digest, pending.seq, (None, None))
        return path

    def _record(self, tx: Transaction, pending: Pending) -> Record:
        return Snapshot(tx, self.store.project_id, self.store.clock()).by_seq(pending.seq)

    def _is_there(self, path: str, digest: str) -> bool:
        try:
            return digest_of(self.folder.read(path)) == digest
        except OSError:
            return False
