"""Secrets that only the word beside them tells: random words called a key, codes, PINs, what a command printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lerim.lazy_regex import compile_later
from lerim.sources.secret_names import name_start, sort_of
from lerim.sources.secret_values import (
    CARRIED,
    SecretSpan,
    Suspicion,
    has_digits,
    is_assigned,
    is_mixed,
    is_placeholder,
    is_random,
)

# --- A random word that is called a key -------------------------------------------------------------------------------

#: Words for what is no password and as secret.
KEY_WORDS = (
    *("token", "key", "keys", "secret", "credential", "schlüssel", "clé", "clave", "chave", "chiave", "sleutel"),
    *("klucz", "ключ", "токен", "キー", "トークン", "密钥", "金鑰", "密鑰", "令牌", "키는", "키:", "토큰", "anahtarı"),
    *(
        "anahtar",
        "nyckel",
        "nøkkel",
        "nøgle",
        "avain",
        "klíč",
        "kulcs",
        "cheia",
        "κλειδί",
        "المفتاح",
        "מפתח",
        "kunci",
        "wif",
    ),
)
_OPAQUE = compile_later(r"(?<![A-Za-z0-9_\-+/.~@#%])[A-Za-z0-9_\-+/~.]{16,512}={0,2}(?![A-Za-z0-9_\-+/=@(])")
_HEX = compile_later(r"[0-9a-f]{32,128}|[0-9A-F]{32,128}")
_UUID = compile_later(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# Between a word and a key without capitals, which may be any digest: a sign, or nothing.
_TIGHT = compile_later(
    r"[\w \-()]{0,12}(?:[\"'`)\]]{0,2}[ \t]{0,4}(?:[:=：→—]|is|ist|est|es|è|é|to|は|는|是|为)?)?[\s\"'`*«「]{0,8}"
)
_OTHER = compile_later(
    r"id\b|name\b|hash|sha|digest|fingerprint|public|commit|cache|etag|checksum|integrity|ssh-|url\b", re.I
)
_OTHER_BEFORE = compile_later(
    r"(?:id|hash|sha\d*|digest|fingerprint|public|commit|etag|checksum|integrity|md5|ssh-\w+)\W{1,4}\Z", re.I
)
# Of what a key without capitals is: else it may be a digest.
_KEY_OF = compile_later(
    r"(?:api|aes|signing|encryption|private|secret|access|master|auth|with|hmac|deploy|shared|session)[ _\-]\Z", re.I
)
_OTHER_KEY = compile_later(r"(?:public|cache|hash|ssh|id|sha)[ _\-]?\Z", re.IGNORECASE)
# What agents, models and shops name their things by.
_CALL_ID = compile_later(r"(?:toolu|call|msg|req|chatcmpl|resp|run|thread|file|item|rs|fc|pi|pm|cus|pk|sub|evt)[_\-]")
_DIGIT = compile_later(r"[0-9]")
_MOST_GAP, _LEAST_KEY = 72, 16
# What a name or a path is made of, and a random word of this length hardly ever.
_SPELLED = compile_later(r"[a-z]{9}|[A-Z]{9}")


def key_after(text: str, start: int, end: int) -> Sequence[SecretSpan]:
    """The random word that follows a word for a key, on its line or as a line of its own below."""
    # Most words have no long one with a digit behind them, which is soon seen.
    stop = end + _MOST_GAP + _LEAST_KEY
    if not _DIGIT.search(text, end, stop) or not _has_long_word(text[end:stop]):
        return ()
    found = _OPAQUE.search(text, end, min(len(text), end + _MOST_GAP + 512))
    if found is None or found.start() - end > _MOST_GAP:
        return ()
    between = text[end : found.start()]
    if between.count("\n") > 3 or _OTHER.search(between) or _OTHER_KEY.search(text[max(0, start - 12) : start]):
        return ()
    value = found[0].rstrip(".")
    name = text[name_start(text, start) : end]
    # The key of a map, the token of a page: names know.
    is_harmless = name.isascii() and len(name) > end - start and sort_of(name) is None
    is_any = name.lower() in {"key", "keys"} and not _KEY_OF.search(text[max(0, start - 12) : start])
    is_secret = not is_harmless and _is_key(value, between, is_any=is_any)
    return (SecretSpan(found.start(), CARRIED, found.start() + len(value), "key"),) if is_secret else ()


def _has_long_word(near: str) -> bool:
    return any(len(word) >= _LEAST_KEY and _DIGIT.search(word) for word in near.split())


def _is_key(value: str, between: str, *, is_any: bool) -> bool:
    """Whether the word can be a key; `is_any` when all that was said is `key`, which any digest may be."""
    if is_placeholder(value) or _CALL_ID.match(value):
        return False
    if _HEX.fullmatch(value) or _UUID.fullmatch(value):
        return not is_any and has_digits(value, 6) and _TIGHT.fullmatch(between) is not None
    is_word = _SPELLED.search(value) or value.count("/") > 4 or value.count(".") > 1
    return not is_word and is_mixed(value) and has_digits(value, 2) and is_random(value, 16, 2.6)


# No name and no id of a program is so long and so mixed; what is encoded is longer, or has other signs.
# With what stands before it: paths and encoded data have other signs there.
SIGNS_BEFORE = " \t\r\n\"'=(>`"
RANDOM = rf"(?:^|[{SIGNS_BEFORE}])[A-Za-z0-9]{{32}}"
_RANDOM = compile_later(r"(?<![A-Za-z0-9_/.\-+@%#\\])[A-Za-z0-9]{32,100}={0,2}(?![A-Za-z0-9_/.(\-+=@:%])")


def random_at(text: str, start: int) -> SecretSpan | None:
    """The long random word at `start`, which needs no name."""
    word = _RANDOM.match(text, start)
    if (
        word is None
        or word[0].startswith("0x")
        or not is_mixed(word[0])
        or not has_digits(word[0], 3)
        or is_placeholder(word[0])
    ):
        return None
    is_secret = (
        is_random(word[0], 32, 2.4)
        and not _SPELLED.search(word[0])
        and not _OTHER_BEFORE.search(text[max(0, start - 24) : start])
    )
    return SecretSpan(start, CARRIED, word.end(), "random") if is_secret else None


# --- Codes and PINs ---------------------------------------------------------------------------------------------------

#: Words for a code that opens something once, or when all else is lost.
CODE_WORDS = (
    *("verification code", "security code", "one-time code", "one time code", "login code", "2fa code", "mfa code"),
    *("sms code", "backup code", "backup codes", "recovery code", "recovery codes", "otp", "totp", "2fa"),
    *("recovery key", "license key", "product key", "serial key", "unlock code", "license:", "licence:", "serial:"),
    *("activation code", "confirmation code", "access code", "bestätigungscode", "sicherheitscode", "einmalcode"),
    *(
        "wiederherstellungscode",
        "wiederherstellungscodes",
        "code de vérification",
        "code de sécurité",
        "code de secours",
    ),
    *(
        "codes de secours",
        "código de verificación",
        "código de seguridad",
        "código de verificação",
        "códigos de respaldo",
    ),
    *(
        "codice di verifica",
        "codici di recupero",
        "verificatiecode",
        "herstelcodes",
        "kod weryfikacyjny",
        "kody zapasowe",
    ),
    *(
        "код подтверждения",
        "одноразовый код",
        "резервные коды",
        "验证码",
        "驗證碼",
        "恢复码",
        "認証コード",
        "確認コード",
    ),
    *(
        "バックアップコード",
        "인증번호",
        "인증 코드",
        "백업 코드",
        "doğrulama kodu",
        "verifieringskod",
        "bekreftelseskode",
    ),
    *("setup key", "entry key", "manual key", "authenticator key", "enter this code", "secret key", "unseal key"),
)
PIN_WORDS = (
    "door code",
    "gate code",
    "alarm code",
    "pin",
    "puk",
    "暗証番号",
    "пин-код",
    "пинкод",
    "pin-code",
    "_pin",
    "pin code",
)
_COPULA = (
    r"(?:[ ](?:secret|code|codes|key|seed|backup))?"
    r"(?:[ ]{0,2}(?:\([^()\n]{0,60}\)|for[ ][\w ]{1,24}|für[ ][\w ]{1,24}|of[ ][\w ]{1,24}?|[0-9](?![\w\-]))[ ]{0,2})?"
    r"[\"'`*]{0,2}[ ]{0,2}"
    r"(?:is|was|are|now|ist|war|lautet|lauten|est|sont|es|son|é|è|jest|to|är|er|on|este|είναι|là|は|是|为|為|은|는|=|:|：|→|—|–|->)?"
    r"[\s\"'`*「『«\-•]{0,12}(?:[0-9]{1,2}[.)][ ])?"
)
_CODE = (
    r"(?:[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){1,7}|[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,5}"
    r"|[0-9]{6,8}|[0-9]{3}[ \-][0-9]{3}|[0-9]{4}[ ][0-9]{4}"
    r"|A3-[A-Z0-9\-]{16,40}|[A-Z2-7]{16,64}|[a-z2-7]{4}(?:[ ][a-z2-7]{4}){3,7}"
    r"|[A-Z2-7]{4}(?:[ ][A-Z2-7]{4}){3,7})"
)
_CODES = compile_later(
    rf"{_COPULA}({_CODE}"
    rf"(?:[\s,;|•*]{{1,4}}(?:[0-9]{{1,2}}[.)][ ])?{_CODE}){{0,24}})(?![\w.\-]?[0-9A-Za-z])"
)
_CODE_BEFORE = compile_later(r"\b([0-9]{6,8}) is your [A-Za-z ]{0,24}\Z")
_UNITS = "[kmgt]i?b|[kmµun]?[smvawg]|[cmk]m|[kmg]?hz|ns|px|pt|h|d|k|x"
_PIN = compile_later(rf"{_COPULA}([0-9]{{4,8}})(?![0-9.,:/\-]?[0-9]|[ ]?(?i:{_UNITS})\b)")


def code_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The code, or the list of codes, that follows a word for one; "123456 is your verification code"."""
    if before := _CODE_BEFORE.search(text[max(0, start - 48) : start]):
        at = max(0, start - 48) + before.start(1)
        yield SecretSpan(at, CARRIED, at + len(before[1]), "one-time-code")
    codes = _CODES.match(text, end, min(len(text), end + 700))
    if codes and has_digits(codes[1], 1) and not is_placeholder(codes[1]):
        yield SecretSpan(codes.start(1), CARRIED, codes.end(1), "one-time-code")


