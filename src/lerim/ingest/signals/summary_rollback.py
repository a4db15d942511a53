"""What the user had rolled back later in a session: what the agent told of it is no longer so. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lerim.glance import seldom
from lerim.ingest.signals.summary_tasks import StoryTurn
from lerim.ingest.signals.summary_words import stems, visible
from lerim.sources.trace import Via

#: Who orders it, wherever in a brief: the thing is named behind the verb.
_ROLLS_BACK = seldom(
    r"\b(?:scrap(?:ping|ped)?|roll(?:ing)? ?back|revert(?:ing)?|abandon(?:ing)?|rip(?:ping)? out|throw(?:ing)? (?:away"
    r"|out)|back(?:ing)? out(?: of)?|get(?:ting)? rid of|verwerfen|verwirf|abandonne[rz]?|descarta(?:mos|r)?) "
    r"(?:the|this|that|our|all(?: the| of the)?|your|those|these|der|die|das|den|le|la|les|el|los|las)\b"
    r"(?P<what>[^.!?;:\n]{3,90}?)(?= to | and | because | since | so | for now| weil | und | et | parce| y | porque "
    r"|[.!?;:,\n]|$)",
    re.IGNORECASE,
)
#: What the agent says of it when it has done so.
_IS_BACK = seldom(
    r"\b(?:revert\w*|roll(?:ed|ing)? ?back|rollback|restor\w+|removed|scrapped|ripped out|undone|deleted|zurückge\w+"
    r"|entfernt|rétabli\w*|supprimé\w*|restaurad\w*|eliminad\w*)\b",
    re.IGNORECASE,
)
_LEAST_NAMED, _MOST_SHARED = 2, 0.6
#: A brief says early what it is about.
_HEAD_WORDS = 80


class ToldThen(Protocol):
    """What an agent told in a turn."""

    @property
    def text(self) -> str: ...
    @property
    def turn(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RolledBack:
    """A thing that was taken out again in a turn, and the earlier turns that were about nothing else."""

    turn: int
    thing: frozenset[str]
    about: frozenset[int]

    def undoes(self, said: ToldThen) -> bool:
        """Whether something told before it is of what was taken out."""
        return said.turn < self.turn and (said.turn in self.about or _is_of(self.thing, stems(said.text)))


def rolled_back(turns: Sequence[StoryTurn]) -> list[RolledBack]:
    """What the user ordered to be rolled back, and the agent says it did."""
    found = []
    for number, turn in enumerate(turns):
        if turn.via is not Via.TYPED or not number or not _IS_BACK.search(" ".join(turn.closing)):
            continue
        for order in _ROLLS_BACK.finditer(visible(turn.text)):
            thing = stems(order["what"])
            if len(thing) >= _LEAST_NAMED:
                about = (at for at, one in enumerate(turns[:number]) if _is_of(thing, stems(_head(one))))
                found.append(RolledBack(number, thing, frozenset(about)))
    return found


def _head(turn: StoryTurn) -> str:
    return " ".join(turn.text.split()[:_HEAD_WORDS])


def _is_of(thing: frozenset[str], told: frozenset[str]) -> bool:
    return len(thing & told) >= _MOST_SHARED * len(thing)
