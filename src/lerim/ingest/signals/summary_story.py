"""A session as a story: its turns, what was asked, what the agent says it did, how it ended. Nothing is chosen yet.

Whatever an agent only repeats from a tool is taken out here, so that nobody further on has to think of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from lerim.glance import seldom
from lerim.ingest.echo import echoes
from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals import summary_later as later
from lerim.ingest.signals.cues import scraps_that
from lerim.ingest.signals.summary_asides import has_asides, without_asides
from lerim.ingest.signals.summary_changes import ValueChange, correction_of, is_corrected, value_changes
from lerim.ingest.signals.summary_deeds import Deeds, deeds_of, edited_files, is_commit, is_edit
from lerim.ingest.signals.summary_failures import NOT_MET, given_up, left_failing
from lerim.ingest.signals.summary_handed import handed_back
from lerim.ingest.signals.summary_happened import TurnWork, cut_whole, did_not_happen, points_back
from lerim.ingest.signals.summary_left import LeftThing, is_not_run, left_by_agent, left_by_user
from lerim.ingest.signals.summary_moods import is_scolding
from lerim.ingest.signals.summary_rollback import rolled_back
from lerim.ingest.signals.summary_standing import standings
from lerim.ingest.signals.summary_tasks import (
    MOST_CLOSING,
    StoryTask,
    StoryTurn,
    answer_in,
    chosen_way,
    is_worded_by_agent,
    offered_items,
    offers_ways,
    tasks_of,
    unechoed,
)
from lerim.ingest.signals.summary_words import (
    ADDS,
    as_task,
    is_task,
    is_trivial,
    plain,
    prose,
    sentence,
    stems,
    visible,
)
from lerim.ingest.signals.verdicts import HeardTurn, confirms, is_refuted, leaves_fault, refused, rules_out
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, Event, Happening, ToolCall, ToolResult, User, Via

#: Before a cause that does not say so itself, and is the agent's word.
CAUSE_LABEL = "Cause (agent): "
#: However long a session is, the agent's closing words are read for as long: a turn's share of all characters.
_LEAST_CLOSING, _ALL_CLOSING = 800, 120_000
_MOST_TELLINGS = 160
#: A title says what it says in fewer characters.
_MOST_TITLE = 400
_FIGURE = re.compile(r"(?<![\w.-])\d[\d.,:]*\d|(?<![\w.-])\d")
#: What is different from before.
_NOW = re.compile(
    r"\bnow(?=[.,;!]|$)|\b(?:is|are|has|have|uses?|shows?|runs?|reads?|takes?|returns?) (?:\w+ )?now\b"
    r"|\bnow (?:is|are|has|have|uses?|shows?|runs?|reads?|takes?|returns?)\b",
    re.IGNORECASE,
)
#: Ways to choose from, in one sentence.
_LISTS_WAYS = re.compile(
    r"^(?:there are )?(?:two|three|four|some|several|possible|\d) (?:\w+ )?(?:options|ways|shapes|candidates|approaches"
    r"|choices|possibilities|alternatives)\b|(?:^|\s)\(?a\) .+\(?b\) ",
    re.IGNORECASE,
)
#: Who sets anew the value that was told right before, and names nothing else.
_SETS_ANEW = re.compile(
    r"\W*(?:(?:ok(?:ay)?|no|nah|hm+|that['’]?s (?:fine|ok)|fine|good|nice|but|and|so|then|please|pls|rather|better"
    r"|actually"
    r"|let['’]?s)\W+)*(?:make|set|change|raise|lower|increase|reduce|cut|bump|put|take|do)"
    r" (?:(?:it|that|this|them|those)\b(?: to| at)? )?(?:down to |up to )?\d",
    re.IGNORECASE,
)
#: What is not wanted, at the beginning of what somebody says: a thing in few words.
_RULES_OUT = seldom(
    r"(?:^|[.!;,\n]\s+|\bbut )(?:(?:ok(?:ay)?|no|hm+|and|but|please|pls|also|better|sorry|nein|non)\W+)*"
    r"(?:no(?! longer\b)|without|(?:remove|drop|delete|undo|revert|kill|scrap|throw out|get rid of|i don['’]?t want"
    r"|we don['’]?t (?:want|need))"
    r"(?: the| any| these| those| all| that| this| your)?|kein\w*|ohne|pas de|sans(?: les?)?|sin|nada de|senza|geen) "
    r"(?P<what>[^\W\d_][\w-]{2,}(?: [^\W\d_][\w-]{2,})?)(?= (?:again|please|pls|here|at all|there|anymore|then|though"
    r"|out|bitte)\b"
    r"|\s*(?:[.!,;\n]|$))"
    r"|(?:^|[.!;,\n]\s+)take (?:the |that |those )?(?P<out>[^\W\d_][\w-]{2,}) out\b",
    re.IGNORECASE,
)
#: Who says so breaks off what was begun.
_STOPS = re.compile(
    r"\W*(?:ok(?:ay)?,? |no,? |wait,? )?(?:stop|halt|abort|cancel)\b(?! (?:using|the|all|this|that|sending)\b)",
    re.IGNORECASE,
)
_FAILS = re.compile(r"\b(?:fails?|is (?:failing|red|broken)|are (?:failing|red|broken))\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|cannot|never|no|nothing|without|unable|fails? to)\b|n['’]t\b", re.IGNORECASE)
#: What leads to a cause is in few words, and for so many turns people look for one.
_LEAD_WORDS, _SEARCH_TURNS = 3, 3
#: And who has trouble tells it in so many words.
_TROUBLE_WORDS = 80
#: A point of a list in fewer words names something and tells nothing of it.
_ITEM_WORDS = 6
#: So much more counts what is told of work than what is told besides.
_OF_WORK = 1.5
#: A sentence that cannot be cut may have so many words, and so may one with the one before it.
_MOST_WHOLE = 45
#: How a sentence goes on from one that is not told, and a label that says again that it is a cause.
_GOES_ON = re.compile(
    r"^(?:(?:however|but|still|then|also|instead|moreover|additionally|furthermore|in addition),|but) (?=\S+ \S+ \S)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^(?:problem|issue|cause|reason|bug): ", re.IGNORECASE)
#: Last words that are more than this want an answer, in whatever form they are said.
_LAST_WORDS = 14
#: Where so few things were wished, a check that fails is what the session failed at.
_FEW_WISHES = 2
#: The same as a question, put as an order.
_WANTS_TOLD = re.compile(
    r"(?:also )?(?:please )?(?:tell me|let me know|say|confirm|choose|pick) (?:which|what|how|where|the|one"
    r"|an option)\b"
    r"(?! (?:you need|else|happens|goes|comes|outcome|result))",
    re.IGNORECASE,
)
#: More words of an agent's, after the user put the rest off, tell of work.
_HEARD_WORDS = 25


class Outcome(StrEnum):
    """How a session ended."""

    DONE = "done"
    PARTLY = "partly done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Telling:
    """A sentence of the agent's that tells what happened. `cue` says how much it looks like one."""

    text: str
    turn: int
    place: int
    cue: float
    #: Whether it tells a cause, and one that the agent says it has found.
    is_cause: bool = False
    is_found: bool = False
    #: Whether it answers who looked for one, and does not say by itself that it is one.
    is_unnamed: bool = False
    #: The sentence before it that says what it speaks of.
    lead: str = ""


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


