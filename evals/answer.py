"""Does `lerim ask` answer what it can and abstain from what it cannot?

python evals/answer.py [OUT_JSON] [--words] [--fresh]

Fills a store with the memories of `answer_corpus.py` in the order of their dates, replacements included, asks every
question through the real search, and reports how often it abstained rightly. The rules were made with all of these in
sight: what they are worth says `--fresh`, whose answers nobody read. `--words` searches without a model.

Then the example sessions are taken in as `lerim sync` does, and the questions of `answer_examples.py` are asked. An
answer is good when it cites a record that answers, or says what it must and nothing that it must not, or is rightly
none; a sentence is unsupported when it has a word that no record it cites has. Fails when less than 80 % of these are
good, or less than 80 % of all, or any sentence is unsupported. `--fresh` asks the questions of `answer_fresh.py`
instead, with which nothing was tuned.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lerim import Lerim
from lerim.answer.pipeline import Answer, answer
from lerim.config.scope import Scope, ScopeMode
from lerim.context.filters import Filter
from lerim.context.memory import Memory
from lerim.context.projects import Projects
from lerim.context.records import Record, RecordId
from lerim.context.recovery import open_local, open_store
from lerim.examples import install
from lerim.search.embeddings import NoEmbedder, find_embedder
from lerim.search.search import Hit, Searcher, search
from lerim.search.terms import terms
from lerim.text.words import spelled

sys.path.insert(0, str(Path(__file__).parent))
from answer_corpus import ANSWERABLE, MEMORIES, UNANSWERABLE, Asked, Stored
from answer_examples import PROBES, Probe
from answer_fresh import FRESH_ANSWERABLE, FRESH_PROBES, FRESH_UNANSWERABLE

#: The shares of good answers below which this fails: to the examples, and to all.
GOOD, GOOD_OF_ALL = 0.8, 0.8
NOW = datetime(2026, 8, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Outcome:
    """One question, what was answered, and whether that was right."""

    question: str
    half: str
    answerable: bool
    answered: bool
    #: Whether a record that answers is among the sources.
    right: bool
    sources: tuple[str, ...]
    text: str
    #: Sentences with a word that no record they cite has.
    unsupported: tuple[str, ...]

    @property
    def good(self) -> bool:
        return self.right if self.answerable else not self.answered


@dataclass(frozen=True)
class Score:
    """Abstaining as a decision: how often it was right to, and how many of those to abstain from were caught."""

    questions: int
    abstention_precision: float
    abstention_recall: float
    #: Answerable questions that were answered, and those whose answer cites a record that answers.
    answered: float
    answered_rightly: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Score:
        can = [outcome for outcome in outcomes if outcome.answerable]
        cannot = [outcome for outcome in outcomes if not outcome.answerable]
        abstained = [outcome for outcome in outcomes if not outcome.answered]
        rightly = [outcome for outcome in abstained if not outcome.answerable]
        return cls(
            len(outcomes),
            _share(len(rightly), len(abstained)),
            _share(len(rightly), len(cannot)),
            _share(sum(outcome.answered for outcome in can), len(can)),
            _share(sum(outcome.right for outcome in can), len(can)),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", type=Path, help="where to write every outcome as JSON")
    parser.add_argument("--words", action="store_true", help="search without a model, by words alone")
    parser.add_argument("--fresh", action="store_true", help="ask what nothing was tuned with")
    args = parser.parse_args()
    questions = (FRESH_ANSWERABLE, FRESH_UNANSWERABLE) if args.fresh else (ANSWERABLE, UNANSWERABLE)
    probes = FRESH_PROBES if args.fresh else PROBES
    with tempfile.TemporaryDirectory() as folder, filled(Path(folder)) as memory:
        outcomes = ask_all(memory, Path(folder), questions, by_words=args.words)
    with tempfile.TemporaryDirectory() as folder:
        probed = ask_examples(Path(folder), probes, by_words=args.words)
    report = {
        half: asdict(Score.of([o for o in outcomes if half in (o.half, "all")]))
        for half in ("tuning", "held-out", "all")
    }
    report["examples"] = asdict(Score.of(probed))
    for half, score in report.items():
        print(f"{half:9}", *(f"{name} {value}" for name, value in score.items()))
    for outcome in (*outcomes, *probed):
        for sentence in outcome.unsupported:
            print("unsupported:", outcome.question, "->", sentence)
    outcomes += probed
    unsupported = sum(len(outcome.unsupported) for outcome in outcomes)
    good = _share(sum(outcome.good for outcome in outcomes), len(outcomes))
    of_examples = _share(sum(outcome.good for outcome in probed), len(probed))
    if args.out:
        payload: dict[str, Any] = {"scores": report, "outcomes": [asdict(outcome) for outcome in outcomes]}
        args.out.write_text(json.dumps(payload, indent=1), "utf-8")
    print(f"questions {len(outcomes)} good {good} of_examples {of_examples} unsupported {unsupported}")
    sys.exit(0 if of_examples >= GOOD and good >= GOOD_OF_ALL and not unsupported else 1)


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@contextmanager
def filled(folder: Path, memories: Sequence[Stored] = MEMORIES) -> Iterator[Memory]:
    """A project's memory with the corpus in it, each record made and each replacement done on its day."""
    home, root, clock = folder / "home", folder / "kestrel", Clock()
    home.mkdir()
    root.mkdir()
    database, local = open_store(home), open_local(home)
    try:
        projects = Projects(database, home, clock)
        scope = Scope(ScopeMode.PROJECT_ONLY, root, home)
        memory = Memory(database, local, scope, projects, projects.lay_out, clock)
        place = memory.target()
        for stored in sorted(memories, key=lambda item: item.date):
            clock.now = datetime.fromisoformat(f"{stored.date}T10:00:00+00:00")
            with place.store.change("person", "added by hand") as change:
                change.create(record_of(stored, clock.now))
                if stored.replaces:
                    change.supersede(stored.replaces, by=stored.id)
        clock.now = NOW
        yield memory
    finally:
        database.close()


