"""Search: by words and by meaning, with what holds, what is asked for, and nothing when nothing has to do with it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Kept
from lerim.context.records import Draft, Evidence, Kind, Primitive, Record, Status, Trust
from lerim.dataclass import replace
from lerim.errors import UsageError
from lerim.search.embeddings import Embedder, NoEmbedder, find_embedder
from lerim.search.ranking import Parts
from lerim.search.search import Hit, Searcher, search
from lerim.service import Lerim

ACTIVE = Filter()
MEMORIES = {
    "Use JWT bearer tokens for API auth": "Short expiry of 15 minutes, refresh tokens in httpOnly cookies.",
    "pytest hangs without -p no:cacheprovider": "The cache folder is on NFS.",
    "Deploys go out on Tuesdays only": "On-call is thin on other days.",
    "Redis holds sessions, not Postgres": "Reads were too slow under load.",
    "Migrations must be reversible": "Every schema change ships with its way back.",
}


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    found = find_embedder(tmp_path_factory.mktemp("home"), enabled=True, model="")
    assert isinstance(found, Embedder)
    return found


class Seeker:
    """Asks the memory, by meaning or by words alone."""

    def __init__(self, memory: Memory, embedder: Embedder | NoEmbedder, folder: Path) -> None:
        self.memory = memory
        self.searcher = Searcher(embedder, folder)

    def hits(self, query: str, wanted: Filter = ACTIVE, limit: int = 10, as_of: datetime | None = None) -> list[Hit]:
        return search(self.memory, query, wanted, limit, searcher=self.searcher, as_of=as_of)

    def __call__(
        self, query: str, wanted: Filter = ACTIVE, limit: int = 10, as_of: datetime | None = None
    ) -> list[str]:
        return [hit.kept.record.title for hit in self.hits(query, wanted, limit, as_of)]


@pytest.fixture
def seek(memory: Memory, embedder: Embedder, home: Path) -> Seeker:
    return Seeker(memory, embedder, home / "index")


@pytest.fixture
def by_words(memory: Memory, home: Path) -> Seeker:
    return Seeker(memory, NoEmbedder("none", "fix"), home / "index")


@pytest.fixture
def filled(memory: Memory) -> list[Kept]:
    return [remember(memory, title, body) for title, body in MEMORIES.items()]


def remember(memory: Memory, title: str, body: str = "", **fields: Any) -> Kept:
    return memory.add(Draft(Primitive.DECISION, title, body, **fields))


# What is found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how do users authenticate?", "Use JWT bearer tokens for API auth"),
        ("which weekday do we release?", "Deploys go out on Tuesdays only"),
        ("slow database reads", "Redis holds sessions, not Postgres"),
        ("can we roll back a database upgrade", "Migrations must be reversible"),
        ("cacheprovider", "pytest hangs without -p no:cacheprovider"),
        ("httponly", "Use JWT bearer tokens for API auth"),
        ("only cookie", "Use JWT bearer tokens for API auth"),
    ],
)
def test_a_question_finds_its_answer(filled: list[Kept], seek: Seeker, question: str, expected: str) -> None:
    """By what it means where no word is shared, and by a word or a piece of a name where it is."""
    assert [expected] == seek(question)[:1]


@pytest.mark.parametrize(
    "nonsense", ["xylophone", "asdf qwerty zxcv", "how do I bake sourdough bread", "who won the world cup", "mongolia"]
)
def test_nonsense_finds_nothing(filled: list[Kept], seek: Seeker, nonsense: str) -> None:
    """There is always a best record; being the best is not enough."""
    assert [] == seek(nonsense)


def test_of_a_long_line_the_sentence_that_matches_is_shown(memory: Memory, seek: Seeker) -> None:
    """It may stand at the end, and the beginning says nothing of what was asked."""
    long = "The importer was moved to a queue, with three workers and a table for what fails. " * 3
    memory.add(Draft(Primitive.DECISION, "Work on the shop", f"{long}Refunds of gift cards go back to the card."))

    [hit, *_] = seek.hits("refund of a gift card")

    assert "Refunds of gift cards go back to the card." in hit.excerpt


def test_a_query_without_words_is_refused(seek: Seeker) -> None:
    """With an example of one that has some."""
    with pytest.raises(UsageError):
        seek("?!")


def test_small_words_alone_are_words(memory: Memory, seek: Seeker) -> None:
    """Somebody may look for `the who`."""
    remember(memory, "The Who", "A band.")

    assert ["The Who"] == seek("the who")


def test_a_memory_is_found_in_its_script(memory: Memory, seek: Seeker) -> None:
    """Chinese has no spaces between words."""
    remember(memory, "数据库迁移必须可逆", "每次更改")

    assert ["数据库迁移必须可逆"] == seek("迁移")


def test_replaced_and_archived_memories_stay_out(memory: Memory, filled: list[Kept], seek: Seeker) -> None:
    """Unless they are asked for."""
    tokens, redis = filled[0], filled[3]
    newer = remember(memory, "Use opaque session tokens for API auth")
    memory.supersede(tokens, newer, reason="changed")
    memory.archive(redis, reason="old")

    assert tokens.record.title not in seek("API auth tokens")
    assert newer.record.title == seek("API auth tokens")[0]
    assert redis.record.title not in seek("redis sessions")
    assert tokens.record.title in seek("API auth tokens", Filter(statuses=()))
    assert [redis.record.title] == seek("redis sessions", Filter(statuses=(Status.ARCHIVED,)))


def test_the_project_comes_before_the_global_memory(memory: Memory, seek: Seeker) -> None:
    """Whatever the scores say."""
    memory.add(Draft(Primitive.DECISION, "Tokens expire after 15 minutes"), "global")
    remember(memory, "A note on tokens")

    assert ["A note on tokens", "Tokens expire after 15 minutes"] == seek("when do tokens expire?")


def test_at_most_so_many_are_given(filled: list[Kept], seek: Seeker) -> None:
    """The best of them."""
    assert seek("tokens and sessions in redis")[:1] == seek("tokens and sessions in redis", limit=1)


# Filters


def test_filters_choose_among_the_matches(memory: Memory, seek: Seeker, clock: Any) -> None:
    """By primitive, kind, tag, date, agent and session; all of them at once, too."""
    early = remember(memory, "Tokens are opaque", tags=("auth",))
    clock.tick(days=10)
    cited = Evidence("claude", "run-1", 3, 4, "tokens")
    late = memory.add(
        Draft(Primitive.LEARNING, "Tokens leak into logs", kind=Kind.PITFALL, tags=("auth", "logs"), evidence=(cited,))
    )
    titles = {"early": early.record.title, "late": late.record.title}

    assert [titles["late"]] == seek("tokens", Filter(primitive=Primitive.LEARNING))
    assert [titles["late"]] == seek("tokens", Filter(kind=Kind.PITFALL))
    assert [titles["late"]] == seek("tokens", Filter(tags=("logs", "auth")))
    assert [titles["late"]] == seek("tokens", Filter(since=clock.now))
    assert [titles["early"]] == seek("tokens", Filter(until=early.record.updated))
    assert [titles["late"]] == seek("tokens", Filter(agent="claude"))
    assert [] == seek("tokens", Filter(agent="codex"))
    assert [titles["late"]] == seek("tokens", Filter(sessions={("claude", "run-1")}))
    assert [] == seek("tokens", Filter(sessions={("claude", "run-2")}))
    assert [] == seek("tokens", Filter(sessions=frozenset()))
    assert [titles["late"]] == seek("tokens", Filter(kind=Kind.PITFALL, agent="claude", tags=("logs",)))


def test_a_filter_means_the_same_on_a_record_and_in_the_database(memory: Memory, seek: Seeker, clock: Any) -> None:
    """As of now, both ways of asking take the same records."""
    remember(memory, "Tokens one", evidence=(Evidence("claude", "a", 1, 1),))
    remember(memory, "Tokens two", evidence=(Evidence("codex", "b", 1, 1), Evidence("claude", "c", 1, 1)))
    remember(memory, "Tokens three")
    for wanted in (
        Filter(agent="claude"),
        Filter(agent="codex"),
        Filter(sessions={("claude", "c"), ("claude", "a")}),
        Filter(agent="claude", sessions={("codex", "b")}),
    ):
        assert sorted(seek("tokens", wanted)) == sorted(seek("tokens", wanted, as_of=clock.now))


def test_a_rare_tag_is_found_among_many(memory: Memory, seek: Seeker) -> None:
    """However far down the list its records are."""
    with memory.target().change("test", "many") as change:
        for number in range(300):
            change.create(Draft(Primitive.DECISION, f"Token rule {number} of tokens").record(memory._clock()))
    remember(memory, "A token at last", "among many other things", tags=("rare",))

    assert ["A token at last"] == seek("token", Filter(tags=("rare",)))


# As of


def test_the_memory_can_be_asked_as_it_stood(memory: Memory, seek: Seeker, by_words: Seeker, clock: Any) -> None:
    """What was replaced since is found as it held then; what came later is not."""
    old = remember(memory, "Use JWT bearer tokens for API auth")
    then = clock.now
    clock.tick(days=30)
    new = remember(memory, "Use opaque session tokens for API auth")
    memory.supersede(old, new, reason="changed")

    assert [old.record.title] == seek("API auth tokens", as_of=then) == by_words("API auth tokens", as_of=then)
    assert [new.record.title] == seek("API auth tokens", as_of=clock.now)
    assert [] == seek("API auth tokens", as_of=datetime(2020, 1, 1, tzinfo=UTC))


def test_an_older_text_is_found_by_its_own_words(memory: Memory, seek: Seeker, clock: Any) -> None:
    """The index knows today's text; the past is read from its versions."""
    kept = remember(memory, "The queue is RabbitMQ")
    then = clock.now
    clock.tick(days=1)
    memory.revise(kept, reason="moved", title="The queue is Kafka")

    assert ["The queue is RabbitMQ"] == seek("rabbitmq", as_of=then)
    assert "rabbitmq" in seek.hits("rabbitmq", as_of=then)[0].words
    assert "The queue is RabbitMQ" not in seek("rabbitmq")


