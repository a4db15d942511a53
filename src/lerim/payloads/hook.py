"""What an agent's hook would be given."""

from typing import TypedDict


class HookPayload(TypedDict):
    event: str
    agent: str
    printed: str


def hook_payload(event: str, agent: str, printed: str) -> HookPayload:
    return {"event": event, "agent": agent, "printed": printed}
