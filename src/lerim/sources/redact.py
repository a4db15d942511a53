"""Redaction at the edge: nothing of a trace is stored before its secrets are replaced.

A secret is found by its shape (`secret_shapes`), by what carries it (`secret_carriers`) or by the name it is given to
(`secret_names`); whether a value is one at all, `secret_values` says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from functools import cache
from typing import TypeVar

from lerim.config.profiles import PrivateKind
from lerim.dataclass import fields, replace
from lerim.digests import blake2b
from lerim.lazy_regex import compile_later
from lerim.regex import Hints, Regex
from lerim.sources import secret_carriers, secret_names, secret_shapes
from lerim.sources.private_data import private_in
from lerim.sources.secret_landmarks import find_at_landmarks, is_one_word
from lerim.sources.secret_values import CUSTOM, SecretSpan, is_piece
from lerim.sources.trace import LINES, Header, Line

_SEARCHES = (*secret_shapes.SEARCHES, *secret_carriers.SEARCHES, *secret_names.SEARCHES)
# Annotations are strings there. `at` is a time, written by us.
_LINE_TEXTS = {
    kind: [field.name for field in fields(kind) if field.type in {"str", "str | None"} and field.name != "at"]
    for kind in LINES.values()
}
_HEADER_IDS = ("run_id", "parent", "forked_from")
#: What the id of a session begins with whose own id held a secret.
REPLACED_ID = "redacted-"
_HEADER_TEXTS = ("cwd", "branch", "model", "version", "title")

_PLACEHOLDER = compile_later(r"(\[redacted:[a-z0-9-]{2,32}(?::[0-9a-f]{6})?\])")
# Characters without a width, which a page or a chat puts into a word.
_UNSEEN_CHARACTERS = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_UNSEEN = compile_later(f"[{_UNSEEN_CHARACTERS}]")
_UNSEEN_PLACE = len(_SEARCHES)
_LEAST_TEXT = 8
# A secret may show only when its neighbor is gone. A text that takes more rounds was made for it.
_MOST_ROUNDS = 6
# Longer bodies are matched up to here and followed to their end only when they are replaced.
_LONGEST_PIECE = 256
_NEXT_PIECE = compile_later(r"[ ]([A-Za-z0-9_+/\-]{8,256}={0,2})(?![\w=:/.@])")
_MOST_BODY = 512
_REST_OF_BODY = compile_later(r"[A-Za-z0-9_\-+/=]*+")

_Item = TypeVar("_Item", Line, Header)


class Redactor:
    """Replaces secrets by `[redacted:<kind>:<fingerprint>]`; the same secret has the same fingerprint for one salt."""

    def __init__(self, salt: bytes, patterns: Sequence[str] = ()) -> None:
        """Raises PatternError, which patterns from the settings were checked for when those were read."""
        # A key of blake2b has at most 64 bytes.
        self._key = salt if len(salt) <= 64 else blake2b(salt).digest()
        self._custom = [Regex(pattern) for pattern in patterns]
        self._private: tuple[PrivateKind, ...] = ()
        self._names: Sequence[str] = ()
        self.hits: Counter[str] = Counter()

    def hide(self, kinds: Sequence[PrivateKind], patterns: Sequence[str], names: Sequence[str]) -> None:
        """Take out what is private of people, too: of these kinds, of these shapes, and what they are called."""
        self._private, self._names = tuple(kinds), tuple(names)
        self._custom += [Regex(pattern) for pattern in patterns]

    def clean(self, text: str) -> str:
        """The text without its secrets; the same text when it has none. Cleaning twice changes nothing more."""
        for _ in range(_MOST_ROUNDS):
            cleaned = self._cleaned_once(text)
            if cleaned == text:
                break
            text = cleaned
        return text

    def line(self, line: Line) -> Line:
        """The line with all its texts cleaned; the very same line when there was nothing to replace."""
        return self._cleaned_fields(line, _LINE_TEXTS[type(line)])

    def header(self, header: Header) -> Header:
        """The header with what people name (directory, branch, title, model) cleaned, and its ids as they are told."""
        header = self._cleaned_fields(header, _HEADER_TEXTS)
        ids = {name: self.identifier(value) for name in _HEADER_IDS if (value := getattr(header, name))}
        return header if all(getattr(header, name) == value for name, value in ids.items()) else replace(header, **ids)

    def identifier(self, text: str) -> str:
        """An id as it is told: itself, or, when there is a secret in it, another one that is always the same.

        Ids link sessions and name files. Patterns of the settings do not count: they are about text.
        """
        if not secrets_of(text):
            return text
        digest = blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=8)
        return f"{REPLACED_ID}{digest.hexdigest()}"

    def _cleaned_fields(self, item: _Item, names: Iterable[str]) -> _Item:
        changed: dict[str, str] = {}
        for name in names:
            text = getattr(item, name)
            if text and (cleaned := self.clean(text)) != text:
                changed[name] = cleaned
        return replace(item, **changed) if changed else item  # type: ignore[arg-type]

    def _cleaned_once(self, text: str) -> str:
        found = self._found(text)
        if not found or "[redacted:" not in text:
            return self._replaced(text, found)
        # What is in a placeholder is ours: every second piece of the split.
        pieces = _PLACEHOLDER.split(text)
        pieces[::2] = [self._replaced(piece, self._found(piece)) for piece in pieces[::2]]
        return "".join(pieces)

    def _found(self, text: str) -> list[SecretSpan]:
        found = secrets_of(text)
        for pattern in self._custom:
            found.extend(SecretSpan(start, CUSTOM, end, "custom") for start, end in pattern.spans(text))
        if self._private:
            found.extend(private_in(text, self._private, self._names))
        return found

    def _replaced(self, text: str, found: list[SecretSpan]) -> str:
        if not found:
            return text
        pieces: list[str] = []
        at = 0
        furthest: dict[int, int] = {}
        starts = {span.start for span in found}
        for span in found:
            furthest[span.start] = max(furthest.get(span.start, 0), _whole(text, span, starts))
        for span in sorted(found):
            if span.start < at:
                continue
            # The most special one says what it is, the longest where it ends.
            end = furthest[span.start]
            pieces += text[at : span.start], self._placeholder(span.kind, text[span.start : end])
            at = end
        return "".join([*pieces, text[at:]])

    def _placeholder(self, kind: str, secret: str) -> str:
        self.hits[kind] += 1
        digest = blake2b(secret.encode("utf-8", "surrogatepass"), key=self._key, digest_size=3)
        return f"[redacted:{kind}:{digest.hexdigest()}]"


def replaced_at(text: str) -> list[tuple[int, int]]:
    """Where the placeholders of a text stand: what is in one is ours."""
    return [found.span() for found in _PLACEHOLDER.finditer(text)] if "[redacted:" in text else []


def secrets_of(text: str) -> list[SecretSpan]:
    """Where the secrets of a text stand, in no particular order; some may lie within others."""
    if len(text) < _LEAST_TEXT:
        return []
    if is_one_word(text):
        return _found_by(_hints().standing_in(text), text, is_word=":" not in text)
    places = _hints().standing_in(text)
    found = _found_by(places, text)
    found.extend(find_at_landmarks(text, _holds_secret))
    if _UNSEEN_PLACE in places:
        found.extend(_found_unseen(text))
    return found


@cache
def _hints() -> Hints:
    """What hints at each of the searches, and what nobody sees: most texts have nothing of it, and one pass tells."""
    return Hints([*(search.hint for search in _SEARCHES), f"[{_UNSEEN_CHARACTERS}]"])


def _known(text: str) -> list[SecretSpan]:
    """The secrets that a search of their own finds."""
    return _found_by(_hints().standing_in(text), text)


def _found_by(places: Sequence[int], text: str, *, is_word: bool = False) -> list[SecretSpan]:
    """What those of the searches find that may find something."""
    found: list[SecretSpan] = []
    for place in places:
        if place == _UNSEEN_PLACE:
            continue
        search = _SEARCHES[place]
        if (search.of_words or not is_word) and (first := search.pattern.search(text)):
            found.extend(search.find(text, first.start()))
    return found


def _found_unseen(text: str) -> list[SecretSpan]:
    """The secrets of a text without the characters that nobody sees, where they stand with them."""
    places = [at for at, character in enumerate(text) if not _UNSEEN.match(character)]
    seen = _UNSEEN.sub("", text)
    found = [*_known(seen), *find_at_landmarks(seen, _holds_secret)]
    return [span._replace(start=places[span.start], end=places[span.end - 1] + 1) for span in found]


def _holds_secret(plain: str) -> bool:
    """Whether there is a secret in a text that stood encoded in another. What it encodes itself is left alone."""
    return bool(_known(plain))


def _whole(text: str, span: SecretSpan, starts: Container[int]) -> int:
    """Where a secret ends: behind its longest body, and behind the pieces that a blank parted from it."""
    end = span.end
    if end - span.start >= _MOST_BODY and (rest := _REST_OF_BODY.match(text, end)):
        end = rest.end()
    if span.kind == "custom" or not is_piece(text[max(span.start, end - _LONGEST_PIECE) : end]):
        return end
    while (piece := _NEXT_PIECE.match(text, end)) and piece.start(1) not in starts and is_piece(piece[1]):
        end = piece.end()
    return end
