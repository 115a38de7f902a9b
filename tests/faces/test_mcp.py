"""The MCP face, as the SDK's own client sees it: over stdin and stdout, and over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2 as httpx
import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from tests.conftest import address_of, on_both_databases
from tests.faces.server_desk import ServerDesk, server_desk
from tests.faces.shell import clean_environment
from tests.unit.consulting import QUESTION, UNKNOWN

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.charged_questions import QuestionDesk
from sourcebook.faces.mcp.server import KnowledgeServer, local_caller
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio
LONG = "A sentence about gravel paths and their edges. " * 400
PATIENCE = 200.0
HELLO: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


@pytest.fixture
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return address_of(request, tmp_path)


@asynccontextmanager
async def served(desk: ServerDesk) -> AsyncGenerator[str, None]:
    """The app behind a real port."""
    server = uvicorn.Server(uvicorn.Config(desk.app, port=0, log_level="error"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve)
        with anyio.fail_after(PATIENCE):
            while not server.started:  # noqa: ASYNC110 - it has no event to wait for
                await anyio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True


@asynccontextmanager
async def connected(url: str, key: str, **headers: str) -> AsyncGenerator[Client, None]:
    if key:
        headers["Authorization"] = f"Bearer {key}"
    async with (
        httpx.AsyncClient(headers=headers, timeout=PATIENCE) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


@pytest.fixture
async def desk(db: str) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(db) as made:
        await made.book.add_text(LONG, id="paths", title="Paths")
        await made.book.terminology.add("fridge", "refrigerator", description="In letters too.")
        yield made


@pytest.fixture
async def client(desk: ServerDesk) -> AsyncGenerator[Client, None]:
    """The tools without a transport between."""
    knowledge = KnowledgeServer(partial(QuestionDesk, desk.book, Settings()), local=local_caller())
    async with Client(knowledge.server) as made:
        yield made


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.content[0].text  # type: ignore[union-attr]
    return result.structured_content


async def test_every_tool_says_that_it_only_reads(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [t.name for t in tools] == ["search", "ask", "get_document", "get_passage", "lookup_term"]
    for tool in tools:
        assert tool.annotations is not None
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (True, False)
        assert tool.description
        assert all("description" in field for field in tool.input_schema["properties"].values())


@on_both_databases
async def test_what_is_found_can_be_read_and_cited(client: Client) -> None:
    found = await told(client, "search", query="prune raspberries", limit=1)
    citation = found["results"][0]["citation"]
    assert (citation["title"], citation["collection"]) == ("Pruning", "default")
    passage = await told(client, "get_passage", passage_id=citation["passage_id"])
    assert passage["text"] == found["results"][0]["text"]
    assert passage["citation"] == citation
    document = await told(client, "get_document", document=citation["document_id"])
    assert passage["text"] in document["text"]
    read = await client.read_resource(citation["uri"])
    assert read.contents[0].text == document["text"]  # type: ignore[union-attr]


async def test_a_result_names_the_section_where_the_words_stand(client: Client, desk: ServerDesk) -> None:
    text = "# Handbook\n\n## Leave\n\nFive days may be carried over.\n\n## Desks\n\nDesks are booked in the portal."
    await desk.book.add_text(text, id="handbook")
    for query, section in (("carried over days", "Leave"), ("booked desks portal", "Desks")):
        found = await told(client, "search", query=query, limit=1)
        assert found["results"][0]["matched_section"].endswith(section)


@on_both_databases
async def test_an_answer_has_its_citations_and_a_decline_says_so(client: Client) -> None:
    result = await client.call_tool("ask", {"question": QUESTION})
    assert result.structured_content["declined"] is False
    assert result.structured_content["citations"][0]["documentTitle"] == "Pruning"
    assert "[1] Pruning: “" in result.content[0].text  # type: ignore[union-attr]
    declined = await told(client, "ask", question=UNKNOWN)
    assert (declined["declined"], declined["tier"]) == (True, "none")


async def test_a_long_document_comes_in_pieces(client: Client) -> None:
    pieces: list[str] = []
    start: int | None = 0
    while start is not None:
        piece = await told(client, "get_document", document="paths", start=start)
        assert len(piece["text"]) <= 8_000
        pieces.append(piece["text"])
        start = piece["next_start"]
    assert len(pieces) == 3
    assert "".join(pieces) == LONG


async def test_results_stay_small(client: Client) -> None:
    result = await client.call_tool("search", {"query": "gravel raspberries soil water", "limit": 20})
    assert len(result.content[0].text) < 40_000  # type: ignore[union-attr]
    assert (await client.call_tool("search", {"query": "x", "limit": 21})).is_error


async def test_the_preferred_wording_is_found_by_either_word(client: Client) -> None:
    expected = {"term": "fridge", "preferred_phrase": "refrigerator", "description": "In letters too."}
    assert (await told(client, "lookup_term", term="Fridge"))["terms"] == [expected]
    assert (await told(client, "lookup_term", term="refrigerator"))["terms"] == [expected]
    assert (await told(client, "lookup_term", term="zebra"))["terms"] == []


async def test_mistakes_are_told_to_the_model(client: Client) -> None:
    for tool, arguments in (
        ("search", {}),
        ("search", {"query": ""}),
        ("search", {"query": "x", "collections": ["absent"]}),
        ("search", {"query": "x", "sql": "1"}),
        ("get_document", {"document": "absent"}),
        ("get_passage", {"passage_id": "absent"}),
        ("ask", {"question": "Hello!"}),
        ("search", {"query": "soil", "collections": ["absent"]}),
    ):
        result = await client.call_tool(tool, arguments)
        assert result.is_error, (tool, arguments)
        said = result.content[0].text  # type: ignore[union-attr]
        assert said
        assert "`sourcebook " not in said, "who calls tools types no commands"
    with pytest.raises(MCPError):
        await client.call_tool("delete_document", {"document": "paths"})
    for uri in ("sourcebook://default/absent", "file:///etc/passwd", "sourcebook://default/../secret/vault"):
        with pytest.raises(MCPError):
            await client.read_resource(uri)


@on_both_databases
async def test_documents_are_resources_page_by_page(desk: ServerDesk, client: Client) -> None:
    for number in range(120):
        await desk.book.add_text(f"Note {number} is short.", id=f"note{number}")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = await client.list_resources(cursor=cursor)
        assert len(page.resources) <= 100
        seen += [str(resource.uri) for resource in page.resources]
        if (cursor := page.next_cursor) is None:
            break
    assert len(seen) == len(set(seen)) == 125
    with pytest.raises(MCPError):
        await client.list_resources(cursor="-1; drop table")


@on_both_databases
async def test_a_hidden_document_is_not_there(desk: ServerDesk, client: Client) -> None:
    await desk.book.library.hide("paths")
    assert (await client.call_tool("get_document", {"document": "paths"})).is_error
    assert not any("paths" in str(r.uri) for r in (await client.list_resources()).resources)


async def test_letters_that_nobody_sees_do_not_reach_the_model(desk: ServerDesk, client: Client) -> None:
    await desk.book.add_text("Ravens\u200b nest \u202eearly\u202c in March.", id="ravens", title="Ravens")
    result = await client.call_tool("get_document", {"document": "ravens"})
    assert "\u202e" not in str(result.model_dump())


async def test_over_http_a_key_sees_its_own_collections(desk: ServerDesk) -> None:
    async with served(desk) as url:
        async with connected(url, desk.keys["reader"]) as wide:
            found = await told(wide, "search", query="vault word", collections=["secret"])
            assert "marzipan" in found["results"][0]["text"]
            vault = found["results"][0]["citation"]
            assert len((await wide.list_resources()).resources) == 5
        async with connected(url, desk.keys["bound reader"]) as bound:
            assert len((await bound.list_resources()).resources) == 4
            for tool, arguments in (
                ("search", {"query": "vault", "collections": ["secret"]}),
                ("ask", {"question": "Which word opens the vault?", "collections": ["secret"]}),
                ("get_document", {"document": vault["document_id"]}),
                ("get_document", {"document": vault["document_id"], "collection": "secret"}),
                ("get_passage", {"passage_id": vault["passage_id"]}),
                ("get_passage", {"passage_id": vault["passage_id"], "collection": "secret"}),
            ):
                result = await bound.call_tool(tool, arguments)
                assert result.is_error, (tool, arguments)
                assert "marzipan" not in str(result.content)
            with pytest.raises(MCPError):
                await bound.read_resource(vault["uri"])


async def test_over_http_nobody_comes_in_without_a_key_or_from_another_site(desk: ServerDesk) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    async with served(desk) as url, httpx.AsyncClient(base_url=url, headers=accept, timeout=PATIENCE) as http:
        for headers in ({}, {"Authorization": "Bearer sb_wrong"}):
            for method in ("GET", "POST", "DELETE"):
                answer = await http.request(method, "/mcp", json=HELLO, headers=headers)
                assert answer.status_code == 401
                assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_on_this_machine_a_foreign_name_or_page_is_refused(db: str) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    async with server_desk(db, host="127.0.0.1", with_people=False) as desk, served(desk) as url:
        async with connected(url, "") as client:
            assert len((await client.list_tools()).tools) == 5
        async with httpx.AsyncClient(base_url=url, headers=accept, timeout=PATIENCE) as http:
            for headers in ({"Host": "evil.test"}, {"Origin": "http://evil.test"}, {"Origin": "null"}):
                answer = await http.post("/mcp", json=HELLO, headers=headers)
                assert answer.status_code == 403, headers


async def test_over_http_questions_are_counted(db: str) -> None:
    async with (
        server_desk(db, questions_per_minute=1) as desk,
        served(desk) as url,
        connected(url, desk.keys["reader"]) as client,
    ):
        assert not (await client.call_tool("ask", {"question": QUESTION})).is_error
        assert (await client.call_tool("ask", {"question": QUESTION})).is_error
        assert not (await client.call_tool("search", {"query": "soil"})).is_error


@pytest.fixture
async def plain_base(db: str) -> str:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        await book.add_text("Blueberries want sour soil.", id="soil", title="Soil")
        await book.add_text("Only here.", id="own", collection="other")
    return db


async def test_over_stdio_the_command_serves_a_client(plain_base: str, tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "sourcebook", "--db", plain_base, "mcp", "--collection", "default"],
        env=clean_environment() | {"SOURCEBOOK_EMBEDDER": "none", "SOURCEBOOK_LOG_LEVEL": "debug"},
        cwd=tmp_path,
    )
    async with Client(command) as client:
        found = await told(client, "search", query="blueberries")
        assert found["results"][0]["citation"]["title"] == "Soil"
        assert len((await client.list_resources()).resources) == 1
        assert (await client.call_tool("get_document", {"document": "own", "collection": "other"})).is_error


def test_over_stdio_nothing_else_is_written_to_stdout(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sourcebook", "mcp", "--db", "absent.db"],
        cwd=tmp_path,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert "absent.db" in done.stderr
