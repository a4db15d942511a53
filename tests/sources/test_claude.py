"""Claude Code: one golden folder per quirk of its format, and what a folder of files cannot say."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lerim.errors import SourceError
from lerim.sources.base import Account, Machine, Reading, SessionRef
from lerim.sources.claude import SOURCE
from lerim.sources.claude_words import speakers, unspoken
from lerim.sources.trace import Event, Happening, Line, User, Via

GOLDEN = Path(__file__).parent / "claude"
QUIRKS = sorted(path.name for path in GOLDEN.iterdir())


def read(path: Path) -> tuple[Reading, list[Line]]:
    reading = SOURCE.read(SessionRef("claude", path, path.stem))
    return reading, list(reading.lines)


def message(content: object, **fields: object) -> str:
    envelope = {"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}}
    return json.dumps({**envelope, **fields}) + "\n"


@pytest.mark.parametrize("quirk", QUIRKS)
def test_reads_the_quirk_as_expected(golden: Callable[..., list[Account]], quirk: str) -> None:
    """Every folder gives its expected trace, with every record accounted for."""
    golden(SOURCE, GOLDEN / quirk)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/session.jsonl")), ids=lambda path: path.parent.name)
def test_a_session_that_grows_only_adds_lines(path: Path, tmp_path: Path) -> None:
    """Whenever a file is read, the lines are the first ones of the finished session; only `undone` may change.

    Words that wait for the agent are told last, as if it were gone; while it is there they move to where it takes them.
    """
    finished = [dataclasses.replace(line, undone=False) for line in read(path)[1]]
    records = path.read_bytes().splitlines(keepends=True)

    for count in range(1, len(records)):
        growing = tmp_path / path.name
        growing.write_bytes(b"".join(records[:count]))
        lines = [dataclasses.replace(line, undone=False) for line in read(growing)[1]]
        while lines and b'"enqueue"' in records[lines[-1].src - 1]:
            lines.pop()

        assert finished[: len(lines)] == lines


def test_words_that_wait_when_a_file_ends_are_told_once(tmp_path: Path) -> None:
    """The agent may have ended before it took them; if it did not, they are told where it does, and not before."""
    path = tmp_path / "session.jsonl"
    queued = {"type": "queue-operation", "timestamp": "2026-03-02T09:00:05.125Z", "sessionId": "s"}
    begun = (
        message("import the file") + json.dumps(queued | {"operation": "enqueue", "content": "not on docker"}) + "\n"
    )
    path.write_text(begun)
    ended = read(path)[1]
    path.write_text(begun + json.dumps(queued | {"operation": "dequeue"}) + "\n" + message("not on docker"))

    assert ["import the file", "not on docker"] == [line.text for line in ended]
    assert ["import the file", "not on docker"] == [line.text for line in read(path)[1]]


def test_roots_follow_the_environment() -> None:
    """CLAUDE_CONFIG_DIR replaces the usual folders and may name several."""
    home = Path("/home/ada")

    assert [home / ".claude", home / ".config" / "claude"] == SOURCE.roots(Machine(home, {}))
    assert [Path("/data/claude"), home / "other"] == SOURCE.roots(
        Machine(home, {"CLAUDE_CONFIG_DIR": "/data/claude, ~/other"})
    )


def test_finds_sessions_and_subagents_by_name_alone(tmp_path: Path) -> None:
    """Session files and subagents' files are containers; what lies beside them is not."""
    project = tmp_path / "projects" / "-w-shop"
    inside = project / "s1" / "subagents"
    (inside / "workflows" / "w1").mkdir(parents=True)
    (project / "s1" / "tool-results").mkdir()
    wanted = [project / "agent-9f.jsonl", project / "s1.jsonl", inside / "agent-1.jsonl"]
    wanted.append(inside / "workflows" / "w1" / "agent-2.jsonl")
    others = [
        project / "sessions-index.json",
        inside / "agent-1.meta.json",
        inside / "workflows" / "w1" / "journal.jsonl",
    ]
    for path in [*wanted, *others, project / "s1" / "tool-results" / "t.jsonl"]:
        path.write_text("{}\n")

    found = sorted(SOURCE.containers(tmp_path), key=lambda container: wanted.index(container.path))

    assert wanted == [container.path for container in found]
    assert set(wanted) == {container.path for container in SOURCE.containers(tmp_path / "projects")}
    assert ["agent-9f", "s1", "agent-1", "agent-2"] == [
        ref.run_id for container in found for ref in SOURCE.sessions(container)
    ]
    assert [] == list(SOURCE.containers(tmp_path / "nowhere"))


