"""What answers questions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.assembly.chat_models import is_local

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.assembly.embedders import Embedders
    from sourcebook.consult.answer.model_checks import ModelChecks
    from sourcebook.consult.answer_check.folder_check import FolderCheck
    from sourcebook.consult.answer_policy import AnswerPolicy
    from sourcebook.consult.answerable_drafts import AnswerableDrafts
    from sourcebook.consult.ask import Consultation, Drafting
    from sourcebook.consult.calibration.calibrator import Calibrator
    from sourcebook.consult.curated.answer_transfer import AnswerExport, AnswerImport
    from sourcebook.consult.curated.curated_entries import CuratedEntries
    from sourcebook.consult.manual_help import Manual
    from sourcebook.ingest.parsers.process.pool import ParserPool
    from sourcebook.model.add_reports import Progress
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.search import Retrieval
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
    from sourcebook.consult.ask import Consultation

    return Consultation(
        stores=stores,
        retrieval=_reranked(retriever, settings),
        embedder_for=embedders.choose,
        chat_model=chat_model,
        drafting=drafting,
        policy=_policy(settings),
        checks=make_checks(settings),
    )


def make_answerable(
    stores: Stores, retriever: Retrieval, embedders: Embedders, settings: Settings
) -> AnswerableDrafts:
    """Finds waiting questions that the documents answer by now."""
    from sourcebook.consult.answerable_drafts import AnswerableDrafts

    consultation = make_consultation(stores, retriever, embedders, None, settings)
    return AnswerableDrafts(stores.moderation, consultation)


def make_checks(settings: Settings) -> ModelChecks:
    """The reader and the judge that the settings name. They are loaded when they are first needed, and kept."""
    return _checks(settings.models_folder, settings.reader_model, settings.judge_model)


@cache
def _checks(models_folder: str, reader: str, judge: str) -> ModelChecks:
    from sourcebook.consult.answer.model_checks import ModelChecks

    if reader == judge == "none":
        return ModelChecks()
    from sourcebook.providers.catalogue.installed_models import ModelStore
    from sourcebook.providers.catalogue.known_models import ModelKind
    from sourcebook.providers.catalogue.model_loading import pair_files
    from sourcebook.providers.onnx.entailment import OnnxJudge
    from sourcebook.providers.onnx.reader import OnnxReader

    store = ModelStore(Path(models_folder).expanduser())
    return ModelChecks(
        None if reader == "none" else OnnxReader(pair_files(store, reader, ModelKind.READER)),
        None if judge == "none" else OnnxJudge(pair_files(store, judge, ModelKind.JUDGE)),
    )


def _policy(settings: Settings) -> AnswerPolicy:
    """A model on this machine reads slowly: it gets fewer characters, and the reader an excerpt meanwhile."""
    from sourcebook.consult.answer_policy import AnswerPolicy

    policy = AnswerPolicy(
        passages=settings.answer_passages,
        answer_size=settings.chat_characters,
        reads_unsure=_reads_unsure(settings),
    )
    if is_local(settings):
        policy = replace(policy, context_size=3_000, history_size=1_000, shows_excerpt=True)
    size = settings.answer_characters
    return policy if size is None else replace(policy, context_size=size)


def _reads_unsure(settings: Settings) -> bool:
    """Models that fit on a laptop seldom decline; a model given as an object is its owner's choice."""
    if settings.chat_reads_unsure is not None:
        return settings.chat_reads_unsure
    return not settings.chat_model.startswith(("local:", "ollama:"))


def make_calibrator(
    stores: Stores, retriever: Retrieval, embedders: Embedders, settings: Settings
) -> Calibrator:
    from sourcebook.consult.calibration.calibrator import Calibrator

    search = _reranked(retriever, settings)
    return Calibrator(stores, search, embedders.choose, settings.answer_passages)


def _reranked(retriever: Retrieval, settings: Settings) -> Retrieval:
    """With a cross-encoder on this machine, answers are taken from the passages that it ranks first."""
    from sourcebook.assembly.retrieve import make_cross_encoder
    from sourcebook.retrieve.rerank.reranked_search import RerankedSearch

    if settings.rerank_provider != "onnx":
        return retriever
    reranker = make_cross_encoder(settings.models_folder, settings.rerank_model, settings.rerank_timeout)
    return retriever if reranker is None else RerankedSearch(retriever, reranker)


def make_entries(stores: Stores, embedders: Embedders) -> CuratedEntries:
    from sourcebook.consult.curated.curated_entries import CuratedEntries

    return CuratedEntries(stores, embedders.main, embedders.choose)


def make_answer_import(
    stores: Stores, entries: CuratedEntries, collection_id: str, approved_by: int | None
) -> AnswerImport:
    from sourcebook.consult.curated.answer_transfer import AnswerImport

    return AnswerImport(stores, entries, collection_id, approved_by)


def make_answer_export(stores: Stores) -> AnswerExport:
    from sourcebook.consult.curated.answer_transfer import AnswerExport

    return AnswerExport(stores)


def make_folder_check(
    parsers: ParserPool, documents: Path, on_progress: Callable[[Progress], None] | None
) -> FolderCheck:
    from sourcebook.consult.answer_check.folder_check import FolderCheck

    return FolderCheck(parsers, documents, on_progress)


def make_help_retrieval(retriever: Retrieval) -> Retrieval:
    """Searches the base and the manual."""
    from sourcebook.consult.manual_help import HelpRetrieval

    return HelpRetrieval(retriever, make_manual)


@cache
def make_manual() -> Manual:
    """The manual: inside the installed package, or beside the source of an editable install."""
    from sourcebook.consult.manual_help import Manual

    package = Path(__file__).parents[1]
    folders = (package / "_manual", package.parent.parent / "docs")
    return Manual(next((folder for folder in folders if folder.is_dir()), None))
