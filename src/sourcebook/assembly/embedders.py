"""The embedders that the settings name."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BadSetting, ProviderError, ProviderMissing
from sourcebook.ports.providers import Closing, known_model

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import Embedder, EmbeddingCache
    from sourcebook.providers.served_model_prefixes import Prefixes
    from sourcebook.settings import Settings


def checked(embedder: Embedder) -> Embedder:
    """An embedder that a caller wrote: whatever it returns becomes correct vectors or an error of ours."""
    from sourcebook.providers.checked_embedder import CheckedEmbedder

    return CheckedEmbedder(embedder)


class Embedders:
    """The embedders of one base: the main one, and one for each other model that its collections hold."""

    def __init__(self, settings: Settings, given: Embedder | None = None) -> None:
        self._given = None if given is None else checked(given)
        self.main = self._given or make_embedder(settings)
        self._settings = settings
        self._others: dict[EmbeddingModel, Embedder | None] = {}
        self._named: dict[str, Embedder | None] = {}

    async def choose(self, model: EmbeddingModel) -> Embedder | None:
        """The embedder for this model. Only one that the caller gave can be for vectors that the caller brought."""
        if self.main is None or model.is_callers:
            return self._given
        with suppress(ProviderError):
            if await known_model(self.main) == model:
                return self.main
        if model not in self._others:
            self._others[model] = make_embedder_for(model, self._settings)
        return self._others[model]

    def named(self, name: str) -> Embedder | None:
        """The embedder that the settings could name so."""
        if name not in self._named:
            self._named[name] = make_embedder(self._settings.with_embedder(name))
        return self._named[name]

    async def close(self) -> None:
        """Let go of connections, except for those of an embedder that the caller gave."""
        for embedder in (self.main, *self._others.values(), *self._named.values()):
            if embedder is not self._given and isinstance(embedder, Closing):
                await embedder.close()


def make_embedder(settings: Settings, name: str | None = None) -> Embedder | None:
    """What makes vectors: as the settings say, or of another name that they could say."""
    chosen = settings.embedder if name is None else name
    if chosen == "none":
        return None
    from sourcebook.providers.cached_embedder import CachedEmbedder

    kind, _, model = chosen.partition(":")
    if kind in ("openai", "ollama"):
        return CachedEmbedder(_served_embedder(kind, model, settings), _embedding_cache(settings))
    return CachedEmbedder(_local_embedder(kind, model, settings))


def make_embedder_for(model: EmbeddingModel, settings: Settings) -> Embedder | None:
    """An embedder that makes vectors of exactly this model, if the settings are enough to have one."""
    kind, _, _ = model.name.partition(":")
    from sourcebook.providers.catalogue.known_models import is_known

    names = {"use-multilingual-v3": "default", "all-minilm-l6-v2-int8": "minilm"}
    is_named = kind in ("openai", "ollama") or is_known(model.name)
    name = model.name if is_named else names.get(model.name, settings.embedder)
    if kind in ("openai", "ollama"):
        settings = settings.model_copy(update={"embedder_dimensions": model.dimensions})
    embedder = make_embedder(settings, name)
    try:
        return embedder if embedder is not None and embedder.model == model else None
    except (BadSetting, ProviderMissing):
        return None  # it is not there, or it is not known what it makes


def _local_embedder(kind: str, model: str, settings: Settings) -> Embedder:
    if kind == "default":
        from sourcebook.providers.universal_sentence_encoder import UniversalSentenceEncoder

        return UniversalSentenceEncoder()
    from sourcebook.providers.catalogue.known_models import is_known

    if is_known(kind):
        from sourcebook.assembly.model_store import make_model_store
        from sourcebook.providers.catalogue.model_loading import embedder_of

        return embedder_of(make_model_store(settings), kind)
    from sourcebook.providers.onnx_embedder import OnnxEmbedder

    if kind == "minilm":
        from sourcebook.providers.minilm import find_minilm

        return OnnxEmbedder(find_minilm)
    from sourcebook.providers.onnx_folder import read_folder

    folder = Path(model).expanduser()
    return OnnxEmbedder(lambda: read_folder(folder, _prefixes(folder.name, settings)))


def _served_embedder(kind: str, model: str, settings: Settings) -> Embedder:
    from sourcebook.providers import ollama, openai_embedder
    from sourcebook.providers.model_server_address import Address
    from sourcebook.providers.remote_model import RemoteModel
    from sourcebook.providers.retries import Patience

    made, url = (
        (openai_embedder.OpenAIEmbedder, openai_embedder.DEFAULT_URL)
        if kind == "openai"
        else (ollama.OllamaEmbedder, ollama.DEFAULT_URL)
    )
    key = settings.embedder_api_key
    address = Address(settings.embedder_base_url or url, key.get_secret_value() if key else None)
    return made(
        RemoteModel(address, Patience(settings.embedder_timeout)),
        model,
        dimensions=settings.embedder_dimensions,
        prefixes=_prefixes(model, settings),
        batch=settings.embedder_batch,
    )


def _prefixes(model: str, settings: Settings) -> Prefixes | None:
    """The prefixes of the settings; those that a model of this name has, if they say only one; None if neither."""
    from sourcebook.providers.served_model_prefixes import Prefixes, prefixes_of

    question, passage = settings.embedder_question_prefix, settings.embedder_passage_prefix
    if question is None and passage is None:
        return None
    known = prefixes_of(model)
    return Prefixes(
        known.question if question is None else question, known.passage if passage is None else passage
    )


def _embedding_cache(settings: Settings) -> EmbeddingCache | None:
    from sourcebook.storage.sqlite.embedding_cache import SqliteEmbeddingCache

    match settings.embedding_cache:
        case "none":
            return None
        case "auto" if "://" in settings.db:
            path = Path("~/.cache/sourcebook/embeddings.db").expanduser()
        case "auto":
            path = Path(f"{settings.db}.derived") / "embeddings.db"
        case named:
            path = Path(named).expanduser()
    return SqliteEmbeddingCache(path, most_bytes=settings.embedding_cache_mb * 1_000_000)
