"""What holds for the moment only: said for one answer, put off, due by a day, left open, or what the trouble is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import LIKELY
from lerim.ingest.extract import extract
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


@pytest.mark.parametrize(
    "said",
    [
        # They want to hear that it is so.
        "python caches small ints by default, right?",
        "journaling is on by default since 4.2, no?",
        "der Server startet immer nachts neu, oder?",
        "the intern never touched that file, did he?",
        # What somebody always does, and what others do.
        "ah right, i always forget that flag",
        "i keep forgetting the semicolons, sorry",
        "ich vergesse das immer",
        "never heard of that tool",
        "i never used macros before, cool",
        "my kids always want to play right now, brb",
        "the trains here always come late",
        "monday meetings are always boring haha",
        # What a gauge shows.
        "laptop at 9%, gotta find a plug",
        "Akku bei 7%",
        # Left to the agent.
        "icon: whatever you like",
        "Name: du entscheidest",
        "le nom: à toi de voir",
    ],
)
def test_habits_readings_and_what_is_left_to_the_agent_are_no_rules(talk: Talk, said: str) -> None:
    assert not any(one.confidence >= LIKELY for one in _found(talk, said))


@pytest.mark.parametrize(
    "said",
    [
        "i always want the units in the column name",
        "our growers never see net prices, only gross",
        "we always round to cents, right? so never show more digits",
        "every label always needs a lot number, right below the name",
        "i always forget the index, so always add one for every foreign key",
        "their webhook always arrives late, so always retry it for an hour",
        "we always ship on time, never push late on fridays",
        "the seed table must never be loaded late, always fetch it first",
        "our kids section never shows comments",
        "battery at 20%: the node must always go to deep sleep",
    ],
)
def test_rules_that_look_alike_are_kept_or_wait(talk: Talk, said: str) -> None:
    assert any(one.confidence >= LIKELY for one in _found(talk, said))


@pytest.mark.parametrize(
    "said",
    [
        "the repo only has a licence and two notebooks, nothing else",
        "This directory just has a Makefile and some notes",
        "our database currently holds only test data",
        "there are only three csv files in there",
    ],
)
def test_what_a_place_has_today_is_not_kept(talk: Talk, said: str) -> None:
    assert not any(one.tier is Tier.SURE for one in _found(talk, said))


def test_a_short_page_with_a_heading_below_a_ruling_is_not_the_users(talk: Talk) -> None:
    said = (
        "seed images live in our own bucket from today.\n\n# Uploading images\n\nAll images must be uploaded to Flickr "
        "with the account of the team.\nEvery upload needs two approvals."
    )
    titles = [one.title for one in _found(talk, said)]

    assert any("own bucket" in title for title in titles)
    assert not any("Flickr" in title or "approvals" in title for title in titles)


@pytest.mark.parametrize(
    "said",
    [
        "The tide worker has finished, and it must never be started twice because the table is locked.",
        'The worker "harbour-plan" is still running, always with one pilot because of the lock.',
        "The check is in progress and #31 is not merge-ready because of it.",
        '**Sort:** `tide-table`, `"locked": true`, `rows: 40` — `MAX_ROWS`',
        "`read_tides` is likely defined in a file that only exists in the build. Let me verify that it never changes.",
        "The root cause is likely that `tides.lock` is never opened by the pilot. Let me verify this first.",
        "The pilots probably always read the old table. I'll check where it comes from.",
    ],
)
def test_what_an_agent_runs_supposes_or_only_names_is_no_candidate(talk: Talk, said: str) -> None:
    work = "please go through the tide tables of the harbour with me, page by page, and mend what is off. " * 10
    found = extract(talk(("user", work), ("agent", said), ("tool", "ok"), ("agent", "Ok.")), EmbeddedEngine())
    assert not [one for one in (*found.candidates, *found.review) if one.quotes[0].text[:20] in said]


def test_what_was_copied_with_the_frame_of_a_terminal_is_nobodys_word(talk: Talk) -> None:
    pasted = (
        "Adds a boolean that is set only when two tables were joined by the      ┃\n  ┃ night job, and shows it so "
        "that "
        "pilots always know that a row was never theirs."
    )
    work = "please go through the tide tables of the harbour with me, page by page, and mend what is off. " * 10
    found = extract(talk(("user", work), ("agent", "Ok."), ("user", pasted), ("agent", "Ok.")), EmbeddedEngine())
    assert not [one for one in (*found.candidates, *found.review) if "pilots" in one.title]
