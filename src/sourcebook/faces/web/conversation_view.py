"""A conversation as the page shows it: questions, answers, what an expert does about them, and a source beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from sourcebook.errors import UserNotFound
from sourcebook.faces.draft_json_shapes import nearest_places, see_also_places
from sourcebook.faces.source_place import below_title, source_place
from sourcebook.faces.web.answer_view import (
    AnswerView,
    Given,
    answer_view,
    file_name,
    place_address,
)
from sourcebook.faces.web.page_frame import Page
from sourcebook.faces.web.safe_html import plain
from sourcebook.faces.web.source_view import Leaf, change_of, leaf_of
from sourcebook.faces.web.why_view import WhyView, why_view
from sourcebook.locale import Texts
from sourcebook.model.chat import (
    Answer,
    ChatMessage,
    ChatSession,
    Conversation,
    Role,
    SourceState,
    Tier,
    read_note,
)
from sourcebook.model.consultations import Direction
from sourcebook.model.curation import SimilarQuestion
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus


@dataclass(frozen=True, slots=True)
class Near:
    """A passage that is not cited: what came closest to a question that was declined, or may answer as well."""

    title: str
    file: str
    address: str | None
    """Where to read it; None if it was removed."""
    says: Markup | None = None
    """What of it may be the answer."""
    state: str = SourceState.CURRENT.value


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer. `waiting` is the draft with which it waits for an expert."""

    question: str
    session_id: str
    message_id: str
    answer: AnswerView
    why: WhyView
    is_declined: bool
    is_expert: bool = False
    is_rejected: bool = False
    """Whether an expert said that what was found is no answer."""
    waiting: int | None = None
    near: Sequence[Near] = ()
    see_also: Sequence[Near] = ()
    similar: Sequence[SimilarQuestion] = ()
    other_language: bool = False
    thumb: str = ""

    @property
    def says_closest(self) -> bool:
        """Whether something is quoted that may be the answer."""
        return any(each.says for each in self.near)


@dataclass(frozen=True, slots=True)
class ConversationView:
    session: ChatSession
    turns: Sequence[Turn]


async def conversation_view(page: Page, stored: Conversation) -> ConversationView:
    """The whole conversation. What came later, from an expert or from documents, is a turn without a question."""
    drafts = await _drafts(page, stored.session.id)
    turns: list[Turn] = []
    question = ""
    for message in stored.messages:
        if message.role is Role.USER:
            question = message.content
            continue
        turns.append(await _turn(page, question, message, drafts))
        question = ""
    return ConversationView(stored.session, turns)


async def note_read(page: Page, stored: Conversation) -> None:
    """Whoever opens a conversation has read the replies of experts in it."""
    unread = await page.book.stores.sessions.unread_replies(page.caller.user_id, stored.session.updated_at)
    for session_id, message_id in unread:
        if session_id == stored.session.id:
            await page.book.people.log_message(
                page.caller.user_id,
                Direction.INCOMING,
                chat_message_id=message_id,
                session_id=session_id,
                external_id=read_note(message_id),
            )


async def turn_now(page: Page, answer: Answer) -> Turn:
    """An answer that was just given."""
    given = Given.now(answer)
    view = await _answer(page, given)
    drafts = await _drafts(page, given.session_id)
    return Turn(
        question=answer.question,
        session_id=given.session_id,
        message_id=given.message_id,
        answer=view,
        why=why_view(page.texts, answer.details, answer.citations),
        is_declined=answer.tier is Tier.NONE,
        is_rejected=bool(answer.details.get("rejected")),
        waiting=_waiting(drafts, given.message_id, answer.question),
        near=_near(page, nearest_places(answer.details)),
        see_also=_near(page, see_also_places(answer.details)),
        similar=answer.similar,
        other_language=bool(answer.details.get("other_language")) and answer.tier is Tier.DOCUMENTS,
    )


