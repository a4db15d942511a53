"""Which model compares meanings, what it says, and what happens when there is none."""

from __future__ import annotations

import functools
import hashlib
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lerim.errors import ConfigError, SourceError
from lerim.search.download import download
from lerim.search.embeddings import BUNDLED, Embedder, NoEmbedder, find_embedder, models_folder
from lerim.search.onnx_model import OnnxModel
from lerim.search.wordpiece import VOCABULARY, WordPieces

from ..conftest import examples

_VOCABULARY_SHA = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"


@pytest.fixture
def embedder(home: Path) -> Embedder:
    found = find_embedder(home, enabled=True, model="")
    assert isinstance(found, Embedder)
    return found


@pytest.fixture(scope="session")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tokenizer of the bundled model as a tokenizer library writes it."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    made.save(str(path))
    return path


def test_the_bundled_model_is_there_after_an_install(embedder: Embedder) -> None:
    """No download, no setting: the weights come with the package, and their hash names them."""
    assert BUNDLED == embedder.name
    assert f"{BUNDLED}@8199be6f699a" == embedder.key


def test_texts_that_mean_the_same_are_near(embedder: Embedder) -> None:
    """Unit vectors: without a word in common, the answer is nearer than another text."""
    texts = ["How do we log in?", "Users sign in with a password", "The cache is cleared every night"]

    vectors = embedder.encode(texts)

    assert (3, 384) == vectors.shape
    assert np.allclose(1, np.linalg.norm(vectors, axis=1), atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    """Texts are computed together; what stands beside one does not change it."""
    texts = ["short", "a much longer text about caches, queues and the timeouts of both " * 8, "", "短い"]

    together, alone = embedder.encode(texts), np.concatenate([embedder.encode([text]) for text in texts])

    assert np.allclose(together, alone, atol=1e-5)


def test_our_arithmetic_is_what_onnxruntime_computes(embedder: Embedder, tokenizer_file: Path, tmp_path: Path) -> None:
    """The same weights through onnxruntime and a tokenizer library give the same vectors."""
    pytest.importorskip("onnxruntime")
    shutil.copy(embedder.weights, tmp_path / "model.onnx")
    shutil.copy(tokenizer_file, tmp_path / "tokenizer.json")
    texts = ["Use JWT bearer tokens.", "def retry(times: int) -> None: ...", "Größe wird über 数据库 gespeichert", "ok"]

    reference = OnnxModel(tmp_path).encode(texts)

    assert ((reference * embedder.encode(texts)).sum(1) > 0.999).all()


# Letters that every version of Unicode knows: the library may know more of them than this Python.
_LETTERS = st.one_of(st.characters(codec="latin-1"), st.sampled_from("Жжñő数据库カナ한글🙂—’€\u200b\u2028\u00ad"))


@settings(max_examples=examples(200))
@example(text="0\x080")
@given(text=st.text(_LETTERS, max_size=200))
def test_pieces_are_those_of_the_tokenizer_library(text: str, tokenizer_file: Path) -> None:
    """Whatever is written is split as the model was trained to see it."""
    from tokenizers import Tokenizer

    library = _library(Tokenizer, str(tokenizer_file))

    assert library.encode(text).ids == _pieces().encode(text, 10_000)


@functools.cache
def _library(kind: type, path: str) -> object:
    return kind.from_file(path)  # type: ignore[attr-defined]


@functools.cache
def _pieces() -> WordPieces:
    return WordPieces()


def test_the_vocabulary_is_the_models_own() -> None:
    """One word more or less, and every vector would be another."""
    assert _VOCABULARY_SHA == hashlib.sha256(VOCABULARY.read_bytes()).hexdigest()


def test_a_long_text_is_cut(embedder: Embedder) -> None:
    """The model reads 256 pieces, the two marks included."""
    assert 256 == len(_pieces().encode("word " * 1000, 256))


def test_of_a_long_text_the_gist_is_read() -> None:
    """A short one is read whole; of a long one, as much as fits of the words that carry meaning, each once."""
    short = "Use the new cache, not the old one."
    long = "We have to use the new cache for this, and because of that, not the old one. " * 9

    gist = _pieces().gist(long, 32, 12)

    assert _pieces().encode(short, 256) == _pieces().gist(short, 32, 12)
    assert _pieces().encode("new cache not old one", 12) == gist
    assert 12 == len(_pieces().gist(f"{long} Redis keeps sessions, tokens, carts, prices and stock.", 32, 12))
    assert 12 == len(_pieces().gist("..., " * 99, 32, 12))


def test_embeddings_can_be_switched_off(home: Path) -> None:
    """Then search is by words, and it says what to set."""
    found = find_embedder(home, enabled=False, model="")

    assert isinstance(found, NoEmbedder)
    assert "embeddings.enabled" in found.fix


def test_weights_that_are_not_the_right_ones_are_not_used(home: Path) -> None:
    """A damaged or exchanged file is named, and nothing fails."""
    file = models_folder(home) / BUNDLED / "model.onnx"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"not a model")

    found = find_embedder(home, enabled=True, model="")

    assert isinstance(found, NoEmbedder)
    assert "SHA-256" in found.reason


