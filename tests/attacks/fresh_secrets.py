"""Secrets of everyday work, written without a look at the rules: what is kept at the first try is the honest figure."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

SEED = 20261115

LETTERS = string.ascii_letters + string.digits
URLSAFE = LETTERS + "-_"
WORDS = (
    *("falcon", "orchid", "granite", "willow", "comet", "harbor"),
    *("saffron", "lantern", "pebble", "marble", "thicket", "juniper"),
)


class Fresh(NamedTuple):
    """One text, and the secret in it as a reader would take it out."""

    kind: str
    text: str
    secret: str

    def kept(self, cleaned: str) -> bool:
        """Whether more than half of the secret can still be read, blanks and invisible characters aside."""
        bare = _bare(cleaned)
        secret = _bare(self.secret)
        size = max(len(secret) // 2 + 1, min(len(secret), 5))
        return any(secret[at : at + size] in bare for at in range(len(secret) - size + 1))


def _bare(text: str) -> str:
    return "".join(char for char in text if not char.isspace() and char not in "\u200b\u200c\u200d\u2060\ufeff\u00ad")


def _of(alphabet: str, size: int) -> Callable[[random.Random], str]:
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(size))


def _password(rng: random.Random) -> str:
    word = rng.choice(WORDS)
    return f"{word.capitalize()}{rng.choice('!#%+*')}{rng.randrange(10, 9999)}{rng.choice('xqzKR')}{rng.choice('!?$')}"


def _plain(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}{rng.choice(WORDS).capitalize()}{rng.randrange(10, 999)}"


def _phrase(rng: random.Random) -> str:
    return "-".join(rng.sample(WORDS, 4))


def _base64(size: int) -> Callable[[random.Random], str]:
    return lambda rng: base64.b64encode(rng.randbytes(size)).decode()


def _segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(rng: random.Random) -> str:
    claims = {"sub": str(rng.randrange(10**9)), "iat": 1760000000, "scope": "admin"}
    return f"{_segment({'alg': 'HS256', 'typ': 'JWT'})}.{_segment(claims)}.{_of(URLSAFE, 43)(rng)}"


def _key_body(rng: random.Random) -> str:
    body = _base64(480)(rng)
    return "\n".join(body[at : at + 64] for at in range(0, len(body), 64))


def _key_block(rng: random.Random, name: str = "RSA PRIVATE KEY") -> str:
    return f"-----BEGIN {name}-----\n{_key_body(rng)}\n-----END {name}-----\n"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


VALUES: dict[str, Callable[[random.Random], str]] = {
    "pw": _password,
    "plain": _plain,
    "phrase": _phrase,
    "hex32": _of("0123456789abcdef", 32),
    "hex40": _of("0123456789abcdef", 40),
    "hex64": _of("0123456789abcdef", 64),
    "t20": _of(LETTERS, 20),
    "t24": _of(LETTERS, 24),
    "t32": _of(LETTERS, 32),
    "t40": _of(LETTERS, 40),
    "u43": _of(URLSAFE, 43),
    "b24": _base64(24),
    "b32": _base64(32),
    "b64": _base64(64),
    "jwt": _jwt,
    "amp": lambda r: f"{_plain(r)}&{_of(LETTERS, 6)(r)}",
    "semi": lambda r: f"{_of(LETTERS, 5)(r)};{_of(LETTERS, 8)(r)}",
    "pipe": lambda r: f"{_of(LETTERS, 4)(r)}|{_of(LETTERS, 9)(r)}",
    "less": lambda r: f"{_of(LETTERS, 4)(r)}<{_of(LETTERS, 9)(r)}",
    "back": lambda r: f"{_of(LETTERS, 5)(r)}\\{_of(LETTERS, 8)(r)}",
    "quot": lambda r: f'{_of(LETTERS, 5)(r)}"{_of(LETTERS, 8)(r)}',
    "tick": lambda r: f"{_of(LETTERS, 5)(r)}`{_of(LETTERS, 8)(r)}",
    "mix": lambda r: f"{_of(LETTERS, 4)(r)}&|{_of(LETTERS, 4)(r)};<{_of(LETTERS, 4)(r)}",
    "slash": lambda r: f"{_of(LETTERS, 6)(r)}/{_of(LETTERS, 8)(r)}",
    "dollar": lambda r: f"{_of(LETTERS, 6)(r)}$${_of(LETTERS, 6)(r)}",
    "paren": lambda r: f"{_of(LETTERS, 5)(r)}({_of(LETTERS, 7)(r)})",
    "comma": lambda r: f"{_of(LETTERS, 5)(r)},{_of(LETTERS, 7)(r)}",
    "pct": lambda r: quote(f"{_of(LETTERS, 6)(r)}/@{_of(LETTERS, 6)(r)}", safe=""),
    "basic": lambda r: _encoded(f"deploy:{_of(LETTERS, 18)(r)}"),
    "pem64": lambda r: _encoded(_key_block(r)),
    "ec64": lambda r: _encoded(_key_block(r, "EC PRIVATE KEY")),
    "ssh64": lambda r: _encoded(_key_block(r, "OPENSSH PRIVATE KEY")),
    "env64": lambda r: _encoded(f"DB_PASSWORD={_of(LETTERS, 18)(r)}\nAPI_TOKEN={_of(LETTERS, 30)(r)}\n"),
    "one64": lambda r: _encoded(f"export ADMIN_SECRET={_of(LETTERS, 24)(r)}"),
    "yaml64": lambda r: _encoded(f"username: root\npassword: {_of(LETTERS, 18)(r)}\n"),
    "json64": lambda r: _encoded(json.dumps({"client_id": "app-7", "client_secret": _of(LETTERS, 30)(r)})),
    "dsn64": lambda r: _encoded(f"postgres://app:{_of(LETTERS, 18)(r)}@db.internal:5432/app"),
    "docker64": lambda r: _encoded(
        json.dumps({"auths": {"reg.example.org": {"auth": _encoded(f"ci:{_of(LETTERS, 20)(r)}")}}})
    ),
    "rsa": lambda r: _key_body(r),
    "ghp": lambda r: "gh" + "p_" + _of(LETTERS, 36)(r),
    "ghs": lambda r: "gh" + "s_" + _of(LETTERS, 36)(r),
    "pat": lambda r: "github" + "_pat_" + _of(LETTERS, 22)(r) + "_" + _of(LETTERS, 59)(r),
    "glpat": lambda r: "gl" + "pat-" + _of(URLSAFE, 20)(r),
    "akia": lambda r: "AK" + "IA" + _of(string.ascii_uppercase + "234567", 16)(r),
    "xoxb": lambda r: "xo" + f"xb-{r.randrange(10**11, 10**12)}-{r.randrange(10**11, 10**12)}-{_of(LETTERS, 24)(r)}",
    "stripe": lambda r: "sk" + "_live_" + _of(LETTERS, 24)(r),
    "sendgrid": lambda r: "S" + f"G.{_of(URLSAFE, 22)(r)}.{_of(URLSAFE, 43)(r)}",
    "openai": lambda r: "sk" + f"-proj-{_of(URLSAFE, 60)(r)}",
    "anthropic": lambda r: "sk" + f"-ant-api03-{_of(URLSAFE, 93)(r)}AA",
    "google": lambda r: "AI" + "za" + _of(URLSAFE, 35)(r),
    "npm": lambda r: "np" + "m_" + _of(LETTERS, 36)(r),
    "pypi": lambda r: "py" + "pi-AgEIcHlwaS5vcmc" + _of(URLSAFE, 80)(r),
    "hf": lambda r: "h" + "f_" + _of(string.ascii_letters, 34)(r),
    "vault": lambda r: "hv" + "s." + _of(URLSAFE, 90)(r),
    "tele": lambda r: f"{r.randrange(10**9, 10**10)}:AA{_of(URLSAFE, 33)(r)}",
    "discord": lambda r: f"M{_of(LETTERS, 25)(r)}.{_of(URLSAFE, 6)(r)}.{_of(URLSAFE, 38)(r)}",
    "doppler": lambda r: "dp" + ".pt." + _of(LETTERS, 43)(r),
    "do": lambda r: "do" + "o_v1_" + _of("0123456789abcdef", 64)(r),
    "twilio": lambda r: "S" + "K" + _of("0123456789abcdef", 32)(r),
    "azure": lambda r: _base64(64)(r),
    "zwsp": lambda r: "\u200b".join((("gh" + "p_" + _of(LETTERS, 12)(r)), _of(LETTERS, 24)(r))),
    "zwnj": lambda r: "\u200c".join((("sk" + "_live_" + _of(LETTERS, 8)(r)), _of(LETTERS, 16)(r))),
    "shy": lambda r: "\u00ad".join(
        (("AK" + "IA" + _of(string.ascii_uppercase, 6)(r)), _of(string.ascii_uppercase, 10)(r))
    ),
    "bom": lambda r: "\ufeff".join((("gl" + "pat-" + _of(LETTERS, 8)(r)), _of(LETTERS, 12)(r))),
    "wj": lambda r: "\u2060".join((("np" + "m_" + _of(LETTERS, 16)(r)), _of(LETTERS, 20)(r))),
    "gap": lambda r: " ".join((("gh" + "p_" + _of(LETTERS, 10)(r)), _of(LETTERS, 26)(r))),
    "gap2": lambda r: " ".join((("sk" + "-ant-api03-" + _of(LETTERS, 40)(r)), _of(LETTERS, 53)(r) + "AA")),
    "wrap": lambda r: "\n".join((("github" + "_pat_" + _of(LETTERS, 22)(r)), "_" + _of(LETTERS, 59)(r))),
    "wrap2": lambda r: "\n  ".join((("sk" + "-proj-" + _of(LETTERS, 30)(r)), _of(LETTERS, 34)(r))),
    "nbsp": lambda r: "\u00a0".join(
        (("xo" + "xb-" + str(r.randrange(10**11, 10**12))), f"-{r.randrange(10**11, 10**12)}-{_of(LETTERS, 24)(r)}")
    ),
    "zwpw": lambda r: "\u200b".join((_of(LETTERS, 7)(r), _of(LETTERS, 9)(r))),
    "zwall": lambda r: "\u200b".join("gh" + "p_" + _of(LETTERS, 36)(r)),
}

# Each line is one text; what stands between two `@@` names the value in it, and `\n` a new line.
TEXTS: dict[str, str] = {
    "telling names": r"""
