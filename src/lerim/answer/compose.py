"""What was found → sentences, in the records' own words, each with the ids it rests on. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lerim.answer.focus import Asked, names_in
from lerim.answer.force import Force, force_of
from lerim.answer.kindred import is_meant
from lerim.answer.noted import later_word
from lerim.answer.order import PointToTell, in_order, overruled_by
from lerim.answer.passages import answering
from lerim.answer.plan import Changes, Count, List, Search, SessionQuestion, SessionsTold, When
from lerim.answer.points import point_of
from lerim.answer.retrieval import CitedRecord, Retrieved
from lerim.answer.sessions import became, gone, left_by, told_by
from lerim.answer.support import ParsedQuestion
from lerim.answer.voices import told_by_whom
from lerim.answer.wanted import Wanted, began, said_at
from lerim.context.place import Kept, Place
from lerim.context.records import Primitive, Record, RecordId, Status
from lerim.context.store import Version
from lerim.dataclass import dataclass, replace
from lerim.search.terms import terms

if TYPE_CHECKING:
    from lerim.context.review.waiting import LaterWord

#: What is shown when there is no answer.
NO_ANSWER = "Nothing in memory answers this"
#: Ids that a sentence shows; it rests on all of them.
_SHOWN = 12
#: What is told of all that was decided on something, at most.
_EVERY = 8
#: The share of a sentence's words that nobody said before it, if it is worth saying.
_NEW = 0.25
_CITATION = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True)
class Sentence:
    """One sentence as people read it, its citations included, and the records it rests on."""

    text: str
    ids: tuple[RecordId, ...]


def compose(found: Retrieved, limit: int) -> list[Sentence]:
    """The sentences that tell what one action found; none when nothing supports an answer."""
    match found.action:
        case Count(wanted):
            return _counted(wanted, found.records)
        case List(wanted):
            return _listed(wanted, found.records)
        case Changes():
            return _changed(found.versions, found.action.only)
        case SessionsTold():
            bodies = [kept.record.body for kept in found.records]
            return [
                line for at, kept in enumerate(found.records) for line in _told(found.action, kept.record, bodies[:at])
            ]
        case When():
            return [_dated(item, found.action) for item in found.supporting[:1]]
        case Search():
            question = ParsedQuestion(found.action.query, found.action.focus)
            if found.action.is_every:
                return _every(question, found.supporting[: max(limit, _EVERY)])
            tellings = in_order(question, found.supporting[:limit], (*found.rejected, *found.waiting))
            lines = _said_once(line for one in tellings for line in _answer(question, one))
            return [*lines, *_open(question, tellings, found.waiting)]


def marked(sentence: Sentence) -> Sentence:
    """A sentence that rests on hearsay, saying so."""
    return Sentence(f"{sentence.text} (shared, not trusted)", sentence.ids)


def doubted(sentences: Iterable[Sentence], doubts: Mapping[RecordId, str]) -> list[Sentence]:
    """The sentences; the first that rests on a record whose ground is gone, or on a provisional one, says so."""
    found, left = list[Sentence](), {record: doubt for record, doubt in doubts.items() if doubt}
    for sentence in sentences:
        said = dict.fromkeys(left.pop(one) for one in sentence.ids if one in left)
        found.append(Sentence(f"{sentence.text} ({'; '.join(said)})", sentence.ids) if said else sentence)
    return found


def nothing(found: Sequence[Retrieved]) -> str:
    """What to say when there is nothing to say."""
    action = found[-1].action
    if isinstance(action, Count | List):
        return f"{NO_ANSWER}: 0 {action.wanted.describe()}."
    if isinstance(action, SessionsTold):
        return f"{NO_ANSWER}: no summary says {action.told}."
    if isinstance(action, Changes):
        return f"{NO_ANSWER}: nothing changed {action.span.describe()} among {action.wanted.describe()}."
    return f"{NO_ANSWER}."


def cite(ids: Iterable[RecordId]) -> str:
    """Ids in brackets, the first dozen of them."""
    known = list(dict.fromkeys(ids))
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"[{', '.join(known[:_SHOWN])}{more}]"


# --- counts and lists -------------------------------------------------------------------------------------------------


def _counted(wanted: Wanted, records: Sequence[Kept]) -> list[Sentence]:
    if not records:
        return []
    ids = tuple(kept.record.id for kept in records)
    sentences = [Sentence(f"{len(records)} {wanted.describe(len(records))} {cite(ids)}.", ids)]
    gone = tuple(kept.record.id for kept in records if not kept.record.holds)
    if gone and not wanted.filter.statuses:
        verb = "holds" if len(gone) == 1 else "hold"
        sentences.append(Sentence(f"{len(gone)} of them no longer {verb} {cite(gone)}.", gone))
    return sentences


def _listed(wanted: Wanted, records: Sequence[Kept]) -> list[Sentence]:
    return [
        Sentence(f"{began(kept.record):%Y-%m-%d}: {_statement(kept.record)}{standing(kept.record)}.", _ids(kept.record))
        for kept in records
    ]


def _told(action: SessionsTold, record: Record, later: Sequence[str]) -> list[Sentence]:
    """A session by its day and title, and what its summary says to what is asked."""
    told, words = action.told, action.wanted.words
    is_left = told is SessionQuestion.LEFT
    if told in (SessionQuestion.BECAME, SessionQuestion.GONE):
        is_gone = told is SessionQuestion.GONE
        said, *more = gone(record.body, words) if is_gone else became(record.title, record.body, words, action.deed)
        dated = [f"{began(record):%Y-%m-%d}: {said}", *more]
        return [Sentence(f"{text} [{record.id}].", (record.id,)) for text in dated]
    says = left_by(record.body, later) if is_left else [text for text in told_by(record.body, told) if text]
    if told is SessionQuestion.PULLS:
        text = f"{began(record):%Y-%m-%d}: opened {' and '.join(says)}: {_statement(record)}."
        return [Sentence(text, (record.id,))]
    first = Sentence(f"{began(record):%Y-%m-%d}: {_statement(record)}.", (record.id,))
    label = "Left open: " if is_left else ""
    return [first, *(Sentence(f"{label}{text} [{record.id}].", (record.id,)) for text in says)]


def standing(record: Record) -> str:
    """What became of a record that holds no more, behind what it says; nothing when it holds."""
    if record.status is Status.SUPERSEDED:
        day = f" {record.valid_until:%Y-%m-%d}" if record.valid_until else ""
        return f" (replaced{day} by [{record.superseded_by}])"
    return "" if record.holds else f" ({record.status})"


def _ids_of(item: CitedRecord) -> tuple[RecordId, ...]:
    return item.ids if item.waits else _ids(item.kept.record)


def _ids(record: Record) -> tuple[RecordId, ...]:
    return (record.id, record.superseded_by) if record.superseded_by else (record.id,)


# --- what changed -----------------------------------------------------------------------------------------------------

_VERBS = {
    "create": "new",
    "import": "new",
    "supersede": "replaced",
    "archive": "archived",
    "delete": "archived",
    "restore": "restored",
    "undo": "undone",
}


def _changed(versions: Sequence[tuple[Place, Version]], only: str | None) -> list[Sentence]:
    """A sentence for each change of a record. What was new and replaced another is one sentence."""
    versions = sorted(versions, key=lambda item: said_at(item[1]))
    if only is not None:
        return [_change(version, None) for _, version in versions if verb_of(version) == only]
    replaced = {
        version.record.superseded_by: version.record for _, version in versions if version.operation == "supersede"
    }
    made = {version.record.id for _, version in versions if version.record.version == 1}
    sentences = []
    for _, version in versions:
        if version.operation == "supersede" and version.record.superseded_by in made:
            continue  # Part of the sentence on the record that replaced it.
        sentences.append(_change(version, replaced.get(version.record.id) if version.record.version == 1 else None))
    return sentences


def verb_of(version: Version) -> str:
    """What a version did to its record, in a word or two."""
    return "new" if version.record.version == 1 else _VERBS.get(version.operation, "revised")


def _change(version: Version, old: Record | None) -> Sentence:
    record = version.record
    verb = verb_of(version)
    tail = f" replaces {_statement(old)}" if old else ""
    if version.operation == "supersede":
        tail = f" by [{record.superseded_by}]"
    # Why something is new is in its own words; why it changed is in the reason alone.
    reason = f" ({version.reason})" if verb == "revised" else ""
    ids = (record.id, old.id) if old else _ids(record)
    return Sentence(f"{said_at(version):%Y-%m-%d}, {verb}: {_statement(record)}{tail}{reason}.", ids)


# --- answers ----------------------------------------------------------------------------------------------------------


def said_otherwise(later: LaterWord) -> str:
    """What the user said later, while nobody has decided whether it holds."""
    how = "said otherwise" if later.is_sure else "perhaps said otherwise"
    return f"Open: {how} on {later.said:%Y-%m-%d}, and not decided yet: “{later.title}” ({later.name})."


def _answer(question: ParsedQuestion, told: PointToTell) -> list[Sentence]:
    """The point of a record, with what it replaced, what says otherwise, and a detail that adds to it."""
    cited, record, point, rival = told.item, told.record, told.point, told.rival
    if cited.is_history and not cited.at_once and not _is_told(question, point.text):
        # What was done may be told in other words than what it was done to.
        if record.primitive is not Primitive.SUMMARY or not set(question.terms) <= set(terms(record.title)):
            return []
        point = replace(point, text=f"{record.title}: {point.text}", detail="")
    if question.is_of_past and cited.before:
        return [_as_it_was(question, cited)]
    later = [new for old, new in cited.since if _tells_of(point.text, old)]
    after = f" (since then: {'; '.join(map(_statement, later))})" if later else ""
    told_of = (*cited.before, *later, *([rival] if rival else ()))
    beside = (*told.others, *([told.later] if told.later else ()))
    ids = tuple(
        dict.fromkeys(
            (*_ids_of(cited), *(old.id for old in told_of), *(one for other in beside for one in other.item.ids))
        )
    )
    became = f"{standing(record)}{_before(cited.before)}{_open_to(rival)}{after}"
    became += f"{_later(told.later)}{_others(question, told.others)}"
    text = f"{_since(question, cited)}{point.text} {cited.cited}{_whose(question, record)}{became}."
    more = [Sentence(f"{point.detail} {cited.cited}.", cited.ids)] if point.detail else []
    return [Sentence(text, ids), *more]


def _open(question: ParsedQuestion, told: Sequence[PointToTell], waiting: Sequence[CitedRecord]) -> Iterator[Sentence]:
    """What waits in the review, was said after what is told and says otherwise; the last such word of each."""
    for one in told:
        if one.item.is_history:
            continue
        later = [item for item in waiting if overruled_by(question, one, item)]
        last = max(later, key=lambda item: item.kept.record.last_said, default=None)
        if last is not None:
            yield Sentence(said_otherwise(later_word(last.kept.record)), (one.record.id, *last.session))


def _every(question: ParsedQuestion, items: Sequence[CitedRecord]) -> list[Sentence]:
    """All that was decided on something, newest first; what a session says again is said once."""
    rivals = {one.record.id: one.rival for one in in_order(question, items)}
    told = [(item, text) for item in items for text in _decided(question, item)]
    lines = [
        (item, _said(item, text, rivals.get(item.kept.record.id)))
        for item, text in sorted(told, key=lambda one: one[0].is_history)
    ]
    kept = {line.text: line for line in _said_once(line for _, line in lines)}
    return [
        line
        for _, line in sorted(lines, key=lambda one: one[0].kept.record.last_said.at, reverse=True)
        if line.text in kept
    ]


def _decided(question: ParsedQuestion, item: CitedRecord) -> list[str]:
    record = item.kept.record
    said = [one.text for one in answering(question, record) if force_of(one.text) >= Force.TOLD]
    return list(dict.fromkeys(said)) if item.is_history and said else [point_of(question, record).text]


def _said(item: CitedRecord, text: str, rival: Record | None) -> Sentence:
    record = item.kept.record
    became = f"{standing(record)}{_before(item.before)}{_open_to(rival)}"
    ids = (*_ids_of(item), *(old.id for old in (*item.before, *([rival] if rival else ()))))
    return Sentence(f"{began(record):%Y-%m-%d}: {text} {item.cited}{became}.", ids)


def _open_to(rival: Record | None) -> str:
    return f" (open: [{rival.id}], said later, says otherwise)" if rival else ""


def _as_it_was(question: ParsedQuestion, cited: CitedRecord) -> Sentence:
    """What held before, or first of all, and what holds since."""
    old, new = cited.before[-1 if question.is_of_the_first else 0], cited.kept.record
    until = f"until {old.valid_until:%Y-%m-%d}, since then" if old.valid_until else "since then"
    return Sentence(f"{began(old):%Y-%m-%d}: {_statement(old)} ({until}: {_statement(new)}).", (old.id, new.id))


def _later(later: PointToTell | None) -> str:
    """What was said last of it, and would not answer by itself."""
    return f" (later, {on_its_day(later)})" if later else ""


def on_its_day(told: PointToTell) -> str:
    """What was told, cited, with the day on which it was said."""
    return f"{began(told.record):%Y-%m-%d}: {told.point.text} {told.item.cited}"


def _others(question: ParsedQuestion, others: Sequence[PointToTell]) -> str:
    """What was told of the same before, or after it."""
    said = list(map(on_its_day, others))
    return f" ({'since then' if question.is_of_past else 'before'}, {'; '.join(said)})" if said else ""


def _is_told(question: ParsedQuestion, text: str) -> bool:
    """Whether a sentence of a session's summary says something of what is asked; a reason and a command speak of
    something else."""
    is_sought = question.focus.asked in (Asked.REASON, Asked.COMMAND)
    words = set(terms(text))
    things = [term for term in question.terms if term not in question.measured] or question.terms
    return is_sought or any(is_meant(term, words) for term in things)


def _tells_of(text: str, record: Record) -> bool:
    """Whether a sentence speaks of what a record says: it has one of its names."""
    named = {term for name in names_in(f". {record.title}") for term in terms(name)}
    return not named.isdisjoint(terms(text))


def _since(question: ParsedQuestion, item: CitedRecord) -> str:
    """The day before a point where that is part of the answer: of what happened once, and of what is asked if it still
    holds."""
    record = item.kept.record
    if item.is_history:
        return f"{began(record):%Y-%m-%d}: "
    return f"Since {began(record):%Y-%m-%d}: " if question.is_of_today and record.holds else ""


def _whose(question: ParsedQuestion, record: Record) -> str:
    """Who said it, where that is asked."""
    return f", {told_by_whom(record)}" if question.focus.asked is Asked.SPEAKER else ""


def _said_once(lines: Iterable[Sentence]) -> list[Sentence]:
    """Without what others have said before: a summary tells again what its session decided."""
    kept: list[Sentence] = []
    told = set[str]()
    for line in lines:
        says = set(terms(_CITATION.sub("", line.text)))
        if not kept or len(says - told) > _NEW * len(says):
            kept.append(line)
            told |= says
    return kept


def _dated(cited: CitedRecord, asked_for: When) -> Sentence:
    """When it began or ended, of the very record that was asked for; and what became of it."""
    asked = next((old for old in cited.before if old.id == cited.matched.id), cited.kept.record)
    current = cited.kept.record
    if asked_for.ended and asked_for.gives_up(current):
        asked = current
    if asked.id == current.id:
        text = f"{began(asked):%Y-%m-%d}: {_statement(asked)}{_before(cited.before)}."
        if asked_for.ended and not cited.before and not asked_for.gives_up(asked):
            text = f"It still holds, since {text}"
        return Sentence(text, (asked.id, *(old.id for old in cited.before)))
    until = f"{asked.valid_until:%Y-%m-%d}" if asked.valid_until else "later"
    if asked_for.ended:
        text = f"{until}: {_statement(current)} (before, since {began(asked):%Y-%m-%d}: {_statement(asked)})."
        return Sentence(text, (current.id, asked.id))
    text = f"{began(asked):%Y-%m-%d}: {_statement(asked)} (replaced {until}: {_statement(current)})."
    return Sentence(text, (asked.id, current.id))


def _statement(record: Record) -> str:
    return f"{record.title.rstrip('. ')} [{record.id}]"


def _before(replaced: Sequence[Record]) -> str:
    parts = [
        f"{_statement(old)}" + (f", replaced {old.valid_until:%Y-%m-%d}" if old.valid_until else "") for old in replaced
    ]
    return f" (before: {'; '.join(parts)})" if parts else ""
