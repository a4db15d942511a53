"""Whether what was said before still stands beside what was said later, by the rules alone.

A memory, a candidate and a record as ingest knows it all say something in a title and a body, of some kind.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from lerim.context.records import Kind, Primitive, is_choice
from lerim.text.bearing import Judgment, judge
from lerim.text.statements import statement

#: A title and a body.
Words = tuple[str, str]


class Stated(Protocol):
    """What says something: a record, a candidate that waits, a candidate of a session."""

    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str: ...
    @property
    def primitive(self) -> Primitive: ...
    @property
    def kind(self) -> Kind | None: ...


def words_of(said: Stated) -> Words:
    return said.title, said.body


def are_choices(*said: Stated) -> bool:
    """Whether a project has one of each of these at a time."""
    return all(is_choice(one.primitive, one.kind) for one in said)


def ruled(later: Stated, earlier: Stated) -> Judgment:
    """How what was said later bears on what was said before."""
    return ruled_words(words_of(later), words_of(earlier), is_choice=are_choices(later, earlier))


@lru_cache(maxsize=4096)  # Who proposes asks, and who rules on it asks again.
def ruled_words(later: Words, earlier: Words, *, is_choice: bool = True) -> Judgment:
    """The same of a later title and body and an earlier one's."""
    return judge(statement(*later), statement(*earlier), is_choice=is_choice)
