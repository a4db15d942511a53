"""The board of a run that ingests one session: what was found, searched for and decided, candidate by candidate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from lerim.context.authority import Authority
from lerim.context.place import Place
from lerim.context.records import Draft, Evidence, Moment, Primitive, Record, RecordId, Trust
from lerim.context.review.candidates import TELLS_NEWS, ReviewCandidate, is_of_session, new_review_id, signal_of
from lerim.context.review.deciding import ReviewList
from lerim.context.store import Change
from lerim.curate.bearings import believed
from lerim.ingest.evidence import evidence_of
from lerim.ingest.evidence import ungrounded as unquoted
from lerim.ingest.findings import Candidate, Extraction
from lerim.ingest.reconcile import opposition, says_the_same, was_replaced_since
from lerim.ingest.restating import as_candidate
from lerim.ingest.rewording import own_quotes
from lerim.ingest.signals.cues import tells_change
from lerim.ingest.transcript import Transcript
from lerim.runtime.board import (
    SUMMARY_FIELDS,
    Board,
    Committed,
    Operation,
    Unbacked,
    Write,
    checked,
    require_backed,
    text_of,
    topics,
)
from lerim.runtime.declining import Declined
from lerim.runtime.wire import SyncReport, SyncVerb
from lerim.search.similar import Similar
from lerim.text.amounts import measured
from lerim.text.bearing import Judgment, may_bear
from lerim.text.statements import statement, states_change

#: How often a model may try to say what it has no support for, before the candidate's own words are taken.
_CHANCES = 3


@dataclass
class SyncBoard(Board):
    """The board of a run that ingests one session."""

    transcript: Transcript = field(kw_only=True)
    extraction: Extraction | None = None
    summary: Write | None = None
    #: The candidates that were searched for, each with what that found.
    searched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reports: tuple[SyncReport, ...] | None = None
    #: How often the words for each candidate said more than it does.
    unbacked: Counter[str] = field(default_factory=Counter)
    #: Candidates that wait for a person, once the run is written.
    noted: int = 0
    #: What surely stands against those of them that tell news, and why.
    _rivals: dict[str, list[tuple[Record, Judgment]]] = field(default_factory=dict)
    #: Whether what was said on a branch at a moment waits for its merge.
    is_open: Callable[[str, datetime], bool] = lambda branch, said: False

    @property
    def candidates(self) -> dict[str, Candidate]:
        """What may be written, by id. Nothing before the extraction."""
        return {c.id: c for c in self.extraction.candidates} if self.extraction else {}

    @cached_property
    def unmerged(self) -> str:
        """The branch of the session, where something was decided on it that waits for its merge."""
        branch = self.transcript.header.branch or ""
        decided = [self.said(one).at for one in self.candidates.values() if one.primitive is Primitive.DECISION]
        return branch if branch and decided and self.is_open(branch, max(decided)) else ""

    def extracted(self, extraction: Extraction) -> Extraction:
        """Keep the extraction. The first one counts: ids that were handed out stay good."""
        self.extraction = self.extraction or extraction
        return self.extraction

    def summarized(self, record: Record) -> Record:
        """Stage the session's summary. A session that grew revises the one it has."""
        old = self.holdings.summary_of(self.transcript.header.agent, self.transcript.header.run_id)
        if old is None:
            self.summary = Write(Operation.CREATE, record)
        else:
            kept = {name: getattr(record, name) for name in SUMMARY_FIELDS}
            self.summary = Write(Operation.REVISE, replace(old, **kept), (old,))
        return self.summary.record

    def candidate(self, candidate_id: str | None) -> Candidate:
        """A candidate by its id. Raises Declined."""
        if self.extraction is None:
            raise Declined("Nothing is extracted yet. Call extract_pipeline first.")
        if (found := self.candidates.get(candidate_id or "")) is None:
            raise Declined(f"'{candidate_id}' is no candidate. Candidates: {', '.join(self.candidates) or 'none'}.")
        return found

    def require_about(self, candidate_id: str, query: str) -> None:
        """Raises Declined when there is no such candidate, or the query is not about it."""
        candidate = self.candidate(candidate_id)
        if topics(query).isdisjoint(topics(text_of(candidate))):
            raise Declined(f"The query has nothing of {candidate_id} in it: '{candidate.title}'. Search for that.")

    def note_search(self, candidate_id: str, ids: Sequence[str]) -> None:
        """A candidate was searched for."""
        self.searched[candidate_id] = (*self.searched.get(candidate_id, ()), *ids)

    def known_from(self, candidate: Candidate) -> list[Record]:
        """Records that an earlier run took from the very lines this candidate rests on."""
        header = self.transcript.header
        return self.holdings.quoting(header.agent, header.run_id, candidate.quotes)

    def said(self, candidate: Candidate) -> Moment:
        """When a candidate was last said, by the session's clock."""
        name = self.transcript.name
        found = (Moment(piece.said or self.now, name, piece.last_line) for piece in self._evidence(candidate))
        return max(found, default=Moment(self.now, name))

    def is_later(self, record: Record, candidate: Candidate) -> bool:
        """Whether a record was said after a candidate."""
        return record.last_said > self.said(candidate)

    def replaced_since(self, candidate: Candidate) -> list[Similar]:
        """What is near to a candidate, held when it was said and has been replaced by now, by something that holds."""
        said = self.said(candidate)
        found = self.holdings.replaced_since(said.at, candidate.title, candidate.body)
        return [one for one in found if was_replaced_since(one.record, said)]

    def was_replaced_since(self, record: Record, candidate: Candidate) -> bool:
        """Whether a record held when a candidate was said, and was replaced since."""
        return was_replaced_since(record, self.said(candidate))

    def stage(
        self,
        draft: Draft,
        candidate_id: str | None,
        updates: str | None,
        replaces: Sequence[str],
        replaced_by: str | None = None,
    ) -> Record:
        """Stage what becomes of a candidate. Raises Declined."""
        candidate = self.candidate(candidate_id)
        self._require_free(candidate)
        if updates and (replaced_by or updates in replaces):
            raise Declined("Either updates (the same point, better said) or replaces (it holds no more), not both.")
        base = self._targets([*([updates] if updates else ()), *replaces])
        primitive = base[0].primitive if updates else candidate.primitive
        if draft.primitive is not primitive:
            raise Declined(f"{updates or candidate.id} is a {primitive}, not a {draft.primitive}.")
        for record in base:
            is_updated = record.id == updates
            self._require_allowed(candidate, record, closes=not is_updated, draft=draft, replaced_by=replaced_by)
        draft = self._backed(draft, candidate, base[0] if updates else None)
        evidence = self._evidence(candidate)
        if updates:
            return self._revise(draft, candidate, base, evidence)
        if not replaces:
            self._require_new(candidate)
        since = self._since(replaced_by, candidate, base) if replaced_by else None
        evidence = tuple(dict.fromkeys((*evidence, *self._inherited(candidate, base))))
        draft = replace(draft, evidence=evidence, source="sync", trust=candidate.trust)
        # What is history from the start may have the name of what holds.
        record = self._new(draft, base, is_history=since is not None)
        return self._put(Write(Operation.CREATE, record, base, candidate.id, since))

    def _revise(
        self, draft: Draft, candidate: Candidate, base: tuple[Record, ...], evidence: tuple[Evidence, ...]
    ) -> Record:
        old = base[0]
        merged = tuple(dict.fromkeys((*old.evidence, *evidence)))
        draft = replace(draft, evidence=merged, source=old.source, trust=old.trust)
        began = min(piece.said for piece in evidence if piece.said)
        record = replace(checked(old, draft), valid_from=min(old.valid_from or old.created, began))
        return self._put(Write(Operation.REVISE, record, base, candidate.id, since=self.said(candidate).at))

    def _inherited(self, candidate: Candidate, base: Sequence[Record]) -> tuple[Evidence, ...]:
        """The evidence of what a candidate replaces by saying the same with more authority: it is evidence still."""
        return tuple(piece for record in base if says_the_same(candidate, record) for piece in record.evidence)

    def _evidence(self, candidate: Candidate) -> tuple[Evidence, ...]:
        return evidence_of(candidate, self.transcript, self.now)

    def _since(self, record_id: str, candidate: Candidate, base: Sequence[Record]) -> RecordId:
        """The record that was said later and holds instead of a candidate. Raises Declined."""
        record = self.holdings.find(record_id) if record_id in self.found else None
        if record is None or not self.is_later(record, candidate) or record.is_hearsay:
            raise Declined(f"'{record_id}' is nothing that was said after {candidate.id}. Leave replaced_by out.")
        at: Record | None = record
        while at is not None and at not in base and at.superseded_by is not None:
            at = self.holdings.find(at.superseded_by)
        if at is None or at in base or not at.holds:
            raise Declined(f"'{record_id}' leads to nothing that holds instead of {candidate.id}. Report no-op.")
        return record.id

    def _backed(self, draft: Draft, candidate: Candidate, updated: Record | None) -> Draft:
        """The draft, if it says what its candidate and the record it updates say; in their own words when a model
        insists on others. Raises Unbacked before that."""
        try:
            self._require_backed(draft, candidate, updated)
        except Unbacked:
            self.unbacked[candidate.id] += 1
            if self.unbacked[candidate.id] < _CHANCES:
                raise
            own = updated or candidate
            return replace(draft, title=own.title, body=own.body, tags=own.tags)
        return draft

    def _require_backed(self, draft: Draft, candidate: Candidate, updated: Record | None) -> None:
        if (draft.title, draft.body, draft.tags) == (candidate.title, candidate.body, candidate.tags):
            return  # Proved when it was extracted.
        known = [text_of(updated)] if updated else []
        tags = (*candidate.tags, *(updated.tags if updated else ()))
        require_backed(draft, [text_of(candidate), *own_quotes(candidate.quotes), *known], tags)
        # The words of a tool's output must not come in under a candidate that somebody did say.
        title = candidate.title if updated and draft.title == updated.title else draft.title
        if problem := unquoted(replace(candidate, title=title, body=draft.body), self.transcript):
            raise Unbacked(f"{candidate.id} cannot be written so: {problem} Keep to the candidate's words.")

    def report(self, reports: Sequence[SyncReport]) -> None:
        """Take the run's own account, if it agrees with what is staged. Raises Declined with every difference."""
        if wrong := list(self._differences(reports)):
            raise Declined("memory_actions.json is not what happened: " + " ".join(wrong[:20]))
        self.reports = tuple(reports)

    def missing(self) -> list[str]:
        """What is left to do before the run is finished, in the order to do it."""
        if self.extraction is None:
            return ["Call extract_pipeline."]
        todo = [] if self.summary else ["Call summarize_pipeline."]
        if unsearched := [c for c in self.candidates if c not in self.searched]:
            todo.append(f"Call explore for {', '.join(unsearched)}, each with its candidate id.")
        if self.reports is None:
            todo.append("Write memory_actions.json with one action for each candidate.")
        # Something was staged after the account was given.
        elif wrong := list(self._differences(self.reports)):
            todo.append("Write memory_actions.json again: " + " ".join(wrong[:20]))
        return todo

    def commit(self, place: Place, run_id: str, reason: str) -> Committed:
        assert not self.missing(), "an unfinished run is never written"
        assert self.summary is not None
        self._find_rivals()
        self._put(self.summary)
        return super().commit(place, run_id, reason)

    def note(self, change: Change, run_id: str) -> None:
        """Keep what nobody is sure of for a person to decide on."""
        waiting = [self._with_rivals(self._for_review(one, run_id), one) for one in self._for_a_person]
        waiting += [self._disputed(report, run_id) for report in self.reports or () if report.action is SyncVerb.REVIEW]
        review = ReviewList(change)
        self.noted = len(review.save_all(self.transcript.name, waiting))
        self._hold_against(review)

    def _for_review(self, candidate: Candidate, run_id: str) -> ReviewCandidate:
        return ReviewCandidate(
            new_review_id(self.random),
            self.transcript.name,
            run_id,
            candidate.primitive,
            candidate.title,
            candidate.body,
            candidate.confidence,
            self.now,
            candidate.kind,
            candidate.tags,
            self._evidence(candidate),
            candidate.trust,
            candidate.signals,
        )

    def _with_rivals(self, waiting: ReviewCandidate, candidate: Candidate) -> ReviewCandidate:
        if candidate.id not in self._rivals:
            return waiting
        news = replace(waiting, signals=(*waiting.signals, TELLS_NEWS))
        return _against(news, self._rivals[candidate.id])

    @property
    def _for_a_person(self) -> Sequence[Candidate]:
        return self.extraction.review if self.extraction else ()

    def _find_rivals(self) -> None:
        """What stands against the user's words that wait, before anything is written: whoever reads that memory until
        somebody decides is told. Only of what says that something is otherwise now, or how much it is, which it may be
        otherwise without a word of that; the rest stands beside it."""
        for one in self._for_a_person:
            if one.trust is not Trust.USER:
                continue
            is_news = tells_change(one.title) or states_change(one.title, one.body)
            if is_news or measured(one.title).amounts:
                near = [similar.record for similar in self.holdings.near(one.title, one.body)]
                found = _surely_opposed(one, [record for record in near if not self.is_later(record, one)])
                if is_news or found:
                    self._rivals[one.id] = found

    def _hold_against(self, review: ReviewList) -> None:
        """What this session taught may have ended since, in words that were read before it: sessions are read from the
        last to the first, and nobody knew then what they were said against."""
        records = (one.record for one in self.writes.values())
        written = [(one, statement(one.title, one.body)) for one in records if one.primitive.is_lesson and one.holds]
        for one in review.news() if written else ():
            if one.session == self.transcript.name:
                continue
            news = statement(one.title, one.body)
            earlier = [(record, said) for record, said in written if record.last_said.at < one.said]
            ended = [record for record, said in earlier if record.id not in one.against and may_bear(news, said)]
            rivals = _surely_opposed(as_candidate(one), ended)
            if rivals:
                review.oppose(_against(one, rivals))

    def _disputed(self, report: SyncReport, run_id: str) -> ReviewCandidate:
        """A candidate with what stands against it: a person reads both sides, each in its own words."""
        candidate = self.candidates[report.candidate]
        named = [record for target in report.targets if (record := self.holdings.find(target)) is not None]
        found = [(one, _opposition(candidate, one, is_later=not self.is_later(one, candidate))) for one in named]
        found = [(one, why) for one, why in found if why is None or why.is_sure or not self._is_of_here(one)]
        signals = (*candidate.signals, *(_beside(one, why) for one, why in found))
        waiting = self._for_review(replace(candidate, signals=signals), run_id)
        # What nobody can tell for sure closes nothing by being accepted: whoever says that it does names it.
        return replace(waiting, against=tuple(one.id for one, why in found if why is not None and why.is_sure))

    def _is_of_here(self, record: Record) -> bool:
        return is_of_session(record, self.transcript.name)

    def write_for(self, candidate_id: str) -> Write | None:
        return next((write for write in self.writes.values() if write.candidate == candidate_id), None)

    def _require_allowed(
        self,
        candidate: Candidate,
        record: Record,
        *,
        closes: bool,
        draft: Draft | None = None,
        replaced_by: str | None = None,
    ) -> None:
        """What a person wrote is theirs to change; a user's decision is not overruled by an agent's words, nor what
        was said later by what was said before. Raises Declined."""
        if record.is_hearsay:
            raise Declined(
                f"'{record.id}' came with a repository that is not trusted. Leave it as it is, and add {candidate.id}."
            )
        mine, theirs = Authority.of(candidate.trust), Authority.of(record.trust, record.source)
        if not closes and draft is not None and _adds_evidence_alone(draft, record):
            return
        if theirs is Authority.PERSON and not (closes and mine is Authority.USER):
            raise Declined(
                f"A person wrote '{record.id}'. Report no-op or review for {candidate.id}, with it as target."
            )
        is_decision = candidate.primitive is Primitive.DECISION
        if closes and is_decision and self.unmerged and not says_the_same(candidate, record):
            raise Declined(
                f"{candidate.id} was decided on branch {self.unmerged}, which is not merged: '{record.id}' holds until"
                " then. Write it without replaces."
            )
        if closes and mine < min(theirs, Authority.USER):
            raise Declined(
                f"The user said '{record.id}', and {candidate.id} is the agent's word. Report review, with"
                f" '{record.id}' as target."
            )
        since = self.holdings.find(replaced_by) if replaced_by else None
        is_ended = since is not None and record.last_said < since.last_said and says_the_same(candidate, record)
        if closes and self.is_later(record, candidate) and mine <= theirs and not is_ended:
            raise Declined(
                f"'{record.id}' was said after {candidate.id} and holds. Write it with replaced_by='{record.id}', or"
                " report no-op."
            )

    def _require_free(self, candidate: Candidate) -> None:
        if (write := self.write_for(candidate.id)) is not None:
            raise Declined(f"{candidate.id} is staged already as '{write.record.id}'. Go on with the next candidate.")
        if candidate.id not in self.searched:
            raise Declined(
                f"Nobody has searched for {candidate.id}. Call explore with candidate='{candidate.id}' first."
            )

    def _require_new(self, candidate: Candidate) -> None:
        about = topics(candidate.title)
        for record in self.known_from(candidate):
            if 2 * len(about & topics(text_of(record))) >= len(about):
                raise Declined(
                    f"'{record.id}' ({record.status}) was taken from these very lines before."
                    f" Report no-op for {candidate.id}, or update it."
                )

    def _differences(self, reports: Sequence[SyncReport]) -> Iterable[str]:
        if self.extraction is None:
            yield "Nothing is extracted yet; call extract_pipeline first."
        reported = [report.candidate for report in reports]
        for candidate in self.candidates:
            if reported.count(candidate) != 1:
                yield f"{candidate} has {reported.count(candidate)} actions and needs exactly one."
        for report in reports:
            yield from self._differs(report)

    def _differs(self, report: SyncReport) -> Iterable[str]:
        if report.candidate not in self.candidates:
            yield f"'{report.candidate}' is no candidate."
            return
        write = self.write_for(report.candidate)
        done = verb_of(write)
        is_left = report.action is SyncVerb.REVIEW and write is None
        if report.action is not done and not is_left:
            yield f"{report.candidate} says {report.action}, but {_what_is_staged(write)}."
        if is_left and not report.targets:
            yield f"{report.candidate} is left for review, but names no record that stands against it."
        if not report.reason.strip():
            yield f"{report.candidate} gives no reason."
        if write is not None and report.record not in (None, write.record.id):
            yield f"{report.candidate} names '{report.record}', but '{write.record.id}' is staged."
        if write is not None and report.targets and set(report.targets) != _touched(write):
            yield f"{report.candidate} names other targets than {', '.join(write.targets) or 'none'}."
        if unknown := [t for t in report.targets if self.holdings.find(t) is None]:
            yield f"{report.candidate} names {', '.join(unknown)}, which nobody knows."


