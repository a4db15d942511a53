"""An answer that somebody else writes: only what the cited records say is shown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from lerim.answer.crossing import crossed
from lerim.answer.grounds import Claim, Grounds, unsupported_part
from lerim.context.place import Kept
from lerim.context.records import Draft, Primitive

RECORD = """Keep orders in PostgreSQL 16
MySQL had no partial indexes. Tokens expire after 15 minutes.
Never deploy on Fridays; use Redis, not RabbitMQ, for queues."""
DAYS = "2026-03-01, 1 March 2026"
NOW = datetime(2026, 3, 1, tzinfo=UTC)

Script = Callable[[str, Grounds], list[Claim]]


def writes(*claims: tuple[str, str]) -> Script:
    """A writer that says this, whatever is asked."""
    return lambda question, grounds: [Claim(text, (record_id,)) for text, record_id in claims]


def nobody(question: str, grounds: Grounds) -> list[Claim]:
    raise AssertionError("nobody was to be asked")


# --- what is supported, and what not ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "Orders are in PostgreSQL.",
        "In PostgreSQL.",
        "Orders are kept in PostgreSQL 16 because MySQL lacked partial indexes.",
        "PostgreSQL 16 replaced MySQL since MySQL had no partial indexes.",
        "Currently, orders are in Postgres.",
        "Tokens expire after fifteen minutes.",
        "Token expiry is 15 minutes.",
        "Deploying on Fridays is forbidden.",
        "RabbitMQ is not used for queues.",
        "Use Redis rather than RabbitMQ for queues.",
        "On 2026-03-01 orders moved to PostgreSQL.",
        "Orders are in PostgreSQL since 1 March 2026.",
    ],
)
def test_a_sentence_in_other_words_is_supported(sentence: str) -> None:
    """Endings, order, numbers in words, and what became of a record are the writer's own."""
    assert unsupported_part(sentence, [RECORD], days=DAYS) is None


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Orders are in Oracle.", "Oracle"),
        ("Oracle keeps orders in partial indexes.", "Oracle"),
        ("Orders are in PostgreSQL. The CEO insists.", "CEO"),
        ("Orders are kept in PostgreSQL 17.", "17"),
        ("Tokens expire after 20 minutes.", "20"),
        ("Tokens expire after sixteen minutes.", "16"),
        ("On 2026-04-01 orders moved to PostgreSQL.", "4"),
        ("PostgreSQL was chosen because elephants are lucky.", "elephants"),
        ("Orders are kept in PostgreSQL 16 and it is cheap.", "cheap"),
        ("Buttons are blue.", "Buttons"),
        ("Yes.", "by itself"),
    ],
)
def test_what_no_record_says_is_named(sentence: str, why: str) -> None:
    """A name, a number or a clause that does not stand there; a number of something else is no such number."""
    assert why in (unsupported_part(sentence, [RECORD], days=DAYS) or "")


@pytest.mark.parametrize(
    "sentence", ["Use RabbitMQ for queues.", "Deploy on Fridays.", "MySQL had partial indexes.", "Redis is not used."]
)
def test_the_opposite_is_not_supported(sentence: str) -> None:
    """The words are all there; what they say is not."""
    assert "opposite" in (unsupported_part(sentence, [RECORD]) or "")


DEPLOY = "Deploy with Kamal to two Hetzner boxes\nFly had three outages in May. Kamal is boring and runs over SSH."
LIMIT = "The public API is rate limited to 60 requests a minute\nPer key, in the proxy. Partners get 600."
COOKIES = "Auth uses session cookies, not JWT\nJWTs could not be revoked after the leak. Sessions live in Postgres."
NODE = "Node 22 is the minimum version\nNode 20 lost fetch keep-alive fixes. CI runs 22 and 24."


