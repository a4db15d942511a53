"""Custom traces are read from every documented form, and what is wrong with one is reported with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lerim.errors import SourceError, TraceError
from lerim.sources import trace
from lerim.sources.base import Account, Machine, SessionRef
from lerim.sources.custom import SOURCE, CustomSource, read_trace
from lerim.sources.trace import MAX_TOOL_TEXT, Header, ToolResult, User

HERE = Path(__file__).parent / "custom"
QUIRKS = sorted(folder.name for folder in HERE.iterdir())
HEADER = '{"type":"session","schema":1,"agent":"x","run_id":"r"}\n'


@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_folder_of_traces_is_read_as_expected(quirk: str, golden: Callable[..., list[Account]]) -> None:
    """Each form leads to the canonical trace beside it."""
    golden(SOURCE, HERE / quirk, _ref(_input(quirk)))


@pytest.mark.parametrize("quirk", [quirk for quirk in QUIRKS if quirk != "damaged"])
def test_an_imported_trace_is_that_of_the_folder(quirk: str) -> None:
    """Given as a file or as text, the lines are the same; the header is the trace's own."""
    path = _input(quirk)
    expected = list(SOURCE.read(_ref(path)).lines)

    assert expected == list(read_trace(path, "mine").lines)
    assert expected == list(read_trace(path.read_text(), "mine").lines)
    assert read_trace(path, "mine").account.is_balanced


def test_a_canonical_trace_keeps_its_name() -> None:
    """Other forms have none, and get the one they are given."""
    canonical, other = read_trace(_input("canonical"), "mine"), read_trace("User: hi", "mine")

    assert ("claude", "r-1") == (canonical.header.agent, canonical.header.run_id)
    assert ("custom", "mine") == (other.header.agent, other.header.run_id)


def test_what_lerim_writes_it_reads() -> None:
    """A canonical trace survives writing and reading, line by line."""
    reading = read_trace(_input("canonical"), "mine")
    text = "\n".join(trace.encode_all(reading.header, reading.lines))
    again = read_trace(text, "other")

    assert (reading.header, reading.lines) == (again.header, again.lines)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "the trace is empty"),
        ("[]", 1, "the trace is empty"),
        ("hello", 1, "does not begin with User:"),
        ("\nhello\n\nUser: hi", 2, "does not begin with User:"),
        ('[{"role":"user",\n"content":oops}]', 2, "not JSON"),
        ('{"messages":{}}', 1, "messages: a dict, not a list"),
        ('{"messages":[7]}', 1, "a int, not a message"),
        ('[{"role":"user","content":"a"},{"role":"wizard","content":"b"}]', 2, "role: 'wizard'"),
        ('{"role":"user","content":"a"}\n{"role":"user"}', 2, "content: missing"),
        ('{"role":"user","content":{}}', 1, "content: a dict"),
        ('{"role":"user","content":"a","timestamp":"soon"}', 1, "timestamp: 'soon'"),
        ('{"type":"user","text":"a"}', 1, "header"),
        ('{"type":"session","agent":"x","run_id":"r"}\n{"type":"user","text":"a"}', 1, "schema: None"),
        ('{"type":"session","schema":2,"agent":"x","run_id":"r"}\n{"type":"user","text":"a"}', 1, "schema: 2"),
        ('{"type":"session","schema":1,"agent":"x"}\n{"type":"user","text":"a"}', 1, "run_id: missing"),
        ('{"type":"session","schema":1,"agent":7,"run_id":"r"}\n{"type":"user","text":"a"}', 1, "agent: 7 is not text"),
        (HEADER + "oops", 2, "not JSON"),
        (HEADER + '{"type":"user"}', 2, "text: missing"),
        (HEADER + '\n{"type":"user","text":null}', 3, "text: None is not text"),
        (HEADER + '{"type":"user","text":"a","via":"pigeon"}', 2, "via: 'pigeon' is not one of typed, queued"),
        (HEADER + '{"type":"user","text":"a","undone":1}', 2, "undone: 1 is not true or false"),
        (HEADER + '{"type":"user","text":"a","src":true}', 2, "src: True is not a number"),
        (HEADER + '{"type":"user","text":"a","mood":"fine"}', 2, "mood: unknown key"),
        (HEADER + '{"type":"user","text":"a","at":"soon"}', 2, "at: 'soon' is not a time"),
        (HEADER + '{"type":"tool_call","text":"a","tool":"b"}', 2, "call: missing"),
        (HEADER + '{"type":"event","text":"","kind":[]}', 2, "kind: \\[\\] is not one of"),
        (HEADER + '{"type":"hologram","text":""}', 2, "type: unknown line type 'hologram'"),
        (HEADER + '{"type":["user"],"text":""}', 2, "type: unknown line type"),
        (HEADER + '{"type":"user","text":"a"}\n' + HEADER, 3, "a second header"),
    ],
)
def test_an_import_says_what_is_wrong_and_where(text: str, line: int, problem: str) -> None:
    """The message names the key, the error carries the line and a hint."""
    with pytest.raises(TraceError, match=problem) as raised:
        read_trace(text, "mine")

    assert line == raised.value.line
    assert raised.value.hint


