"""Who has no mouse gets everywhere, and sees where they are."""

from __future__ import annotations

import re

import pytest

from lerim.serve.pages.shell import NAV

from .driver import Page, TooLate, expect
from .served import Served

MENU = {one.key: one.path for one in NAV}


@pytest.mark.drill
def test_g_and_a_letter_lead_to_a_page(page: Page, example: Served) -> None:
    go(page, "m", example.at("/memory"))
    go(page, "t", example.at("/"))


@pytest.mark.drill
def test_g_and_a_letter_lead_to_every_page(page: Page, example: Served) -> None:
    for key, path in MENU.items():
        go(page, key, example.at(path))


@pytest.mark.drill
def test_a_slash_leads_to_the_search_and_is_not_typed(page: Page) -> None:
    page.keyboard.press("/")

    box = page.get_by_role("searchbox").first
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("g m / ?")
    expect(box).to_have_value("g m / ?")


@pytest.mark.drill
def test_a_question_mark_shows_the_keys_and_escape_takes_them_away(page: Page) -> None:
    help_ = page.get_by_role("dialog")
    page.keyboard.press("?")
    expect(help_).to_be_visible()
    expect(help_).to_contain_text("Review")

    page.keyboard.press("Escape")

    expect(help_).to_be_hidden()


@pytest.mark.drill
def test_the_first_tab_skips_the_menu(page: Page) -> None:
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("#main")).to_be_focused()


@pytest.mark.drill
def test_whatever_has_the_focus_is_seen_to_have_it(page: Page, example: Served) -> None:
    """Through all of a page by Tab: each stop differs from how it looks without the focus."""
    page.goto(example.at("/memory"))
    seen, bare = [], []
    for _ in range(40):
        page.keyboard.press("Tab")
        name, is_marked = page.evaluate(_FOCUSED)
        if name == "body":
            break
        seen.append(name)
        if not is_marked:
            bare.append(name)

    assert len(seen) > 10
    assert [] == bare


_FOCUSED = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return ["body", true];
  const style = getComputedStyle(one);
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const name = (one.textContent || one.name || "").trim().slice(0, 30);
  return [one.tagName + " " + name, outlined || style.boxShadow !== "none"];
}
"""


def go(page: Page, key: str, url: str) -> None:
    """Press `g` and a letter. Again where the machine was so slow that the page no longer waited for the letter."""
    for _ in range(10):
        page.keyboard.press("g")
        page.keyboard.press(key)
        try:
            page.wait_for_url(re.compile(re.escape(url) + "$"), timeout=6_000)
        except TooLate:
            continue
        return
    raise AssertionError(f"{key} leads to {page.url}")
