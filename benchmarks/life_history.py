"""Two years of a made-up project: what was said in its sessions, when, and what was true at each time.

A matter has one value at a time: which tool does a job, how long something may take, whether something is allowed.
Its story is told in sessions: it is settled, said again in other words, told in more detail, turned around later,
repeated by an agent that has not heard of the change, and read weeks late. Beside it stand facts that never change.
Every sentence here was written for this file, by ear: none of it was tried on the code that reads it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

BEGAN = datetime(2024, 1, 8, 9, 0, tzinfo=UTC)


class Told(Enum):
    """How a statement stands to what was said before."""

    FIRST = "first"
    AGAIN = "again"
    MORE = "more"
    TURN = "turn"
    #: An agent says what no longer holds.
    STALE = "stale"
    FACT = "fact"


@dataclass(frozen=True)
class Fact:
    """Something that is true or not: a matter and its value."""

    matter: str
    value: str


@dataclass(frozen=True)
class Work:
    """A session in which somebody works on a matter and says nothing new of it: when, and what its agent looks for."""

    at: datetime
    question: str


@dataclass(frozen=True)
class Utterance:
    """One thing said in a session: what it states, when it was said, and on which day the session is read."""

    fact: Fact
    title: str
    body: str
    said: datetime
    read: datetime
    told: Told
    by_user: bool = True
    #: A learning, not a choice of somebody's.
    is_learning: bool = False


# --- what a project talks about ---------------------------------------------------------------------------------------

#: A job, said in two ways, and what may do it.
_JOBS = (
    ("thumbnails", "making thumbnails", "libvips|ImageMagick|Sharp|Thumbor"),
    ("outgoing mail", "mail to customers", "Postmark|SendGrid|Mailgun|Amazon SES"),
    ("the address book", "contact lookups", "Meilisearch|Typesense|OpenSearch|plain SQL"),
    ("feature switches", "switching features on", "Unleash|Flagsmith|a database table|ConfigCat"),
    ("nightly exports", "the export every night", "Airflow|Dagster|cron|Prefect"),
    ("error reports", "crash reports", "Sentry|GlitchTip|Rollbar|Bugsnag"),
    ("maps", "drawing maps", "Leaflet|MapLibre|Mapbox GL|OpenLayers"),
    ("PDF invoices", "printing invoices", "WeasyPrint|wkhtmltopdf|Gotenberg|Typst"),
    ("text messages", "SMS reminders", "Twilio|Vonage|MessageBird|Sinch"),
    ("translations", "translated strings", "Weblate|Crowdin|Lokalise|gettext files"),
    ("secrets", "keeping credentials", "Vault|SOPS|Doppler|1Password"),
    ("load tests", "hammering the API", "k6|Locust|Gatling|wrk"),
    ("code formatting", "formatting files", "Prettier|Biome|dprint"),
    ("charts", "graphs on the dashboard", "ECharts|Recharts|Vega-Lite|D3"),
    ("background work", "jobs in the background", "Oban|Sidekiq|Temporal|Faktory"),
    ("the message bus", "events between services", "NATS|Kafka|RabbitMQ|Pulsar"),
    ("file uploads", "uploaded files", "MinIO|Backblaze B2|Cloudflare R2|a local disk"),
    ("login", "signing people in", "Keycloak|Auth0|Authentik|Zitadel"),
    ("payments", "card payments", "Adyen|Stripe|Mollie|Braintree"),
    ("forms", "form state", "react-hook-form|Formik|TanStack Form"),
    ("the build", "bundling", "esbuild|Rollup|webpack|Turbopack"),
    ("browser tests", "clicking through the app", "Playwright|Cypress|WebdriverIO"),
    ("session storage", "where logins are remembered", "Redis|Memcached|signed cookies|DynamoDB"),
    ("scheduled deploys", "rolling out", "Argo CD|Flux|Spinnaker|a shell script"),
    ("log search", "digging through logs", "Loki|Graylog|Kibana|ClickHouse"),
)
#: Where the same job may be done otherwise. A third of the jobs is done in one way everywhere.
_PLACES = ("in the shop", "for the partner portal", "on the warehouse tablets", "in the analytics stack")
#: A measure, its unit, and values it may have.
_MEASURES = (
    ("A checkout session lasts", "minutes", "20|30|45|90"),
    ("Uploads are capped at", "MB", "10|25|40|100"),
    ("The importer works in batches of", "rows", "200|500|1000|5000"),
    ("Password reset links are good for", "hours", "2|6|24|48"),
    ("We keep audit rows for", "months", "6|12|18|36"),
    ("A page shows", "results", "20|25|50|100"),
    ("The gateway gives up after", "seconds", "5|8|15|30"),
    ("Retries stop after", "attempts", "3|4|6|10"),
    ("Each tenant may open", "connections", "10|16|32|64"),
    ("The image cache holds", "GB", "2|4|12|20"),
    ("Stock figures are refreshed every", "minutes", "1|5|10|60"),
    ("A trial runs for", "days", "7|14|21|30"),
)
#: What is forbidden, and what it is called once it is allowed.
_RULES = (
    ("force-push to shared branches", "force-pushing a shared branch"),
    ("merge on Fridays", "merging on a Friday"),
    ("call the carrier API from tests", "letting tests call the carrier API"),
    ("add columns without a default", "adding a column that has no default"),
    ("use emojis in commit messages", "emojis in commit messages"),
    ("log request bodies", "logging the body of a request"),
    ("hand-edit generated clients", "editing a generated client by hand"),
    ("deploy without a second pair of eyes", "a deploy that nobody else looked at"),
    ("store times without a zone", "storing a time that has no zone"),
    ("import from another team's folder", "imports across team folders"),
)
_FACTS = (
    ("The staging certificate is renewed by hand", "certbot cannot reach the host behind the VPN."),
    ("Safari keeps a service worker alive for ten seconds only", "Uploads larger than that must be resumable."),
    ("The tax office rejects files with a byte order mark", "Strip it before the transfer."),
    ("The label printer needs a pause of 300 ms between jobs", "Without it every third label is blank."),
    ("Integration tests fail when two of them share a mailbox", "Give each its own address."),
    ("The legacy importer silently drops rows with a tab in them", "Check the count after each run."),
    ("pgvector indexes have to be rebuilt after a bulk load", "Recall fell to a half before."),
    ("The warehouse scanner sends codes in upper case", "Compare without case."),
    ("Docker on the build agents has 8 GB", "The front end needs six of them."),
    ("The bank's sandbox is closed on Sundays", "Runs that need it are started on Mondays."),
    ("Rounding happens per line, not per invoice", "An auditor asked for it."),
    ("The German site needs an imprint on every page", "Legal checks twice a year."),
    ("The events table grows by two million rows a week", "Queries without a date range time out."),
    ("A redirect loop appears when the cookie domain has a dot", "The proxy adds one."),
    ("The mobile app caches prices for a day", "A price change shows up late there."),
    ("Flaky tests were traced to a shared clock", "Each test freezes its own."),
    ("Backups are restored once a quarter to prove that they work", "The last drill took three hours."),
    ("The search index forgets synonyms after an upgrade", "Load them again."),
    ("Customers in Norway pay with an extra fee", "The carrier charges for customs."),
    ("The old admin panel still writes to the users table", "Nobody has time to retire it."),
)
_STARTS = (
    "We go with {value} for {job}{place}",
    "{value} does {job}{place}",
    "For {job}{place}, take {value}",
    "Let's have {value} handle {job}{place}",
    "{Job}{place}: {value}",
)
_AGAINS = (
    "{value} it is for {other}{place}",
    "Reminder: {value} is what we use for {job}{place}",
    "{value} stays in charge of {other}{place}",
    "As agreed, {value} for {job}{place}",
)
_TURNS = (
    "{Job}{place} moves from {old} to {value}",
    "We are done with {old}; {value} does {job}{place} from here on",
    "{old} is out, {value} takes over {job}{place}",
    "Scrap {old} for {job}{place} and put {value} in its place",
    "{Other}{place} is on {value} now",
    "From today {value} instead of {old} for {job}{place}",
    "No more {old} for {other}{place}: {value}",
)
_MORES = (
    "pinned to the current major version",
    "behind our own thin wrapper",
    "with metrics switched on",
    "in the EU region only",
)
_WHYS = (
    "It was the cheapest that did the job.",
    "Two of us have run it before.",
    "The other one kept falling over under load.",
    "Support answered within the hour.",
    "The license of the old one changed.",
    "",
)


# --- what happened to each matter -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Matter:
    """Something that has one value at a time, and how each of its turns may be told."""

    name: str
    values: tuple[str, ...]
    kind: str
    words: tuple[str, ...]

    def sentence(self, told: Told, value: str, old: str, dice: random.Random) -> str:
        return {"job": _job, "measure": _measure, "rule": _rule}[self.kind](self, told, value, old, dice)


def _job(matter: _Matter, told: Told, value: str, old: str, dice: random.Random) -> str:
    job, other, place = matter.words
    forms = {Told.AGAIN: _AGAINS, Told.TURN: _TURNS}.get(told, _STARTS)
    text = dice.choice(forms).format(
        value=value, old=old, job=job, other=other, Job=_upper(job), Other=_upper(other), place=place and f" {place}"
    )
    return f"{text}, {dice.choice(_MORES)}" if told is Told.MORE else text


def _measure(matter: _Matter, told: Told, value: str, old: str, dice: random.Random) -> str:
    start, unit = matter.words
    if told is Told.TURN:
        return dice.choice(
            (
                f"{start} {value} {unit} from now on",
                f"{start} {value} {unit}, no longer {old}",
                f"{start} {value} {unit} instead of {old}",
                f"{start} {value} {unit} now",
            )
        )
    more = f", {dice.choice(('also on staging', 'measured at the proxy', 'for every customer'))}"
    return f"{start} {value} {unit}{more if told is Told.MORE else ''}"


def _rule(matter: _Matter, told: Told, value: str, old: str, dice: random.Random) -> str:
    deed, gerund = matter.words
    if value == "no":
        return dice.choice((f"Never {deed}", f"Do not {deed}", f"{_upper(gerund)} is off limits", f"Nobody may {deed}"))
    return dice.choice(
        (f"{_upper(gerund)} is fine from now on", f"You may {deed} again", f"It is okay to {deed} these days")
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _matters(dice: random.Random, scale: float) -> list[_Matter]:
    jobs = [
        _Matter(f"{job} {place}", tuple(values.split("|")), "job", (job, other, place))
        for number, (job, other, values) in enumerate(_JOBS)
        for place in (_PLACES if number % 3 else ("",))
    ]
    measures = [_Matter(start, tuple(values.split("|")), "measure", (start, unit)) for start, unit, values in _MEASURES]
    rules = [_Matter(deed, ("no", "yes"), "rule", (deed, gerund)) for deed, gerund in _RULES]
    chosen = dice.sample(jobs, max(2, round(len(jobs) * scale)))
    some = [dice.sample(each, max(1, round(len(each) * scale))) for each in (measures, rules)]
    return [*chosen, *some[0], *some[1]]


def history(seed: int = 7, *, days: int = 730, scale: float = 1.0, talk: float = 30.0) -> list[Utterance]:
    """All that was said, in the order in which it is read. `talk` is how often a matter comes up in two years."""
    dice = random.Random(seed)
    said = [one for matter in _matters(dice, scale) for one in _story(matter, dice, days, talk)]
    facts = dice.sample(_FACTS, max(1, round(len(_FACTS) * scale)))
    said += [one for number, fact in enumerate(facts) for one in _repeated(f"fact {number}", fact, dice, days)]
    return sorted(said, key=lambda one: (one.read, one.said, one.title))


def works(seed: int = 7, *, days: int = 730, scale: float = 1.0, use: float = 6.0) -> list[Work]:
    """When matters of the same history are worked on, `use` times in two years each, in their order. What nobody works
    on for half a year is nothing that a project needs to know."""
    matters = [_asked(matter) for matter in _matters(random.Random(seed), scale)]
    dice = random.Random(seed + 1)
    found = []
    for question in [*matters, *(title for title, _ in _FACTS)]:
        day = dice.expovariate(use / 730) if use else days
        while day < days:
            found.append(Work(BEGAN + timedelta(days=day), question))
            day += dice.expovariate(use / 730)
    return sorted(found, key=lambda one: (one.at, one.question))


def _asked(matter: _Matter) -> str:
    if matter.kind == "job":
        _, other, place = matter.words
        return f"what do we use for {other} {place}".strip()
    return matter.words[0] if matter.kind == "measure" else matter.words[1]


def _story(matter: _Matter, dice: random.Random, days: int, talk: float) -> Iterator[Utterance]:
    """One matter from its first day on."""
    day, value, old = dice.uniform(0, days * 0.6), matter.values[0], ""
    left = list(matter.values[1:])
    dice.shuffle(left)
    told = Told.FIRST
    while day < days:
        yield _uttered(matter, told, value, old, day, dice, days)
        if told is Told.TURN and dice.random() < 0.25:
            # Somewhere an agent still works from what it was told before.
            later = min(day + dice.uniform(1, 60), days - 1)
            yield _uttered(matter, Told.STALE, old, "", later, dice, days)
        day += dice.expovariate(talk / days)
        told = dice.choices((Told.AGAIN, Told.MORE, Told.TURN), (4, 2, 3))[0]
        if told is Told.TURN and matter.kind == "rule":
            value, old = ("yes" if value == "no" else "no"), value
        elif told is Told.TURN and left:
            value, old = left.pop(), value
        elif told is Told.TURN:
            told = Told.AGAIN


def _uttered(
    matter: _Matter, told: Told, value: str, old: str, day: float, dice: random.Random, days: int
) -> Utterance:
    said = BEGAN + timedelta(days=day)
    # Most sessions are read the same night; one of eight weeks later, on a machine that was off.
    late = dice.uniform(5, 70) if dice.random() < 0.12 else 0.0
    read = BEGAN + timedelta(days=min(day + late, days - 0.01))
    text = matter.sentence(told, value, old, dice)
    body = dice.choice(_WHYS) if told in (Told.FIRST, Told.TURN) else ""
    return Utterance(Fact(matter.name, value), text, body, said, read, told, by_user=told is not Told.STALE)


def _repeated(name: str, fact: tuple[str, str], dice: random.Random, days: int) -> Iterator[Utterance]:
    """A fact that never changes, noticed now and then."""
    title, body = fact
    for number in range(dice.randint(1, 3)):
        day = dice.uniform(0, days * 0.95)
        said = BEGAN + timedelta(days=day)
        text = title if number == 0 else dice.choice((title, f"Again: {title[0].lower()}{title[1:]}", title))
        yield Utterance(Fact(name, title), text, body, said, said, Told.FACT, by_user=True, is_learning=True)


def truths(said: Sequence[Utterance], now: datetime) -> set[Fact]:
    """What is true at a time: of each matter, what the user said last."""
    last: dict[str, Utterance] = {}
    for one in said:
        known = last.get(one.fact.matter)
        if one.by_user and one.said <= now and (known is None or one.said >= known.said):
            last[one.fact.matter] = one
    return {one.fact for one in last.values()}