@pytest.mark.parametrize(
    ("record", "sentence", "supported"),
    [
        (DEPLOY, "Kamal runs over SSH.", True),
        (DEPLOY, "Hetzner runs over SSH and is boring.", False),
        (DEPLOY, "You deploy with Fly.", False),
        (LIMIT, "Partners get 600 requests a minute.", True),
        (LIMIT, "Partners get 60 requests a minute.", False),
        (COOKIES, "JWTs could not be revoked after the leak.", True),
        (COOKIES, "Session cookies could not be revoked after the leak.", False),
        (NODE, "CI runs Node 22 and 24.", True),
        (NODE, "CI runs Node 20 and 22.", False),
    ],
)
def test_what_is_said_of_one_thing_is_not_said_of_another(record: str, sentence: str, supported: bool) -> None:
    """Each word and each number stands in the record; what they are said of is another thing."""
    assert supported == ((unsupported_part(sentence, [record]) or crossed(sentence, record)) is None)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("We don't log tokens", "We don’t log tokens."),
        ("We don’t log tokens", "We don't log tokens."),
        ("MySQL had no partial indexes", "It is noted that “MySQL had no partial indexes”."),
        ("The gateway says “try again”", 'The gateway says "try again".'),
        ("Wait 5-10 seconds...", "“Wait 5–10 seconds…”"),
        ("Deploy - then migrate", "“Deploy — then migrate”"),
    ],
)
def test_typographic_marks_do_not_make_a_quote_false(text: str, sentence: str) -> None:
    """Quotes, apostrophes, dashes and dots are written in more than one way."""
    assert unsupported_part(sentence, [text]) is None


def test_a_quote_stands_word_for_word() -> None:
    """Between quotation marks, nothing is left out."""
    assert "word for word" in (unsupported_part('It is noted that "MySQL had no indexes".', [RECORD]) or "")


# --- answers ----------------------------------------------------------------------------------------------------------


def test_a_writers_sentences_carry_their_ids(ask: Any, keep: Any) -> None:
    """Its words, our citations, each once."""
    kept = keep("Keep orders in PostgreSQL 16", "MySQL had no partial indexes.")

    answer = ask(
        "Where do we keep orders?", writer=writes((f"Orders are in PostgreSQL [{kept.record.id}].", kept.record.id))
    )

    assert f"Orders are in PostgreSQL [{kept.record.id}]." == answer.text
    assert [kept.record.id] == [source.record.id for source in answer.sources]


def test_an_invented_sentence_is_left_out_although_its_id_is_real(ask: Any, keep: Any) -> None:
    """What holds of the answer is kept; `explained` says what was left out, and why."""
    kept = keep("Keep orders in PostgreSQL 16", "MySQL had no partial indexes.")
    writer = writes(("Orders are in PostgreSQL.", kept.record.id), ("Backups run every night.", kept.record.id))

    answer = ask("Where do we keep orders?", writer=writer)

    assert f"Orders are in PostgreSQL [{kept.record.id}]." == answer.text
    assert any("left out: Backups run every night." in line for line in answer.explained())


@pytest.mark.parametrize("text", ["Orders are in Oracle.", "Orders are in PostgreSQL, see dec-invented."])
def test_an_answer_of_which_nothing_holds_is_told_in_the_records_words(ask: Any, keep: Any, text: str) -> None:
    """Invented, or citing what is not there, in its ids or in its text: it is left out, and that is said."""
    kept = keep("Keep orders in PostgreSQL 16")

    for record_id in (kept.record.id, "dec-invented"):
        answer = ask("Where do we keep orders?", writer=writes((text, record_id)))

        assert f"Keep orders in PostgreSQL 16 [{kept.record.id}]." == answer.text
        assert [text in left_out for left_out in answer.dropped] == [True]


def test_what_a_writer_invents_where_nothing_answers_is_no_answer(ask: Any, keep: Any) -> None:
    """There are no words of records to fall back on."""
    kept = keep("Keep orders in PostgreSQL 16")

    answer = ask("Which port does the gateway listen on?", writer=writes(("On port 8080.", kept.record.id)))

    assert (False, ()) == (answer.supported, answer.sources)
    assert "Nothing in memory answers this." == answer.text


