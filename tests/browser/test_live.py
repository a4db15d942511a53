"""What goes on elsewhere is seen as it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from lerim.examples import install as install_examples

from . import install
from .conftest import Browse
from .driver import expect
from .served import Machine, Served, serving

#: Resolved when this page, too, was told how things stand.
_TOLD = """
() => new Promise((done) => {
  const events = new EventSource("/events");
  events.addEventListener("progress", () => { events.close(); done(); });
})
"""


@pytest.fixture(scope="module")
def unread(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A project whose sessions nobody has read yet."""
    if reason := install.missing():
        pytest.skip(reason)
    machine = Machine(tmp_path_factory.mktemp("unread"))
    machine.make()
    machine.lerim("init")
    install_examples(machine.home, machine.project, datetime.now(UTC))
    with serving(machine) as it:
        yield it


@pytest.mark.drill
def test_a_sync_that_somebody_else_starts_is_seen(browse: Browse, unread: Served) -> None:
    """While it reads, or when it was faster than anybody looks; and one click shows what it brought."""
    page = browse(unread)
    live = page.locator("#live")
    expect(live).to_be_hidden()
    page.evaluate(_TOLD)

    with unread.machine.start("sync") as sync:
        expect(live).to_be_visible()
        sync.communicate()

    assert sync.returncode in (0, 3)
    expect(live).to_contain_text("Sessions were read")
    live.get_by_role("link").click()
    expect(page.locator("main")).to_contain_text("Store and compare all times in UTC")
