"""A process that keeps the memory true, or takes that back, is killed at its lines: it did all of it, or nothing.

Run as a program: it forks its victims, which a test runner with threads must not do. Prints a JSON report.

python curating.py POINTS SEED
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from crash import Ack, acknowledged, open_lerim, spawn, traced_lines

import lerim.runtime.agent
import lerim.runtime.maintenance  # noqa: F401 - loaded before the victims are forked
from lerim.context.filters import ANY
from lerim.context.records import Draft, Evidence, Primitive, Trust, utc_now
from lerim.service import Lerim

#: What each record is, and what each file says.
State = tuple[dict[str, tuple[str, str, str | None, int]], dict[str, bytes]]
SAID = (
    ("Use Redis for the job queue", "It is fast.", 20),
    ("Use Redis for the job queue", "It is fast.", 10),
    ("Use date-fns for dates", "", 90),
    ("From now on we use Luxon instead of date-fns", "", 5),
    ("The old build needs webpack 4", "", 500),
)


class Untidy:
    """A memory that has something to be done about it; once as it is, once as it is when that is done."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lerim-curate-")).resolve()
        self.world = self.folder / "world"
        (self.world / "project" / ".git").mkdir(parents=True)
        (self.world / "home").mkdir()
        trust = f"[trust]\nprojects = [{json.dumps(str(self.world / 'project'))}]\n"
        (self.world / "home" / "config.toml").write_text(f"[embeddings]\nenabled = false\n{trust}")
        with open_lerim(self.world) as opened:
            opened.setup.init()
            place = opened.memory.target()
            with place.change("lerim", "sync") as change:
                for number, (title, body, days) in enumerate(SAID):
                    change.create(_said(number, title, body, days))
            self.before = state(opened, self.world)
        self._keep("before")
        with open_lerim(self.world) as opened:
            opened.maintain()
            self.after = state(opened, self.world)
        self._keep("after")
        assert self.before != self.after

    def _keep(self, name: str) -> None:
        shutil.copytree(self.world, self.folder / name)

    def anew(self, name: str) -> None:
        shutil.rmtree(self.world)
        shutil.copytree(self.folder / name, self.world)


def _said(number: int, title: str, body: str, days: int):
    said = utc_now() - timedelta(days=days)
    evidence = Evidence("claude", f"s{number}", 3, 3, title, Trust.USER, said)
    draft = Draft(Primitive.DECISION, title, body, source="sync", evidence=(evidence,))
    return draft.record(utc_now() - timedelta(days=2))


def state(opened: Lerim, world: Path) -> State:
    records = [kept.record for kept in opened.memory.select(ANY)]
    folder = world / "project" / ".lerim" / "memory"
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.md")}
    said = {r.id: (str(r.status), r.body, r.superseded_by, len(r.evidence)) for r in records}
    # A run is dated by when it was: a second one differs in that.
    return said, {name: b"\n".join(x for x in data.split(b"\n") if b"updated" not in x) for name, data in files.items()}


def maintain(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        opened.maintain()
        ack("done", "", 0)


def undo(world: Path, ack: Ack) -> None:
    with open_lerim(world) as opened:
        opened.curation.undo(opened.curation.undoable()[0].run_id)
        ack("done", "", 0)


def wrong_after(untidy: Untidy, start: State, end: State, acks: list[list[object]]) -> Iterator[str]:
    yield from (str(ack[1]) for ack in acks if ack[0] == "error")
    with open_lerim(untidy.world) as opened:
        for _, done in opened.memory.reconcile():
            if done.problems or done.deleted:
                yield f"reconcile found {done.problems} and deleted {done.deleted}"
        yield from (f"{finding.where}: {finding.what}" for finding in opened.memory.check())
        found = state(opened, untidy.world)
        is_done = any(ack[0] == "done" for ack in acks)
        if found not in ([end] if is_done else [start, end]):
            yield f"half of it is done: {found}"


def drill(step: Callable[[Path, Ack], None], points: int, seed: int, untidy: Untidy) -> dict[str, object]:
    """Kill before the n-th line of Lerim's own code, from its first line to its last."""
    dice = random.Random(seed)
    begins = "before" if step is maintain else "after"
    start, end = (untidy.before, untidy.after) if step is maintain else (untidy.after, untidy.before)

    def run(ack: Ack, at: int | None) -> None:
        ack("lines", "", traced_lines(lambda: step(untidy.world, ack), at))

    untidy.anew(begins)
    pid, reader = spawn(lambda ack: run(ack, None))
    os.waitpid(pid, 0)
    said = acknowledged(reader)
    assert said[-1][0] == "lines", said
    total, kills, wrong = int(str(said[-1][2])), 0, list[str]()
    for number in range(points):
        at = 1 + int((number + dice.random()) * (total - 1) / points)
        untidy.anew(begins)
        pid, reader = spawn(lambda ack, at=at: run(ack, at))
        _, status = os.waitpid(pid, 0)
        kills += os.WIFSIGNALED(status)
        acks = [ack for ack in acknowledged(reader) if ack[0] != "lines"]
        wrong += [f"{step.__name__} line {at} of {total}: {text}" for text in wrong_after(untidy, start, end, acks)]
    return {"kills": kills, "lines": total, "wrong": wrong}


if __name__ == "__main__":
    made = Untidy()
    reports = {step.__name__: drill(step, int(sys.argv[1]), int(sys.argv[2]), made) for step in (maintain, undo)}
    shutil.rmtree(made.folder)
    print(json.dumps(reports))
