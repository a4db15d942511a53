"""Every exception Lerim raises, as one tree.

LerimError                what failed, on what, and the next command to type
  UsageError              the command is wrong or incomplete (exit code 2)
    InvalidRecord         a memory's field has a value it cannot have
    ConfigError           a configuration file cannot be understood
  NotFound                no such record, version, project or change
  ScopeError              the scope mode leaves nowhere to read or write
  Conflict                someone else changed it first; nothing was written
    SupersedeCycle        following superseded_by would never end
  StoreError              the database or the memory folder cannot be used
    StoreBusy             another process has held it for too long (exit code 4)
    StoreTooNew           written by a newer Lerim; left untouched
    StoreTooOld           made by an older Lerim, and shared: somebody has to say that it is time; left untouched
    StoreUnreachable      the server that keeps it does not answer; nothing was changed (exit code 4)
    StoreUncertain        the server crashed in the middle of a commit; whether it was saved nobody can tell
    NotAllowed            whoever asks has no right to it; nothing was changed
    StoreCorrupt          the file is damaged or not a database
    FileNotWritten        a memory file cannot be written; nothing was changed
    FileDelayed           the memory is saved, but its file could not be written yet (exit code 3)
    UnsafePath            a link, a device or an endless file where Lerim keeps its own; it was not opened
  SourceError             a coding agent's trace cannot be read
  ConnectError            an agent's own file cannot be changed safely; it was left as it is
  SessionCrash            reading a session ended the process that did it
  TraceError              an imported trace breaks the schema; carries its line
  MarkdownError           a memory file cannot be read; carries its line
  ModelError              a configured model cannot be used, or gave no usable answer
    ModelUnavailable      this model did not answer; another one may
      HeldBack            the provider shall be asked no more for some seconds
    ModelNotReady         a key, a setting or a package is missing or refused; no other session would do better
    BudgetReached         the run or the day has used its budget; no request was made
  EngineError             an extraction engine failed; nothing was taken from the session
  Refused                 a tool of a run may not touch this; nothing was changed
  VerdictRefused          an agent may not decide this, or not in these words; nothing was changed
  RunFailed               a run of the agent did not finish; nothing was written to the memory
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class LerimError(Exception):
    """Something failed. `hint` is the next command to type or step to take."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(LerimError):
    """The command cannot be understood or lacks something it needs."""

    exit_code = 2


class InvalidRecord(UsageError):
    """A field of a memory has a value it cannot have. `field` names it."""

    def __init__(self, field: str, problem: str, *, hint: str | None = None) -> None:
        super().__init__(f"{field}: {problem}", hint=hint)
        self.field = field


class ConfigError(UsageError):
    """A configuration file cannot be understood."""


class NotFound(LerimError):
    """There is no such record, version, project or change."""


class ScopeError(LerimError):
    """The scope mode leaves nowhere to read from or write to."""


class Conflict(LerimError):
    """Someone else changed it first. Nothing was written."""


class SupersedeCycle(Conflict):
    """Following `superseded_by` would come back to where it started."""


class StoreError(LerimError):
    """The database or the memory folder cannot be used."""


class StoreBusy(StoreError):
    """Another process has been writing for too long."""

    exit_code = 4


class StoreTooNew(StoreError):
    """The database was written by a newer Lerim. It was left untouched."""


class StoreTooOld(StoreError):
    """The database is shared and was made by an older Lerim. It was left untouched."""


class StoreUnreachable(StoreError):
    """The server that keeps the store does not answer. Nothing was changed; trying again may help."""

    exit_code = 4


class NotAllowed(StoreError):
    """Whoever asks has no right to it. Nothing was changed, and nothing is said of what may be there."""


class StoreUncertain(StoreError):
    """The server crashed in the middle of a commit. Whether it was saved can only be seen by looking for it."""


class StoreCorrupt(StoreError):
    """A database file is damaged, or is not a database. `location` is its path, when known."""

    def __init__(self, message: str, *, location: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.location = location


class FileNotWritten(StoreError):
    """A memory file cannot be written."""


class FileDelayed(StoreError):
    """The memory is saved in the store. Its file could not be written yet; the next command tries again."""

    exit_code = 3


class UnsafePath(StoreError):
    """A link, a device or an endless file lies where Lerim keeps files of its own. It was not opened."""


class SourceError(LerimError):
    """A coding agent's trace cannot be read at all."""

    def __init__(self, message: str, *, hint: str | None = "lerim audit") -> None:
        super().__init__(message, hint=hint)


class ConnectError(LerimError):
    """A file of an agent's cannot be changed safely. It was left as it is."""


class TraceError(UsageError):
    """An imported trace breaks the documented schema. `line` is where, counted from 1."""

    def __init__(self, problem: str, *, line: int = 1, hint: str | None = None) -> None:
        super().__init__(problem, hint=hint)
        self.line = line


class SessionCrash(LerimError):
    """Reading a session ended the process that did it."""


class EngineError(LerimError):
    """An extraction engine failed. Nothing was taken from the session."""


class MarkdownError(LerimError):
    """A memory file cannot be read as one. `line` is where, counted from 1."""

    def __init__(self, problem: str, *, line: int = 1) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class VerdictRefused(LerimError):
    """An agent's verdict that its evidence does not carry, or that takes away from what a person wrote."""


class Refused(LerimError):
    """A tool of a run may not touch this path, or cannot do so safely. Nothing was changed. `at` is what is in the way,
    when something on disk is."""

    def __init__(self, message: str, *, at: Path | None = None) -> None:
        super().__init__(message)
        self.at = at


class ModelError(LerimError):
    """A configured model cannot be used, or gave no usable answer. No key is in the message."""


class ModelUnavailable(ModelError):
    """This model did not answer. Another one may."""


class HeldBack(ModelUnavailable):
    """The provider has enough to do, and shall be asked again in some seconds. No request was made."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message, hint="try again later")
        self.seconds = seconds


class ModelNotReady(ModelError):
    """A model must be set up before it can be called: a key, a setting or a package is missing or refused."""


class BudgetReached(ModelError):
    """The run, or the day, has used its budget. No request was made."""


class RunFailed(LerimError):
    """A run of the agent did not finish. Nothing was written to the memory; `run_id` names its folder."""

    def __init__(self, message: str, *, run_id: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.run_id = run_id
