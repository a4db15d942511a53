"""Grounding: what records name is looked up in their repository. NamedGround that is gone makes a record suspect.

Only what once was there and is not any more counts: a path that never was may be planned, or an example. What git
cannot tell in time stays as it was known. Cheap while neither the repository nor a record has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from lerim.context.feed import Feed, Followed, Position
from lerim.context.grounds import RENAMED, GroundBooks, GroundSuspicion, NamedGround, Provisional
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import Primitive, Record, RecordId
from lerim.context.rows import decode
from lerim.context.store import COLUMNS
from lerim.curate.branches import OPEN, UNKNOWN, MainLine
from lerim.curate.manifests import MANIFESTS, named_by, names_in
from lerim.curate.mended import tells_mended
from lerim.curate.repository import Commit, Refs, Repository, Tree
from lerim.dataclass import dataclass, field, replace
from lerim.digests import blake2b
from lerim.storage.entries import entries, not_an_entry
from lerim.text.code_names import CodeName, NameKind, code_names, names_package

_T = TypeVar("_T")
#: Which git branch sessions worked on, by agent and run id.
SessionBranches = Callable[[], Mapping[tuple[str, str], str]]
#: Seconds that git may take: when somebody waits for it, and on the way of something else.
PATIENCE, IN_PASSING = 60.0, 10.0
# A record that was said so long after something went knew that it was gone.
_LATE = timedelta(days=1)
# Renames of renames that are followed.
_HOPS = 5
_WHAT = "grounds"
_MOST_MANIFESTS = 60
_FROM_MANIFESTS = (NameKind.PACKAGE, NameKind.COMMAND)


@dataclass(frozen=True)
class GroundedRecord:
    """A record with what it rests on, and what is doubted for it."""

    kept: Kept
    grounds: list[NamedGround]
    suspicion: GroundSuspicion | None = None
    provisional: Provisional | None = None


@dataclass(frozen=True)
class GroundingReport:
    """How the grounds of a scope stand."""

    #: Why nothing could be looked up; empty when it could.
    reason: str
    #: What was checked out when it was last found out.
    head: str
    #: Records that name something of the repository.
    grounded: int
    suspects: list[GroundedRecord]
    provisional: list[GroundedRecord]
    #: Decisions whose branch is gone without a trace.
    untold: list[GroundedRecord]


@dataclass(frozen=True)
class GroundsRefreshed:
    """What bringing the grounds up to date did."""

    #: Why it could not be done, in words; empty when it was.
    reason: str
    #: Whether other records are suspect or provisional than before.
    has_changed: bool = False


@entries
@dataclass(frozen=True)
class Grounding:
    """The grounds of the records here: found out, and shown."""

    memory: Memory
    branches: SessionBranches
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def enter(self, work: Callable[[], _T]) -> _T:
        return self.memory.enter(work)

    def check(self) -> GroundingReport:
        """Find out how the grounds stand now, however long that takes within a minute."""
        done = self.refresh(PATIENCE)
        return replace(self.show(), reason=done.reason)

    def show(self) -> GroundingReport:
        """How they stood when somebody last looked."""
        place = self._place()
        if place is None:
            return GroundingReport("this folder belongs to no project", "", 0, [], [], [])
        grounds = place.grounds
        with place.local.read() as tx:
            books = GroundBooks(tx, place.project.id)
            head, count = books.stand()[0], len(books.naming())
        suspects, provisional, untold = grounds.suspects(), grounds.provisional(), grounds.untold()
        return GroundingReport(
            "",
            head,
            count,
            [replace(one, suspicion=suspects[one.kept.record.id]) for one in self._records(place, suspects)],
            [replace(one, provisional=provisional[one.kept.record.id]) for one in self._records(place, provisional)],
            [replace(one, provisional=untold[one.kept.record.id]) for one in self._records(place, untold)],
        )

    def of(self, reference: str) -> GroundedRecord:
        """What one record rests on, as it stood when somebody last looked. Raises NotFound."""
        kept = self.memory.find(reference)
        grounds = kept.place.grounds
        found, record = grounds.of(kept.record.id), kept.record.id
        return GroundedRecord(kept, found, grounds.suspects().get(record), grounds.provisional().get(record))

    @not_an_entry
    def refresh(self, seconds: float = IN_PASSING) -> GroundsRefreshed:
        """Bring what is known up to date."""
        place = self._place()
        if place is None:
            return GroundsRefreshed("this folder belongs to no project")
        if place.local.is_read_only:
            return GroundsRefreshed("nothing can be noted here")
        repository = Repository(place.project.root, seconds, self.env)
        before = place.grounds.digest()
        reason = GroundCheck(place, repository, self.branches).run()
        return GroundsRefreshed(reason, place.grounds.digest() != before)

    def _place(self) -> Place | None:
        return next((place for place in self.memory.places() if not place.project.is_global), None)

    def _records(self, place: Place, ids: Iterable[RecordId]) -> list[GroundedRecord]:
        with place.store.read() as snapshot:
            found = [record for one in ids if (record := snapshot.find(one)) is not None and record.holds]
        return [GroundedRecord(Kept(record, place), place.grounds.of(record.id)) for record in found]


class GroundCheck:
    """One look at a repository, for the records of its project."""

    def __init__(self, place: Place, repository: Repository, branches: SessionBranches) -> None:
        self._place = place
        self._repository = repository
        self._branches = branches

    def run(self) -> str:
        """Find out what changed and note it. Why not, in words."""
        refs = self._repository.refs()
        if refs is None:
            return f"{self._place.project.root} is no git repository that can be read, or has no commit yet"
        changed, store, position = self._changed_records()
        with self._place.local.read() as tx:
            books = GroundBooks(tx, self._place.project.id)
            (head, digest), naming, known = books.stand(), books.naming(), books.names()
            decided, tips = books.decided_on(), books.branches()
        now = _digest(refs)
        main = MainLine(self._repository, refs, tips)
        # Branches come back, and get other names.
        told = any(state == UNKNOWN and main.is_told(branch) for branch, _, state in decided.values())
        if not changed and not told and (head, digest) == (refs.head, now):
            return ""
        found = Examination(self._repository, refs, head, known, tips)
        naming |= {record.id: set(_named(record)) for record in changed}
        naming = {record: names for record, names in naming.items() if names}
        verdicts = found.examine({name for names in naming.values() for name in names})
        naming = self._with_manifests(naming, changed, found, is_new=head != refs.head)
        late = self._late(naming, verdicts | found.manifests, changed)
        decisions = self._decisions(changed, decided, main)
        with self._place.local.write() as tx:
            books = GroundBooks(tx, self._place.project.id)
            books.note_names((verdicts | found.manifests).values())
            for record_id in {record.id for record in changed} | late.keys():
                books.note_record(record_id, naming.get(record_id, ()), late.get(record_id, ()))
            books.note_branches({**refs.remote, **refs.branches}.items())
            for record in changed:
                books.forget_decision(record.id)
            for record_id, (branch, said, state, what) in decisions.items():
                books.note_decision(record_id, branch, said, state, what)
            # What was not managed in time is looked at again.
            if not found.is_incomplete:
                books.note_stand(refs.head, now)
                Followed(tx, self._place.project.id, _WHAT).advance(store, position)
        return "git did not answer in time: what is left is looked up the next time" if found.is_incomplete else ""

    def _changed_records(self) -> tuple[list[Record], str, Position]:
        with self._place.local.read() as local, self._place.store.database.read() as tx:
            feed = Feed(tx, self._place.project.id)
            at = Followed(local, self._place.project.id, _WHAT).position(feed) or Position(0, 0)
            newest = feed.newest()
            if newest == at:
                return [], feed.store(), newest
            columns = COLUMNS.replace("u.last_used, u.uses", "NULL, NULL")
            return [decode(row) for row in feed.records(at, columns)], feed.store(), newest

    def _with_manifests(
        self,
        naming: Mapping[RecordId, set[CodeName]],
        changed: Sequence[Record],
        found: Examination,
        *,
        is_new: bool,
    ) -> dict[RecordId, set[CodeName]]:
        """Names of packages and commands are told from other words by what the manifests have had."""
        records = list(changed)
        if is_new:
            with self._place.store.read() as snapshot:
                records = [one for one in snapshot.select() if one.holds and one.primitive.is_lesson]
        packages = [name for name in found.manifests if name.kind is NameKind.PACKAGE]
        lowered = {name: name.name.rpartition("/")[2].lower().replace("_", "-") for name in packages}
        named = dict(naming)
        for record in records:
            if not _rests_on_code(record):
                continue
            text = f"{record.title}\n{record.body}"
            low = text.lower().replace("_", "-")
            resting = {one for one in packages if lowered[one] in low and names_package(text, one.name)}
            own = {name for name in named.get(record.id, ()) if name.kind is not NameKind.PACKAGE}
            if resting or own:
                named[record.id] = own | resting
        return named

    def _late(
        self,
        naming: Mapping[RecordId, set[CodeName]],
        verdicts: Mapping[CodeName, NamedGround],
        changed: Sequence[Record],
    ) -> dict[RecordId, set[CodeName]]:
        """For each record with ground that is gone: the names that were gone already when it was said."""
        gone = {name: one for name, one in verdicts.items() if one.state == "gone"}
        touched = {record.id for record in changed}
        found: dict[RecordId, set[CodeName]] = {}
        with self._place.store.read() as snapshot:
            for record_id, names in naming.items():
                if not (names & gone.keys()) and record_id not in touched:
                    continue
                record = snapshot.find(record_id)
                said = record.last_said.at if record else None
                found[record_id] = {one for one in names & gone.keys() if said and self._was_gone(gone[one], said)}
        return found

    def _was_gone(self, ground: NamedGround, said: datetime) -> bool:
        if ground.since is None or ground.since >= said - _LATE:
            return False
        if ground.name.kind is not NameKind.PATH:
            return True
        # Committed earlier on another branch, it may have reached this one later.
        before = self._repository.commit_before(ground.since_commit, said)
        main = self._repository.commit_before("HEAD", said)
        return main is None or before is None or not self._repository.exists([f"{main}:{ground.name.name.strip('/')}"])

    def _decisions(
        self,
        changed: Sequence[Record],
        decided: Mapping[RecordId, tuple[str, datetime, str]],
        main: MainLine,
    ) -> dict[RecordId, tuple[str, datetime, str, str]]:
        """How every decision stands that was made on a branch."""
        gone = {record.id for record in changed}
        waiting = {
            one: (branch, said)
            for one, (branch, said, state) in decided.items()
            if one not in gone and (state == OPEN or (state == UNKNOWN and main.is_told(branch)))
        }
        resting = [record for record in changed if _is_decision(record)]
        if resting:
            branches = self._branches()
            for record in resting:
                if branch := _branch_of(record, branches):
                    waiting[record.id] = (branch, record.last_said.at)
        return {one: (branch, said, *main.merging(branch, said)) for one, (branch, said) in waiting.items()}


class Examination:
    """What became of names, at what is checked out now."""

    def __init__(
        self,
        repository: Repository,
        refs: Refs,
        before: str,
        known: Mapping[CodeName, NamedGround],
        tips: Mapping[str, str],
    ) -> None:
        self._repository = repository
        self._refs = refs
        self._head = refs.head
        self._known = known
        self._tips = tips
        #: What was looked at before, if what is here now grew from that.
        self._since = before if before and before != self._head and repository.is_within(before, self._head) else None
        self._is_same = before == self._head
        self.is_incomplete = False

    def examine(self, names: set[CodeName]) -> dict[CodeName, NamedGround]:
        """How each name stands now. What cannot be told stays as it was."""
        by_kind = {kind: {one for one in names if one.kind is kind} for kind in NameKind}
        return {
            **self._paths(by_kind[NameKind.PATH]),
            **self._symbols(by_kind[NameKind.SYMBOL]),
            **self._branch_names(by_kind[NameKind.BRANCH]),
            **{one: self._from_manifests(one) for one in by_kind[NameKind.COMMAND]},
        }

    # Paths

    @cached_property
    def _tree(self) -> Tree | None:
        return self._repository.tree(self._head)

    def _paths(self, names: set[CodeName]) -> dict[CodeName, NamedGround]:
        looked_up = names if not self._is_same else {one for one in names if one not in self._known}
        tree = self._tree if looked_up else None
        if looked_up and tree is None:
            return self._as_before(names)
        found = self._as_before(names - looked_up)
        missing = []
        for name in looked_up:
            if tree is not None and (
                tree.has(name.name) or tree.is_elsewhere(name.name) or self._is_on_disk(name.name)
            ):
                found[name] = NamedGround(name, "there", self._head)
            else:
                missing.append(name)
        return found | self._gone_paths(missing)

    def _told(
        self, names: Sequence[CodeName], ask: Callable[[Sequence[str], str, str | None], dict[str, _T] | None]
    ) -> dict[str, _T] | None:
        """What the history tells of names; None when it cannot be asked. Of what was unknown before, only what came
        since can tell more."""
        new = [one.name for one in names if one not in self._known or self._since is None]
        rest = [one.name for one in names if one.name not in new]
        told = ask(new, self._head, None) if new else {}
        later = ask(rest, self._head, self._since) if rest else {}
        return None if told is None or later is None else told | later

    def _gone_paths(self, names: Sequence[CodeName]) -> dict[CodeName, NamedGround]:
        if (told := self._told(names, self._repository.gone_paths)) is None:
            return self._as_before(names)
        found = {}
        for name in names:
            gone = told.get(name.name)
            if gone is None:
                found[name] = self._still(name)
                continue
            what = f"{name.name} {self._ending(gone.renamed_to, gone.path, name.name)} {_in(gone.commit)}"
            found[name] = NamedGround(name, "gone", "", gone.commit.id, gone.commit.at, what)
        return found

    def _ending(self, renamed: str | None, path: str, name: str) -> str:
        """What became of a path, in words: where it is now, as far as that can be followed."""
        is_folder = path.strip("/") != name.strip("/") and not path.endswith(f"/{name.strip('/')}")
        if renamed is None or is_folder:
            return "was deleted"
        last, tree = renamed, self._tree
        for _ in range(_HOPS):
            if tree is None or tree.has(last):
                break
            further = (self._repository.gone_paths([last], self._head) or {}).get(last)
            if further is None or further.renamed_to is None:
                return f"{RENAMED} {renamed}, which is gone, too,"
            last = further.renamed_to
        return f"{RENAMED} {last}"

    def _is_on_disk(self, name: str) -> bool:
        """Whether it lies there without being in git: ignored, generated, or not committed yet."""
        root = self._repository.root
        try:
            return not Path(name).is_absolute() and os.path.lexists(root / name)
        except (OSError, ValueError):
            return False

    # Symbols

    def _symbols(self, names: set[CodeName]) -> dict[CodeName, NamedGround]:
        looked_up = {one for one in names if self._may_have_changed(one)}
        found = self._as_before(names - looked_up)
        for name in names - looked_up:
            if found[name].state == "there":
                found[name] = replace(found[name], seen=self._head)
        there = self._repository.symbols_there({one.name for one in looked_up}, self._head)
        if there is None:
            return found | self._as_before(looked_up)
        there |= self._called_so({one.name for one in looked_up} - there)
        found |= {one: NamedGround(one, "there", self._head) for one in looked_up if one.name in there}
        return found | self._gone_symbols([one for one in looked_up if one.name not in there])

    def _called_so(self, names: set[str]) -> set[str]:
        """Those that a file or folder is called by: who speaks of `nightly_load` may mean nightly_load.py."""
        tree = self._tree if names else None
        if tree is None:
            return set()
        return {name for name in names if tree.is_called(name)}

    def _may_have_changed(self, name: CodeName) -> bool:
        before = self._known.get(name)
        if before is None or before.state == "gone":
            return before is None or not self._is_same
        if self._is_same:
            return False
        removed = self._removed
        return removed is None or before.state == "unknown" or name.name in removed

    @cached_property
    def _removed(self) -> set[str] | None:
        """The words on lines that went since somebody last looked."""
        return self._repository.removed_words(self._since, self._head) if self._since else None

    def _gone_symbols(self, names: Sequence[CodeName]) -> dict[CodeName, NamedGround]:
        if (told := self._told(names, self._repository.gone_symbols)) is None:
            return self._as_before(names)
        found = {}
        for name in names:
            commit = told.get(name.name)
            if commit is None:
                found[name] = self._still(name)
            else:
                what = f"{name.name} is no longer in the code, since {_named_commit(commit)}"
                found[name] = NamedGround(name, "gone", "", commit.id, commit.at, what)
        return found

    # Branches

    def _branch_names(self, names: set[CodeName]) -> dict[CodeName, NamedGround]:
        found = {}
        for name in names:
            if self._refs.has(name.name):
                found[name] = NamedGround(name, "there", self._head)
            elif name.name in self._tips or name.name in self._checked_out or name.name in self._merged:
                found[name] = self._gone_branch(name)
            else:
                found[name] = NamedGround(name)
        return found

    @cached_property
    def _checked_out(self) -> set[str]:
        return self._repository.checked_out()

    @cached_property
    def _merged(self) -> dict[str, Commit]:
        merges = self._repository.merges(self._head)
        return {branch: commit for commit, _, branch in reversed(merges) if branch}

    def _gone_branch(self, name: CodeName) -> NamedGround:
        before = self._known.get(name)
        if before is not None and before.state == "gone":
            return before
        if (merge := self._merged.get(name.name)) is not None:
            return NamedGround(
                name, "gone", "", merge.id, merge.at, f"branch {name.name} was merged and is gone {_in(merge)}"
            )
        return NamedGround(name, "gone", "", self._head, None, f"branch {name.name} is gone")

    # Packages and commands

    @cached_property
    def manifests(self) -> dict[CodeName, NamedGround]:
        """Every package and command that a manifest has, or once had."""
        known = {name: one for name, one in self._known.items() if name.kind in _FROM_MANIFESTS}
        if self._is_same:
            return known
        tree = self._tree
        if tree is None:
            self.is_incomplete = True
            return known
        paths = sorted(self._manifest_paths(tree), key=lambda path: (path.count("/"), path))[:_MOST_MANIFESTS]
        texts = self._repository.contents(self._head, paths)
        there = {name for path, text in texts.items() for name in names_in(path, text.splitlines())}
        gone = {name: one for name, one in known.items() if one.state == "gone"} if self._since else {}
        first: dict[CodeName, NamedGround] = {}
        for commit, path, line in self._repository.history_of(MANIFESTS, self._head, self._since):
            for name in named_by(path, line):
                if name not in there and name not in first:
                    first[name] = NamedGround(name, "gone", "", commit.id, commit.at, _left(name, path, commit))
        return {**gone, **first, **{name: NamedGround(name, "there", self._head) for name in there}}

    def _manifest_paths(self, tree: Tree) -> list[str]:
        found = [path for name in MANIFESTS for path in tree.files.get(name, ())]
        return found + [
            path
            for name, paths in tree.files.items()
            if name.startswith("requirements") and name.endswith(".txt")
            for path in paths
        ]

    def _from_manifests(self, name: CodeName) -> NamedGround:
        return self.manifests.get(name, NamedGround(name))

    # What is not there, and never went

    def _still(self, name: CodeName) -> NamedGround:
        """A name that is not there, and that nothing new tells about: gone as before, or never seen."""
        before = self._known.get(name)
        was_gone = before is not None and before.state == "gone" and self._since is not None
        return before if before is not None and was_gone else self._unseen(name)

    def _unseen(self, name: CodeName) -> NamedGround:
        """A name that nothing here ever had: no ground, unless we saw it ourselves in a history that is gone."""
        before = self._known.get(name)
        if before is None or not before.seen or before.seen == self._head:
            return NamedGround(name)
        if self._repository.holding(before.seen) is not False:
            # It is on another branch.
            return replace(before, state="unknown")
        # When that happened, nobody wrote down.
        what = f"{name.name} was in {before.seen[:10]}, and that history was rewritten"
        return NamedGround(name, "gone", before.seen, self._head, None, what)

    def _as_before(self, names: Iterable[CodeName]) -> dict[CodeName, NamedGround]:
        unknown = [name for name in names if name not in self._known]
        self.is_incomplete = self.is_incomplete or self._repository.is_out_of_time
        return {
            **{name: self._known[name] for name in names if name in self._known},
            **{n: NamedGround(n) for n in unknown},
        }


def _named(record: Record) -> list[CodeName]:
    """What a record rests on, by its words; nothing for one that does not hold, or that tells what was."""
    return code_names(f"{record.title}\n{record.body}") if _rests_on_code(record) else []


def _rests_on_code(record: Record) -> bool:
    """Whether what it says ends with what it names. What was wrong once stays true when the code is gone."""
    return record.holds and record.primitive.is_lesson and not tells_mended(record)


def _is_decision(record: Record) -> bool:
    """Whether it is a choice that was made in sessions. What a person wrote down holds wherever they were."""
    return (
        record.holds and record.primitive is Primitive.DECISION and bool(record.evidence) and record.source != "manual"
    )


def _branch_of(record: Record, branches: Mapping[tuple[str, str], str]) -> str:
    """The branch a decision was made on, if all sessions it rests on were on that one."""
    found = {branches.get((piece.agent, piece.run_id), "") for piece in record.evidence}
    return next(iter(found)) if len(found) == 1 else ""


def _digest(refs: Refs) -> str:
    told = "\n".join(f"{name} {tip}" for tips in (refs.branches, refs.remote) for name, tip in sorted(tips.items()))
    return blake2b(told.encode(), digest_size=16).hexdigest()


def _in(commit: Commit) -> str:
    return f"in {_named_commit(commit)}"


def _named_commit(commit: Commit) -> str:
    return f'{commit.short} "{commit.subject}"'


def _left(name: CodeName, path: str, commit: Commit) -> str:
    kind = "dependency" if name.kind is NameKind.PACKAGE else "command"
    return f"{kind} {name.name} was taken out of {path} {_in(commit)}"
