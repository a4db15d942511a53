"""What does the same job as what: tools, formats, places and customs of which one takes another's place. Data.

Two of a kind may well stand side by side in a project, each for a part of it. Only where both are said of one thing
does the later one take the place of the earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from lerim.dataclass import dataclass

# A kind begins where a line does; two words that are one name are joined by a plus sign here. What one thing has
# several of, each for another deed, is marked by a star: what is read as TOML may be printed as JSON.
_KIND_WORDS = """
npm pnpm yarn bun
poetry uv pip pipenv pdm conda hatch rye pip-tools
maven gradle sbt bazel buck buck2
nx turborepo lerna bazel
webpack vite rollup esbuild parcel rspack turbopack swc
jest vitest mocha jasmine ava karma
pytest unittest nose nose2
rspec minitest
junit testng spock kotest
cypress playwright selenium puppeteer testcafe webdriverio nightwatch
xctest nimble kif
espresso detox maestro appium xcuitest
k6 locust gatling jmeter artillery wrk vegeta
eslint biome oxlint tslint jshint
prettier biome dprint
black yapf ruff autopep8
flake8 ruff pylint pyflakes
isort ruff
mypy pyright pyre ty pytype basedpyright
rubocop standardrb
pact buf dredd
postgres postgresql mysql sqlite mariadb mongodb mongo cockroachdb cockroach oracle dynamodb cassandra couchdb
  scylladb mssql sql+server firestore aurora spanner planetscale yugabyte tidb
bigquery snowflake redshift databricks clickhouse duckdb trino presto athena synapse druid pinot
redis memcached valkey dragonfly keydb hazelcast
kafka rabbitmq nats pulsar sqs kinesis pubsub activemq redpanda zeromq eventbridge service+bus
celery rq dramatiq huey arq procrastinate taskiq sidekiq resque good+job delayed+job bullmq bee-queue temporal
airflow dagster prefect luigi argo+workflows oozie cron step+functions temporal kestra mage azkaban control-m
elasticsearch opensearch solr meilisearch typesense algolia lucene tantivy
pinecone weaviate qdrant milvus pgvector faiss
flask fastapi django starlette bottle tornado sanic litestar aiohttp
fastify koa hapi nestjs hono
sinatra hanami
spring+boot quarkus micronaut dropwizard ktor
actix axum
react vue svelte angular preact ember
next.js nextjs nuxt remix gatsby astro sveltekit
redux zustand mobx recoil jotai xstate pinia vuex
tailwind bootstrap css+modules styled-components sass vanilla-extract bulma unocss
swr react+query apollo urql tanstack+query
moment luxon date-fns dayjs
axios ky superagent node-fetch
httpx aiohttp urllib3
lodash ramda underscore
formik react-hook-form
zod yup joi valibot ajv
prisma typeorm drizzle sequelize knex kysely mikroorm
sqlalchemy peewee tortoise ponyorm sqlmodel
hibernate jooq mybatis
alembic flyway liquibase dbmate
aws gcp azure heroku vercel netlify fly.io digitalocean hetzner linode cloudflare railway on-premises
ecs eks fargate lambda gke aks cloud+run nomad kubernetes openshift swarm app+engine elastic+beanstalk systemd
terraform pulumi cloudformation cdk opentofu bicep
ansible puppet saltstack
argocd flux spinnaker
helm kustomize jsonnet
docker podman buildah containerd nerdctl kaniko
alpine debian ubuntu distroless ubi fedora centos debian-slim wolfi bookworm
circleci jenkins travis github+actions gitlab+ci buildkite teamcity azure+pipelines bamboo woodpecker
github gitlab bitbucket gitea codeberg gerrit
renovate dependabot snyk
jira asana trello youtrack github+issues linear redmine mantis bugzilla
confluence notion google+docs sharepoint
slack discord mattermost zulip
pagerduty opsgenie victorops grafana+oncall incident.io slack
prometheus statsd graphite influxdb datadog cloudwatch
datadog new+relic grafana prometheus cloudwatch splunk loki elk kibana honeycomb dynatrace graylog papertrail
  stackdriver sumo+logic logtail elasticsearch
