"""What an agent told early gives way to what was done later: a state that passed, a line taken out, another value."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.ingest.signals.summary_later_work import values_in
from lerim.ingest.signals.summary_story import story_of
from lerim.sources.trace import Line

from .test_summary import agent, edited, ran, session, user
from .test_summary_deeds import replaced

#: Enough turns and files for a list of what happened.
_MORE = (
    *(edited(f"/w/shop/kiln/part{number}.py") for number in range(4)),
    agent("The kiln's log has one row per firing now, with its cone and its peak."),
)


def happened(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*lines, user("and the log of the kiln?"), *_MORE)).body.partition("**Outcome:**")[0]


def tellings(*lines: Line | tuple[Line, ...]) -> list[str]:
    return [one.text for one in story_of(session(*lines)).tellings]


# --- where the work stands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        "Working tree has the seven modified glaze files; no commit made.",
        "The new firing plan is untracked and the branch is two days old.",
        "My local commit is unpushed.",
        "All workers finished, and no code changes were made.",
        "The changes to the glazes are still local, uncommitted.",
        "Git status: clean, on the branch of the glazes.",
        "The branch of the glazes is three commits ahead of origin.",
    ],
)
def test_a_state_of_the_tree_passes_with_the_next_commit(state: str):
    turn = (
        user("list the glazes by cone"),
        edited("/w/shop/glaze.py"),
        agent(f"The glazes are listed by cone. {state}"),
    )
    committed = (
        user("commit and push it"),
        *ran('git commit -am "List glazes" && git push', "[main 1a2b3c4] List glazes"),
    )

    assert state in tellings(*turn, user("why by cone?"), agent("Because the studio fires by cone."))
    assert state not in tellings(*turn, *committed, agent("Committed and pushed."))


def test_what_a_program_does_with_untracked_files_is_no_state():
    said = "Added a check so that untracked files of the studio keep their notes in the archive."
    turn = (user("keep notes of untracked files"), edited("/w/shop/notes.py"), agent(said))

    assert said in happened(*turn)


# --- lines that are gone again ----------------------------------------------------------------------------------------


def test_what_was_written_and_taken_out_again_is_not_told():
    path = "/w/shop/kiln.py"
    said = "The kiln stops at `MAX_PEAK` and writes `overfired` into its log."
    there = (user("stop the kiln"), *replaced(path, "fire()", "fire(MAX_PEAK)\nlog('overfired')"), agent(said))
    back = (
        user("no, the controller does that"),
        *replaced(path, "fire(MAX_PEAK)\nlog('overfired')", "fire()"),
        agent("The controller stops it."),
    )

    assert said in happened(*there, user("why?"), agent("Because the peak cracks the glaze."))
    assert said not in happened(*there, *back)


def test_what_moved_to_another_file_is_still_there():
    said = "The kiln stops at `MAX_PEAK` and writes `overfired` into its log."
    lines = "fire(MAX_PEAK)\nlog('overfired')"
    there = (user("stop the kiln"), *replaced("/w/shop/kiln.py", "fire()", lines), agent(said))
    moved = (
        user("put it into the controller"),
        *replaced("/w/shop/kiln.py", lines, "fire()"),
        *replaced("/w/shop/controller.py", "pass", lines),
        agent("It is in the controller."),
    )

    assert said in happened(*there, *moved)


def test_a_file_that_was_put_back_is_told_of_no_more():
    path = "/w/shop/sql/0001-FiringTable.sql"
    said = "On a fresh studio FiringTable creates all nine tables now."
    there = (user("the fresh studio lacks a table"), *replaced(path, "create a;", "create a;\ncreate b;"), agent(said))
    back = (
        user("why would you repeat that there?"),
        *replaced(path, "create a;\ncreate b;", "create a;"),
        agent("The table comes from its own migration."),
    )

    assert said in happened(*there)
    assert said not in happened(*there, *back)


# --- another value ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("`PEAK_LIMIT` is now 1_240, and the note beside it says why.", "Raise PEAK_LIMIT to 1_260"),
        ("Set `holdMinutes` to 20 in the firing plan of the studio.", "holdMinutes -> 35 please"),
        ("The cooler uses `max_drop` = 90 for each hour of the night.", "max_drop: 120 is what the maker says"),
    ],
)
def test_a_value_that_was_set_anew_later_is_told_no_more(first: str, then: str):
    turn = (user("set the limits of the kiln"), edited("/w/shop/limits.py"), agent(first))

    assert first in happened(*turn, user("why?"), agent("The maker says so."))
    assert first not in happened(*turn, user(then), edited("/w/shop/limits.py"), agent("Done as you said."))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("`PEAK_LIMIT` is now 20_000", [("PEAK_LIMIT", "20000")]),
        ("PEAK_LIMIT (20k → 120k)", [("PEAK_LIMIT", "120000")]),
        ("holdMinutes -> 35", [("holdMinutes", "35")]),
        ("DIN 4108 and RFC 6749 hold", []),
        ("max_drop has 3 readers", []),
    ],
)
def test_a_value_is_read_behind_a_name_and_a_sign(text: str, values: list[tuple[str, str]]):
    assert list(values_in(text)) == values


# --- what was not so, and is ------------------------------------------------------------------------------------------


def test_what_was_not_supported_and_is_later_is_told_no_more():
    said = "`salt` and `soda` stay unsupported by the firing plan."
    turn = (user("which firings are there?"), edited("/w/shop/firing.py"), agent(f"Wood and gas are there. {said}"))
    later = (user("why not salt? add it"), edited("/w/shop/firing.py"), agent("Done — `salt` works as a firing now."))
    other = (user("and raku?"), edited("/w/shop/firing.py"), agent("Done — `raku` works as a firing now."))

    assert said not in happened(*turn, *later)
    assert said in happened(*turn, *other)


# --- what was taken out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "taken", ["Done. The damper is removed.", "Removed the upper damper from the plan.", "I dropped the spare damper."]
)
def test_what_the_agent_took_out_later_is_not_there(taken: str):
    said = "The flue is the only place that sees both, so the damper sits there."
    turn = (user("where does it go?"), edited("/w/shop/flue.py"), agent(said))

    assert said in happened(*turn, user("why?"), agent("It sees the draught and the fire."))
    assert said not in happened(*turn, user("we have no need of it"), edited("/w/shop/flue.py"), agent(taken))


def test_names_below_what_was_removed_are_not_there():
    said = "The `GLAZES` section and the `CONES` section each got a note on the studio."
    turn = (user("explain the studio"), edited("/w/shop/guide.py"), agent(said))
    removed = (
        "**Kept:**\n- The banner names it.\n\n**Removed:**\n- The `GLAZES` note of the guide.\n- The `CONES` note."
    )

    assert said not in happened(*turn, user("this is wrong"), edited("/w/shop/guide.py"), agent(removed))


def test_a_cause_stays_the_cause_whatever_was_taken_out():
    said = "Root cause: `overfired` was written before the damper closed."
    path = "/w/shop/kiln.py"
    turn = (user("why is the log wrong?"), *replaced(path, "fire()", "log('overfired')"), agent(said))
    back = (user("mend it"), *replaced(path, "log('overfired')", "fire()"), agent("Removed the early write."))

    assert "overfired" in happened(*turn, *back)
