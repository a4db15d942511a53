"""What was ordered, held back, refused or begun and did not come about: told under Open, whoever spoke of it."""

from __future__ import annotations

import json

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.sources.trace import Event, Happening, Line, ToolCall, ToolResult, Via

from .test_summary import agent, edited, ran, session, user


def body(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*lines)).body


def left(text: str) -> str:
    return text.partition("**Open:**")[2]


def refused(tool: str, payload: dict[str, object]) -> tuple[Line, ...]:
    call = ToolCall(text=json.dumps(payload), tool=tool, call=f"r-{tool}")
    return call, ToolResult(text="refused", call=call.call, ok=False), Event(text="refused", kind=Happening.REJECTED)


_WORK = (
    user("sort the berths by length"),
    edited("/w/shop/berths.py"),
    ran("git commit -m 'Sort the berths by length'", "[main 1a2b3c4] Sort the berths by length"),
    agent("The berths are sorted and committed."),
)

# --- ordered and not done -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("great, tag it please", "Not tagged yet"),
        ("ok push this up and let's get it merged", "Not merged yet"),
        ("now push it to origin", "Not pushed yet"),
        ("gut, dann push das", "Not pushed yet"),
    ],
)
def test_what_was_ordered_and_not_done_is_open(order: str, told: str):
    text = body(*_WORK, user(order), agent("The list of piers is long, one of them has no name."))

    assert told in left(text)
    assert "**Outcome:** Partly done." in text


def test_an_open_order_names_the_version_or_the_pull_request_that_the_agent_speaks_of():
    text = body(*_WORK, user("can we tag it please?"), agent("Once you merge the notes, I'll tag that as `v2.4.0`."))

    assert "Not tagged yet: v2.4.0" in left(text)


@pytest.mark.parametrize(
    ("order", "then"),
    [
        ("push it", (ran("git push origin main"), agent("The branch is up."))),
        ("push it", (agent("Pushed to origin."),)),
        ("merge it", (ran("gh pr merge 12 --squash"), agent("That is in now."))),
        ("tag it", (ran("git tag v1.2.0 && git push origin v1.2.0"), agent("The tag is there."))),
        ("push it", (agent("One check is red."), user("never mind, i pushed it"), agent("Good."))),
        ("is it ready to merge now?", (agent("Two reviews are missing."),)),
        ("when do we usually push?", (agent("On Mondays."),)),
        ("merge the two lists into one", (edited("/w/shop/lists.py"), agent("The lists are one."))),
        ("if the pier is free, push the boats to the back", (agent("The pier is taken."),)),
    ],
)
def test_what_was_done_asked_or_is_another_thing_is_not_open(order: str, then: tuple[Line, ...]):
    assert "yet" not in left(body(*_WORK, user(order), *then))


# --- held back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "via", "told"),
    [
        ("don't push yet", Via.TYPED, "Not pushed yet: “don't push yet”"),
        ("Q: Push the branch and open a request?\nA: Don't push yet", Via.ANSWER, "Not pushed yet: “Don't push yet”"),
        ("do not merge it before Friday", Via.TYPED, "Not merged yet: “do not merge it before Friday”"),
        ("bitte noch nicht pushen, erst nach dem Fest", Via.TYPED, "Not pushed yet"),
    ],
)
def test_what_the_user_held_back_is_open_and_leaves_the_work_partly_done(said: str, via: Via, told: str):
    text = body(*_WORK, user(said, via), agent("Holding off."))

    assert told in left(text)
    assert "**Outcome:** Partly done." in text


def test_what_was_held_back_and_let_go_is_not_open():
    text = body(
        *_WORK,
        user("don't push until the piers are counted"),
        agent("There are 12 piers."),
        user("then push"),
        ran("git push"),
        agent("Pushed."),
    )

    assert "Not pushed" not in text


# --- not sent off ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told", ["Not pushed — say the word.", "Ready to push when you want.", "The branch is 1 commit ahead of origin."]
)
def test_commits_of_which_the_agent_says_that_they_are_not_pushed_are_open(told: str):
    text = body(
        *_WORK, user("how many berths are there?"), agent(f"There are 40. {told}"), user("thanks"), agent("Ok.")
    )

    assert "ushed" in left(text)


def test_commits_that_were_pushed_since_are_not_open():
    text = body(*_WORK, agent("Not pushed."), user("push"), ran("git push"), agent("The branch is up."))

    assert "Not pushed" not in left(text)


# --- refused --------------------------------------------------------------------------------------------------------


