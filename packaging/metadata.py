"""Where the project lives, for the package's metadata: taken from the build, so that a fork never points elsewhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PAGES = {
    "Homepage": "",
    "Documentation": "/tree/main/docs",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
    "Security": "/blob/main/docs/security.md",
}


class ProjectUrls(MetadataHookInterface):
    """Adds `[project.urls]` when it is known where this code is kept; a build from a bare folder has none."""

    def update(self, metadata: dict[str, Any]) -> None:
        home = _from_workflow() or _from_git(Path(self.root))
        metadata["urls"] = {name: home + page for name, page in _PAGES.items()} if home else {}


def _from_workflow() -> str:
    server, repository = os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_REPOSITORY", "")
    return f"{server}/{repository}" if server and repository else ""


def _from_git(root: Path) -> str:
    """The address of `origin` as a browser opens it: no user, no password, no `.git`."""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        address = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    scheme, _, rest = address.partition("://")
    if scheme == "https" and rest:
        return "https://" + rest.rpartition("@")[2].removesuffix(".git")
    user, _, place = address.partition("@")
    if user == "git" and ":" in place and "://" not in address:
        return "https://" + place.replace(":", "/", 1).removesuffix(".git")
    return ""
