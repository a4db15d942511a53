"""What a statement rules on besides that which a later one takes the place of."""

from __future__ import annotations

import pytest

from lerim.text.besides import besides
from lerim.text.statements import statement


def lost(earlier: str, later: str) -> str:
    return besides(statement(later, ""), statement(earlier, ""))


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        ("Upload timeout is 5 s and there are 3 retries", "upload timeout is 12 s", "there are 3 retries"),
        ("Raw readings stay 30 days, reports 2 years", "raw readings: two weeks", "reports 2 years"),
        ("Keep dumps for 30 days and encrypt them with age", "dumps are kept two weeks", "encrypt them with age"),
        ("Figures as PDF, tables with booktabs", "figures go as SVG now", "tables with booktabs"),
        ("Postgres for orders, sqlite for the cache", "orders move to mysql", "sqlite for the cache"),
        ("Never squash, never force push", "squashing is fine now", "never force push"),
    ],
)
def test_another_ruling_of_the_same_title_would_be_lost(earlier: str, later: str, left: str) -> None:
    assert left == lost(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # It belongs to what is replaced, or only says why.
        ("Use Yarn, commit yarn.lock", "use pnpm instead of yarn"),
        ("Pages load in 2 s, they were slow at 5 s", "pages load in 1 s"),
        ("Use Yarn, 3 times faster than npm", "use pnpm instead of yarn"),
        ("No Tailwind, write CSS modules", "Tailwind is welcome after all"),
        ("Autoscaler keeps between 3 and 10 replicas", "autoscaler: 6 to 40 replicas"),
        # It is spoken of, or nothing is.
        ("Lint and format with ruff", "we lint and format with biome now"),
        ("Tabs in Go, spaces elsewhere", "the office closes at six"),
    ],
)
def test_a_reason_and_an_alternative_are_no_rulings(earlier: str, later: str) -> None:
    assert lost(earlier, later) == ""


@pytest.mark.parametrize(
    ("title", "body", "later", "left"),
    [
        ("Retry limit is 5", "Never retry payments.", "retry limit goes to 8", "Never retry payments."),
        (
            "Sessions last 8 hours",
            "Always log out after a password reset.",
            "sessions last 12 hours now",
            "Always log out",
        ),
        ("Build with Gulp", "Do not commit the dist folder.", "we build with esbuild, Gulp is gone", "Do not commit"),
    ],
)
def test_another_ruling_below_the_title_would_be_lost(title: str, body: str, later: str, left: str) -> None:
    assert besides(statement(later, ""), statement(title, body)).startswith(left)


@pytest.mark.parametrize(
    ("title", "body", "later"),
    [
        # It says why, or more of what the title says.
        ("Retry limit is 5", "The bank complained about more.", "retry limit goes to 8"),
        ("Retry limit is 5", "It must stay low because the bank complains.", "retry limit goes to 8"),
        ("Never squash", "Squashing must not happen on any branch.", "squashing is fine now"),
        ("Sessions last 8 hours", "Set in auth.toml.", "sessions last 12 hours now"),
        # The later one ends it as well, or nothing of all that.
        ("Build with Gulp", "Never run esbuild by hand.", "we run esbuild by hand, Gulp is gone"),
        ("Build with Gulp", "Do not commit the dist folder.", "the office closes at six"),
    ],
)
def test_what_belongs_to_the_title_is_not_lost(title: str, body: str, later: str) -> None:
    assert besides(statement(later, ""), statement(title, body)) == ""
