"""Whether what came along with a repository is trusted: asked once, where somebody can answer."""

from __future__ import annotations

import sys

from lerim.cli.output import Output
from lerim.context.projects import Project, ProjectTrust
from lerim.printable import shell_word
from lerim.service import Lerim


def ask_for_trust(lerim: Lerim, project: Project, out: Output) -> Project:
    """Whether a `.lerim` that came along is trusted: asked once where a person can answer, else told how to say so."""
    if project.trust is not ProjectTrust.UNASKED:
        return project
    out.warn(
        f"{project.root} came with a .lerim folder of its own: until you trust it, its memories are shown as shared"
    )
    if not (sys.stdin.isatty() and out.is_terminal):
        out.note(f"  if it is yours: lerim project trust {shell_word(str(project.root))}")
        return project
    out.prompt("Trust its memories and settings as your own? [y/N]")
    trusted = sys.stdin.readline().strip().lower() in ("y", "yes")
    return lerim.setup.trust(project, trusted=trusted)[0]