def _adds_evidence_alone(said: Draft | Record, record: Record) -> bool:
    """Whether a record stays what it is, to the letter: it only rests on more."""
    names = ("title", "body", "tags", "confidence", "kind")
    return all(getattr(said, name) == getattr(record, name) for name in names)


def _is_evidence_alone(write: Write) -> bool:
    is_revision = write.operation is Operation.REVISE and not write.closed
    return is_revision and _adds_evidence_alone(write.record, write.base[0])


def verb_of(write: Write | None) -> SyncVerb:
    """What a staged write is to its candidate. What is history from the start changes nothing that holds."""
    if write is None or (write.replaced_by and not write.base) or _is_evidence_alone(write):
        return SyncVerb.NO_OP
    return SyncVerb.UPDATE if write.base else SyncVerb.ADD


def _opposition(candidate: Candidate, record: Record, *, is_later: bool) -> Judgment | None:
    """Why they cannot both hold, surely or perhaps, where rules and model leave that open; else nothing."""
    why = opposition(candidate, record, is_later=is_later)
    mine, other = (candidate.title, candidate.body), (record.title, record.body)
    pair = (mine, other) if is_later else (other, mine)
    return why if why is not None and believed(*pair, why) else None


def _surely_opposed(later: Candidate, records: Iterable[Record]) -> list[tuple[Record, Judgment]]:
    """Of records that were said before a candidate, those that surely do not hold with it, and why."""
    found = ((record, _opposition(later, record, is_later=True)) for record in records)
    return [(record, why) for record, why in found if why is not None and why.is_sure]


def _against(waiting: ReviewCandidate, rivals: Sequence[tuple[Record, Judgment]]) -> ReviewCandidate:
    """A candidate that waits, with what it stands against, both sides quoted."""
    return replace(
        waiting,
        against=(*waiting.against, *(record.id for record, _ in rivals)),
        signals=(*waiting.signals, *(_beside(record, why) for record, why in rivals)),
    )


def _beside(record: Record, why: Judgment | None) -> str:
    """How a record stands to a candidate that waits."""
    if why is None:
        return f"goes with “{record.title}” ({record.id})"
    return signal_of(record, is_sure=why.is_sure, why=why.reason)


def _touched(write: Write) -> set[str]:
    return {*write.targets, *([write.replaced_by] if write.replaced_by else ())}


def _what_is_staged(write: Write | None) -> str:
    return f"{verb_of(write)} of '{write.record.id}' is staged" if write else "nothing is staged for it"
