"""What an agent asks to have remembered: the user's word where their own session says so, else noted for review.

An agent tells what the user said, with the words. Whether they said it, the session that is going on knows: its trace
is read, and the words must stand in it as the user's own. So must what is made of them. All else is the agent's word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lerim.context.discretion import discreet
from lerim.context.place import Kept, Place
from lerim.context.records import Draft, Evidence, Kind, Moment, Primitive, Record, Trust
from lerim.context.review.candidates import TOLD, TOLD_BY, ReviewCandidate, new_review_id
from lerim.context.review.deciding import ReviewList
from lerim.context.review.desk import Proposed
from lerim.context.store import Change
from lerim.errors import InvalidRecord, LerimError
from lerim.ingest.evidence import SAID_NOWHERE, evidence_of, verify
from lerim.ingest.extract import tidy
from lerim.ingest.findings import Candidate, Quote, Rejection
from lerim.ingest.reconcile import Action, Decision, KnownRecord, WriteMode, decide
from lerim.ingest.restating import QuotedWords
from lerim.ingest.transcript import Transcript
from lerim.search.similar import similar
from lerim.sessions.room import Sessions
from lerim.sessions.session import Session
from lerim.sources.custom import AGENT as CUSTOM

AUTHOR = "agent"
SOURCE = "agent"
#: How sure the user's own order to remember something is.
_CONFIDENCE = 0.9
#: What is less sure waits; a person who accepts it says so.
_NOTED = 0.5
#: The session that is going on is one of the last that anything happened in.
_HOURS = 24
_MOST_SESSIONS = 6


@dataclass(frozen=True)
class Remark:
    """What an agent asks to remember, and the user's words for it."""

    title: str
    quote: str
    body: str = ""
    primitive: Primitive = Primitive.DECISION
    kind: Kind | None = None
    #: Which agent says so, as it names itself.
    agent: str = ""


@dataclass(frozen=True)
class Remembered:
    """What became of it: a memory, one that was there already, or a candidate that waits. `reason` says why."""

    reason: str
    kept: Kept | None = None
    noted: Proposed | None = None


@dataclass(frozen=True)
class Voucher:
    """The user's own words in a session that is going on: who vouches for what an agent tells."""

    candidate: Candidate
    transcript: Transcript
    evidence: tuple[Evidence, ...]

    @property
    def said(self) -> Moment:
        name = self.transcript.name
        return max(Moment(e.said, name, e.last_line) for e in self.evidence if e.said)


def going_on(sessions: Sessions, place: Place, cwd: str, now: datetime, agent: str) -> list[Session]:
    """The sessions of a place that something happened in lately: those of the agent first, the newest first.

    A session that an agent told, or started itself, has no user in it.
    """
    since = (now - timedelta(hours=_HOURS)).strftime("%Y-%m-%dT%H:%M:%S")
    sessions.discover()
    found = [
        one
        for one in sessions.queue.list()
        if (one.project_id == place.project.id or (one.project_id is None and one.cwd == cwd))
        and one.active >= since
        and one.parent is None
        and one.agent != CUSTOM
        and not one.gone
    ]
    found.sort(key=lambda one: one.active, reverse=True)
    found.sort(key=lambda one: not agent.lower().startswith(one.agent))
    return found[:_MOST_SESSIONS]


def vouched(remark: Remark, sessions: Sessions, among: Iterable[Session], now: datetime) -> Voucher | str:
    """Who vouches for what an agent tells, or why nobody does."""
    reasons: list[str] = []
    for transcript in _transcripts(sessions, among):
        found = _vouched_by(remark, transcript, now)
        if isinstance(found, Voucher):
            return found
        reasons.append(found)
    return _telling(reasons)


def unsaid(quote: str, about: Record, sessions: Sessions, among: Iterable[Session]) -> str:
    """Why words are none that the user said of a record in a session that is going on; nothing when they are."""
    reasons: list[str] = []
    for transcript in _transcripts(sessions, among):
        found = _users_own(Remark(about.title, quote, "", about.primitive, about.kind), transcript)
        if isinstance(found, Candidate):
            return ""
        reasons.append(found)
    return _telling(reasons)


def _telling(reasons: Sequence[str]) -> str:
    """The reason of the session that has the words; that the others do not have them says nothing."""
    if not reasons:
        return "no session of this project is going on that could be asked"
    return next((one for one in reasons if not one.startswith(SAID_NOWHERE)), reasons[0])


def _transcripts(sessions: Sessions, among: Iterable[Session]) -> Iterator[Transcript]:
    for session in among:
        with suppress(LerimError, OSError, ValueError):  # One that cannot be read vouches for nobody.
            yield Transcript.of(sessions.show(session).items)


