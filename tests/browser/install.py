"""A browser to look at the dashboard with, and what checks its pages: `python tests/browser/install.py` gets them.

Chromium comes from Debian's packages, where they may be installed, and axe-core from npm, into a cache. Both are large
and no dependency of Lerim: tests that need one are skipped where it is not there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

#: What the tests were written against.
AXE = "4.14.0"
#: What a browser is called where it is installed: Debian, others, Google's own.
PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
#: Nobody waits longer for either of them.
SECONDS = 300


def chromium() -> str | None:
    """The browser: $LERIM_CHROMIUM, else the first that is found."""
    return os.environ.get("LERIM_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)


def axe() -> Path | None:
    """The script that checks a page; None when it is not installed, or not in this version."""
    folder = cache() / "node_modules" / "axe-core"
    try:
        is_there = json.loads((folder / "package.json").read_text())["version"] == AXE
    except (OSError, ValueError):
        return None
    return folder / "axe.min.js" if is_there else None


def cache() -> Path:
    """Where axe-core is: $LERIM_AXE, else below the user's cache."""
    return Path(os.environ.get("LERIM_AXE") or Path.home() / ".cache" / "lerim-axe")


def missing() -> str | None:
    """Why no page can be opened here."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright, which drives the browser, is not installed"
    return None if chromium() else "no Chromium is installed"


def install_chromium() -> bool:
    """By root on Debian and its kin; elsewhere, people know better how they get a browser."""
    if os.getuid() != 0 or shutil.which("apt-get") is None:
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    update, install = ("update", "-qq"), ("install", "-qq", "--yes", "--no-install-recommends", "chromium")
    return all(_done(("apt-get", *words), quiet) for words in (update, install)) and chromium() is not None


def install_axe() -> bool:
    if shutil.which("npm") is None:
        return False
    cache().mkdir(parents=True, exist_ok=True)
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error")
    return _done(("npm", "install", "--prefix", str(cache()), *quiet, f"axe-core@{AXE}")) and axe() is not None


def _done(command: tuple[str, ...], env: dict[str, str] | None = None) -> bool:
    try:
        return subprocess.run(command, env=env, stdout=subprocess.DEVNULL, timeout=SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main() -> int:
    has_browser = bool(chromium()) or install_chromium()
    has_axe = bool(axe()) or install_axe()
    print(f"Chromium: {chromium() if has_browser else 'not installed: tests in a browser are skipped'}")
    print(f"axe-core: {axe() if has_axe else 'not installed: tests of accessibility are skipped'}")
    return 0 if has_browser and has_axe else 1


if __name__ == "__main__":
    sys.exit(main())
