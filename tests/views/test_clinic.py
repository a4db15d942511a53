"""The run clinic: counted, cited, and silent where nothing repeats itself."""

from __future__ import annotations

import json
import os
from pathlib import Path

from lerim.context.records import Kind, Primitive
from lerim.context.review.candidates import ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.dataclass import replace
from lerim.sessions.session import stored_path
from lerim.views.room import RenderedView, ViewName

from .conftest import World

GOLDEN = Path(__file__).parent / "golden"


def clinic(world: World) -> RenderedView:
    with world.open() as lerim:
        return lerim.views.render(ViewName.CLINIC)


def a_bad_month(world: World) -> None:
    for day, (ended, checks) in enumerate(
        (
            ("Done. Changed `src/pay.ts` and `a.md`.", "`npm test` passed after 3 failures."),
            ("Failed. Changed `src/pay.ts`.", "`npm test` failed in its last run; `tsc` passed."),
            ("Interrupted. Changed `src/pay.ts`, `b.md` and 3 more.", "`npm test` failed in its last run."),
            ("Done.", "`tsc` failed in its last run."),
        ),
        1,
    ):
        world.sum_up(f"Piece {day}", f"**Outcome:** {ended} {checks}", session=f"run-{day}", day=day)
    world.say("Never call the gateway twice", sessions=("run-1", "run-2", "run-3"), day=3)
    world.say("The sandbox takes a minute to start", kind=Kind.FRICTION, sessions=("run-2",), day=3)
    used = world.say("Retries are in the worker", kind=Kind.INSIGHT, day=3)
    with world.open() as lerim:
        for _ in range(3):
            lerim.memory.touch([lerim.memory.find(used.id)])


def test_a_clinic_reads_as_it_should(world: World) -> None:
    """Word for word, the numbers too: rewritten with LERIM_WRITE_GOLDEN=1, and read by whoever does."""
    a_bad_month(world)
    view = clinic(world)
    numbers = json.dumps(view.data, indent=1, ensure_ascii=False) + "\n"
    for page, text in (("RUN_CLINIC.md", view.text), ("RUN_CLINIC.json", numbers)):
        if os.environ.get("LERIM_WRITE_GOLDEN"):
            (GOLDEN / page).write_text(text, "utf-8")
        assert (GOLDEN / page).read_text("utf-8") == text


def test_what_happened_once_is_no_pattern(world: World) -> None:
    world.sum_up("One", "**Outcome:** Failed. Changed `a.py`. `pytest` failed in its last run.", session="one", day=1)
    world.say("Never call the gateway twice", sessions=("one",))

    assert () == clinic(world).lines
    assert "`lerim sync`" in clinic(world).text


def test_every_line_cites_what_it_speaks_of(world: World) -> None:
    a_bad_month(world)
    view = clinic(world)
    with world.open() as lerim:
        known = {kept.record.id for kept in lerim.memory.select()}

    assert view.lines
    assert all(line.records or line.sessions for line in view.lines)
    assert set(view.records) <= known
    assert {session for line in view.lines for session in line.sessions} <= {f"claude/run-{n}" for n in range(1, 5)}


def test_candidates_are_counted_and_never_told(world: World) -> None:
    with world.open() as lerim:
        said = ("claude/1", "sync-1", Primitive.DECISION, "Use tabs", "", 0.5, world.clock())
        waiting = [replace(ReviewCandidate(new_review_id(), *said), title=f"Use tabs {n}") for n in range(6)]
        with lerim.memory.target().change("lerim", "sync", "sync-1") as change:
            ReviewList(change).save_all("claude/1", waiting)
    view = clinic(world)

    assert ["Decide on 6 candidates that are noted and not in use yet: `lerim review`"] == [
        line.text for line in view.lines
    ]
    assert (6, ("claude/1",)) == (view.data["waiting"], view.lines[0].sessions)


