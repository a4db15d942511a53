"""A session → what it taught: cut, find, filter, synthesize, verify. An engine proposes, nothing unproven passes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeVar

from lerim.context.discretion import discreet, discreet_tags
from lerim.context.records import LIKELY, MAX_TAG, MAX_TITLE, Draft, Kind, Primitive, Trust
from lerim.errors import EngineError, InvalidRecord, LerimError
from lerim.ingest.echo import echoes, foreign_hosts, sentences_in, without
from lerim.ingest.engine import Engine
from lerim.ingest.evidence import is_short, settle, verify
from lerim.ingest.findings import Act, Candidate, Extraction, Finding, Proposal, Quote, Rejection, Tier
from lerim.ingest.reconcile import are_alike
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import WINDOW_CHARS, cut
from lerim.ingest.words import covered, jaccard, stems
from lerim.lazy_regex import compile_later
from lerim.sources.trace import User
from lerim.text.sentences import first_sentence

#: A finding weaker than this says nothing that lasts.
DURABLE = 0.3
MAX_BODY = 6_000
MAX_TAGS = 8
MAX_REJECTIONS = 100
#: More than this is no proposal but noise; what comes after is not looked at.
_MAX_PROPOSED = 500
#: Candidates this alike are one. High, because rulings that stand side by side share many words.
_ALIKE = 0.8
#: The share of their words that two candidates must have in common before they are compared at all.
_WORTH_A_LOOK = 0.25
#: The share of a title that somebody who has a say must say themselves, where others are heard, too.
_SAID = 0.5
#: So many more may wait for somebody with judgment than become memories at once.
_WAITING = 2
#: Fewer words make no title.
_TITLE_STEMS = 3
#: Who only says yes to what the agent said gives it no title: "yep thats it, good catch".
_ASSENTS = compile_later(
    r"\W*(?:(?:yes|yep|yup|yeah|ok(?:ay)?|right|exactly|correct|confirmed|indeed|nice|great|good|wow|ah|oh|genau|ja|stimmt"
    r"|thx|thanks|super|perfect|makes sense|(?:that|this)(?:['’]?s| is| was) (?:it|right|the (?:one|cause|bug))"
    r"|das wars?|good catch|well spotted|there we go|nice (?:find|one|catch)|found it|you['’]?re right)\W*)+",
    re.I,
)
#: What a session is for, what came of it and what is left: the summary's business.
_PASSING = frozenset({Act.GOAL, Act.OUTCOME, Act.OPEN})
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_T = TypeVar("_T")


def extract(
    transcript: Transcript,
    engine: Engine,
    guidance: str = "",
    *,
    limit: int = WINDOW_CHARS,
    most: int | None = None,
) -> Extraction:
    """What the session taught, with verified evidence; nothing when it taught nothing. Raises LerimError.

    `limit` is the size of a window in characters, `most` how many candidates a tier may have; by default it grows with
    the square root of the user's turns.
    """
    windows = cut(transcript, limit)
    rejected = _Rejections()
    found = _asked(engine, lambda: engine.find(transcript, windows, guidance)) if windows else []
    findings = list(_durable(_sound_findings(found, rejected), transcript, rejected))
    proposal = _asked(engine, lambda: engine.synthesize(transcript, findings, guidance)) if windows else Proposal()
    candidates = list(_checked(proposal, transcript, rejected))
    usual = most_candidates(transcript)
    sure, review = _tiers(candidates, transcript, (most or usual, most or _WAITING * usual), rejected)
    return Extraction(engine.name, len(windows), tuple(findings), sure, review, rejected.all())


def most_candidates(transcript: Transcript) -> int:
    """How many memories a session may leave. Long sessions teach more, but not in proportion."""
    turns = sum(isinstance(numbered.line, User) for numbered in transcript.messages)
    return math.ceil(4 + 4 * math.sqrt(turns + len(transcript.outside)))


@dataclass
class _Rejections:
    """What was turned down and why, up to a number; the rest is counted."""

    kept: list[Rejection] = field(default_factory=list)
    more: int = 0

    def add(self, title: str, reason: str, quotes: Iterable[Quote] = ()) -> None:
        self.take(Rejection(title or "(no title)", reason, tuple(quotes)))

    def take(self, rejection: Rejection) -> None:
        if len(self.kept) < MAX_REJECTIONS:
            self.kept.append(rejection)
        else:
            self.more += 1

    def all(self) -> tuple[Rejection, ...]:
        rest = [Rejection(f"({self.more} more)", "More was turned down than is listed.")] if self.more else []
        return (*self.kept, *rest)


def _asked(engine: Engine, ask: Callable[[], _T]) -> _T:
    try:
        return ask()
    except LerimError:
        raise
    # Whatever an engine trips over, its caller has one failure to deal with: this session was not read.
    except Exception as error:
        raise EngineError(f"the {engine.name} engine failed: {error}", hint="lerim queue") from error


# -- findings


def _sound_findings(found: object, rejected: _Rejections) -> Iterator[Finding]:
    """The findings of an engine that are what the types say. A model's shapes are not to be trusted."""
    for finding in _items(found):
        if isinstance(finding, Finding) and _is_sound_finding(finding):
            yield finding
        else:
            rejected.add("", "The engine returned something that is not a finding.")


