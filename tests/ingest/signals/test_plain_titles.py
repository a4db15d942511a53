"""Titles as somebody reads them months later: where they begin, what they must not lose, and what they are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate, Tier
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.phrasing import Reasoned, reasoned
from lerim.ingest.signals.plain_words import headline, plain, statement
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.subjects import lacks_subject
from lerim.ingest.signals.titles import stands_alone
from lerim.ingest.signals.turns import conversation
from lerim.ingest.signals.wording import worded
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

#: So much that the session is not thin.
_WORK = "please go through the importer of the greenhouse sensors with me, from the readers to the nightly totals. " * 9


def _title(talk: Talk, *messages: tuple[str, str]) -> str:
    """What the user's last words of a session are called."""
    session = SessionReading(conversation(talk(*messages)))
    return worded(session.user_readings[-1], session).title


def _found(talk: Talk, *messages: tuple[str, str]) -> list[Candidate]:
    found = extract(talk(("user", _WORK), ("agent", "Done."), *messages, ("agent", "Done.")), EmbeddedEngine())
    return [one for one in (*found.candidates, *found.review) if "go through the importer" not in one.quotes[0].text]


# --- where it begins ---


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("while we're at it, never log the door codes", "Never log the door codes"),
        ("While you are at it: invoices always go out as PDF", "Invoices always go out as PDF"),
        ("different topic: the cron host must never run migrations", "The cron host must never run migrations"),
        ("Side note - customers never see draft prices", "Customers never see draft prices"),
        ("before I forget, seed data always has fake names", "Seed data always has fake names"),
        ("on another note, we never squash release branches", "Never squash release branches"),
        ("anderes Thema: Rechnungen gehen immer als PDF raus", "Rechnungen gehen immer als PDF raus"),
        ("wo wir gerade dabei sind, nie mit root deployen", "Nie mit root deployen"),
        ("au passage, toujours arrondir au centime", "Toujours arrondir au centime"),
        ("por cierto, nunca borramos pedidos", "Nunca borramos pedidos"),
    ],
)
def test_who_turns_to_something_else_says_nothing_of_it_yet(words: str, title: str) -> None:
    assert title == statement(words)


@pytest.mark.parametrize(
    "words",
    [
        "Different things get different prefixes",
        "While we wait for the lock, keep the socket open",
        "Side notes are printed in the margin",
        "Another topic per tenant is created on demand",
        "Was anderes als UTF-8 wird abgelehnt",
    ],
)
def test_what_only_sounds_like_it_stays(words: str) -> None:
    assert words == statement(words)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("About the labels, always use kebab case", "Labels: always use kebab case"),
        ("regarding backups: keep thirty of them, the law wants it", "Backups: keep thirty of them, the law wants it"),
        ("As for the fonts, never load them from a CDN", "Fonts: never load them from a CDN"),
        ("Zu den Labels: immer klein geschrieben", "Labels: immer klein geschrieben"),
        ("concernant les sauvegardes: toujours chiffrées", "Sauvegardes: toujours chiffrées"),
        ("About the labels: labels are always lower case", "Labels are always lower case"),
        ("About 20 requests per second is the limit", "About 20 requests per second is the limit"),
        ("On the replica, reads are fine", "On the replica, reads are fine"),
        ("On garde Redis pour les files", "On garde Redis pour les files"),
    ],
)
def test_what_it_is_about_leads_a_title(words: str, title: str) -> None:
    assert title == statement(words)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("--frozen is always set in the pipeline", "--frozen is always set in the pipeline"),
        ("ok --frozen stays on for every install", "--frozen stays on for every install"),
        ("ok - keep the flag", "Keep the flag"),
        ("- keep the flag", "Keep the flag"),
        ("thanks to the index no query needs a hint", "Thanks to the index no query needs a hint"),
        ("thanks, no query needs a hint", "No query needs a hint"),
    ],
)
def test_a_dash_or_a_word_that_belongs_to_it_is_not_taken_off(words: str, title: str) -> None:
    assert title == statement(words)
    assert stands_alone("--frozen is always set in the pipeline")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Never push on Fridays :)", "Never push on Fridays"),
        ("Never push on Fridays ;-) the ops team is away", "Never push on Fridays, the ops team is away"),
        ("haha ok, tabs it is xD", "ok, tabs it is"),
        ("Nie freitags deployen :D lol", "Nie freitags deployen"),
        ("it would eat the disk lol.", "it would eat the disk."),
        ("the emoji is `:D` in the parser", "the emoji is `:D` in the parser"),
        ("lol is the name of the package", "lol is the name of the package"),
        ("C:/data and 3:1 are no faces", "C:/data and 3:1 are no faces"),
    ],
)
def test_faces_and_laughs_are_left_out(words: str, text: str) -> None:
    assert text == plain(words)


