"""Which projects there are, and the `.lerim/` folder each of them has."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from lerim import openat
from lerim.config.identity import identity_of, is_same
from lerim.config.scope import STORE, lerim_dir, memory_dir
from lerim.context.face.folder import ID_LINE, MemoryFolder
from lerim.context.records import Clock, parse_time, time_text, utc_now
from lerim.context.rows import evidence_from, has_filed
from lerim.dataclass import dataclass, field
from lerim.errors import Conflict, NotAllowed, NotFound, StoreError, UnsafePath, UsageError
from lerim.private import sweep_top
from lerim.storage.database import Database, Row
from lerim.storage.entries import entries

GLOBAL = "global"
#: What the login of every member of a shared store begins with.
LOGIN = "lerim_m_"
#: The global memory of a person, in a store that several share, is `global-` and who they are there.
_GLOBAL_OF = f"{GLOBAL}-"
_T = TypeVar("_T")
_COLUMNS = "id, root, name, trust, identity"
_SELECT = f"SELECT {_COLUMNS} FROM projects"
_INSERT = f"INSERT INTO projects ({_COLUMNS}, created) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT"
# Bytes of a file that hold its id: it is the first key of the frontmatter.
_HEAD = 4096


class ProjectTrust(StrEnum):
    """Whether the user takes what lies in a project's `.lerim` for their own word."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"
    #: It came with a `.lerim` of its own, and nobody has said anything about it yet.
    UNASKED = "unasked"


@dataclass(frozen=True)
class Project:
    """A repository whose memory Lerim keeps, or the global memory, which belongs to none."""

    id: str
    root: Path
    name: str
    #: What was said about it, and of which folder: see `trust`.
    said: ProjectTrust = field(default=ProjectTrust.TRUSTED, compare=False)
    identity: str = field(default="", compare=False)

    @property
    def is_global(self) -> bool:
        return is_global(self.id)

    @cached_property
    def trust(self) -> ProjectTrust:
        """Whether it is trusted. What was said of one folder does not count for another one at its path."""
        if self.is_global or is_same(self.identity, identity_of(self.root)):
            return self.said
        return ProjectTrust.UNASKED

    @property
    def is_trusted(self) -> bool:
        return self.trust is ProjectTrust.TRUSTED


def is_global(project_id: str) -> bool:
    """Whether a project's id is that of a global memory."""
    return project_id == GLOBAL or project_id.startswith(_GLOBAL_OF)


def person_of(login: str) -> str:
    """Who a login of a shared store is: a member by the name they were given, its owner by the login's."""
    return login.removeprefix(LOGIN)


def global_of(person: str) -> str:
    """The id of a person's global memory in a store that several share."""
    return f"{_GLOBAL_OF}{person}"


@dataclass(frozen=True)
class OnlyInStore:
    """What of a project lies in the store alone, besides its records: no file brings it back."""

    records: int
    quotes: int
    #: Versions before the current ones.
    earlier_versions: int
    #: Candidates that wait for a decision.
    review: int

    def __bool__(self) -> bool:
        return bool(self.records or self.review)


