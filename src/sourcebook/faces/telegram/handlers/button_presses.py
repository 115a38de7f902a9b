"""Button presses. A button is only a request: permissions are checked when it is pressed."""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING

from aiogram import Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import Message
from aiogram.utils.chat_action import ChatActionSender

from sourcebook.errors import CuratedAnswerNotFound, NotEnoughTokens, NotFound, TopicNotFound, UsageError
from sourcebook.faces.telegram.handlers import file_uploads, payments, questions, review, user_commands
from sourcebook.faces.telegram.messages import answer_and_draft_texts, keyboards
from sourcebook.faces.telegram.messages.button_data import Action, Press, decode
from sourcebook.faces.telegram.messages.rich_text import RichText, joined
from sourcebook.model.chat import Role, SourceState
from sourcebook.model.consultations import Visit

if TYPE_CHECKING:
    from aiogram.types import CallbackQuery

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.chat import ChatMessage, Citation

log = logging.getLogger(__name__)

_REVIEW = frozenset(
    {Action.APPROVE, Action.EDIT, Action.REJECT, Action.ANSWER, Action.KEEP, Action.NEXT, Action.FORCE}
)
_ADMIN = frozenset({Action.FILE})


def router() -> Router:
    pressing = Router(name="pressing")
    pressing.callback_query.register(on_press)
    return pressing


async def on_press(callback_query: CallbackQuery, guest: Guest, office: BotServices) -> None:
    press = decode(callback_query.data)
    message = callback_query.message
    if press is None or not isinstance(message, Message):
        await office.sender.answer_press(callback_query.id, guest.texts("stale_button"))
        return
    if not _may(guest, press):
        await office.sender.answer_press(callback_query.id, guest.texts("not_yours"))
        return
    if not await office.is_new(guest, f"[{callback_query.data}]"):
        return
    note = await _done(guest, office, press, message)
    await office.sender.answer_press(callback_query.id, note)


def _may(guest: Guest, press: Press) -> bool:
    if press.action in _REVIEW:
        return guest.is_staff and guest.place.is_private
    return press.action not in _ADMIN or (guest.is_admin and guest.place.is_private)


async def _done(guest: Guest, office: BotServices, press: Press, message: Message) -> str | None:
    """Do it; what is returned is shown for a moment."""
    stale = guest.texts("stale_button")
    match press.action:
        case Action.LANGUAGE:
            return None if await user_commands.choose_language(guest, office, press.word) else stale
        case Action.CATEGORIES | Action.CATEGORY | Action.SUBCATEGORY | Action.EVERYTHING:
            return None if await _choose(guest, office, press, message) else stale
        case Action.SOURCE | Action.PICTURE | Action.SIMILAR:
            return None if await _show_more(guest, office, press, message) else stale
        case Action.BUY_QUESTIONS:
            await _buy_questions(guest, office)
        case Action.BUY_TOKENS:
            await payments.send_bill(guest, office, press.number)
        case Action.CALL_HUMAN:
            return None if await _call_human(guest, office, press.number) else stale
        case Action.TAKE_BACK:
            if not await user_commands.take_back(guest, office, press.number):
                return stale
            await office.sender.drop_buttons(message.chat.id, message.message_id)
        case Action.FILE:
            if not await file_uploads.choose(guest, office, message.message_id, press.word):
                return stale
            await office.sender.drop_buttons(message.chat.id, message.message_id)
        case _:
            if await review.press(guest, office, press.action, press.number, press.word):
                await office.sender.drop_buttons(message.chat.id, message.message_id)
    return None


async def _choose(guest: Guest, office: BotServices, press: Press, message: Message) -> bool:
    """From the categories to a subcategory; the choice is kept with the consultation."""
    labels = await office.labels()
    categories = user_commands.categories_of(labels)
    if press.action is Action.CATEGORIES:
        markup = user_commands.first_buttons(guest.texts, labels)
        await office.sender.edit(message.chat.id, message.message_id, guest.texts("choose_category"), markup)
        return True
    if press.action is Action.EVERYTHING:
        await _set_topic(guest, office, None, None)
        await office.say(guest, guest.texts("category_all"))
        return True
    if press.action is Action.CATEGORY:
        category = keyboards.chosen(categories, press.word)
        inside = user_commands.subcategories_of(labels, category)
        if category is not None and inside:
            text = guest.texts("choose_subcategory", category=keyboards.shown(category))
            markup = keyboards.subcategories(guest.texts, inside)
            await office.sender.edit(message.chat.id, message.message_id, text, markup)
            return True
        pair = (category, None)
    else:
        pair = next(
            (pair for pair in labels if pair[1] and keyboards.chosen([pair[1]], press.word)), (None, None)
        )
    if pair == (None, None):
        return False
    await _set_topic(guest, office, *pair)
    await office.say(guest, guest.texts("category_chosen", topic=keyboards.shown(pair[1] or pair[0] or "")))
    return True


