"""ApiTokens that let a program act as a member over HTTP: with a part of their rights, and until some day.

A token is shown once. What is kept of it is the SHA-256 of its random half, so a copy of the store lets nobody in; and
what it may do is decided by the server for each row, as for its member.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from lerim.context.projects import Project
from lerim.context.records import Random
from lerim.context.team import TeamRole
from lerim.dataclass import dataclass
from lerim.errors import NotFound, UsageError
from lerim.storage.database import Database, Row
from lerim.storage.entries import entries, not_an_entry

#: What every token begins with, so that a search for leaked secrets finds one.
PREFIX = "lerim_"
DAYS = 90
MOST_DAYS = 366
_ID_BYTES, _SECRET_BYTES = 8, 32
_ID_LETTERS = 2 * _ID_BYTES
_LABEL = 80
_T = TypeVar("_T")
_COLUMNS = "id, member, label, role, projects, created, expires, revoked, last_used, expires > now()"
# Who is not known is compared with something, too: how long it takes tells nothing.
_NOBODY = bytes(32)


@dataclass(frozen=True)
class ApiToken:
    """A token, without what lets anybody in."""

    id: str
    member: str
    label: str
    role: TeamRole
    #: The projects it is for; None: all of its member's.
    projects: tuple[str, ...] | None
    created: datetime
    expires: datetime
    revoked: datetime | None
    last_used: datetime | None
    #: Whether it lets anybody in.
    holds: bool


@dataclass(frozen=True)
class NewToken:
    """A token that was made just now, and the only time that it can be seen."""

    token: ApiToken
    secret: str


@dataclass(frozen=True)
class Bearer:
    """Who came with a token."""

    member: str
    login: str
    token: str


@entries
class ApiTokens:
    """The tokens of a shared store, as far as whoever asks may see them."""

    def __init__(self, database: Database, random: Random) -> None:
        """`database` is the team's schema."""
        self._database = database
        self._random = random

    def enter(self, work: Callable[[], _T]) -> _T:
        return self._database.guarded(work)

    def all(self) -> list[ApiToken]:
        """One's own, oldest first; for an admin of all, everybody's."""
        with self._database.read() as tx:
            return [_token(row) for row in tx.rows(f"SELECT {_COLUMNS} FROM tokens ORDER BY created, id")]

    def create(
        self, label: str, role: TeamRole, projects: Sequence[Project] = (), *, days: int = DAYS, member: str = ""
    ) -> NewToken:
        """Make one for oneself; the store's owner makes it for a member. Without projects it is for all of theirs.

        Raises UsageError, NotFound, NotAllowed.
        """
        if not 1 <= days <= MOST_DAYS:
            raise UsageError(f"a token holds for 1 to {MOST_DAYS} days", hint="lerim team token create --days 90")
        if not label.strip() or len(label) > _LABEL or not label.isprintable():
            raise UsageError(f"say in a few words what it is for, at most {_LABEL} letters")
        token, secret = self._random(_ID_BYTES).hex(), _letters(self._random(_SECRET_BYTES))
        wanted = [project.id for project in projects] or None
        with self._database.write() as tx:
            who = tx.row("SELECT coalesce(member(), ?)", (member,))
            name = str(who[0]) if who else ""
            if member and name != member:
                raise UsageError(f"you are {name}: a token is made by who it is for", hint="lerim team token create")
            if not tx.row("SELECT 1 FROM members WHERE name = ? AND removed IS NULL", (name,)):
                raise (
                    NotFound(f"no member '{name}'", hint="lerim team list")
                    if name
                    else NotFound("a token is a member's: say whose", hint="lerim team token create --for NAME")
                )
            projects_of = "ARRAY(SELECT jsonb_array_elements_text((?)::jsonb))" if wanted else "?"
            tx.run(
                "INSERT INTO tokens (id, member, label, digest, role, projects, expires)"
                f" VALUES (?, ?, ?, ?, ?, {projects_of}, now() + make_interval(days => ?))",
                (token, name, label, _digest(secret), str(role), json.dumps(wanted) if wanted else None, days),
            )
            tx.rows("SELECT note('rights', ?, NULL, NULL)", (f"made the token {token} for {name}",))
            row = tx.row(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", (token,))
        assert row is not None
        return NewToken(_token(row), f"{PREFIX}{token}_{secret}")

    def revoke(self, reference: str) -> ApiToken:
        """Take one back, by its id or what it was called. Raises NotFound, UsageError."""
        with self._database.write() as tx:
            found = tx.rows("SELECT id FROM tokens WHERE id = ? OR label = ?", (reference, reference))
            if not found:
                raise NotFound(f"no token '{reference}'", hint="lerim team token list")
            if len(found) > 1:
                raise UsageError(f"several tokens are called '{reference}': name its id", hint="lerim team token list")
            tx.run("UPDATE tokens SET revoked = now() WHERE id = ? AND revoked IS NULL", found[0])
            tx.rows("SELECT note('rights', ?, NULL, NULL)", (f"took back the token {found[0][0]}",))
            row = tx.row(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", found[0])
        assert row is not None
        return _token(row)

    @not_an_entry
    def bearer_of(self, text: str) -> Bearer | None:
        """Who comes with this token; None for one that is made up, too old or taken back. Only the owner can ask."""
        token, _, secret = text.removeprefix(PREFIX).partition("_")
        sql = (
            "SELECT t.member, m.login, t.digest, t.revoked IS NULL AND t.expires > now() AND m.removed IS NULL,"
            " coalesce(t.last_used < now() - interval '1 minute', true)"
            " FROM tokens t JOIN members m ON m.name = t.member WHERE t.id = ?"
        )
        with self._database.read() as tx:
            row = tx.row(sql, (token[:_ID_LETTERS],)) if text.startswith(PREFIX) else None
        is_right = hmac.compare_digest(_digest(secret), bytes(row[2]) if row else _NOBODY)
        if row is None or not is_right or not row[3] or len(token) != _ID_LETTERS:
            return None
        if row[4]:
            with self._database.write_among() as tx:
                tx.run("UPDATE tokens SET last_used = now() WHERE id = ?", (token,))
        return Bearer(row[0], row[1], token)


def _token(row: Row) -> ApiToken:
    token, member, label, role, projects, created, expires, revoked, last_used, is_young = row
    within = tuple(projects) if projects is not None else None
    holds = bool(is_young) and revoked is None
    return ApiToken(token, member, label, TeamRole(role), within, created, expires, revoked, last_used, holds)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def _letters(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
