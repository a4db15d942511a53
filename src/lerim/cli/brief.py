"""`lerim brief`: what an agent should know before it starts."""

from __future__ import annotations

from lerim.cli.command import argument
from lerim.cli.views import view_commands
from lerim.views.view import ViewName

MODEL = argument(
    "--model", action="store_true", help="let the model of the extract role word its lines, held to the memories"
)
COMMANDS = view_commands(ViewName.BRIEF, "brief", MODEL)
