"""How a later statement bears on an earlier one: the same, more, the contrary, or another matter."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lerim.text.bearing import Bearing, Judgment, judge, may_bear
from lerim.text.quantities import counted
from lerim.text.statements import statement
from lerim.text.words import words

EVALS = Path(__file__).parents[2] / "evals"
PAIRS = EVALS / "curate_development.jsonl"
#: Told in many voices, each side in its own words: what is replaced there is heard less often, and nothing wrongly.
VOICES = EVALS / "curate_voices.jsonl"


def judged(earlier: str, later: str, *, is_choice: bool = True) -> Judgment:
    return judge(statement(later, ""), statement(earlier, ""), is_choice=is_choice)


REPLACED = [
    ("Use pnpm", "Use yarn"),
    ("Tokens expire after 15 minutes", "Tokens expire after an hour"),
    ("The API listens on port 8080", "The API listens on port 9090"),
    ("Never push to main", "It's fine to push to main now"),
    ("Use date-fns", "From now on Luxon instead of date-fns"),
    ("Sessions are cached in Redis", "We dropped Redis"),
    ("Pages are served by Varnish", "Pages are no longer served by Varnish"),
    ("Ask before running migrations", "Run migrations without asking from now on"),
    ("The ETL is scheduled by Airflow", "Dagster schedules the ETL"),
    ("Review before the merge", "Review after the merge"),
    ("Uploads over 20 MB are accepted", "Reject uploads over 20 MB"),
    ("Search is powered by Elasticsearch", "Typesense powers search"),
    ("Prices are shown without VAT", "Prices are shown including VAT"),
    ("Tag releases by hand", "Releases are tagged automatically by a bot"),
    ("Auto-merge dependency updates", "Dependency updates shouldn't be merged automatically after all"),
    ("Don't touch the billing module", "The freeze on the billing module is lifted"),
    ("Rebase feature branches, don't merge", "Merging into feature branches is fine now, no need to rebase"),
    ("We deploy to Heroku", "Deployments run on Render"),
    ("Only admins may create projects", "Everybody can create projects now"),
    ("Everybody can deploy", "Only release managers can deploy"),
    ("The nightly build must pass before a release", "A release does not wait for the nightly build anymore"),
    ("The API must stay on Python 3.9", "We upgraded the API from Python 3.9 to 3.12"),
    # One of two of a kind, in another sentence.
    ("Load tests are written in Gatling", "k6 is what we write load tests with"),
    ("Traces of the API are sent to Jaeger", "Tempo keeps the traces of the API"),
    # Another amount.
    ("Thumbnail cache size is 400", "Give the thumbnail cache up to 900 entries"),
    ("Health checks run every 10 seconds", "Health check interval is 30 seconds"),
    ("Sprints are two weeks long", "We work in three-week sprints"),
    ("Releases are cut every Wednesday", "A release is cut every day"),
    # Somebody else, somewhere else, some other time.
    ("Deploys are triggered by pushing a tag", "Merging to main triggers the deploy"),
    ("Refunds are booked at the counter", "Refunds are booked when the parcel arrives"),
    ("Nightly jobs are owned by the data team", "The platform team maintains the nightly jobs"),
    # What is over, and what is denied.
    ("The search bar uses fuzzy matching", "Fuzzy matching in the search bar was rolled back"),
    ("Backups start at 2:00", "Backups start at 4:30 now"),
    ("Reindexing is done at 3 am", "Reindexing runs at 11 pm"),
    ("We support IE 11 in the admin panel", "Support for IE 11 in the admin panel ended"),
    ("Dependency updates are merged by hand", "Dependency updates are merged automatically when CI is green"),
    ("Use singletons for clients", "No singletons, pass clients in"),
    ("The lockfile is generated and committed", "The lockfile isn't committed"),
    ("Anyone can merge once CI is green", "Only code owners can merge"),
    ("Files must be stored in buckets", "Files are stored in the database"),
    ("We scan images with Trivy in CI", "I changed my mind about Trivy, we use Grype for image scanning from now on"),
    ("Events go through Kafka", "We decided against Kafka"),
]
KEPT = [
    ("Default page size of list endpoints is 20", "Maximum page size of list endpoints is 100"),
    ("Minimum password length is 8", "Maximum password length is 72"),
    ("Warn when a bundle is over 200 KB", "Fail the build with an error when a bundle is over 300 KB"),
    ("Fixed the race in the upload queue", "Fixed the race in the login form"),
    ("Formatting by Prettier", "Formatting of SQL files by sqlfluff"),
    ("Staging uses Postgres 14", "Production uses Postgres 16"),
    ("Never push to main", "It is fine to push to feature branches"),
    ("No wildcard imports", "No wildcard imports, except in tests"),
    ("Use Redis for sessions", "Use Redis for rate limits"),
    ("Use Postgres for orders", "The orders service is written in Go"),
    ("Run tests with pytest", "Run tests with coverage"),
    ("Tests run in Docker", "Tests run in parallel"),
    ("We dropped Redis for rate limiting", "Sessions are cached in Redis"),
    ("npm cache is cleared after a failed build", "Use pnpm, not npm"),
    ("Phase 14 is read-only", "Phase 15 is writable"),
    ("Keep functions under 40 lines", "Functions must not exceed 40 lines"),
    ("Always run the linter before committing", "Do not commit without running the linter"),
    ("We left Heroku", "We are not on Heroku anymore"),
    ("Retry uploads", "Retry uploads three times"),
    ("The cache key includes the locale", "The cache key of images includes the width"),
    ("Only admins may create projects", "Everybody can comment on issues"),
    ("Everybody can deploy", "Only admins can deploy hotfixes"),
    ("Never edit the public schema", "The public schema is edited by nobody"),
    ("MinIO does file uploads in the shop", "Nightly exports in the shop: Airflow"),
    ("OpenSearch does the address book in the office", "Error reports in the office move from Rollbar to Bugsnag"),
    ("Scheduled deploys for the shop: Flux", "Charts for the shop: Recharts"),
    ("The CLI prints JSON", "The CLI reads TOML"),
    ("The macOS installer is built with pkgbuild", "The Windows installer is built with WiX"),
    ("The test database is SQLite", "The production database is Postgres"),
    ("Orders use optimistic locking", "Stock levels use pessimistic locking"),
    ("Pages are cached for 2 hours at the edge", "API responses are cached for 30 seconds at the edge"),
    ("Deploys to EU happen at 9", "Deploys to US happen at 15"),
    ("Junior developers need two approvals", "Senior developers need one approval"),
    ("Customers can delete their account", "Admins cannot delete customer accounts"),
    ("Events are in Postgres", "Events are kept in PostgreSQL"),
    ("Use feature flags for rollouts", "Feature flags for rollouts are removed two weeks after the rollout"),
    ("Functions shouldn't be longer than 40 lines", "Keep functions under 40 lines"),
    ("The user dislikes emojis in commit messages", "No emojis in commit messages"),
    ("Nobody deploys after 4 pm", "Deploys after 16:00 are forbidden"),
    ("Root login over SSH is disabled", "You can't log in as root over SSH"),
    ("Release every second Tuesday", "Releases ship every other Tuesday"),
    ("A release does the most for morale", "A release does not wait for the nightly build"),
    (
        "Prefer tests against the real Postgres from compose.yml",
        "Drop Celery and use procrastinate on our Postgres instead, and Redis goes out of the compose file",
    ),
]


#: One job, told in the many ways in which people say what does it.
TOLD = (
    "We go with {0} for thumbnails",
    "For thumbnails, take {0}",
    "{0} does thumbnails",
    "Let's have {0} handle thumbnails",
    "Thumbnails: {0}",
    "{0} it is for making thumbnails",
    "Reminder: {0} is what we use for thumbnails",
    "As agreed, {0} for thumbnails",
    "{0} stays in charge of making thumbnails",
    "Making thumbnails is on {0} now",
    "Thumbnails are done with {0}",
)


@pytest.mark.parametrize("later", TOLD)
@pytest.mark.parametrize("earlier", TOLD)
def test_what_does_a_job_is_heard_however_it_is_told(earlier, later):
    """Another value replaces the one before; the same is said again; another job, or another place, is left alone."""
    assert judged(earlier.format("libvips"), later.format("ImageMagick")).replaces
    assert judged(earlier.format("libvips"), later.format("libvips")).bearing in (Bearing.DUPLICATE, Bearing.REFINEMENT)
    other = (
        later.format("Postmark").replace("thumbnails", "mail").replace("Thumbnails", "Mail").replace("aking", "ending")
    )
    assert not judged(earlier.format("libvips"), other).bearing.replaces
    elsewhere = [
        f"{one.format(value)} {place}"
        for one, value, place in ((earlier, "libvips", "in the shop"), (later, "ImageMagick", "in the warehouse"))
    ]
    assert not judged(*elsewhere).replaces


@pytest.mark.parametrize(("earlier", "later"), REPLACED)
def test_another_value_a_denial_or_a_reversal_replaces_what_was_said(earlier, later):
    """One subject, and what is said of it is otherwise now."""
    assert judged(earlier, later).replaces


@pytest.mark.parametrize(("one", "two"), KEPT)
def test_what_can_hold_together_does_whichever_was_said_first(one, two):
    """Another subject, an exception, an addition and the same in other words replace nothing."""
    assert not judged(one, two).replaces
    assert not judged(two, one).replaces


def test_what_may_be_meant_of_a_part_only_is_not_sure():
    """Refresh tokens may be other tokens than those of before: somebody has to say."""
    found = judged("Tokens expire after 15 minutes", "Refresh tokens expire after 30 days")

    assert (True, False) == (found.bearing.replaces, found.is_sure)


def test_what_rules_out_a_part_of_what_was_said_before_is_for_a_person():
    """How much of the earlier one it ends is not sure, and it is never the same said twice."""
    chosen = statement("Give the action a second input", "The choice is made: preserve `app` and add `oidc-audience`.")
    ruled_out = statement("Do not add oidc-audience as an option", "It can only have one value.")

    for found in (judge(ruled_out, chosen), judge(chosen, ruled_out)):
        assert (True, False) == (found.bearing.replaces, found.is_sure)


@pytest.mark.parametrize(
    ("earlier", "body"),
    [
        (
            "Never run terraform apply locally",
            "Your apply changed staging. that's not ok. Never run terraform apply locally.",
        ),
        ("Squash-merge PRs into main from now on, no more merge commits", ""),
    ],
)
def test_a_verdict_and_a_place_are_nothing_that_is_given_up(earlier, body):
    later = statement("Force-push is ok, but only on feature branches, never on main", "")

    assert not judge(later, statement(earlier, body)).bearing.replaces


def test_what_was_told_as_a_reason_does_not_hold_a_value_that_is_changed():
    """ "The provider retries for 48 h" rules on nothing; "exports are kept for 2 days" does."""
    later = statement("Idempotency keys are kept for 7 days now instead of 72h", "")
    keep = "Keep idempotency keys for 72h"
    told = statement(keep, f"Tomas just told me the provider retries for up to 48h. {keep}.")
    ruled = statement(keep, f"The exports stay for 2 days. {keep}.")

    assert (True, False) == (judge(later, told).is_sure, judge(later, ruled).is_sure)


def test_what_a_ruling_leaves_as_it_was_is_not_replaced():
    """Of all tasks but one, that one keeps its rule; and what is said of all is not sure for one that has its own."""
    export = "The export task must never be retried, it appends to the partner file"
    every = "Always 1 retry with 15 minutes for all tasks"
    leaves = statement(every, f"{every}. export is untouched by that, it stays without.")

    assert not judge(leaves, statement(export, "")).bearing.replaces
    assert not judged(export, every).is_sure
    assert judged("Other tasks get always 3 retries with 5 minutes delay", every).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("kubectl drain hangs on staging because of the redis PDB", "Never kubectl drain by hand"),
        ("Always create an index concurrently, on every table", "Keys live in postgres, redis is off the table"),
    ],
)
def test_who_gives_a_thing_up_agrees_with_what_is_wrong_with_it(earlier, later):
    """Nor does an idiom give up the table."""
    assert not judged(earlier, later).bearing.replaces


def test_another_cause_is_one_more_cause():
    """Of facts there may be several; only of what was chosen is there one at a time."""
    one, two = "Flaky uploads come from the proxy", "Flaky uploads come from the cache"

    assert judged(one, two).replaces
    assert not judged(one, two, is_choice=False).bearing.replaces


def test_a_title_that_names_the_subject_leaves_the_word_to_the_body():
    """Two notes of one title are compared by what stands below."""
    one = statement("Package manager", "We install with pnpm in all workspaces.")
    two = statement("Package manager", "We install with bun in all workspaces.")

    assert judge(two, one).replaces
    assert Bearing.DUPLICATE is judge(one, one).bearing


def test_the_reason_says_what_is_meant():
    """A person who looks at a replaced record is told why."""
    assert "it gives up redis" == judged("Sessions are cached in Redis", "We dropped Redis").reason
    assert "an hour instead of 15 minutes" in judged(*REPLACED[1]).reason


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("after 60 minutes", "after an hour"),
        ("every night", "nightly"),
        ("for seven days", "for a week"),
        ("half a second", "500 ms"),
        ("once a week", "weekly"),
    ],
)
def test_amounts_are_the_same_in_whatever_unit(one, two):
    """What is compared is how much it is."""
    assert [(a.kind, a.value) for a in counted(words(one)).quantities] == [
        (a.kind, a.value) for a in counted(words(two)).quantities
    ]


def test_pairs_that_people_labeled_are_judged_as_they_labeled_them(capsys):
    """The set that the rules were made on: hardly anything is replaced wrongly, and most of what should be is."""
    sys.path.insert(0, str(EVALS))
    try:
        from curate import judged_pairs
    finally:
        sys.path.remove(str(EVALS))

    assert 0 == judged_pairs(PAIRS, show=False)
    assert "false supersede 0.00" in capsys.readouterr().out.splitlines()[-1]


def test_in_whatever_voice_it_is_told_nothing_is_replaced_wrongly(capsys):
    """A pair that is not understood waits, or stays as it is."""
    sys.path.insert(0, str(EVALS))
    try:
        from curate import judged_pairs
    finally:
        sys.path.remove(str(EVALS))

    judged_pairs(VOICES, show=False)
    figures = capsys.readouterr().out.splitlines()[-1]

    assert "false supersede 0.0000" in figures
    assert float(figures.partition("recall ")[2].partition(",")[0]) > 0.6


def test_what_is_blamed_below_is_what_it_took_the_place_of():
    """Who says what went wrong with it, does not have it any more."""
    earlier = statement("Task runner: Celery", "")
    later = statement("Background tasks are executed by a table in Postgres", "Celery lost tasks on each deploy.")
    praise = statement("Background tasks are executed at night", "Celery does that well.")

    assert judge(later, earlier).replaces
    assert not judge(praise, earlier).replaces


def test_every_pair_has_two_sides_and_a_relation():
    """What others add to the sets can be read."""
    for path in EVALS.glob("curate_*.jsonl"):
        pairs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert len(pairs) == len({pair["id"] for pair in pairs})
        assert set(Bearing) == {Bearing(pair["relation"]) for pair in pairs}


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_judged(one, two):
    """And nothing replaces itself."""
    judged(one, two)

    assert not judged(one, one).replaces


@pytest.mark.parametrize(
    ("earlier", "later", "body"),
    [
        # An everyday word is not one thing.
        ("The loop must run unattended and restart itself", "Installer steps reload instead of restart", ""),
        ("Push an empty commit to wrap up a session", "The tracked settings file disables pushes", ""),
        # Who does it, does it: others may go on.
        ("Login falls back to device flow", "CI uses an injected token, not device flow", ""),
        ("Defer locking until the session state moves to SQLite", "Condensation is an action, not a state", ""),
        # What is told below is about something else.
        (
            "The shell fixes its prompt before a line is read",
            "Ask for repainting upstream",
            "A job may replace the prompt.",
        ),
    ],
)
def test_a_word_that_both_have_does_not_make_them_one_matter(earlier: str, later: str, body: str) -> None:
    assert not judge(statement(later, body), statement(earlier, "")).replaces


def test_what_is_given_up_in_one_place_stays_in_another() -> None:
    known = "We go with libvips for thumbnails for the partner portal"

    assert not judged(known, "From today ImageMagick instead of libvips for thumbnails in the shop").replaces
    assert judged(
        "We go with libvips for thumbnails", "From today ImageMagick instead of libvips for thumbnails"
    ).replaces


def test_another_subject_before_a_colon_is_another_matter() -> None:
    assert (
        Bearing.UNRELATED is judged("Nightly exports in the shop: Airflow", "File uploads in the shop: MinIO").bearing
    )


@pytest.mark.parametrize("word", ["off limits", "taboo", "out of the question", "a no-go"])
def test_what_is_off_limits_is_the_contrary_of_what_is_fine(word: str) -> None:
    assert judged(
        f"Editing the generated client is {word}", "Editing the generated client is fine from now on"
    ).replaces


def test_another_name_in_the_same_words_says_no_more_of_the_same() -> None:
    one, other = "libvips stays in charge of making thumbnails", "ImageMagick stays in charge of making thumbnails"
    assert judged(one, other).bearing not in (Bearing.DUPLICATE, Bearing.REFINEMENT)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Never edit generated files", "Never commit generated files"),
        ("Search results are paginated", "Search results are cached"),
    ],
)
def test_two_deeds_done_to_one_thing_are_two(one, two):
    """They share all their other words, and are not the same."""
    assert Bearing.UNRELATED is judged(one, two).bearing


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use structured JSON logging in every service", "We gave up on GraphQL: services expose REST only"),
        (
            "Unit tests run against SQLite in memory",
            "Always run the integration tests against a real PostgreSQL container, because SQLite hides locking bugs",
        ),
    ],
)
def test_who_gives_up_or_blames_something_elsewhere_replaces_nothing_by_itself(earlier, later):
    """What it is said of has to be the same."""
    assert not judged(earlier, later).replaces
    title, _, why = later.partition(", because ")
    assert not judge(statement(title, why), statement(earlier, "")).replaces


@pytest.mark.parametrize(
    ("earlier", "later", "is_sure"),
    [
        ("Deploy with helm, don't use kubectl apply by hand", "We deploy with argo now, helm is gone", False),
        ("Use npm, never yarn", "Use pnpm instead of npm", True),
    ],
)
def test_what_is_forbidden_besides_is_not_ended_with_the_rest(earlier, later, is_sure):
    """A person decides, and reads what would be lost; what was merely not chosen is nothing to lose."""
    found = judge(statement(later, later), statement(earlier, earlier))

    assert (True, is_sure) == (found.bearing.replaces, found.is_sure)
    assert is_sure or "has no word of" in found.reason


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I prefer tabs", "I changed my mind, I prefer spaces"),
        ("We write an RFC for each bigger change", "RFCs were given up"),
        ("Only admins may create projects", "Everybody can create projects now"),
    ],
)
def test_what_one_may_end_is_not_passed_over_at_a_glance(earlier, later):
    """By a word, or by another form of it."""
    news, old = statement(later, later), statement(earlier, earlier)

    assert (True, True) == (may_bear(news, old), judge(news, old).bearing.replaces)
    assert not may_bear(news, statement("Deploy with helm", "Deploy with helm"))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Orders under 25 € pay for shipping", "Orders under 25 euros pay for shipping"),
        ("Orders under €25 pay for shipping", "Orders under 25 euros pay for shipping"),
        ("The budget is $1,200", "The budget is 1200 dollars"),
    ],
)
def test_money_is_money_however_it_is_written(one: str, two: str) -> None:
    told = [[(a.kind, a.value) for said in statement(text, "").main for a in said.quantities] for text in (one, two)]
    assert told[0] == told[1] and len(told[0]) == 1


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Energy tolerance is 1e-10", "energy tolerance goes to 1e-8"),
        ("Solver tolerance 0.00001", "solver tolerance: 10^-7"),
        ("Raw events stay for 48 h", "raw events stay for a week, legal asked"),
        ("Keep the nightly dumps for 30 days", "dumps are kept two weeks, the bucket was too expensive"),
        ("The upload timeout is 5 s", "upload timeout 12 s, 5 was too short on the train"),
        ("Fan turns on at 60 °C", "the fan turns on at 70 °C"),
        ("We cut the training set at 2021-12-31", "training set cut is 2022-06-30 now"),
        ("Coverage target 0.8", "coverage target is 70 %"),
    ],
)
def test_another_amount_of_one_thing_is_heard_in_any_notation(earlier: str, later: str) -> None:
    assert judged(earlier, later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Hard stop at 110 %", "the stop at 110 % goes away, we only mail"),
        ("Jobs are killed at 120 minutes", "the kill at 2 h goes away, slack ping instead"),
        ("Login is locked after 5 wrong passwords", "the lock after 5 wrong passwords is gone, we ask for a captcha"),
        ("Speed is capped at 60 km/h in the sim", "speed cap in the sim goes away"),
    ],
)
def test_what_happened_at_an_amount_is_ended_by_its_name(earlier: str, later: str) -> None:
    assert judged(earlier, later).replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The left motor gets 12 V", "the right motor gets 9 V"),
        ("Redis connection timeout in the cart is 200 ms", "Redis command timeout in the cart is 50 ms"),
        ("p95 under 200 ms for search", "p99 under 800 ms for search"),
        ("The heap of the simulator is 8 GB", "the simulator writes chunks of 64 MB"),
        ("Upload timeout is 5 s on staging", "upload timeout is 12 s in production"),
        ("Stop at 110 % of the disk quota", "the stop at 110 % of the cpu quota goes away"),
        ("Hard stop at 110 %", "the stop at 90 % goes away"),
        ("The stop at the depot takes 4 minutes", "the stop at 110 % of the load goes away"),
        ("Retries on the payment client: three attempts", "Retries on the mail client are turned off"),
    ],
)
def test_each_of_two_things_has_its_own_amount(earlier: str, later: str) -> None:
    assert not judged(earlier, later).replaces


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Solver tolerance 1e-5", "solver tolerance 0.00001"),
        ("Pages are acknowledged in 15 minutes", "pages are acknowledged in a quarter of an hour"),
        ("p below .05", "p below 0.05"),
    ],
)
def test_the_same_amount_written_otherwise_replaces_nothing(one: str, two: str) -> None:
    assert not judged(one, two).bearing.replaces


def test_what_is_denied_behind_and_is_denied_alone() -> None:
    """ "Use this and never that" is no ban of this."""
    one, two = "For installing the packages use pnpm and never npm", "Use pnpm for installing packages, never npm"

    assert (Bearing.DUPLICATE, Bearing.DUPLICATE) == (judged(one, two).bearing, judged(two, one).bearing)
    assert judged("Use npm for installing packages", one).replaces


def test_what_is_left_to_do_overrules_nothing() -> None:
    assert not judged("No retries for payments", "Left now: retries for mails, payments dashboard").bearing.replaces
    assert not judged("Drop the old exporter", "Still open: remove the old exporter's config").bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Drag coefficient is 0.32 in the solver", "Coefficient down to 0.29"),
        ("Learning rate is 3e-4 for the decoder", "LR goes up to 1e-3"),
        ("Time to live of the records is 3600", "ttl down to 300"),
        ("The overlap threshold of the matcher is 0.7", "Lower the threshold to 0.55, half of the cells are lost"),
    ],
)
def test_who_takes_a_figure_to_another_calls_the_thing_by_its_last_word_or_its_first_letters(earlier, later):
    judgment = judge(statement(later, ""), statement(earlier, ""))

    assert judgment.bearing.replaces


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The overlap threshold is 0.7", "Volume goes up to 0.8"),
        ("Read timeout is 10 s", "Connect timeout goes to 2 s"),
        ("Min replicas is 2", "Max replicas goes up to 10"),
        ("The report goes to 3 people", "The build goes to 2 mirrors"),
    ],
)
def test_a_figure_of_something_else_is_none_of_it(earlier, later):
    assert not judge(statement(later, ""), statement(earlier, "")).bearing.replaces