# --- what it must not lose ---


@pytest.mark.parametrize(
    ("words", "apart"),
    [
        (
            "Because of the audit, we always keep the raw files",
            Reasoned("we always keep the raw files", "the audit"),
        ),
        (
            "Because of the old Macs file names must never be longer than 31 letters",
            Reasoned("Because of the old Macs file names must never be longer than 31 letters"),
        ),
        (
            "Never start two readers at once because of the lock on the bus",
            Reasoned("Never start two readers at once", "the lock on the bus"),
        ),
        *(
            (kept, Reasoned(kept))
            for kept in (
                "Keep the queue in memory not because of speed, because of the licence of the broker",
                "The poller stays, not because it is nice, it survives a restart of the box",
                "Wir bleiben bei Rust, nicht weil es schnell ist, sondern weil es auf dem Sensor läuft",
                "On garde le vieux parseur, pas parce que c'est beau mais parce que ça marche",
                "Usamos SQLite, no porque sea rápido sino porque no hay servidor",
            )
        ),
    ],
)
def test_what_is_not_why_stays_with_what_is(words: str, apart: Reasoned) -> None:
    assert apart == reasoned(words)


def test_not_because_is_never_cut_to_not(talk: Talk) -> None:
    """Neither is a title that ends so a whole one."""
    said = "We drop the relay from the greenhouse not because of its price, it simply never worked behind the router"

    assert "Drop" + said[7:] == _title(talk, ("user", said), ("agent", "Ok."))
    assert not stands_alone("Drop the relay from the greenhouse not")


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("The old format has to stay. Until 3.0 at least.", "The old format has to stay; until 3.0 at least"),
        ("Das alte Format muss bleiben. Bis mindestens 3.0.", "Das alte Format muss bleiben; bis mindestens 3.0"),
        ("L'ancien format doit rester. Jusqu'à la 3.0.", "L'ancien format doit rester; jusqu'à la 3.0"),
        ("until 3.0 the old format has to stay", "Until 3.0 the old format has to stay"),
    ],
)
def test_until_when_it_holds_stays_in_a_title(talk: Talk, said: str, title: str) -> None:
    assert title == _title(talk, ("user", said), ("agent", "Ok."))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "The readers of the north house (the two on the pole behind the tank, which nobody can reach without the"
            " long ladder that stands in the barn) are polled once an hour",
            "The readers of the north house are polled once an hour",
        ),
        (
            "The valves are tried out on a dry pump in the barn, with all the combinations of pressures and nozzles"
            " that the support team wrote down for us in the spreadsheet in spring",
            "The valves are tried out on a dry pump in the barn",
        ),
        (
            "The portal of the growers holds every order, however there are old forms for billing and for seeds"
            " and for the newsletter which somebody wrote in a hurry two years ago",
            "The portal of the growers holds every order",
        ),
        ("Short (and with an aside)", "Short (and with an aside)"),
    ],
)
def test_a_long_title_leaves_out_what_is_beside_the_point(text: str, title: str) -> None:
    assert title == headline(text)


# --- what it is called by ---


@pytest.mark.parametrize(
    ("words", "is_lost"),
    [
        ("Never more than 4 at once", True),
        ("Always at least two", True),
        ("Nie mehr als 4 gleichzeitig", True),
        ("Maximal 50 pro Seite, nie mehr", True),
        ("jamais plus de 3 à la fois", True),
        ("nunca más de 5 por página", True),
        ("drei reichen", False),
        ("3 reichen", True),
        ("Never more than 4 readers at once", False),
        ("Always at least two reviewers for a schema change", False),
        ("Nie mehr als 4 Leser gleichzeitig", False),
        ("jamais plus de 3 essais", False),
    ],
)
def test_an_amount_of_nothing_lacks_its_subject(words: str, is_lost: bool) -> None:
    assert is_lost is lacks_subject(words)


@pytest.mark.parametrize("words", ["Nie mehr als 4 gleichzeitig", "Maximal 50 pro Seite, nie mehr", "jamais plus de 3"])
def test_an_amount_of_nothing_waits(talk: Talk, words: str) -> None:
    """Nobody would know of what, however surely it is said."""
    assert Tier.SURE not in {one.tier for one in _found(talk, ("user", words))}


