"""What can be wrong with what a caller gives, found before a base is asked."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadMetadata, BadText, DuplicateChunkId, UsageError
from sourcebook.text.case_and_accents import storable

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk, Metadata

_DEEPEST_METADATA = 32
_CHUNKS_AT_ONCE = 256
_PLAIN = (str, int, float)
# A NUL in JSON: one backslash, not the second of two.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def require_sane_chunks(chunks: Sequence[Chunk]) -> None:
    repeated = [i for i, n in Counter(c.id for c in chunks).items() if n > 1]
    if repeated:
        raise DuplicateChunkId(f"The chunk id {repeated[0]!r} appears more than once in one call")
    for start in range(0, len(chunks), _CHUNKS_AT_ONCE):
        some = chunks[start : start + _CHUNKS_AT_ONCE]
        # One look at all texts together, and one at each only if something is wrong with some of them.
        are_storable = storable("".join(chain.from_iterable(map(_texts_of, some))))
        for chunk in some:
            if not (are_storable and chunk.id and chunk.document_id and chunk.metadata == {}):
                _require_sane(chunk)


def _require_sane(chunk: Chunk) -> None:
    what = f"chunk {chunk.id!r}"
    if not chunk.id or not chunk.document_id:
        raise UsageError(f"{what} of document {chunk.document_id!r}: both need a non-empty id")
    require_storable(what, *_texts_of(chunk))
    metadata_text(chunk.metadata, what)


def _texts_of(chunk: Chunk) -> tuple[str, ...]:
    return chunk.id, chunk.document_id, chunk.content, chunk.parent_id or "", chunk.section or ""


def require_storable(what: str, *texts: str | None) -> None:
    """Refuse what one of the databases could not hold, on both."""
    if not all(text is None or storable(text) for text in texts):
        raise BadText(f"{what} contains NUL characters or unpaired surrogates")


def metadata_text(metadata: Metadata, what: str) -> str:
    """Metadata as JSON that gives back exactly what went in, or an error that names whose it is."""
    if isinstance(metadata, dict) and not metadata:
        return "{}"
    _require_plain(metadata, what, depth=1)
    try:
        text = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise BadMetadata(f"The metadata of {what} contains NaN or infinity") from error
    if not storable(text) or _NUL.search(text):
        raise BadMetadata(f"The metadata of {what} contains NUL characters or unpaired surrogates")
    return text


def _require_plain(value: object, what: str, depth: int) -> None:
    """Refuse what JSON has no form for, or none that gives the same back. Texts and numbers are looked at later."""
    elements: Iterable[object]
    if isinstance(value, dict):
        of_keys = cast("Mapping[object, object]", value)
        for key in of_keys:
            if not isinstance(key, str):
                raise BadMetadata(f"The metadata of {what} has the key {key!r}, which is not text")
        elements = of_keys.values()
    elif isinstance(value, (list, tuple)):
        elements = cast("Sequence[object]", value)
    else:
        raise BadMetadata(f"The metadata of {what} contains a {type(value).__name__}, which is not JSON")
    for element in elements:
        if depth >= _DEEPEST_METADATA:
            raise BadMetadata(f"The metadata of {what} is nested more than {_DEEPEST_METADATA} levels deep")
        if element is not None and type(element) not in _PLAIN and not isinstance(element, _PLAIN):
            _require_plain(element, what, depth + 1)