def pin_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The number that follows the word PIN. `pin` is also what is done to a version."""
    is_name = text[start:end] != "pin" or text[max(0, start - 4) : start].lower() in {"the ", "die ", " my ", "our "}
    number = _PIN.match(text, end, min(len(text), end + 80)) if is_name else None
    if number:
        yield SecretSpan(number.start(1), CARRIED, number.end(1), "pin")


# --- What a command printed -------------------------------------------------------------------------------------------

#: Commands that print a secret and nothing else.
PRINTING_COMMANDS = (
    *("base64 -d", "base64 --decode", "base64 -D", "auth token", "print-access-token", "print-identity-token"),
    *("keyvault secret show", "get-secret-value", "get-parameter", "pass show", "op read", "find-generic-password"),
    *(
        "op item get",
        "bw get password",
        "secret-tool lookup",
        "openssl rand",
        "pwgen",
        "initial-password",
        "master.key",
    ),
    *("initial_root_password", "read -s", "read -sp", "gopass show", "kv get", "secrets get"),
    *("token create", "create-token", "get-login-password", "get-token", "wg genkey", "uuidgen", "secrets.token_hex"),
    *(
        "secrets.token_urlsafe",
        "token_urlsafe",
        "fernet.generate_key",
        "secrets versions access",
        "sops -d",
        "age-keygen",
    ),
    *("credentials:show", "following password", "temporary password", "generated password", "initial password"),
    *("generated for you", "password for the elastic user", "reset-password", "config:get", "keyring get"),
)
_PRINTED = compile_later(r"[^\n]{0,160}\n(?:[ \t]{0,8}\n){0,2}[ \t]{0,8}([!-~]{8,512})[ \t]{0,4}(?=\r?\n|\Z)")


def printed_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The word that is all of the line below a command which prints secrets."""
    printed = _PRINTED.match(text, end, min(len(text), end + 720))
    if printed and _is_printed(printed[1]):
        yield SecretSpan(printed.start(1), CARRIED, printed.end(1), "secret")


def _is_printed(value: str) -> bool:
    if value[0] in "$#>-/[({<" or value.endswith((":", ";", "{", "(", ",", "\\")):
        return False
    return is_random(value, 16) or is_assigned(value, Suspicion.PASSWORD, bare=True)


# --- Hashes of passwords ----------------------------------------------------------------------------------------------

#: What they begin with.
HASH_MARKS = (
    "$2a$",
    "$2b$",
    "$2y$",
    "$6$",
    "$5$",
    "$1$",
    "$y$",
    "$apr1$",
    "$argon2id$",
    "$argon2i$",
    "{ssha}",
    "pbkdf2_sha256$",
)
_HASH = compile_later(r"[A-Za-z0-9./+=,$\-]{20,256}")


def hash_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """A hash that a password is guessed from."""
    rest = _HASH.match(text, end)
    if rest and is_random(rest[0].rpartition("$")[2] or rest[0], 16, 4.0) and not is_placeholder(rest[0]):
        yield SecretSpan(start, CARRIED, rest.end(), "password-hash")
