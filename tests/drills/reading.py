"""A home that cannot be written to. Run as a program: it gives up its rights, which belong to a process.

    python reading.py home | all | unclean

Prints a JSON report: what each command answered, and whether a byte of what was there has changed. "unclean" leaves the
store as a killed process does, with its log beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path

import lerim.cli.sessions
import lerim.cli.sync
import lerim.runtime.worker  # noqa: F401 - before the process loses its rights
from lerim.cli.main import main
from lerim.context.records import Draft, Primitive
from lerim.examples import install
from lerim.service import Lerim

NOBODY = 65534
READING = (
    "memory list",
    "memory list --json",
    "memory show {id}",
    "memory history {id}",
    "memory diff {id} 1 2",
    "memory export -",
    "search bearer tokens",
    "search bearer tokens --json",
    "ask which tokens do we use?",
    "status",
    "sessions list",
    "sessions show {session}",
    "trace show {session}",
    "trace show {waiting}",
    "queue",
    "unscoped",
    "audit",
    "review list",
    "runs list",
    "why {learned}",
    "project list",
    "project show",
    "config show",
    "cost",
    "backup list",
)
WRITING = (
    "memory add --primitive decision --title After",
    "memory edit {id} --body After",
    "memory archive {id}",
    "memory undo",
    "sync",
    "backup",
)


def run(words: str, names: dict[str, str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words.format(**names).split())
        except Exception:
            traceback.print_exc()
            code = 70
    return code, out.getvalue(), err.getvalue()


def sandbox() -> tuple[Path, dict[str, str]]:
    folder = Path(tempfile.mkdtemp(prefix="lerim-reading-")).resolve()
    folder.chmod(0o755)
    project = folder / "project"
    project.mkdir()
    os.environ.update({"HOME": str(folder), "LERIM_HOME": str(folder / "home")})
    os.environ.pop("LERIM_CONFIG", None)
    os.chdir(project)
    install(folder, project, datetime.now(UTC))
    with Lerim() as opened:
        opened.setup.init()
        list(opened.sync(limit=2))
        kept = opened.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens", "short expiry"))
        opened.memory.revise(kept, reason="drill", body="short expiry, refresh tokens")
        learned = next(k.record.id for k in opened.memory.select() if k.record.evidence)
        session = next(s.name for s in opened.sessions.queue.list() if s.state == "done")
        waiting = next(s.name for s in opened.sessions.queue.list() if s.state == "pending")
        opened.search("bearer tokens")
    return folder, {"id": kept.record.id, "learned": learned, "session": session, "waiting": waiting}


def leave_unclean(names: dict[str, str]) -> None:
    """Killed with the store open: what was committed stands in the log."""
    pid = os.fork()
    if pid == 0:
        opened = Lerim()
        opened.memory.revise(opened.memory.find(names["id"]), reason="drill", title="Use JWT bearer tokens everywhere")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def close_to_writing(folder: Path, top: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    for path in [top, *top.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)


def drill(kind: str) -> dict[str, object]:
    folder, names = sandbox()
    for words in (*READING, *WRITING[-1:]):
        run(words, names)  # Loads what it needs, while the process may read the interpreter's own files.
    if kind == "unclean":
        leave_unclean(names)
        with contextlib.suppress(FileNotFoundError):
            # What shared memory was is made anew from the log, where it can be made.
            (folder / "home" / "context.sqlite3-shm").unlink()
    close_to_writing(folder, folder if kind == "all" else folder / "home")
    before = digests(folder)
    read = {words: run(words, names) for words in READING}
    refused = {words: run(words, names) for words in WRITING}
    same = before == digests(folder)
    os.seteuid(0)
    os.chdir("/")
    shutil.rmtree(folder)
    return {"read": read, "refused": refused, "same": same}


if __name__ == "__main__":
    print(json.dumps(drill(sys.argv[1])))
