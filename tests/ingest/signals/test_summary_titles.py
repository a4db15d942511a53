"""The title of a summary names the main thing, whatever a session begins or ends with."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.sources.trace import Line

from .test_summary import agent, edited, session, user


def title(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*lines)).title


def edits(*names: str) -> list[tuple[Line, Line]]:
    return [edited(f"/w/shop/{name}") for name in names]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Salut, ajoute la recherche par code postal", "Ajoute la recherche par code postal"),
        ("Hola, añade el pago con tarjeta en la caja", "Añade el pago con tarjeta en la caja"),
        ("Moin! Baue die Suche nach Postleitzahl ein", "Baue die Suche nach Postleitzahl ein"),
        ("Morning, sort the berths by length", "Sort the berths by length"),
        ("second thing for today: sort the berths by length", "Sort the berths by length"),
        ("another thing, sort the berths by length", "Sort the berths by length"),
        ("noch was: sortiere die Boxen nach Länge", "Sortiere die Boxen nach Länge"),
    ],
)
def test_a_greeting_or_a_count_leads_no_title(said: str, wanted: str):
    assert title(user(said), edited("/w/shop/a.py"), agent("It is there.")) == wanted


@pytest.mark.parametrize(
    "said",
    [
        "The tax office got back to us. Print the tax number on every receipt",
        "our lawyer called today. Print the tax number on every receipt",
        "Das Finanzamt hat sich gemeldet. Print the tax number on every receipt",
        "la mairie a répondu. Print the tax number on every receipt",
    ],
)
def test_who_came_back_with_it_is_no_title(said: str):
    assert title(user(said), *edits("receipt.py"), agent("OK.")) == "Print the tax number on every receipt"


def test_what_took_the_work_is_the_title_and_not_the_first_or_last_touch():
    lines = (
        user("there is a typo in the footer: adress"),
        *edits("footer.html"),
        agent("Fixed."),
        user("now the real thing: guests find no room with umlauts. Split the search index per language"),
        *edits("search.go", "lang.go", "query.go", "search.go", "lang.go", "index.go"),
        agent("There is one index per language now."),
        user("only german and english"),
        *edits("lang.go"),
        agent("Only two languages now."),
        user("bump the version to 3.1.0 and add a line to the changelog"),
        *edits("CHANGELOG.md"),
        agent("It is 3.1.0."),
        user("skip the long tests this time, just push"),
        agent("Pushed."),
    )

    assert title(*lines) == "Split the search index per language"


def test_a_remark_is_no_title():
    lines = (
        user("what do they want from us in this mail?"),
        agent("They announce a new format for the monthly file."),
        user("thats spam then, ill forward it to the admins. Use factories for the data of the monthly tests"),
        *edits("factories.py", "test_month.py", "test_week.py", "conftest.py"),
        agent("The monthly tests use factories."),
    )

    assert "spam" not in title(*lines)


def test_a_question_before_the_work_is_no_title():
    lines = (
        user("Hallo, kurze Frage vorab: welche Version läuft auf dem Server?"),
        agent("Auf dem Server läuft 3.11."),
        user("dann das Eigentliche: Mitgliedsbeiträge werden anteilig berechnet"),
        *edits("rechnen.py", "runden.py", "test_rechnen.py", "rechnen.py"),
        agent("Sie werden anteilig berechnet."),
    )

    assert title(*lines) == "Mitgliedsbeiträge werden anteilig berechnet"


def test_a_wish_that_nobody_answered_is_no_title_of_the_work():
    lines = (
        user("paginate the page of the invoices by 50"),
        *edits("views.py"),
        agent("Paginated by 50."),
        user("add an index on the number of the invoices"),
    )

    assert title(*lines) == "Paginate the page of the invoices by 50"


def test_who_only_looks_gives_way_to_what_was_seen():
    lines = (
        user("the nightly report is killed. find out how long it really takes"),
        agent("It takes 74 seconds."),
        user("set the limit to 90 seconds then"),
        *edits("limits.py"),
        agent("The limit is 90 seconds."),
    )

    assert "really takes" not in title(*lines)


def test_a_command_in_a_title_is_closed():
    said = (
        "Write a subcommand `atlas export --layers roads,rivers,borders --format gpkg --simplify 5 --crs local` that"
        " streams everything"
    )

    assert title(user(said), *edits("export.rs"), agent("It streams.")).count("`") % 2 == 0
