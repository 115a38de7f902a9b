"""The same client without await. It runs the async client in a thread of its own."""

from __future__ import annotations

import functools
import inspect
from concurrent.futures import Future
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from sourcebook.client import AsyncSourcebook
from sourcebook.consult.question.inquiry import LOCAL_USER
from sourcebook.errors import NotOpen
from sourcebook.ingest.add_request import OnFailed, OnRemoval
from sourcebook.model.backup import OnExisting
from sourcebook.model.curation import SourceType
from sourcebook.model.reindexing import ReindexScope

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from types import TracebackType

    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.adding import AddPlan, AddReport, Progress, WatchRound
    from sourcebook.model.backup import BackupReport, RestoreReport
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.chat import Answer, AnswerEvent, ChatSession, Conversation
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch, CuratedSource, Term
    from sourcebook.model.documents import (
        Collection,
        Document,
        DocumentDetails,
        DocumentStatus,
        JsonValue,
        Metadata,
        WriteReport,
    )
    from sourcebook.model.explanation import DocumentPlace
    from sourcebook.model.health import HealthReport
    from sourcebook.model.jobs import Job
    from sourcebook.model.model_facts import Thresholds
    from sourcebook.model.reindexing import ReindexPlan, ReindexProgress, ReindexReport
    from sourcebook.model.search import MetadataFilter, RetrievalConfig, SearchReport, SearchResult
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder
    from sourcebook.retrieve.evaluation import Evaluation, JudgedQuestion, Replayed, SearchSetting
    from sourcebook.settings import Settings
    from sourcebook.storage.jsonl.report import BundleReport
    from sourcebook.storage.maintenance.base_copy import CopyReport

P = ParamSpec("P")
T = TypeVar("T")


# How long Ctrl-C waits for what it stopped to put its things in order.
_TIDYING_SECONDS = 5.0


def _wait_for(portal: BlockingPortal, call: Callable[[], Awaitable[T]]) -> T:
    begun, ended = Event(), Event()

    async def run() -> T:
        begun.set()
        try:
            return await call()
        finally:
            ended.set()

    try:
        running = portal.start_task_soon(run)
    except RuntimeError as error:
        raise NotOpen from error
    try:
        return running.result()
    except BaseException:
        # Ctrl-C reaches the thread that waits: what it waited for must stop too, and end before the base is closed.
        if running.cancel() and begun.is_set():
            ended.wait(_TIDYING_SECONDS)
        raise


class _Loop:
    """A thread with an event loop. It never keeps a program from ending."""

    def __init__(self) -> None:
        started: Future[BlockingPortal] = Future()
        self._thread = Thread(target=anyio.run, args=(self._serve, started), name="sourcebook", daemon=True)
        self._thread.start()
        self.portal = started.result()

    async def _serve(self, started: Future[BlockingPortal]) -> None:
        async with BlockingPortal() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()

    def stop(self) -> None:
        self.portal.call(self.portal.stop)
        self._thread.join()


class BlockingStore:
    """A store whose methods return their result directly: `book.stores.vectors.get(…)`, without `await`."""

    def __init__(self, portal: BlockingPortal, store: object) -> None:
        self._portal = portal
        self._store = store

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._store, name)
        if not inspect.iscoroutinefunction(member):
            return member

        @functools.wraps(member)
        def wait(*arguments: Any, **named: Any) -> Any:
            return _wait_for(self._portal, functools.partial(member, *arguments, **named))

        return wait


class BlockingStores:
    """The stores of an open base, for code without await."""

    def __init__(self, portal: BlockingPortal, book: AsyncSourcebook) -> None:
        stores = book.stores
        self.vectors = BlockingStore(portal, stores.vectors)
        self.fts = BlockingStore(portal, stores.fts)
        self.tracker = BlockingStore(portal, stores.tracker)
        self.writer = BlockingStore(portal, stores.writer)
        self.library = BlockingStore(portal, stores.library)
        self.sources = BlockingStore(portal, stores.sources)
        self.jobs = BlockingStore(portal, stores.jobs)
        self.reindexing = BlockingStore(portal, stores.reindexing)
        self.sessions = BlockingStore(portal, stores.sessions)
        self.curated = BlockingStore(portal, stores.curated)
        self.terms = BlockingStore(portal, stores.terms)
        self.moderation = BlockingStore(portal, stores.moderation)
        self.users = BlockingStore(portal, stores.users)
        self.topics = BlockingStore(portal, stores.topics)
        self.messages = BlockingStore(portal, stores.messages)
        self.ledger = BlockingStore(portal, stores.ledger)
        self.visits = BlockingStore(portal, stores.visits)


