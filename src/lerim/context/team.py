"""Who works with a shared store, and what each of them may do there.

A member is a login of the server. What they may see and change, the server decides for each row, whatever they reach it
by; nothing here or above is relied upon for that. What is said here is who they are and what they were given.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

from lerim.context.projects import LOGIN, Project
from lerim.context.records import Random
from lerim.dataclass import dataclass
from lerim.errors import Conflict, NotAllowed, NotFound, StoreError, UsageError
from lerim.storage.database import Database, Transaction
from lerim.storage.entries import entries

#: What a grant says that holds for every project but people's own.
ALL = "*"
_GROUP = "lerim_members"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PASSWORD_BYTES = 24
_ROUNDS = 4096
_T = TypeVar("_T")
_OWNERS = "only whoever made the store can do this: it takes a login that may make others"


class TeamRole(StrEnum):
    """What somebody may do in a project. Each may do what those before it may."""

    READER = "reader"
    WRITER = "writer"
    ADMIN = "admin"


@dataclass(frozen=True)
class TeamGrant:
    """A role in one project, or in all."""

    role: TeamRole
    #: `ALL`, or a project's id.
    project_id: str
    #: What it is called; empty for all, and for one that is gone.
    project: str = ""


@dataclass(frozen=True)
class TeamMember:
    name: str
    #: What the server calls them.
    login: str
    since: datetime
    grants: tuple[TeamGrant, ...]


@dataclass(frozen=True)
class NewMember:
    """Somebody who was added, with the address that lets them in. Nobody can tell it a second time."""

    name: str
    url: str


@dataclass(frozen=True)
class Myself:
    """Who asks, as the server knows them."""

    login: str
    #: None for whoever made the store: no rule binds them.
    name: str | None
    grants: tuple[TeamGrant, ...]


@entries
class Team:
    """The people of a shared store."""

    def __init__(self, database: Database, url: str, random: Random) -> None:
        """`database` is the team's schema, and `url` leads to it."""
        self._database = database
        self._url = url
        self._random = random

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    def members(self) -> list[TeamMember]:
        """Everybody whom one may see, by name: admins see all, others themselves."""
        with self._database.read() as tx:
            found = tx.rows("SELECT name, login, created FROM members WHERE removed IS NULL ORDER BY name")
            grants = _grants(tx)
        return [
            TeamMember(name, login, since, tuple(grant for who, grant in grants if who == name))
            for name, login, since in found
        ]

    def me(self) -> Myself:
        """Who one is there."""
        with self._database.read() as tx:
            row = tx.row("SELECT me(), member()")
            assert row is not None
            grants = tuple(grant for who, grant in _grants(tx) if who == row[1])
        return Myself(str(row[0]), row[1], grants)

    def add(self, name: str, *, is_back: bool = False) -> NewMember:
        """Make somebody a member, without any rights yet. `is_back`: they were one before, and get their own memory
        back. Raises UsageError, Conflict, NotAllowed."""
        login = _login(name)
        password = base64.urlsafe_b64encode(self._random(_PASSWORD_BYTES)).decode().rstrip("=")
        with self._database.write() as tx:
            _require_maker(tx)
            _make_group(tx)
            self._enlist(tx, name, is_back=is_back)
            verifier = _scram(password, self._random(16))
            tx.run(f'CREATE ROLE "{login}" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ?', (verifier,))
            tx.run(f'GRANT {_GROUP} TO "{login}"')
            if not _is_superuser(tx):
                # So that a server of ours can act for them. What they may do is not added to what we may.
                options = "WITH INHERIT FALSE, SET TRUE" if _version(tx) >= 160000 else ""
                tx.run(f'GRANT "{login}" TO CURRENT_USER {options}')
            tx.rows("SELECT arm()")
            _note(tx, f"added {name}")
        return NewMember(name, _url_for(self._url, login, password))

    def _enlist(self, tx: Transaction, name: str, *, is_back: bool) -> None:
        row = tx.row("SELECT removed IS NULL FROM members WHERE name = ?", (name,))
        if row is None and tx.row("SELECT 1 FROM pg_roles WHERE rolname = ?", (_login(name),)):
            raise Conflict(
                f"this server has a login {_login(name)} for another store already", hint="choose another name"
            )
        own = "SELECT 1 FROM lerim_context.projects WHERE id = ?"
        if row is None and _has_context(tx) and tx.row(own, (f"global-{name}",)):
            raise Conflict(f"somebody who is no member has a memory of their own as {name}", hint="choose another name")
        if row is None:
            tx.run("INSERT INTO members (name) VALUES (?)", (name,))
        elif row[0]:
            raise Conflict(f"{name} is a member already", hint="lerim team list")
        elif not is_back:
            raise Conflict(
                f"there was a {name} before; whoever has that name now gets the memory that was theirs alone",
                hint=f"lerim team add {name} --back if it is the same person; else choose another name",
            )
        else:
            tx.run("UPDATE members SET removed = NULL, created = now() WHERE name = ?", (name,))

    def remove(self, name: str) -> None:
        """Let somebody go: their login, tokens and open connections end at once. What they wrote in projects stays, and
        so does what was theirs alone, where nobody but the store's owner gets at it. Raises NotFound, NotAllowed."""
        login = _login(name)
        with self._database.write() as tx:
            _require_maker(tx)
            self._require(tx, name)
            tx.run("UPDATE members SET removed = now() WHERE name = ?", (name,))
            for table in ("grants", "tokens"):
                tx.run(f"DELETE FROM {table} WHERE member = ?", (name,))
            tx.run(f'REVOKE {_GROUP} FROM "{login}"')
            tx.run(f'ALTER ROLE "{login}" NOLOGIN')
            _note(tx, f"removed {name}")
        self._hang_up(login)
        with self._database.write() as tx:
            tx.run(f'SET LOCAL ROLE "{login}"')
            tx.run(f'DROP OWNED BY "{login}"')
            tx.run("RESET ROLE")
            tx.run(f'DROP ROLE "{login}"')

    def grant(self, name: str, role: TeamRole, project: Project | None) -> None:
        """Give somebody a role in a project, or in all; in place of the one that they had there. Raises NotFound,
        NotAllowed, UsageError."""
        if project is not None and project.is_global:
            raise UsageError("a memory of one's own is for nobody else", hint="lerim project list")
        where = project.id if project else ALL
        with self._database.write() as tx:
            self._require(tx, name, is_admin=True)
            tx.run(
                "INSERT INTO grants (member, project_id, role) VALUES (?, ?, ?)"
                " ON CONFLICT (member, project_id) DO UPDATE SET role = excluded.role",
                (name, where, str(role)),
            )
            _note(tx, f"made {name} {role} of {project.name if project else 'all projects'}", where)
        self._hang_up(_login(name))

    def revoke(self, name: str, project: Project | None) -> TeamRole:
        """Take somebody's role in a project, or that in all, and tell which it was. Raises NotFound, NotAllowed."""
        where = project.id if project else ALL
        with self._database.write() as tx:
            self._require(tx, name, is_admin=True)
            row = tx.row("DELETE FROM grants WHERE member = ? AND project_id = ? RETURNING role", (name, where))
            if row is None:
                what = project.name if project else "all projects"
                raise NotFound(f"{name} has no role in {what}, or you are no admin of it", hint="lerim team list")
            _note(tx, f"took {name} out of {project.name if project else 'all projects'}", where)
        self._hang_up(_login(name))
        return TeamRole(row[0])

    def _require(self, tx: Transaction, name: str, *, is_admin: bool = False) -> None:
        """Raises NotFound. An admin of one project does not see who else there is, and need not."""
        known = tx.row("SELECT 1 FROM members WHERE name = ? AND removed IS NULL", (name,))
        narrow = tx.row("SELECT member() IS NOT NULL AND NOT has_all(3)")
        if not known and not (is_admin and narrow and narrow[0]):
            raise NotFound(f"no member '{name}'", hint="lerim team list")

    def _hang_up(self, login: str) -> None:
        """End a login's connections: one that is in the middle of something would go on seeing what it saw."""
        with self._database.write() as tx:
            maker = tx.row("SELECT pg_has_role(?, 'MEMBER') AND member() IS NULL", (login,))
            if not maker or not maker[0]:
                return
            tx.run(f'SET LOCAL ROLE "{login}"')
            tx.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ?", (login,))


