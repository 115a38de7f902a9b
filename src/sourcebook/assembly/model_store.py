"""The models of this machine, where the settings say that they lie."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.providers.catalogue.store import ModelStore
    from sourcebook.settings import Settings


def make_model_store(settings: Settings) -> ModelStore:
    from sourcebook.providers.catalogue.store import ModelStore

    return ModelStore(Path(settings.models_folder).expanduser())
