"""Names that follow from content: the same text always gives the same base."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import ChunkLevel

# Lengths in characters of base32: ten bytes are enough for documents and sources; chunks are many more.
DOCUMENT_ID_LENGTH = 16
CHUNK_ID_LENGTH = 20
STORED_NAME_LENGTH = 32
_PAIRS = ["".join(pair) for pair in product("abcdefghijklmnopqrstuvwxyz234567", repeat=2)]


def hash_bytes(data: bytes) -> str:
    """The SHA-256 of a file's bytes, by which the base knows whether it changed."""
    return sha256(data).hexdigest()


def hash_text(text: str) -> str:
    """The SHA-256 of a text that never was a file."""
    return hash_bytes(text.encode())


def source_id(collection: str, root: str) -> str:
    """The id of what one `add` owns: a folder or file, in one collection."""
    return _derived(DOCUMENT_ID_LENGTH, "source", collection, root)


def document_id(collection: str, source: str, path: str, turn: int = 0) -> str:
    """The id of the document that first lay at this path of a source. It stays when the file moves.

    The file that comes to lie there after one that moved away is given its id at the next turn.
    """
    turns = (str(turn),) if turn else ()
    return _derived(DOCUMENT_ID_LENGTH, "document", collection, source, path, *turns)


def chunk_id(document: str, level: ChunkLevel, start: int, content: str) -> str:
    """The id of a span of a document's text."""
    digest = _begun("chunk", document, level).copy()
    digest.update(_measured(str(start)) + _measured(content))
    return _in_letters(digest, CHUNK_ID_LENGTH)


def stored_name(collection: str, path: str, file_hash: str) -> str:
    """The name under which uploaded bytes are kept, with a folder of two letters in front."""
    name = _derived(STORED_NAME_LENGTH, "stored", collection, path, file_hash)
    return f"{name[:2]}/{name}"


def _derived(length: int, *parts: str) -> str:
    return _in_letters(_begun(*parts), length)


@lru_cache(64)
def _begun(*parts: str) -> blake2b:
    """The digest of some parts, which nobody may change. The chunks of a document all begin with the same."""
    return blake2b(b"".join(map(_measured, parts)), digest_size=20)


def _measured(part: str) -> bytes:
    # File names may hold bytes that are no text, which Python shows as lone surrogates.
    data = part.encode(errors="surrogatepass")
    # With its length before each part, ("ab", "c") and ("a", "bc") differ.
    return len(data).to_bytes(8, "big") + data


def _in_letters(digest: blake2b, length: int) -> str:
    """The beginning of a digest in base32, two letters at a time. The standard library takes three times as long."""
    number = int.from_bytes(digest.digest(), "big")
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(150, 150 - 5 * length, -10)])
