"""Indexing in another process."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import lerim
from lerim.context.records import Draft, Primitive
from lerim.search.background import LOCK, start
from lerim.search.health import IndexState
from lerim.service import Lerim


def test_a_process_in_the_background_makes_what_is_missing(tmp_path: Path) -> None:
    """It does the work and is gone; while it is at it, no second one starts."""
    path = os.pathsep.join([str(Path(lerim.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / "home"), "PYTHONPATH": path}
    with Lerim(tmp_path, env=env) as here:
        for number in range(3):
            here.memory.add(Draft(Primitive.DECISION, f"Memory {number}"))

        assert start(here.index.folder, env)
        _wait_for(here.index.folder / LOCK)

        assert IndexState.FRESH is here.index.health().state


def test_only_one_works_at_a_time(tmp_path: Path) -> None:
    """Whoever holds the lock does it for all."""
    lock = os.open(tmp_path / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)

    assert not start(tmp_path, os.environ)
    os.close(lock)


def _wait_for(lock: Path) -> None:
    """Until the process that holds the lock has ended."""
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
