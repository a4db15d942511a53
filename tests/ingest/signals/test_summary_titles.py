"""The title of a summary names the main thing, whatever a session begins or ends with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.sources.trace import Line

from .test_summary import HEADER, agent, edited, ran, session, user


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


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("build a runner for several crawlers, that start based on", "Build a runner for several crawlers"),
        ("write a page about the harbor titled '", "Write a page about the harbor"),
        ("split the exporter into plugins and", "Split the exporter into plugins"),
        ("take a look at: the helpers in dates.py are used nowhere", "The helpers in dates.py are used nowhere"),
        ("again translate the invoices into Dutch", "Translate the invoices into Dutch"),
    ],
)
def test_a_title_ends_where_it_is_whole_and_begins_with_the_work(said: str, wanted: str):
    assert title(user(said), agent("There it is.")) == wanted


@pytest.mark.parametrize(
    "said",
    ["Show what the tide table can do", "Find out which port the gauge listens on", "Turn the night mode on"],
)
def test_a_small_word_at_the_end_of_a_whole_title_stays(said: str):
    assert title(user(said), agent("There it is.")) == said


@pytest.mark.parametrize(
    ("said", "files", "wanted"),
    [
        ("fix this error", ("moorings.go",), "Fix this error (moorings.go)"),
        ("change it to use the tide service", ("gauge.py",), "Change it to use the tide service (gauge.py)"),
        ("fix this error", ("berths/index.ts",), "Fix this error (berths/index.ts)"),
        ("fix this error in the moorings", ("moorings.go",), "Fix this error in the moorings"),
        ("sort the berths by length", ("list.py",), "Sort the berths by length"),
    ],
)
def test_a_title_that_says_little_names_the_file_that_was_changed_most(said: str, files: tuple[str, ...], wanted: str):
    assert title(user(said), *edits(*files), agent("Done.")) == wanted


def test_a_wish_behind_a_list_of_files_names_the_first_of_them():
    said = (
        "Sources: - Story: ./stories/ST-12.md - Sketch: ./sketches/ST-12.md (only if needed). "
        "Take over the flows word for word. Ask nothing that is answered there."
    )

    assert title(user(said), agent("Done.")) == "Take over the flows word for word (ST-12.md)"


@pytest.mark.parametrize("line", ["docker build -t harbor:local harbor/", "./settings/harbor.json", "git push --force"])
def test_a_line_for_the_shell_is_no_title_where_there_is_another(line: str):
    lines = (
        user(line),
        agent("Ran it."),
        user("print the tide table in the footer"),
        *edits("footer.html"),
        agent("OK."),
    )

    assert title(*lines) == "Print the tide table in the footer"


def test_a_title_that_the_program_gave_is_taken_before_a_remark():
    lines = (
        user("much better, the thumbnails jump when they load tho"),
        *edits("gallery.tsx"),
        agent("They stay now."),
    )

    assert summarize(session(*lines, header=replace(HEADER, title="Product gallery"))).title == "Product gallery"


# --- errands, places and cuts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "errand",
    [
        "switch to main and delete stale branches like fix/berths",
        "create a worktree off latest origin/main",
        "delete the merged branches",
        "let's get back to main",
        "bring this branch up to date with origin/main",
        "use the poster skill",
    ],
)
def test_an_errand_of_git_names_no_session_that_did_other_work(errand: str):
    work = user("print the tide table on the back of every ticket"), edited("/w/shop/ticket.py"), agent("It is there.")
    title = summarize(session(user(errand), ran("git status"), agent("Ready."), *work)).title

    assert title == "Print the tide table on the back of every ticket"


def test_what_only_names_a_file_or_a_commit_is_no_title():
    lines = (user("which tide table do we print?"), edited("/w/shop/tide.py"), agent("Committed `conf/tides.json`."))

    assert "tides.json" not in summarize(session(*lines)).title


@pytest.mark.parametrize(
    ("wish", "title"),
    [
        (
            "make every pier its own page with its own plan and make sure to call it by the letter that "
            "stands on the sign",
            "Make every pier its own page with its own plan",
        ),
        (
            "check the tickets of the old till in May and let me know as soon as you can which of them "
            "were paid for twice",
            "Check the tickets of the old till in May",
        ),
    ],
)
def test_of_two_orders_the_one_that_would_be_cut_before_its_thing_is_left_out(wish: str, title: str):
    assert summarize(session(user(wish), edited("/w/shop/pier.py"), agent("It is so."))).title == title


def test_the_line_above_the_parts_names_work_that_nobody_named():
    lines = (
        user("i ran it and they are still there"),
        *(edited(f"/w/shop/pier{number}.py") for number in range(5)),
        agent("Done. Fixed all 25 warnings of the tide table:\n\n- pier0: 4\n- pier1: 6"),
    )

    assert summarize(session(*lines)).title == "Fixed all 25 warnings of the tide table"
