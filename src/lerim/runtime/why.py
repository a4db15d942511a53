"""Why a memory is one: the words it rests on where they stand, the signals that spoke for it, and what came after.

Reads the archive of traces and the folders of runs. Both may have been cleared away, and then it says so.
Loads pydantic: only who asks why imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from lerim.context.records import Evidence, Trust
from lerim.context.review.candidates import ReviewCandidate
from lerim.context.store import Version
from lerim.errors import Conflict, NotFound, SourceError, UnsafePath
from lerim.ingest.findings import Candidate, Rejection
from lerim.ingest.transcript import Transcript, speaker, voice
from lerim.openat import below
from lerim.runtime.runs.artifacts import Loaded, MemoryAction, load_run
from lerim.runtime.runs.folder import RunInfo, RunKind, Runs, RunStatus
from lerim.sessions.archive import trace_path

#: Lines shown before and after a quoted one.
LINES_AROUND = 2


class Standing(StrEnum):
    """How a piece of evidence stands today."""

    THERE = "there"  # word by word where it is cited
    EARLIER = "earlier"  # in the trace as it was before the agent rewrote its history
    MOVED = "moved"  # on another line
    MISSING = "missing"  # the trace does not say it any more
    GONE = "gone"  # there is no trace; the store has the words
    UNQUOTED = "unquoted"  # only its place is known: the words are in the store of whoever wrote it
    LOST = "lost"  # neither the words nor the trace are here
    HEARSAY = "hearsay"  # a file says so that came with a repository nobody here trusts


@dataclass(frozen=True)
class Shown:
    """A line of a trace. `start` and `end` mark the quoted words in it, if they stand here."""

    number: int
    who: str
    text: str
    start: int = 0
    end: int = 0

    @property
    def is_quoted(self) -> bool:
        return self.end > self.start


@dataclass(frozen=True)
class QuotedPassage:
    """A quote and the lines around it. `trace` is None, and there are no lines, when it is gone."""

    evidence: Evidence
    standing: Standing
    lines: tuple[Shown, ...] = ()
    trace: Path | None = None
    #: Whether the words were retracted later in the session.
    undone: bool = False


@dataclass(frozen=True)
class Origin:
    """The run that made it a memory: what it did and why, and the signals that spoke for it."""

    run_id: str
    action: str | None = None
    reason: str | None = None
    signals: tuple[str, ...] = ()
    #: Why there is no more to say: the run's folder is gone, or does not speak of it.
    missing: str | None = None


@dataclass(frozen=True)
class Why:
    """All that is known about where a memory, or a candidate for one, comes from."""

    passages: tuple[QuotedPassage, ...]
    origin: Origin | None


@dataclass(frozen=True)
class Considered:
    """All that a run considered in one session: what became of each."""

    run: RunInfo
    session: str
    actions: tuple[tuple[MemoryAction, Candidate | None], ...]
    review: tuple[Candidate, ...]
    rejected: tuple[Rejection, ...]
    problems: tuple[str, ...]


def why_record(
    history: Sequence[Version],
    evidence: Sequence[Evidence],
    candidate: ReviewCandidate | None,
    runs: Runs,
    folder: Path,
) -> Why:
    """Where a memory comes from. `candidate` is what it was while it waited for review; `folder` is its `.lerim`."""
    if candidate is not None:
        return why_candidate(candidate, runs, folder)
    first = history[0]
    origin = _origin(first.run_id, str(first.record.id), runs) if first.run_id else None
    return Why(tuple(passage(item, folder) for item in evidence), origin)


def why_candidate(candidate: ReviewCandidate, runs: Runs, folder: Path) -> Why:
    """Where a candidate comes from. Its signals are kept with it."""
    try:
        runs.find(candidate.run_id)
        missing = None
    except NotFound:
        missing = _gone(candidate.run_id)
    origin = Origin(candidate.run_id, "review", None, candidate.signals, missing)
    return Why(tuple(passage(item, folder) for item in candidate.evidence), origin)


def considered_by(session: str, run_id: str, runs: Runs) -> Considered | None:
    """What one run considered in a session; None when its folder is gone, or it is about another one. However many
    runs there are, no other is looked at."""
    try:
        loaded = load_run(runs.find(run_id).folder)
    except (NotFound, Conflict):
        return None
    return _considered(loaded, session) if loaded.info.session == session else None


def considered(session: str, runs: Runs) -> Considered:
    """What the newest run over a session considered. `session` is `agent/run_id` or the beginning of its run id.

    Raises NotFound, or Conflict when several sessions begin like that.
    """
    found = [run for run in runs.list(kind=RunKind.SYNC) if run.session and _is_meant(run.session, session)]
    names = list(dict.fromkeys(str(run.session) for run in found))
    if not names:
        raise NotFound(f"no run has ingested a session called '{session}'", hint="lerim runs list")
    exact = [name for name in names if name == session]
    if len(names) > 1 and not exact:
        raise Conflict(f"'{session}' could be {', '.join(names[:5])}", hint=f"lerim why --rejected {names[0]}")
    name = (exact or names)[0]
    of_it = [run for run in found if run.session == name]
    # A run that failed kept nothing: what a finished one says counts for more.
    newest = next((run for run in of_it if run.status is RunStatus.DONE), of_it[0])
    return _considered(load_run(newest.folder), name)


def passage(evidence: Evidence, folder: Path) -> QuotedPassage:
    """A quote where it stands in the archived trace, or why it does not."""
    if evidence.speaker is Trust.SHARED:
        # A trace that came along proves no more than the file that cites it.
        return QuotedPassage(evidence, Standing.HEARSAY)
    traces = list(_traces(evidence, folder))
    if not traces:
        return QuotedPassage(evidence, Standing.GONE if evidence.quote else Standing.LOST)
    path, now = traces[0]
    current = trace_path(folder, evidence.agent, evidence.run_id)
    if not evidence.quote:
        return _shown(_heard(evidence, now), Standing.UNQUOTED, path, now, evidence.first_line)
    for where, transcript in traces:
        if (number := _at(evidence, transcript, evidence.first_line, evidence.last_line)) is not None:
            standing = Standing.THERE if where == current else Standing.EARLIER
            return _shown(evidence, standing, where, transcript, number)
    if (number := _at(evidence, now, 2, now.last)) is not None:
        return _shown(evidence, Standing.MOVED, path, now, number)
    return _shown(evidence, Standing.MISSING, path, now, evidence.first_line)


def _heard(evidence: Evidence, transcript: Transcript) -> Evidence:
    """Evidence with the speaker that its lines have, where nobody wrote down who spoke."""
    who = {speaker(numbered.line) for numbered in transcript.between(evidence.first_line, evidence.last_line)}
    is_told = evidence.speaker is Trust.UNKNOWN and len(who) == 1
    return replace(evidence, speaker=who.pop()) if is_told else evidence


def _traces(evidence: Evidence, folder: Path) -> Iterator[tuple[Path, Transcript]]:
    """The archived trace of a session, then those that were kept when the agent rewrote its history, newest first."""
    path = trace_path(folder, evidence.agent, evidence.run_id)
    kept = re.compile(re.escape(path.stem) + r"\.(\d+)\.jsonl")
    try:
        with below(path.parent, listing=True) as entered:
            names = [entry.name for entry in entered.entries()]
    except (OSError, UnsafePath):
        return
    earlier = [(int(found[1]), path.with_name(name)) for name in names if (found := kept.fullmatch(name))]
    for where in (path, *(p for _, p in sorted(earlier, reverse=True))):
        try:
            yield where, Transcript.read(where)
        except (OSError, SourceError, UnsafePath):
            continue


def _at(evidence: Evidence, transcript: Transcript, first: int, last: int) -> int | None:
    pattern = _pattern(evidence.quote)
    return next((n.number for n in transcript.between(first, last) if pattern.search(n.line.text)), None)


def _shown(evidence: Evidence, standing: Standing, path: Path, transcript: Transcript, number: int) -> QuotedPassage:
    last = max(number, number + evidence.last_line - evidence.first_line)
    pattern = _pattern(evidence.quote) if evidence.quote else None
    lines = []
    for numbered in transcript.between(number - LINES_AROUND, last + LINES_AROUND):
        text = numbered.line.text
        inside = number <= numbered.number <= last
        found = pattern.search(text) if pattern is not None and inside else None
        span = found.span() if found else (0, len(text) if inside and pattern is None else 0)
        lines.append(Shown(numbered.number, voice(numbered.line), text, *span))
    line = transcript.at(number)
    return QuotedPassage(evidence, standing, tuple(lines), path, line is not None and line.undone)


def _pattern(quote: str) -> re.Pattern[str]:
    """The quote with any white space between its words."""
    return re.compile(r"\s+".join(map(re.escape, quote.split())))


def _origin(run_id: str, record_id: str, runs: Runs) -> Origin:
    try:
        loaded = load_run(runs.find(run_id).folder)
    except NotFound:
        return Origin(run_id, missing=_gone(run_id))
    actions = loaded.memory.actions if loaded.memory else ()
    action = next((action for action in actions if action.record == record_id), None)
    if action is None:
        return _upkeep(loaded, run_id, record_id)
    candidate = _candidates(loaded).get(action.candidate)
    return Origin(
        run_id,
        f"{action.action} ({action.how})" if action.how else action.action,
        action.reason,
        candidate.signals if candidate else (),
        None if candidate else "its extract.json does not speak of it",
    )


def _upkeep(loaded: Loaded, run_id: str, record_id: str) -> Origin:
    done = next((one for one in (loaded.maintain.actions if loaded.maintain else ()) if one.result == record_id), None)
    if done is not None:
        return Origin(run_id, f"{done.action} of {', '.join(done.records)}", done.reason)
    if loaded.summary is not None and loaded.summary.record == record_id:
        return Origin(run_id, "summary", "each session that was ingested has one summary")
    return Origin(run_id, missing="the folder of its run does not speak of it")


def _candidates(loaded: Loaded) -> dict[str, Candidate]:
    return {candidate.id: candidate for candidate in loaded.extract.candidates} if loaded.extract else {}


def _considered(loaded: Loaded, session: str) -> Considered:
    known = _candidates(loaded)
    actions = loaded.memory.actions if loaded.memory else ()
    return Considered(
        loaded.info,
        session,
        tuple((action, known.get(action.candidate)) for action in actions),
        loaded.extract.review if loaded.extract else (),
        loaded.extract.rejected if loaded.extract else (),
        loaded.problems,
    )


def _gone(run_id: str) -> str:
    return f"the folder of run {run_id} is gone"


def _is_meant(session: str, name: str) -> bool:
    return bool(name) and (session.startswith(name) or session.partition("/")[2].startswith(name))
