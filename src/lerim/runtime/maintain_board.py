"""The board of a run that keeps the memory true: what is under review, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic_ai import ModelRetry

from lerim.context.authority import Authority, lowest_trust
from lerim.context.place import Place
from lerim.context.records import Draft, Record, RecordId, Status
from lerim.runtime.board import (
    REVISABLE,
    Board,
    Committed,
    Operation,
    Write,
    checked,
    require_backed,
    text_of,
    topics,
)
from lerim.runtime.wire import MaintainReport, MaintainVerb
from lerim.text.bearing import judge
from lerim.text.statements import statement


@dataclass(frozen=True)
class ReviewItem:
    """Records that Python asks the agent to look at: one that faded, or some that say the same."""

    why: MaintainVerb
    records: tuple[RecordId, ...]
    reason: str


@dataclass
class MaintainBoard(Board):
    """The board of a run that keeps the memory true."""

    review: tuple[ReviewItem, ...] = field(kw_only=True)
    reports: tuple[MaintainReport, ...] | None = None

    def __post_init__(self) -> None:
        # The review list is given to the agent: what is on it need not be found first.
        self.note_found(record_id for item in self.review for record_id in item.records)

    def stage(self, draft: Draft, updates: str | None, replaces: Sequence[str]) -> Record:
        """Stage a merge of several records, or a better wording of one. Raises ModelRetry."""
        if updates and not replaces:
            return self._revise(self._of_one_kind([updates], draft)[0], draft)
        if updates or len(set(replaces)) < 2:
            raise ModelRetry(
                "In maintain a memory is merged from others (replaces: two or more ids) or revised (updates: one id)."
                " New knowledge comes from sessions only."
            )
        return self._merge(draft, self._of_one_kind(replaces, draft))

    def edit(self, record: Record, edited: Record) -> Record:
        """Stage an edit of a memory file. `edited` is what the file would say. Raises ModelRetry."""
        allowed = {name: getattr(edited, name) for name in REVISABLE if name != "evidence"}
        if replace(record, **allowed, updated=edited.updated) != edited:
            raise ModelRetry("An edit may change title, body, tags, confidence and kind; all else is not yours to say.")
        self.note_found([record.id])
        (base,) = self._targets([record.id])
        draft = Draft(base.primitive, edited.title, edited.body, edited.kind, edited.tags, edited.confidence)
        return self._revise(base, draft)

    def archive(self, record: Record) -> Record:
        """Stage putting a record away. Only what faded may go: what holds must not disappear. Raises ModelRetry."""
        faded = {item.records[0] for item in self.review if item.why is MaintainVerb.ARCHIVE}
        (base,) = self._targets([record.id]) if record.id in faded else (record,)
        if record.id not in faded:
            raise ModelRetry(f"'{record.id}' has not faded. Archive only what the review list says has.")
        return self._put(Write(Operation.ARCHIVE, replace(base, status=Status.ARCHIVED), (base,)))

    def report(self, reports: Sequence[MaintainReport]) -> None:
        """Take the run's own account, if it agrees with what is staged. Raises ModelRetry with every difference."""
        if wrong := list(self._differences(reports)):
            raise ModelRetry("maintain_actions.json is not what happened: " + " ".join(wrong[:20]))
        self.reports = tuple(reports)

    def missing(self) -> list[str]:
        """What is left to do before the run is finished."""
        if self.reports is None:
            return ["Write maintain_actions.json: what was done about each item of the review list, and why."]
        wrong = list(self._differences(self.reports))
        return ["Write maintain_actions.json again: " + " ".join(wrong[:20])] if wrong else []

    def commit(self, place: Place, run_id: str, reason: str) -> Committed:
        assert not self.missing(), "an unfinished run is never written"
        return super().commit(place, run_id, reason)

    def _of_one_kind(self, ids: Sequence[str], draft: Draft) -> tuple[Record, ...]:
        base = self._targets(ids)
        for record in base:
            if record.is_hearsay:
                raise ModelRetry(f"'{record.id}' came with a repository that is not trusted; leave it as it is.")
            if record.primitive is not draft.primitive:
                raise ModelRetry(
                    f"'{record.id}' is a {record.primitive}; only records of one kind are merged or revised."
                )
        return base

    def _revise(self, base: Record, draft: Draft) -> Record:
        require_backed(draft, [text_of(base)], base.tags)
        _require_not_a_persons(base)
        if judge(statement(draft.title, draft.body), statement(base.title, base.body)).bearing.replaces:
            raise ModelRetry(f"That turns '{base.id}' around: '{base.title}'. Only what was said anew can do that.")
        draft = replace(draft, evidence=base.evidence, source=base.source, trust=base.trust)
        return self._put(Write(Operation.REVISE, checked(base, draft), (base,)))

    def _merge(self, draft: Draft, base: tuple[Record, ...]) -> Record:
        merged = topics(f"{draft.title}\n{draft.body}")
        for record in base:
            about = topics(record.title)
            if 2 * len(about & merged) < len(about):
                raise ModelRetry(f"The merged memory does not say what '{record.id}' says: '{record.title}'.")
        require_backed(draft, map(text_of, base), [tag for record in base for tag in record.tags])
        for record in base:
            _require_not_a_persons(record)
        evidence = tuple(dict.fromkeys(piece for record in base for piece in record.evidence))
        # It holds since the first of them held, and counts for no more than the least of their words.
        draft = replace(draft, evidence=evidence, source="maintain", trust=lowest_trust(base))
        began = min(record.valid_from or record.created for record in base)
        return self._put(Write(Operation.CREATE, replace(self._new(draft, base), valid_from=began), base))

    def _differences(self, reports: Sequence[MaintainReport]) -> Iterable[str]:
        named = [record_id for report in reports for record_id in report.records]
        for write in self.writes.values():
            done = maintain_verb_of(write)
            fits = [r for r in reports if r.action is done and set(r.records) == set(write.targets)]
            if len(fits) != 1:
                yield f"The {done} of {', '.join(write.targets)} is reported {len(fits)} times and needs one action."
        changed = {target for write in self.writes.values() for target in write.targets}
        for report in reports:
            if report.action is not MaintainVerb.NO_OP and not set(report.records) <= changed:
                yield f"'{report.action}' of {', '.join(report.records) or 'nothing'} is reported, but not staged."
            if report.action is MaintainVerb.NO_OP and set(report.records) & changed:
                yield f"{', '.join(report.records)} is reported as kept, but a write for it is staged."
            if not report.reason.strip():
                yield f"The {report.action} of {', '.join(report.records)} has no reason."
        if unknown := [record_id for record_id in named if self.holdings.find(record_id) is None]:
            yield f"Nobody knows {', '.join(unknown)}."
        for item in self.review:
            if silent := [record_id for record_id in item.records if record_id not in named]:
                yield f"Nothing is reported on {', '.join(silent)}, which the review list names."


def _require_not_a_persons(record: Record) -> None:
    """Raises ModelRetry: what a person wrote is theirs, and only they or new words of the user change it."""
    if Authority.of(record.trust, record.source) is Authority.PERSON:
        raise ModelRetry(f"A person wrote '{record.id}'. Leave it as it is, and report no-op for it.")


def maintain_verb_of(write: Write) -> MaintainVerb:
    """What a staged write is to the records it touches."""
    match write.operation:
        case Operation.CREATE:
            return MaintainVerb.MERGE
        case Operation.REVISE:
            return MaintainVerb.REVISE
        case Operation.ARCHIVE:
            return MaintainVerb.ARCHIVE
