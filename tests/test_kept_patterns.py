"""Patterns are compiled once, and are what Python makes of them whatever lies on disk."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "lerim"
#: A package of ours whose modules make patterns as they are loaded, later, and of what somebody wrote.
_MODULES = {
    "lerim/plain.py": """
        import re
        from lerim.glance import Together
        from lerim.lazy_regex import compile_later

        WORDS = "|".join(f"word{number}" for number in range(40))
        FORM = r"(?P<first>\\b%d(?:" + WORDS + r"))\\s+(?:é|[À-ɏ]+|\\d{%d})"
        SEEN = [re.compile(FORM % (number, number), re.I) for number in range(1, 160)]
        LATER = compile_later(r"(?i:(later)(?P<name>[a-z]+))")
        TOGETHER = Together().seldom(r"seldom \\w+", re.IGNORECASE)

        def written(text):
            return re.compile(f"({text}){{1,3}}")
    """,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Lerim's own folder, with nothing in it."""
    folder = tmp_path / "home" / ".lerim"
    folder.mkdir(parents=True, mode=0o700)
    return folder


def _run(home: Path, code: str, *, worth: float = 0.0) -> str:
    """What a process prints that keeps patterns, however quickly they were compiled."""
    modules = home.parent / "modules"
    for name, text in _MODULES.items():
        path = modules / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    began = f"""
        import os, re, sys
        import lerim
        lerim.__path__.append({str(modules / "lerim")!r})
        from lerim import kept_patterns
        kept_patterns._WORTH_IT = {worth}
        compiled = []
        kept_patterns._KeptPatterns._compiled = (
            lambda self, pattern, flags, digest, own=kept_patterns._KeptPatterns._compiled:
            compiled.append(pattern) or own(self, pattern, flags, digest)
        )
        kept_patterns.keep_patterns(os.environ)
    """
    env = {"HOME": str(home.parent), "PYTHONPATH": str(PACKAGE.parent), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", dedent(began) + dedent(code)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


_FIND = """
    from lerim.plain import SEEN, LATER, TOGETHER
    found = SEEN[3].search("4WORD7  Éa"), LATER.search("LATERon"), TOGETHER.search("a Seldom one")
    print([each and (each.group(0), each.groupdict()) for each in found], len(compiled))
"""
_FOUND = "[('4WORD7  É', {'first': '4WORD7'}), ('LATERon', {'name': 'on'}), ('Seldom one', {})]"


def _file(home: Path) -> Path:
    (path,) = (home / "cache").iterdir()
    return path


def test_the_next_process_compiles_nothing(home: Path) -> None:
    assert _run(home, _FIND) == f"{_FOUND} 161"
    assert _run(home, _FIND) == f"{_FOUND} 0"


def test_what_is_kept_is_what_python_compiles(home: Path) -> None:
    _run(home, _FIND)
    code = """
        from lerim.plain import SEEN
        anew = [re.compile(each.pattern + "(?#)", each.flags) for each in SEEN]
        re.purge()
        same = [re.compile(each.pattern, re.I) for each in SEEN]  # Not of a module of ours: compiled by Python itself.
        print(len(compiled), same == SEEN, anew == SEEN, all(a.groupindex == b.groupindex for a, b in zip(same, SEEN)))
    """
    assert _run(home, code) == "0 True False True"


def test_a_quick_command_writes_nothing(home: Path) -> None:
    _run(home, _FIND, worth=60.0)
    assert not (home / "cache").exists()


def test_without_a_folder_of_lerims_own_none_is_made(home: Path) -> None:
    home.rmdir()
    assert _run(home, _FIND).startswith(_FOUND)
    assert not home.exists()


def test_a_folder_that_others_can_write_to_is_not_trusted(home: Path) -> None:
    _run(home, _FIND)
    home.chmod(0o770)
    assert _run(home, "from lerim.plain import SEEN; print(kept_patterns._cache_folder(os.environ))") == "None"
    home.chmod(0o700)
    _file(home).chmod(0o620)
    assert _run(home, _FIND) == f"{_FOUND} 161"


@pytest.mark.parametrize("damage", ["empty", "cut", "noise", "flipped", "swapped", "count"])
def test_a_damaged_file_changes_nothing_that_is_found(home: Path, damage: str) -> None:
    _run(home, _FIND)
    path = _file(home)
    data = path.read_bytes()
    damaged = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "noise": b"\xff" * len(data),
        "flipped": bytes(byte ^ 0x55 if at % 97 == 0 else byte for at, byte in enumerate(data)),
        "swapped": data[:4] + data[4:][::-1],
        "count": b"\xff\xff\xff\x7f" + data[4:],
    }[damage]
    path.write_bytes(damaged)
    assert _run(home, _FIND).startswith(_FOUND)
    # What was compiled again is kept again.
    assert _run(home, _FIND) == f"{_FOUND} 0"


def test_code_that_python_does_not_take_is_compiled_anew(home: Path) -> None:
    """The checksum is right, and what it is of is wrong."""
    _run(home, _FIND)
    spoil = """
        import marshal
        from pathlib import Path
        path = str(next(Path(os.environ["HOME"], ".lerim", "cache").iterdir()))
        kept = kept_patterns._KeptPatterns(path, re._compiler)
        wrong = [(34, 9999, {}, b"12345678"), (34, 0, {}, b"123"), (34, 1, {"a": 7}, b""), "text", None]
        kept_patterns._put(path, {each: marshal.dumps(wrong[at % 5]) for at, each in enumerate(kept._places)})
    """
    _run(home, spoil)
    assert _run(home, _FIND) == f"{_FOUND} 161"


def test_what_somebody_wrote_is_never_kept(home: Path) -> None:
    code = """
        from lerim.plain import SEEN, written
        before = len(compiled)
        print(written("mysecretword").search("mysecretwordmysecretword").group())
        print(re.compile("(of|another|module) mysecretword").pattern)
        print(len(compiled) - before)
    """
    assert _run(home, code).splitlines() == ["mysecretword" * 2, "(of|another|module) mysecretword", "0"]
    assert _file(home).exists()


def test_an_error_in_a_pattern_is_python_s_own(home: Path) -> None:
    code = """
        try:
            re.compile("(open")
        except re.error as error:
            print(error)
    """
    assert _run(home, code) == "missing ), unterminated subpattern at position 0"


def test_a_full_folder_or_one_that_is_a_file_loses_nothing(home: Path) -> None:
    (home / "cache").write_text("no folder")
    assert _run(home, _FIND).startswith(_FOUND)


def test_patterns_to_be_compiled_later_are_made_as_modules_are_loaded() -> None:
    """They are kept whoever looks for them first, and so must not hold what somebody wrote."""
    assert [made for path in sorted(PACKAGE.rglob("*.py")) for made in _made_late(path)] == []


def _made_late(path: Path) -> list[str]:
    """Where a module makes a pattern to be compiled later in a function that functions call."""
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)]
    called = {function.name: {call for call in map(_name_called, ast.walk(function)) if call} for function in functions}
    within = set().union(*called.values())
    return [f"{path.name}: {name}" for name, calls in called.items() if "compile_later" in calls and name in within]


def _name_called(node: ast.AST) -> str | None:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def test_a_library_keeps_its_own_re() -> None:
    assert re._compiler.compile.__module__ == "re._compiler"  # type: ignore[attr-defined]
