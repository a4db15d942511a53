"""The embedded engine: a session is read whole, weighed and worded by rules and a small linear model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lerim.config.profiles import Profile, profile_of_trace
from lerim.ingest.findings import Candidate, Digest, Finding, Proposal, Rejection, Tier
from lerim.ingest.signals.explain import explained
from lerim.ingest.signals.kinds import sort_of
from lerim.ingest.signals.model import weights
from lerim.ingest.signals.plain_words import agents_statement, headline, statement
from lerim.ingest.signals.reading import SessionReading
from lerim.ingest.signals.selection import Chosen, choose, weigh
from lerim.ingest.signals.set_aside import set_aside
from lerim.ingest.signals.sureness import confidence_of, tier_of
from lerim.ingest.signals.tags import tags
from lerim.ingest.signals.text import topics
from lerim.ingest.signals.turns import Conversation, conversation
from lerim.ingest.signals.weighing import Weighed
from lerim.ingest.signals.wording import quotes, source_of, worded
from lerim.ingest.signals.work_words import WorkWords
from lerim.ingest.transcript import Transcript
from lerim.ingest.windows import Window
from lerim.text.sentences import sentences

#: Fewer make no statement of what was found out.
_FEW_TOPICS = 3
#: What is refused is reported up to this many; the strongest first.
_MOST_REFUSED = 60


class EmbeddedEngine:
    """Reads a session without a model. The same session gives the same memories, always."""

    name = "embedded"

    def __init__(self, profile_for: Callable[[str | None], Profile] = profile_of_trace) -> None:
        """`profile_for` gives the profile of a name, or of none."""
        self._profile_for = profile_for
        # The two steps are asked for the same session one after the other; reading it twice would be waste.
        self._last: tuple[Transcript, Conversation, Chosen, list[Candidate]] | None = None

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What the session holds that may matter. A reply is read with what it answers, in whichever window that is."""
        _, chosen, made = self._read(transcript)
        return [_finding(one, candidate, windows) for one, candidate in zip(chosen.kept, made, strict=True)]

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """The candidates of the findings that passed, and what was considered and refused."""
        talk, chosen, made = self._read(transcript)
        passed = {finding.statement for finding in findings}
        refused = sorted(chosen.refused, key=lambda pair: -pair[0].rank)[:_MOST_REFUSED]
        return Proposal(
            tuple(candidate for candidate in made if candidate.title in passed),
            (*set_aside(talk), *(_rejection(one, reason) for one, reason in refused)),
        )

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """One episodic summary of the session."""
        from lerim.ingest.signals.summary import summarize

        return summarize(transcript)

    def _read(self, transcript: Transcript) -> tuple[Conversation, Chosen, list[Candidate]]:
        """Who said what, and what it holds, chosen and worded."""
        if self._last is None or self._last[0] is not transcript:
            profile = self._profile_for(transcript.header.profile)
            talk = conversation(transcript)
            session = SessionReading(talk, WorkWords(profile) if profile.words else None)
            chosen = choose(weigh(session), session)
            made = [_candidate(number, one, session) for number, one in enumerate(chosen.kept, 1)]
            self._last = transcript, talk, chosen, made
        return self._last[1:]


def _finding(one: Weighed, made: Candidate, windows: Sequence[Window]) -> Finding:
    act = sort_of(one.reading)[2]
    return Finding(act, made.title, made.quotes, min(1.0, one.rank / 2), made.signals, _window(one, windows))


def _candidate(number: int, one: Weighed, session: SessionReading) -> Candidate:
    primitive, kind, _ = sort_of(one.reading)
    wording = worded(one.reading, session, one.related)
    if one.reading.is_telling and len(topics(wording.title)) < _FEW_TOPICS:
        # "The deal was lost" says nothing without why.
        said = next((text for text in sentences(one.reading.unit.text) if wording.title.rstrip(".") in text), "")
        wording = replace(wording, title=headline(agents_statement(said)) if said else wording.title)
    tier = tier_of(one, wording.title, session)
    confidence = confidence_of(one, wording.title, session, weights().sure if tier is Tier.SURE else ())
    return Candidate(
        id=f"c{number}",
        primitive=primitive,
        kind=kind,
        title=wording.title,
        body=wording.body,
        quotes=(*quotes(one.reading, one.related), *source_of(one.reading, session, wording.title)),
        confidence=round(confidence, 2),
        tags=tags(one, wording.title),
        tier=tier,
        signals=explained(one),
        is_confirmed=one.is_confirmed and one.related is not None,
    )


def _rejection(one: Weighed, reason: str) -> Rejection:
    return Rejection(headline(statement(one.reading.unit.text)), reason, quotes(one.reading)[:1])


def _window(one: Weighed, windows: Sequence[Window]) -> int:
    number = one.reading.unit.number
    return next((window.index for window in windows if window.first <= number <= window.last), 0)
