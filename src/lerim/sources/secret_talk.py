"""Secrets that people tell each other: "the password is …", "use … as password", in the languages people talk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.sources.secret_values import CARRIED, SecretSpan, Suspicion, has_digits, is_assigned, is_mixed, is_random

#: Words for a password; letters that a language adds to them may follow.
PASSWORD_WORDS = (
    *("password", "passphrase", "passcode", "passwort", "passwörter", "kennwort", "mot de passe", "mdp", "contraseña"),
    *("contrasena", "clave", "senha", "palavra-passe", "parola d'ordine", "wachtwoord", "hasło", "hasła", "hasłem"),
    *("haslo", "parola", "şifre", "sifre", "heslo", "hesla", "salasana", "adgangskode", "passord", "lösenord"),
    *("losenord", "jelszó", "jelszo", "kata sandi", "mật khẩu", "κωδικός", "κωδικο", "пароль", "пароля", "паролем"),
    *("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "비번", "암호", "كلمة المرور", "كلمة السر"),
    *("पासवर्ड", "รหัสผ่าน", "סיסמה", "סיסמא", "api key"),
)
#: Words for a name and a password together.
LOGIN_WORDS = ("credentials", "creds", "zugangsdaten", "logindaten", "identifiants", "credenciales", "credenciais")

# Words that come right before what is told.
_COPULAS = frozenset(
    (
        *("is", "was", "be", "are", "to", "now", "ist", "lautet", "war", "sind", "auf", "est", "sont", "es", "son"),
        *("é", "è", "são", "zijn", "jest", "är", "er", "je", "este", "είναι", "là", "هي", "है", "היא", "הוא", "on"),
        *("は", "是", "为", "為", "은", "는", "=", "→", "->", "=>", "—", "–", "-", ":", "：", "using"),
    )
)
_ENGLISH = frozenset({"password", "passphrase", "passcode", "api key"})
_SIGNS = ("'est", "’est", ":", "=", "：", "→", "は", "是", "为", "為", "는", "은")
_PIECE = re.compile(r"[^\s]+|[\r\n]")
_ASCII_RUN = re.compile(r"[!-~]{6,128}")
_MOST_GAP, _MOST_WORDS, _MOST_VALUE = 90, 7, 128
_QUOTES = "\"'`*“”„«»「」『』‘’()[]{}<>"
_NO_PASSWORD = re.compile(
    # Units, versions, dates, times, files, addresses, options, names of code.
    r"[<>=~^v]*[0-9][\d.,:/\-]*[a-z%]{0,7}|[\w.\-]+@[\w\-]+\.[\w.\-]+|[\w./\-]+\.[a-z]{1,5}[0-9]?(?::[0-9]+)*|-.*|[A-Z][A-Z0-9_]+"
    r"|[\w\-]+\(.*|.*[\w\]]\(\)?.*|#[0-9]+|[a-z]+(?:[_\-/.][a-z]+)*[_\-/.]?[0-9]{1,2}|.*[\\{}].*|[a-z]+://.*"
)
_AS_PASSWORD = re.compile(
    r"(?<![^\s\"'`“「(])([!-~]{6,64})[ \u00a0]{1,2}"
    r"(?:as|als|comme|como|come|jako|как|作为|作為|olarak)[ ]{0,2}(?:[^\W\d_]{1,12}[ ]){0,3}\Z"
)
_PAIR = re.compile(
    r"[ ]{0,2}(?:[:=：]|are|is|sind|sont|son|são)[ ]{0,2}[\"'`(]?[\w.@\-]{2,64}[ ]{0,2}[:/,|][ ]{0,2}([!-~]{6,128})",
    re.IGNORECASE,
)
# It is not the password that follows, but something about it.
_ABOUT = re.compile(r"[\w]{0,8}[ \-_](?:hash|manager|field|reset|polic|length|input|prompt|column|strength|file)", re.I)


def said_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """What is told to be a password around the word that stands from `start` to `end`."""
    if _ABOUT.match(text, end):
        return
    before = _AS_PASSWORD.search(text, max(0, start - 120), start)
    if before and (span := _span(text, *before.span(1), is_introduced=True)):
        yield span
    if span := _told(text, end, is_direct=text[start:end].lower() not in _ENGLISH):
        yield span


def login_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The password of a pair that is told: `credentials: ada / …`."""
    pair = _PAIR.match(text, end)
    if pair and (span := _span(text, pair.start(1), pair.end(1), is_introduced=True)):
        yield span


def _told(text: str, end: int, *, is_direct: bool) -> SecretSpan | None:
    """The first piece behind a word for a password that can be one, when the words between introduce it.

    `is_direct` when nothing has to come between: a word that people do not also use of code.
    """
    last, words = "", 0
    stop = min(len(text), end + _MOST_GAP + _MOST_VALUE)
    # In JSON text a line ends so.
    escaped = text.find("\\n", end, stop)
    for piece in _PIECE.finditer(text, end, stop if escaped < 0 else escaped):
        word = piece[0]
        if word in "\r\n" or piece.start() - end > _MOST_GAP or words > _MOST_WORDS:
            return None
        introduced = last.lower() in _COPULAS or last.endswith(_SIGNS) or (is_direct and words == 0)
        if (introduced or words == 0 or not word.isascii()) and (span := _in_piece(text, piece, end, introduced)):
            return span
        if word[-1] in ".;!?。" and word not in _COPULAS:
            return None
        last = word.strip(_QUOTES).rstrip(",") or word
        words += piece.start() > end and any(map(str.isalpha, word))
    return None


def _in_piece(text: str, piece: re.Match[str], end: int, introduced: bool) -> SecretSpan | None:
    """The password in a word, or in one of a script without blanks; what belongs to the word before is none."""
    if piece[0].isascii():
        # `passwords`, `password:x`: names and signs are read elsewhere.
        is_apart = piece.start() > end
        return _span(text, *piece.span(), is_introduced=introduced) if is_apart else None
    for run in _ASCII_RUN.finditer(text, *piece.span()):
        is_inside = not text[run.start() - 1].isascii()
        if (is_inside or introduced) and (span := _span(text, *run.span(), is_introduced=True)):
            return span
    return None


def _span(text: str, begin: int, end: int, *, is_introduced: bool) -> SecretSpan | None:
    while begin < end and text[begin] in _QUOTES:
        begin += 1
    while end > begin and text[end - 1] in ".,;:\"'`*)]}>":
        end -= 1
    value = text[begin:end]
    is_secret = is_said(value) if is_introduced else is_said(value) and _is_strong(value)
    return SecretSpan(begin, CARRIED, end, "password") if is_secret else None


def is_said(value: str) -> bool:
    """Whether a word that is told to be a password can be one."""
    if len(value) > _MOST_VALUE or not has_digits(value, 1) or _NO_PASSWORD.fullmatch(value):
        return False
    return is_assigned(value, Suspicion.PASSWORD, bare=True)


def _is_strong(value: str) -> bool:
    return is_random(value, 12) or any(character in "!#$%^&*?@" for character in value) or is_mixed(value)
