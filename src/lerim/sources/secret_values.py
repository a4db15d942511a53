"""Telling a secret from what only looks like one: placeholders, names, types, code, paths, digests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from typing import NamedTuple

from lerim.lazy_regex import compile_later

# Enough to tell a secret from a name.
_PIECE = compile_later(r"[A-Za-z0-9_+/\-]{8,256}={0,2}")
_SWITCH = compile_later(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_MOST_JUDGED = 96


class SecretSpan(NamedTuple):
    """Where a secret stands. Of two that begin together the lower rank says what it is: the more special one."""

    start: int
    rank: int
    end: int
    kind: str


NOWHERE = SecretSpan(-1, 0, -1, "")
CUSTOM, SHAPE, CARRIED, ASSIGNED = 0, 100, 200, 300
#: Gives the secrets of a text from a position on, in no particular order.
Find = Callable[[str, int], Iterator[SecretSpan]]


class SecretSearch(NamedTuple):
    """A pattern that begins secrets, and what to do from its first hit on."""

    #: For RE2: stands in every text in which the pattern is found, and in few others. Its classes know ASCII alone, so
    #: other letters and blanks are taken for either.
    hint: str
    pattern: re.Pattern[str]
    find: Find
    #: Whether a word alone is looked at, of which only its shape can tell.
    of_words: bool = False


class Suspicion(Enum):
    """How much a value must look like a secret, by what it is assigned to."""

    PASSWORD = 1  # people choose these
    SECRET = 2  # machines mostly do
    TOKEN = 3  # the word means other things too
    KEY = 4  # any key of any map


_HEXADECIMAL = compile_later(r"[0-9a-f]+|[0-9A-F]+")
# Words have more than four letters between changes of case or to digits, random characters about two.
_RUN = compile_later(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHUFFLED_RUNS, _SHORT_RUNS, _LONG_RUNS, _ANY_RUNS = 2.5, 3.5, 5.0, 100.0
_STAND_IN = compile_later(
    r"\.\.\.|…|\*\*\*|•|xxxx|XXXX|0000000|<[\w \-.]{0,40}>|^<|^\{|\{[\w.]*\}|^[\W_]*$"
    # Variables of shells, templates and programs.
    r"|\$\{|\{\{|\$\(|^\$[A-Za-z_][\w:]*(?:-?$|->|[\[{.])|^%[sdvr]$|%\(\w|^%\w+%$"
)
_STAND_IN_WORDS = tuple(
    form
    for word in (
        *("example", "placeholder", "changeme", "change-me", "change_me", "your-", "your_", "yourapi", "yourkey"),
        *("yourtoken", "yoursecret", "replace", "redacted", "removed", "insert-", "dummy", "fake", "sample", "todo"),
        *("undefined", "process.env", "environ", "getenv", "import.meta", "1234567890", "abcdefgh", "0123456"),
        *("qwerty", "deadbeef"),
    )
    for form in sorted({word, word.upper(), word.capitalize()})
)
# Words that somebody who makes up a value for a test or an example puts into it.
_MADE_UP = ("test", "mock", "demo", "password", "passwd", "secret", "token", "apikey", "credential")
# sha256, utf8, OAuth2, Uint8Array: names with a number in them.
_TECHNICAL = compile_later(
    r"(?:u?int|float|i|u|f|utf|sha|md|hs|rs|es|ps|base|aes|argon|pbkdf|bcrypt|scrypt|oauth|uuid|ipv|vec|varchar|char"
    r"|ed|rsa|blake|tls|http|str|bytes|string|v|p|h|x)[\-_]?[0-9]{1,4}[A-Za-z]{0,8}(?:-[0-9A-Za-z]{1,5})?",
    re.IGNORECASE,
)
_DOTTED_NAME = compile_later(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|/|-)[A-Za-z_$][\w$]*)*[!?]?")
_LONG_WORD = compile_later(r"[a-z]{6}|[A-Z]{6}")
_MINIFIED = compile_later(r"^[\w$.]{1,24}[)}\]]|[\w)\]][({\[]|=>|\)[,;.]|^[,)}\]]")
_SPECIAL = "!#$%^&*?~+=@|;<>`"
_CALL = compile_later(r"[\w.$:>?\-]*[(\[]")
_DIGEST = compile_later(r"(?:sha(?:1|256|384|512)|md5)[:\-]", re.IGNORECASE)
_UUID = compile_later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PATH = compile_later(r"~?/|\.{1,2}/|[A-Za-z]:[\\/]|[\w+.\-]+://")


def is_placeholder(value: str) -> bool:
    # Random letters spell a short word now and then, but seldom all in one case.
    return bool(_STAND_IN.search(value)) or any(word in value for word in _STAND_IN_WORDS)


def is_token_body(body: str, *, sure: bool = False) -> bool:
    """Whether what follows a known prefix is a key rather than `xxxx`, `...` or words."""
    body = body[:_MOST_JUDGED]
    # Without a separator inside, it would have to be one very long word.
    most_run = _ANY_RUNS if body.isalnum() else _LONG_RUNS if sure else _SHORT_RUNS
    return is_random(body, 12, most_run) and not is_placeholder(body)


def is_random(value: str, least: int, most_run: float = _SHORT_RUNS) -> bool:
    """Whether the value changes between letters, cases and digits as no name or sentence does."""
    if len(value) < least or len(set(value)) < min(8, least):
        return False
    if _HEXADECIMAL.fullmatch(value):
        return not value.isdigit() and has_digits(value, 1)
    if not any(map(str.isalpha, value)) or ((value.islower() or value.isupper()) and not has_digits(value, 1)):
        return False
    runs = _RUN.findall(value)
    # A long number says nothing against words beside it.
    return sum(min(len(run), 2) if run.isdigit() else len(run) for run in runs) < most_run * len(runs)


def is_piece(text: str) -> bool:
    """Whether a word looks like a part of a key: letters and digits in turns, as in no word or number."""
    return len(text) >= 8 and _PIECE.fullmatch(text) is not None and len(_SWITCH.findall(text)) >= 3


def is_assigned(value: str, sort: Suspicion, *, bare: bool) -> bool:
    """Whether the value of an assignment is a secret: not a placeholder, a name, a type, code or a path."""
    value = value[:_MOST_JUDGED]
    if not bare and " " in value and all(map(is_piece, value.split(" "))):
        value = value.replace(" ", "")  # A key that was wrapped or set in groups.
    if len(value) < 6 or is_placeholder(value) or _DIGEST.match(value) or any(map(str.isspace, value)):
        return False
    if (bare and _is_code(value)) or (_PATH.match(value) and not is_random(value, 32)):
        return False
    match sort:
        case Suspicion.PASSWORD:
            return _is_password(value)
        case Suspicion.SECRET:
            return is_random(value, 12) or (len(value) >= 10 and _is_password(value) and _is_unseparated(value))
        case Suspicion.TOKEN:
            return is_random(value, 12) and _is_opaque(value, 16) and not _UUID.fullmatch(value)
        case Suspicion.KEY:
            return is_random(value, 24) and is_mixed(value) and not _UUID.fullmatch(value)


_MOST_SPACED = 4


def is_spaced_password(value: str, *, is_plain: bool) -> bool:
    """Whether a few words in quotes are a password: in a variable's value, which is never prose, a digit tells;
    elsewhere no word may be one that people write, and one has both letters and digits."""
    words = value[:_MOST_JUDGED].split(" ")
    if not 2 <= len(words) <= _MOST_SPACED or not all(words) or len(value) < 6 or is_placeholder(value):
        return False
    if is_plain:
        return has_digits(value, 1) and any(map(str.isalpha, value))
    is_keyed = any(has_digits(word, 1) and any(map(str.isalpha, word)) for word in words)
    return is_keyed and all(has_digits(word, 1) or _is_odd(word) for word in words)


def _is_odd(word: str) -> bool:
    """Whether a word has capitals inside, or a sign that none has."""
    return not word[1:].islower() and not word.isupper() and any(map(str.isalpha, word))


def _is_code(value: str) -> bool:
    if _CALL.match(value) or ("." in value and _DOTTED_NAME.fullmatch(value) and _LONG_WORD.search(value)):
        return True
    # Minified programs: a name, and what closes or calls something right behind it.
    if _MINIFIED.search(value):
        return True
    return bool(_DOTTED_NAME.fullmatch(value)) and ("." in value or not has_digits(value, 1)) and not _is_opaque(value)


def _is_opaque(value: str, least: int = 12) -> bool:
    """Whether no name looks so: random, and with digits; a shorter one needs a sign that no name has."""
    if len(value) < least and not any(character in _SPECIAL for character in value):
        return False
    # Letters alone have to change their case more often than names do.
    is_shuffled = len(value) >= 20 and value.isalpha() and is_random(value, 20, _SHUFFLED_RUNS)
    return is_shuffled or (is_random(value, 12) and has_digits(value, 2 if len(value) < 16 else 1))


def is_mixed(value: str) -> bool:
    return has_digits(value, 1) and any(map(str.isupper, value)) and any(map(str.islower, value))


def _is_password(value: str) -> bool:
    has_digit, has_letter = has_digits(value, 1), any(map(str.isalpha, value))
    has_special = any(character in _SPECIAL for character in value)
    if has_digit and has_letter and has_special:
        return True
    if _TECHNICAL.fullmatch(value) or not has_letter:
        return value.isdigit() and len(value) >= 6
    if is_random(value, 12):
        return True
    low = value.lower()
    return (has_digit or (has_special and len(value) >= 8)) and not any(word in low for word in _MADE_UP)


def _is_unseparated(value: str) -> bool:
    return not any(character in "-_./: " for character in value)


def has_digits(value: str, least: int) -> bool:
    return sum(map(str.isdigit, value)) >= least
