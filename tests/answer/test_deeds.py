"""Who asks if something was done is told what says so, and who asks if something is still there what ended it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lerim.answer.deeds import Deed
from lerim.answer.pipeline import Answer
from lerim.context.memory import Memory
from lerim.context.records import Draft, Primitive
from lerim.dataclass import replace
from lerim.text.leftovers import without_noise

Ask = Callable[..., Answer]
Session = Callable[..., str]


@pytest.fixture
def session(memory: Memory, clock: Any) -> Session:
    """The summary of a session: what was wished, what happened, how it ended, and what it left."""

    def session(intent: str, happened: str = "", outcome: str = "Done.", left: str = "") -> str:
        parts = [f"**Intent:** {intent}."]
        parts += [f"**What happened:**\n{happened}"] if happened else []
        parts += [f"**Outcome:** {outcome}", *([f"**Open:** {left}"] if left else [])]
        title = intent.partition(". ")[0]
        began = clock()
        record = replace(
            Draft(Primitive.SUMMARY, title, "## Session Summary\n\n" + "\n\n".join(parts)).record(clock()),
            valid_from=began,
            date=f"{began:%Y-%m-%d}",
            run_id=f"{clock():%d%H%M}ab",
            coding_agent="claude",
        )
        with memory.target(None).change("lerim", "sync") as change:
            created = change.create(record).id
        clock.tick(days=1)
        return created

    return session


@pytest.mark.parametrize(
    "question", ["did the tide chart get pushed?", "was the tide chart pushed", "did we push the tide chart"]
)
def test_a_deed_is_told_with_how_it_went_though_another_sentence_names_the_thing(
    ask: Ask, session: Session, question: str
) -> None:
    happened = "- I have committed the tide chart locally.\n- However, the push was refused: no key for the remote."
    session("Draw the tide chart", happened)

    text = ask(question).text

    assert "committed the tide chart" in text
    assert "However, the push was refused" in text


def test_what_tools_count_tells_a_deed_too(ask: Ask, session: Session) -> None:
    session("Harbour lights", "- PR #31 closed, branch gone.", "Done. Committed “lamps”, opened PR #31, merged.")

    assert "opened PR #31, merged" in ask("did PR 31 get merged?").text


@pytest.mark.parametrize(
    "question",
    ["was the carousel page scrapped?", "do we still have the carousel page", "did we drop the carousel page"],
)
def test_what_did_away_with_something_tells_that_it_is_gone(ask: Ask, session: Session, question: str) -> None:
    outcome = "Done. Committed “Carousel page with swipes” and “Back to the plain list, remove the carousel tiles”."
    session("Carousel page with swipes", "- Layout: the carousel page has three rows.", outcome)

    assert "remove the carousel tiles" in ask(question).text


@pytest.mark.parametrize(
    ("text", "words", "is_gone"),
    [
        ("We can get rid of old/ferry and old/tug", ["ferri"], True),
        ("The ferry importer was removed", ["ferri", "import"], True),
        ("Rolled back to the ferry importer", ["ferri", "import"], False),
        ("Removed the tug, the ferry importer stays", ["import"], True),
        ("The ferry importer removes old rows", ["ferri", "import"], False),
        ("Shall we remove the ferry importer?", ["ferri", "import"], False),
        ("Added the ferry importer", ["ferri", "import"], False),
    ],
)
def test_what_ends_is_what_the_verb_is_said_of(text: str, words: list[str], is_gone: bool) -> None:
    assert Deed.ENDED.is_told_of(text, words) is is_gone


def test_what_is_kept_and_said_later_is_told_rather_than_what_ended_it_before(
    ask: Ask, session: Session, memory: Memory
) -> None:
    session("Clean up", "- Removed the ferry importer.")
    memory.add(Draft(Primitive.DECISION, "The ferry importer stays in use for the islands, nightly", ""))

    assert "for the islands" in ask("do we still have the ferry importer?").text


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        ("Tests not run (docs-only changes).", ""),
        ("The suite was not run: only comments changed.", ""),
        ("Still failing: `touch …/.probe`.", ""),
        ("Asked, not answered: Go?", ""),
        ("Asked, not answered: Which one do you want?", ""),
        ("Tests not run (no database here).", "Tests not run (no database here)."),
        ("Still failing: `npm run build`.", "Still failing: `npm run build`."),
        ("Asked, not answered: Shall the lamp blink?", "Asked, not answered: Shall the lamp blink?"),
        ("Drain the pump. Asked, not answered: Ready to go on?", "Drain the pump"),
    ],
)
def test_what_nobody_has_to_do_is_not_left(left: str, kept: str) -> None:
    assert without_noise(left) == kept


def test_what_happened_is_not_left_open(ask: Ask, session: Session) -> None:
    session("Wire the bell", "- The bell still needs a fuse, say when you have it.\n- Fuse is in, the bell rings.")

    assert "fuse" not in ask("what is left?").text