def _is_sound_finding(finding: Finding) -> bool:
    return (
        isinstance(finding.act, Act)
        and isinstance(finding.statement, str)
        and _is_number(finding.strength)
        and _are_quotes(finding.quotes)
    )


def _durable(findings: Iterable[Finding], transcript: Transcript, rejected: _Rejections) -> Iterator[Finding]:
    """The findings that may last: strong enough, said in the session, each once."""
    seen: set[tuple[Act, str]] = set()
    for finding in findings:
        statement = " ".join(finding.statement.split())
        placed, lost = settle(finding.quotes, transcript)
        key = finding.act, statement.casefold()
        reason = _passing(finding, statement) or (lost if not placed else "")
        if reason or key in seen:
            rejected.add(statement, reason or "It was found before.", finding.quotes)
            continue
        seen.add(key)
        yield replace(finding, statement=statement, quotes=tuple(p.quote for p in placed))


def _passing(finding: Finding, statement: str) -> str:
    if not stems(statement):
        return "It states nothing."
    if finding.act in _PASSING:
        return "It is about this session only; the summary covers it."
    if finding.strength < DURABLE:
        return f"Too weak to last: {finding.strength:.2f} of {DURABLE} needed."
    return ""


# -- candidates


def _checked(proposal: object, transcript: Transcript, rejected: _Rejections) -> Iterator[Candidate]:
    """The candidates whose fields are sound and whose evidence stands, each once."""
    if not isinstance(proposal, Proposal):
        rejected.add("", "The engine returned something that is not a proposal.")
        return
    for rejection in _items(proposal.rejected):
        if isinstance(rejection, Rejection):
            rejected.take(rejection)
    kept: list[Candidate] = []
    for proposed in _items(proposal.candidates):
        checked = _verified(proposed, transcript)
        if isinstance(checked, Rejection):
            rejected.take(checked)
        elif twin := next((one for one in kept if _may_be_one(checked, one) and are_alike(checked, one, _ALIKE)), None):
            # What was proved is told by the proof, not by the reply to it.
            better, worse = (checked, twin) if _is_surer(checked, twin) else (twin, checked)
            kept[kept.index(twin)] = better
            rejected.add(worse.title, f"It says the same as “{better.title}”.", worse.quotes)
        else:
            kept.append(checked)
    yield from _meant(kept, transcript, rejected)


def _is_surer(one: Candidate, other: Candidate) -> bool:
    """Whether of two that wait for somebody with judgment the first is likely and the other is not."""
    return one.tier is other.tier is Tier.REVIEW and one.confidence >= LIKELY > other.confidence


def _may_be_one(one: Candidate, other: Candidate) -> bool:
    """Whether two share words enough to be looked at closely, which takes far longer."""
    return jaccard(_stems_of(one.title, one.body), _stems_of(other.title, other.body)) >= _WORTH_A_LOOK


@lru_cache(maxsize=512)
def _stems_of(title: str, body: str) -> frozenset[str]:
    return stems(f"{title} {body}")


def _meant(candidates: Sequence[Candidate], transcript: Transcript, rejected: _Rejections) -> Iterator[Candidate]:
    """The candidates somebody meant, without what only a tool said: it rides along in what an agent repeats.

    This is the one gate for every word of a memory, whichever engine wrote it and wherever the words came from.
    """
    texts = {text: _stated(one) for one in candidates for text in _texts(one)}
    echoed = echoes(transcript, texts, texts)
    for candidate in candidates:
        meant = _without_echoes(candidate, echoed, transcript)
        if meant is None:
            rejected.add(candidate.title, "Only a tool, a file or a quoted text says so.", candidate.quotes)
        else:
            yield _discreet(meant)


