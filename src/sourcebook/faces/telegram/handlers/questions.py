"""Questions: a message becomes a visit, the reply a message. What is charged, and whether, is not decided here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiogram import Router
from aiogram.filters import Command, CommandObject
from aiogram.types import InlineKeyboardButton

from sourcebook.consult.question.conversation.small_talk import small_talk
from sourcebook.errors import NoQuestionsLeft, NotEnoughTokens, NothingAsked, NothingToSearchFor
from sourcebook.faces.small_talk_reply import reply_to
from sourcebook.faces.telegram.handlers import file_uploads, review
from sourcebook.faces.telegram.handlers.payments import buy_questions_button, offers
from sourcebook.faces.telegram.messages import answer_and_draft_texts, keyboards
from sourcebook.faces.telegram.messages.button_data import Action
from sourcebook.faces.telegram.messages.rich_text import joined, quote
from sourcebook.faces.telegram.outgoing.excerpt_preview import excerpt_preview
from sourcebook.faces.telegram.outgoing.outage_alerts import OutagePart
from sourcebook.faces.telegram.outgoing.sender import Undeliverable
from sourcebook.faces.telegram.updates.incoming_message import attachment, is_addressed, question, words
from sourcebook.model.chat import Tier
from sourcebook.model.consultations import Visit
from sourcebook.model.token_ledger import OperationType

if TYPE_CHECKING:
    from aiogram.types import InlineKeyboardMarkup, Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.consultations import Reply
    from sourcebook.model.documents import JsonValue


_NOT_FOR_EXPERTS = frozenset({"sticker", "contact", "poll"})
_WITHOUT_QUESTION = {
    "voice": "voice_without_question",
    "audio": "voice_without_question",
    "video_note": "voice_without_question",
    "location": "location_without_question",
    "venue": "location_without_question",
}


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
    elif text and (media is None or small_talk(text) is None):
        await office.is_first_of_album(guest, message.media_group_id)
        await _asked(message, guest, office, text, media)
    elif media is not None and await office.is_first_of_album(guest, message.media_group_id):
        await _without_question(guest, office, media)


async def _without_question(guest: Guest, office: BotServices, media: Mapping[str, JsonValue]) -> None:
    """What was sent without a word. What an expert could look at is kept for the question that follows."""
    kind = str(media["kind"])
    if not await office.is_new(guest, f"[{kind}]"):
        return
    if kind in _NOT_FOR_EXPERTS:
        await office.say(guest, guest.texts("sent_sticker" if kind == "sticker" else "sent_other"))
        return
    key = _WITHOUT_QUESTION.get(kind, "media_without_question")
    await office.ask(guest, guest.texts(key), {"what": "about", "media": dict(media)})


async def _asked(
    message: Message, guest: Guest, office: BotServices, text: str, media: Mapping[str, JsonValue] | None
) -> None:
    expected = await office.expected(guest)
    visit = await _visit(guest, office, text, media, expected)
    try:
        if expected.get("what") == "human":
            await _to_human(guest, office, visit)
        else:
            await consult(guest, office, visit, message)
    except NothingAsked as error:
        if await office.is_new(guest, text):
            await office.say(guest, reply_to(error.kind, text, guest.texts.language))


async def _visit(
    guest: Guest,
    office: BotServices,
    text: str,
    media: Mapping[str, JsonValue] | None,
    expected: Mapping[str, JsonValue],
) -> Visit:
    before = expected.get("media")
    found = (before if isinstance(before, Mapping) else None, media)
    return Visit(
        guest.user.id,
        guest.place.channel_key,
        text,
        guest.key,
        attachments=tuple(one for one in found if one is not None),
        language=guest.texts.language,
    )


async def consult(guest: Guest, office: BotServices, visit: Visit, message: Message) -> None:
    """Ask, and deliver the answer. The same update again gets no second one, unless the first was never sent."""
    try:
        async with excerpt_preview(guest, office) as listen:
            async with office.typing(guest):
                reply = await office.book.reception.ask(visit, listen, is_looking=False)
            await _deliver(guest, office, visit, reply, message)
    except (NotEnoughTokens, NoQuestionsLeft) as error:
        await _cannot_pay(guest, office, error)


async def _deliver(guest: Guest, office: BotServices, visit: Visit, reply: Reply, message: Message) -> None:
    if reply.was_repeated and await _is_delivered(office, visit.key):
        return
    try:
        await office.say(
            guest,
            answer_and_draft_texts.answer(guest.texts, reply, office.terms),
            _under(guest, office, visit, reply),
            message.message_id,
        )
        if visit.attachments and reply.draft_id is not None:
            await office.say(guest, guest.texts("media_with_expert"))
    except Undeliverable:
        await _give_back(office, visit, reply)
    await _delivered(office, visit.key)
    if reply.answer.tier in (Tier.DOCUMENTS, Tier.MODEL):
        await office.troubles.over(OutagePart.MODEL)
    if reply.answer.tier is Tier.NONE:
        office.news.set()


async def _give_back(office: BotServices, visit: Visit, reply: Reply) -> None:
    """There is nobody to deliver an answer to. It stays in the base, and what it cost is given back."""
    if reply.charged:
        await office.book.people.add_tokens(
            visit.user_id,
            reply.charged,
            OperationType.REFUND,
            idempotency_key=f"{visit.key}:undelivered",
            description="the answer could not be delivered",
            topic_id=reply.topic.id,
        )
    if reply.draft_id is not None and reply.answer.tier is Tier.NONE:
        await office.tell_staff(lambda said: said("asker_gone", id=reply.draft_id))


def _under(guest: Guest, office: BotServices, visit: Visit, reply: Reply) -> InlineKeyboardMarkup | None:
    texts = guest.texts
    citations = answer_and_draft_texts.by_number(reply.answer.citations)
    place = visit.key.rpartition(":")[2]
    update_id = int(place.partition("-")[0])
    more = list[list[InlineKeyboardButton]]()
    if reply.answer.tier is Tier.NONE:
        if reply.draft_id is not None:
            more.append([keyboards.button(texts("take_back"), Action.TAKE_BACK, reply.draft_id)])
    else:
        more.append([keyboards.button(texts("ask_human"), Action.CALL_HUMAN, update_id)])
        more.extend(_more_questions(guest, office, reply))
    sources = keyboards.sources([citation.number for citation in citations], place)
    pictures = keyboards.pictures(texts, citations, place)
    return keyboards.rows(*sources, *pictures, *keyboards.similar(reply.answer.similar, place), *more)


def _more_questions(guest: Guest, office: BotServices, reply: Reply) -> list[list[InlineKeyboardButton]]:
    """What can be bought once the questions are used up: more of them, or the tokens for that.

    After an answer that was free nothing is offered: the next one may be free as well.
    """
    prices = office.terms.prices
    if reply.answer.tier is Tier.CURATED or reply.follow_ups_left or not prices.new_topic:
        return []
    if reply.balance < prices.more_questions:
        return offers(guest, office)
    return [[buy_questions_button(guest, office)]]


async def _is_delivered(office: BotServices, key: str) -> bool:
    row = await office.book.people.find_message(f"{key}:answer")
    return row is not None and bool(row.meta.get("delivered"))


async def _delivered(office: BotServices, key: str) -> None:
    await office.book.stores.messages.note_delivery(f"{key}:answer")


async def _cannot_pay(guest: Guest, office: BotServices, error: NotEnoughTokens | NoQuestionsLeft) -> None:
    texts, more = guest.texts, offers(guest, office)
    key = "no_follow_ups_left" if isinstance(error, NoQuestionsLeft) else "not_enough_tokens"
    said = texts(key)
    if error.balance < error.price:
        said = f"{said} {answer_and_draft_texts.how_to_get_tokens(texts, office.terms)}"
    elif isinstance(error, NoQuestionsLeft):
        more = [[buy_questions_button(guest, office)], *more]
    await office.close(guest, said, keyboards.rows(*more))


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
    """A changed message is not a question: the first one was asked, and perhaps paid for.

    Where somebody walks while they share their place, Telegram tells of every step as of a changed message.
    """
    if (
        edited_message.location is None
        and guest.place.is_private
        and await office.is_new(guest, words(edited_message))
    ):
        await office.say(guest, guest.texts("edited"))


async def _unknown_command(guest: Guest, office: BotServices, text: str) -> None:
    if guest.place.is_private and await office.is_new(guest, text):
        await office.say(guest, guest.texts("unknown_command"))
