"""What failed last and was left at that: no summary calls it done, and what fails stands with what is open."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize

from .test_summary import agent, edited, ran, session, user


def told(*lines) -> str:
    return summarize(session(*lines)).body


def left(body: str) -> str:
    return body.partition("**Open:**")[2]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("fvm flutter build appbundle --release", "flutter build appbundle"),
        ("cd ios && xcodebuild -scheme Kiosk archive", "xcodebuild archive"),
        ("./gradlew bundleRelease", "./gradlew bundleRelease"),
        ("dbt run -s mart_orders", "dbt run"),
        ("idf.py flash -p /dev/ttyUSB0", "idf.py flash"),
        ("sudo ./install_sensor.sh --all", "./install_sensor.sh"),
        ("uv run python scripts/load_census.py --year 2025", "python scripts/load_census.py"),
    ],
)
@pytest.mark.parametrize(
    ("said", "reply", "kept"),
    [
        ("It failed twice with the same error. I don't know why.", "leave it, Nora looks at it on thursday", "Nora"),
        ("The run failed: the licence server does not answer.", "ok Piet has to renew it, i write to him", "Piet"),
        ("Der Lauf ist wieder fehlgeschlagen.", "lass es, ich frage Heike", "Heike"),
        ("La commande a échoué encore une fois.", "laisse, je demande à Luc", "Luc"),
    ],
)
def test_what_failed_last_and_was_given_up_is_not_done(command, name, said, reply, kept):
    body = told(user("make the package for the fair"), ran(command, "error: no", 1), agent(said), user(reply))

    assert "**Outcome:** Failed." in body
    assert f"`{name}`" in left(body)
    assert kept in left(body)


def test_what_was_done_before_makes_it_partly_done():
    body = told(
        user("read the tide table from the new file"),
        edited("/w/shop/tides.py"),
        agent("`tides.py` reads the new file."),
        user("and publish the image"),
        ran("podman push registry/tides", "denied", 125),
        agent("The push failed: access is denied."),
        user("ok, Rosa has the account, i ask her"),
    )

    assert "**Outcome:** Partly done." in body
    assert "Still failing: `podman push registry/tides`" in left(body)


@pytest.mark.parametrize(
    "after",
    [
        (ran("make firmware", "built"), agent("It builds now."), user("nice")),
        (edited("/w/shop/main.c"), agent("Fixed: the header was missing."), user("thanks")),
        (agent("It failed as expected: the board is not plugged in."), user("good")),
        (agent("It failed, as it already failed on main."), user("fine, ignore it")),
        (agent("It failed. This is unrelated to the change."), user("ok")),
        (user("leave it, the test that fails is for the old board"),),
    ],
)
def test_what_was_mended_or_minded_by_nobody_is_not_open(after):
    body = told(user("build the firmware"), ran("make firmware", "error", 2), agent("It failed."), *after)

    assert "Still failing" not in body


@pytest.mark.parametrize("command", ["grep -rn kelp src", "cat notes/kelp.txt", "git status | grep kelp", "ls kelp"])
def test_who_only_looked_for_something_has_not_failed(command):
    body = told(user("where is the kelp counted?"), ran(command, "", 1), agent("The search failed to find any."))

    assert "Still failing" not in body


def test_who_only_asked_whether_it_passes_was_answered():
    body = told(user("does the lint pass?"), ran("make lint", "2 errors", 1), agent("No, it fails with 2 errors."))

    assert "Still failing" not in body


@pytest.mark.parametrize(
    ("command", "printed", "said", "reply"),
    [
        (
            "git push",
            "! [rejected] main -> main",
            "The push was rejected, the branch is behind.",
            "leave it, i ask Piet",
        ),
        ("git push -u origin tides", "denied", "Der Push wurde abgelehnt.", "ok, ich frag Heike"),
        ("git merge tides", "CONFLICT in tides.py", "The merge stopped with a conflict in `tides.py`.", "no time now"),
        ("curl -X POST https://hook.invalid/go", "502", "The call failed with 502.", "ok, ops looks at it"),
    ],
)
def test_what_git_or_the_other_side_refused_is_not_done(command, printed, said, reply):
    asked = (user("sort the tides and bring it up"), edited("/w/shop/tides.py"), ran(command, printed, 1))
    body = told(*asked, agent(said), user(reply))

    assert "**Outcome:** Partly done." in body
    assert "Still failing: `" in left(body)


@pytest.mark.parametrize(
    "lines",
    [
        (ran("git push", "rejected", 1), ran("git pull --rebase"), ran("git push -u origin tides")),
        (ran("git merge tides", "CONFLICT", 1), edited("/w/shop/tides.py"), ran("git commit -am 'merge tides'")),
        (ran("git diff --exit-code", "changes", 1),),
        (ran("curl -sf https://tides.invalid/health", "", 22),),
    ],
)
def test_what_went_through_in_the_end_or_only_looked_is_done(lines):
    body = told(user("bring the tides up"), edited("/w/shop/tides.py"), *lines, agent("There was a conflict first."))

    assert "**Outcome:** Done." in body
    assert "Still failing" not in body
