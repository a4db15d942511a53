"""What happens to a project as a whole."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.config.scope import ScopeMode, foreign_store, refusal
from lerim.context.projects import ProjectTrust
from lerim.dataclass import dataclass, replace
from lerim.errors import Conflict, ScopeError, StoreError, UsageError
from lerim.flows.flow import Flow
from lerim.printable import move_away
from lerim.storage.entries import entries, not_an_entry

if TYPE_CHECKING:
    from lerim.config.profiles import Profile
    from lerim.context.backups import Backup
    from lerim.context.memory import Which
    from lerim.context.projects import OnlyInStore, Project
    from lerim.context.share_check import Revelation
    from lerim.context.upkeep import Reset


@dataclass(frozen=True)
class RemovedProject:
    """A project that is forgotten, what only the store knew of it, and the backup that still has it."""

    project: Project
    lost: OnlyInStore
    backup: Backup | None


@entries
class Setup(Flow):
    """A project's way in and out: made one, trusted, shared, forgotten; and a memory begun anew."""

    def init(self, root: Path | None = None, name: str | None = None) -> Project:
        """Make a folder a project: registered, with its `.lerim/` folder laid out."""
        project = self._house.projects.add(self._folder(root), name)
        return self._laid_out(project)

    def join(self, name: str, root: Path | None = None) -> Project:
        """Tie a folder to a project of a shared store that nothing else tells it to be."""
        return self._laid_out(self._house.projects.join(self._folder(root), name))

    def set_profile(self, project: Project, named: str) -> tuple[Profile, Path]:
        """Have a project's sessions read by another profile: one there is, or a file that becomes one of the user's.
        The profile, and the file of settings that names it. Raises NotFound, Conflict, ConfigError."""
        from lerim.config.profiles import name_profile  # Start-up: seldom needed.

        house = self._house
        if not project.is_trusted:
            raise Conflict(
                f"{project.name} is not trusted: what its file says does not count", hint="lerim project trust"
            )
        is_file = named.endswith(".toml") or "/" in named
        profile = house.rules.profiles.add(Path(named).expanduser()) if is_file else house.rules.profiles.find(named)
        file = name_profile(house.lay_out(project), profile.name)
        house.reopen()
        return profile, file

    def _folder(self, root: Path | None) -> Path:
        """A folder that may be a project. Raises StoreError, ScopeError."""
        house = self._house
        chosen = (root or house.project_root or house.cwd).resolve()
        if not chosen.is_dir():
            raise StoreError(f"{chosen} is not a folder", hint="lerim project add PATH")
        if (reason := refusal(chosen, house.home)) is not None:
            store = foreign_store(chosen)
            raise ScopeError(reason, hint=move_away(str(store)) if store else "cd into a repository, then: lerim init")
        return chosen

    def _laid_out(self, project: Project) -> Project:
        self._house.lay_out(project)
        # The project was found before it was registered: look again from here on.
        self._house.reopen()
        return project

    def adopt(self) -> Project | None:
        """Register the repository here, if it is none yet: whoever syncs in it wants its memory. None if it was."""
        root = self._house.project_root
        if root is None or self._house.scope.mode is ScopeMode.GLOBAL_ONLY or self._house.projects.at(root) is not None:
            return None
        return self.init(root)

    def trust(self, project: Project, *, trusted: bool = True) -> tuple[Project, int]:
        """Remember whether the user trusts a project: its settings count, and its memory files are their own word; or
        not. How many records that changed."""
        from lerim.context.hearsay import believe, doubt  # Only this needs it.

        if not trusted and project.root in self._house.named:
            raise UsageError(
                f"your settings name {project.root} in trust.projects, so it is trusted",
                hint="lerim config show names the file; take the folder out of it",
            )
        changed = (believe if trusted else doubt)(self._house.memory.place(project))
        trust = ProjectTrust.TRUSTED if trusted else ProjectTrust.UNTRUSTED
        project = self._house.projects.set_trust(project, trust)
        # Other settings count now; and the rules for git follow.
        self._house.reopen()
        self._house.lay_out(project)
        return project, changed

    def would_reveal(self, project: Project | None = None, *, fix: bool = False) -> list[Revelation]:
        """What a commit of a project's `.lerim` would tell others; said again without it where Lerim wrote it, when
        `fix` is asked."""
        from lerim.context.share_check import Sharing, names_here, take_out, would_reveal  # Start-up: few ask.

        place = self._house.memory.place(project or self._house.project_here())
        settings = self._house.settings_of(place.project).memory
        sharing = Sharing(
            settings.share_summaries, settings.share_traces, names_here(self._house.env, place.project.root)
        )
        found = would_reveal(place, sharing)
        return take_out(place, found) if fix and found else found

    def remove(self, project: Project) -> RemovedProject:
        """Forget a project; its files stay. What only the store knows is backed up first, if there is anything."""
        if self._house.shared is not None:
            self._house.shared.guard_removal(project, project.id)
        lost = self._house.projects.only_in_store(project)
        made = self._house.backups.make(f"before {project.name} was removed") if lost else None
        self._house.projects.remove(project)
        self._house.forget_views(project.root)
        # It was found here before: look again from here on.
        self._house.reopen()
        return RemovedProject(project, lost, made)

    @not_an_entry
    def would_lose(self, which: Which) -> dict[str, OnlyInStore]:
        """What a reset would delete that is in no file, by scope."""
        known = self._projects_of(which)
        return {"global" if one.is_global else "project": self._house.projects.only_in_store(one) for one in known}

    def _projects_of(self, which: Which) -> list[Project]:
        scope = self._house.scope
        roots = [scope.project] * (which != "global") + [scope.home] * (which != "project")
        return [project for root in roots if root and (project := self._house.projects.at(root))]

    @not_an_entry
    def reset(self, which: Which, *, backup: bool = True, shared: str = "") -> Reset:
        """Forget everything of a scope as it is, by default after a backup to go back to, if one can be made.

        What others use too is forgotten for all of them, by an admin who names it as `shared`.
        """
        if self._house.shared is not None:
            for project in self._projects_of(which):
                self._house.shared.guard_removal(project, shared)
        made = None
        if backup and any(self.would_lose(which).values()):
            # Of a store that cannot be copied soundly, the reset itself keeps what there is.
            with suppress(StoreError):
                made = self._house.backups.make(f"before a reset of the {which} memory")
        return replace(self._house.memory.reset(which, backup=backup), restore=made.name if made else None)
