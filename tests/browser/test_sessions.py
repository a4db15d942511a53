"""From a memory to the very line it was learned from, and what else its session says."""

from __future__ import annotations

import re

import pytest

from .driver import Page, expect
from .served import Served

TAUGHT = "Store and compare all times in UTC"


@pytest.mark.drill
def test_evidence_leads_to_its_line_in_the_transcript(page: Page, example: Served) -> None:
    """The line is in sight, the words are marked, and it says which memory rests on it."""
    (found,) = [one for one in example.machine.json("memory", "list") if one["title"].startswith(TAUGHT)]
    first = found["evidence"][0]
    page.goto(example.at(f"/memory/{found['id']}"))

    page.locator(f"main a[href$='#L{first['first_line']}']").first.click()

    expect(page).to_have_url(re.compile(rf"#L{first['first_line']}$"))
    line = page.locator(f"#L{first['first_line']}")
    expect(line).to_be_in_viewport()
    expect(line.locator("mark").first).to_be_visible()
    expect(line).to_contain_text(TAUGHT.lower()[:20], ignore_case=True)
    expect(line.get_by_role("link", name=re.compile(TAUGHT))).to_be_visible()


@pytest.mark.drill
def test_a_session_says_what_it_taught_and_what_was_turned_down(page: Page, example: Served) -> None:
    page.goto(example.at("/sessions"))
    page.get_by_role("link", name=re.compile("Postgres|price rules", re.I)).first.click()

    expect(page.get_by_role("heading", name="What it taught")).to_be_visible()
    expect(page.get_by_role("heading", name="Transcript")).to_be_visible()
    expect(page.get_by_role("article").first).to_be_visible()
    page.locator("summary", has_text="why it is no memory").click()
    expect(page.locator("#rejected li").first).to_be_visible()


@pytest.mark.drill
def test_sessions_are_filtered_by_agent(page: Page, example: Served) -> None:
    page.goto(example.at("/sessions"))
    rows = page.locator("main tbody tr")
    expect(rows).to_have_count(6)

    page.get_by_label("Agent").select_option("codex")
    page.get_by_role("button", name="Filter").click()

    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile("agent=codex"))
