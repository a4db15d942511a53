"""How a session ended: done, partly done, failed, or interrupted.

Apart from what is told: the same last words are read for whether anything is still missing, not for what they say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from lerim.ingest.signals import summary_cues as cues
from lerim.ingest.signals.summary_asides import without_asides
from lerim.ingest.signals.summary_deeds import Deeds, is_commit
from lerim.ingest.signals.summary_failures import NOT_MET
from lerim.ingest.signals.summary_left import is_not_run
from lerim.ingest.signals.summary_open import OpenEnds
from lerim.ingest.signals.summary_tasks import StoryTurn
from lerim.ingest.signals.summary_words import ADDS, as_task, is_task, is_trivial, prose
from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Assistant, Event, Happening, ToolCall, ToolResult, User, Via

_FAILS = re.compile(r"\b(?:fails?|is (?:failing|red|broken)|are (?:failing|red|broken))\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|cannot|never|no|nothing|without|unable|fails? to)\b|n['’]t\b", re.IGNORECASE)
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


class Outcome(StrEnum):
    """How a session ended."""

    DONE = "done"
    PARTLY = "partly done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


def last_said(turns: Sequence[StoryTurn]) -> list[str]:
    """The agent's last message, if it had the last word or the user's last one got no answer."""
    return next((turn.closing for turn in reversed(turns[-2:]) if turn.replies), [])


def outcome_of(
    transcript: Transcript, turns: Sequence[StoryTurn], deeds: Deeds, left: OpenEnds, *, wishes: int
) -> Outcome:
    """How a session ended in which so many things were wished."""
    if _is_interrupted(transcript, turns):
        return Outcome.INTERRUPTED
    has_failed = left.is_given_up or (left.is_failing and wishes < _FEW_WISHES)
    if has_failed and not deeds.files and not deeds.commits:
        return Outcome.FAILED  # All there was to do.
    said = last_said(turns)
    is_red = any(check.is_ok is False for check in deeds.checks.values())
    is_failing = cues.FAILING.search(" ".join(said)) is not None
    if left.leaves_work:
        return Outcome.PARTLY
    if is_failing and not any(map(_tells_done, said)):
        # After so much else, what failed last is a part.
        is_part = bool(deeds.files) and len([one for one in turns if one.replies]) > _FEW_WISHES
        return Outcome.PARTLY if is_part else Outcome.FAILED
    is_left = left.hands_back_work or any(
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


def asks_on(text: str) -> bool:
    """Whether an agent's last sentence is a question without whose answer it does not go on."""
    return (text.endswith("?") and cues.COURTESY.search(text) is None) or _WANTS_TOLD.match(text) is not None


def _asks_for_something(text: str, before: str) -> bool:
    """Whether the user's last words want something done or answered: else the session ended with them."""
    if text.rstrip().endswith("?"):
        return True
    if cues.STOPS.match(text):
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
