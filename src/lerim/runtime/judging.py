"""A candidate for review on the desk: the words around it in its session, the memories near it, and what may be said.

Who judges it may be a person, a program or an agent at work. A person may say what they like; everybody else is held to
the session, as a model is: the evidence must stand, and no word may be added to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from lerim.context.place import Kept
from lerim.context.records import Evidence, Kind, Record, RecordId, Trust
from lerim.context.review.candidates import Edits, Opposition, is_of_session
from lerim.context.review.desk import Proposed, UnitAround
from lerim.curate.bearings import judged
from lerim.errors import SourceError, UnsafePath
from lerim.ingest.evidence import verify
from lerim.ingest.findings import Candidate, Rejection
from lerim.ingest.reconcile import opposition
from lerim.ingest.restating import QuotedWords, as_candidate
from lerim.ingest.sheet.making import sheets
from lerim.ingest.sheet.page import SheetNote, SheetUnit
from lerim.ingest.transcript import Transcript
from lerim.search.similar import similar
from lerim.text.besides import besides
from lerim.text.statements import statement

#: Units of the sheet that are shown before and behind those that a candidate rests on, and how many in all.
UNITS_AROUND = 3
MOST_UNITS = 12
#: A memory that shares less is about something else.
_NEAR = 0.2
_MOST_NEAR = 4
_MOST_RIVALS = 8


@dataclass(frozen=True)
class SheetDesk:
    """Candidates held against their archived sessions. `trace_of` says where a candidate's session lies."""

    trace_of: Callable[[Proposed], Path]

    def around(self, proposed: Proposed) -> tuple[UnitAround, ...]:
        """The units of the sheet near the candidate's quotes; where there is no session any more, the quotes."""
        found, evidence = _entries(self.trace_of(proposed)), proposed.candidate.evidence
        places = {at for at, entry in enumerate(found) if any(_is_of(entry, piece) for piece in evidence)}
        if not places:
            return tuple(UnitAround("", str(e.speaker), e.first_line, e.quote, is_quoted=True) for e in evidence)
        near = sorted({n for at in places for n in range(at - UNITS_AROUND, at + UNITS_AROUND + 1)})
        shown = [at for at in near if 0 <= at < len(found)][:MOST_UNITS]
        return tuple(_unit(found[at], is_quoted=at in places) for at in shown)

    def near(self, proposed: Proposed) -> tuple[Kept, ...]:
        """The memories of its place that have most in common with it."""
        candidate = proposed.candidate
        found = similar(proposed.place, candidate.title, candidate.body, limit=_MOST_NEAR)
        return tuple(Kept(one.record, proposed.place) for one in found if one.relevance >= _NEAR)

    def rivals(self, proposed: Proposed, record: Record, noted: Sequence[RecordId] = ()) -> Opposition:
        """Of the memories that have most in common with what it shall say, and of those that were noted, what does not
        hold with it: surely where rules and model are of one mind, as nobody is asked before it is closed."""
        said = replace(as_candidate(proposed.candidate), title=record.title, body=record.body)
        near = [one.record for one in similar(proposed.place, record.title, record.body, limit=_MOST_RIVALS)]
        with proposed.place.store.read() as snapshot:
            known = [snapshot.find(one) for one in noted if one not in {record.id for record in near}]
        surely, perhaps = list[RecordId](), list[RecordId]()
        for one in (*(found for found in known if found is not None), *near):
            is_later = proposed.candidate.said >= one.last_said.at
            by_rules = opposition(said, one, is_later=is_later)
            by_both = judged(said, one) if is_later else judged(one, said)
            sides = [statement(side.title, side.body) for side in ((said, one) if is_later else (one, said))]
            # What it says besides would be closed with the rest.
            if by_both.replaces and by_rules is not None and by_rules.is_sure and not besides(*sides):
                surely.append(one.id)
            elif by_both.bearing.replaces and not is_of_session(one, proposed.candidate.session):
                perhaps.append(one.id)
        return Opposition(tuple(surely), tuple(perhaps))

    def refusal(self, proposed: Proposed, edits: Edits, known: Record | None) -> str:
        """Why nobody but a person can make a memory of it in these words."""
        try:
            transcript = _transcript(self.trace_of(proposed))
        except (OSError, SourceError, UnsafePath):
            return "its session is not in the archive, so nothing it says can be checked"
        if transcript.header.parent is not None:
            return "an agent told its session, so only a person can say whether the user said so"
        found = as_candidate(proposed.candidate)
        # As it would be said: a bad title is what judges are there for.
        said = replace(found, title=edits.title or found.title, body=found.body if edits.body is None else edits.body)
        verified = verify(said, transcript)
        if isinstance(verified, Rejection):
            return f"its evidence does not hold: {verified.reason}"
        if edits.kind is Kind.PREFERENCE and verified.trust is not Trust.USER:
            return "how somebody wants things is the user's to say, and only the agent says so"
        return _gap(replace(verified, title=found.title, body=found.body), transcript, edits, known)


def _gap(candidate: Candidate, transcript: Transcript, edits: Edits, known: Record | None) -> str:
    beside = (known.title, known.body) if known else ()
    words = QuotedWords(candidate, transcript, beside=beside)
    for name, gap in (
        ("title", words.gap_in_title(edits.title)),
        ("body", words.gap_in_body(edits.title, edits.body)),
    ):
        if gap is not None:
            return f"nobody said so, in the {name}: {gap}"
    return ""


# Several candidates of one session are judged one after the other.
@lru_cache(maxsize=1)
def _read(path: Path, modified: int, size: int) -> tuple[Transcript, tuple[SheetUnit | SheetNote, ...]]:
    transcript = Transcript.read(path)
    return transcript, tuple(entry for sheet in sheets(transcript) for entry in sheet.entries)


def _transcript(path: Path) -> Transcript:
    stat = path.stat()
    return _read(path, stat.st_mtime_ns, stat.st_size)[0]


def _entries(path: Path) -> tuple[SheetUnit | SheetNote, ...]:
    try:
        stat = path.stat()
        return _read(path, stat.st_mtime_ns, stat.st_size)[1]
    except (OSError, SourceError, UnsafePath):
        return ()


def _is_of(entry: SheetUnit | SheetNote, piece: Evidence) -> bool:
    """Whether a unit is what a candidate rests on, or a part of it."""
    if not isinstance(entry, SheetUnit) or not piece.first_line <= entry.line <= piece.last_line:
        return False
    mine, quoted = (" ".join(text.split()) for text in (entry.text, piece.quote))
    return mine in quoted or quoted in mine


def _unit(entry: SheetUnit | SheetNote, *, is_quoted: bool) -> UnitAround:
    if isinstance(entry, SheetNote):
        return UnitAround("", "note", entry.line, entry.text)
    return UnitAround(entry.id, str(entry.speaker), entry.line, entry.text, is_quoted)
