"""How the server introduces itself: its name, and when a model should use what. Loads nothing."""

from __future__ import annotations

import os

NAME = "lerim"
#: Most that the instructions may take: clients cut what is longer.
MOST_INSTRUCTION_BYTES = 2048


def instructions() -> str:
    """When to use what, for a model that has just connected."""
    return _read("instructions.md")


def start_words() -> str:
    """What the prompt says before the brief."""
    return _read("start.md")


def _read(name: str) -> str:
    # Start-up: without pathlib, as the hook does.
    folder = os.path.dirname(__file__)  # noqa: PTH120
    with open(f"{folder}/{name}", encoding="utf-8") as file:  # noqa: PTH123
        return file.read().strip()