ADMIN_KEY=@@t24@@
BACKEND_TOKEN=@@hex40@@
DEVELOPER_TOKEN="@@t32@@"
export SUPER_SECRET=@@plain@@
AZURE_STORAGE_KEY=@@azure@@
SUPERUSER_PASSWORD: @@pw@@
BACKUP_ENCRYPTION_KEY=@@b32@@
ADMINISTRATOR_PASS='@@pw@@'
MASTERKEY=@@hex64@@
INTERNAL_WEBHOOK_SIGNING_SECRET=@@hex32@@
devToken = @@t24@@
set ROOT_PWD=@@plain@@
""",
    "odd values": r"""
DB_PASSWORD=@@amp@@
SMTP_PASSWORD=@@semi@@
ADMIN_PASSWORD="@@pipe@@"
LDAP_BIND_PASSWORD=@@less@@
password = '@@back@@'
API_SECRET='@@quot@@'
root_password: "@@tick@@"
MYSQL_ROOT_PASSWORD=@@mix@@
password: @@paren@@
ftp_password=@@comma@@
JENKINS_PASSWORD='@@dollar@@'
export PGPASSWORD="@@amp@@" && psql -h db.internal -U app
""",
    "passwords in URLs": r"""
DATABASE_URL=postgres://app:@@slash@@@db.internal:5432/app
git clone https://builder:@@slash@@@git.example.org/team/app.git
mongodb+srv://root:@@plain@@@cluster0.example.net/prod?retryWrites=true
redis://:@@t32@@@cache.internal:6379/0
amqp://worker:@@pct@@@mq.internal:5672/%2f
https://oauth2:@@t24@@@git.example.org/team/app.git
proxy: http://corp%5Cada:@@pw@@@proxy.example.org:3128
mysql+pymysql://root:@@slash@@@10.0.0.4/shop
ftp://upload:@@plain@@@files.example.org/in
smtps://noreply%40example.org:@@t20@@@mail.example.org:465
remote: https://@@t40@@:x-oauth-basic@git.example.org/team/app.git
sftp://ada:@@semi@@@host.example.org/home
""",
    "registries and logins": r"""
