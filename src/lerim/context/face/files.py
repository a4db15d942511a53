"""The Markdown face of one project's memory, both ways: records become files, and files people changed become versions.

The store leads. A change lays its new files beside their places before it is committed; then they are put there. What a
crash leaves is found by itself: this machine notes which version of its record each file says, and a record of another
version has its file still to be written. Both halves hold the store's write lock, so two processes never write one file
at a time; the machine's own notes are committed after the store, so that they never claim what did not happen.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from lerim.context.face.edits import EditIntake, Look, Reconciled, bad_links, look_at, read_look, says
from lerim.context.face.folder import FoundFile, Listing, MemoryFolder, folder_for, path_for
from lerim.context.face.known_files import KnownFile, KnownFiles, NowNs, Problem, SeenFile, digest_of, tag
from lerim.context.face.markdown import Document, parse, render
from lerim.context.feed import START, Feed, Followed
from lerim.context.progress import Progress, silent, with_progress
from lerim.context.records import Record, RecordId
from lerim.context.store import Change, ContextStore, FileImage, Snapshot, Touched
from lerim.dataclass import dataclass, field
from lerim.errors import Conflict, FileDelayed, FileNotWritten, MarkdownError
from lerim.storage.database import Database, Transaction

# Above this many files at once, one flush of everything is cheaper than one per file.
SYNC_EACH = 64
# So many files are looked up one by one; of more, the whole list is read.
_FEW_FILES = 100
#: Who speaks through the files of a project that is not trusted; and why records follow files.
REPOSITORY = "repository"
FILES_CHANGED = "memory files changed on disk"
FILES_CAME = "memory files came with a repository that is not trusted"


@dataclass(frozen=True)
class PreparedFile:
    """A file that lies beside its place; without a path, one that is to be taken away."""

    record: Record
    path: str | None
    digest: str = ""
    temp: str = ""


#: What a change laid ready, by record.
Prepared = Mapping[RecordId, PreparedFile]
#: A record's version, and whether it shall have a file.
Standing = tuple[int, bool]


@dataclass(frozen=True)
class _Difference:
    """How folder, notes and store stand to each other when a command begins."""

    #: Files that look different from last time, and files that are not there any more.
    changed: list[str]
    gone: list[str]
    #: Whether any is still to be written.
    behind: bool
    #: Whether this machine has no notes on the project yet, or notes on another store.
    first: bool
    #: Groups of files that were looked up one by one, and each found as noted: the next time, that can be told at once.
    settled: Mapping[int, Sequence[FoundFile]] = field(default_factory=dict)


class MarkdownFace:
    """The files of one project on this machine. `now_ns` is the clock that file times are held against."""

    def __init__(
        self,
        store: ContextStore,
        local: Database,
        folder: MemoryFolder,
        now_ns: NowNs = time.time_ns,
        progress: Progress = silent,
        is_trusted: Callable[[], bool] = lambda: True,
    ) -> None:
        """`is_trusted` says whether what files say is the user's own word."""
        self.store = store
        self.local = local
        self.folder = folder
        self._now_ns = now_ns
        self._progress = progress
        self._is_trusted = is_trusted

    def take_in(self, typed: RecordId | None = None) -> Reconciled:
        """Make the store agree with the files, and finish what a crash left. Unchanged files cost a `stat`.

        `typed` is the record whose file the user just changed through Lerim: that is their word in any project.
        """
        if not self.folder.exists():
            return self._replace_folder()
        listing = self.folder.scan()
        found = self._compare(listing)
        done = self._reconcile(found, typed) if found.changed or found.gone or found.first else Reconciled()
        if found.behind or listing.temps or found.changed:
            done.problems += self._finish(listing, everything=found.first)
        if found.settled:
            with self.local.write() as local:
                self._known_files(local).keep_unchanged(found.settled)
        with self.local.read() as local:
            done.problems += self._known_files(local).problems()
        done.problems += [Problem(path, 1, reason) for path, reason in sorted(listing.strays.items())]
        return done

    def prepare(self, change: Change) -> Prepared:
        """Lay the files of all touched records beside their places, inside the change's transaction.

        Raises FileNotWritten or Conflict: the change is rolled back then, and nothing has happened.
        """
        sync = len(change.touched) <= SYNC_EACH
        prepared: dict[RecordId, PreparedFile] = {}
        try:
            with self.local.read() as local, self.folder.entering_once():
                ledger = self._known_files(local)
                names = self._free_names(change, ledger)
                files = ledger.files_of(list(change.touched))
                names.expect(touched.record for touched in change.touched.values() if touched.record.id not in files)
                for touched in with_progress(list(change.touched.values()), "writing files", self._progress):
                    known, image = files.get(touched.record.id), change.images.get(touched.record.id)
                    if change.is_of_a_run and known is not None:
                        self._keep_image(change, known, touched.record.id)
                    prepared[touched.record.id] = self._prepare(names, known, touched, image, sync=sync)
            if prepared and not sync and hasattr(os, "sync"):
                os.sync()
        except BaseException:
            self._drop(prepared.values())
            raise
        return prepared

    def publish(self, prepared: Prepared | None = None) -> None:
        """Put the prepared files in their places, and write whatever else is behind the store. What a person changed
        meanwhile stays for the next `take_in`.

        Raises FileDelayed when a file cannot be put there; the next command tries again.
        """
        if prepared or self._is_behind():
            self._publish(prepared or {})

    def rewrite(self) -> int:
        """Write every record's file from the store. A file that could not be read is kept beside it as `.bak`."""
        with self._writing() as (snapshot, local):
            count, ledger = len(snapshot.filed()), self._known_files(local)
            unreadable = [known.path for known in ledger.known().values() if known.problem is not None]
            # First the note that they are to be written: a crash must not make a deleted file of one set aside.
            ledger.unwrite()
        for path in unreadable:
            self.folder.set_aside(path)
        self._publish({}, everything=True)
        return count

    def verify(self, snapshot: Snapshot, record: Record, data: bytes) -> None:
        """Raise MarkdownError with the line when `data` could not be this record's file."""
        known = self.file_of(record.id)
        look = Look(known.path if known else "", (0, 0, 0), "", parse(data))
        if look.record_id != record.id:
            raise MarkdownError(f"the id must stay '{record.id}'", line=look.line_of("id"))
        edited = read_look(snapshot, known, look)
        for problem in bad_links(snapshot, {look.path: edited}).values():
            raise MarkdownError(problem, line=look.line_of("superseded_by"))

    def replace_text(self, record: Record, before: bytes, after: bytes) -> None:
        """Write a person's text into a record's file, if it still is what they started from. Raises Conflict."""
        with self.store.database.write(self.store.project_id):
            known = self.file_of(record.id)
            if known is None or self.folder.read(known.path) != before:
                raise Conflict(f"the file of '{record.id}' changed meanwhile", hint=f"lerim memory show {record.id}")
            temp = self.folder.prepare(known.path, after, tag(record.id, record.version))
            self.folder.publish(temp, known.path, replaces=True)
            self.folder.sync_names()

    def forget_states(self) -> None:
        """Have the next `take_in` read every file again."""
        with self.local.write() as local:
            self._known_files(local).forget_states()

    def forget(self) -> None:
        """Forget what this machine knows of the files, as when there are none any more."""
        with self.local.write() as local:
            self._known_files(local).forget_all()
            self._followed(local).forget()

    def file_of(self, record_id: RecordId) -> KnownFile | None:
        """A record's file as it looked last."""
        with self.local.read() as local:
            return self._known_files(local).file_of(record_id)

    def known(self) -> dict[str, KnownFile]:
        """Every file as it looked last, by path."""
        with self.local.read() as local:
            return self._known_files(local).known()

    def file_at(self, path: str) -> KnownFile | None:
        """The file at a path within the folder, as it looked last."""
        with self.local.read() as local:
            return self._known_files(local).file_at(path)

    def problems(self) -> list[Problem]:
        """The files that could not be read, and why."""
        with self.local.read() as local:
            return self._known_files(local).problems()

    def unfinished(self, snapshot: Snapshot) -> list[RecordId]:
        """The records whose file is still to be written or taken away."""
        with self.local.read() as local:
            return sorted(self._behind(snapshot, local))

    def _known_files(self, local: Transaction) -> KnownFiles:
        return KnownFiles(local, self.store.project_id, self._now_ns)

    def _followed(self, local: Transaction) -> Followed:
        return Followed(local, self.store.project_id, "files")

    def _feed(self, snapshot: Snapshot) -> Feed:
        return Feed(snapshot.tx, self.store.project_id)

    @contextmanager
    def _writing(self) -> Iterator[tuple[Snapshot, Transaction]]:
        """The store's write lock, then the local one: in this order everywhere, so that nobody waits in a circle."""
        with self.store.database.write(self.store.project_id) as tx, self.local.write() as local:
            yield Snapshot(tx, self.store.project_id, self.store.clock()), local

    # Files to store

    def _compare(self, listing: Listing) -> _Difference:
        # The notes first: what the store has more by then is only behind, and found so.
        with self.local.read() as local, self.store.read() as snapshot:
            ledger, feed = self._known_files(local), self._feed(snapshot)
            position = self._followed(local).position(feed)
            if position is None:
                return _Difference(list(listing.files), [], behind=True, first=True)
            same = ledger.unchanged(listing.groups)
            looked_up = {number: group for number, group in enumerate(listing.groups) if number not in same}
            found, known = {file for group in looked_up.values() for file in group}, ledger.states(besides=same)
            changed = [file[0] for file in found - known]
            gone = {file[0] for file in known - found}.difference(changed)
            behind = bool(ledger.unwritten() or feed.since(position, 1))
            settled = {number: group for number, group in looked_up.items() if group and known.issuperset(group)}
            return _Difference(changed, sorted(gone), behind, first=False, settled=settled)

    def _reconcile(self, found: _Difference, typed: RecordId | None) -> Reconciled:
        known = {} if found.first else self._known_at(found.changed)
        paths = with_progress(sorted(found.changed), "reading files", self._progress)
        with self.folder.entering_once():
            looks = [look for path in paths if (look := look_at(self.folder, path, known.get(path)))]
        if not (found.first or found.gone) and self._are_as_before(looks, len(found.changed)):
            return Reconciled()
        # The notes are committed after the store: killed in between, the next command looks again and finds the same.
        hearsay = not self._is_trusted()
        said = (REPOSITORY, FILES_CAME) if hearsay and typed is None else ("person", FILES_CHANGED)
        with ExitStack() as afterwards, self.store.change(*said) as change:
            local = afterwards.enter_context(self.local.write())
            ledger = self._known_files(local)
            first = self._followed(local).position(self._feed(change)) is None
            if first:
                ledger.forget_all()
            intake = EditIntake(change, ledger, self.folder, first=first, hearsay=hearsay, typed=typed)
            intake.take(looks)
            intake.forget_gone(found.gone, self._behind(change, local))
        return intake.done

    def _known_at(self, paths: list[str]) -> dict[str, KnownFile]:
        with self.local.read() as local:
            ledger = self._known_files(local)
            return ledger.files_at(paths) if len(paths) <= _FEW_FILES else ledger.known()

    def _are_as_before(self, looks: list[Look], changed: int) -> bool:
        """Whether all these files hold the bytes they held, as files just written do; then only their states are noted.

        Under the write lock, as everything that is noted: another process may have written since the look.
        """
        if len(looks) < changed or changed > _FEW_FILES or any(look.document or look.problem for look in looks):
            return False
        with self._writing() as (_, local):
            ledger = self._known_files(local)
            known = ledger.files_at([look.path for look in looks])
            for look in looks:
                file = known.get(look.path)
                if file is None or file.digest != look.digest or self.folder.state(look.path) != look.state:
                    return False
            ledger.keep_new(
                SeenFile(look.path, look.state, look.digest, known[look.path].record_id, known[look.path].version)
                for look in looks
            )
        return True

    def is_as_noted(self, record_ids: Iterable[RecordId]) -> bool:
        """Whether the files of some records are as they were when last looked at: they look so, and were old enough to
        trust, or say the same still. Where the whole folder is gone, nothing is."""
        if not self.folder.exists():
            return False
        with self.local.read() as local:
            ledger = self._known_files(local)
            return all(self._is_as_noted(ledger, known) for known in ledger.files_of(list(record_ids)).values())

    def _is_as_noted(self, ledger: KnownFiles, known: KnownFile) -> bool:
        state = self.folder.state(known.path)
        return state == ledger.state(known.path) or (state is not None and self._is_ours(known))

    def _finish(self, listing: Listing, *, everything: bool) -> list[Problem]:
        try:
            if everything:
                self._publish({}, everything=True)
            else:
                self.publish()
        except FileDelayed as error:
            return [Problem("", 1, error.message)]
        if listing.temps:
            self._sweep(listing.temps)
        return []

    def _replace_folder(self) -> Reconciled:
        """`git clean` and a careless `rm` take whole folders. That says nothing about any memory: write it again."""
        done = Reconciled()
        # Without the folder around it, the project itself has moved or gone, and it is not ours to bring back.
        if self.folder.root.parent.parent.is_dir():
            with self.local.read() as local, self.store.read() as snapshot:
                has_filed = snapshot.has_filed()
                is_first = self._followed(local).position(self._feed(snapshot)) is None
            done.rewritten = self.rewrite() if has_filed else 0
            done.is_first = is_first and done.rewritten > 0
        return done

    def _sweep(self, temps: list[str]) -> None:
        """Remove what a crash left. Whoever puts files in place holds the write lock, and makes missing ones again."""
        with self.store.database.write(self.store.project_id):
            for temp in temps:
                self.folder.remove(temp)

    # Store to files

    def _is_behind(self) -> bool:
        with self.local.read() as local, self.store.read() as snapshot:
            feed = self._feed(snapshot)
            position = self._followed(local).position(feed)
            return position is None or bool(self._known_files(local).unwritten() or feed.since(position, 1))

    def _behind(self, snapshot: Snapshot, local: Transaction) -> dict[RecordId, Standing]:
        """The records whose file does not say what the store says, as far as this machine has followed it."""
        position = self._followed(local).position(self._feed(snapshot))
        if position is None:
            return {}
        ledger = self._known_files(local)
        standings = self._standings(self._feed(snapshot).records(position, "r.id, r.version, r.filed"))
        for record_id in ledger.unwritten() - standings.keys():
            standings[record_id] = snapshot.standing(record_id)
        files = ledger.files_of(list(standings))
        return {one: standing for one, standing in standings.items() if _differs(files.get(one), standing)}

    def _standings(self, rows: Iterable[tuple[RecordId, int, int]]) -> dict[RecordId, Standing]:
        return {record_id: (version, bool(filed)) for record_id, version, filed in rows}

    def _keep_image(self, change: Change, known: KnownFile, record_id: RecordId) -> None:
        """Keep a file as it is, if it is what was seen last: only then does it say what the record says."""
        try:
            data = self.folder.read(known.path)
        except OSError:
            return
        if known.problem is None and digest_of(data) == known.digest:
            change.keep_image(record_id, FileImage(known.path, data))

    def _prepare(
        self, names: _FreeNames, known: KnownFile | None, touched: Touched, image: FileImage | None, *, sync: bool
    ) -> PreparedFile:
        """Lay one record's file beside where it belongs, as it was before if that is known."""
        record = touched.record
        if known is not None and known.problem is not None:
            place = f"{self.folder.absolute(known.path)}:{known.line}"
            raise Conflict(
                f"{place}: {known.problem}; '{record.id}' was not changed",
                hint="fix the file, or take the store's word for it: lerim memory rebuild --from store",
            )
        if not touched.filed:
            return PreparedFile(record, None)
        if image is not None and names.is_free(image.path, record):
            temp = self.folder.prepare(image.path, image.data, tag(record.id, record.version), sync=sync)
            return PreparedFile(record, image.path, digest_of(image.data), temp)
        return self._lay(record, names.for_record(record, known), known, sync=sync)

    def _lay(self, record: Record, path: str, known: KnownFile | None, *, sync: bool = True) -> PreparedFile:
        data = render(record, self._document(known))
        temp = self.folder.prepare(path, data, tag(record.id, record.version), sync=sync)
        return PreparedFile(record, path, digest_of(data), temp)

    def _document(self, known: KnownFile | None) -> Document | None:
        """The file about to be written over, for what a person put into it. None when there is nothing to keep."""
        if known is None:
            return None
        try:
            return parse(self.folder.read(known.path))
        except (OSError, MarkdownError):
            return None

    def _publish(self, prepared: Prepared, *, everything: bool = False) -> None:
        try:
            with self._writing() as (snapshot, local), self.folder.entering_once():
                self._put_all(snapshot, local, prepared, everything=everything)
        except FileNotWritten as error:
            raise FileDelayed(
                error.message.replace("; nothing was changed", "; kept in the store"), hint=error.hint
            ) from error

    def _put_all(self, snapshot: Snapshot, local: Transaction, prepared: Prepared, *, everything: bool) -> None:
        ledger, feed = self._known_files(local), self._feed(snapshot)
        known_so_far = everything or self._begin(feed, local, prepared)
        standings = self._wanted(snapshot, local, prepared, everything=everything)
        files = ledger.files_of(list(standings))
        names = self._free_names(snapshot, ledger)
        first: list[SeenFile] = []
        for record_id, standing in standings.items():
            known, ready = files.get(record_id), prepared.get(record_id)
            if ready is None or ready.record.version != standing[0]:
                ready = PreparedFile(snapshot.fetch(record_id), None)
            if known is None and standing[1]:
                first.append(self._put(names, None, ready))
            elif known is not None and _differs(known, standing) and self._is_ours(known):
                self._replace(ledger, names, known, ready, filed=standing[1])
        ledger.keep_new(first)
        # Before the notes say that the files are there.
        self.folder.sync_names()
        if known_so_far:
            self._followed(local).advance(feed.store(), feed.newest())

    def _begin(self, feed: Feed, local: Transaction, prepared: Prepared) -> bool:
        """Whether this machine follows the project: also from its very first change on."""
        if self._followed(local).position(feed) is not None:
            return True
        if any(row[0] not in prepared for row in feed.records(START, "r.id", len(prepared) + 1)):
            return False
        self._known_files(local).forget_all()
        self._followed(local).advance(feed.store(), START)
        return True

    def _wanted(
        self, snapshot: Snapshot, local: Transaction, prepared: Prepared, *, everything: bool
    ) -> dict[RecordId, Standing]:
        """The records whose files are to be looked at."""
        if everything:
            return {touched.record.id: (touched.record.version, True) for touched in snapshot.filed()}
        if self._followed(local).position(self._feed(snapshot)) is None:
            # Nobody has looked at the files here yet: only what was just written is ours to write.
            return {record_id: snapshot.standing(record_id) for record_id in prepared}
        return self._behind(snapshot, local)

    def _replace(
        self, ledger: KnownFiles, names: _FreeNames, known: KnownFile, ready: PreparedFile, *, filed: bool
    ) -> None:
        path = None
        if filed:
            seen = self._put(names, known, ready)
            path = seen.path
            ledger.keep(seen)
        if known.path != path:
            self.folder.remove(known.path)
            ledger.forget(known.path)

    def _is_ours(self, known: KnownFile) -> bool:
        """Whether the file still is what was seen last, or gone."""
        if known.problem is not None:
            # What was seen last is a person's half-done edit: its bytes are known, but they are not ours.
            return False
        try:
            return digest_of(self.folder.read(known.path)) == known.digest
        except FileNotFoundError:
            return True
        except OSError:
            return False

    def _put(self, names: _FreeNames, known: KnownFile | None, ready: PreparedFile) -> SeenFile:
        """Put one file in its place, made again if it is not ready; where that was, and how it looks there."""
        record = ready.record
        path = ready.path or names.for_record(record, known)
        # Putting a file in its place changes neither its time nor its size nor its inode.
        state = self.folder.state(ready.temp) if ready.temp else None
        if state is None:
            ready = self._lay(record, path, known)
            state = self.folder.state(ready.temp)
        assert state is not None
        replaces = known is not None and known.path == path
        while not self.folder.publish(ready.temp, path, replaces=replaces):
            # A crash between the two halves may have put it there already. A person's new file stays.
            replaces = names.is_own(path, record)
            if not replaces:
                path = names.for_record(record, None)
        return SeenFile(path, state, ready.digest, record.id, record.version)

    def _drop(self, prepared: Iterable[PreparedFile]) -> None:
        for file in prepared:
            if file.temp:
                self.folder.remove(file.temp)

    def _free_names(self, snapshot: Snapshot, ledger: KnownFiles) -> _FreeNames:
        return _FreeNames(self.folder, ledger, lambda path, record: says(snapshot, self.folder, path, record))


