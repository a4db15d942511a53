"""What a session's summary says of how it ended: its outcome, and what it left open. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lerim.context.records import Record
from lerim.lazy_regex import compile_later
from lerim.text.leftovers import still_left, told_of_wishes, without_label, without_noise
from lerim.text.sentences import sentences
from lerim.views.wording import one_line

MAX_LEFT = 320
#: How sessions end that did not do what they were to do.
UNFINISHED = ("interrupted", "partly done", "failed")
_PART = compile_later(r"(?ms)^\*\*(\w[\w ]*):\*\*[ \n](.*?)(?=^\*\*\w[\w ]*:\*\*|\Z)")
# What "remains" because nobody was to touch it is not left to be done.
_NOT_OPEN = compile_later(
    r"^no remaining\b|\bremains? (?:unchanged|untouched|aligned|as (?:is|before))\b|^(?:none|nothing)\b", 2
)
#: What nobody answered.
_UNANSWERED = compile_later(r"^(?:offered|asked|announced|not answered)\b", 2)


def part(record: Record, name: str) -> str:
    """A part of a summary by its label, such as `Outcome`; nothing when it has none."""
    return next((text.strip() for label, text in _PART.findall(record.body) if label == name), "")


def outcome(record: Record) -> str:
    """How it ended, in a word or two: `done`, `partly done`, `interrupted`, `failed`; nothing when it does not say."""
    return one_line(part(record, "Outcome").partition(".")[0]).lower()


def left_open(record: Record, later: Sequence[Record] = ()) -> str:
    """What it left open and none of the `later` ones tells as done, as one line; nothing when all is done."""
    return _still_open(record, [text for one in later for text in _told_done(one)], is_old=False)


def loose_ends(newest_first: Sequence[Record], *, latest: int, most: int) -> list[tuple[Record, str]]:
    """What sessions left open and no later one did, newest first: whatever the `latest` ones left, and of older ones
    what was put off, until there are so many. An offer or a question of long ago waits for nobody any more."""
    found: list[tuple[Record, str]] = []
    told: list[str] = []
    for place, record in enumerate(newest_first):
        left = _still_open(record, told, is_old=place >= latest)
        if left and (place < latest or len(found) < most):
            found.append((record, left))
        told += _told_done(record)
    return found


def _told_done(record: Record) -> list[str]:
    """What a later session tells as done; and where all of it is, what it was for."""
    told = [part(record, "Intent"), part(record, "What happened"), part(record, "Outcome")]
    wishes = [record.title, *sentences(part(record, "Intent").replace("; ", ". "))]
    return [*told, *told_of_wishes(wishes, part(record, "Outcome"))]


def _still_open(record: Record, told: Sequence[str], *, is_old: bool) -> str:
    """What a session left that is not among what was told as done, as one line."""
    left = still_left(without_noise(part(record, "Open")), told)
    found = [without_label(one_line(sentence)) for sentence in sentences(left)]
    said = ""
    lines = (line for line in found if line and not _NOT_OPEN.search(line))
    for line in (line for line in lines if not (is_old and _UNANSWERED.match(line))):
        longer = f"{said} {line}".strip()
        if len(longer) <= MAX_LEFT:
            said = longer
    return said.rstrip(".")


def session_of(record: Record) -> str:
    """The session a summary tells of, as `agent/run_id`."""
    return f"{record.coding_agent}/{record.run_id}" if record.coding_agent and record.run_id else ""
