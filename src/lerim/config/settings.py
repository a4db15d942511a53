"""The settings there are: a field of a dataclass each, with its range and its documentation beside it.

Each has a value in `default.toml`. Who sets what is in `layers.py`, what a value may be in `setting_checks.py`.
"""

# No `from __future__ import annotations`: the checks read each field's type, and need the type rather than its name.
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from lerim.config.scope import ScopeMode
from lerim.dataclass import dataclass, field

Value = bool | int | float | str | tuple[str, ...]

# Upper ends keep arithmetic on dates and timeouts from overflowing; nobody should meet them.
_MANY_DAYS = 365_000
_WEEK_IN_SECONDS = 604_800
_MANY_ITERATIONS = 10_000
_MANY_TOKENS = 1_000_000_000_000
_MANY_DOLLARS = 1_000_000


def _about(
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    address: bool = False,
    regex: bool = False,
    server: bool = False,
) -> dict[str, Any]:
    return {"doc": doc, "low": low, "high": high, "address": address, "regex": regex, "server": server}


class Provider(StrEnum):
    """Who runs a role's model."""

    EMBEDDED = "embedded"
    OPENROUTER = "openrouter"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    ZAI = "zai"
    OLLAMA = "ollama"
    OPENAI_COMPATIBLE = "openai_compatible"
    # Agents' own programs, called once per request.
    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    COPILOT = "copilot"
    OPENCODE = "opencode"
    CURSOR = "cursor"


#: Providers that are programs on this machine. They have models of their own choice, and logins of their own.
PROGRAM_PROVIDERS = frozenset(
    {Provider.CLAUDE, Provider.CODEX, Provider.GEMINI, Provider.COPILOT, Provider.OPENCODE, Provider.CURSOR}
)
#: The environment variable that holds a provider's key. Keys are never read from a file.
API_KEYS: Mapping[Provider, str] = {
    Provider.OPENROUTER: "OPENROUTER_API_KEY",
    Provider.OPENAI: "OPENAI_API_KEY",
    Provider.ANTHROPIC: "ANTHROPIC_API_KEY",
    Provider.ZAI: "ZAI_API_KEY",
}
#: The same for providers that may do without: models at home.
OPTIONAL_API_KEYS: Mapping[Provider, str] = {
    Provider.OLLAMA: "OLLAMA_API_KEY",
    Provider.OPENAI_COMPATIBLE: "OPENAI_COMPATIBLE_API_KEY",
}


class EngineChoice(StrEnum):
    """Who finds what is worth keeping in a trace."""

    AUTO = "auto"
    EMBEDDED = "embedded"
    MODEL = "model"
    RLM = "rlm"


class Exporter(StrEnum):
    """Where spans go."""

    FILE = "file"
    OTLP = "otlp"
    LOGFIRE = "logfire"


@dataclass(frozen=True)
class MemorySettings:
    """Where memories are kept, and which of them git sees."""

    scope: ScopeMode = field(metadata=_about("Which memory is read and written."))
    separate_worktrees: bool = field(metadata=_about("Each git worktree is a project of its own."))
    share_summaries: bool = field(metadata=_about("The generated .gitignore lets session summaries into git."))
    share_traces: bool = field(metadata=_about("The generated .gitignore lets archived traces into git."))


class UnscopedPolicy(StrEnum):
    """What becomes of sessions that belong to no project."""

    SKIP = "skip"
    GLOBAL = "global"


@dataclass(frozen=True)
class SourceSettings:
    """Whose sessions are read, and how far back."""

    window_days: int = field(
        metadata=_about("Only sessions active within this many days are ingested; 0 for all.", 0, _MANY_DAYS)
    )
    disabled: tuple[str, ...] = field(metadata=_about("Agents that are not read, such as 'cursor'."))
    custom: tuple[str, ...] = field(metadata=_about("Folders with traces of your own, in the documented form."))
    unscoped: UnscopedPolicy = field(
        metadata=_about("Sessions without a project: left out, or taught to the global memory.")
    )


@dataclass(frozen=True)
class RedactionSettings:
    """What is taken out of a trace before anything is stored, besides the known kinds of secrets."""

    patterns: tuple[str, ...] = field(metadata=_about("Regular expressions; what they match is redacted.", regex=True))


