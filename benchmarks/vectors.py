"""What a vector takes, in batches, against one matrix product of as many operations. Aim: 12 ms a memory.

As a script: `embed` and `multiply` are workers; `index` indexes the memories of a sandbox with vectors made up.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import memories
from measure import Clock, Result, Sample, Sandbox, in_turn

COUNT = 48
#: MiniLM's layers, and what a token is multiplied with in each: four squares of its width, then four times as wide.
LAYERS, WIDTH = 6, 384
PER_LAYER = 4 * WIDTH + 2 * 4 * WIDTH


def run(sandbox: Sandbox, repeats: int, verbose: bool) -> Iterator[Result]:
    said = sandbox.worker("vectors.py", "tokens")
    runs = {"embed": partial(sandbox.sample, "vectors.py", "embed")}
    runs["multiply"] = partial(sandbox.sample, "vectors.py", "multiply", str(int(said["tokens"])))
    samples = in_turn(min(repeats, 3), runs)
    each = f"{1000 * samples['embed'].cpu / COUNT:.1f} ms each"
    yield Result("vectors", samples["embed"], samples["multiply"], "12 ms each", each)


def texts() -> list[str]:
    return [f"{memory['title']}\n{memory['body']}" for memory in memories.memories(COUNT)]


# The workers.


def tokens() -> dict[str, float]:
    """Words and a third: what a tokenizer makes of made-up words is more, and differs from model to model."""
    return {"tokens": sum(len(text.split()) * 4 // 3 for text in texts())}


def embed() -> Sample:
    from lerim.search.embeddings import Embedder, find_embedder

    model = find_embedder(Path(tempfile.mkdtemp()), enabled=True, model="")
    assert isinstance(model, Embedder), model
    model.encode(["loaded before"])
    clock = Clock()
    with clock:
        model.encode(texts(), gist=True)
    return clock.sample()


def multiply(tokens: int) -> Sample:
    import numpy as np

    dice = np.random.default_rng(7)
    left = dice.standard_normal((tokens, WIDTH), np.float32)
    right = dice.standard_normal((WIDTH, PER_LAYER), np.float32)
    clock = Clock()
    with clock:
        for _ in range(LAYERS):
            left @ right
    return clock.sample()


def index() -> None:
    """`lerim index`, but nobody waits for a model: a text's vector is one of some, by its hash."""
    import numpy as np

    from lerim.cli.main import main
    from lerim.search.embeddings import Embedder

    some = np.random.default_rng(3).standard_normal((4096, WIDTH)).astype(np.float32)
    some /= np.linalg.norm(some, axis=1, keepdims=True)

    def encode(self: Embedder, texts: Sequence[str], **how: bool) -> np.ndarray:
        return some[[hash(text) % len(some) for text in texts]]

    Embedder.encode = encode  # type: ignore[method-assign]
    sys.exit(main(["index"]))


if __name__ == "__main__":
    if sys.argv[1] == "index":
        index()
    elif sys.argv[1] == "tokens":
        print(json.dumps(tokens()))
    else:
        work = {"embed": embed, "multiply": lambda: multiply(int(sys.argv[2]))}[sys.argv[1]]
        print(json.dumps(work()._asdict()))