def test_a_writer_may_find_no_answer(ask: Any, keep: Any) -> None:
    """No sentences: nothing in memory answers it."""
    keep("Keep orders in PostgreSQL 16")

    answer = ask("Where do we keep orders?", writer=writes())

    assert (False, ()) == (answer.supported, answer.sources)
    assert answer.text.startswith("Nothing in memory answers this")


def test_what_was_replaced_is_marked_as_replaced(ask: Any, keep: Any, memory: Any) -> None:
    """Whatever the writer makes of it: a sentence that rests on what holds no more says so."""
    old, new = keep("Keep orders in MySQL 8"), keep("Keep orders in PostgreSQL 16")
    memory.supersede(old, new, reason="moved")

    answer = ask("Where do we keep orders?", writer=writes(("Orders are in MySQL.", old.record.id)))

    assert f"Orders are in MySQL [{old.record.id}] (replaced" in answer.text
    assert f"by [{new.record.id}])." in answer.text


def test_what_was_put_away_cannot_be_cited(ask: Any, keep: Any, memory: Any) -> None:
    """Although a writer found it."""
    keep("Keep orders in PostgreSQL 16")
    gone = keep("Keep invoices in MongoDB")
    memory.archive(gone, reason="gone")

    def writer(question: str, grounds: Grounds) -> list[Claim]:
        grounds.add([memory.find(gone.record.id)])
        return [Claim("Invoices are in MongoDB.", (gone.record.id,))]

    assert "MongoDB" not in ask("Where do we keep orders?", writer=writer).text


@pytest.mark.parametrize(
    "question", ["How many decisions do we have?", "List all decisions", "When did we choose PostgreSQL for orders?"]
)
def test_what_is_exact_is_not_left_to_a_writer(ask: Any, keep: Any, question: str) -> None:
    """Counts, lists and dates are read off the store."""
    keep("Keep orders in PostgreSQL 16")

    answer = ask(question, writer=nobody)

    assert answer.supported
    assert answer.text == ask(question).text


def test_a_follow_up_reaches_the_writer_on_its_own_feet(ask: Any, keep: Any) -> None:
    """What "and why?" means is decided before anybody writes."""
    keep("Keep orders in PostgreSQL 16", "MySQL had no partial indexes.")
    asked: list[str] = []

    def writer(question: str, grounds: Grounds) -> list[Claim]:
        asked.append(question)
        return []

    first = ask("Where do we keep orders?")
    ask("and why?", history=[first.turn], writer=writer)

    assert ["why: Keep orders in PostgreSQL 16?"] == asked


# --- words that stand there, put together otherwise -------------------------------------------------------------------

MAILS = (
    "Use Celery with Redis for mails",
    "We need retries. RabbitMQ was rejected because nobody runs it. Jobs time out after 30 seconds.",
)
DEPLOYS = ("Deploy from CI only", "Deploys run on Tuesdays. Never deploy by hand from a laptop.")
BOOKINGS = ("Use Postgres 16 for bookings", "SQLite locked under load. Backups are kept for 14 days.")


