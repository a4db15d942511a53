"""Factory Droid: one golden folder per quirk, and what a folder of files cannot say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.droid import SOURCE

GOLDEN = Path(__file__).parent / "droid"


@pytest.mark.parametrize("quirk", ["tools", "stream_json"])
def test_reads_the_quirk_as_expected(golden: Callable[..., list[Account]], quirk: str) -> None:
    """Every folder gives its expected trace, with every record accounted for."""
    golden(SOURCE, GOLDEN / quirk)


def test_reads_a_session_with_its_settings(golden: Callable[..., list[Account]]) -> None:
    """Words and reminders are kept apart; the model and the tokens come from the file beside the session."""
    (account,) = golden(SOURCE, GOLDEN / "reminders", root=GOLDEN / "reminders" / "sessions")

    assert (110, 20) == (account.input_tokens, account.output_tokens)
    assert {"session_start": 1, "todo_state": 1, "session_end": 1} == account.skipped


def test_damage_and_the_unknown_are_counted() -> None:
    """A bad line keeps its number, a new record type its name."""
    reading = SOURCE.read(SessionRef("droid", GOLDEN / "tools" / "session.jsonl", "session"))
    list(reading.lines)

    assert [14] == [trouble.line for trouble in reading.account.bad]
    assert 1 == reading.account.skipped["unknown: holo-gram"]


def test_lives_in_the_home_folder(tmp_path: Path) -> None:
    """Sessions lie in a folder per directory or, from the first versions, side by side."""
    root = tmp_path / ".factory" / "sessions"
    (root / "-w-shop").mkdir(parents=True)
    for name in ("old.jsonl", "-w-shop/new.jsonl", "-w-shop/new.settings.json"):
        (root / name).write_text("{}\n")

    assert [root] == SOURCE.roots(Machine(tmp_path, {}))
    assert ["new", "old"] == [ref.run_id for found in SOURCE.containers(root) for ref in SOURCE.sessions(found)]


def test_accepts_its_own_formats_only(tmp_path: Path) -> None:
    """Both formats are known by their content."""
    stranger = tmp_path / "loose.jsonl"
    stranger.write_text('{"type":"system","subtype":"init","session_id":"s","cwd":"/w"}\n{"type":["odd"]}\n')

    assert SOURCE.accepts(GOLDEN / "tools" / "session.jsonl")
    assert SOURCE.accepts(GOLDEN / "stream_json" / "run.jsonl")
    assert not SOURCE.accepts(stranger)
    assert not SOURCE.accepts(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("content", [None, "not json\n"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, content: str | None) -> None:
    """The file is named, whether it is missing or no trace at all."""
    path = tmp_path / "gone.jsonl"
    if content:
        path.write_text(content)

    with pytest.raises(SourceError, match=r"gone\.jsonl"):
        SOURCE.read(SessionRef("droid", path, "gone"))
