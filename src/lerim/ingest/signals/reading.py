"""A session read whole: each unit with what it answers, how it was taken up, and whether it stands at the end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from lerim.context.records import Kind, Primitive
from lerim.ingest.signals.anew import sets_anew
from lerim.ingest.signals.asked import BareAnswer, NamedRefusal, bare_answer, refusal
from lerim.ingest.signals.cues import (
    PUTS_RIGHT_AT_ONCE,
    SCRAPS_AT_ONCE,
    agent_cues,
    says_otherwise,
    scraps_that,
    user_cues,
)
from lerim.ingest.signals.replies import Answered, Passage, ReplyMatch, answered, confirmed
from lerim.ingest.signals.rulings import plain_rulings, rules_alone, rules_surely
from lerim.ingest.signals.spelling import Speller
from lerim.ingest.signals.swaps import says_what_is_used, swap_in
from lerim.ingest.signals.taken_back import taken_back_at_once, undone_later
from lerim.ingest.signals.text import clipped, topics
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.turns import Conversation, Turn, Utterance
from lerim.ingest.signals.units import MAX_UNIT, Unit, UnitRole, agent_units, user_units
from lerim.ingest.signals.verdicts import refused
from lerim.ingest.signals.work_words import WorkWords
from lerim.text.sentences import sentences

#: In a session with fewer characters little was said.
_THIN = 800
#: How many later turns may take something back.
_LATER = 40
_STAYS_FOR = re.compile(
    r"\b(?:stays?|remains?|keep|leave)\b[^.?!;\n]{0,60}?\b(?:for|in|on)\s+(?P<where>[^.?!,;\n]{2,40}?)"
    r"(?=\s+(?:because|since|as|until|due)\b|[.?!,;\n]|$)",
    re.I,
)
_FIGURE = re.compile(r"(?<![\w.])\d[\d_,.]*(?:k|m|ms|s|min|%|mb|gb)?(?![\w])", re.I)
#: A name that only code has: MAX_CHARS, maxChars, max-chars.
_SETTING = re.compile(r"\b(?:[A-Za-z]+_[A-Za-z_]+|[a-z]+[A-Z]\w+)\b")


_WORD = re.compile(r"[^\W\d_]{2,}")
_CODE = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|\*\*[^*\n]{2,40}:\*\*|^\W*[Ll]ine \d+")
#: So few words beside code state nothing.
_FEWEST = 3
#: An agent says what something is now.
_HAS_VALUE = re.compile(r"\bnow\b|=|→|->|\b(?:set|raised|lowered|changed|bumped|increased|decreased)\b", re.I)
_REPLY_CHARS = 3_000
_DIGIT = re.compile(r"\d")
_SCRAPS_POINTS = re.compile(
    r"\b(?:scrap|scratch|forget|drop|skip|nix|undo|strike|cancel|ignore|ditch|not)\s+"
    r"(?:(?:rules?|points?|items?|numbers?|nos?\.?|nr\.?)\s+|#)?"
    r"(?P<marks>(?:\d{1,2}|[a-f]\b)(?:\s*(?:,|and|&|\+)\s*(?:\d{1,2}|[a-f]\b))*)"
    r"(?=\s*[,.;:!)]|\s*$|\s+(?:then|because|since|we|it|i|but|though|please|again|for now|the rest)\b)",
    re.I | re.M,
)
#: So far behind it in the same message it may be scrapped at once.
_RIGHT_AFTER = 60
_ASKS_AGAIN = re.compile(r"\b(?:ask (?:me|us) (?:again|later)|not sure yet|let me (?:check|think)|might want)\b", re.I)
_INSTEAD_OF = re.compile(r"\b(?:instead of|rather than) (?P<given_up>\S+(?: \S+)?)", re.I)
#: What is said to last, or forbidden, may be undone; and by so short a message.
_RULING, _UNDOES_CHARS = frozenset({"standing", "rule", "prohibit"}), 400
_WAYS = (Kind.PREFERENCE, Kind.PROCEDURE)


@dataclass(frozen=True)
class UnitReading:
    """One unit as it was understood."""

    unit: Unit
    cues: frozenset[str]
    about: frozenset[str]
    proposal: Answered
    confirmation: Passage | None
    is_reversed: bool = False
    #: Whether it sets an amount to another value than an earlier turn did.
    sets_anew: bool = False
    #: How many other turns say nearly the same.
    repeats: int = 0
    #: What it is about together with what it answers and how it was taken up.
    whole: frozenset[str] = frozenset()
    #: By the words of this kind of work: whether it tells, whether it passes, and of which kind it is.
    is_telling: bool = False
    is_passing: bool = False
    kind: str = ""

    @cached_property
    def is_nod(self) -> bool:
        """Whether it mostly agrees: what it agrees to is what it says. "Use ruff, not flake8" is short, and no nod."""
        if self.rules_itself or PUTS_RIGHT_AT_ONCE.match(self.unit.text) or self.unit.is_under_rules:
            return False
        if self.cues & {"agree"}:
            # "Ok so split by patient, always" says on what.
            return len(self.about) < (3 if "standing" in self.cues else 6)
        if len(self.about) == 2 and (self.cues & {"instead", "standing"} or says_otherwise(self.unit.text)):
            return False
        return len(self.about) < 3

    @cached_property
    def has_ruling(self) -> bool:
        """Whether a sentence of the user's rules plainly, be it on what stands before it."""
        return self.unit.sort is UnitRole.WORDS and bool(plain_rulings(self.unit.text))

    @cached_property
    def rules_itself(self) -> bool:
        """Whether the user's own words rule plainly, on what they name: "good. and no jet anywhere, use viridis"."""
        return self.unit.sort is UnitRole.WORDS and rules_alone(self.unit.text)

    @cached_property
    def rules_surely(self) -> bool:
        """Whether a sentence of it rules in a form that hardly anybody uses for reports."""
        return self.has_ruling and any(map(rules_surely, plain_rulings(self.unit.text)))

    @cached_property
    def swaps(self) -> bool:
        """Whether the user takes one thing for another, or says what is used by now."""
        text = self.unit.text
        return self.unit.sort is UnitRole.WORDS and (swap_in(text) is not None or says_what_is_used(text))

    @property
    def is_reply_in_words(self) -> bool:
        """Whether the user begins with it, and names no item of a list by its number."""
        unit = self.unit
        is_first = unit.is_users and unit.sort is not UnitRole.ANSWER and not unit.place
        return is_first and self.proposal.how is not ReplyMatch.ITEM

    @cached_property
    def answer(self) -> BareAnswer | None:
        """What it answers, where it is no more than the answer to what the agent asked last."""
        turn, item = self.unit.turn, self.proposal
        if turn is None or self.unit.sort is not UnitRole.WORDS:
            return None
        if item.how is ReplyMatch.ITEM and len(item.passages) == 1 and item.text.rstrip().endswith("?"):
            return bare_answer(self.unit.text, item.text)
        is_reply = self.is_reply_in_words and not self.unit.mark
        return bare_answer(self.unit.text, turn.proposal) if is_reply else None

    @cached_property
    def refusal(self) -> NamedRefusal | None:
        """What it names and refuses: "mail for children, no"."""
        is_said = self.unit.sort is UnitRole.WORDS and self.proposal.how is not ReplyMatch.ITEM
        return refusal(self.unit.text) if is_said else None

    @property
    def told(self) -> str:
        """What it says, led by what was asked where it only answers that."""
        return self.unit.text if self.answer is None else self.answer.told

    @property
    def settles_question(self) -> bool:
        """Whether it answers what the agent asked in a few words, or refuses something by its name."""
        return self.answer is not None or self.refusal is not None

    @property
    def answers_it(self) -> bool:
        """Whether what it was matched with belongs to it: it was named, agreed to, refused, or speaks of the same."""
        if not self.proposal.passages:
            return False
        is_reply = self.is_nod or bool(self.cues & {"agree", "deny"} and not self.rules_itself)
        return self.proposal.how is ReplyMatch.ITEM or is_reply or self.proposal.overlap >= 0.12


