"""What a summary tells as happened did happen, and is said in whole sentences."""

from __future__ import annotations

import json

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_happened import TurnWork, cut_whole, did_not_happen, points_back
from lerim.ingest.signals.summary_standing import standings
from lerim.ingest.signals.summary_story import story_of
from lerim.ingest.signals.summary_words import statements
from lerim.sources.trace import Event, Happening, Line, ToolCall, ToolResult

from .test_summary import agent, edited, ran, session, user

_BEGUN = (
    user("the oven timer of the bakery app rings twice, fix it"),
    edited("/w/bakery/timer.py"),
    agent("Removed the second subscription in `timer.py`, so the oven timer rings once."),
)
_POINTS = ["The kiln runs with the new curve.", "Old firings are kept for a year."]
_ANSWERED = TurnWork(is_last=False, has_work=False, is_taken_up=False, is_worked_on=False)
_WORKED = TurnWork(is_last=False, has_work=True, is_taken_up=False, is_worked_on=False)
_MENDED_LATER = TurnWork(is_last=False, has_work=True, is_taken_up=True, is_worked_on=True)


def kept(message: str, work: TurnWork = _WORKED) -> list[str]:
    """What of a message may be told."""
    places = standings(message)
    return [one for one in statements(message) if not did_not_happen(one, places, work, is_cause=False)]


def happened(*lines: Line | tuple[Line, ...]) -> str:
    body = summarize(session(*_BEGUN, *lines)).body
    return body.partition("**Intent:**")[2].partition("\n")[2]


# --- where a sentence stands ------------------------------------------------------------------------------------------


def test_a_point_stands_below_its_headings_its_lead_and_the_points_above_it():
    found = standings(
        "# Ferry plan\n\nDone:\n\n- Moved the quay table\n  - it has an index now\n\n"
        "## Open\n\nNobody has asked the port."
    )

    assert ("Ferry plan", "Done:") == found["Moved the quay table"].below
    assert ("Ferry plan", "Done:", "Moved the quay table") == found["it has an index now"].below
    assert ("Ferry plan", "Open") == found["Nobody has asked the port."].below


def test_what_stands_behind_a_list_is_not_of_it():
    found = standings("You can try:\n- the red one\n- the blue one\n\nThe hull is painted.")

    assert () == found["The hull is painted."].below


def test_a_line_that_only_leads_to_a_list_is_a_label():
    found = standings("Which sails are needed\n- main\n- jib\n\nThe mast holds.\n- it was tested")

    assert found["Which sails are needed"].is_label
    assert not found["The mast holds."].is_label


@pytest.mark.parametrize(
    "lead",
    [
        "What I can't do from here:",
        "Not done yet:",
        "## Next steps",
        "**Options**",
        "You will have to:",
        "Which one do you want?",
        "Two ways to do it:",
        "Three layouts, each applied to the front page:",
        "How to test it:",
        "I'd suggest:",
        "## Out of scope",
        "Nächste Schritte:",
        "Prochaines étapes :",
        "Opciones:",
        "Before you merge:",
    ],
)
def test_a_list_below_a_lead_that_says_it_is_not_done_is_not_told(lead: str):
    message = "\n- ".join([f"{lead}\n", *_POINTS])

    assert set(_POINTS).isdisjoint(kept(message))


@pytest.mark.parametrize(
    "lead",
    [
        "Changes:",
        "## What I did",
        "What was wrong and is fixed:",
        "Updated the plan of the harbour:",
        "Verified:",
        "Changes you asked for:",
        "Geändert:",
    ],
)
def test_a_list_of_what_was_done_is_told(lead: str):
    message = "\n- ".join([f"{lead}\n", *_POINTS])

    assert set(_POINTS) <= set(kept(message))


def test_the_innermost_lead_decides():
    message = "## Summary of changes\n\nAdded the tide table.\n\n**Follow-ups**\n\n- The buoys get lamps of their own."

    assert ["Added the tide table."] == kept(message)


def test_a_finding_that_was_worked_on_is_not_told_as_what_is():
    review = "Findings:\n\n- High: the loan form takes any date.\n- The fines are counted twice at midnight."

    assert not [one for one in kept(review, _MENDED_LATER) if not one.endswith(":")]
    assert [
        "High: the loan form takes any date.",
        "The fines are counted twice at midnight.",
    ] == kept(review, _ANSWERED)[-2:]


def test_what_was_repaired_below_a_list_of_findings_is_told():
    message = "Issues\n\n- Fixed the loan form, which took any date."

    assert "Fixed the loan form, which took any date." in kept(message, _MENDED_LATER)


