"""Other words for what a question says: a record may call it so. Pure.

Looser than what may stand in a sentence for a word of another (`text/common.py`): who asks what merchants pay is
answered by what shops are charged, though nobody may write one for the other. Nothing is said with these words; they
only tell that a record speaks of what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cache

from lerim.answer.tongues import in_other_tongues
from lerim.text.common import SYNONYMS

# A line holds words that people use for the same thing, or for what has so much to do with it that who asks for the
# one is told of the other. Written out as terms: to take their endings off takes longer than a search.
_KINDRED = """
ask queri question request call invok lookup
answer repli respond respons return
send transmit deliv emit publish dispatch post
receiv consum get fetch load read retriev obtain
save store hold held keep persist retain retent live cach
cach reus
delet eras remov drop purg prune clean cleanup
chang alter edit modifi updat revis
schema tabl column migrat
releas rollout roll deploy ship publish live launch
afternoon lunch noon midday
morning breakfast dawn
rollback revert undo back restor
backup back restor recoveri recov snapshot
build compil bundl
firmwar binari imag build
rev revis
run start launch boot execut
stop end halt shut quit give
fail failur break crash panic die error red flaki flap
retri attempt tri time again redeliveri repeat
duplic twice doubl second
block lock delay stuck hang held stall
slow slower sluggish lag latenc late wait forev
fast faster speed quick
limit quota allow maximum max most cap threshold ceil may
safe never danger risk care watch pitfal
prevent avoid refus reject stop guard protect
job task work worker background queue queu
queue broker messag event stream bus
bill invoic charg
pay paid payment cost price money charg debit fee owe balanc
price rate quot tariff fee
tax vat
merchant shop store seller custom client
user peopl person custom account somebodi
login log sign authent auth password credenti ident session
secret credenti password token key
prove verifi check authent genuin real realli sign signatur
check verifi valid test compar inspect scan
mock fake stub
trace track
incid outag post mortem postmortem review
oncal on call rotat handov hand shift
server host machin node cluster
contain pod docker imag
interfac api endpoint
webhook callback hook
page pagin cursor offset
format render style shape look
show shown display render see
write author phrase word
address locat live
parcel shipment packag deliveri
file asset static
folder directori path
code sourc
branch main merg
merg squash
review approv
keep last expir live valid releas
monday tuesday wednesday thursday friday saturday sunday weekend weekday
leav quit abandon ditch switch move migrat
approv sign signoff ok okay permiss confirm
pull pr prs merg
small big size larg
rule invari constraint polici convent must
enforc guarante check belong
replica replic follow
flag toggl switch featur
offlin signal recept connect network internet
analyst figur export report
predict forecast estim
autoscal autosc scale hpa
mail email e
discount rebat free
databas db
test suit spec
fixtur seed
load traffic request
begin began start first sinc
row record entri line
log logger
pipelin ci build runner workflow
memori oom heap kill
vulner cve secur scan find
text string translat
librari packag modul depend
money amount cent price
choos pick use build
need requir must
monitor alert metric watch
wake page pager alert
phone mobil devic handheld scanner
driver courier
offlin signal recept
name hostnam dns
zone timezon
prod product
stage stg
"""
# What stands for one of its sort: who asks which database we use is answered by Postgres. Never the other way, and
# never one for another: Kafka is not known by what is said of RabbitMQ.
_SORTS = {
    "access": "wcag a11y aria axe",
    "agent": "claud codex gemini cursor copilot opencod",
    "auth authent login ident": "keycloak okta auth0 oauth saml sso oidc jwt ldap cognito passkey",
    "broker queue bus": "rabbitmq nat kafka jetstream celeri procrastin sidekiq sqs redi pubsub bullmq",
    "browser": "chrome chromium safari firefox edg webkit",
    "bundler": "webpack vite rollup esbuild parcel rspack turbopack",
    "cach": "redi memcach varnish valkey",
    "cdn": "cloudfront cloudflar fast akamai bunni",
    "ci pipelin": "github gitlab circleci jenkin buildkit action travi",
    "contain": "docker podman kubernet pod imag",
    "date": "luxon dayj moment tempor date-fn",
    "databas db storag": "postgr postgresql mysql sqlite mariadb mongodb redi dynamodb cassandra duckdb",
    "format codec": "mp3 opu opus ogg wav flac aac json yaml toml csv xml parquet avro protobuf png jpeg webp svg pdf",
    "analyt": "matomo plausibl umami mixpanel amplitud posthog fathom",
    "framework": "nuxt laravel phoenix pytest junit svelt sveltekit react vue angular django flask fastapi rail spring",
    "host cloud provid": "aw gcp azur hetzner heroku fli render vercel netlifi digitalocean ovh",
    "languag": "go golang python rust java kotlin typescript javascript rubi php swift scala elixir zig haskel",
    "licens licenc": "mit apach gpl bsd mpl agpl busl",
    "linter formatt": "ruff eslint prettier black flake8 pylint golangci biom clippi",
    "monitor observ trace": "prometheus grafana tempo jaeger opentelemetri datadog loki sentri",
    "orchestr cluster": "kubernet k8s nomad swarm",
    "orm": "prisma drizzl sequel typeorm sqlalchemi activerecord hibern gorm",
    "packag": "npm pnpm yarn bun uv poetri pip pipenv pdm conda cargo",
    "payment": "stripe molli paypal adyen braintre sepa",
    "phone mobil smartphon": "android iphon io",
    "search": "elasticsearch opensearch meilisearch typesens algolia trigram",
    "secret": "vault sop doppler kms",
    "timezon zone": "utc gmt cet lisbon berlin",
    "templat": "jinja thymeleaf jte handlebar mustach twig ejs liquid blade",
    "sprach languag langu idioma": "english englisch anglai german deutsch allemand french franzosisch francai spanish",
    "test": "pytest unittest jest vitest mocha junit testcontain playwright cypress k6",
}


@cache
def _groups() -> dict[str, frozenset[str]]:
    known: dict[str, set[str]] = {}
    for line in _KINDRED.strip().splitlines():
        group = frozenset(line.split())
        for term in group:
            known.setdefault(term, set()).update(group)
    for line, members in _SORTS.items():
        for term in line.split():
            known.setdefault(term, set()).update(members.split())
    return {term: frozenset(group) | SYNONYMS.get(term, frozenset()) for term, group in known.items()}


def one_of_its_sort(terms: Iterable[str]) -> tuple[str, ...]:
    """What may stand in a record that answers which one of a sort it is: names that nobody who asks would say."""
    asked = set(terms)
    return tuple(name for line, names in _SORTS.items() if asked & set(line.split()) for name in names.split())


def is_of_a_sort(terms: Iterable[str]) -> bool:
    """Whether one of some words is the name of a tool, a language, a format: nobody goes by that."""
    return not _members().isdisjoint(terms)


@cache
def _members() -> frozenset[str]:
    return frozenset(name for names in _SORTS.values() for name in names.split())


def is_meant(term: str, vocabulary: Set[str]) -> bool:
    """Whether a text speaks of what a term says, by this word or another."""
    others = _groups().get(term) or SYNONYMS.get(term, frozenset())
    return term in vocabulary or not vocabulary.isdisjoint(others) or not vocabulary.isdisjoint(in_other_tongues(term))
