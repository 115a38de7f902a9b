"""The commands that everybody has."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from aiogram import Router
from aiogram.filters import Command, CommandStart

from sourcebook.errors import AlreadyDecided, DraftNotFound
from sourcebook.faces.telegram.handlers.payments import offers
from sourcebook.faces.telegram.messages import keyboards
from sourcebook.faces.telegram.messages.rich_text import bold, clean, joined
from sourcebook.locale import LANGUAGES, texts
from sourcebook.model.moderation import DraftKind, DraftStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiogram.types import Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.locale import Texts

_EXAMPLES = 3
Labels: TypeAlias = "Sequence[tuple[str | None, str | None]]"


def router() -> Router:
    commands = Router(name="commands")
    commands.message.register(start, CommandStart())
    commands.message.register(show_help, Command("help"))
    commands.message.register(balance, Command("balance"))
    commands.message.register(new, Command("new"))
    commands.message.register(topics, Command("topics"))
    commands.message.register(language, Command("language"))
    commands.message.register(cancel, Command("cancel"))
    return commands


async def start(message: Message, guest: Guest, office: BotServices) -> None:
    await greet(guest, office, guest.texts)


async def greet(guest: Guest, office: BotServices, said: Texts) -> None:
    """What the bot is, what it costs, what can be asked, and in which languages it speaks."""
    examples = await _examples(office, said.language)
    await office.say(
        guest,
        joined(
            [
                said("welcome"),
                joined([bold(said("examples")), *examples], "\n") if examples else "",
                await _balance_line(guest, office, said),
                said("choose_language"),
            ]
        ),
        keyboards.languages(),
    )


async def _examples(office: BotServices, spoken: str) -> list[str]:
    """Questions that have an approved answer in this language."""
    entries = await office.book.curated.all(office.terms.collection)
    asked = [
        entry.question for entry in entries if entry.question and entry.language == spoken and entry.is_active
    ]
    return [f"• {clean(question, 120)}" for question in asked[:_EXAMPLES]]


async def _balance_line(guest: Guest, office: BotServices, said: Texts) -> str:
    prices = office.terms.prices
    if not prices.new_topic:
        return ""
    return said(
        "balance_line",
        tokens=said("tokens", n=guest.user.token_balance),
        price=said("tokens", n=prices.new_topic),
        questions=said("questions", n=prices.follow_ups_included),
    )


async def show_help(message: Message, guest: Guest, office: BotServices) -> None:
    more = guest.texts("admin_help") if guest.is_staff and guest.place.is_private else ""
    await office.say(guest, guest.texts("help") + more)


async def balance(message: Message, guest: Guest, office: BotServices) -> None:
    tokens = await office.book.people.get_token_balance(guest.user.id)
    said = guest.texts("balance", n=tokens)
    sold = offers(guest, office)
    if not tokens and not sold and office.terms.prices.new_topic:
        said = f"{said} {guest.texts('tokens_from_owner')}"
    await office.say(guest, said, keyboards.rows(*sold))


async def new(message: Message, guest: Guest, office: BotServices) -> None:
    await office.book.reception.new_topic(guest.user.id, guest.place.channel_key)
    markup = await _topic_buttons(guest, office)
    await office.close(guest, guest.texts("new_topic"), markup)


async def topics(message: Message, guest: Guest, office: BotServices) -> None:
    markup = await _topic_buttons(guest, office)
    await office.say(guest, guest.texts("no_categories" if markup is None else "choose_category"), markup)


async def _topic_buttons(guest: Guest, office: BotServices) -> keyboards.InlineKeyboardMarkup | None:
    labels = await office.labels()
    return first_buttons(guest.texts, labels) if labels else None


def first_buttons(said: Texts, labels: Labels) -> keyboards.InlineKeyboardMarkup | None:
    return keyboards.categories(said, categories_of(labels), subcategories_of(labels, None))


def categories_of(labels: Labels) -> list[str]:
    return list(dict.fromkeys(category for category, _ in labels if category))


def subcategories_of(labels: Labels, category: str | None) -> list[str]:
    return list(dict.fromkeys(sub for found, sub in labels if sub and found == category))


async def language(message: Message, guest: Guest, office: BotServices) -> None:
    await office.say(guest, guest.texts("choose_language"), keyboards.languages())


async def choose_language(guest: Guest, office: BotServices, code: str) -> bool:
    if code not in LANGUAGES:
        return False
    await office.book.people.set_language(guest.user.id, code)
    await office.say(guest, texts(code)("language_chosen") + " " + texts(code)("help"))
    return True


async def cancel(message: Message, guest: Guest, office: BotServices) -> None:
    """Take back what was begun: what the bot waits for, else the last question to an expert."""
    if (await office.expected(guest)).get("what"):
        await office.close(guest, guest.texts("cancelled"))
        return
    waiting = await office.book.moderation.items_of(guest.user.id, status=DraftStatus.PENDING)
    mine = [item for item in waiting if item.kind is DraftKind.DECLINED]
    if not mine or not await take_back(guest, office, max(item.id for item in mine)):
        await office.close(guest, guest.texts("nothing_to_cancel"))


async def take_back(guest: Guest, office: BotServices, draft_id: int) -> bool:
    """Take a question back from the experts. False if it is not this person's, or decided."""
    try:
        await office.book.reception.cancel_human(guest.user.id, draft_id)
    except (AlreadyDecided, DraftNotFound):
        return False
    await office.close(guest, guest.texts("human_cancelled"))
    return True
