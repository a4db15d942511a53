"""Whether a record answers a question, or is only about the same subject."""

from __future__ import annotations

import pytest

from lerim.answer.focus import Asked, find_focus, names_in
from lerim.answer.kindred import is_meant
from lerim.answer.support import MatchedText, ParsedQuestion, is_named, judge
from lerim.search.terms import terms

BACKUP = "Back up the database to Hetzner every night\nFull on Sundays, since a restore took three hours."


@pytest.mark.parametrize(
    ("question", "asked", "nouns"),
    [
        ("Why JWT?", Asked.REASON, ()),
        ("Who owns the gateway?", Asked.PERSON, ()),
        ("How often is it backed up?", Asked.TIME, ()),
        ("When does it run?", Asked.TIME, ()),
        ("What happens when it fails?", Asked.ANYTHING, ()),
        ("What is the price of a seat?", Asked.MONEY, ()),
        ("What is the sleep budget for rev B?", Asked.THING, ("budget",)),
        ("How many replicas does it have?", Asked.NUMBER, ("replicas",)),
        ("Which version of Kotlin do we need?", Asked.NUMBER, ("version",)),
        ("Which port does it listen on?", Asked.NUMBER, ("port",)),
        ("What is the color of the button?", Asked.THING, ("color",)),
        ("Which tool do we use?", Asked.THING, ("tool",)),
        ("What checks our images?", Asked.ANYTHING, ()),
        ("How do we split services?", Asked.ANYTHING, ()),
        ("How do we deploy?", Asked.COMMAND, ()),
        ("how do i run the tests", Asked.COMMAND, ()),
        ("Who said we should leave Heroku?", Asked.SPEAKER, ()),
        ("what caused the outage", Asked.REASON, ()),
        ("what made us leave Heroku", Asked.REASON, ()),
        ("How long do tokens live?", Asked.DURATION, ()),
        ("How did the double booking happen?", Asked.REASON, ()),
        ("Which date library do we use?", Asked.THING, ("library",)),
        ("What time zone are reports in?", Asked.THING, ("zone",)),
        ("which day picker did we choose", Asked.THING, ("picker",)),
        ("Which hour is the backup at?", Asked.TIME, ()),
        ("when does the weekly discount start", Asked.TIME, ()),
        ("Which package writes our logs?", Asked.THING, ("package", "writes")),
        ("What went wrong with Rabbit?", Asked.REASON, ()),
    ],
)
def test_what_is_asked_for(question: str, asked: Asked, nouns: tuple[str, ...]) -> None:
    """The sort of thing, and the noun it goes by."""
    focus = find_focus(question)

    assert (asked, nouns) == (focus.asked, focus.nouns)


def test_names_are_what_a_question_cannot_do_without() -> None:
    """Capitals and digits, but not the first word of the sentence, nor `I`."""
    assert ["Kafka", "S3", "iPhone"] == names_in("Why can I not use Kafka, S3 or an iPhone?")


@pytest.mark.parametrize(
    ("question", "supported"),
    [
        ("Where do we back up the database?", True),
        ("How often do we back up the database?", True),
        ("Do we back up the database to Azure?", False),
        ("Who backs up the database?", False),
        ("Which port does the database back up to?", False),
    ],
)
def test_a_record_must_have_what_is_asked_for(question: str, supported: bool) -> None:
    """The same nearness, and yet no answer when a name or the asked-for thing is missing."""
    verdict = judge(ParsedQuestion(question, find_focus(question)), MatchedText(BACKUP, 0.5, 0.5))

    assert supported == verdict.supported


def test_a_name_may_be_written_shorter() -> None:
    """Postgres is PostgreSQL."""
    question = ParsedQuestion("Why Postgres?", find_focus("Why Postgres?"))

    assert judge(question, MatchedText("Keep orders in PostgreSQL, since it has partial indexes", 0.5)).supported


def test_without_a_meaning_the_words_decide() -> None:
    """Half of the telling words must be there."""
    question = ParsedQuestion("Where do nightly backups go?", find_focus("Where do nightly backups go?"))

    assert judge(question, MatchedText("Nightly backups lie in a bucket")).supported
    assert not judge(question, MatchedText("Nightly builds are slow")).supported


def test_how_long_wants_a_duration() -> None:
    """That something happens twice is none."""
    question = ParsedQuestion("How long do webhooks live?", find_focus("How long do webhooks live?"))

    assert not judge(question, MatchedText("Webhooks arrive twice", 0.6)).supported
    assert judge(question, MatchedText("Webhooks live for three days", 0.6)).supported


