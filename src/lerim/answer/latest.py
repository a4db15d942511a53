"""What was said last against what an answer tells, wherever it stands: in a memory, in a session, or still waiting.

A question finds the sentence that has its words. What ended that may have none of them: who asks for the format is
answered by the session that chose one, and a later one that says "we go from A to B" speaks of no format. So what was
told is looked for itself, in all that was said after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from lerim.answer.focus import Asked
from lerim.answer.force import Force, force_of
from lerim.answer.kindred import is_meant
from lerim.answer.noted import noted_with
from lerim.answer.order import PointToTell, gives_up, may_be_of_one, same_session, stands_beside
from lerim.answer.passages import told_in
from lerim.answer.points import Point
from lerim.answer.retrieval import CitedRecord
from lerim.answer.support import LITTLE, ParsedQuestion, SupportVerdict
from lerim.answer.words import figures, units
from lerim.context.place import Kept
from lerim.context.records import Primitive, Record
from lerim.lazy_regex import compile_later
from lerim.search.similar import similar
from lerim.search.terms import terms
from lerim.text.bearing import judge
from lerim.text.former_values import figure_changed
from lerim.text.statements import Statement, statement

#: Records that may have ended what was told, and words that they have in common with it.
_NEAR, _SHARED = 24, 2
#: Who leaves gives up what they did, and nothing of what they leave.
_LEFT = compile_later(
    r"(?i)^\W*(?:(?:now|so|btw|since|frau|herr|mrs?|ms|dr|mme)\.? )*"
    r"(?P<who>[^\W\d_]+) (?:has |is |have |ist |hat |est )?"
    r"(?:left|gone|leaves|quit|retired|away|on leave|no longer|weg|im ruhestand|gekündigt|parti\w?|se fue)\b"
)
#: What never happened in a trial gives nothing up: "ran it all night, not one stop".
_NOT_ONCE = compile_later(
    r"(?i)\b(?:(?:not|without) (?:a single|one)|(?:keine?|ohne eine?n?) einzige\w*|(?:pas|sans) une? seule?"
    r"|ni una? sol[ao])\b"
)
#: What says only of what sort it is ends nothing by itself.
_GENERIC_WORDS = "default defaults option value current standard existing normal usual same manual custom other setting"
_GENERIC = frozenset(term for word in _GENERIC_WORDS.split() for term in terms(word))
_SAID_LATER = SupportVerdict(True, "said later, and ends it", 1.0)


def last_word(question: ParsedQuestion, kept: Kept, told: str) -> PointToTell | None:
    """What was said last after a record, and ends what was told of it; nothing when that is the last word."""
    old, since = statement(told, ""), list(_said_since(kept, told))
    found = [
        PointToTell(item, Point(text))
        for item in since
        if (text := _ending(question, item.kept.record, old)) is not None
    ]
    ended = {one.record.id for one in found}
    kept_since = [item.kept.record for item in since if not item.is_history]
    # What a session is summed up with says no more than what was kept of it, which may be that nothing changed.
    told_better = [record for record in kept_since if record.id in ended or _keeps_value(record.title, told)]
    found = [
        one for one in found if not one.item.is_history or not any(same_session(one.record, two) for two in told_better)
    ]
    return max(found, key=lambda one: one.record.last_said, default=None)


def _keeps_value(text: str, told: str) -> bool:
    """Whether a text tells the very figure again that was told, of the same."""
    shared = (set(terms(text)) & set(terms(told))) - LITTLE
    return not figures(text).isdisjoint(figures(told)) and any(map(str.isalpha, shared))


def _said_since(kept: Kept, told: str) -> Iterator[CitedRecord]:
    """What was said after a record, elsewhere, and has words of what was told."""
    place, known = kept.place, kept.record
    near = (one.record for one in similar(place, told, limit=_NEAR, summaries=True))
    items = [CitedRecord(Kept(one, place), (), one, _SAID_LATER) for one in near if one.may_brief]
    items += [
        CitedRecord(Kept(one, place), (), one, _SAID_LATER, session=of) for one, of in noted_with(place, terms(told))
    ]
    for item in items:
        one = item.kept.record
        if one.id != known.id and one.last_said > known.last_said and not same_session(one, known):
            yield item


def _ending(question: ParsedQuestion, record: Record, old: Statement) -> str | None:
    """The sentence of a record that ends what was told."""
    if record.primitive is not Primitive.SUMMARY:
        title, new = record.title.rstrip(". "), statement(record.title, record.body)
        is_ended = _ends(question, new, old) or (_surely_ends(new, old) and not stands_beside(new, old))
        return title if is_ended else None
    words = set(terms(old.title)) - LITTLE
    for text in told_in(record):
        if not words.isdisjoint(terms(text)) and _ends(question, statement(text, ""), old):
            return text
    return None


def _surely_ends(new: Statement, old: Statement) -> bool:
    return len(new.heavy & old.heavy) >= _SHARED and judge(new, old).replaces


def _ends(question: ParsedQuestion, new: Statement, old: Statement) -> bool:
    """Whether a statement gives up what another names, tells its figure as the former one, or answers otherwise."""
    force, changed = force_of(new.title), figure_changed(new.title, old.title)
    # "14 days is too long, make it 7" complains of what it changes.
    is_said = force is not Force.ASKED and (force is not Force.COMPLAINED or changed is not None)
    if not is_said or stands_beside(new, old):
        return False
    if _NOT_ONCE.search(new.title) is not None:
        return False
    if (gone := _LEFT.match(new.title)) is not None:
        return question.focus.asked is Asked.PERSON and set(terms(gone["who"])) <= set(terms(old.title))
    words = set(terms(new.title)) - LITTLE
    if gives_up(new, old):
        # "Rather than the default" gives up no default in particular.
        shared = words.intersection(terms(old.title))
        return len(shared) != 1 or shared.isdisjoint(_GENERIC)
    things = [term for term in question.terms if term not in question.measured] or question.terms
    if changed is not None:
        return any(word.isalpha() and word in {*terms(old.title), *things} for word in words)
    is_valued = question.gives_value(new.title) and may_be_of_one(new.title, old.title)
    if is_valued and _is_bare_value(question, new.title, old.title):
        return True
    is_of_it = any(is_meant(term, words) for term in things)
    return is_of_it and is_valued and question.gives_value(old.title) and judge(new, old).bearing.replaces


def _is_bare_value(question: ParsedQuestion, text: str, told: str) -> bool:
    """Whether a text is no more than the name of what is asked for and another value in the unit that was told:
    "heartbeat timeout 500 ms"."""
    words = {term for term in terms(text) if term.isalpha()} - LITTLE - {unit.lower() for unit in units(text)}
    is_other = figures(text).isdisjoint(figures(told)) and not units(text).isdisjoint(units(told))
    return len(words) >= _SHARED and words <= set(question.terms) and is_other
