"""A plan, carried out: reads the memory, writes nothing. Project before global, as the scope says."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Protocol

from lerim.answer.focus import Asked, Focus
from lerim.answer.force import Force, complains, force_of
from lerim.answer.kindred import is_meant, one_of_its_sort
from lerim.answer.noted import is_noted, noted
from lerim.answer.owners import names_owner, owned_thing
from lerim.answer.passages import answering, is_heading, settles, words_of
from lerim.answer.plan import Action, Changes, Count, List, Plan, Search, SessionQuestion, SessionsTold, When
from lerim.answer.points import denies, point_of, reason_of
from lerim.answer.reasons import gives_reason, is_reason_of
from lerim.answer.sayings import Purpose, sayings
from lerim.answer.sessions import became, gone, is_about, left_by, told_by
from lerim.answer.spelling import is_word
from lerim.answer.support import LITTLE, MatchedText, ParsedQuestion, SupportVerdict, is_named, judge
from lerim.answer.times import TimeSpan
from lerim.answer.tongues import in_other_tongues
from lerim.answer.wanted import Wanted, began, said_at, text_of
from lerim.answer.words import figures, said_otherwise, telling_words, units
from lerim.context.changes import versions_between
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import Primitive, Record, RecordId, Status
from lerim.context.store import Snapshot, Version
from lerim.dataclass import dataclass, replace
from lerim.errors import NotFound
from lerim.search.terms import terms
from lerim.text.grammar import VERB_FORMS
from lerim.text.words import spelled

#: Records a search proposes before each is judged.
_PROPOSED = 12
# Of a question with a time, most proposals may be of another time.
_PROPOSED_THEN = 60
#: How far back a chain of replacements is followed.
_CHAIN = 5
#: How much weaker than the best a record may be to be told of beside it.
_BESIDE = 0.15
#: How much stronger the summary of a session must be than a record of what holds, to be told of in its place.
_HISTORY = 0.1
#: What shares so many words of its title with another, and so much of them, speaks of the same.
_SAME_WORDS, _SAME_SHARE = 3, 0.4
#: So many words that the question does not have tell something.
_NEWS = 2
#: How many words a question for a reason has at least, and how many of them stand beside the reason.
_ASKED_WORDS, _MOST_OF_IT = 2, 0.7
#: What it is worth that one sentence has all that is asked.
_AT_ONCE = 0.3
#: What a session answers by what it was about.
_TOLD_BY_ALL = frozenset({Asked.REASON, Asked.EFFECT, Asked.SPEAKER, Asked.DAY})
_WHAT_WAS_DONE = re.compile(r"\bwhat (?:(?:did|have|had) (?:we|i|you)|was done)\b", re.IGNORECASE)
#: The share of what is asked that stands in the sentence that is told.
_MOST_TOLD = 0.65
_LABELS = re.compile(r"^\s*#{1,6} .*$|^\*\*[A-Z][a-z ]+:\*\*", re.MULTILINE)
#: Why something is called so is told by what speaks of the name.
_IS_CALLED = re.compile(r"\b(?:called|named)\b", re.IGNORECASE)
_NAMING = frozenset(term for word in ("called", "name", "rename") for term in terms(word))
_EXCEPTS = re.compile(
    r"\b(?:allowed|permitted|fine to|ok(?:ay)? to|except(?:ions?)?|unless|only (?:in|for|on|if|when)|but not|other than"
    r"|everywhere else|elsewhere|instead)\b",
    re.IGNORECASE,
)


class Match(Protocol):
    """A record that a search found. Whatever else it knows of the match is in its `parts`."""

    @property
    def kept(self) -> Kept: ...


class SearchMemory(Protocol):
    """How the memory is searched: best first, nothing when nothing has to do with it."""

    def __call__(self, query: str, wanted: Filter, limit: int, *, as_of: datetime | None = None) -> Sequence[Match]: ...


@dataclass(frozen=True)
class CitedRecord:
    """A record to tell of: what holds now, what it replaced (latest first), and the record that matched."""

    kept: Kept
    before: tuple[Record, ...]
    matched: Record
    verdict: SupportVerdict
    #: Of a session's summary: what the session decided and was replaced since, with what holds in its place.
    since: tuple[tuple[Record, Record], ...] = ()
    #: Whether one of its sentences answers by itself.
    at_once: bool = False
    #: Of what only waits in the review, the summary of the session in which it was said.
    session: tuple[RecordId, ...] = ()

    @property
    def is_history(self) -> bool:
        """Whether it tells what happened or was said in a session, not what holds."""
        return self.kept.record.primitive is Primitive.SUMMARY or self.waits

    @property
    def waits(self) -> bool:
        """Whether it waits in the review, and is no memory."""
        return is_noted(self.kept.record)

    @property
    def ids(self) -> tuple[RecordId, ...]:
        """The memories that a sentence on it rests on."""
        return self.session if self.waits else (self.kept.record.id,)

    @property
    def cited(self) -> str:
        """It, as a sentence on it cites it."""
        return f"[{self.kept.record.id}, not decided yet]" if self.waits else f"[{self.kept.record.id}]"

    @property
    def text(self) -> str:
        """What the record and those it replaced say."""
        return "\n".join(map(text_of, (self.kept.record, *self.before)))


@dataclass(frozen=True)
class Retrieved:
    """What one action found. Exact ones have `records` or `versions`; a search has what supports an answer, and the
    rest that it looked at."""

    action: Action
    records: tuple[Kept, ...] = ()
    versions: tuple[tuple[Place, Version], ...] = ()
    supporting: tuple[CitedRecord, ...] = ()
    rejected: tuple[CitedRecord, ...] = ()
    #: What waits in the review and answers, too, beside what holds.
    waiting: tuple[CitedRecord, ...] = ()


def carry_out(plan: Plan, memory: Memory, search: SearchMemory, as_of: datetime | None = None) -> list[Retrieved]:
    """What each action of a plan finds, as things stand or as they stood at `as_of`."""
    reader = _Retriever(memory, search, as_of)
    return [reader.run(action) for action in plan.actions]


@dataclass(frozen=True)
class _Retriever:
    memory: Memory
    search: SearchMemory
    as_of: datetime | None

    @cached_property
    def size(self) -> int:
        """How many records there are to find an answer in."""
        count = 0
        for place in self.memory.places():
            with place.store.read() as snapshot:
                count += snapshot.count(Filter())
        return count

    def run(self, action: Action) -> Retrieved:
        match action:
            case Count(wanted):
                return Retrieved(action, records=self.records(wanted))
            case List(wanted, newest, limit):
                return Retrieved(action, records=_ordered(self.records(wanted), newest)[:limit])
            case Changes(wanted, _):
                return Retrieved(action, versions=self.versions(action, wanted))
            case SessionsTold():
                return Retrieved(action, records=self.sessions(action))
            case Search():
                return self.searched(action, action)
            case When(search):
                return self.searched(action, search)

    def records(self, wanted: Wanted) -> tuple[Kept, ...]:
        return tuple(kept for kept in self.memory.select(wanted.filter, self.as_of) if wanted.takes(kept.record))

    def sessions(self, action: SessionsTold) -> tuple[Kept, ...]:
        """The summaries that tell what is asked, newest first."""
        of = action.session
        found = [
            kept
            for kept in _ordered(self.records(action.wanted), newest=True)
            if (of is None or (kept.record.run_id or "").lower().startswith(of))
        ]
        if action.told is SessionQuestion.LEFT:
            bodies = [kept.record.body for kept in found]
            left = (kept for at, kept in enumerate(found) if left_by(bodies[at], bodies[:at]))
            return tuple(islice(left, action.limit))
        if action.told is SessionQuestion.BECAME:
            told = (kept for kept in found if _became(action, kept.record))
            return tuple(islice(told, action.limit))
        if action.told is SessionQuestion.GONE:
            ended = (kept for kept in found if gone(kept.record.body, action.wanted.words))
            return tuple(islice(ended, action.limit))
        if action.told is SessionQuestion.STANDS:
            found = [kept for kept in found if is_about(kept.record.title, kept.record.body, action.wanted.words)]
        return tuple(kept for kept in found if told_by(kept.record.body, action.told))[: action.limit]

    def versions(self, action: Changes, wanted: Wanted) -> tuple[tuple[Place, Version], ...]:
        until = min(filter(None, (action.span.until, self.as_of)), default=None)
        found = []
        for place in self.memory.places():
            with place.store.read() as snapshot:
                # What was said within the span was written down then, or later.
                made = versions_between(snapshot, action.span.since, self.as_of)
            span = replace(action.span, until=until)
            found += [
                (place, version) for version in made if wanted.takes(version.record) and span.holds(said_at(version))
            ]
        return tuple(found)

    def searched(self, action: Action, search: Search) -> Retrieved:
        found = self.proposed(action, search)
        names = one_of_its_sort(terms(search.query)) if search.focus.asked is Asked.THING else ()
        if names and not found.supporting:
            # Who asks which database it is does not say Postgres, and no search would come to it by "database".
            found = self.proposed(action, search, f"{search.query} {' '.join(names)}")
        if not found.supporting and (other := said_otherwise(search.query)):
            reworded = replace(search, query=other)
            again = self.proposed(reworded if action is search else action, reworded)
            found = again if again.supporting else found
        if search.focus.asked is Asked.PERSON and not _tells_owner(search, found):
            found = self.owner(action, search) or found
        if not found.supporting:
            found = self.said_at_once(action, search) or found
        if found.supporting or search.whole is None:
            return found
        anytime = replace(search, query=search.whole, wanted=replace(search.wanted, span=None), whole=None)
        return self.proposed(action, anytime)

    def owner(self, action: Action, search: Search) -> Retrieved | None:
        """What says whose a thing is, where that is asked: hardly anybody says it in the verb that is asked for."""
        if not (thing := owned_thing(search.query)):
            return None
        of_owner = replace(search, query=thing, focus=Focus(Asked.OWNER))
        found = self.proposed(of_owner if action is search else action, of_owner)
        at_once = tuple(item for item in found.supporting if item.at_once)
        return replace(found, supporting=at_once) if at_once else None

    def said_at_once(self, action: Action, search: Search) -> Retrieved | None:
        """What is found by the telling words alone, and has a sentence that answers by itself: a session that speaks of
        many things is near to no question."""
        question = ParsedQuestion(search.query, search.focus)
        wanted = set(question.terms) - question.measured
        words = [word for word in telling_words(search.query) if wanted & set(terms(word))]
        words += sorted({other for term in wanted for other in in_other_tongues(term)} - wanted)
        found = self.proposed(action, search, " ".join(words)) if words else None
        at_once = tuple(item for item in found.supporting if item.at_once) if found is not None else ()
        return replace(found, supporting=at_once) if found is not None and at_once else None

    def proposed(self, action: Action, search: Search, words: str = "") -> Retrieved:
        """What a search proposes, by its question or by other words, and what of that supports an answer."""
        question = ParsedQuestion(search.query, search.focus)
        limit = _PROPOSED_THEN if search.wanted.span else _PROPOSED
        by_record: dict[RecordId, CitedRecord] = {}
        replaced = {place.project.id: _predecessors(place) for place in self.memory.places()}
        for match in self.search(words or search.query, search.wanted.filter, limit, as_of=self.as_of):
            item = self.cited(question, match, replaced[match.kept.place.project.id], search.wanted.span)
            if item is not None and search.wanted.takes(item.matched):
                by_record[item.kept.record.id] = _better(by_record.get(item.kept.record.id), item)
        waiting = self.waiting(question, search)
        found = [item for item in by_record.values() if item.verdict.supported]
        answers = [item for item in (*found, *waiting) if not _says_it_again(question, item)]
        supporting = _newest_first(answers) if search.is_every else _told_together(question, answers)
        rejected = tuple(_passed_over(item, answers) for item in by_record.values() if item not in supporting)
        return Retrieved(action, supporting=supporting, rejected=rejected, waiting=waiting)

    def waiting(self, question: ParsedQuestion, search: Search) -> tuple[CitedRecord, ...]:
        """What the user said that waits in the review and answers by itself; of the past nothing: it is decided on
        now."""
        if self.as_of is not None:
            return ()
        return tuple(
            item
            for place in self.memory.places()
            for record, session in noted(place, question)
            if search.wanted.takes(record) and (item := _waiting(question, Kept(record, place), session)) is not None
        )

    def cited(
        self,
        question: ParsedQuestion,
        match: Match,
        replaced: Mapping[RecordId, Sequence[RecordId]],
        span: TimeSpan | None = None,
    ) -> CitedRecord | None:
        """A match as it should be cited: what holds in its place, or held in the time that is asked for, and how well
        all of it answers."""
        with match.kept.place.store.read() as snapshot:
            holds = _current(snapshot, match.kept.record, self.as_of)
            if span is not None and span.until is not None and began(holds) > span.until:
                holds = match.kept.record
            if holds.status is Status.ARCHIVED:
                return None
            before = _replaced(snapshot, holds.id, replaced, self.as_of)
            since = _replaced_since(snapshot, holds, self.as_of)
        text = "\n".join(map(_told_by, (holds, *before)))
        meaning, coverage = _part(match, "meaning"), _part(match, "coverage")
        is_history = holds.primitive is Primitive.SUMMARY
        verdict = judge(question, MatchedText(text, meaning, coverage, self.size, is_history))
        at_once = question.focus.asked not in (Asked.REASON, Asked.SPEAKER) and bool(answering(question, holds))
        if at_once:
            score = verdict.score + (_AT_ONCE if verdict.has_all else _AT_ONCE / 2)
            verdict = replace(verdict, supported=True, score=score, why="one sentence has all of it")
        if is_history and question.focus.asked is Asked.REASON:
            verdict = _told_why(question, holds, verdict)
        if not is_history and question.focus.asked is Asked.REASON and _only_complains(question, holds):
            verdict = replace(verdict, supported=False, why="tells that it is so, not why")
        if not is_history and question.focus.asked is Asked.REASON and _speaks_of_else(question, text):
            verdict = replace(verdict, supported=False, why="gives the reason of something else")
        if question.focus.asked is Asked.REASON and _is_of_other_value(question, holds):
            verdict = replace(verdict, supported=False, why="tells of another value")
        if not is_history and verdict.supported and not at_once and _tells_of_else(question, holds):
            verdict = replace(verdict, supported=False, why="tells it of something else")
        if is_history and verdict.supported and not at_once and _is_bare(question, holds):
            verdict = replace(verdict, supported=False, why="only its title has a word of what is asked")
        if is_history and verdict.supported and not at_once:
            verdict = _told_of_it(question, point_of(question, holds).text, verdict)
        if is_history and verdict.supported and not at_once and not _is_told_by_one(question, holds):
            verdict = replace(verdict, supported=False, why="no sentence of it answers by itself")
        return CitedRecord(Kept(holds, match.kept.place), before, match.kept.record, verdict, since, at_once)


def _became(action: SessionsTold, record: Record) -> tuple[str, ...]:
    return became(record.title, record.body, action.wanted.words, action.deed)


def _tells_owner(search: Search, found: Retrieved) -> bool:
    """Whether what would be told first says whose something is."""
    question = ParsedQuestion(search.query, search.focus)
    return any(names_owner(point_of(question, item.kept.record).text) for item in found.supporting[:1])


def _is_of_other_value(question: ParsedQuestion, record: Record) -> bool:
    """Whether a record has a value of its own where it is asked why another is so, and never names that."""
    if units(question.text).isdisjoint(units(record.title)):
        return False
    is_history = record.primitive is Primitive.SUMMARY
    told = f"{record.title}. {point_of(question, record).text}" if is_history else text_of(record)
    return figures(question.text).isdisjoint(figures(told))


def _only_complains(question: ParsedQuestion, record: Record) -> bool:
    """Whether a memory tells what goes wrong, and nothing of why."""
    return complains(record.title) and reason_of(question, record) is None


def _speaks_of_else(question: ParsedQuestion, text: str) -> bool:
    """Whether a memory has but one word in three of what is asked why, and that a common one."""
    words = set(terms(text))
    if any(is_named(name, text, words) for name in question.names):
        return False
    if not all(is_word(word.lower()) for word in spelled(question.text) if not words.isdisjoint(terms(word))):
        return False
    return 3 * _met(question, words) <= len(question.terms) > 1


def _tells_of_else(question: ParsedQuestion, record: Record) -> bool:
    """Whether what a memory has of the sort that is asked for is said of nothing that is asked about."""
    if not question.focus.is_visible or question.focus.is_told_by_look or question.focus.asked is Asked.SPEAKER:
        return False
    words = set(terms(f"{record.title} {point_of(question, record).text}"))
    if question.names and all(is_named(name, text_of(record), set(terms(text_of(record)))) for name in question.names):
        return False
    things = [term for term in question.terms if term not in question.measured]
    return bool(things) and not any(is_meant(term, words) for term in things)


def _passed_over(item: CitedRecord, answers: Sequence[CitedRecord]) -> CitedRecord:
    """What was found and is not told; of what would have been an answer, why it is none."""
    if not item.verdict.supported:
        return item
    why = "others answer it better" if item in answers else "says no more than the question does"
    return replace(item, verdict=replace(item.verdict, supported=False, why=why))


def _waiting(question: ParsedQuestion, kept: Kept, session: tuple[RecordId, ...]) -> CitedRecord | None:
    """What waits, where a sentence of it answers by itself, or gives the reason that is asked for."""
    record = kept.record
    text = text_of(record)
    if question.focus.asked is Asked.DAY:
        text = record.title  # What else was said that day is of another day, too.
    words = set(terms(text))
    if not all(is_named(name, text, words) for name in question.names):
        return None
    if question.focus.asked is Asked.REASON:
        reason = reason_of(question, record)
        at_once = (
            reason is not None
            and gives_reason(reason.text, question.said)
            and not denies(question, reason.text)
            and _has_most(question, terms(reason.text))
            and (not question.is_why_of_one or is_reason_of(reason.text, question.terms[0]))
        )
    else:
        at_once = question.focus.asked is not Asked.SPEAKER and bool(answering(question, record))
    if not at_once:
        return None
    score = _met(question, words) / len(question.terms)
    verdict = SupportVerdict(True, "noted, and not decided yet", score)
    return CitedRecord(kept, (), record, verdict, at_once=True, session=session)


def _told_by(record: Record) -> str:
    """All that a record says, without the headings and labels that every summary has."""
    told = text_of(record)
    return _LABELS.sub("", told) if record.primitive is Primitive.SUMMARY else told


def _says_it_again(question: ParsedQuestion, item: CitedRecord) -> bool:
    """Whether all that a session tells is what is asked: that somebody wanted to know, too."""
    if not item.is_history or item.at_once or question.focus.is_told_by_look or question.focus.asked is Asked.REASON:
        return False
    point = point_of(question, item.kept.record).text
    told = set(terms(point)) - LITTLE
    is_news = force_of(point) is Force.RULED or question.focus.shows_only_in(point, question.said)
    return len(told - set(question.terms)) < (1 if is_news else _NEWS)


def _is_bare(question: ParsedQuestion, summary: Record) -> bool:
    """Whether a session has but its title to tell, and that has one word of several: what it was called tells no
    more."""
    asked, titled = set(question.terms), set(terms(summary.title))
    told = point_of(question, summary).text
    if question.gives_value(told):
        return False
    is_title = told == summary.title.rstrip(". ")
    if is_title and is_heading(question, told):
        return True
    return is_title and len(asked) > 1 and sum(is_meant(term, titled) for term in asked) <= 1


def _told_of_it(question: ParsedQuestion, told: str, verdict: SupportVerdict) -> SupportVerdict:
    """The verdict on a session by the sentence that would be told of it."""
    if not settles(question, told):
        return replace(verdict, supported=False, why="only asks about it, or complains")
    if question.is_yes_or_no and "?" in told and force_of(told.rpartition("?")[2]) < Force.RULED:
        return replace(verdict, supported=False, why="asks itself whether it is so")
    if is_heading(question, told):
        return replace(verdict, supported=False, why="only names it")
    words = words_of(told)
    if question.focus.is_visible and not question.focus.is_told_by_look and words.isdisjoint(question.terms):
        return replace(verdict, supported=False, why="tells it of something else")
    is_seen = question.is_yes_or_no or (question.asks_how_it_is and not question.focus.is_visible)
    if is_seen and 2 * _met(question, words) < len(question.terms):
        return replace(verdict, supported=False, why="tells of something else")
    if not question.focus.shows_in_all(told, question.said):
        return replace(verdict, supported=False, why=f"no sentence on it has {question.focus.thing}")
    return verdict


def _is_told_by_one(question: ParsedQuestion, summary: Record) -> bool:
    """Whether what would be told of a session says most of what is asked, and is more than its title or a wish: of the
    many things that a session speaks of, one is always near to what is asked."""
    if question.focus.asked in _TOLD_BY_ALL or _WHAT_WAS_DONE.search(question.text) is not None:
        return True
    told = point_of(question, summary).text
    if question.asks_value_by_name and not question.has_value(told):
        return False
    if question.focus.is_told_by_look and question.focus.shows_only_in(told, question.said):
        return True
    said = next((one for one in sayings(summary) if one.text == told), None)
    # What somebody answered stands behind what they were asked.
    if said is None or said.purpose is Purpose.WISH or force_of(told.rpartition(": ")[2]) < Force.TOLD:
        return False
    needed = [term for term in question.terms if not question.focus.is_only_sort(term)]
    return _met_of(needed or question.terms, words_of(told)) >= _MOST_TOLD * len(needed or question.terms)


def _told_why(question: ParsedQuestion, summary: Record, verdict: SupportVerdict) -> SupportVerdict:
    """The verdict on a session that is asked why: that it is so is no reason; a reason beside all that is asked is."""
    reason = reason_of(question, summary)
    if reason is None:
        return replace(verdict, supported=False, why="tells that it is so, not why")
    words = set(terms(reason.text))
    if question.is_why_of_one:
        is_of_it = is_reason_of(reason.text, question.terms[0])
        why = "gives a reason of it" if is_of_it else "gives the reason of something else"
        return replace(verdict, supported=is_of_it, why=why)
    if not all(is_named(name, reason.text, words) for name in question.names if not name[0].isdigit()):
        return replace(verdict, supported=False, why="gives the reason of something else")
    twice = 2 * _met(question, words)
    is_of_else = twice < len(question.terms)
    if is_of_else or (_IS_CALLED.search(question.text) is not None and words.isdisjoint(_NAMING)):
        return replace(verdict, supported=False, why="gives the reason of something else")
    if len(question.terms) < _ASKED_WORDS:
        return verdict
    if _has_most(question, words) or _is_rest_in(question, words, summary):
        return replace(verdict, supported=True, score=verdict.score + _AT_ONCE, why="gives a reason for all of it")
    is_proved = any(one.purpose is Purpose.REASON and one.text in reason.text for one in sayings(summary))
    if is_proved and twice > len(question.terms):
        return verdict
    return replace(verdict, supported=False, why="gives the reason of something else")


def _is_rest_in(question: ParsedQuestion, words: Set[str], summary: Record) -> bool:
    """Whether a reason has most of what is asked, and what is said of it at the end, and its session the rest."""
    spoken = set(terms(_told_by(summary)))
    own = [term for term in question.terms if term in words]
    deeds = (word.lower() for word in spelled(question.text) if VERB_FORMS.get(word.lower(), ("", ""))[1] == "past")
    if any(words.isdisjoint(terms(deed)) for deed in deeds if terms(deed)[-1] in question.terms):
        return False  # What was done has to be said.
    return question.terms[-1] in own and 2 * len(own) > len(question.terms) and spoken.issuperset(question.terms)


def _met(question: ParsedQuestion, words: Set[str]) -> int:
    """How many words of a question stand in a text, or others for them."""
    return _met_of(question.terms, words)


def _met_of(wanted: Sequence[str], words: Set[str]) -> int:
    return sum(is_meant(term, words) for term in wanted)


def _has_most(question: ParsedQuestion, words: Collection[str]) -> bool:
    """Whether most of a question stands beside a reason: then it is the reason of that."""
    named = frozenset(words)
    most = _met(question, named) >= _MOST_OF_IT * len(question.terms)
    return most and not named.isdisjoint(question.terms)


def _told_together(question: ParsedQuestion, items: Sequence[CitedRecord]) -> tuple[CitedRecord, ...]:
    """Of what supports an answer, what is told: in the order of the search, without what is far weaker than the best.

    A session's summary tells what was once done: it gives way to a record of what holds, unless it answers far better.
    """
    best = max((item.verdict.score for item in items), default=0.0)
    holding = [item for item in items if not item.is_history]
    most = max((item.verdict.score for item in holding), default=-1.0)
    told = [
        item
        for item in items
        if not item.is_history or (item.verdict.score >= most + _HISTORY and not (item.waits and holding))
    ]
    told = _best_sort(question, told, items)
    told = _of_the_thing(question, told)
    near = [item for item in told if item.at_once or item.verdict.score >= best - _BESIDE or item is told[0]]
    near += [item for item in holding if item not in near and any(_narrows(item, other) for other in near)]
    return tuple(near) if holding else _of_sessions(question, near)


def _of_the_thing(question: ParsedQuestion, told: Sequence[CitedRecord]) -> list[CitedRecord]:
    """What is told, without the sentences of sessions that say nothing of what is asked where another does: a value
    that stood beside it is of something else."""
    if question.focus.asked in _TOLD_BY_ALL:
        return list(told)
    said = [point_of(question, item.kept.record).text for item in told]
    things = [term for term in question.terms if not question.focus.is_only_sort(term)] or question.terms
    own = [sum(question.is_said(term, words_of(text)) for term in things) for text in said]
    is_said = any(own)
    return [item for item, met in zip(told, own, strict=True) if met or not is_said or not item.is_history]


def _best_sort(
    question: ParsedQuestion, told: Sequence[CitedRecord], items: Sequence[CitedRecord]
) -> list[CitedRecord]:
    """What is told, without what has not what is asked for where something else has it: a command that is asked for, or
    every word of the question in one sentence of a session."""
    if question.focus.asked is Asked.COMMAND:
        shown = [item for item in items if question.focus.shows_only_in(point_of(question, item.kept.record).text)]
        return shown or list(told)
    whole = [item for item in items if item.is_history and item.at_once and item.verdict.has_all and not item.waits]
    weaker = [item for item in told if not item.is_history and not (item.at_once or item.verdict.has_all)]
    return [item for item in (*told, *whole) if item not in weaker] if whole and weaker else list(told)


def _of_sessions(question: ParsedQuestion, items: Sequence[CitedRecord]) -> tuple[CitedRecord, ...]:
    """Of what was only said in sessions, what answers by itself, and of a value the last word before the others; what
    waits is told where its session's summary does not answer."""
    is_why = question.focus.asked is Asked.REASON
    last = max((item.kept.record.last_said for item in items if item.at_once and not item.waits), default=None)
    told = [item for item in items if is_why or last is None or item.at_once or item.kept.record.last_said > last]
    answered = {item.kept.record.id for item in told if not item.waits and (item.at_once or is_why)}
    told = [item for item in told if answered.isdisjoint(item.session)]
    if not is_why:
        # Sorted, and not chosen: what was said once is told behind it as history.
        told.sort(key=lambda item: item.kept.record.last_said.at, reverse=not question.is_of_past)
    return tuple(told)


