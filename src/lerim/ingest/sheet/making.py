"""A session → its sheets: what was said, joined with what it answers, bounded, cut at turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lerim.context.records import Trust
from lerim.ingest.sheet.agent_words import AgentPassage, spoken
from lerim.ingest.sheet.checks import check_runs, marks, outside_notes, told
from lerim.ingest.sheet.linking import is_nod, links_of
from lerim.ingest.sheet.offers import offers_in, with_offers
from lerim.ingest.sheet.page import NearRecord, Sheet, SheetNote, SheetUnit, clip, tokens
from lerim.ingest.sheet.statements import UserStatement, of_turn
from lerim.ingest.signals.replies import Passage
from lerim.ingest.signals.summary_deeds import Deeds, deeds_of
from lerim.ingest.signals.text import LIST_MARK
from lerim.ingest.signals.topics import GrowingVocabulary, Vocabulary
from lerim.ingest.signals.turns import Conversation, Turn, conversation
from lerim.ingest.signals.units import UnitRole
from lerim.ingest.transcript import Transcript
from lerim.text.words import words

#: No sheet is longer, whatever it is made of.
MAX_TOKENS = 8_000
#: What stands around the units: facts, goal, known records, deeds.
_AROUND = 1_100
_ROOM = MAX_TOKENS - _AROUND
#: An agent's passage that is worth less is not shown; from the second on, a session may take a further sheet for it.
_WORTH_SHOWING, _WORTH_A_SHEET = 0.4, 2.6
#: Characters of the agent's last message that a reply needs beside it: a nod needs more, since it says nothing itself.
_ANSWERED, _NODDED = 700, 1_500
_GOAL = 300
#: Shorter words may be said again and mean something new: "yes, do that".
_LONG = 60
#: What an item of a list is counted by, before the words it has.
_MARK = re.compile(r"(?:^|\n)[ \t>#*-]*(?P<mark>\(?(?:[qQ#]?\d{1,3}|[A-Za-z])[.):])[ \t*]*\Z")
_MARK_CHARS = 24
#: A line of a list, or what goes on below one.
_ITEM = re.compile(rf"\s*{LIST_MARK}\s|\s{{2,}}\S|\|")
#: A unit's number, its marks and a line's end.
_NUMBER_TOKENS = 4
_MOST_KNOWN = 8


@dataclass(slots=True)
class _TurnPart:
    """One turn while the sheet is made: what was said in it, and what of the agent's words goes with it."""

    turn: Turn | None
    said: list[UserStatement | SheetNote] = field(default_factory=list)
    spoken: list[AgentPassage] = field(default_factory=list)
    notes: list[SheetNote] = field(default_factory=list)
    #: By the statement: the agent's passages it answers, and the one that takes it up.
    answers: dict[int, tuple[Passage, ...]] = field(default_factory=dict)
    taken_up: dict[int, Passage] = field(default_factory=dict)
    #: The statements that choose from what was offered.
    choices: set[int] = field(default_factory=set)

    @property
    def needed(self) -> int:
        """Tokens that it takes at least."""
        own = [one.unit.text if isinstance(one, UserStatement) else one.text for one in self.said]
        own += [one.text for one in self.spoken if one.is_needed]
        return sum(map(_cost, [*own, *(note.text for note in self.notes)]))

    @property
    def weight(self) -> int:
        strong = [one for one in self.spoken if not one.is_needed and one.worth >= _WORTH_A_SHEET]
        return self.needed + sum(_cost(one.text) for one in strong)


