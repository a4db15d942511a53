"""A store that several machines share: vectors are made once, and a machine without an index finds at once."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.place import Place
from lerim.context.projects import Projects
from lerim.context.records import Draft, Evidence, Primitive
from lerim.context.recovery import open_local
from lerim.search import from_store, index
from lerim.search.embeddings import Embedder
from lerim.search.index import Index
from lerim.search.search import Searcher, search
from lerim.storage.database import Database, Row, Transaction, Value
from lerim.storage.postgres import PostgresVectors

from ..postgres_server import MISSING, PostgresEngine, programs
from .test_index import Letters, add

pytestmark = pytest.mark.skipif(programs() == Path(), reason=MISSING)
WORDS = (
    "token",
    "cache",
    "queue",
    "retry",
    "budget",
    "schema",
    "index",
    "login",
    "deploy",
    "rollback",
    "page",
    "lease",
)


class Counting(Letters):
    """The same model, which notes what it was asked."""

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> np.ndarray:
        ASKED.extend(texts)
        return super().encode(texts, gist=gist)


ASKED: list[str] = []
MODEL = Counting("letters", "letters@1", Path())
ENGINE = PostgresEngine()


@pytest.fixture
def shared(home: Path) -> Iterator[Database]:
    ASKED.clear()
    with closing(ENGINE.open(home, "context")) as database:
        yield database
    ENGINE.done()


@pytest.fixture
def memory(shared: Database, home: Path, project_root: Path, clock) -> Iterator[Memory]:
    with closing(open_local(home)) as local:
        projects = Projects(shared, home, clock)
        scope = Scope(ScopeMode.PROJECT_ONLY, project_root, home)
        yield Memory(shared, local, scope, projects, projects.lay_out, clock)


@pytest.fixture
def second(memory: Memory, shared: Database, tmp_path: Path) -> Iterator[Place]:
    """The same project as another machine sees it, which has noted nothing yet."""
    with closing(open_local(tmp_path / "second")) as local:
        place = memory.target()
        yield Place(place.project, shared, local, tmp_path / "clone", place.store.clock)


def titles(place: Place, folder: Path, query: str, limit: int = 5) -> list[str]:
    class Only:
        """A memory of one place."""

        def places(self) -> list[Place]:
            return [place]

    hits = search(Only(), query, Filter(), limit, searcher=Searcher(MODEL, folder))  # type: ignore[arg-type]
    return [hit.kept.record.title for hit in hits]


def index_of(place: Place, folder: Path, model: Embedder = MODEL) -> Index:
    return Index.of(place.store.database, place.local, place.project.id, folder, model)


def test_what_one_machine_compared_no_other_compares_again(memory: Memory, second: Place, tmp_path: Path) -> None:
    add(memory.target(), "Tokens expire", "Cache pages for an hour")
    assert 2 == index_of(memory.target(), tmp_path / "first-index").embed()
    ASKED.clear()

    assert 2 == index_of(second, tmp_path / "second-index").embed()
    assert [] == ASKED


def test_a_text_that_changed_is_compared_anew(memory: Memory, second: Place, tmp_path: Path) -> None:
    record = add(memory.target(), "Tokens expire")[0]
    index_of(memory.target(), tmp_path / "first-index").embed()
    with memory.target().store.change("test", "changed") as change:
        change.revise(record.id, title="Sessions last a day")
    ASKED.clear()

    index_of(second, tmp_path / "second-index").embed()
    assert 1 == len(ASKED)
    assert "Sessions last a day" in ASKED[0]


def test_a_machine_without_an_index_finds_what_the_others_find(
    memory: Memory, second: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(5)
    add(memory.target(), *(" ".join(chance.sample(WORDS, 4)) for _ in range(300)), "Zebras never deploy on Friday")
    index_of(memory.target(), tmp_path / "first-index").write_terms()
    index_of(memory.target(), tmp_path / "first-index").embed()
    questions = ["zebra deploys", *(" ".join(chance.sample(WORDS, 2)) for _ in range(20))]
    expected = [titles(memory.target(), tmp_path / "first-index", question) for question in questions]
    monkeypatch.setattr(index, "_FAR_BEHIND", 100)

    found = [titles(second, tmp_path / "second-index", question) for question in questions]

    assert not (tmp_path / "second-index").exists()
    assert "Zebras never deploy on Friday" == found[0][0]
    same = [len(set(one) & set(other)) / len(other) for one, other in zip(found, expected, strict=True) if other]
    assert sum(same) / len(same) > 0.9


def test_small_words_of_a_question_do_not_decide_what_is_found(
    memory: Memory, second: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store does not count them, and what nobody has would be worth most."""
    chance, small = random.Random(6), ("what", "is", "it", "that", "we", "do", "the", "about", "with", "our")
    said = [chance.sample(WORDS, 3) + chance.sample(small, chance.randrange(6)) for _ in range(200)]
    add(memory.target(), *(" ".join(chance.sample(words, len(words))) for words in said))
    index_of(memory.target(), tmp_path / "first-index").write_terms()
    index_of(memory.target(), tmp_path / "first-index").embed()
    questions = [f"what is it that we do about the {' '.join(chance.sample(WORDS, 2))}" for _ in range(20)]
    expected = [titles(memory.target(), tmp_path / "first-index", question) for question in questions]
    monkeypatch.setattr(index, "_FAR_BEHIND", 100)

    found = [titles(second, tmp_path / "second-index", question) for question in questions]

    same = [len(set(one) & set(other)) / len(other) for one, other in zip(found, expected, strict=True) if other]
    assert sum(same) / len(same) > 0.9


