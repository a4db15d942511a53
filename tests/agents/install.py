"""The agents' own programs, from npm, in a cache: `python tests/agents/install.py` installs what is missing.

They are large and are no dependency of Lerim: tests that need one are skipped where it is not there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Package:
    """A program by the name that Lerim has for it, which is its command, too."""

    name: str
    package: str
    version: str

    @property
    def folder(self) -> Path:
        return cache() / self.name / "node_modules"

    @property
    def program(self) -> Path | None:
        """Where it is; None when it is not installed, or not in this version."""
        program, about = self.folder / ".bin" / self.name, self.folder / self.package / "package.json"
        try:
            there = json.loads(about.read_text())["version"] == self.version and program.exists()
        except (OSError, ValueError):
            return None
        return program if there else None

    def install(self) -> bool:
        """Each has a folder of its own: one that cannot be installed here is in nobody's way."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error")
        done = subprocess.run(
            ("npm", "install", "--prefix", self.folder.parent, *quiet, f"{self.package}@{self.version}"), check=False
        )
        return done.returncode == 0 and self.program is not None


#: What the tests were written against. All of them run with Node 20.
PACKAGES = {
    package.name: package
    for package in (
        Package("claude", "@anthropic-ai/claude-code", "2.1.325"),
        Package("codex", "@openai/codex", "0.166.0"),
        Package("gemini", "@google/gemini-cli", "0.61.0"),
        Package("copilot", "@github/copilot", "1.0.102"),
        Package("opencode", "opencode-ai", "1.18.18"),
    )
}


def cache() -> Path:
    """Where the programs are: $LERIM_AGENTS, else below the user's cache."""
    return Path(os.environ.get("LERIM_AGENTS") or Path.home() / ".cache" / "lerim-agents")


def main() -> int:
    if shutil.which("npm") is None or shutil.which("node") is None:
        sys.stderr.write("Node and npm are not installed: install them, then run this again.\n")
        return 1
    failed = [name for name, package in PACKAGES.items() if package.program is None and not package.install()]
    if failed:
        sys.stderr.write(f"Not installed: {', '.join(failed)}.\n")
        return 1
    print(f"{', '.join(f'{package.name} {package.version}' for package in PACKAGES.values())} in {cache()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
