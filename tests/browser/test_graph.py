"""The graph can be explored: a node, a search, a filter, and how it stood some time ago."""

from __future__ import annotations

import pytest

from .driver import Page, expect, until
from .served import Served

#: The middle of something that is drawn as a filled shape: lines and letters are thinner. It looks at a copy: a browser
#: warns of a canvas that is read again and again, and this one is read until something is drawn.
_NODE = """
(canvas) => {
  const across = 6, ratio = canvas.width / canvas.clientWidth;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const pixel = (x, y) => { const at = 4 * (y * canvas.width + x); return data.slice(at, at + 4).join(); };
  const cells = Array.from({ length: across * across }, (_, at) => [at % across, Math.floor(at / across)]);
  const blank = pixel(0, 0);
  for (let y = 80; y < canvas.height - across; y += 2) for (let x = 0; x < canvas.width - across; x += 2) {
    const first = pixel(x, y);
    if (first === blank || first.endsWith(",0")) continue;
    if (!cells.every(([i, j]) => pixel(x + i, y + j) === first)) continue;
    return [(x + across / 2) / ratio, (y + across / 2) / ratio];
  }
  return null;
}
"""


@pytest.fixture
def graph(page: Page, example: Served) -> Page:
    page.goto(example.at("/graph"))
    return page


@pytest.mark.drill
def test_a_node_that_is_clicked_tells_what_it_is(graph: Page) -> None:
    detail = graph.locator("#detail")

    click_a_node(graph)

    expect(detail.locator("#title")).not_to_be_empty()
    title = detail.locator("#title").inner_text()
    detail.get_by_role("link", name="Open").click()
    expect(graph.get_by_role("heading", level=1)).to_have_text(title)


@pytest.mark.drill
def test_a_memory_is_found_in_the_graph(graph: Page) -> None:
    # Nothing is found before the graph is there.
    until(graph, lambda: graph.locator("#canvas").evaluate(_NODE) is not None)
    graph.get_by_label("Find in the graph").press_sequentially("celery")

    found = graph.locator("#found")
    expect(found).to_contain_text("Drop Celery")
    found.get_by_text("Drop Celery").click()

    expect(graph.locator("#detail #title")).to_contain_text("Drop Celery")
    expect(graph.locator("#detail #links")).to_contain_text("Use Celery with Redis")


@pytest.mark.drill
def test_a_kind_of_link_is_taken_out_and_put_back(graph: Page) -> None:
    kind = graph.locator("#kinds").get_by_role("button", name="is evidence for")
    expect(kind).to_have_attribute("aria-pressed", "true")
    before = picture(graph)

    kind.click()

    expect(kind).to_have_attribute("aria-pressed", "false")
    until(graph, lambda: picture(graph) != before)
    kind.click()
    expect(kind).to_have_attribute("aria-pressed", "true")


@pytest.mark.drill
def test_the_slider_shows_the_graph_as_it_stood(graph: Page) -> None:
    """At the beginning there was less; at the end it is now again."""
    graph.locator("#time").focus()

    def is_back() -> bool:
        graph.keyboard.press("End")
        graph.keyboard.press("Home")
        return graph.locator("#when").text_content() != "now"

    until(graph, is_back)
    graph.keyboard.press("End")

    expect(graph.locator("#when")).to_have_text("now")


@pytest.mark.drill
def test_the_list_below_says_the_same(graph: Page) -> None:
    graph.locator("main td a[href*='around=']").first.click()

    expect(graph.get_by_role("heading", level=1)).to_have_text("Graph")
    expect(graph.locator("main")).to_contain_text("Around “")


def click_a_node(page: Page) -> None:
    """Where one is drawn by now; again when it moved away meanwhile."""
    canvas = page.locator("#canvas")

    def clicked() -> bool:
        found = canvas.evaluate(_NODE)
        if found is not None:
            canvas.click(position={"x": found[0], "y": found[1]})
        return page.locator("#detail").is_visible()

    until(page, clicked)


def picture(page: Page) -> str:
    return str(page.locator("#canvas").evaluate("(canvas) => canvas.toDataURL()"))