def test_a_plan_that_the_user_refused_last_is_open_with_its_points():
    plan = (
        "# Plan: Lock the booking\n\n## Context\nTwo boats got one berth.\n\n### 1. Lock the row\n\n### 2. Add a test\n"
    )
    text = body(
        user("two boats got one berth, plan a way out"),
        agent("Now I'll write the plan."),
        refused("ExitPlanMode", {"plan": plan}),
    )

    assert "Planned, not approved: Lock the booking (Lock the row; Add a test)." in left(text)
    assert "Announced" not in text


def test_a_change_that_the_user_refused_last_is_open():
    text = body(
        user("call the piers by their letters"),
        agent("I change the list."),
        refused("Edit", {"file_path": "/w/shop/piers.py", "old_string": "1", "new_string": "A"}),
    )

    assert "Refused: the change of `piers.py`." in left(text)


def test_a_plan_that_was_refused_and_talked_about_since_is_not_told_as_refused():
    text = body(
        user("two boats got one berth, plan a way out"),
        refused("ExitPlanMode", {"plan": "# Plan: Lock the booking\n"}),
        user("lock the row only"),
        edited("/w/shop/book.py"),
        agent("The row is locked."),
    )

    assert "not approved" not in text


# --- begun ----------------------------------------------------------------------------------------------------------


def test_of_several_wishes_the_one_that_the_session_stops_in_is_not_finished():
    text = body(*_WORK, user("print the plan of the piers as a poster"), agent("It is A1."), ran("lpr a.pdf")[0])

    assert "Not finished: Print the plan of the piers as a poster." in left(text)


# --- sent out, and to be set by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        "Dispatched a worker for it.\n\nBranch/worktree: `berth-order`",
        "The agent was instructed to sort them; worktree `berth-order`.",
        "Spawned a subagent on branch `berth-order`.",
    ],
)
def test_a_worker_of_whom_nobody_heard_again_is_open(told: str):
    lines = (
        user("have a worker sort the berths"),
        agent(told),
        user("how many piers are there?"),
        agent("There are 12."),
    )

    assert "Started, not seen to end: `berth-order`." in left(body(*lines))


@pytest.mark.parametrize(
    "then",
    [
        (agent("The worker on `berth-order` is done, the berths are sorted."),),
        (ran("git merge berth-order"), agent("Merged.")),
        (user("berth-order is in, thanks"), agent("Good.")),
    ],
)
def test_a_worker_that_was_heard_of_again_is_not_open(then: tuple[Line, ...]):
    lines = (user("have a worker sort the berths"), agent("Spawned a worker on branch `berth-order`."), user("go on"))

    assert "not seen to end" not in body(*lines, *then)


def test_a_worker_that_is_still_running_is_open():
    text = body(
        user("have a worker sort the berths"),
        agent("Two workers are at it."),
        user("and?"),
        agent("One is done. The worker for the tickets is still running."),
        user("print the plan of the piers"),
        edited("/w/shop/plan.py"),
        agent("The plan is printed."),
    )

    assert "The worker for the tickets is still running." in left(text)


_TABLE = (
    "| where | what |\n|---|---|\n| GitHub | `MAIL_API_KEY` as a secret |\n| GitHub | `MAIL_SENDER` as a variable |"
)


@pytest.mark.parametrize("listed", [_TABLE, "- `MAIL_API_KEY` (secret)\n- `MAIL_SENDER` (variable)"])
def test_settings_that_the_user_has_to_make_by_hand_are_open_until_somebody_speaks_of_them(listed: str):
    asked = (
        user("send a mail with every ticket"),
        edited("/w/shop/mail.py"),
        agent(f"It sends them.\n\n**Before the next release, you need to configure:**\n\n{listed}"),
    )
    later = user("how long does a mail take?"), agent("A second.")

    assert "For the user: set `MAIL_API_KEY` and `MAIL_SENDER`." in left(body(*asked, *later))
    assert "set `MAIL_SENDER`." in left(body(*asked, user("MAIL_API_KEY is set"), agent("Good."), *later))


def test_names_in_a_list_that_nobody_has_to_set_are_not_open():
    told = agent("Renamed:\n\n- `MAIL_API_KEY`\n- `MAIL_SENDER`")

    assert "set `MAIL" not in body(user("rename the keys"), edited("/w/shop/mail.py"), told, user("ok"), agent("Good."))


def test_a_pull_request_that_is_a_draft_is_open():
    opened = ran("gh pr create --draft --title 'Sort the berths'", "https://example.com/harbor/berths/pull/7")

    assert "PR #7 is a draft." in left(body(*_WORK, user("open a draft"), opened, agent("It is open.")))
    assert "draft" not in left(body(*_WORK, user("open it"), opened, ran("gh pr ready 7"), agent("It is ready.")))
