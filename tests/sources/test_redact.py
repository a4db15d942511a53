from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lerim.regex import Hints
from lerim.sources import secret_carriers, secret_names, secret_shapes
from lerim.sources.redact import Redactor
from lerim.sources.trace import Header, Moved, ToolCall, ToolResult, User, shorten

from ..conftest import examples
from ..samples import sampled
from . import secrets_corpus as corpus

SALT = b"salt of this test"
SEED = 20260220

FIXED = list(corpus.fixed_shapes(random.Random(SEED), per_kind=25))
CARRIED = list(corpus.carried(random.Random(SEED), per_kind=20))
ASSIGNED = list(corpus.assignments(random.Random(SEED), per_style=40))


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(SALT)


def github_token(seed: int = 1) -> str:
    return str(corpus.FIXED["github-classic"](random.Random(seed)))


# --- The drill --------------------------------------------------------------------------------------------------------


def _left(planted: list, redactor: Redactor) -> list:
    left = [item for item in planted if item.secret in redactor.clean(item.text)]
    print(f"{len(left)} of {len(planted)} left:")
    for item in left:
        print(f"  {item.kind} in {item.place}: {item.text!r}")
    return left


def test_corpus_is_large_enough_to_mean_something():
    """The drill plants thousands of secrets of many kinds."""
    assert len(FIXED) + len(CARRIED) >= 2_000
    assert len({item.kind for item in FIXED}) >= 25


def test_tokens_of_known_shapes_are_found(redactor):
    """Of tokens with a known shape, in whatever text, at most one in a hundred is left."""
    left = _left(FIXED, redactor)

    assert len(left) <= 0.01 * len(FIXED)


def test_carried_secrets_are_found(redactor):
    """Of passwords in URLs, headers, cookies, key blocks and cloud keys at most one in a hundred is left."""
    left = _left(CARRIED, redactor)

    assert len(left) <= 0.01 * len(CARRIED)


def test_assigned_secrets_are_found(redactor):
    """Of values assigned to a telling name at most one in ten is left, in every style of writing an assignment."""
    left = _left(ASSIGNED, redactor)
    by_style = Counter(item.place for item in left)

    assert len(left) <= 0.1 * len(ASSIGNED)
    assert [] == [style for style, count in by_style.items() if count > 0.25 * 40]


def test_no_vendor_is_missed_altogether(redactor):
    """Every kind of token is found nearly everywhere, not only on average."""
    left = Counter(item.kind for item in _left(FIXED, redactor))

    assert [] == [kind for kind, count in left.items() if count > 2]


def test_surroundings_of_a_secret_are_kept(redactor):
    """Scheme, user, host, neighboring settings and cookies stand as before."""
    lost = [item for item in CARRIED if item.keeps not in redactor.clean(item.text)]

    assert [] == lost


def test_planted_json_stays_json(redactor):
    """A secret in a JSON text is replaced without breaking the JSON."""
    broken = []
    for item in FIXED + CARRIED + ASSIGNED:
        try:
            json.loads(item.text)
        except ValueError:
            continue
        try:
            json.loads(redactor.clean(item.text))
        except ValueError:
            broken.append(item)

    assert [] == broken


def test_a_second_cleaning_changes_nothing(redactor):
    """What was cleaned is clean."""
    once = [redactor.clean(item.text) for item in FIXED + CARRIED + ASSIGNED]

    assert once == [redactor.clean(text) for text in once]


# --- What is no secret ------------------------------------------------------------------------------------------------

HASHES = {
    "@SHA1@": "9fceb02d0ae598e95dc970b74767f19372d61af8",
    "@SHA256@": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "@UUID@": "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "@INTEGRITY@": "sha512-qUJw3BQ0PZYZ1p4mQm2Xq7CwLxKQJ8t0iN6d3b1n7eWk5R2uFZy" + "q9V8hT4sJm" * 3 + "A==",
}


def _filled(line: str) -> str:
    for name, value in HASHES.items():
        line = line.replace(name, value)
    return line


