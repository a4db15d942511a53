"""What was left is left until somebody tells it as done."""

from __future__ import annotations

import pytest

from lerim.text.leftovers import still_left

LEFT = "Yubikey signing script, and test the vtref check on a real board"


def test_what_is_told_as_done_is_left_no_more() -> None:
    assert "Yubikey signing script" == still_left(LEFT, ["Vtref check i tested on a real board, works"])
    assert "" == still_left("Range test at 0 dBm.", ["The range test at 0 dBm is done, 62 m"])


@pytest.mark.parametrize(
    "later",
    [
        "The vtref check is not tested on a real board yet",
        "Should the vtref check on a real board be done?",
        "The bootloader is done",
        "When the vtref check is tested on a real board we ship",
    ],
)
def test_what_is_not_told_as_done_stays(later: str) -> None:
    assert LEFT == still_left(LEFT, [later])


@pytest.mark.parametrize(
    ("left", "later"),
    [
        ("Alerting first (not today).", "Alerting to the pager is done."),
        ("The export of the tides (#41).", "Closed #41 with the last commit."),
        ("Lettering (next week).", "Lettering done."),
        ("Still failing: `flutter build ipa` (leave it, Nora asks Piet).", "`flutter build ipa` works now."),
        ("The pump (#7) and the valve (#9).", "#7 is done. #9 is closed."),
    ],
)
def test_what_was_left_is_known_by_its_number_or_its_name(left: str, later: str):
    assert "" == still_left(left, [later])


@pytest.mark.parametrize(
    ("left", "later"),
    [
        ("Alerting first (not today).", "Alerting is not done yet."),
        ("The export of the tides (#41).", "Closed #42 with the last commit."),
        ("The pump (#7) and the valve (#9).", "#7 is done."),
        ("The export of the tides (#41).", "When #41 is closed, the map follows."),
        ("Run the fair.", "Run done."),
    ],
)
def test_what_another_number_or_word_closes_stays_left(left: str, later: str):
    assert "" != still_left(left, [later])
