"""Index files as the tests of the embedding store write them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NORTH, EAST, SOUTH = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]


def written(folder: Path, *rows: object, name: str = "embeddings.jsonl") -> Path:
    """A file of these rows; what is text already stands there as it is."""
    path = folder / name
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def row(id: str, embedding: object, **fields: object) -> dict[str, object]:
    return {"id": id, "embedding": embedding, **fields}


def ids(found: Sequence[dict[str, Any]]) -> list[str]:
    return [result["id"] for result in found]
