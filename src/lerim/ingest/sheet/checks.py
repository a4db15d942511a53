"""The checks an agent ran in a session, each with how it ended; stops, and templates that programs put in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from lerim.ingest.sheet.page import SheetNote, clip
from lerim.ingest.signals.summary_checks import checks_in, has_passed
from lerim.ingest.signals.summary_deeds import refused_calls
from lerim.ingest.transcript import OutsideWords, Transcript
from lerim.sources.trace import Event, Happening, Injected, Injection, ToolCall, ToolResult, User

_STOPS = {
    Happening.INTERRUPTED: "the user stopped the agent",
    Happening.REJECTED: "the user rejected what the agent was about to do",
    Happening.ACCEPTED: "the user approved the plan",
}
#: What a program puts in under the user's role and a reader should know of.
_TEMPLATES = frozenset({Injection.TEMPLATE, Injection.SKILL, Injection.COMPACTION})
_SHOWN = 80
#: A reader has to understand what was answered, and no more.
_SPEAKER, _OUTSIDE = 60, 400
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
    called: dict[str, tuple[str, list[str]]] = {}
    found: list[CheckRun] = []
    refused = refused_calls(transcript)
    for numbered in transcript.lines:
        line = numbered.line
        if isinstance(line, ToolCall) and not line.undone and (names := checks_in(line.text)):
            called[line.call] = line.text, names
        elif isinstance(line, ToolResult) and line.call in called and not line.running:
            command, names = called.pop(line.call)
            ran = names if line.call not in refused else []
            found += [CheckRun(numbered.number, name, has_passed(name, command, line)) for name in ran]
    return found


def marks(transcript: Transcript) -> list[SheetNote]:
    """Where the user stopped the agent, refused a call or approved a plan, and where a program put a template in their
    mouth."""
    last_call, last = "", ""
    found: list[SheetNote] = []
    for numbered in transcript.lines:
        line, note = numbered.line, ""
        if isinstance(line, ToolCall):
            last_call = line.tool
        elif isinstance(line, Event) and line.kind in _STOPS and not line.undone:
            note = _STOPS[line.kind] + (f" ({last_call})" if line.kind is Happening.REJECTED and last_call else "")
        elif isinstance(line, Injected) and line.kind in _TEMPLATES:
            note = f"{line.kind}, {len(line.text) + line.cut:,} characters: {clip(line.text, _SHOWN)}"
        elif isinstance(line, User):
            last = ""
        if note and note != last:
            found.append(SheetNote(numbered.number, note))
            last = note
    return found


def outside_notes(transcript: Transcript) -> list[SheetNote]:
    """What was said by somebody whose word counts for nothing here: to be read, and not to be cited."""
    return [
        SheetNote(n.number, f"{clip(n.line.who, _SPEAKER)}, outside: {clip(n.line.text, _OUTSIDE)}")
        for n in transcript.outside
        if isinstance(n.line, OutsideWords) and n.line.text.strip()
    ]


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