NO_SECRETS = r"""
commit @SHA1@
Author: Ada <ada@example.com>
git checkout 9fceb02d0a
index 83db48f..bf2d9c1 100644
HEAD is now at 9fceb02 Add token refresh
git show @SHA1@:src/auth/token.py
"version": "1.2.3", "resolved": "https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz"
"integrity": "@INTEGRITY@"
resolution: {integrity: @INTEGRITY@}
checksum = "@SHA256@"
sha256:@SHA256@
image: nginx@sha256:@SHA256@
@SHA256@  dist/app.tar.gz
"hash": "@SHA1@"
password_hash = "@SHA256@"
token_sha256: @SHA256@
key: @SHA256@
"key": "@UUID@"
session_id=@UUID@
"sessionId":"@UUID@"
"uuid":"@UUID@","parentUuid":"@UUID@"
token_id = "@UUID@"
secret_id: @UUID@
"tool_use_id":"toolu_01A09q90qw90lq917835lq9"
call_id=call_9fK2mQ7xT4bN8vR1
"requestId":"req_011CSHoEeqs5C35K2UUqR7Fy"
key_id = "AC93KD0"
arn:aws:iam::123456789012:role/deploy-role
projects/123456/secrets/db-password/versions/4
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ1aWxkZXIga2V5IGZvciB0ZXN0cw builder@example.com
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
if "-----BEGIN PRIVATE KEY-----" in text:
The file begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----
-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----
public_key = "pk_live_51H8x"
NEXT_PUBLIC_STRIPE_PUBLISHABLE_KEY=pk_test_TYooMQauvdEDq54NiTphI7jx
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
[image, 34,120 bytes]
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
OPENAI_API_KEY=sk-your-api-key-here
ANTHROPIC_API_KEY=sk-ant-...
export ANTHROPIC_API_KEY="sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
GITHUB_TOKEN=<your token>
GITHUB_TOKEN=${GITHUB_TOKEN}
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
token: $CI_JOB_TOKEN
API_KEY=$(cat /run/secrets/api_key)
API_KEY=%API_KEY%
password: {{ vault_password }}
password = "{password}"
DB_PASSWORD=changeme
DB_PASSWORD=<password>
DB_PASSWORD=********
DB_PASSWORD=[hidden]
DB_PASSWORD=
DB_PASSWORD=""
password: null
password: None
"password": true
secret: false
secret_key = "REDACTED"
api_key = "your_api_key_123456"
api_key: "YOUR-API-KEY-1234"
apiKey: process.env.STRIPE_API_KEY2
api_key = os.environ["OPENAI_API_KEY"]
api_key = os.getenv("API_KEY_V2")
apiKey: import.meta.env.VITE_API_KEY
const token = await getToken();
token = get_token()
token = self._fetch_token(user_id=42)
token = tokens[0]
token = tokens[i + 1]
token = response.json()["access_token"]
token = request.headers.get("X-Auth-Token-2")
const password = req.body.password
password = form.cleaned_data["password1"]
secret = config.secret
secret = settings.SECRET_KEY
secret: Secret = field(default_factory=Secret)
password: str
password: string;
password: String!
password: Optional[str] = None
token: str | None = None
token: Uint8Array
tokens: 1234
max_tokens: 4096
max_tokens=200000
"input_tokens": 12345, "output_tokens": 678
token_count = 98304
total_tokens: 1,234,567
"cache_read_input_tokens":18443
tokens per second: 84.3
eos_token_id = 151645
pad_token = "<|endoftext|>"
bos_token: "<s>"
next_page_token = "CAUQAA0X7kq93mZb21xW8"
"continuationToken": "1a2B3c4D5e6F7g8H9i0J"
csrfToken: String
tokenizer = "cl100k_base"
token_type: bearer
grant_type=refresh_token
"token_endpoint": "https://auth.example.com/oauth2/v1/token"
password_field = "user_password_2"
password_reset_url = "https://example.com/reset?step=2"
passwordInput.value
password.length >= 8
if (password !== confirmPassword) {
if password == "":
PasswordHasher(algorithm="argon2id")
hash_password(password, rounds=12)
verify_password(plain, hashed)
secret_name: prod-db-credentials-v2
secretName: tls-cert-2024
secretKeyRef:
  key: password
credentials: include
credentials: 'same-origin'
credentials = service_account.Credentials.from_service_account_file(path)
GOOGLE_APPLICATION_CREDENTIALS=/home/app/keys/sa-2024.json
private_key_path = "~/.ssh/id_ed25519"
private_key: ./certs/server.key
--private-key ./certs/server-2.key
--token-file /run/secrets/token1
--password-stdin
--max-tokens 4096
docker login --username ada --password-stdin
mkdir -p src/lerim/sources2
ps -u root
git push -u origin feature/token-2
cp -pr build dist2
primary_key=True
primary_key: "id"
foreign_key = "users.id"
sort_key: created_at_2024
cache_key = f"user:{user_id}:v2"
cacheKey: "deps-v3-linux-x64-9fceb02d0ae598e95dc970b74767f19372d61af8"
key={item.id}
<li key="item-3f9a1c">
onKeyDown={(event) => submit(event)}
keyboard: "qwerty-us-101"
"key": "ArrowDown"
i18n_key: "auth.password.too_short"
"auth/wrong-password": "Wrong password."
label: "Password"
placeholder="Enter your password"
password: "must be at least 8 characters"
error: "Invalid token: expected 3 parts"
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
Unexpected token } in JSON at position 4096
The token is expired.
The token was refreshed 3 times.
The password is hashed with bcrypt before it is stored.
The password is at least 12 characters long.
Use a token to sign in, never your password.
I forgot the password to the staging database.
The secret to good tests is isolation.
The key is to keep functions short.
Rotate the API key every 90 days.
Set the API key in the environment.
A bearer token is sent with each request.
Bearer authentication is required.
Basic authentication is not supported.
Basic usage: lerim sync
Authorization: Bearer <token>
Authorization: Bearer ${TOKEN}
Authorization: Bearer $TOKEN
"Authorization": f"Bearer {token}"
headers["Authorization"] = "Bearer " + access_token
Authorization: Basic <base64 of user:password>
authorization code flow
Cookie: theme=dark; lang=en
Set-Cookie: theme=light; Path=/; Max-Age=31536000
cookies = request.cookies
postgres://user:password@localhost:5432/app
postgresql://postgres:postgres@localhost:5432/postgres
postgres://USER:PASSWORD@HOST:5432/DB
mysql://root:${MYSQL_PASSWORD}@db/app
mongodb+srv://<user>:<password>@cluster0.example.mongodb.net
redis://localhost:6379/0
http://localhost:3000/users/@me
https://github.com/ada/engine.git
git@github.com:ada/engine.git
ssh://git@github.com:22/ada/engine.git
https://{user}:{password}@example.com
https://example.com:8443/path?x=1@2
https://abcdef0123456789abcdef0123456789@o12345.ingest.sentry.io/67890
npm install @types/node@20.11.5
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
task-1f0e8c2a9b7d4e3f8a6b5c4d3e2f1a0b
risk-assessment-for-the-next-quarter-2026
disk-usage-report-2026-02-20T10-30-00Z
ask-about-the-release-plan-for-version-2
self_hosted_runner_configuration_v2_final
half_precision_matrix_multiplication_16
src/components/re_exported_names_of_module2.ts
npm_config_registry=https://registry.example.org/
npm_lifecycle_event=build
SG.com is a domain
class TokenBucketRateLimiterConfigV2Builder
function t(e){return e.token||e.password?n(e.token,1):r(e.key)}
!function(){var e={key:"a1",secret:0,pass:!0};e.token=function(t){return t}}();
.btn-primary{color:#3f9a1c;--token-color-2:#fff}
const API_KEY_HEADER = "X-API-Key";
headers = {"X-Api-Key": api_key}
X-API-Key: <key>
const SECRET_LENGTH = 32
PASSWORD_MIN_LENGTH = 12
ACCESS_TOKEN_EXPIRE_MINUTES=30
REFRESH_TOKEN_TTL=604800
JWT_ALGORITHM=HS256
JWT_SECRET=your-256-bit-secret
secret = secrets.token_urlsafe(32)
password = getpass.getpass("Password: ")
openssl rand -base64 32
echo $DATABASE_PASSWORD | base64
TOKEN=$(gh auth token)
kubectl get secret db-credentials-2 -o yaml
vault kv get secret/app-v2/db
export PWD=/home/ada/work/app2
PWD=/work/app-2024
test_token_refresh_after_401 PASSED
tests/test_password_reset_v2.py::test_token_1 PASSED
  File "/app/auth/token_store2.py", line 88, in load_token
pass 12 of 14
Simply pass `enable_cache=False` to the client.
Pass "--retries=3" to the runner.
keyed by token "name" or by value
password 'must not be empty'
the value of the token, value: 12
pass through the value3 unchanged
bypass=cache-2024
compass: 270deg-west
passed: 127, failed: 3
monkey: george2
2026-02-20T10:30:00Z INFO token refreshed in 132ms
eyJ is how a JSON object begins in base64
version: v1.28.3-eks-4f4795d
etag: W/"5f2c-18d4f3a1b2c"
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed is an address
[redacted:github-token:3f9a1c]
password=[redacted:password:0a1b2c]
"""
NEGATIVES = [_filled(line) for line in NO_SECRETS.strip().splitlines()]


