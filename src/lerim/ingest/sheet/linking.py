"""What a statement of the user's answers, and where the agent takes it up: only where it really does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lerim.ingest.sheet.statements import UserStatement
from lerim.ingest.signals.cues import agent_cues, user_says
from lerim.ingest.signals.replies import Answered, Passage, ReplyMatch, answered, confirmed, options
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.units import Unit
from lerim.text.words import words

#: A reply of so few words says nothing without what it answers.
NOD_WORDS = 6
#: What somebody speaks of stands in what they answer, and in what takes it up, at least so far.
_ANSWERING, _TAKING_UP = 0.2, 0.15
_FEWEST_SHARED = 2
#: All options of a choice are shown, as long as they are an offer and not a document.
_MOST_OPTIONS, _OFFER = 10, 2_500
_ASSENT = re.compile(
    r"(?i)\W*(?:yes|yep|yeah|yup|y|no|nope|nah|n|ok|okay|k|sure|agreed?|correct|right|exactly|fine|good|great|perfect|lgtm"
    r"|c|go|continue|proceed|do it|please do|sounds|looks|works|approved?|confirmed|accept\w*|both|either|neither|none"
    r"|ja|nein|oui|non|s[ií]|sim|não|да|нет|是|好|可以|はい|いいえ|네|아니)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class UnitLinks:
    """What a statement answers, where the agent takes it up, and what has to be read beside it."""

    answers: tuple[Passage, ...] = ()
    taken_up: Passage | None = None
    is_choice: bool = False
    #: Of the agent's words before and after: the nearest, linked or not, and all options of a choice.
    before: tuple[Passage, ...] = ()
    after: tuple[Passage, ...] = ()


def links_of(one: UserStatement, vocabulary: Vocabulary) -> UnitLinks:
    """How a statement is joined with the agent's words before and after it."""
    nearest = answered(one.unit, vocabulary)
    is_answer = _is_answer(one.unit, nearest, vocabulary)
    proposal = nearest if is_answer else Answered(ReplyMatch.NOTHING)
    is_choice = proposal.how is ReplyMatch.ITEM
    confirmation = confirmed(one.unit, nearest, vocabulary)
    is_taken_up = confirmation is not None and _takes_up(one.unit, proposal, confirmation, vocabulary)
    return UnitLinks(
        proposal.passages,
        confirmation if is_taken_up else None,
        is_choice,
        (*nearest.passages, *(_offered(proposal.passages) if is_choice else ())),
        (confirmation,) if confirmation is not None else (),
    )


def is_nod(unit: Unit) -> bool:
    """Whether a statement is too short to say something by itself."""
    return len(words(unit.text)) <= NOD_WORDS


def _is_answer(unit: Unit, proposal: Answered, vocabulary: Vocabulary) -> bool:
    """Whether a statement answers what it was matched with: it names the item, shares its words, or is a bare reply."""
    if proposal.how is ReplyMatch.ITEM:
        # The items of a page are counted for its own sake.
        is_own_count = bool(unit.mark) and unit.is_of_a_page
        return not is_own_count or _shares(unit.text, proposal.text, vocabulary, _ANSWERING)
    if proposal.how is ReplyMatch.SAME_WORDS:
        return _shares(unit.text, proposal.text, vocabulary, _ANSWERING)
    return proposal.how is ReplyMatch.ASKED and _is_reply(unit, proposal)


def _is_reply(unit: Unit, proposal: Answered) -> bool:
    """Whether a statement opens its turn as an answer: "yes", "no, …", or a few words to a question or an offer."""
    if unit.place > 0 or unit.text.rstrip().endswith(("?", "？")):
        return False
    if _ASSENT.match(unit.text) or (is_nod(unit) and user_says("agree", unit.text.lower())):
        return True
    is_asking = "?" in proposal.text or bool(agent_cues(proposal.text) & {"recommend", "offer"})
    return is_asking and unit.siblings == 1 and is_nod(unit)


def _shares(one: str, two: str, vocabulary: Vocabulary, least: float) -> bool:
    mine, theirs = vocabulary.about(one), vocabulary.about(two)
    is_enough = len(mine & theirs) >= min(_FEWEST_SHARED, len(mine))
    return bool(mine) and is_enough and vocabulary.overlap(mine, theirs) >= least


def _takes_up(unit: Unit, proposal: Answered, taken_up: Passage, vocabulary: Vocabulary) -> bool:
    """Whether the agent speaks there of what the user did; of a bare reply, of what that answers."""
    if _shares(f"{unit.text} {unit.question}", taken_up.text, vocabulary, _TAKING_UP):
        return True
    return is_nod(unit) and bool(proposal.passages) and _shares(proposal.text, taken_up.text, vocabulary, _TAKING_UP)


def _offered(chosen: Sequence[Passage]) -> list[Passage]:
    """All options of the lists that were chosen from; those chosen alone when they are more than an offer."""
    offered = [one for message in dict.fromkeys(passage.message for passage in chosen) for one in options(message)]
    is_offer = len(offered) <= _MOST_OPTIONS and sum(len(one.text) for one in offered) <= _OFFER
    return offered if is_offer else list(chosen)
