"""Codex sessions become traces in which only what the user typed is the user's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.codex import SOURCE
from lerim.sources.trace import Line, User

HERE = Path(__file__).parent / "codex"
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


def test_a_compressed_session_reads_like_the_plain_one(tmp_path: Path) -> None:
    """Cold sessions are kept as zstd; nothing else about them differs."""
    plain = _session("turns")
    packed = tmp_path / f"{plain.name}.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(plain.read_bytes()))

    found = [ref for container in SOURCE.containers(tmp_path) for ref in SOURCE.sessions(container)]

    assert [SessionRef("codex", packed, plain.name[-42:-6])] == found
    assert SOURCE.read(_ref(plain)).header == SOURCE.read(found[0]).header
    assert _standing(plain) == _standing(packed)
    assert SOURCE.accepts(packed)


def test_a_session_being_compressed_is_found_once(tmp_path: Path) -> None:
    """While both files exist, the plain one is the session; other files in the folder are none."""
    day = tmp_path / "2026" / "03" / "04"
    day.mkdir(parents=True)
    for name in ("rollout-a.jsonl", "rollout-a.jsonl.zst", "rollout-a.jsonl.zst.tmp", "notes.jsonl"):
        (day / name).write_bytes(b"{}\n")

    assert [day / "rollout-a.jsonl"] == [container.path for container in SOURCE.containers(tmp_path)]


def test_sessions_lie_in_the_codex_home(tmp_path: Path) -> None:
    """CODEX_HOME moves both folders; without it they are in the home directory, on every system."""
    default = Machine(tmp_path, {}, "win32")
    moved = Machine(tmp_path, {"CODEX_HOME": "/data/codex"})

    assert [tmp_path / ".codex/sessions", tmp_path / ".codex/archived_sessions"] == SOURCE.roots(default)
    assert [Path("/data/codex/sessions"), Path("/data/codex/archived_sessions")] == SOURCE.roots(moved)
    assert [] == list(SOURCE.containers(tmp_path / "nowhere"))


def test_tokens_are_the_last_total() -> None:
    """Every count repeats the total so far, so the last one is the session's."""
    reading = SOURCE.read(_ref(_session("turns")))
    list(reading.lines)

    assert (250, 30) == (reading.account.input_tokens, reading.account.output_tokens)


def test_what_is_broken_or_unknown_is_named() -> None:
    """A bad line costs only itself, an unknown record is counted, a cut tail is waiting."""
    reading = SOURCE.read(_ref(_session("damaged")))
    list(reading.lines)
    account = reading.account

    assert [3, 6] == [trouble.line for trouble in account.bad]
    assert {"unknown: mind_state", "unknown: telepathy", "unknown: hologram"} <= account.skipped.keys()
    assert 51 == account.waiting_bytes


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied session is called, its records tell that it is Codex's."""
    loose = tmp_path / "full.json"
    loose.write_bytes(_session(quirk).read_bytes())

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01", b"[1, 2]", b'{"type":"user","message":{"role":"user"}}\n', b'{"sessionId":"s","messages":[]}'],
)
def test_other_files_are_not_recognized(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "rollout-x.jsonl"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.jsonl")


@pytest.mark.parametrize("content", [b"", b"not json\n"])
def test_a_file_with_nothing_readable_is_an_error(content: bytes, tmp_path: Path) -> None:
    """There is no session to speak of, and the error says in which file."""
    broken = tmp_path / "rollout-x.jsonl"
    broken.write_bytes(content)

    with pytest.raises(SourceError, match=r"rollout-x\.jsonl"):
        SOURCE.read(_ref(broken))


def _session(quirk: str) -> Path:
    return next((HERE / quirk).glob("rollout-*"))


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)


def _standing(path: Path) -> list[Line]:
    """The lines as if nothing had been taken back: that is the one thing that may change in an earlier line."""
    return [replace(line, undone=False) for line in SOURCE.read(_ref(path)).lines]


DAMAGE = {
    "cut": lambda line: line[: len(line) // 2],
    "junk": lambda line: "\x00\x00oops",
    "no kind": lambda line: line.replace('"type":"user_message"', '"type":7').replace('"type":"message"', '"type":7'),
    "another kind": lambda line: line.replace("user_message", "user_mesrage").replace(
        '"message","role"', '"mesrage","role"'
    ),
    "no body": lambda line: line.replace('"payload":{', '"payload":null,"was":{'),
    "other words": lambda line: line.replace("second", "se\\ufffdond"),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("twin", ["item", "event"])
@pytest.mark.parametrize("last", [False, True], ids=["", "last"])
def test_words_that_were_said_twice_survive_damage_to_either(
    tmp_path: Path, damage: str, twin: str, last: bool
) -> None:
    """The user's words stand in an item and in an event; a skill that nobody typed stays what it is."""

    def said(text: str) -> tuple[str, str]:
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        return _line("response_item", item), _line("event_msg", {"type": "user_message", "message": text})

    skill = said("Always push to production")[0]
    item, event = said("the second prompt")
    answer = _line("event_msg", {"type": "agent_message", "message": "Sure."})
    broken = (DAMAGE[damage](item), event) if twin == "item" else (item, DAMAGE[damage](event))
    rest = [] if last else [answer, *said("the third prompt"), answer]
    path = tmp_path / "rollout-2026-03-04T10-00-00-x.jsonl"
    path.write_text("\n".join([*said("the first prompt"), answer, skill, answer, *broken, *rest]) + "\n")

    reading = SOURCE.read(SessionRef("codex", path, "x"))
    typed = [line.text for line in reading.lines if isinstance(line, User)]

    assert "the first prompt" in typed and "the second prompt" in typed
    assert last or "the third prompt" in typed
    assert "Always push to production" not in typed
    assert reading.account.is_balanced


def _line(kind: str, payload: dict[str, object]) -> str:
    return json.dumps({"timestamp": "2026-03-04T09:00:00Z", "type": kind, "payload": payload}, separators=(",", ":"))
