"""A store that several share: two projects, and members who may do more or less in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from lerim.config.scope import Scope, ScopeMode
from lerim.context.memory import Memory
from lerim.context.projects import Project, Projects
from lerim.context.records import Draft, Primitive
from lerim.context.recovery import open_local
from lerim.context.team import Team, TeamRole
from lerim.storage.database import Database
from lerim.storage.engine import open_shared

from ..postgres_server import execute, url_of

SCHEMAS = ("context", "sessions", "usage", "answers", "team")
#: Every table with a column that says whose it is, beside those that anybody may know.
_KNOWN_TO_ALL = ("steps", "identity")
ME = f"p{os.getpid()}"
_NUMBERS = count()
#: What is only in the other project, or only somebody else's.
SECRETS = ("Kestrel", "orchard-backend", "postgres-only")


class TeamWorld:
    """A store with two projects, somebody's own memory, and the people who work with it."""

    def __init__(self, folder: Path) -> None:
        self.name = new_database()
        self.url = url_of(self.name)
        self.databases = {name: open_shared(self.url, name) for name in SCHEMAS}
        self.team = Team(self.databases["team"], self.url, os.urandom)
        self.folder = folder
        self.members: dict[str, str] = {}
        self.reader = self.writer = self.other = ""
        self.shop, self.orchard = self.project("shop"), self.project("orchard-backend")
        self.add("shop", "Pay by invoice only", "The shop takes invoices.")
        self.add("orchard-backend", "Kestrel is the code name", "Kestrel ships in May, postgres-only.")

    def project(self, name: str) -> Project:
        (self.folder / name).mkdir(parents=True)
        return Projects(self.databases["context"], self.folder / "home").add(self.folder / name)

    def memory(self, database: Database, name: str) -> Memory:
        home = self.folder / f"home-{database.location.partition('@')[0][-20:].replace('/', '')}"
        home.mkdir(exist_ok=True)
        projects = Projects(database, home)
        scope = Scope(ScopeMode.PROJECT_ONLY, self.folder / name, home)
        return Memory(database, open_local(home), scope, projects, projects.lay_out)

    def add(self, name: str, title: str, body: str) -> None:
        self.memory(self.databases["context"], name).add(Draft(Primitive.DECISION, title, body))

    def member(self, name: str) -> str:
        """The address of a new member, known as `name` here."""
        added = self.team.add(f"{name}_{ME}_{len(self.members)}")
        self.members[name] = added.name
        return added.url

    def owner(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return execute(sql, self.name, values)


def new_database() -> str:
    """One of its own: those of other tests are emptied whenever one of them is done."""
    name = f"lerim_team_{os.getpid()}_{next(_NUMBERS)}"
    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    return name


@contextmanager
def team_world(folder: Path) -> Iterator[TeamWorld]:
    """A reader and a writer of the shop, and an admin of all; gone with their logins when it is over."""
    made = TeamWorld(folder)
    made.reader, made.writer, made.other = (made.member(name) for name in ("reader", "writer", "other"))
    made.team.grant(made.members["reader"], TeamRole.READER, made.shop)
    made.team.grant(made.members["writer"], TeamRole.WRITER, made.shop)
    made.team.grant(made.members["other"], TeamRole.ADMIN, None)
    try:
        yield made
    finally:
        for name in made.members.values():
            made.team.remove(name)


@contextmanager
def logged_in(url: str) -> Iterator[Any]:
    """A plain client with somebody's login, and nothing of ours in between."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def ask(url: str, sql: str) -> list[tuple[Any, ...]] | str:
    """What a client gets for a statement: rows, or what the server says of it."""
    import psycopg

    with logged_in(url) as connection:
        try:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else [(cursor.rowcount,)]
        except psycopg.Error as error:
            return f"{type(error).__name__}: {error.diag.message_primary} {error.diag.message_detail or ''}"
