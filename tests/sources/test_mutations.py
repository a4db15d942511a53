"""Damage costs only itself: every source reads its own golden files cut, glued, shuffled, nested and mistyped.

Whatever happens to a file, reading it raises nothing but SourceError, accounts for every record, and gives only lines
that can be written down. What is whole before and after the damage is still there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lerim.errors import SourceError
from lerim.sources import trace
from lerim.sources.base import Account, SessionRef, Source
from lerim.sources.jsonl import MAX_LINE_BYTES
from lerim.sources.pieces import container
from lerim.sources.registry import SOURCES
from lerim.sources.trace import Line

from ..conftest import examples

HERE = Path(__file__).parent
MOST_CUTS = 20
JUNK = (b"\x00", b"\xff\xfe", b"\xc3", b"\r", b"\x1b[0m", "\u2028".encode(), b'"', b"}\n{")
BAD_LINES = (b"oops", b'{"type":"user","mess', b"[1, 2]", b'"text"', b"null", b"{" * 3_000, b"\xff\xff")
WRONG: tuple[Any, ...] = (None, True, 7, -1.5e300, "", "x", [], [None], ["x", 7], {}, {"type": None}, {"text": ["x"]})
HOLOGRAM = {"type": "hologram", "kind": "hologram", "role": "hologram", "payload": {"type": "hologram"}}


@dataclass(frozen=True)
class Case:
    """A golden file and the source that reads it."""

    source: Source
    path: Path

    def __str__(self) -> str:
        return str(self.path.relative_to(HERE).with_suffix(""))[:60]

    @property
    def lines(self) -> list[bytes]:
        return [line for line in self.path.read_bytes().split(b"\n") if _is_whole(line)]


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _is_document(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return path.read_bytes().strip().count(b"\n") != 0 or path.suffix == ".json"


def _cases() -> Iterator[Case]:
    for source in SOURCES:
        for path in sorted((HERE / source.name).rglob("*.json*")):
            if path.name != "expected.jsonl" and source.accepts(path):
                yield Case(source, path)


#: Text, and databases; those have drills of their own.
WITHOUT_JSON = frozenset({"aider", "crush", "zed"})
CASES = list(_cases())
DOCUMENTS = [case for case in CASES if _is_document(case.path)]
#: Files of records, one on each line, with enough of them to put something between.
RECORDS = [case for case in CASES if case not in DOCUMENTS and len(case.lines) >= 2]


def _each(cases: list[Case]) -> Any:
    """The largest file of each source by default, all of them as a drill."""
    largest = {case.source.name: case for case in sorted(cases, key=lambda case: case.path.stat().st_size)}
    chosen = set(map(str, largest.values()))
    values = [
        pytest.param(case, id=str(case), marks=() if str(case) in chosen else pytest.mark.drill) for case in cases
    ]
    return pytest.mark.parametrize("case", values)


#: Of the places there are in a file: one of so many by default, all of them as a drill.
thinly = pytest.mark.parametrize("thin", [12, pytest.param(1, marks=pytest.mark.drill, id="whole")])
each_case = _each(CASES)
each_document = _each(DOCUMENTS)
each_record_file = _each(RECORDS)


def test_every_source_with_json_is_drilled() -> None:
    """No source slips through because its golden files are called otherwise."""
    assert {source.name for source in SOURCES} - WITHOUT_JSON == {case.source.name for case in CASES}


# --- bytes ---------------------------------------------------------------------------------------------------------


@each_case
def test_a_file_cut_anywhere_gives_what_is_whole(case: Case, tmp_path: Path) -> None:
    """Cut in the middle of a line, the lines before it are read as if the file ended there."""
    raw = case.path.read_bytes()
    for at in range(0, len(raw), max(1, len(raw) // MOST_CUTS)):
        changed = _read(case, tmp_path, raw[:at])
        before, _, tail = raw[:at].rpartition(b"\n")
        if case in RECORDS and changed is not None and not _is_whole(tail):
            assert _spoken(_read(case, tmp_path, before + b"\n")) == _spoken(changed)


@thinly
@each_case
def test_stray_bytes_are_survived(case: Case, thin: int, tmp_path: Path) -> None:
    """NUL, bytes that are no UTF-8, half characters, quotes and brackets, at places all over the file."""
    raw = case.path.read_bytes()
    for nth, at in enumerate(range(0, len(raw), max(1, thin * len(raw) // (2 * MOST_CUTS)))):
        _read(case, tmp_path, raw[:at] + JUNK[nth % len(JUNK)] + raw[at:])


@each_case
def test_a_byte_order_mark_is_survived(case: Case, tmp_path: Path) -> None:
    """Editors of some systems put one there."""
    raw = case.path.read_bytes()

    assert _spoken(_read(case, tmp_path, raw)) == _spoken(_read(case, tmp_path, b"\xef\xbb\xbf" + raw))


@each_record_file
def test_nuls_between_records_cost_nothing(case: Case, tmp_path: Path) -> None:
    """A crash leaves NUL bytes where a block was never written."""
    clean = _read(case, tmp_path, _joined(case.lines))
    holed = _joined([line + b"\x00" * 64 for line in case.lines])

    assert _spoken(clean) == _spoken(_read(case, tmp_path, holed))


# --- lines ---------------------------------------------------------------------------------------------------------


def _is_whole_without_its_neighbor(case: Case) -> bool:
    """Codex tells by a second record who typed, and by dates where a fork begins. What may be among the damage is
    believed: words behind which nothing can be read are the user's, and a fork is told from its parent's beginning."""
    return case.source.name != "codex" or case.path.parent.name not in ("fork", "not_typed")


@each_record_file
def test_a_bad_line_costs_only_itself(case: Case, tmp_path: Path) -> None:
    """Everything around it is read as before, and the bad line is noted with its number."""
    clean = _read(case, tmp_path, _joined(case.lines))
    for at in range(1, len(case.lines) + 1):
        bad = BAD_LINES[at % len(BAD_LINES)]
        changed = _read(case, tmp_path, _joined([*case.lines[:at], bad, *case.lines[at:]]))

        assert clean is not None and changed is not None
        if _is_whole_without_its_neighbor(case):
            assert _spoken(clean) == _spoken(changed)
        assert at + 1 in {trouble.line for trouble in changed[1].bad}
        assert len(clean[1].bad) + 1 == len(changed[1].bad)


@each_record_file
def test_two_records_on_one_line_are_both_read(case: Case, tmp_path: Path) -> None:
    """A program that was interrupted between a record and its line ending goes on on the same line."""
    clean = _read(case, tmp_path, _joined(case.lines))
    for at in range(len(case.lines) - 1):
        glued = [*case.lines[:at], case.lines[at] + case.lines[at + 1], *case.lines[at + 2 :]]

        assert _texts(clean) == _texts(_read(case, tmp_path, _joined(glued)))


@each_record_file
def test_an_unknown_record_is_counted_and_passed_over(case: Case, tmp_path: Path) -> None:
    """Agents invent new kinds of records all the time."""
    clean = _read(case, tmp_path, _joined(case.lines))
    unknown = json.dumps(HOLOGRAM).encode()
    for at in range(1, len(case.lines) + 1):
        changed = _read(case, tmp_path, _joined([*case.lines[:at], unknown, *case.lines[at:]]))

        assert clean is not None and changed is not None
        assert _spoken(clean) == _spoken(changed)
        assert _left_out(clean[1]) + 1 == _left_out(changed[1])


@each_record_file
def test_lines_in_any_order_are_survived(case: Case, tmp_path: Path) -> None:
    """Doubled, backwards, rotated, and mixed with another session's."""
    lines = case.lines
    others = [line for other in RECORDS if other.source is case.source and other is not case for line in other.lines]
    mixed = [line for pair in zip(lines, others, strict=False) for line in pair]
    doubled = [line for line in lines for _ in range(2)]
    for changed in (doubled, lines + lines, lines[::-1], lines[len(lines) // 2 :] + lines[: len(lines) // 2], mixed):
        _read(case, tmp_path, _joined(changed))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(source, id=source.name, marks=[pytest.mark.drill] if number % 8 else [])
        for number, source in enumerate(SOURCES)
    ],
)
def test_a_line_of_a_hundred_megabytes_is_passed_over(source: Source, tmp_path: Path) -> None:
    """It is noted as bad, the records around it are read, and it is never held in memory as a whole."""
    if source.name == "custom":
        pytest.skip("a trace of one's own is read as a whole")
    case = next((case for case in RECORDS if case.source is source), None)
    if case is None:
        pytest.skip("no format with a record on each line")
    clean = _read(case, tmp_path, _joined(case.lines))
    path = tmp_path / case.path.name
    with path.open("wb") as file:
        file.write(case.lines[0] + b'\n{"text":"')
        # A hole reads as NUL bytes and takes no room on the disk.
        file.seek(MAX_LINE_BYTES + 36 * 1024 * 1024, 1)
        file.write(b'"}\n' + _joined(case.lines[1:]))

    changed = _read_file(case, path)

    assert clean is not None and changed is not None
    assert _spoken(clean) == _spoken(changed)
    assert 2 in {trouble.line for trouble in changed[1].bad}


