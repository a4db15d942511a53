"""Which words a reply answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.reading import SessionReading, UnitReading
from lerim.ingest.signals.replies import ReplyMatch
from lerim.ingest.signals.turns import conversation
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]
#: So much that the session is not thin.
_LONG = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9
LIST = "Three gaps:\n\n1. No lock on the state file\n2. Rebase fires the hook twice\n3. Amend drops the trailer\n\nSo?"


def replies(talk: Talk, offer: str, reply: str) -> list[UnitReading]:
    transcript = talk(("user", "review it"), ("agent", offer), ("user", reply), ("agent", "All right."))
    return [reading for reading in SessionReading(conversation(transcript)).user_readings if reading.unit.number == 4]


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ("2 please", ["Rebase"]),
        ("let's go for 1-3", ["No lock", "Rebase", "Amend"]),
        ("1 and 3", ["No lock", "Amend"]),
        ("yes to all but 2", ["No lock", "Amend"]),
        ("#3 is a real problem", ["Amend"]),
        ("the second one", ["Rebase"]),
    ],
)
def test_numbers_name_the_items_of_the_list_before(talk: Talk, reply: str, items: list[str]) -> None:
    """A number, a range, an exception or an ordinal leads to the items it means."""
    [reading] = replies(talk, LIST, reply)

    assert ReplyMatch.ITEM is reading.proposal.how
    assert [True] * len(items) == [
        passage.text.startswith(item) for passage, item in zip(reading.proposal.passages, items, strict=True)
    ]


def test_a_list_answered_item_by_item_gives_a_ruling_each(talk: Talk) -> None:
    """Every numbered line answers the item of its number."""
    found = replies(talk, LIST, "1. accept it for now\n2. yes detect and skip\n3. must be fixed")

    assert ["No", "Rebase", "Amend"] == [reading.proposal.text.split()[0] for reading in found]


def test_a_list_of_the_users_own_answers_nothing(talk: Talk) -> None:
    """A line that only has the number of an item, and speaks of something else, is no ruling on it."""
    found = replies(
        talk,
        LIST,
        "1. the importer reads every customer table nightly\n2. invoices go out through the mail gateway weekly",
    )

    assert 2 == len(found)
    assert not any(reading.proposal.how is ReplyMatch.ITEM for reading in found)


def test_an_image_is_no_item(talk: Talk) -> None:
    """ "[Image #1]" counts images, not what the agent listed."""
    [reading] = replies(talk, LIST, "[Image #1] the name is not filled in")

    assert ReplyMatch.ITEM is not reading.proposal.how


def test_a_nod_answers_the_last_question(talk: Talk) -> None:
    """ "yes" is what the agent asked last."""
    [reading] = replies(talk, "The hook fires twice. Want me to skip it while a rebase is in progress?", "yes please")

    assert ReplyMatch.ASKED is reading.proposal.how
    assert "skip it while a rebase" in reading.proposal.text


def test_an_article_is_no_choice(talk: Talk) -> None:
    """ "a few more" does not choose option A."""
    offer = "A. Keep the file\nB. Drop the file"
    [reading] = replies(talk, offer, "a few more tests would be good")

    assert ReplyMatch.ITEM is not reading.proposal.how


def test_the_agents_next_words_confirm_it(talk: Talk) -> None:
    """What the agent says to it afterwards is found by the words they share."""
    transcript = talk(
        ("user", "the retry queue should drop messages after five attempts"),
        ("agent", "Let me look.\n\nThe retry queue now drops messages after five attempts and logs them."),
    )
    [reading] = SessionReading(conversation(transcript)).user_readings

    assert reading.confirmation is not None
    assert "now drops messages" in reading.confirmation.text


def test_a_prompt_typed_again_counts_once(talk: Talk) -> None:
    """Who stops the agent to type a prompt in full meant the last form."""
    transcript = talk(
        ("user", "print the session id and then"),
        ("stopped", ""),
        ("user", "print the session id and then ask whether to go on"),
        ("agent", "Done."),
    )

    assert [4] == [turn.message.number for turn in conversation(transcript).turns]


_POINTS = (
    "What I would still look at:\n\n**Item 1: Old parcels.**\nParcels without a weight are shown as light.\n\n"
    "**Item 2: Two scales at once.**\nThe second one wins. Fix: detect it and refuse the second.\n\n"
    "**Item 3: Labels without a printer.**\nThe queue grows. Probably cleared at night, but that should be tested.\n\n"
    "Which of these do you want?"
)
_TAKEN_UP = (
    "**Item 1 (old parcels):** Parcels that two scales weighed are only shown once the depot closed for the day.\n\n"
    "Then the labels."
)


def test_answers_by_number_are_told_in_their_own_words_and_with_their_own_item(talk: Talk) -> None:
    said = "1. yup show them as heavy, drivers lift them\n2. yes ideally detect and refuse\n3. yes test"
    found = extract(talk(("user", _LONG), ("agent", _POINTS), ("user", said), ("agent", _TAKEN_UP)), EmbeddedEngine())
    titles = {one.quotes[0].text: one.title for one in (*found.candidates, *found.review)}

    assert "detect and refuse" in titles.get("yes ideally detect and refuse", "detect and refuse")
    assert not any("closed for the day" in title for title in titles.values())
    bodies = [one.body for one in found.review if one.quotes[0].text == "yes ideally detect and refuse"]
    assert not any("closed for the day" in body for body in bodies)


def test_who_names_the_option_again_is_not_told_twice(talk: Talk) -> None:
    ways = "**A.** Keep the old order: depots first, then 4 and 5.\n**B.** Merge both lists now.\n\nWhich one?"
    said = "a keep the old order lets merge and continue"
    found = extract(talk(("user", _LONG), ("agent", ways), ("user", said), ("agent", "Ok.")), EmbeddedEngine())

    titles = [one.title for one in (*found.candidates, *found.review) if one.quotes[0].text.startswith("a keep")]
    assert titles and all(title.lower().count("keep the old order") == 1 for title in titles)


@pytest.mark.parametrize(
    "said",
    [
        "i read all letters except 2 one was in the wrong tray, so it is there",
        "all boxes are empty except 3 blue ones in the corner",
    ],
)
def test_how_many_are_left_names_no_item(talk: Talk, said: str) -> None:
    offered = "I see three ways:\n\n1. Count the letters by tray\n2. Count them by day\n3. Weigh them"
    assert all(one.proposal.how is not ReplyMatch.ITEM for one in replies(talk, offered, said))


def test_a_ruling_in_a_few_words_is_not_told_with_what_it_does_not_answer(talk: Talk) -> None:
    before = "All four are sorted.\n\nTrays and shelves:\n`letters-a`, `letters-b`, `letters-c`, all of them `done`."
    said = (("user", _LONG), ("agent", before), ("user", "No longer need stamps."), ("agent", "Ok."))
    found = extract(talk(*said), EmbeddedEngine())
    (ruled,) = [one for one in (*found.candidates, *found.review) if "stamps" in one.title]
    assert "letters-a" not in ruled.body
