"""Whether the machine runs on its battery, as the folder says in which Linux tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lerim.daemon.power import on_battery

MAINS, OFF = {"type": "Mains", "online": "1"}, {"type": "Mains", "online": "0"}
FULL, USED = {"type": "Battery", "status": "Full"}, {"type": "Battery", "status": "Discharging"}
MOUSE = {**USED, "scope": "Device"}
USB = {"type": "USB", "online": "1"}


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ([], False),
        ([MAINS], False),
        ([OFF, USED], True),
        ([USED], True),
        ([MAINS, USED], False),  # Weak mains: it is plugged in all the same.
        ([USB, USED], False),
        ([OFF, FULL], False),
        ([MAINS, MOUSE], False),
        ([MOUSE], False),
        ([OFF, FULL, USED], True),
        ([{}, {"type": "Battery"}], False),
    ],
)
def test_what_the_supplies_say(tmp_path: Path, supplies: list[dict[str, str]], expected: bool) -> None:
    for number, supply in enumerate(supplies):
        folder = tmp_path / f"supply{number}"
        folder.mkdir()
        for name, word in supply.items():
            (folder / name).write_text(f"{word}\n")

    assert expected is on_battery(tmp_path, "linux")


def test_a_machine_that_does_not_tell_has_none(tmp_path: Path) -> None:
    assert not on_battery(tmp_path / "missing", "linux")
