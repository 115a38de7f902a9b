"""The async client: adding, searching and asking, and the doors to everything else."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

from sourcebook.assembly import (
    OpenBase,
    make_accounts,
    make_answerable,
    make_consultation,
    make_help_retrieval,
    make_ingest,
    make_ingest_of_texts,
    make_keys,
    make_moderation,
    make_people,
    make_reception,
    make_uploads,
)
from sourcebook.consult.question.inquiry import HELP_FILTER, LOCAL_USER, Inquiry, OnReadOnly
from sourcebook.doors.answer_files import AnswerFilesDoor
from sourcebook.doors.connection import DoorConnection
from sourcebook.doors.conversations import ConversationsDoor
from sourcebook.doors.curated import CuratedDoor
from sourcebook.doors.earlier_names import EarlierNames
from sourcebook.doors.library import LibraryDoor
from sourcebook.doors.maintenance import MaintenanceDoor
from sourcebook.doors.models import ModelsDoor
from sourcebook.doors.quality import QualityDoor
from sourcebook.doors.terminology import TerminologyDoor
from sourcebook.ingest.add_request import AddRequest, Labels, OnArchives, OnFailed, OnRemoval
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.model.moderation import DraftKind
from sourcebook.ports.arguments import checks_arguments
from sourcebook.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from sourcebook.consult.ask import Consultation
    from sourcebook.consult.reception.reception import Reception
    from sourcebook.curate.moderation import Moderation
    from sourcebook.ingest.add import Ingest
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.ingest.uploads.uploads import Uploads
    from sourcebook.model.add_reports import AddPlan, AddReport, NewText, Progress, WatchRound
    from sourcebook.model.chat import Answer, AnswerEvent
    from sourcebook.model.documents import (
        Metadata,
        WriteReport,
    )
    from sourcebook.model.jobs import Job
    from sourcebook.model.moderation import Draft
    from sourcebook.model.search import MetadataFilter, RetrievalConfig, SearchReport, SearchResult
    from sourcebook.people.accounts import AccountService
    from sourcebook.people.api_keys import KeyService
    from sourcebook.people.users import People
    from sourcebook.ports.chat import ChatModel, PromptMessage
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.search import DefaultRetriever, Retrieval


@checks_arguments
class AsyncSourcebook(EarlierNames):
    """A base, for async code: `async with AsyncSourcebook("data/knowledge_base.db") as book: …`.

    Anything you leave out comes from the settings. An embedder or chat model that you pass replaces the one in the
    settings. Conversations are stored under the name in `face`; in a base that can only be read, questions are refused
    or, with `on_read_only`, answered without being stored.
    """

    def __init__(
        self,
        db: str | os.PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        chat_model: ChatModel | None = None,
        face: str = "python",
        on_read_only: OnReadOnly = OnReadOnly.REFUSE,
    ) -> None:
        chosen = settings if settings is not None else load().settings
        self._settings = chosen if db is None else chosen.at(str(db))
        self._connection = DoorConnection(self._settings, embedder, chat_model, face)
        self._embedders = self._connection.embedders
        self._chat_model = self._connection.chat_model
        self._face = face
        self._inquiry = partial(Inquiry, face=face, on_read_only=on_read_only)

    async def open(self) -> Self:
        """Open the base, creating it if needed. Calling this twice does no harm."""
        await self._connection.open()
        return self

    async def close(self) -> None:
        """Close the base. Calling this twice does no harm."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_removal: OnRemoval = OnRemoval.REFUSE,
        on_failed: OnFailed = OnFailed.LEAVE,
        on_archives: OnArchives = OnArchives.LEAVE,
        depth: int = 0,
        sitemap: bool = False,
        allow_hosts: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddReport:
        """Add files and folders, or bring the base up to date with them. Only changed files are read again.

        Files that are gone are removed from the base. If most of a folder is gone, that is an error unless
        `on_removal` allows it. Categories are remembered for the given paths. Set `stop` to end early; finished files
        are kept.

        A path may be the address of a web page. `depth` adds pages that many links away on the same host, `sitemap`
        those that the site lists; hosts with private addresses have to be named in `allow_hosts`.
        """
        labels = Labels(category, subcategory)
        before = await self._stale_drafts()
        report = await self._ingest().add(
            AddRequest(
                paths,
                self._connection.named(collection),
                labels,
                on_removal,
                on_failed,
                on_progress,
                stop,
                on_archives,
                depth,
                sitemap,
                allow_hosts,
            )
        )
        await self._connection.prepare(self._connection.named(collection), on_progress)
        is_more = bool(report.added or report.updated)
        answered = await self.close_answered(collection=collection) if is_more else []
        return replace(
            report, stale=max(0, await self._stale_drafts() - before), answered=sum(d.asked for d in answered)
        )

    async def plan_add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_removal: OnRemoval = OnRemoval.REFUSE,
        on_failed: OnFailed = OnFailed.LEAVE,
        on_archives: OnArchives = OnArchives.LEAVE,
        depth: int = 0,
        sitemap: bool = False,
        allow_hosts: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddPlan:
        """What `add` would do now, without writing anything."""
        return await self._ingest().plan(
            AddRequest(
                paths,
                self._connection.named(collection),
                Labels(category, subcategory),
                on_removal,
                on_failed,
                on_progress,
                stop,
                on_archives,
                depth,
                sitemap,
                allow_hosts,
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
        """Add text that is not in a file. Adding the same id again replaces the earlier text."""
        return await self._ingest().add_text(
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection_id=self._connection.named(collection),
            category=category,
            subcategory=subcategory,
        )

    async def add_texts(
        self,
        texts: Iterable[str | NewText],
        *,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> list[WriteReport]:
        """Add many texts that are not in files, a thousand in one transaction: a report for each, in their order.

        As `add_text` does with each. All are checked first; what was written before a later error is kept.
        """
        name = self._connection.named(collection)
        held = await self.stores.vectors.get_collection(name)
        ingest, given = make_ingest_of_texts(self.stores, self._embedders.main, self._settings, texts, held)
        reports = await ingest.add_texts(given, name, Labels(category, subcategory))
        await self._connection.prepare(name, None)
        return reports

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
        """Add a file from its bytes, and keep the bytes beside the base.

        Adding the same id again (or the same name, without an id) replaces the earlier file; categories that you leave
        out stay as they were. A file that cannot be read raises an error and is listed as failed, with the reason.
        """
        brought = IncomingFile(name, data, id, title, metadata or {}, Labels(category, subcategory))
        return await (await self._uploads()).add_bytes(self._connection.named(collection), brought)

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
        """Keep the bytes beside the base and queue them for `process_uploads` to add.

        Without an id nothing is replaced: the same name with different bytes is another document.
        """
        brought = IncomingFile(name, data, id, title, metadata or {}, Labels(category, subcategory))
        return await (await self._uploads()).upload(self._connection.named(collection), brought)

    async def process_uploads(
        self, worker: str = "worker", *, on_progress: Callable[[Job, Progress], None] | None = None
    ) -> int:
        """Add all waiting uploads and return how many were processed. Several workers may run at once.

        `on_progress` is told how far each of them is.
        """
        done = await (await self._uploads()).process(worker, on_progress)
        if done:
            await self.close_answered()
        return done

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
        """Add, and add again on every change, until `stop` is set. Everything is also checked every `every` seconds.

        `on_round` receives the report of every round, or the error that stopped it.
        """
        request = AddRequest(
            paths,
            self._connection.named(collection),
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
        """The passages that match the question best, from one or more collections. Warnings are logged."""
        return await self._retriever().retrieve(self._connection.searched(collection), query, config)

    async def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """The results of `search` with its warnings and, if `config.explain` is set, how they were ranked."""
        return await self._retriever().report(self._connection.searched(collection), query, config)

    async def ask(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        filter: MetadataFilter | None = None,
        similar: int | None = None,
        user: int = LOCAL_USER,
        earlier: Sequence[PromptMessage] = (),
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer a question from the base with checked citations, or decline.

        `similar` is the number of an approved answer that was offered for this question (`answer.similar`): it is
        given, and the wording remembered. `on_event` receives the passages, the answer's text as it is written, and
        the citations. In a session, a question may build on earlier ones; the session remembers its first collections,
        category and subcategory. Without one, `earlier` are the messages that came before, which are not stored.
        """
        inquiry = self._inquiry(
            question,
            () if collection is None else self._several(collection),
            session_id=session,
            user_id=user,
            category=category,
            subcategory=subcategory,
            filter=filter,
            similar=similar,
            otherwise=self._several(None),
            earlier=tuple(earlier),
        )
        return await self._consultation(drafting=self.moderation).answer(inquiry, on_event)

    async def close_answered(self, *, collection: str | None = None) -> list[Draft]:
        """Close the waiting questions that the documents answer by now, with a note, and tell who asked.

        `add` and `process_uploads` do this. Whoever asked for a person still gets one.
        """
        named = self._connection.named(collection)
        waiting = (await self.stores.moderation.count_pending())[DraftKind.DECLINED]
        if not waiting or await self.stores.vectors.get_collection(named) is None:
            return []
        answerable = make_answerable(self.stores, self._retriever(), self._embedders, self._settings)
        return await answerable.close(named)

    async def help(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer from documents of type `documentation` and `readme`, and from Sourcebook's own manual."""
        inquiry = self._inquiry(question, self._several(collection), session_id=session, filter=HELP_FILTER)
        helping = self._consultation(make_help_retrieval(self._retriever()))
        return await helping.answer(inquiry, on_event)

    @property
    def stores(self) -> Stores:
        """The underlying stores, for building your own retrieval."""
        return self._opened().stores

    @property
    def moderation(self) -> Moderation:
        """The review queue: drafts to approve, questions for the expert, and stale curated answers."""
        return make_moderation(
            self._opened(), self._retriever(), self._embedders, self._chat_model, self._settings
        )

    @property
    def people(self) -> People:
        """Users: their roles, consultations, messages and tokens."""
        return make_people(self.stores, self._settings, self._face)

    @property
    def accounts(self) -> AccountService:
        """Accounts: make and remove them, sign in and out."""
        return make_accounts(self.stores, self._connection.passwords, self._settings)

    @property
    def keys(self) -> KeyService:
        """API keys: make, list and revoke them."""
        return make_keys(self.stores)

    @property
    def reception(self) -> Reception:
        """Answers a user's question from start to finish. A question sent twice is answered and charged once."""
        people = self.people
        if self._connection.reception is None:
            self._connection.reception = make_reception(
                self.stores, people, self._consultation(), self.moderation, self._settings, self._face
            )
        return self._connection.reception

    @property
    def conversations(self) -> ConversationsDoor:
        """Stored conversations: start, list, read, rename, remove and export them."""
        return ConversationsDoor(self._connection)

    @property
    def curated(self) -> CuratedDoor:
        """Curated answers, which `ask` prefers: add, find, list and remove them."""
        return CuratedDoor(self._connection)

    @property
    def answer_files(self) -> AnswerFilesDoor:
        """Curated answers as Markdown files: write them beside the documents, read them, check them."""
        return AnswerFilesDoor(self._connection)

    @property
    def library(self) -> LibraryDoor:
        """Documents and collections: list, read, hide and remove them."""
        return LibraryDoor(self._connection)

    @property
    def terminology(self) -> TerminologyDoor:
        """Words to avoid, and the phrases to use instead."""
        return TerminologyDoor(self._connection)

    @property
    def quality(self) -> QualityDoor:
        """The quality of search: evaluate it, compare settings, calibrate thresholds, explain what is not found."""
        return QualityDoor(self._connection)

    @property
    def models(self) -> ModelsDoor:
        """The models of this machine: list, download, add, remove and compare them, and use them by themselves."""
        return ModelsDoor(self._connection)

    @property
    def maintenance(self) -> MaintenanceDoor:
        """The base as a whole: back it up, move it, reindex it, check and repair it."""
        return MaintenanceDoor(self._connection)

    async def _stale_drafts(self) -> int:
        return (await self.stores.moderation.count_pending())[DraftKind.STALE]

    def _ingest(self) -> Ingest:
        return make_ingest(self.stores, self._embedders.main, self._settings)

    async def _uploads(self) -> Uploads:
        files = await self._connection.files()
        return make_uploads(self.stores, self._embedders.main, self._settings, files)

    def _retriever(self) -> DefaultRetriever:
        return self._connection.retriever()

    def _consultation(
        self, retrieval: Retrieval | None = None, drafting: Moderation | None = None
    ) -> Consultation:
        return make_consultation(
            self.stores,
            retrieval or self._retriever(),
            self._embedders,
            self._chat_model,
            self._settings,
            drafting,
        )

    def _several(self, collection: str | Sequence[str] | None) -> tuple[str, ...]:
        named = self._connection.searched(collection)
        return (named,) if isinstance(named, str) else tuple(named)

    def _opened(self) -> OpenBase:
        return self._connection.base
