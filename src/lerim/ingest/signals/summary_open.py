"""What a session leaves open: put off, handed back, failing, given up, unanswered.

User, agent and commands each say so in their own way. Here each thing that is left is told once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals import summary_later as later
from lerim.ingest.signals.summary_deeds import Deeds
from lerim.ingest.signals.summary_failures import given_up, left_failing
from lerim.ingest.signals.summary_handed import handed_back
from lerim.ingest.signals.summary_left import LeftThing, left_by_agent, left_by_user
from lerim.ingest.signals.summary_tasks import StoryTask, StoryTurn, answer_in
from lerim.ingest.signals.summary_words import prose, stems
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Via

#: More words of an agent's, after the user put the rest off, tell of work.
_HEARD_WORDS = 25


@dataclass(frozen=True)
class OpenEnds:
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

    @property
    def leaves_work(self) -> bool:
        """Whether work is put off, or is still to do."""
        return bool(self.put_off) or any(one.is_of_work for one in self.things)

    @property
    def hands_back_work(self) -> bool:
        return any(one.is_of_work for one in self.handed)

    def tells_all_of(self, task: StoryTask) -> bool:
        """Whether what is left says a wish already: that it is for another day."""
        wanted = stems(task.bare or task.text)
        return bool(wanted) and wanted <= frozenset().union(*(stems(one.text) for one in self.things))


def open_ends(
    transcript: Transcript, turns: Sequence[StoryTurn], wished: Sequence[StoryTask], deeds: Deeds
) -> OpenEnds:
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
    return OpenEnds(
        [*things, *ends],
        [one for one in handed if not any(stems(one.text) <= stems(told.text) for told in things)],
        still=frozenset(source for one in by_agent for source in one.sources),
        put_off=put_off,
        is_put_off=bool(put_off) and not things,
        is_failing=failing is not None,
        is_given_up=dropped is not None,
    )


def unanswered_in(tasks: Sequence[StoryTask], turns: Sequence[StoryTurn]) -> str:
    """What was asked last, when nobody answered; not what the user keeps for themselves."""
    last = tasks[-1] if tasks and tasks[-1].turn == len(turns) - 1 and not turns[-1].replies else None
    is_own = last is not None and (cues.OWN_TURN.match(last.text) or cues.STOPS.match(turns[-1].text))
    if last is not None and turns[-1].via is Via.ANSWER:
        return answer_in(turns[-1].text) or last.text
    return last.text if last is not None and not is_own else ""


def waiting_in(tasks: Sequence[StoryTask], turns: Sequence[StoryTurn], echoed: Collection[str]) -> str:
    """What was ordered last, when the agent changed nothing for it."""
    last = tasks[-1] if tasks and tasks[-1].turn == len(turns) - 1 and not turns[-1].edited else None
    return last.text if last is not None and not last.text.endswith("?") and last.text not in echoed else ""


def _put_off(turns: Sequence[StoryTurn]) -> str:
    """What the user says last, if it is to be finished another time; the agent may have said that it heard."""
    last = turns[-1] if turns and turns[-1].via is Via.TYPED else None
    if last is None or sum(len(reply.split()) for reply in last.replies) > _HEARD_WORDS:
        return ""
    told = [one for one in prose(last.text) if later.FINISHES_LATER.search(one)]
    return told[-1] if told else ""
