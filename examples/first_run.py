"""What `make run` does: reads the sessions on this machine, or the example ones, and shows what it remembers.

    python examples/first_run.py [FOLDER]

It is a trial. Everything it writes goes to one folder (default: `.try` next to the code), recreated each time; your own
`~/.lerim`, your repositories and your agents' folders are not written to.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lerim import Lerim
from lerim.context.filters import Filter
from lerim.context.place import Kept
from lerim.context.records import Primitive
from lerim.examples import install

# The script installed next to this Python, whatever PATH says.
LERIM = Path(sys.executable).parent / "lerim"
# A trial creates no folder in your repositories: whatever it learns goes to its own global memory.
SETTINGS = '[memory]\nscope = "global_only"\n\n[sources]\nunscoped = "global"\n'
SHOWN = 12


@dataclass(frozen=True)
class Terminal:
    """Where commands run, and in which environment."""

    cwd: Path
    env: dict[str, str]

    def show(self, *words: str) -> int:
        """Run a command and show its output."""
        print(f"$ {shlex.join(['lerim', *words])}", flush=True)
        # Standard error goes to standard output to keep the order; on a terminal the command keeps its colors.
        return subprocess.run([LERIM, *words], cwd=self.cwd, env=self.env, stderr=subprocess.STDOUT).returncode

    def ask(self, *words: str) -> dict[str, object]:
        """A command's answer as data."""
        done = subprocess.run([LERIM, *words, "--json"], cwd=self.cwd, env=self.env, stdout=subprocess.PIPE, check=True)
        answer: dict[str, object] = json.loads(done.stdout)
        return answer


def main(trial: Path) -> int:
    shutil.rmtree(trial, ignore_errors=True)
    terminal = of_this_machine(trial)
    if terminal.ask("sync", "--dry-run")["sessions"]:
        print("# Your coding agents' sessions, the newest first. They are only read; nothing is sent anywhere.\n")
    else:
        print("# No sessions of coding agents were found here, so these are examples: four agents, one project.\n")
        terminal = of_the_examples(trial)
    code = terminal.show("sync")
    if code not in (0, 3):
        return code
    with Lerim(terminal.cwd, env=terminal.env) as lerim:
        kept = [item for item in lerim.memory.select(Filter()) if item.record.primitive is not Primitive.SUMMARY]
    tell(kept)
    next_steps(kept, terminal)
    return 0


def of_this_machine(trial: Path) -> Terminal:
    trial.mkdir(parents=True)
    settings = trial / "config.toml"
    settings.write_text(SETTINGS, "utf-8")
    env = {**os.environ, "LERIM_HOME": str(trial / "lerim"), "LERIM_CONFIG": str(settings), "PYTHONUNBUFFERED": "1"}
    return Terminal(trial, env)


def of_the_examples(trial: Path) -> Terminal:
    home, project = trial / "home", trial / "booking"
    for folder in (home, project / ".git"):
        folder.mkdir(parents=True)
    install(home, project, datetime.now(UTC))
    env = {name: value for name, value in os.environ.items() if name not in ("LERIM_HOME", "LERIM_CONFIG")}
    return Terminal(project, {**env, "HOME": str(home), "PYTHONUNBUFFERED": "1"})


def tell(kept: list[Kept]) -> None:
    """Print what was remembered, each with the quotes it is based on."""
    print(f"\n# What Lerim remembers now, with the quotes it is based on ({len(kept)} in all):")
    for item in kept[:SHOWN]:
        record = item.record
        print(f"\n{record.id}  {record.title}  ({record.kind or record.primitive}, {record.confidence:.2f})")
        for evidence in record.evidence[:2]:
            print(f"    {evidence.speaker}: “{_short(evidence.quote)}”")
            print(f"    {evidence.reference}")


def next_steps(kept: list[Kept], terminal: Terminal) -> None:
    first = kept[0].record.id if kept else "ID"
    places = [f"{name}={terminal.env[name]}" for name in ("HOME", "LERIM_HOME", "LERIM_CONFIG") if name in terminal.env]
    print(f"\n# Next, in this trial (cd {terminal.cwd}; export {shlex.join(places)}):")
    for words in (["search", "database"], ["why", first], ["ask", "what did we decide?"], ["dashboard"]):
        print(f"{LERIM} {shlex.join(words)}")
    print("\n# For real, in one of your repositories: lerim sync")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 140 else line[:139] + "…"


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here / ".try"))
