"""tantivy: any of the words, with English stems and without positions, which nobody here asks for."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.speed.engine import DocumentBlock, Question

_HEAP = 256_000_000


class TantivyWords:
    def __init__(self) -> None:
        self._tantivy = import_module("tantivy")
        self._index: Any = None
        self._searcher: Any = None

    async def build(self, folder: Path, blocks: Iterable[DocumentBlock]) -> None:
        builder = self._tantivy.SchemaBuilder()
        builder.add_unsigned_field("id", stored=True, fast=True)
        builder.add_text_field("text", stored=True, tokenizer_name="en_stem", index_option="freq")
        index = self._tantivy.Index(builder.build(), path=str(folder))
        writer = index.writer(_HEAP)
        for block in blocks:
            for passage in block.passages:
                document = self._tantivy.Document()
                document.add_unsigned("id", passage.number)
                document.add_text("text", passage.text)
                writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    async def open(self, folder: Path) -> None:
        self._index = self._tantivy.Index.open(str(folder))
        self._index.reload()
        self._searcher = self._index.searcher()

    async def search(self, question: Question, k: int) -> list[int]:
        query = self._index.parse_query(question.text, ["text"])
        found = self._searcher.search(query, k, count=False)
        return [self._searcher.doc(address)["id"][0] for _, address in found.hits]

    async def close(self) -> None:
        self._searcher = self._index = None
