"""The staff's commands. They work in a private chat, for people with a role."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from aiogram import Router
from aiogram.filters import Command, CommandObject, Filter

from sourcebook.errors import NotEnoughTokens
from sourcebook.faces.telegram.handlers import payments, review
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.faces.telegram.messages.rich_text import clean
from sourcebook.faces.telegram.updates.permissions import is_admin
from sourcebook.locale import texts as texts_of
from sourcebook.model.token_ledger import OperationType

if TYPE_CHECKING:
    from aiogram.types import Message

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.people import User

_LARGEST_CREDIT = 1_000_000
_CREDIT = re.compile(r"@?(\w{1,64})\s+([+-]?[0-9]{1,7})")
_CATEGORY = re.compile(r"([0-9]{1,18})\s+([^/]+?)(?:\s*/\s*(\S[^/]*))?")
_USERS_SHOWN = 50
_TERM = re.compile(r"([^=]+)=(.+)", re.DOTALL)


class Staff(Filter):
    """Only for reviewers. For anybody else, the command does not exist."""

    async def __call__(self, message: Message, guest: Guest) -> bool:
        return guest.is_staff and guest.place.is_private


class Admin(Filter):
    async def __call__(self, message: Message, guest: Guest) -> bool:
        return guest.is_admin and guest.place.is_private


def router() -> Router:
    administering = Router(name="administering")
    administering.message.register(moderate, Command("moderate"), Staff())
    administering.message.register(terms, Command("terms"), Staff())
    administering.message.register(stats, Command("stats"), Staff())
    administering.message.register(digest, Command("digest"), Staff())
    administering.message.register(category, Command("category"), Staff())
    administering.message.register(users, Command("users"), Admin())
    administering.message.register(block, Command("block"), Admin())
    administering.message.register(unblock, Command("unblock"), Admin())
    administering.message.register(credit, Command("credit"), Admin())
    administering.message.register(payments.refund, Command("refund"), Admin())
    return administering


async def moderate(message: Message, guest: Guest, office: BotServices) -> None:
    await review.show_next(guest, office)


async def terms(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    """`/terms`, `/terms word = phrase`, `/terms -word`."""
    wanted = (command.args or "").strip()
    if wanted.startswith("-"):
        term = wanted[1:].strip()
        key = "terms_changed" if term and await office.book.terminology.remove(term) else "terms_unknown"
        await office.say(guest, guest.texts(key, term=clean(term)))
    elif found := _TERM.fullmatch(wanted):
        term = await office.book.terminology.add(found[1].strip(), found[2].strip())
        await office.say(guest, guest.texts("terms_changed", term=clean(term.term)))
    else:
        await office.say(
            guest, answer_and_draft_texts.terms(guest.texts, await office.book.terminology.all())
        )


async def credit(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    found = _CREDIT.fullmatch((command.args or "").strip())
    amount = int(found[2]) if found else 0
    if found is None or not 0 < abs(amount) <= _LARGEST_CREDIT:
        await office.say(guest, guest.texts("credit_usage"))
        return
    user = await payments.person(office, found[1])
    if user is None:
        await office.say(guest, guest.texts("credit_unknown", user=clean(found[1])))
        return
    people = office.book.people
    change = people.add_tokens if amount > 0 else people.deduct_tokens
    try:
        await change(
            user.id,
            abs(amount),
            OperationType.ADMIN_CREDIT,
            idempotency_key=guest.key,
            admin_id=guest.user.id,
        )
    except NotEnoughTokens as error:
        left = guest.texts("tokens", n=error.balance)
        await office.say(
            guest, guest.texts("credit_too_much", user=clean(user.shown_name, 120), balance=left)
        )
        return
    await _tell_of_credit(guest, office, user, amount)


async def _tell_of_credit(guest: Guest, office: BotServices, user: User, amount: int) -> None:
    balance = await office.book.people.get_token_balance(user.id)
    to_admin, to_user = ("credited", "credit_received") if amount > 0 else ("debited", "debit_received")
    for said, key, chat_id in (
        (guest.texts, to_admin, guest.place.chat_id),
        (texts_of(user.language), to_user, user.telegram_user_id),
    ):
        if chat_id is not None:
            values = {"tokens": said("tokens", n=abs(amount)), "balance": said("tokens", n=balance)}
            await office.sender.try_to_say(chat_id, said(key, user=clean(user.shown_name, 120), **values))


async def category(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    """`/category ID category`, or `/category ID category / subcategory`: approve a draft under it."""
    found = _CATEGORY.fullmatch((command.args or "").strip())
    if found is None:
        await office.say(guest, guest.texts("category_usage"))
        return
    await review.approve_under(guest, office, int(found[1]), found[2].strip(), found[3])


async def users(message: Message, guest: Guest, office: BotServices) -> None:
    """The people who wrote last, with what names them in a command."""
    known = [user for user in await office.book.people.list_users() if user.telegram_user_id is not None]
    await office.say(guest, answer_and_draft_texts.users(guest.texts, known[-_USERS_SHOWN:], len(known)))


async def block(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    user = await _named(command, guest, office, "block_usage")
    if user is None:
        return
    if user.id == guest.user.id or is_admin(user):
        await office.say(guest, guest.texts("block_admin"))
        return
    await office.book.people.block_user(user.id)
    await office.say(guest, guest.texts("blocked_now", user=clean(user.shown_name, 120)))


async def unblock(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    user = await _named(command, guest, office, "unblock_usage")
    if user is not None:
        await office.book.people.unblock_user(user.id)
        await office.say(guest, guest.texts("unblocked_now", user=clean(user.shown_name, 120)))


async def _named(command: CommandObject, guest: Guest, office: BotServices, usage: str) -> User | None:
    """The person that a command is about; if there is none, the admin is told."""
    name = (command.args or "").strip().removeprefix("@")
    if not name or len(name.split()) != 1:
        await office.say(guest, guest.texts(usage))
        return None
    user = await payments.person(office, name)
    if user is None:
        await office.say(guest, guest.texts("credit_unknown", user=clean(name, 120)))
    return user


async def stats(message: Message, guest: Guest, office: BotServices) -> None:
    book = office.book
    entries = await book.curated.all(office.terms.collection)
    documents = [found for found in await book.library.collections() if found.id == office.terms.collection]
    pending = await book.moderation.count_pending()
    await office.say(
        guest,
        guest.texts(
            "stats",
            people=await book.people.count_all_users(),
            documents=sum(found.document_count for found in documents),
            curated=sum(entry.is_active for entry in entries),
            stale=sum(entry.is_active and entry.stale_since is not None for entry in entries),
            pending=sum(pending.values()),
        ),
    )


async def digest(message: Message, guest: Guest, office: BotServices) -> None:
    until = datetime.now(UTC)
    since = until - timedelta(days=7)
    found = await office.book.moderation.digest(int(since.timestamp()))
    dates = since.date().isoformat(), until.date().isoformat()
    await office.say(guest, answer_and_draft_texts.digest(guest.texts, found, *dates))
