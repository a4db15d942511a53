"""A git repository, as far as git tells it in bounded time: what is there, what went, in which commit.

Nothing a repository says is run: no hook, pager, filter, monitor, external diff, signature program or fetch. Whatever
git refuses, does not know or does not manage in time is answered by None: nobody takes that for "it is not there".
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import NamedTuple

from lerim.dataclass import dataclass
from lerim.lazy_regex import compile_later
from lerim.printable import one_line

_MOST_BYTES = 64_000_000
#: Names that one process is asked for.
_AT_ONCE = 64
#: Commits whose changes are read for what went.
_MOST_COMMITS = 5_000
_SETTINGS = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "core.quotePath=false",
    "core.commitGraph=true",
    "diff.renames=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "log.decorate=false",
    "log.follow=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "submodule.recurse=false",
    "grep.patternType=default",
    "grep.fallbackToNoIndex=false",
    "color.ui=false",
    "protocol.allow=never",
    "maintenance.auto=false",
    "gc.auto=0",
)
_SAFELY = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_PAGER": "cat",
    "GIT_SSH_COMMAND": "false",
    "GIT_ASKPASS": "false",
    "LC_ALL": "C",
}
_COMMIT = "\x01%H\x02%ct\x02%s"
_PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")
_WORD = compile_later(r"[A-Za-z_$][\w$]{3,}")
_MERGED_NAME = compile_later(r"Merge (?:remote-tracking )?branch '(?:origin/)?([^']+)'|from [^/\s]+/(\S+)")


class Commit(NamedTuple):
    """A commit: its id, when it was made, and its first line."""

    id: str
    at: datetime
    subject: str

    @property
    def short(self) -> str:
        return self.id[:10]


class Refs(NamedTuple):
    """Where a repository stands: what is checked out, and the tip of every branch by its name."""

    head: str
    branches: Mapping[str, str]
    #: The same of the remote ones, as last fetched.
    remote: Mapping[str, str]
    #: What remotes call their main branch points at.
    remote_heads: frozenset[str]

    def has(self, branch: str) -> bool:
        return branch in self.branches or branch in self.remote

    def tips(self, branch: str) -> list[str]:
        """The tips of a branch here and on remotes, each once."""
        return list(dict.fromkeys(tips[branch] for tips in (self.branches, self.remote) if branch in tips))

    def main(self) -> list[str]:
        """What the main branch is called here: as the remote says, else by custom; nothing when that is unclear."""
        said = [name for name, tip in self.remote.items() if tip in self.remote_heads]
        usual = [name for name in ("main", "master", "trunk", "develop") if self.has(name)]
        chosen = [name for name in usual if name in said] or said or usual
        return chosen[:1] or (list(self.branches) if len(self.branches) == 1 else [])


@dataclass(frozen=True)
class Tree:
    """The paths of one commit, found by their last parts."""

    files: Mapping[str, list[str]]
    folders: Mapping[str, list[str]]
    #: Repositories inside this one: what lies in them is not known here.
    modules: frozenset[str]

    def is_called(self, name: str) -> bool:
        """Whether a file or folder is called so, whatever its ending."""
        return name in self.folders or any(file.partition(".")[0] == name for file in self.files)

    def has(self, name: str) -> bool:
        """Whether there is such a file or folder, by its whole path or the end of it."""
        wanted = name.strip("/")
        last = wanted.rpartition("/")[2]
        places = (self.folders,) if name.endswith("/") else (self.files, self.folders)
        ending = f"/{wanted}"
        return any(f"/{path}".endswith(ending) for place in places for path in place.get(last, ()))

    def is_elsewhere(self, name: str) -> bool:
        """Whether the path leads into a repository of its own."""
        return any(
            f"/{module}/" in f"/{name}/" or name.startswith(f"{module.rpartition('/')[2]}/") for module in self.modules
        )


class GonePath(NamedTuple):
    """A path that once was, the commit that took it away, and what it is called since, if that can be told."""

    path: str
    commit: Commit
    renamed_to: str | None = None


class Repository:
    """One repository, asked until the time is over. Cheap to make; nothing is run before something is asked."""

    def __init__(self, root: Path, seconds: float = 20.0, env: Mapping[str, str] | None = None) -> None:
        self.root = root
        self._until = time.monotonic() + seconds
        inherited = os.environ if env is None else env
        # A hook of git's own may have called us, with its repository in the environment.
        self._env = {k: v for k, v in inherited.items() if not k.startswith("GIT_")} | _SAFELY

    @property
    def is_out_of_time(self) -> bool:
        return time.monotonic() >= self._until

    # Where it stands

    def refs(self) -> Refs | None:
        """Where it stands; None when there is no repository, no commit, or no git."""
        text = self._text("show-ref", "--head")
        if not text:
            return None
        head, local, remote, heads = "", dict[str, str](), dict[str, str](), set[str]()
        for line in text.splitlines():
            tip, _, name = line.partition(" ")
            if name == "HEAD":
                head = tip
            elif name.startswith("refs/heads/"):
                local[name[11:]] = tip
            elif name.startswith("refs/remotes/"):
                branch = name[13:].partition("/")[2]
                heads |= {tip} if branch == "HEAD" else set()
                remote.setdefault(branch, tip)
        remote.pop("HEAD", None)
        return Refs(head, local, remote, frozenset(heads)) if head else None

    def is_shallow(self) -> bool:
        return (self._text("rev-parse", "--is-shallow-repository") or "").strip() == "true"

    def tree(self, commit: str) -> Tree | None:
        """Every path of a commit."""
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", commit)
        if listed is None:
            return None
        files, folders, modules = dict[str, list[str]](), dict[str, list[str]](), set[str]()
        seen = set[str]()
        for entry in listed.split(b"\0"):
            about, _, raw = entry.partition(b"\t")
            path = raw.decode("utf-8", "replace")
            if not path:
                continue
            if about.startswith(b"160000"):
                modules.add(path)
            folder, _, name = path.rpartition("/")
            files.setdefault(name, []).append(path)
            while folder and folder not in seen:
                seen.add(folder)
                above, _, name = folder.rpartition("/")
                folders.setdefault(name, []).append(folder)
                folder = above
        for module in modules:
            folders.setdefault(module.rpartition("/")[2], []).append(module)
        return Tree(files, folders, frozenset(modules))

    # What went

    def gone_paths(self, names: Sequence[str], head: str, since: str | None = None) -> dict[str, GonePath] | None:
        """Which of these names, none of which is there now, once were; looked for in what came after `since` only."""
        found: dict[str, GonePath] = {}
        for some in _batches(names):
            told = self._deletions(some, head, since)
            if told is None:
                return None
            found |= told
        return found

    def _deletions(self, names: Sequence[str], head: str, since: str | None) -> dict[str, GonePath] | None:
        patterns = [one for name in names for one in _pathspecs(name)]
        span = [f"^{since}"] if since else []
        listed = ("--diff-filter=D", "--no-renames", "--name-only", f"--format={_COMMIT}")
        for merges in ((), ("-m", "--first-parent")):
            text = self._text("log", *listed, *_PLAIN_DIFF, *merges, head, *span, "--", *patterns)
            if text is None:
                return None
            found: dict[str, GonePath] = {}
            for commit, lines in _commits(text):
                for path in filter(None, lines):
                    for name in names:
                        if name not in found and _is_below(path, name):
                            found[name] = GonePath(path, commit)
            # A merge may have taken away by itself what neither side did.
            if found:
                break
        return self._with_new_names(found)

    def _with_new_names(self, gone: Mapping[str, GonePath]) -> dict[str, GonePath]:
        ids = dict.fromkeys(one.commit.id for one in gone.values())
        asked = "".join(f"{commit}\n" for commit in ids)
        told = self._text(
            *("diff-tree", "--stdin", "--root", "-r", "-M", "-l2000", "--diff-filter=R", "--name-status", *_PLAIN_DIFF),
            text=asked,
        )
        renamed: dict[tuple[str, str], str] = {}
        commit = ""
        for line in (told or "").splitlines():
            if line.startswith("R") and line.count("\t") == 2:
                _, before, after = line.split("\t")
                renamed[commit, before] = after
            elif line in ids:
                commit = line
        return {name: one._replace(renamed_to=renamed.get((one.commit.id, one.path))) for name, one in gone.items()}

    def symbols_there(self, symbols: Iterable[str], commit: str) -> set[str] | None:
        """Which of these words stand in the files of a commit."""
        there: set[str] = set()
        for some in _batches(sorted(symbols)):
            there_of_these = self._grepped(some, commit)
            if there_of_these is None:
                return None
            there |= there_of_these
        return there

    def _grepped(self, words: Sequence[str], commit: str) -> set[str] | None:
        flags = ("-I", "-F", "-w", "-o", "-h", "--no-line-number", "--no-column", "--no-color", "--no-textconv")
        named = [part for word in words for part in ("-e", word)]
        left, rest = set(words), b""
        # Read as it comes: a common word stands in thousands of places, and once is enough.
        with self._started("grep", "--full-name", "--no-recurse-submodules", *flags, *named, commit) as running:
            for chunk in running.chunks():
                *lines, rest = (rest + chunk).split(b"\n")
                left -= {line.decode("utf-8", "replace") for line in lines}
                if not left:
                    running.end()
                    return set(words)
        return None if running.failed(0, 1) else set(words) - left

    def gone_symbols(self, symbols: Sequence[str], head: str, since: str | None = None) -> dict[str, Commit] | None:
        """The newest commit that took each of these words away; none of them stands anywhere now."""
        found: dict[str, Commit] = {}
        for some in _batches(symbols):
            if self.is_out_of_time:
                return None
            span = [f"^{since}"] if since else []
            words = "|".join(map(re.escape, some))
            asked = ("log", "-p", "-U0", f"-G({words})", f"-n{_MOST_COMMITS}", f"--format={_COMMIT}")
            wanted, left = set(some), set(some)
            with self._started(*asked, *_PLAIN_DIFF, "--no-renames", head, *span) as running:
                for commit, line in _removed_lines(running.chunks()):
                    for word in _WORD.findall(line):
                        if word in left:
                            found[word] = commit
                            left.discard(word)
                    if not left:
                        running.end()
                        break
            if running.failed(0) and wanted & left:
                return None
        return found

    def removed_words(self, before: str, after: str) -> set[str] | None:
        """Every word on a line that one commit has and the other has not; None when that is too much, or unknown."""
        text = self._text("diff", "-U0", "--no-renames", *_PLAIN_DIFF, before, after, "--")
        if text is None:
            return None
        lines = (line for line in text.splitlines() if line.startswith("-") and not line.startswith("--- "))
        return {word for line in lines for word in _WORD.findall(line)}

    def history_of(
        self, paths: Sequence[str], head: str, since: str | None = None
    ) -> Iterator[tuple[Commit, str, str]]:
        """Each line that left one of these files, newest first: the commit, the file, the line."""
        if not paths:
            return
        span = [f"^{since}"] if since else []
        asked = ("log", "-p", "-U0", f"-n{_MOST_COMMITS}", f"--format={_COMMIT}", "--no-renames", *_PLAIN_DIFF)
        with self._started(*asked, head, *span, "--", *(f":(glob)**/{path}" for path in paths)) as running:
            yield from _removed(running.chunks())

    def contents(self, commit: str, paths: Sequence[str], most: int = 1_000_000) -> dict[str, str]:
        """The text of these files in a commit, as far as they are not too large."""
        asked = "".join(f"{commit}:{path}\n" for path in paths)
        data = self._run("cat-file", "--batch", text=asked) or b""
        found: dict[str, str] = {}
        for path in paths:
            head, _, rest = data.partition(b"\n")
            parts = head.split(b" ")
            if len(parts) != 3 or not parts[2].isdigit():
                data = rest
                continue
            size = int(parts[2])
            if size <= most:
                found[path] = rest[:size].decode("utf-8", "replace")
            data = rest[size + 1 :]
        return found

    def exists(self, objects: Sequence[str]) -> set[str]:
        """Which of these objects are there: commits, or files as `commit:path`."""
        told = self._text("cat-file", "--batch-check", text="".join(f"{one}\n" for one in objects)) or ""
        lines = told.splitlines()
        return {one for one, line in zip(objects, lines, strict=False) if not line.endswith((" missing", " ambiguous"))}

    def commit_before(self, head: str, moment: datetime) -> str | None:
        """What the main line stood at at a moment."""
        before = f"--before={int(moment.timestamp())}"
        return (self._text("rev-list", "-1", "--first-parent", before, head) or "").strip() or None

    def commit(self, name: str) -> Commit | None:
        """One commit."""
        text = self._text("log", "-1", f"--format={_COMMIT}", name, "--")
        return next((commit for commit, _ in _commits(text or "")), None)

    # Branches

    def is_within(self, commit: str, other: str) -> bool | None:
        """Whether a commit is part of another's history; None when that cannot be told."""
        done = self._done("merge-base", "--is-ancestor", commit, other)
        return None if done not in (0, 1) else done == 0

    def holding(self, commit: str) -> bool | None:
        """Whether any branch or tag still has this commit."""
        if commit not in self.exists([commit]):
            return False
        told = self._text("for-each-ref", "--count=1", "--format=%(refname)", f"--contains={commit}")
        return None if told is None else bool(told.strip())

    def merges(self, head: str) -> list[tuple[Commit, tuple[str, ...], str]]:
        """The merges in a history, newest first: with their parents, and the branch they say they merged."""
        told = self._text("log", "--merges", "-n2000", "--format=\x01%H\x02%ct\x02%s\x02%P", head, "--") or ""
        found = []
        for entry in told.split("\x01")[1:]:
            commit, parents = _commit(entry.strip("\n").rpartition("\x02")[0]), entry.strip("\n").rpartition("\x02")[2]
            if commit is not None:
                name = _MERGED_NAME.search(commit.subject)
                found.append((commit, tuple(parents.split()), (name[1] or name[2]) if name else ""))
        return found

    def checked_out(self) -> set[str]:
        """The branches that were checked out here, as far as git remembers."""
        told = self._text("log", "-g", "-n2000", "--format=%gs", "HEAD", "--") or ""
        moved = (
            line.removeprefix("checkout: moving from ").split(" to ")
            for line in told.splitlines()
            if "moving from" in line
        )
        return {name.strip() for pair in moved for name in pair}

    def patch_ids(self, span: Sequence[str], *, squashed: bool = False) -> set[str] | None:
        """What tells the changes of these commits, wherever they are made again; of all of them together when
        `squashed`."""
        asked = ("diff-tree", "-p", "-r") if squashed else ("log", "-p", "--no-merges", "-n500", "--format=commit %H")
        patch = self._run(*asked, "--no-renames", *_PLAIN_DIFF, *span, "--", most=16_000_000)
        told = None if patch is None else self._text("patch-id", "--stable", data=patch)
        return None if told is None else {line.split(" ")[0] for line in told.splitlines()}

    def merge_base(self, one: str, other: str) -> str | None:
        return (self._text("merge-base", one, other) or "").strip() or None

    # Running git

    def _text(self, *args: str, text: str = "", data: bytes = b"") -> str | None:
        done = self._run(*args, text=text, data=data)
        return None if done is None else done.decode("utf-8", "replace")

    def _run(self, *args: str, text: str = "", data: bytes = b"", most: int = _MOST_BYTES) -> bytes | None:
        with self._started(*args, data=data or text.encode("utf-8", "surrogateescape"), most=most) as running:
            out = b"".join(running.chunks())
        return None if running.failed(0) else out

    def _done(self, *args: str) -> int | None:
        with self._started(*args) as running:
            for _ in running.chunks():
                pass
        return running.code

    def _started(self, *args: str, data: bytes = b"", most: int = _MOST_BYTES) -> _Running:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = ["git", "--no-pager", "--no-replace-objects", *settings, "-C", str(self.root), *args]
        return _Running(command, self._env, data, self._until - time.monotonic(), most)


