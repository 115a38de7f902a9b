"""Stores that are read again only when their files change."""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from weakref import WeakValueDictionary

from sourcebook.storage.jsonl.embedding_store import EmbeddingStore, index_file
from sourcebook.storage.jsonl.json_lines import MANIFEST, hash_file

MOST_STORES = 8
"""How many indexes stay in memory; the one that was not asked for the longest goes first."""

# A file that is written twice within one tick of its file system's clock looks the same after both.
_CLOCK_TICK_NS = 100_000_000


def get_manifest_hash(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a manifest, named by the file or by its folder; empty if there is none."""
    file = Path(path)
    try:
        return hashlib.sha256((file / MANIFEST if file.is_dir() else file).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def cached_embedding_store(path: str | os.PathLike[str]) -> EmbeddingStore:
    """The store of an index, cached until its file or the `manifest.json` beside it changes."""
    return _CACHE.get(path)


class _Stamp(NamedTuple):
    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, file: Path) -> _Stamp:
        found = file.stat()
        return cls(found.st_mtime_ns, found.st_size, found.st_ino)

    @property
    def is_settled(self) -> bool:
        """Whether a later change of the file is sure to change the stamp."""
        return not 0 <= time.time_ns() - self.mtime_ns < _CLOCK_TICK_NS


@dataclass(frozen=True, slots=True)
class _Entry:
    store: EmbeddingStore
    manifest_hash: str
    stamp: _Stamp
    is_settled: bool


class EmbeddingStoreCache:
    """Stores by the resolved path of their files. Each path is loaded by one thread at a time."""

    def __init__(self, most: int = MOST_STORES) -> None:
        self._most = most
        self._guard = Lock()
        self._entries: OrderedDict[Path, _Entry] = OrderedDict()
        self._loading: WeakValueDictionary[Path, Lock] = WeakValueDictionary()

    def get(self, path: str | os.PathLike[str]) -> EmbeddingStore:
        file = index_file(path).resolve()
        with self._guard:
            loading = self._loading.setdefault(file, Lock())
        with loading:
            try:
                entry = self._fresh(file)
            except FileNotFoundError:
                with self._guard:
                    self._entries.pop(file, None)
                raise
            with self._guard:
                self._entries[file] = entry
                self._entries.move_to_end(file)
                while len(self._entries) > self._most:
                    self._entries.popitem(last=False)
            return entry.store

    def _fresh(self, file: Path) -> _Entry:
        # What is noted is how the files were before they were read: a change in between is seen the next time.
        stamp, manifest_hash = _Stamp.of(file), get_manifest_hash(file.with_name(MANIFEST))
        is_settled = stamp.is_settled
        with self._guard:
            held = self._entries.get(file)
        if held is not None and (held.stamp, held.manifest_hash) == (stamp, manifest_hash):
            if held.is_settled:
                return held
            if hash_file(file) == held.store.digest:
                return replace(held, is_settled=is_settled)
        return _Entry(EmbeddingStore(file), manifest_hash, stamp, is_settled)


_CACHE = EmbeddingStoreCache()
