"""The async client: a thin row of doors to the verbs."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sourcebook.assembly import (
    Embedders,
    OpenBase,
    Rerankers,
    copy_base,
    examine_damaged,
    import_old_base,
    is_old_base,
    make_absences,
    make_backups,
    make_bundles,
    make_calibrator,
    make_chat_model,
    make_consultation,
    make_entries,
    make_help_retrieval,
    make_ingest,
    make_moderation,
    make_people,
    make_pictures,
    make_reception,
    make_reindex,
    make_retriever,
    make_stored_files,
    make_uploads,
    open_base,
    rebuild_if_damaged,
)
from sourcebook.consult.answer.transcript import as_markdown
from sourcebook.consult.calibration.service import questions_from
from sourcebook.consult.question.inquiry import LOCAL_USER, Inquiry
from sourcebook.consult.service import HELP_FILTER
from sourcebook.errors import BaseDamaged, NotOpen, SessionNotFound, UsageError
from sourcebook.ingest.add_request import AddRequest, Labels, OnFailed, OnRemoval
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.ingest.uploads.stored_files import remove_document
from sourcebook.model.adding import Progress
from sourcebook.model.backup import OnExisting
from sourcebook.model.chat import Conversation
from sourcebook.model.curation import SourceType
from sourcebook.model.reindexing import ReindexScope
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.choices import chosen
from sourcebook.ports.providers import Closing
from sourcebook.ports.storage import Preparing
from sourcebook.retrieve.evaluation import SearchSetting, evaluate, replay
from sourcebook.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from sourcebook.consult.calibration.service import Calibrator
    from sourcebook.consult.curated.entries import CuratedEntries
    from sourcebook.consult.evidence.passages import Retrieval
    from sourcebook.consult.reception.service import Reception
    from sourcebook.consult.service import Consultation
    from sourcebook.curate.service import Moderation
    from sourcebook.ingest.service import Ingest
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.ingest.uploads.page_pictures import PagePictures
    from sourcebook.ingest.uploads.service import Uploads
    from sourcebook.model.adding import AddPlan, AddReport, WatchRound
    from sourcebook.model.backup import BackupReport, RestoreReport
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.chat import Answer, AnswerEvent, ChatSession
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
    from sourcebook.people.service import People
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.evaluation import Evaluation, JudgedQuestion, Replayed
    from sourcebook.retrieve.service import DefaultRetriever
    from sourcebook.storage.jsonl.report import BundleReport
    from sourcebook.storage.maintenance.base_copy import CopyReport


@checks_arguments
class AsyncSourcebook:
    """A base, for async code: `async with AsyncSourcebook("data/knowledge_base.db") as book: …`.

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
        chosen = settings if settings is not None else load().settings
        self._settings = chosen if db is None else chosen.at(str(db))
        self._embedders = Embedders(self._settings, embedder)
        self._rerankers = Rerankers(self._settings)
        self._own_chat_model = make_chat_model(self._settings) if chat_model is None else None
        self._chat_model = chat_model if chat_model is not None else self._own_chat_model
        self._face = face
        self._base: OpenBase | None = None
        self._reception: Reception | None = None
        self._pictures: PagePictures | None = None

    async def open(self) -> Self:
        """Open the base, making it if it does not exist. Opening twice is fine."""
        if self._base is None:
            self._base = await open_base(self._settings)
        return self

    async def close(self) -> None:
        """Close the base. Closing twice is fine."""
        base, self._base = self._base, None
        self._reception = None
        pictures, self._pictures = self._pictures, None
        if pictures is not None:
            await pictures.close()
        if base is not None:
            await base.close()
        # Their connections open again when they are needed.
        await self._embedders.close()
        await self._rerankers.close()
        if isinstance(self._own_chat_model, Closing):
            await self._own_chat_model.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def stores(self) -> Stores:
        """The stores themselves, for those who build their own retrieval on them."""
        return self._opened().stores

    @property
    def moderation(self) -> Moderation:
        """The queue of drafts: answers to approve, questions for the expert, curated answers that went stale."""
        return make_moderation(
            self._opened(), self._retriever(), self._embedders, self._chat_model, self._settings
        )

    @property
    def people(self) -> People:
        """Who asks: users and their roles, their consultations, what they wrote, and their tokens."""
        return make_people(self.stores, self._settings, self._face)

    @property
    def reception(self) -> Reception:
        """The whole way of a person's question: asked, answered and paid once, whoever brings it again."""
        if self._reception is None:
            self._reception = make_reception(
                self.stores, self.people, self._consultation(), self.moderation, self._settings, self._face
            )
        return self._reception

    async def add(
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
        labels = Labels(category, subcategory)
        report = await self._ingest().add(
            AddRequest(paths, self._named(collection), labels, on_removal, on_failed, on_progress, stop)
        )
        await self._get_ready(self._named(collection), on_progress)
        return report

    async def plan_add(
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
        return await self._ingest().plan(
            AddRequest(
                paths,
                self._named(collection),
                Labels(category, subcategory),
                on_removal,
                on_failed,
                on_progress,
                stop,
            )
        )

    async def add_text(
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
        return await self._ingest().add_text(
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection_id=self._named(collection),
            category=category,
            subcategory=subcategory,
        )

    async def add_bytes(
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
        brought = IncomingFile(name, data, id, title, metadata or {}, Labels(category, subcategory))
        return await self._uploads().add_bytes(self._named(collection), brought)

    async def upload(
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
        brought = IncomingFile(name, data, id, title, metadata or {}, Labels(category, subcategory))
        return await self._uploads().upload(self._named(collection), brought)

    async def process_uploads(self, worker: str = "worker") -> int:
        """Add the uploads that wait, until there are none, and say how many were done. Any number may work at once."""
        return await self._uploads().process(worker)

    async def watch(
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
        request = AddRequest(
            paths,
            self._named(collection),
            Labels(category, subcategory),
            on_removal,
            on_progress=on_progress,
            stop=stop,
        )
        await self._ingest().watch(request, on_round, every)

    async def search(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> list[SearchResult]:
        """The passages that answer the question best, from one collection or several. Warnings are logged."""
        return await self._retriever().retrieve(self._searched(collection), query, config)

    async def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """What `search` finds, with its warnings and, if `config.explain` says so, how it came to its order."""
        return await self._retriever().report(self._searched(collection), query, config)

    async def evaluate(
        self,
        questions: Sequence[JudgedQuestion],
        setting: SearchSetting | None = None,
        *,
        k: int = 10,
        collection: str | None = None,
        on_asked: Callable[[int, int], None] | None = None,
    ) -> Evaluation:
        """Ask questions whose documents are known, and judge what is found: nDCG, recall, MRR at `k`, and the time."""
        return await evaluate(
            partial(self._retriever().retrieve, self._named(collection)),
            questions,
            setting or SearchSetting.of("hybrid"),
            k=k,
            on_asked=on_asked,
        )

    async def replay(
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
        search = partial(self._retriever().retrieve, self._named(collection))
        return await replay(search, questions, before, after, k=k, on_asked=on_asked)

    async def calibrate(
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
        return await self._calibrator().run(self._named(collection), questions, pairs, on_asked)

    async def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Let the collection use the thresholds that were suggested, as long as it keeps its model."""
        return await self._calibrator().apply(calibration)

    async def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """What experts decided about answers from documents, as questions for `calibrate`."""
        return questions_from(await self.stores.moderation.decided(), self._named(collection))

    async def explain_document(
        self,
        document: str,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> DocumentPlace:
        """Where the document of this id or path stands in the search, and if it is not found, why."""
        return await make_absences(self.stores, self._retriever()).explain(
            document, self._searched(collection), query, config
        )

    async def ask(
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
        inquiry = Inquiry(
            question,
            () if collection is None else self._several(collection),
            session_id=session,
            face=self._face,
            category=category,
            subcategory=subcategory,
            filter=filter,
            otherwise=self._several(None),
        )
        answer = await self._consultation().answer(inquiry, on_event)
        return await self._drafted(answer, inquiry)

    async def help(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer from documents of type `documentation` and `readme`, and from the manual of Sourcebook."""
        inquiry = Inquiry(
            question, self._several(collection), session_id=session, face=self._face, filter=HELP_FILTER
        )
        return await self._consultation(make_help_retrieval(self._retriever())).answer(inquiry, on_event)

    async def create_session(
        self, *, title: str | None = None, scope: Mapping[str, JsonValue] | None = None
    ) -> ChatSession:
        """Begin a conversation. `ask` does so by itself when no session is named."""
        return await self.stores.sessions.create_session(LOCAL_USER, self._face, title=title, scope=scope)

    async def sessions(self, limit: int = 50) -> list[ChatSession]:
        """The conversations, the latest first."""
        return await self.stores.sessions.list_sessions(LOCAL_USER, limit)

    async def session(self, session_id: str) -> Conversation:
        """A conversation with its messages; each citation says whether its source has changed or was removed."""
        messages = await self.stores.sessions.messages(session_id, LOCAL_USER)
        found = await self.stores.sessions.get_session(session_id, LOCAL_USER)
        if found is None:
            raise SessionNotFound(f"there is no session {session_id!r}")
        return Conversation(found, tuple(messages))

    async def rename_session(self, session_id: str, title: str) -> None:
        await self.stores.sessions.rename_session(session_id, LOCAL_USER, title)

    async def remove_session(self, session_id: str) -> bool:
        """Remove a conversation with all its messages. True if there was one."""
        return await self.stores.sessions.remove_session(session_id, LOCAL_USER)

    async def export_session(self, session_id: str) -> str:
        """A conversation as Markdown, with its sources and what became of them."""
        return as_markdown(await self.session(session_id))

    async def kb_insert(
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
        return await self._entries().insert(
            collection_id=self._named(collection),
            category=category,
            answer=answer,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            language=language,
            approved_by=approved_by,
            sources=sources,
        )

    async def kb_source(
        self, document: str, *, quote: str | None = None, supports: str = "", collection: str | None = None
    ) -> CuratedSource:
        """A place in the document of this id or path: where the quote stands, or else what supports an answer best."""
        return await self._entries().source(self._named(collection), document, quote, supports)

    async def kb_search(
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
        return await self._entries().search(
            query,
            collection_id=self._named(collection),
            category=category,
            subcategory=subcategory,
            limit=limit,
            distance_threshold=distance_threshold,
        )

    async def kb_list(self, collection: str | None = None) -> list[CuratedAnswer]:
        """The approved answers of a collection, or of all."""
        return await self.stores.curated.kb_list(collection)

    async def kb_remove(self, entry_id: int) -> bool:
        """Remove an approved answer. True if there was one."""
        return await self.stores.curated.kb_remove(entry_id)

    async def get_all_terms(self) -> list[Term]:
        """The terminology: words to avoid, and the phrases to use for them."""
        return await self.stores.terms.get_all_terms()

    async def add_term(
        self, term: str, preferred_phrase: str, *, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a word and the phrase to use for it, or change what is written for that word."""
        return await self.stores.terms.add_term(term, preferred_phrase, description, language)

    async def delete_term(self, term: str) -> bool:
        """Remove a word from the terminology. True if it was there."""
        return await self.stores.terms.delete_term(term)

    async def documents(
        self, collection: str | None = None, *, status: DocumentStatus | None = None
    ) -> list[Document]:
        """The documents of a collection, or those of one status, by path, without their text."""
        listed = await self.stores.library.list_documents(self._named(collection))
        return [document for document in listed if status in (None, document.status)]

    async def find_document(self, name: str, *, collection: str | None = None) -> DocumentDetails:
        """The document of this id or path, with its text and paths. The end of a path will do, if it is only one's."""
        return await self.stores.library.find_document(self._named(collection), name)

    async def document(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text."""
        return await self.stores.library.get_document(self._named(collection), document_id)

    async def page_picture(self, document_id: str, page: int, *, collection: str | None = None) -> bytes:
        """A page of a PDF, counted from 1, as a PNG of at most 1600 dots a side.

        It is drawn from the bytes that the text was read from: the upload that is kept beside the base, or the file
        where it was added. If the file is gone or has changed since, it is an error.
        """
        if self._pictures is None:
            self._pictures = make_pictures(self.stores, self._settings)
        return await self._pictures.draw(self._named(collection), document_id, page)

    async def remove_document(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document with all that hangs on it. True if there was one.

        A document whose file lies in a folder that was added comes back when that folder is added again.
        """
        return await remove_document(
            self.stores, make_stored_files(self._settings), self._named(collection), document_id
        )

    async def hide_document(self, document_id: str, *, collection: str | None = None) -> None:
        """Keep a document from being found, without forgetting it."""
        await self.stores.writer.set_active(self._named(collection), document_id, active=False)

    async def unhide_document(self, document_id: str, *, collection: str | None = None) -> None:
        await self.stores.writer.set_active(self._named(collection), document_id, active=True)

    async def collections(self) -> list[Collection]:
        return await self.stores.vectors.list_collections()

    async def create_collection(self, collection: Collection) -> Collection:
        """Make a collection; one that exists with the same size and metric stays as it is."""
        return await self.stores.vectors.create_collection(collection)

    async def remove_collection(self, collection_id: str) -> None:
        """Remove a collection with everything in it."""
        await self.stores.vectors.delete_collection(collection_id)

    async def copy_to(
        self,
        target: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> CopyReport:
        """Copy the whole base, vectors included, into an empty one: a file or a server. Both are compared at the end.

        A copy that was interrupted goes on where it stopped.
        """
        return await copy_base(self._opened(), self._settings.at(str(target)), on_progress=on_progress)

    async def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write the named collections, or all, as a bundle. The folder appears when it is complete."""
        return await make_bundles(self._opened()).write(
            directory,
            collections=collections,
            on_existing=chosen("on_existing", OnExisting, on_existing),
            on_progress=on_progress,
        )

    async def import_bundle(
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
        if is_old_base(os.fspath(source)):
            report = await import_old_base(
                self._opened(),
                os.fspath(source),
                self._named(collection),
                self._embedders,
                self._settings,
                model=model,
                on_progress=on_progress,
                dry_run=dry_run,
            )
            if not dry_run:
                await self._get_ready(self._named(collection), on_progress)
            return report
        if dry_run:
            raise UsageError(
                "Only the import of another program's base has a plan.", hint="Leave out `dry_run`."
            )
        return await make_bundles(self._opened()).read(
            source,
            collection=collection,
            model=model,
            default_collection=self._settings.collection,
            on_progress=on_progress,
        )

    async def backup(
        self,
        target: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BackupReport:
        """Write the whole base to one file, while others go on using it. The file appears when it is verified.

        The base need not be open.
        """
        choice = chosen("on_existing", OnExisting, on_existing)
        return await make_backups(self._settings).write(Path(target), choice, on_progress)

    async def restore(
        self,
        source: str | os.PathLike[str],
        *,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> RestoreReport:
        """Put a backup in the place of the base, after verifying it. The former base is kept under another name.

        The base need not be open, or intact, or there at all. One that is open is closed, and opened again afterwards.
        """
        choice = chosen("on_existing", OnExisting, on_existing)
        was_open = self._base is not None
        await self.close()
        try:
            return await make_backups(self._settings).restore(Path(source), choice, on_progress)
        finally:
            if was_open:
                await self.open()

    async def plan_reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
    ) -> list[ReindexPlan]:
        """What `reindex` would do with each collection, and what it would cost. Nothing is changed."""
        reindex = make_reindex(self.stores, self._embedders, model, scope)
        plans = await reindex.plan(collections)
        return [replace(plan, seconds=await reindex.estimate(plan)) for plan in plans]

    async def reindex(
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
        return await make_reindex(self.stores, self._embedders, model, scope).run(collections, on_progress)

    async def doctor(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Examine the base and say what is wrong with it. Nothing is changed.

        The base need not be open. One that is too damaged to be opened is examined as far as it can be read.
        """
        if self._base is not None:
            return await self._base.examine(on_progress)
        try:
            base = (await self.open())._opened()
            return await base.examine(on_progress)
        except BaseDamaged as error:
            return await examine_damaged(self._settings, error)
        finally:
            await self.close()

    async def repair(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Put right what follows from something else, and say what was done and what is left.

        Vectors that are missing are made again. A file that is damaged itself is replaced by one with all that can be
        read of it, and kept under another name. The base need not be open, but nobody else should be using it.
        """
        was_open = self._base is not None
        await self.close()
        rebuilt, lost = await rebuild_if_damaged(self._settings, self._embedders.choose, on_progress)
        try:
            base = (await self.open())._opened()
            repairs, left = await base.repair(self._embedders.choose, on_progress)
            report = await base.examine(on_progress)
        finally:
            if not was_open:
                await self.close()
        return replace(report, findings=[*lost, *left, *report.findings], repairs=[*rebuilt, *repairs])

    def _ingest(self) -> Ingest:
        return make_ingest(self.stores, self._embedders.main, self._settings)

    def _uploads(self) -> Uploads:
        return make_uploads(self.stores, self._embedders.main, self._settings)

    def _retriever(self) -> DefaultRetriever:
        return make_retriever(self.stores, self._embedders, self._rerankers, self._settings)

    def _consultation(self, retrieval: Retrieval | None = None) -> Consultation:
        return make_consultation(
            self.stores, retrieval or self._retriever(), self._embedders, self._chat_model, self._settings
        )

    async def _drafted(self, answer: Answer, inquiry: Inquiry) -> Answer:
        """The answer; its details name the draft that it became, if it did."""
        draft = await self.moderation.consider(
            answer,
            category=inquiry.category,
            subcategory=inquiry.subcategory,
            collections=inquiry.collections or inquiry.otherwise,
        )
        return answer if draft is None else replace(answer, details={**answer.details, "draft_id": draft.id})

    def _calibrator(self) -> Calibrator:
        return make_calibrator(self.stores, self._retriever(), self._embedders, self._settings)

    def _entries(self) -> CuratedEntries:
        return make_entries(self.stores, self._embedders)

    def _several(self, collection: str | Sequence[str] | None) -> tuple[str, ...]:
        named = self._searched(collection)
        return (named,) if isinstance(named, str) else tuple(named)

    def _searched(self, collection: str | Sequence[str] | None) -> str | Sequence[str]:
        return self._settings.collection if collection is None else collection

    async def _get_ready(self, collection_id: str, on_progress: Callable[[Progress], None] | None) -> None:
        """Let the base do what makes searches fast after much was written."""
        vectors = self.stores.vectors
        if not isinstance(vectors, Preparing) or await vectors.get_collection(collection_id) is None:
            return

        def follow(share: float) -> None:
            if on_progress is not None:
                on_progress(Progress(0, 0, collection_id, share, stage="indexing"))

        await vectors.prepare(collection_id, follow)

    def _named(self, collection: str | None) -> str:
        return self._settings.collection if collection is None else collection

    def _opened(self) -> OpenBase:
        if self._base is None:
            raise NotOpen
        return self._base