def _users_own(remark: Remark, transcript: Transcript) -> Candidate | str:
    """The claim with its quote where the user says it themselves, or why that is nowhere."""
    quote = Quote(2, max(transcript.last, 2), remark.quote)
    claim = Candidate("", remark.primitive, remark.title, remark.body, (quote,), remark.kind, _CONFIDENCE)
    try:
        found = verify(tidy(claim), transcript)
    except InvalidRecord as error:
        return error.message
    if isinstance(found, Rejection):
        return found.reason
    return found if found.trust is Trust.USER else "the words stand in the session, but the user did not say them"


def _vouched_by(remark: Remark, transcript: Transcript, now: datetime) -> Voucher | str:
    found = _users_own(remark, transcript)
    if isinstance(found, str):
        return found
    words = QuotedWords(found, transcript, claimed=True)
    gap = words.gap_in_title(found.title) or words.gap_in_body(None, remark.body or None)
    if gap is not None:
        return f"the user's words do not say so: {gap}"
    shown = replace(found, title=discreet(found.title), body=discreet(found.body))
    return Voucher(shown, transcript, evidence_of(found, transcript, now))


def keep(voucher: Voucher, place: Place, agent: str, random: Callable[[int], bytes]) -> Remembered:
    """Make a memory of what the user said, held against what is known. Raises InvalidRecord."""
    candidate = voucher.candidate
    near = [one.record for one in similar(place, candidate.title, candidate.body)]
    decision = decide(candidate, [_known(record, voucher) for record in near])
    if decision.action is Action.NO_OP:
        known = next((record for record in near if record.id in decision.targets), None)
        return Remembered(decision.reason, Kept(known, place) if known else None)
    told = f"the user said so to {agent or 'an agent'}"
    with place.change(AUTHOR, told) as change:
        record = _written(voucher, decision, change, random)
    return Remembered(decision.reason, Kept(record, place, change.masked.get(record.id, ())))


def _written(voucher: Voucher, decision: Decision, change: Change, random: Callable[[int], bytes]) -> Record:
    if decision.how is WriteMode.REVISE and decision.revision is not None:
        old, new = change.fetch(decision.targets[0]), decision.revision
        evidence = tuple(dict.fromkeys((*old.evidence, *voucher.evidence)))
        record = change.revise(
            old.id, title=new.title, body=new.body, confidence=new.confidence, tags=new.tags, evidence=evidence
        )
        for target in decision.targets[1:]:
            change.supersede(target, by=record.id, at=voucher.said.at)
        return record
    one = voucher.candidate
    draft = Draft(one.primitive, one.title, one.body, one.kind, one.tags, one.confidence, SOURCE, voucher.evidence)
    record = change.create(draft.record(change.now, random))
    for target in decision.targets:
        change.supersede(target, by=record.id, at=record.last_said.at)
    if decision.replaced_by is not None:
        return change.supersede(record.id, by=decision.replaced_by)
    return record


def _known(record: Record, voucher: Voucher) -> KnownRecord:
    header, lines = voucher.transcript.header, [(q.first, q.last) for q in voucher.candidate.quotes]
    cited = [e for e in record.evidence if (e.agent, e.run_id) == (header.agent, header.run_id)]
    overlaps = any(e.first_line <= last and first <= e.last_line for e in cited for first, last in lines)
    return KnownRecord.of(record, voucher.said, same_session=bool(cited), overlaps=overlaps)


def note(remark: Remark, reason: str, place: Place, stamp: str, random: Callable[[int], bytes]) -> Remembered:
    """Let it wait for a person, as what it is: the agent's word. Raises Conflict, and InvalidRecord."""
    who = remark.agent or "an agent"
    draft = Draft(remark.primitive, remark.title, discreet(remark.body), remark.kind, trust=Trust.AGENT)
    now = place.store.clock()
    record = draft.record(now, random)
    signals = (f"{who} asks to remember it", f"it says the user said: {remark.quote}", f"not proved: {reason}")
    candidate = ReviewCandidate(
        new_review_id(random),
        f"{TOLD_BY}/{who.replace('/', '-')}",
        f"{TOLD}{stamp}",
        record.primitive,
        record.title,
        record.body,
        _NOTED,
        now,
        record.kind,
        trust=Trust.AGENT,
        signals=signals,
    )
    with place.change(AUTHOR, f"{who} asks to remember it") as change:
        return Remembered(reason, noted=Proposed(ReviewList(change).note(candidate), place))


def is_theirs(record: Record) -> bool:
    """Whether a record is the user's own: then an agent's word alone does not lessen it."""
    return record.source == "manual" or record.trust is Trust.USER
