"""Nothing that a terminal would obey reaches it, whoever wrote it and whatever command prints it; honest text stays."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import pytest

import lerim
from lerim.cli.command import Command
from lerim.cli.main import NOUNS
from lerim.printable import json_text, one_line, printable

from .terminals import CLASSES, HONEST, MARK, forbidden, whole
from .typist import COMMANDS, every_line

HERE = Path(__file__).parent
CLI = Path(lerim.__file__).parent / "cli"
#: The styles of Lerim's own: nothing else may look like them.
OWN = re.compile(r"\x1b\[(?:0|1|2|31|32|33|36|1;32|1;33)m|\r\x1b\[K|\r(?=[a-z ]+ \[#*\.*\])")


@pytest.mark.parametrize("name", CLASSES)
def test_what_a_terminal_would_obey_is_spelled_out(name: str) -> None:
    """In a text, on a line, and in JSON, which still says the same."""
    text = f"before {CLASSES[name]} after"

    for shown in (printable(text), one_line(text), json_text(json.dumps(text, ensure_ascii=False))):
        assert set() == forbidden(shown)
        assert shown.startswith(("before ", '"before '))
        assert "\n" not in shown
    assert text == json.loads(json_text(json.dumps(text, ensure_ascii=False)))


def test_a_half_of_a_character_is_spelled_out() -> None:
    """As sessions that were cut hold it."""
    assert "a \\ud83d b" == printable("a \ud83d b")
    assert "a \ud83d b" == json.loads(json_text(json.dumps("a \ud83d b", ensure_ascii=False)))


@pytest.mark.parametrize("text", HONEST)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    """Every script, accents, emoji families, skins and flags; and lines and tabs where they belong."""
    assert text == printable(text) == one_line(text)
    assert f"- {text}\n\t- {text}\n" == printable(f"- {text}\r\n\t- {text}\n")


def test_making_safe_twice_changes_nothing() -> None:
    """So that nobody needs to know whether it was done."""
    assert printable(whole()) == printable(printable(whole()))


def test_only_one_module_prints() -> None:
    """A command that wrote past it could forget to make its words safe."""
    found = {
        f"{path.name}:{node.lineno}"
        for path in CLI.glob("*.py")
        if path.name != "output.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and _prints(ast.unparse(node.func))
    }

    assert set() == found


def _prints(name: str) -> bool:
    return name in ("print", "input", "os.write") or bool(
        re.search(r"(stdout|stderr)\.(buffer\.)?(write|writelines)$", name)
    )


def test_every_command_is_typed() -> None:
    """A new command gets its line among those that follow."""
    every = set()
    for noun, (module, _) in NOUNS.items():
        commands = import_module(module).COMMANDS.all
        alone = any(command.name == noun for command in commands)
        every |= {noun} if alone else {f"{noun} {c.name}" for c in commands if not is_noun(c)}

    assert every == COMMANDS.keys() - {""}


def is_noun(command: Command) -> bool:
    """Whether it stands by itself, and is typed so."""
    nouns = import_module(NOUNS[command.name][0]).COMMANDS.all if command.name in NOUNS else []
    return any(command.run is noun.run for noun in nouns)


@pytest.mark.drill
@pytest.mark.parametrize("to", ["pipe", "terminal"])
def test_no_command_prints_what_a_terminal_would_obey(tmp_path: Path, to: str) -> None:
    """In a world where sessions, memories, files, projects, candidates and arguments are all hostile."""
    said = _typed_to_pipe(tmp_path) if to == "pipe" else _typed_to_terminal(tmp_path)

    parts = re.split(r"\n#(\d+)#\n", said.replace("\r\n", "\n"))
    lines = every_line(programs=to == "pipe")
    assert len(lines) == int(parts[-2]), said[-2000:]
    told = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
    for number, line in enumerate(lines):
        shown = OWN.sub("", told[number])
        assert set() == forbidden(shown), (line[:2], shown)
        assert "Traceback" not in shown, (line[:2], shown)
        if "--json" in line:
            json.loads(next((row for row in shown.split("\n") if row[:1] in ("{", "[")), "null"))
    # It was there to be printed: in most of what was said, by all the nouns that tell of sessions and memories.
    planted = {lines[number][0] for number, shown in told.items() if number < len(lines) and MARK in shown}
    assert planted >= {
        "memory",
        "sync",
        "review",
        "why",
        "search",
        "sessions",
        "trace",
        "queue",
        "unscoped",
        "runs",
        "ask",
    }


def _typed_to_pipe(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / "typist.py"), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=200,
    )
    return done.stdout.decode("utf-8")


def _typed_to_terminal(folder: Path) -> str:
    master, slave = pty.openpty()
    # As a person's terminal has it: libraries behave in tests and pipelines.
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "PYTEST_VERSION")}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "typist.py"), str(folder), str(master)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=plain,
        pass_fds=[master],
    )
    os.close(slave)
    said: list[bytes] = []

    def listen() -> None:
        # The last number ends it: the victim holds both ends of the terminal.
        while not b"".join(said[-3:]).rstrip().endswith(f"#{len(every_line(programs=False))}#".encode()):
            said.append(os.read(master, 65536))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    process.wait(timeout=200)
    listener.join(timeout=10)
    os.close(master)
    return b"".join(said).decode("utf-8")
