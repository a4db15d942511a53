"""The index: what changed is found at once, files are replaced whole, and all of it comes back from the records."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from lerim.context import upkeep
from lerim.context.filters import Filter
from lerim.context.place import Place
from lerim.context.records import Draft, Evidence, Primitive, Record
from lerim.search import arrays, index, vectors
from lerim.search.embeddings import Embedder, NoEmbedder
from lerim.search.health import IndexState, check_index
from lerim.search.hybrid import Query, Ranking
from lerim.search.index import Index
from lerim.storage.database import Database


class Letters(Embedder):
    """A model whose vectors count letters: quick, and near for texts that look alike."""

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> np.ndarray:
        counts = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
        padded = np.concatenate([counts, np.full((len(texts), 6), 0.1)], axis=1).astype(np.float32)
        return padded / np.linalg.norm(padded, axis=1, keepdims=True)


LETTERS = Letters("letters", "letters@1", Path())
OTHERS = Letters("others", "others@1", Path())
NONE = NoEmbedder("none", "fix")


@pytest.fixture
def folder(home: Path) -> Path:
    return home / "index" / "search"


@pytest.fixture
def here(database: Database, local: Database, place: Place, folder: Path) -> Index:
    return Index(database, local, place.project.id, folder, LETTERS)


def add(place: Place, *titles: str, run: str | None = None) -> list[Record]:
    """Memories in one change; with a run, one after the other in its session."""
    made = []
    with place.store.change("test", "added") as change:
        for line, title in enumerate(titles, 1):
            evidence = (Evidence("claude", run, line, line),) if run else ()
            draft = Draft(Primitive.DECISION, title, evidence=evidence)
            made.append(change.create(draft.record(place.store.clock())))
    return made


def found(here: Index, query: str) -> list[str]:
    """The titles of what is found, best first."""
    question = Query(query, LETTERS.encode([query])[0])
    with here.reading() as opened:
        return [record.title for record, _ in opened.fetch(Ranking(opened.view, question).best(50), Filter())]


def contents(here: Index, database: Database) -> list[tuple[int, list[int], list[float]]]:
    """All that the index holds, whichever file it is in."""
    with here.reading() as opened:
        held = {}
        for segment in opened.view.segments:
            for at, seq in enumerate(segment.seqs.tolist()):
                start, end = segment.token_starts[at : at + 2].tolist()
                held[seq] = (seq, segment.tokens[start:end].tolist(), [float(segment.lengths[at])])
        return sorted(held.values())


# Freshness


def test_what_was_just_written_is_found(here: Index, place: Place) -> None:
    """Before anything is put into a file, and after."""
    add(place, "Tokens expire after a while")

    before = found(here, "token expiry")
    here.write_terms()

    assert ["Tokens expire after a while"] == before == found(here, "token expiry")


def test_a_changed_record_is_found_by_what_it_says_now(here: Index, place: Place) -> None:
    """The older text stands in a file still, and finds nothing."""
    record = add(place, "Use JWT")[0]
    here.write_terms()
    here.embed()

    with place.store.change("test", "changed") as change:
        change.revise(record.id, title="Prefer sessions")

    assert ["Prefer sessions"] == found(here, "sessions")
    assert "Use JWT" not in found(here, "JWT")


def test_a_vector_of_an_older_text_does_not_count(here: Index, place: Place) -> None:
    """Until the new text has one, its meaning is not known."""
    record = add(place, "zzz zzz")[0]
    here.embed()
    here.write_terms()
    with place.store.change("test", "changed") as change:
        change.revise(record.id, title="aaa aaa")
    question = Query("zzz aaa", LETTERS.encode(["zzz"])[0])

    with here.reading() as opened:
        parts = [parts for _, parts in opened.fetch(Ranking(opened.view, question).best(50), Filter())]

    assert [None] == [part.meaning for part in parts]


def test_another_status_needs_no_new_vector(here: Index, place: Place) -> None:
    """Archiving changes what holds, not what is said."""
    record = add(place, "Use JWT")[0]
    here.embed()

    with place.store.change("test", "archived") as change:
        change.archive(record.id)

    assert 0 == here.embed()


# Files


def test_files_stay_few(here: Index, place: Place, folder: Path) -> None:
    """However often something is added, small files become one."""
    for number in range(40):
        add(place, f"memory number {number}")
        here.write_terms()

    assert len(list(folder.iterdir())) <= 6
    assert 40 == len(found(here, "memory number"))


def test_a_file_that_is_gone_is_made_again(here: Index, place: Place, folder: Path) -> None:
    """Somebody cleared the folder: the next search notices, and finds everything."""
    add(place, "Tokens expire", "Caches do not")
    here.write_terms()
    here.embed()
    here._mapped.clear()
    for file in folder.iterdir():
        file.unlink()

    assert ["Tokens expire"] == found(here, "token expire")[:1]


def test_a_damaged_file_is_made_again(here: Index, place: Place, folder: Path) -> None:
    """A file that holds something else is not believed."""
    add(place, "Tokens expire")
    here.write_terms()
    here._mapped.clear()
    for file in folder.iterdir():
        file.write_bytes(b"garbage")

    assert ["Tokens expire"] == found(here, "tokens")


@pytest.mark.parametrize("first", ["search", "write"])
def test_a_file_of_an_older_version_is_made_again(here: Index, place: Place, folder: Path, first: str) -> None:
    """Its terms may be other ones. Whether the next thing that happens is a search or a new record."""
    add(place, "Tokens expire")
    here.write_terms()
    here._mapped.clear()
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes().replace(b"lerim-arrays-2", b"lerim-arrays-1", 1))
    add(place, "Caches do not")

    if first == "write":
        here.write_terms()

    assert ["Tokens expire"] == found(here, "tokens")
    assert ["Caches do not"] == found(here, "caches")


def test_the_index_comes_back_from_the_records(here: Index, place: Place, database: Database, local: Database) -> None:
    """Written bit by bit or rebuilt: it holds the same."""
    for number in range(5):
        add(place, *(f"step {number} of {other}" for other in range(20)), run=f"run-{number}")
        here.write_terms()
    bit_by_bit = contents(here, database)

    here.forget()
    here.write_terms()

    assert bit_by_bit == contents(here, database)


def test_arrays_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What was written is read back, and a write that fails leaves what was there."""
    path = tmp_path / "some.arrays"
    arrays.write(path, {"one": np.arange(7), "none": np.empty((0, 3), np.float32)})

    class Broken(dict):  # type: ignore[type-arg]
        def values(self):  # type: ignore[no-untyped-def]
            yield np.arange(3)
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        arrays.write(path, Broken(one=np.arange(3)))

    assert [0, 1, 2, 3, 4, 5, 6] == arrays.read(path)["one"].tolist()
    assert (0, 3) == arrays.read(path)["none"].shape
    assert [path] == list(tmp_path.iterdir())


