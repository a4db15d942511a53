"""A browser gets in by a link that works once, and keeps nothing that a page could read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from .conftest import Browse
from .driver import Page, expect
from .served import PATIENCE, Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def stranger(chromium: Browser) -> Iterator[Page]:
    """A browser that was never here."""
    context = chromium.new_context()
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


def test_a_link_lets_one_browser_in_once(chromium: Browser, example: Served, stranger: Page) -> None:
    link = example.login()
    stranger.goto(link)
    expect(stranger).to_have_url(example.at("/"))
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Today")

    another = chromium.new_context().new_page()
    answer = another.goto(link)

    assert answer and answer.status == 401
    expect(another.get_by_role("heading", level=1)).to_contain_text("used, or is too old")
    expect(another.locator("main")).to_contain_text("lerim dashboard")
    another.context.close()


@pytest.mark.drill
def test_a_link_on_another_page_lets_a_browser_in(example: Served, stranger: Page) -> None:
    """A cookie that other pages cannot send is not sent where they lead, either; one gets in all the same."""
    stranger.goto(f"data:text/html,<a href='{example.login()}'>my dashboard</a>")

    stranger.get_by_role("link").click()

    expect(stranger).to_have_url(example.at("/"))
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Today")


@pytest.mark.drill
def test_who_is_not_logged_in_is_told_what_to_type(example: Served, stranger: Page) -> None:
    answer = stranger.goto(example.at("/memory"))

    assert answer and answer.status == 401
    expect(stranger.locator("body")).to_contain_text("lerim dashboard")


@pytest.mark.drill
def test_no_script_can_read_the_login(page: Page, example: Served) -> None:
    assert page.evaluate("() => document.cookie") == ""
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert example.token not in page.content()


@pytest.mark.drill
def test_a_form_of_another_page_changes_nothing(browse: Browse, example: Served) -> None:
    """It comes without the cookie: the browser keeps that for itself."""
    kept = example.machine.add("Forms of others change nothing", "As it was.")
    path = example.at(f"/memory/{kept.record.id}/archive")
    form = f"<form method=post action='{path}'><input name=reason value=x><button>Win a prize</button></form>"
    page = browse(example, allowed=(401, 403))
    page.goto(f"data:text/html,{form}")

    with page.expect_navigation():
        page.get_by_role("button").click()

    assert example.machine.record(kept.record.id).status == "active"
