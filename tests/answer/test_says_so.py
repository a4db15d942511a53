"""A sentence of a session answers when it says what is asked: what only names it, asks, wants or lies open does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lerim.answer.force import Force, force_of
from lerim.answer.pipeline import Answer
from lerim.context.memory import Memory
from lerim.context.records import Draft, Kind, Primitive
from lerim.dataclass import replace

Ask = Callable[..., Answer]
NOTHING = "Nothing in memory answers this."
Session = Callable[..., None]


@pytest.fixture
def session(memory: Memory, clock: Any) -> Session:
    """The summary of a session: what was wanted, what happened, and what it left open."""

    def session(intent: str, *happened: str, left: str = "") -> None:
        lines = "\n".join(f"- {line}." for line in happened)
        body = f"## Session Summary\n\n**Intent:** {intent}."
        body += f"\n\n**What happened:**\n{lines}" if happened else ""
        body += "\n\n**Outcome:** Done.\n"
        body += f"\n**Open:** {left}.\n" if left else ""
        draft = Draft(Primitive.SUMMARY, intent.partition(". ")[0], body)
        with memory.target().change("lerim", "sync") as change:
            record = draft.record(clock())
            change.create(
                replace(record, coding_agent="claude", run_id=f"{clock():%d%H%M}bb", date=f"{clock():%Y-%m-%d}")
            )
        clock.tick(days=1)

    return session


@pytest.mark.parametrize(
    ("intent", "happened", "question"),
    [
        ("Fit the ferry list to the clerk board", "Wrapped the long lines", "how do ferries talk to the clerk board"),
        ("Ferry timetable streaming support", "Tidied two files", "what does the ferry timetable need for streaming"),
        ("Take a look at PR #31 again, it has a conflict now", "Rebased it", "was PR 31 force-pushed"),
        (
            "I need a cancel button on the berth form, make it like 14 Mar",
            "Done so",
            "what does a cancelled berth cost",
        ),
        (
            "The wall display should refresh itself when a boat docks",
            "Built",
            "how does the wall display refresh itself",
        ),
    ],
)
def test_what_only_names_or_wants_it_answers_nothing(
    ask: Ask, session: Session, intent: str, happened: str, question: str
) -> None:
    session(intent, happened)

    assert NOTHING == ask(question).text


@pytest.mark.parametrize(
    ("intent", "happened", "question", "told"),
    [
        (
            "Wall display",
            "The wall display polls the harbour every 40 seconds",
            "how often does the wall display poll",
            "40",
        ),
        ("Berth form", "The status of a cancelled berth is void", "what status does a cancelled berth have", "void"),
        ("Sketch store", "Sketches are stored as PNG", "which format are sketches stored in", "PNG"),
    ],
)
def test_what_says_it_answers(ask: Ask, session: Session, intent: str, happened: str, question: str, told: str) -> None:
    session(intent, happened)

    assert told in ask(question).text


def test_what_is_left_to_do_tells_no_value(ask: Ask, session: Session) -> None:
    session("Crane sessions", "CRANE_TTL is 9 days, for each crane session", "Tidied up")
    session("Harbour map", "Drew the map", left="Renewing the map session when it ends after an hour")

    text = ask("how long does a crane session live").text

    assert "9 days" in text and "hour" not in text


def test_a_value_beside_the_thing_is_of_something_else(ask: Ask, session: Session) -> None:
    session("Pumps of the dock", "Put it at 4 pumps, the mains give no more")
    session(
        "Wall display. A queue between the pumps and the display is not wanted", "The display polls every 50 seconds"
    )

    text = ask("what should pumps be set to").text

    assert "4 pumps" in text and "50 seconds" not in text


@pytest.mark.parametrize(
    "text",
    [
        "Does the relay drive two lamps, or does this require a change in the board",
        "The key of the gate is fixed - should it not be random",
        "yard-12: can you run the board on main and tell me if we need it",
        "I have the impression that, at least on tablets, the map got slower",
        "I need a cancel button in the form, please make it like 14 Mar",
    ],
)
def test_who_asks_or_wants_it_settles_nothing(text: str) -> None:
    assert force_of(text) < Force.TOLD


@pytest.mark.parametrize(
    "text",
    [
        "Does not retry on a full disk",
        "The tile is drawn once, it is cached then",
        "Is kept for 30 days",
        "We ship on Mondays, that is calmer",
        "Keep it, this is fine",
        "For the yard board, should we copy the old one …: keep it simple, use the one that is there",
    ],
)
def test_who_tells_it_does(text: str) -> None:
    assert force_of(text) >= Force.TOLD


@pytest.mark.parametrize(
    ("happened", "question"),
    [
        (
            "While there, `isOpaque` of the lamp was never reset; now it is reset at each start",
            "can opaque be a gradient colour",
        ),
        ("`gate.go` — the `Gate` type holds its lock", "should gate keys of the yard be random"),
        (
            "Typed the berth: `BerthAdded`, `BerthDropped` and `BerthMoved` are exposed",
            "can clerks move berths by mail",
        ),
    ],
)
def test_whether_it_is_so_is_told_by_what_says_so(ask: Ask, session: Session, happened: str, question: str) -> None:
    session("Lamp colours, gate keys and berths of the clerks", happened)

    assert NOTHING == ask(question).text


@pytest.mark.parametrize(
    ("happened", "question", "told"),
    [
        ("`MAX_HOIST_KG` is now 1_200, and the comment says why", "what is MAX_HOIST_KG?", "1_200"),
        ("`HOIST_LIMIT = 80` in the settings", "what is the HOIST_LIMIT set to", "80"),
        ("With `MIN_HOIST == MAX_HOIST_KG`, the brake goes dormant", "what is MAX_HOIST_KG?", ""),
        ("The relay uses CNAME records to prove who it is", "what ttl for the relay cname?", ""),
        ("The relay's CNAME record has a ttl of 300 s", "what ttl for the relay cname?", "300"),
        ("`hoist_speed` accepts an integer `1-40`", "what range does hoist_speed accept?", "1-40"),
        (
            "Spill the winch log to disk: `SPILL_MIN_MESSAGES = 70`",
            "at how many messages do we spill the winch log to disk",
            "70",
        ),
    ],
)
def test_a_value_is_told_by_what_has_it(ask: Ask, session: Session, happened: str, question: str, told: str) -> None:
    session("Settings of the hoist", happened)

    text = ask(question).text

    assert told in text if told else text == NOTHING


def test_of_many_things_that_happened_only_what_says_so_is_the_cause(ask: Ask, session: Session) -> None:
    session(
        "Why does renaming a berth fail on the old server",
        "The lamp colours live in one module",
        "The rename is logged as information so it can be seen",
        "The list is sorted by name",
    )

    assert "lamp" not in ask("why does renaming a berth fail on the old server").text
    assert "logged" not in ask("why does renaming a berth fail on the old server").text


@pytest.mark.parametrize(
    ("title", "question", "told"),
    [
        ("Die Sitzung läuft nach 20 Minuten ab", "how long is a session valid", "20 Minuten"),
        ("Verträge werden nie gelöscht", "may we delete contracts", "nie gelöscht"),
        ("Berichte werden wöchentlich verschickt, montags", "when are reports sent", "montags"),
        ("Les rapports sont envoyés le vendredi", "when are the reports sent", "vendredi"),
        ("Le panier expire après trois heures", "when does the cart expire", "trois heures"),
        ("Las imágenes se guardan cuarenta y dos días", "how long are images kept", "días"),
        ("Subida de archivos: 9 MB como máximo", "what is the maximum upload size", "9 MB"),
        ("The token expires after 20 minutes", "wie lange ist das Token gültig", ""),
        ("Contracts are never deleted", "dürfen wir Verträge löschen", "never deleted"),
    ],
)
def test_a_question_finds_what_was_said_in_another_language(
    ask: Ask, keep: Callable[..., Any], title: str, question: str, told: str
) -> None:
    keep(title)

    assert told in ask(question).text


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Die Sitzung läuft nach 20 Minuten ab", "how long is an invoice valid"),
        ("Rechnungen werden freitags verschickt", "where are invoices stored"),
        ("Le panier expire après trois heures", "how long is the password valid"),
        ("Usamos MariaDB para los contratos", "which mail provider do we use"),
    ],
)
def test_what_was_said_of_something_else_in_another_language_answers_nothing(
    ask: Ask, keep: Callable[..., Any], title: str, question: str
) -> None:
    keep(title, kind=Kind.INSIGHT)

    assert NOTHING == ask(question).text
