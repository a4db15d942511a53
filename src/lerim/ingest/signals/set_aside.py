"""What would rule if the user had said it, and stands in words that they only show: no candidate, and no secret."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lerim.ingest.findings import Quote, Rejection
from lerim.ingest.own_words import shown_spans
from lerim.ingest.signals.cues import user_cues
from lerim.ingest.signals.passing import LASTING
from lerim.ingest.signals.plain_words import headline, statement
from lerim.ingest.signals.rulings import rules_plainly
from lerim.ingest.signals.text import clipped, topics
from lerim.ingest.signals.turns import Conversation, Turn
from lerim.ingest.templates import template_parts
from lerim.sources.trace import Via
from lerim.text.sentences import sentence_spans

_REASON = "Taken for somebody else's words, which the user shows."
#: Of one message, and of a session: who pastes a handbook wants to read none of it.
_MOST_OF_A_TURN, _MOST = 4, 20
_WORDS = 60
_LINE, _TOLD_TOPICS = 500, 3


def set_aside(talk: Conversation) -> tuple[Rejection, ...]:
    """The rulings in words that users show of others, a few of each message."""
    found = (one for turn in talk.turns for one in islice(_of_turn(turn), _MOST_OF_A_TURN))
    return tuple(islice({one.title: one for one in found}.values(), _MOST))


def _of_turn(turn: Turn) -> Iterator[Rejection]:
    spans = () if template_parts(turn.text) is not None or turn.via is Via.PLAN else shown_spans(turn.text)
    # What stands in one line is told, and not pasted: whatever is lost of it is listed.
    is_line = len(turn.text) <= _LINE and "\n" not in turn.text.strip()
    for start, end in spans:
        for span in sentence_spans(turn.text, start, end):
            said = span.of(turn.text)
            is_told = is_line and len(topics(said)) >= _TOLD_TOPICS
            if is_told or user_cues(said) & LASTING or rules_plainly(said):
                quote = Quote(turn.message.number, turn.message.number, clipped(said, _WORDS))
                yield Rejection(headline(statement(said)), _REASON, (quote,))
