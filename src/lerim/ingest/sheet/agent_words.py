"""What the agent said that may last, passage by passage: how much speaks for showing it, and what proved it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from lerim.ingest.sheet.checks import CheckRun
from lerim.ingest.sheet.wholes import tables
from lerim.ingest.signals.cues import agent_cues
from lerim.ingest.signals.replies import Passage, passages
from lerim.ingest.signals.summary_cues import SUSPECTS
from lerim.ingest.signals.topics import Vocabulary
from lerim.ingest.signals.turns import Utterance
from lerim.text.sentences import TextSpan

#: What each thing that an agent can do by saying something adds to the worth of its words.
_WORTH = {
    "cause": 2.0,
    "trap": 1.0,
    "decided": 1.2,
    "because": 0.8,
    "limit": 0.6,
    "retract": 0.8,
    "recommend": 0.6,
    "ack": 0.2,
    "narrate": -1.5,
    "offer": -0.5,
}
#: "Decision: …", "**Root cause:** …": the lines of a document that say what holds, and why.
_LABELED = re.compile(
    r"\W{0,6}(?:(?:key |final |my |the )?(?:decisions?|rationale|root causes?|reasons?|causes?|fix|recommend\w*|chosen"
    r"|trade-?offs?|constraints?|caveats?|gotchas?|conclusions?|verdict|takeaways?|lessons?|important|note|insight"
    r"|findings?|resolution|convention|policy|rule|principle|solution|assumption|why|answer|problem|issue)\b"
    r"[^:\n]{0,40}(?:\*\*)?:|D-?\d+\b)",
    re.IGNORECASE,
)
#: A short block of code below a line.
_ANNOUNCED = re.compile(r"[ \t]*\n\s{0,4}```[^\n]{0,40}\n(?:(?!```).){1,300}?\n[ \t]*```", re.DOTALL)
#: Fewer words say something only as what a reply chooses.
_FEW_WORDS, _NOTHING = 5, 9.0
#: A shorter last message only asks about the one before.
_MENU = 300
_CAUSES = frozenset({"cause", "trap"})


@dataclass(slots=True)
class AgentPassage:
    """A passage of the agent's, what it is worth, and whether the sheet needs it whatever that is."""

    passage: Passage
    worth: float
    cues: frozenset[str]
    is_last: bool
    proof: str = ""
    is_needed: bool = False
    #: Whether the agent had said it before in the same words.
    is_repeated: bool = False

    @property
    def text(self) -> str:
        return self.passage.text

    @property
    def manner(self) -> str:
        if self.proof:
            return f"cause; {self.proof} passed after"
        return ""

    def overlaps(self, other: Passage) -> bool:
        mine, theirs = self.passage.span, other.span
        return self.passage.message.number == other.message.number and _meet(mine, theirs)


def _meet(one: TextSpan, other: TextSpan) -> bool:
    return one.start < other.end and other.start < one.end


def spoken(
    messages: Iterable[Utterance], asked: str, vocabulary: Vocabulary, runs: Iterable[CheckRun]
) -> Iterator[AgentPassage]:
    """The passages of a turn's messages that say something, in order. `asked` is what the user had said."""
    listed = list(messages)
    about = vocabulary.about(asked[:2_000])
    checks = list(runs)
    # A menu below a document is answered together with it.
    last = listed[-2:] if listed and len(listed[-1].text) < _MENU else listed[-1:]
    for message in listed:
        proof = _proof(message.number, checks)
        for passage in map(_with_code, with_whole_tables(passages(message))):
            text = passage.text
            if not any(map(str.isalnum, text)):
                continue  # What parts a table's head from its rows.
            cues = agent_cues(text)
            is_last = message in last
            worth = _worth(text, cues) + 0.8 * is_last + 1.5 * vocabulary.overlap(about, vocabulary.about(text))
            # What the agent only takes for the cause, a check that passed later does not prove.
            is_proved = proof if cues & _CAUSES and not SUSPECTS.search(text) else ""
            yield AgentPassage(passage, worth + bool(is_proved), cues, is_last, is_proved)


def with_whole_tables(found: Sequence[Passage]) -> Iterator[Passage]:
    """The passages of a message, the rows of a table as one. Rows that are options to choose from stay apart."""
    rows = tables(found[0].message.text) if found else []
    for passage in found:
        table = next((span for span in rows if span.start <= passage.span.start < span.end), None)
        if table is None:
            yield passage
        elif passage.span.start == table.start:
            yield replace(passage, span=table)


def _with_code(passage: Passage) -> Passage:
    """With the command or the few lines of code that it announces: without them it says nothing."""
    found = _ANNOUNCED.match(passage.message.text, passage.span.end) if passage.text.endswith(":") else None
    if found is None:
        return passage
    return replace(passage, span=TextSpan(passage.span.start, found.end()))


def _worth(text: str, cues: frozenset[str]) -> float:
    worth = sum(_WORTH[cue] for cue in cues) + 1.5 * bool(_LABELED.match(text))
    if len(text.replace("|", " ").split()) < _FEW_WORDS and text.isascii():
        worth -= _NOTHING
    worth += 0.4 * ("**" in text) + 0.15 * min(4, text.count("`") // 2)
    return worth - 1.0 * text.rstrip().endswith(":") + min(len(text), 240) / 240


def _proof(line: int, runs: Iterable[CheckRun]) -> str:
    """The check that had failed before a message and passed after it."""
    failed: set[str] = set()
    for run in runs:
        if run.line < line and not run.is_ok:
            failed.add(run.name)
        elif run.line > line and run.is_ok and run.name in failed:
            return run.name
    return ""
