"""Files to store: what people, editors and `git pull` did to memory files becomes versions. Nothing is dropped."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from itertools import count

from lerim.context.face.folder import ID_LINE, MAX_FILE_BYTES, FileState, MemoryFolder, folder_for, place_of
from lerim.context.face.known_files import UNWRITTEN, KnownFile, KnownFiles, Problem, SeenFile, digest_of, tag
from lerim.context.face.markdown import KEYS, Document, parse, read_record
from lerim.context.face.merging import Merged, merge
from lerim.context.records import (
    MAX_BODY_BYTES,
    Evidence,
    Primitive,
    Record,
    RecordId,
    Status,
    Trust,
    clean_title,
    implied_trust,
    new_id,
    time_text,
)
from lerim.context.store import Change, Snapshot
from lerim.dataclass import dataclass, field, replace
from lerim.digests import blake2b
from lerim.errors import InvalidRecord, MarkdownError

NOT_THEIRS = (
    "differs from what you keep, and this project is not trusted: lerim memory rebuild --from store keeps yours,"
    " lerim project trust takes the files' word"
)
# What a file can say about its record. `updated` is not among them: in a file it is the machine's last word, and a
# person's edit happened when we saw it.
_FIELDS_IN_FILES = ({key for keys in KEYS.values() for key in keys} | {"body", "extra"}) - {"id", "updated"}


@dataclass
class Reconciled:
    """What people did to the files since the last command."""

    added: list[Record] = field(default_factory=list)
    edited: list[Record] = field(default_factory=list)
    moved: list[Record] = field(default_factory=list)
    deleted: list[Record] = field(default_factory=list)
    #: How many files were written again from the store because the whole folder was gone.
    rewritten: int = 0
    #: Whether they were never here before, as on a machine that is new to a store.
    is_first: bool = False
    problems: list[Problem] = field(default_factory=list)

    @property
    def changes(self) -> int:
        return len(self.added) + len(self.edited) + len(self.moved) + len(self.deleted)


@dataclass(frozen=True)
class Look:
    """A file as it is now, taken apart, or the reason why it cannot be."""

    path: str
    state: FileState
    digest: str
    document: Document | None = None
    problem: MarkdownError | None = None
    #: What stands after `id:` in a file that cannot be taken apart.
    claimed: RecordId | None = None

    @property
    def record_id(self) -> RecordId | None:
        value = self.document.values.get("id") if self.document else None
        return None if value is None else RecordId(str(value))

    def line_of(self, key: str) -> int:
        return self.document.line_of(key) if self.document else 1


def look_at(folder: MemoryFolder, path: str, known: KnownFile | None = None) -> Look | None:
    """One file as it is now; None when it is gone. What cannot be read is a look with a problem, never an exception.

    A sound file whose bytes are the `known` ones is not taken apart again.
    """
    state = folder.state(path)
    if state is None:
        return None
    if state[1] > MAX_FILE_BYTES:
        problem = MarkdownError(f"{state[1]:,} bytes; a memory has at most {MAX_BODY_BYTES:,}")
        return Look(path, state, f"size {state[1]}", problem=problem)
    try:
        data = folder.read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Look(path, state, "", problem=MarkdownError(f"cannot be read: {error.strerror}"))
    digest = digest_of(data)
    if known is not None and known.digest == digest and known.problem is None:
        return Look(path, state, digest)
    try:
        return Look(path, state, digest, parse(data))
    except MarkdownError as error:
        found = ID_LINE.search(data)
        claimed = RecordId(found[1].decode()) if found else None
        return Look(path, state, digest, problem=error, claimed=claimed)


def look_problem(data: bytes) -> MarkdownError:
    """Why a text cannot be taken apart."""
    try:
        parse(data)
    except MarkdownError as error:
        return error
    return MarkdownError("cannot be read")


class EditIntake:
    """One change made of looks at files, inside its transaction.

    Looks were taken before the write lock; another process may have written since. Under the lock only people change
    files, so what still looks the same is still so, and the rest is left to the next command.
    """

    def __init__(
        self,
        change: Change,
        ledger: KnownFiles,
        folder: MemoryFolder,
        *,
        first: bool = False,
        hearsay: bool = False,
        typed: RecordId | None = None,
    ) -> None:
        self._change = change
        self._ledger = ledger
        self._folder = folder
        #: The files that are looked at, and those of the records they name, as they were known before.
        self._known: dict[str, KnownFile] = {}
        self._filed: dict[RecordId, KnownFile] = {}
        #: Whether this machine looks at the files for the first time: a file may be older than the store.
        self._first = first
        #: Whether the files are a stranger's: what they say is kept as hearsay, and changes nothing of the user's own.
        self._hearsay = hearsay
        #: The record whose file the user changed through Lerim.
        self._typed = typed
        self.done = Reconciled()
        self._refused: list[tuple[Look, MarkdownError]] = []

    def take(self, looks: list[Look]) -> None:
        """Take in the changed files."""
        self._known = self._ledger.files_at([look.path for look in looks])
        self._filed = self._ledger.files_of([look.record_id for look in looks if look.record_id is not None])
        current = [look for look in looks if self._folder.state(look.path) == look.state]
        self._note_same(current)
        # A look that was not taken apart is known by its bytes; if the store moved on meanwhile, it says nothing.
        fresh = [look for look in current if not self._is_same(look) and (look.document or look.problem)]
        speaking = self._without_copies(fresh)
        records = self._without_bad_links(self._read_all(speaking), {look.path: look for look in speaking})
        for look in speaking:
            if look.path in records:
                self._apply(look, records[look.path])
        self._keep_refused()

    def forget_gone(self, paths: Iterable[str], behind: Container[RecordId | None]) -> None:
        """A deleted file puts its record away; history keeps it. What was moved has its new path by now, and what is
        `behind` the store will be written."""
        # Also a record whose file speaks for another now.
        left = {known.record_id for known in self._known.values()}
        for path in paths:
            known = self._ledger.file_at(path)
            if known is not None and known.record_id not in behind and self._folder.state(path) is None:
                self._ledger.forget(path)
                left.add(known.record_id)
        perhaps = [record_id for record_id in left if record_id is not None and record_id not in behind]
        filed = self._ledger.files_of(perhaps)
        for record_id in perhaps:
            if record_id not in filed:
                self._delete(record_id)

    def _delete(self, record_id: RecordId) -> None:
        version, _ = self._change.standing(record_id)
        record = self._change.archive(record_id, filed=False, operation="delete")
        if record.version != version:
            self.done.deleted.append(record)

    def _note_same(self, looks: Iterable[Look]) -> None:
        """Note the new state of the files whose bytes are the same."""
        same = [(look, self._known[look.path]) for look in looks if self._is_same(look)]
        self._ledger.keep_new(
            SeenFile(look.path, look.state, look.digest, known.record_id, known.version) for look, known in same
        )

    def _is_same(self, look: Look) -> bool:
        """Whether a file has the bytes that are known of it: nobody has to look further."""
        known = self._known.get(look.path)
        return known is not None and known.digest == look.digest and known.problem is None

    def _without_copies(self, looks: list[Look]) -> list[Look]:
        """The looks that speak for a record: readable, and the only file with its id."""
        speakers = self._speakers(looks)
        good = []
        for look in looks:
            if look.problem is not None:
                self._refuse(look, look.problem)
                continue
            speaker = speakers.setdefault(look.record_id, look.path) if look.record_id else look.path
            if speaker == look.path:
                good.append(look)
            else:
                problem = f"has the same id as {speaker}; remove the id line to make it a memory of its own"
                self._refuse(look, MarkdownError(problem, line=look.line_of("id")))
        return good

    def _speakers(self, looks: list[Look]) -> dict[RecordId, str]:
        """Which file speaks already for a record that one of the looks names: there, and still with its id."""
        by_path = {look.path: look for look in looks}
        return {
            record_id: known.path
            for record_id, known in self._filed.items()
            if self._folder.state(known.path) is not None and _still_speaks(by_path.get(known.path), record_id)
        }

    def _read_all(self, looks: list[Look]) -> dict[str, Record]:
        records = {}
        for look in looks:
            try:
                adopted = None if look.record_id else self._adopted_id(look)
                record = read_look(self._change, self._known.get(look.path), look, adopted)
                is_theirs = self._hearsay and record.id != self._typed
                records[look.path] = self._as_hearsay(record, look) if is_theirs else record
            except MarkdownError as error:
                self._refuse(look, error)
        return records

    def _as_hearsay(self, record: Record, look: Look) -> Record:
        """What a stranger's file says. Raises MarkdownError where that is about a record of the user's own."""
        stored = self._change.find(record.id)
        record = replace(
            record, trust=stored.trust if stored else Trust.SHARED, evidence=_told_evidence(record.evidence, stored)
        )
        if stored is not None and not stored.is_hearsay and differences(stored, record):
            raise MarkdownError(NOT_THEIRS)
        if look.document is not None:
            # Its own word that a secret in it shall stay does not count any more.
            _refuse_secret(record, stored, look.document)
        return record

    def _without_bad_links(self, records: dict[str, Record], looks: Mapping[str, Look]) -> dict[str, Record]:
        """Drop the files whose `superseded_by` leads nowhere or in a circle; dropping one can strand another."""
        while bad := bad_links(self._change, records):
            for path, problem in bad.items():
                self._refuse(looks[path], MarkdownError(problem, line=looks[path].line_of("superseded_by")))
                del records[path]
        return records

    def _adopted_id(self, look: Look) -> RecordId:
        """The id of a file that has none. It follows from the file: killed after the record was kept, and before that
        was noted, the next command finds it again instead of keeping it twice."""
        primitive, _ = place_of(look.path)
        for number in count():
            found = adopted_id(primitive, f"{look.path}\n{look.digest}\n{number}")
            if self._ledger.file_of(found) is None and (
                self._change.find(found) is None or self._change.standing(found)[1]
            ):
                return found
        raise AssertionError("numbers do not end")

    def _apply(self, look: Look, record: Record) -> None:
        old, is_merged = self._change.find(record.id), False
        if old is not None and self._first and self._is_outdated(old, record):
            self._ledger.keep(SeenFile(look.path, look.state, look.digest, record.id, UNWRITTEN))
            return
        if old is None:
            record = self._change.create(record)
            self.done.added.append(record)
        else:
            merged = self._merged(look, old, record)
            if merged.both is not None:
                self._show_both(look, old, merged.both)
                return
            is_merged = merged.record is not record
            record = self._revise(look, old, merged.record)
        assert look.document is not None
        # Where it lies outweighed what it says: the file must say so too, or the next edit would turn it back.
        overruled = look.document.values.get("status", record.status) != record.status
        unsettled = (
            is_merged or look.record_id is None or overruled or look.path.rpartition("/")[0] != folder_for(record)
        )
        version = UNWRITTEN if unsettled else record.version
        self._ledger.keep(SeenFile(look.path, look.state, look.digest, record.id, version))

    def _merged(self, look: Look, old: Record, record: Record) -> Merged:
        """What a file says, together with what the record says since the file was written: another machine may have
        changed it meanwhile."""
        base = self._base(look, old)
        if base is None or look.document is None:
            return Merged(record)
        return merge(base, record, old, _FIELDS_IN_FILES, look.document)

    def _base(self, look: Look, old: Record) -> Record | None:
        """The version that a file was written from, when somebody changed the record since. None when nobody did, or
        nobody knows. Lerim is nobody: a person's edit wins over what it wrote by itself."""
        known = self._known.get(look.path)
        noted = known.version if known is not None and known.record_id == old.id else UNWRITTEN
        if known is not None and known.problem is None and noted == old.version:
            return None
        # A file that could not be read was noted with whatever version stood then. What it was written from, it says.
        updated = look.document.values.get("updated") if look.document else None
        history = self._change.history(old.id)
        told = [one for one in history if time_text(one.record.updated) == updated]
        noted_one = next((one for one in told or history if one.record.version == noted), None)
        base = noted_one or (told[-1] if told else None)
        if base is None or all(one.author == "lerim" for one in history[history.index(base) + 1 :]):
            return None
        return base.record

    def _show_both(self, look: Look, old: Record, both: bytes) -> None:
        """Put both sides into the file, for a person to decide. The store keeps theirs; this one's is in there."""
        temp = self._folder.prepare(look.path, both, tag(old.id, old.version))
        state = self._folder.state(temp)
        assert state is not None
        self._folder.publish(temp, look.path, replaces=True)
        self._refuse(replace(look, state=state, digest=digest_of(both)), look_problem(both))

    def _is_outdated(self, old: Record, from_file: Record) -> bool:
        """Whether a file is merely an old version of its record: the store went on without this machine."""
        if not differences(old, from_file) or not self._change.standing(old.id)[1]:
            return False
        return any(not differences(version.record, from_file) for version in self._change.history(old.id)[:-1])

    def _revise(self, look: Look, old: Record, record: Record) -> Record:
        new = self._change.revise(old.id, "edit", **{name: getattr(record, name) for name in _FIELDS_IN_FILES})
        self._change.file(old.id)
        known = self._known.get(look.path)
        is_elsewhere = (known is None or known.record_id != old.id) and not self._first
        if is_elsewhere and (new.version != old.version or old.id in self._filed):
            self.done.moved.append(new)
        elif new.version != old.version:
            self.done.edited.append(new)
        return new

    def _refuse(self, look: Look, problem: MarkdownError) -> None:
        """Leave the file as it is, and remember why. The record it spoke for keeps its last good version."""
        self._refused.append((look, problem))

    def _keep_refused(self) -> None:
        """Last, when it is known which records have another file by now."""
        for look, problem in self._refused:
            known = self._known.get(look.path)
            record_id = known.record_id if known else self._claimed(look)
            filed = self._ledger.file_of(record_id) if record_id is not None else None
            if filed is not None and filed.path != look.path:
                record_id = None
            version = self._change.standing(record_id)[0] if record_id else UNWRITTEN
            problem_at = (problem.problem, problem.line)
            self._ledger.keep(SeenFile(look.path, look.state, look.digest, record_id, version, problem_at))

    def _claimed(self, look: Look) -> RecordId | None:
        """Whose file it was before this machine forgot: else a record would get a second one beside a broken one."""
        claimed = look.record_id or look.claimed
        return claimed if self._first and claimed and self._change.find(claimed) else None


