"""What is left when an export does not get to its end, and what is refused when a bundle is not intact."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from tests.acceptance.bundles import beside, digest_of, faults, filled, lines, opened, with_everything
from tests.faces.shell import clean_environment

from sourcebook import (
    Collection,
    EmbeddingModel,
    OnExisting,
    Settings,
    Sourcebook,
)
from sourcebook.errors import (
    BadBundle,
    CollectionConflict,
    PathNotFound,
    UsageError,
)
from sourcebook.testing.crash import prepared_document
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio


async def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    source = await filled(tmp_path / "a.db")

    def fail(_: object) -> None:
        raise ZeroDivisionError

    async with opened(source) as book:
        with pytest.raises(ZeroDivisionError):
            await book.export(tmp_path / "bundle", on_progress=fail)
    assert not (tmp_path / "bundle").exists()
    assert beside(tmp_path) == []


def test_an_interrupt_leaves_the_earlier_bundle_and_nothing_else(tmp_path: Path) -> None:
    import anyio

    source, bundle = anyio.run(filled, tmp_path / "a.db"), tmp_path / "bundle"
    asked = threading.Event()

    def interrupt(_: object) -> None:
        if not asked.is_set():
            asked.set()
            os.kill(os.getpid(), signal.SIGINT)

    with Sourcebook(source, embedder=FakeEmbedder(16), settings=Settings()) as book:
        book.export(bundle)
        before = {entry.name: entry.read_bytes() for entry in bundle.iterdir()}
        book.remove_document(prepared_document(0).document.id)
        try:
            book.export(bundle, on_existing=OnExisting.REPLACE, on_progress=interrupt)
        except KeyboardInterrupt:
            pass
        else:
            pytest.skip("the export was done before it was interrupted")
    assert {entry.name: entry.read_bytes() for entry in bundle.iterdir()} == before
    assert beside(tmp_path) == []


KILLED = """
import os, sys
from sourcebook import OnExisting, Settings, Sourcebook
from sourcebook.testing.fakes import FakeEmbedder

def stop(progress):
    if progress.done == 3:
        os._exit(137)

with Sourcebook(sys.argv[1], embedder=FakeEmbedder(16), settings=Settings()) as book:
    book.export(sys.argv[2], on_existing=OnExisting.REPLACE, on_progress=stop)