async def leaf_at(page: Page, stored: Conversation, place: str) -> Leaf | None:
    """The source at `MESSAGE.INDEX`, or the first one of the last answer. One that has none leaves the place empty."""
    wanted, _, index = place.rpartition(".")
    answers = [each for each in stored.messages if each.role is Role.ASSISTANT]
    chosen = [each for each in answers if each.id == wanted and each.citations] or answers[-1:]
    if not chosen or not chosen[0].citations:
        return None
    citations = chosen[0].citations
    at = int(index) if chosen[0].id == wanted and index.isdecimal() else 0
    citation = citations[min(at, len(citations) - 1)]
    document = None
    if page.caller.sees(citation.collection_id):
        document = await page.book.library.get(citation.document_id, collection=citation.collection_id)
    beside = [
        each
        for each in citations
        if (each.number, each.document_id) == (citation.number, citation.document_id)
    ]
    return leaf_of(citation, document, beside)


async def _turn(page: Page, question: str, message: ChatMessage, drafts: Sequence[Draft]) -> Turn:
    given = Given.stored(message)
    return Turn(
        question=question,
        session_id=message.session_id,
        message_id=message.id,
        answer=await _answer(page, given),
        why=why_view(page.texts, message.details, message.citations),
        is_declined=message.tier is Tier.NONE,
        is_expert=message.tier is None,
        is_rejected=bool(message.details.get("rejected")),
        waiting=_waiting(drafts, message.id, question),
        near=_near(page, nearest_places(message.details)),
        see_also=_near(page, see_also_places(message.details)),
        other_language=bool(message.details.get("other_language")) and message.tier is Tier.DOCUMENTS,
        thumb=await _thumb(page, message.id),
    )


def _near(page: Page, places: Sequence[Mapping[str, Any]]) -> list[Near]:
    """The passages as far as the caller may see them."""
    return [
        Near(
            _near_name(
                page.texts,
                str(row.get("title") or file_name(str(row["document_path"]))),
                row.get("section"),
                row.get("page"),
            ),
            file_name(str(row["document_path"])),
            place_address(row),
            _says(row["excerpt"]),
            str(row["state"]),
        )
        for row in places
        if page.caller.sees(str(row["collection_id"]))
    ]


def _near_name(texts: Texts, name: str, section: str | None, page: int | None) -> str:
    """The document, the headings below its title, and the page, as far as there are any."""
    named = None if page is None else texts("page_short", page=page)
    return source_place(name, below_title(name, section), named)


def _says(excerpt: object) -> Markup | None:
    return plain(excerpt) if isinstance(excerpt, str) else None


def thumb_key(page: Page, message_id: str) -> str:
    """The name under which it is noted what a person thought of an answer."""
    return f"thumb:{page.caller.user_id}:{message_id}"


async def _thumb(page: Page, message_id: str) -> str:
    noted = await page.book.people.find_message(thumb_key(page, message_id))
    thumb = noted.meta.get("thumb") if noted else ""
    return thumb if isinstance(thumb, str) else ""


async def _drafts(page: Page, session_id: str) -> list[Draft]:
    """What of this conversation waits for an expert."""
    own = await page.book.moderation.items_of(page.caller.user_id, status=DraftStatus.PENDING)
    return [each for each in own if each.session_id == session_id and each.kind is DraftKind.DECLINED]


def _waiting(drafts: Sequence[Draft], message_id: str, question: str) -> int | None:
    for draft in drafts:
        if draft.chat_message_id == message_id or (
            draft.chat_message_id is None and draft.question.strip() == question.strip()
        ):
            return draft.id
    return None


async def _answer(page: Page, given: Given) -> AnswerView:
    return answer_view(page.texts, given, await _approver(page, given), await _says_now(page, given))


async def _says_now(page: Page, given: Given) -> dict[int, Markup]:
    """What stands in the place of what was cited, as far as the caller may see it."""
    found: dict[int, Markup] = {}
    for index, citation in enumerate(given.citations):
        if citation.state is SourceState.CURRENT or not page.caller.sees(citation.collection_id):
            continue
        document = await page.book.library.get(citation.document_id, collection=citation.collection_id)
        if document is not None and (change := change_of(citation, document)) is not None:
            found[index] = change
    return found


async def _approver(page: Page, given: Given) -> str | None:
    who = given.details.get("approved_by")
    if not isinstance(who, int):
        return None
    try:
        user = await page.book.people.get_user(who)
    except UserNotFound:
        return None
    return page.texts("you") if who == page.caller.user_id else user.shown_name
