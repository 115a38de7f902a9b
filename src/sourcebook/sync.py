"""The same client without await. `make docs` writes it from the async client and its doors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sourcebook.client import AsyncSourcebook
from sourcebook.consult.question.inquiry import OnReadOnly
from sourcebook.ingest.add_request import OnArchives, OnFailed, OnRemoval
from sourcebook.model.accounts import AccountRole
from sourcebook.model.backup import OnExisting
from sourcebook.model.curation import SourceType
from sourcebook.model.moderation import Keep, LostSupport
from sourcebook.model.people import UserRole
from sourcebook.model.reindexing import ReindexScope
from sourcebook.model.token_ledger import OperationType
from sourcebook.ports.forward import forward
from sourcebook.ports.providers import TextRole
from sourcebook.sync_loop import BlockingStores, Waiter

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from types import TracebackType

    from sourcebook.consult.reception.paid_answer import OnEvent
    from sourcebook.consult.reception.reception import Reception
    from sourcebook.curate.moderation import Moderation
    from sourcebook.curate.revision_maker import SourceName
    from sourcebook.doors.answer_files import AnswerFilesDoor
    from sourcebook.doors.conversations import ConversationsDoor
    from sourcebook.doors.curated import CuratedDoor
    from sourcebook.doors.library import LibraryDoor
    from sourcebook.doors.maintenance import MaintenanceDoor
    from sourcebook.doors.models import ModelsDoor
    from sourcebook.doors.quality import QualityDoor
    from sourcebook.doors.terminology import TerminologyDoor
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.accounts import Account, ApiKey, Identity, NewApiKey, SignIn
    from sourcebook.model.add_reports import AddPlan, AddReport, NewText, Progress, WatchRound
    from sourcebook.model.answer_check import AnswerCheck, FileTransfer
    from sourcebook.model.answer_thresholds import Thresholds
    from sourcebook.model.backup import BackupReport, RestoreReport
    from sourcebook.model.calibration import Calibration, QuestionPair
    from sourcebook.model.chat import Answer, AnswerEvent, ChatSession, Conversation
    from sourcebook.model.consultations import Direction, LoggedMessage, Reply, Topic, Visit
    from sourcebook.model.curation import (
        CuratedAnswer,
        CuratedMatch,
        CuratedSource,
        SourceChange,
        Term,
        Wording,
    )
    from sourcebook.model.documents import (
        Collection,
        Document,
        DocumentDetails,
        DocumentListing,
        DocumentStatus,
        EmbeddingModel,
        JsonValue,
        Metadata,
        WriteReport,
    )
    from sourcebook.model.explanation import DocumentPlace
    from sourcebook.model.health import HealthReport
    from sourcebook.model.jobs import Job
    from sourcebook.model.model_listing import ComparedModel, ModelListing
    from sourcebook.model.moderation import AskedAgain, Digest, Draft, DraftKind, DraftStatus, Gap, NewDraft
    from sourcebook.model.people import ForgetReport, User
    from sourcebook.model.reindexing import ReindexPlan, ReindexProgress, ReindexReport
    from sourcebook.model.search import (
        MetadataFilter,
        RetrievalConfig,
        SearchReport,
        SearchResult,
        SearchWarning,
    )
    from sourcebook.model.token_ledger import Reservation, TokenTransaction
    from sourcebook.model.token_prices import Prices
    from sourcebook.people.accounts import AccountService
    from sourcebook.people.api_keys import KeyService
    from sourcebook.people.users import People
    from sourcebook.ports.chat import ChatModel, PromptMessage
    from sourcebook.ports.moderation import BoundAnswer
    from sourcebook.ports.providers import Embedder
    from sourcebook.retrieve.evaluation.evaluate import Evaluation, JudgedQuestion, Replayed, SearchSetting
    from sourcebook.retrieve.question_context import QuestionContext
    from sourcebook.settings import Settings
    from sourcebook.storage.jsonl.bundle_report import BundleReport
    from sourcebook.storage.maintenance.base_copy import CopyReport


class SyncModeration:
    """The review queue: turns answers into drafts, and drafts into curated answers."""

    def __init__(self, waiter: Waiter, door: Moderation) -> None:
        self._waiter = waiter
        self._door = door

    def consider(
        self,
        answer: Answer,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        collections: Sequence[str] = (),
        visit_key: str | None = None,
        context: QuestionContext | None = None,
    ) -> Draft | None:
        """Put an answer into the queue if the settings want it there. A declined question always goes to experts.

        `visit_key` is the key of the visit that the draft belongs to; `context` is what is known of the question.
        """
        return self._waiter.call(
            self._door.consider,
            answer,
            user_id=user_id,
            topic_id=topic_id,
            category=category,
            subcategory=subcategory,
            attachments=attachments,
            collections=collections,
            visit_key=visit_key,
            context=context,
        )

    def call_human(
        self,
        question: str,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        session_id: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        attachments: Sequence[Mapping[str, JsonValue]] = (),
        details: Mapping[str, JsonValue] | None = None,
        language: str | None = None,
        collection_id: str | None = None,
    ) -> Draft:
        """Ask an expert, whatever the base knows. The asker receives the reply, and may withdraw the question first."""
        return self._waiter.call(
            self._door.call_human,
            question,
            user_id=user_id,
            topic_id=topic_id,
            session_id=session_id,
            category=category,
            subcategory=subcategory,
            attachments=attachments,
            details=details,
            language=language,
            collection_id=collection_id,
        )

    def add_to_moderation_queue(self, draft: NewDraft, context: QuestionContext | None = None) -> Draft:
        """Put a draft into the queue, with a guess of its category and the group of its question."""
        return self._waiter.call(self._door.add_to_moderation_queue, draft, context)

    def get_pending_moderation_items(
        self,
        limit: int = 20,
        *,
        kind: DraftKind | None = None,
        after: int = 0,
        collection_id: str | None = None,
    ) -> list[Draft]:
        """The waiting drafts, oldest first, starting after the one with the number `after`.

        `has_changed_sources` tells of each whether what it quotes has changed since.
        """
        return self._waiter.call(
            self._door.get_pending_moderation_items,
            limit,
            kind=kind,
            after=after,
            collection_id=collection_id,
        )

    def get_item(self, draft_id: int) -> Draft:
        """The draft of this number, or DraftNotFound."""
        return self._waiter.call(self._door.get_item, draft_id)

    def similar(self, draft_id: int) -> list[Draft]:
        """Other waiting drafts that ask much the same, then those that ask exactly the same in other words."""
        return self._waiter.call(self._door.similar, draft_id)

    def changes(self, draft_id: int) -> list[SourceChange]:
        """What each changed source of a draft said, and what it says now.

        Those of a stale answer, or of an answer from documents that waits. Empty for other drafts.
        """
        return self._waiter.call(self._door.changes, draft_id)

    def in_new_words(self, draft_id: int) -> str | None:
        """Such an answer in the new words of its sources. None if none of its sentences can be replaced."""
        return self._waiter.call(self._door.in_new_words, draft_id)

    def items_of(self, user_id: int, *, status: DraftStatus | None = None) -> list[Draft]:
        """A person's questions in the queue, the latest first."""
        return self._waiter.call(self._door.items_of, user_id, status=status)

    def count_pending(self) -> dict[DraftKind, int]:
        """How many drafts of each kind are waiting."""
        return self._waiter.call(self._door.count_pending)

    def approve_moderation_item(
        self,
        draft_id: int,
        admin_id: int,
        *,
        answer: str | None = None,
        question: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_lost_support: LostSupport = LostSupport.REFUSE,
        sources: Sequence[SourceName] = (),
    ) -> CuratedAnswer:
        """Make a curated answer of a draft, as it is or edited. What is not given stays as the draft has it.

        The answer is bound to the words of the documents that support it. Where it uses other words, name its
        `sources`: numbers of the draft's passages, or documents. Each sentence that had a source when the draft was
        made, or in the answer that it renews, must still have one, unless `on_lost_support` accepts it without.
        """
        return self._waiter.call(
            self._door.approve_moderation_item,
            draft_id,
            admin_id,
            answer=answer,
            question=question,
            category=category,
            subcategory=subcategory,
            on_lost_support=on_lost_support,
            sources=sources,
        )

    def reject_moderation_item(self, draft_id: int, admin_id: int, reason: str = "") -> Draft:
        """Reject a draft. A stale curated answer is then no longer given.

        An answer from documents is not given to the same question again until most of what it quoted changes. If the
        base could not answer the question, the asker is told the reason.
        """
        return self._waiter.call(self._door.reject_moderation_item, draft_id, admin_id, reason)

    def asked_again(self, draft_id: int) -> AskedAgain | None:
        """What happens if the question of a rejected answer is asked again. None for any other draft."""
        return self._waiter.call(self._door.asked_again, draft_id)

    def answer_item(
        self,
        draft_id: int,
        admin_id: int,
        text: str,
        *,
        keep: Keep = Keep.CURATED,
        category: str | None = None,
        subcategory: str | None = None,
        sources: Sequence[SourceName] = (),
    ) -> Draft:
        """Answer a question that the base could not answer. The asker receives it; if kept, it comes first next time.

        It is bound to the words of the documents that support it, and to the `sources` that are named for it: numbers
        of the closest passages, or documents. When one changes, the answer comes back for review.
        """
        return self._waiter.call(
            self._door.answer_item,
            draft_id,
            admin_id,
            text,
            keep=keep,
            category=category,
            subcategory=subcategory,
            sources=sources,
        )

    def keep_answer(
        self,
        draft_id: int,
        admin_id: int,
        *,
        category: str | None = None,
        subcategory: str | None = None,
        sources: Sequence[SourceName] = (),
    ) -> CuratedAnswer:
        """Make a curated answer of a reply that was already given. Doing it again changes nothing.

        With `sources`, the curated answer is bound to these too: numbers of the draft's passages, or documents.
        """
        return self._waiter.call(
            self._door.keep_answer,
            draft_id,
            admin_id,
            category=category,
            subcategory=subcategory,
            sources=sources,
        )

    def bound(
        self, answer: str, question: str | None = None, *, collection_id: str | None = None
    ) -> BoundAnswer:
        """An answer with the words in the documents that support it, as it would be stored on approval."""
        return self._waiter.call(self._door.bound, answer, question, collection_id=collection_id)

    def cancel_item(self, draft_id: int, user_id: int) -> Draft:
        """Withdraw your own question."""
        return self._waiter.call(self._door.cancel_item, draft_id, user_id)

    def edit_entry(
        self,
        entry_id: int,
        editor_id: int,
        *,
        answer: str | None = None,
        question: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> Draft:
        """Propose a change to a curated answer. Until it is approved, the answer is given as it was."""
        return self._waiter.call(
            self._door.edit_entry,
            entry_id,
            editor_id,
            answer=answer,
            question=question,
            category=category,
            subcategory=subcategory,
        )

    def gaps(
        self, since: int | None = None, limit: int = 20, *, collections: Container[str | None] | None = None
    ) -> list[Gap]:
        """What to write next: declined, rejected and weakly supported questions, grouped.

        They come from the whole base, or only from these collections.
        """
        return self._waiter.call(self._door.gaps, since, limit, collections=collections)

    def digest(self, since: int, until: int | None = None) -> Digest:
        """A summary of a period: questions, tiers, stale answers, what to write."""
        return self._waiter.call(self._door.digest, since, until)

    def judged_questions(self, collection_id: str | None = None) -> list[JudgedQuestion]:
        """The decided questions with the documents that answer them: an evaluation set that grows with the work.

        They are those that the approved answer is bound to; a rejected question has none.
        """
        return self._waiter.call(self._door.judged_questions, collection_id)


class SyncPeople:
    """Users, their consultations, messages and tokens. What needs no rule of its own is the stores'."""

    def __init__(self, waiter: Waiter, door: People) -> None:
        self._waiter = waiter
        self._door = door

    @property
    def prices(self) -> Prices:
        """What things cost here, and how many tokens a new person is given."""
        return self._door.prices

    def get_or_create_user(
        self,
        telegram_user_id: int,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
    ) -> User:
        """The person of this Telegram id, made and given the welcome tokens if new.

        Names that are given take the place of those that were known; the language only if none was.
        """
        return self._waiter.call(
            self._door.get_or_create_user, telegram_user_id, username, first_name, last_name, language
        )

    def create_user(
        self,
        *,
        username: str | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        language: str | None = None,
        role: UserRole = UserRole.USER,
    ) -> User:
        """A person without Telegram, with the welcome tokens."""
        return self._waiter.call(
            self._door.create_user,
            username=username,
            first_name=first_name,
            last_name=last_name,
            language=language,
            role=role,
        )

    def get_user(self, user_id: int) -> User:
        """The person of this number, or the error that there is none."""
        return self._waiter.call(self._door.get_user, user_id)

    def list_users(self, role: UserRole | None = None) -> list[User]:
        """Everybody, or those of one role, by number, without those who were forgotten."""
        return self._waiter.call(self._door.list_users, role)

    def count_all_users(self) -> int:
        """How many people there are, without `local` and those who were forgotten."""
        return self._waiter.call(self._door.count_all_users)

    def set_role(self, user_id: int, role: UserRole) -> User:
        """Say what a person may do."""
        return self._waiter.call(self._door.set_role, user_id, role)

    def set_language(self, user_id: int, language: str | None) -> User:
        """Choose the language in which a person is answered; None, and each question decides."""
        return self._waiter.call(self._door.set_language, user_id, language)

    def forget_user(self, user_id: int) -> ForgetReport:
        """Remove a person's names, messages, drafts and conversations. The ledger stays, without a name."""
        return self._waiter.call(self._door.forget_user, user_id)

    def block_user(self, user_id: int) -> User:
        """Refuse this person's questions from now on."""
        return self._waiter.call(self._door.block_user, user_id)

    def unblock_user(self, user_id: int) -> User:
        """Take this person's questions again."""
        return self._waiter.call(self._door.unblock_user, user_id)

    def get_or_create_open_topic(
        self,
        user_id: int,
        channel_key: str,
        *,
        face: str | None = None,
        culture: str | None = None,
        category: str | None = None,
    ) -> Topic:
        """The consultation that is open at this place; one, however many ask for it at once."""
        return self._waiter.call(
            self._door.get_or_create_open_topic,
            user_id,
            channel_key,
            face=face,
            culture=culture,
            category=category,
        )

    def get_open_topic(self, user_id: int, channel_key: str) -> Topic | None:
        """The consultation that is open at this place, if one is."""
        return self._waiter.call(self._door.get_open_topic, user_id, channel_key)

    def get_topic(self, topic_id: int) -> Topic:
        """The consultation of this number, or the error that there is none."""
        return self._waiter.call(self._door.get_topic, topic_id)

    def list_topics(self, user_id: int, limit: int = 20) -> list[Topic]:
        """A person's consultations, the newest first."""
        return self._waiter.call(self._door.list_topics, user_id, limit)

    def close_topic(self, topic_id: int) -> Topic:
        """End a consultation."""
        return self._waiter.call(self._door.close_topic, topic_id)

    def update_topic_culture(self, topic_id: int, culture: str | None, category: str | None = None) -> Topic:
        """What the consultation is about: its culture, which is the subcategory that is searched, and category."""
        return self._waiter.call(self._door.update_topic_culture, topic_id, culture, category)

    def remove_topic(self, topic_id: int) -> bool:
        """Remove a consultation with its conversation and messages. True if there was one."""
        return self._waiter.call(self._door.remove_topic, topic_id)

    def log_message(
        self,
        user_id: int,
        direction: Direction,
        *,
        text: str | None = None,
        chat_message_id: str | None = None,
        topic_id: int | None = None,
        session_id: str | None = None,
        external_id: str | None = None,
        meta: Mapping[str, JsonValue] | None = None,
    ) -> LoggedMessage | None:
        """Log a text, or a message of a conversation. None: this `external_id` was logged before."""
        return self._waiter.call(
            self._door.log_message,
            user_id,
            direction,
            text=text,
            chat_message_id=chat_message_id,
            topic_id=topic_id,
            session_id=session_id,
            external_id=external_id,
            meta=meta,
        )

    def get_topic_messages(self, topic_id: int, limit: int | None = None) -> list[LoggedMessage]:
        """The messages of a consultation in their order; with a limit, the last ones."""
        return self._waiter.call(self._door.get_topic_messages, topic_id, limit)

    def last_message(self, user_id: int, direction: Direction) -> LoggedMessage | None:
        """The last message that a person sent, or was sent."""
        return self._waiter.call(self._door.last_message, user_id, direction)

    def find_message(self, external_id: str) -> LoggedMessage | None:
        """The message that was logged under this `external_id`."""
        return self._waiter.call(self._door.find_message, external_id)

    def update_message_meta(self, message_id: int, meta: Mapping[str, JsonValue]) -> None:
        """What is given takes the place of what is called the same; the rest stays."""
        return self._waiter.call(self._door.update_message_meta, message_id, meta)

    def deduct_tokens(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        *,
        idempotency_key: str | None = None,
        description: str | None = None,
        topic_id: int | None = None,
        admin_id: int | None = None,
    ) -> TokenTransaction:
        """Take tokens, or raise NotEnoughTokens. The same key again takes nothing and gives the same row."""
        return self._waiter.call(
            self._door.deduct_tokens,
            user_id,
            amount,
            operation_type,
            idempotency_key=idempotency_key,
            description=description,
            topic_id=topic_id,
            admin_id=admin_id,
        )

    def add_tokens(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType = OperationType.ADMIN_CREDIT,
        *,
        idempotency_key: str | None = None,
        description: str | None = None,
        topic_id: int | None = None,
        admin_id: int | None = None,
    ) -> TokenTransaction:
        """Give tokens. The same key again gives nothing more, and the same row."""
        return self._waiter.call(
            self._door.add_tokens,
            user_id,
            amount,
            operation_type,
            idempotency_key=idempotency_key,
            description=description,
            topic_id=topic_id,
            admin_id=admin_id,
        )

    def get_token_balance(self, user_id: int) -> int:
        """How many tokens a person has."""
        return self._waiter.call(self._door.get_token_balance, user_id)

    def token_history(self, user_id: int, limit: int = 50) -> list[TokenTransaction]:
        """A person's ledger, the newest row first."""
        return self._waiter.call(self._door.token_history, user_id, limit)

    def settle(self, reservation_id: int) -> Reservation:
        """Keep what was taken. What was given back before stays so, and the status says it."""
        return self._waiter.call(self._door.settle, reservation_id)

    def refund(self, reservation_id: int) -> Reservation:
        """Give back what was taken, once. What was settled before stays so, and the status says it."""
        return self._waiter.call(self._door.refund, reservation_id)

    def has_sufficient_tokens(self, user_id: int, amount: int) -> bool:
        """Whether the balance is large enough now. To take tokens, reserve them: that fails if there are too few."""
        return self._waiter.call(self._door.has_sufficient_tokens, user_id, amount)

    def reserve(
        self,
        user_id: int,
        amount: int,
        operation_type: OperationType,
        idempotency_key: str,
        *,
        topic_id: int | None = None,
    ) -> Reservation:
        """Hold tokens. If nobody settles the reservation in time, a sweep returns them."""
        return self._waiter.call(
            self._door.reserve, user_id, amount, operation_type, idempotency_key, topic_id=topic_id
        )

    def sweep_reservations(self) -> int:
        """Return what dead processes held. Says how many reservations that was."""
        return self._waiter.call(self._door.sweep_reservations)


class SyncAccountService:
    """Names to sign in with. Each belongs to a user and is bound to a role and, if wanted, to collections."""

    def __init__(self, waiter: Waiter, door: AccountService) -> None:
        self._waiter = waiter
        self._door = door

    def add(
        self,
        login: str,
        password: str,
        *,
        role: AccountRole = AccountRole.READER,
        collections: Sequence[str] | None = None,
        user: int | None = None,
    ) -> Account:
        """Make an account for a new user, or for an existing one, who then gets the role.

        Without collections it may see all of them.
        """
        return self._waiter.call(
            self._door.add, login, password, role=role, collections=collections, user=user
        )

    def get(self, login: str) -> Account:
        """The account of this name."""
        return self._waiter.call(self._door.get, login)

    def all(self) -> list[Account]:
        """All accounts, by name."""
        return self._waiter.call(self._door.all)

    def set_password(self, login: str, password: str) -> Account:
        """Change an account's password. Everybody who is signed in with it is signed out."""
        return self._waiter.call(self._door.set_password, login, password)

    def set_collections(self, login: str, collections: Sequence[str] | None) -> Account:
        """Say which collections an account may see from now on; None means all of them."""
        return self._waiter.call(self._door.set_collections, login, collections)

    def remove(self, login: str) -> None:
        """Remove an account, its sign-ins and its keys. The user and the user's conversations stay."""
        return self._waiter.call(self._door.remove, login)

    def sign_in(self, login: str, password: str, *, address: str = "") -> SignIn:
        """Check a password and begin a sign-in.

        After several failures, further attempts have to wait, longer each time. A name that does not exist is treated
        like one that does. Its `token` is shown only here.
        """
        return self._waiter.call(self._door.sign_in, login, password, address=address)

    def identify(self, token: str) -> Identity | None:
        """Who signed in with this token; None if the sign-in has ended, or the user is blocked."""
        return self._waiter.call(self._door.identify, token)

    def sign_out(self, token: str) -> bool:
        """End one sign-in. True if there was one."""
        return self._waiter.call(self._door.sign_out, token)

    def sign_out_everywhere(self, login: str) -> int:
        """End all sign-ins of an account. Returns how many there were."""
        return self._waiter.call(self._door.sign_out_everywhere, login)

    def any_account(self) -> bool:
        """Whether there is an account. Changes made here are seen at once, those of other processes within a second."""
        return self._waiter.call(self._door.any_account)


class SyncKeyService:
    """Keys for programs. A key is shown once, when it is made, and stored as a hash."""

    def __init__(self, waiter: Waiter, door: KeyService) -> None:
        self._waiter = waiter
        self._door = door

    def create(
        self,
        name: str,
        *,
        role: AccountRole = AccountRole.READER,
        collections: Sequence[str] | None = None,
        account: str | None = None,
        days: int | None = None,
    ) -> NewApiKey:
        """Make a key that acts for this account; without one, for a new user, so that its conversations are its own.

        It never allows more than its account may. Without collections it may see all that the account sees; `days` is
        how long it is valid.
        """
        return self._waiter.call(
            self._door.create, name, role=role, collections=collections, account=account, days=days
        )

    def all(self) -> list[ApiKey]:
        """All keys, revoked ones too, oldest first."""
        return self._waiter.call(self._door.all)

    def revoke(self, key: int) -> ApiKey:
        """Make a key useless from now on. Its number is in the list."""
        return self._waiter.call(self._door.revoke, key)

    def identify(self, secret: str) -> Identity | None:
        """Whom a key acts for; None if it is unknown, revoked, expired, or its user is blocked."""
        return self._waiter.call(self._door.identify, secret)

    def any_key(self) -> bool:
        """Whether there is a key that is valid now."""
        return self._waiter.call(self._door.any_key)


class SyncReception:
    """Takes people's questions, and makes sure that each is answered and charged once."""

    def __init__(self, waiter: Waiter, door: Reception) -> None:
        self._waiter = waiter
        self._door = door

    def ask(
        self,
        visit: Visit,
        on_event: OnEvent | None = None,
        *,
        is_looking: bool = True,
        is_given_up: Callable[[], bool] | None = None,
    ) -> Reply:
        """Answer a person's question, log both, take what it costs, and make a draft of the answer.

        A person without tokens or questions left still gets curated answers that cost nothing; any other answer is an
        error. An answer that is stopped halfway is charged if part of it had been shown, and refunded otherwise, or if
        `is_given_up` then says that it was not the person who stopped it. With `is_looking` false, nothing counts as
        shown before the answer is complete, whatever `on_event` does.
        """
        return self._waiter.call(
            self._door.ask, visit, on_event, is_looking=is_looking, is_given_up=is_given_up
        )

    def buy_questions(self, user_id: int, channel_key: str, key: str) -> Topic:
        """Buy more questions for the consultation that is open at this place. The same key buys once."""
        return self._waiter.call(self._door.buy_questions, user_id, channel_key, key)

    def new_topic(
        self, user_id: int, channel_key: str, *, culture: str | None = None, category: str | None = None
    ) -> Topic:
        """End the consultation that is open at this place, and begin another. It is charged with its first answer."""
        return self._waiter.call(
            self._door.new_topic, user_id, channel_key, culture=culture, category=category
        )

    def call_human(self, visit: Visit) -> Draft:
        """Pass a question to an expert; without words, the last one that was asked. The same key passes it once.

        The same key with other words is refused, so that no question is lost.
        """
        return self._waiter.call(self._door.call_human, visit)

    def cancel_human(self, user_id: int, draft_id: int) -> Draft:
        """Withdraw a question that waits for an expert."""
        return self._waiter.call(self._door.cancel_human, user_id, draft_id)

    def sweep(self) -> int:
        """Clean up after dead processes: return the tokens they reserved, and make their missing drafts."""
        return self._waiter.call(self._door.sweep)


class SyncConversationsDoor:
    """Stored conversations: start, list, read, rename, remove and export them. Each belongs to one user."""

    def __init__(self, waiter: Waiter, door: ConversationsDoor) -> None:
        self._waiter = waiter
        self._door = door

    def create(
        self, *, title: str | None = None, scope: Mapping[str, JsonValue] | None = None, user: int = 1
    ) -> ChatSession:
        """Start a conversation. `ask` starts one itself when you name no session."""
        return self._waiter.call(self._door.create, title=title, scope=scope, user=user)

    def latest(
        self, limit: int = 50, *, user: int = 1, after: ChatSession | None = None
    ) -> list[ChatSession]:
        """All conversations, newest first; with `after`, those that come behind that one."""
        return self._waiter.call(self._door.latest, limit, user=user, after=after)

    def search(self, text: str, limit: int = 50, *, user: int = 1) -> list[ChatSession]:
        """The conversations in whose title or messages this text stands, newest first."""
        return self._waiter.call(self._door.search, text, limit, user=user)

    def get(self, session_id: str, *, user: int = 1) -> Conversation:
        """A conversation with its messages. Each citation says whether its source has since changed or been removed."""
        return self._waiter.call(self._door.get, session_id, user=user)

    def rename(self, session_id: str, title: str, *, user: int = 1) -> None:
        """Rename a conversation."""
        return self._waiter.call(self._door.rename, session_id, title, user=user)

    def remove(self, session_id: str, *, user: int = 1) -> bool:
        """Remove a conversation and its messages. True if there was one."""
        return self._waiter.call(self._door.remove, session_id, user=user)

    def export(self, session_id: str, *, user: int = 1) -> str:
        """A conversation as Markdown, with its sources and whether they have changed since."""
        return self._waiter.call(self._door.export, session_id, user=user)


class SyncCuratedDoor:
    """Curated answers, which `ask` prefers: add, find, list and remove them."""

    def __init__(self, waiter: Waiter, door: CuratedDoor) -> None:
        self._waiter = waiter
        self._door = door

    def insert(
        self,
        answer: str,
        *,
        category: str,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = 1,
        sources: Sequence[CuratedSource] | None = None,
        also: Sequence[str] = (),
        collection: str | None = None,
    ) -> CuratedAnswer:
        """Add an approved answer, which `ask` prefers. It is matched by its question or, without one, by its text.

        By its sources it is known when the answer is out of date. `source` makes them. If they are left out,
        what supports the answer is looked for in the documents, and marked in it as on approval. An empty list binds
        it to nothing.
        `also` are other wordings of the question.
        """
        return self._waiter.call(
            self._door.insert,
            answer,
            category=category,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            language=language,
            approved_by=approved_by,
            sources=sources,
            also=also,
            collection=collection,
        )

    def source(
        self, document: str, *, quote: str | None = None, supports: str = "", collection: str | None = None
    ) -> CuratedSource:
        """The place of `quote` in the document with this id or path or, without one, what best supports `supports`."""
        return self._waiter.call(
            self._door.source, document, quote=quote, supports=supports, collection=collection
        )

    def search(
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
        return self._waiter.call(
            self._door.search,
            query,
            category=category,
            subcategory=subcategory,
            limit=limit,
            distance_threshold=distance_threshold,
            collection=collection,
        )

    def all(self, collection: str | None = None) -> list[CuratedAnswer]:
        """The approved answers of one collection, or of all."""
        return self._waiter.call(self._door.all, collection)

    def get(self, entry_id: int) -> CuratedAnswer:
        """The approved answer of this number, with its sources and wordings, or the error that there is none."""
        return self._waiter.call(self._door.get, entry_id)

    def changes(self, entry_id: int) -> list[SourceChange]:
        """What each changed source of an approved answer said, and what stands there now."""
        return self._waiter.call(self._door.changes, entry_id)

    def add_wording(self, entry_id: int, question: str, *, admin_id: int = 1) -> Wording | None:
        """Add another wording of an approved answer's question, matched like the first. None if it is the first."""
        return self._waiter.call(self._door.add_wording, entry_id, question, admin_id=admin_id)

    def accept_wording(self, wording_id: int, *, admin_id: int = 1) -> Wording:
        """Let a wording that askers confirmed be matched like the first question."""
        return self._waiter.call(self._door.accept_wording, wording_id, admin_id=admin_id)

    def reject_wording(self, wording_id: int, *, admin_id: int = 1) -> Wording:
        """Say that a wording asks something else. However many confirm it, it is not matched any more."""
        return self._waiter.call(self._door.reject_wording, wording_id, admin_id=admin_id)

    def open_wordings(self) -> int:
        """How many wordings askers confirmed that no expert has decided on."""
        return self._waiter.call(self._door.open_wordings)

    def remove(self, entry_id: int) -> bool:
        """Remove an approved answer. True if there was one."""
        return self._waiter.call(self._door.remove, entry_id)


class SyncAnswerFilesDoor:
    """Curated answers as Markdown files that live beside the documents: write, read and check them."""

    def __init__(self, waiter: Waiter, door: AnswerFilesDoor) -> None:
        self._waiter = waiter
        self._door = door

    def export(self, folder: str | os.PathLike[str], *, collection: str | None = None) -> FileTransfer:
        """Write the curated answers to a folder, one file each. A file that has the same question keeps its name."""
        return self._waiter.call(self._door.export, folder, collection=collection)

    def read(
        self, folder: str | os.PathLike[str], *, collection: str | None = None, approved_by: int | None = 1
    ) -> FileTransfer:
        """Bring the answers of a folder into the base. Each takes the place of the one with the same question.

        An answer whose quotes do not stand in the documents is left out, with the reason.
        """
        return self._waiter.call(self._door.read, folder, collection=collection, approved_by=approved_by)

    def check(
        self,
        documents: str | os.PathLike[str],
        *,
        collection: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AnswerCheck:
        """What the documents of a folder, as they are now, mean for the curated answers of the base."""
        return self._waiter.call(self._door.check, documents, collection=collection, on_progress=on_progress)

    def check_files(
        self,
        documents: str | os.PathLike[str],
        answers: str | os.PathLike[str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AnswerCheck:
        """What the documents of a folder mean for the answers of another. It needs no base and no model."""
        return self._waiter.call_even_closed(
            self._door.check_files, documents, answers, on_progress=on_progress
        )


class SyncLibraryDoor:
    """Documents and collections: list, read, hide and remove them."""

    def __init__(self, waiter: Waiter, door: LibraryDoor) -> None:
        self._waiter = waiter
        self._door = door

    def documents(
        self, collection: str | None = None, *, status: DocumentStatus | None = None
    ) -> list[Document]:
        """A collection's documents in order of path, without their text. `status` keeps those of one status."""
        return self._waiter.call(self._door.documents, collection, status=status)

    def paths(self, status: DocumentStatus, *, collection: str | None = None) -> dict[str, list[str]]:
        """By id, all paths of the documents of one status, written as in `file_path`: files of the same bytes have one
        document.
        """
        return self._waiter.call(self._door.paths, status, collection=collection)

    def part(self, listing: DocumentListing, *, collection: str | None = None) -> list[Document]:
        """A part of a collection's documents in order of path, without their text: as many as are asked for."""
        return self._waiter.call(self._door.part, listing, collection=collection)

    def find(self, name: str, *, collection: str | None = None) -> DocumentDetails:
        """The document with this id or path, with its text and paths. The end of a path is enough if it is unique."""
        return self._waiter.call(self._door.find, name, collection=collection)

    def get(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text. An id whose text another document holds already finds that one."""
        return self._waiter.call(self._door.get, document_id, collection=collection)

    def page_picture(
        self,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        collection: str | None = None,
    ) -> bytes:
        """A page of a PDF, counted from 1, as a PNG of at most 1600 pixels a side.

        A span of the document's text, such as that of a citation, is marked on it as far as it stands on that page.

        It is drawn from the file that the text was read from: the upload kept beside the base, or the file where it
        was added. If that file is gone or has changed, this raises an error.
        """
        return self._waiter.call(self._door.page_picture, document_id, page, span=span, collection=collection)

    def remove(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document and everything that belongs to it. True if there was one.

        A text that was added under other ids too stays with these. If the file of a document is still in a folder that
        was added, adding the folder again brings it back.
        """
        return self._waiter.call(self._door.remove, document_id, collection=collection)

    def hide(self, document_id: str, *, collection: str | None = None) -> None:
        """Hide a document from searches without removing it."""
        return self._waiter.call(self._door.hide, document_id, collection=collection)

    def unhide(self, document_id: str, *, collection: str | None = None) -> None:
        """Make a hidden document searchable again."""
        return self._waiter.call(self._door.unhide, document_id, collection=collection)

    def unknown_fields(
        self, filter: MetadataFilter, *, collection: str | Sequence[str] | None = None
    ) -> list[SearchWarning]:
        """A warning for each field of a filter that no document has, with the nearest name, or that has other values.

        It reads the metadata of every document, and is meant for a filter that finds nothing.
        """
        return self._waiter.call(self._door.unknown_fields, filter, collection=collection)

    def collections(self) -> list[Collection]:
        """The collections of the base."""
        return self._waiter.call(self._door.collections)

    def create_collection(self, collection: Collection) -> Collection:
        """Create a collection. An existing one with the same size and metric is left as it is."""
        return self._waiter.call(self._door.create_collection, collection)

    def remove_collection(self, collection_id: str) -> None:
        """Remove a collection and everything in it."""
        return self._waiter.call(self._door.remove_collection, collection_id)


class SyncTerminologyDoor:
    """Words to avoid, and the phrases to use instead."""

    def __init__(self, waiter: Waiter, door: TerminologyDoor) -> None:
        self._waiter = waiter
        self._door = door

    def all(self) -> list[Term]:
        """The terminology: words to avoid, and the phrases to use instead."""
        return self._waiter.call(self._door.all)

    def add(
        self, term: str, preferred_phrase: str, *, description: str | None = None, language: str | None = None
    ) -> Term:
        """Add a word to avoid and the phrase to use instead, or change the phrase of an existing word."""
        return self._waiter.call(
            self._door.add, term, preferred_phrase, description=description, language=language
        )

    def remove(self, term: str) -> bool:
        """Remove a word from the terminology. True if it was there."""
        return self._waiter.call(self._door.remove, term)


class SyncQualityDoor:
    """The quality of search: evaluate it, compare settings, calibrate thresholds, explain what is not found."""

    def __init__(self, waiter: Waiter, door: QualityDoor) -> None:
        self._waiter = waiter
        self._door = door

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
        return self._waiter.call(
            self._door.evaluate, questions, setting, k=k, collection=collection, on_asked=on_asked
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
        return self._waiter.call(
            self._door.replay, questions, before, after, k=k, collection=collection, on_asked=on_asked
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
        return self._waiter.call(
            self._door.calibrate, questions, pairs, collection=collection, on_asked=on_asked
        )

    def apply_calibration(self, calibration: Calibration) -> Thresholds:
        """Use the suggested thresholds for the collection, for as long as it keeps its model."""
        return self._waiter.call(self._door.apply_calibration, calibration)

    def decided_questions(self, *, collection: str | None = None) -> list[JudgedQuestion]:
        """The experts' decisions on answers from documents, as questions for `calibrate`."""
        return self._waiter.call(self._door.decided_questions, collection=collection)

    def explain_document(
        self,
        document: str,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> DocumentPlace:
        """Where the document with this id or path ranks in the search, and if it is not found, why not."""
        return self._waiter.call(self._door.explain_document, document, query, config, collection=collection)


class SyncModelsDoor:
    """The models of this machine: list, download, add, remove and compare them, and use them by themselves."""

    def __init__(self, waiter: Waiter, door: ModelsDoor) -> None:
        self._waiter = waiter
        self._door = door

    def embedding_model(self) -> EmbeddingModel:
        """The model that `embed` uses."""
        return self._waiter.call(self._door.embedding_model)

    def embed(self, texts: Sequence[str], *, role: TextRole = TextRole.PASSAGE) -> list[list[float]]:
        """A vector for each text. Some models embed a question differently from the text that answers it."""
        return self._waiter.call(self._door.embed, texts, role=role)

    def rerank(
        self, query: str, texts: Sequence[str], *, top_k: int | None = None
    ) -> list[tuple[int, float]]:
        """The place of each text in the list that was given, with its score, best first."""
        return self._waiter.call(self._door.rerank, query, texts, top_k=top_k)

    def list(self) -> list[ModelListing]:
        """The models that Sourcebook knows how to run, and those that were added, with what is installed."""
        return self._waiter.call_even_closed(self._door.list)

    def get(self, name: str, *, on_progress: Callable[[int, int], None] | None = None) -> ModelListing:
        """Download a known model from the hub, or from the mirror that HF_ENDPOINT names. An early end is resumed.

        Every file is checked against the hub's own hash. `on_progress` is told the bytes that are here, and of how
        many, from another thread.
        """
        return self._waiter.call_even_closed(self._door.get, name, on_progress=on_progress)

    def add(
        self, source: str | os.PathLike[str], *, name: str | None = None, kind: str | None = None
    ) -> ModelListing:
        """Add a model from a folder or a GGUF file, for machines without a network. The files are copied."""
        return self._waiter.call_even_closed(self._door.add, source, name=name, kind=kind)

    def remove(self, name: str) -> None:
        """Remove a model from this machine."""
        return self._waiter.call_even_closed(self._door.remove, name)

    def compare(
        self,
        models: Sequence[str],
        questions: Sequence[JudgedQuestion],
        *,
        collection: str | None = None,
        documents: int = 500,
        k: int = 10,
        on_progress: Callable[[str, int, int], None] | None = None,
    ) -> list[ComparedModel]:
        """Search a sample of the base with each model, and measure what it finds. The base is not changed.

        Models are named as in the settings. The sample holds every document that answers a question, and others up to
        `documents`. `on_progress` is told what is done, how much of it, and of how much.
        """
        return self._waiter.call(
            self._door.compare,
            models,
            questions,
            collection=collection,
            documents=documents,
            k=k,
            on_progress=on_progress,
        )


class SyncMaintenanceDoor:
    """The base as a whole: back it up, move it, reindex it, check and repair it."""

    def __init__(self, waiter: Waiter, door: MaintenanceDoor) -> None:
        self._waiter = waiter
        self._door = door

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
        return self._waiter.call_even_closed(
            self._door.backup, target, on_existing=on_existing, on_progress=on_progress
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
        return self._waiter.call_even_closed(
            self._door.restore, source, on_existing=on_existing, on_progress=on_progress
        )

    def copy_to(
        self, target: str | os.PathLike[str], *, on_progress: Callable[[Progress], None] | None = None
    ) -> CopyReport:
        """Copy the whole base, vectors included, to an empty one: a file or a server. Both are compared at the end.

        Uploaded files go to where the new base keeps its own. An interrupted copy resumes where it stopped.
        """
        return self._waiter.call(self._door.copy_to, target, on_progress=on_progress)

    def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write some or all collections as a bundle. The folder appears only once it is complete."""
        return self._waiter.call(
            self._door.export,
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
        """Import a bundle, a JSON Lines index, or another program's base.

        Importing another program's base again brings over what is new there and what was decided since; whatever was
        changed here as well stays, and is named. With `dry_run` the report is the plan, and nothing is written.

        `collection` overrides the collection named in the bundle or the rows. `model` names the model that made the
        vectors of an index or another program's base (a bundle names its own); without it, texts are embedded again.
        """
        return self._waiter.call(
            self._door.import_bundle,
            source,
            collection=collection,
            model=model,
            on_progress=on_progress,
            dry_run=dry_run,
        )

    def plan_reindex(
        self,
        *,
        model: str | Embedder | None = None,
        collections: Sequence[str] | None = None,
        scope: ReindexScope = ReindexScope.EVERYTHING,
    ) -> list[ReindexPlan]:
        """What `reindex` would do to each collection, and how long it would take. Nothing is changed."""
        return self._waiter.call(self._door.plan_reindex, model=model, collections=collections, scope=scope)

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
        return self._waiter.call(
            self._door.reindex, model=model, collections=collections, scope=scope, on_progress=on_progress
        )

    def doctor(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Check the base and report what is wrong with it. Nothing is changed.

        The base need not be open. A base too damaged to open is checked as far as it can be read.
        """
        return self._waiter.call_even_closed(self._door.doctor, on_progress=on_progress)

    def repair(self, *, on_progress: Callable[[Progress], None] | None = None) -> HealthReport:
        """Repair what can be derived from other data, and report what was done and what is left.

        Missing vectors are made again. A damaged file is kept under another name and replaced by a new one with
        everything that can still be read. The base need not be open, but nobody else should be using it.
        """
        return self._waiter.call_even_closed(self._door.repair, on_progress=on_progress)


class Sourcebook:
    """A base: `with Sourcebook("data/knowledge_base.db") as book: …`. May be used from several threads at once.

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
        self._book = AsyncSourcebook(
            db,
            settings=settings,
            embedder=embedder,
            chat_model=chat_model,
            face=face,
            on_read_only=on_read_only,
        )
        self._waiter = Waiter(self._book)

    def open(self) -> Self:
        """Open the base, creating it if needed. Calling this twice does no harm."""
        self._waiter.open()
        return self

    def close(self) -> None:
        """Close the base. Calling this twice does no harm."""
        self._waiter.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
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
        return self._waiter.call(
            self._book.add,
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_removal=on_removal,
            on_failed=on_failed,
            on_archives=on_archives,
            depth=depth,
            sitemap=sitemap,
            allow_hosts=allow_hosts,
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
        on_archives: OnArchives = OnArchives.LEAVE,
        depth: int = 0,
        sitemap: bool = False,
        allow_hosts: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        stop: StopSignal | None = None,
    ) -> AddPlan:
        """What `add` would do now, without writing anything."""
        return self._waiter.call(
            self._book.plan_add,
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_removal=on_removal,
            on_failed=on_failed,
            on_archives=on_archives,
            depth=depth,
            sitemap=sitemap,
            allow_hosts=allow_hosts,
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
        return self._waiter.call(
            self._book.add_text,
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection=collection,
            category=category,
            subcategory=subcategory,
        )

    def add_texts(
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
        return self._waiter.call(
            self._book.add_texts, texts, collection=collection, category=category, subcategory=subcategory
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
        return self._waiter.call(
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
        return self._waiter.call(
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

    def process_uploads(
        self, worker: str = "worker", *, on_progress: Callable[[Job, Progress], None] | None = None
    ) -> int:
        """Add all waiting uploads and return how many were processed. Several workers may run at once.

        `on_progress` is told how far each of them is.
        """
        return self._waiter.call(self._book.process_uploads, worker, on_progress=on_progress)

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
        return self._waiter.call(
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
        return self._waiter.call(self._book.search, query, config, collection=collection)

    def search_report(
        self,
        query: str,
        config: RetrievalConfig | None = None,
        *,
        collection: str | Sequence[str] | None = None,
    ) -> SearchReport:
        """The results of `search` with its warnings and, if `config.explain` is set, how they were ranked."""
        return self._waiter.call(self._book.search_report, query, config, collection=collection)

    def ask(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        filter: MetadataFilter | None = None,
        similar: int | None = None,
        user: int = 1,
        earlier: Sequence[PromptMessage] = (),
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer a question from the base with checked citations, or decline.

        `similar` is the number of an approved answer that was offered for this question (`answer.similar`): it is
        given, and the wording remembered. `on_event` receives the passages, the answer's text as it is written, and
        the citations. In a session, a question may build on earlier ones; the session remembers its first collections,
        category and subcategory. Without one, `earlier` are the messages that came before, which are not stored.
        """
        return self._waiter.call(
            self._book.ask,
            question,
            session=session,
            collection=collection,
            category=category,
            subcategory=subcategory,
            filter=filter,
            similar=similar,
            user=user,
            earlier=earlier,
            on_event=on_event,
        )

    def close_answered(self, *, collection: str | None = None) -> list[Draft]:
        """Close the waiting questions that the documents answer by now, with a note, and tell who asked.

        `add` and `process_uploads` do this. Whoever asked for a person still gets one.
        """
        return self._waiter.call(self._book.close_answered, collection=collection)

    def help(
        self,
        question: str,
        *,
        session: str | None = None,
        collection: str | Sequence[str] | None = None,
        on_event: Callable[[AnswerEvent], None] | None = None,
    ) -> Answer:
        """Answer from documents of type `documentation` and `readme`, and from Sourcebook's own manual."""
        return self._waiter.call(
            self._book.help, question, session=session, collection=collection, on_event=on_event
        )

    @property
    def stores(self) -> BlockingStores:
        """The underlying stores, for building your own retrieval."""
        return BlockingStores(self._waiter, self._book)

    @property
    def moderation(self) -> SyncModeration:
        """The review queue: drafts to approve, questions for the expert, and stale curated answers."""
        return SyncModeration(self._waiter, self._book.moderation)

    @property
    def people(self) -> SyncPeople:
        """Users: their roles, consultations, messages and tokens."""
        return SyncPeople(self._waiter, self._book.people)

    @property
    def accounts(self) -> SyncAccountService:
        """Accounts: make and remove them, sign in and out."""
        return SyncAccountService(self._waiter, self._book.accounts)

    @property
    def keys(self) -> SyncKeyService:
        """API keys: make, list and revoke them."""
        return SyncKeyService(self._waiter, self._book.keys)

    @property
    def reception(self) -> SyncReception:
        """Answers a user's question from start to finish. A question sent twice is answered and charged once."""
        return SyncReception(self._waiter, self._book.reception)

    @property
    def conversations(self) -> SyncConversationsDoor:
        """Stored conversations: start, list, read, rename, remove and export them."""
        return SyncConversationsDoor(self._waiter, self._book.conversations)

    @property
    def curated(self) -> SyncCuratedDoor:
        """Curated answers, which `ask` prefers: add, find, list and remove them."""
        return SyncCuratedDoor(self._waiter, self._book.curated)

    @property
    def answer_files(self) -> SyncAnswerFilesDoor:
        """Curated answers as Markdown files: write them beside the documents, read them, check them."""
        return SyncAnswerFilesDoor(self._waiter, self._book.answer_files)

    @property
    def library(self) -> SyncLibraryDoor:
        """Documents and collections: list, read, hide and remove them."""
        return SyncLibraryDoor(self._waiter, self._book.library)

    @property
    def terminology(self) -> SyncTerminologyDoor:
        """Words to avoid, and the phrases to use instead."""
        return SyncTerminologyDoor(self._waiter, self._book.terminology)

    @property
    def quality(self) -> SyncQualityDoor:
        """The quality of search: evaluate it, compare settings, calibrate thresholds, explain what is not found."""
        return SyncQualityDoor(self._waiter, self._book.quality)

    @property
    def models(self) -> SyncModelsDoor:
        """The models of this machine: list, download, add, remove and compare them, and use them by themselves."""
        return SyncModelsDoor(self._waiter, self._book.models)

    @property
    def maintenance(self) -> SyncMaintenanceDoor:
        """The base as a whole: back it up, move it, reindex it, check and repair it."""
        return SyncMaintenanceDoor(self._waiter, self._book.maintenance)

    create_session = forward("conversations", SyncConversationsDoor.create)
    sessions = forward("conversations", SyncConversationsDoor.latest)
    session = forward("conversations", SyncConversationsDoor.get)
    rename_session = forward("conversations", SyncConversationsDoor.rename)
    remove_session = forward("conversations", SyncConversationsDoor.remove)
    export_session = forward("conversations", SyncConversationsDoor.export)
    kb_insert = forward("curated", SyncCuratedDoor.insert)
    kb_source = forward("curated", SyncCuratedDoor.source)
    kb_search = forward("curated", SyncCuratedDoor.search)
    kb_list = forward("curated", SyncCuratedDoor.all)
    kb_remove = forward("curated", SyncCuratedDoor.remove)
    documents = forward("library", SyncLibraryDoor.documents)
    find_document = forward("library", SyncLibraryDoor.find)
    document = forward("library", SyncLibraryDoor.get)
    page_picture = forward("library", SyncLibraryDoor.page_picture)
    remove_document = forward("library", SyncLibraryDoor.remove)
    hide_document = forward("library", SyncLibraryDoor.hide)
    unhide_document = forward("library", SyncLibraryDoor.unhide)
    collections = forward("library", SyncLibraryDoor.collections)
    create_collection = forward("library", SyncLibraryDoor.create_collection)
    remove_collection = forward("library", SyncLibraryDoor.remove_collection)
    get_all_terms = forward("terminology", SyncTerminologyDoor.all)
    add_term = forward("terminology", SyncTerminologyDoor.add)
    delete_term = forward("terminology", SyncTerminologyDoor.remove)
    evaluate = forward("quality", SyncQualityDoor.evaluate)
    replay = forward("quality", SyncQualityDoor.replay)
    calibrate = forward("quality", SyncQualityDoor.calibrate)
    apply_calibration = forward("quality", SyncQualityDoor.apply_calibration)
    decided_questions = forward("quality", SyncQualityDoor.decided_questions)
    explain_document = forward("quality", SyncQualityDoor.explain_document)
    backup = forward("maintenance", SyncMaintenanceDoor.backup)
    restore = forward("maintenance", SyncMaintenanceDoor.restore)
    copy_to = forward("maintenance", SyncMaintenanceDoor.copy_to)
    export = forward("maintenance", SyncMaintenanceDoor.export)
    import_bundle = forward("maintenance", SyncMaintenanceDoor.import_bundle)
    plan_reindex = forward("maintenance", SyncMaintenanceDoor.plan_reindex)
    reindex = forward("maintenance", SyncMaintenanceDoor.reindex)
    doctor = forward("maintenance", SyncMaintenanceDoor.doctor)
    repair = forward("maintenance", SyncMaintenanceDoor.repair)
