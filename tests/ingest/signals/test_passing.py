"""What holds for the moment only: said for one answer, put off, due by a day, left open, or what the trouble is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]
_WORK = "please rework the pages of the seed catalog so that growers see what is in season where they live. " * 9


def _found(talk: Talk, said: str, before: str = "Everything is in place.") -> list[Candidate]:
    engine = EmbeddedEngine()
    transcript = talk(("user", _WORK), ("agent", before), ("user", said), ("agent", "OK."), ("user", "thanks"))
    found = engine.synthesize(transcript, engine.find(transcript, (), ""), "").candidates
    return [one for one in found if "seed catalog" not in one.quotes[0].text]


@pytest.mark.parametrize(
    "said",
    [
        "do we have a cdn in front of the images? dont change anything, just asking",
        "can the printer do a3? don't touch any code yet, only curious",
        "the old almanac page we do not today",
        "the frost tables we do tomorrow, its late",
        "fine. the intro i do with jens on monday",
        "is it the browser cache? try it with the cache off, then we know",
        "hm. prove it please before you change anything",
        "the winter price: not sure, maybe 4, i have to ask the shop. leave it open please",
        "Very good, thank you! Have a nice weekend",
        "no wait, then monday. deploy monday",
    ],
)
def test_what_is_for_the_moment_is_not_noted(talk: Talk, said: str) -> None:
    assert not _found(talk, said)


@pytest.mark.parametrize(
    "said",
    [
        "2.8.0 must be off the shelves before black friday",
        "the growers are often in the field without network and they must read the labels anyway",
    ],
)
def test_a_date_and_what_the_trouble_is_are_not_kept(talk: Talk, said: str) -> None:
    assert not any(one.tier is Tier.SURE for one in _found(talk, said))


@pytest.mark.parametrize(
    "said",
    [
        "should we rework the labels before 2019 too? they have the same gap i guess",
        "not convinced. measured it at the till: 3.30 at rest and 3.29 under load",
        "do that anyway but i dont believe its that. check the nginx log",
    ],
)
def test_a_guess_a_reading_and_a_wish_to_look_are_not_likely(talk: Talk, said: str) -> None:
    assert not any(one.confidence >= LIKELY for one in _found(talk, said))


@pytest.mark.parametrize(
    "said",
    [
        "deploys we do on mondays only, never on friday",
        "never change anything in vendor/ without asking me",
        "every order must be out of the warehouse within two days, always",
    ],
)
def test_what_lasts_is_kept_though_it_looks_alike(talk: Talk, said: str) -> None:
    assert any(one.tier is Tier.SURE for one in _found(talk, said))


def test_a_short_page_with_a_heading_below_a_ruling_is_not_the_users(talk: Talk) -> None:
    said = (
        "seed images live in our own bucket from today.\n\n# Uploading images\n\nAll images must be uploaded to Flickr "
        "with the account of the team.\nEvery upload needs two approvals."
    )
    titles = [one.title for one in _found(talk, said)]

    assert any("own bucket" in title for title in titles)
    assert not any("Flickr" in title or "approvals" in title for title in titles)