# --- values --------------------------------------------------------------------------------------------------------


@thinly
@each_case
def test_values_of_a_wrong_type_are_survived(case: Case, thin: int, tmp_path: Path) -> None:
    """A string where an object was, null where a list was: at every key of every record, another one each time."""
    records = _records(case)
    for number, record in enumerate(records):
        for nth, place in list(enumerate(_places(record)))[number % thin :: thin]:
            wrong = WRONG[(5 * number + nth) % len(WRONG)]
            changed = [*records[:number], _replaced(record, place, wrong), *records[number + 1 :]]
            _read(case, tmp_path, _written(case, changed))


@each_case
def test_the_same_value_everywhere_is_survived(case: Case, tmp_path: Path) -> None:
    """All leaves of all records replaced at once, and whole records."""
    records = _records(case)
    for value in WRONG:
        _read(case, tmp_path, _written(case, [_leaves(record, value) for record in records]))
        _read(case, tmp_path, _written(case, [value for _ in records]))


@thinly
@each_case
def test_deep_nesting_is_survived(case: Case, thin: int, tmp_path: Path) -> None:
    """A value that nests deeper than anything reads is bad or ignored, not fatal: another depth at each place."""
    raw = case.path.read_bytes()
    places = [at for at, byte in enumerate(raw) if byte in b":["]
    for number, at in enumerate(places[:: max(1, thin * len(places) // MOST_CUTS)]):
        depth = (300, 900, 5_000)[number % 3]
        deep = b"[" * depth + b"]" * depth
        _read(case, tmp_path, raw[: at + 1] + deep + b"," * (raw[at] == ord("[")) + raw[at + 1 :])


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(["type", "text"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "source", [source for source in SOURCES if source.name not in WITHOUT_JSON], ids=lambda source: source.name
)
@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_any_value_anywhere_is_survived(source: Source, data: st.DataObject, tmp_path: Path) -> None:
    """One value of one record, replaced by whatever JSON can say."""
    case = data.draw(st.sampled_from([case for case in CASES if case.source is source and _records(case)]))
    records = _records(case)
    number = data.draw(st.integers(0, len(records) - 1))
    place = data.draw(st.sampled_from(list(_places(records[number])) or [()]))
    changed = [*records[:number], _replaced(records[number], place, data.draw(JSON_VALUES)), *records[number + 1 :]]

    _read(case, tmp_path, _written(case, changed))


# --- reading -------------------------------------------------------------------------------------------------------

Read = tuple[list[Line], Account]


def _read(case: Case, folder: Path, raw: bytes) -> Read | None:
    """What a source reads from changed bytes; None when it says that there is nothing. Anything else is a failure."""
    path = folder / case.path.name
    path.write_bytes(raw)
    return _read_file(case, path)


def _read_file(case: Case, path: Path) -> Read | None:
    accepted = case.source.accepts(path)
    assert isinstance(accepted, bool)
    try:
        found = [ref for held in container(case.source.name, path) for ref in case.source.sessions(held)]
        reading = case.source.read(found[0] if found else SessionRef(case.source.name, path, path.stem))
        lines = list(reading.lines)
    except SourceError:
        return None
    assert reading.account.is_balanced, reading.account
    for item in (reading.header, *lines):
        # No half characters, no values of a wrong type: whatever was read can be written and read again.
        assert item == trace.decode(trace.encode(item).encode().decode())
        assert all(
            isinstance(value, str | None) for value in (getattr(item, name, None) for name in ("text", "at", "call"))
        )
    return lines, reading.account


def _spoken(reading: Read | None) -> list[tuple[str, str, bool]]:
    """Who says what. Where it stands, and the ids made of that, change with one more line in the file."""
    return [] if reading is None else [(line.type, line.text, line.undone) for line in reading[0]]


def _texts(reading: Read | None) -> list[tuple[str, str]]:
    return [] if reading is None else [(line.type, line.text) for line in reading[0]]


def _left_out(account: Account) -> int:
    return sum(account.skipped.values()) + len(account.bad)


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _records(case: Case) -> list[Any]:
    return [json.loads(case.path.read_bytes())] if case in DOCUMENTS else [json.loads(line) for line in case.lines]


def _written(case: Case, records: list[Any]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records) + (b"" if case in DOCUMENTS else b"\n")


def _places(value: Any, depth: int = 6) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (key,)
        if depth:
            yield from ((key, *rest) for rest in _places(item, depth - 1))


def _replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    changed = deepcopy(value)
    inside = changed
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = new
    return changed


def _leaves(value: Any, new: Any) -> Any:
    if isinstance(value, dict):
        return {key: _leaves(item, new) for key, item in value.items()}
    return [_leaves(item, new) for item in value] if isinstance(value, list) else new
