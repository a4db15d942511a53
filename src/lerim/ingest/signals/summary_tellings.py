"""What an agent says it did and found: its sentences that tell what happened, and how much each looks like it.

Each is read with the words right before and behind it. What all the rest of the session makes of it is asked later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_happened import TurnWork, cut_whole, did_not_happen, points_back
from lerim.ingest.signals.summary_outcome import asks_on
from lerim.ingest.signals.summary_standing import standings
from lerim.ingest.signals.summary_tasks import MOST_CLOSING, StoryTurn, chosen_way, offered_items, offers_ways
from lerim.ingest.signals.summary_words import sentence
from lerim.ingest.signals.verdicts import confirms, leaves_fault

#: Before a cause that does not say so itself, and is the agent's word.
CAUSE_LABEL = "Cause (agent): "
#: However long a session is, the agent's closing words are read for as long: a turn's share of all characters.
_LEAST_CLOSING, _ALL_CLOSING = 800, 120_000
_MOST_TELLINGS = 160
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
#: What leads to a cause is in few words, and for so many turns people look for one.
_LEAD_WORDS, SEARCH_TURNS = 3, 3
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


def tellings_of(turns: Sequence[StoryTurn]) -> list[Telling]:
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
    is_mended = any(turn.edited for turn in turns[number : number + SEARCH_TURNS])
    return is_mended and cues.ADDRESSED.search(statement) is None and _looks_for_cause(number, turns)


def _looks_for_cause(number: int, turns: Sequence[StoryTurn]) -> bool:
    """Whether the user told of trouble, or asked for its cause, right before, in few words."""
    said = [turn.text for turn in turns[max(0, number - 1) : number + 1]]
    return any(len(one.split()) <= _TROUBLE_WORDS and cues.LOOKS_FOR_CAUSE.search(one) for one in said)


def is_deed(statement: str) -> bool:
    """Whether a sentence says that something was done, or is different now."""
    return cues.TELLS_DEED.match(statement) is not None or _NOW.search(statement) is not None


def _is_done(statement: str) -> bool:
    """Whether a sentence tells of what was done or found: what else stands in a message that ends with a question may
    well be turned down."""
    return is_deed(statement) or cues.FOUND.search(statement) is not None


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


def told_of(telling: Telling) -> str:
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
