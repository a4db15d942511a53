"""Made-up secrets of many kinds, in whatever carries one: files, commands, tables, links, talk in a dozen languages.

Everything is drawn at random from a fixed seed, so that no file holds a whole secret.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
DIGITS = string.digits
LOWER = string.ascii_lowercase + string.digits

WORDS = (
    *("falcon", "river", "copper", "winter", "maple", "harbor", "comet", "violet", "anchor", "meadow", "tiger"),
    *("lantern", "pebble", "saffron", "glacier", "walnut", "orchid", "thunder", "velvet", "quartz", "sparrow"),
)


@dataclass(frozen=True)
class Planted:
    """A text with a secret in it. None of `secrets` may be left."""

    kind: str
    text: str
    secrets: tuple[str, ...]

    def is_left(self, cleaned: str) -> bool:
        return any(secret in cleaned for secret in self.secrets)


Made = tuple[str, str] | tuple[str, tuple[str, ...]]
Make = Callable[[random.Random], Made]
KINDS: dict[str, Make] = {}


def kind(name: str) -> Callable[[Make], Make]:
    def put(make: Make) -> Make:
        assert name not in KINDS
        KINDS[name] = make
        return make

    return put


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(length))


# --- Values -----------------------------------------------------------------------------------------------------------


def chosen(rng: random.Random) -> str:
    """As people choose them."""
    one, two = rng.sample(WORDS, 2)
    number = rng.randrange(10, 9999)
    return rng.choice(
        [
            f"{one.capitalize()}{number}{rng.choice('!#?*$')}",
            f"{one}{two.capitalize()}{number}",
            f"{one}-{two}-{number}",
            f"{one.capitalize()}{rng.choice('!#@')}{two}{rng.randrange(10, 99)}",
            f"{one[:4].capitalize()}${number}{two[:3]}",
            f"{one}_{number}_{two}",
        ]
    )


def generated(rng: random.Random) -> str:
    return draw(rng, ALNUM, 3) + draw(rng, ALNUM + "!#%^*_-+.", rng.randrange(9, 20)) + draw(rng, DIGITS, 2)


def machine(rng: random.Random) -> str:
    alphabet, length = rng.choice(
        [(HEX, 32), (HEX, 40), (HEX, 64), (ALNUM, 20), (ALNUM, 32), (URLSAFE, 43), (BASE64, 44), (LOWER, 24)]
    )
    return draw(rng, ALNUM, 1) + draw(rng, alphabet, length - 2) + draw(rng, DIGITS, 1)


def nasty(rng: random.Random) -> str:
    """With characters that end a value for a hasty reader."""
    mark = rng.choice("&;|<>`")
    return f"{draw(rng, ALNUM, 5)}{rng.choice(DIGITS)}{mark}{draw(rng, ALNUM, 6)}{rng.choice('!#')}"


def password(rng: random.Random) -> str:
    return rng.choice([chosen, chosen, generated, machine])(rng)


def any_value(rng: random.Random) -> str:
    return rng.choice([chosen, generated, machine, machine])(rng)


SERVICES = (
    *("ADMIN", "BACKEND", "DEVELOPER", "SUPER", "APP", "DB", "SMTP", "REDIS", "GRAFANA", "CI", "STAGING", "BILLING"),
    *("LEGACY", "WORKER", "MAIL", "FRONTEND", "GATEWAY", "MONITORING", "PAYMENT", "SEARCH", "VENDOR", "WEBHOOK"),
    *("CALENDAR", "EXTENDER", "BOOKING", "SPECIAL", "NEXTCLOUD", "STOPLIGHT", "ROADMAP", "COLUMN", "PAGER"),
)


def env_name(rng: random.Random) -> str:
    word = rng.choice(["PASSWORD", "PASSWD", "SECRET", "TOKEN", "API_KEY", "SECRET_KEY", "AUTH_TOKEN", "PASS", "PWD"])
    return f"{rng.choice(SERVICES)}_{word}"


def machine_name(rng: random.Random) -> str:
    return f"{rng.choice(SERVICES)}_{rng.choice(['TOKEN', 'SECRET', 'KEY', 'API_KEY', 'ACCESS_KEY', 'SIGNING_KEY'])}"


def code_name(rng: random.Random) -> str:
    service = rng.choice(SERVICES).lower()
    end = rng.choice(["password", "secret", "token", "api_key", "passphrase", "auth_token"])
    snake = f"{service}_{end}"
    camel = "".join(part.capitalize() if i else part for i, part in enumerate(snake.split("_")))
    return rng.choice([snake, camel, snake.replace("_", "-"), end])


def host(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}{rng.randrange(1, 9)}.{rng.choice(['internal', 'example.com', 'corp.example', 'lan'])}"


def user(rng: random.Random) -> str:
    return rng.choice(["app", "ada", "root", "deploy", "svc_batch", "admin", "reader"])


# --- Plain templates: a name and a value ------------------------------------------------------------------------------


def _named(template: str, name: Callable[[random.Random], str], value: Callable[[random.Random], str]) -> Make:
    def make(rng: random.Random) -> Made:
        named = name(rng)
        # People choose passwords; machines make tokens and keys.
        is_chosen = "pass" in named.lower() or "pwd" in named.lower() or "«n»" not in template
        secret = value(rng) if is_chosen or value is not any_value else machine(rng)
        words = {"n": named, "v": secret, "h": host(rng), "u": user(rng), "w": rng.choice(WORDS)}
        text = template
        for key, word in words.items():
            text = text.replace(f"«{key}»", word)
        return text, secret

    return make


def _styles(
    name: str, templates: list[str], names: Callable[[random.Random], str], values: Callable[[random.Random], str]
) -> None:
    makers = [_named(template, names, values) for template in templates]
    KINDS[name] = lambda rng: rng.choice(makers)(rng)


def base64_value(rng: random.Random) -> str:
    return draw(rng, BASE64, 42) + draw(rng, DIGITS, 1) + "="


ENV_STYLES = [
    "PORT=80\n«n»=«v»\nDEBUG=1\n",
    "export «n»=«v»",
    "«n»=«v» make deploy",
    "      «n»=«v»\n",
    "+«n»=«v»\n-«n»=\n",
    "    12→«n»=«v»\n",
]
_styles("env with any service", ENV_STYLES, env_name, any_value)
_styles("env with a key", ENV_STYLES, machine_name, machine)
_styles("env quoted", ['«n»="«v»"\n', "export «n»='«v»'\n", '"«n»=«v»"'], env_name, nasty)
_styles(
    "azure names",
    ["AZURE_STORAGE_KEY=«v»\n", "AZURE_COSMOS_KEY=«v»", 'azure_storage_key: "«v»"', "STORAGE_ACCOUNT_KEY=«v»"],
    env_name,
    base64_value,
)
_styles(
    "windows shells",
    [
        "set «n»=«v»\r\n",
        'setx «n» "«v»"',
        "$env:«n» = '«v»'",
        '[Environment]::SetEnvironmentVariable("«n»", "«v»", "User")',
    ],
    env_name,
    any_value,
)
_styles(
    "fish and others",
    ["set -gx «n» «v»", "set -x «n» '«v»'", "setenv «n» «v»", 'declare -x «n»="«v»"'],
    env_name,
    any_value,
)
_styles(
    "python",
    [
        '«n» = "«v»"\n',
        "«n» = '«v»'",
        'os.environ["«n»"] = "«v»"',
        'os.environ.setdefault("«n»", "«v»")',
        'Settings(«n»="«v»", debug=True)',
        '«n»: str = "«v»"',
        '«n» = b"«v»"',
    ],
    lambda rng: code_name(rng).replace("-", "_"),
    any_value,
)
_styles(
    "javascript",
    [
        "const «n» = '«v»';",
        'process.env.«n» = "«v»"',
        "{ «n»: '«v»', port: 5 }",
        "let «n» = `«v»`",
        'this.«n» = "«v»";',
        "«n»: '«v»',",
    ],
    lambda rng: code_name(rng).replace("-", "_"),
    any_value,
)
_styles(
    "other languages",
    [
        '«n» := "«v»"',
        'private static final String «n» = "«v»";',
        'let «n»: &str = "«v»";',
        "$«n» = '«v»';",
        '@«n» = "«v»"',
        'val «n» = "«v»"',
        'var «n» = "«v>"'.replace("«v>", "«v»"),
        'define("«n»", "«v»");',
        'System.setProperty("«n»", "«v»");',
        'const char *«n» = "«v»";',
    ],
    lambda rng: code_name(rng).replace("-", "_"),
    any_value,
)
_styles(
    "nasty in quotes",
    ['«n» = "«v»"', '{"«n»": "«v»", "port": 5}', "«n»: '«v»'", 'tool --«n» "«v»" --yes'],
    code_name,
    nasty,
)
_styles(
    "json",
    ['{"host": "db", "«n»": "«v»", "port": 5}', '{"host":"db","«n»":"«v»"}', '{\n  "«n»": "«v»"\n}'],
    code_name,
    any_value,
)
_styles(
    "escaped json",
    [
        '{"body": "{\\"«n»\\": \\"«v»\\", \\"n\\": 1}"}',
        '"{\\\\\\"«n»\\\\\\": \\\\\\"«v»\\\\\\"}"',
        '{"content": "PORT=80\\n«n»=«v»\\nDEBUG=1"}',
        '{\\"«n»\\":\\"«v»\\"}',
    ],
    code_name,
    any_value,
)
_styles(
    "yaml",
    ["db:\n  «n»: «v»\n  port: 5\n", "db:\n  «n»: '«v»'\n", '- «n»: "«v»"\n', "{«n»: «v», port: 5}"],
    code_name,
    any_value,
)
_styles(
    "yaml blocks",
    [
        "db:\n  «n»: |\n    «v»\n  port: 5\n",
        "«n»: >-\n  «v»\nport: 5\n",
        "  «n»: |-\n      «v»\n",
        "«n»:\n  «v»\n",
        "db:\n  «n»: !!str «v»\n",
    ],
    code_name,
    any_value,
)
_styles(
    "toml blocks",
    ['«n» = """\n«v»"""\n', "«n» = '''\n«v»\n'''\n", '«n» = """«v»"""', "[db]\n«n» = '''«v>'''".replace("«v>", "«v»")],
    code_name,
    any_value,
)
_styles(
    "ini and properties",
    [
        "[db]\n«n» = «v»\nport = 5\n",
        "spring.datasource.«n»=«v»\n",
        "«n»:«v»\n",
        "db.«n» = «v»",
        "«n» «v»\n# next\nport 5" if False else "[x]\n«n»=«v»\n",
    ],
    code_name,
    any_value,
)
_styles(
    "xml",
    [
        "<«n»>«v»</«n»>",
        '<add key="«n»" value="«v»" />',
        '<property name="«n»" value="«v»"/>',
        "<«n»><![CDATA[«v»]]></«n»>",
        '<entry key="«n»">«v»</entry>',
        "<key>«n»</key>\n<string>«v»</string>",
        "<server><id>x</id><password>«v»</password></server>",
    ],
    code_name,
    any_value,
)
_styles(
    "pairs",
    [
        '{"Key": "«n»", "Value": "«v»"}',
        '{"name": "«n»", "value": "«v»"}',
        "- name: «n»\n  value: «v»\n",
        '{"ParameterKey": "«n»", "ParameterValue": "«v»"}',
        '{"Name":"«n»","Type":"SecureString","Value":"«v»"}',
        '- key: «n»\n  value: "«v»"',
        'name = "«n»"\nvalue = "«v»"',
        '{"key": "«n»", "secured": true, "value": "«v»"}',
        '{\\"name\\":\\"«n»\\",\\"value\\":\\"«v»\\"}',
    ],
    env_name,
    any_value,
)
_styles(
    "values first",
    ['{"value": "«v»", "name": "«n»"}', '{"Value": "«v»", "Key": "«n»"}', "- value: «v»\n  name: «n»\n"],
    env_name,
    any_value,
)
_styles(
    "compose",
    [
        "environment:\n  - «n»=«v»\n  - PORT=5\n",
        "environment:\n  «n»: «v»\n",
        "docker run -e «n»=«v» image",
        "docker build --build-arg «n»=«v» .",
        "ENV «n» «v»",
        "ENV «n»=«v»",
        'ARG «n»="«v»"',
    ],
    env_name,
    any_value,
)
_styles(
    "markdown tables",
    [
        "| name | value |\n|---|---|\n| «n» | «v» |\n",
        "| «n» | `«v»` | prod |",
        "| env | «n» |\n|---|---|\n| prod | «v» |\n",
        "| password | `«v»` |",
        "| user | password |\n|------|----------|\n| «u» | «v» |\n",
    ],
    env_name,
    any_value,
)
_styles(
    "psql tables",
    [
        " name | password \n------+----------\n «u» | «v»\n(1 row)\n",
        " id |   key    |  value\n----+----------+-------\n  1 | «n» | «v»\n",
        "+------+------------+\n| user | password   |\n+------+------------+\n| «u» | «v» |\n+------+------------+\n",
        "-[ RECORD 1 ]----\nuser     | «u»\npassword | «v»\n",
    ],
    env_name,
    password,
)
_styles(
    "csv",
    [
        "name,url,username,password\n«w»,https://«h»,«u»,«v»\n",
        "user,password\n«u»,«v»\n",
        "«n»,«v»\n",
        '"username","password"\n"«u»","«v»"\n',
        "host;user;password\n«h»;«u»;«v»\n",
        "user\tpassword\n«u»\t«v»\n",
    ],
    env_name,
    password,
)
_styles(
    "long flags",
    [
        "tool login --password «v» --yes",
        "tool login --password=«v» --yes",
        "tool --api-key '«v»' run",
        "az login --service-principal -u x --password «v»",
        'tool --auth-token="«v»"',
        "helm install x --set auth.password=«v»",
        "helm upgrade x . --set-string db.secret='«v»'",
        "terraform apply -var db_password=«v»",
        "terraform plan -var 'db_password=«v»'",
        "ansible-playbook x.yml -e ansible_password=«v»",
        "mvn -Ddb.password=«v» verify",
        "java -Djavax.net.ssl.keyStorePassword=«v» -jar a.jar",
        "gradle -PsigningPassword=«v»",
    ],
    code_name,
    any_value,
)
_styles(
    "database tools",
    [
        "redis-cli -h «h» -a «v» ping",
        "redis-cli -a '«v»' --no-auth-warning KEYS '*'",
        "redis-cli --pass «v>".replace("«v>", "«v»"),
        "AUTH «v»\n+OK",
        "mysql -u «u» -p«v» shop",
        "mysql -u«u» -p'«v»' -h «h»",
        "mysqldump --user=«u» --password=«v» shop",
        "mysqladmin -u root -p«v» ping",
        "PGPASSWORD=«v» psql -h «h» -U «u»",
        "PGPASSWORD='«v»' pg_dump shop",
        "mongosh -u «u» -p «v» «h»",
        "mongo --username «u» --password «v» db",
        "sqlcmd -S «h» -U sa -P '«v»' -Q 'select 1'",
        "sqlplus «u»/«v»@//«h»:1521/ORCL",
        "bcp t out f -U sa -P «v» -S «h»",
        "cqlsh -u «u» -p «v» «h»",
        "influx -username «u» -password «v>".replace("«v>", "«v»"),
        "clickhouse-client --user «u» --password «v»",
        "snowsql -a x -u «u» -p «v>".replace("«v>", "«v»"),
        "MYSQL_PWD=«v» mysql -u root",
        "requirepass «v»\n",
        "masterauth «v»\n",
    ],
    code_name,
    password,
)
_styles(
    "sql statements",
    [
        "CREATE USER '«u»'@'%' IDENTIFIED BY '«v»';",
        "ALTER USER «u» WITH PASSWORD '«v»';",
        "ALTER ROLE «u» PASSWORD '«v»'",
        "CREATE ROLE «u» LOGIN ENCRYPTED PASSWORD '«v»';",
        "SET PASSWORD FOR '«u»'@'%' = PASSWORD('«v»');",
        "CREATE LOGIN «u» WITH PASSWORD = N'«v»';",
        "GRANT ALL ON *.* TO '«u»'@'%' IDENTIFIED BY \"«v»\"",
        "ALTER USER «u» IDENTIFIED BY «v>;".replace("«v>", "«v»"),
        "INSERT INTO users (name, password) VALUES ('«u»', '«v»');",
        "UPDATE users SET password = '«v»' WHERE id = 3;",
        "SELECT dblink_connect('host=«h» user=«u» password=«v»');",
        "CREATE USER «u» WITH ENCRYPTED PASSWORD $$«v»$$;",
        "db.createUser({user: '«u»', pwd: '«v»', roles: []})",
    ],
    code_name,
    password,
)
_styles(
    "shell tools",
    [
        "sshpass -p «v» ssh «u»@«h»",
        "sshpass -p '«v»' scp a b:",
        "echo '«v»' | sudo -S systemctl restart x",
        "echo «v» | sudo -S ls",
        "echo «v» | docker login -u «u» --password-stdin",
        "docker login -u «u» -p «v» registry.«h»",
        "printf '%s' '«v»' | docker login --password-stdin",
        "curl -u «u»:«v» https://«h»/x",
        "curl --user '«u»:«v»' https://«h»",
        "wget --user=«u» --password='«v»' https://«h»",
        "http -a «u»:«v» GET «h»/x",
        "openssl enc -aes-256-cbc -k «v» -in a",
        "openssl rsa -in k.pem -passin pass:«v»",
        "gpg --batch --passphrase «v» -d x.gpg",
        "7z x a.7z -p«v»",
        "unzip -P «v» a.zip",
        "zip -P '«v»' a.zip b",
        "smbclient //«h»/s -U «u»%«v»",
        "net use Z: \\\\«h»\\s /user:«u» «v»",
        "ldapsearch -x -D cn=admin -w «v» -b dc=x",
        "lftp -u «u»,«v» ftp.«h»",
        "echo '«u»:«v»' | chpasswd",
        "htpasswd -b .htpasswd «u» «v»",
        "useradd -p '«v»' «u»",
        "rabbitmqctl add_user «u» «v»",
        "expect -c 'send \"«v»\\r\"'" if False else "kinit «u» <<< '«v»'",
        "keytool -genkey -storepass «v» -alias x",
        "aws configure set aws_secret_access_key «v»",
        "git config --global user.password «v»",
        "npm config set //registry.«h»/:_authToken «v»",
        "vault login «v»",
        "gh secret set DEPLOY_KEY --body '«v»'",
        "heroku config:set SECRET=«v»",
        "fly secrets set API_KEY=«v»",
        "kubectl create secret generic x --from-literal=password=«v»",
        "wrangler secret put KEY <<< «v»",
        "xfreerdp /u:«u» /p:«v» /v:«h»",
        "mosquitto_pub -u «u» -P «v» -t t",
    ],
    code_name,
    password,
)


# --- Credential files -------------------------------------------------------------------------------------------------

_styles(
    "netrc",
    [
        "machine «h» login «u» password «v»\n",
        "machine «h»\n  login «u»\n  password «v»\n",
        "default login «u» password «v»",
    ],
    code_name,
    any_value,
)
_styles(
    "pgpass",
    [
        "«h»:5432:shop:«u»:«v»\n",
        "*:*:*:«u»:«v»\n",
        "cat ~/.pgpass\nlocalhost:5432:*:postgres:«v»\n",
        "db.«h»:5433:*:«u»:«v»",
    ],
    code_name,
    password,
)
_styles(
    "npmrc",
    [
        "//registry.example.org/:_authToken=«v»\n",
        '//npm.«h»/:_password="«v»"\n',
        "_auth=«v»\nalways-auth=true\n",
        "//registry.«h»/:_auth=«v»",
        '_auth = "«v»"',
    ],
    code_name,
    lambda rng: base64.b64encode(f"{user(rng)}:{password(rng)}".encode()).decode(),
)
_styles(
    "package managers",
    [
        "[distutils]\n[pypi]\nusername = «u»\npassword = «v»\n",
        'npmAuthToken: "«v»"',
        "npmAuthIdent: «u»:«v»",
        '<packageSourceCredentials><x><add key="ClearTextPassword" value="«v»" /></x></packageSourceCredentials>',
        "http-basic.x.example.com «u» «v»",
        '{"http-basic": {"«h»": {"username": "«u»", "password": "«v»"}}}',
        "BUNDLE_GEMS__CONTRIBSYS__COM: «u»:«v»",
        ":rubygems_api_key: «v»",
        '[registries.x]\ntoken = "Bearer «v»"',
        'machine = «h»\ntoken = "«v»"',
        'credentials += Credentials("x", "«h»", "«u»", "«v»")',
    ],
    code_name,
    machine,
)
_styles(
    "config of servers",
    [
        "ServerName x\nSSLPassPhrase «v>".replace("«v>", "«v»"),
        "snmp-server community «v» RO",
        "enable secret 5 «v»",
        "wpa_passphrase=«v»",
        'psk="«v»"',
        "  psk=«v»\n",
        "rpcuser=«u»\nrpcpassword=«v»",
        "bindpw «v»",
        "olcRootPW: «v»",
        "smtp_sasl_password = «v»",
        "auth_basic_password «v»",
        "[wifi-security]\nkey-mgmt=wpa-psk\npsk=«v»",
        "relayhost password: «v»",
        "PresharedKey = «v»",
        "PrivateKey = «v»",
        "private-passphrase: «v»",
        "ansible_become_pass: «v»",
        "ansible_ssh_pass=«v»",
        "vault_password: «v»",
        "jwt.signing-key=«v»",
        "encryption.key: «v»",
        "cookie_secret: «v»",
        "secret_key_base: «v»",
        "APP_KEY=base64:«v»=",
    ],
    code_name,
    machine,
)


def _docker_auth(rng: random.Random) -> Made:
    pair = base64.b64encode(f"{user(rng)}:{password(rng)}".encode()).decode()
    config = json.dumps({"auths": {f"registry.{host(rng)}": {"auth": pair}}})
    spaced = json.dumps({"auths": {host(rng): {"username": "x", "auth": pair}}}, indent=2)
    whole = base64.b64encode(config.encode()).decode()
    return rng.choice(
        [
            (config, pair),
            (spaced, pair),
            (json.dumps({"content": spaced}), pair),
            (f"data:\n  .dockerconfigjson: {whole}\n", whole),
            (f'{{".dockerconfigjson": "{whole}"}}', whole),
            (f'"auth" : "{pair}"', pair),
            (f"auth: {pair}\n", pair),
        ]
    )


KINDS["docker logins"] = _docker_auth


def key_block(rng: random.Random, lines: int = 5) -> str:
    name = rng.choice(["", "RSA ", "EC ", "OPENSSH "])
    body = [draw(rng, BASE64, 64) for _ in range(lines)] + [draw(rng, BASE64, 22) + "=="]
    return "\n".join([f"-----BEGIN {name}PRIVATE KEY-----", *body, f"-----END {name}PRIVATE KEY-----"]) + "\n"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@kind("kubeconfig")
def _kubeconfig(rng: random.Random) -> Made:
    data = encoded(key_block(rng, 12))
    token = machine(rng)
    return rng.choice(
        [
            (f"users:\n- name: x\n  user:\n    client-key-data: {data}\n", data),
            (f'"client-key-data": "{data}"', data),
            (f"    client-key-data: {data[:200]}", data[:200]),
            (f"users:\n- name: x\n  user:\n    token: {token}\n", token),
            (f"tls.key: {data}\n", data),
            (f'client_key_data = base64decode("{data}")', data),
        ]
    )


@kind("kubernetes secrets")
def _kube_secret(rng: random.Random) -> Made:
    secret = encoded(password(rng))
    plain = password(rng)
    name = rng.choice(["password", "db-password", "token", "api-key", "SECRET_KEY", "redis-password"])
    return rng.choice(
        [
            (f"apiVersion: v1\nkind: Secret\ndata:\n  {name}: {secret}\n", secret),
            (f"kind: Secret\nstringData:\n  {name}: {plain}\n", plain),
            (f'{{"kind": "Secret", "data": {{"{name}": "{secret}"}}}}', secret),
            (f"  {name}: {secret}", secret),
        ]
    )


@kind("encoded key blocks")
def _encoded_key(rng: random.Random) -> Made:
    data = encoded(key_block(rng))
    wrapped = "\n".join(data[i : i + 76] for i in range(0, len(data), 76))
    return rng.choice(
        [
            (f"DEPLOY={data}\n", data),
            (f"$ base64 -w0 key.pem\n{data}\n", data),
            (f"$ base64 key.pem\n{wrapped}\n", data[80:140]),
            (f'{{"content": "{data}"}}', data),
            (f"echo {data} | base64 -d > key.pem", data),
            (f"the file is `{data}`", data),
        ]
    )


@kind("encoded assignments")
def _encoded_assignment(rng: random.Random) -> Made:
    data = encoded(
        rng.choice(
            [
                f"{env_name(rng)}={password(rng)}\n",
                f"PORT=80\n{env_name(rng)}={password(rng)}\nDEBUG=1\n",
                json.dumps({"user": "app", "password": password(rng)}),
                f"password: {password(rng)}\n",
                f"postgres://app:{machine(rng)}@db/app",
            ]
        )
    )
    return rng.choice(
        [
            (f"ENV_FILE={data}", data),
            (f"echo {data} | base64 -d > .env", data),
            (f'{{"blob": "{data}"}}', data),
            (f"$ base64 .env\n{data}\n", data),
            (f"data:\n  env: {data}\n", data),
        ]
    )


# --- Addresses --------------------------------------------------------------------------------------------------------


def url_password(rng: random.Random) -> str:
    return rng.choice(
        [
            chosen(rng),
            machine(rng).replace("+", "x"),
            draw(rng, ALNUM, 6) + "/" + draw(rng, ALNUM, 8),
            draw(rng, ALNUM, 5) + rng.choice("#?&;|<`") + draw(rng, ALNUM, 7) + "9",
            quote(draw(rng, ALNUM, 8) + "@/" + draw(rng, ALNUM, 4), safe=""),
            draw(rng, ALNUM, 6) + "@" + draw(rng, ALNUM, 6) + "7",
        ]
    )


SCHEMES = (
    *("https", "postgres", "postgresql+asyncpg", "mysql", "mongodb+srv", "redis", "amqps", "ftp", "smtp", "rediss"),
    *("jdbc:postgresql", "mssql+pyodbc", "clickhouse", "nats", "ldap", "socks5", "git+https", "snowflake"),
)


@kind("url passwords")
def _url(rng: random.Random) -> Made:
    secret = url_password(rng)
    place = rng.choice(
        ["DATABASE_URL={}\n", '{{"url": "{}"}}', "connect to {} now", 'url = \\"{}\\"', "psql {}", "`{}`", "psql '{}'"]
    )
    return place.format(f"{rng.choice(SCHEMES)}://{user(rng)}:{secret}@{host(rng)}:5432/app"), secret


@kind("url passwords without user")
def _url_no_user(rng: random.Random) -> Made:
    secret = password(rng).replace("#", "x")
    return rng.choice(["redis://:{}@{}:6379/0", "rediss://default:{}@{}", "amqp://guest2:{}@{}//"]).format(
        secret, host(rng)
    ), secret


@kind("query parameters")
def _query(rng: random.Random) -> Made:
    secret = machine(rng).replace("+", "x").replace("/", "y")
    name = rng.choice(
        [
            "api_key",
            "apikey",
            "access_token",
            "token",
            "key",
            "auth",
            "password",
            "client_secret",
            "sig",
            "code",
            "appid",
            "api-key",
            "subscription-key",
            "hapikey",
            "session_token",
            "id_token",
            "X-Goog-Signature",
        ]
    )
    text = rng.choice(
        [
            "GET https://{h}/v1/x?page=2&{n}={v} 200",
            "https://{h}/x?{n}={v}&page=2",
            "fetch(`https://{h}/x?{n}={v}`)",
            "redirect=https%3A%2F%2F{h}%3F{n}%3D{v}",
        ]
    )
    return text.format(h=host(rng), n=name, v=secret), secret


@kind("signed urls")
def _signed(rng: random.Random) -> Made:
    hexed, b64 = draw(rng, HEX, 64), quote(draw(rng, BASE64, 43) + "=", safe="")
    short = quote(draw(rng, BASE64, 27) + "=", safe="")
    goog = draw(rng, HEX, 512)
    return (
        rng.choice(
            [
                (f"https://b.s3.amazonaws.com/k?X-Amz-Date=2026&X-Amz-Signature={hexed}", hexed),
                (f"https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Expires=1767225600&Signature={short}", short),
                (f"https://storage.googleapis.com/b/o?X-Goog-Date=2026&X-Goog-Signature={goog}", goog[:200]),
                (f"https://storage.googleapis.com/b/o?GoogleAccessId=x&Expires=1&Signature={b64}", b64),
                (f"https://x.blob.core.windows.net/c?sv=2024-01-01&sp=r&sig={b64}", b64),
                (f"https://x.blob.core.windows.net/c?sig={b64}&sv=2024", b64),
                (f"https://d1.cloudfront.net/f?Policy=x&Signature={draw(rng, ALNUM + '~-', 100)}&Key-Pair-Id=K", ""),
                (f"https://b.oss-cn-beijing.aliyuncs.com/o?OSSAccessKeyId=x&Expires=1&Signature={short}", short),
                (f"https://b.cos.ap.myqcloud.com/o?q-sign-algorithm=sha1&q-signature={hexed[:40]}", hexed[:40]),
                (f"https://b.nyc3.digitaloceanspaces.com/o?X-Amz-Signature={hexed}", hexed),
                (f"https://res.example.com/v?token=exp=1767~acl=/*~hmac={hexed}", hexed),
            ]
        )
        if rng.random() > 0.1
        else _cloudfront(rng)
    )


def _cloudfront(rng: random.Random) -> Made:
    signature = draw(rng, ALNUM + "~-", 150)
    return f"https://d1.cloudfront.net/f?Expires=1&Signature={signature}&Key-Pair-Id=K2", signature


@kind("connection strings")
def _connection(rng: random.Random) -> Made:
    secret, key = password(rng), draw(rng, BASE64, 86) + "=="
    shared = draw(rng, BASE64, 43) + "="
    return rng.choice(
        [
            (f"Server={host(rng)};Database=x;User Id=app;Password={secret};Timeout=5", secret),
            (f"Server={host(rng)};Uid=app;Pwd={secret};", secret),
            (f"host={host(rng)} user=app password={secret} dbname=x", secret),
            (f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={key};EndpointSuffix=core.windows.net", key),
            (f"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={shared}", shared),
            (f"HostName=x.azure-devices.net;DeviceId=d;SharedAccessKey={shared}", shared),
            (f"AccountEndpoint=https://x.documents.azure.com:443/;AccountKey={key};", key),
            (f"app:{secret}@tcp({host(rng)}:3306)/shop?parseTime=true", secret),
            (f"{host(rng)}:6379,password={secret},ssl=True", secret),
            (f"jdbc:mysql://{host(rng)}/x?user=app&password={secret}&ssl=true", secret),
            (f"Endpoint=https://x.azconfig.io;Id=abc;Secret={shared}", shared),
        ]
    )


@kind("webhooks")
def _hooks(rng: random.Random) -> Made:
    slack, discord = draw(rng, ALNUM, 24), draw(rng, URLSAFE, 68)
    long = draw(rng, ALNUM, 40)
    return rng.choice(
        [
            (f"https://hooks.slack.com/services/T0AB12CDE/B0FG34HIJ/{slack}", slack),
            (f"https://discord.com/api/webhooks/112233445566778899/{discord}", discord),
            (f"https://chat.googleapis.com/v1/spaces/AAA/messages?key=x&token={long}", long),
            (f"https://hooks.zapier.com/hooks/catch/1234567/{slack[:7].lower()}/?token={long}", long),
            (
                f"https://outlook.webhook.office.com/webhookb2/{draw(rng, HEX, 8)}-1111@{long}/IncomingWebhook/{long}",
                long,
            ),
            (f"https://api.telegram.org/bot{draw(rng, DIGITS, 10)}:AA{draw(rng, URLSAFE, 33)}/getMe", ""),
        ][:5]
    )


# --- Headers and cookies ----------------------------------------------------------------------------------------------

HEADERS = (
    *("X-Api-Key", "X-Auth-Token", "X-Access-Token", "Api-Key", "apikey", "X-Vault-Token", "X-Session-Token"),
    *("Ocp-Apim-Subscription-Key", "PRIVATE-TOKEN", "X-Figma-Token", "DD-API-KEY", "X-Amz-Security-Token"),
    *("X-Shopify-Access-Token", "X-Functions-Key", "Proxy-Authorization: Bearer", "x-goog-api-key", "X-CSRF-Token"),
)


@kind("headers")
def _header(rng: random.Random) -> Made:
    name, secret = rng.choice(HEADERS), machine(rng)
    bare = name.partition(":")[0]
    return rng.choice(
        [
            (f"curl -H '{name}{'' if ':' in name else ':'} {secret}' https://{host(rng)}", secret),
            (f'"{bare}": "{secret}"', secret),
            (f"> {bare}: {secret}\n> accept: */*", secret),
            (f"headers['{bare}'] = '{secret}'", secret),
            (f'req.Header.Set("{bare}", "{secret}")', secret),
            (f'.header("{bare}", "{secret}")', secret),
            (f'{{\\"{bare}\\": \\"{secret}\\"}}', secret),
        ]
    )


@kind("authorization")
def _authorization(rng: random.Random) -> Made:
    secret = machine(rng)
    basic = encoded(f"{user(rng)}:{password(rng)}")
    return rng.choice(
        [
            (f"Authorization: Bearer {secret}", secret),
            (f'"Authorization": "Bearer {secret}"', secret),
            (f"authorization: token {secret}", secret),
            (f"Authorization: Basic {basic}", basic),
            (f"-H 'authorization: Basic {basic}'", basic),
            (f"AUTHORIZATION: BEARER {secret}", secret),
            (f'HTTP_AUTHORIZATION="Bearer {secret}"', secret),
            (f"Authorization: ApiKey {secret}", secret),
            (f"Authorization: GenieKey {secret}", secret),
            (f'Authorization: Digest username="a", response="{secret}"', secret),
            (f"auth=('{user(rng)}', '{secret}')", secret),
            (f"HTTPBasicAuth('{user(rng)}', '{secret}')", secret),
            (f"bearer {secret}", secret),
        ]
    )


@kind("session cookies")
def _cookie(rng: random.Random) -> Made:
    value = rng.choice(
        [draw(rng, LOWER, 26), draw(rng, HEX, 32), "s%3A" + draw(rng, URLSAFE, 32) + "." + draw(rng, ALNUM, 40)]
    )
    name = rng.choice(
        [
            "sessionid",
            "PHPSESSID",
            "JSESSIONID",
            "connect.sid",
            "_session_id",
            "laravel_session",
            "ASP.NET_SessionId",
            "remember_token",
            "__Secure-next-auth.session-token",
            "sid",
            "auth_session",
            "XSRF-TOKEN",
            ".AspNetCore.Cookies",
        ]
    )
    bare = "ASPXAUTH" if rng.random() < 0.05 else name
    return rng.choice(
        [
            (f"Cookie: theme=dark; {bare}={value}; lang=en", value),
            (f"Set-Cookie: {bare}={value}; Path=/; HttpOnly", value),
            (f"curl -b '{bare}={value}' https://{host(rng)}", value),
            (f"curl --cookie {bare}={value} https://{host(rng)}", value),
            (f'cookies = {{"{bare}": "{value}"}}', value),
            (f"document.cookie = '{bare}={value}; path=/'", value),
            (f"{host(rng)}\tFALSE\t/\tTRUE\t1767225600\t{bare}\t{value}\n", value),
            (f'{{"name": "{bare}", "value": "{value}", "domain": "x"}}', value),
            (f"| {bare} | {value} |", value),
            (f"{bare}={value}", value),
        ]
    )


# --- Tokens of known shapes, disguised --------------------------------------------------------------------------------


def known_token(rng: random.Random) -> str:
    return rng.choice(
        [
            "gh" + "p_" + draw(rng, ALNUM, 36),
            "sk-" + "proj-" + draw(rng, URLSAFE, 48),
            "sk-" + "ant-api03-" + draw(rng, URLSAFE, 93) + "AA",
            "AK" + "IA" + draw(rng, string.ascii_uppercase + "234567", 16),
            "xo" + "xb-" + draw(rng, DIGITS, 12) + "-" + draw(rng, DIGITS, 13) + "-" + draw(rng, ALNUM, 24),
            "gl" + "pat-" + draw(rng, ALNUM, 20),
            "sk" + "_live_" + draw(rng, ALNUM, 24),
            "AI" + "zaSy" + draw(rng, ALNUM, 33),
            "np" + "m_" + draw(rng, ALNUM, 36),
        ]
    )


def _hidden(join: str) -> Make:
    def make(rng: random.Random) -> Made:
        token = known_token(rng)
        at = rng.randrange(8, len(token) - 6)
        broken = token[:at] + join + token[at:]
        text = rng.choice(["use {} for it", "KEY={}\n", '{{"v": "{}"}}', "{}"]).format(broken)
        # What is left of a broken token must not be put together again.
        return text, (token[at : at + 12], token[max(0, at - 12) : at]) if len(token) - at >= 12 else (
            token[at - 12 : at],
        )

    return make


KINDS["zero width inside a token"] = lambda rng: _hidden(
    rng.choice(["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"])
)(rng)
KINDS["line break inside a token"] = lambda rng: _hidden(rng.choice(["\n", "\\\n", "\r\n", "\\n"]))(rng)
KINDS["blank inside a token"] = lambda rng: _hidden(rng.choice([" ", "\u00a0"]))(rng)
KINDS["concatenated tokens"] = lambda rng: _hidden(rng.choice(['" + "', "' + '", '" "', "'.'"]))(rng)


@kind("zero width in a value")
def _zero_width_value(rng: random.Random) -> Made:
    value = any_value(rng)
    at = rng.randrange(3, len(value) - 3)
    return f"{env_name(rng)}={value[:at]}\u200b{value[at:]}\n", (value[at:],)


@kind("tokens of new vendors")
def _new_vendor(rng: random.Random) -> Made:
    """Prefixes that no list has: a short word, a mode, and a long random body."""
    prefix = rng.choice(
        ["acme_live_", "zk_prod_", "tok_live_", "vx_secret_", "key_live_", "qrs_api_", "wp_pat_", "sk_acme_"]
    )
    token = prefix + draw(rng, ALNUM, 32)
    return rng.choice(["client = Client('{}')", "use {} here", "AUTH={}", '{{"k": "{}"}}']).format(token), token


@kind("cloud keys")
def _cloud_keys(rng: random.Random) -> Made:
    secret, access = draw(rng, BASE64, 39) + "7", "AK" + "IA" + draw(rng, string.ascii_uppercase + "234567", 16)
    session = draw(rng, BASE64, 300)
    return rng.choice(
        [
            (f"[default]\naws_access_key_id = {access}\naws_secret_access_key = {secret}\n", secret),
            (f"Access key ID,Secret access key\n{access},{secret}\n", secret),
            (f'"SecretAccessKey": "{secret}",', secret),
            (f"aws_session_token={session}", session[:100]),
            (f'"SessionToken": "{session}"', session[:100]),
            (f"LTAI{draw(rng, ALNUM, 20)}\naccess_key_secret: {secret[:30]}", secret[:30]),
            (
                f'"private_key_id": "{draw(rng, HEX, 40)}",\n"private_key": "-----BEGIN PRIVATE KEY-----\\n{session}\\n-----END PRIVATE KEY-----\\n"',  # noqa: E501
                session[:64],
            ),
            (f"accountKey: {draw(rng, BASE64, 20)}{secret}==", secret),
            (f"secretKey={secret}", secret),
            (f"SecretId: x\nSecretKey: {secret[:32]}", secret[:32]),
        ]
    )


@kind("key material")
def _material(rng: random.Random) -> Made:
    block = key_block(rng)
    lines = block.splitlines()
    jwk = draw(rng, URLSAFE, 43)
    seed = " ".join(rng.sample(SEED_WORDS, 12))
    hexed = draw(rng, HEX, 64)
    return rng.choice(
        [
            (block, lines[2]),
            (json.dumps({"key": block}), lines[2]),
            ("\n".join(f"  {line}" for line in lines), lines[3]),
            ("\n".join(f"> {line}" for line in lines), lines[3]),
            (f'{{"kty":"EC","crv":"P-256","x":"{draw(rng, URLSAFE, 43)}","d":"{jwk}"}}', jwk),
            (f"PRIVATE_KEY=0x{hexed}", hexed),
            (f"private key: {hexed}", hexed),
            (f"seed phrase: {seed}", seed[-30:]),
            (f'MNEMONIC="{seed}"', seed[-30:]),
            (
                f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{draw(rng, BASE64, 48)}\nPrivate-MAC: {hexed}",  # noqa: E501
                hexed,
            ),
        ]
    )


SEED_WORDS = (
    *("abandon", "ability", "zebra", "vessel", "tunnel", "solar", "ribbon", "puzzle", "orbit", "mimic", "lemon"),
    *("kiwi", "ivory", "hazard", "garlic", "fossil", "ethics", "dinner", "cradle", "bamboo", "arrow", "wisdom"),
)


@kind("second factors")
def _second_factor(rng: random.Random) -> Made:
    seed = draw(rng, string.ascii_uppercase + "234567", 32)
    code = draw(rng, DIGITS, 3) + "-" + draw(rng, DIGITS, 3)
    return (
        rng.choice(
            [
                (f"otpauth://totp/x:ada?secret={seed}&issuer=x", seed),
                (f"TOTP_SECRET={seed}", seed),
                (f"totp secret: {seed}", seed),
                (f"oathtool --totp -b {seed}", seed),
                (f"MFA_SEED={seed}", seed),
                (f"otp_seed = '{seed}'", seed),
            ]
        )
        if code
        else ("", "")
    )


# --- Where nobody looks -----------------------------------------------------------------------------------------------


@kind("file names")
def _file_name(rng: random.Random) -> Made:
    token, secret = known_token(rng), password(rng)
    return rng.choice(
        [
            (f"/home/ada/.cache/{token}.json", token),
            (f"cat keys/{token}", token),
            (f"-rw-r--r-- 1 ada ada 12 Nov 1 10:00 {token}.txt", token),
            (f"tmp_{token}_old.log", token),
            (f"~/notes/password={secret}.txt", secret),
            (f"C:\\Users\\ada\\{token}.key", token),
        ]
    )


@kind("logs")
def _log(rng: random.Random) -> Made:
    secret, value = machine(rng), password(rng)
    return rng.choice(
        [
            (f"2026-02-20T10:30:00Z INFO connecting password={value} host=db", value),
            (f"DEBUG [auth] token={secret} user=ada", secret),
            (f"level=info msg=login user=ada passwd={value}", value),
            (f"Using password: {value}", value),
            (f"Generated root password: {value}", value),
            (f"A temporary password is generated for root@localhost: {value}", value),
            (f"Your new API key: {secret}", secret),
            (f"initialAdminPassword\n{secret}", secret),
            (f"Login with username admin and password {value}", value),
            (f"token => {secret}", secret),
            (f"access_token -> {secret}", secret),
            (f"Root Token: {secret}", secret),
            (f"Unseal Key 1: {draw(rng, BASE64, 43)}=", ""),
            (f"?token={secret} is the one from `jupyter notebook list`", secret),
        ][:12]
    )


@kind("environment dumps")
def _dump(rng: random.Random) -> Made:
    name, value = env_name(rng), any_value(rng)
    return rng.choice(
        [
            (f'declare -x {name}="{value}"', value),
            (f"'{name}': '{value}', 'HOME': '/root'", value),
            (f"environ({{'{name}': '{value}'}})", value),
            (f'"Env": ["PATH=/bin", "{name}={value}"]', value),
            (f"{name}    {value}", value),
            (f"{name}: '{value}'", value),
            (f"PATH=/bin\0{name}={value}\0HOME=/", value),
        ]
    )


@kind("http bodies")
def _body(rng: random.Random) -> Made:
    value, secret = password(rng).replace("+", "x").replace("&", "x"), machine(rng)
    return rng.choice(
        [
            (f"grant_type=password&username=ada&password={quote(value, safe='')}&scope=x", quote(value, safe="")),
            (f'{{"username": "ada", "password": "{value}"}}', value),
            (f'{{"access_token":"{secret}","token_type":"bearer","expires_in":3600}}', secret),
            (f'{{"refresh_token":"{secret}"}}', secret),
            (f"curl -d 'user=ada&pass={quote(value, safe='')}' https://{host(rng)}", quote(value, safe="")),
            (f"--form password={value}", value),
            (f'Content-Disposition: form-data; name="password"\r\n\r\n{value}\r\n--x', value),
            (f"client_id=x&client_secret={quote(secret, safe='')}&code=y", quote(secret, safe="")),
            (f'<wsse:Password Type="x#PasswordText">{value}</wsse:Password>', value),
        ]
    )


# --- Talk -------------------------------------------------------------------------------------------------------------

TALK = {
    "english": [
        "the password is «v»",
        "The password for the staging db is «v».",
        "my password: «v»",
        "use «v» as the password",
        "log in as admin with «v» as password",
        "pw: «v»",
        "pwd is «v», user is ada",
        "the admin password was changed to «v»",
        "creds: ada / «v»",
        "credentials are ada:«v»",
        "login: ada, password: «v»",
        "set the password to «v» please",
        "the passphrase of the key is «v»",
        "password = «v» for the demo box",
        "The root password should be «v» now",
        "here is the token: «v»",
        "You can log in with user ada and password «v».",
        "the api key is «v»",
        "password (prod): «v»",
        "Password for root → «v»",
        'the wifi password is "«v»"',
        "my ssh passphrase is `«v»`",
    ],
    "german": [
        "das Passwort ist «v»",
        "Das Passwort lautet «v».",
        "Passwort: «v»",
        "das Kennwort für die Datenbank ist «v»",
        "nimm «v» als Passwort",
        "Zugangsdaten: ada / «v»",
        "mein Kennwort: «v»",
        "das DB-Passwort wurde auf «v» geändert",
    ],
    "french": [
        "le mot de passe est «v»",
        "mot de passe : «v»",
        "Le mot de passe de la base est «v».",
        "utilise «v» comme mot de passe",
        "identifiants : ada / «v»",
        "mdp: «v»",
    ],
    "spanish": [
        "la contraseña es «v»",
        "contraseña: «v»",
        "La contraseña de la base de datos es «v».",
        "usa «v» como contraseña",
        "la clave es «v»",
        "mi contraseña nueva es «v»",
    ],
    "portuguese": [
        "a senha é «v»",
        "senha: «v»",
        "A senha do banco é «v».",
        "use «v» como senha",
        "a palavra-passe é «v»",
    ],
    "italian": [
        "la password è «v»",
        "password: «v»",
        "La password del database è «v».",
        "usa «v» come password",
        "la parola d'ordine è «v»",
    ],
    "dutch": [
        "het wachtwoord is «v»",
        "wachtwoord: «v»",
        "Het wachtwoord van de database is «v».",
        "gebruik «v» als wachtwoord",
    ],
    "polish": ["hasło to «v»", "hasło: «v»", "Hasło do bazy to «v».", "użyj «v» jako hasła"],
    "russian": [
        "пароль: «v»",
        "пароль «v»",
        "Пароль от базы — «v».",
        "пароль для стенда: «v»",
        "используй «v» как пароль",
    ],
    "ukrainian": ["пароль: «v»", "пароль до бази — «v»"],
    "turkish": ["şifre: «v»", "parola «v»", "veritabanı şifresi «v»", "şifre «v» olarak ayarla"],
    "chinese": ["密码是«v»", "密码：«v»", "数据库密码是 «v»", "口令：«v»", "密码为 «v»", "用 «v» 作为密码"],
    "japanese": ["パスワードは«v»です", "パスワード：«v»", "DBのパスワードは「«v»」です。", "暗証番号は«v»"],
    "korean": ["비밀번호는 «v»입니다", "비밀번호: «v»", "DB 비번은 «v»", "암호: «v»"],
    "arabic": ["كلمة المرور هي «v»", "كلمة السر: «v»"],
    "hindi": ["पासवर्ड «v» है", "पासवर्ड: «v»"],
    "swedish": ["lösenordet är «v»", "lösenord: «v»", "Lösenordet till databasen är «v»."],
    "czech": ["heslo je «v»", "heslo: «v»", "Heslo k databázi je «v»."],
    "others": [
        "salasana on «v»",
        "adgangskoden er «v»",
        "passordet er «v»",
        "ο κωδικός είναι «v»",
        "mật khẩu là «v»",
        "kata sandi: «v»",
        "รหัสผ่าน: «v»",
        "הסיסמה היא «v»",
        "jelszó: «v»",
        "parola este «v»",
    ],
}


def _talk(language: str) -> Make:
    templates = TALK[language]

    def make(rng: random.Random) -> Made:
        secret = password(rng)
        return rng.choice(templates).replace("«v»", secret), secret

    return make


for _language in TALK:
    KINDS[f"talk, {_language}"] = _talk(_language)


def planted(seed: int, per_kind: int) -> Iterator[Planted]:
    """So many of each kind."""
    yield from _drawn(KINDS, seed, per_kind)


def _drawn(kinds: dict[str, Make], seed: int, per_kind: int) -> Iterator[Planted]:
    rng = random.Random(seed)
    for name, make in kinds.items():
        count = 0
        while count < per_kind:
            text, secret = make(rng)
            secrets = (secret,) if isinstance(secret, str) else secret
            if all(secrets):
                count += 1
                yield Planted(name, text, secrets)


# --- Other carriers, written after the rules were, and counted before any rule was changed for them -----------------

LATER: dict[str, Make] = {}


def _later(name: str, templates: list[str], values: Callable[[random.Random], str] = password) -> None:
    makers = [_named(template, env_name, values) for template in templates]
    LATER[name] = lambda rng: rng.choice(makers)(rng)


_later(
    "settings of frameworks",
    [
        "DATABASES = {'default': {'USER': '«u»', 'PASSWORD': '«v»', 'HOST': '«h»'}}",
        "define('DB_PASSWORD', '«v»');",
        "'mysql' => ['username' => '«u»', 'password' => '«v»'],",
        '"ConnectionStrings": {"Default": "Server=«h»;User=«u»;Password=«v»;"}',
        "spring:\n  datasource:\n    username: «u»\n    password: «v»\n",
        '@Value("${db.password:«v»}")',
        'env::set_var("DB_PASSWORD", "«v»");',
        'cfg := Config{User: "«u»", Password: "«v»"}',
        "production:\n  adapter: postgresql\n  password: <%= ENV['X'] || '«v»' %>",
    ],
)
_later(
    "infrastructure",
    [
        'variable "db_password" {\n  default = "«v»"\n}',
        'resource "x" "y" {\n  master_password = "«v»"\n}',
        'db_password = "«v»" # terraform.tfvars',
        'Environment="DB_PASSWORD=«v»"',
        "Environment=DB_PASSWORD=«v»\n",
        "0 3 * * * PGPASSWORD=«v» pg_dump shop > /tmp/x",
        "- name: login\n  vars:\n    ansible_password: «v»\n",
        'proxy_set_header X-Auth-Password "«v»";',
        "vars:\n  mysql_root_password: '«v»'\n",
    ],
)
_later(
    "output of vaults",
    [
        "====== Data ======\nKey         Value\n---         -----\npassword    «v»\nusername    «u»\n",
        '{"SecretString": "{\\"username\\":\\"«u»\\",\\"password\\":\\"«v»\\"}"}',
        "protocol=https\nhost=«h»\nusername=«u»\npassword=«v»\n",
        "=== app Config Vars\nDB_PASSWORD:  «v»\nPORT:         80\n",
        "username: «u»\npassword: «v»\nurl: https://«h»\n",
        "Password:\t«v»\nUser:\t«u»",
        "DB_PASSWORD = «v» (from 1Password)",
    ],
)
_later(
    "xml attributes",
    [
        '<user username="«u»" password="«v»" roles="manager"/>',
        '<server id="x" password="«v»"/>',
        "<connection url='jdbc:x' user='«u»' password='«v»'/>",
        "<com.x.Credentials><username>«u»</username><password>«v»</password></com.x.Credentials>",
        '<string name="api_password">«v»</string>',
    ],
)
_later(
    "requests recorded",
    [
        '{"name": "X-Api-Key", "value": "«v»"}',
        '{"name":"Authorization","value":"Bearer «v»"}',
        "GET /x HTTP/1.1\r\nHost: «h»\r\nX-Api-Key: «v»\r\n\r\n",
        '{"key": "api_key", "value": "«v»", "enabled": true}',
        "headers: { 'x-api-key': '«v»' }",
        "requests.get(url, headers={'X-Auth-Token': '«v»'})",
        '-H "x-api-key: «v»"',
        "request.setHeader('Authorization', 'Bearer «v»')",
    ],
    machine,
)
_later(
    "redis and mongo",
    [
        "ACL SETUSER «u» on >«v» ~* +@all",
        "CONFIG SET requirepass «v»",
        "redis.Redis(host='«h»', password='«v»')",
        "mongodb://«u»:«v»@«h»/x?authSource=admin",
        "db.auth('«u»', '«v»')",
        "HELLO 3 AUTH default «v»",
    ],
)
_later(
    "more sql",
    [
        "INSERT INTO accounts (id, login, passwd) VALUES (1, '«u»', '«v»'), (2, 'b', NULL);",
        "CREATE USER «u» PASSWORD '«v»'",
        "ALTER LOGIN [sa] WITH PASSWORD=N'«v»'",
        "CREATE USER MAPPING FOR x SERVER y OPTIONS (user '«u»', password '«v»');",
        "CALL mysql.rds_set_external_master('«h»', 3306, '«u»', '«v»', 0);",
        "SET SESSION AUTHORIZATION x; -- pw «v»",
        "EXEC sp_addlogin '«u»', '«v»'",
    ],
)
_later(
    "more commands",
    [
        "mysql --user=«u» --password='«v»' -e 'select 1'",
        "createdb; export PGPASSWORD='«v»'",
        "ssh-keygen -p -P '«v»' -N '' -f key",
        "openssl pkcs12 -export -passout pass:«v» -in a",
        "gpg --passphrase='«v»' -c x",
        "aws iam create-login-profile --user-name «u» --password '«v»'",
        "az sql server create --admin-user «u» --admin-password «v»",
        "gcloud sql users set-password «u» --password=«v»",
        "kubectl create secret docker-registry r --docker-username=«u» --docker-password=«v»",
        "ansible-vault --vault-password «v»",
        "net user «u» «v» /add",
        'echo "«u»:«v»" | sudo chpasswd',
        "passwd --stdin «u» <<< '«v»'",
        "svn co https://«h»/x --username «u» --password «v»",
        "nmcli dev wifi connect home password '«v»'",
        "ffmpeg -i rtsp://«u»:«v»@«h»/stream out.mp4",
    ],
)
_later(
    "talk at work",
    [
        "New password for staging: «v»",
        "here's the pw: «v»",
        "pass: «v»",
        "ok so login is «u» and the password is «v», don't tell anyone",
        "I set «v» as the root password",
        "(password «v»)",
        "the db pw was «v» until Monday",
        "password - «v»",
        "your temporary password is: «v»",
        "Sure, the new one is «v» (same user, new password)",
        "user: «u»\npass: «v»",
        "**Password:** `«v»`",
        "Password — «v»",
    ],
)
_later(
    "talk elsewhere",
    [
        "Neues Passwort für Staging: «v»",
        "hier das PW: «v»",
        "Login mit «u», Passwort «v»",
        "le mdp du serveur, c'est «v»",
        "Voici le mot de passe : «v»",
        "la contraseña del servidor es «v»",
        "nueva contraseña: «v»",
        "a nova senha do servidor é «v»",
        "la nuova password è «v»",
        "nowe hasło: «v»",
        "новый пароль — «v»",
        "вот пароль от сервера: «v»",
        "yeni şifre: «v»",
        "新密码：«v»",
        "服务器的密码是「«v»」",
        "新しいパスワードは «v» です",
        "새 비밀번호는 «v» 입니다",
        "nytt lösenord: «v»",
        "nové heslo je «v»",
        "det nye passordet er «v»",
        "uusi salasana on «v»",
        "mật khẩu mới là «v»",
        "nieuw wachtwoord: «v»",
        "كلمة المرور الجديدة: «v»",
    ],
)
_later(
    "names of keys",
    [
        "TWILIO_AUTH_TOKEN=«v»",
        "DATADOG_APP_KEY: «v»",
        "ALGOLIA_ADMIN_KEY=«v»",
        "cloudinary_api_secret = '«v»'",
        "MAPBOX_SECRET_TOKEN=«v»",
        "X_CONSUMER_SECRET=«v»",
        "FERNET_KEY=«v»",
        "NEXTAUTH_SECRET=«v»",
        "jwtSecret: '«v»'",
        'hmacKey = "«v»"',
        "FLASK_SECRET_KEY='«v»'",
        "ENCRYPTION_SALT_KEY=«v»",
        '"clientSecret": "«v»"',
        "RAILS_MASTER_KEY=«v»",
        "LEGEND_KEY=«v»",
        "TREND_TOKEN=«v»",
        "ERRAND_SECRET=«v»",
        "GERMAN_API_KEY=«v»",
        "PROGRAM_KEY=«v»",
    ],
    machine,
)
_later(
    "multi line values",
    [
        "secret: |2\n  «v»\n",
        "client_secret: >\n    «v»\nnext: 1",
        'TOKEN = """\\\n«v»\\\n"""',
        "auth_token:\n    '«v»'\n",
        '{\n  "api_key":\n    "«v»"\n}',
        "api_key =\n  «v»\n",
        "API_KEY=\\\n«v»\n",
        "api_key := `\n«v»\n`",
    ],
    machine,
)


def later(seed: int, per_kind: int) -> Iterator[Planted]:
    """So many of each of the kinds that were written later."""
    yield from _drawn(LATER, seed, per_kind)
