"""What Claude Code itself writes between the words: system records, attachments, bookkeeping."""

from __future__ import annotations

from typing import Any

from lerim.sources.claude_records import ClaudeRecord
from lerim.sources.pieces import words
from lerim.sources.trace import Injection
from lerim.sources.values import as_object, string

#: Record types that say nothing about the work, and what to call them.
SILENT = {
    "progress": "progress",
    "file-history-snapshot": "file backup",
    "summary": "title",
    "ai-title": "title",
    "custom-title": "title",
    "agent-name": "title",
    "agent-color": "title",
    "tag": "title",
    "last-prompt": "bookkeeping",
    "permission-mode": "bookkeeping",
    "mode": "bookkeeping",
    "pr-link": "bookkeeping",
    "frame-link": "bookkeeping",
    "worktree-state": "bookkeeping",
    "relocated": "bookkeeping",
    "bridge-session": "bookkeeping",
    "atis-latch": "bookkeeping",
    "started": "bookkeeping",
    "result": "bookkeeping",
}
#: System records for the user's eyes, or about nothing but time.
SILENT_SYSTEM = {
    "turn_duration",
    "away_summary",
    "bridge_status",
    "session_start",
    "model_refusal_fallback",
    "informational",
    "microcompact_boundary",
}
#: What the harness tells the agent about tools, modes and budgets.
SILENT_ATTACHMENTS = {
    "agent_listing_delta",
    "auto_mode",
    "batching_reminder_sent",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "date_change",
    "deferred_tools_delta",
    "dynamic_skill",
    "invoked_skills",
    "mcp_instructions_delta",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "read_truncation_notice",
    "silent_turn_reminder",
    "skill_listing",
    "task_reminder",
    "todo_reminder",
    "total_tokens_reminder",
    "ultra_effort_enter",
    "ultra_effort_exit",
}
#: Hooks that speak to the user, not to the agent.
SILENT_HOOKS = {"hook_non_blocking_error", "hook_system_message", "hook_cancelled"}


def attached(kind: str, attachment: dict[str, Any]) -> tuple[Injection, str] | None:
    """What an attachment gave the agent to read, perhaps nothing; None when its type is unknown."""
    content = attachment.get("content")
    match kind:
        case "hook_additional_context" | "hook_success":
            return Injection.HOOK, joined(content)
        case "hook_blocking_error":
            error = attachment.get("blockingError")
            return Injection.HOOK, string(as_object(error).get("blockingError")) or string(error)
        case "nested_memory":
            return Injection.INSTRUCTIONS, _named(attachment.get("path"), as_object(content).get("content") or content)
        case "edited_text_file":
            return Injection.ENVIRONMENT, _named(attachment.get("filename"), attachment.get("snippet"))
        case "file":
            return Injection.ENVIRONMENT, _named(attachment.get("filename"), as_object(content).get("file"))
        case "task_status":
            parts = [string(attachment.get(key)) for key in ("description", "status", "deltaSummary")]
            return Injection.NOTIFICATION, ": ".join(filter(None, parts))
    return (Injection.HOOK, "") if kind in SILENT_HOOKS else None


def compaction(facts: Any) -> str:
    """Who asked for a compaction and how much there was."""
    facts = as_object(facts)
    size = facts.get("preTokens")
    parts = [string(facts.get("trigger")), f"{size:,} tokens before" if isinstance(size, int) else ""]
    return ", ".join(filter(None, parts)) or "compacted"


def failure(record: ClaudeRecord) -> str:
    """What a provider's error says: its own message may lie three objects deep."""
    error = as_object(record.error)
    while isinstance(error.get("error"), dict):
        error = {**error, "error": None, **error["error"]}
    message = string(error.get("formatted") or error.get("message")) or words(record.content)
    status = error.get("status")
    return f"{message} ({status})" if message and status else message or str(status or "provider error")


def joined(content: Any) -> str:
    return "\n".join(filter(None, map(string, content))) if isinstance(content, list) else string(content)


def _named(name: Any, content: Any) -> str:
    text = content if isinstance(content, str) else string(as_object(content).get("content"))
    return f"{string(name)}\n{text}".strip()
