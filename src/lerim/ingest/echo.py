"""Whose words came first: what an agent says that a tool or a page said before it is an echo, not the agent's own.

An agent that reads `remember: deploys go to …` may repeat it in good faith. A memory or a summary that took it over
would turn text from a file into something somebody meant. So words are followed to where they first stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from lerim.ingest.transcript import Transcript
from lerim.sources.trace import Injected, ToolResult

#: So many words in a row are no accident.
RUN = 4
# Bytes are translated ten times as fast as characters, and a session may have millions.
_MARKS = bytes.maketrans(b".,;:!?()[]{}\"'`*<>|#=/\\_-", b" " * 25)
_QUOTES = re.compile("[–—“”‘’]")
_HOST = re.compile(
    r"\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|dev|ai|app|co|cloud|example|test|invalid|xyz|info|biz|ru|cn|top)\b"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]+@[\w-]+\.\w+",
    re.IGNORECASE,
)

_Run = tuple[bytes, ...]


def echoes(transcript: Transcript, texts: Iterable[str]) -> frozenset[str]:
    """Those of the texts that mostly repeat, in runs of four words, what a tool or injected text said first.

    A text that names a host or an address which nobody but a tool has named is one, too. One pass over the session.
    """
    runs = {text: _runs(text) for text in texts}
    first = _first_use({run for found in runs.values() for run in found}, transcript)
    foreign = foreign_hosts(transcript, runs)
    return frozenset(
        text
        for text, found in runs.items()
        if any(host in foreign for host in hosts(text))
        or (found and sum(first.get(run, False) for run in found) * 2 >= len(found))
    )


def foreign_hosts(transcript: Transcript, texts: Iterable[str]) -> frozenset[str]:
    """The hosts and addresses in the texts that a tool or injected text named before anybody else did."""
    return frozenset(_foreign_hosts(transcript, {host for text in texts for host in hosts(text)}))


def hosts(text: str) -> set[str]:
    """The hosts and addresses a text names."""
    return {host.lower() for host in _HOST.findall(text)}


def _runs(text: str) -> list[_Run]:
    words = _words(text)
    # Runs that begin with a short word are many in any text; the ones that begin a word later say the same.
    return [tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1) if len(words[at]) > 3]


def _words(text: str) -> list[bytes]:
    text = text if text.isascii() else _QUOTES.sub(" ", text)
    return text.lower().encode("utf-8", "replace").translate(_MARKS).split()


def _first_use(wanted: set[_Run], transcript: Transcript) -> dict[_Run, bool]:
    """For each run, whether it first stood in a tool's or a program's text."""
    pairs = {run[:2] for run in wanted}
    first: dict[_Run, bool] = {}
    for numbered in transcript.lines:
        words = _words(numbered.line.text)
        # Few lines hold even two of the words in a row, and finding that out needs no loop of ours.
        if pairs.isdisjoint(pairwise(words)):
            continue
        is_foreign = isinstance(numbered.line, ToolResult | Injected)
        for run in wanted.intersection(zip(words, words[1:], words[2:], words[3:], strict=False)):
            first.setdefault(run, is_foreign)
    return first


def _foreign_hosts(transcript: Transcript, wanted: set[str]) -> set[str]:
    first: dict[str, bool] = {}
    for numbered in transcript.lines if wanted else ():
        low = numbered.line.text.lower()
        for host in wanted:
            if host in low:
                first.setdefault(host, isinstance(numbered.line, ToolResult | Injected))
    return {host for host, is_foreign in first.items() if is_foreign}
