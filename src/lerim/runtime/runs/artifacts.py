"""What a run leaves behind, as typed documents: written by the runtime, checked and shown by whoever reads a run.

Every field is explained in docs/runs.md. Import this module late: pydantic costs start-up time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from lerim.ingest.findings import Candidate, Digest, Extraction, Finding, Quote, Rejection
from lerim.runtime.runs.folder import (
    EXTRACT,
    MAINTAIN_ACTIONS,
    MEMORY_ACTIONS,
    SUMMARY,
    Run,
    RunInfo,
    RunStatus,
    Unreadable,
    read_bytes,
    read_json,
    read_run,
)

SCHEMA_VERSION: Literal[1] = 1
_A = TypeVar("_A", bound="Artifact")
Amount = Annotated[int, Field(ge=0)]
_MAX_PROBLEMS = 5


class _Value(BaseModel):
    # A field nobody declared is a slip of the writer, and would go undocumented.
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# --- what all of them say ---------------------------------------------------------------------------------------------


class PromptUse(_Value):
    """A prompt that was sent, by the hash of its text."""

    name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class RunUsage(_Value):
    """What the models of the run used, all roles together."""

    requests: Amount = 0
    input_tokens: Amount = 0
    output_tokens: Amount = 0
    #: None when the price of the model is not known; 0 when it costs nothing.
    cost_usd: float | None = Field(default=None, ge=0)


class About(_Value):
    """Which run it was, how it ended, and with which models and prompts. The head of every artifact."""

    schema_version: Literal[1] = SCHEMA_VERSION
    run_id: str
    status: Literal["done", "failed"] = "done"
    error: str | None = None
    session: str | None = None
    started: AwareDatetime
    #: How long the run had taken when this was written.
    seconds: float = Field(ge=0)
    engine: str
    provider: str
    model: str
    prompts: tuple[PromptUse, ...] = ()
    usage: RunUsage = RunUsage()

    @model_validator(mode="after")
    def _says_why_it_failed(self) -> Self:
        if (self.status == "failed") != (self.error is not None):
            raise ValueError("error is set when, and only when, the run failed")
        return self


class Artifact(About):
    """A document of a run. `file` is its name in the run's folder."""

    file: ClassVar[str]

    def write(self, run: Run) -> Path:
        """Put it into the run's folder, whole or not at all."""
        return run.write_json(self.file, self.model_dump(mode="json"))


# --- extract.json, summary.json ---------------------------------------------------------------------------------------


class ExtractArtifact(Artifact):
    """What was found in the session: an `Extraction` as it stands."""

    file: ClassVar[str] = EXTRACT

    session: str
    windows: Amount = 0
    findings: tuple[Finding, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    review: tuple[Candidate, ...] = ()
    rejected: tuple[Rejection, ...] = ()

    @classmethod
    def of(cls, about: About, extraction: Extraction) -> ExtractArtifact:
        return cls(
            **{**dict(about), "engine": extraction.engine},
            windows=extraction.windows,
            findings=extraction.findings,
            candidates=extraction.candidates,
            review=extraction.review,
            rejected=extraction.rejected,
        )


class SummaryArtifact(Artifact):
    """The session's summary, and the record that keeps it."""

    file: ClassVar[str] = SUMMARY

    session: str
    record: str | None = None
    path: str | None = None
    title: str
    description: str
    body: str
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, about: About, digest: Digest, record: str | None = None, path: str | None = None) -> SummaryArtifact:
        """`path` is the record's file, relative to the memory folder."""
        return cls(
            **dict(about),
            record=record,
            path=path,
            title=digest.title,
            description=digest.description,
            body=digest.body,
            tags=digest.tags,
        )


# --- memory_actions.json ----------------------------------------------------------------------------------------------


How = Literal["create", "revise", "supersede", "history"]


