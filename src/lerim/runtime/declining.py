"""What a tool refuses, in words for whoever leads: a model that may try something else, or the embedded policy."""

from __future__ import annotations


class Declined(Exception):
    """A call that is not done, and what to do instead."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
