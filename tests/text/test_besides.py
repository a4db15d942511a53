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
