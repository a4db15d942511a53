"""What an agent teaches beside the work stands for nothing."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.teaching import is_teaching, teaching_spans, without_teaching

_RULE = "─" * 40


@pytest.mark.parametrize(
    "aside",
    [
        f"`★ Insight {_RULE}`\nA closure keeps its frame alive.\n`{_RULE}`",
        f"★ Insight {_RULE}\n**Two ideas:**\n1. A closure keeps its frame alive.\n\n2. So does a generator.\n{_RULE}",
        f"💡 Did you know? {_RULE}\nA closure keeps its frame alive.\n{_RULE}",
        "──── Erkenntnis ────\nA closure keeps its frame alive.\n────────────────",
        "### Educational insights\n\nA closure keeps its frame alive.\n\n- So does a generator.\n",
        "**Why this matters**\nA closure keeps its frame alive.\n",
        f"★ Insight {_RULE}\nA closure keeps its frame alive.",
    ],
)
def test_a_teaching_aside_is_told_from_the_work_around_it(aside: str) -> None:
    text = f"The oven controller is built.\n\n{aside}\n\n## Next\nThe door switch is wired to pin 4."
    assert is_teaching(text, text.index("A closure"))
    assert not is_teaching(text, text.index("The oven"))
    assert not is_teaching(text, text.index("The door"))
    rest = without_teaching(text)
    assert "closure" not in rest
    assert len(rest) == len(text)
    assert rest.index("The door") == text.index("The door")


@pytest.mark.parametrize(
    "text",
    [
        "──── Summary ────\nThe till counts in cents.\n────────────────",
        "## Why the till counts in cents\nFloats lose a cent a day.",
        "The insight view reads `insights.sql`.\n\n---\nIt is cached for an hour.",
        "| name | ★ |\n|------|---|\n| soup | 4 |",
        "### Root cause\nThe lock is taken twice.",
        "- insights: the board of the shop\n- orders",
    ],
)
def test_what_is_told_of_the_work_is_no_aside(text: str) -> None:
    assert not teaching_spans(text)
