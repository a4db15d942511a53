"""Fetch an embedding model from a hub, where the user allows it. The only place of the memory that uses the network."""

from __future__ import annotations

import hashlib
import os
import urllib.error
import urllib.request
from pathlib import Path

from lerim.errors import ConfigError, SourceError
from lerim.private import make_private
from lerim.search.embeddings import MODEL_FILES, models_folder

# Where hubs keep the two files of a model, the usual places first.
_PLACES = {
    "model.onnx": ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx"),
    "tokenizer.json": ("tokenizer.json",),
}
_SECONDS = 60
_PIECE = 1 << 20


def download(home: Path, name: str, *, hub: str, allowed: bool) -> Path:
    """The folder of the model, its files fetched. Raises ConfigError when it is not allowed, SourceError when it fails.

    A file that is there already is not fetched again. What came is only kept whole.
    """
    if not allowed:
        raise ConfigError("downloads are switched off", hint="set embeddings.download = true in your config.toml")
    if not hub:
        raise ConfigError("no hub is configured", hint='set embeddings.hub = "https://…" in your config.toml')
    folder = models_folder(home) / name
    if name.startswith(("/", ".")) or ".." in Path(name).parts:
        raise ConfigError(f"'{name}' is no name of a model", hint="lerim index --download owner/model")
    make_private(folder, below=models_folder(home))
    for file in MODEL_FILES:
        if not (folder / file).is_file():
            _fetch(f"{hub.rstrip('/')}/{name}/resolve/main", _PLACES[file], folder / file)
    return folder


def _fetch(base: str, places: tuple[str, ...], target: Path) -> None:
    problem = ""
    for place in places:
        try:
            _fetch_file(f"{base}/{place}", target)
        except (urllib.error.URLError, OSError, ValueError) as error:
            problem = f"{base}/{place}: {error}"
        else:
            return
    raise SourceError(f"cannot fetch {target.name} from {problem}", hint=f"put it into {target.parent} by hand")


def _fetch_file(address: str, target: Path) -> None:
    if not address.startswith(("https://", "http://")):
        raise ValueError("a hub has an address that begins with https://")
    temp = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    digest = hashlib.sha256()
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer, temp.open("wb") as file:
            size = answer.headers.get("Content-Length")
            while piece := answer.read(_PIECE):
                digest.update(piece)
                file.write(piece)
            if size is not None and file.tell() != int(size):
                raise OSError("the connection ended early")
        temp.replace(target)
    finally:
        temp.unlink(missing_ok=True)
    # What was fetched is pinned by what it was: a file that changes later is another model, with vectors of its own.
    target.with_name(f"{target.name}.sha256").write_text(f"{digest.hexdigest()}\n", "utf-8")
