"""Memory: found while one types, looked at, changed, and changed back."""

from __future__ import annotations

import re

import pytest

from lerim.context.place import Kept

from .conftest import Browse
from .driver import Page, expect
from .served import Served

UTC = "Store and compare all times in UTC and convert only in the API layer"


# --- found ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("UTC API layer", id="words"),
        pytest.param("which time zone do dates have?", id="meaning", marks=pytest.mark.drill),
    ],
)
def test_memories_are_found_while_one_types(page: Page, example: Served, words: str) -> None:
    """By words that are in them, and by a question that has none of them; no key but the letters is pressed."""
    page.goto(example.at("/memory"))

    page.locator("#search").press_sequentially(words)

    results = page.locator("#results")
    expect(results.locator("a.what").first).to_have_text(UTC)
    expect(page.locator("[aria-live], [role=status]").filter(has_text=re.compile(r"\d"))).not_to_have_count(0)


@pytest.mark.drill
def test_a_search_can_be_kept_and_gone_back_to(page: Page, example: Served) -> None:
    """What is typed is in the address: reloaded, it shows the same."""
    page.goto(example.at("/memory"))
    page.locator("#search").press_sequentially("pytest fixtures")
    expect(page).to_have_url(re.compile(r"q=pytest[+%20]+fixtures"))

    page.reload()

    expect(page.locator("#search")).to_have_value("pytest fixtures")
    expect(page.locator("#results a.what").first).to_have_text(re.compile("^Write tests as plain pytest functions"))


@pytest.mark.drill
def test_the_search_of_every_page_leads_to_what_it_finds(page: Page, example: Served) -> None:
    page.goto(example.at("/health"))
    page.locator("#find").fill("celery")
    page.locator("#find").press("Enter")

    expect(page).to_have_url(re.compile("/memory"))
    expect(page.locator("#results")).to_contain_text("Drop Celery")


@pytest.mark.drill
def test_filters_leave_only_what_fits(page: Page, example: Served) -> None:
    page.goto(example.at("/memory"))

    page.goto(example.at("/memory?kind=preference"))

    kinds = page.locator("#results .chip.dot")
    expect(kinds.first).to_be_visible()
    assert {"preference"} == set(kinds.all_inner_texts())


@pytest.mark.drill
def test_words_that_are_nowhere_are_said_to_be(page: Page, example: Served) -> None:
    page.goto(example.at("/memory?q=xylophonequartz&primitive=decision&tag=nosuchtag"))

    expect(page.locator("#results")).to_contain_text(re.compile("no |nothing", re.I))


# --- changed ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(example: Served, request: pytest.FixtureRequest) -> Kept:
    """A memory of this test alone."""
    return example.machine.add(f"Keep the words of {request.node.name}", "First line.\n\nSecond line.")


@pytest.mark.drill
def test_a_memory_is_edited_and_the_change_undone(page: Page, example: Served, kept: Kept) -> None:
    page.goto(example.at(f"/memory/{kept.record.id}"))
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Title").fill("Changed <b>in</b> the browser")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Changed <b>in</b> the browser")
    assert example.machine.record(kept.record.id).title == "Changed <b>in</b> the browser"
    expect(page.locator("main")).to_contain_text(kept.record.title)

    page.locator(".flash").get_by_role("button", name="Undo").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text(kept.record.title)
    assert example.machine.record(kept.record.id).title == kept.record.title


@pytest.mark.drill
def test_two_who_write_at_once_both_keep_their_words(browse: Browse, example: Served, kept: Kept) -> None:
    """The second is told of the first, sees both sides, and can save what they make of them."""
    one, other = browse(example), browse(example, allowed=(409,))
    for page in (one, other):
        page.goto(example.at(f"/memory/{kept.record.id}/edit"))
    one.get_by_label("Reasons and details").fill("What the first one wrote.")
    one.get_by_role("button", name="Save").click()
    expect(one.locator(".flash")).to_contain_text("Saved")

    other.get_by_label("Reasons and details").fill("What the second one wrote.")
    other.get_by_role("button", name="Save").click()

    expect(other.locator("main")).to_contain_text("What the first one wrote.")
    expect(other.get_by_label("Reasons and details")).to_have_value("What the second one wrote.")
    assert example.machine.record(kept.record.id).body == "What the first one wrote."
    other.get_by_role("button", name=re.compile("Save")).click()
    expect(other.locator(".flash")).to_contain_text("Saved")
    assert example.machine.record(kept.record.id).body == "What the second one wrote."
    with example.machine.open() as lerim:
        bodies = [one.record.body for one in lerim.memory.history(lerim.memory.find(kept.record.id))]
    assert [kept.record.body, "What the first one wrote.", "What the second one wrote."] == bodies


@pytest.mark.drill
def test_a_memory_is_archived_and_restored(page: Page, example: Served, kept: Kept) -> None:
    page.goto(example.at(f"/memory/{kept.record.id}"))

    page.locator("summary", has_text="Archive").click()
    page.get_by_role("button", name="Archive").click()

    expect(page.locator(".flash")).to_contain_text("Archived")
    assert example.machine.record(kept.record.id).status == "archived"

    page.get_by_role("button", name="Restore").click()

    expect(page.locator(".flash")).to_contain_text("Restored")
    assert example.machine.record(kept.record.id).status == "active"


@pytest.mark.drill
def test_a_memory_is_said_to_be_useful(page: Page, example: Served, kept: Kept) -> None:
    page.goto(example.at(f"/memory/{kept.record.id}"))

    page.get_by_role("button", name="Useful").click()

    expect(page.locator(".flash")).to_contain_text("useful")


@pytest.mark.drill
def test_a_new_memory_is_written_by_hand(page: Page, example: Served) -> None:
    page.get_by_role("link", name="Add a memory").click()
    page.get_by_label("Title").fill("Name branches after their ticket")
    page.get_by_label("Reasons and details").fill("So that they are found.")
    page.get_by_role("button", name="Remember it").click()

    expect(page.locator(".flash")).to_contain_text("Remembered")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Name branches after their ticket")


@pytest.mark.drill
def test_history_shows_what_each_version_changed(page: Page, example: Served, kept: Kept) -> None:
    with example.machine.open() as lerim:
        lerim.memory.revise(lerim.memory.find(kept.record.id), reason="clearer", body="First line.\n\nThird line.")

    page.goto(example.at(f"/memory/{kept.record.id}"))

    expect(page.locator(".diff ins")).to_contain_text(["Third line."])
    expect(page.locator(".diff del")).to_contain_text(["Second line."])
    expect(page.locator("main")).to_contain_text("clearer")
