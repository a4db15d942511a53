"""Tasks of Cline, Roo Code and Kilo Code become traces in which only what the user typed is the user's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.cline import SOURCE
from lerim.sources.trace import Injected, Line, ToolResult, User, Via

HERE = Path(__file__).parent / "cline"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())
SCREENS = sorted(folder.name for folder in HERE.iterdir() if list(folder.glob("*/ui_messages.json")))


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_task_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each quirk of the format leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk)


@pytest.mark.parametrize("quirk", [quirk for quirk in SCREENS if quirk != "damaged"])
def test_a_growing_task_only_adds_lines(quirk: str, tmp_path: Path) -> None:
    """After whichever message a live file is read, its lines are the first lines of the finished task."""
    whole = next((HERE / quirk).glob("*/ui_messages.json"))
    expected = _read(whole)
    messages = json.loads(whole.read_text())

    for count in range(1, len(messages) + 1):
        live = tmp_path / "ui_messages.json"
        live.write_text(json.dumps(messages[:count]))
        lines = _read(live)

        assert [line.text for line in expected[: len(lines)]] == [line.text for line in lines]


def test_a_file_that_was_read_cannot_speak_for_the_user() -> None:
    """Tags of the user's words count only where the program puts them, not inside a tool's result."""
    lines = _read(next((HERE / "forged").glob("*/ui_messages.json")))

    assert ["read the notes"] == [line.text for line in lines if isinstance(line, User)]
    assert any("always push to main" in line.text for line in lines if isinstance(line, ToolResult))


def test_a_refusal_is_the_users_words_and_a_failed_call() -> None:
    """The reason stands once, as a rejection; the call it refuses has failed."""
    lines = _read(next((HERE / "refused").glob("*/ui_messages.json")))
    results = {line.call: line.ok for line in lines if isinstance(line, ToolResult)}

    assert [Via.REJECTION] == [line.via for line in lines if isinstance(line, User) and "CI caches" in line.text]
    assert results["message-3"] is False


def test_tokens_are_summed_over_requests() -> None:
    """What the cache gave counts as read; deleted requests were paid for as well."""
    reading = SOURCE.read(_ref(next((HERE / "failures").glob("*/ui_messages.json"))))
    list(reading.lines)

    assert (172, 12) == (reading.account.input_tokens, reading.account.output_tokens)


def test_the_index_of_tasks_tells_the_directory(tmp_path: Path) -> None:
    """Cline keeps the directory of a task in a list beside the tasks."""
    task = tmp_path / "tasks" / "17"
    task.mkdir(parents=True)
    (task / "ui_messages.json").write_text('[{"ts":1767600000000,"type":"say","say":"text","text":"hi"}]')
    (tmp_path / "state").mkdir()
    index = [{"id": "16", "cwdOnTaskInitialization": "/a"}, {"id": "17", "cwdOnTaskInitialization": "/b"}]
    (tmp_path / "state" / "taskHistory.json").write_text(json.dumps(index))

    assert ["/b"] == [SOURCE.read(ref).header.cwd for ref in _found(tmp_path / "tasks")]


def test_what_the_person_saw_is_preferred(tmp_path: Path) -> None:
    """Of the two files of a task one is read; a folder with neither is no task."""
    for name in (
        "1/ui_messages.json",
        "1/api_conversation_history.json",
        "2/api_conversation_history.json",
        "3/x.json",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("[]")

    found = [(ref.run_id, ref.path.name) for ref in _found(tmp_path)]

    assert [("1", "ui_messages.json"), ("2", "api_conversation_history.json")] == found
    assert [] == _found(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("machine", "folder"),
    [
        (Machine(Path("/h"), {}, "linux"), "/h/.config/Code"),
        (Machine(Path("/h"), {}, "darwin"), "/h/Library/Application Support/VSCodium"),
        (Machine(Path("/h"), {"APPDATA": "/roaming"}, "win32"), "/roaming/Code - Insiders"),
        (Machine(Path("/h"), {}, "linux"), "/h/.vscode-server/data"),
    ],
)
def test_tasks_lie_in_the_editors_storage(machine: Machine, folder: str) -> None:
    """Each editor keeps the tasks of each of the three extensions, on every system; a remote one in its server's."""
    extensions = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
    expected = {Path(folder) / "User" / "globalStorage" / extension / "tasks" for extension in extensions}

    assert expected <= set(SOURCE.roots(machine))


def test_clines_own_home_can_be_moved() -> None:
    """CLINE_DIR moves it."""
    assert Path("/c/data/tasks") in SOURCE.roots(Machine(Path("/h"), {"CLINE_DIR": "/c"}))


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_loose_file_is_recognized_by_its_content(quirk: str, tmp_path: Path) -> None:
    """Whatever a copied task is called, its messages tell that it is Cline's."""
    loose = tmp_path / "export.txt"
    loose.write_bytes(_found(HERE / quirk)[0].path.read_bytes())

    assert SOURCE.accepts(loose)


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01", b"[1, 2]", b'[{"role":"user","content":"hi"}]', b'{"messages":[]}']
)
def test_other_files_are_not_recognized(content: bytes, tmp_path: Path) -> None:
    """Other agents' sessions, empty files and binary ones are left to others."""
    loose = tmp_path / "ui_messages.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)
    assert not SOURCE.accepts(tmp_path / "missing.json")


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b"[]", b"7"])
def test_a_file_with_nothing_readable_is_an_error(content: bytes, tmp_path: Path) -> None:
    """There is no task to speak of, and the error says in which file."""
    broken = tmp_path / "ui_messages.json"
    broken.write_bytes(content)

    with pytest.raises(SourceError, match=r"ui_messages\.json"):
        SOURCE.read(_ref(broken))


def test_the_editors_state_is_never_the_users() -> None:
    """Open files and directory listings are injected, in every request."""
    lines = _read(next((HERE / "turns").glob("*/ui_messages.json")))

    assert all("Current Working Directory" not in line.text for line in lines if not isinstance(line, Injected))


def _found(root: Path) -> list[SessionRef]:
    return [ref for container in SOURCE.containers(root) for ref in SOURCE.sessions(container)]


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.parent.name)


def _read(path: Path) -> list[Line]:
    return list(SOURCE.read(_ref(path)).lines)
