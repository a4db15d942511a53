"""Secrets as developers' sessions spill them: what commands print, files hold, code says, and people write to each other.

Each case is a text with its secrets marked as `⟦maker⟧`; a generator with a fixed seed puts a value there. The texts were written without a look at the rules that find them,
so that what they show is what a stranger's session would show.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
B64URL = ALNUM + "-_"
MARK = re.compile(r"⟦([a-z0-9]+)⟧")


class Leak(NamedTuple):
    kind: str
    secret: str
    text: str


def _some(rng: random.Random, alphabet: str, size: int) -> str:
    return "".join(rng.choices(alphabet, k=size))


def _strong(rng: random.Random) -> str:
    body = _some(rng, ALNUM, rng.randint(8, 14))
    return body[:4] + rng.choice("!#%^*+=?~_-.") + body[4:] + rng.choice("0123456789")


def _odd(rng: random.Random) -> str:
    body = _some(rng, ALNUM, 10)
    return body[:3] + rng.choice("&;|<>") + body[3:6] + rng.choice("$@!^") + body[6:]


WORDS = "Sommer Dragon Falcon Welcome Monkey Kaffee Blue Tiger Winter Panda Hunter Lisboa Maria Kraken Sunrise Pepper".split()


def _human(rng: random.Random) -> str:
    return (
        rng.choice(WORDS)
        + str(rng.choice([2019, 2021, 2023, 2024, 77, 123, 99]))
        + rng.choice(["!", "!!", "#", "$", "?", ""])
    )


def _lower(rng: random.Random) -> str:
    return rng.choice(WORDS).lower() + "-" + rng.choice(WORDS).lower() + "-" + str(rng.randint(10, 99))


def _jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")

    head, body = (
        {"alg": "HS256", "typ": "JWT"},
        {"sub": str(rng.randint(10**6, 10**7)), "iat": rng.randint(10**9, 2 * 10**9)},
    )
    return f"{part(head)}.{part(body)}.{_some(rng, B64URL, 43)}"


SEED_WORDS = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account accuse achieve acid acoustic acquire across act "
    "legal winner thank year wave sausage worth useful letter advice cage zoo vote wrong ladder ozone drill grit pulse tiger velvet orbit marble candy"
).split()

MAKERS: dict[str, Callable[[random.Random], str]] = {
    "pw": _strong,
    "odd": _odd,
    "human": _human,
    "lower": _lower,
    "jwt": _jwt,
    "hex32": lambda r: _some(r, "0123456789abcdef", 32),
    "hex40": lambda r: _some(r, "0123456789abcdef", 40),
    "hex64": lambda r: _some(r, "0123456789abcdef", 64),
    "hex128": lambda r: _some(r, "0123456789abcdef", 128),
    "b64": lambda r: base64.b64encode(r.randbytes(32)).decode(),
    "b64short": lambda r: base64.b64encode(_strong(r).encode()).decode(),
    "b64long": lambda r: base64.b64encode(r.randbytes(64)).decode(),
    "b64url": lambda r: base64.urlsafe_b64encode(r.randbytes(32)).decode().rstrip("="),
    "an16": lambda r: _some(r, ALNUM, 16),
    "an20": lambda r: _some(r, ALNUM, 20),
    "an24": lambda r: _some(r, ALNUM, 24),
    "an32": lambda r: _some(r, ALNUM, 32),
    "an40": lambda r: _some(r, ALNUM, 40),
    "an48": lambda r: _some(r, ALNUM, 48),
    "an64": lambda r: _some(r, ALNUM, 64),
    "up16": lambda r: _some(r, string.ascii_uppercase + string.digits, 16),
    "b32": lambda r: _some(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32),
    "b32short": lambda r: _some(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "uuid": lambda r: "-".join(_some(r, "0123456789abcdef", n) for n in (8, 4, 4, 4, 12)),
    "d6": lambda r: _some(r, string.digits, 6),
    "d4": lambda r: _some(r, string.digits, 4),
    "d8": lambda r: _some(r, string.digits, 8),
    "recovery": lambda r: _some(r, "abcdef0123456789", 5) + "-" + _some(r, "abcdef0123456789", 5),
    "seed12": lambda r: " ".join(r.choices(SEED_WORDS, k=12)),
    "seed24": lambda r: " ".join(r.choices(SEED_WORDS, k=24)),
    "diceware": lambda r: "-".join(
        r.sample(
            ["correct", "horse", "battery", "staple", "lantern", "orbit", "velvet", "marble", "pickle", "thunder"], 4
        )
    ),
    "phrase": lambda r: " ".join(
        r.sample(
            ["correct", "horse", "battery", "staple", "lantern", "orbit", "velvet", "marble", "pickle", "thunder"], 4
        )
    ),
    "pem": lambda r: base64.b64encode(r.randbytes(48)).decode(),
    "ghp": lambda r: "ghp_" + _some(r, ALNUM, 36),
    "gho": lambda r: "gho_" + _some(r, ALNUM, 36),
    "ghpat": lambda r: "github_pat_" + _some(r, ALNUM, 22) + "_" + _some(r, ALNUM, 59),
    "glpat": lambda r: "glpat-" + _some(r, B64URL, 20),
    "akia": lambda r: "AKIA" + _some(r, string.ascii_uppercase + "234567", 16),
    "awssecret": lambda r: _some(r, ALNUM + "/+", 40),
    "xoxb": lambda r: f"xoxb-{_some(r, string.digits, 12)}-{_some(r, string.digits, 12)}-{_some(r, ALNUM, 24)}",
    "xapp": lambda r: (
        f"xapp-1-A{_some(r, string.ascii_uppercase + string.digits, 10)}-{_some(r, string.digits, 13)}-{_some(r, '0123456789abcdef', 64)}"
    ),
    "slackhook": lambda r: (
        f"T{_some(r, string.ascii_uppercase + string.digits, 8)}/B{_some(r, string.ascii_uppercase + string.digits, 10)}/{_some(r, ALNUM, 24)}"
    ),
    "sklive": lambda r: "sk_live_" + _some(r, ALNUM, 24),
    "rklive": lambda r: "rk_live_" + _some(r, ALNUM, 24),
    "whsec": lambda r: "whsec_" + _some(r, ALNUM, 32),
    "openai": lambda r: "sk-proj-" + _some(r, B64URL, 48) + "T3BlbkFJ" + _some(r, B64URL, 48),
    "anthropic": lambda r: "sk-ant-api03-" + _some(r, B64URL, 93) + "AA",
    "google": lambda r: "AIza" + _some(r, B64URL, 35),
    "ya29": lambda r: "ya29." + _some(r, B64URL, 120),
    "gocspx": lambda r: "GOCSPX-" + _some(r, B64URL, 28),
    "sendgrid": lambda r: f"SG.{_some(r, B64URL, 22)}.{_some(r, B64URL, 43)}",
    "npm": lambda r: "npm_" + _some(r, ALNUM, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + _some(r, B64URL, 120),
    "dckr": lambda r: "dckr_pat_" + _some(r, B64URL, 27),
    "hf": lambda r: "hf_" + _some(r, ALNUM, 34),
    "dop": lambda r: "dop_v1_" + _some(r, "0123456789abcdef", 64),
    "shpat": lambda r: "shpat_" + _some(r, "0123456789abcdef", 32),
    "hvs": lambda r: "hvs." + _some(r, B64URL, 90),
    "twilio": lambda r: "SK" + _some(r, "0123456789abcdef", 32),
    "telegram": lambda r: f"{_some(r, '123456789', 10)}:AA{_some(r, B64URL, 33)}",
    "discord": lambda r: f"M{_some(r, ALNUM, 25)}.G{_some(r, ALNUM, 5)}.{_some(r, B64URL, 38)}",
    "mailgun": lambda r: f"key-{_some(r, '0123456789abcdef', 32)}",
    "sentry": lambda r: "sntrys_" + _some(r, B64URL, 90),
    "linear": lambda r: "lin_api_" + _some(r, ALNUM, 40),
    "notion": lambda r: "ntn_" + _some(r, ALNUM, 46),
    "figma": lambda r: "figd_" + _some(r, B64URL, 40),
    "age": lambda r: "AGE-SECRET-KEY-1" + _some(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "doppler": lambda r: "dp.st.prd." + _some(r, ALNUM, 43),
    "tskey": lambda r: f"tskey-auth-k{_some(r, ALNUM, 11)}CNTRL-{_some(r, ALNUM, 32)}",
    "atlassian": lambda r: "ATATT3xFfGF0" + _some(r, B64URL, 170),
    "databricks": lambda r: "dapi" + _some(r, "0123456789abcdef", 32),
    "newrelic": lambda r: "NRAK-" + _some(r, string.ascii_uppercase + string.digits, 27),
    "square": lambda r: "EAAA" + _some(r, B64URL, 60),
    "grafana": lambda r: "glsa_" + _some(r, ALNUM, 32) + "_" + _some(r, "0123456789abcdef", 8),
    "supabase": lambda r: "sbp_" + _some(r, "0123456789abcdef", 40),
    "postman": lambda r: f"PMAK-{_some(r, '0123456789abcdef', 24)}-{_some(r, '0123456789abcdef', 34)}",
    "planetscale": lambda r: "pscale_tkn_" + _some(r, B64URL, 43),
    "vercelish": lambda r: _some(r, ALNUM, 24),
    "wif": lambda r: (
        "5" + _some(r, "HJK", 1) + _some(r, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 49)
    ),
    "xprv": lambda r: "xprv9s21ZrQH143K" + _some(r, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", 95),
    "bcrypt": lambda r: "$2b$12$" + _some(r, ALNUM + "./", 53),
    "sha512crypt": lambda r: "$6$" + _some(r, ALNUM, 12) + "$" + _some(r, ALNUM + "./", 86),
    "license": lambda r: "-".join(_some(r, string.ascii_uppercase + string.digits, 5) for _ in range(5)),
    "apppw": lambda r: " ".join(_some(r, string.ascii_lowercase, 4) for _ in range(4)),
    "jp": lambda r: r.choice(["sakura", "nihon", "kirin", "yama"]) + str(r.randint(1000, 9999)) + r.choice("!#"),
}

# kind: the texts of that kind. Every mark is one secret.
CARRIERS: dict[str, list[str]] = {
    "dotenv": [
        "$ cat .env\nAPP_ENV=local\nAPP_KEY=base64:⟦b64⟧\nDB_HOST=10.0.0.4\nDB_PASSWORD=⟦pw⟧\nMAIL_PASSWORD=⟦odd⟧\n",
        "export STRIPE_SK=⟦sklive⟧\nexport PGPASSWORD='⟦odd⟧'\nexport SLACK_SIGNING_SECRET=⟦hex32⟧",
        'NEXTAUTH_SECRET="⟦b64⟧"\nGITHUB_CLIENT_ID=Iv1.8a61f9b3a7aba766\nGITHUB_CLIENT_SECRET=⟦hex40⟧\nENCRYPTION_SALT=⟦hex32⟧',
        "ROOT_PW=⟦human⟧\nSMTP_PASS=⟦apppw⟧\nREDIS_AUTH=⟦an24⟧\nFLASK_SECRET=⟦hex64⟧",
    ],
    "kubectl-secret": [
        "apiVersion: v1\ndata:\n  password: ⟦b64short⟧\n  username: YWRtaW4=\nkind: Secret\nmetadata:\n  name: db-creds\n  namespace: prod\ntype: Opaque",
        "kind: Secret\napiVersion: v1\nstringData:\n  connection: host=db user=app password=⟦pw⟧ sslmode=require\n  api-token: ⟦an32⟧\n",
        "$ kubectl get secret grafana -o jsonpath='{.data.admin-password}' | base64 -d; echo\n⟦an40⟧\n",
        "data:\n  tls.crt: LS0tLS1CRUdJTg==\n  tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t⟦b64long⟧\nkind: Secret\n",
    ],
    "kubeconfig": [
        "users:\n- name: admin@prod\n  user:\n    client-certificate-data: LS0tLS1CRUdJTiBDRVJU\n    client-key-data: LS0tLS1CRUdJTiBSU0Eg⟦b64long⟧\n    token: ⟦jwt⟧\n",
        "  user:\n    auth-provider:\n      config:\n        access-token: ⟦ya29⟧\n        refresh-token: 1//⟦b64url⟧\n",
    ],
    "terraform": [
        '# aws_db_instance.main:\nresource "aws_db_instance" "main" {\n    engine         = "postgres"\n    password       = "⟦pw⟧"\n    username       = "root"\n}',
        '  + master_password                     = "⟦pw⟧"\n  + master_username                     = "app"\n',
        'Outputs:\n\ndb_password = "⟦an20⟧"\nendpoint = "db.internal:5432"\n',
        '        "private_key_pem": "-----BEGIN RSA PRIVATE KEY-----\\n⟦pem⟧\\n-----END RSA PRIVATE KEY-----\\n",\n',
        'variable "datadog_api_key" {\n  type    = string\n  default = "⟦hex32⟧"\n}',
        '  ~ password = "⟦an20⟧" -> "⟦an20⟧"\n',
    ],
    "aws-cli": [
        "$ aws configure\nAWS Access Key ID [None]: ⟦akia⟧\nAWS Secret Access Key [None]: ⟦awssecret⟧\nDefault region name [None]: eu-west-1",
        '{\n    "AccessKey": {\n        "UserName": "ci",\n        "AccessKeyId": "⟦akia⟧",\n        "Status": "Active",\n        "SecretAccessKey": "⟦awssecret⟧"\n    }\n}',
        '{"Credentials": {"AccessKeyId": "ASIAZ7QWERTYUIOPASDF", "SecretAccessKey": "⟦awssecret⟧", "SessionToken": "IQoJb3JpZ2luX2VjE⟦b64long⟧"}}',
        '{\n  "ARN": "arn:aws:secretsmanager:eu-west-1:1234:secret:prod/db",\n  "Name": "prod/db",\n  "SecretString": "{\\"username\\":\\"app\\",\\"password\\":\\"⟦pw⟧\\"}"\n}',
        '{\n    "Parameter": {\n        "Name": "/prod/api/key",\n        "Type": "SecureString",\n        "Value": "⟦an32⟧"\n    }\n}',
        "[default]\naws_access_key_id = ⟦akia⟧\naws_secret_access_key = ⟦awssecret⟧\n",
    ],
    "gh-glab": [
        "$ gh auth token\n⟦gho⟧\n",
        "github.com\n  ✓ Logged in to github.com as mona (keyring)\n  ✓ Token: ⟦gho⟧\n",
        "remote: https://oauth2:⟦glpat⟧@gitlab.example.com/team/app.git",
        "git clone https://x-access-token:⟦ghpat⟧@github.com/acme/app\n",
        "github.com:\n    user: mona\n    oauth_token: ⟦ghp⟧\n    git_protocol: ssh\n",
    ],
    "gcloud-az": [
        "$ gcloud auth print-access-token\n⟦ya29⟧\n",
        '{\n  "appId": "5f0e3f8a-0000-4000-8000-aaaaaaaaaaaa",\n  "displayName": "ci",\n  "password": "⟦an40⟧",\n  "tenant": "72f988bf-86f1-41af-91ab-2d7cd011db47"\n}',
        '[\n  {\n    "keyName": "key1",\n    "permissions": "FULL",\n    "value": "⟦b64long⟧"\n  }\n]',
        '{"primaryMasterKey": "⟦b64long⟧", "secondaryMasterKey": "⟦b64long⟧"}',
        '  "private_key_id": "⟦hex40⟧",\n  "private_key": "-----BEGIN PRIVATE KEY-----\\n⟦pem⟧\\n',
        "$ az keyvault secret show --name db --vault-name kv --query value -o tsv\n⟦pw⟧\n",
    ],
    "docker": [
        '            "Env": [\n                "PATH=/usr/local/bin:/usr/bin",\n                "POSTGRES_PASSWORD=⟦pw⟧",\n                "MINIO_ROOT_PASSWORD=⟦human⟧"\n            ],',
        "services:\n  db:\n    image: mysql:8\n    environment:\n      - MYSQL_ROOT_PASSWORD=⟦human⟧\n      - MYSQL_DATABASE=app\n",
        '    environment:\n      RABBITMQ_DEFAULT_PASS: ⟦lower⟧\n      KC_BOOTSTRAP_ADMIN_PASSWORD: "⟦human⟧"\n',
        "docker run -d -e MYSQL_PASSWORD=⟦human⟧ -e TZ=UTC -p 3306:3306 mysql",
        "docker login registry.example.com -u ci -p ⟦an20⟧\n",
        "echo ⟦an20⟧ | docker login --username ci --password-stdin registry.example.com",
        '{"auths":{"registry.example.com":{"auth":"⟦b64short⟧"}}}',
        "ARG NPM_TOKEN=⟦uuid⟧\nENV SECRET_KEY_BASE ⟦hex128⟧\n",
        "docker run -e 'SA_PASSWORD=⟦odd⟧' mcr.microsoft.com/mssql/server",
    ],
    "ps": [
        "root      1432  0.0  0.1 112  8 ?  Ss 09:12 0:00 mysqld_safe --user=mysql --init-password=⟦an16⟧\n",
        "deploy   20113  1.2  3.4 java -Dspring.datasource.password=⟦pw⟧ -jar app.jar --server.port=8080",
        "node      811 node server.js --jwt-secret ⟦hex64⟧ --port 3000",
        "1002 ?  S  0:00 sshpass -p ⟦human⟧ ssh root@10.1.1.5",
        "99 ? Sl 2:10 /usr/bin/vault server -dev -dev-root-token-id=⟦uuid⟧",
        "root 77 openvpn --config c.ovpn --auth-user-pass /etc/x --askpass ⟦human⟧",
    ],
    "history": [
        "  501  mysql -u root -p⟦human⟧ shop\n  502  ls -la\n",
        "  77  curl -u deploy:⟦pw⟧ https://nexus.example.com/repository/x\n",
        "  88  PGPASSWORD=⟦an16⟧ psql -h db -U app\n",
        "  12  redis-cli -h cache -a ⟦an24⟧ ping\n",
        "  13  mongosh 'mongodb://app:⟦an16⟧@mongo:27017/x?authSource=admin'\n",
        "  14  openssl enc -aes-256-cbc -in a -out b -k ⟦human⟧\n",
        "  15  zip -P ⟦human⟧ secret.zip a b\n",
        "  16  htpasswd -bc .htpasswd admin ⟦human⟧\n",
        "  17  echo 'deploy:⟦human⟧' | chpasswd\n",
        "  18  ldapsearch -D cn=admin,dc=x -w ⟦pw⟧ -b dc=x\n",
        "  19  vault kv put secret/app api_key=⟦an32⟧ user=app\n",
        "  20  smbclient //srv/share -U 'DOM/joe%⟦human⟧'\n",
        "  21  kubectl create secret generic db --from-literal=pw=⟦odd⟧\n",
        "  22  heroku config:set SECRET_TOKEN=⟦hex64⟧\n",
        "  23  http --auth joe:⟦an16⟧ GET https://api.example.com/me\n",
        '  24  export TOKEN=⟦an40⟧; curl -H "Authorization: Bearer $TOKEN" https://x\n',
        "  25  sqlcmd -S db -U sa -P '⟦odd⟧' -Q 'select 1'\n",
        "  26  wget --http-user=joe --http-password=⟦human⟧ https://x.example/f\n",
        "  27  net use Z: \\\\srv\\share /user:joe ⟦human⟧\n",
        "  28  gpg --batch --passphrase ⟦lower⟧ -d f.gpg\n",
        "  29  rclone config create s3 s3 access_key_id ⟦akia⟧ secret_access_key ⟦awssecret⟧\n",
        "  30  ansible-playbook site.yml -e ansible_become_pass=⟦human⟧\n",
        "  31  keytool -importkeystore -srcstorepass ⟦human⟧ -deststorepass ⟦human⟧\n",
        "  32  flyway -url=jdbc:postgresql://db/x -user=app -password=⟦an16⟧ migrate\n",
    ],
    "git-diff": [
        "-API_KEY = 'changeme'\n+API_KEY = '⟦an32⟧'\n",
        "@@ -1,3 +1,3 @@\n database:\n-  password: ⟦human⟧\n+  password: ${DB_PASSWORD}\n",
        '+    "consumerSecret": "⟦an40⟧",\n+    "accessTokenSecret": "⟦an40⟧",\n',
        "-const ADMIN_PIN = '⟦d6⟧';\n",
    ],
    "ci-log": [
        "2026-03-01T10:00:00Z ##[debug]Evaluating env NUGET_API_KEY=⟦an48⟧\n",
        'Run echo "pass: ⟦pw⟧"\n',
        "[Pipeline] withEnv\n+ sonar-scanner -Dsonar.login=⟦hex40⟧ -Dsonar.host.url=https://sonar\n",
        "fatal: Authentication failed for 'https://ci:⟦an24⟧@git.example.com/app.git/'",
        "Uploading with token ⟦codecov⟧ ...\n".replace("codecov", "uuid"),
        "+ fastlane match --password ⟦human⟧ --readonly\n",
        "WARNING! Using --password via the CLI is insecure.\nLogin with ci / ⟦an16⟧ succeeded",
    ],
    "curl": [
        "> GET /v1/me HTTP/2\n> Host: api.example.com\n> authorization: Bearer ⟦an40⟧\n> accept: */*\n",
        "> Authorization: Basic ⟦b64short⟧\n> User-Agent: curl/8\n",
        "curl -H 'X-Api-Key: ⟦an32⟧' https://api.example.com/v1/items",
        "< set-cookie: session=⟦b64url⟧; Path=/; HttpOnly; Secure\n< content-type: text/html",
        "> Cookie: theme=dark; connect.sid=s%3A⟦an32⟧.⟦an40⟧; lang=en\n",
        "curl 'https://api.example.com/data?format=json&api_key=⟦hex32⟧'",
        "curl -X POST https://id.example.com/token -d grant_type=password -d username=joe -d password=⟦human⟧ -d client_id=web",
        "curl --data-urlencode 'client_secret=⟦an40⟧' https://id.example.com/oauth/token",
        'curl -d \'{"email":"joe@example.com","password":"⟦human⟧"}\' https://x.example/login',
        'curl -H "PRIVATE-TOKEN: ⟦an20⟧" https://gitlab.example.com/api/v4/projects',
        "< x-csrf-token: ⟦b64⟧\n",
        '< {"access_token":"⟦an64⟧","token_type":"bearer","expires_in":3600,"refresh_token":"⟦an48⟧"}\n',
        "curl -H 'Authorization: Token ⟦hex40⟧' https://x.example",
        "curl -H 'Authorization: ApiKey ⟦b64⟧' https://es.example:9200/_cat",
        'Authorization: Digest username="joe", realm="x", nonce="abc", response="⟦hex32⟧"',
    ],
    "sql": [
        "mysql> CREATE USER 'app'@'%' IDENTIFIED BY '⟦odd⟧';\nQuery OK",
        "ALTER ROLE app WITH LOGIN PASSWORD '⟦human⟧';",
        "mysql> select user,authentication_string from mysql.user;\n| root | *⟦up40⟧ |\n".replace("up40", "hex40"),
        "app=# select * from api_keys;\n id | name | key\n----+------+-----\n  1 | prod | ⟦an40⟧\n(1 row)\n",
        "INSERT INTO users (email, password) VALUES ('joe@example.com', '⟦human⟧');",
        "UPDATE settings SET value = '⟦an32⟧' WHERE name = 'smtp_password';",
        "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('⟦human⟧');",
        "CREATE LOGIN reporting WITH PASSWORD = N'⟦odd⟧';",
        "-[ RECORD 1 ]-+-----\nid            | 1\nrefresh_token | ⟦an48⟧\nemail         | a@b.c\n",
        "INSERT INTO oauth_clients VALUES (3, 'web', '⟦an40⟧', 'https://cb');",
        "psql postgres://app:⟦an16⟧@db.internal/shop",
    ],
    "stack-trace": [
        "sqlalchemy.exc.OperationalError: (psycopg2) connection to postgresql://svc:⟦odd⟧@10.0.0.3:5432/app failed",
        "Error: connect ECONNREFUSED amqp://worker:⟦an16⟧@mq:5672\n    at Connection.js:12",
        "requests.exceptions.HTTPError: 401 Client Error for url: https://api.example.com/v2?token=⟦an32⟧",
        "KeyError: 'x'\n  locals: {'user': 'joe', 'password': '⟦human⟧', 'retries': 3}",
        "java.sql.SQLException: Access denied for jdbc:mysql://db/x?user=app&password=⟦an16⟧&useSSL=false",
        'AuthError(ConnectionInfo { host: "db", user: "app", password: Some("⟦human⟧") })',
        "panic: login failed: cfg={Host:db Port:5432 User:app Password:⟦an16⟧ SSL:false}",
        "Config(host='db', user='app', passwd='⟦human⟧', port=3306)",
        "Illuminate\\Database\\QueryException with PDO->__construct('mysql:host=db', 'app', '⟦human⟧', Array)",
        '#<Config:0x0001 @host="db", @password="⟦human⟧", @port=1>',
        "System.Exception: Server=db;Database=x;User Id=sa;Password=⟦odd⟧".replace("odd", "pw") + ";Encrypt=true",
    ],
    "properties": [
        "spring.datasource.username=app\nspring.datasource.password=⟦pw⟧\nspring.mail.password=⟦apppw⟧\n",
        "systemProp.sonar.login=⟦hex40⟧\nRELEASE_STORE_PASSWORD=⟦human⟧\nRELEASE_KEY_PASSWORD=⟦human⟧\n",
        "signing.keyId=24875D73\nsigning.password=⟦human⟧\nossrhPassword=⟦b64url⟧\nmavenCentralPassword=⟦b64short⟧\n",
        "keystore.pass : ⟦human⟧\nldap.bind.credentials = ⟦pw⟧\n",
        "db.pwd=⟦odd⟧\njasypt.encryptor.password=⟦lower⟧\n",
    ],
    "xml-plist": [
        "<key>APIKey</key>\n\t<string>⟦an32⟧</string>\n",
        '<connectionStrings>\n  <add name="Db" connectionString="Server=db;Uid=sa;Pwd=⟦human⟧;" />\n</connectionStrings>',
        '<add key="SmtpPassword" value="⟦human⟧" />',
        "<server>\n  <id>nexus</id>\n  <username>ci</username>\n  <password>⟦pw⟧</password>\n</server>",
        '<property name="hibernate.connection.password">⟦human⟧</property>',
        '<bean><property name="secretKey" value="⟦an40⟧"/></bean>',
        '<machineKey validationKey="⟦hex128⟧" decryptionKey="⟦hex64⟧" validation="SHA1" />',
        '<string name="maps_api_key">⟦google⟧</string>',
        '<Resource name="jdbc/x" username="app" password="⟦odd⟧" url="jdbc:x"/>',
        '<wsse:Password Type="#PasswordText">⟦human⟧</wsse:Password>',
    ],
    "server-config": [
        'proxy_set_header Authorization "Basic ⟦b64short⟧";\nproxy_set_header X-Auth-Token ⟦an32⟧;\n',
        '[Service]\nEnvironment="DB_PASS=⟦pw⟧" NODE_ENV=production\nEnvironment=API_TOKEN=⟦an40⟧\nExecStart=/usr/bin/app\n',
        "requirepass ⟦an32⟧\nmasterauth ⟦an32⟧\n",
        "fastcgi_param APP_SECRET ⟦hex32⟧;",
        "SetEnv DATABASE_PASSWORD ⟦human⟧\n",
        "bindpw ⟦human⟧\nbinddn cn=proxy,dc=x\n",
        "rootpw {SSHA}⟦an32⟧\n",
        "smtp_sasl_password_maps: [smtp.example.com]:587 joe@example.com:⟦human⟧\n",
        "wpa_passphrase=⟦human⟧\nssid=Office\n",
        'network={\n  ssid="Home"\n  psk="⟦human⟧"\n}',
        "PrivateKey = ⟦b64⟧\nAddress = 10.0.0.2/24\nPresharedKey = ⟦b64⟧\n",
        "snmp-server community ⟦an16⟧ RO\nusername admin privilege 15 secret 0 ⟦human⟧\n",
        "auth-user-pass inline\n<auth-user-pass>\njoe\n⟦human⟧\n</auth-user-pass>",
    ],
    "helm-ansible": [
        'postgresql:\n  auth:\n    postgresPassword: ⟦an16⟧\n    username: app\nredis:\n  auth:\n    password: "⟦an24⟧"\n',
        'env:\n  - name: DATABASE_PASSWORD\n    value: "⟦pw⟧"\n  - name: LOG_LEVEL\n    value: debug\n',
        "helm upgrade app ./chart --set auth.rootPassword=⟦human⟧ --set image.tag=1.2.3",
        '- hosts: all\n  vars:\n    ansible_ssh_pass: ⟦human⟧\n    vault_db_password: "⟦odd⟧"\n',
        "web1 ansible_host=10.0.0.5 ansible_user=root ansible_password=⟦human⟧\n",
        "adminPassword: |-\n  ⟦pw⟧\nreplicas: 2\n",
        "secrets:\n  jwt: >-\n    ⟦hex64⟧\n",
        "- key: SECRET_KEY\n  value: ⟦an48⟧\n  secret: true\n",
    ],
    "rc-files": [
        "[pypi]\nusername = __token__\npassword = ⟦pypi⟧\n",
        "[distutils]\nindex-servers = local\n[local]\nrepository: https://pkg.example\nusername: joe\npassword: ⟦human⟧\n",
        "machine api.heroku.com\n  login joe@example.com\n  password ⟦uuid⟧\n",
        "machine github.com login joe password ⟦ghp⟧",
        '[client]\nuser=root\npassword="⟦odd⟧"\n',
        "//registry.example.com/:_authToken=⟦an40⟧\n_auth=⟦b64short⟧\nemail=a@b.c",
        "db.internal:5432:app:svc:⟦pw⟧\n",
        ":rubygems_api_key: rubygems_⟦hex64⟧\n",
        '[registry]\ntoken = "⟦an32⟧"\n',
        'BUNDLE_GEMS__EXAMPLE__COM: "joe:⟦an20⟧"\n',
        'npmAuthToken: "⟦uuid⟧"\n',
        "[sendemail]\n\tsmtpserver = smtp.example.com\n\tsmtppass = ⟦apppw⟧\n",
        'set imap_pass = "⟦human⟧"\n',
        "https://joe:⟦human⟧@git.example.com\n",
        "//10.0.0.9/data /mnt cifs username=joe,password=⟦human⟧,uid=1000 0 0",
        "access_key = ⟦akia⟧\nsecret_key = ⟦awssecret⟧\nhost_base = s3.example.com\n",
    ],
    "frameworks": [
        "production:\n  secret_key_base: ⟦hex128⟧\n  aws:\n    secret_access_key: ⟦awssecret⟧\n",
        "$ cat config/master.key\n⟦hex32⟧\n",
        "SECRET_KEY = 'django-insecure-⟦an48⟧'\nDEBUG = True\n",
        "DATABASES = {'default': {'ENGINE': 'x', 'USER': 'app', 'PASSWORD': '⟦odd⟧', 'HOST': 'db'}}",
        '{\n  "ConnectionStrings": {\n    "Default": "Server=tcp:x.database.windows.net,1433;User ID=app;Password=⟦pw⟧;"\n  },\n  "Jwt": {\n    "Key": "⟦an48⟧",\n    "Issuer": "x"\n  }\n}',
        "define( 'DB_PASSWORD', '⟦odd⟧' );\ndefine('AUTH_KEY',         '⟦an64⟧');\ndefine('NONCE_SALT', '⟦an64⟧');",
        'EMAIL_HOST_PASSWORD = "⟦apppw⟧"\n',
        "config.secret_key = '⟦hex128⟧'\nconfig.pepper = '⟦hex128⟧'\n",
        "'key' => env('APP_KEY', 'base64:⟦b64⟧'),",
        "app.config['SECRET_KEY'] = '⟦an24⟧'",
        'config :app, AppWeb.Endpoint,\n  secret_key_base: "⟦b64long⟧"\n',
        "cookieParser('⟦an32⟧')\napp.use(session({ secret: '⟦an24⟧', resave: false }))",
        "jwt.sign(payload, '⟦an32⟧', { expiresIn: '1h' })",
    ],
    "python": [
        'client = Client("joe", "⟦human⟧")  # password auth\nclient.login(username="joe", password="⟦human⟧")',
        "s3 = boto3.client('s3', aws_access_key_id='⟦akia⟧', aws_secret_access_key='⟦awssecret⟧')",
        'auth = ("deploy", "⟦an20⟧")\nrequests.get(url, auth=("joe", "⟦human⟧"))',
        'os.environ["OPENAI_API_KEY"] = "⟦openai⟧"\nos.environ.setdefault("DB_PASS", "⟦human⟧")',
        "fernet = Fernet(b'⟦b64⟧')",
        "API_SECRET: Final[str] = '⟦an40⟧'",
        "server.login('joe@example.com', '⟦human⟧')",
        "headers = {'Authorization': f'Bearer {token}', 'x-api-key': '⟦an32⟧'}",
    ],
    "javascript": [
        "const stripe = require('stripe')('⟦sklive⟧');",
        "const pool = new Pool({ user: 'app', host: 'db', password: '⟦odd⟧', port: 5432 });",
        "process.env.SESSION_SECRET = process.env.SESSION_SECRET || '⟦an24⟧';",
        "axios.get(url, { auth: { username: 'joe', password: `⟦human⟧` } })",
        'firebase.initializeApp({ apiKey: "⟦google⟧", authDomain: "x.firebaseapp.com" })',
        "const SECRET = Buffer.from('⟦hex64⟧', 'hex');",
        "await page.type('#password', '⟦human⟧');",
        "cy.login('joe@example.com', '⟦human⟧')",
        "new OAuth2(clientId, '⟦gocspx⟧', redirect)",
        "localStorage.setItem('token', '⟦an40⟧')",
    ],
    "other-code": [
        'String password = "⟦human⟧";\nDriverManager.getConnection(url, "app", "⟦human⟧");',
        'private static final String API_KEY = "⟦an32⟧";',
        'var apiSecret = []byte("⟦an32⟧")\ncfg.Password = "⟦odd⟧"\n',
        'const dbPass string = "⟦human⟧"',
        'let api_token: &str = "⟦an40⟧";',
        'client.DefaultRequestHeaders.Add("Ocp-Apim-Subscription-Key", "⟦hex32⟧");\nvar pwd = @"⟦odd⟧";',
        "$password = '⟦odd⟧';\n$mysqli = new mysqli('db', 'app', '⟦human⟧', 'shop');",
        '$secure = ConvertTo-SecureString "⟦human⟧" -AsPlainText -Force',
        'val keyPassword = "⟦human⟧"\nstorePassword "⟦human⟧"\n',
        'let apiKey = "⟦an32⟧" // swift\nstatic let clientSecret: String = "⟦an40⟧"',
        "password: '⟦human⟧', # ruby\nTwilio::REST::Client.new('ACdeadbeefdeadbeefdeadbeefdeadbeef', '⟦hex32⟧')",
        '#define WIFI_PASS "⟦human⟧"\nstatic const char *mqtt_password = "⟦lower⟧";',
        '(def db {:user "app" :password "⟦human⟧"})',
        "my $pass = q{⟦odd⟧};",
        'final String _apiKey = "⟦an32⟧"; // dart',
        'password <- "⟦human⟧" # R',
        'config :ex_aws, secret_access_key: ["⟦awssecret⟧", :instance_role]',
        "local token = [[⟦an40⟧]] -- lua",
    ],
    "json-in-json": [
        '{"body": "{\\"user\\": \\"joe\\", \\"password\\": \\"⟦human⟧\\"}"}',
        '{"log": "{\\"ctx\\":{\\"auth\\":{\\"apiKey\\":\\"⟦an32⟧\\"}}}\\n"}',
        '"{\\\\\\"client_secret\\\\\\":\\\\\\"⟦an40⟧\\\\\\"}"',
        '{"cmd": "export DB_PASS=\\"⟦pw⟧\\" && ./run.sh"}',
        '{"content": "API_KEY=⟦an32⟧\\nDB_PASSWORD=⟦human⟧\\nDEBUG=1\\n"}',
        '{"args":["--password","⟦human⟧","--host","db"]}',
        '{"name":"DB_PASSWORD","value":"⟦human⟧"}',
        '{"key": "api_token", "type": "secret", "value": "⟦an40⟧"}',
        '{"headers": [["authorization", "Bearer ⟦an40⟧"], ["cookie", "sid=⟦an32⟧"]]}',
    ],
    "table": [
        "| env | user | password |\n|---|---|---|\n| staging | admin | ⟦human⟧ |\n| prod | root | ⟦pw⟧ |\n",
        "| Variable | Value |\n|----------|-------|\n| SMTP_PASSWORD | `⟦human⟧` |\n",
        "┌──────┬──────────┐\n│ user │ password │\n├──────┼──────────┤\n│ joe  │ ⟦human⟧ │\n└──────┴──────────┘",
        "username,password,role\njoe,⟦human⟧,admin\n",
        "name;token;expires\nci;⟦an40⟧;2027-01-01\n",
        "KEY                VALUE\nAPI_SECRET         ⟦an32⟧\nLOG_LEVEL          info\n",
        "User\tPassword\njoe\t⟦human⟧\n",
        "Title,URL,Username,Password,OTPAuth\nMail,https://m.example,joe,⟦pw⟧,\n",
        "Username: joe\nPassword: ⟦human⟧\nURL: https://x.example",
        "Host      db.internal\nUser      app\nPass      ⟦pw⟧\n",
    ],
    "english": [
        "The password for the staging box is ⟦human⟧, please don't share it.",
        "pw for staging: ⟦human⟧",
        "login with admin / ⟦human⟧",
        "use joe@example.com and ⟦human⟧ to sign in",
        "I changed the root password to ⟦human⟧ yesterday",
        "Here's the API key: ⟦an32⟧",
        "ssh in as deploy, pass is ⟦lower⟧",
        'the wifi password is "⟦phrase⟧"',
        "creds are admin:⟦human⟧ on the test server",
        "my token is ⟦hex40⟧ can you try it",
        "set the passphrase to ⟦diceware⟧ when it asks",
        "It's ⟦human⟧ for the db password btw",
        "old password was ⟦human⟧, new one is ⟦human⟧",
        "when prompted for a password, type ⟦human⟧",
        "The PIN of the door is ⟦d4⟧.",
        "Just use ⟦human⟧ as the password.",
        "pass=⟦human⟧ user=joe on the vpn",
        "secret (from 1password): ⟦an24⟧",
        "credentials:\n  joe\n  ⟦human⟧\n",
        "Password\n⟦human⟧\n",
        "the pwd's ⟦human⟧",
        "u: joe p: ⟦human⟧",
        "here you go, the key you asked for\n\n⟦an40⟧",
        "sign in using the temporary password ⟦human⟧ and change it",
    ],
    "german": [
        "Das Passwort für den Server lautet ⟦human⟧.",
        "Kennwort: ⟦human⟧",
        "Zugangsdaten: admin / ⟦human⟧",
        "Ich habe das Passwort auf ⟦human⟧ geändert",
        "Melde dich mit joe und ⟦human⟧ an, das ist das WLAN-Passwort",
        "der API-Schlüssel ist ⟦an32⟧",
        "Die PIN lautet ⟦d4⟧",
        "das pw für die datenbank: ⟦lower⟧",
    ],
    "french": [
        "Le mot de passe est ⟦human⟧.",
        "mdp : ⟦human⟧",
        "Voici la clé API : ⟦an32⟧",
        "identifiant admin, mot de passe ⟦human⟧",
        "J'ai remplacé le mot de passe par « ⟦human⟧ »",
    ],
    "spanish": [
        "La contraseña del servidor es ⟦human⟧",
        "usuario: joe, clave: ⟦human⟧",
        "He cambiado la contraseña a ⟦human⟧",
        "el token de acceso es ⟦an40⟧",
        "contraseña de la base de datos → ⟦human⟧",
    ],
    "portuguese": [
        "A senha do banco é ⟦human⟧",
        "senha: ⟦human⟧",
        "usa a palavra-passe ⟦human⟧ para entrar",
        "a chave da API é ⟦an32⟧",
    ],
    "italian": [
        "La password del database è ⟦human⟧",
        "parola d'ordine: ⟦human⟧",
        "entra con admin e la password ⟦human⟧",
        "la chiave segreta è ⟦an32⟧",
    ],
    "dutch": [
        "Het wachtwoord is ⟦human⟧",
        "wachtwoord voor de server: ⟦human⟧",
        "log in met joe en wachtwoord ⟦human⟧",
        "de geheime sleutel is ⟦an32⟧",
    ],
    "polish": ["Hasło do serwera to ⟦human⟧", "hasło: ⟦human⟧", "zaloguj się hasłem ⟦human⟧", "klucz API to ⟦an32⟧"],
    "russian": [
        "Пароль от сервера: ⟦human⟧",
        "пароль ⟦human⟧",
        "логин admin, пароль ⟦human⟧",
        "ключ API — ⟦an32⟧",
        "Я поменял пароль на ⟦human⟧",
    ],
    "japanese": [
        "パスワードは ⟦jp⟧ です",
        "パスワード:⟦jp⟧",
        "DBのパスワードは「⟦jp⟧」です。",
        "APIキーは⟦an32⟧です",
        "暗証番号は⟦d4⟧です",
    ],
    "chinese": [
        "密码是⟦human⟧",
        "数据库密码:⟦human⟧",
        "登录用 admin,口令为 ⟦human⟧",
        "密钥:⟦an32⟧",
        "密码改成了 ⟦human⟧",
        "密碼是 ⟦human⟧",
    ],
    "korean": ["비밀번호는 ⟦human⟧ 입니다", "비밀번호: ⟦human⟧", "비번 ⟦human⟧", "API 키는 ⟦an32⟧ 입니다"],
    "turkish": ["Sunucunun şifresi ⟦human⟧", "parola: ⟦human⟧", "şifre: ⟦human⟧", "API anahtarı ⟦an32⟧"],
    "more-languages": [
        "Lösenordet är ⟦human⟧",
        "Adgangskoden er ⟦human⟧",
        "Salasana on ⟦human⟧",
        "Heslo k databázi je ⟦human⟧",
        "A jelszó: ⟦human⟧",
        "Parola este ⟦human⟧",
        "Ο κωδικός είναι ⟦human⟧",
        "Пароль до бази: ⟦human⟧",
        "كلمة المرور هي ⟦human⟧",
        "הסיסמה היא ⟦human⟧",
        "पासवर्ड है ⟦human⟧",
        "Mật khẩu là ⟦human⟧",
        "รหัสผ่านคือ ⟦human⟧",
        "Kata sandi: ⟦human⟧",
    ],
    "vendor-token": [
        "so the old one was ⟦ghp⟧ and it still worked",
        "⟦xoxb⟧",
        "https://hooks.slack.com/services/⟦slackhook⟧",
        "curl https://api.telegram.org/bot⟦telegram⟧/getMe",
        "bot.login('⟦discord⟧')",
        "got ⟦sendgrid⟧ from the dashboard",
        "`⟦hf⟧`",
        "DO: ⟦dop⟧",
        "shopify ⟦shpat⟧",
        "vault: ⟦hvs⟧",
        "⟦age⟧",
        "⟦dckr⟧ is the docker one",
        "(⟦npm⟧)",
        "key=⟦anthropic⟧,",
        "⟦rklive⟧ / ⟦whsec⟧",
        "⟦doppler⟧ → doppler",
        "tailscale up --authkey ⟦tskey⟧",
        "jira token ⟦atlassian⟧",
        "⟦databricks⟧",
        "new relic: ⟦newrelic⟧",
        "⟦grafana⟧ grafana",
        "⟦supabase⟧",
        "postman ⟦postman⟧",
        "⟦planetscale⟧",
        "linear ⟦linear⟧, figma ⟦figma⟧, notion ⟦notion⟧, sentry ⟦sentry⟧",
        "⟦xapp⟧",
        "mailgun ⟦mailgun⟧",
        "square: ⟦square⟧",
        "vercel token ⟦vercelish⟧",
    ],
    "jwt": ["token: ⟦jwt⟧", "wss://x.example/ws?jwt=⟦jwt⟧", "```\n⟦jwt⟧\n```", "decoded ⟦jwt⟧ gives sub=1"],
    "cookie": [
        "document.cookie = 'auth=⟦an40⟧; path=/'",
        "JSESSIONID=⟦hex32⟧",
        "Cookie: _ga=GA1.2.1.1; laravel_session=⟦b64long⟧",
        "PHPSESSID=⟦an24⟧; path=/",
        '{"name": "sessionid", "value": "⟦an32⟧", "domain": ".example.com", "httpOnly": true}',
        ".example.com\tTRUE\t/\tTRUE\t1790000000\tsession_token\t⟦an48⟧",
    ],
    "signed-url": [
        "https://b.s3.amazonaws.com/f?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-Signature=⟦hex64⟧",
        "https://acc.blob.core.windows.net/c/f?sv=2022-11-02&sr=b&sig=⟦an40⟧%3D&se=2026-01-01",
        "https://storage.googleapis.com/b/f?Expires=1700000000&Signature=⟦b64url⟧",
        "https://d111.cloudfront.net/x?Policy=eyJ&Signature=⟦an64⟧&Key-Pair-Id=K2J",
        "https://app.example.com/reset-password?token=⟦an48⟧",
        "https://app.example.com/invite/accept?code=⟦an24⟧",
        "https://discord.com/api/webhooks/1234567890123/⟦an64⟧",
        "https://x.webhook.office.com/webhookb2/⟦uuid⟧@72f988bf-86f1-41af-91ab-2d7cd011db47/IncomingWebhook/⟦hex32⟧/1234",
    ],
    "connection-string": [
        "postgres://app:⟦odd⟧@db.example.com:5432/app",
        "mongodb+srv://joe:⟦an16⟧@cluster0.abcde.mongodb.net/test",
        "redis://:⟦an24⟧@cache:6379/0",
        "DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=⟦b64long⟧;EndpointSuffix=core.windows.net",
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦b64⟧",
        "sftp://joe:⟦human⟧@files.example.com/in",
        "amqps://u:⟦an24⟧@rabbit.example.com/vh",
        "Data Source=db;Initial Catalog=x;User ID=sa;Password='⟦odd⟧'",
        "https://⟦hex32⟧@o123.ingest.sentry.io/456",
        "jdbc:oracle:thin:app/⟦an16⟧@db:1521/XE",
        "rtsp://admin:⟦human⟧@192.168.1.20:554/stream",
        "socks5://joe:⟦an16⟧@proxy:1080",
        "InstrumentationKey=⟦uuid⟧;IngestionEndpoint=https://x.in.applicationinsights.azure.com/",
        "ldap://cn=admin:⟦human⟧@ldap.example.com",
    ],
    "private-key": [
        "-----BEGIN OPENSSH PRIVATE KEY-----\n⟦pem⟧\n⟦pem⟧\n-----END OPENSSH PRIVATE KEY-----",
        "    -----BEGIN EC PRIVATE KEY-----\n    ⟦pem⟧\n    -----END EC PRIVATE KEY-----",
        "> -----BEGIN RSA PRIVATE KEY-----\n> ⟦pem⟧\n> ⟦pem⟧\n> -----END RSA PRIVATE KEY-----",
        "     1\t-----BEGIN PRIVATE KEY-----\n     2\t⟦pem⟧\n     3\t⟦pem⟧\n     4\t-----END PRIVATE KEY-----",
        "+-----BEGIN PRIVATE KEY-----\n+⟦pem⟧\n+-----END PRIVATE KEY-----",
        '"-----BEGIN PRIVATE KEY-----\\n" +\n"⟦pem⟧\\n" +\n"-----END PRIVATE KEY-----"',
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n⟦pem⟧\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPrivate-Lines: 1\n⟦b64⟧\nPrivate-MAC: ⟦hex64⟧",
        '{"kty":"RSA","n":"0vx7","e":"AQAB","d":"⟦b64url⟧","p":"⟦b64url⟧"}',
        "ETH_PRIVATE_KEY=0x⟦hex64⟧",
        "cast send --private-key 0x⟦hex64⟧ --rpc-url https://x",
        "wallet = new ethers.Wallet('0x⟦hex64⟧')",
        "WIF ⟦wif⟧",
        "⟦xprv⟧",
        "untrusted comment: minisign encrypted secret key\nRWRTY0Iy⟦b64long⟧\n",
        "-----BEGIN PRIVATE KEY-----\n⟦pem⟧\n... (truncated)",
        '"identity": "⟦nsec⟧"'.replace("⟦nsec⟧", "nsec1⟦an48⟧"),
    ],
    "recovery-code": [
        "Save your recovery codes:\n⟦recovery⟧\n⟦recovery⟧\n⟦recovery⟧\n",
        "backup codes: ⟦d8⟧ ⟦d8⟧ ⟦d8⟧",
        "Emergency kit secret key: A3-⟦an16⟧",
        "Unseal Key 1: ⟦b64⟧\nUnseal Key 2: ⟦b64⟧\nInitial Root Token: ⟦hvs⟧",
        "BitLocker recovery key: 111111-⟦d6⟧-222222-⟦d6⟧-333333-444444-555555-666666",
        "FileVault recovery key = '⟦license⟧'",
    ],
    "totp": [
        "otpauth://totp/ACME:joe@example.com?secret=⟦b32⟧&issuer=ACME",
        "Manual entry key: ⟦b32short⟧",
        "oathtool --totp -b ⟦b32⟧",
        "pyotp.TOTP('⟦b32⟧').now()",
        "2FA secret ⟦b32short⟧",
        "can't scan the QR? enter this code: ⟦b32⟧",
    ],
    "seed-phrase": [
        "mnemonic: ⟦seed12⟧",
        'MNEMONIC="⟦seed12⟧"',
        "Your recovery phrase:\n⟦seed24⟧\n",
        "seed phrase is ⟦seed12⟧",
        "cast wallet import --mnemonic '⟦seed12⟧'",
    ],
    "otp": [
        "Your verification code is ⟦d6⟧",
        "the 2fa code is ⟦d6⟧",
        "npm publish --otp=⟦d6⟧",
        "Enter OTP: ⟦d6⟧",
        "G-⟦d6⟧ is your Google verification code.",
        "Dein Bestätigungscode lautet ⟦d6⟧",
    ],
    "prompt": [
        "$ sudo -S apt update\n[sudo] password for joe: ⟦human⟧\n",
        "Enter passphrase for key '/home/joe/.ssh/id_ed25519': ⟦lower⟧\n",
        "$ read -s PASS\n⟦human⟧\n",
        "Vault password: ⟦human⟧\nDecryption successful",
        'spawn ssh root@10.0.0.1\nexpect "password:"\nsend "⟦human⟧\\r"',
        "? Enter your API key: ⟦an32⟧\n✔ Saved",
        "$ pass show mail/joe\n⟦pw⟧\n",
        "$ op read op://vault/db/password\n⟦pw⟧\n",
        "$ security find-generic-password -s x -w\n⟦human⟧\n",
        "$ openssl rand -hex 32\n⟦hex64⟧\n",
        "$ pwgen -s 20 1\n⟦an20⟧\n",
        "$ vault kv get secret/app\n====== Data ======\nKey       Value\n---       -----\napi_key   ⟦an32⟧\npassword  ⟦human⟧\n",
        "$ heroku config\n=== app Config Vars\nDATABASE_URL: postgres://u:⟦an32⟧@ec2.example.com/d\nSECRET: ⟦hex32⟧\n",
        "$ docker exec gitlab cat /etc/gitlab/initial_root_password\nPassword: ⟦b64⟧\n",
        "$ argocd admin initial-password\n⟦an16⟧\n\n This password must be only used for first time login.",
        "A temporary password is generated for root@localhost: ⟦pw⟧\n",
        "Password for the elastic user (reset with ...):\n  ⟦an20⟧\n",
        "Jenkins initial setup is required. Please use the following password:\n\n⟦hex32⟧\n\nThis may also be found at:",
    ],
    "hash": [
        "joe:⟦sha512crypt⟧:19000:0:99999:7:::",
        "admin:⟦bcrypt⟧",
        "'password' => '⟦bcrypt⟧'",
        "admin:$apr1$abcdefgh$⟦an20⟧",
    ],
    "toml-multiline": [
        'token = """\n⟦an40⟧"""\n',
        "[secrets]\nstripe = '⟦sklive⟧'\ndb = { user = 'app', password = '⟦human⟧' }\n",
        'api_key = [\n  "⟦an32⟧",\n  "⟦an32⟧",\n]\n',
    ],
    "hidden": [
        "to\u200bken: ⟦ghp⟧",
        "password\u00a0: ⟦human⟧",
        "api key = ⟦an16⟧\\\n  && run",
        "%70assword=x&password=⟦human⟧%21",
        "Password&#58; &quot;⟦human⟧&quot;",
        "<td>Password</td><td>⟦human⟧</td>",
        '<input type="password" name="pw" value="⟦human⟧">',
        "**Password:** `⟦human⟧`",
        "*Passwort*: **⟦human⟧**",
        "\x1b[1mpassword\x1b[0m: \x1b[32m⟦human⟧\x1b[0m",
        "- [ ] rotate password (⟦human⟧)",
        "# TODO remove: admin pw ⟦human⟧",
    ],
    "license": ["license key: ⟦license⟧", "LICENSE_KEY=⟦license⟧", "Serial / product key ⟦license⟧"],
}


def _filled(kind: str, text: str, rng: random.Random) -> Iterator[Leak]:
    """One leak for each mark; all of a text share the filled text."""
    secrets = []

    def put(mark: re.Match[str]) -> str:
        secrets.append(MAKERS[mark[1]](rng))
        return secrets[-1]

    filled = MARK.sub(put, text)
    return iter([Leak(kind, secret, filled) for secret in secrets])


def leaks(carriers: dict[str, list[str]] = CARRIERS, seed: int = 20261115, rounds: int = 1) -> list[Leak]:
    rng = random.Random(seed)
    return [
        leak
        for _ in range(rounds)
        for kind, texts in carriers.items()
        for text in texts
        for leak in _filled(kind, text, rng)
    ]


# What looks like one of these and is none. Marks are filled as above.
HARMLESS: tuple[str, ...] = (
    *(
        f"{name} ⟦hex40⟧"
        for name in ("commit", "Merge commit", "HEAD is now at", "index", "sha1", "revision", "tree", "parent")
    ),
    *(
        f"{name}: ⟦hex64⟧"
        for name in ("sha256", "digest", "checksum", "integrity", "content hash", "image id", "fingerprint")
    ),
    *(
        f"{name}: ⟦uuid⟧"
        for name in ("id", "session", "request id", "trace", "correlation-id", "user_id", "job", "run", "device")
    ),
    *(f"{name}=⟦uuid⟧" for name in ("request_id", "PROJECT_ID", "tenant_id", "cache_key", "node", "VOLUME_ID")),
    *(f"{name} ⟦d6⟧" for name in ("port", "pid", "issue", "line", "PR", "build", "took", "order", "ticket", "count")),
    *(
        f"{name}={value}"
        for name in ("DB_PASSWORD", "API_KEY", "SECRET", "AUTH_TOKEN", "MYSQL_ROOT_PASSWORD")
        for value in (
            "${DB_PASSWORD}",
            "changeme",
            "<your-key>",
            "xxxxxxxx",
            "$(cat /run/secrets/x)",
            "***",
            "",
            "{{ .Values.x }}",
        )
    ),
    *(
        f"password: {value}"
        for value in ("required", "null", "string", "********", "{{ password }}", "!secret db", "true")
    ),
    "The password must have at least 12 characters and a digit.",
    "Reset your password at https://example.com/reset",
    "Das Passwort darf nicht leer sein.",
    "Le mot de passe est obligatoire.",
    "La contraseña es demasiado corta.",
    "A senha é obrigatória.",
    "パスワードは必須です",
    "密码不能为空",
    "비밀번호는 필수입니다",
    "Пароль не может быть пустым",
    "Hasło jest wymagane",
    "Het wachtwoord is verplicht",
    "the token is refreshed every 3600 seconds",
    "max_tokens=4096, total tokens 19619",
    "prompt tokens: 1234, completion tokens: 567",
    "use the key `user_id` of the map",
    "key: value pairs are sorted by key",
    "primary key (id), foreign key (user_id)",
    "Press any key to continue",
    "The secret of good tests is that they can fail.",
    "const token = await getToken(user.id)",
    "const password = req.body.password",
    'password = getpass.getpass("Password: ")',
    "api_key = os.environ['OPENAI_API_KEY']",
    "token = settings.auth.token",
    "secret = secrets.token_hex(32)",
    'let key = format!("{}-{}", a, b);',
    "self.assertEqual(token, expected_token)",
    "if password != confirm_password:",
    "login(username, password)",
    "client = Client(base_url='https://api.example.com/v1')",
    "jwt.sign(payload, process.env.JWT_SECRET)",
    "new Wallet(process.env.PRIVATE_KEY)",
    "connect('db1.example.com', 5432)",
    "fill('Search', 'invoices of 2024')",
    "docker login -u $USER -p $PASSWORD",
    "mysql -u root -p shop < dump.sql",
    "curl -u user:password https://example.com",
    "sshpass -e ssh host",
    "pin pytest to 8.3.4",
    "Pin the version at 2024.1",
    "the PIN has 4 digits",
    "verification code sent by mail",
    "recovery codes are printed once",
    "seed phrase of twelve words",
    "the mnemonic is shown to the user and then the screen is cleared for the next one",
    "license: Apache-2.0",
    "License: MIT",
    "Serial: 1",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI⟦an40⟧ joe@host",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    '"integrity": "sha512-⟦b64long⟧"',
    "toolu_01⟦an20⟧",
    "call_⟦an24⟧",
    "chatcmpl-⟦an24⟧",
    "msg_01⟦an20⟧",
    "pk_live_⟦an24⟧",
    "0x⟦hex40⟧",
    "tx 0x⟦hex64⟧",
    "https://example.com/a/⟦uuid⟧",
    "https://github.com/a/b/commit/⟦hex40⟧",
    "https://example.com/?page=2&sort=key",
    'etag: W/"⟦hex32⟧"',
    'If-None-Match: "⟦hex32⟧"',
    "arn:aws:iam::123456789012:role/deploy",
    "/var/folders/hb/p13k1fg56kg3bk61qx01hn9r0000gn/T/x",
    "node_modules/.pnpm/react@18.2.0_⟦hex32⟧/node_modules",
    "app.⟦hex32⟧.js 12 kB",
    "registry.example.com/acme/app@sha256:⟦hex64⟧",
    "cache key: linux-node-⟦hex64⟧",
    "idempotency_key=⟦uuid⟧",
    "nextPageToken: CAUQAA",
    "csrf_token is missing",
    "PasswordAuthentication no",
    "password_min_length = 12",
    "TOKEN_EXPIRY_SECONDS=86400",
    "KEY_PREFIX=app:",
    "SECRET_NAME=prod/db/main",
    "--token-file /run/secrets/token",
    "passwordHash: bcrypt(password, 12)",
    "test('rejects a wrong password', () => {})",
    "FAIL  login › wrong password",
    "| field | type |\n|---|---|\n| password | string |\n| token | uuid |\n",
    "username,password\n,\n",
    "User and password are in 1Password.",
    "ask Maria for the password",
    "login with SSO / Okta",
    "log in as admin and click Settings",
    "credentials: see the vault",
    "use Postgres16 and Redis7 for the staging server",
    "joe@example.com / Berlin",
    "the API key goes into config.toml",
    "API key: see docs",
    "key binding: ctrl+shift+p",
    "AES-256-GCM with a 32-byte key",
    "RS256 signing key rotation",
    "base64 -d file.b64 > out.bin\n$ ls\n",
    "openssl rand -hex 32 > key.txt\n$ cat key.txt | wc -c\n65",
)


def harmless(seed: int = 20261115, rounds: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [MARK.sub(lambda mark: MAKERS[mark[1]](rng), text) for _ in range(rounds) for text in HARMLESS]
