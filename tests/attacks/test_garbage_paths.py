"""Every command that is given a path, given garbage: a word on what is wrong and the next command, at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.cli.main import main
from lerim.examples import install
from lerim.service import Lerim
from lerim.sessions.session import SessionState

from ..conftest import Prepared
from ..samples import sampled

COMMAND = "import sys; from lerim.cli.main import main; sys.exit(main(sys.argv[1:]))"
DEEP = b"[" * 100_000
RECORD = b'{"type":"user","text":"hi","deep":%b}\n'


def _written(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


GARBAGE: dict[str, Callable[[Path], None]] = {
    "nothing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
    "broken link": lambda path: path.symlink_to(path.with_name("nowhere")),
    "link to itself": lambda path: path.symlink_to(path),
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "empty": _written(b""),
    "blanks": _written(b" \n\t\n"),
    "bytes": _written(bytes(range(256)) * 40),
    "no utf-8": _written(b"\xff\xfe\xed\xa0\xbd" * 400),
    "database head": _written(b"SQLite format 3\0" + b"\x10\x00\x02\x02" * 40),
    "deep list": _written(DEEP),
    "deep record": _written(RECORD % (b"[" * 5_000 + b"]" * 5_000)),
    "big number": _written(RECORD % (b"9" * 6_000)),
    "half an emoji": _written(b'{"type":"session","schema":1,"agent":"x","run_id":"\\ud83d","title":"\\ud83d"}\n'),
    "memory with half an emoji": _written(b'{"primitive":"decision","title":"\\ud83d","body":"x"}\n'),
    "memory with a big number": _written(b'{"primitive":"decision","title":"x","body":"y","x":%b}\n' % (b"9" * 6_000)),
    "deep front matter": _written(b"---\nid: dec-1\ntags: " + b"[" * 3_000 + b"\n---\n# x\n"),
    "null character": _written(b"---\nid: \0\n---\n\0"),
}
#: Names that no file system has, and such as a shell may hand over.
NAMES = ["a" * 5_000, "x\0y", "\udc80\udcff", " ", "../" * 2_000 + "x", "~nobody/x", "\x1b[2J"]
COMMANDS = [["ingest"], ["trace", "import"], ["memory", "import"], ["trace", "show"], ["sessions", "show"], ["skip"]]


def sit_down(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"HOME": str(home), "LERIM_HOME": str(home / ".lerim")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LERIM_CONFIG", raising=False)
    monkeypatch.chdir(home / "project")


def fill(home: Path) -> None:
    (home / "project").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        sit_down(home, patch)
        assert main(["init"]) == 0


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("machine"), fill)


@pytest.fixture
def machine(filled: Prepared, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = filled.anew()
    sit_down(home, monkeypatch)
    return home


def paired(first: Iterable[Any], second: Sequence[Any], every: int = 1) -> list[Any]:
    """Every pair in the drill; by default one of so many of the first with one of the second, in turn."""
    marks: dict[bool, list[pytest.MarkDecorator]] = {True: [], False: [pytest.mark.drill]}
    return [
        pytest.param(one, other, marks=marks[number % every == 0 and number % len(second) == place])
        for number, one in enumerate(first)
        for place, other in enumerate(second)
    ]


@pytest.mark.parametrize(("kind", "suffix"), paired(GARBAGE, [".jsonl", ".md"], 3))
def test_garbage_is_told_in_words(kind: str, suffix: str, machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing hangs, nothing is a traceback, and whoever is refused learns what to type next."""
    path = machine / f"garbage{suffix}"
    GARBAGE[kind](path)
    for command in COMMANDS:
        capsys.readouterr()
        code = main([*command, str(path)])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert code in {0, 3} or (said.err.startswith("lerim: ") and "try: " in said.err), (command, code, said)
        (said.out + said.err).encode()


@pytest.mark.parametrize(("name", "command"), paired(NAMES, COMMANDS))
def test_a_path_that_is_none_is_told_in_words(
    name: str, command: list[str], machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no answer, and no traceback."""
    try:
        code = main([*command, name])
    except SystemExit as ended:  # The parser's own refusal.
        code = int(str(ended.code))
    said = capsys.readouterr()
    assert code not in {0, 70}
    assert "Traceback" not in said.err


class Vanishing:
    """A session that was there when the disk was looked at."""

    def __init__(self, machine: Path) -> None:
        project = machine / "project"
        install(machine, project, datetime.now(UTC))
        self.files = [path for path in machine.rglob("*.jsonl") if ".claude" in path.parts]
        self.project = project


def _replaced(by: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        by(path)

    return replace


REPLACED: dict[str, Callable[[Path], None]] = {
    "vanished": lambda path: path.unlink(),
    "truncated": _written(b""),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "replaced by a folder": _replaced(lambda path: path.mkdir()),
    "replaced by a pipe": _replaced(os.mkfifo),
    "replaced by a device": _replaced(lambda path: path.symlink_to("/dev/zero")),
    "replaced by bytes": _written(bytes(range(256)) * 9),
}
UNRELATED = (["sessions", "list", "--all"], ["queue"], ["status"], ["unscoped"], ["audit"])


@pytest.mark.parametrize("fate", sampled(REPLACED, 3))
def test_a_file_that_changes_after_it_was_found_costs_only_its_session(fate: str, machine: Path) -> None:
    """Between the look at the disk and the reading anything may happen to a file; the other sessions are ingested."""
    victim = Vanishing(machine).files[0]
    with Lerim(machine / "project") as lerim:
        sessions = lerim.sessions.since(None)
        sessions.discover()
        known = {session.path: session for session in sessions.queue.list()}
        assert victim in known
        REPLACED[fate](victim)
        done = list(lerim.sync(sessions))
        others = [taken for taken in done if taken.session.path != victim]
        hit = [taken for taken in done if taken.session.path == victim]
        assert {SessionState.DONE} == {taken.state for taken in others}
        assert len(done) == len(known)
        assert hit[0].state in (SessionState.DONE, SessionState.FAILED, SessionState.SKIPPED)
        assert hit[0].reason or hit[0].state is SessionState.DONE


@pytest.mark.parametrize("fate", sampled(REPLACED, 3, 1))
def test_a_file_that_changed_does_not_fail_an_unrelated_command(
    fate: str, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even one that is given a file of the same name."""
    victim = Vanishing(machine).files[0]
    assert main(["sessions", "list", "--all"]) == 0
    other = machine / "elsewhere" / victim.name
    other.parent.mkdir()
    other.write_bytes(victim.read_bytes())
    REPLACED[fate](victim)
    for command in (
        ["sessions", "list", "--all"],
        ["queue"],
        ["status"],
        ["unscoped"],
        ["audit"],
        ["ingest", str(other)],
    ):
        assert main(command) == 0, (command, capsys.readouterr())
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.drill
@pytest.mark.parametrize("kind", ["pipe", "endless device", "link to itself"])
def test_what_never_ends_is_refused_at_once(kind: str, machine: Path) -> None:
    """In a process of its own, which would hang forever."""
    path = machine / "endless.jsonl"
    GARBAGE[kind](path)
    for command in COMMANDS[:3]:
        done = subprocess.run([sys.executable, "-c", COMMAND, *command, str(path)], capture_output=True, timeout=60)
        assert done.returncode in {1, 2, 3}, done
