"""What a summary tells as asked and as open: whole wishes, choices as choices, and what is handed back at the end."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.title_ends import is_shell_only
from lerim.sources.trace import Event, Happening, Line, User, Via

from .test_summary import agent, edited, ran, session, user


def intent(*lines: Line) -> str:
    return summarize(session(*lines)).body.partition("**Intent:**")[2].partition("\n\n")[0].strip()


def left(*lines: Line) -> str:
    return summarize(session(*lines)).body.partition("**Open:**")[2].strip()


def outcome(*lines: Line) -> str:
    return summarize(session(*lines)).body.partition("**Outcome:**")[2].strip().partition(".")[0]


def title(*lines: Line) -> str:
    return summarize(session(*lines)).title


# --- what was asked ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offered", "reply", "told"),
    [
        (
            "1. Hotfix on the boat branch — I patch it and ship tonight\n2. Wait",
            "1",
            "Chosen: Hotfix on the boat branch",
        ),
        (
            "1) I can add a tide column to the berths page\n2) Leave it",
            "1",
            "Chosen: Add a tide column to the berths page",
        ),
        ("A. Pair-Work (recommended) — I ask before each step\nB. All at once", "A", "Chosen: Pair-Work"),
        (
            "A. Print in one go (`fix(till): print once`)\nB. Print twice",
            "yes to A also rebase first",
            "Print in one go",
        ),
    ],
)
def test_what_was_chosen_is_told_as_a_choice_and_by_its_name(offered: str, reply: str, told: str):
    body = intent(user("Look at the till"), agent(f"Two ways:\n\n{offered}\n\nWhich one?"), user(reply), agent("Done."))

    assert told in body
    assert " I " not in body and "(`fix" not in body


def test_who_says_what_was_offered_in_their_own_words_is_told_with_them():
    offered = agent("Next steps:\n1. Align the crew guide\n2. Stop here")
    said = "1. Align the crew guide with the harbour rules"

    told = intent(user("Review the guides"), offered, user(said), agent("Aligned."))

    assert "Chosen" not in told and told.count("Align the crew guide") == 1


@pytest.mark.parametrize("line", ["git push", "git add .", "cd Boats", "!npm run dev", "exit\n\ncd Boats\n\nclaude"])
def test_a_line_for_the_shell_is_no_wish(line: str):
    told = intent(
        user("Paint the berths page blue"), edited("/w/b/berths.css"), agent("Painted."), user(line), agent("OK.")
    )

    assert told == "Paint the berths page blue."


@pytest.mark.parametrize(
    "said",
    ["git commit only the footer", "make fails with an error, fix it", "docker compose.yml is wrong", "go with 3"],
)
def test_a_sentence_that_begins_like_a_command_is_none(said: str):
    assert not is_shell_only(said)


@pytest.mark.parametrize("mark", ["[image, 147,694 bytes]\n", "[Image #1] ", "[screenshot, 2 MB]\n\n"])
def test_a_wish_behind_an_image_is_the_wish(mark: str):
    assert "Draw the pier from this photo" in intent(user(f"{mark}Draw the pier from this photo"), agent("Drawn."))


@pytest.mark.parametrize("yes", ["Looks good, you may begin.", "sounds great, go ahead", "that works, proceed"])
def test_an_approval_is_no_wish(yes: str):
    plan = agent("The plan: a table of tides. Does it look good?")

    assert intent(user("Add a table of tides"), plan, user(yes), agent("Added.")) == "Add a table of tides."


def test_a_prompt_that_was_sent_again_with_more_is_told_whole():
    stopped = Event(text="", kind=Happening.INTERRUPTED)
    first, again = (
        "Review the log of the ferry and list what",
        "Review the log of the ferry and list what broke since May",
    )

    told = intent(
        user("Fix the clock"), agent("Fixed."), user(first), stopped, user(again), agent("Three things broke.")
    )

    assert "broke since May" in told and told.count("the ferry") == 1


def test_a_placeholder_of_several_words_stays():
    assert "<crew name> is aboard" in intent(user('Show "<crew name> is aboard" on the board'), agent("Shown."))


def test_a_long_message_with_a_list_of_its_own_chooses_nothing():
    offered = agent("Which first?\n1. The crew table\n2. The tide table")
    brief = "Rebuild the profile page. " + "It has to show who is aboard and where they sleep on which deck. " * 5
    said = f"{brief}\n1. A list of entries\n2. A search"

    assert "Chosen" not in intent(user("Plan the pages"), offered, user(said), agent("Rebuilt."))


# --- the title --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "errand",
    ["add some tests for it", "Summarize the changes for the PR description", "run npm install", "update the readme"],
)
def test_what_goes_along_with_the_work_is_no_title(errand: str):
    work = [edited(f"/w/b/{name}.py") for name in ("tides", "berths", "crew", "pier", "moon")]

    told = title(user("Show the tides of each berth"), *work, agent("Shown."), user(errand), agent("Done."))

    assert told == "Show the tides of each berth"


def test_who_says_go_on_gives_the_work_to_the_wish_before():
    work = [edited(f"/w/b/{name}.py") for name in ("tides", "berths", "crew", "pier", "moon")]
    lines = (user("Hello there"), agent("Hi."), user("Show the tides of each berth"), agent("A plan. Shall I start?"))

    told = title(*lines, user("go ahead"), *work, agent("Shown."), user("make the logo bigger"), edited("/w/b/a.css"))

    assert told == "Show the tides of each berth"


def test_a_commit_that_a_later_one_takes_back_names_nothing():
    first = ran("git commit -m 'Tile layout of the harbour map'", "[main 1a2b3c4] Tile layout of the harbour map")
    second = ran(
        "git commit -m 'Remove the tile layout of the map'", "[main 2a2b3c4] Remove the tile layout of the map"
    )

    told = title(user("new look please"), edited("/w/b/map.ts"), *first, user("back to the old look"), *second)

    assert told == "Remove the tile layout of the map"


def test_slips_in_a_title_are_put_right():
    assert title(user("Update teh docks table"), agent("Updated.")) == "Update the docks table"


def test_a_wish_full_of_slips_gives_way_to_what_the_agent_says_it_did():
    work = [edited(f"/w/b/{name}.py") for name in ("tides", "berths", "crew", "pier", "moon")]
    told = "Fixed the tide table of the berths: each berth shows its own tides."

    asked = user("can you plese rebiuld the tabble of the tides for eahc of our brths")

    assert title(asked, *work, agent(told)).startswith("Fixed the tide table")


def test_what_is_a_little_too_long_is_told_as_a_headline():
    said = "Check if the limits of the winches and the ropes of the crew are passed on to the deck hands"

    told = title(user(said), agent("They are."))

    assert told == "Check if limits of winches and ropes of crew are passed on to deck hands"


def test_a_question_that_was_cut_keeps_its_mark():
    said = "Did we show all the necessary tables of the harbour office to the captains, and are they able to find them?"

    assert title(user(said), agent("You did.")).endswith("?")


def test_where_to_go_before_it_is_no_part_of_the_work():
    said = "Find the file src/crew/names.ts and remove the import of Rank from it"

    assert title(user(said), agent("Removed.")).startswith("Remove the import of Rank")


# --- what is open -----------------------------------------------------------------------------------------------------

WORK = (user("Mend the ticket printer"), edited("/w/b/printer.py"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Mended.\n\nWhat I can't do from here:\n- Restart the printer\n- Clear its memory\n\nPlease do both.",
            "For the user: Restart the printer; Clear its memory.",
        ),
        (
            "Mended.\n\n**You still need to:**\n1. Send the key\n2. Open the port",
            "For the user: Send the key; Open the port.",
        ),
        (
            "Committed. However, the push to the remote failed due to missing rights.",
            "The push to the remote failed due to",
        ),
        (
            "Mended. You will need to manually run `make flash` on the machine.",
            "For the user: Manually run `make flash`",
        ),
        (
            "I can't commit yet. Two blockers:\n- The folder is no repository.\n- It is full.",
            "Could not commit yet (The folder",
        ),
        ("Mended.\n\nPlease run this locally:\n```\nsudo flash x\n```\n", "For the user: Run `sudo flash x` locally"),
        ("Mended. I stashed your notes as `stash@{0}`; pop it when you are back.", "`stash@{0}`"),
    ],
)
def test_what_the_agent_hands_back_is_open(said: str, told: str):
    assert told in left(*WORK, agent(said))


@pytest.mark.parametrize(
    "said",
    [
        "Mended. I couldn't find a second printer in the code.",
        "Mended. The push failed at first, and then passed.",
        "Mended.\n\nYou should see:\n- a green light\n- a bar below it",
        "Mended. If you want colours, you need to install the driver.",
        "Mended. The old failed deployments are gone.",
        "Mended.\n\nNext steps:\n1. Print a page\n2. Order paper",
        "Mended. No remaining references to the old driver.",
        "Mended. The unrelated files remain untouched.",
    ],
)
def test_what_is_no_turn_of_anybodys_is_not_open(said: str):
    assert left(*WORK, agent(said)) == ""


def test_what_was_handed_back_and_done_is_not_open():
    handed = agent("Mended. You will need to manually run `make flash` on the machine.")

    assert "make flash" not in left(
        *WORK, handed, user("did that. and print in black"), agent("It prints in black now.")
    )


@pytest.mark.parametrize(
    ("path", "said", "is_told"),
    [
        ("/w/b/guide.md", "Wrote it. Tests not run.", False),
        ("/w/b/till.py", "Wrote it. Tests not run (docs-only changes).", False),
        ("/w/b/till.py", "Wrote it. Tests were not run yet.", True),
    ],
)
def test_tests_of_what_cannot_be_run_are_not_open(path: str, said: str, is_told: bool):
    lines = (user("Describe the till"), edited(path), agent(said))

    assert is_told == ("not run" in left(*lines))
    assert outcome(*lines) == ("Partly done" if is_told else "Done")


@pytest.mark.parametrize("asked", ["Go?", "Which do you want?", "Tell me which option you want."])
def test_a_question_that_names_nothing_is_told_by_what_it_waits_for(asked: str):
    lines = (*WORK, agent("Mended."), user("Publish the driver to the store"), agent(f"There are two stores. {asked}"))

    assert "Waits for an answer: Publish the driver to the store." == left(*lines)
    assert outcome(*lines) == "Partly done"


def test_an_answer_of_a_form_that_nobody_acted_on_is_not_begun():
    asked = "Q: Do you want me to plan the migration of the berths table?\nA: Plan the migration"
    answered = User(text=asked, via=Via.ANSWER)

    told = left(*WORK, agent("Mended."), answered)

    assert "Not begun: Plan the migration of the berths table." == told


# --- whole sentences --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        'Paint the door, name it "fix: a door for all crews", and show the harbour office',
        "Change \"Made pier 'north/2' for the crew\" to have a tick in front",
    ],
)
def test_what_is_quoted_in_a_sentence_stays_in_it(said: str):
    assert intent(user("Mend the till"), agent("Mended."), user(said), agent("Done.")).endswith(f"{said}.")


def test_what_somebody_else_said_is_not_the_users():
    said = 'Anna wrote "the printer is far too slow", have a look at the printer'

    assert "far too slow" not in intent(user(said), agent("Looked."))


def test_an_order_that_says_enough_does_not_answer_the_question_before():
    asked = agent("Saved. Should I also drop the logs folder from the ignore list?")

    told = intent(user("Write down the tides"), asked, user("write a poem on herons"), agent("Written."))

    assert "Whether" not in told and "Write a poem on herons" in told


def test_an_option_in_bold_is_an_option():
    offered = agent("Two ways:\n\n- **A)** Tag of the last night\n- **B)** Hash of the last build\n\nWhich?")

    assert "Chosen: Hash of the last build" in intent(user("Skip idle nights"), offered, user("B"), agent("Done."))


def test_where_work_was_pushed_and_how_a_branch_is_called_is_no_title():
    told = title(
        user("Show the tide table on the berths page"),
        edited("/w/b/tides.ts"),
        agent("The page shows the tides now."),
        user("rename the branch to feature/tides and push it"),
        agent("Pushed to main, 4f1e2d3."),
    )

    assert told == "Show the tide table on the berths page"
