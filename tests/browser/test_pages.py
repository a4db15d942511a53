"""Every page opens, on a small memory and on a large one, on a wide screen and on a narrow one, for everybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from .conftest import Browse
from .pages import CLOSELY, PAGES, path_of
from .served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
SCHEMES = ("light", "dark")
#: Whoever comes first waits until so many memories are made.
LONG = pytest.mark.timeout(1800)
_SERIOUS = """
async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
  .filter((one) => ['serious', 'critical'].includes(one.impact))
  .map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 5).join(', ')}`)
"""


@pytest.mark.parametrize("name", CLOSELY)
def test_a_page_of_the_example_opens(browse: Browse, example: Served, name: str) -> None:
    """One heading says where one is, and a narrow screen need not be scrolled sideways."""
    assert_opens(browse(example, path_of(example, name)), [WIDE, NARROW])


@LONG
@pytest.mark.drill
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_a_large_memory_opens(browse: Browse, large: Served, name: str) -> None:
    assert_opens(browse(large, path_of(large, name)), [WIDE, NARROW])


@pytest.mark.parametrize("name", CLOSELY)
def test_nothing_on_a_page_of_the_example_keeps_anybody_out(
    browse: Browse, example: Served, axe: str, name: str
) -> None:
    """Light and dark: axe-core finds nothing serious."""
    assert_accessible(browse(example, path_of(example, name)), axe)


@LONG
@pytest.mark.drill
@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_a_page_of_a_large_memory_keeps_anybody_out(
    browse: Browse, large: Served, axe: str, name: str
) -> None:
    assert_accessible(browse(large, path_of(large, name)), axe)


@pytest.mark.drill
@pytest.mark.parametrize("name", PAGES)
def test_nothing_on_a_narrow_page_keeps_anybody_out(browse: Browse, example: Served, axe: str, name: str) -> None:
    assert_accessible(browse(example, path_of(example, name), viewport=NARROW), axe)


def assert_opens(page: Page, sizes: Iterable[dict[str, int]]) -> None:
    assert page.locator("h1").count() == 1
    assert page.locator("main").count() == 1
    assert page.title().endswith("· Lerim")
    for size in sizes:
        page.set_viewport_size(size)
        across = page.evaluate("() => [document.documentElement.scrollWidth, window.innerWidth]")
        assert across[0] <= across[1], f"{across[0]} pixels wide where {across[1]} are seen"


def assert_accessible(page: Page, axe: str) -> None:
    page.evaluate(axe)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert [] == page.evaluate(_SERIOUS), scheme
