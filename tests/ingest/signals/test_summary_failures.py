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


# --- what is measured against a limit -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        ("npx lhci autorun", "lhci autorun", "Preloading the logo did not help: LCP is still 2.9 s."),
        ("pnpm size-limit", "size-limit", "The bundle stays over the limit: 310 kB."),
        ("k6 run load/orders.js", "k6 run", "p95 is 900 ms at 500 clients, the limit is 300 ms."),
        ("lighthouse http://localhost:3000", "lighthouse", "Das hat nicht geholfen, die Seite ist zu langsam."),
    ],
)
def test_a_limit_that_was_not_met_is_not_done(command, name, said):
    body = told(
        user("make the table sticky"),
        edited("/w/shop/table.ts"),
        agent("The table is sticky now."),
        user("and bring the list below the limit"),
        edited("/w/shop/list.ts"),
        ran(command, "expected less", 1),
        agent(said),
        user("leave it for tomorrow"),
        agent("It stays as it is."),
    )

    assert "**Outcome:** Partly done." in body
    assert f"`{name}`" in left(body)


def test_a_limit_that_was_met_in_the_end_is_done():
    body = told(
        user("bring the list below the limit"),
        edited("/w/shop/list.ts"),
        ran("npx lhci autorun", "expected less", 1),
        agent("Preloading did not help. I try smaller images."),
        edited("/w/shop/list.ts"),
        ran("npx lhci autorun", "all good"),
        agent("LCP is 1.8 s now."),
        user("thanks"),
    )

    assert "**Outcome:** Done." in body
    assert not left(body)


@pytest.mark.parametrize(
    ("reply", "did", "kept"),
    [
        ("revert then, we do that in december", "Reverted to 3.4.", "Upgrade vue to 3.5 (in december)"),
        ("roll it back, i try it again next sprint", "Rolled back to 3.4.", ""),
    ],
)
def test_what_was_given_back_fails_no_more(reply, did, kept):
    body = told(
        user("upgrade vue to 3.5"),
        ran("pnpm build", "error: typings", 1),
        agent("The build fails with 3.5: the typings changed."),
        user(reply),
        agent(did),
        user("thx"),
    )

    assert "Still failing" not in body
    assert kept in left(body)
    assert "**Outcome:** Done." not in body


def test_a_sigh_tells_nothing_of_what_failed():
    body = told(
        user("add a date filter"),
        edited("/w/shop/date.ts"),
        ran("pnpm playwright test date", "2 failed", 1),
        agent("The range test fails: the calendar does not open."),
        user("hm. ok have to go"),
    )

    assert "(hm" not in body


# --- overtaken ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failed", "then", "output"),
    [
        ("npm run lint", "git ls-files -z | xargs -0 npx eslint", "no problems"),
        ("pnpm typecheck", "npx tsc --noEmit", "done"),
        ("npm test", "gh run watch 12 --exit-status", "all jobs completed with success"),
        ("make e2e", "gh pr checks 4 --watch", "e2e pass 2m"),
    ],
)
def test_a_later_check_that_says_as_much_and_passes_overtakes_one_that_failed(failed: str, then: str, output: str):
    lines = (user("round the fees"), edited("/w/shop/fees.py"), ran(failed, "1 error", 1), agent("One check fails."))
    text = summarize(session(*lines, user("go on"), ran(then, output), agent("The fees are rounded now."))).body

    assert "failing" not in text
    assert "failed in its last run" not in text


@pytest.mark.parametrize(
    ("failed", "then", "output"),
    [
        ("npm run lint", "npx eslint src/fees.ts", "no problems"),
        ("npm run lint", "npm run format", "done"),
        ("make e2e", "pytest tests/unit", "12 passed"),
        ("npm test", "gh run watch 12 --exit-status", "e2e failed"),
        ("npm test", "gh pr checks 4", "e2e pending"),
    ],
)
def test_one_file_another_kind_or_a_run_that_is_not_green_overtakes_nothing(failed: str, then: str, output: str):
    lines = (user("round the fees"), edited("/w/shop/fees.py"), ran(failed, "1 error", 1), agent("One check fails."))
    text = summarize(session(*lines, user("go on"), ran(then, output), agent("One check fails still."))).body

    assert f"`{failed}` failed in its last run" in text


def test_a_window_that_could_not_be_closed_is_no_work_that_fails():
    lines = (user("tidy up the berths"), edited("/w/shop/berths.py"), ran("panes close berths", "no such pane", 1))

    assert "failing" not in summarize(session(*lines, agent("Closing the pane failed, it was gone already."))).body


def test_what_is_told_green_in_the_end_is_not_told_as_failing():
    lines = (user("round the fees"), edited("/w/shop/fees.py"), ran("npm run lint", "1 error", 1))
    told = agent("The check had failed because the imports were out of order. The `lint` job is green on the new run.")

    assert "Still failing" not in summarize(session(*lines, told)).body


def test_what_fails_in_a_later_turn_is_not_told_of_a_command_before():
    lines = (user("load the piers"), ran("psql -f piers.sql", "no server", 1), agent("I write them to a file instead."))
    then = user("count the guests"), ran("ls guests", "", 1), agent("The count failed: there is no list of guests.")

    assert "psql" not in told(*lines, *then)
