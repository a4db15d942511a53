"""The agents that are read, and the state of each connection."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from lerim.sessions.catalog import Discovered
    from lerim.sessions.connections import Health


class AgentPayload(TypedDict):
    agent: str
    title: str
    enabled: bool
    roots: list[str]
    looked_in: list[str]
    files: int
    problems: list[str]


class ExaminedAgentPayload(AgentPayload):
    sessions: int | None
    last: str | None
    command: str | None


class FoundAgentsPayload(TypedDict):
    agents: list[AgentPayload]
    new: int
    unchanged: int


class AgentFolderPayload(TypedDict):
    agent: str
    path: str | None


class UnreadAgentPayload(TypedDict):
    agent: str
    enabled: bool


def agent_payload(health: "Health") -> AgentPayload:
    return {
        "agent": health.source.name,
        "title": health.source.title,
        "enabled": health.enabled,
        "roots": [str(root) for root in health.roots],
        "looked_in": [str(root) for root in health.searched],
        "files": health.containers,
        "problems": list(health.problems),
    }


def examined_agent_payload(health: "Health") -> ExaminedAgentPayload:
    return {
        **agent_payload(health),
        "sessions": health.sessions,
        "last": health.last,
        "command": health.command,
    }


def found_agents_payload(agents: Sequence["Health"], found: "Discovered") -> FoundAgentsPayload:
    return {"agents": [agent_payload(item) for item in agents], "new": found.new, "unchanged": found.unchanged}


def agent_folder_payload(agent: str, path: "Path | None") -> AgentFolderPayload:
    return {"agent": agent, "path": str(path) if path else None}


def unread_agent_payload(agent: str) -> UnreadAgentPayload:
    return {"agent": agent, "enabled": False}