@dataclass(frozen=True)
class _Fate:
    """What became of what was wished and done."""

    #: The turns that the user took back right behind them, and those of whose changes nothing is left.
    scrapped: frozenset[int]
    undone: frozenset[int]
    #: The values that were set anew, what puts the first wish right, and that wish.
    changes: list[ValueChange]
    fixed: StoryTask | None
    wish: str

    def undoes(self, telling: Telling) -> bool:
        return telling.turn in self.undone and not telling.is_cause and _is_deed(telling.text)


@dataclass(frozen=True)
class _Left:
    """What a session leaves to do, and what the agent hands back of it in its last words."""

    things: list[LeftThing]
    handed: list[LeftThing]
    #: What the agent said of it: it stands there, and is not told as done.
    still: frozenset[str]
    #: The user's words that put the rest off, and whether nothing tells of what.
    put_off: str
    is_put_off: bool
    #: Whether a check fails in the end, and whether the work was given up.
    is_failing: bool
    is_given_up: bool


def story_of(transcript: Transcript) -> Story:
    """The story of a session, in one pass over its lines per question."""
    turns, deeds = _turns(transcript), deeds_of(transcript)
    wished, fate = _wishes(turns, deeds)
    left = _left(transcript, turns, wished, deeds)
    tellings = _that_hold(turns, fate, left)
    tasks = _with_changes([task for task in wished if task is not fate.fixed], fate.changes)
    tasks = [task for task in tasks if not task.turn or not _tells_all_of(left.things, task)]
    title, closing = plain(visible((transcript.header.title or "")[:_MOST_TITLE])), _last_said(turns)
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
            if echoed.isdisjoint((telling.text, telling.lead)) and (whole := _told(telling))
        ],
        closing=[statement for statement in closing if statement not in echoed and not cues.ORDER.search(statement)],
        last_told=[one for one in _last_told(turns) if one not in echoed and not cues.ORDER.search(one)],
        closing_on=next(
            (one.text for one in reversed(tasks) if one.turn <= _last_heard(turns) and one.text not in echoed), ""
        ),
        deeds=deeds.without(echoed),
        outcome=_outcome(
            transcript,
            turns,
            deeds,
            is_put_off=bool(left.put_off) or any(one.is_of_work for one in left.things),
            is_handed=any(one.is_of_work for one in left.handed),
            has_failed=not deeds.files
            and not deeds.commits
            and (left.is_given_up or (left.is_failing and len(tasks) < _FEW_WISHES)),
        ),
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
        unanswered=_unanswered(tasks, turns),
        waiting=_waiting(tasks, turns, echoed),
    )


