"""Whether what was done on a branch has reached the main one; told only where git's history tells it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from lerim.curate.repository import Commit, Refs, Repository
from lerim.dataclass import dataclass


class Merging(NamedTuple):
    """How a branch stands: open, merged, or unknown; and why that is thought."""

    state: str
    what: str


OPEN, MERGED, UNKNOWN = "open", "merged", "unknown"
#: A main branch that has one of these names may have had the other.
_MAIN_NAMES = {"main", "master"}
#: Seconds that a look in passing may take.
_PATIENCE = 5.0


def is_open(root: Path, branch: str, said: datetime) -> bool:
    """Whether a branch that something was said on at this moment is known not to be merged yet."""
    repository = Repository(root, _PATIENCE)
    refs = repository.refs()
    return refs is not None and MainLine(repository, refs, {}).merging(branch, said).state == OPEN


@dataclass(frozen=True)
class MainLine:
    """The main branch of a repository, and what came into it."""

    repository: Repository
    refs: Refs
    #: The tips of branches as they were last seen, of those that are gone, too.
    known_tips: Mapping[str, str]

    @property
    def name(self) -> str:
        return next(iter(self.refs.main()), "")

    def is_told(self, branch: str) -> bool:
        """Whether it can be told of a branch how it stands: it is there, or was the main one under its other name."""
        return bool(self.name) and (self.refs.has(branch) or self.was_called(branch))

    def was_called(self, branch: str) -> bool:
        """Whether the main branch had this name: sessions remember the one it was given first."""
        return {branch, self.name} == _MAIN_NAMES and not self.refs.has(branch)

    @cached_property
    def _tips(self) -> list[str]:
        return self.refs.tips(self.name) if self.name else []

    @cached_property
    def _merges(self) -> list[tuple[Commit, tuple[str, ...], str]]:
        return [merge for tip in self._tips for merge in self.repository.merges(tip)]

    def merging(self, branch: str, said: datetime) -> Merging:
        """Whether what was said on a branch at this moment has been merged since."""
        if not self.name:
            return Merging(UNKNOWN, "and no branch here is known to be the main one")
        if branch == self.name:
            return Merging(MERGED, f"which is {self.name}")
        if self.was_called(branch):
            return Merging(MERGED, f"which is called {self.name} here")
        for commit, _, named in self._merges:
            if named == branch and commit.at >= said:
                return Merging(MERGED, f'merged in {commit.short} "{commit.subject}"')
        tips = self.refs.tips(branch)
        if tips:
            return self._of_tips(tips, said)
        known = self.known_tips.get(branch)
        if known and (found := self._reached(known)):
            return Merging(MERGED, found)
        return Merging(UNKNOWN, "which is gone; whether it was merged cannot be told")

    def _of_tips(self, tips: list[str], said: datetime) -> Merging:
        for tip in tips:
            commit = self.repository.commit(tip)
            # A branch nobody has committed to since lies within the main one without having been merged.
            is_later = commit is not None and commit.at >= said
            merged_since = any(tip in parents and merge.at >= said for merge, parents, _ in self._merges)
            if (is_later or merged_since) and (found := self._reached(tip)):
                return Merging(MERGED, found)
        return Merging(OPEN, f"not merged into {self.name} yet")

    def _reached(self, tip: str) -> str:
        """How a tip came into the main branch, in words; nothing when it did not, or nobody can tell."""
        for main in self._tips:
            if self.repository.is_within(tip, main):
                return f"merged into {self.name}"
            if self._is_made_again(tip, main):
                return f"its changes are in {self.name}"
        return ""

    def _is_made_again(self, tip: str, main: str) -> bool:
        """Whether the main branch has the same changes as commits of its own: squashed, or one by one."""
        base = self.repository.merge_base(tip, main)
        if base is None or base in (tip, main):
            return False
        there = self.repository.patch_ids([f"{base}..{main}"])
        if not there:
            return False
        whole = self.repository.patch_ids([base, tip], squashed=True)
        one_by_one = self.repository.patch_ids([f"{base}..{tip}"])
        return any(made and made <= there for made in (whole, one_by_one))
