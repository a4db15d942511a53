"""Does what was said later replace what was said before, when it should, and only then?

    python evals/curate.py --pairs FILE [--show]
    python evals/curate.py --near LABELS_DIR [LABELS_DIR …] [--show]
    python evals/curate.py BENCH_DIR [--depth 10]

FILE has JSON lines of `{"id", "older": {"title", "body", "said"}, "newer": {…}, "relation"}`; the relation is one of
duplicate, refinement, contradiction, reversal and unrelated. What is later goes by `said`, whichever side it stands on.
Prints how each class was judged and, last, one line of figures: accuracy, recall of contradiction and reversal, and the
share of the others that would be replaced wrongly. What is judged unsure waits for a person: it replaces nothing. The
exit code is 1 when more than 1 % would be replaced wrongly, or less than 80 % of what should be is.

LABELS_DIR has label files of sessions as evals/extract.py reads them. Memories of one repository that lie near each
other are held against each other, the one that stands first for the earlier. Nearly all of them hold together, so
nearly all that would be replaced here is a mistake; what is asked costs a person's time.

BENCH_DIR has a corpus.jsonl and an update_pairs.jsonl as evals/retrieve.py reads them: for every statement that
replaces another, how often the search finds that one (hit@1/5/10), and what judging all that was found would replace.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lerim.context.place import Place
from lerim.context.records import Kind, Primitive, is_choice, parse_time
from lerim.curate.bearings import judged_words
from lerim.errors import LerimError
from lerim.search.embeddings import packaged_weights
from lerim.search.minilm import MiniLM
from lerim.search.similar import similar
from lerim.service import Lerim
from lerim.text.bearing import Bearing, Judgment, judge
from lerim.text.sentences import sentences
from lerim.text.statements import statement

sys.path.insert(0, str(Path(__file__).parent))
from retrieve import by_scope, fill, rows, title_of

MAX_FALSE, MIN_RECALL = 0.01, 0.8
_UNSURE = "unsure"
_DEPTHS = (1, 5, 10)
#: Memories that are held against another: so many, and so near.
_NEAREST, _NEAR = 8, 0.45
#: Sentences of a message that are held against those of another.
_SENTENCES = 12


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path, nargs="?", metavar="BENCH_DIR")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="judge labeled pairs of statements")
    parser.add_argument("--near", type=Path, nargs="+", metavar="LABELS_DIR", help="judge what is near in repositories")
    parser.add_argument("--show", action="store_true", help="show every pair that is judged otherwise than labeled")
    parser.add_argument("--depth", type=int, default=10, help="how many of the nearest are judged (default 10)")
    args = parser.parse_args()
    if [args.pairs, args.near, args.bench].count(None) != 2:
        parser.error("give either BENCH_DIR, --pairs FILE or --near LABELS_DIR")
    if args.pairs is not None:
        return judged_pairs(args.pairs, show=args.show)
    if args.near is not None:
        return judged_neighbors(args.near, show=args.show)
    print(replaced_statements(args.bench, args.depth))
    return 0


# --- labeled pairs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """How a pair was labeled, and how it was judged."""

    wanted: Bearing
    judgment: Judgment

    @property
    def found(self) -> str:
        is_unsure = self.judgment.bearing.replaces and not self.judgment.is_sure
        return _UNSURE if is_unsure else self.judgment.bearing.value


def judged_pairs(path: Path, *, show: bool) -> int:
    pairs = list(labeled_pairs(path))
    outcomes = [outcome_of(pair) for pair in pairs]
    for pair, outcome in zip(pairs, outcomes, strict=True):
        if show and outcome.found != outcome.wanted.value:
            print(f"{pair['id']}: {outcome.wanted}, judged {outcome.found}: {outcome.judgment.reason}")
            print(f"    {pair['older']['title']}\n    {pair['newer']['title']}")
    for wanted in Bearing:
        counts = Counter(outcome.found for outcome in outcomes if outcome.wanted is wanted)
        told = ", ".join(f"{count} {name}" for name, count in counts.most_common())
        print(f"{wanted:14} {sum(counts.values()):4}  {told}")
    recall = share(outcome.judgment.replaces for outcome in outcomes if outcome.wanted.replaces)
    wrongly = share(outcome.judgment.replaces for outcome in outcomes if not outcome.wanted.replaces)
    accuracy = share(outcome.found == outcome.wanted.value for outcome in outcomes)
    asked = [
        share(outcome.found == _UNSURE for outcome in outcomes if outcome.wanted.replaces is is_replaced)
        for is_replaced in (True, False)
    ]
    print(f"a person is asked about {asked[0]:.3f} of what is replaced, and {asked[1]:.3f} of the rest")
    print(f"{len(pairs)} pairs: accuracy {accuracy:.3f}, recall {recall:.3f}, false supersede {wrongly:.4f}")
    return 1 if wrongly > MAX_FALSE or recall < MIN_RECALL else 0


def labeled_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The pairs of a file. Exits with what is wrong and where: a set that is half read would tell wrong figures."""
    if not path.is_file():
        sys.exit(f"{path}: there is no such file")
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            pair = json.loads(line)
            _, _, _ = said(pair["older"]), said(pair["newer"]), Bearing(pair["relation"])
        except (ValueError, KeyError, TypeError, AttributeError, LerimError) as error:
            sys.exit(f"{path}, line {number}: this is no labeled pair: {type(error).__name__}: {error}")
        yield {"id": str(number), **pair}