@entries
class Projects:
    """The registered projects. The global memory is one of them, with Lerim's home as its root."""

    #: Whether other machines read what is written here: a path of this one would mean nothing to them.
    is_shared = False

    def __init__(
        self, database: Database, home: Path, clock: Clock = utc_now, named: Callable[[], frozenset[Path]] = frozenset
    ) -> None:
        """`named` are the roots that the user's own settings name as trusted."""
        self._database = database
        self._home = home
        self._clock = clock
        self._named = named

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    @property
    def global_id(self) -> str:
        """The id of the global memory."""
        return GLOBAL

    def all(self) -> list[Project]:
        """Every registered project, by name; the global memory is not listed."""
        with self._database.read() as tx:
            rows = tx.rows(f"{_SELECT} WHERE id <> ? ORDER BY name, root", (GLOBAL,))
        return [self._project(row) for row in rows]

    def at(self, root: Path) -> Project | None:
        """The project whose root this is."""
        with self._database.read() as tx:
            row = tx.row(f"{_SELECT} WHERE root = ?", (str(root),))
        return self._project(row) if row else None

    def find(self, name: str) -> Project:
        """A project by name, id or path. Raises NotFound, or Conflict when several have the name."""
        path = str(Path(name).expanduser().resolve())
        with self._database.read() as tx:
            rows = tx.rows(f"{_SELECT} WHERE id = ? OR name = ? OR root = ? ORDER BY root", (name, name, path))
        if not rows:
            raise NotFound(f"no project '{name}'", hint="lerim project list")
        if len(rows) > 1:
            roots = ", ".join(row[1] for row in rows)
            raise Conflict(f"several projects are called '{name}': {roots}", hint="name it by its path")
        return self._project(rows[0])

    def add(self, root: Path, name: str | None = None) -> Project:
        """Register a folder as a project; the one that is there already, if it is. A new name renames it.

        One that Lerim makes a `.lerim` for is the user's own; what came with one is trusted when the user says so.
        """
        known = self.at(root)
        if known is not None and name in (None, known.name):
            return known
        project_id = GLOBAL if root == self._home else f"prj-{os.urandom(5).hex()}"
        default = GLOBAL if root == self._home else root.name or str(root)
        with self._database.write() as tx:
            tx.run(
                f"{_INSERT} (root) DO NOTHING",
                (
                    *(project_id, str(root), name or default, self._first_trust(root), identity_of(root)),
                    time_text(self._clock()),
                ),
            )
            if name is not None:
                tx.run("UPDATE projects SET name = ? WHERE root = ?", (name, str(root)))
            row = tx.row(f"{_SELECT} WHERE root = ?", (str(root),))
        assert row is not None
        return self._project(row)

    def register(self, project: Project) -> Project:
        """Take in a project as another store knew it, so that whoever remembers its id still finds it."""
        with self._database.write() as tx:
            tx.run(
                f"{_INSERT} DO NOTHING",
                (
                    *(project.id, str(project.root), project.name, str(project.said), project.identity),
                    time_text(self._clock()),
                ),
            )
        return self.add(project.root)

    def set_trust(self, project: Project, trust: ProjectTrust) -> Project:
        """Remember what the user said about a project, and of which folder."""
        with self._database.write() as tx:
            sql = "UPDATE projects SET trust = ?, identity = ? WHERE id = ?"
            tx.run(sql, (str(trust), identity_of(project.root), project.id))
        return self.find(project.id)

    def _first_trust(self, root: Path) -> str:
        folder = lerim_dir(root, self._home)
        came_along = root != self._home and os.path.lexists(folder) and not _is_empty(folder)
        return str(ProjectTrust.UNASKED if came_along else ProjectTrust.TRUSTED)

    def _project(self, row: Row) -> Project:
        root = Path(row[1])
        if root in self._named():
            return Project(row[0], root, row[2])
        return Project(row[0], root, row[2], ProjectTrust(row[3]), row[4])

    def moved_to(self, root: Path) -> Project | None:
        """The project that was moved or renamed to `root`, now registered there; None when it is a new one.

        It must be the only one whose old folder is gone while the files of all its records lie here.
        """
        gone = [project for project in self.all() if not project.root.exists()]
        here = _ids_in(memory_dir(root, self._home)) if gone else set()
        same = [project for project in gone if (ids := self._filed(project)) and ids <= here]
        if len(same) != 1:
            return None
        with self._database.write() as tx:
            tx.run("UPDATE projects SET root = ? WHERE id = ?", (str(root), same[0].id))
            sql = "INSERT INTO former_roots (root, project_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
            tx.run(sql, (str(same[0].root), same[0].id))
        return self.find(same[0].id)

    def adopt(self, root: Path) -> Project | None:
        """The project of a folder that nobody registered, when it came with memories in it: one that was moved, or a
        clone that git brought."""
        if not MemoryFolder(memory_dir(root, self._home)).exists():
            return None
        return self.moved_to(root) or self.add(root)

    def former_roots(self) -> dict[Path, Path]:
        """Where projects used to be, and where each of them is now."""
        sql = "SELECT f.root, p.root FROM former_roots f JOIN projects p ON p.id = f.project_id"
        with self._database.read() as tx:
            return {Path(old): Path(new) for old, new in tx.rows(sql)}

    def elsewhere(self) -> list[Project]:
        """The projects that do not lie on this machine, each with a folder of ours for what work on it needs."""
        return []

    def join(self, root: Path, name: str) -> Project:
        """Tie a folder to a project that other machines have. Raises UsageError where none share this store."""
        raise UsageError(
            "the memory is kept on this machine alone: there is no project of others to join",
            hint="set storage.url to the store that they share; see docs/teams.md",
        )

    def clones(self) -> dict[Path, Path]:
        """Further clones of projects, and where each of these lies. Each folder is a project of its own here."""
        return {}

    def _filed(self, project: Project) -> set[str]:
        """The records that shall have a file."""
        with self._database.read() as tx:
            rows = tx.rows("SELECT id FROM records WHERE project_id = ? AND filed = 1", (project.id,))
        return {row[0] for row in rows}

    def only_in_store(self, project: Project) -> OnlyInStore:
        """What would be lost with a project's rows."""
        with self._database.read() as tx:
            cited = tx.rows("SELECT version, evidence FROM records WHERE project_id = ?", (project.id,))
            sql = "SELECT count(*) FROM review WHERE project_id = ? AND state = 'pending'"
            waiting = tx.row(sql, (project.id,))
        quotes = sum(bool(item.quote) for _, evidence in cited for item in evidence_from(evidence))
        earlier = sum(int(version) - 1 for version, _ in cited)
        return OnlyInStore(len(cited), quotes, earlier, int(waiting[0]) if waiting else 0)

    def remove(self, project: Project) -> None:
        """Forget a project and its rows; its files stay where they are."""
        with self._database.write() as tx:
            if not tx.run("DELETE FROM projects WHERE id = ?", (project.id,)):
                raise NotAllowed(f"{project.name} is gone, or only its admins may remove it", hint="lerim team whoami")

    def created(self, project: Project) -> str:
        with self._database.read() as tx:
            row = tx.row("SELECT created FROM projects WHERE id = ?", (project.id,))
        return time_text(parse_time(row[0])) if row else ""

    def folder(self, project: Project) -> Path:
        return memory_dir(project.root, self._home)

    def lay_out(self, project: Project, *, share_summaries: bool = False, share_traces: bool = False) -> Path:
        """Make the project's `.lerim/` folder with its `.gitignore`. A `.gitignore` that a person wrote stays.

        So is its memory folder, where nothing is kept yet. One that is gone is made by whoever puts the files back: an
        empty one in its place would say that everything was deleted.
        """
        folder = lerim_dir(project.root, self._home)
        with self._database.read() as tx:
            made = folder if has_filed(tx, project.id) else self.folder(project)
        try:
            # Its decisions and learnings are there to be shared, so others may read the folder as git makes it.
            with openat.below(made, make=True, mode=0o700 if project.is_global else 0o777):
                pass
            if not project.is_global:
                rules = gitignore(share_summaries=share_summaries, share_traces=share_traces)
                _write_gitignore(folder / ".gitignore", rules)
                _guard(folder, closed=not project.is_trusted)
                _point(folder / "index", project)
        except OSError as error:
            raise StoreError(
                f"cannot write to {folder}: {error.strerror}; nothing was changed",
                hint=f"check the permissions of {project.root}",
            ) from error
        return folder


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as found:
            return next(found, None) is None
    except OSError:
        return False