def test_accepts_its_own_format_only(tmp_path: Path) -> None:
    """A file is known by its messages: an envelope around content, not around parts."""
    path = tmp_path / "loose.jsonl"
    ours = GOLDEN / "queue" / "session.jsonl"
    strangers = [
        {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "parts": [{"text": "hi"}]}},
        {"type": "response_item", "payload": {"type": "message"}},
        {"type": "session_start", "id": "1", "cwd": "/w"},
    ]

    path.write_text("".join(json.dumps(item) + "\n" for item in strangers))

    assert (True, False) == (SOURCE.accepts(ours), SOURCE.accepts(path))
    assert not SOURCE.accepts(tmp_path / "missing.jsonl")


def test_uuids_are_those_of_the_messages_in_order() -> None:
    """A fork shares the first ones with its origin, whatever else the files hold."""
    path = GOLDEN / "places_and_titles" / "session.jsonl"

    assert ["r1", "r2", "r3", "r4"] == [uuid for _, uuid in SOURCE.uuids(SessionRef("claude", path, path.stem))]


def test_tokens_count_once_per_message() -> None:
    """The lines of one API message repeat its usage; the last one has the final figure."""
    reading, _ = read(GOLDEN / "one_message_many_lines" / "session.jsonl")

    assert (2 * 3210, 120 + 7) == (reading.account.input_tokens, reading.account.output_tokens)


def test_what_is_left_out_is_counted_by_its_reason() -> None:
    """Nothing disappears: unknown things are named, silent ones too."""
    reading, _ = read(GOLDEN / "attachments" / "session.jsonl")

    assert {
        "attachment hook_success": 1,
        "attachment hook_non_blocking_error": 1,
        "attachment task_reminder": 1,
        "attachment skill_listing": 1,
        "unknown: attachment brand_new_thing": 1,
        "hook without output": 1,
        "unknown: system brand_new_subtype": 1,
        "progress": 1,
    } == reading.account.skipped


def test_damage_is_noted_with_its_line_and_costs_nothing_else() -> None:
    """Bad lines have their numbers, a tail that is still being written waits."""
    account = read(GOLDEN / "damaged" / "session.jsonl")[0].account

    assert [2, 3, 4] == [trouble.line for trouble in account.bad]
    assert 32 == account.waiting_bytes
    assert {
        "user record without content": 2,
        "unknown: no type": 1,
        "unknown: holo-gram": 1,
        "unknown: attachment None": 1,
        "repeated record": 1,
    } == account.skipped


def test_a_file_of_nothing_but_damage_is_an_error(tmp_path: Path) -> None:
    """A file that is no trace is reported, with its path and line."""
    path = tmp_path / "session.jsonl"
    path.write_text("not json\n")

    with pytest.raises(SourceError, match=r"session\.jsonl.*line 1"):
        read(path)
    with pytest.raises(SourceError, match=r"missing\.jsonl"):
        read(tmp_path / "missing.jsonl")


def test_an_empty_file_is_a_session_without_lines(tmp_path: Path) -> None:
    """A session may have been opened and not used yet."""
    path = tmp_path / "session.jsonl"
    path.touch()

    assert [] == read(path)[1]


def test_a_prompt_after_a_lost_line_is_no_rewind(tmp_path: Path) -> None:
    """Records whose parent is missing or that start over abandon nothing."""
    path = tmp_path / "session.jsonl"
    path.write_text(
        message("one", uuid="u1", parentUuid=None)
        + message("two", uuid="u2", parentUuid="gone")
        + message("three", uuid="u3", parentUuid="gone")
        + message("four", uuid="u4", parentUuid=None)
        + message("five", uuid="u5", parentUuid="u5")
    )

    _, lines = read(path)

    assert [("one", False), ("two", False), ("three", False), ("four", False), ("five", False)] == [
        (line.text, line.undone) for line in lines
    ]


