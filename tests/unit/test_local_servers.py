"""Model servers on this machine are found by what they answer, and nothing else is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sourcebook.providers import local_servers
from sourcebook.providers.local_servers import find_local_servers


class Models(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"data": [{"id": "llama"}, {"id": ""}, "odd"]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(local_servers, "_SECONDS", 200.0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def test_a_server_is_offered_with_its_models(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "_PLACES", (("Ollama", "ollama", port), ("vLLM", "openai", 1)))
    (found,) = find_local_servers()
    assert (found.name, found.models, found.setting("llama")) == ("Ollama", ["llama"], "ollama:llama")
    assert found.base_url == f"http://127.0.0.1:{port}/v1"


def test_the_servers_own_port_is_left_out(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "_PLACES", (("Ollama", "ollama", port), ("vLLM", "openai", 1)))
    assert find_local_servers(without=port) == []
