"""The terminal sessions in the pages are what Lerim prints: each `$` line of a page runs, in order, in one sandbox.

When the output of a command changes, `python tests/test_console.py README.md docs/*.md` rewrites it.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import lerim

ROOT = Path(__file__).parent.parent
#: Where the package under test is: another one may be installed.
PACKAGE = str(Path(lerim.__file__).parents[1])
PAGES = [page for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))) if "\n$ " in page.read_text("utf-8")]
#: What people read first, tried by default; the drill tries every page.
FIRST_READ = ("README.md", "memory.md")
#: Where the pages' reader lives, and the repository they sit in.
HOME, PROJECT = "/home/ada", "shop"
#: The one session with a coding agent they had there.
RUN = "4f2a1b3c-5d6e-4f70-8192-a3b4c5d6e7f8"
#: When it was: only sessions of the last month are read.
YESTERDAY = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"\b(dec|lrn|sum)-[a-z2-7]{10}\b")
_CHANGING = (
    (_ID, r"\1-…"),
    (re.compile(r"\bprj-[0-9a-f]{10}\b"), "prj-…"),
    (re.compile(r"\b20\d\d-\d\d-\d\d(T\d\d:\d\d:\d\dZ| \d\d:\d\d)?"), "<time>"),
    (re.compile(r"\b20\d{6}-\d{6}\b"), "<time>"),
    # The folder of a summary is the day of its session.
    (re.compile(r"\b20\d{6}/\d{6}\b"), "<time>"),
    # Two backups of one second are told apart by a number.
    (re.compile(r"\bbackup-<time>(-\d+)?\b"), "backup-<time>"),
    # A session names its directory, so its size depends on the sandbox's path.
    (re.compile(r"\b\d{1,3}(,\d{3})+\b"), "<bytes>"),
    (re.compile(r"\b\d+(\.\d+)? (s|ms)\b"), "<duration>"),
    (re.compile(r"\b(sync|maintain)-<time>-[a-z2-7]{6}\b"), r"\1-<time>-…"),
    # A column is as wide as its widest path, which differs in the sandbox.
    (re.compile(r" {2,}"), "  "),
)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.name, marks=() if page.name in FIRST_READ else pytest.mark.drill) for page in PAGES],
)
def test_a_pages_terminal_sessions_are_real(page: Path, tmp_path: Path) -> None:
    """Typing what a page says gives what the page says, but for ids and times."""
    text = page.read_text("utf-8")

    assert text == replay(text, tmp_path), f"rewrite it: python tests/test_console.py {page.relative_to(ROOT)}"


def test_a_first_run_needs_nothing_but_python(tmp_path: Path) -> None:
    """`make run` works with an empty environment, on example sessions, in one folder of its own."""
    home, trial = tmp_path / "home", tmp_path / "trial"
    home.mkdir()
    env = {
        "PATH": os.defpath,
        "HOME": str(home),
        "TMPDIR": str(tmp_path),
        "PYTHONPATH": PACKAGE,
        "LERIM_NO_HELPER": "1",
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "first_run.py"), str(trial)], env=env, capture_output=True, check=False
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert b"6 sessions" in done.stdout
    assert b"#L" in done.stdout, "each memory shows its evidence"
    assert [home, trial] == sorted(tmp_path.iterdir())
    assert [] == list(home.iterdir())


def replay(text: str, folder: Path) -> str:
    """The page with the output of every command as it is now. Output that says the same keeps its ids and times."""
    sandbox = Sandbox(folder)
    return _BLOCK.sub(lambda block: f"```console\n{sandbox.session(block[1])}```", text)


class Sandbox:
    """A home and a repository with one session in them, and the ids that a page's ids stand for."""

    def __init__(self, folder: Path) -> None:
        self._bin = folder.resolve() / "bin"
        _put_lerim(self._bin)
        self._home = folder.resolve() / "ada"
        self._cwd = self._home / PROJECT
        self._cwd.mkdir(parents=True)
        if shutil.which("git"):
            subprocess.run(["git", "init", "--quiet", str(self._cwd)], check=True, env={"PATH": os.environ["PATH"]})
        else:
            (self._cwd / ".git").mkdir()
        _put_session(self._home, self._cwd)
        self._real_ids: dict[str, str] = {}

    def session(self, block: str) -> str:
        """The block with each command followed by its output. A block without a `$` line is not a session."""
        return re.sub(
            r"^\$ (.*\n(?:>(?: .*)?\n)*)((?:(?!\$ ).*\n)*)",
            lambda found: f"$ {found[1]}{self._output(found[1], found[2])}",
            block,
            flags=re.MULTILINE,
        )

    def _output(self, command: str, old: str) -> str:
        command = re.sub(r"^> ?", "", command, flags=re.MULTILINE)
        for ours, real in self._real_ids.items():
            command = command.replace(ours, real)
        if command.startswith("cd "):
            self._cwd = self._home / command.removeprefix("cd ").strip().removeprefix("~/")
            return ""
        got = self._run(command).replace(str(self._home), HOME)
        self._match_ids(old, got)
        for ours, real in self._real_ids.items():
            got = got.replace(real, ours)
        return old if _lasting(old) == _lasting(got) else got

    def _run(self, command: str) -> str:
        path = f"{self._bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        # Unbuffered: remarks and answers in the order they were made, as a terminal shows them.
        env = {"HOME": str(self._home), "PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
        # A helper would outlive the sandbox.
        env |= {"LERIM_NO_HELPER": "1"}
        if (words := shlex.split(command))[0] == "lerim" and not _SHELL.search(command):
            return _forks().output(words, self._cwd, env, self._bin.parent / "output")
        done = subprocess.run(
            ["sh", "-c", command], cwd=self._cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return done.stdout.decode()

    def _match_ids(self, old: str, got: str) -> None:
        """Ids are new in each run: the first new one here is the first new one on the page, and so on."""
        ours = dict.fromkeys(found[0] for found in _ID.finditer(old) if found[0] not in self._real_ids)
        real = dict.fromkeys(found[0] for found in _ID.finditer(got) if found[0] not in self._real_ids.values())
        self._real_ids |= zip(ours, real, strict=False)


class Forks:
    """Runs `lerim` in fresh processes that need not start Python and load Lerim again: copies of one that did."""

    def __init__(self) -> None:
        with TemporaryDirectory() as folder:
            home = Path(folder).resolve() / "ada"
            (home / PROJECT / ".git").mkdir(parents=True)
            _put_session(home, home / PROJECT)
            self._server = subprocess.Popen(
                [sys.executable, "-u", "-X", "utf8", "-c", _SERVER, PACKAGE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=home / PROJECT,
                env={**os.environ, "HOME": str(home), "LERIM_NO_HELPER": "1"},
            )
            atexit.register(self._server.communicate)
            assert self._server.stdout is not None and self._server.stdout.readline() == "ready\n"

    def output(self, words: list[str], cwd: Path, env: dict[str, str], file: Path) -> str:
        """All that a command prints."""
        assert self._server.stdin is not None and self._server.stdout is not None
        print(json.dumps([words, str(cwd), env, str(file)]), file=self._server.stdin, flush=True)
        assert self._server.stdout.readline() == "done\n"
        return file.read_text("utf-8")


_forks = cache(Forks)
#: What only a shell understands.
_SHELL = re.compile(r"[|&;<>$`~*(){}]|\n(?!\Z)")
_SERVER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import contextlib, io, lerim.cli.main
# What a command loads and compiles when it first needs it, its copies have.
for words in ("init", "search lockfile", "ask lockfile?"):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        lerim.cli.main.main(words.split())
os.chdir("/")
print("ready", flush=True)
for request in sys.stdin:
    words, cwd, env, output = json.loads(request)
    if not (child := os.fork()):
        sys.argv[:] = words
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(env)
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        for number, stream in ((0, os.open(os.devnull, os.O_RDONLY)), (1, file), (2, file)):
            os.dup2(stream, number)
        sys.stdout.reconfigure(write_through=True)
        try:
            lerim.cli.main.run()
        except BaseException as ended:
            if not isinstance(ended, SystemExit):
                sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
    os.waitpid(child, 0)
    print("done", flush=True)
"""


def _put_lerim(folder: Path) -> None:
    """The `lerim` command of the package that is being tested, whatever else this Python has installed."""
    code = f"import sys; sys.path.insert(0, {PACKAGE!r}); from lerim.cli.main import run; run()"
    folder.mkdir()
    script = folder / "lerim"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(code)} "$@"\n')
    script.chmod(0o755)


def _put_session(home: Path, cwd: Path) -> None:
    """Write what Claude Code leaves on disk after a short session, held yesterday."""
    turns = (
        _user("CI fails at the install step since yesterday, for every pull request. Can you find out why?"),
        _call("t1", "cat .github/workflows/ci.yml"),
        _result("t1", "steps:\n  - uses: actions/checkout@v4\n  - run: npm ci\n  - run: npm test"),
        _agent(
            "Root cause: CI runs `npm ci`, but the repository has only a `pnpm-lock.yaml` since the packages were "
            "moved into a workspace, so npm finds no lockfile and stops.\n\nTwo ways to fix it:\n\n"
            "1. Commit a `package-lock.json` as well, and keep both in step.\n2. Switch CI to pnpm."
        ),
        _user(
            "2 please. We use pnpm everywhere in this repo, never npm, because only its workspaces keep the packages "
            "apart. And don't commit a package-lock.json."
        ),
        _call("t2", "pnpm install --frozen-lockfile && pnpm test"),
        _result("t2", "Done in 2s\n14 tests passed"),
        _agent("CI installs with `pnpm install --frozen-lockfile` now, and the tests pass."),
    )
    records = [_record(role, number, cwd, content) for number, (role, content) in enumerate(turns, 1)]
    records.append({"type": "ai-title", "sessionId": RUN, "aiTitle": "Install with pnpm in CI"})
    file = home / ".claude" / "projects" / "shop" / f"{RUN}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))


def _user(text: str) -> tuple[str, Any]:
    return "user", text


def _agent(text: str) -> tuple[str, Any]:
    return "assistant", [{"type": "text", "text": text}]


def _call(call: str, command: str) -> tuple[str, Any]:
    return "assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}]


def _result(call: str, text: str) -> tuple[str, Any]:
    return "user", [{"type": "tool_result", "tool_use_id": call, "content": text, "is_error": False}]


def _record(role: str, number: int, cwd: Path, content: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "sessionId": RUN,
        "cwd": str(cwd),
        "gitBranch": "main",
        "version": "2.1.49",
        "timestamp": f"{YESTERDAY}T09:30:{number:02}.000Z",
        "message": {"role": role, "content": content, **({"id": f"m{number}"} if role == "assistant" else {})},
    }


def _lasting(text: str) -> str:
    for pattern, mask in _CHANGING:
        text = pattern.sub(mask, text)
    return text


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with TemporaryDirectory() as folder:
            page = Path(name)
            page.write_text(replay(page.read_text("utf-8"), Path(folder)), "utf-8")
