"""Looking into containers: as little is read as the source allows."""

from __future__ import annotations

from lerim.sources.base import SessionRef
from lerim.sources.trace import Header


def test_a_header_that_can_be_told_is_not_read(desk) -> None:
    """The first look at thousands of long sessions takes their beginnings only."""

    class Teller(type(desk.agent)):
        def header(self, ref: SessionRef) -> Header:
            return Header(agent=self.name, run_id=ref.run_id, cwd=str(desk.app), title="told")

    desk.agent = Teller()
    desk.write("a.log", "hello")

    desk.discover()

    assert {"a": "pending"} == desk.states()
    assert "told" == desk.catalog.find("a").title
    assert [] == desk.agent.reads
