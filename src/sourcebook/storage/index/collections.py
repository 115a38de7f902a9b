"""Collections and the models their vectors come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sourcebook.errors import CollectionConflict, CollectionNotFound, UsageError
from sourcebook.model.documents import EmbeddingModel
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.curation.stale_answers import lose_sources
from sourcebook.storage.rows import collection_from

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, JsonValue
    from sourcebook.storage.database import Database, Executor, Row

_LONGEST_ID = 200
_LARGEST_VECTOR = 16_000


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A collection with what only storage needs to know of it."""

    collection: Collection
    model_id: int
    word_rows: int
    word_length: int
    document_word_rows: int
    document_word_length: int


def stored_from(row: Row) -> StoredCollection:
    return StoredCollection(
        collection=collection_from(row),
        model_id=row["active_model_id"],
        word_rows=row["word_rows"],
        word_length=row["word_length"],
        document_word_rows=row["document_word_rows"],
        document_word_length=row["document_word_length"],
    )


async def find(executor: Executor, collection_id: str) -> StoredCollection | None:
    row = await executor.fetch_one("collection_by_id", collection_id=collection_id)
    return None if row is None else stored_from(row)


async def require(executor: Executor, collection_id: str) -> StoredCollection:
    return required_from(
        await executor.fetch_one("collection_by_id", collection_id=collection_id), collection_id
    )


def required_from(row: Row | None, collection_id: str) -> StoredCollection:
    if row is None:
        raise CollectionNotFound.named(collection_id)
    return stored_from(row)


async def list_all(executor: Executor) -> list[Collection]:
    return [collection_from(row) for row in await executor.fetch("all_collections")]


async def settings(executor: Executor, collection_id: str) -> dict[str, JsonValue]:
    row = await executor.fetch_one("collection_settings", collection_id=collection_id)
    return {} if row is None else json.loads(row["settings"])


async def change_settings(
    database: Database, collection_id: str, changes: Mapping[str, JsonValue], now: int
) -> dict[str, JsonValue]:
    async with database.transaction() as transaction:
        await require(transaction, collection_id)
        known = await settings(transaction, collection_id) | dict(changes)
        left: dict[str, JsonValue] = {name: value for name, value in known.items() if value is not None}
        text = metadata_text(left, "the collection")
        await transaction.execute(
            "set_collection_settings", collection_id=collection_id, settings=text, now=now
        )
    return left


async def create(database: Database, wanted: Collection, now: int) -> Collection:
    """Make the collection, or find that the same one exists."""
    _require_sane(wanted)
    model = wanted.model or EmbeddingModel.of_caller(wanted.embedding_dimensions)
    async with database.transaction() as transaction:
        stored = await find(transaction, wanted.id)
        if stored is None:
            await insert(transaction, wanted, model, now)
            stored = await require(transaction, wanted.id)
    _require_same(stored.collection, wanted)
    return stored.collection


def _require_sane(wanted: Collection) -> None:
    require_storable("the collection", wanted.id, wanted.name, wanted.description)
    if not 0 < len(wanted.id) <= _LONGEST_ID:
        raise UsageError(f"A collection's id has 1 to {_LONGEST_ID} characters")
    if not 0 < wanted.embedding_dimensions <= _LARGEST_VECTOR:
        raise UsageError(f"Vectors have 1 to {_LARGEST_VECTOR} dimensions, not {wanted.embedding_dimensions}")
    if wanted.model is not None and wanted.model.dimensions != wanted.embedding_dimensions:
        raise UsageError(
            f"The model {wanted.model.name} makes vectors of {wanted.model.dimensions} numbers, "
            f"not {wanted.embedding_dimensions}"
        )


def _require_same(found: Collection, wanted: Collection) -> None:
    same_size = found.embedding_dimensions == wanted.embedding_dimensions
    if not same_size or found.distance_metric is not wanted.distance_metric:
        raise CollectionConflict(
            f"The collection {wanted.id!r} exists with {found.embedding_dimensions} dimensions and the metric "
            f"{found.distance_metric}, not {wanted.embedding_dimensions} and {wanted.distance_metric}"
        )


async def insert(transaction: Executor, wanted: Collection, model: EmbeddingModel, now: int) -> None:
    """Make a collection whose name is free."""
    model_id = await put_model(transaction, model, now)
    await transaction.execute(
        "insert_collection",
        collection_id=wanted.id,
        name=wanted.name or wanted.id,
        description=wanted.description,
        embedding_dimensions=wanted.embedding_dimensions,
        distance_metric=wanted.distance_metric.value,
        model_id=model_id,
        now=now,
    )
    await transaction.execute("insert_collection_counters", collection_id=wanted.id, now=now)
    await transaction.execute(
        "insert_collection_model", collection_id=wanted.id, model_id=model_id, status="complete", now=now
    )


async def put_model(transaction: Executor, model: EmbeddingModel, now: int) -> int:
    """The number of a model, which it has from now on if it had none."""
    await transaction.execute("insert_model", **asdict(model), now=now)
    found = await find_model(transaction, model)
    assert found is not None, "the model was inserted or existed"  # noqa: S101
    return found


async def find_model(executor: Executor, model: EmbeddingModel) -> int | None:
    row = await executor.fetch_one("model_id", **asdict(model))
    return None if row is None else row["id"]


async def delete(database: Database, collection_id: str, now: int) -> None:
    """Empty the collection, then remove it, in transactions of their own; again if somebody adds in between."""
    while await find(database, collection_id) is not None:
        async with database.transaction() as transaction:
            await _empty(transaction, collection_id, now)
        async with database.transaction() as transaction:
            if await transaction.execute("delete_empty_collection", collection_id=collection_id):
                await transaction.execute("delete_collection_models", collection_id=collection_id)
                await transaction.execute("delete_counters", collection_id=collection_id)


async def _empty(transaction: Executor, collection_id: str, now: int) -> None:
    await transaction.execute("log_change_of_all_documents", collection_id=collection_id)
    for statement in (
        "delete_all_documents",
        "delete_all_chunk_ids",
        "delete_all_hashes",
        "delete_all_paths",
        "delete_all_terms",
        "delete_all_sources",
        "delete_all_curated",
        "delete_user_bindings",
        "delete_api_key_bindings",
    ):
        await transaction.execute(statement, collection_id=collection_id)
    await lose_sources(transaction, collection_id, now)
    await transaction.execute("reset_counters", collection_id=collection_id, now=now)
