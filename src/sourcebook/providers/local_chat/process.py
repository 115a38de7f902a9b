"""The child process that a chat model runs in: started when it is first needed, ended with its parent."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, cast

from sourcebook.errors import ProviderMissing, ProviderUnreachable
from sourcebook.providers.embedding_batches import cores
from sourcebook.providers.model_server_address import Address

_PROGRAM = Path(__file__).with_name("child.py")
_BATCH = 128
_END_SECONDS = 2.0
_DEATH_SECONDS = 5.0
_BYTES_PER_MB = 1_000_000
_RESERVE_MB = 100
"""What the child needs besides its weights and its context, about."""
_SHARE_REPACKED = 0.6
"""Part of the weights is kept a second time, in the order in which the processor wants them. Measured: 1.93 GB for a
file of 1.12 GB with four thousand tokens."""
_CONTEXT_MB_PER_1000_TOKENS = 60
"""For models of one to four thousand million parameters, about."""
_HINT = 'Run `pip install "sourcebook[local]"`.'


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """How much of the machine a model may use: threads, and the tokens that it has before its eyes."""

    threads: int
    context: int = 4096

    def megabytes(self, weights: Path) -> int:
        """The memory that these weights will take, about."""
        size = weights.stat().st_size // _BYTES_PER_MB
        return (
            int(size * (1 + _SHARE_REPACKED))
            + _RESERVE_MB
            + _CONTEXT_MB_PER_1000_TOKENS * self.context // 1000
        )


class ModelProcess:
    """One child with one model. `address` starts it, and starts it again if it has died."""

    def __init__(self, weights: Path, limits: ModelLimits) -> None:
        self._weights = weights
        self._limits = limits
        self._lock = Lock()
        self._child: subprocess.Popen[str] | None = None
        self._address: Address | None = None

    def address(self) -> Address:
        """Where the model answers. The first call loads it, which takes seconds; it blocks."""
        with self._lock:
            if self._address is None or self._child is None or self._child.poll() is not None:
                if self._child is not None:
                    _end(self._child)
                self._require()
                self._address = self._started()
            return self._address

    def death(self, seconds: float = _DEATH_SECONDS) -> str | None:
        """How the child ended, if it did without being told to; a connection may break a little earlier."""
        child = self._child
        if child is None:
            return None
        try:
            code = child.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        return f"by signal {-code}" if code < 0 else f"with code {code}"

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    def close(self) -> None:
        """End the child. The next question starts another."""
        with self._lock:
            child, self._child, self._address = self._child, None, None
        if child is not None:
            _end(child)

    def _require(self) -> None:
        if find_spec("xllamacpp") is None:
            raise ProviderMissing("A chat model on this machine needs `xllamacpp`.", hint=_HINT)
        if not self._weights.is_file():
            raise ProviderMissing(
                f"There is no file {self._weights}.",
                hint="`sourcebook models list` shows what is installed, `sourcebook models get NAME` downloads.",
            )
        needed, free = self._limits.megabytes(self._weights), free_megabytes()
        if free is not None and free < needed:
            raise ProviderMissing(
                f"{self._weights.name} needs about {needed:,} MB of memory, and {free:,} MB are free.",
                hint="Use a smaller model, or lower `chat_context`.",
            )

    def _started(self) -> Address:
        key = secrets.token_urlsafe(24)
        child = subprocess.Popen(  # noqa: S603 - our own interpreter and file
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # Ctrl-C in a terminal is for the parent, which then stops the answer and keeps the model.
            start_new_session=True,
        )
        self._child = child
        said = _told(
            child,
            {
                "weights": str(self._weights),
                "context": self._limits.context,
                "threads": self._limits.threads,
                "batch": _BATCH,
                "key": key,
            },
        )
        if "address" in said:
            return Address(f"{said['address']}/v1", key, is_own=True)
        child.kill()
        _end(child)
        raise ProviderUnreachable(
            f"{self._weights.name} cannot be loaded: {said.get('error') or 'the process ended'}",
            hint="Check that it is a GGUF file of a chat model, and that there is memory enough for it.",
        )


def _end(child: subprocess.Popen[str]) -> None:
    if child.stdin:
        with suppress(BrokenPipeError):
            child.stdin.close()
    try:
        child.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout:
        child.stdout.close()


def _told(child: subprocess.Popen[str], wanted: dict[str, Any]) -> dict[str, Any]:
    """Say what to load, and wait for the answer; nothing if the child ends instead."""
    if child.stdin is None or child.stdout is None:
        return {}
    try:
        child.stdin.write(json.dumps(wanted) + "\n")
        child.stdin.flush()
        said = json.loads(child.stdout.readline())
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}


def free_cores() -> int:
    """How many threads to compute with: the cores that others have not kept busy in the last minute, at least one.

    The threads of a model wait for each other after every step. One that does not get its core holds up all: on two
    busy cores, two threads were measured to write ten times slower than one.
    """
    all_cores = cores()
    try:
        busy = os.getloadavg()[0]
    except OSError:
        return all_cores
    return max(1, min(all_cores, round(all_cores - busy)))


def free_megabytes() -> int | None:
    """The memory that programs may still take, where the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    known = dict(line.split(":", 1) for line in lines if ":" in line)
    words = known.get("MemAvailable", "").split()
    return int(words[0]) * 1024 // _BYTES_PER_MB if words else None