@pytest.mark.parametrize(
    ("asked", "reply", "title"),
    [
        (
            "How many readers may share the bus?",
            "never more than 4",
            "How many readers may share the bus: never more than 4",
        ),
        (
            "Wie viele Leser dürfen am Bus hängen?",
            "Nie mehr als 4",
            "Wie viele Leser dürfen am Bus hängen: nie mehr als 4",
        ),
        (
            "Combien de lecteurs peuvent partager le bus?",
            "jamais plus de 3",
            "Combien de lecteurs peuvent partager le bus: jamais plus de 3",
        ),
        (
            "How many retries should the uploader make?",
            "3 is enough",
            "How many retries the uploader should make: 3",
        ),
        (
            "Which Node is the minimum for the widgets?",
            "Minimum is 20.4 from 0.7 on",
            "Which Node is the minimum for the widgets: minimum is 20.4 from 0.7 on",
        ),
        (
            "Should the importer refuse files without a header?",
            "yes always",
            "Whether the importer should refuse files without a header: always",
        ),
        (
            "Which store should hold the readings: Postgres or DuckDB?",
            "duckdb, because of the memory",
            "Store to hold the readings: duckdb",
        ),
    ],
)
def test_what_names_nothing_takes_its_name_from_the_question(talk: Talk, asked: str, reply: str, title: str) -> None:
    said = ("user", "go on with the importer"), ("agent", f"The importer runs at night. {asked}"), ("user", reply)
    assert _title(talk, *said, ("agent", "Ok, done.")).lower().startswith(title.lower())


def test_a_matter_of_the_talk_names_nothing(talk: Talk) -> None:
    """ "What shall I do next?" is no subject."""
    said = ("user", "go on"), ("agent", "The importer runs. What should I do next?"), ("user", "never more than 4")
    assert "Never more than 4" == _title(talk, *said, ("agent", "Ok."))


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("1 then, because of the memory", "Split + join: cut the file in two and join the halves after"),
        ("1 and 3", "Split + join: cut the file in two and join the halves after; One file per house"),
    ],
)
def test_a_label_says_what_it_means(talk: Talk, reply: str, title: str) -> None:
    offer = (
        "Three ways:\n\n1. **Split + join**: cut the file in two and join the halves after.\n"
        "2. **One pass**: read it once.\n3. **One file per house**: no join at all.\n\nWhich one?"
    )
    assert title == _title(talk, ("user", "read it"), ("agent", offer), ("user", reply), ("agent", "Ok."))


def test_what_an_agent_only_asks_is_no_order(talk: Talk) -> None:
    """Who says "later" has not said yes to it, and who answers nothing has not either."""
    asked = "Should I delete the raw files of the greenhouse after the import?"

    said = _title(talk, ("user", "import it"), ("agent", asked), ("user", "later"), ("agent", "Ok."))
    agreed = _title(talk, ("user", "import it"), ("agent", asked), ("user", "yes please"), ("agent", "Ok."))

    assert not said.startswith("Delete")
    assert agreed.startswith("Delete the raw files")


def test_a_note_that_says_the_same_again_is_said_once(talk: Talk) -> None:
    answer = "Q: Where do the fixtures live?\nA: in tests/data (in tests/data)"
    said = ("user", "add fixtures"), ("agent", "One question."), ("answer", answer), ("agent", "Ok.")
    assert _title(talk, *said).endswith(": in tests/data")


# --- what is kept without a word of a rule ---

_OWNED = ("agent", "You're right, my mistake: I overlooked that.")
_TOLD = (
    "turns on the bus are given by the office box in the barn, so that no frame gets lost, because our bus has no order"
)


@pytest.mark.parametrize(
    ("said", "tier"),
    [
        (f"But the {_TOLD}.", Tier.SURE),
        (f"But the {_TOLD}. Could you draw me a picture of the cabling?", Tier.SURE),
        ("Could the turns on the bus be given by the office box in the barn, so that no frame gets lost?", Tier.REVIEW),
        (f"Maybe the {_TOLD}.", Tier.REVIEW),
        (
            "But the readers crashed on the bus last night, so a frame got lost, because our bus has no order.",
            Tier.REVIEW,
        ),
    ],
)
def test_what_much_speaks_for_needs_no_word_of_a_rule(talk: Talk, said: str, tier: Tier) -> None:
    """Here the agent was put right and owned it. A question, a guess and a report stay what they are."""
    assert {tier} == {one.tier for one in _found(talk, ("user", said), _OWNED) if "bus" in one.title}


def test_with_less_behind_it_what_rules_nothing_waits(talk: Talk) -> None:
    assert {Tier.REVIEW} == {one.tier for one in _found(talk, ("user", f"The {_TOLD}.")) if "bus" in one.title}
