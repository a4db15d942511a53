"""A hundred thousand damaged lines: every source reads its golden sessions with any of their records mutated.

Whatever happens to a record, reading raises nothing but our own errors and accounts for every record; what is read is
redacted, archived and extracted from; and no record that was left alone is lost. `golden_records` says what that means.
"""

from __future__ import annotations

import gc
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from types import FrameType

import pytest

from lerim.errors import SourceError
from lerim.ingest.extract import extract
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.summarize import summarize
from lerim.ingest.transcript import Transcript
from lerim.sessions.archive import archive, read_archived
from lerim.sources.base import SessionRef
from lerim.sources.exports import export_of
from lerim.sources.gate import RedactedSource
from lerim.sources.redact import Redactor
from lerim.sources.registry import SOURCES
from lerim.sources.trace import MAX_PATH, MAX_SPOKEN_TEXT, MAX_TITLE, Header, Line

from ..samples import sampled
from . import mutations
from .golden_records import EXPECTED, GoldenFolder, golden_folders, lost

SEED = 20261115
#: Damaged lines of each format in the default suite and, part by part, in the drill.
SAMPLE = 40
PARTS = [(SAMPLE, 0), *(pytest.param(mutations.PART, part, marks=pytest.mark.drill) for part in mutations.PARTS)]
#: One session in so many goes all the way into the archive and the extraction: that takes longer than all else.
THOROUGHLY = 12
#: Nobody may need more than this to say what a session was about.
LONGEST_TITLE = 200
FOLDERS = list(golden_folders())


