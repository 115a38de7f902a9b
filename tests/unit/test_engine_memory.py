"""What the engine of a file remembers for the next search: others may forget it, and it does not grow for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sourcebook import AsyncSourcebook, Collection, Equals, Settings
from sourcebook.storage.sqlite.engine.filter_columns import Columns
from sourcebook.storage.sqlite.engine.memory_images import LivePart
from sourcebook.testing.contract.material import chunk

pytestmark = pytest.mark.anyio


class ForgottenAtOnce(dict[object, Any]):
    """A memory that another thread empties as soon as something is put into it."""

    def __setitem__(self, key: object, value: Any) -> None:
        super().__setitem__(key, value)
        self.clear()


def test_a_filter_that_another_thread_forgets_at_once_is_used_all_the_same() -> None:
    empty: Any = None
    part = LivePart(empty, np.ones(1, dtype=np.bool_), empty, ForgottenAtOnce())
    assert part.remembered("filter", lambda: "rows") == "rows"


async def test_however_many_fields_are_asked_for_only_some_of_their_columns_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[Columns]()
    make = vars(Columns)["__init__"]

    def noted(columns: Columns, *arguments: Any) -> None:
        make(columns, *arguments)
        made.append(columns)

    monkeypatch.setattr(Columns, "__init__", noted)
    async with AsyncSourcebook(settings=Settings(db=str(tmp_path / "base.db"), embedder="none")) as book:
        await book.create_collection(Collection("c", 8))
        vector = np.ones(8, dtype=np.float32)
        await book.stores.vectors.add("c", [chunk("k", vector, document="d", metadata={"field150": "x"})])
        for number in range(200):
            results = await book.stores.vectors.search_semantic("c", vector, 1, Equals(f"field{number}", "x"))
            assert len(results) == (number == 150)
        results = await book.stores.vectors.search_semantic("c", vector, 1, Equals("field150", "x"))
        assert len(results) == 1
    assert made
    assert max(len(vars(columns)["_known"]) for columns in made) <= 64
