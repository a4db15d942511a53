"""The example story: `berths`, a small web service that books places in a marina. Everything here is made up.

A queue is chosen, and replaced ten days later for a reason. Preferences are stated. A double booking and a failing
pipeline are traced to their causes. One session only tidies up and teaches nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime

from lerim.examples.steps import AgentStep, CommandStep, EditStep, ExampleSession, ReadStep, UserStep

_CHOOSING_A_QUEUE = ExampleSession(
    agent="claude",
    id="3f0a6c1e-52b7-4d09-9c1d-0b7a4e5f6a01",
    began=datetime(2026, 6, 4, 8, 12, tzinfo=UTC),
    branch="confirmation-mails",
    steps=(
        UserStep(
            "Booking a berth takes two to four seconds, and most of that is the confirmation mail. Can you "
            "move it into the background? Tell me what you'd use before you build it."
        ),
        AgentStep("I'll start with how a booking is created and where its mail is sent."),
        ReadStep(
            "berths/api/bookings.py",
            '@router.post("/bookings")\nasync def create(booking: NewBooking, db: Database) -> Booking:\n'
            "    saved = await db.save(booking)\n    await mailer.send_confirmation(saved)\n    return saved\n",
        ),
        CommandStep(
            "cat pyproject.toml | grep -A8 dependencies",
            'dependencies = [\n  "fastapi",\n  "asyncpg",\n  "aiosmtplib",\n]',
        ),
        AgentStep(
            "The mail is sent in `create()` before the response goes out, so every booking waits for the "
            "mail server.\n\nThree ways to get it out of the request:\n\n"
            "1. **FastAPI BackgroundTasks**: no new dependency, but a mail is lost when the process "
            "restarts.\n"
            "2. **Celery with Redis**: retries and scheduling, at the price of a Redis and a worker to "
            "run.\n3. **A table in Postgres** polled by a small loop of our own.\n\n"
            "I'd take 2 if mails must not get lost, otherwise 1."
        ),
        UserStep(
            "They must not get lost. Let's use Celery with Redis then, because we need retries and I have "
            "run it before."
        ),
        EditStep(
            "berths/tasks.py",
            "app = Celery('berths', broker=settings.redis_url)\n\n@app.task(max_retries=5)\n"
            "def send_confirmation(booking_id: int) -> None:\n    ...\n",
        ),
        EditStep(
            "berths/api/bookings.py",
            "    send_confirmation.delay(saved.id)\n",
            "    await mailer.send_confirmation(saved)\n",
        ),
        AgentStep("Mails are queued now. Next I'll cover it with a `ConfirmationTestCase(unittest.TestCase)`."),
        UserStep(
            "Please write tests as plain pytest functions with fixtures, I don't want unittest classes in this repo."
        ),
        EditStep("tests/test_confirmation.py", "def test_a_booking_queues_its_confirmation(client, queue):\n    ...\n"),
        CommandStep(
            "pytest -q",
            "F.......................                                   [100%]\n"
            "E   kombu.exceptions.OperationalError: Error 111 connecting to localhost:6379\n"
            "1 failed, 23 passed in 6.02s",
            1,
        ),
        AgentStep("The new test talks to a real broker. I'll give the tests an in-memory one through a fixture."),
        EditStep(
            "tests/conftest.py",
            "@pytest.fixture\ndef queue(monkeypatch):\n"
            "    app.conf.update(broker_url='memory://', task_always_eager=True)\n",
        ),
        CommandStep(
            "pytest -q", "........................                                   [100%]\n24 passed in 3.41s"
        ),
        CommandStep(
            'git add -A && git commit -m "Send confirmation mails from a Celery worker"',
            "[confirmation-mails 8f2c1d0] Send confirmation mails from a Celery worker\n"
            " 4 files changed, 61 insertions(+), 3 deletions(-)",
        ),
        AgentStep(
            "Confirmation mails now go through Celery with Redis as the broker.\n\n**What changed**\n\n"
            "- `berths/tasks.py`: the Celery app and a task `send_confirmation`, retried up to five "
            "times with a growing delay when the mail server refuses.\n"
            "- `berths/api/bookings.py`: `create()` queues the task after the booking is saved and "
            "returns at once. `POST /bookings` answers in about 90 ms now.\n"
            "- `tests/conftest.py`: a `queue` fixture with an in-memory broker, so that no test needs a "
            "Redis.\n"
            "- `tests/test_confirmation.py`: a booking queues its confirmation, a refused mail is tried "
            "again, and a booking is saved even when the broker is down.\n\n"
            "All 24 tests pass, written as pytest functions with fixtures. Not pushed yet. The worker "
            "still needs a service entry in `deploy/compose.yml`, and production needs a `REDIS_URL`."
        ),
        UserStep("good, push it. I'll do the compose file myself"),
        CommandStep(
            "git push -u origin confirmation-mails",
            "branch 'confirmation-mails' set up to track 'origin/confirmation-mails'.",
        ),
        AgentStep("Pushed to `origin/confirmation-mails`."),
    ),
)

_DOUBLE_BOOKING = ExampleSession(
    agent="codex",
    id="019e8f41-7c20-7a11-9d3e-5f60718293a2",
    began=datetime(2026, 6, 6, 13, 40, tzinfo=UTC),
    branch="double-booking",
    steps=(
        UserStep(
            "We had a double booking last night: two boats got berth 14 for the same dates. Find out how "
            "that can happen and fix it properly."
        ),
        AgentStep(
            "I'll look at how a booking is stored first, then try to get two of them with requests at the same time."
        ),
        CommandStep(
            "sed -n '1,60p' berths/store.py",
            "async def book(self, berth: int, period: Range) -> Booking:\n"
            "    taken = await self.overlapping(berth, period)\n    if taken:\n"
            "        raise BerthTaken(berth)\n    return await self.insert(berth, period)\n",
        ),
        CommandStep("rg -n 'isolation' berths", "", 1),
        AgentStep(
            "I can reproduce it with two requests at once. The check and the insert are separate "
            "statements, so both requests see a free berth and both insert."
        ),
        EditStep(
            "tests/test_double_booking.py", "async def test_two_requests_at_once_get_one_booking(client):\n    ...\n"
        ),
        CommandStep(
            "pytest -q tests/test_double_booking.py",
            "F                                                          [100%]\n"
            "E   assert [201, 201] == [201, 409]\n1 failed in 1.12s",
            1,
        ),
        EditStep(
            "migrations/0012_no_overlap.sql",
            "CREATE EXTENSION IF NOT EXISTS btree_gist;\nALTER TABLE bookings ADD CONSTRAINT no_overlap\n"
            "  EXCLUDE USING gist (berth WITH =, period WITH &&);\n",
        ),
        EditStep("berths/store.py", "    except ExclusionViolationError:\n        raise BerthTaken(berth) from None\n"),
        CommandStep(
            "pytest -q", ".........................                                  [100%]\n25 passed in 3.90s"
        ),
        AgentStep(
            "Root cause: `book()` checks for overlapping bookings and then inserts, without a lock, so "
            "two requests that arrive together both pass the check. Each sees the berth as free because "
            "the other has not committed yet.\n\n"
            "The fix is an exclusion constraint on `bookings (berth, period)` in Postgres. It refuses "
            "the second insert whoever makes it; `book()` turns the violation into `BerthTaken`, which "
            "the API answers with 409.\n\n"
            "- `migrations/0012_no_overlap.sql` adds the constraint. It needs the `btree_gist` "
            "extension, which our Postgres image has.\n"
            "- `tests/test_double_booking.py` books one berth with two requests at once. It fails "
            "without the constraint and passes with it.\n\n"
            "A stricter isolation level would have worked too, but every caller would then have to retry "
            "on its own. Before the migration runs in production, the two bookings of berth 14 have to "
            "be sorted out by hand, or the constraint cannot be added."
        ),
        UserStep(
            "yes that was it, thanks. Rule for the future: invariants like this belong into the database "
            "as constraints, not into a check in Python, because we will always have more than one "
            "worker."
        ),
        CommandStep(
            'git add -A && git commit -m "Refuse overlapping bookings with an exclusion constraint"',
            "[double-booking 51aa9e7] Refuse overlapping bookings with an exclusion constraint\n"
            " 3 files changed, 38 insertions(+), 5 deletions(-)",
        ),
        AgentStep(
            "Committed as `51aa9e7`. The old check stays for its error message, but the constraint is "
            "what holds the invariant."
        ),
    ),
)

_TIDYING_UP = ExampleSession(
    agent="gemini",
    id="7c2e9d14-8a36-4f5b-b1c0-22d4e6f8a903",
    began=datetime(2026, 6, 9, 7, 55, tzinfo=UTC),
    steps=(
        UserStep("Rename berths/utils/dt.py to berths/utils/dates.py and update the imports."),
        CommandStep(
            "git mv berths/utils/dt.py berths/utils/dates.py && grep -rl 'utils.dt' berths tests",
            "berths/api/calendar.py\ntests/test_calendar.py",
        ),
        EditStep(
            "berths/api/calendar.py", "from berths.utils.dates import nights\n", "from berths.utils.dt import nights\n"
        ),
        EditStep(
            "tests/test_calendar.py", "from berths.utils.dates import nights\n", "from berths.utils.dt import nights\n"
        ),
        CommandStep(
            "pytest -q", ".........................                                  [100%]\n25 passed in 3.77s"
        ),
        AgentStep("Renamed `dt.py` to `dates.py` and updated the two imports. All tests pass."),
        UserStep("thanks"),
        AgentStep("You're welcome."),
    ),
)

_INTEGRATION_TESTS = ExampleSession(
    agent="pi",
    id="019ea2c5-1d44-7b02-8e5f-6a7b8c9d0e14",
    began=datetime(2026, 6, 11, 15, 20, tzinfo=UTC),
    branch="price-rules",
    steps=(
        UserStep(
            "Add tests for the price rules in berths/prices.py: season, length of the boat, and the "
            "discount after seven nights."
        ),
        AgentStep("I'll read the rules first and then cover each of the three with its edges."),
        ReadStep("berths/prices.py", "def price(period: Range, boat: Boat, rules: Rules) -> Money:\n    ...\n"),
        EditStep(
            "tests/test_prices.py",
            "def test_a_week_gets_the_discount(mocker):\n    store = mocker.Mock()\n"
            "    store.rules.return_value = RULES\n    ...\n",
        ),
        CommandStep(
            "pytest -q tests/test_prices.py",
            "......                                                     [100%]\n6 passed in 0.21s",
        ),
        AgentStep(
            "Added six tests in `tests/test_prices.py`:\n\n"
            "- season: the first and the last day of the high season, and a stay that spans both seasons\n"
            "- length: a boat of exactly ten metres, and one just above\n"
            "- discount: six nights and seven nights\n\n"
            "The store is mocked, so they need no database and run in 0.2 s. All of them pass, which "
            "means the rules do what the price list says."
        ),
        UserStep(
            "Please don't mock the store. I prefer tests against the real Postgres from compose.yml, "
            "since the mocked ones passed while the rules query was broken last month. Same everywhere "
            "in this project."
        ),
        EditStep(
            "tests/test_prices.py",
            "async def test_a_week_gets_the_discount(database):\n    await database.insert_rules(RULES)\n    ...\n",
            "def test_a_week_gets_the_discount(mocker):\n",
        ),
        CommandStep(
            "docker compose up -d postgres && pytest -q tests/test_prices.py",
            "Container berths-postgres-1  Started\n"
            ".....F                                                     [100%]\n"
            "E   assert Money(420) == Money(378)\n1 failed, 5 passed in 1.51s",
            1,
        ),
        AgentStep(
            "Against Postgres one test fails, and rightly so: the discount is given after the seventh night "
            "instead of from the seventh night on. `price()` compares with `>` where the rule says `>=`."
        ),
        EditStep("berths/prices.py", "    if period.nights >= rules.week:\n", "    if period.nights > rules.week:\n"),
        CommandStep(
            "pytest -q tests/test_prices.py",
            "......                                                     [100%]\n6 passed in 1.48s",
        ),
        AgentStep(
            "Fixed the comparison in `price()`: a stay of seven nights gets the discount now.\n\n"
            "The tests run against the Postgres from `compose.yml` through the `database` fixture, each "
            "in a transaction that is rolled back; nothing is mocked. 6 passed in 1.5 s. The mocked "
            "version could not have found this, because the mock returned rules that the real query "
            "never gives: the threshold is stored as the first discounted night, not as the last full "
            "one."
        ),
        UserStep(
            "great. commit the tests separately from the fix in prices.py, I like small commits with one idea each"
        ),
        CommandStep(
            'git add tests && git commit -m "Test the price rules against Postgres"',
            "[price-rules 0d9b3fe] Test the price rules against Postgres\n 1 file changed, 74 insertions(+)",
        ),
        CommandStep(
            'git add berths/prices.py && git commit -m "Give the weekly discount from the seventh night on"',
            "[price-rules c41e8a2] Give the weekly discount from the seventh night on\n"
            " 1 file changed, 1 insertion(+), 1 deletion(-)",
        ),
        AgentStep("Two commits: the tests, then the fix of the off-by-one in the weekly discount."),
    ),
)

_LEAVING_CELERY = ExampleSession(
    agent="claude",
    id="b81d5e20-6f94-4c3a-8e7b-91c2d3e4f505",
    began=datetime(2026, 6, 14, 9, 5, tzinfo=UTC),
    branch="queue-in-postgres",
    steps=(
        UserStep(
            "Redis went down twice this week and took the mails with it. We queue maybe 200 jobs a day. "
            "Do we still need Celery and Redis for this, or is there something that runs on the Postgres "
            "we already have?"
        ),
        AgentStep("Let me see how much of the code depends on Celery before I answer."),
        CommandStep("grep -rn 'celery\\|redis' --include=*.py --include=*.yml . | wc -l", "31"),
        AgentStep(
            "At 200 jobs a day Postgres is plenty. `procrastinate` keeps jobs in a table, uses "
            "LISTEN/NOTIFY so that nothing is polled, and has retries and periodic tasks. A job is then "
            "committed together with its booking, which Celery cannot do: today a booking can be saved "
            "and its mail lost in between.\n\n"
            "What we give up: Celery's monitoring tools, and headroom far beyond what the marina needs."
        ),
        UserStep(
            "Then we drop Celery and use procrastinate on our Postgres instead, and Redis goes out of the "
            "compose file. A second server for 200 jobs a day isn't worth the outages, and I want the job in the "
            "same transaction as the booking."
        ),
        EditStep(
            "berths/tasks.py",
            "app = procrastinate.App(connector=PsycopgConnector())\n\n@app.task(retry=5)\n"
            "async def send_confirmation(booking_id: int) -> None:\n    ...\n",
            "app = Celery('berths', broker=settings.redis_url)\n",
        ),
        EditStep(
            "deploy/compose.yml", "  worker:\n    command: procrastinate worker\n", "  redis:\n    image: redis:7\n"
        ),
        CommandStep(
            "pytest -q",
            "..........................FF..                             [100%]\n"
            'E   procrastinate.exceptions.ConnectorException: relation "procrastinate_jobs" does not '
            "exist\n2 failed, 28 passed in 4.80s",
            1,
        ),
        AgentStep(
            "The tests create the schema from our migrations only, and procrastinate's tables are not in "
            "them. I'll add its schema as a migration."
        ),
        EditStep("migrations/0013_procrastinate.sql", "-- procrastinate schema --apply, as of 3.2\n"),
        CommandStep(
            "pytest -q", "..............................                             [100%]\n30 passed in 4.77s"
        ),
        CommandStep(
            'git add -A && git commit -m "Queue jobs in Postgres with procrastinate instead of Celery"',
            "[queue-in-postgres 7e60b11] Queue jobs in Postgres with procrastinate instead of Celery\n"
            " 7 files changed, 88 insertions(+), 112 deletions(-)",
        ),
        CommandStep(
            'gh pr create --title "Queue jobs in Postgres instead of Celery" --body "Removes Redis."',
            "https://github.com/example/berths/pull/41",
        ),
        AgentStep(
            "Celery and Redis are gone. Jobs are queued with procrastinate in our Postgres, in the same "
            "transaction as the booking.\n\n"
            "- `berths/tasks.py`: the task keeps its name and its five retries, so nothing that calls it "
            "had to change.\n"
            "- `migrations/0013_procrastinate.sql`: the two failing tests were missing procrastinate's "
            "tables; they come with this migration now.\n"
            "- `deploy/compose.yml`: the `redis` service is out, the worker runs `procrastinate worker`.\n"
            "- Jobs that were still in Redis are not moved. There were three, all of them older than a "
            "week.\n\nAll 30 tests pass. PR: https://github.com/example/berths/pull/41"
        ),
    ),
)

_FAILING_PIPELINE = ExampleSession(
    agent="codex",
    id="019eb9d0-42f8-7c63-a1b4-7d8e9fa0b1c6",
    began=datetime(2026, 6, 17, 11, 30, tzinfo=UTC),
    branch="utc",
    steps=(
        UserStep("CI is red, but the tests pass on my machine. Can you check why test_calendar fails there?"),
        AgentStep("I'll look at what failed in the pipeline and then try to get the same failure here."),
        CommandStep(
            "gh run view --log-failed | tail -20",
            "tests/test_calendar.py::test_a_stay_over_midnight_counts_one_night FAILED\nE   assert 2 == 1\n",
        ),
        CommandStep(
            "TZ=UTC pytest -q tests/test_calendar.py",
            "..F                                                        [100%]\nE   assert 2 == 1\n"
            "1 failed, 2 passed in 0.90s",
            1,
        ),
        AgentStep("It fails here too with `TZ=UTC`. Your machine runs on Europe/Lisbon, CI on UTC."),
        ReadStep(
            "berths/utils/dates.py",
            "def nights(period: Range) -> int:\n"
            "    return (period.end.date() - period.start.replace(tzinfo=None).date()).days\n",
        ),
        AgentStep(
            "The root cause is that `nights()` drops the time zone of the start but not of the end, so "
            "across midnight UTC it compares days of two different zones. It went unnoticed because "
            "every developer's machine is on local time."
        ),
        UserStep(
            "ok, fix that. From now on we store and compare all times in UTC and convert only in the API layer, "
            "because otherwise this comes back with the next date function."
        ),
        EditStep(
            "berths/utils/dates.py",
            "def nights(period: Range) -> int:\n"
            "    start, end = (moment.astimezone(UTC).date() for moment in (period.start, period.end))\n"
            "    return (end - start).days\n",
        ),
        EditStep("berths/api/calendar.py", "    return Stay.of(booking, zone=marina.zone)\n"),
        CommandStep(
            "TZ=UTC pytest -q && TZ=Europe/Lisbon pytest -q",
            "..............................                             [100%]\n30 passed in 4.70s\n"
            "..............................                             [100%]\n30 passed in 4.69s",
        ),
        CommandStep(
            'git add -A && git commit -m "Count nights in UTC" && git push',
            "[utc 2b8f7c4] Count nights in UTC\n 2 files changed, 9 insertions(+), 4 deletions(-)",
        ),
        AgentStep(
            "Fixed and pushed.\n\n- `berths/utils/dates.py`: `nights()` compares both ends in UTC.\n"
            "- `berths/api/calendar.py`: the only place that converts to the marina's zone, on the way "
            "out.\n"
            "- The stay that failed runs from 23:30 to 09:00 in Lisbon, which is two calendar days in "
            "one zone and one in the other. The test stays as it was.\n\n"
            "All 30 tests pass under `TZ=UTC` and under `TZ=Europe/Lisbon`. CI is running. Two older "
            "helpers in `berths/reports.py` still work with local time; I left them alone because "
            "nothing calls them at the moment."
        ),
    ),
)

SESSIONS = (
    _CHOOSING_A_QUEUE,
    _DOUBLE_BOOKING,
    _TIDYING_UP,
    _INTEGRATION_TESTS,
    _LEAVING_CELERY,
    _FAILING_PIPELINE,
)
