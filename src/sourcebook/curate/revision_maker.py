"""Makes the revision that a decision stores: an answer bound to the words of the documents that support it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sourcebook.curate.draft_rules import FALLBACK_CATEGORY, kept_question, lost_quotes, lost_support
from sourcebook.curate.offered_sources import named_sources, quoted_sources, sources_of, whole_document
from sourcebook.curate.source_changes import in_new_words, source_changes
from sourcebook.errors import ActiveModelChanged, SupportLost, UsageError
from sourcebook.model.moderation import DraftStatus, LostSupport, Revision
from sourcebook.ports.moderation import BoundAnswer
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, SourceChange
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.moderation import Binder, Embedded
    from sourcebook.ports.stores import Stores

_T = TypeVar("_T")
_TRIES = 3
SourceName = int | str
"""The number of a passage shown with the draft, or the id or path of a document."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants approved. None keeps the draft's value."""

    answer: str
    question: str | None = None
    category: str | None = None
    subcategory: str | None = None
    sources: Sequence[SourceName] = ()
    on_lost_support: LostSupport = LostSupport.ACCEPT


@dataclass(frozen=True, slots=True)
class RevisionMaker:
    """Binds what is wanted to its sources, and embeds it."""

    stores: Stores
    binder: Binder
    embed: Callable[[str, str], Awaitable[Embedded]]
    default_collection: str

    async def of_draft(self, draft: Draft, wanted: Wanted) -> Revision:
        """The revision that approving the draft stores. SupportLost if its documents no longer say what it says."""
        collection_id = draft.collection_id or self.default_collection
        asked = kept_question(draft, wanted.answer) if wanted.question is None else wanted.question
        entry = await self.renewed_by(draft)
        if wanted.question is None and entry is not None and entry.question is None:
            asked = ""  # still found by its answer
        named = await self._named(draft, wanted.sources)
        bound: BoundAnswer = await self.binder.bind(
            wanted.answer,
            asked or None,
            draft.citations,
            [collection_id],
            draft.language,
            named=named,
            renews=None if entry is None else entry.answer,
        )
        # A decided draft is refused for that reason, not for what the documents say now.
        if draft.status is DraftStatus.PENDING and wanted.on_lost_support is LostSupport.REFUSE:
            await self._require_support(draft, entry, bound)
        _require_used(named, bound)
        category = wanted.category
        return Revision(
            collection_id=collection_id,
            category=category or draft.category_guess or FALLBACK_CATEGORY,
            answer=bound.text,
            question=asked.strip() or None,
            # A guessed subcategory belongs to the guessed category.
            subcategory=wanted.subcategory or (draft.subcategory_guess if category is None else None),
            language=draft.language or detect_language(asked or wanted.answer),
            sources=bound.sources,
        )

    async def of_entry(self, draft: Draft, entry: CuratedAnswer, sources: Sequence[SourceName]) -> Revision:
        """The approved answer as it is, with further sources that a person named."""
        had, named = sources_of(entry), await self._named(draft, sources)
        bound = await self.binder.bind(
            entry.answer,
            entry.question,
            had,
            [entry.collection_id],
            entry.language,
            named=[*had, *named],
        )
        _require_used(named, bound)
        return Revision(
            collection_id=entry.collection_id,
            category=entry.category,
            answer=bound.text,
            question=entry.question,
            subcategory=entry.subcategory,
            language=entry.language,
            sources=bound.sources,
        )

    async def of_text(self, answer: str, question: str | None, collection_id: str) -> BoundAnswer:
        """An answer that came without a draft, bound to what a search finds for it."""
        if await self.stores.vectors.get_collection(collection_id) is None:
            return BoundAnswer(answer, (), (answer,))
        language = detect_language(question or answer)
        return await self.binder.bind(answer, question, (), [collection_id], language)

    async def renewed_by(self, draft: Draft) -> CuratedAnswer | None:
        """The stale answer that the draft would renew; None if it renews none."""
        return None if draft.stale_kb_id is None else await self.stores.curated.kb_get(draft.stale_kb_id)

    async def changes(self, draft: Draft) -> list[SourceChange]:
        """What became of the changed sources of a stale answer, or of an answer from documents that waits."""
        entry = await self.renewed_by(draft)
        sources = quoted_sources(draft) if entry is None else entry.sources
        return await source_changes(sources, self.stores)

    async def in_new_words(self, draft: Draft) -> str | None:
        """That answer as its sources say it now. None if none of its sentences can be replaced."""
        entry = await self.renewed_by(draft)
        answer = (draft.answer or "") if entry is None else entry.answer
        return in_new_words(answer, await self.changes(draft))

    async def with_vector(self, wanted: Revision, decide: Callable[[Embedded], Awaitable[_T]]) -> _T:
        """Decide with a vector of the collection's model; again if the model changes meanwhile."""
        for tries_left in reversed(range(_TRIES)):
            embedded = await self.embed(wanted.collection_id, wanted.question or wanted.answer)
            try:
                return await decide(embedded)
            except ActiveModelChanged:
                if not tries_left:
                    raise
        raise AssertionError("the last try returned or raised")

    async def _require_support(self, draft: Draft, entry: CuratedAnswer | None, bound: BoundAnswer) -> None:
        """SupportLost if the documents no longer say what they said when the draft was made."""
        lost = lost_quotes(draft, bound.lost) if entry is None else lost_support(entry, bound.unsupported)
        if lost:
            quote = lost[0].rstrip(".")
            raise SupportLost(
                f"The documents no longer say: “{quote}”.", hint=await self._how_to_renew(draft), quote=quote
            )

    async def _how_to_renew(self, draft: Draft) -> str | None:
        """A hint that offers the new words, if there are some; None for the usual hint."""
        if await self.in_new_words(draft) is None:
            return None
        return (
            "Take the new words of the documents with `--new-words`, edit the answer, or approve it all the same with "
            "`--force`. `sourcebook moderate show` shows what has changed."
        )

    async def _named(self, draft: Draft, sources: Sequence[SourceName]) -> list[Citation]:
        found = named_sources(draft, [name for name in sources if isinstance(name, int)])
        collection_id = draft.collection_id or self.default_collection
        for name in sources:
            if isinstance(name, str):
                document = (await self.stores.library.find_document(collection_id, name)).document
                found.append(whole_document(len(found) + 1, collection_id, document))
        return found


def _require_used(named: Sequence[Citation], bound: BoundAnswer) -> None:
    """UsageError if a named source was not bound, because it could not be watched for changes."""
    used = {source.document_id for source in bound.sources}
    for each in named:
        if each.document_id not in used:
            raise UsageError(
                f"{each.document_path} is gone, or nothing in it resembles the answer",
                hint="Name the passage or the document that says it, or none.",
            )
