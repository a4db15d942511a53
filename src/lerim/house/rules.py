"""What holds in each project: its settings, its profile, what is redacted; wherever somebody stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.layers import Config, load, user_home
from lerim.config.scope import Scope, ScopeMode, foreign_store, locate
from lerim.config.settings import Settings
from lerim.context.projects import Project, Projects
from lerim.dataclass import replace
from lerim.errors import ConfigError, NotFound, ScopeError
from lerim.openat import LERIM
from lerim.printable import move_away

if TYPE_CHECKING:
    from lerim.config.profiles import Profile, Profiles
    from lerim.sources.redact import Redactor


class HouseRules:
    """What a project, or the user, says of how things are done."""

    def __init__(
        self,
        cwd: Path,
        home: Path,
        env: Mapping[str, str],
        projects: Callable[[], Projects],
        has_store: Callable[[], bool],
    ) -> None:
        """`projects` tells which there are; it is asked only where there is a store."""
        self._cwd = cwd
        self._home = home
        self._env = env
        self._projects = projects
        self._has_store = has_store

    @cached_property
    def here(self) -> Config:
        """The settings that hold here, and the layer each came from."""
        return self.users if self.project_root is None else self.load(self.project_root)

    @cached_property
    def users(self) -> Config:
        """The settings that hold outside of any project, and for what is one for all of them."""
        return load(self._home, None, self._env)

    @cached_property
    def project_root(self) -> Path | None:
        """The project this directory belongs to, registered or not. Raises ScopeError when a store lies in it."""
        root = self.root_of(self._cwd)
        if root is not None and (store := foreign_store(root)) is not None:
            raise ScopeError(
                f"{store} looks like Lerim's store, and {root} is a project; nothing was read or written",
                hint=move_away(str(store)),
            )
        return root

    def settings_of(self, project: Project) -> Settings:
        """What a project says about its own memory; the user's word for the global one."""
        return (self.users if project.is_global else self.config_at(project.root)).settings

    @cached_property
    def profiles(self) -> Profiles:
        """The profiles there are: those that come with Lerim, and the user's own."""
        from lerim.config.profiles import Profiles  # Start-up: few commands read sessions.

        return Profiles(self._home)

    def profile_of(self, project: Project) -> Profile:
        """How sessions of a project are read and told. Raises NotFound, ConfigError."""
        return self.profile_named(self.settings_of(project).profile.name)

    def profile_named(self, name: str) -> Profile:
        """A profile, with what the user's own default one takes out, too: no project takes that away. Raises
        ConfigError."""
        try:
            found, own = self.profiles.find(name), self.profiles.find(self.users.settings.profile.name)
        except NotFound as error:
            raise ConfigError(error.message, hint=error.hint) from None
        private = tuple(dict.fromkeys((*own.private, *found.private)))
        return replace(found, private=private, patterns=tuple(dict.fromkeys((*own.patterns, *found.patterns))))

    def profile_at(self, root: Path | None) -> Profile:
        """The profile of the project at a root; the user's own for the home, or where there is no project."""
        is_global = root is None or root == self._home
        settings = self.users.settings if is_global or root is None else self.config_at(root).settings
        return self.profile_named(settings.profile.name)

    def redactor(self, root: Path | None) -> Redactor:
        """A fresh redactor for what happened in a project: it counts what it takes out. Raises ConfigError."""
        from lerim.sources.redact import Redactor

        return Redactor(self.salt, self.patterns_of(root))

    def patterns_of(self, root: Path | None) -> tuple[str, ...]:
        """A project may have secrets of a shape of its own; it cannot take away what the user wants redacted."""
        if root not in self._patterns:
            own = self.users.settings.redaction.patterns
            added = () if root is None else self.config_at(root).settings.redaction.patterns
            self._patterns[root] = tuple(dict.fromkeys((*own, *added)))
        return self._patterns[root]

    def root_at(self, cwd: str | None) -> Path | None:
        """The project of a directory that a trace names. A relative one would be taken as seen from here."""
        return self.root_of(Path(cwd)) if cwd and Path(cwd).is_absolute() else None

    @cached_property
    def _patterns(self) -> dict[Path | None, tuple[str, ...]]:
        return {}

    @cached_property
    def salt(self) -> bytes:
        """What makes the fingerprints of secrets this home's own."""
        from lerim.sources.gate import salt_of

        return salt_of(self._home)

    def config_at(self, root: Path) -> Config:
        """The settings of the project at a root."""
        return self.here if root == self.project_root else self.load(root)

    def load(self, root: Path) -> Config:
        """The same, read anew: what an untrusted project's file says does not count."""
        project = self.registered.get(root)
        return load(self._home, root, self._env, trusted=project is not None and project.is_trusted)

    def root_of(self, cwd: Path) -> Path | None:
        """The root of the project that a folder belongs to; None when it belongs to none."""
        separate = self.users.settings.memory.separate_worktrees
        known = self.registered
        found = locate(cwd, known, home=self._home, separate_worktrees=separate, other_home=self.other_home)
        return known[found].root if found in known else found

    @cached_property
    def other_home(self) -> Path:
        """Where Lerim would be at home if nobody said otherwise."""
        return user_home(self._env) / LERIM

    @cached_property
    def registered(self) -> dict[Path, Project]:
        """The registered projects. Whoever only looks at the settings gets no store made for it."""
        if not self._has_store():
            return {}
        here = {project.root: project for project in self._projects().all()}
        return {**here, **{clone: here[root] for clone, root in self._projects().clones().items()}}


def scope_of(project: Project, home: Path) -> Scope:
    """One project alone: where a run over its sessions reads and writes."""
    mode = ScopeMode.GLOBAL_ONLY if project.is_global else ScopeMode.PROJECT_ONLY
    return Scope(mode, None if project.is_global else project.root, home)
