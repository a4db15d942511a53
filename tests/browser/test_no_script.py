"""Everything but the drawing of the graph works in a browser that runs no script."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .conftest import Browse
from .driver import Page, expect
from .pages import PAGES, path_of
from .served import Served

Open = Callable[[str], Page]


@pytest.fixture
def plain(browse: Browse, example: Served) -> Open:
    return lambda path: browse(example, path, java_script_enabled=False)


@pytest.mark.drill
def test_every_page_opens_without_script(plain: Open, example: Served) -> None:
    """By the menu and by address."""
    page = plain("/")
    for name in PAGES:
        page.goto(example.at(path_of(example, name)))
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        expect(page.get_by_role("navigation", name="Pages", exact=True)).to_be_visible()
    page.goto(example.at("/graph"))
    expect(page.locator("main table")).to_contain_text("Use Celery with Redis")


@pytest.mark.drill
def test_memories_are_found_and_changed_without_script(plain: Open, example: Served) -> None:
    kept = example.machine.add("Keep quokkas out of the build", "They eat the cables.")
    page = plain("/memory")
    page.locator("#search").fill("quokkas")
    page.locator("#search").press("Enter")
    page.locator("#results").get_by_role("link", name="quokkas").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Title").fill("Keep quokkas near the build")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Keep quokkas near the build")

    page.locator(".flash").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Keep quokkas out of the build")
    page.locator("summary", has_text="Archive").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".flash")).to_contain_text("Archived")
    page.get_by_role("button", name="Restore").click()
    expect(page.locator(".flash")).to_contain_text("Restored")

    assert example.machine.record(kept.record.id).status == "active"


@pytest.mark.drill
def test_a_candidate_can_be_edited_and_left_without_script(plain: Open) -> None:
    """The form is there, closed by hand alone; nobody decides here, since others look at the same queue."""
    page = plain("/review")
    page.locator("summary", has_text="Edit, then accept").click()

    expect(page.get_by_label("Title")).to_be_visible()
    expect(page.get_by_role("button", name="Accept as edited")).to_be_visible()
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page).to_have_url(re.compile("at="))
