"""Whether one record is sound by itself: understood alone, resting on something, what it is called, and in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from lerim.context.authority import Authority
from lerim.context.decay import DecayRule, is_faded, last_touched
from lerim.context.grounds import GroundSuspicion
from lerim.context.records import Kind, Primitive, Record
from lerim.curate.mended import tells_mended
from lerim.curate.proposals import CurationProposal, CurationVerb, RecordWording
from lerim.curate.titles import stands_alone, told_stems
from lerim.curate.validation import authority_of
from lerim.lazy_regex import compile_later
from lerim.text.sentences import sentences

_Doubt = GroundSuspicion | None
#: Where records are from that have to rest on something that was said.
_FROM_SESSIONS = frozenset({"sync", "review", "agent", "maintain"})
_LONGEST = 120
#: A title that takes the place of another says this many words: "Post 1-3, skip 4" says less than any.
_BETTER = 4
#: A title with so many words that tell something says what no line may leave out; what only leads to it is shorter.
_SAYS_SOMETHING, _LEAD_WORDS = 3, 3
_ORDERS = compile_later(
    r"(?i)^(?:always|never|prefer|do not|don['’]t|please|make sure|avoid|use|keep|write|ask|stop)\b"
)
#: What happened once.
_HAPPENED = compile_later(
    r"(?i)\b(?:yesterday|today|last (?:night|week|month|time)|this (?:morning|week))\b|^(?:somebody|someone)\b"
)
_STEPS = compile_later(r"(?m)^\s*(?:1[.)]\s.*\n(?:.*\n)*?\s*2[.)]\s)")


def unsound(record: Record, rule: DecayRule, now: datetime, *, suspicion: _Doubt = None) -> CurationProposal | None:
    """What is to be done about a record, if anything; the first of all that could be said."""
    return next((found for check in _CHECKS if (found := check(record, rule, now, suspicion)) is not None), None)


def _faded(record: Record, rule: DecayRule, now: datetime, _: _Doubt) -> CurationProposal | None:
    if not is_faded(record, rule, now):
        return None
    days = (now - last_touched(record)).days
    reason = f"it faded: nobody said, confirmed or used it for {days} days"
    return CurationProposal(CurationVerb.ARCHIVE, (record.id,), reason, is_safe=True)


def _groundless(record: Record, _: DecayRule, __: datetime, suspicion: _Doubt) -> CurationProposal | None:
    if suspicion is None or tells_mended(record):
        return None
    if suspicion.is_moved:
        reason = f"what it names is called otherwise now: {suspicion.told} (lerim memory edit {record.id})"
        return CurationProposal(CurationVerb.REVIEW, (record.id,), reason)
    return _for_review(record, f"its ground is gone: {suspicion.told}")


def _without_evidence(record: Record, _: DecayRule, __: datetime, ___: _Doubt) -> CurationProposal | None:
    if record.evidence or record.source not in _FROM_SESSIONS:
        return None
    return _for_review(record, "it came of a session, and no evidence of that is left")


def _leaning(record: Record, _: DecayRule, __: datetime, ___: _Doubt) -> CurationProposal | None:
    if stands_alone(record.title) or authority_of(record) is Authority.PERSON:
        return None
    reason = "its title says nothing to somebody who was not there"
    without_lead = filter(stands_alone, _without_lead(record.title))
    others = (line for line in _other_titles(record) if stands_alone(line, _BETTER))
    title = next((line for line in (*without_lead, *others) if _says_as_much(line, record.title)), None)
    if title is None:
        return CurationProposal(CurationVerb.REVIEW, (record.id,), reason)
    wording = RecordWording(title, _besides(record.body, title), record.kind, record.tags)
    return CurationProposal(CurationVerb.REVISE, (record.id,), reason, wording=wording, evidence=(record.title,))


def _without_lead(title: str) -> Iterator[str]:
    """A title without the few words that only lead to what it says: "this cannot be, gdpr, no names in the logs"."""
    lead, _, rest = title.partition(", ")
    while rest and len(rest.split(", ", 1)[0].split()) == 1:
        rest = rest.partition(", ")[2]
    if rest and len(lead.split()) <= _LEAD_WORDS:
        yield rest[:1].upper() + rest[1:]


def _says_as_much(line: str, title: str) -> bool:
    """Whether a line could stand for a title: another sentence of the body may be what the rule came of."""
    told = told_stems(title)
    return line != title and (len(told) < _SAYS_SOMETHING or 2 * len(told & told_stems(line)) >= len(told))


def _other_titles(record: Record) -> Iterator[str]:
    """What could stand for a title that leans: each sentence that says more than what happened once."""
    for line in _sentences(record.body):
        if len(line) <= _LONGEST and _HAPPENED.search(line) is None:
            yield line.rstrip(".")


def _miscalled(record: Record, _: DecayRule, __: datetime, ___: _Doubt) -> CurationProposal | None:
    kind = _fitting(record)
    if kind is None or kind is record.kind or authority_of(record) is Authority.PERSON:
        return None
    reason = f"it is called {record.kind}, and says what a {kind} says"
    wording = RecordWording(record.title, record.body, kind, record.tags)
    return CurationProposal(CurationVerb.REVISE, (record.id,), reason, wording=wording, evidence=(record.title,))


def _fitting(record: Record) -> Kind | None:
    """The kind that a learning plainly is; None when that cannot be told."""
    if record.primitive is not Primitive.LEARNING or record.kind is not Kind.INSIGHT:
        return None
    if _STEPS.search(record.body):
        return Kind.PROCEDURE
    is_users = authority_of(record) >= Authority.USER
    return Kind.PREFERENCE if is_users and _ORDERS.match(record.title) else None


_Check = Callable[[Record, DecayRule, datetime, _Doubt], CurationProposal | None]
_CHECKS: tuple[_Check, ...] = (_groundless, _faded, _without_evidence, _leaning, _miscalled)


def _for_review(record: Record, reason: str) -> CurationProposal:
    return CurationProposal(CurationVerb.REVIEW, (record.id,), reason, would=CurationVerb.ARCHIVE)


def _sentences(body: str) -> Iterator[str]:
    for part in sentences(body):
        yield part.strip().lstrip("#-* ").strip()


def _besides(body: str, title: str) -> str:
    """A body without the one sentence that is the title now; a longer one stays as it is."""
    return "" if body.strip().rstrip(".") == title else body