//registry.example.org/:_auth=@@basic@@
_auth = "@@basic@@"
//registry.example.org/:_authToken=@@t40@@
//registry.example.org/:_password="@@b24@@"
{"auths":{"reg.example.org":{"auth":"@@basic@@"}}}
.dockerconfigjson: @@docker64@@
machine git.example.org login ada password @@t20@@
machine api.example.org\n  login ada\n  password @@pw@@
docker login reg.example.org -u ci -p @@t24@@
echo @@t32@@ | docker login reg.example.org -u ci --password-stdin
[upload]\nusername = ada\npassword = @@pw@@
<server><id>central</id><username>ci</username><password>@@pw@@</password></server>
""",
    "clusters": r"""
users:\n- name: admin\n  user:\n    client-key-data: @@pem64@@
    client-key-data: @@ec64@@
  user:\n    token: @@jwt@@
apiVersion: v1\nkind: Secret\ndata:\n  password: @@b24@@
apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\nstringData:\n  DB_PASS: @@plain@@
apiVersion: v1\nkind: Secret\ndata:\n  config.yaml: @@yaml64@@
kubectl create secret generic app --from-literal=password=@@t20@@
kubectl config set-credentials ada --token=@@jwt@@
env:\n- name: REDIS_PASSWORD\n  value: @@t24@@
helm upgrade app ./chart --set auth.rootPassword=@@plain@@
kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef --certificate-key @@hex64@@
tls.key: @@pem64@@
""",
    "encoded": r"""
