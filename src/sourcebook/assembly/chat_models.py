"""The chat model that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.errors import BadSetting, ProviderMissing

if TYPE_CHECKING:
    from sourcebook.ports.chat import ChatModel
    from sourcebook.providers.chat_generation_options import Writing
    from sourcebook.settings import Settings


def make_chat_model(settings: Settings) -> ChatModel | None:
    kind, _, name = settings.chat_model.partition(":")
    if kind == "none":
        return None
    from sourcebook.providers.chat_generation_options import Writing
    from sourcebook.providers.model_server_address import Address
    from sourcebook.providers.openai_chat import OLLAMA_URL, OPENAI_URL, OpenAIChat
    from sourcebook.providers.retries import Patience

    writing = Writing(
        most_tokens=settings.chat_tokens,
        most_characters=settings.chat_characters,
        most_seconds=settings.chat_seconds,
    )
    urls = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}
    if kind == "local" and name:
        return _local(name, settings, writing)
    if kind not in urls or not name:
        raise BadSetting(
            f"chat_model cannot be {settings.chat_model!r}",
            hint="It is `none`, `local:NAME`, `openai:MODEL` or `ollama:MODEL`.",
        )
    url = settings.chat_base_url or urls[kind]
    key = None if settings.chat_api_key is None else settings.chat_api_key.get_secret_value()
    patience = Patience(seconds=settings.chat_timeout, attempts=3)
    return OpenAIChat(name, Address(url, key), patience, writing)


def is_local(settings: Settings) -> bool:
    """Whether the chat model runs on this machine, where reading takes time."""
    return settings.chat_model.startswith("local:")


def _local(name: str, settings: Settings, writing: Writing) -> ChatModel:
    from sourcebook.providers.local_chat.model import LocalChat
    from sourcebook.providers.local_chat.process import ModelLimits, free_cores

    limits = ModelLimits(settings.chat_threads or free_cores(), settings.chat_context)
    return LocalChat(_short(name), lambda: local_weights(settings), limits, writing)


def _short(name: str) -> str:
    return Path(name).stem if name.endswith(".gguf") else name


def local_weights(settings: Settings) -> Path:
    """The file of a model on this machine: at the path in the settings, or installed under the name there."""
    name = settings.chat_model.partition(":")[2]
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise ProviderMissing(
                f"There is no file {path}.",
                hint="`sourcebook models list` shows what is installed, `sourcebook models get NAME` downloads.",
            )
        return path
    from sourcebook.assembly.model_store import make_model_store
    from sourcebook.providers.catalogue.model_loading import chat_weights

    return chat_weights(make_model_store(settings), name)
