"""Loose values become what they mean, or nothing; never an exception."""

from __future__ import annotations

import pytest

from lerim.sources import values
from lerim.sources.trace import MAX_TOOL_TEXT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1745747300, "2025-04-27T09:48:20Z"),
        (1745747300123, "2025-04-27T09:48:20Z"),
        ("2026-02-22T07:03:35.367Z", "2026-02-22T07:03:35Z"),
        ("2026-02-22T08:03:35+01:00", "2026-02-22T07:03:35Z"),
        ("2026-02-22T07:03:35", "2026-02-22T07:03:35Z"),
        (8830804.6, "1970-04-13T05:00:04Z"),
        *((nothing, None) for nothing in (0, -1, True, None, "", "yesterday", 1e300, [], {})),
    ],
)
def test_instants_in_every_notation(value: object, expected: str | None) -> None:
    """Seconds, milliseconds and ISO 8601 are recognized; a time without zone is UTC."""
    assert expected == values.instant(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "\\ud83d cut"}', {"a": "? cut"}),
        (b'{"a": "o\xffk"}', {"a": "o�k"}),
        ('{"a": "tab\there"}', {"a": "tab\there"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ("{", {}),
        ("[1]", {}),
        (None, {}),
    ],
)
def test_json_as_programs_write_it(text: str | bytes | None, expected: dict[str, str]) -> None:
    """Half an emoji or a bad byte costs itself, not the conversation it stands in."""
    assert expected == values.as_object(text)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"command": "ls", "description": "List", "timeout": 3}, "ls"),
        ({"command": "ls", "workdir": "/w/shop", "timeout_ms": 3}, "ls\n[in /w/shop]"),
        ({"cmd": "ls", "workdir": "/w", "yield_time_ms": 1, "prefix_rule": ["ls"], "justification": "why"}, "ls"),
        ({"command": "ls", "is_background": False, "explanation": "why"}, "ls"),
        (
            {"command": "review", "description": "Review", "prompt": "Look for races.", "subagent_type": "explore"},
            '{"command":"review","description":"Review","prompt":"Look for races.","subagent_type":"explore"}',
        ),
        ({"command": "create", "path": "a.py"}, '{"command":"create","path":"a.py"}'),
        ({"file_path": "a.py", "offset": 100, "limit": 20}, "a.py [offset 100, limit 20]"),
        ({"path": "a.py", "view_range": [1, 20]}, "a.py [view_range [1,20]]"),
        ('{"target_file": "a.py"}', "a.py"),
        ({"path": "a.py", "contents": "x"}, '{"path":"a.py","contents":"x"}'),
        ("plain", "plain"),
        (None, ""),
    ],
)
def test_call_text_is_what_matters(arguments: object, expected: str) -> None:
    """A command or a lone path stands for the whole input, with what it would mean something else without."""
    assert expected == values.call_text(arguments, cwd="/w")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///c%3A/work/my%20app", "c:/work/my app"),
        ("file:///home/ada/x", "/home/ada/x"),
        ("vscode-remote://wsl%2Bubuntu/home/ada/x", "/home/ada/x"),
        ("c:\\work\\x", "c:\\work\\x"),
        ("/home/ada", "/home/ada"),
        ("untitled", None),
        (None, None),
    ],
)
def test_paths_in_uris(uri: object, expected: str | None) -> None:
    """Encoded drives, remotes and plain paths give the path."""
    assert expected == values.path_of(uri)


def test_payloads_become_markers() -> None:
    """Data is replaced by what it is and how large."""
    assert "[image, 11 bytes]" == values.payload("image/png", "data:image/png;base64,aGVsbG8gd29ybGQ=")
    assert "[file a.txt]" == values.payload("text/plain", "file:///a.txt", "a.txt")


def test_long_text_says_what_is_missing() -> None:
    """What is cut is counted."""
    text = values.shown("x" * (MAX_TOOL_TEXT + 100))

    assert text["cut"] > 0
    assert "characters cut" in text["text"]


@pytest.mark.parametrize("depth", [300, 900, 5_000, 100_000])
@pytest.mark.parametrize("opening", ["[NaN,", '["\\ud83d",', "["])
def test_what_nests_too_deeply_is_marked(depth: int, opening: str) -> None:
    """Whatever the version of Python; `NaN` and half an emoji make the fast decoder give up."""
    found = values.parsed(opening + "[" * depth + "]" * depth + ', "after"]')

    assert "after" == found[-1]
    assert "[nested too deeply]" in values.compact(found)


@pytest.mark.parametrize("depth", [10, 255, 490, 1_000, 1_030, 20_000])
def test_half_an_emoji_may_stand_at_any_depth(depth: int) -> None:
    """It is replaced, or marked with all that is nested as deeply; what stands beside it is kept."""
    deep = '{"a":' * depth + '"\\ud83d"' + "}" * depth
    found = values.parsed(f'{{"text":"kept","deep":{deep}}}')

    assert "kept" == found["text"]
    values.compact(found).encode()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9" * 5_000, 0.0),
        ("-" + "9" * 5_000, 0.0),
        ("1e999", 0.0),
        ("NaN", None),
        ("-Infinity", None),
        ("9223372036854775808", 9223372036854775808),
        ("[NaN, 9223372036854775808]", [None, 9.223372036854775808e18]),
    ],
)
def test_numbers_without_end_are_survived(text: str, value: object) -> None:
    """They can be written as JSON again, and counted."""
    found = values.parsed(text)

    assert value == found
    assert -(2**63) <= values.count(found) < 2**63
    assert [None, [[]]] == [item if isinstance(item, list) else None for item in values.parsed("[NaN,[[]]]")]
