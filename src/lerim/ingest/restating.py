"""How a candidate may be said otherwise: in words of its quotes, of their messages and of what those answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lerim.context.review.candidates import ReviewCandidate
from lerim.ingest.echo import echoes
from lerim.ingest.evidence import ungrounded
from lerim.ingest.findings import Candidate, Quote
from lerim.ingest.own_words import own_text
from lerim.ingest.rewording import own_quotes
from lerim.ingest.transcript import Transcript, may_quote
from lerim.text.backing import Backing
from lerim.text.sentences import sentences


class QuotedWords:
    """The words that stand behind a verified candidate, and what another wording says more than they do."""

    def __init__(
        self, candidate: Candidate, transcript: Transcript, *, claimed: bool = False, beside: tuple[str, ...] = ()
    ) -> None:
        """When it is only `claimed`, its own title and body are no words that anybody said. What stands `beside` it,
        as the record it adds to, may be said again."""
        self._candidate = candidate
        self._transcript = transcript
        answered = [text for quote in candidate.quotes for text in _answered(quote, transcript)]
        echoed = echoes(transcript, answered)
        told = (text for text in answered if text not in echoed)
        known = [] if claimed else [f"{candidate.title}\n{candidate.body}"]
        self._backing = Backing((*known, *beside, *own_quotes(candidate.quotes), *told), also="user agent")

    def gap_in_title(self, title: str | None) -> str | None:
        """What a title says that nobody said; None when it may stand, or there is none."""
        if title is None:
            return None
        renamed = replace(self._candidate, title=title, body="")
        return self._backing.gap(title) or ungrounded(renamed, self._transcript) or None

    def gap_in_body(self, title: str | None, body: str | None) -> str | None:
        """The same of a body, below a title of its own or the candidate's."""
        if body is None:
            return None
        said = replace(self._candidate, title=title or self._candidate.title, body=body)
        return self._backing.gap(body) or ungrounded(said, self._transcript) or None


def as_candidate(waiting: ReviewCandidate) -> Candidate:
    """What waits for review, as it was when it was found."""
    quotes = tuple(Quote(e.first_line, e.last_line, e.quote, e.speaker) for e in waiting.evidence)
    return Candidate(
        waiting.id,
        waiting.primitive,
        waiting.title,
        waiting.body,
        quotes,
        waiting.kind,
        waiting.confidence,
        waiting.tags,
        signals=waiting.signals,
        trust=waiting.trust,
    )


def _answered(quote: Quote, transcript: Transcript) -> Iterator[str]:
    """The sentences of the quoted message and of the one that it answers: "the second one" means nothing alone."""
    before = [n for n in transcript.messages if n.number <= quote.first][-2:]
    for numbered in before:
        yield from sentences(own_text(numbered.line.text, quotes=may_quote(numbered.line)))
