"""`lerim working-memory`: what changed lately, and what is left open."""

from __future__ import annotations

from lerim.cli.views import view_commands
from lerim.views.view import ViewName

COMMANDS = view_commands(ViewName.WORKING_MEMORY, "working memory")