class Sourcebook:
    """A base: `with Sourcebook("data/knowledge_base.db") as book: …`. Several threads may use it at once.

    Anything you leave out comes from the settings. An embedder or chat model that you pass replaces the one in the
    settings. Conversations are stored under the name in `face`.
    """

    def __init__(
        self,
        db: str | os.PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        face: str = "python",
    ) -> None:
        self._book = AsyncSourcebook(
            db, settings=settings, embedder=embedder, chat_model=chat_model, face=face
        )
        self._loop: _Loop | None = None
        self._lock = Lock()

    def open(self) -> Self:
        """Open the base, creating it if needed. Calling this twice does no harm."""
        with self._lock:
            if self._loop is None:
                loop = _Loop()
                try:
                    loop.portal.call(self._book.open)
                except BaseException:
                    loop.stop()
                    raise
                self._loop = loop
        return self

    def close(self) -> None:
        """Close the base. Calling this twice does no harm."""
        with self._lock:
            loop, self._loop = self._loop, None
            if loop is not None:
                try:
                    loop.portal.call(self._book.close)
                finally:
                    loop.stop()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def stores(self) -> BlockingStores:
        """The underlying stores, for building your own retrieval."""
        return BlockingStores(self._opened(), self._book)

    @property
    def moderation(self) -> BlockingStore:
        """The review queue: drafts to approve, questions for the expert, and stale curated answers."""
        return BlockingStore(self._opened(), self._book.moderation)

    @property
    def people(self) -> BlockingStore:
        """Users: their roles, consultations, messages and tokens."""
        return BlockingStore(self._opened(), self._book.people)

    @property
    def reception(self) -> BlockingStore:
        """Answers a user's question from start to finish. A question sent twice is answered and charged once."""
        return BlockingStore(self._opened(), self._book.reception)

    def add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_removal: OnRemoval = OnRemoval.REFUSE,
        on_failed: OnFailed = OnFailed.LEAVE,
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddReport:
        """Add files and folders, or bring the base up to date with them. Only changed files are read again.

        Files that are gone are removed from the base. If most of a folder is gone, that is an error unless
        `on_removal` allows it. Categories are remembered for the given paths. Set `stop` to end early; finished files
        are kept.
        """
        return self._call(
            self._book.add,
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_removal=on_removal,
            on_failed=on_failed,
            on_progress=on_progress,
            stop=stop,
        )

    def plan_add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_removal: OnRemoval = OnRemoval.REFUSE,
        on_failed: OnFailed = OnFailed.LEAVE,
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddPlan:
        """What `add` would do now, without writing anything."""
        return self._call(
            self._book.plan_add,
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_removal=on_removal,
            on_failed=on_failed,
            on_progress=on_progress,
            stop=stop,
        )

    def add_text(
        self,
        text: str,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> WriteReport:
        """Add text that is not in a file. Adding the same id again replaces the earlier text."""
        return self._call(
            self._book.add_text,
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection=collection,
            category=category,
            subcategory=subcategory,
        )

    def add_bytes(
        self,
        name: str,
        data: bytes,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> WriteReport:
        """Add a file from its bytes, and keep the bytes beside the base.

        Adding the same id again (or the same name, without an id) replaces the earlier file; categories that you leave
        out stay as they were. A file that cannot be read raises an error and is listed as failed, with the reason.
        """
        return self._call(
            self._book.add_bytes,
            name,
            data,
            id=id,
            title=title,
            metadata=metadata,
            collection=collection,
            category=category,
            subcategory=subcategory,
        )

    def upload(
        self,
        name: str,
        data: bytes,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> Job:
        """Keep the bytes beside the base and queue them for `process_uploads` to add.

        Without an id nothing is replaced: the same name with different bytes is another document.
        """
        return self._call(
            self._book.upload,
            name,
            data,
            id=id,
            title=title,
            metadata=metadata,
            collection=collection,
            category=category,
            subcategory=subcategory,
        )

    def process_uploads(self, worker: str = "worker") -> int:
        """Add all waiting uploads and return how many were processed. Several workers may run at once."""
        return self._call(self._book.process_uploads, worker)

    def watch(
        self,
        *paths: str | os.PathLike[str],
        on_round: Callable[[WatchRound], None],
        stop: StopSignal,
        every: float = 300.0,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_removal: OnRemoval = OnRemoval.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Add, and add again on every change, until `stop` is set. Everything is also checked every `every` seconds.

        `on_round` receives the report of every round, or the error that stopped it.
        """
        return self._call(
            self._book.watch,
            *paths,
            on_round=on_round,
            stop=stop,
            every=every,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_removal=on_removal,
            on_progress=on_progress,
        )

    def search(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> list[SearchResult]:
        """The passages that match the question best, from one or more collections. Warnings are logged."""
        return self._call(self._book.search, query, config, collection=collection)

    def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """The results of `search` with its warnings and, if `config.explain` is set, how they were ranked."""
        return self._call(self._book.search_report, query, config, collection=collection)

    def evaluate(
        self,
        questions: Sequence[JudgedQuestion],
        setting: SearchSetting | None = None,
        *,
        k: int = 10,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Evaluation:
        """Search with questions whose relevant documents are known: nDCG, recall and MRR at `k`, and the time taken."""
        return self._call(
            self._book.evaluate, questions, setting, k=k, collection=collection, on_asked=on_asked
        )

    def replay(
        self,
        questions: Sequence[str],
        before: SearchSetting,
        after: SearchSetting,
        *,
        k: int = 5,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> list[Replayed]:
        """Search with the same questions under two settings, and show what changes in the top `k` documents."""
        return self._call(
            self._book.replay, questions, before, after, k=k, collection=collection, on_asked=on_asked
        )

    def calibrate(
        self,
        questions: Sequence[JudgedQuestion] = (),
        pairs: Sequence[QuestionPair] = (),
        *,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Calibration:
        """Measure a collection's thresholds on questions and pairs with known outcomes, and suggest better ones.

        A question without a document is one that should be declined. Nothing is changed.
        """
        return self._call(self._book.calibrate, questions, pairs, collection=collection, on_asked=on_asked)

    def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Use the suggested thresholds for the collection, for as long as it keeps its model."""
        return self._call(self._book.apply_calibration, calibration)

    def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """The experts' decisions on answers from documents, as questions for `calibrate`."""
        return self._call(self._book.decided_questions, collection=collection)

    def explain_document(
        self,
        document: str,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> DocumentPlace:
        """Where the document with this id or path ranks in the search, and if it is not found, why not."""
        return self._call(self._book.explain_document, document, query, config, collection=collection)

    def ask(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        filter: MetadataFilter | None = None,
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer a question from the base with checked citations, or decline.

        `on_event` receives the passages, the answer's text as it is written, and the citations. In a session, a
        question may build on earlier ones; the session remembers its first collections, category and subcategory.
        """
        return self._call(
            self._book.ask,
            question,
            session=session,
            collection=collection,
            category=category,
            subcategory=subcategory,
            filter=filter,
            on_event=on_event,
        )

    def help(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer from documents of type `documentation` and `readme`, and from Sourcebook's own manual."""
        return self._call(
            self._book.help, question, session=session, collection=collection, on_event=on_event
        )

    def create_session(
        self, *, title: str | None = None, scope: Mapping[str, JsonValue] | None = None
    ) -> ChatSession:
        """Start a conversation. `ask` starts one itself when you name no session."""
        return self._call(self._book.create_session, title=title, scope=scope)

    def sessions(self, limit: int = 50) -> list[ChatSession]:
        """All conversations, newest first."""
        return self._call(self._book.sessions, limit)

    def session(self, session_id: str) -> Conversation:
        """A conversation with its messages. Each citation says whether its source has since changed or been removed."""
        return self._call(self._book.session, session_id)

    def rename_session(self, session_id: str, title: str) -> None:
        return self._call(self._book.rename_session, session_id, title)

    def remove_session(self, session_id: str) -> bool:
        """Remove a conversation with all its messages. True if there was one."""
        return self._call(self._book.remove_session, session_id)

    def export_session(self, session_id: str) -> str:
        """A conversation as Markdown, with its sources and whether they have changed since."""
        return self._call(self._book.export_session, session_id)

    def kb_insert(
        self,
        answer: str,
        *,
        category: str,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = LOCAL_USER,
        sources: Sequence[CuratedSource] = (),
        collection: str | None = None,
    ) -> CuratedAnswer:
        """Add an approved answer, which `ask` prefers. It is matched by its question or, without one, by its text.

        Make its sources with `kb_source`: when a source changes, the answer is marked stale.
        """
        return self._call(
            self._book.kb_insert,
            answer,
            category=category,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            language=language,
            approved_by=approved_by,
            sources=sources,
            collection=collection,
        )

    def kb_source(
        self, document: str, *, quote: str | None = None, supports: str = "", collection: str | None = None
    ) -> CuratedSource:
        """The place of `quote` in the document with this id or path or, without one, what best supports `supports`."""
        return self._call(
            self._book.kb_source, document, quote=quote, supports=supports, collection=collection
        )

    def kb_search(
        self,
        query: str,
        *,
        category: str | None = None,
        subcategory: str | None = None,
        limit: int = 3,
        distance_threshold: float = 0.35,
        collection: str | None = None,
    ) -> list[CuratedMatch]:
        """The approved answers to the nearest questions, at a cosine distance strictly below the threshold."""
        return self._call(
            self._book.kb_search,
            query,
            category=category,
            subcategory=subcategory,
            limit=limit,
            distance_threshold=distance_threshold,
            collection=collection,
        )

    def kb_list(self, collection: str | None = None) -> list[CuratedAnswer]:
        """The approved answers of one collection, or of all."""
        return self._call(self._book.kb_list, collection)

    def kb_remove(self, entry_id: int) -> bool:
        """Remove an approved answer. True if there was one."""
        return self._call(self._book.kb_remove, entry_id)

    def get_all_terms(self) -> list[Term]:
        """The terminology: words to avoid, and the phrases to use instead."""
        return self._call(self._book.get_all_terms)

    def add_term(
        self, term: str, preferred_phrase: str, *, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a word to avoid and the phrase to use instead, or change the phrase of an existing word."""
        return self._call(
            self._book.add_term, term, preferred_phrase, description=description, language=language
        )

    def delete_term(self, term: str) -> bool:
        """Remove a word from the terminology. True if it was there."""
        return self._call(self._book.delete_term, term)

    def documents(
        self, collection: str | None = None, *, status: DocumentStatus | None = None
    ) -> list[Document]:
        """A collection's documents in order of path, without their text. `status` keeps those of one status."""
        return self._call(self._book.documents, collection, status=status)

    def find_document(self, name: str, *, collection: str | None = None) -> DocumentDetails:
        """The document with this id or path, with its text and paths. The end of a path is enough if it is unique."""
        return self._call(self._book.find_document, name, collection=collection)

    def document(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text."""
        return self._call(self._book.document, document_id, collection=collection)

    def page_picture(self, document_id: str, page: int, *, collection: str | None = None) -> bytes:
        """A page of a PDF, counted from 1, as a PNG of at most 1600 pixels a side.

        It is drawn from the file that the text was read from: the upload kept beside the base, or the file where it
        was added. If that file is gone or has changed, this raises an error.
        """
        return self._call(self._book.page_picture, document_id, page, collection=collection)

    def remove_document(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document and everything that belongs to it. True if there was one.

        If its file is still in a folder that was added, adding the folder again brings it back.
        """
        return self._call(self._book.remove_document, document_id, collection=collection)

    def hide_document(self, document_id: str, *, collection: str | None = None) -> None:
        """Hide a document from searches without removing it."""
        return self._call(self._book.hide_document, document_id, collection=collection)

    def unhide_document(self, document_id: str, *, collection: str | None = None) -> None:
        return self._call(self._book.unhide_document, document_id, collection=collection)

    def collections(self) -> list[Collection]:
        return self._call(self._book.collections)

    def create_collection(self, collection: Collection) -> Collection:
        """Create a collection. An existing one with the same size and metric is left as it is."""
        return self._call(self._book.create_collection, collection)

    def remove_collection(self, collection_id: str) -> None:
        """Remove a collection and everything in it."""
        return self._call(self._book.remove_collection, collection_id)

    def copy_to(
        self,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> CopyReport:
        """Copy the whole base, vectors included, to an empty one: a file or a server. Both are compared at the end.

        An interrupted copy resumes where it stopped.
        """
        return self._call(self._book.copy_to, target, on_progress=on_progress)

    def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write some or all collections as a bundle. The folder appears only once it is complete."""
        return self._call(
            self._book.export,
            directory,
            collections=collections,
            on_existing=on_existing,
            on_progress=on_progress,
        )

    def import_bundle(
        self,
        source: str | os.PathLike[str],
        *,
        collection: str | None = None,
        model: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Import a bundle, a JSON Lines index, or another program's base. Importing again changes nothing.

        `collection` overrides the collection named in the bundle or the rows. `model` names the model that made the
        vectors of an index or another program's base (a bundle names its own); without it, texts are embedded again.
        """
        return self._call(
            self._book.import_bundle, source, collection=collection, model=model, on_progress=on_progress
        )

    def backup(
        self,
        target: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BackupReport:
        """Back up the whole base to one file while others keep using it. The file appears only once it is verified.

        The base need not be open.
        """
        return self._call_even_closed(
            self._book.backup, target, on_existing=on_existing, on_progress=on_progress
        )

    def restore(
        self,
        source: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> RestoreReport:
        """Verify a backup and put it in place of the base. The old base is kept under another name.

        The base need not be open, intact, or even exist. An open base is closed and opened again afterwards.
        """
        return self._call_even_closed(
            self._book.restore, source, on_existing=on_existing, on_progress=on_progress
        )

    def plan_reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
    ) -> list[ReindexPlan]:
        """What `reindex` would do to each collection, and how long it would take. Nothing is changed."""
        return self._call(self._book.plan_reindex, model=model, collections=collections, scope=scope)

    def reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
        on_progress: Callable[[ReindexProgress], None] | None = None,
    ) -> ReindexReport:
        """Rebuild the words and vectors from the stored text. Give a model, named as in the settings, to switch to it.

        Searches use the old vectors until the new ones are complete. A stopped run resumes where it was. With the
        scope WORDS, vectors are left alone.
        """
        return self._call(
            self._book.reindex, model=model, collections=collections, scope=scope, on_progress=on_progress
        )

    def doctor(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Check the base and report what is wrong with it. Nothing is changed.

        The base need not be open. A base too damaged to open is checked as far as it can be read.
        """
        return self._call_even_closed(self._book.doctor, on_progress=on_progress)

    def repair(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Repair what can be derived from other data, and report what was done and what is left.

        Missing vectors are made again. A damaged file is kept under another name and replaced by a new one with
        everything that can still be read. The base need not be open, but nobody else should be using it.
        """
        return self._call_even_closed(self._book.repair, on_progress=on_progress)

    def _call(self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> T:
        return _wait_for(self._opened(), functools.partial(method, *arguments, **named))

    def _call_even_closed(
        self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """Like `_call`, for methods that need no open base: a closed client runs a loop just for the call."""
        with self._lock:
            loop = self._loop or _Loop()
            try:
                return _wait_for(loop.portal, functools.partial(method, *arguments, **named))
            finally:
                if self._loop is None:
                    loop.stop()

    def _opened(self) -> BlockingPortal:
        loop = self._loop
        if loop is None:
            raise NotOpen
        return loop.portal
