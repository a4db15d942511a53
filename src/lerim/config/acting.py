"""For whom a process works in a shared store, and how they came: said by a server of ours to what it opens."""

from __future__ import annotations

from collections.abc import Mapping

#: The variable that says it: `role`, `token`, `via` and `address`, written as in the query of an address.
ACTING = "LERIM_ACTING_FOR"


def acting_in(env: Mapping[str, str]) -> dict[str, str]:
    """What the variable says. Whoever sets it for themselves gets no right by it: a server lets nobody take a role that
    is not theirs, and a token only takes away."""
    from urllib.parse import parse_qsl  # Start-up: few share a store.

    return {"via": "cli", **dict(parse_qsl(env.get(ACTING, "")))}


def coming_by(env: Mapping[str, str], via: str, **more: str) -> dict[str, str]:
    """An environment in which all that is done is done by this way: `http` or `mcp`."""
    from urllib.parse import urlencode  # As above.

    return {**env, ACTING: urlencode({**acting_in(env), "via": via, **more})}