class Desk:
    """A place where golden sessions are damaged and read: through the source, the gate, the archive, the extraction."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.engine = EmbeddedEngine()

    def root_of(self, golden: GoldenFolder) -> Path:
        root = self.folder / golden.source.name / golden.path.name
        if not root.exists():
            shutil.copytree(golden.path, root, ignore=shutil.ignore_patterns(EXPECTED))
            for file in golden.files:
                (root / file.name).write_bytes(file.raw)
        return root

    def read(self, golden: GoldenFolder, written: dict[Path, bytes], *, thoroughly: bool = False) -> list[Line]:
        """The lines of all sessions in a folder with some of its files as given. Puts them back.

        Thoroughly: into the archive and back, and what can be learned from it.
        """
        root = self.root_of(golden)
        for name, raw in written.items():
            (root / name).write_bytes(raw)
        try:
            return self._lines(golden, root, thoroughly)
        finally:
            for file in golden.files:
                if file.name in written:
                    (root / file.name).write_bytes(file.raw)

    def _lines(self, golden: GoldenFolder, root: Path, thoroughly: bool) -> list[Line]:
        source = RedactedSource(golden.source, (), lambda header: Redactor(b"salt"))
        found: list[Line] = []
        for ref in self._refs(source, golden, root):
            assert isinstance(source.accepts(ref.path), bool)
            try:
                found += self._archived(source, ref) if thoroughly else self._listed(source, ref)
            except SourceError as error:
                assert error.message
        return found

    def _refs(self, source: RedactedSource, golden: GoldenFolder, root: Path) -> list[SessionRef]:
        """The sessions of a folder as the agent has it; of loose files, those in each."""
        if found := list(self._sessions(source, root)):
            return found
        for file in golden.files:
            path = root / file.name
            found += list(self._sessions(source, path)) or [SessionRef(source.name, path, path.stem)]
        return found

    def _sessions(self, source: RedactedSource, root: Path) -> Iterator[SessionRef]:
        for held in source.containers(root):
            try:
                yield from source.sessions(held)
            except SourceError as error:
                assert error.message

    def _listed(self, source: RedactedSource, ref: SessionRef) -> list[Line]:
        reading = source.read(ref)
        lines = list(reading.lines)
        assert reading.account.is_balanced, (ref, reading.account)
        return lines

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


#: Sources whose sessions are in databases alone: their rows are damaged in test_damaged_databases.
DATABASES = {"crush", "zed"}


def test_every_source_has_records_to_damage(desk: Desk) -> None:
    """No source slips through because its golden files are of another kind, or are not read."""
    told = {folder.source.name for folder in FOLDERS if any(desk.read(folder, {}))}

    assert {source.name for source in SOURCES} - DATABASES == told


@pytest.mark.parametrize("name", [source.name for source in SOURCES if source.name not in DATABASES])
@pytest.mark.parametrize(("lines", "part"), PARTS)
def test_damaged_lines_cost_only_themselves(desk: Desk, name: str, lines: int, part: int) -> None:
    gone, raised = damage(desk, name, lines, SEED + part)

    assert [] == raised
    assert [] == gone


def damage(desk: Desk, name: str, lines: int, seed: int) -> tuple[list[str], list[str]]:
    """What is lost, and what is raised, when so many records of a format are damaged."""
    dice = random.Random(seed)
    folders = [folder for folder in FOLDERS if folder.source.name == name and desk.read(folder, {})]
    words = [folder.words(lambda written, folder=folder: desk.read(folder, written)) for folder in folders]
    damaged, rounds = 0, 0
    gone: list[str] = []
    raised: list[str] = []
    while damaged < lines:
        at = rounds if rounds < len(folders) else dice.randrange(len(folders))
        rounds += 1
        hit, written = folders[at].damaged(dice)
        damaged += len(hit)
        where = f"{folders[at]} round {rounds}"
        try:
            found = desk.read(folders[at], written, thoroughly=rounds % THOROUGHLY == 0)
            gone += [f"{where}: {text:.120}" for text in lost(words[at], hit, found)]
        except Exception as error:
            raised.append(f"{where}: {type(error).__name__}: {error!s:.200}")
    return gone, raised


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


@pytest.mark.parametrize("name", sampled([source.name for source in SOURCES if source.name not in DATABASES], 4))
def test_reading_grows_with_the_file_and_no_faster(desk: Desk, name: str) -> None:
    """Four times the damaged records take four times the steps: nothing looks at all of them again for each."""
    dice = random.Random(SEED)
    folders = [folder for folder in FOLDERS if folder.source.name == name and desk.read(folder, {})]
    folder, file = max(((held, file) for held in folders for file in held.files), key=lambda pair: len(pair[1].records))
    kept = file.records[: 1 if file.between == b"\n" else 0]
    damaged = [mutations.mutated(dice.choice(file.records), dice)[:4_000] for _ in range(40)]

    def read(times: int) -> int:
        sound = file.records * len(damaged)
        pairs = [record for pair in zip(sound, damaged, strict=False) for record in pair]
        records = [*kept, *pairs * times]
        return _steps(lambda: desk.read(folder, {file.name: file.written(records)}))

    read(1)
    assert read(4) <= MOST_GROWTH * read(1)


# --- exports of platforms -----------------------------------------------------------------------------------------


#: Forms that a platform writes, each with a golden folder of that name.
EXPORTS = [
    folder
    for folder in FOLDERS
    if folder.source.name == "custom"
    and folder.path.name.startswith(("otel", "lang", "anthropic", "responses", "chatgpt", "claude_ai", "people"))
]


def _exported(written: dict[Path, bytes]) -> list[Line]:
    lines: list[Line] = []
    for talk in (talk for raw in written.values() for talk in export_of(raw)):
        account = deepcopy(talk.account)
        lines += talk.lines(account)
        assert account.is_balanced
    return lines


def _whole(folder: GoldenFolder) -> dict[Path, bytes]:
    return {file.name: file.raw for file in folder.files}


#: Those with a record on each line. What is left of a damaged document is found by whoever reads its file.
TOLD = [folder for folder in EXPORTS if folder.files[0].between == b"\n" and _exported(_whole(folder))]


@pytest.mark.parametrize(("lines", "part"), PARTS)
@pytest.mark.parametrize("folder", TOLD, ids=str)
def test_many_damaged_records_of_each_export(folder: GoldenFolder, lines: int, part: int) -> None:
    """The same for each form by itself, in memory."""
    dice = random.Random(SEED - part)
    words = folder.words(lambda written: _exported(_whole(folder) | written))
    damaged = 0
    gone: list[str] = []
    while damaged < lines:
        hit, written = folder.damaged(dice)
        damaged += len(hit)
        gone += lost(words, hit, _exported(_whole(folder) | written))
    assert [] == gone
