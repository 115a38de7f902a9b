"""What every library promises about what was chosen for a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import BadMetadata, CollectionNotFound
from sourcebook.model.documents import Collection

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase


@pytest.mark.anyio
class CollectionSettingsContract:
    async def test_settings_are_put_beside_each_other_changed_and_removed(self, base: OpenBase) -> None:
        library = base.stores.library
        await base.stores.vectors.create_collection(Collection("c", 2))
        assert await library.collection_settings("c") == {}
        await library.change_collection_settings("c", {"thresholds": {"model": "м", "needed": 3.25}})
        left = await library.change_collection_settings("c", {"other": [1, None, "ё"]})
        assert left == {"thresholds": {"model": "м", "needed": 3.25}, "other": [1, None, "ё"]}
        assert await library.collection_settings("c") == left
        assert await library.change_collection_settings("c", {"thresholds": None}) == {
            "other": [1, None, "ё"]
        }

    async def test_settings_belong_to_one_collection_and_go_with_it(self, base: OpenBase) -> None:
        library, vectors = base.stores.library, base.stores.vectors
        for name in ("c", "d"):
            await vectors.create_collection(Collection(name, 2))
        await library.change_collection_settings("c", {"a": 1})
        assert await library.collection_settings("d") == {}
        await vectors.delete_collection("c")
        await vectors.create_collection(Collection("c", 2))
        assert await library.collection_settings("c") == {}

    async def test_settings_need_a_collection_and_plain_values(self, base: OpenBase) -> None:
        library = base.stores.library
        assert await library.collection_settings("nowhere") == {}
        with pytest.raises(CollectionNotFound):
            await library.change_collection_settings("nowhere", {"a": 1})
        await base.stores.vectors.create_collection(Collection("c", 2))
        with pytest.raises(BadMetadata):
            await library.change_collection_settings("c", {"a": float("nan")})
        assert await library.collection_settings("c") == {}
