"""What a session's summary says of how it ended: its outcome, and what it left open. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.records import Record
from lerim.lazy_regex import compile_later
from lerim.text.leftovers import still_left, without_label
from lerim.text.sentences import sentences
from lerim.views.wording import one_line

MAX_LEFT = 200
#: How sessions end that did not do what they were to do.
UNFINISHED = ("interrupted", "partly done", "failed")
_PART = compile_later(r"(?ms)^\*\*(\w[\w ]*):\*\*[ \n](.*?)(?=^\*\*\w[\w ]*:\*\*|\Z)")
# What "remains" because nobody was to touch it is not left to be done.
_NOT_OPEN = compile_later(
    r"^no remaining\b|\bremains? (?:unchanged|untouched|aligned|as (?:is|before))\b|^(?:none|nothing)\b", 2
)


def part(record: Record, name: str) -> str:
    """A part of a summary by its label, such as `Outcome`; nothing when it has none."""
    return next((text.strip() for label, text in _PART.findall(record.body) if label == name), "")


def outcome(record: Record) -> str:
    """How it ended, in a word or two: `done`, `partly done`, `interrupted`, `failed`; nothing when it does not say."""
    return one_line(part(record, "Outcome").partition(".")[0]).lower()


def left_open(record: Record, later: Sequence[Record] = ()) -> str:
    """What it left open and none of the `later` ones tells as done, as one line; nothing when all is done."""
    told = (part(one, name) for one in later for name in ("Intent", "What happened"))
    found = [without_label(one_line(sentence)) for sentence in sentences(still_left(part(record, "Open"), told))]
    said = ""
    for line in (line for line in found if line and not _NOT_OPEN.search(line)):
        longer = f"{said} {line}".strip()
        if len(longer) > MAX_LEFT:
            break
        said = longer
    return said.rstrip(".")


def session_of(record: Record) -> str:
    """The session a summary tells of, as `agent/run_id`."""
    return f"{record.coding_agent}/{record.run_id}" if record.coding_agent and record.run_id else ""
