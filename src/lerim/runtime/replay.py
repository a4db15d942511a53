"""What the brief would have said before a session, and which of its errors and corrections that would have spared.

Only what had been said before counts: the brief is made as of the session's start. What a session was corrected in is
read from it by the embedded engine, so that the same memory and the same session always give the same score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.records import Record, RecordId, Trust, is_rule
from lerim.dataclass import dataclass
from lerim.ingest.extract import extract
from lerim.ingest.outcomes import SessionReview, prevents, says_the_same
from lerim.ingest.signals.engine import EmbeddedEngine
from lerim.ingest.transcript import Transcript
from lerim.printable import one_line

if TYPE_CHECKING:
    from lerim.sessions.session import Session
    from lerim.views.view import RenderedView

_SHOWN = 160
_BEFORE = timedelta(seconds=1)


@dataclass(frozen=True)
class ReplayedPoint:
    """An error or a correction of a session: its line, what it was, and the memory of the brief that tells of it."""

    line: int
    text: str
    record: RecordId | None


@dataclass(frozen=True)
class ReplayedSession:
    """One session, replayed."""

    session: str
    title: str
    project: Path | None
    started: datetime
    #: What the brief would have said, and the memories in it.
    brief: str
    records: tuple[RecordId, ...]
    corrections: tuple[ReplayedPoint, ...]
    errors: tuple[ReplayedPoint, ...]

    @property
    def points(self) -> tuple[ReplayedPoint, ...]:
        return *self.corrections, *self.errors

    @property
    def prevented(self) -> int:
        return sum(point.record is not None for point in self.points)


@dataclass(frozen=True)
class ReplayScore:
    """How much of what went wrong in a project's sessions its brief would have spared."""

    project: Path | None
    sessions: int
    corrections: int
    corrections_prevented: int
    errors: int
    errors_prevented: int

    @property
    def share(self) -> float | None:
        """Of all; None when nothing went wrong."""
        points = self.corrections + self.errors
        return (self.corrections_prevented + self.errors_prevented) / points if points else None


def replay(
    session: Session,
    transcript: Transcript,
    brief_at: Callable[[datetime], RenderedView],
    record: Callable[[RecordId], Record | None],
) -> ReplayedSession | None:
    """A session, held against the brief of its start; None when it does not say when that was."""
    started = transcript.said(1)
    if started is None:
        return None
    # Its own first words may have been said in the very same second.
    brief = brief_at(started - _BEFORE)
    known = [found for one in brief.records if (found := record(one)) is not None]
    review = SessionReview(transcript)
    return ReplayedSession(
        session.name,
        session.title or "",
        session.project_root,
        started,
        brief.text,
        brief.records,
        tuple(_corrections(transcript, review, known)),
        tuple(_errors(review, known)),
    )


def scores(replayed: Iterable[ReplayedSession]) -> list[ReplayScore]:
    """One for each project, in the order of their names."""
    by_project: dict[Path | None, list[ReplayedSession]] = {}
    for one in replayed:
        by_project.setdefault(one.project, []).append(one)
    return [_score(project, by_project[project]) for project in sorted(by_project, key=str)]


def _score(project: Path | None, replayed: Sequence[ReplayedSession]) -> ReplayScore:
    corrections = [point for one in replayed for point in one.corrections]
    errors = [point for one in replayed for point in one.errors]
    counts = (len(corrections), _prevented(corrections), len(errors), _prevented(errors))
    return ReplayScore(project, len(replayed), *counts)


def _prevented(points: Iterable[ReplayedPoint]) -> int:
    return sum(point.record is not None for point in points)


def _corrections(transcript: Transcript, review: SessionReview, known: Sequence[Record]) -> Iterable[ReplayedPoint]:
    """What the user had to say that lasts, and what they said that the brief had said: each line once."""
    points: dict[int, ReplayedPoint] = {}
    found = extract(transcript, EmbeddedEngine())
    for candidate in (*found.candidates, *found.review):
        if candidate.trust is Trust.USER and is_rule(candidate.primitive, candidate.kind):
            texts = [candidate.title, *(quote.text for quote in candidate.quotes)]
            line = min(quote.first for quote in candidate.quotes)
            points.setdefault(line, ReplayedPoint(line, _short(candidate.title), _saying(texts, known)))
    for again in review.repeated(lambda text: known):
        if points.get(again.line) is None or points[again.line].record is None:
            unit = next(unit for unit in review.user_statements if unit.number == again.line)
            points[again.line] = ReplayedPoint(again.line, _short(unit.text), again.record)
    return [points[line] for line in sorted(points)]


def _saying(texts: Sequence[str], known: Sequence[Record]) -> RecordId | None:
    return next((one.id for one in known if any(says_the_same(text, one) for text in texts)), None)


def _errors(review: SessionReview, known: Sequence[Record]) -> Iterable[ReplayedPoint]:
    for failure in review.failures:
        record = next((one.id for one in known if prevents(one, failure)), None)
        yield ReplayedPoint(failure.line, _short(failure.call), record)


def _short(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