def _ids_in(folder: Path) -> set[str]:
    """The records that memory files speak for: what stands after `id:` at the top of each."""
    memory = MemoryFolder(folder)
    heads = (memory.read(path)[:_HEAD] for path in memory.scan().files)
    return {found[1].decode() for head in heads if (found := ID_LINE.search(head))}


#: The file in a project's `.lerim/index/`.
POINTER = "where.json"
#: What there is of a project's index, below Lerim's home.
_IN_HOME = {"store": STORE, "sessions": "index/sessions.sqlite3", "search": "index/search"}
_GITIGNORE_MARK = "# Written by Lerim."
_GITIGNORE_BYTES = 64 * 1024
#: Where talk lies: what the rules of a project that is not trusted must not open to git.
_TALK = ("meta", "workspace", "index", "memory/summaries", "memory/archived/summaries")
_CLOSED = f"{_GITIGNORE_MARK} This project is not trusted: nothing here goes into git. lerim project trust\n*\n"


def _write_gitignore(path: Path, text: str) -> None:
    found = _text_of(path)
    if found is not None and found != text and (not found or found.startswith(_GITIGNORE_MARK)):
        openat.write(path, text.encode(), 0o644)


def _text_of(path: Path) -> str | None:
    """A file's text: empty when it is not there, None when it is something that we did not write."""
    try:
        return openat.read(path, _GITIGNORE_BYTES).decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        return None