def test_leftovers_are_swept_away(here: Index, place: Place, database: Database, local: Database, folder: Path) -> None:
    """What a crash left goes after an hour; what counts, and what may be about to, stays."""
    add(place, "one")
    here.write_terms()
    for name, age in (("old.arrays", 7200), ("young.arrays", 0)):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (time.time() - age,) * 2)
    before = {file.name for file in folder.iterdir()}

    assert 1 == index.sweep(local, folder, datetime.now(UTC))
    assert {"old.arrays"} == before - {file.name for file in folder.iterdir()}


def test_a_reset_forgets_the_index_too(here: Index, place: Place, home: Path) -> None:
    """Row numbers are given again: an old file must not speak for a new record."""
    add(place, "Tokens expire")
    here.write_terms()
    upkeep.reset(place, None)

    add(place, "Caches do not")

    assert ["Caches do not"] == found(here, "caches tokens expire")


# Sessions


def test_a_short_record_is_found_by_what_stands_beside_it(here: Index, place: Place) -> None:
    """In a session, the answer seldom repeats the question's words."""
    add(place, "What about the payment gateway?", "Yes, Friday.", "Lunch was fine.", run="one")
    add(place, "Yes, Sunday.", "Nothing else.", run="two")

    answers = found(here, "payment gateway")

    assert "Yes, Friday." in answers
    assert "Yes, Sunday." not in answers


def test_a_record_that_comes_later_into_a_session_changes_its_neighbors(here: Index, place: Place) -> None:
    """Its neighbors are written again with it."""
    first = add(place, "Yes, Friday.", run="one")[0]
    here.write_terms()
    with place.store.change("test", "added") as change:
        later = Draft(Primitive.DECISION, "The payment gateway", evidence=(Evidence("claude", "one", 9, 9),))
        change.create(later.record(place.store.clock()))

    here.write_terms()

    with here.reading() as opened:
        assert 1 == len(opened.view.segments)
        ranked = Ranking(opened.view, Query("gateway", None)).best(9)
        held = {record.title: parts for record, parts in opened.fetch(ranked, Filter())}
    assert held[first.title].words > 0
    assert held[first.title].coverage == 0


# Vectors


def test_vectors_are_made_in_pieces_and_go_on_where_they_stopped(here: Index, place: Place) -> None:
    """Told to stop after the first piece; the next time only the rest is made."""
    add(place, *(f"memory {number}" for number in range(100)))
    answers = iter([False, True])

    first = here.embed(lambda: next(answers))

    assert 0 < first < 100
    assert 100 - first == here.embed()
    assert 0 == here.embed()


def test_another_model_makes_vectors_of_its_own(
    here: Index, place: Place, database: Database, local: Database, folder: Path
) -> None:
    """Search goes on meanwhile, and vectors of the two never meet; going back needs no second making."""
    add(place, "Tokens expire", "Caches do not")
    here.embed()
    other = Index(database, local, place.project.id, folder, OTHERS)

    with other.reading() as opened:
        assert 0 == sum(map(len, opened.view.packs))
    assert IndexState.WARMING is check_index(database, local, OTHERS).state
    assert 2 == other.embed()
    assert IndexState.FRESH is check_index(database, local, OTHERS).state
    assert 0 == here.embed()


