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
from lerim.search.segment import number
from lerim.storage.database import Database, KeptText, StoreQuestion, Transaction
from lerim.storage.postgres_vectors import PostgresVectors

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


@pytest.mark.drill
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
        Draft(
            Primitive.DECISION,
            "Unusual" if (run, line) == ("one", 4) else f"Said {line}",
            "Words",
            evidence=(Evidence("claude", run, line, line),),
        )
        for run in ("one", "other")
        for line in range(1, 8)
    ]
    with place.store.change("test", "added") as change:
        change.create_all([draft.record(place.store.clock()) for draft in drafts])

    kept = second.store.database.vectors(second.project.id, MODEL.key)
    assert kept is not None
    with second.store.read() as snapshot:
        sql = "SELECT seq FROM records WHERE first_run = ? AND first_line = ?"
        seqs = [snapshot.tx.rows(sql, ("one", line))[0][0] for line in range(1, 8)]
        asked = StoreQuestion({"unusual": 1.0}, [0.1] * 32, "TRUE", [], 200, 40)
        found = {one.seq: one for one in kept.proposed(snapshot.tx, asked)}

    # Two on each side; and each with what stands beside it, the nearest first.
    assert {*seqs[1:6]} == found.keys()
    assert ([seqs[2], seqs[1]], [seqs[4], seqs[5]]) == (found[seqs[3]].before, found[seqs[3]].after)
    assert ([seqs[0]], [seqs[2], seqs[3]]) == (found[seqs[1]].before, found[seqs[1]].after)


def test_a_common_word_proposes_nothing_where_another_is_rarer() -> None:
    """To rank all that hold it would take longer than somebody who searches waits."""
    assert ["lease"] == from_store._telling({"token": 20_000, "lease": 3, "the": 0})
    assert ["queue", "token"] == from_store._telling({"token": 20_000, "queue": 5000, "cache": 20_000})


def scans(tx: Transaction, name: str) -> int:
    """How often an index was asked in this transaction."""
    row = tx.row("SELECT pg_stat_get_xact_numscans(to_regclass(?))", (name,))
    assert row is not None
    return int(row[0])


def test_words_are_looked_up_and_no_record_is_read_for_them(memory: Memory, second: Place) -> None:
    add(memory.target(), *(f"Tokens of number {number} expire" for number in range(50)), "Leases end")
    database = second.store.database
    with second.store.read() as snapshot:
        tx = snapshot.tx
        tx.run("SET LOCAL enable_seqscan = off")  # Of so few records, whatever way is the same to it.
        before = scans(tx, "records_by_words")
        found = snapshot.matching(database.match(["leases"], every=True, of=second.project.id), Filter(), 10)
        held = database.held(tx, ["tokens", "lease", "zebra", "number expire"], second.project.id, 20)
        asked = scans(tx, "records_by_words") - before

    assert ["Leases end"] == [record.title for record, _ in found]
    # Counted up to a limit, with endings taken off; a phrase only where its words stand side by side.
    assert {"tokens": 20, "lease": 1, "zebra": 0, "number expire": 0} == held
    assert 5 == asked


def test_the_nearest_are_found_by_the_graph_where_there_are_many(memory: Memory, second: Place) -> None:
    """Of one project, too, although the graph knows all of them. Of few, each one is compared."""
    keep_made_up(memory.target(), 30)
    kept = PostgresVectors(second.project.id, "model@1")

    with second.store.read() as snapshot:
        tx = snapshot.tx
        tx.run("SET LOCAL enable_sort = off")  # As above.
        few = kept.nearest(tx, [0.05] * 384, 5)
        exact = scans(tx, "vectors_by_meaning")
        tx.run("SET LOCAL lerim.few_vectors = 20")
        many = kept.nearest(tx, [0.05] * 384, 5)
        by_graph = scans(tx, "vectors_by_meaning")

    assert (0, 1) == (exact, by_graph)
    assert 5 == len(few) == len(set(few) & set(many))


def test_nothing_is_found_of_another_project(memory: Memory, second: Place, tmp_path: Path) -> None:
    """However near it is in meaning: the vectors of all projects lie in one table."""
    add(memory.target(), "Tokens expire")
    index_of(memory.target(), tmp_path / "first-index").embed()
    kept = memory.target().store.database.vectors("prj-other", MODEL.key)

    assert kept is not None
    with memory.target().store.read() as snapshot:
        assert [] == kept.nearest(snapshot.tx, MODEL.encode(["Tokens expire"])[0].tolist(), 10)


@pytest.mark.parametrize("few", [10_000, 100])
def test_the_nearest_of_the_model_that_comes_with_lerim_are_found(memory: Memory, few: int) -> None:
    """With 384 numbers each: one by one, and by pgvector's index."""
    place = memory.target()
    seqs, made = keep_made_up(place, 300)
    kept = PostgresVectors(place.project.id, "model@1")

    with place.store.read() as snapshot:
        snapshot.tx.run(f"SET LOCAL lerim.few_vectors = {few}")
        found = kept.nearest(snapshot.tx, made[7].tolist(), 10)

    nearest = [seqs[at] for at in np.argsort(-(made @ made[7]))[:10]]
    assert seqs[7] == found[0]
    assert len(set(nearest) & set(found)) >= 8


