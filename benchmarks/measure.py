"""How things are measured: in child processes, baseline and subject in turn, everything in a temporary folder."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ContextDecorator, suppress
from fcntl import LOCK_EX, flock
from functools import cache
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import memories
from peak import peak_kib

HERE = Path(__file__).parent
PEAK = HERE / "peak.py"
LERIM = Path(sys.executable).with_name("lerim")
#: No process stays that answers the next search.
ALONE = {"LERIM_NO_HELPER": "1"}
MEMORY = Path("/dev/shm")
ROOM = 4 << 30


class Sample(NamedTuple):
    """What one run took: seconds, seconds, KiB."""

    cpu: float
    wall: float
    peak: int


class Result(NamedTuple):
    """A subject held against its baseline; no subject where this Lerim has no such thing."""

    name: str
    subject: Sample | None
    baseline: Sample
    #: What a person is promised: a ratio, seconds, or in words.
    aim: str = ""
    #: Another way to say it, such as sessions a second.
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.subject.cpu / self.baseline.cpu if self.subject else None


class Sandbox:
    """A temporary home and project. Bytecode goes there too: the first run of anything compiles, the others do not.

    `source` is the `src` folder of another checkout, to measure that instead; `traces` a folder of real sessions;
    `full` wants the sizes that take long, too.
    """

    def __init__(self, source: Path | None = None, traces: Path | None = None, *, full: bool = False) -> None:
        self._source = source
        self.traces = traces
        self.full = full

    def another(self) -> Sandbox:
        return Sandbox(self._source, self.traces, full=self.full)

    def __enter__(self) -> Sandbox:
        self.root = _whole_run() / f"box-{len(_OPEN)}"
        _OPEN.append(self.root)
        self.project = self.root / "project"
        (self.project / ".git").mkdir(parents=True)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LERIM_"))}
        self.env |= {"HOME": str(self.root), "LERIM_HOME": str(self.root / "home")}
        self.env |= {"PYTHONPYCACHEPREFIX": str(self.root / "bytecode"), "PYTHONHASHSEED": "0"}
        # As the `lerim` script does it; workers are no `lerim` script.
        self.env |= {"OPENBLAS_NUM_THREADS": "1"}
        if self._source:
            self.env["PYTHONPATH"] = str(self._source)
        return self

    def __exit__(self, *exc: object) -> None:
        _OPEN.remove(self.root)
        self.wait_for_index()
        shutil.rmtree(self.root)

    def fill(self, count: int) -> None:
        """Give the project memories whose files are settled: too old to change unseen, and looked at since.

        Their vectors are made up: real ones take the longer part of an hour for what is measured in seconds. Who comes
        again for as many gets a copy, in the same place: its path is written in many of its files.
        """
        kept = _whole_run() / f"filled-{self.root.name}-{count}"
        if kept.exists():
            _copied(kept, self.root)
        else:
            self._filled(count)
            _copied(self.root, kept)
        self.command(LERIM, "status")

    def _filled(self, count: int) -> None:
        source = self.root / "memories.jsonl"
        memories.write(source, count)
        self.command(LERIM, "init")
        self.command(LERIM, "memory", "import", source)
        self.command(sys.executable, HERE / "vectors.py", "index")
        self.settle()

    def settle(self) -> None:
        """As if nobody had touched a file of the memory for a while."""
        then = time.time() - 60
        for file in (self.project / ".lerim" / "memory").rglob("*.md"):
            os.utime(file, (then, then))

    def words_only(self) -> dict[str, str]:
        """An environment in which nothing is searched by meaning."""
        config = self.root / "words.toml"
        config.write_text("[embeddings]\nenabled = false\n")
        return {"LERIM_CONFIG": str(config)}

    def command(self, *argv: str | Path, env: Mapping[str, str] | None = None, said: str = "") -> Sample:
        """A whole process from start to end, and those it waited for, without its peak. `said` is what it reads."""
        given = {**self.env, **(env or {})}
        heard = self.root / "said"
        heard.write_text(said)
        with heard.open("rb") as stdin:
            started = time.perf_counter()
            process = subprocess.Popen(
                argv,
                cwd=self.project,
                env=given,
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, argv)
        return Sample(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, 0)

    def knows(self, *command: str, flag: str = "") -> bool:
        """Whether this Lerim has a command, and a flag of it."""
        argv = [LERIM, *command, "--help"]
        done = subprocess.run(argv, cwd=self.project, env=self.env, capture_output=True, text=True, check=False)
        return done.returncode == 0 and flag in done.stdout

    def told(self, *command: str) -> Any:
        """What a command answers with `--json`."""
        argv = [LERIM, *command, "--json"]
        return json.loads(subprocess.check_output(argv, cwd=self.project, env=self.env, stderr=subprocess.DEVNULL))

    def peak(self, script: str | Path, *args: str) -> int:
        """The most memory a Python script held, in KiB."""
        argv = [sys.executable, PEAK, script, *args]
        done = subprocess.check_output(argv, cwd=self.project, env=self.env, text=True, stderr=subprocess.DEVNULL)
        return int(done.split()[-1])

    def worker(self, script: str, *args: str) -> dict[str, float]:
        """What a worker of ours reports about itself on its last line."""
        argv = [sys.executable, HERE / script, *args]
        out = subprocess.check_output(argv, cwd=self.project, env=self.env, text=True)
        said: dict[str, float] = json.loads(out.splitlines()[-1])
        return said

    def sample(self, script: str, *args: str) -> Sample:
        """What a worker of ours took."""
        said = self.worker(script, *args)
        return Sample(said["cpu"], said["wall"], int(said["peak"]))

    def wait_for_index(self) -> None:
        """Until the vectors are made that a sync left to a process in the background."""
        with suppress(FileNotFoundError), (self.root / "home" / "index" / "search" / "indexing.lock").open() as lock:
            flock(lock, LOCK_EX)

    def bare(self) -> Sample:
        """What Python takes to do nothing."""
        return self.command(sys.executable, "-c", "pass")


#: The folders of sandboxes that are open, one in the other.
_OPEN: list[Path] = []


@cache
def _whole_run() -> Path:
    """Where everything of this run is; gone when it ends."""
    folder = tempfile.mkdtemp(prefix="lerim-bench-", dir=_quiet_folder())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _copied(folder: Path, to: Path) -> None:
    """A folder with all times as they are, in place of another."""
    if to.exists():
        shutil.rmtree(to)
    subprocess.run(["cp", "--archive", folder, to], check=True)


def _quiet_folder() -> Path | None:
    """Files in memory where there is room: on disk, the same write can cost three times as much a minute later."""
    asked = "TMPDIR" in os.environ
    return MEMORY if not asked and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM else None


class Clock(ContextDecorator):
    """Adds up the CPU and wall time of what runs inside `with clock:`, or in a function it decorates."""

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0

    def __enter__(self) -> None:
        usage = getrusage(RUSAGE_SELF)
        self.cpu -= usage.ru_utime + usage.ru_stime
        self.wall -= time.perf_counter()

    def __exit__(self, *exc: object) -> None:
        self.wall += time.perf_counter()
        usage = getrusage(RUSAGE_SELF)
        self.cpu += usage.ru_utime + usage.ru_stime

    def sample(self) -> Sample:
        return Sample(self.cpu, self.wall, peak_kib())


def in_turn(repeats: int, runs: Mapping[str, Callable[[], Sample]]) -> dict[str, Sample]:
    """The median of each run, taken in turn so that a busy moment hits all alike. One round before is not counted."""
    samples: dict[str, list[Sample]] = {name: [] for name in runs}
    for round_number in range(repeats + 1):
        for name, run in runs.items():
            sample = run()
            if round_number:
                samples[name].append(sample)
    return {
        name: Sample(*(sorted(values)[repeats // 2] for values in zip(*of, strict=True)))
        for name, of in samples.items()
    }
