"""One process at a time, and a lock that no dead process keeps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from lerim.daemon.single import held, holder

HOLD = """
import subprocess, sys, time
from lerim.daemon.single import held

with held(sys.argv[1]) as ours:
    # Its child outlives it, and inherits all it can.
    child = subprocess.Popen(["sleep", "600"], close_fds=False)
    print(ours, child.pid, flush=True)
    time.sleep(600)
"""


def test_whoever_has_it_is_known_and_nobody_else_gets_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert None is holder(str(lock))
    with held(str(lock)) as first, held(str(lock)) as second:
        assert (True, False) == (first, second)
        assert os.getpid() == holder(str(lock))

    assert None is holder(str(lock))


def test_a_killed_process_keeps_nothing_not_even_by_its_children(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ours, child = process.stdout.readline().split()
        assert "True" == ours
        assert process.pid == holder(str(lock))
        process.kill()
    try:
        assert None is holder(str(lock))
        with held(str(lock)) as is_held:
            assert is_held
    finally:
        os.kill(int(child), signal.SIGKILL)


def test_what_was_written_into_it_before_harms_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text("99999999 and more")

    assert None is holder(str(lock))
    with held(str(lock)) as ours:
        assert ours and os.getpid() == holder(str(lock))