async def _set_topic(
    guest: Guest, office: BotServices, category: str | None, subcategory: str | None
) -> None:
    people = office.book.people
    topic = await people.get_or_create_open_topic(guest.user.id, guest.place.channel_key, face="telegram")
    await people.update_topic_culture(topic.id, subcategory, category)


async def _buy_questions(guest: Guest, office: BotServices) -> None:
    texts = guest.texts
    try:
        topic = await office.book.reception.buy_questions(guest.user.id, guest.place.channel_key, guest.key)
    except NotEnoughTokens:
        said = f"{texts('not_enough_tokens')} {answer_and_draft_texts.how_to_get_tokens(texts, office.terms)}"
        await office.close(guest, said, keyboards.rows(*payments.offers(guest, office)))
    except TopicNotFound:
        await office.close(guest, texts("nothing_to_extend"))
    else:
        bought = texts("questions", n=topic.follow_ups_left)
        await office.close(guest, texts("questions_bought", questions=bought))


async def _show_more(guest: Guest, office: BotServices, press: Press, message: Message) -> bool:
    """What an answer led to: one of its sources, or the approved answer to a similar question."""
    if press.action is Action.SIMILAR:
        return await _take_similar(guest, office, press, message)
    return await _show_source(guest, office, press)


async def _show_source(guest: Guest, office: BotServices, press: Press) -> bool:
    """A source of the person's own answer: the quoted words, or a picture of the page if possible."""
    turn = await _turn(guest, office, press.word)
    cited = [] if turn is None else [one for one in turn[1].citations if one.number == press.number]
    if not cited:
        return False
    found = cited[0]
    words = answer_and_draft_texts.source(guest.texts, cited)
    if press.action is Action.SOURCE:
        await office.say(guest, words)
    elif found.page is None:
        return False
    elif (trouble := await _send_page(guest, office, found, found.page)) is not None:
        await office.say(guest, joined([guest.texts(trouble), words]))
    return True


async def _send_page(guest: Guest, office: BotServices, source: Citation, page: int) -> str | None:
    """None if the picture was sent, else the key of the sentence that says why not."""
    if source.state is not SourceState.CURRENT:
        return "picture_gone"  # What the base holds now is another page than the one that was cited.
    place = guest.place
    try:
        async with ChatActionSender.upload_photo(place.chat_id, office.bot, place.thread_id):
            picture = await office.book.library.page_picture(
                source.document_id, page, collection=source.collection_id
            )
            caption = RichText(f"[{source.number}] {answer_and_draft_texts.place(guest.texts, source)}")
            await office.sender.picture(place.chat_id, picture, caption, place.thread_id)
    except NotFound:
        return "picture_gone"
    except (UsageError, TelegramBadRequest) as error:
        log.warning("A page could not be shown: %s", error)
        return "picture_failed"
    return None


async def _call_human(guest: Guest, office: BotServices, update_id: int) -> bool:
    """Hand the question of an answer to an expert."""
    turn = await _turn(guest, office, str(update_id))
    if turn is None:
        return False
    visit = Visit(
        guest.user.id,
        guest.place.channel_key,
        turn[0].content,
        f"{office.key(update_id)}:human",
        language=guest.texts.language,
    )
    draft = await office.book.reception.call_human(visit)
    office.news.set()
    button = keyboards.button(guest.texts("take_back"), Action.TAKE_BACK, draft.id)
    await office.close(guest, guest.texts("human_called"), keyboards.rows([button]))
    return True


async def _take_similar(guest: Guest, office: BotServices, press: Press, message: Message) -> bool:
    """Give the approved answer that was offered. However often the button is pressed, it is given once."""
    turn = await _turn(guest, office, press.word)
    if turn is None:
        return False
    topic = await office.book.people.get_open_topic(guest.user.id, guest.place.channel_key)
    visit = Visit(
        guest.user.id,
        guest.place.channel_key,
        turn[0].content,
        office.key(f"{press.word.partition('-')[0]}-{press.number}"),
        category=None if topic is None else topic.category,
        subcategory=None if topic is None else topic.culture,
        language=guest.texts.language,
        similar=press.number,
    )
    try:
        await questions.consult(guest, office, visit, message)
    except CuratedAnswerNotFound:
        return False
    return True


async def _turn(guest: Guest, office: BotServices, place: str) -> tuple[ChatMessage, ChatMessage] | None:
    """The question and the answer of an update, or of a button under one, if they are this person's and there."""
    row = await office.book.people.find_message(f"{office.key(place)}:answer") if place else None
    if row is None or row.user_id != guest.user.id or row.session_id is None:
        return None
    messages = await office.book.stores.sessions.messages(row.session_id, guest.user.id)
    for before, found in pairwise(messages):
        if found.id == row.chat_message_id and before.role is Role.USER:
            return before, found
    return None
