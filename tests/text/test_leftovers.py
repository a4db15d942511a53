"""What was left is left until somebody tells it as done."""

from __future__ import annotations

import pytest

from lerim.text.leftovers import still_left, told_of_wishes

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


@pytest.mark.parametrize(
    ("left", "wishes", "outcome"),
    [
        (
            "Not begun: Plan the alignment of the tide curves on every refresh.",
            ["Tide Curve Alignment"],
            "Interrupted. Changed `t.py`.",
        ),
        (
            "Not begun: draw the berth map for small screens.",
            ["Berth map on small screens."],
            "Partly done. Committed.",
        ),
        (
            "Not begun: the export of invoices as CSV.",
            ["Export invoices as CSV", "Then rename it"],
            "Done. Changed `e.py`.",
        ),
    ],
)
def test_what_nobody_had_begun_is_left_no_more_once_a_session_worked_on_it(
    left: str, wishes: list[str], outcome: str
) -> None:
    assert "" == still_left(left, told_of_wishes(wishes, outcome))


@pytest.mark.parametrize(
    ("left", "wishes", "outcome"),
    [
        # Nothing was changed.
        ("Not begun: Plan the alignment of the tide curves.", ["Tide Curve Alignment"], "Interrupted."),
        # It was for something else.
        (
            "Not begun: Plan the alignment of the tide curves.",
            ["Colours of the tide table"],
            "Interrupted. Changed `t.py`.",
        ),
        # It was begun then, too, and something of it stayed.
        ("The alignment of the tide curves at midnight.", ["Tide Curve Alignment"], "Interrupted. Changed `t.py`."),
        ("Not begun: Plan the alignment of the tide curves.", ["Is the tide curve aligned?"], "Done. Changed `t.py`."),
    ],
)
def test_what_another_session_was_for_is_still_to_be_begun(left: str, wishes: list[str], outcome: str) -> None:
    assert left == still_left(left, told_of_wishes(wishes, outcome))
