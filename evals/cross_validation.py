"""Whether the ranking's weights hold where they were not chosen: each conversation left out in turn, then each half of
the conversations of a set, then each set.

What each part says of every row, for every question, is computed once by the real index. After that, weights are only
multiplied: hundreds of choices are tried in seconds. A choice is as good as the mean over all sets of what it finds:
the share of the rows asked for among the first ten; of a set of few rows, whether the first one is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from retrieve import by_scope, prepared, project_of, rows

from lerim import Lerim
from lerim.search.embeddings import Embedder
from lerim.search.hybrid import Query, Ranking
from lerim.search.index import Index
from lerim.search.ranking import UNKNOWN_NEARNESS, WEIGHTS, Parts, RankingWeights

#: Choices of weights, that of meaning given: only what they are to each other matters.
CHOICES = [
    RankingWeights(words, WEIGHTS.meaning, date, by_user)
    for words, date, by_user in product((0.0, 0.25, 0.35, 0.5, 0.7, 1.0), (0.0, 1.0, 2.0, 4.0), (0.0, 1.0, 2.0, 4.0))
]
_FEW_ROWS = 100
_FIRST = 10

Floats = NDArray[np.float64]


class Asked(NamedTuple):
    """A question of a conversation: which rows it asks for, and what speaks for each row."""

    bench: str
    scope: str
    gold: NDArray[np.bool_]
    parts: Floats


def validate(benches: Sequence[Path], folder: Path) -> None:
    """Print what is found with weights chosen on all of it, and with weights chosen on the rest."""
    asked = [question for bench in benches for question in gather(bench, folder / bench.name)]
    table = Table(asked)
    names = [bench.name for bench in benches]
    print(f"{'':34}{''.join(f'{name[:20]:>22}' for name in names)}{'mean':>8}")
    table.show("the weights that ship", names, lambda _: WEIGHTS)
    best = table.best(table.everything)
    table.show("chosen on all of it", names, lambda _: best)
    table.show("conversation left out", names, table.chosen_without(lambda question: (question.bench, question.scope)))
    table.show("half of a set left out", names, table.chosen_without(table.half))
    table.show("set left out", names, table.chosen_without(lambda question: question.bench))
    for part in RankingWeights._fields:
        table.show(f"as shipped, without {part}", names, lambda _, part=part: WEIGHTS._replace(**{part: 0.0}))
    print(f"chosen on all of it: {best}")


class Table:
    """What each choice of weights finds for each question."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.asked = asked
        self.found = {weights: self._found(weights) for weights in [*CHOICES, WEIGHTS]}
        self.benches = np.array([question.bench for question in asked])
        names = dict.fromkeys(self.benches.tolist())
        self.everything = np.ones(len(asked), np.bool_)
        self._scopes = {bench: list(dict.fromkeys(one.scope for one in asked if one.bench == bench)) for bench in names}

    def half(self, question: Asked) -> object:
        """A set and every other conversation of it."""
        return question.bench, self._scopes[question.bench].index(question.scope) % 2

    def best(self, among: NDArray[np.bool_]) -> RankingWeights:
        """The choice that finds most among some questions; every set counts the same."""
        return max(CHOICES, key=lambda weights: self._mean(self.found[weights], among))

    def chosen_without(self, group: Callable[[Asked], object]) -> Callable[[Asked], RankingWeights]:
        """The best choice for a question when nothing of its own group was looked at."""
        groups = [group(question) for question in self.asked]
        without = {one: self.best(np.array([other != one for other in groups])) for one in dict.fromkeys(groups)}
        return lambda question: without[group(question)]

    def show(self, title: str, names: Sequence[str], choose: Callable[[Asked], RankingWeights]) -> None:
        found = np.array([self._of(choose(question), place) for place, question in enumerate(self.asked)])
        figures = "".join(f"{found[self.benches == name].mean():22.3f}" for name in names)
        print(f"{title:34}{figures}{self._mean(found, self.everything):8.3f}")

    def _of(self, weights: RankingWeights, place: int) -> float:
        if weights not in self.found:
            self.found[weights] = self._found(weights)
        return float(self.found[weights][place])

    def _found(self, weights: RankingWeights) -> Floats:
        return np.array([_share(question, question.parts @ np.array(weights)) for question in self.asked])

    def _mean(self, found: Floats, among: NDArray[np.bool_]) -> float:
        here = self.benches[among]
        return float(np.mean([found[among][here == name].mean() for name in dict.fromkeys(here.tolist())]))


def _share(question: Asked, scores: Floats) -> float:
    first = np.argsort(-scores, kind="stable")
    if len(scores) < _FEW_ROWS:
        return float(question.gold[first[0]])
    return float(question.gold[first[:_FIRST]].sum() / question.gold.sum())


def gather(bench: Path, folder: Path) -> Iterator[Asked]:
    """Every question of a set, through the real index."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus, queries = by_scope(rows(bench / "corpus.jsonl")), by_scope(rows(bench / "queries.jsonl"))
    for number, (scope, statements) in enumerate(corpus.items()):
        root = project_of(folder, number)
        with Lerim(root, env={"HOME": str(folder), "LERIM_HOME": str(folder / "home")}) as lerim:
            names = prepared(lerim, root, statements, (), lexical=False)
            asked = [query for query in queries.get(scope, ()) if set(query["gold"]) & set(names.values())]
            for query, gold, parts in judged(lerim, names, asked):
                yield Asked(bench.name, scope, np.isin(gold, query["gold"]), np.array(parts))


def judged(lerim: Lerim, names: dict[str, str], asked: Sequence[dict]) -> Iterator[tuple[dict, list[str], list]]:
    """For each question the rows, and what speaks for each."""
    model, place = lerim.index.embedder, lerim.memory.places()[0]
    assert isinstance(model, Embedder), model
    index = Index.of(place.store.database, place.local, place.project.id, lerim.index.folder, model)
    vectors = model.encode([query["text"] for query in asked]) if asked else []
    with index.reading() as opened:
        sql = "SELECT seq, id FROM records WHERE project_id = ? ORDER BY seq"
        known = dict(opened.tx.rows(sql, (place.project.id,)))
        for query, vector in zip(asked, vectors, strict=True):
            ranked = list(Ranking(opened.view, Query(query["text"], vector)).among(np.array(list(known), np.int64)))
            yield query, [names[known[item.seq]] for item in ranked], [_row(item.parts) for item in ranked]


def _row(parts: Parts) -> tuple[float, ...]:
    near = UNKNOWN_NEARNESS if parts.meaning is None else parts.meaning
    return parts.words, near, parts.date, float(parts.by_user)
