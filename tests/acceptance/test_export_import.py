"""A base goes into a folder and comes back the same, or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.bundles import FILES, beside, digest_of, faults, filled, lines, opened, with_everything
from tests.faces.shell import Here

from sourcebook import (
    AsyncSourcebook,
    Chunk,
    EmbeddingStore,
    OnExisting,
    RetrievalConfig,
    Settings,
)
from sourcebook.errors import (
    CollectionNotFound,
    Conflict,
)
from sourcebook.testing.crash import embedding_model, prepared_document
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("made", [filled, with_everything])
async def test_a_base_comes_back_the_same(tmp_path: Path, made: Callable[[Path], Any]) -> None:
    source, bundle, target = await made(tmp_path / "a.db"), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        exported = await book.export(bundle)
    async with opened(target) as book:
        imported = await book.import_bundle(bundle)
        assert (imported.documents, imported.chunks, imported.vectors) == (
            exported.documents,
            exported.chunks,
            exported.vectors,
        )
        assert (imported.unchanged, imported.skipped) == (0, 0)
        if made is filled:
            assert await faults(book) == []
    assert await digest_of(target) == await digest_of(source)
    assert {entry.name for entry in bundle.iterdir()} == FILES
    assert beside(tmp_path) == []


async def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    source, bundle, target = await with_everything(tmp_path / "a.db"), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(bundle)
        report = await book.import_bundle(bundle)
        assert report.unchanged == report.documents > 10
    async with opened(target) as book:
        await book.import_bundle(bundle)
        before = await digest_of(target)
        report = await book.import_bundle(bundle)
    assert report.unchanged == report.documents
    assert await digest_of(target) == before == await digest_of(source)


async def test_the_same_base_makes_the_same_bundle(tmp_path: Path) -> None:
    source, target = await with_everything(tmp_path / "a.db"), tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(tmp_path / "one")
    async with opened(target) as book:
        await book.import_bundle(tmp_path / "one")
        await book.export(tmp_path / "two")
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


async def test_an_import_brings_back_what_changed_since(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    before = await digest_of(source)
    async with opened(source) as book:
        await book.export(bundle)
        changed = prepared_document(0, 1, expected_hash=prepared_document(0).document.file_hash)
        await book.stores.writer.replace_document("default", changed)
        await book.unhide_document(prepared_document(4).document.id)
        await book.remove_document(prepared_document(3).document.id)
        report = await book.import_bundle(bundle)
    assert (report.documents, report.unchanged) == (5, 2)
    assert await digest_of(source) == before


def renamed(chunk: Chunk) -> Chunk:
    parent = chunk.parent_id and f"my-{chunk.parent_id}"
    return replace(chunk, id=f"my-{chunk.id}", document_id="mine", parent_id=parent)


async def test_bytes_that_another_document_holds_are_a_duplicate(tmp_path: Path) -> None:
    source, bundle, target = await filled(tmp_path / "a.db", 3), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(bundle)
    async with opened(target) as book:
        await book.stores.library.open_collection("default", embedding_model())
        same = prepared_document(0)
        moved = replace(same.document, id="mine")
        own = [replace(c, chunk=renamed(c.chunk)) for c in same.chunks]
        await book.stores.writer.replace_document(
            "default", replace(same, document=moved, chunks=own, paths=())
        )
        report = await book.import_bundle(bundle)
        assert (report.documents, report.duplicates, report.unchanged) == (3, 1, 0)
        assert len(await book.documents()) == 3
        assert await faults(book) == []


async def test_a_collection_can_be_imported_under_another_name(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        await book.export(bundle, collections=["default"])
        report = await book.import_bundle(bundle, collection="copy")
        assert report.collections == ["copy"]
        assert [d.id for d in await book.documents("copy")] == [d.id for d in await book.documents()]
        assert await faults(book) == []


async def test_only_the_named_collections_are_exported(tmp_path: Path) -> None:
    source, bundle = await with_everything(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        report = await book.export(bundle, collections=["empty", "bare/dot"])
        assert report.collections == ["bare/dot", "empty"]
        with pytest.raises(CollectionNotFound):
            await book.export(tmp_path / "other", collections=["nowhere"])
    assert {row["collection"] for row in lines(bundle / "embeddings.jsonl")} == {"bare/dot"}
    assert not (tmp_path / "other").exists()
    assert beside(tmp_path) == []


async def test_nothing_is_embedded_on_the_way(tmp_path: Path) -> None:
    embedder, notes = FakeEmbedder(), tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(
        "# Raspberries\n\nPrune them in autumn. Water them in spring.", encoding="utf-8"
    )
    (notes / "b.md").write_text("# Малина\n\nОбрезайте осенью. Поливайте весной.", encoding="utf-8")
    async with AsyncSourcebook(tmp_path / "a.db", embedder=embedder, settings=Settings()) as book:
        await book.add(notes)
        await book.export(tmp_path / "bundle")
    embedded = embedder.embedded
    async with AsyncSourcebook(tmp_path / "b.db", embedder=embedder, settings=Settings()) as book:
        await book.import_bundle(tmp_path / "bundle")
        assert embedder.embedded == embedded
        (best,) = await book.search("когда обрезать", RetrievalConfig(top_k=1))
        assert "осенью" in best.chunk.content
        # What was added is known there too: the same folder holds nothing new.
        assert (await book.add(notes)).unchanged == 2
    assert await digest_of(tmp_path / "a.db") == await digest_of(tmp_path / "b.db")


# The files


async def test_an_exported_index_is_searched_as_it_is(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        report = await book.export(bundle)
        wanted = prepared_document(0).chunks[0]
        assert wanted.embedding is not None
        (best,) = await book.stores.vectors.search_semantic("default", wanted.embedding, 1)
    store = EmbeddingStore(bundle)
    assert (len(store.rows_with_vectors()), store.skipped) == (report.vectors, 0)
    (found,) = store.search_by_vector(wanted.embedding, k=1, collection="default")
    assert found["chunk_id"] == found["id"] == best.chunk.id == wanted.chunk.id
    assert found["score"] == pytest.approx(best.score, abs=1e-4)
    fields = ("doc_id", "text", "title", "path", "level", "start", "end", "language")
    document = prepared_document(0).document
    assert [found[name] for name in fields] == [
        document.id,
        wanted.chunk.content,
        document.title,
        document.file_path,
        "PARENT",
        0,
        len(wanted.chunk.content),
        "en",
    ]


async def test_the_manifest_says_what_the_files_hold(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        report = await book.export(bundle)
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    assert (manifest["format"], manifest["format_version"]) == ("sourcebook-bundle", 1)
    assert manifest["counts"] == {
        "documents": report.documents,
        "chunks": report.chunks,
        "vectors": report.vectors,
        "curated": report.curated,
    }
    for name in FILES - {"manifest.json"}:
        assert manifest["files"][name]["sha256"] == hashlib.sha256((bundle / name).read_bytes()).hexdigest()
    (collection,) = manifest["collections"]
    assert collection["metric"] == "cosine"
    assert set(collection["model"]) == {"name", "version", "dimensions", "recipe", "tokenizer_hash"}


# Where a bundle may be written


async def test_an_earlier_bundle_is_replaced_only_when_told(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        await book.export(bundle)
        before = (bundle / "documents.jsonl").read_bytes()
        await book.remove_document(prepared_document(0).document.id)
        with pytest.raises(Conflict, match="already contains a bundle"):
            await book.export(bundle)
        assert (bundle / "documents.jsonl").read_bytes() == before
        report = await book.export(bundle, on_existing=OnExisting.REPLACE)
    assert len(lines(bundle / "documents.jsonl")) == report.documents == 4
    assert beside(tmp_path) == []


@pytest.mark.parametrize(
    "content", [{"notes.txt": "mine"}, {"manifest.json": "{}"}, {"embeddings.jsonl": ""}]
)
async def test_a_folder_that_is_no_bundle_is_never_replaced(tmp_path: Path, content: dict[str, str]) -> None:
    source, folder = await filled(tmp_path / "a.db", 1), tmp_path / "folder"
    folder.mkdir()
    for name, text in content.items():
        (folder / name).write_text(text, encoding="utf-8")
    async with opened(source) as book:
        for on_existing in OnExisting:
            with pytest.raises(Conflict, match="not a bundle"):
                await book.export(folder, on_existing=on_existing)
    assert {entry.name: entry.read_text("utf-8") for entry in folder.iterdir()} == content


async def test_a_bundle_with_something_of_ones_own_in_it_is_never_replaced(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db", 1), tmp_path / "bundle"
    async with opened(source) as book:
        await book.export(bundle)
        (bundle / "notes.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(Conflict, match="not a bundle"):
            await book.export(bundle, on_existing=OnExisting.REPLACE)
    assert (bundle / "notes.txt").exists()


async def test_an_empty_folder_and_one_to_be_made_may_be_written(tmp_path: Path) -> None:
    source = await filled(tmp_path / "a.db", 1)
    (tmp_path / "empty").mkdir()
    async with opened(source) as book:
        await book.export(tmp_path / "empty")
        await book.export(tmp_path / "deep" / "er" / "bundle")
    assert {entry.name for entry in (tmp_path / "empty").iterdir()} == FILES
    assert {entry.name for entry in (tmp_path / "deep" / "er" / "bundle").iterdir()} == FILES


async def test_progress_names_every_document(tmp_path: Path) -> None:
    source, seen = await filled(tmp_path / "a.db"), list[tuple[int, int]]()
    async with opened(source) as book:
        await book.export(tmp_path / "bundle", on_progress=lambda p: seen.append((p.done, p.total)))
        await book.import_bundle(tmp_path / "bundle", on_progress=lambda p: seen.append((p.done, p.total)))
    assert seen == [(n, 5) for n in range(1, 6)] * 2


# At the command line


def test_export_and_import_at_the_command_line(tmp_path: Path) -> None:
    shell = Here(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Raspberries\n\nPrune them in late autumn.", encoding="utf-8")
    shell.json("add", "notes")
    exported = shell.json("export", "bundle")
    assert exported["collections"] == ["default"]
    assert (exported["documents"], exported["skipped"]) == (1, 0)
    assert exported["chunks"] == exported["vectors"] > 1
    again = shell.json("export", "bundle", exit_code=4)
    assert again["error"]["code"] == "conflict"
    assert "--force" in again["error"]["hint"]
    assert shell.run("export", "bundle", "--force", "--collection", "default").returncode == 0

    imported = shell.json("import", "bundle", "--db", "other.db")
    assert imported == exported
    assert shell.json("import", "bundle", "--db", "other.db")["unchanged"] == 1
    (found,) = shell.json("search", "prune raspberries", "--db", "other.db")["results"]
    assert "late autumn" in found["content"]

    (tmp_path / "bundle" / "documents.jsonl").write_text("", encoding="utf-8")
    refused = shell.json("import", "bundle", "--db", "third.db", exit_code=2)
    assert refused["error"]["code"] == "bad_bundle"
    assert "documents.jsonl" in refused["error"]["message"]
    assert shell.json("import", "other.db", exit_code=2)["error"]["code"] == "usage"
    assert shell.json("import", "nowhere", exit_code=3)["error"]["code"] == "path_not_found"
