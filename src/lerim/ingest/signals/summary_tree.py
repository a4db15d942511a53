"""What is left at the end of the files that were changed and the commits that were made: what was put back, deleted,
reset, or thrown away with its branch did not come of a session. Pure: it follows commands, and runs none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

#: What a commit that takes another back is called here.
TAKEN_BACK = "Take back"
_PARTS = re.compile(r"&&|\|\||[;|\n]")
#: What stands in quotes or in a document of its own is no command.
_QUOTED = re.compile(r"\"(?:[^\"\\]++|\\.)*\"|'[^']*'")
_DOCUMENT = re.compile(r"<<-?\s*['\"]?(?P<mark>\w+)['\"]?.*?^\s*(?P=mark)\b", re.DOTALL | re.MULTILINE)
_BETWEEN = re.compile(r"[;&|\n]")
_WORD = re.compile(r"\"(?:[^\"\\]++|\\.)*\"|'[^']*'|[^\s\"']+")
#: Before a command: where git works, settings of the shell, somebody else's rights.
_LEADS = re.compile(r"^(?:\s*(?:sudo|command|env|[A-Z_]+=\S*)\s+)*\s*")
_GIT = re.compile(r"^git(?:\s+-[cC]\s+\S+|\s+--[\w-]+(?:=\S+)?)*\s+")
_DELETES = frozenset({"rm", "unlink", "trash", "rmdir", "del", "remove-item"})
_BACK = re.compile(r"^(?:HEAD)?(?:~(?P<number>\d*)|(?P<carets>\^+)|@\{(?P<log>\d+)\})$|^HEAD@\{(?P<head>\d+)\}$")
_UPSTREAM = re.compile(r"^(?:origin|upstream)/|^@\{u")
#: So much of a command is followed.
_MOST_CHARS = 2_000
_EVERYTHING = frozenset({".", "*", ":/", "./"})
_REVERTED = re.compile(r"Revert \"(?P<subject>[^\"\n]+)\"")


@dataclass
class TreeCommit:
    """A commit, with the files that were changed for it and the branches that hold it."""

    subject: str
    files: frozenset[str]
    branches: set[str]
    is_pushed: bool = False
    #: The branch as git calls it, where it said so.
    on: str = ""


@dataclass
class WorkTree:
    """The files and commits of a session, as far as they are still there."""

    files: Counter[str] = field(default_factory=Counter)
    commits: list[TreeCommit] = field(default_factory=list)
    #: What was put back, deleted again or thrown away.
    gone: set[str] = field(default_factory=set)
    uncommitted: set[str] = field(default_factory=set)
    created: set[str] = field(default_factory=set)
    #: Files that were read before they were written.
    known: set[str] = field(default_factory=set)
    stashed: list[frozenset[str]] = field(default_factory=list)
    #: Where commits go; empty for the branch that the session began on, whatever it is called.
    branch: str = ""
    #: What was put into files and taken out of them since the last commit, line by line.
    lines: dict[str, Counter[str]] = field(default_factory=dict)
    begun: set[str] = field(default_factory=set)
    #: The folder in which the parts of a command are, below the project's.
    folder: str = ""

    def changed(self, paths: Sequence[str], *, is_new: bool) -> None:
        """Files were written; new ones were not there before, as far as the session shows."""
        self.created.update(path for path in paths if is_new and path not in self.files and path not in self.known)
        self.files.update(paths)
        self.uncommitted.update(paths)
        self.gone.difference_update(paths)

    def rewritten(self, path: str, lines: Counter[str]) -> None:
        """Lines were put in and taken out of a file since the last commit: where nothing of it is left, it is back."""
        kept = self.lines.setdefault(path, Counter())
        kept.update(lines)
        if path in self.uncommitted and path not in self.created and not any(kept.values()):
            self.put_back([path])

    def read(self, paths: Iterable[str]) -> None:
        """Files were there before they were written."""
        self.known.update(path for path in paths if path not in self.created)

    def deleted(self, paths: Sequence[str]) -> None:
        """A file that the session made and deleted again was never there; another one is changed by it."""
        self._delete(paths)
        self.changed([path for path in paths if path not in self.gone], is_new=False)

    def committed(self, subject: str, *, is_amended: bool, on: str = "") -> None:
        """What was changed since the last commit is in one."""
        files = frozenset(self.uncommitted)
        last = next((one for one in reversed(self.commits) if self.branch in one.branches), None)
        if is_amended and last is not None:
            self.commits.remove(last)
            files, subject = files | last.files, subject or last.subject
        if subject and all(one.subject != subject for one in self.commits):
            self.commits.append(TreeCommit(subject, files, {self.branch}, on=on))
        self.uncommitted.clear()
        self.lines.clear()

    def last_together(self) -> list[str]:
        """The subjects of the commits on the branch of the last one; none where that is all of them, or unknown."""
        on = self.commits[-1].on if self.commits else ""
        found = [one.subject for one in self.commits if one.on == on]
        return found if on and len(found) < len(self.commits) else []

    def ran(self, command: str, answer: str) -> None:
        """Follow what a command does to files, commits and branches."""
        self.folder = ""
        for words in _commands(command):
            name, *arguments = words
            if name == "git":
                self._git(arguments, answer)
            elif name in {"cd", "pushd"}:
                self.folder = _within(self.folder, next(iter(_places(arguments)), ""))
            elif name.lower() in _DELETES:
                self._delete(arguments)
            elif name == "mv":
                self._rename(arguments)

    def _git(self, words: Sequence[str], answer: str) -> None:
        by_name = {
            "checkout": self._checkout,
            "switch": self._checkout,
            "restore": self._restore,
            "reset": self._reset,
            "stash": self._stash,
            "clean": self._clean,
            "branch": self._branch,
            "merge": self._merge,
            "push": self._push,
            "rm": self._remove,
            "mv": self._rename,
        }
        if words and words[0] == "revert":
            self._revert(words[1:], answer)
        elif words and (follow := by_name.get(words[0])) is not None:
            follow(words[1:])

    # --- files ---------------------------------------------------------------------------------------------------

    def put_back(self, paths: Iterable[str]) -> None:
        """They are as they were at the last commit."""
        back = [path for path in paths if path in self.uncommitted]
        self.uncommitted.difference_update(back)
        self._forget(path for path in back if not any(path in one.files for one in self.commits))

    def _forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            if self.files.pop(path, 0):
                self.gone.add(path)

    def _named(self, words: Collection[str]) -> list[str]:
        """What words name, as it is called there and from the project's folder."""
        places = _places(words)
        return [*places, *(_within(self.folder, one) for one in places if self.folder and one not in _EVERYTHING)]

    def _delete(self, words: Sequence[str]) -> None:
        places = self._named(words)
        # Named from the root it is the same file, whatever folder that is.
        found = [
            path for path in self.created if any(is_within(path, one) or one.endswith(f"/{path}") for one in places)
        ]
        self.uncommitted.difference_update(found)
        self.created.difference_update(found)
        self._forget(found)

    def _rename(self, words: Sequence[str]) -> None:
        places = _places(words)
        if len(places) != 2 or places[0] not in self.files:
            return
        old, new = places
        self.files[new] += self.files.pop(old)
        for held in (self.uncommitted, self.created):
            if old in held:
                held.discard(old)
                held.add(new)

    def _clean(self, words: Sequence[str]) -> None:
        if any(word.startswith("-") and "f" in word for word in words) and "-n" not in words:
            self.put_back([*self.uncommitted & self.created])

    def _restore(self, words: Sequence[str]) -> None:
        if "--staged" not in words or "--worktree" in words:
            self._put_back_within(words)

    def _put_back_within(self, words: Sequence[str]) -> bool:
        places = self._named(words)
        found = [path for path in self.uncommitted if any(is_within(path, one) for one in places)]
        self.put_back(found)
        return bool(found)

    def _stash(self, words: Sequence[str]) -> None:
        kind = words[0] if words and not words[0].startswith("-") else "push"
        if kind in {"push", "save"}:
            self.stashed.append(frozenset(self.uncommitted))
            self.put_back([*self.uncommitted])
        elif kind in {"pop", "apply"} and self.stashed:
            back = self.stashed.pop() if kind == "pop" else self.stashed[-1]
            self.changed(sorted(back), is_new=False)

    # --- commits and branches ------------------------------------------------------------------------------------

    def _checkout(self, words: Sequence[str]) -> None:
        if any(word in {"-b", "-B", "-c", "-C", "--create", "--orphan"} for word in words):
            self.branch = self._begin(next(iter(_places(words)), ""))
        elif not self._put_back_within(words) and "--" not in words:
            name = next(iter(_places(words)), self.branch)
            self.branch = name if name in self.begun else ""

    def _begin(self, name: str) -> str:
        """A new branch holds what the present one does."""
        self.begun.add(name)
        for one in self.commits:
            if self.branch in one.branches:
                one.branches.add(name)
        return name

    def _reset(self, words: Sequence[str]) -> None:
        ref = next(iter(_places(words)), "")
        back = _BACK.match(ref)
        held = [one for one in self.commits if self.branch in one.branches]
        number = _steps(back) if back is not None else 0
        if _UPSTREAM.match(ref):
            number = sum(not one.is_pushed for one in held)
        for one in held[len(held) - min(number, len(held)) :]:
            one.branches.discard(self.branch)
            self.uncommitted |= one.files
        self._drop_lost()
        if "--hard" in words:
            self.put_back([*self.uncommitted])

    def _branch(self, words: Sequence[str]) -> None:
        """A branch that is deleted before it was merged or pushed takes its commits with it."""
        places = _places(words)
        if any(word in {"-D", "-d", "--delete"} for word in words):
            for one in self.commits:
                one.branches.difference_update(self.begun.intersection(places))
            self._forget(self._drop_lost())
        elif places and len(places) == len(words):
            self._begin(places[0])

    def _drop_lost(self) -> set[str]:
        """Commits that no branch holds any more are gone; their files, but for those of others."""
        lost = [one for one in self.commits if not one.branches and not one.is_pushed]
        self.commits = [one for one in self.commits if one not in lost]
        kept = frozenset[str]().union(*(one.files for one in self.commits))
        return {path for one in lost for path in one.files if path not in kept}

    def _merge(self, words: Sequence[str]) -> None:
        for one in self.commits:
            if not one.branches.isdisjoint(_places(words)):
                one.branches.add(self.branch)

    def _push(self, words: Sequence[str]) -> None:
        for one in self.commits:
            one.is_pushed = one.is_pushed or self.branch in one.branches or "--all" in words

    def _revert(self, words: Sequence[str], answer: str) -> None:
        """A commit that git took back was not made: that it was taken back is what came of it. A tool only says
        which."""
        if "--abort" in words or "--quit" in words:
            return
        told = _REVERTED.search(answer)
        subject = told["subject"] if told is not None else "".join(one.subject for one in self.commits[-1:])
        gone = next((one for one in self.commits if one.subject == subject), None)
        if gone is not None:
            self.commits.remove(gone)
            kept = frozenset[str]().union(*(one.files for one in self.commits))
            self._forget(path for path in gone.files if path not in kept | self.uncommitted)
            self.commits.append(TreeCommit(f"{TAKEN_BACK} “{subject}”", frozenset(), {self.branch}))

    def _remove(self, words: Sequence[str]) -> None:
        if "--cached" not in words:
            self._delete(words)


