"""Labels for documents that need not be read: moved ones, and those whose source got new labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.errors import DocumentChangedMeanwhile
from sourcebook.ingest.folder.targets import Options
from sourcebook.ingest.folder.type_rules import parse_rules, type_of
from sourcebook.ingest.index.document_reader import FilePlace, labels_for, said_in
from sourcebook.model.documents import DocumentPath
from sourcebook.model.sources import Labelling, Placement

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.ingest.folder.comparison import FolderComparison
    from sourcebook.model.documents import Document

_PAGE = 500


class Labeller:
    """Gives documents their labels, by their path and by what their files said when they were read."""

    def __init__(self, tools: Tools, collection_id: str) -> None:
        self._tools = tools
        self._collection_id = collection_id
        self._rules = parse_rules(tools.config.rules)

    async def placements(self, seen: FolderComparison) -> list[Placement]:
        """The documents that move or lie at one more path, with the labels that they have there."""
        placed = [(move.new, move.document_id) for move in seen.plan.moves]
        placed += [(another.path, another.document_id) for another in seen.plan.another]
        placements: list[Placement] = []
        for page in _pages(placed):
            heads = await self._heads([document_id for _, document_id in page])
            placements += [self._placement(seen, path, heads[d]) for path, d in page if d in heads]
        return placements

    async def relabel(self, seen: FolderComparison) -> int:
        """Give the labels of the source to what did not change. How many files that could be read it was news for."""
        known = [(path, seen.known.paths[path].document_id) for path in seen.plan.unchanged]
        unchanged, count = seen.unchanged(), 0
        for page in _pages(known):
            heads = await self._heads([document_id for _, document_id in page])
            news = await self._relabel(seen, [(path, heads[d]) for path, d in page if d in heads])
            count += sum(path in unchanged for path in news)
        options = replace(Options.of(seen.target.source), unfinished=False)
        source = replace(seen.target.source, options=options.as_metadata())
        present = await self._tools.sources.list_sources(self._collection_id)
        try:
            await self._tools.sources.put_source(self._collection_id, source, (), [s.id for s in present])
        except DocumentChangedMeanwhile:
            # The labels are right; that it says so can wait for the next time.
            return count
        seen.target = replace(seen.target, source=source)
        return count

    async def relabelled(self, seen: FolderComparison) -> list[str]:
        """The files that did not change and for which the labels of the source are news. Nothing is written."""
        known = [(path, seen.known.paths[path].document_id) for path in seen.plan.unchanged]
        unchanged, news = seen.unchanged(), list[str]()
        for page in _pages(known):
            heads = await self._heads([document_id for _, document_id in page])
            placed = [(self._placement(seen, path, heads[d]), heads[d]) for path, d in page if d in heads]
            news += [placement.path.path for placement, head in placed if _labelling(placement, head)]
        return [path for path in news if path in unchanged]

    async def _relabel(self, seen: FolderComparison, page: Sequence[tuple[str, Document]]) -> list[str]:
        placed = [(self._placement(seen, path, head), head) for path, head in page]
        news = {p.path.path: labels for p, head in placed if (labels := _labelling(p, head)) is not None}
        paths = [placement.path for placement, _ in placed]
        await self._tools.writer.label(self._collection_id, list(news.values()), paths)
        return list(news)

    async def _heads(self, document_ids: Sequence[str]) -> dict[str, Document]:
        heads = await self._tools.sources.heads(self._collection_id, sorted(set(document_ids)))
        return {head.id: head for head in heads}

    def _placement(self, seen: FolderComparison, path: str, head: Document) -> Placement:
        place = FilePlace(path, seen.shown(path), seen.absolute(path))
        labels = labels_for(place, seen.target.labels_at(path), head.metadata)
        mark, entry = seen.marks.get(path), seen.scan.files.get(path)
        return Placement(
            document_id=head.id,
            file_hash=seen.found[path],
            path=DocumentPath(
                seen.target.source.id,
                path,
                labels.subcategory or None,
                mark.mtime if mark else entry and entry.mtime,
                mark.size if mark else entry and entry.size,
                seen.seen_at,
            ),
            file_path=place.shown,
            type=said_in(head.metadata, "type") or type_of(place.absolute, self._rules),
            category=labels.category or None,
        )


def _labelling(placement: Placement, head: Document) -> Labelling | None:
    """The labels that a document is to have, if it has others."""
    if placement.file_path != head.file_path:
        # It is shown at another of its paths, whose labels it has.
        return None
    wanted = Labelling(head.id, placement.type, placement.category, placement.path.subcategory)
    is_news = wanted != Labelling(head.id, head.type, head.category, head.subcategory)
    return wanted if is_news else None


def _pages(items: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    return (items[start : start + _PAGE] for start in range(0, len(items), _PAGE))
