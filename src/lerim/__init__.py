"""Lerim: what coding agents learned, kept true and handed to the next one.

The public names load on first use, so that `import lerim` costs nothing a start-up hook would feel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = ["Lerim", "LerimAgent", "LerimError", "Record", "Scope", "__version__"]

if TYPE_CHECKING:
    from lerim.agent import LerimAgent
    from lerim.config.scope import Scope
    from lerim.context.records import Record
    from lerim.errors import LerimError
    from lerim.service import Lerim

_HOMES = {
    "Lerim": "lerim.service",
    "LerimAgent": "lerim.agent",
    "LerimError": "lerim.errors",
    "Record": "lerim.context.records",
    "Scope": "lerim.config.scope",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lerim' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
