"""What is said beside the work: a summary tells nothing of somebody's day, of irony, and of thoughts for some day."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_asides import is_aside, is_of_a_day, without_asides

from .test_summary import agent, edited, ran, session, user


@pytest.mark.parametrize(
    "said",
    [
        "the cat sits on my keyboard again",
        "my son is sick, have to run",
        "hope you had a good coffee",
        "what a beautiful day",
        "terrible weather today",
        "so hungry, off to dinner",
        "i have to pick up the kids",
        "we are going to grab a beer",
        "did you have lunch?",
        "another monday saved by backups",
        "and the train is late again, whatever",
        "mein Hund hat heute Geburtstag",
        "ich muss zum Zahnarzt",
        "hast du gut geschlafen?",
        "das Essen in der Kantine war gut",
        "je vais chercher les enfants",
        "le métro est encore en panne",
        "il fait trop chaud",
        "me voy a cenar",
        "está lloviendo otra vez",
        "oh sure, let's also delete the backups",
        "let's test it in production, what could go wrong",
        "klar, warum nicht gleich alles auf einmal",
        "maybe we should look at another map library one day",
        "at some point we could think about sockets, who knows",
        "if we ever open a second shop we could use two tables lol",
        "vielleicht sollten wir irgendwann auf eine andere Sprache wechseln",
        "un jour on pourrait tout réécrire, qui sait",
        "algún día podríamos usar otra base de datos",
        "keine Ahnung",
        "my cat just threw up on the couch",
        "mein Mann wartet mit dem Essen",
        "haha yeah sure, and let's print it in comic sans",
        "lol early bird",
        "cinema tonight, yay",
    ],
)
def test_what_is_said_beside_the_work_is_an_aside(said: str):
    assert is_aside(said)


@pytest.mark.parametrize(
    "said",
    [
        "the lunch menu shows the dishes of yesterday",
        "the train is not drawn on the map, please fix it",
        "my bus leaves, finish the export",
        "add a cat to the list of breeds",
        "could you add a legend or something",
        "maybe it's the proxy, dunno",
        "the worker could crash at some point, catch it",
        "we should eventually delete these, mark them as old",
        "i have to run the migration first",
        "hope this fixes the login",
        "the kids section needs larger letters",
        "the kitchen printer prints each order twice",
        "the commit on friday broke the build",
        "sure, use the smaller one",
        "never deploy on fridays",
        "if a guest has no mail we could skip it",
        "the train model overfits after three rounds",
        "ich habe die Tests laufen lassen",
        "the bus is full: events are dropped",
        "no coffee break in the schedule of the shift",
    ],
)
def test_what_is_said_of_the_work_is_none(said: str):
    assert not is_aside(said)


def test_what_is_life_to_one_is_work_to_another():
    """Where the agent or a file speaks of it, it is the work."""
    assert is_of_a_day("the train is late again")
    assert not is_of_a_day("the train is late again", frozenset({"train", "delay"}))


def test_only_the_aside_is_taken_out():
    said = "nice. the dog wants out. rename the column to `weight_g`, kg was wrong"

    assert without_asides(said) == "nice. rename the column to `weight_g`, kg was wrong"


def test_the_wink_takes_the_joke_with_it():
    assert without_asides("store the pins as plain text. just kidding. hash them") == "hash them"


def test_a_summary_tells_the_work_and_not_the_day():
    lines = (
        user("hi! the coffee is strong today. the scale shows 3 kg too much, find out why"),
        edited("/w/shop/scale.py"),
        agent("The tare is read twice; it is read once now."),
        user("good. weights are whole grams everywhere, never floats. my train leaves soon"),
        edited("/w/shop/scale.py"),
        agent("Weights are whole grams now."),
        user("maybe we should look at bluetooth scales one day? no idea. commit"),
        ran("git commit -m 'Read the tare once'"),
        agent("Committed."),
        user("haha, let's also weigh the boss. off to lunch"),
    )
    body = summarize(session(*lines)).body

    assert "whole grams everywhere, never floats" in body
    assert not [word for word in ("coffee", "train", "bluetooth", "boss", "lunch", "idea") if word in body.lower()]
    assert "**Outcome:** Done." in body


def test_a_farewell_of_ones_day_leaves_nothing_unanswered():
    lines = (
        user("draw the tide table for june"),
        edited("/w/shop/tide.py"),
        agent("The table for June is drawn."),
        user("great, have to catch my bus"),
    )

    assert "**Outcome:** Done." in summarize(session(*lines)).body