echo @@env64@@ | base64 -d > .env
KEY_B64=@@pem64@@
the secret decodes from @@one64@@ as you see
"content": "@@env64@@",
data: @@ssh64@@
cat creds.b64\n@@json64@@
base64 -w0 id_rsa\n@@ssh64@@
blob = b"@@dsn64@@"
user_data = "@@one64@@"
encoded: @@yaml64@@
$ kubectl get secret app -o jsonpath='{.data}'\nmap[app.env:@@env64@@]
GCP_KEY @@json64@@
""",
    "databases": r"""
db.internal:5432:app:app_user:@@t20@@
*:*:*:postgres:@@plain@@
redis-cli -h cache.internal -a @@t24@@ ping
redis-cli --pass @@plain@@ info
CREATE USER 'app'@'%' IDENTIFIED BY '@@pw@@';
ALTER USER root IDENTIFIED WITH mysql_native_password BY '@@plain@@';
CREATE ROLE app LOGIN PASSWORD '@@t20@@';
mysql -u root -p@@plain@@ shop
[client]\nuser=root\npassword=@@pw@@
mongosh --username root --password @@t20@@ --authenticationDatabase admin
requirepass @@t32@@
sqlcmd -S db.example.org -U sa -P @@plain@@ -Q "select 1"
""",
    "several lines": r"""
password = '''\n@@t24@@\n'''
secret_key = '''\\n  @@b32@@'''
password: |\n  @@plain@@
api_token: >-\n  @@t40@@
client_secret: |-\n    @@t32@@\nother: 1
secret:\n  @@hex40@@
password =\n  "@@pw@@"
"password":\n    "@@plain@@"
API_KEY=\\n@@t32@@
signing_key: !!binary |\n  @@b64@@
const password =\n  '@@plain@@';
Password:\n\n@@pw@@
""",
    "tables": r"""
| user | password |\n|---|---|\n| ada | @@plain@@ |
| Name | Value |\n|------|-------|\n| DB_PASSWORD | @@pw@@ |
user,password\nada,@@plain@@
service\ttoken\nbilling\t@@t32@@
username;password;role\nroot;@@pw@@;admin
 id | login | secret\n----+-------+--------\n  1 | ada | @@t24@@
+------+----------+\n| user | passwd |\n+------+----------+\n| root | @@plain@@ |\n+------+----------+
NAME          API KEY\nstaging       @@t40@@
<tr><th>Password</th><td>@@plain@@</td></tr>
| Environment | Secret key |\n| :-- | --: |\n| prod | `@@hex40@@` |
KEY                 VALUE\nSTRIPE_SECRET       @@t32@@
email,api_token,created\nada@example.org,@@hex40@@,2026-01-02
""",
    "keys and values": r"""
{"Key": "DB_PASSWORD", "Value": "@@pw@@"}
{"name": "API_TOKEN", "value": "@@t32@@"}
- Key: AdminPassword\n  Value: @@plain@@
ParameterKey=MasterUserPassword,ParameterValue=@@t20@@
{"ParameterKey":"DBPassword","ParameterValue":"@@plain@@"}
<add key="ClientSecret" value="@@t40@@" />
<entry key="db.password">@@plain@@</entry>
[{"key":"secret_token","type":"text","value":"@@hex40@@"}]
Name: github_token, Value: @@t40@@
<input type="hidden" name="csrf_secret" value="@@t32@@">
{"value":"@@t32@@","name":"AUTH_TOKEN","sensitive":true}
<property name="password" value="@@pw@@"/>
""",
    "cookies": r"""
