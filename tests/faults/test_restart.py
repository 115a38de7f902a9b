"""L10: the same base gives the same ranking, to the last bit, whoever opens it and however it came to be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import opened
from tests.faults.processes import talking
from tests.faults.workers import Ranking, ranking

from sourcebook.testing.crash import prepared_document, word_of

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
