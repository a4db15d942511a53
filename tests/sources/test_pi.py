"""pi sessions, a sequence or a tree, become traces in file order."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.pi import SOURCE
from lerim.sources.trace import Line

HERE = Path(__file__).parent / "pi"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_session_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk)


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_growing_session_only_adds_lines(quirk: str, tmp_path: Path) -> None:
    """At whatever line a live file is read, its lines are the first lines of the finished session."""
    whole = _session(quirk)
    # The session that a fork was taken from lies beside it.
    shutil.copytree(HERE / quirk, tmp_path, dirs_exist_ok=True)
    live = tmp_path / whole.relative_to(HERE / quirk)
    expected = _standing(whole)
    records = whole.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records) + 1):
        live.write_bytes(b"".join(records[:count]))
        lines = _standing(live)

        assert expected[: len(lines)] == lines


def test_tokens_are_summed_over_the_answers() -> None:
    """Every answer has its own count, and what came from a cache was read too."""
    reading = SOURCE.read(_ref(_session("branches")))
    list(reading.lines)

    assert (48, 6) == (reading.account.input_tokens, reading.account.output_tokens)


def test_sessions_lie_where_the_environment_says(tmp_path: Path) -> None:
    """One variable moves the agent's folder, another the sessions; both may start with a tilde."""
    agent = {"PI_CODING_AGENT_DIR": "~/pi"}
    sessions = agent | {"PI_CODING_AGENT_SESSION_DIR": "/data/sessions"}

    assert [tmp_path / ".pi/agent/sessions"] == SOURCE.roots(Machine(tmp_path, {}))
    assert [tmp_path / "pi/sessions"] == SOURCE.roots(Machine(tmp_path, agent))
    assert [Path("/data/sessions")] == SOURCE.roots(Machine(tmp_path, sessions))


def test_a_session_is_named_by_the_id_in_its_file_name() -> None:
    """The file need not be opened to know which session it is, and the header says the same."""
    (found,) = SOURCE.containers(_session("turns").parent)
    (ref,) = SOURCE.sessions(found)

    assert "019e44d4-6ecf-7c1d-96ab-000000000001" == ref.run_id == SOURCE.read(ref).header.run_id


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied session is called, its content tells whose it is."""
    loose = tmp_path / "full.txt"
    loose.write_bytes(_session(quirk).read_bytes())

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b'{"sessionId":"s","type":"user"}\n', b"[]", b"{\n"])
def test_other_files_are_neither_recognized_nor_read(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "session.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.json")
    with pytest.raises(SourceError, match=r"session\.json"):
        SOURCE.read(_ref(loose))


def _session(quirk: str) -> Path:
    return next(path for path in sorted((HERE / quirk).rglob("*.json*")) if path.name != "expected.jsonl")


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)


def _standing(path: Path) -> list[Line]:
    """The lines as if nothing had been taken back: that is the one thing that may change in an earlier line."""
    return [replace(line, undone=False) for line in SOURCE.read(_ref(path)).lines]


@pytest.mark.parametrize(
    ("was", "became"),
    [
        ('"timestamp":"2026-05-20T10:00:00.231Z"', '"timestamp":"{{{{"'),
        ('"parentSession":"/h/', '"parentSession":true,"was":"/h/'),
        ('"parentSession":"/h/', '"parentSession":"/","was":"/h/'),
    ],
)
def test_a_fork_whose_header_is_damaged_keeps_what_it_holds(was: str, became: str, tmp_path: Path) -> None:
    """When it was taken, or of whom, is no longer known: then nothing is left to somebody else to tell."""
    whole = _session("fork_orphan")
    damaged = tmp_path / whole.name
    damaged.write_text(whole.read_text().replace(was, became, 1))

    assert [line.text for line in _standing(whole)] == [line.text for line in _standing(damaged)]
