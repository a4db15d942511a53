"""A hundred thousand damaged lines: every source reads its golden files with any of their records mutated.

Whatever happens to a record, reading raises nothing but our own errors and accounts for every record; what is read is
redacted, archived and extracted from; and no message of a record that was left alone is lost.
"""

from __future__ import annotations

import gc
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lerim.errors import SourceError
from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.sessions.archive import archive, read_archived
from lerim.sources.base import SessionRef, Source
from lerim.sources.exports import export_of
from lerim.sources.gate import RedactedSource
from lerim.sources.redact import Redactor
from lerim.sources.registry import SOURCES
from lerim.sources.trace import MAX_PATH, MAX_SPOKEN_TEXT, MAX_TITLE, Assistant, Header, Line, User, Via

from ..samples import sampled
from . import mutations

SEED = 20261115
GOLDEN = Path(__file__).parent.parent / "sources"
EXPECTED = "expected.jsonl"
#: Damaged lines of each format in the default suite and, part by part, in the drill.
SAMPLE = 40
PARTS = [(SAMPLE, 0), *(pytest.param(mutations.PART, part, marks=pytest.mark.drill) for part in mutations.PARTS)]
#: One file in so many goes all the way into the archive and the extraction: that takes longer than all else.
THOROUGHLY = 12
OWN_WORDS = (Via.TYPED, Via.QUEUED)
#: Nobody may need more than this to say what a session was about.
LONGEST_TITLE = 200


@dataclass(frozen=True)
class GoldenFile:
    """A file of an agent as the records it is made of: lines, or the items of a document's list."""

    source: Source
    quirk: Path
    name: Path
    before: bytes
    records: tuple[bytes, ...]
    between: bytes
    after: bytes
    _holders: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.source.name}/{self.quirk.name}"

    def holders(self, text: str) -> tuple[int, ...]:
        """The numbers of the records that have exactly this text somewhere inside."""
        if text not in self._holders:
            wanted = _squeezed(text)
            self._holders[text] = tuple(
                number for number, record in enumerate(self.records, 1) if wanted in map(_squeezed, _texts(record))
            )
        return self._holders[text]

    def is_twin(self, number: int) -> bool:
        """Codex says everything twice: as what the model saw, and as what the person saw."""
        marks = (b'"user_message"', b'"agent_message"', b'"message"')
        record = self.records[number - 1]
        return self.source.name == "codex" and b'"compacted"' not in record and any(mark in record for mark in marks)

    def is_bookkeeping(self, number: int) -> bool:
        """Words that count by what other records did with them: a queued prompt is delivered, or given back."""
        return b"queue-operation" in self.records[number - 1]

    def written(self, records: Sequence[bytes]) -> bytes:
        return self.before + self.between.join(records) + self.after


def golden_files() -> Iterator[GoldenFile]:
    for source in SOURCES:
        for quirk in sorted(path for path in (GOLDEN / source.name).iterdir() if path.is_dir()):
            for path in sorted(quirk.rglob("*")):
                if path.is_file() and path.name != EXPECTED and path.suffix in {".json", ".jsonl", ".md", ".txt"}:
                    yield _taken_apart(source, quirk, path)


def _taken_apart(source: Source, quirk: Path, path: Path) -> GoldenFile:
    raw = path.read_bytes()
    name = path.relative_to(quirk)
    try:
        document = json.loads(raw)
    except ValueError:
        document = None
    # A tree has a file for each message.
    is_single = not {"storage", "events"}.isdisjoint(name.parts)
    listed = None if is_single else document if isinstance(document, list) else _listed(document)
    if document is not None and listed is None:
        return GoldenFile(source, quirk, name, b"", (json.dumps(document).encode(),), b"\n", b"\n")
    if listed is None:
        return GoldenFile(source, quirk, name, b"", tuple(raw.rstrip(b"\n").split(b"\n")), b"\n", b"\n")
    records = tuple(json.dumps(item).encode() for item in listed)
    if isinstance(document, list):
        return GoldenFile(source, quirk, name, b"[", records, b",\n", b"]")
    key = next(key for key, value in document.items() if value is listed)
    facts = json.dumps({name: value for name, value in document.items() if name != key}).encode()
    before = (facts[:-1] + b", " if len(facts) > 2 else b"{") + json.dumps(key).encode() + b": ["
    return GoldenFile(source, quirk, name, before, records, b",\n", b"]}")


