"""Taking sessions in with the embedded engine: how fast, where the time goes, and what the lead agent costs on top.

The sessions are made up, unless LERIM_BENCH_TRACES names a folder of real files of any agents. The baseline calls the
pipelines directly: extract and summarize, nothing searched, compared or written.
As a script, one worker on what was laid into the sandbox.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import conversations
import memories
from measure import Clock, Result, Sample, Sandbox, in_turn

MB = 1_000_000
SIZES = (*[MB // 5] * 12, *[MB] * 4, 4 * MB)
#: What is known already when a session with one candidate is taken in.
FEW, MANY = 1_000, 10_000
#: Sessions whose time is measured, after one that is not.
GROWTH_SESSIONS = 9
TOLD = "From now on always put the {word} fixtures into conftest.py, because other test files do not find them."


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    kept = lay_out(sandbox)
    rounds = {name: worker(sandbox, name) for name in ("agent", "pipelines")}
    # A round takes in every session: three of them are enough to see a busy moment.
    samples = in_turn(min(repeats, 3), rounds)
    yield Result("lead agent", samples["agent"], samples["pipelines"])
    size, count = kept["bytes"] / MB, kept["sessions"]
    for name, sample in samples.items():
        speed = f"{count / sample.cpu:.1f} sessions/s, {size / sample.cpu:.1f} MB/s of trace"
        print(f"    {name}: {count:.0f} sessions, {speed}")
    stages = sandbox.worker("ingest.py", "stages", str(sandbox.root))
    whole = kept["cpu"] + sum(stages.values())
    shares = {"read, redact, archive": kept["cpu"], **stages}
    print("    " + ", ".join(f"{name} {seconds / whole:.0%}" for name, seconds in shares.items()))
    yield from growth(sandbox)


def growth(sandbox: Sandbox) -> Iterator[Result]:
    """A session with one candidate, taken in by who knows much, against one who knows little."""
    samples = {}
    for count in (FEW, MANY):
        told = sandbox.worker("ingest.py", "growth", str(sandbox.root), str(count))
        samples[count] = Sample(told["cpu"], told["wall"], int(told["peak"]))
        search = f"{told['search'] * 1000:.1f} to search"
        print(f"    one candidate, {count:,} known: {told['cpu'] * 1000:.0f} ms of CPU, {search}")
    yield Result(f"one candidate, {MANY:,} known", samples[MANY], samples[FEW])


def lay_out(sandbox: Sandbox) -> dict[str, float]:
    """Archived sessions in the sandbox, and how many they are."""
    folder = sandbox.root / "files"
    _write_files(folder, sandbox.project)
    return sandbox.worker("ingest.py", "archive", str(folder), str(sandbox.root))


def _write_files(folder: Path, project: Path) -> None:
    """Session files in one folder: links to real ones, or made up."""
    folder.mkdir()
    if real := os.environ.get("LERIM_BENCH_TRACES"):
        files = sorted(path for path in Path(real).rglob("*") if path.is_file() and path.name != "manifest.jsonl")
        for number, path in enumerate(files):
            (folder / f"{number:04}{path.suffix}").symlink_to(path.resolve())
        return
    for number, size in enumerate(SIZES):
        conversations.write(folder / f"session-{number:02}.jsonl", size, project, seed=number)


def worker(sandbox: Sandbox, name: str, script: str = "ingest.py"):  # type: ignore[no-untyped-def]
    """A round of a worker on the archived sessions."""

    def work() -> Sample:
        said = sandbox.worker(script, name, str(sandbox.root))
        return Sample(said["cpu"], said["wall"], int(said["peak"]))

    return work


# --- in the worker ----------------------------------------------------------------------------------------------------


def _archive(folder: Path, root: Path) -> dict[str, float]:
    """Every session of the folder, read and redacted into the archive."""
    from lerim.sessions.archive import archive, safe_name
    from lerim.sources.base import Reading
    from lerim.sources.pieces import container
    from lerim.sources.redact import Redactor
    from lerim.sources.registry import recognize

    clock, kept = Clock(), []
    with clock:
        for path in sorted(folder.iterdir()):
            source = recognize(path)
            for found in container(source.name, path) if source else ():
                for ref in source.sessions(found):
                    reading, redactor = source.read(ref), Redactor(b"benchmark")
                    lines = map(redactor.line, reading.lines)
                    target = root / "traces" / f"{safe_name(f'{path.stem}-{ref.run_id}')}.jsonl"
                    done = archive(Reading(redactor.header(reading.header), lines, reading.account), target)
                    kept.append(done.path if done.facts.turns else None)
                    if not done.facts.turns:
                        done.path.unlink()
    paths = [path for path in kept if path]
    return {"cpu": clock.cpu, "sessions": len(paths), "bytes": sum(path.stat().st_size for path in paths)}


def _pipelines(root: Path) -> None:
    from lerim.ingest.extract import extract
    from lerim.ingest.signals.engine import EmbeddedEngine
    from lerim.ingest.summarize import summarize
    from lerim.ingest.transcript import Transcript

    for path in sorted((root / "traces").iterdir()):
        transcript, engine = Transcript.read(path), EmbeddedEngine()
        extract(transcript, engine)
        summarize(transcript, engine)


def _agent(root: Path) -> None:
    """The same by the lead agent, into a memory that begins empty."""
    import tempfile

    from lerim.house import House
    from lerim.runtime.agent import LeadAgent

    with tempfile.TemporaryDirectory(dir=root) as folder:
        project = Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        rooms = House(project, env={"LERIM_HOME": f"{folder}/home", "HOME": folder}).rooms()
        for path in sorted((root / "traces").iterdir()):
            LeadAgent(rooms=rooms).sync(path)


def _growth(root: Path, count: int) -> dict[str, float]:
    """The middle one of some sessions, each with one candidate, where so many memories are known; and its search."""
    import tempfile

    from lerim.house import House
    from lerim.runtime.agent import LerimAgent
    from lerim.search.similar import similar
    from lerim.sources.trace import Assistant, Header, User, encode_all

    with tempfile.TemporaryDirectory(dir=root) as folder:
        project = Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        memories.write(Path(folder) / "memories.jsonl", count)
        house = House(project, env={"LERIM_HOME": f"{folder}/home", "HOME": folder})
        house.memory.import_from(Path(folder) / "memories.jsonl", where="project")
        then = time.time() - 60
        for file in project.rglob("*.md"):
            os.utime(file, (then, then))
        rooms, spent = house.rooms(), []
        for number in range(GROWTH_SESSIONS + 1):
            path = Path(folder) / f"session-{number}.jsonl"
            lines = [User(text=TOLD.format(word=memories.WORDS[30 + number])), Assistant(text="Done.")]
            header = Header(agent="claude", run_id=f"s-{number}", started="2026-02-19T08:00:00Z")
            path.write_text("".join(f"{line}\n" for line in encode_all(header, lines)))
            clock = Clock()
            with clock:
                done = LerimAgent(rooms=rooms).sync(path)
            assert sum(done.counts.values()) == 1, done.counts
            spent.append(clock.sample())
        (place,) = house.memory.places()
        search = Clock()
        with search:
            for word in memories.WORDS[30:40]:
                similar(place, TOLD.format(word=word), TOLD.format(word=word))
        middle = sorted(spent[1:], key=lambda sample: sample.cpu)[GROWTH_SESSIONS // 2]
    return {"cpu": middle.cpu, "wall": middle.wall, "peak": middle.peak, "search": search.cpu / 10}


def _stages(root: Path) -> dict[str, float]:
    """CPU seconds of each step of a run, in order; the rest is the agent, its tools and the commit."""
    from lerim.ingest.extract import extract
    from lerim.ingest.signals.engine import EmbeddedEngine
    from lerim.ingest.summarize import summarize
    from lerim.ingest.transcript import Transcript

    spent: Counter[str] = Counter()

    @contextmanager
    def step(name: str) -> Iterator[None]:
        began = time.process_time()
        yield
        spent[name] += time.process_time() - began  # type: ignore[assignment]

    for path in sorted((root / "traces").iterdir()):
        engine = EmbeddedEngine()
        with step("load"):
            transcript = Transcript.read(path)
        with step("extract"):
            extract(transcript, engine)
        with step("summarize"):
            summarize(transcript, engine)
    whole = Clock()
    with whole:
        _agent(root)
    rest = max(0.0, whole.cpu - sum(spent.values()))
    return {**spent, "agent, tools, commit": rest}


def main(name: str, *args: str) -> None:
    if name == "archive":
        print(json.dumps(_archive(Path(args[0]), Path(args[1]))))
        return
    if name == "growth":
        print(json.dumps(_growth(Path(args[0]), int(args[1]))))
        return
    if name == "stages":
        print(json.dumps(_stages(Path(args[0]))))
        return
    clock = Clock()
    work = {"agent": _agent, "pipelines": _pipelines}[name]
    # What is imported is paid once a process, not once a session.

    with clock:
        work(Path(args[0]))
    sample = clock.sample()
    print(json.dumps({"cpu": sample.cpu, "wall": sample.wall, "peak": sample.peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