def keep_made_up(place: Place, count: int) -> tuple[list[int], np.ndarray]:
    """Records with vectors of 384 numbers each: their rows, and the vectors."""
    records = add(place, *(f"Memory {number}" for number in range(count)))
    made = np.random.default_rng(3).normal(size=(count, 384)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    with place.store.change("test", "vectors") as change:
        seqs = [change.row_of(record.id)[0] for record in records]
        texts = [KeptText(seq, 1, b"x", row.tolist(), b"") for seq, row in zip(seqs, made, strict=True)]
        PostgresVectors(place.project.id, "model@1").keep(change.tx, texts)
    return seqs, made


def test_what_a_record_says_is_read_again_only_when_it_changed(memory: Memory, second: Place, tmp_path: Path) -> None:
    """Its terms are kept with its vector. A new tag leaves the vector as it is, a new text does not."""
    same, tagged, revised = add(memory.target(), "Tokens expire", "Leases end", "Pages turn")
    index_of(memory.target(), tmp_path / "first-index").embed()
    with memory.target().store.change("test", "changed") as change:
        seqs = [change.row_of(record.id)[0] for record in (same, tagged, revised)]
        change.revise(tagged.id, tags=("queue",))
        change.revise(revised.id, title="Books close")
    kept = second.store.database.vectors(second.project.id, MODEL.key)

    assert kept is not None
    with second.store.read() as snapshot:
        said = {one.seq: one for one in kept.said(snapshot.tx, seqs)}

    assert [True, False, False] == [said[seq].terms is not None for seq in seqs]
    with second.store.read() as snapshot:
        made = kept.made(snapshot.tx, seqs)
    assert [True, True, False] == [made[seq].digest == from_store._digest(said[seq]) for seq in seqs]
    assert number("queue") in from_store._terms(said[seqs[1]])
    assert number("token") in from_store._terms(said[seqs[0]])


def test_records_are_counted_as_they_come_and_go(memory: Memory, second: Place) -> None:
    kept = PostgresVectors(second.project.id, "model@1")
    add(memory.target(), "Tokens expire", "Leases end", "Pages turn")
    with pytest.raises(RuntimeError), memory.target().store.change("test", "not at all") as change:
        change.create_all([Draft(Primitive.DECISION, "Books", "close").record(second.store.clock())])
        raise RuntimeError
    with second.store.change("test", "gone") as change:
        assert 3 == kept.size(change.tx)
        change.tx.run("DELETE FROM records WHERE title = 'Pages turn'")
        assert 2 == kept.size(change.tx)
        assert 0 == PostgresVectors("prj-other", "model@1").size(change.tx)


def test_vectors_of_a_store_from_before_get_their_terms(memory: Memory, second: Place, tmp_path: Path) -> None:
    """From the first machine that makes an index of its own."""
    add(memory.target(), "Tokens expire", "Leases end")
    index_of(memory.target(), tmp_path / "first-index").embed()
    with memory.target().store.change("test", "as before") as change:
        change.tx.run("DELETE FROM record_terms")
    ASKED.clear()

    index_of(second, tmp_path / "second-index").embed()

    with second.store.read() as snapshot:
        assert [(2,)] == snapshot.tx.rows("SELECT count(*) FROM record_terms")
    assert [] == ASKED


def test_the_ranking_is_that_of_a_machine_with_an_index(
    memory: Memory, second: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions, dates and tags count, and whatever changed since others made their vectors."""
    place, chance = memory.target(), random.Random(8)
    drafts = [
        Draft(
            Primitive.DECISION,
            " ".join(chance.sample(WORDS, 3)),
            " ".join(chance.choices(WORDS, k=chance.randrange(3, 40))),
            tags=(chance.choice(WORDS),) if chance.random() < 0.3 else (),
            evidence=(Evidence("claude", f"run-{at // 6}", at % 6 + 1, at % 6 + 1),),
        )
        for at in range(240)
    ]
    with place.store.change("test", "added") as change:
        records = [draft.record(place.store.clock()) for draft in drafts]
        change.create_all(records)
    mine = index_of(place, tmp_path / "first-index")
    mine.embed()
    with place.store.change("test", "changed") as change:
        for record in records[::9]:
            change.revise(record.id, body=" ".join(chance.sample(WORDS, 5)))
        for record in records[1::9]:
            change.archive(record.id)
    mine.write_terms()
    mine.embed()
    # Rare words are counted as the index counts them: so the order is the same, not only what is found.
    questions = [f"{' '.join(chance.sample(WORDS, 3))} on 2026-01-01" for _ in range(25)]
    expected = [titles(place, tmp_path / "first-index", question, 10) for question in questions]
    monkeypatch.setattr(index, "_FAR_BEHIND", 0)

    found = [titles(second, tmp_path / "second-index", question, 10) for question in questions]

    assert all(expected)
    assert sum(one[0] == other[0] for one, other in zip(found, expected, strict=True)) >= 24
    same = [len(set(one) & set(other)) / len(other) for one, other in zip(found, expected, strict=True)]
    assert sum(same) / len(same) > 0.95