def test_a_file_that_a_memory_names_is_no_gap(world: World) -> None:
    a_bad_month(world)
    assert any("`src/pay.ts` was changed" in line.text for line in clinic(world).lines)

    world.say("Amounts in src/pay.ts are cents", kind=Kind.INSIGHT, tags=("src/pay.ts",))
    assert not any("`src/pay.ts` was changed" in line.text for line in clinic(world).lines)


def outcomes(world: World, *ended: str) -> list[str]:
    for day, one in enumerate(ended, 1):
        world.sum_up(f"Piece {day}", f"**Outcome:** {one}", session=f"run-{day}", day=day)
    return [line.text for line in clinic(world).lines]


def test_who_stops_a_session_has_not_asked_for_too_much(world: World) -> None:
    lines = outcomes(world, "Interrupted.", "Interrupted.", "Interrupted.", "Done.", "Partly done.")

    assert "4 of 5 sessions did not finish: 3 interrupted, 1 partly done" in lines
    assert not any(line.startswith("Ask for less") for line in lines)


def test_sessions_that_leave_some_of_it_undone_ask_for_too_much(world: World) -> None:
    lines = outcomes(world, "Partly done.", "Failed.", "Partly done.", "Done.")

    assert "Ask for less in one session: 3 of 4 left some of it undone" in lines


def test_few_sessions_say_nothing_of_most(world: World) -> None:
    assert not any(line.startswith("Ask for less") for line in outcomes(world, "Failed.", "Partly done."))


def test_a_check_that_failed_on_the_way_is_told_as_that(world: World) -> None:
    lines = outcomes(world, "Done. `pytest` passed after 1 failure.", "Done. `pytest` passed after 3 failures.")

    assert "`pytest` failed on the way in 2 of 2 sessions, and passed in the end" in lines


def test_a_changelog_and_a_lock_file_are_no_gap(world: World) -> None:
    lines = outcomes(world, *["Done. Changed `CHANGELOG.md`, `package-lock.json` and `src/till.ts`."] * 3)

    assert any("`src/till.ts` was changed in 3 sessions" in line for line in lines)
    assert not any("CHANGELOG" in line or "package-lock" in line for line in lines)


def test_what_sessions_made_of_what_they_were_given_is_told(world: World) -> None:
    """Followed, never followed, and said again although it was known."""
    followed = world.say("Retries are in the worker", kind=Kind.INSIGHT)
    idle = world.say("The logo is blue on every page", kind=Kind.INSIGHT)
    again = world.say("Never call the gateway twice")
    world.sum_up("One", "**Outcome:** Done.", session="run-1", day=1)
    with world.open() as lerim:
        served = lerim.house.served
        served.take_in(
            (f"k{n}", {"agent": "claude", "session": f"run-{n}", "root": str(world.project), "characters": 4000})
            for n in range(3)
        )
        with lerim.house.catalog.write() as tx:
            tx.run("UPDATE served SET judged = 'x'")
            for n in range(3):
                for record, outcome in ((followed, "followed"), (idle, "ignored")):
                    values = (f"k{n}", record.id, outcome)
                    tx.run("INSERT INTO served_records (key, record, outcome) VALUES (?, ?, ?)", values)
            root = stored_path(world.project)
            sql = "INSERT INTO repeated (agent, session, record, line, root, is_given) VALUES (?, ?, ?, ?, ?, ?)"
            tx.run(sql, ("claude", "run-2", again.id, 7, root, 1))
        view = lerim.views.render(ViewName.CLINIC)

    said = {line.records[0]: line.text for line in view.lines}
    assert said[followed.id].startswith("Followed in 3 of 3 sessions that were given it: ")
    assert said[idle.id].startswith("Given to 3 sessions and followed in none: ")
    assert said[again.id].startswith("Known, and said again in 1 session, of which 1 had been told: ")
    assert "3 sessions were given a brief; memories were followed 3 times, about 1,000 tokens for each." in view.text
    assert (3, 12_000) == (view.data["handed_out"]["judged"], view.data["handed_out"]["characters"])
