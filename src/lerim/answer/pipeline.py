"""From a question to an answer: understand, plan, read, tell. Nothing is written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from lerim.answer.compose import Sentence, compose, doubted, marked, nothing, on_its_day, said_otherwise
from lerim.answer.conversation import Exchange, resolve
from lerim.answer.focus import Asked, find_focus
from lerim.answer.grounds import Grounds, Writer
from lerim.answer.noted import later_word
from lerim.answer.order import PointToTell, same_session
from lerim.answer.plan import Changes, Plan, Search, SessionsTold, When, make_plan
from lerim.answer.retrieval import CitedRecord, Retrieved, SearchMemory, carry_out
from lerim.answer.spelling import is_word, mended
from lerim.answer.support import ParsedQuestion
from lerim.answer.tongues import in_english
from lerim.answer.words import plainly, telling_words
from lerim.context.memory import Memory
from lerim.context.place import Kept, Place
from lerim.context.records import Record, RecordId
from lerim.dataclass import dataclass, replace
from lerim.errors import UsageError
from lerim.lazy_regex import compile_later

#: Records that an answer tells of, at most.
LIMIT = 3
#: Records that a writer is shown.
_SHOWN = 8
#: So many letters has a name that is no word of others.
_OWN_NAME = 5
_ASKS_NAME = compile_later(r"(?i)\b(?:call(?:ed)?|names?|named|renamed?|stand for|mean)\b")
#: What stands around the words of a sentence, and behind them.
_CITED = compile_later(r"^\d{4}-\d\d-\d\d: | \[[a-z]{3}-[a-z2-7]{10}(?:, not decided yet)?\].*$", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """An answer and all that it rests on."""

    #: The question as it was put, and as it was understood: there a follow-up stands on its own feet.
    asked: str
    question: str
    text: str
    sentences: tuple[Sentence, ...]
    #: The records that the sentences cite, in their order.
    sources: tuple[Kept, ...]
    plan: Plan
    #: Whether anything stored supports an answer.
    supported: bool
    #: What was considered and found wanting, with the reason; nearest first.
    rejected: tuple[CitedRecord, ...] = ()
    #: What a writer claimed and no record it cites supports, with the reason: it is not part of the answer.
    dropped: tuple[str, ...] = ()
    #: What waits in the review and is told, too; no memory of it is kept.
    noted: tuple[Record, ...] = ()

    @property
    def used(self) -> tuple[Kept, ...]:
        """The records that were of use: those that hold. One that is merely counted or listed was not."""
        return () if self.plan.is_exact else tuple(kept for kept in self.sources if kept.record.holds)

    @property
    def turn(self) -> Exchange:
        """What a follow-up question needs to know of this one."""
        return Exchange(self.question, tuple(kept.record.title for kept in self.sources))

    def explained(self) -> list[str]:
        """The plan in words, and why the nearest records were not enough."""
        lines = [f"{number}. {action}" for number, action in enumerate(self.plan.describe(), 1)]
        if self.question != self.asked.strip():
            lines.insert(0, f"understood as: {self.question}")
        lines += [f"not {cited.kept.record.id}: {cited.verdict.why}" for cited in self.rejected[:3]]
        return lines + [f"left out: {why}" for why in self.dropped]


def answer(
    question: str,
    memory: Memory,
    search: SearchMemory,
    *,
    now: datetime,
    as_of: datetime | None = None,
    history: Sequence[Exchange] = (),
    writer: Writer | None = None,
    limit: int = LIMIT,
) -> Answer:
    """What the memory answers to a question, as things stand or as they stood at `as_of`.

    Without a writer the answer is put together from the records' own sentences. With one, it words what was found, and
    what its records do not say is left out; counts, lists and dates are exact either way. Raises UsageError for a
    question without a word.
    """
    understood = _without_own_name(in_english(plainly(resolve(question, history))), memory)
    if not any(letter.isalnum() for letter in understood):
        raise UsageError(f"'{question}' has no word to look for", hint='lerim ask "why did we choose JWT?"')
    plan = make_plan(understood, now if as_of is None else as_of)
    found = carry_out(plan, memory, search, as_of)
    if plan.is_of_one_matter and not any(part.records for part in found):
        plan = make_plan(understood, now if as_of is None else as_of, is_searched=True)
        found = carry_out(plan, memory, search, as_of)
    found = list(_without_what_is_gone(found))
    if not plan.is_exact and not any(part.supporting or part.records for part in found):
        again = mended(understood, [cited.text for part in found for cited in part.rejected])
        if again != understood:
            understood, plan = again, make_plan(again, now if as_of is None else as_of)
            found = carry_out(plan, memory, search, as_of)
    if writer is None or all(map(_is_settled, found)):
        told = _answer((question, understood), plan, found, _composed(found, limit), _known(found), memory)
        return told if as_of else _with_what_waits(_with_what_ended(told, memory))
    grounds = Grounds(_kept(found)[:_SHOWN])
    sentences, dropped = _written(understood, grounds, writer)
    if not sentences and (dropped or any(item.waits for part in found for item in part.supporting)):
        # None of what was written holds: what the records say themselves does. What only waits is shown to no writer.
        sentences = _composed(found, limit)
    written = _answer((question, understood), plan, found, sentences, {**_known(found), **grounds.known}, memory)
    return replace(written if as_of else _with_what_waits(_with_what_ended(written, memory)), dropped=dropped)


def _without_own_name(question: str, memory: Memory) -> str:
    """A question without the name of the project it is asked in: all that is kept there is of that, so the name tells
    nothing apart. One that asks for the name, or of nothing else, is left as it is."""
    names = [place.project.name for place in memory.places() if not place.project.is_global]
    own = [name for name in names if len(name) >= _OWN_NAME and not is_word(name.lower())]
    if not own or _ASKS_NAME.search(question) is not None:
        return question
    bare = re.sub(rf"(?i)(?<![\w./-])(?:{'|'.join(map(re.escape, own))})(?![\w./-])", "the project", question)
    return bare if telling_words(bare.replace("the project", "")) else question


def _without_what_is_gone(found: Sequence[Retrieved]) -> Sequence[Retrieved]:
    """Of what asks whether something is still there, what did away with it and what was kept of that session; or what
    holds, where that was said later or tells itself what it replaced."""
    if not isinstance(found[0].action, SessionsTold) or not isinstance(found[-1].action, Search):
        return found
    ended, search = next(iter(found[0].records), None), found[-1]
    if ended is None:
        return found[-1:]
    holding = [item for item in (*search.supporting, *search.rejected) if not item.is_history]
    holding = [item for item in holding if item in search.supporting or item.at_once]
    if any(item.before for item in holding):
        return (replace(search, supporting=tuple(holding)),)
    of_it = [item for item in holding if same_session(item.kept.record, ended.record)]
    since = [item for item in holding if item not in of_it]
    since = [item for item in since if item.kept.record.last_said > ended.record.last_said]
    told = replace(search, supporting=tuple(since or of_it))
    return (told,) if since else (found[0], told)


def _kept(found: Sequence[Retrieved]) -> list[CitedRecord]:
    """The memories that were found."""
    return [item for part in found for item in (*part.supporting, *part.rejected) if not item.waits]


def _with_what_ended(told: Answer, memory: Memory) -> Answer:
    """The answer, and with each sentence what was said since and ends it: in front, where it is asked how it is."""
    from lerim.answer.latest import last_word  # Start-up: only an answer asks for it.

    known = {kept.record.id: kept for kept in told.used}
    question = ParsedQuestion(told.question, find_focus(told.question))
    # What was done, and why, only the session tells.
    is_of_then = question.is_of_past or question.focus.is_told_by_look
    leads = not is_of_then and question.focus.asked not in (Asked.REASON, Asked.EFFECT, Asked.SPEAKER)
    noted, lines = list(told.noted), _Lines(told.sentences)
    for sentence in told.sentences:
        kept = known.get(sentence.ids[0]) if sentence.ids else None
        since = last_word(question, kept, _CITED.sub("", sentence.text)) if kept is not None else None
        if kept is None or since is None:
            continue
        lines.tell(sentence, since, kept.record, leads=leads)
        if since.item.waits:
            noted.append(since.record)
    if lines.are_as_they_were:
        return told
    cited = {kept.record.id: kept for kept in told.sources}
    sources = [cited.get(record_id) or memory.find(record_id) for record_id in dict.fromkeys(lines.ids)]
    text = "\n".join(sentence.text for sentence in lines.sentences)
    noted = [record for record in noted if record.id in text]
    return replace(told, text=text, sentences=tuple(lines.sentences), sources=tuple(sources), noted=tuple(noted))


class _Lines:
    """The sentences of an answer, while what was said since is put to them."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = list(sentences)
        self._was = list(sentences)

    @property
    def are_as_they_were(self) -> bool:
        return self.sentences == self._was

    @property
    def ids(self) -> list[RecordId]:
        return [record_id for sentence in self.sentences for record_id in sentence.ids]

    def tell(self, sentence: Sentence, since: PointToTell, old: Record, *, leads: bool) -> None:
        """Put what was said since to a sentence, unless it is told already; what it ends goes behind it."""
        if since.record.id in sentence.text:
            return
        other = next((one for one in self.sentences if since.record.id in one.text), None)
        if other is not None:
            if leads and since.point.text in other.text and not _tells_more(other):
                self._put(other, _led_by(other.text, other.ids, sentence))
                self.sentences.remove(sentence)
        elif since.item.waits and not old.primitive.is_lesson:
            self._put(sentence, _led_by(on_its_day(since), since.item.ids, sentence) if leads else None)
        elif since.item.waits:
            later = said_otherwise(later_word(since.record))
            self.sentences.append(Sentence(later, (*sentence.ids[:1], *since.item.ids)))
        elif leads and not (since.item.is_history and old.primitive.is_lesson):
            said = on_its_day(since) if since.item.is_history else f"{since.point.text} {since.item.cited}"
            self._put(sentence, _led_by(said, since.item.ids, sentence))
        else:
            self._put(sentence, _beside(sentence, since))

    def _put(self, old: Sentence, new: Sentence | None) -> None:
        if new is not None:
            self.sentences[self.sentences.index(old)] = new


