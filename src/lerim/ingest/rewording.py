"""A model's wording of what was said: kept as far as the session backs it, else the session's own words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lerim.context.records import MAX_TITLE, Trust
from lerim.ingest.findings import Candidate, Digest, Proposal, Quote, Rejection
from lerim.ingest.own_words import own_text
from lerim.ingest.transcript import Transcript
from lerim.ingest.words import covered, stems
from lerim.sources.trace import ToolCall
from lerim.text.backing import Backing
from lerim.text.common import REPORT
from lerim.text.sentences import sentences

#: What is said of a candidate whose words were not taken.
REWORDED = "partly in the words of the session, since the model's said more"
# Whose words a memory rests on may be said.
_SPEAKERS = "user agent"
#: A title that shares this much with its quotes says what they say, and something more.
_SAME = 0.5
# What an agent types is its doing; what it writes into files is not told word by word.
_LONGEST_CALL = 400


def own_quotes(quotes: Iterable[Quote]) -> list[str]:
    """The quotes that somebody said: what a tool printed stands beside a memory and gives it no words."""
    return [quote.text for quote in quotes if quote.speaker in (Trust.USER, Trust.AGENT)]


def reworded(candidates: Iterable[Candidate], transcript: Transcript) -> Proposal:
    """What a model proposes, in words that its session backs."""
    found = [in_own_words(candidate, transcript) for candidate in candidates]
    kept = tuple(one for one in found if isinstance(one, Candidate))
    return Proposal(kept, tuple(one for one in found if isinstance(one, Rejection)))


def in_own_words(candidate: Candidate, transcript: Transcript) -> Candidate | Rejection:
    """The candidate as its quotes back it: its tags as far as they do, its words where they say no more.

    One whose title is about something else than its quotes is turned down.
    """
    backing = _backing(candidate, transcript)
    tags, signals = backing.tags(candidate.tags), tuple(s for s in candidate.signals if not backing.strangers(s))
    candidate = replace(candidate, tags=tags, signals=signals)
    gap = backing.gap(candidate.title) or backing.gap(candidate.body)
    said = own_quotes(candidate.quotes)
    if gap is None or not said:
        # Without anybody's words there is no memory: whoever verifies it says so.
        return candidate
    if covered(stems(candidate.title), stems(" ".join(said))) < _SAME:
        return Rejection(candidate.title, f"Its quotes do not say so: {gap}.", candidate.quotes)
    title = candidate.title if backing.gap(candidate.title) is None else nearest_sentence(candidate.title, said)
    body = "\n".join(_backed_lines(candidate.body, backing)).strip() or "\n\n".join(said)
    return replace(candidate, title=title, body=body, signals=(*signals, REWORDED))


def nearest_sentence(title: str, said: Iterable[str]) -> str:
    """The sentence that says most of what a title says, as a title."""
    about = stems(title)
    every = [" ".join(one.split()) for text in said for one in sentences(text)]
    return _clipped(max(every, key=lambda one: covered(about, stems(one))))


def backed_digest(digest: Digest, transcript: Transcript, otherwise: Digest) -> Digest:
    """The summary without the sentences that the session does not back; where nothing is left, the other one's."""
    backing = session_backing(transcript)
    body = "\n".join(_backed_lines(digest.body, backing)).strip()
    if backing.gap(digest.title) is not None or not body:
        return otherwise
    description = digest.description if backing.gap(digest.description) is None else ""
    return Digest(digest.title, description, body, backing.tags(digest.tags))


def session_backing(transcript: Transcript) -> Backing:
    """What was said and done in a session, without what tools, files and pages said."""
    known: dict[str, Backing] = transcript.remembered("backing")
    if (found := known.get("")) is None:
        header = transcript.header
        also = " ".join((*REPORT, _SPEAKERS, header.agent))
        found = known[""] = Backing((*transcript.own_texts, *calls_of(transcript)), also)
    return found


def calls_of(transcript: Transcript) -> Iterator[str]:
    """What the agent did, as it called its tools."""
    lines = (numbered.line for numbered in transcript.lines)
    return (line.text[:_LONGEST_CALL] for line in lines if isinstance(line, ToolCall) and not line.undone)


def _backing(candidate: Candidate, transcript: Transcript) -> Backing:
    """What the candidate may say: its quotes, and the sentences of their authors that they are taken from."""
    said = own_quotes(candidate.quotes)
    around = [one for quote in candidate.quotes for one in _sentences_around(quote, transcript)]
    return Backing(dict.fromkeys((*said, *around)), also=_SPEAKERS)


def _sentences_around(quote: Quote, transcript: Transcript) -> Iterator[str]:
    line = transcript.at(quote.first)
    if line is None or quote.speaker not in (Trust.USER, Trust.AGENT):
        return
    quoted = " ".join(quote.text.split())
    for sentence in sentences(own_text(line.text)):
        told = " ".join(sentence.split())
        if quoted in told or told in quoted:
            yield told


def _backed_lines(body: str, backing: Backing) -> Iterator[str]:
    """The lines of a body with the sentences that are backed. Headings stay; a line of which nothing is left goes."""
    for line in body.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            yield line if not line.strip() or backing.gap(line) is None else ""
            continue
        kept = [one for one in sentences(line) if backing.gap(one) is None]
        if kept:
            yield " ".join(kept)


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
