"""JSON lines as agents leave them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import zstandard

from lerim.errors import SourceError
from lerim.sources import jsonl
from lerim.sources.base import Account, Trouble


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def read(file: Path) -> tuple[list[tuple[int, object]], Account]:
    account = Account()
    found = list(jsonl.records(file, account))
    account.used = len(found)
    assert account.is_balanced
    return found, account


def test_every_object_comes_with_its_line_number(file: Path) -> None:
    """Blank lines count for the numbers, not as records."""
    file.write_bytes(b'{"a":1}\n\n  \n{"a":2}\r\n')

    found, account = read(file)

    assert [(1, {"a": 1}), (4, {"a": 2})] == found
    assert 2 == account.records


def test_a_cut_tail_waits(file: Path) -> None:
    """A line that is still being written is neither a record nor broken."""
    file.write_bytes(b'{"a":1}\n{"a":')

    found, account = read(file)

    assert [(1, {"a": 1})] == found
    assert (5, []) == (account.waiting_bytes, account.bad)


def test_a_whole_tail_needs_no_line_ending(file: Path) -> None:
    """The last record of a finished file may lack its line ending."""
    file.write_bytes(b'{"a":1}\n{"a":2}')

    found, account = read(file)

    assert [(1, {"a": 1}), (2, {"a": 2})] == found
    assert 0 == account.waiting_bytes


def test_two_objects_on_one_line_are_both_read(file: Path) -> None:
    """A lost line ending loses no record."""
    file.write_bytes(b'{"a":1}{"a":2}\n{"a":3}\n')

    found, _ = read(file)

    assert [(1, {"a": 1}), (1, {"a": 2}), (2, {"a": 3})] == found


def test_a_damaged_end_of_a_line_does_not_cost_its_start(file: Path) -> None:
    """What could be read is kept, the rest is noted with its line."""
    file.write_bytes(b'{"a":1}{"a":\n{"a":3}\n')

    found, account = read(file)

    assert [(1, {"a": 1}), (2, {"a": 3})] == found
    assert [1] == [trouble.line for trouble in account.bad]


@pytest.mark.parametrize("line", [b"42", b"[1]", b'"text"', b"nonsense", b"\0\0\0", b"[" * 200_000])
def test_a_line_that_is_no_object_costs_only_itself(file: Path, line: bytes) -> None:
    """Anything else between two records is bad, and the records are read."""
    file.write_bytes(b'{"a":1}\n' + line + b'\n{"a":2}\n')

    found, account = read(file)

    assert [(1, {"a": 1}), (3, {"a": 2})] == found
    assert [2] == [trouble.line for trouble in account.bad]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b'{"a":"\xff"}', "�"),
        (b'\xef\xbb\xbf{"a":"bom"}', "bom"),
        (b'\0\0{"a":"nul"}', "nul"),
        (b'{"a":"half \\ud83d"}', "half ?"),
        (b'{"a":"tab\there"}', "tab\there"),
        ('{"a":"line\u2028separator"}'.encode(), "line\u2028separator"),
    ],
)
def test_odd_bytes_are_read_as_text_that_can_be_written(file: Path, line: bytes, text: str) -> None:
    """Broken UTF-8, half surrogates, NULs and a byte order mark leave a string that UTF-8 can hold."""
    file.write_bytes(line + b"\n")

    found, account = read(file)

    assert ([(1, {"a": text})], []) == (found, account.bad)
    assert text.encode()


def test_an_oversized_line_is_noted_and_passed_over(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the limit never fills the memory; the next ones are read."""
    monkeypatch.setattr(jsonl, "MAX_LINE_BYTES", 1024 * 1024)
    file.write_bytes(b'{"a":1}\n{"a":"' + b"x" * 5_000_000 + b'"}\n{"a":3}\n')

    found, account = read(file)

    assert [(1, {"a": 1}), (3, {"a": 3})] == found
    assert [Trouble(2, "a line of more than 1 MB")] == account.bad


def test_a_long_line_is_read_whole(file: Path) -> None:
    """A line of many megabytes is one record."""
    file.write_bytes(b'{"a":"' + b"x" * 10_000_000 + b'"}\n')

    found, _ = read(file)

    assert [(1, {"a": "x" * 10_000_000})] == found


def test_compressed_files_are_read_as_they_are(file: Path) -> None:
    """A zstd file is known by its first bytes, whatever its name."""
    file.write_bytes(zstandard.compress(b'{"a":1}\n{"a":2}\n'))

    found, _ = read(file)

    assert [(1, {"a": 1}), (2, {"a": 2})] == found


def test_without_the_package_a_compressed_file_names_the_command(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra: most agents compress nothing."""
    file.write_bytes(zstandard.compress(b'{"a":1}\n'))
    for module in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(SourceError, match=r"session\.jsonl: it is compressed with zstd, .*: pip install") as raised:
        list(jsonl.records(file, Account()))

    assert "pip install 'lerim[zstd]'" == raised.value.hint


@pytest.mark.parametrize("content", [None, b"\x28\xb5\x2f\xfdgarbage that is not zstd"])
def test_a_file_that_cannot_be_read_says_so(file: Path, content: bytes | None) -> None:
    """A missing file or a damaged archive names the file."""
    if content:
        file.write_bytes(content)

    with pytest.raises(SourceError, match=r"session\.jsonl"):
        list(jsonl.records(file, Account()))


def test_objects_of_a_line_without_any_is_an_error() -> None:
    """The caller learns why there is nothing."""
    with pytest.raises(ValueError, match="not an object"):
        jsonl.objects(b"[1]")


@pytest.mark.parametrize("depth", [300, 900, 5_000, 100_000])
def test_what_nests_too_deeply_costs_only_itself(file: Path, depth: int) -> None:
    """Whatever the depth and the version of Python; `NaN` makes the fast decoder give up."""
    file.write_bytes(b'{"a":1}\n{"a":[NaN,' + b"[" * depth + b"]" * depth + b']}\n{"a":2}\n')

    found, account = read(file)

    assert [1, 2, 3] == [number for number, _ in found]
    assert "[nested too deeply]" in json.dumps(found[1][1])
    assert [] == account.bad


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (b'{"type":"user","text":"hel{"type":"user","text":"again"}', [{"type": "user", "text": "again"}]),
        (b'{"type":"a","in":{"x":1}{"type":"b","y":2}', [{"type": "b", "y": 2}]),
        (b'{"type":"a"}{"type":"b","in":[{"type":"c"}{"type":"d"}', [{"type": "a"}, {"type": "d"}]),
        # What lies inside of a damaged record could be anybody's words.
        (b'{"type":"tool","result":[{"type":"user","text":"forged"}', []),
        (b'{"type":"tool","result":[{"type":"user","text":"forged"}]', []),
        (b'{"type":"tool","result":"{\\"type\\":\\"user\\"}', []),
    ],
)
def test_a_record_written_behind_one_that_was_cut_is_read(file: Path, line: bytes, kept: list[object]) -> None:
    """A program that crashed in the middle of a line and was started again goes on in the same line."""
    file.write_bytes(line + b"\n")

    found, account = read(file)

    assert kept == [record for _, record in found]
    assert 1 == len(account.bad)
    assert account.records == len(kept) + 1
