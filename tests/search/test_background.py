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
from lerim.sources.trace import Assistant, Header, User, encode_all


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
    with Lerim(tmp_path, env={**os.environ, "HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / "home")}) as here:
        here.memory.add(Draft(Primitive.DECISION, "Memory"))
        here.index.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(here.index.folder / LOCK, os.O_RDWR | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert start(here.index.folder, here.house.env), "somebody is at it"
        os.close(lock)

        _wait_for(here.index.folder / LOCK)
        assert here.index.health().state is not IndexState.FRESH


def test_what_was_written_last_is_compared_by_meaning_first(tmp_path: Path) -> None:
    """Who imported much and then learned something finds it by its meaning, however much is still to be made."""
    with Lerim(tmp_path, env={"HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / "home")}) as here:
        for number in range(6):
            here.memory.add(Draft(Primitive.DECISION, f"Memory {number}"))

        assert here.index.follow(2) == 4
        assert here.index.follow(2) == 4, "the newest have theirs"
        here.memory.add(Draft(Primitive.DECISION, "Deploys wait for the night"))
        assert here.index.follow(2) == 4
        assert here.index.follow(9) == 0
        assert here.index.health().state is IndexState.FRESH


def test_nothing_stays_behind_where_no_helper_is_wanted(tmp_path: Path) -> None:
    """LERIM_NO_HELPER: no process outlives the command."""
    with Lerim(tmp_path, env={"HOME": str(tmp_path), "LERIM_NO_HELPER": "1"}) as here:
        assert not here.index.start_in_background()
        assert not (here.index.folder / LOCK).exists()


def _wait_for(lock: Path) -> None:
    """Until the process that holds the lock has ended."""
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)


def test_what_a_session_leaves_is_compared_by_meaning_even_if_it_is_a_summary_alone(tmp_path: Path) -> None:
    """Most sessions teach nothing, and somebody asks later what was done in them."""
    project = tmp_path / "project"
    project.mkdir()
    said = [User(text="rename the header of the report, please"), Assistant(text="I renamed it in report.py.")]
    lines = encode_all(Header(agent="claude", run_id="s-1"), said)
    (tmp_path / "session.jsonl").write_text("".join(f"{line}\n" for line in lines))
    with Lerim(project, env={"HOME": str(tmp_path), "LERIM_NO_HELPER": "1"}) as here:
        here.setup.init()
        here.traces.find(str(tmp_path / "session.jsonl"), project)

        (taken,) = here.sync()

        assert taken.wrote and taken.result and not taken.result.written and taken.result.summary
        assert here.index.missing() == 0
