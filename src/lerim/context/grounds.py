"""What records rest on in their repository, as it was last found: whose ground is gone, and what is provisional.

Derived, and this machine's own: `curate/grounding.py` finds it out. Whoever ranks, tells or tidies reads it here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from lerim.context.records import RecordId, parse_time, time_text
from lerim.dataclass import dataclass
from lerim.storage.database import Database, Transaction
from lerim.text.code_names import CodeName, NameKind

#: What is told of a record's ground at most.
_MOST_TOLD = 3


#: How it is told that a path has another name now.
RENAMED = "was renamed to"


@dataclass(frozen=True)
class GroundSuspicion:
    """A record that names something that once was there and is gone."""

    record: RecordId
    #: The commit since which it is: where that is known, the one that took it away.
    since_commit: str
    since: datetime | None
    #: What changed, in words.
    what: str
    #: Whether all that is gone is there by another name.
    is_moved: bool = False

    @property
    def told(self) -> str:
        """In a few words, for whoever reads the record."""
        day = f" ({self.since:%Y-%m-%d})" if self.since else ""
        return f"suspect since {self.since_commit[:10]}{day}: {self.what}"


@dataclass(frozen=True)
class Provisional:
    """A decision that was made on a branch which is not merged, or of which nobody can tell."""

    record: RecordId
    branch: str
    #: How the branch stands, in words.
    what: str = ""
    #: Whether it waits for a merge; else the branch is gone, and whether it was merged cannot be told.
    is_open: bool = True

    @property
    def told(self) -> str:
        return f"{'provisional: ' if self.is_open else ''}decided on branch {self.branch}, {self.what}"


@dataclass(frozen=True)
class NamedGround:
    """One thing that a record names, and how it stands: there, gone or unknown."""

    name: CodeName
    state: str = "unknown"
    #: The last commit it was seen in.
    seen: str = ""
    since_commit: str = ""
    since: datetime | None = None
    what: str = ""
    #: Whether the record was said when it was gone already: then it is no ground.
    is_late: bool = False

    @property
    def is_moved(self) -> bool:
        """Whether it is there by another name."""
        return RENAMED in self.what and "which is gone" not in self.what


class RecordGrounds:
    """What is known of the grounds of one project's records."""

    def __init__(self, local: Database, project_id: str) -> None:
        self._local = local
        self._project = project_id

    def suspects(self) -> dict[RecordId, GroundSuspicion]:
        """Every record whose ground is gone, with what changed: all of it that is known, since the first of it."""
        sql = (
            "SELECT g.record_id, n.kind, n.name, n.state, n.seen, n.since_commit, n.since, n.what FROM ground_names n"
            " JOIN grounds g ON g.project_id = n.project_id AND g.kind = n.kind AND g.name = n.name"
            " WHERE n.project_id = ? AND n.state = 'gone' AND g.late = 0 ORDER BY n.since, n.name"
        )
        with self._local.read() as tx:
            rows = tx.rows(sql, (self._project,))
        found: dict[RecordId, list[NamedGround]] = {}
        for record_id, *row in rows:
            found.setdefault(RecordId(record_id), []).append(_ground(*row))
        return {record: _suspicion(record, gone) for record, gone in found.items()}

    def provisional(self) -> dict[RecordId, Provisional]:
        """Every decision that waits for its branch to be merged."""
        return {one.record: one for one, state in self._branch_decisions() if state == "open"}

    def untold(self) -> dict[RecordId, Provisional]:
        """Decisions whose branch is gone without a trace: whether it was merged cannot be told."""
        return {one.record: one for one, state in self._branch_decisions() if state == "unknown"}

    def doubt(self, record: RecordId) -> str:
        """What should be said beside a record: that it is suspect, or else provisional; nothing for most."""
        gone = [ground for ground in self.of(record) if ground.state == "gone" and not ground.is_late]
        if gone:
            return _suspicion(record, sorted(gone, key=lambda ground: str(ground.since or ""))).told
        waiting = self._branch_decisions("AND record_id = ? AND state = 'open'", record)
        return waiting[0][0].told if waiting else ""

    def digest(self) -> str:
        """What tells whether anything of it has changed: which records are suspect or provisional."""
        return " ".join([*sorted(self.suspects()), "|", *sorted(self.provisional())])

    def of(self, record: RecordId) -> list[NamedGround]:
        """All that a record names, as it stands."""
        sql = (
            "SELECT n.kind, n.name, n.state, n.seen, n.since_commit, n.since, n.what, g.late FROM grounds g"
            " JOIN ground_names n ON n.project_id = g.project_id AND n.kind = g.kind AND n.name = g.name"
            " WHERE g.project_id = ? AND g.record_id = ? ORDER BY n.state, n.kind, n.name"
        )
        with self._local.read() as tx:
            return [_ground(*row) for row in tx.rows(sql, (self._project, record))]

    def _branch_decisions(self, where: str = "", *values: str) -> list[tuple[Provisional, str]]:
        sql = f"SELECT record_id, branch, what, state FROM ground_provisional WHERE project_id = ? {where}"
        with self._local.read() as tx:
            rows = tx.rows(f"{sql} ORDER BY record_id", (self._project, *values))
        return [(Provisional(RecordId(one), branch, what, state == "open"), state) for one, branch, what, state in rows]