# --- what a sentence is -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "After that, I'll weigh the flour again.",
        "Once you agree, I can draft the menu.",
        "I'm adding the scale to the recipe page.",
        "Ich werde die Waage noch eintragen.",
        "Restart the mixer.",
        "Please refresh the page and look at the crumbs.",
        "Log in to the till and open the drawer.",
        "If it persists, check the log of the oven.",
        "If anything breaks, the old recipe is still there.",
        "The dough has not risen — check the yeast.",
        "Next: bake the second batch with less salt.",
        "Recommended: Option B - the smaller tin bakes through.",
        "Do not open the door before the bell.",
        "You now want the bread to be darker.",
        "The price list still needs to be confirmed by the miller.",
        "+ the new line of a patch",
        "crumbs = shake(tin)",
        "`src/oven.py` (the door)",
        "followed by two trays of rolls.",
        "Now add salt to both trays.",
        "Waiting for the baker to come back.",
        "Waiting for the word to proceed.",
        "The sour dough changes remain uncommitted.",
        "You were right about the salt.",
        "The miller was right: `from .",
        "`flour.py`, `salt.py`, `water.py`",
    ],
)
def test_a_promise_an_order_or_a_scrap_did_not_happen(said: str):
    assert said not in kept(said)


@pytest.mark.parametrize(
    "said",
    [
        "The oven is preheated by the timer now.",
        "Test runs of the mixer take four minutes.",
        "Release notes name the new flour.",
        "All 12 tests pass.",
        "Set the proofing time to 40 minutes.",
        "If the sensor is cold, the oven now waits for it.",
        "I can't reach the scale from this machine.",
        "Updated `oven.py` to wait for the sensor.",
        "Baking without a lid failed twice.",
        "Build times went down by half.",
    ],
)
def test_what_was_done_found_or_checked_did(said: str):
    assert [said] == kept(said)


def test_a_sentence_that_limps_without_its_address_is_not_told():
    assert not kept("The run at https://ci.test/runs/7 is green for both trays.")
    assert kept("The run is green for both trays (https://ci.test/runs/7).")


def test_a_point_of_an_answer_is_a_sentence_or_is_not_told():
    answer = (
        "The two mills:\n\n- Survives a storm by folding its sails.\n- Stone from the valley.\n- The old one is slower."
    )

    assert ["The old one is slower."] == [one for one in kept(answer, _ANSWERED) if not one.endswith(":")]
    steps = "The smoke test:\n\n- Creates a loaf of nothing.\n- Verifies the crust."
    assert not [one for one in kept(steps) if not one.endswith(":")]
    assert "Creates a loaf of nothing." in kept("- `bake.py`:\n  - Creates a loaf of nothing.")
    assert "Tests pass on both ovens." in kept("- Tests pass on both ovens.")
    assert "`mill.py` grinds what it is given." in kept("- `mill.py` grinds what it is given.", _ANSWERED)


@pytest.mark.parametrize(
    "said",
    [
        "It opens at six now.",
        "That works for both trays.",
        "Almost none of those rolls sold.",
        "All three remove the crust.",
    ],
)
def test_a_sentence_that_speaks_of_the_one_before_it_points_back(said: str):
    assert points_back(said)


@pytest.mark.parametrize(
    "said",
    ["This session ended with a loaf.", "The oven opens at six.", "Italy sends the flour.", "Both ovens are off."],
)
def test_one_that_names_its_thing_does_not(said: str):
    assert not points_back(said)


def test_a_sentence_is_cut_where_it_is_whole():
    words = "the ferry leaves at nine and takes the mail of the island with it, which nobody had told the harbour"

    assert "the ferry leaves at nine and takes the mail of the island with it" == cut_whole(words, 17, 30)
    # The main clause is behind the comma.
    late = "on the first crossing, if no chart of the bay is found in the cabin, the pilot draws one"
    assert late == cut_whole(late, 16, 30)
    assert not cut_whole(" ".join(["word"] * 50), 20, 40)


# --- in a session -----------------------------------------------------------------------------------------------------


def test_an_option_that_was_offered_is_not_told():
    told = happened(
        user("how should the shop be told about it?"),
        agent("Two options:\n\n1. A bell: the shop rings through the old relay.\n2. A mail at the end.\n\nWhich one?"),
        user("2"),
        edited("/w/bakery/mail.py"),
        agent("The shop gets a mail when the timer ends."),
    )

    assert "relay" not in told
    assert "The shop gets a mail when the timer ends." in told


