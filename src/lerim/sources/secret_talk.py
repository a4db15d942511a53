"""Secrets that people tell each other: "the password is …", "use … as password", in the languages people talk."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import CARRIED, SecretSpan, Suspicion, has_digits, is_assigned, is_mixed, is_random

#: Words for a password; letters that a language adds to them may follow.
PASSWORD_WORDS = (
    *("password", "passphrase", "passcode", "passwort", "passwörter", "kennwort", "mot de passe", "mdp", "contraseña"),
    *("contrasena", "clave", "senha", "palavra-passe", "parola d'ordine", "wachtwoord", "hasło", "hasła", "hasłem"),
    *("haslo", "parola", "şifre", "sifre", "heslo", "hesla", "salasana", "adgangskode", "passord", "lösenord"),
    *("losenord", "jelszó", "jelszo", "kata sandi", "mật khẩu", "κωδικός", "κωδικο", "пароль", "пароля", "паролем"),
    *("密码", "密碼", "口令", "パスワード", "비밀번호", "비번", "암호", "كلمة المرور", "كلمة السر"),
    *(
        "पासवर्ड",
        "รหัสผ่าน",
        "סיסמה",
        "סיסמא",
        "api key",
        "wlan-schlüssel",
        "wifi key",
        "wi-fi key",
        "clé wifi",
        "clave wifi",
        "network key",
        "pw",
        "pwd",
        "паролі",
        "пароли",
        "parool",
        "fjalëkalim",
        "lozinka",
        "geslo",
        "slaptažodis",
    ),
    *("parole", "пассворд", "пасс", "passwd", "kode laluan", "nenosiri"),
)
#: Words for a name and a password together.
LOGIN_WORDS = (
    *(
        "get in with",
        "get in w/",
        "login with",
        "log in with",
        "sign in with",
        "login as",
        "log in as",
        "log in using",
        "sign in as",
        "melde dich mit",
    ),
    *(
        "anmelden mit",
        "einloggen mit",
        "connecte-toi avec",
        "inicia sesión con",
        "entra con",
        "entra com",
        "log in met",
    ),
    *(
        "логин",
        "войди как",
        "zaloguj się",
        "giriş",
        "ログイン",
        "登录用",
        "로그인",
        "user/pass",
        "user/password",
        "username/password",
    ),
    *("login/password", "login/pass", "basic auth", "admin login", "root login"),
    "credentials",
    "creds",
    "zugangsdaten",
    "logindaten",
    "identifiants",
    "credenciales",
    "credenciais",
)

_SURE_LOGINS = frozenset(LOGIN_WORDS[LOGIN_WORDS.index("credentials") :])
_AS = frozenset({"as", "als", "comme", "como", "come", "jako", "как", "作为", "作為", "olarak"})

# Words that come right before what is told.
_COPULAS = frozenset(
    (
        *("is", "was", "be", "are", "to", "now", "ist", "lautet", "war", "sind", "auf", "est", "sont", "es", "son"),
        *("é", "è", "são", "zijn", "jest", "är", "er", "je", "este", "είναι", "là", "هي", "है", "היא", "הוא", "on"),
        *("type", "enter", "use", "try", "with", "mit", "avec", "con", "com", "met", "par", "na", "на", "naar", "till"),
        *(
            "til",
            "gib",
            "a",
            "em",
            "als",
            "as",
            "changed",
            "new",
            "temporary",
            "currently",
            "aktuell",
            "jetzt",
            "it's",
            "its",
            "it’s",
            "теперь",
            "сейчас",
        ),
        *("maintenant", "ahora", "agora", "ora", "nu", "teraz", "şimdi", "now:", "called", "equals", "heißt"),
        *("は", "是", "为", "為", "은", "는", "=", "→", "->", "=>", "—", "–", "-", ":", "：", "using"),
    )
)
_ENGLISH = frozenset(
    {"password", "passphrase", "passcode", "api key", "pw", "pwd", "passwd", "wifi key", "wi-fi key", "network key"}
)
_SIGNS = ("'est", "’est", ":", "=", "：", "→", "は", "是", "为", "為", "는", "은")
_PIECE = compile_later(r"[^\s]+|[\r\n]")
_ASCII_RUN = compile_later(r"[!-~]{6,128}")
# Latin to Arabic, Georgian: not the scripts that have no blanks. What begins with a digit is an amount.
_OTHER_WORD = compile_later(
    r"(?P<sign>[:=：]?)(?P<value>[\"'`«„“(]{0,2}(?![0-9])[!-~\u00c0-\u06ff\u10a0-\u10ff\u1e00-\u1fff]{6,64}[»“”]?)"
    r"[.,;!?»“”]?"
)
_MOST_GAP, _MOST_WORDS, _MOST_VALUE = 90, 7, 128
_QUOTES = "\"'`*“”„«»「」『』‘’()[]{}<>"
_NO_PASSWORD = compile_later(
    # Units, versions, dates, times, files, addresses, options, names of code.
    r"[<>=~^v]*[0-9][\d.,:/\-]*[a-z%]{0,7}|[\w.\-]+@[\w\-]+\.[\w.\-]+|[\w./\-]+\.[a-z]{1,5}[0-9]?(?::[0-9]+)*|-.*|[A-Z][A-Z0-9_]+"
    r"|[\w\-]+\(.*|.*[\w\]]\(\)?.*|#[0-9]+|[a-z]+(?:[_\-/.][a-z]+)*[_\-/.]?[0-9]{1,2}|.*[\\{}].*|[a-z]+://.*"
)
_AS_PASSWORD = compile_later(
    r"(?<![^\s\"'`“「(])([!-~]{6,64})[ \u00a0]{1,2}"
    r"(as|als|comme|como|come|jako|как|作为|作為|olarak|for|is|für|ist|pour|est|para|es|per|è|voor|do|to|для|это|that[’']s)"
    r"[ ]{0,2}(?:[^\W\d_]{1,12}[ ]){0,4}\Z"
)
_PAIR = compile_later(
    r"[ ]{0,2}(?:[:=：]|are|is|sind|sont|son|são)?[ ]{0,2}[\"'`(]?[\w.@\-]{2,64}[\"'`)]?"
    r"(?:[ ]{0,2}[:/,|，、][ ]{0,2}|[ ](?:and|und|et|y|e|en|i|и|with|mit|con|com|ve|と)[ ])[\"'`(]?([!-~]{6,128})"
    r"|[:=：]?[ \t]{0,4}\r?\n[ \t\-*]{0,8}[\w.@\-]{2,64}[ \t]{0,4}\r?\n[ \t\-*]{0,8}([!-~]{6,128})(?=\s|\Z)",
    re.IGNORECASE,
)
_TO_SIGN_IN = compile_later(
    r"(?:use|with|try|enter|as)[ ][\"'`]?[\w.@\-]{2,64}[\"'`]?(?:[ ]and[ ]|[ ]?[/:,][ ]?)"
    r"[\"'`]?([!-~]{6,64}?)[\"'`]?[ ]\Z"
)
# A line of its own, below the word that is all of the line above.
_BELOW = compile_later(r"[*_`\"':]{0,3}[ \t]{0,4}(?:\r?\n){1,2}[ \t]{0,8}([!-~]{6,64})[ \t]{0,4}(?=\r?\n|\Z)")
# A few words in quotes, as people make them.
_PHRASE = compile_later(
    r"\w{0,4}[ ]{0,2}(?:is|was|to|ist|lautet|est|es|é|è|=|:)[ ]{0,2}[\"'`“„«]"
    r"((?:[a-z]{3,9}[ ]){3,6}[a-z]{3,9})[\"'`”“»]"
)
_PLAIN_PHRASE = compile_later(r"[\w ]{0,40}?(?: is|:| =) ((?:[a-z]{3,9} ){3,6}[a-z]{3,9})[ \t]{0,4}(?=[.\r\n]|\Z)")
_MAIL = compile_later(r"[\w.+\-]{1,64}@[\w\-.]{1,64}\Z")
_MAIL_PASSWORD = compile_later(r"[!-~]{6,64}")
_SENTENCE = frozenset(
    (
        *("must", "not", "the", "your", "please", "have", "with", "should", "this", "that", "are", "and", "for", "can"),
        *("cannot", "does", "required", "enter", "password", "was", "will", "you", "from", "least", "characters"),
    )
)
_DICEWARE = compile_later(r"[a-z]{3,9}(?:-[a-z]{3,9}){3,7}")
# `password_….txt`: people keep them so.
_IN_FILE_NAME = compile_later(r"[_\-]([A-Za-z0-9]{12,64})(?=\.[a-z]{2,4}\b)")
# It is not the password that follows, but something about it.
_ABOUT = compile_later(
    r"[\w]{0,8}[ \-_](?:hash|manager|field|reset|polic|length|input|prompt|column|strength|file)", re.I
)


def said_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """What is told to be a password around the word that stands from `start` to `end`."""
    word = text[start:end].lower()
    if _ABOUT.match(text, end) or (len(word) < 5 and word.isascii() and text[end : end + 1].isalnum()):
        return
    named = _IN_FILE_NAME.match(text, end)
    if named and is_mixed(named[1]) and is_random(named[1], 12):
        yield SecretSpan(named.start(1), CARRIED, named.end(1), "password")
    before = _AS_PASSWORD.search(text, max(0, start - 120), start)
    if before and (span := _span(text, *before.span(1), is_introduced=before[2] in _AS)):
        yield span
    phrase = _PHRASE.match(text, end)
    if phrase and _SENTENCE.isdisjoint(phrase[1].split()):
        yield SecretSpan(phrase.start(1), CARRIED, phrase.end(1), "password")
    if word == "passphrase" and (plain := _PLAIN_PHRASE.match(text, end)) and _SENTENCE.isdisjoint(plain[1].split()):
        yield SecretSpan(plain.start(1), CARRIED, plain.end(1), "password")
    if word == "passphrase" and (dice := _DICEWARE.match(text, min(len(text), end + 1))) and text[end] == " ":
        yield SecretSpan(dice.start(), CARRIED, dice.end(), "password")
    if (below := _BELOW.match(text, end)) and (span := _span(text, *below.span(1), is_introduced=False)):
        yield span
    if span := _told(text, end, is_direct=word not in _ENGLISH):
        yield span
        # "the old one was …, the new one is …"
        if again := _told(text, span.end, is_direct=False):
            yield again


def sign_in_before(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The password of a pair with which somebody is to sign in."""
    window = max(0, start - 160)
    pair = _TO_SIGN_IN.search(text[window : start + 1])
    if pair and (span := _span(text, window + pair.start(1), window + pair.end(1), is_introduced=False)):
        yield span


