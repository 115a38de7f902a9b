"""S06: whatever a request says, in any field, is a value. Both databases are asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from tests.conftest import BACKENDS
from tests.faces.http_server import Served, served_on
from tests.security.hostile import INJECTIONS

from sourcebook.faces.http.responses.cursors import cursor_of

SECRET = "The vault opens with the word marzipan."
HOSTILE = INJECTIONS[:20]
BAD_KEYS = ["a'b", 'a"b', "a;b", "a--b;", "a b", "a)", "$.a", "a..b", ".a", "a/*", "a\\"]
LISTS = (
    ("/api/documents", (str, str)),
    ("/api/curated", (int,)),
    ("/api/drafts", (int, int)),
    ("/api/sessions", (int, str)),
)


@pytest.fixture(scope="module", params=BACKENDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    for made in served_on(request, tmp_path_factory):
        with made.book() as book:
            book.add_text(SECRET, id="vault", title="Vault", collection="secret")
        yield made


def refused_or_harmless(server: Served, method: str, path: str, **more: Any) -> str:
    """What is answered. Never a failure, and never what stands elsewhere."""
    response = server.client.request(method, path, **more)
    assert response.status_code < 500, f"{method} {path} {more}: {response.text}"
    assert "marzipan" not in response.text
    return response.text


def tables(server: Served) -> tuple[int, ...]:
    with server.book() as book:
        collections = {each.id: each.document_count for each in book.library.collections()}
    return tuple(collections[name] for name in ("default", "secret"))


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_key_outside_the_rule_is_a_bad_filter(server: Served, key: str) -> None:
    response = server.client.post("/api/search", json={"query": "soil", "where": f"{key}=x"})
    assert (response.status_code, response.json()["code"]) == (400, "bad_filter")


def test_values_of_a_search_are_only_values(server: Served) -> None:
    whole = server.post("/api/search", {"query": "soil"})["results"]
    for text in HOSTILE:
        fields = dict.fromkeys(("query", "category", "subcategory", "explain_document"), text)
        refused_or_harmless(server, "POST", "/api/search", json=fields)
        refused_or_harmless(server, "POST", "/api/search", json={"query": "soil", "where": text})
        value = {"query": "soil", "where": "category=" + _quoted(text)}
        assert server.post("/api/search", value)["results"] == [], text
        named = server.client.post("/api/search", json={"query": "soil", "collections": [text]})
        assert (named.status_code, named.json()["code"]) == (404, "collection_not_found"), text
    assert server.post("/api/search", {"query": "soil"})["results"] == whole


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def test_values_in_addresses_and_lists_are_only_values(server: Served) -> None:
    for text in HOSTILE:
        sent = quote(text, safe="")
        for path in ("/api/documents/{}", "/api/passages/{}", "/api/sessions/{}", "/api/jobs/{}"):
            refused_or_harmless(server, "GET", path.format(sent))
        for path, parts in LISTS:
            forged = cursor_of(*(text if part is str else 1 for part in parts))
            refused_or_harmless(server, "GET", path, params={"cursor": forged, "category": text})
            refused_or_harmless(server, "GET", path, params={"cursor": text, "sort": text, "limit": text})


def test_what_is_written_is_read_as_it_was_written(server: Served) -> None:
    before = tables(server)
    for number, text in enumerate(HOSTILE):
        term = {"term": f"{text} {number}", "preferred_phrase": text}
        refused_or_harmless(server, "PUT", "/api/terms", json=term)
        refused_or_harmless(server, "POST", "/api/collections", json={"id": text})
        refused_or_harmless(server, "DELETE", f"/api/collections/{quote(text, safe='')}")
        refused_or_harmless(server, "DELETE", f"/api/documents/{quote(text, safe='')}")
    assert tables(server) == before


def test_a_question_is_only_words(server: Served) -> None:
    for text in HOSTILE[:5]:
        refused_or_harmless(server, "POST", "/api/ask", json={"question": f"soil {text}", "session": None})
        refused_or_harmless(server, "POST", "/api/ask", json={"question": "soil?", "session": text})
        refused_or_harmless(server, "POST", "/api/ask", json={"question": "soil?", "category": text})