jaeger zipkin tempo datadog honeycomb x-ray
sentry rollbar bugsnag crashlytics airbrake raygun
launchdarkly unleash flagsmith growthbook configcat statsig
vault secrets+manager parameter+store doppler 1password sops sealed+secrets key+vault
auth0 okta keycloak cognito firebase+auth supabase+auth fusionauth
stripe adyen braintree paypal mollie paddle
sendgrid postmark mailgun ses mailchimp sparkpost mandrill brevo klaviyo
twilio vonage messagebird plivo sinch
onesignal fcm apns sns
cloudinary imgix imgproxy imagekit thumbor
imagemagick libvips sharp pillow graphicsmagick
s3 gcs minio blob+storage r2 b2 backblaze local+disk ceph
cloudfront fastly cloudflare akamai bunny keycdn
nginx apache caddy traefik haproxy envoy kong
istio linkerd
gunicorn uvicorn hypercorn uwsgi daphne granian
mixpanel amplitude posthog google+analytics plausible matomo rudderstack
fivetran airbyte meltano
tableau looker metabase superset power+bi redash
mlflow dvc wandb clearml
pytorch tensorflow jax keras mxnet
xgboost lightgbm catboost random+forest logistic+regression
pandas polars dask spark
flink spark+streaming kafka+streams
feast tecton hopsworks
jupyter colab deepnote marimo
openai anthropic cohere mistral gemini bedrock ollama
mkdocs sphinx docusaurus hugo jekyll vitepress gitbook mdbook
lokalise crowdin transifex weblate poeditor
figma adobe+xd zeplin
flutter react+native ionic swiftui uikit expo jetpack+compose xamarin cordova capacitor kotlin+multiplatform maui
cocoapods spm carthage
fastlane bitrise codemagic app+center eas
retrofit ktor volley okhttp
realm core+data sqldelight room swiftdata objectbox hive isar grdb
fragments compose+navigation navigation+compose voyager decompose conductor
alamofire urlsession moya
glide coil picasso fresco kingfisher sdwebimage nuke
rxjava coroutines rxkotlin
rxswift combine async/await
dagger hilt koin anvil
mvvm mvi mvc mvp viper tca redux
admob applovin ironsource unity+ads
revenuecat storekit qonversion adapty
* python typescript javascript go golang rust java kotlin ruby php scala elixir clojure c++ c# swift dart perl haskell
  bash zig
rest graphql grpc trpc soap json-rpc
websockets websocket sse long-polling server-sent+events
* json yaml toml xml ini hcl
* avro protobuf json parquet csv thrift msgpack messagepack orc flatbuffers
* markdown asciidoc restructuredtext rst html latex
jwt sessions cookies paseto
oauth saml ldap basic+auth api+keys mtls oidc kerberos
bcrypt argon2 argon2id scrypt pbkdf2 sha-256 md5
rs256 hs256 es256 eddsa
rsa ed25519 ecdsa rsa-2048 rsa-4096 rsa-3072 p-256 secp256k1
merge rebase squash
main master develop trunk
trunk-based gitflow git-flow feature+branches github+flow
monorepo polyrepo multirepo
camelcase snake_case kebab-case pascalcase screaming_snake_case upper_snake_case
tabs spaces
singular plural
uuid uuidv4 uuidv7 ulid ulids uuids snowflake+ids bigint autoincrement auto-increment ksuid nanoid bigserial
utc cet est pst europe/berlin local+time america/new_york
float decimal numeric cents floats decimals
timestamptz epoch
* english german french spanish japanese portuguese chinese
monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday
  sundays
january february april june july august september october november december
semver calver
mit apache-2.0 gpl agpl bsd mpl
blue-green canary canaries rolling big-bang recreate
offset keyset
lru lfu fifo ttl
gpu cpu tpu
amd64 arm64 x86 graviton
windows macos linux
vim vscode emacs intellij pycharm neovim zed
bash zsh powershell
taskfile rake npm+scripts
conventional+commits free-form gitmoji
scrum kanban
optimistic pessimistic
us-east-1 us-east-2 us-west-1 us-west-2 eu-west-1 eu-west-2 eu-west-3 eu-central-1 eu-north-1 ap-southeast-1 ap-
  southeast-2 ap-northeast-1 ap-south-1 ca-central-1 sa-east-1 europe-west1 europe-west4 us-central1 frankfurt ireland
  virginia ohio oregon london paris singapore sydney tokyo