class _Running:
    """A process of git's, read in bounds: it ends when its time or its room is over."""

    def __init__(self, command: list[str], env: Mapping[str, str], data: bytes, seconds: float, most: int) -> None:
        self._command, self._env, self._data = command, env, data
        self._seconds, self._most = seconds, most
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        #: How it ended; None when it did not by itself.
        self.code: int | None = None

    def __enter__(self) -> _Running:
        if self._seconds <= 0:
            return self
        # From a file: nobody has to write while another reads.
        with TemporaryFile() as given:
            given.write(self._data)
            given.seek(0)
            try:
                self._process = subprocess.Popen(
                    self._command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(self._env)
                )
            except (OSError, ValueError):
                return self
        self._timer = Timer(self._seconds, self.end)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._process is None:
            return
        self._timer.cancel()
        if self._process.poll() is None and (exc[0] is not None or self._ended):
            self._process.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()
        code = self._process.wait()
        self.code = None if self._ended else code

    def chunks(self) -> Iterator[bytes]:
        """What it says, as it says it."""
        if self._process is None:
            return
        assert self._process.stdout is not None
        read = 0
        while chunk := self._process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
            read += len(chunk)
            if read > self._most:
                self.end()
                return
            yield chunk

    def end(self) -> None:
        """Let it go: what it still has to say is not wanted, or comes too late."""
        self._ended = True
        if self._process is not None:
            self._process.kill()

    def failed(self, *fine: int) -> bool:
        return self.code not in fine


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    return (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))


