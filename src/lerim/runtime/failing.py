"""What becomes of a run that fails: its artifacts say so, and whoever asked for it gets one kind of error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lerim.errors import (
    BudgetReached,
    ConfigError,
    EngineError,
    LerimError,
    ModelError,
    RunFailed,
    StoreBusy,
    StoreError,
)
from lerim.llm import Models, failure_behind
from lerim.runtime.runs.folder import Run

# These are nobody's failure to do the work: whoever asked for the run decides what becomes of it.
_PASSED_ON = (BudgetReached, ConfigError, StoreBusy)


@contextmanager
def resumable(models: Models, run_id: str) -> Iterator[None]:
    """What a run was answered counts when it is tried again, unless the answers themselves were its end."""
    try:
        yield
    except Exception as error:
        known = failure_behind(error)
        is_theirs = type(known) is ModelError if known else _is_the_models(error)
        if is_theirs and models.answers is not None:
            models.answers.forget(run_id)
        raise


def _is_the_models(error: Exception) -> bool:
    # Start-up: a run without a model never loads what models fail with.
    from pydantic_ai.exceptions import AgentRunError

    return isinstance(error, AgentRunError | EngineError)


@contextmanager
def failing(run: Run | None, tell: Any = None) -> Iterator[None]:
    """Whatever ends the block early, the run's artifacts say so, and the caller gets one kind of error."""
    try:
        yield
    except BaseException as error:
        known = failure_behind(error) if isinstance(error, Exception) else None
        cause = known or error
        _tell(tell, _words(cause))
        if isinstance(cause, _PASSED_ON) or not isinstance(cause, Exception):
            raise cause from None
        if run is None:
            hint = getattr(cause, "hint", None) or "ask without a model: lerim ask --embedded QUESTION"
            raise RunFailed(f"no answer came: {_words(cause)}", hint=hint) from error
        what = f"run {run.id} failed: {_words(cause)}"
        raise RunFailed(what, run_id=run.id, hint=f"lerim runs show {run.id}") from error


def _tell(tell: Any, words: str) -> None:
    if tell is not None:
        try:
            tell(words)
        except (OSError, StoreError):
            # The disk that failed the run takes no news either. A run without its last artifact counts as interrupted.
            return


def _words(error: BaseException) -> str:
    if isinstance(error, LerimError):
        return error.message
    if isinstance(error, TimeoutError):
        return "it took too long"
    return f"{type(error).__name__}: {error}"[:1000] if str(error) else type(error).__name__
