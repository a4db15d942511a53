"""What an example session is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

#: So much time passes with each step. No session runs this evenly, but lines must not share one moment.
PACE = timedelta(seconds=37)


@dataclass(frozen=True)
class UserStep:
    """The user's words."""

    text: str


@dataclass(frozen=True)
class AgentStep:
    """The agent's words."""

    text: str


@dataclass(frozen=True)
class CommandStep:
    """A command of the agent's, and what came back."""

    command: str
    output: str
    exit_code: int = 0


@dataclass(frozen=True)
class ReadStep:
    """A file the agent looked at. The path is relative to the project."""

    path: str
    content: str


@dataclass(frozen=True)
class EditStep:
    """A change the agent made to a file of the project. A new file replaces nothing."""

    path: str
    new: str
    old: str = ""


Step = UserStep | AgentStep | CommandStep | ReadStep | EditStep


@dataclass(frozen=True)
class ExampleSession:
    """One session: who held it, when it began, and what happened in it."""

    agent: str
    id: str
    began: datetime
    steps: tuple[Step, ...]
    branch: str = "main"

    def at(self, number: int) -> datetime:
        """When the step of this number, from 0, was taken."""
        return self.began + PACE * (number + 1)

    @property
    def ended(self) -> datetime:
        return self.at(len(self.steps))

    def moved(self, by: timedelta) -> ExampleSession:
        return replace(self, began=self.began + by)