class GroundBooks:
    """The same for whoever finds it out: inside a transaction on the local database."""

    def __init__(self, tx: Transaction, project_id: str) -> None:
        self._tx = tx
        self._project = project_id

    def stand(self) -> tuple[str, str]:
        """What was checked out, and all branches, when it was last found out; empty before the first time."""
        row = self._tx.row("SELECT head, refs FROM grounded WHERE project_id = ?", (self._project,))
        return (row[0], row[1]) if row else ("", "")

    def note_stand(self, head: str, refs: str) -> None:
        self._tx.run(
            "INSERT INTO grounded (project_id, head, refs) VALUES (?, ?, ?)"
            " ON CONFLICT (project_id) DO UPDATE SET head = excluded.head, refs = excluded.refs",
            (self._project, head, refs),
        )

    def names(self) -> dict[CodeName, NamedGround]:
        """Every name that anybody knows of."""
        sql = "SELECT kind, name, state, seen, since_commit, since, what FROM ground_names WHERE project_id = ?"
        found = [_ground(*row) for row in self._tx.rows(sql, (self._project,))]
        return {ground.name: ground for ground in found}

    def naming(self) -> dict[RecordId, set[CodeName]]:
        """Which record names what."""
        found: dict[RecordId, set[CodeName]] = {}
        sql = "SELECT record_id, kind, name FROM grounds WHERE project_id = ?"
        for record_id, kind, name in self._tx.rows(sql, (self._project,)):
            found.setdefault(RecordId(record_id), set()).add(CodeName(NameKind(kind), name))
        return found

    def note_names(self, grounds: Iterable[NamedGround]) -> None:
        self._tx.run_many(
            "INSERT INTO ground_names (project_id, kind, name, state, seen, since_commit, since, what)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, kind, name) DO UPDATE SET"
            " state = excluded.state, seen = excluded.seen, since_commit = excluded.since_commit,"
            " since = excluded.since, what = excluded.what",
            (
                (self._project, str(kind), name, one.state, one.seen, one.since_commit, _time(one.since), one.what)
                for one in grounds
                for kind, name in [one.name]
            ),
        )

    def note_record(self, record: RecordId, names: Iterable[CodeName], late: Iterable[CodeName] = ()) -> None:
        """Note what a record names; nothing for one that does not hold any more."""
        self._tx.run("DELETE FROM grounds WHERE project_id = ? AND record_id = ?", (self._project, record))
        known = set(late)
        self._tx.run_many(
            "INSERT INTO grounds (project_id, record_id, kind, name, late) VALUES (?, ?, ?, ?, ?)",
            ((self._project, record, str(name.kind), name.name, int(name in known)) for name in set(names)),
        )

    def branches(self) -> dict[str, str]:
        """Every branch that was ever seen, and its tip then."""
        sql = "SELECT branch, tip FROM ground_branches WHERE project_id = ?"
        return dict(self._tx.rows(sql, (self._project,)))

    def note_branches(self, tips: Iterable[tuple[str, str]]) -> None:
        self._tx.run_many(
            "INSERT INTO ground_branches (project_id, branch, tip) VALUES (?, ?, ?)"
            " ON CONFLICT (project_id, branch) DO UPDATE SET tip = excluded.tip",
            ((self._project, branch, tip) for branch, tip in tips),
        )

    def decided_on(self) -> dict[RecordId, tuple[str, datetime, str]]:
        """The decisions made on a branch: which, when they were said, and how that stands."""
        sql = "SELECT record_id, branch, said, state FROM ground_provisional WHERE project_id = ?"
        rows = self._tx.rows(sql, (self._project,))
        return {RecordId(record): (branch, parse_time(said), state) for record, branch, said, state in rows}

    def note_decision(self, record: RecordId, branch: str, said: datetime, state: str, what: str) -> None:
        self._tx.run(
            "INSERT INTO ground_provisional (project_id, record_id, branch, said, state, what)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, record_id) DO UPDATE SET"
            " branch = excluded.branch, said = excluded.said, state = excluded.state, what = excluded.what",
            (self._project, record, branch, time_text(said), state, what),
        )

    def forget_decision(self, record: RecordId) -> None:
        self._tx.run("DELETE FROM ground_provisional WHERE project_id = ? AND record_id = ?", (self._project, record))


def _time(moment: datetime | None) -> str:
    return time_text(moment) if moment else ""


def _ground(
    kind: str, name: str, state: str, seen: str, commit: str, since: str, what: str, late: int = 0
) -> NamedGround:
    moment = parse_time(since) if since else None
    return NamedGround(CodeName(NameKind(kind), name), state, seen, commit, moment, what, bool(late))


def _suspicion(record: RecordId, gone: list[NamedGround]) -> GroundSuspicion:
    told = list(dict.fromkeys(ground.what for ground in gone))
    more = f"; and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    what, is_moved = "; ".join(told[:_MOST_TOLD]) + more, all(ground.is_moved for ground in gone)
    return GroundSuspicion(record, gone[0].since_commit, gone[0].since, what, is_moved)
