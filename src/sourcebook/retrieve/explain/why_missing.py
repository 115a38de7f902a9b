"""Why a document is not among the results: every reason that can be found, from its status to its rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.model.documents import ChunkLevel, DocumentStatus
from sourcebook.model.explanation import AbsenceCode, AbsenceReason, DocumentPlace
from sourcebook.model.search import And, Or, RetrievalConfig, RetrievalMode
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, check, matches
from sourcebook.retrieve.filters.filter_text import as_where
from sourcebook.retrieve.search_checks import checked_config, named_collections
from sourcebook.retrieve.subcategories import general_entries, own_entries
from sourcebook.text.analysis import analyse, analyse_question

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk, Document, EmbeddedChunk
    from sourcebook.model.search import MetadataFilter, SearchReport, SearchResult
    from sourcebook.ports.storage import Library, VectorStore
    from sourcebook.retrieve.explain.trace import Searched
    from sourcebook.retrieve.search import DefaultRetriever

DEEPEST = 1_000
"""How far down a ranking a document is looked for."""
_PARTS_SHOWN = 5


class MissingDocuments:
    """Says why a search did not return a document."""

    def __init__(self, library: Library, vectors: VectorStore, retriever: DefaultRetriever) -> None:
        self._library = library
        self._vectors = vectors
        self._retriever = retriever

    async def explain(
        self,
        document: str,
        collections: str | Sequence[str],
        query: str,
        config: RetrievalConfig | None = None,
    ) -> DocumentPlace:
        """The place of the document with this id or path. If it is among the results it has a rank, else reasons."""
        config = checked_config(RetrievalConfig() if config is None else config)
        names = named_collections(collections)
        report = await self._retriever.report(names, query, config)
        for name in names:
            found = await self._document(name, document)
            if found is not None:
                return await self._place(document, name, found, query, config, report)
        where = "the collection" if len(names) == 1 else "the collections"
        reason = AbsenceReason(
            AbsenceCode.UNKNOWN_DOCUMENT, f"There is no document {document!r} in {where} {', '.join(names)}."
        )
        return DocumentPlace(document, reasons=(reason,))

    async def _document(self, collection_id: str, named: str) -> Document | None:
        by_id = await self._library.get_document(collection_id, named)
        if by_id is not None:
            return by_id
        known = await self._library.list_documents(collection_id)
        return named_document(known, named)

    async def _place(
        self,
        named: str,
        collection_id: str,
        document: Document,
        query: str,
        config: RetrievalConfig,
        report: SearchReport,
    ) -> DocumentPlace:
        place = DocumentPlace(named, document.id, document.file_path, collection_id)
        rank = rank_of(document.id, collection_id, report.results)
        if rank is not None:
            return replace(place, rank=rank)
        chunks = await self._vectors.get_by_document(collection_id, document.id)
        languages = await self._library.languages(collection_id)
        reasons = [
            *_of_status(document, chunks),
            *_of_filter(document, chunks, config),
            *_of_words(document, chunks, query, languages, config.mode),
            *_of_vectors(chunks, config.mode),
        ]
        if reasons or not chunks:
            return replace(place, reasons=tuple(reasons))
        return await self._ranked_place(place, chunks, query, config, report)

    async def _ranked_place(
        self,
        place: DocumentPlace,
        chunks: Sequence[EmbeddedChunk],
        query: str,
        config: RetrievalConfig,
        report: SearchReport,
    ) -> DocumentPlace:
        """The ranks of a document that matches the search, but is not among the results."""
        own = {embedded.chunk.id for embedded in chunks}
        inside = replace(config, filter=_whole_filter(config), subcategory=None)
        collection_id = place.collection_id or ""
        deep = await self._retriever.rankings(collection_id, query, inside, DEEPEST)
        usual = await self._retriever.rankings(collection_id, query, inside)
        ranked = replace(
            place,
            semantic_rank=_best_rank(deep.semantic or (), own),
            keyword_rank=_best_rank(deep.keyword or (), own),
        )
        return replace(ranked, reasons=tuple(_of_rank(ranked, own, usual, report.results)))


def named_document(known: Sequence[Document], named: str) -> Document | None:
    """The document at this path, given from the root of its source or in full; of several, the shortest."""
    path = named.replace("\\", "/").removeprefix("./")
    exact = [d for d in known if d.file_path == path]
    ending = [d for d in known if d.file_path.endswith("/" + path) or path.endswith("/" + d.file_path)]
    return min(exact or ending, key=lambda d: (len(d.file_path), d.file_path), default=None)


def rank_of(document_id: str, collection_id: str, results: Sequence[SearchResult]) -> int | None:
    return next(
        (
            rank
            for rank, result in enumerate(results, start=1)
            if (result.chunk.document_id, result.collection_id) == (document_id, collection_id)
        ),
        None,
    )


def _of_status(document: Document, chunks: Sequence[EmbeddedChunk]) -> Iterator[AbsenceReason]:
    if document.status is not DocumentStatus.COMPLETED:
        error = f": {document.processing_error}" if document.processing_error else ""
        yield AbsenceReason(
            AbsenceCode.NOT_INDEXED, f"It was not indexed; its status is {document.status.value}{error}."
        )
    if not document.is_active:
        yield AbsenceReason(
            AbsenceCode.HIDDEN,
            f"It is hidden. `sourcebook documents unhide {document.id}` shows it again.",
        )
    if not chunks:
        yield AbsenceReason(AbsenceCode.NO_PASSAGES, "It has no passages, so there is nothing to find.")


def _of_filter(
    document: Document, chunks: Sequence[EmbeddedChunk], config: RetrievalConfig
) -> Iterator[AbsenceReason]:
    tree = _whole_filter(config)
    passages = [e.chunk for e in chunks if e.chunk.level is ChunkLevel.PARENT]
    records = [FilterRecord(p.metadata, document.metadata, _columns(document, p)) for p in passages]
    if tree is None or not records or any(matches(tree, record) for record in records):
        return
    parts = tree.filters if isinstance(tree, And) else (tree,)
    failing = [as_where(part) for part in parts if not any(matches(part, record) for record in records)]
    told = " and ".join(f"`{part}`" for part in failing[:_PARTS_SHOWN]) or f"`{as_where(tree)}`"
    yield AbsenceReason(AbsenceCode.FILTERED_OUT, f"None of its passages match {told}.")


def _whole_filter(config: RetrievalConfig) -> MetadataFilter | None:
    """All that a search lets through: with a subcategory, its entries and the general ones."""
    if config.subcategory is None:
        return config.filter
    chosen = Or((own_entries(config.subcategory, None), general_entries(config.subcategory, None)))
    return check(chosen if config.filter is None else And((config.filter, chosen)))


def _columns(document: Document, passage: Chunk) -> Mapping[str, str | int | None]:
    return {
        "type": document.type,
        "category": document.category,
        "subcategory": document.subcategory,
        "language": document.language,
        "title": document.title,
        "page": passage.page,
        "section": passage.section,
        "document_path": document.file_path,
        "mtime": document.mtime,
    }


def _of_words(
    document: Document,
    chunks: Sequence[EmbeddedChunk],
    query: str,
    languages: Sequence[str],
    mode: RetrievalMode,
) -> Iterator[AbsenceReason]:
    if mode is not RetrievalMode.KEYWORD or not chunks:
        return
    wanted = analyse_question(query, languages)
    texts = [e.chunk.content for e in chunks if e.chunk.level is ChunkLevel.PARENT]
    held = {term for text in texts for term in analyse(text, document.language)}
    if held.intersection(wanted.terms) or any(term.startswith(wanted.prefixes) for term in held):
        return
    sought = ", ".join(wanted.terms[:_PARTS_SHOWN]) or "nothing"
    yield AbsenceReason(
        AbsenceCode.NO_MATCHING_WORDS, f"None of its passages contain a word of the question ({sought})."
    )


def _of_vectors(chunks: Sequence[EmbeddedChunk], mode: RetrievalMode) -> Iterator[AbsenceReason]:
    if mode is RetrievalMode.SEMANTIC and chunks and all(e.embedding is None for e in chunks):
        yield AbsenceReason(
            AbsenceCode.NO_VECTORS,
            "It has no vectors of the collection's model. `sourcebook reindex` makes them.",
        )


def _of_rank(
    place: DocumentPlace,
    own: set[str],
    usual: Searched,
    results: Sequence[SearchResult],
) -> Iterator[AbsenceReason]:
    rank = _best_rank(usual.fused, own)
    if rank is None:
        yield AbsenceReason(
            AbsenceCode.NOT_A_CANDIDATE,
            f"Its best passage is {_told(place.semantic_rank)} by meaning and {_told(place.keyword_rank)} by words;"
            f" each arm contributes its first {usual.count}.",
        )
        return
    last = f"; the last of the {len(results)} results has {results[-1].score:.3f}" if results else ""
    yield AbsenceReason(
        AbsenceCode.BELOW_THE_CUT,
        f"Its best passage was number {rank}, with a score of {usual.fused[rank - 1].score:.3f}{last}.",
    )


def _best_rank(ranking: Sequence[SearchResult], own: set[str]) -> int | None:
    return next((rank for rank, r in enumerate(ranking, start=1) if r.chunk.id in own), None)


def _told(rank: int | None) -> str:
    return f"not among the first {DEEPEST}" if rank is None else f"number {rank}"
