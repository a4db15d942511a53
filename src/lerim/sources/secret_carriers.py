"""Secrets known by what carries them: addresses, headers, cookies, signed links, private key blocks."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import CARRIED, SHAPE, SecretSearch, SecretSpan, is_placeholder, is_random

# --- What follows a colon: URLs, bots, registry logins ----------------------------------------------------------------

_COLON = compile_later(
    r":(?://(?:[^\s/@\"'`<>\\]{1,400}@|[^\s:/@\"'`<>\\]{0,128}:[^\s\"'\\]{1,400}@|hooks\.slack\.com/|(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/"
    r"|[\w\-]{1,80}\.webhook\.office\.com/)"
    r"|AA[A-Za-z0-9_\-]{33}"
    r"|(?:(?<=\"auth\":)|(?<=\\\"auth\\\":))[ ]?\\?\"[A-Za-z0-9+/=]{8})"
)
_USER_INFO = compile_later(r"://([^\s:/@\"'`<>\\]{0,128}):([^\s/\"'`<>\\]{1,256})@(?=[\w\[${%<*.\-])")
# Passwords that nobody encoded: the last @ before a host ends them. A port, and what follows it, is none.
_ROUGH_INFO = compile_later(
    r"://([^\s:/@\"'`<>\\]{0,128}):(?![0-9]{1,5}[/?#])([^\s\"'\\@]{1,128}(?:@[^\s\"'\\@/?=]{1,64}){0,2}"
    r"(?:/[^\s\"'\\@?=]{1,64})?)@(?=[\w.\-]{1,100}(?::[0-9]{2,5}|/|[\s\"'`]|\Z))"
)
_USER_TOKEN = compile_later(r"://([A-Za-z0-9_\-.~]{20,256})@([\w.\-]{1,100})")
_WEBHOOK = compile_later(
    r"://(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,16}/(?:[A-Z0-9]{6,20}/)?([A-Za-z0-9/]{16,80})"
    r"|[\w.]{0,8}discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([\w\-]{40,100})"
    r"|[\w\-]{1,80}\.webhook\.office\.com/webhookb2/([\w\-@/]{30,300}))"
)
_REGISTRY_LOGIN = compile_later(r":[ ]?\\?\"([A-Za-z0-9+/]{8,512}={0,2})")


def _find_after_colon(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _COLON.finditer(text, at):
        start = hit.start()
        if hit[0].startswith("://"):
            yield from _in_url(text, start)
        elif hit[0].startswith(":AA"):
            # A Telegram bot: its number is public, what follows is not.
            if text[max(0, start - 7) : start].isdigit() and is_random(hit[0], 24):
                yield SecretSpan(start + 1, SHAPE, hit.end(), "telegram-token")
        elif (login := _REGISTRY_LOGIN.match(text, start)) and _is_basic(login[1]):
            yield SecretSpan(login.start(1), CARRIED, login.end(1), "basic-auth")


def _in_url(text: str, at: int) -> Iterator[SecretSpan]:
    if hook := _WEBHOOK.match(text, at):
        group = hook.lastindex or 0
        if is_random(hook[group], 16):
            yield SecretSpan(hook.start(group), CARRIED, hook.end(group), "webhook-url")
    elif info := _ROUGH_INFO.match(text, at) or _USER_INFO.match(text, at):
        if is_url_password(info[2], info[1]):
            yield SecretSpan(info.start(2), CARRIED, info.end(2), "url-password")
        # `https://…:x-oauth-basic@host`: the token stands where the user does.
        if (
            is_random(info[1], 20)
            and "sentry" not in text[info.end() : info.end() + 100]
            and not is_placeholder(info[1])
        ):
            yield SecretSpan(info.start(1), CARRIED, info.end(1), "url-token")
    # The key in an address of Sentry is public.
    elif (info := _USER_TOKEN.match(text, at)) and "sentry" not in info[2] and is_random(info[1], 20):
        yield SecretSpan(info.start(1), CARRIED, info.end(1), "url-token")


def is_url_password(password: str, user: str) -> bool:
    # postgres:postgres and user:password are how examples are written; a port is no password.
    if len(password) < 4 or password == user or is_placeholder(password) or password.lower() in _DEFAULT_PASSWORDS:
        return False
    return not (password.isdigit() and len(password) <= 5)


_DEFAULT_PASSWORDS = {
    *("pass", "passwd", "password", "pw", "pwd", "secret", "token", "key"),
    *("admin", "root", "user", "guest", "postgres", "mysql", "mongo", "redis", "minioadmin"),
}

_SIGNATURE = compile_later(
    r"=(?=[A-Za-z0-9%+/_~\-]{16})(?:(?<=[?&;6]sig=)(?P<azure_sas>[A-Za-z0-9%+/_\-]{16,128}={0,2})"
    r"|(?<=X-Amz-Signature=)(?P<aws_signature>[0-9a-f]{64})"
    r"|(?<=X-Amz-Security-Token=)(?P<aws_session_token>[A-Za-z0-9%+/_\-]{40,}+={0,2})"
    r"|(?<=AccountKey=)(?P<azure_storage_key>[A-Za-z0-9+/]{43,86}={0,2})"
    r"|(?<=SharedAccessKey=)(?P<azure_access_key>[A-Za-z0-9+/]{43,86}={0,2})"
    r"|(?:(?<=[?&-]Signature=)|(?<=[?&-]signature=)|(?<=~hmac=))(?P<signed_url>[A-Za-z0-9%+/_~\-]{20,1024}={0,2})"
    r"|(?<=_auth=)(?P<basic_auth>[A-Za-z0-9+/]{12,512}={0,2})"
    # Functions, maps, weather: a key in a query, whatever it is called there.
    r"|(?:(?<=[?&]code=)|(?<=[?&]key=)|(?<=[?&]auth=)|(?<=[?&]appid=)|(?<=[?&]apikey=)|(?<=[?&]hapikey=)"
    r"|(?<=[?&]signature=))(?P<url_key>[A-Za-z0-9%+/_~\-]{20,512}={0,2}))"
)
_SAFE_QUERY = compile_later(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9]+\Z")


def _find_signature(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _SIGNATURE.finditer(text, at):
        kind = hit.lastgroup or ""
        if is_random(hit[kind], 16) and not _SAFE_QUERY.match(hit[kind]) and not is_placeholder(hit[kind]):
            yield SecretSpan(hit.start(kind), SHAPE, hit.end(), kind.replace("_", "-"))


# `%3Fkey%3D…`: a query inside a query.
_ENCODED_QUERY = compile_later(
    r"%3[Dd](?:(?<=appid...)|(?<=code...)|(?<=key...)|(?<=auth...)|(?<=ignature...)|(?<=sig...))([A-Za-z0-9_\-.~]{20,512})"
)


def _find_encoded_query(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _ENCODED_QUERY.finditer(text, at):
        if is_random(hit[1], 20) and not is_placeholder(hit[1]):
            yield SecretSpan(hit.start(1), SHAPE, hit.end(1), "url-key")


# --- Headers ----------------------------------------------------------------------------------------------------------

_BEARER = compile_later(r"B(?:earer|asic)\s{1,2}[A-Za-z0-9]")
_SCHEME = compile_later(r"(Bearer|Basic)\s{1,2}([A-Za-z0-9._~+/\-:]{8,512}={0,2})")
_AUTHORIZATION = compile_later(r"z(?<=[Aa]uthoriz)ation")
_AUTHORIZED = compile_later(
    r"ation\\{0,7}[\"'`]?\]?[ ]{0,4}[:=,][ ]{0,4}\\{0,7}[bf]?[\"'`]?"
    r"(?:(bearer|basic|token|bot|apikey|api-key|key|ssws|splunk)[ ]{1,2})?([A-Za-z0-9._~+/\-:]{8,512}={0,2})",
    re.IGNORECASE,
)
_COOKIE_PAIR = compile_later(r"([\w.\-]{1,64})=([^;\s\"'\\,]{16,512})")
_COOKIE = compile_later(r"kie\\{0,7}[\"'`]?[ ]{0,2}[:=][ ]{0,2}\\{0,7}[\"'`]?([^\r\n\"'\\]{1,4096})")
# `cookies={"session": "…"}`
_COOKIE_MAP = compile_later(r"kies[ ]{0,2}[:=][ ]{0,2}\{([^{}\r\n]{1,4096})\}")
_COOKIE_ITEM = compile_later(r"[\"']([\w.\-]{1,64})\\{0,7}[\"'][ ]?:[ ]?\\{0,7}[\"']([^;\s\"'\\,]{16,512})[\"'\\]")


def _find_bearer(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _BEARER.finditer(text, at):
        if (auth := _SCHEME.match(text, hit.start())) and _is_credential(auth[1].lower(), auth[2]):
            yield SecretSpan(auth.start(2), CARRIED, auth.end(2), f"{auth[1].lower()}-auth")


def _find_authorization(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _AUTHORIZATION.finditer(text, at):
        auth = _AUTHORIZED.match(text, hit.start() + 1)
        scheme = (auth[1] or "").lower() if auth else ""
        if auth and _is_credential(scheme, auth[2]):
            yield SecretSpan(auth.start(2), CARRIED, auth.end(2), "basic-auth" if scheme == "basic" else "bearer-auth")


def _is_credential(scheme: str, value: str) -> bool:
    if scheme == "basic":
        return _is_basic(value)
    return not is_placeholder(value) and is_random(value, 12 if scheme else 16)


def _is_basic(value: str) -> bool:
    """Whether this is `user:password` in base64; prose after the word Basic is not."""
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    user, colon, password = plain.partition(":")
    return bool(colon) and plain.isprintable() and bool(user or password)


def cookies_at(text: str, at: int) -> tuple[list[SecretSpan], int]:
    """The secrets in the cookie header, or the map of cookies, whose name ends at `at`, and where it ends."""
    pair_of, header = _COOKIE_PAIR, _COOKIE.match(text, at)
    if not header:
        pair_of, header = _COOKIE_ITEM, _COOKIE_MAP.match(text, at)
    if not header:
        return [], at
    pairs = pair_of.finditer(text, header.start(1), header.end(1))
    return [
        SecretSpan(pair.start(2), CARRIED, pair.end(2), "cookie")
        for pair in pairs
        if not is_placeholder(pair[2]) and is_random(pair[2], 16)
    ], header.end()


# --- Private keys -----------------------------------------------------------------------------------------------------

_BETWEEN_LINES = r"(?:[ \t\r\n\"'`+,|\\>#*]|-(?!-)|[0-9]{1,6}(?:→|\t|: ?|\| ?))"
_KEY_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\b[^\r\n\\]{0,120}"
_KEY_BEGIN = compile_later(r"-----BEGIN [A-Z0-9 ]{0,40}\Z")
_KEY_END = compile_later(r"-----END [A-Z0-9 ]{0,40}\Z")
# Only single characters are repeated possessively: early 3.11 releases get the span wrong when a group is.
_KEY_BLOCK = compile_later(
    r"KEY(?: BLOCK)?-----"
    rf"(?P<body>(?:{_BETWEEN_LINES}{{0,120}}(?:{_KEY_HEADER}|[A-Za-z0-9+/=]{{16,}}+))*)"
    # The last line of a whole key may be short, and so may be the one where a text was cut.
    rf"(?P<last>{_BETWEEN_LINES}{{0,120}}[A-Za-z0-9+/=]{{1,80}}+"
    rf"(?={_BETWEEN_LINES}{{0,120}}(?:-----END|\Z|\[…)))?"
    rf"(?:{_BETWEEN_LINES}{{0,120}}=?-----END [A-Z0-9 ]{{0,60}}-----)?"
)
# The same read backwards, for a key whose beginning was cut off. `→12` is the number a reading tool puts before a line.
_KEY_BACKWARDS = compile_later(
    r"(?:(?:[ \t\r\n\"'`+,|\\>#*]|-(?!-)|(?:→|\t|\||:)[0-9]{1,6})*[A-Za-z0-9+/=]{1,})(?:"
    r"(?:[ \t\r\n\"'`+,|\\>#*]|-(?!-)|(?:→|\t|\||:)[0-9]{1,6})*[A-Za-z0-9+/=]{16,}+)*"
)
_LONGEST_KEY = 16_000


def private_key_at(text: str, at: int) -> Iterator[SecretSpan]:
    """The key block whose marker `PRIVATE KEY` has its last word at `at`."""
    window = max(0, at - 64)
    before = text[window : at - len("PRIVATE ")]
    if begin := _KEY_BEGIN.search(before):
        block = _KEY_BLOCK.match(text, at)
        if block and _is_key_body(block["body"] + (block["last"] or "")):
            yield SecretSpan(window + begin.start(), SHAPE, block.end(), "private-key")
    elif end := _KEY_END.search(before):
        stop = window + end.start()
        backwards = text[max(0, stop - _LONGEST_KEY) : stop][::-1]
        body = _KEY_BACKWARDS.match(backwards)
        if body and _is_key_body(body[0]):
            yield SecretSpan(stop - body.end(), CARRIED, stop, "private-key")


def _is_key_body(body: str) -> bool:
    letters = set(body)
    return len(body) >= 16 and len(letters) >= 8 and any(map(str.isupper, letters)) and any(map(str.islower, letters))


_COLON_HINT = (
    r"://[^\s\"'\\]*@|hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|\.webhook\.office\.com/"
    r"|:AA[A-Za-z0-9_\-]{33}|\"auth\\?\":[ ]?\\?\""
)
_SIGNATURE_HINT = (
    r"(?:[?&;6]sig|X-Amz-Signature|X-Amz-Security-Token|AccountKey|SharedAccessKey|[?&-][Ss]ignature|~hmac|_auth"
    r"|[?&](?:code|key|auth|appid|apikey|hapikey))=[A-Za-z0-9%+/_~\-]{16}"
)
_ENCODED_QUERY_HINT = r"(?:appid|code|key|auth|ignature|sig)%3[Dd][A-Za-z0-9_\-.~]{20}"

SEARCHES: tuple[SecretSearch, ...] = (
    SecretSearch(_COLON_HINT, _COLON, _find_after_colon),
    SecretSearch(_SIGNATURE_HINT, _SIGNATURE, _find_signature),
    SecretSearch(_ENCODED_QUERY_HINT, _ENCODED_QUERY, _find_encoded_query),
    SecretSearch(r"B(?:earer|asic)[^!-~]", _BEARER, _find_bearer),
    SecretSearch(r"[Aa]uthorization", _AUTHORIZATION, _find_authorization),
)
