"""What the system tells of changed files: what is watched and nothing else, and a folder that went and came back."""

from __future__ import annotations

import select
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.daemon.folder_events import Changed, FolderEvents
from lerim.sessions.watching import WatchedPlaces

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def events() -> Iterator[FolderEvents]:
    made = FolderEvents()
    yield made
    made.close()


def heard(events: FolderEvents, seconds: float = 60.0) -> set[Changed]:
    """What comes next, however long it takes."""
    select.select([events], [], [], seconds)
    return set(events.heard())


def test_new_and_grown_files_are_heard_of(events: FolderEvents, tmp_path: Path) -> None:
    events.watch(WatchedPlaces((str(tmp_path),)))

    (tmp_path / "new.jsonl").write_text("{}\n")
    assert {Changed(str(tmp_path), "new.jsonl")} == heard(events)
    with (tmp_path / "new.jsonl").open("a") as file:
        file.write("{}\n")
        file.flush()
        assert {Changed(str(tmp_path), "new.jsonl")} == heard(events)
    assert set() == set(events.heard()) - {Changed(str(tmp_path), "new.jsonl")}


def test_of_a_folder_that_others_write_to_only_the_file_is_heard_of(events: FolderEvents, tmp_path: Path) -> None:
    (tmp_path / "history.md").touch()
    events.watch(WatchedPlaces((str(tmp_path / "history.md"),)))

    (tmp_path / "other.md").write_text("x")
    (tmp_path / "history.md").write_text("x")

    assert {Changed(str(tmp_path / "history.md"), "")} == heard(events)


def test_an_agent_that_appears_is_heard_of_and_nothing_beside_it(events: FolderEvents, tmp_path: Path) -> None:
    events.watch(WatchedPlaces((), {str(tmp_path): frozenset([".codex"])}))

    (tmp_path / ".bash_history").write_text("x")
    (tmp_path / ".codex").mkdir()

    assert {Changed(str(tmp_path), ".codex")} == heard(events)


def test_what_is_not_wanted_any_more_is_not_heard_of(events: FolderEvents, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    events.watch(WatchedPlaces((str(tmp_path / "a"), str(tmp_path / "b"))))
    events.watch(WatchedPlaces((str(tmp_path / "b"),)))

    (tmp_path / "a" / "x").touch()
    (tmp_path / "b" / "y").touch()

    assert {Changed(str(tmp_path / "b"), "y")} == heard(events)


@pytest.mark.parametrize("moves", [True, False])
def test_a_folder_that_went_and_came_back_is_heard_of_again(events: FolderEvents, tmp_path: Path, moves: bool) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    wanted = WatchedPlaces((str(tmp_path), str(folder)))
    assert events.watch(wanted)
    if moves:
        folder.rename(tmp_path / "away")
    else:
        shutil.rmtree(folder)
    assert Changed(str(folder), "") in heard(events)
    assert events.watch(WatchedPlaces((str(tmp_path),)))

    folder.mkdir()
    assert Changed(str(tmp_path), "agent") in heard(events)
    assert events.watch(wanted)
    (folder / "s.jsonl").touch()
    assert Changed(str(folder), "s.jsonl") in heard(events)


def test_a_folder_that_is_not_there_hinders_no_other(events: FolderEvents, tmp_path: Path) -> None:
    assert events.watch(WatchedPlaces((str(tmp_path / "gone"), str(tmp_path))))

    (tmp_path / "x").touch()

    assert {Changed(str(tmp_path), "x")} == heard(events)
