"""What is put off waits whole; what people say of their day, in praise or for this once waits for nobody."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.beside import is_of_the_day, is_once, muses
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.put_off import is_put_off, keeps_hands_off
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

PUT_OFF = (
    "splitting the ticket table we do later, after the relaunch in march",
    "the second kiln has to wait until the new meter is in",
    "offline maps are put off until the licence is signed",
    "switching to the new till we do in q3, when the audit is over",
    "not now, after the harvest import is through",
    "den neuen Ofen machen wir erst nach der Messe",
    "le nouveau barème on le fait après la release de janvier, pas avant",
    "la nueva app la hacemos después de la feria",
)
NOT_PUT_OFF = (
    "the report we do tomorrow after lunch",
    "backups always run after the import",
    "wait until the tests are green",
    "the reader waits until the lock is free",
    "shall we do the maps later, after the release?",
    "i do the slides later",
)
HANDS_OFF = (
    "dont touch it before",
    "leave the old import alone until then",
    "nicht vorher anfassen",
    "n'y touche pas avant",
)
BESIDE = (
    "train is late again, back in an hour or so",
    "the weather is awful today",
    "kantine war heute wieder mies",
    "mir ist heute so kalt",
    "il fait un temps de chien ici",
    "kid is sick",
    "another friday evening saved by sqlite",
    "great catch",
    "out for today",
    "gotta run",
)
NOT_BESIDE = (
    "the train split is always by patient",
    "the bus is powered from the second rail",
    "weather data comes from the station only",
    "out of memory kills the worker",
    "the coffee price is in cents",
    "mails go out at noon",
    "tram times are rounded to the minute",
)
ONCE = (
    "rerun the two tiles for me, only those two",
    "run it on port 8001 for now",
    "rename `n` to `n_rows` so the linter shuts up",
    "rename tmp to pending in that loop",
    "i need a csv of all stops for the demo on friday",
)
NOT_ONCE = (
    "rename the product to Larch everywhere",
    "run the linter before each commit",
    "rerun failed jobs every night",
    "dump the ledger to s3 every night",
)
_WORK = ("agent", "I looked at the module and the tests beside it. There is one place where this is decided. " * 6)


@pytest.mark.parametrize("text", PUT_OFF)
def test_what_waits_for_something_is_put_off(talk: Talk, text: str) -> None:
    assert is_put_off(text)
    assert 1 == len(_found(talk, text))


@pytest.mark.parametrize("text", NOT_PUT_OFF)
def test_what_waits_for_a_day_or_always_is_not(text: str) -> None:
    assert not is_put_off(text)


@pytest.mark.parametrize("text", HANDS_OFF)
def test_hands_are_kept_off_until_then(text: str) -> None:
    assert keeps_hands_off(text)


def test_what_is_put_off_and_not_to_be_touched_before_is_one_thing(talk: Talk) -> None:
    (found,) = _found(talk, "splitting the ticket table we do later, after the relaunch in march. dont touch it before")

    assert "Splitting the ticket table we do later, after the relaunch in march" == found.title
    assert "touch it before" in found.body


@pytest.mark.parametrize("text", BESIDE)
def test_what_is_said_of_ones_day_waits_for_nobody(talk: Talk, text: str) -> None:
    assert is_of_the_day(text)
    assert not _found(talk, text)


@pytest.mark.parametrize("text", NOT_BESIDE)
def test_a_train_and_the_weather_may_be_the_work(text: str) -> None:
    assert not is_of_the_day(text)


@pytest.mark.parametrize("text", ONCE)
def test_an_errand_for_this_once_waits_for_nobody(talk: Talk, text: str) -> None:
    assert is_once(text)
    assert not _found(talk, text)


@pytest.mark.parametrize("text", NOT_ONCE)
def test_what_is_done_each_time_or_everywhere_is_no_errand(text: str) -> None:
    assert not is_once(text)


def test_whether_they_may_is_asked_and_not_decided(talk: Talk) -> None:
    assert not _found(talk, "shall I copy the fixed tiles to the live bucket by hand with my own key?")
    assert not _found(talk, "soll ich die Kacheln von Hand in den Eimer kopieren?")


def test_what_might_be_looked_at_some_day_is_mused() -> None:
    assert muses("if we ever have a second farm we could look at couchdb or whatever")
    assert muses("maybe we should try a map one day")
    assert not muses("if we ever drop the table, keep the dump for a year")


def _found(talk: Talk, text: str) -> list[Candidate]:
    said = (("user", "look at the booking module"), _WORK, ("user", text), ("agent", "Noted."), ("user", "thx"))
    found = extract(talk(*said), EmbeddedEngine())
    return [*found.candidates, *found.review]
