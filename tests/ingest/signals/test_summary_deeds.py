"""What a summary tells of commits, pull requests and files: what was really done, and is still there at the end."""

from __future__ import annotations

import json

import pytest

from lerim.ingest.signals.summary import summarize
from lerim.sources.trace import Line, ToolCall, ToolResult

from .test_summary import HEADER, agent, edited, ran, session, user

_FERRY = (user("show the ferry's next departure"), edited("/w/shop/ferry.py"), agent("The next departure is shown."))


def outcome(*lines: Line | tuple[Line, ...]) -> str:
    return summarize(session(*_FERRY, *lines)).body.partition("**Outcome:**")[2]


def replaced(path: str, old: str, new: str) -> tuple[Line, Line]:
    given = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    call = f"r{path}{old}{new}"
    return ToolCall(text=given, tool="Edit", call=call), ToolResult(text="", call=call, ok=True)


def written(path: str, tool: str = "Write") -> tuple[Line, Line]:
    call = f"w{path}"
    given = json.dumps({"file_path": path, "content": "probe = 1"})
    return ToolCall(text=given, tool=tool, call=call), ToolResult(text="", call=call, ok=True)


# --- a call without an answer -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        'git commit -am "Show the next departure"',
        'git add ferry.py && git commit -m "Show the next departure" && git push',
        "git push origin ferries",
        'gh pr create --title "Next departure"',
        "gh pr merge 12 --squash",
    ],
)
def test_a_command_at_which_the_session_ends_is_not_told_as_done(command: str):
    cut = ToolCall(text=command, tool="Bash", call="cut")

    assert "ommitted" not in outcome(cut)
    assert not any(word in outcome(cut) for word in ("ushed", "erged", "pened"))


def test_a_command_with_an_answer_or_words_behind_it_is_told():
    made = ran('git commit -am "Show the next departure"', "[ferries 3fa1b2c] Show the next departure")
    unheard = ToolCall(text='git commit -am "Show the next departure"', tool="Bash", call="quiet")

    assert "Show the next departure" in outcome(*made)
    assert "Show the next departure" in outcome(unheard, agent("Committed it."))


# --- commits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "git commit -q -F - <<'EOF'\nShow the next departure\n\nThe old one was of yesterday.\nEOF",
        "git add -A && git commit -F- <<MSG\nShow the next departure\nMSG\ngit push",
        "git commit --file=- <<-'END'\nShow the next departure\nEND",
        "git commit -m \"$(cat <<'BODY'\nShow the next departure\n\nMore.\nBODY\n)\"",
    ],
)
def test_a_commit_whose_message_is_a_document_has_its_subject(command: str):
    assert "“Show the next departure”" in outcome(*ran(command, ""))


# --- pull requests ----------------------------------------------------------------------------------------------------


def test_every_pull_request_of_a_session_is_told_with_its_number():
    first = ran('gh pr create --title "Departures" --body ""', "https://git.example/a/b/pull/31")
    second = ran('gh pr create --title "Arrivals"', "https://git.example/a/b/pull/33")

    assert "pened PR #31 and PR #33" in outcome(*first, *second)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("gh pr merge 31 --squash --delete-branch", ""),
        ("gh pr merge https://git.example/a/b/pull/31 --merge", ""),
        ("gh pr merge --squash", "✓ Squashed and merged pull request a/b#31 (Departures)"),
        ("gh pr ready 31 && gh pr merge 31 -s", "ok"),
    ],
)
def test_a_merge_is_told_with_its_number(command: str, answer: str):
    assert "erged PR #31" in outcome(*ran(command, answer))


def test_what_was_opened_and_merged_is_told_once():
    opened = ran('gh pr create --title "Departures"', "https://git.example/a/b/pull/31")

    assert "pened PR #31, merged it" in outcome(*opened, *ran("gh pr merge", "merged"))


def test_a_merge_that_waits_for_its_checks_and_one_that_failed_are_none():
    assert "erged" not in outcome(*ran("gh pr merge 31 --auto --squash", "will be merged when checks pass"))
    assert "erged" not in outcome(*ran("gh pr merge 31", "not mergeable", exit_code=1))


def test_a_tool_of_a_server_opens_and_merges_too():
    opened = ToolCall(
        text='{"title":"Departures","head":"ferries","draft":false}', tool="mcp__git__create_pull_request", call="o"
    )
    answer = ToolResult(text='{"url":"https://git.example/a/b/pull/31","number":31}', call="o", ok=True)
    merged = ToolCall(text='{"owner":"a","repo":"b","pullNumber":31}', tool="mcp__git__merge_pull_request", call="m")

    assert "pened PR #31, merged it" in outcome(opened, answer, merged, ToolResult(text="{}", call="m", ok=True))


def test_a_pull_request_holds_the_commits_of_its_own_branch():
    old = ran('git commit -am "Round the fares"', "[fares 1a2b3c4] Round the fares")
    pushed = ran("git push origin fares", "")
    new = ran('git checkout -b harbours && git commit -am "Name the harbours"', "[harbours 5d6e7f8] Name the harbours")
    opened = ran('gh pr create --title "Harbours"', "https://git.example/a/b/pull/35")

    assert "pened PR #35 with “Name the harbours”" in outcome(*old, *pushed, *new, *opened)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "rm src/tide/probe_test.go",
        "cd src/tide && rm probe_test.go",
        "cd src && go test ./... ; cd tide && rm -f ./probe_test.go",
        "rm /w/shop/src/tide/probe_test.go && git status",
        'rm "/home/mira/shop/src/tide/probe_test.go"',
        "cd src/tide/deep && rm ../probe_test.go",
    ],
)
def test_a_file_that_was_made_and_removed_was_not_changed(command: str):
    assert "probe_test.go" not in outcome(*written("/w/shop/src/tide/probe_test.go"), *ran(command))


@pytest.mark.parametrize("command", ["rm probe_test.go", "cd src && rm probe_test.go", "rm src/tide/probe_test.golden"])
def test_another_file_of_that_name_is_another_file(command: str):
    assert "probe_test.go" in outcome(*written("/w/shop/src/tide/probe_test.go"), *ran(command))


def test_a_file_whose_lines_were_all_put_back_was_not_changed():
    path = "/w/shop/harbours.md"
    there = replaced(path, "Bergen\nOslo", "Bergen\nStavanger\nOslo")
    more = replaced(path, "# Harbours", "# Harbours and quays")
    back = replaced(path, "Bergen\nStavanger\nOslo\nMoss", "Bergen\nOslo\nMoss")
    all_back = replaced(path, "# Harbours and quays", "# Harbours")

    assert "harbours.md" in outcome(*there, *more, *back)
    assert "harbours.md" not in outcome(*there, *more, *back, *all_back)


def test_a_file_that_was_committed_between_stays_changed():
    path = "/w/shop/harbours.md"
    lines = (*replaced(path, "Oslo", "Stavanger"), *ran('git commit -am "Name it"', "[m 1a2b3c4] Name it"))

    assert "harbours.md" in outcome(*lines, *replaced(path, "Stavanger", "Oslo"))


def test_paths_of_windows_are_those_of_the_project():
    header = HEADER.__class__(agent="claude", run_id="r1", cwd="D:\\shop")
    lines = (*_FERRY, *written("D:\\shop\\src\\probe_test.go"), *ran('rm "D:/shop/src/probe_test.go"'))

    assert "probe_test.go" not in summarize(session(*lines, header=header)).body