def _newest_first(items: Sequence[CitedRecord]) -> tuple[CitedRecord, ...]:
    """All that was decided; of sessions, what one of their sentences tells."""
    told = [item for item in items if item.at_once or not item.is_history]
    return tuple(sorted(told or items, key=lambda item: item.kept.record.last_said.at, reverse=True))


def _narrows(later: CitedRecord, earlier: CitedRecord) -> bool:
    """Whether one record makes an exception of the very thing that another says, and was said after it: the other alone
    would mislead."""
    new, old = later.kept.record, earlier.kept.record
    if old.primitive is Primitive.SUMMARY or new.last_said <= old.last_said or not _EXCEPTS.search(new.title):
        return False
    mine, theirs = set(terms(new.title)), set(terms(old.title))
    return len(mine & theirs) >= max(_SAME_WORDS, _SAME_SHARE * min(len(mine), len(theirs)))


def _better(one: CitedRecord | None, other: CitedRecord) -> CitedRecord:
    """Of two matches in one chain of replacements, the first, with the better support of both."""
    if one is None or one.verdict.score >= other.verdict.score:
        return one or other
    return replace(one, verdict=other.verdict)


def _ordered(records: Sequence[Kept], newest: bool) -> tuple[Kept, ...]:
    in_time = sorted(records, key=lambda kept: began(kept.record), reverse=newest)
    # Whatever date a stranger's file gives itself.
    return tuple(sorted(in_time, key=lambda kept: kept.record.is_hearsay))