def _tells_more(sentence: Sentence) -> bool:
    """Whether a sentence tells already what was before or after it."""
    return sentence.text.rstrip(".").endswith(")")


def _beside(sentence: Sentence, since: PointToTell) -> Sentence:
    said = on_its_day(since) if since.item.is_history else f"{since.point.text} {since.item.cited}"
    text = f"{sentence.text.removesuffix('.')} (since then: {said})."
    return Sentence(text, tuple(dict.fromkeys((*sentence.ids, *since.item.ids))))


def _led_by(said: str, ids: Sequence[RecordId], sentence: Sentence) -> Sentence:
    """What holds, and behind it what was told of before."""
    text = f"{said.removesuffix('.')} (before, {sentence.text.removesuffix('.')})."
    return Sentence(text, tuple(dict.fromkeys((*ids, *sentence.ids))))


def _with_what_waits(told: Answer) -> Answer:
    """The answer, and what the user said later against what it tells, while nobody has decided on that."""
    from lerim.context.review.waiting import Waiting  # Start-up: only an answer asks for it.

    ids: dict[Place, set[RecordId]] = {}
    for kept in told.used:
        ids.setdefault(kept.place, set()).add(kept.record.id)
    later: list[Sentence] = []
    for place, held in ids.items():
        with place.store.read() as snapshot:
            waiting = Waiting(snapshot).against(held)
        for kept in told.used:
            word = waiting.get(kept.record.id)
            # What the answer tells anyway needs no second mention.
            if (
                word is None
                or word.name in told.text
                or word.name in held
                or not kept.record.holds
                or kept.record.last_said.at >= word.said
            ):
                continue
            later.append(Sentence(said_otherwise(word), (kept.record.id,)))
    text = "\n".join([told.text, *(sentence.text for sentence in later)])
    return replace(told, text=text, sentences=(*told.sentences, *later))