def is_within(path: str, place: str) -> bool:
    """Whether a file is a place, or lies below it."""
    bare = place.removeprefix("./").rstrip("/")
    return place in _EVERYTHING or path == bare or (bool(bare) and path.startswith(f"{bare}/"))


def _commands(text: str) -> Iterator[list[str]]:
    """The commands of a line for the shell, as words, with `git` without its options."""
    own = _QUOTED.sub(lambda found: _BETWEEN.sub(" ", found[0]), _DOCUMENT.sub(" ", text[:_MOST_CHARS]))
    for part in _PARTS.split(own):
        bare = _GIT.sub("git ", _LEADS.sub("", part, count=1))
        if words := [word.strip("\"'") for word in _WORD.findall(bare)]:
            yield words


def _within(folder: str, place: str) -> str:
    """A place as it is called from the project's folder; nothing of an absolute one."""
    if place.startswith(("/", "~")) or ":" in place[:3] or place in {"", ".", "-"}:
        return ""
    parts = folder.split("/") if folder else []
    for part in place.removeprefix("./").split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(filter(None, parts))


def _places(words: Collection[str]) -> list[str]:
    return [word for word in words if word and not word.startswith("-")]


def _steps(back: re.Match[str]) -> int:
    """How many commits a name of an earlier state goes back."""
    if back["carets"]:
        return len(back["carets"])
    return int(back["number"] or back["log"] or back["head"] or 1)
