"""What every library promises about what was chosen for a collection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sourcebook.errors import BadMetadata, CollectionNotFound
from sourcebook.model.documents import Collection, DocumentListing, DocumentStatus
from sourcebook.testing.crash import prepared_document

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


@pytest.mark.anyio
class DocumentListingContract:
    async def _fill(self, base: OpenBase) -> list[str]:
        """Five documents, and their ids in the order of their paths."""
        for number, path in enumerate(("в/Малина.md", "a/one.md", "a/two.md", "b/one.md", "B/x.md")):
            prepared = prepared_document(number)
            await base.stores.library.open_collection("default", prepared.model)
            document = replace(
                prepared.document,
                file_path=path,
                title=path.rpartition("/")[2],
                category="Ягоды" if number == 0 else "other",
                language="ru" if number == 0 else "en",
            )
            await base.stores.writer.replace_document("default", replace(prepared, document=document))
        return [document.id for document in await base.stores.library.list_documents("default")]

    async def test_parts_put_together_are_the_whole_list(self, base: OpenBase) -> None:
        everything = await self._fill(base)
        found: list[str] = []
        after: tuple[str, str] | None = None
        while part := await base.stores.library.list_part("default", DocumentListing(limit=2, after=after)):
            assert len(part) <= 2
            found += [document.id for document in part]
            after = (part[-1].file_path, part[-1].id)
        assert found == everything
        assert len(found) == 5

    async def test_documents_are_counted_by_status(self, base: OpenBase) -> None:
        everything = await self._fill(base)
        library = base.stores.library
        assert await library.status_counts("default") == {DocumentStatus.COMPLETED: len(everything)}
        prepared = prepared_document(9)
        broken = replace(prepared.document, status=DocumentStatus.FAILED, file_path="torn.pdf")
        await base.stores.writer.replace_document("default", replace(prepared, document=broken, chunks=()))
        assert await library.status_counts("default") == {
            DocumentStatus.COMPLETED: len(everything),
            DocumentStatus.FAILED: 1,
        }
        assert await library.status_counts("nowhere") == {}

    async def test_what_is_asked_for_is_listed_alone(self, base: OpenBase) -> None:
        everything = await self._fill(base)
        library = base.stores.library

        async def paths(**wanted: Any) -> set[str]:
            return {d.file_path for d in await library.list_part("default", DocumentListing(**wanted))}

        assert await paths(category="ЯГОДЫ") == {"в/Малина.md"}
        assert await paths(language="ru") == {"в/Малина.md"}
        assert await paths(text="МАЛИНА") == {"в/Малина.md"}
        assert await paths(text="one", limit=1) == {"a/one.md"}
        assert await paths(status=DocumentStatus.FAILED) == set()
        await base.stores.writer.set_active("default", everything[0], active=False)
        assert len(await paths(is_active=True)) == 4
        assert len(await paths(is_active=False)) == 1
        with pytest.raises(CollectionNotFound):
            await library.list_part("nowhere", DocumentListing())