def test_the_users_words_are_cut_only_at_absurd_sizes(tmp_path: Path) -> None:
    """A pasted log stays whole where a tool's output would be cut."""
    path = tmp_path / "session.jsonl"
    path.write_text(message("x" * 150_000) + message("y" * 300_000))

    _, (whole, cut) = read(path)

    assert (150_000, 0) == (len(whole.text), whole.cut)
    assert 100_000 < cut.cut < 101_000


def test_rewinding_is_an_event_where_the_session_went_on() -> None:
    """The abandoned words stay, undone; the event stands before what replaced them."""
    _, lines = read(GOLDEN / "rewind" / "session.jsonl")

    assert ["Forget Redis, a dict is enough."] == [
        line.text for line in lines if isinstance(line, User) and not line.undone
    ]
    assert 2 == sum(isinstance(line, Event) and line.kind is Happening.REWOUND for line in lines)


@given(st.text(alphabet=st.characters(exclude_characters="<[{", exclude_categories=["Cs"])))
def test_plain_words_are_the_users_whatever_they_are(text: str) -> None:
    """Without a tag or a known beginning, all of a text is what the user typed."""
    assume(unspoken(text.strip()) is None)
    expected = [(Via.TYPED, text.strip())] if text.strip() else []

    assert expected == list(speakers([text]))


def test_tags_that_never_close_are_read_in_no_time() -> None:
    """A text made to be slow is one piece of words."""
    text = "look: " + "<system-reminder>" * 100_000

    assert [(Via.TYPED, text)] == list(speakers([text]))


_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\nkeep the old labels"
)
_BEGAN = {"type": "mcp_progress", "status": "started", "serverName": "tickets", "toolName": "create"}


def _call(call: str, tool: str) -> str:
    use = {"type": "tool_use", "id": call, "name": tool, "input": {}}
    return message([use], type="assistant", message={"role": "assistant", "content": [use]})


def _failed(call: str, text: str) -> str:
    result = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": True}
    return message([result], toolUseResult=f"Error: {text}")


def _began(call: str) -> str:
    return json.dumps({"type": "progress", "data": _BEGAN, "toolUseID": "p", "parentToolUseID": call}) + "\n"


@pytest.mark.parametrize(
    ("records", "said"),
    [
        # The session notes when a server's call begins, and this one never began.
        (
            [_call("a", "mcp__tickets__list"), _began("a"), _call("b", "mcp__tickets__create"), _failed("b", _REFUSED)],
            True,
        ),
        # The server answered with these words.
        ([_call("b", "mcp__tickets__create"), _began("b"), _failed("b", _REFUSED)], False),
        # Nothing tells whether it began.
        ([_call("b", "mcp__tickets__create"), _failed("b", _REFUSED)], False),
        # What a shell prints stands behind its exit code here.
        (
            [_call("a", "Bash"), _failed("a", "Exit code 1\nno such file"), _call("b", "Bash"), _failed("b", _REFUSED)],
            True,
        ),
        ([_call("a", "Bash"), _failed("a", "no such file"), _call("b", "Bash"), _failed("b", _REFUSED)], False),
        ([_call("a", "Bash"), _failed("a", f"Exit code 1\n{_REFUSED}")], False),
        # Another agent's tool words its failures itself.
        ([_call("a", "Bash"), _failed("a", "Exit code 1"), _call("b", "WebFetch"), _failed("b", _REFUSED)], False),
    ],
)
def test_a_reason_for_a_refusal_is_heard_where_the_call_never_began(
    tmp_path: Path, records: list[str], said: bool
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(message("file it") + "".join(records), "utf-8")

    lines = read(path)[1]

    heard = [line.text for line in lines if isinstance(line, User) and line.via is Via.REJECTION]
    assert heard == (["keep the old labels"] if said else [])
    assert said == any(isinstance(line, Event) and line.kind is Happening.REJECTED for line in lines)
