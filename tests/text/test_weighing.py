"""The rules' judgment and the learned score together: what they replace, what they leave, and what waits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.text.bearing import Bearing, Judgment, judge
from lerim.text.contrast import contrast
from lerim.text.statements import statement
from lerim.text.weighing import are_plain, forest, settled, weighed

from .test_bearing import KEPT, REPLACED


def both(earlier: str, later: str, *, is_choice: bool = True) -> Judgment:
    return weighed(statement(later, ""), statement(earlier, ""), is_choice=is_choice)


@pytest.mark.parametrize(("earlier", "later"), REPLACED)
def test_what_the_rules_replace_is_replaced(earlier, later):
    assert both(earlier, later).replaces


@pytest.mark.parametrize(("one", "two"), KEPT)
def test_what_can_hold_together_does_whichever_was_said_first(one, two):
    assert not both(one, two).replaces
    assert not both(two, one).replaces


FOUND = [
    ("Keep backwards compatibility for two major versions", "We don't promise backwards compatibility any longer"),
    ("We accept anonymous feedback", "Feedback needs a login from now on"),
    ("Environment config is read from YAML files", "Configuration comes from environment variables only"),
]


@pytest.mark.parametrize(("earlier", "later"), FOUND)
def test_what_no_rule_sees_is_shown_to_a_person(earlier, later):
    """One thing, and something else is said of it, in words that are in no list. The score alone replaces nothing."""
    assert not judge(statement(later, ""), statement(earlier, "")).bearing.replaces

    found = both(earlier, later)

    assert (True, False) == (found.bearing.replaces, found.is_sure)
    assert "it seems to say something else of the same" == found.reason


def test_the_score_settles_what_the_rules_are_unsure_of():
    """Two that go by different things agree."""
    one, two = "Preview environments are created on demand", "Preview environments are created for every pull request"
    later = f"{two} automatically"

    assert not judge(statement(later, ""), statement(one, "")).is_sure
    assert both(one, later).replaces


def test_of_what_says_much_the_score_settles_nothing():
    """Long texts on one thing can both hold: a person has a look."""
    short, long = (
        statement("The API is open to the public", ""),
        statement("API access needs an invite", "Why so? " * 40),
    )
    unsure = Judgment(Bearing.CONTRADICTION, "another value", is_sure=False)

    assert are_plain(statement("API access needs an invite to the public", ""), short)
    assert not are_plain(long, short)
    assert not settled(unsure, 0.99, tells_change=False, is_plain=False).replaces


def test_a_fair_score_changes_nothing():
    unsure, sure = (Judgment(Bearing.CONTRADICTION, "another value", is_sure) for is_sure in (False, True))
    other = Judgment(Bearing.UNRELATED, "different things")

    for ruled in (unsure, sure, other):
        assert ruled == settled(ruled, 0.5, tells_change=True, is_plain=True)
    assert sure == settled(sure, 0.01, tells_change=True, is_plain=True)
    assert Bearing.REVERSAL is settled(other, 0.95, tells_change=True, is_plain=True).bearing


def test_what_says_the_same_is_never_its_contrary():
    same = Judgment(Bearing.DUPLICATE, "it says the same")

    assert same == settled(same, 0.99, tells_change=True, is_plain=True)


def test_of_facts_there_may_be_several():
    one, two = FOUND[0]

    assert not both(one, two, is_choice=False).bearing.replaces


def test_every_sign_the_trees_ask_for_is_one_that_is_told():
    """Trees that were learned from other signs than these would judge by noughts."""
    told = contrast(
        statement("Use pnpm for installs", "Yarn broke."), statement("Use yarn for installs", "It is fast.")
    )

    assert set(forest().signs) == set(told)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_weighed(one, two):
    """The same twice gives the same, and nothing replaces itself."""
    assert both(one, two) == both(one, two)
    assert not both(one, one).replaces
