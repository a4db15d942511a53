"""A stricter look, for what is shared: what only may be a secret, by the words around it or by its letters.

The archive of traces is private, and a value that is no secret should stay readable there. A memory is a file that
others get: here a doubt is enough. So a word of letters counts when somebody says that it is a password, and so do a
PIN, a code that came by mail, and a long random word without a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from math import log2

from lerim.lazy_regex import compile_later
from lerim.regex import Hints
from lerim.sources.redact import replaced_at, secrets_of
from lerim.sources.secret_talk import PASSWORD_WORDS
from lerim.sources.secret_values import CARRIED, SecretSpan, has_digits, is_mixed, is_placeholder, is_random

_WORDS = "|".join(re.escape(word) for word in sorted(PASSWORD_WORDS, key=len, reverse=True))
_IS = r"(?:is|was|=|:|：|ist|lautet|war|est|es|é|è|jest|to|är|er|je|on|este|είναι|là|هي|は|是|为|為|은|는|—|–|-)"
# "the password is swordfish", "пароль: ромашка", "Passwort lautet 'geheim'"
_SAID = compile_later(
    rf"(?<!\w)(?:{_WORDS})\w{{0,4}}[* ]{{0,4}}{_IS}[* ]{{0,4}}"
    r"(?:[\"'`“„«「]([^\"'`“”»」\n]{4,64})[\"'`“”»」]|([^\s\"'`]{4,64}))",
    re.IGNORECASE,
)
_USE = "(?:use|try|enter|type|with|nimm|nutze|utilise|usa|gebruik|använd|użyj|используй)[ ][\"'`“]?"
_FOR = "[\"'`”]?[ ](?:for|on|as|to (?:log|sign) (?:in|on)|für|pour|para|per|voor|för|do|для)[ ]"
# "use hunter2 for the db", "nimm sommer99 für die Datenbank"
_USED = compile_later(
    rf"(?<!\w){_USE}([!-~]{{6,40}}?){_FOR}(?:\w{{1,8}}[ ]){{0,2}}"
    r"(?:db|database|datenbank|login|log-?in|admin|root|staging|server|vpn|wi-?fi|account|ssh|sudo|base|konto|vault)\b",
    re.IGNORECASE,
)
_PINS = r"(?:(?:PIN|Pin)(?:-?[Cc]ode)?|pin[ -]?code|(?:the|my|your|die|meine|le|el|il) pin|PUK|TAN|暗証番号)"
_OF_PIN = rf"[ ]{{0,2}}(?:{_IS}|für \w+ {_IS}|for \w+ {_IS})?[ ]{{0,2}}[\"'`]?([0-9]{{4,8}})"
_PIN = compile_later(rf"(?<!\w){_PINS}{_OF_PIN}(?![0-9.,:/\-]?[0-9])")
_CODES = (
    r"(?:(?:one-?time|verification|security|2fa|otp|mfa|login|sign-?in|auth\w*|sms|backup|recovery|access|door|gate"
    r"|alarm|unlock|confirmation|activation)[ -](?:pass)?code|passcode|otp|einmalcode|einmalkennwort|bestätigungscode"
    r"|sicherheitscode|code de (?:vérification|sécurité)|código de (?:verificación|seguridad|verificação)"
    r"|codice di verifica|verificatiecode|kod weryfikacyjny|код подтверждения|одноразовый код|验证码|驗證碼|認証コード"
    rf"|確認コード|인증번호|인증 코드|doğrulama kodu|verifieringskod)s?[ ]{{0,2}}(?:{_IS})?[ ]{{0,2}}[\"'`「]?"
    r"([0-9]{4,8}|[0-9]{3}[ \-][0-9]{3}|[A-Z0-9]{4}-[A-Z0-9]{4}|[a-z0-9]{5}-[a-z0-9]{5})"
)
_CODE = compile_later(rf"(?<!\w){_CODES}(?![\w.]?[0-9])", re.IGNORECASE)
_LONG_WORD = compile_later(r"(?<![\w/.\-+=@:%])[A-Za-z0-9_\-+/]{24,512}={0,2}(?![\w/.(])")
_NAMED = compile_later(r"(?:key|token|secret|passw\w*|credential|bearer|auth\w*)\b[^\n]{0,40}\Z", re.IGNORECASE)
_DIGEST = compile_later(
    r"(?:sha|md5|hash|digest|checksum|commit|revision|integrity|etag|uuid|\bid|public|ssh-|fingerprint)[^\n]{0,24}\Z",
    re.I,
)
_HEX = compile_later(r"[0-9a-f]{32,}|[0-9A-F]{32,}")
_UUID = compile_later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# A word that an identifier or a path is made of.
_SPELLED = compile_later(r"[a-z]{5,}|[A-Z]{6,}")
# What is said about a password that is none: it is hashed, required, the same, in the vault.
_NO_PASSWORD = frozenset(
    (
        *("required", "optional", "correct", "wrong", "incorrect", "invalid", "valid", "empty", "missing", "known"),
        *(
            "secure",
            "weak",
            "strong",
            "mandatory",
            "public",
            "private",
            "visible",
            "plain",
            "plaintext",
            "null",
            "none",
        ),
        *(
            "unset",
            "unknown",
            "safe",
            "sent",
            "kept",
            "read",
            "never",
            "always",
            "only",
            "also",
            "still",
            "just",
            "used",
        ),
        *("from", "with", "that", "this", "what", "then", "there", "here", "part", "same", "your", "their", "text"),
        *("bcrypt", "argon2", "scrypt", "string", "bool", "boolean", "true", "false", "blank", "default", "random"),
        *("too", "very", "about", "long", "short", "stale", "leaked", "needed", "falsch", "richtig", "leer", "nicht"),
        *(
            "immer",
            "noch",
            "pflicht",
            "obligatoire",
            "incorrecto",
            "correcto",
            "vacía",
            "requis",
            "vide",
            "where",
            "when",
        ),
        *(
            "which",
            "they",
            "after",
            "before",
            "must",
            "should",
            "will",
            "have",
            "been",
            "being",
            "does",
            "into",
            "over",
        ),
    )
)
_ENDS = ("ed", "ing", "ly", "able", "ible", "ful", "less", "ous", "ive", "ized", "tion", "ment", "ness", "iert", "isch")
# Names with a number that a program or a version has.
_PRODUCT = compile_later(
    r"(?:python|py|node|postgres\w*|pg|psql|mysql|maria\w*|redis|mongo\w*|sqlite|http|utf|ipv|sha|md|base|java|jdk|vue|angular"
    r"|react|ubuntu|debian|k|s|ec|route|h|log|boto|psycopg|jinja|oauth|pydantic|es|ecma|x|arm|amd|gpt|claude|llama|qwen|mp|html"
    r"|css|web|neo|p|v|ed|rsa|aes|tls|ssl|win|windows|port|db|int|uint|float|go|php|ruby|perl|net|dotnet|swift|kotlin|rust|c"
    r"|step|phase|layer|level|server|host|node|client|user|test|team|env|stage|zone|region|us|eu|ap|east|west|line|m)[\-_.]?v?[0-9]",
    re.IGNORECASE,
)


def suspected(text: str) -> list[SecretSpan]:
    """All that is or may be a secret in a text, in order, none inside another."""
    found = secrets_of(text)
    hinted = _hints().standing_in(text)
    if _SAYS in hinted:
        found += [*_said(text), *_used(text), *_numbers(text)]
    if _HAS_LONG_WORD in hinted:
        found += _random(text)
    ours = replaced_at(text) if found else []
    kept: list[SecretSpan] = []
    for span in sorted(found, key=lambda span: (span.start, -span.end, span.rank)):
        is_replaced = any(start <= span.start and span.end <= end for start, end in ours)
        if (
            (not kept or span.start >= kept[-1].end)
            and "[redacted" not in text[span.start : span.end]
            and not is_replaced
        ):
            kept.append(span)
    return kept


_SAYS, _HAS_LONG_WORD = 0, 1


@cache
def _hints() -> Hints:
    """What stands in every text that says a password, a PIN or a code, and in every one with a long word: the
    beginnings of the patterns above, and more than they take. Most texts have nothing of it, and one pass tells."""
    used = f"{_USE}[!-~]*[0-9][!-~]*{_FOR}"
    # Python takes these for an i when cases are one; RE2 does not.
    says = rf"(?i:(?:{_WORDS})\w{{0,4}}[ ]{{0,2}}{_IS}|{used}|{_CODES})|{_PINS}{_OF_PIN}|[ıİ]"
    # `\w` is ASCII there.
    return Hints([says.replace(r"\w", r"[\pL\pN_]"), r"[A-Za-z0-9_\-+/]{24}"])


def _said(text: str) -> Iterator[SecretSpan]:
    for hit in _SAID.finditer(text):
        group = hit.lastindex or 1
        value = hit[group]
        if group == 2:
            value = value.rstrip(".,;:!?)")
            rest = text[hit.start(2) + len(value) :]
            # A bare word is told when the sentence ends with it, or goes on about what it opens.
            if not value.isascii() or not (has_digits(value, 1) or _ends_sentence(rest)):
                continue
        if _may_be_password(value):
            yield SecretSpan(hit.start(group), CARRIED, hit.start(group) + len(value), "password")


def _ends_sentence(rest: str) -> bool:
    return re.match(r"[.,;!?)]|\s*\Z|\s*\n|[ ](?:for|on|in|für|pour|para|and the user)\b", rest) is not None


def _may_be_password(value: str) -> bool:
    low = value.lower().strip()
    if is_placeholder(value) or low in _NO_PASSWORD or "password" in low or "[redacted" in low or "passwort" in low:
        return False
    words = low.split()
    # A phrase is a password only as people make them: a few short words.
    if len(words) > 1:
        return len(words) in (4, 5, 6) and all(word.isalpha() and 3 <= len(word) <= 9 for word in words)
    if low.isalpha():
        return len(low) >= 6 and not low.endswith(_ENDS) and not value.isupper()
    return bool(re.fullmatch(r"[!-~]{5,64}", value)) and not re.match(r"[~./$<{(\[]|\w+[./(]|[\w\-]+://", value)


def _used(text: str) -> Iterator[SecretSpan]:
    for hit in _USED.finditer(text):
        value = hit[1]
        if has_digits(value, 1) and any(map(str.isalpha, value)) and _is_no_name(value):
            yield SecretSpan(hit.start(1), CARRIED, hit.end(1), "password")


def _is_no_name(value: str) -> bool:
    return not _PRODUCT.match(value) and not re.search(r"[./:(){}\[\]\\]|^-", value) and not is_placeholder(value)


def _numbers(text: str) -> Iterator[SecretSpan]:
    for pattern, kind in ((_PIN, "pin"), (_CODE, "one-time-code")):
        for hit in pattern.finditer(text):
            yield SecretSpan(hit.start(1), CARRIED, hit.end(1), kind)


def _random(text: str) -> Iterator[SecretSpan]:
    """Long random words: on their own when letters of both cases and digits are mixed, else beside a telling word."""
    for hit in _LONG_WORD.finditer(text):
        word, before = hit[0], text[max(0, hit.start() - 64) : hit.start()]
        if is_placeholder(word) or _UUID.fullmatch(word) or _DIGEST.search(before):
            continue
        if _HEX.fullmatch(word):
            is_secret = _NAMED.search(before) is not None
        else:
            is_secret = is_random(word, 24, 3.0) and is_mixed(word) and has_digits(word, 3) and _entropy(word) > 3.9
            is_secret = is_secret and not _SPELLED.search(word)
        if is_secret:
            yield SecretSpan(hit.start(), CARRIED, hit.end(), "random")


def _entropy(word: str) -> float:
    """Bits a character, by how often each stands in the word."""
    shares = [word.count(character) / len(word) for character in set(word)]
    return -sum(share * log2(share) for share in shares)
