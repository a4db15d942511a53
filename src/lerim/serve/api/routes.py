"""All routes of the API, and the commands that have none, with the reason."""

from __future__ import annotations

from starlette.routing import Route

from lerim.serve.api.answers import ANSWERS
from lerim.serve.api.machine import MACHINE
from lerim.serve.api.memories import MEMORIES
from lerim.serve.api.projects import PROJECTS
from lerim.serve.api.reviewing import REVIEWING
from lerim.serve.api.sessions import SESSIONS
from lerim.serve.api.table import starlette_routes
from lerim.serve.api.team import TEAM
from lerim.serve.api.upkeep import UPKEEP
from lerim.serve.api.work import WORK

API_ROUTES = [
    route
    for table in (MACHINE, MEMORIES, UPKEEP, ANSWERS, REVIEWING, SESSIONS, WORK, PROJECTS, TEAM)
    for route in table.all
]
#: Commands, or whole nouns, that only make sense where they are typed.
NOT_SERVED = {
    "completion": "it prints a script for the shell that asks",
    "hook": "agents call it, with a session on their hands",
    "mcp": "the server itself speaks MCP, on /mcp",
    "serve": "this is it",
    "dashboard": "it opens a browser where it is typed",
    "helper run": "it stays in the foreground of a terminal",
    "daemon run": "it stays in the foreground of a terminal",
    "daemon install": "it changes what the system starts: a person does that at the terminal",
    "daemon uninstall": "as daemon install",
    "worker": "it stays in the foreground of a terminal",
    "project join": "it ties a folder of this machine to a project of others: whoever has the folder says so",
    "storage status": "where a server keeps its memory is its owner's business",
    "storage check": "as storage status",
    "storage upgrade": "it changes the store for everybody: its owner does that at the terminal",
    "storage copy": "it takes addresses with passwords in them, and hours: a person does that at the terminal",
    "connect add": "it changes agents' own files: a person agrees to the exact change at the terminal",
    "connect doctor": "it starts agents' programs, and asks a person to watch",
    "disconnect": "as connect",
}


def api_routes() -> list[Route]:
    return starlette_routes(API_ROUTES)