class SessionReading:
    """The conversation, its vocabulary and its units."""

    def __init__(self, talk: Conversation, work: WorkWords | None = None) -> None:
        self.talk = talk
        self._work = work
        self.vocabulary = Vocabulary(talk)
        self._last: dict[str, int] = {}
        self._learn_places()

    @cached_property
    def user_readings(self) -> tuple[UnitReading, ...]:
        """The user's units."""
        return tuple(self._worked(self._users(unit)) for unit in user_units(self.talk))

    @cached_property
    def speller(self) -> Speller:
        """Puts slips right by the words the session uses."""
        return Speller((message.text for _, message in self.talk.answers), (turn.text for turn in self.talk.turns))

    @cached_property
    def agent_readings(self) -> tuple[UnitReading, ...]:
        """The agent's units that could say something lasting."""
        return tuple(self._worked(self._agents(unit)) for unit in agent_units(self.talk) if _may_tell(unit.text))

    @cached_property
    def is_thin(self) -> bool:
        """Whether little was said in all: one turn, or hardly a paragraph."""
        talk = self.talk
        size = sum(len(turn.text) for turn in talk.turns) + sum(len(message.text) for _, message in talk.answers)
        return len(talk.turns) + talk.outside < 2 or size < _THIN

    def after(self, unit: Unit) -> Turn | None:
        """The user's turn that follows what the agent said."""
        index = unit.turn.index + 1 if unit.turn else 0
        return self.talk.turns[index] if index < len(self.talk.turns) else None

    # --- how words live on ---

    def lasting(self, reading: UnitReading) -> float:
        """Which share of its words is still spoken of after the turn was answered."""
        at, about = self._place(reading.unit), reading.about
        return sum(self._last.get(stem, at) > at + 1 for stem in about) / len(about) if about else 0.0

    def rarity(self, reading: UnitReading) -> float:
        about = reading.about
        return sum(map(self.vocabulary.weight, about)) / len(about) / 4 if about else 0.0

    def _learn_places(self) -> None:
        """In which turn each word is last used. A turn's answer counts half a turn later."""
        for at, text in self._in_order():
            self._last.update(dict.fromkeys(self.vocabulary.about(text), at))

    def _in_order(self) -> Iterable[tuple[int, str]]:
        yield from ((-1, message.text) for message in self.talk.opening)
        for turn in self.talk.turns:
            yield 2 * turn.index, turn.text
            yield from ((2 * turn.index + 1, message.text) for message in turn.after)

    @staticmethod
    def _place(unit: Unit) -> int:
        if unit.turn is None:
            return -1
        return 2 * unit.turn.index + (0 if unit.is_users else 1)

    # --- one unit ---

    def _worked(self, reading: UnitReading) -> UnitReading:
        """The reading with what the words of this kind of work say of it."""
        if self._work is None:
            return reading
        text = reading.unit.text
        is_lasting = reading.unit.is_users and self._work.is_lasting(text)
        is_telling = self._work.is_telling(text)
        cues = reading.cues | {"standing", "rule"} if is_lasting else reading.cues
        kind = self._work.kind(text)
        # How code is worked on says nothing here: what somebody rules is a decision, unless it says how to.
        if reading.unit.is_users and cues & _RULING and kind not in _WAYS:
            kind = str(Primitive.DECISION)
        return replace(
            reading,
            cues=cues,
            is_telling=is_telling,
            is_passing=not is_lasting and not is_telling and self._work.is_passing(text),
            kind=kind,
        )

    def _users(self, unit: Unit) -> UnitReading:
        about = self.vocabulary.about(unit.text)
        proposal = answered(unit, self.vocabulary)
        confirmation = self._held(confirmed(unit, proposal, self.vocabulary), unit)
        passages = [*proposal.passages[:1], *([confirmation] if confirmation else [])]
        reading = UnitReading(
            unit,
            user_cues(unit.text),
            about,
            proposal,
            confirmation,
            self._is_reversed(unit, about),
            repeats=self._repeats(unit, about),
            whole=about.union(*(self.vocabulary.about(clipped(passage.text, 60)) for passage in passages)),
        )
        if _DIGIT.search(unit.text) is None or unit.sort is not UnitRole.WORDS:
            return reading
        earlier, later = self._turns_around(unit)
        return replace(
            reading,
            is_reversed=reading.is_reversed or any(sets_anew(turn.text, reading.told) for turn in later),
            sets_anew=any(sets_anew(unit.text, told) for turn in earlier for told in _told_in(turn)),
        )

    def _held(self, passage: Passage | None, unit: Unit) -> Passage | None:
        """How the agent took something up, unless the user's next words refuse that."""
        is_over = passage is not None and self._is_refused(passage.message, passage.text, unit)
        return None if is_over else passage

    def _is_refused(self, message: Utterance, text: str, unit: Unit) -> bool:
        """Whether the user's next words refuse something of what the agent says there, last in its turn."""
        after = self.after(unit)
        if after is None or unit.turn is None or message not in unit.turn.after[-1:]:
            return False
        never = refused(sentences(message.text), after.text, is_stopped=after.stopped)
        return any(one in text for one in never)

    def _turns_around(self, unit: Unit) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
        """The turns before and after the unit's that may speak of the same amount."""
        assert unit.turn is not None
        at, turns = unit.turn.index, self.talk.turns
        return turns[max(0, at - _LATER) : at], turns[at + 1 :][:_LATER]

    def _agents(self, unit: Unit) -> UnitReading:
        about = self.vocabulary.about(unit.text)
        reply = self.after(unit)
        denied = bool(reply and {"deny", "undo"} & self.cues_of(reply))
        shared = self.vocabulary.overlap(self.vocabulary.about(reply.text), about) if reply and denied else 0.0
        return UnitReading(
            unit,
            agent_cues(unit.text),
            about,
            Answered(ReplyMatch.NOTHING),
            None,
            shared > 0.3 or self._is_refused(unit.message, unit.text, unit),
            whole=about,
        )

    def _is_reversed(self, unit: Unit, about: frozenset[str]) -> bool:
        """Whether a later turn takes it back: it speaks of the same and says undo, no longer or actually."""
        assert unit.turn is not None
        text, later = unit.text, self.talk.turns[unit.turn.index + 1 :][:_LATER]
        if later and unit.mark and unit.mark.strip("().") in _scrapped_points(later[0].text[:200]):
            return True
        if unit.sort is UnitRole.WORDS and taken_back_at_once(text, unit.message.text[unit.span.end :][:_RIGHT_AFTER]):
            return True
        if len(about) < 2:
            return False
        if any(map(SCRAPS_AT_ONCE.match, sentences(text)[1:])):
            return True
        later = tuple(turn for turn in later if not _leaves_an_exception(turn.text, text))
        is_next = bool(later) and later[0].index == unit.turn.index + 1
        if is_next and scraps_that(later[0].text) and "?" not in text:
            return True
        if any(self._takes_back(turn, unit, about) for turn in later if len(turn.text) <= 1_500):
            return True
        is_rule = unit.sort is UnitRole.WORDS and bool(user_cues(text) & _RULING)
        return is_rule and any(
            undone_later(text, turn.text, is_next=turn.index == unit.turn.index + 1)
            for turn in later
            if len(turn.text) <= _UNDOES_CHARS
        )

    def _takes_back(self, turn: Turn, unit: Unit, about: frozenset[str]) -> bool:
        text = unit.text
        if {"undo", "deny"} & self.cues_of(turn) and (
            self.vocabulary.overlap(about, self.vocabulary.about(turn.text)) > 0.45
        ):
            return True
        # "Use python instead of bash" is over when it is bash after all.
        if "undo" in self.cues_of(turn) and self.vocabulary.about(_given_up(text)) & self.vocabulary.about(turn.text):
            return True
        # The same setting with another value: only the last one holds.
        before, after = _figures(text), _figures(turn.text)
        if before & after and _ASKS_AGAIN.search(turn.text):
            return True
        if not before or not after or before & after or "?" in turn.text:
            return False
        assert unit.turn is not None
        return bool(_set_by(text, unit.turn) & _set_by(turn.text, turn))

    def cues_of(self, turn: Turn) -> frozenset[str]:
        """What the beginning of a turn shows."""
        if turn.index not in self._turn_cues:
            self._turn_cues[turn.index] = user_cues(turn.text[:400])
        return self._turn_cues[turn.index]

    @cached_property
    def _turn_cues(self) -> dict[int, frozenset[str]]:
        return {}

    def _repeats(self, unit: Unit, about: frozenset[str]) -> int:
        assert unit.turn is not None
        if len(about) < 3:
            return 0
        first = max(0, unit.turn.index - _LATER)
        near = enumerate(self._turns_about[first : unit.turn.index + _LATER], first)
        return sum(at != unit.turn.index and self.vocabulary.overlap(about, said) > 0.5 for at, said in near)

    @cached_property
    def _turns_about(self) -> tuple[frozenset[str], ...]:
        """What the beginnings of the turns speak of."""
        return tuple(self.vocabulary.about(turn.text[:2_000]) for turn in self.talk.turns)