def test_a_file_that_changed_is_hashed_again(home: Path, embedder: Embedder) -> None:
    """What was verified once is remembered by size and time, not by its name alone."""
    file = models_folder(home) / BUNDLED / "model.onnx"
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(embedder.weights, file)
    assert isinstance(find_embedder(home, enabled=True, model=""), Embedder)

    with file.open("r+b") as data:
        data.seek(-1, 2)
        data.write(b"!")

    assert isinstance(find_embedder(home, enabled=True, model=""), NoEmbedder)


def test_a_model_of_ones_own_is_a_folder(home: Path, embedder: Embedder, tokenizer_file: Path) -> None:
    """By name under the models folder, or anywhere by its path; its weights name its vectors."""
    pytest.importorskip("onnxruntime")
    folder = models_folder(home) / "mine"
    folder.mkdir(parents=True)
    shutil.copy(embedder.weights, folder / "model.onnx")
    shutil.copy(tokenizer_file, folder / "tokenizer.json")

    by_name = find_embedder(home, enabled=True, model="mine")
    by_path = find_embedder(home, enabled=True, model=str(folder))

    assert isinstance(by_name, Embedder)
    assert isinstance(by_path, Embedder)
    assert "mine@8199be6f699a" == by_name.key == by_path.key
    assert (1, 384) == by_name.encode(["one text"]).shape


def test_a_missing_model_is_named(home: Path) -> None:
    """With what is missing and the command that fetches it."""
    found = find_embedder(home, enabled=True, model="owner/unknown")

    assert isinstance(found, NoEmbedder)
    assert "model.onnx" in found.reason
    assert "lerim index --download owner/unknown" == found.fix


# Downloads


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    """A hub with one model, on this machine."""
    base = tmp_path / "hub" / "owner" / "tiny" / "resolve" / "main"
    (base / "onnx").mkdir(parents=True)
    (base / "onnx" / "model.onnx").write_bytes(b"weights" * 1000)
    (base / "tokenizer.json").write_text("{}")
    handler = functools.partial(_Quiet, directory=str(tmp_path / "hub"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


def test_nothing_is_downloaded_unless_allowed(home: Path, hub: str) -> None:
    """The network is not used by default, and the error says which setting allows it."""
    with pytest.raises(ConfigError) as caught:
        download(home, "owner/tiny", hub=hub, allowed=False)

    assert "embeddings.download = true" in str(caught.value.hint)
    assert not models_folder(home).exists()


def test_a_model_is_fetched_into_its_folder(home: Path, hub: str) -> None:
    """Both files, wherever the hub keeps them, with what they were when they came."""
    folder = download(home, "owner/tiny", hub=hub, allowed=True)

    assert b"weights" * 1000 == (folder / "model.onnx").read_bytes()
    assert ["model.onnx", "model.onnx.sha256", "tokenizer.json", "tokenizer.json.sha256"] == sorted(
        file.name for file in folder.iterdir()
    )


@pytest.mark.parametrize("name", ["../evil", "/etc", "a/../../b"])
def test_a_models_name_cannot_lead_elsewhere(home: Path, name: str, hub: str) -> None:
    """A name is a folder below the models folder, nothing else."""
    with pytest.raises(ConfigError):
        download(home, name, hub=hub, allowed=True)


def test_a_hub_that_cannot_be_reached_leaves_nothing(home: Path, hub: str) -> None:
    """No half file, and where to put the file by hand."""
    with pytest.raises(SourceError) as caught:
        download(home, "owner/other", hub=hub, allowed=True)

    assert "by hand" in str(caught.value.hint)
    assert [] == list((models_folder(home) / "owner" / "other").iterdir())
