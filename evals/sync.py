"""Whether a sync over a folder of real traces ends cleanly, with no key, and a second one changes nothing.

    python evals/sync.py TRACES_DIR [--keep FOLDER] [--jobs N]

The folder has a manifest.jsonl, one object per file with its `path`. Every file is imported into a project made for
this, then `sync` runs twice. Exits with 1 unless every session is done or skipped with a reason, every memory file and
run artifact is valid by its schema, `memory check` and `audit` are clean, and the second run changed nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from lerim.runtime.runs.artifacts import check_run
from lerim.service import Lerim


def main() -> int:
    arguments = _arguments()
    with TemporaryDirectory() as temporary:
        base = arguments.keep or Path(temporary)
        project = base / "project"
        (project / ".git").mkdir(parents=True, exist_ok=True)
        # Nothing of the machine's own: no key, no settings, no sessions.
        env = {"HOME": str(base / "home"), "LERIM_HOME": str(base / "home" / ".lerim")}
        problems = list(_evaluate(arguments.traces, project, env, arguments.jobs))
    for problem in problems:
        print(f"PROBLEM {problem}")
    print("clean" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sync a folder of real traces, twice.")
    parser.add_argument("traces", type=Path, help="a folder with a manifest.jsonl")
    parser.add_argument("--jobs", type=int, default=1, help="read so many sessions at once")
    parser.add_argument("--keep", type=Path, help="leave the home and the project in this folder")
    return parser.parse_args()


def _evaluate(traces: Path, project: Path, env: dict[str, str], jobs: int) -> Iterator[str]:
    with Lerim(project, env=env) as lerim:
        lerim.setup.adopt()
        yield from _import(lerim, traces)
    with Lerim(project, env=env) as lerim:
        yield from _sync(lerim, jobs)
    before = _digest(project / ".lerim")
    with Lerim(project, env=env) as lerim:
        again = list(lerim.sync(lerim.sessions.since(None)))
        yield from (f"{taken.session.name} was taken a second time" for taken in again)
    if _digest(project / ".lerim") != before:
        yield "a second sync changed files"


def _import(lerim: Lerim, traces: Path) -> Iterator[str]:
    imported = 0
    for line in (traces / "manifest.jsonl").read_text("utf-8").splitlines():
        path = traces / json.loads(line)["path"]
        sessions = lerim.traces.find(str(path), lerim.house.cwd)
        imported += len(sessions)
        if not sessions:
            yield f"{path}: no session in it"
    print(f"{imported} sessions imported")


def _sync(lerim: Lerim, jobs: int) -> Iterator[str]:
    states: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    began, size = time.perf_counter(), 0
    for taken in lerim.sync(lerim.sessions.since(None), jobs=jobs):
        states[taken.state if taken.result else f"{taken.state}: {taken.reason}"] += 1
        counts.update(taken.result.counts if taken.result else {})
        size += taken.session.size or 0
        if taken.result is None and taken.state != "skipped":
            yield f"{taken.session.name}: {taken.state}: {taken.reason}"
        if taken.result:
            yield from (f"{taken.result.run_id}: {problem}" for problem in check_run(Path(taken.result.run_folder)))
    seconds = time.perf_counter() - began
    print(f"states {dict(states)}")
    print(f"actions {dict(counts)}")
    print(f"{states.total() / seconds:.1f} sessions/s, {size / 1e6 / seconds:.2f} MB/s of canonical trace")
    yield from (str(finding) for finding in lerim.memory.check())
    audit = lerim.sessions.since(None).audit()
    if not audit.is_whole:
        yield f"the audit does not balance: {audit}"


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
