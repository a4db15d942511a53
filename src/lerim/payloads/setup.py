"""Settings, the shell's completion, and what a failed command prints."""

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

if TYPE_CHECKING:
    from lerim.config.layers import SettingEntry


class SettingPayload(TypedDict):
    key: str
    value: Any
    layer: str
    file: str
    ignored_in: NotRequired[str]


class CompletionPayload(TypedDict):
    shell: str
    script: str


class ProgramPayload(TypedDict):
    version: str


class ErrorPayload(TypedDict):
    error: str
    hint: str | None


def setting_payload(entry: "SettingEntry", ignored_in: str | None) -> SettingPayload:
    """A setting in force; `ignored_in` is a project's file that sets it in vain."""
    payload: SettingPayload = {
        "key": entry.key,
        "value": entry.shown,
        "layer": entry.layer.name,
        "file": str(entry.layer.path),
    }
    if ignored_in:
        payload["ignored_in"] = ignored_in
    return payload


def completion_payload(shell: str, script: str) -> CompletionPayload:
    return {"shell": shell, "script": script}


def program_payload(version: str) -> ProgramPayload:
    return {"version": version}


def error_payload(message: str, hint: str | None) -> ErrorPayload:
    return {"error": message, "hint": hint}
