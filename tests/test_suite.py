"""The suite and the drill: what one leaves out, the other runs, and both run before a change lands."""

from __future__ import annotations

import re
import shlex
import tomllib
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_no_test_is_in_neither() -> None:
    """Whatever its marks are."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    suite, drill = chosen(options["addopts"]), chosen(recipe("drill"))

    for marks in product([True, False], repeat=2):
        marked = dict(zip(("drill", "hypothesis"), marks, strict=True))
        # An expression on marks is one of Python, too.
        assert eval(suite, {}, marked) or eval(drill, {}, marked), marked


def test_the_suite_is_what_is_run_by_default() -> None:
    """`make test` chooses nothing, so it is what whoever types `pytest` gets."""
    assert " -m " not in recipe("test").partition("-m pytest")[2]


def test_both_run_before_a_change_lands() -> None:
    steps = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert {"make test", "make drill"} <= set(steps)


def recipe(target: str) -> str:
    """What make runs for a target."""
    found = re.search(rf"^{target}:.*\n\t(.*)", MAKEFILE, re.MULTILINE)
    assert found, target
    return found[1]


def chosen(options: str) -> str:
    """The expression on marks among the options of pytest."""
    words = shlex.split(options.partition("-m pytest")[2] or options)
    return words[words.index("-m") + 1]