def _composed(found: Sequence[Retrieved], limit: int) -> list[Sentence]:
    """What all actions found. A session that was told of is no news among the changes."""
    sentences: list[Sentence] = []
    told = set[RecordId]()
    for part in found:
        composed = compose(part, limit)
        if isinstance(part.action, SessionsTold):
            told.update(record_id for sentence in composed for record_id in sentence.ids)
        is_news = not isinstance(part.action, Changes)
        sentences += [sentence for sentence in composed if is_news or not told.issuperset(sentence.ids)]
    return sentences


def _is_settled(part: Retrieved) -> bool:
    """Whether there is nothing to word: a count, a list, what changed, or a day that was found."""
    return bool(part.supporting) if isinstance(part.action, When) else not isinstance(part.action, Search)


def _written(question: str, grounds: Grounds, writer: Writer) -> tuple[list[Sentence], tuple[str, ...]]:
    """The sentences of a writer that their records bear out, and why the others are left out."""
    sentences, dropped = [], []
    for claim in writer(question, grounds):
        if problem := grounds.problem(claim):
            dropped.append(f"{claim.text} ({problem})")
        else:
            sentences.append(grounds.sentence(claim))
    return sentences, tuple(dropped)


def _answer(
    asked: tuple[str, str],
    plan: Plan,
    found: Sequence[Retrieved],
    sentences: Sequence[Sentence],
    known: Mapping[RecordId, Kept],
    memory: Memory,
) -> Answer:
    ids = dict.fromkeys(record_id for sentence in sentences for record_id in sentence.ids)
    sources = tuple(known[record_id] if record_id in known else memory.find(record_id) for record_id in ids)
    told = {kept.record.id for kept in sources if kept.record.is_hearsay}
    sentences = [sentence if told.isdisjoint(sentence.ids) else marked(sentence) for sentence in sentences]
    doubts = {kept.record.id: kept.doubt for kept in sources}
    sentences = doubted(sentences, doubts)
    text = "\n".join(sentence.text for sentence in sentences) or nothing(found)
    rejected = tuple(cited for part in found for cited in part.rejected)
    waiting = {item.kept.record.id: item.kept.record for part in found for item in part.waiting}
    noted = tuple(record for name, record in waiting.items() if name in text)
    return Answer(*asked, text, tuple(sentences), sources, plan, bool(sentences), rejected, noted=noted)


def _known(found: Sequence[Retrieved]) -> dict[RecordId, Kept]:
    """Every record that was read, by its id: as it stood when that was asked for."""
    known = {kept.record.id: kept for part in found for kept in part.records}
    for part in found:
        known |= {version.record.id: Kept(version.record, place) for place, version in part.versions}
        for cited in (*part.supporting, *part.rejected):
            known |= {old.id: Kept(old, cited.kept.place) for old in cited.before}
            known |= {new.id: Kept(new, cited.kept.place) for _, new in cited.since}
            known[cited.kept.record.id] = cited.kept
    return known