def says(snapshot: Snapshot, folder: MemoryFolder, path: str, record: Record) -> bool:
    """Whether a file says just what a record says, id and all."""
    look = look_at(folder, path)
    if look is None or look.document is None or look.record_id != record.id:
        return False
    try:
        return not differences(record, read_look(snapshot, None, look))
    except MarkdownError:
        return False


def read_look(snapshot: Snapshot, known: KnownFile | None, look: Look, adopted: RecordId | None = None) -> Record:
    """The record a file speaks of, with the status its place gives it. Raises MarkdownError with the line.

    `adopted` is the id of a file that has none.
    """
    assert look.document is not None
    primitive, archived = place_of(look.path)
    record_id = look.record_id or adopted
    stored = snapshot.find(record_id) if record_id else None
    record = read_record(look.document, stored, _handwritten(look, primitive, snapshot, adopted))
    moved = stored is None or known is None or known.record_id != stored.id
    status = record.status
    if archived:
        # The folder says it; only an explicit `status: active` in a file that lay there before brings it back.
        back = not moved and look.document.values.get("status") == Status.ACTIVE
        status = Status.ACTIVE if back else Status.ARCHIVED
    elif status is Status.ARCHIVED and moved and stored is not None:
        status = Status.ACTIVE
    if status is Status.ACTIVE and record.superseded_by is not None:
        status = Status.SUPERSEDED
    _refuse_secret(record, stored, look.document)
    return replace(record, status=status)


