"""Drafts and curated answers to try the contracts of review on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.model.curation import CuratedSource
from sourcebook.model.documents import Document, EmbeddingModel, PreparedDocument
from sourcebook.model.moderation import DraftKind, NewDraft, Revision
from sourcebook.ports.moderation import Embedded
from sourcebook.testing.contract.chat import LOCAL, QUOTE, citation

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.moderation import Draft

MODEL = EmbeddingModel.of_caller(2)
EMBEDDED = Embedded([1.0, 0.0], MODEL)
STRANGER = 77
QUESTION = "Когда обрезать малину?"
SOURCE = CuratedSource("c", "d", "notes.md", QUOTE, "Notes", "k1", 3, 0, len(QUOTE), "a" * 64)
OTHERS = "Water in the morning. "


def revision(**changes: object) -> Revision:
    made = Revision("c", "Ягоды", QUOTE, QUESTION, "малина", "ru", (SOURCE,))
    return replace(made, **changes)  # type: ignore[arg-type]


def new_draft(**changes: object) -> NewDraft:
    made = NewDraft(
        LOCAL,
        DraftKind.ANSWER,
        QUESTION,
        answer=QUOTE,
        language="ru",
        citations=(citation(),),
        details={"searched": "малина", "passages": [{"title": "Notes", "score": 0.5}]},
        attachments=({"kind": "photo", "file_id": "x"},),
        category_guess="Ягоды",
        group_key="g",
        collection_id="c",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def declined(**changes: object) -> NewDraft:
    return new_draft(kind=DraftKind.DECLINED, answer=None, citations=(), **changes)


async def put(
    base: OpenBase, text: str, digest: str, *, title: str = "Notes", document_id: str = "d"
) -> None:
    """Write the document that is quoted."""
    await base.stores.library.open_collection("c", MODEL)
    present = await base.stores.library.get_document("c", document_id)
    document = Document(
        document_id, text, file_path=f"{document_id}.md", title=title, file_hash=(digest * 64)[:64]
    )
    await base.stores.writer.replace_document(
        "c", PreparedDocument(document, (), MODEL, expected_hash=present.file_hash if present else None)
    )


async def approved(base: OpenBase, **changes: object) -> CuratedAnswer:
    draft = await base.stores.moderation.add(new_draft())
    return await base.stores.moderation.approve(draft.id, LOCAL, revision(**changes), EMBEDDED)


async def stale_drafts(base: OpenBase) -> list[Draft]:
    return await base.stores.moderation.pending(kind=DraftKind.STALE)


async def entry_of(base: OpenBase, made: CuratedAnswer) -> CuratedAnswer:
    found = await base.stores.curated.kb_get(made.id)
    assert found is not None
    return found
