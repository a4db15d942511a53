"""Lists of somebody else's points that a user shows, and what they say to each."""

from __future__ import annotations

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.listed_points import listed_points
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Numbered, Transcript
from lerim.sources.trace import Assistant, Header, User

COUNTED = "1. Always log the user id.\n2. Never use floats in the ledger.\n3. Drop the retry on 500."
DASHED = "- always print in landscape\n- never put two labels on a sheet"


def _found(*said: str) -> tuple[list[str], list[str]]:
    lines = [
        Numbered(number, line)
        for number, line in enumerate((one for text in said for one in (User(text=text), Assistant(text="OK."))), 2)
    ]
    found = extract(Transcript(Header(agent="claude", run_id="r1"), tuple(lines)), EmbeddedEngine())
    return [one.title for one in found.candidates], [one.title for one in found.review]


@pytest.mark.parametrize(
    ("head", "points", "below", "verdicts"),
    [
        (
            "Jonas reviewed, here:",
            COUNTED,
            "2 yes. 1 no, that is private. 3 no, it stays",
            {1: False, 2: True, 3: False},
        ),
        ("review from mia:", COUNTED, "no to 1, yes to 2 and 3", {1: False, 2: True, 3: True}),
        ("PR comments:", DASHED, "first no second yes pls", {1: False, 2: True}),
        ("his points:", DASHED, "not the second", {2: False}),
        ("from the review:", DASHED, "no to both", {1: False, 2: False}),
        ("from the audit:", COUNTED, "all but 2", {1: True, 2: False, 3: True}),
        ("mia looked at it:", DASHED, "only the first", {1: True, 2: False}),
        ("comments by the agency:", COUNTED, "agree with 2 but not 1. rest ok", {1: False, 2: True, 3: True}),
        ("what she sent", COUNTED, "1. no, too slow\n2. yes\n3. no", {1: False, 2: True, 3: False}),
        ("anmerkungen von petra:", DASHED, "1 ja, 2 nein", {1: True, 2: False}),
        ("anmerkungen von petra:", DASHED, "das zweite nicht, zu teuer", {2: False}),
        ("les remarques de paul :", DASHED, "oui pour le premier, non pour le deuxième", {1: True, 2: False}),
        ("what do you think of these:", DASHED, "", {}),
    ],
)
def test_what_is_said_to_each_point_is_read(head: str, points: str, below: str, verdicts: dict[int, bool]) -> None:
    """By its number, its place, or as one of all."""
    found = listed_points(f"{head}\n\n{points}\n\n{below}")

    assert found is not None
    assert verdicts == {one.point + 1: one.is_yes for one in found.verdicts}


@pytest.mark.parametrize(
    ("head", "points", "below"),
    [
        ("some house rules:", COUNTED, "no exceptions please"),
        ("my points for today:", DASHED, ""),
        ("we decided in the review:", DASHED, "thanks"),
        ("please apply the comments from mia:", DASHED, ""),
        ("two things:", DASHED, "no hurry with the second one"),
        ("todo:", COUNTED, "1 first, then 2"),
        ("add these:", COUNTED, "2 days are enough for it"),
    ],
)
def test_a_list_of_the_users_own_is_nobody_elses(head: str, points: str, below: str) -> None:
    """Nor is one that they order done as a whole."""
    assert listed_points(f"{head}\n\n{points}\n\n{below}") is None


@pytest.mark.parametrize(
    "shown",
    [
        "1. Always log the user id.\n2. Never use floats in the ledger.\n3. Keep the retry on 500.",
        "> 1. Always log the user id.\n> 2. Never use floats in the ledger.\n> 3. Keep the retry on 500.",
    ],
)
def test_only_what_is_agreed_to_waits_and_the_rest_is_told_as_refused(shown: str) -> None:
    """A point of another's is never kept by itself, and a refused one never as a rule."""
    sure, review = _found(
        f"Jonas reviewed, here:\n\n{shown}\n\n2 yes. 1 no, support reads the logs. 3 no, it hammers the bank"
    )

    assert not sure
    assert "Never use floats in the ledger" in review
    assert "Do not always log the user id: support reads the logs" in review
    assert not [title for title in review if title.startswith(("Always log", "Keep the retry"))]


def test_points_up_for_judgment_and_refused_later_are_not_kept() -> None:
    """Whoever asks what to think of a list has not ruled yet."""
    sure, review = _found("what do you think of these:\n1. Never use floats\n2. Always round at the end", "1 no 2 no")

    assert not sure
    assert not review


def test_who_refuses_a_ban_allows_it() -> None:
    """Nobody says "do not never"."""
    _, review = _found(
        "comments from mia:\n\n1. never retry on 500\n2. gzip the export\n\n1 no since the gateway restarts daily"
    )

    assert ["It is fine to retry on 500, since the gateway restarts daily"] == review


def test_rules_of_the_users_own_stay_sure() -> None:
    """However they end."""
    sure, _ = _found(f"two things:\n{DASHED}\n\nno questions please, just do it")

    assert ["Always print in landscape", "Never put two labels on a sheet"] == sure