def mail_login_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """`ada@example.com / …`"""
    given = _MAIL_PASSWORD.match(text, end) if _MAIL.search(text[max(0, start - 80) : start]) else None
    if given and (span := _span(text, *given.span(), is_introduced=False)):
        yield span


def login_after(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The password of a pair that is told: `credentials: ada / …`."""
    pair = _PAIR.match(text, end)
    is_sure = text[start:end].lower() in _SURE_LOGINS
    if pair and pair.lastindex and (span := _span(text, *pair.span(pair.lastindex), is_introduced=is_sure)):
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
        last = word.strip(_QUOTES).rstrip(",") or last
        words += piece.start() > end and any(map(str.isalpha, word))
    return None


def _in_piece(text: str, piece: re.Match[str], end: int, introduced: bool) -> SecretSpan | None:
    """The password in a word, or in one of a script without blanks; what belongs to the word before is none."""
    if piece[0].isascii():
        # `passwords`, `password:x`: names and signs are read elsewhere.
        if piece.start() == end and introduced and piece[0][0] in ":=":
            return _span(text, end + 1, piece.end(), is_introduced=True)
        is_apart = piece.start() > end
        return _span(text, *piece.span(), is_introduced=introduced) if is_apart else None
    # Other alphabets, which have blanks between words: all of it is one word.
    if introduced and (word := _OTHER_WORD.fullmatch(text, *piece.span())) and (span := _whole(text, word, end)):
        return span
    for run in _ASCII_RUN.finditer(text, *piece.span()):
        is_inside = not text[run.start() - 1].isascii()
        if (is_inside or introduced) and (span := _span(text, *run.span(), is_introduced=True)):
            return span
    return None


def _whole(text: str, word: re.Match[str], end: int) -> SecretSpan | None:
    """A word with other letters than those of ASCII; what hangs on the word before it is none."""
    if word.start() == end and not word["sign"]:
        return None
    return _span(text, *word.span("value"), is_introduced=True)


def _span(text: str, begin: int, end: int, *, is_introduced: bool) -> SecretSpan | None:
    while begin < end and text[begin] in _QUOTES:
        begin += 1
    while end > begin and text[end - 1] in ".,;:\"'`*)]}>\\":
        end -= 1
    value = text[begin:end]
    is_secret = is_said(value) and (is_introduced or _is_strong(value))
    is_secret = is_secret or (is_introduced and _DICEWARE.fullmatch(value) is not None)
    return SecretSpan(begin, CARRIED, end, "password") if is_secret else None


def is_said(value: str) -> bool:
    """Whether a word that is told to be a password can be one."""
    if len(value) > _MOST_VALUE or not has_digits(value, 1) or _NO_PASSWORD.fullmatch(value):
        return False
    return is_assigned(value, Suspicion.PASSWORD, bare=True)


def _is_strong(value: str) -> bool:
    return is_random(value, 12) or any(character in "!#$%^&*?@" for character in value) or is_mixed(value)