def test_long_texts_are_cut_like_any_agents() -> None:
    """A tool's text is kept at both ends; the cut one is not cut again."""
    item = {"type": "tool_result", "text": "x" * 9_000, "call": "c"}
    (once,) = read_trace(HEADER + json.dumps(item), "mine").lines
    (again,) = read_trace(HEADER + trace.encode(once), "mine").lines

    assert isinstance(once, ToolResult)
    assert 9_000 - MAX_TOOL_TEXT <= once.cut < 9_000
    assert once == again


def test_a_folder_forgives_what_an_import_refuses() -> None:
    """A bad line costs only itself, and is noted with its number."""
    reading = SOURCE.read(_ref(_input("damaged")))
    users = [line.text for line in reading.lines if isinstance(line, User)]

    assert ["one", "four"] == users
    assert [2, 4, 5, 6, 7, 8, 9, 10] == sorted(trouble.line for trouble in reading.account.bad)
    with pytest.raises(TraceError):
        read_trace(_input("damaged"), "mine")


def test_traces_lie_in_the_folder_that_is_named(tmp_path: Path) -> None:
    """Its subfolders count, other kinds of files do not; without a folder there is nowhere to look."""
    (tmp_path / "deep").mkdir()
    for name in ("a.jsonl", "b.json", "deep/c.txt", "d.md"):
        (tmp_path / name).write_text("User: hi")
    source = CustomSource(tmp_path)
    machine = Machine(Path("/h"), {})

    found = [
        ref.run_id for root in source.roots(machine) for c in source.containers(root) for ref in source.sessions(c)
    ]

    assert ["a", "b", "c"] == found
    assert [] == SOURCE.roots(machine)
    assert [] == list(source.containers(tmp_path / "nowhere"))


@pytest.mark.parametrize("quirk", QUIRKS)
def test_each_form_is_recognized(quirk: str) -> None:
    """Canonical traces, messages and transcripts are known by their first words."""
    assert SOURCE.accepts(_input(quirk))


@pytest.mark.parametrize(
    "content", [b"", b"\x00", b"# Notes", b"[1]", b"{}", b'{"type":"session","id":"x"}', b'[{"a":{"role":"user"}}]']
)
def test_other_files_are_not_recognized(content: bytes, tmp_path: Path) -> None:
    """A transcript says who speaks in its first word, a message on its first level."""
    loose = tmp_path / "x.json"
    loose.write_bytes(content)

    assert not SOURCE.accepts(loose)


@pytest.mark.parametrize("content", [b"", b"{", b"[", b"hello"])
def test_a_file_with_nothing_readable_is_an_error(content: bytes, tmp_path: Path) -> None:
    """There is no trace to speak of, and the error says in which file."""
    broken = tmp_path / "x.json"
    broken.write_bytes(content)

    with pytest.raises(SourceError, match=r"x\.json"):
        list(SOURCE.read(_ref(broken)).lines)


def test_the_documented_keys_are_the_real_ones() -> None:
    """docs/trace.md names every line type and every key, of the header too."""
    page = (Path(__file__).parents[2] / "docs" / "trace.md").read_text()
    keys = {field for kind in (Header, *trace.LINES.values()) for field in kind.__dataclass_fields__ if field != "type"}
    values = [*trace.LINES, *trace.Via, *trace.Injection, *trace.Happening]

    assert [] == [name for name in [*sorted(keys), *values] if f"`{name}`" not in page]


def _input(quirk: str) -> Path:
    return next(path for path in sorted((HERE / quirk).iterdir()) if path.name != "expected.jsonl")


def _ref(path: Path) -> SessionRef:
    return SessionRef(SOURCE.name, path, path.stem)