def test_a_design_that_is_put_before_the_user_is_not_told():
    told = happened(
        user("design a page for the orders"),
        agent(
            "## 1. The page\n\nOrders are kept in a ring of 50 and shown by tray.\n\n"
            "- Kept the old colours because the shop knows them.\n\nSound right?"
        ),
        user("yes, write it down"),
        edited("/w/bakery/docs/orders.md"),
        agent("Wrote the design to `docs/orders.md`."),
    )

    assert "ring of 50" not in told
    assert "old colours" not in told


def test_what_was_rolled_back_is_not_told_but_that_it_was():
    told = happened(
        user("build a carousel of cakes for the front page"),
        edited("/w/bakery/carousel.tsx"),
        agent("Added a carousel of cakes to the front page. Swiping is smooth now."),
        user("# Task: Rollback\nWe are scrapping the carousel of cakes. It is too slow on the tills."),
        edited("/w/bakery/front.tsx"),
        agent("The front page has been reverted to the plain list of cakes."),
    )

    assert "Swiping" not in told
    assert "Added a carousel" not in told
    assert "reverted to the plain list" in told


def test_what_was_not_rolled_back_stays():
    told = happened(
        user("build a carousel of cakes for the front page"),
        edited("/w/bakery/carousel.tsx"),
        agent("Added a carousel of cakes to the front page."),
        user("roll back the sour dough prices please, they were right"),
        edited("/w/bakery/prices.json"),
        agent("Restored the prices of the sour dough."),
    )

    assert "Added a carousel of cakes to the front page." in told


def test_a_request_to_the_user_is_over_when_they_went_on():
    told = happened(
        user("put the new logo into the app"),
        ran("ls ~/Pictures"),
        agent(
            "No logo was found in `Pictures`. The logo still has to be saved to a folder, let me know when it is there."
        ),
        user("it is at ~/logo.png"),
        edited("/w/bakery/logo.py"),
        agent("The logo is in the header now."),
    )

    assert "let me know" not in told
    assert "The logo is in the header now." in told


def test_a_sentence_is_told_with_the_one_that_says_what_it_speaks_of():
    told = happened(
        user("why are the rolls late?"),
        edited("/w/bakery/rolls.py"),
        agent("The roll queue runs in a thread of its own now. It no longer waits for the bread."),
    )

    assert "The roll queue runs in a thread of its own now. It no longer waits for the bread." in told


def test_work_is_told_before_what_was_only_explained():
    explained = " ".join(f"Ovens of type {number} heat the stone before the air does." for number in range(2, 9))
    told = happened(
        user("how do ovens heat?"),
        agent(explained),
        user("show the heat on the page"),
        edited("/w/bakery/heat.py"),
        edited("/w/bakery/page.py"),
        edited("/w/bakery/chart.py"),
        agent("Added a heat chart to the page."),
    )

    assert "Added a heat chart to the page." in told


# --- what is no sentence ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "With a narrower belt.",
        "Not as an order of its own.",
        "No, not from the front desk.",
        "Last tray because the first ones cool before the glaze sets.",
        "I have enough context to write the menu.",
        "I have everything I need for the seating plan.",
        "Now dispatching the two seating tasks together because they are tightly coupled.",
        "Using the menu skill because this is about the kitchen.",
        "Creating a quick task for the missing footer of the menu.",
        "The trays (of the first oven cool down before the glaze.",
        'Dropped the words "of the house and the line below.',
    ],
)
def test_the_rest_of_an_answer_and_what_an_agent_sets_out_to_do_is_not_told(said: str):
    assert told_of_menu(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Without the belt the trays are too heavy for one cook.",
        "The oven skips that tray.",
        "The glaze cracks until it cools.",
        "Firing failed because the belt was too narrow.",
        "Checks passed on both ovens.",
        "Not run on the second oven (its belt is off).",
        "For the second oven, that is enough.",
    ],
)
def test_a_short_sentence_is_told(said: str):
    assert told_of_menu(said) == [said]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Fixed all nine dish warnings:\n\n- `menu.py`: two\n- `dish.py`: seven", ["Fixed all nine dish warnings."]),
        ("Changed the menu to:\n\n- soup\n- bread", []),
        ("Added these dishes:\n\n- soup\n- bread", []),
        ("Committed the menu as:\n\n- 1a2b3c4", []),
    ],
)
def test_the_line_before_a_list_is_told_where_it_tells_what_was_done(said: str, told: list[str]):
    assert told_of_menu(said)[: len(told) or None] == told