def _pathspecs(name: str) -> tuple[str, ...]:
    """A file or folder of this name, wherever it lies."""
    literal = re.sub(r"([\[\]*?\\])", r"\\\1", name.strip("/"))
    below = f":(glob)**/{literal}/**"
    return (below,) if name.endswith("/") else (f":(glob)**/{literal}", below)


def _is_below(path: str, name: str) -> bool:
    """Whether this is the file or folder of that name, or lies in it."""
    wanted, around = name.strip("/"), f"/{path}/"
    return f"/{wanted}/" in around and not (name.endswith("/") and around.endswith(f"/{wanted}/"))


def _commit(text: str) -> Commit | None:
    parts = text.split("\x02", 2)
    if len(parts) != 3 or not parts[1].isdigit():
        return None
    try:
        at = datetime.fromtimestamp(int(parts[1]), UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return Commit(parts[0], at, one_line(parts[2])[:120])


def _commits(text: str) -> Iterator[tuple[Commit, list[str]]]:
    for entry in text.split("\x01")[1:]:
        first, *lines = entry.split("\n")
        if (commit := _commit(first)) is not None:
            yield commit, lines


def _removed_lines(chunks: Iterable[bytes]) -> Iterator[tuple[Commit, str]]:
    return ((commit, line) for commit, _, line in _removed(chunks))


def _removed(chunks: Iterable[bytes]) -> Iterator[tuple[Commit, str, str]]:
    """The lines that commits took away: of a log with patches, as it is read."""
    commit, path = None, ""
    for raw in _lines(chunks):
        if raw.startswith(b"\x01"):
            commit = _commit(raw[1:].decode("utf-8", "replace"))
        elif raw.startswith(b"--- "):
            path = raw[4:].decode("utf-8", "replace").strip().removeprefix("a/")
        elif raw.startswith(b"-") and commit is not None:
            yield commit, path, raw[1:4000].decode("utf-8", "replace")


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        yield rest
