"""What waits in the review and answers a question: the user's own words, told as not decided yet.

Much of what somebody says in passing is noted, and nobody ever goes through it. It is no memory, but it is what was
said last: an answer that keeps it back tells what is long over, or nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from lerim.answer.kindred import one_of_its_sort
from lerim.answer.support import ParsedQuestion
from lerim.answer.words import SMALL
from lerim.context.place import Place
from lerim.context.records import Record, RecordId
from lerim.context.review.candidates import WAITING, ReviewCandidate
from lerim.context.review.waiting import LaterWord, Waiting

#: Words that a question is looked up by, and what is looked at of what has one of them.
_WORDS, _MOST = 24, 200


def noted(place: Place, question: ParsedQuestion) -> list[tuple[Record, tuple[RecordId, ...]]]:
    """What the user said that waits and has a word of a question, as records that nobody keeps; each with the summary
    of its session, which an answer rests on."""
    asked = [term for term in question.terms if term not in question.measured] or question.terms
    return noted_with(place, [*asked, *one_of_its_sort(asked)])


def noted_with(place: Place, words: Sequence[str]) -> list[tuple[Record, tuple[RecordId, ...]]]:
    """The same, of what has one of these words."""
    telling = [word for word in words if word not in SMALL][:_WORDS]
    with place.store.read() as snapshot:
        found = Waiting(snapshot).with_words([_beginning(word) for word in telling], _MOST)
        # A session leaves many candidates.
        told_in = {session: snapshot.summary_of(*session.split("/", 1)) for session in {one.session for one in found}}
    return [(_as_record(one), (summary.id,) if (summary := told_in[one.session]) is not None else ()) for one in found]


def later_word(record: Record) -> LaterWord:
    """What waits, as it is told beside what it may end."""
    return LaterWord(record.id, record.title, record.last_said.at, is_sure=True)


def is_noted(record: Record) -> bool:
    """Whether it only waits, and is no memory."""
    return record.id.startswith(WAITING)


def _beginning(term: str) -> str:
    """What all forms of a word begin with: "retri" is of "retry", too."""
    return term[:-1] if len(term) > 4 else term


def _as_record(candidate: ReviewCandidate) -> Record:
    return Record(
        id=RecordId(candidate.id),
        primitive=candidate.primitive,
        title=candidate.title,
        body=candidate.body,
        created=candidate.created,
        updated=candidate.created,
        kind=candidate.kind,
        tags=candidate.tags,
        valid_from=candidate.said,
        evidence=candidate.evidence,
        trust=candidate.trust,
        source="review",
    )
