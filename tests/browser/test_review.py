"""Review: one candidate after the other, by keys, until none waits."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from . import install, served
from .conftest import Browse
from .driver import Page, expect
from .served import Served


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An example project of its own for who empties the queue."""
    if reason := install.missing():
        pytest.skip(reason)
    with served.serving(served.example(tmp_path_factory.mktemp("review"))) as it:
        yield it


@pytest.mark.drill
def test_candidates_are_decided_by_keys_and_the_queue_shrinks(browse: Browse, example: Served) -> None:
    """`a` accepts, `r` rejects, `e` edits first; each shows the next, and says what became of the one before."""
    page = browse(example, "/review")
    left, title = page.locator("#left"), page.locator("#candidate")
    count = len(example.machine.json("review"))
    expect(left).to_have_text(f"{count} left")

    accepted = decide(page, "a")
    expect(left).to_have_text(f"{count - 1} left")
    expect(page.locator(".flash")).to_contain_text("Accepted")
    rejected = decide(page, "r")
    expect(left).to_have_text(f"{count - 2} left")
    expect(page.locator(".flash")).to_contain_text("Rejected")
    expect(title).not_to_have_text(rejected)
    page.keyboard.press("e")
    box = page.get_by_label("Title")
    expect(box).to_be_focused()
    box.fill("As somebody edited it: are keys typed here, too")
    page.get_by_role("button", name="Accept as edited").click()
    expect(left).to_have_text(f"{count - 3} left")

    titles = [one["title"] for one in example.machine.json("memory", "list")]
    assert "As somebody edited it: are keys typed here, too" in titles
    assert len(example.machine.json("review")) == count - 3
    assert any(same(one, accepted) for one in titles)
    assert not any(same(one, rejected) for one in titles)
    page.locator(".flash").get_by_role("button", name="Undo").click()
    expect(page.locator(".flash")).to_contain_text("Undone")


@pytest.mark.drill
def test_a_queue_that_is_empty_says_so(browse: Browse, waiting: Served) -> None:
    """Every button does what its key does, and after the last one there is nothing left."""
    page = browse(waiting, "/review")
    for _ in waiting.machine.json("review"):
        before = page.locator("#left").inner_text()
        page.get_by_role("button", name=re.compile("^Reject")).first.click()
        expect(page.locator("#left")).not_to_have_text(before)

    expect(page.locator("main")).to_contain_text("Nothing waits for you")


def decide(page: Page, key: str) -> str:
    """Press a key, and wait for the next candidate; the title of the one that was decided.

    The last thing that a page's script does is to give the candidate the focus: from then on the next key is heard.
    """
    candidate = page.locator("#candidate")
    title = candidate.inner_text()
    page.keyboard.press(key)
    expect(candidate).not_to_have_text(title)
    expect(candidate).to_be_focused()
    return title


def same(one: str, other: str) -> bool:
    """Whether two titles are the same, drawn or not: a page shows no marks of code."""
    return one.replace("`", "") == other.replace("`", "")
