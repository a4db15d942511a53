"""Secrets in base64: a key block, a login, a file of settings. What it says is read once, and never kept."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import CARRIED, SHAPE, SecretSpan

# The first of four characters holds the upper bits of a byte, which letters and signs of ASCII leave low.
ENCODED = r"(?:\b|\\n)(?:[A-Za-f][A-Za-z0-9+/]{3}){5}"
_RUN = compile_later(r"[A-Za-z0-9+/]{20,}+(?:(?:\r?\n|\\n)[A-Za-z0-9+/]{8,}+)*={0,2}")
_WHITESPACE = compile_later(r"\r?\n|\\n")
_KEY = "PRIVATE KEY"
_PRIVATE = ("-----BEGIN", "PuTTY-User-Key")
_LOGIN = compile_later(r"[\w.@\-]{1,64}:[!-~]{6,256}")
_AUTH_BEFORE = compile_later(r"auth\\{0,7}[\"']?[ ]?[:=][ ]?\\{0,7}[\"']?\Z", re.IGNORECASE)
_MOST_READ = 6_000
_LINE_SIGNS = str.maketrans("", "", "\n\r\t")


def encoded_at(text: str, start: int, holds_secret: Callable[[str], bool]) -> tuple[SecretSpan | None, int]:
    """The run of base64 that begins at `start`, when what it says is a secret or has one in it; how far was read."""
    start += 2 * text.startswith("\\n", start)
    run = _RUN.match(text, start, min(len(text), start + _MOST_READ))
    plain = _decoded(run[0]) if run else None
    if run is None or plain is None:
        return None, run.end() if run else start
    if plain.startswith(_PRIVATE) and _KEY in plain[:64]:
        whole = _RUN.match(text, start)
        return SecretSpan(start, SHAPE, (whole or run).end(), "private-key"), (whole or run).end()
    if _LOGIN.fullmatch(plain) and _AUTH_BEFORE.search(text[max(0, start - 24) : start]):
        return SecretSpan(start, SHAPE, run.end(), "basic-auth"), run.end()
    return SecretSpan(start, CARRIED, run.end(), "encoded-secret") if holds_secret(plain) else None, run.end()


def _decoded(run: str) -> str | None:
    """The text that a run of base64 says, as far as it is one."""
    data = _WHITESPACE.sub("", run).rstrip("=")
    data = data[: len(data) // 4 * 4] if len(data) % 4 == 1 else data
    try:
        plain = base64.b64decode(data + "=" * (-len(data) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return plain if plain.translate(_LINE_SIGNS).isprintable() else None
