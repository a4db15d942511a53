"""What becomes one memory: what a person wrote twice to the letter, and a choice with its reason."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.context.records import Draft, Evidence, Primitive, Trust
from lerim.service import Lerim


@pytest.fixture
def lerim(tmp_path: Path) -> Iterator[Lerim]:
    root = tmp_path / "shop"
    root.mkdir()
    with Lerim(root, env={"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}) as lerim:
        lerim.setup.init(root)
        yield lerim


def test_two_of_the_same_letters_become_one_with_all_their_evidence(lerim: Lerim) -> None:
    for run in ("s-1", "s-2"):
        evidence = (Evidence("claude", run, 2, 2, "use pnpm", Trust.USER),)
        lerim.memory.add(Draft(Primitive.DECISION, "Use pnpm, never npm", "It is faster.", evidence=evidence))
    lerim.maintain(unattended=True)
    [kept] = lerim.memory.select()
    assert ("Use pnpm, never npm", "It is faster.") == (kept.record.title, kept.record.body)
    assert {"s-1", "s-2"} == {piece.run_id for piece in kept.record.evidence}


def test_other_words_are_left_to_them(lerim: Lerim) -> None:
    for title in ("Use pnpm, never npm", "Never use npm, use pnpm"):
        lerim.memory.add(Draft(Primitive.DECISION, title, "It is faster."))
    lerim.maintain()
    assert 2 == len(lerim.memory.select())


@pytest.mark.parametrize(
    "words",
    [
        "Always use UTC in the database. Because otherwise the reports are off by an hour twice a year.",
        "From now on always use UTC in the database, since the reports are off by an hour twice a year otherwise.",
    ],
)
def test_a_choice_and_its_reason_are_one_memory(lerim: Lerim, tmp_path: Path, words: str) -> None:
    (tmp_path / "talk.txt").write_text(f"User: {words}\nAssistant: Understood, done.\n")
    lerim.traces.add(tmp_path / "talk.txt", "talk")
    list(lerim.sync())
    [kept] = [one for one in lerim.memory.select() if one.record.primitive.is_lesson]
    assert "UTC" in kept.record.title
    assert "reports are off by an hour" in kept.record.body
    assert [] == lerim.review.select()