def test_enough_lines_that_hold_no_secret():
    assert len(NEGATIVES) >= 150


@pytest.mark.parametrize("line", NEGATIVES)
def test_what_is_no_secret_is_left_alone(redactor, line):
    """Hashes, ids, placeholders, types, code, counts, paths and prose stay as they are."""
    assert line == redactor.clean(line)


def test_harmless_lines_stay_harmless_together(redactor):
    """Side by side they do not look like secrets either, not even as a JSON string."""
    text = "\n".join(NEGATIVES)

    assert text == redactor.clean(text)
    assert json.dumps(text) == redactor.clean(json.dumps(text))
    assert not redactor.hits


# --- The placeholder --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        "Here's your encryption key:\n\n```\n{}\n```\n\nSave it.",
        "Your encryption key: **`{}`**",
        "Generated signing secret:\n\n    {}",
    ],
)
def test_a_key_without_capitals_is_found_in_a_fence_below_its_name(redactor, told):
    """Agents set what they hand over apart."""
    key = random.Random(SEED).randbytes(32).hex()

    assert key not in redactor.line(ToolResult(text=told.format(key), call="1")).text


@pytest.mark.parametrize("named", ["The commit:\n\n```\n{}\n```", "sha256:\n    {}"])
def test_a_digest_below_its_name_is_left_alone(redactor, named):
    text = named.format(random.Random(SEED).randbytes(32).hex())

    assert text == redactor.line(ToolResult(text=text, call="1")).text