def _edits(turns: Sequence[StoryTurn], tasks: Sequence[StoryTask]) -> dict[int, int]:
    wished = {task.turn for task in tasks}
    found: Counter[int] = Counter()
    asked = 0
    for number, turn in enumerate(turns):
        asked = number if number in wished else asked
        found[asked] += turn.edits
    return {number: edits for number, edits in found.items() if edits}


def _wishes(turns: Sequence[StoryTurn], deeds: Deeds) -> tuple[list[StoryTask], _Fate]:
    """What the user asked for and did not take back at once, and what became of it."""
    scrapped = frozenset(number - 1 for number, turn in enumerate(turns) if number and scraps_that(turn.text))
    wished = _without_scrapped(tasks_of(turns), scrapped)
    undone = _undone(turns, deeds) | ({0} & scrapped)
    wish = wished[0].text if wished else ""
    return wished, _Fate(scrapped, undone, value_changes(turns), correction_of(wished, turns), wish)


def _left(transcript: Transcript, turns: Sequence[StoryTurn], wished: Sequence[StoryTask], deeds: Deeds) -> _Left:
    """What user and agent left for later, each thing once; a check that fails in the end, or work that was given up."""
    put_off, by_agent = _put_off(turns), left_by_agent(turns)
    by_user = [one for one in left_by_user(turns) if not any(stems(one.text) <= stems(told.text) for told in by_agent)]
    sources = {source for one in by_user for source in one.sources}
    things = [*(one for one in by_agent if sources.isdisjoint(one.sources)), *by_user]
    failing = left_failing(transcript, turns, things) if not deeds.is_undone else None
    dropped = given_up(turns, wished) if failing is None else None
    # A command that fails is told by what the agent says of it.
    handed = [one for one in handed_back(turns) if sources.isdisjoint(one.sources)]
    said = {source for one in handed for source in one.sources}
    ends = [one for one in (failing, dropped) if one is not None and said.isdisjoint(one.sources)]
    return _Left(
        [*things, *ends],
        [one for one in handed if not any(stems(one.text) <= stems(told.text) for told in things)],
        still=frozenset(source for one in by_agent for source in one.sources),
        put_off=put_off,
        is_put_off=bool(put_off) and not things,
        is_failing=failing is not None,
        is_given_up=dropped is not None,
    )


def _that_hold(turns: Sequence[StoryTurn], fate: _Fate, left: _Left) -> list[Telling]:
    """What the agent tells and nobody refused, took back, ruled out, changed or put off since."""
    gone, unwanted, tellings = _figures_given_up(turns), _ruled_out(turns), _tellings(turns)
    undone = rolled_back(turns)
    never = _refused(turns) | _no_causes(tellings, turns)
    tellings = [
        one
        for one in tellings
        if one.turn not in fate.scrapped and (one.turn, one.text) not in never and not _is_over(one, turns, gone)
    ]
    found = sorted((one for one in tellings if one.is_found), key=lambda one: one.turn)
    return _with_leads(
        one
        for one in tellings
        if one.text not in left.still
        and not _is_overtaken(one, turns, found)
        and not _is_ruled_out(one, unwanted)
        and not _is_changed(one, turns, fate)
        and not fate.undoes(one)
        and not any(back.undoes(one) for back in undone)
    )


