"""What a session leaves open, in words that stand alone; causes, values and commits told as they were."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_later import is_only_put_off, named_for_later, only_holds_back
from lerim.sources.trace import Line

from .test_summary import agent, edited, ran, session, user


def body(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*lines)).body


def left(text: str) -> str:
    return text.partition("**Open:**")[2]


_ORDERED = (user("sort the berths by length"), edited("/w/shop/berths.py"))

# --- what is not run, or not seen to end ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        "I have not applied the plan to the cluster.",
        "I did not run the migration that repairs the old rows.",
        "The import was never run on the full catalogue.",
        "The new rules are not deployed to production.",
        "I didn't translate the letters to the owners.",
        "Die Migration habe ich nicht ausgeführt.",
        "Je n'ai pas lancé la migration.",
        "No he desplegado la página nueva.",
        "Die alten Werte sind noch nicht umgerechnet.",
        "Il reste à réimprimer les cartes.",
        "Queda pendiente la prueba con el banco.",
    ],
)
@pytest.mark.parametrize("said", ["thats ok for now", "how many berths are there?"])
def test_what_the_agent_says_is_not_run_is_open(told: str, said: str):
    text = body(*_ORDERED, agent(f"The berths are sorted. {told}"), user(said), agent("There are 40."))

    assert told.rstrip(".") in left(text)
    assert "**Outcome:** Partly done." in text


@pytest.mark.parametrize(
    "told",
    [
        "I did not run the whole test suite.",
        "The job was never run on Sundays, so the list stayed empty.",
        "It was not applied because the lock was held.",
        "I did not change the order of the piers.",
    ],
)
def test_a_caveat_and_a_reason_are_not_open(told: str):
    text = body(*_ORDERED, agent(f"The berths are sorted. {told}"), user("how many are there?"), agent("There are 40."))

    assert "**Open:**" not in text
    assert "**Outcome:** Done." in text


def test_what_was_run_in_the_end_is_not_open():
    text = body(
        *_ORDERED,
        agent("The berths are sorted. I did not run the migration of the berths."),
        user("run the migration"),
        ran("python migrate.py"),
        agent("The migration of the berths ran."),
    )

    assert "**Open:**" not in text


def test_a_job_that_nobody_looked_after_is_open():
    lines = (*_ORDERED, ran("sbatch sort.sh", "Submitted batch job 7"), agent("Submitted as job 7."))

    assert "Started, not seen to end: `sbatch sort.sh`" in left(body(*lines))
    assert "**Outcome:** Partly done." in body(*lines)

    seen = (*lines, user("is it through?"), ran("sacct -j 7", "COMPLETED"), agent("Job 7 is through."))

    assert "sbatch" not in left(body(*seen))


def test_a_plan_that_was_not_applied_is_open():
    planned = (*_ORDERED, ran("terraform plan"), agent("One rule changes."))

    assert "Planned, not applied: `terraform plan`" in left(body(*planned))
    assert "Planned" not in body(*planned, user("go"), ran("terraform apply -auto-approve"), agent("Applied."))


def test_what_was_not_run_is_named():
    text = body(
        user("spread the pods over three zones"),
        edited("/w/shop/pods.yaml"),
        agent("The pods are spread over three zones. I did not apply it to the cluster."),
        user("thats fine for now"),
    )

    assert "The pods are spread over three zones: i did not apply it to the cluster." in left(text)


# --- what is put off --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("the invoices we do after the launch in march", "the invoices"),
        ("splitting the log we do after the go-live of pier two on 1 december", "splitting the log"),
        ("den Export erst nach dem Jahresabschluss", "den Export"),
        ("die alten Karten machen wir nach der Ernte", "die alten Karten"),
        ("la page de contact après la rentrée", "la page de contact"),
        ("los informes después del verano", "los informes"),
        ("o mapa depois das férias", "o mapa"),
        ("the supplement we redo after the rebuttal", "the supplement"),
        ("die Karten vom Januar erst wenn der Kassier sie freigegeben hat", "die Karten vom Januar"),
    ],
)
def test_what_waits_for_an_event_is_put_off(said: str, thing: str):
    assert named_for_later(said) == thing


@pytest.mark.parametrize(
    "said",
    ["don't touch it before", "do not build that until then", "vorher nicht anfassen", "bis dahin nichts ändern"],
)
def test_the_other_half_of_putting_off_is_no_wish(said: str):
    assert only_holds_back(said) and is_only_put_off(said)


@pytest.mark.parametrize("said", ["never deploy on fridays", "don't log it", "do not sort it by name"])
def test_what_holds_always_is_no_putting_off(said: str):
    assert not only_holds_back(said) and not is_only_put_off(said)


def test_what_is_put_off_names_its_thing_and_what_it_waits_for():
    text = body(
        *_ORDERED,
        agent("The berths are sorted. The log of the piers has 40 million rows; splitting it by month would help."),
        user("splitting the log we do later, after the go-live of pier two on 1 december. dont touch it before"),
        agent("Noted, I leave the log as it is."),
        user("good. deploy is monday"),
    )

    assert "Splitting the log we do later (after the go-live of pier two on 1 december)." in left(text)
    assert "touch it before" not in text
    assert "**Outcome:** Done." in text


@pytest.mark.parametrize(
    ("told", "said", "open_"),
    [
        (
            "The page on tides still says 12 hours; shall I change the page?",
            "leave the page for now, the harbour master writes a new one",
            "The page on tides still says 12 hours (leave the page for now, the harbour master writes a new one).",
        ),
        ("`info` and `stats` need it too.", "leave stats for now", "`info` and `stats` need it too (leave stats"),
        (
            "A page for the replays would be a good next step; want me to add it?",
            "would be nice but not now",
            "A page for the replays would be a good next step.",
        ),
        ("Barges still use the old list.", "boats later, i need their lengths from Noor first", "Boats later, i need"),
    ],
)
def test_a_thing_in_a_word_is_told_by_what_the_agent_said_of_it(told: str, said: str, open_: str):
    text = body(*_ORDERED, agent(f"The berths are sorted. {told}"), user(said), agent("OK."), user("thanks"))

    assert open_ in left(text)


def test_how_tests_ended_is_not_what_something_is_said_of():
    text = body(
        *_ORDERED,
        agent("The export streams pier by pier. 18 tests pass. It was never run on the full harbour."),
        user("fine, show me one pier"),
        agent("Pier one has 12 berths."),
    )

    assert "The export streams pier by pier: it was never run on the full harbour." in left(text)


# --- causes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "cause"),
    [
        ("why are there gaps between the tiles?", "The gaps come from the overviews: they are averaged too early."),
        ("the worker hangs since the update", "It is a deadlock: both threads wait for the same lock."),
        ("wieso ist der Füllstand falsch?", "Das liegt daran, dass Liter und Hektoliter gemischt werden."),
        ("les reçus ont la mauvaise année, pourquoi ?", "L'erreur vient de la date : celle de l'impression est prise."),
        ("por qué pierde los cupones?", "Se debe a que el cupón se guarda en la memoria de la página."),
        ("the pump runs all night, why", "Found it: the clock has no time zone, so the night begins two hours late."),
    ],
)
def test_the_cause_that_was_mended_is_told_as_the_agents(trouble: str, cause: str):
    lines = (user(trouble), agent(cause), user("ok fix it that way"), edited("/w/shop/a.py"), agent("It is mended."))

    assert f"Cause (agent): {cause.removeprefix('Found it: ')[:20]}"[:30].lower() in body(*lines).lower()


@pytest.mark.parametrize(
    "told",
    [
        "Probably it comes from the cache, I have not looked yet.",
        "Confirmed: all tests pass with the new lock.",
        "The cause is the cache: it is never emptied.",
    ],
)
def test_a_guess_and_a_passing_test_get_no_name_and_a_named_cause_no_second(told: str):
    lines = (
        user("why is the list wrong?"),
        agent(told),
        user("ok fix it"),
        edited("/w/shop/a.py"),
        agent("Mended it."),
    )

    assert "Cause (agent)" not in body(*lines)


# --- values and commits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("It finds a first plan after 97 s and the best one after 161 s.", "raise the limit to 180 s"),
        ("The report takes 74 seconds on the data of today.", "set the limit to 90 seconds"),
        ("The peak was reached at 21 GB.", "set the limit to 32 GB"),
    ],
)
def test_what_was_measured_is_nobodys_setting(told: str, said: str):
    text = body(user("how long is it?"), agent(told), user(said), edited("/w/shop/a.py"), agent("It is set."))

    assert "(first" not in text


def test_what_was_seen_stays_as_it_was_seen():
    """The limit was set anew, and the report of the trouble is not rewritten."""
    text = body(
        user("the report is killed, it says timeout after 60 seconds"),
        agent("It is too slow for the limit."),
        user("set the limit to 90 seconds"),
        edited("/w/shop/a.py"),
        agent("The limit is 90 seconds."),
    )

    assert "it says timeout after 60 seconds" in text


def test_two_values_that_are_set_at_once_are_both_told():
    text = body(
        user("retry the hook 3 times with 10 seconds between"),
        edited("/w/shop/hook.py"),
        agent("It is retried 3 times, 10 seconds apart."),
        user("make it 5 times, and 30 seconds"),
        edited("/w/shop/hook.py"),
        agent("5 times, 30 seconds apart."),
    )

    assert "5 times (first 3) with 30 seconds (first 10) between" in text


def test_a_value_for_some_stays_for_the_others():
    text = body(
        user("limit the api to 100 requests per minute"),
        edited("/w/shop/api.py"),
        agent("It is limited to 100 requests per minute."),
        user("make it 300 for partners"),
        edited("/w/shop/api.py"),
        agent("Partners have 300 per minute."),
    )

    assert "100 requests per minute" in text and "(first" not in text


def test_a_commit_whose_words_are_a_tools_is_still_told():
    notes = "Switch the berth file to the tidal format of the harbour authority"
    text = body(
        user("do what the ticket says and commit"),
        ran("cat ticket.txt", notes),
        edited("/w/shop/berths.py"),
        ran(f"git commit -m '{notes}'", "[main 5d5d5d5] done"),
        agent("Done."),
    )

    assert "ommitted" in text


# --- what is put off with its day, and why ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "reply", "told"),
    [
        (
            "Shall I switch the old pumps off now?",
            "not before thursday, Rosa has the keys",
            "Switch the old pumps off (not before thursday, Rosa has the keys).",
        ),
        ("Should the alarm be armed?", "only on friday", "Should the alarm be armed (only on friday)."),
        (
            "Soll ich die Waagen gleich umstellen?",
            "Erst am Freitag, da ist Heike im Lager",
            "Die Waagen umstellen (erst am Freitag, da ist Heike im Lager).",
        ),
        (
            "Soll der Alarm gleich scharf sein?",
            "nein, erst am Montag",
            "Soll der Alarm gleich scharf sein (erst am Montag",
        ),
        (
            "Dois-je vider le cache ?",
            "seulement jeudi, après la visite",
            "Vider le cache (seulement jeudi, après la visite).",
        ),
        ("¿Quieres que apague el horno?", "mejor el lunes, con Pilar", "Apague el horno (mejor el lunes, con Pilar)."),
    ],
)
def test_what_was_offered_and_put_off_to_a_day_is_open_with_the_day(asked: str, reply: str, told: str):
    text = body(*_ORDERED, agent(f"The berths are sorted. {asked}"), user(reply), agent("OK."), user("bis dann"))

    assert told in left(text)
    assert "Not decided" not in text


@pytest.mark.parametrize(
    "said",
    [
        "the winter plan is put off until 3 February 2027, the harbour office is closed till then",
        "the second crane is postponed to next autumn",
        "der Umzug der Boote wird auf April verschoben",
        "la peinture est reportée à mai",
        "la subasta se aplaza hasta octubre",
    ],
)
def test_what_is_put_off_to_a_date_is_open_with_the_date(said: str):
    text = body(*_ORDERED, agent("The berths are sorted."), user(said), agent("OK."), user("bye"))

    assert said.partition(",")[0].lower() in left(text).lower()


@pytest.mark.parametrize(
    ("missing", "reply"),
    [
        ("The Danish labels are still missing.", "yes, Anna sends them in June. add a filter for the piers"),
        ("Il manque encore les photos du quai.", "oui, Luc les envoie en juin. ajoute un filtre"),
        ("Die Bilder vom Steg fehlen noch.", "ja, die schickt Anna im Juni. ergänze einen filter"),
        ("The two lamps on pier C are left for Rosa.", "fine. add a filter for the piers"),
    ],
)
def test_what_somebody_else_brings_later_is_open(missing: str, reply: str):
    lines = (agent(f"The berths are sorted. {missing}"), user(reply), edited("/w/shop/filter.py"), agent("Added."))

    assert missing.rstrip(".") in left(body(*_ORDERED, *lines))


def test_what_is_wanted_noted_is_open_with_what_it_points_at():
    text = body(
        *_ORDERED,
        agent("The berths are sorted."),
        user("does the lease of the crane renew itself?"),
        agent("No, it ends on 9 May."),
        user("then renew it before that, put it on the list"),
    )

    assert "renew it before that" in left(text).lower()
    assert "9 May" in left(text)
    assert "crane" in left(text)


def test_what_is_wanted_noted_and_done_at_once_is_not_open():
    lines = (user("add the crane to the page, put it on the list"), edited("/w/shop/page.py"), agent("Added."))

    assert "**Open:**" not in body(*_ORDERED, agent("Sorted."), *lines)


# --- who can wait, what was taken back, and from which month on -------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["an hour, readers can wait", "take the long one, our customers can wait", "eine stunde, die leute können warten"],
)
def test_people_that_can_wait_are_no_work(said: str):
    text = body(*_ORDERED, agent("60 s or an hour for the cache?"), user(said), agent("The cache holds an hour."))

    assert "wait" not in left(text)
    assert "warten" not in left(text)


def test_work_that_can_wait_is_open():
    text = body(*_ORDERED, agent("They are sorted. The labels are missing."), user("labels can wait"), agent("OK."))

    assert "labels" in left(text).lower()


@pytest.mark.parametrize(
    "said",
    [
        "dont publish it today, its friday.. oh no its monday. go ahead",
        "leave the letters for tomorrow. hm no wait, do them",
    ],
)
def test_what_is_put_off_and_ordered_in_the_same_breath_is_not_open(said: str):
    text = body(*_ORDERED, agent("They are sorted."), user(said), ran("make publish", "ok"), agent("All is published."))

    assert not left(text)


@pytest.mark.parametrize(
    ("asked", "offer", "open_thing"),
    [
        ("mia asked for apple pay, how much work is it", "Shall I start?", "Mia asked for apple pay (not before june)"),
        ("how much work would a dark theme be", "Should I begin?", "a dark theme be (not before june)"),
        ("how about an export of the berths?", "Shall I add the export?", "Add the export (not before june)"),
    ],
)
def test_what_was_offered_and_put_off_is_told_by_its_name(asked: str, offer: str, open_thing: str):
    text = body(*_ORDERED, agent("They are sorted."), user(asked), agent(f"A day. {offer}"), user("no not before june"))

    assert open_thing in left(text)


@pytest.mark.parametrize(
    ("said", "open_thing"),
    [
        ("norway in march at the earliest, customs isnt settled", "Norway in march at the earliest"),
        ("the guest berths not before june", "guest berths not before june"),
        ("the harbour map earliest in october", "harbour map earliest in october"),
        ("die gästeliste frühestens im mai", "gästeliste frühestens im mai"),
    ],
)
def test_from_which_month_on_something_comes_is_told(said: str, open_thing: str):
    text = body(*_ORDERED, agent("They are sorted."), user(f"good. {said}"), agent("Noted."))

    assert open_thing.lower() in left(text).lower()


@pytest.mark.parametrize(
    ("told", "is_open"),
    [
        ("The mail to the owners is deferred until May.", True),
        ("The check by hand still wants a run on the real pier.", True),
        ("Still open whenever you want it: the poster of the piers.", True),
        ("The deferred list of guests is sorted by name.", False),
        ("The berths hold the most deferred items of the season.", False),
    ],
)
def test_what_is_put_off_is_open_and_what_is_only_called_so_is_not(told: str, is_open: bool):
    text = body(*_ORDERED, agent(f"The berths are sorted. {told}"))

    assert (told.split(":")[-1].strip().rstrip(".")[1:] in left(text)) is is_open