# What speaks for a record


def test_the_users_own_words_come_first(memory: Memory, seek: Seeker) -> None:
    """Of two that say the same, the one that the user said."""
    for trust in (Trust.AGENT, Trust.USER):
        remember(memory, "Tokens expire after 15 minutes", str(trust), trust=trust)

    assert ["user", "agent"] == [hit.kept.record.body for hit in seek.hits("token expiry")]


def test_a_named_date_counts(memory: Memory, seek: Seeker, clock: Any) -> None:
    """The record of that month comes before one that says the same at another time."""
    for _ in range(3):
        remember(memory, "We moved the release")
        clock.tick(days=31)

    assert 3 == seek.hits("which release did we move in March 2026?")[0].kept.record.created.month


def test_the_parts_of_a_score_add_up_and_are_explained(filled: list[Kept], seek: Seeker) -> None:
    """Nothing speaks for a record that is not explained."""
    hit = seek.hits("bearer tokens")[0]

    assert hit.parts is not None
    assert pytest.approx(hit.parts.score) == sum(worth for _, worth in hit.parts.worths())
    assert len([worth for _, worth in hit.parts.worths() if worth]) + 1 == len(hit.explained())
    assert "matched bearer, tokens" in hit.why


def test_a_record_without_a_vector_is_found_by_its_words() -> None:
    """While its vector is being made it is taken as neither near nor far."""
    unknown, near, far = (Parts(words=5.0, coverage=1.0, meaning=meaning) for meaning in (None, 0.6, 0.0))

    assert far.score < unknown.score < near.score
    assert unknown.relevance > 0.35


