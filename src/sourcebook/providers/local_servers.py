"""Model servers that already run on this machine. They are looked for only when somebody asks."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

_SECONDS = 1.0
_LARGEST = 1_000_000
_MODELS = 20


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered: what it is, its address for chat, and the models that it offers."""

    name: str
    kind: str
    base_url: str
    models: Sequence[str]

    def setting(self, model: str) -> str:
        """What `chat_model` must be for one of its models."""
        return f"{self.kind}:{model}"


_PLACES = (
    ("Ollama", "ollama", 11434),
    ("LM Studio", "openai", 1234),
    ("llama.cpp", "openai", 8080),
    ("vLLM", "openai", 8000),
)


def find_local_servers(without: int | None = None) -> list[LocalServer]:
    """The servers that answer on the loopback address at their usual ports, except at the port `without`."""
    places = [place for place in _PLACES if place[2] != without]
    with ThreadPoolExecutor(len(places)) as threads:
        found = list(threads.map(_asked, *zip(*places, strict=True)))
    return [server for server in found if server is not None]


def _asked(name: str, kind: str, port: int) -> LocalServer | None:
    url = f"http://127.0.0.1:{port}/v1"
    # Nothing but the loopback address is asked, whatever proxy the environment names.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/models", timeout=_SECONDS) as answer:
            told = json.loads(answer.read(_LARGEST))
    except (OSError, ValueError):
        return None
    listed = cast("dict[str, Any]", told).get("data") if isinstance(told, dict) else None
    models = [
        str(cast("dict[str, Any]", each).get("id"))
        for each in (cast("list[Any]", listed) if isinstance(listed, list) else [])
        if isinstance(each, dict) and cast("dict[str, Any]", each).get("id")
    ]
    return LocalServer(name, kind, url, models[:_MODELS]) if models else None