class _FreeNames:
    """Hands out file names that nobody has, on disk or in the notes."""

    def __init__(self, folder: MemoryFolder, ledger: KnownFiles, is_own: Callable[[str, Record], bool]) -> None:
        self._folder = folder
        self._ledger = ledger
        #: Whether the file there says what the record says: then it is the record's own.
        self.is_own = is_own
        self._given: dict[str, RecordId] = {}
        self._noted: dict[str, RecordId | None] = {}

    def expect(self, records: Iterable[Record]) -> None:
        """Look up at once whose the names are that new records would get first."""
        paths = [path_for(record, lambda _: False) for record in records]
        known = self._ledger.files_at(paths)
        self._noted = {path: known[path].record_id if path in known else None for path in paths}

    def for_record(self, record: Record, known: KnownFile | None) -> str:
        """Where it stands already, unless its status moves it. A new title keeps the old name: links stay good."""
        if known is not None and known.path.rpartition("/")[0] == folder_for(record):
            return known.path
        path = path_for(record, lambda path: self._is_taken(path, record))
        self._given[path] = record.id
        return path

    def is_free(self, path: str, record: Record) -> bool:
        """Whether a record may have this very name: it is its own, or nobody's."""
        owner = self._owner(path)
        is_free = owner == record.id or (owner is None and self._folder.state(path) is None)
        if is_free:
            self._given[path] = record.id
        return is_free

    def _is_taken(self, path: str, record: Record) -> bool:
        if self._owner(path) not in (None, record.id):
            return True
        if path in self._noted:
            # Of these the disk is asked when they are put there: it refuses a name that somebody has.
            return False
        return self._folder.state(path) is not None and not self.is_own(path, record)

    def _owner(self, path: str) -> RecordId | None:
        """Whose name it is, as far as anybody knows."""
        for names in (self._given, self._noted):
            if path in names:
                return names[path]
        known = self._ledger.file_at(path)
        return known.record_id if known else None


def _differs(known: KnownFile | None, standing: Standing) -> bool:
    """Whether a record's file is not what the store wants it to be: there or not, and its version."""
    version, filed = standing
    return filed if known is None else not filed or known.version != version
