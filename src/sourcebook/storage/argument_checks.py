"""What can be wrong with what a caller gives, found before a base is asked."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadMetadata, BadText, DuplicateChunkId, UsageError
from sourcebook.text.normal_form import storable

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk, Metadata

_DEEPEST_METADATA = 32


def require_sane_chunks(chunks: Sequence[Chunk]) -> None:
    repeated = [i for i, n in Counter(c.id for c in chunks).items() if n > 1]
    if repeated:
        raise DuplicateChunkId(f"the chunk id {repeated[0]!r} appears more than once in one call")
    for chunk in chunks:
        what = f"chunk {chunk.id!r}"
        if not chunk.id or not chunk.document_id:
            raise UsageError(f"{what} of document {chunk.document_id!r}: both need a non-empty id")
        require_storable(what, chunk.id, chunk.document_id, chunk.content, chunk.parent_id, chunk.section)
        metadata_text(chunk.metadata, what)


def require_storable(what: str, *texts: str | None) -> None:
    """Refuse what one of the databases could not hold, on both."""
    if not all(text is None or storable(text) for text in texts):
        raise BadText(f"{what} contains NUL characters or unpaired surrogates")


def metadata_text(metadata: Metadata, what: str) -> str:
    """Metadata as JSON that gives back exactly what went in, or an error that names whose it is."""
    _require_plain(metadata, what, depth=1)
    return json.dumps(metadata, ensure_ascii=False, allow_nan=False)


def _require_plain(value: object, what: str, depth: int) -> None:
    match value:
        case _ if depth > _DEEPEST_METADATA:
            raise BadMetadata(f"the metadata of {what} is nested more than {_DEEPEST_METADATA} levels deep")
        case None | bool() | int():
            return
        case float():
            if not math.isfinite(value):
                raise BadMetadata(f"the metadata of {what} contains NaN or infinity")
        case str():
            if not storable(value):
                raise BadMetadata(f"the metadata of {what} contains NUL characters or unpaired surrogates")
        case list() | tuple():
            for element in cast("Sequence[object]", value):
                _require_plain(element, what, depth + 1)
        case dict():
            for key, element in cast("Mapping[object, object]", value).items():
                if not isinstance(key, str):
                    raise BadMetadata(f"the metadata of {what} has the key {key!r}, which is not text")
                _require_plain(key, what, depth)
                _require_plain(element, what, depth + 1)
        case _:
            raise BadMetadata(f"the metadata of {what} contains a {type(value).__name__}, which is not JSON")
