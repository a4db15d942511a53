"""What `make run` shows: the real `lerim` command, in a home and a project made for this tour and removed after it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# The script that was installed beside this Python, whatever PATH says.
BIN = Path(sys.executable).parent
NOTE = Path(".lerim/memory/decisions/use-jwt-bearer-tokens-for-api-auth.md")
BEFORE, AFTER = "Tokens expire after 15 minutes.", "Tokens expire after 30 minutes."


class StepFailed(Exception):
    """A command of the tour did not do what the tour says it does."""


class Terminal:
    """A shell session that the reader watches. Nothing of the reader's own home is read or written."""

    def __init__(self, home: Path, project: Path) -> None:
        self.project = project
        # Unbuffered, so that remarks (stderr) and answers (stdout) come in the order they were made.
        self._env = {
            **{
                name: os.environ[name]
                for name in ("TERM", "NO_COLOR", "SYSTEMROOT", "PYTHONPATH")
                if name in os.environ
            },
            "HOME": str(home),
            "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", os.defpath)]),
            "PYTHONUNBUFFERED": "1",
            "PYTHONUTF8": "1",
        }

    def say(self, text: str) -> None:
        print(f"\n# {text}", flush=True)

    def lerim(self, *words: str) -> None:
        """Show a command, run it, and let its output through."""
        print(f"$ {shlex.join(['lerim', *words])}", flush=True)
        script = shutil.which("lerim", path=str(BIN))
        if script is None:
            raise StepFailed(f"there is no lerim script in {BIN}; make test installs it")
        # On a terminal the command keeps its colours; captured, it would lose them.
        done = subprocess.run([script, *words], cwd=self.project, env=self._env, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise StepFailed(f"lerim {words[0]} ended with {done.returncode}")

    def show(self, file: Path) -> None:
        print(f"$ cat {file}")
        print((self.project / file).read_text("utf-8"), end="", flush=True)

    def edit(self, file: Path, before: str, after: str) -> None:
        """Change a file the way a person's editor would: Lerim is not told."""
        path = self.project / file
        text = path.read_text("utf-8")
        if before not in text:
            raise StepFailed(f"{file} does not say '{before}'")
        path.write_text(text.replace(before, after), "utf-8")
        print(f"$ $EDITOR {file}\n- {before}\n+ {after}", flush=True)

    def git_init(self) -> bool:
        """Make the project a git repository where git is installed. Lerim itself does not need it."""
        git = shutil.which("git")
        if git is None:
            return False
        print("$ git init --quiet", flush=True)
        return subprocess.run([git, "init", "--quiet"], cwd=self.project, env=self._env, check=False).returncode == 0


def tour(terminal: Terminal) -> None:
    terminal.say("A project is a git repository, or any folder you name.")
    terminal.lerim(*(["init"] if terminal.git_init() else ["init", "."]))

    terminal.say("Keep one decision and one learning.")
    terminal.lerim(
        *("memory", "add", "--primitive", "decision", "--title", "Use JWT bearer tokens for API auth"),
        *("--body", f"{BEFORE} Refresh tokens live in an httpOnly cookie.", "--tags", "auth,api"),
    )
    terminal.lerim(
        *("memory", "add", "--kind", "pitfall", "--title", "pytest hangs on the shared drive"),
        *("--body", "Its cache folder needs locks that the drive does not have.", "--tags", "testing"),
    )

    terminal.say("Find it again, by any of its words.")
    terminal.lerim("search", "how", "long", "do", "tokens", "live")

    terminal.say("Each memory is also a Markdown file, made to be read, reviewed and shared through git.")
    terminal.show(NOTE)

    terminal.say("Change the file by hand. Your edit wins; the next command takes it in.")
    terminal.edit(NOTE, BEFORE, AFTER)

    terminal.say("What it replaced is still there. The beginning of an id will do.")
    terminal.lerim("memory", "history", "dec-")
    terminal.lerim("memory", "diff", "dec-")

    terminal.say("Changed your mind? Both the record and its file go back.")
    terminal.lerim("memory", "undo")
    if BEFORE not in (terminal.project / NOTE).read_text("utf-8"):
        raise StepFailed(f"{NOTE} was not taken back")

    terminal.say("How things stand.")
    terminal.lerim("memory", "check")
    terminal.lerim("status")


def main() -> int:
    with TemporaryDirectory(prefix="lerim-tour-") as folder:
        home, project = Path(folder, "home"), Path(folder, "shop")
        home.mkdir()
        project.mkdir()
        try:
            tour(Terminal(home, project))
        except StepFailed as problem:
            print(f"\ntour: {problem}", file=sys.stderr)
            return 1
    print("\nThat was a sandbox; it is gone. To start for real: cd into a repository, then `lerim init`.")
    print("Read on: README.md, docs/index.md, and `lerim --help`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