def _with_leads(tellings: Iterable[Telling]) -> list[Telling]:
    """The tellings, each that speaks of the one before it together with that, where both hold."""
    told = {(one.turn, one.text): one for one in tellings}
    leads = {(one.turn, one.lead) for one in told.values() if one.lead}
    return [
        one
        for at, one in told.items()
        if at not in leads and (not one.lead or ((lead := told.get((one.turn, one.lead))) and not lead.lead))
    ]


def _tells_all_of(left: Sequence[LeftThing], task: StoryTask) -> bool:
    """Whether what is left says a wish already: that it is for another day."""
    return bool(wanted := stems(task.bare or task.text)) and wanted <= frozenset().union(
        *(stems(one.text) for one in left)
    )


def _unanswered(tasks: Sequence[StoryTask], turns: Sequence[StoryTurn]) -> str:
    """What was asked last, when nobody answered; not what the user keeps for themselves."""
    last = tasks[-1] if tasks and tasks[-1].turn == len(turns) - 1 and not turns[-1].replies else None
    is_own = last is not None and (cues.OWN_TURN.match(last.text) or _STOPS.match(turns[-1].text))
    if last is not None and turns[-1].via is Via.ANSWER:
        return answer_in(turns[-1].text) or last.text
    return last.text if last is not None and not is_own else ""


def _waiting(tasks: Sequence[StoryTask], turns: Sequence[StoryTurn], echoed: Collection[str]) -> str:
    last = tasks[-1] if tasks and tasks[-1].turn == len(turns) - 1 and not turns[-1].edited else None
    return last.text if last is not None and not last.text.endswith("?") and last.text not in echoed else ""


def _without_scrapped(tasks: Sequence[StoryTask], scrapped: Collection[int]) -> list[StoryTask]:
    """What the user asked for, but for what they asked for last before they took it back; what the session began with
    is told with that."""
    last = {task.turn: task for task in tasks}
    return [task for task in tasks if not task.turn or task.turn not in scrapped or last[task.turn] is not task]


def _undone(turns: Sequence[StoryTurn], deeds: Deeds) -> frozenset[int]:
    """The turns of whose changes nothing is left, where something is left of others."""
    if not deeds.files and not deeds.commits:
        return frozenset()
    return frozenset(number for number, turn in enumerate(turns) if turn.edited and deeds.gone.issuperset(turn.edited))


def _last_said(turns: Sequence[StoryTurn]) -> list[str]:
    """The agent's last message, if it had the last word or the user's last one got no answer."""
    return next((turn.closing for turn in reversed(turns[-2:]) if turn.replies), [])


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


# --- what the agent says it did --------------------------------------------------------------------------------------


