"""What a model thought aloud in its answer is set apart from what it said."""

from __future__ import annotations

import pytest

from lerim.sources.thoughts import set_apart

TAG = "thinking-content-7bbeb8e1441453ad999a0bbba8a46d4b"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Done.", [(False, "Done.")]),
        ("<think>\nHm.\n</think>\n\nDone.", [(True, "Hm."), (False, "Done.")]),
        ("<thinking>Hm.</thinking>Done.", [(True, "Hm."), (False, "Done.")]),
        ("<think>a</think>\n<think>b</think>\nDone.", [(True, "a"), (True, "b"), (False, "Done.")]),
        ("<think>\nstill thinking", [(True, "still thinking")]),
        ("Hm, what if?\n</think>\n\nDone.", [(True, "Hm, what if?"), (False, "Done.")]),
        (f"First.\n<{TAG}>\n\nHm.\n\n</{TAG}>\n\nDone.", [(False, "First."), (True, "Hm."), (False, "Done.")]),
        ("<think>\n\n</think>\n\nDone.", [(False, "Done.")]),
    ],
)
def test_thoughts_between_tags_are_set_apart(text: str, pieces: list[tuple[bool, str]]) -> None:
    """Closed, cut off, or with an end only: models leave them in each of these ways."""
    assert pieces == set_apart(text)


@pytest.mark.parametrize(
    "text",
    [
        "Models write `<think>` before they answer.",
        "The parser drops </think> when it stands in a line.",
        "Use this:\n\n<think>\nexample\n</think>\n\nand that is all.",
        "  indented\n",
    ],
)
def test_words_about_such_tags_are_words(text: str) -> None:
    """An agent may speak about tags, and show some; nothing of its text changes."""
    assert [(False, text)] == set_apart(text)
