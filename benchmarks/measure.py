"""How things are measured: in child processes, baseline and subject in turn, everything in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ContextDecorator
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

import memories
from peak import peak_kib

HERE = Path(__file__).parent
PEAK = HERE / "peak.py"
LERIM = Path(sys.executable).with_name("lerim")
MEMORY = Path("/dev/shm")
ROOM = 4 << 30


class Sample(NamedTuple):
    """What one run took: seconds, seconds, KiB."""

    cpu: float
    wall: float
    peak: int


class Result(NamedTuple):
    """A subject held against its baseline."""

    name: str
    subject: Sample
    baseline: Sample
    aim: float | None = None

    @property
    def ratio(self) -> float:
        return self.subject.cpu / self.baseline.cpu


class Sandbox:
    """A temporary home and project. Bytecode goes there too: the first run of anything compiles, the others do not."""

    def __enter__(self) -> Sandbox:
        self._folder = tempfile.TemporaryDirectory(prefix="lerim-bench-", dir=_quiet_folder())
        self.root = Path(self._folder.name)
        self.project = self.root / "project"
        self.project.mkdir()
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LERIM_"))}
        self.env |= {"HOME": str(self.root), "LERIM_HOME": str(self.root / "home")}
        self.env |= {"PYTHONPYCACHEPREFIX": str(self.root / "bytecode"), "PYTHONHASHSEED": "0"}
        return self

    def __exit__(self, *exc: object) -> None:
        self._folder.cleanup()

    def fill(self, count: int) -> None:
        """Give the project memories whose files are settled: too old to change unseen, and looked at since."""
        source = self.root / "memories.jsonl"
        memories.write(source, count)
        # Indexed too: a search right after an import makes some of the missing vectors, which is another matter.
        for args in (["init"], ["memory", "import", source], ["index"]):
            self.command(LERIM, *args)
        then = time.time() - 60
        for file in self.project.rglob("*.md"):
            os.utime(file, (then, then))
        self.command(LERIM, "status")

    def command(self, *argv: str | Path) -> Sample:
        """A whole process from start to end, without its peak."""
        started = time.perf_counter()
        process = subprocess.Popen(argv, cwd=self.project, env=self.env, stdout=subprocess.DEVNULL)
        _, process.returncode, usage = os.wait4(process.pid, 0)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, argv)
        return Sample(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, 0)

    def peak(self, script: str | Path, *args: str) -> int:
        """The most memory a Python script held, in KiB."""
        argv = [sys.executable, PEAK, script, *args]
        return int(subprocess.check_output(argv, cwd=self.project, env=self.env, text=True).split()[-1])

    def worker(self, script: str, *args: str) -> dict[str, float]:
        """What a worker of ours reports about itself on its last line."""
        argv = [sys.executable, HERE / script, *args]
        out = subprocess.check_output(argv, cwd=self.project, env=self.env, text=True)
        said: dict[str, float] = json.loads(out.splitlines()[-1])
        return said


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
