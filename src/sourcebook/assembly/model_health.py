"""Models that a base needs and that are not on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import SourcebookError
from sourcebook.model.health import Finding, Weight

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.assembly.embedders import Embedders
    from sourcebook.assembly.open_base import OpenBase
    from sourcebook.settings import Settings

_SERVED = ("openai:", "ollama:")


async def missing_models(base: OpenBase, embedders: Embedders, settings: Settings) -> list[Finding]:
    """What is missing, and what happens without it. Models on servers are not asked for."""
    found = await _of_collections(base, embedders)
    for setting, look in _own_models(settings).items():
        try:
            look()
        except SourcebookError as error:
            message = f"`{setting}` names a model that cannot be used: {error.message.rstrip('.')}"
            found.append(Finding("model_missing", message, error.hint, weight=Weight.NOTE))
    return found


async def _of_collections(base: OpenBase, embedders: Embedders) -> list[Finding]:
    lacking: dict[str, list[str]] = {}
    for collection in await base.stores.vectors.list_collections():
        model = collection.model
        if model is None or model.is_callers or model.name.startswith(_SERVED):
            continue
        if await embedders.choose(model) is None:
            lacking.setdefault(model.name, []).append(collection.id)
    return [
        Finding(
            "model_missing",
            f"the model {name} is not here as it made the vectors; its collections are searched by words alone",
            f"Run `sourcebook models get {name}`, or switch with `sourcebook reindex --model M`.",
            count=len(ids),
            weight=Weight.NOTE,
            rows=ids,
        )
        for name, ids in lacking.items()
    ]


def _own_models(settings: Settings) -> dict[str, Callable[[], object]]:
    """For each setting that names a model of this machine, what looks for its files."""
    from sourcebook.assembly.chat_models import is_local, local_weights
    from sourcebook.assembly.model_store import make_model_store
    from sourcebook.providers.catalogue.known_models import ModelKind
    from sourcebook.providers.catalogue.model_loading import pair_files

    store = make_model_store(settings)
    found: dict[str, Callable[[], object]] = {}
    if is_local(settings):
        found["chat_model"] = lambda: local_weights(settings)
    if settings.rerank_provider == "onnx" and settings.rerank_model:
        found["rerank_model"] = pair_files(store, settings.rerank_model, ModelKind.RERANKER)
    for setting, kind in (("judge_model", ModelKind.JUDGE), ("reader_model", ModelKind.READER)):
        if (name := getattr(settings, setting)) != "none":
            found[setting] = pair_files(store, name, kind)
    return found