argparse typer docopt
pydantic attrs dataclasses marshmallow msgspec
logback log4j log4j2 slf4j
logrus zerolog slog
loguru structlog
winston pino bunyan
unity unreal godot cryengine gamemaker bevy defold phaser
maya blender 3ds+max cinema+4d houdini modo
photoshop gimp krita affinity aseprite
substance quixel armor+paint mari
havok jolt physx bullet chaos box2d rapier
wwise fmod
perforce plastic svn git mercurial
photon mirror netcode fishnet playfab
vulkan opengl directx metal webgpu webgl
dlss fsr xess taa fxaa msaa
freertos zephyr threadx rtos mbed riot nuttx embos vxworks
heap_1 heap_2 heap_3 heap_4 heap_5
gcc clang msvc iar keil icc
jlink j-link st-link openocd pyocd blackmagic
cmake meson scons autotools
i2c spi uart rs-485 rs485 modbus ethercat profinet canopen
mqtt coap amqp lwm2m
littlefs fatfs spiffs yaffs
lwip wolfssl mbedtls openssl boringssl
mcuboot u-boot barebox
yocto buildroot openwrt
unity+test ceedling cpputest googletest gtest catch2 doctest
stm32 esp32 nrf52 rp2040 avr pic32 nrf53 samd
lora lorawan zigbee thread nb-iot lte-m sigfox
hg19 hg38 grch37 grch38 t2t-chm13 chm13
bwa bwa-mem bowtie2 minimap2 star hisat2 novoalign salmon kallisto
gatk deepvariant freebayes strelka bcftools mutect2 octopus
trimmomatic fastp cutadapt trim+galore bbduk
nextflow snakemake wdl cwl cromwell
vep annovar snpeff
bam cram sam
scanpy seurat
edger deseq2 limma
bioconda spack easybuild
slurm pbs lsf sge htcondor
singularity apptainer docker podman
ensembl refseq gencode ucsc
abap fiori ui5 webdynpro
idoc idocs bapi odata rfc
hana oracle+db db2 maxdb
cpi po pi mulesoft boomi informatica talend
sap netsuite dynamics odoo sage infor oracle+fusion
salesforce hubspot pipedrive zoho
servicenow jira+service+management zendesk freshdesk intercom helpscout
workday personio bamboohr
coupa ariba jaggaer
datev lexware sevdesk xero quickbooks
xrechnung zugferd pdf edifact
docusign adobe+sign hellosign pandadoc dropbox+sign skribble yousign
ironclad contractbook juro docusign+clm
onetrust cookiebot usercentrics didomi
arbitration mediation litigation
delaware english+law german+law swiss+law
iceberg delta hudi delta+lake
dbt sqlmesh dataform
lookml cube metricflow
kimball data+vault inmon
great+expectations soda deequ monte+carlo
datahub amundsen collibra atlan openmetadata
debezium goldengate maxwell
hightouch census
gp2 gp3 io1 io2
karpenter cluster+autoscaler
infracost kubecost opencost cloudhealth
cilium calico flannel weave
external-secrets sealed-secrets sops
velero restic borg kopia duplicity
packer image+builder
wireguard openvpn tailscale zerotier ipsec
rhel centos rocky alma ubuntu debian suse sles
nagios zabbix icinga checkmk prometheus
storybook ladle histoire
chromatic percy applitools
msw nock wiremock
three.js babylon.js
leaflet mapbox maplibre openlayers google+maps
highcharts d3 echarts chart.js recharts plotly
tiptap prosemirror slate quill lexical ckeditor tinymce
contentful strapi sanity storyblok prismic wordpress drupal typo3
shopify magento woocommerce shopware bigcommerce
langchain llamaindex haystack dspy
vllm tgi triton tensorrt torchserve bentoml
adam adamw sgd lion adafactor
bf16 fp16 fp32 fp8 int8
slurm kubernetes
ddp fsdp deepspeed
* deflate zstd zstandard lzw lz4 snappy brotli gzip gzipped bzip2 lzma zlib xz
* opus vorbis mp3 aac flac alac
* webp avif jpeg png heic jxl
* h264 h265 hevc av1 vp9 prores
* geotiff cog zarr netcdf hdf5 geopackage shapefile geojson flatgeobuf geoparquet
bonferroni benjamini-hochberg holm sidak tukey
* anova t-test mann-whitney wilcoxon kruskal-wallis
* f1 auc roc-auc mcc r2 rmse mae mape
aes-gcm aes-cbc chacha20 chacha20-poly1305 xchacha20
pgp age gpg
sftp ftps scp rsync webdav
wi-fi wifi ble bluetooth zigbee ethernet lora lte-m nb-iot
zpl epl tspl pdf
tesseract textract paddleocr easyocr abbyy
whisper deepgram assemblyai vosk
osrm valhalla graphhopper openrouteservice
nominatim pelias opencage
letsencrypt zerossl digicert sectigo
route53 cloudflare dnsimple powerdns bind9
jitsi webex bigbluebutton
cplex gurobi highs cbc glpk scip cp-sat or-tools
clamav sophos defender virustotal
sccache ccache distcc
pgbouncer pgpool odyssey pgcat
influxdb timescale timescaledb questdb victoriametrics
cups ipp
cr2032 aa aaa 18650 lipo
epub mobi
ink yarn+spinner twine articy
knative openfaas
mermaid plantuml graphviz drawio
docker+hub ghcr ecr gcr quay harbor artifactory acr nexus
sumup zettle worldline
bc1 bc3 bc7 astc etc2 dxt1 dxt5 pvrtc
* pdf417 datamatrix aztec ean-13
splitio optimizely
apigee tyk
sagemaker vertex+ai azure+ml
* onnx torchscript openvino coreml tflite
label+studio labelbox prodigy
hotjar fullstory logrocket
cucumber behave
detekt ktlint
swiftlint swiftformat
checkstyle spotless
clang-format astyle uncrustify
tls+1.2 tls+1.3
http/1.1 http/2 http/3 quic
ipv4 ipv6
wayland x11
pipewire pulseaudio
nvda jaws voiceover
axe pa11y lighthouse
totp sms webauthn passkeys passkey yubikey
semgrep codeql sonarqube
trivy grype clair
opentracing opentelemetry
outlook google+calendar
google+pay apple+pay klarna
"""
# Two names of one thing.
_ALIAS_WORDS = """
ble/bluetooth wi-fi/wifi rs-485/rs485 go/golang h265/hevc grch37/hg19 grch38/hg38 t2t-chm13/chm13 zstd/zstandard
rst/restructuredtext eu-central-1/frankfurt eu-west-1/ireland eu-west-2/london
eu-west-3/paris us-east-1/virginia us-east-2/ohio us-west-2/oregon ap-southeast-1/singapore ap-southeast-2/sydney
ap-northeast-1/tokyo passkey/webauthn j-link/jlink gzip/gzipped sse/server-sent+events
"""
_ALIASES = frozenset(frozenset(names.split("/")) for names in _ALIAS_WORDS.split())
_KINDS = tuple(frozenset(kind.split()) for kind in _KIND_WORDS.replace("\n  ", " ").strip().splitlines())
_STAR = "*"


@dataclass(frozen=True, slots=True)
class Choice:
    """What takes the place of what, and whether that is so for one deed only."""

    new: str
    old: str
    is_of_deed: bool


def things(line: Sequence[str]) -> frozenset[str]:
    """The words of a line that name something of a known kind; a name of two words joined by a plus sign."""
    pairs = (f"{one}+{two}" for one, two in pairwise(line))
    return frozenset(word for word in (*line, *pairs) if word in _known())


def rivals(mine: frozenset[str], theirs: frozenset[str]) -> Choice | None:
    """What takes the place of what, where each names one thing of a kind and not the other's."""
    for kind in _KINDS:
        one, two = mine & kind, theirs & kind
        if one and two and not any(_are_one(a, b) for a in one for b in two):
            return Choice(min(one), min(two), _STAR in kind)
    return None


def _are_one(one: str, two: str) -> bool:
    """Whether two names are one thing's: "postgres" and "postgresql", "next.js" and "nextjs", "BLE" and "Bluetooth"."""
    if frozenset((one, two)) in _ALIASES:
        return True
    short, long = sorted((one.replace(".", ""), two.replace(".", "")), key=len)
    return long.startswith(short)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset().union(*_KINDS) - {_STAR}
