"""The manifest of a bundle: what its files hold, so that a damaged one is known before anything is read from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from sourcebook.errors import BadBundle
from sourcebook.model.documents import Collection, DistanceMetric, EmbeddingModel
from sourcebook.storage.jsonl.bundle_records import Fields
from sourcebook.storage.jsonl.json_lines import EMBEDDINGS, MANIFEST

FORMAT = "sourcebook-bundle"
VERSION = 1
DOCUMENTS = "documents.jsonl"
CURATED = "curated.jsonl"
FILES = (EMBEDDINGS, DOCUMENTS)
"""What every bundle has. Older ones have no file of curated answers."""
WRITTEN = (*FILES, CURATED)


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """What is known of a file of lines after it was written."""

    sha256: str
    lines: int


@dataclass(frozen=True, slots=True)
class Manifest:
    collections: Sequence[Collection]
    files: Mapping[str, WrittenFile]
    vectors: int

    @property
    def documents(self) -> int:
        return self.files[DOCUMENTS].lines

    @property
    def chunks(self) -> int:
        return self.files[EMBEDDINGS].lines

    @property
    def curated(self) -> int:
        return self.files[CURATED].lines if CURATED in self.files else 0

    def as_json(self, program_version: str) -> str:
        fields = {
            "format": FORMAT,
            "format_version": VERSION,
            "sourcebook": program_version,
            "counts": {
                "documents": self.documents,
                "chunks": self.chunks,
                "vectors": self.vectors,
                "curated": self.curated,
            },
            "files": {name: asdict(file) for name, file in self.files.items()},
            "collections": [_described(collection) for collection in self.collections],
        }
        return json.dumps(fields, ensure_ascii=False, indent=2) + "\n"


def _described(collection: Collection) -> dict[str, Any]:
    assert collection.model is not None, "a stored collection has a model"  # noqa: S101
    return {
        "id": collection.id,
        "name": collection.name,
        "description": collection.description,
        "metric": collection.distance_metric.value,
        "model": asdict(collection.model),
        "documents": collection.document_count,
        "chunks": collection.chunk_count,
    }


def claims_to_be_ours(folder: Path) -> bool:
    """Whether the folder has a manifest of a bundle, of whichever version and in whichever state."""
    return _read(folder).get("format") == FORMAT


def read_manifest(folder: Path) -> Manifest:
    """The manifest, if it is of a version that this program reads and does not contradict itself."""
    found = Fields(_read(folder), MANIFEST)
    version = found.value("format_version", int)
    if version != VERSION:
        raise BadBundle(
            f"The bundle has the format version {version}, but this program reads version {VERSION}",
            hint="Install the newer version, in the way you installed this one. Nothing was imported.",
        )
    listed = found.value("files", dict[str, Any])
    files = Fields(listed, MANIFEST)
    manifest = Manifest(
        collections=[_collection(entry) for entry in found.value("collections", list[Any])],
        files={
            name: _file(files.value(name, dict[str, Any])) for name in WRITTEN if name in {*FILES, *listed}
        },
        vectors=Fields(found.value("counts", dict[str, Any]), MANIFEST).value("vectors", int),
    )
    _require_agreement(manifest, Fields(found.value("counts", dict[str, Any]), MANIFEST))
    return manifest


def _require_agreement(manifest: Manifest, counts: Fields) -> None:
    entries = manifest.collections
    for name, lines, held in (
        ("documents", manifest.documents, sum(c.document_count for c in entries)),
        ("chunks", manifest.chunks, sum(c.chunk_count for c in entries)),
    ):
        counted = counts.value(name, int)
        if not counted == lines == held:
            raise BadBundle(
                f"{MANIFEST} counts {counted} {name}, {lines} in the files and {held} in the collections"
            )
    if len({c.id for c in entries}) < len(entries):
        raise BadBundle(f"{MANIFEST} names a collection twice")


def _file(entry: Mapping[str, Any]) -> WrittenFile:
    read = Fields(entry, MANIFEST)
    return WrittenFile(read.text("sha256"), read.value("lines", int))


def _collection(entry: object) -> Collection:
    read = Fields(entry, MANIFEST)
    model = Fields(read.value("model", dict[str, Any]), MANIFEST)
    dimensions = model.value("dimensions", int)
    return Collection(
        id=read.text("id"),
        name=read.text("name"),
        description=read.optional("description", str),
        distance_metric=read.choice("metric", DistanceMetric),
        embedding_dimensions=dimensions,
        model=EmbeddingModel(
            name=model.text("name"),
            dimensions=dimensions,
            version=model.text("version"),
            recipe=model.text("recipe"),
            tokenizer_hash=model.text("tokenizer_hash"),
        ),
        document_count=read.value("documents", int),
        chunk_count=read.value("chunks", int),
    )


def _read(folder: Path) -> Mapping[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}
