"""A sentence model from a folder, in the layout in which such models are published: `tokenizer.json`, `model.onnx` and
small files of JSON that say how it wants to be used. Nothing is downloaded, and no code of the folder is run."""

from __future__ import annotations

import json
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, cast

from sourcebook.errors import ProviderMissing
from sourcebook.model.documents import EmbeddingModel
from sourcebook.providers.onnx.session import load_tokenizer
from sourcebook.providers.onnx_embedder import OnnxModel, Pooling, dimensions_of_weights
from sourcebook.providers.served_model_prefixes import Prefixes, prefixes_of

_PLACES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
)
_DEFAULT_MAX_TOKENS = 512
_SAMPLES = 64
_SAMPLE_SIZE = 4096


def read_folder(path: Path, prefixes: Prefixes | None = None) -> OnnxModel:
    """The model of a folder, or of one file of weights in it, ready to be loaded."""
    weights = _weights(path)
    folder = _folder_of(weights)
    about = _About(folder)
    chosen = prefixes if prefixes is not None else about.prefixes
    tokenizer = folder / "tokenizer.json"
    pooling = about.pooling
    return OnnxModel(
        model=EmbeddingModel(
            name=f"onnx:{folder.name}",
            dimensions=about.dimensions or _declared_dimensions(weights),
            version=_fingerprint(weights),
            recipe=f"{chosen.recipe};{pooling}",
            tokenizer_hash=sha256(tokenizer.read_bytes()).hexdigest()[:16],
        ),
        weights=weights,
        make_tokenizer=lambda: load_tokenizer(tokenizer),
        max_tokens=about.max_tokens,
        pooling=pooling,
        prefixes=chosen,
    )


def _weights(path: Path) -> Path:
    if path.is_file():
        return path.resolve()
    for place in _PLACES:
        if (path / place).is_file():
            return (path / place).resolve()
    raise ProviderMissing(
        f"{path} contains no ONNX model.",
        hint=f"Put one of {', '.join(_PLACES)} there, or name the file itself.",
    )


def _folder_of(weights: Path) -> Path:
    """The folder of a model: where its tokenizer is, beside the weights or above them."""
    for folder in (weights.parent, weights.parent.parent):
        if (folder / "tokenizer.json").is_file():
            return folder
    raise ProviderMissing(
        f"There is no tokenizer.json beside {weights}.", hint="It is published together with the model."
    )


def _declared_dimensions(weights: Path) -> int:
    found = dimensions_of_weights(weights)
    if found is None:
        raise ProviderMissing(
            f"Neither {weights} nor a file beside it says the model's vector size.",
            hint="Put the model's config.json there; its `hidden_size` is the size.",
        )
    return found


class _About:
    """What the small files of a folder say about its model."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._config = self._read("config.json")
        self._pooling = self._read("1_Pooling/config.json")
        self._sentences = self._read("sentence_bert_config.json")
        prompts = self._read("config_sentence_transformers.json").get("prompts")
        self._prompts = cast("dict[str, object]", prompts) if isinstance(prompts, dict) else {}
        if (folder / "2_Dense").exists():
            raise ProviderMissing(
                f"The model in {folder} has a dense layer after its pooling, which is not in its ONNX file.",
                hint="Export the whole sentence model, with the output `sentence_embedding`, and leave 2_Dense out.",
            )

    @property
    def dimensions(self) -> int | None:
        named = [self._pooling.get("word_embedding_dimension")]
        named += [self._config.get(key) for key in ("hidden_size", "dim", "d_model")]
        return next((size for size in named if isinstance(size, int) and size > 0), None)

    @property
    def max_tokens(self) -> int:
        named = self._sentences.get("max_seq_length")
        if isinstance(named, int) and named > 0:
            return named
        positions = self._config.get("max_position_embeddings")
        return min(positions, _DEFAULT_MAX_TOKENS) if isinstance(positions, int) else _DEFAULT_MAX_TOKENS

    @property
    def pooling(self) -> Pooling:
        if self._pooling.get("pooling_mode_cls_token"):
            return Pooling.CLS
        if self._pooling.get("pooling_mode_lasttoken"):
            return Pooling.LAST
        return Pooling.MEAN

    @property
    def prefixes(self) -> Prefixes:
        question = self._prompts.get("query", "")
        passage = self._prompts.get("passage", self._prompts.get("document", ""))
        if question or passage:
            return Prefixes(str(question), str(passage))
        known_as = str(self._config.get("_name_or_path", ""))
        own = prefixes_of(self._folder.name)
        return own if own != Prefixes() else prefixes_of(known_as)

    def _read(self, name: str) -> dict[str, Any]:
        path = self._folder / name
        if not path.is_file():
            return {}
        try:
            found = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ProviderMissing(f"{path} cannot be read: {error}") from error
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _fingerprint(weights: Path) -> str:
    """A mark of the weights from samples all over the file, for reading hundreds of megabytes takes too long."""
    digest = blake2b(digest_size=8)
    # Weights over two gigabytes lie in files of their own beside the model.
    for path in sorted(weights.parent.glob(f"{weights.name}*")):
        size = path.stat().st_size
        digest.update(f"{path.name}:{size}".encode())
        with path.open("rb") as file:
            for sample in range(_SAMPLES):
                file.seek(size * sample // _SAMPLES)
                digest.update(file.read(_SAMPLE_SIZE))
    return digest.hexdigest()
