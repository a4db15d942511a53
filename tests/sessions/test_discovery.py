"""Looking into containers: as little is read as the source allows."""

from __future__ import annotations

from lerim.sources.base import SessionRef
from lerim.sources.trace import Header


def test_a_header_that_is_known_early_needs_no_reading(laptop) -> None:
    """The first look at thousands of long sessions takes their beginnings only."""

    class EarlyHeaders(type(laptop.agent)):
        def header(self, ref: SessionRef) -> Header:
            return Header(agent=self.name, run_id=ref.run_id, cwd=str(laptop.app), title="early")

    laptop.agent = EarlyHeaders()
    laptop.write("a.log", "hello")

    laptop.discover()

    assert {"a": "pending"} == laptop.states()
    assert "early" == laptop.catalog.find("a").title
    assert [] == laptop.agent.reads