def outcome_of(pair: Mapping[str, Any]) -> Outcome:
    """The later one by when it was said, held against the earlier one."""
    earlier, later = sorted((pair["older"], pair["newer"]), key=said)
    judgment = judged_words(text_of(later), text_of(earlier))
    return Outcome(Bearing(pair["relation"]), judgment)


def said(side: Mapping[str, Any]) -> datetime:
    """When it was said. Where nobody knows, the one that is called older was said first."""
    return parse_time(str(side["said"])) if side.get("said") else datetime.min.replace(tzinfo=UTC)


def text_of(side: Mapping[str, Any]) -> tuple[str, str]:
    return str(side.get("title") or ""), str(side.get("body") or "")


def share(of: Iterable[bool]) -> float:
    found = list(of)
    return sum(found) / len(found) if found else 0.0


# --- memories of one repository ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """A memory that somebody labeled."""

    title: str
    body: str
    is_choice: bool


def judged_neighbors(folders: Sequence[Path], *, show: bool) -> int:
    pairs = list(near_pairs(folders))
    judgments = [
        judged_words((later.title, later.body), (earlier.title, earlier.body), is_choice=one_choice(later, earlier))
        for earlier, later in pairs
    ]
    for (earlier, later), judgment in zip(pairs, judgments, strict=True):
        if show and judgment.bearing.replaces:
            print(f"{'replaced' if judgment.is_sure else 'asked'}: {judgment.reason}")
            print(f"    {earlier.title}\n    {later.title}")
    replaced = sum(judgment.replaces for judgment in judgments)
    asked = sum(judgment.bearing.replaces for judgment in judgments) - replaced
    print(f"{len(pairs)} near pairs: {replaced} replaced, {asked} asked")
    return 1 if replaced > MAX_FALSE * len(pairs) else 0


def one_choice(later: Memory, earlier: Memory) -> bool:
    return later.is_choice and earlier.is_choice