def _current(snapshot: Snapshot, record: Record, as_of: datetime | None) -> Record:
    """What holds in a record's place, then or now."""
    while record.superseded_by is not None:
        successor = _as_it_stood(snapshot, record.superseded_by, as_of)
        if successor is None:
            return record
        record = successor
    return record


def _replaced_since(snapshot: Snapshot, summary: Record, as_of: datetime | None) -> tuple[tuple[Record, Record], ...]:
    """What a session decided and was replaced since, each with what holds in its place."""
    if summary.primitive is not Primitive.SUMMARY:
        return ()
    decided = snapshot.citing(summary.coding_agent or "", summary.run_id or "")
    pairs = [(old, _current(snapshot, old, as_of)) for old in decided if old.status is Status.SUPERSEDED]
    return tuple((old, new) for old, new in pairs if new.holds)


def _predecessors(place: Place) -> dict[RecordId, list[RecordId]]:
    """What each record of a place replaced."""
    found: dict[RecordId, list[RecordId]] = {}
    with place.store.read() as snapshot:
        for old, new in snapshot.successors().items():
            found.setdefault(new, []).append(old)
    return found


def _replaced(
    snapshot: Snapshot, record_id: RecordId, replaced: Mapping[RecordId, Sequence[RecordId]], as_of: datetime | None
) -> tuple[Record, ...]:
    """What a record replaced, and what that had replaced; latest first."""
    found: list[Record] = []
    waiting = [record_id]
    while waiting and len(found) < _CHAIN:
        older = [_as_it_stood(snapshot, old, as_of) for old in replaced.get(waiting.pop(0), ())]
        records = [record for record in older if record is not None and record.status is Status.SUPERSEDED]
        found += records
        waiting += [record.id for record in records]
    return tuple(sorted(found, key=began, reverse=True)[:_CHAIN])


def _as_it_stood(snapshot: Snapshot, record_id: RecordId, as_of: datetime | None) -> Record | None:
    try:
        return snapshot.fetch(record_id) if as_of is None else snapshot.fetch_as_of(record_id, as_of)
    except NotFound:  # It came later.
        return None


def _part(match: Match, name: str) -> float | None:
    """A part of what the search says of a match, when it says so."""
    value = getattr(getattr(match, "parts", None), name, None)
    return float(value) if isinstance(value, int | float) else None