def sheets(transcript: Transcript) -> tuple[Sheet, ...]:
    """The session on sheets, at least one; the same session gives the same sheets."""
    talk = conversation(transcript)
    parts = _turn_parts(talk, transcript)
    groups = list(_cut(parts))
    for group in groups:
        _fill(group)
    numbered = _numbered(parts)
    goal = _goal(parts)
    facts, deeds = _facts(transcript, is_subagent=talk.is_subagent), _deeds(deeds_of(transcript))
    made = []
    before: Sequence[_TurnPart] = ()
    for number, group in enumerate(groups, 1):
        is_last = number == len(groups)
        made.append(
            Sheet(
                session=transcript.name,
                part=number,
                parts=len(groups),
                facts=facts,
                goal=goal if number > 1 else "",
                entries=tuple(_entries(group, numbered, _answered_last(before))),
                deeds=deeds if is_last else (),
            )
        )
        before = group
    return tuple(made)


def beside(made: Iterable[Sheet], known: Sequence[NearRecord]) -> tuple[Sheet, ...]:
    """The sheets with the records that are already kept on each of them."""
    return tuple(replace(sheet, known=tuple(known[:_MOST_KNOWN])) for sheet in made)


def _cost(text: str) -> int:
    return tokens(text) + _NUMBER_TOKENS


# --- reading the turns ---


def _turn_parts(talk: Conversation, transcript: Transcript) -> list[_TurnPart]:
    vocabulary = GrowingVocabulary(talk)
    runs, marked, offers = check_runs(transcript), marks(transcript), offers_in(transcript)
    ends = [turn.message.number for turn in talk.turns] + [transcript.last + 1]
    outside = outside_notes(transcript)
    opening = _TurnPart(None, spoken=list(spoken(talk.opening, "", vocabulary, ())))
    parts = list(_parted(opening, [note for note in outside if note.line < ends[0]]))
    earlier, seen, heard = "", set[str](), set[str]()
    for turn, end in zip(talk.turns, ends[1:], strict=True):
        vocabulary.learn(turn)
        earlier = (earlier + "\n".join(message.text for message in turn.before))[-200_000:]
        begin = turn.message.number
        near = [run for run in runs if begin <= run.line < end]
        part = _TurnPart(turn, list(with_offers(_unseen(of_turn(turn, earlier), seen), offers)))
        part.spoken = list(spoken(turn.after, turn.text, vocabulary, near))
        _discount_repeats(part.spoken, heard)
        part.notes = [*told(near), *(note for note in marked if begin <= note.line < end)]
        _link(part, parts[-1], vocabulary)
        parts += _parted(part, [note for note in outside if begin <= note.line < end])
    _needs(parts[-1].spoken, _ANSWERED)
    return [part for part in parts if part.said or part.spoken or part.notes]


def _parted(part: _TurnPart, outside: Sequence[SheetNote]) -> Iterator[_TurnPart]:
    """A turn, cut wherever somebody outside speaks: what they say stands before what is said to them."""
    spoken, last = part.spoken, part
    for note in outside:
        last.spoken = [one for one in spoken if one.passage.number < note.line]
        spoken = [one for one in spoken if one.passage.number >= note.line]
        yield last
        last = _TurnPart(part.turn, notes=[note])
    last.spoken = spoken
    yield last


def _unseen(found: Iterable[UserStatement | SheetNote], seen: set[str]) -> list[UserStatement | SheetNote]:
    """Without what was said before in the same words: a plan that is pasted again, a prompt that comes back."""
    kept: list[UserStatement | SheetNote] = []
    for one in found:
        if isinstance(one, UserStatement) and (len(one.unit.text) > _LONG or one.unit.sort is UnitRole.PLAN):
            key = _same_words(one.unit.text)
            if key in seen:
                continue
            seen.add(key)
        kept.append(one)
    return kept


def _same_words(text: str) -> str:
    return " ".join(text.lower().split())


def _discount_repeats(said: Iterable[AgentPassage], heard: set[str]) -> None:
    """What the agent says once more in the same words, a plan or a closing report, is not worth showing again."""
    for one in said:
        if len(one.text) > _LONG:
            key = _same_words(one.text)
            if key in heard:
                one.is_repeated, one.worth = True, 0.0
            heard.add(key)


