"""L10: the same base gives the same ranking, to the last bit, whoever opens it and however it came to be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import COLLECTION, Base, id_of, opened
from tests.faults.processes import talking
from tests.faults.workers import Ranking, ranking

from sourcebook.model.documents import Chunk, DocumentPath, EmbeddedChunk
from sourcebook.model.search import And, Equals, GreaterThan, In, Not
from sourcebook.testing.crash import embedding_model, prepared_document, vector_of, word_of

pytestmark = pytest.mark.anyio

DOCUMENTS = range(60)
QUESTIONS = [
    "prune raspberry canes in autumn",
    "water the soil at the root",
    "frost and mulch in the orchard",
    "harvest",
    "полив малины весной",
    "обрезка куста яблони",
    "урожай ягод и мороз",
    "земля",
    "yield урожай leaf лист",
    "fro* ма*",
    *(word_of(number) for number in (0, 7, 33)),
]


async def built(path: Path, numbers: list[int]) -> Ranking:
    async with opened(path) as base:
        for number in numbers:
            await base.write(prepared_document(number))
        return await ranking(base, QUESTIONS)


async def test_a_ranking_is_the_same_after_a_restart_and_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    first = await built(path, list(DOCUMENTS))
    assert all(len(found) == 10 for question, found in first.items() if question.startswith("vectors"))
    assert sum(bool(found) for question, found in first.items() if question.startswith("words")) >= 12

    async with opened(path) as base:
        assert await ranking(base, QUESTIONS) == first
    with talking(workers.answer_questions, path) as (_, line):
        line.send(QUESTIONS)
        assert line.recv() == first


async def test_a_ranking_is_the_same_after_a_third_was_deleted_and_added_again(tmp_path: Path) -> None:
    fresh = await built(tmp_path / "fresh.db", list(DOCUMENTS))
    chance = random.Random(10)
    async with opened(tmp_path / "old.db") as base:
        for number in chance.sample(DOCUMENTS, len(DOCUMENTS)):
            await base.write(prepared_document(number, revision=chance.randrange(2)))
        third = chance.sample(DOCUMENTS, len(DOCUMENTS) * 3 // 10)
        for number in third:
            assert await base.remove(number)
        without = await ranking(base, QUESTIONS)
        for number in [*third, *DOCUMENTS]:
            await base.write(prepared_document(number))
        assert await ranking(base, QUESTIONS) == fresh
        assert await base.faults() == []
    rest = [number for number in DOCUMENTS if number not in third]
    assert without != fresh
    assert await built(tmp_path / "rest.db", rest) == await rebuilt_without(tmp_path / "old.db", third)


async def rebuilt_without(path: Path, numbers: list[int]) -> Ranking:
    async with opened(path) as base:
        for number in numbers:
            await base.remove(number)
        return await ranking(base, QUESTIONS)


# Whoever keeps a base open follows its changes

FEW = range(10)
FILTERS = [
    None,
    Equals("revision", 1),
    Not(Equals("document_path", "moved/3.md")),
    And([In("language", ["ru", "en"]), GreaterThan("number", 4)]),
    Equals("chunk.kind", "bare"),
    Equals("subcategory", "малина"),
]


async def change_something(base: Base, chance: random.Random) -> None:
    stores, number = base.stores, chance.choice(FEW)
    known = await stores.library.get_document(COLLECTION, id_of(number)) is not None
    text = f"frost harvest малина {chance.randrange(3)}"
    bare = Chunk(
        f"bare-{number}", f"loose-{number % 3}", text, end_index=len(text), metadata={"kind": "bare"}
    )
    match chance.randrange(12):
        case 0 | 1 | 2:
            await base.write(prepared_document(number, revision=chance.randrange(3)))
        case 3:
            await base.remove(number)
        case 4 if known:
            await stores.writer.set_active(COLLECTION, id_of(number), active=chance.random() < 0.5)
        case 5 if known:
            old = prepared_document(number).paths[0]
            new = DocumentPath(old.source_id, f"moved/{number}.md", chance.choice([None, "Малина"]))
            await stores.writer.move_document(COLLECTION, id_of(number), old, new, new.path)
        case 6 | 7:
            await stores.vectors.add(COLLECTION, [EmbeddedChunk(bare, vector_of(bare.content))])
        case 8 | 9:
            await stores.fts.index(COLLECTION, [bare])
        case 10:
            await stores.fts.delete(COLLECTION, [bare.id])
        case _:
            await stores.vectors.delete_by_document(
                COLLECTION, chance.choice([bare.document_id, id_of(number)])
            )


@pytest.mark.parametrize("changes", [60, pytest.param(1500, marks=pytest.mark.soak)])
async def test_a_base_kept_open_ranks_after_every_change_like_one_opened_afresh(
    tmp_path: Path, changes: int
) -> None:
    path = tmp_path / "base.db"
    chance = random.Random(changes)
    async with opened(path) as writer, opened(path) as follower:
        for number in FEW:
            await writer.write(prepared_document(number))
        for step in range(changes):
            await change_something(writer, chance)
            if step % 50 == 49:
                await writer.stores.vectors.delete_collection(COLLECTION)
                await writer.stores.library.open_collection(COLLECTION, embedding_model())
            wanted = chance.choice(FILTERS)
            questions = chance.sample(QUESTIONS, 3)
            async with opened(path) as fresh:
                expected = await ranking(fresh, questions, wanted)
            assert await ranking(follower, questions, wanted) == expected, f"step {step}"
            assert await ranking(writer, questions, wanted) == expected, f"step {step}"
        assert await writer.faults() == []