class MemoryAction(_Value):
    """What became of one candidate, and why."""

    candidate: str
    action: Literal["add", "update", "no-op"]
    how: How | None = None
    record: str | None = None
    path: str | None = None
    replaces: tuple[str, ...] = ()
    title: str
    reason: str = Field(min_length=1)

    @model_validator(mode="after")
    def _is_one_of_the_ways(self) -> Self:
        ways: Mapping[str, tuple[str | None, ...]] = {
            "add": ("create",),
            "update": ("revise", "supersede"),
            # A record that stays to the letter may rest on more evidence.
            "no-op": (None, "history", "revise"),
        }
        if self.how not in ways[self.action]:
            raise ValueError(f"'{self.action}' is never done by '{self.how}'")
        if self.how != "revise" and (self.how == "supersede") != bool(self.replaces):
            raise ValueError("replaces names the records that were superseded, and only those")
        return self


class MemoryCounts(_Value):
    """How many candidates were added, updated a record, or left things as they were."""

    added: Amount = 0
    updated: Amount = 0
    unchanged: Amount = 0

    @classmethod
    def of(cls, actions: Iterable[MemoryAction]) -> MemoryCounts:
        found = Counter(action.action for action in actions)
        return cls(added=found["add"], updated=found["update"], unchanged=found["no-op"])


class MemoryActionsArtifact(Artifact):
    """What a sync run did to the memory: one action per candidate. The last artifact of a sync run."""

    file: ClassVar[str] = MEMORY_ACTIONS

    actions: tuple[MemoryAction, ...] = ()
    counts: MemoryCounts = MemoryCounts()

    @classmethod
    def of(cls, about: About, actions: Sequence[MemoryAction]) -> MemoryActionsArtifact:
        return cls(**dict(about), actions=tuple(actions), counts=MemoryCounts.of(actions))

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.counts != MemoryCounts.of(self.actions):
            raise ValueError("counts do not match the actions")
        # A run may fail before it knows whose session it reads; it cannot be done without.
        if self.status == "done" and self.session is None:
            raise ValueError("a run that is done names its session")
        return self


# --- maintain_actions.json --------------------------------------------------------------------------------------------


class MaintainAction(_Value):
    """What was done to some records, and why. `review` waits for a person; `no-op` was refused."""

    action: Literal["merge", "supersede", "revise", "archive", "restore", "review", "no-op"]
    records: tuple[str, ...]
    #: What holds in the end, where others were merged into it or replaced by it.
    result: str | None = None
    reason: str = Field(min_length=1)
    #: Words that speak for it, each with where they are from.
    evidence: tuple[str, ...] = ()


class MaintainCounts(_Value):
    """How many actions of each sort."""

    merged: Amount = 0
    superseded: Amount = 0
    revised: Amount = 0
    archived: Amount = 0
    restored: Amount = 0
    review: Amount = 0
    unchanged: Amount = 0

    @classmethod
    def of(cls, actions: Iterable[MaintainAction]) -> MaintainCounts:
        found = Counter(action.action for action in actions)
        return cls(
            merged=found["merge"],
            superseded=found["supersede"],
            revised=found["revise"],
            archived=found["archive"],
            restored=found["restore"],
            review=found["review"],
            unchanged=found["no-op"],
        )


class MaintainLook(_Value):
    """What the run looked at."""

    records: Amount = 0
    clusters: Amount = 0
    #: Records that changed since the last look, and when that was.
    changed: Amount = 0
    since: AwareDatetime | None = None
    #: Changes that are left for the next look.
    left: Amount = 0


class MaintainActionsArtifact(Artifact):
    """What a maintain run did to the memory. Its only artifact."""

    file: ClassVar[str] = MAINTAIN_ACTIONS

    looked_at: MaintainLook = MaintainLook()
    actions: tuple[MaintainAction, ...] = ()
    counts: MaintainCounts = MaintainCounts()

    @classmethod
    def of(
        cls, about: About, actions: Sequence[MaintainAction], looked_at: MaintainLook | None = None
    ) -> MaintainActionsArtifact:
        look = looked_at or MaintainLook()
        return cls(**dict(about), looked_at=look, actions=tuple(actions), counts=MaintainCounts.of(actions))

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.counts != MaintainCounts.of(self.actions):
            raise ValueError("counts do not match the actions")
        return self


#: Every artifact there is.
ARTIFACTS: tuple[type[Artifact], ...] = (
    ExtractArtifact,
    SummaryArtifact,
    MemoryActionsArtifact,
    MaintainActionsArtifact,
)


