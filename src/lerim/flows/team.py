"""People and rights in a shared store: who may do what there, by which tokens, and who did what."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from lerim.context.access_log import AccessKind, AccessLog
from lerim.context.team import ALL, Team, TeamGrant, TeamRole
from lerim.context.tokens import DAYS, ApiTokens, NewToken
from lerim.errors import ConfigError
from lerim.flows.flow import Flow

if TYPE_CHECKING:
    from lerim.context.access_log import AccessEntry
    from lerim.context.projects import Project
    from lerim.shared import SharedStore
    from lerim.storage.database import Database


class TeamDesk(Flow):
    """What `lerim team` does. Without a shared store there is nobody to let in. Raises ConfigError then."""

    @cached_property
    def people(self) -> Team:
        return Team(self._database, self._shared.address.url, self._house.random)

    @cached_property
    def tokens(self) -> ApiTokens:
        return ApiTokens(self._database, self._house.random)

    @cached_property
    def log(self) -> AccessLog:
        return AccessLog(self._database)

    def grant(self, name: str, role: str, project: str | None) -> TeamGrant:
        """Give somebody a role in a project, or in all of them."""
        found = self._project(project)
        self.people.grant(name, TeamRole(role), found)
        return TeamGrant(TeamRole(role), found.id if found else ALL, found.name if found else "")

    def revoke(self, name: str, project: str | None) -> TeamGrant:
        """Take it back. What somebody has in all projects is not taken by naming one."""
        found = self._project(project)
        before = self.people.revoke(name, found)
        return TeamGrant(before, found.id if found else ALL, found.name if found else "")

    def make_token(
        self, label: str, role: str, projects: Sequence[str] = (), *, days: int = DAYS, member: str = ""
    ) -> NewToken:
        found = [self._house.projects.find(name) for name in projects]
        return self.tokens.create(label, TeamRole(role), found, days=days, member=member)

    def entries(self, limit: int, who: str = "", project: str = "", action: str = "") -> list[AccessEntry]:
        """The log, newest first. People are named as they are listed, or as the server knows them."""
        logins = {member.name: member.login for member in self.people.members()}
        found = self._house.projects.find(project) if project else None
        kind = AccessKind(action) if action else None
        return self.log.latest(limit, who=logins.get(who, who), project_id=found.id if found else "", action=kind)

    def _project(self, name: str | None) -> Project | None:
        return self._house.projects.find(name) if name else None

    @cached_property
    def _database(self) -> Database:
        return self._shared.open("team")

    @property
    def _shared(self) -> SharedStore:
        shared = self._house.shared
        if shared is None:
            raise ConfigError(
                "this memory is yours alone: people and rights are for a store that several share",
                hint="lerim storage copy ~/.lerim postgresql://…; then set storage.url in your config.toml",
            )
        return shared
