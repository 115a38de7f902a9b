"""The async client: adding, searching and asking, and the doors to everything else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from sourcebook.assembly import (
    OpenBase,
    make_consultation,
    make_help_retrieval,
    make_ingest,
    make_moderation,
    make_people,
    make_reception,
    make_uploads,
)
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.consult.service import HELP_FILTER
from sourcebook.doors.connection import Connection
from sourcebook.doors.conversations import ConversationsDoor
from sourcebook.doors.curated import CuratedDoor
from sourcebook.doors.earlier_names import EarlierNames
from sourcebook.doors.library import LibraryDoor
from sourcebook.doors.maintenance import MaintenanceDoor
from sourcebook.doors.quality import QualityDoor
from sourcebook.doors.terminology import TerminologyDoor
from sourcebook.ingest.add_request import AddRequest, Labels, OnFailed, OnRemoval
from sourcebook.ingest.uploads.incoming_file import IncomingFile
from sourcebook.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from sourcebook.consult.evidence.passages import Retrieval
    from sourcebook.consult.reception.service import Reception
    from sourcebook.consult.service import Consultation
    from sourcebook.curate.service import Moderation
    from sourcebook.ingest.service import Ingest
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.ingest.uploads.service import Uploads
    from sourcebook.model.adding import AddPlan, AddReport, Progress, WatchRound
    from sourcebook.model.chat import Answer, AnswerEvent
    from sourcebook.model.documents import (
        Metadata,
        WriteReport,
    )
    from sourcebook.model.jobs import Job
    from sourcebook.model.search import MetadataFilter, RetrievalConfig, SearchReport, SearchResult
    from sourcebook.people.service import People
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.service import DefaultRetriever


class AsyncSourcebook(EarlierNames):
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
        self._connection = Connection(self._settings, embedder, chat_model, face)
        self._embedders = self._connection.embedders
        self._chat_model = self._connection.chat_model
        self._face = face

    async def open(self) -> Self:
        """Open the base, making it if it does not exist. Opening twice is fine."""
        await self._connection.open()
        return self

    async def close(self) -> None:
        """Close the base. Closing twice is fine."""
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
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddReport:
        """Make the base agree with files and folders. Done again, only what changed is read.

        What was added before and is gone is removed; if that is most of a folder, it is an error unless `on_removal`
        allows it. Labels are remembered for what was named. Set `stop` to end early: what is finished is kept.
        """
        labels = Labels(category, subcategory)
        report = await self._ingest().add(
            AddRequest(
                paths, self._connection.named(collection), labels, on_removal, on_failed, on_progress, stop
            )
        )
        await self._connection.prepare(self._connection.named(collection), on_progress)
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
                self._connection.named(collection),
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
            collection_id=self._connection.named(collection),
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
        return await self._uploads().add_bytes(self._connection.named(collection), brought)

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
        return await self._uploads().upload(self._connection.named(collection), brought)

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
        """The passages that answer the question best, from one collection or several. Warnings are logged."""
        return await self._retriever().retrieve(self._connection.searched(collection), query, config)

    async def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """What `search` finds, with its warnings and, if `config.explain` says so, how it came to its order."""
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
        return await self._consultation(drafting=self.moderation).answer(inquiry, on_event)

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
        helping = self._consultation(make_help_retrieval(self._retriever()))
        return await helping.answer(inquiry, on_event)

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
        people = self.people
        if self._connection.reception is None:
            self._connection.reception = make_reception(
                self.stores, people, self._consultation(), self.moderation, self._settings, self._face
            )
        return self._connection.reception

    @property
    def conversations(self) -> ConversationsDoor:
        """The conversations that `ask` keeps: begin, list, read, rename, remove and export them."""
        return ConversationsDoor(self._connection)

    @property
    def curated(self) -> CuratedDoor:
        """The approved answers, which `ask` gives first: add, find, list and remove them."""
        return CuratedDoor(self._connection)

    @property
    def library(self) -> LibraryDoor:
        """The documents that were added, and their collections: list, read, hide and remove them."""
        return LibraryDoor(self._connection)

    @property
    def terminology(self) -> TerminologyDoor:
        """Words to avoid, and the phrases to use for them."""
        return TerminologyDoor(self._connection)

    @property
    def quality(self) -> QualityDoor:
        """How well the base is searched: judge it, compare settings, calibrate it, ask why a document is not found."""
        return QualityDoor(self._connection)

    @property
    def maintenance(self) -> MaintenanceDoor:
        """The base as a whole: back it up, move it, make its index anew, examine and repair it."""
        return MaintenanceDoor(self._connection)

    def _ingest(self) -> Ingest:
        return make_ingest(self.stores, self._embedders.main, self._settings)

    def _uploads(self) -> Uploads:
        return make_uploads(self.stores, self._embedders.main, self._settings)

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