def _tellings(turns: Sequence[StoryTurn]) -> list[Telling]:
    """The agent's sentences that tell what happened, the most telling first."""
    room = max(_LEAST_CLOSING, min(MOST_CLOSING, _ALL_CLOSING // max(1, len(turns))))
    found: dict[str, Telling] = {}
    worked = max((number for number, turn in enumerate(turns) if turn.has_work), default=-1)
    for number, turn in enumerate(turns):
        is_last, closing = number == len(turns) - 1, turn.closing
        after = turns[number + 1].text if not is_last else ""
        is_list = offers_ways(turn) or (bool(after) and chosen_way(after, turn) is not None)
        is_offer = bool(closing) and (closing[-1].endswith("?") or is_list)
        # Of ways to choose from, the user's words tell which one it was.
        ways = " ".join(offered_items(turn).values()) if is_list else ""
        items = {one.rstrip(".") for one in offered_items(turn).values()}
        said, messages = _conclusions(turn, room)
        work = TurnWork(is_last, turn.has_work, not is_last and turns[number + 1].has_work, number < worked)
        is_proposal = not turn.has_calls and any(map(asks_on, closing[-2:]))
        is_borne_out = confirms(after) and (leaves_fault(turn.text) or _looks_for_cause(number, turns))
        for place, statement in enumerate(said):
            is_concluded = is_borne_out and place == len(said) - 1 and cues.CONCLUDES.match(statement) is not None
            if statement in found or not (is_telling(statement) or is_concluded):
                continue
            is_open = not is_last and (cues.UNDECIDED.search(statement) or cues.PROPOSES.search(statement))
            is_plain = _tells_cause(statement, number, turns)
            is_found = is_plain or is_concluded or _is_found(statement, said[place - 1] if place else "")
            is_answer = cues.FOUND_IT.match(statement) is not None or _looks_for_cause(number, turns)
            is_unnamed = is_found and is_answer and cues.NAMES_CAUSE.search(statement) is None
            is_unnamed = (is_unnamed and cues.PASSES.search(statement) is None) or is_concluded
            is_cause = is_found or cues.FOUND.search(statement) is not None
            message = messages[place]
            if (
                is_open
                or (is_proposal and not is_found)
                or statement in ways
                or (statement.rstrip(".") in items and len(statement.split()) < _ITEM_WORDS and not _is_done(statement))
                or _LISTS_WAYS.search(statement)
                or (is_offer and not is_found and not _is_done(statement))
            ):
                continue  # The user has answered: what holds is their answer.
            if not is_found and did_not_happen(statement, standings(message), work, is_cause=is_cause):
                continue
            lead = _lead(said[place - 1] if place and messages[place - 1] is message else "", statement)
            if lead is None and not is_found:
                continue  # Nobody knows of what.
            cue = _cue(statement, place, is_last=is_last) + _OF_WORK * turn.has_work
            found[statement] = Telling(statement, number, place, cue, is_cause, is_found, is_unnamed, lead or "")
    return sorted(found.values(), key=lambda telling: -telling.cue)[:_MOST_TELLINGS]


def _lead(before: str, statement: str) -> str | None:
    """The sentence that says what one speaks of: none where it says so itself, None where nothing does."""
    if not points_back(statement):
        return ""
    is_short = len(before.split()) + len(statement.split()) <= _MOST_WHOLE
    return before if before and is_short else None


def _is_found(statement: str, before: str) -> bool:
    """Whether a sentence tells a cause as found: it says so itself, or the few words before it do ("Confirmed.")."""
    if cues.SUSPECTS.search(statement) or cues.TELLS_DEED.match(cues.LEADS_CAUSE.sub("", statement, count=1)):
        return False
    is_led = len(before.split()) <= _LEAD_WORDS and cues.LEADS_CAUSE.match(before) is not None
    if cues.ADDRESSED.search(statement) and cues.IS_THE_CAUSE.search(statement) is None:
        return False  # "Verified: your claim holds" tells none.
    is_leading = cues.LEADS_CAUSE.match(statement) is not None and len(statement.split()) > _LEAD_WORDS
    return is_led or is_leading or cues.IS_THE_CAUSE.search(statement) is not None


def _tells_cause(statement: str, number: int, turns: Sequence[StoryTurn]) -> bool:
    """Whether it tells plainly where the trouble comes from that the user spoke of, and files were changed upon it."""
    if (
        cues.TELLS_CAUSE.search(statement) is None
        or cues.SUSPECTS.search(statement)
        or cues.TELLS_DEED.match(statement)
    ):
        return False
    is_mended = any(turn.edited for turn in turns[number : number + _SEARCH_TURNS])
    return is_mended and cues.ADDRESSED.search(statement) is None and _looks_for_cause(number, turns)


def _looks_for_cause(number: int, turns: Sequence[StoryTurn]) -> bool:
    """Whether the user told of trouble, or asked for its cause, right before, in few words."""
    said = [turn.text for turn in turns[max(0, number - 1) : number + 1]]
    return any(len(one.split()) <= _TROUBLE_WORDS and cues.LOOKS_FOR_CAUSE.search(one) for one in said)


def _is_overtaken(telling: Telling, turns: Sequence[StoryTurn], found: Sequence[Telling]) -> bool:
    """Whether something was only suspected, or taken for the reason, before the agent found the cause."""
    after = next((one for one in found if one.turn > telling.turn), None)
    if after is None or after.turn - telling.turn > _SEARCH_TURNS or cues.TELLS_DEED.match(telling.text):
        return False
    # What it was not, once it is known what it was, is only taken for why.
    if cues.SUSPECTS.search(telling.text) or rules_out(telling.text):
        return True
    # Work between the two is another matter's.
    is_same = not any(turn.edits for turn in turns[telling.turn : after.turn])
    return is_same and not telling.is_cause and cues.CAUSE.search(telling.text) is not None


def _is_changed(telling: Telling, turns: Sequence[StoryTurn], fate: _Fate) -> bool:
    """Whether the user set a value that it tells anew, or put right what it speaks of; a cause stays one."""
    if telling.is_found:
        return False
    after = turns[telling.turn + 1].text if telling.turn + 1 < len(turns) else ""
    is_old = any(telling.turn < one.turn and one.is_in(telling.text) for one in fate.changes)
    is_old = is_old or (_is_state(telling.text) and _SETS_ANEW.match(after) is not None)
    fixed = fate.fixed
    return is_old or (
        fixed is not None and telling.turn < fixed.turn and is_corrected(telling.text, fate.wish, fixed.text)
    )


def _with_changes(tasks: Sequence[StoryTask], changes: Sequence[ValueChange]) -> list[StoryTask]:
    """The wishes with their values as they are in the end. A value that was set anew stands where it was wished first,
    or, where only the agent had named one, in the wish that set it."""
    told = list(tasks)
    for change in changes:
        before = [task for task in told if task.turn < change.turn and change.is_wished_in(task.text)]
        if before:
            also = " ".join(one.new for one in changes if one.turn == change.turn and one is not change)
            told = [task for task in told if task.turn != change.turn or not change.is_all_of(task.text, also)]
        elif change.is_in_digits and all(task.turn != change.turn for task in told):
            said = StoryTask(change.new, change.turn)
            told = sorted([*told, said], key=lambda task: task.turn)
        told = [_with_change(task, change, is_wished=bool(before)) for task in told]
    return told


def _with_change(task: StoryTask, change: ValueChange, *, is_wished: bool) -> StoryTask:
    if task.turn < change.turn:
        return replace(task, text=change.told_in(task.text), bare=change.told_in(task.bare))
    if task.turn == change.turn and not is_wished:
        return replace(task, text=change.with_first(task.text), bare=change.with_first(task.bare))
    return task


def _is_over(telling: Telling, turns: Sequence[StoryTurn], gone: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Whether the user refused what the agent tells as a cause, or gave it up later."""
    after = turns[telling.turn + 1].text if telling.turn + 1 < len(turns) else ""
    is_claim = cues.FOUND.search(telling.text) or cues.SUSPECTS.search(telling.text)
    is_refused = is_claim is not None and cues.DISPUTES.match(after) is not None
    # What is said to be mended, and is not.
    is_refused = is_refused or (not telling.is_cause and _is_deed(telling.text) and is_scolding(after))
    later = [figures for turn, figures in gone if turn > telling.turn]
    return is_refused or (bool(later) and any(map(frozenset(_FIGURE.findall(telling.text)).intersection, later)))


def _refused(turns: Sequence[StoryTurn]) -> set[tuple[int, str]]:
    """What the agent said that it does, and the user's next words refuse: it did not come about."""
    return {
        (number, one)
        for number, (turn, after) in enumerate(pairwise(turns))
        for one in refused(turn.closing, after.text, is_stopped=turn.is_rejected)
    }


def _no_causes(tellings: Sequence[Telling], turns: Sequence[StoryTurn]) -> set[tuple[int, str]]:
    """The causes that were told and turned out to be none, and what was said of each in the same message."""
    found: set[tuple[int, str]] = set()
    for telling in tellings:
        if not telling.is_cause and cues.SUSPECTS.search(telling.text) is None:
            continue
        turn = turns[telling.turn]
        place, said = next(
            ((at, said) for at, reply in enumerate(turn.replies) if telling.text in (said := turn.told(reply))), (0, [])
        )
        later_on = [HeardTurn(one.text, one.replies) for one in turns[telling.turn + 1 :][:_SEARCH_TURNS]]
        if is_refuted(telling.text, HeardTurn(turn.text, turn.replies[place:]), later_on):
            found |= {(telling.turn, one) for one in said if one == telling.text or not _is_deed(one)}
    return found


def _is_ruled_out(telling: Telling, unwanted: Sequence[tuple[int, frozenset[str]]]) -> bool:
    """Whether the user did not want later what it tells as done."""
    later = [thing for turn, thing in unwanted if turn > telling.turn]
    if not later or telling.is_cause or not _is_deed(telling.text):
        return False
    told = stems(telling.text)
    return any(thing <= told for thing in later)


def _ruled_out(turns: Sequence[StoryTurn]) -> list[tuple[int, frozenset[str]]]:
    """In which turn the user does not want what: "no retries", "take the banner out"."""
    return [
        (number, thing)
        for number, turn in enumerate(turns)
        for found in _RULES_OUT.finditer(turn.text)
        if (thing := stems(found["what"] or found["out"]))
    ]


def _figures_given_up(turns: Sequence[StoryTurn]) -> list[tuple[int, frozenset[str]]]:
    """In which turn the user gives up which figures: "forget the 20"."""
    return [
        (number, figures)
        for number, turn in enumerate(turns)
        for gone in cues.GIVES_UP.finditer(turn.text)
        if (figures := frozenset(_FIGURE.findall(gone[0])))
    ]


def _is_deed(statement: str) -> bool:
    """Whether a sentence says that something was done, or is different now."""
    return cues.TELLS_DEED.match(statement) is not None or _NOW.search(statement) is not None


def _is_state(statement: str) -> bool:
    """Whether a sentence says which value holds: over, when the user sets another one next."""
    is_told = _is_deed(statement) or re.match(r"now\b", statement, re.IGNORECASE) is not None
    return is_told and _FIGURE.search(statement) is not None


def _is_done(statement: str) -> bool:
    """Whether a sentence tells of what was done or found: what else stands in a message that ends with a question may
    well be turned down."""
    return _is_deed(statement) or cues.FOUND.search(statement) is not None


def _conclusions(turn: StoryTurn, room: int) -> tuple[list[str], list[str]]:
    """What the agent concluded in a turn, and in which message each: its last one, and in the others whatever names a
    cause."""
    said: list[tuple[str, str]] = []
    finding = [
        reply for reply in turn.replies[:-1] if cues.FOUND.search(reply, 0, room) or cues.LEADS_CAUSE.match(reply)
    ]
    for reply in (reply[:room] for reply in finding[-20:]):
        said += [(one, reply) for one in turn.told(reply) if cues.FOUND.search(one) or _is_found(one, "")]
    for reply in (reply[:room] for reply in turn.replies[-1:]):
        said += [(one, reply) for one in turn.told(reply)]
    return [one for one, _ in said], [reply for _, reply in said]


def is_telling(text: str) -> bool:
    """Whether a sentence can tell what happened: no question, no offer, no narration, no order."""
    return (
        4 <= len(text.split()) <= 70
        and not text.endswith(("?", ":"))
        and not cues.NARRATION.match(text)
        and not cues.ORDER.search(text)
        and not cues.COUNTS_UP.fullmatch(text)
        and sum(map(str.isalpha, text)) + text.count(" ") >= 0.7 * len(text)
    )


def _cue(text: str, place: int, *, is_last: bool) -> float:
    weighed = (
        (1.0, cues.DONE),
        (1.2, cues.CAUSE),
        (0.5, cues.CHOSEN),
        (0.5, cues.REMAINING),
        (0.3, cues.CHECKED),
        (-0.6, cues.ADDRESSED),
    )
    cue = sum(weight for weight, pattern in weighed if pattern.search(text))
    return cue + 0.4 * is_last + (0.5 if place == 0 else 0.25 if place < 3 else 0.0)


def _told(telling: Telling) -> str:
    """A sentence as the summary tells it; a cause that is cut is another cause."""
    is_cause = telling.is_found or cues.FOUND.search(telling.text) is not None
    text = _GOES_ON.sub("", cues.LEAD_IN.sub("", telling.text))
    text = cues.LEADS_ON.sub("", text) if is_cause else text
    if not (text := cut_whole(text, 45 if is_cause else 30, _MOST_WHOLE)):
        return ""
    told = sentence(text)
    if telling.is_unnamed:
        return f"{CAUSE_LABEL}{sentence(_LABEL.sub('', told))}"
    return f"{sentence(telling.lead)} {told}" if telling.lead else told


# --- how it ended --------------------------------------------------------------------------------------------------


def _outcome(
    transcript: Transcript,
    turns: Sequence[StoryTurn],
    deeds: Deeds,
    *,
    is_put_off: bool,
    is_handed: bool,
    has_failed: bool,
) -> Outcome:
    if _is_interrupted(transcript, turns):
        return Outcome.INTERRUPTED
    if has_failed:
        return Outcome.FAILED  # All there was to do.
    said = _last_said(turns)
    is_red = any(check.is_ok is False for check in deeds.checks.values())
    is_failing = cues.FAILING.search(" ".join(said)) is not None
    if is_put_off:
        return Outcome.PARTLY
    if is_failing and not any(map(_tells_done, said)):
        # After so much else, what failed last is a part.
        is_part = bool(deeds.files) and len([one for one in turns if one.replies]) > _FEW_WISHES
        return Outcome.PARTLY if is_part else Outcome.FAILED
    is_left = is_handed or any(
        cues.MISSING.search(cues.QUOTED.sub("", one))
        and not cues.TELLS_DEED.match(one)
        and cues.NOTHING_OPEN.search(one) is None
        for one in said
    )
    is_left = is_left or (not deeds.has_only_documents and any(map(is_not_run, said)))
    is_waiting = bool(said and turns[-1].replies) and asks_on(said[-1])
    is_unfinished = deeds.is_draft or any(cues.UNFINISHED.match(one) for one in deeds.commits[-1:])
    is_red_still = is_red and (is_failing or any(map(_tells_failing, said)) or _told_unmet(turns))
    is_running = bool(deeds.started) or (bool(deeds.planned) and bool(deeds.files))
    is_partly = deeds.open_tasks or is_running or is_red_still or is_left or is_waiting or is_unfinished
    return Outcome.PARTLY if is_partly else Outcome.DONE


def _told_unmet(turns: Sequence[StoryTurn]) -> bool:
    """Whether what an agent said last of the work, before it was left, is that something is not as it must be."""
    worked = next((turn for turn in reversed(turns) if turn.edited or any(map(NOT_MET.search, turn.closing))), None)
    return worked is not None and any(map(NOT_MET.search, worked.closing))


def _tells_failing(said: str) -> bool:
    """Whether a sentence tells something as failing; "why three tests failed first" is over."""
    return _FAILS.search(said) is not None and _DENIES.search(said) is None


def _tells_done(said: str) -> bool:
    """Whether a sentence tells something as done: what "cannot be built" is not."""
    found = cues.DONE.search(said)
    return found is not None and _DENIES.search(said, 0, found.start()) is None


def _put_off(turns: Sequence[StoryTurn]) -> str:
    """What the user says last, if it is to be finished another time; the agent may have said that it heard."""
    last = turns[-1] if turns and turns[-1].via is Via.TYPED else None
    if last is None or sum(len(reply.split()) for reply in last.replies) > _HEARD_WORDS:
        return ""
    told = [one for one in prose(last.text) if later.FINISHES_LATER.search(one)]
    return told[-1] if told else ""


def asks_on(text: str) -> bool:
    """Whether an agent's last sentence is a question without whose answer it does not go on."""
    return (text.endswith("?") and cues.COURTESY.search(text) is None) or _WANTS_TOLD.match(text) is not None


def _asks_for_something(text: str, before: str) -> bool:
    """Whether the user's last words want something done or answered: else the session ended with them."""
    if text.rstrip().endswith("?"):
        return True
    if _STOPS.match(text):
        return True
    is_over = cues.PUT_OFF.search(text) or cues.REFUSES.match(text) or cues.CLOSES.search(text)
    said = [one for one in prose(text) if not cues.FAREWELL.fullmatch(one) and not cues.RULES_ON.match(one)]
    said = [one for one in said if not cues.OWN_TURN.match(one) and not cues.FORBIDS.match(one)]
    # Who only says how it is, or who does what, waits for nothing. "Keep it" wants nothing done.
    wants = any(is_task(as_task(one)) and cues.STAYS.match(as_task(one)) is None for one in said)
    wants = (
        wants
        or any(map(cues.PLEADS.search, said))
        or any(map(ADDS.fullmatch, said))
        or len(" ".join(said).split()) > _LAST_WORDS
    )
    # A yes to what the agent offered waits for it.
    is_yes = cues.AGREES.fullmatch(text) is not None and before.rstrip().endswith("?")
    return not is_over and (wants or is_yes)


def announces_more(said: Sequence[str]) -> bool:
    """Whether an agent's last words say what it does next."""
    return bool(said) and cues.ANNOUNCES.fullmatch(said[-1]) is not None


def _is_interrupted(transcript: Transcript, turns: Sequence[StoryTurn]) -> bool:
    """Whether the session stops in the middle: at a stop, an error, a question nobody answered, or a running tool."""
    is_over = is_left = False
    is_shipping = cues.only_ships(turns[-1].text if turns else "")
    for numbered in reversed(transcript.lines):
        match numbered.line:
            case line if line.undone:
                continue
            case ToolResult() as result if not (result.has_failed or result.running or is_over):
                is_over = True
            case ToolCall(text=text) if is_over:
                return not (
                    is_left or is_shipping or is_commit(text)
                )  # Who commits last was done, and so is who is thanked.
            case Event(kind=Happening.INTERRUPTED | Happening.REJECTED | Happening.ERROR) | ToolCall() | ToolResult():
                return True
            case User(text=text) if cues.FAREWELL.fullmatch(text) or not without_asides(text):
                is_left = True
            case User(via=Via.COMMAND, text=text):
                return not is_trivial(text)
            case User() if is_shipping:
                return False
            case User(text=text):
                last = next((turn.replies[-1] for turn in reversed(turns) if turn.replies), "")
                return _asks_for_something(without_asides(text), last)
            case Assistant():
                return announces_more(turns[-1].closing if turns else ())
            case _:
                continue
    return False