def _discreet(candidate: Candidate) -> Candidate:
    """The candidate as a file may say it: the exchange it came from is in its quotes, which are private."""
    title = discreet(candidate.title)
    return replace(candidate, title=title, body=discreet(candidate.body), tags=discreet_tags(candidate.tags))


def _texts(candidate: Candidate) -> Iterator[str]:
    yield candidate.title
    yield _behind_colon(candidate.title)
    yield from sentences_in(candidate.body)
    yield from (quote.text for quote in candidate.quotes)
    yield from (title for quote in candidate.quotes if (title := _title_of(quote)))


def _behind_colon(title: str) -> str:
    """What a title says of what it names first: that may be another's though what is named is the user's."""
    return title.partition(": ")[2] or title


def _stated(candidate: Candidate) -> str:
    """What the user says in its quotes."""
    return " ".join(_said_in(quote) for quote in candidate.quotes if quote.speaker is Trust.USER)


def _without_echoes(candidate: Candidate, echoed: frozenset[str], transcript: Transcript) -> Candidate | None:
    """The candidate as its own speakers said it; None when too little of it is left to stand."""
    if candidate.is_confirmed and not foreign_hosts(transcript, [candidate.title, candidate.body]):
        # What a log said first and the user says is true is told by the user: a person looks at it.
        return replace(candidate, tier=Tier.REVIEW)
    quotes = tuple(q for q in candidate.quotes if q.text not in echoed or _is_answer(q))
    own = [quote for quote in quotes if quote.speaker in {Trust.USER, Trust.AGENT} and not is_short(quote.text)]
    body = without(candidate.body, echoed)
    title = candidate.title
    is_echo = title in echoed or _behind_colon(title) in echoed
    if is_echo and not _is_answered(candidate, transcript):
        # What the user said themselves can still stand: only its title was the agent's.
        said = (_title_of(quote) for quote in own if quote.speaker is Trust.USER or _is_answer(quote))
        telling = (text for text in said if len(stems(text)) >= _TITLE_STEMS and not _ASSENTS.fullmatch(text))
        title = next((text for text in telling if text not in echoed), "")
    if not own or not title:
        return None
    # A title that was only somebody's sentence may say little to others: a person decides.
    tier = candidate.tier if title == candidate.title else Tier.REVIEW
    is_whole = body == candidate.body and title == candidate.title
    kept = " ".join((title, body, *(quote.text for quote in quotes)))
    tags = candidate.tags if is_whole else tuple(tag for tag in candidate.tags if tag in kept.lower())
    return replace(candidate, title=title, body=body.strip() or title, tags=tags, quotes=quotes, tier=tier)


def _is_answered(candidate: Candidate, transcript: Transcript) -> bool:
    """Whether the title is what the user answered when they were asked: that is their word, whatever a file said of it
    before. Hosts and addresses stay nobody's but a tool's."""
    answer = candidate.quotes[0].text.partition("\nA: ")[2] if _is_answer(candidate.quotes[0]) else ""
    is_said = bool(answer) and first_sentence(answer).rstrip(". ").casefold() in candidate.title.casefold()
    return is_said and not foreign_hosts(transcript, [candidate.title])


def _is_answer(quote: Quote) -> bool:
    """Whether it is the user's answer to a question: the tool that asked repeats both."""
    return quote.text.startswith("Q: ") and "\nA: " in quote.text


def _said_in(quote: Quote) -> str:
    """The speaker's words. The answer to a question tool holds the agent's question as well."""
    return quote.text.partition("\nA: ")[2] if _is_answer(quote) else quote.text


def _title_of(quote: Quote) -> str:
    """A title in the speaker's own words."""
    return _shortened(" ".join(first_sentence(_said_in(quote)).split()), MAX_TITLE)


def _verified(proposed: object, transcript: Transcript) -> Candidate | Rejection:
    if not isinstance(proposed, Candidate) or not _is_sound_candidate(proposed):
        return Rejection("(no title)", "The engine returned something that is not a candidate.")
    try:
        clean = tidy(proposed)
    except InvalidRecord as error:
        return Rejection(proposed.title or "(no title)", f"It cannot be a memory: {error.message}.", proposed.quotes)
    return verify(clean, transcript)


