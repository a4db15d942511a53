"""The daemon's log is its owner's, stays small, and never fails anybody."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from lerim.daemon.log import KEPT, LOG, DaemonLog, last_errors


def files(home: Path) -> list[str]:
    return sorted(os.listdir(home / "daemon"))


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    os.umask(os.umask(0))
    DaemonLog(tmp_path).info("started")

    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (tmp_path / "daemon", tmp_path / "daemon" / LOG)]
    assert [0o700, 0o600] == modes


def test_it_makes_room(tmp_path: Path) -> None:
    """However long it runs: a few files of a bounded size, the newest line in the newest of them."""
    log = DaemonLog(tmp_path, most=500)

    for number in range(200):
        log.info(f"line {number} " + "x" * 40)

    assert {f"{LOG}.{number}" for number in range(1, KEPT + 1)} == set(files(tmp_path)) - {LOG}
    assert all(path.stat().st_size < 700 for path in (tmp_path / "daemon").iterdir())
    newest = max((tmp_path / "daemon").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert "line 199" in newest.read_text()
    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "daemon").iterdir()}


def test_the_last_errors_are_found_again_also_in_what_made_room(tmp_path: Path) -> None:
    log = DaemonLog(tmp_path, most=200)
    for number in range(4):
        log.error(f"sync: it went wrong {number}")
        log.info("nothing")

    assert ["sync: it went wrong 2", "sync: it went wrong 3"] == [text for _, text in last_errors(tmp_path, 2)]
    assert [] == last_errors(tmp_path / "elsewhere", 2)


def test_text_of_others_stays_on_its_line(tmp_path: Path) -> None:
    told: list[str] = []
    DaemonLog(tmp_path, told.append).error("a\nb\x1b[2J" + "x" * 10_000)

    lines = (tmp_path / "daemon" / LOG).read_text().splitlines()
    assert told == lines
    assert 1 == len(lines) and "\x1b" not in lines[0] and len(lines[0]) < 4000


def test_a_place_that_cannot_be_written_to_ends_nobody(tmp_path: Path) -> None:
    (tmp_path / "daemon").write_text("a file")

    DaemonLog(tmp_path).error("nobody reads this")

    assert [] == last_errors(tmp_path, 5)


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "daemon").mkdir(mode=0o700)
    (tmp_path / "daemon" / LOG).symlink_to(tmp_path / "theirs")

    DaemonLog(tmp_path).error("not there")

    assert not (tmp_path / "theirs").exists()
