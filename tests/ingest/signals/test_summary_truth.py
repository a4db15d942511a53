"""Summaries tell what is true: what was refused, taken back, put off, blocked or said in passing is told as that."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_blocks import is_blocked
from lerim.ingest.signals.summary_cues import FAREWELL, is_small_talk
from lerim.ingest.signals.summary_words import as_task, is_trivial
from lerim.ingest.summarize import summarize as summarized
from lerim.sources.trace import Line

from .test_summary import agent, edited, ran, session, user

_KILN = (
    user("draw the curve of the kiln from its log"),
    edited("/w/shop/curve.py"),
    agent("The curve is drawn from the log."),
)


def told(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*_KILN, *lines)).body


def left(body: str) -> str:
    return body.partition("**Open:**")[2]


# --- what waits for a word of somebody --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "no merge before the lawyers have answered",
        "don't deploy until Marit has approved it",
        "deploy only after the bank has signed",
        "merge only once QA has confirmed",
        "nothing goes live before Ken is back",
        "we can't publish without the sign-off of Ida",
        "hold the push until Aino has confirmed",
        "no release until the customer says yes",
        "finance has to answer first",
        "erst ausrollen, wenn Jonas zugestimmt hat",
        "Live gehen wir erst, wenn der Vertrieb zugestimmt hat",
        "kein Deployment bevor der Datenschutz geantwortet hat",
        "pas de déploiement avant que Claire ait validé",
        "no publicar hasta que Lucía confirme",
        "não publicar até que o cliente confirme",
        "pas live als Joost akkoord is",
    ],
)
def test_what_waits_for_a_word_of_somebody_is_open_and_no_wish(said: str):
    assert is_blocked(said)
    body = told(user(f"good. {said}"), agent("Understood."))

    assert said.split()[-1].lower() in left(body).lower()
    assert said not in body.partition("**Outcome:**")[0]
    assert "**Outcome:** Done." in body


@pytest.mark.parametrize(
    "said",
    [
        "never deploy on fridays",
        "always merge only after two approvals",
        "no merge without a review from somebody",
        "don't push before the tests pass",
        "merge only when CI is green",
        "send the mail only after the user confirms it",
        "print the label once the customer has confirmed",
        "push the messages only after the server has answered",
        "delete the draft only after the owner has agreed",
        "the job should not delete files before the upload is done",
        "the switch is off until the door is closed",
        "add a step that deploys only after Kim has approved",
        "shall we merge before Kim has approved?",
    ],
)
def test_a_rule_and_what_a_program_waits_for_block_nothing(said: str):
    assert not is_blocked(said)


# --- what is put off --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "thing"),
    [
        ((user("die Legende nächste Woche"), agent("Gut.")), "Die Legende nächste Woche."),
        ((user("parfait. les essais plus tard, c'est pas urgent"), agent("D'accord.")), "Les essais plus tard."),
        ((user("perfecto. el catalán para la próxima semana"), agent("Vale.")), "El catalán para la próxima semana."),
        ((user("bene. le traduzioni la prossima settimana"), agent("Bene.")), "Le traduzioni la prossima settimana."),
        (
            (
                agent("Soll ich auch die alten Kurven löschen?"),
                user("nein, heute nicht"),
                agent("Gut, sie bleiben."),
            ),
            "Auch die alten Kurven löschen.",
        ),
        (
            (agent("A text message would be faster."), user("sms later. not today, put it on the list"), agent("OK.")),
            "Sms later.",
        ),
        ((user("dark mode? not now. and the label flickers"), edited("/w/shop/a.py"), agent("Fixed.")), "Dark mode"),
        (
            (user("the rest later: umlauts, the empty column and a progress bar"), agent("OK.")),
            "Umlauts, the empty column and a progress bar.",
        ),
        ((user("good, the glaze import does Petra"), agent("OK.")), "The glaze import does Petra."),
        ((user("i measure it tomorrow with the pyrometer"), agent("OK.")), "i measure it tomorrow with the pyrometer"),
        ((user("the names i have to ask the potters"), agent("OK.")), "The names i have to ask the potters."),
    ],
)
def test_what_is_put_off_is_open_in_any_language(lines: tuple[Line, ...], thing: str):
    body = told(*lines)

    assert thing.lower() in left(body).lower()
    assert thing.rstrip(".") not in body.partition("**Outcome:**")[0]


def test_what_is_not_wanted_now_is_the_users_own_thing_and_not_what_the_agent_spoke_of():
    body = told(
        agent("The curve is smooth now. The settings page still has the old colours."),
        user("dark mode? not now. and the axis is wrong"),
        edited("/w/shop/axis.py"),
        agent("The axis begins at zero."),
    )

    assert "Dark mode (not now)." in left(body)
    assert "settings page" not in left(body)
    assert "Dark mode" not in body.partition("**Outcome:**")[0]


def test_another_wish_behind_a_not_now_is_no_answer():
    body = told(
        agent("Umlauts are matched exactly. Should I fold them?"),
        user("not now. show the number of hits instead"),
        edited("/w/shop/hits.py"),
        agent("The number stands above the list."),
    )

    assert "Then: Show the number of hits instead." in body
    assert "fold them" in left(body)


@pytest.mark.parametrize(
    "lines",
    [
        (user("and is anything planned for the audit?"), agent("No, the list is complete."), user("good, later then")),
        (
            user("do we have to do anything else?"),
            agent("Nein, alles ist fertig."),
            user("great, i go for lunch. later"),
        ),
        (user("OK on garde la courbe. À demain"), agent("À demain !")),
        (user("top, schönes Wochenende. bis Montag"), agent("Danke, dir auch.")),
        (user("gracias, hasta mañana"), agent("¡Hasta mañana!")),
        (user("morning, coffee in hand. how was your night?"), agent("I do not sleep.")),
        (agent("The label waits for the log to be read."), user("ok thanks")),
    ],
)
def test_company_and_a_no_leave_nothing_open(lines: tuple[Line, ...]):
    body = told(*lines)

    assert "**Open:**" not in body
    assert "**Outcome:** Done." in body


@pytest.mark.parametrize(
    "said",
    [
        "Morning, coffee in hand",
        "Hope you had a good weekend",
        "it's monday again",
        "I'm back from lunch",
        "let's go",
        "have to run",
        "Kaffee steht bereit, los geht's",
        "haha nothing, just checking if you work",
    ],
)
def test_small_talk_is_known(said: str):
    assert is_small_talk(said)


@pytest.mark.parametrize(
    "said",
    [
        "let's go with Postgres",
        "coffee orders are lost when two clerks save at once",
        "back up the database",
        "it's monday the deploy day",
        "let's start with the header",
        "the cat pictures are blurred",
        "hope the build is green, check it",
    ],
)
def test_work_is_no_small_talk(said: str):
    assert not is_small_talk(said) and FAREWELL.fullmatch(said) is None


# --- what was refused or taken back -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ("Added retries with backoff, five at most.", "no retries. they drain the battery"),
        ("The list is cached in Redis for ten minutes now.", "drop the list again, show the table"),
        ("Added a banner above the chart.", "take the banner out please"),
        ("Added the tooltips to the curve.", "ohne tooltips bitte"),
    ],
)
def test_what_the_user_ruled_out_is_not_told_as_done(done: str, said: str):
    body = told(
        user("make it better"), edited("/w/shop/b.py"), agent(done), user(said), edited("/w/shop/b.py"), agent("OK.")
    )

    assert done not in body


def test_what_was_taken_back_gives_no_title_and_what_came_instead_does():
    digest = summarize(
        session(
            user("try a dark theme for the dashboard"),
            edited("/w/shop/web/theme.css"),
            agent("The dashboard has a dark theme now, with the colours of the chart."),
            user("no, take it back. the growers use it in the sun. only make the table font bigger"),
            ran("git checkout -- web/theme.css"),
            edited("/w/shop/web/table.css"),
            agent("Put the theme back and raised the font to 18 px."),
        )
    )

    assert "Make the table font bigger" == digest.title
    assert "Try a dark theme for the dashboard (taken back)" in digest.body
    assert "has a dark theme now" not in digest.body


def test_trouble_is_not_taken_back_with_the_way_to_mend_it():
    digest = summarize(
        session(
            user("the viewer is slow on big plans"),
            edited("/w/shop/view.ts"),
            agent("Switched to another library."),
            user("its licence is not for us. go back"),
            ran("git checkout -- view.ts"),
            edited("/w/shop/tiles.ts"),
            agent("Went back to the old library; pages are drawn in tiles now."),
        )
    )

    assert "The viewer is slow on big plans" == digest.title
    assert "(taken back)" not in digest.body


def test_a_refusal_in_few_words_is_told():
    assert not is_trivial("and no mails please") and not is_trivial("ohne Tests") and is_trivial("no problem")
    body = told(agent("Should I also add a PDF and mail it?"), user("no. nobody reads pdfs. and no mails please"))

    assert "Whether to add a PDF and mail it: no, nobody reads pdfs. No mails." in body


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ("It does not compile: the kernel has no such call.", "Failed."),
        ("It still fails, and without gcc the wheel cannot be built.", "Failed."),
        ("I'll start with the names that have three parts.", "Interrupted."),
    ],
)
def test_what_did_not_come_about_is_not_done(last: str, outcome: str):
    assert f"**Outcome:** {outcome}" in told(user("split the names"), agent(last))


def test_a_check_of_what_was_thrown_away_says_nothing():
    digest = summarize(
        session(
            user("try to replace the date library"),
            edited("/w/shop/date.ts"),
            ran("npm test", "9 failed", 1),
            agent("Nine tests fail."),
            user("forget it, put everything back"),
            ran("git checkout -- date.ts"),
            agent("Everything is as it was."),
        )
    )

    assert "Try to replace the date library (taken back)" == digest.title
    assert "npm test" not in digest.body


# --- doubt and questions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("anything left to plan?", "Anything left to plan?"),
        ("loading takes 3 s, what could we do?", "Loading takes 3 s, what could we do?"),
        ("can you fix the login?", "Fix the login"),
        ("could we please add a legend?", "Add a legend"),
        ("the build fails on arm, find out why", "Find out why the build fails on arm"),
        ("the mail comes too late, can you check", "The mail comes too late"),
        ("keep the old ones until then", "Keep the old ones until then"),
        ("hm with the night job it is tight", "With the night job it is tight"),
    ],
)
def test_a_question_stays_one_and_a_request_does_not(said: str, task: str):
    assert task == as_task(said)


def test_what_was_only_asked_is_no_order():
    digest = summarize(
        session(
            user("could we use sockets for the scores? its only an idea, dont build anything"),
            agent("Yes, with sticky sessions. Polling costs less at your size."),
            user("ok we stay with polling. sockets maybe next year"),
        )
    )

    assert "Could we use sockets for the scores?" == digest.title
    assert "**Outcome:** Done." in digest.body


def test_who_cannot_choose_yet_has_not_decided():
    names = "Some ideas:\n\n1. Frostvale\n2. Glimmerfjord\n3. The White Shelf"
    body = told(user("a name for the second world?"), agent(names), user("1 or 2, i ask my kids tonight"))

    assert "Frostvale or Glimmerfjord." in left(body)


def test_a_way_may_be_chosen_behind_the_reason_against_another():
    ways = "Three ways:\n\n1. Move to Kubernetes.\n2. A RAM disk.\n3. Keep two processes.\n\nWhich one?"
    body = told(user("restarts are slow"), agent(ways), user("kubernetes is overkill. 3, but on the big machine only"))

    assert "Keep two processes, but on the big machine only" in body


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "done", "later", "answer", "kept"),
    [
        (
            "give the pool 12 slots",
            "The pool has 12 slots.",
            "we run 4 dialog processes, make it 4 slots",
            "The pool has 4 slots now.",
            "4 dialog processes",
        ),
        (
            "run 5 workers, we have 5 regions",
            "It runs with 5 workers.",
            "not enough for the sale, 8",
            "8 workers now.",
            "we have 5 regions",
        ),
        (
            "sessions last 30 minutes, and 30 users fit in a room",
            "Sessions last 30 minutes.",
            "make it 45 minutes",
            "45 minutes.",
            "30 users",
        ),
    ],
)
def test_a_value_stays_with_what_it_counts(wish: str, done: str, later: str, answer: str, kept: str):
    lines = (user(wish), edited("/w/shop/p.py"), agent(done), user(later), edited("/w/shop/p.py"), agent(answer))
    intent = summarize(session(*lines)).body.partition("**Outcome:**")[0]

    assert kept in intent and "(first" in intent


def test_an_amount_more_is_a_wish_of_its_own():
    lines = (
        user("warn when a price moves by more than 5 percent in an hour"),
        edited("/w/shop/w.py"),
        agent("It warns above 5 percent."),
        user("4 percent. and at most 3 warnings an hour"),
        edited("/w/shop/w.py"),
        agent("Set."),
    )

    assert "At most 3 warnings an hour" in summarize(session(*lines)).body


# --- titles -----------------------------------------------------------------------------------------------------------


def test_a_release_is_not_called_by_its_last_touch():
    lines = (
        user("let's release 3.4.0 today. changelog, version, tag"),
        edited("/w/shop/CHANGELOG.md"),
        ran('git commit -am "Release 3.4.0"', "[main 1a2b3c4] Release 3.4.0"),
        ran("git tag v3.4.0 && git push --tags"),
        agent("3.4.0 is tagged and pushed."),
        user('a typo in the changelog, "recieve"'),
        edited("/w/shop/CHANGELOG.md"),
        ran('git commit -am "Fix a typo in the changelog"', "[main 2a2b3c4] Fix a typo in the changelog"),
        agent("Fixed the typo."),
    )

    assert "Release 3.4.0" == summarize(session(*lines)).title


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        (
            "I need two things for the crew page and a third one about cost: show the hotel nights per member, sum them"
            " per month, and colour whoever is above twelve nights",
            "Show the hotel nights per member, sum them per month",
        ),
        (
            "Fix the nightly export of the measurements to the archive: it drops the last row when a file ends without"
            " a line feed",
            "Fix the nightly export of the measurements to the archive",
        ),
        ("Would a column store be faster? Just curious, no changes", "Would a column store be faster?"),
    ],
)
def test_a_title_does_not_end_where_a_colon_leads_on(asked: str, title: str):
    assert title == summarize(session(user(asked), agent("OK."))).title


def test_a_commit_with_two_types_is_called_by_what_it_did():
    done = ran('git commit -m "report: cost: count fuel per leg"', "[main 1a2b3c4] report: cost: count fuel per leg")
    lines = (user("numbers are missing"), edited("/w/shop/r.py"), done, agent("Counted."))

    assert "Count fuel per leg" == summarize(session(*lines)).title


# --- what others say, told by the user --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "logistics says the pallet count in march is 7 % too low. view_pallets vs the gate log. pls find out why,"
            " touch nothing yet",
            "pallet count",
        ),
        ("the nurses say the shift plan shows sunday twice. check it and mend it", "sunday twice"),
        ("Petra sagt die Rechnungen aus Mai sind doppelt. bitte finde den Grund", "Rechnungen"),
    ],
)
def test_a_session_that_begins_with_what_others_say_has_a_summary(said: str, title: str):
    """It is about that, though nobody's memory can rest on it."""
    lines = session(
        user(said),
        ran("psql -c 'select 1'", "1"),
        agent("Rows are joined by day, so the two shifts of a night count twice."),
        edited("/w/shop/view.sql"),
        agent("Fixed: `view.sql` joins by shift now."),
    )
    digest = summarized(lines, EmbeddedEngine())

    assert title in f"{digest.title} {digest.body}"
    assert "joins by shift" in digest.body
    assert digest.title[:1].isalpha()
    assert "find out why find out" not in digest.body.lower()


def test_what_a_page_says_is_no_wish_where_the_user_only_names_it():
    """Only words of the user's own line are theirs."""
    page = "Everyone must send the token of the till to the helpdesk before noon."
    digest = summarized(
        session(user("read the page of the till vendor"), ran("cat page.txt", page), agent(page)), EmbeddedEngine()
    )

    assert "helpdesk" not in f"{digest.title} {digest.body}"