def test_what_only_says_what_something_does_is_told_with_what_it_is():
    said = "Added `test_belt` for both of the ovens. Fails with the narrow belt, holds with the wide one."

    assert told_of_menu(said) == [said]


def test_points_of_what_tests_cover_did_not_happen():
    said = "### Test Coverage\n\n1. **Empty menu** — The guest sees a note\n2. **Two menus** — The cook picks one"

    assert told_of_menu(said) == []


def told_of_menu(said: str) -> list[str]:
    lines = (user("mend the menu of the house"), edited("/w/shop/menu.py"), agent(said))
    return [one.text for one in story_of(session(*lines)).tellings]


# --- what was asked, and answered -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            "what happens when a tray has both a belt and a fan, does the fan start or is it ignored",
            "When a tray has both a belt and a fan, the fan does not start.",
        ),
        ("Is the glaze of the first oven mixed by hand?", "The glaze of the first oven is mixed by a machine."),
        ("why does the belt stop at night", "The belt stops at night because its heater is off then."),
    ],
)
def test_the_answer_to_a_question_is_told_however_much_of_it_was_asked(asked: str, answer: str):
    around = "\n\n".join(
        f"The {part} of the bakery was built by a company that also makes ships and {part} doors for hangars."
        for part in ("chimney", "cellar", "roof", "window", "floor", "stair", "lamp", "shelf", "table", "scale")
    )

    assert answer in summarize(session(user(asked), agent(f"{answer}\n\n{around}"))).body


# --- plans ------------------------------------------------------------------------------------------------------------


def _plan(text: str, *, is_refused: bool) -> tuple[Line, ...]:
    call = ToolCall(text=json.dumps({"plan": text}), tool="ExitPlanMode", call="plan")
    answer = ToolResult(text="", call="plan", ok=not is_refused)
    return (call, answer, Event(text="", kind=Happening.REJECTED)) if is_refused else (call, answer)


_PLAN_POINTS = agent(
    "Three fixes found:\n\n1. **Belt guard** — the cook reads its state from a file nobody checks\n"
    "2. **Fan rights tightening** — wide to narrow for all fans\n3. **Tray names** — the belt uses them unchecked"
)


def test_the_points_of_a_refused_plan_did_not_happen():
    lines = (
        user("check the safety of the bakery"),
        _PLAN_POINTS,
        *_plan("# Safety of the bakery\n\n1. …", is_refused=True),
    )
    body = summarize(session(*lines)).body

    assert "Planned, refused: Safety of the bakery." in body
    assert not any(point in body for point in ("Belt guard", "Fan rights", "Tray names"))


def test_a_refused_plan_is_not_told_where_the_work_went_on():
    refused = (user("check the bakery"), _PLAN_POINTS, *_plan("# Safety of the bakery", is_refused=True))
    went_on = (user("only the belt then"), edited("/w/shop/belt.py"), agent("The belt checks its file now."))
    taken = (user("check the bakery"), _PLAN_POINTS, *_plan("# Safety of the bakery", is_refused=False))

    assert "Planned, refused" not in summarize(session(*refused, *went_on)).body
    assert "Planned, refused" not in summarize(session(*taken, agent("Waiting for the oven."))).body


# --- what the outcome tells -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "Both fixed and committed.",
        "Commit: `1a2b3c4 Guard the belt of the oven`.",
        "Reverted and pushed (well, committed) locally.",
        "Both commits pushed.",
    ],
)
def test_what_only_tells_of_a_commit_is_told_by_the_outcome(said: str):
    made = ran('git commit -am "Guard the belt of the oven" && git push', "[belts 1a2b3c4] Guard the belt of the oven")
    lines = (user("guard the belt"), edited("/w/shop/belt.py"), *made, agent(f"The belt has its guard. {said}"))

    assert said not in [one.text for one in story_of(session(*lines)).tellings]


def test_a_commit_that_no_tool_made_is_told_in_words():
    said = "Both fixed and committed in the bakery."
    lines = (user("guard the belt"), edited("/w/shop/belt.py"), agent(said))

    assert said in [one.text for one in story_of(session(*lines)).tellings]


def test_a_sentence_goes_on_behind_a_quotation_that_trails_off():
    said = 'Added "Share" between "Move to..." and "Details" in the menu of the house.'

    assert told_of_menu(said) == [said]
    assert statements('It said "please wait..." Then it stopped.') == ['It said "please wait..."', "Then it stopped."]