def with_claims(folder: MemoryFolder, path: str | None, record: Record) -> Record:
    """A record that was hearsay, with what its file says of whose words it rests on."""
    record = replace(record, trust=Trust.UNKNOWN)
    look = look_at(folder, path) if path else None
    if look is not None and look.document is not None:
        with suppress(MarkdownError):
            told = read_record(look.document, record, record)
            record = replace(record, trust=told.trust, evidence=told.evidence)
    evidence = tuple(replace(e, speaker=Trust.UNKNOWN) if e.speaker is Trust.SHARED else e for e in record.evidence)
    implied = implied_trust(record.primitive, evidence)
    return replace(record, trust=implied if record.trust is Trust.UNKNOWN else record.trust, evidence=evidence)


def _told_evidence(cited: tuple[Evidence, ...], stored: Record | None) -> tuple[Evidence, ...]:
    """What a stranger's file cites: who spoke there is known from the store, or it is hearsay."""
    known = {(item.reference, item.quote): item for item in stored.evidence} if stored else {}
    return tuple(known.get((item.reference, item.quote)) or replace(item, speaker=Trust.SHARED) for item in cited)


def _refuse_secret(record: Record, stored: Record | None, document: Document) -> None:
    """A person's file is never rewritten: what looks like a secret in it keeps it from being taken in until they say.

    Raises MarkdownError with the line.
    """
    from lerim.context.disclosure import ALLOWED, suspects  # Start-up: only files that changed get here.

    for found in suspects(record, stored)[:1]:
        line = document.line_of(found.field)
        if found.field == "body":
            line = len(document.header) + 2 * bool(document.fences[0]) + document.lead.count("\n") + found.line
        way = f"keep it with the line '{ALLOWED}: true' in the frontmatter"
        if record.is_hearsay:
            way = "look at it, and then trust the project: lerim project trust"
        problem = f"{found.words}; take it out, or {way}"
        raise MarkdownError(problem, line=line)