def test_the_nearest_are_found_through_cells() -> None:
    """In a large pack only a few cells are looked into; nearly all of the true nearest are in them."""
    dice = np.random.default_rng(1)
    centers = dice.standard_normal((60, 32))
    made = centers[dice.integers(0, 60, 6000)] + 0.3 * dice.standard_normal((6000, 32))
    made = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    pack = vectors.pack(range(6000), [vectors.to_blob(vector) for vector in made])
    assert len(pack.centers)
    shares = []
    for query in made[:40]:
        true = set(np.argsort(-(made @ query))[:10].tolist())
        shares.append(len(true & set(vectors.nearest([pack], query, 10)[0].tolist())) / 10)

    assert np.mean(shares) > 0.95


def test_a_byte_a_number_is_enough() -> None:
    """Cosines change in the third place."""
    dice = np.random.default_rng(2)
    made = dice.standard_normal((50, 384)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    pack = vectors.pack(range(50), [vectors.to_blob(vector) for vector in made])

    assert np.abs(pack.cosines(made[0], pack.places(np.arange(50))) - made @ made[0]).max() < 0.005


# Processes

_WORKER = """
import sys
sys.path[:0] = sys.argv[1].split(":")
from pathlib import Path
from test_index import LETTERS
from lerim.search.index import Index
from lerim.storage.database import Database
from lerim.storage.engine import open_database
database, local = open_database(Path(sys.argv[2]), "context"), open_database(Path(sys.argv[3]), "local")
index = Index(database, local, sys.argv[4], Path(sys.argv[5]), LETTERS)
print("ready", flush=True)
sys.stdin.readline()
index.write_terms()
index.embed()
"""


def worker(database: Database, place: Place, folder: Path) -> subprocess.Popen[str]:
    paths = ":".join([str(Path(index.__file__).parents[2]), str(Path(__file__).parent)])
    where = [database.location, place.local.location]
    argv = [sys.executable, "-c", _WORKER, paths, *where, place.project.id, str(folder)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "ready\n" == process.stdout.readline()
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.drill
def test_two_processes_may_index_at_once(
    here: Index, place: Place, database: Database, local: Database, folder: Path
) -> None:
    """Both do the work, one of them counts, and nothing is there twice."""
    add(place, *(f"memory {number}" for number in range(300)))
    both = [worker(database, place, folder) for _ in range(2)]
    for process in both:
        go(process)
    for process in both:
        process.communicate()
        assert 0 == process.returncode

    assert 300 == len(set(_all(here)))
    health = check_index(database, local, LETTERS)
    assert (300, 0, 0, IndexState.FRESH) == (health.embedded, health.missing, health.lag, health.state)


@pytest.mark.drill
def test_a_killed_process_loses_nothing(
    here: Index, place: Place, database: Database, local: Database, folder: Path
) -> None:
    """Killed at random moments; whoever comes next finishes."""
    add(place, *(f"memory {number}" for number in range(200)))
    dice = random.Random(3)
    for _ in range(4):
        process = worker(database, place, folder)
        go(process)
        try:
            process.wait(dice.random() / 5)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()

    here.write_terms()
    here.embed()

    assert 200 == len(set(_all(here)))
    assert IndexState.FRESH is check_index(database, local, LETTERS).state


def _all(here: Index) -> list[str]:
    question = Query("memory", LETTERS.encode(["memory"])[0])
    with here.reading() as opened:
        return [record.id for record, _ in opened.fetch(Ranking(opened.view, question).best(1000), Filter())]


# Health


def test_health_counts_what_is_there_and_what_is_missing(
    here: Index, place: Place, database: Database, local: Database
) -> None:
    """Warming until every record has its vector, then fresh."""
    add(place, "one", "two", "three")
    before = check_index(database, local, LETTERS)

    here.write_terms()
    here.embed()
    after = check_index(database, local, LETTERS)

    assert (3, 3, 0, 3, 3, IndexState.WARMING) == (
        *(before.records, before.fts, before.embedded, before.missing, before.lag, before.state),
    )
    assert "lerim index" == before.fix
    assert replace(before, embedded=3, missing=0, lag=0, fix=None, state=IndexState.FRESH) == after


def test_without_a_model_the_index_is_degraded(place: Place, database: Database, local: Database) -> None:
    """The reason and the command that changes it are part of the answer."""
    add(place, "one")

    health = check_index(database, local, NONE)

    assert (IndexState.DEGRADED, "none", "fix") == (health.state, health.reason, health.fix)


def test_a_text_index_that_lost_rows_is_stale(place: Place, database: Database, local: Database) -> None:
    """Somebody emptied it: rebuilding is what helps."""
    add(place, "one")
    with database.write() as tx:
        tx.run("INSERT INTO records_fts (records_fts) VALUES ('delete-all')")

    health = check_index(database, local, LETTERS)

    assert IndexState.STALE is health.state
    assert "rebuild" in str(health.fix)


def test_files_are_for_their_owner_only(here: Index, place: Place, folder: Path) -> None:
    """Conversations end up in it."""
    add(place, "one")
    here.write_terms()

    assert 0o700 == os.stat(folder).st_mode & 0o777
