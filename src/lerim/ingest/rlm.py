"""The engine `rlm`: a model reads the session by writing code that runs in a sandbox (dspy.RLM in Deno and Pyodide).

The transcript is data in there, of any length; the model looks at parts of it, asks itself about them, and submits
candidates. They are verified like those of every engine, so a quote it invents is turned down.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from lerim.context.records import Kind, Primitive
from lerim.dataclass import dataclass
from lerim.errors import BudgetReached, EngineError
from lerim.ingest import deno
from lerim.ingest.findings import Act, Candidate, Digest, Finding, Proposal, Quote, Rejection, Tier
from lerim.ingest.prompts import prompt_file, prompt_text
from lerim.ingest.rewording import backed_digest, reworded
from lerim.ingest.summarize import plain
from lerim.ingest.transcript import Numbered, Transcript, voice
from lerim.ingest.windows import Window
from lerim.llm.models import failure_behind
from lerim.sources.trace import shorten

if TYPE_CHECKING:
    import dspy  # type: ignore[import-untyped]

    from lerim.ingest.rlm_program import RlmMemory

#: What the sandbox is given of a session, in characters. Beyond it, every line is shortened alike.
MAX_TRANSCRIPT = 20_000_000
_SHORTEST_LINE = 200
#: Less sure than this, and a person decides.
_SURE = 0.6
# What is not here is a fact.
_ACTS: dict[Kind | None, Act] = {
    Kind.PROCEDURE: Act.PROCEDURE,
    Kind.FRICTION: Act.CAUSE,
    Kind.PITFALL: Act.CAUSE,
    Kind.PREFERENCE: Act.PREFERENCE,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long one call may go on: steps the model takes, and seconds until its sandbox is ended."""

    max_iterations: int
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Ready(Finding):
    """A finding that already knows what it would be as a memory: dspy.RLM finds and writes in one call."""

    title: str = ""
    kind: Kind | None = None
    tags: tuple[str, ...] = ()
    body: str = ""


