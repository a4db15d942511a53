"""Secrets given to commands and statements, where no name says what they are: `redis-cli -a …`, `IDENTIFIED BY '…'`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import CARRIED, SecretSpan, Suspicion, has_digits, is_assigned, is_mixed, is_random

# The value of a flag, in quotes or not.
_VALUE = r"""(?:\\{0,3}"([^"\\\n]{4,256})|\\{0,3}'([^'\\\n]{4,256})|([^\s"'\\`|;&<>]{4,256}))"""
_REST = r"[^\n|;&]{0,200}?"


def _flags(flags: str) -> str:
    return rf"{_REST}[ ](?:{flags}){_VALUE}"


_MYSQL = _flags("-p(?=[^\\s])(?!assword)|--password[ =]")
_SHORT = _flags("-p[ ]?|--password[ =]|--pass[ =]|-password[ ]")
_LARGE = _flags("-P[ ]?")
_PIPED = rf"[ ](?:-n[ ]|-e[ ]|'%s' |\"%s\" |-[ ])?{_VALUE}[\"']?[ ]?\|[ ]?"

#: A command, and how it is given its secret.
_COMMANDS: dict[str, str] = {
    "redis-cli": _flags("-a[ ]|--pass[ ]"),
    **dict.fromkeys(("mysql", "mysqldump", "mysqladmin", "mariadb"), _MYSQL),
    **dict.fromkeys(("mongosh", "mongodump", "mongo", "cqlsh", "snowsql", "influx"), _SHORT),
    **dict.fromkeys(("docker login", "podman login", "sshpass", "helm registry login", "oc login"), _SHORT),
    **dict.fromkeys(("sqlcmd", "bcp", "unzip", "zip", "mosquitto_pub", "mosquitto_sub"), _LARGE),
    **dict.fromkeys(("7z a", "7z x"), _flags("-p")),
    "sqlplus": r"[ ](?:-[a-zA-Z][ ])?[\w.]{1,64}/(?:([^\s\"'@/]{4,128}))@",
    **dict.fromkeys(("ldapsearch", "ldapmodify", "ldapadd", "ldappasswd"), _flags("-w[ ]")),
    "smbclient": rf"{_REST}-U[ ]?[\"']?[\w.\\/]{{1,64}}%(?:([^\s\"']{{4,128}}))",
    "net use": rf"{_REST}/user:[^\s]{{1,80}}[ ](?:([^\s\"'/]{{4,128}}))",
    "lftp": rf"{_REST}-u[ ]?[\"']?[\w.]{{1,64}},(?:([^\s\"']{{4,128}}))",
    "htpasswd": rf"[ ]-[a-zA-Z]*b[a-zA-Z]*[ ][^\s]{{1,120}}[ ][^\s]{{1,80}}[ ]{_VALUE}",
    **dict.fromkeys(("useradd", "usermod"), _flags("-p[ ]")),
    "rabbitmqctl": rf"[ ](?:add_user|change_password)[ ][^\s]{{1,64}}[ ]{_VALUE}",
    "keytool": _flags("-storepass[ ]|-keypass[ ]"),
    "openssl": _flags("-k[ ]|-K[ ]|-pass(?:in|out)?[ ]pass:"),
    "gpg": _flags("--passphrase[ ]"),
    "vault login": rf"[ ](?!-){_VALUE}",
    "oathtool": rf"{_REST}[ ]{_VALUE}[ \"']*$",
    "xfreerdp": rf"{_REST}[ ]/p:{_VALUE}",
    "aws configure set": rf"[ ][\w.]{{0,60}}(?:secret|token)[\w.]{{0,20}}[ ]{_VALUE}",
    "npm config set": rf"[ ][^\s]{{0,120}}(?:_authToken|_auth|_password)[ =]{_VALUE}",
    "git config": rf"{_REST}(?:password|token)[ ]{_VALUE}",
    "gh secret set": _flags("--body[ =]|-b[ ]"),
    "http -a": rf"[ ][\"']?[^\s:\"']{{1,80}}:{_VALUE}",
    "http --auth": rf"[ =][\"']?[^\s:\"']{{1,80}}:{_VALUE}",
    "convertto-securestring": rf"[ ](?:-String[ ])?{_VALUE}",
    "cryptsetup": rf"{_REST}<<<[ ]?{_VALUE}",
    "password-command": rf"[ =][\"']?echo[ ]{_VALUE}",
    "mc alias set": rf"[ ][^\s]{{1,64}}[ ][^\s]{{1,120}}[ ][^\s]{{1,120}}[ ]{_VALUE}",
    "'auth': (": rf"[\"'][^\"'\n]{{1,64}}[\"'],[ ]?{_VALUE}",
    "kinit": rf"{_REST}<<<[ ]?{_VALUE}",
    "wrangler secret put": rf"{_REST}<<<[ ]?{_VALUE}",
    **dict.fromkeys(
        ("echo", "printf"),
        rf"{_PIPED}(?:sudo[ ][^\n]{{0,40}}-S|[^\n|]{{1,120}}--password-stdin|kinit|gh[ ]auth|base64)",
    ),
    "identified by": rf"[ ]{{1,3}}{_VALUE}",
    "identified with": rf"[ ][\w\"'`]{{1,40}}[ ]{{1,3}}(?:by|as)[ ]{{1,3}}{_VALUE}",
    "snmp-server community": rf"[ ]{_VALUE}",
    "enable secret": rf"[ ][0-9][ ]{_VALUE}",
    "http-basic.": rf"[\w.\-]{{1,80}}[ ][^\s]{{1,64}}[ ]{_VALUE}",
    "httpbasicauth(": rf"[\"'][^\"'\n]{{1,64}}[\"'],[ ]?{_VALUE}",
    "auth = (": rf"[\"'][^\"'\n]{{1,64}}[\"'],[ ]?{_VALUE}",
    "auth=(": rf"[\"'][^\"'\n]{{1,64}}[\"'],[ ]?{_VALUE}",
    "credentials(": rf"(?:\\?[\"'][^\"'\n]{{0,64}}\\?[\"'],[ ]?){{1,3}}{_VALUE}\\?[\"']?\)",
    "npmauthident": r"[\"']?:[ ]?[\"']?[\w.\-]{1,64}:([^\s\"']{6,256})",
    "bundle_": r"[A-Z0-9_]{1,80}[:=][ ]?[\"']?[\w.\-]{1,64}:([^\s\"'/]{8,256})",
    "ssh-keygen": _flags("-[PN][ ]"),
    "passwd --stdin": rf"{_REST}<<<[ ]?{_VALUE}",
    "net user": rf"[ ][^\s]{{1,64}}[ ]{_VALUE}",
    "acl setuser": rf"{_REST}>(?:([^\s\"']{{4,128}}))",
    "auth ": r"(?:\w{1,32}[ ])?(?:([^\s\"'`()=.,:]{6,256}))(?=\s*(?:\n|\Z|\\[rn]|[ ]SETNAME))",
    **dict.fromkeys(
        ("sp_addlogin", "rds_set_external_master"),
        rf"[^'\n]{{0,8}}(?:'[^'\n]{{0,80}}',[ ]?|[0-9]+,[ ]?){{1,3}}{_VALUE}",
    ),
    # A name and a password, one after the other.
    **dict.fromkeys(
        ("login(", "authenticate(", "sign_in(", "signin(", ".auth(", "basicauth(", "passwordauthentication("),
        rf"(?:\\?[\"'][^\"'\n]{{0,64}}\\?[\"'],[ ]?){{1,2}}{_VALUE}\\?[\"'][ ]?\)",
    ),
    "password-stdin": rf"{_REST}<<<[ ]?{_VALUE}",
}
_CHPASSWD = compile_later(r"[\"']?([^\s:\"']{1,64}):([^\s\"']{4,128})[\"']?[ ]?\|[ ]?(?:sudo[ ])?chpasswd")
COMMAND_WORDS = tuple(_COMMANDS)


@cache
def _rule(name: str) -> re.Pattern[str]:
    # Compiled when met: most traces meet few of them.
    return re.compile(_COMMANDS[name], re.IGNORECASE if name.startswith("identified") else 0)


def command_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The secret on the line of the command whose name stands from `start` to `end`."""
    name = text[start:end].lower()
    if name == "auth " and text[start : start + 4] != "AUTH":
        return  # Redis shouts; people do not.
    if name == "echo" and (pair := _CHPASSWD.match(text, end + 1)):
        yield SecretSpan(pair.start(2), CARRIED, pair.end(2), "password")
    given = _rule(name).match(text, end, min(len(text), end + 480))
    if given is None or given.lastindex is None:
        return
    group = given.lastindex
    if _is_given(given[group]):
        yield SecretSpan(given.start(group), CARRIED, given.end(group), "password")


#: Calls that take a password or a key among their arguments.
CALLS = (
    *("getconnection(", "mysqli(", "mysqli_connect(", "pdo(", "construct(", "client(", "client.new(", "fernet("),
    *("cookieparser(", "jwt.sign(", "jwt.verify(", "jwt.encode(", "jwt.decode(", "totp(", "wallet(", "hmac.new("),
    *("createhmac(", "secretkeyspec(", "symmetricsecuritykey(", "credential(", "networkcredential(", "setpassword("),
    *(
        "setbasicauth(",
        "passwordauthentication(",
        "wifi.begin(",
        "createcipheriv(",
        "sendkeys(",
        "send_keys(",
        "fill(",
        "smtp(",
        "transport(",
        "connect(",
        "login(",
    ),
)
_ARGUMENT = compile_later(r"\\?[\"'`]([^\s\"'`\\]{8,256})\\?[\"'`](?=[ ]?[,)\].])")
_BASE32 = compile_later(r"(?=[A-Z]*[2-7])[A-Z2-7]{16,64}")
_NAMED_ARGUMENT = compile_later(r"[.:/@].*[.:/@]|^https?:|^[a-z.\-]+$")


def call_at(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """The arguments of a call that can be nothing but secrets."""
    stop = text.find("\n", end, end + 300)
    for argument in _ARGUMENT.finditer(text, end, stop if stop >= 0 else min(len(text), end + 300)):
        if _is_argument(argument[1]):
            yield SecretSpan(argument.start(1), CARRIED, argument.end(1), "password")


def _is_argument(value: str) -> bool:
    if _BASE32.fullmatch(value):
        return True
    if (
        _NAMED_ARGUMENT.search(value)
        or not has_digits(value, 2)
        or not is_assigned(value, Suspicion.PASSWORD, bare=False)
    ):
        return False
    return is_random(value, 24, 2.6) or is_mixed(value)


def _is_given(value: str) -> bool:
    return is_random(value, 16) or is_assigned(value, Suspicion.PASSWORD, bare=True)