def schemas() -> dict[str, dict[str, object]]:
    """The JSON Schema of each artifact, by its file's name."""
    return {artifact.file: artifact.model_json_schema() for artifact in ARTIFACTS}


# --- reading a run ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loaded:
    """A run with its artifacts, as far as they can be read, and what is wrong with it."""

    info: RunInfo
    extract: ExtractArtifact | None
    summary: SummaryArtifact | None
    memory: MemoryActionsArtifact | None
    maintain: MaintainActionsArtifact | None
    problems: tuple[str, ...]

    @property
    def artifacts(self) -> list[Artifact]:
        found = (self.extract, self.summary, self.memory, self.maintain)
        return [artifact for artifact in found if artifact is not None]


def check_run(folder: Path) -> list[str]:
    """Everything that is wrong with a run's folder; [] for a run that is whole and in order."""
    return list(load_run(folder).problems)


def load_run(folder: Path) -> Loaded:
    """A run's artifacts. What is missing, damaged or contradictory is named, never raised."""
    info, problems = read_run(folder), list[str]()
    extract = _load(ExtractArtifact, info, problems)
    summary = _load(SummaryArtifact, info, problems)
    memory = _load(MemoryActionsArtifact, info, problems)
    maintain = _load(MaintainActionsArtifact, info, problems)
    if info.status in (RunStatus.RUNNING, RunStatus.INTERRUPTED):
        problems.append(f"the run did not finish: it has no {info.kind.artifacts[-1]}")
    if extract and memory and memory.status == "done":
        problems += _unanswered(extract, memory)
    problems += [problem for name in info.kind.logs for problem in _check_log(info, name)]
    return Loaded(info, extract, summary, memory, maintain, tuple(problems))


def _load(artifact: type[_A], info: RunInfo, problems: list[str]) -> _A | None:
    name = artifact.file
    try:
        found = artifact.model_validate_json(json.dumps(read_json(info.folder, name)))
    except FileNotFoundError:
        if name in info.kind.artifacts and info.status is RunStatus.DONE:
            problems.append(f"{name} is missing")
        return None
    except Unreadable as error:
        problems.append(str(error))
        return None
    except ValidationError as error:
        problems += _validation_problems(name, error)
        return None
    if found.run_id != info.id:
        problems.append(f"{name} is of another run: {found.run_id}")
    return found


def _validation_problems(name: str, error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    problems = [f"{name}: {'.'.join(map(str, item['loc'])) or 'document'}: {item['msg']}" for item in found]
    more = [f"{name}: {len(problems) - _MAX_PROBLEMS} more"] if len(problems) > _MAX_PROBLEMS else []
    return problems[:_MAX_PROBLEMS] + more


def _unanswered(extract: ExtractArtifact, memory: MemoryActionsArtifact) -> list[str]:
    """Candidates without an action of their own, and actions on what was never a candidate."""
    answers = Counter(action.candidate for action in memory.actions)
    asked = {candidate.id for candidate in extract.candidates}
    known = asked | {candidate.id for candidate in extract.review}
    return [
        *(f"candidate {name} has no action" for name in sorted(asked - set(answers))),
        *(f"candidate {name} has {count} actions" for name, count in sorted(answers.items()) if count > 1),
        *(f"an action is about {name}, which is no candidate" for name in sorted(set(answers) - known)),
    ]


def _check_log(info: RunInfo, name: str) -> list[str]:
    try:
        lines = read_bytes(info.folder, name).split(b"\n")
    except FileNotFoundError:
        return [f"{name} is missing"] if info.status is RunStatus.DONE else []
    except Unreadable as error:
        return [str(error)]
    # What follows the last line break is empty, or the line a killed process was writing.
    bad = [number for number, line in enumerate(lines[:-1], 1) if not _is_log_line(line)]
    return [f"{name}:{bad[0]}: not a line of a log"] if bad else []


def _is_log_line(line: bytes) -> bool:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(entry, dict) and isinstance(entry.get("at"), str) and isinstance(entry.get("event"), str)


def reference(session: str, quote: Quote) -> str:
    """Where a quote stands, the way evidence names it."""
    return f"{session}#L{quote.first}-L{quote.last}"
