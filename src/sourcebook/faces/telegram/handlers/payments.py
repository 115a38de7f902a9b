"""Tokens for Telegram Stars. A payment is a row of the ledger under the id that Telegram gives it: it counts once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aiogram import Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import LabeledPrice

from sourcebook.errors import NotEnoughTokens
from sourcebook.faces.telegram.messages import keyboards
from sourcebook.faces.telegram.messages.button_data import Action
from sourcebook.faces.telegram.messages.rich_text import clean
from sourcebook.model.token_ledger import OperationType

if TYPE_CHECKING:
    from aiogram.filters import CommandObject
    from aiogram.types import InlineKeyboardButton, Message, PreCheckoutQuery

    from sourcebook.faces.telegram.bot_services import BotServices
    from sourcebook.faces.telegram.updates.permissions import Guest
    from sourcebook.model.people import User

PACKS = (1, 5, 20)
"""How many tokens can be bought at once."""
CURRENCY = "XTR"
_PAYLOAD = re.compile(r"tokens:(\d{1,6}):(\d{1,19})", re.ASCII)

_HISTORY = 10_000


def router() -> Router:
    paying = Router(name="paying")
    paying.pre_checkout_query.register(check)
    paying.message.register(paid, _is_payment)
    paying.message.register(returned, _is_refund)
    return paying


# Filters that are no coroutines would each run in a thread, for every message.
async def _is_payment(message: Message) -> bool:
    return message.successful_payment is not None


async def _is_refund(message: Message) -> bool:
    return message.refunded_payment is not None


def offers(guest: Guest, office: BotServices) -> list[list[InlineKeyboardButton]]:
    """What can be bought here: nothing if no price is set, or in a group."""
    if not office.terms.stars or not guest.place.is_private:
        return []
    return [
        [
            keyboards.button(
                guest.texts("buy_tokens", tokens=guest.texts("tokens", n=n), stars=n * office.terms.stars),
                Action.BUY_TOKENS,
                n,
            )
        ]
        for n in PACKS
    ]


def buy_questions_button(guest: Guest, office: BotServices) -> InlineKeyboardButton:
    prices = office.terms.prices
    text = guest.texts(
        "buy_questions",
        n=prices.questions_in_a_purchase,
        tokens=guest.texts("tokens", n=prices.more_questions),
    )
    return keyboards.button(text, Action.BUY_QUESTIONS)


async def send_bill(guest: Guest, office: BotServices, tokens: int) -> None:
    if tokens not in PACKS or not office.terms.stars or not guest.place.is_private:
        await office.say(guest, guest.texts("payment_off"))
        return
    named = guest.texts("tokens", n=tokens)
    await office.bot.send_invoice(
        chat_id=guest.place.chat_id,
        title=guest.texts("invoice_title"),
        description=guest.texts("invoice_text", tokens=named),
        payload=f"tokens:{tokens}:{guest.user.id}",
        currency=CURRENCY,
        prices=[LabeledPrice(label=named, amount=tokens * office.terms.stars)],
        provider_token="",
    )


async def check(pre_checkout_query: PreCheckoutQuery, guest: Guest, office: BotServices) -> None:
    """Whether a bill still holds: it is this person's, and the price has not changed."""
    tokens = _tokens(pre_checkout_query.invoice_payload, guest)
    due = tokens * office.terms.stars
    query = pre_checkout_query
    if due and not guest.user.is_blocked and (query.currency, query.total_amount) == (CURRENCY, due):
        await office.bot.answer_pre_checkout_query(query.id, ok=True)
    else:
        await office.bot.answer_pre_checkout_query(
            query.id, ok=False, error_message=guest.texts("payment_refused")
        )


async def paid(message: Message, guest: Guest, office: BotServices) -> None:
    payment = message.successful_payment
    if payment is None:
        return
    # Telegram has the Stars already: whatever the bill says now, what was paid for is given.
    tokens = _tokens(payment.invoice_payload, guest)
    if not tokens:
        await office.tell_admins(
            lambda texts: texts(
                "trouble_other", reason=f"payment {clean(payment.telegram_payment_charge_id)}"
            )
        )
        return
    await office.book.people.add_tokens(
        guest.user.id,
        tokens,
        OperationType.STARS,
        idempotency_key=f"stars:{payment.telegram_payment_charge_id}",
        description=f"{payment.total_amount} {payment.currency}",
    )
    balance = await office.book.people.get_token_balance(guest.user.id)
    texts = guest.texts
    await office.close(
        guest,
        texts("payment_done", tokens=texts("tokens", n=tokens), balance=texts("tokens", n=balance)),
    )


async def refund(message: Message, command: CommandObject, guest: Guest, office: BotServices) -> None:
    """`/refund USER PAYMENT`. The tokens are taken first, so that nobody keeps both."""
    name, _, charge = (command.args or "").strip().partition(" ")
    payer = await person(office, name.lstrip("@"))
    rows = [] if payer is None else await office.book.people.token_history(payer.id, _HISTORY)
    row = next((row for row in rows if row.idempotency_key == f"stars:{charge.strip()}"), None)
    if payer is None or row is None:
        await office.say(guest, guest.texts("refund_usage"))
        return
    try:
        await _take_back(office, payer.id, row.amount, charge.strip())
        if payer.telegram_user_id is not None:
            await office.bot.refund_star_payment(payer.telegram_user_id, charge.strip())
    except NotEnoughTokens as error:
        await office.say(guest, guest.texts("refund_failed", reason=error.message))
    except TelegramBadRequest as error:
        if "ALREADY_REFUNDED" not in error.message:
            await office.say(guest, guest.texts("refund_failed", reason=clean(error.message)))
            return
    else:
        await office.say(guest, guest.texts("refunded", tokens=guest.texts("tokens", n=row.amount)))


async def returned(message: Message, guest: Guest, office: BotServices) -> None:
    """Telegram says that it gave a payment back."""
    payment = message.refunded_payment
    tokens = 0 if payment is None else _tokens(payment.invoice_payload, guest)
    if payment is None or not tokens:
        return
    try:
        await _take_back(office, guest.user.id, tokens, payment.telegram_payment_charge_id)
    except NotEnoughTokens:
        await office.tell_admins(
            lambda texts: texts("trouble_other", reason=f"refund {clean(payment.telegram_payment_charge_id)}")
        )


async def person(office: BotServices, name: str) -> User | None:
    """Who is meant by a Telegram id or a name."""
    users = await office.book.people.list_users()
    if name.isascii() and name.isdecimal():
        return next((user for user in users if user.telegram_user_id == int(name)), None)
    return next(
        (user for user in users if user.username and user.username.casefold() == name.casefold()), None
    )


async def _take_back(office: BotServices, user_id: int, tokens: int, charge: str) -> None:
    await office.book.people.deduct_tokens(
        user_id, tokens, OperationType.STARS_REFUND, idempotency_key=f"stars_refund:{charge}"
    )


def _tokens(payload: str, guest: Guest) -> int:
    """How many tokens a bill is for; 0 if it is not this person's."""
    found = _PAYLOAD.fullmatch(payload)
    return int(found[1]) if found is not None and int(found[2]) == guest.user.id else 0
