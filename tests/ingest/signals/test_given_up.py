"""What was tried and given up does not wait as what holds; why it did not work does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lerim.context.records import Kind
from lerim.ingest.extract import extract
from lerim.ingest.findings import Candidate
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.signals.given_up import names_in
from lerim.ingest.transcript import Transcript

Talk = Callable[..., Transcript]

_WORK = "please make the scale of the fish market answer faster, it is used by forty stands each morning. " * 9
_IDEA = (
    "**Yes — the label printer has the same trap.** `printer.send(line)` in `print_label.py` is called once per line, "
    "the same shape as the old scale reader, and it must never be called that often because each call waits."
)


def _found(talk: Talk, *said: tuple[str, str]) -> list[Candidate]:
    found = extract(talk(("user", _WORK), ("agent", "Done."), *said), EmbeddedEngine())
    return [*found.candidates, *found.review]


@pytest.mark.parametrize(
    ("complaint", "answer"),
    [
        (
            "the labels are broken now, nothing comes out at all",
            "Reverted, your old labels are back.\n\nThe cause is on my side: `printer.send(page)` blocks until the "
            "paper "
            "is cut, and the cutter waits for the next line. I won't retry it without the manual.",
        ),
        (
            "now the printer hangs after the first label",
            "I rolled it back.\n\n`printer.send(page)` keeps the port open because the driver never gets an end of "
            "page.",
        ),
        (
            "no, that is wrong, undo it",
            "I've reverted it.\n\n- `printer.send(page)` does not flush, so the last label stays in the driver.",
        ),
    ],
)
def test_the_reason_for_giving_it_up_is_a_pitfall_and_the_idea_is_gone(talk: Talk, complaint: str, answer: str) -> None:
    said = (("user", "is there more of that kind?"), ("agent", _IDEA), ("user", "yes do it"), ("tool", "ok"))
    found = _found(talk, *said, ("agent", "Changed."), ("user", complaint), ("tool", "ok"), ("agent", answer))

    assert not [one for one in found if one.quotes[0].text in _IDEA]
    (lesson,) = [one for one in found if one.title.startswith("Tried and given up: ")]
    assert "printer.send(page)" in lesson.title
    assert lesson.kind is Kind.PITFALL


def test_what_was_not_given_up_stays(talk: Talk) -> None:
    said = (("user", "is there more of that kind?"), ("agent", _IDEA), ("user", "yes do it"), ("tool", "ok"))
    found = _found(talk, *said, ("agent", "Changed. I reverted the test fault byte by byte."), ("user", "great"))

    assert [one for one in found if one.quotes[0].text in _IDEA]
    assert not [one for one in found if one.title.startswith("Tried and given up")]


def test_code_is_called_the_same_whatever_stands_in_its_brackets() -> None:
    assert names_in("`scale.read(1)` in a loop") == names_in("not `scale.read(4096)` then")
    assert "print_label.py" in names_in("it stands in print_label.py")
    assert not names_in("it stands in the shop")
