"""Which records are held against each other, and which few of them are read a second time."""

from __future__ import annotations

from collections import Counter

from lerim.context.standing import ruled
from lerim.curate import neighbors
from lerim.curate.bearings import judged
from lerim.curate.due import due_records
from lerim.curate.neighbors import Vicinity
from lerim.search.embeddings import BUNDLED, find_embedder
from lerim.search.search import Searcher

TOLD = (
    "Nightly backups of the orders database go to S3",
    "Backups of the orders database are encrypted with the team's key",
    "Restoring an orders database backup takes 40 minutes",
    "The orders database backup runs at 02:00",
    "A backup of the orders database is kept for 30 days",
    "Backups of the orders database are tested every month",
    "The backup job of the orders database alerts on failure",
    "The orders database is backed up with pgBackRest",
)


def test_of_many_that_lie_near_the_closest_few_are_read_twice(desk, tmp_path):
    """However many records a memory has, what is new costs the model as little."""
    for title in TOLD:
        desk.say(title)
    searcher = Searcher(find_embedder(tmp_path, enabled=True, model=BUNDLED), tmp_path / "index")
    due = due_records(desk.place, desk.clock(), None, {})

    clusters = Vicinity(desk.place, searcher).clusters(due.changed)

    pairs = [pair for cluster in clusters for pair in cluster.pairs]
    close = Counter(record.id for pair in pairs if pair.is_close for record in (pair.one, pair.two))
    assert len(pairs) > 2 * len(TOLD)
    assert len(TOLD) == len(close), "each has something close"
    assert sum(close.values()) <= 2 * 2 * len(TOLD)
    assert any(not pair.is_close for pair in pairs)
    assert max(pairs, key=lambda pair: pair.nearness).is_close


def test_of_a_whole_memory_the_nearest_pairs_alone_are_close(desk, tmp_path, monkeypatch):
    """The first look at many records takes no longer than people wait."""
    monkeypatch.setattr(neighbors, "_MOST_CLOSE", 5)
    for title in TOLD:
        desk.say(title)
    searcher = Searcher(find_embedder(tmp_path, enabled=True, model=BUNDLED), tmp_path / "index")

    clusters = Vicinity(desk.place, searcher).clusters(due_records(desk.place, desk.clock(), None, {}).changed)

    pairs = [pair for cluster in clusters for pair in cluster.pairs]
    close = sorted(pair.nearness for pair in pairs if pair.is_close)
    assert 5 == len(close)
    assert close[-1] == max(pair.nearness for pair in pairs)


def test_without_vectors_nothing_is_close(desk):
    for title in TOLD:
        desk.say(title)

    clusters = Vicinity(desk.place, None).clusters(due_records(desk.place, desk.clock(), None, {}).changed)

    assert clusters and not any(pair.is_close for cluster in clusters for pair in cluster.pairs)


def test_what_is_not_close_is_judged_by_the_rules_and_what_they_replace_is_read_all_the_same(desk):
    earlier = desk.say("Never push to main", days=30)
    in_other_words = desk.say("It's fine to commit directly on the trunk these days")
    denied = desk.say("It's fine to push to main now")

    assert judged(in_other_words, earlier).bearing.replaces
    assert ruled(in_other_words, earlier) == judged(in_other_words, earlier, is_close=False)
    assert judged(denied, earlier) == judged(denied, earlier, is_close=False)
    assert judged(denied, earlier, is_close=False).replaces
