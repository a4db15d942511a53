"""What a run leaves behind, however it ends: its artifacts, made from what was done and from nobody's word.

Loads pydantic, and no framework for models.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lerim.context.place import Place
from lerim.context.records import Record
from lerim.curate.proposals import CurationProposal, CurationVerb
from lerim.curate.room import CurationRun
from lerim.ingest.findings import Digest, Extraction
from lerim.llm import Models
from lerim.llm.models import ROLE_NAMES
from lerim.runtime.runs.artifacts import (
    About,
    ExtractArtifact,
    MaintainAction,
    MaintainActionsArtifact,
    MaintainLook,
    MemoryAction,
    MemoryActionsArtifact,
    PromptUse,
    RunUsage,
    SummaryArtifact,
)
from lerim.runtime.runs.folder import Run

if TYPE_CHECKING:
    from lerim.runtime.prompts import Prompt

#: Where a record's file lies, relative to the memory folder; None when it has none.
PathOf = Callable[[Record], str | None]
_WHYS = 500


@dataclass
class RunAccount:
    """The facts of one run that all its artifacts tell."""

    run: Run
    models: Models
    started: datetime
    session: str | None = None
    engine: str = "embedded"
    began: float = field(default_factory=time.monotonic)
    #: Name and SHA-256 of each prompt that an engine has sent so far: engines keep their own account.
    engine_prompts: Callable[[], Iterable[tuple[str, str]]] = tuple
    _prompts: dict[str, str] = field(default_factory=dict)

    def note_prompt(self, prompt: Prompt) -> None:
        """A prompt is being sent."""
        self._prompts[prompt.name] = prompt.sha256

    @property
    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)

    @property
    def usage(self) -> RunUsage:
        """What the models used so far. Without a model there is nothing to look up, and it costs nothing."""
        if all(self.models.is_embedded(role) for role in ROLE_NAMES):
            return RunUsage(cost_usd=0.0)
        spent = self.models.books.ledger.spent(self.run.id)
        cost = None if spent.unpriced else spent.cost_usd
        return RunUsage(
            requests=spent.calls, input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, cost_usd=cost
        )

    def about(self, error: str | None = None) -> About:
        lead, sent = self.models.role("lead"), {**self._prompts, **dict(self.engine_prompts())}
        return About(
            run_id=self.run.id,
            status="failed" if error else "done",
            error=error[:_WHYS] if error else None,
            session=self.session,
            started=self.started,
            seconds=self.seconds,
            engine=self.engine,
            provider=str(lead.provider),
            model=lead.model or "policy",
            prompts=tuple(PromptUse(name=name, sha256=digest) for name, digest in sent.items()),
            usage=self.usage,
        )

    def write_extract(self, extraction: Extraction) -> None:
        self.engine = extraction.engine
        ExtractArtifact.of(self.about(), extraction).write(self.run)

    def write_summary(self, digest: Digest, record: str | None = None, path: str | None = None) -> None:
        SummaryArtifact.of(self.about(), digest, record, path).write(self.run)

    def write_memory_actions(self, actions: Sequence[MemoryAction], error: str | None = None) -> MemoryActionsArtifact:
        """What became of each candidate. Of a run that failed: what it had decided, none of which was written."""
        artifact = MemoryActionsArtifact.of(self.about(error), actions)
        artifact.write(self.run)
        return artifact

    def write_maintain_actions(self, done: CurationRun) -> MaintainActionsArtifact:
        """What became of each proposal, and what was looked at."""
        look = MaintainLook(**{name: getattr(done.plan.looked_at, name) for name in MaintainLook.model_fields})
        artifact = MaintainActionsArtifact.of(self.about(), maintain_actions(done), look)
        artifact.write(self.run)
        return artifact

    def write_maintain_failure(self, error: str) -> None:
        """That nothing was done, and why."""
        MaintainActionsArtifact.of(self.about(error), ()).write(self.run)


def maintain_actions(done: CurationRun) -> list[MaintainAction]:
    """What was done, what waits for a person, and what was not done and why."""
    refused = (*(item for item in done.applied if not item.is_done), *done.plan.refused)
    not_done = {id(item.proposal) for item in refused}
    waiting = (item for item in done.open if id(item) not in not_done)
    return [
        *(_maintain_action(item, item.operation.value, item.reason) for item in done.done),
        *(_maintain_action(item, CurationVerb.REVIEW.value, item.reason) for item in waiting),
        *(_maintain_action(item.proposal, "no-op", f"not done: {item.refusal}") for item in refused),
    ]


def _maintain_action(item: CurationProposal, action: Any, reason: str) -> MaintainAction:
    records, result = tuple(map(str, item.records)), str(item.into) if item.into else None
    return MaintainAction(action=action, records=records, result=result, reason=reason, evidence=item.evidence)


def paths_in(place: Place) -> PathOf:
    """Where records of a place have their files now."""

    def path_of(record: Record) -> str | None:
        path = place.path_of(record)
        return path.relative_to(place.folder.root).as_posix() if path else None

    return path_of


def as_paths(run: Run, names: Sequence[str]) -> dict[str, Path]:
    return {name: run.path(name) for name in names if run.path(name).exists()}
