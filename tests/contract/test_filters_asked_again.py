"""A filter that is asked for again and again lets through what matches now, whoever changed the base in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests import citus_cluster

from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.documents import Collection, DistanceMetric
from sourcebook.model.search import Equals
from sourcebook.settings import Settings
from sourcebook.storage.postgres.collection_state import Effect, effect_of
from sourcebook.storage.postgres.database import read_queries
from sourcebook.testing.contract.material import between, chunk, make_collection, unit
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult
    from sourcebook.storage.database import Row

pytestmark = pytest.mark.anyio

RED = Equals("colour", "red")
TIMES = 6


async def asked(base: OpenBase) -> list[SearchResult]:
    """What is found of red things, several times, and each time the same."""
    found = [await base.stores.vectors.search_semantic("c", unit(0), 10, RED) for _ in range(TIMES)]
    assert all(one == found[0] for one in found)
    return found[0]


async def ids(base: OpenBase) -> list[str]:
    return [result.chunk.id for result in await asked(base)]


async def fill(base: OpenBase) -> None:
    await make_collection(base)
    for number, colour in enumerate(["red", "red", "blue", "red"]):
        vector = between(0, 1, number / 10)
        await base.stores.vectors.add(
            "c", [chunk(f"k{number}", vector, document=f"d{number}", metadata={"colour": colour})]
        )


async def change_colour(base: OpenBase) -> None:
    await base.stores.vectors.update(
        "c", [chunk("k1", between(0, 1, 0.1), document="d1", metadata={"colour": "blue"})]
    )


async def change_vector(base: OpenBase) -> None:
    await base.stores.vectors.update("c", [chunk("k0", unit(1), document="d0", metadata={"colour": "red"})])


async def add(base: OpenBase) -> None:
    await base.stores.vectors.add(
        "c", [chunk("k9", between(0, 1, 0.05), document="d9", metadata={"colour": "red"})]
    )


async def hide(base: OpenBase) -> None:
    await base.stores.writer.set_active("c", "d1", active=False)


async def show_again(base: OpenBase) -> None:
    await hide(base)
    assert await ids(base) == ["k0", "k3"]
    await base.stores.writer.set_active("c", "d1", active=True)


async def remove(base: OpenBase) -> None:
    await base.stores.writer.remove_document("c", "d0")


async def remove_chunk(base: OpenBase) -> None:
    await base.stores.vectors.delete("c", ["k3"])


async def make_anew(base: OpenBase) -> None:
    await base.stores.vectors.delete_collection("c")
    await make_collection(base)
    await add(base)


CHANGES: dict[str, tuple[Callable[[OpenBase], Awaitable[None]], list[str]]] = {
    "another that matches": (add, ["k0", "k9", "k1", "k3"]),
    "one that matches no more": (change_colour, ["k0", "k3"]),
    "another vector": (change_vector, ["k1", "k3", "k0"]),
    "a document that is hidden": (hide, ["k0", "k3"]),
    "a document that is shown again": (show_again, ["k0", "k1", "k3"]),
    "a document that is gone": (remove, ["k1", "k3"]),
    "a chunk that is gone": (remove_chunk, ["k0", "k1"]),
    "a collection of the same name": (make_anew, ["k9"]),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("is_other", [False, True], ids=["here", "by another"])
async def test_a_change_is_seen_by_the_next_question(
    base: OpenBase, db: str, name: str, is_other: bool
) -> None:
    await fill(base)
    assert await ids(base) == ["k0", "k1", "k3"]
    change, wanted = CHANGES[name]
    other = await open_base(Settings(db=db), FixedClock())
    try:
        await change(other if is_other else base)
        assert await ids(base) == wanted
    finally:
        await other.close()


async def test_a_change_that_is_not_completed_is_not_seen(base: OpenBase) -> None:
    await fill(base)
    before = await asked(base)
    with pytest.raises(ZeroDivisionError):
        await _hide_and_fail(base)
    assert await asked(base) == before


async def _hide_and_fail(base: OpenBase) -> None:
    async with base.database.transaction() as transaction:
        await transaction.execute("set_active", collection_id="c", document_id="d1", active=False, now=0)
        raise ZeroDivisionError


@pytest.mark.parametrize("metric", DistanceMetric)
async def test_what_is_remembered_has_the_same_scores(base: OpenBase, metric: DistanceMetric) -> None:
    await base.stores.vectors.create_collection(Collection("c", 8, distance_metric=metric))
    rows = [
        chunk(f"k{n:02}", (1 + n % 7) * between(n % 3, 3 + n % 4, n / 41), metadata={"colour": "red"})
        for n in range(40)
    ]
    await base.stores.vectors.add("c", rows)
    first = await base.stores.vectors.search_semantic("c", between(0, 4, 0.3), 7, RED)
    for _ in range(TIMES):
        assert await base.stores.vectors.search_semantic("c", between(0, 4, 0.3), 7, RED) == first


class _Heard:
    """The names of the statements that a base runs."""

    def __init__(self, base: OpenBase, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        run = base.database.fetch

        async def fetch(name: str, /, **parameters: object) -> list[Row]:
            self.names.append(name)
            return await run(name, **parameters)

        monkeypatch.setattr(base.database, "fetch", fetch)


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="nothing is remembered of several servers")
async def test_a_filter_that_is_asked_for_again_is_not_looked_up_again(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await open_base(Settings(db=postgres_db), FixedClock())
    try:
        await fill(base)
        heard = _Heard(base, monkeypatch)
        await asked(base)
        assert heard.names.count("nearest_of_named") == 1
        assert heard.names.count("vectors_of_named") == 1
        assert heard.names[-TIMES + 2 :] == ["chunks_of_state"] * (TIMES - 2)
    finally:
        await base.close()


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="nothing is remembered of several servers")
async def test_beside_a_writer_that_never_rests_little_is_read_for_nothing(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await open_base(Settings(db=postgres_db), FixedClock())
    try:
        await fill(base)
        heard = _Heard(base, monkeypatch)
        for turn in range(40):
            await base.stores.writer.set_active("c", "d1", active=bool(turn % 2))
            found = await base.stores.vectors.search_semantic("c", unit(0), 10, RED)
            assert [one.chunk.id for one in found] == (["k0", "k1", "k3"] if turn % 2 else ["k0", "k3"])
        assert heard.names.count("vectors_of_named") <= 5
    finally:
        await base.close()


def test_every_statement_that_writes_what_is_searched_is_known_as_one() -> None:
    effects: Mapping[str, Effect] = {statement.name: effect_of(statement) for statement in read_queries()}
    changing = {name for name, effect in effects.items() if effect is Effect.CHANGE}
    assert {"insert_chunk", "insert_vector", "put_document", "set_active", "refresh_facts"} <= changing
    assert {"delete_document", "delete_vectors_of_model", "drop_stray_vectors"} <= changing
    assert effects["add_to_counters"] is effects["begin_new_state"] is Effect.NEW_STATE
    assert effects["nearest_of_named"] is Effect.NONE


@pytest.mark.skipif(bool(citus_cluster.addresses()), reason="nothing is remembered of several servers")
async def test_a_repair_of_every_collection_is_seen_too(postgres_db: str) -> None:
    base = await open_base(Settings(db=postgres_db), FixedClock())
    try:
        await fill(base)
        before = await state(base)
        async with base.database.transaction() as transaction:
            await transaction.execute("correct_chunk_counts")
            await transaction.execute("put_missing_counters", now=0)
        after = await state(base)
        assert after != before
        async with base.database.transaction() as transaction:
            await transaction.execute("put_info", key="k", value="v")
        assert await state(base) == after
    finally:
        await base.close()


async def state(base: OpenBase) -> str:
    [row] = await base.database.fetch(
        "vectors_of_named",
        collection_id="c",
        model_id=0,
        filter='($."colour".t[*] == "red")',
        limit=1,
    )
    return cast("Any", row)["state"]
