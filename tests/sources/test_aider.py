"""Aider's chat history becomes one trace per session, in which only what the user typed is the user's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, timedelta, timezone
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.aider import FILE_NAME, AiderSource
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.pieces import container
from lerim.sources.trace import Line, User, Via

HERE = Path(__file__).parent / "aider"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())
SOURCE = AiderSource(UTC)


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_history_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical traces beside it, one after the other."""
    path = HERE / quirk / "chat.md"

    golden(SOURCE, HERE / quirk, *_refs(path))


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_growing_history_only_adds_lines(quirk: str, tmp_path: Path) -> None:
    """Lines keep their places; only the last one may still get longer, while its block is being written."""
    whole = HERE / quirk / "chat.md"
    expected = {ref.run_id: list(SOURCE.read(ref).lines) for ref in _refs(whole)}
    texts = whole.read_bytes().splitlines(keepends=True)

    for count in range(1, len(texts) + 1):
        live = tmp_path / "chat.md"
        live.write_bytes(b"".join(texts[:count]))
        for ref in _refs(live):
            *lines, last = list(SOURCE.read(ref).lines) or [None]
            assert expected[ref.run_id][: len(lines)] == lines
            assert last is None or expected[ref.run_id][len(lines)].text.startswith(last.text)


def test_a_moved_repository_keeps_its_sessions(tmp_path: Path) -> None:
    """Ids are made of times, not of paths; what is added later changes neither them nor the finished sessions."""
    before = tmp_path / "before.md"
    after = tmp_path / "moved" / FILE_NAME
    after.parent.mkdir()
    shutil.copy(HERE / "sessions" / "chat.md", before)
    shutil.copy(before, after)
    with after.open("a") as file:
        file.write("\n# aider chat started at 2026-03-06 08:00:00\n\n#### more  \n")

    old, new = _refs(before), _refs(after)

    assert [(ref.run_id, ref.fingerprint) for ref in old[:-1]] == [(ref.run_id, ref.fingerprint) for ref in new[:-2]]
    assert len(new) == len({ref.run_id for ref in new})


def test_a_history_in_a_repository_tells_the_directory(tmp_path: Path) -> None:
    """Aider writes into the root of the repository, so that is where the session worked."""
    path = tmp_path / FILE_NAME
    path.write_text("# aider chat started at 2026-03-04 10:00:00\n")

    (ref,) = [ref for found in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(found)]

    assert str(tmp_path) == SOURCE.read(ref).header.cwd
    assert [] == list(SOURCE.read(ref).lines)
    assert [] == list(SOURCE.containers(tmp_path / "nowhere"))


def test_times_are_of_the_machine_that_reads() -> None:
    """The file does not name its zone."""
    (ref,) = _refs(HERE / "turns" / "chat.md")
    east = AiderSource(timezone(timedelta(hours=2)))

    assert "2026-03-04T10:00:00Z" == SOURCE.read(ref).header.started
    assert "2026-03-04T08:00:00Z" == east.read(ref).header.started


def test_commands_are_the_users_and_consoles_are_not() -> None:
    """A slash command is the user's, what it printed is nobody's words."""
    (ref,) = _refs(HERE / "turns" / "chat.md")
    users = [line for line in SOURCE.read(ref).lines if isinstance(line, User)]

    assert ["/run pytest -q", "/undo"] == [line.text for line in users if line.via is Via.COMMAND]
    assert ["rename total to amount\nin all of src,\n\nbut not in the tests", "fix it"] == [
        line.text for line in users if line.via is Via.TYPED
    ]


def test_tokens_are_summed() -> None:
    """Aider rounds them, so the sum is rough."""
    (ref,) = _refs(HERE / "turns" / "chat.md")
    reading = SOURCE.read(ref)
    list(reading.lines)

    assert (2_412, 3_000_091) == (reading.account.input_tokens, reading.account.output_tokens)


def test_the_history_file_can_be_moved(tmp_path: Path) -> None:
    """AIDER_CHAT_HISTORY_FILE names a file; a root may be that file. A relative name is the repositories' affair."""
    moved = tmp_path / "chats.md"
    moved.write_text("# aider chat started at 2026-03-04 10:00:00\n")
    roots = SOURCE.roots(Machine(tmp_path, {"AIDER_CHAT_HISTORY_FILE": str(moved)}))

    assert [moved, tmp_path] == roots
    assert [moved] == [found.path for root in roots for found in SOURCE.containers(root)]
    assert [tmp_path] == SOURCE.roots(Machine(tmp_path, {"AIDER_CHAT_HISTORY_FILE": "chats.md"}))


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied history is called, its first lines tell that it is Aider's."""
    loose = tmp_path / "full.jsonl"
    shutil.copy(HERE / quirk / "chat.md", loose)

    assert SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.md")
    assert not SOURCE.accepts(Path(__file__))


def test_damage_costs_nothing_but_itself(tmp_path: Path) -> None:
    """Bytes that are no text, and a line without an end, leave the rest readable."""
    path = tmp_path / "chat.md"
    start = b"# aider chat started at 2026-03-04 10:00:00\r\n\r\n"
    path.write_bytes(start + b"#### caf\xe9 \x00ok  \r\n\r\nYes.\r\n" + b"x" * 3_000_000)

    lines = _lines(path)

    assert ["caf\ufffd ok"] == [line.text for line in lines if isinstance(line, User)]
    assert lines[-1].text.startswith("Yes.\nxxx")


def test_a_session_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """The error says in which file it was looked for."""
    with pytest.raises(SourceError, match=r"chat\.md"):
        SOURCE.read(SessionRef("aider", tmp_path / "chat.md", "x"))
    with pytest.raises(SourceError, match="no session x in"):
        SOURCE.read(SessionRef("aider", HERE / "turns" / "chat.md", "x"))


def _refs(path: Path) -> list[SessionRef]:
    return [ref for found in container(SOURCE.name, path) for ref in SOURCE.sessions(found)]


def _lines(path: Path) -> list[Line]:
    return [line for ref in _refs(path) for line in SOURCE.read(ref).lines]