def _listed(document: Any) -> list[Any] | None:
    values = document.values() if isinstance(document, dict) else ()
    lists = [value for value in values if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict)]
    return lists[0] if lists else None


def _texts(record: bytes) -> Iterator[str]:
    """Every text in a record."""
    try:
        waiting = [json.loads(record)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


def _squeezed(text: str) -> str:
    return "".join(text.split())


FILES = list(golden_files())


class Desk:
    """A place where golden files are damaged and read: through the source, the gate, the archive, the extraction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = EmbeddedEngine()
        self.read_lines = 0

    def root_of(self, golden: GoldenFile) -> Path:
        root = self.folder / golden.source.name / golden.quirk.name
        if not root.exists():
            shutil.copytree(golden.quirk, root, ignore=shutil.ignore_patterns(EXPECTED))
        return root

    def read(self, golden: GoldenFile, raw: bytes, *, thoroughly: bool = False) -> list[Line] | None:
        """The lines of the file's sessions; None when the source says that there is nothing. Puts the file back.

        Thoroughly: into the archive and back, and what can be learned from it.
        """
        root = self.root_of(golden)
        path = root / golden.name
        before = path.read_bytes()
        path.write_bytes(raw)
        try:
            return self._lines(golden, root, path, thoroughly)
        finally:
            path.write_bytes(before)

    def _lines(self, golden: GoldenFile, root: Path, path: Path, thoroughly: bool) -> list[Line] | None:
        source = RedactedSource(golden.source, (), lambda header: Redactor(b"salt"))
        assert isinstance(source.accepts(path), bool)
        found: list[Line] = []
        try:
            for ref in self._refs(source, root, path):
                found += self._archived(source, ref) if thoroughly else self._listed(source, ref)
        except SourceError as error:
            assert error.message
            return None
        return found

    def _listed(self, source: RedactedSource, ref: SessionRef) -> list[Line]:
        reading = source.read(ref)
        lines = list(reading.lines)
        assert reading.account.is_balanced, (ref, reading.account)
        return lines

    def _refs(self, source: RedactedSource, root: Path, path: Path) -> list[SessionRef]:
        refs = [ref for held in source.containers(root) for ref in source.sessions(held)]
        return [ref for ref in refs if ref.path == path] or refs or [SessionRef(source.name, path, path.stem)]

    def _archived(self, source: RedactedSource, ref: SessionRef) -> list[Line]:
        assert isinstance(source.header(ref), Header)
        done = archive(source.read(ref), self.folder / "archive.jsonl")
        assert done.account.is_balanced, (ref, done.account)
        items = [item for _, item in read_archived(done.path)]
        header, lines = items[0], [item for item in items[1:] if isinstance(item, Line)]
        assert isinstance(header, Header)
        _is_bounded(header, lines)
        for number in (done.facts.input_tokens, done.facts.output_tokens, done.facts.turns):
            assert -(2**63) <= number < 2**63
        self._extracted(done.path)
        done.path.unlink()
        return lines

    def _extracted(self, path: Path) -> None:
        transcript = Transcript.read(path)
        found = extract(transcript, self.engine)
        for candidate in (*found.candidates, *found.review):
            assert len(candidate.title) <= LONGEST_TITLE
        assert len(summarize(transcript, self.engine).title) <= LONGEST_TITLE


def _is_bounded(header: Header, lines: Sequence[Line]) -> None:
    assert len(header.title or "") <= MAX_TITLE
    assert len(header.cwd or "") <= MAX_PATH
    for line in lines:
        assert len(line.text) <= MAX_SPOKEN_TEXT + 100
        for name in ("tool", "call", "branch"):
            assert len(getattr(line, name, None) or "") <= MAX_PATH


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(tmp_path_factory.mktemp("desk"))


def test_every_source_has_records_to_damage() -> None:
    """No source slips through because its golden files are of another kind; databases have drills of their own."""
    counted = Counter(golden.source.name for golden in FILES for _ in golden.records)

    assert {source.name for source in SOURCES} == set(counted)


#: Of five thousand damaged lines of a format. Some records count through another one: an answer by its question, a turn
#: of a fork by the one before it, a file by its first line. When that is the damaged one, theirs are lost with it.
MOST_LOST = 3


@pytest.mark.parametrize("name", [source.name for source in SOURCES])
@pytest.mark.parametrize(("lines", "part"), PARTS)
def test_damaged_lines_cost_only_themselves(desk: Desk, name: str, lines: int, part: int) -> None:
    dice = random.Random(SEED + part)
    files = [golden for golden in FILES if golden.source.name == name]
    clean = {id(golden): desk.read(golden, golden.written(golden.records)) for golden in files}
    if not any(clean.values()):
        pytest.skip("a database, which has drills of its own")
    damaged, rounds = 0, 0
    lost: list[str] = []
    raised: list[str] = []
    while damaged < lines:
        golden = files[rounds % len(files)] if rounds < len(files) else dice.choice(files)
        rounds += 1
        count, hit, raw = _damaged(golden, dice)
        damaged += count
        where = f"{golden} {golden.name} round {rounds}"
        try:
            found = desk.read(golden, raw, thoroughly=rounds % THOROUGHLY == 0)
            lost += [f"{where}: lost {text!r:.80}" for text in _lost(golden, clean[id(golden)], found, hit)]
        except Exception as error:
            raised.append(f"{where}: {type(error).__name__}: {error!s:.200}")
    assert [] == raised, f"{len(raised)} of {rounds} files:\n" + "\n".join(raised[:20])
    # They come in twos and threes where one file has many such records: a few in a part of a drill, none in a sample.
    assert len(lost) <= MOST_LOST * (lines // mutations.PART), "\n".join(lost[:20])


def _damaged(golden: GoldenFile, dice: random.Random) -> tuple[int, set[int], bytes]:
    """How many records are mutated, the numbers from 1 of those that may be gone, and the file."""
    share = dice.choice((0.2, 0.5, 0.9))
    hit = {number for number in range(1, len(golden.records) + 1) if dice.random() < share}
    hit = hit or {dice.randint(1, len(golden.records))}
    records = [
        mutations.mutated(record, dice) if number in hit else record for number, record in enumerate(golden.records, 1)
    ]
    count = len(hit)
    if golden.between != b"\n":
        # An item that lost a closing bracket takes those behind it in as its own: nobody can tell them apart.
        open_from = min((number for number in hit if _is_open(records[number - 1])), default=len(records))
        hit.update(range(open_from, len(records) + 1) if open_from < len(records) else ())
    raw = golden.written(records)
    if golden.between == b"\n" and dice.random() < 0.1:
        raw = raw.replace(b"\n", b"\r\n")
    return count, hit, raw


def _is_open(record: bytes) -> bool:
    return any(record.count(begin) > record.count(end) for begin, end in ((b"[", b"]"), (b"{", b"}")))


def _lost(golden: GoldenFile, clean: list[Line] | None, found: list[Line] | None, hit: set[int]) -> Iterator[str]:
    """What was said in records that were left alone, and is nowhere in what was read."""
    if clean is None or (golden.between == b"\n" and not golden.records[0].startswith(b"{")):
        return
    # A trace of one's own is known for one by its first line, and by nothing else.
    if golden.source.name == "custom" and 1 in hit:
        return
    # A twin that has a blank or a line ending more says the same.
    texts = {_squeezed(line.text) for line in found or ()}
    # An answer or a plan is the user's only by the tool that asked for it, which is another record.
    said = [line for line in clean if isinstance(line, Assistant) or (isinstance(line, User) and line.via in OWN_WORDS)]
    said = [line for line in said if _squeezed(line.text) not in texts]
    for line in said:
        holders = [number for number in golden.holders(line.text) if not golden.is_bookkeeping(number)]
        twins = [number for number in holders if golden.is_twin(number)]
        # Either of two twins is enough; else the words must stand in one place only, and that was left alone.
        if any(number not in hit for number in twins) or (line.src in holders and not hit.intersection(holders)):
            yield line.text


#: Steps of a file four times as long, to those of the file: a little more than four, as a file has a head.
MOST_GROWTH = 5.0


def _steps(work: Callable[[], object]) -> int:
    """How many calls a piece of work takes: the same on every machine, whatever else it does."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    # Python 3.11.2, which Debian has, crashes when it looks for garbage below a profile function.
    gc.disable()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


@pytest.mark.parametrize("name", sampled([source.name for source in SOURCES], 4))
def test_reading_grows_with_the_file_and_no_faster(desk: Desk, name: str) -> None:
    """Four times the damaged records take four times the steps: nothing looks at all of them again for each."""
    dice = random.Random(SEED)
    golden = max((file for file in FILES if file.source.name == name), key=lambda file: len(file.records))
    kept = golden.records[: 1 if golden.between == b"\n" else 0]
    damaged = [mutations.mutated(dice.choice(golden.records), dice)[:4_000] for _ in range(40)]

    def read(times: int) -> int:
        sound = golden.records * len(damaged)
        pairs = [record for pair in zip(sound, damaged, strict=False) for record in pair]
        records = [*kept, *pairs * times]
        return _steps(lambda: desk.read(golden, golden.written(records)))

    read(1)
    assert read(4) <= MOST_GROWTH * read(1)


# --- exports of platforms -----------------------------------------------------------------------------------------


def _raw(golden: GoldenFile) -> bytes:
    return golden.written(golden.records)


#: Forms that a platform writes, each with a golden folder of that name.
EXPORTS = [
    golden
    for golden in FILES
    if golden.source.name == "custom"
    and golden.quirk.name.startswith(("otel", "lang", "anthropic", "responses", "chatgpt", "claude_ai", "people"))
]


#: Those with a record on each line; a document of one record is damaged as a whole, and has less to lose.
BY_LINE = [
    golden for golden in EXPORTS if golden.between == b"\n" and len(golden.records) > 1 and export_of(_raw(golden))
]


@pytest.mark.parametrize("golden", EXPORTS, ids=str)
def test_each_export_survives_its_own_damage(desk: Desk, golden: GoldenFile) -> None:
    """The same for each form by itself."""
    dice = random.Random(SEED)
    clean = desk.read(golden, golden.written(golden.records))
    damaged = rounds = 0
    lost: list[str] = []
    while damaged < SAMPLE // 20:
        rounds += 1
        count, hit, raw = _damaged(golden, dice)
        damaged += count
        found = desk.read(golden, raw, thoroughly=rounds % THOROUGHLY == 0)
        lost += _lost(golden, clean, found, hit)
    assert [] == lost


@pytest.mark.parametrize(("lines", "part"), PARTS)
@pytest.mark.parametrize("golden", BY_LINE, ids=str)
def test_many_damaged_lines_of_each_export(golden: GoldenFile, lines: int, part: int) -> None:
    """As above, in memory: a disk would make it a day's work."""
    dice = random.Random(SEED - part)
    clean = _exported(_raw(golden))
    damaged = 0
    lost: list[str] = []
    while damaged < lines:
        count, hit, raw = _damaged(golden, dice)
        damaged += count
        lost += _lost(golden, clean, _exported(raw), hit)
    assert len(lost) <= MOST_LOST * lines // 10_000, lost[:20]


def _exported(raw: bytes) -> list[Line]:
    lines: list[Line] = []
    for talk in export_of(raw):
        account = deepcopy(talk.account)
        lines += talk.lines(account)
        assert account.is_balanced
    return lines
