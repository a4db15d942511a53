"""The checks an agent ran in a session, each with how it ended, and where the user stopped the agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from lerim.ingest.sheet.page import SheetNote
from lerim.ingest.signals.summary_deeds import checks_in, is_failure
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Event, Happening, ToolCall, ToolResult

_STOPS = {
    Happening.INTERRUPTED: "the user stopped the agent",
    Happening.REJECTED: "the user rejected what the agent was about to do",
}
#: More checks in one turn are noise.
_MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One run of a check."""

    line: int
    name: str
    is_ok: bool


def check_runs(transcript: Transcript) -> list[CheckRun]:
    """Every check whose end the trace knows, in order."""
    called: dict[str, list[str]] = {}
    found: list[CheckRun] = []
    for numbered in transcript.lines:
        line = numbered.line
        if isinstance(line, ToolCall) and not line.undone and (names := checks_in(line.text)):
            called[line.call] = names
        elif isinstance(line, ToolResult) and (names := called.pop(line.call, [])):
            is_ok = not is_failure(line)
            found += [CheckRun(numbered.number, name, is_ok) for name in names]
    return found


def stops(transcript: Transcript) -> list[SheetNote]:
    """Where the user stopped the agent or refused a call, and what it was about to do."""
    last_call = ""
    found: list[SheetNote] = []
    for numbered in transcript.lines:
        line = numbered.line
        if isinstance(line, ToolCall):
            last_call = line.tool
        elif isinstance(line, Event) and line.kind in _STOPS and not line.undone:
            call = f" ({last_call})" if line.kind is Happening.REJECTED and last_call else ""
            found.append(SheetNote(numbered.number, _STOPS[line.kind] + call))
    return found


def told(runs: Iterable[CheckRun]) -> Iterator[SheetNote]:
    """The checks of one turn as a note: "pytest failed 3 times, then passed"."""
    listed = list(runs)
    names = list(dict.fromkeys(run.name for run in listed))
    if names:
        texts = [_course([run for run in listed if run.name == name]) for name in names[:_MOST_NAMES]]
        yield SheetNote(listed[-1].line, f"checks: {'; '.join(texts)}")


def _course(runs: list[CheckRun]) -> str:
    courses = [(is_ok, len(list(group))) for is_ok, group in groupby(runs, key=lambda run: run.is_ok)]
    steps = [f"{'passed' if is_ok else 'failed'}{f' {times} times' if times > 1 else ''}" for is_ok, times in courses]
    shown = steps if len(steps) <= 3 else [steps[0], "…", steps[-1]]
    return f"{runs[0].name} {', then '.join(shown)}"
