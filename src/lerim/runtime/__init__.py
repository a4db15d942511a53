"""The lead agent that drives ask, sync and maintain through guarded tools."""

import os

# The framework greets people at its first run on a terminal. What a command prints is ours to say.
os.environ.setdefault("PYDANTIC_AI_NO_BANNER", "1")
