"""What people type in a hurry: what they end, what they see, what they choose and what they rule out with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Extraction
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: So much that the session is not thin.
_WORK = "please rework the screens of the courier app so that drivers see their parcels without a connection. " * 9
WAYS = "Two ways:\n\n1. A `holds` table in Postgres, rows expire.\n2. Redis keys with a TTL.\n\nI lean to 1. Which one?"


def _read(talk: Talk, *said: tuple[str, str], is_thin: bool = False) -> Extraction:
    before = () if is_thin else (("user", _WORK), ("agent", "Done."))
    return extract(talk(*before, *said, ("agent", "Done.")), EmbeddedEngine())


def _found(found: Extraction) -> list[Candidate]:
    return [one for one in (*found.candidates, *found.review) if "courier app" not in one.quotes[0].text]


@pytest.mark.parametrize(
    ("ways", "reply"),
    [
        (WAYS, "1. No Redis, one more server to look after. Holds expire after ten minutes."),
        (WAYS, "1 no redis please, we had that"),
        (WAYS.replace("Redis", "Etcd"), "1. no etcd in this company, ever"),
    ],
)
def test_what_is_ruled_out_beside_a_choice_is_not_what_was_chosen(talk: Talk, ways: str, reply: str) -> None:
    texts = [f"{one.title} {one.body}" for one in _found(_read(talk, ("agent", ways), ("user", reply)))]

    assert texts and all("No a `holds`" not in text and "No `holds`" not in text for text in texts)
    assert any("`holds` table in Postgres" in text for text in texts)


def test_a_point_that_is_refused_stays_refused(talk: Talk) -> None:
    points = (
        "What I would change:\n\n1. Cache the stock for an hour.\n2. Drop the old import.\n3. Hide what is missing."
    )
    found = _found(_read(talk, ("agent", points), ("user", "1 yes\n2 yes\n3 no, we have them in stock")))

    assert [one for one in found if one.title.startswith("Do not hide what is missing")]


@pytest.mark.parametrize(
    "said",
    [
        "first name and seats only, the rest they have in the app",
        "first payment is always a deposit, the rest on arrival",
    ],
)
def test_the_first_of_something_is_no_lead_in(talk: Talk, said: str) -> None:
    found = _found(_read(talk, ("user", said)))

    assert all(one.title.startswith("First") for one in found) and found


def test_who_narrows_a_wish_is_not_told_with_what_they_took_back(talk: Talk) -> None:
    found = _found(
        _read(
            talk,
            ("user", "print list for the studios with name, seats, phone and a tick box"),
            ("agent", "Should phone numbers hang on a wall?"),
            ("user", "oh right. first name and seats only, phone numbers they have in the app"),
        )
    )

    assert not [one for one in found if "only" in one.title and "tick box" in one.body]


@pytest.mark.parametrize(
    "said",
    [
        "the loading bar on the search page never goes away when there is no result",
        "the preview always crashes when two tabs are open",
        "the upload keeps timing out on the train",
    ],
)
def test_what_does_not_end_or_goes_wrong_each_time_is_no_rule(talk: Talk, said: str) -> None:
    assert not _found(_read(talk, ("user", said)))


@pytest.mark.parametrize(
    "said",
    [
        "current in sleep is 480 uA should be under 15, trace is flat. hunt it down",
        "they always side with the buyer, eleven disputes since june",
    ],
)
def test_what_somebody_sees_or_others_do_is_not_sure(talk: Talk, said: str) -> None:
    assert not _read(talk, ("user", said)).candidates


def test_a_ban_on_what_goes_wrong_is_a_rule(talk: Talk) -> None:
    """The same words forbid where they say so."""
    found = _found(_read(talk, ("user", "the nightly export must never fail silently, always page somebody")))

    assert [one for one in found if "must never fail silently" in one.title]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("next. paypal we throw out", "Paypal we throw out"),
        ("and editors may upload to the cms again, the cdn got too expensive", "editors may upload to the cms again"),
        ("the old cms server can be switched off, marco did it on friday", "old cms server can be switched off"),
        ("we left strapi for directus", "We left strapi for directus"),
        ("revert that, v2 is frozen, any change means a new certificate", "v2 is frozen"),
    ],
)
def test_what_ends_in_few_words_is_noted_in_the_shortest_session(talk: Talk, said: str, title: str) -> None:
    titles = [one.title for one in _found(_read(talk, ("user", said), is_thin=True))]

    assert any(title.lower() in one.lower() for one in titles)


@pytest.mark.parametrize("said", ["we leave it as it is", "we left that for later", "can I be of help again"])
def test_who_leaves_something_as_it_is_ends_nothing(talk: Talk, said: str) -> None:
    assert not _found(_read(talk, ("user", said), is_thin=True))


def test_a_bare_number_chooses_where_somebody_was_asked_which(talk: Talk) -> None:
    ways = "Exit codes:\n\n1. Always 0, the report tells.\n2. Like diff(1): 0 same, 1 differs, 2 trouble.\n\nWhich?"
    titles = [one.title for one in _found(_read(talk, ("agent", ways), ("user", "2")))]

    assert ["Like diff(1): 0 same, 1 differs, 2 trouble"] == titles


@pytest.mark.parametrize(
    "nod", ["ah yes makes sense, move the join to a queue", "of course. fix it", "that explains it"]
)
def test_a_cause_that_makes_sense_to_the_user_is_what_is_kept(talk: Talk, nod: str) -> None:
    cause = "Found it: the watchdog window is 20 s, and the join backs off for 25 s in the main thread."
    found = _found(_read(talk, ("agent", cause), ("user", nod)))

    assert [one.title for one in found if one.title.startswith("The watchdog window is 20 s")]


def test_answers_in_lines_go_to_the_points_of_their_numbers(talk: Talk) -> None:
    points = "Review:\n\n1. `Diff` takes options.\n2. `MustDiff` panics.\n3. Readers or paths?\n4. Two fields leak."
    reply = "1 one config struct, zero value has to work\n2 out\n3 readers\n4 good catch, hide them"
    texts = [f"{one.title} {one.body}" for one in _found(_read(talk, ("agent", points), ("user", reply)))]

    assert not [text for text in texts if "readers 4" in text or "out 3" in text]
    assert any(text.startswith("One config struct, zero value has to work One") for text in texts)


def test_who_brings_a_point_of_their_own_is_not_titled_by_what_they_agree_to(talk: Talk) -> None:
    offer = "The lifecycle hook only exists in the old cms. With the new one I would use a flow. Is the flow fine?"
    titles = [
        one.title
        for one in _found(
            _read(talk, ("agent", offer), ("user", "yeah flow is fine. cache in the shop then, redis, 1h"))
        )
    ]

    assert titles == ["Cache in the shop then, redis, 1h"]


def test_what_shall_be_done_besides_is_no_part_of_the_choice(talk: Talk) -> None:
    ways = "Two ways:\n\n1. A unique index on `orders`.\n2. Store the event id in a table of its own.\n\nWhich one?"
    reply = "2. and do the index as well while ur at it, cant hurt"
    (found,) = _found(_read(talk, ("agent", ways), ("user", reply)))

    assert (found.title, found.body.split("\n")[0]) == (
        "Store the event id in a table of its own",
        "Store the event id in a table of its own.",
    )


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "the loader checks itself and the self test runs before we mark it, so overwrite it, drop the swap mode",
            "Overwrite it, drop the swap mode",
        ),
        ("2 more things: vouchers for companies are net, never gross", "Vouchers for companies are net, never gross"),
        ("no node 20 stays on the build servers, never upgrade it there", "Node 20 stays on the build servers"),
    ],
)
def test_a_title_is_what_is_settled(talk: Talk, said: str, title: str) -> None:
    """Not why, and not how somebody comes to it."""
    assert [one for one in _found(_read(talk, ("user", said))) if one.title.startswith(title)]


def test_an_order_is_not_titled_by_what_the_agent_had_just_said(talk: Talk) -> None:
    told = "The footer had `overflow-hidden`; with the coupon field open its content was taller than the box."
    titles = [
        one.title for one in _found(_read(talk, ("agent", told), ("user", "nice. make the button green, #1f8a4c")))
    ]

    assert not [title for title in titles if "overflow" in title]


@pytest.mark.parametrize("said", ["the mail subject", "sentry or so", "invoices, time zones"])
def test_a_name_alone_states_nothing(talk: Talk, said: str) -> None:
    assert not _found(_read(talk, ("user", said)))


@pytest.mark.parametrize(
    "said",
    [
        "the days in the past should be grey and not clickable",
        "on the start page the picture of the owner should be round",
    ],
)
def test_how_one_thing_shall_look_is_not_sure(talk: Talk, said: str) -> None:
    assert not _read(talk, ("user", said)).candidates


def test_how_things_shall_always_look_is_sure(talk: Talk) -> None:
    found = _read(talk, ("user", "from now on primary buttons must always be green, that is our brand colour"))

    assert [one.title for one in found.candidates if "green" in one.title]


def test_where_something_holds_is_told_with_what_holds(talk: Talk) -> None:
    said = "customers are always called du. everywhere, also in mails, also by the studios"
    titles = [one.title for one in _found(_read(talk, ("user", said)))]

    assert titles == ["Customers are always called du: everywhere, also in mails, also by the studios"]


def test_what_is_to_be_remembered_is_the_cause_that_was_told(talk: Talk) -> None:
    cause = "It's the domain: the wallet needs every subdomain registered on its own, and only one was."
    nod = "its there!! ok remember that for when we open in austria, thatll be another domain"
    titles = [one.title for one in _found(_read(talk, ("agent", cause), ("user", nod)))]

    assert any("needs every subdomain registered" in title for title in titles)


@pytest.mark.parametrize(
    "said", ["why do we get 'index not found' in the tests now", "what about the purge thing that we built last spring"]
)
def test_a_question_without_its_mark_states_nothing(talk: Talk, said: str) -> None:
    assert not _found(_read(talk, ("user", said)))


def test_what_is_put_off_is_no_decision_for_what_was_offered(talk: Talk) -> None:
    offer = "With the new licence the upgrade is possible: framework 12, admin 5, the queue stays. Shall I?"

    assert not _found(_read(talk, ("agent", offer), ("user", "next week. not in this sprint")))


def test_what_an_agent_is_at_titles_nothing(talk: Talk) -> None:
    points = (
        "Review:\n\n1. It takes paths; a reader would be easier to test.\n2. `MustDiff` panics.\n3. Two fields leak."
    )
    reply = "1 agree, readers\n2 out\n3 good catch, hide them"
    found = _read(talk, ("agent", points), ("user", reply), ("agent", "Posting the review with points 1 to 3."))

    assert not [one.title for one in _found(found) if one.title.startswith("Posting")]


def test_what_is_missing_and_not_needed_stays_out(talk: Talk) -> None:
    points = "Review:\n\n1. `MustDiff` panics.\n2. No example test for the report.\n3. Two fields leak."
    found = _found(_read(talk, ("agent", points), ("user", "1 out\n2 nah not needed in this repo\n3 hide them")))

    assert not [one.title for one in found if one.title.startswith("Do not no")]
