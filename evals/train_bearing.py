"""Teaches a small model that reads two statements how the later one bears on the earlier: `lerim maintain` asks it.

    python evals/train_bearing.py [--epochs 3] [--leave NAME] [--start FILE [--learn PREFIX]] [--write FILE]

Needs torch. It starts from the weights of the model that makes vectors, and learns from `bearing_groups.jsonl`, one
earlier statement and several later ones on each line, from `bearing_projects.jsonl`, the memories of made-up projects
that all hold at once and some later ones, from `bearing_questions.jsonl`, what a team may settle in three ways, each
said in four, and from the labeled pairs of `curate_*.jsonl`. `curate_unseen.jsonl`, `curate_blind.jsonl`,
`curate_sides.jsonl` and `curate_passing.jsonl` are never learned from, nor is every eighth project, nor are the last
156 questions: they tell after each epoch what it is worth. `--leave` keeps one author of the groups out, too, and tells
of them. `--write` keeps the weights in a file, as int8 with a scale for each column.

`--start` goes on from such a file, slowly, with the lowest layers held: each epoch draws anew from the questions and
takes half of the rest. The weights that ship were taught so: three epochs on groups and labeled pairs, then two on
projects and a third of the rest, two more on the groups of nearly equal words (`near-…`) and of plain clashes
(`plain-…`), one on those that say the same in other words (`same-…`), and two on the first 1,143 of the questions,
with some of all before. Before the second step the model took more than half of what lies near each other in real
projects for contradictions, since all that it had seen so near was one; before the last, half of the plain
contradictions in other words for the same or for something else. Twice as fast, with all layers and with refinements
among the questions, the last step made it worse. What ships is the mean of the weights before that step (one part),
in its middle (one) and at its end (two): less is forgotten.

One more such step, on 1,600 questions more (two epochs, 64 minutes on two cores), taught it the questions (recall at
1 % wrong of those that were left out .17 to .29) and nothing else: of the pairs of authors it does not know it found
.67 before, .60 after, .67 as the mean of both. A model of six layers seems to know what it can; its weights stayed.

Of one thing and another side of it ("the export runs at 02:00", "the export belongs to treasury from now on") it had
hardly seen any, and took most of them for changes: 18 of 100 in `curate_sides.jsonl` from a score of .9 on. So
`--learn sides-` goes on with the groups of these authors and some of all before, of which what the model thought before
counts half, and keeps the mean of the weights before (.3) and after (.7): two epochs of the first 990 of those groups
are what ships. Of 100 such pairs one is taken for a change now, and nothing else got worse. The 910 after them, of
changes in other words, taught it nothing more.

Marks of the pieces that both statements have, a dropout of its own for each text, a loss that ranks what replaces above
the rest, and one round of all pairs at once in bfloat16 (twice as fast on one core) taught it some authors and not
others: recall at 1 % wrong, by its score alone, went from .58 to .69 in `curate_passing.jsonl`, from .57 to .65 in
`curate_sides.jsonl`, and from .65 to .63 in `curate_blind.jsonl`. With the rules, its mean with the weights before
found .68 of what those said in passing and blind replace, not .65, and replaced too much: 12 in a thousand of the blind
for 7, and 2 of 70 in `curate_unseen.jsonl` for none. Earlier weights, alone or in a mean, and reading a pair in both
orders were no better; of what the score misses, four in five are plain contradictions.

A second such round from there, two runs of some 35,000 pairs each, taught it more of the questions that were left out
(recall at 1 % wrong .21 to .28, as the mean of both and .3 of what ships). With the rules that mean, sure from .91 on,
finds .67 of those said in passing and blind, and replaces 9 in a thousand of the blind and still those 2 of 70; from
.94 on it replaces neither of the 2, and finds .62. Of the bars tried, .90 to .94, none does better than what ships
without replacing more: its weights stayed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from retrieve import rows
from torch import Tensor, nn
from torch.nn import functional

from curate import said, text_of
from lerim.search import arrays
from lerim.search.bearing_model import BEARINGS, MOST_PIECES, as_read
from lerim.search.embeddings import BUNDLED, Embedder, find_embedder
from lerim.search.minilm import DIMENSIONS, HEADS, LAYERS, MiniLM, batches, padded, read_tensors
from lerim.text.bearing import Bearing

FOLDER = Path(__file__).parent
#: Memories of one project that lie this near, and so many of them for each, are held against each other.
_NEAR, _NEAREST = 0.35, 4
#: Every such project is for looking, not for learning, and so are the last of the questions.
_LOOKED_AT, _LAST = 8, 156
TAUGHT = ("development", "test", "voices", "domains")
BLIND = ("unseen", "blind", "sides", "passing")
#: What is as true the other way round.
_EITHER_WAY = (Bearing.DUPLICATE, Bearing.CONTRADICTION, Bearing.UNRELATED)
_TURNED = 0.3
#: So many positions of a question come with a body.
_BACKED = 0.2
#: Who goes on forgets less at this share of the rate, with so many of the lowest layers held, and with so much of all
#: but the questions in each epoch.
_SLOWER, _HELD, _SHARE = 0.3, 2, 0.5
#: Who learns from some authors hears so many of the other pairs and of the questions again, where what was thought
#: before counts so much; and so much of what is new stays.
_AGAIN, _QUESTIONS, _BELIEVED, _STAYS = 5800, 800, 0.5, 0.7
_BATCH, _RATE, _DROPPED, _SMOOTHED, _DECAY = 32, 2e-4, 0.1, 0.05, 0.01
#: The last layer of all starts from nothing.
_HEAD_RATE = 4.0
_WARMING, _LEAST = 0.1, 0.02
#: Of pairs that both hold, so many are sure to be told wrongly at these scores, and of the others so many are found.
_SCORES = (0.5, 0.8, 0.9, 0.95)


@dataclass(frozen=True)
class Taught:
    """A pair of texts, as the model reads them, and how the later bears on the earlier."""

    earlier: str
    later: str
    bearing: Bearing

    def turned(self) -> Taught:
        return Taught(self.later, self.earlier, self.bearing)


class Layer(nn.Module):
    """One layer of the model, with the weights it had."""

    def __init__(self, tensors: dict[str, arrays.Array], number: int) -> None:
        super().__init__()

        def matrix(*indexes: int) -> nn.Parameter:
            names = [f"matrix.{6 * number + index}" for index in indexes]
            return _learned(np.concatenate([tensors[f"{name}_q"] * tensors[f"{name}_scale"] for name in names], 1))

        def vector(*names: str) -> nn.Parameter:
            return _learned(np.concatenate([tensors[f"encoder.layer.{number}.{name}"] for name in names]))

        own = "attention.self.{}.bias"
        self.qkv, self.qkv_bias = matrix(0, 1, 2), vector(*map(own.format, ("query", "key", "value")))
        self.out, self.out_bias = matrix(3), vector("attention.output.dense.bias")
        self.norm_weight = vector("attention.output.LayerNorm.weight")
        self.norm_bias = vector("attention.output.LayerNorm.bias")
        self.up, self.up_bias = matrix(4), vector("intermediate.dense.bias")
        self.down, self.down_bias = matrix(5), vector("output.dense.bias")
        self.last_norm_weight = vector("output.LayerNorm.weight")
        self.last_norm_bias = vector("output.LayerNorm.bias")

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        texts, length, width = x.shape
        qkv = (x @ self.qkv + self.qkv_bias).view(texts, length, 3, HEADS, width // HEADS)
        mixed = functional.scaled_dot_product_attention(*qkv.permute(2, 0, 3, 1, 4), attn_mask=hidden)
        mixed = mixed.permute(0, 2, 1, 3).reshape(texts, length, width) @ self.out + self.out_bias
        x = _normed(x + self._dropped(mixed), self.norm_weight, self.norm_bias)
        wide = functional.gelu(x @ self.up + self.up_bias) @ self.down + self.down_bias
        return _normed(x + self._dropped(wide), self.last_norm_weight, self.last_norm_bias)

    def _dropped(self, x: Tensor) -> Tensor:
        """One mask for all texts of a batch: drawing one for each takes longer than the layer."""
        return x * functional.dropout(torch.ones(1, *x.shape[1:]), _DROPPED) if self.training else x


class PairReader(nn.Module):
    """The whole model. The words stay as they are."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        self.words = MiniLM(weights)
        tensors = read_tensors(weights)
        self.layers = nn.ModuleList(Layer(tensors, number) for number in range(LAYERS))
        self.sides = nn.Parameter(torch.zeros(2, DIMENSIONS))
        with torch.no_grad():
            types = tensors["token_type_embeddings.weight"]
            self.sides[1] = torch.tensor(types[1] - types[0])
        self.head = nn.Linear(2 * DIMENSIONS, len(BEARINGS))
        nn.init.normal_(self.head.weight, std=0.02)

    def forward(self, pairs: Sequence[Taught]) -> Tensor:
        ids, is_later, is_there = self._pieces(pairs)
        embedded = torch.tensor(self.words.embedded(ids)) + self.sides[torch.tensor(is_later)]
        x = _normed(embedded, *map(torch.tensor, self.words.norm))
        there = torch.tensor(is_there)
        hidden = torch.where(there, 0.0, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, hidden)
        mean = (x * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        found: Tensor = self.head(functional.dropout(torch.cat([x[:, 0], mean], 1), _DROPPED, self.training))
        return found

    def _pieces(self, pairs: Sequence[Taught]) -> tuple[arrays.Array, arrays.Array, arrays.Array]:
        sides = [[self.words.pieces(text, MOST_PIECES) for text in (pair.earlier, pair.later)] for pair in pairs]
        ids, is_there, _ = padded([[*earlier, *later[1:]] for earlier, later in sides])
        firsts = np.array([len(earlier) for earlier, _ in sides])
        is_later = (np.arange(ids.shape[1]) >= firsts[:, None]).astype(np.int64)
        return ids, is_later, is_there

    def length(self, pair: Taught) -> int:
        return sum(len(self.words.pieces(text, MOST_PIECES)) for text in (pair.earlier, pair.later))


def _learned(values: arrays.Array) -> nn.Parameter:
    return nn.Parameter(torch.tensor(np.asarray(values, np.float32)))


def _normed(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x, (DIMENSIONS,), weight, bias, 1e-12)


# --- pairs ------------------------------------------------------------------------------------------------------------


def groups() -> Iterator[tuple[str, Taught]]:
    """Who wrote it, and a pair."""
    for row in rows(FOLDER / "bearing_groups.jsonl"):
        for bearing, *later in row["newer"]:
            yield row["author"], Taught(as_read(*row["older"]), as_read(*later), Bearing(bearing))


def projects(words: MiniLM) -> Iterator[tuple[int, Taught]]:
    """The number of a project, and two of its memories that lie near each other, or one that was told later and the one
    it bears on. What a later one does not name, it leaves alone."""
    for number, row in enumerate(rows(FOLDER / "bearing_projects.jsonl")):
        texts = [as_read(*memory) for memory in row["memories"]]
        vectors = words.encode(texts, gist=True)
        for pair in sorted({tuple(sorted(pair)) for pair in _near(vectors, vectors)}):
            yield number, Taught(*(texts[one] for one in random.sample(pair, 2)), Bearing.UNRELATED)
        later = [as_read(*told) for _, _, *told in row["later"]]
        for (named, bearing, *_), text in zip(row["later"], later, strict=True):
            yield number, Taught(texts[named], text, Bearing(bearing))
        for one, other in _near(words.encode(later, gist=True), vectors):
            if other != row["later"][one][0]:
                yield number, Taught(texts[other], later[one], Bearing.UNRELATED)


def _near(some: arrays.Array, others: arrays.Array) -> Iterator[tuple[int, int]]:
    """For each of some, those that are nearest to it and not itself."""
    for one, likeness in enumerate(some @ others.T):
        nearest = [int(other) for other in np.argsort(-likeness) if some is not others or other != one]
        yield from ((one, other) for other in nearest[:_NEAREST] if likeness[other] >= _NEAR)


def questions(which: slice) -> Iterator[Taught]:
    """Of each question, wordings drawn by chance: two positions exclude each other, two wordings of one say the same,
    and what stands beside them goes with any."""
    for row in list(rows(FOLDER / "bearing_questions.jsonl"))[which]:
        positions = row["positions"]
        first, *others = random.sample(list(permutations(positions, 2)), 5)
        for one, other in others:
            yield Taught(_worded(one, _BACKED), _worded(other, _BACKED), Bearing.CONTRADICTION)
        yield Taught(_worded(first[0], _BACKED), first[1]["turn"], Bearing.REVERSAL)
        for one in positions:
            yield Taught(*random.sample(one["says"], 2), Bearing.DUPLICATE)
        turned = random.choice(positions)
        yield Taught(turned["turn"], _worded(turned), Bearing.DUPLICATE)
        for beside in random.sample(row["beside"], 4):
            pair = Taught(_worded(random.choice(positions), _BACKED), beside, Bearing.UNRELATED)
            yield random.choice((pair, pair.turned()))


def _worded(position: dict[str, Any], backed: float = 0.0) -> str:
    """A position in one of its wordings, now and then with what says more of it for a body."""
    body = random.choice(position["more"]) if random.random() < backed else ""
    return as_read(random.choice(position["says"]), body)


def labeled(name: str) -> Iterator[Taught]:
    for row in rows(FOLDER / f"curate_{name}.jsonl"):
        earlier, later = sorted((row["older"], row["newer"]), key=said)
        yield Taught(as_read(*text_of(earlier)), as_read(*text_of(later)), Bearing(row["relation"]))


def shuffled(model: PairReader, pairs: Sequence[Taught]) -> list[list[Taught]]:
    """Batches of like length, some pairs turned around, in another order each time."""
    mixed = [
        pair.turned() if pair.bearing in _EITHER_WAY and random.random() < _TURNED else pair
        for pair in random.sample(pairs, len(pairs))
    ]
    found = []
    for first in range(0, len(mixed), 16 * _BATCH):
        some = sorted(mixed[first : first + 16 * _BATCH], key=model.length)
        found += [some[at : at + _BATCH] for at in range(0, len(some), _BATCH)]
    return random.sample(found, len(found))


# --- learning ---------------------------------------------------------------------------------------------------------


def teach(
    model: PairReader,
    draw: Callable[[], list[Taught]],
    epochs: int,
    told: dict[str, list[Taught]],
    rate: float,
    wanted: Callable[[Sequence[Taught]], Tensor],
) -> None:
    learning = [(name, weight) for name, weight in model.named_parameters() if weight.requires_grad]
    body = [weight for name, weight in learning if not name.startswith("head")]
    kinds = [
        {"params": [one for one in body if one.ndim > 1], "weight_decay": _DECAY, "first": rate},
        {"params": [one for one in body if one.ndim == 1], "weight_decay": 0.0, "first": rate},
        {"params": list(model.head.parameters()), "weight_decay": _DECAY, "first": _HEAD_RATE * rate},
    ]
    optimizer = torch.optim.AdamW(kinds)
    steps, step = epochs * -(-len(draw()) // _BATCH), 0
    for epoch in range(epochs):
        model.train()
        for batch in shuffled(model, draw()):
            for kind in optimizer.param_groups:
                kind["lr"] = kind["first"] * min(1, (step + 1) / (_WARMING * steps)) * max(_LEAST, 1 - step / steps)
            loss = functional.cross_entropy(model(batch), wanted(batch), label_smoothing=_SMOOTHED)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
        print(f"epoch {epoch + 1}, loss {loss.item():.3f}", flush=True)
        for name, some in told.items():
            print(f"  {name:12} {worth(model, some)}", flush=True)


def labels(pairs: Sequence[Taught]) -> Tensor:
    """What shall be thought of each: what somebody said it is."""
    places = torch.tensor([BEARINGS.index(pair.bearing) for pair in pairs])
    return functional.one_hot(places, len(BEARINGS)).float()


def believed(before: PairReader, new: Sequence[Taught]) -> Callable[[Sequence[Taught]], Tensor]:
    """The same, where what was thought before counts of all that is not new: less is forgotten."""
    is_new = {frozenset((pair.earlier, pair.later)) for pair in new}

    def wanted(pairs: Sequence[Taught]) -> Tensor:
        known = [at for at, pair in enumerate(pairs) if frozenset((pair.earlier, pair.later)) not in is_new]
        found = labels(pairs)
        if known:
            with torch.no_grad():
                thought = functional.softmax(before([pairs[at] for at in known]), 1)
            found[known] = (1 - _BELIEVED) * found[known] + _BELIEVED * thought
        return found

    before.eval()
    return wanted


def worth(model: PairReader, pairs: Sequence[Taught]) -> str:
    """How much is told right, and at some scores what would be replaced that should be, and that should not."""
    shares = read(model, pairs)
    wanted = np.array([BEARINGS.index(pair.bearing) for pair in pairs])
    score = sum(shares[:, place] for place, bearing in enumerate(BEARINGS) if bearing.replaces)
    is_replaced = np.array([pair.bearing.replaces for pair in pairs])
    at = ", ".join(
        f"{least}: {(score[is_replaced] > least).mean():.2f} and {(score[~is_replaced] > least).mean():.3f} wrongly"
        for least in _SCORES
    )
    return f"accuracy {(shares.argmax(1) == wanted).mean():.3f}; replaced from {at}"


def read(model: PairReader, pairs: Sequence[Taught]) -> arrays.Array:
    model.eval()
    found = np.empty((len(pairs), len(BEARINGS)))
    with torch.no_grad():
        for batch in batches([model.length(pair) for pair in pairs]):
            found[batch] = functional.softmax(model([pairs[number] for number in batch]), 1).numpy()
    return found


# --- what is kept -----------------------------------------------------------------------------------------------------


def kept(model: PairReader) -> dict[str, arrays.Array]:
    """The weights, the scale of attention already in the queries'."""
    found = {"sides": model.sides, "head": model.head.weight.T, "head_bias": model.head.bias}
    told = {name: weight.detach().numpy().copy() for name, weight in found.items()}
    for number, layer in enumerate(model.layers):
        weights = {name: weight.detach().numpy().copy() for name, weight in layer.named_parameters()}
        weights["qkv"][:, :DIMENSIONS] *= (DIMENSIONS // HEADS) ** -0.5
        weights["qkv_bias"][:DIMENSIONS] *= (DIMENSIONS // HEADS) ** -0.5
        for name, weight in weights.items():
            if weight.ndim == 1:
                told[f"{number}.{name}"] = weight
            else:
                scale = np.abs(weight).max(0, keepdims=True) / 127
                told[f"{number}.{name}_q"] = np.round(weight / scale).astype(np.int8)
                told[f"{number}.{name}_scale"] = scale
    return told


def take_up(model: PairReader, taught: dict[str, arrays.Array]) -> None:
    """The reverse of `kept`."""
    scale = (DIMENSIONS // HEADS) ** -0.5

    def value(name: str) -> arrays.Array:
        found = taught[name] if name in taught else taught[f"{name}_q"] * taught[f"{name}_scale"]
        return np.array(found, np.float32)

    with torch.no_grad():
        model.sides.copy_(torch.tensor(value("sides")))
        model.head.weight.copy_(torch.tensor(value("head").T))
        model.head.bias.copy_(torch.tensor(value("head_bias")))
        for number, layer in enumerate(model.layers):
            for name, weight in layer.named_parameters():
                found = value(f"{number}.{name}")
                if name.startswith("qkv"):
                    found[..., :DIMENSIONS] /= scale
                weight.copy_(torch.tensor(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--leave", default="", metavar="NAME", help="an author of the groups that is not learned from")
    parser.add_argument("--start", type=Path, metavar="FILE", help="go on from what was kept before")
    parser.add_argument("--learn", default="", metavar="PREFIX", help="with --start: from the authors that begin so")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep what was learned")
    args = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    model = PairReader(_weights())
    if args.start:
        take_up(model, arrays.read(args.start))
        for layer in model.layers[:_HELD]:
            layer.requires_grad_(requires_grad=False)
    grouped, near = list(groups()), list(projects(model.words))
    pairs = [pair for author, pair in grouped if author != args.leave]
    pairs += [pair for number, pair in near if number % _LOOKED_AT]
    pairs += [pair for name in TAUGHT for pair in labeled(name)]
    told = {name: list(labeled(name)) for name in BLIND}
    told["questions"] = list(questions(slice(-_LAST, None)))
    told["projects"] = [pair for number, pair in near if not number % _LOOKED_AT]
    if args.leave:
        told[args.leave] = [pair for author, pair in grouped if author == args.leave]
    share = _SHARE if args.start else 1.0
    print(f"{len(pairs)} pairs, and some of the questions", flush=True)

    def draw() -> list[Taught]:
        return [*questions(slice(-_LAST)), *random.sample(pairs, int(share * len(pairs)))]

    if args.start and args.learn:
        new = [pair for author, pair in grouped if author.startswith(args.learn)]
        known = set(new)
        learn(model, args.start, new, [pair for pair in pairs if pair not in known], args.epochs, told)
    else:
        teach(model, draw, args.epochs, told, _SLOWER * _RATE if args.start else _RATE, labels)
    if args.write:
        arrays.write(args.write, kept(model))
    return 0


def learn(
    model: PairReader,
    start: Path,
    new: Sequence[Taught],
    rest: Sequence[Taught],
    epochs: int,
    told: dict[str, list[Taught]],
) -> None:
    """Go on with what is new, and keep most of what that changes."""
    before = PairReader(_weights())
    take_up(before, arrays.read(start))
    asked = list(questions(slice(-_LAST)))

    def draw() -> list[Taught]:
        return [*new, *random.sample(rest, _AGAIN), *random.sample(asked, _QUESTIONS)]

    teach(model, draw, epochs, told, _SLOWER * _RATE, believed(before, new))
    with torch.no_grad():
        for was, weight in zip(before.parameters(), model.parameters(), strict=True):
            weight.mul_(_STAYS).add_(was, alpha=1 - _STAYS)


def _weights() -> Path:
    with tempfile.TemporaryDirectory() as home:
        found = find_embedder(Path(home), enabled=True, model=BUNDLED)
    if not isinstance(found, Embedder):
        sys.exit(f"{found.reason}: {found.fix}")
    return found.weights


if __name__ == "__main__":
    sys.exit(main())
