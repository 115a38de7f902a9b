"""A server of a model that points elsewhere: nothing of a question or a document is sent there."""

from __future__ import annotations

from contextlib import aclosing

import pytest
from tests.faults import chat_servers, servers

from sourcebook.errors import ProviderRefused
from sourcebook.model.documents import Chunk
from sourcebook.model.search import ScoreBreakdown, SearchResult
from sourcebook.ports.chat import PromptMessage
from sourcebook.ports.providers import TextRole
from sourcebook.providers.api_reranker import ApiReranker
from sourcebook.providers.model_server_address import Address
from sourcebook.providers.ollama import OllamaEmbedder
from sourcebook.providers.openai_chat import OpenAIChat
from sourcebook.providers.openai_embedder import OpenAIEmbedder
from sourcebook.providers.remote_model import RemoteModel
from sourcebook.providers.retries import Patience

pytestmark = pytest.mark.anyio

ONCE = Patience(seconds=5.0, attempts=1)
WAYS = [301, 302, 303, 307, 308]


@pytest.mark.parametrize("code", WAYS)
@pytest.mark.parametrize("kind", [OpenAIEmbedder, OllamaEmbedder])
async def test_texts_do_not_follow_an_embedder(
    kind: type[OpenAIEmbedder | OllamaEmbedder], code: int
) -> None:
    with servers.serving() as elsewhere, servers.serving() as server:
        server.planned.append(servers.status(code, "moved", Location=f"{elsewhere.url}/v1/embeddings"))
        embedder = kind(RemoteModel(Address(server.url, "key"), ONCE), "berry", dimensions=servers.SIZE)
        with pytest.raises(ProviderRefused, match="not followed"):
            await embedder.embed(["a private text"], TextRole.PASSAGE)
        await embedder.close()
    assert server.asked == 1
    assert elsewhere.exchanges == []


@pytest.mark.parametrize("code", WAYS)
async def test_a_question_does_not_follow_a_chat_model(code: int) -> None:
    with chat_servers.chatting(chat_servers.says("Here.")) as elsewhere:
        away = chat_servers.status(code, Location=f"{elsewhere.url}/v1/chat/completions")
        with chat_servers.chatting(away) as server:
            chat = OpenAIChat("berry", Address(f"{server.url}/v1", "key"), ONCE)
            with pytest.raises(ProviderRefused, match="not followed"):
                async with aclosing(chat.stream([PromptMessage("user", "a private question")])) as pieces:
                    _ = [piece async for piece in pieces]
            await chat.close()
    assert elsewhere.calls == []


async def test_passages_do_not_follow_a_reranker() -> None:
    with servers.serving() as elsewhere, servers.serving() as server:
        server.planned.append(servers.status(307, "moved", Location=f"{elsewhere.url}/rerank"))
        reranker = ApiReranker(server.url, "berry", patience=ONCE)
        chunk = Chunk(id="1", document_id="d", content="a private text", start_index=0, end_index=14)
        with pytest.raises(ProviderRefused, match="not followed"):
            await reranker.rerank("question", [SearchResult(chunk, 1.0, ScoreBreakdown())], 1)
        await reranker.close()
    assert elsewhere.exchanges == []