def judged(text, *cited):
    """What is wrong with a sentence that cites records, all of which were retrieved."""
    records = [Draft(Primitive.DECISION, *one).record(NOW) for one in (MAILS, DEPLOYS, BOOKINGS)]
    grounds = Grounds([])
    grounds.add(Kept(record, None) for record in records)
    ids = [record.id for record in records for title, _ in cited if record.title == title]
    return grounds.problem(Claim(text, tuple(ids)))


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (MAILS, "We do not use Celery with Redis for mails."),
        (MAILS, "Mails no longer use Celery."),
        (MAILS, "Stop using Celery with Redis for mails."),
        (MAILS, "RabbitMQ was chosen because nobody runs it."),
        (MAILS, "Use Celery, Redis and RabbitMQ for mails."),
        (MAILS, "Everybody runs RabbitMQ."),
        (MAILS, "Use only Redis for mails."),
        (MAILS, "Use Redis instead of Celery for mails."),
        (MAILS, "Should we use Celery?"),
        (MAILS, "Jobs time out after 60 seconds."),
        (MAILS, "Jobs time out after 30 minutes."),
        (MAILS, "Jobs time out before 30 seconds."),
        (MAILS, "Jobs are retried 30 times."),
        (MAILS, "Use Celery with Redis because RabbitMQ is slow."),
        (MAILS, "Anna decided to use Celery with Redis."),
        (DEPLOYS, "You may deploy by hand from a laptop."),
        (DEPLOYS, "Deploy not only from CI."),
        (DEPLOYS, "Deploy from CI only, except on Tuesdays."),
        (DEPLOYS, "All deploys must always run on Tuesdays."),
        (DEPLOYS, "Deploys run on Mondays."),
        (BOOKINGS, "Avoid Postgres 16 for bookings."),
        (BOOKINGS, "SQLite is used for bookings."),
        (BOOKINGS, "Postgres locked under load."),
        (BOOKINGS, "Use Postgres 14 for bookings and keep backups 16 days."),
        (BOOKINGS, "Backups were made 14 days ago."),
        (BOOKINGS, "Backups are kept for at least 14 days."),
        # The wrong record.
        (DEPLOYS, "Use Celery with Redis for mails."),
        (BOOKINGS, "Deploys run on Tuesdays."),
    ],
)
def test_words_of_a_record_that_say_something_else_are_refused(record, text):
    """Denied, counted otherwise, said of another thing, bounded otherwise, or of another record."""
    assert judged(text, record) is not None


@pytest.mark.parametrize(
    ("records", "text"),
    [
        ((MAILS, DEPLOYS), "Deploys time out after 30 seconds."),
        ((MAILS, DEPLOYS), "Never use Celery by hand."),
        ((MAILS, DEPLOYS), "Celery runs on Tuesdays."),
        ((MAILS, DEPLOYS), "Deploy from CI only because we need retries."),
        ((MAILS, BOOKINGS), "Mails use Postgres 16."),
        ((MAILS, BOOKINGS), "Jobs are kept for 14 days."),
        ((MAILS, BOOKINGS), "Redis locked under load."),
        ((MAILS, BOOKINGS), "Use Celery with Redis for mails because SQLite locked under load."),
        ((DEPLOYS, BOOKINGS), "Backups run on Tuesdays."),
        ((DEPLOYS, BOOKINGS), "Never use SQLite."),
    ],
)
def test_facts_of_two_records_make_no_third(records, text):
    """Each word stands in one of them; what it says stands in none."""
    assert judged(text, *records) is not None


@pytest.mark.parametrize(
    ("records", "text"),
    [
        ((MAILS,), "Mails use Celery with Redis, because we need retries."),
        ((MAILS,), "RabbitMQ was rejected because nobody runs it."),
        ((MAILS,), "RabbitMQ was not chosen."),
        ((DEPLOYS,), "Deploys run on Tuesdays, from CI only."),
        ((DEPLOYS,), "Don't deploy from a laptop by hand."),
        ((BOOKINGS,), "Postgres 16 is used for bookings since SQLite locked under load."),
        ((MAILS, DEPLOYS), "Mails use Celery with Redis, and deploys run on Tuesdays."),
        ((MAILS, BOOKINGS), "Use Celery with Redis for mails and Postgres 16 for bookings."),
        ((MAILS, DEPLOYS), "Deploys run on Tuesdays."),
    ],
)
def test_what_records_say_may_be_said_side_by_side(records, text):
    """In other words, in another order, two records in one sentence."""
    assert judged(text, *records) is None
