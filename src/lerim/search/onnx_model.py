"""An embedding model of one's own: an ONNX file and its tokenizer, run by onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_MAX_PIECES = 256
_BATCH = 16


class OnnxModel:
    """Texts → unit vectors: the mean over a text's pieces, or the sentence vector if the model gives one."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # More threads spin while they wait, and take the time of everybody else on the machine.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self._inputs = {item.name for item in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(_MAX_PIECES)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str], *, gist: bool = False) -> NDArray[np.float32]:
        """A unit vector for each text. What of a text this model can do without, nobody knows: it reads all."""
        found = [self._encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return np.concatenate(found)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        pieces = self._tokenizer.encode_batch(list(texts))
        ids = np.array([piece.ids for piece in pieces], np.int64)
        mask = np.array([piece.attention_mask for piece in pieces], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        out = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        if out.ndim == 3:
            out = (out * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        unit: NDArray[np.float32] = (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)
        return unit
