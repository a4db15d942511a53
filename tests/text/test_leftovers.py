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
