"""Who speaks in a text of Codex, and how the same words are recognized in both of its channels."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from lerim.lazy_regex import compile_later
from lerim.sources.pieces import Record, words
from lerim.sources.trace import Injection

#: Why a record gives no line when its words came through the other channel.
REPEATED = "repeats another record"

# Text under the user's role that no user typed, by how it begins.
_INJECTED = (
    ("<environment_context>", Injection.ENVIRONMENT),
    ("# AGENTS.md instructions", Injection.INSTRUCTIONS),
    ("<user_instructions>", Injection.INSTRUCTIONS),
    ("<INSTRUCTIONS>", Injection.INSTRUCTIONS),
    ("<permissions instructions>", Injection.INSTRUCTIONS),
    ("<collaboration_mode>", Injection.INSTRUCTIONS),
    ("<model_switch>", Injection.INSTRUCTIONS),
    ("<personality_spec>", Injection.INSTRUCTIONS),
    ("<skills_instructions>", Injection.INSTRUCTIONS),
    ("<apps_instructions>", Injection.INSTRUCTIONS),
    ("<plugins_instructions>", Injection.INSTRUCTIONS),
    ("<app-context>", Injection.ENVIRONMENT),
    ("<skill>", Injection.SKILL),
    ("<hook_prompt", Injection.HOOK),
    ("<turn_aborted>", Injection.REMINDER),
    ("Warning: apply_patch was requested via", Injection.REMINDER),
    ("Warning: The maximum number of unified exec processes", Injection.REMINDER),
    ("<subagent_notification>", Injection.NOTIFICATION),
    ("<user_action>", Injection.OTHER),
    ("Another language model started to solve this problem", Injection.COMPACTION),
)
# Editors put the open files before what the person asks, under this heading.
_REQUEST = "## My request for Codex:"
_IDE_CONTEXT = "# Context from my IDE setup:"
_PLAN = "PLEASE IMPLEMENT THIS PLAN:"
_PROPOSED = compile_later(r"<proposed_plan>\s*(?P<plan>.*?)\s*</proposed_plan>", re.DOTALL)
_NAME = compile_later(r"[a-z][a-z_]{2,60}")
_SHELL_LINE = compile_later(r"<user_shell_command>\s*<command>\n?(?P<command>.*?)\n?</command>(?P<rest>.*)", re.DOTALL)
_CWD = compile_later(r"<cwd>(?P<tag>.*?)</cwd>|Current working directory: (?P<line>.*)")


def kind_of(text: str) -> Injection | None:
    """What kind of injected text this is; None when somebody may have typed it."""
    start = text.lstrip()[:80]
    return next((kind for opening, kind in _INJECTED if start.startswith(opening)), None)


def without_context(text: str) -> tuple[str, str]:
    """What an editor put before the request, and the request: the last one, since a selection may hold the heading."""
    if text.startswith("# ") and _REQUEST in text:
        context, _, request = text.rpartition(_REQUEST)
        return context.strip(), request.strip()
    return (text, "") if text.startswith(_IDE_CONTEXT) else ("", text)


def with_plan_apart(text: str) -> list[str]:
    """What an agent says around a plan that it proposes, and the plan; the text alone when there is none in it."""
    found = _PROPOSED.search(text)
    if not found:
        return [text]
    around = f"{text[: found.start()].rstrip()}\n\n{text[found.end() :].lstrip()}".strip()
    return [piece for piece in (around, found["plan"]) if piece]


def is_plan(request: str) -> bool:
    """Whether the user asks to carry out a plan they approved."""
    return request.startswith(_PLAN)


def shell_line(text: str) -> tuple[str, str] | None:
    """A command the user ran in the agent's prompt, and what it printed; None when the text is something else."""
    found = _SHELL_LINE.match(text.lstrip())
    if not found:
        return None
    return found["command"], re.sub(r"</?(?:result|user_shell_command)>", "", found["rest"]).strip()


def cwd_in(text: str) -> str | None:
    """The working directory that injected text names, where the session's head does not."""
    found = _CWD.search(text)
    return (found["tag"] or found["line"]).strip() if found else None


_AROUND_IMAGES = ("<image", "</image>")


def typed_text(event: Record) -> str | None:
    """What an event says the user typed; None when it is about something else."""
    if event.get("type") == "user_message":
        is_context = event.get("kind") in {"user_instructions", "environment_context"}
        return None if is_context else str(event.get("message") or "")
    item = event.get("item") or {}
    return words(item.get("content")) if item.get("type") == "UserMessage" else None


def parts(item: Record) -> list[Any]:
    """The parts of a message; one when it is a plain text."""
    content = item.get("content", item.get("message"))
    return content if isinstance(content, list) else [content]


def is_typed(text: str) -> bool:
    """Whether a part of an item under the user's role may be what they typed."""
    return bool(text) and not shell_line(text) and not kind_of(text) and not text.strip().startswith(_AROUND_IMAGES)


def spoken_in(item: Record) -> str:
    """What was typed, of an item under the user's role."""
    typed = (part for part in parts(item) if not isinstance(part, dict) or "text" in part)
    return "\n".join(filter(is_typed, map(words, typed)))


def key(text: str) -> int:
    """Equal for the same words, however item and event broke them into parts and lines."""
    return hash("".join(text.split()))


def is_misshapen(record: Record) -> bool:
    """Whether this is an envelope that no Codex writes: its kind is no text, or its body no object with a kind."""
    if not {"timestamp", "payload"} & record.keys():
        return False
    body, kind = record.get("payload"), record.get("type")
    if not isinstance(body, dict) or not _is_name(kind):
        return True
    if body.get("type") == "user_message":
        return kind != "event_msg" or not isinstance(body.get("message"), str)
    if "local_images" in body:
        return True  # Only what was typed has them: its kind is what was damaged.
    return kind in {"event_msg", "response_item"} and not _is_name(body.get("type"))


def _is_name(kind: object) -> bool:
    return isinstance(kind, str) and _NAME.fullmatch(kind) is not None


class Echo:
    """Recognizes words that come through both channels: the first to come is kept, the other repeats it."""

    def __init__(self) -> None:
        self._open: Counter[tuple[str, str, int]] = Counter()

    def repeats(self, speaker: str, channel: str, text: str) -> bool:
        other = "event" if channel == "item" else "item"
        digest = key(text)
        if self._open[speaker, other, digest]:
            self._open[speaker, other, digest] -= 1
            return True
        self._open[speaker, channel, digest] += 1
        return False
