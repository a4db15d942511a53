"""Secrets known by the name they are given to: variables, keys of JSON and YAML, flags, fields, and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from string import ascii_letters, ascii_lowercase, ascii_uppercase

from lerim.lazy_regex import compile_later
from lerim.sources.secret_carriers import cookies_at, is_url_password, private_key_at
from lerim.sources.secret_shapes import after_prefix, after_prefix_hint, hex_key_at, prefixed_at
from lerim.sources.secret_values import (
    ASSIGNED,
    CARRIED,
    NOWHERE,
    Find,
    SecretSearch,
    SecretSpan,
    Suspicion,
    is_assigned,
    is_spaced_password,
)

# --- Assignments ------------------------------------------------------------------------------------------------------

# After the word, the rest of the name and a sign that a value follows.
_SIGN = (
    r"""(?=[\w.\-]{0,48}+(?:\\{0,7}["'`]?\]?[ \t]{0,8}(?:[:=,(>!?：|→│]"""
    r"""|->|%3[Dd]|%22|</(?:key|t[dh])|\{)|[ \t]{2,24}[!-~]{6}"""
    r"""|[ \t]{1,4}(?:(?:is|was|to|string)[ \t]|\\{0,7}["'`])"""
    r"""|\\{0,7}["'`]?,?(?:\s|\\n){1,24}\\{0,7}["']?(?:[Ss]ecured|[Vv]alue)\b|"\r?\n\r?\n[!-~]))"""
)
# `ENV TOKEN …`, `set -gx TOKEN …`, a list of variables: a blank alone, behind a name in capitals.
_UPPER_SIGN = _SIGN.replace("(?=", r"(?=[A-Z0-9_]{0,24}[ \t]{1,24}[!-~]{6}|", 1)
# `key` alone is any key of any map; passed, passing, broken and concrete are other words.
_LOWER_K = compile_later(
    rf"k(?:(?:ey(?<=[\w\-]key)|en(?<=[tT]oken)){_SIGN}|ie(?:\\{{0,7}}[\"'`]?[ ]?[:=]|s[ ]?[:=][ ]?\{{))"
)
_UPPER_K = compile_later(
    rf"K(?:(?:(?:ey|EY)(?<=[\w\-]K..)|EN(?<=TOKEN)){_UPPER_SIGN}|EY(?: BLOCK)?-----|(?<=SK)[0-9a-f]{{32}})"
)
_LOWER_P = compile_later(
    rf"p(?:(?:ass(?![ei])|wd?(?![a-ce-z])|sk(?![a-z])){_SIGN}|assword[ ]{{1,4}}(?=\S{{6}})|i(?<=dapi)[0-9a-f]{{32}})"
)
_UPPER_P = compile_later(rf"P(?:ass(?![ei])|ASS(?![EI])|w[d]?(?![a-ce-z])|WD?(?![A-CE-Z])|SK(?![A-Z])){_UPPER_SIGN}")
_LOWER_C = compile_later(rf"c(?:re(?:t(?<=[sS]ecret)|dential){_SIGN})")
_UPPER_C = compile_later(rf"C(?:(?:RET(?<=SECRET)|REDENTIAL|redential){_UPPER_SIGN})")

_AFTER_WORD = compile_later(
    r"""(?P<rest>[\w.\-]{0,48}+)
    (?P<sep>
      # A pair of a name and a value: {"name": "TOKEN", "value": "…"}, and the same in YAML and XML.
      \\{0,7}["'`]?,?(?:\s|\\n){0,24}(?:\\{0,7}["']\w{1,16}\\{0,7}["']:[ ]?\\{0,7}"?\w{1,16}\\{0,7}"?,[ ]?)?
      \\{0,7}["']?(?:parameter)?value\\{0,7}["'`]?[ ]{0,4}[:=][ ]{0,4}
    # A variable with a default.
    | \\{0,7}["'][ ]?\{[^{}]{0,160}?default[ ]{0,12}=[ ]{0,4}
    # A list of Apple's, and an element with a key.
    | </key>\s{0,24}<string>
    | </t[dh]>\s{0,24}<td[^<>]{0,80}>
    | (?:\\{0,7}["'`*]{1,3}\]?|\]|\*\*)?[ \t]{0,8}
      (?: :[ ]?[A-Za-z_&][\w.\[\]|?&]{0,30}[ ]=(?!=) | [ ]?string[ ]:?= | :=|=>|->|={1,3}|!={1,2}|\?=|:(?!:)|：|→|%3D
        | %22%3A[+]?%22
        | ,(?=[ \t]{0,24}\\{0,7}["'`]) | ,(?=[^\s,;"'`()]{6,256}(?:\r?\n|\Z)) )
      [ \t]{0,24}(?:(?:!!str|!!binary|&\w{1,24})[ ])?
      # A block of YAML, a text of TOML over several lines.
      (?:[|>][+\-]?[0-9]?[ \t]{0,4}(?:\r?\n|\\n)[ \t]{1,24}|\\\r?\n[ \t]{0,24}
        |(?:\r?\n|\\n)[ \t]{2,24}(?=[!-~]{6})(?![\w.\-]{1,40}:|-[ ]))?
    | \\{0,7}["'`]?[ \t]{1,4}(?:is|was|to)[ \t]{1,4}
    | \([ \t]{0,4}(?=\\{0,7}["'`])
    | (?:[ ]\w{1,24}="[^"<>]{0,80}")?>(?:<!\[CDATA\[)?
    | \\{0,7}["'`]?>
    # A cell of a table and the next one; a form's part.
    | \\{0,7}["'`]?[ \t]{0,24}[|│][ \t]{0,24}
    | "\r?\n\r?\n
    | [ \t]{1,24}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_VALUE = compile_later(
    r"""(?:base64:)?(?:[A-Za-z_\[\]][\w.:\[\]]{0,30}\([ ]?(?:\w{1,16}=)?|\[\s{0,12}|new[ ]\w{1,24}\()?
    [fbruFBRUN@$&]{0,2}
    (?P<quote>\"{3}|'{3}|\\{0,7}["'`]|\$\$)
    (?:(?:(?<=\"{3})|(?<='{3})|(?<=`))\\?\r?\n[ \t]{0,24})?(?P<inner>(?:(?!(?P=quote))(?:\\.|[^\r\n\\])){0,512})
    | (?:base64:)?(?P<bare>[^\s"'`\\;&<>|]{1,512}+)""",
    re.VERBOSE,
)
# In an environment file these do not end a value; what a shell reads as one sign does.
_TAIL = compile_later(
    r"(?!&&|\|\||;;|\|&|&>|[<>][&|<>])[;&|<>`](?![\s/]|[\w.\-]{1,40}=|\Z)[^\s\"'\\]{1,128}+(?=\r?\n|\\n|[\"']|\Z)"
)
_NEXT_PAIR = compile_later(r",(?=[\w.\-]{1,40}[=:])")
_KEY_WORD = compile_later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
_REST = compile_later(r"[\w.\-]{0,48}+")
_LONGEST_NAME = 48


def _find_assigned(anchor: re.Pattern[str]) -> Find:
    def find(text: str, at: int) -> Iterator[SecretSpan]:
        done = 0
        for hit in anchor.finditer(text, at):
            # Within what was judged as one value there is nothing more to ask.
            if hit.start() >= done:
                found, done = _named_at(text, hit)
                yield from found

    return find


def _named_at(text: str, hit: re.Match[str]) -> tuple[list[SecretSpan], int]:
    """The secrets that the word at `hit` announces, and how far the text was judged."""
    at = hit.start()
    if hit[0].startswith("kie"):
        return cookies_at(text, at)
    if hit[0].startswith("KEY") and text.endswith("PRIVATE ", 0, at) and (key := list(private_key_at(text, at))):
        return key, at
    if len(hit[0]) > len("dapi") + 16:
        return list(hex_key_at(text, at)), at
    span, done = _assigned_at(text, at)
    return [span] if span else [], done


def _assigned_at(text: str, at: int) -> tuple[SecretSpan | None, int]:
    """The secret assigned to the name around `at`, if any, and how far the text was judged."""
    start, rest = name_start(text, at), _REST.match(text, at)
    named = sort_of(text[start : rest.end()]) if rest else None
    after = _AFTER_WORD.match(text, at) if named else None
    if not named or not after:
        return None, at
    value = _VALUE.match(text, after.end())
    if not value or not _separates(after["sep"], text, start, value):
        return None, at
    # NAME=value as a shell and an environment file have it: the value is never code.
    is_plain = after["sep"] in {"=", "%3D", "%3d"} and text[start : after.end("rest")].isupper()
    span, done = _judged(text, value, *named, is_plain=is_plain)
    return (span, done) if span else (_default_at(text, after.end(), *named), done)


# What holds when nothing is set: `os.environ.get("X", "…")`, `process.env.X || '…'`, `${X:-…}`.
_DEFAULT = compile_later(
    r"(?:[^\n;{}]{0,100}?(?:\|\||\?\?|\?:|[ ]or|,)[ ]{0,2}[\"'`]([^\s\"'`]{6,128})[\"'`]"
    r"|\"?\$\{\w{1,64}:[-=]([^\s}\"']{6,128})\})"
)
_READS = ("env", "ENV", "${", "config", "settings")


def _default_at(text: str, at: int, kind: str, sort: Suspicion) -> SecretSpan | None:
    reads = text[at : at + 64]
    default = _DEFAULT.match(text, at) if any(map(reads.__contains__, _READS)) else None
    if default is None or default.lastindex is None:
        return None
    group = default.lastindex
    is_secret = is_assigned(default[group], sort, bare=False)
    return SecretSpan(default.start(group), ASSIGNED, default.end(group), kind) if is_secret else None


# As a mail provider makes them for programs: four times four letters.
_APP_PASSWORD = compile_later(r"[a-z]{4}(?:[ ][a-z]{4}){3}(?![ ]?[A-Za-z])")


def _is_unspoken(words: str) -> bool:
    """Whether one of the words has no vowel."""
    return any(not set(word) & set("aeiouy") for word in words.split())


def _judged(
    text: str, value: re.Match[str], kind: str, sort: Suspicion, *, is_plain: bool = False
) -> tuple[SecretSpan | None, int]:
    is_bare = value["bare"] is not None
    begin, end = value.span("bare" if is_bare else "inner")
    if sort is Suspicion.PASSWORD and (four := _APP_PASSWORD.match(text, begin)) and _is_unspoken(four[0]):
        return SecretSpan(begin, ASSIGNED, four.end(), kind), four.end()
    if is_plain and is_bare and (tail := _TAIL.match(text, end)):
        end = tail.end()
    elif is_bare:
        end = begin + len(_trimmed(value["bare"]))
    elif not text.startswith(value["quote"], end):
        # A string that was cut before its closing quote.
        end = begin + len(value["inner"].split(maxsplit=1)[0]) if value["inner"].strip() else begin
    is_spaced = not is_bare and sort is Suspicion.PASSWORD and is_spaced_password(text[begin:end], is_plain=is_plain)
    if is_spaced or is_assigned(text[begin:end], sort, bare=is_bare and not is_plain):
        return SecretSpan(begin, ASSIGNED, end, kind), end
    # In a quoted text that is no secret there may stand another assignment.
    return None, end if is_bare else begin


def name_start(text: str, at: int) -> int:
    least = max(0, at - _LONGEST_NAME)
    start = least + len(text[least:at].rstrip(_IDENTIFIER))
    # The n of `\n` belongs to the escape.
    if start and text[start - 1] == "\\" and text[start] in "nrt" and start < at:
        start += 1
    return start


# What sets a variable without a sign between: Dockerfiles, shells, servers' settings.
_SETS = compile_later(r"(?:\b(?:ENV|ARG|setenv|setx|set -[gUx]{1,3}|login [^\s]{1,64}|user [^\s]{1,64})[ ]+|\n|\A)\Z")


_TEST_NAME = compile_later(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])\w*(?:/[^\s]{1,200})?(?:[ ]\(\d|\s|\Z)")


def _separates(sep: str, text: str, name_start: int, value: re.Match[str]) -> bool:
    sign = sep.strip()
    if sign in {"", "to"} and text[name_start : name_start + 5].lower() == "pass ":
        return False  # a verb
    if sign == ":" and text.startswith("PASS:", name_start) and _TEST_NAME.match(text, value.start()):
        return False  # how a test of Go ended
    if sign.endswith((">", "CDATA[")) and not sign.endswith(("->", "=>", "\n")) and not sep.endswith((" ", "\n")):
        return _is_element(sign, text, name_start, value)
    if sign in {"|", "│"}:
        return text.rfind(sign, max(0, name_start - 40), name_start) >= 0 or sep.startswith(" ")
    if sign == "," and value["bare"] is not None:
        return _begins_line(text, name_start) and text[name_start : value.start() - 1].isupper()
    if not sign and value["bare"] is not None:
        return _is_directive(sep, text, name_start)
    return value["bare"] is None or not sign.endswith(("(", ",", "==", "!="))


def _is_element(sign: str, text: str, name_start: int, value: re.Match[str]) -> bool:
    closes = text.startswith(("<", ">", "\\u003c"), value.end())
    return closes and ("=" in sign or "key" in sign or text[max(0, name_start - 24) : name_start].rfind("<") >= 0)


def _is_directive(sep: str, text: str, name_start: int) -> bool:
    """Whether a blank alone sets what stands before it: `ENV TOKEN …`, `bindpw …`, a table of variables."""
    before = text[max(0, name_start - 80) : name_start]
    if "login " in before:  # a .netrc file
        return True
    name = text[name_start : name_start + _LONGEST_NAME].split(maxsplit=1)[0]
    if len(sep) > 1 and _begins_line(text, name_start):
        return True  # a list of names and values
    is_variable = name.isupper() and "_" in name
    return is_variable and (len(sep) > 1 or _SETS.search(before) is not None)


def _begins_line(text: str, at: int) -> bool:
    return not text[max(0, text.rfind("\n", max(0, at - 8), at) + 1) : at].strip() and (
        at < 8 or "\n" in text[at - 8 : at]
    )


def _trimmed(value: str) -> str:
    value = _NEXT_PAIR.split(value, maxsplit=1)[0].rstrip(".,:")
    while value and value[-1] in ")]}" and value.count(value[-1]) > value.count("([{"[")]}".index(value[-1])]):
        value = value[:-1].rstrip(".,:")
    return value


# What may follow the telling word of a name: DB_PASSWORD_PROD, SECRET_KEY_BASE, token2.
_TAIL_WORDS = {
    *("prod", "production", "dev", "development", "stage", "staging", "live", "local", "test", "default", "env"),
    *("old", "new", "main", "primary", "secondary", "base", "value", "string", "text", "plain", "b64", "base64"),
    *("hex", "v", "data", "pem"),
}
# Before `token`, `key` and `secret`: names that end like a secret's and hold none.
_HARMLESS = frozenset(
    (
        *("public", "publishable", "anon", "page", "next", "prev", "continuation", "cursor", "sync", "start", "end"),
        *("stop", "primary", "foreign", "cache", "sort", "partition"),
        *("idempotency", "i18n", "translation", "object", "row", "group", "map", "dict", "max", "min", "num", "input"),
        *("output", "total", "design", "color", "by", "per", "cancellation", "routing", "dedupe", "dedup", "unique"),
        *("composite", "lookup", "index", "hash", "shard", "bucket", "message", "event", "metric", "query", "join"),
        *("hot", "shortcut", "issue", "file", "blob", "config", "settings", "react", "sha", "etag", "range", "s3"),
    )
)
# Of a text, as language models read it.
_HARMLESS_TOKENS = frozenset(("pad", "eos", "bos", "unk", "mask", "special", "max", "min", "num", "per", "total"))
_HARMLESS_WORD = compile_later(rf"(?:{'|'.join(sorted(_HARMLESS))}|storage)(?:token|key|secret)")
_KEYS = (
    *("api", "access", "secret", "private", "signing", "encryption", "auth", "account", "master", "service", "role"),
    *("shared", "subscription", "license", "admin", "deploy", "webhook", "app", "application", "hmac", "cipher"),
    *("vault", "integration", "ingest", "ingestion", "write", "server", "project", "sharedaccess", "preshared"),
    *("unseal", "functions", "storageaccount", "client", "jwt", "crypto", "session", "cookie"),
)
_NAME_ENDS: tuple[tuple[tuple[str, ...], str, Suspicion], ...] = (
    (
        ("password", "passwd", "passphrase", "passwort", "passcode", "pwd", "userpass", "dbpass", "rootpw", "bindpw"),
        "password",
        Suspicion.PASSWORD,
    ),
    (("becomepass", "sshpass", "storepass", "keypass", "requirepass"), "password", Suspicion.PASSWORD),
    (("secretaccesskey",), "aws-secret-key", Suspicion.SECRET),
    (tuple(f"{word}key" for word in _KEYS), "key", Suspicion.SECRET),
    (("secret",), "secret", Suspicion.SECRET),
    (("credential", "credentials"), "credential", Suspicion.SECRET),
    (("token",), "token", Suspicion.TOKEN),
)
_SHORT_NAMES = frozenset({"pass", "psk", "pw"})


@lru_cache(maxsize=4096)
def sort_of(name: str) -> tuple[str, Suspicion] | None:
    """The kind of secret a variable, key, header or flag of this name holds; None when it holds none."""
    words = _KEY_WORD.findall(name)
    while len(words) > 1 and (words[-1].isdigit() or words[-1].lower() in _TAIL_WORDS):
        words.pop()
    if not words or _is_harmless([word.lower() for word in words]):
        return None
    joined = "".join(words).lower()
    for ends, kind, sort in _NAME_ENDS:
        if joined.endswith(ends):
            return kind, sort
    if words[-1].lower() in _SHORT_NAMES:
        return "password", Suspicion.PASSWORD
    # OPENAI_KEY in an environment; `key` alone is any key of any map.
    if words[-1].lower() == "key" and len(words) > 1:
        return "key", Suspicion.TOKEN if words[-1] == "KEY" else Suspicion.KEY
    return None


def _is_harmless(words: list[str]) -> bool:
    """Whether it is a key of a map, a token of a text, a page of a list: by whole words, `admin` is not `min`."""
    if _HARMLESS_WORD.fullmatch(words[-1]):
        return True
    if len(words) < 2 or words[-1] not in {"token", "key", "secret"}:
        return False
    # localStorage has keys, and so has an account of Azure's storage.
    if words[-2] in _HARMLESS_TOKENS:
        return words[-1] == "token"
    is_local = words[-2] == "storage" and (len(words) == 2 or words[-3] in {"local", "session"})
    return is_local or words[-2] in _HARMLESS


# --- Flags, and tokens after a dash -----------------------------------------------------------------------------------

_DASH = compile_later(
    r"-(?:" + after_prefix("-") + r"|(?:u|-user)[ =][\"'\\]{0,2}[^\s:\"'\\]{1,80}:[^\s\"'\\]{4}"
    r"|(?<!--)-(?=[A-Za-z])[A-Za-z0-9\-]{0,30}(?:pass|wd|ken|ret|key)[A-Za-z0-9\-]{0,20}[ ]"
    r"|(?<=sshpass -)p|p(?=[^\s\"'\\\-=/:]{5})(?=[^\s0-9!@#$%^&*]{0,40}[0-9!@#$%^&*]))"
)
_USER_FLAG = compile_later(r"-(?:u|-user)[ =](?:\\?[\"'])?[^\s:\"'\\]{1,80}:(?![:/])([^\s\"'\\]{4,256})")
#: What is left of a value in quotes that has blanks in it.
_UNTIL_QUOTE = compile_later(r"(?:[ ][^\s\"'\\]{1,64}){1,4}(?=\\?[\"'])")
_PASSWORD_FLAG = compile_later(r"-p[ ]?(?:\\?[\"'])?([^\s\"'\\]{5,256})")
_LONG_FLAG = compile_later(r"--([A-Za-z0-9\-]{1,60})[ ]{1,4}")


def _find_after_dash(text: str, at: int) -> Iterator[SecretSpan]:
    last = NOWHERE
    for hit in _DASH.finditer(text, at):
        span = prefixed_at(text, hit.end(), last) if len(hit[0]) == 1 else _flagged(text, hit.start())
        if span:
            yield (last := span)


def _flagged(text: str, at: int) -> SecretSpan | None:
    """The secret given to the flag at `at`: `-u user:…`, `--password …`, `-p…`."""
    if flag := _USER_FLAG.match(text, at):
        is_secret = is_url_password(flag[1], "") and not flag[1].isdigit()
        is_quoted = not {"'", '"'}.isdisjoint(flag[0])
        rest = _UNTIL_QUOTE.match(text, flag.end(1)) if is_quoted else None
        end = rest.end() if rest else flag.end(1)
        return SecretSpan(flag.start(1), CARRIED, end, "basic-auth") if is_secret else None
    if flag := _LONG_FLAG.match(text, at):
        named, value = sort_of(flag[1]), _VALUE.match(text, flag.end())
        return _judged(text, value, *named)[0] if named and value else None
    command = text[max(0, at - 80) : at].rpartition("\n")[2]
    if ("sshpass" in command or "mysql" in command) and (flag := _PASSWORD_FLAG.match(text, at)):
        is_secret = is_assigned(flag[1], Suspicion.PASSWORD, bare=True)
        return SecretSpan(flag.start(1), CARRIED, flag.end(1), "password") if is_secret else None
    return None


# --- A value before its name ------------------------------------------------------------------------------------------

_VALUE_FIRST = compile_later(
    r"alue(?<=[vV]alue)\\{0,7}[\"']?[ ]?[:=][ ]?\\{0,7}[\"']?([^\s\"'\\,]{6,256})\\{0,7}[\"']?,?(?:\s|\\n){0,24}"
    r"\\{0,7}[\"']?(?:[nN]ame|[kK]ey)\\{0,7}[\"']?[ ]?[:=][ ]?\\{0,7}[\"']?([\w.\-]{3,64})"
)


def _find_value_first(text: str, at: int) -> Iterator[SecretSpan]:
    for pair in _VALUE_FIRST.finditer(text, at):
        named = sort_of(pair[2])
        if named and is_assigned(pair[1], named[1], bare=False):
            yield SecretSpan(pair.start(1), ASSIGNED, pair.end(1), named[0])


# --- What stands wherever one of these is found -----------------------------------------------------------------------

# As far as it tells a name that something is given to: the sign, behind what a name may go on with.
_SIGN_HINT = (
    r"(?:\\*[\"'`]?\]?[ \t]*(?:[:=,(>!?：|→│{]|->|%3[Dd]|%22|</(?:key|t[dh]))|[ \t][ \t]"
    r"|[ \t](?:(?:is|was|to|string)[ \t]|\\*[\"'`])"
    r"|\\*[\"'`]?,?(?:[^!-~]|\\n)+\\*[\"']?(?:[Ss]ecured|[Vv]alue)|\"\r?\n\r?\n)"
)
_UPPER_SIGN_HINT = rf"(?:{_SIGN_HINT}|[ \t]+[!-~])"
_OTHERS = r"\x{80}-\x{10ffff}"
_GOES_ON = rf"[A-Za-z0-9_.\-{_OTHERS}]*"
_NAMED_HINT, _UPPER_NAMED_HINT = _GOES_ON + _SIGN_HINT, _GOES_ON + _UPPER_SIGN_HINT
_IN_NAME = rf"[A-Za-z0-9_\-{_OTHERS}]"


def _named_hint(word: str, unless: str, sign: str) -> str:
    """A word that something is given to, when none of some letters follows it."""
    letters = "".join(letter for letter in ascii_letters if letter not in unless)
    return rf"{word}(?:{sign}|[{letters}0-9_.\-{_OTHERS}]{_GOES_ON}{sign})"


_LOWER_K_HINT = rf"(?:{_IN_NAME}key|[tT]oken){_NAMED_HINT}|kie(?:\\*[\"'`]?[ ]?[:=]|s[ ]?[:=][ ]?\{{)"
_UPPER_K_HINT = rf"(?:{_IN_NAME}K(?:ey|EY)|TOKEN){_UPPER_NAMED_HINT}|KEY(?: BLOCK)?-----|SK[0-9a-f]{{32}}"
_LOWER_P_HINT = "|".join(
    (
        _named_hint("pass", "ei", _SIGN_HINT),
        _named_hint("pw", ascii_lowercase.replace("d", ""), _SIGN_HINT),
        _named_hint("psk", ascii_lowercase, _SIGN_HINT),
        r"password[ ]|dapi[0-9a-f]{32}",
    )
)
_UPPER_P_HINT = "|".join(
    (
        _named_hint("Pass", "ei", _UPPER_SIGN_HINT),
        _named_hint("PASS", "EI", _UPPER_SIGN_HINT),
        _named_hint("Pw", ascii_lowercase.replace("d", ""), _UPPER_SIGN_HINT),
        _named_hint("PW", ascii_uppercase.replace("D", ""), _UPPER_SIGN_HINT),
        _named_hint("PSK", ascii_uppercase, _UPPER_SIGN_HINT),
    )
)
_DASH_HINT = (
    rf"{after_prefix_hint('-')}|-(?:u|-user)[ =][^\s:]+:"
    r"|--[A-Za-z0-9\-]*(?:pass|wd|ken|ret|key)[A-Za-z0-9\-]*[ ]|sshpass -p|-p[^\s0-9!@#$%^&*]*[0-9!@#$%^&*]"
)

SEARCHES: tuple[SecretSearch, ...] = (
    SecretSearch(_DASH_HINT, _DASH, _find_after_dash, of_words=True),
    SecretSearch(r"[vV]alue\\*[\"']?[ ]?[:=]", _VALUE_FIRST, _find_value_first),
    SecretSearch(_LOWER_K_HINT, _LOWER_K, _find_assigned(_LOWER_K)),
    SecretSearch(_UPPER_K_HINT, _UPPER_K, _find_assigned(_UPPER_K), of_words=True),
    SecretSearch(_LOWER_P_HINT, _LOWER_P, _find_assigned(_LOWER_P), of_words=True),
    SecretSearch(_UPPER_P_HINT, _UPPER_P, _find_assigned(_UPPER_P)),
    SecretSearch(rf"(?:[sS]ecret|credential){_NAMED_HINT}", _LOWER_C, _find_assigned(_LOWER_C)),
    SecretSearch(rf"(?:SECRET|CREDENTIAL|Credential){_UPPER_NAMED_HINT}", _UPPER_C, _find_assigned(_UPPER_C)),
)
