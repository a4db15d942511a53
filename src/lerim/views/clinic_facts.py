"""What the last sessions amount to, counted from their summaries: how they ended, which checks failed, which files came
back. Pure: every number names the sessions behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lerim.context.records import Record, RecordId, Trust
from lerim.dataclass import dataclass, field
from lerim.lazy_regex import compile_later
from lerim.views.material import HandedOut, ToldRecord
from lerim.views.sessions_left import outcome, part, session_of

_FAILED = compile_later(r"`([^`\n]{1,80})` failed in its last run")
_PASSED = compile_later(r"`([^`\n]{1,80})` passed(?: after (\d+) failures?)?")
_CHANGED = compile_later(r"(?:^|\s)Changed ((?:`[^`\n]+`(?:, | and )?)+)")
_NAME = compile_later(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Told:
    """A session as its summary tells it."""

    summary: Record
    session: str
    outcome: str


@dataclass
class CheckStory:
    """What became of one command that checks, over all sessions that ran it."""

    name: str
    passed: int = 0
    #: Runs that failed before one passed.
    failures: int = 0
    #: Sessions that ended with it failing, and all in which it failed at least once.
    ended_failing: list[Told] = field(default_factory=list)
    failed_in: list[Told] = field(default_factory=list)


@dataclass(frozen=True)
class Repeated:
    """What the user said in several sessions: once should have been enough."""

    held: ToldRecord
    sessions: tuple[str, ...]


@dataclass(frozen=True)
class ClinicFindings:
    """All that is counted."""

    sessions: Sequence[Told]
    checks: Sequence[CheckStory]
    corrections: Sequence[Repeated]
    friction: Sequence[ToldRecord]
    #: Files that change again and again, and no memory names.
    unknown_files: Sequence[tuple[str, Sequence[Told]]]
    helped: Sequence[ToldRecord]
    #: The session of each candidate that waits for a decision.
    waiting: Sequence[str]
    handed: HandedOut | None
    #: Memories that may be told, by id.
    known: Mapping[str, ToldRecord]


def told(summaries: Iterable[ToldRecord]) -> list[Told]:
    """The sessions, newest first."""
    return [Told(held.record, session_of(held.record), outcome(held.record)) for held in summaries]


def checks(sessions: Iterable[Told]) -> list[CheckStory]:
    """Every check that ran, those that failed in most sessions first."""
    found: dict[str, CheckStory] = {}
    for one in sessions:
        text = part(one.summary, "Outcome")
        for name in _FAILED.findall(text):
            story = found.setdefault(name, CheckStory(name))
            story.ended_failing.append(one)
            story.failed_in.append(one)
        for name, failures in _PASSED.findall(text):
            story = found.setdefault(name, CheckStory(name))
            story.passed += 1
            if failures:
                story.failures += int(failures)
                story.failed_in.append(one)
    return sorted(found.values(), key=lambda story: (-len(story.failed_in), -len(story.ended_failing), story.name))


def files(sessions: Iterable[Told]) -> dict[str, list[Told]]:
    """The files that were changed, by the sessions that did; those of most sessions first."""
    found: dict[str, list[Told]] = {}
    for one in sessions:
        changed = _CHANGED.search(part(one.summary, "Outcome"))
        for name in _NAME.findall(changed[1]) if changed else ():
            found.setdefault(name, []).append(one)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def repeated(lessons: Iterable[ToldRecord]) -> list[Repeated]:
    """What the user had to say again, most often first."""
    found = []
    for held in lessons:
        said = {f"{piece.agent}/{piece.run_id}": None for piece in held.record.evidence if piece.speaker is Trust.USER}
        if len(said) > 1:
            found.append(Repeated(held, tuple(said)))
    return sorted(found, key=lambda one: (-len(one.sessions), one.held.id))


def summaries_of(sessions: Sequence[Told]) -> tuple[RecordId, ...]:
    return tuple(one.summary.id for one in sessions)