def test_placeholder_names_the_kind_and_links_mentions(redactor):
    """Two mentions of one secret carry the same mark, another secret a different one."""
    one, other = github_token(1), github_token(2)

    first, second, third = redactor.clean(f"{one} {other} {one}").split()

    assert first.startswith("[redacted:github-token:")
    assert first == third
    assert first != second
    assert {"github-token": 3} == dict(redactor.hits)


def test_mark_depends_on_the_salt():
    """Without the salt a mark cannot be recomputed from a guessed secret."""
    token = github_token()

    assert Redactor(b"one").clean(token) == Redactor(b"one").clean(token)
    assert Redactor(b"one").clean(token) != Redactor(b"two").clean(token)


@pytest.mark.parametrize("salt", [b"", b"x" * 64, b"x" * 200])
def test_any_salt_will_do(salt):
    """A salt may be empty or longer than the digest's key."""
    assert Redactor(salt).clean(github_token()).startswith("[redacted:github-token:")


def test_most_special_kind_wins(redactor):
    """A known token behind a telling name is called by what it is."""
    assert redactor.clean(f"PASSWORD={github_token()}").startswith("PASSWORD=[redacted:github-token:")


def test_neighbors_are_both_found(redactor):
    """Secrets written together without a space do not hide each other."""
    one, other = github_token(1), str(corpus.FIXED["openai-old"](random.Random(2)))

    cleaned = redactor.clean(f"{one}:{other},{other}{one}")

    assert one not in cleaned
    assert other not in cleaned


