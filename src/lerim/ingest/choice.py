"""Which engine reads a session, as the settings say. Each is loaded only when it is the one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lerim.config.profiles import Profile, profile_of_trace
from lerim.config.settings import EngineChoice
from lerim.dataclass import dataclass
from lerim.ingest.findings import Digest, Finding, Proposal

if TYPE_CHECKING:
    from lerim.ingest.engine import Engine
    from lerim.ingest.sheet.page import NearRecord, Sheet
    from lerim.ingest.transcript import Transcript
    from lerim.ingest.windows import Window
    from lerim.llm import Models, Spending
    from lerim.llm.models import RoleName
    from lerim.observability import Tracing

#: The records that are nearest to what some sheets speak of.
KnownFor = Callable[["Sequence[Sheet]"], "Sequence[NearRecord]"]
#: The profile that a trace names, or names not.
ProfileFor = Callable[[str | None], Profile]


def _nothing_known(made: Sequence[Sheet]) -> Sequence[NearRecord]:
    return ()


def engine_for(
    choice: EngineChoice,
    models: Models,
    spending: Spending,
    home: Path,
    tracing: Tracing | None = None,
    known_for: KnownFor = _nothing_known,
    profile_for: ProfileFor = profile_of_trace,
) -> Engine:
    """The engine for one run. The summary is the summarize role's: embedded when that role is, whoever extracts.

    `known_for` gives the records that a place keeps and that are nearest to what some sheets speak of; `profile_for`
    gives the profile that a trace names.
    """
    around = (known_for, profile_for)
    extracts = _engine(choice, models, spending, home, tracing, *around)
    summarizes = EngineChoice.EMBEDDED if models.is_embedded("summarize") else EngineChoice.MODEL
    if choice is summarizes or (choice is EngineChoice.RLM and summarizes is EngineChoice.MODEL):
        return extracts
    return Divided(extracts, _engine(summarizes, models, spending, home, tracing, *around))


def prepare(engine: Engine, transcript: Transcript) -> None:
    """Let an engine read what it needs of the memory, before it works in a thread of its own."""
    if (ready := getattr(engine, "prepare", None)) is not None:
        ready(transcript)


def _engine(
    choice: EngineChoice,
    models: Models,
    spending: Spending,
    home: Path,
    tracing: Tracing | None,
    known_for: KnownFor,
    profile_for: ProfileFor,
) -> Engine:
    match choice:
        case EngineChoice.RLM:
            return _rlm(models, spending, home, tracing)
        case EngineChoice.MODEL:
            from lerim.ingest.reader.engine import SheetReader

            return SheetReader(
                lambda role: models.model(cast("RoleName", role), spending),
                known_for=known_for,
                is_one_model=models.is_same("extract", "summarize"),
                tracing=tracing,
                profile_for=profile_for,
            )
        case _:
            from lerim.ingest.signals.engine import EmbeddedEngine

            return EmbeddedEngine(profile_for)


def _rlm(models: Models, spending: Spending, home: Path, tracing: Tracing | None) -> Engine:
    from lerim.ingest.rlm import Limits, RlmEngine

    extract, summarize = models.role("extract"), models.role("summarize")
    return RlmEngine(
        lambda: models.language_model("extract", spending, tracing),
        home,
        Limits(extract.max_iterations, extract.timeout_seconds),
        summary_model=lambda: models.language_model("summarize", spending, tracing),
        summary_limits=Limits(summarize.max_iterations, summarize.timeout_seconds),
    )


@dataclass(frozen=True)
class Divided:
    """One engine extracts, another tells the story."""

    extracts: Engine
    summarizes: Engine

    @property
    def name(self) -> str:
        return self.extracts.name

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        return tuple(p for engine in (self.extracts, self.summarizes) for p in getattr(engine, "prompts", ()))

    def prepare(self, transcript: Transcript) -> None:
        """Let those prepare that have something to prepare."""
        for engine in (self.extracts, self.summarizes):
            prepare(engine, transcript)

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        return self.extracts.find(transcript, windows, guidance)

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        return self.extracts.synthesize(transcript, findings, guidance)

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        return self.summarizes.summarize(transcript, windows, guidance)
