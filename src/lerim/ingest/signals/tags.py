"""Tags from the text itself: the paths, symbols and commands a memory speaks of."""

from __future__ import annotations

import re
from collections import Counter

from lerim.ingest.signals.plain_words import plain
from lerim.ingest.signals.weighing import Weighed

_ANCHOR = re.compile(
    r"`([^`\n]{2,40})`|\b((?:[\w-]+/)+[\w.-]+\.\w{1,5})\b|\b([\w-]+\.(?:py|ts|tsx|js|go|rs|md|json"
    r"|ya?ml|toml|sh|sql|lua|ps1))\b|\b([a-z]+_[a-z_]+|[A-Z]{3,}_[A-Z_]+|[a-z]+[A-Z]\w+"
    r"|[A-Z][a-z]+[A-Z]\w+)\b"
)
_MOST = 5


def tags(one: Weighed, title: str) -> tuple[str, ...]:
    """Up to five anchors, those named most often first."""
    reading = one.reading
    # What only the agent named may be a tool's name for it.
    texts = [title, reading.unit.text, *([reading.proposal.text] if reading.is_nod else ())]
    found: Counter[str] = Counter()
    for text in texts:
        for match in _ANCHOR.finditer(text):
            if (tag := _tag(next(group for group in match.groups() if group))) is not None:
                found[tag] += 1
    return tuple(tag for tag, _ in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))[:_MOST]


def _tag(text: str) -> str | None:
    tag = plain(text).strip("`\"'()[]{}<>:;,.!?$ ").lower()
    return tag if 2 < len(tag) <= 40 and re.fullmatch(r"[\w./@+:-]+", tag) and not tag.isdecimal() else None
