"""Review: shows drafts to experts, and turns presses and replies into decisions. Permissions are always checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from aiogram.types import ForceReply

from sourcebook.curate.offered_sources import offered_sources
from sourcebook.errors import (
    AlreadyDecided,
    CuratedAnswerChangedMeanwhile,
    DraftNotFound,
    SupportLost,
    UsageError,
)
from sourcebook.faces.telegram.messages import answer_and_draft_texts, keyboards
from sourcebook.faces.telegram.messages.button_data import Action
from sourcebook.faces.telegram.messages.rich_text import RichText, clean, joined
from sourcebook.faces.telegram.updates.incoming_message import pressed_under, words
from sourcebook.locale import texts as texts_of
from sourcebook.model.moderation import DraftKind, DraftStatus, Keep, LostSupport

if TYPE_CHECKING:
    from aiogram.types import Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.outgoing.sender import Markup
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft

_PROMPTS = {Action.EDIT: "write_edit", Action.REJECT: "write_reason", Action.ANSWER: "write_answer"}
_DECISIONS = frozenset({DraftStatus.APPROVED.value, DraftStatus.REJECTED.value, DraftStatus.CANCELLED.value})
_EXPECTED = frozenset(action.name.lower() for action in _PROMPTS)


async def show_next(guest: Guest, office: BotServices, after: int = 0) -> None:
    """The draft that waits longest, or the one after another."""
    moderation = office.book.moderation
    found = await moderation.get_pending_moderation_items(1, after=after)
    if not found and after:
        found = await moderation.get_pending_moderation_items(1)
    if not found:
        await office.close(guest, guest.texts("queue_empty"))
        return
    waiting = sum((await moderation.count_pending()).values())
    await show(guest, office, found[0], waiting)


async def show(guest: Guest, office: BotServices, item: Draft, waiting: int = 0) -> None:
    await show_to(office, guest.place.chat_id, guest.texts.language, item, waiting)


async def show_to(
    office: BotServices, chat_id: int, language: str | None, item: Draft, waiting: int = 0, head: str = ""
) -> None:
    """Show a draft in a chat, with what the asker sent."""
    said = texts_of(language)
    for found in item.attachments:
        chat, message = found.get("chat_id"), found.get("message_id")
        if isinstance(chat, int) and isinstance(message, int):
            await office.sender.copy(chat_id, chat, message)
    changes = await office.book.moderation.changes(item.id)
    text = joined([head, answer_and_draft_texts.draft(said, item, waiting, changes)])
    await office.sender.say(chat_id, text, markup=keyboards.draft(said, item))


async def press(guest: Guest, office: BotServices, action: Action, draft_id: int, word: str = "") -> bool:
    """Do what a button says. True if the draft is decided and its buttons can go."""
    if action is Action.NEXT:
        await show_next(guest, office, after=draft_id)
        return False
    if action in _PROMPTS:
        item = await _pending(guest, office, draft_id)
        if item is not None:
            expects: Mapping[str, JsonValue] = {"what": action.name.lower(), "draft": draft_id}
            await office.ask(
                guest, guest.texts(_PROMPTS[action], id=draft_id), expects, ForceReply(selective=True)
            )
        return item is None
    if action is Action.KEEP:
        return await _decide(guest, office, draft_id, lambda: _keep(guest, office, draft_id, word))
    lost = LostSupport.ACCEPT if action is Action.FORCE else LostSupport.REFUSE
    return await _decide(
        guest, office, draft_id, lambda: _approve(guest, office, draft_id, on_lost_support=lost)
    )


async def took(message: Message, guest: Guest, office: BotServices) -> bool:
    """Whether a message is what an expert was asked for, or a reply to a draft; then it is done."""
    text = words(message)
    if not guest.is_staff or not guest.place.is_private or not text:
        return False
    wanted = _replied_to(message, office) or _expected(await office.expected(guest))
    if wanted is None:
        return False
    if await office.is_new(guest, text):
        await _write(guest, office, *wanted, text)
    return True


async def _write(guest: Guest, office: BotServices, what: str, draft_id: int, text: str) -> None:
    async def write() -> tuple[RichText | str, Markup | None]:
        item = await office.book.moderation.get_item(draft_id)
        if what == "reject":
            await office.book.moderation.reject_moderation_item(draft_id, guest.user.id, text)
            office.news.set()
            again = await office.book.moderation.asked_again(draft_id)
            told = "" if again is None else guest.texts(f"again_{again.value}")
            return joined([guest.texts("done_rejected", id=draft_id), told], " "), None
        if item.kind is DraftKind.DECLINED:
            return await _answer(guest, office, draft_id, text)
        return await _approve(guest, office, draft_id, text)

    await _decide(guest, office, draft_id, write)


async def _approve(
    guest: Guest,
    office: BotServices,
    draft_id: int,
    answer: str | None = None,
    on_lost_support: LostSupport = LostSupport.REFUSE,
) -> tuple[RichText | str, Markup | None]:
    entry = await office.book.moderation.approve_moderation_item(
        draft_id, guest.user.id, answer=answer, on_lost_support=on_lost_support
    )
    return await _saved(guest, office, draft_id, guest.texts("done_approved", id=draft_id), entry)


async def _answer(
    guest: Guest, office: BotServices, draft_id: int, text: str
) -> tuple[RichText | str, Markup | None]:
    await office.book.moderation.answer_item(draft_id, guest.user.id, text, keep=Keep.REPLY_ONLY)
    office.news.set()
    keep = keyboards.button(guest.texts("keep"), Action.KEEP, draft_id)
    return guest.texts("done_answered", id=draft_id), keyboards.rows([keep])


async def _keep(
    guest: Guest, office: BotServices, draft_id: int, source: str
) -> tuple[RichText | str, Markup | None]:
    """Keep a reply, or bind what a draft became to one of its passages."""
    sources = [int(source)] if source.isdecimal() else []
    entry = await office.book.moderation.keep_answer(draft_id, guest.user.id, sources=sources)
    named = " / ".join(clean(part, 120) for part in (entry.category, entry.subcategory) if part)
    told = guest.texts("done_kept", id=draft_id, category=named)
    return await _saved(guest, office, draft_id, told, entry)


async def _saved(
    guest: Guest, office: BotServices, draft_id: int, told: str, entry: CuratedAnswer
) -> tuple[RichText | str, Markup | None]:
    """That an answer was approved, and what it is watched against; if that is nothing, what it may come from."""
    if entry.sources:
        watched = answer_and_draft_texts.watched(guest.texts, entry)
        return joined([told, watched]), _next(guest, draft_id)
    offered = offered_sources(await office.book.moderation.get_item(draft_id))
    names = {each.number: answer_and_draft_texts.place(guest.texts, each) for each in offered}
    buttons = keyboards.bindings(guest.texts, draft_id, names)
    key = "not_watched" if buttons else "not_watched_at_all"
    last = [keyboards.button(guest.texts("next"), Action.NEXT, draft_id)]
    return joined([told, guest.texts(key)]), keyboards.rows(*buttons, last)


def _next(guest: Guest, draft_id: int) -> Markup | None:
    return keyboards.rows([keyboards.button(guest.texts("next"), Action.NEXT, draft_id)])


async def _decide(
    guest: Guest,
    office: BotServices,
    draft_id: int,
    decision: Callable[[], Awaitable[tuple[RichText | str, Markup | None]]],
) -> bool:
    try:
        said, markup = await decision()
    except SupportLost as error:
        anyway = keyboards.button(guest.texts("approve_anyway"), Action.FORCE, draft_id)
        edit = keyboards.button(guest.texts("edit"), Action.EDIT, draft_id)
        lost = guest.texts("support_lost", quote=clean(error.quote, 300))
        await office.close(guest, lost, keyboards.rows([edit], [anyway]))
        return False
    except AlreadyDecided as error:
        said, markup = _decided(guest, draft_id, error.status), None
    except DraftNotFound:
        said, markup = guest.texts("draft_gone", id=draft_id), None
    except CuratedAnswerChangedMeanwhile:
        said, markup = guest.texts("answer_changed", id=draft_id), None
    except UsageError:
        # The buttons stay: another of them may do.
        await office.close(guest, guest.texts("not_done", id=draft_id))
        return False
    await office.close(guest, said, markup)
    return True


async def _pending(guest: Guest, office: BotServices, draft_id: int) -> Draft | None:
    """The draft, if it can still be decided; otherwise the expert learns why not."""
    try:
        item = await office.book.moderation.get_item(draft_id)
    except DraftNotFound:
        await office.close(guest, guest.texts("draft_gone", id=draft_id))
        return None
    if item.status is not DraftStatus.PENDING:
        await office.close(guest, _decided(guest, draft_id, item.status))
        return None
    return item


def _decided(guest: Guest, draft_id: int, status: str) -> str:
    known = status if status in _DECISIONS else "elsewhere"
    return guest.texts(f"decided_{known}", id=draft_id)


async def approve_under(
    guest: Guest, office: BotServices, draft_id: int, category: str, subcategory: str | None
) -> None:
    """Approve a draft under a category that the expert names."""

    async def approve() -> tuple[RichText | str, Markup | None]:
        entry = await office.book.moderation.approve_moderation_item(
            draft_id, guest.user.id, category=category, subcategory=subcategory
        )
        named = " / ".join(clean(part, 120) for part in (entry.category, entry.subcategory) if part)
        told = guest.texts("done_category", id=draft_id, category=named)
        return await _saved(guest, office, draft_id, told, entry)

    await _decide(guest, office, draft_id, approve)


def _expected(expects: Mapping[str, JsonValue]) -> tuple[str, int] | None:
    what, draft_id = expects.get("what"), expects.get("draft")
    return (str(what), draft_id) if what in _EXPECTED and isinstance(draft_id, int) else None


def _replied_to(message: Message, office: BotServices) -> tuple[str, int] | None:
    """The draft that a reply is about: the buttons under it say which."""
    for press in pressed_under(message, office.bot.id):
        if press.action in (Action.EDIT, Action.ANSWER):
            return press.action.name.lower(), press.number
    return None