def near_pairs(folders: Sequence[Path]) -> Iterator[tuple[Memory, Memory]]:
    """Memories of one repository that `maintain` would hold against each other by their meaning."""
    by_repository: dict[str, list[Memory]] = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.json")):
        label = json.loads(path.read_text("utf-8"))
        found = by_repository.setdefault("/".join(label["trace"].split("/")[-2:-1]) or label["trace"], [])
        found += [
            Memory(row["title"], row["body"], is_choice(Primitive(row["primitive"]), row["kind"] and Kind(row["kind"])))
            for row in label["memories"]
        ]
    words = packaged_weights()
    model = MiniLM(words) if words else sys.exit("the weights that make vectors are not installed")
    for memories in by_repository.values():
        vectors = model.encode([f"{one.title}. {one.body}" for one in memories], gist=True)
        alike = vectors @ vectors.T
        for later in range(1, len(memories)):
            nearest = sorted(range(later), key=lambda one: -alike[later, one])[:_NEAREST]
            yield from ((memories[one], memories[later]) for one in nearest if alike[later, one] >= _NEAR)


# --- statements of conversations --------------------------------------------------------------------------------------


def replaced_statements(bench: Path, depth: int) -> str:
    """One line of figures."""
    corpus, pairs = by_scope(rows(bench / "corpus.jsonl")), by_scope(rows(bench / "update_pairs.jsonl"))
    ranks: list[int | None] = []
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="lerim-eval-") as temporary:
        env = {"HOME": temporary, "LERIM_HOME": f"{temporary}/home"}
        for number, scope in enumerate(pairs):
            root = Path(temporary) / f"project-{number}"
            root.mkdir()
            with Lerim(root, env=env) as lerim:
                place = lerim.memory.place(lerim.setup.init(root))
                for found, wanted in searched(place, corpus[scope], pairs[scope], depth):
                    ranks.append(next((rank for rank, row in enumerate(found[1:]) if row["id"] in wanted), None))
                    verdicts += judged_rows(found, wanted)
    hits = ", ".join(f"hit@{k} {share(rank is not None and rank < k for rank in ranks):.3f}" for k in _DEPTHS)
    precision = verdicts["right"] / max(verdicts["right"] + verdicts["wrong"], 1)
    recall = verdicts["right"] / max(len(ranks), 1)
    counts = f"({verdicts['right']} right, {verdicts['wrong']} wrong, {verdicts['unsure']} unsure)"
    return f"{len(ranks)} updates: {hits}, supersede precision {precision:.3f}, recall {recall:.3f} {counts}"


def searched(
    place: Place, statements: Sequence[Mapping[str, Any]], pairs: Sequence[Mapping[str, Any]], depth: int
) -> Iterator[tuple[list[Mapping[str, Any]], set[str]]]:
    """For each pair: the newer statement, then what is near to it and was said before; and the ids of the older."""
    names = fill(place, statements)
    by_id = {row["id"]: row for row in statements}
    order = {row["id"]: number for number, row in enumerate(statements)}
    for pair in pairs:
        older, newer = sorted((pair["a"], pair["b"]), key=lambda side: min(order[row] for row in side))
        if set(older) & set(newer):
            continue  # A message that contradicts itself replaces no other.
        now = newer[0]
        near = similar(place, title_of(by_id[now]["text"]), by_id[now]["text"], limit=4 * depth)
        found = [names[one.record.id] for one in near if order[names[one.record.id]] < order[now]][:depth]
        yield [by_id[now], *(by_id[row] for row in found)], set(older)


def judged_rows(found: Sequence[Mapping[str, Any]], wanted: set[str]) -> Counter[str]:
    """What the first of the rows would replace of the others: rightly, wrongly, or if somebody were sure."""
    now, *near = found
    verdicts: Counter[str] = Counter()
    for row in near:
        judgments = [
            judge(statement(one, ""), statement(two, ""))
            for one in sentences(now["text"])[:_SENTENCES]
            for two in sentences(row["text"])[:_SENTENCES]
        ]
        if any(judgment.replaces for judgment in judgments):
            verdicts["right" if row["id"] in wanted else "wrong"] += 1
        elif any(judgment.bearing.replaces for judgment in judgments):
            verdicts["unsure"] += 1
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
