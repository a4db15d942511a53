r"""Regular expressions that cannot hang: RE2, which follows all ways at once where Python's `re` tries one by one.

People and models write patterns, and so does whoever wrote the settings of a repository that was cloned. RE2 takes time
linear in the text for any of them. It does not know what cannot be done so: looking around and referring back. `\w`,
`\d`, `\s` and `\b` mean ASCII, and `$` the very end. What RE2 would take for something else than `re` does is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

MAX_PATTERN = 1000
#: Instructions a pattern may take. Where RE2 cannot keep what it worked out, a character costs as many steps.
MAX_PROGRAM = 5000
_MEMORY = 8 << 20
#: What finding all matches in one text may cost, in steps, when each of many looks at all the rest.
MAX_STEPS = 10_000_000_000

_SURROGATE = re.compile("[\ud800-\udfff]")
# `\C` is a byte to RE2, which may be half a character; `{,3}` is text.
_MISREAD = re.compile(r"\\.|\{,\d+\}", re.DOTALL)
#: How RE2's complaint about something that other engines know goes on, and what that does.
_UNSUPPORTED = (
    (re.compile(r"\(\?<?[=!]"), "looks around, which is not supported"),
    (re.compile(r"\\[1-9]|\(\?P$"), "refers back to a group, which is not supported"),
    (re.compile(r"\(\?>|.*\+$"), "keeps what it took, which is not supported"),
    (re.compile(r"\(\?\("), "has a condition, which is not supported"),
    (re.compile(r"\\Z"), r"has \Z, which is written \z here"),
)
_TOO_OFTEN = "repeats too often; use '*' or '+' instead of large counts"


class PatternError(ValueError):
    """A pattern that is not searched for. The message continues a sentence that names it."""


class Regex:
    """A pattern, ready to be searched for. Raises PatternError, saying what is wrong with it."""

    def __init__(self, pattern: str) -> None:
        _check(pattern)
        # Start-up: few commands look for a pattern, and the library takes some 10 ms to load.
        import re2  # type: ignore[import-untyped]

        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY
        try:
            self._regex = re2.compile(pattern, options)
        except re2.error as error:
            raise PatternError(_reason(error.args[0].decode("utf-8", "replace"))) from None
        #: How many steps a character may take.
        self.steps: int = self._regex.programsize
        if self.steps > MAX_PROGRAM:
            raise PatternError(_TOO_OFTEN)
        self._group = 1 if self._regex.groups else 0

    def end(self, text: str) -> int | None:
        """Where the first match ends; None without one."""
        found = next(self._matches(text), None)
        return None if found is None else int(found.end())

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where each match, or its first group, begins and ends.

        Finding one match is linear; each of many may look at all the rest. When that becomes too much, the rest of the
        text is one more match: who wants something out of a text would rather lose too much than too little.
        """
        left = MAX_STEPS
        for match in self._matches(text):
            start, end = match.span(self._group)
            if start < end:
                yield start, end
            left -= (len(text) - match.end()) * self.steps
            if left < 0:
                yield match.end(), len(text)
                return

    def _matches(self, text: str) -> Iterator[Any]:
        found: Iterator[Any] = self._regex.finditer(_whole_characters(text))
        return found


class Landmarks:
    """A pattern of ours, however long: all its words are looked for at once, in one pass over a text."""

    def __init__(self, pattern: str) -> None:
        import re2  # As above.

        options = re2.Options()
        options.max_mem = 8 * _MEMORY
        options.never_capture = True
        # Given text, the library counts characters before it looks; most texts hold no landmark.
        self._regex = re2.compile(pattern.encode(), options)

    def stand_in(self, text: str) -> bool:
        """Whether any stands in a text."""
        return self._regex.search(text.encode("utf-8", "surrogatepass")) is not None

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where each match begins and ends."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) == len(text):
            yield from (match.span() for match in self._regex.finditer(data))
            return
        read = characters = 0
        for match in self._regex.finditer(data):
            start, end = match.span()
            characters += _length(data[read:start])
            read = end
            size = _length(data[start:end])
            yield characters, characters + size
            characters += size


class Hints:
    """Several patterns of ours, and which of them stand in a text: one pass over it, however many there are."""

    def __init__(self, patterns: Iterable[str]) -> None:
        import re2  # As above.

        options = re2.Options()
        options.max_mem = 8 * _MEMORY
        options.never_capture = True
        self._set = re2.Set.SearchSet(options)
        self._all = [self._set.Add(pattern) for pattern in patterns]
        self._set.Compile()

    def standing_in(self, text: str) -> list[int]:
        """The places of those that stand in a text, in order; all of them where RE2 cannot read it."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return self._all  # Halves of characters.
        found: list[int] | None = self._set.Match(data)
        return sorted(found) if found else []


def _length(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode("utf-8", "surrogatepass"))


def _whole_characters(text: str) -> str:
    """RE2 reads UTF-8, which has no halves of characters; one for one, so that the places stay the same."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _check(pattern: str) -> None:
    """Raises PatternError for what RE2 is not given at all."""
    if not pattern:
        raise PatternError("is empty")
    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"has {len(pattern)} characters; at most {MAX_PATTERN} are searched for")
    if _SURROGATE.search(pattern):
        raise PatternError("holds half a character")
    found = _MISREAD.findall(pattern)
    if r"\C" in found:
        raise PatternError(r"has \C, which is no character")
    for count in (text for text in found if text.startswith("{")):
        raise PatternError(f"has {count}, which is written {{0{count[1:]} here")


def _reason(problem: str) -> str:
    """What RE2 says, in words of ours where it meets what other engines know."""
    where = problem.rpartition(": ")[2]
    if "repetition size" in problem:
        return f"repeats too often or from more to less: {where}"
    if "too large" in problem:
        return _TOO_OFTEN
    known = (reason for form, reason in _UNSUPPORTED if problem.startswith(("invalid", "bad")) and form.match(where))
    return next(known, f"is no regular expression: {problem}")