Cookie: sessionid=@@t32@@; theme=dark
Set-Cookie: connect.sid=s%3A@@t32@@.@@t40@@; Path=/; HttpOnly
curl -b 'session=@@u43@@' https://app.example.org/me
Cookie: PHPSESSID=@@hex32@@
document.cookie = "auth=@@jwt@@"
Set-Cookie: JSESSIONID=@@hex32@@; Secure
-H 'cookie: _gh_sess=@@b64@@'
requests.get(url, cookies={"session": "@@u43@@"})
.example.org\tTRUE\t/\tTRUE\t1790000000\tsessionid\t@@t32@@
set-cookie: __Secure-next-auth.session-token=@@jwt@@; Path=/
Cookie: remember_me=@@hex64@@; lang=de
curl --cookie "laravel_session=@@b64@@" https://app.example.org
""",
    "signed URLs": r"""
https://files.s3.amazonaws.com/a.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-Signature=@@hex64@@
https://store.blob.core.windows.net/c/a.txt?sv=2024-01-01&sp=rwl&sig=@@u43@@%3D
https://storage.googleapis.com/b/o?GoogleAccessId=x@p.iam.gserviceaccount.com&Expires=1790000000&Signature=@@b64@@
https://app.example.org/reset?token=@@u43@@
https://app.example.org/invite/accept?code=@@t40@@&email=ada%40example.org
https://hooks.slack.com/services/T02ABCDEF/B03ABCDEF/@@t24@@
https://discord.com/api/webhooks/1043210987654321098/@@u43@@
https://cdn.example.org/v.mp4?Policy=abc&Key-Pair-Id=K2JCJMDEHXQW5F&Signature=@@u43@@
https://api.example.org/v1/items?api_key=@@t32@@&page=2
wss://push.example.org/socket?access_token=@@jwt@@
https://maps.example.org/js?key=@@google@@&v=3
https://example.webhook.office.com/webhookb2/a1b2/IncomingWebhook/@@hex32@@/f47ac10b
""",
    "broken tokens": r"""
token: @@zwsp@@
use @@zwnj@@ for payments
aws key @@shy@@ is old
push with @@bom@@
//registry.example.org/:_authToken=@@wj@@
the token is @@gap@@ I think
ANTHROPIC_API_KEY=@@gap2@@
copied from the terminal:\n@@wrap@@
key: @@wrap2@@
slack @@nbsp@@
password: @@zwpw@@
@@zwall@@
""",
    "names and ids": r"""
cat /home/ada/keys/@@ghp@@.txt
saved as backups/@@stripe@@.json
rm ./tokens/@@glpat@@
/home/ada/Downloads/@@akia@@_accessKeys.csv
{"session_id": "@@ghp@@"}
{"sessionId":"@@jwt@@","cwd":"/home/ada/app"}
touch password_@@t20@@.txt
mv a.txt token-@@hex40@@.txt
ls secrets/\napi_key=@@t32@@.env
open file:///tmp/@@openai@@.log
git checkout -b try-@@pat@@
resume session @@xoxb@@
""",
    "English prose": r"""
The password is @@plain@@ by the way
my password for the staging box is @@pw@@, don't commit it
log in as ada with password @@plain@@
use the passphrase @@phrase@@ to unlock the vault
Our admin login is root / @@plain@@
the api key we use there: @@t32@@
I changed the root password to @@pw@@ yesterday
creds: ada / @@plain@@
Wi-Fi password in the office: @@plain@@
"it asks for a PIN" - enter @@plain@@ as the password
The secret for the webhook should be @@hex32@@.
just sudo with @@plain@@, that's the pw
""",
    "other languages": r"""
Das Passwort lautet @@plain@@
Le mot de passe est @@plain@@
La contraseña es @@plain@@
A senha do servidor é @@pw@@
La password è @@plain@@
Het wachtwoord is @@plain@@
Пароль от базы: @@plain@@
密码是 @@plain@@
パスワードは@@plain@@です
Hasło do serwera to @@pw@@
Lösenordet är @@plain@@
Şifre: @@plain@@
""",
    "commands": r"""