def _grants(tx: Transaction) -> list[tuple[str, TeamGrant]]:
    """Every grant that one may see, widest first."""
    rows = tx.rows("SELECT member, role, project_id FROM grants ORDER BY member, project_id")
    names: dict[str, str] = {}
    if _has_context(tx):
        names = {str(key): str(name) for key, name in tx.rows("SELECT id, name FROM lerim_context.projects")}
    return [(who, TeamGrant(TeamRole(role), project, names.get(project, ""))) for who, role, project in rows]


def _has_context(tx: Transaction) -> bool:
    row = tx.row("SELECT to_regclass('lerim_context.projects') IS NOT NULL")
    return bool(row and row[0])


def _login(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' cannot be a member's name: small letters, digits and underscores, a letter first, at most 40",
            hint="lerim team add anna",
        )
    return LOGIN + name


def _note(tx: Transaction, what: str, project_id: str | None = None) -> None:
    tx.rows("SELECT note('rights', ?, ?, NULL)", (what, project_id))


def _require_maker(tx: Transaction) -> None:
    row = tx.row("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
    owns = tx.row("SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'lerim_team'")
    if not (row and row[0] and owns and owns[0]):
        raise NotAllowed(_OWNERS, hint="ask for CREATEROLE at the server, or lerim team whoami")


def _is_superuser(tx: Transaction) -> bool:
    row = tx.row("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    return bool(row and row[0])


def _version(tx: Transaction) -> int:
    row = tx.row("SELECT current_setting('server_version_num')")
    return int(row[0]) if row else 0


def _make_group(tx: Transaction) -> None:
    """The group that all members are in, and what it may not do."""
    if not tx.row("SELECT 1 FROM pg_roles WHERE rolname = ?", (_GROUP,)):
        tx.run(f"CREATE ROLE {_GROUP} NOLOGIN")
    row = tx.row("SELECT quote_ident(current_database()), has_schema_privilege(?, 'public', 'CREATE')", (_GROUP,))
    assert row is not None
    tx.run(f"GRANT CONNECT ON DATABASE {row[0]} TO {_GROUP}")
    if row[1]:
        # Functions that somebody puts there could be taken for ones of the server.
        tx.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    row = tx.row("SELECT has_schema_privilege(?, 'public', 'CREATE')", (_GROUP,))
    if row and row[0]:
        raise StoreError(
            "everybody may make functions in the schema 'public' of this database; nothing was changed",
            hint="have its owner run: REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        )


def _scram(password: str, salt: bytes) -> str:
    """What a server keeps of a password: so it is told to nobody, not even to the server's log."""
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    parts = [base64.b64encode(part).decode() for part in (salt, stored, hmac.digest(salted, b"Server Key", "sha256"))]
    return f"SCRAM-SHA-256${_ROUNDS}:{parts[0]}${parts[1]}:{parts[2]}"


def _url_for(url: str, login: str, password: str) -> str:
    """The same address for somebody else."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    own = ("user", "password", "passfile", "sslkey", "sslcert", "sslpassword")
    query = "&".join(part for part in parts.query.split("&") if part.partition("=")[0] not in own)
    return urlunsplit((parts.scheme, f"{login}:{quote(password)}@{host}", parts.path, query, ""))
