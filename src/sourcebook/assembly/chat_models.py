"""The chat model that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import BadSetting

if TYPE_CHECKING:
    from sourcebook.ports.chat import ChatModel
    from sourcebook.settings import Settings


def make_chat_model(settings: Settings) -> ChatModel | None:
    kind, _, name = settings.chat_model.partition(":")
    if kind == "none":
        return None
    from sourcebook.providers.openai_chat import OLLAMA_URL, OPENAI_URL, OpenAIChat, Writing
    from sourcebook.providers.remote_model import Address, Patience

    urls = {"openai": OPENAI_URL, "ollama": OLLAMA_URL}
    if kind not in urls or not name:
        raise BadSetting(
            f"chat_model cannot be {settings.chat_model!r}",
            hint="It is `none`, `openai:MODEL` or `ollama:MODEL`.",
        )
    url = settings.chat_base_url or urls[kind]
    key = None if settings.chat_api_key is None else settings.chat_api_key.get_secret_value()
    patience = Patience(seconds=settings.chat_timeout, attempts=3)
    writing = Writing(
        most_tokens=settings.chat_tokens,
        most_characters=settings.chat_characters,
        most_seconds=settings.chat_seconds,
    )
    return OpenAIChat(name, Address(url, key), patience, writing)