@pytest.mark.parametrize(
    "line",
    [
        "API_KEY=Ab12cd34Ef56gh78 Ij90kl12Mn34op56",
        "API_KEY=Ab12cd34Ef56gh78 Ij90kl12Mn34op56 Qr78st90Uv12wx34 and then",
        "api_key: 'Ab12cd34Ef56 Ij90kl12Mn34'",
        'secret = "Ab12cd34Ef56 Ij90kl12Mn34"',
    ],
)
def test_a_key_with_blanks_inside_leaves_no_tail(redactor, line):
    """A terminal wrapped it, or a person set it in groups: every piece goes, and what follows it stays."""
    cleaned = redactor.clean(line)

    assert not {"Ab12", "Ij90", "Qr78"} & {word.strip("'\"")[:4] for word in re.split("[ =]", cleaned)}
    assert line.endswith(cleaned.rpartition("]")[2])


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("Log in with the PIN 730164 on staging", "730164"),
        ("use the PIN 7301 to log in", "7301"),
        ("die PIN 73016482", "73016482"),
        ("PUK 40917733", "40917733"),
        ("License: 4KT7J-9YMSL-TKURM-1DD2L-HAKHZ", "4KT7J-9YMSL-TKURM-1DD2L-HAKHZ"),
        ("door code 73016 in the yard", "73016"),
    ],
)
def test_a_number_that_opens_something_keeps_no_digit(redactor, line, secret):
    """Also where another number could stand between the word and the secret: "backup code 1: …"."""
    before, after = line.split(secret)
    cleaned = redactor.clean(line)
    assert cleaned.startswith(f"{before}[redacted:")
    assert cleaned.endswith(f"]{after}")


@pytest.mark.parametrize(
    "line",
    [
        "--- PASS: TestX/valid_token_abc123def456 (0.00s)",
        "    --- PASS: TestLogin/with_wr0ng_p4ssword! (0.01s)",
        "--- PASS: BenchmarkHash_512k3y9 (1.20s)",
        "API_KEY=$KEY node server2.js x86_64 sha256 utf8",
    ],
)
def test_names_of_tests_and_words_with_digits_are_no_secrets(redactor, line):
    """What `go test` prints behind PASS is a name."""
    assert line == redactor.clean(line)


def test_long_secret_is_replaced_to_its_end(redactor):
    """A token longer than any we know leaves no tail."""
    token = "github" + "_pat_" + corpus.draw(random.Random(3), corpus.ALNUM, 5_000)

    assert "x [redacted:github-token:" == redactor.clean(f"x {token} y")[:25]
    assert redactor.clean(f"x {token} y").endswith("] y")


def test_cut_text_keeps_no_half_of_a_secret(redactor):
    """Where a long text was cut, the halves of a secret that stood there go too."""
    token = github_token(4)
    for kept in range(16, len(token) - 12):
        cut = f"w w {token[:kept]}\n[… 1,234 characters cut …]\n{token[kept:]} w w"

        cleaned = redactor.clean(cut)

        assert token[:kept] not in cleaned
        assert token[kept:] not in cleaned


def test_cut_text_without_secrets_stays(redactor):
    """The mark itself and ordinary words beside it are no secrets."""
    text, cut = shorten("an ordinary line of a log_file\n" * 400, 4_000)

    assert cut > 0
    assert text == redactor.clean(text)


# --- Patterns of the user ---------------------------------------------------------------------------------------------


def test_own_pattern_is_redacted():
    """A pattern from the configuration is one more kind."""
    redactor = Redactor(SALT, [r"ACME-\d{6}"])

    cleaned = redactor.clean("badge ACME-123456 lost")

    assert cleaned.startswith("badge [redacted:custom:")
    assert cleaned.endswith("] lost")
    assert cleaned == redactor.clean(cleaned)


