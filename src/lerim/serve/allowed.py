"""Whether agents may write: the user's settings say so, whichever project an agent works in."""

from __future__ import annotations

from collections.abc import Mapping

from lerim.errors import LerimError
from lerim.house.rooms import House

#: Set where Lerim itself calls an agent's program: what is read there is a session, and tells nothing of its own.
CHILD = "LERIM_CHILD"


def may_write(env: Mapping[str, str]) -> bool:
    """Whether agents may write on this machine. Settings that cannot be read allow nothing."""
    try:
        return House("/", env=env).user_config.settings.mcp.write and not env.get(CHILD)
    except (LerimError, OSError):
        return False
