"""An embedder that asks a server. Kinds of servers differ in how a question and its answer are spelled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import anyio

from sourcebook.errors import BadSetting
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import TextRole
from sourcebook.providers.embedding_batches import by_length, embed_in_batches
from sourcebook.providers.served_model_prefixes import dimensions_of, prefixes_of
from sourcebook.providers.vector_checks import checked_vectors, readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.providers.remote_model import RemoteModel
    from sourcebook.providers.served_model_prefixes import Prefixes

_MOST_CHARACTERS = 100_000
"""In one request. Servers limit the tokens of a request, and a token has at least one character."""
_ATTEMPTS_FOR_A_QUESTION = 2
"""Somebody waits for the answer to a question; nobody waits for a document that closely."""


class ServedEmbedder(ABC):
    """Vectors of length one from a server. The size of its vectors is known, given, or asked for once."""

    kind: ClassVar[str]
    requests_at_once: ClassVar[int]

    def __init__(
        self,
        server: RemoteModel,
        name: str,
        *,
        dimensions: int | None = None,
        prefixes: Prefixes | None = None,
        batch: int = 32,
    ) -> None:
        self._server = server
        self._name = name
        self._asked_for = dimensions
        self._dimensions = dimensions or dimensions_of(name)
        self._prefixes = prefixes_of(name) if prefixes is None else prefixes
        self._batch = batch
        self._discovering = anyio.Lock()

    @property
    def model(self) -> EmbeddingModel:
        if self._dimensions is None:
            raise BadSetting(
                f"The size of the vectors of {self._name!r} is not known yet.",
                hint="Set `embedder_dimensions` to it, or `await` the embedder's `discover()` first.",
            )
        return EmbeddingModel(
            name=f"{self.kind}:{self._name}", dimensions=self._dimensions, recipe=self._prefixes.recipe
        )

    async def discover(self) -> EmbeddingModel:
        """The model. If nobody knows how long its vectors are, the server is asked for one."""
        async with self._discovering:
            if self._dimensions is None:
                vectors = await self._encode(TextRole.QUESTION, ["size"])
                self._dimensions = vectors.shape[1]
        return self.model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One unit vector for each text, in their order."""
        model = await self.discover()
        batches = by_length(texts, self._batch, _MOST_CHARACTERS)
        return await embed_in_batches(
            texts,
            batches,
            partial(self._encode, role),
            dimensions=model.dimensions,
            at_once=self.requests_at_once,
        )

    async def close(self) -> None:
        await self._server.close()

    async def _encode(self, role: TextRole, texts: list[str]) -> NDArray[np.float32]:
        ready = [self._prefixes.on(readable(text), role) for text in texts]
        path, body = self._request(ready)
        attempts = _ATTEMPTS_FOR_A_QUESTION if role is TextRole.QUESTION else None
        answer = await self._server.post(path, body, attempts=attempts)
        who = f"{self._name} at {self._server.address.shown}"
        return checked_vectors(self._vectors(answer, who), len(texts), self._dimensions, who)

    @abstractmethod
    def _request(self, texts: list[str]) -> tuple[str, Mapping[str, object]]:
        """The path and the body that ask for the vectors of these texts."""

    @abstractmethod
    def _vectors(self, answer: object, who: str) -> object:
        """The vectors in an answer, in the order of the texts, unchecked."""
