"""The gate before what is shared: every record passes it on its way into the store, and so into files and briefs.

What looks like a secret is masked, and the change says so. A person may keep it: `allow_secret: true` in a record's
frontmatter is their word for it. What stood in a record before stays until somebody looks (`lerim memory scan`): a gate
that rewrote old text in passing would surprise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from lerim.context.records import Record
from lerim.sources.secret_hints import suspected
from lerim.sources.secret_values import SecretSpan

#: The key of the frontmatter by which a person keeps what looks like a secret.
ALLOWED = "allow_secret"
_TEXTS = ("title", "body", "description", "source")
#: The fields that are looked at.
SCREENED = (*_TEXTS, "tags", "extra")
# Characters of a text that may come again.
_OFTEN = 40
#: What is there already, by field: it is not masked in passing.
_Stood = Callable[[str], bool]


@dataclass(frozen=True)
class SuspectedSecret:
    """Where in a record something looks like a secret. Never the secret itself."""

    field: str
    #: Counted from 1, within the field.
    line: int
    kind: str

    @property
    def words(self) -> str:
        place = self.field if self.field != "body" else f"line {self.line} of the body"
        return f"what looks like a secret ({self.kind}) in {place if self.field == 'body' else f'the {place}'}"


def masked_text(text: str) -> str:
    """A text that is about to be shown to others, with all that may be a secret masked: for briefs."""
    return _masked("", text, lambda _: False, [])


def is_allowed(record: Record) -> bool:
    """Whether the user said that what looks like a secret here shall stay. A stranger's file cannot say so."""
    return record.extra.get(ALLOWED) is True and not record.is_hearsay


def screen(record: Record, before: Record | None = None) -> tuple[Record, tuple[SuspectedSecret, ...]]:
    """The record with what looks like a secret masked, and where that was. What `before` said already stays."""
    found: list[SuspectedSecret] = []
    changes: dict[str, Any] = {}
    for name in _TEXTS:
        value, old = getattr(record, name), getattr(before, name) if before else None
        if value and value != old and (new := _masked(name, value, _standing(old), found)) != value:
            changes[name] = new
    old_tags = before.tags if before else ()
    tags = tuple(tag if tag in old_tags else _masked("tags", tag, _standing(None), found) for tag in record.tags)
    if tags != record.tags:
        changes["tags"] = tuple(tag.replace("[", "").replace("]", "").replace(":", "-") for tag in tags)
    if record.extra and (before is None or record.extra != before.extra):
        extra = _masked_values(record.extra, _standing(str(before.extra) if before else None), found)
        if extra != record.extra:
            changes["extra"] = extra
    return (replace(record, **changes) if changes else record), tuple(found)


def suspects(record: Record, before: Record | None = None) -> tuple[SuspectedSecret, ...]:
    """What looks like a secret in a record and did not stand there before; nothing when a person allowed it."""
    return () if is_allowed(record) else screen(record, before)[1]


def allowed(record: Record) -> Record:
    """The record with a person's word that what looks like a secret stays; the same when nothing does."""
    if not screen(record)[1]:
        return record
    return replace(record, extra={**record.extra, ALLOWED: True})


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The line and the kind of each suspected secret of a text."""
    for span in suspected(text):
        yield text.count("\n", 0, span.start) + 1, span.kind


@lru_cache(maxsize=4096)
def _suspected_again(text: str) -> tuple[SecretSpan, ...]:
    """The same of a short text: tags and sources come again and again in an import."""
    return tuple(suspected(text))


def _standing(old: str | None) -> _Stood:
    return lambda value: old is not None and value in old


def _masked(name: str, text: str, stood: _Stood, found: list[SuspectedSecret]) -> str:
    spans = _suspected_again(text) if len(text) <= _OFTEN else suspected(text)
    if not spans:
        return text
    pieces: list[str] = []
    at = 0
    for span in spans:
        if stood(text[span.start : span.end]):
            continue
        found.append(SuspectedSecret(name, text.count("\n", 0, span.start) + 1, span.kind))
        pieces += text[at : span.start], f"[redacted:{span.kind}]"
        at = span.end
    return "".join([*pieces, text[at:]])


def _masked_values(value: Any, stood: _Stood, found: list[SuspectedSecret]) -> Any:
    match value:
        case str():
            return _masked("frontmatter", value, stood, found)
        case Mapping():
            # Together with its key: `db_password: …` says what its value is.
            return {key: _masked_entry(key, item, stood, found) for key, item in value.items()}
        case list() | tuple():
            return [_masked_values(item, stood, found) for item in value]
        case _:
            return value


def _masked_entry(key: str, value: Any, stood: _Stood, found: list[SuspectedSecret]) -> Any:
    if not isinstance(value, str):
        return _masked_values(value, stood, found)
    prefix = f"{key}: "
    return _masked("frontmatter", prefix + value, stood, found).removeprefix(prefix)