"""


@pytest.mark.parametrize("earlier", [False, True])
async def test_a_killed_export_leaves_only_an_unfinished_folder(tmp_path: Path, earlier: bool) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:
        if earlier:
            await book.export(bundle)
        done = subprocess.run(  # noqa: ASYNC221 - nothing else is waiting
            [sys.executable, "-c", KILLED, str(source), str(bundle)], env=clean_environment(), check=False
        )
        assert done.returncode == 137
        assert bundle.exists() is earlier
        (left,) = beside(tmp_path)
        assert left.startswith(".bundle.unfinished-")
        assert not (tmp_path / left / "manifest.json").exists()
        await book.export(bundle, on_existing=OnExisting.REPLACE)
    assert len(lines(bundle / "documents.jsonl")) == 5


KILLED_IMPORT = KILLED.replace("export(", "import_bundle(").replace("on_existing=OnExisting.REPLACE, ", "")


async def test_an_import_that_was_killed_is_completed_by_the_next(tmp_path: Path) -> None:
    source, bundle, target = await filled(tmp_path / "a.db"), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(bundle)
    done = subprocess.run(  # noqa: ASYNC221 - nothing else is waiting
        [sys.executable, "-c", KILLED_IMPORT, str(target), str(bundle)], env=clean_environment(), check=False
    )
    assert done.returncode == 137
    async with opened(target) as book:
        assert (len(await book.documents()), await faults(book)) == (3, [])
        assert (await book.import_bundle(bundle)).unchanged == 3
    assert await digest_of(target) == await digest_of(source)


def edited(bundle: Path, name: str, old: str, new: str) -> None:
    path = bundle / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def rehashed(bundle: Path) -> None:
    """Make the manifest agree with files that were changed on purpose."""
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    for name, entry in manifest["files"].items():
        entry["sha256"] = hashlib.sha256((bundle / name).read_bytes()).hexdigest()
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "changed vector": (
        lambda b: edited(b, "embeddings.jsonl", '"embedding": [', '"embedding": [0'),
        "embeddings.jsonl",
    ),
    "changed text": (lambda b: edited(b, "documents.jsonl", "note0x", "note1x"), "documents.jsonl .* hash"),
    "lost line": (
        lambda b: (b / "embeddings.jsonl").write_bytes(
            (b / "embeddings.jsonl").read_bytes().split(b"\n", 1)[1]
        ),
        r"embeddings.jsonl has \d+ lines",
    ),
    "missing file": (lambda b: (b / "documents.jsonl").unlink(), "documents.jsonl is missing"),
    "missing index": (lambda b: (b / "embeddings.jsonl").unlink(), "embeddings.jsonl is missing"),
    "missing manifest": (lambda b: (b / "manifest.json").unlink(), "manifest.json is missing"),
    "broken manifest": (lambda b: (b / "manifest.json").write_text("{"), "manifest.json is missing"),
    "newer format": (
        lambda b: edited(b, "manifest.json", '"format_version": 1', '"format_version": 2'),
        "format version 2",
    ),
    "other counts": (
        lambda b: edited(b, "manifest.json", '"documents": 2', '"documents": 3'),
        "counts 3 documents",
    ),
    "no model": (lambda b: edited(b, "manifest.json", '"model": {', '"modal": {'), "'model' is missing"),
    "no metric": (lambda b: edited(b, "manifest.json", '"metric": "cosine"', '"metric": "taxi"'), "taxi"),
    "wrong type": (
        lambda b: edited(b, "manifest.json", '"sha256": "', '"sha256": 1, "x": "'),
        "'sha256' is not a text",
    ),
}


@pytest.mark.parametrize(("damage", "named"), DAMAGE.values(), ids=DAMAGE.keys())
async def test_a_damaged_bundle_is_refused_before_the_first_write(
    tmp_path: Path, damage: Callable[[Path], object], named: str
) -> None:
    source, bundle, target = await filled(tmp_path / "a.db", 2), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(bundle)
    damage(bundle)
    async with opened(target) as book:
        with pytest.raises(BadBundle, match=named):
            await book.import_bundle(bundle)
        assert await book.collections() == []


FORGED: dict[str, tuple[str, str, str, str]] = {
    "type": (
        "documents.jsonl",
        '"title": "',
        '"title": 7, "x": "',
        "line 1 of documents.jsonl: 'title' is not a text",
    ),
    "level": (
        "embeddings.jsonl",
        '"level": "PARENT"',
        '"level": "UNCLE"',
        "line 1 of embeddings.jsonl: 'UNCLE'",
    ),
    "owner": ("embeddings.jsonl", '"doc_id": "', '"doc_id": "x', "line 1 of embeddings.jsonl: a chunk of"),
    "vector": ("embeddings.jsonl", '"embedding": [', '"embedding": ["a",', "not a list of numbers"),
    "huge": ("embeddings.jsonl", '"embedding": [', '"embedding": [1e30, ', "16"),
    "collection": (
        "documents.jsonl",
        '"collection": "default"',
        '"collection": "x"',
        "'x' is not in the manifest",
    ),
    "no object": ("documents.jsonl", '"paths": [{', '"paths": [1, {', "an object is missing"),
}


@pytest.mark.parametrize(("name", "old", "new", "named"), FORGED.values(), ids=FORGED.keys())
async def test_a_forged_line_is_named(tmp_path: Path, name: str, old: str, new: str, named: str) -> None:
    source, bundle = await filled(tmp_path / "a.db", 2), tmp_path / "bundle"
    async with opened(source) as book:
        await book.export(bundle)
    edited(bundle, name, old, new)
    rehashed(bundle)
    async with opened(tmp_path / "b.db") as book:
        with pytest.raises(BadBundle, match=named):
            await book.import_bundle(bundle)
        assert await faults(book) == []


async def test_a_collection_of_another_model_is_left_alone(tmp_path: Path) -> None:
    source, bundle, target = await filled(tmp_path / "a.db", 2), tmp_path / "bundle", tmp_path / "b.db"
    async with opened(source) as book:
        await book.export(bundle)
    async with opened(target) as book:
        other = EmbeddingModel("other", 16)
        await book.create_collection(Collection("default", 16, model=other))
        with pytest.raises(CollectionConflict, match="other"):
            await book.import_bundle(bundle)
        assert await book.documents() == []
        assert (await book.import_bundle(bundle, collection="new")).documents == 2


async def test_several_collections_do_not_become_one(tmp_path: Path) -> None:
    source = await with_everything(tmp_path / "a.db")
    async with opened(source) as book:
        await book.export(tmp_path / "bundle")
        with pytest.raises(UsageError, match="5 collections"):
            await book.import_bundle(tmp_path / "bundle", collection="one")


async def test_what_cannot_be_imported_is_said_to_be_so(tmp_path: Path) -> None:
    source = await filled(tmp_path / "a.db", 1)
    (tmp_path / "empty").mkdir()
    async with opened(tmp_path / "b.db") as book:
        with pytest.raises(PathNotFound):
            await book.import_bundle(tmp_path / "nowhere")
        with pytest.raises(UsageError, match="already a Sourcebook base"):
            await book.import_bundle(source)
        with pytest.raises(UsageError, match="neither a bundle nor an index"):
            await book.import_bundle("mysql://me:secret@host/db")
        with pytest.raises(BadBundle, match=r"no embeddings\.jsonl"):
            await book.import_bundle(tmp_path / "empty")


async def test_exports_to_one_place_at_the_same_time_leave_one_whole_bundle(tmp_path: Path) -> None:
    source, bundle = await filled(tmp_path / "a.db"), tmp_path / "bundle"
    async with opened(source) as book:

        async def export() -> None:
            await book.export(bundle, on_existing=OnExisting.REPLACE)

        for _ in range(5):
            async with anyio.create_task_group() as group:
                for _ in range(4):
                    group.start_soon(export)
    assert beside(tmp_path) == []
    async with opened(tmp_path / "b.db") as book:
        report = await book.import_bundle(bundle)
    assert report.documents == 5