def _guard(folder: Path, *, closed: bool) -> None:
    """Keep git out of every folder where talk lies, whatever rules lie above it: of two, git takes the deeper one. Once
    the project is trusted, its own rules count."""
    for name in _TALK:
        rules = folder / name / ".gitignore"
        if closed:
            with openat.below(rules.parent, make=True):
                pass
            if _text_of(rules) != _CLOSED:
                openat.write(rules, _CLOSED.encode())
        elif os.path.lexists(rules) and _text_of(rules) == _CLOSED:
            with openat.below(rules.parent) as entered:
                entered.remove(rules.name)


def is_closed(folder: Path) -> bool:
    """Whether git is kept out of a project's `.lerim`, as is done while nobody trusts it."""
    with suppress(OSError, UnsafePath):
        return any(_text_of(folder / name / ".gitignore") == _CLOSED for name in _TALK)
    return False


def _point(folder: Path, project: Project) -> None:
    """Say where the index of a project is to whoever looks for it in the project: in Lerim's home, which has one for
    all. It names nobody's folders, in case somebody commits it."""
    text = json.dumps({"project_id": project.id, **_IN_HOME}, indent=2) + "\n"
    # Something else that lies there is not ours, and a pointer is worth no failure.
    with suppress(OSError, UnsafePath):
        with openat.below(folder, make=True):
            pass
        sweep_top(folder)  # What a killed one left.
        if _text_of(folder / POINTER) != text:
            openat.write(folder / POINTER, text.encode(), 0o644)


def gitignore(*, share_summaries: bool, share_traces: bool) -> str:
    """What git sees of `.lerim/`: decisions, learnings and the project's settings; the rest only when asked for."""
    lines = [
        f"{_GITIGNORE_MARK} Decisions and learnings are there to be shared; the rest stays on this machine.",
        "# Change it with [memory] share_summaries and share_traces, or remove the first line and edit freely.",
        "/*",
        "!/.gitignore",
        "!/config.toml",
        "!/memory/",
        "/memory/*",
        "!/memory/decisions/",
        "!/memory/learnings/",
        "!/memory/archived/",
    ]
    if share_summaries:
        lines.append("!/memory/summaries/")
    else:
        lines.append("/memory/archived/summaries/")
    if share_traces:
        lines += ["!/meta/"]
    return "\n".join([*lines, ".lerim-*.tmp", "*.bak*", ""])