def _link(part: _TurnPart, before: _TurnPart, vocabulary: Vocabulary) -> None:
    """Join what the user said with what it answers and with how the agent took it up."""
    nods = 0
    for one in part.said:
        if not isinstance(one, UserStatement):
            continue
        nods += is_nod(one.unit)
        links = links_of(one, vocabulary)
        part.answers[id(one)] = links.answers
        if links.is_choice:
            part.choices.add(id(one))
        if links.taken_up is not None:
            part.taken_up[id(one)] = links.taken_up
        _need(before.spoken, links.before)
        _need((said for said in part.spoken if not said.is_repeated), links.after)
    if part.said:
        _needs(before.spoken, _NODDED if nods else _ANSWERED)


def _need(said: Iterable[AgentPassage], wanted: Iterable[Passage]) -> None:
    passages = list(wanted)
    for one in said:
        one.is_needed = one.is_needed or any(map(one.overlaps, passages))


def _needs(said: Sequence[AgentPassage], room: int) -> None:
    """Of the last message, which the user answers next: what is worth most, as far as there is room."""
    for one in sorted((one for one in said if one.is_last and one.worth > 0), key=lambda one: -one.worth):
        room -= len(one.text)
        if room < 0:
            return
        one.is_needed = True


# --- what fits ---


def _cut(parts: Sequence[_TurnPart]) -> Iterator[list[_TurnPart]]:
    """The turns in groups that fit on a sheet. What comes later does not change a group: a session that grew is paid
    for from its last sheet on."""
    group: list[_TurnPart] = []
    size = 0
    for part in parts:
        if group and size + part.weight > _ROOM:
            yield group
            group, size = [], 0
        group.append(part)
        size += part.weight
    if group or not parts:
        yield group


def _fill(group: Sequence[_TurnPart]) -> None:
    """Keep of the agent's words what is needed and then what is worth most, as long as the sheet has room."""
    room = _ROOM - sum(part.needed for part in group)
    if room < 0:
        _shorten(group, -room)
    every = [one for part in group for one in part.spoken]
    others = sorted((one for one in every if not one.is_needed), key=lambda one: -one.worth)
    kept = {id(one) for one in every if one.is_needed}
    for one in others:
        if one.worth < _WORTH_SHOWING:
            break
        if (cost := _cost(one.text)) <= room:
            room -= cost
            kept.add(id(one))
    for part in group:
        part.spoken = list(_without_bare_leads([one for one in part.spoken if id(one) in kept]))


def _without_bare_leads(said: Sequence[AgentPassage]) -> Iterator[AgentPassage]:
    """What is left, without the lines that only lead to a list of which nothing is left."""
    for one, after in pairwise((*said, None)):
        if one is None or (one.text.endswith(":") and "?" not in one.text and not _leads_to(one, after)):
            continue
        yield one


def _leads_to(lead: AgentPassage, after: AgentPassage | None) -> bool:
    """Whether what is shown next is of the list below a line: nothing but other items stands between them."""
    if after is None or after.passage.number != lead.passage.number:
        return False
    text = lead.passage.message.text
    between = text[lead.passage.span.end : text.rfind("\n", 0, after.passage.span.start) + 1]
    return all(_ITEM.match(line) for line in between.splitlines() if line.strip(" *_`"))


def _shorten(group: Sequence[_TurnPart], excess: int) -> None:
    """A single turn that is longer than a sheet: the agent's words of least worth go first, then the user's last."""
    needed = sorted((one for part in group for one in part.spoken if one.is_needed), key=lambda one: one.worth)
    for one in needed:
        if excess <= 0:
            return
        one.is_needed = False
        excess -= _cost(one.text)
    for part in reversed(group):
        while part.said and excess > 0:
            gone = part.said.pop()
            excess -= _cost(gone.unit.text if isinstance(gone, UserStatement) else gone.text)


# --- numbers and words ---


