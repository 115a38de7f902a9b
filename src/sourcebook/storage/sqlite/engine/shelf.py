"""The images of one kind, for all collections of a base, and the files that they share with other processes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import anyio.to_thread

from sourcebook.errors import StorageError
from sourcebook.storage.sqlite.engine.derived_file import DerivedFiles, FileRecord, new_token
from sourcebook.storage.sqlite.engine.images import Image, Part, fully_alive, read_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.repositories.collections import StoredCollection
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.images import Loader
    from sourcebook.storage.sqlite.session import SqliteSession

P = TypeVar("P", bound=Part)

# Below this, reading from the base is as fast as a file would be.
_ROWS_WORTH_A_FILE = 20_000
# Searches that began before a change may still need the image of their moment.
_IMAGES_KEPT = 8


class Kind(Protocol[P]):
    """How parts of one kind are read from the base and kept in a file."""

    @property
    def name(self) -> str: ...

    def loader(self, stored: StoredCollection) -> Loader[P]: ...

    def to_arrays(self, part: P) -> dict[str, NDArray[Any]]: ...

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], stored: StoredCollection) -> P: ...


@dataclass(slots=True)
class _Place(Generic[P]):
    lock: Lock
    images: dict[int, Image[P]]
    publishing: bool = False


class Shelf(Generic[P]):
    """Safe to use from several threads: an image never changes, and only one thread at a time makes the next."""

    def __init__(self, database: SqliteDatabase, kind: Kind[P]) -> None:
        self._database = database
        self._kind = kind
        self._files = DerivedFiles(database.path)
        self._places: dict[str, _Place[P]] = {}
        self._lock = Lock()

    def image(self, session: SqliteSession, stored: StoredCollection) -> Image[P]:
        """The image of exactly the state that the session sees."""
        name = self._name(stored)
        with self._lock:
            place = self._places.setdefault(name, _Place(Lock(), {}))
        seq = _last_change(session)
        with place.lock:
            image = place.images.get(seq)
            newest = max(place.images, default=-1)
            if image is None or not image.token:
                known = image or place.images.get(newest)
                image = self._made(session, stored, seq, known if newest <= seq else None)
                place.images[seq] = image
                for old in sorted(place.images)[:-_IMAGES_KEPT]:
                    del place.images[old]
            return image

    async def publish(self, stored: StoredCollection, image: Image[P]) -> None:
        """Put an image that was read whole into a file for everybody, if it is worth one and the base lets us."""
        name = self._name(stored)
        place = self._places[name]
        if not image.is_whole or image.rows < _ROWS_WORTH_A_FILE or place.publishing:
            return
        place.publishing = True
        try:
            token = new_token()
            arrays = await anyio.to_thread.run_sync(self._kind.to_arrays, image.parts[0].part)
            await anyio.to_thread.run_sync(self._files.write, name, token, arrays)
            record = FileRecord(token, image.seq)
            await self._database.execute("put_derived_file", key=f"derived:{name}", value=record.as_text())
            await anyio.to_thread.run_sync(self._files.forget_others, name, token)
        except (StorageError, OSError):
            # A base that cannot be written, or a full disk, is searched from this process's own memory.
            await anyio.to_thread.run_sync(self._files.forget_others, name, image.token or image.replaces)
        finally:
            place.publishing = False

    def forget(self, stored: StoredCollection) -> None:
        """Let go of a collection, with its file."""
        name = self._name(stored)
        with self._lock:
            self._places.pop(name, None)
        self._files.forget_others(name, "")

    def _made(
        self, session: SqliteSession, stored: StoredCollection, seq: int, known: Image[P] | None
    ) -> Image[P]:
        load = self._kind.loader(stored)
        shared = self._shared(session, stored, seq, known)
        image = shared or known
        if image is None:
            return read_whole(session, stored.collection.id, seq, load)
        return image if image.seq == seq else image.caught_up(session, seq, load)

    def _shared(
        self, session: SqliteSession, stored: StoredCollection, seq: int, known: Image[P] | None
    ) -> Image[P] | None:
        """The image of the shared file, if there is one that this process does not use yet and has not worn out."""
        name = self._name(stored)
        row = session.fetch_one("derived_file", key=f"derived:{name}")
        if row is None:
            return None
        record = FileRecord.of(row["value"])
        if record.seq > seq or (known is not None and record.token in (known.token, known.replaces)):
            return None
        arrays = self._files.read(name, record.token)
        if arrays is None:
            return None
        part = self._kind.from_arrays(arrays, stored)
        collection_id = stored.collection.id
        return Image(collection_id, record.seq, (fully_alive(part, collection_id),), record.token)

    def _name(self, stored: StoredCollection) -> str:
        digest = hashlib.blake2b(stored.collection.id.encode(), digest_size=8).hexdigest()
        return f"{self._kind.name}-{digest}-{stored.model_id}"


def _last_change(session: SqliteSession) -> int:
    row = session.fetch_one("last_change")
    return int(row["seq"]) if row else 0
