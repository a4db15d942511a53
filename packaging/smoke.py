"""Try an installed Lerim as somebody would who just installed it: `python packaging/smoke.py LERIM [LERIM …]`.

LERIM is the installed script. Every command shows its help, the example sessions are synced into a folder of their own,
a search finds something, and the manual page is where `man` looks for it. Nothing of this checkout is imported.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_LAY_OUT = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from lerim.examples import install
install(Path(sys.argv[1]), Path(sys.argv[2]), datetime.now(UTC))
"""


@dataclass(frozen=True)
class Installed:
    """A script, and a home and a project to try it in."""

    script: Path
    home: Path

    @property
    def project(self) -> Path:
        return self.home / "booking"

    @property
    def python(self) -> Path:
        """The interpreter that the script belongs to."""
        return Path(self.script.read_text("utf-8").splitlines()[0].removeprefix("#!").strip())

    def run(self, *command: str | Path) -> str:
        # A made-up home, and not a word of this shell's own settings.
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        done = subprocess.run(command, env=env, cwd=self.project, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def lerim(self, *words: str) -> str:
        return self.run(self.script, *words)


def main(scripts: list[str]) -> int:
    for script in scripts:
        with tempfile.TemporaryDirectory(prefix="lerim-smoke-") as home:
            print(f"{script}: {tried(Installed(Path(script).absolute(), Path(home)))}")
    return 0


def tried(installed: Installed) -> str:
    (installed.project / ".git").mkdir(parents=True)
    version = installed.lerim("--version").strip()
    commands = commands_of(installed)
    for words in commands:
        if "example:" not in installed.lerim(*words, "--help"):
            sys.exit(f"no example in the help of {' '.join(words)}")
    installed.run(installed.python, "-c", _LAY_OUT, installed.home, installed.project)
    installed.lerim("sync")
    hits = json.loads(installed.lerim("search", "tests", "--json"))
    manual = installed.python.parent.parent / "share/man/man1/lerim.1"
    if not hits or not manual.is_file():
        sys.exit(f"{len(hits)} hits after a sync of the examples; manual page there: {manual.is_file()}")
    return f"{version}, help of {len(commands)} commands, {len(hits)} hits after a sync of the examples, manual page"


def commands_of(installed: Installed) -> list[list[str]]:
    """Every command line that stands alone: a noun, or a noun and a verb, as the help lists them."""
    found = []
    for noun in _listed(installed.lerim("--help")):
        verbs = _listed(installed.lerim(noun, "--help"))
        found += [[noun, verb] for verb in verbs] or [[noun]]
    return found


def _listed(help_text: str) -> list[str]:
    if not re.search(r"^  (?:COMMAND|VERB)$", help_text, re.MULTILINE):
        return []
    return re.findall(r"^    ([a-z][a-z-]*)(?:  |$)", help_text, re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
