"""What each shipped profile learns from its examples, and what it must not, whoever says it.

`expected.json` beside the examples says for each what is kept, what is noted, and what is neither: words that stand in
one of the memories, or in none of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lerim.config.profiles import Profiles
from lerim.context.records import Kind, Primitive

from .desk import heard, kept, learned, noted, summary

HERE = Path(__file__).parent
CASES = [
    pytest.param(folder.name, case, expected, id=f"{folder.name}-{case}")
    for folder in sorted(HERE.iterdir())
    if (folder / "expected.json").is_file()
    for case, expected in json.loads((folder / "expected.json").read_text()).items()
]


@pytest.mark.parametrize(("profile", "case", "expected"), CASES)
def test_an_example_teaches_what_it_should(profile: str, case: str, expected: dict[str, list[str]]) -> None:
    """What is plainly said to last is kept, what an agent found out is noted, and all else is neither."""
    found = learned(heard(HERE / profile / f"{case}.jsonl", profile))

    assert [] == [text for text in expected["kept"] if text not in kept(found)]
    assert [] == [text for text in expected["noted"] if text not in noted(found)]
    assert [] == [text for text in expected["never"] if text in f"{kept(found)}\n{noted(found)}"]
    assert bool(expected["kept"]) == bool(found.candidates)


@pytest.mark.parametrize(("profile", "case", "expected"), CASES)
def test_a_summary_repeats_nobody_outside(profile: str, case: str, expected: dict[str, list[str]]) -> None:
    """Neither what is private nor what somebody outside demands stands in what the next agent is given."""
    transcript = heard(HERE / profile / f"{case}.jsonl", profile)
    told = summary(transcript)

    assert "[redacted" not in told
    outside = [n.line.text for n in transcript.outside]
    assert [] == [text for text in expected["never"] if text in told and any(text in words for words in outside)]


def test_every_shipped_profile_has_six_examples(tmp_path: Path) -> None:
    for name in Profiles(tmp_path).names():
        assert len(list((HERE / name).glob("*.jsonl"))) >= 6, name


def test_every_example_is_expected_something_of() -> None:
    for folder in (folder for folder in HERE.iterdir() if (folder / "expected.json").is_file()):
        expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())
        assert {path.stem for path in folder.glob("*.jsonl")} == set(expected)


def test_profiles_name_the_kinds_that_records_have(tmp_path: Path) -> None:
    """A kind that is added to records has a meaning in every profile."""
    kinds = {str(Primitive.DECISION), *map(str, Kind)}
    profiles = Profiles(tmp_path)

    assert all(set(profiles.find(name).kinds) == kinds for name in profiles.names())
