"""Secrets beside a word that nothing else of a text has: all such words are looked for in one pass.

A search of its own for each of a hundred words would take a hundred passes. What stands around a word that was found
is judged by the module that knows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from lerim.lazy_regex import compile_later
from lerim.regex import Landmarks
from lerim.sources.secret_codes import (
    CODE_WORDS,
    HASH_MARKS,
    KEY_WORDS,
    PIN_WORDS,
    PRINTING_COMMANDS,
    RANDOM,
    SIGNS_BEFORE,
    code_after,
    hash_at,
    key_after,
    pin_after,
    printed_after,
    random_at,
)
from lerim.sources.secret_commands import CALLS, COMMAND_WORDS, call_at, command_at
from lerim.sources.secret_encoded import ENCODED, encoded_at
from lerim.sources.secret_tables import HEADING, table_at
from lerim.sources.secret_talk import (
    LOGIN_WORDS,
    PASSWORD_WORDS,
    login_after,
    mail_login_at,
    said_after,
    sign_in_before,
)
from lerim.sources.secret_values import CARRIED, SecretSpan, Suspicion, is_assigned, is_placeholder, is_random

#: Gives the secrets around a word that stands from one position to another.
FindAround = Callable[[str, int, int], Iterable[SecretSpan]]

# --- Cookies, logins, keys --------------------------------------------------------------------------------------------

_COOKIES = (
    *("phpsessid", "jsessionid", "asp.net_sessionid", "connect.sid", "laravel_session", "_session_id", "sessionid="),
    *("session-token", ".aspnetcore.cookies", "aspxauth", "auth_session", "sid=", "session=", "cookie"),
)
_COOKIE_VALUE = compile_later(
    r"=?\\{0,7}[\"'`]?[ \t]{0,2}(?:[:=,|\t][ \t]{0,2}|,[ ]?\\{0,3}[\"']value\\{0,3}[\"']:[ ]?)?\\{0,7}[\"'`]?"
    r"([A-Za-z0-9%._\-+/=]{16,512})"
)
_COOKIE_FLAG = compile_later(r"[ \"'=]{1,3}(?:[\w.\-]{1,64}=[^;\s\"'\\]{1,512};?[ ]?){1,16}")
_COOKIE_PAIR = compile_later(r"([\w.\-]{1,64})=([^;\s\"'\\,]{16,512})")
# The line of a cookie jar: host, flag, path, flag, time, name, value.
_JAR = compile_later(r"\t(?:TRUE|FALSE)\t[0-9]{1,12}\t[\w.\-]{1,64}\Z")


def _cookie_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    name = text[start:end].lower()
    if name == "cookie":
        # `curl --cookie sid=…`; a header is known by its colon.
        flag = _COOKIE_FLAG.match(text, end) if text.endswith("--", 0, start) else None
        pairs = _COOKIE_PAIR.finditer(text, flag.start(), flag.end()) if flag else ()
        spans = [pair.span(2) for pair in pairs]
    else:
        end -= name.endswith("=")
        # A short name is one of a cookie only where cookies stand.
        if name in {"sid=", "session="} and not _is_cookie_place(text, start):
            return
        value = _COOKIE_VALUE.match(text, end)
        spans = [value.span(1)] if value else []
    for begin, stop in spans:
        if _is_session(text[begin:stop]):
            yield SecretSpan(begin, CARRIED, stop, "cookie")


def _is_cookie_place(text: str, start: int) -> bool:
    before = text[max(0, start - 12) : start]
    return not before.strip() or before.endswith(("-b ", "-b '", '-b "', "; ", "'", '"', "\n", " "))


def _is_session(value: str) -> bool:
    return is_random(value, 16) and not is_placeholder(value) and not _UUID.fullmatch(value)


_UUID = compile_later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_JAR_LINE = compile_later(r"[ \t]?[0-9]{1,12}\t[\w.\-]{1,64}\t([A-Za-z0-9%._\-+/=]{16,512})")


def _jar_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    line = _JAR_LINE.match(text, end)
    if line and _is_session(line[1]):
        yield SecretSpan(line.start(1), CARRIED, line.end(1), "cookie")


_PGPASS = compile_later(r"[\w*\-]{1,64}:[\w*.\-]{1,64}:([^\s:\"'\\][^\s\"']{3,128})(?=\s|\\n|[\"']|\Z)")


def _pgpass_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    entry = _PGPASS.match(text, end)
    if entry and is_assigned(entry[1], Suspicion.PASSWORD, bare=True):
        yield SecretSpan(entry.start(1), CARRIED, entry.end(1), "password")


_PHRASE = compile_later(
    r"[\w ]{0,24}?\\{0,3}[\"']?[ ]{0,2}(?:[:=]|is|are|[ ])\s{0,4}\\{0,3}[\"']?((?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})"
)


# Not among the words that seeds are made of.
_NO_SEED = frozenset({"the", "and", "for", "are", "was", "not", "from", "into", "has", "but", "which", "when"})


def _phrase_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    phrase = _PHRASE.match(text, end)
    words = set(phrase[1].split()) if phrase else set()
    if phrase and len(words) >= 8 and _NO_SEED.isdisjoint(words):
        yield SecretSpan(phrase.start(1), CARRIED, phrase.end(1), "seed-phrase")


_JWK_PART = compile_later(r"\\{0,3}\"(?:d|p|q|dp|dq|qi|k)\\{0,3}\"\s{0,4}:\s{0,4}\\{0,3}\"([A-Za-z0-9_\-]{32,1024})")


def _jwk_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    for part in _JWK_PART.finditer(text, max(0, start - 400), min(len(text), end + 1_600)):
        yield SecretSpan(part.start(1), CARRIED, part.end(1), "private-key")


_PUTTY = compile_later(
    r":[ ]?[0-9]{1,3}(?:\s|\\[rn])+((?:[A-Za-z0-9+/=]{4,80}(?:\s|\\[rn])+){1,64}(?:Private-MAC:[ ]?[0-9a-f]{20,64})?)"
)


def _putty_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    if key := _PUTTY.match(text, end):
        yield SecretSpan(key.start(1), CARRIED, key.end(1), "private-key")


_AFTER_BEARER = compile_later(r"[ ]{1,2}([A-Za-z0-9._~+/\-]{16,512}={0,2})")
_AFTER_SCHEME = compile_later(
    r"[\"'`]?[ ]{0,2}[:=,][ ]{0,2}[\"'`]?[A-Za-z]{2,16}[ ]{1,2}([A-Za-z0-9._~+/\-:]{16,512}={0,2})"
)
_DIGEST = compile_later(r"[^\n]{0,300}response=\\?\"([A-Za-z0-9_\-]{16,128})")


def _bearer_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    yield from _opaque(text, _AFTER_BEARER.match(text, end), "bearer-auth")


def _authorization_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    yield from _opaque(text, _AFTER_SCHEME.match(text, end), "bearer-auth")
    yield from _opaque(text, _DIGEST.match(text, end), "digest-auth")


def _opaque(text: str, found: re.Match[str] | None, kind: str) -> Iterator[SecretSpan]:
    if found and is_random(found[1], 16) and not is_placeholder(found[1]):
        yield SecretSpan(found.start(1), CARRIED, found.end(1), kind)


_DSN = compile_later(r"(?:^|[\s\"'`=])[\w.\-]{1,64}:([^\s\"'`]{4,128})@\Z")


def _dsn_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """`app:…@tcp(db:3306)/shop`"""
    window = max(0, start - 200)
    login = _DSN.search(text[window : start + 1])
    if login and is_assigned(login[1], Suspicion.PASSWORD, bare=True):
        yield SecretSpan(window + login.start(1), CARRIED, window + login.end(1), "url-password")


_INITIAL = compile_later(r"[\"'`:]{0,2}(?:\s|\\n){1,4}([!-~]{6,128})(?=\s|\\n|\Z)")


def _initial_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """What a server's settings, or its first start, say without a sign between."""
    given = _INITIAL.match(text, end)
    if given and is_assigned(given[1], Suspicion.PASSWORD, bare=True):
        yield SecretSpan(given.start(1), CARRIED, given.end(1), "password")


