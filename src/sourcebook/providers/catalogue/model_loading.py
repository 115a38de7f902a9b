"""Installed models, ready to be loaded, as their recipes in the table want it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import ModelNotFound, ProviderMissing
from sourcebook.model.documents import EmbeddingModel
from sourcebook.providers.catalogue.known_models import KnownModel, ModelForm, ModelKind, find, is_known
from sourcebook.providers.onnx.pair_model import PairFiles
from sourcebook.providers.onnx.session import load_tokenizer
from sourcebook.providers.onnx_embedder import OnnxEmbedder, OnnxModel, Pooling
from sourcebook.providers.static_embedder import StaticEmbedder, StaticFiles

if TYPE_CHECKING:
    from sourcebook.ports.providers import Embedder
    from sourcebook.providers.catalogue.installed_models import InstalledModel, ModelStore

_TOKENIZER = "tokenizer.json"
_DEFAULT_TOKENS = 512
_HASH_SHOWN = 16


def embedder_of(store: ModelStore, name: str) -> Embedder:
    """The embedder of this name. Whether it is installed is seen when it is first used."""
    recipe = find(name)
    if recipe.form is ModelForm.STATIC:
        return StaticEmbedder(lambda: _static(_installed(store, recipe.name, ModelKind.EMBEDDER), recipe))
    return OnnxEmbedder(lambda: onnx_model(_installed(store, recipe.name, ModelKind.EMBEDDER), recipe))


def onnx_model(installed: InstalledModel, recipe: KnownModel) -> OnnxModel:
    """Pooling, prefixes and how much is read are those of the recipe, and part of what the vectors are."""
    tokenizer = installed.folder / _TOKENIZER
    return OnnxModel(
        model=_identity(installed, recipe),
        weights=installed.weights_path,
        make_tokenizer=lambda: load_tokenizer(tokenizer),
        max_tokens=recipe.max_tokens,
        pooling=Pooling(recipe.pooling),
        prefixes=recipe.prefixes,
    )


def _static(installed: InstalledModel, recipe: KnownModel) -> StaticFiles:
    model = _identity(installed, recipe)
    return StaticFiles(model, installed.weights_path, installed.folder / _TOKENIZER, recipe.max_tokens)


def _identity(installed: InstalledModel, recipe: KnownModel) -> EmbeddingModel:
    """The hashes that were pinned when the files came are part of it: other files are another model."""
    return EmbeddingModel(
        name=recipe.name,
        dimensions=recipe.dimensions or 0,
        version=installed.files.get(installed.weights, "")[:_HASH_SHOWN],
        recipe=f"{recipe.prefixes.recipe};{recipe.pooling};{recipe.max_tokens} tokens",
        tokenizer_hash=installed.files.get(_TOKENIZER, "")[:_HASH_SHOWN],
    )


def pair_files(store: ModelStore, name: str, kind: ModelKind) -> Callable[[], PairFiles]:
    """Where a reranker, reader or judge lies: installed under this name, or in a folder at this path."""

    def look() -> PairFiles:
        if "/" in name:
            return _of_folder(Path(name).expanduser())
        installed = _installed(store, name, kind)
        tokens = find(name).max_tokens if is_known(name) else _DEFAULT_TOKENS
        return PairFiles(installed.weights_path, installed.folder / _TOKENIZER, tokens)

    return look


def chat_weights(store: ModelStore, name: str) -> Path:
    """The GGUF file of an installed chat model."""
    return _installed(store, name, ModelKind.CHAT).weights_path


def _of_folder(folder: Path) -> PairFiles:
    for place in ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"):
        if (folder / place).is_file() and (folder / _TOKENIZER).is_file():
            return PairFiles(folder / place, folder / _TOKENIZER, _DEFAULT_TOKENS)
    raise ProviderMissing(f"{folder} contains no model.onnx with its {_TOKENIZER}.")


def _installed(store: ModelStore, name: str, kind: ModelKind) -> InstalledModel:
    try:
        return store.require(name, kind)
    except ModelNotFound as error:
        # To a search it is a model that is not available, and not a thing of the base that is not there.
        raise ProviderMissing(error.message, hint=error.hint) from None
