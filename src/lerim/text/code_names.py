"""What a text names of a repository: paths, symbols, commands, branches; and whether it names a package. Pure.

A name that the text itself says is gone, was replaced or is not to be used is none that it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from lerim.lazy_regex import compile_later
from lerim.text.sentences import sentences


class NameKind(StrEnum):
    """What sort of thing a name is for."""

    PATH = "path"
    SYMBOL = "symbol"
    COMMAND = "command"
    PACKAGE = "dependency"
    BRANCH = "branch"


class CodeName(NamedTuple):
    """A name, and what it is for."""

    kind: NameKind
    name: str


#: Names of one text that are looked at: a memory is a page, not a listing.
MOST_NAMES = 64
_LONGEST = 200
_URL = compile_later(r"\b[a-z][a-z0-9+.-]*://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.[\w.-]+", re.IGNORECASE)
_SPAN = compile_later(r"`([^`\n]{1,200})`")
# Behind it an index, a call or an argument may stand; before it nothing that makes it part of something longer.
_PATH = compile_later(r"(?<![\w@~$%{}*?<>:/.-])(?:@/|\./)?((?:[\w@+.-]|\[[\w.]+\])+(?:/(?:[\w@+.-]|\[[\w.]+\])+)*/?)")
_FILE_NAME = compile_later(r"[\w.+-]*\w\.[A-Za-z][A-Za-z0-9]{0,9}|[A-Z]\w+file|\.[a-z][\w.-]+")
_VERSION = compile_later(r"v?\d+(?:\.[\dx]+)*\.?|\d.*")
_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_CODE = compile_later(rf"{_IDENTIFIER}(?:(?:\.|::|#|->){_IDENTIFIER})*(?:\(.*\))?")
_CALL = compile_later(rf"(?<![\w.`/-])({_IDENTIFIER}(?:(?:\.|::){_IDENTIFIER})*)\(\)")
_SNAKE = compile_later(r"(?<![\w./@-])([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)(?![\w/]|\.[a-z])")
_HUMP = compile_later(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
_RUNNERS = (
    (compile_later(r"(?<![\w/.-])(?:make|gmake)\s+(?:-\S+\s+)*([A-Za-z][\w.-]*)"), "make"),
    (compile_later(r"(?<![\w/.-])just\s+([A-Za-z][\w-]*)"), "just"),
    (compile_later(r"(?<![\w/.-])(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([A-Za-z][\w:.-]*)"), "npm run"),
)
_BRANCH = compile_later(
    r"\bbranch(?:es)?\s+(?:is\s+|called\s+|named\s+)?[`'\"“]?([\w][\w./-]*[\w])|[`'\"“]?(?<![\w./-])([\w][\w./-]*[\w])[`'\"”]?\s+branch\b"
)
#: A sentence that tells of something that went: its names are no ground, though some of them may be there.
_GOING = compile_later(
    r"\b(?:remov\w+|delet\w+|dropp?(?:ed|ing|s)?|replac\w+|renam\w+|mov(?:e|ed|es|ing)|migrat\w+|no longer|used to"
    r"|instead of|rather than|get(?:ting)? rid|got rid|retir\w+|deprecat\w+|obsolete|legacy|formerly|previously"
    r"|is gone|are gone|split(?:ting)? (?:up|into)|extract(?:ed|ing)? (?:from|into|out)"
    r"|fold(?:ed|ing)? into|merg(?:ed|ing) into|clean(?:ed|ing)? up|kill(?:ed|ing)?|ditch\w*|swapp?\w*|switch\w*)\b",
    re.IGNORECASE,
)
#: Right before a name: it is not to be used, so it need not be there.
_DENIED = compile_later(
    r"(?:\b(?:never|not|n't|no|without|avoid(?:ing)?|stop|ban(?:ned)?|forbid\w*|over|than|of|except|besides|unlike)"
    r"(?:\s+\w+){0,3})\s*[`'\"]?$",
    re.IGNORECASE,
)
_TAKEN_UP = compile_later(
    r"\b(?:use[sd]?|using|via|import(?:s|ed|ing)?|install(?:s|ed|ing)?|adopt(?:s|ed|ing)?|prefer(?:s|red)?|choose|chose|"
    r"picked?|require[sd]?|built (?:on|with)|depends? on|librar(?:y|ies)|packages?|dependenc(?:y|ies))\s+[`'\"]?$",
    re.IGNORECASE,
)
_CALLED_ONE = compile_later(r"^[`'\"]?\s*(?:librar|packag|dependenc|module|crate|gem\b)", re.IGNORECASE)


def code_names(text: str) -> list[CodeName]:
    """The names in a text, each once, in order; without those that it says are gone."""
    found = dict.fromkeys(name for sentence in sentences(text) for name in _names_in(sentence))
    return list(found)[:MOST_NAMES]


def names_package(text: str, package: str) -> bool:
    """Whether a text rests on a package of this name. A name that is also a plain word counts only where it is marked
    as code, or where the words around say that it is one."""
    pattern = _package_pattern(package)
    for sentence in sentences(text):
        for match in () if _GOING.search(sentence) else pattern.finditer(sentence):
            before, after = sentence[: match.start()], sentence[match.end() :]
            if _DENIED.search(before):
                continue
            is_marked = before.endswith("`") and after.startswith("`")
            # In the middle of a sentence a capital tells a name.
            is_odd = not package.isalpha() or _CALLED_ONE.match(after) is not None or (before and match[0][0].isupper())
            if is_marked or is_odd or _TAKEN_UP.search(before):
                return True
    return False


@lru_cache(maxsize=512)
def _package_pattern(package: str) -> re.Pattern[str]:
    # `@scope/name` and `github.com/who/name` go by their last part, too.
    last = re.sub(r"/v\d+$", "", package).rpartition("/")[2]
    ways = {package, last if len(last) > 3 else package}
    spelled = "|".join("[-_]".join(re.escape(part) for part in re.split("[-_]", way)) for way in sorted(ways))
    return re.compile(rf"(?<![\w@/.-])(?:{spelled})(?:\.js)?(?![\w/-]|\.\w)", re.IGNORECASE)


def _names_in(sentence: str) -> Iterator[CodeName]:
    if _GOING.search(sentence):
        return
    text = _URL.sub(" ", sentence)
    yield from _paths(text)
    yield from (name for name in _symbols(text) if not _is_denied(text, name.name))
    yield from _commands(text)
    for match in _BRANCH.finditer(text):
        yield CodeName(NameKind.BRANCH, match[1] or match[2])


def _is_denied(text: str, name: str) -> bool:
    return _DENIED.search(text[: text.index(name)]) is not None


def _paths(text: str) -> Iterator[CodeName]:
    for match in _PATH.finditer(text):
        name = match[1].rstrip(".").removeprefix("./")
        if "/" not in name and not _FILE_NAME.fullmatch(name):
            continue
        if ".." not in name and len(name) <= _LONGEST and not _VERSION.fullmatch(name.strip("/")):
            yield CodeName(NameKind.PATH, name)


def _symbols(text: str) -> Iterator[CodeName]:
    for match in _SPAN.finditer(text):
        span = match[1].strip()
        if _CODE.fullmatch(span) and (symbol := _telling(span)):
            yield CodeName(NameKind.SYMBOL, symbol)
    for pattern in (_CALL, _SNAKE):
        for match in pattern.finditer(text):
            if symbol := _telling(f"{match[1]}()" if pattern is _CALL else match[1]):
                yield CodeName(NameKind.SYMBOL, symbol)


def _telling(span: str) -> str:
    """The part of a name that is looked for: the last one that can only be a name of code."""
    is_call = span.endswith(")")
    parts = re.split(r"\.|::|#|->", span.partition("(")[0])
    if len(parts) > 1 and _FILE_NAME.fullmatch(span) and parts[-1].islower() and len(parts[-1]) <= 4 and not is_call:
        return ""
    for place, part in enumerate(reversed(parts)):
        if len(part) >= 4 and (_HUMP.search(part) or (is_call and place == 0)):
            return part
    return ""


def _commands(text: str) -> Iterator[CodeName]:
    for pattern, runner in _RUNNERS:
        for match in pattern.finditer(text):
            yield CodeName(NameKind.COMMAND, f"{runner} {match[1].rstrip('.:')}")
