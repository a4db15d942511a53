"""Who works for a while looks at the files now and then, and nothing that a person writes meanwhile is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lerim.context.face.folder import MemoryFolder
from lerim.context.looking import Looks
from lerim.context.records import Draft, Primitive
from lerim.service import Lerim
from lerim.sources.trace import Assistant, Header, User, encode_all

TOLD = "From now on always put the {} fixtures into conftest.py, because other test files do not find them."
THINGS = ("sail", "rope", "anchor", "lamp")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("lerim.context.looking.time", clock)
    return clock


@pytest.fixture
def lerim(tmp_path: Path) -> Iterator[Lerim]:
    """A project with a memory, and sessions that wait."""
    project = tmp_path / "berths"
    project.mkdir()
    with Lerim(project, env={"HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / ".lerim")}) as lerim:
        lerim.setup.init()
        for number in range(3):
            lerim.memory.add(Draft(Primitive.DECISION, f"Berth {number} is kept free for the pilot boat"))
        for number, thing in enumerate(THINGS):
            tell(lerim, thing, number)
        yield lerim


def tell(lerim: Lerim, thing: str, number: int) -> None:
    header = Header(agent="claude", run_id=f"told-{number}", started=datetime.now(UTC).isoformat())
    lines = encode_all(header, [User(text=TOLD.format(thing)), Assistant(text="Done.")])
    file = lerim.house.cwd.parent / f"told-{number}.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    lerim.traces.find(str(file), lerim.house.cwd)


def titles(lerim: Lerim) -> set[str]:
    return {kept.record.title for kept in lerim.memory.select() if kept.record.primitive is not Primitive.SUMMARY}


def memory_folder(lerim: Lerim) -> Path:
    return lerim.house.cwd / ".lerim" / "memory"


def look_slowly(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> list[str]:
    """As if there were a million files: each look takes a minute."""
    looks: list[str] = []
    scan = MemoryFolder.scan

    def slow(folder: MemoryFolder) -> object:
        looks.append(str(folder.root))
        clock.now += 60
        return scan(folder)

    monkeypatch.setattr(MemoryFolder, "scan", slow)
    return looks


def test_every_entry_looks_unless_it_is_one_of_many(clock: Clock) -> None:
    looks = Looks()
    assert looks.is_due("p")
    with looks.looking("p"):
        clock.now += 2
    assert looks.is_due("p")
    with looks.paced():
        assert not looks.is_due("p") and looks.is_due("another")
        clock.now += 19
        assert not looks.is_due("p")
        clock.now += 1
        assert looks.is_due("p")
    assert looks.is_due("p")


def test_a_look_that_fails_is_made_again(clock: Clock) -> None:
    looks = Looks()
    with looks.paced():
        with pytest.raises(OSError), looks.looking("p"):
            raise OSError
        assert looks.is_due("p")


def test_pacing_ends_where_it_began(clock: Clock) -> None:
    looks = Looks()
    with looks.looking("p"):
        clock.now += 1
    with looks.paced():
        with looks.paced():
            pass
        assert not looks.is_due("p")
    with pytest.raises(RuntimeError), looks.paced():
        raise RuntimeError
    assert looks.is_due("p")


def test_a_sync_of_many_sessions_looks_at_a_slow_folder_when_it_begins(
    lerim: Lerim, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = look_slowly(monkeypatch, clock)
    at_work = lerim.sync()
    first = next(at_work)
    begun = len(looks)
    assert ["done"] * len(THINGS) == [taken.state for taken in (first, *at_work)]
    assert 1 <= begun == len(looks)
    lerim.memory.places()
    assert begun + 1 == len(looks)


def test_what_a_person_writes_between_two_sessions_of_a_sync_stays(
    lerim: Lerim, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looked between: the file is left as it is, and the next command takes it in."""
    look_slowly(monkeypatch, clock)
    at_work = lerim.sync()
    next(at_work)
    (file,) = (one for one in memory_folder(lerim).rglob("*.md") if "Berth 1 is" in one.read_text("utf-8"))
    file.write_text(file.read_text("utf-8").replace("for the pilot boat", "for the fire boat"), "utf-8")
    list(at_work)

    assert "for the fire boat" in file.read_text("utf-8")
    assert "Berth 1 is kept free for the fire boat" in titles(lerim)


def test_a_folder_that_goes_during_a_sync_is_written_again_whole(
    lerim: Lerim, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what comes next would stand there alone, and all others would look deleted."""
    look_slowly(monkeypatch, clock)
    at_work = lerim.sync()
    next(at_work)
    shutil.rmtree(memory_folder(lerim))
    list(at_work)

    kept = titles(lerim)
    assert {f"Berth {number} is kept free for the pilot boat" for number in range(3)} <= kept
    assert len(kept) > 3 or lerim.review.select()
    assert all(file.is_file() for file in memory_folder(lerim).rglob("*.md"))


def test_a_file_that_was_just_written_and_says_the_same_is_as_noted(lerim: Lerim) -> None:
    """It is too young for its time to tell; its words do."""
    place = lerim.memory.places()[0]
    kept = lerim.memory.add(Draft(Primitive.DECISION, "Ropes are dried before they are stowed"))
    assert place.face.is_as_noted({kept.record.id})
    file = next(one for one in memory_folder(lerim).rglob("*.md") if "Ropes are dried" in one.read_text("utf-8"))
    file.write_text(file.read_text("utf-8").replace("dried", "baked"), "utf-8")
    assert not place.face.is_as_noted({kept.record.id})
    file.unlink()
    assert not place.face.is_as_noted({kept.record.id})