class RlmEngine:
    """dspy.RLM behind the interface of every engine. Nothing heavy is loaded before it is asked.

    `language_model` is called once per call of the program, after dspy was told to keep nothing.
    """

    name = "rlm"

    def __init__(
        self,
        language_model: Callable[[], dspy.LM],
        home: Path,
        limits: Limits,
        *,
        summary_model: Callable[[], dspy.LM] | None = None,
        summary_limits: Limits | None = None,
        progress: deno.Tell = deno.silent,
        installed: deno.Installed | None = None,
    ) -> None:
        self._extract = language_model, limits
        self._summarize = summary_model or language_model, summary_limits or limits
        self._home = home
        self._progress = progress
        self._installed = installed
        self._sent: dict[str, str] = {}

    @property
    def prompts(self) -> tuple[tuple[str, str], ...]:
        """The prompts that were sent, by file and SHA-256, for the run's evidence."""
        return tuple(self._sent.items())

    def find(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> list[Finding]:
        """What the model would remember of the session, with the words it cites. Raises EngineError, ModelError."""
        answer = self._ask("rlm", "MemoryExtractSignature", windows, guidance, *self._extract)
        return [_finding(memory, windows) for memory in answer.memories]

    def synthesize(self, transcript: Transcript, findings: Sequence[Finding], guidance: str) -> Proposal:
        """The candidates that the findings were from the start."""
        proposal = reworded((_candidate(finding) for finding in findings if isinstance(finding, Ready)), transcript)
        others = [f for f in findings if not isinstance(f, Ready)]
        rejected = [Rejection(f.statement, "It was not found by this engine.", f.quotes) for f in others]
        return Proposal(proposal.candidates, (*proposal.rejected, *rejected))

    def summarize(self, transcript: Transcript, windows: Sequence[Window], guidance: str) -> Digest:
        """The model's summary of the session. Raises EngineError, ModelError."""
        summary = self._ask("rlm_summarize", "TraceSummarySignature", windows, guidance, *self._summarize).summary
        digest = Digest(summary.title, summary.description, summary.body, tuple(summary.tags))
        return backed_digest(digest, transcript, plain(transcript))

    def _ask(
        self,
        prompt: str,
        signature: str,
        windows: Sequence[Window],
        guidance: str,
        language_model: Callable[[], dspy.LM],
        limits: Limits,
    ) -> dspy.Prediction:
        sandbox = deno.sandbox(self._home, self._progress, self._installed)
        _keep_dspy_at_home(self._home)
        # Here, because dspy takes more than a second to load and is no package of everybody's.
        import dspy

        from lerim.ingest import rlm_program as program

        program.silence(self._home)
        with program.Sandboxes(sandbox, limits.timeout_seconds) as sandboxes:
            try:
                answer = program.run(
                    getattr(program, signature),
                    [program.as_json(*line) for line in _lines(windows)],
                    guidance,
                    language_model=language_model(),
                    sandboxes=sandboxes,
                    max_iterations=limits.max_iterations,
                )
            except dspy.DSPyError as error:
                failure = _failure(error, sandboxes.is_over, limits, sandbox)
                if not isinstance(failure, BudgetReached):
                    self._note_sent(prompt)
                raise failure from error
            self._note_sent(prompt)
            return answer

    def _note_sent(self, prompt: str) -> None:
        self._sent[prompt_file(prompt)] = sha256(prompt_text(prompt).encode()).hexdigest()


def _failure(error: Exception, is_over: bool, limits: Limits, sandbox: deno.Sandbox) -> Exception:
    """The same failure in our words. One of ours that dspy wrapped comes out as it was."""
    from dspy.primitives.code_interpreter import CodeInterpreterError  # type: ignore[import-untyped]

    if (ours := failure_behind(error)) is not None:
        return ours
    if is_over:
        problem = f"rlm did not finish within {limits.timeout_seconds:g} seconds, and its sandbox was stopped"
        return EngineError(
            problem, hint="raise timeout_seconds of roles.extract and roles.summarize in your config.toml"
        )
    if isinstance(error, CodeInterpreterError):
        return EngineError(f"the rlm sandbox failed: {error}", hint=f"rm -r '{sandbox.folder}' (it is rebuilt)")
    return EngineError(f"rlm got no usable answer from the model: {error}", hint="lerim models check")


def _keep_dspy_at_home(home: Path) -> None:
    """Before the import, which decides: what dspy and its helpers keep is ours, and nothing is fetched by them."""
    os.environ.setdefault("DSPY_CACHEDIR", str(home / "cache" / "dspy"))
    # Without it, litellm fetches its list of prices over the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def _lines(windows: Sequence[Window]) -> Iterator[tuple[int, str, str]]:
    """Number, speaker and text of each line that was not taken back; shortened when there is too much."""
    lines = [numbered for window in windows for numbered in window.lines if not numbered.line.undone]
    limit = _longest(lines)
    for numbered in lines:
        text, _ = shorten(numbered.line.text, limit)
        yield numbered.number, voice(numbered.line), text


def _longest(lines: Sequence[Numbered]) -> int:
    if sum(len(numbered.line.text) for numbered in lines) <= MAX_TRANSCRIPT:
        return MAX_TRANSCRIPT
    return max(_SHORTEST_LINE, MAX_TRANSCRIPT // len(lines))


def _finding(memory: RlmMemory, windows: Sequence[Window]) -> Ready:
    default = memory.primitive.default_kind
    kind = memory.kind if default else None
    first = memory.quotes[0].first
    return Ready(
        act=_ACTS.get(kind, Act.FACT) if default else Act.DECISION,
        statement=memory.title,
        quotes=tuple(Quote(quote.first, quote.last, quote.text) for quote in memory.quotes),
        strength=memory.confidence,
        signals=("found by rlm",),
        window=next((window.index for window in windows if window.first <= first <= window.last), 0),
        title=memory.title,
        kind=kind or default,
        tags=tuple(memory.tags),
        body=memory.body,
    )


def _candidate(finding: Ready) -> Candidate:
    return Candidate(
        id="",
        primitive=Primitive.LEARNING if finding.kind else Primitive.DECISION,
        title=finding.title,
        body=finding.body,
        quotes=finding.quotes,
        kind=finding.kind,
        confidence=finding.strength,
        tags=finding.tags,
        tier=Tier.SURE if finding.strength >= _SURE else Tier.REVIEW,
        signals=finding.signals,
    )
