"""A disk that refuses: full, or not ours to write. Run as a program, because limits and user ids belong to a process.

    python disk.py readonly-memory | readonly-home | full N

Prints a JSON report: exit code, what was said, and whether the memory is as before.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import sys
import tempfile
import urllib.parse  # noqa: F401 - imported late by pathlib, when a child may not read its files any more
from pathlib import Path

import yaml  # noqa: F401 - before the process loses its rights to read the interpreter's own files

import lerim.cli.memory
import lerim.cli.project  # noqa: F401 - likewise
from lerim.cli.main import main
from lerim.service import Lerim

NOBODY = 65534


def run(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(argv))
    return code, out.getvalue(), err.getvalue()


def snapshot(folder: Path) -> dict[str, bytes]:
    memory = folder / "project" / ".lerim" / "memory"
    return {str(path.relative_to(memory)): path.read_bytes() for path in memory.rglob("*") if path.is_file()}


def records() -> list[str]:
    with Lerim() as lerim:
        return sorted(f"{kept.record.id} {kept.record.version}" for kept in lerim.memory.select())


def sandbox() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="lerim-disk-")).resolve()
    (folder / "project").mkdir()
    os.environ.update({"HOME": str(folder), "LERIM_HOME": str(folder / "home")})
    os.environ.pop("LERIM_CONFIG", None)
    os.chdir(folder / "project")
    assert run("init")[0] == 0
    assert run("memory", "add", "--primitive", "decision", "--title", "Before", "--body", "stays")[0] == 0
    return folder


def give_to_nobody(folder: Path) -> None:
    if os.geteuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
        os.setegid(NOBODY)
        os.seteuid(NOBODY)


def drill(kind: str, limit: int) -> dict[str, object]:
    folder = sandbox()
    files, known = snapshot(folder), records()
    give_to_nobody(folder)
    if kind == "readonly-memory":
        (folder / "project" / ".lerim" / "memory" / "decisions").chmod(0o555)
    elif kind == "readonly-home":
        for path in (folder / "home").glob("context.sqlite3*"):
            path.chmod(0o444)
        (folder / "home").chmod(0o555)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    code, _, said = run("memory", "add", "--primitive", "decision", "--title", "After", "--body", "x" * 600_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    for path in (folder / "project" / ".lerim" / "memory" / "decisions", folder / "home"):
        path.chmod(0o755)
    for path in (folder / "home").glob("context.sqlite3*"):
        path.chmod(0o644)
    checked, report, _ = run("memory", "check")
    if os.getuid() == 0:
        os.seteuid(0)
    outcome = {
        "code": code,
        "said": said,
        "files_same": files == snapshot(folder),
        "records_same": known == records(),
        "sound": checked == 0,
        "report": report,
    }
    os.chdir("/")
    shutil.rmtree(folder)
    return outcome


if __name__ == "__main__":
    print(json.dumps(drill(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