def _numbered(parts: Sequence[_TurnPart]) -> dict[int, str]:
    """The number of every statement and passage that is shown, by what it is."""
    numbers: dict[int, str] = {}
    users = agents = 0
    for part in parts:
        for one in part.said:
            if isinstance(one, UserStatement):
                users += 1
                numbers[id(one)] = f"U{users}"
        for passage in part.spoken:
            agents += 1
            numbers[id(passage)] = f"A{agents}"
    return numbers


def _answered_last(group: Sequence[_TurnPart]) -> list[AgentPassage]:
    """What the agent said last on the sheet before, as far as what comes next answers it."""
    return [one for one in group[-1].spoken if one.is_needed and one.is_last] if group else []


def _entries(
    group: Sequence[_TurnPart], numbers: dict[int, str], shown: list[AgentPassage]
) -> Iterator[SheetUnit | SheetNote]:
    """What stands on a sheet, in order; first what was `shown` last and is answered here."""
    yield from (_agents(one, numbers) for one in shown)
    for part in group:
        after: list[SheetUnit | SheetNote] = [_agents(one, numbers) for one in part.spoken]
        after = sorted([*after, *part.notes], key=lambda entry: entry.line)
        for one in part.said:
            yield _users(one, part, shown, numbers) if isinstance(one, UserStatement) else one
        yield from after
        shown = part.spoken


def _users(one: UserStatement, part: _TurnPart, before: Sequence[AgentPassage], numbers: dict[int, str]) -> SheetUnit:
    return SheetUnit(
        numbers[id(one)],
        Trust.USER,
        one.unit.number,
        one.unit.text,
        one.manner or ("choice" if id(one) in part.choices else ""),
        _named(part.answers.get(id(one), ()), before, numbers),
        _named([part.taken_up[id(one)]] if id(one) in part.taken_up else (), part.spoken, numbers),
        one.unit.message.speaker,
        _mark(one.unit.message.text, one.unit.span.start),
    )


def _named(wanted: Iterable[Passage], said: Sequence[AgentPassage], numbers: dict[int, str]) -> tuple[str, ...]:
    passages = list(wanted)
    return tuple(numbers[id(one)] for one in said if any(map(one.overlaps, passages)))


def _agents(one: AgentPassage, numbers: dict[int, str]) -> SheetUnit:
    message, line = one.passage.message, one.passage.number
    mark, who = _mark(message.text, one.passage.span.start), message.speaker
    return SheetUnit(numbers[id(one)], Trust.AGENT, line, one.text, one.manner, said_by=who, mark=mark)


def _mark(text: str, start: int) -> str:
    """What an item of a list is counted by, if its words begin here."""
    found = _MARK.search(text[max(0, start - _MARK_CHARS) : start])
    return found["mark"] if found else ""


# --- around the units ---


def _goal(parts: Sequence[_TurnPart]) -> str:
    texts = (one.unit.text for part in parts for one in part.said if isinstance(one, UserStatement))
    return clip(next((text for text in texts if len(words(text)) > 3), ""), _GOAL)


def _facts(transcript: Transcript, *, is_subagent: bool) -> str:
    header = transcript.header
    facts = [f"Began {header.started[:10]}"] if header.started else []
    facts += [f"branch {clip(header.branch, 60)}"] if header.branch else []
    facts += ["a subagent's: its user is another agent"] if is_subagent else []
    facts += [f"read as {clip(header.profile, 40)}"] if header.profile else []
    return f"{', '.join(facts)}." if facts else ""


def _deeds(deeds: Deeds) -> tuple[str, ...]:
    """What was done, as facts for the summary."""
    files = [path for path, _ in deeds.files.most_common(10)]
    found = [f"changed {clip(', '.join(files), 400)}"] if files else []
    found += [f"committed: {clip(subject, 120)}" for subject in deeds.commits[-6:]]
    found += [f"opened a pull request: {clip(title, 120)}" for title in deeds.pulls[-3:]]
    found += [f"left open: {clip(task, 120)}" for task in deeds.open_tasks[:5]]
    return tuple(found)
