"""Where something new would appear: the folders of sessions, and nothing that others write to all day."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lerim.sessions.watching import WatchedPlaces, watched_places


def places(laptop, *busy: Path, limit: int = 100) -> WatchedPlaces:
    laptop.discover()
    return watched_places(laptop.database, [laptop.agent], laptop.machine, busy, limit)


def test_folders_of_sessions_and_those_above_up_to_the_agents_own(laptop):
    """A new session is a file in one of them; a new project, a folder."""
    laptop.write("2026/11/a.log")
    laptop.write("2026/11/b.log")
    laptop.write("c.log")
    root = laptop.home / ".fake"

    assert {str(root), str(root / "2026"), str(root / "2026" / "11")} == set(places(laptop).paths)


def test_an_agent_that_is_not_there_is_waited_for_where_it_would_appear(laptop):
    """The first part of its path that is missing, in the folder that is there."""
    laptop.write("a.log")

    assert {str(laptop.home): frozenset([".fake-old"])} == places(laptop).born


def test_of_a_folder_that_others_write_to_only_the_session_is_watched(laptop):
    laptop.write("a.log")
    root = laptop.home / ".fake"

    assert (str(root / "a.log"),) == places(laptop, root).paths


def test_the_newest_come_first_where_there_is_no_room_for_all(laptop):
    for number in range(20):
        laptop.write(f"{number:02}/a.log")
    root = laptop.home / ".fake"

    assert (str(root), str(root / "19"), str(root / "18")) == places(laptop, limit=3).paths


def test_what_is_gone_is_not_watched(laptop):
    file = laptop.write("2026/a.log")
    laptop.discover()
    file.unlink()
    file.parent.rmdir()

    assert (str(laptop.home / ".fake"),) == places(laptop).paths


def test_a_folder_that_comes_and_goes_is_watched_or_waited_for(laptop):
    """Whenever it does: the next look is made when one of the two is heard of."""
    laptop.write("a.log").unlink()
    laptop.discover()
    root, away = laptop.home / ".fake", laptop.home / "away"
    flicker = (
        "import os, sys, time\nwhile True: os.rename(*sys.argv[1:]); time.sleep(1e-4); os.rename(*sys.argv[:0:-1])"
    )

    with subprocess.Popen([sys.executable, "-c", flicker, root, away]) as other:
        try:
            for _ in range(3000):
                found = watched_places(laptop.database, [laptop.agent], laptop.machine, (), 100)
                assert str(root) in found.paths or root.name in found.born[str(laptop.home)]
        finally:
            other.kill()


def test_what_appeared_before_anyone_waited_for_it_is_noticed(laptop):
    laptop.write("a.log")
    found = places(laptop)

    assert not found.has_appeared()
    (laptop.home / ".fake-old").mkdir()
    assert found.has_appeared()