def _told_in(turn: Turn) -> tuple[str, ...]:
    """What a turn says, and what it answers with."""
    answer = bare_answer(turn.text, turn.proposal)
    return (turn.text,) if answer is None else (answer.told,)


def _leaves_an_exception(later: str, text: str) -> bool:
    """Whether the old way stays for one place that was not spoken of: "sarama stays for the ledger" ends no rule."""
    where = _stays_for(later)
    return bool(where) and where.isdisjoint(topics(text))


@lru_cache(maxsize=512)
def _scrapped_points(text: str) -> frozenset[str]:
    """The points of a list that are taken back by their number: "scrap 1 and 3", "then not 2"."""
    return frozenset(
        mark for found in _SCRAPS_POINTS.finditer(text) for mark in re.findall(r"\d+|\b\w\b", found["marks"])
    )


@lru_cache(maxsize=512)
def _stays_for(text: str) -> frozenset[str]:
    found = _STAYS_FOR.search(text)
    return topics(found["where"]) if found is not None else frozenset()


@lru_cache(maxsize=512)
def _given_up(text: str) -> str:
    """What something else was chosen over."""
    found = _INSTEAD_OF.search(text)
    return found["given_up"] if found is not None else ""


@lru_cache(maxsize=512)
def _figures(text: str) -> frozenset[str]:
    return frozenset(figure.replace("_", "").replace(",", "").lower() for figure in _FIGURE.findall(text))


@lru_cache(maxsize=1024)
def _set_by(text: str, turn: Turn) -> frozenset[str]:
    """The settings that somebody names beside a figure, or that the agent says have it by now: "10 -> 20, we can handle
    more" names none, and "`MAX_ROWS` is now 20" answers it."""
    if own := _settings(text):
        return own
    said = (one for message in turn.after for one in sentences(message.text[:_REPLY_CHARS]))
    told = (_settings(one) for one in said if _HAS_VALUE.search(one) and _figures(one) & _figures(text))
    return next(filter(None, told), frozenset())


@lru_cache(maxsize=512)
def _settings(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _SETTING.findall(text))


def _may_tell(text: str) -> bool:
    """Whether an agent's sentence could be worth keeping at all: long enough, and more than code and names."""
    return len(text) <= MAX_UNIT and text.count(" ") + 1 >= 7 and len(_WORD.findall(_CODE.sub(" ", text))) >= _FEWEST
