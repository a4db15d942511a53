"""A session as a story: its turns, what was asked, what the agent says it did, how it ended. Nothing is chosen yet.

Whatever an agent only repeats from a tool is taken out here, so that nobody further on has to think of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lerim.ingest.echo import echoes
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_asides import has_asides, without_asides
from lerim.ingest.signals.summary_deeds import Deeds, deeds_of, edited_files, is_commit, is_edit
from lerim.ingest.signals.summary_happened import TurnWork, did_not_happen
from lerim.ingest.signals.summary_holding import that_hold
from lerim.ingest.signals.summary_open import open_ends, unanswered_in, waiting_in
from lerim.ingest.signals.summary_outcome import Outcome, last_said, outcome_of
from lerim.ingest.signals.summary_standing import standings
from lerim.ingest.signals.summary_tasks import MOST_CLOSING, StoryTask, StoryTurn, is_worded_by_agent, unechoed
from lerim.ingest.signals.summary_tellings import Telling, tellings_of, told_of
from lerim.ingest.signals.summary_wishes import wishes_of, with_changes
from lerim.ingest.signals.summary_words import plain, stems, visible
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, Event, Happening, ToolCall, User, Via

#: A title says what it says in fewer characters.
_MOST_TITLE = 400


@dataclass(frozen=True)
class Story:
    """What a session holds, as far as it is the user's and the agent's own."""

    agent: str
    #: What the agent's program calls the session.
    title: str
    tasks: list[StoryTask]
    tellings: list[Telling]
    #: The agent's last words, if it had them, and what was asked before them.
    closing: list[str]
    closing_on: str
    #: Of these last words, what tells what happened.
    last_told: list[str]
    deeds: Deeds
    outcome: Outcome
    #: Words in the messages that end a turn: a measure of how much there is to tell.
    length: int
    #: Whether the user had the last word, and what they asked for with it.
    is_users_word: bool
    unanswered: str
    #: What they ordered last, where the agent did nothing for it and only answered.
    waiting: str
    #: Their last words, where these put the rest off.
    put_off: str
    #: What the agent told or offered, and the user left for another day.
    left_for_later: list[str]
    #: What puts the first task right, in the user's words.
    correction: str = ""
    #: How often files were changed, by the turn in which it was asked for: who says "go on" asks for no other thing.
    edits: dict[int, int] = field(default_factory=dict)
    #: The turns of whose changes nothing is left, though something is of the session's.
    undone: frozenset[int] = frozenset()


def story_of(transcript: Transcript) -> Story:
    """The story of a session, in one pass over its lines per question."""
    turns, deeds = _turns(transcript), deeds_of(transcript)
    wished, fate = wishes_of(turns, deeds)
    left = open_ends(transcript, turns, wished, deeds)
    tellings = that_hold(tellings_of(turns), turns, fate, left.still)
    tasks = with_changes([task for task in wished if task is not fate.fixed], fate.changes)
    tasks = [task for task in tasks if not task.turn or not left.tells_all_of(task)]
    title, closing = plain(visible((transcript.header.title or "")[:_MOST_TITLE])), last_said(turns)
    texts = [said for telling in tellings for said in (telling.text, telling.lead) if said]
    texts += [task.text for task in tasks if is_worded_by_agent(task, turns)]
    things = [text for one in (*left.things, *left.handed) for text in (one.text, *one.sources)]
    echoed = echoes(transcript, [*texts, *closing, *things, *deeds.texts, title])
    return Story(
        agent=transcript.header.agent,
        title="" if title in echoed or cues.ORDER.search(title) else title,
        tasks=[told for task in tasks if (told := unechoed(task, echoed)) is not None],
        tellings=[
            replace(telling, text=whole)
            for telling in tellings
            if echoed.isdisjoint((telling.text, telling.lead)) and (whole := told_of(telling))
        ],
        closing=[statement for statement in closing if statement not in echoed and not cues.ORDER.search(statement)],
        last_told=[one for one in _last_told(turns) if one not in echoed and not cues.ORDER.search(one)],
        closing_on=next(
            (one.text for one in reversed(tasks) if one.turn <= _last_heard(turns) and one.text not in echoed), ""
        ),
        deeds=deeds.without(echoed),
        outcome=outcome_of(transcript, turns, deeds, left, wishes=len(tasks)),
        put_off=left.put_off if left.is_put_off else "",
        left_for_later=[
            one.text
            for one in (*left.things, *left.handed)
            if echoed.isdisjoint((one.text, *one.sources)) and not cues.ORDER.search(one.text)
        ],
        correction=fate.fixed.text if fate.fixed is not None and fate.fixed.text not in echoed else "",
        edits=_edits(turns, tasks),
        undone=fate.undone,
        length=sum(len(turn.replies[-1].split()) for turn in turns if turn.replies),
        is_users_word=bool(turns and not turns[-1].replies),
        unanswered=unanswered_in(tasks, turns),
        waiting=waiting_in(tasks, turns, echoed),
    )


def _edits(turns: Sequence[StoryTurn], tasks: Sequence[StoryTask]) -> dict[int, int]:
    wished = {task.turn for task in tasks}
    found: Counter[int] = Counter()
    asked = 0
    for number, turn in enumerate(turns):
        asked = number if number in wished else asked
        found[asked] += turn.edits
    return {number: edits for number, edits in found.items() if edits}


def _last_told(turns: Sequence[StoryTurn]) -> list[str]:
    """What the agent's last message tells, without what did not happen."""
    turn = next((turn for turn in reversed(turns[-2:]) if turn.replies), None)
    if turn is None:
        return []
    work, places = TurnWork(True, turn.has_work, False, False), standings(turn.replies[-1][:MOST_CLOSING])
    return [one for one in turn.closing if not did_not_happen(one, places, work, is_cause=False)]


def _last_heard(turns: Sequence[StoryTurn]) -> int:
    """The last turn that the agent answered."""
    return next((number for number in reversed(range(len(turns))) if turns[number].replies), -1)


def _turns(transcript: Transcript) -> list[StoryTurn]:
    """The session cut at the user's words. What an agent did before them, as a subagent does, is a turn without any."""
    turns: list[StoryTurn] = []
    for numbered in transcript.lines:
        line = numbered.line
        if line.undone:
            continue
        if isinstance(line, User):
            turns.append(StoryTurn(line.text, line.via))
        elif isinstance(line, Assistant) and line.text.strip():
            if not turns:
                turns.append(StoryTurn("", Via.TYPED))
            turns[-1].replies.append(line.text)
        elif isinstance(line, Event) and line.kind is Happening.REJECTED and turns:
            turns[-1].is_rejected = True
        elif isinstance(line, ToolCall) and turns:
            turns[-1].has_calls = True
            if is_edit(line):
                turns[-1].edited.extend(edited_files(line, transcript.header.cwd or "") or [""])
            turns[-1].has_commit |= is_commit(line.text)
    return _without_asides(turns)


def _without_asides(turns: list[StoryTurn]) -> list[StoryTurn]:
    """The turns without what the user says beside the work."""
    beside = {number for number, turn in enumerate(turns) if turn.via is Via.TYPED and has_asides(turn.text)}
    if not beside:
        return turns
    work = stems(" ".join([*(one for turn in turns for one in (*turn.closing, *turn.edited))]))
    return [
        replace(turn, text=without_asides(turn.text, work)) if number in beside else turn
        for number, turn in enumerate(turns)
    ]
