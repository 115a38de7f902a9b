"""The same client without await. It owns one thread with an event loop, in which the async client lives."""

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
    """A thread with an event loop. A program that forgets to stop it ends all the same."""

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
    """A store whose methods wait for their result: `book.stores.vectors.get(…)` instead of `await`."""

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
    """A base: `with Sourcebook("data/knowledge_base.db") as book: …`. May be used from several threads at once.

    Without a path, and for everything else that is not given, the settings decide. An embedder or a chat model of one's
    own takes the place of the one that the settings name. `face` is what conversations are stored under.
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
        """Open the base, making it if it does not exist. Opening twice is fine."""
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
        """Close the base. Closing twice is fine."""
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
        """The stores themselves, for those who build their own retrieval on them."""
        return BlockingStores(self._opened(), self._book)

    @property
    def moderation(self) -> BlockingStore:
        """The queue of drafts: answers to approve, questions for the expert, curated answers that went stale."""
        return BlockingStore(self._opened(), self._book.moderation)

    @property
    def people(self) -> BlockingStore:
        """Who asks: users and their roles, their consultations, what they wrote, and their tokens."""
        return BlockingStore(self._opened(), self._book.people)

    @property
    def reception(self) -> BlockingStore:
        """The whole way of a person's question: asked, answered and paid once, whoever brings it again."""
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
        """Make the base agree with files and folders. Done again, only what changed is read.

        What was added before and is gone is removed; if that is most of a folder, it is an error unless `on_removal`
        allows it. Labels are remembered for what was named. Set `stop` to end early: what is finished is kept.
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
        """What `add` would do now. Nothing is written."""
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
        """Add a text that is not a file. The same id replaces what was added under it before."""
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
        """Add the bytes of a file that is not on this disk, and keep them beside the base.

        The same id, or the same name if there is no id, replaces what was added under it before; labels that are not
        given stay as they were. Bytes that cannot be read are an error, and a document that says why.
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
        """Keep the bytes beside the base and leave it to `process_uploads` to add them.

        Without an id nothing is replaced: the same name with other bytes is another document.
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
        """Add the uploads that wait, until there are none, and say how many were done. Any number may work at once."""
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
        """Add, and again whenever something changed, until `stop` is set. Everything is also looked through regularly.

        `on_round` is told of every round: its report, or the error that kept it from being done.
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
        """The passages that answer the question best, from one collection or several. Warnings are logged."""
        return self._call(self._book.search, query, config, collection=collection)

    def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """What `search` finds, with its warnings and, if `config.explain` says so, how it came to its order."""
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
        """Ask questions whose documents are known, and judge what is found: nDCG, recall, MRR at `k`, and the time."""
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
        """Ask questions under two settings, and tell what changes among the first `k` documents."""
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
        """What the thresholds of a collection do to questions and pairs whose right outcome is known, and better ones.

        Questions without a document are those that should be declined. Nothing is changed.
        """
        return self._call(self._book.calibrate, questions, pairs, collection=collection, on_asked=on_asked)

    def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Let the collection use the thresholds that were suggested, as long as it keeps its model."""
        return self._call(self._book.apply_calibration, calibration)

    def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """What experts decided about answers from documents, as questions for `calibrate`."""
        return self._call(self._book.decided_questions, collection=collection)

    def explain_document(
        self,
        document: str,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> DocumentPlace:
        """Where the document of this id or path stands in the search, and if it is not found, why."""
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
        """Answer a question from the base, with citations that were checked, or decline.

        `on_event` is told what happens meanwhile: passages, the answer's text as it is written, citations. A session
        holds the conversation, so that a question may build on the one before, and remembers the collections, the
        category and the subcategory that it began with.
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
        """Answer from documents of type `documentation` and `readme`, and from the manual of Sourcebook."""
        return self._call(
            self._book.help, question, session=session, collection=collection, on_event=on_event
        )

    def create_session(
        self, *, title: str | None = None, scope: Mapping[str, JsonValue] | None = None
    ) -> ChatSession:
        """Begin a conversation. `ask` does so by itself when no session is named."""
        return self._call(self._book.create_session, title=title, scope=scope)

    def sessions(self, limit: int = 50) -> list[ChatSession]:
        """The conversations, the latest first."""
        return self._call(self._book.sessions, limit)

    def session(self, session_id: str) -> Conversation:
        """A conversation with its messages; each citation says whether its source has changed or was removed."""
        return self._call(self._book.session, session_id)

    def rename_session(self, session_id: str, title: str) -> None:
        return self._call(self._book.rename_session, session_id, title)

    def remove_session(self, session_id: str) -> bool:
        """Remove a conversation with all its messages. True if there was one."""
        return self._call(self._book.remove_session, session_id)

    def export_session(self, session_id: str) -> str:
        """A conversation as Markdown, with its sources and what became of them."""
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
        """Add an approved answer, which `ask` gives first. It is found by its question or, without one, by itself.

        `kb_source` makes the sources, by which it is known when the answer is out of date.
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
        """A place in the document of this id or path: where the quote stands, or else what supports an answer best."""
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
        """The approved answers whose questions are nearest to this one, strictly below the distance 1 − cosine."""
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
        """The approved answers of a collection, or of all."""
        return self._call(self._book.kb_list, collection)

    def kb_remove(self, entry_id: int) -> bool:
        """Remove an approved answer. True if there was one."""
        return self._call(self._book.kb_remove, entry_id)

    def get_all_terms(self) -> list[Term]:
        """The terminology: words to avoid, and the phrases to use for them."""
        return self._call(self._book.get_all_terms)

    def add_term(
        self, term: str, preferred_phrase: str, *, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a word and the phrase to use for it, or change what is written for that word."""
        return self._call(
            self._book.add_term, term, preferred_phrase, description=description, language=language
        )

    def delete_term(self, term: str) -> bool:
        """Remove a word from the terminology. True if it was there."""
        return self._call(self._book.delete_term, term)

    def documents(
        self, collection: str | None = None, *, status: DocumentStatus | None = None
    ) -> list[Document]:
        """The documents of a collection, or those of one status, by path, without their text."""
        return self._call(self._book.documents, collection, status=status)

    def find_document(self, name: str, *, collection: str | None = None) -> DocumentDetails:
        """The document of this id or path, with its text and paths. The end of a path will do, if it is only one's."""
        return self._call(self._book.find_document, name, collection=collection)

    def document(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text."""
        return self._call(self._book.document, document_id, collection=collection)

    def page_picture(self, document_id: str, page: int, *, collection: str | None = None) -> bytes:
        """A page of a PDF, counted from 1, as a PNG of at most 1600 dots a side.

        It is drawn from the bytes that the text was read from: the upload that is kept beside the base, or the file
        where it was added. If the file is gone or has changed since, it is an error.
        """
        return self._call(self._book.page_picture, document_id, page, collection=collection)

    def remove_document(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document with all that hangs on it. True if there was one.

        A document whose file lies in a folder that was added comes back when that folder is added again.
        """
        return self._call(self._book.remove_document, document_id, collection=collection)

    def hide_document(self, document_id: str, *, collection: str | None = None) -> None:
        """Keep a document from being found, without forgetting it."""
        return self._call(self._book.hide_document, document_id, collection=collection)

    def unhide_document(self, document_id: str, *, collection: str | None = None) -> None:
        return self._call(self._book.unhide_document, document_id, collection=collection)

    def collections(self) -> list[Collection]:
        return self._call(self._book.collections)

    def create_collection(self, collection: Collection) -> Collection:
        """Make a collection; one that exists with the same size and metric stays as it is."""
        return self._call(self._book.create_collection, collection)

    def remove_collection(self, collection_id: str) -> None:
        """Remove a collection with everything in it."""
        return self._call(self._book.remove_collection, collection_id)

    def copy_to(
        self,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> CopyReport:
        """Copy the whole base, vectors included, into an empty one: a file or a server. Both are compared at the end.

        A copy that was interrupted goes on where it stopped.
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
        """Write the named collections, or all, as a bundle. The folder appears when it is complete."""
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
        dry_run: bool = False,
    ) -> BundleReport:
        """Read a bundle, an index of lines, or a base of another program.

        Done again, it brings over what another program's base gained and changed since; what was changed here as well
        stays, and is named. With `dry_run` the report says what would be done with such a base, and no row is written.

        `collection` takes the place of the one that the bundle or the rows name. `model` is whose vectors an index or
        another program's base holds; a bundle says so itself. Without it, what such a base holds is embedded again.
        """
        return self._call(
            self._book.import_bundle,
            source,
            collection=collection,
            model=model,
            on_progress=on_progress,
            dry_run=dry_run,
        )

    def backup(
        self,
        target: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BackupReport:
        """Write the whole base to one file, while others go on using it. The file appears when it is verified.

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
        """Put a backup in the place of the base, after verifying it. The former base is kept under another name.

        The base need not be open, or intact, or there at all. One that is open is closed, and opened again afterwards.
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
        """What `reindex` would do with each collection, and what it would cost. Nothing is changed."""
        return self._call(self._book.plan_reindex, model=model, collections=collections, scope=scope)

    def reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
        on_progress: Callable[[ReindexProgress], None] | None = None,
    ) -> ReindexReport:
        """Make words and vectors anew from the stored text; with a model, named as in the settings, change to it.

        The old vectors serve until the new ones are complete. Stopped at any moment, it goes on where it was. With the
        scope WORDS, vectors are left alone.
        """
        return self._call(
            self._book.reindex, model=model, collections=collections, scope=scope, on_progress=on_progress
        )

    def doctor(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Examine the base and say what is wrong with it. Nothing is changed.

        The base need not be open. One that is too damaged to be opened is examined as far as it can be read.
        """
        return self._call_even_closed(self._book.doctor, on_progress=on_progress)

    def repair(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Put right what follows from something else, and say what was done and what is left.

        Vectors that are missing are made again. A file that is damaged itself is replaced by one with all that can be
        read of it, and kept under another name. The base need not be open, but nobody else should be using it.
        """
        return self._call_even_closed(self._book.repair, on_progress=on_progress)

    def _call(self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> T:
        return _wait_for(self._opened(), functools.partial(method, *arguments, **named))

    def _call_even_closed(
        self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs
    ) -> T:
        """The same for what needs no open base: a closed book gets a loop for as long as the call lasts."""
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