def adopted_id(primitive: Primitive, seed: str) -> RecordId:
    """An id that follows from a text."""
    return new_id(primitive, lambda size: blake2b(seed.encode(), digest_size=size).digest())


def differences(record: Record, from_file: Record) -> list[str]:
    """The fields in which a file and its record disagree."""
    return sorted(name for name in _FIELDS_IN_FILES if getattr(record, name) != getattr(from_file, name))


def _handwritten(look: Look, primitive: Primitive, snapshot: Snapshot, adopted: RecordId | None) -> Record:
    """What a file means that a person wrote without frontmatter, or with only some of it."""
    assert look.document is not None
    now = snapshot.now
    summary = look.path.split("/")[-3:-1] if primitive is Primitive.SUMMARY else []
    return Record(
        id=adopted or new_id(primitive),
        primitive=primitive,
        title=_heading(look.document.body) or look.path.rpartition("/")[2].removesuffix(".md").replace("-", " "),
        body=look.document.body,
        created=now,
        updated=now,
        kind=primitive.default_kind,
        date=f"{summary[0][:4]}-{summary[0][4:6]}-{summary[0][6:]}" if len(summary) == 2 else None,
        time=f"{summary[1][:2]}:{summary[1][2:4]}:{summary[1][4:]}" if len(summary) == 2 else None,
    )