# Without a model


def test_without_a_model_search_is_by_words(filled: list[Kept], by_words: Seeker) -> None:
    """All of the words first, then any; nothing fails."""
    assert ["Use JWT bearer tokens for API auth"] == by_words("bearer tokens")
    assert [] == by_words("authenticate")
    assert [] == by_words("xylophone")


# The Python interface


def test_three_lines_of_python_are_enough(tmp_path: Path) -> None:
    """Build it, remember, ask."""
    with Lerim(tmp_path, env={"HOME": str(tmp_path), "LERIM_HOME": str(tmp_path / "home")}) as lerim:
        lerim.memory.add(Draft(Primitive.DECISION, "Use JWT bearer tokens"))
        hits = lerim.search("how do we authenticate?")

    assert ["Use JWT bearer tokens"] == [hit.kept.record.title for hit in hits]


def test_a_summary_is_found_by_its_agent(memory: Memory, seek: Seeker) -> None:
    """It names the session it sums up itself, and cites nothing."""
    record = Record(
        *("sum-abcdefghij", Primitive.SUMMARY, "Token work", "We moved the tokens.", memory._clock(), memory._clock()),
        coding_agent="codex",
        run_id="r1",
        date="2026-02-20",
        time="10:30:00",
    )
    with memory.target().change("test", "summed up") as change:
        change.create(record)

    assert ["Token work"] == seek("tokens", Filter(agent="codex"))
    assert ["Token work"] == seek("tokens", Filter(sessions={("codex", "r1")}))
    assert [] == seek("tokens", Filter(agent="claude"))


@pytest.mark.usefixtures("filled")
def test_every_hit_says_why_it_is_shown(seek: Seeker) -> None:
    """What nothing can be said for is not shown, even where there is room for it."""
    hits = seek.hits("migrations")

    assert "Migrations must be reversible" == hits[0].kept.record.title
    assert all(hit.why for hit in hits)


def test_a_letter_inside_a_word_is_no_match(memory: Memory, seek: Seeker) -> None:
    """A unit of the question stands in every second word."""
    remember(memory, "Outcomes are reported each morning", "The chart shows them.")

    [hit, *_] = seek.hits("utc h outcome reports")

    assert {"outcome", "reports"} == set(hit.words)


def test_what_has_the_name_that_was_typed_comes_first(memory: Memory, seek: Seeker) -> None:
    """A symbol or a file is meant as it stands."""
    remember(memory, "Retry limits of the parser are read at startup", "The parser reads its retry limits once.")
    named = remember(memory, "parse_retry() owns the limits", "Nobody else counts.")

    assert named.record.title == seek("parser retry limits parse_retry")[0]


def test_a_summary_comes_behind_what_holds_and_fits_as_well(memory: Memory, seek: Seeker) -> None:
    """It tells again what its session decided."""
    said = "Deploys of the portal go out on Tuesdays"
    summary = Draft(Primitive.SUMMARY, said, f"{said}.").record(memory._clock())
    with memory.target().change("test", "summed up") as change:
        change.create(replace(summary, coding_agent="codex", run_id="r1"))
    remember(memory, f"{said} only", "On-call is thin on other days.")

    assert [f"{said} only", said] == seek("deploys of the portal on tuesdays")