curl -u ada:@@plain@@ https://api.example.org/v1/me
curl -H "Authorization: Bearer @@u43@@" https://api.example.org
curl -H 'X-Api-Key: @@t32@@' https://api.example.org
aws configure set aws_secret_access_key @@b32@@
az login --service-principal -u 1b2c -p @@t40@@ --tenant example.org
gcloud sql users set-password root --instance=db --password=@@plain@@
sshpass -p '@@pw@@' ssh root@10.0.0.5
http POST api.example.org/login username=ada password=@@plain@@
openssl enc -aes-256-cbc -pass pass:@@plain@@ -in a -out b
vault login @@vault@@
wget --user=ada --password='@@pw@@' https://files.example.org/a
curl -d '{"email":"ada@example.org","password":"@@plain@@"}' https://api.example.org/login
""",
    "code": r"""
client = Client(api_key="@@t32@@")
const jwtSecret = '@@hex32@@';
private static final String PASSWORD = "@@plain@@";
password := "@@pw@@"
let token: &str = "@@t40@@";
$config['db_pass'] = '@@plain@@';
config.secret_key_base = "@@hex64@@"
var cs = new NetworkCredential("ada", "@@plain@@");
conn = psycopg2.connect(host="db", user="app", password="@@pw@@")
define('AUTH_KEY', '@@b32@@');
os.environ["SECRET_KEY"] = "@@t40@@"
jwt.sign(payload, "@@t32@@", { expiresIn: "1h" })
""",
    "build logs": r"""
2026-11-03T10:11:12Z  + export DEPLOY_TOKEN=@@t40@@
##[debug]Evaluating: secrets.NPM_TOKEN => '@@npm@@'
env: API_KEY: @@t32@@
Step 4/9 : ARG GITHUB_TOKEN=@@ghs@@
 ---> Running with build args --build-arg NPM_TOKEN=@@t40@@
[INFO] Using credentials ada:@@plain@@
TF_VAR_db_password=@@plain@@ terraform apply
  + password = "@@t20@@"
Generated admin password: @@t20@@
Login Succeeded with token @@t40@@
DEBUG request headers {'Authorization': 'token @@hex40@@'}
Outputs:\n\ndb_password = @@plain@@
""",
    "connections": r"""
Server=db.example.org;Database=shop;User Id=sa;Password=@@pw@@;Encrypt=true
DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@@azure@@;EndpointSuffix=core.windows.net
Endpoint=sb://bus.example.org/;SharedAccessKeyName=Root;SharedAccessKey=@@b32@@
host=db user=app password=@@plain@@ dbname=shop sslmode=require
jdbc:postgresql://db:5432/shop?user=app&password=@@plain@@
jdbc:oracle:thin:scott/@@plain@@@db.example.org:1521/XE
Data Source=db;UID=sa;PWD=@@plain@@
app:@@t20@@@tcp(db:3306)/shop?parseTime=true
spring.datasource.password=@@plain@@
{"host":"db","user":"app","pass":"@@plain@@"}
AccountEndpoint=https://db.example.org:443/;AccountKey=@@azure@@;
https://@@hex32@@:@@hex32@@@o1.ingest.example.org/42
""",
    "vendors and keys": r"""
SENDGRID @@sendgrid@@
bot token @@tele@@
client.login("@@discord@@")
@@anthropic@@
hf login with @@hf@@
@@do@@
-----BEGIN RSA PRIVATE KEY-----\n@@rsa@@\n-----END RSA PRIVATE KEY-----
> -----BEGIN OPENSSH PRIVATE KEY-----\n@@rsa@@
{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\\n@@rsa@@\\n-----END PRIVATE KEY-----\\n"}
twine upload -u __token__ -p @@pypi@@
""",
}


def fresh(seed: int = SEED, rounds: int = 1) -> Iterator[Fresh]:
    """Every text with its secret, as often as there are rounds; of two values in one text the last is the secret."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for kind, lines in TEXTS.items():
            for line in lines.strip("\n").split("\n"):
                yield _filled(kind, line, rng)


def _filled(kind: str, line: str, rng: random.Random) -> Fresh:
    parts = _unescaped(line).split("@@")
    # A password in a URL ends at a third `@`: what follows the value then begins with it.
    text, secret = parts[0], ""
    for at in range(1, len(parts) - 1, 2):
        secret = VALUES[parts[at]](rng)
        text += secret + parts[at + 1]
    return Fresh(kind, text, secret)


def _unescaped(line: str) -> str:
    return line.replace("\\\\n", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\n")