def test_own_pattern_with_a_group_keeps_the_rest():
    """Only the group of a pattern is replaced when it has one."""
    cleaned = Redactor(SALT, [r"badge (\d+)"]).clean("badge 123456 lost")

    assert cleaned.startswith("badge [redacted:custom:")


@pytest.mark.parametrize("pattern", ["[a-z]+", "redacted", "x*", "."])
def test_own_pattern_does_not_touch_placeholders(pattern):
    """A greedy pattern of the user's does not eat what was replaced before."""
    redactor = Redactor(SALT, [pattern])
    once = redactor.clean(f"the token {github_token()} works")

    assert once == redactor.clean(once)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|aa)+$", r"(?s)a.*b|a"])
def test_no_own_pattern_hangs(pattern):
    """A cloned repository may bring any; each comes back, on a text made for it."""
    cleaned = Redactor(SALT, [pattern]).clean("a" * 30_000 + "!")

    assert "a" * 30_000 not in cleaned or pattern.endswith("$")


def test_own_pattern_meets_half_a_character():
    """Agents leave such texts; they are cleaned like others."""
    cleaned = Redactor(SALT, [r"ACME-\d{6}"]).clean("badge \ud83d ACME-123456 lost")

    assert cleaned.startswith("badge \ud83d [redacted:custom:")


# --- Lines and headers ------------------------------------------------------------------------------------------------


def test_clean_line_is_the_same_object(redactor):
    """Nothing to replace, nothing to copy."""
    line = User(text="use sqlite", at="2026-02-20T10:30:00Z", src=3)

    assert redactor.line(line) is line


def test_every_text_of_a_line_is_cleaned(redactor):
    """Text, tool names and branches are cleaned; the rest of the line stays."""
    token = github_token()
    mark = redactor.clean(token)
    call = ToolCall(text=f"curl -H 'X: {token}'", tool="bash", call="call_1", src=7)
    moved = Moved(text=f"/work/{token}", branch=f"fix/{token}")

    assert replace(call, text=f"curl -H 'X: {mark}'") == redactor.line(call)
    assert Moved(text=f"/work/{mark}", branch=f"fix/{mark}") == redactor.line(moved)


def test_call_and_result_stay_linked(redactor):
    """An id that happens to be a secret is the same mark on both sides."""
    token = github_token()
    call = redactor.line(ToolCall(text="x", tool="bash", call=token))
    result = redactor.line(ToolResult(text="y", call=token, ok=True))

    assert token != call.call
    assert call.call == result.call


def test_header_is_cleaned_and_its_ids_stay_links(redactor):
    """What people name is cleaned; an id that is a secret becomes another one, the same wherever it stands."""
    token = github_token()
    header = Header(agent="codex", run_id=token, title=f"rotate {token}", cwd=f"/x/{token}", parent=token)

    cleaned = redactor.header(header)

    assert token not in repr(cleaned)
    assert cleaned.run_id == cleaned.parent == Redactor(SALT).identifier(token)
    assert cleaned.run_id.startswith("redacted-")


def test_ordinary_ids_stay(redactor):
    """Ids are how sessions are found again; patterns of the settings do not touch them."""
    header = Header(agent="codex", run_id="0f3e8c2a-9b7d-4e3f-8a6b-5c4d3e2f1a0b", title="rotate", cwd="/x")

    assert header is redactor.header(header)
    assert header.run_id == Redactor(SALT, ["[0-9a-f-]+"]).header(header).run_id


# --- Properties -------------------------------------------------------------------------------------------------------

PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["password=", "token: ", '"', "'", "\\n", "\\", " ", ":", "@", "://", "-", "_", "[redacted:", "]"]),
    st.sampled_from([item.secret for item in (FIXED + CARRIED + ASSIGNED)[::37]]),
    st.sampled_from([item.text for item in (FIXED + CARRIED + ASSIGNED)[::41]]),
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_cleaning_is_stable_and_never_swells(text):
    """Whatever the text: cleaning again changes nothing, and a placeholder is not much longer than what it replaced."""
    redactor = Redactor(SALT)

    cleaned = redactor.clean(text)

    assert cleaned == Redactor(SALT).clean(cleaned)
    assert len(cleaned) <= len(text) + 32 * sum(redactor.hits.values())
    assert bool(redactor.hits) == (cleaned != text)


