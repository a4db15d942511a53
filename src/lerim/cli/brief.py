"""`lerim brief`: what an agent should know before it starts."""

from __future__ import annotations

from lerim.cli.views import view_commands
from lerim.views.view import ViewName

COMMANDS = view_commands(ViewName.BRIEF, "brief")