@dataclass(frozen=True)
class ProfileSettings:
    """What kind of work the sessions are."""

    name: str = field(metadata=_about("How sessions are read: what lasts, whose word counts, what is private."))


@dataclass(frozen=True)
class DecaySettings:
    """How attention to a memory fades. Its truth does not."""

    period_days: int = field(
        metadata=_about("Days without access after which a memory has faded to the floor.", 1, _MANY_DAYS)
    )
    # A floor above the threshold is not an error: it is how one says that nothing is archived for its age.
    floor: float = field(metadata=_about("Effective confidence never fades below this.", 0, 1))
    archive_threshold: float = field(metadata=_about("A memory that faded below this may be archived.", 0, 1))
    grace_days: int = field(metadata=_about("A memory accessed within this many days is not archived.", 0, _MANY_DAYS))


@dataclass(frozen=True)
class EmbeddingSettings:
    """How meanings are compared. Read from your own files only: the store is one for all projects."""

    enabled: bool = field(metadata=_about("Search by meaning too; without, by words alone."))
    model: str = field(
        metadata=_about("The bundled model if empty; else a folder, or its name under models/embeddings.")
    )
    background: bool = field(metadata=_about("Many missing vectors are made by a process in the background."))
    download: bool = field(metadata=_about("'lerim index --download' may fetch models from the hub."))
    hub: str = field(metadata=_about("The address models are fetched from.", address=True))


@dataclass(frozen=True)
class RoleSettings:
    """The model that plays one role, and how long it may."""

    provider: Provider = field(metadata=_about("Who runs the model; 'embedded' needs no key and no network."))
    model: str = field(
        metadata=_about("The provider's name of the model; may be empty with 'embedded' and agents' programs only.")
    )
    base_url: str = field(
        metadata=_about("Where the provider is, if not at its own address; 'openai_compatible' needs it.", address=True)
    )
    timeout_seconds: int = field(metadata=_about("Seconds one run of the role may take.", 1, _WEEK_IN_SECONDS))
    max_iterations: int = field(metadata=_about("Steps one run of the role may take.", 1, _MANY_ITERATIONS))
    fallback_models: tuple[str, ...] = field(
        metadata=_about("Models of the same provider to try, in order, when the first one fails.")
    )


@dataclass(frozen=True)
class RolesSettings:
    """Who does what in a run."""

    lead: RoleSettings
    explorer: RoleSettings
    extract: RoleSettings
    summarize: RoleSettings


@dataclass(frozen=True)
class IngestSettings:
    """How a trace becomes memories."""

    engine: EngineChoice = field(
        metadata=_about("Who extracts; 'auto' is the model of roles.extract, or 'embedded' when that has none.")
    )


def _tokens(doc: str) -> Any:
    return field(metadata=_about(doc, 0, _MANY_TOKENS))


def _dollars(doc: str) -> Any:
    return field(metadata=_about(doc, 0, _MANY_DOLLARS))


@dataclass(frozen=True)
class BudgetSettings:
    """What models may use up. Embedded runs use up nothing."""

    run_tokens: int = _tokens("Tokens one run may use, both ways together; 0 for no limit.")
    run_usd: float = _dollars("Dollars one run may cost; 0 for no limit.")
    day_tokens: int = _tokens("Tokens all runs of a day (UTC) may use together; 0 for no limit.")
    day_usd: float = _dollars("Dollars all runs of a day (UTC) may cost together; 0 for no limit.")
    minute_requests: int = _tokens("Requests that all runs may make to one provider in a minute; 0 for no limit.")
    minute_tokens: int = _tokens("Tokens that all runs may use of one provider in a minute; 0 for no limit.")
    input_usd_per_million: float = _dollars("Price of a million input tokens, for models whose price is not known.")
    output_usd_per_million: float = _dollars("Price of a million output tokens, for models whose price is not known.")


@dataclass(frozen=True)
class TracingSettings:
    """Spans of runs, for whoever watches them with OpenTelemetry."""

    enabled: bool = field(metadata=_about("Runs leave spans."))
    exporter: Exporter = field(metadata=_about("Where spans go: a file of the run, an OTLP endpoint, or Logfire."))
    endpoint: str = field(metadata=_about("The address of the OTLP endpoint.", address=True))
    include_httpx: bool = field(metadata=_about("HTTP requests to providers are spans, too."))