SEARCHES = (*secret_shapes.SEARCHES, *secret_carriers.SEARCHES, *secret_names.SEARCHES)
HINTS = Hints(search.hint for search in SEARCHES)
BEGINNINGS = st.one_of(
    st.sampled_from(
        ["ghp_", "sk-", "glpat-", "SG.", "eyJ", "AKIA", "AIza", "3Q~", "://", ":AA", "?sig=", "&code=", "key%3D"]
    ),
    st.sampled_from(["_key", "Key", "_KEY", "token", "TOKEN", "pass", "Pass", "PASS", "pwd", "PW", "psk", "Secret"]),
    st.sampled_from(["SECRET", "credential", "cookie", "KEY-----", "value", "-u ", "--api-key ", "sshpass -p", " -p"]),
    st.sampled_from(
        ["Bearer", "Authorization", "… 12 characters cut …]\n", "password ", "dapi", "SK", '"auth":', "é", "١"]
    ),
    st.sampled_from(
        [":", "=", " = ", "\t", "\u00a0", "\x1c", " is ", '"', "\\n", "](", "</key>", "%3D", "@", ".", "_", "|"]
    ),
    st.sampled_from(["name", "ab3XK9mQ2zR7tY5wE8uI1oP4sD6f", "0123456789abcdef" * 4, "Zz9", "a", "7", "x" * 30]),
)


@settings(max_examples=examples(1_000), deadline=None)
@given(st.lists(BEGINNINGS, max_size=6).map("".join))
def test_what_a_search_finds_is_hinted_at(text):
    """A search is only made where its hint stands: whatever it finds has one."""
    found = {place for place, search in enumerate(SEARCHES) if search.pattern.search(text)}

    assert found <= set(HINTS.standing_in(text))


def test_what_is_planted_is_hinted_at_among_other_letters():
    """Letters and blanks that RE2 does not take for such, and halves of characters, hide nothing."""
    planted = [item.text for item in (FIXED + CARRIED + ASSIGNED)[::11]]
    texts = [form.format(text) for text in planted for form in ("é{}", "{}\u2003日", "{}\ud800")]

    missed = [
        text
        for text in texts
        if not {place for place, search in enumerate(SEARCHES) if search.pattern.search(text)}
        <= set(HINTS.standing_in(text))
    ]

    assert [] == missed


ADVERSARIAL = [
    *("a", "=", "-", "_", ".", "\\", '\\"', "é", "sk-", "sk-A1", "ghp_A1", "github_pat_A", "sk-ant-api03-A1"),
    *("eyJ", "eyJa.", "token=", 'token="', "password: ", "password=a,password=", "password is ", "key:", "--password "),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "A1b2C3d4", "://a:", "a://b:c@", "Bearer a1B2"),
    *("Authorization: ", "Cookie: ", "cookie: a=b;", "<password>", "… 1 characters cut …]\n", "[redacted:", "AKIA"),
    *(
        "a,password\n",
        "|password|",
        "password,",
        "password)values",
        "echo 'a' ",
        "AUTH ",
        "redis-cli -a ",
        "-p",
        "QUJDREVGR0hJSktM",
    ),
    *(
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVph\n",
        "password is a1b2c3 ",
        "пароль ",
        "api_key = env or ",
        "ghp_A1b2 ",
        "sid=",
    ),
    *(
        "value: abcdef1, name: ",
        ":5432:a:b:",
        '"kty',
        "Private-Lines: 1\n",
        "a:b@tcp(",
        "\u200b",
        "ghp_A1\u200b",
        "mnemonic: abc ",
    ),
    *("<password><![CDATA[", "password: |\n  ", 'password = """\n', "password -> ", "credentials: a / ", "login('a', "),
    *("xoxb-1", "1Q~", "&sig=A", ".abcdef.", "-u a:", "sshpass -p", 'x"auth": "', "token=[redacted:password:abcdef]"),
]