def _heading(body: str) -> str | None:
    for line in body.splitlines():
        if line.startswith("#"):
            try:
                return clean_title(line.lstrip("#"))
            except InvalidRecord:
                return None
    return None


def _still_speaks(look: Look | None, record_id: RecordId) -> bool:
    """An unchanged file, an unreadable one, or one that still has the id."""
    return look is None or look.problem is not None or look.record_id == record_id


def bad_links(snapshot: Snapshot, records: Mapping[str, Record]) -> dict[str, str]:
    """Which of the incoming records name a successor that does not exist or leads back to them, and how."""
    if all(record.superseded_by is None for record in records.values()):
        return {}
    links = snapshot.successors()
    coming = {record.id for record in records.values()}
    for record in records.values():
        links.pop(record.id, None)
        if record.superseded_by is not None:
            links[record.id] = record.superseded_by
    bad = {}
    for path, record in records.items():
        target = links.get(record.id)
        if target is None:
            continue
        if target not in coming and snapshot.find(target) is None:
            bad[path] = f"superseded_by names '{target}', which does not exist here"
        elif _in_circle(links, record.id):
            bad[path] = f"superseded_by leads back to '{record.id}' itself"
        if path in bad:
            del links[record.id]
    return bad


def _in_circle(links: Mapping[RecordId, RecordId], start: RecordId) -> bool:
    seen, at = {start}, links.get(start)
    while at is not None and at not in seen:
        seen.add(at)
        at = links.get(at)
    return at is not None