@dataclass(frozen=True)
class TrustSettings:
    """Whose settings are believed. Read from your own files only."""

    projects: tuple[str, ...] = field(
        metadata=_about("Projects that are trusted, and may choose models, budgets, tracing and the engine.")
    )


@dataclass(frozen=True)
class BackupSettings:
    """How often the memory is copied, and how many copies stay. Read from your own files only: the store is one."""

    every_hours: int = field(metadata=_about("A sync makes a backup when the last one is older; 0 for never.", 0, 8760))
    keep: int = field(metadata=_about("How many backups stay; the oldest go first.", 1, 10_000))


@dataclass(frozen=True)
class HelperSettings:
    """The process that stays to answer searches. Read from your own files only: it serves all projects."""

    enabled: bool = field(metadata=_about("A search by meaning may start the helper, and ask the one that is there."))
    idle_minutes: int = field(metadata=_about("The helper ends when nobody asked it for so long.", 1, 1440))


@dataclass(frozen=True)
class DaemonSettings:
    """The process that does by itself what is due. Read from your own files only: it works for all projects."""

    quiet_minutes: int = field(
        metadata=_about(
            "A session that nobody wrote to for so long is read; one that a hook said has ended, at once.", 0, 1440
        )
    )
    poll_minutes: int = field(
        metadata=_about("How often it looks for sessions where the system does not tell of changed files.", 1, 1440)
    )
    maintain_hour: int = field(
        metadata=_about("The hour of the night at which memories are maintained, local time.", 0, 23)
    )
    pause_on_battery: bool = field(metadata=_about("It does nothing by itself while the machine runs on its battery."))


@dataclass(frozen=True)
class ViewSettings:
    """The documents that are made from the memory."""

    budget: int = field(
        metadata=_about("Characters of a view, at most: many agents cut what they are given at 10,000.", 500, 100_000)
    )


@dataclass(frozen=True)
class SloSettings:
    """What is promised, for `lerim status --slo` to hold against what is. Read from your own files only."""

    freshness_minutes: int = field(
        metadata=_about("From the end of a session to its memories, for 95 of 100 sessions.", 1, 100_000)
    )
    waiting_minutes: int = field(metadata=_about("How long the session that waits longest may wait.", 1, 100_000))
    read_percent: float = field(metadata=_about("How many of 100 sessions are read without a failure.", 0, 100))
    search_ms: int = field(metadata=_about("How long a search may take, for 95 of 100 searches.", 1, 600_000))
    brief_percent: float = field(metadata=_about("How many of 100 calls of hooks end without an error.", 0, 100))
    disk_days: int = field(metadata=_about("The disk has room for so many days like those of this week.", 0, 100_000))


@dataclass(frozen=True)
class McpSettings:
    """What agents may do over MCP. Read from your own files only: no repository widens what is open to its agents."""

    write: bool = field(
        metadata=_about("Agents may write over MCP: remember, give feedback, decide on candidates, submit traces.")
    )


@dataclass(frozen=True)
class StorageSettings:
    """Where the memory is kept. Read from your own files and the environment only: no repository moves it."""

    url: str = field(
        metadata=_about("A PostgreSQL that several machines share; without, files on this machine.", server=True)
    )
    machine: str = field(
        metadata=_about(
            "What this machine is called among the others, as in `lerim queue --team`; its host name if empty."
        )
    )


@dataclass(frozen=True)
class Settings:
    """Everything that can be configured."""

    memory: MemorySettings
    sources: SourceSettings
    redaction: RedactionSettings
    profile: ProfileSettings
    decay: DecaySettings
    roles: RolesSettings
    ingest: IngestSettings
    budget: BudgetSettings
    tracing: TracingSettings
    trust: TrustSettings
    embeddings: EmbeddingSettings
    backup: BackupSettings
    helper: HelperSettings
    daemon: DaemonSettings
    views: ViewSettings
    slo: SloSettings
    mcp: McpSettings
    storage: StorageSettings

    @property
    def engine(self) -> EngineChoice:
        """Who extracts, 'auto' decided."""
        if self.ingest.engine is not EngineChoice.AUTO:
            return self.ingest.engine
        embedded = self.roles.extract.provider is Provider.EMBEDDED
        return EngineChoice.EMBEDDED if embedded else EngineChoice.MODEL
