"""A static model: a table with a vector for each piece of a word. A text is the mean of its pieces.

It needs no runtime and hardly any time, and it knows no order of words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import numpy as np

from sourcebook.errors import ProviderMissing
from sourcebook.providers.onnx.session import load_tokenizer
from sourcebook.providers.vector_checks import checked_vectors, readable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import TextRole

_KINDS = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
_LENGTH_BYTES = 8
_LONGEST_HEADER = 10_000_000


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """Where such a model lies, and what its vectors are."""

    model: EmbeddingModel
    weights: Path
    tokenizer: Path
    max_tokens: int


class StaticEmbedder:
    """Unit vectors from a static model, loaded when first used."""

    def __init__(self, find: Callable[[], StaticFiles]) -> None:
        self._find = find
        self._found: StaticFiles | None = None
        self._lock = Lock()
        self._loaded: tuple[Any, NDArray[Any], int | None] | None = None

    @property
    def model(self) -> EmbeddingModel:
        return self._about.model

    @property
    def _about(self) -> StaticFiles:
        if self._found is None:
            self._found = self._find()
        return self._found

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One unit vector for each text, in their order. Questions and passages are treated alike."""
        if not texts:
            return np.empty((0, self.model.dimensions), dtype=np.float32)
        return await anyio.to_thread.run_sync(self._encode, list(texts), abandon_on_cancel=True)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        tokenizer, table, unknown = self._ready()
        rows: list[NDArray[np.float64]] = []
        for text in texts:
            read = tokenizer.encode(readable(text), add_special_tokens=False).ids
            pieces = [piece for piece in read if piece != unknown][: self._about.max_tokens]
            # A text of which nothing is known has a direction too: that of the first piece.
            rows.append(table[pieces or [0]].astype(np.float64).mean(axis=0))
        return checked_vectors(rows, len(texts), self.model.dimensions, f"The model {self.model.name}")

    def _ready(self) -> tuple[Any, NDArray[Any], int | None]:
        with self._lock:
            if self._loaded is None:
                about = self._about
                tokenizer = load_tokenizer(about.tokenizer)
                tokenizer.no_padding()
                tokenizer.no_truncation()
                unknown = _unknown_piece(about.tokenizer)
                number = None if unknown is None else tokenizer.token_to_id(unknown)
                self._loaded = tokenizer, read_table(about.weights), number
            return self._loaded


def _unknown_piece(tokenizer: Path) -> str | None:
    """What stands for what the vocabulary lacks. It says nothing, and is left out."""
    said = cast("dict[str, Any]", json.loads(tokenizer.read_text("utf-8")))
    model = cast("dict[str, Any]", said.get("model") or {})
    found = model.get("unk_token")
    return found if isinstance(found, str) else None


def read_table(path: Path) -> NDArray[Any]:
    """The tensor `embeddings` of a safetensors file, mapped and not copied into memory."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            if not 0 < length <= _LONGEST_HEADER:
                raise ValueError("its header is too long")
            header: dict[str, Any] = json.loads(file.read(length))
        about = header.get("embeddings") or next(
            value for key, value in header.items() if key != "__metadata__"
        )
        rows, columns = about["shape"]
        start, _ = about["data_offsets"]
        kind = _KINDS[about["dtype"]]
        return np.memmap(path, kind, "r", _LENGTH_BYTES + length + start, (rows, columns))
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise ProviderMissing(f"{path} cannot be read as a table of vectors: {error}") from error
