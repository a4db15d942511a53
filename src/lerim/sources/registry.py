"""Every agent Lerim reads, in one tuple. To read one more: a module with a source, and a line here."""

from __future__ import annotations

from pathlib import Path

from lerim.errors import NotFound
from lerim.sources import (
    aider,
    claude,
    cline,
    codex,
    continue_dev,
    copilot,
    crush,
    cursor,
    custom,
    droid,
    entire,
    gemini,
    goose,
    grok,
    kimi,
    kiro,
    openclaw,
    opencode,
    openhands,
    pi,
    qwen,
    vscode,
    zed,
)
from lerim.sources.base import Source

SOURCES: tuple[Source, ...] = (
    claude.SOURCE,
    codex.SOURCE,
    cursor.SOURCE,
    # Before OpenCode, whose older form has the same tables.
    crush.SOURCE,
    opencode.SOURCE,
    gemini.SOURCE,
    qwen.SOURCE,
    kimi.SOURCE,
    copilot.SOURCE,
    vscode.SOURCE,
    # Before pi, whose records it writes.
    openclaw.SOURCE,
    pi.SOURCE,
    cline.SOURCE,
    continue_dev.SOURCE,
    aider.SOURCE,
    droid.SOURCE,
    kiro.SOURCE,
    grok.SOURCE,
    goose.SOURCE,
    openhands.SOURCE,
    entire.SOURCE,
    zed.SOURCE,
    # Last: it takes any list of messages, which others know better.
    custom.SOURCE,
)


def source_for(name: str) -> Source:
    """The source with a short name. Raises NotFound."""
    for source in SOURCES:
        if source.name == name:
            return source
    raise NotFound(f"no agent is called {name!r}", hint=f"one of {', '.join(source.name for source in SOURCES)}")


def recognize(path: Path) -> Source | None:
    """The source that recognizes a file by its content, whatever its name; None without one."""
    return next((source for source in SOURCES if source.accepts(path)), None)
