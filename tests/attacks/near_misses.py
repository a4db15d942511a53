"""Lines that look like secrets and are none. Made from a fixed seed; every one must stay as it is."""

from __future__ import annotations

import random
from collections.abc import Iterator

HEX = "0123456789abcdef"
WORDS = ("engine", "parser", "worker", "client", "buffer", "widget", "router", "filter", "module", "target", "branch")

#: `«…»` is filled: a digest, a UUID, a number, a word, a name of code, a path.
_LINES = """
commit «sha1»
index «short»..«short» 100644
sha256:«sha256»
image: registry.example.org/«word»@sha256:«sha256»
"integrity": "sha512-«sha256»"
checksum = "«sha256»"
etag: "«short»-«number»"
"sessionId":"«uuid»"
session_id=«uuid»
"uuid":"«uuid»","parentUuid":"«uuid»"
token_id = "«uuid»"
request-id: «uuid»
trace_id=«sha1»
primary_key: "«word»_id"
primary_key=True
foreign_key = "«word»s.id"
sort_key: created_at_«number»
partition_key = "«word»#«number»"
cache_key = f"«word»:{user_id}:v«digit»"
cacheKey: "deps-v«digit»-linux-x64-«sha1»"
storageKey: '«word»-settings-v«digit»'
localStorageKey = "«word».state.«number»"
routing_key = "«word».created.v«digit»"
idempotency_key: «uuid»
next_page_token = «number»
continuationToken: null
max_tokens: «number»
max_tokens=«number»
"input_tokens": «number», "output_tokens": «number»
tokens per second: «number»
tokenizer = "cl100k_base"
tokenizer: «word»-«number»k
pad_token_id = «number»
special_token = "<|im_start|>"
token_count += len(«word»)
secretary: «word»«number»
"secretary": "Ada «word»"
monkey: «word»«digit»
monkeypatch.setattr(«word», "run", fake)
keyboard: "us-«number»"
keyboard_layout = «word»«digit»
hockey_team = "«word»«number»"
turkey: «number» kg
passenger_id = «number»
passage: "«word» «number»"
compass: «number»deg
bypass=«word»-«number»
passthrough: «word»«digit»
passed: «number», failed: «digit»
pass «digit» of «digit»
password: str
password: string;
password = «name»(«word»)
password: "must be at least «digit» characters"
password_hash = "«sha256»"
password_reset_url = "https://example.com/reset/«number»"
const password = req.body.password
hash_password(password, rounds=«digit»)
token = «name»(«word», «number»)
token = tokens[«digit»]
token = response.json()["access_token"]
const token = await «name»();
secret = settings.SECRET_KEY
secret_name: «word»-credentials-v«digit»
secretName: tls-«word»-«number»
secretKeyRef: {name: «word», key: password}
api_key = os.environ["«WORD»_API_KEY"]
api_key=api_key,
apiKey: process.env.«WORD»_API_KEY
API_KEY=${«WORD»_API_KEY}
API_KEY=<your key>
API_KEY=your-api-key-here
DB_PASSWORD=changeme
DB_PASSWORD=********
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
curl -H "Authorization: Bearer ${TOKEN}" https://example.com/v«digit»/«word»
curl -u "$USER:$PASS" https://example.com/«word»
mysql -u root -p shop_«number»
mysql -u root -p$MYSQL_ROOT_PASSWORD shop
redis-cli -h «word» -p «number» ping
redis-cli -a "$REDIS_PASSWORD" ping
docker login -u ada --password-stdin
docker run -p «number»:«number» «word»
echo $SECRET | base64
echo "«word» «number»" | base64
unzip -P "$ZIP_PASSWORD" «word».zip
openssl rand -base64 «number»
sshpass -e ssh ada@example.com
psql -h localhost -p «number» -U postgres
postgres://user:password@localhost:«port»/app
postgres://«word»:${PASSWORD}@db:«port»/app
https://example.com:«port»/«word»?x=«number»@2
http://localhost:«port»/«word»/@me
git@github.com:ada/«word».git
npm install @types/«word»@«digit».«digit».«digit»
CREATE USER app IDENTIFIED BY :password;
ALTER USER app WITH PASSWORD $1;
INSERT INTO users (name, password) VALUES ($1, $2);
INSERT INTO users (name, password_hash) VALUES (?, ?);
| name | type | password |
| token | count |
| «word» | «number» | «short» |
user,password,role
name,«word»,«number»
Cookie: theme=dark; lang=en
Set-Cookie: theme=light; Path=/; Max-Age=«number»
The password is hashed with bcrypt before it is stored.
The password is required, and at least «digit» characters long.
The token expired «digit» minutes ago.
The token is refreshed every «number» seconds.
Rotate the API key every «number» days.
Use a token for the «word» instead of your password.
I forgot the password of the «word» database.
We moved the secret into the vault in version «digit».«digit».
Das Passwort wird mit Argon2id gehasht.
Das Passwort ist zu kurz (mindestens «digit» Zeichen).
Le mot de passe doit contenir «digit» caractères.
La contraseña debe tener «digit» caracteres.
Пароль должен содержать не менее «digit» символов.
密码长度不能少于«digit»位
パスワードは«digit»文字以上です
비밀번호는 «digit»자 이상이어야 합니다
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ1aWxkZXIga2V5IGZvciB0ZXN0cw ada@example.com
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
public_key = "pk_test_«short»"
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
arn:aws:iam::123456789012:role/«word»-«number»
projects/«number»/secrets/«word»/versions/«digit»
GOOGLE_APPLICATION_CREDENTIALS=/home/app/«word»-«number».json
private_key_path = "~/.ssh/id_ed25519"
--private-key ./certs/«word»-«digit».key
--token-file /run/secrets/«word»«digit»
File "/app/auth/token_store«digit».py", line «number», in load_token
src/«word»/password_reset_v«digit».py:«number»:«digit»
«short» Add token refresh to «word»«digit»
2026-02-20T10:30:00Z INFO token refreshed in «number»ms
test_token_refresh_after_«number» PASSED
version: v«digit».«number».«digit»-«short»
0x«sha1» is an address
class «Name»TokenBucketV«digit»
«word»_token_bucket_«number» = «number»
for key, value in «word»«digit».items():
if key == "«word»_«number»":
"key": "«word»-«number»"
<li key="«word»-«short»">
toolu_01A09q90qw90lq917835lq9
"call_id":"call_«short»«short»"
ACCESS_TOKEN_EXPIRE_MINUTES=«number»
PASSWORD_MIN_LENGTH = «digit»
JWT_ALGORITHM=HS256
SECRET_LENGTH=«number»
TOKEN_TTL_SECONDS=«number»
KEY_COUNT=«number»
PIN «digit» of the header is ground
use pin «digit» for the LED
"""


def near_misses(seed: int, rounds: int) -> Iterator[str]:
    """Every line so many times, each time with other numbers, words and digests."""
    rng = random.Random(seed)
    for _ in range(rounds):
        yield from (_filled(line, rng) for line in _LINES.strip().splitlines())


def _filled(line: str, rng: random.Random) -> str:
    while "«" in line:
        before, _, rest = line.partition("«")
        name, _, after = rest.partition("»")
        line = before + _value(name, rng) + after
    return line


def _value(name: str, rng: random.Random) -> str:
    def hexadecimal(length: int) -> str:
        return "".join(rng.choice(HEX) for _ in range(length))

    word = rng.choice(WORDS)
    return {
        "sha1": hexadecimal(40),
        "sha256": hexadecimal(64),
        "short": hexadecimal(7),
        "uuid": "-".join(hexadecimal(n) for n in (8, 4, 4, 4, 12)),
        "number": str(rng.randrange(10, 90_000)),
        "port": str(rng.randrange(1024, 65_000)),
        "digit": str(rng.randrange(2, 10)),
        "word": word,
        "WORD": word.upper(),
        "Name": word.capitalize(),
        "name": f"get_{word}",
    }[name]