def test_what_stands_beside_a_good_match_in_its_session_is_looked_at(memory: Memory, second: Place) -> None:
    """A short answer is found by the question before it."""
    place = memory.target()
    drafts = [
        Draft(Primitive.DECISION, f"Said {line}", "Words", evidence=(Evidence("claude", run, line, line),))
        for run in ("one", "other")
        for line in range(1, 8)
    ]
    with place.store.change("test", "added") as change:
        change.create_all([draft.record(place.store.clock()) for draft in drafts])

    with second.store.read() as snapshot:
        sql = "SELECT seq FROM records WHERE first_run = ? AND first_line = ?"
        seqs = [snapshot.tx.rows(sql, ("one", line))[0][0] for line in range(1, 8)]
        found = from_store._beside(snapshot.tx, second.project.id, [seqs[3], seqs[6]])

    assert {seqs[1], seqs[2], seqs[4], seqs[5]} == found


def test_a_common_word_proposes_nothing_where_another_is_rarer() -> None:
    """To rank all that hold it would take longer than somebody who searches waits."""
    assert ["lease"] == from_store._telling({"token": 20_000, "lease": 3, "the": 0})
    assert ["queue", "token"] == from_store._telling({"token": 20_000, "queue": 5000, "cache": 20_000})


def test_what_is_asked_for_is_found_out_once_and_not_for_every_record(second: Place) -> None:
    match = second.store.database.match(["token"], every=True)
    with second.store.read() as snapshot:
        plan = snapshot.tx.rows(f"EXPLAIN SELECT r.seq FROM {match.source} WHERE {match.where}", (match.value,))

    assert "asked_words" not in str(plan)
    assert "'token'" in str(plan)


def test_the_nearest_are_found_by_the_graph(second: Place) -> None:
    """Of one project, too, although the graph knows all of them."""
    kept, asked = PostgresVectors(second.project.id, "any@1"), list[str]()

    class Explaining:
        def __init__(self, tx: Transaction) -> None:
            self.run = tx.run
            self._tx = tx

        def rows(self, sql: str, values: Sequence[Value]) -> list[Row]:
            self._tx.run("SET LOCAL enable_sort = off")  # Of no vectors at all, whatever way is the same to it.
            asked.extend(row[0] for row in self._tx.rows(f"EXPLAIN {sql}", values))
            return []

    with second.store.read() as snapshot:
        kept.nearest(Explaining(snapshot.tx), [0.05] * 384, 200)  # type: ignore[arg-type]

    assert "Index Scan using vectors_by_meaning" in str(asked)
    assert "Order By" in str(asked)


def test_nothing_is_found_of_another_project(memory: Memory, second: Place, tmp_path: Path) -> None:
    """However near it is in meaning: the vectors of all projects lie in one table."""
    add(memory.target(), "Tokens expire")
    index_of(memory.target(), tmp_path / "first-index").embed()
    kept = memory.target().store.database.vectors("prj-other", MODEL.key)

    assert kept is not None
    with memory.target().store.read() as snapshot:
        assert [] == kept.nearest(snapshot.tx, MODEL.encode(["Tokens expire"])[0].tolist(), 10)


def test_the_graph_of_the_model_that_comes_with_lerim_finds_the_nearest(memory: Memory) -> None:
    """With 384 numbers each, vectors are found by pgvector's index, those of one project among others'."""
    place, dice = memory.target(), np.random.default_rng(3)
    records = add(place, *(f"Memory {number}" for number in range(300)))
    made = dice.normal(size=(len(records), 384)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    kept = place.store.database.vectors(place.project.id, "model@1")
    assert kept is not None
    with place.store.change("test", "vectors") as change:
        seqs = [change.row_of(record.id)[0] for record in records]
        kept.keep(change.tx, [(seq, b"x", row.tolist()) for seq, row in zip(seqs, made, strict=True)])

    with place.store.read() as snapshot:
        found = kept.nearest(snapshot.tx, made[7].tolist(), 10)

    nearest = [seqs[at] for at in np.argsort(-(made @ made[7]))[:10]]
    assert seqs[7] == found[0]
    assert len(set(nearest) & set(found)) >= 8