def record_of(stored: Stored, day: datetime) -> Record:
    return Record(
        id=RecordId(stored.id),
        primitive=stored.primitive,
        title=stored.title,
        body=stored.body,
        created=day,
        updated=day,
        kind=stored.kind,
        tags=tuple(stored.tags.split()),
    )


def ask_all(memory: Memory, folder: Path, questions: Sequence[Sequence[Asked]], *, by_words: bool) -> list[Outcome]:
    embedder = find_embedder(folder, enabled=not by_words, model="")
    if isinstance(embedder, NoEmbedder) and not by_words:
        sys.exit(f"{embedder.reason}; try: {embedder.fix}, or --words")
    searcher = Searcher(embedder, folder / "index")

    def find(query: str, wanted: Filter, limit: int, *, as_of: datetime | None = None) -> list[Hit]:
        return search(memory, query, wanted, limit, searcher=searcher, as_of=as_of)

    if not by_words:
        _embed_all(memory, searcher)
    return [
        _outcome(asked, number, answer(asked.question, memory, find, now=NOW))
        for asked_alike in questions
        for number, asked in enumerate(asked_alike)
    ]


def _embed_all(memory: Memory, searcher: Searcher) -> None:
    from lerim.search.index import Index

    for place in memory.places():
        index = Index.of(place.store.database, place.local, place.project.id, searcher.folder, searcher.embedder)
        index.write_terms()
        index.embed(lambda: False)


def _outcome(asked: Asked, number: int, answer: Answer) -> Outcome:
    sources = tuple(kept.record.id for kept in answer.sources)
    right = bool(set(sources) & set(asked.answers))
    half = "held-out" if number % 2 else "tuning"
    told = answer.text, unsupported_in(answer)
    return Outcome(asked.question, half, bool(asked.answers), answer.supported, right, sources, *told)


def ask_examples(folder: Path, probes: Sequence[Probe], *, by_words: bool) -> list[Outcome]:
    """What the memory of the example sessions answers, taken in as a user would have them."""
    home, project = folder / "home", folder / "berths"
    for made in (home, project / ".git"):
        made.mkdir(parents=True)
    install(home, project)
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    if by_words:
        (home / ".lerim").mkdir()
        (home / ".lerim" / "config.toml").write_text("[embeddings]\nenabled = false\n", "utf-8")
    synced = [str(Path(sys.executable).parent / "lerim"), "sync", "--all"]
    subprocess.run(synced, cwd=project, env=env, capture_output=True, check=True)
    with Lerim(project, env=env) as lerim:
        return [_probed(probe, lerim.ask(probe.question, embedded=True)) for probe in probes]


def _probed(probe: Probe, answer: Answer) -> Outcome:
    right = probe.is_good(answer.text, supported=answer.supported)
    sources = tuple(kept.record.id for kept in answer.sources)
    told = answer.text, unsupported_in(answer)
    return Outcome(probe.question, "examples", bool(probe.says), answer.supported, right, sources, *told)


# What an answer says besides the records' own words: what became of them, and who said so.
_GLUE_WORDS = """
since before later replaced replaces then said by the user agent in on added hand new left open opened and of them no
longer hold holds session decisions decision memories memory learnings preferences still it from to until with words
revised archived restored shared not trusted pr
"""
_GLUE = frozenset(_GLUE_WORDS.split())
_MARKS = re.compile(r"\[[^\]]*\]|\d{4}-\d\d-\d\d|\b[a-z]+/[0-9a-z]{8}\b")


def unsupported_in(answer: Answer) -> tuple[str, ...]:
    """The sentences of an answer with a word that stands in no record they cite."""
    records = {kept.record.id: kept.record for kept in answer.sources}
    waiting = "\n".join(f"{record.title}\n{record.body}" for record in answer.noted if record.id in answer.text)
    found = []
    for sentence in answer.sentences:
        said = "\n".join(f"{records[one].title}\n{records[one].body}" for one in sentence.ids) + waiting
        known = set(terms(said)) | set(re.findall(r"\d+", said))
        words = [word for word in spelled(_MARKS.sub(" ", sentence.text)) if word.lower() not in _GLUE]
        counted = answer.plan.is_exact
        if not all(set(terms(word)) <= known or (counted and word.isdigit()) for word in words):
            found.append(sentence.text)
    return tuple(found)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


if __name__ == "__main__":
    main()
