"""Memory: searched, filtered, looked at, changed and changed back, by forms that need no script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lerim.context.records import Evidence, Kind, Primitive, Record, Status, Trust
from lerim.serve.pages.memory import PAGE_SIZE

from .conftest import PNPM, Workplace
from .dashboard import Shown, Visitor, dashboard, require_sound, until

#: Looks like a secret to the gate, and is none.
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    """Many memories; tests that change one add it first."""
    made = Workplace(tmp_path_factory.mktemp("memory"))
    made.add("Use JWT bearer tokens", "Short expiry, because sessions do not survive restarts.", tags=("auth",))
    made.add("Prices are integer cents", primitive=Primitive.LEARNING, kind=Kind.PITFALL, tags=("money", "auth"))
    with made.open() as lerim:
        old = lerim.memory.find(made.add("Deploy on Fridays").record.id)
        lerim.memory.archive(old, reason="never again")
        lerim.index.refresh()
    return made


@pytest.fixture(scope="module")
def visitor(workplace: Workplace) -> Iterator[Visitor]:
    with dashboard(workplace) as found:
        yield found


def record_of(workplace: Workplace, record_id: str) -> Record:
    with workplace.open() as lerim:
        return lerim.memory.find(record_id).record


def undo(visitor: Visitor, shown: Shown) -> Shown:
    """The way back that a page offers right after something was done."""
    flash = shown.html[shown.html.index('class="flash') :]
    change = re.search(r'name="change" value="(\d+)"', flash)
    assert change
    return visitor.post("/memory/undo", change=change[1])


# --- finding ----------------------------------------------------------------------------------------------------------


def test_they_are_found_by_words_and_by_meaning(visitor: Visitor) -> None:
    by_words, by_meaning = visitor.get("/memory", q="bearer"), visitor.get("/memory", q="authentication of sessions")

    assert "<mark>bearer</mark>" in by_words.html and "matched bearer" in by_words.text
    assert "Use JWT bearer tokens" in by_meaning.text
    assert 'value="bearer"' in by_words.html, "what was asked stays in its field"
    require_sound(by_words)


def test_a_script_gets_the_results_alone_as_the_page_has_them(visitor: Visitor) -> None:
    whole, part = visitor.get("/memory", q="bearer"), visitor.get("/memory", q="bearer", part="results")

    assert "<html" not in part.html and part.html.strip() in whole.html
    assert "found" in part.html


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ({"primitive": "decision"}, "Use JWT bearer tokens", "Prices are integer cents"),
        ({"kind": "pitfall"}, "Prices are integer cents", "Use JWT bearer tokens"),
        ({"tag": "auth, money"}, "Prices are integer cents", "Use JWT bearer tokens"),
        ({"status": "archived"}, "Deploy on Fridays", "Use JWT bearer tokens"),
        ({"status": "all"}, "Deploy on Fridays", "Nothing matches"),
        ({"q": "deploy", "status": "archived"}, "Deploy on Fridays", "bearer tokens"),
        ({"since": "2999-01-01"}, "Nothing matches these filters", "bearer"),
        ({"until": "2001-01-01"}, "Nothing matches these filters", "bearer"),
        ({"scope": "global"}, "Nothing matches these filters", "bearer"),
        ({"scope": "project"}, "Use JWT bearer tokens", "Deploy on Fridays"),
        ({"since": "soon"}, "'soon' is not a time", "bearer"),
        ({"status": "lost"}, "That does not work", "bearer"),
        ({"primitive": "rumor"}, "That does not work", "bearer"),
        ({"q": "???"}, "no word to search for", "bearer"),
        ({"offset": "9999"}, "past the end", "bearer"),
        ({"offset": "-1"}, "Use JWT bearer tokens", "past the end"),
    ],
)
def test_filters_leave_what_was_asked_for(visitor: Visitor, asked: dict[str, str], shown: str, hidden: str) -> None:
    found = visitor.get("/memory", **asked)

    results = found.html[found.html.index("data-results") :]
    assert 200 == found.code
    assert shown in Shown(200, results, {}, "").text and hidden not in results
    require_sound(found)


def test_a_long_list_has_pages_that_keep_what_was_asked(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    with workplace.open() as lerim:
        lines = [f"- Decision: use tool number {number}" for number in range(2 * PAGE_SIZE + 5)]
        (tmp_path / "notes.md").write_text("\n".join(lines))
        lerim.memory.import_from(tmp_path / "notes.md")
    with dashboard(workplace) as visitor:
        first = visitor.get("/memory", status="all")
        later = re.search(r'rel="next" href="([^"]+)"', first.html)
        assert later and f"1–{PAGE_SIZE} of {2 * PAGE_SIZE + 5}" in first.text and 'rel="prev"' not in first.html
        second = visitor.at(later[1].replace("&amp;", "&"))
        earlier = re.search(r'rel="prev" href="([^"]+)"', second.html)
        last = re.search(r'rel="next" href="([^"]+)"', second.html)
        assert earlier and last and "status=all" in last[1]
        assert "101–105 of 105" in visitor.at(last[1].replace("&amp;", "&")).text
        assert first.html == visitor.at(earlier[1].replace("&amp;", "&")).html.replace("offset=0", "")


# --- one of them ------------------------------------------------------------------------------------------------------


def test_a_memory_is_shown_with_its_words_where_they_were_said(tmp_path: Path) -> None:
    """Evidence in its transcript, who said it, why it became a memory, and what is linked with it."""
    workplace = Workplace(tmp_path)
    workplace.talk()
    with workplace.open() as lerim:
        list(lerim.sync())
        lerim.graph.refresh()
        found = [kept.record for kept in lerim.memory.select() if kept.record.evidence]
    (record,) = found
    piece = record.evidence[0]
    with dashboard(workplace) as visitor:
        shown = visitor.get(f"/memory/{record.id}")

    assert f"/sessions/{piece.agent}/{piece.run_id}#L{piece.first_line}" in shown.html
    assert re.search(rf"<mark>{re.escape(PNPM[:20])}", shown.html), "marked among the lines around it"
    assert "Understood, pnpm it is." in shown.text
    assert "Why it is a memory" in shown.text and "the user's words" in shown.text
    assert "Linked with" in shown.text and "the session in which it was said" in shown.text
    require_sound(shown)


def test_to_look_at_one_is_to_use_it_unless_nothing_may_be_written(workplace: Workplace, visitor: Visitor) -> None:
    kept = workplace.add("Read the changelog before an upgrade")
    with dashboard(workplace, is_read_only=True) as reader:
        reader.get(f"/memory/{kept.record.id}")
    assert record_of(workplace, kept.record.id).last_used is None

    visitor.get(f"/memory/{kept.record.id}")

    record = record_of(workplace, kept.record.id)
    assert record.uses == 1 and record.last_used is not None and record.version == kept.record.version


def test_quotes_of_a_session_that_is_gone_are_still_shown(workplace: Workplace, visitor: Visitor) -> None:
    evidence = Evidence("claude", "gone <b>", 3, 4, "we <em>always</em> squash", Trust.USER)
    one = workplace.add("Squash before merging", evidence=(evidence,), source="sync").record

    shown = visitor.get(f"/memory/{one.id}")

    assert "we <em>always</em> squash" in shown.text and "the session itself is gone" in shown.text
    assert "/sessions/claude/gone%20%3Cb%3E#L3" in shown.html
    require_sound(shown)


def test_an_unknown_memory_is_said_and_a_beginning_is_enough(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Say it once").record

    missing = visitor.get("/memory/dec-nothere")

    assert 404 == missing.code and "no record 'dec-nothere'" in missing.text
    assert "Say it once" in visitor.get(f"/memory/{one.id[:12]}").text


def test_what_is_written_into_a_file_is_on_the_next_page(workplace: Workplace, visitor: Visitor) -> None:
    """A small memory is looked at each time, a large one now and then, and by whoever changes something always."""
    one = workplace.add("Name it once").record
    assert "Name it once" in visitor.get(f"/memory/{one.id}").text
    with workplace.open() as lerim:
        path = lerim.memory.find(one.id).path
    assert path
    path.write_text(path.read_text().replace("Name it once", "Name it twice"))

    until(lambda: "Name it twice" in visitor.get(f"/memory/{one.id}").text)
    path.write_text(path.read_text().replace("Name it twice", "Name it thrice"))
    assert "Name it thrice" in visitor.post(f"/memory/{one.id}/archive").text


# --- changing ---------------------------------------------------------------------------------------------------------


def typed(record: Record, **fields: str) -> dict[str, str]:
    """The form as a browser sends it back."""
    return {
        "title": record.title,
        "body": record.body.replace("\n", "\r\n"),
        "kind": str(record.kind or record.primitive),
        "tags": ", ".join(record.tags),
        "confidence": f"{record.confidence:g}",
        "reason": "",
        "base": str(record.version),
        **fields,
    }


def test_an_edit_is_a_version_that_can_be_taken_back(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Use Kafka", "For now.\n\nLater we see.", tags=("queue",), confidence=0.7).record
    form = visitor.get(f"/memory/{one.id}/edit")
    assert 'name="base" value="1"' in form.html and "For now." in form.html
    require_sound(form)

    new = {"title": "Use NATS", "body": "Smaller.\r\n\r\nLater we see.", "tags": "Queue, Infra", "confidence": "0.9"}
    shown = visitor.post(f"/memory/{one.id}/edit", **typed(one, **new, reason="measured it"))

    now = record_of(workplace, one.id)
    assert ("Use NATS", "Smaller.\n\nLater we see.", 0.9, 2) == (now.title, now.body, now.confidence, now.version)
    assert ("queue", "infra") == now.tags
    assert "Saved." in shown.text and "measured it" in shown.text
    assert "<del>-For now.</del><ins>+Smaller.</ins>" in shown.html, "what changed, line by line"
    require_sound(shown)

    assert "Undone: measured it." in undo(visitor, shown).text
    assert ("Use Kafka", one.body) == (record_of(workplace, one.id).title, record_of(workplace, one.id).body)


def test_a_form_that_says_nothing_new_changes_nothing(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Leave it", "As\nit is", primitive=Primitive.LEARNING, kind=Kind.INSIGHT).record

    assert "Nothing was changed" in visitor.post(f"/memory/{one.id}/edit", **typed(one)).text
    assert 1 == record_of(workplace, one.id).version


def test_of_two_who_edit_at_once_neither_loses_a_word(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Cache in Redis", "Ours.", tags=("cache",)).record
    with workplace.open() as lerim:
        lerim.memory.revise(
            lerim.memory.find(one.id), reason="elsewhere", title="Cache in Valkey", tags=("cache", "ops")
        )

    late = visitor.post(f"/memory/{one.id}/edit", **typed(one, body="Mine <b>and</b> long.", confidence="0.95"))

    assert 409 == late.code and "Somebody else changed it meanwhile" in late.text
    assert "Cache in Valkey" in record_of(workplace, one.id).title, "theirs stands"
    assert "Mine &lt;b&gt;and&lt;/b&gt; long." in late.html, "mine is still in the form"
    assert 'value="Cache in Valkey"' in late.html, "what I had not touched is theirs"
    assert "<del>-Ours.</del>" in late.html and 'name="base" value="2"' in late.html
    require_sound(late)

    base = record_of(workplace, one.id)
    shown = visitor.post(f"/memory/{one.id}/edit", **typed(base, body="Mine <b>and</b> long.", confidence="0.95"))
    now = record_of(workplace, one.id)
    assert "Saved." in shown.text
    assert ("Cache in Valkey", "Mine <b>and</b> long.", ("cache", "ops")) == (now.title, now.body, now.tags)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"title": " "}, "title: is empty"),
        ({"title": "x" * 201}, "at most 200"),
        ({"confidence": "very"}, "'very' is not a number"),
        ({"confidence": "7"}, "not between 0.0 and 1.0"),
        ({"base": ""}, "which version it began with"),
        ({"base": "77"}, "has no version 77"),
        ({"tags": "a," + "b" * 99}, "at most 64"),
    ],
)
def test_what_cannot_be_saved_is_said_and_nothing_typed_is_lost(
    workplace: Workplace, visitor: Visitor, fields: dict[str, str], said: str
) -> None:
    one = workplace.add("Stay as you are").record

    shown = visitor.post(f"/memory/{one.id}/edit", **typed(one, **{"body": "my words", **fields}))

    assert 400 == shown.code and said in shown.text and "my words" in shown.html
    assert 1 == record_of(workplace, one.id).version
    require_sound(shown)


def test_what_looks_like_a_secret_is_masked_and_said_so(workplace: Workplace, visitor: Visitor) -> None:
    form = {
        "title": "Deploy with a token",
        "body": f"It is {SECRET}",
        "kind": "decision",
        "tags": "",
        "confidence": "1",
    }

    shown = visitor.post("/memory/new", **form)
    kept = visitor.post("/memory/new", **form, allow_secret="1")

    assert SECRET not in shown.html and "looks like a secret" in shown.text and "was masked" in shown.text
    assert SECRET in kept.html and "was masked" not in kept.text


def test_one_can_be_added_and_that_taken_back(workplace: Workplace, visitor: Visitor) -> None:
    blank = visitor.get("/memory/new")
    assert "Add a memory" in blank.text
    require_sound(blank)

    wrong = visitor.post("/memory/new", title="", body="long words", kind="pitfall", confidence="0.8")
    assert 400 == wrong.code and "long words" in wrong.html and "title: is empty" in wrong.text
    shown = visitor.post(
        "/memory/new", title="Never rebase main", body="- twice\n- hurt", kind="pitfall", tags="git", confidence="0.8"
    )

    assert "Remembered." in shown.text and "<li>twice</li>" in shown.html
    with workplace.open() as lerim:
        (one,) = [kept.record for kept in lerim.memory.select() if kept.record.title == "Never rebase main"]
    assert (Primitive.LEARNING, Kind.PITFALL, "manual") == (one.primitive, one.kind, one.source)
    undo(visitor, shown)
    assert Status.ARCHIVED is record_of(workplace, one.id).status


def test_one_is_archived_restored_replaced_and_judged(workplace: Workplace, visitor: Visitor) -> None:
    one, other = workplace.add("Use tabs").record, workplace.add("Use spaces, four of them").record

    shown = visitor.post(f"/memory/{one.id}/archive", reason="out of fashion")
    assert "Archived." in shown.text and "out of fashion" in shown.text
    assert Status.ARCHIVED is record_of(workplace, one.id).status
    again = visitor.post(f"/memory/{one.id}/archive")
    assert 409 == again.code and "is archived already" in again.text
    assert "Restored" in visitor.post(f"/memory/{one.id}/restore").text

    before = record_of(workplace, one.id).confidence
    assert "Noted as useful" in visitor.post(f"/memory/{one.id}/useful").text
    assert record_of(workplace, one.id).confidence > before
    assert "Noted as wrong" in visitor.post(f"/memory/{one.id}/wrong", reason="it is not").text
    assert record_of(workplace, one.id).confidence < before

    replaced = visitor.post(f"/memory/{one.id}/supersede", by=other.id)
    assert "Replaced by “Use spaces, four of them”" in replaced.text and "No longer current" in replaced.text
    assert Status.SUPERSEDED is record_of(workplace, one.id).status
    undo(visitor, replaced)
    outdated = visitor.post(f"/memory/{one.id}/outdated")
    assert "Noted as outdated" in outdated.text and Status.ARCHIVED is record_of(workplace, one.id).status
    for page in (shown, replaced, outdated):
        require_sound(page)


def test_what_was_changed_again_is_not_taken_back(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Count from zero").record
    shown = visitor.post(f"/memory/{one.id}/edit", **typed(one, title="Count from one"))
    with workplace.open() as lerim:
        lerim.memory.revise(lerim.memory.find(one.id), reason="elsewhere", title="Count from two")

    late = undo(visitor, shown)

    assert "changed again later" in late.text and "Count from two" == record_of(workplace, one.id).title


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/archive", {}), ("/edit", {"title": "x", "base": "1"}), ("/useful", {}), ("/supersede", {"by": "dec-x"})],
)
def test_a_form_without_our_token_changes_nothing(
    workplace: Workplace, visitor: Visitor, path: str, fields: dict[str, str]
) -> None:
    one = workplace.add("Only forms of ours").record

    for token in ("", "f" * 64):
        assert visitor.send(f"/memory/{one.id}{path}", **fields, form_token=token).code in (400, 403)
    assert 1 == record_of(workplace, one.id).version


def test_what_nobody_can_do_is_said(workplace: Workplace, visitor: Visitor) -> None:
    one = workplace.add("Do not launder").record

    assert 404 == visitor.post(f"/memory/{one.id}/launder").code
    assert 400 == visitor.post("/memory/undo", change="the last").code
    assert 404 == visitor.post("/memory/undo", change="99999").code
    assert 404 == visitor.post(f"/memory/{one.id}/supersede", by="dec-nothere").code
