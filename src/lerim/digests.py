"""BLAKE2 by itself: `hashlib` loads OpenSSL first, which takes longer than most commands have to hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:  # A Python that is built otherwise.
        from hashlib import blake2b

__all__ = ["blake2b"]