def test_why_one_thing_wants_what_was_decided_of_it() -> None:
    """A record that only mentions it gives the reason for something else."""
    question = ParsedQuestion("why postgres", find_focus("why postgres"))

    assert not judge(question, MatchedText("Search uses Meilisearch\nPostgres could not rank typos.", 0.6)).supported
    assert judge(question, MatchedText("Keep orders in Postgres\nIt has partial indexes.", 0.6)).supported


@pytest.mark.parametrize(
    ("question", "text", "holds"),
    [
        ("Where are exports kept?", "Exports are kept in a bucket", True),
        ("Where are exports kept?", "Analysts get exports; one stopped the invoices in June", False),
        ("Who leads the carrier team?", "Adapters need a review by the carrier team", False),
        ("Who reviews adapters?", "Adapters need a review by the carrier team", True),
        ("How many approvals does a change need?", "Changes stay under 400 lines", False),
        ("How many calls may a shop make?", "Each shop may send 120 requests a minute", True),
        ("Which tool schedules shifts?", "Shifts change each Wednesday at ten", False),
        ("Which tool checks addresses?", "Addresses are checked with libpostal", True),
        ("Which version of Python do we run?", "Its parser is 30,000 lines of Python", False),
        ("Which migration adds the constraint?", "Changed `migrations/0012_no_overlap.sql`", True),
        ("How often is a mail retried?", "The task keeps its five retries", True),
        ("When does the weekly discount start?", "Fix the weekly discount", False),
        ("How many reminders do we send?", "How many reminders we send before we suspend: three, on day 3 and 7", True),
        ("How many reminders do we send?", "How many seats we sell: three", False),
        ("How long do we keep invoices?", "Never deploy on the 1st, that's invoice run day", False),
        ("How long do we keep invoices?", "Invoices are kept for ten years", True),
        ("How long is the session?", "Sessions live 30m", True),
        ("Who signs the release images?", "The key is on the yubikey of Marek", True),
    ],
)
def test_the_asked_for_thing_is_news(question: str, text: str, holds: bool) -> None:
    """A place, a person, a count or a name that the question does not say itself."""
    asked = ParsedQuestion(question, find_focus(question))

    assert holds == asked.focus.shows_in(text, asked.said)


@pytest.mark.parametrize(
    ("text", "told"),
    [("Bump to python 3.12 everywhere", True), ("Node 22 needs python", False), ("No python in 3 places", False)],
)
def test_a_number_behind_a_name_is_its_version(text: str, told: bool) -> None:
    asked = ParsedQuestion(question := "which python version do we use", find_focus(question))

    assert told == asked.focus.is_version_in(text, asked.terms)


@pytest.mark.parametrize(
    ("term", "text", "meant"),
    [
        ("merchant", "shop", True),
        ("database", "postgres", True),
        ("kafka", "rabbitmq", False),
        ("postgres", "database", False),
        ("color", "database", False),
    ],
)
def test_a_record_may_use_another_word(term: str, text: str, meant: bool) -> None:
    """One of a sort stands for it; the sort does not stand for one of it, nor one for another."""
    assert meant == is_meant(terms(term)[0], set(terms(text)))


@pytest.mark.parametrize(
    ("question", "supported"),
    [("Which package manager do we use?", True), ("Which linter do we use?", False), ("Who manages releases?", False)],
)
def test_one_of_a_sort_answers_which_one_it_is(question: str, supported: bool) -> None:
    """A record that names pnpm need not say that it is a package manager."""
    verdict = judge(ParsedQuestion(question, find_focus(question)), MatchedText("Use pnpm, never npm", 0.3))

    assert supported == verdict.supported


def test_several_of_a_short_name_are_named_by_one():
    """Who asks of GPUs means the GPU of a record."""
    assert is_named("GPUs", "GPU training runs on demand", set())
    assert not is_named("GPUs", "CPU training runs on demand", set())


@pytest.mark.parametrize(
    ("question", "text", "shows"),
    [
        ("How many retries do texts get?", "Retries are 5 now, the new provider bills none", True),
        ("How many retries do texts get?", "go, but retries max 3", True),
        ("How many retries do texts get?", "Retries take 5 minutes", False),
        ("How long can a text be?", "The provider cuts messages at 160 chars", True),
        ("How long can a text be?", "It delays creation until then", True),
        ("How long can a text be?", "Texts go out in the morning", False),
    ],
)
def test_a_number_may_stand_behind_what_it_counts(question: str, text: str, shows: bool) -> None:
    assert shows == find_focus(question).shows_in(text)
