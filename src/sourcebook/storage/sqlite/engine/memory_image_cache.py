"""The images of one kind, for all collections of a base, and the files that they share with other processes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import anyio.to_thread

from sourcebook.errors import BaseBusy, SourcebookError
from sourcebook.storage.index.collections import required_from
from sourcebook.storage.sqlite.engine.collection_state import stored_collection
from sourcebook.storage.sqlite.engine.derived_file import DerivedFiles, FileRecord, new_token
from sourcebook.storage.sqlite.engine.memory_images import (
    SHARE_TO_REBUILD,
    Growing,
    Image,
    IndexPart,
    fully_alive,
    read_whole,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.index.collections import StoredCollection
    from sourcebook.storage.sqlite.database import SqliteDatabase
    from sourcebook.storage.sqlite.engine.memory_images import Loader, Outlook, Size
    from sourcebook.storage.sqlite.worker_session import SqliteSession

P = TypeVar("P", bound=IndexPart)

# Below this, reading from the base is as fast as a file would be.
ROWS_WORTH_A_FILE = 20_000
_PAUSE_AFTER_FAILURE = 60.0
# A file that could not be recorded, since somebody was writing, is tried again after so many times as long as it took.
_PAUSE_WHEN_BUSY = 10
# Searches that began before a change may still need the image of their moment.
_IMAGES_KEPT = 8


class IndexKind(Growing[P], Protocol[P]):
    """How parts of one kind are read from the base and kept in a file."""

    @property
    def name(self) -> str: ...

    @property
    def soon(self) -> Size:
        """So much is read in less than ten milliseconds, for which everything else in the event loop may wait."""
        ...

    def loader(self, stored: StoredCollection) -> Loader[P]: ...

    def size_of(
        self, session: SqliteSession, stored: StoredCollection, document_ids: Sequence[str]
    ) -> Size | None:
        """How much the loader would read of these documents; None if that alone takes long to tell."""
        ...

    def to_arrays(self, part: P) -> dict[str, NDArray[Any]]: ...

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], stored: StoredCollection) -> P: ...


@dataclass(slots=True)
class _Place(Generic[P]):
    """What is held of one collection. The lock is for whoever makes the next image.

    No file is tried before `not_before`. `has_no_file`: the last one could not be written.
    """

    lock: Lock = field(default_factory=Lock)
    images: dict[int, Image[P]] = field(default_factory=dict[int, "Image[P]"])
    publishing: Thread | None = None
    not_before: float = 0.0
    has_no_file: bool = False

    def last_until(self, seq: int) -> Image[P] | None:
        """The image to go on from. A search that began earlier than another may come later: to it, its own past."""
        earlier = max((known for known in self.images if known <= seq), default=None)
        return None if earlier is None else self.images[earlier]

    def keep(self, image: Image[P]) -> None:
        self.images[image.seq] = image
        self._leave_earlier()

    def _leave_earlier(self) -> None:
        """Keep the last images that cost nothing beside the newest: they share its first part, or lie in a file."""
        last, *earlier = sorted(self.images, reverse=True)
        for place, seq in enumerate(earlier, start=1):
            is_cheap = bool(self.images[seq].token) or self.images[seq].begins_like(self.images[last])
            if place >= _IMAGES_KEPT or not is_cheap:
                del self.images[seq]

    def leave_written(self, image: Image[P]) -> None:
        """Let go of an image that is in a file now: the next search maps that, which takes no memory of its own."""
        if time.monotonic() >= self.not_before:
            with self.lock:
                self.images.pop(image.seq, None)


class ImageCache(Generic[P]):
    """Safe to use from several threads: an image never changes, and only one thread at a time makes the next."""

    def __init__(
        self, database: SqliteDatabase, kind: IndexKind[P], rows_worth_a_file: int = ROWS_WORTH_A_FILE
    ) -> None:
        self._database = database
        self._kind = kind
        self._rows_worth_a_file = rows_worth_a_file
        self._files = DerivedFiles(database.path)
        self._places: dict[str, _Place[P]] = {}
        self._lock = Lock()
        database.before_close(self._finish)

    def image(self, session: SqliteSession, stored: StoredCollection, *, anew: bool = False) -> Image[P]:
        """The image of exactly the state that the session sees. `anew`: as one part, read from the base."""
        name = self._name(stored)
        with self._lock:
            if name not in self._places:
                self._leave_other_models(name)
            place = self._places.setdefault(name, _Place())
        seq, record = _remembered_state(session, name)
        with place.lock:
            known = place.last_until(seq)
            if anew and not (known is not None and known.seq == seq and known.is_whole):
                image = read_whole(session, stored.collection.id, seq, self._kind.loader(stored))
            else:
                image = self._made(session, stored, seq, record, known)
            if self._is_joined_here(place, image):
                image = image.as_whole(self._kind.join)
            place.keep(image)
        self._publish_later(name, place, image)
        return image

    def ready_image(self, session: SqliteSession, stored: StoredCollection) -> Image[P] | None:
        """The same, if little is left to do for it: few rows to follow, no wait, no file to be read or written."""
        name = self._name(stored)
        place = self._places.get(name)
        if place is None:
            return None
        seq, record = _remembered_state(session, name)
        image = place.images.get(seq)
        if image is None:
            image = self._soon_followed(session, stored, place, seq, record)
        return None if image is None or self._is_to_publish(place, image) else image

    def _soon_followed(
        self,
        session: SqliteSession,
        stored: StoredCollection,
        place: _Place[P],
        seq: int,
        record: FileRecord | None,
    ) -> Image[P] | None:
        """The image of this state, if another thread does not make one and few rows make it of the last one."""
        if not place.lock.acquire(blocking=False):
            return None
        try:
            known = place.last_until(seq)
            if known is None or _is_elsewhere(record, seq, known):
                return None
            image = self._few_followed(session, stored, place, known, seq)
            if image is not None:
                place.keep(image)
            return image
        finally:
            place.lock.release()

    def _few_followed(
        self, session: SqliteSession, stored: StoredCollection, place: _Place[P], known: Image[P], seq: int
    ) -> Image[P] | None:
        """What comes of an image, if little is read and moved for it and nothing else has to be done with it then."""
        changed = known.few_changed(session)
        if not changed:
            return None if changed is None else replace(known, seq=seq)
        added = self._kind.size_of(session, stored, changed)
        if added is None:
            return None
        remains = known.without(changed)
        outlook = remains.outlook(added, self._kind)
        if not outlook.takes.is_within(self._kind.soon):
            return None
        # Whatever a thread would do with it is decided before anything is read, so that nothing is read twice.
        if self._is_joined_here(place, outlook) or self._is_to_publish(place, outlook):
            return None
        return remains.with_added(self._kind.loader(stored)(session, changed), seq, self._kind)

    async def prepare(self, collection_id: str) -> None:
        """Make the file now that the next search would make, if there is none or most of it is out of date.

        What was kept for writing is given back first, so that both need not be held at the same time.
        """
        if await self._database.read(
            lambda session: self._is_due(session, stored_collection(session, collection_id))
        ):
            await self._database.release_memory()
            await self._database.read_much(
                lambda session: self._prepare(session, stored_collection(session, collection_id))
            )

    def _prepare(self, session: SqliteSession, stored: StoredCollection) -> None:
        # Not joined with what there is, which would have to be held beside it.
        image, name = self.image(session, stored, anew=True), self._name(stored)
        with self._lock:
            # The collection may have been removed meanwhile, or got another model.
            place = self._places.get(name)
            publishing = None if place is None else place.publishing
        if publishing is not None:
            publishing.join()
        if place is not None and self._is_worth_a_file(image):
            place.leave_written(image)

    def _is_due(self, session: SqliteSession, stored: StoredCollection) -> bool:
        """Whether there is so much that a file pays, and none or one of which most is out of date."""
        return stored.collection.chunk_count >= self._rows_worth_a_file and not self._is_fresh(
            session, stored
        )

    def _is_fresh(self, session: SqliteSession, stored: StoredCollection) -> bool:
        _, record = _state(session, self._name(stored))
        if record is None:
            return False
        collection = stored.collection
        changed = session.fetch("changed_documents", collection_id=collection.id, seq=record.seq)
        return len(changed) < SHARE_TO_REBUILD * collection.document_count

    async def forget(self, stored: StoredCollection) -> None:
        """Let go of a collection that is no more, with its file."""
        name = self._name(stored)
        with self._lock:
            self._places.pop(name, None)
        await self._database.execute("forget_derived_file", key=_key(name))
        with suppress(OSError):
            await anyio.to_thread.run_sync(lambda: self._files.remove(self._files.present(name)))

    def _leave_other_models(self, name: str) -> None:
        """Let go of what is held for the models that a collection had before this one."""
        collection = "-".join(name.split("-")[:2]) + "-"
        for other, place in list(self._places.items()):
            if other.startswith(collection) and place.publishing is None:
                del self._places[other]

    def _publish_later(self, name: str, place: _Place[P], image: Image[P]) -> None:
        """Put an image into a file for everybody, in a thread that no search waits for.

        It was read whole, or has worn out: until the file is there, its many parts go on answering.
        """
        if not self._is_to_publish(place, image):
            return
        with self._lock:
            if place.publishing is not None:
                return
            place.publishing = Thread(target=self._publish, args=(name, place, image), daemon=True)
            place.publishing.start()

    def _is_to_publish(self, place: _Place[P], image: Image[P] | Outlook) -> bool:
        """Whether a file should be made of it now, which nobody does yet."""
        is_time = place.publishing is None and time.monotonic() >= place.not_before
        return is_time and self._is_worth_a_file(image)

    def _is_joined_here(self, place: _Place[P], image: Image[P] | Outlook) -> bool:
        """Whether it should be made one part again and no file will do that."""
        return image.is_worn and (place.has_no_file or not self._is_worth_a_file(image))

    def _is_worth_a_file(self, image: Image[P] | Outlook) -> bool:
        return (image.is_whole or image.is_worn) and image.living >= self._rows_worth_a_file

    def _publish(self, name: str, place: _Place[P], image: Image[P]) -> None:
        began = time.monotonic()
        try:
            self._write_file(name, image)
            place.has_no_file = False
        except BaseBusy:
            now = time.monotonic()
            place.not_before = now + _PAUSE_WHEN_BUSY * (now - began)
        except MemoryError:
            # There was no room to make one part of it; its many parts go on answering.
            place.not_before = time.monotonic() + _PAUSE_AFTER_FAILURE
        except (SourcebookError, OSError):
            # A base that cannot be written, or a full disk, is searched from this process's own memory.
            place.not_before = time.monotonic() + _PAUSE_AFTER_FAILURE
            place.has_no_file = True
        finally:
            place.publishing = None

    def _write_file(self, name: str, image: Image[P]) -> None:
        token = new_token()
        # Only these are out of date afterwards: somebody else may be writing one at this moment.
        before = self._files.present(name)
        part = image.one_part(self._kind.join)
        written = self._files.write(name, token, self._kind.to_arrays(part))
        try:
            recorded = self._database.write_apart(
                partial(_record, name, FileRecord(token, image.seq), image.collection_id)
            )
        except BaseException:
            self._files.remove([written])
            raise
        self._files.remove(path for path in before if recorded not in path.name)

    def _finish(self) -> None:
        """Wait for what is being written."""
        with self._lock:
            running = [place.publishing for place in self._places.values()]
        for thread in running:
            if thread is not None:
                thread.join()

    def _made(
        self,
        session: SqliteSession,
        stored: StoredCollection,
        seq: int,
        record: FileRecord | None,
        known: Image[P] | None,
    ) -> Image[P]:
        load = self._kind.loader(stored)
        image = self._shared(stored, seq, record, known) or known
        if image is None:
            return read_whole(session, stored.collection.id, seq, load)
        return image if image.seq == seq else image.caught_up(session, seq, load, self._kind)

    def _shared(
        self, stored: StoredCollection, seq: int, record: FileRecord | None, known: Image[P] | None
    ) -> Image[P] | None:
        """The image of the shared file, if there is one that this process does not use yet and has not worn out."""
        if record is None or not _is_elsewhere(record, seq, known):
            return None
        arrays = self._files.read(self._name(stored), record.token)
        if arrays is None:
            return None
        part = self._kind.from_arrays(arrays, stored)
        collection_id = stored.collection.id
        return Image(collection_id, record.seq, (fully_alive(part, collection_id),), record.token)

    def _name(self, stored: StoredCollection) -> str:
        digest = _digest(stored.collection.id)
        return f"{self._kind.name}-{digest}-{stored.model_id}-{stored.collection.distance_metric}"


@lru_cache(maxsize=256)
def _digest(collection_id: str) -> str:
    return hashlib.blake2b(collection_id.encode(), digest_size=8).hexdigest()


def _key(name: str) -> str:
    return f"derived:{name}"


def _is_elsewhere(record: FileRecord | None, seq: int, known: Image[Any] | None) -> bool:
    """Whether there is a shared file for this state that the image does not come from and was not found better than."""
    if record is None or record.seq > seq:
        return False
    return known is None or record.token not in (known.token, known.replaces)


def _remembered_state(session: SqliteSession, name: str) -> tuple[int, FileRecord | None]:
    return session.remembered(("derived", name), lambda: _state(session, name))


def _state(session: SqliteSession, name: str) -> tuple[int, FileRecord | None]:
    """The last change that the session sees, and the file that the base holds for true."""
    row = session.fetch_one("derived_state", key=_key(name))
    if row is None:
        return 0, None
    return int(row["seq"]), None if row["record"] is None else FileRecord.of(row["record"])


def _record(name: str, record: FileRecord, collection_id: str, session: SqliteSession) -> str:
    """Make the file the true one, unless its collection is gone. The token of the one that is, afterwards."""
    required_from(session.fetch_one("collection_by_id", collection_id=collection_id), collection_id)
    session.change("put_derived_file", key=_key(name), value=record.as_text())
    _, now = _state(session, name)
    return record.token if now is None else now.token
