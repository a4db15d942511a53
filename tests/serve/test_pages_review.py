"""Review: one candidate after the other, by buttons that need no script, until none is left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.context.records import Kind, Primitive, RecordId, Status
from lerim.context.review.candidates import ReviewState
from lerim.runtime.remembering import Remark

from .conftest import PNPM, Workplace
from .dashboard import Shown, Visitor, dashboard, propose, require_sound

TITLES = ("Use pnpm here", "Run the linter", "Keep the lockfile", "Say why in commits", "Pin the versions")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[tuple[Workplace, Visitor, list[str]]]:
    """A workplace with candidates, and somebody before them."""
    workplace = Workplace(tmp_path)
    ids = propose(workplace, *TITLES)
    with dashboard(workplace) as visitor:
        yield workplace, visitor, ids


def undone(visitor: Visitor, shown: Shown) -> Shown:
    """What the page shows after its own way back was taken."""
    flash = shown.html[shown.html.index('class="flash') :]
    action = re.search(r'action="/p/here([^"]+)"', flash)
    fields = dict(re.findall(r'name="(change|back)" value="([^"]*)"', flash[: flash.index("</form>")]))
    assert action
    return visitor.post(action[1], **{name: value.replace("&amp;", "&") for name, value in fields.items()})


def state(workplace: Workplace, candidate_id: str) -> tuple[ReviewState, str | None]:
    with workplace.open() as lerim:
        candidate = lerim.review.find(candidate_id).candidate
        return candidate.state, candidate.record_id


def test_a_queue_is_worked_off(desk: tuple[Workplace, Visitor, list[str]]) -> None:
    """Accept, edit, reject, skip and take back: each leads to the next, and the queue shrinks."""
    workplace, visitor, ids = desk
    first = visitor.get("/review")
    assert "5 left" in first.text
    assert PNPM in first.text and "Because: states a rule" in first.text
    assert f"<mark>{PNPM}</mark>" in first.html, "the words it rests on, among those around them"
    require_sound(first)

    second = visitor.post(f"/review/{ids[0]}", verdict="accept")
    assert "4 left" in second.text and "Accepted as" in second.text
    assert f"/review/{ids[1]}" in second.html
    became, record = state(workplace, ids[0])
    assert ReviewState.ACCEPTED is became and record

    third = visitor.post(f"/review/{ids[1]}", verdict="reject", reason="that was a joke")
    assert "3 left" in third.text and ReviewState.REJECTED is state(workplace, ids[1])[0]
    back = undone(visitor, third)
    assert "4 left" in back.text and "It waits again" in back.text
    assert ReviewState.PENDING is state(workplace, ids[1])[0]

    typed = {"title": "Run `eslint` before each commit", "body": "It is fast.", "kind": "decision", "tags": "lint, CI"}
    fourth = visitor.post(f"/review/{ids[2]}", verdict="accept", **typed)
    assert "3 left" in fourth.text
    with workplace.open() as lerim:
        kept = lerim.memory.find(str(state(workplace, ids[2])[1])).record
    assert (Primitive.DECISION, "It is fast.", ("lint", "ci")) == (kept.primitive, kept.body, kept.tags)
    back = undone(visitor, fourth)
    assert "4 left" in back.text and ReviewState.PENDING is state(workplace, ids[2])[0]
    assert f"/review/{ids[2]}" in back.html, "one looks at what waits again"

    skipped = visitor.get("/review", at=ids[3])
    assert f'action="/p/here/review/{ids[3]}"' in skipped.html and "4 left" in skipped.text
    for one in (ids[1], ids[2], ids[3], ids[4]):
        last = visitor.post(f"/review/{one}", verdict="reject")
    assert "Nothing waits for you" in last.text


def test_what_somebody_else_decided_is_said_and_typed_words_stay(desk: tuple[Workplace, Visitor, list[str]]) -> None:
    workplace, visitor, ids = desk
    with workplace.open() as lerim:
        lerim.review.accept(lerim.review.find(ids[0]))

    late = visitor.post(f"/review/{ids[0]}", verdict="accept", title="My own words", body="b", kind="insight", tags="")

    assert 409 == late.code
    assert "Somebody else was faster" in late.text and "The memory it became" in late.text
    assert 'value="My own words"' in late.html, "nothing that was typed is lost"
    assert "4 left" in late.text
    require_sound(late)
    assert "Decided already" in visitor.get("/review", at=ids[0]).text
    turned_down = visitor.post(f"/review/{ids[0]}", verdict="reject")
    assert 409 == turned_down.code and ReviewState.ACCEPTED is state(workplace, ids[0])[0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"verdict": "perhaps"}, "'perhaps' is no decision"),
        ({"verdict": "same"}, "needs the memory it speaks of"),
        ({"verdict": "accept", "title": "", "body": "", "kind": "insight", "tags": ""}, "title"),
        ({"verdict": "accept", "title": "x", "body": "", "kind": "rumor", "tags": ""}, "decision or a learning"),
        ({"verdict": "accept", "title": "x" * 300, "body": "kept", "kind": "insight", "tags": ""}, "at most 200"),
    ],
)
def test_what_cannot_be_decided_so_is_said(waiting: tuple[Workplace, Visitor, str], fields: dict, said: str) -> None:
    workplace, visitor, one = waiting

    shown = visitor.post(f"/review/{one}", **fields)

    assert 400 == shown.code and said in shown.text
    assert ReviewState.PENDING is state(workplace, one)[0]
    assert fields.get("body", "") in shown.html
    require_sound(shown)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workplace, Visitor, str]]:
    """A candidate that nobody decides on in these tests."""
    workplace = Workplace(tmp_path_factory.mktemp("waiting"))
    (one,) = propose(workplace, "Use pnpm here")
    with dashboard(workplace) as visitor:
        yield workplace, visitor, one


def test_a_form_of_another_page_decides_nothing(waiting: tuple[Workplace, Visitor, str]) -> None:
    workplace, visitor, one = waiting

    for token in ("", "0" * 64):
        assert visitor.send(f"/review/{one}", verdict="accept", form_token=token).code in (400, 403)
    assert ReviewState.PENDING is state(workplace, one)[0]


def test_a_near_memory_can_be_named(tmp_path: Path) -> None:
    """The same, more of it, or in its place: each with a button beside the memory."""
    workplace = Workplace(tmp_path)
    known = workplace.add("We use pnpm in this repository", primitive=Primitive.LEARNING, kind=Kind.PREFERENCE).record
    first, second, third = propose(workplace, "Use pnpm, never npm", "Use pnpm, npm breaks the lockfile", "Use pnpm 9")
    with dashboard(workplace) as visitor:
        shown = visitor.get("/review", at=first)
        assert f'value="{known.id}"' in shown.html and "Replaces it" in shown.text

        same = visitor.post(f"/review/{first}", verdict="same", record=known.id)
        assert "says it already" in same.text and ReviewState.REJECTED is state(workplace, first)[0]
        added = visitor.post(f"/review/{second}", verdict="updates", record=known.id)
        assert "Added to" in added.text and (ReviewState.ACCEPTED, known.id) == state(workplace, second)
        assert "Accepted as" in visitor.post(f"/review/{third}", verdict="replaces", record=known.id).text

    with workplace.open() as lerim:
        assert Status.SUPERSEDED is lerim.memory.find(known.id).record.status


def test_what_it_cannot_hold_together_with_is_shown_beside_it(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    rival = workplace.add("Use yarn in this repository").record
    (one,) = propose(workplace, "Use pnpm in this repository, not yarn", against=(RecordId(rival.id),))
    with dashboard(workplace) as visitor:
        shown = visitor.get("/review")
        assert "It cannot hold together with Use yarn in this repository" in shown.text
        visitor.post(f"/review/{one}", verdict="accept")

    with workplace.open() as lerim:
        assert Status.SUPERSEDED is lerim.memory.find(rival.id).record.status


def test_what_an_agent_asked_for_has_no_session_to_go_to(tmp_path: Path) -> None:
    """Its words are shown with who said them; no link leads nowhere."""
    workplace = Workplace(tmp_path)
    with workplace.open() as lerim:
        lerim.setup.init()
        lerim.agents_word.remember(Remark("Use pnpm here", "We use pnpm here.", agent="codex"))
    with dashboard(workplace) as visitor:
        shown = visitor.get("/review")

        assert "codex over MCP" in shown.text
        links = set(re.findall(r'href="/p/here(/[^"#]*)"', shown.html))
        assert not any(link.startswith("/sessions/mcp") for link in links)
        require_sound(shown)