def _is_sound_candidate(candidate: Candidate) -> bool:
    return (
        _are_texts((candidate.title, candidate.body))
        and isinstance(candidate.primitive, Primitive)
        and (candidate.kind is None or isinstance(candidate.kind, Kind))
        and isinstance(candidate.tier, Tier)
        and _is_number(candidate.confidence)
        and _are_texts(candidate.tags)
        and _are_texts(candidate.signals)
        and _are_quotes(candidate.quotes)
    )


def tidy(candidate: Candidate) -> Candidate:
    """The candidate as a record can hold it: small faults are put right. Raises InvalidRecord for the others."""
    if not candidate.primitive.is_lesson:
        raise InvalidRecord("primitive", "a summary is made of a whole session, not of a finding")
    if not stems(candidate.title):
        raise InvalidRecord("title", "says nothing")
    if len(candidate.body) > MAX_BODY:
        raise InvalidRecord("body", f"{len(candidate.body):,} characters; at most {MAX_BODY:,}")
    draft = Draft(
        primitive=candidate.primitive,
        title=_shortened(" ".join(candidate.title.split()), MAX_TITLE),
        # A memory that is all title still has a body to read.
        body=candidate.body.strip() or " ".join(candidate.title.split()),
        kind=candidate.primitive.default_kind and (candidate.kind or candidate.primitive.default_kind),
        tags=tuple(tag for tag in candidate.tags if len(tag) <= MAX_TAG)[:MAX_TAGS],
        confidence=min(1.0, max(0.0, candidate.confidence)),
    )
    record = draft.record(_ANY_TIME, bytes)
    return replace(
        candidate,
        title=record.title,
        body=record.body,
        kind=record.kind,
        confidence=record.confidence,
        tags=record.tags,
        signals=tuple(candidate.signals),
    )


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


# -- tiers


def _tiers(
    candidates: Sequence[Candidate], transcript: Transcript, most: tuple[int, int], rejected: _Rejections
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """What is sure and what waits for a person: at most so many of each, in the session's order, with ids."""
    if transcript.header.parent is not None:
        # A subagent is told by an agent what to do: its "user" is no person.
        candidates = [_demoted(candidate, "said in a subagent's session") for candidate in candidates]
    if transcript.outside:
        # What an agent tells somebody outside may be what they talked it into.
        reason = "only the agent says so, to somebody outside"
        candidates = [c if _is_of_the_house(c) else _demoted(c, reason) for c in candidates]
    sure = _best([c for c in candidates if c.tier is Tier.SURE], most[0], rejected)
    review = _best([c for c in candidates if c.tier is Tier.REVIEW], most[1], rejected)
    numbered = [replace(candidate, id=f"c{number}") for number, candidate in enumerate((*sure, *review), 1)]
    return tuple(numbered[: len(sure)]), tuple(numbered[len(sure) :])


def _is_of_the_house(candidate: Candidate) -> bool:
    """Whether somebody who has a say says it themselves, or agrees to it: their words about something else prove
    nothing."""
    own = [quote.text for quote in candidate.quotes if quote.speaker is Trust.USER]
    if candidate.trust is not Trust.USER or all(map(is_short, own)):
        return candidate.trust is Trust.USER
    return covered(stems(candidate.title), stems(" ".join(own))) >= _SAID


def _demoted(candidate: Candidate, reason: str) -> Candidate:
    if candidate.tier is Tier.REVIEW:
        return candidate
    return replace(candidate, tier=Tier.REVIEW, signals=(*candidate.signals, reason))


def _best(candidates: Sequence[Candidate], most: int, rejected: _Rejections) -> list[Candidate]:
    ranked = sorted(candidates, key=lambda c: (c.trust is not Trust.USER, -c.confidence))
    for candidate in ranked[most:]:
        rejected.add(
            candidate.title, f"Others are more certain, and {most} are enough for this session.", candidate.quotes
        )
    return sorted(ranked[:most], key=lambda c: min(quote.first for quote in c.quotes))


# -- shapes


def _items(found: object) -> list[object]:
    return list(found)[:_MAX_PROPOSED] if isinstance(found, list | tuple) else []


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _are_texts(texts: object) -> bool:
    return isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)


def _are_quotes(quotes: object) -> bool:
    return isinstance(quotes, list | tuple) and all(
        isinstance(quote, Quote)
        and isinstance(quote.text, str)
        and all(isinstance(number, int) for number in (quote.first, quote.last))
        for quote in quotes
    )