def _steps(text: str) -> int:
    """How many calls, of Python functions and of C ones, cleaning a text takes."""
    count = 0

    def step(*_: object) -> None:
        nonlocal count
        count += 1

    redactor = Redactor(SALT)
    # What is made once is not counted.
    redactor.clean("the first text of a process, long enough to look for everything in it")
    before = sys.getprofile()
    sys.setprofile(step)
    try:
        redactor.clean(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("size", [3_000, pytest.param(10_000, marks=pytest.mark.drill)])
@pytest.mark.parametrize("piece", sampled(ADVERSARIAL, 4))
def test_steps_grow_with_the_text_only(piece, size):
    """Twice the text takes about twice the steps, also when the text is made to hurt."""
    half = piece * (size // len(piece))

    assert _steps(half * 2) <= 3 * _steps(half) + 1_000


@pytest.mark.timeout(120)
@pytest.mark.parametrize("size", [100_000, pytest.param(1_000_000, marks=pytest.mark.drill)])
@pytest.mark.parametrize("piece", ["a", "=", "sk-", "sk-A1", "eyJ", "token=", "A1b2C3d4", "Cookie: ", "://a:"])
def test_a_long_text_of_anything_is_cleaned(piece, size):
    """No text is so odd that its cleaning does not end."""
    text = piece * (size // len(piece))

    assert len(Redactor(SALT).clean(text)) <= len(text)


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("пароль: Ромашка2931", "Ромашка2931"),
        ("пароль Берёза77!", "Берёза77!"),
        ("Новый пароль — «Зима2031снег», не забудь", "Зима2031снег"),
        ("Das Passwort lautet Käsefuß88", "Käsefuß88"),
        ("Passwort: Über1234", "Über1234"),
        ("le mot de passe est Éléphant42", "Éléphant42"),
        ("la contraseña es Ñandú2044", "Ñandú2044"),
        ("κωδικός: Θάλασσα19", "Θάλασσα19"),
        ("סיסמה: שלום1948א", "שלום1948א"),
        ("the password is Größe!2024", "Größe!2024"),
        ("DB_PASSWORD=Größe!2024", "Größe!2024"),
    ],
)
def test_a_password_may_be_in_any_alphabet(redactor, line, secret):
    cleaned = redactor.clean(line)

    assert "[redacted:password:" in cleaned
    assert not any(part in cleaned for part in (secret, secret[:3], secret[-3:]))


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("PASSWORD='kTr9 wQ41 zz'", "kTr9 wQ41 zz"),
        ('export DB_PASSWORD="Blue harbour 71"', "Blue harbour 71"),
        ('{"password": "XkqT 77Lp09"}', "XkqT 77Lp09"),
        ("password: 'm4 n5 o6'", "m4 n5 o6"),
        ('curl --user "ada:Fr1day nights9" https://files.internal/x', "Fr1day nights9"),
        ("curl -u 'ada:Fr1day x7 y8' https://files.internal/x", "Fr1day x7 y8"),
    ],
)
def test_a_password_in_quotes_may_have_blanks(redactor, line, secret):
    cleaned = redactor.clean(line)

    assert secret not in cleaned
    assert not any(word in cleaned for word in secret.split())


@pytest.mark.parametrize(
    "line",
    [
        'password: "at least 8 characters"',
        '{"password": "Enter your 2nd password"}',
        "PASSWORD='<your password here>'",
        'label(password="The password for step 2")',
        "пароль: 12символов минимум",
        "пароль должен быть длиннее",
        "Das Passwort für Müller und Söhne ist abgelaufen",
        "пароль: Собака",
        "le mot de passe expiré après 30 jours",
        "密码: 长度至少8位",
    ],
)
def test_what_is_said_about_a_password_stays(redactor, line):
    assert line == redactor.clean(line)
