"""Copilot Chat sessions of VS Code, one document or a log of changes to it, become traces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.trace import Line
from lerim.sources.vscode import SOURCE

HERE = Path(__file__).parent / "vscode"
LOG = HERE / "log/globalStorage/emptyWindowChatSessions/5a1e6f0c-0000-4000-8000-000000000002.jsonl"


@pytest.mark.parametrize("quirk", ["document", "log"])
def test_a_session_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """The typed words, the reply without its thoughts, calls with what they were given and gave back, decisions."""
    golden(SOURCE, HERE / quirk)


def test_a_log_and_the_document_it_leads_to_say_the_same(tmp_path: Path) -> None:
    """However the changes were cut into lines, the session is what they lead to."""
    whole = HERE / "document/workspaceStorage/0a/chatSessions/5a1e6f0c-0000-4000-8000-000000000001.json"
    log = tmp_path / "x.jsonl"
    log.write_text('{"kind":0,"v":' + " ".join(whole.read_text().split("\n")) + "}\n")

    assert _lines(whole) == _lines(log)


def test_a_change_that_cannot_be_made_costs_only_itself() -> None:
    """A line of the log was lost: what it led to is missing, and the rest is there."""
    reading = SOURCE.read(SessionRef("vscode", LOG, "x"))

    assert list(reading.lines)
    assert [9] == [trouble.line for trouble in reading.account.bad]


def test_an_answer_is_told_when_it_is_whole(tmp_path: Path) -> None:
    """A log tells of every piece of it; until then there is what was asked."""
    log = tmp_path / "x.jsonl"
    asked = '{"kind":0,"v":{"sessionId":"s","requests":[{"message":{"text":"why?"},"response":[]}]}}\n'
    said = '{"kind":2,"k":["requests",0,"response"],"v":[{"value":"Because"}]}\n'
    more = '{"kind":1,"k":["requests",0,"response",0,"value"],"v":"Because it is so."}\n'
    done = '{"kind":1,"k":["requests",0,"result"],"v":{"metadata":{}}}\n'
    seen = []
    for written in (asked, asked + said, asked + said + more, asked + said + more + done):
        log.write_text(written)
        seen.append([line.text for line in _lines(log)])

    assert [["why?"]] * 3 + [["why?", "Because it is so."]] == seen


def test_a_request_that_lost_its_middle_does_not_end_the_list(tmp_path: Path) -> None:
    """What is left of it ends as the list does; the requests behind it are read."""
    path = tmp_path / "x.json"
    path.write_text(
        '{"requests": [{"requestId": "r1", "message": {"text": "one"}, "resalue": "a"}, {"value": "b"}], "vote": 1},'
        ' {"requestId": "r2", "message": {"text": "two"}, "response": []}], "sessionId": "s"}'
    )

    assert ["one", "two"] == [line.text for line in _lines(path) if line.type == "user"]


def test_sessions_lie_below_each_editors_user_folder() -> None:
    """The stable and the early editor, and what runs on a remote machine."""
    roots = SOURCE.roots(Machine(Path("/h"), {}, "linux"))

    assert Path("/h/.config/Code/User") == roots[0]
    assert Path("/h/.vscode-server/data/User") in roots
    assert Path("/h/Library/Application Support/Code/User") == SOURCE.roots(Machine(Path("/h"), {}, "darwin"))[0]


def test_other_documents_are_not_taken(tmp_path: Path) -> None:
    """A list of requests alone is nobody's session."""
    (tmp_path / "a.json").write_text('{"requests": [], "sessionId": "x"}')

    assert not SOURCE.accepts(tmp_path / "a.json")
    assert SOURCE.accepts(LOG)


def _lines(path: Path) -> list[Line]:
    return list(SOURCE.read(SessionRef("vscode", path, "x")).lines)
