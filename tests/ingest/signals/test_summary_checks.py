"""Checks in a session: which of them passed, whatever else ran in the same command or stood in what it printed."""

from __future__ import annotations

import pytest

from lerim.ingest.signals.summary_checks import checks_in, has_passed
from lerim.sources.trace import ToolResult


def passed(command: str, output: str, exit_code: int = 0) -> dict[str, bool]:
    result = ToolResult(text=output, call="c1", ok=exit_code == 0, exit_code=exit_code)
    return {name: has_passed(name, command, result) for name in checks_in(command)}


@pytest.mark.parametrize(
    ("command", "output", "exit_code", "outcome"),
    [
        ("npm test && git push", "Tests 14 passed (14)\nerror: failed to push some refs", 1, {"npm test": True}),
        ("pytest -q; rm missing.txt", "9 passed in 1s\nrm: cannot remove", 1, {"pytest": True}),
        ("npm test && git push", "Tests 1 failed | 13 passed", 1, {"npm test": False}),
        ("ruff check && pytest -q", "All checks passed!\n2 failed, 7 passed", 1, {"ruff check": True, "pytest": False}),
        ("ruff check && pytest -q", "E501 line too long\nFound 1 error.", 1, {"ruff check": False, "pytest": False}),
        ("cargo test", "thread panicked", 101, {"cargo test": False}),
    ],
)
def test_what_else_a_command_runs_is_not_laid_on_its_tests(command, output, exit_code, outcome):
    assert outcome == passed(command, output, exit_code)


@pytest.mark.parametrize(
    "output",
    [
        "ok 1 - a FAILED payment is tried again\nok 2 - shows what failed",
        "PASS tests/test_failed_login.ts\nTests 8 passed (8)",
        "Found 3 errors (3 fixed, 0 remaining).",
        "0 problems (0 errors, 0 warnings)",
    ],
)
def test_a_test_that_is_named_for_a_failure_has_not_failed(output):
    assert {"npm test": True} == passed("npm test", output)


@pytest.mark.parametrize(
    "output",
    [
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "test sums ... FAILED",
        "BUILD FAILED in 3s",
        "2 problems (2 errors, 0 warnings)",
        "not ok 3 - rounds half up",
        "Found 2 errors in 1 file (checked 9 source files)",
    ],
)
def test_a_pipe_hides_no_failure(output):
    assert {"npm test": False} == passed("npm test 2>&1 | tail -5", output)
