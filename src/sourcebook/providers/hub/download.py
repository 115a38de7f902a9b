"""Brings one file of the hub here: goes on where it was interrupted, and believes nothing that is not checked."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

from sourcebook.errors import DownloadFailed, ProviderUnreachable
from sourcebook.providers.hub.connection import HubReply, asked

if TYPE_CHECKING:
    from sourcebook.providers.hub.repository_listing import HubAddress, HubFile, Repository

_PIECE = 1 << 20
_ATTEMPTS = 5
_FIRST_WAIT = 0.5
_PART = 206

OnBytes = Callable[[int], None]
"""Is told how many bytes of the file are here."""


@dataclass(frozen=True, slots=True)
class Download:
    """One file on its way. What has come lies in `target` with `.part` behind its name."""

    address: HubAddress
    repository: Repository
    file: HubFile
    target: Path

    @property
    def part(self) -> Path:
        # What came of another commit is of no use.
        return self.target.with_name(f"{self.target.name}.{self.repository.commit[:12]}.part")

    @property
    def here(self) -> int:
        """How many bytes have come."""
        for path in (self.target, self.part):
            if path.is_file():
                return path.stat().st_size
        return 0

    def run(self, on_bytes: OnBytes | None = None, wait: Callable[[float], None] = time.sleep) -> str:
        """Bring what is missing, check the whole, and return its SHA-256. A wrong file is removed."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        file = self.file
        if file.sha256 is None and file.git_sha1 is None:
            file = self.address.with_hash(self.repository, file)
        if self.target.is_file() and _is_right(self.target, file):
            return sha256_of(self.target)
        self.target.unlink(missing_ok=True)
        self._bring(on_bytes or (lambda _: None), wait)
        self.part.replace(self.target)
        if not _is_right(self.target, file):
            self.target.unlink()
            raise DownloadFailed(
                f"{file.path} is not what {self.address.shown} says that it is: its hash differs. It was removed.",
                hint="Try again. If it happens again, the hub or the mirror is not to be trusted with this file.",
            )
        return sha256_of(self.target)

    def _bring(self, on_bytes: OnBytes, wait: Callable[[float], None]) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            before = self.here
            try:
                self._bring_rest(on_bytes)
            except ProviderUnreachable:
                # A connection that breaks after some megabytes is no failure: they stay.
                if attempt == _ATTEMPTS and self.here == before:
                    raise
            if self.here >= self.file.size:
                return
            wait(_FIRST_WAIT * 2 ** (attempt - 1))
        raise DownloadFailed(f"{self.file.path} broke off at {self.here:,} of {self.file.size:,} bytes.")

    def _bring_rest(self, on_bytes: OnBytes) -> None:
        if not self.file.size:
            self.part.touch()
            return
        have = self.here
        if have == self.file.size:
            return
        if have > self.file.size:
            self.part.unlink()
            have = 0
        url = self.address.file_url(self.repository.name, self.repository.commit, self.file.path)
        headers = self.address.headers | ({"Range": f"bytes={have}-"} if have else {})
        with asked(url, headers, shown=self.address.shown, what=self.repository.name) as reply:
            self._write(reply, have, on_bytes)

    def _write(self, reply: HubReply, have: int, on_bytes: OnBytes) -> None:
        goes_on = reply.status == _PART and _start_of(reply) == have
        done = have if goes_on else 0
        with self._opened("ab" if goes_on else "wb") as file:
            while piece := reply.read(_PIECE):
                with self._disk_errors():
                    file.write(piece)
                done += len(piece)
                on_bytes(done)
                if done > self.file.size:
                    break
            with self._disk_errors():
                file.flush()
                os.fsync(file.fileno())
        if done > self.file.size:
            self.part.unlink(missing_ok=True)
            raise DownloadFailed(
                f"{self.address.shown} sends more of {self.file.path} than the {self.file.size:,} bytes it told of."
            )

    @contextmanager
    def _opened(self, mode: Literal["ab", "wb"]) -> Generator[IO[bytes]]:
        with self._disk_errors():
            file = self.part.open(mode)
        with file:
            yield file

    @contextmanager
    def _disk_errors(self) -> Generator[None]:
        """Told apart from those of the network, which are tried again."""
        try:
            yield
        except OSError as error:
            raise DownloadFailed(
                f"{self.part} could not be written: {error.strerror or error}.",
                hint="Free some space, or set `models_folder` to another disk. What has come is kept.",
            ) from error


def _is_right(path: Path, file: HubFile) -> bool:
    if path.stat().st_size != file.size:
        return False
    if file.sha256 is not None:
        return sha256_of(path) == file.sha256
    return git_sha1_of(path) == file.git_sha1


def _start_of(reply: HubReply) -> int | None:
    """Where the piece begins that a server sends: `bytes 100-199/200` begins at 100."""
    kind, _, rest = reply.headers.get("content-range", "").partition(" ")
    start = rest.partition("-")[0]
    return int(start) if kind == "bytes" and start.isdecimal() else None


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_sha1_of(path: Path) -> str:
    """The hash under which git keeps a file."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
