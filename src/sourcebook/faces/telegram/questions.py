"""Questions: a message becomes a visit, the reply a message. What is charged, and whether, is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiogram import Router
from aiogram.filters import Command, CommandObject
from aiogram.types import InlineKeyboardButton

from sourcebook.errors import NoQuestionsLeft, NotEnoughTokens, NothingToSearchFor
from sourcebook.faces.telegram import file_uploads, keyboards, rendering, review
from sourcebook.faces.telegram.button_data import Action
from sourcebook.faces.telegram.incoming import attachment, is_addressed, question, words
from sourcebook.faces.telegram.outages import OutagePart
from sourcebook.faces.telegram.payments import offers
from sourcebook.faces.telegram.rich_text import joined, quote
from sourcebook.faces.telegram.sender import Undeliverable
from sourcebook.model.chat import Tier
from sourcebook.model.people import Visit

if TYPE_CHECKING:
    from aiogram.types import InlineKeyboardMarkup, Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.guests import Guest
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.people import Reply


def router() -> Router:
    """Whatever is not a command that others understand. It comes last."""
    asking = Router(name="asking")
    asking.message.register(call_human, Command("human"))
    asking.message.register(on_message)
    asking.edited_message.register(on_edited)
    return asking


async def on_message(message: Message, guest: Guest, office: BotServices) -> None:
    me = await office.bot.me()
    if not guest.place.is_private and not is_addressed(message, me):
        return
    text, media = question(message, me), attachment(message)
    if text.startswith("/"):
        await _unknown_command(guest, office, text)
    elif await review.took(message, guest, office) or await file_uploads.took(message, guest, office):
        return
    elif text:
        await _asked(message, guest, office, text, media)
    elif media is not None and await office.is_new(guest, f"[{media['kind']}]"):
        await office.ask(guest, guest.texts("media_without_question"), {"what": "about", "media": media})


async def _asked(
    message: Message, guest: Guest, office: BotServices, text: str, media: Mapping[str, JsonValue] | None
) -> None:
    expected = await office.expected(guest)
    visit = await _visit(guest, office, text, media, expected)
    if expected.get("what") == "human":
        await _to_human(guest, office, visit)
    else:
        await consult(guest, office, visit, message)


async def _visit(
    guest: Guest,
    office: BotServices,
    text: str,
    media: Mapping[str, JsonValue] | None,
    expected: Mapping[str, JsonValue],
) -> Visit:
    topic = await office.book.people.get_open_topic(guest.user.id, guest.place.channel_key)
    before = expected.get("media")
    found = (before if isinstance(before, Mapping) else None, media)
    return Visit(
        guest.user.id,
        guest.place.channel_key,
        text,
        guest.key,
        category=None if topic is None else topic.category,
        subcategory=None if topic is None else topic.culture,
        attachments=tuple(one for one in found if one is not None),
        language=guest.texts.language,
    )


async def consult(guest: Guest, office: BotServices, visit: Visit, message: Message) -> None:
    """Ask, and deliver the answer. The same update again gets no second one, unless the first was never sent."""
    try:
        async with office.typing(guest):
            reply = await office.book.reception.ask(visit)
    except (NotEnoughTokens, NoQuestionsLeft) as error:
        await _cannot_pay(guest, office, error)
        return
    if reply.was_repeated and await _is_delivered(office, visit.key):
        return
    try:
        await office.say(
            guest,
            rendering.answer(guest.texts, reply),
            _under(guest, office, visit, reply),
            message.message_id,
        )
        if visit.attachments and reply.draft_id is not None:
            await office.say(guest, guest.texts("media_with_expert"))
    except Undeliverable:
        pass  # There is nobody to deliver it to; it stays in the base.
    await _delivered(office, visit.key)
    if reply.answer.tier in (Tier.DOCUMENTS, Tier.MODEL):
        await office.troubles.over(OutagePart.MODEL)
    if reply.answer.tier is Tier.NONE:
        office.news.set()


def _under(guest: Guest, office: BotServices, visit: Visit, reply: Reply) -> InlineKeyboardMarkup | None:
    texts = guest.texts
    citations = rendering.by_number(reply.answer.citations)
    update_id = int(visit.key.rpartition(":")[2])
    more = list[list[InlineKeyboardButton]]()
    if reply.answer.tier is Tier.NONE:
        if reply.draft_id is not None:
            more.append([keyboards.button(texts("take_back"), Action.TAKE_BACK, reply.draft_id)])
    else:
        more.append([keyboards.button(texts("ask_human"), Action.CALL_HUMAN, update_id)])
        if not reply.follow_ups_left and office.terms.prices.new_topic:
            more.append([keyboards.button(texts("buy_questions"), Action.BUY_QUESTIONS)])
    sources = keyboards.sources([citation.number for citation in citations], update_id)
    return keyboards.rows(*sources, *keyboards.pictures(texts, citations, update_id), *more)


async def _is_delivered(office: BotServices, key: str) -> bool:
    row = await office.book.people.find_message(f"{key}:answer")
    return row is not None and bool(row.meta.get("delivered"))


async def _delivered(office: BotServices, key: str) -> None:
    row = await office.book.people.find_message(f"{key}:answer")
    if row is not None:
        await office.book.people.update_message_meta(row.id, {"delivered": True})


async def _cannot_pay(guest: Guest, office: BotServices, error: NotEnoughTokens | NoQuestionsLeft) -> None:
    texts, more = guest.texts, offers(guest, office)
    key = "not_enough_tokens"
    if isinstance(error, NoQuestionsLeft):
        key = "no_follow_ups_left"
        more = [[keyboards.button(texts("buy_questions"), Action.BUY_QUESTIONS)], *more]
    await office.close(guest, texts(key), keyboards.rows(*more))


async def call_human(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    """`/human question`; without one, the last question that was asked, and if there is none, the next."""
    visit = await _visit(guest, office, (command.args or "").strip(), attachment(message), {})
    try:
        await _to_human(guest, office, visit)
    except NothingToSearchFor:
        if await office.is_new(guest, words(message)):
            await office.ask(guest, guest.texts("human_what"), {"what": "human"})


async def _to_human(guest: Guest, office: BotServices, visit: Visit) -> None:
    draft = await office.book.reception.call_human(visit)
    office.news.set()
    button = keyboards.button(guest.texts("take_back"), Action.TAKE_BACK, draft.id)
    text = joined([quote(draft.question), guest.texts("human_called")])
    await office.close(guest, text, keyboards.rows([button]))


async def on_edited(edited_message: Message, guest: Guest, office: BotServices) -> None:
    """A changed message is not a question: the first one was asked, and perhaps paid for."""
    if guest.place.is_private and await office.is_new(guest, words(edited_message)):
        await office.say(guest, guest.texts("edited"))


async def _unknown_command(guest: Guest, office: BotServices, text: str) -> None:
    if guest.place.is_private and await office.is_new(guest, text):
        await office.say(guest, guest.texts("unknown_command"))
