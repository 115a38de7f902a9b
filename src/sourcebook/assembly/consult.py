"""What answers questions."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.assembly.embedders import Embedders
    from sourcebook.consult.calibration.service import Calibrator
    from sourcebook.consult.curated.answer_transfer import AnswerImport
    from sourcebook.consult.curated.entries import CuratedEntries
    from sourcebook.consult.evidence.passages import Retrieval
    from sourcebook.consult.help import Manual
    from sourcebook.consult.service import Consultation, Drafting
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.stores import Stores
    from sourcebook.settings import Settings


def make_consultation(
    stores: Stores,
    retriever: Retrieval,
    embedders: Embedders,
    chat_model: ChatModel | None,
    settings: Settings,
    drafting: Drafting | None = None,
) -> Consultation:
    """Answers questions; with `drafting`, answers become drafts as the settings want it."""
    from sourcebook.consult.service import AnswerPolicy, Consultation

    return Consultation(
        stores=stores,
        retrieval=retriever,
        embedder_for=embedders.choose,
        chat_model=chat_model,
        drafting=drafting,
        policy=AnswerPolicy(passages=settings.answer_passages, answer_size=settings.chat_characters),
    )


def make_calibrator(
    stores: Stores, retriever: Retrieval, embedders: Embedders, settings: Settings
) -> Calibrator:
    from sourcebook.consult.calibration.service import Calibrator

    return Calibrator(stores, retriever, embedders.choose, settings.answer_passages)


def make_entries(stores: Stores, embedders: Embedders) -> CuratedEntries:
    from sourcebook.consult.curated.entries import CuratedEntries

    return CuratedEntries(stores, embedders.main, embedders.choose)


def make_answer_import(
    stores: Stores, entries: CuratedEntries, collection_id: str, approved_by: int | None
) -> AnswerImport:
    from sourcebook.consult.curated.answer_transfer import AnswerImport

    return AnswerImport(stores, entries, collection_id, approved_by)


def make_help_retrieval(retriever: Retrieval) -> Retrieval:
    """Searches the base and the manual."""
    from sourcebook.consult.help import HelpRetrieval

    return HelpRetrieval(retriever, make_manual)


@cache
def make_manual() -> Manual:
    """The manual: inside the installed package, or beside the source of an editable install."""
    from sourcebook.consult.help import Manual

    package = Path(__file__).parents[1]
    folders = (package / "_manual", package.parent.parent / "docs")
    return Manual(next((folder for folder in folders if folder.is_dir()), None))
