"""Made-up secrets in the places where agents meet them. Bodies are drawn at random, so that no file holds a whole one.

The shapes are written down here a second time, from the vendors' descriptions and independent of the rules under test.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
DIGITS = string.digits

Make = Callable[[random.Random], str]


@dataclass(frozen=True)
class Planted:
    """A text with a secret in it. `secret` is what may not be left; `keeps` is what may not be lost."""

    kind: str
    place: str
    text: str
    secret: str
    keeps: str = ""


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


def _shape(*parts: str | tuple[str, int]) -> Make:
    """A maker from literal pieces and (alphabet, length) pieces."""
    return lambda rng: "".join(part if isinstance(part, str) else draw(rng, *part) for part in parts)


def _jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    claims = {"sub": draw(rng, DIGITS, 10), "name": draw(rng, string.ascii_lowercase, 8), "iat": rng.randrange(10**9)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{draw(rng, URLSAFE, 43)}"


def _discord(rng: random.Random) -> str:
    bot = base64.b64encode(draw(rng, "123456789", 18).encode()).decode().rstrip("=")
    return f"{bot}.{draw(rng, URLSAFE, 6)}.{draw(rng, URLSAFE, 38)}"


def _azure(rng: random.Random) -> str:
    return f"{draw(rng, ALNUM, 3)}8Q~{draw(rng, ALNUM + '_.~-', 34)}"


FIXED: dict[str, Make] = {
    "openai-classic": _shape("sk-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20)),
    "openai-old": _shape("sk-", (ALNUM, 48)),
    "openai-project": _shape("sk-", "proj-", (URLSAFE, 74), "T3Blbk", "FJ", (URLSAFE, 74)),
    "openai-service": _shape("sk-", "svcacct-", (URLSAFE, 120)),
    "openai-admin": _shape("sk-", "admin-", (URLSAFE, 120)),
    "deepseek": _shape("sk-", (HEX, 32)),
    "anthropic-api": _shape("sk-", "ant-", "api03-", (URLSAFE, 93), "AA"),
    "anthropic-admin": _shape("sk-", "ant-", "admin01-", (URLSAFE, 93), "AA"),
    "anthropic-oauth": _shape("sk-", "ant-", "oat01-", (URLSAFE, 86), "AA"),
    "openrouter": _shape("sk-", "or-v1-", (HEX, 64)),
    "google-api": _shape("AI", "za", "Sy", (URLSAFE, 33)),
    "google-oauth": _shape("ya", "29.", "a0", (URLSAFE, 160)),
    "google-client": _shape("GOC", "SPX-", (URLSAFE, 28)),
    "aws-id": _shape("AK", "IA", (BASE32, 16)),
    "aws-session-id": _shape("AS", "IA", (BASE32, 16)),
    "azure-client": _azure,
    "github-classic": _shape("gh", "p_", (ALNUM, 36)),
    "github-oauth": _shape("gh", "o_", (ALNUM, 36)),
    "github-user": _shape("gh", "u_", (ALNUM, 36)),
    "github-server": _shape("gh", "s_", (ALNUM, 36)),
    "github-refresh": _shape("gh", "r_", (ALNUM, 76)),
    "github-fine": _shape("github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab": _shape("gl", "pat-", (URLSAFE, 20)),
    "gitlab-deploy": _shape("gl", "dt-", (URLSAFE, 20)),
    "gitlab-runner": _shape("gl", "rt-", (URLSAFE, 20)),
    "slack-bot": _shape("xo", "xb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (ALNUM, 24)),
    "slack-user": _shape("xo", "xp-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 13), "-", (HEX, 32)),
    "slack-app": _shape("xa", "pp-1-", (UPPER, 11), "-", (DIGITS, 13), "-", (HEX, 64)),
    "stripe-live": _shape("sk", "_live_", (ALNUM, 24)),
    "stripe-long": _shape("sk", "_live_51", (ALNUM, 97)),
    "stripe-test": _shape("sk", "_test_", (ALNUM, 24)),
    "stripe-restricted": _shape("rk", "_live_", (ALNUM, 24)),
    "stripe-webhook": _shape("wh", "sec_", (ALNUM, 32)),
    "npm": _shape("np", "m_", (ALNUM, 36)),
    "pypi": _shape("py", "pi-", "AgEIcHlwaS5vcmc", (URLSAFE, 150)),
    "hugging-face": _shape("h", "f_", (string.ascii_letters, 34)),
    "jwt": _jwt,
    "sendgrid": _shape("S", "G.", (URLSAFE, 22), ".", (URLSAFE, 43)),
    "twilio": _shape("S", "K", (HEX, 32)),
    "discord": _discord,
    "digitalocean": _shape("do", "p_v1_", (HEX, 64)),
    "databricks": _shape("da", "pi", (HEX, 32)),
    "linear": _shape("lin", "_api_", (ALNUM, 40)),
    "notion-old": _shape("secr", "et_", (ALNUM, 43)),
    "notion": _shape("nt", "n_", (DIGITS, 11), (ALNUM, 35)),
    "vault": _shape("hv", "s.", (URLSAFE, 95)),
    "docker": _shape("dckr", "_pat_", (URLSAFE, 27)),
    "xai": _shape("xa", "i-", (ALNUM, 80)),
    "groq": _shape("gs", "k_", (ALNUM, 52)),
    "replicate": _shape("r", "8_", (ALNUM, 37)),
    "perplexity": _shape("pp", "lx-", (ALNUM, 48)),
    "supabase": _shape("sb", "p_", (HEX, 40)),
    "supabase-secret": _shape("sb", "_secret_", (URLSAFE, 31)),
    "shopify": _shape("shp", "at_", (HEX, 32)),
    "mailgun": _shape("ke", "y-", (HEX, 32)),
    "new-relic": _shape("NR", "AK-", (UPPER, 27)),
    "sentry": _shape("sntry", "u_", (HEX, 64)),
    "grafana": _shape("gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "atlassian": _shape("AT", "ATT3", "xFfGF0", (URLSAFE, 170), "=", (UPPER, 8)),
    "terraform": _shape((ALNUM, 14), ".atlas", "v1.", (URLSAFE, 67)),
    "age": _shape("AGE-", "SECRET-KEY-1", (BECH32, 58)),
    "postman": _shape("PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    "figma": _shape("fi", "gd_", (URLSAFE, 40)),
    "langsmith": _shape("ls", "v2_pt_", (HEX, 32), "_", (HEX, 10)),
    "nvidia": _shape("nv", "api-", (URLSAFE, 64)),
    "rubygems": _shape("ruby", "gems_", (HEX, 48)),
    "planetscale": _shape("pscale", "_tkn_", (URLSAFE, 43)),
    "netlify": _shape("nf", "p_", (ALNUM, 36)),
    "pulumi": _shape("pu", "l-", (HEX, 40)),
    "sonar": _shape("sq", "u_", (HEX, 40)),
    "tailscale": _shape("ts", "key-auth-", (ALNUM, 17), "-", (ALNUM, 32)),
    "resend": _shape("r", "e_", (ALNUM, 8), "_", (ALNUM, 24)),
    "airtable": _shape("pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    "brevo": _shape("xkey", "sib-", (HEX, 64), "-", (ALNUM, 16)),
}

ESC = "\x1b[32m"

#: Where a token of a known shape turns up, whatever it belongs to.
PLACES: dict[str, str] = {
    "env file": "# local settings\nSERVICE={}\nDEBUG=1\n",
    "shell": "export THING={} && make deploy",
    "python": 'client = Client("{}", timeout=30)\n',
    "javascript": "const client = new Client({{ auth: '{}' }});",
    "go": "\tclient := service.New(`{}`)\n",
    "json": '{{"ok": true, "value": "{}", "n": 3}}',
    "json in json": '{{"content": "VALUE=\\"{}\\"\\nNEXT=1"}}',
    "escaped line": '{{"command": "cat .env\\n{}\\nDEBUG=1"}}',
    "twice escaped": '{{"input": "{{\\"value\\": \\"{}\\"}}"}}',
    "curl": "curl -s -H 'X-Thing: {}' https://api.example.com/v1/items",
    "query": "GET https://api.example.com/v1/items?id=7&value={}&page=2",
    "encoded query": "redirect=https%3A%2F%2Fexample.com%3Fvalue%3D{}",
    "log": "2026-02-20T10:30:00Z ERROR upstream refused value {} (401)",
    "prose": "It failed, so I tried {}, which worked.",
    "sentence end": "The one to use is {}.",
    "markdown": "- use `{}` for staging\n- rotate it on Monday",
    "yaml": "service:\n  value: {}\n  region: eu\n",
    "toml": 'value = "{}"\n',
    "diff": "@@ -1,2 +1,2 @@\n-value={}\n+value=$VALUE\n",
    "numbered": "     3→SERVICE={}\n     4→PORT=80\n",
    "colored": ESC + "{}" + "\x1b[0m",
    "list": "['a', '{}', 'b']",
    "alone": "{}",
    "japanese": "新しい値は「{}」です。",
    "xml": "<value>{}</value>",
}

KEY_NAMES = {
    "password": ("password", "DB_PASSWORD", "dbPassword", "POSTGRES_PASSWORD", "smtp_passwd", "REDIS_PASS", "user_pwd"),
    "secret": ("client_secret", "clientSecret", "JWT_SECRET", "APP_SECRET", "session_secret", "webhookSecret"),
    "key": ("api_key", "apiKey", "OPENWEATHER_API_KEY", "SECRET_KEY", "private_key", "access_key", "ENCRYPTION_KEY"),
    "token": ("token", "ACCESS_TOKEN", "accessToken", "auth_token", "refresh_token", "BOT_TOKEN"),
}

STYLES: dict[str, str] = {
    "env": "PORT=80\n{key}={value}\nDEBUG=1\n",
    "export": "export {key}={value}",
    "quoted export": "export {key}='{value}'",
    "python": '{key} = "{value}"\n',
    "typed python": '{key}: str = "{value}"\n',
    "keyword": 'connect(host="db", {key}="{value}", port=5)',
    "javascript": "const {key} = '{value}';",
    "object": "{{ host: 'db', {key}: '{value}', port: 5 }}",
    "typescript": "const {key}: string = `{value}`;",
    "go": '{key} := "{value}"\n',
    "ruby": "config['{key}'] = '{value}'",
    "hash rocket": ":{key} => '{value}',",
    "environ": 'os.environ["{key}"] = "{value}"',
    "setenv": 'monkeypatch.setenv("{key}", "{value}")',
    "yaml": "db:\n  {key}: {value}\n  port: 5\n",
    "quoted yaml": "db:\n  {key}: '{value}'\n",
    "toml": '[db]\n{key} = "{value}"\n',
    "ini": "[db]\n{key} = {value}\nport = 5\n",
    "json": '{{"host": "db", "{key}": "{value}", "port": 5}}',
    "compact json": '{{"host":"db","{key}":"{value}","port":5}}',
    "escaped json": '{{"body": "{{\\"{key}\\": \\"{value}\\", \\"n\\": 1}}"}}',
    "twice escaped": '"{{\\\\\\"{key}\\\\\\": \\\\\\"{value}\\\\\\"}}"',
    "escaped env": '{{"content": "PORT=80\\n{key}={value}\\nDEBUG=1"}}',
    "flag": "tool login --{key} {value} --yes",
    "flag equals": "tool login --{key}={value} --yes",
    "docker": "docker run -e {key}={value} -p 80:80 image",
    "xml": "<{key}>{value}</{key}>",
    "connection": "Server=db;User Id=app;{key}={value};Timeout=5",
    "log": "INFO connecting with {key}={value} host=db",
    "prose": "the {key} is {value} for now",
    "backticks": "{key}: `{value}`",
    "sql": "CREATE USER app WITH {key} '{value}';",
    "json pair": '{{"name": "{key}", "value": "{value}"}}',
    "yaml pair": "env:\n  - name: {key}\n    value: {value}\n",
    "xml pair": '<add key="{key}" value="{value}" />',
    "query": "https://api.example.com/x?{key}={value}&page=2",
}

WORDS = ["falcon", "river", "copper", "winter", "maple", "harbor", "comet", "violet", "anchor", "meadow", "tiger"]


def _chosen_password(rng: random.Random) -> str:
    word = rng.choice(WORDS).capitalize()
    return (
        f"{word}{rng.choice(['', rng.choice(WORDS)])}{rng.randrange(10, 9999)}{rng.choice(['', '!', '#', '!!', '@x'])}"
    )


def _generated_password(rng: random.Random) -> str:
    return draw(rng, ALNUM + "!#%^*_-+.", rng.randrange(12, 25))


def _machine_value(rng: random.Random) -> str:
    alphabet, length = rng.choice(
        [(HEX, 32), (HEX, 40), (HEX, 64), (ALNUM, 20), (ALNUM, 32), (URLSAFE, 43), (BASE64, 44)]
    )
    return draw(rng, alphabet, length)


def fixed_shapes(rng: random.Random, per_kind: int) -> Iterator[Planted]:
    """Tokens of known shapes, each kind in several places."""
    places = list(PLACES.items())
    for kind, make in FIXED.items():
        for place, template in rng.sample(places, per_kind):
            secret = make(rng)
            yield Planted(kind, place, template.format(secret), secret)


def carried(rng: random.Random, per_kind: int) -> Iterator[Planted]:
    """Secrets known by what carries them: addresses, headers, key blocks, signatures."""
    for _ in range(per_kind):
        yield from _urls(rng)
        yield from _headers(rng)
        yield from _key_blocks(rng)
        yield from _cloud(rng)


def assignments(rng: random.Random, per_style: int) -> Iterator[Planted]:
    """Values of no known shape behind a telling name, in every style of writing an assignment."""
    for style, template in STYLES.items():
        for _ in range(per_style):
            kind = rng.choice(list(KEY_NAMES))
            key = rng.choice(KEY_NAMES[kind])
            chosen = [_chosen_password, _generated_password, _machine_value]
            value = (rng.choice(chosen) if kind == "password" else _machine_value)(rng)
            name = key.lower().replace("_", "-") if style.startswith("flag") else key
            yield Planted(kind, style, template.format(key=name, value=value), value)


def _urls(rng: random.Random) -> Iterator[Planted]:
    password = rng.choice([draw(rng, ALNUM, 16), _chosen_password(rng), draw(rng, ALNUM + "!$*_-.", 14) + "7"])
    for scheme in ("https", "postgres", "postgresql+asyncpg", "mysql", "mongodb+srv", "redis", "amqp", "ftp"):
        host = f"{draw(rng, string.ascii_lowercase, 6)}.internal:5432/app"
        text = rng.choice(["DATABASE={}\n", '{{"url": "{}"}}', "connect to {} now", 'url = \\"{}\\"'])
        yield Planted("url", scheme, text.format(f"{scheme}://app:{password}@{host}"), password, f"{scheme}://app:")
    token = draw(rng, ALNUM, 40)
    yield Planted(
        "url", "git remote", f"git clone https://{token}@git.example.com/a/b.git", token, "git.example.com/a/b"
    )
    hook = draw(rng, ALNUM, 24)
    yield Planted("url", "slack hook", f"POST https://hooks.slack.com/services/T0AB12CDE/B0FG34HIJ/{hook} ok", hook)
    hook = draw(rng, URLSAFE, 68)
    yield Planted("url", "discord hook", f"https://discord.com/api/webhooks/112233445566778899/{hook}", hook)


def _headers(rng: random.Random) -> Iterator[Planted]:
    token = draw(rng, URLSAFE, 40)
    yield Planted("header", "bearer", f'curl -H "Authorization: Bearer {token}" https://x.example.com', token)
    yield Planted("header", "json", f'{{"headers":{{"Authorization":"Bearer {token}"}}}}', token)
    yield Planted("header", "escaped", f'"{{\\"authorization\\": \\"token {token}\\"}}"', token)
    yield Planted("header", "python", f"headers = {{'Authorization': f'Bearer {token}'}}", token)
    yield Planted("header", "bare", f"> authorization: {token}\n> accept: */*", token)
    basic = base64.b64encode(f"app:{draw(rng, ALNUM, 12)}".encode()).decode()
    yield Planted("header", "basic", f"Authorization: Basic {basic}\r\nAccept: */*", basic)
    yield Planted("header", "registry", f'{{"auths": {{"r.example.com": {{"auth": "{basic}"}}}}}}', basic)
    password = draw(rng, ALNUM, 14)
    yield Planted("header", "curl user", f"curl -u app:{password} https://x.example.com", password, "-u app:")
    session = draw(rng, ALNUM, 32)
    yield Planted("cookie", "request", f"Cookie: theme=dark; sessionid={session}; lang=en", session, "theme=dark")
    yield Planted("cookie", "response", f"Set-Cookie: sid={session}; Path=/; HttpOnly", session, "Path=/")
    bot = draw(rng, DIGITS, 10)
    secret = "AA" + draw(rng, URLSAFE, 33)
    yield Planted("telegram", "url", f"https://api.telegram.org/bot{bot}:{secret}/getMe", secret, bot)


def key_lines(rng: random.Random, lines: int = 6) -> list[str]:
    return [draw(rng, BASE64, 64) for _ in range(lines)] + [draw(rng, BASE64, 22) + "=="]


def _key_blocks(rng: random.Random) -> Iterator[Planted]:
    name = rng.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
    begin, end = f"-----BEGIN {name}PRIVATE KEY-----", f"-----END {name}PRIVATE KEY-----"
    body = key_lines(rng)
    whole = [begin, *body, end]
    escaped = "\\n".join(whole)
    yield Planted("private key", "file", "\n".join(whole) + "\n", body[2], "\n")
    yield Planted(
        "private key",
        "indented",
        "key: |\n" + "".join(f"  {line}\n" for line in whole) + "port: 5\n",
        body[2],
        "port: 5",
    )
    yield Planted(
        "private key", "json", json.dumps({"private_key": "\n".join(whole) + "\n", "port": 5}), body[3], "port"
    )
    yield Planted("private key", "twice escaped", json.dumps(json.dumps({"k": "\n".join(whole)})), body[3])
    yield Planted("private key", "one line", f'KEY="{escaped}"', body[-1].rstrip("="))
    yield Planted("private key", "spaces", " ".join(whole), body[1])
    yield Planted("private key", "cut tail", "\n".join(whole[:4]), body[2])
    yield Planted("private key", "cut head", "\n".join([*body[2:], end, "done"]), body[3], "done")
    yield Planted("private key", "numbered", "\n".join(f"{n:6}→{line}" for n, line in enumerate(whole, 1)), body[3])
    yield Planted("private key", "diff", "\n".join(f"+{line}" for line in whole), body[3])
    pgp = [
        "-----BEGIN PGP PRIVATE KEY BLOCK-----",
        "Version: GnuPG v2",
        "",
        *body,
        "=aB3d",
        "-----END PGP PRIVATE KEY BLOCK-----",
    ]
    yield Planted("private key", "pgp", "\n".join(pgp), body[3])


def _cloud(rng: random.Random) -> Iterator[Planted]:
    secret, access = draw(rng, BASE64, 40), "AK" + "IA" + draw(rng, BASE32, 16)
    yield Planted("aws-secret", "file", f"[default]\naws_secret_access_key = {secret}\n", secret, "[default]")
    yield Planted("aws-secret", "csv", f"Access key ID,Secret access key\n{access},{secret}\n", secret)
    storage = draw(rng, BASE64, 86) + "=="
    text = f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={storage};EndpointSuffix=core.windows.net"
    yield Planted("azure-storage", "connection", text, storage, "EndpointSuffix=core")
    signature = draw(rng, ALNUM, 40) + "%3D"
    yield Planted(
        "azure-sas", "url", f"https://x.blob.core.windows.net/c?sv=2024-01-01&sp=r&sig={signature}", signature
    )
    signed = draw(rng, HEX, 64)
    yield Planted(
        "aws-signature", "url", f"https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={signed}", signed
    )