_BASE32 = compile_later(r"(?=[A-Z]*[2-7])[A-Z2-7]{16,}")
_SEED = compile_later(r"\\{0,3}[\"']?[ ]{0,2}[:=][ ]{0,2}\\{0,3}[\"']?([A-Za-z0-9+/=]{16,128})")


def _seed_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    seed = _SEED.match(text, end)
    # The letters of base32: nothing to tell words from.
    if seed and (_BASE32.fullmatch(seed[1]) or is_random(seed[1], 16)) and not is_placeholder(seed[1]):
        yield SecretSpan(seed.start(1), CARRIED, seed.end(1), "secret")


_NEAR_VALUE = compile_later(r"alue\\{0,7}[\"']?[ ]?[:=][ ]?\\{0,7}[\"']?([^\s\"'\\,]{8,512})", re.IGNORECASE)


def _beside_value(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The value that stands beside the word that it is a secret one: a parameter of AWS, a cookie of a browser."""
    for value in _NEAR_VALUE.finditer(text, max(0, start - 300), min(len(text), end + 300)):
        if is_assigned(value[1], Suspicion.SECRET, bare=False):
            yield SecretSpan(value.start(1), CARRIED, value.end(1), "secret")


_PREFIXES = ("xprv9", "nsec1", "eaaa")
_TOKEN = compile_later(r"[A-Za-z0-9_\-]{40,512}")


def _token_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    token = _TOKEN.match(text, end)
    if token and is_random(token[0], 40, 2.6):
        yield SecretSpan(start, CARRIED, token.end(), "token")


_SENT = compile_later(r"([!-~]{4,64}?)\\[rn]")
_ORACLE = compile_later(r"[\w.]{1,64}/([^\s\"'@/]{4,128})@")


def _sent_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """What a script types when it is asked for a password."""
    sent = _SENT.match(text, end) if "assword" in text[max(0, start - 120) : start] else None
    if sent and is_assigned(sent[1], Suspicion.PASSWORD, bare=False):
        yield SecretSpan(sent.start(1), CARRIED, sent.end(1), "password")


def _oracle_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    login = _ORACLE.match(text, end)
    if login and is_assigned(login[1], Suspicion.PASSWORD, bare=True):
        yield SecretSpan(login.start(1), CARRIED, login.end(1), "url-password")


_FINDERS: dict[str, FindAround] = {
    **dict.fromkeys(CALLS, call_at),
    **dict.fromkeys(KEY_WORDS, key_after),
    **dict.fromkeys(CODE_WORDS, code_after),
    **dict.fromkeys(PRINTING_COMMANDS, printed_after),
    **dict.fromkeys(HASH_MARKS, hash_at),
    **dict.fromkeys(_COOKIES, _cookie_at),
    "\ttrue\t": _jar_at,
    "\tfalse\t": _jar_at,
    **dict.fromkeys((":5432:", ":5433:", ":6432:", "*:*:", ":*:"), _pgpass_at),
    **dict.fromkeys(
        ("seed phrase", "mnemonic", "recovery phrase", "secret phrase", "seed words", "secret words", "wallet phrase"),
        _phrase_at,
    ),
    '"kty': _jwk_at,
    "private-lines": _putty_at,
    "bearer": _bearer_at,
    "authorization": _authorization_at,
    "@tcp(": _dsn_at,
    "initialadminpassword": _initial_at,
    **dict.fromkeys(
        (
            "bindpw",
            "requirepass",
            "masterauth",
            "sslpassphrase",
            "auth_basic_password",
            "storepass",
            "keypass",
            "askpass",
        ),
        _initial_at,
    ),
    **dict.fromkeys(
        (
            "mfa_seed",
            "otp_seed",
            "totp_seed",
            "_hmac",
            "hmac=",
            "private key",
            "_salt",
            "pepper",
            "_auth",
            "sonar.login",
        ),
        _seed_at,
    ),
    **dict.fromkeys(COMMAND_WORDS, command_at),
    **dict.fromkeys(LOGIN_WORDS, login_after),
    **dict.fromkeys(PASSWORD_WORDS, said_after),
    **dict.fromkeys(PIN_WORDS, pin_after),
    **dict.fromkeys(("to sign in", "to log in", "to login"), sign_in_before),
    **dict.fromkeys(("securestring", "httponly"), _beside_value),
    **dict.fromkeys(_PREFIXES, _token_at),
    'send "': _sent_at,
    **dict.fromkeys(
        [f".{end} {sign} " for end in ("com", "org", "net", "io", "de", "dev", "local") for sign in ("/", "//", "|")],
        mail_login_at,
    ),
    "jdbc:oracle:thin:": _oracle_at,
}


def _swallowed(word: str) -> tuple[FindAround, int] | None:
    """What is looked for around the end of a landmark, of some length, which is a landmark of its own."""
    if word.endswith("password") and _FINDERS[word] is not said_after:
        return said_after, len("password")
    if word.endswith(("key", "token", "secret")) and _FINDERS[word] is not key_after:
        return key_after, len("key")
    return None


_SWALLOWED = {word: inside for word in _FINDERS if (inside := _swallowed(word))}
_NAME = compile_later(r"[a-z]\w*")
# These count as the end of a longer word too.
_INSIDE = frozenset(
    {
        "password",
        "session-token",
        "hmac=",
        "token",
        "key",
        "keys",
        "secret",
        "schlüssel",
        "pepper",
        "storepass",
        "keypass",
        "askpass",
        "client(",
    }
)


def _pattern() -> str:
    words = sorted(_FINDERS, key=len, reverse=True)
    # Inside another word it is no landmark; those that begin with a sign, or a script without blanks, have no edge.
    edged = [
        (r"\b" if _NAME.match(word) and word not in _INSIDE else "")
        + re.escape(word)
        + (r"\b" if len(word) < 7 and word.isascii() and word.isalnum() and word not in _PREFIXES else "")
        for word in words
    ]
    return f"(?i:{HEADING}|{'|'.join(edged)})|{ENCODED}|{RANDOM}"


_LEAST_SAID = 64
_SAYS = compile_later(r"[^A-Za-z0-9_.:/+\-]")


@cache
def _landmarks() -> Landmarks:
    return Landmarks(_pattern())


def is_one_word(text: str) -> bool:
    """Whether it is an id, a name or a time, of which a trace has most: one word, and nothing is said about it."""
    # A line of a .pgpass file has no blank, but four colons.
    return len(text) < _LEAST_SAID and text.count(":") < 4 and not _SAYS.search(text)


def find_at_landmarks(text: str, holds_secret: Callable[[str], bool]) -> Iterator[SecretSpan]:
    """The secrets around every landmark; `holds_secret` judges what base64 says."""
    read_to = table_to = 0
    for start, end in _landmarks().spans(text):
        word = text[start:end].lower()
        if (find := _FINDERS.get(word)) is not None:
            yield from find(text, start, end)
            if word in _SWALLOWED:
                find, length = _SWALLOWED[word]
                yield from find(text, end - length, end)
        elif word[-1] in "|,;\t)\n│":
            # What stands below a heading is no heading.
            if start >= table_to:
                spans, table_to = table_at(text, start, end)
                yield from spans
            yield from _inside_heading(text, start, end, word)
        elif start >= read_to:
            start += text[start] in SIGNS_BEFORE
            span, read_to = encoded_at(text, start, holds_secret)
            if span := span or random_at(text, start):
                yield span


def _inside_heading(text: str, start: int, end: int, word: str) -> Iterator[SecretSpan]:
    """A heading swallowed the word that it ends with."""
    if "key" in word or "token" in word or "secret" in word:
        yield from key_after(text, start, end)
    at = word.rfind("password")
    if at >= 0:
        yield from said_after(text, start + at, start + at + len("password"))
