"""`lerim clinic`: what goes wrong again and again, and what helped."""

from __future__ import annotations

from lerim.cli.views import view_commands
from lerim.views.view import ViewName

COMMANDS = view_commands(ViewName.CLINIC, "clinic")
